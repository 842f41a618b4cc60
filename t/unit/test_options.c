
/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include "standalone/ngx_olivine_options.h"


static ngx_olivine_options_t  o;
static ngx_olivine_machine_t  machine;
static char                  *text;
static size_t                 size;


/* options live as long as the process: here that looks like leaks */

const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
    return "detect_leaks=0";
}


#define unit_args(...)                                                        \
    ngx_olivine_options_read(&o,                                              \
        sizeof((char *[]) { "olivine", __VA_ARGS__ }) / sizeof(char *),       \
        (char *[]) { "olivine", __VA_ARGS__, NULL })


static int
setup(void **state)
{
    memset(&o, 0, sizeof(ngx_olivine_options_t));
    memset(&machine, 0, sizeof(ngx_olivine_machine_t));

    machine.memory = 8 * 1024 * 1024 * 1024LL;
    machine.files = RLIM_INFINITY;
    machine.run = "/run";
    machine.ipv6 = 1;

    text = NULL;

    return 0;
}


static int
teardown(void **state)
{
    free(text);
    text = NULL;

    return 0;
}


static ngx_int_t
file(char *lines)
{
    FILE       *in;
    ngx_int_t   rc;

    in = fmemopen(lines, strlen(lines), "r");
    assert_non_null(in);

    rc = ngx_olivine_options_file(&o, in, "redis.conf");

    fclose(in);

    return rc;
}


static ngx_int_t
config(void)
{
    FILE       *out;
    ngx_int_t   rc;

    free(text);

    out = open_memstream(&text, &size);
    assert_non_null(out);

    rc = ngx_olivine_options_write(&o, &machine, out);

    fclose(out);

    return rc;
}


static void
has(const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in:\n%s", part, text);
    }
}


static void
lacks(const char *part)
{
    if (strstr(text, part)) {
        fail_msg("\"%s\" is in:\n%s", part, text);
    }
}


static void
options_without_any_listen_at_home(void **state)
{
    assert_int_equal(config(), NGX_OK);

    has("listen  127.0.0.1:6379 backlog=511;");
    has("listen  [::1]:6379 backlog=511;");
    has("listen  127.0.0.1:6060;");
    has("worker_processes  auto;");
    has("daemon  off;");
    has("error_log  stderr notice;");
    has("pid  /run/olivine-6379.pid;");
    has("worker_connections  10128;");
    has("olivine_zone  main 8192m {\n    }");
    lacks("user ");
}


