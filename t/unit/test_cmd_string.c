
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


static void
test_setex_and_its_like_are_logged_as_set(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "setex k 10 v"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "psetex k 10 v"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "setnx k w"), ":0\r\n");
    assert_string_equal(unit_reply(c, "setnx l w"), ":1\r\n");
    assert_string_equal(unit_reply(c, "getset k x"), "$1\r\nv\r\n");
    assert_string_equal(unit_reply(c, "ttl k"), ":-1\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; SET k v PXAT 1000000010000; "
                        "SET k v PXAT 1000000000010; SET l w; SET k x");

    assert_string_equal(unit_reply(c, "setex k 0 v"),
                        "-ERR invalid expire time in 'setex' command\r\n");
    assert_string_equal(unit_effect(c), "");
}


static void
test_setrange_is_logged_as_it_is(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "setrange k 2 ''"), ":0\r\n");
    assert_string_equal(unit_reply(c, "set k Hello"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "setrange k 4 ''"), ":5\r\n");
    assert_string_equal(unit_reply(c, "setrange k 4 ow"), ":6\r\n");
    assert_string_equal(unit_reply(c, "get k"), "$6\r\nHellow\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; set k Hello; "
                        "setrange k 4 ow");

    c->z.zone->params.proto_max_bulk_len = 8;

    assert_string_equal(unit_reply(c, "setrange k 8 x"),
                        "-ERR string exceeds maximum allowed size "
                        "(proto-max-bulk-len)\r\n");
    assert_string_equal(unit_reply(c, "setrange k 7 x"), ":8\r\n");
}


static void
test_incrbyfloat_logs_the_sum(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "set n 10.5 px 500"), "+OK\r\n");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "incrbyfloat n 0.1"),
                        "$4\r\n10.6\r\n");
    assert_string_equal(unit_reply(c, "pttl n"), ":500\r\n");
    assert_string_equal(unit_reply(c, "incrbyfloat m -5"), "$2\r\n-5\r\n");
    assert_string_equal(unit_reply(c, "incrbyfloat n x"),
                        "-ERR value is not a valid float\r\n");
    assert_string_equal(unit_effect(c), "SET n 10.6 KEEPTTL; "
                        "SET m -5 KEEPTTL");
}


static void
test_msetnx_and_msetex_are_one_transaction(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "msetnx a 1 b 2"), ":1\r\n");
    assert_string_equal(unit_reply(c, "msetnx b 1 c 2"), ":0\r\n");
    assert_string_equal(unit_effect(c),
                        "SELECT 0; MULTI; SET a 1; SET b 2; EXEC");

    assert_string_equal(unit_reply(c, "msetex 2 a 3 c 4 xx ex 10"),
                        ":0\r\n");
    assert_string_equal(unit_reply(c, "msetex 2 a 3 b 4 xx ex 10"),
                        ":1\r\n");
    assert_string_equal(unit_effect(c),
                        "MULTI; SET a 3 PXAT 1000000010000; "
                        "SET b 4 PXAT 1000000010000; EXEC");

    assert_string_equal(unit_reply(c, "msetex 2 a 5 c 6 keepttl"), ":1\r\n");
    assert_string_equal(unit_effect(c),
                        "MULTI; SET a 5 PXAT 1000000010000; SET c 6; EXEC");

    assert_string_equal(unit_reply(c, "msetex 2 a 5 c 6 pxat 1"), ":1\r\n");
    assert_string_equal(unit_effect(c), "MULTI; DEL a; DEL c; EXEC");

    assert_string_equal(unit_reply(c, "msetex 3 a 1 b 2"),
                        "-ERR syntax error\r\n");
    assert_string_equal(unit_reply(c, "msetex 0 a 1"),
                        "-ERR invalid numkeys value or out of range\r\n");
    assert_string_equal(unit_effect(c), "");
}


static void
test_delex_is_logged_as_del(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a 1 b 2 c 3 d 4");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "delex a ifeq 2"), ":0\r\n");
    assert_string_equal(unit_reply(c, "delex a ifne 1"), ":0\r\n");
    assert_string_equal(unit_reply(c, "delifeq a 2"), ":0\r\n");
    assert_string_equal(unit_effect(c), "");

    assert_string_equal(unit_reply(c, "delex a"), ":1\r\n");
    assert_string_equal(unit_reply(c, "delex b ifeq 2"), ":1\r\n");
    assert_string_equal(unit_reply(c, "delex c ifdne 0123456789abcdef"),
                        ":1\r\n");
    assert_string_equal(unit_reply(c, "delifeq d 4"), ":1\r\n");
    assert_string_equal(unit_effect(c), "DEL a; DEL b; DEL c; DEL d");
}


static void
test_increx_is_logged_as_set(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "increx n"), "*2\r\n:1\r\n:1\r\n");
    assert_string_equal(unit_reply(c, "increx n byint 9 ubound 9"),
                        "*2\r\n:1\r\n:0\r\n");
    assert_string_equal(unit_reply(c, "increx n byint 9 ubound 9 saturate "
                                   "ex 10"),
                        "*2\r\n:9\r\n:8\r\n");
    assert_string_equal(unit_reply(c, "increx n byfloat 0.5 ex 20 enx"),
                        "*2\r\n$3\r\n9.5\r\n$3\r\n0.5\r\n");
    assert_string_equal(unit_reply(c, "increx n byfloat 0.5 persist"),
                        "*2\r\n$2\r\n10\r\n$3\r\n0.5\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; SET n 1 KEEPTTL; "
                        "SET n 9 PXAT 1000000010000; SET n 9.5 KEEPTTL; "
                        "SET n 10");

    assert_string_equal(unit_reply(c, "increx n pxat 1"),
                        "*2\r\n:11\r\n:1\r\n");
    assert_string_equal(unit_effect(c), "DEL n");
    assert_string_equal(unit_reply(c, "increx n pxat 1"),
                        "*2\r\n:1\r\n:1\r\n");
    assert_string_equal(unit_effect(c), "");
    assert_string_equal(unit_reply(c, "exists n"), ":0\r\n");
}


static void
test_lcs_of_nothing_is_nothing(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a ohmytext b mynewtext c 123");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "lcs a b"), "$6\r\nmytext\r\n");
    assert_string_equal(unit_reply(c, "lcs a b len"), ":6\r\n");
    assert_string_equal(unit_reply(c, "lcs a c"), "$0\r\n\r\n");
    assert_string_equal(unit_reply(c, "lcs a none"), "$0\r\n\r\n");
    assert_string_equal(unit_reply(c, "lcs none none len"), ":0\r\n");
    assert_string_equal(unit_reply(c, "lcs none a idx"),
                        "*4\r\n$7\r\nmatches\r\n*0\r\n"
                        "$3\r\nlen\r\n:0\r\n");
    assert_string_equal(unit_effect(c), "");
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
        unit_command_test(test_setex_and_its_like_are_logged_as_set),
        unit_command_test(test_setrange_is_logged_as_it_is),
        unit_command_test(test_incrbyfloat_logs_the_sum),
        unit_command_test(test_msetnx_and_msetex_are_one_transaction),
        unit_command_test(test_delex_is_logged_as_del),
        unit_command_test(test_increx_is_logged_as_set),
        unit_command_test(test_lcs_of_nothing_is_nothing),
    };

    return unit_run(tests);
}
