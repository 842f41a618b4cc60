
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_http_olivine_access.h"
#include "http/ngx_http_olivine_answer.h"


#define NGX_HTTP_OLIVINE_ANSWER_AGAIN  10        /* milliseconds */
#define NGX_HTTP_OLIVINE_ANSWER_TRIES  5000


static ngx_http_olivine_answer_t *ngx_http_olivine_answer_create(
    ngx_http_request_t *r);
static void ngx_http_olivine_answer_path(ngx_http_olivine_answer_t *answer);
static void ngx_http_olivine_answer_body(ngx_http_request_t *r);
static ngx_int_t ngx_http_olivine_answer_run(
    ngx_http_olivine_answer_t *answer);
static void ngx_http_olivine_answer_wait(ngx_http_olivine_answer_t *answer);
static ngx_int_t ngx_http_olivine_answer_fill(
    ngx_http_olivine_answer_t *answer);
static void ngx_http_olivine_answer_again(ngx_event_t *ev);
static void ngx_http_olivine_answer_gone(void *data);
static ngx_int_t ngx_http_olivine_answer_out(
    ngx_http_olivine_answer_t *answer);
static ngx_int_t ngx_http_olivine_answer_headers(
    ngx_http_olivine_answer_t *answer);


ngx_int_t
ngx_http_olivine_answer_handler(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_http_olivine_answer_t  *answer;

    answer = ngx_http_olivine_answer_create(r);
    if (answer == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))
        && !(answer->post && answer->use->post))
    {
        return NGX_HTTP_NOT_ALLOWED;
    }

    if (answer->post && ngx_http_olivine_access(r)) {
        r->request_body_in_single_buf = 1;

        rc = ngx_http_read_client_request_body(r, ngx_http_olivine_answer_body);

        return rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : NGX_DONE;
    }

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_olivine_answer_run(answer);

    if (rc == NGX_DONE) {
        r->main->count++;
    }

    return rc;
}


static ngx_http_olivine_answer_t *
ngx_http_olivine_answer_create(ngx_http_request_t *r)
{
    ngx_http_cleanup_t           *cln;
    ngx_http_olivine_answer_t    *answer;
    ngx_http_olivine_loc_conf_t  *olcf;

    answer = ngx_pcalloc(r->pool, sizeof(ngx_http_olivine_answer_t));
    if (answer == NULL) {
        return NULL;
    }

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_http_olivine_answer_gone;
    cln->data = answer;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_olivine_module);

    answer->request = r;
    answer->use = olcf->use;
    answer->mount = olcf->use->zone->mount;
    answer->worker = answer->mount->worker;
    answer->head = (r->method == NGX_HTTP_HEAD);
    answer->post = (r->method == NGX_HTTP_POST);
    answer->since = ngx_current_msec;

    answer->again.handler = ngx_http_olivine_answer_again;
    answer->again.data = answer;
    answer->again.log = r->connection->log;

    ngx_http_olivine_clear(answer);
    ngx_http_olivine_answer_path(answer);

    ngx_http_set_ctx(r, answer, ngx_http_olivine_module);

    return answer;
}


/* Of a location that is no prefix ("~", "@") it is the last segment. */

static void
ngx_http_olivine_answer_path(ngx_http_olivine_answer_t *answer)
{
    u_char                    *p, *last;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = answer->request;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    p = r->uri.data;
    last = p + r->uri.len;

    if (clcf->name.len <= r->uri.len
        && ngx_strncmp(p, clcf->name.data, clcf->name.len) == 0)
    {
        p += clcf->name.len;

    } else {
        for (p = last; p > r->uri.data && p[-1] != '/'; p--) { /* void */ }
    }

    while (p < last && *p == '/') {
        p++;
    }

    while (p < last && last[-1] == '/') {
        last--;
    }

    answer->path.data = p;
    answer->path.len = last - p;
}


static void
ngx_http_olivine_answer_body(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_http_olivine_answer_t  *answer;

    answer = ngx_http_get_module_ctx(r, ngx_http_olivine_module);

    rc = ngx_http_olivine_answer_run(answer);

    /* reading the body has counted the request already */

    if (rc != NGX_DONE) {
        ngx_http_finalize_request(r, rc);
    }
}


/* What the content handler is to return; DONE: the request goes on. */

