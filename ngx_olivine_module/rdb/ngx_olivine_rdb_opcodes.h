
/*
 * Copyright (C) The Olivine authors
 *
 * Between the reader of RDB files and what may stand in them.
 */


#ifndef _NGX_OLIVINE_RDB_OPCODES_H_INCLUDED_
#define _NGX_OLIVINE_RDB_OPCODES_H_INCLUDED_


#include "rdb/ngx_olivine_rdb_codec.h"
#include "rdb/ngx_olivine_rdb_read.h"


/*
 * OK: that was an item; DONE: that was something that goes before one;
 * AGAIN, ERROR; DECLINED: damaged, or, with a text in r->error, refused;
 * ABORT: damaged, with a text.  what: is read.
 */
ngx_int_t ngx_olivine_rdb_read_next(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item, const char **what);

/* Sums what is consumed: now the window may move. */
void ngx_olivine_rdb_read_sum(ngx_olivine_rdb_reader_t *r);

/* Sets r->error; returns DECLINED. */
ngx_int_t ngx_olivine_rdb_read_refuse(ngx_olivine_rdb_reader_t *r,
    const char *fmt, ...);


#endif /* _NGX_OLIVINE_RDB_OPCODES_H_INCLUDED_ */
