
/*
 * Copyright (C) The Olivine authors
 *
 * A turn of a client: run what waits, send, receive once, run, send.  Who has
 * more to do then comes again in the next pass of the event loop, so that
 * all have their turn; replies to a long pipeline go out together when its
 * input is used up, or when they have become many.
 *
 * rev->ready is what tells that a receive may give something: nginx clears
 * it when less came than there was room for, and the call that would only
 * say "again" is saved.  While a client may not receive (its command is
 * parked, its replies are not taken) it stays set, and nothing is read.
 */


#include "module/ngx_olivine_accept.h"
#include "module/ngx_olivine_handler.h"
#include "module/ngx_olivine_tick.h"
#include "module/ngx_olivine_process.h"
#include "module/ngx_olivine_variables.h"

#include <netinet/tcp.h>


/* replies that are sent though more commands wait */
#define NGX_OLIVINE_HANDLER_MANY    (256 * 1024)

#define NGX_OLIVINE_HANDLER_IOVECS  16

/* bytes without a reader that are taken from the kernel before a close */
#define NGX_OLIVINE_HANDLER_DRAIN   (1024 * 1024)

#define NGX_OLIVINE_HANDLER_ADDR    (NGX_SOCKADDR_STRLEN + 2)


typedef struct {
    ngx_olivine_told_t      told;         /* for variables */
    ngx_olivine_client_t   *client;
    ngx_olivine_mount_t    *mount;
    ngx_connection_t       *connection;
    ngx_event_t             turn;         /* to go on: posted, or a timer */
    ngx_int_t               rc;           /* while replies are kept back */
    unsigned                done:1;       /* close it when all is sent */
    unsigned                kill:1;       /* close it now */
} ngx_olivine_session_t;


static ngx_olivine_session_t *ngx_olivine_handler_open(
    ngx_stream_session_t *s, ngx_olivine_conf_zone_t *oz);
static void ngx_olivine_handler_socket(ngx_connection_t *c,
    ngx_olivine_worker_t *worker);
static ngx_int_t ngx_olivine_handler_addr(ngx_connection_t *c,
    ngx_str_t *addr, ngx_str_t *laddr);
static void ngx_olivine_handler_unix(ngx_connection_t *c, ngx_str_t *addr);
static void ngx_olivine_handler_read(ngx_event_t *rev);
static void ngx_olivine_handler_write(ngx_event_t *wev);
static void ngx_olivine_handler_turn(ngx_event_t *ev);
static void ngx_olivine_handler_go(ngx_olivine_session_t *os, ngx_int_t rc);
static ngx_int_t ngx_olivine_handler_receive(ngx_olivine_session_t *os);
static ngx_int_t ngx_olivine_handler_send(ngx_olivine_session_t *os);
static ngx_int_t ngx_olivine_handler_send_chain(ngx_connection_t *c,
    struct iovec *iov, ngx_uint_t n);
static void ngx_olivine_handler_wait(ngx_olivine_session_t *os);
static ngx_uint_t ngx_olivine_handler_gone(ngx_olivine_session_t *os);
static void ngx_olivine_handler_close(ngx_olivine_session_t *os);
static void ngx_olivine_handler_drain(ngx_connection_t *c);
static void ngx_olivine_handler_host_wake(ngx_olivine_client_t *client);
static void ngx_olivine_handler_host_later(ngx_olivine_client_t *client);
static void ngx_olivine_handler_host_timer(ngx_olivine_client_t *client,
    ngx_msec_t ms);
static void ngx_olivine_handler_host_close(ngx_olivine_client_t *client);
static void ngx_olivine_handler_host_shutdown(ngx_olivine_worker_t *worker);
static void ngx_olivine_handler_host_flush(ngx_olivine_worker_t *worker,
    ngx_uint_t later);
static void ngx_olivine_handler_host_tick(ngx_olivine_worker_t *worker);
static void ngx_olivine_handler_host_release(ngx_olivine_client_t *client);


const ngx_olivine_host_t  ngx_olivine_handler_host = {
    ngx_olivine_handler_host_wake,
    ngx_olivine_handler_host_later,
    ngx_olivine_handler_host_timer,
    ngx_olivine_handler_host_close,
    ngx_olivine_handler_host_shutdown,
    ngx_olivine_handler_host_flush,
    ngx_olivine_handler_host_tick,
    ngx_olivine_handler_host_release
};


