/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include "base/ngx_olivine_params.h"


static ngx_olivine_params_t  params;
static u_char                text[NGX_OLIVINE_PARAM_ERROR];
static ngx_str_t             err;


static int
setup(void **state)
{
    ngx_olivine_params_defaults(&params);

    return 0;
}


static const ngx_olivine_param_t *
row(const char *name)
{
    const ngx_olivine_param_t  *r;

    r = ngx_olivine_params_find((u_char *) name, strlen(name));
    assert_non_null(r);

    return r;
}


static ngx_int_t
set_words(const char *name, ngx_uint_t n, const char **words)
{
    ngx_str_t   values[64];
    ngx_uint_t  i;

    for (i = 0; i < n; i++) {
        values[i].data = (u_char *) words[i];
        values[i].len = strlen(words[i]);
    }

    err.data = text;
    err.len = 0;

    return ngx_olivine_params_set(&params, row(name), values, n, &err);
}


static ngx_int_t
set(const char *name, const char *value)
{
    return set_words(name, 1, &value);
}


static void
value_is(const char *name, const char *want)
{
    u_char  buf[NGX_OLIVINE_PARAM_PRINT], *p;

    p = ngx_olivine_params_print(&params, row(name), buf,
                                 buf + sizeof(buf) - 1);
    *p = '\0';

    assert_string_equal((char *) buf, want);
}


static void
refused(const char *name, const char *value, const char *why)
{
    ngx_olivine_params_t  before;

    before = params;

    assert_int_equal(set(name, value), NGX_DECLINED);
    assert_int_equal(err.len, strlen(why));
    assert_memory_equal(err.data, why, err.len);
    assert_memory_equal(&before, &params, sizeof(before));
}


static void
test_params_defaults_are_those_of_redis(void **state)
{
    value_is("appendonly", "no");
    value_is("client-output-buffer-limit", "normal 0 0 0 slave 268435456 "
             "67108864 60 pubsub 33554432 8388608 60");
    value_is("client-query-buffer-limit", "1073741824");
    value_is("databases", "16");
    value_is("dir", ".");
    value_is("enable-debug-command", "no");
    value_is("lock-timing", "no");
    value_is("loglevel", "notice");
    value_is("maxclients", "10000");
    value_is("maxmemory", "0");
    value_is("maxmemory-policy", "noeviction");
    value_is("proto-max-bulk-len", "536870912");
    value_is("requirepass", "");
    value_is("save", "3600 1 300 100 60 10000");
    value_is("tcp-keepalive", "300");
    value_is("timeout", "0");

    assert_int_equal(params.save.n, 3);
    assert_int_equal(params.loglevel, NGX_OLIVINE_LOG_NOTICE);
}


static void
test_params_every_row_is_complete_and_in_order(void **state)
{
    u_char                      buf[NGX_OLIVINE_PARAM_PRINT], *p;
    ngx_str_t                   value;
    ngx_olivine_params_t        other;
    const ngx_olivine_param_t  *r;

    for (r = ngx_olivine_params; r->name.len; r++) {
        assert_non_null(r->help);
        assert_non_null(r->type->name);
        assert_true(r->offset + r->size <= sizeof(params));
        assert_null(ngx_olivine_params_other(r->name.data, r->name.len));

        if (r > ngx_olivine_params) {
            assert_true(strcmp((char *) r[-1].name.data,
                               (char *) r->name.data) < 0);
        }

        /* what is printed can be set, and is then the same */

        p = ngx_olivine_params_print(&params, r, buf, buf + sizeof(buf));
        value.data = buf;
        value.len = p - buf;
        err.data = text;

        other = params;
        assert_int_equal(ngx_olivine_params_set(&other, r, &value, 1, &err),
                         NGX_OK);
        assert_true(ngx_olivine_params_equal(&other, &params, r));
    }
}


