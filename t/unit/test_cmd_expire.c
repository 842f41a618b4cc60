
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
test_expire_is_logged_as_a_time(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "expire k 10"), ":1\r\n");
    assert_string_equal(unit_effect(c), "PEXPIREAT k 1000000010000");
    assert_string_equal(unit_reply(c, "pexpire k 10"), ":1\r\n");
    assert_string_equal(unit_effect(c), "PEXPIREAT k 1000000000010");
    assert_string_equal(unit_reply(c, "expireat k 1000000001"), ":1\r\n");
    assert_string_equal(unit_effect(c), "PEXPIREAT k 1000000001000");
    assert_string_equal(unit_reply(c, "pexpireat k 1000000000999"), ":1\r\n");
    assert_string_equal(unit_effect(c), "PEXPIREAT k 1000000000999");
    assert_string_equal(unit_reply(c, "pttl k"), ":999\r\n");
}


static void
test_expire_into_the_past_removes(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a 1 b 2");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "expire a 0"), ":1\r\n");
    assert_string_equal(unit_effect(c), "DEL a");
    assert_string_equal(unit_reply(c, "pexpireat b 1000000000000"), ":1\r\n");
    assert_string_equal(unit_effect(c), "DEL b");
    assert_string_equal(unit_reply(c, "expire a -1"), ":0\r\n");
    assert_string_equal(unit_effect(c), "");
    assert_string_equal(unit_reply(c, "dbsize"), ":0\r\n");
}


static void
test_expire_that_loses_its_condition_logs_nothing(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "expire k 10 xx"), ":0\r\n");
    assert_string_equal(unit_reply(c, "expire k 10 gt"), ":0\r\n");
    assert_string_equal(unit_reply(c, "expire x 10"), ":0\r\n");
    assert_string_equal(unit_effect(c), "");

    assert_string_equal(unit_reply(c, "expire k 10 lt"), ":1\r\n");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "expire k 9 gt"), ":0\r\n");
    assert_string_equal(unit_reply(c, "expire k 10 gt"), ":0\r\n");
    assert_string_equal(unit_reply(c, "expire k 10 lt"), ":0\r\n");
    assert_string_equal(unit_reply(c, "expire k 20 nx"), ":0\r\n");
    assert_string_equal(unit_effect(c), "");
    assert_string_equal(unit_reply(c, "expire k 11 gt xx"), ":1\r\n");
}


static void
test_times_that_do_not_fit_are_refused(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v");

    assert_string_equal(unit_reply(c, "expire k 9223372036854775"),
                   "-ERR invalid expire time in 'expire' command\r\n");
    assert_string_equal(unit_reply(c, "pexpire k 9223372036854775807"),
                   "-ERR invalid expire time in 'pexpire' command\r\n");
    assert_string_equal(unit_reply(c, "pexpireat k 9223372036854775807"),
                        ":1\r\n");
    assert_string_equal(unit_reply(c, "expiretime k"),
                        ":9223372036854776\r\n");
}


static void
test_times_left_are_rounded_to_seconds(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v px 1500");
    assert_string_equal(unit_reply(c, "ttl k"), ":2\r\n");

    c->now += 1;
    assert_string_equal(unit_reply(c, "ttl k"), ":1\r\n");

    c->now += 1499;
    assert_string_equal(unit_reply(c, "ttl k"), ":-2\r\n");
}


static void
test_persist_is_logged_once(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v px 1500");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "persist k"), ":1\r\n");
    assert_string_equal(unit_effect(c), "persist k");
    assert_string_equal(unit_reply(c, "persist k"), ":0\r\n");
    assert_string_equal(unit_effect(c), "");
    assert_string_equal(unit_reply(c, "ttl k"), ":-1\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_expire_is_logged_as_a_time),
        unit_command_test(test_expire_into_the_past_removes),
        unit_command_test(test_expire_that_loses_its_condition_logs_nothing),
        unit_command_test(test_times_that_do_not_fit_are_refused),
        unit_command_test(test_times_left_are_rounded_to_seconds),
        unit_command_test(test_persist_is_logged_once),
    };

    return unit_run(tests);
}
