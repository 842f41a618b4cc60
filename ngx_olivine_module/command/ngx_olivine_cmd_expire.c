
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd.h"


#define NGX_OLIVINE_EXPIRE_NX  0x01
#define NGX_OLIVINE_EXPIRE_XX  0x02
#define NGX_OLIVINE_EXPIRE_GT  0x04
#define NGX_OLIVINE_EXPIRE_LT  0x08


static ngx_int_t ngx_olivine_cmd_expire_to(ngx_olivine_cx_t *cx,
    int64_t unit, int64_t base);
static ngx_int_t ngx_olivine_expire_options(ngx_olivine_cx_t *cx,
    ngx_uint_t *flags);
static ngx_int_t ngx_olivine_expire_time(ngx_olivine_cx_t *cx, int64_t unit,
    int64_t base, int64_t *at);
static ngx_uint_t ngx_olivine_expire_may(ngx_uint_t flags, int64_t old,
    int64_t at);
static ngx_int_t ngx_olivine_cmd_expiry(ngx_olivine_cx_t *cx, int64_t unit,
    ngx_uint_t left);


ngx_int_t
ngx_olivine_cmd_expire(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expire_to(cx, 1000, cx->now);
}


ngx_int_t
ngx_olivine_cmd_pexpire(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expire_to(cx, 1, cx->now);
}


ngx_int_t
ngx_olivine_cmd_expireat(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expire_to(cx, 1000, 0);
}


ngx_int_t
ngx_olivine_cmd_pexpireat(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expire_to(cx, 1, 0);
}


static ngx_int_t
ngx_olivine_cmd_expire_to(ngx_olivine_cx_t *cx, int64_t unit, int64_t base)
{
    int64_t            at;
    ngx_int_t          rc;
    ngx_uint_t         flags;
    ngx_olivine_ref_t  ref;

    at = 0;

    if (ngx_olivine_expire_options(cx, &flags) != NGX_OK
        || ngx_olivine_expire_time(cx, unit, base, &at) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL
        || !ngx_olivine_expire_may(flags, ngx_olivine_entry_expire(ref.entry),
                                   at))
    {
        return ngx_olivine_reply_zero(cx->reply);
    }

    if (at <= cx->now) {
        ngx_olivine_cmd_effect_del(cx, &ref.key);
        rc = ngx_olivine_cx_delete(cx, &ref);

    } else {
        ngx_olivine_cmd_effect_expire(cx, &ref.key, at);
        rc = ngx_olivine_store_expire_locked(cx->tx, &ref, at);
    }

    return rc == NGX_OK ? ngx_olivine_reply_one(cx->reply) : rc;
}


static ngx_int_t
ngx_olivine_expire_options(ngx_olivine_cx_t *cx, ngx_uint_t *flags)
{
    ngx_str_t   word;
    ngx_uint_t  i;

    *flags = 0;

    for (i = 3; i < cx->argc; i++) {

        if (ngx_olivine_cx_is(cx, i, "nx")) {
            *flags |= NGX_OLIVINE_EXPIRE_NX;

        } else if (ngx_olivine_cx_is(cx, i, "xx")) {
            *flags |= NGX_OLIVINE_EXPIRE_XX;

        } else if (ngx_olivine_cx_is(cx, i, "gt")) {
            *flags |= NGX_OLIVINE_EXPIRE_GT;

        } else if (ngx_olivine_cx_is(cx, i, "lt")) {
            *flags |= NGX_OLIVINE_EXPIRE_LT;

        } else {
            word = ngx_olivine_cx_word(cx, i);
            return ngx_olivine_cx_error(cx, "ERR Unsupported option %V",
                                        &word);
        }
    }

    if ((*flags & NGX_OLIVINE_EXPIRE_NX) && *flags != NGX_OLIVINE_EXPIRE_NX) {
        return ngx_olivine_cx_error(cx, "ERR NX and XX, GT or LT options at "
                                    "the same time are not compatible");
    }

    if ((*flags & NGX_OLIVINE_EXPIRE_GT) && (*flags & NGX_OLIVINE_EXPIRE_LT)) {
        return ngx_olivine_cx_error(cx, "ERR GT and LT options at the same "
                                    "time are not compatible");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_expire_time(ngx_olivine_cx_t *cx, int64_t unit, int64_t base,
    int64_t *at)
{
    int64_t  n;

    if (ngx_olivine_cx_integer(cx, 2, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    if (n > INT64_MAX / unit || n < INT64_MIN / unit) {
        goto invalid;
    }

    n *= unit;

    if (n > INT64_MAX - base) {
        goto invalid;
    }

    *at = n + base;

    return NGX_OK;

invalid:

    return ngx_olivine_cx_error(cx, "ERR invalid expire time in '%V' command",
                                &cx->command->name);
}


/* a key that does not expire has an expiry without end; old: 0 */

static ngx_uint_t
ngx_olivine_expire_may(ngx_uint_t flags, int64_t old, int64_t at)
{
    if ((flags & NGX_OLIVINE_EXPIRE_NX) && old) {
        return 0;
    }

    if ((flags & NGX_OLIVINE_EXPIRE_XX) && old == 0) {
        return 0;
    }

    if ((flags & NGX_OLIVINE_EXPIRE_GT) && (old == 0 || at <= old)) {
        return 0;
    }

    if ((flags & NGX_OLIVINE_EXPIRE_LT) && old && at >= old) {
        return 0;
    }

    return 1;
}


ngx_int_t
ngx_olivine_cmd_ttl(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expiry(cx, 1000, 1);
}


ngx_int_t
ngx_olivine_cmd_pttl(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expiry(cx, 1, 1);
}


ngx_int_t
ngx_olivine_cmd_expiretime(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expiry(cx, 1000, 0);
}


ngx_int_t
ngx_olivine_cmd_pexpiretime(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_expiry(cx, 1, 0);
}


/* seconds are rounded, as in Redis; left: the time to go is wanted */

static ngx_int_t
ngx_olivine_cmd_expiry(ngx_olivine_cx_t *cx, int64_t unit, ngx_uint_t left)
{
    uint64_t           ms;
    ngx_int_t          rc;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL) {
        return ngx_olivine_reply_integer(cx->reply, -2);
    }

    ms = ngx_olivine_entry_expire(ref.entry);

    if (ms == 0) {
        return ngx_olivine_reply_integer(cx->reply, -1);
    }

    if (left) {
        ms -= cx->now;
    }

    return ngx_olivine_reply_integer(cx->reply, (ms + unit / 2) / unit);
}


ngx_int_t
ngx_olivine_cmd_persist(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL || ngx_olivine_entry_expire(ref.entry) == 0) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    rc = ngx_olivine_store_expire_locked(cx->tx, &ref,
                                         NGX_OLIVINE_EXPIRE_NONE);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_one(cx->reply);
}
