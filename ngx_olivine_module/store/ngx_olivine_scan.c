
/*
 * Copyright (C) The Olivine authors
 *
 * Walking a table that grows and shrinks meanwhile, and hints to the cache.
 *
 * The buckets of linear hashing are the leaves of a binary trie over the low
 * bits of the hash: a bucket that was split has one bit more than one that
 * was not yet.  The cursor counts in reversed bits (P. Noordhuis's SCAN), so
 * it walks the leaves in order: all hashes whose reversed bits are below the
 * cursor's have been visited.  Splitting a leaf leaves the cursor at its
 * beginning.  Merging two makes one that begins before the cursor: of that the
 * entries whose reversed bits are below it have been visited, and are passed
 * over.  So a walk loses nothing that stays, and shows nothing twice.
 */


#include "store/ngx_olivine_store.h"


static ngx_uint_t ngx_olivine_scan_before(ngx_olivine_zone_t *zone,
    ngx_olivine_entry_t *e, uint64_t cursor);
static ngx_olivine_bucket_t *ngx_olivine_scan_guess(ngx_olivine_zone_t *zone,
    ngx_uint_t db, uint64_t hash);


uint64_t
ngx_olivine_store_scan_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, uint64_t cursor,
    ngx_olivine_visit_pt visit, void *data)
{
    uint64_t               mask, next, after;
    ngx_uint_t             slot, merged;
    ngx_olivine_table_t   *table;
    ngx_olivine_entry_t   *e;
    ngx_olivine_bucket_t  *b;

    table = shard->tables[db];

    if (table == NULL) {
        return 0;
    }

    b = ngx_olivine_table_leaf(tx->zone, table, cursor, &mask);
    merged = (cursor & ~mask) != 0;

    next = ngx_olivine_table_next(cursor, mask);

    if (next) {
        __builtin_prefetch(ngx_olivine_table_leaf(tx->zone, table, next,
                                                 &after));
    }

    for ( /* void */ ; b; b = ngx_olivine_bucket_next(tx->zone, b)) {

        /* so that the misses on entries overlap */

        ngx_olivine_table_prefetch(tx->zone, b);

        for (slot = 0; slot < NGX_OLIVINE_BUCKET_SLOTS; slot++) {

            if (b->fp[slot] == 0) {
                continue;
            }

            e = ngx_olivine_bucket_get(tx->zone, b, slot);

            if (ngx_olivine_unlikely(merged)
                && ngx_olivine_scan_before(tx->zone, e, cursor))
            {
                continue;
            }

            visit(data, e);
        }
    }

    return next;
}


ngx_olivine_entry_t *
ngx_olivine_store_random_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, uint64_t n)
{
    uint32_t               i, tries;
    ngx_uint_t             slot, count, which;
    ngx_olivine_table_t   *table;
    ngx_olivine_bucket_t  *head, *b;

    table = shard->tables[db];

    if (table == NULL || table->keys == 0) {
        return NULL;
    }

    i = (uint32_t) (n % table->buckets);

    for (tries = table->buckets; tries; tries--) {

        head = ngx_olivine_table_bucket(tx->zone, table, i);
        count = 0;

        for (b = head; b; b = ngx_olivine_bucket_next(tx->zone, b)) {
            for (slot = 0; slot < NGX_OLIVINE_BUCKET_SLOTS; slot++) {
                count += (b->fp[slot] != 0);
            }
        }

        if (count) {
            which = (n >> 32) % count;

            for (b = head; b; b = ngx_olivine_bucket_next(tx->zone, b)) {
                for (slot = 0; slot < NGX_OLIVINE_BUCKET_SLOTS; slot++) {
                    if (b->fp[slot] && which-- == 0) {
                        return ngx_olivine_bucket_get(tx->zone, b, slot);
                    }
                }
            }
        }

        if (++i == table->buckets) {
            i = 0;
        }
    }

    return NULL;
}


/*
 * Whatever is read here may be changed by another worker at the same time,
 * so each address is checked to lie in the zone, and nothing is kept.
 */

void *
ngx_olivine_store_prefetch_bucket(ngx_olivine_zone_t *zone, ngx_uint_t db,
    uint64_t hash)
{
    ngx_olivine_bucket_t  *b;

    b = ngx_olivine_scan_guess(zone, db, hash);

    if (ngx_olivine_likely(b != NULL)) {
        __builtin_prefetch(b);
    }

    return b;
}


void *
ngx_olivine_store_prefetch_entry(ngx_olivine_zone_t *zone, void *bucket,
    uint64_t hash)
{
    ngx_olivine_bucket_t *b = bucket;

    u_char                *e;
    ngx_uint_t             mask;
    ngx_olivine_bucket_t  *next;

    mask = ngx_olivine_bucket_match(b, ngx_olivine_bucket_fp(hash));

    if (ngx_olivine_likely(mask)) {

        e = ngx_olivine_bucket_get(zone, b, __builtin_ctz(mask));

        __builtin_prefetch(e);
        __builtin_prefetch(e + NGX_OLIVINE_TABLE_AHEAD);

        return NULL;
    }

    next = ngx_olivine_bucket_next(zone, b);

    if (next == NULL || !ngx_olivine_zone_holds(zone, next)) {
        return NULL;
    }

    __builtin_prefetch(next);

    return next;
}


static ngx_olivine_bucket_t *
ngx_olivine_scan_guess(ngx_olivine_zone_t *zone, ngx_uint_t db, uint64_t hash)
{
    uint32_t                i, page;
    ngx_uint_t              n;
    ngx_olivine_shard_t    *shard;
    ngx_olivine_table_t    *table;
    ngx_olivine_segment_t  *dir;

    n = ngx_olivine_store_number(zone, hash);
    shard = ngx_olivine_store_shard(zone, n);
    table = *(ngx_olivine_table_t *volatile *) &shard->tables[db];

    if (table == NULL || table->buckets == 0) {
        return NULL;
    }

    i = ngx_olivine_table_index(table, hash);
    dir = *(ngx_olivine_segment_t *volatile *) &table->dir + i
          / NGX_OLIVINE_SEGMENT;

    if (!ngx_olivine_zone_holds(zone, dir)) {
        return NULL;
    }

    page = *(volatile uint32_t *) &dir->page;

    if (page >= zone->heap.last) {
        return NULL;
    }

    return (ngx_olivine_bucket_t *) ngx_olivine_zone_page(zone, page)
           + i % NGX_OLIVINE_SEGMENT;
}


/* 1 if a walk that has come to the cursor has seen the entry. */

static ngx_uint_t
ngx_olivine_scan_before(ngx_olivine_zone_t *zone, ngx_olivine_entry_t *e,
    uint64_t cursor)
{
    uint64_t   hash;
    ngx_str_t  key;

    ngx_olivine_entry_key(e, &key);
    hash = ngx_olivine_store_hash(zone, &key);

    return ngx_olivine_table_reverse(hash) < ngx_olivine_table_reverse(cursor);
}
