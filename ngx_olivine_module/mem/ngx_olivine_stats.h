
/*
 * Copyright (C) The Olivine authors
 *
 * What workers count of commands and errors.
 *
 * Each slot has a part that its owner alone adds to, by plain stores outside
 * of the journal: a worker that dies loses what it was just adding.  Any
 * worker adds up the parts of all slots and what those that left have left
 * behind in the totals.
 *
 * Commands and errors have numbers that hold for the life of a zone, whatever
 * the command table of the next build may be: the totals list the names, and
 * a name gets its number when a worker first asks for it.  A name's key (its
 * hash) is stored by compare-and-swap, and whoever finds the key writes the
 * name behind it, so a worker that dies between the two leaves nothing amiss.
 *
 * Resetting is raising the epoch: a slot's part of another epoch counts for
 * nothing, and its owner clears it when it notices.
 *
 * A histogram of a command's times takes 1 KB per worker that runs it, backed
 * with memory on first use.  It is logarithmic, eight buckets an octave.
 */


#ifndef _NGX_OLIVINE_STATS_H_INCLUDED_
#define _NGX_OLIVINE_STATS_H_INCLUDED_


#include "base/ngx_olivine_params.h"
#include "mem/ngx_olivine_lock.h"
#include "mem/ngx_olivine_slowlog.h"


#define NGX_OLIVINE_STATS_COMMANDS   512
#define NGX_OLIVINE_STATS_ERRORS     129
#define NGX_OLIVINE_STATS_NAME       32       /* cut, with its zero */
#define NGX_OLIVINE_STATS_BUCKETS    256
#define NGX_OLIVINE_STATS_POOL       192      /* histograms of a slot */

/* codes of errors that have a number of their own; the others share the last */
#define NGX_OLIVINE_STATS_ERRORS_MAX  128

#define NGX_OLIVINE_STATS_EVENTS     16
#define NGX_OLIVINE_STATS_SAMPLES    160


typedef struct {
    uint64_t                calls;
    uint64_t                ns;
    uint64_t                rejected;
    uint64_t                failed;
} ngx_olivine_stat_t;


/* A slot's part; its histograms begin at the next page. */
typedef struct {
    uint32_t                epoch;
    uint32_t                nhists;           /* histograms in use */
    uint32_t                backed;           /* that have memory */
    uint16_t                hists[NGX_OLIVINE_STATS_COMMANDS];  /* or 0 */
    uint64_t                errors[NGX_OLIVINE_STATS_ERRORS];
    ngx_olivine_stat_t      commands[NGX_OLIVINE_STATS_COMMANDS];
} ngx_olivine_stats_t;


typedef struct {
    uint64_t                key;
    u_char                  name[NGX_OLIVINE_STATS_NAME];
} ngx_olivine_stats_name_t;


/* An event of the latency monitor; a name that is empty ends the list. */
typedef struct {
    u_char                  name[NGX_OLIVINE_STATS_NAME];
    uint32_t                next;             /* sample to be written */
    uint32_t                max;              /* milliseconds */
    uint64_t                sum;
    uint64_t                count;
    struct {
        uint32_t            time;             /* seconds, 0: none */
        uint32_t            ms;
    } samples[NGX_OLIVINE_STATS_SAMPLES];
} ngx_olivine_stats_event_t;


/* Of the zone. */
typedef struct {
    ngx_olivine_lock_t         lock;          /* of events, command log */
    uint32_t                   hists;         /* pages of histograms backed */
    uint32_t                   gones;         /* of those of slots that left */
    ngx_olivine_stats_name_t   commands[NGX_OLIVINE_STATS_COMMANDS];
    ngx_olivine_stats_name_t   errors[NGX_OLIVINE_STATS_ERRORS];

    /* of slots that are free again */
    ngx_olivine_stat_t         gone[NGX_OLIVINE_STATS_COMMANDS];
    uint64_t                   gone_errors[NGX_OLIVINE_STATS_ERRORS];
    uint8_t                    gone_hists[NGX_OLIVINE_STATS_COMMANDS];

    ngx_olivine_stats_event_t  events[NGX_OLIVINE_STATS_EVENTS];
    ngx_olivine_slowlog_t      slowlogs[NGX_OLIVINE_SLOWLOGS];
} ngx_olivine_totals_t;


#define NGX_OLIVINE_STATS_HEAD                                                \
    (ngx_align(sizeof(ngx_olivine_stats_t), 4096))

#define NGX_OLIVINE_STATS_HIST                                                \
    (NGX_OLIVINE_STATS_BUCKETS * sizeof(uint32_t))

#define NGX_OLIVINE_STATS_SIZE                                                \
    (NGX_OLIVINE_STATS_HEAD                                                   \
     + NGX_OLIVINE_STATS_POOL * NGX_OLIVINE_STATS_HIST)

#define NGX_OLIVINE_STATS_GONE                                                \
    (NGX_OLIVINE_STATS_COMMANDS * NGX_OLIVINE_STATS_BUCKETS                   \
     * sizeof(uint64_t))

