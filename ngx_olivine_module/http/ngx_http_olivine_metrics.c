
/*
 * Copyright (C) The Olivine authors
 *
 * The metrics as an answer.
 */


#include "http/ngx_http_olivine_pages.h"
#include "http/ngx_olivine_metrics.h"


ngx_int_t
ngx_http_olivine_metrics(ngx_http_olivine_answer_t *answer)
{
    ngx_int_t             rc;
    ngx_olivine_buffer_t  b;

    if (answer->path.len) {
        return NGX_DECLINED;
    }

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    rc = ngx_olivine_metrics(&answer->worker->tx, ngx_olivine_now(), &b);

    if (rc == NGX_OK) {
        ngx_str_set(&answer->type, NGX_OLIVINE_METRICS_TYPE);
        ngx_http_olivine_write(answer, b.data, b.len);
    }

    ngx_olivine_buffer_free(&b);

    return rc;
}
