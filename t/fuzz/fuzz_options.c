
/*
 * Copyright (C) The Olivine authors
 *
 * Any bytes as a redis.conf, and what comes of them as nginx.conf.  What it
 * comes to, written as CONFIG REWRITE does and read again, is the same.
 */


#include "standalone/ngx_olivine_options.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* options live as long as the process: here that looks like leaks */
const char *__asan_default_options(void);


const char *
__asan_default_options(void)
{
    return "detect_leaks=0";
}


static void
rewrite(ngx_olivine_options_t *o)
{
    FILE                       *in, *out;
    char                       *text;
    u_char                      line[NGX_OLIVINE_PARAM_LINE], *p;
    size_t                      len;
    ngx_uint_t                  n;
    ngx_olivine_options_t       again;
    const ngx_olivine_param_t  *row;

    out = open_memstream(&text, &len);

    for (row = ngx_olivine_params; row->name.len; row++) {

        if (row->flags & NGX_OLIVINE_PARAM_HIDDEN) {
            continue;
        }

        for (n = 0; /* void */ ; n++) {
            p = ngx_olivine_params_line(&o->params, row, n, line,
                                        line + sizeof(line));
            if (p == NULL) {
                break;
            }

            fprintf(out, "%.*s\n", (int) (p - line), line);
        }
    }

    fclose(out);

    memset(&again, 0, sizeof(ngx_olivine_options_t));

    in = fmemopen(text, len, "r");

    if (in == NULL
        || ngx_olivine_options_file(&again, in, "redis.conf") != NGX_OK)
    {
        abort();
    }

    for (row = ngx_olivine_params; row->name.len; row++) {
        if (!(row->flags & NGX_OLIVINE_PARAM_HIDDEN)
            && !ngx_olivine_params_equal(&o->params, &again.params, row))
        {
            abort();
        }
    }

    fclose(in);
    free(text);
    free(again.elts);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE                   *in, *out;
    char                   *text;
    size_t                  len;
    ngx_olivine_options_t   o;
    ngx_olivine_machine_t   m;

    if (size == 0) {
        return 0;
    }

    memset(&o, 0, sizeof(ngx_olivine_options_t));
    memset(&m, 0, sizeof(ngx_olivine_machine_t));

    /* no other files */
    o.depth = 1000;

    m.memory = 1024 * 1024 * 1024;
    m.files = 1024;
    m.run = "/run";

    in = fmemopen((void *) data, size, "r");
    out = open_memstream(&text, &len);

    if (in == NULL || out == NULL) {
        abort();
    }

    if (ngx_olivine_options_file(&o, in, "redis.conf") == NGX_OK) {
        (void) ngx_olivine_options_write(&o, &m, out);

        rewrite(&o);
    }

    fclose(in);
    fclose(out);
    free(text);
    free(o.elts);

    return 0;
}
