
/*
 * Copyright (C) The Olivine authors
 *
 * The answer to one request.
 *
 * A page is a function that fills the answer.  It is called in the loop of
 * the worker that has the request, GET or HEAD, and returns
 *
 *   OK        it is filled (or refused), and is to be sent
 *   DECLINED  there is no such page: 404
 *   AGAIN     the gate is up, or a lock could not be had: what was filled is
 *             thrown away and the page called again a little later; 503 if
 *             that lasts for seconds
 *   DONE      somebody will call ngx_http_olivine_answer_send() later; the
 *             answer stays until then, or until the client has gone, when
 *             answer->gone is called
 *   ERROR     no memory: 500
 *
 * It may use the worker: worker->tx takes locks (no lock may be held when it
 * returns), worker->cx runs commands, worker->zone is read.  The zone's text
 * is copied into the answer.
 *
 * Filling cannot fail: what there is no memory for turns into a 500.
 */


#ifndef _NGX_HTTP_OLIVINE_ANSWER_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_ANSWER_H_INCLUDED_


#include "http/ngx_http_olivine_conf.h"


/* bytes that one ngx_http_olivine_print() may have */
#define NGX_HTTP_OLIVINE_PRINT  4096


struct ngx_http_olivine_answer_s {
    ngx_http_request_t     *request;
    ngx_http_olivine_use_t *use;
    ngx_olivine_mount_t    *mount;
    ngx_olivine_worker_t   *worker;

    /* behind the location's name, without slashes around it; may be empty */
    ngx_str_t               path;

    /* what to send: 200, "text/plain; charset=utf-8" and no name unless set */
    ngx_uint_t              status;
    ngx_str_t               type;
    ngx_str_t               file;        /* to be saved under */

    ngx_chain_t            *out;
    ngx_chain_t           **last;
    ngx_buf_t              *buf;         /* that is being filled, or NULL */
    off_t                   len;

    /* of who returned DONE; called once, unless the answer was sent before */
    void                  (*gone)(ngx_http_olivine_answer_t *answer);
    void                   *data;

    ngx_event_t             again;
    ngx_msec_t              since;       /* the first attempt */
    unsigned                head:1;      /* HEAD: the body is not sent */
    unsigned                post:1;
    unsigned                failed:1;    /* there was no memory */
};


/* nginx's content handler of a location with one of the directives. */
ngx_int_t ngx_http_olivine_answer_handler(ngx_http_request_t *r);

/* Adds bytes, copied; text; text as ngx_sprintf() has it. */
void ngx_http_olivine_write(ngx_http_olivine_answer_t *answer,
    const void *data, size_t len);
void ngx_http_olivine_text(ngx_http_olivine_answer_t *answer,
    const char *text);
void ngx_http_olivine_print(ngx_http_olivine_answer_t *answer,
    const char *fmt, ...);

/* Adds bytes that stay where they are until the request's end. */
void ngx_http_olivine_lend(ngx_http_olivine_answer_t *answer, u_char *data,
    size_t len);

/* The same text for HTML: <, >, & and quotes as entities. */
void ngx_http_olivine_html(ngx_http_olivine_answer_t *answer,
    const u_char *data, size_t len);

/* A header of the answer; the value stays until the request's end. */
ngx_int_t ngx_http_olivine_header(ngx_http_olivine_answer_t *answer,
    const char *name, u_char *value, size_t len);

/* Throws away what was added. */
void ngx_http_olivine_clear(ngx_http_olivine_answer_t *answer);

/*
 * The answer is this status and text (a line end is added), instead of what
 * was filled: "return ngx_http_olivine_refuse(...)".  Always OK.
 */
ngx_int_t ngx_http_olivine_refuse(ngx_http_olivine_answer_t *answer,
    ngx_uint_t status, const char *fmt, ...);

/* An argument of the query, decoded.  OK, or DECLINED: it is not there. */
ngx_int_t ngx_http_olivine_arg(ngx_http_olivine_answer_t *answer,
    const char *name, ngx_str_t *value);

/*
 * The same for a number from min to max, n stays what it is without it.  OK,
 * or DECLINED: the answer is refused with a 400 that says why, to be sent.
 */
ngx_int_t ngx_http_olivine_arg_number(ngx_http_olivine_answer_t *answer,
    const char *name, ngx_int_t min, ngx_int_t max, ngx_int_t *n);

/* The answer of somebody who returned DONE is filled: sends it. */
void ngx_http_olivine_answer_send(ngx_http_olivine_answer_t *answer);


#endif /* _NGX_HTTP_OLIVINE_ANSWER_H_INCLUDED_ */
