
/*
 * Copyright (C) The Olivine authors
 *
 * Transactions on shared memory.
 *
 * A worker may die at any instruction.  Before it overwrites shared memory
 * it appends address and old bytes to the journal in its slot; whoever finds
 * it dead plays the journal back from its end, and the memory reads as if
 * the command had never begun.  Emptying the journal is the commit.  Memory
 * that was free before the transaction needs no record: undoing makes it
 * free again.  A process dies between instructions and the memory outlives
 * it, so compiler barriers are all the ordering there is.
 *
 * A record is the old bytes, padded to eight, and then one word:
 *
 *     | old bytes ... | length (16 bits) , address (48 bits) |
 *
 * so that playing back runs from the end without any other structure.
 *
 * With a log reader the commit is the store of the log's tail instead: see
 * ngx_olivine_tx_commit().
 *
 * Locks are taken through the transaction and kept until it is committed or
 * undone; only then is undoing by bytes right.
 *
 * What a transaction frees must not be given out again before it is
 * committed, since its bytes are no longer saved then.  So frees are only
 * noted, and made last of all by the commit, journalled like the rest.
 */


#ifndef _NGX_OLIVINE_JOURNAL_H_INCLUDED_
#define _NGX_OLIVINE_JOURNAL_H_INCLUDED_


#include "mem/ngx_olivine_lock.h"
#include "mem/ngx_olivine_poison.h"
#include "mem/ngx_olivine_sample.h"


/*
 * Room that ngx_olivine_tx_room() is asked for by small operations.  The ones
 * below the store (heap, arena, holdings) ask for more than they take: after
 * any of them 256 bytes are left for their caller's next saves.
 */
#define NGX_OLIVINE_JOURNAL_SMALL   2048

/* one record's bytes */
#define NGX_OLIVINE_JOURNAL_RECORD  8192


/* a cell of an arena, or (size 0) a run of pages, to be freed */

typedef struct {
    void                 *p;
    size_t                size;
} ngx_olivine_free_t;


typedef struct {
    size_t                used;
    ngx_uint_t            nfrees;
    ngx_uint_t            nloads;
} ngx_olivine_mark_t;


struct ngx_olivine_tx_s {
    ngx_olivine_zone_t   *zone;
    ngx_olivine_slot_t   *slot;
    uint32_t              owner;       /* this slot in a lock's word */
    int                   fd;          /* of the zone's memory */

    /* copies of the slot's words that do not change while a command runs */
    u_char               *journal;
    size_t                room;

    uint64_t              shards;      /* a bit for each shard lock held */
    unsigned              params:1;    /* the parameters' lock is held */
    unsigned              heap:1;      /* the page heap's lock is held */
    unsigned              rows:1;      /* the rows' lock is held */
    unsigned              log:1;       /* the log's lock is held */
    unsigned              gate:1;      /* this worker raised the gate */
    unsigned              reserve:1;   /* may use the last per cent */
    unsigned              full:1;      /* growing failed: AGAIN is ERROR */

    /* what an AGAIN lacked */
    size_t                want_pages;
    size_t                want_room;
    size_t                want_credit;
    ngx_uint_t            want_rows;
    ngx_uint_t            want_loads;  /* payloads of the log, their pages */
    uint64_t              want_held;
    ngx_uint_t            want_walk;   /* images of a snapshot are too many */
    size_t                kept;        /* bytes of images that it has added */

    ngx_uint_t            ways;        /* made for it in a full zone */

    uint64_t              logged;      /* where the last record ended, since
                                          somebody set it to 0 */

    ngx_uint_t            nfrees;
    ngx_uint_t            afrees;
    ngx_olivine_free_t   *frees;

    /* payloads of the record that is being made */
    ngx_uint_t            nloads;
    ngx_uint_t            aloads;
    ngx_olivine_payload_t  *loads;

    ngx_olivine_sampler_t  sampler;

    ngx_uint_t            nwake;
    ngx_olivine_lock_t   *wake[NGX_OLIVINE_MAX_SHARDS + 4];

#if (NGX_OLIVINE_ASAN)
    ngx_uint_t            nnotes;
    ngx_olivine_poison_note_t  notes[NGX_OLIVINE_POISON_NOTES];
#endif
};


#include "mem/ngx_olivine_zone.h"


/*
 * A point at which a test build may die.  Every journalled store, commit,
 * lock, unlock and step of recovery has one.
 */
