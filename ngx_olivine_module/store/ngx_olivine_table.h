
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
 * began, and are made exact whenever a tick looks below them.
 */


#ifndef _NGX_OLIVINE_TABLE_H_INCLUDED_
#define _NGX_OLIVINE_TABLE_H_INCLUDED_


#include "store/ngx_olivine_entry.h"


#define NGX_OLIVINE_BUCKET_SLOTS    10
#define NGX_OLIVINE_SEGMENT         64       /* buckets */

/* keys per bucket: above, one is split; below, the last one is merged */
#define NGX_OLIVINE_TABLE_GROW      9
#define NGX_OLIVINE_TABLE_SHRINK    5

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
    uint32_t                 unused;
    ngx_olivine_segment_t   *dir;
    ngx_olivine_table_t     *next;       /* detached tables */
};


#endif /* _NGX_OLIVINE_TABLE_H_INCLUDED_ */
