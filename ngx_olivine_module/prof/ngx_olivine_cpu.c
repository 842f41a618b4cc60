
/*
 * Copyright (C) The Olivine authors
 *
 * A worker's way through a profile:
 *
 *     IDLE ─ joins ─► RUNNING ─ gather ─► FINISHING ─► LEFT ─────────► IDLE
 *                                             │
 *                        whoever started it   └─► WAITING ─► MERGING ─► IDLE
 *
 * While it runs the thread takes samples from the ring and walks their
 * stacks; in FINISHING it looks names up and makes the profile; in MERGING it
 * adds the other workers' parts.  The loop does the rest, in
 * ngx_olivine_cpu_look(), which may be called at any time.
 */


#include "mem/ngx_olivine_holding.h"
#include "mem/ngx_olivine_thread.h"
#include "prof/ngx_olivine_cpu.h"
#include "prof/ngx_olivine_cpu_samples.h"
#include "prof/ngx_olivine_profile_pack.h"


/* bytes of a worker's part; milliseconds that parts are waited for */
#define NGX_OLIVINE_CPU_PART   (4 * 1024 * 1024)
#define NGX_OLIVINE_CPU_WAIT   10000

/* the ring is read so often, or when so much is in it */
#define NGX_OLIVINE_CPU_READ   250                       /* milliseconds */
#define NGX_OLIVINE_CPU_FULL   (NGX_OLIVINE_CPU_RING / 4)

#define NGX_OLIVINE_CPU_THREAD (1024 * 1024)             /* its stack */


typedef enum {
    NGX_OLIVINE_CPU_IDLE = 0,
    NGX_OLIVINE_CPU_RUNNING,
    NGX_OLIVINE_CPU_FINISHING,
    NGX_OLIVINE_CPU_LEFT,            /* the part is in the zone */
    NGX_OLIVINE_CPU_WAITING,
    NGX_OLIVINE_CPU_MERGING
} ngx_olivine_cpu_e;


struct ngx_olivine_cpu_s {
    ngx_olivine_tx_t           *tx;
    ngx_olivine_zone_t         *zone;
    ngx_olivine_prof_part_t    *part;         /* in the zone, ours */
    ngx_log_t                  *log;

    ngx_olivine_cpu_e           at;
    uint32_t                    number;       /* of the profile */
    ngx_uint_t                  rate;
    int64_t                     begun;        /* milliseconds */
    int64_t                     read;         /* ... the ring, last */
    int64_t                     deadline;

    ngx_olivine_cpu_signal_t   *signal;
    int64_t                     user;         /* nanoseconds */
    int64_t                     system;

    /* the thread's, while busy */
    ngx_olivine_thread_t       *thread;
    ngx_olivine_thread_job_t    job;
    ngx_olivine_cpu_samples_t  *samples;
    ngx_olivine_profile_t      *profile;
    ngx_str_t                   packed;
    ngx_str_t                   parts[NGX_OLIVINE_MAX_SLOTS];
    ngx_uint_t                  pack;         /* for another worker */
    ngx_uint_t                  failed;

    uint32_t                    receipt;      /* plus one; 0: none */

    ngx_olivine_cpu_done_pt     done;
    void                       *data;

    unsigned                    busy:1;       /* the thread has a job */
    unsigned                    ours:1;       /* was started here */
    unsigned                    stopped:1;    /* no samples are taken */
    unsigned                    dropped:1;    /* nobody wants it */
    unsigned                    refused:1;    /* this one cannot be joined */
};


static void ngx_olivine_cpu_join(ngx_olivine_cpu_t *cpu, uint32_t state);
static ngx_int_t ngx_olivine_cpu_begin(ngx_olivine_cpu_t *cpu,
    uint32_t number, ngx_uint_t rate);
static ngx_uint_t ngx_olivine_cpu_wanted(ngx_olivine_cpu_t *cpu,
    uint32_t state);
