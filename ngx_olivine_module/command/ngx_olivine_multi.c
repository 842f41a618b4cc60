
/*
 * Copyright (C) The Olivine authors
 *
 * What a client queues after MULTI, and the keys that it watches.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_multi.h"


#define NGX_OLIVINE_MULTI_CHUNK   4096
#define NGX_OLIVINE_MULTI_QUEUE   16


struct ngx_olivine_chunk_s {
    ngx_olivine_chunk_t   *next;
    size_t                 size;
};


static u_char *ngx_olivine_multi_room(ngx_olivine_multi_t *multi, size_t n);
static ngx_olivine_queued_t *ngx_olivine_multi_push(
    ngx_olivine_multi_t *multi);
static void ngx_olivine_multi_unwatched(ngx_olivine_cx_t *cx,
    ngx_olivine_caller_t *caller);
static ngx_int_t ngx_olivine_multi_remove(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);


ngx_int_t
ngx_olivine_cmd_multi(ngx_olivine_cx_t *cx)
{
    ngx_olivine_multi_t  *multi;

    if (cx->caller->multi) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_MULTI_NESTED);
    }

    multi = cx->spare;
    cx->spare = NULL;

    if (multi == NULL) {
        multi = ngx_calloc(sizeof(ngx_olivine_multi_t), ngx_cycle->log);
        if (multi == NULL) {
            return NGX_ERROR;
        }
    }

    cx->caller->multi = multi;

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_discard(ngx_olivine_cx_t *cx)
{
    if (cx->caller->multi == NULL) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_DISCARD_ALONE);
    }

    ngx_olivine_multi_unwatch(cx, cx->caller);
    ngx_olivine_multi_end(cx, cx->caller);

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_unwatch(ngx_olivine_cx_t *cx)
{
    /* inside an EXEC nothing is watched any more */

    if (!cx->nested) {
        ngx_olivine_multi_unwatch(cx, cx->caller);
    }

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_multi_queue(ngx_olivine_cx_t *cx)
{
    u_char                *p;
    size_t                 size;
    ngx_uint_t             i;
    ngx_olivine_arg_t     *argv;
    ngx_olivine_multi_t   *multi;
    ngx_olivine_queued_t  *q;

    multi = cx->caller->multi;
    size = 0;

    for (i = 0; i < cx->argc; i++) {
        size += cx->argv[i].run ? 0 : cx->argv[i].len;
        multi->size += cx->argv[i].len;
    }

    size += cx->argc * sizeof(ngx_olivine_arg_t);
    multi->size += cx->argc * sizeof(ngx_olivine_arg_t);

    if (multi->size > (size_t) cx->zone->params.client_query_buffer_limit
        && !cx->loading)
    {
        cx->tx->slot->counters.input_limit++;
        cx->caller->close = 1;
        return NGX_DECLINED;
    }

    p = ngx_olivine_multi_room(multi, size);
    q = p ? ngx_olivine_multi_push(multi) : NULL;

    if (q == NULL) {
        cx->starved = 1;
        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_OOM);
        return NGX_DECLINED;
    }

    argv = (ngx_olivine_arg_t *) p;
    p += cx->argc * sizeof(ngx_olivine_arg_t);

    for (i = 0; i < cx->argc; i++) {
        argv[i] = cx->argv[i];

        if (argv[i].run) {
            cx->argv[i].run = NULL;
            multi->runs = 1;
            continue;
        }

        argv[i].data = p;
        p = ngx_cpymem(p, cx->argv[i].data, argv[i].len);
    }

    q->command = cx->command;
    q->argv = argv;
    q->argc = cx->argc;
    q->hashed = (cx->hashed != 0);
    q->hash = cx->hashed ? cx->hashes[0] : 0;

    multi->flags |= cx->command->flags;

    (void) ngx_olivine_reply_queued(cx->reply);

    return NGX_DONE;
}


void
ngx_olivine_multi_refused(ngx_olivine_cx_t *cx, ngx_olivine_reply_mark_t *mark)
{
    if (cx->caller->multi) {
        cx->caller->multi->failed = 1;
    }

    if (cx->command == NULL || cx->command->handler != ngx_olivine_cmd_exec) {
        return;
    }

    /* there is but its arity */

    ngx_olivine_reply_rewind(cx->reply, mark);

    (void) ngx_olivine_reply_error_format(cx->reply,
                             "EXECABORT Transaction discarded because of: "
                             "wrong number of arguments for '%V' command",
                             &cx->command->name);

    ngx_olivine_multi_unwatch(cx, cx->caller);

    if (cx->caller->multi) {
        ngx_olivine_multi_end(cx, cx->caller);
    }
}


void
ngx_olivine_multi_end(ngx_olivine_cx_t *cx, ngx_olivine_caller_t *caller)
{
    if (caller->multi) {
        caller->multi->next = cx->spent;
        cx->spent = caller->multi;
        caller->multi = NULL;
    }
}


void
ngx_olivine_multi_unwatch(ngx_olivine_cx_t *cx, ngx_olivine_caller_t *caller)
{
    ngx_olivine_watched_t  *w;

    if (caller->watched == NULL) {
        return;
    }

    for (w = caller->watched; w->next; w = w->next) { /* void */ }

    w->next = cx->orphans;
    cx->orphans = caller->watched;

    caller->watched = NULL;
    ngx_olivine_multi_unwatched(cx, caller);

    ngx_olivine_multi_orphans(cx);
}


