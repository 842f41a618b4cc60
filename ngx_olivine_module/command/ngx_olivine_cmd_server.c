
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd.h"


static ngx_int_t ngx_olivine_cmd_flush(ngx_olivine_cx_t *cx,
    ngx_olivine_cx_part_pt part);
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


/* Tables are detached at once and freed later, with SYNC as with ASYNC. */

static ngx_int_t
ngx_olivine_cmd_flush(ngx_olivine_cx_t *cx, ngx_olivine_cx_part_pt part)
{
    ngx_int_t  rc;

    if (cx->argc > 2
        || (cx->argc == 2 && !ngx_olivine_cx_is(cx, 1, "async")
            && !ngx_olivine_cx_is(cx, 1, "sync")))
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    rc = ngx_olivine_cx_in_all(cx, NGX_OLIVINE_GATE_FLUSH, part, NULL);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_ok(cx->reply);
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
