
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_aof_check.h"
#include "log/ngx_olivine_aof_read.h"
#include "rdb/ngx_olivine_rdb_read.h"


#define NGX_OLIVINE_AOF_CHECK_WINDOW  (1024 * 1024)
#define NGX_OLIVINE_AOF_CHECK_MAGIC   9


typedef struct {
    ngx_olivine_aof_check_t  *check;
    int                       fd;
    int64_t                   upto;
    u_char                   *window;
    size_t                    size;

    /* of the window's bytes that are not read yet */
    u_char                   *pos;
    u_char                   *last;
    off_t                     next;        /* the offset of last */
    unsigned                  eof:1;
} ngx_olivine_aof_checker_t;


static ngx_int_t ngx_olivine_aof_check_run(ngx_olivine_aof_checker_t *c);
static ngx_int_t ngx_olivine_aof_check_rdb(ngx_olivine_aof_checker_t *c);
static ngx_int_t ngx_olivine_aof_check_log(ngx_olivine_aof_checker_t *c);
static ngx_int_t ngx_olivine_aof_check_time(ngx_olivine_aof_checker_t *c,
    ngx_olivine_aof_reader_t *r);
static ngx_int_t ngx_olivine_aof_check_more(ngx_olivine_aof_checker_t *c,
    size_t want);
static ngx_int_t ngx_olivine_aof_check_failed(ngx_olivine_aof_check_t *check,
    const char *what);


ngx_int_t
ngx_olivine_aof_check(ngx_olivine_aof_check_t *check, int fd, int64_t upto)
{
    ngx_int_t                  rc;
    struct stat                st;
    ngx_olivine_aof_checker_t  c;

    ngx_memzero(check, sizeof(ngx_olivine_aof_check_t));
    ngx_memzero(&c, sizeof(ngx_olivine_aof_checker_t));

    check->offset = -1;

    if (fstat(fd, &st) == -1) {
        return ngx_olivine_aof_check_failed(check, "stat");
    }

    if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return ngx_olivine_aof_check_failed(check, "read");
    }

    check->size = st.st_size;

    c.check = check;
    c.fd = fd;
    c.upto = upto;
    c.size = NGX_OLIVINE_AOF_CHECK_WINDOW;
    c.window = malloc(c.size);

    if (c.window == NULL) {
        return ngx_olivine_aof_check_failed(check, "read");
    }

    c.pos = c.window;
    c.last = c.window;

    rc = ngx_olivine_aof_check_run(&c);

    free(c.window);

    return rc;
}


static ngx_int_t
ngx_olivine_aof_check_run(ngx_olivine_aof_checker_t *c)
{
    ngx_int_t  rc;

    rc = ngx_olivine_aof_check_more(c, NGX_OLIVINE_AOF_CHECK_MAGIC);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_rdb_read_magic(c->pos, c->last) == NGX_OK) {
        rc = ngx_olivine_aof_check_rdb(c);

        if (rc != NGX_OK) {
            c->check->rdb_wrong = 1;
            return rc;
        }
    }

    return ngx_olivine_aof_check_log(c);
}


static ngx_int_t
ngx_olivine_aof_check_rdb(ngx_olivine_aof_checker_t *c)
{
    ngx_int_t                  rc;
    ngx_olivine_rdb_item_t     item;
    ngx_olivine_aof_check_t   *check;
    ngx_olivine_rdb_reader_t   r;

    check = c->check;

    ngx_olivine_rdb_reader_init(&r, NGX_OLIVINE_MAX_STRING);

    for ( ;; ) {
        r.pos = c->pos;
        r.last = c->last;
        r.eof = c->eof;

        rc = ngx_olivine_rdb_read(&r, &item);

        c->pos = r.pos;

        if (rc == NGX_AGAIN) {
            rc = ngx_olivine_aof_check_more(c, r.want);

            if (rc != NGX_OK) {
                break;
            }

            continue;
        }

        if (rc != NGX_OK) {
            check->offset = r.offset;
            (void) snprintf(check->error, sizeof(check->error), "%.*s",
                            (int) r.error.len, r.error.data);

            if (rc == NGX_ERROR) {
                (void) ngx_olivine_aof_check_failed(check, "read");

            } else {
                rc = NGX_ABORT;
            }

            break;
        }

        if (item.type == NGX_OLIVINE_RDB_ITEM_KEY) {
            check->keys++;
        }

        if (item.type == NGX_OLIVINE_RDB_ITEM_END) {
            check->rdb = ngx_olivine_rdb_read_offset(&r);
            break;
        }
    }

    ngx_olivine_rdb_reader_free(&r);

    return rc;
}


