
/*
 * Copyright (C) The Olivine authors
 *
 * Strings that are numbers.
 */


#include "command/ngx_olivine_cmd_string.h"

#include <math.h>


static ngx_int_t ngx_olivine_cmd_string_add(ngx_olivine_cx_t *cx, int64_t n);


ngx_int_t
ngx_olivine_cmd_incr(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_string_add(cx, 1);
}


ngx_int_t
ngx_olivine_cmd_decr(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_string_add(cx, -1);
}


ngx_int_t
ngx_olivine_cmd_incrby(ngx_olivine_cx_t *cx)
{
    int64_t  n;

    if (ngx_olivine_cx_integer(cx, 2, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_cmd_string_add(cx, n);
}


ngx_int_t
ngx_olivine_cmd_decrby(ngx_olivine_cx_t *cx)
{
    int64_t  n;

    if (ngx_olivine_cx_integer(cx, 2, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    if (n == INT64_MIN) {
        return ngx_olivine_cx_error(cx, "ERR decrement would overflow");
    }

    return ngx_olivine_cmd_string_add(cx, -n);
}


static ngx_int_t
ngx_olivine_cmd_string_add(ngx_olivine_cx_t *cx, int64_t n)
{
    int64_t              old;
    ngx_int_t            rc;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    old = 0;

    if (ref.entry && ngx_olivine_string_number(&value, &old) != NGX_OK) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOT_INTEGER);
    }

    if (n < 0 ? old < INT64_MIN - n : old > INT64_MAX - n) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_OVERFLOW);
    }

    ngx_olivine_string_set_number(&value, old + n);

    rc = ngx_olivine_cx_set(cx, &ref, &value,
                            ref.entry ? NGX_OLIVINE_EXPIRE_KEEP
                                      : NGX_OLIVINE_EXPIRE_NONE);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_integer(cx->reply, old + n);
}


/*
 * What is added is rounded, so the log has the sum.  Nobody is to find an
 * integer in it: Redis gives it the encoding of text.
 */

ngx_int_t
ngx_olivine_cmd_incrbyfloat(ngx_olivine_cx_t *cx)
{
    u_char               text[NGX_OLIVINE_LONG_LEN];
    ngx_int_t            rc;
    ngx_str_t            sum, set = ngx_string("SET"),
                         keepttl = ngx_string("KEEPTTL");
    long double          n, more;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    n = 0;

    if (ref.entry) {
        rc = ngx_olivine_string_long(&value, &n);
    }

    if (rc != NGX_OK
        || ngx_olivine_number_parse_long(cx->argv[2].data,
                                         cx->argv[2].data + cx->argv[2].len,
                                         &more)
           != NGX_OK)
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOT_FLOAT);
    }

    n += more;

    if (isnan(n) || isinf(n)) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NAN_OR_INF);
    }

    sum.data = text;
    sum.len = ngx_olivine_number_print_long(text, n) - text;

    ngx_olivine_string_set_text(&value, sum.data, sum.len);

    rc = ngx_olivine_cx_set(cx, &ref, &value,
                            ref.entry ? NGX_OLIVINE_EXPIRE_KEEP
                                      : NGX_OLIVINE_EXPIRE_NONE);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect(cx, 4, &set, &ref.key, &sum, &keepttl);

    return ngx_olivine_reply_bulk(cx->reply, sum.data, sum.len);
}
