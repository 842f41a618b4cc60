
/*
 * Copyright (C) The Olivine authors
 *
 * The codec of Redis's RDB format: what a key holds as bytes, and back.
 *
 *     | type 1 | body, by the type |                    a value
 *     | value | version 2 | CRC64 of all before 8 |      a DUMP payload
 *
 * Whole files are the matter of ngx_olivine_rdb_read.h and _write.h.
 *
 * Each type of the table of types has a row here, with what saves and what
 * loads it; types know nothing of the format.
 *
 * What is loaded are bytes that anybody may have made: each length is
 * checked against what is there, before memory is asked for.
 */


#ifndef _NGX_OLIVINE_RDB_H_INCLUDED_
#define _NGX_OLIVINE_RDB_H_INCLUDED_


#include "type/ngx_olivine_string.h"


/*
 * Written: Redis 7.0's, which Redis 8 and Valkey 9 read, too.  Read: up to
 * Redis 8.0's; and Valkey 9's, which counts on from 80.
 */
#define NGX_OLIVINE_RDB_VERSION   10
#define NGX_OLIVINE_RDB_NEWEST    12
#define NGX_OLIVINE_RDB_VALKEY    80

/* behind a DUMP payload's value */
#define NGX_OLIVINE_RDB_FOOTER    (2 + 8)

/* letters of a module's name */
#define NGX_OLIVINE_RDB_MODULE_NAME  9

/* bytes are gathered up to here, and then put at once */
#define NGX_OLIVINE_RDB_GATHER    1024


typedef struct ngx_olivine_rdb_out_s  ngx_olivine_rdb_out_t;

/*
 * Takes bytes; they may lie in the value itself (and then stay valid for as
 * long as the value does) if "stays" is set.  OK or ERROR.
 */
typedef ngx_int_t (*ngx_olivine_rdb_put_pt)(ngx_olivine_rdb_out_t *out,
    u_char *data, size_t len, ngx_uint_t stays);


struct ngx_olivine_rdb_out_s {
    ngx_olivine_rdb_put_pt    put;
    void                     *data;
    uint64_t                  crc;           /* of what was put */
    size_t                    compress;      /* the longest text for which
                                                that is tried; 0: for none */
    unsigned                  checksum:1;    /* 0: zeros are written for it */

    /* what is to be put, empty when a function of this layer returns OK */
    u_char                   *pos;
    u_char                    buf[NGX_OLIVINE_RDB_GATHER];
};


typedef struct {
    u_char                   *pos;
    u_char                   *last;
    size_t                    max;           /* the longest string */
    u_char                   *memory;        /* ngx_alloc()ed, or NULL: of what
                                                was loaded, the caller's */
    size_t                    size;          /* of memory */
    size_t                    lack;          /* of bytes behind last */
    unsigned                  too_long:1;    /* a string is longer than max */
} ngx_olivine_rdb_in_t;


/* CRC64 by Jones's polynomial, as in Redis; begins at 0. */
uint64_t ngx_olivine_rdb_crc(uint64_t crc, const u_char *p, size_t len);

/* Compresses texts of any length, and has a checksum. */
void ngx_olivine_rdb_out_init(ngx_olivine_rdb_out_t *out,
    ngx_olivine_rdb_put_pt put, void *data);

/* Saves the value: type and body.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_save(ngx_olivine_rdb_out_t *out,
    ngx_olivine_value_t *value);

/* What comes behind the value of a DUMP payload.  OK or ERROR. */
ngx_int_t ngx_olivine_rdb_save_footer(ngx_olivine_rdb_out_t *out);

/*
 * Loads type and body; pos, last and max are given.  The value's bytes lie in
 * the input or in in->memory.  OK; DECLINED: these are no value; ERROR: no
 * memory.
 */
ngx_int_t ngx_olivine_rdb_load(ngx_olivine_rdb_in_t *in,
    ngx_olivine_value_t *value);

/*
 * A DUMP payload's version, and its checksum unless that is skipped, are
 * right.  OK or DECLINED.
 */
ngx_int_t ngx_olivine_rdb_check(const u_char *p, size_t len,
    ngx_uint_t skip_crc);


#endif /* _NGX_OLIVINE_RDB_H_INCLUDED_ */
