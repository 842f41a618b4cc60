
/*
 * Copyright (C) The Olivine authors
 *
 * Looks through an RDB file, of any size: a window of it is in memory, which
 * grows only for a string that does not fit in.
 */


#include "ngx_olivine_check.h"

#include <rdb/ngx_olivine_rdb_read.h>


#define NGX_OLIVINE_CHECK_WINDOW  (1024 * 1024)


typedef struct {
    uint64_t                   keys;
    uint64_t                   expires;      /* have an expiry */
    uint64_t                   expired;      /* which has passed */
} ngx_olivine_check_db_t;


typedef struct {
    int                        fd;
    const char                *name;
    int64_t                    now;
    u_char                    *window;
    size_t                     size;
    ngx_olivine_rdb_reader_t   reader;
    ngx_olivine_check_db_t    *dbs;
    uint64_t                   keys;
    uint64_t                   functions;
    unsigned                   said:1;       /* the version */
    unsigned                   inside:1;     /* of databases */
} ngx_olivine_check_rdb_t;


static int ngx_olivine_check_rdb_run(ngx_olivine_check_rdb_t *c);
static ngx_int_t ngx_olivine_check_rdb_more(ngx_olivine_check_rdb_t *c);
static void ngx_olivine_check_rdb_item(ngx_olivine_check_rdb_t *c,
    ngx_olivine_rdb_item_t *item);
static void ngx_olivine_check_rdb_say(ngx_olivine_check_rdb_t *c);
static ngx_int_t ngx_olivine_check_rdb_behind(ngx_olivine_check_rdb_t *c);


int
ngx_olivine_check_rdb(int argc, char *const *argv)
{
    int                       rc;
    struct timeval            tv;
    ngx_olivine_check_rdb_t   c;

    memset(&c, 0, sizeof(ngx_olivine_check_rdb_t));

    c.name = argv[0];
    c.fd = open(c.name, O_RDONLY);

    if (c.fd == -1) {
        fprintf(stderr, "olivine: cannot open \"%s\": %s\n", c.name,
                strerror(errno));
        return 1;
    }

    gettimeofday(&tv, NULL);
    c.now = (int64_t) tv.tv_sec * 1000 + tv.tv_usec / 1000;

    c.size = NGX_OLIVINE_CHECK_WINDOW;
    c.window = malloc(c.size);
    c.dbs = calloc(NGX_OLIVINE_MAX_DATABASES, sizeof(ngx_olivine_check_db_t));

    if (c.window && c.dbs) {
        rc = ngx_olivine_check_rdb_run(&c);

    } else {
        fprintf(stderr, "olivine: no memory\n");
        rc = 1;
    }

    ngx_olivine_rdb_reader_free(&c.reader);
    free(c.window);
    free(c.dbs);
    close(c.fd);

    return rc;
}


static int
ngx_olivine_check_rdb_run(ngx_olivine_check_rdb_t *c)
{
    ngx_int_t                  rc;
    ngx_olivine_rdb_item_t     item;
    ngx_olivine_rdb_reader_t  *r;

    r = &c->reader;

    ngx_olivine_rdb_reader_init(r, NGX_OLIVINE_MAX_STRING);

    r->pos = c->window;
    r->last = c->window;

    do {
        rc = ngx_olivine_rdb_read(r, &item);

        if (rc == NGX_OK) {
            ngx_olivine_check_rdb_item(c, &item);

        } else if (rc == NGX_AGAIN && ngx_olivine_check_rdb_more(c) != NGX_OK)
        {
            return 1;
        }

    } while (rc == NGX_AGAIN
             || (rc == NGX_OK && item.type != NGX_OLIVINE_RDB_ITEM_END));

    ngx_olivine_check_rdb_say(c);

    if (rc == NGX_ERROR) {
        fprintf(stderr, "olivine: no memory\n");
        return 1;
    }

    if (rc != NGX_OK) {
        fflush(stdout);
        fprintf(stderr, "olivine: \"%s\", offset %lld: %.*s\n", c->name,
                (long long) r->offset, (int) r->error.len, r->error.data);
        return 1;
    }

    if (ngx_olivine_check_rdb_behind(c) != NGX_OK) {
        return 1;
    }

    printf("OK: %llu key%s, %s\n", (unsigned long long) c->keys,
           c->keys == 1 ? "" : "s",
           item.sum ? "the checksum is right" : "there is no checksum");

    return 0;
}


