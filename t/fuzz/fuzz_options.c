
/*
 * Copyright (C) The Olivine authors
 *
 * Any bytes as a redis.conf, and what comes of them as nginx.conf.
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
    }

    fclose(in);
    fclose(out);
    free(text);
    free(o.elts);

    return 0;
}
