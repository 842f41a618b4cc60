
/*
 * Copyright (C) The Olivine authors
 *
 * Effects: what the log gets of a command, as RESP.
 *
 * They are gathered behind room for a MULTI, so that several become one
 * transaction without moving; the SELECT is put before by the commit.  Of a
 * long argument there is only the stub of a payload.
 */


#include "command/ngx_olivine_command.h"


#define NGX_OLIVINE_EFFECT_MULTI   "*1" CRLF "$5" CRLF "MULTI" CRLF
#define NGX_OLIVINE_EFFECT_EXEC    "*1" CRLF "$4" CRLF "EXEC" CRLF

#define NGX_OLIVINE_EFFECT_FRONT   (sizeof(NGX_OLIVINE_EFFECT_MULTI) - 1)
#define NGX_OLIVINE_EFFECT_BACK    (sizeof(NGX_OLIVINE_EFFECT_EXEC) - 1)

/* a header: a letter, a length, CRLF */
#define NGX_OLIVINE_EFFECT_HEAD    (1 + NGX_OLIVINE_U64_LEN + 2)

#define ngx_olivine_effect_big(len, loads)                                    \
    (ngx_olivine_unlikely((len) > NGX_OLIVINE_PAYLOAD)                        \
     && (loads) < NGX_OLIVINE_PAYLOADS_RECORD)


static ngx_int_t ngx_olivine_effect_select(ngx_olivine_cx_t *cx,
    uint32_t db);
static u_char *ngx_olivine_effect_begin(ngx_olivine_cx_t *cx, size_t size,
    ngx_uint_t n);
static u_char *ngx_olivine_effect_room(ngx_olivine_cx_t *cx, size_t size,
    ngx_uint_t n);
static size_t ngx_olivine_effect_size(size_t len, ngx_uint_t *loads);
static u_char *ngx_olivine_effect_arg(ngx_olivine_cx_t *cx, u_char *p,
    u_char *data, size_t len);
static u_char *ngx_olivine_effect_payload(ngx_olivine_cx_t *cx, u_char *p,
    u_char *data, size_t len);
static void ngx_olivine_effect_lacks(ngx_olivine_cx_t *cx, ngx_int_t rc);


void
ngx_olivine_cx_effect(ngx_olivine_cx_t *cx, ngx_uint_t n, ...)
{
    size_t       size;
    u_char      *p;
    va_list      args;
    ngx_str_t   *arg;
    ngx_uint_t   i, loads;

    if (ngx_olivine_likely(!cx->logging)) {
        return;
    }

    size = 0;
    loads = cx->tx->nloads;
    va_start(args, n);

    for (i = 0; i < n; i++) {
        arg = va_arg(args, ngx_str_t *);
        size += ngx_olivine_effect_size(arg->len, &loads);
    }

    va_end(args);

    p = ngx_olivine_effect_begin(cx, size, n);
    if (p == NULL) {
        return;
    }

    va_start(args, n);

    for (i = 0; i < n; i++) {
        arg = va_arg(args, ngx_str_t *);
        p = ngx_olivine_effect_arg(cx, p, arg->data, arg->len);
    }

    va_end(args);

    cx->noted.len = p - cx->effect;
}


void
ngx_olivine_cx_effect_self(ngx_olivine_cx_t *cx)
{
    size_t             size;
    u_char            *p;
    ngx_uint_t         i, loads;
    const ngx_str_t   *name;

    if (ngx_olivine_likely(!cx->logging)) {
        return;
    }

    /* who reads the log may know another name of it, or none */

    name = &cx->command->name;
    size = ngx_max(name->len, cx->argv[0].len);

    loads = cx->tx->nloads;

    for (i = 1; i < cx->argc; i++) {
        size += ngx_olivine_effect_size(cx->argv[i].len, &loads);
    }

    p = ngx_olivine_effect_begin(cx, size, cx->argc);
    if (p == NULL) {
        return;
    }

    if (cx->renames) {
        p = ngx_olivine_effect_arg(cx, p, name->data, name->len);

    } else {
        p = ngx_olivine_effect_arg(cx, p, cx->argv[0].data, cx->argv[0].len);
    }

    for (i = 1; i < cx->argc; i++) {
        p = ngx_olivine_effect_arg(cx, p, cx->argv[i].data, cx->argv[i].len);
    }

    cx->noted.len = p - cx->effect;
}


