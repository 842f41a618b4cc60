
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"

#include <fcntl.h>
#include <sys/mman.h>


/* the journal that one call can need */
#define NGX_OLIVINE_HEAP_ROOM    1024

/* runs looked at in a bin whose runs may be too small */
#define NGX_OLIVINE_HEAP_SEARCH  16

/* descriptors backed at a time */
#define NGX_OLIVINE_HEAP_DESCRIBE  4096

/* how often way is made for one command when the zone is full */
#define NGX_OLIVINE_HEAP_WAYS    16

#define ngx_olivine_heap_list(kind)  ((kind) == NGX_OLIVINE_PAGE_VOID)


static ngx_uint_t ngx_olivine_heap_bin(size_t n);
static uint32_t ngx_olivine_heap_find(ngx_olivine_zone_t *zone, size_t n,
    ngx_olivine_page_e kind);
static void ngx_olivine_heap_link(ngx_olivine_tx_t *tx, uint32_t page,
    size_t n, ngx_olivine_page_e kind);
static void ngx_olivine_heap_unlink(ngx_olivine_tx_t *tx, uint32_t page);
static void ngx_olivine_heap_take(ngx_olivine_tx_t *tx, uint32_t page,
    size_t n, ngx_olivine_page_e kind, ngx_uint_t shard);
static void ngx_olivine_heap_put(ngx_olivine_tx_t *tx, uint32_t page,
    ngx_olivine_page_e kind);
static ngx_int_t ngx_olivine_heap_make_way(ngx_olivine_tx_t *tx, size_t n);
static ngx_int_t ngx_olivine_heap_describe(ngx_olivine_tx_t *tx,
    uint32_t page);
static ngx_int_t ngx_olivine_heap_land(ngx_olivine_tx_t *tx,
    ngx_olivine_slot_t *slot, ngx_olivine_page_e kind);


void
ngx_olivine_heap_init(ngx_olivine_zone_t *zone, uint32_t first, uint32_t last,
    uint32_t described, uint64_t limit)
{
    ngx_uint_t           bin;
    ngx_olivine_page_t  *p;
    ngx_olivine_heap_t  *heap;

    heap = &zone->heap;

    heap->first = first;
    heap->last = last;
    heap->described = described;
    heap->limit = limit;

    /* one run, a hole from end to end */

    p = &zone->pages[first];
    p->kind = NGX_OLIVINE_PAGE_VOID;
    p->pages = last - first;

    zone->pages[last - 1] = *p;

    bin = ngx_olivine_heap_bin(last - first);
    heap->bins[1][bin] = first;
    heap->map[1][bin / 64] |= (uint64_t) 1 << (bin % 64);
}


