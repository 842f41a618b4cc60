
/*
 * Copyright (C) The Olivine authors
 *
 * A host without sockets: what peers send waits in a queue as it would in the
 * kernel, replies are taken as they come or held back, wakes and timers are
 * noted for the test to serve.  The order of things is that of the module's
 * handler.
 */


#ifndef _UNIT_PEER_H_INCLUDED_
#define _UNIT_PEER_H_INCLUDED_


#include "client/ngx_olivine_client.h"
#include "client/ngx_olivine_input.h"


typedef struct {
    ngx_olivine_worker_t  *worker;
    ngx_olivine_client_t  *client;

    /* sent by the peer, not received yet; at most step at a time */
    u_char                *in;
    size_t                 at;
    size_t                 nin;
    size_t                 rin;
    size_t                 step;         /* 0: all there is room for */

    /* replies taken; at most take at a time */
    u_char                *out;
    size_t                 nout;
    size_t                 rout;
    size_t                 take;

    ngx_msec_t             ms;           /* of its timer */
    ngx_uint_t             wakes;        /* not served yet */
    unsigned               timer:1;
    unsigned               kill:1;       /* the core wants it closed */
    unsigned               hold:1;       /* it does not read */
    unsigned               nag:1;        /* is run when nothing calls for it */
    unsigned               done:1;
    unsigned               closed:1;
} unit_peer_t;


static inline void
unit_peer_must(ngx_uint_t good)
{
    if (!good) {
        abort();
    }
}


static inline void
unit_peer_wake(ngx_olivine_client_t *client)
{
    unit_peer_t *peer = client->host;

    peer->wakes++;
}


static inline void
unit_peer_timer(ngx_olivine_client_t *client, ngx_msec_t ms)
{
    unit_peer_t *peer = client->host;

    peer->timer = 1;
    peer->ms = ms;
}


static inline void
unit_peer_kill(ngx_olivine_client_t *client)
{
    unit_peer_t *peer = client->host;

    peer->kill = 1;
}


static ngx_uint_t  unit_peer_shutdowns;


static inline void
unit_peer_shutdown(ngx_olivine_worker_t *worker)
{
    unit_peer_shutdowns++;
}


static inline void
unit_peer_flush(ngx_olivine_worker_t *worker, ngx_uint_t later)
{
}


static inline void
unit_peer_tick(ngx_olivine_worker_t *worker)
{
}


static inline void
unit_peer_release(ngx_olivine_client_t *client)
{
    unit_peer_wake(client);
}


static const ngx_olivine_host_t  unit_peer_host = {
    unit_peer_wake,
    unit_peer_wake,
    unit_peer_timer,
    unit_peer_kill,
    unit_peer_shutdown,
    unit_peer_flush,
    unit_peer_tick,
    unit_peer_release
};


static inline ngx_int_t
unit_peer_open(unit_peer_t *peer, ngx_olivine_worker_t *worker)
{
    ngx_int_t  rc;
    ngx_str_t  addr = ngx_string("127.0.0.1:1234");

    ngx_memzero(peer, sizeof(unit_peer_t));
    peer->worker = worker;

    rc = ngx_olivine_client_open(worker, &addr, &addr, 1, peer, &peer->client);

    peer->done = (rc == NGX_DECLINED);
    peer->closed = (rc == NGX_ERROR);

    return rc;
}


/* What it has said is kept, until unit_peer_free(). */

static inline void
unit_peer_close(unit_peer_t *peer)
{
    if (!peer->closed) {
        peer->closed = 1;
        ngx_olivine_client_close(peer->client);
    }
}


static inline void
unit_peer_free(unit_peer_t *peer)
{
    unit_peer_close(peer);
    free(peer->in);
    free(peer->out);
    ngx_memzero(peer, sizeof(unit_peer_t));
    peer->closed = 1;
}


/* Takes up to n bytes of replies, in one go; their number. */

