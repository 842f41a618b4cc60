
/*
 * Copyright (C) The Olivine authors
 *
 * The dispatcher: the only place where locks are taken for a command, its
 * effect is appended, and what it did is committed or undone.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_multi.h"
#include "command/ngx_olivine_rules.h"

#include <time.h>


/* more keys than that in one command, and it goes through the gate */
#define NGX_OLIVINE_COMMAND_WIDE   256

/* runs of a command that lacks nothing it could be given */
#define NGX_OLIVINE_COMMAND_VAIN   1000

#define ngx_olivine_command_touches(command)                                  \
    ((command)->flags & (NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_READONLY))


static ngx_int_t ngx_olivine_command_check(ngx_olivine_cx_t *cx);
static void ngx_olivine_command_told(ngx_olivine_cx_t *cx,
    ngx_olivine_reply_mark_t *mark);
static ngx_int_t ngx_olivine_command_rights(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, const ngx_olivine_command_t *sub);
static uint64_t ngx_olivine_command_shards(ngx_olivine_cx_t *cx);
static ngx_uint_t ngx_olivine_command_refused(ngx_olivine_cx_t *cx);
static ngx_uint_t ngx_olivine_command_paused(ngx_olivine_cx_t *cx);
static void ngx_olivine_command_prefetch(ngx_olivine_cx_t *cx,
    ngx_uint_t from, ngx_uint_t to);
