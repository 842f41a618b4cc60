
/*
 * Copyright (C) The Olivine authors
 */


#include "base/ngx_olivine_clock.h"

#include <time.h>

#if (defined __x86_64__)
#include <cpuid.h>
#endif


/* nanoseconds that the first comparison takes, and those of a better one */
#define NGX_OLIVINE_CLOCK_FIRST   200000
#define NGX_OLIVINE_CLOCK_BETTER  50000000


static ngx_uint_t ngx_olivine_clock_even(void);


ngx_olivine_clock_t  ngx_olivine_clock = { (uint64_t) 1 << 32, 0, 0, 0 };


void
ngx_olivine_clock_init(void)
{
    uint64_t              ns, counts;
    ngx_olivine_clock_t  *clock;

    clock = &ngx_olivine_clock;

    if (clock->ns) {
        return;
    }

    clock->counter = ngx_olivine_clock_even();
    clock->ns = ngx_olivine_clock_monotonic();
    clock->counts = ngx_olivine_clock_counts();

    if (!clock->counter) {
        return;
    }

    do {
        ns = ngx_olivine_clock_monotonic() - clock->ns;
        counts = ngx_olivine_clock_counts() - clock->counts;
    } while (ns < NGX_OLIVINE_CLOCK_FIRST);

    if (counts == 0 || counts >> 63) {
        clock->counter = 0;
        return;
    }

    clock->mult = ((unsigned __int128) ns << 32) / counts;
}


void
ngx_olivine_clock_adjust(void)
{
    uint64_t              ns, counts;
    ngx_olivine_clock_t  *clock;

    clock = &ngx_olivine_clock;

    if (!clock->counter) {
        return;
    }

    ns = ngx_olivine_clock_monotonic() - clock->ns;
    counts = ngx_olivine_clock_counts() - clock->counts;

    if (ns < NGX_OLIVINE_CLOCK_BETTER || counts == 0 || counts >> 63) {
        return;
    }

    clock->mult = ((unsigned __int128) ns << 32) / counts;
}


uint64_t
ngx_olivine_clock_monotonic(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


/* 1 if the counter runs at one rate, whatever the processor does. */

static ngx_uint_t
ngx_olivine_clock_even(void)
{
#if (defined __x86_64__)

    unsigned  eax, ebx, ecx, edx;

    if (!__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx)) {
        return 0;
    }

    return edx >> 8 & 1;

#elif (defined __aarch64__)

    return 1;

#else

    return 0;

#endif
}
