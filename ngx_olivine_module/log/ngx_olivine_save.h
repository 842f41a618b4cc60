
/*
 * Copyright (C) The Olivine authors
 *
 * Writing a snapshot: beside the event loop, a slice at a time.
 *
 * What is wanted is a bit in the zone; one worker takes the lease.  It walks
 * the store (store/ngx_olivine_snapshot.h) and gathers what it finds in one
 * chunk of memory while a thread writes the other one to a temporary file,
 * which takes the place of the old one when all of it is on the disk.
 *
 * If the worker dies another one walks the rest without writing it, and begins
 * again.
 */


#ifndef _NGX_OLIVINE_SAVE_H_INCLUDED_
#define _NGX_OLIVINE_SAVE_H_INCLUDED_


#include "mem/ngx_olivine_thread.h"


typedef struct ngx_olivine_save_s  ngx_olivine_saver_t;


/* Of a worker; without a thread if alone is set.  NULL without memory. */
ngx_olivine_saver_t *ngx_olivine_save_create(ngx_olivine_tx_t *tx,
    ngx_log_t *log, ngx_uint_t alone);

/* Gives up what is under way. */
void ngx_olivine_save_destroy(ngx_olivine_saver_t *save);

/*
 * A slice, no lock held; now: wall clock, milliseconds.  OK: go on at once;
 * AGAIN: when the doorbell rings, or later; DECLINED: there is nothing to do.
 */
ngx_int_t ngx_olivine_save_step(ngx_olivine_saver_t *save, int64_t now);

/* The doorbell rang: the thread may be done. */
void ngx_olivine_save_reap(ngx_olivine_saver_t *save);

/* Wants a snapshot if a "save" point has come; once a second or so. */
void ngx_olivine_save_points(ngx_olivine_zone_t *zone, int64_t now);

/* Writes dump.rdb at once, by a process that is the last one.  OK or ERROR. */
ngx_int_t ngx_olivine_save_alone(ngx_olivine_tx_t *tx, ngx_log_t *log);

/* The path of dump.rdb; its length.  path: NGX_OLIVINE_SAVE_PATH bytes. */
size_t ngx_olivine_save_path(ngx_olivine_zone_t *zone, u_char *path);

#define NGX_OLIVINE_SAVE_PATH                                                 \
    (NGX_OLIVINE_DIR_MAX + 2 * NGX_OLIVINE_NAME_MAX + 64)


#endif /* _NGX_OLIVINE_SAVE_H_INCLUDED_ */
