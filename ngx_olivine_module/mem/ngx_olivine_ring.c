
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


/* a worker takes more credit than it needs, to ask rarely */
#define NGX_OLIVINE_RING_PORTION  65536
#define NGX_OLIVINE_RING_PART     64


static size_t ngx_olivine_ring_more(ngx_olivine_tx_t *tx, size_t n);
static uint64_t ngx_olivine_ring_oldest(ngx_olivine_ring_t *ring);


size_t
ngx_olivine_ring_size(size_t limit)
{
    size_t  size;

    size = NGX_OLIVINE_RING_MIN;

    while (size < NGX_OLIVINE_RING_MAX && size * 2 <= limit / 16) {
        size *= 2;
    }

    return size;
}


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
    size_t               bytes, part;
    u_char              *p, *last;
    uint64_t             tail, offset, end;
    struct iovec         iov;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    offset = ring->offsets[n] - 1;

    p = buf;
    last = buf + len;

    while (p < last
           && ngx_olivine_ring_peek(tx->zone, offset, tail, &iov, 1, &end,
                                    &bytes))
    {
        part = ngx_min(bytes, (size_t) (last - p));

        if ((u_char *) iov.iov_base < ring->data
            || (u_char *) iov.iov_base >= ring->data + ring->size)
        {
            if (part < bytes) {
                break;
            }

            offset = end;

        } else {
            offset += part;
        }

        p = ngx_cpymem(p, iov.iov_base, part);
    }

    ngx_olivine_ring_advance(tx, n, offset);

    return p - buf;
}


ngx_uint_t
ngx_olivine_ring_peek(ngx_olivine_zone_t *zone, uint64_t from, uint64_t to,
    struct iovec *iov, ngx_uint_t max, uint64_t *end, size_t *bytes)
{
    size_t                  at, part;
    uint64_t                next;
    ngx_uint_t              i, n, count;
    ngx_olivine_ring_t     *ring;
    ngx_olivine_payload_t  *load, list[NGX_OLIVINE_PAYLOADS];

    ring = &zone->ring;
    count = ngx_olivine_payload_list(ring, from, to, list);

    *bytes = 0;

    for (i = 0, n = 0; n < max && from < to; n++) {

        load = (i < count) ? &list[i] : NULL;
        next = load ? load->at : to;

        if (from < next) {
            at = from & (ring->size - 1);
            part = ngx_min(next - from, ring->size - at);

            iov[n].iov_base = ring->data + at;
            iov[n].iov_len = part;

            from += part;

        } else {
            iov[n].iov_base = ngx_olivine_zone_page(zone, load->page)
                              + load->from;
            iov[n].iov_len = load->len;

            from += NGX_OLIVINE_PAYLOAD_STUB;
            i++;
        }

        *bytes += iov[n].iov_len;
    }

    *end = from;

    return n;
}


void
ngx_olivine_ring_advance(ngx_olivine_tx_t *tx, ngx_uint_t n, uint64_t offset)
{
    __atomic_store_n(&tx->zone->ring.offsets[n], offset + 1, __ATOMIC_SEQ_CST);

    ngx_olivine_step();

    ngx_olivine_ring_release(tx);
}


void
ngx_olivine_ring_release(ngx_olivine_tx_t *tx)
{
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    (void) ngx_olivine_payload_release(tx, ngx_olivine_ring_oldest(ring));

    if (__atomic_load_n(&ring->waiting, __ATOMIC_SEQ_CST)
        && __atomic_exchange_n(&ring->waiting, 0, __ATOMIC_ACQ_REL))
    {
        ngx_olivine_slot_ring_all(tx->zone, NGX_OLIVINE_HINT_CREDIT);
    }
}


ngx_int_t
ngx_olivine_ring_credit(ngx_olivine_tx_t *tx, size_t n)
{
    size_t               more;
    ngx_int_t            rc;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    if (ngx_olivine_tx_lock_log(tx) != NGX_OK) {
        ngx_olivine_tx_unlock(tx);
        return NGX_AGAIN;
    }

    n -= ngx_min(n, tx->slot->credit);
    more = ngx_olivine_ring_more(tx, n);

    if (more < n) {

        /* who advances meanwhile sees that, or is seen */

        __atomic_store_n(&ring->waiting, 1, __ATOMIC_SEQ_CST);

        more = ngx_olivine_ring_more(tx, n);
    }

    rc = NGX_AGAIN;

    if (more >= n) {
        tx->slot->credit += more;
        ngx_olivine_step();

        rc = NGX_OK;
    }

    ngx_olivine_tx_unlock(tx);

    return rc;
}


void
ngx_olivine_ring_portion(ngx_olivine_tx_t *tx)
{
    (void) ngx_olivine_ring_credit(tx, 0);
}


void
ngx_olivine_ring_yield(ngx_olivine_tx_t *tx)
{
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    if (ngx_olivine_likely(ring->waiting == 0) || tx->slot->credit == 0) {
        return;
    }

    __atomic_store_n(&tx->slot->credit, 0, __ATOMIC_SEQ_CST);

    ngx_olivine_ring_release(tx);
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


/*
 * What may be added to the slot's credit: a portion, or n bytes if that is too
 * much or less; 0 if there is no room for n.
 */

static size_t
ngx_olivine_ring_more(ngx_olivine_tx_t *tx, size_t n)
{
    uint64_t             taken;
    size_t               more;
    ngx_uint_t           i;
    ngx_olivine_ring_t  *ring;

    ring = &tx->zone->ring;

    taken = ring->tail - ngx_olivine_ring_oldest(ring);

    for (i = 0; i < tx->zone->slots_high; i++) {
        taken += ngx_olivine_slot_at(tx->zone, i)->credit;
    }

    if (taken > ring->size || ring->size - taken < n) {
        return 0;
    }

    more = ngx_min(NGX_OLIVINE_RING_PORTION,
                   ring->size / NGX_OLIVINE_RING_PART);
    more = ngx_max(n, more);

    return ring->size - taken < more ? n : more;
}


static uint64_t
ngx_olivine_ring_oldest(ngx_olivine_ring_t *ring)
{
    uint64_t    oldest, offset;
    ngx_uint_t  i;

    oldest = ring->tail;

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {
        offset = __atomic_load_n(&ring->offsets[i], __ATOMIC_SEQ_CST);

        if (offset && offset - 1 < oldest) {
            oldest = offset - 1;
        }
    }

    return oldest;
}
