
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd.h"


static ngx_int_t ngx_olivine_cmd_string_add(ngx_olivine_cx_t *cx, int64_t n);


ngx_int_t
ngx_olivine_cmd_get(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL) {
        return ngx_olivine_reply_null(cx->reply);
    }

    return ngx_olivine_cx_reply_string(cx, &value);
}


/* a key of another type counts as absent */

ngx_int_t
ngx_olivine_cmd_mget(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_uint_t           i;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_reply_array(cx->reply, cx->nkeys);

    for (i = 0; rc == NGX_OK && i < cx->nkeys; i++) {

        rc = ngx_olivine_cx_find(cx, i, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        if (ref.entry == NULL
            || ngx_olivine_entry_type(ref.entry) != NGX_OLIVINE_TYPE_STRING)
        {
            rc = ngx_olivine_reply_null(cx->reply);
            continue;
        }

        ngx_olivine_entry_value(cx->zone, ref.entry, &value);

        rc = ngx_olivine_cx_reply_string(cx, &value);
    }

    return rc;
}


ngx_int_t
ngx_olivine_cmd_mset(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_uint_t         i;
    ngx_olivine_ref_t  ref;

    if ((cx->argc & 1) == 0) {
        return ngx_olivine_cx_error(cx, "ERR wrong number of arguments for "
                                    "'%V' command", &cx->command->name);
    }

    for (i = 0; i < cx->nkeys; i++) {

        rc = ngx_olivine_cx_find(cx, i, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_olivine_cx_set_arg(cx, &ref, cx->keys[i].arg + 1,
                                    NGX_OLIVINE_EXPIRE_NONE);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_getdel(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL) {
        return ngx_olivine_reply_null(cx->reply);
    }

    rc = ngx_olivine_cx_reply_string(cx, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cmd_effect_del(cx, &ref.key);

    return ngx_olivine_cx_delete(cx, &ref);
}


ngx_int_t
ngx_olivine_cmd_append(ngx_olivine_cx_t *cx)
{
    size_t               len;
    int64_t              max;
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
        len += ngx_olivine_string_len(&value);
        max = ngx_min(cx->zone->params.proto_max_bulk_len,
                      NGX_OLIVINE_MAX_STRING);

        if (len > (size_t) max) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_STRING_TOO_LONG);
        }

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
