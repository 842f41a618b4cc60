
/*
 * Copyright (C) The Olivine authors
 *
 * A worker that is told to quit learns of it through the connection of its
 * doorbell, which nginx takes for an idle one and asks to close.  If there is
 * a generation that goes on (a newer one after a reload or an upgrade, the
 * older one when an upgrade is taken back), clients live on here; else they
 * get what they are owed and go.
 *
 * A newer one is announced in the zone before its workers are there.
 */


#include "module/ngx_olivine_accept.h"
#include "module/ngx_olivine_handler.h"
#include "module/ngx_olivine_level.h"
#include "module/ngx_olivine_ready.h"
#include "module/ngx_olivine_tick.h"
#include "module/ngx_olivine_process.h"


/* milliseconds: what a client has not taken by then, it will not get */
#define NGX_OLIVINE_PROCESS_QUIT   1000

/* ... without a worker of a newer generation */
#define NGX_OLIVINE_PROCESS_HEIRS  5000


static ngx_int_t ngx_olivine_process_watch(ngx_olivine_mount_t *mount);
static void ngx_olivine_process_ignore(ngx_olivine_mount_t *mount);
static void ngx_olivine_process_bell(ngx_event_t *rev);
static void ngx_olivine_process_quit(ngx_olivine_mount_t *mount);
static void ngx_olivine_process_leave(ngx_olivine_mount_t *mount);


