
/*
 * Copyright (C) The Olivine authors
 *
 * What runs with no client behind it: keys past their time are removed, and
 * detached tables freed, a slice at a time through the dispatcher.
 */


#include "command/ngx_olivine_command.h"
#include "base/ngx_olivine_clock.h"
#include "store/ngx_olivine_watch.h"


/* segments looked at in vain, and buckets freed, under one lock */
#define NGX_OLIVINE_TICK_LOOKS    2
#define NGX_OLIVINE_TICK_BUCKETS  2

/* entries drawn to guess how long keys have left, and what one of them weighs */
#define NGX_OLIVINE_TICK_DRAWS    2
#define NGX_OLIVINE_TICK_WEIGHT   16


typedef struct {
    ngx_uint_t    max;
    ngx_uint_t    removed;
    ngx_uint_t    more;
} ngx_olivine_tick_t;


static ngx_int_t ngx_olivine_command_tick_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_command_tick_prune(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard);
static ngx_int_t ngx_olivine_command_tick_expire(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, ngx_olivine_tick_t *tick);
static void ngx_olivine_command_tick_ttl(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, ngx_uint_t db);


ngx_int_t
ngx_olivine_command_tick(ngx_olivine_cx_t *cx, ngx_uint_t n, ngx_uint_t max)
{
    ngx_int_t           rc;
    ngx_olivine_tick_t  tick;

    cx->command = NULL;
    cx->argc = 0;
    cx->error = NULL;
    cx->park = NGX_OLIVINE_PARK_NONE;

    tick.max = max;

    rc = ngx_olivine_cx_in_shard(cx, n, ngx_olivine_command_tick_part, &tick);

    if (rc != NGX_OK) {
        return NGX_AGAIN;
    }

    cx->tx->slot->counters.expired += tick.removed;

    return tick.more ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_olivine_command_tick_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data)
{
    ngx_olivine_tick_t *tick = data;

    int64_t    db;
    ngx_int_t  rc;

    tick->removed = 0;
    tick->more = 0;

    if (shard->detached) {
        rc = ngx_olivine_store_free_locked(cx->tx, shard,
                                           NGX_OLIVINE_TICK_BUCKETS);

        /* DECLINED: a snapshot wants them first */

        if (rc != NGX_OK && rc != NGX_DECLINED) {
            return rc;
        }

        tick->more = (rc == NGX_OK && shard->detached != NULL);
    }

    if (ngx_olivine_unlikely(shard->watches != NULL)
        && shard->pruned != cx->zone->departed)
    {
        rc = ngx_olivine_command_tick_prune(cx, shard);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (cx->zone->no_expire || ngx_olivine_pause(cx->zone, cx->now)) {
        return NGX_OK;
    }

    for (db = 0; db < cx->zone->params.databases; db++) {

        if (shard->tables[db] == NULL) {
            continue;
        }

        ngx_olivine_command_tick_ttl(cx, shard, db);

        rc = ngx_olivine_command_tick_expire(cx, shard, db, tick);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* Workers are gone: the keys that their clients watched are forgotten. */

static ngx_int_t
ngx_olivine_command_tick_prune(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard)
{
    uint64_t   departed;
    ngx_int_t  rc;

    departed = cx->zone->departed;

    rc = ngx_olivine_watch_prune_locked(cx->tx, shard);

    if (rc == NGX_OK) {
        rc = ngx_olivine_tx_room(cx->tx, NGX_OLIVINE_JOURNAL_SMALL);
    }

    if (rc == NGX_OK) {
        ngx_olivine_tx_set64(cx->tx, &shard->pruned, departed);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_command_tick_expire(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, ngx_olivine_tick_t *tick)
{
    ngx_int_t            rc;
    ngx_uint_t           looks;
    ngx_olivine_ref_t    ref;

    for (looks = 0; looks < NGX_OLIVINE_TICK_LOOKS; /* void */ ) {

        if (tick->removed == tick->max) {
            break;
        }

        rc = ngx_olivine_store_due_locked(cx->tx, shard, db, cx->now, &ref);

        if (rc == NGX_DECLINED) {
            return NGX_OK;
        }

        if (rc == NGX_BUSY) {
            looks++;
            continue;
        }

        if (rc != NGX_OK) {
            return rc;
        }

        if (cx->caller->db != db) {

            if (tick->removed) {
                break;                /* one record is of one database */
            }

            cx->caller->db = db;
        }

        ngx_olivine_cx_effect(cx, 2, &(ngx_str_t) ngx_string("DEL"),
                              &ref.key);

        rc = ngx_olivine_store_delete_locked(cx->tx, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        tick->removed++;
    }

    tick->more = 1;

    return NGX_OK;
}


/*
 * INFO's avg_ttl, from keys drawn by chance.  A single aligned store, of which
 * any value is valid.
 */

static void
ngx_olivine_command_tick_ttl(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    ngx_uint_t db)
{
    int64_t               left, ttl;
    uint64_t              n;
    ngx_uint_t            i;
    ngx_olivine_entry_t  *e;
    ngx_olivine_table_t  *table;

    table = shard->tables[db];

    if (table->expires == 0) {
        table->ttl = 0;
        return;
    }

    n = ngx_olivine_clock_counts();

    for (i = 0; i < NGX_OLIVINE_TICK_DRAWS; i++) {

        n = (n + 1) * 0x9e3779b97f4a7c15ull;
        e = ngx_olivine_store_random_locked(cx->tx, shard, db, n ^ n >> 32);

        if (e == NULL || ngx_olivine_entry_expire(e) <= cx->now) {
            continue;
        }

        left = (ngx_olivine_entry_expire(e) - cx->now) >> 8;
        left = ngx_min(left, NGX_MAX_UINT32_VALUE);
        ttl = table->ttl;

        table->ttl = ttl ? ttl + (left - ttl) / NGX_OLIVINE_TICK_WEIGHT
                         : left;
    }
}
