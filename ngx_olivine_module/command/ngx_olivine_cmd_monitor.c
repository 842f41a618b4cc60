
/*
 * Copyright (C) The Olivine authors
 *
 * MONITOR: the client sees what all clients do.
 */


#include "command/ngx_olivine_cmd.h"


ngx_int_t
ngx_olivine_cmd_monitor(ngx_olivine_cx_t *cx)
{
    ngx_olivine_caller_t  *caller;

    caller = cx->caller;

    if (cx->nested) {
        return ngx_olivine_cx_error(cx, "ERR MONITOR isn't allowed for DENY "
                                    "BLOCKING client");
    }

    if (caller->monitor) {
        return NGX_OK;                 /* without a word, as in Redis */
    }

    if (ngx_olivine_monitor_join(cx->tx, &caller->monitor_at) != NGX_OK) {
        cx->park = NGX_OLIVINE_PARK_TIMER;
        cx->until = cx->now + 1;
        return NGX_AGAIN;
    }

    caller->monitor = 1;
    cx->feed.on = 1;
    cx->tell |= NGX_OLIVINE_TELL_MONITORS;

    return ngx_olivine_reply_ok(cx->reply);
}