/* At least what the reader wants, unless the file ends before. */

static ngx_int_t
ngx_olivine_check_rdb_more(ngx_olivine_check_rdb_t *c)
{
    u_char                    *window;
    size_t                     keep, size;
    ssize_t                    n;
    ngx_olivine_rdb_reader_t  *r;

    r = &c->reader;
    keep = r->last - r->pos;

    if (r->want > c->size) {
        size = ngx_max(r->want, 2 * c->size);
        window = malloc(size);

        if (window == NULL) {
            fprintf(stderr, "olivine: no memory for %lu bytes\n",
                    (unsigned long) size);
            return NGX_ERROR;
        }

        memcpy(window, r->pos, keep);
        free(c->window);

        c->window = window;
        c->size = size;

    } else {
        memmove(c->window, r->pos, keep);
    }

    r->pos = c->window;
    r->last = c->window + keep;

    while ((size_t) (r->last - r->pos) < r->want) {

        n = read(c->fd, r->last, c->window + c->size - r->last);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        if (n == -1) {
            fprintf(stderr, "olivine: cannot read \"%s\": %s\n", c->name,
                    strerror(errno));
            return NGX_ERROR;
        }

        if (n == 0) {
            r->eof = 1;
            break;
        }

        r->last += n;
    }

    return NGX_OK;
}


static void
ngx_olivine_check_rdb_item(ngx_olivine_check_rdb_t *c,
    ngx_olivine_rdb_item_t *item)
{
    ngx_olivine_check_db_t  *db;

    if (!c->said) {
        c->said = 1;
        printf("RDB file of version %lu of %s\n",
               (unsigned long) c->reader.version,
               c->reader.valkey ? "Valkey" : "Redis");
    }

    switch (item->type) {

    case NGX_OLIVINE_RDB_ITEM_KEY:
        db = &c->dbs[item->db];

        c->inside = 1;
        c->keys++;
        db->keys++;

        if (item->expire) {
            db->expires++;

            if (item->expire <= c->now) {
                db->expired++;
            }
        }

        return;

    case NGX_OLIVINE_RDB_ITEM_RESIZE:
        c->inside = 1;
        return;

    case NGX_OLIVINE_RDB_ITEM_AUX:

        /* a cluster of Valkey says something of each slot */

        if (c->inside) {
            return;
        }

        ngx_olivine_check_print(stdout, item->name.data, item->name.len);
        printf(": ");
        ngx_olivine_check_print(stdout, item->text.data, item->text.len);
        printf("\n");
        return;

    case NGX_OLIVINE_RDB_ITEM_FUNCTION:
        c->functions++;
        return;

    case NGX_OLIVINE_RDB_ITEM_MODULE:
        printf("module %.*s: its data is passed over\n",
               (int) item->name.len, item->name.data);
        return;

    default:
        return;
    }
}


static void
ngx_olivine_check_rdb_say(ngx_olivine_check_rdb_t *c)
{
    ngx_uint_t               n;
    ngx_olivine_check_db_t  *db;

    if (c->functions) {
        printf("libraries of functions: %llu\n",
               (unsigned long long) c->functions);
    }

    for (n = 0; n < NGX_OLIVINE_MAX_DATABASES; n++) {
        db = &c->dbs[n];

        if (db->keys) {
            printf("database %lu: %llu key%s, %llu with an expiry, of which "
                   "%llu expired\n", (unsigned long) n,
                   (unsigned long long) db->keys, db->keys == 1 ? "" : "s",
                   (unsigned long long) db->expires,
                   (unsigned long long) db->expired);
        }
    }
}


/* An AOF may go on there. */

static ngx_int_t
ngx_olivine_check_rdb_behind(ngx_olivine_check_rdb_t *c)
{
    off_t                      end, size;
    struct stat                st;
    ngx_olivine_rdb_reader_t  *r;

    r = &c->reader;
    end = ngx_olivine_rdb_read_offset(r);

    if (fstat(c->fd, &st) == -1) {
        fprintf(stderr, "olivine: cannot stat \"%s\": %s\n", c->name,
                strerror(errno));
        return NGX_ERROR;
    }

    size = S_ISREG(st.st_mode) ? st.st_size : end + (r->last - r->pos);

    if (size > end) {
        printf("behind its end: %lld bytes, from offset %lld on\n",
               (long long) (size - end), (long long) end);
    }

    return NGX_OK;
}
