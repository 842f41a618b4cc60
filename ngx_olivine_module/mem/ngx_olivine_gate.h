
/*
 * Copyright (C) The Olivine authors
 *
 * The gate: raised before anything that takes all shards for more than a
 * moment.  While it is up, commands that touch the store are parked, and
 * whoever waits on a lock gives up; nobody waits on a lock for long.
 */


#ifndef _NGX_OLIVINE_GATE_H_INCLUDED_
#define _NGX_OLIVINE_GATE_H_INCLUDED_


#include "base/ngx_olivine_base.h"


typedef enum {
    NGX_OLIVINE_GATE_DOWN = 0,
    NGX_OLIVINE_GATE_SLEEP,          /* DEBUG SLEEP */
    NGX_OLIVINE_GATE_WALK,           /* DEBUG AUDIT, DIGEST */
    NGX_OLIVINE_GATE_WIDE,           /* a command of very many keys */
    NGX_OLIVINE_GATE_FLUSH,
    NGX_OLIVINE_GATE_SWAP            /* SWAPDB */
} ngx_olivine_gate_e;


typedef struct {
    uint64_t   word;                 /* owner << 32 | why; 0: down */
    int64_t    since;                /* wall clock, milliseconds */
} ngx_olivine_gate_t;


/* OK; AGAIN: somebody else has it up. */
ngx_int_t ngx_olivine_gate_raise(ngx_olivine_tx_t *tx, ngx_olivine_gate_e why,
    int64_t now);

/* Lowers this worker's gate and rings all workers; no lock is held. */
void ngx_olivine_gate_lower(ngx_olivine_tx_t *tx);

/* 1 if it is up for this worker; a dead raiser's is lowered. */
ngx_uint_t ngx_olivine_gate_up_slow(ngx_olivine_tx_t *tx);

#define ngx_olivine_gate_up(tx)                                               \
    (ngx_olivine_unlikely((tx)->zone->gate.word != 0)                         \
     && ngx_olivine_gate_up_slow(tx))


#endif /* _NGX_OLIVINE_GATE_H_INCLUDED_ */
