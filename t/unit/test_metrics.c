
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"

#include "http/ngx_olivine_metrics.h"


static ngx_olivine_buffer_t  test_buffer;


/* the whole text, zero-terminated */

static const char *
test_metrics_text(unit_command_t *c)
{
    u_char  *p;

    test_buffer.len = 0;

    assert_int_equal(ngx_olivine_metrics(c->z.tx, c->now, &test_buffer),
                     NGX_OK);

    p = ngx_olivine_buffer_room(&test_buffer, 1);
    assert_non_null(p);
    *p = '\0';

    return (char *) test_buffer.data;
}


static int
test_metrics_teardown(void **state)
{
    ngx_olivine_buffer_free(&test_buffer);

    return unit_command_teardown(state);
}


static void
test_metrics_has(const char *text, const char *line)
{
    char         whole[512];
    const char  *p;

    snprintf(whole, sizeof(whole), "\n%s\n", line);

    p = strstr(text, whole);

    if (p == NULL) {
        fail_msg("not there: %s", line);
    }
}


static void
test_metrics_tell_what_info_tells(void **state)
{
    unit_command_t  *c = *state;

    const char  *text;

    (void) unit_reply(c, "set k v");
    (void) unit_reply(c, "set l v ex 100");
    (void) unit_reply(c, "get k");
    (void) unit_reply(c, "get none");
    (void) unit_reply(c, "nope");

    c->z.tx->slot->clients = 3;
    c->z.tx->slot->longest_turn = 17;
    c->z.tx->slot->counters.turns = 5;
    c->z.tx->slot->counters.turns_ns = 1500000001;

    text = test_metrics_text(c);

    test_metrics_has(text, "# HELP redis_connected_clients Clients that are "
                     "connected.\n# TYPE redis_connected_clients gauge\n"
                     "redis_connected_clients 3");
    test_metrics_has(text, "redis_uptime_in_seconds 1");
    test_metrics_has(text, "redis_start_time_seconds 999999999");
    test_metrics_has(text, "redis_keyspace_hits_total 1");
    test_metrics_has(text, "redis_keyspace_misses_total 1");
    test_metrics_has(text, "redis_db_keys{db=\"db0\"} 2");
    test_metrics_has(text, "redis_db_keys_expiring{db=\"db0\"} 1");
    test_metrics_has(text, "redis_errors_total{err=\"ERR\"} 1");
    test_metrics_has(text, "olivine_longest_turn_seconds 0.000017");
    test_metrics_has(text, "olivine_loop_seconds_total 1.500000001");
    test_metrics_has(text, "redis_slowlog_last_id -1");
    test_metrics_has(text, "redis_rdb_last_bgsave_duration_seconds -1");
    test_metrics_has(text, "olivine_writes_refused{why=\"aof\"} 0");
}


static void
test_metrics_have_a_sample_for_each_shard(void **state)
{
    unit_command_t  *c = *state;

    char         line[64];
    ngx_uint_t   i, sum;
    const char  *text, *p;

    (void) unit_reply(c, "mset a 1 b 2 c 3 d 4 e 5");

    text = test_metrics_text(c);
    sum = 0;

    for (i = 0; i < 4; i++) {
        snprintf(line, sizeof(line), "olivine_shard_keys{shard=\"%d\"} ",
                 (int) i);
        p = strstr(text, line);
        assert_non_null(p);
        sum += atoi(p + strlen(line));
    }

    assert_int_equal(sum, 5);
    assert_null(strstr(text, "olivine_shard_keys{shard=\"4\"}"));
}


