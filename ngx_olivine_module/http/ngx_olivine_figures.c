
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_olivine_figures.h"


static void ngx_olivine_figures_memory(ngx_olivine_figures_t *f);
static void ngx_olivine_figures_snapshot(ngx_olivine_figures_t *f);
static void ngx_olivine_figures_aof(ngx_olivine_figures_t *f);
static ngx_int_t ngx_olivine_figures_slow(ngx_olivine_tx_t *tx,
    ngx_olivine_figures_t *f);


const char *const  ngx_olivine_memory_names[NGX_OLIVINE_MEMORY_USES] = {
    "data",
    "tables",
    "gaps",
    "log",
    "receiving",
    "pinned",
    "serving",
    "free",
    "clients"
};


ngx_int_t
ngx_olivine_figures(ngx_olivine_tx_t *tx, int64_t now,
    ngx_olivine_figures_t *f)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;

    ngx_memzero(f, sizeof(ngx_olivine_figures_t));

    f->zone = zone;
    f->now = now;
    f->one = 1;

    ngx_olivine_usage_sums(zone, tx->slot->cycle, &f->sums);
    ngx_olivine_usage_memory(zone, &f->memory);
    ngx_olivine_usage_ticks(zone, &f->cpu);

    f->started = zone->started / 1000;
    f->uptime = ngx_max(now - zone->started, 0) / 1000;
    f->system_memory = (uint64_t) sysconf(_SC_PHYS_PAGES)
                       * sysconf(_SC_PAGESIZE);
    f->overhead = f->memory.used - f->memory.dataset;
    f->max = zone->params.maxmemory;
    f->limit = f->max ? ngx_min(f->max, zone->limit) : zone->limit;
    f->detached = ngx_olivine_info_detached(zone);
    f->spent = ngx_olivine_info_spent(zone);

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE) {
            f->aof_held += slot->held;
        }
    }

    f->payloads = zone->ring.loads_head - zone->ring.loads_tail;

    ngx_olivine_figures_memory(f);
    ngx_olivine_figures_snapshot(f);
    ngx_olivine_figures_aof(f);

    return ngx_olivine_figures_slow(tx, f);
}


static void
ngx_olivine_figures_memory(ngx_olivine_figures_t *f)
{
    uint64_t                    *uses, counted, pages;
    ngx_uint_t                   i;
    ngx_olivine_heap_t          *heap;
    ngx_olivine_zone_t          *zone;
    ngx_olivine_usage_shard_t    shard;

    zone = f->zone;
    heap = &zone->heap;
    uses = f->memory_uses;

    f->heap_used = heap->used << NGX_OLIVINE_PAGE_SHIFT;
    f->heap_free = (heap->backed - ngx_min(heap->used, heap->backed))
                   << NGX_OLIVINE_PAGE_SHIFT;
    f->heap_void = (heap->limit - ngx_min(heap->backed, heap->limit))
                   << NGX_OLIVINE_PAGE_SHIFT;

    uses[NGX_OLIVINE_MEMORY_DATA] = f->memory.dataset;
    uses[NGX_OLIVINE_MEMORY_TABLES] = f->memory.tables;
    uses[NGX_OLIVINE_MEMORY_FREE] = f->heap_free;
    uses[NGX_OLIVINE_MEMORY_CLIENTS] = f->sums.buffers;

    uses[NGX_OLIVINE_MEMORY_LOG] = zone->ring.size
                          + (zone->ring.copies << NGX_OLIVINE_PAGE_SHIFT);
    uses[NGX_OLIVINE_MEMORY_RECEIVING] = heap->receipts
                                         << NGX_OLIVINE_PAGE_SHIFT;
    uses[NGX_OLIVINE_MEMORY_PINNED] = heap->orphans << NGX_OLIVINE_PAGE_SHIFT;

    counted = f->memory.dataset + f->memory.tables
              + uses[NGX_OLIVINE_MEMORY_LOG]
              + uses[NGX_OLIVINE_MEMORY_RECEIVING]
              + uses[NGX_OLIVINE_MEMORY_PINNED];

    uses[NGX_OLIVINE_MEMORY_SERVING] = f->memory.used
                                       - ngx_min(counted, f->memory.used);

    /* a value that is a run of its own, and a table's segments, have no gaps */

    pages = 0;

    for (i = 0; i < zone->nshards; i++) {
        ngx_olivine_usage_shard(zone, i, &shard);
        pages += shard.arena;
    }

    uses[NGX_OLIVINE_MEMORY_GAPS] = f->memory.active
                                    - ngx_min(f->memory.allocated,
                                              f->memory.active);
    uses[NGX_OLIVINE_MEMORY_GAPS] = ngx_min(uses[NGX_OLIVINE_MEMORY_GAPS],
                                            pages);
}


