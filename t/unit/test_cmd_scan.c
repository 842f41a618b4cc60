
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"


static unsigned char  seen[4096];


static void
keys_add(unit_command_t *c, ngx_uint_t from, ngx_uint_t to)
{
    char  line[64];

    for ( /* void */ ; from < to; from++) {
        sprintf(line, "set key:%lu v", (unsigned long) from);
        assert_string_equal(unit_reply(c, line), "+OK\r\n");
        (void) unit_effect(c);
    }
}


/* notes the keys of a reply of SCAN; the next cursor */

static unsigned long
keys_note(const char *reply)
{
    char           *p;
    unsigned long   cursor;

    cursor = strtoul(strstr(reply, "\r\n$") + 4, NULL, 10);
    p = strstr(reply, "\r\n$") + 3;
    cursor = strtoul(strstr(p, "\r\n") + 2, &p, 10);

    while ((p = strstr(p, "key:")) != NULL) {
        p += 4;
        seen[strtoul(p, NULL, 10)]++;
    }

    return cursor;
}


static void
test_scan_finds_all_while_the_table_grows(void **state)
{
    unit_command_t  *c = *state;

    char           line[64];
    ngx_uint_t     i, n;
    unsigned long  cursor;

    memset(seen, 0, sizeof(seen));

    n = 500;
    keys_add(c, 0, n);

    cursor = 0;

    do {
        sprintf(line, "scan %lu count 20", cursor);
        cursor = keys_note(unit_reply(c, line));
        assert_true(cursor < 1UL << 53);

        if (n < 3000) {
            keys_add(c, n, n + 100);
            n += 100;
        }

    } while (cursor);

    for (i = 0; i < 500; i++) {
        assert_true(seen[i] > 0);
    }
}


static void
test_scan_of_an_idle_table_tells_each_key_once(void **state)
{
    unit_command_t  *c = *state;

    char           line[64];
    ngx_uint_t     i;
    unsigned long  cursor;

    memset(seen, 0, sizeof(seen));
    keys_add(c, 0, 1000);

    cursor = 0;

    do {
        sprintf(line, "scan %lu", cursor);
        cursor = keys_note(unit_reply(c, line));
    } while (cursor);

    for (i = 0; i < 1000; i++) {
        assert_int_equal(seen[i], 1);
    }
}


/* what others do between two turns: keys come and go, or all but few go */

static ngx_uint_t  others_next;
static ngx_uint_t  others_last;
static ngx_uint_t  others_delete;


