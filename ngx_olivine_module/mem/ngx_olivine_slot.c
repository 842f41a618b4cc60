
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


static ngx_uint_t ngx_olivine_slot_lives(ngx_olivine_zone_t *zone,
    uint32_t owner);
static void ngx_olivine_slot_recover(ngx_olivine_zone_t *zone, ngx_uint_t n);
static ngx_int_t ngx_olivine_slot_clear(ngx_olivine_tx_t *tx,
    ngx_olivine_slot_t *slot);
static void ngx_olivine_slot_retire(ngx_olivine_tx_t *tx,
    ngx_olivine_slot_t *slot);
static void ngx_olivine_slot_max(uint64_t *p, uint64_t value);


ngx_int_t
ngx_olivine_slot_init(ngx_olivine_zone_t *zone)
{
    ngx_int_t            rc;
    ngx_uint_t           i;
    pthread_mutexattr_t  attr;

    if (pthread_mutexattr_init(&attr) != 0) {
        return NGX_ERROR;
    }

    rc = NGX_ERROR;

    if (pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED) != 0
        || pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST) != 0)
    {
        goto done;
    }

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        if (pthread_mutex_init(&zone->alive[i], &attr) != 0) {
            goto done;
        }
    }

    rc = NGX_OK;

done:

    (void) pthread_mutexattr_destroy(&attr);

    return rc;
}


ngx_int_t
ngx_olivine_slot_claim(ngx_olivine_tx_t *tx, ngx_olivine_zone_t *zone, int fd,
    uint32_t cycle)
{
    int                  rc;
    uint32_t             high;
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS; i++) {

        rc = pthread_mutex_trylock(&zone->alive[i]);

        if (rc == EOWNERDEAD) {
            ngx_olivine_slot_recover(zone, i);
            continue;
        }

        if (rc != 0) {
            continue;
        }

        ngx_olivine_step();

        slot = ngx_olivine_slot_at(zone, i);

        if (i >= zone->slots_high
            && (ngx_olivine_zone_back(zone, fd, slot, NGX_OLIVINE_SLOT_SIZE)
                    != NGX_OK
                || ngx_olivine_zone_back(zone, fd,
                                         ngx_olivine_stats_at(zone, i),
                                         NGX_OLIVINE_STATS_HEAD) != NGX_OK
                || ngx_olivine_sample_back(zone, fd, i) != NGX_OK))
        {
            pthread_mutex_unlock(&zone->alive[i]);
            return NGX_ERROR;
        }

        if (slot->state == NGX_OLIVINE_SLOT_FREE) {
            break;
        }

        pthread_mutex_unlock(&zone->alive[i]);
    }

    if (i == NGX_OLIVINE_MAX_SLOTS) {
        return NGX_DECLINED;
    }

    high = zone->slots_high;

    while (high <= i
           && !__atomic_compare_exchange_n(&zone->slots_high, &high, i + 1, 0,
                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    {
        /* void */
    }

    slot->number = i;
    slot->generation = (slot->generation + 1)
                       & NGX_OLIVINE_LOCK_GENERATIONS;

    if (slot->generation == 0) {
        slot->generation = 1;
    }

    slot->journal = slot->own_journal;
    slot->room = NGX_OLIVINE_SLOT_JOURNAL;
    slot->hints = 0;
    slot->ordered = 0;
    slot->pid = ngx_getpid();
    slot->cycle = cycle;
    slot->leaving = 0;

    ngx_olivine_step();
    ngx_olivine_barrier();

    slot->state = NGX_OLIVINE_SLOT_LIVE;

    ngx_olivine_step();

    ngx_olivine_tx_init(tx, zone, slot, fd);
    ngx_olivine_sample_join(tx);
    ngx_olivine_poison_zone(zone);

    return NGX_OK;
}


void
ngx_olivine_slot_leave(ngx_olivine_tx_t *tx)
{
    ngx_int_t            rc;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;
    slot = tx->slot;

    ngx_olivine_tx_undo(tx);
    ngx_olivine_tx_unlock(tx);

    if (tx->gate) {
        ngx_olivine_gate_lower(tx);
    }

    rc = ngx_olivine_slot_clear(tx, slot);

    ngx_olivine_step();

    if (rc == NGX_OK) {
        ngx_olivine_slot_retire(tx, slot);

    } else {

        /* the gate is up: the next to sweep finds what is left */

        slot->state = NGX_OLIVINE_SLOT_SWEEP;
    }

    tx->slot = NULL;
    ngx_olivine_tx_done(tx);

    pthread_mutex_unlock(&zone->alive[slot->number]);
}


ngx_uint_t
ngx_olivine_slot_dead(ngx_olivine_zone_t *zone, ngx_uint_t n)
{
    switch (pthread_mutex_trylock(&zone->alive[n])) {

    case EOWNERDEAD:
        ngx_olivine_slot_recover(zone, n);
        return 1;

    case 0:
        pthread_mutex_unlock(&zone->alive[n]);
        return 1;

    default:
        return 0;
    }
}


ngx_int_t
ngx_olivine_slot_sweep(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    int                  err;
    uint32_t             before;
    ngx_int_t            rc;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;

    if (n == tx->slot->number || n >= zone->slots_high) {
        return NGX_DECLINED;
    }

    err = pthread_mutex_trylock(&zone->alive[n]);

    if (err == EOWNERDEAD) {
        ngx_olivine_slot_recover(zone, n);
        err = pthread_mutex_trylock(&zone->alive[n]);
    }

    if (err != 0) {
        return NGX_DECLINED;
    }

    slot = ngx_olivine_slot_at(zone, n);

    if (slot->state != NGX_OLIVINE_SLOT_SWEEP) {
        pthread_mutex_unlock(&zone->alive[n]);
        return NGX_DECLINED;
    }

    ngx_olivine_step();

    /*
     * Whoever swept it before may have died inside a change to it, which must
     * have been played back before the slot is read.
     */

    before = slot->sweeper;

    if (before && ngx_olivine_slot_lives(zone, before)) {
        pthread_mutex_unlock(&zone->alive[n]);
        return NGX_AGAIN;
    }

    slot->sweeper = tx->owner;

    ngx_olivine_step();

    ngx_olivine_poison_zone(zone);

    rc = ngx_olivine_slot_clear(tx, slot);

    slot->sweeper = 0;

    if (rc == NGX_OK) {
        ngx_olivine_slot_ring_all(zone, NGX_OLIVINE_HINT_LOOK);
        ngx_olivine_slot_retire(tx, slot);
        ngx_olivine_step();
    }

    pthread_mutex_unlock(&zone->alive[n]);

    return rc;
}


ngx_uint_t
ngx_olivine_slot_sweep_all(ngx_olivine_tx_t *tx)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < tx->zone->slots_high; i++) {
        if (ngx_olivine_slot_sweep(tx, i) == NGX_OK) {
            n++;
        }
    }

    return n;
}


