
/*
 * Copyright (C) The Olivine authors
 *
 * Slots: what the zone knows of each worker.
 *
 * The worker's main thread claims a slot and keeps its robust mutex locked
 * for its whole life: EOWNERDEAD is the only death notice.  Recovery has two
 * stages.  The first needs no lock and is done by whoever meets the notice:
 * play the journal back unless the transaction was committed, then free every
 * lock that names the slot.  It may be repeated from any point.  The second
 * is done by somebody who holds no lock: what the slot held of the page heap
 * is given back, and the slot is free again.
 */


#ifndef _NGX_OLIVINE_SLOT_H_INCLUDED_
#define _NGX_OLIVINE_SLOT_H_INCLUDED_


#include <pthread.h>

#include "mem/ngx_olivine_heap.h"


#define NGX_OLIVINE_SLOT_SIZE       (20 * 4096)
#define NGX_OLIVINE_SLOT_JOURNAL    (16 * 4096)

/* bits of slot->hints, set by others, taken by the owner */
#define NGX_OLIVINE_HINT_GATE       0x01     /* the gate fell */
#define NGX_OLIVINE_HINT_CREDIT     0x02     /* the log has room again */
#define NGX_OLIVINE_HINT_PARAMS     0x04     /* a parameter changed */
#define NGX_OLIVINE_HINT_LOOK       0x08     /* look at everything */
#define NGX_OLIVINE_HINT_LEAVE      0x10     /* slots lack: close clients */
#define NGX_OLIVINE_HINT_CLIENTS    0x20     /* rows have orders */
#define NGX_OLIVINE_HINT_SHUTDOWN   0x40     /* the master is to end */
#define NGX_OLIVINE_HINT_DISK       0x80     /* its thread has done a job */
#define NGX_OLIVINE_HINT_AOF        0x100    /* replies kept back may go */
#define NGX_OLIVINE_HINT_SAVE       0x200    /* a snapshot is wanted */
#define NGX_OLIVINE_HINT_MONITOR    0x1000   /* clients in MONITOR have news */
#define NGX_OLIVINE_HINT_PROF       0x2000   /* a profile begins or ends */


typedef enum {
    NGX_OLIVINE_SLOT_FREE = 0,
    NGX_OLIVINE_SLOT_LIVE,
    NGX_OLIVINE_SLOT_SWEEP           /* dead, stage 2 is still to do */
} ngx_olivine_slot_e;


/*
 * Counters that a worker alone adds to.  They are not journalled; a dead
 * slot's are added to the zone's.
 */
typedef struct {
    uint64_t   commands;
    uint64_t   connections;          /* accepted since the start */
    uint64_t   rejected;             /* over maxclients */
    uint64_t   bytes_in;
    uint64_t   bytes_out;
    uint64_t   hits;
    uint64_t   misses;
    uint64_t   expired;
    uint64_t   errors;               /* error replies */
    uint64_t   protocol_errors;
    uint64_t   parked;               /* commands that had to wait */
    uint64_t   output_limit;         /* clients closed for their output */
    uint64_t   input_limit;          /* ... for their input */
    uint64_t   turns;                /* of the event loop */
    uint64_t   turns_ns;             /* and what they took */
    uint64_t   expire_ns;            /* ticks looked for expired keys */
    uint64_t   reads;                /* from sockets */
    uint64_t   writes;               /* to them */
    uint64_t   changes;              /* keys that commands changed */
} ngx_olivine_counters_t;

/* What a second added to some of them, and when that was looked at. */
typedef struct {
    int64_t    at;                   /* milliseconds */
    uint64_t   commands;
    uint64_t   bytes_in;
    uint64_t   bytes_out;
    uint64_t   turns;
    uint64_t   turns_ns;
} ngx_olivine_rates_t;

#define NGX_OLIVINE_COUNTERS                                                  \
    (sizeof(ngx_olivine_counters_t) / sizeof(uint64_t))


struct ngx_olivine_slot_s {
    uint32_t                  state;
    uint32_t                  generation;
    uint32_t                  number;
    uint32_t                  hints;
    uint32_t                  pid;
    uint32_t                  cycle;     /* generation of the configuration */
    uint32_t                  sweeper;   /* owner that is doing stage 2 */
    uint32_t                  leaving;   /* told to quit, takes no clients */

    /* the undo journal: bytes in use, its memory, its room */
    size_t                    used ngx_olivine_aligned(64);
    u_char                   *journal;
    size_t                    room;
    uint32_t                  journal_page;  /* its run, 0: the slot's own */

    /* the log: end of a record being committed, leave to write */
    uint64_t                  log_end;
    uint64_t                  credit;

    /* the run between FREE and VOID, and the run of holdings */
    uint32_t                  transit;
    uint32_t                  holdings;
    uint32_t                  nholdings;     /* room, in entries */
    uint32_t                  hholdings;     /* where to look for room */

