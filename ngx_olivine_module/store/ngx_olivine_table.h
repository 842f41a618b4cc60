
/*
 * Copyright (C) The Olivine authors
 *
 * The table of a shard's database: linear hashing over buckets of 64 bytes.
 *
 *     fingerprints 10 | ten slots of 5 bytes | lowest expiry 4
 *
 * A slot is the entry's place in the zone, in eights: 40 bits reach 8 TB.  A
 * fingerprint of 0 marks a slot that is empty, or, in the last place, a link
 * to an overflow bucket.  Five bytes instead of eight let ten entries share a
 * cache line where seven would fit, at two shifts more per look-up.
 *
 * The table grows and shrinks by one bucket at a time, so there is no pause
 * and no size at which its memory doubles.  Buckets stand in segments of a
 * page, named by a directory.
 *
 * Expiry costs no node per key: each bucket has a lower bound of its chain's
 * expiries, each segment's directory entry one of its buckets', the table
 * one of its segments'.  The bounds are in units of 256 ms since the zone
 * began, rounded up, and made exact whenever a tick looks below them.
 */


#ifndef _NGX_OLIVINE_TABLE_H_INCLUDED_
#define _NGX_OLIVINE_TABLE_H_INCLUDED_


#include "store/ngx_olivine_entry.h"

#if (__SSE2__)
#include <emmintrin.h>
#endif


#define NGX_OLIVINE_BUCKET_SLOTS    10
#define NGX_OLIVINE_SEGMENT         64       /* buckets */

/* keys per bucket: above, one is split; below, the last one is merged */
#define NGX_OLIVINE_TABLE_GROW      9
#define NGX_OLIVINE_TABLE_SHRINK    5

/* the end of a small entry, which may stand in another line */
#define NGX_OLIVINE_TABLE_AHEAD     31

#define NGX_OLIVINE_TABLE_NEVER     0xffffffffu    /* no expiry below */


typedef struct {
    uint8_t                  fp[NGX_OLIVINE_BUCKET_SLOTS];
    uint8_t                  slot[NGX_OLIVINE_BUCKET_SLOTS][5];
    uint32_t                 min;        /* expiry, in units */
} ngx_olivine_bucket_t;


typedef struct {
    uint32_t                 page;
    uint32_t                 min;
} ngx_olivine_segment_t;


struct ngx_olivine_table_s {
    uint64_t                 keys;
    uint64_t                 expires;    /* of them with an expiry */
    uint32_t                 buckets;
    uint32_t                 room;       /* directory entries there are */
    uint32_t                 min;
    uint32_t                 ttl;        /* what expiries have left on average,
                                            in 256 ms: the tick's guess */
    ngx_olivine_segment_t   *dir;
    ngx_olivine_table_t     *next;       /* detached tables */

    /* of the snapshot of this number: the database it was, if it has left
       that place; and the one that has been walked through it */
    uint32_t                 stamp;
    uint32_t                 home;
    uint32_t                 walked;
    uint32_t                 unused;
};


/* The slot of a link, where the fingerprint is 0 and the slot is not. */
#define NGX_OLIVINE_BUCKET_LINK    (NGX_OLIVINE_BUCKET_SLOTS - 1)

#define ngx_olivine_bucket_fp(hash)                                           \
    ((uint8_t) ((hash) >> 40) ? (uint8_t) ((hash) >> 40) : 1)


/* What the slot names, or NULL. */

static ngx_inline void *
ngx_olivine_bucket_get(ngx_olivine_zone_t *zone, ngx_olivine_bucket_t *b,
    ngx_uint_t i)
{
    uint64_t  at;

    /* eight bytes from the last slot on still end inside the bucket */

    ngx_memcpy(&at, b->slot[i], 8);
    at &= 0xffffffffffULL;

    return at ? zone->base + (at << 3) : NULL;
}


static ngx_inline void
ngx_olivine_bucket_put(ngx_olivine_zone_t *zone, ngx_olivine_bucket_t *b,
    ngx_uint_t i, uint8_t fp, void *p)
{
    uint64_t  at;

    at = p ? (uint64_t) ((u_char *) p - zone->base) >> 3 : 0;

    b->fp[i] = fp;
    ngx_memcpy(b->slot[i], &at, 5);
}


/* A bit for each slot with the fingerprint. */

static ngx_inline ngx_uint_t
ngx_olivine_bucket_match(ngx_olivine_bucket_t *b, uint8_t fp)
{
#if (__SSE2__)

    __m128i  line;

    line = _mm_loadu_si128((__m128i *) b);

    return _mm_movemask_epi8(_mm_cmpeq_epi8(line, _mm_set1_epi8(fp))) & 0x3ff;

#else

    ngx_uint_t  i, mask;

    mask = 0;

    for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {
        mask |= (ngx_uint_t) (b->fp[i] == fp) << i;
    }

    return mask;

#endif
}


/* The next bucket of the chain, or NULL. */

