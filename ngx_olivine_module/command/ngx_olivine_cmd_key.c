
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_cmd.h"


/* draws before RANDOMKEY looks for a living key in order; draws a lock */
#define NGX_OLIVINE_RANDOM_DRAWS    100
#define NGX_OLIVINE_RANDOM_TRIES    8
#define NGX_OLIVINE_RANDOM_BUCKETS  32


typedef struct {
    ngx_olivine_cx_t   *cx;
    ngx_uint_t          found;               /* unsigned  found:1; */
    uint64_t            cursor;
    uint64_t            next;
    ngx_uint_t          any;                 /* those past their time, too */
} ngx_olivine_random_t;


static ngx_int_t ngx_olivine_random_draw(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_random_walk(ngx_olivine_cx_t *cx,
    ngx_olivine_random_t *random);
static ngx_int_t ngx_olivine_random_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static void ngx_olivine_random_visit(void *data, ngx_olivine_entry_t *e);
static ngx_int_t ngx_olivine_random_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_entry_t *e);
static ngx_uint_t ngx_olivine_random_shard(ngx_olivine_cx_t *cx,
    uint64_t sum, uint64_t n);
static uint64_t ngx_olivine_random_keys(ngx_olivine_cx_t *cx, ngx_uint_t n);
static uint64_t ngx_olivine_random_number(void);


/* DEL and UNLINK: big values are freed later either way */

