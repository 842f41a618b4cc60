
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_http_olivine_taken.h"


/* milliseconds */
#define NGX_HTTP_OLIVINE_TAKING_LOOK   100       /* is the worker to quit? */
#define NGX_HTTP_OLIVINE_TAKING_REAP   5         /* has the thread done it? */
#define NGX_HTTP_OLIVINE_TAKING_STOP   20000     /* for the workers' parts */

/* debug information of all that is linked in is read in the thread */
#define NGX_HTTP_OLIVINE_TAKING_STACK  (1024 * 1024)


static ngx_http_olivine_taking_t *ngx_http_olivine_taking_create(
    ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind);
static void ngx_http_olivine_taking_destroy(
    ngx_http_olivine_taking_t *taking);
static ngx_int_t ngx_http_olivine_taking_busy(
    ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind);
static ngx_int_t ngx_http_olivine_taking_start(
    ngx_http_olivine_taking_t *taking);
static void ngx_http_olivine_taking_post(ngx_http_olivine_taking_t *taking,
    void (*run)(void *data));
static void ngx_http_olivine_taking_done(void *data);
static void ngx_http_olivine_taking_timer(ngx_event_t *ev);
static void ngx_http_olivine_taking_cpu(void *data,
    ngx_olivine_profile_t *profile);
static void ngx_http_olivine_taking_send(ngx_http_olivine_taking_t *taking);
static void ngx_http_olivine_taking_gone(ngx_http_olivine_answer_t *answer);


static const ngx_http_olivine_taking_kind_t  ngx_http_olivine_taking_symbol = {
    NGX_OLIVINE_TAKING_SYMBOL, "symbol", "symbol", 0, 0
};


ngx_int_t
ngx_http_olivine_taking_begin(ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind, ngx_int_t seconds,
    ngx_http_olivine_taking_e form)
{
    ngx_int_t                   rc;
    ngx_http_olivine_taking_t  *taking;

    taking = ngx_http_olivine_taking_create(answer, kind);

    if (taking == NULL) {
        return ngx_http_olivine_taking_busy(answer, kind);
    }

    taking->seconds = seconds;
    taking->form = form;

    rc = ngx_http_olivine_taking_start(taking);

    if (rc == NGX_OK) {
        return NGX_DONE;
    }

    answer->gone = NULL;
    ngx_http_olivine_taking_destroy(taking);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    return ngx_http_olivine_refuse(answer, NGX_HTTP_CONFLICT,
        "409: workers are still at the end of the last \"%s\". Try again in "
        "a moment.", kind->name);
}


ngx_int_t
ngx_http_olivine_taking_symbols(ngx_http_olivine_answer_t *answer,
    ngx_str_t *words)
{
    ngx_http_olivine_taking_t  *taking;

    taking = ngx_http_olivine_taking_create(answer,
                                            &ngx_http_olivine_taking_symbol);
    if (taking == NULL) {
        return ngx_http_olivine_taking_busy(answer,
                                            &ngx_http_olivine_taking_symbol);
    }

    taking->words.data = ngx_alloc(words->len + 1, ngx_cycle->log);

    if (taking->words.data == NULL) {
        answer->gone = NULL;
        ngx_http_olivine_taking_destroy(taking);

        return NGX_ERROR;
    }

    ngx_memcpy(taking->words.data, words->data, words->len);
    taking->words.len = words->len;

    ngx_http_olivine_taking_post(taking, ngx_http_olivine_taken_symbols);

    return NGX_DONE;
}


/* NULL: another one has the lease, or there is no memory. */

static ngx_http_olivine_taking_t *
ngx_http_olivine_taking_create(ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind)
{
    ngx_olivine_tx_t           *tx;
    ngx_olivine_taking_t       *row;
    ngx_http_olivine_taking_t  *taking;

    tx = &answer->worker->tx;
    row = &tx->zone->takings[kind->kind];

    /* it may be this worker's own, for another request */

    if (row->lease == tx->owner
        || ngx_olivine_lease_take(tx, &row->lease) != NGX_OK)
    {
        return NULL;
    }

    row->since = ngx_olivine_now();

    taking = ngx_calloc(sizeof(ngx_http_olivine_taking_t), ngx_cycle->log);

    if (taking == NULL) {
        ngx_olivine_lease_give(tx, &row->lease);
        answer->failed = 1;
        return NULL;
    }

    taking->answer = answer;
    taking->mount = answer->mount;
    taking->fd = -1;
    taking->kind = kind;
    taking->begun = row->since * 1000000;

    taking->timer.handler = ngx_http_olivine_taking_timer;
    taking->timer.data = taking;
    taking->timer.log = ngx_cycle->log;

    answer->data = taking;
    answer->gone = ngx_http_olivine_taking_gone;

    return taking;
}


