
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_accept.h"


#define NGX_OLIVINE_ACCEPT_PAUSE  1             /* milliseconds */


static void ngx_olivine_accept_count(ngx_olivine_mount_t *mount,
    ngx_uint_t *workers, ngx_uint_t *clients);
static void ngx_olivine_accept_pause(ngx_event_t *ev);
static void ngx_olivine_accept_resume(ngx_event_t *ev);


void
ngx_olivine_accept_share(ngx_olivine_mount_t *mount, ngx_listening_t *ls)
{
    ngx_uint_t    mine, workers, clients;
    ngx_event_t  *ev;

    mine = mount->worker->tx.slot->clients;

    ngx_olivine_accept_count(mount, &workers, &clients);

    if (mine * workers <= clients) {
        return;
    }

    /* nginx then queues its listening socket behind those of other workers */

    ngx_accept_disabled = 1;

    ev = &mount->accept;

    if (mine * workers <= clients + clients / 10 + 2 * workers
        || ngx_use_accept_mutex || mount->listening || ls->connection == NULL)
    {
        return;
    }

#if (NGX_HAVE_REUSEPORT)

    if (ls->reuseport) {
        return;
    }

#endif

    /* not now: nginx is still at work with that socket */

    mount->listening = ls->connection;

    ev->handler = ngx_olivine_accept_pause;
    ev->data = mount->bell;
    ev->log = ngx_cycle->log;
    ev->cancelable = 1;

    ngx_post_event(ev, &ngx_posted_events);
}


void
ngx_olivine_accept_done(ngx_olivine_mount_t *mount)
{
    if (mount->accept.posted) {
        ngx_delete_posted_event(&mount->accept);
    }

    if (mount->accept.timer_set) {
        ngx_del_timer(&mount->accept);
    }
}


static void
ngx_olivine_accept_count(ngx_olivine_mount_t *mount, ngx_uint_t *workers,
    ngx_uint_t *clients)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;

    zone = mount->zone;

    *workers = 0;
    *clients = 0;

    for (i = 0; i < zone->slots_high; i++) {
        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE
            && slot->cycle == mount->cycle)
        {
            *clients += slot->clients;
            (*workers)++;
        }
    }
}


static void
ngx_olivine_accept_pause(ngx_event_t *ev)
{
    ngx_event_t          *rev;
    ngx_connection_t     *c;
    ngx_olivine_mount_t  *mount;

    c = ev->data;
    mount = c->data;
    rev = mount->listening->read;

    if (mount->listening->fd == (ngx_socket_t) -1 || !rev->accept
        || !rev->active
        || ngx_del_event(rev, NGX_READ_EVENT, NGX_DISABLE_EVENT) != NGX_OK)
    {
        mount->listening = NULL;
        return;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_STREAM, ev->log, 0,
                   "olivine: not listening, clients:%ui",
                   mount->worker->nclients);

    ev->handler = ngx_olivine_accept_resume;

    ngx_add_timer(ev, NGX_OLIVINE_ACCEPT_PAUSE);
}


static void
ngx_olivine_accept_resume(ngx_event_t *ev)
{
    ngx_uint_t            flags;
    ngx_connection_t     *c, *lc;
    ngx_olivine_mount_t  *mount;

    c = ev->data;
    mount = c->data;
    lc = mount->listening;
    mount->listening = NULL;

    /* nginx may have closed it, or be listening again */

    if (ngx_exiting || lc->fd == (ngx_socket_t) -1 || !lc->read->accept
        || lc->read->active)
    {
        return;
    }

    flags = 0;

#if (NGX_HAVE_EPOLLEXCLUSIVE)

    if (ngx_use_exclusive_accept) {
        flags = NGX_EXCLUSIVE_EVENT;
    }

#endif

    if (ngx_add_event(lc->read, NGX_READ_EVENT, flags) != NGX_OK) {
        ngx_log_error(NGX_LOG_ALERT, ev->log, 0,
                      "olivine: cannot listen again");
    }
}
