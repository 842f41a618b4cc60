
/*
 * Copyright (C) The Olivine authors
 *
 * Samples: which code takes the zone's memory, and where it waits.
 *
 * Each slot has a table of rows in the zone.  A row is a kind, a stack, the
 * command that ran, and two sums; it is found by a hash of all but the sums.
 * The slot's owner alone writes the table, by plain stores outside of the
 * journal, and the slot's next owner goes on with it: so rows tell of all the
 * time since the zone was made, and whoever reads adds those of all slots up.
 * Where there is no more room, a row of its kind takes what is left over.
 *
 * A stack is taken along the frame pointers of our own code, and ends where
 * another object's begins.  Taking it, and adding to a row, is no system call,
 * allocates nothing and takes no lock.
 *
 * Memory.  Of the bytes that arenas and page heap give out about one in so
 * many (heap-sample-bytes) is drawn, and the cell or run that it is in becomes
 * a sample: bytes between two draws are exponentially distributed, so that no
 * pattern of sizes escapes.  A cell of size s is drawn with the probability
 * 1 - exp(-s / bytes), and counts for the reciprocal of that, at the rate that
 * is in force then; so the sums are true on average whatever sizes and rates
 * there were.  What a transaction took that was undone, or run again, counts
 * each time.
 *
 * What is in use: a second table has the samples that were not freed yet.  It
 * is changed by transactions, under the heap's lock, and hence exact whoever
 * frees, undoes or dies.  The samples within a run are a chain that begins in
 * the descriptor of its first page: so what is freed is looked up only if its
 * run has a sample, and a run may change its shard with all that is in it.
 */


#ifndef _NGX_OLIVINE_SAMPLE_H_INCLUDED_
#define _NGX_OLIVINE_SAMPLE_H_INCLUDED_


#include "mem/ngx_olivine_build.h"
#include "mem/ngx_olivine_lock.h"


#define NGX_OLIVINE_SAMPLE_SITES    16

/* rows of a slot; places for them by hash; rows that are backed at a time */
#define NGX_OLIVINE_SAMPLE_ROWS     1024
#define NGX_OLIVINE_SAMPLE_PLACES   2044
#define NGX_OLIVINE_SAMPLE_STEP     128

/* samples in use that are backed at a time, and the room there is for them */
#define NGX_OLIVINE_LIVE_STEP       1024
#define NGX_OLIVINE_LIVE_PART       65536
#define NGX_OLIVINE_LIVE_MAX        (1 << 22)

/* journal that a change of the table takes, and what it leaves to the caller */
#define NGX_OLIVINE_SAMPLE_ROOM     512

/* counts of memory are in parts of so many */
#define NGX_OLIVINE_SAMPLE_UNIT     256


typedef enum {
    NGX_OLIVINE_SAMPLE_HEAP = 0,
    NGX_OLIVINE_SAMPLE_MUTEX,        /* waited for a lock of the zone */
    NGX_OLIVINE_SAMPLE_BLOCK,        /* did not run */
    NGX_OLIVINE_SAMPLE_KINDS
} ngx_olivine_sample_e;


/* a row's label: MUTEX, BLOCK: the lock */
typedef enum {
    NGX_OLIVINE_SAMPLE_NO_LOCK = 0,
    NGX_OLIVINE_SAMPLE_SHARD,
    NGX_OLIVINE_SAMPLE_PARAMS,
    NGX_OLIVINE_SAMPLE_PAGES,
    NGX_OLIVINE_SAMPLE_ROW_TABLE,
    NGX_OLIVINE_SAMPLE_LOG,
    NGX_OLIVINE_SAMPLE_COMMANDLOG,
    NGX_OLIVINE_SAMPLE_MONITOR,
    NGX_OLIVINE_SAMPLE_HOTKEYS,
    NGX_OLIVINE_SAMPLE_LOCKS
} ngx_olivine_sample_lock_e;

extern ngx_str_t  ngx_olivine_sample_locks[NGX_OLIVINE_SAMPLE_LOCKS];


/* ... HEAP: the type of the value plus one, or this and the kind of the page */
#define NGX_OLIVINE_SAMPLE_PAGE     0x80


