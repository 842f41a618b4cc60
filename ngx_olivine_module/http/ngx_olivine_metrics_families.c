
/*
 * Copyright (C) The Olivine authors
 *
 * Metrics with a sample for each use of memory, database, worker, shard,
 * reader of the log, lock, event of the latency monitor.
 */


#include "http/ngx_olivine_metrics.h"


static void ngx_olivine_metrics_text(ngx_olivine_metrics_t *m,
    const char *name, const char *value);
static void ngx_olivine_metrics_n(ngx_olivine_metrics_t *m, const char *name,
    const char *prefix, uint64_t n);
static void ngx_olivine_metrics_worker(ngx_olivine_metrics_t *m,
    ngx_uint_t counted);
static void ngx_olivine_metrics_slot(ngx_olivine_metrics_t *m,
    ngx_olivine_slot_t *slot);


void
ngx_olivine_metrics_uses(ngx_olivine_metrics_t *m)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_OLIVINE_MEMORY_USES; i++) {
        ngx_olivine_metrics_text(m, "use", ngx_olivine_memory_names[i]);
        ngx_olivine_metrics_value(m, 1, m->figures.memory_uses[i], 1);
    }
}


/* The first one even if it is empty. */

void
ngx_olivine_metrics_databases(ngx_olivine_metrics_t *m)
{
    int64_t                    db;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_usage_shard_t  sum;

    zone = m->tx->zone;

    for (db = 0; db < zone->params.databases; db++) {

        ngx_olivine_store_count(zone, db, &sum.keys, &sum.expires);

        if (sum.keys || db == 0) {
            ngx_olivine_metrics_n(m, "db", "db", db);
            ngx_olivine_metrics_value(m, 1,
                                      ngx_olivine_metrics_number(m->row, &sum),
                                      1);
        }
    }
}


void
ngx_olivine_metrics_ttls(ngx_olivine_metrics_t *m)
{
    int64_t              db;
    uint64_t             keys, expires;
    ngx_olivine_zone_t  *zone;

    zone = m->tx->zone;

    for (db = 0; db < zone->params.databases; db++) {

        ngx_olivine_store_count(zone, db, &keys, &expires);

        if (keys || db == 0) {
            ngx_olivine_metrics_n(m, "db", "db", db);
            ngx_olivine_metrics_value(m, 1, ngx_olivine_info_ttl(zone, db),
                                      1000);
        }
    }
}


void
ngx_olivine_metrics_workers(ngx_olivine_metrics_t *m)
{
    ngx_olivine_metrics_worker(m, 0);
}


/* What CONFIG RESETSTAT sets to 0, if the worker has not yet done so. */

void
ngx_olivine_metrics_counted(ngx_olivine_metrics_t *m)
{
    ngx_olivine_metrics_worker(m, 1);
}


static void
ngx_olivine_metrics_worker(ngx_olivine_metrics_t *m, ngx_uint_t counted)
{
    uint64_t             value;
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;

    zone = m->tx->zone;

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state != NGX_OLIVINE_SLOT_LIVE) {
            continue;
        }

        value = ngx_olivine_metrics_number(m->row, slot);

        if (counted && !ngx_olivine_slot_counts(zone, i)) {
            value = 0;
        }

        ngx_olivine_metrics_slot(m, slot);
        ngx_olivine_metrics_value(m, 1, value, m->row->scale);
    }
}


static void
ngx_olivine_metrics_slot(ngx_olivine_metrics_t *m, ngx_olivine_slot_t *slot)
{
    u_char  pid[NGX_INT32_LEN + 1], *p;

    p = ngx_sprintf(pid, "%uD", slot->pid);

    ngx_olivine_metrics_n(m, "slot", "", slot->number);
    ngx_olivine_metrics_label(m, "pid", pid, p - pid);
}


void
ngx_olivine_metrics_cpu(ngx_olivine_metrics_t *m)
{
    ngx_uint_t            i;
    ngx_olivine_slot_t   *slot;
    ngx_olivine_usage_t   usage;

    for (i = 0; i < m->tx->zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(m->tx->zone, i);

        if (slot->state != NGX_OLIVINE_SLOT_LIVE) {
            continue;
        }

        ngx_memzero(&usage, sizeof(ngx_olivine_usage_t));
        ngx_olivine_usage_process(slot->pid, &usage);

        ngx_olivine_metrics_slot(m, slot);
        ngx_olivine_metrics_label(m, "mode", (u_char *) "user", 4);
        ngx_olivine_metrics_value(m, 1, usage.user, m->row->scale);

        ngx_olivine_metrics_slot(m, slot);
        ngx_olivine_metrics_label(m, "mode", (u_char *) "kernel", 6);
        ngx_olivine_metrics_value(m, 1, usage.sys, m->row->scale);
    }
}


