
/*
 * Copyright (C) The Olivine authors
 *
 * How long the event loop is held up, in CPU time.
 *
 * A turn begins with the first of our handlers in a pass of the loop and
 * ends when the pass does.  Its CPU time is no more than its wall time, which
 * costs 25 ns to read, so the clock of the thread (a system call, 190 ns) is
 * read only when the wall says that there may be a new maximum, and else
 * every 100 us, for a stamp from which to count.  What is reported is at most
 * those 100 us too high, and only if the kernel took the core away.
 */


#ifndef _NGX_OLIVINE_TURN_H_INCLUDED_
#define _NGX_OLIVINE_TURN_H_INCLUDED_


#include "mem/ngx_olivine_slot.h"

#include <ngx_event.h>


typedef struct {
    uint64_t                begin;       /* nanoseconds, monotonic */
    uint64_t                stamped;     /* when "cpu" was read */
    uint64_t                cpu;
    ngx_olivine_slot_t     *slot;        /* where they are counted */
    ngx_event_t             end;
    unsigned                put_off:1;
} ngx_olivine_turn_t;


void ngx_olivine_turn_init(ngx_olivine_turn_t *turn, ngx_log_t *log,
    ngx_olivine_slot_t *slot);
void ngx_olivine_turn_done(ngx_olivine_turn_t *turn);

void ngx_olivine_turn_start(ngx_olivine_turn_t *turn);


/* At the top of each handler. */

static ngx_inline void
ngx_olivine_turn_begin(ngx_olivine_turn_t *turn)
{
    if (!turn->end.posted) {
        ngx_olivine_turn_start(turn);
    }
}


#endif /* _NGX_OLIVINE_TURN_H_INCLUDED_ */
