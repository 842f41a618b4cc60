
/*
 * Copyright (C) The Olivine authors
 *
 * What clients in MONITOR see: a ring of messages of all workers.
 *
 * While zone->monitored is 0 nobody looks, and nothing is written.  Else each
 * worker adds what its commands were, in order, before their replies are sent;
 * each is a length (32 bits) and bytes.  A reader has a position of its own,
 * and reads without a lock: bytes below "floor" may be overwritten, so what
 * it copied holds if its position is not below that afterwards.  Who is, has
 * fallen behind, and is told so; so are all if a message is larger than the
 * ring or finds no memory.  Nothing else is lost.
 *
 * The lock is the last in the order.  A worker may die at any instruction:
 * a message is there when "tail" has passed it.
 */


#ifndef _NGX_OLIVINE_MONITOR_H_INCLUDED_
#define _NGX_OLIVINE_MONITOR_H_INCLUDED_


#include "base/ngx_olivine_base.h"
#include "mem/ngx_olivine_lock.h"


/* the ring: a part of the zone, between these */
#define NGX_OLIVINE_MONITOR_MIN    (256 * 1024)
#define NGX_OLIVINE_MONITOR_MAX    (16 * 1024 * 1024)
#define NGX_OLIVINE_MONITOR_PART   32

#define NGX_OLIVINE_MONITOR_HEAD   sizeof(uint32_t)


typedef struct {
    ngx_olivine_lock_t       lock;
    uint32_t                 lease;       /* whoever lets a reader in, or
                                             gives memory back */
    uint32_t                 size;        /* of the ring, bytes */
    uint32_t                 backed;      /* of it */
    uint64_t                 floor;       /* the oldest byte that is kept */
    uint64_t                 tail;        /* the end of the newest message */
} ngx_olivine_monitor_t;


/*
 * One more reader in the caller's slot, which begins at *at.  OK; AGAIN: at
 * another time, in a moment.
 */
ngx_int_t ngx_olivine_monitor_join(ngx_olivine_tx_t *tx, uint64_t *at);
void ngx_olivine_monitor_leave(ngx_olivine_tx_t *tx);

/* The slot's readers are gone. */
void ngx_olivine_monitor_retire(ngx_olivine_tx_t *tx,
    ngx_olivine_slot_t *slot);

/*
 * Adds whole messages of n bytes in all, and rings those who have readers.
 * NULL: there is one that cannot be kept.  No lock is held.  System calls.
 */
void ngx_olivine_monitor_add(ngx_olivine_tx_t *tx, u_char *data, size_t n);

/*
 * The length of the message at a position.  OK; DECLINED: there is none yet;
 * ERROR: the reader has fallen behind.
 */
ngx_int_t ngx_olivine_monitor_look(ngx_olivine_zone_t *zone, uint64_t at,
    uint32_t *len);

/* Copies that message, and goes behind it.  OK or ERROR. */
ngx_int_t ngx_olivine_monitor_read(ngx_olivine_zone_t *zone, uint64_t *at,
    u_char *data, uint32_t len);

/* Gives memory back when nobody reads; for a tick, no lock held. */
void ngx_olivine_monitor_trim(ngx_olivine_tx_t *tx);

/* Bytes of a ring in a zone of that limit. */
uint32_t ngx_olivine_monitor_size(size_t limit);


#endif /* _NGX_OLIVINE_MONITOR_H_INCLUDED_ */
