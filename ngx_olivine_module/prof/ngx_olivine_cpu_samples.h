
/*
 * Copyright (C) The Olivine authors
 *
 * Samples of one worker: taken from the ring, their stacks walked, equal ones
 * counted, and in the end a profile.  For a thread.
 *
 * Times.  The thread's own user and system time of the whole profile are
 * given out over the samples: user time evenly over those that stood in
 * code, system time evenly over those that came out of a system call, as a
 * "[kernel]" above the call.  So the sum is what the thread really took,
 * whatever a period was worth.  A sample gets no more than two periods of
 * system time; what is left (page faults, interrupts, calls that were never
 * met) stands as "[kernel]" alone.
 */


#ifndef _NGX_OLIVINE_CPU_SAMPLES_H_INCLUDED_
#define _NGX_OLIVINE_CPU_SAMPLES_H_INCLUDED_


#include "prof/ngx_olivine_cpu_signal.h"


/* bytes that different stacks may take; more are counted as lost */
#define NGX_OLIVINE_CPU_STACKS   (16 * 1024 * 1024)


typedef struct ngx_olivine_cpu_samples_s  ngx_olivine_cpu_samples_t;


/* NULL without memory. */
ngx_olivine_cpu_samples_t *ngx_olivine_cpu_samples_create(void);
void ngx_olivine_cpu_samples_destroy(ngx_olivine_cpu_samples_t *samples);

/* Takes all that is in the ring now. */
void ngx_olivine_cpu_samples_read(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_cpu_signal_t *signal);

/*
 * An empty profile of the kinds samples/count and cpu/nanoseconds; NULL
 * without memory.
 */
ngx_olivine_profile_t *ngx_olivine_cpu_profile(ngx_uint_t rate);

/*
 * Adds what was read to a profile, labelled with the pid and, where one ran,
 * the command, whose names the zone has.  user, system: nanoseconds; lost:
 * periods.  OK or ERROR.
 */
ngx_int_t ngx_olivine_cpu_samples_add(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_profile_t *profile, ngx_olivine_zone_t *zone, ngx_uint_t rate,
    int64_t user, int64_t system, uint64_t lost);


#endif /* _NGX_OLIVINE_CPU_SAMPLES_H_INCLUDED_ */