static void ngx_olivine_cpu_quiet(ngx_olivine_cpu_t *cpu);
static void ngx_olivine_cpu_clear(ngx_olivine_cpu_t *cpu);
static void ngx_olivine_cpu_post(ngx_olivine_cpu_t *cpu,
    void (*run)(void *data));
static void ngx_olivine_cpu_did(void *data);
static void ngx_olivine_cpu_read(void *data);
static void ngx_olivine_cpu_finish(void *data);
static void ngx_olivine_cpu_merge(void *data);
static void ngx_olivine_cpu_leave(ngx_olivine_cpu_t *cpu);
static ngx_int_t ngx_olivine_cpu_receipt(ngx_olivine_cpu_t *cpu, size_t n);
static ngx_uint_t ngx_olivine_cpu_collect(ngx_olivine_cpu_t *cpu);
static ngx_int_t ngx_olivine_cpu_copy(ngx_olivine_cpu_t *cpu,
    ngx_olivine_prof_part_t *part, ngx_str_t *copy);
static void ngx_olivine_cpu_bring(ngx_olivine_cpu_t *cpu);


ngx_olivine_cpu_t *
ngx_olivine_cpu_create(ngx_olivine_tx_t *tx, ngx_log_t *log)
{
    ngx_olivine_cpu_t  *cpu;

    cpu = ngx_calloc(sizeof(ngx_olivine_cpu_t), log);
    if (cpu == NULL) {
        return NULL;
    }

    cpu->tx = tx;
    cpu->zone = tx->zone;
    cpu->part = &tx->zone->prof.parts[tx->slot->number];
    cpu->log = log;
    cpu->job.done = ngx_olivine_cpu_did;
    cpu->job.data = cpu;

    return cpu;
}


void
ngx_olivine_cpu_destroy(ngx_olivine_cpu_t *cpu)
{
    ngx_olivine_cpu_cancel(cpu);
    ngx_olivine_cpu_quiet(cpu);
    ngx_olivine_cpu_clear(cpu);          /* waits for the thread */

    ngx_free(cpu);
}