static void
test_params_names_are_found_in_any_case(void **state)
{
    assert_ptr_equal(row("MaxClients"), row("maxclients"));
    assert_null(ngx_olivine_params_find((u_char *) "maxclient", 9));
    assert_null(ngx_olivine_params_find((u_char *) "", 0));
}


static void
test_params_errors_are_those_of_redis(void **state)
{
    refused("maxclients", "0",
            "argument must be between 1 and 4294967295 inclusive");
    refused("maxclients", "x", "argument couldn't be parsed into an integer");
    refused("maxclients", "", "argument couldn't be parsed into an integer");
    refused("timeout", "01", "argument couldn't be parsed into an integer");
    refused("timeout", "-1",
            "argument must be between 0 and 2147483647 inclusive");
    refused("maxmemory", "-1", "argument must be a memory value");
    refused("maxmemory", "1tb", "argument must be a memory value");
    refused("proto-max-bulk-len", "1", "argument must be between 1048576 "
            "and 9223372036854775807 inclusive");
    refused("proto-max-bulk-len", "99999999999999999999", "argument must be "
            "between 1048576 and 9223372036854775807 inclusive");
    refused("appendonly", "maybe", "argument must be 'yes' or 'no'");
    refused("loglevel", "x", "argument(s) must be one of the following: "
            "debug, verbose, notice, warning, nothing");
    refused("enable-debug-command", "x", "argument(s) must be one of the "
            "following: no, yes, local");
}


static void
test_params_schedule_is_checked_as_in_redis(void **state)
{
    ngx_uint_t   i;
    const char  *bad[] = { "x", "1", "0 1", "900 1 300", "900  1 300 10",
                           "-1 1", "1 -1", " " };

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        refused("save", bad[i], "Invalid save parameters");
    }

    assert_int_equal(set("save", "1 0 900 2"), NGX_OK);
    value_is("save", "1 0 900 2");

    assert_int_equal(set("save", ""), NGX_OK);
    value_is("save", "");
    assert_int_equal(params.save.n, 0);

    refused("save", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 "
            "1 1 1 1 1 1 1 1", "too many save parameters");
}


static void
test_params_output_limits_change_only_the_class_named(void **state)
{
    assert_int_equal(set("client-output-buffer-limit",
                         "NORMAL 1mb 1kb 60 replica 1gb 0 0"), NGX_OK);
    value_is("client-output-buffer-limit", "normal 1048576 1024 60 "
             "slave 1073741824 0 0 pubsub 33554432 8388608 60");

    assert_int_equal(set("client-output-buffer-limit", ""), NGX_OK);

    refused("client-output-buffer-limit", "normal 0 0",
            "Wrong number of arguments in buffer limit configuration.");
    refused("client-output-buffer-limit", "master 0 0 0",
            "Invalid client class specified in buffer limit configuration.");
    refused("client-output-buffer-limit", "normal 5 5 5 pubsub 0 0 1x",
            "Error in hard, soft or soft_seconds setting in buffer limit "
            "configuration.");
    refused("client-output-buffer-limit", "normal 0 0 -1",
            "Error in hard, soft or soft_seconds setting in buffer limit "
            "configuration.");
}


static void
test_params_files_give_words(void **state)
{
    const char  *save[] = { "900", "1", "300", "10" };
    const char  *limit[] = { "pubsub", "1mb", "2mb", "3" };

    assert_int_equal(set_words("save", 4, save), NGX_OK);
    value_is("save", "900 1 300 10");

    assert_int_equal(set_words("client-output-buffer-limit", 4, limit),
                     NGX_OK);
    assert_int_equal(params.output_limit[NGX_OLIVINE_CLASS_PUBSUB].soft,
                     2097152);

    assert_int_equal(set_words("timeout", 2, save), NGX_DECLINED);
    assert_int_equal(set_words("timeout", 0, save), NGX_DECLINED);
}


