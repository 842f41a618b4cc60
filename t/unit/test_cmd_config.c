
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"

#include <sys/stat.h>


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


static void
test_a_parameter_has_two_names(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "config set slave-priority 7"),
                        "+OK\r\n");
    assert_string_equal(unit_reply(c, "config get replica-priorit[y] "
                                      "Slave-Priority"),
                        "*4\r\n$16\r\nreplica-priority\r\n$1\r\n7\r\n"
                        "$14\r\nSlave-Priority\r\n$1\r\n7\r\n");
    assert_string_equal(unit_reply(c, "config set slave-priority 1 "
                                      "replica-priority 2"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'replica-priority') - duplicate "
                        "parameter\r\n");
    assert_string_equal(unit_reply(c, "config get *of"),
                        "*4\r\n$9\r\nreplicaof\r\n$0\r\n\r\n"
                        "$7\r\nslaveof\r\n$0\r\n\r\n");
}


static void
test_protected_parameters_are_for_those_allowed(void **state)
{
    unit_command_t  *c = *state;

    c->z.zone->params.enable_protected_configs = NGX_OLIVINE_DEBUG_YES;

    assert_string_equal(unit_reply(c, "config set dir /tmp dbfilename x.rdb"),
                        "+OK\r\n");
    assert_string_equal(unit_reply(c, "config get dir"),
                        "*2\r\n$3\r\ndir\r\n$4\r\n/tmp\r\n");
    assert_string_equal(unit_reply(c, "config set dir /no/such"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'dir') - No such file or directory\r\n");
    assert_string_equal(unit_reply(c, "config set dir /dev/null"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'dir') - Not a directory\r\n");
    assert_string_equal(unit_reply(c, "config set dir tmp"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'dir') - the path is to begin with "
                        "'/'\r\n");

    c->z.zone->params.enable_protected_configs = NGX_OLIVINE_DEBUG_LOCAL;
    c->cx.caller->local = 0;

    assert_string_equal(unit_reply(c, "config set dir /"),
                        "-ERR CONFIG SET failed (possibly related to "
                        "argument 'dir') - can't set protected config\r\n");

    c->cx.caller->local = 1;

    assert_string_equal(unit_reply(c, "config set dir /"), "+OK\r\n");
}


static void
set_file(unit_command_t *c, const char *path)
{
    ngx_olivine_params_t  *params;

    params = &c->z.zone->params;
    params->config_file.len = strlen(path);
    strcpy((char *) params->config_file.data, path);
}


static void
file_is(const char *path, const char *want)
{
    FILE   *in;
    char    text[8192];
    size_t  n;

    in = fopen(path, "r");
    assert_non_null(in);
    n = fread(text, 1, sizeof(text) - 1, in);
    fclose(in);
    text[n] = '\0';

    assert_string_equal(text, want);
}


static void
test_a_file_is_rewritten_line_by_line(void **state)
{
    unit_command_t  *c = *state;

    FILE  *out;
    char   dir[] = "/tmp/olivine-rewrite-XXXXXX", path[64], link[64];

    assert_string_equal(unit_reply(c, "config rewrite"), "-ERR The server is "
                        "running without a config file\r\n");

    assert_non_null(mkdtemp(dir));
    assert_int_equal(c->z.zone->params.databases, 4);
    sprintf(path, "%s/redis.conf", dir);
    sprintf(link, "%s/link.conf", dir);

    out = fopen(path, "w");
    fprintf(out, "# one\n\n \tTIMEOUT\t 1\nsave 1 1\nunheard of\nsave 2 2\n"
                 "timeout");
    fclose(out);

    assert_int_equal(chmod(path, 0604), 0);
    assert_int_equal(symlink(path, link), 0);

    set_file(c, link);

    assert_string_equal(unit_reply(c, "config set maxmemory 1gb save '5 6' "
                                      "timeout 7"), "+OK\r\n");
    assert_string_equal(unit_reply(c, "config rewrite"), "+OK\r\n");

    file_is(path, "# one\n\ntimeout 7\nsave 5 6\nunheard of\n\n"
                  "# The following lines were added by CONFIG REWRITE\n"
                  "databases 4\nmaxmemory 1gb\n");

    assert_string_equal(unit_reply(c, "config set maxmemory 0 hz 20"),
                        "+OK\r\n");
    assert_string_equal(unit_reply(c, "config rewrite"), "+OK\r\n");

    file_is(link, "# one\n\ntimeout 7\nsave 5 6\nunheard of\n\n"
                  "# The following lines were added by CONFIG REWRITE\n"
                  "databases 4\nmaxmemory 0\nhz 20\n");

    unlink(link);
    unlink(path);
    rmdir(dir);

    assert_string_equal(unit_reply(c, "config rewrite"), "-ERR Rewriting "
                        "config file: No such file or directory\r\n");
}


static void
test_a_renamed_command_goes_by_its_new_name(void **state)
{
    unit_command_t  *c = *state;

    ngx_olivine_renames_t  *renames;

    renames = calloc(1, sizeof(ngx_olivine_renames_t)
                        + 2 * sizeof(ngx_olivine_rename_t));

    renames->n = 2;
    renames->elts[0].command = ngx_olivine_command_find((u_char *) "set", 3);
    ngx_str_set(&renames->elts[0].name, "put");
    renames->elts[1].command = ngx_olivine_command_find((u_char *) "del", 3);

    c->cx.renames = renames;

    assert_string_equal(unit_reply(c, "PUT k v"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "SELECT 0; set k v");
    assert_string_equal(unit_reply(c, "set k v"), "-ERR unknown command "
                        "'set', with args beginning with: 'k' 'v' \r\n");
    assert_string_equal(unit_reply(c, "del k"), "-ERR unknown command "
                        "'del', with args beginning with: 'k' \r\n");
    assert_string_equal(unit_reply(c, "append k w"), ":2\r\n");

    c->cx.renames = NULL;
    free(renames);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_config_set_changes_all_or_nothing),
        unit_command_test(test_every_parameter_takes_what_it_prints),
        unit_command_test(test_names_are_looked_at_before_values),
        unit_command_test(test_config_get_tells_a_parameter_once),
        unit_command_test(test_a_parameter_has_two_names),
        unit_command_test(test_protected_parameters_are_for_those_allowed),
        unit_command_test(test_a_file_is_rewritten_line_by_line),
        unit_command_test(test_a_renamed_command_goes_by_its_new_name),
    };

    return unit_run(tests);
}
