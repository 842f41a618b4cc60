
/*
 * Copyright (C) The Olivine authors
 *
 * The bytes of a manifest.  One that is taken is printed, and what was
 * printed is taken and printed to the same; its names are those of files.
 */

/* layer: log */


#include "log/ngx_olivine_manifest.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static u_char *
fuzz_print(ngx_olivine_manifest_t *m, size_t *len)
{
    u_char  *p;

    p = malloc(ngx_olivine_manifest_size(m));
    if (p == NULL) {
        abort();
    }

    *len = ngx_olivine_manifest_print(m, p) - p;

    return p;
}


static void
fuzz_names(ngx_olivine_manifest_t *m)
{
    ngx_uint_t                    i;
    ngx_olivine_manifest_file_t  *file, *incr;

    incr = NULL;

    for (i = 0; i < m->nfiles; i++) {
        file = &m->files[i];

        if (file->seq < 1 || file->name[0] == '\0' || strchr(file->name, '/')
            || strlen(file->name) >= NGX_OLIVINE_MANIFEST_NAME
            || strcmp(file->name, ".") == 0 || strcmp(file->name, "..") == 0)
        {
            abort();
        }

        if (file->type == NGX_OLIVINE_MANIFEST_BASE && i != 0) {
            abort();
        }

        if (file->type == NGX_OLIVINE_MANIFEST_INCR) {

            if (incr && (incr + 1 != file || incr->seq >= file->seq)) {
                abort();
            }

            incr = file;
        }
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    u_char                       *first, *second;
    size_t                        len, n;
    ngx_olivine_manifest_t        m;
    ngx_olivine_manifest_error_t  e;

    ngx_olivine_manifest_init(&m);

    if (ngx_olivine_manifest_parse(&m, data, data + size, &e) != NGX_OK) {

        if (e.text[0] == '\0') {
            abort();
        }

        ngx_olivine_manifest_free(&m);
        return 0;
    }

    fuzz_names(&m);

    first = fuzz_print(&m, &len);
    n = m.nfiles;

    ngx_olivine_manifest_free(&m);

    /* quotes may have made a line too long to be read, and nothing is none */

    if (n && ngx_olivine_manifest_parse(&m, first, first + len, &e) == NGX_OK)
    {
        second = fuzz_print(&m, &n);

        if (n != len || ngx_memcmp(first, second, len) != 0) {
            abort();
        }

        free(second);

    } else if (n && strstr(e.text, "too long") == NULL) {
        abort();
    }

    ngx_olivine_manifest_free(&m);
    free(first);

    return 0;
}
