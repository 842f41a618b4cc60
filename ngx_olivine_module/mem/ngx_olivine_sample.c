
/*
 * Copyright (C) The Olivine authors
 *
 * Rows of samples, and the samples of memory that are in use.
 */


#include "mem/ngx_olivine_journal.h"
#include "base/ngx_olivine_clock.h"

#include <math.h>
#include <pthread.h>


/* bytes between two samples, at the most */
#define NGX_OLIVINE_SAMPLE_FAR    ((int64_t) 1 << 60)

/* a frame: the one before it, and where it was called from */
#define NGX_OLIVINE_SAMPLE_FRAME  (2 * sizeof(uintptr_t))


static uintptr_t ngx_olivine_sample_stack_end(void);
static ngx_uint_t ngx_olivine_sample_walk(ngx_olivine_sampler_t *sampler,
    void *frame, uintptr_t end, uint64_t *sites, ngx_uint_t max);
static void ngx_olivine_sample_next(ngx_olivine_sampler_t *sampler);
static uint64_t ngx_olivine_sample_hash(ngx_olivine_sample_row_t *row);
static ngx_olivine_sample_row_t *ngx_olivine_sample_other(
    ngx_olivine_sample_table_t *table, ngx_uint_t kind);
static ngx_uint_t ngx_olivine_sample_follow(ngx_olivine_tx_t *tx,
    uint32_t page, ngx_olivine_live_t *sample);
static uint32_t ngx_olivine_sample_seek(ngx_olivine_zone_t *zone,
    uint32_t page, ngx_uint_t cell, uint32_t *before);


ngx_str_t  ngx_olivine_sample_locks[NGX_OLIVINE_SAMPLE_LOCKS] = {
    ngx_string(""),
    ngx_string("shard"),
    ngx_string("parameters"),
    ngx_string("heap"),
    ngx_string("rows"),
    ngx_string("log"),
    ngx_string("commandlog"),
    ngx_string("monitor"),
    ngx_string("hotkeys")
};


ngx_int_t
ngx_olivine_sample_back(ngx_olivine_zone_t *zone, int fd, ngx_uint_t n)
{
    size_t                       size;
    ngx_olivine_sample_table_t  *table;

    table = ngx_olivine_sample_table(zone, n);
    size = NGX_OLIVINE_SAMPLE_HEAD
           + NGX_OLIVINE_SAMPLE_STEP * sizeof(ngx_olivine_sample_row_t);

    if (ngx_olivine_zone_back(zone, fd, table, size) != NGX_OK) {
        return NGX_ERROR;
    }

    if (table->backed == 0) {
        table->n = NGX_OLIVINE_SAMPLE_KINDS;
        ngx_olivine_barrier();
        table->backed = NGX_OLIVINE_SAMPLE_STEP;

        (void) __atomic_fetch_add(&zone->sampling->size, size,
                                  __ATOMIC_RELAXED);
    }

    return NGX_OK;
}


void
ngx_olivine_sample_join(ngx_olivine_tx_t *tx)
{
    ngx_olivine_code_t      code;
    ngx_olivine_sampler_t  *sampler;

    sampler = &tx->sampler;

    ngx_olivine_clock_init();

    sampler->random = tx->zone->seed[0] ^ ngx_olivine_clock_monotonic()
                      ^ ((uint64_t) tx->owner << 32);
    sampler->random |= (sampler->random == 0);

    sampler->stack = ngx_olivine_sample_stack_end();
    sampler->root = sampler->stack;

    if (ngx_olivine_build_self(&code) == NGX_OK) {
        sampler->base = code.base;
        sampler->text = code.text;
        sampler->end = code.end;
        sampler->build = (uint64_t) ngx_olivine_build_number(
                                        tx->zone->sampling->builds, &code, 1)
                         << NGX_OLIVINE_BUILD_SHIFT;
    }

    sampler->bytes = 0;
    sampler->left = NGX_OLIVINE_SAMPLE_FAR;

    ngx_olivine_sample_rate(tx, tx->zone->params.heap_sample_bytes);
}


