
/*
 * Copyright (C) The Olivine authors
 *
 * Strings of several keys at once: the dispatcher has all their shards locked.
 */


#include "command/ngx_olivine_cmd_string.h"


/* what MSETEX has of SET's options */
#define NGX_OLIVINE_MSETEX                                                    \
    (NGX_OLIVINE_SET_NX|NGX_OLIVINE_SET_XX                                    \
     |(NGX_OLIVINE_SET_TTL & ~NGX_OLIVINE_SET_PERSIST))


static ngx_int_t ngx_olivine_mset_count(ngx_olivine_cx_t *cx, ngx_uint_t *n);
static ngx_int_t ngx_olivine_mset_store(ngx_olivine_cx_t *cx, int64_t at);


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


/* All or nothing. */

ngx_int_t
ngx_olivine_cmd_msetnx(ngx_olivine_cx_t *cx)
{
    ngx_int_t   rc;
    ngx_uint_t  n;

    if ((cx->argc & 1) == 0) {
        return ngx_olivine_cx_error(cx, "ERR wrong number of arguments for "
                                    "'%V' command", &cx->command->name);
    }

    rc = ngx_olivine_mset_count(cx, &n);
    if (rc != NGX_OK) {
        return rc;
    }

    if (n) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    rc = ngx_olivine_mset_store(cx, NGX_OLIVINE_EXPIRE_NONE);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_one(cx->reply);
}


/*
 * Of Redis 8.4; errors are in Valkey's words.  Without a number of keys that
 * fits there are none for the dispatcher, and no lock is held.
 */

ngx_int_t
ngx_olivine_cmd_msetex(ngx_olivine_cx_t *cx)
{
    int64_t                    at, keys;
    ngx_int_t                  rc;
    ngx_uint_t                 n;
    ngx_olivine_set_options_t  opts;

    if (ngx_olivine_number_parse(cx->argv[1].data,
                                 cx->argv[1].data + cx->argv[1].len, &keys)
        != NGX_OK || keys < 1 || keys > INT32_MAX)
    {
        return ngx_olivine_cx_error(cx, "ERR invalid numkeys value or "
                                    "out of range");
    }

    if (cx->nkeys != (ngx_uint_t) keys) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    if (ngx_olivine_set_options(cx, 2 + 2 * keys, NGX_OLIVINE_MSETEX, &opts)
        != NGX_OK
        || ngx_olivine_set_expiry(cx, &opts, &at) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (opts.flags & NGX_OLIVINE_SET_WHEN) {
        rc = ngx_olivine_mset_count(cx, &n);
        if (rc != NGX_OK) {
            return rc;
        }

        if (n != ((opts.flags & NGX_OLIVINE_SET_XX) ? cx->nkeys : 0)) {
            return ngx_olivine_reply_zero(cx->reply);
        }
    }

    rc = ngx_olivine_mset_store(cx, at);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_one(cx->reply);
}


/* How many of the keys there are. */

static ngx_int_t
ngx_olivine_mset_count(ngx_olivine_cx_t *cx, ngx_uint_t *n)
{
    ngx_int_t          rc;
    ngx_uint_t         i;
    ngx_olivine_ref_t  ref;

    *n = 0;

    for (i = 0; i < cx->nkeys; i++) {

        rc = ngx_olivine_cx_find(cx, i, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        *n += (ref.entry != NULL);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_mset_store(ngx_olivine_cx_t *cx, int64_t at)
{
    ngx_int_t          rc;
    ngx_uint_t         i;
    ngx_olivine_ref_t  ref;

    for (i = 0; i < cx->nkeys; i++) {

        rc = ngx_olivine_cx_find(cx, i, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_olivine_set_store(cx, &ref, cx->keys[i].arg + 1, at);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}
