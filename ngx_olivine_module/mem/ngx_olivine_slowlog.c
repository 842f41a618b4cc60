
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


/* tries to find memory while others add entries */
#define NGX_OLIVINE_SLOWLOG_TRIES       4

#define ngx_olivine_slowlog_id(place)   ((place) >> 24)
#define ngx_olivine_slowlog_pos(place)  ((uint32_t) (place) & 0xffffff)

#define ngx_olivine_slowlog_place(id, pos)                                    \
    ((uint64_t) (id) << 24 | (pos))

#define ngx_olivine_slowlog_memory(zone, log)                                 \
    ((zone)->slowlog                                                          \
     + ((log) - (zone)->totals->slowlogs) * NGX_OLIVINE_SLOWLOG_MAX)

#define ngx_olivine_slowlog_entry(zone, log, pos)                             \
    ((ngx_olivine_slowlog_entry_t *) (ngx_olivine_slowlog_memory(zone, log)   \
                                      + (pos)))


static size_t ngx_olivine_slowlog_size(ngx_olivine_slow_t *slow);
static uint32_t ngx_olivine_slowlog_back(ngx_olivine_tx_t *tx,
    ngx_olivine_slowlog_t *log, size_t size);
static ngx_int_t ngx_olivine_slowlog_add_locked(ngx_olivine_zone_t *zone,
    ngx_olivine_slowlog_t *log, ngx_olivine_slow_t *slow, ngx_uint_t max,
    size_t size, uint32_t backed);
static ngx_int_t ngx_olivine_slowlog_room(ngx_olivine_zone_t *zone,
    ngx_olivine_slowlog_t *log, size_t size, uint32_t *pos);
static void ngx_olivine_slowlog_write(ngx_olivine_slowlog_entry_t *e,
    ngx_olivine_slow_t *slow, uint64_t id, size_t size);
static void ngx_olivine_slowlog_drop(ngx_olivine_zone_t *zone,
    ngx_olivine_slowlog_t *log);
static uint32_t ngx_olivine_slowlog_skip(ngx_olivine_zone_t *zone,
    ngx_olivine_slowlog_t *log, uint32_t pos);


void
ngx_olivine_slowlog_add(ngx_olivine_tx_t *tx, ngx_olivine_slowlog_e which,
    ngx_olivine_slow_t *slow, ngx_uint_t max)
{
    size_t                  size;
    uint32_t                backed;
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_olivine_slowlog_t  *log;

    log = &tx->zone->totals->slowlogs[which];
    size = ngx_olivine_slowlog_size(slow);

    for (i = 0; i < NGX_OLIVINE_SLOWLOG_TRIES; i++) {

        backed = ngx_olivine_slowlog_back(tx, log, size);

        if (ngx_olivine_stats_lock(tx) != NGX_OK) {
            return;
        }

        rc = ngx_olivine_slowlog_add_locked(tx->zone, log, slow, max, size,
                                            backed);

        ngx_olivine_stats_unlock(tx);

        if (rc != NGX_AGAIN) {
            return;
        }
    }
}


/*
 * Before the lock: gives the ring memory for one more entry, however it may
 * have to be placed.  Up to where it has some.
 */

static uint32_t
ngx_olivine_slowlog_back(ngx_olivine_tx_t *tx, ngx_olivine_slowlog_t *log,
    size_t size)
{
    size_t               end;
    uint32_t             backed;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;
    backed = log->backed;

    end = ngx_olivine_slowlog_pos(log->end) + size;
    end = ngx_min(ngx_align(end, NGX_OLIVINE_PAGE), log->size);

    if (end <= backed || tx->shards
        || ngx_olivine_zone_back(zone, tx->fd,
                                 ngx_olivine_slowlog_memory(zone, log)
                                 + backed,
                                 end - backed)
           != NGX_OK)
    {
        return backed;
    }

    return end;
}


/* OK, or AGAIN if there is no memory where it is to be. */

