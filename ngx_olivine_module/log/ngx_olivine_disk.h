
/*
 * Copyright (C) The Olivine authors
 *
 * A thread for what may wait for a disk.  It is made when the first job is
 * posted, takes no lock of the zone, and does one job after the other.  When
 * one is done the owner's doorbell rings (NGX_OLIVINE_HINT_DISK), and its
 * loop calls ngx_olivine_disk_reap().
 */


#ifndef _NGX_OLIVINE_DISK_H_INCLUDED_
#define _NGX_OLIVINE_DISK_H_INCLUDED_


#include "mem/ngx_olivine_journal.h"


typedef struct ngx_olivine_disk_s      ngx_olivine_disk_t;
typedef struct ngx_olivine_disk_job_s  ngx_olivine_disk_job_t;


struct ngx_olivine_disk_job_s {
    ngx_olivine_disk_job_t   *next;
    void                    (*run)(void *data);     /* in the thread */
    void                    (*done)(void *data);    /* in the loop */
    void                     *data;
};


/* For the worker of that slot.  NULL without memory. */
ngx_olivine_disk_t *ngx_olivine_disk_create(ngx_olivine_zone_t *zone,
    ngx_uint_t slot, ngx_log_t *log);

/* Waits for the jobs that were posted, ends the thread, reaps, frees. */
void ngx_olivine_disk_destroy(ngx_olivine_disk_t *disk);

/*
 * Posts a job; it is the caller's again when `done` was called.  Without a
 * thread (there is no memory for it) it is done at once.
 */
void ngx_olivine_disk_post(ngx_olivine_disk_t *disk,
    ngx_olivine_disk_job_t *job);

/* Calls `done` of the jobs that were; from the loop, no lock held. */
void ngx_olivine_disk_reap(ngx_olivine_disk_t *disk);


#endif /* _NGX_OLIVINE_DISK_H_INCLUDED_ */
