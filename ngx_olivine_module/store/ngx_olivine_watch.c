
/*
 * Copyright (C) The Olivine authors
 */


#include "store/ngx_olivine_cell.h"
#include "store/ngx_olivine_watch.h"


#define NGX_OLIVINE_WATCH_CHAINS   255


struct ngx_olivine_watches_s {
    uint64_t               n;
    ngx_olivine_watch_t   *chains[NGX_OLIVINE_WATCH_CHAINS];
};


#define ngx_olivine_watch_chain(watches, hash)                                \
    (&(watches)->chains[((hash) >> 16) % NGX_OLIVINE_WATCH_CHAINS])

#define ngx_olivine_watch_size(len)   (sizeof(ngx_olivine_watch_t) + (len))


static ngx_uint_t ngx_olivine_watch_is(ngx_olivine_watch_t *w,
    ngx_olivine_ref_t *ref);
static ngx_int_t ngx_olivine_watch_index(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard);
static ngx_int_t ngx_olivine_watch_unlink(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_watch_t **place);
static ngx_int_t ngx_olivine_watch_replaced(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_watch_t *w,
    ngx_olivine_table_t *with);
static void ngx_olivine_watch_find(ngx_olivine_tx_t *tx,
    ngx_olivine_watch_t *w, ngx_olivine_table_t *table, int64_t now,
    ngx_olivine_ref_t *ref);
static ngx_uint_t ngx_olivine_watch_gone(ngx_olivine_zone_t *zone,
    uint32_t owner);


ngx_int_t
ngx_olivine_watch_add_locked(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    uint64_t client, ngx_olivine_watch_t **watch)
{
    ngx_int_t               rc;
    ngx_olivine_watch_t    *w, **chain;
    ngx_olivine_shard_t    *shard;
    ngx_olivine_watches_t  *watches;

    shard = ref->shard;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);

    if (rc == NGX_OK && shard->watches == NULL) {
        rc = ngx_olivine_watch_index(tx, shard);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    watches = shard->watches;
    chain = ngx_olivine_watch_chain(watches, ref->hash);

    for (w = *chain; w; w = w->next) {
        if (w->client == client && ngx_olivine_watch_is(w, ref)) {
            return NGX_DECLINED;
        }
    }

    rc = ngx_olivine_cell_alloc(tx, shard,
                                ngx_olivine_watch_size(ref->key.len),
                                (void **) &w);
    if (rc != NGX_OK) {
        return rc;
    }

    w->next = *chain;
    w->hash = ref->hash;
    w->client = client;
    w->owner = tx->owner;
    w->db = ref->db;
    w->state = ref->expired ? NGX_OLIVINE_WATCH_EXPIRED : 0;
    w->len = ref->key.len;
    ngx_memcpy(w->key, ref->key.data, ref->key.len);

    ngx_olivine_tx_set64(tx, (uint64_t *) chain, (uint64_t) (uintptr_t) w);
    ngx_olivine_tx_set64(tx, &watches->n, watches->n + 1);

    *watch = w;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_watch_remove_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_watch_t *watch)
{
    ngx_uint_t             n;
    ngx_olivine_watch_t  **place;
    ngx_olivine_shard_t   *shard;

    n = ngx_olivine_store_number(tx->zone, watch->hash);
    shard = ngx_olivine_store_shard(tx->zone, n);

    for (place = ngx_olivine_watch_chain(shard->watches, watch->hash);
         *place != watch;
         place = &(*place)->next)
    {
        /* void */
    }

    return ngx_olivine_watch_unlink(tx, shard, place);
}


ngx_uint_t
ngx_olivine_watch_broken_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_watch_t *watch, int64_t now)
{
    ngx_uint_t          n;
    ngx_olivine_ref_t   ref;

    if (watch->state & NGX_OLIVINE_WATCH_DIRTY) {
        return 1;
    }

    if (watch->state & NGX_OLIVINE_WATCH_EXPIRED) {
        return 0;
    }

    n = ngx_olivine_store_number(tx->zone, watch->hash);

    ngx_olivine_watch_find(tx, watch,
                       ngx_olivine_store_shard(tx->zone, n)->tables[watch->db],
                       now, &ref);

    return ref.expired;
}


