
/*
 * Copyright (C) The Olivine authors
 *
 * Rows: small records of a fixed size that belong to a slot and not to a
 * shard, in a table of their own between slots and page descriptors, so that
 * a full zone still takes a client that empties it.  A free row is in a list;
 * a dead slot's are swept with it.  What stands in a row is its owner's, who
 * alone writes there; others lock the table and read.
 */


#ifndef _NGX_OLIVINE_ROW_H_INCLUDED_
#define _NGX_OLIVINE_ROW_H_INCLUDED_


#include "mem/ngx_olivine_lock.h"


#define NGX_OLIVINE_ROW_SIZE    256
#define NGX_OLIVINE_ROW_BODY    (NGX_OLIVINE_ROW_SIZE - 8)

/* the most there can be, and the part of the reserve that is for them */
#define NGX_OLIVINE_ROW_MAX     (1 << 20)
#define NGX_OLIVINE_ROW_PART    64


typedef struct {
    uint32_t             owner;      /* as in a lock's word; 0: free */
    uint32_t             next;       /* free, or the owner's own use */
    u_char               body[NGX_OLIVINE_ROW_BODY];
} ngx_olivine_row_t;


typedef struct {
    ngx_olivine_lock_t   lock;
    uint32_t             free;       /* first of the list; 0: none */
    uint32_t             high;       /* rows ever used: 1..high-1 */
    uint32_t             backed;     /* rows with memory: 0..backed-1 */
    uint32_t             places;     /* rows there is room for, ever */
} ngx_olivine_rows_t;


/* Before any worker: no rows, room for so many. */
void ngx_olivine_row_init(ngx_olivine_zone_t *zone, uint32_t places);

/*
 * With no lock held: sees to it that n more rows can be taken.  OK; DECLINED:
 * the table is full; ERROR: no memory.
 */
ngx_int_t ngx_olivine_row_back(ngx_olivine_tx_t *tx, ngx_uint_t n);

/*
 * In a transaction, which locks the table: takes a row, whose body is
 * whatever it was.  OK, AGAIN (want_rows), ERROR.
 */
ngx_int_t ngx_olivine_row_take(ngx_olivine_tx_t *tx, uint32_t *n);

/*
 * In a transaction that holds the lock: gives a row back.  One that was given
 * back must not be taken again by the same transaction.
 */
void ngx_olivine_row_give(ngx_olivine_tx_t *tx, uint32_t n);

/* Transactions of their own: gives back all rows of an owner. */
void ngx_olivine_row_clear(ngx_olivine_tx_t *tx, uint32_t owner);

/*
 * In a transaction, which locks the table: looks that each row is free and
 * listed, or has an owner.  OK, or ERROR with what is wrong in err (at least 256 bytes).
 */
ngx_int_t ngx_olivine_row_audit(ngx_olivine_tx_t *tx, u_char *err);


#define ngx_olivine_row_at(zone, n)                                           \
    ((ngx_olivine_row_t *) ((zone)->row_table                                 \
                            + (size_t) (n) * NGX_OLIVINE_ROW_SIZE))

#define ngx_olivine_row_number(zone, row)                                     \
    ((uint32_t) (((u_char *) (row) - (zone)->row_table)                       \
                 / NGX_OLIVINE_ROW_SIZE))


#endif /* _NGX_OLIVINE_ROW_H_INCLUDED_ */