static ngx_int_t
others_part(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t             rc;
    ngx_str_t            *key = data;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    rc = unit_find(tx, 0, key, UNIT_NOW, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (others_delete) {
        return ref.entry ? ngx_olivine_store_delete_locked(tx, &ref) : NGX_OK;
    }

    ngx_olivine_string_set(&value, (u_char *) "v", 1);

    return ngx_olivine_store_set_locked(tx, &ref, &value, 0, 1);
}


static void
others(unit_command_t *c)
{
    char        name[32];
    ngx_str_t   key;
    ngx_uint_t  i;

    key.data = (u_char *) name;

    for (i = 0; i < 800 && others_next < others_last; i++) {
        key.len = sprintf(name, "key:%lu", (unsigned long) others_next++);
        assert_int_equal(unit_tx(c->z.tx, others_part, &key), NGX_OK);
    }
}


static void
test_keys_in_turns_has_each_key_once(void **state)
{
    unit_command_t  *c = *state;

    ngx_uint_t  i, round;

    ngx_olivine_cx_turn_us = 0;

    for (round = 0; round < 4; round++) {

        c->between = NULL;
        (void) unit_reply(c, "flushall");

        keys_add(c, 0, round & 1 ? 3000 : 400);
        memset(seen, 0, sizeof(seen));

        others_delete = round & 1;
        others_next = 400;
        others_last = 3000;
        c->between = others;
        c->turns = 0;

        (void) keys_note(unit_reply(c, round & 2 ? "scan 0 count 1000000"
                                                 : "keys *"));

        assert_true(c->turns >= 3);

        for (i = 0; i < 400; i++) {
            assert_int_equal(seen[i], 1);
        }

        for ( /* void */ ; i < sizeof(seen); i++) {
            assert_true(seen[i] <= 1);
        }
    }

    ngx_olivine_cx_turn_us = 300;
}


static void
test_keys_given_up_leaves_nothing(void **state)
{
    unit_command_t  *c = *state;

    ngx_olivine_cx_turn_us = 0;
    keys_add(c, 0, 1000);

    c->cx.argc = unit_command_split(c, "keys *");
    c->cx.argv = c->argv;
    c->cx.command = NULL;
    c->cx.hashed = 0;
    c->cx.now = c->now;

    assert_int_equal(ngx_olivine_command_run(&c->cx), NGX_AGAIN);
    assert_int_equal(c->cx.park, NGX_OLIVINE_PARK_TURN);
    assert_int_equal(ngx_olivine_reply_size(&c->reply), 0);

    /* the client goes: see the teardown, and the sanitizer */

    assert_non_null(c->caller.later);
    ngx_olivine_cx_turn_us = 300;
}


static void
test_scan_takes_any_cursor(void **state)
{
    unit_command_t  *c = *state;

    keys_add(c, 0, 100);

    (void) unit_reply(c, "scan 18446744073709551615");
    assert_string_equal(unit_reply(c, "scan 18446744073709551616"),
                        "-ERR invalid cursor\r\n");
    assert_string_equal(unit_reply(c, "scan 1x"), "-ERR invalid cursor\r\n");
    assert_string_equal(unit_reply(c, "scan ''"), "-ERR invalid cursor\r\n");
}


static void
test_keys_passes_over_keys_past_their_time(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "mset one 1 two 2 three 3");
    (void) unit_reply(c, "set tea 4 px 10");

    assert_string_equal(unit_reply(c, "keys o*"), "*1\r\n$3\r\none\r\n");
    assert_string_equal(unit_reply(c, "keys ?wo"), "*1\r\n$3\r\ntwo\r\n");
    assert_string_equal(unit_reply(c, "keys three"),
                        "*1\r\n$5\r\nthree\r\n");
    assert_string_equal(unit_reply(c, "keys te[^x]"),
                        "*1\r\n$3\r\ntea\r\n");
    assert_memory_equal(unit_reply(c, "keys *"), "*4\r\n", 4);

    c->now += 10;

    assert_string_equal(unit_reply(c, "keys te[^x]"), "*0\r\n");
    assert_memory_equal(unit_reply(c, "keys *"), "*3\r\n", 4);
    assert_string_equal(unit_effect(c),
                        "SELECT 0; mset one 1 two 2 three 3; "
                        "SET tea 4 PXAT 1000000000010");
}


static void
test_scan_filters_by_type(void **state)
{
    unit_command_t  *c = *state;

    (void) unit_reply(c, "set a 1");

    assert_string_equal(unit_reply(c, "scan 0 type STRING"),
                        "*2\r\n$1\r\n0\r\n*1\r\n$1\r\na\r\n");
    assert_string_equal(unit_reply(c, "scan 0 type list"),
                        "*2\r\n$1\r\n0\r\n*0\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        unit_command_test(test_scan_finds_all_while_the_table_grows),
        unit_command_test(test_scan_of_an_idle_table_tells_each_key_once),
        unit_command_test(test_keys_in_turns_has_each_key_once),
        unit_command_test(test_keys_given_up_leaves_nothing),
        unit_command_test(test_scan_takes_any_cursor),
        unit_command_test(test_keys_passes_over_keys_past_their_time),
        unit_command_test(test_scan_filters_by_type),
    };

    return unit_run(tests);
}
