
/*
 * Copyright (C) The Olivine authors
 *
 * A lock is one word in the zone: 0, or who holds it.
 *
 *     bit 31       somebody sleeps on the word
 *     bits 30-23   the holder's slot
 *     bits 22-0    the slot's generation, never 0
 *
 * A waiter spins a little, then sleeps on the word, at most a millisecond
 * at a time; at each wake-up it looks whether the holder died (and then
 * recovers its slot, which frees the lock) and whether the gate is up.
 */


#ifndef _NGX_OLIVINE_LOCK_H_INCLUDED_
#define _NGX_OLIVINE_LOCK_H_INCLUDED_


#include "base/ngx_olivine_base.h"


#define NGX_OLIVINE_LOCK_WAITERS      0x80000000u
#define NGX_OLIVINE_LOCK_GENERATIONS  0x007fffffu

#define ngx_olivine_lock_owner(slot, generation)                              \
    (((uint32_t) (slot) << 23)                                                \
     | ((generation) & NGX_OLIVINE_LOCK_GENERATIONS))

#define ngx_olivine_lock_slot(word)   (((word) >> 23) & 0xff)


typedef struct {
    uint32_t  word;
} ngx_olivine_lock_t;


/* The slow half of ngx_olivine_lock_take(). */
ngx_int_t ngx_olivine_lock_wait(ngx_olivine_tx_t *tx,
    ngx_olivine_lock_t *lock);

/*
 * Takes the lock whatever the gate says.  Of locks whose holders wait for
 * nothing and are done at once; one that died is recovered.
 */
void ngx_olivine_lock_insist(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock);

/* Wakes one sleeper; a system call, made when no lock is held. */
void ngx_olivine_lock_wake(ngx_olivine_lock_t *lock);

/*
 * Frees the lock if its word names the owner, whoever calls: used by
 * recovery only.
 */
void ngx_olivine_lock_break(ngx_olivine_lock_t *lock, uint32_t owner);


#endif /* _NGX_OLIVINE_LOCK_H_INCLUDED_ */
