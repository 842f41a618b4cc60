
/*
 * Copyright (C) The Olivine authors
 *
 * A small zone for tests, and the dispatcher's loop in a few lines: run,
 * commit or undo, fetch what lacked, run again.
 */


#ifndef _UNIT_ZONE_H_INCLUDED_
#define _UNIT_ZONE_H_INCLUDED_


#include "unit.h"

#include "store/ngx_olivine_store.h"


#define UNIT_NOW  1000000000000LL


typedef struct {
    ngx_olivine_zone_t    *zone;
    int                    fd;
    ngx_olivine_tx_t      *tx;
    ngx_olivine_params_t   params;
} unit_zone_t;


/* what a test does in a transaction */
typedef ngx_int_t (*unit_part_pt)(ngx_olivine_tx_t *tx, void *data);


static inline void
unit_zone_create(unit_zone_t *z, size_t limit, ngx_uint_t shards)
{
    ngx_str_t                err;
    ngx_olivine_zone_conf_t  conf;

    (void) unit_log(NGX_LOG_ERR);

    ngx_olivine_params_defaults(&z->params);
    z->params.databases = 4;

    ngx_memzero(&conf, sizeof(conf));
    ngx_str_set(&conf.name, "unit");
    conf.limit = limit;
    conf.reserve = limit * 4 + UNIT_STATS;
    conf.shards = shards;
    conf.shard_size = ngx_olivine_store_shard_size(z->params.databases);
    conf.params = &z->params;

    assert_int_equal(ngx_olivine_zone_create(&conf, &z->zone, &z->fd, &err),
                     NGX_OK);

    z->tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_non_null(z->tx);

    z->zone->started = UNIT_NOW - 1000;
}


static inline void
unit_zone_claim(unit_zone_t *z)
{
    assert_int_equal(ngx_olivine_slot_claim(z->tx, z->zone, z->fd, 1),
                     NGX_OK);
}


static inline void
unit_zone_destroy(unit_zone_t *z)
{
    ngx_olivine_zone_destroy(z->zone, z->fd);
    free(z->tx);
}


/* OK or ERROR; the record is what a log would get. */

static inline ngx_int_t
unit_tx_log(ngx_olivine_tx_t *tx, unit_part_pt part, void *data,
    const char *record)
{
    ngx_int_t  rc;

    for ( ;; ) {
        rc = part(tx, data);

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(tx, (u_char *) record,
                                       record ? strlen(record) : 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);

        if (rc != NGX_AGAIN) {
            break;
        }

        (void) ngx_olivine_tx_fetch(tx);
    }

    ngx_olivine_tx_fetched(tx);

    return rc;
}


static inline ngx_int_t
unit_tx(ngx_olivine_tx_t *tx, unit_part_pt part, void *data)
{
    return unit_tx_log(tx, part, data, NULL);
}


static inline ngx_int_t
unit_find(ngx_olivine_tx_t *tx, ngx_uint_t db, ngx_str_t *key, int64_t now,
    ngx_olivine_ref_t *ref)
{
    uint64_t   hash;

    hash = ngx_olivine_store_hash(tx->zone, key);

    if (ngx_olivine_tx_lock_shard(tx, ngx_olivine_store_number(tx->zone, hash))
        != NGX_OK)
    {
        return NGX_AGAIN;
    }

    ngx_olivine_store_find_locked(tx, db, key, hash, now, ref);

    return NGX_OK;
}


static inline void
unit_audit(ngx_olivine_tx_t *tx)
{
    u_char     err[512];
    ngx_int_t  rc;

    err[0] = '\0';

    assert_int_equal(ngx_olivine_tx_lock_all(tx), NGX_OK);
    rc = ngx_olivine_store_audit(tx, err);
    ngx_olivine_tx_unlock(tx);

    if (rc != NGX_OK) {
        fail_msg("audit: %s", err);
    }
}


/* Of all databases. */

static inline void
unit_digest(ngx_olivine_tx_t *tx, u_char *digest)
{
    u_char      one[20];
    ngx_uint_t  i, db;

    memset(digest, 0, 20);

    assert_int_equal(ngx_olivine_tx_lock_all(tx), NGX_OK);

    for (db = 0; db < 4; db++) {
        memset(one, 0, 20);

        for (i = 0; i < tx->zone->nshards; i++) {
            ngx_olivine_store_digest_locked(tx,
                                 ngx_olivine_store_shard(tx->zone, i), db, one);
        }

        /* the same keys elsewhere are not the same */

        ngx_olivine_digest_mix(digest, one, 20);
    }

    ngx_olivine_tx_unlock(tx);
}


#endif /* _UNIT_ZONE_H_INCLUDED_ */
