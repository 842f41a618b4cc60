
/*
 * Copyright (C) The Olivine authors
 *
 * The paths below /debug/pprof/, as Go's net/http/pprof has them.
 */


#include "http/ngx_http_olivine_pprof.h"


static ngx_int_t ngx_http_olivine_pprof_index(
    ngx_http_olivine_answer_t *answer);
static void ngx_http_olivine_pprof_row(ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_pprof_path_t *path, ngx_str_t *base);
static void ngx_http_olivine_pprof_base(ngx_http_olivine_answer_t *answer,
    ngx_str_t *base);
static ngx_uint_t ngx_http_olivine_pprof_count(
    ngx_http_olivine_answer_t *answer, ngx_uint_t kind);
static ngx_int_t ngx_http_olivine_pprof_cmdline(
    ngx_http_olivine_answer_t *answer);


static const ngx_http_olivine_pprof_path_t  ngx_http_olivine_pprof_paths[] = {

    { "profile", ngx_http_olivine_profile, 0, -1, 1,
      "Where CPU time goes, in all workers; <code>?seconds=30</code> says for "
      "how long it is looked at." },

    { "heap", ngx_http_olivine_heap, 0, NGX_OLIVINE_SAMPLE_HEAP, 1,
      "Which code and commands took the memory that is in use." },

    { "allocs", ngx_http_olivine_allocs, 0, NGX_OLIVINE_SAMPLE_HEAP, 1,
      "The same samples, with what was freed since: all memory that was taken "
      "since the zone was made." },

    { "mutex", ngx_http_olivine_mutex, 0, NGX_OLIVINE_SAMPLE_MUTEX, 1,
      "Where workers waited for each other's locks." },

    { "block", ngx_http_olivine_block, 0, NGX_OLIVINE_SAMPLE_BLOCK, 1,
      "Time off the CPU: locks, disks, and clients that are parked." },

    { "cmdline", ngx_http_olivine_pprof_cmdline, 0, -1, 0,
      "How nginx was started: its arguments, with a zero byte between." },

    { "symbol", ngx_http_olivine_symbol, 1, -1, 0,
      "Names of the addresses that a GET or a POST asks for: "
      "<code>?0x1234+0x5678</code>." },

    { NULL, NULL, 0, -1, 0, NULL }
};


ngx_int_t
ngx_http_olivine_pprof(ngx_http_olivine_answer_t *answer)
{
    const ngx_http_olivine_pprof_path_t  *path;

    if (answer->path.len == 0 && !answer->post) {
        return ngx_http_olivine_pprof_index(answer);
    }

    for (path = ngx_http_olivine_pprof_paths; path->name; path++) {

        if (answer->path.len != ngx_strlen(path->name)
            || ngx_strncmp(answer->path.data, path->name, answer->path.len)
               != 0)
        {
            continue;
        }

        if (!answer->post || path->post) {
            return path->fill(answer);
        }

        break;
    }

    if (answer->post) {
        return ngx_http_olivine_refuse(answer, NGX_HTTP_NOT_ALLOWED,
                                       "405: only GET and HEAD.");
    }

    return ngx_http_olivine_refuse(answer, NGX_HTTP_NOT_FOUND,
                                   "404: there is no such profile; the page "
                                   "above has a list.");
}


