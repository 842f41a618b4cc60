
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_save.h"
#include "log/ngx_olivine_save_file.h"
#include "base/ngx_olivine_clock.h"


/* nanoseconds of a slice, between looks at the clock so many buckets */
#define NGX_OLIVINE_SAVE_SLICE    200000
#define NGX_OLIVINE_SAVE_BUCKETS  8

/* milliseconds: after a failure; between a failure and the next attempt */
#define NGX_OLIVINE_SAVE_RETRY    5000


typedef enum {
    NGX_OLIVINE_SAVE_IDLE = 0,
    NGX_OLIVINE_SAVE_OPEN,           /* the file is being made */
    NGX_OLIVINE_SAVE_INSTANT,
    NGX_OLIVINE_SAVE_WALK,
    NGX_OLIVINE_SAVE_CLOSE,          /* what is left is to be written */
    NGX_OLIVINE_SAVE_DONE            /* it is being put into its place */
} ngx_olivine_save_e;


struct ngx_olivine_save_s {
    ngx_olivine_tx_t           *tx;
    ngx_olivine_zone_t         *zone;
    ngx_log_t                  *log;
    ngx_olivine_save_e          phase;
    int64_t                     now;

    ngx_olivine_save_file_t    *file;

    ngx_uint_t                  shard;
    ngx_olivine_walk_t          walks[NGX_OLIVINE_MAX_SHARDS];

    unsigned                    dry:1;       /* nothing is written any more */
    unsigned                    alone:1;
};


static ngx_int_t ngx_olivine_save_begin(ngx_olivine_saver_t *save);
static ngx_int_t ngx_olivine_save_instant(ngx_olivine_saver_t *save);
static ngx_int_t ngx_olivine_save_instant_part(ngx_olivine_saver_t *save);
static ngx_int_t ngx_olivine_save_walk(ngx_olivine_saver_t *save);
static ngx_int_t ngx_olivine_save_slice(ngx_olivine_saver_t *save,
    ngx_uint_t n);
static ngx_uint_t ngx_olivine_save_next(ngx_olivine_saver_t *save);
static void ngx_olivine_save_visit(void *data, ngx_uint_t db,
    ngx_olivine_entry_t *e, ngx_olivine_value_t *value, uint32_t hold);
static void ngx_olivine_save_drop(void *data, ngx_uint_t db,
    ngx_olivine_entry_t *e, ngx_olivine_value_t *value, uint32_t hold);
static void ngx_olivine_save_fail(ngx_olivine_saver_t *save);
static void ngx_olivine_save_end(ngx_olivine_saver_t *save);


ngx_olivine_saver_t *
ngx_olivine_save_create(ngx_olivine_tx_t *tx, ngx_log_t *log,
    ngx_uint_t alone)
{
    ngx_olivine_saver_t  *save;

    save = ngx_calloc(sizeof(ngx_olivine_saver_t), log);
    if (save == NULL) {
        return NULL;
    }

    save->tx = tx;
    save->zone = tx->zone;
    save->log = log;
    save->alone = alone;

    save->file = ngx_olivine_save_file_create(tx, log, alone);

    if (save->file == NULL) {
        ngx_free(save);
        return NULL;
    }

    return save;
}


void
ngx_olivine_save_destroy(ngx_olivine_saver_t *save)
{
    ngx_olivine_save_file_destroy(save->file);

    if (save->phase != NGX_OLIVINE_SAVE_IDLE) {

        /* somebody else begins again */

        save->zone->persist.save.temp_pid = 0;

        (void) __atomic_fetch_or(&save->zone->persist.save.wanted,
                                 save->zone->persist.save.what,
                                 __ATOMIC_ACQ_REL);
    }

    ngx_olivine_lease_give(save->tx, &save->zone->persist.save.lease);

    ngx_free(save);
}


void
ngx_olivine_save_reap(ngx_olivine_saver_t *save)
{
    ngx_olivine_save_file_reap(save->file);
}


