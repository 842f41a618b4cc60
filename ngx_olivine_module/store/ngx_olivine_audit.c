
/*
 * Copyright (C) The Olivine authors
 *
 * Looking whether everything in the zone is where it should be, and the
 * digest by which two keyspaces are compared.
 */


#include "store/ngx_olivine_cell.h"
#include "store/ngx_olivine_snapshot.h"
#include "store/ngx_olivine_watch.h"

#include <arpa/inet.h>


#define NGX_OLIVINE_AUDIT_DIGEST  20


typedef struct {
    ngx_olivine_tx_t      *tx;
    ngx_olivine_shard_t   *shard;
    ngx_olivine_table_t   *table;
    ngx_uint_t             detached;
    uint64_t               keys;
    uint64_t               expires;
    uint64_t               used;
    u_char                *err;
} ngx_olivine_audit_t;


static ngx_int_t ngx_olivine_audit_shard(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, u_char *err);
static ngx_int_t ngx_olivine_audit_images(ngx_olivine_audit_t *audit);
static ngx_int_t ngx_olivine_audit_table(ngx_olivine_audit_t *audit);
static ngx_int_t ngx_olivine_audit_bucket(ngx_olivine_audit_t *audit,
    uint32_t n);
static ngx_int_t ngx_olivine_audit_entry(ngx_olivine_audit_t *audit,
    uint32_t n, uint32_t min, uint8_t fp, ngx_olivine_entry_t *e);
static ngx_int_t ngx_olivine_audit_slots(ngx_olivine_tx_t *tx, u_char *err);


ngx_int_t
ngx_olivine_store_audit(ngx_olivine_tx_t *tx, u_char *err)
{
    ngx_uint_t            i;
    ngx_olivine_shard_t  *shard;

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        ngx_sprintf(err, "the page heap is locked%Z");
        return NGX_ERROR;
    }

    if (ngx_olivine_heap_audit(tx, err) != NGX_OK
        || ngx_olivine_row_audit(tx, err) != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < tx->zone->nshards; i++) {
        shard = ngx_olivine_store_shard(tx->zone, i);

        if (ngx_olivine_arena_audit(tx, &shard->arena, err) != NGX_OK
            || ngx_olivine_audit_shard(tx, shard, err) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_olivine_audit_slots(tx, err);
}


void
ngx_olivine_store_digest_entry(ngx_olivine_zone_t *zone,
    ngx_olivine_entry_t *e, ngx_uint_t key, u_char *digest)
{
    uint32_t             type;
    ngx_str_t            name;
    ngx_olivine_value_t  value;

    ngx_memzero(digest, NGX_OLIVINE_AUDIT_DIGEST);
    ngx_olivine_entry_value(zone, e, &value);

    if (key) {
        ngx_olivine_entry_key(e, &name);
        ngx_olivine_digest_mix(digest, name.data, name.len);
    }

    type = htonl(value.type);
    ngx_olivine_digest_mix(digest, &type, sizeof(type));

    ngx_olivine_types[value.type].digest(&value, digest);

    if (ngx_olivine_entry_expire(e)) {
        ngx_olivine_digest_xor(digest, "!!expire!!", 10);
    }
}


void
ngx_olivine_store_digest_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, u_char *digest)
{
    u_char                 one[NGX_OLIVINE_AUDIT_DIGEST];
    uint32_t               n;
    ngx_uint_t             i;
    ngx_olivine_table_t   *table;
    ngx_olivine_bucket_t  *b;

    table = shard->tables[db];

    if (table == NULL) {
        return;
    }

    for (n = 0; n < table->buckets; n++) {
        b = ngx_olivine_table_bucket(tx->zone, table, n);

        for ( /* void */ ; b; b = ngx_olivine_bucket_next(tx->zone, b)) {

            for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {
                if (b->fp[i] == 0) {
                    continue;
                }

                ngx_olivine_store_digest_entry(tx->zone,
                                       ngx_olivine_bucket_get(tx->zone, b, i),
                                       1, one);

                ngx_olivine_digest_xor(digest, one, NGX_OLIVINE_AUDIT_DIGEST);
            }
        }
    }
}


/* What tables and entries take must be what the arena gave out. */

