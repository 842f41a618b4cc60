
/*
 * Copyright (C) The Olivine authors
 *
 * The log's ring: RESP commands that replay every change, in the order of
 * the data.  Offsets only grow.  Readers (an append-only file, replicas) come
 * and go only while all shard locks are held, so whoever holds any of them
 * knows whether there is one; without a reader the log is never touched.
 *
 * Credit comes first: before its locks a worker takes leave to write a number
 * of bytes, kept in its slot.  Credits and unread bytes together never exceed
 * the ring, so a commit never waits for room.  Positions are given at commit.
 *
 * A payload takes eight bytes of the ring, whatever it stands for; offsets
 * count those.
 */


#ifndef _NGX_OLIVINE_RING_H_INCLUDED_
#define _NGX_OLIVINE_RING_H_INCLUDED_


#include <sys/uio.h>

#include "mem/ngx_olivine_lock.h"
#include "mem/ngx_olivine_payload.h"


#define NGX_OLIVINE_RING_READERS  32

/* the longest SELECT that a commit puts before its record */
#define NGX_OLIVINE_RING_SELECT   48

#define NGX_OLIVINE_RING_NO_DB    0xffffffffu

/* a worker with less credit asks for a portion before it takes locks */
#define NGX_OLIVINE_RING_LOW      1024

#define NGX_OLIVINE_RING_MIN      (512 * 1024)
#define NGX_OLIVINE_RING_MAX      (64 * 1024 * 1024)

/* a record that is longer, without its payloads, becomes one itself */
#define ngx_olivine_ring_record(ring)  ((ring)->size / 4)


struct ngx_olivine_ring_s {
    ngx_olivine_lock_t   lock;
    uint32_t             readers;    /* attached */
    uint64_t             tail;       /* offset behind the last record */
    uint64_t             size;       /* bytes, a power of two; 0: no ring */
    u_char              *data;
    uint32_t             page;       /* its run */
    uint32_t             db;         /* that the log has selected */
    uint32_t             waiting;    /* somebody was refused room */
    uint64_t             offsets[NGX_OLIVINE_RING_READERS]; /* read so far,
                                                               plus one */

    uint64_t             loads_head; /* payloads entered, */
    uint64_t             loads_tail; /* and released */
    uint64_t             held;       /* pages that they keep, */
    uint64_t             copies;     /* and of them the log's own */
    ngx_olivine_payload_t  loads[NGX_OLIVINE_PAYLOADS];
};


/* Bytes for the ring of a zone with that limit. */
size_t ngx_olivine_ring_size(size_t limit);

/*
 * Attaches a reader at the tail; makes a ring of the size if there is none.
 * Takes all shard locks and keeps them.  OK (n), AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_ring_attach(ngx_olivine_tx_t *tx, size_t size,
    ngx_uint_t *n);

/*
 * Detaches the reader; the last one to go frees the ring.  Payloads that no
 * other reader needs go by ngx_olivine_ring_release() after the commit.
 * OK or AGAIN.
 */
ngx_int_t ngx_olivine_ring_detach(ngx_olivine_tx_t *tx, ngx_uint_t n);

/*
 * With no lock held: up to len bytes from the reader's offset on, to which a
 * payload belongs whole; advances it.  The count.
 */
size_t ngx_olivine_ring_read(ngx_olivine_tx_t *tx, ngx_uint_t n, u_char *buf,
    size_t len);

/*
 * Pieces of memory, at most max, with what stands in the log from an offset
 * to another or to *end before it; bytes: in all of them.  Both offsets are
 * no more than the tail, and not inside of a stub.  They stay until the
 * reader's offset passes.  Takes no lock; any thread may call it.
 */
ngx_uint_t ngx_olivine_ring_peek(ngx_olivine_zone_t *zone, uint64_t from,
    uint64_t to, struct iovec *iov, ngx_uint_t max, uint64_t *end,
    size_t *bytes);

/* With no lock held: the reader is done with what is before the offset. */
void ngx_olivine_ring_advance(ngx_olivine_tx_t *tx, ngx_uint_t n,
    uint64_t offset);

/*
 * With no lock held: gives up what no reader needs any more, and tells those
 * who wait for room.
 */
void ngx_olivine_ring_release(ngx_olivine_tx_t *tx);

/*
 * With no lock held, and a reader: makes the slot's credit n bytes or more.
 * OK, or AGAIN if the readers are too far behind.
 */
ngx_int_t ngx_olivine_ring_credit(ngx_olivine_tx_t *tx, size_t n);

/* With no lock held: takes a portion of credit, if there is one. */
void ngx_olivine_ring_portion(ngx_olivine_tx_t *tx);

/* With no lock held: if somebody waits, this slot's credit is returned. */
void ngx_olivine_ring_yield(ngx_olivine_tx_t *tx);

/* whether to ask for a portion; for who is going to take locks */
#define ngx_olivine_ring_low(tx)                                              \
    (ngx_olivine_unlikely((tx)->zone->ring.readers != 0)                      \
     && (tx)->slot->credit < NGX_OLIVINE_RING_LOW                             \
     && (tx)->zone->ring.waiting == 0)

/* Copies bytes to an offset; the log's lock is held, credit is there. */
void ngx_olivine_ring_copy(ngx_olivine_ring_t *ring, uint64_t offset,
    u_char *p, size_t n);

/* Writes a SELECT to p; its length. */
size_t ngx_olivine_ring_select(u_char *p, uint32_t db);


#endif /* _NGX_OLIVINE_RING_H_INCLUDED_ */
