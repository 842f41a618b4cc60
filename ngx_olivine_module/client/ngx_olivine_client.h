
/*
 * Copyright (C) The Olivine authors
 *
 * One peer, without any socket: bytes are fed in, replies taken out.  The
 * host (the nginx module, or a unit test) moves bytes and tells the time.
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


#include "client/ngx_olivine_worker.h"


typedef enum {
    NGX_OLIVINE_CLIENT_READY = 0,    /* wants bytes */
    NGX_OLIVINE_CLIENT_PARKED,       /* a command waits */
    NGX_OLIVINE_CLIENT_SENDING,      /* replies must be sent first */
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

    /* a big argument that is coming in */
    uint32_t                     receipt;    /* holding + 1 */
    size_t                       bulk;       /* its length */
    size_t                       have;       /* bytes received */
    size_t                       room;       /* of its run */

    /* commands parsed and not run yet, kept while one is parked */
    ngx_olivine_batch_t         *batch;

    ngx_uint_t                   pins;       /* in the reply */
    uint64_t                     errors;     /* replies of that kind */
    int64_t                      soft_since; /* over the soft output limit */

    uint64_t                     hold;       /* of the log: replies wait until
                                                it is in the file; 0 */
    ngx_queue_t                  held;       /* in worker->held */
    uint64_t                     held_since; /* counts of the clock */

    /* a command that waits: since when, why, and its number or ERROR */
    uint64_t                     parked_since;   /* counts, 0: none does */
    ngx_olivine_block_e          parked_why;
    ngx_int_t                    parked_command;

    ngx_queue_t                  monitor;    /* in worker->monitors */

    /* whose name stands in the row */
    const ngx_olivine_command_t *noted;

    unsigned                     waits:1;    /* in worker->parked */
    unsigned                     paused:1;   /* ... for CLIENT PAUSE */
    unsigned                     leaving:1;  /* it called SHUTDOWN */
    unsigned                     dropped:1;  /* the argument is dropped: OOM */
    unsigned                     holds:1;    /* in worker->held */
    unsigned                     monitors:1; /* in worker->monitors */
};


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
 * Where to receive bytes next.  OK; AGAIN: not now (parked, sending, or what
 * was received before is to be run first: if it is READY and waits for
 * nothing, call ngx_olivine_client_run()); ERROR: no memory or the input
 * limit, close.
 */
ngx_int_t ngx_olivine_client_buffer(ngx_olivine_client_t *client, u_char **p,
    size_t *size);

/*
 * n bytes were received there: parses and runs what is whole.  Results as of
 * ngx_olivine_client_run().
 */
ngx_int_t ngx_olivine_client_received(ngx_olivine_client_t *client,
    size_t n);

/*
 * Runs what was received before (after a wake, a timer, a yield, a send).
 *   OK     all that is whole was run: receive more
 *   BUSY   more whole commands wait: let others have their turn, call again
 *   AGAIN  parked, or the replies must be sent first
 *   DONE   send the replies, then close
 *   ERROR  close now
 */
ngx_int_t ngx_olivine_client_run(ngx_olivine_client_t *client);

/*
 * 1: nothing may be sent yet, since what the replies tell of is not in the
 * append-only file; the host's release() will be called.
 */
ngx_uint_t ngx_olivine_client_holds(ngx_olivine_client_t *client);

/* n bytes of the replies were sent. */
void ngx_olivine_client_sent(ngx_olivine_client_t *client, size_t n);

/*
 * What the row tells: after a turn, before its replies are sent, and of
 * replies, when the event loop leaves the client.
 */
void ngx_olivine_client_note(ngx_olivine_client_t *client);
void ngx_olivine_client_note_output(ngx_olivine_client_t *client);

/* Nothing is to be read or sent: gives buffers back. */
void ngx_olivine_client_idle(ngx_olivine_client_t *client);


#endif /* _NGX_OLIVINE_CLIENT_H_INCLUDED_ */
