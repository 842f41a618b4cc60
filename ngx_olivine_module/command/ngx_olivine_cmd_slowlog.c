
/*
 * Copyright (C) The Olivine authors
 *
 * SLOWLOG.
 */


#include "command/ngx_olivine_cmd.h"


#define NGX_OLIVINE_SLOWLOG_DEFAULT  10


static void ngx_olivine_slowlog_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_slowlog_entry_t *e);


ngx_int_t
ngx_olivine_cmd_slowlog_get(ngx_olivine_cx_t *cx)
{
    u_char                       *memory, *p;
    int64_t                       count;
    ngx_int_t                     rc;
    ngx_uint_t                    i, n;
    ngx_olivine_slowlog_entry_t  *e;

    if (cx->argc > 3) {
        return ngx_olivine_cx_error(cx, "ERR unknown subcommand or wrong "
                                    "number of arguments for '%*s'. Try "
                                    "SLOWLOG HELP.",
                                    ngx_min(cx->argv[1].len, 128),
                                    cx->argv[1].data);
    }

    count = NGX_OLIVINE_SLOWLOG_DEFAULT;

    if (cx->argc == 3
        && (ngx_olivine_number_parse(cx->argv[2].data,
                                     cx->argv[2].data + cx->argv[2].len,
                                     &count)
                != NGX_OK
            || count < -1))
    {
        return ngx_olivine_cx_error(cx, "ERR count should be greater than or "
                                    "equal to -1");
    }

    n = count == -1 ? NGX_MAX_INT_T_VALUE : count;

    rc = ngx_olivine_slowlog_get(cx->tx, &n, &memory, &p);
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
    (void) ngx_olivine_reply_integer(r, e->us);
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
                                     ngx_olivine_slowlog_len(cx->tx));
}


ngx_int_t
ngx_olivine_cmd_slowlog_reset(ngx_olivine_cx_t *cx)
{
    ngx_olivine_slowlog_reset(cx->tx);

    return ngx_olivine_reply_ok(cx->reply);
}
