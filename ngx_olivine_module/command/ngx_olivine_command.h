
/*
 * Copyright (C) The Olivine authors
 *
 * Commands: the row, and what a handler sees.
 *
 * A handler gets its arguments, looks up and changes entries through the
 * functions below, writes its reply, and notes its effect.  It neither locks,
 * commits, logs nor knows of connections.  It returns
 *
 *   OK     done, the reply is written (an error that changed nothing is a
 *          reply like any other)
 *   AGAIN  something lacks, or it waits (cx->park says for what): all it did
 *          is undone, its reply taken back, and it is run again from its
 *          arguments later
 *   ERROR  all it did is undone and its reply taken back; then the error
 *          that ngx_olivine_cx_error() gave is sent, or, with none, -OOM
 *
 * and frees nothing itself.
 */


#ifndef _NGX_OLIVINE_COMMAND_H_INCLUDED_
#define _NGX_OLIVINE_COMMAND_H_INCLUDED_


#include "bus/ngx_olivine_bus.h"
#include "store/ngx_olivine_store.h"
#include "resp/ngx_olivine_resp_parse.h"
#include "resp/ngx_olivine_resp_reply.h"
#include "command/ngx_olivine_feed.h"
#include "command/ngx_olivine_meter.h"


/* the longest name of a row, or more */
#define NGX_OLIVINE_COMMAND_NAME     64

/* flags of a row; the names are those of COMMAND INFO */
#define NGX_OLIVINE_CMD_WRITE        0x0001
#define NGX_OLIVINE_CMD_READONLY     0x0002
#define NGX_OLIVINE_CMD_DENYOOM      0x0004
#define NGX_OLIVINE_CMD_ADMIN        0x0008
#define NGX_OLIVINE_CMD_FAST         0x0010
#define NGX_OLIVINE_CMD_LOADING      0x0020
#define NGX_OLIVINE_CMD_STALE        0x0040
#define NGX_OLIVINE_CMD_NOSCRIPT     0x0080
#define NGX_OLIVINE_CMD_NO_AUTH      0x0100
#define NGX_OLIVINE_CMD_ALLOW_BUSY   0x0200
#define NGX_OLIVINE_CMD_NO_MULTI     0x0400
#define NGX_OLIVINE_CMD_SKIP_SLOWLOG 0x0800

/* ours: looking does not count as an access; not queued after MULTI */
#define NGX_OLIVINE_CMD_NO_TOUCH     0x1000
#define NGX_OLIVINE_CMD_AT_ONCE      0x2000

/* ours: the handler locks its keys' shards itself, in parts */
#define NGX_OLIVINE_CMD_UNLOCKED     0x4000

/* Redis's again */
#define NGX_OLIVINE_CMD_PUBSUB       0x00010000
#define NGX_OLIVINE_CMD_BLOCKING     0x00020000
#define NGX_OLIVINE_CMD_SKIP_MONITOR 0x00040000
#define NGX_OLIVINE_CMD_ASKING       0x00100000
#define NGX_OLIVINE_CMD_NO_ASYNC     0x00200000
#define NGX_OLIVINE_CMD_NO_KEYS      0x00800000   /* keys are optional */
#define NGX_OLIVINE_CMD_MOVABLE      0x01000000   /* keys are to be sought */

/* ACL categories */
#define NGX_OLIVINE_CAT_KEYSPACE     0x0001
#define NGX_OLIVINE_CAT_READ         0x0002
#define NGX_OLIVINE_CAT_WRITE        0x0004
#define NGX_OLIVINE_CAT_STRING       0x0008
#define NGX_OLIVINE_CAT_ADMIN        0x0010
#define NGX_OLIVINE_CAT_FAST         0x0020
#define NGX_OLIVINE_CAT_SLOW         0x0040
#define NGX_OLIVINE_CAT_DANGEROUS    0x0080
#define NGX_OLIVINE_CAT_CONNECTION   0x0100
#define NGX_OLIVINE_CAT_SET          0x0200
#define NGX_OLIVINE_CAT_SORTEDSET    0x0400
#define NGX_OLIVINE_CAT_LIST         0x0800
#define NGX_OLIVINE_CAT_HASH         0x1000
#define NGX_OLIVINE_CAT_BITMAP       0x2000
#define NGX_OLIVINE_CAT_HYPERLOGLOG  0x4000
#define NGX_OLIVINE_CAT_GEO          0x8000
#define NGX_OLIVINE_CAT_STREAM       0x00010000
#define NGX_OLIVINE_CAT_PUBSUB       0x00020000
#define NGX_OLIVINE_CAT_BLOCKING     0x00040000
#define NGX_OLIVINE_CAT_TRANSACTION  0x00080000
#define NGX_OLIVINE_CAT_SCRIPTING    0x00100000