#define ngx_olivine_handler_session(c)                                        \
    ((ngx_olivine_session_t *)                                                \
         ngx_stream_get_module_ctx((ngx_stream_session_t *) (c)->data,        \
                                   ngx_olivine_module))

/* bytes that a module of the preread phase took before us */
#define ngx_olivine_handler_preread(c)                                        \
    ((c)->buffer && (c)->buffer->pos < (c)->buffer->last)


void
ngx_olivine_handler(ngx_stream_session_t *s)
{
    ngx_connection_t        *c;
    ngx_olivine_mount_t     *mount;
    ngx_olivine_session_t   *os;
    ngx_olivine_srv_conf_t  *oscf;

    c = s->connection;
    c->log->action = NULL;

    oscf = ngx_stream_get_module_srv_conf(s, ngx_olivine_module);
    mount = oscf->zone->mount;

    if (ngx_olivine_process_claim(oscf->zone) != NGX_OK || mount->quitting) {
        ngx_log_error(NGX_LOG_INFO, c->log, 0, "client refused: %s",
                      mount->quitting ? "the worker quits"
                                      : "the worker has no slot");
        ngx_stream_finalize_session(s, NGX_STREAM_SERVICE_UNAVAILABLE);
        return;
    }

    ngx_olivine_turn_begin(&mount->turn);

    os = ngx_olivine_handler_open(s, oscf->zone);

    if (os == NULL) {
        ngx_stream_finalize_session(s, NGX_STREAM_INTERNAL_SERVER_ERROR);
        return;
    }

    os->client->caller.rules = oscf->rules;

    ngx_olivine_tick_hold(mount);

    ngx_olivine_accept_share(mount, c->listening);

    ngx_olivine_handler_go(os, os->done ? NGX_DONE : NGX_OK);
}


void
ngx_olivine_handler_quit(ngx_olivine_mount_t *mount)
{
    ngx_queue_t            *q, *clients;
    ngx_olivine_client_t   *client;
    ngx_olivine_session_t  *os;

    clients = &mount->worker->clients;

    for (q = ngx_queue_head(clients);
         q != ngx_queue_sentinel(clients);
         q = ngx_queue_next(q))
    {
        client = ngx_queue_data(q, ngx_olivine_client_t, queue);
        os = client->host;

        /* nginx is about to wait for events, but for these it does not */

        ngx_post_event(&os->turn, &ngx_posted_next_events);
    }
}


void
ngx_olivine_handler_abort(ngx_olivine_mount_t *mount)
{
    ngx_queue_t           *q, *clients;
    ngx_olivine_client_t  *client;

    clients = &mount->worker->clients;

    for (q = ngx_queue_head(clients);
         q != ngx_queue_sentinel(clients);
         q = ngx_queue_next(q))
    {
        client = ngx_queue_data(q, ngx_olivine_client_t, queue);

        ngx_olivine_handler_host_close(client);
    }
}


void
ngx_olivine_handler_close_all(ngx_olivine_mount_t *mount)
{
    ngx_queue_t           *clients;
    ngx_olivine_client_t  *client;

    clients = &mount->worker->clients;

    while (!ngx_queue_empty(clients)) {
        client = ngx_queue_data(ngx_queue_head(clients), ngx_olivine_client_t,
                                queue);

        ngx_olivine_handler_close(client->host);
    }
}


void
ngx_olivine_handler_levels(ngx_olivine_mount_t *mount)
{
    ngx_queue_t            *q, *clients;
    ngx_olivine_client_t   *client;
    ngx_olivine_session_t  *os;

    clients = &mount->worker->clients;

    for (q = ngx_queue_head(clients);
         q != ngx_queue_sentinel(clients);
         q = ngx_queue_next(q))
    {
        client = ngx_queue_data(q, ngx_olivine_client_t, queue);
        os = client->host;

        os->connection->log->log_level = mount->log_level;
    }
}