static ngx_int_t ngx_olivine_command_call(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_command_lock(ngx_olivine_cx_t *cx,
    uint64_t shards);
static ngx_int_t ngx_olivine_command_locked(ngx_olivine_cx_t *cx,
    uint64_t shards, ngx_olivine_cx_part_pt part, ngx_olivine_shard_t *shard,
    void *data);
static ngx_int_t ngx_olivine_command_nested(ngx_olivine_cx_t *cx,
    uint64_t shards, ngx_olivine_cx_part_pt part, ngx_olivine_shard_t *shard,
    void *data);
static void ngx_olivine_command_seen(ngx_olivine_cx_t *cx, uint64_t shards);
static void ngx_olivine_command_now(ngx_olivine_cx_t *cx, uint64_t shards);
static ngx_int_t ngx_olivine_command_unknown(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_command_unknown_sub(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command);
static ngx_int_t ngx_olivine_command_handler(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static uint64_t ngx_olivine_command_cpu(void);


ngx_int_t
ngx_olivine_cx_init(ngx_olivine_cx_t *cx, ngx_olivine_tx_t *tx)
{
    ngx_memzero(cx, sizeof(ngx_olivine_cx_t));

    cx->tx = tx;
    cx->zone = tx->zone;
    cx->keys_alloc = 64;

    tx->sampler.command = ngx_olivine_meter_command;
    tx->sampler.data = cx;

    cx->keys = ngx_alloc(cx->keys_alloc * sizeof(ngx_olivine_cx_key_t),
                         ngx_cycle->log);

    if (cx->keys == NULL) {
        return NGX_ERROR;
    }

    if (ngx_olivine_meter_init(&cx->meter) != NGX_OK) {
        ngx_free(cx->keys);
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_olivine_cx_free(ngx_olivine_cx_t *cx)
{
    ngx_olivine_multi_done(cx);

    if (cx->keys) {
        ngx_free(cx->keys);
    }

    if (cx->effect) {
        ngx_free(cx->effect);
    }

    ngx_olivine_meter_free(&cx->meter);
    ngx_olivine_feed_free(&cx->feed);

    if (cx->tx) {
        cx->tx->sampler.command = NULL;
    }

    ngx_memzero(cx, sizeof(ngx_olivine_cx_t));
}


ngx_int_t
ngx_olivine_command_run(ngx_olivine_cx_t *cx)
{
    ngx_int_t                 rc;
    ngx_olivine_reply_mark_t  mark;

    cx->error = NULL;
    cx->park = NGX_OLIVINE_PARK_NONE;
    cx->nkeys = 0;

    ngx_olivine_meter_begin(cx);

    ngx_olivine_reply_mark(cx->reply, &mark);

    rc = ngx_olivine_command_check(cx);

    if (rc == NGX_OK) {

        if (ngx_olivine_unlikely(cx->tell & NGX_OLIVINE_TELL_MONITORS)) {
            ngx_olivine_feed_before(cx, cx->argv, cx->argc);
        }

        rc = ngx_olivine_command_call(cx);
    }

    if (ngx_olivine_likely(rc == NGX_OK && cx->reply->errors == 0)) {

        if (ngx_olivine_unlikely(cx->reply->last != mark.segment
                                 || cx->tell))
        {
            ngx_olivine_command_told(cx, &mark);
        }

        ngx_olivine_meter_end(cx);
        return NGX_OK;
    }

    if (rc == NGX_DONE) {
        return NGX_OK;                         /* queued */
    }

    if (rc == NGX_AGAIN) {
        ngx_olivine_reply_rewind(cx->reply, &mark);
        ngx_olivine_feed_drop(&cx->feed);
        cx->tx->slot->counters.parked++;
        return NGX_AGAIN;
    }

    if (rc == NGX_DECLINED) {

        /* refused before it began, the error is written */

        ngx_olivine_multi_refused(cx, &mark);
        ngx_olivine_meter_rejected(cx);
        return NGX_OK;
    }

    if (rc == NGX_ERROR) {
        ngx_olivine_reply_rewind(cx->reply, &mark);
        ngx_olivine_command_failed(cx);
    }

    ngx_olivine_meter_failed(cx);
    ngx_olivine_command_told(cx, &mark);
    ngx_olivine_meter_end(cx);

    return NGX_OK;
}


/* Logs of commands, and monitors, may want to know of it. */

static void
ngx_olivine_command_told(ngx_olivine_cx_t *cx, ngx_olivine_reply_mark_t *mark)
{
    size_t  bytes;

    bytes = ngx_olivine_reply_since(cx->reply, mark);

    ngx_olivine_meter_large(cx, bytes);

    cx->meter.bytes = bytes;

    if (cx->feed.on) {
        ngx_olivine_feed_note(cx, cx->command, cx->argv, cx->argc,
                              cx->meter.redacted, cx->caller->db);
        ngx_olivine_feed_drop(&cx->feed);
    }
}


/* OK: may be called; DONE: queued; DECLINED: refused; AGAIN: the gate. */

static ngx_int_t
ngx_olivine_command_check(ngx_olivine_cx_t *cx)
{
    int64_t                       limit;
    ngx_int_t                     arity;
    const ngx_olivine_command_t  *command, *sub;

    command = cx->command;

    if (command == NULL) {
        command = ngx_olivine_cx_named(cx, cx->argv[0].data, cx->argv[0].len);

        if (command == NULL) {
            return ngx_olivine_command_unknown(cx);
        }
    }

    sub = NULL;

    if (command->subcommands && cx->argc > 1) {
        sub = ngx_olivine_subcommand_find(command, cx->argv[1].data,
                                          cx->argv[1].len);

        if (sub == NULL) {
            cx->command = NULL;
            return ngx_olivine_command_unknown_sub(cx, command);
        }
    }

    cx->command = sub ? sub : command;
    arity = cx->command->arity;

    if (ngx_olivine_unlikely(arity > 0 ? (ngx_int_t) cx->argc != arity
                                       : (ngx_int_t) cx->argc < -arity)
        || cx->command->handler == NULL)
    {
        (void) ngx_olivine_reply_error_format(cx->reply,
                      "ERR wrong number of arguments for '%V' command",
                      &cx->command->name);
        return NGX_DECLINED;
    }

    if (ngx_olivine_command_rights(cx, command, sub) != NGX_OK) {
        return NGX_DECLINED;
    }

    command = cx->command;
    limit = cx->zone->params.maxmemory;

    if (ngx_olivine_unlikely(limit != 0)
        && (command->flags & NGX_OLIVINE_CMD_DENYOOM)
        && cx->used > (size_t) limit
        && !cx->loading)
    {
        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_OOM);
        return NGX_DECLINED;
    }

    if (ngx_olivine_unlikely(cx->zone->persist.refuse != 0)
        && ngx_olivine_command_refused(cx))
    {
        return NGX_DECLINED;
    }

    /* this version has none at all */

    if (ngx_olivine_unlikely(cx->zone->params.min_replicas_to_write != 0)
        && (command->flags & NGX_OLIVINE_CMD_WRITE)
        && cx->zone->params.min_replicas_max_lag != 0
        && !cx->loading)
    {
        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_NO_REPLICAS);
        return NGX_DECLINED;
    }

    /* one that was begun goes on */

    if (ngx_olivine_unlikely(cx->zone->pause != 0)
        && cx->caller->later == NULL
        && !cx->loading
        && ngx_olivine_command_paused(cx))
    {
        cx->park = NGX_OLIVINE_PARK_PAUSE;
        return NGX_AGAIN;
    }

    if (ngx_olivine_unlikely(cx->caller->multi != NULL)
        && !(command->flags & NGX_OLIVINE_CMD_AT_ONCE))
    {
        return ngx_olivine_multi_queue(cx);
    }

    if (!ngx_olivine_command_touches(command)) {
        return NGX_OK;
    }

    /* this worker's own gate is up while one of its clients sleeps */

    if (ngx_olivine_gate_up(cx->tx)
        || ngx_olivine_unlikely(cx->tx->gate))
    {
        cx->park = NGX_OLIVINE_PARK_GATE;
        return NGX_AGAIN;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_command_rights(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, const ngx_olivine_command_t *sub)
{
    if (ngx_olivine_unlikely(cx->caller->multi != NULL)
        && (cx->command->flags & NGX_OLIVINE_CMD_NO_MULTI))
    {
        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_NO_MULTI);
        return NGX_DECLINED;
    }

    if (ngx_olivine_unlikely(!cx->caller->authenticated)
        && !(cx->command->flags & NGX_OLIVINE_CMD_NO_AUTH)
        && cx->zone->params.requirepass.len)
    {
        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_NOAUTH);
        return NGX_DECLINED;
    }

    if (ngx_olivine_unlikely(cx->caller->rules != NULL)
        && ngx_olivine_rules_check(cx, command, sub) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    /* to Redis it is a replica of a kind */

    if (ngx_olivine_unlikely(cx->caller->monitor)
        && ngx_olivine_command_touches(cx->command))
    {
        (void) ngx_olivine_reply_error_format(cx->reply,
                            "ERR Replica can't interact with the keyspace");
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/* 1, and the error is written, if what the files are in does not allow it. */

static ngx_uint_t
ngx_olivine_command_refused(ngx_olivine_cx_t *cx)
{
    uint32_t                refuse;
    ngx_olivine_persist_t  *persist;

    persist = &cx->zone->persist;
    refuse = __atomic_load_n(&persist->refuse, __ATOMIC_ACQUIRE);

    if (cx->loading) {
        return 0;
    }

    if (refuse & NGX_OLIVINE_REFUSE_LOADING) {

        if (cx->command->flags & NGX_OLIVINE_CMD_LOADING) {
            return 0;
        }

        if (persist->loading.state == NGX_OLIVINE_LOADING_FAILED) {
            (void) ngx_olivine_reply_error_format(cx->reply,
                            "MISCONF The files could not be loaded, the "
                            "error log says why");
            return 1;
        }

        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_LOADING);
        return 1;
    }

    if (!(cx->command->flags & NGX_OLIVINE_CMD_WRITE)) {
        return 0;
    }

    if (refuse & NGX_OLIVINE_REFUSE_AOF) {
        (void) ngx_olivine_reply_error_format(cx->reply,
                         "MISCONF Errors writing to the AOF file: %s",
                         strerror(persist->aof.error));
        return 1;
    }

    if (refuse & NGX_OLIVINE_REFUSE_SNAPSHOT
        && cx->zone->params.stop_writes_on_bgsave_error)
    {
        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_MISCONF_RDB);
        return 1;
    }

    return 0;
}


/* 1 if CLIENT PAUSE holds the command; EXEC does what it queued. */

static ngx_uint_t
ngx_olivine_command_paused(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  flags;

    flags = cx->command->flags;

    if (cx->caller->multi && cx->command->handler == ngx_olivine_cmd_exec) {
        flags |= cx->caller->multi->flags;
    }

    switch (ngx_olivine_pause(cx->zone, cx->now)) {

    case NGX_OLIVINE_PAUSE_ALL:
        return 1;

    case NGX_OLIVINE_PAUSE_WRITE:
        return (flags & NGX_OLIVINE_CMD_WRITE) != 0;

    default:
        return 0;
    }
}


ngx_int_t
ngx_olivine_command_prepare(ngx_olivine_cx_t *cx)
{
    ngx_str_t              key;
    ngx_uint_t             i, n, known, arg, first, step;
    ngx_olivine_cx_key_t  *keys;

    n = ngx_olivine_command_keys(cx->command, cx->argv, cx->argc, &first,
                                 &step);

    cx->nkeys = n;

    if (n == 0) {
        return NGX_OK;
    }

    if (n > cx->keys_alloc) {
        keys = ngx_alloc(n * sizeof(ngx_olivine_cx_key_t), ngx_cycle->log);
        if (keys == NULL) {
            cx->nkeys = 0;
            return NGX_ERROR;
        }

        ngx_free(cx->keys);
        cx->keys = keys;
        cx->keys_alloc = n;
    }

    keys = cx->keys;
    known = ngx_min(cx->hashed, n);

    for (i = 0, arg = first; i < known; i++, arg += step) {
        keys[i].arg = arg;
        keys[i].hash = cx->hashes[i];
    }

    if (known == n) {
        return NGX_OK;
    }

    for ( /* void */ ; i < n; i++, arg += step) {
        key = ngx_olivine_cx_arg(cx, arg);
        keys[i].arg = arg;
        keys[i].hash = ngx_olivine_store_hash(cx->zone, &key);
    }

    if (n == 1) {
        return NGX_OK;
    }

    for (i = known; i < n; i += NGX_OLIVINE_BATCH) {
        ngx_olivine_command_prefetch(cx, i, ngx_min(n,
                                                    i + NGX_OLIVINE_BATCH));
    }

    return NGX_OK;
}


static void
ngx_olivine_command_prefetch(ngx_olivine_cx_t *cx, ngx_uint_t from,
    ngx_uint_t to)
{
    void        *bucket[NGX_OLIVINE_BATCH];
    ngx_uint_t   i;

    for (i = from; i < to; i++) {
        bucket[i - from] = ngx_olivine_store_prefetch_bucket(cx->zone,
                                                             cx->caller->db,
                                                             cx->keys[i].hash);
    }

    for (i = from; i < to; i++) {
        if (bucket[i - from]) {
            (void) ngx_olivine_store_prefetch_entry(cx->zone, bucket[i - from],
                                                    cx->keys[i].hash);
        }
    }
}


static ngx_int_t
ngx_olivine_command_call(ngx_olivine_cx_t *cx)
{
    uint64_t   shards;
    ngx_int_t  rc;

    if (!ngx_olivine_command_touches(cx->command)) {

        /* nothing of the store: no lock, no commit */

        cx->logging = 0;
        cx->noted.n = 0;

        return cx->command->handler(cx);
    }

    if (ngx_olivine_command_prepare(cx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (cx->nkeys == 0
        || ngx_olivine_unlikely(cx->command->flags & NGX_OLIVINE_CMD_UNLOCKED))
    {
        cx->logging = 0;
        cx->noted.n = 0;

        return cx->command->handler(cx);         /* it walks, or needs none */
    }

    shards = ngx_olivine_command_shards(cx);

    if (ngx_olivine_unlikely(cx->nkeys > NGX_OLIVINE_COMMAND_WIDE)) {

        if (ngx_olivine_gate_raise(cx->tx, NGX_OLIVINE_GATE_WIDE, cx->now)
            != NGX_OK)
        {
            cx->park = NGX_OLIVINE_PARK_GATE;
            return NGX_AGAIN;
        }

        rc = ngx_olivine_command_transact(cx, shards,
                                          ngx_olivine_command_handler, NULL,
                                          NULL);
        ngx_olivine_gate_lower(cx->tx);

        return rc;
    }

    return ngx_olivine_command_transact(cx, shards, ngx_olivine_command_handler,
                                    NULL, NULL);
}


static uint64_t
ngx_olivine_command_shards(ngx_olivine_cx_t *cx)
{
    uint64_t    shards;
    ngx_uint_t  i;

    shards = 0;

    for (i = 0; i < cx->nkeys; i++) {
        shards |= (uint64_t) 1 << ngx_olivine_store_number(cx->zone,
                                                           cx->keys[i].hash);
    }

    return shards;
}


static ngx_int_t
ngx_olivine_command_handler(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    return cx->command->handler(cx);
}


ngx_int_t
ngx_olivine_command_transact(ngx_olivine_cx_t *cx, uint64_t shards,
    ngx_olivine_cx_part_pt part, ngx_olivine_shard_t *shard, void *data)
{
    ngx_int_t                  rc;
    ngx_uint_t                 pins, vain, log;
    ngx_olivine_tx_t          *tx;
    ngx_olivine_reply_mark_t   mark;

    tx = cx->tx;
    tx->reserve = cx->command == NULL
                  || !(cx->command->flags & NGX_OLIVINE_CMD_DENYOOM);

    vain = 0;
    pins = cx->pins;
    ngx_olivine_reply_mark(cx->reply, &mark);

    if (ngx_olivine_ring_low(tx)) {
        ngx_olivine_ring_portion(tx);
    }

    for ( ;; ) {
        rc = ngx_olivine_command_locked(cx, shards, part, shard, data);

        if (ngx_olivine_likely(rc == NGX_OK)) {
            break;
        }

        /* pins that undoing gave up are no longer in the reply's hands */

        ngx_olivine_reply_rewind(cx->reply, &mark);
        cx->pins = pins;

        if (rc == NGX_ERROR || cx->park != NGX_OLIVINE_PARK_NONE) {
            break;
        }

        log = tx->want_credit || tx->want_loads || tx->want_walk;

        rc = ngx_olivine_tx_fetch(tx);

        if (rc == NGX_AGAIN) {
            cx->park = NGX_OLIVINE_PARK_GATE;
            break;
        }

        if (rc == NGX_DECLINED && log) {
            cx->park = NGX_OLIVINE_PARK_CREDIT;
            rc = NGX_AGAIN;
            break;
        }

        /* a gate that was up for a moment; or a fault of ours, no hang */

        if (rc == NGX_DECLINED && ++vain == NGX_OLIVINE_COMMAND_VAIN) {
            ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, 0,
                          "olivine: \"%s\" cannot be done and lacks nothing",
                          cx->command ? (char *) cx->command->name.data
                                      : "tick");
            rc = NGX_ERROR;
            break;
        }
    }

    ngx_olivine_tx_fetched(tx);
    tx->reserve = 0;

    if (ngx_olivine_unlikely(cx->hints) && rc == NGX_OK) {
        ngx_olivine_slot_ring_all(cx->zone, cx->hints);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_command_locked(ngx_olivine_cx_t *cx, uint64_t shards,
    ngx_olivine_cx_part_pt part, ngx_olivine_shard_t *shard, void *data)
{
    u_char            *record;
    size_t             len;
    uint64_t           start, held;
    ngx_int_t          rc;
    ngx_olivine_tx_t  *tx;

    tx = cx->tx;
    start = 0;

    if (ngx_olivine_unlikely(cx->zone->params.lock_timing)) {
        start = ngx_olivine_command_cpu();
    }

    rc = ngx_olivine_command_lock(cx, shards);

    if (ngx_olivine_likely(rc == NGX_OK)) {

        ngx_olivine_command_now(cx, shards);

        cx->logging = cx->zone->ring.readers != 0 && !cx->loading;
        cx->noted.n = 0;
        cx->failed = 0;
        cx->lacking = 0;
        cx->hints = 0;

        if (ngx_olivine_unlikely(cx->logging)) {
            ngx_olivine_command_seen(cx, shards);
        }

        rc = part(cx, shard, data);

        /* only what is logged can have failed so */

        if (ngx_olivine_unlikely(cx->logging)
            && (cx->failed | cx->lacking))
        {
            rc = cx->failed ? NGX_ERROR : NGX_AGAIN;
        }

        if (rc == NGX_OK) {

            if (tx->slot->used && !cx->loading) {
                tx->slot->counters.changes += cx->nkeys ? cx->nkeys : 1;
            }

            record = NULL;
            len = 0;

            if (ngx_olivine_unlikely(cx->noted.n)) {
                rc = ngx_olivine_effect_record(cx, &record, &len);
            }

            if (rc == NGX_OK) {
                rc = ngx_olivine_tx_commit(tx, record, len, cx->noted.first);
            }
        }
    }

    if (ngx_olivine_unlikely(rc != NGX_OK)) {
        ngx_olivine_tx_undo(tx);
    }

    ngx_olivine_tx_unlock(tx);

    if (ngx_olivine_unlikely(start)) {
        held = (ngx_olivine_command_cpu() - start) / 1000;
        tx->slot->longest_hold = ngx_max(tx->slot->longest_hold, held);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_command_lock(ngx_olivine_cx_t *cx, uint64_t shards)
{
    ngx_int_t  rc;

    rc = NGX_OK;

    for ( /* void */ ; shards && rc == NGX_OK; shards &= shards - 1) {
        rc = ngx_olivine_tx_lock_shard(cx->tx, __builtin_ctzll(shards));
    }

    return rc;
}


/*
 * With "appendfsync always" nobody is to hear of a change that a disk does not
 * have yet, of a key in the same shard at least.
 */

static void
ngx_olivine_command_seen(ngx_olivine_cx_t *cx, uint64_t shards)
{
    uint64_t             logged;
    ngx_olivine_zone_t  *zone;

    zone = cx->zone;

    if (zone->params.appendfsync != NGX_OLIVINE_FSYNC_ALWAYS) {
        return;
    }

    for ( /* void */ ; shards; shards &= shards - 1) {
        logged = ngx_olivine_zone_arena(zone, __builtin_ctzll(shards))->logged;
        logged = ngx_min(logged, __atomic_load_n(&zone->ring.tail,
                                                 __ATOMIC_ACQUIRE));

        cx->tx->logged = ngx_max(cx->tx->logged, logged);
    }
}


/*
 * No worker sees alive what another saw expired: time does not go back in a
 * shard, and a command of several has the latest of theirs.
 */

static void
ngx_olivine_command_now(ngx_olivine_cx_t *cx, uint64_t shards)
{
    uint64_t  set;

    if (ngx_olivine_unlikely(cx->loading)) {
        return;                        /* it is long ago */
    }

    for (set = shards; set; set &= set - 1) {
        cx->now = ngx_max(cx->now,
                          ngx_olivine_store_shard(cx->zone,
                                                  __builtin_ctzll(set))->now);
    }

    for (set = shards; set; set &= set - 1) {
        ngx_olivine_store_shard(cx->zone, __builtin_ctzll(set))->now = cx->now;
    }

    cx->clock = ngx_olivine_store_clock(cx->now);
}


/* The transaction around it may not have taken what the part needs. */

static ngx_int_t
ngx_olivine_command_nested(ngx_olivine_cx_t *cx, uint64_t shards,
    ngx_olivine_cx_part_pt part, ngx_olivine_shard_t *shard, void *data)
{
    if (shards & ~cx->tx->shards) {
        cx->lacks = 1;
        cx->park = NGX_OLIVINE_PARK_GATE;
        return NGX_AGAIN;
    }

    return part(cx, shard, data);
}


ngx_int_t
ngx_olivine_cx_in_shard(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_olivine_cx_part_pt part, void *data)
{
    uint64_t              shards;
    ngx_olivine_shard_t  *shard;

    shards = (uint64_t) 1 << n;
    shard = ngx_olivine_store_shard(cx->zone, n);

    if (cx->nested) {
        return ngx_olivine_command_nested(cx, shards, part, shard, data);
    }

    return ngx_olivine_command_transact(cx, shards, part, shard, data);
}


ngx_int_t
ngx_olivine_cx_in_keys(ngx_olivine_cx_t *cx, ngx_olivine_cx_part_pt part,
    void *data)
{
    uint64_t  shards;

    shards = ngx_olivine_command_shards(cx);

    if (cx->nested) {
        return ngx_olivine_command_nested(cx, shards, part, NULL, data);
    }

    return ngx_olivine_command_transact(cx, shards, part, NULL, data);
}


ngx_int_t
ngx_olivine_cx_in_zone(ngx_olivine_cx_t *cx, ngx_olivine_cx_part_pt part,
    void *data)
{
    if (cx->nested) {
        return part(cx, NULL, data);
    }

    return ngx_olivine_command_transact(cx, 0, part, NULL, data);
}


ngx_int_t
ngx_olivine_cx_in_all(ngx_olivine_cx_t *cx, ngx_olivine_gate_e why,
    ngx_olivine_cx_part_pt part, void *data)
{
    uint64_t   shards;
    ngx_int_t  rc;

    shards = ~(uint64_t) 0 >> (64 - cx->zone->nshards);

    if (cx->nested) {
        return ngx_olivine_command_nested(cx, shards, part, NULL, data);
    }

    if (ngx_olivine_gate_raise(cx->tx, why, cx->now) != NGX_OK) {
        cx->park = NGX_OLIVINE_PARK_GATE;
        return NGX_AGAIN;
    }

    rc = ngx_olivine_command_transact(cx, shards, part, NULL, data);

    ngx_olivine_gate_lower(cx->tx);

    return rc;
}


void
ngx_olivine_command_failed(ngx_olivine_cx_t *cx)
{
    if (cx->error) {
        (void) ngx_olivine_reply_error_text(cx->reply, cx->error,
                                            cx->error_len);
        return;
    }

    cx->starved = 1;

    (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_OOM);
}


/* As in Redis: the arguments are shown until 128 bytes of them are. */

static ngx_int_t
ngx_olivine_command_unknown(ngx_olivine_cx_t *cx)
{
    u_char      buf[512], *p, *last;
    size_t      len;
    ngx_str_t   word;
    ngx_uint_t  i;

    p = buf;
    last = buf + sizeof(buf);

    for (i = 1; i < cx->argc && p - buf < 128; i++) {
        word = ngx_olivine_cx_word(cx, i);
        len = ngx_min(word.len, 128 - (size_t) (p - buf));
        p = ngx_slprintf(p, last, "'%*s' ", len, word.data);
    }

    word = ngx_olivine_cx_word(cx, 0);

    (void) ngx_olivine_reply_error_format(cx->reply,
                    "ERR unknown command '%*s', with args beginning with: %*s",
                    ngx_min(word.len, 128), word.data,
                    (size_t) (p - buf), buf);

    return NGX_DECLINED;
}


static ngx_int_t
ngx_olivine_command_unknown_sub(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command)
{
    u_char      name[NGX_OLIVINE_COMMAND_NAME];
    ngx_str_t   word;
    ngx_uint_t  i;

    for (i = 0; i < command->name.len; i++) {
        name[i] = ngx_toupper(command->name.data[i]);
    }

    word = ngx_olivine_cx_word(cx, 1);

    (void) ngx_olivine_reply_error_format(cx->reply,
                               "ERR unknown subcommand '%*s'. Try %*s HELP.",
                               ngx_min(word.len, 128), word.data, i, name);

    return NGX_DECLINED;
}


/* Nanoseconds of CPU time of this thread; a system call. */

static uint64_t
ngx_olivine_command_cpu(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}
