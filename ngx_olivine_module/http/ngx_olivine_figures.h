
/*
 * Copyright (C) The Olivine authors
 *
 * All that is told of a zone as single numbers, gathered once for an answer:
 * the Prometheus text and the status page print the same.  Sums are INFO's.
 * Nothing is locked but, by the slow log's length, the slow log.
 */


#ifndef _NGX_OLIVINE_FIGURES_H_INCLUDED_
#define _NGX_OLIVINE_FIGURES_H_INCLUDED_


#include "command/ngx_olivine_info.h"


/*
 * What the memory is used for.  All but the clients' is the zone's; a part
 * of the zone that nobody uses is FREE (backed by memory) or not listed.
 */
typedef enum {
    NGX_OLIVINE_MEMORY_DATA = 0,         /* keys and values */
    NGX_OLIVINE_MEMORY_TABLES,           /* that find them */
    NGX_OLIVINE_MEMORY_GAPS,             /* in pages cut into cells */
    NGX_OLIVINE_MEMORY_LOG,              /* the ring, and what it refers to */
    NGX_OLIVINE_MEMORY_RECEIVING,        /* big arguments coming in */
    NGX_OLIVINE_MEMORY_PINNED,           /* runs still being sent */
    NGX_OLIVINE_MEMORY_SERVING,          /* workers' slots, rows, statistics */
    NGX_OLIVINE_MEMORY_FREE,
    NGX_OLIVINE_MEMORY_CLIENTS,          /* buffers, in the workers' own */
    NGX_OLIVINE_MEMORY_USES
} ngx_olivine_memory_e;


/* The numbers are 64 bits each: rows of the metrics' table name them. */
typedef struct {
    ngx_olivine_zone_t          *zone;
    int64_t                      now;    /* milliseconds */
    int64_t                      one;    /* 1 */

    ngx_olivine_usage_sums_t     sums;
    ngx_olivine_usage_memory_t   memory;
    ngx_olivine_usage_t          cpu;

    int64_t                      started;        /* seconds */
    int64_t                      uptime;
    uint64_t                     system_memory;  /* bytes */
    uint64_t                     overhead;
    uint64_t                     max;            /* as maxmemory has it */
    uint64_t                     limit;          /* maxmemory, or the zone's */
    uint64_t                     detached;       /* keys still to be freed */
    uint64_t                     spent;          /* by commands, ns */
    uint64_t                     memory_uses[NGX_OLIVINE_MEMORY_USES];

    uint64_t                     heap_used;      /* bytes */
    uint64_t                     heap_free;
    uint64_t                     heap_void;      /* allowed, not backed */

    uint64_t                     payloads;       /* that the log refers to */

    uint64_t                     slow;           /* entries of the slow log */
    uint64_t                     slow_id;        /* of the newest, -1: none */
    uint64_t                     slow_us;        /* it took */

    uint64_t                     changes;        /* since the last save */
    uint64_t                     loading;        /* 1: keys are loaded */
    uint64_t                     refuse_aof;     /* 1: writes are refused */
    uint64_t                     refuse_snapshot;
    uint64_t                     rdb_saving;     /* 1: it is, or is next */
    int64_t                      rdb_since;      /* seconds, -1: not */
    int64_t                      rdb_took;
    uint64_t                     rdb_ok;
    uint64_t                     snapshot;       /* 1: one is written */
    uint64_t                     snapshot_keys;
    uint64_t                     snapshot_total;
    uint64_t                     snapshot_cow;   /* bytes kept for it */

    uint64_t                     aof_on;
    uint64_t                     aof_saving;
    uint64_t                     aof_scheduled;
    uint64_t                     aof_pending;
    int64_t                      aof_since;
    int64_t                      aof_took;
    uint64_t                     aof_rewrite_ok;
    uint64_t                     aof_failures;   /* one after the other */
    uint64_t                     aof_write_ok;
    uint64_t                     aof_size;
    uint64_t                     aof_base;
    uint64_t                     aof_unwritten;  /* bytes of the log */
    uint64_t                     aof_unsynced;
    uint64_t                     aof_busy;
    uint64_t                     aof_held;       /* clients that wait for it */
} ngx_olivine_figures_t;


/* now: wall clock, milliseconds.  OK or ERROR (memory). */
ngx_int_t ngx_olivine_figures(ngx_olivine_tx_t *tx, int64_t now,
    ngx_olivine_figures_t *figures);

/* "data", "tables" ... */
extern const char *const  ngx_olivine_memory_names[NGX_OLIVINE_MEMORY_USES];


#endif /* _NGX_OLIVINE_FIGURES_H_INCLUDED_ */
