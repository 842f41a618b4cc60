
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"

#include <sys/mman.h>


/* tries to find memory while others add messages */
#define NGX_OLIVINE_MONITOR_TRIES  4


static void ngx_olivine_monitor_lock(ngx_olivine_tx_t *tx);
static void ngx_olivine_monitor_unlock(ngx_olivine_tx_t *tx);
static void ngx_olivine_monitor_count(ngx_olivine_zone_t *zone);
static uint32_t ngx_olivine_monitor_back(ngx_olivine_tx_t *tx, size_t n);
static ngx_int_t ngx_olivine_monitor_add_locked(ngx_olivine_zone_t *zone,
    u_char *data, size_t n, uint32_t backed);
static void ngx_olivine_monitor_lose_locked(ngx_olivine_monitor_t *monitor);
static void ngx_olivine_monitor_ring(ngx_olivine_zone_t *zone);
static void ngx_olivine_monitor_copy_in(ngx_olivine_zone_t *zone, uint64_t at,
    u_char *data, size_t n);
static void ngx_olivine_monitor_copy_out(ngx_olivine_zone_t *zone,
    uint64_t at, u_char *data, size_t n);


uint32_t
ngx_olivine_monitor_size(size_t limit)
{
    size_t  size;

    size = ngx_max(limit / NGX_OLIVINE_MONITOR_PART, NGX_OLIVINE_MONITOR_MIN);
    size = ngx_min(size, NGX_OLIVINE_MONITOR_MAX);

    return ngx_align(size, NGX_OLIVINE_PAGE);
}


ngx_int_t
ngx_olivine_monitor_join(ngx_olivine_tx_t *tx, uint64_t *at)
{
    uint32_t                rest;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_monitor_t  *monitor;

    zone = tx->zone;
    monitor = &zone->monitor;

    if (ngx_olivine_lease_take(tx, &monitor->lease) != NGX_OK) {
        return NGX_AGAIN;
    }

    ngx_olivine_step();

    ngx_olivine_monitor_lock(tx);

    if (!zone->monitored) {

        /* memory is taken from the ring's begin on */

        rest = monitor->tail % monitor->size;

        monitor->tail += rest ? monitor->size - rest : 0;
        ngx_olivine_barrier();
        ngx_olivine_step();

        monitor->floor = monitor->tail;
        ngx_olivine_barrier();
        ngx_olivine_step();
    }

    *at = monitor->tail;

    tx->slot->monitors++;
    ngx_olivine_step();

    ngx_olivine_monitor_count(zone);
    ngx_olivine_monitor_unlock(tx);

    ngx_olivine_lease_give(tx, &monitor->lease);
    ngx_olivine_step();

    return NGX_OK;
}


void
ngx_olivine_monitor_leave(ngx_olivine_tx_t *tx)
{
    ngx_olivine_monitor_lock(tx);

    tx->slot->monitors--;
    ngx_olivine_step();

    ngx_olivine_monitor_count(tx->zone);
    ngx_olivine_monitor_unlock(tx);
}


void
ngx_olivine_monitor_retire(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot)
{
    if (!tx->zone->monitored) {
        return;
    }

    ngx_olivine_monitor_lock(tx);

    slot->monitors = 0;
    ngx_olivine_step();

    ngx_olivine_monitor_count(tx->zone);
    ngx_olivine_monitor_unlock(tx);
}


/* A slot that is dead counts until it is swept: it costs, and does no harm. */

static void
ngx_olivine_monitor_count(ngx_olivine_zone_t *zone)
{
    uint32_t    n;
    ngx_uint_t  i;

    n = 0;

    for (i = 0; i < zone->slots_high; i++) {
        n += ngx_olivine_slot_at(zone, i)->monitors;
    }

    __atomic_store_n(&zone->monitored, n, __ATOMIC_SEQ_CST);
    ngx_olivine_step();
}


void
ngx_olivine_monitor_add(ngx_olivine_tx_t *tx, u_char *data, size_t n)
{
    uint32_t             backed;
    ngx_int_t            rc;
    ngx_uint_t           i;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;
    rc = NGX_DECLINED;

    for (i = 0; i < NGX_OLIVINE_MONITOR_TRIES; i++) {

        backed = data ? ngx_olivine_monitor_back(tx, n) : 0;

        ngx_olivine_monitor_lock(tx);

        if (zone->monitored) {
            rc = ngx_olivine_monitor_add_locked(zone, data, n, backed);

            if (rc == NGX_ERROR
                || (rc == NGX_AGAIN && i == NGX_OLIVINE_MONITOR_TRIES - 1))
            {
                ngx_olivine_monitor_lose_locked(&zone->monitor);
                rc = NGX_OK;
            }
        }

        ngx_olivine_monitor_unlock(tx);

        if (rc != NGX_AGAIN) {
            break;
        }
    }

    if (rc == NGX_OK) {
        ngx_olivine_monitor_ring(zone);
    }
}


/* Before the lock: memory for n bytes more.  Up to where there is some. */

static uint32_t
ngx_olivine_monitor_back(ngx_olivine_tx_t *tx, size_t n)
{
    size_t                  end;
    uint32_t                backed;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_monitor_t  *monitor;

    zone = tx->zone;
    monitor = &zone->monitor;
    backed = monitor->backed;

    if (backed == monitor->size) {
        return backed;
    }

    end = __atomic_load_n(&monitor->tail, __ATOMIC_RELAXED) % monitor->size
          + n;
    end = ngx_min(ngx_align(end, NGX_OLIVINE_PAGE), monitor->size);

    if (end <= backed
        || ngx_olivine_zone_back(zone, tx->fd, zone->monitor_ring + backed,
                                 end - backed) != NGX_OK)
    {
        return backed;
    }

    return end;
}


