
/*
 * Copyright (C) The Olivine authors
 *
 * Opening and closing a peer, and what is sent to it.
 */


#include "client/ngx_olivine_client.h"
#include "client/ngx_olivine_client_multi.h"
#include "client/ngx_olivine_input.h"


static void ngx_olivine_client_text_free(ngx_str_t *text);
static void ngx_olivine_client_release(void *data, void *pin);
static uint64_t ngx_olivine_client_count(ngx_olivine_zone_t *zone);
static ngx_uint_t ngx_olivine_client_local(ngx_str_t *addr);


ngx_int_t
ngx_olivine_client_open(ngx_olivine_worker_t *worker, ngx_str_t *addr,
    ngx_str_t *laddr, int fd, void *host, ngx_olivine_client_t **client)
{
    ngx_olivine_slot_t    *slot;
    ngx_olivine_client_t  *c;

    ngx_olivine_worker_refresh(worker);

    slot = worker->tx.slot;

    c = ngx_calloc(sizeof(ngx_olivine_client_t) + addr->len + laddr->len,
                   worker->log);
    if (c == NULL) {
        return NGX_ERROR;
    }

    /* the addresses stand behind it */

    c->caller.addr.len = addr->len;
    c->caller.addr.data = (u_char *) c + sizeof(ngx_olivine_client_t);
    c->caller.laddr.len = laddr->len;
    c->caller.laddr.data = ngx_cpymem(c->caller.addr.data, addr->data,
                                      addr->len);
    ngx_memcpy(c->caller.laddr.data, laddr->data, laddr->len);

    c->worker = worker;
    c->host = host;

    ngx_olivine_reply_init(&c->reply, &worker->replies,
                           ngx_olivine_client_release, c);
    ngx_olivine_resp_parser_init(&c->parser);

    c->caller.id = __atomic_add_fetch(&worker->zone->clients, 1,
                                      __ATOMIC_RELAXED);
    c->caller.fd = fd;
    c->caller.created = ngx_olivine_now();
    c->caller.seen = c->caller.created;
    c->caller.local = ngx_olivine_client_local(addr);
    c->caller.authenticated = (worker->params.requirepass.len == 0);

    ngx_queue_insert_tail(&worker->clients, &c->queue);
    worker->nclients++;

    *client = c;

    if (ngx_olivine_client_count(worker->zone)
        >= (uint64_t) worker->params.maxclients)
    {
        slot->clients++;
        slot->counters.rejected++;

        (void) ngx_olivine_reply_error(&c->reply, NGX_OLIVINE_ERR_MAXCLIENTS);
        c->state = NGX_OLIVINE_CLIENT_CLOSING;

        return NGX_DECLINED;
    }

    slot->clients++;
    slot->counters.connections++;

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

    ngx_olivine_client_text_free(&client->caller.name);
    ngx_olivine_client_text_free(&client->caller.lib_name);
    ngx_olivine_client_text_free(&client->caller.lib_ver);

    ngx_queue_remove(&client->queue);

    if (client->waits) {
        ngx_queue_remove(&client->parked);
    }

    if (client->soft_since) {
        worker->nsoft--;
    }

    worker->nclients--;
    worker->tx.slot->clients--;

    ngx_free(client);
}


void
ngx_olivine_client_sent(ngx_olivine_client_t *client, size_t n)
{
    client->caller.bytes_out += n;
    client->worker->tx.slot->counters.bytes_out += n;

    ngx_olivine_reply_consume(&client->reply, n);

    if (client->state == NGX_OLIVINE_CLIENT_SENDING
        && ngx_olivine_reply_size(&client->reply) == 0)
    {
        client->state = NGX_OLIVINE_CLIENT_READY;
    }
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


static void
ngx_olivine_client_text_free(ngx_str_t *text)
{
    if (text->data) {
        ngx_free(text->data);
    }
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
