
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include <signal.h>
#include <sys/wait.h>


static unit_mem_t  m;


static int
setup(void **state)
{
    unit_mem_create(&m, 16 * 1024 * 1024, 2);
    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    return 0;
}


static ngx_int_t
number(const char *name)
{
    ngx_str_t  s = { strlen(name), (u_char *) name };

    return ngx_olivine_stats_command(m.zone, &s);
}


static ngx_olivine_stats_t *
own(ngx_olivine_tx_t *tx)
{
    return ngx_olivine_stats_at(m.zone, tx->slot->number);
}


static void
test_stats_number_names_once(void **state)
{
    char        name[64];
    ngx_int_t   i;

    assert_int_equal(number("get"), 0);
    assert_int_equal(number("set"), 1);
    assert_int_equal(number("get"), 0);
    assert_string_equal(m.zone->totals->commands[1].name, "set");

    /* one that died between the key and the name left only the key */

    m.zone->totals->commands[1].name[0] = '\0';
    assert_int_equal(number("set"), 1);
    assert_string_equal(m.zone->totals->commands[1].name, "set");

    for (i = 2; i < NGX_OLIVINE_STATS_COMMANDS; i++) {
        sprintf(name, "a|command-with-quite-a-long-name-%d", (int) i);
        assert_int_equal(number(name), i);
    }

    assert_int_equal(number("more"), NGX_ERROR);
    assert_int_equal(number("set"), 1);
    assert_string_equal(m.zone->totals->commands[2].name,
                        "a|command-with-quite-a-long-nam");
}


static void
test_stats_bound_the_codes_of_errors(void **state)
{
    char        code[16];
    ngx_uint_t  i, n;

    for (i = 0; i < 1000; i++) {
        sprintf(code, "E%d", (int) i);
        n = ngx_olivine_stats_code(m.zone, (u_char *) code, strlen(code));
        assert_int_equal(n, i < 128 ? i : 128);
        ngx_olivine_stats_error(m.tx, n, 2);
    }

    assert_string_equal(m.zone->totals->errors[127].name, "E127");
    assert_string_equal(m.zone->totals->errors[128].name,
                        "ERRORSTATS_OVERFLOW");
    assert_int_equal(ngx_olivine_stats_errors(m.zone, 127), 2);
    assert_int_equal(ngx_olivine_stats_errors(m.zone, 128), 2 * 872);
    assert_int_equal(m.tx->slot->counters.errors, 2000);

    ngx_olivine_stats_reset(m.tx);

    assert_int_equal(ngx_olivine_stats_errors(m.zone, 128), 0);
    assert_int_equal(ngx_olivine_stats_code(m.zone, (u_char *) "NEW", 3), 0);
}


static void
test_stats_have_a_bucket_for_any_time(void **state)
{
    uint64_t    ns;
    ngx_uint_t  i, last;

    last = 0;

    for (ns = 0; ns < 100000; ns++) {
        i = ngx_olivine_stats_bucket(ns);
        assert_true(i == last || i == last + 1);
        assert_true(ngx_olivine_stats_highest(i) >= ns);
        assert_true(i == 0 || ngx_olivine_stats_highest(i - 1) < ns);
        assert_true(ngx_olivine_stats_highest(i) <= ns + ns / 8);
        last = i;
    }

    for (ns = 1; ns; ns <<= 1) {
        i = ngx_olivine_stats_bucket(ns);
        assert_true(i < NGX_OLIVINE_STATS_BUCKETS);
    }

    assert_int_equal(ngx_olivine_stats_bucket(UINT64_MAX), 255);
}


