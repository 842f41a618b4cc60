
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


#define NGX_OLIVINE_TX_FREES  64


#if (NGX_OLIVINE_ASAN)
static void ngx_olivine_journal_put(u_char *to, u_char *from, size_t n);
#else
#define ngx_olivine_journal_put  ngx_memcpy
#endif
static ngx_int_t ngx_olivine_tx_free_all(ngx_olivine_tx_t *tx);
static ngx_int_t ngx_olivine_tx_grow_journal(ngx_olivine_tx_t *tx, size_t n);
static void ngx_olivine_tx_own_journal(ngx_olivine_tx_t *tx);


void
ngx_olivine_tx_init(ngx_olivine_tx_t *tx, ngx_olivine_zone_t *zone,
    ngx_olivine_slot_t *slot, int fd)
{
    ngx_memzero(tx, sizeof(ngx_olivine_tx_t));

    tx->zone = zone;
    tx->slot = slot;
    tx->fd = fd;
    tx->owner = ngx_olivine_lock_owner(slot->number, slot->generation);
    tx->journal = slot->journal;
    tx->room = slot->room;
}


ngx_int_t
ngx_olivine_tx_lock_shard(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    uint64_t  bit;

    bit = (uint64_t) 1 << n;

    if (tx->shards & bit) {
        return NGX_OK;
    }

    if (ngx_olivine_lock_take(tx, &ngx_olivine_zone_arena(tx->zone, n)->lock)
        != NGX_OK)
    {
        return NGX_AGAIN;
    }

    tx->shards |= bit;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_tx_lock_all(ngx_olivine_tx_t *tx)
{
    ngx_uint_t  i;

    for (i = 0; i < tx->zone->nshards; i++) {
        if (ngx_olivine_tx_lock_shard(tx, i) != NGX_OK) {
            return NGX_AGAIN;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_tx_lock_params(ngx_olivine_tx_t *tx)
{
    if (!tx->params) {
        if (ngx_olivine_lock_take(tx, &tx->zone->params_lock) != NGX_OK) {
            return NGX_AGAIN;
        }

        tx->params = 1;
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_tx_lock_heap(ngx_olivine_tx_t *tx)
{
    if (!tx->heap) {
        if (ngx_olivine_lock_take(tx, &tx->zone->heap.lock) != NGX_OK) {
            return NGX_AGAIN;
        }

        tx->heap = 1;
    }

    return NGX_OK;
}


void
ngx_olivine_tx_lock_rows(ngx_olivine_tx_t *tx)
{
    uint32_t             word;
    ngx_olivine_lock_t  *lock;

    if (tx->rows) {
        return;
    }

    lock = &tx->zone->rows.lock;

    while (ngx_olivine_lock_take(tx, lock) != NGX_OK) {

        /* the gate is up, and whoever holds the lock may have died */

        word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);

        if (word) {
            (void) ngx_olivine_slot_dead(tx->zone,
                                         ngx_olivine_lock_slot(word));
        }
    }

    tx->rows = 1;
}


void
ngx_olivine_tx_unlock_rows(ngx_olivine_tx_t *tx)
{
    if (tx->rows) {
        tx->rows = 0;

        if (ngx_olivine_lock_free(&tx->zone->rows.lock)) {
            ngx_olivine_lock_wake(&tx->zone->rows.lock);
        }
    }
}


ngx_int_t
ngx_olivine_tx_lock_log(ngx_olivine_tx_t *tx)
{
    if (!tx->log) {
        if (ngx_olivine_lock_take(tx, &tx->zone->ring.lock) != NGX_OK) {
            return NGX_AGAIN;
        }

        tx->log = 1;
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_tx_free(ngx_olivine_tx_t *tx, void *p, size_t size)
{
    ngx_uint_t           n;
    ngx_olivine_free_t  *frees;

    if (ngx_olivine_unlikely(tx->nfrees == tx->afrees)) {

        n = ngx_max(tx->afrees * 2, NGX_OLIVINE_TX_FREES);

        frees = ngx_alloc(n * sizeof(ngx_olivine_free_t), ngx_cycle->log);
        if (frees == NULL) {
            return NGX_ERROR;
        }

        if (tx->frees) {
            ngx_memcpy(frees, tx->frees,
                       tx->nfrees * sizeof(ngx_olivine_free_t));
            ngx_free(tx->frees);
        }

        tx->frees = frees;
        tx->afrees = n;
    }

    tx->frees[tx->nfrees].p = p;
    tx->frees[tx->nfrees].size = size;
    tx->nfrees++;

    return NGX_OK;
}


void
ngx_olivine_tx_done(ngx_olivine_tx_t *tx)
{
    if (tx->frees) {
        ngx_free(tx->frees);
        tx->frees = NULL;
        tx->nfrees = 0;
        tx->afrees = 0;
    }

    if (tx->loads) {
        ngx_free(tx->loads);
        tx->loads = NULL;
        tx->nloads = 0;
        tx->aloads = 0;
    }
}


ngx_int_t
ngx_olivine_tx_commit(ngx_olivine_tx_t *tx, u_char *record, size_t len,
    uint32_t db)
{
    size_t               n;
    uint64_t             end, shards;
    u_char               select[NGX_OLIVINE_RING_SELECT];
    ngx_int_t            rc;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_ring_t  *ring;

    slot = tx->slot;
    ring = &tx->zone->ring;

    if (tx->nfrees) {
        rc = ngx_olivine_tx_free_all(tx);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (len == 0 || ring->readers == 0) {

        ngx_olivine_poison_commit(tx);

        if (slot->used) {
            ngx_olivine_barrier();
            slot->used = 0;
            ngx_olivine_barrier();

            ngx_olivine_step();
        }

        return NGX_OK;
    }

    if (slot->credit < len + NGX_OLIVINE_RING_SELECT) {
        tx->want_credit = len + NGX_OLIVINE_RING_SELECT;
        return NGX_AGAIN;
    }

    if (ngx_olivine_tx_lock_log(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    n = (ring->db != db) ? ngx_olivine_ring_select(select, db) : 0;

    if (tx->nloads) {
        rc = ngx_olivine_payload_enter(tx, ring->tail + n);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (n) {
        ngx_olivine_ring_copy(ring, ring->tail, select, n);
    }

    ngx_olivine_ring_copy(ring, ring->tail + n, record, len);

    len += n;
    end = ring->tail + len;

    /* a death behind the tail's store leaves the database to be restated */

    ring->db = NGX_OLIVINE_RING_NO_DB;

    for (shards = tx->shards; shards; shards &= shards - 1) {
        ngx_olivine_zone_arena(tx->zone, __builtin_ctzll(shards))->logged
            = end;
    }

    ngx_olivine_barrier();
    slot->log_end = end;
    ngx_olivine_barrier();

    ngx_olivine_step();

    __atomic_store_n(&ring->tail, end, __ATOMIC_RELEASE);   /* the commit */
    ngx_olivine_barrier();

    ngx_olivine_step();

    ring->db = db;
    slot->used = 0;
    ngx_olivine_barrier();

    ngx_olivine_step();

    slot->log_end = 0;
    ngx_olivine_barrier();

    ngx_olivine_step();

    slot->credit -= len;
    tx->logged = end;
    tx->nloads = 0;

    ngx_olivine_step();

    ngx_olivine_poison_commit(tx);

    return NGX_OK;
}


void
ngx_olivine_tx_undo(ngx_olivine_tx_t *tx)
{
    ngx_olivine_mark_t  mark;

    mark.used = 0;
    mark.nfrees = 0;
    mark.nloads = 0;

    ngx_olivine_tx_undo_to(tx, &mark);
}


void
ngx_olivine_tx_undo_to(ngx_olivine_tx_t *tx, ngx_olivine_mark_t *mark)
{
    tx->nfrees = mark->nfrees;
    tx->nloads = mark->nloads;

    if (tx->slot->used > mark->used) {
        ngx_olivine_journal_play(tx->slot, mark->used);
    }

    ngx_olivine_poison_undo(tx, mark->used);
}


void
ngx_olivine_tx_unlock(ngx_olivine_tx_t *tx)
{
    uint64_t             shards;
    ngx_uint_t           n;
    ngx_olivine_lock_t  *lock;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;

    if (ngx_olivine_unlikely(tx->log | tx->rows | tx->heap | tx->params)) {

        if (tx->log && ngx_olivine_lock_free(&zone->ring.lock)) {
            tx->wake[tx->nwake++] = &zone->ring.lock;
        }

        if (tx->rows && ngx_olivine_lock_free(&zone->rows.lock)) {
            tx->wake[tx->nwake++] = &zone->rows.lock;
        }

        if (tx->heap && ngx_olivine_lock_free(&zone->heap.lock)) {
            tx->wake[tx->nwake++] = &zone->heap.lock;
        }

        if (tx->params && ngx_olivine_lock_free(&zone->params_lock)) {
            tx->wake[tx->nwake++] = &zone->params_lock;
        }

        tx->log = 0;
        tx->rows = 0;
        tx->heap = 0;
        tx->params = 0;
    }

    for (shards = tx->shards; shards; shards &= shards - 1) {
        n = __builtin_ctzll(shards);
        lock = &ngx_olivine_zone_arena(zone, n)->lock;

        if (ngx_olivine_lock_free(lock)) {
            tx->wake[tx->nwake++] = lock;
        }
    }

    tx->shards = 0;
    tx->kept = 0;

    while (ngx_olivine_unlikely(tx->nwake)) {
        ngx_olivine_lock_wake(tx->wake[--tx->nwake]);
    }
}


ngx_int_t
ngx_olivine_tx_fetch(ngx_olivine_tx_t *tx)
{
    size_t      pages, room, credit;
    uint64_t    held;
    ngx_int_t   rc;
    ngx_uint_t  rows, loads, walk;

    pages = tx->want_pages;
    room = tx->want_room;
    credit = tx->want_credit;
    rows = tx->want_rows;
    loads = tx->want_loads;
    held = tx->want_held;
    walk = tx->want_walk;

    tx->want_pages = 0;
    tx->want_walk = 0;
    tx->want_room = 0;
    tx->want_credit = 0;
    tx->want_rows = 0;
    tx->want_loads = 0;

    if (pages) {
        rc = ngx_olivine_heap_grow(tx, pages);

    } else if (room) {
        rc = ngx_olivine_tx_grow_journal(tx, room);

    } else if (rows) {
        rc = ngx_olivine_row_back(tx, rows) == NGX_OK ? NGX_OK : NGX_ERROR;

    } else if (walk) {
        tx->zone->snapshot.waiting = 1;
        return NGX_DECLINED;

    } else if (credit) {
        return ngx_olivine_ring_credit(tx, credit) == NGX_OK ? NGX_OK
                                                             : NGX_DECLINED;

    } else if (loads) {
        return ngx_olivine_payload_wait(tx, held, loads) == NGX_OK
               ? NGX_OK : NGX_DECLINED;

    } else {
        return ngx_olivine_gate_up(tx) ? NGX_AGAIN : NGX_DECLINED;
    }

    if (rc == NGX_ERROR) {
        tx->full = 1;

        /* whole tables that are kept for a snapshot are the first to go */

        if (tx->zone->snapshot.tables) {
            tx->zone->snapshot.failed = 1;
        }
    }

    return rc;
}


void
ngx_olivine_tx_relax(ngx_olivine_tx_t *tx)
{
    ngx_int_t            rc;
    ngx_olivine_slot_t  *slot;

    slot = tx->slot;

    if (slot->journal_page == 0) {
        return;
    }

    ngx_olivine_tx_own_journal(tx);

    rc = ngx_olivine_heap_release(tx, slot->journal_page);

    if (rc == NGX_OK) {
        ngx_olivine_tx_set32(tx, &slot->journal_page, 0);
        rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
    }

    if (rc != NGX_OK) {
        ngx_olivine_tx_undo(tx);
    }

    ngx_olivine_tx_unlock(tx);
}


ngx_olivine_unchecked void
ngx_olivine_journal_play(ngx_olivine_slot_t *slot, size_t mark)
{
    size_t     n, used;
    uint64_t   word;
    u_char    *p;

    /*
     * Old bytes are put back from the newest on; the length shrinks after
     * each, so that a death here is continued by the next to come.
     */

    for (used = slot->used; used > mark; used = slot->used) {
        word = *(uint64_t *) (slot->journal + used - 8);
        n = word >> 48;
        p = (u_char *) (uintptr_t) (word & 0xffffffffffffULL);

        used -= 8 + ((n + 7) & ~(size_t) 7);

        ngx_olivine_journal_put(p, slot->journal + used, n);

        ngx_olivine_barrier();
        ngx_olivine_step();

        slot->used = used;

        ngx_olivine_barrier();
        ngx_olivine_step();
    }
}


#if (NGX_OLIVINE_ASAN)

/* ngx_memcpy() would look at what it writes to */

static ngx_olivine_unchecked void
ngx_olivine_journal_put(u_char *to, u_char *from, size_t n)
{
    volatile u_char *p = to;

    while (n--) {
        *p++ = *from++;
    }
}

#endif


ngx_int_t
ngx_olivine_tx_no_room(ngx_olivine_tx_t *tx, size_t n)
{
    if (tx->full) {
        return NGX_ERROR;
    }

    tx->want_room = tx->slot->used + n;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_olivine_tx_free_all(ngx_olivine_tx_t *tx)
{
    ngx_int_t            rc;
    ngx_uint_t           i;
    ngx_olivine_free_t  *f;

    for (i = 0; i < tx->nfrees; i++) {
        f = &tx->frees[i];

        if (f->size) {
            rc = ngx_olivine_arena_free_now(tx, f->p, f->size);

        } else {
            rc = ngx_olivine_heap_release_now(tx,
                                    ngx_olivine_zone_number(tx->zone, f->p));
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    tx->nfrees = 0;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_tx_grow_journal(ngx_olivine_tx_t *tx, size_t n)
{
    size_t               pages;
    uint32_t             page, old;
    ngx_int_t            rc;
    ngx_olivine_slot_t  *slot;

    slot = tx->slot;
    pages = ngx_olivine_pages(ngx_max(n, tx->room) * 2);
    old = slot->journal_page;

    /* the old journal serves this transaction, empty before and after */

    for ( ;; ) {
        tx->reserve = 1;

        rc = ngx_olivine_heap_alloc(tx, pages, NGX_OLIVINE_PAGE_JOURNAL, 0,
                                    &page);

        if (rc == NGX_OK && old) {
            rc = ngx_olivine_heap_release(tx, old);
        }

        tx->reserve = 0;

        if (rc == NGX_OK) {
            ngx_olivine_tx_set32(tx, &slot->journal_page, page);
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc == NGX_OK) {
            break;
        }

        ngx_olivine_tx_undo(tx);
        ngx_olivine_tx_unlock(tx);

        if (rc == NGX_ERROR || tx->want_pages == 0) {
            return rc;
        }

        pages = tx->want_pages;
        tx->want_pages = 0;

        rc = ngx_olivine_heap_grow(tx, pages);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    slot->journal = ngx_olivine_zone_page(tx->zone, page);
    slot->room = pages << NGX_OLIVINE_PAGE_SHIFT;

    tx->journal = slot->journal;
    tx->room = slot->room;

    ngx_olivine_tx_unlock(tx);

    return NGX_OK;
}


static void
ngx_olivine_tx_own_journal(ngx_olivine_tx_t *tx)
{
    ngx_olivine_slot_t  *slot;

    slot = tx->slot;

    slot->room = NGX_OLIVINE_SLOT_JOURNAL;
    slot->journal = slot->own_journal;

    tx->journal = slot->journal;
    tx->room = slot->room;
}
