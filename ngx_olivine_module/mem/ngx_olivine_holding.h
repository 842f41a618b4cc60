
/*
 * Copyright (C) The Olivine authors
 *
 * Holdings: runs that belong to the slot's connections and not to a shard:
 * values that are being sent (pinned), arguments that are coming in.  Listed
 * in a run of page numbers, so that a dead worker's are given back.
 */


#ifndef _NGX_OLIVINE_HOLDING_H_INCLUDED_
#define _NGX_OLIVINE_HOLDING_H_INCLUDED_


#include "mem/ngx_olivine_slot.h"



/* Enters a run; in a transaction.  OK (index), AGAIN, ERROR. */
ngx_int_t ngx_olivine_holding_add(ngx_olivine_tx_t *tx, uint32_t page,
    uint32_t *index);

/* A transaction of its own: gives up what an entry of a slot names. */
ngx_int_t ngx_olivine_holding_clear(ngx_olivine_tx_t *tx,
    ngx_olivine_slot_t *slot, uint32_t index);

/* Takes an entry out again; in a transaction. */
void ngx_olivine_holding_remove(ngx_olivine_tx_t *tx, uint32_t index);

/*
 * In a transaction that holds the lock of the VALUE run's shard: pins the
 * run, so that it is neither written nor freed.  OK (index), AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_pin(ngx_olivine_tx_t *tx, uint32_t page,
    uint32_t *index);

/* A transaction of its own: takes the pin off.  OK, or AGAIN (the gate). */
ngx_int_t ngx_olivine_unpin(ngx_olivine_tx_t *tx, uint32_t index);

/*
 * In a transaction that holds the run's shard: what a store does with a
 * VALUE run that no key holds any more: freed, or left to its pins.
 */
ngx_int_t ngx_olivine_value_drop(ngx_olivine_tx_t *tx, uint32_t page);

/*
 * Receipts, each a transaction of its own.  open: a run of at least n bytes;
 * extend: a larger one with the first `have` bytes in it; close: freed,
 * unless a command made a value of it.  OK, AGAIN (gate, pages: fetch), ERROR.
 */
ngx_int_t ngx_olivine_receipt_open(ngx_olivine_tx_t *tx, size_t n,
    uint32_t *index);
ngx_int_t ngx_olivine_receipt_extend(ngx_olivine_tx_t *tx, uint32_t index,
    size_t have, size_t n);
ngx_int_t ngx_olivine_receipt_close(ngx_olivine_tx_t *tx, uint32_t index);

/* The page an entry of this slot names. */
uint32_t ngx_olivine_holding_page(ngx_olivine_tx_t *tx, uint32_t index);

/*
 * In a command's transaction: makes a VALUE run of the shard out of a receipt
 * of this slot, trimmed to n bytes.  OK or AGAIN.
 */
ngx_int_t ngx_olivine_receipt_adopt(ngx_olivine_tx_t *tx, uint32_t index,
    ngx_uint_t shard, size_t n);


#endif /* _NGX_OLIVINE_HOLDING_H_INCLUDED_ */
