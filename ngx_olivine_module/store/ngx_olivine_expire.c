
/*
 * Copyright (C) The Olivine authors
 *
 * Finding keys past their time.
 *
 * The bounds of table, segment and bucket lie at or below every expiry under
 * them.  They sink when an expiry is set and are made exact here, when time
 * has passed them: a bound that was too low costs one look at its bucket.
 */


#include "store/ngx_olivine_store.h"


static ngx_int_t ngx_olivine_expire_segment(ngx_olivine_tx_t *tx,
    ngx_olivine_table_t *table, uint32_t n, int64_t now,
    ngx_olivine_ref_t *ref);
static ngx_olivine_entry_t *ngx_olivine_expire_bucket(ngx_olivine_zone_t *zone,
    ngx_olivine_bucket_t *head, int64_t now, uint32_t *min,
    ngx_olivine_ref_t *ref);


ngx_int_t
ngx_olivine_store_due_locked(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_uint_t db, int64_t now, ngx_olivine_ref_t *ref)
{
    int64_t               unit;
    uint32_t              i, n, min;
    ngx_int_t             rc;
    ngx_olivine_table_t  *table;

    table = shard->tables[db];

    if (table == NULL) {
        return NGX_DECLINED;
    }

    unit = ngx_olivine_table_unit_now(tx->zone, now);

    if (table->min > unit) {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL
                                 + 64 * NGX_OLIVINE_SEGMENT);
    if (rc != NGX_OK) {
        return rc;
    }

    n = (table->buckets + NGX_OLIVINE_SEGMENT - 1) / NGX_OLIVINE_SEGMENT;
    min = NGX_OLIVINE_TABLE_NEVER;

    for (i = 0; i < n; i++) {

        if (table->dir[i].min <= unit) {
            ref->shard = shard;
            ref->db = db;

            return ngx_olivine_expire_segment(tx, table, i, now, ref);
        }

        min = ngx_min(min, table->dir[i].min);
    }

    ngx_olivine_tx_set32(tx, &table->min, min);

    return NGX_DECLINED;
}


/* OK: one is due; BUSY: none, the segment's bounds are above now. */

static ngx_int_t
ngx_olivine_expire_segment(ngx_olivine_tx_t *tx, ngx_olivine_table_t *table,
    uint32_t n, int64_t now, ngx_olivine_ref_t *ref)
{
    int64_t                unit;
    uint32_t               i, last, min, all;
    ngx_olivine_bucket_t  *b;

    unit = ngx_olivine_table_unit_now(tx->zone, now);
    last = ngx_min(table->buckets, (n + 1) * NGX_OLIVINE_SEGMENT);
    all = NGX_OLIVINE_TABLE_NEVER;

    for (i = n * NGX_OLIVINE_SEGMENT; i < last; i++) {
        b = ngx_olivine_table_bucket(tx->zone, table, i);

        if (b->min <= unit) {

            if (ngx_olivine_expire_bucket(tx->zone, b, now, &min, ref)) {
                return NGX_OK;
            }

            ngx_olivine_tx_set32(tx, &b->min, min);
        }

        all = ngx_min(all, b->min);
    }

    ngx_olivine_tx_set32(tx, &table->dir[n].min, all);

    return NGX_BUSY;
}


/* An entry of the chain that is due, or NULL and the exact bound. */

static ngx_olivine_entry_t *
ngx_olivine_expire_bucket(ngx_olivine_zone_t *zone,
    ngx_olivine_bucket_t *head, int64_t now, uint32_t *min,
    ngx_olivine_ref_t *ref)
{
    int64_t                at;
    uint32_t               unit;
    ngx_uint_t             i;
    ngx_olivine_entry_t   *e;
    ngx_olivine_bucket_t  *b;

    *min = NGX_OLIVINE_TABLE_NEVER;

    for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {
        if (head->fp[i]) {
            __builtin_prefetch(ngx_olivine_bucket_get(zone, head, i));
        }
    }

    for (b = head; b; b = ngx_olivine_bucket_next(zone, b)) {

        for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {

            if (b->fp[i] == 0) {
                continue;
            }

            e = ngx_olivine_bucket_get(zone, b, i);
            at = ngx_olivine_entry_expire(e);

            if (at == 0) {
                continue;
            }

            if (at <= now) {
                ngx_olivine_entry_key(e, &ref->key);

                ref->hash = ngx_olivine_store_hash(zone, &ref->key);
                ref->entry = NULL;
                ref->bucket = b;
                ref->index = i;
                ref->expired = 1;

                return e;
            }

            unit = ngx_olivine_table_unit(zone, at);
            *min = ngx_min(*min, unit);
        }
    }

    return NULL;
}