/* OK; AGAIN: there is no memory where they are to be; ERROR: they are long. */

static ngx_int_t
ngx_olivine_monitor_add_locked(ngx_olivine_zone_t *zone, u_char *data,
    size_t n, uint32_t backed)
{
    size_t                  end;
    uint64_t                tail;
    ngx_olivine_monitor_t  *monitor;

    monitor = &zone->monitor;
    monitor->backed = ngx_max(monitor->backed, backed);

    if (data == NULL || n > monitor->size) {
        return NGX_ERROR;
    }

    tail = monitor->tail;
    end = ngx_min(tail % monitor->size + n, monitor->size);

    if (end > monitor->backed) {
        return NGX_AGAIN;
    }

    if (tail + n - monitor->floor > monitor->size) {
        __atomic_store_n(&monitor->floor, tail + n - monitor->size,
                         __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        ngx_olivine_step();
    }

    ngx_olivine_monitor_copy_in(zone, tail, data, n);
    ngx_olivine_step();

    __atomic_store_n(&monitor->tail, tail + n, __ATOMIC_RELEASE);
    ngx_olivine_step();

    return NGX_OK;
}


/* All readers have fallen behind. */

static void
ngx_olivine_monitor_lose_locked(ngx_olivine_monitor_t *monitor)
{
    uint64_t  end;

    end = monitor->tail + 1;

    __atomic_store_n(&monitor->floor, end, __ATOMIC_RELAXED);
    ngx_olivine_barrier();
    ngx_olivine_step();

    __atomic_store_n(&monitor->tail, end, __ATOMIC_RELEASE);
    ngx_olivine_step();
}


/* A worker that has been rung already, and has not looked yet, is not again. */

static void
ngx_olivine_monitor_ring(ngx_olivine_zone_t *zone)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->monitors && slot->state == NGX_OLIVINE_SLOT_LIVE
            && !(__atomic_load_n(&slot->hints, __ATOMIC_SEQ_CST)
                 & NGX_OLIVINE_HINT_MONITOR))
        {
            ngx_olivine_slot_ring(zone, i, NGX_OLIVINE_HINT_MONITOR);
        }
    }
}


ngx_int_t
ngx_olivine_monitor_look(ngx_olivine_zone_t *zone, uint64_t at, uint32_t *len)
{
    uint64_t                tail;
    ngx_olivine_monitor_t  *monitor;

    monitor = &zone->monitor;
    tail = __atomic_load_n(&monitor->tail, __ATOMIC_ACQUIRE);

    if (tail == at) {
        return NGX_DECLINED;
    }

    ngx_olivine_monitor_copy_out(zone, at, (u_char *) len,
                                 NGX_OLIVINE_MONITOR_HEAD);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);

    return __atomic_load_n(&monitor->floor, __ATOMIC_RELAXED) > at
           ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_olivine_monitor_read(ngx_olivine_zone_t *zone, uint64_t *at, u_char *data,
    uint32_t len)
{
    ngx_olivine_monitor_copy_out(zone, *at + NGX_OLIVINE_MONITOR_HEAD, data,
                                 len);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);

    if (__atomic_load_n(&zone->monitor.floor, __ATOMIC_RELAXED) > *at) {
        return NGX_ERROR;
    }

    *at += NGX_OLIVINE_MONITOR_HEAD + len;

    return NGX_OK;
}


void
ngx_olivine_monitor_trim(ngx_olivine_tx_t *tx)
{
    uint32_t                backed;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_monitor_t  *monitor;

    zone = tx->zone;
    monitor = &zone->monitor;

    if (ngx_olivine_likely(monitor->backed == 0) || zone->monitored
        || ngx_olivine_lease_take(tx, &monitor->lease) != NGX_OK)
    {
        return;
    }

    ngx_olivine_monitor_lock(tx);

    backed = 0;

    if (!zone->monitored) {
        backed = monitor->backed;
        monitor->backed = 0;
        ngx_olivine_step();
    }

    ngx_olivine_monitor_unlock(tx);

    /* nobody gets in while the lease is ours */

    if (backed) {
        (void) madvise(zone->monitor_ring, backed, MADV_REMOVE);
        ngx_olivine_step();
    }

    ngx_olivine_lease_give(tx, &monitor->lease);
}


static void
ngx_olivine_monitor_lock(ngx_olivine_tx_t *tx)
{
    ngx_olivine_monitor_t  *monitor;

    monitor = &tx->zone->monitor;

    ngx_olivine_lock_insist(tx, &monitor->lock);

    if (monitor->floor > monitor->tail) {

        /* who has not let others lose them died between the two */

        monitor->tail = monitor->floor;
        ngx_olivine_step();
    }
}


static void
ngx_olivine_monitor_unlock(ngx_olivine_tx_t *tx)
{
    if (ngx_olivine_lock_free(&tx->zone->monitor.lock)) {
        ngx_olivine_lock_wake(&tx->zone->monitor.lock);
    }
}


static void
ngx_olivine_monitor_copy_in(ngx_olivine_zone_t *zone, uint64_t at,
    u_char *data, size_t n)
{
    size_t  from, first;

    from = at % zone->monitor.size;
    first = ngx_min(n, zone->monitor.size - from);

    ngx_memcpy(zone->monitor_ring + from, data, first);
    ngx_memcpy(zone->monitor_ring, data + first, n - first);
}


static void
ngx_olivine_monitor_copy_out(ngx_olivine_zone_t *zone, uint64_t at,
    u_char *data, size_t n)
{
    size_t  from, first;

    from = at % zone->monitor.size;
    first = ngx_min(n, zone->monitor.size - from);

    ngx_memcpy(data, zone->monitor_ring + from, first);
    ngx_memcpy(data + first, zone->monitor_ring, n - first);
}