static ngx_int_t
ngx_olivine_slowlog_add_locked(ngx_olivine_zone_t *zone,
    ngx_olivine_slowlog_t *log, ngx_olivine_slow_t *slow, ngx_uint_t max,
    size_t size, uint32_t backed)
{
    uint32_t  pos, end;
    uint64_t  id;

    log->backed = ngx_max(log->backed, backed);

    id = ngx_olivine_slowlog_id(log->end);

    if (max == 0) {

        /* it counts, and is gone at once */

        log->end = ngx_olivine_slowlog_place(id + 1,
                                             ngx_olivine_slowlog_pos(log->end));
        log->first = log->end;

        return NGX_OK;
    }

    while (id - ngx_olivine_slowlog_id(log->first) >= max) {
        ngx_olivine_slowlog_drop(zone, log);
    }

    if (ngx_olivine_slowlog_room(zone, log, size, &pos) != NGX_OK) {
        return NGX_AGAIN;
    }

    ngx_olivine_slowlog_write(ngx_olivine_slowlog_entry(zone, log, pos), slow,
                              id, size);
    end = pos + size;

    ngx_olivine_barrier();
    ngx_olivine_step();

    if (ngx_olivine_slowlog_id(log->first) == id) {

        /* the only one: what lies before it is not read any more */

        log->first = ngx_olivine_slowlog_place(id, pos);

        ngx_olivine_barrier();
        ngx_olivine_step();
    }

    log->end = ngx_olivine_slowlog_place(id + 1, end == log->size ? 0 : end);

    ngx_olivine_step();

    return NGX_OK;
}


static size_t
ngx_olivine_slowlog_size(ngx_olivine_slow_t *slow)
{
    size_t      size;
    ngx_uint_t  i;

    size = sizeof(ngx_olivine_slowlog_entry_t) + slow->addr.len
           + slow->name.len;

    for (i = 0; i < slow->argc; i++) {
        size += sizeof(uint32_t) + slow->argv[i].len;
    }

    return ngx_align(size, 8);
}


/*
 * Finds room behind the newest entry: the oldest give way, and at the ring's
 * end the rest of it is skipped.  OK or AGAIN.
 */

static ngx_int_t
ngx_olivine_slowlog_room(ngx_olivine_zone_t *zone, ngx_olivine_slowlog_t *log,
    size_t size, uint32_t *pos)
{
    uint32_t  at, first;

    at = ngx_olivine_slowlog_pos(log->end);

    for ( ;; ) {

        if (ngx_olivine_slowlog_id(log->first)
            == ngx_olivine_slowlog_id(log->end))
        {
            /* nothing is kept */

            if (log->size - at < size) {
                at = 0;
            }

            break;
        }

        first = ngx_olivine_slowlog_pos(log->first);

        if (first >= at) {

            if (first - at >= size) {
                break;
            }

        } else {

            if (log->size - at >= size) {
                break;
            }

            if (first >= size) {

                /* there is room for a length at any place of the ring */

                if (log->backed < log->size) {
                    return NGX_AGAIN;
                }

                ngx_olivine_slowlog_entry(zone, log, at)->size = 0;
                at = 0;

                break;
            }
        }

        ngx_olivine_slowlog_drop(zone, log);
    }

    *pos = at;

    return at + size <= log->backed ? NGX_OK : NGX_AGAIN;
}


static void
ngx_olivine_slowlog_write(ngx_olivine_slowlog_entry_t *e,
    ngx_olivine_slow_t *slow, uint64_t id, size_t size)
{
    u_char      *p;
    uint32_t     len;
    ngx_uint_t   i;

    e->size = size;
    e->argc = slow->argc;
    e->addr = slow->addr.len;
    e->name = slow->name.len;
    e->id = id;
    e->time = slow->time;
    e->value = slow->value;

    p = ngx_cpymem(e->data, slow->addr.data, slow->addr.len);
    p = ngx_cpymem(p, slow->name.data, slow->name.len);

    for (i = 0; i < slow->argc; i++) {
        len = slow->argv[i].len;
        p = ngx_cpymem(p, &len, sizeof(uint32_t));
        p = ngx_cpymem(p, slow->argv[i].data, len);
    }
}


