
/*
 * Copyright (C) The Olivine authors
 *
 * What clients in MONITOR are told: lines of the commands that were run, kept
 * until the end of the batch or longer than a few, and then added to the ring
 * of the zone, before the replies to them are sent.
 *
 * Lines are written when a command is done, as its arguments may turn out to
 * be secrets, and outside of locks.  An argument in a run of the zone may then
 * be a value that somebody else removes, so it is copied before.
 */


#ifndef _NGX_OLIVINE_FEED_H_INCLUDED_
#define _NGX_OLIVINE_FEED_H_INCLUDED_


#include "mem/ngx_olivine_journal.h"
#include "resp/ngx_olivine_resp_parse.h"
#include "command/ngx_olivine_buffer.h"


typedef struct {
    ngx_olivine_buffer_t   lines;         /* each behind its length */
    ngx_olivine_buffer_t   runs;          /* copies, in order */
    size_t                 taken;         /* of them */

    unsigned               on:1;          /* somebody looks */
    unsigned               over:1;        /* a line cannot be kept */
    unsigned               large:1;       /* copies would be too large */
} ngx_olivine_feed_t;


/* A command, or one of a transaction, is about to be run. */
void ngx_olivine_feed_before(ngx_olivine_cx_t *cx, ngx_olivine_arg_t *argv,
    ngx_uint_t argc);

/* It was run, the caller being in that database now. */
void ngx_olivine_feed_note(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, ngx_olivine_arg_t *argv,
    ngx_uint_t argc, uint64_t redacted, uint32_t db);

/* What was copied is not needed any more. */
void ngx_olivine_feed_drop(ngx_olivine_feed_t *feed);

/* Others see what was noted. */
void ngx_olivine_feed_publish(ngx_olivine_cx_t *cx);

void ngx_olivine_feed_free(ngx_olivine_feed_t *feed);


#endif /* _NGX_OLIVINE_FEED_H_INCLUDED_ */