static void
test_params_words_are_taken_in_any_case(void **state)
{
    assert_int_equal(set("loglevel", "WARNING"), NGX_OK);
    value_is("loglevel", "warning");

    assert_int_equal(set("appendonly", "YES"), NGX_OK);
    assert_int_equal(params.appendonly, 1);

    assert_int_equal(set("enable-debug-command", "local"), NGX_OK);
    assert_int_equal(params.enable_debug_command, NGX_OLIVINE_DEBUG_LOCAL);
}


static void
test_params_strings_have_a_longest_length(void **state)
{
    char                  value[NGX_OLIVINE_REQUIREPASS_MAX + 2];
    ngx_olivine_params_t  other;

    memset(value, 'x', sizeof(value));
    value[NGX_OLIVINE_REQUIREPASS_MAX + 1] = '\0';

    refused("requirepass", value,
            "argument must not be longer than 512 bytes");

    value[NGX_OLIVINE_REQUIREPASS_MAX] = '\0';
    assert_int_equal(set("requirepass", value), NGX_OK);
    assert_int_equal(params.requirepass.len, NGX_OLIVINE_REQUIREPASS_MAX);
    value_is("requirepass", value);

    /* nothing of a longer value is left to differ */

    other = params;
    assert_int_equal(set("requirepass", "y"), NGX_OK);
    assert_false(ngx_olivine_params_equal(&params, &other,
                                          row("requirepass")));
    ngx_olivine_params_defaults(&other);
    ngx_olivine_params_copy(&other, &params, row("requirepass"));
    assert_memory_equal(&other, &params, sizeof(other));
    assert_int_equal(set("requirepass", ""), NGX_OK);
    value_is("requirepass", "");

    refused("dir", "", "argument must not be empty");
}


static void
test_params_print_stops_at_the_end_of_its_room(void **state)
{
    u_char  buf[8];

    buf[4] = '!';
    assert_ptr_equal(ngx_olivine_params_print(&params, row("save"), buf,
                                              buf + 4),
                     buf + 4);
    assert_memory_equal(buf, "3600!", 5);
}


static void
line_is(const char *name, ngx_uint_t n, const char *want)
{
    u_char  buf[NGX_OLIVINE_PARAM_LINE], *p;

    p = ngx_olivine_params_line(&params, row(name), n, buf,
                                buf + sizeof(buf) - 1);

    if (want == NULL) {
        assert_null(p);
        return;
    }

    assert_non_null(p);
    *p = '\0';

    assert_string_equal((char *) buf, want);
}


static void
test_params_have_the_older_names_of_redis(void **state)
{
    const ngx_olivine_param_name_row_t  *other;

    assert_ptr_equal(row("Slave-Read-Only"), row("replica-read-only"));
    assert_ptr_equal(row("lua-time-limit"), row("busy-reply-threshold"));

    for (other = ngx_olivine_param_names; other->name.len; other++) {
        if (other->row) {
            assert_ptr_equal(row(other->row),
                             row((char *) other->name.data));
            assert_string_equal((char *) row(other->row)->name.data,
                                other->row);
            continue;
        }

        assert_null(ngx_olivine_params_find(other->name.data,
                                            other->name.len));
        assert_ptr_equal(ngx_olivine_params_other(other->name.data,
                                                  other->name.len), other);
    }

    assert_null(ngx_olivine_params_other((u_char *) "port", 4));
}


static void
test_params_that_would_promise_too_much_are_refused(void **state)
{
    ngx_str_t                            value;
    const ngx_olivine_param_name_row_t  *other;

    other = ngx_olivine_params_other((u_char *) "Cluster-Enabled", 15);
    assert_non_null(other);

    ngx_str_set(&value, "yes");
    assert_true(ngx_olivine_params_refused(other, &value, 1));
    ngx_str_set(&value, "NO");
    assert_false(ngx_olivine_params_refused(other, &value, 1));
    ngx_str_set(&value, "");
    assert_false(ngx_olivine_params_refused(other, &value, 1));
    assert_true(ngx_olivine_params_refused(other, &value, 2));

    other = ngx_olivine_params_other((u_char *) "activedefrag", 12);
    ngx_str_set(&value, "yes");
    assert_false(ngx_olivine_params_refused(other, &value, 1));

    refused("replicaof", "10.0.0.1 6379", "this version does not replicate, "
            "it takes only 'no one'");
    assert_int_equal(set("replicaof", "no one"), NGX_OK);
    assert_int_equal(set("replicaof", ""), NGX_OK);
    value_is("replicaof", "");
}


