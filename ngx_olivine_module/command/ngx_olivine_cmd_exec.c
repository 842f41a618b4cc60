
/*
 * Copyright (C) The Olivine authors
 *
 * WATCH and EXEC: queued commands as one transaction.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_multi.h"


/* more keys than that in one transaction, and it goes through the gate */
#define NGX_OLIVINE_EXEC_WIDE   256


/* what a run that is undone has to find again */

typedef struct {
    uint64_t       shards;
    ngx_uint_t     keys;
    uint32_t       db;
    unsigned       touches:1;
    unsigned       all:1;
    unsigned       resp3:1;
    unsigned       broken:1;
} ngx_olivine_exec_t;


typedef struct {
    ngx_uint_t             key;
    ngx_olivine_watch_t   *watch;
} ngx_olivine_watch_one_t;


static ngx_int_t ngx_olivine_watch_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static void ngx_olivine_exec_note(ngx_olivine_cx_t *cx,
    ngx_olivine_multi_t *multi);
static ngx_int_t ngx_olivine_exec_shards(ngx_olivine_cx_t *cx,
    ngx_olivine_exec_t *exec);
static ngx_int_t ngx_olivine_exec_run(ngx_olivine_cx_t *cx,
    ngx_olivine_exec_t *exec);
static ngx_int_t ngx_olivine_exec_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_exec_watched(ngx_olivine_cx_t *cx,
    ngx_olivine_exec_t *exec);
static ngx_int_t ngx_olivine_exec_queued(ngx_olivine_cx_t *cx,
    ngx_olivine_queued_t *q);
static void ngx_olivine_exec_load(ngx_olivine_cx_t *cx,
    ngx_olivine_queued_t *q);
static void ngx_olivine_exec_end(ngx_olivine_cx_t *cx);


ngx_int_t
ngx_olivine_cmd_watch(ngx_olivine_cx_t *cx)
{
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_olivine_caller_t     *caller;
    ngx_olivine_watched_t    *w;
    ngx_olivine_watch_one_t   one;

    caller = cx->caller;

    if (caller->multi) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_WATCH_IN_MULTI);
    }

    rc = ngx_olivine_command_prepare(cx);
    if (rc != NGX_OK) {
        return rc;
    }

    for (i = 0; i < cx->nkeys; i++) {

        w = ngx_alloc(sizeof(ngx_olivine_watched_t), ngx_cycle->log);
        if (w == NULL) {
            return NGX_ERROR;
        }

        w->shard = ngx_olivine_store_number(cx->zone, cx->keys[i].hash);
        one.key = i;

        rc = ngx_olivine_cx_in_shard(cx, w->shard, ngx_olivine_watch_part,
                                     &one);

        if (rc != NGX_OK || one.watch == NULL) {
            ngx_free(w);

            if (rc != NGX_OK) {
                return rc;
            }

            continue;
        }

        w->watch = one.watch;
        w->next = caller->watched;
        caller->watched = w;

        cx->tx->slot->watching += (caller->nwatched++ == 0);
        cx->tx->slot->watched++;
    }

    return ngx_olivine_reply_ok(cx->reply);
}


static ngx_int_t
ngx_olivine_watch_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_watch_one_t *one = data;

    ngx_int_t              rc;
    ngx_str_t              name;
    ngx_olivine_ref_t      ref;
    ngx_olivine_cx_key_t  *key;

    key = &cx->keys[one->key];
    name = ngx_olivine_cx_arg(cx, key->arg);
    one->watch = NULL;

    ngx_olivine_store_find_locked(cx->tx, cx->caller->db, &name, key->hash,
                                  cx->now, &ref);

    rc = ngx_olivine_watch_add_locked(cx->tx, &ref, cx->caller->id,
                                      &one->watch);

    return rc == NGX_DECLINED ? NGX_OK : rc;
}