/*
 * What a command does with its keys, as the key specifications of COMMAND
 * INFO say it.
 */
#define NGX_OLIVINE_KEY_RO           0x0001
#define NGX_OLIVINE_KEY_RW           0x0002
#define NGX_OLIVINE_KEY_OW           0x0004
#define NGX_OLIVINE_KEY_RM           0x0008
#define NGX_OLIVINE_KEY_ACCESS       0x0010
#define NGX_OLIVINE_KEY_UPDATE       0x0020
#define NGX_OLIVINE_KEY_INSERT       0x0040
#define NGX_OLIVINE_KEY_DELETE       0x0080
#define NGX_OLIVINE_KEY_VARIABLE     0x0100
#define NGX_OLIVINE_KEY_NOT_KEY      0x0200
#define NGX_OLIVINE_KEY_INCOMPLETE   0x0400

/* the flags of the second of two keys, where they are others */
#define NGX_OLIVINE_KEY_SECOND(flags)  ((flags) << 16)
#define NGX_OLIVINE_KEY_FIRST          0xffff

/* ours: argument `first` is the number of keys, which begin behind it */
#define NGX_OLIVINE_KEY_NUMBER       0x1000


typedef ngx_int_t (*ngx_olivine_handler_pt)(ngx_olivine_cx_t *cx);


struct ngx_olivine_command_s {
    ngx_str_t                      name;       /* lower case; a subcommand's
                                                  is whole: "client|id" */
    ngx_olivine_handler_pt         handler;    /* NULL: only subcommands */
    ngx_int_t                      arity;      /* as Redis counts */
    ngx_uint_t                     flags;
    ngx_uint_t                     categories;
    struct {
        ngx_int_t                  first;
        ngx_int_t                  last;       /* negative: from the end */
        ngx_int_t                  step;
        ngx_uint_t                 flags;
        const char                *notes;
    } keys;
    const char                    *tips;       /* separated by blanks */
    const char                    *since;
    const char                    *summary;    /* in our own words */
    const ngx_olivine_command_t   *subcommands;   /* ended by an empty name */
};


typedef struct ngx_olivine_watched_s  ngx_olivine_watched_t;


/*
 * What a client is to commands; owned by the client.  What others may see of
 * it is in its row.
 */
typedef struct {
    ngx_olivine_bus_row_t    *row;
    uint64_t                  id;
    uint32_t                  db;
    unsigned                  authenticated:1;
    unsigned                  close:1;         /* after the reply is sent */
    unsigned                  local:1;         /* from a loopback address or a
                                                  unix socket */
    unsigned                  no_touch:1;      /* CLIENT NO-TOUCH */
    unsigned                  no_evict:1;      /* CLIENT NO-EVICT */
    unsigned                  monitor:1;       /* MONITOR */
    unsigned                  reply_off:1;     /* CLIENT REPLY OFF */
    unsigned                  reply_skip:1;    /* of this command, SKIP */
    unsigned                  reply_next:1;    /* of the next one */
    uint64_t                  monitor_at;      /* what it has not seen yet */
    const ngx_olivine_command_t  *last;        /* command */
    const ngx_olivine_rules_t    *rules;       /* NULL: all is allowed */
    int64_t                   sleep_until;     /* DEBUG SLEEP: the gate is up
                                                  for this client until then */
    ngx_olivine_multi_t      *multi;           /* what it queues after MULTI */
    ngx_olivine_watched_t    *watched;         /* keys, the newest first */
    ngx_uint_t                nwatched;
    void                     *later;           /* of a command that goes on in
                                                  another turn */
    void                    (*later_free)(void *later);
} ngx_olivine_caller_t;


/* who is to be told of a command, beside the meter */
#define NGX_OLIVINE_TELL_MONITORS    0x01
#define NGX_OLIVINE_TELL_HOTKEYS     0x02
#define NGX_OLIVINE_TELL_REPLY       0x04    /* any may be too large */
#define NGX_OLIVINE_TELL_REQUEST     0x08    /* its own may be too large */
#define NGX_OLIVINE_TELL_LINE        0x10    /* the same, it was a line */