static ngx_olivine_session_t *
ngx_olivine_handler_open(ngx_stream_session_t *s, ngx_olivine_conf_zone_t *oz)
{
    u_char                  text[2][NGX_OLIVINE_HANDLER_ADDR];
    ngx_int_t               rc;
    ngx_str_t               addr, laddr;
    ngx_connection_t       *c;
    ngx_olivine_worker_t   *worker;
    ngx_olivine_session_t  *os;

    c = s->connection;
    worker = oz->mount->worker;

    if (oz->mount->log_level) {
        c->log->log_level = oz->mount->log_level;
    }

    addr.data = text[0];
    laddr.data = text[1];

    if (ngx_olivine_handler_addr(c, &addr, &laddr) != NGX_OK) {
        return NULL;
    }

    /* in the connection's pool it would take a block of its own */

    os = ngx_calloc(sizeof(ngx_olivine_session_t), c->log);
    if (os == NULL) {
        return NULL;
    }

    os->mount = oz->mount;
    os->connection = c;
    os->turn.handler = ngx_olivine_handler_turn;
    os->turn.data = c;
    os->turn.log = c->log;

    rc = ngx_olivine_client_open(worker, &addr, &laddr, c->fd, os,
                                 &os->client);

    ngx_log_debug2(NGX_LOG_DEBUG_STREAM, c->log, 0,
                   "olivine: open rc:%i, clients:%ui", rc, worker->nclients);

    if (rc == NGX_ERROR) {
        ngx_free(os);
        return NULL;
    }

    if (rc == NGX_DECLINED) {
        ngx_log_error(NGX_LOG_INFO, c->log, 0,
                      "client refused: maxclients is reached, or "
                      "protected-mode");
        os->done = 1;
    }

    os->told.client = os->client;

    ngx_stream_set_ctx(s, os, ngx_olivine_module);

    c->read->handler = ngx_olivine_handler_read;
    c->write->handler = ngx_olivine_handler_write;

    ngx_olivine_handler_socket(c, worker);

    return os;
}


static void
ngx_olivine_handler_socket(ngx_connection_t *c, ngx_olivine_worker_t *worker)
{
    int  seconds, step, probes, on;

    if (c->sockaddr->sa_family == AF_UNIX) {
        return;
    }

    (void) ngx_tcp_nodelay(c);

    seconds = (int) worker->params.tcp_keepalive;

    if (seconds == 0) {
        return;
    }

    on = 1;
    step = ngx_max(seconds / 3, 1);
    probes = 3;

    if (setsockopt(c->fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(int)) == -1
        || setsockopt(c->fd, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(int))
           == -1
        || setsockopt(c->fd, IPPROTO_TCP, TCP_KEEPINTVL, &step, sizeof(int))
           == -1
        || setsockopt(c->fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(int))
           == -1)
    {
        ngx_connection_error(c, ngx_socket_errno,
                             "setsockopt(tcp-keepalive) failed");
    }
}


static ngx_int_t
ngx_olivine_handler_addr(ngx_connection_t *c, ngx_str_t *addr,
    ngx_str_t *laddr)
{
    if (c->sockaddr->sa_family == AF_UNIX) {
        ngx_olivine_handler_unix(c, addr);
        ngx_olivine_handler_unix(c, laddr);
        return NGX_OK;
    }

    addr->len = ngx_sock_ntop(c->sockaddr, c->socklen, addr->data,
                              NGX_OLIVINE_HANDLER_ADDR, 1);

    laddr->len = NGX_OLIVINE_HANDLER_ADDR;

    return ngx_connection_local_sockaddr(c, laddr, 1);
}


/* As Redis writes it: the path, and a port of 0. */

static void
ngx_olivine_handler_unix(ngx_connection_t *c, ngx_str_t *addr)
{
    ngx_str_t  path;

    path = c->listening->addr_text;

    if (path.len > 5 && ngx_strncmp(path.data, "unix:", 5) == 0) {
        path.data += 5;
        path.len -= 5;
    }

    addr->len = ngx_snprintf(addr->data, NGX_OLIVINE_HANDLER_ADDR, "%V:0",
                             &path)
                - addr->data;
}


static void
ngx_olivine_handler_read(ngx_event_t *rev)
{
    ngx_connection_t       *c;
    ngx_olivine_session_t  *os;

    c = rev->data;
    os = ngx_olivine_handler_session(c);

    ngx_olivine_turn_begin(&os->mount->turn);

    if (c->close) {

        /* worker_shutdown_timeout */

        ngx_olivine_handler_close(os);
        return;
    }

    if (os->turn.posted || os->client->holds) {
        return;
    }

    if (os->done) {
        ngx_olivine_handler_wait(os);
        return;
    }

    ngx_olivine_handler_go(os, NGX_OK);
}