ngx_int_t
ngx_olivine_cpu_start(ngx_olivine_cpu_t *cpu, ngx_uint_t rate,
    ngx_olivine_cpu_done_pt done, void *data)
{
    uint32_t             number;
    ngx_int_t            rc;
    ngx_olivine_prof_t  *prof;

    prof = &cpu->zone->prof;

    if (rate < NGX_OLIVINE_CPU_RATE_MIN || rate > NGX_OLIVINE_CPU_RATE_MAX) {
        return NGX_ERROR;
    }

    if (cpu->at != NGX_OLIVINE_CPU_IDLE
        || ngx_olivine_lease_take(cpu->tx, &prof->lease) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    number = ngx_olivine_prof_number(prof->state) + 1;
    number = number << NGX_OLIVINE_PROF_SHIFT ? number : 1;

    rc = ngx_olivine_cpu_begin(cpu, number, rate);

    if (rc != NGX_OK) {
        ngx_olivine_lease_give(cpu->tx, &prof->lease);
        return rc;
    }

    cpu->ours = 1;
    cpu->done = done;
    cpu->data = data;

    prof->rate = rate;
    __atomic_store_n(&prof->state,
                     ngx_olivine_prof_state(number, NGX_OLIVINE_PROF_RUN),
                     __ATOMIC_RELEASE);

    ngx_olivine_slot_ring_all(cpu->zone, NGX_OLIVINE_HINT_PROF);

    return NGX_OK;
}


void
ngx_olivine_cpu_stop(ngx_olivine_cpu_t *cpu)
{
    if (!cpu->ours || cpu->at != NGX_OLIVINE_CPU_RUNNING) {
        return;
    }

    __atomic_store_n(&cpu->zone->prof.state,
                     ngx_olivine_prof_state(cpu->number,
                                            NGX_OLIVINE_PROF_GATHER),
                     __ATOMIC_RELEASE);

    ngx_olivine_cpu_quiet(cpu);
    ngx_olivine_slot_ring_all(cpu->zone, NGX_OLIVINE_HINT_PROF);
}


void
ngx_olivine_cpu_cancel(ngx_olivine_cpu_t *cpu)
{
    if (!cpu->ours) {
        return;
    }

    __atomic_store_n(&cpu->zone->prof.state,
                     ngx_olivine_prof_state(cpu->number,
                                            NGX_OLIVINE_PROF_NONE),
                     __ATOMIC_RELEASE);

    ngx_olivine_lease_give(cpu->tx, &cpu->zone->prof.lease);

    cpu->ours = 0;
    cpu->done = NULL;
    cpu->dropped = 1;

    ngx_olivine_cpu_quiet(cpu);
    ngx_olivine_slot_ring_all(cpu->zone, NGX_OLIVINE_HINT_PROF);
}


void
ngx_olivine_cpu_look(ngx_olivine_cpu_t *cpu, int64_t now)
{
    uint32_t  state;

    if (cpu->thread) {
        ngx_olivine_thread_reap(cpu->thread);
    }

    state = __atomic_load_n(&cpu->zone->prof.state, __ATOMIC_ACQUIRE);

    if (cpu->at == NGX_OLIVINE_CPU_IDLE) {
        ngx_olivine_cpu_join(cpu, state);
        return;
    }

    if (cpu->dropped || !ngx_olivine_cpu_wanted(cpu, state)) {
        cpu->dropped = 1;
        ngx_olivine_cpu_quiet(cpu);
    }

    if (cpu->busy) {
        return;
    }

    if (cpu->dropped) {
        ngx_olivine_cpu_clear(cpu);

        if (cpu->at == NGX_OLIVINE_CPU_IDLE) {
            ngx_olivine_cpu_join(cpu, state);
        }

        return;
    }

    switch (cpu->at) {

    case NGX_OLIVINE_CPU_RUNNING:

        if (ngx_olivine_prof_what(state) == NGX_OLIVINE_PROF_GATHER) {
            ngx_olivine_cpu_quiet(cpu);
            cpu->at = NGX_OLIVINE_CPU_FINISHING;
            cpu->pack = !cpu->ours;
            cpu->deadline = now + NGX_OLIVINE_CPU_WAIT;
            ngx_olivine_cpu_post(cpu, ngx_olivine_cpu_finish);

        } else if (now - cpu->read >= NGX_OLIVINE_CPU_READ
                   || now < cpu->read
                   || ngx_olivine_cpu_signal_waiting(cpu->signal)
                      >= NGX_OLIVINE_CPU_FULL)
        {
            cpu->read = now;
            ngx_olivine_cpu_post(cpu, ngx_olivine_cpu_read);
        }

        return;

    case NGX_OLIVINE_CPU_FINISHING:

        if (!cpu->ours) {
            ngx_olivine_cpu_leave(cpu);
            return;
        }

        cpu->at = NGX_OLIVINE_CPU_WAITING;

        /* fall through */

    case NGX_OLIVINE_CPU_WAITING:

        if (ngx_olivine_cpu_collect(cpu) && now < cpu->deadline) {
            return;
        }

        cpu->at = NGX_OLIVINE_CPU_MERGING;
        ngx_olivine_cpu_post(cpu, ngx_olivine_cpu_merge);
        return;

    case NGX_OLIVINE_CPU_MERGING:
        ngx_olivine_cpu_bring(cpu);
        return;

    default:
        return;
    }
}


/* Another worker's profile is to have this one's samples, too. */

static void
ngx_olivine_cpu_join(ngx_olivine_cpu_t *cpu, uint32_t state)
{
    uint32_t             number;
    ngx_olivine_prof_t  *prof;

    prof = &cpu->zone->prof;
    number = ngx_olivine_prof_number(state);

    if (ngx_olivine_likely(ngx_olivine_prof_what(state)
                           != NGX_OLIVINE_PROF_RUN)
        || (cpu->refused && cpu->number == number)
        || !ngx_olivine_lease_held(cpu->zone, prof->lease))
    {
        return;
    }

    cpu->refused = (ngx_olivine_cpu_begin(cpu, number, prof->rate) != NGX_OK);
}


/* From now on samples are taken here. */

static ngx_int_t
ngx_olivine_cpu_begin(ngx_olivine_cpu_t *cpu, uint32_t number, ngx_uint_t rate)
{
    ngx_int_t                 rc;
    ngx_olivine_prof_part_t  *part;

    cpu->number = number;

    if (rate < NGX_OLIVINE_CPU_RATE_MIN || rate > NGX_OLIVINE_CPU_RATE_MAX) {
        return NGX_ERROR;
    }

    cpu->thread = ngx_olivine_thread_create(cpu->zone, cpu->tx->slot->number,
                                            NGX_OLIVINE_HINT_PROF,
                                            NGX_OLIVINE_CPU_THREAD, cpu->log);
    if (cpu->thread == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cpu_signal_start(cpu->tx, rate, &cpu->signal);

    if (rc != NGX_OK) {
        ngx_olivine_thread_destroy(cpu->thread);
        cpu->thread = NULL;

        ngx_log_error(NGX_LOG_WARN, cpu->log, 0,
                      "olivine: no CPU profile of this process: %s",
                      rc == NGX_DECLINED ? "SIGPROF is taken"
                                         : "no memory, or no timer");
        return rc;
    }

    cpu->at = NGX_OLIVINE_CPU_RUNNING;
    cpu->rate = rate;
    cpu->begun = ngx_olivine_now();
    cpu->read = cpu->begun;
    cpu->stopped = 0;
    cpu->dropped = 0;
    cpu->failed = 0;

    part = cpu->part;
    part->joined = 0;
    part->done = 0;
    part->owner = cpu->tx->owner;
    __atomic_store_n(&part->joined, number, __ATOMIC_RELEASE);

    return NGX_OK;
}


static ngx_uint_t
ngx_olivine_cpu_wanted(ngx_olivine_cpu_t *cpu, uint32_t state)
{
    return ngx_olivine_prof_number(state) == cpu->number
           && ngx_olivine_prof_what(state) != NGX_OLIVINE_PROF_NONE
           && ngx_olivine_lease_held(cpu->zone, cpu->zone->prof.lease);
}


static void
ngx_olivine_cpu_quiet(ngx_olivine_cpu_t *cpu)
{
    if (cpu->signal && !cpu->stopped) {
        ngx_olivine_cpu_signal_stop(cpu->signal, &cpu->user, &cpu->system);
        cpu->stopped = 1;
    }
}


/* All is given back; the thread ends. */

static void
ngx_olivine_cpu_clear(ngx_olivine_cpu_t *cpu)
{
    ngx_uint_t  i;

    if (cpu->thread) {
        ngx_olivine_thread_destroy(cpu->thread);
        cpu->thread = NULL;
    }

    if (cpu->signal) {
        ngx_olivine_cpu_signal_free(cpu->signal);
        cpu->signal = NULL;
    }

    if (cpu->samples) {
        ngx_olivine_cpu_samples_destroy(cpu->samples);
        cpu->samples = NULL;
    }

    if (cpu->profile) {
        ngx_olivine_profile_destroy(cpu->profile);
        cpu->profile = NULL;
    }

    free(cpu->packed.data);
    ngx_str_null(&cpu->packed);

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        free(cpu->parts[i].data);
        ngx_str_null(&cpu->parts[i]);
    }

    if (cpu->receipt
        && (cpu->tx->gate
            || ngx_olivine_receipt_close(cpu->tx, cpu->receipt - 1)
               != NGX_OK))
    {
        return;                          /* the gate is up: next time */
    }

    cpu->receipt = 0;
    cpu->at = NGX_OLIVINE_CPU_IDLE;
    cpu->ours = 0;
    cpu->dropped = 0;
}


static void
ngx_olivine_cpu_post(ngx_olivine_cpu_t *cpu, void (*run)(void *data))
{
    cpu->busy = 1;
    cpu->job.run = run;

    ngx_olivine_thread_post(cpu->thread, &cpu->job);
}


static void
ngx_olivine_cpu_did(void *data)
{
    ngx_olivine_cpu_t *cpu = data;

    cpu->busy = 0;
}


/* In the thread. */

static void
ngx_olivine_cpu_read(void *data)
{
    ngx_olivine_cpu_t *cpu = data;

    if (cpu->samples == NULL) {
        cpu->samples = ngx_olivine_cpu_samples_create();
    }

    if (cpu->samples) {
        ngx_olivine_cpu_samples_read(cpu->samples, cpu->signal);
    }
}


static void
ngx_olivine_cpu_finish(void *data)
{
    ngx_olivine_cpu_t *cpu = data;

    uint64_t  lost;

    ngx_olivine_cpu_read(cpu);

    cpu->profile = ngx_olivine_cpu_profile(cpu->rate);

    if (cpu->samples == NULL || cpu->profile == NULL) {
        cpu->failed = 1;
        return;
    }

    lost = ngx_olivine_cpu_signal_lost(cpu->signal);

    if (ngx_olivine_cpu_samples_add(cpu->samples, cpu->profile, cpu->zone,
                                    cpu->rate, cpu->user, cpu->system, lost)
        != NGX_OK)
    {
        cpu->failed = 1;
    }

    ngx_olivine_cpu_samples_destroy(cpu->samples);
    cpu->samples = NULL;

    if (cpu->pack
        && !cpu->failed
        && ngx_olivine_profile_pack(cpu->profile, NGX_OLIVINE_CPU_PART,
                                    &cpu->packed)
           != NGX_OK)
    {
        ngx_str_null(&cpu->packed);
    }
}


static void
ngx_olivine_cpu_merge(void *data)
{
    ngx_olivine_cpu_t *cpu = data;

    ngx_uint_t  i;

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS && !cpu->failed; i++) {

        if (cpu->parts[i].data
            && ngx_olivine_profile_unpack(cpu->profile, cpu->parts[i].data,
                                          cpu->parts[i].len)
               == NGX_ERROR)
        {
            cpu->failed = 1;
        }
    }
}


