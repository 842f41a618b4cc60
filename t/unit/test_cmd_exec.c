
/*
 * Copyright (C) The Olivine authors
 *
 * What the log gets of transactions.
 */


#include "command.h"


static void
test_exec_is_one_record(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "SET k 1");
    (void) unit_reply(c, "INCR l");
    assert_string_equal(unit_effect(c), "");

    assert_string_equal(unit_reply(c, "exec"), "*2\r\n+OK\r\n:1\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; MULTI; SET k 1; INCR l; "
                        "EXEC");
}


static void
test_exec_of_one_change_needs_no_frame(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "get k");
    (void) unit_reply(c, "set k v ex 10");
    assert_string_equal(unit_reply(c, "exec"), "*2\r\n$-1\r\n+OK\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; SET k v PXAT "
                        "1000000010000");

    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "get k");
    (void) unit_reply(c, "exec");
    assert_string_equal(unit_effect(c), "");
}


static void
test_exec_logs_nothing_of_what_failed(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set text abc");
    (void) unit_effect(c);

    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "incr text");
    (void) unit_reply(c, "SET k 1");
    (void) unit_reply(c, "incr text");
    (void) unit_reply(c, "exec");
    assert_string_equal(unit_effect(c), "SET k 1");
}


static void
test_exec_over_databases(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "SET k 1");
    (void) unit_reply(c, "select 3");
    (void) unit_reply(c, "SET k 2");
    (void) unit_reply(c, "SET l 2");
    assert_string_equal(unit_reply(c, "exec"), "*4\r\n+OK\r\n+OK\r\n+OK\r\n"
                        "+OK\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; MULTI; SET k 1; SELECT 3; "
                        "SET k 2; SET l 2; SELECT 0; EXEC");

    /* the client is in the other one now; the log is told so */

    (void) unit_reply(c, "SET m 3");
    assert_string_equal(unit_effect(c), "SELECT 3; SET m 3");
    assert_string_equal(unit_reply(c, "get k"), "$1\r\n2\r\n");
}


static void
test_watch_of_a_key_past_its_time(void **state)
{
    unit_command_t  *c = *state;

    /* it runs out while it is watched: a change */

    (void) unit_reply(c, "set k v px 100");
    (void) unit_reply(c, "watch k");
    c->now += 200;
    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "ping");
    assert_string_equal(unit_reply(c, "exec"), "*-1\r\n");

    /* it had run out before, and is cleared away: none */

    (void) unit_reply(c, "set k v px 100");
    c->now += 200;
    (void) unit_reply(c, "watch k");
    (void) unit_reply(c, "del k");
    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "ping");
    assert_string_equal(unit_reply(c, "exec"), "*1\r\n+PONG\r\n");

    /* but its return is one */

    (void) unit_reply(c, "set k v px 100");
    c->now += 200;
    (void) unit_reply(c, "watch k");
    (void) unit_reply(c, "set k w");
    (void) unit_reply(c, "multi");
    (void) unit_reply(c, "ping");
    assert_string_equal(unit_reply(c, "exec"), "*-1\r\n");
}


static void
test_watch_sees_what_changes(void **state)
{
    unit_command_t  *c = *state;
    ngx_uint_t       i;

    static const struct {
        const char  *before;
        const char  *change;
        ngx_uint_t   broken;
    } cases[] = {
        { "set k v",        "set k v",       1 },
        { "set k v",        "append k x",    1 },
        { "set k v",        "expire k 100",  1 },
        { "set k v ex 100", "persist k",     1 },
        { "set k v",        "persist k",     0 },
        { "set k v",        "getdel k",      1 },
        { "set k v",        "get k",         0 },
        { "set k v",        "set k w nx",    0 },
        { "set k v",        "flushdb",       1 },
        { "set k v",        "flushall",      1 },
        { "del k",          "flushall",      0 },
        { "del k",          "set k v",       1 },
        { "del k",          "del k",         0 },
        { "set k v",        "incr k",        0 },
        { "set k 1",        "incr k",        1 },
        { "set k v",        "mset a 1 k 2",  1 },
        { "set k v",        "set other v",   0 },
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void) unit_reply(c, cases[i].before);
        (void) unit_reply(c, "watch k");
        (void) unit_reply(c, cases[i].change);
        (void) unit_reply(c, "multi");
        (void) unit_reply(c, "ping");

        if (strcmp(unit_reply(c, "exec"), cases[i].broken ? "*-1\r\n"
                                                     : "*1\r\n+PONG\r\n"))
        {
            fail_msg("\"%s\" after \"%s\" is seen otherwise", cases[i].change,
                     cases[i].before);
        }
    }
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_exec_is_one_record),
        unit_command_test(test_exec_of_one_change_needs_no_frame),
        unit_command_test(test_exec_logs_nothing_of_what_failed),
        unit_command_test(test_exec_over_databases),
        unit_command_test(test_watch_of_a_key_past_its_time),
        unit_command_test(test_watch_sees_what_changes),
    };

    return unit_run(tests);
}