static void
test_stats_tell_percentiles(void **state)
{
    uint64_t   times[NGX_OLIVINE_STATS_BUCKETS];
    uint32_t  *hist;

    number("get");

    assert_int_equal(ngx_olivine_stats_times(m.zone, 0, times), 0);

    hist = ngx_olivine_stats_histogram(m.tx, 0);
    assert_non_null(hist);
    assert_ptr_equal(ngx_olivine_stats_histogram(m.tx, 0), hist);
    assert_ptr_not_equal(ngx_olivine_stats_histogram(m.tx, 1), hist);

    hist[ngx_olivine_stats_bucket(1000)] = 98;
    hist[ngx_olivine_stats_bucket(50000)] = 1;
    hist[ngx_olivine_stats_bucket(1000000)] = 1;

    assert_int_equal(ngx_olivine_stats_times(m.zone, 0, times), 100);
    assert_int_equal(ngx_olivine_stats_percentile(times, 100, 0), 1023);
    assert_int_equal(ngx_olivine_stats_percentile(times, 100, 50), 1023);
    assert_int_equal(ngx_olivine_stats_percentile(times, 100, 98), 1023);
    assert_int_equal(ngx_olivine_stats_percentile(times, 100, 99), 53247);
    assert_int_equal(ngx_olivine_stats_percentile(times, 100, 99.9), 1048575);
    assert_int_equal(ngx_olivine_stats_percentile(times, 100, 100), 1048575);
}


static void
test_stats_spill_a_bucket_that_is_full(void **state)
{
    uint64_t   times[NGX_OLIVINE_STATS_BUCKETS];
    uint32_t  *hist;

    hist = ngx_olivine_stats_histogram(m.tx, 0);

    hist[7] = 4000000000u;
    ngx_olivine_stats_spill(m.tx, 0, 7, hist);
    assert_int_equal(hist[7], 0);
    hist[7] = 4000000000u;

    assert_int_equal(ngx_olivine_stats_times(m.zone, 0, times),
                     8000000000ull);
    assert_int_equal(times[7], 8000000000ull);
}


/* What they counted outlives those that leave, and those that are killed. */

static void
test_stats_outlive_workers(void **state)
{
    int                  status;
    pid_t                pid;
    uint64_t             times[NGX_OLIVINE_STATS_BUCKETS];
    ngx_uint_t           i;
    ngx_olivine_tx_t     tx;
    ngx_olivine_stat_t   sum;

    number("get");

    for (i = 0; i < 2; i++) {

        pid = fork();

        if (pid == 0) {
            if (ngx_olivine_slot_claim(&tx, m.zone, m.fd, 1) != NGX_OK) {
                _exit(1);
            }

            own(&tx)->commands[0].calls = 10;
            own(&tx)->commands[0].ns = 1000;
            own(&tx)->commands[0].rejected = 3;
            own(&tx)->commands[0].failed = 2;
            ngx_olivine_stats_error(&tx,
                                    ngx_olivine_stats_code(m.zone,
                                                     (u_char *) "ERR", 3), 5);
            ngx_olivine_stats_histogram(&tx, 0)[9] = 10;

            if (i) {
                raise(SIGKILL);
            }

            ngx_olivine_slot_leave(&tx);
            _exit(0);
        }

        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(WIFSIGNALED(status), i);
        (void) ngx_olivine_slot_sweep_all(m.tx);
    }

    own(m.tx)->commands[0].calls = 1;
    ngx_olivine_stats_histogram(m.tx, 0)[9] = 1;

    ngx_olivine_stats_sum(m.zone, 0, &sum);
    assert_int_equal(sum.calls, 21);
    assert_int_equal(sum.ns, 2000);
    assert_int_equal(sum.rejected, 6);
    assert_int_equal(sum.failed, 4);
    assert_int_equal(ngx_olivine_stats_errors(m.zone, 0), 10);
    assert_int_equal(ngx_olivine_stats_times(m.zone, 0, times), 21);
    assert_int_equal(times[9], 21);
}


/* A reset holds at once for what others have counted. */