/* why nothing ran */
typedef enum {
    NGX_OLIVINE_BLOCK_NONE = 0,
    NGX_OLIVINE_BLOCK_LOCK,          /* asleep on a lock */
    NGX_OLIVINE_BLOCK_GATE,          /* parked: the gate was up */
    NGX_OLIVINE_BLOCK_CREDIT,        /* parked: the log had no room */
    NGX_OLIVINE_BLOCK_PAUSE,         /* parked: CLIENT PAUSE */
    NGX_OLIVINE_BLOCK_TIMER,         /* parked: it sleeps */
    NGX_OLIVINE_BLOCK_HELD,          /* replies waited for a write */
    NGX_OLIVINE_BLOCK_HELD_SYNC,     /* ... for a sync */
    NGX_OLIVINE_BLOCK_AOF_WRITE,     /* a thread's: append-only file */
    NGX_OLIVINE_BLOCK_AOF_SYNC,
    NGX_OLIVINE_BLOCK_SAVE_WRITE,    /* ... snapshot */
    NGX_OLIVINE_BLOCK_SAVE_SYNC,
    NGX_OLIVINE_BLOCKS
} ngx_olivine_block_e;


typedef struct {
    uint64_t        hash;
    uint16_t        command;         /* its number plus one, 0: none ran */
    uint8_t         kind;
    uint8_t         label;
    uint8_t         why;
    uint8_t         n;               /* sites */
    uint64_t        count;           /* HEAP: in NGX_OLIVINE_SAMPLE_UNITs */
    uint64_t        sum;             /* bytes, or nanoseconds */
    uint64_t        sites[NGX_OLIVINE_SAMPLE_SITES];  /* the innermost first */
} ngx_olivine_sample_row_t;


/* A slot's; the first rows are one a kind, for what found no room. */
typedef struct {
    uint32_t        n;               /* rows in use */
    uint32_t        backed;          /* rows that have memory */
    uint16_t        places[NGX_OLIVINE_SAMPLE_PLACES];   /* row, or 0 */
    ngx_olivine_sample_row_t  rows[NGX_OLIVINE_SAMPLE_ROWS];
} ngx_olivine_sample_table_t;


/* A sample that is in use. */
typedef struct {
    uint32_t        next;            /* in its run, or of the free ones */
    uint32_t        page;            /* the run's first */
    uint16_t        cell;            /* its number in an arena's run */
    uint16_t        slot;            /* whose table has the row, */
    uint32_t        row;             /* plus one; 0: free */
    uint64_t        count;           /* as in the row */
    uint64_t        sum;
} ngx_olivine_live_t;


/* Of the zone; the numbers of samples are those under the heap's lock. */
typedef struct {
    uint32_t        free;            /* first of those free again, 0: none */
    uint32_t        high;            /* ever used: 1..high-1 */
    uint32_t        backed;          /* that have memory: 0..backed-1 */
    uint32_t        places;          /* there is room for, ever */
    uint64_t        count;           /* in use */
    uint64_t        lost;            /* found no room, and are not followed */
    uint64_t        size;            /* bytes that all tables take */
    ngx_olivine_build_t  builds[NGX_OLIVINE_BUILDS];
} ngx_olivine_sampling_t;


/* A worker's own, in its ngx_olivine_tx_t. */
typedef struct {
    int64_t         left;            /* bytes until the next sample */
    uint64_t        bytes;           /* one a so many; 0: none at all */
    uint64_t        random;
    uint32_t        waits;           /* for locks, that were short */
    uint8_t         type;            /* of the value that is made, plus one */

    /* the number of the command that runs, or ERROR; NULL: not known */
    ngx_int_t     (*command)(void *data);
    void           *data;

    /* our code, and where the thread's stack ends */
    uint64_t        build;           /* shifted; 0: it is not listed */
    uintptr_t       base;
    uintptr_t       text;
    uintptr_t       end;
    uintptr_t       stack;
    uintptr_t       root;            /* ... and rows' stacks do; see below */
} ngx_olivine_sampler_t;


#define NGX_OLIVINE_SAMPLE_HEAD                                               \
    (offsetof(ngx_olivine_sample_table_t, rows))

#define NGX_OLIVINE_SAMPLE_SIZE                                               \
    (ngx_align(sizeof(ngx_olivine_sample_table_t), 4096))