ngx_int_t
ngx_olivine_watch_prune_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard)
{
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_olivine_watch_t  **place;

    for (i = 0; i < NGX_OLIVINE_WATCH_CHAINS; i++) {

        if (shard->watches == NULL) {
            return NGX_OK;
        }

        place = &shard->watches->chains[i];

        while (*place) {

            if (!ngx_olivine_watch_gone(tx->zone, (*place)->owner)) {
                place = &(*place)->next;
                continue;
            }

            rc = ngx_olivine_watch_unlink(tx, shard, place);
            if (rc != NGX_OK) {
                return rc;
            }

            if (shard->watches == NULL) {
                return NGX_OK;
            }
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_watch_key(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_uint_t removed)
{
    uint32_t              state;
    ngx_int_t             rc;
    ngx_olivine_watch_t  *w;

    for (w = *ngx_olivine_watch_chain(ref->shard->watches, ref->hash);
         w;
         w = w->next)
    {
        if (!ngx_olivine_watch_is(w, ref)) {
            continue;
        }

        /* what was past its time and is cleared away was not there anyway */

        if (removed && (w->state & NGX_OLIVINE_WATCH_EXPIRED)) {
            state = w->state & ~NGX_OLIVINE_WATCH_EXPIRED;

        } else {
            state = w->state | NGX_OLIVINE_WATCH_DIRTY;
        }

        if (state == w->state) {
            continue;
        }

        rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_tx_set32(tx, &w->state, state);
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_watch_db(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_uint_t db, ngx_olivine_table_t *with)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_watch_t  *w;

    if (ngx_olivine_likely(shard->watches == NULL)) {
        return NGX_OK;
    }

    for (i = 0; i < NGX_OLIVINE_WATCH_CHAINS; i++) {

        for (w = shard->watches->chains[i]; w; w = w->next) {

            if (w->db != db) {
                continue;
            }

            rc = ngx_olivine_watch_replaced(tx, shard, w, with);
            if (rc != NGX_OK) {
                return rc;
            }
        }
    }

    return NGX_OK;
}


size_t
ngx_olivine_watch_used(ngx_olivine_shard_t *shard)
{
    size_t                used;
    ngx_uint_t            i;
    ngx_olivine_watch_t  *w;

    if (shard->watches == NULL) {
        return 0;
    }

    used = ngx_olivine_arena_room(sizeof(ngx_olivine_watches_t));

    for (i = 0; i < NGX_OLIVINE_WATCH_CHAINS; i++) {

        for (w = shard->watches->chains[i]; w; w = w->next) {
            used += ngx_olivine_cell_weight(ngx_olivine_watch_size(w->len));
        }
    }

    return used;
}


static ngx_uint_t
ngx_olivine_watch_is(ngx_olivine_watch_t *w, ngx_olivine_ref_t *ref)
{
    return w->hash == ref->hash && w->db == ref->db
           && w->len == ref->key.len
           && ngx_memcmp(w->key, ref->key.data, w->len) == 0;
}


static ngx_int_t
ngx_olivine_watch_index(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard)
{
    void       *p;
    ngx_int_t   rc;

    rc = ngx_olivine_arena_alloc(tx, &shard->arena,
                                 sizeof(ngx_olivine_watches_t), &p);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_memzero(p, sizeof(ngx_olivine_watches_t));
    ngx_olivine_tx_set64(tx, (uint64_t *) &shard->watches,
                         (uint64_t) (uintptr_t) p);

    return NGX_OK;
}


/* The last one takes the index along. */

static ngx_int_t
ngx_olivine_watch_unlink(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_watch_t **place)
{
    ngx_int_t               rc;
    ngx_olivine_watch_t    *w;
    ngx_olivine_watches_t  *watches;

    w = *place;
    watches = shard->watches;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_tx_set64(tx, (uint64_t *) place,
                         (uint64_t) (uintptr_t) w->next);
    ngx_olivine_tx_set64(tx, &watches->n, watches->n - 1);

    rc = ngx_olivine_cell_free(tx, shard, w, ngx_olivine_watch_size(w->len));

    if (rc != NGX_OK || watches->n) {
        return rc;
    }

    ngx_olivine_tx_set64(tx, (uint64_t *) &shard->watches, 0);

    return ngx_olivine_arena_free(tx, &shard->arena, watches,
                                  sizeof(ngx_olivine_watches_t));
}


/*
 * The key's database is emptied, or gets the keys of another table.  It
 * counts as a change if there is a key before or behind it; one past its time
 * is none, unless somebody saw it before it was.
 */

static ngx_int_t
ngx_olivine_watch_replaced(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_watch_t *w, ngx_olivine_table_t *with)
{
    uint32_t            state;
    ngx_int_t           rc;
    ngx_olivine_ref_t   old, fresh;

    ngx_olivine_watch_find(tx, w, shard->tables[w->db], shard->now, &old);
    ngx_olivine_watch_find(tx, w, with, shard->now, &fresh);

    if (old.bucket == NULL && fresh.bucket == NULL) {
        return NGX_OK;
    }

    state = w->state;

    if (state & NGX_OLIVINE_WATCH_EXPIRED) {

        if (fresh.bucket == NULL) {
            state &= ~NGX_OLIVINE_WATCH_EXPIRED;

        } else if (!fresh.expired) {
            state |= NGX_OLIVINE_WATCH_DIRTY;
        }

    } else if (old.bucket == NULL && fresh.expired) {
        state |= NGX_OLIVINE_WATCH_EXPIRED;

    } else {
        state |= NGX_OLIVINE_WATCH_DIRTY;
    }

    if (state == w->state) {
        return NGX_OK;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);

    if (rc == NGX_OK) {
        ngx_olivine_tx_set32(tx, &w->state, state);
    }

    return rc;
}


static void
ngx_olivine_watch_find(ngx_olivine_tx_t *tx, ngx_olivine_watch_t *w,
    ngx_olivine_table_t *table, int64_t now, ngx_olivine_ref_t *ref)
{
    ngx_str_t  key;

    key.len = w->len;
    key.data = w->key;

    ngx_olivine_store_find_in_locked(tx, table, &key, w->hash, now, ref);
}


static ngx_uint_t
ngx_olivine_watch_gone(ngx_olivine_zone_t *zone, uint32_t owner)
{
    ngx_olivine_slot_t  *slot;

    slot = ngx_olivine_slot_at(zone, ngx_olivine_lock_slot(owner));

    return slot->state == NGX_OLIVINE_SLOT_FREE
           || ngx_olivine_lock_owner(slot->number, slot->generation) != owner;
}