/* The oldest entry is none any more. */

static void
ngx_olivine_slowlog_drop(ngx_olivine_zone_t *zone, ngx_olivine_slowlog_t *log)
{
    uint32_t  pos;
    uint64_t  id;

    id = ngx_olivine_slowlog_id(log->first) + 1;

    if (id == ngx_olivine_slowlog_id(log->end)) {
        log->first = log->end;
        return;
    }

    pos = ngx_olivine_slowlog_skip(zone, log,
                                   ngx_olivine_slowlog_pos(log->first));
    pos += ngx_olivine_slowlog_entry(zone, log, pos)->size;
    pos = ngx_olivine_slowlog_skip(zone, log, pos);

    log->first = ngx_olivine_slowlog_place(id, pos);
    ngx_olivine_step();
}


/* Where an entry that follows is: at the ring's end it begins anew. */

static uint32_t
ngx_olivine_slowlog_skip(ngx_olivine_zone_t *zone, ngx_olivine_slowlog_t *log,
    uint32_t pos)
{
    if (pos >= log->size
        || ngx_olivine_slowlog_entry(zone, log, pos)->size == 0)
    {
        return 0;
    }

    return pos;
}


ngx_uint_t
ngx_olivine_slowlog_len(ngx_olivine_tx_t *tx, ngx_olivine_slowlog_e which)
{
    ngx_uint_t              n;
    ngx_olivine_slowlog_t  *log;

    log = &tx->zone->totals->slowlogs[which];

    if (ngx_olivine_stats_lock(tx) != NGX_OK) {
        return 0;
    }

    n = ngx_olivine_slowlog_id(log->end) - ngx_olivine_slowlog_id(log->first);

    ngx_olivine_stats_unlock(tx);

    return n;
}


ngx_int_t
ngx_olivine_slowlog_get(ngx_olivine_tx_t *tx, ngx_olivine_slowlog_e which,
    ngx_uint_t *n, u_char **memory, u_char **entries)
{
    u_char                       *p;
    uint32_t                      pos;
    ngx_uint_t                    i, have;
    ngx_olivine_zone_t           *zone;
    ngx_olivine_slowlog_t        *log;
    ngx_olivine_slowlog_entry_t  *e;

    zone = tx->zone;
    log = &zone->totals->slowlogs[which];

    *memory = ngx_alloc(log->size, ngx_cycle->log);
    if (*memory == NULL) {
        return NGX_ERROR;
    }

    /* they are met from the oldest on, and put before each other */

    p = *memory + log->size;

    if (ngx_olivine_stats_lock(tx) != NGX_OK) {
        *n = 0;
        return NGX_OK;
    }

    have = ngx_olivine_slowlog_id(log->end)
           - ngx_olivine_slowlog_id(log->first);
    *n = ngx_min(*n, have);
    pos = ngx_olivine_slowlog_pos(log->first);

    for (i = 0; i < have; i++) {

        pos = ngx_olivine_slowlog_skip(zone, log, pos);
        e = ngx_olivine_slowlog_entry(zone, log, pos);
        pos += e->size;

        if (i >= have - *n) {
            p -= e->size;
            ngx_memcpy(p, e, e->size);
        }
    }

    ngx_olivine_stats_unlock(tx);

    *entries = p;

    return NGX_OK;
}


void
ngx_olivine_slowlog_reset(ngx_olivine_tx_t *tx, ngx_olivine_slowlog_e which)
{
    ngx_olivine_slowlog_t  *log;

    log = &tx->zone->totals->slowlogs[which];

    if (ngx_olivine_stats_lock(tx) != NGX_OK) {
        return;
    }

    log->first = log->end;

    ngx_olivine_stats_unlock(tx);
}
