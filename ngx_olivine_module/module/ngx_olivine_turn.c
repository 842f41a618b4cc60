
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_turn.h"


#define NGX_OLIVINE_TURN_STAMP  100000      /* nanoseconds */


static void ngx_olivine_turn_end(ngx_event_t *ev);
static uint64_t ngx_olivine_turn_clock(clockid_t id);


void
ngx_olivine_turn_init(ngx_olivine_turn_t *turn, ngx_log_t *log,
    ngx_olivine_slot_t *slot)
{
    turn->slot = slot;
    turn->stamped = 0;
    turn->end.handler = ngx_olivine_turn_end;
    turn->end.data = turn;
    turn->end.log = log;
}


void
ngx_olivine_turn_done(ngx_olivine_turn_t *turn)
{
    if (turn->end.posted) {
        ngx_delete_posted_event(&turn->end);
    }
}


void
ngx_olivine_turn_start(ngx_olivine_turn_t *turn)
{
    turn->begin = ngx_olivine_turn_clock(CLOCK_MONOTONIC);

    if (turn->begin - turn->stamped > NGX_OLIVINE_TURN_STAMP) {
        turn->cpu = ngx_olivine_turn_clock(CLOCK_THREAD_CPUTIME_ID);
        turn->stamped = turn->begin;
    }

    turn->put_off = 0;

    ngx_post_event(&turn->end, &ngx_posted_events);
}


static void
ngx_olivine_turn_end(ngx_event_t *ev)
{
    uint64_t             now, wall, cpu;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_turn_t  *turn;

    turn = ev->data;
    slot = turn->slot;

    /* once behind what is posted already; another of us may be there, too */

    if (!turn->put_off && !ngx_queue_empty(&ngx_posted_events)) {
        turn->put_off = 1;
        ngx_post_event(ev, &ngx_posted_events);
        return;
    }

    now = ngx_olivine_turn_clock(CLOCK_MONOTONIC);
    wall = now - turn->begin;

    slot->counters.turns++;
    slot->counters.turns_ns += wall;

    if (wall / 1000 <= slot->longest_turn) {
        return;
    }

    cpu = ngx_olivine_turn_clock(CLOCK_THREAD_CPUTIME_ID);
    wall = ngx_min(wall, cpu - turn->cpu);

    turn->cpu = cpu;
    turn->stamped = now;

    if (wall / 1000 > slot->longest_turn) {
        slot->longest_turn = wall / 1000;
    }
}


static uint64_t
ngx_olivine_turn_clock(clockid_t id)
{
    struct timespec  ts;

    (void) clock_gettime(id, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}