/* why a handler that returned AGAIN waits */
typedef enum {
    NGX_OLIVINE_PARK_NONE = 0,
    NGX_OLIVINE_PARK_GATE,           /* until the gate falls */
    NGX_OLIVINE_PARK_CREDIT,         /* until the log has room */
    NGX_OLIVINE_PARK_TIMER,          /* until cx->until */
    NGX_OLIVINE_PARK_PAUSE,          /* until CLIENT PAUSE is over */
    NGX_OLIVINE_PARK_SHUTDOWN,       /* for ever: the server ends */
    NGX_OLIVINE_PARK_TURN            /* until others had their turn */
} ngx_olivine_park_e;


/* A key among the arguments, filled by the dispatcher before the handler. */
typedef struct {
    uint64_t                  hash;
    uint32_t                  arg;             /* index in argv */
} ngx_olivine_cx_key_t;


/* how far the effect has come */
typedef struct {
    size_t                    len;
    ngx_uint_t                n;               /* commands in it */
    uint32_t                  first;           /* database of the first one */
    uint32_t                  db;              /* of the last one */
} ngx_olivine_noted_t;


/* A command that a configuration calls by another name, or by none. */
typedef struct {
    const ngx_olivine_command_t    *command;
    ngx_str_t                       name;      /* empty: taken away */
} ngx_olivine_rename_t;


typedef struct {
    ngx_uint_t                      n;
    ngx_olivine_rename_t            elts[];
} ngx_olivine_renames_t;


struct ngx_olivine_cx_s {
    ngx_olivine_tx_t               *tx;
    ngx_olivine_zone_t             *zone;
    ngx_olivine_caller_t           *caller;
    const ngx_olivine_renames_t    *renames;   /* or NULL */
    const ngx_olivine_command_t    *command;
    ngx_olivine_arg_t              *argv;
    ngx_uint_t                      argc;
    ngx_olivine_reply_t            *reply;
    ngx_uint_t                      tell;

    int64_t                         now;       /* milliseconds; the shards' */
    int64_t                         now_us;    /* microseconds, for TIME */
    uint32_t                        clock;     /* access clock */

    ngx_uint_t                      nkeys;
    ngx_olivine_cx_key_t           *keys;
    ngx_uint_t                      keys_alloc;

    /* the effect: RESP commands that replay it, only if logging */
    u_char                         *effect;
    size_t                          effect_alloc;
    ngx_olivine_noted_t             noted;
    unsigned                        logging:1; /* an effect is wanted */
    unsigned                        failed:1;  /* no memory for the effect */
    unsigned                        lacking:1; /* pages for its payloads */
    unsigned                        stoppable:1;  /* SHUTDOWN is allowed */
    unsigned                        loading:1; /* it is what a file has: no
                                                  limit of clients' holds */
    unsigned                        starved:1; /* something was not done for
                                                  lack of memory; never
                                                  cleared here */
    ngx_uint_t                      hashed;    /* keys whose hashes are known */
    const uint64_t                 *hashes;

    /* of ngx_olivine_cx_error() */
    u_char                         *error;
    size_t                          error_len;
    u_char                          error_buf[NGX_OLIVINE_REPLY_ERROR];

    ngx_olivine_park_e              park;
    int64_t                         until;     /* milliseconds */

    ngx_uint_t                      pins;      /* taken for the reply */
    uint32_t                        hints;     /* to ring all workers with */
    size_t                          used;      /* memory, once a batch, only
                                                  if there is a maxmemory */

    /* inside an EXEC, whose locks are held; it lacks those of other shards */
    unsigned                        nested:1;
    unsigned                        lacks:1;

    /* a queue that is done with (its runs are to be given up), an empty one */
    ngx_olivine_multi_t            *spent;
    ngx_olivine_multi_t            *spare;

    /* rows of clients that left while the gate was up */
    ngx_olivine_watched_t          *orphans;

    ngx_olivine_meter_t             meter;
    ngx_olivine_feed_t              feed;
};


/* All rows, ended by an empty name; grouped by family. */
extern const ngx_olivine_command_t  ngx_olivine_commands[];

/* Builds the look-up of rows; once a process.  OK or ERROR. */
ngx_int_t ngx_olivine_commands_init(void);

/* The row of that name, in any case; NULL if there is none. */
const ngx_olivine_command_t *ngx_olivine_command_find(u_char *name,
    size_t len);
const ngx_olivine_command_t *ngx_olivine_subcommand_find(
    const ngx_olivine_command_t *command, u_char *name, size_t len);

/* The same, as clients may call it: renames may be NULL. */
const ngx_olivine_command_t *ngx_olivine_renamed_find(
    const ngx_olivine_renames_t *renames, u_char *name, size_t len);

