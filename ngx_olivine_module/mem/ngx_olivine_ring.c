
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


/* a worker takes more credit than it needs, to ask rarely */
#define NGX_OLIVINE_RING_PORTION  65536
#define NGX_OLIVINE_RING_PART     64


static uint64_t ngx_olivine_ring_oldest(ngx_olivine_ring_t *ring);


ngx_int_t
ngx_olivine_ring_attach(ngx_olivine_tx_t *tx, size_t size, ngx_uint_t *n)
{
    uint32_t             page;
    ngx_int_t            rc;
    ngx_uint_t           i;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {
        if (ring->offsets[i] == 0) {
            break;
        }
    }

    if (i == NGX_OLIVINE_RING_READERS) {
        return NGX_ERROR;
    }

    if (ring->size == 0) {
        rc = ngx_olivine_heap_alloc(tx, ngx_olivine_pages(size),
                                    NGX_OLIVINE_PAGE_RING, 0, &page);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_tx_set32(tx, &ring->page, page);
        ngx_olivine_tx_set64(tx, &ring->size, size);
        ngx_olivine_tx_set64(tx, (uint64_t *) &ring->data,
                             (uint64_t) (uintptr_t)
                                 ngx_olivine_zone_page(tx->zone, page));
    }

    /* the new reader's bytes begin with a SELECT */

    ngx_olivine_tx_set32(tx, &ring->db, NGX_OLIVINE_RING_NO_DB);
    ngx_olivine_tx_set64(tx, &ring->offsets[i], ring->tail + 1);
    ngx_olivine_tx_set32(tx, &ring->readers, ring->readers + 1);

    *n = i;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_ring_detach(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    ngx_int_t            rc;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    ngx_olivine_tx_set64(tx, &ring->offsets[n], 0);
    ngx_olivine_tx_set32(tx, &ring->readers, ring->readers - 1);

    if (ring->readers) {
        return NGX_OK;
    }

    ngx_olivine_tx_set64(tx, &ring->size, 0);

    return ngx_olivine_heap_release(tx, ring->page);
}


size_t
ngx_olivine_ring_read(ngx_olivine_tx_t *tx, ngx_uint_t n, u_char *buf,
    size_t len)
{
    size_t               at, part;
    uint64_t             tail, offset;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    offset = ring->offsets[n] - 1;

    len = ngx_min(len, tail - offset);
    at = offset & (ring->size - 1);
    part = ngx_min(len, ring->size - at);

    ngx_memcpy(buf, ring->data + at, part);
    ngx_memcpy(buf + part, ring->data, len - part);

    __atomic_store_n(&ring->offsets[n], offset + len + 1, __ATOMIC_RELEASE);

    return len;
}


ngx_uint_t
ngx_olivine_ring_peek(ngx_olivine_zone_t *zone, uint64_t from, uint64_t to,
    struct iovec *iov, ngx_uint_t max, uint64_t *end, size_t *bytes)
{
    size_t               at, n, part;
    ngx_olivine_ring_t  *ring;

    ring = &zone->ring;
    n = to - from;
    at = from & (ring->size - 1);
    part = ngx_min(n, ring->size - at);

    iov[0].iov_base = ring->data + at;
    iov[0].iov_len = part;

    *end = to;
    *bytes = n;

    if (part == n) {
        return 1;
    }

    if (max == 1) {
        *end = from + part;
        *bytes = part;
        return 1;
    }

    iov[1].iov_base = ring->data;
    iov[1].iov_len = n - part;

    return 2;
}


void
ngx_olivine_ring_advance(ngx_olivine_tx_t *tx, ngx_uint_t n, uint64_t offset)
{
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    __atomic_store_n(&ring->offsets[n], offset + 1, __ATOMIC_RELEASE);

    if (__atomic_exchange_n(&ring->waiting, 0, __ATOMIC_ACQ_REL)) {
        ngx_olivine_slot_ring_all(tx->zone, NGX_OLIVINE_HINT_CREDIT);
    }
}


ngx_int_t
ngx_olivine_ring_credit(ngx_olivine_tx_t *tx, size_t n)
{
    uint64_t             taken, more;
    ngx_int_t            rc;
    ngx_uint_t           i;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    if (ngx_olivine_tx_lock_log(tx) != NGX_OK) {
        ngx_olivine_tx_unlock(tx);
        return NGX_AGAIN;
    }

    taken = ring->tail - ngx_olivine_ring_oldest(ring);

    for (i = 0; i < tx->zone->slots_high; i++) {
        taken += ngx_olivine_slot_at(tx->zone, i)->credit;
    }

    more = ngx_min(NGX_OLIVINE_RING_PORTION,
                   ring->size / NGX_OLIVINE_RING_PART);
    more = ngx_max(n, more);

    if (ring->size && taken + more <= ring->size) {
        n = more;
    }

    if (ring->size == 0 || taken + n > ring->size) {
        ring->waiting = 1;
        rc = NGX_AGAIN;

    } else {
        tx->slot->credit += n;
        ngx_olivine_step();

        rc = NGX_OK;
    }

    ngx_olivine_tx_unlock(tx);

    return rc;
}


void
ngx_olivine_ring_copy(ngx_olivine_ring_t *ring, uint64_t offset, u_char *p,
    size_t n)
{
    size_t  at, part;

    at = offset & (ring->size - 1);
    part = ngx_min(n, ring->size - at);

    ngx_memcpy(ring->data + at, p, part);
    ngx_memcpy(ring->data, p + part, n - part);

    ngx_olivine_barrier();
}


size_t
ngx_olivine_ring_select(u_char *p, uint32_t db)
{
    u_char     *end;
    u_char      text[NGX_INT_T_LEN];
    size_t      len;

    len = ngx_sprintf(text, "%uD", db) - text;
    end = ngx_sprintf(p, "*2" CRLF "$6" CRLF "SELECT" CRLF "$%uz" CRLF
                      "%*s" CRLF, len, len, text);

    return end - p;
}


static uint64_t
ngx_olivine_ring_oldest(ngx_olivine_ring_t *ring)
{
    uint64_t    oldest, offset;
    ngx_uint_t  i;

    oldest = ring->tail;

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {
        offset = __atomic_load_n(&ring->offsets[i], __ATOMIC_ACQUIRE);

        if (offset && offset - 1 < oldest) {
            oldest = offset - 1;
        }
    }

    return oldest;
}
