
/*
 * Copyright (C) The Olivine authors
 */


#include "client/ngx_olivine_client_monitor.h"
#include "client/ngx_olivine_input.h"
#include "command/ngx_olivine_multi.h"


/* keys removed and shards looked at in one tick */
#define NGX_OLIVINE_WORKER_SLICE    16
#define NGX_OLIVINE_WORKER_SLICES   64

/* milliseconds: between looks at a shard, and at most between two ticks */
#define NGX_OLIVINE_WORKER_DUE      100

/* ... between looks whether a snapshot is due */
#define NGX_OLIVINE_WORKER_LOOK     1000

/* clients looked at for their idleness in one tick, at the least */
#define NGX_OLIVINE_WORKER_IDLE     5

/* free pages that are kept: so many, and a part of those in use */
#define NGX_OLIVINE_WORKER_PAGES    1024
#define NGX_OLIVINE_WORKER_PART     16

/* the wall clock going back by more than that is believed */
#define NGX_OLIVINE_WORKER_BACK     1000

/* reply blocks kept for the next batch */
#define NGX_OLIVINE_WORKER_BLOCKS   64


static ngx_uint_t ngx_olivine_worker_shards(ngx_olivine_worker_t *worker,
    int64_t now);
static size_t ngx_olivine_worker_keep(ngx_olivine_zone_t *zone);
static void ngx_olivine_worker_clock(ngx_olivine_worker_t *worker,
    int64_t now);
static void ngx_olivine_worker_wake(ngx_olivine_worker_t *worker,
    ngx_uint_t paused);
static void ngx_olivine_worker_orders(ngx_olivine_worker_t *worker);
static void ngx_olivine_worker_idle(ngx_olivine_worker_t *worker,
    int64_t now);
static ngx_uint_t ngx_olivine_worker_save(ngx_olivine_worker_t *worker,
    int64_t now);
static ngx_msec_t ngx_olivine_worker_load(ngx_olivine_worker_t *worker,
    int64_t now);
static ngx_msec_t ngx_olivine_worker_next(ngx_olivine_worker_t *worker,
    int64_t now, ngx_msec_t ms);
static void ngx_olivine_worker_unpin_late(ngx_olivine_worker_t *worker);
static void ngx_olivine_worker_orphans(ngx_olivine_worker_t *worker);
static void ngx_olivine_worker_limits(ngx_olivine_worker_t *worker,
    int64_t now);


