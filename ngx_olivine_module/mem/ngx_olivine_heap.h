
/*
 * Copyright (C) The Olivine authors
 *
 * The page heap: runs of 4 KB pages for arenas, tables, big values.
 *
 * A descriptor of 16 bytes stands for each page of the reserve.  A run is
 * free and backed by memory (FREE), free and a hole in the file (VOID), in
 * somebody's hands between the two (TRANSIT), or in use.  Free runs are in
 * bins by size, with boundary tags in the descriptors of their first and last
 * page, and merge with free neighbours of their kind.  Descriptors inside a
 * free run mean nothing, so they need no journal when a run is taken.
 *
 * Only FREE runs are handed out.  Where there is none the caller gets AGAIN,
 * gives up its locks, and ngx_olivine_heap_grow() has the kernel back a VOID
 * run by fallocate(), so that a full host is an error here and not a signal
 * later.  The reserve is larger than the limit, so a run of any size can be
 * found however the memory in use is scattered.
 */


#ifndef _NGX_OLIVINE_HEAP_H_INCLUDED_
#define _NGX_OLIVINE_HEAP_H_INCLUDED_


#include "mem/ngx_olivine_lock.h"


#define NGX_OLIVINE_PAGE_SHIFT     12
#define NGX_OLIVINE_PAGE           4096

#define ngx_olivine_pages(size)                                               \
    (((size) + NGX_OLIVINE_PAGE - 1) >> NGX_OLIVINE_PAGE_SHIFT)

#define NGX_OLIVINE_HEAP_EXACT     32
#define NGX_OLIVINE_HEAP_BINS      (NGX_OLIVINE_HEAP_EXACT + 27 * 4)
#define NGX_OLIVINE_HEAP_WORDS     ((NGX_OLIVINE_HEAP_BINS + 63) / 64)

/* what one call of grow or trim moves, at the most, when nothing asks more */
#define NGX_OLIVINE_HEAP_STEP      128


typedef enum {
    NGX_OLIVINE_PAGE_NONE = 0,       /* not the heap's */
    NGX_OLIVINE_PAGE_FREE,
    NGX_OLIVINE_PAGE_VOID,
    NGX_OLIVINE_PAGE_TRANSIT,
    NGX_OLIVINE_PAGE_INNER,          /* not the first page of a run in use */
    NGX_OLIVINE_PAGE_ARENA,
    NGX_OLIVINE_PAGE_TABLE,
    NGX_OLIVINE_PAGE_VALUE,
    NGX_OLIVINE_PAGE_RECEIPT,        /* a big argument that is coming in */
    NGX_OLIVINE_PAGE_JOURNAL,
    NGX_OLIVINE_PAGE_HOLDINGS,
    NGX_OLIVINE_PAGE_RING,
    NGX_OLIVINE_PAGE_LOG,            /* bytes that the ring refers to */
    NGX_OLIVINE_PAGE_KINDS
} ngx_olivine_page_e;


typedef struct {
    uint8_t    kind;
    uint8_t    class;                /* ARENA: size class */
    uint16_t   shard;                /* ARENA, TABLE, VALUE: whose */
    uint32_t   pages;                /* INNER: distance to the first page */
    uint32_t   prev;                 /* free: list; VALUE: pins on the run */
    uint32_t   next;                 /* free: list; in use: twice the first of
                                        its samples, and 1 if it is a VALUE
                                        that no key has */
} ngx_olivine_page_t;


#define NGX_OLIVINE_PAGE_ORPHAN    1

#define ngx_olivine_page_orphan(p)                                            \
    ((p)->next & NGX_OLIVINE_PAGE_ORPHAN)

#define ngx_olivine_page_sample(p)  ((p)->next >> 1)

#define ngx_olivine_page_sampled(p, n)                                        \
    ((n) << 1 | ngx_olivine_page_orphan(p))


typedef struct {
    ngx_olivine_lock_t   lock;
    uint32_t             first;      /* page of the heap */
    uint32_t             last;       /* page behind the heap */
    uint32_t             described;  /* descriptors backed: 0..described-1 */
    uint64_t             limit;      /* pages that may be backed by memory */
    uint64_t             backed;     /* FREE, TRANSIT and in use */
    uint64_t             used;
    uint64_t             orphans;    /* pages of pinned runs no key holds */
    uint64_t             receipts;   /* pages of arguments coming in */
    uint64_t             map[2][NGX_OLIVINE_HEAP_WORDS];
    uint32_t             bins[2][NGX_OLIVINE_HEAP_BINS + 4];
} ngx_olivine_heap_t;


/* Lays the heap over pages first..last-1, all VOID; before any worker. */
void ngx_olivine_heap_init(ngx_olivine_zone_t *zone, uint32_t first,
    uint32_t last, uint32_t described, uint64_t limit);

/*
 * Takes a run of n pages; takes the heap's lock, too, and keeps it until the
 * end of the transaction.  The bytes are whatever they were.  OK, AGAIN
 * (want_pages, or the gate), ERROR (the zone is full).
 */
ngx_int_t ngx_olivine_heap_alloc(ngx_olivine_tx_t *tx, size_t n,
    ngx_olivine_page_e kind, ngx_uint_t shard, uint32_t *page);

/*
 * Gives the run that begins at the page back at the commit; takes the heap's
 * lock.  OK, AGAIN (the gate), ERROR.
 */
ngx_int_t ngx_olivine_heap_release(ngx_olivine_tx_t *tx, uint32_t page);

/* The commit's: gives the run back.  OK or AGAIN. */
ngx_int_t ngx_olivine_heap_release_now(ngx_olivine_tx_t *tx, uint32_t page);

/* Gives back what a run in use has beyond its first n pages.  OK or AGAIN. */
ngx_int_t ngx_olivine_heap_cut(ngx_olivine_tx_t *tx, uint32_t page, size_t n);

/*
 * With no lock held: backs at least n more pages with memory.
 * OK, AGAIN (the gate), ERROR (the limit, or the host is full).
 */
ngx_int_t ngx_olivine_heap_grow(ngx_olivine_tx_t *tx, size_t n);

/*
 * With no lock held: returns free pages above the number to keep to the
 * kernel, a step of them.  OK: did some; DECLINED: nothing to do; AGAIN.
 */
ngx_int_t ngx_olivine_heap_trim(ngx_olivine_tx_t *tx, size_t keep);

/* With no lock held: puts a dead slot's run in transit back. */
ngx_int_t ngx_olivine_heap_settle(ngx_olivine_tx_t *tx,
    ngx_olivine_slot_t *slot);

/*
 * Walks all descriptors under the heap's lock.  OK, or ERROR with what is
 * wrong in err (at least 256 bytes).
 */
ngx_int_t ngx_olivine_heap_audit(ngx_olivine_tx_t *tx, u_char *err);


#endif /* _NGX_OLIVINE_HEAP_H_INCLUDED_ */