ngx_int_t
ngx_olivine_cmd_exec(ngx_olivine_cx_t *cx)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_exec_t    exec;
    ngx_olivine_queued_t  self;
    ngx_olivine_multi_t  *multi;

    multi = cx->caller->multi;

    if (multi == NULL) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_EXEC_ALONE);
    }

    if (multi->failed) {
        ngx_olivine_exec_end(cx);
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_EXECABORT);
    }

    if ((multi->flags & NGX_OLIVINE_CMD_DENYOOM)
        && cx->zone->params.maxmemory
        && cx->used > (size_t) cx->zone->params.maxmemory
        && !cx->loading)
    {
        ngx_olivine_exec_end(cx);
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_EXECABORT_OOM);
    }

    if ((multi->flags & NGX_OLIVINE_CMD_WRITE)
        && cx->zone->params.min_replicas_to_write
        && cx->zone->params.min_replicas_max_lag
        && !cx->loading)
    {
        ngx_olivine_exec_end(cx);
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_EXECABORT_REPLICAS);
    }

    self.command = cx->command;
    self.argv = cx->argv;
    self.argc = cx->argc;

    ngx_memzero(&exec, sizeof(ngx_olivine_exec_t));

    exec.db = cx->caller->db;
    exec.resp3 = cx->reply->resp3;

    if (ngx_olivine_unlikely(cx->feed.on && multi->runs)) {
        for (i = 0; i < multi->n; i++) {
            ngx_olivine_feed_before(cx, multi->queue[i].argv,
                                    multi->queue[i].argc);
        }
    }

    rc = ngx_olivine_exec_shards(cx, &exec);

    if (rc == NGX_OK) {
        rc = ngx_olivine_exec_run(cx, &exec);
    }

    ngx_olivine_exec_load(cx, &self);
    cx->nkeys = 0;

    if (rc == NGX_OK) {
        if (!exec.broken) {
            ngx_olivine_exec_note(cx, multi);
        }

        ngx_olivine_multi_forget(cx, cx->caller);
        ngx_olivine_multi_end(cx, cx->caller);
        return NGX_OK;
    }

    cx->caller->db = exec.db;
    cx->reply->resp3 = exec.resp3;

    if (rc == NGX_ERROR) {
        ngx_olivine_exec_end(cx);
    }

    return rc;
}


/* It is committed: only now what was done in it counts. */

static void
ngx_olivine_exec_note(ngx_olivine_cx_t *cx, ngx_olivine_multi_t *multi)
{
    ngx_uint_t             i;
    ngx_olivine_queued_t  *q;

    for (i = 0; i < multi->n; i++) {
        q = &multi->queue[i];
        ngx_olivine_meter_note_nested(cx, &q->meter, q->command, q->argv,
                                      q->argc);
    }
}


/* The shards of all keys; those that walk need them all. */