void
ngx_olivine_multi_orphans(ngx_olivine_cx_t *cx)
{
    ngx_olivine_watched_t  *w;

    while (cx->orphans) {
        w = cx->orphans;

        if (ngx_olivine_cx_in_shard(cx, w->shard, ngx_olivine_multi_remove,
                                    w->watch)
            != NGX_OK)
        {
            cx->park = NGX_OLIVINE_PARK_NONE;
            return;
        }

        cx->orphans = w->next;
        ngx_free(w);
    }
}


void
ngx_olivine_multi_forget(ngx_olivine_cx_t *cx, ngx_olivine_caller_t *caller)
{
    ngx_olivine_watched_t  *w;

    while (caller->watched) {
        w = caller->watched;
        caller->watched = w->next;
        ngx_free(w);
    }

    ngx_olivine_multi_unwatched(cx, caller);
}


static void
ngx_olivine_multi_unwatched(ngx_olivine_cx_t *cx, ngx_olivine_caller_t *caller)
{
    cx->tx->slot->watching -= (caller->nwatched != 0);
    cx->tx->slot->watched -= caller->nwatched;

    caller->nwatched = 0;
}


static ngx_int_t
ngx_olivine_multi_remove(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    return ngx_olivine_watch_remove_locked(cx->tx, data);
}


void
ngx_olivine_multi_free(ngx_olivine_cx_t *cx, ngx_olivine_multi_t *multi)
{
    ngx_uint_t             keep;
    ngx_olivine_chunk_t   *chunk, *next;
    ngx_olivine_queued_t  *queue;

    keep = cx->spare == NULL && multi->nalloc == NGX_OLIVINE_MULTI_QUEUE;

    for (chunk = multi->chunks; chunk; chunk = next) {
        next = chunk->next;

        if (next || !keep || chunk->size != NGX_OLIVINE_MULTI_CHUNK) {
            ngx_free(chunk);
            multi->chunks = next;
        }
    }

    if (!keep) {
        ngx_free(multi->queue);
        ngx_free(multi);
        return;
    }

    chunk = multi->chunks;
    queue = multi->queue;

    ngx_memzero(multi, sizeof(ngx_olivine_multi_t));

    multi->queue = queue;
    multi->nalloc = NGX_OLIVINE_MULTI_QUEUE;
    multi->chunks = chunk;

    if (chunk) {
        multi->pos = (u_char *) chunk + sizeof(ngx_olivine_chunk_t);
        multi->end = (u_char *) chunk + chunk->size;
    }

    cx->spare = multi;
}


void
ngx_olivine_multi_done(ngx_olivine_cx_t *cx)
{
    ngx_olivine_multi_t    *multi;
    ngx_olivine_watched_t  *w;

    while (cx->orphans) {
        w = cx->orphans;
        cx->orphans = w->next;
        ngx_free(w);                 /* the row is found by its dead slot */
    }

    if (cx->spare) {
        cx->spare->next = cx->spent;
        cx->spent = cx->spare;
        cx->spare = NULL;
    }

    while (cx->spent) {
        multi = cx->spent;
        cx->spent = multi->next;
        multi->nalloc = 0;                               /* not kept */

        ngx_olivine_multi_free(cx, multi);
    }
}


static u_char *
ngx_olivine_multi_room(ngx_olivine_multi_t *multi, size_t n)
{
    u_char               *p;
    size_t                size;
    ngx_olivine_chunk_t  *chunk;

    n = ngx_align(n, sizeof(void *));

    if ((size_t) (multi->end - multi->pos) < n) {

        size = ngx_max(n + sizeof(ngx_olivine_chunk_t),
                       NGX_OLIVINE_MULTI_CHUNK);

        chunk = ngx_alloc(size, ngx_cycle->log);
        if (chunk == NULL) {
            return NULL;
        }

        chunk->next = multi->chunks;
        chunk->size = size;

        multi->chunks = chunk;
        multi->pos = (u_char *) chunk + sizeof(ngx_olivine_chunk_t);
        multi->end = (u_char *) chunk + size;
    }

    p = multi->pos;
    multi->pos += n;

    return p;
}


static ngx_olivine_queued_t *
ngx_olivine_multi_push(ngx_olivine_multi_t *multi)
{
    ngx_uint_t             n;
    ngx_olivine_queued_t  *queue;

    if (multi->n == multi->nalloc) {
        n = ngx_max(multi->nalloc * 2, NGX_OLIVINE_MULTI_QUEUE);

        queue = ngx_alloc(n * sizeof(ngx_olivine_queued_t), ngx_cycle->log);
        if (queue == NULL) {
            return NULL;
        }

        if (multi->queue) {
            ngx_memcpy(queue, multi->queue,
                       multi->n * sizeof(ngx_olivine_queued_t));
            ngx_free(multi->queue);
        }

        multi->queue = queue;
        multi->nalloc = n;
    }

    return &multi->queue[multi->n++];
}
