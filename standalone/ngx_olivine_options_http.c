
/*
 * Copyright (C) The Olivine authors
 *
 * The http block of the configuration that is written.
 */


#include "ngx_olivine_options.h"


static ngx_int_t ngx_olivine_options_http_allow(ngx_olivine_options_t *o,
    FILE *out);
static ngx_uint_t ngx_olivine_options_http_network(const char *text);


/*
 * A second server, or another program that likes that port, is no reason not
 * to serve clients: it has to be asked for to be one.
 */

ngx_int_t
ngx_olivine_options_http(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out)
{
    const char  *address;

    address = (char *) o->params.http.data;

    if (strcmp(address, "off") == 0) {
        return NGX_OK;
    }

    if (ngx_olivine_options_get(o, "http") == NULL) {

        if (m->busy && m->busy(address)) {
            m->no_http = 1;

            ngx_olivine_options_note(o, "no status pages: %s is taken, "
                                     "\"--http ADDR:PORT\" gives them another "
                                     "address", address);
        }

        if (m->no_http) {
            return NGX_OK;
        }
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
                 "\n"
                 "        allow  127.0.0.0/8;\n"
                 "        allow  ::1;\n"
                 "        allow  unix:;\n");

    if (ngx_olivine_options_http_allow(o, out) != NGX_OK) {
        return NGX_ERROR;
    }

    fprintf(out, "        deny   all;\n"
                 "\n"
                 "        location  /              { olivine_status  main; }\n"
                 "        location  /metrics       { olivine_metrics  main; }\n"
                 "        location  /debug/pprof/  { olivine_pprof  main; }\n"
                 "        location  /status        { stub_status; }\n"
                 "    }\n"
                 "}\n");

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_options_http_allow(ngx_olivine_options_t *o, FILE *out)
{
    char  words[NGX_OLIVINE_BIND_MAX + 1], *word, *save;

    strcpy(words, (char *) o->params.http_allow.data);

    for (word = strtok_r(words, " ", &save);
         word;
         word = strtok_r(NULL, " ", &save))
    {
        if (strcmp(word, "all") != 0
            && !ngx_olivine_options_http_network(word))
        {
            return ngx_olivine_options_error(o, "\"http-allow\" is addresses, "
                                             "networks as 10.0.0.0/8, or "
                                             "\"all\", not \"%s\"", word);
        }

        fprintf(out, "        allow  %s;\n", word);
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_olivine_options_http_network(const char *text)
{
    char     copy[64], *slash, *end;
    long     bits, max;
    u_char   address[16];

    if (strlen(text) >= sizeof(copy)) {
        return 0;
    }

    strcpy(copy, text);
    slash = strchr(copy, '/');

    if (slash) {
        *slash++ = '\0';
    }

    if (inet_pton(AF_INET, copy, address) == 1) {
        max = 32;

    } else if (inet_pton(AF_INET6, copy, address) == 1) {
        max = 128;

    } else {
        return 0;
    }

    if (slash == NULL) {
        return 1;
    }

    if (!isdigit((u_char) *slash)) {
        return 0;
    }

    bits = strtol(slash, &end, 10);

    return *end == '\0' && bits <= max;
}