static void
ngx_http_olivine_taking_destroy(ngx_http_olivine_taking_t *taking)
{
    ngx_olivine_tx_t  *tx;

    tx = &taking->mount->worker->tx;

    if (taking->timer.timer_set) {
        ngx_del_timer(&taking->timer);
    }

    if (taking->cpu) {
        ngx_olivine_cpu_cancel(taking->mount->cpu);
    }

    if (taking->thread) {
        ngx_olivine_thread_destroy(taking->thread);
    }

    if (taking->before) {
        ngx_olivine_profile_destroy(taking->before);
    }

    if (taking->profile) {
        ngx_olivine_profile_destroy(taking->profile);
    }

    ngx_olivine_lease_give(tx, &tx->zone->takings[taking->kind->kind].lease);

    if (taking->symbols) {
        ngx_olivine_symbols_destroy(taking->symbols);
    }

    free(taking->out.data);
    free(taking->words.data);
    ngx_free(taking);
}


static ngx_int_t
ngx_http_olivine_taking_busy(ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind)
{
    int64_t                ago;
    uint32_t               lease;
    ngx_tm_t               tm;
    ngx_olivine_zone_t    *zone;
    ngx_olivine_taking_t  *row;

    if (answer->failed) {
        return NGX_ERROR;
    }

    zone = answer->worker->zone;
    row = &zone->takings[kind->kind];

    lease = row->lease;
    ago = ngx_max(ngx_olivine_now() - row->since, 0);

    ngx_gmtime(row->since / 1000, &tm);

    return ngx_http_olivine_refuse(answer, NGX_HTTP_CONFLICT,
        "409: there is one \"%s\" at a time: process %uD has been at it since "
        "%4d-%02d-%02d %02d:%02d:%02d UTC, %L s ago. Try again later.",
        kind->name,
        ngx_olivine_slot_at(zone, ngx_olivine_lock_slot(lease))->pid,
        tm.ngx_tm_year, tm.ngx_tm_mon, tm.ngx_tm_mday, tm.ngx_tm_hour,
        tm.ngx_tm_min, tm.ngx_tm_sec, ago / 1000);
}


/* OK, DECLINED, ERROR. */

static ngx_int_t
ngx_http_olivine_taking_start(ngx_http_olivine_taking_t *taking)
{
    ngx_int_t             rc;
    ngx_olivine_mount_t  *mount;

    taking->end = ngx_current_msec + taking->seconds * 1000;

    if (taking->kind->kind == NGX_OLIVINE_TAKING_CPU) {

        mount = taking->mount;

        if (mount->cpu == NULL) {
            return NGX_ERROR;
        }

        rc = ngx_olivine_cpu_start(mount->cpu,
                                   mount->worker->params.profile_rate,
                                   ngx_http_olivine_taking_cpu, taking);
        if (rc != NGX_OK) {
            return rc;
        }

        taking->cpu = 1;
        ngx_add_timer(&taking->timer, NGX_HTTP_OLIVINE_TAKING_LOOK);

        return NGX_OK;
    }

    ngx_http_olivine_taking_post(taking, taking->seconds
                                         ? ngx_http_olivine_taken_before
                                         : ngx_http_olivine_taken_profile);
    return NGX_OK;
}


static void
ngx_http_olivine_taking_post(ngx_http_olivine_taking_t *taking,
    void (*run)(void *data))
{
    ngx_olivine_worker_t  *worker;

    worker = taking->mount->worker;

    if (taking->thread == NULL) {
        taking->thread = ngx_olivine_thread_create(worker->zone,
                                                   worker->tx.slot->number, 0,
                                                   NGX_HTTP_OLIVINE_TAKING_STACK,
                                                   ngx_cycle->log);
    }

    taking->busy = 1;

    taking->job.run = run;
    taking->job.done = ngx_http_olivine_taking_done;
    taking->job.data = taking;

    ngx_add_timer(&taking->timer, NGX_HTTP_OLIVINE_TAKING_REAP);

    if (taking->thread == NULL) {
        taking->rc = NGX_ERROR;
        taking->busy = 0;
        return;
    }

    ngx_olivine_thread_post(taking->thread, &taking->job);
}