static void
ngx_olivine_handler_write(ngx_event_t *wev)
{
    ngx_connection_t       *c;
    ngx_olivine_session_t  *os;

    c = wev->data;
    os = ngx_olivine_handler_session(c);

    if (ngx_olivine_reply_size(&os->client->reply) == 0 || os->turn.posted
        || os->client->holds)
    {
        return;
    }

    ngx_olivine_turn_begin(&os->mount->turn);

    if (ngx_olivine_handler_send(os) == NGX_ERROR) {
        ngx_olivine_handler_close(os);
        return;
    }

    if (os->done || ngx_olivine_reply_size(&os->client->reply)) {
        ngx_olivine_handler_wait(os);
        return;
    }

    ngx_olivine_handler_go(os, ngx_olivine_client_run(os->client));
}


static void
ngx_olivine_handler_turn(ngx_event_t *ev)
{
    ngx_int_t               rc;
    ngx_connection_t       *c;
    ngx_olivine_session_t  *os;

    c = ev->data;
    os = ngx_olivine_handler_session(c);

    ngx_olivine_turn_begin(&os->mount->turn);

    if (os->kill) {
        ngx_olivine_handler_close(os);
        return;
    }

    if (os->done) {
        ngx_olivine_handler_go(os, NGX_DONE);
        return;
    }

    rc = ngx_olivine_client_run(os->client);

    ngx_log_debug1(NGX_LOG_DEBUG_STREAM, c->log, 0, "olivine: run rc:%i", rc);

    ngx_olivine_handler_go(os, rc);
}


/* What is to be done after the client's commands were run with that result. */

static void
ngx_olivine_handler_go(ngx_olivine_session_t *os, ngx_int_t rc)
{
    ngx_uint_t             received;
    ngx_connection_t      *c;
    ngx_olivine_client_t  *client;

    c = os->connection;
    client = os->client;
    received = 0;

    for ( ;; ) {

        if (rc == NGX_ERROR) {
            break;
        }

        if (rc == NGX_DONE) {
            os->done = 1;
        }

        if (ngx_olivine_unlikely(ngx_olivine_client_holds(client))) {
            os->rc = rc;

            if (rc == NGX_BUSY) {
                ngx_post_event(&os->turn, &ngx_posted_next_events);
            }

            return;
        }

        if ((rc != NGX_BUSY
             || ngx_olivine_reply_size(&client->reply)
                > NGX_OLIVINE_HANDLER_MANY)
            && ngx_olivine_handler_send(os) == NGX_ERROR)
        {
            break;
        }

        if (rc == NGX_BUSY) {
            ngx_post_event(&os->turn, &ngx_posted_next_events);
            return;
        }

        if (os->done) {
            ngx_olivine_handler_wait(os);
            return;
        }

        if (rc == NGX_AGAIN) {

            /* the replies had to be sent first, and were */

            if (client->state == NGX_OLIVINE_CLIENT_READY && !client->waits
                && ngx_olivine_reply_size(&client->reply) == 0)
            {
                rc = ngx_olivine_client_run(client);
                continue;
            }

            /* whom CLIENT PAUSE holds, and who called SHUTDOWN */

            if (os->mount->quitting && (client->paused || client->leaving)) {
                rc = NGX_DONE;
                continue;
            }

            ngx_olivine_handler_wait(os);
            return;
        }

        /* all that is whole was run */

        if (!c->read->ready && !ngx_olivine_handler_preread(c)) {

            if (os->mount->quitting) {
                rc = NGX_DONE;
                continue;
            }

            ngx_olivine_handler_wait(os);
            return;
        }

        if (received) {
            ngx_post_event(&os->turn, &ngx_posted_next_events);
            return;
        }

        received = 1;
        rc = ngx_olivine_handler_receive(os);
    }

    ngx_olivine_handler_close(os);
}


/*
 * Results as of ngx_olivine_client_run(), where OK may also say that nothing
 * came, and AGAIN that it is not the time to receive.
 */

static ngx_int_t
ngx_olivine_handler_receive(ngx_olivine_session_t *os)
{
    u_char                *p;
    size_t                 size;
    ssize_t                n;
    ngx_int_t              rc;
    ngx_connection_t      *c;
    ngx_stream_session_t  *s;

    c = os->connection;
    s = c->data;

    rc = ngx_olivine_client_buffer(os->client, &p, &size);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_handler_preread(c)) {
        n = ngx_min(size, (size_t) (c->buffer->last - c->buffer->pos));
        ngx_memcpy(p, c->buffer->pos, n);
        c->buffer->pos += n;

    } else {
        n = c->recv(c, p, size);

        if (n == NGX_AGAIN) {
            return NGX_OK;
        }

        if (n == NGX_ERROR) {
            return NGX_ERROR;
        }

        s->received += n;
    }

    if (n == 0) {
        ngx_log_debug0(NGX_LOG_DEBUG_STREAM, c->log, 0,
                       "olivine: the client has sent all");
        return NGX_DONE;
    }

    rc = ngx_olivine_client_received(os->client, n);

    ngx_log_debug3(NGX_LOG_DEBUG_STREAM, c->log, 0,
                   "olivine: received %z bytes, rc:%i, replies:%uz", n, rc,
                   ngx_olivine_reply_size(&os->client->reply));

    return rc;
}


