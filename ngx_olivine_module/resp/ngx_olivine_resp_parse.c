/*
 * Copyright (C) The Olivine authors
 *
 * The rules are those of Redis 8, also where they are lax: what follows the
 * CR of a header, or a bulk, is skipped unseen, and a count below 1 is a
 * command of nothing.  A line may take 64 KB before it has to end; here that
 * does not depend on how the bytes were split.
 *
 * Headers of plain numbers are read by ngx_olivine_resp_number(); whatever
 * it does not like, incomplete ones too, goes to ngx_olivine_resp_header(),
 * which knows all rules.
 */


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_number.h"
#include "resp/ngx_olivine_resp_parse.h"


#define NGX_OLIVINE_RESP_START   0
#define NGX_OLIVINE_RESP_INLINE  1
#define NGX_OLIVINE_RESP_COUNT   2
#define NGX_OLIVINE_RESP_LENGTH  3
#define NGX_OLIVINE_RESP_BODY    4
#define NGX_OLIVINE_RESP_CRLF    5

/* digits that ngx_olivine_resp_number() reads */
#define NGX_OLIVINE_RESP_DIGITS  9

#define NGX_OLIVINE_ARGS_MIN     16


static ngx_int_t ngx_olivine_resp_count(ngx_olivine_resp_parser_t *parser,
    u_char **pos, u_char *last, const ngx_olivine_resp_limits_t *limits,
    ngx_str_t *err);
static ngx_int_t ngx_olivine_resp_bulks(ngx_olivine_resp_parser_t *parser,
    u_char **pos, u_char *last, ngx_olivine_args_t *args,
    const ngx_olivine_resp_limits_t *limits, ngx_str_t *err);
static ngx_inline ngx_int_t ngx_olivine_resp_length(u_char **pos, u_char *last,
    size_t *len, const ngx_olivine_resp_limits_t *limits, ngx_str_t *err);
static ngx_int_t ngx_olivine_resp_header(u_char **pos, u_char *last,
    size_t max, int64_t *n);

static ngx_int_t ngx_olivine_resp_inline(ngx_olivine_resp_parser_t *parser,
    u_char **pos, u_char *last, ngx_olivine_args_t *args,
    const ngx_olivine_resp_limits_t *limits, ngx_str_t *err);
static ngx_int_t ngx_olivine_resp_split(u_char *p, u_char *last,
    ngx_olivine_args_t *args);
static u_char *ngx_olivine_resp_unquote(u_char *p, u_char *last,
    ngx_olivine_arg_t *arg);
static u_char *ngx_olivine_resp_escape(u_char *p, u_char *last, u_char *c);
static ngx_int_t ngx_olivine_resp_hex(u_char c);

static void ngx_olivine_resp_keep(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args, u_char *start);
static void ngx_olivine_resp_restore(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args, u_char *start);
static ngx_int_t ngx_olivine_resp_abort(ngx_str_t *err, const char *text);

static ngx_int_t ngx_olivine_args_grow(ngx_olivine_args_t *args,
    ngx_uint_t n);


#define ngx_olivine_resp_space(c)                                             \
    ((c) == ' ' || ((c) >= '\t' && (c) <= '\r'))


/* behind a number and CRLF, or NULL if it is no plain and whole one */

static ngx_inline u_char *
ngx_olivine_resp_number(u_char *p, u_char *last, size_t *n)
{
    u_char    *end;
    size_t     u, len;
    unsigned   c;

    len = last - p;

    if (len < 3) {
        return NULL;
    }

    end = p + ngx_min(len - 2, NGX_OLIVINE_RESP_DIGITS);

    u = (unsigned) *p++ - '0';

    if (u > 9) {
        return NULL;
    }

    if (u != 0) {

        while (p < end) {
            c = (unsigned) *p - '0';

            if (c > 9) {
                break;
            }

            u = u * 10 + c;
            p++;
        }
    }

    if (p[0] != CR || p[1] != LF) {
        return NULL;
    }

    *n = u;

    return p + 2;
}


