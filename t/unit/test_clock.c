
/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include "base/ngx_olivine_clock.h"


static void
work(uint64_t ns)
{
    uint64_t  start;

    start = ngx_olivine_clock_monotonic();

    while (ngx_olivine_clock_monotonic() - start < ns) { /* void */ }
}


/* the counter, told in nanoseconds, goes as the monotonic clock does */

static void
check(void)
{
    double      d;
    uint64_t    mono, counts, ns;
    ngx_uint_t  i;

    /* a moment in which something else ran does not count */

    for (i = 0; i < 20; i++) {
        mono = ngx_olivine_clock_monotonic();
        counts = ngx_olivine_clock_counts();

        work(20000000);

        ns = ngx_olivine_clock_ns(ngx_olivine_clock_counts() - counts);
        mono = ngx_olivine_clock_monotonic() - mono;

        d = (double) ns / mono;

        if (d > 0.99 && d < 1.01) {
            return;
        }
    }

    fail_msg("%f of the time", d);
}


static void
test_clock_agrees_with_the_monotonic_one(void **state)
{
    ngx_olivine_clock_init();
    check();

    work(60000000);
    ngx_olivine_clock_adjust();
    check();
}


/* The same where there is no counter to be trusted. */

static void
test_clock_has_a_twin(void **state)
{
    ngx_olivine_clock_t  saved;

    saved = ngx_olivine_clock;

    ngx_olivine_clock.counter = 0;
    ngx_olivine_clock.mult = (uint64_t) 1 << 32;

    check();
    ngx_olivine_clock_adjust();
    assert_true(ngx_olivine_clock.mult == (uint64_t) 1 << 32);

    ngx_olivine_clock = saved;
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_clock_agrees_with_the_monotonic_one),
        cmocka_unit_test(test_clock_has_a_twin),
    };

    return unit_run(tests);
}
