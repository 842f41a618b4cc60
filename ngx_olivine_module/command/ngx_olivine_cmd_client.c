
/*
 * Copyright (C) The Olivine authors
 *
 * CLIENT: what a connection says of itself, and PAUSE.
 */


#include "command/ngx_olivine_cmd.h"


typedef struct {
    ngx_olivine_bus_text_e   which;
    ngx_str_t               *text;
} ngx_olivine_client_text_t;


static ngx_int_t ngx_olivine_client_text_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_client_unpause_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_client_switch(ngx_olivine_cx_t *cx,
    ngx_uint_t *on);


ngx_int_t
ngx_olivine_cmd_client_text_check(ngx_str_t *text)
{
    size_t  i;

    /* to Redis it ends at a zero byte */

    for (i = 0; i < text->len && text->data[i]; i++) {
        if (text->data[i] < '!' || text->data[i] > '~') {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_client_text_long(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cx_error(cx, "ERR Client names and library names "
                                "cannot be longer than %d bytes.",
                                NGX_OLIVINE_BUS_TEXT);
}


ngx_int_t
ngx_olivine_cmd_client_text_set(ngx_olivine_cx_t *cx,
    ngx_olivine_bus_text_e which, ngx_str_t *text)
{
    ngx_olivine_client_text_t  t;

    t.which = which;
    t.text = text;

    return ngx_olivine_cx_in_zone(cx, ngx_olivine_client_text_part, &t);
}


static ngx_int_t
ngx_olivine_client_text_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_client_text_t *t = data;

    return ngx_olivine_bus_set(cx->tx, cx->caller->row, t->which, t->text);
}


ngx_int_t
ngx_olivine_cmd_client_id(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_integer(cx->reply, cx->caller->id);
}


ngx_int_t
ngx_olivine_cmd_client_getname(ngx_olivine_cx_t *cx)
{
    u_char     buf[NGX_OLIVINE_BUS_TEXT];
    ngx_str_t  name;

    ngx_olivine_bus_get(cx->zone, cx->caller->row, NGX_OLIVINE_BUS_NAME, &name,
                        buf);

    if (name.len == 0) {
        return ngx_olivine_reply_null(cx->reply);
    }

    return ngx_olivine_reply_bulk(cx->reply, name.data, name.len);
}


ngx_int_t
ngx_olivine_cmd_client_setname(ngx_olivine_cx_t *cx)
{
    ngx_int_t  rc;
    ngx_str_t  name;

    name = ngx_olivine_cx_arg(cx, 2);

    if (ngx_olivine_cmd_client_text_check(&name) != NGX_OK) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_CLIENT_NAME);
    }

    if (name.len > NGX_OLIVINE_BUS_TEXT) {
        return ngx_olivine_cmd_client_text_long(cx);
    }

    rc = ngx_olivine_cmd_client_text_set(cx, NGX_OLIVINE_BUS_NAME, &name);

    return rc == NGX_OK ? ngx_olivine_reply_ok(cx->reply) : rc;
}


ngx_int_t
ngx_olivine_cmd_client_setinfo(ngx_olivine_cx_t *cx)
{
    ngx_int_t               rc;
    ngx_str_t               option, value;
    ngx_olivine_bus_text_e  which;

    option = ngx_olivine_cx_arg(cx, 2);
    value = ngx_olivine_cx_arg(cx, 3);

    if (ngx_olivine_cx_is(cx, 2, "lib-name")) {
        which = NGX_OLIVINE_BUS_LIB_NAME;

    } else if (ngx_olivine_cx_is(cx, 2, "lib-ver")) {
        which = NGX_OLIVINE_BUS_LIB_VER;

    } else {
        return ngx_olivine_cx_error(cx, "ERR Unrecognized option '%V'",
                                    &option);
    }

    if (ngx_olivine_cmd_client_text_check(&value) != NGX_OK) {
        return ngx_olivine_cx_error(cx, "ERR %V cannot contain spaces, "
                                    "newlines or special characters.",
                                    &option);
    }

    if (value.len > NGX_OLIVINE_BUS_TEXT) {
        return ngx_olivine_cmd_client_text_long(cx);
    }

    rc = ngx_olivine_cmd_client_text_set(cx, which, &value);

    return rc == NGX_OK ? ngx_olivine_reply_ok(cx->reply) : rc;
}


/* CLIENT PAUSE milliseconds [WRITE | ALL] */