ngx_int_t
ngx_olivine_worker_init(ngx_olivine_worker_t *worker,
    ngx_olivine_zone_t *zone, int fd, uint32_t cycle,
    const ngx_olivine_host_t *host, ngx_log_t *log)
{
    ngx_int_t  rc;

    ngx_memzero(worker, sizeof(ngx_olivine_worker_t));

    worker->zone = zone;
    worker->host = host;
    worker->log = log;
    worker->replies.max = NGX_OLIVINE_WORKER_BLOCKS;
    worker->params_version = zone->params_version - 1;

    ngx_queue_init(&worker->clients);
    ngx_queue_init(&worker->parked);
    ngx_queue_init(&worker->held);
    ngx_queue_init(&worker->monitors);

    worker->batch = ngx_calloc(sizeof(ngx_olivine_batch_t), log);
    if (worker->batch == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_olivine_commands_init();

    if (rc == NGX_OK) {
        rc = ngx_olivine_slot_claim(&worker->tx, zone, fd, cycle);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_cx_init(&worker->cx, &worker->tx);

        if (rc == NGX_OK) {
            worker->aof = ngx_olivine_aof_create(&worker->tx, log);

            if (worker->aof == NULL) {
                ngx_olivine_cx_free(&worker->cx);
                rc = NGX_ERROR;
            }
        }

        if (rc != NGX_OK) {
            ngx_olivine_slot_leave(&worker->tx);
        }
    }

    if (rc != NGX_OK) {
        ngx_free(worker->batch);
        return rc;
    }

    ngx_olivine_reply_init(&worker->sink, &worker->replies, NULL, NULL);

    ngx_olivine_bus_none(&worker->none);

    worker->self.row = &worker->none;
    worker->self.authenticated = 1;

    (void) ngx_olivine_slot_sweep_all(&worker->tx);

    ngx_olivine_worker_refresh(worker);

    return NGX_OK;
}


void
ngx_olivine_worker_done(ngx_olivine_worker_t *worker)
{
    if (worker->saver) {
        ngx_olivine_save_destroy(worker->saver);
        worker->saver = NULL;
    }

    if (worker->load) {
        ngx_olivine_load_destroy(worker->load);
        worker->load = NULL;
    }

    ngx_olivine_aof_destroy(worker->aof);
    ngx_olivine_worker_unpin_late(worker);
    ngx_olivine_multi_orphans(&worker->cx);
    ngx_olivine_slot_leave(&worker->tx);

    ngx_olivine_cx_free(&worker->cx);
    ngx_olivine_args_free(&worker->batch->args);
    ngx_olivine_reply_free(&worker->sink);
    ngx_olivine_reply_pool_free(&worker->replies);

    ngx_free(worker->batch);

    if (worker->spare) {
        ngx_free(worker->spare);
        worker->spare = NULL;
    }

    if (worker->unpins) {
        ngx_free(worker->unpins);
        worker->unpins = NULL;
    }
}


ngx_msec_t
ngx_olivine_worker_tick(ngx_olivine_worker_t *worker, int64_t now)
{
    uint64_t             start, ns;
    ngx_int_t            rc;
    ngx_uint_t           more, saving;
    ngx_olivine_zone_t  *zone;

    zone = worker->zone;

    ngx_olivine_worker_refresh(worker);
    ngx_olivine_worker_clock(worker, now);
    ngx_olivine_worker_flush(worker);
    ngx_olivine_slot_rates(worker->tx.slot, now);

    if (ngx_olivine_unlikely(zone->persist.refuse
                             & NGX_OLIVINE_REFUSE_LOADING))
    {
        return ngx_olivine_worker_load(worker, now);
    }

    ngx_olivine_clock_adjust();
    ngx_olivine_worker_gauge(worker);

    if (worker->tx.slot->ordered) {
        ngx_olivine_worker_orders(worker);      /* a ring that was lost */
    }

    ngx_olivine_client_monitors_wake(worker);   /* the same */
    ngx_olivine_monitor_trim(&worker->tx);

    if (worker->tx.gate) {
        return NGX_OLIVINE_WORKER_DUE;          /* a client of ours sleeps */
    }

    if (!ngx_queue_empty(&worker->parked) && !ngx_olivine_gate_up(&worker->tx))
    {
        ngx_olivine_worker_wake(worker, !ngx_olivine_pause(zone, now));
    }

    if (worker->params.timeout) {
        ngx_olivine_worker_idle(worker, now);
    }

    ngx_olivine_worker_unpin_late(worker);
    ngx_olivine_worker_orphans(worker);

    saving = ngx_olivine_worker_save(worker, now);

    if (worker->nsoft) {
        ngx_olivine_worker_limits(worker, now);
    }

    if (zone->slots_high) {
        worker->sweep = (worker->sweep + 1) % zone->slots_high;
        (void) ngx_olivine_slot_sweep(&worker->tx, worker->sweep);
    }

    if (ngx_olivine_gate_up(&worker->tx)) {
        return NGX_OLIVINE_WORKER_DUE;
    }

    start = ngx_olivine_clock_counts();
    more = ngx_olivine_worker_shards(worker, now);
    ns = ngx_olivine_clock_since(start);

    worker->tx.slot->counters.expire_ns += ns;

    if (worker->params.latency_monitor_threshold
        && ns / 1000000 >= (uint64_t) worker->params.latency_monitor_threshold)
    {
        ngx_olivine_stats_event(&worker->tx, "expire-cycle", now,
                                ns / 1000000);
    }

    ngx_olivine_sample_tick(&worker->tx);
    ngx_olivine_tx_relax(&worker->tx);
    ngx_olivine_ring_yield(&worker->tx);

    rc = ngx_olivine_heap_trim(&worker->tx, ngx_olivine_worker_keep(zone));

    if (more | saving) {
        return 0;
    }

    return ngx_olivine_worker_next(worker, now,
                                   rc == NGX_OK ? 1 : NGX_OLIVINE_WORKER_DUE);
}


/* A slice of a snapshot, if one is wanted.  1: there is more to do at once. */

static ngx_uint_t
ngx_olivine_worker_save(ngx_olivine_worker_t *worker, int64_t now)
{
    ngx_olivine_save_state_t  *st;

    st = &worker->zone->persist.save;

    if (now - worker->looked >= NGX_OLIVINE_WORKER_LOOK
        || now < worker->looked)
    {
        worker->looked = now;

        if (!(worker->zone->persist.refuse & NGX_OLIVINE_REFUSE_LOADING)) {
            ngx_olivine_save_points(worker->zone, now);
            ngx_olivine_aof_look(worker->aof, now);
        }
    }

    if (worker->saver == NULL) {

        if (st->wanted == 0
            && (st->what == 0
                || ngx_olivine_lease_held(worker->zone, st->lease)))
        {
            return 0;
        }

        worker->saver = ngx_olivine_save_create(&worker->tx, worker->log, 0);

        if (worker->saver == NULL) {
            return 0;
        }
    }

    ngx_olivine_save_reap(worker->saver);

    return ngx_olivine_save_step(worker->saver, now) == NGX_OK;
}


static ngx_msec_t
ngx_olivine_worker_load(ngx_olivine_worker_t *worker, int64_t now)
{
    ngx_int_t   rc;
    ngx_uint_t  saving;

    saving = ngx_olivine_worker_save(worker, now);

    if (worker->load == NULL) {
        worker->load = ngx_olivine_load_create(&worker->cx, worker->log);

        if (worker->load == NULL) {
            return NGX_OLIVINE_WORKER_DUE;
        }
    }

    rc = ngx_olivine_load_step(worker->load, now);

    if (rc == NGX_OK || rc == NGX_AGAIN) {
        return rc == NGX_OK || saving ? 0 : 1;
    }

    if (rc == NGX_ERROR && worker->cx.stoppable) {
        worker->host->shutdown(worker);
    }

    ngx_olivine_load_destroy(worker->load);
    worker->load = NULL;

    return saving ? 0 : NGX_OLIVINE_WORKER_DUE;
}


/* Whom CLIENT PAUSE holds is not to wait longer than it says. */

static ngx_msec_t
ngx_olivine_worker_next(ngx_olivine_worker_t *worker, int64_t now,
    ngx_msec_t ms)
{
    int64_t  until;

    if (ngx_queue_empty(&worker->parked)
        || ngx_olivine_pause_look(worker->zone, now, &until)
           == NGX_OLIVINE_PAUSE_NONE)
    {
        return ms;
    }

    return ngx_min(ms, (ngx_msec_t) ngx_max(until - now, 1));
}


/* Free pages that are kept; a limit that was brought down leaves none. */

static size_t
ngx_olivine_worker_keep(ngx_olivine_zone_t *zone)
{
    size_t  keep, used, limit;

    used = zone->heap.used;
    limit = zone->heap.limit;
    keep = NGX_OLIVINE_WORKER_PAGES + used / NGX_OLIVINE_WORKER_PART;

    return ngx_min(keep, limit - ngx_min(used, limit));
}


void
ngx_olivine_worker_rung(ngx_olivine_worker_t *worker)
{
    uint32_t  hints;

    hints = __atomic_exchange_n(&worker->tx.slot->hints, 0, __ATOMIC_ACQ_REL);

    if (hints & NGX_OLIVINE_HINT_LEAVE) {
        worker->leave = 1;
    }

    if (hints & (NGX_OLIVINE_HINT_PARAMS|NGX_OLIVINE_HINT_LOOK)) {
        ngx_olivine_worker_refresh(worker);
    }

    if (hints & (NGX_OLIVINE_HINT_GATE|NGX_OLIVINE_HINT_CREDIT
                 |NGX_OLIVINE_HINT_LOOK))
    {
        ngx_olivine_worker_wake(worker, 1);
    }

    if (hints & (NGX_OLIVINE_HINT_CLIENTS|NGX_OLIVINE_HINT_LOOK)
        && worker->tx.slot->ordered)
    {
        ngx_olivine_worker_orders(worker);
    }

    if (hints & (NGX_OLIVINE_HINT_MONITOR|NGX_OLIVINE_HINT_LOOK)) {
        ngx_olivine_client_monitors_wake(worker);
    }

    if (hints & NGX_OLIVINE_HINT_SHUTDOWN) {
        worker->host->shutdown(worker);
    }

    if (hints & (NGX_OLIVINE_HINT_DISK|NGX_OLIVINE_HINT_AOF
                 |NGX_OLIVINE_HINT_LOOK))
    {
        ngx_olivine_aof_reap(worker->aof);
        ngx_olivine_worker_flush(worker);
    }

    if (hints & (NGX_OLIVINE_HINT_DISK|NGX_OLIVINE_HINT_SAVE)) {
        worker->host->tick(worker);
    }
}


void
ngx_olivine_worker_flush(ngx_olivine_worker_t *worker)
{
    int64_t                now;
    uint64_t               safe;
    ngx_queue_t           *q, *next;
    ngx_olivine_block_e    why;
    ngx_olivine_client_t  *client;

    now = ngx_olivine_now();

    if (ngx_olivine_aof_flush(worker->aof, now) == NGX_AGAIN) {
        worker->host->flush(worker, 1);
    }

    if (ngx_queue_empty(&worker->held)) {
        return;
    }

    safe = ngx_olivine_aof_safe(worker->zone, now);
    why = worker->params.appendfsync == NGX_OLIVINE_FSYNC_ALWAYS
          ? NGX_OLIVINE_BLOCK_HELD_SYNC : NGX_OLIVINE_BLOCK_HELD;

    for (q = ngx_queue_head(&worker->held);
         q != ngx_queue_sentinel(&worker->held);
         q = next)
    {
        next = ngx_queue_next(q);
        client = ngx_queue_data(q, ngx_olivine_client_t, held);

        if (client->hold > safe) {
            continue;
        }

        ngx_queue_remove(q);
        client->holds = 0;
        client->hold = 0;
        worker->tx.slot->held--;

        ngx_olivine_sample_blocked(&worker->tx, why,
                         client->caller.last
                             ? ngx_olivine_meter_number(&worker->cx,
                                                        client->caller.last)
                             : NGX_ERROR,
                         1, ngx_olivine_clock_since(client->held_since));

        worker->host->release(client);
    }
}


void
ngx_olivine_worker_refresh(ngx_olivine_worker_t *worker)
{
    ngx_olivine_zone_t  *zone;

    zone = worker->zone;

    ngx_olivine_stats_renew(&worker->tx);

    if (ngx_olivine_likely(worker->params_version == zone->params_version)) {
        return;
    }

    if (ngx_olivine_tx_lock_params(&worker->tx) == NGX_OK) {
        worker->params = zone->params;
        worker->params_version = zone->params_version;
        ngx_olivine_meter_params(&worker->cx.meter, &worker->params);
        ngx_olivine_sample_rate(&worker->tx,
                                worker->params.heap_sample_bytes);
    }

    ngx_olivine_tx_unlock(&worker->tx);
}


void
ngx_olivine_worker_unpin(ngx_olivine_worker_t *worker, uint32_t index)
{
    uint32_t    *list;
    ngx_uint_t   n;

    if (ngx_olivine_unpin(&worker->tx, index) == NGX_OK) {
        return;
    }

    if (worker->nunpins == worker->aunpins) {
        n = ngx_max(worker->aunpins * 2, 64);

        list = ngx_alloc(n * sizeof(uint32_t), worker->log);
        if (list == NULL) {
            return;               /* the slot's sweep will find it */
        }

        if (worker->unpins) {
            ngx_memcpy(list, worker->unpins,
                       worker->nunpins * sizeof(uint32_t));
            ngx_free(worker->unpins);
        }

        worker->unpins = list;
        worker->aunpins = n;
    }

    worker->unpins[worker->nunpins++] = index;
}


static void
ngx_olivine_worker_unpin_late(ngx_olivine_worker_t *worker)
{
    while (worker->nunpins) {
        if (ngx_olivine_unpin(&worker->tx,
                              worker->unpins[worker->nunpins - 1])
            != NGX_OK)
        {
            return;
        }

        worker->nunpins--;
    }
}


/*
 * Takes shards whose time has come by compare-and-swap, so that each is one
 * worker's.  1 if there is more to do at once.
 */

static ngx_uint_t
ngx_olivine_worker_shards(ngx_olivine_worker_t *worker, int64_t now)
{
    int64_t               due;
    ngx_int_t             rc;
    ngx_uint_t            i, n, slices, more;
    ngx_olivine_cx_t     *cx;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_shard_t  *shard;

    zone = worker->zone;
    cx = &worker->cx;

    cx->caller = &worker->self;
    cx->reply = &worker->sink;
    cx->now = now;

    ngx_olivine_multi_orphans(cx);

    slices = NGX_OLIVINE_WORKER_SLICES;
    more = 0;

    for (i = 0; i < zone->nshards; i++) {

        n = worker->shard;
        worker->shard = (n + 1) % zone->nshards;

        shard = ngx_olivine_store_shard(zone, n);
        due = shard->due;

        if (due > now
            || !__atomic_compare_exchange_n(&shard->due, &due,
                                            now + NGX_OLIVINE_WORKER_DUE, 0,
                                            __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
        {
            continue;
        }

        rc = ngx_olivine_command_tick(cx, n, NGX_OLIVINE_WORKER_SLICE);

        if (rc == NGX_OK) {
            shard->due = now;
            more = 1;

            if (--slices == 0) {
                break;
            }
        }

        if (rc == NGX_AGAIN) {
            shard->due = now;
            break;
        }
    }

    return more;
}


/* Time does not go back in a shard, unless the host's clock was set back. */

static void
ngx_olivine_worker_clock(ngx_olivine_worker_t *worker, int64_t now)
{
    ngx_uint_t            i;
    ngx_olivine_shard_t  *shard;

    if (worker->wall - now > NGX_OLIVINE_WORKER_BACK) {

        ngx_log_error(NGX_LOG_NOTICE, worker->log, 0,
                      "olivine: the clock went back by %L ms",
                      worker->wall - now);

        for (i = 0; i < worker->zone->nshards; i++) {

            if (ngx_olivine_tx_lock_shard(&worker->tx, i) == NGX_OK) {
                shard = ngx_olivine_store_shard(worker->zone, i);
                shard->now = ngx_min(shard->now, now);
                shard->due = ngx_min(shard->due, now);
            }

            ngx_olivine_tx_unlock(&worker->tx);
        }
    }

    worker->wall = now;
}


/* Those that CLIENT PAUSE holds only if paused says so. */

static void
ngx_olivine_worker_wake(ngx_olivine_worker_t *worker, ngx_uint_t paused)
{
    ngx_queue_t           *q, *next;
    ngx_olivine_client_t  *client;

    for (q = ngx_queue_head(&worker->parked);
         q != ngx_queue_sentinel(&worker->parked);
         q = next)
    {
        next = ngx_queue_next(q);
        client = ngx_queue_data(q, ngx_olivine_client_t, parked);

        if (paused || !client->paused) {
            worker->host->wake(client);
        }
    }
}


/* What others left in the rows of our clients. */

static void
ngx_olivine_worker_orders(ngx_olivine_worker_t *worker)
{
    ngx_queue_t           *q;
    ngx_olivine_client_t  *client;

    (void) __atomic_exchange_n(&worker->tx.slot->ordered, 0, __ATOMIC_ACQ_REL);

    for (q = ngx_queue_head(&worker->clients);
         q != ngx_queue_sentinel(&worker->clients);
         q = ngx_queue_next(q))
    {
        client = ngx_queue_data(q, ngx_olivine_client_t, queue);

        if (client->caller.row->orders & NGX_OLIVINE_BUS_KILL) {
            worker->host->close(client);
        }
    }
}


/*
 * A slice of the clients, so that each is looked at once a second: whoever has
 * been idle for too long goes.  One that waits for us is not idle.
 */

static void
ngx_olivine_worker_idle(ngx_olivine_worker_t *worker, int64_t now)
{
    int64_t                timeout;
    ngx_uint_t             i, n;
    ngx_queue_t           *q;
    ngx_olivine_client_t  *client;

    timeout = worker->params.timeout * 1000;

    n = worker->nclients / (1000 / NGX_OLIVINE_WORKER_DUE) + 1;
    n = ngx_min(ngx_max(n, NGX_OLIVINE_WORKER_IDLE), worker->nclients);

    q = worker->look;

    for (i = 0; i < n; i++) {

        if (q == NULL || q == ngx_queue_sentinel(&worker->clients)) {
            q = ngx_queue_head(&worker->clients);
        }

        client = ngx_queue_data(q, ngx_olivine_client_t, queue);
        q = ngx_queue_next(q);

        if (client->state != NGX_OLIVINE_CLIENT_PARKED
            && !client->monitors
            && client->caller.row != &worker->none
            && now - client->caller.row->seen > timeout)
        {
            ngx_log_error(NGX_LOG_INFO, worker->log, 0,
                          "olivine: client %uL timed out", client->caller.id);
            worker->host->close(client);
        }
    }

    worker->look = q;
}


/* Past an eighth of the zone in runs that only pins hold, the oldest goes. */

static void
ngx_olivine_worker_orphans(ngx_olivine_worker_t *worker)
{
    ngx_queue_t           *q;
    ngx_olivine_heap_t    *heap;
    ngx_olivine_client_t  *client;

    heap = &worker->zone->heap;

    if (heap->orphans <= heap->limit / 8) {
        return;
    }

    for (q = ngx_queue_head(&worker->clients);
         q != ngx_queue_sentinel(&worker->clients);
         q = ngx_queue_next(q))
    {
        client = ngx_queue_data(q, ngx_olivine_client_t, queue);

        if (client->pins) {
            worker->tx.slot->counters.output_limit++;
            worker->host->close(client);
            return;
        }
    }
}


/* Who does not read may do nothing else either. */

static void
ngx_olivine_worker_limits(ngx_olivine_worker_t *worker, int64_t now)
{
    ngx_queue_t           *q;
    ngx_olivine_client_t  *client;

    for (q = ngx_queue_head(&worker->clients);
         q != ngx_queue_sentinel(&worker->clients);
         q = ngx_queue_next(q))
    {
        client = ngx_queue_data(q, ngx_olivine_client_t, queue);

        if (client->soft_since
            && ngx_olivine_client_output(client, now) != NGX_OK)
        {
            worker->host->close(client);
        }
    }
}
