
/*
 * Copyright (C) The Olivine authors
 *
 * A thread for what may wait for a disk, or takes long.  It is made when the
 * first job is posted, takes no lock of the zone, and does one job after the
 * other.  When one is done the owner's doorbell rings with the hint that was
 * given, and its loop calls ngx_olivine_thread_reap().
 */


#ifndef _NGX_OLIVINE_THREAD_H_INCLUDED_
#define _NGX_OLIVINE_THREAD_H_INCLUDED_


#include "mem/ngx_olivine_journal.h"


typedef struct ngx_olivine_thread_s      ngx_olivine_thread_t;
typedef struct ngx_olivine_thread_job_s  ngx_olivine_thread_job_t;


struct ngx_olivine_thread_job_s {
    ngx_olivine_thread_job_t   *next;
    void                      (*run)(void *data);     /* in the thread */
    void                      (*done)(void *data);    /* in the loop */
    void                       *data;
};


#define NGX_OLIVINE_THREAD_STACK  (256 * 1024)


/*
 * For the worker of that slot; hint: NGX_OLIVINE_HINT_*; stack: bytes, for
 * most NGX_OLIVINE_THREAD_STACK.  NULL without memory.
 */
ngx_olivine_thread_t *ngx_olivine_thread_create(ngx_olivine_zone_t *zone,
    ngx_uint_t slot, uint32_t hint, size_t stack, ngx_log_t *log);

/* Waits for the jobs that were posted, ends the thread, reaps, frees. */
void ngx_olivine_thread_destroy(ngx_olivine_thread_t *thread);

/*
 * Posts a job; it is the caller's again when `done` was called.  Without a
 * thread (there is no memory for it) it is done at once.
 */
void ngx_olivine_thread_post(ngx_olivine_thread_t *thread,
    ngx_olivine_thread_job_t *job);

/* Calls `done` of the jobs that were; from the loop, no lock held. */
void ngx_olivine_thread_reap(ngx_olivine_thread_t *thread);


#endif /* _NGX_OLIVINE_THREAD_H_INCLUDED_ */
