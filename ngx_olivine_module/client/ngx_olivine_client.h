
/*
 * Copyright (C) The Olivine authors
 *
 * One peer, and the worker it belongs to, without any socket: bytes are fed
 * in, replies taken out.  The host (the nginx module, or a unit test) moves
 * bytes and tells the time.
 *
 * The host's read loop:
 *
 *     rc = ngx_olivine_client_buffer(client, &p, &size);
 *     n = recv(fd, p, size);
 *     rc = ngx_olivine_client_received(client, n);
 *
 * and its write loop: take ngx_olivine_reply_iovecs(&client->reply), send,
 * ngx_olivine_client_sent(client, n).
 */


#ifndef _NGX_OLIVINE_CLIENT_H_INCLUDED_
#define _NGX_OLIVINE_CLIENT_H_INCLUDED_


#include "command/ngx_olivine_command.h"


typedef struct ngx_olivine_worker_s  ngx_olivine_worker_t;


/* What the core asks of its host. */
typedef struct {
    /*
     * A parked client may go on: call ngx_olivine_client_run() from the
     * event loop, not from inside this call.
     */
    void  (*wake)(ngx_olivine_client_t *client);

    /* The same after so many milliseconds; one timer a client. */
    void  (*timer)(ngx_olivine_client_t *client, ngx_msec_t ms);

    /* Close the client soon, not from inside this call; its pin is old. */
    void  (*close)(ngx_olivine_client_t *client);
} ngx_olivine_host_t;


typedef enum {
    NGX_OLIVINE_CLIENT_READY = 0,    /* wants bytes */
    NGX_OLIVINE_CLIENT_PARKED,       /* a command waits */
    NGX_OLIVINE_CLIENT_SENDING,      /* a pinned value must be sent first */
    NGX_OLIVINE_CLIENT_CLOSING       /* send what there is, then close */
} ngx_olivine_client_e;


struct ngx_olivine_client_s {
    ngx_queue_t                  queue;      /* in worker->clients */
    ngx_queue_t                  parked;     /* in worker->parked */
    ngx_olivine_worker_t        *worker;
    void                        *host;       /* the host's own */

    ngx_olivine_client_e         state;
    ngx_olivine_caller_t         caller;
    ngx_olivine_reply_t          reply;

    /* input: bytes pos..last are not parsed yet */
    u_char                      *start;
    u_char                      *pos;
    u_char                      *last;
    u_char                      *end;
    ngx_olivine_resp_parser_t    parser;
    ngx_olivine_args_t           args;       /* of an incomplete command */

    /* a big argument that is coming in: holding + 1, its length, so far */
    uint32_t                     receipt;
    size_t                       receipt_have;
    size_t                       discard;    /* bytes to drop instead */

    /* commands parsed and not yet run, kept while one is parked */
    void                        *batch;

    uint32_t                     pin;        /* holding + 1 */
    int64_t                      soft_since; /* over the soft output limit */
};


/* Per worker process and zone; only its main thread uses it. */
struct ngx_olivine_worker_s {
    ngx_olivine_zone_t          *zone;
    ngx_olivine_tx_t             tx;
    ngx_olivine_cx_t             cx;
    const ngx_olivine_host_t    *host;
    ngx_log_t                   *log;

    ngx_queue_t                  clients;
    ngx_queue_t                  parked;
    ngx_uint_t                   nclients;

    ngx_olivine_reply_pool_t     replies;
    ngx_olivine_args_t           args;       /* of the batch being run */
    u_char                      *spare;      /* an input buffer, or NULL */

    uint32_t                     params_version;
    ngx_olivine_params_t         params;     /* copy of the running ones */

    int64_t                      wall;       /* last wall clock, to notice
                                                when it goes back */
    unsigned                     active_expire:1;
};


/*
 * Claims a slot.  cycle: the generation of the configuration.  OK; DECLINED:
 * no slot is free; ERROR.
 */
ngx_int_t ngx_olivine_worker_init(ngx_olivine_worker_t *worker,
    ngx_olivine_zone_t *zone, int fd, uint32_t cycle,
    const ngx_olivine_host_t *host, ngx_log_t *log);

/* Closes what is left of the clients' shared state and leaves the slot. */
void ngx_olivine_worker_done(ngx_olivine_worker_t *worker);

/*
 * Background work, a slice of it: expiry, freeing, dead slots, returning
 * pages.  Returns the milliseconds after which to call it again.
 */
ngx_msec_t ngx_olivine_worker_tick(ngx_olivine_worker_t *worker,
    int64_t now);

/* The doorbell rang: looks at the hints, wakes parked clients. */
void ngx_olivine_worker_rung(ngx_olivine_worker_t *worker);


/*
 * A new peer; the texts are copied.  OK; DECLINED: maxclients is reached (the
 * error to send is then in the reply of the client, which is CLOSING);
 * ERROR.
 */
ngx_int_t ngx_olivine_client_open(ngx_olivine_worker_t *worker,
    ngx_str_t *addr, ngx_str_t *laddr, int fd, void *host,
    ngx_olivine_client_t **client);

/* Frees everything the client holds. */
void ngx_olivine_client_close(ngx_olivine_client_t *client);

/*
 * Where to receive bytes next.  OK; AGAIN: not now (parked, sending, or too
 * much output waits); ERROR: no memory, close.
 */
ngx_int_t ngx_olivine_client_buffer(ngx_olivine_client_t *client, u_char **p,
    size_t *size);

/*
 * n bytes were received there: parses and runs what is whole, a batch at the
 * most.  Results as of ngx_olivine_client_run().
 */
ngx_int_t ngx_olivine_client_received(ngx_olivine_client_t *client,
    size_t n);

/*
 * Runs what was received before (after a wake, a timer, a yield, a send).
 *   OK     all that is whole was run: receive more
 *   BUSY   more whole commands wait: let others have their turn, call again
 *   AGAIN  parked, or a pinned value must be sent first
 *   DONE   send the replies, then close
 *   ERROR  close now
 */
ngx_int_t ngx_olivine_client_run(ngx_olivine_client_t *client);

/* n bytes of the replies were sent. */
void ngx_olivine_client_sent(ngx_olivine_client_t *client, size_t n);

/* Nothing is to be read or sent: gives buffers back. */
void ngx_olivine_client_idle(ngx_olivine_client_t *client);


#endif /* _NGX_OLIVINE_CLIENT_H_INCLUDED_ */
