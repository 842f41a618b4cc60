
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_handler.h"
#include "module/ngx_olivine_level.h"
#include "module/ngx_olivine_process.h"
#include "module/ngx_olivine_tick.h"


#define NGX_OLIVINE_TICK_STEP  50               /* milliseconds */


static void ngx_olivine_tick_handler(ngx_event_t *ev);
static void ngx_olivine_tick_flush(ngx_event_t *ev);


void
ngx_olivine_tick_start(ngx_olivine_mount_t *mount)
{
    ngx_event_t  *ev;

    ev = &mount->tick;

    ev->handler = ngx_olivine_tick_handler;
    ev->data = mount->bell;
    ev->log = ngx_cycle->log;
    ev->cancelable = 1;

    ngx_add_timer(ev, 1);

    mount->flush.handler = ngx_olivine_tick_flush;
    mount->flush.data = mount;
    mount->flush.log = ngx_cycle->log;
}


void
ngx_olivine_tick_stop(ngx_olivine_mount_t *mount)
{
    if (mount->tick.timer_set) {
        ngx_del_timer(&mount->tick);
    }

    if (mount->tick.posted) {
        ngx_delete_posted_event(&mount->tick);
    }

    if (mount->flush.posted) {
        ngx_delete_posted_event(&mount->flush);
    }
}


static void
ngx_olivine_tick_flush(ngx_event_t *ev)
{
    ngx_olivine_mount_t *mount = ev->data;

    ngx_olivine_worker_flush(mount->worker);
}


static void
ngx_olivine_tick_handler(ngx_event_t *ev)
{
    int64_t                now;
    ngx_msec_t             ms;
    ngx_connection_t      *c;
    ngx_olivine_mount_t   *mount;
    ngx_olivine_worker_t  *worker;

    c = ev->data;
    mount = c->data;
    worker = mount->worker;

    ngx_olivine_turn_begin(&mount->turn);
    ngx_olivine_tick_stop(mount);

    now = ngx_olivine_now();
    ms = ngx_olivine_worker_tick(worker, now);

    if (mount->cpu) {
        ngx_olivine_cpu_look(mount->cpu, now);
    }

    if (mount->loglevel != worker->params.loglevel) {
        ngx_olivine_level_set(mount);
    }

    if (ngx_exiting && !mount->quitting) {
        ngx_olivine_process_heirs(mount);
    }

    if (mount->quitting && worker->nclients) {
        ms = ngx_min(ms, NGX_OLIVINE_TICK_STEP);

        if ((ngx_msec_int_t) (ngx_current_msec - mount->deadline) >= 0) {
            ngx_olivine_handler_abort(mount);
        }
    }

    if (ms == 0) {

        /*
         * In the next pass of the loop: a timer that is due at once would be
         * run again in this one.
         */

        ngx_post_event(ev, &ngx_posted_next_events);
        ms = NGX_OLIVINE_TICK_STEP;
    }

    ngx_add_timer(ev, ms);
}
