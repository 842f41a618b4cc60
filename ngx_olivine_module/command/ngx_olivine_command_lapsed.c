
/*
 * Copyright (C) The Olivine authors
 *
 * Commands that read change nothing, not even a key that is past its time.
 * Once one is done, with its reply written, such keys are removed by
 * transactions of their own; whatever one lacks, they are left to the tick.
 */


#include "command/ngx_olivine_command.h"


static ngx_int_t ngx_olivine_command_lapsed_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);


void
ngx_olivine_command_lapsed(ngx_olivine_cx_t *cx)
{
    uint64_t    shards;
    ngx_uint_t  i;

    /* a transaction for each, so that each DEL stands for itself */

    for (i = 0; i < cx->nkeys; i++) {

        shards = (uint64_t) 1 << ngx_olivine_store_number(cx->zone,
                                                          cx->keys[i].hash);

        if (ngx_olivine_command_transact(cx, shards,
                                         ngx_olivine_command_lapsed_part,
                                         NULL, &cx->keys[i])
            != NGX_OK)
        {
            cx->park = NGX_OLIVINE_PARK_NONE;
            break;
        }
    }
}


static ngx_int_t
ngx_olivine_command_lapsed_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data)
{
    ngx_olivine_cx_key_t *k = data;

    ngx_int_t          rc;
    ngx_str_t          key, word = ngx_string("DEL");
    ngx_olivine_ref_t  ref;

    key = ngx_olivine_cx_arg(cx, k->arg);

    ngx_olivine_store_find_locked(cx->tx, cx->caller->db, &key, k->hash,
                                  cx->now, &ref);

    if (!ref.expired) {
        return NGX_OK;
    }

    rc = ngx_olivine_store_delete_locked(cx->tx, &ref);

    if (rc == NGX_OK) {
        cx->tx->slot->counters.expired++;
        ngx_olivine_cx_effect(cx, 2, &word, &key);
    }

    return rc;
}
