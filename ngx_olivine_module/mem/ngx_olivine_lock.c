
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"

#include <linux/futex.h>
#include <sys/syscall.h>


#define NGX_OLIVINE_LOCK_SPIN   100
#define NGX_OLIVINE_LOCK_SLEEP  1000000        /* nanoseconds */


static ngx_uint_t ngx_olivine_lock_try(ngx_olivine_lock_t *lock,
    uint32_t from, uint32_t to);
static void ngx_olivine_lock_sleep(ngx_olivine_lock_t *lock, uint32_t word);


ngx_int_t
ngx_olivine_lock_wait(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock)
{
    uint32_t    word;
    ngx_uint_t  i;

    for (i = 0; i < NGX_OLIVINE_LOCK_SPIN; i++) {

        if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == 0
            && ngx_olivine_lock_try(lock, 0, tx->owner))
        {
            ngx_olivine_step();
            return NGX_OK;
        }

        ngx_cpu_pause();
    }

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

        ngx_olivine_lock_sleep(lock, word);

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
