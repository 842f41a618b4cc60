
/*
 * Copyright (C) The Olivine authors
 */


#include "command.h"

#include "http/ngx_olivine_status.h"


static ngx_olivine_buffer_t  test_buffer;


static const char *
test_status_end(void)
{
    u_char  *p;

    p = ngx_olivine_buffer_room(&test_buffer, 1);
    assert_non_null(p);
    *p = '\0';

    return (char *) test_buffer.data;
}


static const char *
test_status_text(unit_command_t *c)
{
    test_buffer.len = 0;

    assert_int_equal(ngx_olivine_status(c->z.tx, c->now, &test_buffer),
                     NGX_OK);

    return test_status_end();
}


static const char *
test_status_string(const char *p, size_t len)
{
    test_buffer.len = 0;
    ngx_olivine_json_string(&test_buffer, (u_char *) p, len);

    return test_status_end();
}


static int
test_status_teardown(void **state)
{
    ngx_olivine_buffer_free(&test_buffer);

    return unit_command_teardown(state);
}


static void
test_json_strings_are_escaped(void **state)
{
    assert_string_equal(test_status_string("", 0), "\"\"");
    assert_string_equal(test_status_string("a\"b\\c</script>", 14),
                        "\"a\\\"b\\\\c</script>\"");
    assert_string_equal(test_status_string("\0\n\x1f\x7f", 4),
                        "\"\\u0000\\u000a\\u001f\\u007f\"");
    assert_string_equal(test_status_string("\xc3\xa4\xf0\x9f\x98\x80", 6),
                        "\"\xc3\xa4\xf0\x9f\x98\x80\"");

    /* alone, cut short, overlong, a surrogate, beyond Unicode */

    assert_string_equal(test_status_string("\x80z", 2), "\"\\\\x80z\"");
    assert_string_equal(test_status_string("\xc3", 1), "\"\\\\xc3\"");
    assert_string_equal(test_status_string("\xe2\x82", 2), "\"\\\\xe2\\\\x82\"");
    assert_string_equal(test_status_string("\xc0\xaf", 2), "\"\\\\xc0\\\\xaf\"");
    assert_string_equal(test_status_string("\xed\xa0\x80", 3),
                        "\"\\\\xed\\\\xa0\\\\x80\"");
    assert_string_equal(test_status_string("\xf4\x90\x80\x80", 4),
                        "\"\\\\xf4\\\\x90\\\\x80\\\\x80\"");
}


static void
test_status_tells_what_there_is(void **state)
{
    unit_command_t  *c = *state;

    const char  *text;

    (void) unit_reply(c, "mset a 1 b 2");
    (void) unit_reply(c, "set c 3 ex 10");
    (void) unit_reply(c, "nope");

    c->z.tx->slot->clients = 3;

    text = test_status_text(c);

    assert_non_null(strstr(text, "\"clients\":{\"connected\":3,"));
    assert_non_null(strstr(text, "\"keyspace\":[{\"db\":0,\"keys\":3,"
                           "\"expires\":1,"));
    assert_non_null(strstr(text, "\"errors\":[{\"code\":\"ERR\","
                           "\"count\":1}]"));
    assert_non_null(strstr(text, "\"uptime_s\":1,"));
    assert_non_null(strstr(text, "\"slow\":[]"));
    assert_non_null(strstr(text, "\"write_error\":null"));
    assert_null(strstr(text, ",,"));
    assert_null(strstr(text, "[,"));
    assert_null(strstr(text, "{,"));
}


static void
test_status_shows_what_failed(void **state)
{
    unit_command_t  *c = *state;

    const char  *text;

    c->z.zone->persist.aof.error = ENOSPC;
    c->z.zone->persist.refuse = NGX_OLIVINE_REFUSE_AOF;

    text = test_status_text(c);

    c->z.zone->persist.refuse = 0;

    assert_non_null(strstr(text, "\"write_error\":\"No space left on device\""));
    assert_non_null(strstr(text, "\"refused\":{\"aof\":true,"));
}


