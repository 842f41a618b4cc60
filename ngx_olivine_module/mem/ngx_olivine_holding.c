
/*
 * Copyright (C) The Olivine authors
 *
 * Runs that connections hold: pinned values and arguments coming in.
 */


#include "mem/ngx_olivine_journal.h"


static ngx_int_t ngx_olivine_holding_lock(ngx_olivine_tx_t *tx,
    ngx_olivine_page_t *p);
static ngx_int_t ngx_olivine_holding_grow(ngx_olivine_tx_t *tx);
static ngx_int_t ngx_olivine_receipt_allowed(ngx_olivine_tx_t *tx, size_t n);


#define ngx_olivine_holding_list(zone, slot)                                  \
    ((uint32_t *) ngx_olivine_zone_page(zone, (slot)->holdings))


ngx_int_t
ngx_olivine_holding_add(ngx_olivine_tx_t *tx, uint32_t page, uint32_t *index)
{
    uint32_t             i, n, *list;
    ngx_int_t            rc;
    ngx_olivine_slot_t  *slot;

    slot = tx->slot;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    list = ngx_olivine_holding_list(tx->zone, slot);
    i = slot->hholdings;

    for (n = 0; n < slot->nholdings; n++, i++) {

        if (i >= slot->nholdings) {
            i = 0;
        }

        if (list[i] == 0) {
            goto found;
        }
    }

    i = slot->nholdings;

    rc = ngx_olivine_holding_grow(tx);
    if (rc != NGX_OK) {
        return rc;
    }

    list = ngx_olivine_holding_list(tx->zone, slot);

found:

    ngx_olivine_tx_set32(tx, &list[i], page);
    slot->hholdings = i + 1;

    *index = i;

    return NGX_OK;
}


void
ngx_olivine_holding_remove(ngx_olivine_tx_t *tx, uint32_t index)
{
    uint32_t  *list;

    list = ngx_olivine_holding_list(tx->zone, tx->slot);

    ngx_olivine_tx_set32(tx, &list[index], 0);
    tx->slot->hholdings = index;
}


uint32_t
ngx_olivine_holding_page(ngx_olivine_tx_t *tx, uint32_t index)
{
    return ngx_olivine_holding_list(tx->zone, tx->slot)[index];
}


ngx_int_t
ngx_olivine_holding_clear(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot,
    uint32_t index)
{
    uint32_t             page, *list;
    ngx_int_t            rc;
    ngx_olivine_page_t  *p;
    ngx_olivine_heap_t  *heap;

    list = ngx_olivine_holding_list(tx->zone, slot);
    heap = &tx->zone->heap;
    page = list[index];

    if (page == 0) {
        return NGX_OK;
    }

    p = &tx->zone->pages[page];

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);

    if (rc == NGX_OK && p->kind == NGX_OLIVINE_PAGE_VALUE) {

        rc = ngx_olivine_holding_lock(tx, p);

        if (rc == NGX_OK) {
            ngx_olivine_tx_set32(tx, &p->prev, p->prev - 1);

            if (p->prev == 0 && ngx_olivine_page_orphan(p)) {
                rc = ngx_olivine_tx_lock_heap(tx);

                if (rc == NGX_OK) {
                    ngx_olivine_tx_set64(tx, &heap->orphans,
                                         heap->orphans - p->pages);
                    rc = ngx_olivine_heap_release(tx, page);
                }
            }
        }

    } else if (rc == NGX_OK) {

        rc = ngx_olivine_tx_lock_heap(tx);

        if (rc == NGX_OK) {
            ngx_olivine_tx_set64(tx, &heap->receipts,
                                 heap->receipts - p->pages);
            rc = ngx_olivine_heap_release(tx, page);
        }
    }

    if (rc == NGX_OK) {
        ngx_olivine_tx_set32(tx, &list[index], 0);
        rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        slot->hholdings = index;
    }

    if (rc != NGX_OK) {
        ngx_olivine_tx_undo(tx);
    }

    ngx_olivine_tx_unlock(tx);

    return rc;
}


ngx_int_t
ngx_olivine_pin(ngx_olivine_tx_t *tx, uint32_t page, uint32_t *index)
{
    ngx_int_t            rc;
    ngx_olivine_page_t  *p;

    rc = ngx_olivine_holding_add(tx, page, index);

    if (rc == NGX_OK) {
        p = &tx->zone->pages[page];
        ngx_olivine_tx_set32(tx, &p->prev, p->prev + 1);
    }

    return rc;
}


