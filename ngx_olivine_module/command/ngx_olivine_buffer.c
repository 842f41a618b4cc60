
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_buffer.h"
#include "base/ngx_olivine_number.h"


#define NGX_OLIVINE_BUFFER_FIRST  1024


u_char *
ngx_olivine_buffer_room(ngx_olivine_buffer_t *b, size_t n)
{
    u_char  *data;
    size_t   alloc;

    if (b->alloc - b->len >= n) {
        return b->data + b->len;
    }

    if (b->failed || n > NGX_MAX_SIZE_T_VALUE / 2 - b->len) {
        b->failed = 1;
        return NULL;
    }

    alloc = ngx_max(b->alloc * 2, NGX_OLIVINE_BUFFER_FIRST);
    alloc = ngx_max(alloc, b->len + n);

    data = realloc(b->data, alloc);

    if (data == NULL) {
        b->failed = 1;
        return NULL;
    }

    b->data = data;
    b->alloc = alloc;

    return data + b->len;
}


void
ngx_olivine_buffer_add(ngx_olivine_buffer_t *b, const u_char *data, size_t len)
{
    u_char  *p;

    if (len == 0) {
        return;
    }

    p = ngx_olivine_buffer_room(b, len);

    if (p) {
        ngx_memcpy(p, data, len);
        b->len += len;
    }
}


void
ngx_olivine_buffer_bulk(ngx_olivine_buffer_t *b, const u_char *data,
    size_t len)
{
    u_char  *p;

    p = ngx_olivine_buffer_room(b, 1 + NGX_OLIVINE_U64_LEN + 2 + len + 2);

    if (p == NULL) {
        return;
    }

    *p++ = '$';
    p = ngx_olivine_number_print_u64(p, len);
    *p++ = CR;
    *p++ = LF;
    p = ngx_cpymem(p, data, len);
    *p++ = CR;
    *p++ = LF;

    b->len = p - b->data;
}


void
ngx_olivine_buffer_print(ngx_olivine_buffer_t *b, const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    p = ngx_olivine_buffer_room(b, NGX_OLIVINE_BUFFER_PRINT);

    if (p == NULL) {
        return;
    }

    va_start(args, fmt);
    p = ngx_vslprintf(p, p + NGX_OLIVINE_BUFFER_PRINT, fmt, args);
    va_end(args);

    b->len = p - b->data;
}


void
ngx_olivine_buffer_free(ngx_olivine_buffer_t *b)
{
    if (b->data) {
        ngx_free(b->data);
    }

    ngx_memzero(b, sizeof(ngx_olivine_buffer_t));
}