#define ngx_olivine_cx_named(cx, name, len)                                   \
    (ngx_olivine_likely((cx)->renames == NULL)                                \
         ? ngx_olivine_command_find(name, len)                                \
         : ngx_olivine_renamed_find((cx)->renames, name, len))

/*
 * The indexes of the keys among the arguments of a command: their number, and
 * the first and the step.  0 if there are none, arity does not fit, or the
 * arguments do not say how many there are.
 */
ngx_uint_t ngx_olivine_command_keys(const ngx_olivine_command_t *command,
    ngx_olivine_arg_t *argv, ngx_uint_t argc, ngx_uint_t *first,
    ngx_uint_t *step);

/*
 * Fills cx->keys; the first cx->hashed of their hashes are known.  OK or ERROR.
 */
ngx_int_t ngx_olivine_command_prepare(ngx_olivine_cx_t *cx);

/*
 * Runs a part under the locks of shards (a bit each) until it is committed,
 * fails, or has to wait; what it lacks meanwhile is fetched with no lock
 * held.  OK, AGAIN (cx->park says why), ERROR.
 */
ngx_int_t ngx_olivine_command_transact(ngx_olivine_cx_t *cx, uint64_t shards,
    ngx_int_t (*part)(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data), ngx_olivine_shard_t *shard, void *data);

/* Writes the error of a handler that returned ERROR, its reply taken back. */
void ngx_olivine_command_failed(ngx_olivine_cx_t *cx);

/*
 * Runs the command in cx->argv: looks up the row (unless cx->command is set
 * by the pipeline already), checks, locks, calls, commits or undoes, unlocks.
 * OK: the reply is written; AGAIN: parked, cx->park says why, nothing is
 * written.
 */
ngx_int_t ngx_olivine_command_run(ngx_olivine_cx_t *cx);

/*
 * Removes up to max keys of the shard that are past their time at cx->now,
 * and frees some of what was detached; each removal is a command of its own.
 * OK: there may be more to do; DECLINED: nothing; AGAIN: the gate is up.
 */
ngx_int_t ngx_olivine_command_tick(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_uint_t max);

ngx_int_t ngx_olivine_cx_init(ngx_olivine_cx_t *cx, ngx_olivine_tx_t *tx);
void ngx_olivine_cx_free(ngx_olivine_cx_t *cx);


/* for handlers */


/*
 * Looks up the n-th key of the command (0 is the first).  An entry past its
 * time is removed on the way, its DEL noted; by a command that reads only if
 * nobody reads the log.  Counts hits and misses of commands that read; touches
 * the access clock.  OK (ref->entry may be NULL), AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_cx_find(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_olivine_ref_t *ref);

/* The same in a database that the client has not selected. */
ngx_int_t ngx_olivine_cx_find_in(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_uint_t db, ngx_olivine_ref_t *ref);

/*
 * The same, and it must be a string or absent: ERROR with -WRONGTYPE set
 * otherwise.  If it is there, value is filled.
 */
ngx_int_t ngx_olivine_cx_string(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value);

/*
 * Stores argument arg (SET's value) under the ref: an argument that was
 * received into a run of the zone becomes the value without a copy.
 */
ngx_int_t ngx_olivine_cx_set_arg(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref,
    ngx_uint_t arg, int64_t expire);

#define ngx_olivine_cx_set(cx, ref, value, expire)                            \
    ngx_olivine_store_set_locked((cx)->tx, ref, value, expire, (cx)->clock)

#define ngx_olivine_cx_delete(cx, ref)                                        \
    ngx_olivine_store_delete_locked((cx)->tx, ref)

/* Replies a string value as a bulk: copied, or, if big, pinned. */
ngx_int_t ngx_olivine_cx_reply_string(ngx_olivine_cx_t *cx,
    ngx_olivine_value_t *value);

/* The same of a part of a value that is no number. */
ngx_int_t ngx_olivine_cx_reply_part(ngx_olivine_cx_t *cx,
    ngx_olivine_value_t *value, size_t from, size_t len);

/*
 * The reply will be this error (without '-' and CRLF; or one of the table),
 * and everything is undone: `return ngx_olivine_cx_error(cx, ...)`.
 * Always ERROR.
 */
ngx_int_t ngx_olivine_cx_error(ngx_olivine_cx_t *cx, const char *fmt, ...);
ngx_int_t ngx_olivine_cx_fail(ngx_olivine_cx_t *cx, ngx_olivine_error_e e);

/*
 * Notes an effect in the caller's database: n arguments, each an ngx_str_t
 * pointer.  Costs nothing if nobody reads the log.  Several may be noted; the
 * dispatcher puts SELECT where it must and MULTI, EXEC around several.
 */
