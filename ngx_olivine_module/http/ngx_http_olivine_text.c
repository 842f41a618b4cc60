
/*
 * Copyright (C) The Olivine authors
 *
 * Filling an answer, and the arguments of its request.
 */


#include "http/ngx_http_olivine_answer.h"


#define NGX_HTTP_OLIVINE_TEXT_BUF  16384


static ngx_buf_t *ngx_http_olivine_text_buf(ngx_http_olivine_answer_t *answer,
    size_t need);
static ngx_int_t ngx_http_olivine_text_link(ngx_http_olivine_answer_t *answer,
    ngx_buf_t *b);


void
ngx_http_olivine_clear(ngx_http_olivine_answer_t *answer)
{
    answer->status = NGX_HTTP_OK;
    answer->out = NULL;
    answer->last = &answer->out;
    answer->buf = NULL;
    answer->len = 0;

    ngx_str_set(&answer->type, "text/plain; charset=utf-8");
    ngx_str_null(&answer->file);
}


void
ngx_http_olivine_write(ngx_http_olivine_answer_t *answer, const void *data,
    size_t len)
{
    ngx_buf_t  *b;

    if (len == 0) {
        return;
    }

    b = ngx_http_olivine_text_buf(answer, len);
    if (b == NULL) {
        return;
    }

    b->last = ngx_cpymem(b->last, data, len);
    answer->len += len;
}


void
ngx_http_olivine_text(ngx_http_olivine_answer_t *answer, const char *text)
{
    ngx_http_olivine_write(answer, text, ngx_strlen(text));
}


void
ngx_http_olivine_print(ngx_http_olivine_answer_t *answer, const char *fmt,
    ...)
{
    u_char     *p;
    va_list     args;
    ngx_buf_t  *b;

    b = ngx_http_olivine_text_buf(answer, NGX_HTTP_OLIVINE_PRINT);
    if (b == NULL) {
        return;
    }

    va_start(args, fmt);
    p = ngx_vslprintf(b->last, b->last + NGX_HTTP_OLIVINE_PRINT, fmt, args);
    va_end(args);

    answer->len += p - b->last;
    b->last = p;
}


void
ngx_http_olivine_lend(ngx_http_olivine_answer_t *answer, u_char *data,
    size_t len)
{
    ngx_buf_t  *b;

    if (len == 0) {
        return;
    }

    b = ngx_calloc_buf(answer->request->pool);

    if (b == NULL) {
        answer->failed = 1;
        return;
    }

    b->start = data;
    b->pos = data;
    b->last = data + len;
    b->end = b->last;
    b->memory = 1;

    if (ngx_http_olivine_text_link(answer, b) == NGX_OK) {
        answer->buf = NULL;
        answer->len += len;
    }
}


void
ngx_http_olivine_html(ngx_http_olivine_answer_t *answer, const u_char *data,
    size_t len)
{
    const u_char  *p, *last, *entity;

    last = data + len;

    for (p = data; p < last; p++) {

        switch (*p) {

        case '<':
            entity = (u_char *) "&lt;";
            break;

        case '>':
            entity = (u_char *) "&gt;";
            break;

        case '&':
            entity = (u_char *) "&amp;";
            break;

        case '"':
            entity = (u_char *) "&quot;";
            break;

        case '\'':
            entity = (u_char *) "&#39;";
            break;

        default:
            continue;
        }

        ngx_http_olivine_write(answer, data, p - data);
        ngx_http_olivine_text(answer, (char *) entity);
        data = p + 1;
    }

    ngx_http_olivine_write(answer, data, last - data);
}


ngx_int_t
ngx_http_olivine_refuse(ngx_http_olivine_answer_t *answer, ngx_uint_t status,
    const char *fmt, ...)
{
    u_char     *p;
    va_list     args;
    ngx_buf_t  *b;

    ngx_http_olivine_clear(answer);
    answer->status = status;

    b = ngx_http_olivine_text_buf(answer, NGX_HTTP_OLIVINE_PRINT + 1);
    if (b == NULL) {
        return NGX_OK;
    }

    va_start(args, fmt);
    p = ngx_vslprintf(b->last, b->last + NGX_HTTP_OLIVINE_PRINT, fmt, args);
    va_end(args);

    *p++ = '\n';

    answer->len = p - b->last;
    b->last = p;

    return NGX_OK;
}


ngx_int_t
ngx_http_olivine_arg(ngx_http_olivine_answer_t *answer, const char *name,
    ngx_str_t *value)
{
    u_char              *p, *src;
    ngx_http_request_t  *r;

    r = answer->request;

    if (ngx_http_arg(r, (u_char *) name, ngx_strlen(name), value) != NGX_OK) {
        return NGX_DECLINED;
    }

    p = ngx_pnalloc(r->pool, value->len + 1);

    if (p == NULL) {
        answer->failed = 1;
        return NGX_DECLINED;
    }

    src = value->data;
    value->data = p;

    ngx_unescape_uri(&p, &src, value->len, 0);

    value->len = p - value->data;

    return NGX_OK;
}


ngx_int_t
ngx_http_olivine_arg_number(ngx_http_olivine_answer_t *answer,
    const char *name, ngx_int_t min, ngx_int_t max, ngx_int_t *n)
{
    ngx_int_t  number;
    ngx_str_t  value;

    if (ngx_http_olivine_arg(answer, name, &value) != NGX_OK) {
        return NGX_OK;
    }

    number = ngx_atoi(value.data, value.len);

    if (number == NGX_ERROR || number < min || number > max) {
        (void) ngx_http_olivine_refuse(answer, NGX_HTTP_BAD_REQUEST,
                                       "400: \"%s\" is a number from %i to "
                                       "%i.", name, min, max);
        return NGX_DECLINED;
    }

    *n = number;

    return NGX_OK;
}


static ngx_buf_t *
ngx_http_olivine_text_buf(ngx_http_olivine_answer_t *answer, size_t need)
{
    ngx_buf_t  *b;

    b = answer->buf;

    if (b && (size_t) (b->end - b->last) >= need) {
        return b;
    }

    b = ngx_create_temp_buf(answer->request->pool,
                            ngx_max(need, NGX_HTTP_OLIVINE_TEXT_BUF));
    if (b == NULL) {
        answer->failed = 1;
        return NULL;
    }

    if (ngx_http_olivine_text_link(answer, b) != NGX_OK) {
        return NULL;
    }

    answer->buf = b;

    return b;
}


static ngx_int_t
ngx_http_olivine_text_link(ngx_http_olivine_answer_t *answer, ngx_buf_t *b)
{
    ngx_chain_t  *cl;

    cl = ngx_alloc_chain_link(answer->request->pool);

    if (cl == NULL) {
        answer->failed = 1;
        return NGX_ERROR;
    }

    cl->buf = b;
    cl->next = NULL;

    *answer->last = cl;
    answer->last = &cl->next;

    return NGX_OK;
}
