
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_olivine_status.h"


static void ngx_olivine_status_server(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_counters(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_memory(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_keyspace(ngx_olivine_zone_t *zone,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_shards(ngx_olivine_zone_t *zone,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_workers(ngx_olivine_zone_t *zone,
    ngx_olivine_buffer_t *b);
static ngx_int_t ngx_olivine_status_slow(ngx_olivine_tx_t *tx,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_entry(ngx_olivine_slowlog_entry_t *e,
    ngx_olivine_buffer_t *b);


ngx_int_t
ngx_olivine_status(ngx_olivine_tx_t *tx, int64_t now, ngx_olivine_buffer_t *b)
{
    ngx_olivine_zone_t     *zone;
    ngx_olivine_figures_t   figures;

    zone = tx->zone;

    if (ngx_olivine_figures(tx, now, &figures) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_olivine_json_begin(b, NULL, '{');

    ngx_olivine_status_server(&figures, b);
    ngx_olivine_status_counters(&figures, b);
    ngx_olivine_status_memory(&figures, b);
    ngx_olivine_status_commands(zone, b);
    ngx_olivine_status_keyspace(zone, b);
    ngx_olivine_status_shards(zone, b);
    ngx_olivine_status_workers(zone, b);
    ngx_olivine_status_persistence(&figures, b);

    if (ngx_olivine_status_slow(tx, b) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_olivine_json_end(b, '}');

    return b->failed ? NGX_ERROR : NGX_OK;
}


static void
ngx_olivine_status_server(ngx_olivine_figures_t *f, ngx_olivine_buffer_t *b)
{
    u_char  id[NGX_OLIVINE_INFO_ID + 1];

    ngx_olivine_info_id(f->zone, "run", id);
    id[NGX_OLIVINE_INFO_ID] = '\0';

    ngx_olivine_json_text(b, "version", NGX_OLIVINE_VERSION);
    ngx_olivine_json_text(b, "redis_version", NGX_OLIVINE_REDIS_VERSION);
    ngx_olivine_json_text(b, "zone", (char *) f->zone->name);
    ngx_olivine_json_text(b, "run_id", (char *) id);
    ngx_olivine_json_signed(b, "now_ms", f->now);
    ngx_olivine_json_signed(b, "uptime_s", f->uptime);
    ngx_olivine_json_number(b, "master_pid",
                            ngx_process == NGX_PROCESS_WORKER ? ngx_parent
                                                              : ngx_pid);
    ngx_olivine_json_number(b, "answered_by", ngx_pid);

    /* counters begin anew with another one */

    ngx_olivine_json_number(b, "epoch", f->zone->stats_epoch);
}


static void
ngx_olivine_status_counters(ngx_olivine_figures_t *f, ngx_olivine_buffer_t *b)
{
    ngx_olivine_counters_t    *c;
    ngx_olivine_usage_sums_t  *sums;

    sums = &f->sums;
    c = &sums->counters;

    ngx_olivine_json_begin(b, "counters", '{');
    ngx_olivine_json_number(b, "commands", c->commands);
    ngx_olivine_json_number(b, "connections", c->connections);
    ngx_olivine_json_number(b, "rejected", c->rejected);
    ngx_olivine_json_number(b, "bytes_in", c->bytes_in);
    ngx_olivine_json_number(b, "bytes_out", c->bytes_out);
    ngx_olivine_json_number(b, "hits", c->hits);
    ngx_olivine_json_number(b, "misses", c->misses);
    ngx_olivine_json_number(b, "expired", c->expired);
    ngx_olivine_json_number(b, "changes", c->changes);
    ngx_olivine_json_number(b, "errors", c->errors);
    ngx_olivine_json_number(b, "parked", c->parked);
    ngx_olivine_json_number(b, "recovered", f->zone->recovered);
    ngx_olivine_json_number(b, "cpu_user_us", f->cpu.user);
    ngx_olivine_json_number(b, "cpu_sys_us", f->cpu.sys);
    ngx_olivine_json_number(b, "longest_turn_us", sums->longest_turn);
    ngx_olivine_json_number(b, "longest_hold_us", sums->longest_hold);
    ngx_olivine_json_end(b, '}');

    ngx_olivine_json_begin(b, "rates", '{');
    ngx_olivine_json_number(b, "commands", sums->rates.commands);
    ngx_olivine_json_number(b, "bytes_in", sums->rates.bytes_in);
    ngx_olivine_json_number(b, "bytes_out", sums->rates.bytes_out);
    ngx_olivine_json_end(b, '}');

    ngx_olivine_json_begin(b, "clients", '{');
    ngx_olivine_json_number(b, "connected", sums->clients);
    ngx_olivine_json_number(b, "blocked", sums->blocked);
    ngx_olivine_json_number(b, "watching", sums->watching);
    ngx_olivine_json_number(b, "waiting_for_aof", f->aof_held);
    ngx_olivine_json_number(b, "max", f->zone->params.maxclients);
    ngx_olivine_json_end(b, '}');
}


static void
ngx_olivine_status_memory(ngx_olivine_figures_t *f, ngx_olivine_buffer_t *b)
{
    ngx_uint_t  i;

    ngx_olivine_json_begin(b, "memory", '{');
    ngx_olivine_json_number(b, "used", f->memory.used);
    ngx_olivine_json_number(b, "peak", f->zone->peak);
    ngx_olivine_json_number(b, "rss", f->memory.rss);
    ngx_olivine_json_number(b, "limit", f->limit);
    ngx_olivine_json_number(b, "maxmemory", f->max);
    ngx_olivine_json_number(b, "zone", f->zone->limit);
    ngx_olivine_json_number(b, "startup", f->memory.startup);
    ngx_olivine_json_number(b, "keys", f->memory.keys);

    ngx_olivine_json_begin(b, "uses", '{');

    for (i = 0; i < NGX_OLIVINE_MEMORY_USES; i++) {
        ngx_olivine_json_number(b, ngx_olivine_memory_names[i],
                                f->memory_uses[i]);
    }

    ngx_olivine_json_end(b, '}');
    ngx_olivine_json_end(b, '}');
}


static void
ngx_olivine_status_keyspace(ngx_olivine_zone_t *zone, ngx_olivine_buffer_t *b)
{
    int64_t     db;
    uint64_t    keys, expires;
    ngx_uint_t  n;

    ngx_olivine_json_begin(b, "keyspace", '[');

    n = 0;

    for (db = 0; db < zone->params.databases; db++) {

        ngx_olivine_store_count(zone, db, &keys, &expires);

        if (keys == 0) {
            continue;
        }

        if (n++ == NGX_OLIVINE_STATUS_DATABASES) {
            break;
        }

        ngx_olivine_json_begin(b, NULL, '{');
        ngx_olivine_json_number(b, "db", db);
        ngx_olivine_json_number(b, "keys", keys);
        ngx_olivine_json_number(b, "expires", expires);
        ngx_olivine_json_number(b, "ttl_ms", ngx_olivine_info_ttl(zone, db));
        ngx_olivine_json_number(b, "tables",
                                ngx_olivine_usage_tables(zone, db));
        ngx_olivine_json_end(b, '}');
    }

    ngx_olivine_json_end(b, ']');
}


/* Of each [ keys, bytes in use, bytes of pages for cells, of images ]. */

static void
ngx_olivine_status_shards(ngx_olivine_zone_t *zone, ngx_olivine_buffer_t *b)
{
    ngx_uint_t                 i;
    ngx_olivine_usage_shard_t  shard;

    ngx_olivine_json_begin(b, "shards", '[');

    for (i = 0; i < zone->nshards; i++) {
        ngx_olivine_usage_shard(zone, i, &shard);
        ngx_olivine_json_next(b);
        ngx_olivine_buffer_print(b, "[%uL,%uz,%uz,%uz]", shard.keys,
                                 shard.used, shard.arena, shard.images);
    }

    ngx_olivine_json_end(b, ']');
}


static void
ngx_olivine_status_workers(ngx_olivine_zone_t *zone, ngx_olivine_buffer_t *b)
{
    ngx_uint_t               i;
    ngx_olivine_slot_t      *slot;
    ngx_olivine_counters_t   none, *c;

    ngx_memzero(&none, sizeof(ngx_olivine_counters_t));

    ngx_olivine_json_begin(b, "workers", '[');

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state != NGX_OLIVINE_SLOT_LIVE) {
            continue;
        }

        c = ngx_olivine_slot_counts(zone, i) ? &slot->counters : &none;

        ngx_olivine_json_begin(b, NULL, '{');
        ngx_olivine_json_number(b, "slot", i);
        ngx_olivine_json_number(b, "pid", slot->pid);
        ngx_olivine_json_number(b, "clients", slot->clients);
        ngx_olivine_json_number(b, "buffers", slot->buffers);
        ngx_olivine_json_number(b, "commands", c->commands);
        ngx_olivine_json_number(b, "turns", c->turns);
        ngx_olivine_json_number(b, "turns_ns", c->turns_ns);
        ngx_olivine_json_number(b, "longest_turn_us",
                                c == &none ? 0 : slot->longest_turn);
        ngx_olivine_json_flag(b, "leaving", slot->leaving);
        ngx_olivine_json_end(b, '}');
    }

    ngx_olivine_json_end(b, ']');
}


static ngx_int_t
ngx_olivine_status_slow(ngx_olivine_tx_t *tx, ngx_olivine_buffer_t *b)
{
    u_char                       *memory, *p;
    ngx_uint_t                    i, n;
    ngx_olivine_slowlog_entry_t  *e;

    n = NGX_OLIVINE_STATUS_SLOW;

    if (ngx_olivine_slowlog_get(tx, NGX_OLIVINE_SLOWLOG_SLOW, &n, &memory, &p)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_olivine_json_begin(b, "slow", '[');

    for (i = 0; i < n; i++) {
        e = (ngx_olivine_slowlog_entry_t *) p;
        ngx_olivine_status_entry(e, b);
        p += e->size;
    }

    ngx_olivine_json_end(b, ']');

    ngx_free(memory);

    return NGX_OK;
}


static void
ngx_olivine_status_entry(ngx_olivine_slowlog_entry_t *e,
    ngx_olivine_buffer_t *b)
{
    u_char      *p;
    uint32_t     len;
    ngx_uint_t   i, n;

    ngx_olivine_json_begin(b, NULL, '{');
    ngx_olivine_json_number(b, "id", e->id);
    ngx_olivine_json_signed(b, "time_s", e->time);
    ngx_olivine_json_number(b, "us", e->value);

    ngx_olivine_json_name(b, "client");
    ngx_olivine_json_string(b, e->data, e->addr);
    ngx_olivine_json_name(b, "name");
    ngx_olivine_json_string(b, e->data + e->addr, e->name);

    p = e->data + e->addr + e->name;
    n = ngx_min(e->argc, NGX_OLIVINE_STATUS_ARGS);

    ngx_olivine_json_begin(b, "args", '[');

    for (i = 0; i < n; i++) {
        ngx_memcpy(&len, p, sizeof(uint32_t));
        p += sizeof(uint32_t);

        ngx_olivine_json_next(b);
        ngx_olivine_json_string(b, p, len);
        p += len;
    }

    ngx_olivine_json_end(b, ']');
    ngx_olivine_json_number(b, "more", e->argc - n);
    ngx_olivine_json_end(b, '}');
}
