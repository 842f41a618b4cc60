
/*
 * Copyright (C) The Olivine authors
 *
 * Effects: what the log gets of a command, as RESP.
 *
 * They are gathered behind room for a MULTI, so that several become one
 * transaction without moving; the SELECT is put before by the commit.
 */


#include "command/ngx_olivine_command.h"


#define NGX_OLIVINE_EFFECT_MULTI   "*1" CRLF "$5" CRLF "MULTI" CRLF
#define NGX_OLIVINE_EFFECT_EXEC    "*1" CRLF "$4" CRLF "EXEC" CRLF

#define NGX_OLIVINE_EFFECT_FRONT   (sizeof(NGX_OLIVINE_EFFECT_MULTI) - 1)
#define NGX_OLIVINE_EFFECT_BACK    (sizeof(NGX_OLIVINE_EFFECT_EXEC) - 1)

/* a header: a letter, a length, CRLF */
#define NGX_OLIVINE_EFFECT_HEAD    (1 + NGX_OLIVINE_U64_LEN + 2)


static u_char *ngx_olivine_effect_begin(ngx_olivine_cx_t *cx, size_t size,
    ngx_uint_t n);
static u_char *ngx_olivine_effect_arg(u_char *p, u_char *data, size_t len);


void
ngx_olivine_cx_effect(ngx_olivine_cx_t *cx, ngx_uint_t n, ...)
{
    size_t       size;
    u_char      *p;
    va_list      args;
    ngx_str_t   *arg;
    ngx_uint_t   i;

    if (ngx_olivine_likely(!cx->logging)) {
        return;
    }

    size = 0;
    va_start(args, n);

    for (i = 0; i < n; i++) {
        size += va_arg(args, ngx_str_t *)->len;
    }

    va_end(args);

    p = ngx_olivine_effect_begin(cx, size, n);
    if (p == NULL) {
        return;
    }

    va_start(args, n);

    for (i = 0; i < n; i++) {
        arg = va_arg(args, ngx_str_t *);
        p = ngx_olivine_effect_arg(p, arg->data, arg->len);
    }

    va_end(args);

    cx->effect_len = p - cx->effect;
}


void
ngx_olivine_cx_effect_self(ngx_olivine_cx_t *cx)
{
    size_t       size;
    u_char      *p;
    ngx_uint_t   i;

    if (ngx_olivine_likely(!cx->logging)) {
        return;
    }

    size = 0;

    for (i = 0; i < cx->argc; i++) {
        size += cx->argv[i].len;
    }

    p = ngx_olivine_effect_begin(cx, size, cx->argc);
    if (p == NULL) {
        return;
    }

    for (i = 0; i < cx->argc; i++) {
        p = ngx_olivine_effect_arg(p, cx->argv[i].data, cx->argv[i].len);
    }

    cx->effect_len = p - cx->effect;
}


ngx_int_t
ngx_olivine_effect_record(ngx_olivine_cx_t *cx, u_char **record, size_t *len)
{
    if (cx->effects == 1) {
        *record = cx->effect + NGX_OLIVINE_EFFECT_FRONT;
        *len = cx->effect_len - NGX_OLIVINE_EFFECT_FRONT;

        return NGX_OK;
    }

    ngx_memcpy(cx->effect, NGX_OLIVINE_EFFECT_MULTI, NGX_OLIVINE_EFFECT_FRONT);
    ngx_memcpy(cx->effect + cx->effect_len, NGX_OLIVINE_EFFECT_EXEC,
               NGX_OLIVINE_EFFECT_BACK);

    *record = cx->effect;
    *len = cx->effect_len + NGX_OLIVINE_EFFECT_BACK;

    return NGX_OK;
}


/* Room for n arguments of size bytes in all, and their number written. */

static u_char *
ngx_olivine_effect_begin(ngx_olivine_cx_t *cx, size_t size, ngx_uint_t n)
{
    u_char  *p;
    size_t   need;

    if (cx->effects == 0) {
        cx->effect_len = NGX_OLIVINE_EFFECT_FRONT;
    }

    need = cx->effect_len + size + (n + 1) * (NGX_OLIVINE_EFFECT_HEAD + 2)
           + NGX_OLIVINE_EFFECT_BACK;

    if (need > cx->effect_alloc) {
        need *= 2;

        p = ngx_alloc(need, ngx_cycle->log);
        if (p == NULL) {
            cx->failed = 1;
            return NULL;
        }

        if (cx->effect) {
            ngx_memcpy(p, cx->effect, cx->effect_len);
            ngx_free(cx->effect);
        }

        cx->effect = p;
        cx->effect_alloc = need;
    }

    cx->effects++;

    p = cx->effect + cx->effect_len;

    *p++ = '*';
    p = ngx_olivine_number_print_u64(p, n);
    *p++ = CR;
    *p++ = LF;

    return p;
}


static u_char *
ngx_olivine_effect_arg(u_char *p, u_char *data, size_t len)
{
    *p++ = '$';
    p = ngx_olivine_number_print_u64(p, len);
    *p++ = CR;
    *p++ = LF;

    p = ngx_cpymem(p, data, len);

    *p++ = CR;
    *p++ = LF;

    return p;
}
