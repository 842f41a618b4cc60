
/*
 * Copyright (C) The Olivine authors
 *
 * The longest time, in microseconds of its own CPU time, that a loop which
 * does nothing is held up:  noise SECONDS.  Interrupts and the host of a
 * virtual machine do that; no server can have shorter pauses there.
 */


#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>


static uint64_t
noise_now(clockid_t clock)
{
    struct timespec  ts;

    clock_gettime(clock, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


int
main(int argc, char **argv)
{
    uint64_t  now, last, end, longest;

    if (argc != 2) {
        fprintf(stderr, "usage: noise SECONDS\n");
        return 2;
    }

    longest = 0;
    last = noise_now(CLOCK_THREAD_CPUTIME_ID);
    end = noise_now(CLOCK_MONOTONIC) + strtod(argv[1], NULL) * 1e9;

    while (noise_now(CLOCK_MONOTONIC) < end) {
        now = noise_now(CLOCK_THREAD_CPUTIME_ID);

        if (now - last > longest) {
            longest = now - last;
        }

        last = now;
    }

    printf("%llu\n", (unsigned long long) longest / 1000);

    return 0;
}