static ngx_inline ngx_olivine_bucket_t *
ngx_olivine_bucket_next(ngx_olivine_zone_t *zone, ngx_olivine_bucket_t *b)
{
    if (b->fp[NGX_OLIVINE_BUCKET_LINK]) {
        return NULL;
    }

    return ngx_olivine_bucket_get(zone, b, NGX_OLIVINE_BUCKET_LINK);
}


static ngx_inline uint32_t
ngx_olivine_table_index(ngx_olivine_table_t *table, uint64_t hash)
{
    uint32_t  mask, i;

    mask = 0xffffffffu >> __builtin_clz(table->buckets);
    i = (uint32_t) hash & mask;

    if (i >= table->buckets) {
        i &= mask >> 1;
    }

    return i;
}


static ngx_inline ngx_olivine_bucket_t *
ngx_olivine_table_bucket(ngx_olivine_zone_t *zone, ngx_olivine_table_t *table,
    uint32_t i)
{
    return (ngx_olivine_bucket_t *)
               ngx_olivine_zone_page(zone,
                                     table->dir[i / NGX_OLIVINE_SEGMENT].page)
           + i % NGX_OLIVINE_SEGMENT;
}


static ngx_inline uint64_t
ngx_olivine_table_reverse(uint64_t v)
{
    v = ((v >> 1) & 0x5555555555555555ULL) | (v & 0x5555555555555555ULL) << 1;
    v = ((v >> 2) & 0x3333333333333333ULL) | (v & 0x3333333333333333ULL) << 2;
    v = ((v >> 4) & 0x0f0f0f0f0f0f0f0fULL) | (v & 0x0f0f0f0f0f0f0f0fULL) << 4;

    return __builtin_bswap64(v);
}


/* The bucket of a cursor, and the bits that tell this leaf from others. */

static ngx_inline ngx_olivine_bucket_t *
ngx_olivine_table_leaf(ngx_olivine_zone_t *zone, ngx_olivine_table_t *table,
    uint64_t cursor, uint64_t *mask)
{
    uint32_t  i, high;

    i = ngx_olivine_table_index(table, cursor);

    high = 0x80000000u >> __builtin_clz(table->buckets);
    *mask = high - 1;

    if (i >= high || i < table->buckets - high) {
        *mask = *mask * 2 + 1;
    }

    return ngx_olivine_table_bucket(zone, table, i);
}


/* The next leaf's cursor; 0 behind the last one. */

static ngx_inline uint64_t
ngx_olivine_table_next(uint64_t cursor, uint64_t mask)
{
    cursor = ngx_olivine_table_reverse(cursor | ~mask);

    return ngx_olivine_table_reverse(cursor + 1);
}


static ngx_inline void
ngx_olivine_table_prefetch(ngx_olivine_zone_t *zone, ngx_olivine_bucket_t *b)
{
    u_char      *e;
    ngx_uint_t   slot;

    for (slot = 0; slot < NGX_OLIVINE_BUCKET_SLOTS; slot++) {

        e = ngx_olivine_bucket_get(zone, b, slot);

        if (e) {
            __builtin_prefetch(e);
            __builtin_prefetch(e + NGX_OLIVINE_TABLE_AHEAD);
        }
    }
}


/*
 * The functions below are the store's; the shard is locked by the
 * transaction, and all return OK, AGAIN or ERROR.
 */

/* Makes a table of one bucket for the database. */
ngx_int_t ngx_olivine_table_create(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db);

/* Frees a table without keys. */
ngx_int_t ngx_olivine_table_destroy(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);

/* Puts an entry into the chain of its hash; the bucket and index it got. */
ngx_int_t ngx_olivine_table_insert(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table, uint64_t hash,
    ngx_olivine_entry_t *e, ngx_olivine_bucket_t **bucket, ngx_uint_t *index);

/* Takes an entry out of the chain that begins at head. */
ngx_int_t ngx_olivine_table_remove(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table,
    ngx_olivine_bucket_t *head, ngx_olivine_bucket_t *bucket,
    ngx_uint_t index);

/* Splits or merges a bucket if the number of keys asks for it. */
ngx_int_t ngx_olivine_table_grow(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);
ngx_int_t ngx_olivine_table_shrink(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);

/* Gives up the last bucket, which has no entries any more. */
ngx_int_t ngx_olivine_table_drop(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);

/*
 * An expiry in the units of the bounds, rounded up, and the units that have
 * passed at now (negative: none): what is at or below them is due.
 */
uint32_t ngx_olivine_table_unit(ngx_olivine_zone_t *zone, int64_t at);
int64_t ngx_olivine_table_unit_now(ngx_olivine_zone_t *zone, int64_t now);

/* Lowers the bounds above bucket i to an expiry. */
void ngx_olivine_table_bound(ngx_olivine_tx_t *tx, ngx_olivine_table_t *table,
    uint32_t i, uint32_t unit);


#endif /* _NGX_OLIVINE_TABLE_H_INCLUDED_ */