ngx_int_t
ngx_olivine_lease_take(ngx_olivine_tx_t *tx, uint32_t *lease)
{
    uint32_t  word;

    word = __atomic_load_n(lease, __ATOMIC_SEQ_CST);

    if (word == tx->owner) {
        return NGX_OK;
    }

    if (word && ngx_olivine_lease_held(tx->zone, word)) {
        return NGX_DECLINED;
    }

    return __atomic_compare_exchange_n(lease, &word, tx->owner, 0,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
           ? NGX_OK : NGX_DECLINED;
}


void
ngx_olivine_lease_give(ngx_olivine_tx_t *tx, uint32_t *lease)
{
    uint32_t  word;

    word = tx->owner;

    (void) __atomic_compare_exchange_n(lease, &word, 0, 0, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}


ngx_uint_t
ngx_olivine_lease_held(ngx_olivine_zone_t *zone, uint32_t lease)
{
    ngx_uint_t           n;
    ngx_olivine_slot_t  *slot;

    n = ngx_olivine_lock_slot(lease);
    slot = ngx_olivine_slot_at(zone, n);

    return lease != 0
           && slot->state == NGX_OLIVINE_SLOT_LIVE
           && lease == ngx_olivine_lock_owner(n, slot->generation)
           && !ngx_olivine_slot_dead(zone, n);
}


void
ngx_olivine_slot_ring(ngx_olivine_zone_t *zone, ngx_uint_t n, uint32_t hints)
{
    int       fd;
    ssize_t   rc;
    uint64_t  one;

    (void) __atomic_fetch_or(&ngx_olivine_slot_at(zone, n)->hints, hints,
                             __ATOMIC_ACQ_REL);

    fd = zone->bells[n % NGX_OLIVINE_ZONE_BELLS];
    one = 1;

    /* never read, so only edges count; a full counter is an edge as well */

    do {
        rc = write(fd, &one, sizeof(uint64_t));
    } while (rc == -1 && errno == EINTR);
}


void
ngx_olivine_slot_ring_all(ngx_olivine_zone_t *zone, uint32_t hints)
{
    ngx_uint_t  i;

    for (i = 0; i < zone->slots_high; i++) {
        if (ngx_olivine_slot_at(zone, i)->state == NGX_OLIVINE_SLOT_LIVE) {
            ngx_olivine_slot_ring(zone, i, hints);
        }
    }
}


ngx_uint_t
ngx_olivine_slot_crowd(ngx_olivine_zone_t *zone)
{
    uint32_t             oldest;
    ngx_uint_t           i, n;
    ngx_olivine_slot_t  *slot;

    n = 0;
    oldest = zone->cycle;

    for (i = 0; i < zone->slots_high; i++) {
        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE && slot->leaving
            && (int32_t) (slot->cycle - oldest) <= 0)
        {
            n++;
            oldest = slot->cycle;
        }
    }

    if (n == 0) {
        return 0;
    }

    n = 0;

    for (i = 0; i < zone->slots_high; i++) {
        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE && slot->leaving
            && slot->cycle == oldest)
        {
            ngx_olivine_slot_ring(zone, i, NGX_OLIVINE_HINT_LEAVE);
            n++;
        }
    }

    return n;
}


