
/*
 * Copyright (C) The Olivine authors
 *
 * SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]
 *
 * What it does is the host's: here the client is parked for ever, and all
 * workers are told.  Nothing is written to disk, so there is nothing to wait
 * for or to abort, NOW changes nothing, and SAVE is a save that fails: FORCE
 * passes over that, as it does in Redis.
 */


#include "command/ngx_olivine_cmd.h"


ngx_int_t
ngx_olivine_cmd_shutdown(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  i, save, nosave, now, force, abort;

    save = 0;
    nosave = 0;
    now = 0;
    force = 0;
    abort = 0;

    for (i = 1; i < cx->argc; i++) {

        if (ngx_olivine_cx_is(cx, i, "nosave")) {
            nosave = 1;

        } else if (ngx_olivine_cx_is(cx, i, "save")) {
            save = 1;

        } else if (ngx_olivine_cx_is(cx, i, "now")) {
            now = 1;

        } else if (ngx_olivine_cx_is(cx, i, "force")) {
            force = 1;

        } else if (ngx_olivine_cx_is(cx, i, "abort")) {
            abort = 1;

        } else {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }
    }

    if ((save && nosave) || (abort && (save | nosave | now | force))) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    if (abort) {
        return ngx_olivine_cx_error(cx, "ERR No shutdown in progress.");
    }

    if (!cx->stoppable) {
        return ngx_olivine_cx_error(cx, "ERR SHUTDOWN is not allowed here: "
                                    "this server is a part of nginx. Use "
                                    "\"nginx -s quit\", or set "
                                    "\"olivine_shutdown on\".");
    }

    if (save && !force) {
        return ngx_olivine_cx_error(cx, "ERR Errors trying to SHUTDOWN. Check "
                                    "logs.");
    }

    cx->park = NGX_OLIVINE_PARK_SHUTDOWN;

    return NGX_AGAIN;
}
