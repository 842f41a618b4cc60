
/*
 * Copyright (C) The Olivine authors
 */


#include "client/ngx_olivine_input.h"
#include "command/ngx_olivine_rules.h"


/* less room than that, and the buffer is moved or grown before a receive */
#define NGX_OLIVINE_INPUT_LEAST  4096

/* the first run of a big argument; it doubles as bytes come */
#define NGX_OLIVINE_INPUT_RUN    65536


static ngx_uint_t ngx_olivine_input_refused(ngx_olivine_client_t *client);
static ngx_int_t ngx_olivine_input_room(ngx_olivine_client_t *client);
static u_char *ngx_olivine_input_get(ngx_olivine_worker_t *worker);
static void ngx_olivine_input_put(ngx_olivine_client_t *client);
static ngx_int_t ngx_olivine_input_bulk(ngx_olivine_client_t *client,
    u_char **p, size_t *size);
static ngx_int_t ngx_olivine_input_fetch(ngx_olivine_client_t *client,
    ngx_int_t rc);


ngx_int_t
ngx_olivine_client_buffer(ngx_olivine_client_t *client, u_char **p,
    size_t *size)
{
    /* the arguments of a batch that was kept lie in the buffer */

    if (client->state != NGX_OLIVINE_CLIENT_READY || client->batch) {
        return NGX_AGAIN;
    }

    if (client->have < client->bulk) {
        return ngx_olivine_input_bulk(client, p, size);
    }

    if (client->start == NULL
        || client->end - client->last < NGX_OLIVINE_INPUT_LEAST)
    {
        if (ngx_olivine_input_room(client) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    *p = client->last;
    *size = client->end - client->last;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_client_received(ngx_olivine_client_t *client, size_t n)
{
    client->caller.row->bytes_in += n;
    client->worker->tx.slot->counters.bytes_in += n;
    client->worker->tx.slot->counters.reads++;

    if (client->have < client->bulk) {
        client->have += n;
        ngx_olivine_client_seen(client);

        if (client->have < client->bulk) {
            return NGX_OK;
        }

        if (ngx_olivine_input_done(client) != NGX_OK) {
            return NGX_ERROR;
        }

        return NGX_OK;
    }

    client->last += n;

    return ngx_olivine_client_run(client);
}


void
ngx_olivine_client_idle(ngx_olivine_client_t *client)
{
    (void) ngx_olivine_input_trim(client);
}


void
ngx_olivine_input_free(ngx_olivine_client_t *client)
{
    ngx_uint_t            i;
    ngx_olivine_batch_t  *batch;
    ngx_olivine_item_t   *item;

    batch = client->batch;

    if (batch) {
        for (i = batch->next; i < batch->n; i++) {
            item = &batch->items[i];
            ngx_olivine_input_runs(client, batch->args.elts + item->first,
                                   item->argc);
        }

        ngx_olivine_args_free(&batch->args);
        ngx_free(batch);
        client->batch = NULL;
    }

    ngx_olivine_input_runs(client, client->args.elts, client->args.nelts);
    ngx_olivine_resp_reset(&client->parser, &client->args);
    ngx_olivine_args_free(&client->args);

    if (client->receipt) {
        ngx_olivine_worker_unpin(client->worker, client->receipt - 1);
        client->receipt = 0;
    }

    if (client->start) {
        client->pos = client->last;
        ngx_olivine_input_put(client);
    }
}


ngx_int_t
ngx_olivine_input_trim(ngx_olivine_client_t *client)
{
    u_char  *p;
    size_t   n;

    if (client->start == NULL || client->batch) {
        return NGX_OK;                     /* arguments point into it */
    }

    n = client->last - client->pos;

    if (n == 0) {
        ngx_olivine_input_put(client);
        return NGX_OK;
    }

    if (n > NGX_OLIVINE_INPUT_LEAST
        || (size_t) (client->end - client->start) < NGX_OLIVINE_INPUT)
    {
        return NGX_OK;
    }

    p = ngx_alloc(n, client->worker->log);
    if (p == NULL) {
        return NGX_OK;
    }

    ngx_memcpy(p, client->pos, n);
    ngx_olivine_input_put(client);

    client->start = p;
    client->pos = p;
    client->last = p + n;
    client->end = client->last;
    client->worker->inputs += n;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_input_big(ngx_olivine_client_t *client)
{
    u_char            *body, *run;
    size_t             there, part, room;
    uint32_t           index;
    ngx_int_t          rc;
    ngx_olivine_tx_t  *tx;

    tx = &client->worker->tx;

    body = client->pos + client->parser.offset;
    there = client->last - body;
    part = ngx_min(there, client->parser.bulk);

    if (ngx_olivine_unlikely(client->caller.rules != NULL)
        && ngx_olivine_input_refused(client))
    {
        client->dropped = 1;
    }

    if (!client->dropped) {
        room = ngx_max(part * 2, NGX_OLIVINE_INPUT_RUN);
        room = ngx_min(room, client->parser.bulk);

        do {
            rc = ngx_olivine_receipt_open(tx, room, &index);
            rc = ngx_olivine_input_fetch(client, rc);
        } while (rc == NGX_BUSY);

        if (rc == NGX_AGAIN) {
            return NGX_AGAIN;
        }

        if (rc == NGX_OK) {
            client->receipt = index + 1;
            client->room = room;

            run = ngx_olivine_zone_page(tx->zone,
                                        ngx_olivine_holding_page(tx, index));
            ngx_memcpy(run, body, part);

        } else {
            client->dropped = 1;
        }
    }

    client->bulk = client->parser.bulk;
    client->have = part;

    /* what comes behind the argument, a CR at the most, moves up to it */

    ngx_memmove(body, body + part, there - part);
    client->last = body + there - part;

    if (client->have == client->bulk) {
        return ngx_olivine_input_done(client);
    }

    return NGX_OK;
}


/* What nobody will look at takes no room of the zone. */

static ngx_uint_t
ngx_olivine_input_refused(ngx_olivine_client_t *client)
{
    ngx_olivine_arg_t            *name;
    const ngx_olivine_command_t  *command;

    name = client->args.elts;

    if (client->args.nelts == 0 || name->run) {
        return 0;                                /* it is the name */
    }

    /* arguments of an incomplete command are offsets */

    command = ngx_olivine_cx_named(&client->worker->cx,
                                   client->pos + (uintptr_t) name->data,
                                   name->len);

    return command && ngx_olivine_rules_refuses(client->caller.rules, command);
}


ngx_int_t
ngx_olivine_input_done(ngx_olivine_client_t *client)
{
    void              *run;
    u_char            *data;
    uint32_t           index;
    ngx_olivine_tx_t  *tx;

    tx = &client->worker->tx;

    data = NULL;
    run = NULL;

    if (client->receipt) {
        index = client->receipt - 1;
        run = (void *) (uintptr_t) client->receipt;
        data = ngx_olivine_zone_page(tx->zone,
                                     ngx_olivine_holding_page(tx, index));
    }

    client->bulk = 0;
    client->have = 0;
    client->receipt = 0;

    if (ngx_olivine_resp_bulk_done(&client->parser, &client->args, data, run)
        != NGX_OK)
    {
        if (run) {
            ngx_olivine_worker_unpin(client->worker, index);
        }

        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_olivine_input_runs(ngx_olivine_client_t *client, ngx_olivine_arg_t *argv,
    ngx_uint_t argc)
{
    uint32_t           index, page;
    ngx_uint_t         i;
    ngx_olivine_tx_t  *tx;

    tx = &client->worker->tx;

    for (i = 0; i < argc; i++) {

        if (ngx_olivine_likely(argv[i].run == NULL)) {
            continue;
        }

        index = (uint32_t) (uintptr_t) argv[i].run - 1;
        page = ngx_olivine_zone_number(tx->zone, argv[i].data);

        /* a run that became a value is no longer listed there */

        if (ngx_olivine_holding_page(tx, index) == page
            && tx->zone->pages[page].kind == NGX_OLIVINE_PAGE_RECEIPT)
        {
            ngx_olivine_worker_unpin(client->worker, index);
        }

        if (client->worker->cx.meter.n) {

            /* it may still have to show its arguments */

            ngx_olivine_meter_flush(&client->worker->cx);
        }

        argv[i].run = NULL;
    }
}


/* Room for a receive behind what is there: moved, or a larger buffer. */

static ngx_int_t
ngx_olivine_input_room(ngx_olivine_client_t *client)
{
    u_char                *p;
    size_t                 n, size;
    ngx_olivine_worker_t  *worker;

    worker = client->worker;
    n = client->last - client->pos;

    if (client->start == NULL) {
        p = ngx_olivine_input_get(worker);
        size = NGX_OLIVINE_INPUT;

    } else if (n + NGX_OLIVINE_INPUT_LEAST <= NGX_OLIVINE_INPUT
               && (size_t) (client->end - client->start) < NGX_OLIVINE_INPUT)
    {
        p = ngx_olivine_input_get(worker);
        size = NGX_OLIVINE_INPUT;

    } else if (client->pos - client->start >= NGX_OLIVINE_INPUT_LEAST
               && n < (size_t) (client->end - client->start) / 2)
    {
        ngx_memmove(client->start, client->pos, n);
        client->pos = client->start;
        client->last = client->start + n;
        return NGX_OK;

    } else {

        if ((int64_t) n > worker->params.client_query_buffer_limit) {
            worker->tx.slot->counters.input_limit++;

            ngx_log_error(NGX_LOG_INFO, worker->log, 0,
                          "olivine client %uL: closed over its input limit",
                          client->caller.id);
            return NGX_ERROR;
        }

        size = ngx_max(n * 2, NGX_OLIVINE_INPUT * 2);
        p = ngx_alloc(size, worker->log);
    }

    if (p == NULL) {
        return NGX_ERROR;
    }

    if (n) {
        ngx_memcpy(p, client->pos, n);
    }

    if (client->start) {
        ngx_olivine_input_put(client);
    }

    client->start = p;
    client->pos = p;
    client->last = p + n;
    client->end = p + size;
    worker->inputs += size;

    return NGX_OK;
}


static u_char *
ngx_olivine_input_get(ngx_olivine_worker_t *worker)
{
    u_char  *p;

    p = worker->spare;

    if (p) {
        worker->spare = NULL;
        return p;
    }

    return ngx_alloc(NGX_OLIVINE_INPUT, worker->log);
}


static void
ngx_olivine_input_put(ngx_olivine_client_t *client)
{
    ngx_olivine_worker_t  *worker;

    worker = client->worker;
    worker->inputs -= client->end - client->start;

    if (client->end - client->start == NGX_OLIVINE_INPUT
        && worker->spare == NULL)
    {
        worker->spare = client->start;

    } else {
        ngx_free(client->start);
    }

    client->start = NULL;
    client->pos = NULL;
    client->last = NULL;
    client->end = NULL;
}


/* Where the rest of a big argument goes: its run, or nowhere. */

static ngx_int_t
ngx_olivine_input_bulk(ngx_olivine_client_t *client, u_char **p, size_t *size)
{
    size_t                 room;
    uint32_t               index;
    ngx_int_t              rc;
    ngx_olivine_tx_t      *tx;
    ngx_olivine_worker_t  *worker;

    worker = client->worker;
    tx = &worker->tx;

    if (client->receipt && client->have == client->room) {

        index = client->receipt - 1;
        room = ngx_min(client->room * 2, client->bulk);

        do {
            rc = ngx_olivine_receipt_extend(tx, index, client->have, room);
            rc = ngx_olivine_input_fetch(client, rc);
        } while (rc == NGX_BUSY);

        if (rc == NGX_AGAIN) {
            return NGX_AGAIN;
        }

        if (rc == NGX_OK) {
            client->room = room;

        } else {
            ngx_olivine_worker_unpin(worker, index);
            client->receipt = 0;
            client->dropped = 1;
        }
    }

    if (client->receipt == 0) {

        if (worker->spare == NULL) {
            worker->spare = ngx_alloc(NGX_OLIVINE_INPUT, worker->log);
            if (worker->spare == NULL) {
                return NGX_ERROR;
            }
        }

        *p = worker->spare;
        *size = ngx_min(NGX_OLIVINE_INPUT, client->bulk - client->have);
        return NGX_OK;
    }

    index = client->receipt - 1;

    *p = ngx_olivine_zone_page(tx->zone, ngx_olivine_holding_page(tx, index))
         + client->have;
    *size = client->room - client->have;

    return NGX_OK;
}


/* BUSY: what lacked is there now, try again.  AGAIN: waits for the gate. */

static ngx_int_t
ngx_olivine_input_fetch(ngx_olivine_client_t *client, ngx_int_t rc)
{
    ngx_olivine_worker_t  *worker;

    worker = client->worker;

    if (rc != NGX_AGAIN) {
        ngx_olivine_tx_fetched(&worker->tx);
        return rc;
    }

    switch (ngx_olivine_tx_fetch(&worker->tx)) {

    case NGX_AGAIN:

        if (!client->waits) {
            ngx_queue_insert_tail(&worker->parked, &client->parked);
            client->waits = 1;
        }

        return NGX_AGAIN;

    default:                       /* ERROR: tried once more, then refused */
        return NGX_BUSY;
    }
}