    /* gauges, the owner's */
    uint32_t                  clients;
    uint32_t                  blocked;
    uint64_t                  buffers;       /* bytes that clients take */
    uint32_t                  watching;      /* clients that watch keys */
    uint32_t                  watched;       /* keys they watch */
    uint32_t                  monitors;      /* clients in MONITOR */

    uint32_t                  held;          /* clients whose replies wait for
                                                the append-only file */

    /* orders left in rows of its clients, not looked at yet */
    uint32_t                  ordered;

    /* the owner's maxima: turn of the loop, lock hold; microseconds of CPU */
    uint64_t                  longest_turn;
    uint64_t                  longest_hold;

    ngx_olivine_counters_t    counters ngx_olivine_aligned(64);
    ngx_olivine_rates_t       rates;
    ngx_olivine_rates_t       sample;        /* counters at rates.at */

    u_char                    own_journal[NGX_OLIVINE_SLOT_JOURNAL]
                                  ngx_olivine_aligned(64);
};


/* Makes all slots, free; before any worker. */
ngx_int_t ngx_olivine_slot_init(ngx_olivine_zone_t *zone);

/*
 * Claims a free slot for the calling thread; sweeps dead ones on the way.
 * OK; DECLINED: none is free; ERROR: no memory for its pages.
 */
ngx_int_t ngx_olivine_slot_claim(ngx_olivine_tx_t *tx,
    ngx_olivine_zone_t *zone, int fd, uint32_t cycle);

/*
 * The owner gives its slot back, with all it held.  The zone is not to be
 * written after it.
 */
void ngx_olivine_slot_leave(ngx_olivine_tx_t *tx);

/*
 * Looks whether the slot's owner died and does stage 1 if so.
 * 1: it did, or nobody is there; 0: it lives.
 */
ngx_uint_t ngx_olivine_slot_dead(ngx_olivine_zone_t *zone, ngx_uint_t n);

/*
 * Looks after slot n, and does stages 1 and 2 where its owner died; no lock
 * is held.  OK: there was something to do; DECLINED: nothing; AGAIN: the gate
 * is up, try later.
 */
ngx_int_t ngx_olivine_slot_sweep(ngx_olivine_tx_t *tx, ngx_uint_t n);

/* ngx_olivine_slot_sweep() for all slots; the number of those swept. */
ngx_uint_t ngx_olivine_slot_sweep_all(ngx_olivine_tx_t *tx);

/*
 * A lease is a word of the zone that names an owner.  OK: it is the caller's
 * now, or was; DECLINED: it is a living worker's.
 */
ngx_int_t ngx_olivine_lease_take(ngx_olivine_tx_t *tx, uint32_t *lease);
void ngx_olivine_lease_give(ngx_olivine_tx_t *tx, uint32_t *lease);

/* 1 if a living worker has it. */
ngx_uint_t ngx_olivine_lease_held(ngx_olivine_zone_t *zone, uint32_t lease);

/* Sets hints in slot n and rings its doorbell; a system call. */
void ngx_olivine_slot_ring(ngx_olivine_zone_t *zone, ngx_uint_t n,
    uint32_t hints);
void ngx_olivine_slot_ring_all(ngx_olivine_zone_t *zone, uint32_t hints);

/*
 * When no slot is free: of the workers that were told to quit and stay for
 * their clients' sake, those of the oldest configuration are asked to go.
 * Their number.
 */
ngx_uint_t ngx_olivine_slot_crowd(ngx_olivine_zone_t *zone);

/*
 * Whether there is a worker that is not leaving: any, or of another
 * configuration than cycle.
 */
ngx_uint_t ngx_olivine_slot_heirs(ngx_olivine_zone_t *zone);
ngx_uint_t ngx_olivine_slot_others(ngx_olivine_zone_t *zone, uint32_t cycle);

/* Bytes that the clients of all live slots take. */
uint64_t ngx_olivine_slot_buffers(ngx_olivine_zone_t *zone);

/* The zone's counters and those of all live slots, added up. */
void ngx_olivine_slot_counters(ngx_olivine_zone_t *zone,
    ngx_olivine_counters_t *sum);

/* The owner's: looks what the last second added, if one has gone by. */
void ngx_olivine_slot_rates(ngx_olivine_slot_t *slot, int64_t now);

/* 1 if what the slot counted is of this epoch, and not reset since. */
#define ngx_olivine_slot_counts(zone, n)                                      \
    (ngx_olivine_stats_at(zone, n)->epoch == (zone)->stats_epoch)

/* The body behind a slot's number. */
#define ngx_olivine_slot_at(zone, n)                                          \
    ((ngx_olivine_slot_t *) ((zone)->slots + (n) * NGX_OLIVINE_SLOT_SIZE))


#endif /* _NGX_OLIVINE_SLOT_H_INCLUDED_ */
