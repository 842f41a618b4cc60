
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


#define NGX_OLIVINE_ARENA_ROOM   512

/* a class grows by runs of a part of what it has */
#define NGX_OLIVINE_ARENA_PART   16

#define NGX_OLIVINE_ARENA_LINE   64

#define NGX_OLIVINE_ARENA_FINE   128      /* up to here classes are 8 apart */
#define NGX_OLIVINE_ARENA_STEPS  16       /* classes a doubling */


/* what stands at the start of a run; a bitmap of free cells follows */

typedef struct {
    uint16_t    used;       /* cells */
    uint16_t    count;      /* cells there are */
    uint8_t     hint;       /* no word before it has a free cell */
    uint8_t     sampled;    /* some cells are samples */
    uint16_t    data;       /* offset of the first cell, in eights */
    uint32_t    prev;
    uint32_t    next;       /* runs of the class with free cells */
    uint64_t    map[];
} ngx_olivine_run_t;


static ngx_uint_t ngx_olivine_arena_class(size_t size);
static size_t ngx_olivine_arena_size(ngx_uint_t class);
static size_t ngx_olivine_arena_run_pages(ngx_olivine_class_t *c, size_t size);
static ngx_int_t ngx_olivine_arena_run(ngx_olivine_tx_t *tx,
    ngx_olivine_arena_t *arena, ngx_uint_t class);
static void ngx_olivine_arena_link(ngx_olivine_tx_t *tx,
    ngx_olivine_class_t *c, uint32_t page);
static void ngx_olivine_arena_unlink(ngx_olivine_tx_t *tx,
    ngx_olivine_class_t *c, ngx_olivine_run_t *run);
static void ngx_olivine_arena_head(ngx_olivine_tx_t *tx,
    ngx_olivine_run_t *run, ngx_uint_t used, ngx_uint_t hint);
static void ngx_olivine_arena_sampled(ngx_olivine_tx_t *tx, void *frame,
    ngx_olivine_run_t *run, ngx_uint_t n, size_t size);
static ngx_int_t ngx_olivine_arena_unsampled(ngx_olivine_tx_t *tx,
    ngx_olivine_run_t *run, uint32_t page, ngx_uint_t n);
static ngx_int_t ngx_olivine_arena_audit_run(ngx_olivine_zone_t *zone,
    ngx_olivine_page_t *p, ngx_olivine_run_t *run, u_char *err);


void
ngx_olivine_arena_init(ngx_olivine_arena_t *arena, ngx_uint_t number)
{
    ngx_memzero(arena, sizeof(ngx_olivine_arena_t));

    arena->number = number;
}


