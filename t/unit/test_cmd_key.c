
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
test_del_counts_what_was_there(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a 1 b 2");
    (void) unit_effect(c);

    assert_string_equal(unit_reply(c, "del x y"), ":0\r\n");
    assert_string_equal(unit_effect(c), "");
    assert_string_equal(unit_reply(c, "del a x a"), ":1\r\n");
    assert_string_equal(unit_effect(c), "del a x a");
    assert_string_equal(unit_reply(c, "unlink b"), ":1\r\n");
    assert_string_equal(unit_effect(c), "unlink b");
}


static void
test_exists_counts_a_key_as_often_as_it_is_named(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a 1 px 5");

    assert_string_equal(unit_reply(c, "exists a x a"), ":2\r\n");

    c->now += 5;
    assert_string_equal(unit_reply(c, "exists a x a"), ":0\r\n");
    assert_string_equal(unit_reply(c, "type a"), "+none\r\n");
}


static void
test_randomkey_passes_over_keys_past_their_time(void **state)
{
    unit_command_t  *c = *state;

    char        line[64];
    ngx_uint_t  i;

    assert_string_equal(unit_reply(c, "randomkey"), "$-1\r\n");

    for (i = 0; i < 1000; i++) {
        sprintf(line, "set k%lu v px 10", (unsigned long) i);
        (void) unit_reply(c, line);
    }

    (void) unit_effect(c);
    (void) unit_reply(c, "set here v");

    c->now += 10;

    assert_string_equal(unit_reply(c, "randomkey"), "$4\r\nhere\r\n");

    (void) unit_reply(c, "del here");

    assert_string_equal(unit_reply(c, "randomkey"), "$-1\r\n");
}


static void
test_randomkey_finds_every_key(void **state)
{
    unit_command_t  *c = *state;

    ngx_uint_t  i, seen;

    (void) unit_reply(c, "mset 0 v 1 v 2 v 3 v 4 v 5 v 6 v 7 v");

    seen = 0;

    for (i = 0; i < 1000; i++) {
        seen |= 1 << (unit_reply(c, "randomkey")[4] - '0');
    }

    assert_int_equal(seen, 0xff);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_del_counts_what_was_there),
        unit_command_test(test_exists_counts_a_key_as_often_as_it_is_named),
        unit_command_test(test_randomkey_passes_over_keys_past_their_time),
        unit_command_test(test_randomkey_finds_every_key),
    };

    return unit_run(tests);
}
