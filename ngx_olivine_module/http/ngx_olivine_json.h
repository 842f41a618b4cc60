
/*
 * Copyright (C) The Olivine authors
 *
 * Parts of a JSON text.
 */


#ifndef _NGX_OLIVINE_JSON_H_INCLUDED_
#define _NGX_OLIVINE_JSON_H_INCLUDED_


#include "command/ngx_olivine_buffer.h"


/*
 * A string, quoted.  Bytes that are no UTF-8 become "\xNN", as text.
 */
void ngx_olivine_json_string(ngx_olivine_buffer_t *b, const u_char *p,
    size_t len);

/* A member of an object: a comma unless it is the first, its name, a colon. */
void ngx_olivine_json_name(ngx_olivine_buffer_t *b, const char *name);

void ngx_olivine_json_text(ngx_olivine_buffer_t *b, const char *name,
    const char *text);
void ngx_olivine_json_number(ngx_olivine_buffer_t *b, const char *name,
    uint64_t n);
void ngx_olivine_json_signed(ngx_olivine_buffer_t *b, const char *name,
    int64_t n);
void ngx_olivine_json_flag(ngx_olivine_buffer_t *b, const char *name,
    ngx_uint_t on);

/* A comma, unless an array or an object has just begun. */
void ngx_olivine_json_next(ngx_olivine_buffer_t *b);

/* name: of a member, or NULL for one of an array; c: '[' or '{'. */
void ngx_olivine_json_begin(ngx_olivine_buffer_t *b, const char *name,
    u_char c);
void ngx_olivine_json_end(ngx_olivine_buffer_t *b, u_char c);


#endif /* _NGX_OLIVINE_JSON_H_INCLUDED_ */
