
/*
 * Copyright (C) The Olivine authors
 *
 * Lengths and parts of strings.
 */


#include "command/ngx_olivine_cmd_string.h"


static ngx_uint_t ngx_olivine_cmd_string_fits(ngx_olivine_cx_t *cx, size_t len,
    size_t more);


ngx_int_t
ngx_olivine_cmd_append(ngx_olivine_cx_t *cx)
{
    size_t               len;
    ngx_int_t            rc;
    ngx_str_t            text;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    text = ngx_olivine_cx_arg(cx, 2);
    len = text.len;

    if (ref.entry == NULL) {
        rc = ngx_olivine_cx_set_arg(cx, &ref, 2, NGX_OLIVINE_EXPIRE_NONE);

    } else {
        len = ngx_olivine_string_len(&value);

        if (!ngx_olivine_cmd_string_fits(cx, len, text.len)) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_STRING_TOO_LONG);
        }

        len += text.len;
        rc = ngx_olivine_store_append_locked(cx->tx, &ref, &text, cx->clock);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_integer(cx->reply, len);
}


ngx_int_t
ngx_olivine_cmd_strlen(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    return ngx_olivine_reply_integer(cx->reply,
                                     ngx_olivine_string_len(&value));
}


/* From and to may be counted from the end. */

ngx_int_t
ngx_olivine_cmd_getrange(ngx_olivine_cx_t *cx)
{
    u_char               number[NGX_OLIVINE_I64_LEN];
    int64_t              from, to, len;
    ngx_int_t            rc;
    ngx_str_t            text;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    if (ngx_olivine_cx_integer(cx, 2, &from) != NGX_OK
        || ngx_olivine_cx_integer(cx, 3, &to) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL || (from < 0 && to < 0 && from > to)) {
        return ngx_olivine_reply_bulk(cx->reply, (u_char *) "", 0);
    }

    ngx_olivine_string_text(&value, number, &text);
    len = text.len;

    if (from < 0) {
        from = ngx_max(from + len, 0);
    }

    if (to < 0) {
        to = ngx_max(to + len, 0);
    }

    to = ngx_min(to, len - 1);

    if (from > to) {
        return ngx_olivine_reply_bulk(cx->reply, (u_char *) "", 0);
    }

    if (value.encoding == NGX_OLIVINE_ENC_INT) {
        return ngx_olivine_reply_bulk(cx->reply, text.data + from,
                                      to - from + 1);
    }

    return ngx_olivine_cx_reply_part(cx, &value, from, to - from + 1);
}


ngx_int_t
ngx_olivine_cmd_setrange(ngx_olivine_cx_t *cx)
{
    size_t               len;
    int64_t              offset;
    ngx_int_t            rc;
    ngx_str_t            text;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    if (ngx_olivine_cx_integer(cx, 2, &offset) != NGX_OK) {
        return NGX_ERROR;
    }

    if (offset < 0) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_OFFSET_RANGE);
    }

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    text = ngx_olivine_cx_arg(cx, 3);
    len = ref.entry ? ngx_olivine_string_len(&value) : 0;

    if (text.len == 0) {
        return ngx_olivine_reply_integer(cx->reply, len);
    }

    if (!ngx_olivine_cmd_string_fits(cx, offset, text.len)) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_STRING_TOO_LONG);
    }

    rc = ngx_olivine_store_write_locked(cx->tx, &ref, offset, &text,
                                        cx->clock);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_integer(cx->reply,
                                     ngx_max(len, offset + text.len));
}


/* Whether a string of both lengths may be. */

static ngx_uint_t
ngx_olivine_cmd_string_fits(ngx_olivine_cx_t *cx, size_t len, size_t more)
{
    int64_t  max;

    max = ngx_min(cx->zone->params.proto_max_bulk_len, NGX_OLIVINE_MAX_STRING);

    return len <= (size_t) max && more <= (size_t) max - len;
}