static inline size_t
unit_peer_take(unit_peer_t *peer, size_t n)
{
    size_t         taken, len;
    ngx_uint_t     i, count;
    struct iovec   iov[8];

    count = ngx_olivine_reply_iovecs(&peer->client->reply, iov, 8);
    taken = 0;

    for (i = 0; i < count && taken < n; i++) {
        len = ngx_min(iov[i].iov_len, n - taken);

        if (peer->rout - peer->nout < len) {
            peer->rout = 2 * (peer->nout + len);
            peer->out = realloc(peer->out, peer->rout);
            unit_peer_must(peer->out != NULL);
        }

        ngx_memcpy(peer->out + peer->nout, iov[i].iov_base, len);
        peer->nout += len;
        taken += len;
    }

    if (taken) {
        ngx_olivine_client_sent(peer->client, taken);
    }

    return taken;
}


static inline void
unit_peer_drain(unit_peer_t *peer)
{
    while (unit_peer_take(peer, peer->take ? peer->take
                                           : NGX_MAX_SIZE_T_VALUE))
    {
        /* void */
    }
}


/* OK: some bytes were received; otherwise why not. */

static inline ngx_int_t
unit_peer_receive(unit_peer_t *peer)
{
    u_char     *p;
    size_t      n, size;
    ngx_int_t   rc;

    rc = ngx_olivine_client_buffer(peer->client, &p, &size);

    if (rc != NGX_OK) {
        return rc;
    }

    unit_peer_must(size != 0);

    n = ngx_min(size, peer->nin);

    if (peer->step) {
        n = ngx_min(n, peer->step);
    }

    ngx_memcpy(p, peer->in + peer->at, n);

    peer->at += n;
    peer->nin -= n;

    return ngx_olivine_client_received(peer->client, n);
}


/* Goes on after a run that gave rc, as far as it goes. */

static inline void
unit_peer_go_on(unit_peer_t *peer, ngx_int_t rc)
{
    ngx_olivine_client_t  *client;

    client = peer->client;

    for ( ;; ) {

        if (rc == NGX_ERROR || peer->kill) {
            unit_peer_close(peer);
            return;
        }

        if (rc == NGX_DONE) {
            peer->done = 1;
        }

        if (!peer->hold) {
            unit_peer_drain(peer);
        }

        if (peer->done) {

            if (ngx_olivine_reply_size(&client->reply) == 0) {
                unit_peer_close(peer);
            }

            return;
        }

        if (rc == NGX_BUSY) {
            rc = ngx_olivine_client_run(client);
            continue;
        }

        if (rc == NGX_AGAIN) {

            if (client->state == NGX_OLIVINE_CLIENT_READY && !client->waits
                && ngx_olivine_reply_size(&client->reply) == 0)
            {
                rc = ngx_olivine_client_run(client);
                continue;
            }

            return;
        }

        if (peer->nin == 0) {

            if (client->state == NGX_OLIVINE_CLIENT_READY
                && ngx_olivine_reply_size(&client->reply) == 0)
            {
                ngx_olivine_client_idle(client);
            }

            return;
        }

        rc = unit_peer_receive(peer);

        if (peer->nag && rc != NGX_ERROR && rc != NGX_DONE) {
            rc = ngx_olivine_client_run(client);
        }
    }
}


/* An event of any kind: a wake, a timer, room to send, bytes to receive. */

static inline void
unit_peer_go(unit_peer_t *peer)
{
    if (peer->closed) {
        return;
    }

    peer->wakes = 0;

    if (!peer->hold) {
        unit_peer_drain(peer);
    }

    unit_peer_go_on(peer, peer->done ? NGX_DONE
                                     : ngx_olivine_client_run(peer->client));
}


static inline void
unit_peer_write(unit_peer_t *peer, const void *data, size_t len)
{
    if (len == 0) {
        return;
    }

    if (peer->rin - peer->at - peer->nin < len) {

        if (peer->nin) {
            ngx_memmove(peer->in, peer->in + peer->at, peer->nin);
        }

        peer->at = 0;

        if (peer->rin - peer->nin < len) {
            peer->rin = 2 * (peer->nin + len);
            peer->in = realloc(peer->in, peer->rin);
            unit_peer_must(peer->in != NULL);
        }
    }

    ngx_memcpy(peer->in + peer->at + peer->nin, data, len);
    peer->nin += len;
}


/* The peer sends these bytes, and they are received. */

static inline void
unit_peer_send(unit_peer_t *peer, const void *data, size_t len)
{
    unit_peer_write(peer, data, len);

    if (!peer->closed) {
        unit_peer_go_on(peer, NGX_OK);
    }
}


#endif /* _UNIT_PEER_H_INCLUDED_ */
