
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


static ngx_uint_t
no_ipv6(const char *address)
{
    return strchr(address, ':') == NULL;
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
options_without_any_listen_everywhere(void **state)
{
    assert_int_equal(config(), NGX_OK);

    has("listen  *:6379 backlog=511;");
    has("listen  [::]:6379 backlog=511;");
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
    machine.has = no_ipv6;

    assert_int_equal(config(), NGX_OK);
    lacks("[::");

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
    has("        port  7000;\n");
    has("        bind  10.0.0.1;\n");
    lacks("http {");
    lacks("6379");
}


static ngx_uint_t
busy(const char *address)
{
    return strcmp(address, "127.0.0.1:6060") == 0;
}


static void
options_open_the_pages_to_this_machine(void **state)
{
    assert_int_equal(config(), NGX_OK);

    has("        allow  127.0.0.0/8;\n"
        "        allow  ::1;\n"
        "        allow  unix:;\n"
        "        deny   all;\n");
    has("location  /              { olivine_status  main; }");
    has("location  /metrics       { olivine_metrics  main; }");
    has("location  /debug/pprof/  { olivine_pprof  main; }");
    has("location  /status        { stub_status; }");
}


static void
options_open_the_pages_to_others_when_told(void **state)
{
    assert_int_equal(unit_args("--http", "0.0.0.0:8000", "--http-allow",
                               "10.0.0.0/8", "fe80::1"), NGX_OK);
    assert_int_equal(config(), NGX_OK);

    has("listen  0.0.0.0:8000;");
    has("        allow  unix:;\n"
        "        allow  10.0.0.0/8;\n"
        "        allow  fe80::1;\n"
        "        deny   all;\n");

    assert_int_equal(unit_args("--http-allow", "10.0.0.0/33"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_string_equal(o.error, "\"http-allow\" is addresses, networks as "
                        "10.0.0.0/8, or \"all\", not \"10.0.0.0/33\"");

    assert_int_equal(unit_args("--http-allow", "10.0.0.0/"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_int_equal(unit_args("--http-allow", "all; }"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_int_equal(unit_args("--http-allow", "all"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("        allow  all;\n");
}


static void
options_do_without_pages_where_their_port_is_taken(void **state)
{
    machine.busy = busy;

    assert_int_equal(config(), NGX_OK);
    lacks("http {");
    assert_int_equal(machine.no_http, 1);
    assert_non_null(strstr(o.note, "no status pages: 127.0.0.1:6060 is "
                                   "taken"));

    /* it stays so when the configuration is read again */

    machine.busy = NULL;
    assert_int_equal(config(), NGX_OK);
    lacks("http {");

    /* who asks for it is to learn of it from nginx */

    machine.busy = busy;
    assert_int_equal(unit_args("--http", "127.0.0.1:6060"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("listen  127.0.0.1:6060;");
}


static void
options_of_the_store_go_into_the_block(void **state)
{
    assert_int_equal(unit_args("--requirepass", "a\"b $c;\\", "--AppendOnly",
                               "yes", "--save", "", "--slave-priority", "1",
                               "--disable-thp", "no"), NGX_OK);
    assert_int_equal(config(), NGX_OK);

    has("        requirepass  \"a\\\"b $c;\\\\\";\n");
    has("        appendonly  yes;\n");
    has("        save  \"\";\n");
    has("        replica-priority  1;\n");
    has("        disable-thp  no;\n");
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

    assert_int_equal(unit_args("--maxmemory", "lots"), NGX_ERROR);
    assert_string_equal(o.error, "wrong value \"lots\" of \"--maxmemory\": "
                                 "argument must be a memory value");
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
    has("        protected-mode  yes;\n");
}


static void
options_refuse_open_quotes_with_their_line(void **state)
{
    assert_int_equal(file("port 1\nrequirepass \"abc\n"), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:2: unbalanced quotes");

    assert_int_equal(file("requirepass 'abc\n"), NGX_ERROR);
    assert_int_equal(file("requirepass \"abc\"d\n"), NGX_ERROR);
    assert_int_equal(file("requirepass \"abc\\\n"), NGX_ERROR);
}


static void
options_refuse_a_name_without_a_value(void **state)
{
    assert_int_equal(file("\n\nport\n"), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:3: wrong number of values for "
                                 "\"port\", it takes: number");

    assert_int_equal(unit_args("--port"), NGX_ERROR);
    assert_string_equal(o.error, "wrong number of values for \"--port\", it "
                                 "takes: number");

    assert_int_equal(unit_args("--port", "1", "2"), NGX_ERROR);
    assert_int_equal(unit_args("--port", "1", "-x"), NGX_ERROR);
}


static void
options_refuse_values_out_of_range(void **state)
{
    assert_int_equal(unit_args("--port", "70000"), NGX_ERROR);
    assert_string_equal(o.error, "wrong value \"70000\" of \"--port\": "
                        "argument must be between 0 and 65535 inclusive");

    assert_int_equal(file("port 1\nworkers 0x\n"), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:2: wrong value \"0x\" of "
                        "\"workers\": argument couldn't be parsed into an "
                        "integer");

    assert_int_equal(unit_args("--loglevel", "x"), NGX_ERROR);
    assert_int_equal(unit_args("--daemonize", "x"), NGX_ERROR);
    assert_int_equal(unit_args("--unixsocketperm", "778"), NGX_ERROR);
    assert_int_equal(unit_args("--unixsocketperm", "1000"), NGX_ERROR);

    assert_int_equal(unit_args("--port", "0"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_non_null(strstr(o.error, "nothing to listen on"));
}


static void
options_tell_no_password(void **state)
{
    char  line[700];

    memset(line, 'x', sizeof(line));
    memcpy(line, "requirepass ", 12);
    line[sizeof(line) - 1] = '\0';

    assert_int_equal(file(line), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:1: wrong value of "
                        "\"requirepass\": argument must not be longer than "
                        "512 bytes");
}


static void
options_know_what_would_be_right(void **state)
{
    assert_int_equal(file("\nmaxclient 1\n"), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:2: unknown parameter "
                        "\"maxclient\", did you mean \"maxclients\"?");

    assert_int_equal(unit_args("--prot", "1"), NGX_ERROR);
    assert_string_equal(o.error, "unknown parameter \"--prot\", did you mean "
                                 "\"--port\"?");

    assert_int_equal(unit_args("--unheard-of-it", "1"), NGX_ERROR);
    assert_string_equal(o.error, "unknown parameter \"--unheard-of-it\"");

    /* not for files */

    assert_int_equal(file("config-file /etc/passwd\n"), NGX_ERROR);
}


static void
options_refuse_what_is_not_there(void **state)
{
    assert_int_equal(file("cluster-enabled no\ncluster-node-timeout 5\n"
                          "aclfile \"\"\nreplicaof no one\n"), NGX_OK);

    assert_int_equal(file("cluster-enabled yes\n"), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:1: \"cluster-enabled\": this "
                                 "version is no cluster");
    assert_int_equal(file("loadmodule /x.so\n"), NGX_ERROR);
    assert_int_equal(file("aclfile /etc/users\n"), NGX_ERROR);
    assert_int_equal(file("user joe on\n"), NGX_ERROR);
    assert_int_equal(file("slaveof 10.0.0.1 6379\n"), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:1: wrong value \"10.0.0.1\" of "
                        "\"replicaof\": this version does not replicate, it "
                        "takes only 'no one'");
}


static void
options_take_arguments_as_redis_does(void **state)
{
    assert_int_equal(unit_args("--maxmemory 700mb", "--save", "--port 7",
                               "--bind '127.0.0.1'  ::1"), NGX_OK);
    assert_int_equal(o.params.maxmemory, 700 * 1024 * 1024);
    assert_int_equal(o.params.save.n, 0);
    assert_int_equal(o.params.port, 7);
    assert_string_equal(o.params.bind.data, "127.0.0.1 ::1");

    assert_int_equal(unit_args("--requirepass", "--secret", "--port", "8",
                               "--save"), NGX_OK);
    assert_string_equal(o.params.requirepass.data, "--secret");
    assert_int_equal(o.params.port, 8);

    assert_int_equal(unit_args("--port", "--loglevel", "verbose"), NGX_ERROR);
    assert_int_equal(unit_args("--port 'x"), NGX_ERROR);
    assert_int_equal(unit_args("--"), NGX_ERROR);
    assert_int_equal(unit_args("port", "7"), NGX_ERROR);
}


static void
options_include_files(void **state)
{
    int    fd;
    FILE  *out;
    char   path[] = "/tmp/olivine-options-XXXXXX", line[128];

    fd = mkstemp(path);
    assert_int_not_equal(fd, -1);

    out = fdopen(fd, "w");
    fprintf(out, "port 7002\n");
    fclose(out);

    sprintf(line, "port 1\ninclude %s\ninclude /no/such/*.conf\n", path);
    assert_int_equal(file(line), NGX_OK);
    assert_int_equal(o.params.port, 7002);

    sprintf(line, "%.20s*", path);
    assert_int_equal(unit_args("--port", "1", "--include", line), NGX_OK);
    assert_int_equal(o.params.port, 7002);

    assert_int_equal(file("include /no/such/file\n"), NGX_ERROR);
    assert_string_equal(o.error, "redis.conf:1: cannot open "
                        "\"/no/such/file\": No such file or directory");

    /* it may not include itself */

    out = fopen(path, "w");
    fprintf(out, "include %s\n", path);
    fclose(out);

    sprintf(line, "include %s\n", path);
    assert_int_equal(file(line), NGX_ERROR);
    assert_non_null(strstr(o.error, "too deep"));

    unlink(path);
}


static void
options_rename_commands_one_by_one(void **state)
{
    assert_int_equal(file("rename-command FLUSHALL \"\"\n"
                          "rename-command GET fetch\n"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("        rename-command  FLUSHALL \"\";\n"
        "        rename-command  GET fetch;\n");

    assert_int_equal(file("rename-command FLUSHALL\n"), NGX_ERROR);
}


static void
options_of_threads_are_workers(void **state)
{
    assert_int_equal(unit_args("--io-threads", "4"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("worker_processes  4;");

    assert_int_equal(unit_args("--workers", "auto"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("worker_processes  auto;");
}


static void
options_that_are_supervised_stay_in_the_foreground(void **state)
{
    assert_int_equal(unit_args("--daemonize", "yes", "--supervised", "auto"),
                     NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("daemon  on;");
    has("error_log  /dev/null notice;");
    lacks("NOTIFY_SOCKET");

    machine.notify = "/run/systemd/notify";

    assert_int_equal(config(), NGX_OK);
    has("daemon  off;");
    has("env  NOTIFY_SOCKET;");
    has("error_log  stderr notice;");

    assert_int_equal(unit_args("--supervised", "no"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("daemon  on;");
}


static void
options_log_to_the_system(void **state)
{
    assert_int_equal(unit_args("--syslog-enabled", "yes", "--syslog-facility",
                               "local3", "--syslog-ident", "store"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("error_log  syslog:server=unix:/dev/log,facility=local3,tag=store "
        "notice;");

    assert_int_equal(unit_args("--syslog-ident", "a,b"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
}


static void
options_serve_tls_beside(void **state)
{
    assert_int_equal(unit_args("--tls-port", "7443"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_non_null(strstr(o.error, "tls-cert-file"));

    assert_int_equal(unit_args("--tls-cert-file", "/c", "--tls-key-file",
                               "/k"), NGX_OK);
    assert_int_equal(config(), NGX_ERROR);
    assert_non_null(strstr(o.error, "tls-ca-cert-file"));

    assert_int_equal(unit_args("--tls-auth-clients", "optional",
                               "--tls-ca-cert-file", "/ca", "--port", "0"),
                     NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("listen  *:7443 ssl backlog=511;");
    has("ssl_certificate  /c;");
    has("ssl_certificate_key  /k;");
    has("ssl_client_certificate  /ca;");
    has("ssl_verify_client  optional;");
    has("ssl_protocols  TLSv1.2 TLSv1.3;");
    lacks(":0 ");
}


static void
options_do_without_a_pid_file_that_cannot_be(void **state)
{
    assert_int_equal(unit_args("--pidfile", "/no/such/folder/pid"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("pid  /run/olivine-6379.pid;");
    assert_string_equal(o.note, "no pidfile \"/no/such/folder/pid\": No such "
                                "file or directory");
}


static void
options_given_again_replace_but_lists_grow(void **state)
{
    assert_int_equal(file("port 1\nport 2\nsave 900 1\nsave 60 100\n"),
                     NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("listen  *:2 ");
    has("        save  900 1 60 100;\n");

    assert_int_equal(file("save \"\"\nsave 5 5\n"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("        save  5 5;\n");

    assert_int_equal(unit_args("--port", "3", "--save", "1", "1", "--save",
                               "2", "2"), NGX_OK);
    assert_int_equal(config(), NGX_OK);
    has("listen  *:3 ");
    has("        save  5 5 1 1 2 2;\n");
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


#define options_test(f)  cmocka_unit_test_setup_teardown(f, setup, teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        options_test(options_without_any_listen_everywhere),
        options_test(options_leave_out_ipv6_where_there_is_none),
        options_test(options_of_the_host_shape_the_configuration),
        options_test(options_open_the_pages_to_this_machine),
        options_test(options_open_the_pages_to_others_when_told),
        options_test(options_do_without_pages_where_their_port_is_taken),
        options_test(options_of_the_store_go_into_the_block),
        options_test(options_make_the_zone_a_quarter_larger_than_maxmemory),
        options_test(options_fit_clients_into_the_limit_of_files),
        options_test(options_read_the_lines_of_redis_conf),
        options_test(options_refuse_open_quotes_with_their_line),
        options_test(options_refuse_a_name_without_a_value),
        options_test(options_refuse_values_out_of_range),
        options_test(options_tell_no_password),
        options_test(options_know_what_would_be_right),
        options_test(options_refuse_what_is_not_there),
        options_test(options_take_arguments_as_redis_does),
        options_test(options_include_files),
        options_test(options_rename_commands_one_by_one),
        options_test(options_of_threads_are_workers),
        options_test(options_that_are_supervised_stay_in_the_foreground),
        options_test(options_log_to_the_system),
        options_test(options_serve_tls_beside),
        options_test(options_do_without_a_pid_file_that_cannot_be),
        options_test(options_given_again_replace_but_lists_grow),
        options_test(options_know_flags_at_any_place)
    };

    return unit_run(tests);
}
