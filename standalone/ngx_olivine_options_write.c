
/*
 * Copyright (C) The Olivine authors
 *
 * Writes the configuration of nginx that stands for the options.
 */


#include "ngx_olivine_options.h"


/* listening sockets, doorbells, http, files: not counted as clients */
#define NGX_OLIVINE_OPTIONS_FILES    1024
#define NGX_OLIVINE_OPTIONS_HTTP     128

/* nginx's own number of connections is 32 bits wide */
#define NGX_OLIVINE_OPTIONS_CLIENTS  10000000

/* least size of the zone in megabytes: journals and tables need room, too */
#define NGX_OLIVINE_OPTIONS_ZONE     32

/* longer than any address of a socket */
#define NGX_OLIVINE_OPTIONS_PATH     1200


static void ngx_olivine_options_write_workers(ngx_olivine_options_t *o,
    FILE *out);
static ngx_uint_t ngx_olivine_options_supervised(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m);
static void ngx_olivine_options_write_pid(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static ngx_int_t ngx_olivine_options_write_log(ngx_olivine_options_t *o,
    ngx_uint_t daemon, FILE *out);
static ngx_int_t ngx_olivine_options_write_clients(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static ngx_int_t ngx_olivine_options_write_stream(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static ngx_int_t ngx_olivine_options_write_zone(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);
static ngx_int_t ngx_olivine_options_write_tls(ngx_olivine_options_t *o,
    FILE *out);
static void ngx_olivine_options_write_listen(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, int64_t port, const char *what, FILE *out);
static void ngx_olivine_options_write_address(ngx_olivine_machine_t *m,
    const char *address, int64_t port, const char *what, FILE *out);
static void ngx_olivine_options_line(const char *name, u_char *value,
    FILE *out);


/* Redis's levels, as nginx calls them */
static const char *const  ngx_olivine_option_levels[] = {
    "debug", "info", "notice", "warn", "emerg"
};


ngx_int_t
ngx_olivine_options_write(ngx_olivine_options_t *o, ngx_olivine_machine_t *m,
    FILE *out)
{
    ngx_uint_t  daemon;

    if (!o->ready) {
        ngx_olivine_params_defaults(&o->params);
        o->ready = 1;
    }

    ngx_olivine_options_write_workers(o, out);

    /* who is supervised stays in the foreground */

    daemon = o->params.daemonize && !ngx_olivine_options_supervised(o, m);

    fprintf(out, "daemon  %s;\n", daemon ? "on" : "off");

    if (ngx_olivine_options_supervised(o, m)) {
        fprintf(out, "env  NOTIFY_SOCKET;\n");
    }

    /* workers run as whoever started the server */

    if (m->user) {
        fprintf(out, "user  ");
        ngx_olivine_options_quote(m->user, out);
        fprintf(out, ";\n");
    }

    ngx_olivine_options_write_pid(o, m, out);

    if (ngx_olivine_options_write_log(o, daemon, out) != NGX_OK
        || ngx_olivine_options_write_clients(o, m, out) != NGX_OK
        || ngx_olivine_options_write_stream(o, m, out) != NGX_OK
        || ngx_olivine_options_http(o, m, out) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (fflush(out) == EOF || ferror(out)) {
        return ngx_olivine_options_error(o, "cannot write the configuration");
    }

    return NGX_OK;
}


/* Redis's threads for sockets are what workers are here. */

static void
ngx_olivine_options_write_workers(ngx_olivine_options_t *o, FILE *out)
{
    int64_t  n;

    n = o->params.workers;

    if (n == 0 && ngx_olivine_options_get(o, "io-threads")
        && ngx_olivine_options_get(o, "workers") == NULL)
    {
        n = o->params.io_threads;
    }

    if (n == 0) {
        fprintf(out, "worker_processes  auto;\n");
        return;
    }

    fprintf(out, "worker_processes  %ld;\n", (long) n);
}


static ngx_uint_t
ngx_olivine_options_supervised(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m)
{
    return m->notify
           && (o->params.supervised == NGX_OLIVINE_SUPERVISED_SYSTEMD
               || o->params.supervised == NGX_OLIVINE_SUPERVISED_AUTO);
}


/* nginx does not go without the file, Redis does. */

static void
ngx_olivine_options_write_pid(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    char    dir[NGX_OLIVINE_PATH_MAX + 1], *slash;
    u_char *path;

    path = o->params.pidfile.data;

    fprintf(out, "pid  ");

    if (*path) {
        strcpy(dir, (char *) path);

        slash = strrchr(dir, '/');

        if (slash) {
            slash[slash == dir] = '\0';
        }

        if (access(slash ? dir : ".", W_OK) == 0) {
            ngx_olivine_options_quote((char *) path, out);
            fprintf(out, ";\n");
            return;
        }

        ngx_olivine_options_note(o, "no pidfile \"%s\": %s", path,
                                 strerror(errno));
    }

    if (o->params.port) {
        fprintf(out, "%s/olivine-%ld.pid;\n", m->run, (long) o->params.port);

    } else {
        fprintf(out, "%s/olivine.%ld.pid;\n", m->run, (long) m->pid);
    }
}


static ngx_int_t
ngx_olivine_options_write_log(ngx_olivine_options_t *o, ngx_uint_t daemon,
    FILE *out)
{
    u_char      *p;
    const char  *file, *level;

    static const char *const  facilities[] = {
        "user", "local0", "local1", "local2", "local3", "local4", "local5",
        "local6", "local7"
    };

    level = ngx_olivine_option_levels[o->params.loglevel];
    file = (char *) o->params.logfile.data;

    if (*file == '\0') {
        file = daemon ? "/dev/null" : "stderr";
    }

    fprintf(out, "error_log  ");
    ngx_olivine_options_quote(file, out);
    fprintf(out, " %s;\n", level);

    if (!o->params.syslog_enabled) {
        return NGX_OK;
    }

    for (p = o->params.syslog_ident.data; *p; p++) {
        if (!isalnum(*p) && *p != '_') {
            return ngx_olivine_options_error(o, "\"syslog-ident\" is letters, "
                                        "digits and \"_\", not \"%s\"",
                                        o->params.syslog_ident.data);
        }
    }

    fprintf(out, "error_log  syslog:server=unix:/dev/log,facility=%s,tag=%.32s"
            " %s;\n", facilities[o->params.syslog_facility],
            o->params.syslog_ident.data, level);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_write_clients(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    int64_t  clients;

    clients = ngx_min(o->params.maxclients, NGX_OLIVINE_OPTIONS_CLIENTS);

    /* root may raise the limit, others get what they have */

    if (m->user == NULL && m->files != RLIM_INFINITY
        && (rlim_t) clients + NGX_OLIVINE_OPTIONS_FILES > m->files)
    {
        if (m->files > NGX_OLIVINE_OPTIONS_FILES) {
            clients = m->files - NGX_OLIVINE_OPTIONS_FILES;

        } else {
            clients = ngx_max((int64_t) m->files / 2, 16);
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
    u_char  *path;
    char     listen[NGX_OLIVINE_OPTIONS_PATH];

    path = o->params.unixsocket.data;

    if (o->params.port == 0 && o->params.tls_port == 0 && *path == '\0') {
        return ngx_olivine_options_error(o, "nothing to listen on: \"port\" "
                                         "and \"tls-port\" are 0, and there "
                                         "is no \"unixsocket\"");
    }

    fprintf(out, "\nstream {\n    olivine_shutdown  on;\n\n");

    if (ngx_olivine_options_write_zone(o, m, out) != NGX_OK) {
        return NGX_ERROR;
    }

    if (o->params.port || *path) {
        fprintf(out, "\n    server {\n");

        if (o->params.port) {
            ngx_olivine_options_write_listen(o, m, o->params.port, "", out);
        }

        if (*path) {
            snprintf(listen, sizeof(listen), "unix:%s", path);

            fprintf(out, "        listen  ");
            ngx_olivine_options_quote(listen, out);
            fprintf(out, ";\n");
        }

        fprintf(out, "        olivine  main;\n    }\n");
    }

    if (o->params.tls_port) {
        fprintf(out, "\n    server {\n");
        ngx_olivine_options_write_listen(o, m, o->params.tls_port, " ssl",
                                         out);

        if (ngx_olivine_options_write_tls(o, out) != NGX_OK) {
            return NGX_ERROR;
        }

        fprintf(out, "        olivine  main;\n    }\n");
    }

    fprintf(out, "}\n");

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_write_zone(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    int64_t                size;
    ngx_uint_t             i, n;
    ngx_olivine_option_t  *opt;

    size = o->params.maxmemory;

    if (size > NGX_MAX_OFF_T_VALUE / 2) {
        return ngx_olivine_options_error(o, "\"maxmemory\" is larger than "
                                         "any memory");
    }

    size = size ? size + size / 4 : m->memory;
    size = (size + 1024 * 1024 - 1) / (1024 * 1024);

    fprintf(out, "    olivine_zone  main %lldm {\n",
            (long long) ngx_max(size, NGX_OLIVINE_OPTIONS_ZONE));

    for (i = 0; i < o->nelts; i++) {
        opt = &o->elts[i];

        fprintf(out, "        ");
        ngx_olivine_options_quote(opt->argv[0], out);

        for (n = 1; n < opt->argc; n++) {
            fprintf(out, n == 1 ? "  " : " ");
            ngx_olivine_options_quote(opt->argv[n], out);
        }

        fprintf(out, ";\n");
    }

    if (o->file) {
        ngx_olivine_options_line("config-file", (u_char *) o->file, out);
    }

    fprintf(out, "    }\n");

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_write_tls(ngx_olivine_options_t *o, FILE *out)
{
    ngx_olivine_params_t  *p;

    p = &o->params;

    if (p->tls_cert_file.len == 0 || p->tls_key_file.len == 0) {
        return ngx_olivine_options_error(o, "\"tls-port\" needs "
                                         "\"tls-cert-file\" and "
                                         "\"tls-key-file\"");
    }

    if (p->tls_auth_clients != NGX_OLIVINE_AUTH_NO
        && p->tls_ca_cert_file.len == 0)
    {
        return ngx_olivine_options_error(o, "\"tls-port\" needs "
                                         "\"tls-ca-cert-file\", or "
                                         "\"tls-auth-clients no\"");
    }

    ngx_olivine_options_line("ssl_certificate", p->tls_cert_file.data, out);
    ngx_olivine_options_line("ssl_certificate_key", p->tls_key_file.data,
                             out);

    if (p->tls_auth_clients != NGX_OLIVINE_AUTH_NO) {
        ngx_olivine_options_line("ssl_client_certificate",
                                 p->tls_ca_cert_file.data, out);
        fprintf(out, "        ssl_verify_client  %s;\n",
                p->tls_auth_clients == NGX_OLIVINE_AUTH_YES ? "on"
                                                            : "optional");
    }

    /* words of letters, digits and dots, or nginx complains */

    fprintf(out, "        ssl_protocols  %s;\n",
            p->tls_protocols.len
            && strspn((char *) p->tls_protocols.data,
                      "TLSvV1234567890. ") == p->tls_protocols.len
                ? (char *) p->tls_protocols.data : "TLSv1.2 TLSv1.3");

    if (p->tls_ciphers.len) {
        ngx_olivine_options_line("ssl_ciphers", p->tls_ciphers.data, out);
    }

    return NGX_OK;
}


static void
ngx_olivine_options_write_listen(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, int64_t port, const char *what, FILE *out)
{
    char  addresses[NGX_OLIVINE_BIND_MAX + 1], text[64], *address, *save;

    strcpy(addresses, (char *) o->params.bind.data);

    /* as many as the system allows */

    snprintf(text, sizeof(text), "%s backlog=%ld", what,
             (long) ngx_max(o->params.tcp_backlog, 1));

    for (address = strtok_r(addresses, " ", &save);
         address;
         address = strtok_r(NULL, " ", &save))
    {
        ngx_olivine_options_write_address(m, address, port, text, out);
    }
}


/* As Redis: "*" is any address, a leading "-" allows it to be missing. */

static void
ngx_olivine_options_write_address(ngx_olivine_machine_t *m,
    const char *address, int64_t port, const char *what, FILE *out)
{
    char        listen[NGX_OLIVINE_OPTIONS_PATH];
    ngx_uint_t  optional;

    optional = (*address == '-');

    if (optional) {
        address++;
    }

    if (strcmp(address, "::*") == 0) {
        address = "::";
    }

    if (optional && m->has && !m->has(address)) {
        return;
    }

    snprintf(listen, sizeof(listen), strchr(address, ':') ? "[%s]:%ld"
                                                          : "%s:%ld",
             address, (long) port);

    fprintf(out, "        listen  ");
    ngx_olivine_options_quote(listen, out);
    fprintf(out, "%s;\n", what);
}


static void
ngx_olivine_options_line(const char *name, u_char *value, FILE *out)
{
    fprintf(out, "        %s  ", name);
    ngx_olivine_options_quote((char *) value, out);
    fprintf(out, ";\n");
}


void
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
