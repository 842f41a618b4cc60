
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


ngx_int_t
ngx_olivine_gate_raise(ngx_olivine_tx_t *tx, ngx_olivine_gate_e why,
    int64_t now)
{
    uint64_t            word;
    ngx_olivine_gate_t *gate;

    gate = &tx->zone->gate;

    if (ngx_olivine_gate_up_slow(tx)) {
        return NGX_AGAIN;
    }

    word = 0;

    if (!__atomic_compare_exchange_n(&gate->word, &word,
                                     (uint64_t) tx->owner << 32 | why, 0,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    {
        return NGX_AGAIN;
    }

    ngx_olivine_step();

    gate->since = now;
    tx->gate = 1;

    return NGX_OK;
}


void
ngx_olivine_gate_lower(ngx_olivine_tx_t *tx)
{
    tx->gate = 0;
    __atomic_store_n(&tx->zone->gate.word, 0, __ATOMIC_RELEASE);

    ngx_olivine_step();

    ngx_olivine_slot_ring_all(tx->zone, NGX_OLIVINE_HINT_GATE);
}


ngx_uint_t
ngx_olivine_gate_up_slow(ngx_olivine_tx_t *tx)
{
    uint64_t  word;

    word = __atomic_load_n(&tx->zone->gate.word, __ATOMIC_ACQUIRE);

    if (word == 0 || (uint32_t) (word >> 32) == tx->owner) {
        return 0;
    }

    if (!ngx_olivine_slot_dead(tx->zone, ngx_olivine_lock_slot(word >> 32))) {
        return 1;
    }

    /* recovery lowered it, or somebody else has raised it since */

    return __atomic_load_n(&tx->zone->gate.word, __ATOMIC_ACQUIRE) == word;
}
