
/*
 * Copyright (C) The Olivine authors
 *
 * Writes a whole RDB file, item by item, in the version that Redis 7.0 has:
 *
 *     begin, { db, key ... } ..., end
 *
 * Each call puts what it has made, usually at once; a text that lies in a
 * value and is longer than half a KB is put by itself, with "stays" set if it
 * is not compressed.  All answer OK, or ERROR if putting did.
 *
 * out->checksum and out->compress are chosen before the first call.
 */


#ifndef _NGX_OLIVINE_RDB_WRITE_H_INCLUDED_
#define _NGX_OLIVINE_RDB_WRITE_H_INCLUDED_


#include "rdb/ngx_olivine_rdb.h"


/*
 * A good out->compress for files.  Compressing goes through 350 MB a second
 * where it finds nothing, so longer values would hold up whoever writes for
 * about a millisecond each; and they would have to be copied, where otherwise
 * they are put as they lie.
 */
#define NGX_OLIVINE_RDB_COMPRESS  (256 * 1024)


/* what is said of the writer */
typedef struct {
    ngx_str_t    version;        /* "redis-ver" */
    int64_t      time;           /* "ctime": seconds since 1970 */
    uint64_t     memory;         /* "used-mem" */
    unsigned     aof_base:1;     /* it is what increments of an AOF go on */
} ngx_olivine_rdb_about_t;


ngx_int_t ngx_olivine_rdb_write_begin(ngx_olivine_rdb_out_t *out,
    ngx_olivine_rdb_about_t *about);

/* Another field about the file; before the first database. */
ngx_int_t ngx_olivine_rdb_write_aux(ngx_olivine_rdb_out_t *out,
    ngx_str_t *name, ngx_str_t *value);

/* Keys of that database follow; keys and expires need only be about right. */
ngx_int_t ngx_olivine_rdb_write_db(ngx_olivine_rdb_out_t *out, ngx_uint_t db,
    uint64_t keys, uint64_t expires);

/*
 * expire: in milliseconds, 0 is never; idle: in seconds; freq: 0 to 255.  One
 * of these two may be said, the other, or both, is -1.
 */
ngx_int_t ngx_olivine_rdb_write_key(ngx_olivine_rdb_out_t *out,
    ngx_str_t *key, ngx_olivine_value_t *value, int64_t expire, int64_t idle,
    ngx_int_t freq);

/*
 * Items that were written elsewhere, by an out of their own without a
 * checksum: they are put, and summed, as they are.
 */
ngx_int_t ngx_olivine_rdb_write_items(ngx_olivine_rdb_out_t *out,
    u_char *data, size_t len, ngx_uint_t stays);

ngx_int_t ngx_olivine_rdb_write_end(ngx_olivine_rdb_out_t *out);


#endif /* _NGX_OLIVINE_RDB_WRITE_H_INCLUDED_ */