ngx_int_t
ngx_olivine_save_step(ngx_olivine_saver_t *save, int64_t now)
{
    ngx_int_t  rc;

    save->now = now;

    switch (save->phase) {

    case NGX_OLIVINE_SAVE_IDLE:
        return ngx_olivine_save_begin(save);

    case NGX_OLIVINE_SAVE_OPEN:

        if (ngx_olivine_save_file_busy(save->file)) {
            return NGX_AGAIN;
        }

        if (ngx_olivine_save_file_error(save->file)) {
            ngx_olivine_save_fail(save);
            return NGX_OK;
        }

        save->phase = NGX_OLIVINE_SAVE_INSTANT;
        return NGX_OK;

    case NGX_OLIVINE_SAVE_INSTANT:
        return ngx_olivine_save_instant(save);

    case NGX_OLIVINE_SAVE_WALK:
        return ngx_olivine_save_walk(save);

    case NGX_OLIVINE_SAVE_CLOSE:

        rc = ngx_olivine_save_file_close(save->file);

        if (rc == NGX_OK) {
            save->phase = NGX_OLIVINE_SAVE_DONE;
        }

        return rc;

    default: /* NGX_OLIVINE_SAVE_DONE */

        if (ngx_olivine_save_file_busy(save->file)) {
            return NGX_AGAIN;
        }

        if (ngx_olivine_save_file_error(save->file)) {
            ngx_olivine_save_fail(save);
            return NGX_OK;
        }

        ngx_olivine_save_end(save);

        return NGX_OK;
    }
}


/* What a dead worker has begun is finished first. */

