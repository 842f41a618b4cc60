
/*
 * Copyright (C) The Olivine authors
 *
 * The zone: a memfd mapped at a fixed address, the same in every process.
 *
 *     header | shards | totals | sampling | slots | rows | statistics
 *         | samples | monitors' ring | hot keys | page descriptors
 *         | heap ...
 *
 * Nothing in it points at a process's own memory, code or constants.  The
 * file is as long as the reserve from the start and full of holes.
 */


#ifndef _NGX_OLIVINE_ZONE_H_INCLUDED_
#define _NGX_OLIVINE_ZONE_H_INCLUDED_


#include "base/ngx_olivine_params.h"
#include "mem/ngx_olivine_gate.h"
#include "mem/ngx_olivine_persist.h"
#include "mem/ngx_olivine_prof.h"
#include "mem/ngx_olivine_ring.h"
#include "mem/ngx_olivine_holding.h"
#include "mem/ngx_olivine_arena.h"
#include "mem/ngx_olivine_row.h"
#include "mem/ngx_olivine_stats.h"
#include "mem/ngx_olivine_monitor.h"
#include "mem/ngx_olivine_sample.h"
#include "mem/ngx_olivine_hotkeys.h"
#include "mem/ngx_olivine_taking.h"


#define NGX_OLIVINE_ZONE_MAGIC     0x316e6976696c4fULL      /* "Olivin1" */
#define NGX_OLIVINE_ZONE_LAYOUT    8

#define NGX_OLIVINE_ZONE_BASE      0x200000000000ULL
#define NGX_OLIVINE_ZONE_STRIDE    0x010000000000ULL
#define NGX_OLIVINE_ZONE_PLACES    16

#define NGX_OLIVINE_ZONE_MIN       (8 * 1024 * 1024)
#define NGX_OLIVINE_ZONE_NAME      64

/* doorbells; slots share them, hints tell whose ring it was */
#define NGX_OLIVINE_ZONE_BELLS     16


/* What a zone is made from, and checked against when it is met again. */
typedef struct {
    ngx_str_t                 name;
    size_t                    limit;       /* bytes it may take */
    size_t                    reserve;     /* addresses; 0: chosen */
    ngx_uint_t                shards;      /* 0: chosen from the limit */
    size_t                    shard_size;  /* of a shard's struct */
    ngx_olivine_params_t     *params;      /* first values */
} ngx_olivine_zone_conf_t;


struct ngx_olivine_zone_s {
    uint64_t                  magic;
    uint32_t                  layout;
    uint32_t                  ready;
    u_char                   *base;
    size_t                    reserve;
    uint64_t                  seed[2];
    u_char                    name[NGX_OLIVINE_ZONE_NAME];

    uint32_t                  nshards;     /* a power of two */
    uint32_t                  shard_bits;
    size_t                    shard_size;
    u_char                   *shards;
    ngx_olivine_totals_t     *totals;
    u_char                   *slots;
    u_char                   *row_table;
    u_char                   *stats;       /* a part for each slot */
    u_char                   *gone;        /* histograms of slots that left */
    u_char                   *slowlog;
    ngx_olivine_sampling_t   *sampling;
    u_char                   *samples;     /* a table for each slot */
    u_char                   *live;        /* samples that are in use */
    u_char                   *monitor_ring;
    u_char                   *hotkeys_tables;
    ngx_olivine_page_t       *pages;
    size_t                    fixed;       /* bytes before the heap, backed */
    size_t                    limit;       /* bytes */

    int32_t                   bells[NGX_OLIVINE_ZONE_BELLS];

    /* locked by the slots' owners for life */
    pthread_mutex_t           alive[NGX_OLIVINE_MAX_SLOTS];

    uint32_t                  cycle;       /* newest configuration announced */
    uint32_t                  closing;     /* was the newest when workers
                                              closed their clients to quit */
    int64_t                   announced;   /* the newest, milliseconds */
    uint32_t                  slots_high;  /* slots ever claimed: 0..high-1 */
    int64_t                   started;     /* wall clock, milliseconds */