#define ngx_olivine_stats_at(zone, n)                                         \
    ((ngx_olivine_stats_t *) ((zone)->stats + (n) * NGX_OLIVINE_STATS_SIZE))

#define ngx_olivine_stats_hist(stats, i)                                      \
    ((uint32_t *) ((u_char *) (stats) + NGX_OLIVINE_STATS_HEAD                \
                   + (i) * NGX_OLIVINE_STATS_HIST))

#define ngx_olivine_stats_gone(zone, n)                                       \
    ((uint64_t *) (zone)->gone + (n) * NGX_OLIVINE_STATS_BUCKETS)


/* The number of a command; ERROR if there are too many. */
ngx_int_t ngx_olivine_stats_command(ngx_olivine_zone_t *zone,
    const ngx_str_t *name);

/* The number of an error's code; and n errors of that number are counted. */
ngx_uint_t ngx_olivine_stats_code(ngx_olivine_zone_t *zone, u_char *code,
    size_t len);
void ngx_olivine_stats_error(ngx_olivine_tx_t *tx, ngx_uint_t code,
    ngx_uint_t n);

/*
 * The histogram of a command in the owner's slot; a system call on first use.
 * NULL if there is no memory for it.
 */
uint32_t *ngx_olivine_stats_histogram(ngx_olivine_tx_t *tx, ngx_uint_t n);

/* Adds count to a bucket that is about to overflow. */
void ngx_olivine_stats_spill(ngx_olivine_tx_t *tx, ngx_uint_t n,
    ngx_uint_t bucket, uint32_t *hist);

/* The owner's: clears its part if the epoch is another one. */
void ngx_olivine_stats_renew(ngx_olivine_tx_t *tx);

/* Nothing counts any more, on all workers; the caller's part is cleared. */
void ngx_olivine_stats_reset(ngx_olivine_tx_t *tx);

/* The slot, not yet free, leaves: its part goes to the totals. */
void ngx_olivine_stats_retire(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot);

/*
 * The next command that was ever counted, from number *n on: its name, and *n
 * is its number; NULL: there are no more.
 */
ngx_olivine_stats_name_t *ngx_olivine_stats_next(ngx_olivine_zone_t *zone,
    ngx_uint_t *n);

/* The percentiles that are asked for; a torn reading has odd ones, no more. */
void ngx_olivine_stats_percentiles(ngx_olivine_zone_t *zone,
    ngx_olivine_percentiles_t *list);

/* Sums over all slots. */
void ngx_olivine_stats_sum(ngx_olivine_zone_t *zone, ngx_uint_t n,
    ngx_olivine_stat_t *sum);
uint64_t ngx_olivine_stats_errors(ngx_olivine_zone_t *zone, ngx_uint_t n);

/* The number of times that are in it; hist has NGX_OLIVINE_STATS_BUCKETS. */
uint64_t ngx_olivine_stats_times(ngx_olivine_zone_t *zone, ngx_uint_t n,
    uint64_t *hist);

/* Nanoseconds that p per cent of the times do not exceed. */
uint64_t ngx_olivine_stats_percentile(uint64_t *hist, uint64_t total,
    double p);

/* Bytes of memory that the zone has for all of this beyond its fixed part. */
size_t ngx_olivine_stats_size(ngx_olivine_zone_t *zone);


/*
 * The latency monitor: notes an event of so many milliseconds.  Other locks may
 * be held, this one is the last.
 */
void ngx_olivine_stats_event(ngx_olivine_tx_t *tx, const char *name,
    int64_t now, uint64_t ms);

/* Copies the events in use; their number. */
ngx_uint_t ngx_olivine_stats_events(ngx_olivine_tx_t *tx,
    ngx_olivine_stats_event_t *events);

/* Forgets one, or all (NULL); how many there were. */
ngx_uint_t ngx_olivine_stats_forget(ngx_olivine_tx_t *tx, ngx_str_t *name);

/*
 * The lock of events and command log.  ERROR: it is held, and the gate is up;
 * then what was to be noted is not.
 */
ngx_int_t ngx_olivine_stats_lock(ngx_olivine_tx_t *tx);
void ngx_olivine_stats_unlock(ngx_olivine_tx_t *tx);


/* The bucket of so many nanoseconds, and the most that it holds. */

static ngx_inline ngx_uint_t
ngx_olivine_stats_bucket(uint64_t ns)
{
    ngx_uint_t  e;

    if (ns < 8) {
        return ns;
    }

    e = 63 - __builtin_clzll(ns);

    if (ngx_olivine_unlikely(e > 33)) {
        return NGX_OLIVINE_STATS_BUCKETS - 1;
    }

    return (e - 2) * 8 + (ns >> (e - 3) & 7);
}


static ngx_inline uint64_t
ngx_olivine_stats_highest(ngx_uint_t bucket)
{
    ngx_uint_t  e;

    if (bucket < 8) {
        return bucket;
    }

    e = bucket / 8 + 2;

    return ((uint64_t) (8 + bucket % 8 + 1) << (e - 3)) - 1;
}


#endif /* _NGX_OLIVINE_STATS_H_INCLUDED_ */