static ngx_int_t
ngx_olivine_save_begin(ngx_olivine_saver_t *save)
{
    uint32_t                   what;
    ngx_uint_t                 left;
    ngx_olivine_save_state_t  *st;

    st = &save->zone->persist.save;

    if (ngx_olivine_save_file_busy(save->file)) {
        return NGX_AGAIN;                         /* with one given up */
    }

    left = ngx_olivine_snapshot_active(save->zone);
    what = __atomic_load_n(&st->wanted, __ATOMIC_ACQUIRE);

    if (!left && what == 0 && st->what == 0) {
        return NGX_DECLINED;
    }

    if (ngx_olivine_lease_take(save->tx, &st->lease) != NGX_OK) {
        return NGX_DECLINED;
    }

    ngx_memzero(save->walks, sizeof(save->walks));
    save->shard = 0;

    if (st->what) {

        /* its worker died, or left */

        (void) __atomic_fetch_or(&st->wanted, st->what, __ATOMIC_ACQ_REL);
        st->what = 0;

        ngx_log_error(NGX_LOG_NOTICE, save->log, 0,
                      "olivine: a snapshot is begun again, its worker is "
                      "gone");
    }

    if (ngx_olivine_snapshot_active(save->zone)) {
        save->dry = 1;
        save->phase = NGX_OLIVINE_SAVE_WALK;
        return NGX_OK;
    }

    what = __atomic_load_n(&st->wanted, __ATOMIC_ACQUIRE);
    what &= -what;

    if (what == 0) {
        ngx_olivine_lease_give(save->tx, &st->lease);
        return NGX_DECLINED;
    }

    st->keys = 0;
    st->total = 0;
    st->cow_peak = 0;

    if (what == NGX_OLIVINE_SAVE_RDB) {
        st->tried_at = save->now;

    } else {
        st->rewrite_at = save->now;
    }

    st->what = what;
    (void) __atomic_fetch_and(&st->wanted, ~what, __ATOMIC_ACQ_REL);

    save->dry = 0;
    save->phase = NGX_OLIVINE_SAVE_OPEN;

    ngx_olivine_save_file_open(save->file, what, save->now);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_save_instant(ngx_olivine_saver_t *save)
{
    ngx_int_t          rc;
    ngx_olivine_tx_t  *tx;

    tx = save->tx;

    for ( ;; ) {
        rc = ngx_olivine_save_instant_part(save);

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc == NGX_OK) {
            ngx_olivine_save_file_turn(save->file);

        } else {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);

        if (rc != NGX_AGAIN) {
            break;
        }

        rc = ngx_olivine_tx_fetch(tx);

        if (rc == NGX_AGAIN || rc == NGX_DECLINED) {
            ngx_olivine_tx_fetched(tx);
            return NGX_AGAIN;                     /* the gate is up */
        }
    }

    ngx_olivine_tx_fetched(tx);

    if (rc != NGX_OK) {
        ngx_olivine_save_fail(save);
        return NGX_OK;
    }

    save->phase = NGX_OLIVINE_SAVE_WALK;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_save_instant_part(ngx_olivine_saver_t *save)
{
    uint64_t                   keys, expires;
    ngx_int_t                  rc;
    ngx_uint_t                 db;
    ngx_olivine_counters_t     sum;
    ngx_olivine_save_state_t  *st;

    if (ngx_olivine_tx_lock_all(save->tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    rc = ngx_olivine_snapshot_begin_locked(save->tx);

    if (rc == NGX_OK) {
        rc = ngx_olivine_save_file_instant(save->file);
    }

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_ERROR : rc;
    }

    st = &save->zone->persist.save;
    st->total = 0;

    for (db = 0; db < (ngx_uint_t) save->zone->params.databases; db++) {
        ngx_olivine_store_count(save->zone, db, &keys, &expires);
        st->total += keys;
    }

    ngx_olivine_slot_counters(save->zone, &sum);
    st->changes = sum.changes;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_save_walk(ngx_olivine_saver_t *save)
{
    uint64_t                   start, cow;
    ngx_int_t                  rc;
    ngx_uint_t                 i, n;
    ngx_olivine_save_state_t  *st;

    st = &save->zone->persist.save;
    start = ngx_olivine_clock_counts();

    for (i = 0; /* void */ ; i++) {

        if (i % NGX_OLIVINE_SAVE_BUCKETS == 0
            && !save->alone
            && ngx_olivine_clock_since(start) > NGX_OLIVINE_SAVE_SLICE)
        {
            break;
        }

        if (!save->dry) {

            if (ngx_olivine_save_file_error(save->file)
                || ngx_olivine_snapshot_failed(save->zone))
            {
                ngx_olivine_save_fail(save);
                return NGX_OK;
            }

            if (ngx_olivine_save_file_room(save->file) != NGX_OK) {
                return NGX_AGAIN;
            }
        }

        n = ngx_olivine_save_next(save);

        if (n == save->zone->nshards) {

            if (save->dry) {
                st->what = 0;
                save->phase = NGX_OLIVINE_SAVE_IDLE;
                ngx_olivine_lease_give(save->tx, &st->lease);

            } else {
                save->phase = NGX_OLIVINE_SAVE_CLOSE;
            }

            break;
        }

        rc = ngx_olivine_save_slice(save, n);

        if (rc == NGX_ERROR) {
            ngx_olivine_save_fail(save);
            return NGX_OK;
        }

        if (rc == NGX_AGAIN) {
            return NGX_AGAIN;                     /* the gate is up */
        }
    }

    st->keys = ngx_olivine_save_file_keys(save->file);

    cow = ngx_olivine_snapshot_size(save->zone);
    st->cow = cow;
    st->cow_peak = ngx_max(st->cow_peak, cow);

    return NGX_OK;
}


/* The shard to be walked: the next one, or one that somebody waits for. */

static ngx_uint_t
ngx_olivine_save_next(ngx_olivine_saver_t *save)
{
    uint64_t              most;
    ngx_uint_t            i, n;
    ngx_olivine_shard_t  *shard;

    while (save->shard < save->zone->nshards
           && !ngx_olivine_store_shard(save->zone, save->shard)->saving)
    {
        save->shard++;
    }

    if (!save->zone->snapshot.waiting) {
        return save->shard;
    }

    most = 0;
    n = save->shard;

    for (i = 0; i < save->zone->nshards; i++) {
        shard = ngx_olivine_store_shard(save->zone, i);

        if (shard->images_size > most) {
            most = shard->images_size;
            n = i;
        }
    }

    return n;
}


/* OK; AGAIN: the gate is up; ERROR. */

static ngx_int_t
ngx_olivine_save_slice(ngx_olivine_saver_t *save, ngx_uint_t n)
{
    ngx_int_t                 rc;
    ngx_olivine_tx_t         *tx;
    ngx_olivine_walk_t       *walk;
    ngx_olivine_save_mark_t   mark;

    tx = save->tx;
    walk = &save->walks[n];
    walk->dry = save->dry;

    ngx_olivine_save_file_mark(save->file, &mark);

    for ( ;; ) {
        rc = ngx_olivine_tx_lock_shard(tx, n);

        if (rc == NGX_OK) {
            rc = ngx_olivine_snapshot_walk_locked(tx,
                                  ngx_olivine_store_shard(save->zone, n), walk,
                                  save->dry ? ngx_olivine_save_drop
                                            : ngx_olivine_save_visit, save);
        }

        if (rc == NGX_DECLINED) {
            rc = NGX_OK;
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
            ngx_olivine_save_file_rewind(save->file, &mark);
        }

        ngx_olivine_tx_unlock(tx);

        if (rc != NGX_AGAIN) {
            break;
        }

        rc = ngx_olivine_tx_fetch(tx);

        if (rc == NGX_AGAIN || rc == NGX_DECLINED) {
            rc = NGX_AGAIN;
            break;
        }
    }

    ngx_olivine_tx_fetched(tx);

    if (save->dry) {
        ngx_olivine_save_file_unpin(save->file);
    }

    if (rc == NGX_OK && walk->woken) {
        walk->woken = 0;
        save->zone->snapshot.waiting = 0;
        ngx_olivine_slot_ring_all(save->zone, NGX_OLIVINE_HINT_CREDIT);
    }

    return rc;
}


static void
ngx_olivine_save_visit(void *data, ngx_uint_t db, ngx_olivine_entry_t *e,
    ngx_olivine_value_t *value, uint32_t hold)
{
    ngx_olivine_saver_t *save = data;

    ngx_str_t  key;

    ngx_olivine_entry_key(e, &key);

    ngx_olivine_save_file_key(save->file, db, &key, value,
                              ngx_olivine_entry_expire(e), hold);
}


/* What is not written any more: pins are given up behind the slice. */

static void
ngx_olivine_save_drop(void *data, ngx_uint_t db, ngx_olivine_entry_t *e,
    ngx_olivine_value_t *value, uint32_t hold)
{
    ngx_olivine_saver_t *save = data;

    if (hold) {
        ngx_olivine_save_file_hold(save->file, hold);
    }
}


/* What is left of the snapshot is walked without writing it. */

static void
ngx_olivine_save_fail(ngx_olivine_saver_t *save)
{
    int                        err;
    ngx_olivine_save_state_t  *st;

    st = &save->zone->persist.save;

    st->temp_pid = 0;
    err = ngx_olivine_save_file_error(save->file);

    if (err == 0) {
        err = ENOMEM;

        ngx_log_error(NGX_LOG_ERR, save->log, 0,
                      "olivine: a snapshot is given up, the zone has no "
                      "memory for what changes meanwhile");
    }

    ngx_olivine_save_file_abort(save->file);

    if (st->what == NGX_OLIVINE_SAVE_RDB) {
        st->status = err;
        st->took = 1 + (save->now - st->tried_at) / 1000;
        st->attempts++;

        ngx_olivine_persist_refuse(&save->zone->persist,
                                   NGX_OLIVINE_REFUSE_SNAPSHOT);

    } else {
        st->rewrite_status = err;
        st->rewrite_took = 1 + (save->now - st->rewrite_at) / 1000;
        st->failures++;
    }

    st->what = 0;
    save->shard = 0;
    ngx_memzero(save->walks, sizeof(save->walks));

    if (ngx_olivine_snapshot_active(save->zone)) {
        save->dry = 1;
        save->phase = NGX_OLIVINE_SAVE_WALK;
        return;
    }

    save->phase = NGX_OLIVINE_SAVE_IDLE;
    ngx_olivine_lease_give(save->tx, &st->lease);
}


static void
ngx_olivine_save_end(ngx_olivine_saver_t *save)
{
    ngx_olivine_save_state_t  *st;

    st = &save->zone->persist.save;

    if (st->what == NGX_OLIVINE_SAVE_RDB) {
        st->status = 0;
        st->took = 1 + (save->now - st->tried_at) / 1000;
        st->saved_at = st->tried_at / 1000;
        st->saved_changes = st->changes;
        st->last_cow = st->cow_peak;
        st->saves++;
        st->attempts++;

        ngx_olivine_persist_allow(&save->zone->persist,
                                  NGX_OLIVINE_REFUSE_SNAPSHOT);

        ngx_log_error(NGX_LOG_NOTICE, save->log, 0,
                      "olivine: a snapshot of %uL keys was written in %L ms",
                      ngx_olivine_save_file_keys(save->file),
                      save->now - st->tried_at);

    } else {
        st->rewrite_status = 0;
        st->rewrite_took = 1 + (save->now - st->rewrite_at) / 1000;
        st->last_aof_cow = st->cow_peak;
        st->rewrites++;
        st->failures = 0;

        ngx_log_error(NGX_LOG_NOTICE, save->log, 0,
                      "olivine: the append-only file has a new base of %uL "
                      "keys, written in %L ms",
                      ngx_olivine_save_file_keys(save->file),
                      save->now - st->rewrite_at);
    }

    ngx_olivine_save_file_done(save->file);

    st->temp_pid = 0;
    st->what = 0;
    st->cow = 0;

    save->phase = NGX_OLIVINE_SAVE_IDLE;
    ngx_olivine_lease_give(save->tx, &st->lease);
}


size_t
ngx_olivine_save_path(ngx_olivine_zone_t *zone, u_char *path)
{
    u_char  *p;

    p = ngx_sprintf(path, "%*s/%*s%Z", zone->params.dir.len,
                    zone->params.dir.data, zone->params.dbfilename.len,
                    zone->params.dbfilename.data);

    return p - path - 1;
}


void
ngx_olivine_save_points(ngx_olivine_zone_t *zone, int64_t now)
{
    int64_t                    since;
    int64_t                    i;
    uint64_t                   changes;
    ngx_olivine_counters_t     sum;
    ngx_olivine_save_state_t  *st;

    st = &zone->persist.save;

    if (zone->params.save.n == 0
        || ((st->what | st->wanted) & NGX_OLIVINE_SAVE_RDB)
        || (st->status && now - st->tried_at < NGX_OLIVINE_SAVE_RETRY))
    {
        return;
    }

    ngx_olivine_slot_counters(zone, &sum);

    changes = sum.changes - st->saved_changes;
    since = now / 1000 - st->saved_at;

    for (i = 0; i < zone->params.save.n; i++) {

        if (changes >= (uint64_t) zone->params.save.points[i].changes
            && since > zone->params.save.points[i].seconds)
        {
            (void) __atomic_fetch_or(&st->wanted, NGX_OLIVINE_SAVE_RDB,
                                     __ATOMIC_ACQ_REL);
            return;
        }
    }
}


ngx_int_t
ngx_olivine_save_alone(ngx_olivine_tx_t *tx, ngx_log_t *log)
{
    ngx_int_t                  rc;
    ngx_olivine_saver_t        *save;
    ngx_olivine_save_state_t  *st;

    st = &tx->zone->persist.save;

    save = ngx_olivine_save_create(tx, log, 1);
    if (save == NULL) {
        return NGX_ERROR;
    }

    st->wanted = NGX_OLIVINE_SAVE_RDB;
    st->what = 0;

    do {
        rc = ngx_olivine_save_step(save, ngx_olivine_now());
    } while (rc == NGX_OK);

    ngx_olivine_save_destroy(save);

    return rc == NGX_DECLINED && st->status == 0 && st->what == 0
           ? NGX_OK : NGX_ERROR;
}
