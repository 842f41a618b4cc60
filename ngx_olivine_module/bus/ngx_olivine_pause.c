
/*
 * Copyright (C) The Olivine authors
 */


#include "bus/ngx_olivine_bus.h"


#define ngx_olivine_pause_what(word)   ((ngx_olivine_pause_e) ((word) & 3))
#define ngx_olivine_pause_until(word)  ((int64_t) ((word) >> 2))


void
ngx_olivine_pause_begin(ngx_olivine_zone_t *zone, ngx_olivine_pause_e what,
    int64_t until, int64_t now)
{
    int64_t              end;
    uint64_t             word, next;
    ngx_olivine_pause_e  old;

    word = __atomic_load_n(&zone->pause, __ATOMIC_ACQUIRE);

    do {
        old = ngx_olivine_pause_what(word);
        end = ngx_olivine_pause_until(word);

        if (end <= now) {
            old = NGX_OLIVINE_PAUSE_NONE;
            end = 0;
        }

        next = (uint64_t) ngx_max(until, end) << 2 | ngx_max(what, old);

    } while (!__atomic_compare_exchange_n(&zone->pause, &word, next, 0,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}


void
ngx_olivine_pause_end(ngx_olivine_zone_t *zone)
{
    __atomic_store_n(&zone->pause, 0, __ATOMIC_RELEASE);
}


ngx_olivine_pause_e
ngx_olivine_pause_look(ngx_olivine_zone_t *zone, int64_t now, int64_t *until)
{
    uint64_t  word;

    word = __atomic_load_n(&zone->pause, __ATOMIC_ACQUIRE);

    if (until) {
        *until = ngx_olivine_pause_until(word);
    }

    if (word == 0 || ngx_olivine_pause_until(word) > now) {
        return ngx_olivine_pause_what(word);
    }

    /* it is over: whoever sees that first makes the word cheap again */

    (void) __atomic_compare_exchange_n(&zone->pause, &word, 0, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);

    return NGX_OLIVINE_PAUSE_NONE;
}
