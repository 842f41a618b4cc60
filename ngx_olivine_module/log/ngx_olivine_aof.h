
/*
 * Copyright (C) The Olivine authors
 *
 * The append-only file's writer: a reader of the log's ring.
 *
 * One worker at a time writes: it holds a lease.  What is written where is
 * stored after the write, as a pair of offset in the log and position in the
 * file, so that whoever takes a dead writer's lease over puts the same bytes
 * in the same place.  A worker that finds the lease taken does not wait: it
 * keeps its replies, and is rung when the lease is free again.
 *
 * Whatever may wait for the disk is done by a thread, which then has the
 * lease: syncs, writes with "appendfsync always", and the turn to the next
 * increment.
 *
 * A file of which a sync failed is trusted no more: what it may have lost is
 * not known.  Writes are refused until a rewrite has made a new base.
 */


#ifndef _NGX_OLIVINE_AOF_H_INCLUDED_
#define _NGX_OLIVINE_AOF_H_INCLUDED_


#include "mem/ngx_olivine_thread.h"


typedef struct ngx_olivine_aof_s  ngx_olivine_aof_t;


/* Of a worker.  NULL without memory. */
ngx_olivine_aof_t *ngx_olivine_aof_create(ngx_olivine_tx_t *tx,
    ngx_log_t *log);

/* Waits for the thread, gives the lease back. */
void ngx_olivine_aof_destroy(ngx_olivine_aof_t *aof);

/*
 * From the loop, no lock held; now: wall clock, milliseconds.  Writes what
 * the log has got, or has the thread do so, or leaves it to who has the lease.
 * OK; AGAIN: more may come, call again in the next pass of the loop.
 */
ngx_int_t ngx_olivine_aof_flush(ngx_olivine_aof_t *aof, int64_t now);

/* The doorbell rang: the thread may be done. */
void ngx_olivine_aof_reap(ngx_olivine_aof_t *aof);

/* Replies may leave that wait for the log up to this offset. */
uint64_t ngx_olivine_aof_safe(ngx_olivine_zone_t *zone, int64_t now);

/*
 * For a process that is the last one: writes and syncs all there is, at once.
 * OK or ERROR.
 */
ngx_int_t ngx_olivine_aof_finish(ngx_olivine_aof_t *aof, int64_t now);

/* Its worker's. */
ngx_olivine_tx_t *ngx_olivine_aof_tx(ngx_olivine_aof_t *aof);

/* Bytes written and what they are of all increments; with the base. */
uint64_t ngx_olivine_aof_size(ngx_olivine_zone_t *zone);

/*
 * Where an append-only file is to be, as parameters say: its folder
 * (NGX_OLIVINE_AOF_PATH bytes), and what names of files begin with
 * (NGX_OLIVINE_NAME_MAX + 8).
 */
void ngx_olivine_aof_folder(ngx_olivine_zone_t *zone, u_char *dir,
    u_char *name);

/* The path of an increment; its length.  path: NGX_OLIVINE_AOF_PATH bytes. */
size_t ngx_olivine_aof_path(ngx_olivine_zone_t *zone, uint64_t seq,
    u_char *path);

#define NGX_OLIVINE_AOF_PATH                                                  \
    (NGX_OLIVINE_DIR_MAX + 2 * NGX_OLIVINE_NAME_MAX + 64)


/* The mark of what is written. */
#define ngx_olivine_aof_written(zone)                                         \
    (&(zone)->persist.aof.marks[__atomic_load_n(&(zone)->persist.aof.mark,    \
                                                __ATOMIC_ACQUIRE) & 1])


#endif /* _NGX_OLIVINE_AOF_H_INCLUDED_ */
