
/*
 * Copyright (C) The Olivine authors
 *
 * Transactions: what a client queues between MULTI and EXEC, and the keys
 * that it watches.
 *
 * A queue is private memory; an argument that was received into a run of the
 * zone stays in it, listed as a receipt.  EXEC takes the locks of all shards
 * that the queue and the watched keys touch, runs every command as part of
 * one transaction of the journal, and commits them as one record.  A command
 * that fails is undone alone, as in Redis; one that lacks pages or credit
 * has the whole undone, and run again.
 */


#ifndef _NGX_OLIVINE_MULTI_H_INCLUDED_
#define _NGX_OLIVINE_MULTI_H_INCLUDED_


#include "command/ngx_olivine_command.h"
#include "store/ngx_olivine_watch.h"


typedef struct ngx_olivine_chunk_s  ngx_olivine_chunk_t;


typedef struct {
    const ngx_olivine_command_t  *command;
    ngx_olivine_arg_t            *argv;
    ngx_uint_t                    argc;
    uint64_t                      hash;
    ngx_uint_t                    hashed;    /* hash is its first key's */
    ngx_olivine_meter_nested_t    meter;
} ngx_olivine_queued_t;


struct ngx_olivine_multi_s {
    ngx_olivine_multi_t          *next;      /* in cx->spent */

    ngx_uint_t                    n;
    ngx_uint_t                    nalloc;
    ngx_olivine_queued_t         *queue;
    size_t                        size;      /* bytes of arguments */
    ngx_uint_t                    flags;     /* of all rows */

    /* where arguments are copied to, the newest first */
    ngx_olivine_chunk_t          *chunks;
    u_char                       *pos;
    u_char                       *end;

    unsigned                      failed:1;  /* one was refused */
    unsigned                      runs:1;    /* arguments lie in the zone */
};


/* A key that the client watches; private, the row is the shard's. */
struct ngx_olivine_watched_s {
    ngx_olivine_watched_t        *next;
    ngx_olivine_watch_t          *watch;
    uint32_t                      shard;
};


/*
 * Queues the command in cx->argv and replies so; runs of arguments become the
 * queue's.  DONE; DECLINED: no memory, or over the limit (the client is
 * closed).
 */
ngx_int_t ngx_olivine_multi_queue(ngx_olivine_cx_t *cx);

/*
 * A command was refused before it was queued, the error is written behind the
 * mark: the transaction, if there is one, will not be run.
 */
void ngx_olivine_multi_refused(ngx_olivine_cx_t *cx,
    ngx_olivine_reply_mark_t *mark);

/* Ends the caller's transaction; its queue is put to cx->spent. */
void ngx_olivine_multi_end(ngx_olivine_cx_t *cx,
    ngx_olivine_caller_t *caller);

/*
 * The caller watches no key any more.  Rows that cannot be removed now, the
 * gate being up, are left to ngx_olivine_multi_orphans(), which a tick calls.
 */
void ngx_olivine_multi_unwatch(ngx_olivine_cx_t *cx,
    ngx_olivine_caller_t *caller);
void ngx_olivine_multi_orphans(ngx_olivine_cx_t *cx);

/* The rows were removed with a transaction: forgets what it watched. */
void ngx_olivine_multi_forget(ngx_olivine_cx_t *cx,
    ngx_olivine_caller_t *caller);

/* Frees a queue whose runs were given up, or keeps it to be used again. */
void ngx_olivine_multi_free(ngx_olivine_cx_t *cx, ngx_olivine_multi_t *multi);

/* Frees what a worker keeps of them. */
void ngx_olivine_multi_done(ngx_olivine_cx_t *cx);


#endif /* _NGX_OLIVINE_MULTI_H_INCLUDED_ */
