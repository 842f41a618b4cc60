
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"
#include "command/ngx_olivine_cmd.h"

#include "command/ngx_olivine_cmd.h"

#include "command/ngx_olivine_cmd.h"


static void
row_check(const ngx_olivine_command_t *row)
{
    ngx_uint_t  i;

    assert_true(row->name.len < NGX_OLIVINE_COMMAND_NAME);
    assert_true(row->handler || row->subcommands);
    assert_true(row->arity != 0);
    assert_non_null(row->since);
    assert_non_null(row->summary);

    for (i = 0; i < row->name.len; i++) {
        assert_int_equal(row->name.data[i], ngx_tolower(row->name.data[i]));
    }

    /* categories follow from flags, as in Redis */

    assert_int_equal(!(row->flags & NGX_OLIVINE_CMD_FAST),
                     !(row->categories & NGX_OLIVINE_CAT_FAST));
    assert_int_equal(!(row->categories & NGX_OLIVINE_CAT_FAST),
                     !!(row->categories & NGX_OLIVINE_CAT_SLOW));
    assert_int_equal(!(row->flags & NGX_OLIVINE_CMD_WRITE),
                     !(row->categories & NGX_OLIVINE_CAT_WRITE));
    assert_int_equal(!(row->flags & NGX_OLIVINE_CMD_READONLY),
                     !(row->categories & NGX_OLIVINE_CAT_READ));

    if (row->handler != ngx_olivine_cmd_lastsave) {
        assert_int_equal(!(row->flags & NGX_OLIVINE_CMD_ADMIN),
                         !(row->categories & NGX_OLIVINE_CAT_ADMIN));
    }

    /* keys are touched by those that say so */

    assert_int_equal(!row->keys.first, !row->keys.step);
    assert_int_equal(!row->keys.first, !row->keys.flags);

    if (row->keys.first && row->handler != ngx_olivine_cmd_watch) {
        assert_true(row->flags & (NGX_OLIVINE_CMD_WRITE
                                  |NGX_OLIVINE_CMD_READONLY));
    }
}


static void
test_rows_agree_with_themselves(void **state)
{
    size_t                        len;
    const ngx_olivine_command_t  *row, *sub;

    for (row = ngx_olivine_commands; row->name.len; row++) {

        row_check(row);
        assert_ptr_equal(ngx_olivine_command_find(row->name.data,
                                                  row->name.len), row);

        if (row->subcommands == NULL) {
            continue;
        }

        len = row->name.len;

        for (sub = row->subcommands; sub->name.len; sub++) {
            row_check(sub);
            assert_memory_equal(sub->name.data, row->name.data, len);
            assert_int_equal(sub->name.data[len], '|');
            assert_ptr_equal(ngx_olivine_subcommand_find(row,
                                 sub->name.data + len + 1,
                                 sub->name.len - len - 1), sub);
        }
    }
}


static void
test_count_is_the_length_of_the_list(void **state)
{
    unit_command_t  *c = *state;

    char        line[32];
    ngx_uint_t  n;

    for (n = 0; ngx_olivine_commands[n].name.len; n++) { /* void */ }

    sprintf(line, ":%lu\r\n", (unsigned long) n);
    assert_string_equal(unit_reply(c, "command count"), line);

    sprintf(line, "*%lu\r\n", (unsigned long) n);
    assert_memory_equal(unit_reply(c, "command"), line, strlen(line));
    assert_memory_equal(unit_reply(c, "command info"), line, strlen(line));
}


static void
test_info_of_a_subcommand(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "command info CLIENT|id nope client|x"),
                        "*3\r\n*10\r\n$9\r\nclient|id\r\n:2\r\n"
                        "*3\r\n+noscript\r\n+loading\r\n+stale\r\n"
                        ":0\r\n:0\r\n:0\r\n*2\r\n+@slow\r\n+@connection\r\n"
                        "*0\r\n*0\r\n*0\r\n$-1\r\n$-1\r\n");
}


static void
test_getkeys_reads_the_row(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "command getkeys mset a 1 b 2"),
                        "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    assert_string_equal(unit_reply(c, "command getkeys get"),
           "-ERR Invalid number of arguments specified for command\r\n");
    assert_string_equal(unit_reply(c, "command getkeys ping"),
                        "-ERR The command has no key arguments\r\n");
    assert_string_equal(unit_reply(c, "command getkeys msetex 2 a 1 b 2 nx"),
                        "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    assert_string_equal(unit_reply(c, "command getkeys msetex 2 a 1 b"),
                        "-ERR Invalid arguments specified for command\r\n");
    assert_string_equal(unit_reply(c, "command getkeys msetex x a 1"),
                        "-ERR Invalid arguments specified for command\r\n");
    assert_string_equal(unit_reply(c, "command getkeys client x"),
                        "-ERR Invalid command specified\r\n");
}


static void
test_list_filters(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "command list filterby pattern geT*"),
                        "*5\r\n$3\r\nget\r\n$6\r\ngetdel\r\n"
                        "$5\r\ngetex\r\n$6\r\ngetset\r\n"
                        "$8\r\ngetrange\r\n");
    assert_string_equal(unit_reply(c, "command list filterby pattern "
                                   "CLIENT|GETN*"),
                        "*1\r\n$14\r\nclient|getname\r\n");
    assert_string_equal(unit_reply(c, "command list filterby module x"),
                        "*0\r\n");
    assert_string_equal(unit_reply(c, "command list filterby aclcat @read"),
                        "*0\r\n");
    assert_string_equal(unit_reply(c, "command list filterby"),
                        "-ERR syntax error\r\n");
}


static void
test_help_names_the_subcommands(void **state)
{
    unit_command_t  *c = *state;

    const char  *help;

    help = unit_reply(c, "config help");

    assert_non_null(strstr(help, "+CONFIG <subcommand> "));
    assert_non_null(strstr(help, "+GET parameter [parameter ...]\r\n"
                           "+    returns"));
    assert_string_equal(unit_reply(c, "Config nope"),
                   "-ERR unknown subcommand 'nope'. Try CONFIG HELP.\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_rows_agree_with_themselves),
        unit_command_test(test_count_is_the_length_of_the_list),
        unit_command_test(test_info_of_a_subcommand),
        unit_command_test(test_getkeys_reads_the_row),
        unit_command_test(test_list_filters),
        unit_command_test(test_help_names_the_subcommands),
    };

    return unit_run(tests);
}
