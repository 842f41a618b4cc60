
/*
 * Copyright (C) The Olivine authors
 *
 * The queue of payloads is in the ring's struct: loads_head and loads_tail
 * only grow, an entry is at its number modulo NGX_OLIVINE_PAYLOADS.  Entries
 * from the head on are free memory, so that only the head is journalled by
 * who enters some, under the log's lock; the same is true of the tail and of
 * who releases one.  Readers look at entries without a lock: those that they
 * have not passed are not released.
 */


#include "mem/ngx_olivine_journal.h"


#define ngx_olivine_payload_at(ring, n)                                       \
    (&(ring)->loads[(n) & (NGX_OLIVINE_PAYLOADS - 1)])


static ngx_int_t ngx_olivine_payload_room(ngx_olivine_tx_t *tx, ngx_uint_t n);
static ngx_uint_t ngx_olivine_payload_value(ngx_olivine_tx_t *tx, u_char *data,
    size_t len);
static ngx_int_t ngx_olivine_payload_run(ngx_olivine_tx_t *tx, size_t len,
    uint32_t *page);
static ngx_uint_t ngx_olivine_payload_fits(ngx_olivine_tx_t *tx,
    uint64_t pages, ngx_uint_t n);
static ngx_int_t ngx_olivine_payload_lock(ngx_olivine_tx_t *tx,
    ngx_olivine_payload_t *load, uint64_t n);
static ngx_int_t ngx_olivine_payload_drop(ngx_olivine_tx_t *tx,
    ngx_olivine_payload_t *load);


ngx_int_t
ngx_olivine_payload_add(ngx_olivine_tx_t *tx, size_t at, u_char *data,
    size_t len)
{
    uint32_t                page;
    ngx_int_t               rc;
    ngx_olivine_page_t     *p;
    ngx_olivine_payload_t  *load;

    rc = ngx_olivine_payload_room(tx, tx->nloads + 1);
    if (rc != NGX_OK) {
        return rc;
    }

    load = &tx->loads[tx->nloads];

    load->at = at;
    load->len = len;
    load->from = 0;

    if (ngx_olivine_payload_value(tx, data, len)) {

        rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
        if (rc != NGX_OK) {
            return rc;
        }

        page = ngx_olivine_zone_number(tx->zone, data);
        p = &tx->zone->pages[page];

        ngx_olivine_tx_set32(tx, &p->prev, p->prev + 1);

        load->kind = NGX_OLIVINE_PAYLOAD_PIN;

    } else {
        rc = ngx_olivine_payload_run(tx, len, &page);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_memcpy(ngx_olivine_zone_page(tx->zone, page), data, len);

        load->kind = NGX_OLIVINE_PAYLOAD_RUN;
    }

    load->page = page;
    tx->nloads++;

    return NGX_OK;
}


void
ngx_olivine_payload_shift(ngx_olivine_tx_t *tx, size_t n)
{
    ngx_uint_t  i;

    for (i = 0; i < tx->nloads; i++) {
        tx->loads[i].at -= n;
    }
}