    uint64_t                  clients;     /* the last client's id */
    uint32_t                  no_expire;   /* DEBUG SET-ACTIVE-EXPIRE 0 */
    uint32_t                  no_checksum; /* DEBUG SET-SKIP-CHECKSUM-... 1 */

    ngx_olivine_gate_t        gate ngx_olivine_aligned(64);
    uint64_t                  pause;       /* the bus's, CLIENT PAUSE */
    uint32_t                  monitored;   /* clients in MONITOR */
    ngx_olivine_heap_t        heap ngx_olivine_aligned(64);
    ngx_olivine_ring_t        ring ngx_olivine_aligned(64);
    ngx_olivine_rows_t        rows ngx_olivine_aligned(64);

    ngx_olivine_persist_t     persist ngx_olivine_aligned(64);
    ngx_olivine_snapshot_t    snapshot;
    ngx_olivine_prof_t        prof;
    ngx_olivine_taking_t      takings[NGX_OLIVINE_TAKINGS];

    ngx_olivine_monitor_t     monitor ngx_olivine_aligned(64);
    ngx_olivine_hotkeys_t     hotkeys ngx_olivine_aligned(64);

    ngx_olivine_counters_t    counters;    /* of slots that were freed */
    uint64_t                  longest_turn;
    uint64_t                  longest_hold;
    uint64_t                  recovered;   /* dead slots */
    uint64_t                  departed;    /* slots that became free */
    uint64_t                  peak;        /* used_memory, as last seen */

    /*
     * The running parameters and those of the file that was read last;
     * numbers may be read at any time, texts under the lock.
     */
    ngx_olivine_lock_t        params_lock;
    uint32_t                  params_version;
    uint32_t                  stats_epoch;
    ngx_olivine_params_t      params;
    ngx_olivine_params_t      file;
};


#define ngx_olivine_zone_page(zone, n)                                        \
    ((zone)->base + ((size_t) (n) << NGX_OLIVINE_PAGE_SHIFT))

#define ngx_olivine_zone_number(zone, p)                                      \
    ((uint32_t) (((u_char *) (p) - (zone)->base) >> NGX_OLIVINE_PAGE_SHIFT))

#define ngx_olivine_zone_arena(zone, n)                                       \
    ((ngx_olivine_arena_t *) ((zone)->shards + (n) * (zone)->shard_size))

#define ngx_olivine_zone_holds(zone, p)                                       \
    ((size_t) ((u_char *) (p) - (zone)->base) < (zone)->reserve)


/*
 * Makes a zone: memory, mapping, header, slots, heap, arenas, doorbells.
 * OK (zone, fd) or ERROR (err: a text; nothing is left behind).
 */
ngx_int_t ngx_olivine_zone_create(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t **zone, int *fd, ngx_str_t *err);

/*
 * Finds the zone of that name among the process's descriptors and maps it.
 * OK; DECLINED: there is none; ERROR: it cannot be adopted, and is not mapped
 * (err says why: another layout, shards, databases).
 */
ngx_int_t ngx_olivine_zone_adopt(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t **zone, int *fd, ngx_str_t *err);

/*
 * After a binary upgrade: closes the descriptors of zones that the process
 * was handed, but for the n in the list.
 */
void ngx_olivine_zone_drop(int *list, ngx_uint_t n);

/* Looks that a living zone can serve the configuration.  OK or ERROR. */
ngx_int_t ngx_olivine_zone_check(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t *zone, ngx_str_t *err);

/* Commits another limit; what is above it is given back as it gets free. */
void ngx_olivine_zone_resize(ngx_olivine_zone_t *zone, size_t limit);

/* Unmaps and closes; for a cycle that is dropped, and for tests. */
void ngx_olivine_zone_destroy(ngx_olivine_zone_t *zone, int fd);

/* Backs a part of the zone with memory.  OK or ERROR. */
ngx_int_t ngx_olivine_zone_back(ngx_olivine_zone_t *zone, int fd, void *p,
    size_t size);

/* Bytes in use: keys, values, tables, and what serving them takes. */
size_t ngx_olivine_zone_used(ngx_olivine_zone_t *zone);

/* Wall clock, milliseconds. */
int64_t ngx_olivine_now(void);


#endif /* _NGX_OLIVINE_ZONE_H_INCLUDED_ */
