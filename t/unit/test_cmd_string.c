
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
test_set_and_get(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "get k"), "$-1\r\n");
    assert_string_equal(unit_reply(c, "set k one"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; set k one");
    assert_string_equal(unit_reply(c, "GET k"), "$3\r\none\r\n");
    assert_string_equal(unit_effect(c), "");
}


static void
test_a_change_of_database_is_a_select_in_the_log(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "set k one"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "select 2"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "set k two"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "set l two"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; set k one; "
                        "SELECT 2; set k two; set l two");
}


static void
test_set_logs_its_expiry_as_a_time(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k 0");
    (void) unit_effect(c);

    (void) unit_reply(c, "set k v ex 10");
    assert_string_equal(unit_effect(c), "SET k v PXAT 1000000010000");

    (void) unit_reply(c, "set k v px 10 get xx");
    assert_string_equal(unit_effect(c), "SET k v PXAT 1000000000010");

    (void) unit_reply(c, "set k v exat 1000000001");
    assert_string_equal(unit_effect(c), "SET k v PXAT 1000000001000");

    (void) unit_reply(c, "set k w keepttl");
    assert_string_equal(unit_effect(c), "SET k w PXAT 1000000001000");

    (void) unit_reply(c, "set k w get");
    assert_string_equal(unit_effect(c), "SET k w");

    (void) unit_reply(c, "set k w keepttl");
    assert_string_equal(unit_effect(c), "SET k w");
}


static void
test_set_that_loses_its_condition_logs_nothing(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "set k w nx"), "$-1\r\n");
    assert_string_equal(unit_reply(c, "set l w xx"), "$-1\r\n");
    assert_string_equal(unit_reply(c, "set k w ifeq w"), "$-1\r\n");
    assert_string_equal(unit_reply(c, "set k w ifne v get"), "$1\r\nv\r\n");
    assert_string_equal(unit_effect(c), "");
}


static void
test_set_with_an_expiry_that_is_past_removes(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "set k v pxat 5"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "");

    (void) unit_reply(c, "set k v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "set k w pxat 1000000000000 get"),
                        "$1\r\nv\r\n");
    assert_string_equal(unit_effect(c), "DEL k");
    assert_string_equal(unit_reply(c, "dbsize"), ":0\r\n");
}


static void
test_an_error_takes_back_what_was_replied(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "set k w get ifdeq 12"),
                        "-ERR must be exactly 16 hexadecimal characters\r\n");
    assert_string_equal(unit_reply(c, "get k"), "$1\r\nv\r\n");
    assert_string_equal(unit_effect(c), "");
}


static void
test_a_digest_is_compared_in_any_case(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k 'Hello world'");

    assert_string_equal(unit_reply(c, "set k a ifdne b6acb9d84a38ff74"),
                        "$-1\r\n");
    assert_string_equal(unit_reply(c, "set k a ifdeq B6ACB9D84A38FF74"),
                        "+OK\r\n");
}


static void
test_a_key_past_its_time_leaves_with_a_del(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v px 10");
    (void) unit_effect(c);

    c->now += 9;
    assert_string_equal(unit_reply(c, "get k"), "$1\r\nv\r\n");

    c->now += 1;
    assert_string_equal(unit_reply(c, "get k"), "$-1\r\n");
    assert_string_equal(unit_effect(c), "");

    assert_string_equal(unit_reply(c, "append k w"), ":1\r\n");
    assert_string_equal(unit_effect(c), "MULTI; DEL k; append k w; EXEC");
}


static void
test_getex_logs_only_what_changed(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "getex k"), "$1\r\nv\r\n");
    assert_string_equal(unit_reply(c, "getex k persist"), "$1\r\nv\r\n");
    assert_string_equal(unit_reply(c, "getex l ex 10"), "$-1\r\n");
    assert_string_equal(unit_effect(c), "");

    (void) unit_reply(c, "getex k ex 10");
    assert_string_equal(unit_effect(c), "PEXPIREAT k 1000000010000");

    (void) unit_reply(c, "getex k persist");
    assert_string_equal(unit_effect(c), "PERSIST k");

    assert_string_equal(unit_reply(c, "getex k pxat 1"), "$1\r\nv\r\n");
    assert_string_equal(unit_effect(c), "DEL k");
}


static void
test_getdel_logs_a_del(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set k v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "getdel k"), "$1\r\nv\r\n");
    assert_string_equal(unit_effect(c), "DEL k");
    assert_string_equal(unit_reply(c, "getdel k"), "$-1\r\n");
    assert_string_equal(unit_effect(c), "");
}


static void
test_numbers_are_logged_as_they_were_asked_for(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "incr n"), ":1\r\n");
    assert_string_equal(unit_reply(c, "incrby n 41"), ":42\r\n");
    assert_string_equal(unit_reply(c, "decr n"), ":41\r\n");
    assert_string_equal(unit_reply(c, "decrby n 42"), ":-1\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; incr n; incrby n 41; "
                        "decr n; decrby n 42");

    (void) unit_reply(c, "set n 9223372036854775807");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "incr n"),
                        "-ERR increment or decrement would overflow\r\n");
    assert_string_equal(unit_reply(c, "decrby n -9223372036854775808"),
                        "-ERR decrement would overflow\r\n");
    assert_string_equal(unit_effect(c), "");
}


static void
test_a_number_keeps_its_expiry(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set n 1 px 500");
    (void) unit_reply(c, "incr n");

    assert_string_equal(unit_reply(c, "pttl n"), ":500\r\n");
}


static void
test_mset_sets_all_or_nothing(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "mset a 1 b"),
               "-ERR wrong number of arguments for 'mset' command\r\n");
    assert_string_equal(unit_reply(c, "mset a 1 b 2 a 3"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; mset a 1 b 2 a 3");
    assert_string_equal(unit_reply(c, "mget a b x a"),
                      "*4\r\n$1\r\n3\r\n$1\r\n2\r\n$-1\r\n$1\r\n3\r\n");
}


static void
test_append_stops_at_the_longest_string(void **state)
{
    unit_command_t  *c = *state;

    c->z.zone->params.proto_max_bulk_len = 5;

    assert_string_equal(unit_reply(c, "append k abc"), ":3\r\n");
    assert_string_equal(unit_reply(c, "append k de"), ":5\r\n");
    assert_string_equal(unit_reply(c, "append k f"),
                        "-ERR string exceeds maximum allowed size "
                        "(proto-max-bulk-len)\r\n");
    assert_string_equal(unit_reply(c, "get k"), "$5\r\nabcde\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_set_and_get),
        unit_command_test(test_a_change_of_database_is_a_select_in_the_log),
        unit_command_test(test_set_logs_its_expiry_as_a_time),
        unit_command_test(test_set_that_loses_its_condition_logs_nothing),
        unit_command_test(test_set_with_an_expiry_that_is_past_removes),
        unit_command_test(test_an_error_takes_back_what_was_replied),
        unit_command_test(test_a_digest_is_compared_in_any_case),
        unit_command_test(test_a_key_past_its_time_leaves_with_a_del),
        unit_command_test(test_getex_logs_only_what_changed),
        unit_command_test(test_getdel_logs_a_del),
        unit_command_test(test_numbers_are_logged_as_they_were_asked_for),
        unit_command_test(test_a_number_keeps_its_expiry),
        unit_command_test(test_mset_sets_all_or_nothing),
        unit_command_test(test_append_stops_at_the_longest_string),
    };

    return unit_run(tests);
}
