
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


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
        unit_command_test(test_time_is_told_to_the_microsecond),
    };

    return unit_run(tests);
}