ngx_int_t
ngx_olivine_heap_alloc(ngx_olivine_tx_t *tx, size_t n,
    ngx_olivine_page_e kind, ngx_uint_t shard, uint32_t *page)
{
    uint32_t             run;
    uint64_t             limit;
    ngx_int_t            rc;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_HEAP_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    limit = heap->limit;

    if (!tx->reserve) {
        limit -= limit / 100;
    }

    if (n > limit || heap->used > limit - n) {
        return NGX_ERROR;
    }

    run = ngx_olivine_heap_find(tx->zone, n, NGX_OLIVINE_PAGE_FREE);

    if (run == 0) {
        if (tx->full) {
            return NGX_ERROR;
        }

        tx->want_pages = n;
        return NGX_AGAIN;
    }

    ngx_olivine_heap_take(tx, run, n, kind, shard);
    ngx_olivine_tx_set64(tx, &heap->used, heap->used + n);

    ngx_olivine_poison_taken(tx, ngx_olivine_zone_page(tx->zone, run),
                             n << NGX_OLIVINE_PAGE_SHIFT);

    /* cells are the arena's to draw; a receipt is a value's if it gets one */

    if (kind != NGX_OLIVINE_PAGE_ARENA && kind != NGX_OLIVINE_PAGE_RECEIPT) {
        ngx_olivine_sample_pages(tx, run, n, kind);
    }

    *page = run;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_heap_release(ngx_olivine_tx_t *tx, uint32_t page)
{
    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_tx_free(tx, ngx_olivine_zone_page(tx->zone, page), 0);
}


ngx_int_t
ngx_olivine_heap_release_now(ngx_olivine_tx_t *tx, uint32_t page)
{
    size_t               n;
    ngx_int_t            rc;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;

    if (ngx_olivine_page_sample(&tx->zone->pages[page])) {
        rc = ngx_olivine_sample_free(tx, page, 0);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_HEAP_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    n = tx->zone->pages[page].pages;

    ngx_olivine_heap_put(tx, page, NGX_OLIVINE_PAGE_FREE);
    ngx_olivine_tx_set64(tx, &heap->used, heap->used - n);

    ngx_olivine_poison_freed(tx, ngx_olivine_zone_page(tx->zone, page),
                             n << NGX_OLIVINE_PAGE_SHIFT);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_heap_cut(ngx_olivine_tx_t *tx, uint32_t page, size_t n)
{
    size_t               rest;
    ngx_int_t            rc;
    ngx_olivine_page_t   tail, *p;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;
    p = &tx->zone->pages[page];

    if (n >= p->pages) {
        return NGX_OK;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_HEAP_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    rest = p->pages - n;

    ngx_olivine_tx_set32(tx, &p->pages, n);

    if (n > 1) {
        tail = *p;
        tail.kind = NGX_OLIVINE_PAGE_INNER;
        tail.pages = n - 1;
        ngx_olivine_tx_set(tx, &p[n - 1], &tail, sizeof(ngx_olivine_page_t));
    }

    tail = *p;
    tail.pages = rest;
    ngx_olivine_tx_set(tx, &p[n], &tail, sizeof(ngx_olivine_page_t));

    ngx_olivine_heap_put(tx, page + n, NGX_OLIVINE_PAGE_FREE);
    ngx_olivine_tx_set64(tx, &heap->used, heap->used - rest);

    ngx_olivine_poison_freed(tx, ngx_olivine_zone_page(tx->zone, page + n),
                             rest << NGX_OLIVINE_PAGE_SHIFT);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_heap_grow(ngx_olivine_tx_t *tx, size_t n)
{
    size_t               step, last;
    uint32_t             page;
    ngx_int_t            rc;
    ngx_olivine_zone_t  *zone;
    ngx_olivine_heap_t  *heap;

    zone = tx->zone;
    heap = &zone->heap;

    for ( ;; ) {
        rc = ngx_olivine_heap_make_way(tx, n);
        if (rc != NGX_OK) {
            return rc;
        }

        if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
            return NGX_AGAIN;
        }

        step = ngx_max(n, NGX_OLIVINE_HEAP_STEP);

        if (heap->backed + step > heap->limit) {
            step = n;
        }

        page = ngx_olivine_heap_find(zone, step, NGX_OLIVINE_PAGE_VOID);

        if (page == 0 && step > n) {
            step = n;
            page = ngx_olivine_heap_find(zone, step, NGX_OLIVINE_PAGE_VOID);
        }

        if (page == 0) {
            ngx_olivine_tx_unlock(tx);

            /* what is free joins the holes beside it */

            rc = ngx_olivine_heap_trim(tx, 0);

            if (rc != NGX_OK) {
                return rc == NGX_AGAIN ? NGX_AGAIN : NGX_ERROR;
            }

            continue;
        }

        if (heap->backed + step > heap->limit) {
            ngx_olivine_tx_unlock(tx);
            continue;
        }

        /* the page behind the run is looked at, too, if there is one */

        last = ngx_min(page + step + 1, heap->last);

        if (last <= heap->described) {
            break;
        }

        ngx_olivine_tx_unlock(tx);

        if (ngx_olivine_heap_describe(tx, last) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_olivine_heap_take(tx, page, step, NGX_OLIVINE_PAGE_TRANSIT, 0);
    ngx_olivine_tx_set64(tx, &heap->backed, heap->backed + step);
    ngx_olivine_tx_set32(tx, &tx->slot->transit, page);

    (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
    ngx_olivine_tx_unlock(tx);

    rc = ngx_olivine_zone_back(zone, tx->fd, ngx_olivine_zone_page(zone, page),
                               step << NGX_OLIVINE_PAGE_SHIFT);

    if (ngx_olivine_heap_land(tx, tx->slot, rc == NGX_OK
                                            ? NGX_OLIVINE_PAGE_FREE
                                            : NGX_OLIVINE_PAGE_VOID)
        != NGX_OK)
    {
        return NGX_AGAIN;
    }

    return rc;
}


ngx_int_t
ngx_olivine_heap_trim(ngx_olivine_tx_t *tx, size_t keep)
{
    size_t               n, free;
    uint32_t             page;
    ngx_uint_t           i;
    ngx_olivine_page_t  *p;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;

    free = heap->backed - heap->used;

    if (free <= keep) {
        return NGX_DECLINED;
    }

    /* a gate met while landing left a run in transit: land it first */

    if (tx->slot->transit) {
        return ngx_olivine_heap_land(tx, tx->slot, NGX_OLIVINE_PAGE_VOID);
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        ngx_olivine_tx_unlock(tx);
        return NGX_AGAIN;
    }

    free = heap->backed - heap->used;

    /* the largest run there is */

    page = 0;

    for (i = NGX_OLIVINE_HEAP_WORDS; i-- > 0; /* void */ ) {
        if (heap->map[0][i]) {
            page = heap->bins[0][i * 64 + 63
                                 - __builtin_clzll(heap->map[0][i])];
            break;
        }
    }

    if (page == 0 || free <= keep) {
        ngx_olivine_tx_unlock(tx);
        return NGX_DECLINED;
    }

    p = &tx->zone->pages[page];
    n = ngx_min(p->pages, NGX_OLIVINE_HEAP_STEP);
    n = ngx_min(n, free - keep);

    ngx_olivine_heap_take(tx, page, n, NGX_OLIVINE_PAGE_TRANSIT, 0);
    ngx_olivine_tx_set32(tx, &tx->slot->transit, page);

    (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
    ngx_olivine_tx_unlock(tx);

    return ngx_olivine_heap_land(tx, tx->slot, NGX_OLIVINE_PAGE_VOID);
}


ngx_int_t
ngx_olivine_heap_settle(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot)
{
    if (slot->transit == 0) {
        return NGX_OK;
    }

    return ngx_olivine_heap_land(tx, slot, NGX_OLIVINE_PAGE_VOID);
}


ngx_int_t
ngx_olivine_heap_audit(ngx_olivine_tx_t *tx, u_char *err)
{
    size_t               n, count[NGX_OLIVINE_PAGE_KINDS], listed[2], free;
    uint32_t             i, prev;
    ngx_uint_t           kind, last, list, bin;
    ngx_olivine_page_t  *p, *pages;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;
    pages = tx->zone->pages;

    ngx_memzero(count, sizeof(count));

    last = NGX_OLIVINE_PAGE_NONE;

    for (i = heap->first; i < heap->last; i += p->pages) {
        p = &pages[i];
        kind = p->kind;
        n = p->pages;

        if (kind == NGX_OLIVINE_PAGE_NONE || kind == NGX_OLIVINE_PAGE_INNER
            || kind >= NGX_OLIVINE_PAGE_KINDS || n == 0
            || n > heap->last - i)
        {
            ngx_sprintf(err, "page %uD has kind %ui and %uz pages%Z",
                        i, kind, n);
            return NGX_ERROR;
        }

        if (kind == NGX_OLIVINE_PAGE_FREE || kind == NGX_OLIVINE_PAGE_VOID) {

            if (kind == last) {
                ngx_sprintf(err, "free runs meet at page %uD%Z", i);
                return NGX_ERROR;
            }

            if (pages[i + n - 1].kind != kind || pages[i + n - 1].pages != n) {
                ngx_sprintf(err, "the free run at page %uD has no end%Z", i);
                return NGX_ERROR;
            }

        } else if (n > 1 && pages[i + n - 1].kind != NGX_OLIVINE_PAGE_INNER) {
            ngx_sprintf(err, "the run at page %uD has no end%Z", i);
            return NGX_ERROR;
        }

        count[kind] += n;
        last = kind;
    }

    for (list = 0; list < 2; list++) {
        listed[list] = 0;

        for (bin = 0; bin < NGX_OLIVINE_HEAP_BINS; bin++) {
            prev = 0;

            for (i = heap->bins[list][bin]; i; i = pages[i].next) {
                p = &pages[i];

                if (p->kind != (list ? NGX_OLIVINE_PAGE_VOID
                                     : NGX_OLIVINE_PAGE_FREE)
                    || p->prev != prev
                    || ngx_olivine_heap_bin(p->pages) != bin)
                {
                    ngx_sprintf(err, "page %uD does not belong to bin %ui%Z",
                                i, bin);
                    return NGX_ERROR;
                }

                listed[list] += p->pages;
                prev = i;
            }

            if ((heap->map[list][bin / 64] >> (bin % 64) & 1) != (prev != 0)) {
                ngx_sprintf(err, "bin %ui is not as its map says%Z", bin);
                return NGX_ERROR;
            }
        }
    }

    free = count[NGX_OLIVINE_PAGE_FREE];

    if (listed[0] != free || listed[1] != count[NGX_OLIVINE_PAGE_VOID]) {
        ngx_sprintf(err, "%uz free and %uz void pages, %uz and %uz in bins%Z",
                    free, count[NGX_OLIVINE_PAGE_VOID], listed[0], listed[1]);
        return NGX_ERROR;
    }

    n = heap->last - heap->first - count[NGX_OLIVINE_PAGE_VOID];

    if (heap->backed != n
        || heap->used != n - free - count[NGX_OLIVINE_PAGE_TRANSIT])
    {
        ngx_sprintf(err, "%uz pages backed and %uz free, heap says %uL and "
                    "%uL used%Z", n, free, heap->backed, heap->used);
        return NGX_ERROR;
    }

    if (heap->receipts != count[NGX_OLIVINE_PAGE_RECEIPT]) {
        ngx_sprintf(err, "%uz pages in receipt, heap says %uL%Z",
                    count[NGX_OLIVINE_PAGE_RECEIPT], heap->receipts);
        return NGX_ERROR;
    }

    return ngx_olivine_sample_audit(tx, err);
}


static ngx_uint_t
ngx_olivine_heap_bin(size_t n)
{
    ngx_uint_t  log;

    if (n <= NGX_OLIVINE_HEAP_EXACT) {
        return n - 1;
    }

    log = 63 - __builtin_clzll(n);

    return NGX_OLIVINE_HEAP_EXACT + (log - 5) * 4 + ((n >> (log - 2)) & 3);
}


/* The first page of a free run of at least n pages, or 0. */

static uint32_t
ngx_olivine_heap_find(ngx_olivine_zone_t *zone, size_t n,
    ngx_olivine_page_e kind)
{
    uint32_t             page;
    uint64_t             map;
    ngx_uint_t           list, bin, i, word;
    ngx_olivine_heap_t  *heap;

    heap = &zone->heap;
    list = ngx_olivine_heap_list(kind);
    bin = ngx_olivine_heap_bin(n);

    if (n > NGX_OLIVINE_HEAP_EXACT) {

        page = heap->bins[list][bin];

        for (i = 0; page && i < NGX_OLIVINE_HEAP_SEARCH; i++) {
            if (zone->pages[page].pages >= n) {
                return page;
            }

            page = zone->pages[page].next;
        }

        bin++;
    }

    if (bin >= NGX_OLIVINE_HEAP_BINS) {
        return 0;
    }

    word = bin / 64;
    map = heap->map[list][word] & (~(uint64_t) 0 << (bin % 64));

    while (map == 0) {
        if (++word == NGX_OLIVINE_HEAP_WORDS) {
            return 0;
        }

        map = heap->map[list][word];
    }

    return heap->bins[list][word * 64 + __builtin_ctzll(map)];
}


/* Writes both tags of a free run and puts it into its bin. */

static void
ngx_olivine_heap_link(ngx_olivine_tx_t *tx, uint32_t page, size_t n,
    ngx_olivine_page_e kind)
{
    uint32_t             head;
    uint64_t            *map;
    ngx_uint_t           list, bin;
    ngx_olivine_page_t   run, *pages;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;
    pages = tx->zone->pages;

    list = ngx_olivine_heap_list(kind);
    bin = ngx_olivine_heap_bin(n);
    head = heap->bins[list][bin];

    ngx_memzero(&run, sizeof(ngx_olivine_page_t));
    run.kind = kind;
    run.pages = n;

    if (n > 1) {
        ngx_olivine_tx_set(tx, &pages[page + n - 1], &run,
                           sizeof(ngx_olivine_page_t));
    }

    run.next = head;

    ngx_olivine_tx_set(tx, &pages[page], &run, sizeof(ngx_olivine_page_t));

    if (head) {
        ngx_olivine_tx_set32(tx, &pages[head].prev, page);

    } else {
        map = &heap->map[list][bin / 64];
        ngx_olivine_tx_set64(tx, map, *map | (uint64_t) 1 << (bin % 64));
    }

    ngx_olivine_tx_set32(tx, &heap->bins[list][bin], page);
}


static void
ngx_olivine_heap_unlink(ngx_olivine_tx_t *tx, uint32_t page)
{
    uint64_t            *map;
    ngx_uint_t           list, bin;
    ngx_olivine_page_t  *p, *pages;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;
    pages = tx->zone->pages;
    p = &pages[page];

    list = ngx_olivine_heap_list(p->kind);

    if (p->next) {
        ngx_olivine_tx_set32(tx, &pages[p->next].prev, p->prev);
    }

    if (p->prev) {
        ngx_olivine_tx_set32(tx, &pages[p->prev].next, p->next);
        return;
    }

    bin = ngx_olivine_heap_bin(p->pages);
    ngx_olivine_tx_set32(tx, &heap->bins[list][bin], p->next);

    if (p->next == 0) {
        map = &heap->map[list][bin / 64];
        ngx_olivine_tx_set64(tx, map, *map & ~((uint64_t) 1 << (bin % 64)));
    }
}


/* Takes n pages off the front of a free run. */

static void
ngx_olivine_heap_take(ngx_olivine_tx_t *tx, uint32_t page, size_t n,
    ngx_olivine_page_e kind, ngx_uint_t shard)
{
    size_t               i, rest;
    ngx_uint_t           from;
    ngx_olivine_page_t   run, *p;

    p = &tx->zone->pages[page];
    from = p->kind;
    rest = p->pages - n;

    ngx_olivine_heap_unlink(tx, page);

    if (rest) {
        ngx_olivine_heap_link(tx, page + n, rest, from);
    }

    ngx_memzero(&run, sizeof(ngx_olivine_page_t));
    run.kind = kind;
    run.shard = shard;
    run.pages = n;

    ngx_olivine_tx_set(tx, p, &run, sizeof(ngx_olivine_page_t));

    if (n == 1) {
        return;
    }

    run.kind = NGX_OLIVINE_PAGE_INNER;
    run.pages = n - 1;

    ngx_olivine_tx_set(tx, &p[n - 1], &run, sizeof(ngx_olivine_page_t));

    if (kind == NGX_OLIVINE_PAGE_ARENA) {

        /* what stood inside a free run is nothing to be kept */

        for (i = 1; i < n - 1; i++) {
            run.pages = i;
            p[i] = run;
        }
    }
}


/* Makes a run free, one with its free neighbours of that kind. */

static void
ngx_olivine_heap_put(ngx_olivine_tx_t *tx, uint32_t page,
    ngx_olivine_page_e kind)
{
    size_t               n;
    uint32_t             before;
    ngx_olivine_page_t  *pages;

    pages = tx->zone->pages;
    n = pages[page].pages;

    if (page + n < tx->zone->heap.last && pages[page + n].kind == kind) {
        ngx_olivine_heap_unlink(tx, page + n);
        n += pages[page + n].pages;
    }

    if (page > tx->zone->heap.first && pages[page - 1].kind == kind) {
        before = pages[page - 1].pages;
        page -= before;
        n += before;

        ngx_olivine_heap_unlink(tx, page);
    }

    ngx_olivine_heap_link(tx, page, n, kind);
}


/* Returns free pages to the kernel until n more may be backed. */

static ngx_int_t
ngx_olivine_heap_make_way(ngx_olivine_tx_t *tx, size_t n)
{
    ngx_int_t            rc;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;

    if (tx->slot->transit
        && ngx_olivine_heap_land(tx, tx->slot, NGX_OLIVINE_PAGE_VOID)
           != NGX_OK)
    {
        return NGX_AGAIN;
    }

    /*
     * Who needs several runs may have one made a hole for another, and then
     * again: it has to end.
     */

    if (heap->backed + n > heap->limit
        && ++tx->ways > NGX_OLIVINE_HEAP_WAYS)
    {
        return NGX_ERROR;
    }

    while (heap->backed + n > heap->limit) {

        if (heap->used + n > heap->limit) {
            return NGX_ERROR;
        }

        rc = ngx_olivine_heap_trim(tx, 0);

        if (rc != NGX_OK) {
            return rc == NGX_AGAIN ? NGX_AGAIN : NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_heap_describe(ngx_olivine_tx_t *tx, uint32_t page)
{
    uint32_t             from, to;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;
    from = zone->heap.described;
    to = ngx_min(page + NGX_OLIVINE_HEAP_DESCRIBE, zone->heap.last);

    if (from >= to) {
        return NGX_OK;
    }

    if (ngx_olivine_zone_back(zone, tx->fd, &zone->pages[from],
                              (to - from) * sizeof(ngx_olivine_page_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* others may have come further meanwhile */

    while (from < to
           && !__atomic_compare_exchange_n(&zone->heap.described, &from, to, 0,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
        /* void */
    }

    return NGX_OK;
}


/* Ends a run's transit: backed by memory now, or made a hole. */

static ngx_int_t
ngx_olivine_heap_land(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot,
    ngx_olivine_page_e kind)
{
    size_t               n;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;
    n = tx->zone->pages[slot->transit].pages;

    if (kind == NGX_OLIVINE_PAGE_VOID) {
        (void) madvise(ngx_olivine_zone_page(tx->zone, slot->transit),
                       n << NGX_OLIVINE_PAGE_SHIFT, MADV_REMOVE);
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        ngx_olivine_tx_unlock(tx);
        return NGX_AGAIN;
    }

    ngx_olivine_heap_put(tx, slot->transit, kind);

    if (kind == NGX_OLIVINE_PAGE_VOID) {
        ngx_olivine_tx_set64(tx, &heap->backed, heap->backed - n);
    }

    ngx_olivine_tx_set32(tx, &slot->transit, 0);

    (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
    ngx_olivine_tx_unlock(tx);

    return NGX_OK;
}
