
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"
#include "base/ngx_olivine_clock.h"

#include <linux/futex.h>
#include <sys/syscall.h>


#define NGX_OLIVINE_LOCK_SPIN   100
#define NGX_OLIVINE_LOCK_SLEEP  1000000        /* nanoseconds */

/* a wait is short up to so many tries; of those one in so many is told */
#define NGX_OLIVINE_LOCK_SHORT  16
#define NGX_OLIVINE_LOCK_TOLD   16


static ngx_int_t ngx_olivine_lock_spin(ngx_olivine_tx_t *tx,
    ngx_olivine_lock_t *lock, ngx_uint_t n);
static ngx_olivine_sample_row_t *ngx_olivine_lock_row(ngx_olivine_tx_t *tx,
    ngx_olivine_lock_t *lock, void *frame);
static ngx_int_t ngx_olivine_lock_acquire(ngx_olivine_tx_t *tx,
    ngx_olivine_lock_t *lock, void *frame);
static ngx_uint_t ngx_olivine_lock_label(ngx_olivine_zone_t *zone,
    ngx_olivine_lock_t *lock);
static ngx_uint_t ngx_olivine_lock_try(ngx_olivine_lock_t *lock,
    uint32_t from, uint32_t to);
static void ngx_olivine_lock_sleep(ngx_olivine_lock_t *lock, uint32_t word);


/*
 * Telling of a wait is not to make it longer: of short ones few are told, and
 * counted for the others.  For a longer one the row is looked for while there
 * is time for it, so that a lock that many wait for is not held for longer.
 */

ngx_int_t
ngx_olivine_lock_wait(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock)
{
    void                      *frame;
    uint64_t                   start, ns;
    ngx_int_t                  rc;
    ngx_olivine_sample_row_t  *row;

    start = ngx_olivine_clock_counts();
    frame = __builtin_frame_address(0);

    if (ngx_olivine_lock_spin(tx, lock, NGX_OLIVINE_LOCK_SHORT) == NGX_OK) {

        if (++tx->sampler.waits % NGX_OLIVINE_LOCK_TOLD == 0) {
            ns = ngx_olivine_clock_since(start);
            row = ngx_olivine_lock_row(tx, lock, frame);

            if (row) {
                row->count += NGX_OLIVINE_LOCK_TOLD;
                row->sum += ns * NGX_OLIVINE_LOCK_TOLD;
            }
        }

        return NGX_OK;
    }

    row = ngx_olivine_lock_row(tx, lock, frame);

    rc = ngx_olivine_lock_acquire(tx, lock, frame);

    if (row) {
        row->count++;
        row->sum += ngx_olivine_clock_since(start);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_lock_spin(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock,
    ngx_uint_t n)
{
    while (n--) {

        if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == 0
            && ngx_olivine_lock_try(lock, 0, tx->owner))
        {
            ngx_olivine_step();
            return NGX_OK;
        }

        ngx_cpu_pause();
    }

    return NGX_DECLINED;
}


static ngx_olivine_sample_row_t *
ngx_olivine_lock_row(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock,
    void *frame)
{
    return ngx_olivine_sample_row(tx, NGX_OLIVINE_SAMPLE_MUTEX,
                                  ngx_olivine_lock_label(tx->zone, lock), 0,
                                  ngx_olivine_sample_command(tx), frame);
}


static ngx_uint_t
ngx_olivine_lock_label(ngx_olivine_zone_t *zone, ngx_olivine_lock_t *lock)
{
    if (lock == &zone->heap.lock) {
        return NGX_OLIVINE_SAMPLE_PAGES;
    }

    if (lock == &zone->ring.lock) {
        return NGX_OLIVINE_SAMPLE_LOG;
    }

    if (lock == &zone->rows.lock) {
        return NGX_OLIVINE_SAMPLE_ROW_TABLE;
    }

    if (lock == &zone->params_lock) {
        return NGX_OLIVINE_SAMPLE_PARAMS;
    }

    if (lock == &zone->totals->lock) {
        return NGX_OLIVINE_SAMPLE_COMMANDLOG;
    }

    if (lock == &zone->monitor.lock) {
        return NGX_OLIVINE_SAMPLE_MONITOR;
    }

    if (lock == &zone->hotkeys.lock) {
        return NGX_OLIVINE_SAMPLE_HOTKEYS;
    }

    return NGX_OLIVINE_SAMPLE_SHARD;
}


static ngx_int_t
ngx_olivine_lock_acquire(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock,
    void *frame)
{
    uint32_t                   word;
    uint64_t                   start;
    ngx_olivine_sample_row_t  *asleep;

    if (ngx_olivine_lock_spin(tx, lock, NGX_OLIVINE_LOCK_SPIN) == NGX_OK) {
        return NGX_OK;
    }

    asleep = NULL;

    for ( ;; ) {
        word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);

        if (word == 0) {
            /* others may sleep: the mark is kept for them */

            if (ngx_olivine_lock_try(lock, 0,
                                     tx->owner | NGX_OLIVINE_LOCK_WAITERS))
            {
                ngx_olivine_step();
                return NGX_OK;
            }

            continue;
        }

        if (!(word & NGX_OLIVINE_LOCK_WAITERS)) {

            if (!ngx_olivine_lock_try(lock, word,
                                      word | NGX_OLIVINE_LOCK_WAITERS))
            {
                continue;
            }

            word |= NGX_OLIVINE_LOCK_WAITERS;
        }

        if (asleep == NULL) {
            asleep = ngx_olivine_sample_row(tx, NGX_OLIVINE_SAMPLE_BLOCK,
                                            ngx_olivine_lock_label(tx->zone,
                                                                   lock),
                                            NGX_OLIVINE_BLOCK_LOCK,
                                            ngx_olivine_sample_command(tx),
                                            frame);
        }

        start = ngx_olivine_clock_counts();

        ngx_olivine_lock_sleep(lock, word);

        if (asleep) {
            asleep->count++;
            asleep->sum += ngx_olivine_clock_since(start);
        }

        if (ngx_olivine_gate_up(tx)) {
            return NGX_AGAIN;
        }

        if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == word) {
            (void) ngx_olivine_slot_dead(tx->zone,
                                         ngx_olivine_lock_slot(word));
        }
    }
}


