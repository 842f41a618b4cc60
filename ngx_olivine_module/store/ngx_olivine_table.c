
/*
 * Copyright (C) The Olivine authors
 */


#include "store/ngx_olivine_cell.h"


/* entries that a chain may have and still be split or merged */
#define NGX_OLIVINE_TABLE_CHAIN   128

/* journal that rewriting two such chains can take */
#define NGX_OLIVINE_TABLE_ROOM    8192

#define NGX_OLIVINE_TABLE_DIR     4

#define NGX_OLIVINE_TABLE_UNIT    8        /* 256 ms, as a shift */


/* a chain taken apart */

typedef struct {
    ngx_uint_t              n;
    uint32_t                min;
    uint8_t                 fp[NGX_OLIVINE_TABLE_CHAIN];
    ngx_olivine_entry_t    *entry[NGX_OLIVINE_TABLE_CHAIN];
} ngx_olivine_chain_t;


static void ngx_olivine_table_place(ngx_olivine_tx_t *tx,
    ngx_olivine_bucket_t *b, ngx_uint_t i, uint8_t fp, void *p);
static ngx_int_t ngx_olivine_table_overflow(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_bucket_t *b,
    ngx_olivine_bucket_t **next);
static ngx_int_t ngx_olivine_table_gather(ngx_olivine_zone_t *zone,
    ngx_olivine_bucket_t *b, ngx_olivine_chain_t *chain);
static ngx_int_t ngx_olivine_table_write(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_bucket_t *b,
    ngx_olivine_chain_t *chain);
static ngx_int_t ngx_olivine_table_split(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);
static ngx_int_t ngx_olivine_table_merge(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);
static ngx_int_t ngx_olivine_table_extend(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);
static ngx_int_t ngx_olivine_table_dir_alloc(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, size_t room, ngx_olivine_segment_t **dir);
static ngx_int_t ngx_olivine_table_dir_free(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);


