
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_aof.h"
#include "base/ngx_olivine_clock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>


#define NGX_OLIVINE_AOF_IOVECS   64

/* milliseconds: between syncs; that one may take before replies wait for it */
#define NGX_OLIVINE_AOF_SECOND   1000
#define NGX_OLIVINE_AOF_STALLED  2000

/* ... between attempts after an error */
#define NGX_OLIVINE_AOF_AGAIN    100

/*
 * Nanoseconds that a sync waits for more to come, at most: as long as the last
 * one took, within these bounds.
 */
#define NGX_OLIVINE_AOF_GATHER_LEAST  100000
#define NGX_OLIVINE_AOF_GATHER_MOST   1000000

/* of the ring, that may wait for a sync: one part in so many */
#define NGX_OLIVINE_AOF_PART     4

#define NGX_OLIVINE_AOF_TS       (sizeof("#TS:" CRLF) - 1 + NGX_INT64_LEN)


struct ngx_olivine_aof_s {
    ngx_olivine_tx_t         *tx;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_thread_t     *disk;
    ngx_log_t                *log;
    ngx_olivine_thread_job_t  job;

    int                       fd;
    uint64_t                  seq;         /* of the file that is open */
    uint32_t                  begun;       /* ... since it was turned on */
    int64_t                   now;         /* when the job was posted */
    int64_t                   failed;      /* when it last did */
    uint64_t                  took;        /* the last sync, nanoseconds */

    /* nanoseconds that are not told to the latency monitor yet */
    uint64_t                  writing;
    uint64_t                  syncing;
    ngx_olivine_waited_t      wrote;       /* the thread, until it is booked */
    ngx_olivine_waited_t      synced;

    /* a sync waits for more to come: until when, the tail as it was */
    uint64_t                  since;
    uint64_t                  tail;
    unsigned                  gathering:1;

    unsigned                  posted:1;
    unsigned                  sync:1;      /* the job is to sync */
};


static void ngx_olivine_aof_inherit(ngx_olivine_aof_t *aof);
static ngx_uint_t ngx_olivine_aof_due(ngx_olivine_aof_t *aof, int64_t now);
static ngx_uint_t ngx_olivine_aof_gather(ngx_olivine_aof_t *aof);
static void ngx_olivine_aof_post(ngx_olivine_aof_t *aof, int64_t now,
    ngx_uint_t sync);
static void ngx_olivine_aof_run(void *data);
static void ngx_olivine_aof_done(void *data);
static void ngx_olivine_aof_tell(ngx_olivine_aof_t *aof, int64_t now);
static void ngx_olivine_aof_release(ngx_olivine_aof_t *aof);
static void ngx_olivine_aof_advance(ngx_olivine_aof_t *aof);
static void ngx_olivine_aof_wake(ngx_olivine_aof_t *aof);
static ngx_int_t ngx_olivine_aof_write(ngx_olivine_aof_t *aof,
    ngx_uint_t may_turn);
static ngx_int_t ngx_olivine_aof_put(ngx_olivine_aof_t *aof, uint64_t to);
static void ngx_olivine_aof_mark(ngx_olivine_aof_state_t *st, uint64_t offset,
    uint64_t pos, uint64_t seq);
static ngx_int_t ngx_olivine_aof_turn(ngx_olivine_aof_t *aof);
static ngx_int_t ngx_olivine_aof_sync(ngx_olivine_aof_t *aof);
static ngx_int_t ngx_olivine_aof_open(ngx_olivine_aof_t *aof, uint64_t seq);
static size_t ngx_olivine_aof_stamp(ngx_olivine_aof_t *aof,
    uint64_t offset, u_char *text);
static void ngx_olivine_aof_failed(ngx_olivine_aof_t *aof, int err,
    const char *what);
static void ngx_olivine_aof_mended(ngx_olivine_aof_t *aof);


ngx_olivine_aof_t *
ngx_olivine_aof_create(ngx_olivine_tx_t *tx, ngx_log_t *log)
{
    ngx_olivine_aof_t  *aof;

    aof = ngx_calloc(sizeof(ngx_olivine_aof_t), log);
    if (aof == NULL) {
        return NULL;
    }

    aof->tx = tx;
    aof->zone = tx->zone;
    aof->log = log;
    aof->fd = -1;

    aof->job.run = ngx_olivine_aof_run;
    aof->job.done = ngx_olivine_aof_done;
    aof->job.data = aof;

    aof->disk = ngx_olivine_thread_create(tx->zone, tx->slot->number,
                                          NGX_OLIVINE_HINT_DISK,
                                          NGX_OLIVINE_THREAD_STACK, log);

    if (aof->disk == NULL) {
        ngx_free(aof);
        return NULL;
    }

    return aof;
}


