
/*
 * Copyright (C) The Olivine authors
 *
 * A buffer that grows, for replies whose length must be known before they
 * begin.  It is the handler's own: freed on every way out.
 */


#ifndef _NGX_OLIVINE_BUFFER_H_INCLUDED_
#define _NGX_OLIVINE_BUFFER_H_INCLUDED_


#include "base/ngx_olivine_base.h"


typedef struct {
    u_char      *data;
    size_t       len;
    size_t       alloc;
    ngx_uint_t   failed;                     /* unsigned  failed:1; */
} ngx_olivine_buffer_t;


/* longest text of one ngx_olivine_buffer_print(); more is cut */
#define NGX_OLIVINE_BUFFER_PRINT  1024


/*
 * Room for n more bytes behind data + len, or NULL; "failed" then stays set,
 * so a caller may test only that, at the end.
 */
u_char *ngx_olivine_buffer_room(ngx_olivine_buffer_t *b, size_t n);

void ngx_olivine_buffer_add(ngx_olivine_buffer_t *b, const u_char *data,
    size_t len);

/* the same as a bulk of RESP */
void ngx_olivine_buffer_bulk(ngx_olivine_buffer_t *b, const u_char *data,
    size_t len);

/* by nginx's formats */
void ngx_olivine_buffer_print(ngx_olivine_buffer_t *b, const char *fmt, ...);

void ngx_olivine_buffer_free(ngx_olivine_buffer_t *b);


#endif /* _NGX_OLIVINE_BUFFER_H_INCLUDED_ */
