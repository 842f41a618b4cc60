
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_huge.h"

#include <sys/mman.h>


#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE  25
#endif


/* a zone with less in use has no trouble with the TLB; pages */
#define NGX_OLIVINE_HUGE_LEAST  2048


static ngx_uint_t ngx_olivine_huge_backed(ngx_olivine_huge_t *huge, size_t n);


ngx_int_t
ngx_olivine_huge_init(ngx_olivine_huge_t *huge, ngx_olivine_zone_t *zone)
{
    huge->zone = zone;
    huge->next = 0;
    huge->made = 0;
    huge->chunks = zone->reserve / NGX_OLIVINE_HUGE;

    huge->done = ngx_calloc((huge->chunks + 63) / 64 * 8, ngx_cycle->log);

    return huge->done ? NGX_OK : NGX_ERROR;
}


void
ngx_olivine_huge_free(ngx_olivine_huge_t *huge)
{
    ngx_free(huge->done);
    huge->done = NULL;
}


ngx_int_t
ngx_olivine_huge_next(ngx_olivine_huge_t *huge)
{
    size_t               n, first, last;
    ngx_olivine_heap_t  *heap;

    heap = &huge->zone->heap;

    if (heap->used < NGX_OLIVINE_HUGE_LEAST) {
        return NGX_DECLINED;
    }

    /* the heap grows from its beginning on, and has few holes */

    first = heap->first / (NGX_OLIVINE_HUGE / NGX_OLIVINE_PAGE) + 1;
    last = first + heap->backed / (NGX_OLIVINE_HUGE / NGX_OLIVINE_PAGE) * 5 / 4
           + 1;
    last = ngx_min(last, huge->chunks);

    for (n = ngx_max(huge->next, first); n < last; n++) {

        if ((huge->done[n / 64] >> (n % 64) & 1)
            || !ngx_olivine_huge_backed(huge, n))
        {
            continue;
        }

        huge->done[n / 64] |= (uint64_t) 1 << (n % 64);
        huge->next = n + 1;

        if (madvise(huge->zone->base + n * NGX_OLIVINE_HUGE, NGX_OLIVINE_HUGE,
                    MADV_COLLAPSE) == 0)
        {
            huge->made++;
            return NGX_OK;
        }

        /* EINVAL: an old kernel, or one built without */

        return errno == EINVAL ? NGX_ERROR : NGX_DECLINED;
    }

    huge->next = 0;

    return NGX_DECLINED;
}


/* 1 if the file has no hole there. */

static ngx_uint_t
ngx_olivine_huge_backed(ngx_olivine_huge_t *huge, size_t n)
{
    u_char      there[NGX_OLIVINE_HUGE / NGX_OLIVINE_PAGE];
    ngx_uint_t  i;

    /* SEEK_HOLE would look on to the next hole, wherever it is */

    if (mincore(huge->zone->base + n * NGX_OLIVINE_HUGE, NGX_OLIVINE_HUGE,
                there)
        == -1)
    {
        return 0;
    }

    for (i = 0; i < sizeof(there); i++) {
        if (!(there[i] & 1)) {
            return 0;
        }
    }

    return 1;
}
