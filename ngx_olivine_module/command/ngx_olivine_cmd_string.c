
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd_string.h"


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
ngx_olivine_cmd_delex(ngx_olivine_cx_t *cx)
{
    ngx_int_t                  rc;
    ngx_olivine_ref_t          ref;
    ngx_olivine_value_t        value;
    ngx_olivine_set_options_t  opts;

    if (cx->argc != 2 && cx->argc != 4) {
        return ngx_olivine_cx_error(cx, "ERR wrong number of arguments for "
                                    "'%V' command", &cx->command->name);
    }

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    if (cx->argc == 4) {

        if (ngx_olivine_entry_type(ref.entry) != NGX_OLIVINE_TYPE_STRING) {
            return ngx_olivine_cx_error(cx, "ERR Key should be of string type "
                                        "if conditions are specified");
        }

        opts.flags = ngx_olivine_set_word(cx, 2, NGX_OLIVINE_SET_IF);
        opts.match = 3;

        if (opts.flags == 0) {
            return ngx_olivine_cx_error(cx, "ERR Invalid condition. Use IFEQ, "
                                        "IFNE, IFDEQ, or IFDNE");
        }

        ngx_olivine_entry_value(cx->zone, ref.entry, &value);

        rc = ngx_olivine_set_compare(cx, &opts, &value);

        if (rc == NGX_DECLINED) {
            return ngx_olivine_reply_zero(cx->reply);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_olivine_cmd_effect_del(cx, &ref.key);

    rc = ngx_olivine_cx_delete(cx, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_one(cx->reply);
}


/* Valkey's: DELEX with IFEQ */

ngx_int_t
ngx_olivine_cmd_delifeq(ngx_olivine_cx_t *cx)
{
    ngx_int_t                  rc;
    ngx_olivine_ref_t          ref;
    ngx_olivine_value_t        value;
    ngx_olivine_set_options_t  opts;

    opts.flags = NGX_OLIVINE_SET_IFEQ;
    opts.match = 2;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL
        || ngx_olivine_set_compare(cx, &opts, &value) != NGX_OK)
    {
        return ngx_olivine_reply_zero(cx->reply);
    }

    ngx_olivine_cmd_effect_del(cx, &ref.key);

    rc = ngx_olivine_cx_delete(cx, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_one(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_digest(ngx_olivine_cx_t *cx)
{
    u_char               digest[NGX_OLIVINE_SET_DIGEST];
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

    ngx_olivine_set_digest(&value, digest);

    return ngx_olivine_reply_bulk(cx->reply, digest, NGX_OLIVINE_SET_DIGEST);
}