void
ngx_olivine_aof_destroy(ngx_olivine_aof_t *aof)
{
    ngx_olivine_thread_destroy(aof->disk);

    if (aof->fd != -1) {
        (void) close(aof->fd);
    }

    ngx_free(aof);
}


ngx_olivine_tx_t *
ngx_olivine_aof_tx(ngx_olivine_aof_t *aof)
{
    return aof->tx;
}


uint64_t
ngx_olivine_aof_safe(ngx_olivine_zone_t *zone, int64_t now)
{
    ngx_olivine_aof_state_t  *st;

    st = &zone->persist.aof;

    if (st->state != NGX_OLIVINE_AOF_ON) {
        return UINT64_MAX;
    }

    if (zone->params.appendfsync == NGX_OLIVINE_FSYNC_ALWAYS
        && !(zone->params.no_appendfsync_on_rewrite
             && zone->persist.save.what))
    {
        return __atomic_load_n(&st->durable, __ATOMIC_ACQUIRE);
    }

    /* while a file is synced it is not written: what comes is in the ring */

    if (__atomic_load_n(&st->busy, __ATOMIC_ACQUIRE)
        && now - st->busy_since < NGX_OLIVINE_AOF_STALLED)
    {
        return UINT64_MAX;
    }

    return ngx_olivine_aof_written(zone)->offset;
}


ngx_int_t
ngx_olivine_aof_flush(ngx_olivine_aof_t *aof, int64_t now)
{
    ngx_int_t                 rc;
    ngx_uint_t                sync;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_aof_state_t  *st;

    zone = aof->zone;
    st = &zone->persist.aof;

    if (st->state == NGX_OLIVINE_AOF_OFF || aof->posted) {
        return NGX_OK;
    }

    sync = ngx_olivine_aof_due(aof, now);

    if (st->lease && !ngx_olivine_lease_held(zone, st->lease)) {
        ngx_olivine_aof_inherit(aof);
    }

    if (ngx_olivine_aof_written(zone)->offset
        == __atomic_load_n(&zone->ring.tail, __ATOMIC_ACQUIRE)
        && st->turn == 0 && !sync)
    {
        return NGX_OK;
    }

    if (st->error && now - aof->failed < NGX_OLIVINE_AOF_AGAIN) {
        return NGX_OK;
    }

    if (sync && ngx_olivine_aof_gather(aof)) {
        return NGX_AGAIN;
    }

    /* whoever gives the lease back looks who waits, after that */

    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    if (ngx_olivine_lease_take(aof->tx, &st->lease) != NGX_OK) {
        return NGX_OK;
    }

    if (sync || st->turn || st->error) {
        ngx_olivine_aof_post(aof, now, sync);
        return NGX_OK;
    }

    aof->now = now;
    rc = ngx_olivine_aof_write(aof, 0);

    if (rc == NGX_AGAIN) {
        ngx_olivine_aof_post(aof, now, 0);      /* a turn has come up */
        return NGX_OK;
    }

    ngx_olivine_aof_tell(aof, now);
    ngx_olivine_aof_advance(aof);
    ngx_olivine_aof_release(aof);

    return NGX_OK;
}


void
ngx_olivine_aof_reap(ngx_olivine_aof_t *aof)
{
    ngx_olivine_thread_reap(aof->disk);
}


ngx_int_t
ngx_olivine_aof_finish(ngx_olivine_aof_t *aof, int64_t now)
{
    ngx_int_t                 rc;
    ngx_olivine_aof_state_t  *st;

    st = &aof->zone->persist.aof;

    if (st->state == NGX_OLIVINE_AOF_OFF) {
        return NGX_OK;
    }

    if (ngx_olivine_lease_take(aof->tx, &st->lease) != NGX_OK) {
        return NGX_ERROR;
    }

    aof->now = now;

    rc = ngx_olivine_aof_write(aof, 1);

    if (rc == NGX_OK && !st->distrust) {
        rc = ngx_olivine_aof_sync(aof);
    }

    if (rc == NGX_OK) {
        ngx_olivine_aof_advance(aof);
    }

    ngx_olivine_aof_release(aof);

    return rc;
}


/* A dead worker's: what its thread was at is not going on. */

