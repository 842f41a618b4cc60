
/*
 * Copyright (C) The Olivine authors
 *
 * The paths below /debug/pprof/, as Go's net/http/pprof has them.
 */


#include "http/ngx_http_olivine_pprof.h"


static ngx_int_t ngx_http_olivine_pprof_index(
    ngx_http_olivine_answer_t *answer);
static ngx_int_t ngx_http_olivine_pprof_cmdline(
    ngx_http_olivine_answer_t *answer);


static const ngx_http_olivine_pprof_path_t  ngx_http_olivine_pprof_paths[] = {

    { "cmdline", ngx_http_olivine_pprof_cmdline, 0, NULL,
      "How nginx was started: its arguments, with a zero byte between." },

    { NULL, NULL, 0, NULL, NULL }
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
    ngx_olivine_zone_t                   *zone;
    const ngx_http_olivine_pprof_path_t  *path;

    zone = answer->worker->zone;

    ngx_str_set(&answer->type, "text/html; charset=utf-8");

    ngx_http_olivine_print(answer,
        "<!DOCTYPE html>\n"
        "<html lang=\"en\">\n"
        "<head>\n"
        "<title>/debug/pprof/: %s</title>\n"
        "<style>\n"
        "body { font-family: sans-serif; margin: 2em; max-width: 60em }\n"
        "td, th { text-align: left; vertical-align: top; "
        "padding: 0.2em 1em 0.2em 0 }\n"
        "</style>\n"
        "</head>\n"
        "<body>\n"
        "<h1>Profiles of the zone \"%s\"</h1>\n"
        "<table>\n"
        "<tr><th>Path</th><th>What it is</th></tr>\n",
        zone->name, zone->name);

    for (path = ngx_http_olivine_pprof_paths; path->name; path++) {
        ngx_http_olivine_print(answer, "<tr><td><a href=\"%s%s\">%s</a></td>"
                               "<td>%s</td></tr>\n",
                               path->name, path->args ? path->args : "",
                               path->name, path->about);
    }

    ngx_http_olivine_text(answer, "</table>\n</body>\n</html>\n");

    return NGX_OK;
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
