
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_aof_switch.h"


/* milliseconds between attempts that fail */
#define NGX_OLIVINE_AOF_SWITCH_AGAIN  2000


static ngx_int_t ngx_olivine_aof_attach(ngx_olivine_tx_t *tx);
static void ngx_olivine_aof_off(ngx_olivine_tx_t *tx);
static ngx_uint_t ngx_olivine_aof_grown(ngx_olivine_zone_t *zone);


ngx_int_t
ngx_olivine_aof_resume(ngx_olivine_tx_t *tx, ngx_olivine_aof_found_t *found)
{
    ngx_int_t                 rc;
    ngx_olivine_aof_mark_t   *mark;
    ngx_olivine_aof_state_t  *st;

    st = &tx->zone->persist.aof;

    rc = ngx_olivine_aof_attach(tx);

    if (rc != NGX_OK) {
        return rc;
    }

    mark = &st->marks[st->mark & 1];
    mark->offset = tx->zone->ring.tail;
    mark->pos = found->pos;
    mark->seq = found->seq;

    st->begun++;
    st->durable = mark->offset;
    st->base_size = found->base_size;
    st->older_size = found->older_size;
    st->rewritten_size = found->base_size + found->older_size + found->pos;

    ngx_sprintf(st->dir, "%s%Z", found->dir);
    ngx_sprintf(st->name, "%s%Z", found->name);

    ngx_olivine_barrier();
    st->state = NGX_OLIVINE_AOF_ON;

    return NGX_OK;
}


void
ngx_olivine_aof_look(ngx_olivine_aof_t *aof, int64_t now)
{
    ngx_uint_t                 on;
    ngx_olivine_tx_t          *tx;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_aof_state_t   *st;
    ngx_olivine_save_state_t  *save;

    tx = ngx_olivine_aof_tx(aof);
    zone = tx->zone;
    st = &zone->persist.aof;
    save = &zone->persist.save;
    on = (zone->params.appendonly != 0);

    if ((save->what | save->wanted) & NGX_OLIVINE_SAVE_AOF) {
        return;
    }

    if (!on) {
        if (st->state != NGX_OLIVINE_AOF_OFF
            && ngx_olivine_lease_take(tx, &save->lease) == NGX_OK)
        {
            if (ngx_olivine_aof_finish(aof, now) == NGX_OK || st->error) {
                ngx_olivine_aof_off(tx);
            }

            ngx_olivine_lease_give(tx, &save->lease);
        }

        return;
    }

    if ((save->rewrite_status || st->distrust)
        && now - save->rewrite_at < NGX_OLIVINE_AOF_SWITCH_AGAIN)
    {
        return;
    }

    if (st->state != NGX_OLIVINE_AOF_ON || st->distrust
        || ngx_olivine_aof_grown(zone))
    {
        (void) __atomic_fetch_or(&save->wanted, NGX_OLIVINE_SAVE_AOF,
                                 __ATOMIC_ACQ_REL);
    }
}


static ngx_uint_t
ngx_olivine_aof_grown(ngx_olivine_zone_t *zone)
{
    uint64_t               size, base;
    ngx_olivine_params_t  *params;

    params = &zone->params;

    if (params->auto_aof_rewrite_percentage == 0) {
        return 0;
    }

    size = ngx_olivine_aof_size(zone);
    base = zone->persist.aof.rewritten_size;
    base = ngx_max(base, 1);

    return size > (uint64_t) params->auto_aof_rewrite_min_size
           && size > base
           && (double) (size - base) * 100 / base
              >= params->auto_aof_rewrite_percentage;
}


static ngx_int_t
ngx_olivine_aof_attach(ngx_olivine_tx_t *tx)
{
    ngx_int_t   rc;
    ngx_uint_t  n;

    for ( ;; ) {
        rc = ngx_olivine_ring_attach(tx, ngx_olivine_ring_size(tx->zone->limit),
                                     &n);

        if (rc == NGX_OK) {
            tx->zone->persist.aof.reader = n + 1;
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
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

    return rc;
}


/* Who holds replies back looks again in its tick. */

static void
ngx_olivine_aof_off(ngx_olivine_tx_t *tx)
{
    ngx_int_t                 rc;
    ngx_olivine_persist_t    *persist;

    persist = &tx->zone->persist;

    do {
        rc = ngx_olivine_ring_detach(tx, persist->aof.reader - 1);

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc == NGX_OK) {

            /* all shards are locked: nobody logs any more */

            persist->aof.state = NGX_OLIVINE_AOF_OFF;
            persist->aof.reader = 0;
            persist->aof.error = 0;
            persist->aof.distrust = 0;
            persist->aof.turn = 0;

        } else {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);

    } while (rc == NGX_AGAIN && ngx_olivine_tx_fetch(tx) == NGX_OK);

    ngx_olivine_tx_fetched(tx);

    if (rc == NGX_OK) {
        ngx_olivine_ring_release(tx);

        ngx_olivine_persist_allow(persist, NGX_OLIVINE_REFUSE_AOF);

        ngx_log_error(NGX_LOG_NOTICE, ngx_cycle->log, 0,
                      "olivine: the append-only file is off");
    }
}
