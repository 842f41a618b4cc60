
/*
 * Copyright (C) The Olivine authors
 *
 * HOTKEYS: the keys that took most time, and most bytes, while somebody wants
 * to know.
 *
 * There is one session at a time, of all workers.  For each of the two there
 * is a table of ten times as many keys as are asked for; where a key is not
 * in it, and no place is free, it takes that of the least, with its count, and
 * notes what of it is not its own ("space saving").  What is told is without
 * that: never too much, and exact for what is hot.  A table is changed under
 * the lock, which is one of the last; a place without a hash is free, so who
 * dies while it fills one leaves that.
 *
 * While there is no session it is one word that is read once a batch.
 */


#ifndef _NGX_OLIVINE_HOTKEYS_H_INCLUDED_
#define _NGX_OLIVINE_HOTKEYS_H_INCLUDED_


#include "base/ngx_olivine_base.h"
#include "mem/ngx_olivine_lock.h"


#define NGX_OLIVINE_HOTKEYS_COUNT   64       /* that may be asked for */
#define NGX_OLIVINE_HOTKEYS_PLACES  (10 * NGX_OLIVINE_HOTKEYS_COUNT)

/* bytes of a key; longer ones count in the sums only */
#define NGX_OLIVINE_HOTKEYS_KEY     512


typedef enum {
    NGX_OLIVINE_HOTKEYS_CPU = 0,
    NGX_OLIVINE_HOTKEYS_NET,
    NGX_OLIVINE_HOTKEYS_METRICS
} ngx_olivine_hotkeys_e;


typedef struct {
    uint64_t                hashes[NGX_OLIVINE_HOTKEYS_PLACES];  /* 0: free */
    uint64_t                counts[NGX_OLIVINE_HOTKEYS_PLACES];
    uint64_t                others[NGX_OLIVINE_HOTKEYS_PLACES];
    uint32_t                lens[NGX_OLIVINE_HOTKEYS_PLACES];
    u_char                  keys[NGX_OLIVINE_HOTKEYS_PLACES]
                                [NGX_OLIVINE_HOTKEYS_KEY];
} ngx_olivine_hotkeys_table_t;


/* What is asked for. */
typedef struct {
    uint32_t                metrics;         /* a bit each */
    uint32_t                count;
    uint32_t                ratio;           /* one of so many is looked at */
    int64_t                 started;         /* milliseconds */
    int64_t                 duration;        /* 0: until it is stopped */
    uint64_t                user;            /* CPU of all workers until then,
                                                microseconds */
    uint64_t                sys;
} ngx_olivine_hotkeys_session_t;


typedef struct {
    ngx_olivine_lock_t             lock;
    uint32_t                       active;
    uint32_t                       known;    /* there is a session */
    uint32_t                       backed;   /* there is memory for tables */
    ngx_olivine_hotkeys_session_t  session;
    int64_t                        took;     /* milliseconds, when stopped */
    uint64_t                       ns;       /* of commands that have keys */
    uint64_t                       bytes;
    uint64_t                       sampled;  /* bytes in the table */
} ngx_olivine_hotkeys_t;


typedef struct {
    uint64_t                count;
    size_t                  len;
    u_char                  key[NGX_OLIVINE_HOTKEYS_KEY];
} ngx_olivine_hotkey_t;


/* OK; DECLINED: there is one that goes on; ERROR: no memory. */
ngx_int_t ngx_olivine_hotkeys_start(ngx_olivine_tx_t *tx,
    ngx_olivine_hotkeys_session_t *session);

/* OK; DECLINED: none goes on. */
ngx_int_t ngx_olivine_hotkeys_stop(ngx_olivine_tx_t *tx, int64_t now);

/* OK; DECLINED: one goes on. */
ngx_int_t ngx_olivine_hotkeys_reset(ngx_olivine_tx_t *tx, int64_t now);

/* A copy of what is known of the session.  OK; DECLINED: there is none. */
ngx_int_t ngx_olivine_hotkeys_look(ngx_olivine_tx_t *tx, int64_t now,
    ngx_olivine_hotkeys_t *hotkeys);

/*
 * The hottest keys, the hottest first, at most as many as are asked for;
 * their number.
 */
ngx_uint_t ngx_olivine_hotkeys_top(ngx_olivine_tx_t *tx,
    ngx_olivine_hotkeys_e which, ngx_olivine_hotkey_t *keys);

/* Adds to a key. */
void ngx_olivine_hotkeys_add(ngx_olivine_tx_t *tx, ngx_str_t *key,
    uint64_t hash, uint64_t ns, uint64_t bytes);

/* 1 while one goes on. */
#define ngx_olivine_hotkeys_active(hotkeys, now)                              \
    ((hotkeys)->active                                                        \
     && ((hotkeys)->session.duration == 0                                     \
         || (now) - (hotkeys)->session.started < (hotkeys)->session.duration))


#endif /* _NGX_OLIVINE_HOTKEYS_H_INCLUDED_ */
