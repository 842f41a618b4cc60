
/*
 * Copyright (C) The Olivine authors
 *
 * Writes the configuration of nginx that stands for the options.
 */


#include "ngx_olivine_options.h"


#define NGX_OLIVINE_OPTIONS_CLIENTS  10000

/* listening sockets, doorbells, http, files: not counted as clients */
#define NGX_OLIVINE_OPTIONS_FILES    1024
#define NGX_OLIVINE_OPTIONS_HTTP     128

/* least size of the zone in megabytes: journals and tables need room, too */
#define NGX_OLIVINE_OPTIONS_ZONE     32

/* longer than any address of a socket */
#define NGX_OLIVINE_OPTIONS_PATH     256


static const char *ngx_olivine_options_value(ngx_olivine_options_t *o,
    const char *name, const char *dflt);
static ngx_int_t ngx_olivine_options_number(ngx_olivine_options_t *o,
    const char *name, ngx_int_t min, ngx_int_t max, ngx_int_t *value);
static ngx_int_t ngx_olivine_options_write_main(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static ngx_int_t ngx_olivine_options_write_stream(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static ngx_int_t ngx_olivine_options_write_zone(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static ngx_int_t ngx_olivine_options_write_listen(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static void ngx_olivine_options_write_address(ngx_olivine_machine_t *m,
    const char *address, ngx_int_t port, ngx_int_t backlog, FILE *out);
static void ngx_olivine_options_write_http(ngx_olivine_options_t *o,
    FILE *out);
static void ngx_olivine_options_quote(const char *s, FILE *out);


/* Redis's levels, and what nginx calls them */
static const char *const  ngx_olivine_option_levels[] = {
    "debug", "debug", "verbose", "info", "notice", "notice",
    "warning", "warn", "nothing", "emerg", NULL
};


ngx_int_t
ngx_olivine_options_write(ngx_olivine_options_t *o, ngx_olivine_machine_t *m,
    FILE *out)
{
    if (ngx_olivine_options_write_main(o, m, out) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_olivine_options_write_stream(o, m, out) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_olivine_options_write_http(o, out);

    if (fflush(out) == EOF || ferror(out)) {
        return ngx_olivine_options_error(o, "cannot write the configuration");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_write_main(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    ngx_int_t     workers, clients, port;
    ngx_uint_t    i;
    const char   *value, *level;

    value = ngx_olivine_options_value(o, "workers", "auto");

    if (strcmp(value, "auto") == 0) {
        fprintf(out, "worker_processes  auto;\n");

    } else {
        if (ngx_olivine_options_number(o, "workers", 1, 128, &workers)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        fprintf(out, "worker_processes  %ld;\n", (long) workers);
    }

    value = ngx_olivine_options_value(o, "daemonize", "no");

    if (strcasecmp(value, "yes") != 0 && strcasecmp(value, "no") != 0) {
        return ngx_olivine_options_error(o, "\"daemonize\" is \"yes\" or "
                                         "\"no\", not \"%s\"", value);
    }

    fprintf(out, "daemon  %s;\n", strcasecmp(value, "yes") ? "off" : "on");

    /* workers run as whoever started the server */

    if (m->user) {
        fprintf(out, "user  ");
        ngx_olivine_options_quote(m->user, out);
        fprintf(out, ";\n");
    }

    value = ngx_olivine_options_value(o, "pidfile", "");
    port = 6379;

    if (ngx_olivine_options_number(o, "port", 0, 65535, &port) != NGX_OK) {
        return NGX_ERROR;
    }

    fprintf(out, "pid  ");

    if (*value) {
        ngx_olivine_options_quote(value, out);

    } else if (port) {
        fprintf(out, "%s/olivine-%ld.pid", m->run, (long) port);

    } else {
        fprintf(out, "%s/olivine.%ld.pid", m->run, (long) m->pid);
    }

    fprintf(out, ";\n");

    value = ngx_olivine_options_value(o, "loglevel", "notice");
    level = NULL;

    for (i = 0; ngx_olivine_option_levels[i]; i += 2) {
        if (strcasecmp(value, ngx_olivine_option_levels[i]) == 0) {
            level = ngx_olivine_option_levels[i + 1];
        }
    }

    if (level == NULL) {
        return ngx_olivine_options_error(o, "\"loglevel\" is \"debug\", "
                                         "\"verbose\", \"notice\", "
                                         "\"warning\" or \"nothing\", "
                                         "not \"%s\"", value);
    }

    value = ngx_olivine_options_value(o, "logfile", "");

    fprintf(out, "error_log  ");
    ngx_olivine_options_quote(*value ? value : "stderr", out);
    fprintf(out, " %s;\n", level);

    clients = NGX_OLIVINE_OPTIONS_CLIENTS;

    if (ngx_olivine_options_number(o, "maxclients", 1, 10000000, &clients)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* root may raise the limit, others get what they have */

    if (m->user == NULL && m->files != RLIM_INFINITY
        && (rlim_t) clients + NGX_OLIVINE_OPTIONS_FILES > m->files)
    {
        if (m->files > NGX_OLIVINE_OPTIONS_FILES) {
            clients = m->files - NGX_OLIVINE_OPTIONS_FILES;

        } else {
            clients = ngx_max((ngx_int_t) m->files / 2, 16);
        }

        fprintf(out, "worker_rlimit_nofile  %lu;\n",
                (unsigned long) m->files);

    } else {
        fprintf(out, "worker_rlimit_nofile  %ld;\n",
                (long) clients + NGX_OLIVINE_OPTIONS_FILES);
    }

    fprintf(out, "\nevents {\n    worker_connections  %ld;\n}\n",
            (long) clients + NGX_OLIVINE_OPTIONS_HTTP);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_write_stream(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    fprintf(out, "\nstream {\n    olivine_shutdown  on;\n\n");

    if (ngx_olivine_options_write_zone(o, m, out) != NGX_OK) {
        return NGX_ERROR;
    }

    fprintf(out, "\n    server {\n");

    if (ngx_olivine_options_write_listen(o, m, out) != NGX_OK) {
        return NGX_ERROR;
    }

    fprintf(out, "        olivine  main;\n    }\n}\n");

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_write_zone(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    off_t                            size;
    ngx_uint_t                       i, n;
    const char                      *value;
    const ngx_olivine_option_row_t  *row;

    value = ngx_olivine_options_value(o, "maxmemory", "0");

    if (ngx_olivine_options_memory(value, &size) != NGX_OK
        || size > NGX_MAX_OFF_T_VALUE / 2)
    {
        return ngx_olivine_options_error(o, "\"maxmemory\" is a size such as "
                                         "\"100mb\", not \"%s\"", value);
    }

    size = size ? size + size / 4 : m->memory;
    size = (size + 1024 * 1024 - 1) / (1024 * 1024);

    fprintf(out, "    olivine_zone  main %lldm {\n",
            (long long) ngx_max(size, NGX_OLIVINE_OPTIONS_ZONE));

    for (i = 0; i < o->nelts; i++) {
        row = ngx_olivine_options_row(o->elts[i].argv[0]);

        if (row && row->kind != NGX_OLIVINE_OPTION_BOTH) {
            continue;
        }

        fprintf(out, "        ");
        ngx_olivine_options_quote(o->elts[i].argv[0], out);

        for (n = 1; n < o->elts[i].argc; n++) {
            fprintf(out, n == 1 ? "  " : " ");
            ngx_olivine_options_quote(o->elts[i].argv[n], out);
        }

        fprintf(out, ";\n");
    }

    fprintf(out, "    }\n");

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_write_listen(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    char                   path[NGX_OLIVINE_OPTIONS_PATH];
    ngx_int_t              port, backlog;
    ngx_uint_t             i;
    const char            *unix_socket;
    ngx_olivine_option_t  *bind;

    port = 6379;
    backlog = 511;

    if (ngx_olivine_options_number(o, "port", 0, 65535, &port) != NGX_OK
        || ngx_olivine_options_number(o, "tcp-backlog", 1, 65535, &backlog)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    bind = ngx_olivine_options_get(o, "bind");
    unix_socket = ngx_olivine_options_value(o, "unixsocket", "");

    if (port == 0 && *unix_socket == '\0') {
        return ngx_olivine_options_error(o, "nothing to listen on: \"port\" "
                                         "is 0 and \"unixsocket\" not given");
    }

    if (port && bind) {
        for (i = 1; i < bind->argc; i++) {
            ngx_olivine_options_write_address(m, bind->argv[i], port, backlog,
                                              out);
        }

    } else if (port) {
        ngx_olivine_options_write_address(m, "127.0.0.1", port, backlog, out);
        ngx_olivine_options_write_address(m, "-::1", port, backlog, out);
    }

    if (*unix_socket) {
        snprintf(path, sizeof(path), "unix:%s", unix_socket);

        fprintf(out, "        listen  ");
        ngx_olivine_options_quote(path, out);
        fprintf(out, ";\n");
    }

    return NGX_OK;
}


/* As Redis: "*" is any address, a leading "-" allows it to be missing. */

static void
ngx_olivine_options_write_address(ngx_olivine_machine_t *m,
    const char *address, ngx_int_t port, ngx_int_t backlog, FILE *out)
{
    char        listen[NGX_OLIVINE_OPTIONS_PATH];
    ngx_uint_t  ipv6;

    ipv6 = (strchr(address, ':') != NULL);

    if (*address == '-') {
        if (ipv6 && !m->ipv6) {
            return;
        }

        address++;
    }

    if (strcmp(address, "::*") == 0) {
        address = "::";
    }

    snprintf(listen, sizeof(listen), ipv6 ? "[%s]:%ld" : "%s:%ld", address,
             (long) port);

    fprintf(out, "        listen  ");
    ngx_olivine_options_quote(listen, out);
    fprintf(out, " backlog=%ld;\n", (long) backlog);
}


static void
ngx_olivine_options_write_http(ngx_olivine_options_t *o, FILE *out)
{
    const char  *address;

    address = ngx_olivine_options_value(o, "http", "127.0.0.1:6060");

    if (strcmp(address, "off") == 0) {
        return;
    }

    fprintf(out, "\nhttp {\n"
                 "    access_log             off;\n"
                 "    server_tokens          off;\n"
                 "    client_body_temp_path  /tmp;\n"
                 "    proxy_temp_path        /tmp;\n"
                 "\n"
                 "    server {\n"
                 "        listen  ");

    ngx_olivine_options_quote(address, out);

    fprintf(out, ";\n"
                 "        location /        { return 404; }\n"
                 "        location /status  { stub_status; }\n"
                 "    }\n"
                 "}\n");
}


/* Bare where nginx takes it bare, else in double quotes. */

static void
ngx_olivine_options_quote(const char *s, FILE *out)
{
    const char  *p;

    for (p = s; isalnum((u_char) *p) || (*p && strchr("._-/:,@%+*[]", *p));
         p++)
    {
        /* void */
    }

    if (p != s && *p == '\0') {
        fputs(s, out);
        return;
    }

    fputc('"', out);

    for (p = s; *p; p++) {
        if (*p == '"' || *p == '\\') {
            fputc('\\', out);
        }

        fputc(*p, out);
    }

    fputc('"', out);
}


static const char *
ngx_olivine_options_value(ngx_olivine_options_t *o, const char *name,
    const char *dflt)
{
    ngx_olivine_option_t  *opt;

    opt = ngx_olivine_options_get(o, name);

    return opt ? opt->argv[1] : dflt;
}


/* Leaves *value alone when the parameter was not given. */

static ngx_int_t
ngx_olivine_options_number(ngx_olivine_options_t *o, const char *name,
    ngx_int_t min, ngx_int_t max, ngx_int_t *value)
{
    long         n;
    char        *end;
    const char  *s;

    s = ngx_olivine_options_value(o, name, NULL);
    if (s == NULL) {
        return NGX_OK;
    }

    errno = 0;
    n = strtol(s, &end, 10);

    if (!isdigit((u_char) *s) || *end || errno || n < min || n > max) {
        return ngx_olivine_options_error(o, "\"%s\" is a number from %ld to "
                                         "%ld, not \"%s\"", name, (long) min,
                                         (long) max, s);
    }

    *value = n;

    return NGX_OK;
}
