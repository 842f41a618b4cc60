
/*
 * Copyright (C) The Olivine authors
 *
 * The CPU profile: what all workers of a zone spend their time on.
 *
 * One at a time over all workers.  The one that is asked starts it; the
 * others see it in the zone (mem/ngx_olivine_prof.h) when they are rung, or
 * in their ticks, and take samples of their main threads.  When it is
 * stopped each makes a profile of its own samples, in a thread, and leaves it
 * in the zone, and the one that was asked adds them up.
 *
 * A worker that dies meanwhile is missing in the result; where the one that
 * was asked dies, or cancels, the others stop.
 */


#ifndef _NGX_OLIVINE_CPU_H_INCLUDED_
#define _NGX_OLIVINE_CPU_H_INCLUDED_


#include "mem/ngx_olivine_journal.h"
#include "prof/ngx_olivine_profile.h"


#define NGX_OLIVINE_CPU_RATE_MIN  1            /* samples a second */
#define NGX_OLIVINE_CPU_RATE_MAX  1000


typedef struct ngx_olivine_cpu_s  ngx_olivine_cpu_t;

/*
 * In the event loop; the profile is the callee's, or NULL without memory.  A
 * next one may be started.
 */
typedef void (*ngx_olivine_cpu_done_pt)(void *data,
    ngx_olivine_profile_t *profile);


/*
 * A worker's half; from the thread that runs commands.  NULL without memory.
 * Destroying waits for the thread, and forgets what was started.
 */
ngx_olivine_cpu_t *ngx_olivine_cpu_create(ngx_olivine_tx_t *tx,
    ngx_log_t *log);
void ngx_olivine_cpu_destroy(ngx_olivine_cpu_t *cpu);

/*
 * What is to be done now; when the doorbell rang and in each tick, with no
 * lock held.  now: milliseconds.
 */
void ngx_olivine_cpu_look(ngx_olivine_cpu_t *cpu, int64_t now);

/*
 * Starts a profile in all workers; rate: samples per second of CPU time.
 * OK: `done` will be called once, after _stop and not from within it;
 * DECLINED: one is being taken, here or by another worker, or SIGPROF is
 * somebody else's; ERROR: there is no memory or no timer, or the machine is
 * not an x86-64.
 */
ngx_int_t ngx_olivine_cpu_start(ngx_olivine_cpu_t *cpu, ngx_uint_t rate,
    ngx_olivine_cpu_done_pt done, void *data);

/* Ends it: workers bring what they have.  What was not started stays so. */
void ngx_olivine_cpu_stop(ngx_olivine_cpu_t *cpu);

/* Ends it, and nobody wants it any more: `done` will not be called. */
void ngx_olivine_cpu_cancel(ngx_olivine_cpu_t *cpu);


#endif /* _NGX_OLIVINE_CPU_H_INCLUDED_ */