static void
test_metrics_coarsen_histograms(void **state)
{
    unit_command_t  *c = *state;

    uint32_t    *hist;
    ngx_int_t    n;
    ngx_str_t    name = ngx_string("get");
    const char  *text;

    n = ngx_olivine_stats_command(c->z.zone, &name);
    hist = ngx_olivine_stats_histogram(c->z.tx, n);
    assert_non_null(hist);

    hist[ngx_olivine_stats_bucket(90)] = 1;
    hist[ngx_olivine_stats_bucket(900)] = 10;
    hist[ngx_olivine_stats_bucket(2000000)] = 100;
    hist[NGX_OLIVINE_STATS_BUCKETS - 1] = 1000;

    text = test_metrics_text(c);

    test_metrics_has(text, "olivine_command_duration_seconds_bucket"
                     "{cmd=\"get\",le=\"1e-07\"} 1");
    test_metrics_has(text, "olivine_command_duration_seconds_bucket"
                     "{cmd=\"get\",le=\"5e-07\"} 1");
    test_metrics_has(text, "olivine_command_duration_seconds_bucket"
                     "{cmd=\"get\",le=\"1e-06\"} 11");
    test_metrics_has(text, "olivine_command_duration_seconds_bucket"
                     "{cmd=\"get\",le=\"0.001\"} 11");
    test_metrics_has(text, "olivine_command_duration_seconds_bucket"
                     "{cmd=\"get\",le=\"0.005\"} 111");
    test_metrics_has(text, "olivine_command_duration_seconds_bucket"
                     "{cmd=\"get\",le=\"5\"} 111");
    test_metrics_has(text, "olivine_command_duration_seconds_bucket"
                     "{cmd=\"get\",le=\"+Inf\"} 1111");
    test_metrics_has(text, "olivine_command_duration_seconds_count"
                     "{cmd=\"get\"} 1111");
}


static void
test_metrics_escape_labels(void **state)
{
    unit_command_t  *c = *state;

    u_char       code[] = "A\"B\\C\nD\x80";
    const char  *text;

    ngx_olivine_stats_error(c->z.tx,
                            ngx_olivine_stats_code(c->z.zone, code, 8), 3);

    text = test_metrics_text(c);

    test_metrics_has(text, "redis_errors_total{err=\"A\\\"B\\\\C\\nD?\"} 3");
}


static void
test_metrics_count_nothing_after_a_reset(void **state)
{
    unit_command_t  *c = *state;

    const char  *text;

    c->z.tx->slot->counters.turns = 5;
    c->z.tx->slot->clients = 3;

    /* another worker's CONFIG RESETSTAT, that this one has not met */

    c->z.zone->stats_epoch++;

    text = test_metrics_text(c);

    assert_non_null(strstr(text, "\nolivine_worker_turns_total{slot=\"0\""));
    assert_non_null(strstr(text, "\nolivine_loop_turns_total 0\n"));
    assert_null(strstr(text, "\"} 5\n"));
    assert_non_null(strstr(text, "\"} 3\n"));
}


/* The rows of the table, as those who add one should write them. */

static void
test_metrics_are_named_by_the_rules(void **state)
{
    size_t                       len;
    ngx_uint_t                   counter;
    const ngx_olivine_metric_t  *row, *other;

    for (row = ngx_olivine_metrics_table; row->name; row++) {

        len = strlen(row->name);
        counter = len > 6 && strcmp(row->name + len - 6, "_total") == 0;

        assert_true(strncmp(row->name, "redis_", 6) == 0
                    || strncmp(row->name, "olivine_", 8) == 0);
        assert_int_equal(counter, strcmp(row->type, "counter") == 0);
        assert_non_null(row->help);
        assert_true(row->help[strlen(row->help) - 1] != '.');
        assert_true(row->size == 0 || row->size == 4 || row->size == 8);

        for (other = row + 1; other->name; other++) {
            assert_string_not_equal(row->name, other->name);
        }
    }
}


#define test_metrics_test(test)                                               \
    cmocka_unit_test_setup_teardown(test, unit_command_setup,                 \
                                    test_metrics_teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        test_metrics_test(test_metrics_tell_what_info_tells),
        test_metrics_test(test_metrics_have_a_sample_for_each_shard),
        test_metrics_test(test_metrics_coarsen_histograms),
        test_metrics_test(test_metrics_escape_labels),
        test_metrics_test(test_metrics_count_nothing_after_a_reset),
        cmocka_unit_test(test_metrics_are_named_by_the_rules),
    };

    return unit_run(tests);
}
