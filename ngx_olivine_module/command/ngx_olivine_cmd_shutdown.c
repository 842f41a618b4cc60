
/*
 * Copyright (C) The Olivine authors
 *
 * SHUTDOWN [NOSAVE | SAVE] [NOW] [FORCE] [ABORT]
 *
 * If a snapshot is to be written that is done first, as SAVE does it, and if
 * it fails the server goes on, unless FORCE is given.  Then the client is
 * parked for ever, and all workers are told; the last process saves what was
 * changed meanwhile.  There are no replicas to wait for: NOW changes nothing,
 * and there is nothing to abort.
 */


#include "command/ngx_olivine_cmd.h"


ngx_int_t
ngx_olivine_cmd_shutdown(ngx_olivine_cx_t *cx)
{
    ngx_int_t   rc;
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

    if (save || (!nosave && cx->zone->params.save.n)) {

        rc = ngx_olivine_cmd_save_wait(cx);

        if (rc == NGX_AGAIN) {
            return NGX_AGAIN;
        }

        if (rc != NGX_OK && !force) {
            return ngx_olivine_cx_error(cx, "ERR Errors trying to SHUTDOWN. "
                                        "Check logs.");
        }
    }

    cx->zone->persist.final = save ? NGX_OLIVINE_FINAL_SAVE
                              : nosave ? NGX_OLIVINE_FINAL_NOSAVE : 0;
    cx->park = NGX_OLIVINE_PARK_SHUTDOWN;

    return NGX_AGAIN;
}