ngx_int_t
ngx_olivine_payload_spill(ngx_olivine_tx_t *tx, u_char *record, size_t *len)
{
    size_t                  at, end, from, size;
    u_char                 *run;
    uint32_t                page;
    ngx_int_t               rc;
    ngx_uint_t              i, n, old;
    ngx_olivine_payload_t  *loads;

    old = tx->nloads;

    rc = ngx_olivine_payload_room(tx, 3 * old + 1);
    if (rc != NGX_OK) {
        return rc;
    }

    size = *len - old * NGX_OLIVINE_PAYLOAD_STUB;

    rc = ngx_olivine_payload_run(tx, size, &page);
    if (rc != NGX_OK) {
        return rc;
    }

    run = ngx_olivine_zone_page(tx->zone, page);

    /* the old ones make room at the list's beginning */

    loads = tx->loads + 2 * old + 1;
    ngx_memmove(loads, tx->loads, old * sizeof(ngx_olivine_payload_t));

    n = 0;
    at = 0;
    from = 0;

    for (i = 0; i <= old; i++) {
        end = (i < old) ? loads[i].at : *len;

        if (end > at) {
            tx->loads[n].len = end - at;
            tx->loads[n].from = from;
            tx->loads[n].page = page;
            tx->loads[n].kind = from + end - at == size
                                ? NGX_OLIVINE_PAYLOAD_RUN
                                : NGX_OLIVINE_PAYLOAD_PART;
            n++;

            ngx_memcpy(run + from, record + at, end - at);
            from += end - at;
        }

        if (i < old) {
            tx->loads[n++] = loads[i];
        }

        at = end + NGX_OLIVINE_PAYLOAD_STUB;
    }

    for (i = 0; i < n; i++) {
        tx->loads[i].at = i * NGX_OLIVINE_PAYLOAD_STUB;
    }

    tx->nloads = n;
    *len = n * NGX_OLIVINE_PAYLOAD_STUB;

    ngx_memzero(record, *len);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_payload_enter(ngx_olivine_tx_t *tx, uint64_t offset)
{
    uint64_t                pages, copies, n;
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_olivine_ring_t     *ring;
    ngx_olivine_payload_t  *load;

    ring = &tx->zone->ring;
    pages = 0;
    copies = 0;

    for (i = 0; i < tx->nloads; i++) {
        load = &tx->loads[i];
        n = ngx_olivine_payload_pages(load);
        pages += n;
        copies += (load->kind == NGX_OLIVINE_PAYLOAD_RUN) ? n : 0;
    }

    if (!ngx_olivine_payload_fits(tx, pages, tx->nloads)) {
        tx->want_loads = tx->nloads;
        tx->want_held = pages;
        return NGX_AGAIN;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    for (i = 0; i < tx->nloads; i++) {
        load = ngx_olivine_payload_at(ring, ring->loads_head + i);
        *load = tx->loads[i];
        load->at += offset;
    }

    ngx_olivine_tx_set64(tx, &ring->held, ring->held + pages);
    ngx_olivine_tx_set64(tx, &ring->copies, ring->copies + copies);
    ngx_olivine_tx_save64(tx, &ring->loads_head);

    __atomic_store_n(&ring->loads_head, ring->loads_head + tx->nloads,
                     __ATOMIC_RELEASE);
    ngx_olivine_step();

    return NGX_OK;
}


ngx_int_t
ngx_olivine_payload_wait(ngx_olivine_tx_t *tx, uint64_t pages, ngx_uint_t n)
{
    ngx_int_t            rc;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;
    rc = NGX_AGAIN;

    if (ngx_olivine_tx_lock_log(tx) == NGX_OK) {

        /* who releases looks at it after that, so nothing is missed */

        if (ngx_olivine_payload_fits(tx, pages, n)) {
            rc = NGX_OK;

        } else {
            __atomic_store_n(&ring->waiting, 1, __ATOMIC_SEQ_CST);
        }
    }

    ngx_olivine_tx_unlock(tx);

    return rc;
}


ngx_int_t
ngx_olivine_payload_release(ngx_olivine_tx_t *tx, uint64_t offset)
{
    uint64_t                n;
    ngx_int_t               rc;
    ngx_olivine_ring_t     *ring;
    ngx_olivine_payload_t   load;

    ring = &tx->zone->ring;

    for ( ;; ) {
        n = __atomic_load_n(&ring->loads_tail, __ATOMIC_ACQUIRE);

        if (n == __atomic_load_n(&ring->loads_head, __ATOMIC_ACQUIRE)) {
            return NGX_OK;
        }

        load = *ngx_olivine_payload_at(ring, n);

        if (load.at >= offset) {
            return NGX_OK;
        }

        rc = ngx_olivine_payload_lock(tx, &load, n);

        if (rc == NGX_OK) {
            rc = ngx_olivine_payload_drop(tx, &load);
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);

        /* DECLINED: it is another's by now, or its run another shard's */

        if (rc == NGX_AGAIN || rc == NGX_ERROR) {
            return rc;
        }
    }
}


ngx_uint_t
ngx_olivine_payload_list(ngx_olivine_ring_t *ring, uint64_t from, uint64_t to,
    ngx_olivine_payload_t *list)
{
    uint64_t                n;
    ngx_uint_t              i, count;
    ngx_olivine_payload_t  *end, load;

    /*
     * From the newest on, whose place in the queue may be another's already
     * when the tail is found to have passed it; then all before it are
     * released, too, and none of them is the reader's.
     */

    end = list + NGX_OLIVINE_PAYLOADS;
    count = 0;

    for (n = __atomic_load_n(&ring->loads_head, __ATOMIC_ACQUIRE);
         n-- > __atomic_load_n(&ring->loads_tail, __ATOMIC_ACQUIRE);
         /* void */ )
    {
        load = *ngx_olivine_payload_at(ring, n);
        ngx_olivine_barrier();

        if (n < __atomic_load_n(&ring->loads_tail, __ATOMIC_ACQUIRE)
            || load.at < from)
        {
            break;
        }

        if (load.at < to) {
            *--end = load;
            count++;
        }
    }

    for (i = 0; i < count; i++) {
        list[i] = end[i];
    }

    return count;
}


ngx_int_t
ngx_olivine_payload_audit(ngx_olivine_tx_t *tx, size_t *pins, size_t *runs,
    u_char *err)
{
    size_t                  pages, held, copies;
    uint64_t                n, before;
    ngx_uint_t              kind;
    ngx_olivine_page_t     *p;
    ngx_olivine_ring_t     *ring;
    ngx_olivine_payload_t  *load;

    ring = &tx->zone->ring;
    held = 0;
    copies = 0;
    before = 0;

    for (n = ring->loads_tail; n != ring->loads_head; n++) {
        load = ngx_olivine_payload_at(ring, n);
        p = &tx->zone->pages[load->page];
        pages = ngx_olivine_payload_pages(load);
        kind = NGX_OLIVINE_PAGE_LOG;
        held += pages;

        switch (load->kind) {

        case NGX_OLIVINE_PAYLOAD_PIN:
            kind = NGX_OLIVINE_PAGE_VALUE;
            (*pins)++;
            break;

        case NGX_OLIVINE_PAYLOAD_RUN:
            copies += pages;
            (*runs)++;
            break;
        }

        if (p->kind != kind || p->pages < pages
            || load->at < before
            || load->at + NGX_OLIVINE_PAYLOAD_STUB > ring->tail)
        {
            ngx_sprintf(err, "the log's payload %uL at %uL is not at page "
                        "%uD%Z", n, load->at, load->page);
            return NGX_ERROR;
        }

        before = load->at + NGX_OLIVINE_PAYLOAD_STUB;
    }

    if (n - ring->loads_tail > NGX_OLIVINE_PAYLOADS
        || held != ring->held || copies != ring->copies)
    {
        ngx_sprintf(err, "the log keeps %uz pages, %uz its own, it says %uL "
                    "and %uL%Z", held, copies, ring->held, ring->copies);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_payload_room(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    ngx_olivine_payload_t  *loads;

    if (n <= tx->aloads) {
        return NGX_OK;
    }

    n *= 2;

    loads = ngx_alloc(n * sizeof(ngx_olivine_payload_t), ngx_cycle->log);
    if (loads == NULL) {
        return NGX_ERROR;
    }

    if (tx->loads) {
        ngx_memcpy(loads, tx->loads,
                   tx->nloads * sizeof(ngx_olivine_payload_t));
        ngx_free(tx->loads);
    }

    tx->loads = loads;
    tx->aloads = n;

    return NGX_OK;
}


/* 1 if the bytes are a value that this transaction may pin. */

static ngx_uint_t
ngx_olivine_payload_value(ngx_olivine_tx_t *tx, u_char *data, size_t len)
{
    uint32_t             page;
    ngx_uint_t           i;
    ngx_olivine_page_t  *p;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;

    if (!ngx_olivine_zone_holds(tx->zone, data)
        || (uintptr_t) data % NGX_OLIVINE_PAGE)
    {
        return 0;
    }

    page = ngx_olivine_zone_number(tx->zone, data);

    if (page < heap->first || page >= heap->last) {
        return 0;
    }

    p = &tx->zone->pages[page];

    if (p->kind != NGX_OLIVINE_PAGE_VALUE
        || ngx_olivine_pages(len) > p->pages
        || ngx_olivine_page_orphan(p)
        || !(tx->shards >> p->shard & 1))
    {
        return 0;
    }

    /* a later argument of the same key may have taken its place */

    for (i = 0; i < tx->nfrees; i++) {
        if (tx->frees[i].p == data) {
            return 0;
        }
    }

    return 1;
}


static ngx_int_t
ngx_olivine_payload_run(ngx_olivine_tx_t *tx, size_t len, uint32_t *page)
{
    return ngx_olivine_heap_alloc(tx, ngx_olivine_pages(len),
                                  NGX_OLIVINE_PAGE_LOG, 0, page);
}


/*
 * All payloads take at most an eighth of the zone, but any record may be the
 * only one.
 */

static ngx_uint_t
ngx_olivine_payload_fits(ngx_olivine_tx_t *tx, uint64_t pages, ngx_uint_t n)
{
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    if (ring->loads_head == ring->loads_tail) {
        return 1;
    }

    return ring->loads_head - ring->loads_tail + n <= NGX_OLIVINE_PAYLOADS
           && ring->held + pages <= tx->zone->heap.limit / 8;
}


/*
 * Locks what releasing takes.  DECLINED if it was released meanwhile, or
 * moved: only under the locks is that known.
 */

static ngx_int_t
ngx_olivine_payload_lock(ngx_olivine_tx_t *tx, ngx_olivine_payload_t *load,
    uint64_t n)
{
    uint16_t             shard;
    ngx_uint_t           pinned;
    ngx_olivine_page_t  *p;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;
    p = &zone->pages[load->page];
    pinned = load->kind == NGX_OLIVINE_PAYLOAD_PIN;
    shard = *(volatile uint16_t *) &p->shard;

    if (pinned
        && (shard >= zone->nshards
            || ngx_olivine_tx_lock_shard(tx, shard) != NGX_OK))
    {
        return shard >= zone->nshards ? NGX_DECLINED : NGX_AGAIN;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK
        || ngx_olivine_tx_lock_log(tx) != NGX_OK)
    {
        return NGX_AGAIN;
    }

    if (zone->ring.loads_tail != n || (pinned && p->shard != shard)) {
        return NGX_DECLINED;
    }

    return ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
}


static ngx_int_t
ngx_olivine_payload_drop(ngx_olivine_tx_t *tx, ngx_olivine_payload_t *load)
{
    uint64_t             pages;
    ngx_int_t            rc;
    ngx_olivine_page_t  *p;
    ngx_olivine_heap_t  *heap;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;
    heap = &tx->zone->heap;
    p = &tx->zone->pages[load->page];
    pages = ngx_olivine_payload_pages(load);
    rc = NGX_OK;

    switch (load->kind) {

    case NGX_OLIVINE_PAYLOAD_PIN:
        ngx_olivine_tx_set32(tx, &p->prev, p->prev - 1);

        if (p->prev == 0 && ngx_olivine_page_orphan(p)) {
            ngx_olivine_tx_set64(tx, &heap->orphans,
                                 heap->orphans - p->pages);
            rc = ngx_olivine_heap_release(tx, load->page);
        }

        break;

    case NGX_OLIVINE_PAYLOAD_RUN:
        ngx_olivine_tx_set64(tx, &ring->copies, ring->copies - pages);
        rc = ngx_olivine_heap_release(tx, load->page);
        break;

    default:
        break;
    }

    ngx_olivine_tx_set64(tx, &ring->held, ring->held - pages);
    ngx_olivine_tx_save64(tx, &ring->loads_tail);

    __atomic_store_n(&ring->loads_tail, ring->loads_tail + 1,
                     __ATOMIC_RELEASE);
    ngx_olivine_step();

    return rc;
}
