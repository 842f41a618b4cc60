
/*
 * Copyright (C) The Olivine authors
 */


#include "prof/ngx_olivine_proto.h"


#define NGX_OLIVINE_PROTO_FIRST   4096
#define NGX_OLIVINE_PROTO_PRINT   512
#define NGX_OLIVINE_PROTO_VARINT  10

#define NGX_OLIVINE_PROTO_COUNT   0            /* wire types */
#define NGX_OLIVINE_PROTO_LEN     2


static u_char *ngx_olivine_proto_put(u_char *to, uint64_t n);


void
ngx_olivine_proto_bytes(ngx_olivine_proto_t *p, const void *data, size_t len)
{
    size_t   size;
    u_char  *larger;

    if (p->failed || len > p->max - p->len) {
        p->failed = 1;
        return;
    }

    if (len > p->size - p->len) {
        size = ngx_max(p->size * 2, NGX_OLIVINE_PROTO_FIRST);
        size = ngx_min(ngx_max(size, p->len + len), p->max);

        larger = realloc(p->data, size);

        if (larger == NULL) {
            p->failed = 1;
            return;
        }

        p->data = larger;
        p->size = size;
    }

    ngx_memcpy(p->data + p->len, data, len);
    p->len += len;
}


void
ngx_olivine_proto_print(ngx_olivine_proto_t *p, const char *fmt, ...)
{
    u_char   *last, text[NGX_OLIVINE_PROTO_PRINT];
    va_list   args;

    va_start(args, fmt);
    last = ngx_vslprintf(text, text + sizeof(text), fmt, args);
    va_end(args);

    ngx_olivine_proto_bytes(p, text, last - text);
}


void
ngx_olivine_proto_varint(ngx_olivine_proto_t *p, uint64_t n)
{
    u_char  buf[NGX_OLIVINE_PROTO_VARINT];

    ngx_olivine_proto_bytes(p, buf, ngx_olivine_proto_put(buf, n) - buf);
}


void
ngx_olivine_proto_number(ngx_olivine_proto_t *p, ngx_uint_t field, uint64_t n)
{
    if (n) {
        ngx_olivine_proto_varint(p, field << 3 | NGX_OLIVINE_PROTO_COUNT);
        ngx_olivine_proto_varint(p, n);
    }
}


void
ngx_olivine_proto_text(ngx_olivine_proto_t *p, ngx_uint_t field,
    ngx_str_t *text)
{
    ngx_olivine_proto_varint(p, field << 3 | NGX_OLIVINE_PROTO_LEN);
    ngx_olivine_proto_varint(p, text->len);
    ngx_olivine_proto_bytes(p, text->data, text->len);
}


void
ngx_olivine_proto_close(ngx_olivine_proto_t *p, ngx_uint_t field, size_t start)
{
    size_t   len, head;
    u_char  *last, buf[2 * NGX_OLIVINE_PROTO_VARINT];

    len = p->len - start;

    last = ngx_olivine_proto_put(buf, field << 3 | NGX_OLIVINE_PROTO_LEN);
    last = ngx_olivine_proto_put(last, len);
    head = last - buf;

    ngx_olivine_proto_bytes(p, buf, head);        /* makes the room */

    if (p->failed) {
        return;
    }

    ngx_memmove(p->data + start + head, p->data + start, len);
    ngx_memcpy(p->data + start, buf, head);
}


static u_char *
ngx_olivine_proto_put(u_char *to, uint64_t n)
{
    while (n >= 0x80) {
        *to++ = (u_char) (n | 0x80);
        n >>= 7;
    }

    *to++ = (u_char) n;

    return to;
}