ngx_int_t
ngx_olivine_process_start(ngx_cycle_t *cycle)
{
    ngx_uint_t                 i;
    ngx_olivine_conf_zone_t  **oz;
    ngx_olivine_main_conf_t   *omcf;

    if (ngx_process != NGX_PROCESS_WORKER
        && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    omcf = ngx_olivine_conf_main(cycle);

    if (omcf == NULL) {
        return NGX_OK;
    }

    oz = omcf->zones.elts;

    for (i = 0; i < omcf->zones.nelts; i++) {

        /*
         * The file's level is error_log's in the standalone; elsewhere it
         * counts only if it is given, or once CONFIG SET changed it.
         */

        oz[i]->mount->loglevel = oz[i]->params.loglevel;

        if (!ngx_olivine_standalone && ngx_olivine_conf_given(oz[i],
                                                              "loglevel"))
        {
            oz[i]->mount->loglevel = -1;
        }

        /* without a slot connections are refused, and it is tried again */

        (void) ngx_olivine_process_claim(oz[i]);
    }

    ngx_olivine_ready_worker();

    return NGX_OK;
}


void
ngx_olivine_process_stop(ngx_cycle_t *cycle)
{
    ngx_uint_t                 i;
    ngx_olivine_mount_t       *mount;
    ngx_olivine_conf_zone_t  **oz;
    ngx_olivine_main_conf_t   *omcf;

    omcf = ngx_olivine_conf_main(cycle);

    if (omcf == NULL) {
        return;
    }

    oz = omcf->zones.elts;

    for (i = 0; i < omcf->zones.nelts; i++) {
        mount = oz[i]->mount;

        if (mount == NULL || mount->worker == NULL) {
            continue;
        }

        ngx_olivine_handler_close_all(mount);
        ngx_olivine_tick_stop(mount);
        ngx_olivine_turn_done(&mount->turn);
        ngx_olivine_accept_done(mount);
        ngx_olivine_process_ignore(mount);

        if (mount->cpu) {
            ngx_olivine_cpu_destroy(mount->cpu);
            mount->cpu = NULL;
        }

        ngx_olivine_worker_done(mount->worker);

        ngx_free(mount->worker);
        mount->worker = NULL;
    }
}


ngx_int_t
ngx_olivine_process_claim(ngx_olivine_conf_zone_t *oz)
{
    ngx_int_t                 rc;
    ngx_log_t                *log;
    ngx_olivine_mount_t      *mount;
    ngx_olivine_worker_t     *worker;
    ngx_olivine_main_conf_t  *omcf;

    mount = oz->mount;

    if (mount->worker) {
        return NGX_OK;
    }

    log = ngx_cycle->log;
    mount->cycle = oz->cycle;

    worker = ngx_calloc(sizeof(ngx_olivine_worker_t), log);
    if (worker == NULL) {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_worker_init(worker, mount->zone, mount->fd, mount->cycle,
                                 &ngx_olivine_handler_host, log);
    if (rc != NGX_OK) {
        goto failed;
    }

    mount->worker = worker;
    worker->data = mount;
    worker->cx.renames = oz->renames;

    omcf = ngx_olivine_conf_main(ngx_cycle);
    worker->cx.stoppable = (omcf->shutdown == 1);

    if (ngx_olivine_process_watch(mount) != NGX_OK) {
        rc = NGX_ERROR;
        ngx_olivine_worker_done(worker);
        mount->worker = NULL;
        goto failed;
    }

    mount->cpu = ngx_olivine_cpu_create(&worker->tx, log);

    ngx_olivine_turn_init(&mount->turn, log, worker->tx.slot);
    ngx_olivine_tick_start(mount);

    mount->refused = 0;

    if (mount->loglevel != worker->params.loglevel) {
        ngx_olivine_level_set(mount);
    }

    ngx_log_debug3(NGX_LOG_DEBUG_STREAM, log, 0,
                   "olivine: zone \"%s\" slot:%uD cycle:%uD", mount->zone->name,
                   worker->tx.slot->number, mount->cycle);

    return NGX_OK;

failed:

    ngx_free(worker);

    if (rc == NGX_DECLINED) {
        (void) ngx_olivine_slot_crowd(mount->zone);
    }

    if (!mount->refused) {
        mount->refused = 1;

        ngx_log_error(NGX_LOG_ERR, log, 0, "olivine_zone \"%V\": clients are "
                      "refused here: %s", &oz->name,
                      rc == NGX_DECLINED ? "all slots are taken by other "
                                           "workers"
                                         : "no memory for a slot");
    }

    return NGX_DECLINED;
}


void
ngx_olivine_process_heirs(ngx_olivine_mount_t *mount)
{
    if (ngx_olivine_slot_heirs(mount->zone)) {
        mount->deadline = ngx_current_msec + NGX_OLIVINE_PROCESS_HEIRS;
        return;
    }

    /* one that died is replaced long before; one that quits is not */

    if (mount->zone->closing == mount->zone->cycle
        || (ngx_msec_int_t) (ngx_current_msec - mount->deadline) >= 0)
    {
        ngx_olivine_process_leave(mount);
    }
}


/*
 * The descriptor is shared with other workers, and never read: every ring is
 * an edge.  It is not ours to close.
 */

static ngx_int_t
ngx_olivine_process_watch(ngx_olivine_mount_t *mount)
{
    int                fd;
    ngx_connection_t  *c;

    fd = mount->zone->bells[mount->worker->tx.slot->number
                            % NGX_OLIVINE_ZONE_BELLS];

    c = ngx_get_connection(fd, ngx_cycle->log);
    if (c == NULL) {
        return NGX_ERROR;
    }

    c->data = mount;
    c->pool = ngx_cycle->pool;
    c->shared = 1;
    c->idle = 1;

    c->read->log = ngx_cycle->log;
    c->read->channel = 1;
    c->read->handler = ngx_olivine_process_bell;

    c->write->log = ngx_cycle->log;
    c->write->channel = 1;

    if (ngx_add_event(c->read, NGX_READ_EVENT, NGX_CLEAR_EVENT)
        == NGX_ERROR)
    {
        ngx_free_connection(c);
        c->fd = (ngx_socket_t) -1;
        return NGX_ERROR;
    }

    mount->bell = c;

    return NGX_OK;
}


static void
ngx_olivine_process_ignore(ngx_olivine_mount_t *mount)
{
    if (mount->bell) {
        (void) ngx_del_event(mount->bell->read, NGX_READ_EVENT, 0);

        ngx_close_connection(mount->bell);
        mount->bell = NULL;
    }
}


static void
ngx_olivine_process_bell(ngx_event_t *rev)
{
    ngx_connection_t     *c;
    ngx_olivine_mount_t  *mount;

    c = rev->data;
    mount = c->data;

    if (c->close) {
        c->close = 0;
        ngx_olivine_process_quit(mount);
        return;
    }

    rev->ready = 0;

    ngx_olivine_turn_begin(&mount->turn);
    ngx_olivine_worker_rung(mount->worker);

    if (mount->cpu) {
        ngx_olivine_cpu_look(mount->cpu, ngx_olivine_now());
    }

    if (mount->worker->leave && !mount->quitting) {
        ngx_olivine_process_leave(mount);
    }
}


static void
ngx_olivine_process_quit(ngx_olivine_mount_t *mount)
{
    uint32_t             newest;
    ngx_uint_t           keep;
    ngx_olivine_zone_t  *zone;

    zone = mount->zone;
    mount->worker->tx.slot->leaving = 1;

    newest = __atomic_load_n(&zone->cycle, __ATOMIC_ACQUIRE);

    keep = !mount->worker->ending
           && (ngx_olivine_slot_others(zone, mount->cycle)
               || ((int32_t) (newest - mount->cycle) > 0
                   && ngx_olivine_now() - zone->announced
                      < NGX_OLIVINE_PROCESS_HEIRS));

    ngx_log_error(NGX_LOG_INFO, ngx_cycle->log, 0,
                  "olivine_zone \"%s\": %s %ui clients", zone->name,
                  keep ? "keeping" : "closing", mount->worker->nclients);

    if (keep) {
        mount->deadline = ngx_current_msec + NGX_OLIVINE_PROCESS_HEIRS;
        return;
    }

    zone->closing = newest;

    ngx_olivine_process_leave(mount);
}


static void
ngx_olivine_process_leave(ngx_olivine_mount_t *mount)
{
    mount->quitting = 1;
    mount->deadline = ngx_current_msec + NGX_OLIVINE_PROCESS_QUIT;

    ngx_olivine_handler_quit(mount);
}
