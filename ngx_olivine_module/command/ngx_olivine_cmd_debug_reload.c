
/*
 * Copyright (C) The Olivine authors
 *
 * DEBUG RELOAD [NOSAVE] [NOFLUSH] [MERGE], DEBUG LOADAOF: as a start loads,
 * while the server runs.  What the log or the last snapshot has takes the
 * place of what is there; meanwhile all others are answered with -LOADING.
 */


#include "command/ngx_olivine_cmd_debug.h"
#include "log/ngx_olivine_aof.h"


/* milliseconds between looks */
#define NGX_OLIVINE_RELOAD_LOOK  5


static ngx_int_t ngx_olivine_reload_begin(ngx_olivine_cx_t *cx,
    ngx_olivine_loads_e what, ngx_uint_t flush);
static ngx_int_t ngx_olivine_reload_wait(ngx_olivine_cx_t *cx);
static void ngx_olivine_reload_free(void *data);


ngx_int_t
ngx_olivine_debug_reload(ngx_olivine_cx_t *cx)
{
    ngx_int_t   rc;
    ngx_uint_t  i, save, flush;

    save = 1;
    flush = 1;

    for (i = 2; i < cx->argc; i++) {

        if (ngx_olivine_cx_is(cx, i, "nosave")) {
            save = 0;

        } else if (ngx_olivine_cx_is(cx, i, "noflush")) {
            flush = 0;

        } else if (!ngx_olivine_cx_is(cx, i, "merge")) {
            return ngx_olivine_cx_error(cx, "ERR DEBUG RELOAD only supports "
                                        "the MERGE, NOFLUSH and NOSAVE "
                                        "options.");
        }
    }

    /* one that has begun to load has a free that is its own */

    if (cx->caller->later
        && cx->caller->later_free == ngx_olivine_reload_free)
    {
        return ngx_olivine_reload_wait(cx);
    }

    if (save) {
        rc = ngx_olivine_cmd_save_wait(cx);

        if (rc == NGX_DECLINED) {
            return ngx_olivine_cx_error(cx, "ERR Error trying to load the RDB "
                                        "dump, check server logs");
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return ngx_olivine_reload_begin(cx, NGX_OLIVINE_LOADS_RDB, flush);
}


ngx_int_t
ngx_olivine_debug_loadaof(ngx_olivine_cx_t *cx)
{
    ngx_olivine_aof_state_t  *st;

    if (cx->caller->later) {
        return ngx_olivine_reload_wait(cx);
    }

    st = &cx->zone->persist.aof;

    /* all that was done until now is to be there */

    if (st->state != NGX_OLIVINE_AOF_OFF
        && (st->state != NGX_OLIVINE_AOF_ON
            || ngx_olivine_aof_written(cx->zone)->offset
               != cx->zone->ring.tail))
    {
        cx->park = NGX_OLIVINE_PARK_TIMER;
        cx->until = cx->now + NGX_OLIVINE_RELOAD_LOOK;
        return NGX_AGAIN;
    }

    return ngx_olivine_reload_begin(cx, NGX_OLIVINE_LOADS_AOF, 1);
}


static ngx_int_t
ngx_olivine_reload_begin(ngx_olivine_cx_t *cx, ngx_olivine_loads_e what,
    ngx_uint_t flush)
{
    ngx_olivine_loading_t  *loading;

    loading = &cx->zone->persist.loading;

    if (loading->state != NGX_OLIVINE_LOADING_NOT) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_LOADING);
    }

    loading->what = what;
    loading->since = cx->now;

    ngx_olivine_persist_refuse(&cx->zone->persist, NGX_OLIVINE_REFUSE_LOADING);

    /* a loader that finds it begun empties the store first */

    loading->state = flush ? NGX_OLIVINE_LOADING_NOW : NGX_OLIVINE_LOADING_DUE;

    ngx_olivine_slot_ring(cx->zone, cx->tx->slot->number,
                          NGX_OLIVINE_HINT_SAVE);

    return ngx_olivine_reload_wait(cx);
}


static ngx_int_t
ngx_olivine_reload_wait(ngx_olivine_cx_t *cx)
{
    uint64_t                nothing;
    ngx_olivine_loading_t  *loading;

    loading = &cx->zone->persist.loading;

    if (loading->state == NGX_OLIVINE_LOADING_FAILED) {
        ngx_olivine_cx_later_free(cx->caller);

        return ngx_olivine_cx_error(cx, "ERR Error trying to load the RDB "
                                    "dump, check server logs");
    }

    if (loading->state == NGX_OLIVINE_LOADING_NOT) {
        ngx_olivine_cx_later_free(cx->caller);

        return ngx_olivine_reply_ok(cx->reply);
    }

    nothing = 0;

    cx->park = NGX_OLIVINE_PARK_TIMER;
    cx->until = cx->now + NGX_OLIVINE_RELOAD_LOOK;

    return ngx_olivine_cx_later(cx, &nothing, sizeof(uint64_t),
                                ngx_olivine_reload_free);
}


static void
ngx_olivine_reload_free(void *data)
{
}