static void
test_params_nearest_is_a_slip_of_the_pen(void **state)
{
    assert_string_equal(ngx_olivine_params_nearest((u_char *) "maxmemroy", 9)
                        ->data, "maxmemory");
    assert_string_equal(ngx_olivine_params_nearest((u_char *) "disable-htp",
                                                   11)->data, "disable-thp");
    assert_null(ngx_olivine_params_nearest((u_char *) "colour", 6));
    assert_null(ngx_olivine_params_nearest((u_char *) "config-fil", 10));
}


static void
test_params_of_other_notations(void **state)
{
    assert_int_equal(set("unixsocketperm", "0700"), NGX_OK);
    assert_int_equal(params.unixsocketperm, 0700);
    value_is("unixsocketperm", "700");
    assert_int_equal(set("unixsocketperm", "7"), NGX_OK);
    value_is("unixsocketperm", "7");
    assert_int_equal(set("unixsocketperm", "0"), NGX_OK);
    value_is("unixsocketperm", "0");
    refused("unixsocketperm", "8",
            "argument couldn't be parsed as an octal number");
    refused("unixsocketperm", "",
            "argument couldn't be parsed as an octal number");
    refused("unixsocketperm", "1000",
            "argument must be between 0 and 777 inclusive");
    refused("unixsocketperm", "7777777777777777777777777",
            "argument couldn't be parsed as an octal number");

    assert_int_equal(set("maxmemory-clients", "100%"), NGX_OK);
    value_is("maxmemory-clients", "100%");
    assert_int_equal(params.maxmemory_clients, -100);
    assert_int_equal(set("maxmemory-clients", "1gb"), NGX_OK);
    value_is("maxmemory-clients", "1073741824");
    refused("maxmemory-clients", "101%",
            "percentage argument must be less or equal to 100");
    refused("maxmemory-clients", "%",
            "argument must be a memory or percent value");
    refused("maxmemory-clients", "-5%",
            "argument must be a memory or percent value");
    refused("maxmemory-clients", "-5",
            "argument must be a memory or percent value");

    assert_int_equal(set("workers", "auto"), NGX_OK);
    value_is("workers", "auto");
    assert_int_equal(set("workers", "8"), NGX_OK);
    value_is("workers", "8");
    refused("workers", "0", "argument must be between 1 and 128 inclusive");

    assert_int_equal(set("hz", "0"), NGX_OK);
    value_is("hz", "1");
    assert_int_equal(set("hz", "1000"), NGX_OK);
    value_is("hz", "500");
    refused("hz", "-1",
            "argument must be between 0 and 2147483647 inclusive");

    refused("dbfilename", "a/b", "dbfilename can't be a path, just a "
            "filename");
    refused("list-max-listpack-size", "-2147483649",
            "argument must be between -2147483648 and 2147483647 inclusive");
}


static void
test_params_events_are_printed_as_redis_does(void **state)
{
    ngx_uint_t  i;

    static const char *const  events[][2] = {
        { "", "" }, { "KEA", "AKE" }, { "AnKEm", "AKEm" }, { "td", "td" },
        { "g$lshzxetdKE", "AKE" }, { "nmE", "nEm" }, { "x$gxx", "g$x" }
    };

    for (i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        assert_int_equal(set("notify-keyspace-events", events[i][0]), NGX_OK);
        value_is("notify-keyspace-events", events[i][1]);
    }

    refused("notify-keyspace-events", "Kq", "Invalid event class character. "
            "Use 'Ag$lshzxeKEtmdn'.");
}