#if (NGX_OLIVINE_TEST)
extern uint64_t  ngx_olivine_steps;
extern uint64_t  ngx_olivine_step_last;
void ngx_olivine_step(void);
#else
#define ngx_olivine_step()
#endif


/*
 * Prepares the private half of a transaction for a worker that claimed the
 * slot; used again for every command.
 */
void ngx_olivine_tx_init(ngx_olivine_tx_t *tx, ngx_olivine_zone_t *zone,
    ngx_olivine_slot_t *slot, int fd);

/*
 * Locks shards, page heap, parameters or log for the transaction; what is
 * held already costs nothing.  OK or AGAIN (the gate is up: undo).
 */
ngx_int_t ngx_olivine_tx_lock_shard(ngx_olivine_tx_t *tx, ngx_uint_t n);
ngx_int_t ngx_olivine_tx_lock_all(ngx_olivine_tx_t *tx);
ngx_int_t ngx_olivine_tx_lock_params(ngx_olivine_tx_t *tx);
ngx_int_t ngx_olivine_tx_lock_heap(ngx_olivine_tx_t *tx);
ngx_int_t ngx_olivine_tx_lock_log(ngx_olivine_tx_t *tx);

/*
 * The rows' lock is held for moments and by nobody who waits for another but
 * the log's, so it is waited for whether or not the gate is up.
 */
void ngx_olivine_tx_lock_rows(ngx_olivine_tx_t *tx);
void ngx_olivine_tx_unlock_rows(ngx_olivine_tx_t *tx);

/*
 * Notes that the commit is to free a cell (its arena is known by its page) or
 * a run.  OK, or ERROR without memory for the note.
 */
ngx_int_t ngx_olivine_tx_free(ngx_olivine_tx_t *tx, void *p, size_t size);

/* Frees the private memory of the notes. */
void ngx_olivine_tx_done(ngx_olivine_tx_t *tx);

/*
 * Makes what was noted free, then the transaction last; AGAIN if something
 * lacks, to be undone like any other.  Without a log reader the journal is
 * emptied.  With one, and a record, the record is copied behind the log's tail
 * and the tail's store is the commit, behind a SELECT if the log's database is
 * another than the record's; AGAIN (want_credit) if the slot's credit is less
 * than the record and NGX_OLIVINE_RING_SELECT, or (want_loads) if the log has
 * no room for the record's payloads.  Locks stay held.
 */
ngx_int_t ngx_olivine_tx_commit(ngx_olivine_tx_t *tx, u_char *record,
    size_t len, uint32_t db);

/* Plays the journal back, whole or down to a mark.  Locks stay held. */
void ngx_olivine_tx_undo(ngx_olivine_tx_t *tx);
void ngx_olivine_tx_undo_to(ngx_olivine_tx_t *tx, ngx_olivine_mark_t *mark);

/* Frees every lock the transaction holds, then wakes who slept on them. */
void ngx_olivine_tx_unlock(ngx_olivine_tx_t *tx);

/*
 * After an AGAIN, with no lock held: fetches what lacked (pages, journal
 * room, credit, rows).  OK: run again; AGAIN: the gate is up; DECLINED: there
 * was nothing lacking, or the log has no room now; ERROR: no memory, which
 * also sets tx->full, so that the next run ends with ERROR where it would
 * say AGAIN.
 */
ngx_int_t ngx_olivine_tx_fetch(ngx_olivine_tx_t *tx);

/*
 * However it ended, whoever fetched is done with it: the next one begins with
 * nothing refused.
 */
#define ngx_olivine_tx_fetched(tx)                                            \
    (tx)->full = 0;                                                           \
    (tx)->ways = 0

/* Gives a grown journal back; for the end of a turn, no lock held. */
void ngx_olivine_tx_relax(ngx_olivine_tx_t *tx);

/* Plays back a slot's journal from used down to mark; for recovery too. */
void ngx_olivine_journal_play(ngx_olivine_slot_t *slot, size_t mark);

/* The slow end of ngx_olivine_tx_room(). */
ngx_int_t ngx_olivine_tx_no_room(ngx_olivine_tx_t *tx, size_t n);


/* Where the transaction stands, for ngx_olivine_tx_undo_to(). */
#define ngx_olivine_tx_mark(tx, mark)                                         \
    (mark)->used = (tx)->slot->used;                                          \
    (mark)->nfrees = (tx)->nfrees;                                            \
    (mark)->nloads = (tx)->nloads


