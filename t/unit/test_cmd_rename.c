
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
test_rename_takes_value_and_expiry_along(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a 1 px 100");
    (void) unit_reply(c, "set b old px 7");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "rename a b"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "rename a b");
    assert_string_equal(unit_reply(c, "exists a"), ":0\r\n");
    assert_string_equal(unit_reply(c, "get b"), "$1\r\n1\r\n");
    assert_string_equal(unit_reply(c, "pttl b"), ":100\r\n");

    assert_string_equal(unit_reply(c, "rename b b"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "renamenx b b"), ":0\r\n");
    assert_string_equal(unit_reply(c, "rename no b"), "-ERR no such key\r\n");
    assert_string_equal(unit_reply(c, "renamenx no b"),
                        "-ERR no such key\r\n");
    assert_string_equal(unit_effect(c), "");

    (void) unit_reply(c, "set d v");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "renamenx b d"), ":0\r\n");
    assert_string_equal(unit_effect(c), "");
    assert_string_equal(unit_reply(c, "renamenx b e"), ":1\r\n");
    assert_string_equal(unit_effect(c), "renamenx b e");

    unit_audit(c->z.tx);
}


static void
test_rename_removes_what_is_past_its_time(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a 1 px 5");
    (void) unit_reply(c, "set b 2 px 5");
    (void) unit_reply(c, "set d 3");
    (void) unit_effect(c);
    c->now += 5;

    assert_string_equal(unit_reply(c, "rename a x"), "-ERR no such key\r\n");
    assert_string_equal(unit_effect(c), "DEL a");
    assert_string_equal(unit_reply(c, "renamenx d b"), ":1\r\n");
    assert_string_equal(unit_effect(c), "MULTI; DEL b; renamenx d b; EXEC");
    assert_string_equal(unit_reply(c, "pttl b"), ":-1\r\n");

    unit_audit(c->z.tx);
}


static void
test_move_takes_a_key_to_another_database(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a 1 px 100");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "move a 1"), ":1\r\n");
    assert_string_equal(unit_effect(c), "move a 1");
    assert_string_equal(unit_reply(c, "exists a"), ":0\r\n");
    assert_string_equal(unit_reply(c, "move a 1"), ":0\r\n");
    assert_string_equal(unit_reply(c, "set a 2"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "move a 1"), ":0\r\n");
    (void) unit_effect(c);

    c->caller.db = 1;
    assert_string_equal(unit_reply(c, "get a"), "$1\r\n1\r\n");
    assert_string_equal(unit_reply(c, "pttl a"), ":100\r\n");
    c->caller.db = 0;
    c->now += 100;

    /* what stands in its way is past its time, in the other database */

    assert_string_equal(unit_reply(c, "move a 1"), ":1\r\n");
    assert_string_equal(unit_effect(c), "SELECT 1; MULTI; DEL a; SELECT 0; "
                        "move a 1; SELECT 1; EXEC");

    unit_audit(c->z.tx);
}


static void
test_copy_leaves_the_source(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a 1 px 100");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "copy a b"), ":1\r\n");
    assert_string_equal(unit_effect(c), "copy a b");
    assert_string_equal(unit_reply(c, "copy a b"), ":0\r\n");
    assert_string_equal(unit_reply(c, "pttl b"), ":100\r\n");
    assert_string_equal(unit_reply(c, "append b 2"), ":2\r\n");
    assert_string_equal(unit_reply(c, "get a"), "$1\r\n1\r\n");
    assert_string_equal(unit_reply(c, "persist a"), ":1\r\n");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "copy a b replace"), ":1\r\n");
    assert_string_equal(unit_effect(c), "copy a b replace");
    assert_string_equal(unit_reply(c, "pttl b"), ":-1\r\n");
    assert_string_equal(unit_reply(c, "copy a a db 1"), ":1\r\n");
    assert_string_equal(unit_reply(c, "copy a a db 1"), ":0\r\n");
    assert_string_equal(unit_reply(c, "copy no a replace"), ":0\r\n");
    assert_string_equal(unit_effect(c), "copy a a db 1");

    unit_audit(c->z.tx);
}


static void
test_big_values_go_along(void **state)
{
    unit_command_t  *c = *state;

    char        line[128], *text;
    ngx_int_t   rc;
    ngx_uint_t  i;

    text = malloc(UNIT_COMMAND_TEXT);
    strcpy(text, "set k0 '");
    memset(text + 8, 'v', 40000);
    strcpy(text + 8 + 40000, "'");

    assert_string_equal(unit_reply(c, text), "+OK\r\n");

    /* from shard to shard, with a copy left in some of them */

    for (i = 0; i < 32; i++) {
        sprintf(line, "rename k%d k%d", (int) i, (int) i + 1);
        assert_string_equal(unit_reply(c, line), "+OK\r\n");

        sprintf(line, "copy k%d copy%d", (int) i + 1, (int) i % 8);
        rc = strcmp(unit_reply(c, line), i < 8 ? ":1\r\n" : ":0\r\n");
        assert_int_equal(rc, 0);

        unit_audit(c->z.tx);
    }

    assert_string_equal(unit_reply(c, "strlen k32"), ":40000\r\n");
    assert_string_equal(unit_reply(c, "rename k32 copy3"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "strlen copy3"), ":40000\r\n");
    assert_string_equal(unit_reply(c, "dbsize"), ":8\r\n");

    unit_audit(c->z.tx);
    free(text);
}


static void
test_swapdb_exchanges_databases(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a 1 b 2 d 3");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "swapdb 0 1"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "swapdb 0 1");
    assert_string_equal(unit_reply(c, "dbsize"), ":0\r\n");
    assert_string_equal(unit_reply(c, "swapdb 1 1"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "");
    assert_string_equal(unit_reply(c, "set e 4"), "+OK\r\n");

    c->caller.db = 1;
    assert_string_equal(unit_reply(c, "dbsize"), ":3\r\n");
    assert_string_equal(unit_reply(c, "swapdb 0 1"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "get e"), "$1\r\n4\r\n");

    unit_audit(c->z.tx);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_rename_takes_value_and_expiry_along),
        unit_command_test(test_rename_removes_what_is_past_its_time),
        unit_command_test(test_move_takes_a_key_to_another_database),
        unit_command_test(test_copy_leaves_the_source),
        unit_command_test(test_big_values_go_along),
        unit_command_test(test_swapdb_exchanges_databases),
    };

    return unit_run(tests);
}
