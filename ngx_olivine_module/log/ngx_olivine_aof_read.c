
/*
 * Copyright (C) The Olivine authors
 *
 * A command that is not whole is parsed again from its beginning when there
 * are more bytes: as the window at least doubles, that is at most once more
 * on the average.
 *
 * Unlike that of clients, the parser takes nothing but what a server writes:
 * the first wrong byte is damage, and is named.
 */


#include "base/ngx_olivine_number.h"
#include "log/ngx_olivine_aof_read.h"


/* digits of a count or a length, leading zeros are none */
#define NGX_OLIVINE_AOF_DIGITS  10

#define NGX_OLIVINE_AOF_ARGS    16


static ngx_int_t ngx_olivine_aof_command(ngx_olivine_aof_reader_t *r);
static ngx_inline ngx_int_t ngx_olivine_aof_number(
    ngx_olivine_aof_reader_t *r, u_char **pos, size_t *n);
static ngx_int_t ngx_olivine_aof_annotation(ngx_olivine_aof_reader_t *r);
static ngx_int_t ngx_olivine_aof_whole(ngx_olivine_aof_reader_t *r,
    u_char *pos);
static ngx_int_t ngx_olivine_aof_more(ngx_olivine_aof_reader_t *r,
    size_t want);
static ngx_int_t ngx_olivine_aof_grow(ngx_olivine_args_t *args);
static ngx_int_t ngx_olivine_aof_wrong(ngx_olivine_aof_reader_t *r,
    u_char *p, const char *fmt, ...);


void
ngx_olivine_aof_reader_init(ngx_olivine_aof_reader_t *r, off_t offset,
    size_t max)
{
    ngx_memzero(r, sizeof(ngx_olivine_aof_reader_t));

    r->max = max;
    r->valid = offset;
    r->next = offset;
    r->offset = offset;
    r->rc = NGX_OK;
}


void
ngx_olivine_aof_reader_free(ngx_olivine_aof_reader_t *r)
{
    ngx_olivine_args_free(&r->args);
}


ngx_int_t
ngx_olivine_aof_read(ngx_olivine_aof_reader_t *r)
{
    ngx_int_t  rc;

    if (ngx_olivine_unlikely(r->rc != NGX_OK)) {
        return r->rc;
    }

    for ( ;; ) {
        r->args.nelts = 0;
        r->offset = r->next;

        if (ngx_olivine_unlikely(r->pos == r->last)) {

            if (!r->eof) {
                r->want = 1;
                return NGX_AGAIN;
            }

            if (!r->multi) {
                r->rc = NGX_DONE;
                return NGX_DONE;
            }

            (void) ngx_olivine_aof_wrong(r, r->pos,
                                         "the file ends before EXEC");
            r->rc = NGX_DECLINED;
            return NGX_DECLINED;
        }

        if (ngx_olivine_likely(*r->pos == '*')) {
            rc = ngx_olivine_aof_command(r);
            break;
        }

        if (*r->pos != '#') {
            rc = ngx_olivine_aof_wrong(r, r->pos,
                              "no command begins with the byte 0x%02x",
                              *r->pos);
            break;
        }

        rc = ngx_olivine_aof_annotation(r);

        if (rc != NGX_OK || r->annotations) {
            break;
        }
    }

    if (ngx_olivine_unlikely(rc != NGX_OK && rc != NGX_AGAIN)) {
        r->rc = rc;
    }

    return rc;
}


static ngx_int_t
ngx_olivine_aof_command(ngx_olivine_aof_reader_t *r)
{
    size_t              n, len;
    u_char             *p, *start;
    ngx_int_t           rc;
    ngx_olivine_arg_t  *arg;

    p = r->pos + 1;
    n = 0;
    len = 0;

    rc = ngx_olivine_aof_number(r, &p, &n);

    if (ngx_olivine_unlikely(rc != NGX_OK)) {
        return rc;
    }

    if (ngx_olivine_unlikely(n == 0 || n > NGX_OLIVINE_MAX_ARGS)) {
        return ngx_olivine_aof_wrong(r, r->pos,
                                 "no command has %lu arguments",
                                 (unsigned long) n);
    }

    while (n--) {

        if (ngx_olivine_unlikely(p == r->last)) {
            return ngx_olivine_aof_more(r, p + 4 - r->pos);
        }

        if (ngx_olivine_unlikely(*p != '$')) {
            return ngx_olivine_aof_wrong(r, p,
                                     "expected \"$\", found the byte 0x%02x",
                                     *p);
        }

        start = p++;
        rc = ngx_olivine_aof_number(r, &p, &len);

        if (ngx_olivine_unlikely(rc != NGX_OK)) {
            return rc;
        }

        if (ngx_olivine_unlikely(len > r->max)) {
            return ngx_olivine_aof_wrong(r, start,
                         "an argument of %lu bytes is longer than allowed",
                         (unsigned long) len);
        }

        if (ngx_olivine_unlikely((size_t) (r->last - p) < len + 2)) {

            /* what ends it may be wrong already */

            if ((size_t) (r->last - p) == len + 1 && p[len] != CR) {
                return ngx_olivine_aof_wrong(r, p + len,
                                             "an argument does not end there");
            }

            return ngx_olivine_aof_more(r, p + len + 2 - r->pos);
        }

        if (ngx_olivine_unlikely(p[len] != CR || p[len + 1] != LF)) {
            return ngx_olivine_aof_wrong(r, p + len,
                                         "an argument does not end there");
        }

        if (ngx_olivine_unlikely(r->args.nelts == r->args.nalloc)
            && ngx_olivine_aof_grow(&r->args) != NGX_OK)
        {
            return NGX_ERROR;
        }

        arg = &r->args.elts[r->args.nelts++];
        arg->data = p;
        arg->len = len;
        arg->run = NULL;

        p += len + 2;
    }

    return ngx_olivine_aof_whole(r, p);
}


