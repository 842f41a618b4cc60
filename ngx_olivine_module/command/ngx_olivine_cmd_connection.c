
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_multi.h"


typedef struct {
    int64_t      proto;                      /* 0: as it is */
    ngx_str_t    user;
    ngx_str_t    password;
    ngx_str_t    name;
    unsigned     auth:1;
    unsigned     named:1;
} ngx_olivine_hello_t;

typedef struct {
    ngx_str_t   *password;
    ngx_uint_t   same;
} ngx_olivine_auth_t;


static ngx_int_t ngx_olivine_auth_check(ngx_olivine_cx_t *cx,
    ngx_str_t *user, ngx_str_t *password);
static ngx_int_t ngx_olivine_auth_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_uint_t ngx_olivine_auth_same(ngx_str_t *a, ngx_str_t *b);
static ngx_int_t ngx_olivine_hello_options(ngx_olivine_cx_t *cx,
    ngx_olivine_hello_t *hello);
static ngx_int_t ngx_olivine_hello_reply(ngx_olivine_cx_t *cx);


ngx_int_t
ngx_olivine_cmd_ping(ngx_olivine_cx_t *cx)
{
    if (cx->argc > 2) {
        return ngx_olivine_cx_error(cx, "ERR wrong number of arguments for "
                                    "'%V' command", &cx->command->name);
    }

    if (cx->argc == 2) {
        return ngx_olivine_reply_bulk(cx->reply, cx->argv[1].data,
                                      cx->argv[1].len);
    }

    return ngx_olivine_reply_pong(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_echo(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_bulk(cx->reply, cx->argv[1].data,
                                  cx->argv[1].len);
}


ngx_int_t
ngx_olivine_cmd_select(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  db;

    if (ngx_olivine_cmd_db(cx, 1, &db) != NGX_OK) {
        return NGX_ERROR;
    }

    cx->caller->db = db;

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_db(ngx_olivine_cx_t *cx, ngx_uint_t arg, ngx_uint_t *db)
{
    int64_t  n;

    if (ngx_olivine_cx_integer(cx, arg, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    if (n < INT32_MIN || n > INT32_MAX) {
        return ngx_olivine_cx_error(cx, "ERR value is out of range, value "
                               "must between -2147483648 and 2147483647");
    }

    if (n < 0 || n >= cx->zone->params.databases) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_DB_RANGE);
    }

    *db = (ngx_uint_t) n;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_auth(ngx_olivine_cx_t *cx)
{
    ngx_int_t  rc;
    ngx_str_t  user = ngx_string("default"), password;

    if (cx->argc > 3) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    password = ngx_olivine_cx_arg(cx, cx->argc - 1);

    ngx_olivine_cx_redact(cx, 1);
    ngx_olivine_cx_redact(cx, 2);

    if (cx->argc == 3) {
        user = ngx_olivine_cx_arg(cx, 1);

    } else if (cx->zone->params.requirepass.len == 0) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NO_PASSWORD_SET);
    }

    rc = ngx_olivine_auth_check(cx, &user, &password);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_ok(cx->reply);
}


/*
 * There is one user, "default"; without a password it takes any.  OK: the
 * caller is authenticated; AGAIN; ERROR.
 */

static ngx_int_t
ngx_olivine_auth_check(ngx_olivine_cx_t *cx, ngx_str_t *user,
    ngx_str_t *password)
{
    ngx_int_t           rc;
    ngx_olivine_auth_t  auth;

    auth.password = password;

    rc = ngx_olivine_cx_in_zone(cx, ngx_olivine_auth_part, &auth);
    if (rc != NGX_OK) {
        return rc;
    }

    if (!auth.same || user->len != sizeof("default") - 1
        || ngx_memcmp(user->data, "default", user->len) != 0)
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_WRONGPASS);
    }

    cx->caller->authenticated = 1;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_auth_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_auth_t *auth = data;

    ngx_int_t  rc;
    ngx_str_t  wanted;

    rc = ngx_olivine_tx_lock_params(cx->tx);
    if (rc != NGX_OK) {
        return rc;
    }

    wanted.len = cx->zone->params.requirepass.len;
    wanted.data = cx->zone->params.requirepass.data;

    auth->same = wanted.len == 0
                 || ngx_olivine_auth_same(&wanted, auth->password);

    return NGX_OK;
}


/* takes the same time wherever the two differ */

static ngx_uint_t
ngx_olivine_auth_same(ngx_str_t *a, ngx_str_t *b)
{
    size_t      i;
    ngx_uint_t  differ;

    differ = a->len ^ b->len;

    for (i = 0; i < b->len; i++) {
        differ |= b->data[i] ^ a->data[i % a->len];
    }

    return differ == 0;
}