void
ngx_olivine_metrics_shards(ngx_olivine_metrics_t *m)
{
    ngx_uint_t                 i;
    ngx_olivine_usage_shard_t  shard;

    for (i = 0; i < m->tx->zone->nshards; i++) {

        ngx_olivine_usage_shard(m->tx->zone, i, &shard);

        ngx_olivine_metrics_n(m, "shard", "", i);
        ngx_olivine_metrics_value(m, 1,
                                  ngx_olivine_metrics_number(m->row, &shard),
                                  1);
    }
}


void
ngx_olivine_metrics_readers(ngx_olivine_metrics_t *m)
{
    uint64_t             offset, tail;
    ngx_uint_t           i;
    ngx_olivine_ring_t  *ring;

    ring = &m->tx->zone->ring;

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {

        offset = ring->offsets[i];
        tail = ring->tail;

        if (offset) {
            ngx_olivine_metrics_n(m, "reader", "", i);
            ngx_olivine_metrics_value(m, 1, tail - ngx_min(offset - 1, tail),
                                      1);
        }
    }
}


void
ngx_olivine_metrics_refused(ngx_olivine_metrics_t *m)
{
    ngx_olivine_figures_t  *f;

    f = &m->figures;

    ngx_olivine_metrics_text(m, "why", "aof");
    ngx_olivine_metrics_value(m, 1, f->refuse_aof, 1);

    ngx_olivine_metrics_text(m, "why", "snapshot");
    ngx_olivine_metrics_value(m, 1, f->refuse_snapshot, 1);

    ngx_olivine_metrics_text(m, "why", "loading");
    ngx_olivine_metrics_value(m, 1, f->loading, 1);
}


/* Those that had to wait; of all slots, also of workers that are gone. */

void
ngx_olivine_metrics_locks(ngx_olivine_metrics_t *m)
{
    uint32_t                     i, n;
    ngx_uint_t                   slot, k;
    ngx_olivine_zone_t          *zone;
    ngx_olivine_sample_row_t    *row, sums[NGX_OLIVINE_SAMPLE_LOCKS];
    ngx_olivine_sample_table_t  *table;

    zone = m->tx->zone;

    ngx_memzero(sums, sizeof(sums));

    for (slot = 0; slot < zone->slots_high; slot++) {

        table = ngx_olivine_sample_table(zone, slot);
        n = ngx_min(table->n, NGX_OLIVINE_SAMPLE_ROWS);

        for (i = 0; i < n; i++) {

            row = &table->rows[i];

            if (row->kind == NGX_OLIVINE_SAMPLE_MUTEX
                && row->label < NGX_OLIVINE_SAMPLE_LOCKS)
            {
                sums[row->label].count += row->count;
                sums[row->label].sum += row->sum;
            }
        }
    }

    for (k = NGX_OLIVINE_SAMPLE_SHARD; k < NGX_OLIVINE_SAMPLE_LOCKS; k++) {
        ngx_olivine_metrics_text(m, "lock",
                                 (char *) ngx_olivine_sample_locks[k].data);
        ngx_olivine_metrics_value(m, 1,
                                  ngx_olivine_metrics_number(m->row, &sums[k]),
                                  m->row->scale);
    }
}


/* An event's last sample, in the terms of its struct. */

void
ngx_olivine_metrics_spikes(ngx_olivine_metrics_t *m)
{
    ngx_uint_t                  i, n, at;
    ngx_olivine_stats_event_t  *events, *event;

    events = ngx_alloc(sizeof(ngx_olivine_stats_event_t)
                       * NGX_OLIVINE_STATS_EVENTS, ngx_cycle->log);

    if (events == NULL) {
        m->b->failed = 1;
        return;
    }

    n = ngx_olivine_stats_events(m->tx, events);

    for (i = 0; i < n; i++) {

        event = &events[i];
        at = (event->next + NGX_OLIVINE_STATS_SAMPLES - 1)
             % NGX_OLIVINE_STATS_SAMPLES;

        event->next = event->samples[at].time;
        event->max = event->samples[at].ms;

        ngx_olivine_metrics_text(m, "event_name", (char *) event->name);
        ngx_olivine_metrics_value(m, 1,
                                  ngx_olivine_metrics_number(m->row, event),
                                  m->row->scale);
    }

    ngx_free(events);
}


static void
ngx_olivine_metrics_text(ngx_olivine_metrics_t *m, const char *name,
    const char *value)
{
    ngx_olivine_metrics_sample(m, "", name, (u_char *) value,
                               ngx_strlen(value));
}


static void
ngx_olivine_metrics_n(ngx_olivine_metrics_t *m, const char *name,
    const char *prefix, uint64_t n)
{
    u_char  text[NGX_INT64_LEN + 8], *p;

    p = ngx_slprintf(text, text + sizeof(text), "%s%uL", prefix, n);

    ngx_olivine_metrics_sample(m, "", name, text, p - text);
}