static void
test_stats_are_reset_for_all(void **state)
{
    uint64_t                 times[NGX_OLIVINE_STATS_BUCKETS];
    ngx_olivine_tx_t         tx;
    ngx_olivine_stat_t       sum;
    ngx_olivine_counters_t   counters;

    assert_int_equal(ngx_olivine_slot_claim(&tx, m.zone, m.fd, 1), NGX_OK);

    own(&tx)->commands[0].calls = 10;
    tx.slot->counters.hits = 7;
    ngx_olivine_stats_histogram(&tx, 0)[9] = 10;
    own(m.tx)->commands[0].calls = 4;
    m.tx->slot->counters.hits = 3;

    ngx_olivine_stats_sum(m.zone, 0, &sum);
    assert_int_equal(sum.calls, 14);

    ngx_olivine_stats_reset(m.tx);

    ngx_olivine_stats_sum(m.zone, 0, &sum);
    assert_int_equal(sum.calls, 0);
    assert_int_equal(ngx_olivine_stats_times(m.zone, 0, times), 0);
    ngx_olivine_slot_counters(m.zone, &counters);
    assert_int_equal(counters.hits, 0);

    /* the other notices, and counts on */

    ngx_olivine_stats_renew(&tx);
    own(&tx)->commands[0].calls++;
    tx.slot->counters.hits++;

    ngx_olivine_stats_sum(m.zone, 0, &sum);
    assert_int_equal(sum.calls, 1);
    ngx_olivine_slot_counters(m.zone, &counters);
    assert_int_equal(counters.hits, 1);

    /* one that leaves before it notices takes along what it had */

    ngx_olivine_stats_reset(m.tx);
    ngx_olivine_slot_leave(&tx);

    ngx_olivine_stats_sum(m.zone, 0, &sum);
    assert_int_equal(sum.calls, 0);
    ngx_olivine_slot_counters(m.zone, &counters);
    assert_int_equal(counters.hits, 0);
}


static void
test_stats_keep_the_worst_of_a_second(void **state)
{
    ngx_uint_t                   i;
    ngx_olivine_stats_event_t   *events;

    events = calloc(NGX_OLIVINE_STATS_EVENTS, sizeof(*events));

    ngx_olivine_stats_event(m.tx, "command", 5000, 7);
    ngx_olivine_stats_event(m.tx, "command", 5999, 9);
    ngx_olivine_stats_event(m.tx, "command", 5999, 8);
    ngx_olivine_stats_event(m.tx, "fork", 6000, 1);

    assert_int_equal(ngx_olivine_stats_events(m.tx, events), 2);
    assert_string_equal(events[0].name, "command");
    assert_int_equal(events[0].samples[0].time, 5);
    assert_int_equal(events[0].samples[0].ms, 9);
    assert_int_equal(events[0].samples[1].time, 0);
    assert_int_equal(events[0].count, 3);
    assert_int_equal(events[0].max, 9);

    for (i = 0; i < 1000; i++) {
        ngx_olivine_stats_event(m.tx, "command", 7000 + i * 1000, i);
    }

    assert_int_equal(ngx_olivine_stats_events(m.tx, events), 2);
    assert_int_equal(events[0].max, 999);

    for (i = 0; i < NGX_OLIVINE_STATS_SAMPLES; i++) {
        assert_true(events[0].samples[i].ms >= 840);
    }

    /* there is room for so many kinds, and no more */

    for (i = 0; i < 100; i++) {
        char  name[16];

        sprintf(name, "event-%d", (int) i);
        ngx_olivine_stats_event(m.tx, name, 1000, 1);
    }

    assert_int_equal(ngx_olivine_stats_events(m.tx, events),
                     NGX_OLIVINE_STATS_EVENTS);

    assert_int_equal(ngx_olivine_stats_forget(m.tx,
                              &(ngx_str_t) ngx_string("fork")), 1);
    assert_int_equal(ngx_olivine_stats_forget(m.tx,
                              &(ngx_str_t) ngx_string("fork")), 0);
    assert_int_equal(ngx_olivine_stats_events(m.tx, events),
                     NGX_OLIVINE_STATS_EVENTS - 1);
    assert_int_equal(ngx_olivine_stats_forget(m.tx, NULL),
                     NGX_OLIVINE_STATS_EVENTS - 1);

    free(events);
}


#define stats_test(name)                                                      \
    cmocka_unit_test_setup_teardown(name, setup, teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        stats_test(test_stats_number_names_once),
        stats_test(test_stats_bound_the_codes_of_errors),
        stats_test(test_stats_have_a_bucket_for_any_time),
        stats_test(test_stats_tell_percentiles),
        stats_test(test_stats_spill_a_bucket_that_is_full),
        stats_test(test_stats_outlive_workers),
        stats_test(test_stats_are_reset_for_all),
        stats_test(test_stats_keep_the_worst_of_a_second),
    };

    return unit_run(tests);
}