static void
ngx_olivine_aof_inherit(ngx_olivine_aof_t *aof)
{
    ngx_olivine_aof_state_t  *st;

    st = &aof->zone->persist.aof;

    if (ngx_olivine_lease_take(aof->tx, &st->lease) == NGX_OK) {
        st->busy = 0;
        ngx_olivine_aof_release(aof);
    }
}


/* 1 if what is written is to be synced now. */

static ngx_uint_t
ngx_olivine_aof_due(ngx_olivine_aof_t *aof, int64_t now)
{
    uint64_t                  written, tail, behind;
    ngx_olivine_ring_t       *ring;
    ngx_olivine_aof_state_t  *st;

    ring = &aof->zone->ring;
    st = &aof->zone->persist.aof;

    if (aof->zone->params.no_appendfsync_on_rewrite
        && aof->zone->persist.save.what)
    {
        return 0;
    }

    switch (aof->zone->params.appendfsync) {

    case NGX_OLIVINE_FSYNC_NO:
        return 0;

    case NGX_OLIVINE_FSYNC_ALWAYS:
        tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
        return st->durable != tail;

    default: /* NGX_OLIVINE_FSYNC_EVERYSEC */

        written = ngx_olivine_aof_written(aof->zone)->offset;
        behind = written - st->durable;

        if (behind == 0) {
            return 0;
        }

        if (behind >= ring->size / NGX_OLIVINE_AOF_PART) {
            return 1;
        }

        return now - st->synced_at >= NGX_OLIVINE_AOF_SECOND
               || now < st->synced_at;
    }
}


/*
 * 1: a sync that replies wait for is worth waiting for more of them.  Clients
 * whose replies left together come back together, and one sync for half of
 * them would have the others wait for the next: as long as each pass of the
 * loop brings more changes, it is not begun.
 */

static ngx_uint_t
ngx_olivine_aof_gather(ngx_olivine_aof_t *aof)
{
    uint64_t  tail, most;

    if (aof->zone->params.appendfsync != NGX_OLIVINE_FSYNC_ALWAYS) {
        return 0;
    }

    tail = __atomic_load_n(&aof->zone->ring.tail, __ATOMIC_ACQUIRE);

    if (!aof->gathering) {
        aof->gathering = 1;
        aof->tail = tail;
        aof->since = ngx_olivine_clock_counts();

        return 1;
    }

    most = ngx_min(ngx_max(aof->took, NGX_OLIVINE_AOF_GATHER_LEAST),
                   NGX_OLIVINE_AOF_GATHER_MOST);

    if (aof->tail != tail && ngx_olivine_clock_since(aof->since) < most) {
        aof->tail = tail;
        return 1;
    }

    aof->gathering = 0;

    return 0;
}


static void
ngx_olivine_aof_post(ngx_olivine_aof_t *aof, int64_t now, ngx_uint_t sync)
{
    ngx_olivine_aof_state_t  *st;

    st = &aof->zone->persist.aof;

    aof->now = now;
    aof->sync = sync;
    aof->posted = 1;

    st->busy_since = now;
    __atomic_store_n(&st->busy, 1, __ATOMIC_RELEASE);

    ngx_olivine_thread_post(aof->disk, &aof->job);
}


/* In the thread, with the lease. */

static void
ngx_olivine_aof_run(void *data)
{
    ngx_olivine_aof_t *aof = data;

    if (ngx_olivine_aof_write(aof, 1) == NGX_OK && aof->sync) {
        (void) ngx_olivine_aof_sync(aof);
    }

    __atomic_store_n(&aof->zone->persist.aof.busy, 0, __ATOMIC_RELEASE);
}


static void
ngx_olivine_aof_done(void *data)
{
    ngx_olivine_aof_t *aof = data;

    aof->posted = 0;

    ngx_olivine_sample_waited(aof->tx, NGX_OLIVINE_BLOCK_AOF_WRITE,
                              &aof->wrote);
    ngx_olivine_sample_waited(aof->tx, NGX_OLIVINE_BLOCK_AOF_SYNC,
                              &aof->synced);

    ngx_olivine_aof_tell(aof, ngx_olivine_now());
    ngx_olivine_aof_advance(aof);
    ngx_olivine_aof_release(aof);
}


/* What took long, under the names that Redis has for it. */

