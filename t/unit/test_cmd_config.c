
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
test_config_set_changes_all_or_nothing(void **state)
{
    unit_command_t  *c = *state;

    uint32_t  version;

    version = c->z.zone->params_version;

    assert_string_equal(unit_reply(c, "config set timeout 5 maxclients 0"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'maxclients') - argument must be between "
                        "1 and 4294967295 inclusive\r\n");
    assert_int_equal(c->z.zone->params.timeout, 0);
    assert_int_equal(c->z.zone->params_version, version);
    assert_int_equal(c->z.zone->params_lock.word, 0);

    assert_string_equal(unit_reply(c, "config set timeout 5 maxclients 9"),
                        "+OK\r\n");
    assert_int_equal(c->z.zone->params.timeout, 5);
    assert_int_equal(c->z.zone->params.maxclients, 9);
    assert_int_equal(c->z.zone->params_version, version + 1);
    assert_int_equal(c->z.zone->params_lock.word, 0);
    assert_int_equal(c->z.tx->slot->used, 0);
    assert_true(c->z.tx->slot->hints & NGX_OLIVINE_HINT_PARAMS);
    assert_string_equal(unit_effect(c), "");
}


static void
test_every_parameter_takes_what_it_prints(void **state)
{
    unit_command_t  *c = *state;

    char                        line[2048];
    u_char                      text[NGX_OLIVINE_PARAM_PRINT], *p;
    const ngx_olivine_param_t  *row;

    for (row = ngx_olivine_params; row->name.len; row++) {

        if ((row->flags & NGX_OLIVINE_PARAM_PROTECTED)
            || !(row->flags & NGX_OLIVINE_PARAM_LIVE))
        {
            continue;
        }

        p = ngx_olivine_params_print(&c->z.zone->params, row, text,
                                     text + sizeof(text));

        sprintf(line, "config set %s '%.*s'", row->name.data,
                (int) (p - text), text);

        assert_string_equal(unit_reply(c, line), "+OK\r\n");
    }
}


static void
test_names_are_looked_at_before_values(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "config set timeout x nope 1"),
                        "-ERR Unknown option or number of arguments for "
                        "CONFIG SET - 'nope'\r\n");
    assert_string_equal(unit_reply(c, "config set timeout x Timeout 1"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'Timeout') - duplicate parameter\r\n");
    assert_string_equal(unit_reply(c, "config set databases 1"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'databases') - can't set immutable "
                        "config\r\n");
    assert_string_equal(unit_reply(c, "config set dir /tmp"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'dir') - can't set protected config\r\n");
    assert_string_equal(unit_reply(c, "config set timeout 1 timeout"),
                        "-ERR syntax error\r\n");
}


static void
test_config_get_tells_a_parameter_once(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "config get timeout t?meout time*"),
                        "*2\r\n$7\r\ntimeout\r\n$1\r\n0\r\n");
    assert_string_equal(unit_reply(c, "config get TimeOut"),
                        "*2\r\n$7\r\nTimeOut\r\n$1\r\n0\r\n");
    assert_string_equal(unit_reply(c, "config get T*OUT"),
                        "*2\r\n$7\r\ntimeout\r\n$1\r\n0\r\n");
    assert_string_equal(unit_reply(c, "config get nope"), "*0\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_config_set_changes_all_or_nothing),
        unit_command_test(test_every_parameter_takes_what_it_prints),
        unit_command_test(test_names_are_looked_at_before_values),
        unit_command_test(test_config_get_tells_a_parameter_once),
    };

    return unit_run(tests);
}
