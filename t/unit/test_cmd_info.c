
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static void
test_info_sums_what_workers_counted(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset a 1 b 2");
    (void) unit_reply(c, "set c 3 ex 10");
    (void) unit_reply(c, "get a");
    (void) unit_reply(c, "get x");
    (void) unit_reply(c, "nope");

    c->z.tx->slot->clients = 3;
    c->z.tx->slot->longest_turn = 17;
    c->z.zone->longest_turn = 16;

    assert_non_null(strstr(unit_reply(c, "info stats"),
                           "\r\nkeyspace_hits:1\r\nkeyspace_misses:1\r\n"));
    assert_non_null(strstr(unit_reply(c, "info stats"),
                           "\r\ntotal_error_replies:1\r\n"));
    assert_non_null(strstr(unit_reply(c, "info stats"),
                           "\r\nlongest_turn_us:17\r\n"));
    assert_non_null(strstr(unit_reply(c, "info clients"),
                           "\r\nconnected_clients:3\r\n"));
    assert_non_null(strstr(unit_reply(c, "info keyspace"),
                           "db0:keys=3,expires=1,avg_ttl=0,subexpiry=0\r\n"));
    assert_non_null(strstr(unit_reply(c, "info server"),
                           "\r\nworkers:1\r\n"));
    assert_non_null(strstr(unit_reply(c, "info server"),
                           "\r\nuptime_in_seconds:1\r\n"));
}


static void
test_info_prints_the_sections_that_are_named(void **state)
{
    unit_command_t  *c = *state;

    assert_string_equal(unit_reply(c, "info nope"), "$0\r\n\r\n");
    assert_string_equal(unit_reply(c, "info Cluster"),
                        "$30\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n");
    assert_string_equal(unit_reply(c, "info keyspace cluster nope"),
                        "$44\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n"
                        "# Keyspace\r\n\r\n");

    (void) unit_reply(c, "hello 3");

    assert_string_equal(unit_reply(c, "info cluster"),
                        "=34\r\ntxt:# Cluster\r\ncluster_enabled:0\r\n\r\n");
}


static void
test_sizes_are_told_to_humans(void **state)
{
    unit_command_t  *c = *state;

    const char  *info;

    c->z.zone->params.maxmemory = 1536;
    info = unit_reply(c, "info memory");
    assert_non_null(strstr(info, "maxmemory:1536\r\n"
                           "maxmemory_human:1.50K\r\n"));

    c->z.zone->params.maxmemory = 1023;
    info = unit_reply(c, "info memory");
    assert_non_null(strstr(info, "maxmemory_human:1023B\r\n"));
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_info_sums_what_workers_counted),
        unit_command_test(test_info_prints_the_sections_that_are_named),
        unit_command_test(test_sizes_are_told_to_humans),
    };

    return unit_run(tests);
}