static uintptr_t
ngx_olivine_sample_stack_end(void)
{
    void            *stack;
    size_t           size;
    uintptr_t        end;
    pthread_attr_t   attr;

    if (pthread_getattr_np(pthread_self(), &attr) != 0) {
        return 0;
    }

    end = 0;

    if (pthread_attr_getstack(&attr, &stack, &size) == 0) {
        end = (uintptr_t) stack + size;
    }

    (void) pthread_attr_destroy(&attr);

    return end;
}


void
ngx_olivine_sample_rate(ngx_olivine_tx_t *tx, uint64_t bytes)
{
    ngx_olivine_sampler_t  *sampler;

    sampler = &tx->sampler;

    if (sampler->bytes == bytes) {
        return;
    }

    sampler->bytes = bytes;
    ngx_olivine_sample_next(sampler);
}


/* xorshift64*, and what it gives made exponentially distributed */

static void
ngx_olivine_sample_next(ngx_olivine_sampler_t *sampler)
{
    double    bytes;
    uint64_t  x;

    if (sampler->bytes == 0) {
        sampler->left = NGX_OLIVINE_SAMPLE_FAR;
        return;
    }

    if (sampler->bytes == 1) {
        sampler->left = 0;                               /* each of them */
        return;
    }

    x = sampler->random;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;

    sampler->random = x;

    x = (x * 0x2545f4914f6cdd1dull >> 11) + 1;               /* 1..2^53 */

    bytes = -log((double) x / 9007199254740992.0) * (double) sampler->bytes;

    sampler->left = bytes < (double) NGX_OLIVINE_SAMPLE_FAR
                    ? (int64_t) bytes : NGX_OLIVINE_SAMPLE_FAR;
}