static void
ngx_http_olivine_taking_done(void *data)
{
    ngx_http_olivine_taking_t *taking = data;

    taking->busy = 0;
}


/* Waits for the end of the time, or for the thread. */

static void
ngx_http_olivine_taking_timer(ngx_event_t *ev)
{
    ngx_http_olivine_taking_t *taking = ev->data;

    ngx_msec_int_t  left;

    ngx_olivine_turn_begin(&taking->mount->turn);

    if (taking->busy) {
        ngx_olivine_thread_reap(taking->thread);

        if (taking->busy) {
            ngx_add_timer(ev, NGX_HTTP_OLIVINE_TAKING_REAP);
            return;
        }
    }

    if (taking->rc != NGX_OK || taking->written || taking->answer == NULL) {
        ngx_http_olivine_taking_send(taking);
        return;
    }

    left = ngx_exiting ? 0 : (ngx_msec_int_t) (taking->end - ngx_current_msec);

    if (left > 0) {
        ngx_add_timer(ev, ngx_min(left, NGX_HTTP_OLIVINE_TAKING_LOOK));
        return;
    }

    if (!taking->cpu) {
        ngx_http_olivine_taking_post(taking, ngx_http_olivine_taken_profile);
        return;
    }

    /* what other workers have comes a little later */

    if (!taking->stopped) {
        taking->stopped = 1;
        taking->end = ngx_current_msec;
        ngx_olivine_cpu_stop(taking->mount->cpu);

    } else if (left < -NGX_HTTP_OLIVINE_TAKING_STOP) {
        taking->rc = NGX_ERROR;
    }

    if (!ev->timer_set) {
        ngx_add_timer(ev, NGX_HTTP_OLIVINE_TAKING_LOOK);
    }
}


static void
ngx_http_olivine_taking_cpu(void *data, ngx_olivine_profile_t *profile)
{
    ngx_http_olivine_taking_t *taking = data;

    taking->cpu = 0;

    if (profile == NULL) {
        taking->rc = NGX_ERROR;
        return;
    }

    taking->profile = profile;

    ngx_http_olivine_taking_post(taking, ngx_http_olivine_taken_profile);
}


static void
ngx_http_olivine_taking_send(ngx_http_olivine_taking_t *taking)
{
    const char                 *name;
    ngx_pool_cleanup_t         *cln;
    ngx_http_olivine_answer_t  *answer;

    answer = taking->answer;

    if (answer == NULL) {
        ngx_http_olivine_taking_destroy(taking);
        return;
    }

    if (taking->rc != NGX_OK) {
        (void) ngx_http_olivine_refuse(answer,
            NGX_HTTP_INTERNAL_SERVER_ERROR,
            "500: there is no memory for the profile, or it is too large.");

    } else {
        cln = ngx_pool_cleanup_add(answer->request->pool, 0);

        if (cln) {
            cln->handler = free;
            cln->data = taking->out.data;

            ngx_http_olivine_lend(answer, taking->out.data, taking->out.len);
            taking->out.data = NULL;

        } else {
            answer->failed = 1;
        }

        if (taking->form == NGX_HTTP_OLIVINE_TAKING_PROTO
            && taking->kind->kind != NGX_OLIVINE_TAKING_SYMBOL)
        {
            name = taking->seconds ? taking->kind->delta : taking->kind->name;

            ngx_str_set(&answer->type, "application/octet-stream");
            answer->file.data = (u_char *) name;
            answer->file.len = ngx_strlen(name);
        }
    }

    ngx_http_olivine_taking_destroy(taking);

    ngx_http_olivine_answer_send(answer);
}


/* The client has left: nothing is waited for but the thread. */

static void
ngx_http_olivine_taking_gone(ngx_http_olivine_answer_t *answer)
{
    ngx_http_olivine_taking_t  *taking;

    taking = answer->data;
    taking->answer = NULL;

    if (!taking->busy) {
        ngx_http_olivine_taking_destroy(taking);
    }
}