ngx_int_t
ngx_olivine_resp_parse(ngx_olivine_resp_parser_t *parser, u_char **pos,
    u_char *last, ngx_olivine_args_t *args,
    const ngx_olivine_resp_limits_t *limits, ngx_str_t *err)
{
    u_char     *p, *start;
    ngx_int_t   rc;

    start = *pos;
    p = start + parser->offset;

    if (parser->state == NGX_OLIVINE_RESP_START) {

        if (p == last) {
            return NGX_AGAIN;
        }

        parser->argc = 0;
        parser->state = (*p == '*') ? NGX_OLIVINE_RESP_COUNT
                                    : NGX_OLIVINE_RESP_INLINE;
    }

    if (parser->argc == 0) {
        parser->first = args->nelts;
    }

    if (parser->state == NGX_OLIVINE_RESP_INLINE) {
        rc = ngx_olivine_resp_inline(parser, &p, last, args, limits, err);

    } else {
        rc = NGX_OK;

        if (parser->state == NGX_OLIVINE_RESP_COUNT) {
            rc = ngx_olivine_resp_count(parser, &p, last, limits, err);
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_resp_bulks(parser, &p, last, args, limits, err);
        }
    }

    if (ngx_olivine_likely(rc == NGX_OK || rc == NGX_DONE)) {

        if (ngx_olivine_unlikely(parser->kept)) {
            ngx_olivine_resp_restore(parser, args, start);
        }

        parser->offset = 0;
        parser->state = NGX_OLIVINE_RESP_START;
        *pos = p;

        return rc;
    }

    parser->offset = p - start;
    ngx_olivine_resp_keep(parser, args, start);

    return rc;
}


