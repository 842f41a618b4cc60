
/*
 * Copyright (C) The Olivine authors
 *
 * Parts of the RDB format that values and files, saving and loading share.
 */


#ifndef _NGX_OLIVINE_RDB_CODEC_H_INCLUDED_
#define _NGX_OLIVINE_RDB_CODEC_H_INCLUDED_


#include "rdb/ngx_olivine_rdb.h"


/* the two high bits of a length's first byte, and what follows */
#define NGX_OLIVINE_RDB_LEN_6     0x00
#define NGX_OLIVINE_RDB_LEN_14    0x40
#define NGX_OLIVINE_RDB_LEN_BIG   0x80
#define NGX_OLIVINE_RDB_LEN_ENC   0xc0

#define NGX_OLIVINE_RDB_LEN_32    0x80
#define NGX_OLIVINE_RDB_LEN_64    0x81

/* with NGX_OLIVINE_RDB_LEN_ENC: no length, but */
#define NGX_OLIVINE_RDB_INT8      0
#define NGX_OLIVINE_RDB_INT16     1
#define NGX_OLIVINE_RDB_INT32     2
#define NGX_OLIVINE_RDB_LZF       3

/* value types */
#define NGX_OLIVINE_RDB_STRING    0
#define NGX_OLIVINE_RDB_MODULE    7

/* in a file, where a value's type would be */
#define NGX_OLIVINE_RDB_SLOT_IMPORT    243     /* Valkey's */
#define NGX_OLIVINE_RDB_SLOT_INFO      244
#define NGX_OLIVINE_RDB_FUNCTION       245
#define NGX_OLIVINE_RDB_FUNCTION_OLD   246
#define NGX_OLIVINE_RDB_MODULE_AUX     247
#define NGX_OLIVINE_RDB_IDLE           248
#define NGX_OLIVINE_RDB_FREQ           249
#define NGX_OLIVINE_RDB_AUX            250
#define NGX_OLIVINE_RDB_RESIZEDB       251
#define NGX_OLIVINE_RDB_EXPIRETIME_MS  252
#define NGX_OLIVINE_RDB_EXPIRETIME     253
#define NGX_OLIVINE_RDB_SELECTDB       254
#define NGX_OLIVINE_RDB_EOF            255

/* the longest length, with its first byte */
#define NGX_OLIVINE_RDB_LEN_MAX   9

/* texts up to here may be a number of 32 bits; longer than that, compressed */
#define NGX_OLIVINE_RDB_DIGITS    11
#define NGX_OLIVINE_RDB_SHORT     20

/* three bytes of LZF name at most so many */
#define NGX_OLIVINE_RDB_LZF_RUN   264

/* texts up to here are gathered, longer ones are put as they lie */
#define NGX_OLIVINE_RDB_GATHERED  512


/*
 * Loading.  What ends too early is AGAIN, and says in in->lack how many bytes
 * are needed at least, so that it can be tried again from its beginning when
 * they have come; what cannot become right is DECLINED.
 */

/* Is there what loads values of this type?  0 or 1. */
ngx_uint_t ngx_olivine_rdb_known(ngx_uint_t code);

/* The body of a value whose type is known.  OK, AGAIN, DECLINED, ERROR. */
ngx_int_t ngx_olivine_rdb_load_body(ngx_olivine_rdb_in_t *in, ngx_uint_t code,
    ngx_olivine_value_t *value);

/*
 * A string as text.  It lies in the input, in in->memory (which is used again
 * if it is large enough), or in buf (NGX_OLIVINE_I64_LEN).  As above.
 */
ngx_int_t ngx_olivine_rdb_load_text(ngx_olivine_rdb_in_t *in, u_char *buf,
    ngx_str_t *text);

/* encoded: no length, but a way of encoding.  OK, AGAIN, DECLINED. */
ngx_int_t ngx_olivine_rdb_load_length(ngx_olivine_rdb_in_t *in, uint64_t *len,
    ngx_uint_t *encoded);

/* The same where only a length may stand. */
ngx_int_t ngx_olivine_rdb_load_number(ngx_olivine_rdb_in_t *in, uint64_t *n);

/* So many bytes as they are.  OK or AGAIN. */
ngx_int_t ngx_olivine_rdb_load_bytes(ngx_olivine_rdb_in_t *in, size_t len,
    u_char **p);

/* What a type of values is called, for messages, or NULL. */
const char *ngx_olivine_rdb_name(ngx_uint_t code);

/* The head of a module's own data, with its name.  OK, AGAIN, DECLINED. */
ngx_int_t ngx_olivine_rdb_load_module(ngx_olivine_rdb_in_t *in, u_char *name);

/* A part of it, behind which so many bytes are to be skipped; DONE: the end. */
ngx_int_t ngx_olivine_rdb_load_module_part(ngx_olivine_rdb_in_t *in,
    uint64_t *skip);

/* The NGX_OLIVINE_RDB_MODULE_NAME letters that an id stands for. */
void ngx_olivine_rdb_module_name(uint64_t id, u_char *name);


/*
 * Saving.  These gather; ngx_olivine_rdb_flush() puts what there is.  ERROR
 * is what putting said.
 */

/* Room for len bytes in out->buf, to be written at out->pos.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_room(ngx_olivine_rdb_out_t *out, size_t len);

/* Bytes as they are.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_save_bytes(ngx_olivine_rdb_out_t *out, u_char *data,
    size_t len, ngx_uint_t stays);

/* A string.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_save_text(ngx_olivine_rdb_out_t *out,
    ngx_str_t *text, ngx_uint_t stays);

/* A value: type and body; between them goes the key, if any.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_save_entry(ngx_olivine_rdb_out_t *out,
    ngx_str_t *key, ngx_olivine_value_t *value);

/* What was gathered is put.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_flush(ngx_olivine_rdb_out_t *out);

/* Puts and sums, when nothing is gathered.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_put(ngx_olivine_rdb_out_t *out, u_char *data,
    size_t len, ngx_uint_t stays);

/* Writes at most NGX_OLIVINE_RDB_LEN_MAX bytes, returns the end. */
u_char *ngx_olivine_rdb_print_length(u_char *p, uint64_t len);

/* Writes 8 bytes, the lowest first, returns the end. */
u_char *ngx_olivine_rdb_print_u64(u_char *p, uint64_t n);


#endif /* _NGX_OLIVINE_RDB_CODEC_H_INCLUDED_ */
