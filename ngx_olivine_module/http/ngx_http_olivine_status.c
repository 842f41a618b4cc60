
/*
 * Copyright (C) The Olivine authors
 *
 * The status page, and with "?json=1" the figures that it shows.
 */


#include "http/ngx_http_olivine_pages.h"
#include "http/ngx_olivine_status.h"

#include <sys/random.h>

#include <olivine_page.h>


/* what stands in the page for it, and its random bytes */
#define NGX_HTTP_OLIVINE_STATUS_MARK   "@NONCE@"
#define NGX_HTTP_OLIVINE_STATUS_NONCE  16

/* nothing but what is in the page itself, and what it asks of this server */
#define NGX_HTTP_OLIVINE_STATUS_POLICY                                        \
    "default-src 'none'; script-src 'nonce-%*s'; style-src 'nonce-%*s'; "     \
    "connect-src 'self'; img-src data:; base-uri 'none'; "                    \
    "form-action 'none'; frame-ancestors 'none'"


static ngx_int_t ngx_http_olivine_status_json(
    ngx_http_olivine_answer_t *answer);
static ngx_int_t ngx_http_olivine_status_headers(
    ngx_http_olivine_answer_t *answer, u_char *nonce, size_t len);


ngx_int_t
ngx_http_olivine_status(ngx_http_olivine_answer_t *answer)
{
    u_char      nonce[NGX_HTTP_OLIVINE_STATUS_NONCE * 2], *p, *last, *mark;
    u_char      bytes[NGX_HTTP_OLIVINE_STATUS_NONCE];
    ngx_int_t   json;

    if (answer->path.len) {
        return NGX_DECLINED;
    }

    json = 0;

    if (ngx_http_olivine_arg_number(answer, "json", 0, 1, &json) != NGX_OK) {
        return NGX_OK;
    }

    if (json) {
        return ngx_http_olivine_status_json(answer);
    }

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) {
        return NGX_ERROR;
    }

    (void) ngx_hex_dump(nonce, bytes, sizeof(bytes));

    if (ngx_http_olivine_status_headers(answer, nonce, sizeof(nonce))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_str_set(&answer->type, "text/html; charset=utf-8");

    p = (u_char *) ngx_olivine_page;
    last = p + sizeof(ngx_olivine_page);

    while ((mark = ngx_strlcasestrn(p, last,
                                    (u_char *) NGX_HTTP_OLIVINE_STATUS_MARK,
                                    sizeof(NGX_HTTP_OLIVINE_STATUS_MARK) - 2)))
    {
        ngx_http_olivine_lend(answer, p, mark - p);
        ngx_http_olivine_write(answer, nonce, sizeof(nonce));
        p = mark + sizeof(NGX_HTTP_OLIVINE_STATUS_MARK) - 1;
    }

    ngx_http_olivine_lend(answer, p, last - p);

    return NGX_OK;
}


static ngx_int_t
ngx_http_olivine_status_headers(ngx_http_olivine_answer_t *answer,
    u_char *nonce, size_t len)
{
    u_char  *p, *last;

    p = ngx_pnalloc(answer->request->pool,
                    sizeof(NGX_HTTP_OLIVINE_STATUS_POLICY) + 2 * len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    last = ngx_sprintf(p, NGX_HTTP_OLIVINE_STATUS_POLICY, len, nonce, len,
                       nonce);

    if (ngx_http_olivine_header(answer, "Content-Security-Policy", p,
                                last - p)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_olivine_header(answer, "Referrer-Policy",
                                   (u_char *) "no-referrer",
                                   sizeof("no-referrer") - 1);
}


static ngx_int_t
ngx_http_olivine_status_json(ngx_http_olivine_answer_t *answer)
{
    ngx_int_t             rc;
    ngx_olivine_buffer_t  b;

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    rc = ngx_olivine_status(&answer->worker->tx, ngx_olivine_now(), &b);

    if (rc == NGX_OK) {
        ngx_str_set(&answer->type, "application/json");
        ngx_http_olivine_write(answer, b.data, b.len);
    }

    ngx_olivine_buffer_free(&b);

    return rc;
}