void ngx_olivine_cx_effect(ngx_olivine_cx_t *cx, ngx_uint_t n, ...);

/* The command itself is its effect, argument for argument. */
void ngx_olivine_cx_effect_self(ngx_olivine_cx_t *cx);

/* The dispatcher's: what was noted, as one record.  OK, AGAIN, ERROR. */
ngx_int_t ngx_olivine_effect_record(ngx_olivine_cx_t *cx, u_char **record,
    size_t *len);

/* Argument i as ngx_str_t. */
#define ngx_olivine_cx_arg(cx, i)                                             \
    ((ngx_str_t) { (cx)->argv[i].len, (cx)->argv[i].data })

/* The same as Redis prints it in errors: up to a zero byte. */
ngx_str_t ngx_olivine_cx_word(ngx_olivine_cx_t *cx, ngx_uint_t i);

/* 1 if argument i is the word (lower case), in any case. */
ngx_uint_t ngx_olivine_cx_is(ngx_olivine_cx_t *cx, ngx_uint_t i,
    const char *word);

/* Argument i as a 64-bit number; ERROR with "not an integer" set. */
ngx_int_t ngx_olivine_cx_integer(ngx_olivine_cx_t *cx, ngx_uint_t i,
    int64_t *n);


/*
 * For commands that take long, run in parts (see below) and keep between two
 * runs where they are: cx->caller->later is then what ngx_olivine_cx_later()
 * was given, to be freed by ngx_olivine_cx_later_free() when the command is
 * done.  If the client goes before that, later_free() is called.
 *
 * ngx_olivine_cx_turn() says whether the handler is to end its turn, with
 * `return ngx_olivine_cx_later(...)`: not inside a transaction, whose locks
 * are held; else when it ran for some time.  start: 0 before the first call.
 * What waits for something else (cx->park is set) keeps its place likewise.
 * AGAIN; or ERROR, with `later` freed, if there is no memory for it.
 */
#if (NGX_OLIVINE_TEST)
extern uint64_t  ngx_olivine_cx_turn_us;
#endif

ngx_uint_t ngx_olivine_cx_turn(ngx_olivine_cx_t *cx, uint64_t *start);
ngx_int_t ngx_olivine_cx_later(ngx_olivine_cx_t *cx, void *later,
    size_t size, void (*later_free)(void *later));
void ngx_olivine_cx_later_free(ngx_olivine_caller_t *caller);

/*
 * For commands that walk the store: locks a shard (and, if all, every shard under the
 * gate), runs the part given, commits or undoes and runs again, unlocks.
 * Returns OK, AGAIN (park), ERROR.
 */
typedef ngx_int_t (*ngx_olivine_cx_part_pt)(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);

ngx_int_t ngx_olivine_cx_in_shard(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_olivine_cx_part_pt part, void *data);

/*
 * The same with the shards of all keys of a command that is UNLOCKED (shard
 * is NULL): what takes long is done by its handler, outside.
 */
ngx_int_t ngx_olivine_cx_in_keys(ngx_olivine_cx_t *cx,
    ngx_olivine_cx_part_pt part, void *data);

/*
 * Raises the gate, locks every shard, runs the part once (shard is NULL),
 * commits, unlocks, lowers the gate.
 */
ngx_int_t ngx_olivine_cx_in_all(ngx_olivine_cx_t *cx, ngx_olivine_gate_e why,
    ngx_olivine_cx_part_pt part, void *data);

/*
 * For what is not of a shard (parameters, say): the part (shard is NULL) takes
 * those locks itself and stores through the journal; then all is committed or
 * undone, and unlocked.  No handler calls ngx_olivine_tx_commit(), _undo() or
 * _unlock(): inside an EXEC all of that is the transaction's.
 */
ngx_int_t ngx_olivine_cx_in_zone(ngx_olivine_cx_t *cx,
    ngx_olivine_cx_part_pt part, void *data);

/* Argument i is a secret, which neither log nor monitors must show. */
#define ngx_olivine_cx_redact(cx, i)                                          \
    (cx)->meter.redacted |= (i) < 32 ? (uint64_t) 1 << (i) : 0

/* The command took so many milliseconds more than its worker spent on it. */
#define ngx_olivine_cx_spent(cx, ms)                                          \
    (cx)->meter.spent = (uint64_t) (ms) * 1000000

/* All workers are to be rung with these hints once the command is committed. */
#define ngx_olivine_cx_ring(cx, h)  ((cx)->hints |= (h))


#endif /* _NGX_OLIVINE_COMMAND_H_INCLUDED_ */
