
/*
 * Copyright (C) The Olivine authors
 *
 * Writes messages of protocol buffers into memory that grows.  When memory
 * lacks, or there would be more than its limit, `failed` is set and nothing
 * more is written; it is looked at once, at the end.
 */


#ifndef _NGX_OLIVINE_PROTO_H_INCLUDED_
#define _NGX_OLIVINE_PROTO_H_INCLUDED_


#include "base/ngx_olivine_base.h"


typedef struct {
    u_char     *data;
    size_t      len;
    size_t      size;
    size_t      max;
    unsigned    failed:1;
} ngx_olivine_proto_t;


/* Adds bytes as they are. */
void ngx_olivine_proto_bytes(ngx_olivine_proto_t *p, const void *data,
    size_t len);

/* printf() as nginx knows it, of at most 512 bytes. */
void ngx_olivine_proto_print(ngx_olivine_proto_t *p, const char *fmt, ...);

/* A number without a field. */
void ngx_olivine_proto_varint(ngx_olivine_proto_t *p, uint64_t n);

/* A field that is a number; 0 is what a reader takes where it lacks. */
void ngx_olivine_proto_number(ngx_olivine_proto_t *p, ngx_uint_t field,
    uint64_t n);

void ngx_olivine_proto_text(ngx_olivine_proto_t *p, ngx_uint_t field,
    ngx_str_t *text);

/*
 * A field that is a message: what was written since open becomes its content.
 */
#define ngx_olivine_proto_open(p)  (p)->len

void ngx_olivine_proto_close(ngx_olivine_proto_t *p, ngx_uint_t field,
    size_t start);


#endif /* _NGX_OLIVINE_PROTO_H_INCLUDED_ */
