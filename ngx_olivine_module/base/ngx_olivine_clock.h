
/*
 * Copyright (C) The Olivine authors
 *
 * A clock that costs next to nothing to read: the processor's own counter,
 * told in nanoseconds by comparison with the monotonic clock.  Where there is
 * none that runs evenly, the monotonic clock itself stands in.
 */


#ifndef _NGX_OLIVINE_CLOCK_H_INCLUDED_
#define _NGX_OLIVINE_CLOCK_H_INCLUDED_


#include "base/ngx_olivine_base.h"

#if (defined __x86_64__)
#include <x86intrin.h>
#endif


typedef struct {
    uint64_t    mult;          /* nanoseconds a count, times 2^32 */
    uint64_t    counts;        /* both clocks, when they were first compared */
    uint64_t    ns;
    ngx_uint_t  counter;       /* unsigned  counter:1; the processor's is used */
} ngx_olivine_clock_t;


extern ngx_olivine_clock_t  ngx_olivine_clock;


/* Compares the clocks for a moment; once a process, later calls return. */
void ngx_olivine_clock_init(void);

/* Compares again, over all the time since then; now and then, by a tick. */
void ngx_olivine_clock_adjust(void);

/* The monotonic clock, nanoseconds. */
uint64_t ngx_olivine_clock_monotonic(void);


/* Counts; only differences mean something. */

static ngx_inline uint64_t
ngx_olivine_clock_counts(void)
{
#if (defined __x86_64__)

    if (ngx_olivine_likely(ngx_olivine_clock.counter)) {
        return __rdtsc();
    }

#elif (defined __aarch64__)

    uint64_t  counts;

    if (ngx_olivine_likely(ngx_olivine_clock.counter)) {
        __asm__ volatile ("mrs %0, cntvct_el0" : "=r" (counts));
        return counts;
    }

#endif

    return ngx_olivine_clock_monotonic();
}


static ngx_inline uint64_t
ngx_olivine_clock_ns(uint64_t counts)
{
    return (unsigned __int128) counts * ngx_olivine_clock.mult >> 32;
}


/* Nanoseconds since a reading; 0 if another processor's counter is behind. */

static ngx_inline uint64_t
ngx_olivine_clock_since(uint64_t start)
{
    int64_t  counts;

    counts = ngx_olivine_clock_counts() - start;

    return counts > 0 ? ngx_olivine_clock_ns(counts) : 0;
}


#endif /* _NGX_OLIVINE_CLOCK_H_INCLUDED_ */