void
ngx_olivine_lock_insist(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock)
{
    uint32_t  word;

    while (ngx_olivine_lock_take(tx, lock) != NGX_OK) {

        /* the gate is up, and whoever holds the lock may have died */

        word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);

        if (word) {
            (void) ngx_olivine_slot_dead(tx->zone,
                                         ngx_olivine_lock_slot(word));
        }
    }
}


void
ngx_olivine_lock_wake(ngx_olivine_lock_t *lock)
{
    (void) syscall(SYS_futex, &lock->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}


void
ngx_olivine_lock_break(ngx_olivine_lock_t *lock, uint32_t owner)
{
    uint32_t  word;

    word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);

    while ((word & ~NGX_OLIVINE_LOCK_WAITERS) == owner) {

        if (ngx_olivine_lock_try(lock, word, 0)) {
            ngx_olivine_step();

            if (word & NGX_OLIVINE_LOCK_WAITERS) {
                ngx_olivine_lock_wake(lock);
            }

            return;
        }

        word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
    }
}


static ngx_uint_t
ngx_olivine_lock_try(ngx_olivine_lock_t *lock, uint32_t from, uint32_t to)
{
    return __atomic_compare_exchange_n(&lock->word, &from, to, 0,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}


static void
ngx_olivine_lock_sleep(ngx_olivine_lock_t *lock, uint32_t word)
{
    struct timespec  ts;

    ts.tv_sec = 0;
    ts.tv_nsec = NGX_OLIVINE_LOCK_SLEEP;

    (void) syscall(SYS_futex, &lock->word, FUTEX_WAIT, word, &ts, NULL, 0);
}
