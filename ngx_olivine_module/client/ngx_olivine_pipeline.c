
/*
 * Copyright (C) The Olivine authors
 *
 * A turn of a client: parse a batch of commands, hash their keys, hint the
 * cache, run them one by one.
 *
 * At a million keys the cache misses cost more than all the code, so they are
 * made to overlap: the buckets of a whole batch are fetched before the first
 * entry is, and the entries before the first command runs.
 */


#include "client/ngx_olivine_input.h"
#include "client/ngx_olivine_client_monitor.h"
#include "client/ngx_olivine_client_multi.h"
#include "command/ngx_olivine_rules.h"

#include <time.h>


/* buckets of a chain that are looked into ahead */
#define NGX_OLIVINE_PIPELINE_ROUNDS  2

/* batches in a turn, and bytes of replies that end it */
#define NGX_OLIVINE_PIPELINE_TURN    8
#define NGX_OLIVINE_PIPELINE_SEND    (1024 * 1024)

/*
 * Some clients read nothing before they have sent all: up to so many bytes of
 * replies are kept for one of them, and for all of a worker's.
 */
#define NGX_OLIVINE_PIPELINE_AHEAD   (64 * 1024 * 1024)
#define NGX_OLIVINE_PIPELINE_AHEADS  (256 * 1024 * 1024)

/* milliseconds without a turn, after which the peak of replies is forgotten */
#define NGX_OLIVINE_PIPELINE_PEAK    1000

/* arguments that a worker keeps room for */
#define NGX_OLIVINE_PIPELINE_ARGS    65536


#define ngx_olivine_pipeline_mute(client)                                     \
    ((client)->caller.reply_off | (client)->caller.reply_skip                 \
     | (client)->caller.reply_next)


static ngx_int_t ngx_olivine_pipeline_turn(ngx_olivine_client_t *client);
static ngx_int_t ngx_olivine_pipeline_parse(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch);
static void ngx_olivine_pipeline_item(ngx_olivine_worker_t *worker,
    ngx_olivine_batch_t *batch, ngx_olivine_item_t *item);
static void ngx_olivine_pipeline_prefetch(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch);
static ngx_inline void ngx_olivine_pipeline_hash(
    ngx_olivine_worker_t *worker, ngx_olivine_batch_t *batch,
    ngx_olivine_item_t *item, ngx_uint_t at, ngx_uint_t max);
static ngx_int_t ngx_olivine_pipeline_batch(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch);
static ngx_int_t ngx_olivine_pipeline_behind(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch);
static ngx_int_t ngx_olivine_pipeline_run(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch, ngx_olivine_item_t *item);
static void ngx_olivine_pipeline_dropped(ngx_olivine_client_t *client,
    ngx_olivine_item_t *item);
static void ngx_olivine_pipeline_muted(ngx_olivine_client_t *client,
    ngx_olivine_reply_mark_t *mark);