static ngx_int_t
ngx_olivine_exec_shards(ngx_olivine_cx_t *cx, ngx_olivine_exec_t *exec)
{
    ngx_uint_t              i, k;
    ngx_olivine_multi_t    *multi;
    ngx_olivine_watched_t  *w;

    multi = cx->caller->multi;

    for (w = cx->caller->watched; w; w = w->next) {
        exec->shards |= (uint64_t) 1 << w->shard;
        exec->keys++;
    }

    for (i = 0; i < multi->n; i++) {

        ngx_olivine_exec_load(cx, &multi->queue[i]);

        if (!(cx->command->flags
              & (NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_READONLY)))
        {
            continue;
        }

        exec->touches = 1;

        if (ngx_olivine_command_prepare(cx) != NGX_OK) {
            return NGX_ERROR;
        }

        if (cx->nkeys == 0) {
            exec->all = 1;
            continue;
        }

        multi->queue[i].hash = cx->keys[0].hash;
        multi->queue[i].hashed = 1;

        for (k = 0; k < cx->nkeys; k++) {
            exec->shards |= (uint64_t) 1
                            << ngx_olivine_store_number(cx->zone,
                                                        cx->keys[k].hash);
        }

        exec->keys += cx->nkeys;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_exec_run(ngx_olivine_cx_t *cx, ngx_olivine_exec_t *exec)
{
    ngx_int_t   rc;
    ngx_uint_t  gate;

    if (exec->keys > NGX_OLIVINE_EXEC_WIDE) {
        exec->all = 1;
    }

    for ( ;; ) {

        /* this worker's own gate is up while one of its clients sleeps */

        if ((exec->touches || exec->all)
            && (ngx_olivine_gate_up(cx->tx) || cx->tx->gate))
        {
            cx->park = NGX_OLIVINE_PARK_GATE;
            return NGX_AGAIN;
        }

        gate = exec->all;

        if (gate) {
            exec->shards = ~(uint64_t) 0 >> (64 - cx->zone->nshards);

            if (ngx_olivine_gate_raise(cx->tx, NGX_OLIVINE_GATE_WIDE, cx->now)
                != NGX_OK)
            {
                cx->park = NGX_OLIVINE_PARK_GATE;
                return NGX_AGAIN;
            }
        }

        rc = ngx_olivine_command_transact(cx, exec->shards,
                                          ngx_olivine_exec_part, NULL, exec);
        cx->nested = 0;

        if (gate) {
            ngx_olivine_gate_lower(cx->tx);
        }

        if (!cx->lacks) {
            return rc;
        }

        /* one of them walks: once more, with all shards */

        cx->lacks = 0;
        cx->park = NGX_OLIVINE_PARK_NONE;
        exec->all = 1;
    }
}


static ngx_int_t
ngx_olivine_exec_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_exec_t *exec = data;

    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_multi_t  *multi;

    cx->caller->db = exec->db;
    cx->reply->resp3 = exec->resp3;

    rc = ngx_olivine_exec_watched(cx, exec);
    if (rc != NGX_OK) {
        return rc;
    }

    if (exec->broken) {
        return ngx_olivine_reply_null_array(cx->reply);
    }

    multi = cx->caller->multi;

    (void) ngx_olivine_reply_array(cx->reply, multi->n);

    cx->nested = 1;

    for (i = 0; i < multi->n; i++) {

        rc = ngx_olivine_exec_queued(cx, &multi->queue[i]);

        if (rc != NGX_OK) {
            break;
        }
    }

    cx->nested = 0;

    return rc;
}


/* Has a watched key changed?  In either case they are watched no longer. */

static ngx_int_t
ngx_olivine_exec_watched(ngx_olivine_cx_t *cx, ngx_olivine_exec_t *exec)
{
    ngx_int_t               rc;
    ngx_olivine_watched_t  *w;

    exec->broken = 0;

    for (w = cx->caller->watched; w; w = w->next) {

        if (ngx_olivine_watch_broken_locked(cx->tx, w->watch, cx->now)) {
            exec->broken = 1;
        }

        rc = ngx_olivine_watch_remove_locked(cx->tx, w->watch);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* What fails is undone alone; its error is its reply. */

static ngx_int_t
ngx_olivine_exec_queued(ngx_olivine_cx_t *cx, ngx_olivine_queued_t *q)
{
    uint64_t                   start;
    ngx_int_t                  rc;
    ngx_uint_t                 pins;
    ngx_olivine_mark_t         mark;
    ngx_olivine_reply_mark_t   reply;
    ngx_olivine_noted_t        effect;

    ngx_olivine_exec_load(cx, q);

    cx->error = NULL;
    cx->nkeys = 0;
    cx->meter.spent = 0;
    cx->meter.redacted = 0;
    cx->tx->reserve = !(q->command->flags & NGX_OLIVINE_CMD_DENYOOM);

    start = ngx_olivine_clock_counts();

    ngx_olivine_tx_mark(cx->tx, &mark);
    ngx_olivine_reply_mark(cx->reply, &reply);
    effect = cx->noted;
    pins = cx->pins;

    rc = ngx_olivine_command_prepare(cx);

    if (rc == NGX_OK) {
        rc = q->command->handler(cx);
    }

    if (rc == NGX_AGAIN || cx->lacking) {
        return NGX_AGAIN;
    }

    if (cx->failed) {
        return NGX_ERROR;
    }

    if (rc == NGX_OK) {
        ngx_olivine_meter_nested(cx, &q->meter, start,
                                 ngx_olivine_reply_since(cx->reply, &reply));
        return NGX_OK;
    }

    ngx_olivine_tx_undo_to(cx->tx, &mark);
    ngx_olivine_reply_rewind(cx->reply, &reply);

    cx->noted = effect;
    cx->pins = pins;

    ngx_olivine_command_failed(cx);
    ngx_olivine_meter_nested(cx, &q->meter, start,
                             ngx_olivine_reply_since(cx->reply, &reply));

    return NGX_OK;
}


static void
ngx_olivine_exec_load(ngx_olivine_cx_t *cx, ngx_olivine_queued_t *q)
{
    cx->command = q->command;
    cx->argv = q->argv;
    cx->argc = q->argc;
    cx->hashes = &q->hash;
    cx->hashed = q->hashed;
}


static void
ngx_olivine_exec_end(ngx_olivine_cx_t *cx)
{
    ngx_olivine_multi_unwatch(cx, cx->caller);
    ngx_olivine_multi_end(cx, cx->caller);
}
