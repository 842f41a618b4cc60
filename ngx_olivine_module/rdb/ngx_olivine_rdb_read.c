
/*
 * Copyright (C) The Olivine authors
 *
 * The window, and what is said of it.  An item is read from its first byte on
 * each time, until the window has it whole; what comes before a key (database,
 * expiry, idle time) is taken as soon as it is there, and kept.  Bytes are
 * summed when the window is about to move, many at a time.
 */


#include "rdb/ngx_olivine_rdb_opcodes.h"


/* "REDIS" and four digits, or "VALKEY" and three */
#define NGX_OLIVINE_RDB_MAGIC  9


static ngx_int_t ngx_olivine_rdb_read_header(ngx_olivine_rdb_reader_t *r);
static ngx_int_t ngx_olivine_rdb_read_more(ngx_olivine_rdb_reader_t *r,
    size_t want, const char *what);
static ngx_int_t ngx_olivine_rdb_read_over(ngx_olivine_rdb_reader_t *r,
    ngx_int_t rc);


void
ngx_olivine_rdb_reader_init(ngx_olivine_rdb_reader_t *r, size_t max)
{
    ngx_memzero(r, sizeof(ngx_olivine_rdb_reader_t));

    r->max = max;
    r->idle = -1;
    r->freq = -1;
}


void
ngx_olivine_rdb_reader_free(ngx_olivine_rdb_reader_t *r)
{
    free(r->first.memory);
    free(r->second.memory);

    ngx_memzero(&r->first, sizeof(ngx_olivine_rdb_scratch_t));
    ngx_memzero(&r->second, sizeof(ngx_olivine_rdb_scratch_t));
}


ngx_int_t
ngx_olivine_rdb_read_magic(u_char *p, u_char *last)
{
    size_t      n;
    ngx_uint_t  i;

    n = ngx_min(last - p, NGX_OLIVINE_RDB_MAGIC);

    if (ngx_memcmp(p, "REDIS", ngx_min(n, 5)) == 0) {
        i = 5;

    } else if (ngx_memcmp(p, "VALKEY", ngx_min(n, 6)) == 0) {
        i = 6;

    } else {
        return NGX_DECLINED;
    }

    for ( /* void */ ; i < n; i++) {
        if (p[i] < '0' || p[i] > '9') {
            return NGX_DECLINED;
        }
    }

    return n < NGX_OLIVINE_RDB_MAGIC ? NGX_AGAIN : NGX_OK;
}


ngx_int_t
ngx_olivine_rdb_read(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_item_t *item)
{
    ngx_int_t              rc;
    const char            *what;
    ngx_olivine_rdb_in_t   in;

    if (r->over) {
        return r->rc;
    }

    if (r->start == NULL) {
        r->start = r->pos;
    }

    if (!r->begun) {
        rc = ngx_olivine_rdb_read_header(r);
        if (rc != NGX_OK) {
            return rc;
        }

        r->begun = 1;
    }

    in.last = r->last;
    in.max = r->max;

    for ( ;; ) {
        in.pos = r->pos;
        in.lack = 0;
        in.too_long = 0;

        rc = ngx_olivine_rdb_read_next(r, &in, item, &what);

        if (rc == NGX_DONE) {
            r->pos = in.pos;
            continue;
        }

        if (rc == NGX_OK) {
            r->pos = in.pos;
            return NGX_OK;
        }

        if (rc == NGX_AGAIN) {
            return ngx_olivine_rdb_read_more(r, r->last - r->pos + in.lack,
                                             what);
        }

        if (rc == NGX_DECLINED && in.too_long) {
            (void) ngx_olivine_rdb_read_refuse(r, "a string of %s is longer "
                                               "than %uz bytes", what, r->max);

        } else if (rc == NGX_DECLINED && r->error.len == 0) {
            (void) ngx_olivine_rdb_read_refuse(r, "wrong bytes in %s", what);
            rc = NGX_ABORT;
        }

        return ngx_olivine_rdb_read_over(r, rc);
    }
}


static ngx_int_t
ngx_olivine_rdb_read_header(ngx_olivine_rdb_reader_t *r)
{
    u_char      *p;
    ngx_int_t    rc;

    p = r->pos;
    rc = ngx_olivine_rdb_read_magic(p, r->last);

    if (rc == NGX_DECLINED) {
        (void) ngx_olivine_rdb_read_refuse(r, "it is no RDB file");
        return ngx_olivine_rdb_read_over(r, NGX_ABORT);
    }

    if (rc == NGX_AGAIN) {
        return ngx_olivine_rdb_read_more(r, NGX_OLIVINE_RDB_MAGIC,
                                         "its header");
    }

    r->valkey = (*p == 'V');
    r->version = ngx_atoi(p + 5 + r->valkey, 4 - r->valkey);

    if (r->valkey ? r->version != NGX_OLIVINE_RDB_VALKEY
                  : r->version < 1 || r->version > NGX_OLIVINE_RDB_NEWEST)
    {
        (void) ngx_olivine_rdb_read_refuse(r, "it is of version %ui of %s, "
                     "only 1 to %d of Redis and %d of Valkey can be read",
                     r->version, r->valkey ? "Valkey" : "Redis",
                     NGX_OLIVINE_RDB_NEWEST, NGX_OLIVINE_RDB_VALKEY);

        return ngx_olivine_rdb_read_over(r, NGX_DECLINED);
    }

    r->pos += NGX_OLIVINE_RDB_MAGIC;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_rdb_read_more(ngx_olivine_rdb_reader_t *r, size_t want,
    const char *what)
{
    if (r->eof) {
        (void) ngx_olivine_rdb_read_refuse(r, "the file is too short, it ends "
                                           "within %s", what);
        r->truncated = 1;

        return ngx_olivine_rdb_read_over(r, NGX_ABORT);
    }

    ngx_olivine_rdb_read_sum(r);

    r->want = want;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_olivine_rdb_read_over(ngx_olivine_rdb_reader_t *r, ngx_int_t rc)
{
    if (r->offset == 0) {
        r->offset = ngx_olivine_rdb_read_offset(r);
    }

    r->over = 1;
    r->rc = rc;

    return rc;
}


off_t
ngx_olivine_rdb_read_offset(ngx_olivine_rdb_reader_t *r)
{
    return r->start ? r->base + (r->pos - r->start) : r->base;
}


void
ngx_olivine_rdb_read_sum(ngx_olivine_rdb_reader_t *r)
{
    if (!r->no_checksum) {
        r->crc = ngx_olivine_rdb_crc(r->crc, r->start, r->pos - r->start);
    }

    r->base += r->pos - r->start;
    r->start = NULL;
}


ngx_int_t
ngx_olivine_rdb_read_refuse(ngx_olivine_rdb_reader_t *r, const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(r->buf, r->buf + sizeof(r->buf), fmt, args);
    va_end(args);

    r->error.data = r->buf;
    r->error.len = p - r->buf;

    return NGX_DECLINED;
}