static void
ngx_olivine_figures_snapshot(ngx_olivine_figures_t *f)
{
    uint32_t                   refuse;
    ngx_olivine_persist_t     *persist;
    ngx_olivine_save_state_t  *save;

    persist = &f->zone->persist;
    save = &persist->save;
    refuse = persist->refuse;

    f->loading = (refuse & NGX_OLIVINE_REFUSE_LOADING) != 0;
    f->refuse_aof = (refuse & NGX_OLIVINE_REFUSE_AOF) != 0;
    f->refuse_snapshot = (refuse & NGX_OLIVINE_REFUSE_SNAPSHOT) != 0;

    f->changes = f->sums.counters.changes
                 - ngx_min(save->saved_changes, f->sums.counters.changes);
    f->rdb_saving = ngx_olivine_info_saving(save, NGX_OLIVINE_SAVE_RDB);
    f->rdb_since = ngx_olivine_info_since(save, f->now, NGX_OLIVINE_SAVE_RDB);
    f->rdb_took = save->took - 1;
    f->rdb_ok = save->status == 0;

    f->snapshot = save->what != 0;

    if (f->snapshot) {
        f->snapshot_keys = save->keys;
        f->snapshot_total = save->total;
        f->snapshot_cow = save->cow;
    }
}


static void
ngx_olivine_figures_aof(ngx_olivine_figures_t *f)
{
    uint64_t                   tail, written;
    ngx_olivine_aof_state_t   *aof;
    ngx_olivine_save_state_t  *save;

    aof = &f->zone->persist.aof;
    save = &f->zone->persist.save;

    f->aof_on = aof->state != NGX_OLIVINE_AOF_OFF;
    f->aof_saving = ngx_olivine_info_saving(save, NGX_OLIVINE_SAVE_AOF);
    f->aof_pending = (save->wanted & NGX_OLIVINE_SAVE_AOF) != 0;
    f->aof_scheduled = f->aof_pending && !f->aof_saving;
    f->aof_since = ngx_olivine_info_since(save, f->now, NGX_OLIVINE_SAVE_AOF);
    f->aof_took = save->rewrite_took - 1;
    f->aof_rewrite_ok = save->rewrite_status == 0;
    f->aof_failures = save->failures;
    f->aof_write_ok = aof->error == 0;

    if (!f->aof_on) {
        return;
    }

    f->aof_size = ngx_olivine_aof_size(f->zone);
    f->aof_base = aof->rewritten_size;
    f->aof_busy = aof->busy;

    /* read one after the other, so one may have passed the next */

    written = ngx_olivine_aof_written(f->zone)->offset;
    tail = f->zone->ring.tail;

    f->aof_unwritten = tail - ngx_min(written, tail);
    f->aof_unsynced = written - ngx_min(aof->durable, written);
}


static ngx_int_t
ngx_olivine_figures_slow(ngx_olivine_tx_t *tx, ngx_olivine_figures_t *f)
{
    u_char                       *memory, *p;
    ngx_uint_t                    n;
    ngx_olivine_slowlog_entry_t  *e;

    f->slow_id = (uint64_t) -1;
    f->slow = ngx_olivine_slowlog_len(tx, NGX_OLIVINE_SLOWLOG_SLOW);

    if (f->slow == 0) {
        return NGX_OK;
    }

    n = 1;

    if (ngx_olivine_slowlog_get(tx, NGX_OLIVINE_SLOWLOG_SLOW, &n, &memory, &p)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (n) {
        e = (ngx_olivine_slowlog_entry_t *) p;
        f->slow_id = e->id;
        f->slow_us = e->value;
    }

    ngx_free(memory);

    return NGX_OK;
}