ngx_int_t
ngx_olivine_cmd_client_pause(ngx_olivine_cx_t *cx)
{
    u_char               *p;
    int64_t               ms, until;
    ngx_olivine_pause_e   what;

    if (cx->argc > 4) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    what = NGX_OLIVINE_PAUSE_ALL;

    if (cx->argc == 4) {

        if (ngx_olivine_cx_is(cx, 3, "write")) {
            what = NGX_OLIVINE_PAUSE_WRITE;

        } else if (!ngx_olivine_cx_is(cx, 3, "all")) {
            return ngx_olivine_cx_error(cx, "ERR CLIENT PAUSE mode must be "
                                        "WRITE or ALL");
        }
    }

    p = cx->argv[2].data;

    if (ngx_olivine_number_parse(p, p + cx->argv[2].len, &ms) != NGX_OK) {
        return ngx_olivine_cx_error(cx, "ERR timeout is not an integer or out "
                                    "of range");
    }

    if (ms < 0) {
        return ngx_olivine_cx_error(cx, "ERR timeout is negative");
    }

    if (ms > INT64_MAX - cx->now) {
        return ngx_olivine_cx_error(cx, "ERR timeout is out of range");
    }

    until = ngx_min(cx->now + ms, NGX_OLIVINE_PAUSE_MAX);

    ngx_olivine_pause_begin(cx->zone, what, until, cx->now);

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_client_unpause(ngx_olivine_cx_t *cx)
{
    ngx_int_t  rc;

    rc = ngx_olivine_cx_in_zone(cx, ngx_olivine_client_unpause_part, NULL);

    return rc == NGX_OK ? ngx_olivine_reply_ok(cx->reply) : rc;
}


static ngx_int_t
ngx_olivine_client_unpause_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data)
{
    ngx_olivine_pause_end(cx->zone);
    ngx_olivine_cx_ring(cx, NGX_OLIVINE_HINT_GATE);

    return NGX_OK;
}


/* The pipeline drops replies; all that is done here is to tell it. */

ngx_int_t
ngx_olivine_cmd_client_reply(ngx_olivine_cx_t *cx)
{
    ngx_olivine_caller_t  *caller;

    caller = cx->caller;

    if (ngx_olivine_cx_is(cx, 2, "on")) {
        caller->reply_off = 0;
        caller->reply_skip = 0;

        return ngx_olivine_reply_ok(cx->reply);
    }

    if (ngx_olivine_cx_is(cx, 2, "off")) {
        caller->reply_off = 1;

        return NGX_OK;
    }

    if (ngx_olivine_cx_is(cx, 2, "skip")) {
        caller->reply_next = !caller->reply_off;

        return NGX_OK;
    }

    return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
}


ngx_int_t
ngx_olivine_cmd_client_no_evict(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  on;

    if (ngx_olivine_client_switch(cx, &on) != NGX_OK) {
        return NGX_ERROR;
    }

    cx->caller->no_evict = on;

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_client_no_touch(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  on;

    if (ngx_olivine_client_switch(cx, &on) != NGX_OK) {
        return NGX_ERROR;
    }

    cx->caller->no_touch = on;

    return ngx_olivine_reply_ok(cx->reply);
}


static ngx_int_t
ngx_olivine_client_switch(ngx_olivine_cx_t *cx, ngx_uint_t *on)
{
    *on = ngx_olivine_cx_is(cx, 2, "on");

    if (*on || ngx_olivine_cx_is(cx, 2, "off")) {
        return NGX_OK;
    }

    return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
}


/* Nothing tracks keys. */

ngx_int_t
ngx_olivine_cmd_client_getredir(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_integer(cx->reply, -1);
}


ngx_int_t
ngx_olivine_cmd_client_trackinginfo(ngx_olivine_cx_t *cx)
{
    ngx_olivine_reply_t  *r;

    r = cx->reply;

    (void) ngx_olivine_reply_map(r, 3);
    (void) ngx_olivine_reply_literal(r, "$5" CRLF "flags" CRLF);
    (void) ngx_olivine_reply_set(r, 1);
    (void) ngx_olivine_reply_literal(r, "$3" CRLF "off" CRLF
                                     "$8" CRLF "redirect" CRLF ":-1" CRLF
                                     "$8" CRLF "prefixes" CRLF);

    return ngx_olivine_reply_array(r, 0);
}


/* No command waits for others but those that CLIENT PAUSE holds. */

ngx_int_t
ngx_olivine_cmd_client_unblock(ngx_olivine_cx_t *cx)
{
    int64_t  id;

    if (cx->argc > 4) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    if (cx->argc == 4 && !ngx_olivine_cx_is(cx, 3, "timeout")
        && !ngx_olivine_cx_is(cx, 3, "error"))
    {
        return ngx_olivine_cx_error(cx, "ERR CLIENT UNBLOCK reason should be "
                                    "TIMEOUT or ERROR");
    }

    if (ngx_olivine_cx_integer(cx, 2, &id) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_reply_integer(cx->reply, 0);
}
