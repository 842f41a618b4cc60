
/*
 * Copyright (C) The Olivine authors
 *
 * SET, its older relatives, and GETEX: their options, and what they leave in
 * the log.
 *
 * The options are those of Redis 8.4.  An expiry that is past when it is set
 * removes the key at once.
 */


#include "command/ngx_olivine_cmd_string.h"
#include "base/ngx_olivine_xxh3.h"


/* what GETEX has of them */
#define NGX_OLIVINE_SET_GETEX                                                 \
    (NGX_OLIVINE_SET_TTL & ~NGX_OLIVINE_SET_KEEPTTL)


typedef struct {
    const char  *word;
    ngx_uint_t   flag;
    ngx_uint_t   group;              /* excludes the others of its group */
    ngx_uint_t   value;              /* unsigned  value:1; */
} ngx_olivine_set_option_t;


static const ngx_olivine_set_option_t *ngx_olivine_set_option(
    ngx_olivine_cx_t *cx, ngx_uint_t i, ngx_uint_t known);
static ngx_int_t ngx_olivine_set_for(ngx_olivine_cx_t *cx, ngx_uint_t unit);
static ngx_int_t ngx_olivine_set_plain(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_set_condition(ngx_olivine_cx_t *cx,
    ngx_olivine_set_options_t *opts, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value);


static const ngx_olivine_set_option_t  ngx_olivine_set_words[] = {
    { "nx",      NGX_OLIVINE_SET_NX,      NGX_OLIVINE_SET_WHEN, 0 },
    { "xx",      NGX_OLIVINE_SET_XX,      NGX_OLIVINE_SET_WHEN, 0 },
    { "ifeq",    NGX_OLIVINE_SET_IFEQ,    NGX_OLIVINE_SET_WHEN, 1 },
    { "ifne",    NGX_OLIVINE_SET_IFNE,    NGX_OLIVINE_SET_WHEN, 1 },
    { "ifdeq",   NGX_OLIVINE_SET_IFDEQ,   NGX_OLIVINE_SET_WHEN, 1 },
    { "ifdne",   NGX_OLIVINE_SET_IFDNE,   NGX_OLIVINE_SET_WHEN, 1 },
    { "get",     NGX_OLIVINE_SET_GET,     NGX_OLIVINE_SET_GET,  0 },
    { "keepttl", NGX_OLIVINE_SET_KEEPTTL, NGX_OLIVINE_SET_TTL,  0 },
    { "persist", NGX_OLIVINE_SET_PERSIST, NGX_OLIVINE_SET_TTL,  0 },
    { "ex",      NGX_OLIVINE_SET_EX,      NGX_OLIVINE_SET_TTL,  1 },
    { "px",      NGX_OLIVINE_SET_PX,      NGX_OLIVINE_SET_TTL,  1 },
    { "exat",    NGX_OLIVINE_SET_EXAT,    NGX_OLIVINE_SET_TTL,  1 },
    { "pxat",    NGX_OLIVINE_SET_PXAT,    NGX_OLIVINE_SET_TTL,  1 },
    { NULL, 0, 0, 0 }
};


ngx_int_t
ngx_olivine_cmd_set(ngx_olivine_cx_t *cx)
{
    int64_t                    at;
    ngx_int_t                  rc;
    ngx_olivine_ref_t          ref;
    ngx_olivine_value_t        value;
    ngx_olivine_set_options_t  opts;

    if (ngx_olivine_likely(cx->argc == 3)) {
        return ngx_olivine_set_plain(cx);
    }

    at = 0;

    if (ngx_olivine_set_options(cx, 3, ~NGX_OLIVINE_SET_PERSIST, &opts)
        != NGX_OK
        || ngx_olivine_set_expiry(cx, &opts, &at) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (opts.flags & (NGX_OLIVINE_SET_GET|NGX_OLIVINE_SET_IF)) {
        rc = ngx_olivine_cx_string(cx, 0, &ref, &value);

    } else {
        rc = ngx_olivine_cx_find(cx, 0, &ref);
    }

    if (rc == NGX_OK && (opts.flags & NGX_OLIVINE_SET_GET)) {
        rc = ref.entry ? ngx_olivine_cx_reply_string(cx, &value)
                       : ngx_olivine_reply_null(cx->reply);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_set_condition(cx, &opts, &ref, &value);
    }

    if (rc == NGX_DECLINED) {
        return (opts.flags & NGX_OLIVINE_SET_GET)
               ? NGX_OK : ngx_olivine_reply_null(cx->reply);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_set_store(cx, &ref, 2, at);
    }

    if (rc != NGX_OK || (opts.flags & NGX_OLIVINE_SET_GET)) {
        return rc;
    }

    return ngx_olivine_reply_ok(cx->reply);
}


/* Without options there is nothing to look at. */

static ngx_int_t
ngx_olivine_set_plain(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_olivine_cx_set_arg(cx, &ref, 2, NGX_OLIVINE_EXPIRE_NONE);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_setnx(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    rc = ngx_olivine_set_store(cx, &ref, 2, NGX_OLIVINE_EXPIRE_NONE);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_one(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_setex(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_set_for(cx, NGX_OLIVINE_SET_EX);
}


ngx_int_t
ngx_olivine_cmd_psetex(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_set_for(cx, NGX_OLIVINE_SET_PX);
}


/* The time comes first, then the value. */

static ngx_int_t
ngx_olivine_set_for(ngx_olivine_cx_t *cx, ngx_uint_t unit)
{
    int64_t                    at;
    ngx_int_t                  rc;
    ngx_olivine_ref_t          ref;
    ngx_olivine_set_options_t  opts;

    opts.flags = unit;
    opts.expire = 2;

    if (ngx_olivine_set_expiry(cx, &opts, &at) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_olivine_set_store(cx, &ref, 3, at);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_getset(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ref.entry ? ngx_olivine_cx_reply_string(cx, &value)
                   : ngx_olivine_reply_null(cx->reply);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_set_store(cx, &ref, 2, NGX_OLIVINE_EXPIRE_NONE);
}


ngx_int_t
ngx_olivine_cmd_getex(ngx_olivine_cx_t *cx)
{
    int64_t                    at;
    ngx_int_t                  rc;
    ngx_olivine_ref_t          ref;
    ngx_olivine_value_t        value;
    ngx_olivine_set_options_t  opts;

    at = 0;

    if (ngx_olivine_set_options(cx, 2, NGX_OLIVINE_SET_GETEX, &opts)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    /* as in Redis, the time of an absent key is not looked at */

    if (ref.entry == NULL) {
        return ngx_olivine_reply_null(cx->reply);
    }

    if (ngx_olivine_set_expiry(cx, &opts, &at) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cx_reply_string(cx, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    if (opts.expire && at <= cx->now) {
        ngx_olivine_cmd_effect_del(cx, &ref.key);
        return ngx_olivine_cx_delete(cx, &ref);
    }

    if (opts.expire) {
        ngx_olivine_cmd_effect_expire(cx, &ref.key, at);
        return ngx_olivine_store_expire_locked(cx->tx, &ref, at);
    }

    if ((opts.flags & NGX_OLIVINE_SET_PERSIST)
        && ngx_olivine_entry_expire(ref.entry))
    {
        ngx_olivine_cx_effect(cx, 2, &(ngx_str_t) ngx_string("PERSIST"),
                              &ref.key);
        return ngx_olivine_store_expire_locked(cx->tx, &ref,
                                               NGX_OLIVINE_EXPIRE_NONE);
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_set_options(ngx_olivine_cx_t *cx, ngx_uint_t i, ngx_uint_t known,
    ngx_olivine_set_options_t *opts)
{
    const ngx_olivine_set_option_t  *option;

    ngx_memzero(opts, sizeof(ngx_olivine_set_options_t));

    for ( /* void */ ; i < cx->argc; i++) {

        option = ngx_olivine_set_option(cx, i, known);

        if (option == NULL
            || (opts->flags & option->group & ~option->flag))
        {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        opts->flags |= option->flag;

        if (!option->value) {
            continue;
        }

        if (++i == cx->argc) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        if (option->group == NGX_OLIVINE_SET_TTL) {
            opts->expire = i;

        } else {
            opts->match = i;
        }
    }

    return NGX_OK;
}


static const ngx_olivine_set_option_t *
ngx_olivine_set_option(ngx_olivine_cx_t *cx, ngx_uint_t i, ngx_uint_t known)
{
    const ngx_olivine_set_option_t  *option;

    for (option = ngx_olivine_set_words; option->word; option++) {
        if ((option->flag & known)
            && ngx_olivine_cx_is(cx, i, option->word))
        {
            return option;
        }
    }

    return NULL;
}


ngx_uint_t
ngx_olivine_set_word(ngx_olivine_cx_t *cx, ngx_uint_t i, ngx_uint_t known)
{
    const ngx_olivine_set_option_t  *option;

    option = ngx_olivine_set_option(cx, i, known);

    return option ? option->flag : 0;
}


ngx_int_t
ngx_olivine_set_expiry(ngx_olivine_cx_t *cx, ngx_olivine_set_options_t *opts,
    int64_t *at)
{
    int64_t  ms;

    if (opts->expire == 0) {
        *at = (opts->flags & NGX_OLIVINE_SET_KEEPTTL)
              ? NGX_OLIVINE_EXPIRE_KEEP : NGX_OLIVINE_EXPIRE_NONE;
        return NGX_OK;
    }

    if (ngx_olivine_cx_integer(cx, opts->expire, &ms) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ms <= 0) {
        goto invalid;
    }

    if (opts->flags & NGX_OLIVINE_SET_SECONDS) {

        if (ms > INT64_MAX / 1000) {
            goto invalid;
        }

        ms *= 1000;
    }

    if (opts->flags & NGX_OLIVINE_SET_RELATIVE) {

        if (ms > INT64_MAX - cx->now) {
            goto invalid;
        }

        ms += cx->now;
    }

    *at = ms;

    return NGX_OK;

invalid:

    return ngx_olivine_cx_error(cx, "ERR invalid expire time in '%V' command",
                                &cx->command->name);
}


/* OK: may be set; DECLINED: not; ERROR: a condition that is none. */

static ngx_int_t
ngx_olivine_set_condition(ngx_olivine_cx_t *cx,
    ngx_olivine_set_options_t *opts, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value)
{
    if (ref->entry == NULL) {
        return (opts->flags & (NGX_OLIVINE_SET_XX|NGX_OLIVINE_SET_IFEQ
                               |NGX_OLIVINE_SET_IFDEQ))
               ? NGX_DECLINED : NGX_OK;
    }

    if (opts->flags & NGX_OLIVINE_SET_NX) {
        return NGX_DECLINED;
    }

    if (opts->flags & NGX_OLIVINE_SET_IF) {
        return ngx_olivine_set_compare(cx, opts, value);
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_set_compare(ngx_olivine_cx_t *cx, ngx_olivine_set_options_t *opts,
    ngx_olivine_value_t *value)
{
    u_char      number[NGX_OLIVINE_I64_LEN], digest[NGX_OLIVINE_SET_DIGEST];
    ngx_str_t   text, match;
    ngx_uint_t  same;

    ngx_olivine_string_text(value, number, &text);
    match = ngx_olivine_cx_arg(cx, opts->match);

    if (opts->flags & (NGX_OLIVINE_SET_IFEQ|NGX_OLIVINE_SET_IFNE)) {
        same = text.len == match.len
               && ngx_memcmp(text.data, match.data, text.len) == 0;

    } else {

        if (match.len != NGX_OLIVINE_SET_DIGEST) {
            return ngx_olivine_cx_error(cx, "ERR must be exactly 16 "
                                        "hexadecimal characters");
        }

        ngx_olivine_set_digest(value, digest);

        same = ngx_strncasecmp(digest, match.data, NGX_OLIVINE_SET_DIGEST)
               == 0;
    }

    if (opts->flags & (NGX_OLIVINE_SET_IFNE|NGX_OLIVINE_SET_IFDNE)) {
        same = !same;
    }

    return same ? NGX_OK : NGX_DECLINED;
}


void
ngx_olivine_set_digest(ngx_olivine_value_t *value, u_char *digest)
{
    u_char     number[NGX_OLIVINE_I64_LEN];
    ngx_str_t  text;

    ngx_olivine_string_text(value, number, &text);

    (void) ngx_sprintf(digest, "%016xL",
                       ngx_olivine_xxh3(text.data, text.len));
}


ngx_int_t
ngx_olivine_set_store(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref,
    ngx_uint_t arg, int64_t at)
{
    ngx_int_t  rc;
    ngx_str_t  value;

    if (at > 0 && at <= cx->now) {

        if (ref->entry == NULL) {
            return NGX_OK;
        }

        ngx_olivine_cmd_effect_del(cx, &ref->key);

        return ngx_olivine_cx_delete(cx, ref);
    }

    if (ref->entry == NULL && at == NGX_OLIVINE_EXPIRE_KEEP) {
        at = NGX_OLIVINE_EXPIRE_NONE;
    }

    rc = ngx_olivine_cx_set_arg(cx, ref, arg, at);

    if (rc == NGX_OK) {
        value = ngx_olivine_cx_arg(cx, arg);
        ngx_olivine_set_effect(cx, ref, &value);
    }

    return rc;
}


/* The time is named even if it was kept: a replay needs no earlier state. */

void
ngx_olivine_set_effect(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref,
    ngx_str_t *value)
{
    u_char     number[NGX_OLIVINE_I64_LEN];
    int64_t    at;
    ngx_str_t  ms, set = ngx_string("SET"), pxat = ngx_string("PXAT");

    if (!cx->logging) {
        return;
    }

    at = ngx_olivine_entry_expire(ref->entry);

    if (at == 0) {
        ngx_olivine_cx_effect(cx, 3, &set, &ref->key, value);
        return;
    }

    ms.data = number;
    ms.len = ngx_olivine_number_print(number, at) - number;

    ngx_olivine_cx_effect(cx, 5, &set, &ref->key, value, &pxat, &ms);
}
