
/*
 * Copyright (C) The Olivine authors
 *
 * Keys that go elsewhere: RENAME, MOVE, COPY, SWAPDB.
 *
 * What a key holds is handed over where it can be: a big value keeps its run
 * whatever shard the new name is of.  A copy is made under the locks.
 */


#include "command/ngx_olivine_cmd.h"


typedef struct {
    ngx_uint_t           db;
    ngx_uint_t           replace;            /* unsigned  replace:1; */
} ngx_olivine_copy_t;


static ngx_int_t ngx_olivine_rename_generic(ngx_olivine_cx_t *cx,
    ngx_uint_t nx);
static ngx_int_t ngx_olivine_rename_refs(ngx_olivine_cx_t *cx, ngx_uint_t db,
    ngx_uint_t to_key, ngx_olivine_ref_t *from, ngx_olivine_ref_t *to);
static ngx_int_t ngx_olivine_copy_options(ngx_olivine_cx_t *cx,
    ngx_olivine_copy_t *copy);
static ngx_int_t ngx_olivine_swapdb_index(ngx_olivine_cx_t *cx,
    ngx_uint_t arg, const char *which, int64_t *db);
static ngx_int_t ngx_olivine_swapdb_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);


ngx_int_t
ngx_olivine_cmd_rename(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_rename_generic(cx, 0);
}


ngx_int_t
ngx_olivine_cmd_renamenx(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_rename_generic(cx, 1);
}


static ngx_int_t
ngx_olivine_rename_generic(ngx_olivine_cx_t *cx, ngx_uint_t nx)
{
    ngx_int_t          rc;
    ngx_olivine_ref_t  from, to;

    rc = ngx_olivine_rename_refs(cx, cx->caller->db, 1, &from, &to);
    if (rc != NGX_OK) {
        return rc;
    }

    if (from.entry == NULL) {

        /* no failure: that it was past its time stays noted */

        return ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_NO_SUCH_KEY);
    }

    if (nx && to.entry) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    if (from.entry != to.entry) {

        rc = ngx_olivine_store_move_locked(cx->tx, &from, &to, cx->clock);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_cx_effect_self(cx);
    }

    return nx ? ngx_olivine_reply_one(cx->reply)
              : ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_move(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_uint_t         db;
    ngx_olivine_ref_t  from, to;

    if (ngx_olivine_cmd_db(cx, 2, &db) != NGX_OK) {
        return NGX_ERROR;
    }

    if (db == cx->caller->db) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SAME_OBJECT);
    }

    rc = ngx_olivine_rename_refs(cx, db, 0, &from, &to);
    if (rc != NGX_OK) {
        return rc;
    }

    if (from.entry == NULL || to.entry) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    rc = ngx_olivine_store_move_locked(cx->tx, &from, &to, cx->clock);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_one(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_copy(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_str_t            key, name;
    ngx_olivine_ref_t    from, to;
    ngx_olivine_copy_t   copy;
    ngx_olivine_value_t  value;

    if (ngx_olivine_copy_options(cx, &copy) != NGX_OK) {
        return NGX_ERROR;
    }

    key = ngx_olivine_cx_arg(cx, 1);
    name = ngx_olivine_cx_arg(cx, 2);

    if (copy.db == cx->caller->db && key.len == name.len
        && ngx_memcmp(key.data, name.data, key.len) == 0)
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SAME_OBJECT);
    }

    rc = ngx_olivine_rename_refs(cx, copy.db, 1, &from, &to);
    if (rc != NGX_OK) {
        return rc;
    }

    if (from.entry) {
        cx->tx->slot->counters.hits++;

    } else {
        cx->tx->slot->counters.misses++;
    }

    if (from.entry == NULL || (to.entry && !copy.replace)) {
        return ngx_olivine_reply_zero(cx->reply);
    }

    ngx_olivine_entry_value(cx->zone, from.entry, &value);

    rc = ngx_olivine_cx_set(cx, &to, &value,
                            ngx_olivine_entry_expire(from.entry));
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_cx_effect_self(cx);

    return ngx_olivine_reply_one(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_swapdb(ngx_olivine_cx_t *cx)
{
    int64_t    db[2];
    ngx_int_t  rc;

    if (ngx_olivine_swapdb_index(cx, 1, "first", &db[0]) != NGX_OK
        || ngx_olivine_swapdb_index(cx, 2, "second", &db[1]) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (db[0] < 0 || db[0] >= cx->zone->params.databases
        || db[1] < 0 || db[1] >= cx->zone->params.databases)
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_DB_RANGE);
    }

    if (db[0] != db[1]) {
        rc = ngx_olivine_cx_in_all(cx, NGX_OLIVINE_GATE_SWAP,
                                   ngx_olivine_swapdb_part, db);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return ngx_olivine_reply_ok(cx->reply);
}


/*
 * The source, which is the first key, and the target in a database.  What is
 * past its time is removed from both.
 */

static ngx_int_t
ngx_olivine_rename_refs(ngx_olivine_cx_t *cx, ngx_uint_t db,
    ngx_uint_t to_key, ngx_olivine_ref_t *from, ngx_olivine_ref_t *to)
{
    ngx_int_t  rc;

    rc = ngx_olivine_cx_find(cx, 0, from);

    if (rc != NGX_OK || from->entry == NULL) {
        return rc;
    }

    rc = ngx_olivine_cx_find_in(cx, to_key, db, to);

    if (rc == NGX_OK && to->entry == NULL) {

        /* its removal may have moved the other */

        ngx_olivine_store_find_locked(cx->tx, from->db, &from->key,
                                      from->hash, cx->now, from);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_copy_options(ngx_olivine_cx_t *cx, ngx_olivine_copy_t *copy)
{
    ngx_uint_t  i;

    copy->db = cx->caller->db;
    copy->replace = 0;

    for (i = 3; i < cx->argc; i++) {

        if (ngx_olivine_cx_is(cx, i, "replace")) {
            copy->replace = 1;

        } else if (ngx_olivine_cx_is(cx, i, "db") && i + 1 < cx->argc) {

            if (ngx_olivine_cmd_db(cx, ++i, &copy->db) != NGX_OK) {
                return NGX_ERROR;
            }

        } else {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_swapdb_index(ngx_olivine_cx_t *cx, ngx_uint_t arg,
    const char *which, int64_t *db)
{
    if (ngx_olivine_cx_integer(cx, arg, db) != NGX_OK
        || *db < INT32_MIN || *db > INT32_MAX)
    {
        return ngx_olivine_cx_error(cx, "ERR invalid %s DB index", which);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_swapdb_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    int64_t *db = data;

    ngx_int_t  rc;

    rc = ngx_olivine_store_swap_locked(cx->tx, db[0], db[1]);

    if (rc == NGX_OK) {
        ngx_olivine_cx_effect_self(cx);
    }

    return rc;
}