#define ngx_olivine_sample_table(zone, n)                                     \
    ((ngx_olivine_sample_table_t *) ((zone)->samples                          \
                                     + (n) * NGX_OLIVINE_SAMPLE_SIZE))

#define ngx_olivine_sample_live(zone, n)                                      \
    ((ngx_olivine_live_t *) (zone)->live + (n))


/* Memory for the table of slot n, before it is used.  OK or ERROR. */
ngx_int_t ngx_olivine_sample_back(ngx_olivine_zone_t *zone, int fd,
    ngx_uint_t n);

/* The worker has claimed its slot; the calling thread is the one that runs. */
void ngx_olivine_sample_join(ngx_olivine_tx_t *tx);

/* One sample in so many bytes from now on; 0: none, 1: all there are. */
void ngx_olivine_sample_rate(ngx_olivine_tx_t *tx, uint64_t bytes);

/* With no lock held, now and then: memory for rows and samples to come. */
void ngx_olivine_sample_tick(ngx_olivine_tx_t *tx);

/*
 * The call sites from a frame (as __builtin_frame_address() has it) outwards:
 * the first is where the function that has the frame was called.  Their number.
 * For signal handlers, too.
 */
ngx_uint_t ngx_olivine_sample_stack(ngx_olivine_sampler_t *sampler,
    void *frame, uint64_t *sites, ngx_uint_t max);

/*
 * Who called a client's turn tells nothing, but would make several rows of one:
 * from begin to end rows' stacks have the calling function for their root.
 */
#define ngx_olivine_sample_begin(tx)                                          \
    (tx)->sampler.root = (uintptr_t) __builtin_frame_address(0)

#define ngx_olivine_sample_end(tx)  ((tx)->sampler.root = (tx)->sampler.stack)

/*
 * The row of that kind, of the stack from the frame (NULL: none) and the
 * command of that number (or ERROR); NULL if the slot's table has no memory.
 */
ngx_olivine_sample_row_t *ngx_olivine_sample_row(ngx_olivine_tx_t *tx,
    ngx_olivine_sample_e kind, ngx_uint_t label, ngx_uint_t why,
    ngx_int_t command, void *frame);

/* The command that runs. */
#define ngx_olivine_sample_command(tx)                                        \
    ((tx)->sampler.command ? (tx)->sampler.command((tx)->sampler.data)        \
                           : NGX_ERROR)

/* What a thread waited for, until its worker books it. */
typedef struct {
    uint64_t        n;
    uint64_t        ns;
} ngx_olivine_waited_t;

#define ngx_olivine_waited_since(waited, start)                               \
    (waited)->n++;                                                            \
    (waited)->ns += ngx_olivine_clock_since(start)

void ngx_olivine_sample_waited(ngx_olivine_tx_t *tx, ngx_olivine_block_e why,
    ngx_olivine_waited_t *waited);

/* n times nothing ran, for so long in all; that is over. */
void ngx_olivine_sample_blocked(ngx_olivine_tx_t *tx, ngx_olivine_block_e why,
    ngx_int_t command, uint64_t n, uint64_t ns);

/*
 * In a transaction, when sampler.left has run out: the cell, or (cell 0) the
 * run of pages, that begins in the run at the page is a sample.  DECLINED if
 * it is not to be followed.
 */
ngx_int_t ngx_olivine_sample_alloc(ngx_olivine_tx_t *tx, void *frame,
    uint32_t page, ngx_uint_t cell, size_t size, ngx_uint_t label);

/*
 * In a transaction that frees a cell, or a run of pages, of a run that has
 * samples: takes it off the table if it is one.  OK, AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_sample_free(ngx_olivine_tx_t *tx, uint32_t page,
    ngx_uint_t cell);

/* 1 if the cell in the run at the page is a sample. */
ngx_uint_t ngx_olivine_sample_has(ngx_olivine_zone_t *zone, uint32_t page,
    ngx_uint_t cell);

/*
 * With all shards and the page heap locked: looks that each sample is in the
 * chain of its run, or free.  OK, or ERROR with what is wrong in err.
 */
ngx_int_t ngx_olivine_sample_audit(ngx_olivine_tx_t *tx, u_char *err);


#endif /* _NGX_OLIVINE_SAMPLE_H_INCLUDED_ */