/*
 * Looks that n more bytes of records fit.  OK, AGAIN (want_room), or ERROR.
 * Every operation asks once, before its first save; saves do not check.
 */
static ngx_inline ngx_int_t
ngx_olivine_tx_room(ngx_olivine_tx_t *tx, size_t n)
{
    if (ngx_olivine_likely(tx->room - tx->slot->used >= n)) {
        return NGX_OK;
    }

    return ngx_olivine_tx_no_room(tx, n);
}


/* Notes the word's value; p is aligned to eight. */
static ngx_inline void
ngx_olivine_tx_save64(ngx_olivine_tx_t *tx, void *p)
{
    size_t     used;
    uint64_t  *r;

    used = tx->slot->used;
    r = (uint64_t *) (tx->journal + used);

    r[0] = *(uint64_t *) p;
    r[1] = (uint64_t) (uintptr_t) p | (uint64_t) 8 << 48;

    ngx_olivine_barrier();

    tx->slot->used = used + 16;

    ngx_olivine_barrier();

    ngx_olivine_step();
}


/* Notes n bytes, at most NGX_OLIVINE_JOURNAL_RECORD. */
static ngx_inline void
ngx_olivine_tx_save(ngx_olivine_tx_t *tx, void *p, size_t n)
{
    size_t   used, room;
    u_char  *r;

    used = tx->slot->used;
    room = (n + 7) & ~(size_t) 7;
    r = tx->journal + used;

    ngx_memcpy(r, p, n);
    *(uint64_t *) (r + room) = (uint64_t) (uintptr_t) p | (uint64_t) n << 48;

    ngx_olivine_barrier();

    tx->slot->used = used + room + 8;

    ngx_olivine_barrier();

    ngx_olivine_step();
}


/* Notes and stores. */
static ngx_inline void
ngx_olivine_tx_set64(ngx_olivine_tx_t *tx, uint64_t *p, uint64_t value)
{
    ngx_olivine_tx_save64(tx, p);
    *p = value;
    ngx_olivine_step();
}


static ngx_inline void
ngx_olivine_tx_set32(ngx_olivine_tx_t *tx, uint32_t *p, uint32_t value)
{
    ngx_olivine_tx_save(tx, p, 4);
    *p = value;
    ngx_olivine_step();
}


static ngx_inline void
ngx_olivine_tx_set(ngx_olivine_tx_t *tx, void *p, const void *value, size_t n)
{
    ngx_olivine_tx_save(tx, p, n);
    ngx_memcpy(p, value, n);
    ngx_olivine_step();
}


/*
 * Takes the lock for the transaction's slot.  OK; AGAIN if the gate went up
 * meanwhile (the caller gives up all it did and is run again later).
 * The lock order is: shards ascending, params, page heap, rows,
 * log, command log, monitors or hot keys.
 */
static ngx_inline ngx_int_t
ngx_olivine_lock_take(ngx_olivine_tx_t *tx, ngx_olivine_lock_t *lock)
{
    uint32_t  expected;

    expected = 0;

    if (ngx_olivine_likely(__atomic_compare_exchange_n(&lock->word, &expected,
                                                       tx->owner, 0,
                                                       __ATOMIC_ACQUIRE,
                                                       __ATOMIC_RELAXED)))
    {
        ngx_olivine_step();
        return NGX_OK;
    }

    return ngx_olivine_lock_wait(tx, lock);
}


/* A run of pages was taken: it may be a sample. */
static ngx_inline void
ngx_olivine_sample_pages(ngx_olivine_tx_t *tx, uint32_t page, size_t n,
    ngx_uint_t kind)
{
    tx->sampler.left -= n << NGX_OLIVINE_PAGE_SHIFT;

    if (ngx_olivine_unlikely(tx->sampler.left < 0)) {
        (void) ngx_olivine_sample_alloc(tx, __builtin_frame_address(0), page,
                                        0, n << NGX_OLIVINE_PAGE_SHIFT,
                                        tx->sampler.type
                                            ? tx->sampler.type
                                            : NGX_OLIVINE_SAMPLE_PAGE | kind);
    }
}


/* Frees the lock; 1 if somebody must be woken afterwards. */
static ngx_inline ngx_uint_t
ngx_olivine_lock_free(ngx_olivine_lock_t *lock)
{
    uint32_t  word;

    word = __atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE);

    ngx_olivine_step();

    return word >> 31;
}


#endif /* _NGX_OLIVINE_JOURNAL_H_INCLUDED_ */
