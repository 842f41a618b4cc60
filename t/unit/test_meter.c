
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static ngx_olivine_stat_t
count(unit_command_t *c, const char *name)
{
    ngx_str_t           s = { strlen(name), (u_char *) name };
    ngx_olivine_stat_t  sum;

    ngx_olivine_stats_sum(c->z.zone, ngx_olivine_stats_command(c->z.zone, &s),
                          &sum);
    return sum;
}


static uint64_t
errors(unit_command_t *c, const char *code)
{
    return ngx_olivine_stats_errors(c->z.zone,
               ngx_olivine_stats_code(c->z.zone, (u_char *) code,
                                      strlen(code)));
}


static uint64_t
times(unit_command_t *c, const char *name)
{
    uint64_t   hist[NGX_OLIVINE_STATS_BUCKETS];
    ngx_str_t  s = { strlen(name), (u_char *) name };

    return ngx_olivine_stats_times(c->z.zone,
                                   ngx_olivine_stats_command(c->z.zone, &s),
                                   hist);
}


static void
test_meter_counts_calls_and_what_becomes_of_them(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a b");
    (void) unit_reply(c, "set a");
    (void) unit_reply(c, "set a b nope");
    (void) unit_reply(c, "incr a");
    (void) unit_reply(c, "nope");
    (void) unit_reply(c, "client nope");
    (void) unit_reply(c, "client id");
    (void) unit_reply(c, "client id x");
    (void) unit_reply(c, "client");

    assert_int_equal(count(c, "set").calls, 2);
    assert_int_equal(count(c, "set").rejected, 1);
    assert_int_equal(count(c, "set").failed, 1);
    assert_true(count(c, "set").ns > 0);
    assert_int_equal(times(c, "set"), 2);

    assert_int_equal(count(c, "incr").calls, 1);
    assert_int_equal(count(c, "incr").failed, 1);

    assert_int_equal(count(c, "client|id").calls, 1);
    assert_int_equal(count(c, "client|id").rejected, 1);
    assert_int_equal(count(c, "client").calls, 0);
    assert_int_equal(count(c, "client").rejected, 1);

    assert_int_equal(errors(c, "ERR"), 7);
    assert_int_equal(c->z.tx->slot->counters.errors, 7);
    assert_int_equal(c->z.tx->slot->counters.commands, 9);
}


/* Commands of a batch that are timed together are counted one by one. */

static void
test_meter_times_fast_ones_together(void **state)
{
    unit_command_t  *c = *state;

    ngx_uint_t  i;

    ngx_olivine_meter_params(&c->cx.meter, &c->z.zone->params);
    ngx_olivine_meter_open(&c->cx);

    for (i = 0; i < 20; i++) {
        c->cx.meter.pace = 100;
        (void) unit_reply(c, "get a");
    }

    assert_true(c->cx.meter.max == 8 || c->cx.meter.max == 1);

    (void) unit_reply(c, "set a b");
    (void) unit_reply(c, "set a");
    (void) unit_reply(c, "set a c");
    (void) unit_reply(c, "get a");

    ngx_olivine_meter_close(&c->cx);

    assert_int_equal(count(c, "get").calls, 21);
    assert_int_equal(times(c, "get"), 21);
    assert_int_equal(count(c, "set").calls, 2);
    assert_int_equal(count(c, "set").rejected, 1);
    assert_int_equal(c->cx.meter.n, 0);
    assert_int_equal(c->z.tx->slot->counters.commands, 24);
}


/* Of several timed together the one that was slow gets what is too much. */

static void
test_meter_finds_the_odd_one(void **state)
{
    unit_command_t  *c = *state;

    uint64_t    hist[NGX_OLIVINE_STATS_BUCKETS];
    ngx_str_t   get = ngx_string("get");
    ngx_uint_t  i, slow;

    c->z.zone->params.slowlog_log_slower_than = 2000;
    ngx_olivine_meter_params(&c->cx.meter, &c->z.zone->params);
    ngx_olivine_meter_open(&c->cx);

    (void) unit_reply(c, "get a");

    c->cx.meter.max = 8;
    c->cx.meter.pace = 100;

    for (i = 0; i < 8; i++) {

        if (i == 3) {
            usleep(5000);
        }

        (void) unit_reply(c, "get a");
    }

    ngx_olivine_meter_close(&c->cx);

    assert_int_equal(ngx_olivine_stats_times(c->z.zone,
                         ngx_olivine_stats_command(c->z.zone, &get), hist), 9);

    slow = 0;

    for (i = ngx_olivine_stats_bucket(4000000); i < 256; i++) {
        slow += hist[i];
    }

    assert_int_equal(slow, 1);
    assert_int_equal(ngx_olivine_slowlog_len(c->z.tx,
                                             NGX_OLIVINE_SLOWLOG_SLOW), 1);
}