static void
test_status_cuts_slow_commands(void **state)
{
    unit_command_t  *c = *state;

    ngx_uint_t          i;
    const char         *text;
    ngx_olivine_slow_t  slow;

    ngx_memzero(&slow, sizeof(slow));
    slow.time = 5;
    slow.value = 1234;
    ngx_str_set(&slow.addr, "127.0.0.1:1");
    ngx_str_set(&slow.name, "");
    slow.argc = NGX_OLIVINE_STATUS_ARGS + 2;

    for (i = 0; i < slow.argc; i++) {
        ngx_str_set(&slow.argv[i], "\xff\"x");
    }

    for (i = 0; i < NGX_OLIVINE_STATUS_SLOW + 5; i++) {
        ngx_olivine_slowlog_add(c->z.tx, NGX_OLIVINE_SLOWLOG_SLOW, &slow, 128);
    }

    text = test_status_text(c);

    assert_non_null(strstr(text, "\"us\":1234,\"client\":\"127.0.0.1:1\","
                           "\"name\":\"\",\"args\":[\"\\\\xff\\\"x\","));
    assert_non_null(strstr(text, "],\"more\":2}"));

    for (i = 0; (text = strstr(text, "\"us\":1234")) != NULL; i++, text++) {
        /* void */
    }

    assert_int_equal(i, NGX_OLIVINE_STATUS_SLOW);
}


static void
test_commands_that_took_most_time_are_shown(void **state)
{
    unit_command_t  *c = *state;

    char                  name[16];
    ngx_int_t             n;
    ngx_str_t             text;
    ngx_uint_t            i;
    const char           *p, *q;
    ngx_olivine_stats_t  *stats;

    stats = ngx_olivine_stats_at(c->z.zone, c->z.tx->slot->number);

    for (i = 0; i < NGX_OLIVINE_STATUS_COMMANDS + 4; i++) {
        sprintf(name, "made-%02d", (int) i);
        text.data = (u_char *) name;
        text.len = strlen(name);
        n = ngx_olivine_stats_command(c->z.zone, &text);
        stats->commands[n].calls = 1;
        stats->commands[n].ns = 1000000000000 + i;
    }

    p = test_status_text(c);

    assert_null(strstr(p, "made-03"));

    q = strstr(p, "made-19");
    assert_non_null(q);
    assert_non_null(strstr(q, "made-18"));
    assert_non_null(strstr(q, "made-04"));
}


/* The uses of the zone are what is in use. */

static void
test_memory_adds_up(void **state)
{
    unit_command_t  *c = *state;

    uint64_t               sum;
    ngx_uint_t             i;
    ngx_olivine_figures_t  f;

    (void) unit_reply(c, "set a 1");
    (void) unit_reply(c, "setrange b 100000 x");

    assert_int_equal(ngx_olivine_figures(c->z.tx, c->now, &f), NGX_OK);

    sum = 0;

    for (i = 0; i < NGX_OLIVINE_MEMORY_FREE; i++) {
        if (i != NGX_OLIVINE_MEMORY_GAPS) {
            sum += f.memory_uses[i];
        }
    }

    assert_int_equal(sum, f.memory.used);
    assert_true(f.memory_uses[NGX_OLIVINE_MEMORY_DATA] > 100000);
    assert_true(f.memory_uses[NGX_OLIVINE_MEMORY_LOG] >= UNIT_COMMAND_RING);
    assert_int_equal(f.heap_used + f.heap_free + f.heap_void,
                     c->z.zone->heap.limit << NGX_OLIVINE_PAGE_SHIFT);
}


#define test_status_test(test)                                                \
    cmocka_unit_test_setup_teardown(test, unit_command_setup,                 \
                                    test_status_teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        test_status_test(test_json_strings_are_escaped),
        test_status_test(test_status_tells_what_there_is),
        test_status_test(test_status_shows_what_failed),
        test_status_test(test_status_cuts_slow_commands),
        test_status_test(test_commands_that_took_most_time_are_shown),
        test_status_test(test_memory_adds_up),
    };

    return unit_run(tests);
}
