
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
password(unit_command_t *c, const char *text)
{
    ngx_olivine_params_t  *params;

    params = &c->z.zone->params;
    params->requirepass.len = strlen(text);
    strcpy((char *) params->requirepass.data, text);
}


static void
test_nothing_goes_before_the_password(void **state)
{
    unit_command_t  *c = *state;

    password(c, "sesame");
    c->caller.authenticated = 0;

    assert_string_equal(unit_reply(c, "get k"),
                        "-NOAUTH Authentication required.\r\n");
    assert_string_equal(unit_reply(c, "ping"),
                        "-NOAUTH Authentication required.\r\n");
    assert_memory_equal(unit_reply(c, "hello 3"), "-NOAUTH HELLO must", 18);
    assert_int_equal(c->reply.resp3, 0);

    assert_string_equal(unit_reply(c, "auth sesam"),
       "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    assert_string_equal(unit_reply(c, "auth sesamesesame"),
       "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    assert_string_equal(unit_reply(c, "auth ''"),
       "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    assert_string_equal(unit_reply(c, "auth joe sesame"),
       "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
    assert_int_equal(c->caller.authenticated, 0);

    assert_string_equal(unit_reply(c, "auth sesame"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "ping"), "+PONG\r\n");
}


static void
test_a_password_taken_away_is_asked_for_no_more(void **state)
{
    unit_command_t  *c = *state;

    password(c, "sesame");
    c->caller.authenticated = 0;

    assert_memory_equal(unit_reply(c, "ping"), "-NOAUTH", 7);

    password(c, "");

    assert_string_equal(unit_reply(c, "ping"), "+PONG\r\n");
    assert_memory_equal(unit_reply(c, "auth x"), "-ERR AUTH <password>", 20);
    assert_string_equal(unit_reply(c, "auth default x"), "+OK\r\n");
}


static void
test_hello_changes_all_or_nothing(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "hello 3 setname joe setname"),
                        "-ERR Syntax error in HELLO option 'setname'\r\n");
    assert_int_equal(c->reply.resp3, 0);
    assert_string_equal(unit_reply(c, "client getname"), "$-1\r\n");

    assert_memory_equal(unit_reply(c, "hello 3 setname joe"), "%7\r\n", 4);
    assert_int_equal(c->reply.resp3, 1);
    assert_string_equal(unit_reply(c, "client getname"), "$3\r\njoe\r\n");
}


static void
test_reset_makes_a_new_connection_of_it(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "hello 3 setname joe");
    (void) unit_reply(c, "select 3");
    password(c, "sesame");

    assert_string_equal(unit_reply(c, "reset"), "+RESET\r\n");
    assert_int_equal(c->reply.resp3, 0);
    assert_int_equal(c->caller.db, 0);
    assert_int_equal(c->caller.authenticated, 0);
    assert_int_equal(c->caller.row->len[NGX_OLIVINE_BUS_NAME], 0);
}


static void
test_select_knows_its_databases(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "select 4"),
                        "-ERR DB index is out of range\r\n");
    assert_string_equal(unit_reply(c, "select -1"),
                        "-ERR DB index is out of range\r\n");
    assert_string_equal(unit_reply(c, "select x"),
                    "-ERR value is not an integer or out of range\r\n");
    assert_string_equal(unit_reply(c, "select 3"), "+OK\r\n");
    assert_int_equal(c->caller.db, 3);
}


static void
test_quit_closes(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "quit"), "+OK\r\n");
    assert_int_equal(c->caller.close, 1);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_nothing_goes_before_the_password),
        unit_command_test(test_a_password_taken_away_is_asked_for_no_more),
        unit_command_test(test_hello_changes_all_or_nothing),
        unit_command_test(test_reset_makes_a_new_connection_of_it),
        unit_command_test(test_select_knows_its_databases),
        unit_command_test(test_quit_closes),
    };

    return unit_run(tests);
}