ngx_int_t
ngx_olivine_effect_record(ngx_olivine_cx_t *cx, u_char **record, size_t *len)
{
    if (cx->noted.db != cx->noted.first
        && ngx_olivine_effect_select(cx, cx->noted.first) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (cx->noted.n == 1) {
        *record = cx->effect + NGX_OLIVINE_EFFECT_FRONT;
        *len = cx->noted.len - NGX_OLIVINE_EFFECT_FRONT;

        ngx_olivine_payload_shift(cx->tx, NGX_OLIVINE_EFFECT_FRONT);

    } else {
        ngx_memcpy(cx->effect, NGX_OLIVINE_EFFECT_MULTI,
                   NGX_OLIVINE_EFFECT_FRONT);
        ngx_memcpy(cx->effect + cx->noted.len, NGX_OLIVINE_EFFECT_EXEC,
                   NGX_OLIVINE_EFFECT_BACK);

        *record = cx->effect;
        *len = cx->noted.len + NGX_OLIVINE_EFFECT_BACK;
    }

    if (ngx_olivine_unlikely(*len > ngx_olivine_ring_record(&cx->zone->ring)))
    {
        return ngx_olivine_payload_spill(cx->tx, *record, len);
    }

    return NGX_OK;
}


/*
 * Another database in the middle of a record.  The log is told the first one
 * only, so a record ends with it, too.
 */

static ngx_int_t
ngx_olivine_effect_select(ngx_olivine_cx_t *cx, uint32_t db)
{
    u_char  text[NGX_OLIVINE_U64_LEN], *p;
    size_t  len;

    len = ngx_olivine_number_print_u64(text, db) - text;

    p = ngx_olivine_effect_room(cx, sizeof("SELECT") - 1 + len, 2);
    if (p == NULL) {
        return NGX_ERROR;
    }

    p = ngx_olivine_effect_arg(cx, p, (u_char *) "SELECT",
                               sizeof("SELECT") - 1);
    p = ngx_olivine_effect_arg(cx, p, text, len);

    cx->noted.len = p - cx->effect;
    cx->noted.db = db;

    return NGX_OK;
}


/* Room for n arguments of size bytes in all, and their number written. */

static u_char *
ngx_olivine_effect_begin(ngx_olivine_cx_t *cx, size_t size, ngx_uint_t n)
{
    uint32_t  db;

    db = cx->caller->db;

    if (cx->noted.n == 0) {
        cx->noted.len = NGX_OLIVINE_EFFECT_FRONT;
        cx->noted.first = db;
        cx->noted.db = db;

    } else if (cx->noted.db != db
               && ngx_olivine_effect_select(cx, db) != NGX_OK)
    {
        return NULL;
    }

    return ngx_olivine_effect_room(cx, size, n);
}


static u_char *
ngx_olivine_effect_room(ngx_olivine_cx_t *cx, size_t size, ngx_uint_t n)
{
    u_char  *p;
    size_t   need;

    need = cx->noted.len + size + (n + 1) * (NGX_OLIVINE_EFFECT_HEAD + 2)
           + NGX_OLIVINE_EFFECT_BACK;

    if (need > cx->effect_alloc) {
        need *= 2;

        p = ngx_alloc(need, ngx_cycle->log);
        if (p == NULL) {
            cx->failed = 1;
            return NULL;
        }

        if (cx->effect) {
            ngx_memcpy(p, cx->effect, cx->noted.len);
            ngx_free(cx->effect);
        }

        cx->effect = p;
        cx->effect_alloc = need;
    }

    cx->noted.n++;

    p = cx->effect + cx->noted.len;

    *p++ = '*';
    p = ngx_olivine_number_print_u64(p, n);
    *p++ = CR;
    *p++ = LF;

    return p;
}


/* Bytes of the effect for an argument; how many have become payloads. */

static size_t
ngx_olivine_effect_size(size_t len, ngx_uint_t *loads)
{
    if (ngx_olivine_effect_big(len, *loads)) {
        (*loads)++;
        return NGX_OLIVINE_PAYLOAD_STUB;
    }

    return len;
}


static u_char *
ngx_olivine_effect_arg(ngx_olivine_cx_t *cx, u_char *p, u_char *data,
    size_t len)
{
    *p++ = '$';
    p = ngx_olivine_number_print_u64(p, len);
    *p++ = CR;
    *p++ = LF;

    if (ngx_olivine_effect_big(len, cx->tx->nloads)) {
        p = ngx_olivine_effect_payload(cx, p, data, len);

    } else {
        p = ngx_cpymem(p, data, len);
    }

    *p++ = CR;
    *p++ = LF;

    return p;
}


static u_char *
ngx_olivine_effect_payload(ngx_olivine_cx_t *cx, u_char *p, u_char *data,
    size_t len)
{
    ngx_olivine_effect_lacks(cx, ngx_olivine_payload_add(cx->tx,
                                                         p - cx->effect,
                                                         data, len));

    ngx_memzero(p, NGX_OLIVINE_PAYLOAD_STUB);

    return p + NGX_OLIVINE_PAYLOAD_STUB;
}


static void
ngx_olivine_effect_lacks(ngx_olivine_cx_t *cx, ngx_int_t rc)
{
    if (rc == NGX_AGAIN) {
        cx->lacking = 1;

    } else if (rc != NGX_OK) {
        cx->failed = 1;
    }
}
