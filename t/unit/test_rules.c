
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"
#include "command/ngx_olivine_rules.h"


#define REFUSED(name)                                                         \
    "-NOPERM User default has no permissions to run the '" name "' command\r\n"

#define KEY  "-NOPERM No permissions to access a key\r\n"


typedef struct {
    uint64_t             *allowed;
    uint64_t             *denied;
    ngx_olivine_rules_t   rules;
} rules_t;


static void
rules_init(rules_t *r)
{
    memset(r, 0, sizeof(rules_t));

    r->allowed = calloc(ngx_olivine_rules_size(), sizeof(uint64_t));
    r->denied = calloc(ngx_olivine_rules_size(), sizeof(uint64_t));
    r->rules.refused = calloc(ngx_olivine_rules_size(), sizeof(uint64_t));

    assert_non_null(r->allowed);
    assert_non_null(r->denied);
    assert_non_null(r->rules.refused);
}


static void
rules_free(unit_command_t *c, rules_t *r)
{
    c->caller.rules = NULL;

    free(r->allowed);
    free(r->denied);
    free(r->rules.refused);
}


static ngx_int_t
rules_add(uint64_t *set, const char *name)
{
    ngx_str_t  s;

    s.data = (u_char *) name;
    s.len = strlen(name);

    return *name == '@' ? ngx_olivine_rules_add_category(set, &s)
                        : ngx_olivine_rules_add_name(set, &s);
}


static ngx_uint_t
rules_begins_with_get(const ngx_olivine_command_t *command, void *data)
{
    return memcmp(command->name.data, "get", 3) == 0;
}


static ngx_uint_t
rules_key(void *data, u_char *key, size_t len)
{
    size_t  n;

    n = strlen(data);

    return len >= n && memcmp(key, data, n) == 0;
}


static void
test_each_subcommand_has_a_bit(void **state)
{
    ngx_uint_t  i, n;

    for (n = 0; ngx_olivine_commands[n].name.len; n++) {

        if (ngx_olivine_commands[n].subcommands == NULL) {
            continue;
        }

        for (i = 0; ngx_olivine_commands[n].subcommands[i].name.len; i++) {
            /* void */
        }

        assert_true(i <= NGX_OLIVINE_RULES_SUBCOMMANDS);
    }

    assert_int_equal(n, ngx_olivine_rules_size());
}


static void
test_denied_commands_are_refused_and_no_others(void **state)
{
    unit_command_t  *c = *state;

    rules_t  r;

    rules_init(&r);

    assert_int_equal(rules_add(r.denied, "SET"), NGX_OK);
    assert_int_equal(rules_add(r.denied, "config|set"), NGX_OK);
    assert_int_equal(rules_add(r.denied, "hello"), NGX_OK);
    ngx_olivine_rules_refuse(r.rules.refused, NULL, r.denied);

    assert_string_equal(unit_reply(c, "set k v"), "+OK\r\n");

    c->caller.rules = &r.rules;

    assert_string_equal(unit_reply(c, "Set k w"), REFUSED("set"));
    assert_string_equal(unit_reply(c, "get k"), "$1\r\nv\r\n");
    assert_string_equal(unit_reply(c, "config set maxclients 7"),
                        REFUSED("config|set"));
    assert_string_equal(unit_reply(c, "config get maxclients"),
                        "*2\r\n$10\r\nmaxclients\r\n$5\r\n10000\r\n");
    assert_string_equal(unit_reply(c, "hello"), REFUSED("hello"));

    /* what is wrong anyway says so, as in Redis */

    assert_string_equal(unit_reply(c, "set k"),
              "-ERR wrong number of arguments for 'set' command\r\n");
    assert_string_equal(unit_reply(c, "config sot a b"),
              "-ERR unknown subcommand 'sot'. Try CONFIG HELP.\r\n");

    rules_free(c, &r);
}


static void
test_a_command_comes_with_its_subcommands(void **state)
{
    unit_command_t  *c = *state;

    rules_t  r;

    rules_init(&r);

    assert_int_equal(rules_add(r.denied, "config"), NGX_OK);
    ngx_olivine_rules_refuse(r.rules.refused, NULL, r.denied);
    c->caller.rules = &r.rules;

    assert_string_equal(unit_reply(c, "config get maxclients"),
                        REFUSED("config|get"));
    assert_string_equal(unit_reply(c, "config help"),
                        REFUSED("config|help"));

    rules_free(c, &r);
}


