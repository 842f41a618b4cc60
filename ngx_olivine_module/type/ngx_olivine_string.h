
/*
 * Copyright (C) The Olivine authors
 *
 * Strings: which encoding bytes get, and how any encoding reads as bytes.
 */


#ifndef _NGX_OLIVINE_STRING_H_INCLUDED_
#define _NGX_OLIVINE_STRING_H_INCLUDED_


#include "type/ngx_olivine_type.h"
#include "base/ngx_olivine_number.h"


/* the longest text that Redis calls embstr */
#define NGX_OLIVINE_STRING_EMBEDDED  44


/* The value of bytes as SET stores them: a number if they read as one. */
void ngx_olivine_string_set(ngx_olivine_value_t *value, u_char *data,
    size_t len);

/* The same for bytes that are to stay bytes (APPEND, SETRANGE). */
void ngx_olivine_string_set_raw(ngx_olivine_value_t *value, u_char *data,
    size_t len);

/* The same for text that looks like a number and is none (INCRBYFLOAT). */
void ngx_olivine_string_set_text(ngx_olivine_value_t *value, u_char *data,
    size_t len);

void ngx_olivine_string_set_number(ngx_olivine_value_t *value, int64_t n);

/*
 * The bytes of a string; a number is printed into buf, which has room for
 * NGX_OLIVINE_I64_LEN bytes.
 */
void ngx_olivine_string_text(ngx_olivine_value_t *value, u_char *buf,
    ngx_str_t *text);

/* OK (n), or DECLINED if it is not a 64-bit number. */
ngx_int_t ngx_olivine_string_number(ngx_olivine_value_t *value, int64_t *n);

/* The same of a long double. */
ngx_int_t ngx_olivine_string_long(ngx_olivine_value_t *value, long double *d);

size_t ngx_olivine_string_len(ngx_olivine_value_t *value);


#endif /* _NGX_OLIVINE_STRING_H_INCLUDED_ */