/* Digits and CRLF at *pos. */

static ngx_inline ngx_int_t
ngx_olivine_aof_number(ngx_olivine_aof_reader_t *r, u_char **pos, size_t *n)
{
    u_char    *p, *last;
    size_t     u;
    unsigned   c;

    p = *pos;
    last = ngx_min(r->last, p + NGX_OLIVINE_AOF_DIGITS);
    u = 0;

    while (p < last) {
        c = (unsigned) *p - '0';

        if (c > 9) {
            break;
        }

        u = u * 10 + c;
        p++;
    }

    if (ngx_olivine_likely(r->last - p >= 2 && p > *pos
                           && p[0] == CR && p[1] == LF))
    {
        *pos = p + 2;
        *n = u;
        return NGX_OK;
    }

    if (p < r->last && (p == *pos || *p != CR)) {
        return ngx_olivine_aof_wrong(r, p, "expected %s, found the byte "
                                     "0x%02x", p == *pos ? "a number"
                                               : "the end of a number", *p);
    }

    if (r->last - p >= 2) {
        return ngx_olivine_aof_wrong(r, p + 1, "expected a line feed, found "
                                     "the byte 0x%02x", p[1]);
    }

    return ngx_olivine_aof_more(r, r->last + 1 - r->pos);
}


static ngx_int_t
ngx_olivine_aof_annotation(ngx_olivine_aof_reader_t *r)
{
    u_char   *p, *end;
    size_t    len;
    int64_t   n;

    p = r->pos;
    len = r->last - p;

    end = memchr(p, LF, ngx_min(len, NGX_OLIVINE_AOF_LINE));

    if (end == NULL) {

        if (len >= NGX_OLIVINE_AOF_LINE) {
            return ngx_olivine_aof_wrong(r, p, "an annotation is too long");
        }

        return ngx_olivine_aof_more(r, len + 1);
    }

    if (end - p > 5 && ngx_memcmp(p, "#TS:", 4) == 0 && end[-1] == CR
        && ngx_olivine_number_parse(p + 4, end - 1, &n) == NGX_OK)
    {
        r->timestamp = n;
    }

    r->next += end + 1 - p;
    r->pos = end + 1;

    if (!r->multi) {
        r->valid = r->next;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_aof_whole(ngx_olivine_aof_reader_t *r, u_char *pos)
{
    u_char             *p;
    ngx_olivine_arg_t  *arg;

    arg = r->args.elts;
    p = arg->data;

    if (arg->len == 5 && (p[0] | 0x20) == 'm'
        && ngx_strncasecmp(p, (u_char *) "multi", 5) == 0)
    {
        if (r->multi) {
            return ngx_olivine_aof_wrong(r, r->pos,
                                         "MULTI inside of a transaction");
        }

        r->multi = 1;

    } else if (arg->len == 4 && (p[0] | 0x20) == 'e'
               && ngx_strncasecmp(p, (u_char *) "exec", 4) == 0)
    {
        if (!r->multi) {
            return ngx_olivine_aof_wrong(r, r->pos,
                                         "EXEC outside of a transaction");
        }

        r->multi = 0;
        r->transactions++;
    }

    r->commands++;
    r->next += pos - r->pos;
    r->pos = pos;

    if (!r->multi) {
        r->valid = r->next;
    }

    return NGX_OK;
}


/* AGAIN, or DECLINED if there is no more. */

static ngx_int_t
ngx_olivine_aof_more(ngx_olivine_aof_reader_t *r, size_t want)
{
    r->args.nelts = 0;

    if (!r->eof) {
        r->want = want;
        return NGX_AGAIN;
    }

    (void) ngx_olivine_aof_wrong(r, r->pos, "the file ends inside of %s",
                                 *r->pos == '#' ? "an annotation"
                                                : "the command that begins "
                                                  "there");

    return NGX_DECLINED;
}


static ngx_int_t
ngx_olivine_aof_grow(ngx_olivine_args_t *args)
{
    ngx_uint_t          nalloc;
    ngx_olivine_arg_t  *elts;

    nalloc = args->nalloc ? 2 * args->nalloc : NGX_OLIVINE_AOF_ARGS;

    elts = realloc(args->elts, nalloc * sizeof(ngx_olivine_arg_t));
    if (elts == NULL) {
        return NGX_ERROR;
    }

    args->elts = elts;
    args->nalloc = nalloc;

    return NGX_OK;
}


/* Returns ABORT. */

static ngx_int_t
ngx_olivine_aof_wrong(ngx_olivine_aof_reader_t *r, u_char *p, const char *fmt,
    ...)
{
    int      n;
    va_list  args;

    va_start(args, fmt);
    n = vsnprintf((char *) r->buf, NGX_OLIVINE_AOF_ERROR, fmt, args);
    va_end(args);

    r->error.data = r->buf;
    r->error.len = ngx_min(n, NGX_OLIVINE_AOF_ERROR - 1);
    r->error_offset = r->next + (p - r->pos);
    r->args.nelts = 0;

    return NGX_ABORT;
}
