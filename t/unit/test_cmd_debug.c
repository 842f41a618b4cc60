
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
allow(unit_command_t *c)
{
    c->z.zone->params.enable_debug_command = NGX_OLIVINE_DEBUG_YES;
}


static void
test_debug_is_for_whom_it_is_allowed(void **state)
{
    unit_command_t  *c = *state;

    assert_memory_equal(unit_reply(c, "debug digest"),
                        "-ERR DEBUG command not allowed.", 31);

    c->z.zone->params.enable_debug_command = NGX_OLIVINE_DEBUG_LOCAL;

    assert_memory_equal(unit_reply(c, "debug digest"),
                        "-ERR DEBUG command not allowed.", 31);

    c->caller.local = 1;

    assert_string_equal(unit_reply(c, "debug audit"), "+OK\r\n");
}


/* the digests are those of Redis 8.0.6 */

static void
test_digests_are_those_of_redis(void **state)
{
    unit_command_t  *c = *state;

    allow(c);

    assert_string_equal(unit_reply(c, "debug digest"),
                        "+0000000000000000000000000000000000000000\r\n");

    (void) unit_reply(c, "set k v");

    assert_string_equal(unit_reply(c, "debug digest"),
                        "+264ccf65edec66bccfa7cc659414ccca432057d2\r\n");

    (void) unit_reply(c, "set k2 v");

    assert_string_equal(unit_reply(c, "debug digest"),
                        "+e57cffc7654d72a1af6bcb19c4b97f24cc516c1c\r\n");

    (void) unit_reply(c, "select 1");
    (void) unit_reply(c, "set k v");

    assert_string_equal(unit_reply(c, "debug digest"),
                        "+1da75c349da0c1dbff5e9bc34119f04e7028135e\r\n");
}


static void
test_sleep_raises_the_gate_until_its_time(void **state)
{
    unit_command_t  *c = *state;

    ngx_olivine_caller_t  other;

    allow(c);
    (void) unit_reply(c, "set k v");

    assert_string_equal(unit_reply(c, "debug sleep 1.5"), "");
    assert_int_equal(c->rc, NGX_AGAIN);
    assert_int_equal(c->cx.park, NGX_OLIVINE_PARK_TIMER);
    assert_true(c->cx.until == c->now + 1500);
    assert_true(c->z.zone->gate.word != 0);

    /* another client of the same worker */

    other = c->caller;
    other.sleep_until = 0;
    c->cx.caller = &other;

    assert_string_equal(unit_reply(c, "get k"), "");
    assert_int_equal(c->cx.park, NGX_OLIVINE_PARK_GATE);
    assert_string_equal(unit_reply(c, "debug sleep 1"), "");
    assert_int_equal(c->cx.park, NGX_OLIVINE_PARK_GATE);
    assert_string_equal(unit_reply(c, "debug digest"), "");
    assert_int_equal(c->cx.park, NGX_OLIVINE_PARK_GATE);
    assert_string_equal(unit_reply(c, "ping"), "+PONG\r\n");

    c->cx.caller = &c->caller;
    c->now += 1499;

    assert_string_equal(unit_reply(c, "debug sleep 1.5"), "");
    assert_int_equal(c->cx.park, NGX_OLIVINE_PARK_TIMER);

    c->now += 1;

    assert_string_equal(unit_reply(c, "debug sleep 1.5"), "+OK\r\n");
    assert_true(c->z.zone->gate.word == 0);
    assert_string_equal(unit_reply(c, "get k"), "$1\r\nv\r\n");
}


static void
test_sleep_for_no_time_is_none(void **state)
{
    unit_command_t  *c = *state;

    allow(c);

    assert_string_equal(unit_reply(c, "debug sleep 0"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "debug sleep -1"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "debug sleep x"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "debug sleep 0.0001"), "+OK\r\n");
}


static void
test_object_tells_how_a_value_is_kept(void **state)
{
    unit_command_t  *c = *state;

    allow(c);

    (void) unit_reply(c, "mset i 12345 e hello r "
                      "12345678901234567890123456789012345678901234567890");

    assert_non_null(strstr(unit_reply(c, "debug object i"),
                           "encoding:int serializedlength:3 "));
    assert_non_null(strstr(unit_reply(c, "debug object e"),
                           "encoding:embstr serializedlength:6 "));
    assert_non_null(strstr(unit_reply(c, "debug object r"),
                           "encoding:raw serializedlength:51 "));
    assert_string_equal(unit_reply(c, "debug object x"),
                        "-ERR no such key\r\n");

    c->now += 5000;

    assert_non_null(strstr(unit_reply(c, "debug object i"),
                           " lru_seconds_idle:5\r\n"));
}


static void
test_active_expiry_can_be_held(void **state)
{
    unit_command_t  *c = *state;

    allow(c);

    assert_string_equal(unit_reply(c, "debug set-active-expire 0"),
                        "+OK\r\n");
    assert_int_equal(c->z.zone->no_expire, 1);
    assert_string_equal(unit_reply(c, "debug set-active-expire 1"),
                        "+OK\r\n");
    assert_int_equal(c->z.zone->no_expire, 0);
}


static void
test_populate_goes_on_where_it_was(void **state)
{
    unit_command_t  *c = *state;

    uint64_t  turn_us;

    allow(c);

    (void) unit_reply(c, "set key:7 kept");

    /* one key a turn */

    turn_us = ngx_olivine_cx_turn_us;
    ngx_olivine_cx_turn_us = 0;

    assert_string_equal(unit_reply(c, "debug populate 2000"), "+OK\r\n");

    ngx_olivine_cx_turn_us = turn_us;

    assert_null(c->caller.later);
    assert_string_equal(unit_reply(c, "dbsize"), ":2000\r\n");
    assert_string_equal(unit_reply(c, "get key:7"), "$4\r\nkept\r\n");
    assert_string_equal(unit_reply(c, "get key:1999"),
                        "$10\r\nvalue:1999\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_debug_is_for_whom_it_is_allowed),
        unit_command_test(test_digests_are_those_of_redis),
        unit_command_test(test_sleep_raises_the_gate_until_its_time),
        unit_command_test(test_sleep_for_no_time_is_none),
        unit_command_test(test_object_tells_how_a_value_is_kept),
        unit_command_test(test_active_expiry_can_be_held),
        unit_command_test(test_populate_goes_on_where_it_was),
    };

    return unit_run(tests);
}