static ngx_int_t
ngx_olivine_audit_shard(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    u_char *err)
{
    int64_t              db;
    ngx_olivine_audit_t  audit;

    ngx_memzero(&audit, sizeof(ngx_olivine_audit_t));

    audit.tx = tx;
    audit.shard = shard;
    audit.err = err;
    audit.used = ngx_olivine_watch_used(shard);

    for (db = 0; db < tx->zone->params.databases; db++) {
        audit.table = shard->tables[db];

        if (audit.table && ngx_olivine_audit_table(&audit) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    audit.detached = 1;

    for (audit.table = shard->detached;
         audit.table;
         audit.table = audit.table->next)
    {
        if (ngx_olivine_audit_table(&audit) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (ngx_olivine_audit_images(&audit) != NGX_OK) {
        return NGX_ERROR;
    }

    if (audit.used != shard->arena.used) {
        ngx_sprintf(err, "shard %uD: tables reach %uL bytes of %uL in use%Z",
                    shard->arena.number, audit.used, shard->arena.used);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* A run that only an image holds is no longer the arena's. */

static ngx_int_t
ngx_olivine_audit_images(ngx_olivine_audit_t *audit)
{
    ngx_olivine_image_t  *image;
    ngx_olivine_shard_t  *shard;

    shard = audit->shard;

    for (image = shard->images; image; image = image->next) {

        audit->used += ngx_olivine_cell_weight(sizeof(ngx_olivine_image_t));
        audit->used += ngx_olivine_cell_weight(
                                         ngx_olivine_entry_size(image->entry));

        if (!shard->saving
            || (image->entry->flags & NGX_OLIVINE_ENTRY_EPOCH) == shard->epoch)
        {
            ngx_sprintf(audit->err, "shard %uD: an image that nobody wants%Z",
                        shard->arena.number);
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_audit_table(ngx_olivine_audit_t *audit)
{
    size_t                size;
    uint32_t              i;
    ngx_olivine_table_t  *table;

    table = audit->table;
    audit->keys = 0;
    audit->expires = 0;

    size = table->room * sizeof(ngx_olivine_segment_t);

    audit->used += ngx_olivine_arena_room(sizeof(ngx_olivine_table_t));
    audit->used += ngx_olivine_cell_weight(size);

    for (i = 0; i < table->buckets; i++) {

        if (i % NGX_OLIVINE_SEGMENT == 0) {
            audit->used += NGX_OLIVINE_PAGE;
        }

        if (ngx_olivine_audit_bucket(audit, i) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (audit->detached) {
        return NGX_OK;
    }

    if (audit->keys != table->keys || audit->expires != table->expires) {
        ngx_sprintf(audit->err, "shard %uD: a table has %uL keys, %uL with an "
                    "expiry, it says %uL and %uL%Z",
                    audit->shard->arena.number, audit->keys, audit->expires,
                    table->keys, table->expires);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_audit_bucket(ngx_olivine_audit_t *audit, uint32_t n)
{
    uint32_t               min;
    ngx_uint_t             i;
    ngx_olivine_zone_t    *zone;
    ngx_olivine_bucket_t  *b, *head;

    zone = audit->tx->zone;
    head = ngx_olivine_table_bucket(zone, audit->table, n);
    min = head->min;

    if (min < audit->table->dir[n / NGX_OLIVINE_SEGMENT].min
        || min < audit->table->min)
    {
        ngx_sprintf(audit->err, "shard %uD: bucket %uD expires before its "
                    "segment%Z", audit->shard->arena.number, n);
        return NGX_ERROR;
    }

    for (b = head; b; b = ngx_olivine_bucket_next(zone, b)) {

        if (b != head) {
            audit->used += ngx_olivine_arena_room(
                                                sizeof(ngx_olivine_bucket_t));
        }

        for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {

            if (b->fp[i]
                && ngx_olivine_audit_entry(audit, n, min, b->fp[i],
                                           ngx_olivine_bucket_get(zone, b, i))
                   != NGX_OK)
            {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_audit_entry(ngx_olivine_audit_t *audit, uint32_t n, uint32_t min,
    uint8_t fp, ngx_olivine_entry_t *e)
{
    size_t                size;
    int64_t               at;
    uint64_t              hash;
    ngx_str_t             key;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_value_t   value;

    zone = audit->tx->zone;

    ngx_olivine_entry_key(e, &key);
    hash = ngx_olivine_store_hash(zone, &key);

    size = ngx_olivine_entry_size(e);
    audit->used += ngx_olivine_cell_weight(size);

    ngx_olivine_entry_value(zone, e, &value);
    audit->used += ngx_olivine_types[value.type].weigh(zone, &value);

    if (audit->detached) {
        return NGX_OK;
    }

    if (!audit->shard->saving
        && (e->flags & NGX_OLIVINE_ENTRY_EPOCH) != audit->shard->epoch)
    {
        ngx_sprintf(audit->err, "shard %uD: an entry of another epoch%Z",
                    audit->shard->arena.number);
        return NGX_ERROR;
    }

    audit->keys++;
    at = ngx_olivine_entry_expire(e);

    if (at) {
        audit->expires++;

        if (ngx_olivine_table_unit(zone, at) < min) {
            ngx_sprintf(audit->err, "shard %uD: an entry expires before its "
                        "bucket %uD%Z", audit->shard->arena.number, n);
            return NGX_ERROR;
        }
    }

    if (ngx_olivine_store_number(zone, hash) != audit->shard->arena.number
        || ngx_olivine_table_index(audit->table, hash) != n
        || ngx_olivine_bucket_fp(hash) != fp
        || ngx_olivine_entry_type(e) >= NGX_OLIVINE_TYPES)
    {
        ngx_sprintf(audit->err, "shard %uD: an entry of bucket %uD does not "
                    "belong there%Z", audit->shard->arena.number, n);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* Every run that belongs to a slot is named by one, every pin counted. */

static ngx_int_t
ngx_olivine_audit_slots(ngx_olivine_tx_t *tx, u_char *err)
{
    size_t               held[NGX_OLIVINE_PAGE_KINDS], pins, pinned;
    uint32_t             page, i, *list;
    ngx_uint_t           n;
    ngx_olivine_page_t  *p;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;
    ngx_olivine_image_t *image;

    zone = tx->zone;
    pins = 0;
    pinned = 0;
    ngx_memzero(held, sizeof(held));

    for (n = 0; n < zone->slots_high; n++) {
        slot = ngx_olivine_slot_at(zone, n);

        held[NGX_OLIVINE_PAGE_JOURNAL] += slot->journal_page != 0;
        held[NGX_OLIVINE_PAGE_HOLDINGS] += slot->holdings != 0;
        held[NGX_OLIVINE_PAGE_TRANSIT] += slot->transit != 0;

        list = (uint32_t *) ngx_olivine_zone_page(zone, slot->holdings);

        for (i = 0; slot->holdings && i < slot->nholdings; i++) {
            if (list[i] == 0) {
                continue;
            }

            if (zone->pages[list[i]].kind == NGX_OLIVINE_PAGE_VALUE) {
                pinned++;

            } else {
                held[zone->pages[list[i]].kind]++;
            }
        }
    }

    for (n = 0; n < zone->nshards; n++) {
        for (image = ngx_olivine_store_shard(zone, n)->images;
             image;
             image = image->next)
        {
            pinned += (image->entry->vlen == NGX_OLIVINE_ENTRY_RUN);
        }
    }

    held[NGX_OLIVINE_PAGE_RING] = zone->ring.size != 0;

    if (ngx_olivine_payload_audit(tx, &pinned, &held[NGX_OLIVINE_PAGE_LOG],
                                  err)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (page = zone->heap.first; page < zone->heap.last; page += p->pages) {
        p = &zone->pages[page];

        switch (p->kind) {

        case NGX_OLIVINE_PAGE_VALUE:
            pins += p->prev;
            break;

        case NGX_OLIVINE_PAGE_JOURNAL:
        case NGX_OLIVINE_PAGE_HOLDINGS:
        case NGX_OLIVINE_PAGE_TRANSIT:
        case NGX_OLIVINE_PAGE_RECEIPT:
        case NGX_OLIVINE_PAGE_RING:
        case NGX_OLIVINE_PAGE_LOG:
            held[p->kind]--;
            break;
        }
    }

    for (n = 0; n < NGX_OLIVINE_PAGE_KINDS; n++) {
        if (held[n]) {
            ngx_sprintf(err, "slots name %z runs of kind %ui more than there "
                        "are%Z", (ssize_t) held[n], n);
            return NGX_ERROR;
        }
    }

    if (pins != pinned) {
        ngx_sprintf(err, "%uz pins on runs, %uz in slots and log%Z", pins, pinned);
        return NGX_ERROR;
    }

    return NGX_OK;
}
