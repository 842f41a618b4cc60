
/*
 * Copyright (C) The Olivine authors
 *
 * SAVE, BGSAVE [SCHEDULE], BGREWRITEAOF, LASTSAVE
 *
 * A snapshot is written beside the event loop, by any worker: what is wanted
 * is a bit in the zone, and the next tick of any of them takes it.  SAVE is
 * the same, only that its client waits for the end.
 */


#include "command/ngx_olivine_cmd.h"


/* milliseconds between SAVE's looks */
#define NGX_OLIVINE_SAVE_LOOK  20


static void ngx_olivine_save_want(ngx_olivine_cx_t *cx, uint32_t what);
static void ngx_olivine_save_free(void *data);


ngx_int_t
ngx_olivine_cmd_bgsave(ngx_olivine_cx_t *cx)
{
    ngx_uint_t                 schedule;
    ngx_olivine_save_state_t  *save;

    save = &cx->zone->persist.save;
    schedule = 0;

    if (cx->argc > 1) {
        if (cx->argc != 2 || !ngx_olivine_cx_is(cx, 1, "schedule")) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        schedule = 1;
    }

    if (save->what & NGX_OLIVINE_SAVE_RDB
        || (save->wanted & NGX_OLIVINE_SAVE_RDB && !cx->nested))
    {
        return ngx_olivine_cx_error(cx, "ERR Background save already in "
                                    "progress");
    }

    if (cx->nested || (save->what | save->wanted) & NGX_OLIVINE_SAVE_AOF) {

        if (!schedule && !cx->nested) {
            return ngx_olivine_cx_error(cx, "ERR Another child process is "
                                 "active (AOF?): can't BGSAVE right now. Use "
                                 "BGSAVE SCHEDULE in order to schedule a "
                                 "BGSAVE whenever possible.");
        }

        ngx_olivine_save_want(cx, NGX_OLIVINE_SAVE_RDB);

        return ngx_olivine_reply_literal(cx->reply,
                            "+Background saving scheduled" CRLF);
    }

    ngx_olivine_save_want(cx, NGX_OLIVINE_SAVE_RDB);

    return ngx_olivine_reply_literal(cx->reply,
                            "+Background saving started" CRLF);
}


ngx_int_t
ngx_olivine_cmd_bgrewriteaof(ngx_olivine_cx_t *cx)
{
    ngx_olivine_save_state_t  *save;

    save = &cx->zone->persist.save;

    if (save->what & NGX_OLIVINE_SAVE_AOF
        || (save->wanted & NGX_OLIVINE_SAVE_AOF && !cx->nested))
    {
        return ngx_olivine_cx_error(cx, "ERR Background append only file "
                                    "rewriting already in progress");
    }

    if (cx->nested || (save->what | save->wanted) & NGX_OLIVINE_SAVE_RDB) {
        ngx_olivine_save_want(cx, NGX_OLIVINE_SAVE_AOF);

        return ngx_olivine_reply_literal(cx->reply,
                            "+Background append only file rewriting scheduled" CRLF);
    }

    ngx_olivine_save_want(cx, NGX_OLIVINE_SAVE_AOF);

    return ngx_olivine_reply_literal(cx->reply,
                            "+Background append only file rewriting started" CRLF);
}


ngx_int_t
ngx_olivine_cmd_save(ngx_olivine_cx_t *cx)
{
    ngx_int_t                   rc;
    ngx_olivine_save_state_t   *save;

    save = &cx->zone->persist.save;

    if (cx->caller->later == NULL
        && ((save->what | save->wanted) & NGX_OLIVINE_SAVE_RDB))
    {
        return ngx_olivine_cx_error(cx, "ERR Background save already in "
                                    "progress");
    }

    rc = ngx_olivine_cmd_save_wait(cx);

    if (rc == NGX_DECLINED) {
        return ngx_olivine_cx_error(cx, "ERR");
    }

    return rc == NGX_OK ? ngx_olivine_reply_ok(cx->reply) : rc;
}


/* The number of the attempt that it waits for is kept between the looks. */

ngx_int_t
ngx_olivine_cmd_save_wait(ngx_olivine_cx_t *cx)
{
    uint64_t                   *attempt, next;
    ngx_olivine_save_state_t   *save;

    save = &cx->zone->persist.save;
    attempt = cx->caller->later;

    if (attempt == NULL) {

        /* one that is under way is of an instant before */

        next = save->attempts + 1
               + ((save->what & NGX_OLIVINE_SAVE_RDB) != 0);

        ngx_olivine_save_want(cx, NGX_OLIVINE_SAVE_RDB);

    } else if (save->attempts >= *attempt) {

        ngx_olivine_cx_later_free(cx->caller);

        return save->status ? NGX_DECLINED : NGX_OK;

    } else {
        next = *attempt;
    }

    cx->park = NGX_OLIVINE_PARK_TIMER;
    cx->until = cx->now + NGX_OLIVINE_SAVE_LOOK;

    return ngx_olivine_cx_later(cx, &next, sizeof(uint64_t),
                                ngx_olivine_save_free);
}


ngx_int_t
ngx_olivine_cmd_lastsave(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_integer(cx->reply,
                                     cx->zone->persist.save.saved_at);
}


static void
ngx_olivine_save_want(ngx_olivine_cx_t *cx, uint32_t what)
{
    (void) __atomic_fetch_or(&cx->zone->persist.save.wanted, what,
                             __ATOMIC_ACQ_REL);

    ngx_olivine_slot_ring(cx->zone, cx->tx->slot->number,
                          NGX_OLIVINE_HINT_SAVE);
}


static void
ngx_olivine_save_free(void *data)
{
}