/* Leaves the part in the zone; where there is no room for it, it says so. */

static void
ngx_olivine_cpu_leave(ngx_olivine_cpu_t *cpu)
{
    uint32_t                  page;
    ngx_int_t                 rc;
    ngx_olivine_prof_part_t  *part;

    page = 0;

    if (cpu->packed.len) {
        rc = ngx_olivine_cpu_receipt(cpu, cpu->packed.len);

        if (rc == NGX_AGAIN) {
            return;                      /* the gate is up: next time */
        }

        if (rc == NGX_OK) {
            page = ngx_olivine_holding_page(cpu->tx, cpu->receipt - 1);
            ngx_memcpy(ngx_olivine_zone_page(cpu->zone, page),
                       cpu->packed.data, cpu->packed.len);
        }
    }

    if (page == 0) {
        ngx_log_error(NGX_LOG_WARN, cpu->log, 0,
                      "olivine: no memory for this worker's part of a CPU "
                      "profile");
    }

    part = cpu->part;
    part->page = page;
    part->len = cpu->packed.len;
    __atomic_store_n(&part->done, cpu->number, __ATOMIC_RELEASE);

    cpu->at = NGX_OLIVINE_CPU_LEFT;

    ngx_olivine_slot_ring(cpu->zone,
                          ngx_olivine_lock_slot(cpu->zone->prof.lease),
                          NGX_OLIVINE_HINT_PROF);
}