ngx_int_t
ngx_olivine_table_create(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_uint_t db)
{
    void                 *p;
    ngx_int_t             rc;
    ngx_olivine_table_t  *table;

    rc = ngx_olivine_arena_alloc(tx, &shard->arena,
                                 sizeof(ngx_olivine_table_t), &p);
    if (rc != NGX_OK) {
        return rc;
    }

    table = p;
    ngx_memzero(table, sizeof(ngx_olivine_table_t));
    table->min = NGX_OLIVINE_TABLE_NEVER;

    rc = ngx_olivine_table_extend(tx, shard, table);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_memzero(ngx_olivine_table_bucket(tx->zone, table, 0),
                sizeof(ngx_olivine_bucket_t));

    ngx_olivine_table_bucket(tx->zone, table, 0)->min =
                                                      NGX_OLIVINE_TABLE_NEVER;
    table->buckets = 1;

    ngx_olivine_tx_set64(tx, (uint64_t *) &shard->tables[db],
                         (uint64_t) (uintptr_t) table);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_table_destroy(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    ngx_int_t  rc;

    rc = ngx_olivine_table_dir_free(tx, shard, table);

    if (rc == NGX_OK) {
        rc = ngx_olivine_arena_free(tx, &shard->arena, table,
                                    sizeof(ngx_olivine_table_t));
    }

    return rc;
}


ngx_int_t
ngx_olivine_table_insert(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table, uint64_t hash, ngx_olivine_entry_t *e,
    ngx_olivine_bucket_t **bucket, ngx_uint_t *index)
{
    ngx_int_t              rc;
    ngx_uint_t             free;
    ngx_olivine_bucket_t  *b, *next;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    b = ngx_olivine_table_bucket(tx->zone, table,
                                 ngx_olivine_table_index(table, hash));

    for ( ;; ) {
        free = ngx_olivine_bucket_match(b, 0);
        next = NULL;

        if (free & (1 << NGX_OLIVINE_BUCKET_LINK)) {
            next = ngx_olivine_bucket_get(tx->zone, b,
                                          NGX_OLIVINE_BUCKET_LINK);
            if (next) {
                free &= ~(1 << NGX_OLIVINE_BUCKET_LINK);
            }
        }

        if (free) {
            break;
        }

        if (next == NULL) {
            rc = ngx_olivine_table_overflow(tx, shard, b, &next);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        b = next;
    }

    *bucket = b;
    *index = __builtin_ctz(free);

    ngx_olivine_table_place(tx, b, *index, ngx_olivine_bucket_fp(hash), e);
    ngx_olivine_tx_set64(tx, &table->keys, table->keys + 1);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_table_remove(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table, ngx_olivine_bucket_t *head,
    ngx_olivine_bucket_t *bucket, ngx_uint_t index)
{
    ngx_int_t              rc;
    ngx_uint_t             used, i;
    ngx_olivine_bucket_t  *last, *before, *next;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_tx_set64(tx, &table->keys, table->keys - 1);

    before = NULL;
    last = head;

    while ((next = ngx_olivine_bucket_next(tx->zone, last)) != NULL) {
        before = last;
        last = next;
    }

    if (before == NULL) {
        ngx_olivine_table_place(tx, bucket, index, 0, NULL);
        return NGX_OK;
    }

    /* the chain's last bucket fills the hole, and goes if it was its last */

    used = ~ngx_olivine_bucket_match(last, 0)
           & ((1 << NGX_OLIVINE_BUCKET_SLOTS) - 1);

    i = 31 - __builtin_clz((unsigned) used);

    if (last != bucket || i != index) {
        ngx_olivine_table_place(tx, bucket, index, last->fp[i],
                                ngx_olivine_bucket_get(tx->zone, last, i));
    }

    if (used & (used - 1)) {
        ngx_olivine_table_place(tx, last, i, 0, NULL);
        return NGX_OK;
    }

    ngx_olivine_table_place(tx, before, NGX_OLIVINE_BUCKET_LINK, 0, NULL);

    return ngx_olivine_arena_free(tx, &shard->arena, last,
                                  sizeof(ngx_olivine_bucket_t));
}


ngx_int_t
ngx_olivine_table_grow(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    ngx_int_t           rc;
    ngx_olivine_mark_t  mark;

    if (ngx_olivine_likely(table->keys <= (uint64_t) table->buckets
                                          * NGX_OLIVINE_TABLE_GROW)
        || table->buckets == 0x80000000u)
    {
        return NGX_OK;
    }

    ngx_olivine_tx_mark(tx, &mark);

    rc = ngx_olivine_table_split(tx, shard, table);

    if (rc == NGX_ERROR) {

        /* the zone is full: the table is served as it is */

        ngx_olivine_tx_undo_to(tx, &mark);
        return NGX_OK;
    }

    return rc;
}


ngx_int_t
ngx_olivine_table_shrink(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    ngx_int_t           rc;
    ngx_olivine_mark_t  mark;

    if (ngx_olivine_likely(table->keys >= (uint64_t) table->buckets
                                          * NGX_OLIVINE_TABLE_SHRINK)
        || table->buckets == 1)
    {
        return NGX_OK;
    }

    ngx_olivine_tx_mark(tx, &mark);

    rc = ngx_olivine_table_merge(tx, shard, table);

    if (rc == NGX_ERROR || (rc == NGX_AGAIN && tx->want_pages)) {

        /* removing needs no memory: a later removal merges */

        tx->want_pages = 0;
        ngx_olivine_tx_undo_to(tx, &mark);
        return NGX_OK;
    }

    return rc;
}


ngx_int_t
ngx_olivine_table_drop(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    uint32_t   n, page;
    ngx_int_t  rc;

    n = table->buckets - 1;
    page = table->dir[n / NGX_OLIVINE_SEGMENT].page;

    if (n % NGX_OLIVINE_SEGMENT == 0) {
        rc = ngx_olivine_arena_release(tx, &shard->arena, page);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_olivine_tx_set32(tx, &table->buckets, n);

    return NGX_OK;
}


uint32_t
ngx_olivine_table_unit(ngx_olivine_zone_t *zone, int64_t at)
{
    int64_t  unit;

    if (at <= zone->started) {
        return 0;
    }

    unit = ((at - zone->started - 1) >> NGX_OLIVINE_TABLE_UNIT) + 1;

    return ngx_min(unit, (int64_t) NGX_OLIVINE_TABLE_NEVER - 1);
}


int64_t
ngx_olivine_table_unit_now(ngx_olivine_zone_t *zone, int64_t now)
{
    return (now - zone->started) >> NGX_OLIVINE_TABLE_UNIT;
}


void
ngx_olivine_table_bound(ngx_olivine_tx_t *tx, ngx_olivine_table_t *table,
    uint32_t i, uint32_t unit)
{
    uint32_t  *min;

    min = &ngx_olivine_table_bucket(tx->zone, table, i)->min;

    if (unit < *min) {
        ngx_olivine_tx_set32(tx, min, unit);
    }

    min = &table->dir[i / NGX_OLIVINE_SEGMENT].min;

    if (unit < *min) {
        ngx_olivine_tx_set32(tx, min, unit);
    }

    if (unit < table->min) {
        ngx_olivine_tx_set32(tx, &table->min, unit);
    }
}


static void
ngx_olivine_table_place(ngx_olivine_tx_t *tx, ngx_olivine_bucket_t *b,
    ngx_uint_t i, uint8_t fp, void *p)
{
    ngx_olivine_tx_save(tx, &b->fp[i], 1);
    ngx_olivine_tx_save(tx, b->slot[i], 5);

    ngx_olivine_bucket_put(tx->zone, b, i, fp, p);

    ngx_olivine_step();
}


/* A full bucket gets an overflow bucket, with its last entry in it. */

static ngx_int_t
ngx_olivine_table_overflow(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_bucket_t *b, ngx_olivine_bucket_t **next)
{
    void                  *p;
    ngx_int_t              rc;
    ngx_olivine_bucket_t  *o;

    rc = ngx_olivine_arena_alloc(tx, &shard->arena,
                                 sizeof(ngx_olivine_bucket_t), &p);
    if (rc != NGX_OK) {
        return rc;
    }

    o = p;
    ngx_memzero(o, sizeof(ngx_olivine_bucket_t));

    ngx_olivine_bucket_put(tx->zone, o, 0, b->fp[NGX_OLIVINE_BUCKET_LINK],
                           ngx_olivine_bucket_get(tx->zone, b,
                                                  NGX_OLIVINE_BUCKET_LINK));

    ngx_olivine_table_place(tx, b, NGX_OLIVINE_BUCKET_LINK, 0, o);

    *next = o;

    return NGX_OK;
}


/* OK, or DECLINED if the chain is longer than can be taken apart. */

static ngx_int_t
ngx_olivine_table_gather(ngx_olivine_zone_t *zone, ngx_olivine_bucket_t *b,
    ngx_olivine_chain_t *chain)
{
    ngx_uint_t  i;

    while (b) {
        if (chain->n + NGX_OLIVINE_BUCKET_SLOTS > NGX_OLIVINE_TABLE_CHAIN) {
            return NGX_DECLINED;
        }

        for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {
            if (b->fp[i]) {
                chain->fp[chain->n] = b->fp[i];
                chain->entry[chain->n] = ngx_olivine_bucket_get(zone, b, i);
                __builtin_prefetch(chain->entry[chain->n]);
                chain->n++;
            }
        }

        b = ngx_olivine_bucket_next(zone, b);
    }

    return NGX_OK;
}


/* Writes a chain anew from bucket b on, which keeps its overflow buckets. */

static ngx_int_t
ngx_olivine_table_write(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_bucket_t *b, ngx_olivine_chain_t *chain)
{
    void                  *p;
    ngx_int_t              rc;
    ngx_uint_t             i, n, left;
    ngx_olivine_bucket_t  *next, *after;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    n = 0;

    for ( ;; ) {
        next = ngx_olivine_bucket_next(tx->zone, b);
        left = chain->n - n;

        if (left > NGX_OLIVINE_BUCKET_SLOTS && next == NULL) {

            rc = ngx_olivine_arena_alloc(tx, &shard->arena,
                                         sizeof(ngx_olivine_bucket_t), &p);
            if (rc != NGX_OK) {
                return rc;
            }

            next = p;
            ngx_memzero(next, sizeof(ngx_olivine_bucket_t));
        }

        ngx_olivine_tx_save(tx, b, sizeof(ngx_olivine_bucket_t));

        ngx_memzero(b->fp, sizeof(b->fp));
        ngx_memzero(b->slot, sizeof(b->slot));
        b->min = chain->min;

        for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS && n < chain->n; i++) {

            if (i == NGX_OLIVINE_BUCKET_LINK
                && left > NGX_OLIVINE_BUCKET_SLOTS)
            {
                break;
            }

            ngx_olivine_bucket_put(tx->zone, b, i, chain->fp[n],
                                   chain->entry[n]);
            n++;
        }

        ngx_olivine_step();

        if (left <= NGX_OLIVINE_BUCKET_SLOTS) {
            break;
        }

        ngx_olivine_bucket_put(tx->zone, b, NGX_OLIVINE_BUCKET_LINK, 0, next);

        b = next;
    }

    while (next) {
        after = ngx_olivine_bucket_next(tx->zone, next);

        rc = ngx_olivine_arena_free(tx, &shard->arena, next,
                                    sizeof(ngx_olivine_bucket_t));
        if (rc != NGX_OK) {
            return rc;
        }

        next = after;
    }

    return NGX_OK;
}


/*
 * Linear hashing: bucket n splits off the bucket that has all its bits but
 * the highest.
 */

static ngx_int_t
ngx_olivine_table_split(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    uint32_t               n, from, bit, unit;
    uint64_t               hash;
    int64_t                at;
    ngx_int_t              rc;
    ngx_str_t              key;
    ngx_uint_t             i;
    ngx_olivine_chain_t    old, stay, move, *to;
    ngx_olivine_bucket_t  *b;

    n = table->buckets;
    bit = 0x80000000u >> __builtin_clz(n);
    from = n - bit;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_TABLE_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    old.n = 0;
    b = ngx_olivine_table_bucket(tx->zone, table, from);

    if (ngx_olivine_table_gather(tx->zone, b, &old) != NGX_OK) {
        return NGX_OK;
    }

    if (n % NGX_OLIVINE_SEGMENT == 0) {
        rc = ngx_olivine_table_extend(tx, shard, table);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    stay.n = 0;
    stay.min = NGX_OLIVINE_TABLE_NEVER;
    move.n = 0;
    move.min = NGX_OLIVINE_TABLE_NEVER;

    for (i = 0; i < old.n; i++) {
        ngx_olivine_entry_key(old.entry[i], &key);
        hash = ngx_olivine_store_hash(tx->zone, &key);

        to = (hash & bit) ? &move : &stay;

        to->fp[to->n] = old.fp[i];
        to->entry[to->n++] = old.entry[i];

        at = ngx_olivine_entry_expire(old.entry[i]);

        if (at) {
            unit = ngx_olivine_table_unit(tx->zone, at);
            to->min = ngx_min(to->min, unit);
        }
    }

    rc = ngx_olivine_table_write(tx, shard, b, &stay);
    if (rc != NGX_OK) {
        return rc;
    }

    b = ngx_olivine_table_bucket(tx->zone, table, n);
    ngx_memzero(b, sizeof(ngx_olivine_bucket_t));

    rc = ngx_olivine_table_write(tx, shard, b, &move);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_table_bound(tx, table, n, move.min);
    ngx_olivine_tx_set32(tx, &table->buckets, n + 1);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_table_merge(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    uint32_t               n, into, min;
    ngx_int_t              rc;
    ngx_olivine_chain_t    chain, none;
    ngx_olivine_bucket_t  *b, *last;

    n = table->buckets - 1;
    into = n - (0x80000000u >> __builtin_clz(n));

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_TABLE_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    b = ngx_olivine_table_bucket(tx->zone, table, into);
    last = ngx_olivine_table_bucket(tx->zone, table, n);

    chain.n = 0;
    min = ngx_min(b->min, last->min);
    chain.min = min;

    if (ngx_olivine_table_gather(tx->zone, b, &chain) != NGX_OK
        || ngx_olivine_table_gather(tx->zone, last, &chain) != NGX_OK)
    {
        return NGX_OK;
    }

    rc = ngx_olivine_table_write(tx, shard, b, &chain);
    if (rc != NGX_OK) {
        return rc;
    }

    none.n = 0;
    none.min = NGX_OLIVINE_TABLE_NEVER;

    rc = ngx_olivine_table_write(tx, shard, last, &none);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_table_bound(tx, table, into, min);

    return ngx_olivine_table_drop(tx, shard, table);
}


/* Adds a segment behind the last one; its buckets are not made yet. */

static ngx_int_t
ngx_olivine_table_extend(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    size_t                  room;
    uint32_t                n, page;
    ngx_int_t               rc;
    ngx_olivine_segment_t   segment, *dir;

    n = table->buckets / NGX_OLIVINE_SEGMENT;

    if (n == table->room) {

        room = n ? n * 2 : NGX_OLIVINE_TABLE_DIR;

        rc = ngx_olivine_table_dir_alloc(tx, shard, room, &dir);
        if (rc != NGX_OK) {
            return rc;
        }

        if (n) {
            ngx_memcpy(dir, table->dir, n * sizeof(ngx_olivine_segment_t));

            rc = ngx_olivine_table_dir_free(tx, shard, table);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        ngx_olivine_tx_set32(tx, &table->room, room);
        ngx_olivine_tx_set64(tx, (uint64_t *) &table->dir,
                             (uint64_t) (uintptr_t) dir);
    }

    rc = ngx_olivine_arena_pages(tx, &shard->arena, 1, NGX_OLIVINE_PAGE_TABLE,
                                 &page);
    if (rc != NGX_OK) {
        return rc;
    }

    segment.page = page;
    segment.min = NGX_OLIVINE_TABLE_NEVER;

    ngx_olivine_tx_set(tx, &table->dir[n], &segment,
                       sizeof(ngx_olivine_segment_t));

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_table_dir_alloc(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    size_t room, ngx_olivine_segment_t **dir)
{
    void       *p;
    ngx_int_t   rc;

    rc = ngx_olivine_cell_alloc(tx, shard,
                                room * sizeof(ngx_olivine_segment_t), &p);

    if (rc == NGX_OK) {
        *dir = p;
    }

    return rc;
}


static ngx_int_t
ngx_olivine_table_dir_free(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table)
{
    return ngx_olivine_cell_free(tx, shard, table->dir,
                                 table->room * sizeof(ngx_olivine_segment_t));
}
