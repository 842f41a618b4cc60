
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"
#include "store/ngx_olivine_snapshot.h"


static void
test_flushdb_leaves_other_databases(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a 1 b 2 c 3");
    (void) unit_reply(c, "select 1");
    (void) unit_reply(c, "mset a 1 b 2 c 3");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "flushdb"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "FLUSHDB");
    assert_string_equal(unit_reply(c, "dbsize"), ":0\r\n");
    assert_string_equal(unit_reply(c, "flushdb"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "");

    (void) unit_reply(c, "select 0");
    assert_string_equal(unit_reply(c, "dbsize"), ":3\r\n");
}


static void
test_flushall_leaves_nothing(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a 1 b 2 c 3");
    (void) unit_reply(c, "select 1");
    (void) unit_reply(c, "mset a 1 b 2 c 3");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "flushall async"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "FLUSHALL");
    assert_string_equal(unit_reply(c, "dbsize"), ":0\r\n");
    (void) unit_reply(c, "select 0");
    assert_string_equal(unit_reply(c, "dbsize"), ":0\r\n");
    assert_string_equal(unit_reply(c, "get a"), "$-1\r\n");
    assert_string_equal(unit_reply(c, "flushall x"),
                        "-ERR syntax error\r\n");
}


static void
test_flushall_ends_when_memory_is_free(void **state)
{
    unit_command_t  *c = *state;

    char        line[64];
    size_t      used;
    ngx_uint_t  i, round;

    static const char  *const how[] = { "flushall", "flushall sync",
                                        "flushdb sync", "flushdb" };

    ngx_olivine_cx_turn_us = 0;
    (void) unit_reply(c, "set k v");
    (void) unit_reply(c, "flushall");
    used = ngx_olivine_zone_used(c->z.zone);

    for (round = 0; round < 4; round++) {

        for (i = 0; i < 5000; i++) {
            sprintf(line, "set key:%d v", (int) i);
            (void) unit_reply(c, line);
            (void) unit_effect(c);
        }

        assert_true(ngx_olivine_zone_used(c->z.zone) > used + 100000);

        c->turns = 0;
        assert_string_equal(unit_reply(c, how[round]), "+OK\r\n");
        assert_true(c->turns > 10);
        assert_true(ngx_olivine_zone_used(c->z.zone) < used + 65536);
        assert_null(c->caller.later);

        for (i = 0; i < c->z.zone->nshards; i++) {
            assert_null(ngx_olivine_store_shard(c->z.zone, i)->detached);
        }

        /* detached but once, and told the log */

        assert_string_equal(unit_effect(c),
                            round < 2 ? "FLUSHALL" : "FLUSHDB");
    }

    ngx_olivine_cx_turn_us = 300;
}


static ngx_int_t
part_snapshot(ngx_olivine_tx_t *tx, void *data)
{
    return ngx_olivine_tx_lock_all(tx) == NGX_OK
           ? ngx_olivine_snapshot_begin_locked(tx) : NGX_AGAIN;
}


/* Tables that a snapshot is still to save are not in the way of a tick. */

static void
test_flushed_tables_wait_for_a_snapshot(void **state)
{
    unit_command_t  *c = *state;

    ngx_uint_t           i, more;
    ngx_olivine_zone_t  *zone;

    zone = c->z.zone;

    (void) unit_reply(c, "mset a 1 b 2 c 3 d 4 e 5 f 6 g 7 h 8");
    assert_int_equal(unit_tx(c->z.tx, part_snapshot, NULL), NGX_OK);
    assert_string_equal(unit_reply(c, "flushall"), "+OK\r\n");

    for (i = 0, more = 0; i < zone->nshards; i++) {
        more += (ngx_olivine_store_shard(zone, i)->detached != NULL);
        assert_int_equal(ngx_olivine_command_tick(&c->cx, i, 10),
                         NGX_DECLINED);
    }

    assert_true(more > 0);
}


static void
test_time_is_told_to_the_microsecond(void **state)
{
    unit_command_t  *c = *state;

    c->now += 1;

    assert_string_equal(unit_reply(c, "time"),
                        "*2\r\n$10\r\n1000000000\r\n$4\r\n1000\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_flushdb_leaves_other_databases),
        unit_command_test(test_flushall_leaves_nothing),
        unit_command_test(test_flushall_ends_when_memory_is_free),
        unit_command_test(test_flushed_tables_wait_for_a_snapshot),
        unit_command_test(test_time_is_told_to_the_microsecond),
    };

    return unit_run(tests);
}
