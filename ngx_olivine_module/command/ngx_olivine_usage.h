
/*
 * Copyright (C) The Olivine authors
 *
 * CPU time and memory of processes, as the kernel counts them; memory of the
 * zone, as we do; and what workers counted, added up.
 */


#ifndef _NGX_OLIVINE_USAGE_H_INCLUDED_
#define _NGX_OLIVINE_USAGE_H_INCLUDED_


#include "store/ngx_olivine_store.h"


/* microseconds */
typedef struct {
    uint64_t  user;
    uint64_t  sys;
} ngx_olivine_usage_t;


/*
 * Of all workers that live; this one exactly, the others to the hundredth of
 * a second.
 */
void ngx_olivine_usage_workers(ngx_olivine_zone_t *zone,
    ngx_olivine_usage_t *usage);

/* Adds those of one process, to the hundredth of a second. */
void ngx_olivine_usage_process(uint32_t pid, ngx_olivine_usage_t *usage);

/*
 * Of all workers to the hundredth of a second: whichever worker is asked
 * next, it is never less while they live.
 */
void ngx_olivine_usage_ticks(ngx_olivine_zone_t *zone,
    ngx_olivine_usage_t *usage);

/* bytes */
typedef struct {
    size_t    used;                  /* what used_memory is */
    size_t    startup;               /* of an empty zone */
    size_t    tables;                /* that find keys */
    size_t    dataset;               /* keys and values */
    size_t    allocated;             /* asked of arenas and heap */
    size_t    active;                /* pages that hold it */
    size_t    resident;              /* pages that the kernel has given */
    size_t    private;               /* the workers' own */
    size_t    rss;                   /* resident and private */
    uint64_t  keys;
} ngx_olivine_usage_memory_t;


void ngx_olivine_usage_memory(ngx_olivine_zone_t *zone,
    ngx_olivine_usage_memory_t *memory);

/* Bytes of the tables of a database, over all shards; no lock. */
size_t ngx_olivine_usage_tables(ngx_olivine_zone_t *zone, ngx_uint_t db);

/* Of the calling thread. */
void ngx_olivine_usage_thread(ngx_olivine_usage_t *usage);


/* What workers counted, and of those that live what they have. */
typedef struct {
    ngx_olivine_counters_t  counters;
    ngx_olivine_rates_t     rates;
    uint64_t                workers;     /* of the configuration asked for */
    uint64_t                clients;
    uint64_t                blocked;
    uint64_t                watching;
    uint64_t                watched;
    uint64_t                buffers;     /* bytes */
    uint64_t                longest_turn;    /* microseconds */
    uint64_t                longest_hold;
} ngx_olivine_usage_sums_t;


/* cycle: the generation of the configuration whose workers are counted. */
void ngx_olivine_usage_sums(ngx_olivine_zone_t *zone, uint32_t cycle,
    ngx_olivine_usage_sums_t *sums);


typedef struct {
    uint64_t                keys;
    uint64_t                expires;
    size_t                  used;        /* bytes of what is in it */
    size_t                  arena;       /* bytes of pages cut into cells */
    size_t                  tables;
    size_t                  images;      /* kept for a snapshot */
} ngx_olivine_usage_shard_t;


/* No lock: where it is written meanwhile a little too much or too little. */
void ngx_olivine_usage_shard(ngx_olivine_zone_t *zone, ngx_uint_t n,
    ngx_olivine_usage_shard_t *shard);


#endif /* _NGX_OLIVINE_USAGE_H_INCLUDED_ */