ngx_uint_t
ngx_olivine_slot_heirs(ngx_olivine_zone_t *zone)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    for (i = 0; i < zone->slots_high; i++) {
        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE && !slot->leaving) {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_olivine_slot_others(ngx_olivine_zone_t *zone, uint32_t cycle)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    for (i = 0; i < zone->slots_high; i++) {
        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE && !slot->leaving
            && slot->cycle != cycle)
        {
            return 1;
        }
    }

    return 0;
}


void
ngx_olivine_slot_counters(ngx_olivine_zone_t *zone,
    ngx_olivine_counters_t *sum)
{
    uint64_t    *to, *from;
    ngx_uint_t   i, n;

    *sum = zone->counters;
    to = (uint64_t *) sum;

    for (n = 0; n < zone->slots_high; n++) {

        if (!ngx_olivine_slot_counts(zone, n)) {
            continue;
        }

        from = (uint64_t *) &ngx_olivine_slot_at(zone, n)->counters;

        for (i = 0; i < NGX_OLIVINE_COUNTERS; i++) {
            to[i] += from[i];
        }
    }
}


uint64_t
ngx_olivine_slot_buffers(ngx_olivine_zone_t *zone)
{
    uint64_t             sum;
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    sum = 0;

    for (i = 0; i < zone->slots_high; i++) {
        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE) {
            sum += slot->buffers;
        }
    }

    return sum;
}


/* 1 if the owner that the word names is alive, or not yet recovered. */

static ngx_uint_t
ngx_olivine_slot_lives(ngx_olivine_zone_t *zone, uint32_t owner)
{
    ngx_uint_t           n;
    ngx_olivine_slot_t  *slot;

    n = ngx_olivine_lock_slot(owner);
    slot = ngx_olivine_slot_at(zone, n);

    if (slot->state != NGX_OLIVINE_SLOT_LIVE
        || ngx_olivine_lock_owner(n, slot->generation) != owner)
    {
        return 0;
    }

    return !ngx_olivine_slot_dead(zone, n);
}


void
ngx_olivine_slot_rates(ngx_olivine_slot_t *slot, int64_t now)
{
    int64_t                  ms;
    ngx_olivine_rates_t     *sample;
    ngx_olivine_counters_t  *counters;

    ms = now - slot->rates.at;

    if (ms >= 0 && ms < 1000) {
        return;
    }

    sample = &slot->sample;
    counters = &slot->counters;

    if (slot->rates.at && ms > 0) {
        slot->rates.commands = (counters->commands - sample->commands)
                               * 1000 / ms;
        slot->rates.bytes_in = (counters->bytes_in - sample->bytes_in)
                               * 1000 / ms;
        slot->rates.bytes_out = (counters->bytes_out - sample->bytes_out)
                                * 1000 / ms;
        slot->rates.turns = (counters->turns - sample->turns) * 1000 / ms;
        slot->rates.turns_ns = (counters->turns_ns - sample->turns_ns)
                               * 1000 / ms;
    }

    sample->commands = counters->commands;
    sample->bytes_in = counters->bytes_in;
    sample->bytes_out = counters->bytes_out;
    sample->turns = counters->turns;
    sample->turns_ns = counters->turns_ns;

    slot->rates.at = now;
}


/*
 * Stage 1, with the dead owner's mutex in hand.  Nothing here needs a lock,
 * and all of it may be done again from the start.
 */

