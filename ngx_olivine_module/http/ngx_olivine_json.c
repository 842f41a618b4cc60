
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_olivine_json.h"


/* the longest that one byte becomes: "\u0000", or "\\x00" */
#define NGX_OLIVINE_JSON_BYTE  6


static size_t ngx_olivine_json_utf8(const u_char *p, size_t len);


void
ngx_olivine_json_string(ngx_olivine_buffer_t *b, const u_char *p, size_t len)
{
    size_t   n;
    u_char  *to;

    to = ngx_olivine_buffer_room(b, len * NGX_OLIVINE_JSON_BYTE + 2);
    if (to == NULL) {
        return;
    }

    *to++ = '"';

    while (len) {

        if (*p == '"' || *p == '\\') {
            *to++ = '\\';
            *to++ = *p;
            n = 1;

        } else if (*p < 0x20 || *p == 0x7f) {
            to = ngx_sprintf(to, "\\u%04xd", (int) *p);
            n = 1;

        } else {
            n = ngx_olivine_json_utf8(p, len);

            if (n) {
                to = ngx_cpymem(to, p, n);

            } else {
                to = ngx_sprintf(to, "\\\\x%02xd", (int) *p);
                n = 1;
            }
        }

        p += n;
        len -= n;
    }

    *to++ = '"';

    b->len = to - b->data;
}


/* Bytes of the character, 0: it is none. */

static size_t
ngx_olivine_json_utf8(const u_char *p, size_t len)
{
    u_char    *next;
    uint32_t   c;

    if (*p < 0x80) {
        return 1;
    }

    next = (u_char *) p;
    c = ngx_utf8_decode(&next, len);

    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        return 0;
    }

    return next - p;
}


void
ngx_olivine_json_next(ngx_olivine_buffer_t *b)
{
    u_char  last;

    last = b->len ? b->data[b->len - 1] : '{';

    if (last != '{' && last != '[') {
        ngx_olivine_buffer_add(b, (u_char *) ",", 1);
    }
}


void
ngx_olivine_json_name(ngx_olivine_buffer_t *b, const char *name)
{
    ngx_olivine_json_next(b);
    ngx_olivine_buffer_print(b, "\"%s\":", name);
}


void
ngx_olivine_json_text(ngx_olivine_buffer_t *b, const char *name,
    const char *text)
{
    ngx_olivine_json_name(b, name);
    ngx_olivine_json_string(b, (u_char *) text, ngx_strlen(text));
}


void
ngx_olivine_json_number(ngx_olivine_buffer_t *b, const char *name, uint64_t n)
{
    ngx_olivine_json_name(b, name);
    ngx_olivine_buffer_print(b, "%uL", n);
}


void
ngx_olivine_json_signed(ngx_olivine_buffer_t *b, const char *name, int64_t n)
{
    ngx_olivine_json_name(b, name);
    ngx_olivine_buffer_print(b, "%L", n);
}


void
ngx_olivine_json_flag(ngx_olivine_buffer_t *b, const char *name, ngx_uint_t on)
{
    ngx_olivine_json_name(b, name);
    ngx_olivine_buffer_print(b, "%s", on ? "true" : "false");
}


void
ngx_olivine_json_begin(ngx_olivine_buffer_t *b, const char *name, u_char c)
{
    if (name) {
        ngx_olivine_json_name(b, name);

    } else {
        ngx_olivine_json_next(b);
    }

    ngx_olivine_buffer_add(b, &c, 1);
}


void
ngx_olivine_json_end(ngx_olivine_buffer_t *b, u_char c)
{
    ngx_olivine_buffer_add(b, &c, 1);
}