ngx_int_t
ngx_olivine_cmd_hello(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_olivine_hello_t  hello;

    ngx_memzero(&hello, sizeof(ngx_olivine_hello_t));

    if (ngx_olivine_hello_options(cx, &hello) != NGX_OK) {
        return NGX_ERROR;
    }

    if (hello.auth) {
        rc = ngx_olivine_auth_check(cx, &hello.user, &hello.password);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (!cx->caller->authenticated && cx->zone->params.requirepass.len) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOAUTH_HELLO);
    }

    if (hello.named) {
        rc = ngx_olivine_cmd_client_text_set(cx, NGX_OLIVINE_BUS_NAME,
                                             &hello.name);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (hello.proto) {
        cx->reply->resp3 = (hello.proto == 3);
    }

    return ngx_olivine_hello_reply(cx);
}


static ngx_int_t
ngx_olivine_hello_options(ngx_olivine_cx_t *cx, ngx_olivine_hello_t *hello)
{
    u_char      *p;
    ngx_str_t    word;
    ngx_uint_t   i, left;

    if (cx->argc == 1) {
        return NGX_OK;
    }

    p = cx->argv[1].data;

    if (ngx_olivine_number_parse(p, p + cx->argv[1].len, &hello->proto)
        != NGX_OK)
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_PROTO_NOT_INTEGER);
    }

    if (hello->proto != 2 && hello->proto != 3) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOPROTO);
    }

    for (i = 2; i < cx->argc; i++) {

        left = cx->argc - 1 - i;

        if (left >= 2 && ngx_olivine_cx_is(cx, i, "auth")) {
            ngx_olivine_cx_redact(cx, i + 1);
            ngx_olivine_cx_redact(cx, i + 2);

            hello->auth = 1;
            hello->user = ngx_olivine_cx_arg(cx, i + 1);
            hello->password = ngx_olivine_cx_arg(cx, i + 2);
            i += 2;

        } else if (left >= 1 && ngx_olivine_cx_is(cx, i, "setname")) {
            hello->named = 1;
            hello->name = ngx_olivine_cx_arg(cx, i + 1);
            i++;

            if (ngx_olivine_cmd_client_text_check(&hello->name) != NGX_OK) {
                return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_CLIENT_NAME);
            }

            if (hello->name.len > NGX_OLIVINE_BUS_TEXT) {
                return ngx_olivine_cmd_client_text_long(cx);
            }

        } else {
            word = ngx_olivine_cx_arg(cx, i);
            return ngx_olivine_cx_error(cx, "ERR Syntax error in HELLO "
                                        "option '%V'", &word);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_hello_reply(ngx_olivine_cx_t *cx)
{
    ngx_olivine_reply_t  *r;

    r = cx->reply;

    (void) ngx_olivine_reply_map(r, 7);

    (void) ngx_olivine_reply_literal(r, "$6" CRLF "server" CRLF
                                     "$5" CRLF "redis" CRLF
                                     "$7" CRLF "version" CRLF);
    (void) ngx_olivine_reply_bulk(r, (u_char *) NGX_OLIVINE_REDIS_VERSION,
                                  sizeof(NGX_OLIVINE_REDIS_VERSION) - 1);

    (void) ngx_olivine_reply_literal(r, "$5" CRLF "proto" CRLF);
    (void) ngx_olivine_reply_integer(r, r->resp3 ? 3 : 2);

    (void) ngx_olivine_reply_literal(r, "$2" CRLF "id" CRLF);
    (void) ngx_olivine_reply_integer(r, cx->caller->id);

    return ngx_olivine_reply_literal(r, "$4" CRLF "mode" CRLF
                                     "$10" CRLF "standalone" CRLF
                                     "$4" CRLF "role" CRLF
                                     "$6" CRLF "master" CRLF
                                     "$7" CRLF "modules" CRLF
                                     "*0" CRLF);
}


ngx_int_t
ngx_olivine_cmd_quit(ngx_olivine_cx_t *cx)
{
    cx->caller->close = 1;

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_reset(ngx_olivine_cx_t *cx)
{
    ngx_int_t              rc;
    ngx_str_t              none = ngx_string("");
    ngx_olivine_caller_t  *caller;

    caller = cx->caller;

    rc = ngx_olivine_cmd_client_text_set(cx, NGX_OLIVINE_BUS_NAME, &none);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_multi_unwatch(cx, caller);
    ngx_olivine_multi_end(cx, caller);

    if (caller->monitor) {
        ngx_olivine_monitor_leave(cx->tx);
        caller->monitor = 0;
    }

    caller->no_touch = 0;
    caller->no_evict = 0;
    caller->reply_off = 0;
    caller->reply_skip = 0;
    caller->reply_next = 0;
    caller->db = 0;
    caller->authenticated = (cx->zone->params.requirepass.len == 0);

    cx->reply->resp3 = 0;

    return ngx_olivine_reply_literal(cx->reply, "+RESET" CRLF);
}