static void
test_with_allowed_commands_all_else_is_refused(void **state)
{
    unit_command_t  *c = *state;

    rules_t  r;

    rules_init(&r);

    assert_int_equal(rules_add(r.allowed, "@read"), NGX_OK);
    assert_int_equal(rules_add(r.denied, "strlen"), NGX_OK);
    ngx_olivine_rules_refuse(r.rules.refused, r.allowed, r.denied);
    c->caller.rules = &r.rules;

    assert_string_equal(unit_reply(c, "get k"), "$-1\r\n");
    assert_string_equal(unit_reply(c, "exists k"), ":0\r\n");
    assert_string_equal(unit_reply(c, "strlen k"), REFUSED("strlen"));
    assert_string_equal(unit_reply(c, "set k v"), REFUSED("set"));
    assert_string_equal(unit_reply(c, "ping"), REFUSED("ping"));
    assert_string_equal(unit_reply(c, "select 1"), REFUSED("select"));
    assert_string_equal(unit_reply(c, "command"), REFUSED("command"));
    assert_string_equal(unit_reply(c, "client id"), REFUSED("client|id"));

    /* except what a client begins and ends with */

    assert_string_equal(unit_reply(c, "reset"), "+RESET\r\n");
    assert_memory_equal(unit_reply(c, "hello"), "*14\r\n", 5);
    assert_memory_equal(unit_reply(c, "auth x"), "-ERR AUTH <pass", 15);
    assert_string_equal(unit_reply(c, "quit"), "+OK\r\n");

    assert_string_equal(unit_effect(c), "");

    rules_free(c, &r);
}


static void
test_commands_are_added_by_match_and_category(void **state)
{
    unit_command_t  *c = *state;

    rules_t  r;

    rules_init(&r);

    assert_int_equal(ngx_olivine_rules_add_matching(r.denied,
                                               rules_begins_with_get, NULL),
                     NGX_OK);
    ngx_olivine_rules_refuse(r.rules.refused, NULL, r.denied);
    c->caller.rules = &r.rules;

    assert_string_equal(unit_reply(c, "getdel k"), REFUSED("getdel"));
    assert_string_equal(unit_reply(c, "mget k"), "*1\r\n$-1\r\n");

    assert_int_equal(rules_add(r.denied, "@all"), NGX_OK);
    ngx_olivine_rules_refuse(r.rules.refused, NULL, r.denied);

    assert_string_equal(unit_reply(c, "mget k"), REFUSED("mget"));
    assert_string_equal(unit_reply(c, "client id"), REFUSED("client|id"));

    assert_int_equal(rules_add(r.denied, "gett"), NGX_DECLINED);
    assert_int_equal(rules_add(r.denied, "get|x"), NGX_DECLINED);
    assert_int_equal(rules_add(r.denied, ""), NGX_DECLINED);
    assert_int_equal(rules_add(r.denied, "@rea"), NGX_DECLINED);
    assert_int_equal(rules_add(r.denied, "@"), NGX_DECLINED);

    rules_free(c, &r);
}


static void
test_every_key_of_a_command_is_looked_at(void **state)
{
    unit_command_t  *c = *state;

    ngx_olivine_rules_t  rules;

    rules.refused = NULL;
    rules.key = rules_key;
    rules.data = "u:";

    (void) unit_reply(c, "mset u:1 a u:2 b x c");
    (void) unit_effect(c);

    c->caller.rules = &rules;

    assert_string_equal(unit_reply(c, "get u:1"), "$1\r\na\r\n");
    assert_string_equal(unit_reply(c, "get x"), KEY);
    assert_string_equal(unit_reply(c, "get ''"), KEY);
    assert_string_equal(unit_reply(c, "mget u:1 u:2"),
                        "*2\r\n$1\r\na\r\n$1\r\nb\r\n");
    assert_string_equal(unit_reply(c, "mget u:1 x"), KEY);
    assert_string_equal(unit_reply(c, "mset u:1 x u:3 x"), "+OK\r\n");
    assert_string_equal(unit_effect(c), "mset u:1 x u:3 x");
    assert_string_equal(unit_reply(c, "mset u:1 y x y"), KEY);
    assert_string_equal(unit_reply(c, "del u:1 u:2 x"), KEY);
    assert_string_equal(unit_effect(c), "");

    /* commands without keys are a matter of the other rules */

    assert_string_equal(unit_reply(c, "dbsize"), ":4\r\n");
    assert_string_equal(unit_reply(c, "ping"), "+PONG\r\n");

    /* and the number of arguments comes first */

    assert_string_equal(unit_reply(c, "get"),
              "-ERR wrong number of arguments for 'get' command\r\n");

    c->caller.rules = NULL;
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_each_subcommand_has_a_bit),
        unit_command_test(test_denied_commands_are_refused_and_no_others),
        unit_command_test(test_a_command_comes_with_its_subcommands),
        unit_command_test(test_with_allowed_commands_all_else_is_refused),
        unit_command_test(test_commands_are_added_by_match_and_category),
        unit_command_test(test_every_key_of_a_command_is_looked_at),
    };

    return unit_run(tests);
}