static void
ngx_olivine_aof_tell(ngx_olivine_aof_t *aof, int64_t now)
{
    uint64_t                  least, writing, syncing, behind;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_aof_state_t  *st;

    zone = aof->zone;
    st = &zone->persist.aof;
    least = zone->params.latency_monitor_threshold;

    writing = aof->writing / 1000000;
    syncing = aof->syncing / 1000000;

    aof->writing = 0;
    aof->syncing = 0;

    if (ngx_olivine_likely(writing == 0 && syncing == 0)) {
        return;
    }

    /* what came while a file was synced had to wait */

    behind = __atomic_load_n(&zone->ring.tail, __ATOMIC_ACQUIRE)
             - ngx_olivine_aof_written(zone)->offset;

    if (zone->params.appendfsync == NGX_OLIVINE_FSYNC_EVERYSEC && behind
        && syncing >= NGX_OLIVINE_AOF_STALLED)
    {
        st->delayed++;
    }

    if (least == 0) {
        return;
    }

    if (writing >= least) {
        ngx_olivine_stats_event(aof->tx, "aof-write", now, writing);
        ngx_olivine_stats_event(aof->tx, zone->persist.save.what
                                         ? "aof-write-active-child"
                                         : "aof-write-alone", now, writing);
    }

    if (syncing >= least) {

        if (zone->params.appendfsync == NGX_OLIVINE_FSYNC_ALWAYS) {
            ngx_olivine_stats_event(aof->tx, "aof-fsync-always", now, syncing);

        } else if (behind) {
            ngx_olivine_stats_event(aof->tx, "aof-write-pending-fsync", now,
                                    syncing);
        }
    }
}


static void
ngx_olivine_aof_release(ngx_olivine_aof_t *aof)
{
    ngx_olivine_lease_give(aof->tx, &aof->zone->persist.aof.lease);

    ngx_olivine_aof_wake(aof);
}


/* With the lease: the ring's bytes that are not needed any more. */

static void
ngx_olivine_aof_advance(ngx_olivine_aof_t *aof)
{
    uint64_t                  offset;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_aof_state_t  *st;

    zone = aof->zone;
    st = &zone->persist.aof;

    if (st->state == NGX_OLIVINE_AOF_OFF) {
        return;
    }

    offset = zone->params.appendfsync == NGX_OLIVINE_FSYNC_NO && !st->distrust
             ? ngx_olivine_aof_written(zone)->offset
             : __atomic_load_n(&st->durable, __ATOMIC_ACQUIRE);

    if (zone->ring.offsets[st->reader - 1] < offset + 1) {
        ngx_olivine_ring_advance(aof->tx, st->reader - 1, offset);
    }
}


/* Who keeps replies back; but for the caller, who looks by itself. */

static void
ngx_olivine_aof_wake(ngx_olivine_aof_t *aof)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;

    zone = aof->zone;

    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    for (i = 0; i < zone->slots_high; i++) {
        slot = ngx_olivine_slot_at(zone, i);

        if (slot->held && slot->state == NGX_OLIVINE_SLOT_LIVE
            && slot != aof->tx->slot)
        {
            ngx_olivine_slot_ring(zone, i, NGX_OLIVINE_HINT_AOF);
        }
    }
}


/*
 * Writes all that is in the log.  OK; AGAIN: the next increment is to be
 * begun, which may take time; ERROR.
 */

