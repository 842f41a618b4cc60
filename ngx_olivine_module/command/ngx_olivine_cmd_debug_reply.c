
/*
 * Copyright (C) The Olivine authors
 *
 * DEBUG PROTOCOL, ERROR and LOG.
 */


#include "command/ngx_olivine_cmd_debug.h"


/* the longest message that goes to the log */
#define NGX_OLIVINE_DEBUG_LOG  1024

#define NGX_OLIVINE_DEBUG_BIGNUM  "1234567999999999999999999999999999999"


typedef struct {
    const char     *word;
    ngx_int_t     (*reply)(ngx_olivine_reply_t *r);
} ngx_olivine_debug_kind_t;


static ngx_int_t ngx_olivine_debug_string(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_integer(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_double(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_bignum(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_null(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_array(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_set(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_map(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_attrib(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_push(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_verbatim(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_true(ngx_olivine_reply_t *r);
static ngx_int_t ngx_olivine_debug_false(ngx_olivine_reply_t *r);
static void ngx_olivine_debug_numbers(ngx_olivine_reply_t *r);


static const ngx_olivine_debug_kind_t  ngx_olivine_debug_kinds[] = {
    { "string",   ngx_olivine_debug_string },
    { "integer",  ngx_olivine_debug_integer },
    { "double",   ngx_olivine_debug_double },
    { "bignum",   ngx_olivine_debug_bignum },
    { "null",     ngx_olivine_debug_null },
    { "array",    ngx_olivine_debug_array },
    { "set",      ngx_olivine_debug_set },
    { "map",      ngx_olivine_debug_map },
    { "attrib",   ngx_olivine_debug_attrib },
    { "push",     ngx_olivine_debug_push },
    { "verbatim", ngx_olivine_debug_verbatim },
    { "true",     ngx_olivine_debug_true },
    { "false",    ngx_olivine_debug_false },
    { NULL, NULL }
};


ngx_int_t
ngx_olivine_debug_protocol(ngx_olivine_cx_t *cx)
{
    const ngx_olivine_debug_kind_t  *kind;

    for (kind = ngx_olivine_debug_kinds; kind->word; kind++) {
        if (ngx_olivine_cx_is(cx, 2, kind->word)) {
            return kind->reply(cx->reply);
        }
    }

    return ngx_olivine_cx_error(cx, "ERR Wrong protocol type name. Please "
                                "use one of the following: string|integer|"
                                "double|bignum|null|array|set|map|attrib|"
                                "push|verbatim|true|false");
}


/* the argument is the error, whatever it begins with */

ngx_int_t
ngx_olivine_debug_error(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_error_text(cx->reply, cx->argv[2].data,
                                        cx->argv[2].len);
}


ngx_int_t
ngx_olivine_debug_log(ngx_olivine_cx_t *cx)
{
    u_char  text[NGX_OLIVINE_DEBUG_LOG];
    size_t  i, len;

    len = ngx_min(cx->argv[2].len, NGX_OLIVINE_DEBUG_LOG);

    /* one line of the log, whatever is in it */

    for (i = 0; i < len; i++) {
        text[i] = cx->argv[2].data[i];

        if (text[i] < ' ' || text[i] == 0x7f) {
            text[i] = '.';
        }
    }

    ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, 0, "DEBUG LOG: %*s", len,
                  text);

    return ngx_olivine_reply_ok(cx->reply);
}


static ngx_int_t
ngx_olivine_debug_string(ngx_olivine_reply_t *r)
{
    return ngx_olivine_reply_literal(r, "$11\r\nHello World\r\n");
}


static ngx_int_t
ngx_olivine_debug_integer(ngx_olivine_reply_t *r)
{
    return ngx_olivine_reply_integer(r, 12345);
}


static ngx_int_t
ngx_olivine_debug_double(ngx_olivine_reply_t *r)
{
    return ngx_olivine_reply_double(r, 3.141);
}


static ngx_int_t
ngx_olivine_debug_bignum(ngx_olivine_reply_t *r)
{
    if (r->resp3) {
        return ngx_olivine_reply_literal(r, "(" NGX_OLIVINE_DEBUG_BIGNUM
                                            "\r\n");
    }

    return ngx_olivine_reply_bulk(r, (u_char *) NGX_OLIVINE_DEBUG_BIGNUM,
                                  sizeof(NGX_OLIVINE_DEBUG_BIGNUM) - 1);
}


static ngx_int_t
ngx_olivine_debug_null(ngx_olivine_reply_t *r)
{
    return ngx_olivine_reply_null(r);
}


static ngx_int_t
ngx_olivine_debug_array(ngx_olivine_reply_t *r)
{
    (void) ngx_olivine_reply_array(r, 3);
    ngx_olivine_debug_numbers(r);

    return r->failed ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_olivine_debug_set(ngx_olivine_reply_t *r)
{
    (void) ngx_olivine_reply_set(r, 3);
    ngx_olivine_debug_numbers(r);

    return r->failed ? NGX_ERROR : NGX_OK;
}


static void
ngx_olivine_debug_numbers(ngx_olivine_reply_t *r)
{
    ngx_uint_t  i;

    for (i = 0; i < 3; i++) {
        (void) ngx_olivine_reply_integer(r, i);
    }
}


static ngx_int_t
ngx_olivine_debug_map(ngx_olivine_reply_t *r)
{
    ngx_uint_t  i;

    (void) ngx_olivine_reply_map(r, 3);

    for (i = 0; i < 3; i++) {
        (void) ngx_olivine_reply_integer(r, i);
        (void) ngx_olivine_reply_bool(r, i == 1);
    }

    return r->failed ? NGX_ERROR : NGX_OK;
}


/* attributes and what is pushed are of RESP3 alone */

static ngx_int_t
ngx_olivine_debug_attrib(ngx_olivine_reply_t *r)
{
    if (r->resp3) {
        (void) ngx_olivine_reply_literal(r, "|1\r\n"
                                            "$14\r\nkey-popularity\r\n"
                                            "*2\r\n$7\r\nkey:123\r\n:90\r\n");
    }

    return ngx_olivine_reply_literal(r, "$39\r\nSome real reply following "
                                        "the attribute\r\n");
}


static ngx_int_t
ngx_olivine_debug_push(ngx_olivine_reply_t *r)
{
    if (!r->resp3) {
        return ngx_olivine_reply_error_format(r, "ERR RESP2 is not supported "
                                              "by this command");
    }

    (void) ngx_olivine_reply_literal(r, "$40\r\nSome real reply following "
                                        "the push reply\r\n");
    (void) ngx_olivine_reply_push(r, 2);
    (void) ngx_olivine_reply_literal(r, "$16\r\nserver-cpu-usage\r\n");

    return ngx_olivine_reply_integer(r, 42);
}


static ngx_int_t
ngx_olivine_debug_verbatim(ngx_olivine_reply_t *r)
{
    static const u_char  text[] = "This is a verbatim\nstring";

    return ngx_olivine_reply_verbatim(r, "txt", text, sizeof(text) - 1);
}


static ngx_int_t
ngx_olivine_debug_true(ngx_olivine_reply_t *r)
{
    return ngx_olivine_reply_bool(r, 1);
}


static ngx_int_t
ngx_olivine_debug_false(ngx_olivine_reply_t *r)
{
    return ngx_olivine_reply_bool(r, 0);
}