static ngx_int_t
ngx_olivine_resp_count(ngx_olivine_resp_parser_t *parser, u_char **pos,
    u_char *last, const ngx_olivine_resp_limits_t *limits, ngx_str_t *err)
{
    u_char     *p;
    size_t      len;
    int64_t     n;
    ngx_int_t   rc;

    p = ngx_olivine_resp_number(*pos + 1, last, &len);

    if (ngx_olivine_likely(p != NULL)) {
        *pos = p;
        n = (int64_t) len;

    } else {
        rc = ngx_olivine_resp_header(pos, last, limits->max_inline, &n);

        switch (rc) {

        case NGX_OK:
            break;

        case NGX_AGAIN:
            return NGX_AGAIN;

        case NGX_ERROR:
            return ngx_olivine_resp_abort(err,
                              "Protocol error: too big mbulk count string");

        default: /* NGX_DECLINED */
            return ngx_olivine_resp_abort(err,
                                 "Protocol error: invalid multibulk length");
        }
    }

    if (n > limits->max_args || n > (int64_t) NGX_MAX_INT32_VALUE) {
        return ngx_olivine_resp_abort(err,
                                 "Protocol error: invalid multibulk length");
    }

    if (n > NGX_OLIVINE_UNAUTH_ARGS && !limits->authenticated) {
        return ngx_olivine_resp_abort(err,
                         "Protocol error: unauthenticated multibulk length");
    }

    if (n <= 0) {
        return NGX_DONE;
    }

    parser->left = (uint32_t) n;
    parser->state = NGX_OLIVINE_RESP_LENGTH;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_resp_bulks(ngx_olivine_resp_parser_t *parser, u_char **pos,
    u_char *last, ngx_olivine_args_t *args,
    const ngx_olivine_resp_limits_t *limits, ngx_str_t *err)
{
    u_char             *p;
    size_t              len;
    uint32_t            left, state;
    ngx_int_t           rc;
    ngx_olivine_arg_t  *arg;

    p = *pos;
    len = parser->bulk;
    left = parser->left;
    state = parser->state;

    if (state == NGX_OLIVINE_RESP_CRLF) {

        if (last - p < 2) {
            return NGX_AGAIN;
        }

        p += 2;
        state = NGX_OLIVINE_RESP_LENGTH;
    }

    rc = NGX_OK;

    while (left) {

        if (state == NGX_OLIVINE_RESP_LENGTH) {
            rc = ngx_olivine_resp_length(&p, last, &len, limits, err);

            if (ngx_olivine_unlikely(rc != NGX_OK)) {
                break;
            }
        }

        state = NGX_OLIVINE_RESP_BODY;

        if (ngx_olivine_unlikely((size_t) (last - p) < len + 2)) {
            rc = (limits->big && len >= limits->big && limits->authenticated)
                 ? NGX_BUSY : NGX_AGAIN;
            break;
        }

        if (ngx_olivine_unlikely(args->nelts == args->nalloc)
            && ngx_olivine_args_grow(args, 1) != NGX_OK)
        {
            rc = NGX_ERROR;
            break;
        }

        arg = &args->elts[args->nelts++];
        arg->data = p;
        arg->len = len;
        arg->run = NULL;

        p += len + 2;
        left--;
        state = NGX_OLIVINE_RESP_LENGTH;
    }

    *pos = p;

    parser->bulk = (state == NGX_OLIVINE_RESP_BODY) ? len : 0;
    parser->left = left;
    parser->state = state;
    parser->argc = args->nelts - parser->first;

    return rc;
}


static ngx_inline ngx_int_t
ngx_olivine_resp_length(u_char **pos, u_char *last, size_t *len,
    const ngx_olivine_resp_limits_t *limits, ngx_str_t *err)
{
    u_char     *p, type;
    int64_t     n;
    ngx_int_t   rc;

    p = *pos;

    if (ngx_olivine_likely(p < last && *p == '$')) {
        p = ngx_olivine_resp_number(p + 1, last, len);

        if (ngx_olivine_likely(p && *len <= NGX_OLIVINE_UNAUTH_BULK
                               && (int64_t) *len <= limits->max_bulk))
        {
            *pos = p;
            return NGX_OK;
        }
    }

    p = *pos;
    type = (p < last) ? *p : '$';

    rc = ngx_olivine_resp_header(pos, last, limits->max_inline, &n);

    if (rc == NGX_AGAIN) {
        return NGX_AGAIN;
    }

    if (rc == NGX_ERROR) {
        return ngx_olivine_resp_abort(err,
                               "Protocol error: too big bulk count string");
    }

    if (type != '$') {
        (void) ngx_olivine_resp_abort(err,
                                    "Protocol error: expected '$', got ' '");

        if (type != CR && type != LF) {
            err->data[err->len - 2] = type;
        }

        return NGX_ABORT;
    }

    if (rc == NGX_DECLINED || n < 0 || n > limits->max_bulk) {
        return ngx_olivine_resp_abort(err,
                                      "Protocol error: invalid bulk length");
    }

    if (n > NGX_OLIVINE_UNAUTH_BULK && !limits->authenticated) {
        return ngx_olivine_resp_abort(err,
                              "Protocol error: unauthenticated bulk length");
    }

    *len = (size_t) n;

    return NGX_OK;
}


/*
 * The number of a header whose type is at *pos.  OK, AGAIN, DECLINED if it is
 * none, ERROR if the line is too long; *pos is behind the line with OK only.
 */

static ngx_int_t
ngx_olivine_resp_header(u_char **pos, u_char *last, size_t max, int64_t *n)
{
    u_char  *p, *cr;
    size_t   len;

    p = *pos;
    len = last - p;

    if (len == 0) {
        return NGX_AGAIN;
    }

    cr = memchr(p, CR, ngx_min(len, max + 1));

    if (cr == NULL) {
        return (len > max) ? NGX_ERROR : NGX_AGAIN;
    }

    if (last - cr < 2) {
        return NGX_AGAIN;
    }

    if (cr == p || ngx_olivine_number_parse(p + 1, cr, n) != NGX_OK) {
        return NGX_DECLINED;
    }

    *pos = cr + 2;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_resp_inline(ngx_olivine_resp_parser_t *parser, u_char **pos,
    u_char *last, ngx_olivine_args_t *args,
    const ngx_olivine_resp_limits_t *limits, ngx_str_t *err)
{
    u_char     *p, *start, *lf;
    size_t      len;
    ngx_int_t   rc;

    p = *pos;
    start = p - parser->offset;

    lf = memchr(p, LF, last - p);
    len = (lf ? lf : last) - start;

    if (len > limits->max_inline) {
        return ngx_olivine_resp_abort(err,
                                    "Protocol error: too big inline request");
    }

    if (lf == NULL) {
        *pos = last;
        return NGX_AGAIN;
    }

    rc = ngx_olivine_resp_split(start, lf, args);

    if (rc == NGX_ERROR) {
        args->nelts = parser->first;
        return NGX_ERROR;
    }

    if (rc == NGX_ABORT) {
        args->nelts = parser->first;
        return ngx_olivine_resp_abort(err,
                              "Protocol error: unbalanced quotes in request");
    }

    parser->argc = args->nelts - parser->first;
    *pos = lf + 1;

    return parser->argc ? NGX_OK : NGX_DONE;
}


/* OK, ABORT or ERROR */

static ngx_int_t
ngx_olivine_resp_split(u_char *p, u_char *last, ngx_olivine_args_t *args)
{
    if (last > p && last[-1] == CR) {
        last--;
    }

    for ( ;; ) {

        while (p < last && ngx_olivine_resp_space(*p)) {
            p++;
        }

        if (p == last) {
            return NGX_OK;
        }

        if (args->nelts == args->nalloc
            && ngx_olivine_args_grow(args, 1) != NGX_OK)
        {
            return NGX_ERROR;
        }

        p = ngx_olivine_resp_unquote(p, last, &args->elts[args->nelts]);

        if (p == NULL) {
            return NGX_ABORT;
        }

        args->nelts++;
    }
}


/*
 * One word, quoted or not; what is left of it without quotes and escapes is
 * moved to its beginning.  Returns the end of what it took, or NULL.
 */

static u_char *
ngx_olivine_resp_unquote(u_char *p, u_char *last, ngx_olivine_arg_t *arg)
{
    u_char  *to, c, quote;

    to = p;
    quote = 0;

    arg->data = p;
    arg->run = NULL;

    while (p < last) {
        c = *p++;

        if (quote == 0) {

            if (c == ' ' || c == '\t' || c == CR || c == LF) {
                break;
            }

            if (c == '"' || c == '\'') {
                quote = c;
                continue;
            }

        } else if (c == quote) {

            if (p < last && !ngx_olivine_resp_space(*p)) {
                return NULL;
            }

            quote = 0;
            break;

        } else if (c == '\\' && quote == '"') {
            p = ngx_olivine_resp_escape(p, last, &c);

        } else if (c == '\\' && p < last && *p == '\'') {
            c = *p++;
        }

        *to++ = c;
    }

    if (quote) {
        return NULL;
    }

    arg->len = to - arg->data;

    return p;
}


/* behind what follows a backslash between double quotes */

static u_char *
ngx_olivine_resp_escape(u_char *p, u_char *last, u_char *c)
{
    if (p == last) {
        return p;
    }

    if (*p == 'x' && last - p >= 3 && ngx_olivine_resp_hex(p[1]) >= 0
        && ngx_olivine_resp_hex(p[2]) >= 0)
    {
        *c = (u_char) (ngx_olivine_resp_hex(p[1]) * 16
                       + ngx_olivine_resp_hex(p[2]));
        return p + 3;
    }

    switch (*p) {

    case 'n':
        *c = '\n';
        break;

    case 'r':
        *c = '\r';
        break;

    case 't':
        *c = '\t';
        break;

    case 'b':
        *c = '\b';
        break;

    case 'a':
        *c = '\a';
        break;

    default:
        *c = *p;
        break;
    }

    return p + 1;
}


static ngx_int_t
ngx_olivine_resp_hex(u_char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }

    c = ngx_tolower(c);

    return (c >= 'a' && c <= 'f') ? c - 'a' + 10 : -1;
}


ngx_int_t
ngx_olivine_resp_bulk_done(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args, u_char *data, void *run)
{
    ngx_olivine_arg_t  *arg;

    if (args->nelts == args->nalloc
        && ngx_olivine_args_grow(args, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (parser->argc == 0) {
        parser->first = args->nelts;
    }

    arg = &args->elts[args->nelts++];
    arg->data = data;
    arg->len = parser->bulk;
    arg->run = run;

    parser->argc++;
    parser->kept = parser->argc;
    parser->bulk = 0;
    parser->left--;
    parser->state = NGX_OLIVINE_RESP_CRLF;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_resp_park(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *from, ngx_olivine_args_t *to)
{
    ngx_uint_t          n;
    ngx_olivine_args_t  swap;

    if (parser->state == NGX_OLIVINE_RESP_START || parser->argc == 0) {
        return NGX_OK;
    }

    n = parser->argc;

    if (parser->first == 0) {
        swap = *to;
        *to = *from;
        *from = swap;
        return NGX_OK;
    }

    if (ngx_olivine_args_grow(to, n) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memcpy(to->elts, from->elts + parser->first,
               n * sizeof(ngx_olivine_arg_t));

    to->nelts = n;
    from->nelts = parser->first;
    parser->first = 0;

    return NGX_OK;
}


void
ngx_olivine_resp_reset(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args)
{
    if (parser->state != NGX_OLIVINE_RESP_START && parser->argc) {
        args->nelts = parser->first;
    }

    ngx_olivine_resp_parser_init(parser);
}


/* the buffer may move before the next call */

static void
ngx_olivine_resp_keep(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args, u_char *start)
{
    uint32_t            i;
    ngx_olivine_arg_t  *arg;

    if (parser->kept == parser->argc) {
        return;
    }

    arg = args->elts + parser->first;

    for (i = parser->kept; i < parser->argc; i++) {
        arg[i].data = (u_char *) (uintptr_t) (arg[i].data - start);
    }

    parser->kept = parser->argc;
}


static void
ngx_olivine_resp_restore(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args, u_char *start)
{
    uint32_t            i;
    ngx_olivine_arg_t  *arg;

    arg = args->elts + parser->first;

    for (i = 0; i < parser->kept; i++) {
        if (arg[i].run == NULL) {
            arg[i].data = start + (uintptr_t) arg[i].data;
        }
    }

    parser->kept = 0;
}


static ngx_int_t
ngx_olivine_resp_abort(ngx_str_t *err, const char *text)
{
    err->len = ngx_strlen(text);
    ngx_memcpy(err->data, text, err->len);

    return NGX_ABORT;
}


/* room for n more */

static ngx_int_t
ngx_olivine_args_grow(ngx_olivine_args_t *args, ngx_uint_t n)
{
    ngx_uint_t          nalloc;
    ngx_olivine_arg_t  *elts;

    if (args->nalloc - args->nelts >= n) {
        return NGX_OK;
    }

    nalloc = ngx_max(2 * args->nalloc, args->nelts + n);
    nalloc = ngx_max(nalloc, NGX_OLIVINE_ARGS_MIN);

    elts = realloc(args->elts, nalloc * sizeof(ngx_olivine_arg_t));

    if (elts == NULL) {
        return NGX_ERROR;
    }

    args->elts = elts;
    args->nalloc = nalloc;

    return NGX_OK;
}


void
ngx_olivine_args_free(ngx_olivine_args_t *args)
{
    ngx_free(args->elts);
    ngx_memzero(args, sizeof(ngx_olivine_args_t));
}