static void
options_leave_out_ipv6_where_there_is_none(void **state)
{
    machine.ipv6 = 0;

    assert_int_equal(config(), NGX_OK);
    lacks("[::1]");

    assert_int_equal(unit_args("--bind", "::1", "*", "-::*"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("listen  [::1]:6379");
    has("listen  *:6379");
    lacks("[::]");
}


static void
options_of_the_host_shape_the_configuration(void **state)
{
    machine.user = "root";

    assert_int_equal(unit_args("--port", "7000", "--workers", "3", "--http",
                               "off", "--bind", "10.0.0.1", "--unixsocket",
                               "/tmp/o.sock", "--loglevel", "verbose",
                               "--pidfile", "/tmp/o.pid"), NGX_OK);
    assert_int_equal(config(), NGX_OK);

    has("worker_processes  3;");
    has("listen  10.0.0.1:7000 backlog=511;");
    has("listen  unix:/tmp/o.sock;");
    has("error_log  stderr info;");
    has("pid  /tmp/o.pid;");
    has("user  root;");
    has("        loglevel  verbose;\n");
    lacks("http {");
    lacks("6379");
}


static void
options_of_the_store_go_into_the_block(void **state)
{
    assert_int_equal(unit_args("--requirepass", "a\"b $c;\\", "--AppendOnly",
                               "yes", "--save", "", "--unheard-of", "1"),
                     NGX_OK);
    assert_int_equal(config(), NGX_OK);

    has("        requirepass  \"a\\\"b $c;\\\\\";\n");
    has("        appendonly  yes;\n");
    has("        save  \"\";\n");
    has("        unheard-of  1;\n");
}


static void
options_make_the_zone_a_quarter_larger_than_maxmemory(void **state)
{
    assert_int_equal(unit_args("--maxmemory", "400mb"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("olivine_zone  main 500m {\n        maxmemory  400mb;\n");

    assert_int_equal(unit_args("--maxmemory", "1"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("olivine_zone  main 32m {");

    assert_int_equal(unit_args("--maxmemory", "lots"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_non_null(strstr(o.error, "\"maxmemory\""));
}


static void
options_fit_clients_into_the_limit_of_files(void **state)
{
    machine.files = 4096;

    assert_int_equal(config(), NGX_OK);
    has("worker_connections  3200;");
    has("worker_rlimit_nofile  4096;");

    machine.user = "root";

    assert_int_equal(config(), NGX_OK);
    has("worker_connections  10128;");
    has("worker_rlimit_nofile  11024;");
}


static void
options_read_the_lines_of_redis_conf(void **state)
{
    ngx_olivine_option_t  *opt;

    assert_int_equal(file("# a comment\n"
                          "\n"
                          "  port\f7001 \v\r\n"
                          "protected-mode yes\n"
                          "requirepass \"a\\x41\\n\\\"b\"\n"
                          "dir '/var/it\\'s here'\n"
                          "save \"\"\n"
                          "maxclients 50"), NGX_OK);

    assert_string_equal(ngx_olivine_options_get(&o, "port")->argv[1], "7001");
    assert_string_equal(ngx_olivine_options_get(&o, "requirepass")->argv[1],
                        "aA\n\"b");
    assert_string_equal(ngx_olivine_options_get(&o, "dir")->argv[1],
                        "/var/it's here");

    opt = ngx_olivine_options_get(&o, "save");
    assert_int_equal(opt->argc, 2);
    assert_string_equal(opt->argv[1], "");

    assert_int_equal(config(), NGX_OK);
    has("worker_connections  178;");
    lacks("protected-mode");
}


static void
options_refuse_open_quotes_with_their_line(void **state)
{
    assert_int_equal(file("port 1\nrequirepass \"abc\n"), NGX_ERROR);
    assert_string_equal(o.error, "unbalanced quotes in redis.conf:2");

    assert_int_equal(file("requirepass 'abc\n"), NGX_ERROR);
    assert_int_equal(file("requirepass \"abc\"d\n"), NGX_ERROR);
    assert_int_equal(file("requirepass \"abc\\\n"), NGX_ERROR);
}


static void
options_refuse_a_name_without_a_value(void **state)
{
    assert_int_equal(file("\n\nport\n"), NGX_ERROR);
    assert_string_equal(o.error,
                        "wrong number of values for \"port\" in line 3");

    assert_int_equal(unit_args("--port"), NGX_ERROR);
    assert_string_equal(o.error, "wrong number of values for \"--port\"");

    assert_int_equal(unit_args("--port", "1", "2"), NGX_ERROR);
    assert_int_equal(unit_args("--port", "1", "-x"), NGX_ERROR);
}


static void
options_refuse_values_out_of_range(void **state)
{
    assert_int_equal(unit_args("--port", "70000"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_string_equal(o.error, "\"port\" is a number from 0 to 65535, "
                                 "not \"70000\"");

    assert_int_equal(unit_args("--port", "0"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_non_null(strstr(o.error, "nothing to listen on"));

    assert_int_equal(unit_args("--port", "1", "--workers", "0"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);

    assert_int_equal(unit_args("--workers", "1", "--loglevel", "x"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);

    assert_int_equal(unit_args("--loglevel", "debug", "--daemonize", "x"),
                     NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
}


static void
options_given_again_replace_but_lists_grow(void **state)
{
    assert_int_equal(file("port 1\nport 2\nsave 900 1\nsave 60 100\n"),
                     NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("127.0.0.1:2 ");
    has("        save  900 1 60 100;\n");

    assert_int_equal(file("save \"\"\nsave 5 5\n"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("        save  5 5;\n");

    assert_int_equal(unit_args("--port", "3", "--save", "1", "1", "--save",
                               "2", "2"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("127.0.0.1:3 ");
    has("        save  1 1 2 2;\n");
}


static void
options_know_flags_at_any_place(void **state)
{
    assert_int_equal(unit_args("--port", "1", "--print-config"), NGX_OK);
    assert_int_equal(o.print_config, 1);
    assert_int_equal(o.help, 0);

    assert_int_equal(unit_args("-v", "-h"), NGX_OK);
    assert_int_equal(o.version, 1);
    assert_int_equal(o.help, 1);

    assert_int_equal(unit_args("-x"), NGX_ERROR);
    assert_int_equal(unit_args("/no/such/file"), NGX_ERROR);
}


static void
options_read_sizes_as_redis_does(void **state)
{
    off_t       n;
    ngx_uint_t  i;

    static const struct {
        const char  *s;
        off_t        n;
    } good[] = {
        { "0", 0 }, { "100", 100 }, { "7b", 7 }, { "1k", 1000 },
        { "1Kb", 1024 }, { "2m", 2000000 }, { "2MB", 2097152 },
        { "3g", 3000000000LL }, { "3gb", 3221225472LL }
    };

    static const char *const  bad[] = {
        "", "k", "-1", "1t", "1 k", "99999999999999999999",
        "9999999999gb", "+1"
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(ngx_olivine_options_memory(good[i].s, &n), NGX_OK);
        assert_int_equal(n, good[i].n);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(ngx_olivine_options_memory(bad[i], &n), NGX_ERROR);
    }
}


#define options_test(f)  cmocka_unit_test_setup_teardown(f, setup, teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        options_test(options_without_any_listen_at_home),
        options_test(options_leave_out_ipv6_where_there_is_none),
        options_test(options_of_the_host_shape_the_configuration),
        options_test(options_of_the_store_go_into_the_block),
        options_test(options_make_the_zone_a_quarter_larger_than_maxmemory),
        options_test(options_fit_clients_into_the_limit_of_files),
        options_test(options_read_the_lines_of_redis_conf),
        options_test(options_refuse_open_quotes_with_their_line),
        options_test(options_refuse_a_name_without_a_value),
        options_test(options_refuse_values_out_of_range),
        options_test(options_given_again_replace_but_lists_grow),
        options_test(options_know_flags_at_any_place),
        options_test(options_read_sizes_as_redis_does)
    };

    return unit_run(tests);
}