ngx_int_t
ngx_olivine_cmd_del(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_uint_t         i, n;
    ngx_olivine_ref_t  ref;

    n = 0;

    for (i = 0; i < cx->nkeys; i++) {

        rc = ngx_olivine_cx_find(cx, i, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        if (ref.entry == NULL) {
            continue;
        }

        rc = ngx_olivine_cx_delete(cx, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        n++;
    }

    if (n) {
        ngx_olivine_cx_effect_self(cx);
    }

    return ngx_olivine_reply_integer(cx->reply, n);
}


/* EXISTS and TOUCH: the table says whether looking counts as an access */

ngx_int_t
ngx_olivine_cmd_exists(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_uint_t         i, n;
    ngx_olivine_ref_t  ref;

    n = 0;

    for (i = 0; i < cx->nkeys; i++) {

        rc = ngx_olivine_cx_find(cx, i, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        n += (ref.entry != NULL);
    }

    return ngx_olivine_reply_integer(cx->reply, n);
}


ngx_int_t
ngx_olivine_cmd_type(ngx_olivine_cx_t *cx)
{
    ngx_int_t           rc;
    ngx_olivine_ref_t   ref;
    const ngx_str_t    *name;

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL) {
        return ngx_olivine_reply_literal(cx->reply, "+none" CRLF);
    }

    name = &ngx_olivine_types[ngx_olivine_entry_type(ref.entry)].name;

    return ngx_olivine_reply_simple(cx->reply, name->data, name->len);
}


/*
 * The shard is drawn by its number of keys, read without a lock.  Where most
 * keys are past their time, the first living one has to do.
 */

ngx_int_t
ngx_olivine_cmd_randomkey(ngx_olivine_cx_t *cx)
{
    uint64_t               sum;
    ngx_int_t              rc;
    ngx_uint_t             i, n;
    ngx_olivine_random_t   random;

    random.cx = cx;
    random.found = 0;
    random.any = 0;

    for (i = 0; i < NGX_OLIVINE_RANDOM_DRAWS; i += NGX_OLIVINE_RANDOM_TRIES) {

        sum = 0;

        for (n = 0; n < cx->zone->nshards; n++) {
            sum += ngx_olivine_random_keys(cx, n);
        }

        if (sum == 0) {
            return ngx_olivine_reply_null(cx->reply);
        }

        n = ngx_olivine_random_shard(cx, sum, ngx_olivine_random_number());

        rc = ngx_olivine_cx_in_shard(cx, n, ngx_olivine_random_draw, &random);

        if (rc != NGX_OK || random.found) {
            return rc;
        }
    }

    return ngx_olivine_random_walk(cx, &random);
}


static ngx_int_t
ngx_olivine_random_draw(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_random_t *random = data;

    ngx_uint_t            i;
    ngx_olivine_entry_t  *e;

    random->found = 0;

    for (i = 0; i < NGX_OLIVINE_RANDOM_TRIES; i++) {

        e = ngx_olivine_store_random_locked(cx->tx, shard, cx->caller->db,
                                            ngx_olivine_random_number());
        if (e == NULL) {
            return NGX_OK;
        }

        if (!ngx_olivine_cmd_expired(e, cx->now)) {
            random->found = 1;
            return ngx_olivine_random_reply(cx, e);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_random_walk(ngx_olivine_cx_t *cx, ngx_olivine_random_t *random)
{
    ngx_int_t   rc;
    ngx_uint_t  n;

    for (n = 0; n < cx->zone->nshards; n++) {

        random->cursor = 0;

        do {
            rc = ngx_olivine_cx_in_shard(cx, n, ngx_olivine_random_part,
                                         random);

            if (rc != NGX_OK || random->found) {
                return rc;
            }

            random->cursor = random->next;

        } while (random->cursor);
    }

    /* as in Redis: what CLIENT PAUSE keeps from being removed is there */

    if (!random->any && ngx_olivine_pause(cx->zone, cx->now)) {
        random->any = 1;
        return ngx_olivine_random_walk(cx, random);
    }

    return ngx_olivine_reply_null(cx->reply);
}


static ngx_int_t
ngx_olivine_random_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_random_t *random = data;

    ngx_uint_t  i;

    random->found = 0;
    random->next = random->cursor;

    for (i = 0; i < NGX_OLIVINE_RANDOM_BUCKETS; i++) {

        random->next = ngx_olivine_store_scan_locked(cx->tx, shard,
                                                 cx->caller->db, random->next,
                                                 ngx_olivine_random_visit,
                                                 random);

        if (random->found || random->next == 0) {
            break;
        }
    }

    return NGX_OK;
}


static void
ngx_olivine_random_visit(void *data, ngx_olivine_entry_t *e)
{
    ngx_olivine_random_t *random = data;

    if (random->found
        || (!random->any && ngx_olivine_cmd_expired(e, random->cx->now)))
    {
        return;
    }

    random->found = 1;
    (void) ngx_olivine_random_reply(random->cx, e);
}


static ngx_int_t
ngx_olivine_random_reply(ngx_olivine_cx_t *cx, ngx_olivine_entry_t *e)
{
    ngx_str_t  key;

    ngx_olivine_entry_key(e, &key);

    return ngx_olivine_reply_bulk(cx->reply, key.data, key.len);
}


/* The shard that holds the n-th of all keys; sum may have changed since. */

static ngx_uint_t
ngx_olivine_random_shard(ngx_olivine_cx_t *cx, uint64_t sum, uint64_t n)
{
    uint64_t    keys;
    ngx_uint_t  i;

    n %= sum;

    for (i = 0; i < cx->zone->nshards - 1; i++) {

        keys = ngx_olivine_random_keys(cx, i);

        if (n < keys) {
            break;
        }

        n -= keys;
    }

    return i;
}


/* Read without a lock: a table's memory stays readable when it is freed. */

static uint64_t
ngx_olivine_random_keys(ngx_olivine_cx_t *cx, ngx_uint_t n)
{
    ngx_olivine_shard_t           *shard;
    volatile ngx_olivine_table_t  *table;

    shard = ngx_olivine_store_shard(cx->zone, n);
    table = *(ngx_olivine_table_t *volatile *) &shard->tables[cx->caller->db];

    return table ? table->keys : 0;
}


static uint64_t
ngx_olivine_random_number(void)
{
    return (uint64_t) ngx_random() << 33 ^ (uint64_t) ngx_random() << 16
           ^ (uint64_t) ngx_random();
}
