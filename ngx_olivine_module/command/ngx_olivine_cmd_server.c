
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd.h"


/* buckets that are freed under one lock */
#define NGX_OLIVINE_FLUSH_BUCKETS  4


typedef struct {
    ngx_uint_t    shard;                     /* those before it are done */
    ngx_uint_t    kept;                      /* a snapshot wants the rest */
} ngx_olivine_flush_t;


static ngx_int_t ngx_olivine_cmd_flush(ngx_olivine_cx_t *cx,
    ngx_olivine_cx_part_pt part);
static ngx_int_t ngx_olivine_flush_free(ngx_olivine_cx_t *cx,
    ngx_olivine_flush_t *flush);
static ngx_int_t ngx_olivine_flush_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static void ngx_olivine_flush_done(void *data);
static ngx_int_t ngx_olivine_flush_db(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_flush_all(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_flush_table(ngx_olivine_cx_t *cx,
    ngx_uint_t db, ngx_uint_t *flushed);


ngx_int_t
ngx_olivine_cmd_time(ngx_olivine_cx_t *cx)
{
    (void) ngx_olivine_reply_array(cx->reply, 2);
    (void) ngx_olivine_reply_bulk_integer(cx->reply, cx->now_us / 1000000);

    return ngx_olivine_reply_bulk_integer(cx->reply, cx->now_us % 1000000);
}


ngx_int_t
ngx_olivine_cmd_dbsize(ngx_olivine_cx_t *cx)
{
    uint64_t  keys, expires;

    ngx_olivine_store_count(cx->zone, cx->caller->db, &keys, &expires);

    return ngx_olivine_reply_integer(cx->reply, keys);
}


ngx_int_t
ngx_olivine_cmd_flushdb(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_flush(cx, ngx_olivine_flush_db);
}


ngx_int_t
ngx_olivine_cmd_flushall(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_cmd_flush(cx, ngx_olivine_flush_all);
}


/*
 * Tables are detached at once, all of them in one transaction.  With ASYNC
 * ticks free them; else the client frees them itself, turn by turn, and has
 * its reply when their memory is free.
 */

static ngx_int_t
ngx_olivine_cmd_flush(ngx_olivine_cx_t *cx, ngx_olivine_cx_part_pt part)
{
    ngx_int_t             rc;
    ngx_uint_t            async;
    ngx_olivine_flush_t   flush, *before;

    async = (cx->argc == 2 && ngx_olivine_cx_is(cx, 1, "async"));

    if (cx->argc > 2
        || (cx->argc == 2 && !async && !ngx_olivine_cx_is(cx, 1, "sync")))
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    before = cx->caller->later;

    if (before) {
        flush.shard = before->shard;

    } else {
        flush.shard = 0;

        rc = ngx_olivine_cx_in_all(cx, NGX_OLIVINE_GATE_FLUSH, part, NULL);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (!async && !cx->nested
        && ngx_olivine_flush_free(cx, &flush) == NGX_AGAIN
        && ngx_olivine_cx_later(cx, &flush, sizeof(ngx_olivine_flush_t),
                                ngx_olivine_flush_done)
           == NGX_AGAIN)
    {
        return NGX_AGAIN;
    }

    ngx_olivine_cx_later_free(cx->caller);

    return ngx_olivine_reply_ok(cx->reply);
}


/*
 * OK: nothing is left of what was detached; AGAIN: another turn, or as
 * cx->park says; ERROR: ticks will do it.
 */

static ngx_int_t
ngx_olivine_flush_free(ngx_olivine_cx_t *cx, ngx_olivine_flush_t *flush)
{
    uint64_t              start;
    ngx_int_t             rc;
    ngx_olivine_shard_t  *shard;

    start = 0;

    while (flush->shard < cx->zone->nshards) {

        shard = ngx_olivine_store_shard(cx->zone, flush->shard);

        if (*(ngx_olivine_table_t *volatile *) &shard->detached == NULL) {
            flush->shard++;
            continue;
        }

        if (ngx_olivine_cx_turn(cx, &start)) {
            return NGX_AGAIN;
        }

        rc = ngx_olivine_cx_in_shard(cx, flush->shard, ngx_olivine_flush_part,
                                     flush);
        if (rc != NGX_OK) {
            return rc;
        }

        flush->shard += flush->kept;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_flush_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_flush_t *flush = data;

    ngx_int_t  rc;

    rc = ngx_olivine_store_free_locked(cx->tx, shard,
                                       NGX_OLIVINE_FLUSH_BUCKETS);

    /* what a snapshot is still to save is freed by ticks, behind it */

    flush->kept = (rc == NGX_DECLINED);

    return rc == NGX_DECLINED ? NGX_OK : rc;
}


static void
ngx_olivine_flush_done(void *data)
{
    /* what is left is freed by ticks */
}


static ngx_int_t
ngx_olivine_flush_db(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_int_t   rc;
    ngx_uint_t  flushed;

    flushed = 0;

    rc = ngx_olivine_flush_table(cx, cx->caller->db, &flushed);

    if (rc == NGX_OK && flushed) {
        ngx_olivine_cx_effect(cx, 1, &(ngx_str_t) ngx_string("FLUSHDB"));
    }

    return rc;
}


static ngx_int_t
ngx_olivine_flush_all(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    int64_t     db;
    ngx_int_t   rc;
    ngx_uint_t  flushed;

    flushed = 0;

    for (db = 0; db < cx->zone->params.databases; db++) {

        rc = ngx_olivine_flush_table(cx, db, &flushed);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (flushed) {
        ngx_olivine_cx_effect(cx, 1, &(ngx_str_t) ngx_string("FLUSHALL"));
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_flush_table(ngx_olivine_cx_t *cx, ngx_uint_t db,
    ngx_uint_t *flushed)
{
    ngx_int_t             rc;
    ngx_uint_t            n;
    ngx_olivine_shard_t  *shard;

    for (n = 0; n < cx->zone->nshards; n++) {

        shard = ngx_olivine_store_shard(cx->zone, n);

        if (shard->tables[db] == NULL) {
            continue;
        }

        if (shard->tables[db]->keys) {
            *flushed = 1;
        }

        rc = ngx_olivine_store_flush_locked(cx->tx, shard, db);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}
