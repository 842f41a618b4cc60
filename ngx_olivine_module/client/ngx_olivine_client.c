
/*
 * Copyright (C) The Olivine authors
 *
 * Opening and closing a peer, and what is sent to it.
 */


#include "client/ngx_olivine_client.h"
#include "client/ngx_olivine_client_monitor.h"
#include "client/ngx_olivine_client_multi.h"
#include "client/ngx_olivine_input.h"


static ngx_int_t ngx_olivine_client_enter(ngx_olivine_client_t *client,
    ngx_str_t *addr, ngx_str_t *laddr, int fd);
static void ngx_olivine_client_release(void *data, void *pin);
static uint64_t ngx_olivine_client_count(ngx_olivine_zone_t *zone);
static ngx_uint_t ngx_olivine_client_local(ngx_str_t *addr);


/* in the words of Redis, which clients look for */
static const char  ngx_olivine_client_denied[] =
    "-DENIED Redis is running in protected mode because protected mode "
    "is enabled and no password is set for the default user. In this "
    "mode connections are only accepted from the loopback interface. If "
    "you want to connect from external computers to Redis you may adopt "
    "one of the following solutions: 1) Just disable protected mode "
    "sending the command 'CONFIG SET protected-mode no' from the "
    "loopback interface by connecting to Redis from the same host the "
    "server is running, however MAKE SURE Redis is not publicly "
    "accessible from internet if you do so. Use CONFIG REWRITE to make "
    "this change permanent. 2) Alternatively you can just disable the "
    "protected mode by editing the Redis configuration file, and setting "
    "the protected mode option to 'no', and then restarting the server. "
    "3) If you started the server manually just for testing, restart it "
    "with the '--protected-mode no' option. 4) Set up an authentication "
    "password for the default user. NOTE: You only need to do one of the "
    "above things in order for the server to start accepting connections "
    "from the outside.\r\n";


ngx_int_t
ngx_olivine_client_open(ngx_olivine_worker_t *worker, ngx_str_t *addr,
    ngx_str_t *laddr, int fd, void *host, ngx_olivine_client_t **client)
{
    ngx_int_t              rc;
    ngx_olivine_slot_t    *slot;
    ngx_olivine_client_t  *c;

    ngx_olivine_worker_refresh(worker);

    slot = worker->tx.slot;

    c = ngx_calloc(sizeof(ngx_olivine_client_t), worker->log);
    if (c == NULL) {
        return NGX_ERROR;
    }

    c->worker = worker;
    c->host = host;
    c->caller.row = &worker->none;
    c->caller.local = ngx_olivine_client_local(addr);
    c->caller.authenticated = (worker->params.requirepass.len == 0);

    rc = NGX_DECLINED;

    if (ngx_olivine_client_count(worker->zone)
        < (uint64_t) worker->params.maxclients)
    {
        rc = ngx_olivine_client_enter(c, addr, laddr, fd);

        if (rc == NGX_ERROR) {
            ngx_free(c);
            return NGX_ERROR;
        }
    }

    ngx_olivine_reply_init(&c->reply, &worker->replies,
                           ngx_olivine_client_release, c);
    ngx_olivine_resp_parser_init(&c->parser);

    ngx_queue_insert_tail(&worker->clients, &c->queue);
    worker->nclients++;
    slot->clients++;

    *client = c;

    if (rc == NGX_DECLINED) {
        slot->counters.rejected++;

        (void) ngx_olivine_reply_error(&c->reply, NGX_OLIVINE_ERR_MAXCLIENTS);
        c->state = NGX_OLIVINE_CLIENT_CLOSING;

        return NGX_DECLINED;
    }

    if (worker->params.protected_mode && worker->params.requirepass.len == 0
        && !c->caller.local)
    {
        slot->counters.rejected++;

        (void) ngx_olivine_reply_raw(&c->reply, ngx_olivine_client_denied,
                                     sizeof(ngx_olivine_client_denied) - 1);
        c->state = NGX_OLIVINE_CLIENT_CLOSING;

        return NGX_DECLINED;
    }

    slot->counters.connections++;

    return NGX_OK;
}


/* A row of its own.  OK, DECLINED, ERROR. */