static void ngx_olivine_pipeline_gauge(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch, ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_pipeline_keep(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch);
static void ngx_olivine_pipeline_park(ngx_olivine_client_t *client);
static void ngx_olivine_pipeline_waits(ngx_olivine_client_t *client);
static void ngx_olivine_pipeline_begin(ngx_olivine_client_t *client);


ngx_int_t
ngx_olivine_client_run(ngx_olivine_client_t *client)
{
    uint64_t   before, *errors;
    ngx_int_t  rc;

    errors = &client->worker->tx.slot->counters.errors;
    before = *errors;

    client->worker->tx.logged = 0;

    ngx_olivine_sample_begin(&client->worker->tx);
    rc = ngx_olivine_pipeline_turn(client);
    ngx_olivine_sample_end(&client->worker->tx);

    /* they may have been reset */

    client->errors += *errors - ngx_min(before, *errors);

    if (ngx_olivine_unlikely(client->caller.monitor | client->monitors)) {

        ngx_olivine_client_monitors(client);

        if (rc != NGX_ERROR && rc != NGX_DONE && client->monitors
            && ngx_olivine_client_monitor(client) != NGX_OK)
        {
            rc = NGX_ERROR;
        }
    }

    if (ngx_olivine_likely(rc != NGX_ERROR)) {
        ngx_olivine_client_note(client);
    }

    if (ngx_olivine_unlikely(client->worker->tx.logged)) {
        client->hold = client->worker->tx.logged;
        client->worker->host->flush(client->worker, 0);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_pipeline_turn(ngx_olivine_client_t *client)
{
    size_t                 size;
    ngx_int_t              rc;
    ngx_uint_t             turn;
    ngx_olivine_batch_t   *batch;
    ngx_olivine_worker_t  *worker;

    worker = client->worker;

    if (client->state == NGX_OLIVINE_CLIENT_CLOSING || client->leaving) {
        return NGX_DONE;
    }

    if (ngx_olivine_unlikely(client->caller.row->orders != 0)) {
        return NGX_ERROR;
    }

    if (client->state == NGX_OLIVINE_CLIENT_SENDING) {
        return NGX_AGAIN;
    }

    if (client->waits) {
        ngx_queue_remove(&client->parked);
        client->waits = 0;
    }

    if (ngx_olivine_unlikely(client->paused)) {
        client->paused = 0;
        worker->tx.slot->blocked--;
    }

    if (ngx_olivine_unlikely(client->parked_since)) {
        ngx_olivine_sample_blocked(&worker->tx, client->parked_why,
                                   client->parked_command, 1,
                                   ngx_olivine_clock_since(
                                                    client->parked_since));
        client->parked_since = 0;
    }

    client->state = NGX_OLIVINE_CLIENT_READY;

    ngx_olivine_pipeline_begin(client);

    for (turn = 0; turn < NGX_OLIVINE_PIPELINE_TURN; turn++) {

        batch = client->batch;

        if (batch == NULL) {

            if (client->pos == client->last || client->bulk) {
                break;               /* a big argument is still coming in */
            }

            batch = worker->batch;

            if (ngx_olivine_pipeline_parse(client, batch) != NGX_OK) {
                goto failed;
            }

            if (batch->n) {
                ngx_olivine_pipeline_prefetch(client, batch);
            }
        }

        ngx_olivine_meter_open(&worker->cx);

        rc = ngx_olivine_pipeline_batch(client, batch);

        ngx_olivine_meter_close(&worker->cx);

        if (rc == NGX_ERROR || client->reply.failed
            || ngx_olivine_client_output(client, worker->cx.now) != NGX_OK)
        {
            goto failed;
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_pipeline_behind(client, batch);
        }

        if (rc == NGX_DECLINED) {
            break;
        }

        if (rc != NGX_OK) {
            return rc;
        }

        size = ngx_olivine_reply_size(&client->reply);

        if (size > NGX_OLIVINE_PIPELINE_AHEAD
            || worker->replies.used > NGX_OLIVINE_PIPELINE_AHEADS)
        {
            client->state = NGX_OLIVINE_CLIENT_SENDING;
            return NGX_AGAIN;
        }

        if (size > NGX_OLIVINE_PIPELINE_SEND) {
            return NGX_BUSY;
        }
    }

    if (turn == NGX_OLIVINE_PIPELINE_TURN && client->pos != client->last) {
        return NGX_BUSY;
    }

    return ngx_olivine_input_trim(client);

failed:

    if (client->batch == NULL) {

        /* the worker's: what it has of this client is not to stay in it */

        ngx_olivine_input_runs(client, batch->args.elts, batch->args.nelts);
    }

    return NGX_ERROR;
}


/* The clocks and sums that a turn's commands share. */

static void
ngx_olivine_pipeline_begin(ngx_olivine_client_t *client)
{
    struct timespec        ts;
    ngx_olivine_cx_t      *cx;
    ngx_olivine_worker_t  *worker;

    worker = client->worker;
    cx = &worker->cx;

    ngx_olivine_worker_refresh(worker);

    (void) clock_gettime(CLOCK_REALTIME, &ts);

    cx->caller = &client->caller;
    cx->reply = &client->reply;
    cx->now_us = (int64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
    cx->now = cx->now_us / 1000;
    cx->clock = ngx_olivine_store_clock(cx->now);

    if (ngx_olivine_unlikely(worker->params.maxmemory != 0)) {
        cx->used = ngx_olivine_zone_used(worker->zone);
    }

    if (ngx_olivine_unlikely(cx->now - client->caller.row->seen
                             > NGX_OLIVINE_PIPELINE_PEAK))
    {
        client->caller.row->peak = 0;
    }

    client->caller.row->seen = cx->now;
    ngx_olivine_worker_gauge(worker);
}


/*
 * batch->parsed is OK if the batch is full and there may be more; AGAIN, BUSY,
 * ABORT (batch->err): as the parser says of what comes behind.  OK or ERROR.
 */

static ngx_int_t
ngx_olivine_pipeline_parse(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch)
{
    u_char                      *start;
    ngx_int_t                    rc;
    ngx_uint_t                   max;
    ngx_olivine_args_t          *args;
    ngx_olivine_item_t          *item;
    ngx_olivine_worker_t        *worker;
    ngx_olivine_resp_limits_t    limits;

    worker = client->worker;

    batch->n = 0;
    batch->next = 0;
    batch->args.nelts = 0;
    batch->parsed = NGX_OK;
    batch->err.data = batch->text;

    if (ngx_olivine_unlikely(batch->args.nalloc > NGX_OLIVINE_PIPELINE_ARGS)) {
        ngx_olivine_args_free(&batch->args);
    }

    limits.max_args = NGX_OLIVINE_MAX_ARGS;
    limits.max_bulk = worker->params.proto_max_bulk_len;
    limits.max_inline = NGX_OLIVINE_MAX_INLINE;
    limits.authenticated = client->caller.authenticated
                           || worker->params.requirepass.len == 0;
    limits.big = limits.authenticated ? NGX_OLIVINE_BIG : 0;

    /* what AUTH allows is known only when it has run */

    max = limits.authenticated ? NGX_OLIVINE_BATCH : 1;

    while (batch->n < max) {

        args = client->args.nelts ? &client->args : &batch->args;
        start = client->pos;

        rc = ngx_olivine_resp_parse(&client->parser, &client->pos,
                                    client->last, args, &limits, &batch->err);

        if (ngx_olivine_likely(rc == NGX_OK)) {
            item = &batch->items[batch->n++];
            item->first = client->parser.first;
            item->argc = client->parser.argc;
            item->dropped = client->dropped;
            item->tell = 0;
            client->dropped = 0;

            if (ngx_olivine_unlikely((size_t) (client->pos - start)
                                     >= worker->cx.meter.request))
            {
                item->tell = (*start == '*') ? NGX_OLIVINE_TELL_REQUEST
                                             : NGX_OLIVINE_TELL_LINE;
            }

            if (ngx_olivine_unlikely(args == &client->args)) {

                item->tell = NGX_OLIVINE_TELL_REQUEST;

                /* it began in an earlier turn, and is the first of this one */

                ngx_olivine_args_free(&batch->args);
                batch->args = client->args;
                ngx_memzero(&client->args, sizeof(ngx_olivine_args_t));
            }

            ngx_olivine_pipeline_item(worker, batch, item);
            continue;
        }

        if (rc == NGX_DONE) {
            continue;
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc != NGX_ABORT && args == &batch->args
            && ngx_olivine_resp_park(&client->parser, args, &client->args)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        batch->parsed = rc;
        break;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_STREAM, worker->log, 0,
                   "olivine client %uL: parsed commands:%ui rc:%i",
                   client->caller.id, batch->n, batch->parsed);

    return NGX_OK;
}


static void
ngx_olivine_pipeline_item(ngx_olivine_worker_t *worker,
    ngx_olivine_batch_t *batch, ngx_olivine_item_t *item)
{
    uint64_t            name[2];
    ngx_olivine_arg_t  *arg;

    arg = batch->args.elts + item->first;

    name[0] = 0;
    name[1] = 0;

    if (ngx_olivine_likely(arg->len < sizeof(name))) {
        ngx_memcpy(name, arg->data, arg->len);
        name[1] |= (uint64_t) arg->len << 56;
    }

    if (name[1] == 0 || name[0] != worker->name[0]
        || name[1] != worker->name[1])
    {
        worker->command = ngx_olivine_cx_named(&worker->cx, arg->data,
                                               arg->len);
        worker->name[0] = name[0];
        worker->name[1] = worker->command ? name[1] : 0;
    }

    item->command = worker->command;
}


static void
ngx_olivine_pipeline_prefetch(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch)
{
    void                 *bucket[NGX_OLIVINE_HASHES];
    uint64_t              hash[NGX_OLIVINE_HASHES];
    ngx_uint_t            i, k, n, round, left;
    ngx_olivine_item_t   *item;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_worker_t *worker;

    worker = client->worker;
    zone = worker->zone;
    k = 0;
    n = 0;

    for (i = 0; i < batch->n; i++) {
        item = &batch->items[i];

        /* each of those that follow gets one */

        ngx_olivine_pipeline_hash(worker, batch, item, k,
                                  NGX_OLIVINE_HASHES - (batch->n - i - 1));

        for ( /* void */ ; k < item->hashes + item->hashed; k++) {

            hash[n] = worker->hashes[k];
            bucket[n] = ngx_olivine_store_prefetch_bucket(zone,
                                                          client->caller.db,
                                                          hash[n]);
            n += (bucket[n] != NULL);
        }
    }

    if (k == 1) {
        return;
    }

    /* entries, then those that stand further on in their chains */

    for (round = 0; round < NGX_OLIVINE_PIPELINE_ROUNDS && n; round++) {

        left = 0;

        for (i = 0; i < n; i++) {
            hash[left] = hash[i];
            bucket[left] = ngx_olivine_store_prefetch_entry(zone, bucket[i],
                                                            hash[i]);
            left += (bucket[left] != NULL);
        }

        n = left;
    }
}


/* Hashes the item's keys to worker->hashes[at], up to max. */

static ngx_inline void
ngx_olivine_pipeline_hash(ngx_olivine_worker_t *worker,
    ngx_olivine_batch_t *batch, ngx_olivine_item_t *item, ngx_uint_t at,
    ngx_uint_t max)
{
    ngx_str_t           key;
    ngx_uint_t          n, first, step;
    ngx_olivine_arg_t  *arg;

    item->hashes = at;
    item->hashed = 0;

    if (item->command == NULL || item->dropped) {
        return;
    }

    arg = batch->args.elts + item->first;
    n = ngx_olivine_command_keys(item->command, arg, item->argc, &first,
                                 &step);

    if (n == 0) {
        return;
    }

    max = ngx_min(max, at + n);

    for (arg += first; at < max; at++, arg += step) {
        key.len = arg->len;
        key.data = arg->data;
        worker->hashes[at] = ngx_olivine_store_hash(worker->zone, &key);
    }

    item->hashed = at - item->hashes;
    item->hash = worker->hashes[item->hashes];
}


/* OK: all were run; AGAIN: the rest is kept; DONE; ERROR. */

static ngx_int_t
ngx_olivine_pipeline_batch(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch)
{
    ngx_int_t            rc;
    ngx_olivine_item_t  *item;

    while (batch->next < batch->n) {

        if (ngx_olivine_unlikely(client->pins)) {
            client->state = NGX_OLIVINE_CLIENT_SENDING;
            return ngx_olivine_pipeline_keep(client, batch);
        }

        item = &batch->items[batch->next];

        rc = ngx_olivine_pipeline_run(client, batch, item);

        if (ngx_olivine_unlikely(rc == NGX_AGAIN)) {
            ngx_olivine_pipeline_park(client);
            return ngx_olivine_pipeline_keep(client, batch);
        }

        batch->next++;

        if (ngx_olivine_unlikely(client->caller.monitor)) {

            /* behind each reply what was replied to, as in Redis */

            ngx_olivine_feed_publish(&client->worker->cx);

            if (ngx_olivine_client_monitor(client) != NGX_OK) {
                return NGX_ERROR;
            }
        }

        if (ngx_olivine_unlikely(client->caller.close)) {
            client->state = NGX_OLIVINE_CLIENT_CLOSING;

            if (ngx_olivine_pipeline_keep(client, batch) == NGX_ERROR) {
                return NGX_ERROR;
            }

            return NGX_DONE;
        }
    }

    return NGX_OK;
}


/*
 * The batch was run: looks after what the parser met behind it, and gives a
 * batch that was kept back.  OK: more may be there; DECLINED: receive more;
 * AGAIN: waits; DONE; ERROR.
 */

static ngx_int_t
ngx_olivine_pipeline_behind(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch)
{
    ngx_int_t  parsed, rc;

    parsed = batch->parsed;

    if (ngx_olivine_unlikely(parsed == NGX_ABORT)) {
        client->worker->tx.slot->counters.protocol_errors++;

        ngx_log_error(NGX_LOG_INFO, client->worker->log, 0,
                      "olivine client %uL: closed for \"%V\"",
                      client->caller.id, &batch->err);

        rc = ngx_olivine_reply_error_format(&client->reply, "ERR %V",
                                            &batch->err);
        ngx_olivine_meter_errors(&client->worker->tx, &client->reply);
        client->state = NGX_OLIVINE_CLIENT_CLOSING;

        return rc == NGX_OK ? NGX_DONE : NGX_ERROR;
    }

    if (ngx_olivine_unlikely(client->batch != NULL)) {
        ngx_olivine_args_free(&batch->args);
        ngx_free(batch);
        client->batch = NULL;
    }

    if (parsed == NGX_OK) {
        return NGX_OK;
    }

    if (parsed == NGX_AGAIN) {
        return NGX_DECLINED;
    }

    /* BUSY: a big argument begins */

    rc = ngx_olivine_input_big(client);

    if (rc == NGX_AGAIN) {
        client->state = NGX_OLIVINE_CLIENT_PARKED;
    }

    if (rc == NGX_OK && client->bulk) {
        return NGX_DECLINED;
    }

    return rc;
}


static ngx_int_t
ngx_olivine_pipeline_run(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch, ngx_olivine_item_t *item)
{
    ngx_int_t                 rc;
    ngx_uint_t                mute;
    ngx_olivine_cx_t         *cx;
    ngx_olivine_worker_t     *worker;
    ngx_olivine_reply_mark_t  mark;

    worker = client->worker;
    cx = &worker->cx;

    mute = ngx_olivine_pipeline_mute(client);

    if (ngx_olivine_unlikely(mute)) {
        ngx_olivine_reply_mark(&client->reply, &mark);
    }

    cx->command = item->command;
    cx->argv = batch->args.elts + item->first;
    cx->argc = item->argc;

    cx->tell &= ~(NGX_OLIVINE_TELL_REQUEST|NGX_OLIVINE_TELL_LINE);
    cx->tell |= item->tell;

    if (ngx_olivine_likely(batch == worker->batch)) {
        cx->hashed = item->hashed;
        cx->hashes = worker->hashes + item->hashes;

    } else {
        cx->hashed = (item->hashed != 0);
        cx->hashes = &item->hash;
    }

    cx->pins = 0;

    if (ngx_olivine_unlikely(item->dropped)) {
        ngx_olivine_pipeline_dropped(client, item);

        if (client->caller.multi) {
            client->caller.multi->failed = 1;
        }

        ngx_olivine_meter_rejected(cx);
        ngx_olivine_input_runs(client, cx->argv, cx->argc);

        if (mute) {
            ngx_olivine_reply_rewind(&client->reply, &mark);
        }

        return NGX_OK;
    }

    if (ngx_olivine_unlikely(item->command && item->command->subcommands)) {
        ngx_olivine_pipeline_gauge(client, batch, cx);
    }

    worker->running = 1;
    rc = ngx_olivine_command_run(cx);
    worker->running = 0;

    ngx_log_debug5(NGX_LOG_DEBUG_STREAM, worker->log, 0,
                   "olivine client %uL: \"%s\" args:%ui shard:%i rc:%i",
                   client->caller.id,
                   cx->command ? (char *) cx->command->name.data : "?",
                   cx->argc,
                   cx->nkeys ? (ngx_int_t)
                               ngx_olivine_store_number(worker->zone,
                                                        cx->keys[0].hash)
                             : -1,
                   rc);

    if (ngx_olivine_unlikely(rc == NGX_AGAIN)) {
        return NGX_AGAIN;
    }

    client->pins += cx->pins;
    client->caller.last = cx->command;
    client->caller.row->commands++;

    ngx_olivine_input_runs(client, cx->argv, cx->argc);

    if (ngx_olivine_unlikely(cx->spent != NULL)) {
        ngx_olivine_client_spent(client);
    }

    if (ngx_olivine_unlikely(mute || ngx_olivine_pipeline_mute(client))) {
        ngx_olivine_pipeline_muted(client, mute ? &mark : NULL);
    }

    return NGX_OK;
}


/* An argument found no room; or none was made, as the command is refused. */

static void
ngx_olivine_pipeline_dropped(ngx_olivine_client_t *client,
    ngx_olivine_item_t *item)
{
    const ngx_olivine_rules_t  *rules;

    rules = client->caller.rules;

    if (rules && item->command
        && ngx_olivine_rules_refuses(rules, item->command))
    {
        ngx_olivine_rules_error(&client->reply, item->command);
        return;
    }

    (void) ngx_olivine_reply_error(&client->reply, NGX_OLIVINE_ERR_OOM);
}


/* CLIENT REPLY: what was said is taken back, unless that was ON. */

static void
ngx_olivine_pipeline_muted(ngx_olivine_client_t *client,
    ngx_olivine_reply_mark_t *mark)
{
    ngx_olivine_caller_t  *caller;

    caller = &client->caller;

    if (mark && (caller->reply_off || caller->reply_skip)) {
        ngx_olivine_reply_rewind(&client->reply, mark);
    }

    caller->reply_skip = caller->reply_next;
    caller->reply_next = 0;
}


/* What CLIENT INFO and LIST tell while a command of the client runs. */

static void
ngx_olivine_pipeline_gauge(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch, ngx_olivine_cx_t *cx)
{
    size_t                  args;
    ngx_uint_t              i;
    ngx_olivine_bus_row_t  *row;

    ngx_olivine_client_note(client);

    row = client->caller.row;
    args = cx->argc * sizeof(ngx_olivine_arg_t);

    for (i = 0; i < cx->argc; i++) {
        args += cx->argv[i].len;
    }

    /* as Redis counts: what is being run is not taken off yet */

    if (batch == client->worker->batch && client->start) {
        row->input = ngx_olivine_bus_size(client->last - client->start);
    }

    row->args = ngx_olivine_bus_size(args);
    row->memory = ngx_olivine_bus_size(row->memory + args);
}


/* The batch stays with the client; the worker gets another.  AGAIN, ERROR. */

static ngx_int_t
ngx_olivine_pipeline_keep(ngx_olivine_client_t *client,
    ngx_olivine_batch_t *batch)
{
    ngx_olivine_worker_t  *worker;

    worker = client->worker;

    if (client->batch) {
        return NGX_AGAIN;
    }

    client->batch = batch;

    worker->batch = ngx_calloc(sizeof(ngx_olivine_batch_t), worker->log);

    if (worker->batch == NULL) {
        worker->batch = batch;
        client->batch = NULL;
        return NGX_ERROR;
    }

    return NGX_AGAIN;
}


static void
ngx_olivine_pipeline_park(ngx_olivine_client_t *client)
{
    int64_t                ms;
    ngx_olivine_cx_t      *cx;
    ngx_olivine_worker_t  *worker;

    worker = client->worker;
    cx = &worker->cx;

    client->state = NGX_OLIVINE_CLIENT_PARKED;

    ngx_log_debug2(NGX_LOG_DEBUG_STREAM, worker->log, 0,
                   "olivine client %uL: parked, why:%d", client->caller.id,
                   (int) cx->park);

    ngx_olivine_pipeline_waits(client);

    if (cx->park == NGX_OLIVINE_PARK_SHUTDOWN) {
        client->leaving = 1;
        ngx_olivine_slot_ring_all(worker->zone, NGX_OLIVINE_HINT_SHUTDOWN);
        return;
    }

    if (cx->park == NGX_OLIVINE_PARK_PAUSE) {
        client->paused = 1;
        worker->tx.slot->blocked++;
    }

    if (cx->park == NGX_OLIVINE_PARK_TURN) {
        worker->host->later(client);
        return;
    }

    if (cx->park == NGX_OLIVINE_PARK_TIMER) {
        ms = cx->until - cx->now;
        worker->host->timer(client, ms > 0 ? (ngx_msec_t) ms : 1);
        return;
    }

    if (!client->waits) {
        ngx_queue_insert_tail(&worker->parked, &client->parked);
        client->waits = 1;
    }
}


/* Notes for the block profile what the client waits for. */

static void
ngx_olivine_pipeline_waits(ngx_olivine_client_t *client)
{
    ngx_olivine_cx_t  *cx;

    cx = &client->worker->cx;

    switch (cx->park) {

    case NGX_OLIVINE_PARK_GATE:
        client->parked_why = NGX_OLIVINE_BLOCK_GATE;
        break;

    case NGX_OLIVINE_PARK_CREDIT:
        client->parked_why = NGX_OLIVINE_BLOCK_CREDIT;
        break;

    case NGX_OLIVINE_PARK_PAUSE:
        client->parked_why = NGX_OLIVINE_BLOCK_PAUSE;
        break;

    case NGX_OLIVINE_PARK_TIMER:
        client->parked_why = NGX_OLIVINE_BLOCK_TIMER;
        break;

    default:                       /* a turn of others, or the end */
        return;
    }

    client->parked_command = ngx_olivine_meter_command(cx);
    client->parked_since = ngx_olivine_clock_counts();
}