/* A run of the zone, held by the slot.  OK, AGAIN (the gate), ERROR. */

static ngx_int_t
ngx_olivine_cpu_receipt(ngx_olivine_cpu_t *cpu, size_t n)
{
    uint32_t   index;
    ngx_int_t  rc;

    if (cpu->tx->gate) {
        return NGX_AGAIN;
    }

    for ( ;; ) {
        rc = ngx_olivine_receipt_open(cpu->tx, n, &index);

        if (rc != NGX_AGAIN) {
            break;
        }

        rc = ngx_olivine_tx_fetch(cpu->tx);

        if (rc == NGX_AGAIN || rc == NGX_DECLINED) {
            rc = NGX_AGAIN;
            break;
        }
    }

    ngx_olivine_tx_fetched(cpu->tx);

    if (rc == NGX_OK) {
        cpu->receipt = index + 1;
    }

    return rc;
}


/* Takes parts that are there; the number of those that are waited for. */

static ngx_uint_t
ngx_olivine_cpu_collect(ngx_olivine_cpu_t *cpu)
{
    ngx_uint_t                i, missing;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_prof_part_t  *part;

    zone = cpu->zone;
    missing = 0;

    for (i = 0; i < zone->slots_high; i++) {
        part = &zone->prof.parts[i];

        if (part == cpu->part
            || cpu->parts[i].data
            || __atomic_load_n(&part->joined, __ATOMIC_ACQUIRE) != cpu->number
            || !ngx_olivine_lease_held(zone, part->owner))
        {
            continue;
        }

        if (__atomic_load_n(&part->done, __ATOMIC_ACQUIRE) != cpu->number) {
            missing++;
            continue;
        }

        (void) ngx_olivine_cpu_copy(cpu, part, &cpu->parts[i]);
    }

    return missing;
}