ngx_int_t
ngx_olivine_arena_alloc(ngx_olivine_tx_t *tx, ngx_olivine_arena_t *arena,
    size_t size, void **p)
{
    ngx_int_t             rc;
    ngx_uint_t            class, hint, bit;
    ngx_olivine_run_t    *run;
    ngx_olivine_class_t  *c;

    class = ngx_olivine_arena_class(size);
    c = &arena->classes[class];

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_ARENA_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_unlikely(c->run == 0)) {
        rc = ngx_olivine_arena_run(tx, arena, class);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    run = (ngx_olivine_run_t *) ngx_olivine_zone_page(tx->zone, c->run);

    hint = run->hint;

    while (run->map[hint] == 0) {
        hint++;
    }

    bit = __builtin_ctzll(run->map[hint]);

    ngx_olivine_tx_set64(tx, &run->map[hint],
                         run->map[hint] & (run->map[hint] - 1));
    ngx_olivine_arena_head(tx, run, run->used + 1, hint);

    if (ngx_olivine_unlikely(run->used == run->count)) {
        ngx_olivine_arena_unlink(tx, c, run);
    }

    size = ngx_olivine_arena_size(class);

    ngx_olivine_tx_set64(tx, &arena->used, arena->used + size);

    *p = (u_char *) run + run->data * 8 + (hint * 64 + bit) * size;

    ngx_olivine_poison_taken(tx, *p, size);

    tx->sampler.left -= size;

    if (ngx_olivine_unlikely(tx->sampler.left < 0)) {
        ngx_olivine_arena_sampled(tx, __builtin_frame_address(0), run,
                                  hint * 64 + bit, size);
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_arena_free(ngx_olivine_tx_t *tx, ngx_olivine_arena_t *arena,
    void *p, size_t size)
{
    return ngx_olivine_tx_free(tx, p, size);
}


ngx_int_t
ngx_olivine_arena_free_now(ngx_olivine_tx_t *tx, void *p, size_t size)
{
    uint32_t              page;
    ngx_int_t             rc;
    ngx_uint_t            class, n;
    ngx_olivine_run_t    *run;
    ngx_olivine_page_t   *desc;
    ngx_olivine_class_t  *c;
    ngx_olivine_arena_t  *arena;

    class = ngx_olivine_arena_class(size);
    size = ngx_olivine_arena_size(class);

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_ARENA_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    page = ngx_olivine_zone_number(tx->zone, p);
    desc = &tx->zone->pages[page];

    if (desc->kind == NGX_OLIVINE_PAGE_INNER) {
        page -= desc->pages;
    }

    arena = ngx_olivine_zone_arena(tx->zone, desc->shard);
    c = &arena->classes[class];

    run = (ngx_olivine_run_t *) ngx_olivine_zone_page(tx->zone, page);

    n = (uint32_t) ((u_char *) p - (u_char *) run - run->data * 8)
        / (uint32_t) size;

    if (ngx_olivine_unlikely(run->sampled)) {
        rc = ngx_olivine_arena_unsampled(tx, run, page, n);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_olivine_tx_set64(tx, &run->map[n / 64],
                         run->map[n / 64] | (uint64_t) 1 << (n % 64));
    ngx_olivine_tx_set64(tx, &arena->used, arena->used - size);

    ngx_olivine_poison_freed(tx, p, size);

    if (ngx_olivine_unlikely(run->used == run->count)) {
        ngx_olivine_arena_head(tx, run, run->used - 1, n / 64);
        ngx_olivine_arena_link(tx, c, page);
        return NGX_OK;
    }

    ngx_olivine_arena_head(tx, run, run->used - 1,
                           ngx_min(run->hint, n / 64));

    if (run->used || (run->prev == 0 && run->next == 0)) {
        return NGX_OK;
    }

    /* empty, and not the only one */

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_ARENA_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_arena_unlink(tx, c, run);
    ngx_olivine_tx_set32(tx, &c->pages,
                         c->pages - tx->zone->pages[page].pages);

    return ngx_olivine_heap_release_now(tx, page);
}


size_t
ngx_olivine_arena_room(size_t size)
{
    return ngx_olivine_arena_size(ngx_olivine_arena_class(size));
}


ngx_int_t
ngx_olivine_arena_pages(ngx_olivine_tx_t *tx, ngx_olivine_arena_t *arena,
    size_t n, ngx_olivine_page_e kind, uint32_t *page)
{
    ngx_int_t  rc;

    rc = ngx_olivine_heap_alloc(tx, n, kind, arena->number, page);

    if (rc == NGX_OK) {
        ngx_olivine_tx_set64(tx, &arena->used,
                             arena->used + (n << NGX_OLIVINE_PAGE_SHIFT));
    }

    return rc;
}


ngx_int_t
ngx_olivine_arena_release(ngx_olivine_tx_t *tx, ngx_olivine_arena_t *arena,
    uint32_t page)
{
    size_t     n;
    ngx_int_t  rc;

    n = tx->zone->pages[page].pages;

    rc = ngx_olivine_heap_release(tx, page);

    if (rc == NGX_OK) {
        ngx_olivine_tx_set64(tx, &arena->used,
                             arena->used - (n << NGX_OLIVINE_PAGE_SHIFT));
    }

    return rc;
}


ngx_int_t
ngx_olivine_arena_audit(ngx_olivine_tx_t *tx, ngx_olivine_arena_t *arena,
    u_char *err)
{
    uint32_t              page, prev;
    uint64_t              used, pages[NGX_OLIVINE_ARENA_CLASSES];
    ngx_uint_t            class;
    ngx_olivine_run_t    *run;
    ngx_olivine_page_t   *p;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_class_t  *c;

    zone = tx->zone;
    used = 0;
    ngx_memzero(pages, sizeof(pages));

    for (page = zone->heap.first; page < zone->heap.last; page += p->pages) {
        p = &zone->pages[page];

        if (p->kind == NGX_OLIVINE_PAGE_VALUE && ngx_olivine_page_orphan(p)) {
            continue;
        }

        if (p->shard != arena->number) {
            continue;
        }

        if (p->kind == NGX_OLIVINE_PAGE_TABLE
            || p->kind == NGX_OLIVINE_PAGE_VALUE)
        {
            used += (uint64_t) p->pages << NGX_OLIVINE_PAGE_SHIFT;
        }

        if (p->kind != NGX_OLIVINE_PAGE_ARENA) {
            continue;
        }

        run = (ngx_olivine_run_t *) ngx_olivine_zone_page(zone, page);

        if (ngx_olivine_arena_audit_run(zone, p, run, err) != NGX_OK) {
            return NGX_ERROR;
        }

        used += run->used * ngx_olivine_arena_size(p->class);
        pages[p->class] += p->pages;
    }

    for (class = 0; class < NGX_OLIVINE_ARENA_CLASSES; class++) {
        c = &arena->classes[class];
        prev = 0;

        if (c->pages != pages[class]) {
            ngx_sprintf(err, "shard %uD: class %ui has %uL pages, not %uD%Z",
                        arena->number, class, pages[class], c->pages);
            return NGX_ERROR;
        }

        for (page = c->run; page; page = run->next) {
            run = (ngx_olivine_run_t *) ngx_olivine_zone_page(zone, page);
            p = &zone->pages[page];

            if (p->kind != NGX_OLIVINE_PAGE_ARENA || p->class != class
                || p->shard != arena->number || run->prev != prev
                || run->used == run->count)
            {
                ngx_sprintf(err, "shard %uD: page %uD is not a run of class "
                            "%ui with room%Z", arena->number, page, class);
                return NGX_ERROR;
            }

            prev = page;
        }
    }

    if (used != arena->used) {
        ngx_sprintf(err, "shard %uD: %uL bytes in use, it says %uL%Z",
                    arena->number, used, arena->used);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_arena_audit_run(ngx_olivine_zone_t *zone, ngx_olivine_page_t *p,
    ngx_olivine_run_t *run, u_char *err)
{
    size_t      i, n, size;
    ngx_uint_t  free, cell;

    n = p - zone->pages;
    size = ngx_olivine_arena_size(p->class);

    for (i = 1; i < p->pages; i++) {
        if (p[i].kind != NGX_OLIVINE_PAGE_INNER || p[i].pages != i) {
            ngx_sprintf(err, "page %uz of the run at %uz is not marked%Z",
                        i, n);
            return NGX_ERROR;
        }
    }

    free = 0;

    for (i = 0; i < (size_t) (run->count + 63) / 64; i++) {
        free += __builtin_popcountll(run->map[i]);

        if (i < run->hint && run->map[i]) {
            ngx_sprintf(err, "the run at page %uz has cells before its "
                        "hint%Z", n);
            return NGX_ERROR;
        }
    }

    i = ngx_olivine_page_sample(p);

    if (run->sampled != (i != 0)) {
        ngx_sprintf(err, "the run at page %uz does not say whether it has "
                    "samples%Z", n);
        return NGX_ERROR;
    }

    for (cell = 0; i && cell < run->count; cell++) {
        if ((run->map[cell / 64] >> (cell % 64) & 1)
            && ngx_olivine_sample_has(zone, n, cell))
        {
            ngx_sprintf(err, "the run at page %uz has a sample that is free%Z",
                        n);
            return NGX_ERROR;
        }
    }

    if (run->used + free != run->count
        || run->data * 8 + run->count * size
           > (size_t) p->pages << NGX_OLIVINE_PAGE_SHIFT)
    {
        ngx_sprintf(err, "the run at page %uz has %ui free, %d used and %d "
                    "cells%Z", n, free, (int) run->used, (int) run->count);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_olivine_arena_class(size_t size)
{
    ngx_uint_t  log;

    if (size <= NGX_OLIVINE_ARENA_FINE) {
        return (size - 1) / 8;
    }

    size--;
    log = 63 - __builtin_clzll(size);

    return NGX_OLIVINE_ARENA_FINE / 8
           + (log - 7) * NGX_OLIVINE_ARENA_STEPS
           + ((size >> (log - 4)) & (NGX_OLIVINE_ARENA_STEPS - 1));
}


static size_t
ngx_olivine_arena_size(ngx_uint_t class)
{
    ngx_uint_t  log;

    if (class < NGX_OLIVINE_ARENA_FINE / 8) {
        return (class + 1) * 8;
    }

    class -= NGX_OLIVINE_ARENA_FINE / 8;
    log = class / NGX_OLIVINE_ARENA_STEPS + 7;
    class %= NGX_OLIVINE_ARENA_STEPS;

    return ((size_t) 1 << log) + ((size_t) (class + 1) << (log - 4));
}


static size_t
ngx_olivine_arena_run_pages(ngx_olivine_class_t *c, size_t size)
{
    size_t  least;

    /* four cells at the least, so that what is left over stays small */

    least = ngx_olivine_pages(size * 4 + 128);

    if (size <= 512) {
        least = 1;
    }

    return ngx_max(least, ngx_min(c->pages / NGX_OLIVINE_ARENA_PART,
                                   NGX_OLIVINE_ARENA_RUN));
}


static ngx_int_t
ngx_olivine_arena_run(ngx_olivine_tx_t *tx, ngx_olivine_arena_t *arena,
    ngx_uint_t class)
{
    size_t                pages, size, total, count, data;
    uint32_t              page;
    ngx_int_t             rc;
    size_t                align;
    ngx_uint_t            i;
    ngx_olivine_run_t    *run;
    ngx_olivine_class_t  *c;

    c = &arena->classes[class];
    size = ngx_olivine_arena_size(class);

    pages = ngx_olivine_arena_run_pages(c, size);

    rc = ngx_olivine_heap_alloc(tx, pages, NGX_OLIVINE_PAGE_ARENA,
                                arena->number, &page);
    if (rc != NGX_OK) {
        return rc;
    }

    tx->zone->pages[page].class = class;

    /* cells of 16, 32, 64 bytes and their multiples share no line needlessly */

    align = size & -size;
    align = ngx_min(align, NGX_OLIVINE_ARENA_LINE);
    total = pages << NGX_OLIVINE_PAGE_SHIFT;
    count = (total - sizeof(ngx_olivine_run_t)) / size;

    for ( ;; ) {
        data = sizeof(ngx_olivine_run_t) + (count + 63) / 64 * 8;
        data = ngx_align(data, align);

        if (data + count * size <= total) {
            break;
        }

        count--;
    }

    run = (ngx_olivine_run_t *) ngx_olivine_zone_page(tx->zone, page);

    run->used = 0;
    run->count = count;
    run->hint = 0;
    run->sampled = 0;
    run->data = data / 8;
    run->prev = 0;
    run->next = 0;

    for (i = 0; i < count / 64; i++) {
        run->map[i] = ~(uint64_t) 0;
    }

    if (count % 64) {
        run->map[i] = ((uint64_t) 1 << (count % 64)) - 1;
    }

    ngx_olivine_poison((u_char *) run + data, total - data);

    ngx_olivine_tx_set32(tx, &c->pages, c->pages + pages);
    ngx_olivine_arena_link(tx, c, page);

    return NGX_OK;
}


static void
ngx_olivine_arena_link(ngx_olivine_tx_t *tx, ngx_olivine_class_t *c,
    uint32_t page)
{
    ngx_olivine_run_t  *run, *next;

    run = (ngx_olivine_run_t *) ngx_olivine_zone_page(tx->zone, page);

    ngx_olivine_tx_save64(tx, &run->prev);
    run->prev = 0;
    run->next = c->run;
    ngx_olivine_step();

    if (c->run) {
        next = (ngx_olivine_run_t *) ngx_olivine_zone_page(tx->zone, c->run);
        ngx_olivine_tx_set32(tx, &next->prev, page);
    }

    ngx_olivine_tx_set32(tx, &c->run, page);
}


static void
ngx_olivine_arena_unlink(ngx_olivine_tx_t *tx, ngx_olivine_class_t *c,
    ngx_olivine_run_t *run)
{
    ngx_olivine_run_t  *other;

    if (run->next) {
        other = (ngx_olivine_run_t *)
                    ngx_olivine_zone_page(tx->zone, run->next);
        ngx_olivine_tx_set32(tx, &other->prev, run->prev);
    }

    if (run->prev) {
        other = (ngx_olivine_run_t *)
                    ngx_olivine_zone_page(tx->zone, run->prev);
        ngx_olivine_tx_set32(tx, &other->next, run->next);

    } else {
        ngx_olivine_tx_set32(tx, &c->run, run->next);
    }

    ngx_olivine_tx_save64(tx, &run->prev);
    run->prev = 0;
    run->next = 0;
    ngx_olivine_step();
}


/* The first eight bytes of a run, in one record. */

static void
ngx_olivine_arena_head(ngx_olivine_tx_t *tx, ngx_olivine_run_t *run,
    ngx_uint_t used, ngx_uint_t hint)
{
    ngx_olivine_tx_save64(tx, run);
    run->used = used;
    run->hint = hint;
    ngx_olivine_step();
}


/* The cell is drawn as a sample. */

static void
ngx_olivine_arena_sampled(ngx_olivine_tx_t *tx, void *frame,
    ngx_olivine_run_t *run, ngx_uint_t n, size_t size)
{
    if (ngx_olivine_sample_alloc(tx, frame,
                                 ngx_olivine_zone_number(tx->zone, run), n,
                                 size, tx->sampler.type)
            == NGX_OK
        && !run->sampled)
    {
        ngx_olivine_tx_save64(tx, run);
        run->sampled = 1;
        ngx_olivine_step();
    }
}


/* A cell of a run with samples is freed. */

static ngx_int_t
ngx_olivine_arena_unsampled(ngx_olivine_tx_t *tx, ngx_olivine_run_t *run,
    uint32_t page, ngx_uint_t n)
{
    ngx_int_t  rc;

    rc = ngx_olivine_sample_free(tx, page, n);

    if (rc == NGX_OK) {
        rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_ARENA_ROOM);
    }

    if (rc == NGX_OK
        && ngx_olivine_page_sample(&tx->zone->pages[page]) == 0)
    {
        ngx_olivine_tx_save64(tx, run);
        run->sampled = 0;
        ngx_olivine_step();
    }

    return rc;
}


#if (NGX_OLIVINE_ASAN)

void
ngx_olivine_arena_poison(void *p, ngx_olivine_page_t *page)
{
    size_t              i, size, bytes;
    u_char             *cells;
    ngx_olivine_run_t  *run;

    run = p;
    bytes = (size_t) page->pages << NGX_OLIVINE_PAGE_SHIFT;

    if (page->class >= NGX_OLIVINE_ARENA_CLASSES) {
        return;
    }

    size = ngx_olivine_arena_size(page->class);
    cells = (u_char *) run + run->data * 8;

    if (run->data * 8 + run->count * size > bytes) {
        return;                  /* a dead worker was making it */
    }

    for (i = 0; i < run->count; i++) {
        if (run->map[i / 64] >> (i % 64) & 1) {
            ngx_olivine_poison(cells + i * size, size);
        }
    }

    ngx_olivine_poison(cells + i * size, bytes - run->data * 8 - i * size);
}

#endif