static ngx_int_t
ngx_http_olivine_pprof_index(ngx_http_olivine_answer_t *answer)
{
    ngx_str_t                             base;
    ngx_olivine_zone_t                   *zone;
    const ngx_http_olivine_pprof_path_t  *path;

    zone = answer->worker->zone;
    ngx_http_olivine_pprof_base(answer, &base);

    ngx_str_set(&answer->type, "text/html; charset=utf-8");

    ngx_http_olivine_print(answer,
        "<!DOCTYPE html>\n"
        "<html lang=\"en\">\n"
        "<head>\n"
        "<title>Profiles: %s</title>\n"
        "<style>\n"
        "body { font-family: sans-serif; margin: 2em; max-width: 60em }\n"
        "td, th { text-align: left; vertical-align: top; "
        "padding: 0.2em 1em 0.2em 0 }\n"
        "</style>\n"
        "</head>\n"
        "<body>\n"
        "<h1>Profiles of the zone \"%s\"</h1>\n"
        "<table>\n"
        "<tr><th>Stacks</th><th>Path</th><th>As</th><th>What it is</th>"
        "</tr>\n", zone->name, zone->name);

    for (path = ngx_http_olivine_pprof_paths; path->name; path++) {
        ngx_http_olivine_pprof_row(answer, path, &base);
    }

    ngx_http_olivine_text(answer,
        "</table>\n"
        "<p>A profile is a gzipped profile.proto: "
        "<code>go tool pprof -http=:8000 FILE</code> shows it. With "
        "<code>?seconds=N</code> the last four tell what those seconds have "
        "added. <code>?debug=1</code> is text, <code>?folded=1</code> what "
        "flame graphs are made from.</p>\n"
        "</body>\n"
        "</html>\n");

    return NGX_OK;
}


static void
ngx_http_olivine_pprof_row(ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_pprof_path_t *path, ngx_str_t *base)
{
    ngx_http_olivine_text(answer, "<tr><td>");

    if (path->kind != -1) {
        ngx_http_olivine_print(answer, "%ui",
                               ngx_http_olivine_pprof_count(answer,
                                                            path->kind));
    }

    ngx_http_olivine_text(answer, "</td><td><a href=\"");
    ngx_http_olivine_html(answer, base->data, base->len);
    ngx_http_olivine_print(answer, "%s\">%s</a></td><td>", path->name,
                           path->name);

    if (path->forms) {
        ngx_http_olivine_text(answer, "<a href=\"");
        ngx_http_olivine_html(answer, base->data, base->len);
        ngx_http_olivine_print(answer, "%s?debug=1\">text</a> <a href=\"",
                               path->name);
        ngx_http_olivine_html(answer, base->data, base->len);
        ngx_http_olivine_print(answer, "%s?folded=1\">folded</a>",
                               path->name);
    }

    ngx_http_olivine_print(answer, "</td><td>%s</td></tr>\n", path->about);
}


/* What links begin with: nothing, or the last part of a path without "/". */

static void
ngx_http_olivine_pprof_base(ngx_http_olivine_answer_t *answer,
    ngx_str_t *base)
{
    u_char     *p, *last;
    ngx_str_t  *uri;

    uri = &answer->request->uri;
    last = uri->data + uri->len;

    for (p = last; p > uri->data && p[-1] != '/'; p--) { /* void */ }

    ngx_str_null(base);

    if (p == last) {
        return;
    }

    base->data = ngx_pnalloc(answer->request->pool, last - p + 1);

    if (base->data == NULL) {
        answer->failed = 1;
        return;
    }

    base->len = ngx_sprintf(base->data, "%*s/", (size_t) (last - p), p)
                - base->data;
}


/* Rows of all slots; read while their owners write, so about as many. */

static ngx_uint_t
ngx_http_olivine_pprof_count(ngx_http_olivine_answer_t *answer,
    ngx_uint_t kind)
{
    ngx_uint_t                   i, n, count;
    ngx_olivine_zone_t          *zone;
    ngx_olivine_sample_table_t  *table;

    zone = answer->worker->zone;
    count = 0;

    for (i = 0; i < zone->slots_high; i++) {
        table = ngx_olivine_sample_table(zone, i);

        for (n = 0; n < ngx_min(table->n, NGX_OLIVINE_SAMPLE_ROWS); n++) {
            count += (table->rows[n].kind == kind && table->rows[n].count);
        }
    }

    return count;
}


static ngx_int_t
ngx_http_olivine_pprof_cmdline(ngx_http_olivine_answer_t *answer)
{
    int  i;

    for (i = 0; i < ngx_argc; i++) {
        ngx_http_olivine_write(answer, ngx_argv[i],
                               ngx_strlen(ngx_argv[i]) + (i + 1 < ngx_argc));
    }

    return NGX_OK;
}