ngx_int_t
ngx_olivine_unpin(ngx_olivine_tx_t *tx, uint32_t index)
{
    return ngx_olivine_holding_clear(tx, tx->slot, index);
}


ngx_int_t
ngx_olivine_value_drop(ngx_olivine_tx_t *tx, uint32_t page)
{
    size_t                n;
    ngx_int_t             rc;
    ngx_olivine_page_t   *p;
    ngx_olivine_heap_t   *heap;
    ngx_olivine_arena_t  *arena;

    p = &tx->zone->pages[page];
    heap = &tx->zone->heap;
    arena = ngx_olivine_zone_arena(tx->zone, p->shard);

    if (p->prev == 0) {
        return ngx_olivine_arena_release(tx, arena, page);
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    n = (size_t) p->pages << NGX_OLIVINE_PAGE_SHIFT;

    ngx_olivine_tx_set32(tx, &p->next, p->next | NGX_OLIVINE_PAGE_ORPHAN);
    ngx_olivine_tx_set64(tx, &heap->orphans, heap->orphans + p->pages);
    ngx_olivine_tx_set64(tx, &arena->used, arena->used - n);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_receipt_open(ngx_olivine_tx_t *tx, size_t n, uint32_t *index)
{
    size_t               pages;
    uint32_t             page;
    ngx_int_t            rc;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;
    pages = ngx_olivine_pages(n);

    rc = ngx_olivine_receipt_allowed(tx, pages);

    if (rc == NGX_OK) {
        rc = ngx_olivine_heap_alloc(tx, pages, NGX_OLIVINE_PAGE_RECEIPT, 0,
                                    &page);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_holding_add(tx, page, index);
    }

    if (rc == NGX_OK) {
        ngx_olivine_tx_set64(tx, &heap->receipts, heap->receipts + pages);
        rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
    }

    if (rc != NGX_OK) {
        ngx_olivine_tx_undo(tx);
    }

    ngx_olivine_tx_unlock(tx);

    return rc;
}


ngx_int_t
ngx_olivine_receipt_extend(ngx_olivine_tx_t *tx, uint32_t index, size_t have,
    size_t n)
{
    size_t               pages, old;
    uint32_t             page, from, *list;
    ngx_int_t            rc;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;
    pages = ngx_olivine_pages(n);
    list = ngx_olivine_holding_list(tx->zone, tx->slot);
    from = list[index];
    old = tx->zone->pages[from].pages;

    if (pages <= old) {
        return NGX_OK;
    }

    rc = ngx_olivine_receipt_allowed(tx, pages - old);

    if (rc == NGX_OK) {
        rc = ngx_olivine_heap_alloc(tx, pages, NGX_OLIVINE_PAGE_RECEIPT, 0,
                                    &page);
    }

    /* the copy is made with no lock held: both runs are ours */

    if (rc == NGX_OK) {
        ngx_olivine_tx_set32(tx, &tx->slot->transit, page);
        ngx_olivine_tx_set(tx, &tx->zone->pages[page].kind,
                           &(uint8_t) { NGX_OLIVINE_PAGE_TRANSIT }, 1);
        ngx_olivine_tx_set64(tx, &heap->used, heap->used - pages);
        (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
        ngx_olivine_tx_unlock(tx);

    } else {
        ngx_olivine_tx_undo(tx);
        ngx_olivine_tx_unlock(tx);
        return rc;
    }

    ngx_memcpy(ngx_olivine_zone_page(tx->zone, page),
               ngx_olivine_zone_page(tx->zone, from), have);

    rc = ngx_olivine_tx_lock_heap(tx);

    if (rc == NGX_OK) {
        ngx_olivine_tx_set32(tx, &tx->slot->transit, 0);
        ngx_olivine_tx_set(tx, &tx->zone->pages[page].kind,
                           &(uint8_t) { NGX_OLIVINE_PAGE_RECEIPT }, 1);
        ngx_olivine_tx_set64(tx, &heap->used, heap->used + pages);
        ngx_olivine_tx_set64(tx, &heap->receipts,
                             heap->receipts + pages - old);
        ngx_olivine_tx_set32(tx, &list[index], page);

        rc = ngx_olivine_heap_release(tx, from);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
    }

    if (rc != NGX_OK) {

        /* the larger run stays in transit; whoever grows next lands it */

        ngx_olivine_tx_undo(tx);
    }

    ngx_olivine_tx_unlock(tx);

    return rc;
}


ngx_int_t
ngx_olivine_receipt_close(ngx_olivine_tx_t *tx, uint32_t index)
{
    return ngx_olivine_holding_clear(tx, tx->slot, index);
}


ngx_int_t
ngx_olivine_receipt_adopt(ngx_olivine_tx_t *tx, uint32_t index,
    ngx_uint_t shard, size_t n)
{
    size_t                pages;
    uint32_t              page;
    uint8_t               kind;
    uint16_t              owner;
    ngx_int_t             rc;
    ngx_olivine_page_t   *p;
    ngx_olivine_heap_t   *heap;
    ngx_olivine_arena_t  *arena;

    heap = &tx->zone->heap;
    arena = ngx_olivine_zone_arena(tx->zone, shard);
    page = ngx_olivine_holding_page(tx, index);
    p = &tx->zone->pages[page];

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    ngx_olivine_tx_set64(tx, &heap->receipts, heap->receipts - p->pages);

    pages = ngx_olivine_pages(n);

    if (pages < p->pages) {
        rc = ngx_olivine_heap_cut(tx, page, pages);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    kind = NGX_OLIVINE_PAGE_VALUE;
    owner = shard;

    ngx_olivine_tx_set(tx, &p->kind, &kind, 1);
    ngx_olivine_tx_set(tx, &p->shard, &owner, 2);
    ngx_olivine_tx_set64(tx, &arena->used,
                         arena->used + (pages << NGX_OLIVINE_PAGE_SHIFT));

    ngx_olivine_holding_remove(tx, index);

    /* only now is it known what it is for */

    ngx_olivine_sample_pages(tx, page, pages, NGX_OLIVINE_PAGE_VALUE);

    return NGX_OK;
}


/* Locks the shard of a VALUE run; a RENAME may give it to another's key. */

static ngx_int_t
ngx_olivine_holding_lock(ngx_olivine_tx_t *tx, ngx_olivine_page_t *p)
{
    uint16_t   shard;
    ngx_int_t  rc;

    for ( ;; ) {
        shard = *(volatile uint16_t *) &p->shard;

        rc = ngx_olivine_tx_lock_shard(tx, shard);

        if (rc != NGX_OK || *(volatile uint16_t *) &p->shard == shard) {
            return rc;
        }

        ngx_olivine_tx_unlock(tx);
    }
}


/* Makes the list, or doubles it. */

static ngx_int_t
ngx_olivine_holding_grow(ngx_olivine_tx_t *tx)
{
    size_t               n, pages;
    uint32_t             page;
    ngx_int_t            rc;
    ngx_olivine_slot_t  *slot;

    slot = tx->slot;
    n = slot->nholdings * sizeof(uint32_t);
    pages = n ? ngx_olivine_pages(n) * 2 : 1;

    rc = ngx_olivine_heap_alloc(tx, pages, NGX_OLIVINE_PAGE_HOLDINGS, 0,
                                &page);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_memcpy(ngx_olivine_zone_page(tx->zone, page),
               ngx_olivine_holding_list(tx->zone, slot), n);
    ngx_memzero(ngx_olivine_zone_page(tx->zone, page) + n,
                (pages << NGX_OLIVINE_PAGE_SHIFT) - n);

    if (n) {
        rc = ngx_olivine_heap_release(tx, slot->holdings);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_olivine_tx_set32(tx, &slot->holdings, page);
    ngx_olivine_tx_set32(tx, &slot->nholdings,
                         (pages << NGX_OLIVINE_PAGE_SHIFT)
                         / sizeof(uint32_t));

    return NGX_OK;
}


/* All arguments that are coming in take at most an eighth of the zone. */

static ngx_int_t
ngx_olivine_receipt_allowed(ngx_olivine_tx_t *tx, size_t n)
{
    ngx_int_t            rc;
    ngx_olivine_heap_t  *heap;

    heap = &tx->zone->heap;

    /* a gate met by an earlier one left its run in transit */

    rc = ngx_olivine_heap_settle(tx, tx->slot);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    return heap->receipts + n <= heap->limit / 8 ? NGX_OK : NGX_ERROR;
}