/*
 * The run is its worker's as long as that lives: so what was copied counts if
 * it lives afterwards.
 */

static ngx_int_t
ngx_olivine_cpu_copy(ngx_olivine_cpu_t *cpu, ngx_olivine_prof_part_t *part,
    ngx_str_t *copy)
{
    size_t               len;
    uint32_t             page, owner;
    ngx_olivine_zone_t  *zone;

    zone = cpu->zone;
    owner = part->owner;
    page = part->page;
    len = part->len;

    if (page < zone->heap.first
        || page >= zone->heap.last
        || len == 0
        || len > NGX_OLIVINE_CPU_PART
        || ngx_olivine_pages(len) > zone->heap.last - page)
    {
        return NGX_DECLINED;
    }

    copy->data = malloc(len);
    if (copy->data == NULL) {
        return NGX_ERROR;
    }

    /* another worker's, of which our shadow knows nothing */

    ngx_olivine_unpoison(ngx_olivine_zone_page(zone, page), len);

    ngx_memcpy(copy->data, ngx_olivine_zone_page(zone, page), len);
    copy->len = len;

    if (part->owner != owner
        || part->done != cpu->number
        || !ngx_olivine_lease_held(zone, owner))
    {
        free(copy->data);
        ngx_str_null(copy);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static void
ngx_olivine_cpu_bring(ngx_olivine_cpu_t *cpu)
{
    void                     *data;
    ngx_olivine_profile_t    *profile;
    ngx_olivine_cpu_done_pt   done;

    done = cpu->done;
    data = cpu->data;
    profile = cpu->failed ? NULL : cpu->profile;

    if (profile) {
        cpu->profile = NULL;

        ngx_olivine_profile_time(profile, cpu->begun * 1000000,
                                 (cpu->deadline - NGX_OLIVINE_CPU_WAIT
                                  - cpu->begun) * 1000000);
    }

    ngx_olivine_cpu_cancel(cpu);             /* others give theirs back */
    ngx_olivine_cpu_clear(cpu);

    done(data, profile);
}