static ngx_int_t
ngx_olivine_aof_check_log(ngx_olivine_aof_checker_t *c)
{
    ngx_int_t                  rc;
    ngx_olivine_aof_check_t   *check;
    ngx_olivine_aof_reader_t   r;

    check = c->check;

    ngx_olivine_aof_reader_init(&r, check->rdb, NGX_OLIVINE_MAX_STRING);
    r.annotations = 1;

    for ( ;; ) {
        r.pos = c->pos;
        r.last = c->last;
        r.eof = c->eof;

        rc = ngx_olivine_aof_read(&r);

        if (rc == NGX_OK) {

            if (r.args.nelts == 0) {
                rc = ngx_olivine_aof_check_time(c, &r);
            }

            c->pos = r.pos;

            if (rc == NGX_OK) {
                continue;
            }

            break;
        }

        if (rc != NGX_AGAIN) {
            break;
        }

        rc = ngx_olivine_aof_check_more(c, r.want);

        if (rc != NGX_OK) {
            break;
        }
    }

    check->commands = r.commands;
    check->transactions = r.transactions;

    if (!check->late) {
        check->valid = r.valid;
    }

    switch (rc) {

    case NGX_DONE:
        rc = NGX_OK;
        break;

    case NGX_DECLINED:
    case NGX_ABORT:

        if (check->offset == -1) {
            check->offset = r.error_offset;
            (void) snprintf(check->error, sizeof(check->error), "%.*s",
                            (int) r.error.len, r.error.data);
        }

        break;

    default: /* NGX_ERROR */

        if (check->error[0] == '\0') {
            errno = ENOMEM;
            (void) ngx_olivine_aof_check_failed(check, "read");
        }
    }

    ngx_olivine_aof_reader_free(&r);

    return rc;
}


/* An annotation lies before r->pos.  DONE: it is late. */

static ngx_int_t
ngx_olivine_aof_check_time(ngx_olivine_aof_checker_t *c,
    ngx_olivine_aof_reader_t *r)
{
    ngx_olivine_aof_check_t  *check;

    check = c->check;

    if (r->next - r->offset < 4 || ngx_memcmp(c->pos, "#TS:", 4) != 0) {
        return NGX_OK;
    }

    if (r->timestamp == 0) {

        /* if nobody asked for a time it may be what it likes */

        if (c->upto == INT64_MAX) {
            return NGX_OK;
        }

        check->offset = r->offset;
        (void) snprintf(check->error, sizeof(check->error),
                        "the time of the annotation is no number");
        return NGX_ABORT;
    }

    if (r->timestamp > c->upto) {
        check->late = 1;
        check->valid = r->multi ? r->valid : r->offset;
        return NGX_DONE;
    }

    check->timestamp = r->timestamp;
    r->timestamp = 0;

    return NGX_OK;
}


/* At least so many bytes from pos on, unless the file ends before. */

static ngx_int_t
ngx_olivine_aof_check_more(ngx_olivine_aof_checker_t *c, size_t want)
{
    u_char   *window;
    size_t    keep, size;
    ssize_t   n;
    uint64_t  rest;

    keep = c->last - c->pos;
    rest = keep + (c->check->size > c->next ? c->check->size - c->next : 0);

    /* what is not there needs no room; one byte more shows the end */

    want = (size_t) ngx_min((uint64_t) want, rest + 1);

    if (want > c->size) {
        size = (size_t) ngx_min((uint64_t) ngx_max(want, 2 * c->size),
                                rest + 1);
        size = ngx_max(size, want);

        window = malloc(size);
        if (window == NULL) {
            return ngx_olivine_aof_check_failed(c->check, "read");
        }

        ngx_memcpy(window, c->pos, keep);
        free(c->window);

        c->window = window;
        c->size = size;

    } else {
        ngx_memmove(c->window, c->pos, keep);
    }

    c->pos = c->window;
    c->last = c->window + keep;

    while ((size_t) (c->last - c->pos) < want) {

        /* a file that is being written may have grown */

        size = c->window + c->size - c->last;
        rest = c->check->size > c->next ? c->check->size - c->next : 0;

        n = pread(c->fd, c->last, (size_t) ngx_min((uint64_t) size, rest),
                  c->next);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        if (n == -1) {
            return ngx_olivine_aof_check_failed(c->check, "read");
        }

        if (n == 0) {
            c->eof = 1;
            break;
        }

        c->last += n;
        c->next += n;
    }

    return NGX_OK;
}


/* Returns ERROR. */

static ngx_int_t
ngx_olivine_aof_check_failed(ngx_olivine_aof_check_t *check, const char *what)
{
    check->offset = -1;
    (void) snprintf(check->error, sizeof(check->error), "cannot %s it: %s",
                    what, strerror(errno));

    return NGX_ERROR;
}
