
/*
 * Copyright (C) The Olivine authors
 */


#include "store/ngx_olivine_entry.h"


static size_t ngx_olivine_entry_value_size(ngx_olivine_entry_t *e);


void
ngx_olivine_entry_value(ngx_olivine_zone_t *zone, ngx_olivine_entry_t *e,
    ngx_olivine_value_t *value)
{
    u_char                   *p;
    ngx_str_t                 key;
    ngx_olivine_entry_run_t   run;

    ngx_olivine_entry_key(e, &key);
    p = key.data + key.len;

    value->type = ngx_olivine_entry_type(e);
    value->encoding = ngx_olivine_entry_encoding(e);
    value->page = 0;
    value->receipt = 0;
    value->moved = 0;

    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        ngx_memcpy(&value->number, p, 8);
        return;
    }

    if (e->vlen == NGX_OLIVINE_ENTRY_RUN) {
        ngx_memcpy(&run, p, sizeof(ngx_olivine_entry_run_t));

        value->page = run.page;
        value->text.data = ngx_olivine_zone_page(zone, run.page);
        value->text.len = run.len;
        return;
    }

    value->text.data = p;
    value->text.len = e->vlen;
}


size_t
ngx_olivine_entry_size(ngx_olivine_entry_t *e)
{
    ngx_str_t  key;

    ngx_olivine_entry_key(e, &key);

    return ngx_olivine_entry_head(e->flags) + key.len
           + ngx_olivine_entry_value_size(e);
}


static size_t
ngx_olivine_entry_value_size(ngx_olivine_entry_t *e)
{
    if (ngx_olivine_entry_encoding(e) == NGX_OLIVINE_ENC_INT) {
        return 8;
    }

    if (e->vlen == NGX_OLIVINE_ENTRY_RUN) {
        return sizeof(ngx_olivine_entry_run_t);
    }

    return e->vlen;
}
