
/*
 * Copyright (C) The Olivine authors
 *
 * SLOWLOG, and COMMANDLOG, of which it is a third.
 */


#include "command/ngx_olivine_cmd.h"


#define NGX_OLIVINE_SLOWLOG_DEFAULT  10


static ngx_int_t ngx_olivine_slowlog_count(ngx_olivine_cx_t *cx,
    ngx_uint_t *n);
static ngx_int_t ngx_olivine_slowlog_which(ngx_olivine_cx_t *cx,
    ngx_uint_t arg, ngx_olivine_slowlog_e *which);
static ngx_int_t ngx_olivine_slowlog_entries(ngx_olivine_cx_t *cx,
    ngx_olivine_slowlog_e which, ngx_uint_t n);
static void ngx_olivine_slowlog_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_slowlog_entry_t *e);


ngx_int_t
ngx_olivine_cmd_slowlog_get(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  n;

    if (cx->argc > 3) {
        return ngx_olivine_cx_error(cx, "ERR unknown subcommand or wrong "
                                    "number of arguments for '%*s'. Try "
                                    "SLOWLOG HELP.",
                                    ngx_min(cx->argv[1].len, 128),
                                    cx->argv[1].data);
    }

    n = NGX_OLIVINE_SLOWLOG_DEFAULT;

    if (cx->argc == 3 && ngx_olivine_slowlog_count(cx, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_slowlog_entries(cx, NGX_OLIVINE_SLOWLOG_SLOW, n);
}


ngx_int_t
ngx_olivine_cmd_commandlog_get(ngx_olivine_cx_t *cx)
{
    ngx_uint_t             n;
    ngx_olivine_slowlog_e  which;

    if (ngx_olivine_slowlog_count(cx, &n) != NGX_OK
        || ngx_olivine_slowlog_which(cx, 3, &which) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_slowlog_entries(cx, which, n);
}


static ngx_int_t
ngx_olivine_slowlog_count(ngx_olivine_cx_t *cx, ngx_uint_t *n)
{
    int64_t  count;

    if (ngx_olivine_number_parse(cx->argv[2].data,
                                 cx->argv[2].data + cx->argv[2].len, &count)
            != NGX_OK
        || count < -1)
    {
        return ngx_olivine_cx_error(cx, "ERR count should be greater than or "
                                    "equal to -1");
    }

    *n = count == -1 ? NGX_MAX_INT_T_VALUE : count;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_slowlog_which(ngx_olivine_cx_t *cx, ngx_uint_t arg,
    ngx_olivine_slowlog_e *which)
{
    ngx_uint_t  i;

    static const char  *names[NGX_OLIVINE_SLOWLOGS] = {
        "slow", "large-request", "large-reply"
    };

    *which = NGX_OLIVINE_SLOWLOG_SLOW;

    for (i = 0; i < NGX_OLIVINE_SLOWLOGS; i++) {
        if (ngx_olivine_cx_is(cx, arg, names[i])) {
            *which = i;
            return NGX_OK;
        }
    }

    return ngx_olivine_cx_error(cx, "ERR type should be one of the following: "
                                "slow, large-request, large-reply");
}


static ngx_int_t
ngx_olivine_slowlog_entries(ngx_olivine_cx_t *cx, ngx_olivine_slowlog_e which,
    ngx_uint_t n)
{
    u_char                       *memory, *p;
    ngx_int_t                     rc;
    ngx_uint_t                    i;
    ngx_olivine_slowlog_entry_t  *e;

    rc = ngx_olivine_slowlog_get(cx->tx, which, &n, &memory, &p);
    if (rc != NGX_OK) {
        return rc;
    }

    (void) ngx_olivine_reply_array(cx->reply, n);

    for (i = 0; i < n; i++) {
        e = (ngx_olivine_slowlog_entry_t *) p;
        ngx_olivine_slowlog_reply(cx, e);
        p += e->size;
    }

    ngx_free(memory);

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


static void
ngx_olivine_slowlog_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_slowlog_entry_t *e)
{
    u_char               *p;
    uint32_t              len;
    ngx_uint_t            i;
    ngx_olivine_reply_t  *r;

    r = cx->reply;
    p = e->data + e->addr + e->name;

    (void) ngx_olivine_reply_array(r, 6);
    (void) ngx_olivine_reply_integer(r, e->id);
    (void) ngx_olivine_reply_integer(r, e->time);
    (void) ngx_olivine_reply_integer(r, e->value);
    (void) ngx_olivine_reply_array(r, e->argc);

    for (i = 0; i < e->argc; i++) {
        ngx_memcpy(&len, p, sizeof(uint32_t));
        p += sizeof(uint32_t);

        (void) ngx_olivine_reply_bulk(r, p, len);
        p += len;
    }

    (void) ngx_olivine_reply_bulk(r, e->data, e->addr);
    (void) ngx_olivine_reply_bulk(r, e->data + e->addr, e->name);
}


ngx_int_t
ngx_olivine_cmd_slowlog_len(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_integer(cx->reply,
                                     ngx_olivine_slowlog_len(cx->tx,
                                                   NGX_OLIVINE_SLOWLOG_SLOW));
}


ngx_int_t
ngx_olivine_cmd_commandlog_len(ngx_olivine_cx_t *cx)
{
    ngx_olivine_slowlog_e  which;

    if (ngx_olivine_slowlog_which(cx, 2, &which) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_reply_integer(cx->reply,
                                     ngx_olivine_slowlog_len(cx->tx, which));
}


ngx_int_t
ngx_olivine_cmd_slowlog_reset(ngx_olivine_cx_t *cx)
{
    ngx_olivine_slowlog_reset(cx->tx, NGX_OLIVINE_SLOWLOG_SLOW);

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_commandlog_reset(ngx_olivine_cx_t *cx)
{
    ngx_olivine_slowlog_e  which;

    if (ngx_olivine_slowlog_which(cx, 2, &which) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_olivine_slowlog_reset(cx->tx, which);

    return ngx_olivine_reply_ok(cx->reply);
}
