
/*
 * Copyright (C) The Olivine authors
 *
 * DEBUG POPULATE: keys by the thousand, without effects.
 */


#include "command/ngx_olivine_cmd_debug.h"


/* the longest prefix, and the longest "value:N" */
#define NGX_OLIVINE_POPULATE_PREFIX  4096
#define NGX_OLIVINE_POPULATE_VALUE   (6 + NGX_OLIVINE_I64_LEN)


typedef struct {
    uint64_t             count;
    uint64_t             done;
    uint64_t             hash;
    ngx_str_t            key;
    size_t               prefix;
    ngx_str_t            value;
    size_t               size;      /* 0: as long as it is */
} ngx_olivine_populate_t;


static ngx_int_t ngx_olivine_populate_args(ngx_olivine_cx_t *cx,
    ngx_olivine_populate_t *p);
static void ngx_olivine_populate_free(void *data);
static ngx_int_t ngx_olivine_populate_key(ngx_olivine_cx_t *cx,
    ngx_olivine_populate_t *p);
static ngx_int_t ngx_olivine_populate_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);


/* Each key is a transaction of its own, and some are made in a turn. */

ngx_int_t
ngx_olivine_debug_populate(ngx_olivine_cx_t *cx)
{
    uint64_t                 start;
    ngx_int_t                rc;
    ngx_olivine_populate_t   p, *before;

    before = cx->caller->later;

    if (before) {
        p = *before;

    } else {
        rc = ngx_olivine_populate_args(cx, &p);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    start = 0;
    rc = NGX_OK;

    for ( /* void */ ; p.done < p.count; p.done++) {

        rc = ngx_olivine_cx_turn(cx, &start)
             ? NGX_AGAIN : ngx_olivine_populate_key(cx, &p);

        if (rc != NGX_OK) {
            break;
        }
    }

    if (rc == NGX_AGAIN && !cx->nested) {
        return ngx_olivine_cx_later(cx, &p, sizeof(ngx_olivine_populate_t),
                                    ngx_olivine_populate_free);
    }

    if (before) {
        ngx_olivine_cx_later_free(cx->caller);

    } else {
        ngx_olivine_populate_free(&p);
    }

    return rc == NGX_OK ? ngx_olivine_reply_ok(cx->reply) : rc;
}


/* count [prefix [size]]; room for a key and a value is to be freed */

static ngx_int_t
ngx_olivine_populate_args(ngx_olivine_cx_t *cx, ngx_olivine_populate_t *p)
{
    int64_t    count, size;
    ngx_str_t  prefix = ngx_string("key");

    size = 0;

    if (ngx_olivine_cx_integer(cx, 2, &count) != NGX_OK || count < 0
        || (cx->argc > 4
            && (ngx_olivine_cx_integer(cx, 4, &size) != NGX_OK || size < 0)))
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOT_POSITIVE);
    }

    if (cx->argc > 3) {
        prefix = ngx_olivine_cx_arg(cx, 3);
    }

    if (size > cx->zone->params.proto_max_bulk_len
        || prefix.len > NGX_OLIVINE_POPULATE_PREFIX)
    {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_STRING_TOO_LONG);
    }

    p->count = count;
    p->done = 0;
    p->size = size;
    p->prefix = prefix.len;

    p->key.data = ngx_alloc(prefix.len + 1 + NGX_OLIVINE_I64_LEN,
                            ngx_cycle->log);
    if (p->key.data == NULL) {
        return NGX_ERROR;
    }

    /* zeros follow the text */

    p->value.data = ngx_calloc(ngx_max(p->size, NGX_OLIVINE_POPULATE_VALUE),
                               ngx_cycle->log);
    if (p->value.data == NULL) {
        ngx_free(p->key.data);
        return NGX_ERROR;
    }

    *ngx_cpymem(p->key.data, prefix.data, prefix.len) = ':';

    return NGX_OK;
}


static void
ngx_olivine_populate_free(void *data)
{
    ngx_olivine_populate_t *p = data;

    ngx_free(p->key.data);
    ngx_free(p->value.data);
}


static ngx_int_t
ngx_olivine_populate_key(ngx_olivine_cx_t *cx, ngx_olivine_populate_t *p)
{
    u_char  text[NGX_OLIVINE_POPULATE_VALUE], *last;

    last = ngx_olivine_number_print(p->key.data + p->prefix + 1, p->done);
    p->key.len = last - p->key.data;
    p->hash = ngx_olivine_store_hash(cx->zone, &p->key);

    last = ngx_olivine_number_print(ngx_cpymem(text, "value:", 6), p->done);
    p->value.len = p->size ? p->size : (size_t) (last - text);
    ngx_memcpy(p->value.data, text,
               ngx_min(p->value.len, (size_t) (last - text)));

    return ngx_olivine_cx_in_shard(cx,
                                   ngx_olivine_store_number(cx->zone,
                                                            p->hash),
                                   ngx_olivine_populate_part, p);
}


/* what is there stays as it is */

static ngx_int_t
ngx_olivine_populate_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_populate_t *p = data;

    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    ngx_olivine_store_find_locked(cx->tx, cx->caller->db, &p->key, p->hash,
                                  cx->now, &ref);

    if (ref.entry) {
        return NGX_OK;
    }

    ngx_olivine_string_set_raw(&value, p->value.data, p->value.len);

    return ngx_olivine_cx_set(cx, &ref, &value, NGX_OLIVINE_EXPIRE_NONE);
}