static void
test_params_that_add_up(void **state)
{
    ngx_str_t  values[2] = { ngx_string("900"), ngx_string("1") };
    ngx_str_t  none = ngx_string("");

    err.data = text;

    assert_int_equal(ngx_olivine_params_add(&params, row("save"), values, 2,
                                            0, &err), NGX_OK);
    value_is("save", "900 1");
    assert_int_equal(ngx_olivine_params_add(&params, row("save"), values, 2,
                                            1, &err), NGX_OK);
    value_is("save", "900 1 900 1");
    assert_int_equal(ngx_olivine_params_add(&params, row("save"), &none, 1,
                                            1, &err), NGX_OK);
    value_is("save", "");
    assert_int_equal(ngx_olivine_params_add(&params, row("save"), values, 2,
                                            1, &err), NGX_OK);
    value_is("save", "900 1");
    assert_int_equal(ngx_olivine_params_add(&params, row("timeout"), values,
                                            1, 1, &err), NGX_OK);
    value_is("timeout", "900");
}


static void
test_params_are_lines_of_a_file(void **state)
{
    line_is("timeout", 0, "timeout 0");
    line_is("timeout", 1, NULL);
    line_is("client-query-buffer-limit", 0, "client-query-buffer-limit 1gb");
    line_is("hash-max-listpack-value", 0, "hash-max-listpack-value 64");
    line_is("maxmemory", 0, "maxmemory 0");
    line_is("save", 0, "save 3600 1");
    line_is("save", 2, "save 60 10000");
    line_is("save", 3, NULL);
    line_is("client-output-buffer-limit", 2,
            "client-output-buffer-limit pubsub 33554432 8388608 60");
    line_is("client-output-buffer-limit", 3, NULL);
    line_is("bind", 0, "bind * -::*");
    line_is("bind", 1, NULL);
    line_is("requirepass", 0, "requirepass \"\"");

    assert_int_equal(set("save", ""), NGX_OK);
    line_is("save", 0, "save \"\"");
    line_is("save", 1, NULL);

    assert_int_equal(set("requirepass", "plain"), NGX_OK);
    line_is("requirepass", 0, "requirepass plain");
    assert_int_equal(set("requirepass", "a b\"c\\d\n\xff"), NGX_OK);
    line_is("requirepass", 0, "requirepass \"a b\\\"c\\\\d\\x0a\\xff\"");
    assert_int_equal(set("bind", "::1 \"x\"  -a"), NGX_OK);
    line_is("bind", 0, "bind ::1 \"\\\"x\\\"\" \"\" -a");

    assert_int_equal(set("requirepass", "#1"), NGX_OK);
    line_is("requirepass", 0, "requirepass \"#1\"");
}


int
main(void)
{
#define params_test(f)  cmocka_unit_test_setup(f, setup)

    const struct CMUnitTest  tests[] = {
        params_test(test_params_defaults_are_those_of_redis),
        params_test(test_params_every_row_is_complete_and_in_order),
        params_test(test_params_names_are_found_in_any_case),
        params_test(test_params_errors_are_those_of_redis),
        params_test(test_params_schedule_is_checked_as_in_redis),
        params_test(test_params_output_limits_change_only_the_class_named),
        params_test(test_params_files_give_words),
        params_test(test_params_words_are_taken_in_any_case),
        params_test(test_params_strings_have_a_longest_length),
        params_test(test_params_have_the_older_names_of_redis),
        params_test(test_params_that_would_promise_too_much_are_refused),
        params_test(test_params_nearest_is_a_slip_of_the_pen),
        params_test(test_params_of_other_notations),
        params_test(test_params_events_are_printed_as_redis_does),
        params_test(test_params_that_add_up),
        params_test(test_params_are_lines_of_a_file),
        params_test(test_params_print_stops_at_the_end_of_its_room),
    };

    return unit_run(tests);
}
