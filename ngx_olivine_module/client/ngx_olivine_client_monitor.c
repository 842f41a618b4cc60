
/*
 * Copyright (C) The Olivine authors
 */


#include "client/ngx_olivine_client_monitor.h"


/* bytes of replies that are not sent yet, above which no more is taken */
#define NGX_OLIVINE_CLIENT_MONITOR_AHEAD  (256 * 1024)


ngx_int_t
ngx_olivine_client_monitor(ngx_olivine_client_t *client)
{
    u_char                *p;
    uint32_t               len;
    ngx_int_t              rc;
    ngx_olivine_zone_t    *zone;
    ngx_olivine_reply_t   *r;
    ngx_olivine_caller_t  *caller;

    zone = client->worker->zone;
    caller = &client->caller;
    r = &client->reply;

    if (caller->reply_off) {
        caller->monitor_at = __atomic_load_n(&zone->monitor.tail,
                                             __ATOMIC_ACQUIRE);
        return NGX_OK;
    }

    for ( ;; ) {

        /* who does not read is to be noticed, too */

        rc = ngx_olivine_monitor_look(zone, caller->monitor_at, &len);

        if (rc == NGX_DECLINED) {
            return NGX_OK;
        }

        if (rc == NGX_ERROR) {
            break;
        }

        if (ngx_olivine_reply_size(r) >= NGX_OLIVINE_CLIENT_MONITOR_AHEAD) {
            return NGX_OK;
        }

        p = ngx_olivine_reply_room(r, len);
        if (p == NULL) {
            return NGX_ERROR;
        }

        rc = ngx_olivine_monitor_read(zone, &caller->monitor_at, p, len);

        if (rc != NGX_OK) {
            break;
        }

        r->pos = p + len;
    }

    client->worker->tx.slot->counters.output_limit++;

    ngx_log_error(NGX_LOG_INFO, client->worker->log, 0,
                  "olivine: client %uL in MONITOR fell behind by more than "
                  "there is room for, and is closed", caller->id);

    return NGX_ERROR;
}


void
ngx_olivine_client_monitors(ngx_olivine_client_t *client)
{
    if (client->caller.monitor == client->monitors) {
        return;
    }

    client->monitors = client->caller.monitor;

    if (client->monitors) {
        ngx_queue_insert_tail(&client->worker->monitors, &client->monitor);

    } else {
        ngx_queue_remove(&client->monitor);
    }
}


void
ngx_olivine_client_monitors_wake(ngx_olivine_worker_t *worker)
{
    ngx_queue_t           *q;
    ngx_olivine_client_t  *client;

    for (q = ngx_queue_head(&worker->monitors);
         q != ngx_queue_sentinel(&worker->monitors);
         q = ngx_queue_next(q))
    {
        client = ngx_queue_data(q, ngx_olivine_client_t, monitor);

        if (client->caller.monitor_at != worker->zone->monitor.tail) {
            worker->host->wake(client);
        }
    }
}