/* A transaction that is undone and run again counts once. */

static void
test_meter_counts_a_transaction_once(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a b");
    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "set x 1");
    (void) unit_reply(c, "incr a");
    (void) unit_reply(c, "set y 1");
    (void) unit_reply(c, "dbsize");            /* it walks: run again */

    assert_int_equal(count(c, "set").calls, 1);

    (void) unit_reply(c, "exec");

    assert_int_equal(count(c, "multi").calls, 1);
    assert_int_equal(count(c, "set").calls, 3);
    assert_int_equal(count(c, "incr").calls, 1);
    assert_int_equal(count(c, "incr").failed, 1);
    assert_int_equal(count(c, "exec").calls, 1);
    assert_int_equal(count(c, "exec").failed, 0);
    assert_true(count(c, "exec").ns >= count(c, "incr").ns);
    assert_int_equal(errors(c, "ERR"), 1);
    assert_int_equal(c->z.tx->slot->counters.commands, 7);

    /* nothing of one that is not run */

    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "set");
    (void) unit_reply(c, "set x 2");
    (void) unit_reply(c, "exec");

    assert_int_equal(count(c, "set").calls, 3);
    assert_int_equal(count(c, "set").rejected, 1);
    assert_int_equal(count(c, "exec").calls, 2);
    assert_int_equal(count(c, "exec").failed, 1);
    assert_int_equal(errors(c, "EXECABORT"), 1);
}


static void
test_meter_hides_secrets(void **state)
{
    unit_command_t  *c = *state;

    const char  *log;

    c->z.zone->params.slowlog_log_slower_than = 0;
    ngx_olivine_meter_params(&c->cx.meter, &c->z.zone->params);

    (void) unit_reply(c, "config set requirepass geheim");
    (void) unit_reply(c, "auth geheim");
    (void) unit_reply(c, "auth default geheim");
    (void) unit_reply(c, "hello 3 auth default geheim");
    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "auth geheim");
    (void) unit_reply(c, "exec");

    log = unit_reply(c, "slowlog get");

    assert_null(strstr(log, "geheim"));
    assert_non_null(strstr(log, "requirepass"));
    assert_non_null(strstr(log, "(redacted)"));
    assert_non_null(strstr(log, "hello"));
    assert_null(strstr(log, "exec"));
}


static void
test_meter_trims_arguments(void **state)
{
    unit_command_t  *c = *state;

    char         line[4000], *p;
    ngx_uint_t   i;
    const char  *log;

    c->z.zone->params.slowlog_log_slower_than = 0;
    ngx_olivine_meter_params(&c->cx.meter, &c->z.zone->params);

    p = line + sprintf(line, "exists");

    for (i = 1; i < 40; i++) {
        p += sprintf(p, " %lu", i);
    }

    (void) unit_reply(c, line);
    log = unit_reply(c, "slowlog get 1");

    assert_non_null(strstr(log, "*32\r\n"));
    assert_non_null(strstr(log, "$2\r\n30\r\n"
                           "$22\r\n... (9 more arguments)\r\n"));

    sprintf(line, "get %0200d", 7);
    (void) unit_reply(c, line);
    log = unit_reply(c, "slowlog get 1");

    assert_non_null(strstr(log, "00... (72 more bytes)\r\n"));
    assert_non_null(strstr(log, "*6\r\n:2\r\n"));
}


static void
test_meter_keeps_no_histogram_if_it_is_not_to(void **state)
{
    unit_command_t  *c = *state;

    c->z.zone->params.latency_tracking = 0;
    ngx_olivine_meter_params(&c->cx.meter, &c->z.zone->params);

    (void) unit_reply(c, "set a b");

    assert_int_equal(count(c, "set").calls, 1);
    assert_int_equal(times(c, "set"), 0);
    assert_string_equal(unit_reply(c, "latency histogram set"), "*0\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_meter_counts_calls_and_what_becomes_of_them),
        unit_command_test(test_meter_times_fast_ones_together),
        unit_command_test(test_meter_finds_the_odd_one),
        unit_command_test(test_meter_counts_a_transaction_once),
        unit_command_test(test_meter_hides_secrets),
        unit_command_test(test_meter_trims_arguments),
        unit_command_test(test_meter_keeps_no_histogram_if_it_is_not_to),
    };

    return unit_run(tests);
}