static void
ngx_olivine_slot_recover(ngx_olivine_zone_t *zone, ngx_uint_t n)
{
    uint32_t             owner;
    uint64_t             word;
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    ngx_olivine_step();

    slot = ngx_olivine_slot_at(zone, n);

    if (slot->state == NGX_OLIVINE_SLOT_LIVE) {

        owner = ngx_olivine_lock_owner(n, slot->generation);

        if (slot->log_end && zone->ring.tail >= slot->log_end) {
            slot->used = 0;                         /* it was committed */
            ngx_olivine_barrier();
            ngx_olivine_step();

        } else {
            ngx_olivine_journal_play(slot, 0);
        }

        slot->log_end = 0;
        ngx_olivine_barrier();
        ngx_olivine_step();

        ngx_olivine_lock_break(&zone->hotkeys.lock, owner);
        ngx_olivine_lock_break(&zone->monitor.lock, owner);
        ngx_olivine_lock_break(&zone->ring.lock, owner);
        ngx_olivine_lock_break(&zone->rows.lock, owner);
        ngx_olivine_lock_break(&zone->heap.lock, owner);
        ngx_olivine_lock_break(&zone->params_lock, owner);
        ngx_olivine_lock_break(&zone->totals->lock, owner);

        for (i = zone->nshards; i-- > 0; /* void */ ) {
            ngx_olivine_lock_break(&ngx_olivine_zone_arena(zone, i)->lock,
                                   owner);
        }

        word = __atomic_load_n(&zone->gate.word, __ATOMIC_ACQUIRE);

        if (word >> 32 == owner
            && __atomic_compare_exchange_n(&zone->gate.word, &word, 0, 0,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        {
            ngx_olivine_step();
            ngx_olivine_slot_ring_all(zone, NGX_OLIVINE_HINT_GATE);
        }

        ngx_olivine_poison_zone(zone);

        slot->state = NGX_OLIVINE_SLOT_SWEEP;
        (void) __atomic_fetch_add(&zone->recovered, 1, __ATOMIC_RELAXED);
    }

    ngx_olivine_step();

    (void) pthread_mutex_consistent(&zone->alive[n]);
    (void) pthread_mutex_unlock(&zone->alive[n]);

    ngx_olivine_step();
}


/* Stage 2: gives back what the slot held; its mutex is ours. */

static ngx_int_t
ngx_olivine_slot_clear(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot)
{
    uint32_t   i;
    ngx_int_t  rc;

    rc = ngx_olivine_heap_settle(tx, slot);

    for (i = 0; rc == NGX_OK && i < slot->nholdings; i++) {
        rc = ngx_olivine_holding_clear(tx, slot, i);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_row_clear(tx, ngx_olivine_lock_owner(slot->number,
                                                     slot->generation));

    if (slot == tx->slot) {
        ngx_olivine_tx_relax(tx);

    } else if (slot->journal_page) {

        rc = ngx_olivine_heap_release(tx, slot->journal_page);

        if (rc == NGX_OK) {
            ngx_olivine_tx_set32(tx, &slot->journal_page, 0);
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);
    }

    if (rc == NGX_OK && slot->holdings) {

        rc = ngx_olivine_heap_release(tx, slot->holdings);

        if (rc == NGX_OK) {
            ngx_olivine_tx_set32(tx, &slot->holdings, 0);
            ngx_olivine_tx_set32(tx, &slot->nholdings, 0);
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);
    }

    return slot->journal_page ? NGX_AGAIN : rc;
}


/* Nothing is held any more: its counters stay, the slot is free. */

static void
ngx_olivine_slot_retire(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot)
{
    uint64_t            *to, *from, n;
    ngx_uint_t           i;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;

    slot->credit = 0;
    slot->clients = 0;
    slot->blocked = 0;
    slot->held = 0;
    slot->buffers = 0;
    slot->watching = 0;
    slot->watched = 0;

    ngx_olivine_monitor_retire(tx, slot);

    ngx_memzero(&slot->rates, sizeof(ngx_olivine_rates_t));

    if (ngx_olivine_slot_counts(zone, slot->number)) {

        to = (uint64_t *) &zone->counters;
        from = (uint64_t *) &slot->counters;

        for (i = 0; i < NGX_OLIVINE_COUNTERS; i++) {
            n = from[i];
            from[i] = 0;
            (void) __atomic_fetch_add(&to[i], n, __ATOMIC_RELAXED);
        }

        ngx_olivine_slot_max(&zone->longest_turn, slot->longest_turn);
        ngx_olivine_slot_max(&zone->longest_hold, slot->longest_hold);
    }

    ngx_memzero(&slot->counters, sizeof(ngx_olivine_counters_t));
    ngx_olivine_stats_retire(tx, slot);

    slot->longest_turn = 0;
    slot->longest_hold = 0;

    ngx_olivine_barrier();

    slot->state = NGX_OLIVINE_SLOT_FREE;
    (void) __atomic_fetch_add(&zone->departed, 1, __ATOMIC_RELAXED);
}


static void
ngx_olivine_slot_max(uint64_t *p, uint64_t value)
{
    if (*p < value) {
        *p = value;
    }
}
