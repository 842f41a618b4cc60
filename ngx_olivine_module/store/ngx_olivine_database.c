
/*
 * Copyright (C) The Olivine authors
 *
 * Whole databases: exchanged, emptied, freed a few buckets at a time, counted.
 */


#include "store/ngx_olivine_snapshot.h"
#include "store/ngx_olivine_watch.h"
#include "store/ngx_olivine_cell.h"


static ngx_int_t ngx_olivine_store_free_bucket(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);


ngx_int_t
ngx_olivine_store_swap_locked(ngx_olivine_tx_t *tx, ngx_uint_t a,
    ngx_uint_t b)
{
    uint64_t              table;
    ngx_int_t             rc;
    ngx_uint_t            n;
    ngx_olivine_shard_t  *shard;

    for (n = 0; n < tx->zone->nshards; n++) {

        shard = ngx_olivine_store_shard(tx->zone, n);

        rc = ngx_olivine_watch_db(tx, shard, a, shard->tables[b]);

        if (rc == NGX_OK) {
            rc = ngx_olivine_watch_db(tx, shard, b, shard->tables[a]);
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
        }

        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_snapshot_moved(tx, shard, shard->tables[a], a);
        ngx_olivine_snapshot_moved(tx, shard, shard->tables[b], b);

        table = (uint64_t) (uintptr_t) shard->tables[a];

        ngx_olivine_tx_set64(tx, (uint64_t *) &shard->tables[a],
                             (uint64_t) (uintptr_t) shard->tables[b]);
        ngx_olivine_tx_set64(tx, (uint64_t *) &shard->tables[b], table);
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_store_flush_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db)
{
    ngx_int_t             rc;
    ngx_olivine_table_t  *table;

    table = shard->tables[db];

    if (table == NULL) {
        return NGX_OK;
    }

    rc = ngx_olivine_watch_db(tx, shard, db, NULL);

    if (rc == NGX_OK) {
        rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_snapshot_moved(tx, shard, table, db);

    ngx_olivine_tx_set64(tx, (uint64_t *) &table->next,
                         (uint64_t) (uintptr_t) shard->detached);
    ngx_olivine_tx_set64(tx, (uint64_t *) &shard->detached,
                         (uint64_t) (uintptr_t) table);
    ngx_olivine_tx_set64(tx, (uint64_t *) &shard->tables[db], 0);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_store_free_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t n)
{
    ngx_int_t              rc;
    ngx_olivine_table_t   *table, **link;

    link = &shard->detached;

    while (*link && ngx_olivine_snapshot_wants(tx->zone, shard, *link)) {
        link = &(*link)->next;
    }

    table = *link;

    if (table == NULL) {
        return NGX_DECLINED;
    }

    while (n-- && table->buckets) {
        rc = ngx_olivine_store_free_bucket(tx, shard, table);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (table->buckets) {
        return NGX_OK;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_tx_set64(tx, (uint64_t *) link,
                         (uint64_t) (uintptr_t) table->next);

    return ngx_olivine_table_destroy(tx, shard, table);
}


void
ngx_olivine_store_count(ngx_olivine_zone_t *zone, ngx_uint_t db,
    uint64_t *keys, uint64_t *expires)
{
    ngx_uint_t            i;
    ngx_olivine_table_t  *table;

    *keys = 0;
    *expires = 0;

    for (i = 0; i < zone->nshards; i++) {

        /* a table that goes meanwhile is still readable memory */

        table = ngx_olivine_store_shard(zone, i)->tables[db];

        if (table) {
            *keys += table->keys;
            *expires += table->expires;
        }
    }
}


/* Frees the last bucket of a detached table with all its entries. */

static ngx_int_t
ngx_olivine_store_free_bucket(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table)
{
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_olivine_entry_t   *e;
    ngx_olivine_bucket_t  *head, *b, *next;

    head = ngx_olivine_table_bucket(tx->zone, table, table->buckets - 1);

    for (b = head; b; b = next) {

        for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {

            if (b->fp[i] == 0) {
                continue;
            }

            rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
            if (rc != NGX_OK) {
                return rc;
            }

            e = ngx_olivine_bucket_get(tx->zone, b, i);

            rc = ngx_olivine_store_free_run(tx, e);

            if (rc == NGX_OK) {
                rc = ngx_olivine_store_free_cell(tx, shard, e);
            }

            if (rc != NGX_OK) {
                return rc;
            }
        }

        next = ngx_olivine_bucket_next(tx->zone, b);

        if (b != head) {
            rc = ngx_olivine_arena_free(tx, &shard->arena, b,
                                        sizeof(ngx_olivine_bucket_t));
            if (rc != NGX_OK) {
                return rc;
            }
        }
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_table_drop(tx, shard, table);
}
