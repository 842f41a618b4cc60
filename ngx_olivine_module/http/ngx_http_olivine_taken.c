
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_http_olivine_taken.h"


static ngx_olivine_profile_t *ngx_http_olivine_taken_table(
    ngx_http_olivine_taking_t *taking);
static ngx_int_t ngx_http_olivine_taken_write(
    ngx_http_olivine_taking_t *taking);
static void ngx_http_olivine_taken_symbol(ngx_olivine_symbols_t *symbols,
    uint64_t address, FILE *out);


void
ngx_http_olivine_taken_before(void *data)
{
    ngx_http_olivine_taking_t *taking = data;

    taking->before = ngx_http_olivine_taken_table(taking);
    taking->rc = taking->before ? NGX_OK : NGX_ERROR;
}


void
ngx_http_olivine_taken_profile(void *data)
{
    ngx_http_olivine_taking_t *taking = data;

    if (taking->profile == NULL) {
        taking->profile = ngx_http_olivine_taken_table(taking);
    }

    if (taking->profile == NULL) {
        taking->rc = NGX_ERROR;
        return;
    }

    if (taking->before) {
        taking->rc = ngx_olivine_profile_subtract(taking->profile,
                                                  taking->before);
        if (taking->rc != NGX_OK) {
            return;
        }

        ngx_olivine_profile_time(taking->profile, taking->begun,
                                 ngx_olivine_now() * 1000000 - taking->begun);
    }

    taking->rc = ngx_http_olivine_taken_write(taking);
    taking->written = 1;
}


/* Without names (there is no memory) it tells addresses. */

static ngx_olivine_profile_t *
ngx_http_olivine_taken_table(ngx_http_olivine_taking_t *taking)
{
    if (taking->symbols == NULL) {
        taking->symbols = ngx_olivine_symbols_create();
    }

    return ngx_olivine_tables_profile(taking->mount->zone, taking->kind->table,
                                      taking->symbols);
}


static ngx_int_t
ngx_http_olivine_taken_write(ngx_http_olivine_taking_t *taking)
{
    switch (taking->form) {

    case NGX_HTTP_OLIVINE_TAKING_TEXT:
        return ngx_olivine_profile_text(taking->profile, &taking->out);

    case NGX_HTTP_OLIVINE_TAKING_FOLDED:
        return ngx_olivine_profile_folded(taking->profile,
                                          taking->kind->folded, &taking->out);

    default:
        return ngx_olivine_profile_encode(taking->profile, &taking->out);
    }
}


void
ngx_http_olivine_taken_symbols(void *data)
{
    ngx_http_olivine_taking_t *taking = data;

    char                   *p, *next, *text;
    FILE                   *out;
    size_t                  size;
    uint64_t                address;

    taking->rc = NGX_ERROR;
    taking->symbols = ngx_olivine_symbols_create();

    if (taking->symbols == NULL) {
        return;
    }

    out = open_memstream(&text, &size);
    if (out == NULL) {
        return;
    }

    fprintf(out, "num_symbols: 1\n");

    p = (char *) taking->words.data;
    p[taking->words.len] = '\0';

    while (*p) {
        address = strtoull(p, &next, 0);

        if (next != p && address) {
            ngx_http_olivine_taken_symbol(taking->symbols, address, out);
        }

        p = next + strcspn(next, "+");
        p += (*p == '+');
    }

    if (fclose(out) != 0) {
        return;
    }

    taking->out.data = (u_char *) text;
    taking->out.len = size;
    taking->rc = NGX_OK;
    taking->written = 1;
}


/* As in Go: a function that is not known has no line. */

static void
ngx_http_olivine_taken_symbol(ngx_olivine_symbols_t *symbols,
    uint64_t address, FILE *out)
{
    ngx_olivine_profile_frame_t  frames[NGX_OLIVINE_SYMBOL_INLINED];

    (void) ngx_olivine_symbols_find(symbols, address, frames,
                                    NGX_OLIVINE_SYMBOL_INLINED);

    if (frames[0].function.data[0] != '[') {
        fprintf(out, "0x%lx %.*s\n", (unsigned long) address,
                (int) frames[0].function.len, frames[0].function.data);
    }
}