static ngx_int_t
ngx_olivine_client_enter(ngx_olivine_client_t *client, ngx_str_t *addr,
    ngx_str_t *laddr, int fd)
{
    ngx_int_t               rc;
    ngx_olivine_worker_t   *worker;
    ngx_olivine_bus_row_t  *row;

    worker = client->worker;

    rc = ngx_olivine_bus_open(&worker->tx, addr, laddr, &row);

    if (rc != NGX_OK) {
        return rc;
    }

    row->fd = fd;
    row->created = ngx_olivine_now();
    row->seen = row->created;

    if (addr->len && addr->data[0] == '/') {
        row->flags = NGX_OLIVINE_BUS_UNIX;
    }

    ngx_olivine_barrier();

    row->id = __atomic_add_fetch(&worker->zone->clients, 1, __ATOMIC_RELAXED);

    client->caller.row = row;
    client->caller.id = row->id;

    return NGX_OK;
}


void
ngx_olivine_client_close(ngx_olivine_client_t *client)
{
    ngx_olivine_worker_t  *worker;

    worker = client->worker;

    if (client->caller.sleep_until && worker->tx.gate) {
        ngx_olivine_gate_lower(&worker->tx);
    }

    ngx_olivine_client_forget(client);
    ngx_olivine_cx_later_free(&client->caller);
    ngx_olivine_input_free(client);
    ngx_olivine_reply_free(&client->reply);

    if (client->caller.row != &worker->none) {
        ngx_olivine_bus_close(&worker->tx, client->caller.row);
    }

    if (worker->look == &client->queue) {
        worker->look = ngx_queue_next(worker->look);
    }

    ngx_queue_remove(&client->queue);

    if (client->waits) {
        ngx_queue_remove(&client->parked);
    }

    if (client->paused) {
        worker->tx.slot->blocked--;
    }

    if (client->soft_since) {
        worker->nsoft--;
    }

    if (client->holds) {
        ngx_queue_remove(&client->held);
        worker->tx.slot->held--;
    }

    if (client->caller.monitor) {
        ngx_olivine_monitor_leave(&worker->tx);
        client->caller.monitor = 0;
    }

    ngx_olivine_client_monitors(client);

    worker->nclients--;
    worker->tx.slot->clients--;

    ngx_free(client);
}


ngx_uint_t
ngx_olivine_client_holds(ngx_olivine_client_t *client)
{
    ngx_olivine_worker_t  *worker;

    if (ngx_olivine_likely(client->hold == 0)) {
        return 0;
    }

    worker = client->worker;

    if (client->hold <= ngx_olivine_aof_safe(worker->zone, worker->cx.now)
        || ngx_olivine_reply_size(&client->reply) == 0)
    {
        client->hold = 0;
        return 0;
    }

    if (!client->holds) {
        client->holds = 1;
        ngx_queue_insert_tail(&worker->held, &client->held);
        worker->tx.slot->held++;
        client->held_since = ngx_olivine_clock_counts();
    }

    worker->host->flush(worker, 0);

    return 1;
}


void
ngx_olivine_client_sent(ngx_olivine_client_t *client, size_t n)
{
    client->caller.row->bytes_out += n;
    client->worker->tx.slot->counters.bytes_out += n;
    client->worker->tx.slot->counters.writes++;

    ngx_olivine_client_seen(client);

    ngx_olivine_reply_consume(&client->reply, n);

    if (client->state == NGX_OLIVINE_CLIENT_SENDING
        && ngx_olivine_reply_size(&client->reply) == 0)
    {
        client->state = NGX_OLIVINE_CLIENT_READY;
    }
}


