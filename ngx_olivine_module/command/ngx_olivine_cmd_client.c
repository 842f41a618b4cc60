
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd.h"



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
ngx_olivine_cmd_client_text_set(ngx_str_t *to, ngx_str_t *from)
{
    u_char  *data;

    data = NULL;

    if (from->len) {
        data = ngx_alloc(from->len, ngx_cycle->log);
        if (data == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(data, from->data, from->len);
    }

    if (to->data) {
        ngx_free(to->data);
    }

    to->len = from->len;
    to->data = data;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_client_id(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_integer(cx->reply, cx->caller->id);
}


ngx_int_t
ngx_olivine_cmd_client_getname(ngx_olivine_cx_t *cx)
{
    ngx_str_t  *name;

    name = &cx->caller->name;

    if (name->len == 0) {
        return ngx_olivine_reply_null(cx->reply);
    }

    return ngx_olivine_reply_bulk(cx->reply, name->data, name->len);
}


ngx_int_t
ngx_olivine_cmd_client_setname(ngx_olivine_cx_t *cx)
{
    ngx_str_t  name;

    name = ngx_olivine_cx_arg(cx, 2);

    if (ngx_olivine_cmd_client_text_check(&name) != NGX_OK) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_CLIENT_NAME);
    }

    if (ngx_olivine_cmd_client_text_set(&cx->caller->name, &name) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_client_setinfo(ngx_olivine_cx_t *cx)
{
    ngx_str_t   option, value, *to;

    option = ngx_olivine_cx_arg(cx, 2);
    value = ngx_olivine_cx_arg(cx, 3);

    if (ngx_olivine_cx_is(cx, 2, "lib-name")) {
        to = &cx->caller->lib_name;

    } else if (ngx_olivine_cx_is(cx, 2, "lib-ver")) {
        to = &cx->caller->lib_ver;

    } else {
        return ngx_olivine_cx_error(cx, "ERR Unrecognized option '%V'",
                                    &option);
    }

    if (ngx_olivine_cmd_client_text_check(&value) != NGX_OK) {
        return ngx_olivine_cx_error(cx, "ERR %V cannot contain spaces, "
                                    "newlines or special characters.",
                                    &option);
    }

    if (ngx_olivine_cmd_client_text_set(to, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_client_info(ngx_olivine_cx_t *cx)
{
    ngx_int_t              rc;
    ngx_olivine_caller_t  *c;
    ngx_olivine_buffer_t   b;

    c = cx->caller;

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    ngx_olivine_buffer_print(&b, "id=%uL addr=%V laddr=%V fd=%d name=",
                             c->id, &c->addr, &c->laddr, c->fd);

    /* names are as long as their clients wanted */

    ngx_olivine_buffer_add(&b, c->name.data, c->name.len);

    ngx_olivine_buffer_print(&b,
                       " age=%L idle=%L flags=N db=%uD sub=0 psub=0 ssub=0"
                       " multi=-1 watch=0 qbuf=%uz qbuf-free=%uz argv-mem=%uz"
                       " multi-mem=0 rbs=%d rbp=%d obl=0 oll=0 omem=0"
                       " tot-mem=%uz events=r cmd=%V user=default redir=-1"
                       " resp=%d lib-name=",
                       (cx->now - c->created) / 1000,
                       (cx->now - c->seen) / 1000, c->db, cx->input,
                       cx->input_free, cx->args, NGX_OLIVINE_REPLY_BLOCK,
                       NGX_OLIVINE_REPLY_BLOCK, cx->memory,
                       &cx->command->name,
                       cx->reply->resp3 ? 3 : 2);

    ngx_olivine_buffer_add(&b, c->lib_name.data, c->lib_name.len);
    ngx_olivine_buffer_print(&b, " lib-ver=");
    ngx_olivine_buffer_add(&b, c->lib_ver.data, c->lib_ver.len);
    ngx_olivine_buffer_print(&b, " io-thread=0\n");

    rc = b.failed ? NGX_ERROR
                  : ngx_olivine_reply_verbatim(cx->reply, "txt", b.data,
                                               b.len);

    ngx_olivine_buffer_free(&b);

    return rc;
}