static ngx_int_t
ngx_http_olivine_answer_run(ngx_http_olivine_answer_t *answer)
{
    ngx_int_t  rc;

    rc = ngx_http_olivine_answer_fill(answer);

    switch (rc) {

    case NGX_OK:
        return ngx_http_olivine_answer_out(answer);

    case NGX_DECLINED:
        return NGX_HTTP_NOT_FOUND;

    case NGX_AGAIN:
        ngx_http_olivine_answer_wait(answer);
        ngx_add_timer(&answer->again, NGX_HTTP_OLIVINE_ANSWER_AGAIN);
        return NGX_DONE;

    case NGX_DONE:
        ngx_http_olivine_answer_wait(answer);
        return NGX_DONE;

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/*
 * Notes a client that leaves; one that has left already, behind its request,
 * brings no further event.
 */

static void
ngx_http_olivine_answer_wait(ngx_http_olivine_answer_t *answer)
{
    ngx_event_t         *rev;
    ngx_http_request_t  *r;

    r = answer->request;
    rev = r->connection->read;

    r->read_event_handler = ngx_http_test_reading;

    if (!rev->posted) {
        ngx_post_event(rev, &ngx_posted_events);
    }
}


static ngx_int_t
ngx_http_olivine_answer_fill(ngx_http_olivine_answer_t *answer)
{
    ngx_int_t  rc;

    if (!ngx_http_olivine_access(answer->request)) {
        return ngx_http_olivine_refuse(answer, NGX_HTTP_FORBIDDEN,
            "403: only clients of this machine are served.\n"
            "Others are by rules: \"allow ADDRESS;\" and \"deny all;\" in "
            "this location,\nor the parameter \"http-allow\" of olivine.");
    }

    if (answer->worker == NULL) {
        return ngx_http_olivine_refuse(answer, NGX_HTTP_SERVICE_UNAVAILABLE,
            "503: this worker has no access to the zone \"%V\": too many "
            "workers are there.", &answer->use->name);
    }

    ngx_olivine_turn_begin(&answer->mount->turn);

    rc = answer->use->fill(answer);

    if (rc != NGX_AGAIN) {
        return rc;
    }

    ngx_http_olivine_clear(answer);

    if (ngx_current_msec - answer->since > NGX_HTTP_OLIVINE_ANSWER_TRIES) {
        return ngx_http_olivine_refuse(answer, NGX_HTTP_SERVICE_UNAVAILABLE,
            "503: the store is busy, try again later.");
    }

    return NGX_AGAIN;
}


static void
ngx_http_olivine_answer_again(ngx_event_t *ev)
{
    ngx_http_olivine_answer_t *answer = ev->data;

    ngx_int_t            rc;
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = answer->request;
    c = r->connection;

    rc = ngx_http_olivine_answer_run(answer);

    if (rc != NGX_DONE) {
        ngx_http_finalize_request(r, rc);
    }

    ngx_http_run_posted_requests(c);
}


void
ngx_http_olivine_answer_send(ngx_http_olivine_answer_t *answer)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = answer->request;
    c = r->connection;

    answer->gone = NULL;

    ngx_http_finalize_request(r, ngx_http_olivine_answer_out(answer));

    ngx_http_run_posted_requests(c);
}


/* The request's cleanup: its client has left, or it was answered. */

static void
ngx_http_olivine_answer_gone(void *data)
{
    ngx_http_olivine_answer_t *answer = data;

    if (answer->again.timer_set) {
        ngx_del_timer(&answer->again);
    }

    if (answer->gone) {
        answer->gone(answer);
        answer->gone = NULL;
    }
}


static ngx_int_t
ngx_http_olivine_answer_out(ngx_http_olivine_answer_t *answer)
{
    ngx_int_t             rc;
    ngx_buf_t            *b;
    ngx_chain_t         **ll;
    ngx_http_request_t   *r;

    r = answer->request;

    if (answer->failed) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->headers_out.status = answer->status;
    r->headers_out.content_length_n = answer->head && answer->len == 0
                                      ? -1 : answer->len;
    r->headers_out.content_type = answer->type;
    r->headers_out.content_type_len = answer->type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_http_olivine_answer_headers(answer) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (answer->len == 0) {
        r->header_only = 1;
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    /* nginx does not like empty buffers */

    b = NULL;

    for (ll = &answer->out; *ll; /* void */) {

        if ((*ll)->buf->pos == (*ll)->buf->last) {
            *ll = (*ll)->next;
            continue;
        }

        b = (*ll)->buf;
        ll = &(*ll)->next;
    }

    b->last_buf = (r == r->main);
    b->last_in_chain = 1;

    return ngx_http_output_filter(r, answer->out);
}


static ngx_int_t
ngx_http_olivine_answer_headers(ngx_http_olivine_answer_t *answer)
{
    u_char              *p, *last;
    ngx_http_request_t  *r;

    r = answer->request;

    if (ngx_http_olivine_header(answer, "Cache-Control",
                                (u_char *) "no-store",
                                sizeof("no-store") - 1)
        != NGX_OK
        || ngx_http_olivine_header(answer, "X-Content-Type-Options",
                                   (u_char *) "nosniff",
                                   sizeof("nosniff") - 1)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (answer->file.len == 0) {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, sizeof("attachment; filename=\"\"")
                             + answer->file.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    last = ngx_sprintf(p, "attachment; filename=\"%V\"", &answer->file);

    return ngx_http_olivine_header(answer, "Content-Disposition", p,
                                   last - p);
}


ngx_int_t
ngx_http_olivine_header(ngx_http_olivine_answer_t *answer, const char *name,
    u_char *value, size_t len)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&answer->request->headers_out.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->hash = 1;
    h->key.data = (u_char *) name;
    h->key.len = ngx_strlen(name);
    h->value.data = value;
    h->value.len = len;

    return NGX_OK;
}