void
ngx_olivine_sample_tick(ngx_olivine_tx_t *tx)
{
    size_t                       size;
    uint32_t                     from, to;
    ngx_olivine_zone_t          *zone;
    ngx_olivine_sampling_t      *sampling;
    ngx_olivine_sample_table_t  *table;

    zone = tx->zone;
    sampling = zone->sampling;
    table = ngx_olivine_sample_table(zone, tx->slot->number);

    if (table->backed < NGX_OLIVINE_SAMPLE_ROWS
        && table->n + NGX_OLIVINE_SAMPLE_STEP / 2 > table->backed)
    {
        size = NGX_OLIVINE_SAMPLE_STEP * sizeof(ngx_olivine_sample_row_t);

        if (ngx_olivine_zone_back(zone, tx->fd, &table->rows[table->backed],
                                  size) == NGX_OK)
        {
            table->backed += NGX_OLIVINE_SAMPLE_STEP;
            (void) __atomic_fetch_add(&sampling->size, size,
                                      __ATOMIC_RELAXED);
        }
    }

    from = sampling->backed;
    to = ngx_min(from + NGX_OLIVINE_LIVE_STEP, sampling->places);

    if (from == to
        || sampling->count + NGX_OLIVINE_LIVE_STEP / 2 < (uint64_t) from)
    {
        return;
    }

    size = (to - from) * sizeof(ngx_olivine_live_t);

    /* where two come together, one of them counts */

    if (ngx_olivine_zone_back(zone, tx->fd,
                              ngx_olivine_sample_live(zone, from), size)
            == NGX_OK
        && __atomic_compare_exchange_n(&sampling->backed, &from, to, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    {
        (void) __atomic_fetch_add(&sampling->size, size, __ATOMIC_RELAXED);
    }
}


ngx_uint_t
ngx_olivine_sample_stack(ngx_olivine_sampler_t *sampler, void *frame,
    uint64_t *sites, ngx_uint_t max)
{
    return ngx_olivine_sample_walk(sampler, frame, sampler->stack, sites, max);
}


static ngx_olivine_unchecked ngx_uint_t
ngx_olivine_sample_walk(ngx_olivine_sampler_t *sampler, void *frame,
    uintptr_t end, uint64_t *sites, ngx_uint_t max)
{
    uintptr_t   fp, pc, next;
    ngx_uint_t  n;

    if (sampler->build == 0 || end == 0) {
        return 0;
    }

    fp = (uintptr_t) frame;

    for (n = 0; n < max; n++) {

        if (fp % sizeof(uintptr_t)
            || fp > end - NGX_OLIVINE_SAMPLE_FRAME)
        {
            break;
        }

        next = ((uintptr_t *) fp)[0];
        pc = ((uintptr_t *) fp)[1];

        if (pc <= sampler->text || pc >= sampler->end) {
            break;
        }

        sites[n] = sampler->build | (pc - sampler->base);

        if (next <= fp) {
            n++;
            break;
        }

        fp = next;
    }

    return n;
}


ngx_olivine_sample_row_t *
ngx_olivine_sample_row(ngx_olivine_tx_t *tx, ngx_olivine_sample_e kind,
    ngx_uint_t label, ngx_uint_t why, ngx_int_t command, void *frame)
{
    ngx_uint_t                   i, at;
    ngx_olivine_sample_row_t     new, *row;
    ngx_olivine_sample_table_t  *table;

    table = ngx_olivine_sample_table(tx->zone, tx->slot->number);

    new.kind = kind;
    new.label = label;
    new.why = why;
    new.command = (command == NGX_ERROR) ? 0 : command + 1;
    new.n = 0;

    if (frame) {
        new.n = ngx_olivine_sample_walk(&tx->sampler, frame,
                                        tx->sampler.root, new.sites,
                                        NGX_OLIVINE_SAMPLE_SITES);
    }

    new.hash = ngx_olivine_sample_hash(&new);
    at = new.hash % NGX_OLIVINE_SAMPLE_PLACES;

    for (i = 0; i < NGX_OLIVINE_SAMPLE_PLACES; i++) {

        if (table->places[at] == 0) {
            break;
        }

        row = &table->rows[table->places[at]];

        if (row->hash == new.hash && row->kind == kind) {
            return row;
        }

        at = (at + 1) % NGX_OLIVINE_SAMPLE_PLACES;
    }

    if (table->n >= table->backed) {
        return ngx_olivine_sample_other(table, kind);
    }

    new.count = 0;
    new.sum = 0;

    row = &table->rows[table->n];
    ngx_memcpy(row, &new, offsetof(ngx_olivine_sample_row_t, sites)
                          + new.n * sizeof(uint64_t));

    /* a death between the two wastes a row */

    __atomic_store_n(&table->n, table->n + 1, __ATOMIC_RELEASE);
    ngx_olivine_step();

    table->places[at] = row - table->rows;
    ngx_olivine_step();

    return row;
}


static ngx_olivine_sample_row_t *
ngx_olivine_sample_other(ngx_olivine_sample_table_t *table, ngx_uint_t kind)
{
    ngx_olivine_sample_row_t  *row;

    if (table->backed == 0) {
        return NULL;
    }

    row = &table->rows[kind];
    row->kind = kind;

    return row;
}


static uint64_t
ngx_olivine_sample_hash(ngx_olivine_sample_row_t *row)
{
    uint64_t    hash;
    ngx_uint_t  i;

    hash = row->kind | (uint64_t) row->label << 8 | (uint64_t) row->why << 16
           | (uint64_t) row->command << 32;

    for (i = 0; i < row->n; i++) {
        hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15ull;
        hash ^= row->sites[i];
    }

    hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15ull;

    return hash ^ hash >> 29;
}


void
ngx_olivine_sample_blocked(ngx_olivine_tx_t *tx, ngx_olivine_block_e why,
    ngx_int_t command, uint64_t n, uint64_t ns)
{
    ngx_olivine_sample_row_t  *row;

    row = ngx_olivine_sample_row(tx, NGX_OLIVINE_SAMPLE_BLOCK, 0, why, command,
                                 NULL);
    if (row) {
        row->count += n;
        row->sum += ns;
    }
}


void
ngx_olivine_sample_waited(ngx_olivine_tx_t *tx, ngx_olivine_block_e why,
    ngx_olivine_waited_t *waited)
{
    if (waited->n) {
        ngx_olivine_sample_blocked(tx, why, NGX_ERROR, waited->n, waited->ns);
        waited->n = 0;
        waited->ns = 0;
    }
}


ngx_int_t
ngx_olivine_sample_alloc(ngx_olivine_tx_t *tx, void *frame, uint32_t page,
    ngx_uint_t cell, size_t size, ngx_uint_t label)
{
    double                       weight;
    ngx_int_t                    rc;
    ngx_uint_t                   slot;
    ngx_olivine_live_t           sample;
    ngx_olivine_sampler_t       *sampler;
    ngx_olivine_sample_row_t    *row;

    sampler = &tx->sampler;
    slot = tx->slot->number;

    if (sampler->bytes == 0) {
        ngx_olivine_sample_next(sampler);
        return NGX_DECLINED;
    }

    /* where it cannot be followed now, the next one is drawn in its stead */

    if (tx->room - tx->slot->used < NGX_OLIVINE_SAMPLE_ROOM
        || ngx_olivine_tx_lock_heap(tx) != NGX_OK)
    {
        sampler->left = 0;
        return NGX_DECLINED;
    }

    row = ngx_olivine_sample_row(tx, NGX_OLIVINE_SAMPLE_HEAP, label, 0,
                                 ngx_olivine_sample_command(tx), frame);
    if (row == NULL) {
        ngx_olivine_sample_next(sampler);
        return NGX_DECLINED;
    }

    weight = (sampler->bytes == 1)
             ? 1 : -1 / expm1(-(double) size / (double) sampler->bytes);

    sample.page = page;
    sample.cell = cell;
    sample.slot = slot;
    sample.row = row - ngx_olivine_sample_table(tx->zone, slot)->rows + 1;
    sample.count = weight * NGX_OLIVINE_SAMPLE_UNIT;
    sample.sum = weight * size;

    row->count += sample.count;
    row->sum += sample.sum;

    rc = ngx_olivine_sample_follow(tx, page, &sample) ? NGX_OK : NGX_DECLINED;

    ngx_olivine_sample_next(sampler);

    return rc;
}


static ngx_uint_t
ngx_olivine_sample_follow(ngx_olivine_tx_t *tx, uint32_t page,
    ngx_olivine_live_t *sample)
{
    uint32_t                 n;
    ngx_olivine_page_t      *p;
    ngx_olivine_live_t      *live;
    ngx_olivine_sampling_t  *sampling;

    sampling = tx->zone->sampling;
    p = &tx->zone->pages[page];
    n = sampling->free;

    if (n) {
        live = ngx_olivine_sample_live(tx->zone, n);

        ngx_olivine_tx_set32(tx, &sampling->free, live->next);
        ngx_olivine_tx_save(tx, live, sizeof(ngx_olivine_live_t));

    } else {
        n = sampling->high;

        if (n >= sampling->backed) {
            sampling->lost++;
            return 0;
        }

        /* what is above the highest one means nothing */

        live = ngx_olivine_sample_live(tx->zone, n);
        ngx_olivine_tx_set32(tx, &sampling->high, n + 1);
    }

    *live = *sample;
    live->next = ngx_olivine_page_sample(p);

    ngx_olivine_step();

    ngx_olivine_tx_set32(tx, &p->next, ngx_olivine_page_sampled(p, n));
    ngx_olivine_tx_set64(tx, &sampling->count, sampling->count + 1);

    return 1;
}


ngx_int_t
ngx_olivine_sample_free(ngx_olivine_tx_t *tx, uint32_t page, ngx_uint_t cell)
{
    uint32_t                 n, before;
    ngx_int_t                rc;
    ngx_olivine_page_t      *p;
    ngx_olivine_live_t      *live;
    ngx_olivine_sampling_t  *sampling;

    n = ngx_olivine_sample_seek(tx->zone, page, cell, &before);

    if (n == 0) {
        return NGX_OK;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_SAMPLE_ROOM);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    sampling = tx->zone->sampling;
    p = &tx->zone->pages[page];
    live = ngx_olivine_sample_live(tx->zone, n);

    if (before) {
        ngx_olivine_tx_set32(tx,
                             &ngx_olivine_sample_live(tx->zone, before)->next,
                             live->next);

    } else {
        ngx_olivine_tx_set32(tx, &p->next,
                             ngx_olivine_page_sampled(p, live->next));
    }

    ngx_olivine_tx_save(tx, live, sizeof(ngx_olivine_live_t));

    live->row = 0;
    live->next = sampling->free;

    ngx_olivine_step();

    ngx_olivine_tx_set32(tx, &sampling->free, n);
    ngx_olivine_tx_set64(tx, &sampling->count, sampling->count - 1);

    return NGX_OK;
}


/* Its number in the chain of the run, and that of the one before; or 0. */

static uint32_t
ngx_olivine_sample_seek(ngx_olivine_zone_t *zone, uint32_t page,
    ngx_uint_t cell, uint32_t *before)
{
    uint32_t             n;
    ngx_olivine_live_t  *live;

    *before = 0;

    for (n = ngx_olivine_page_sample(&zone->pages[page]); n; n = live->next) {

        live = ngx_olivine_sample_live(zone, n);

        if (live->cell == cell) {
            break;
        }

        *before = n;
    }

    return n;
}


ngx_uint_t
ngx_olivine_sample_has(ngx_olivine_zone_t *zone, uint32_t page,
    ngx_uint_t cell)
{
    uint32_t  before;

    return ngx_olivine_sample_seek(zone, page, cell, &before) != 0;
}


ngx_int_t
ngx_olivine_sample_audit(ngx_olivine_tx_t *tx, u_char *err)
{
    uint32_t                 page, n;
    uint64_t                 count, free;
    ngx_olivine_page_t      *p;
    ngx_olivine_live_t      *live;
    ngx_olivine_zone_t      *zone;
    ngx_olivine_sampling_t  *sampling;

    zone = tx->zone;
    sampling = zone->sampling;
    count = 0;

    for (page = zone->heap.first; page < zone->heap.last; page += p->pages) {
        p = &zone->pages[page];

        if (p->kind == NGX_OLIVINE_PAGE_FREE
            || p->kind == NGX_OLIVINE_PAGE_VOID)
        {
            continue;
        }

        for (n = ngx_olivine_page_sample(p); n; n = live->next) {

            live = ngx_olivine_sample_live(zone, n);

            if (n >= sampling->high || live->row == 0 || live->page != page
                || count++ == sampling->count
                || (p->kind != NGX_OLIVINE_PAGE_ARENA
                    && (live->cell || live->next)))
            {
                ngx_sprintf(err, "sample %uD is not of page %uD%Z", n, page);
                return NGX_ERROR;
            }
        }
    }

    free = 0;

    for (n = sampling->free; n; n = live->next) {

        live = ngx_olivine_sample_live(zone, n);

        if (n >= sampling->high || live->row || free++ == sampling->high) {
            ngx_sprintf(err, "sample %uD is in the free list%Z", n);
            return NGX_ERROR;
        }
    }

    if (count != sampling->count || count + free + 1 != sampling->high) {
        ngx_sprintf(err, "%uL samples and %uL free of %uD, it says %uL%Z",
                    count, free, sampling->high, sampling->count);
        return NGX_ERROR;
    }

    return NGX_OK;
}
