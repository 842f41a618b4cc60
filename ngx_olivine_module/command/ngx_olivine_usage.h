
/*
 * Copyright (C) The Olivine authors
 *
 * CPU time and memory of processes, as the kernel counts them; memory of the
 * zone, as we do.
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


#endif /* _NGX_OLIVINE_USAGE_H_INCLUDED_ */
