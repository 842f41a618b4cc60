
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


#define ngx_olivine_hotkeys_table(zone, which)                                \
    (&((ngx_olivine_hotkeys_table_t *) (zone)->hotkeys_tables)[which])


static void ngx_olivine_hotkeys_unlock(ngx_olivine_tx_t *tx);
static void ngx_olivine_hotkeys_add_locked(
    ngx_olivine_hotkeys_table_t *table, ngx_uint_t n, ngx_str_t *key,
    uint64_t hash, uint64_t weight);
static void ngx_olivine_hotkeys_end_locked(ngx_olivine_hotkeys_t *hotkeys,
    int64_t now);


ngx_int_t
ngx_olivine_hotkeys_start(ngx_olivine_tx_t *tx,
    ngx_olivine_hotkeys_session_t *session)
{
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_hotkeys_t  *hotkeys;

    zone = tx->zone;
    hotkeys = &zone->hotkeys;

    if (!hotkeys->backed
        && ngx_olivine_zone_back(zone, tx->fd, zone->hotkeys_tables,
                                 NGX_OLIVINE_HOTKEYS_METRICS
                                 * sizeof(ngx_olivine_hotkeys_table_t))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_olivine_lock_insist(tx, &hotkeys->lock);

    hotkeys->backed = 1;
    rc = NGX_DECLINED;

    if (!ngx_olivine_hotkeys_active(hotkeys, session->started)) {

        hotkeys->active = 0;
        hotkeys->known = 0;
        ngx_olivine_barrier();
        ngx_olivine_step();

        for (i = 0; i < NGX_OLIVINE_HOTKEYS_METRICS; i++) {
            ngx_memzero(ngx_olivine_hotkeys_table(zone, i)->hashes,
                        sizeof(uint64_t) * NGX_OLIVINE_HOTKEYS_PLACES);
        }

        hotkeys->session = *session;
        hotkeys->took = 0;
        hotkeys->ns = 0;
        hotkeys->bytes = 0;
        hotkeys->sampled = 0;
        ngx_olivine_barrier();
        ngx_olivine_step();

        hotkeys->known = 1;
        hotkeys->active = 1;
        ngx_olivine_step();

        rc = NGX_OK;
    }

    ngx_olivine_hotkeys_unlock(tx);

    return rc;
}


/* Its time is over, whether or not somebody has noticed. */

static void
ngx_olivine_hotkeys_end_locked(ngx_olivine_hotkeys_t *hotkeys, int64_t now)
{
    if (hotkeys->active && !ngx_olivine_hotkeys_active(hotkeys, now)) {
        hotkeys->took = hotkeys->session.duration;
        ngx_olivine_barrier();
        hotkeys->active = 0;
        ngx_olivine_step();
    }
}


ngx_int_t
ngx_olivine_hotkeys_stop(ngx_olivine_tx_t *tx, int64_t now)
{
    ngx_int_t               rc;
    ngx_olivine_hotkeys_t  *hotkeys;

    hotkeys = &tx->zone->hotkeys;
    rc = NGX_DECLINED;

    ngx_olivine_lock_insist(tx, &hotkeys->lock);
    ngx_olivine_hotkeys_end_locked(hotkeys, now);

    if (hotkeys->active) {
        hotkeys->took = now - hotkeys->session.started;
        ngx_olivine_barrier();
        hotkeys->active = 0;
        ngx_olivine_step();
        rc = NGX_OK;
    }

    ngx_olivine_hotkeys_unlock(tx);

    return rc;
}


ngx_int_t
ngx_olivine_hotkeys_reset(ngx_olivine_tx_t *tx, int64_t now)
{
    ngx_int_t               rc;
    ngx_olivine_hotkeys_t  *hotkeys;

    hotkeys = &tx->zone->hotkeys;
    rc = NGX_DECLINED;

    ngx_olivine_lock_insist(tx, &hotkeys->lock);
    ngx_olivine_hotkeys_end_locked(hotkeys, now);

    if (!hotkeys->active) {
        hotkeys->known = 0;
        ngx_olivine_step();
        rc = NGX_OK;
    }

    ngx_olivine_hotkeys_unlock(tx);

    return rc;
}


ngx_int_t
ngx_olivine_hotkeys_look(ngx_olivine_tx_t *tx, int64_t now,
    ngx_olivine_hotkeys_t *copy)
{
    ngx_olivine_hotkeys_t  *hotkeys;

    hotkeys = &tx->zone->hotkeys;

    ngx_olivine_lock_insist(tx, &hotkeys->lock);

    ngx_olivine_hotkeys_end_locked(hotkeys, now);
    *copy = *hotkeys;

    ngx_olivine_hotkeys_unlock(tx);

    if (copy->active) {
        copy->took = now - copy->session.started;
    }

    return copy->known ? NGX_OK : NGX_DECLINED;
}


void
ngx_olivine_hotkeys_add(ngx_olivine_tx_t *tx, ngx_str_t *key, uint64_t hash,
    uint64_t ns, uint64_t bytes)
{
    ngx_uint_t              i, n;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_hotkeys_t  *hotkeys;

    zone = tx->zone;
    hotkeys = &zone->hotkeys;
    hash |= (hash == 0);

    ngx_olivine_lock_insist(tx, &hotkeys->lock);

    if (hotkeys->active) {

        hotkeys->sampled += bytes;
        n = hotkeys->session.count * 10;

        for (i = 0; i < NGX_OLIVINE_HOTKEYS_METRICS; i++) {

            if (key->len <= NGX_OLIVINE_HOTKEYS_KEY
                && hotkeys->session.metrics & ((uint32_t) 1 << i))
            {
                ngx_olivine_hotkeys_add_locked(
                                       ngx_olivine_hotkeys_table(zone, i), n,
                                       key, hash,
                                       i == NGX_OLIVINE_HOTKEYS_CPU ? ns
                                                                    : bytes);
            }
        }
    }

    ngx_olivine_hotkeys_unlock(tx);
}


static void
ngx_olivine_hotkeys_add_locked(ngx_olivine_hotkeys_table_t *table,
    ngx_uint_t n, ngx_str_t *key, uint64_t hash, uint64_t weight)
{
    uint64_t    least;
    ngx_uint_t  i, place;

    place = n;

    for (i = 0; i < n; i++) {

        if (table->hashes[i] == hash) {
            table->counts[i] += weight;
            return;
        }

        if (table->hashes[i] == 0 && place == n) {
            place = i;
        }
    }

    least = 0;

    if (place == n) {

        for (i = 0, place = 0; i < n; i++) {
            if (table->counts[i] < table->counts[place]) {
                place = i;
            }
        }

        least = table->counts[place];

        table->hashes[place] = 0;
        ngx_olivine_barrier();
        ngx_olivine_step();
    }

    table->counts[place] = least + weight;
    table->others[place] = least;
    table->lens[place] = key->len;
    ngx_memcpy(table->keys[place], key->data, key->len);
    ngx_olivine_barrier();
    ngx_olivine_step();

    table->hashes[place] = hash;
    ngx_olivine_step();
}


ngx_uint_t
ngx_olivine_hotkeys_top(ngx_olivine_tx_t *tx, ngx_olivine_hotkeys_e which,
    ngx_olivine_hotkey_t *keys)
{
    uint64_t                      own;
    ngx_uint_t                    i, k, n, max, places[
                                              NGX_OLIVINE_HOTKEYS_COUNT + 1];
    ngx_olivine_hotkeys_t        *hotkeys;
    ngx_olivine_hotkeys_table_t  *table;

    hotkeys = &tx->zone->hotkeys;
    table = ngx_olivine_hotkeys_table(tx->zone, which);
    n = 0;

    ngx_olivine_lock_insist(tx, &hotkeys->lock);

    max = hotkeys->known ? hotkeys->session.count : 0;

    for (i = 0; i < max * 10; i++) {

        own = table->counts[i] - table->others[i];

        if (table->hashes[i] == 0 || own == 0) {
            continue;
        }

        for (k = n; k > 0; k--) {

            if (table->counts[places[k - 1]] - table->others[places[k - 1]]
                >= own)
            {
                break;
            }

            places[k] = places[k - 1];
        }

        if (k < max) {
            places[k] = i;
            n = ngx_min(n + 1, max);
        }
    }

    for (k = 0; k < n; k++) {
        i = places[k];
        keys[k].count = table->counts[i] - table->others[i];
        keys[k].len = ngx_min(table->lens[i], NGX_OLIVINE_HOTKEYS_KEY);
        ngx_memcpy(keys[k].key, table->keys[i], keys[k].len);
    }

    ngx_olivine_hotkeys_unlock(tx);

    return n;
}


static void
ngx_olivine_hotkeys_unlock(ngx_olivine_tx_t *tx)
{
    if (ngx_olivine_lock_free(&tx->zone->hotkeys.lock)) {
        ngx_olivine_lock_wake(&tx->zone->hotkeys.lock);
    }
}