static ngx_int_t
ngx_olivine_aof_write(ngx_olivine_aof_t *aof, ngx_uint_t may_turn)
{
    uint64_t                  to, turn, written;
    ngx_int_t                 rc;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_aof_state_t  *st;

    zone = aof->zone;
    st = &zone->persist.aof;

    for ( ;; ) {

        /* in this order: what stands behind a turn was committed after it */

        to = __atomic_load_n(&zone->ring.tail, __ATOMIC_ACQUIRE);
        turn = __atomic_load_n(&st->turn, __ATOMIC_ACQUIRE);
        written = ngx_olivine_aof_written(zone)->offset;

        if (turn) {
            to = ngx_min(to, turn - 1);
        }

        if (turn && written == turn - 1) {

            if (!may_turn) {
                return NGX_AGAIN;
            }

            rc = ngx_olivine_aof_turn(aof);

        } else if (written < to) {
            rc = ngx_olivine_aof_put(aof, to);

            /* its file is gone: all before the turn is in the new base */

            if (rc == NGX_ERROR && turn && st->distrust && aof->fd == -1) {
                rc = may_turn ? ngx_olivine_aof_turn(aof) : NGX_AGAIN;
            }

        } else {
            break;
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (st->error && !st->distrust) {
        ngx_olivine_aof_mended(aof);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_aof_put(ngx_olivine_aof_t *aof, uint64_t to)
{
    u_char                    text[NGX_OLIVINE_AOF_TS];
    size_t                    stamp, bytes;
    ssize_t                   n;
    uint64_t                  end, pos, start;
    ngx_uint_t                i, count;
    struct iovec              iov[NGX_OLIVINE_AOF_IOVECS];
    ngx_olivine_aof_mark_t   *mark;
    ngx_olivine_aof_state_t  *st;

    st = &aof->zone->persist.aof;
    mark = ngx_olivine_aof_written(aof->zone);

    if (ngx_olivine_aof_open(aof, mark->seq) != NGX_OK) {
        return NGX_ERROR;
    }

    stamp = ngx_olivine_aof_stamp(aof, mark->offset, text);

    iov[0].iov_base = text;
    iov[0].iov_len = stamp;

    count = ngx_olivine_ring_peek(aof->zone, mark->offset, to, iov + 1,
                                  NGX_OLIVINE_AOF_IOVECS - 1, &end, &bytes);
    count++;
    bytes += stamp;
    pos = mark->pos;
    start = ngx_olivine_clock_counts();

    for (i = 0; bytes; /* void */ ) {

        n = pwritev(aof->fd, iov + i, count - i, pos);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        if (n <= 0) {
            ngx_olivine_aof_failed(aof, n == 0 ? ENOSPC : errno, "pwritev");
            return NGX_ERROR;
        }

        pos += n;
        bytes -= n;

        for ( /* void */ ; i < count && (size_t) n >= iov[i].iov_len; i++) {
            n -= iov[i].iov_len;
        }

        if (n) {
            iov[i].iov_base = (u_char *) iov[i].iov_base + n;
            iov[i].iov_len -= n;
        }
    }

    aof->writing += ngx_olivine_clock_since(start);

    /* what the loop writes itself is its own time */

    if (aof->posted) {
        ngx_olivine_waited_since(&aof->wrote, start);
    }

    ngx_olivine_aof_mark(st, end, pos, mark->seq);

    return NGX_OK;
}


/* So far it is written: one store switches from the pair before to this one. */

static void
ngx_olivine_aof_mark(ngx_olivine_aof_state_t *st, uint64_t offset,
    uint64_t pos, uint64_t seq)
{
    ngx_olivine_aof_mark_t  *next;

    next = &st->marks[(st->mark & 1) ^ 1];
    next->offset = offset;
    next->pos = pos;
    next->seq = seq;

    __atomic_store_n(&st->mark, st->mark + 1, __ATOMIC_RELEASE);
}


/* The file before is complete: it is synced unless nobody asks for it. */

static ngx_int_t
ngx_olivine_aof_turn(ngx_olivine_aof_t *aof)
{
    ngx_olivine_zone_t       *zone;
    ngx_olivine_aof_mark_t   *mark;
    ngx_olivine_aof_state_t  *st;

    zone = aof->zone;
    st = &zone->persist.aof;
    mark = ngx_olivine_aof_written(zone);

    if (!st->distrust && mark->seq
        && zone->params.appendfsync != NGX_OLIVINE_FSYNC_NO
        && ngx_olivine_aof_sync(aof) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_olivine_aof_open(aof, st->turn_seq) != NGX_OK) {
        return NGX_ERROR;
    }

    /* a successor of one that died here does the same again */

    st->older_size += mark->seq != st->turn_seq ? mark->pos : 0;

    ngx_olivine_aof_mark(st, st->turn - 1, 0, st->turn_seq);
    __atomic_store_n(&st->turn, 0, __ATOMIC_RELEASE);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_aof_sync(ngx_olivine_aof_t *aof)
{
    uint64_t                  start;
    struct stat               fi;
    ngx_olivine_aof_mark_t   *mark;
    ngx_olivine_aof_state_t  *st;

    st = &aof->zone->persist.aof;
    mark = ngx_olivine_aof_written(aof->zone);

    if (ngx_olivine_aof_open(aof, mark->seq) != NGX_OK) {
        return NGX_ERROR;
    }

    st->synced_at = aof->now;
    start = ngx_olivine_clock_counts();

    if (fdatasync(aof->fd) == -1) {
        st->distrust = 1;
        ngx_olivine_aof_failed(aof, errno, "fdatasync");
        return NGX_ERROR;
    }

    aof->took = ngx_olivine_clock_since(start);
    aof->syncing += aof->took;
    ngx_olivine_waited_since(&aof->synced, start);

    /* who takes the folder away takes what is in it */

    if (fstat(aof->fd, &fi) == -1 || fi.st_nlink == 0) {
        st->distrust = 1;
        ngx_olivine_aof_failed(aof, ENOENT, "stat");
        return NGX_ERROR;
    }

    if (st->distrust) {
        return NGX_OK;                 /* the base before it is not there */
    }

    __atomic_store_n(&st->durable, mark->offset, __ATOMIC_RELEASE);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_aof_open(ngx_olivine_aof_t *aof, uint64_t seq)
{
    u_char                    path[NGX_OLIVINE_AOF_PATH];
    ngx_olivine_aof_state_t  *st;

    st = &aof->zone->persist.aof;

    if (aof->fd != -1 && aof->seq == seq && aof->begun == st->begun) {
        return NGX_OK;
    }

    if (aof->fd != -1) {
        (void) close(aof->fd);
    }

    (void) ngx_olivine_aof_path(aof->zone, seq, path);

    aof->seq = seq;
    aof->begun = st->begun;
    aof->fd = open((char *) path, O_WRONLY|O_CLOEXEC);

    if (aof->fd == -1) {

        if (errno == ENOENT) {
            st->distrust = 1;          /* what was in it is not there either */
        }

        ngx_olivine_aof_failed(aof, errno, "open");
        return NGX_ERROR;
    }

    return NGX_OK;
}


size_t
ngx_olivine_aof_path(ngx_olivine_zone_t *zone, uint64_t seq, u_char *path)
{
    u_char                   *p;
    ngx_olivine_aof_state_t  *st;

    st = &zone->persist.aof;

    p = ngx_sprintf(path, "%s/%s.%uL.incr.aof%Z", st->dir, st->name, seq);

    return p - path - 1;
}


void
ngx_olivine_aof_folder(ngx_olivine_zone_t *zone, u_char *dir, u_char *name)
{
    ngx_olivine_params_t  *params;

    params = &zone->params;

    ngx_sprintf(dir, "%*s/%*s%Z", params->dir.len, params->dir.data,
                params->appenddirname.len, params->appenddirname.data);
    ngx_sprintf(name, "%*s%Z", params->appendfilename.len,
                params->appendfilename.data);
}


uint64_t
ngx_olivine_aof_size(ngx_olivine_zone_t *zone)
{
    ngx_olivine_aof_state_t  *st;

    st = &zone->persist.aof;

    return st->base_size + st->older_size + ngx_olivine_aof_written(zone)->pos;
}


/*
 * The line with the time, if one is to stand before what begins at the
 * offset; its length.  That it does is noted before it is written: whoever
 * has to write the same again writes the same line.
 */

static size_t
ngx_olivine_aof_stamp(ngx_olivine_aof_t *aof, uint64_t offset, u_char *text)
{
    uint64_t                  now;
    ngx_olivine_aof_state_t  *st;

    st = &aof->zone->persist.aof;
    now = aof->now / 1000;

    if (st->ts_at != offset + 1) {

        if (!aof->zone->params.aof_timestamp_enabled || st->ts == now) {
            return 0;
        }

        st->ts = now;
        __atomic_store_n(&st->ts_at, offset + 1, __ATOMIC_RELEASE);
    }

    return ngx_sprintf(text, "#TS:%uL" CRLF, st->ts) - text;
}


static void
ngx_olivine_aof_failed(ngx_olivine_aof_t *aof, int err, const char *what)
{
    ngx_olivine_persist_t  *persist;

    persist = &aof->zone->persist;

    aof->failed = aof->now;

    if (persist->aof.error != err) {
        persist->aof.error = err;

        ngx_log_error(NGX_LOG_ALERT, aof->log, err,
                      "olivine: %s() of the append-only file \"%s\" "
                      "number %uL failed, writes are refused until it is "
                      "mended", what, persist->aof.name,
                      ngx_olivine_aof_written(aof->zone)->seq);
    }

    ngx_olivine_persist_refuse(persist, NGX_OLIVINE_REFUSE_AOF);
}


static void
ngx_olivine_aof_mended(ngx_olivine_aof_t *aof)
{
    ngx_olivine_persist_t  *persist;

    persist = &aof->zone->persist;

    persist->aof.error = 0;

    ngx_olivine_persist_allow(persist, NGX_OLIVINE_REFUSE_AOF);

    ngx_log_error(NGX_LOG_NOTICE, aof->log, 0,
                  "olivine: the append-only file is written again, and so "
                  "are commands");
}