/* OK: what could be sent was; ERROR. */

static ngx_int_t
ngx_olivine_handler_send(ngx_olivine_session_t *os)
{
    off_t                  sent;
    ngx_int_t              rc;
    ngx_uint_t             n;
    struct iovec           iov[NGX_OLIVINE_HANDLER_IOVECS];
    ngx_connection_t      *c;
    ngx_olivine_client_t  *client;

    c = os->connection;
    client = os->client;

    while (ngx_olivine_reply_size(&client->reply) && c->write->ready) {

        n = ngx_olivine_reply_iovecs(&client->reply, iov,
                                     NGX_OLIVINE_HANDLER_IOVECS);
        sent = c->sent;

        if (n == 1) {
            rc = (c->send(c, iov[0].iov_base, iov[0].iov_len) == NGX_ERROR)
                 ? NGX_ERROR : NGX_OK;

        } else {
            rc = ngx_olivine_handler_send_chain(c, iov, n);
        }

        ngx_log_debug2(NGX_LOG_DEBUG_STREAM, c->log, 0,
                       "olivine: sent %O of %uz bytes", c->sent - sent,
                       ngx_olivine_reply_size(&client->reply));

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (c->sent != sent) {
            ngx_olivine_client_sent(client, (size_t) (c->sent - sent));
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_handler_send_chain(ngx_connection_t *c, struct iovec *iov,
    ngx_uint_t n)
{
    ngx_buf_t    bufs[NGX_OLIVINE_HANDLER_IOVECS];
    ngx_uint_t   i;
    ngx_chain_t  chain[NGX_OLIVINE_HANDLER_IOVECS];

    ngx_memzero(bufs, n * sizeof(ngx_buf_t));

    for (i = 0; i < n; i++) {
        bufs[i].memory = 1;
        bufs[i].pos = iov[i].iov_base;
        bufs[i].last = bufs[i].pos + iov[i].iov_len;

        chain[i].buf = &bufs[i];
        chain[i].next = &chain[i + 1];
    }

    chain[n - 1].next = NULL;

    return c->send_chain(c, chain, 0) == NGX_CHAIN_ERROR ? NGX_ERROR : NGX_OK;
}


/* The next event goes on. */

static void
ngx_olivine_handler_wait(ngx_olivine_session_t *os)
{
    ngx_uint_t         unsent;
    ngx_connection_t  *c;

    c = os->connection;
    unsent = ngx_olivine_reply_size(&os->client->reply) != 0;

    if (os->done && !unsent) {
        ngx_olivine_handler_close(os);
        return;
    }

    if (c->read->error || (c->read->pending_eof
                           && ngx_olivine_handler_gone(os)))
    {
        ngx_olivine_handler_close(os);
        return;
    }

    if (!unsent && !c->read->ready
        && os->client->state == NGX_OLIVINE_CLIENT_READY)
    {
        ngx_olivine_client_idle(os->client);
    }

    ngx_olivine_client_note_output(os->client);

    if (ngx_handle_read_event(c->read, 0) != NGX_OK
        || (unsent && ngx_handle_write_event(c->write, 0) != NGX_OK))
    {
        ngx_olivine_handler_close(os);
    }
}


/*
 * The peer will send no more: it may still want its replies, but not if its
 * connection was reset, and no sleep is worth the others' waiting.
 */

static ngx_uint_t
ngx_olivine_handler_gone(ngx_olivine_session_t *os)
{
    u_char   byte;
    ssize_t  n;

    n = recv(os->connection->fd, &byte, 1, MSG_PEEK|MSG_DONTWAIT);

    if (n == 0) {
        return os->client->caller.sleep_until != 0 || os->client->paused;
    }

    return n == -1 && ngx_socket_errno != NGX_EAGAIN
           && ngx_socket_errno != NGX_EINTR;
}


static void
ngx_olivine_handler_close(ngx_olivine_session_t *os)
{
    ngx_connection_t      *c;
    ngx_olivine_mount_t   *mount;
    ngx_stream_session_t  *s;

    c = os->connection;
    s = c->data;
    mount = os->mount;

    ngx_log_debug2(NGX_LOG_DEBUG_STREAM, c->log, 0,
                   "olivine: close, %uz bytes unsent, clients:%ui",
                   ngx_olivine_reply_size(&os->client->reply),
                   mount->worker->nclients);

    if (os->turn.timer_set) {
        ngx_del_timer(&os->turn);
    }

    if (os->turn.posted) {
        ngx_delete_posted_event(&os->turn);
    }

    ngx_stream_set_ctx(s, ngx_olivine_variables_keep(c->pool, os->client),
                       ngx_olivine_module);

    ngx_olivine_client_close(os->client);
    ngx_olivine_tick_hold(mount);

    ngx_free(os);

    ngx_olivine_handler_drain(c);

    ngx_stream_finalize_session(s, NGX_STREAM_OK);
}


/*
 * A socket closed with bytes unread resets its connection, and the peer may
 * lose the last replies.
 */

static void
ngx_olivine_handler_drain(ngx_connection_t *c)
{
    u_char      buf[4096];
    ssize_t     n;
    ngx_uint_t  total;

    if (!c->read->ready || c->read->eof || c->read->error || c->close) {
        return;
    }

#if (NGX_STREAM_SSL)

    if (c->ssl) {
        return;
    }

#endif

    for (total = 0; total < NGX_OLIVINE_HANDLER_DRAIN; total += n) {

        n = recv(c->fd, buf, sizeof(buf), MSG_DONTWAIT);

        if (n <= 0) {
            break;
        }
    }
}


static void
ngx_olivine_handler_host_wake(ngx_olivine_client_t *client)
{
    ngx_olivine_session_t  *os;

    os = client->host;

    ngx_post_event(&os->turn, &ngx_posted_events);
}


static void
ngx_olivine_handler_host_later(ngx_olivine_client_t *client)
{
    ngx_olivine_session_t  *os;

    os = client->host;

    ngx_post_event(&os->turn, &ngx_posted_next_events);
}


static void
ngx_olivine_handler_host_timer(ngx_olivine_client_t *client, ngx_msec_t ms)
{
    ngx_olivine_session_t  *os;

    os = client->host;

    if (os->turn.timer_set) {
        ngx_del_timer(&os->turn);
    }

    ngx_add_timer(&os->turn, ms);
}


static void
ngx_olivine_handler_host_close(ngx_olivine_client_t *client)
{
    ngx_olivine_session_t  *os;

    os = client->host;
    os->kill = 1;

    ngx_post_event(&os->turn, &ngx_posted_events);
}


/* As "nginx -s quit" does; a worker whose master is dead ends by itself. */

static void
ngx_olivine_handler_host_shutdown(ngx_olivine_worker_t *worker)
{
    worker->ending = 1;

    if (ngx_exiting) {

        /* since a reload: nginx does not tell it again */

        worker->leave = 1;
        return;
    }

    if (ngx_process == NGX_PROCESS_WORKER && getppid() == ngx_parent) {

        ngx_log_error(NGX_LOG_NOTICE, worker->log, 0,
                      "olivine: SHUTDOWN was called, the master %P is told "
                      "to quit", ngx_parent);

        if (kill(ngx_parent, SIGQUIT) == -1) {
            ngx_log_error(NGX_LOG_ALERT, worker->log, ngx_errno,
                          "kill(%P, SIGQUIT) failed", ngx_parent);
        }

        return;
    }

    ngx_quit = 1;
}


static void
ngx_olivine_handler_host_flush(ngx_olivine_worker_t *worker, ngx_uint_t later)
{
    ngx_olivine_mount_t *mount = worker->data;

    if (later) {
        ngx_post_event(&mount->flush, &ngx_posted_next_events);

    } else {
        ngx_post_event(&mount->flush, &ngx_posted_events);
    }
}


static void
ngx_olivine_handler_host_tick(ngx_olivine_worker_t *worker)
{
    ngx_olivine_mount_t *mount = worker->data;

    ngx_post_event(&mount->tick, &ngx_posted_next_events);
}


static void
ngx_olivine_handler_host_release(ngx_olivine_client_t *client)
{
    ngx_olivine_session_t *os = client->host;

    ngx_olivine_handler_go(os, os->rc);
}