void
ngx_olivine_client_note(ngx_olivine_client_t *client)
{
    uint32_t                flags, size;
    ngx_str_t               unknown = ngx_string("");
    ngx_olivine_caller_t   *caller;
    ngx_olivine_bus_row_t  *row;

    caller = &client->caller;
    row = caller->row;

    if (client->noted != caller->last) {
        client->noted = caller->last;
        ngx_olivine_bus_command(row, caller->last ? &caller->last->name
                                                  : &unknown);
    }

    flags = row->flags & NGX_OLIVINE_BUS_UNIX;
    flags |= client->reply.resp3 ? NGX_OLIVINE_BUS_RESP3 : 0;
    flags |= caller->no_evict ? NGX_OLIVINE_BUS_NO_EVICT : 0;
    flags |= caller->no_touch ? NGX_OLIVINE_BUS_NO_TOUCH : 0;
    flags |= caller->monitor ? NGX_OLIVINE_BUS_MONITOR : 0;
    flags |= client->paused ? NGX_OLIVINE_BUS_BLOCKED : 0;
    flags |= caller->close ? NGX_OLIVINE_BUS_CLOSING : 0;

    size = ngx_olivine_bus_size(ngx_olivine_reply_size(&client->reply));

    row->peak = ngx_max(row->peak, size);
    row->flags = flags;
    row->db = caller->db;
    row->multi = caller->multi ? (int32_t) caller->multi->n : -1;
    row->multi_mem = caller->multi ? ngx_olivine_bus_size(caller->multi->size)
                                   : 0;
    row->watch = caller->nwatched;
    row->input = ngx_olivine_bus_size(client->last - client->pos);
    row->input_free = ngx_olivine_bus_size(client->end - client->last);
    row->args = ngx_olivine_bus_size(client->args.nelts
                                     * sizeof(ngx_olivine_arg_t)
                                     + client->have);
    row->memory = ngx_olivine_bus_size(sizeof(ngx_olivine_client_t)
                                       + sizeof(ngx_olivine_bus_row_t)
                                       + (client->end - client->start)
                                       + client->room + row->multi_mem);
}


void
ngx_olivine_client_note_output(ngx_olivine_client_t *client)
{
    size_t                  size, first;
    ngx_uint_t              blocks;
    ngx_olivine_bus_row_t  *row;

    row = client->caller.row;
    size = ngx_olivine_reply_size(&client->reply);

    if (ngx_olivine_likely(size == 0 && row->output == 0)) {
        return;
    }

    blocks = 0;
    first = size ? ngx_olivine_reply_first(&client->reply, &blocks) : 0;

    row->output = ngx_olivine_bus_size(first);
    row->blocks = blocks;
    row->output_mem = ngx_olivine_bus_size(size - first);
}


ngx_int_t
ngx_olivine_client_output(ngx_olivine_client_t *client, int64_t now)
{
    int64_t                      size;
    ngx_olivine_output_limit_t  *limit;

    size = ngx_olivine_reply_size(&client->reply);
    limit = &client->worker->params.output_limit[NGX_OLIVINE_CLASS_NORMAL];

    if (limit->hard && size > limit->hard) {
        goto over;
    }

    if (limit->soft == 0 || size <= limit->soft) {

        if (client->soft_since) {
            client->soft_since = 0;
            client->worker->nsoft--;
        }

        return NGX_OK;
    }

    if (client->soft_since == 0) {
        client->soft_since = now;
        client->worker->nsoft++;
    }

    if (now - client->soft_since < limit->seconds * 1000) {
        return NGX_OK;
    }

over:

    client->worker->tx.slot->counters.output_limit++;

    ngx_log_error(NGX_LOG_INFO, client->worker->log, 0,
                  "olivine client %uL: closed over its output limit",
                  client->caller.id);

    return NGX_ERROR;
}


/* A pinned piece of the reply was sent, or is given up. */

static void
ngx_olivine_client_release(void *data, void *pin)
{
    ngx_olivine_client_t *client = data;

    if (client->worker->running) {
        return;                        /* the command that took it is undone */
    }

    client->pins--;

    ngx_olivine_worker_unpin(client->worker,
                             (uint32_t) (uintptr_t) pin - 1);
}


/* Clients of all workers; a moment's sum, no lock. */

static uint64_t
ngx_olivine_client_count(ngx_olivine_zone_t *zone)
{
    uint64_t    n;
    ngx_uint_t  i;

    n = 0;

    for (i = 0; i < zone->slots_high; i++) {
        n += ngx_olivine_slot_at(zone, i)->clients;
    }

    return n;
}


static ngx_uint_t
ngx_olivine_client_local(ngx_str_t *addr)
{
    return addr->len == 0 || addr->data[0] == '/'
           || (addr->len > 4 && ngx_strncmp(addr->data, "127.", 4) == 0)
           || (addr->len > 5 && ngx_strncmp(addr->data, "[::1]", 5) == 0)
           || (addr->len > 5 && ngx_strncmp(addr->data, "unix:", 5) == 0);
}
