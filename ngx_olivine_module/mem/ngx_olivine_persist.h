
/*
 * Copyright (C) The Olivine authors
 *
 * What workers know of files: the append-only file, snapshots, loading.  It
 * lies in the zone.  Any worker reads it; words are written by who has the
 * lease they belong to, as single aligned stores, and never by a transaction.
 *
 * A lease is the word of a lock's owner: a slot and its generation.  It never
 * runs out: its holder gives it back, or dies, and then whoever finds that
 * takes it over (ngx_olivine_lease_take()).
 */


#ifndef _NGX_OLIVINE_PERSIST_H_INCLUDED_
#define _NGX_OLIVINE_PERSIST_H_INCLUDED_


#include "base/ngx_olivine_params.h"


typedef enum {
    NGX_OLIVINE_AOF_OFF = 0,
    NGX_OLIVINE_AOF_FIRST,           /* its first base is being made */
    NGX_OLIVINE_AOF_ON
} ngx_olivine_aof_e;


#define NGX_OLIVINE_FINAL_SAVE       1
#define NGX_OLIVINE_FINAL_NOSAVE     2

/* why writes are refused: bits of persist.refuse */
#define NGX_OLIVINE_REFUSE_AOF       0x01
#define NGX_OLIVINE_REFUSE_SNAPSHOT  0x02
#define NGX_OLIVINE_REFUSE_LOADING   0x04     /* all commands */

#define ngx_olivine_persist_refuse(persist, bit)                              \
    ((void) __atomic_fetch_or(&(persist)->refuse, bit, __ATOMIC_ACQ_REL))

#define ngx_olivine_persist_allow(persist, bit)                               \
    ((void) __atomic_fetch_and(&(persist)->refuse, ~(uint32_t) (bit),         \
                               __ATOMIC_ACQ_REL))


/* Where a log's offset stands in a file. */
typedef struct {
    uint64_t                 offset;
    uint64_t                 pos;
    uint64_t                 seq;        /* of the increment */
} ngx_olivine_aof_mark_t;


typedef struct {
    uint32_t                 state;      /* ngx_olivine_aof_e */
    uint32_t                 reader;     /* of the ring, plus one */
    uint32_t                 begun;      /* how often it was turned on */

    uint32_t                 lease;      /* who writes the file */
    uint32_t                 busy;       /* ... in its thread */
    int64_t                  busy_since; /* milliseconds */

    /* written so far: the mark that `mark` says; a store switches both */
    uint32_t                 mark;
    ngx_olivine_aof_mark_t   marks[2];

    uint64_t                 durable;    /* offset that is on the disk */
    int64_t                  synced_at;  /* milliseconds */

    /* the next increment begins at this offset, plus one; 0: there is none */
    uint64_t                 turn;
    uint64_t                 turn_seq;

    /* the annotation that stands before what begins at ts_at */
    uint64_t                 ts;         /* seconds */
    uint64_t                 ts_at;

    int32_t                  error;      /* errno of what failed last; 0 */
    uint32_t                 distrust;   /* a sync failed: a new base first */

    /* the folder, and what names of files begin with; zero-terminated */
    u_char                   dir[NGX_OLIVINE_DIR_MAX + NGX_OLIVINE_NAME_MAX
                                 + 16];
    u_char                   name[NGX_OLIVINE_NAME_MAX + 8];

    uint64_t                 base_size;
    uint64_t                 older_size; /* increments before this one */
    uint64_t                 rewritten_size; /* of all files, then */

    uint64_t                 delayed;    /* syncs that made writing wait */
} ngx_olivine_aof_state_t;


typedef enum {
    NGX_OLIVINE_LOADING_NOT = 0,
    NGX_OLIVINE_LOADING_DUE,         /* nobody has begun */
    NGX_OLIVINE_LOADING_NOW,
    NGX_OLIVINE_LOADING_FAILED       /* the server is to end */
} ngx_olivine_loading_e;


typedef enum {
    NGX_OLIVINE_LOADS_ALL = 0,       /* as parameters say */
    NGX_OLIVINE_LOADS_RDB,
    NGX_OLIVINE_LOADS_AOF
} ngx_olivine_loads_e;


typedef struct {
    uint32_t                 state;      /* ngx_olivine_loading_e */
    uint32_t                 what;       /* ngx_olivine_loads_e */
    uint32_t                 lease;      /* who loads */
    int64_t                  since;      /* milliseconds */
    uint64_t                 total;      /* bytes */
    uint64_t                 done;
    uint64_t                 keys;       /* loaded, and left out as expired */
    uint64_t                 expired;
} ngx_olivine_loading_t;


/* what a snapshot is for: bits */
#define NGX_OLIVINE_SAVE_RDB         0x01     /* dump.rdb */
#define NGX_OLIVINE_SAVE_AOF         0x02     /* a base of the AOF */


typedef struct {
    uint32_t                 lease;      /* who writes a snapshot */
    uint32_t                 wanted;     /* what is to be begun */
    uint32_t                 what;       /* what is being written */
    uint32_t                 temp_pid;   /* whose temporary file is there, */
    uint32_t                 temp_what;  /* and what it is for */
    uint64_t                 attempts;   /* of dump.rdb, that have ended */
    uint64_t                 keys;       /* written so far */
    uint64_t                 total;      /* there were at the instant */

    uint64_t                 cow;        /* bytes kept for it; the most */
    uint64_t                 cow_peak;
    uint64_t                 last_cow;   /* of the last ones */
    uint64_t                 last_aof_cow;

    int64_t                  saved_at;   /* the last good one, seconds */
    int64_t                  tried_at;   /* the last one, milliseconds */
    uint32_t                 status;     /* of the last one: errno, 0 is good */
    int64_t                  took;       /* seconds plus one, 0: never */
    uint64_t                 saves;
    uint64_t                 changes;    /* counted by the instant of ... */
    uint64_t                 saved_changes;  /* ... and of the last good one */

    int64_t                  rewrite_at; /* begun, milliseconds */
    int64_t                  rewrite_took;   /* seconds plus one */
    uint32_t                 rewrite_status;
    uint64_t                 rewrites;
    uint32_t                 failures;   /* of rewrites, one after the other */
} ngx_olivine_save_state_t;


/* The store's: see store/ngx_olivine_snapshot.h. */
typedef struct {
    uint32_t                 number;     /* snapshots begun */
    uint32_t                 failed;     /* images were given up */
    uint32_t                 waiting;    /* somebody waits for room */
    uint32_t                 tables;     /* flushed ones are kept for it */
} ngx_olivine_snapshot_t;


typedef struct {
    uint32_t                 refuse;     /* NGX_OLIVINE_REFUSE_* */
    uint32_t                 final;      /* what SHUTDOWN said: _FINAL_* */
    ngx_olivine_aof_state_t  aof;
    ngx_olivine_loading_t    loading;
    ngx_olivine_save_state_t save;
} ngx_olivine_persist_t;


#endif /* _NGX_OLIVINE_PERSIST_H_INCLUDED_ */
