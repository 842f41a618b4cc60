
/*
 * Copyright (C) The Olivine authors
 */


#include "store/ngx_olivine_snapshot.h"
#include "store/ngx_olivine_cell.h"


/* images of a slice */
#define NGX_OLIVINE_SNAPSHOT_IMAGES  8

/* of the zone, for all images: one part in so many; the least of a shard */
#define NGX_OLIVINE_SNAPSHOT_PART    64
#define NGX_OLIVINE_SNAPSHOT_LEAST   65536

/* entries of a bucket's chain that may have runs */
#define NGX_OLIVINE_SNAPSHOT_RUNS    64

#define NGX_OLIVINE_SNAPSHOT_EPOCH   0x08    /* the lowest bit of an epoch */


static ngx_int_t ngx_olivine_snapshot_images(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_walk_t *walk,
    ngx_olivine_snapshot_visit_pt visit, void *data);
static ngx_int_t ngx_olivine_snapshot_drop(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_image_t *image, uint32_t *hold);
static ngx_olivine_table_t *ngx_olivine_snapshot_table(
    ngx_olivine_zone_t *zone, ngx_olivine_shard_t *shard, ngx_uint_t *db);
static ngx_int_t ngx_olivine_snapshot_bucket(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_walk_t *walk,
    ngx_olivine_snapshot_visit_pt visit, void *data);
static size_t ngx_olivine_snapshot_weight(ngx_olivine_zone_t *zone,
    ngx_olivine_entry_t *e);
static size_t ngx_olivine_snapshot_limit(ngx_olivine_zone_t *zone);


ngx_int_t
ngx_olivine_snapshot_begin_locked(ngx_olivine_tx_t *tx)
{
    uint32_t              epoch;
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_shard_t  *shard;

    zone = tx->zone;

    if (ngx_olivine_snapshot_active(zone)) {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL
                                 + zone->nshards * 64);
    if (rc != NGX_OK) {
        return rc;
    }

    for (i = 0; i < zone->nshards; i++) {
        shard = ngx_olivine_store_shard(zone, i);

        epoch = (shard->epoch + NGX_OLIVINE_SNAPSHOT_EPOCH)
                & NGX_OLIVINE_ENTRY_EPOCH;

        ngx_olivine_tx_set32(tx, &shard->epoch, epoch);
        ngx_olivine_tx_set32(tx, &shard->saving, 1);
    }

    ngx_olivine_tx_set32(tx, &zone->snapshot.number,
                         zone->snapshot.number + 1);
    ngx_olivine_tx_set32(tx, &zone->snapshot.failed, 0);
    ngx_olivine_tx_set32(tx, &zone->snapshot.tables, 0);

    return NGX_OK;
}


ngx_uint_t
ngx_olivine_snapshot_active(ngx_olivine_zone_t *zone)
{
    ngx_uint_t  i;

    for (i = 0; i < zone->nshards; i++) {
        if (ngx_olivine_store_shard(zone, i)->saving) {
            return 1;
        }
    }

    return 0;
}


uint64_t
ngx_olivine_snapshot_size(ngx_olivine_zone_t *zone)
{
    uint64_t    size;
    ngx_uint_t  i;

    size = 0;

    for (i = 0; i < zone->nshards; i++) {
        size += ngx_olivine_store_shard(zone, i)->images_size;
    }

    return size;
}


ngx_int_t
ngx_olivine_snapshot_keep(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_uint_t db, ngx_olivine_entry_t *e, ngx_uint_t keep_run)
{
    void                 *p;
    size_t                weight;
    ngx_int_t             rc;
    ngx_olivine_page_t   *page;
    ngx_olivine_table_t  *table;
    ngx_olivine_image_t  *image;
    ngx_olivine_value_t   value;

    if (tx->zone->snapshot.failed) {
        return NGX_DECLINED;
    }

    weight = ngx_olivine_snapshot_weight(tx->zone, e);

    /* what the transaction itself has added is no reason to run it again */

    if (shard->images_size > tx->kept
        && shard->images_size + weight > ngx_olivine_snapshot_limit(tx->zone))
    {
        tx->want_walk = 1;
        return NGX_AGAIN;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);

    if (rc == NGX_OK) {
        rc = ngx_olivine_cell_alloc(tx, shard, sizeof(ngx_olivine_image_t),
                                    &p);
    }

    if (rc == NGX_ERROR) {

        /* a zone that is full: run again, it goes on without the snapshot */

        tx->zone->snapshot.failed = 1;
        return NGX_AGAIN;
    }

    if (rc != NGX_OK) {
        return rc;
    }

    table = shard->tables[db];

    if (table && table->stamp == tx->zone->snapshot.number) {
        db = table->home;
    }

    image = p;
    image->next = shard->images;
    image->entry = e;
    image->db = db;
    image->unused = 0;

    if (e->vlen == NGX_OLIVINE_ENTRY_RUN) {
        ngx_olivine_entry_value(tx->zone, e, &value);
        page = &tx->zone->pages[value.page];

        ngx_olivine_tx_set32(tx, &page->prev, page->prev + 1);

        if (!keep_run) {
            rc = ngx_olivine_value_drop(tx, value.page);
            if (rc != NGX_OK) {
                return rc;
            }
        }
    }

    ngx_olivine_tx_set64(tx, (uint64_t *) &shard->images,
                         (uint64_t) (uintptr_t) image);
    ngx_olivine_tx_set64(tx, &shard->images_size,
                         shard->images_size + weight);
    tx->kept += weight;

    return NGX_OK;
}


void
ngx_olivine_snapshot_moved(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_table_t *table, ngx_uint_t db)
{
    if (table == NULL || !shard->saving
        || table->stamp == tx->zone->snapshot.number)
    {
        return;
    }

    tx->zone->snapshot.tables = 1;

    ngx_olivine_tx_set32(tx, &table->home, db);
    ngx_olivine_tx_set32(tx, &table->stamp, tx->zone->snapshot.number);
}


ngx_uint_t
ngx_olivine_snapshot_wants(ngx_olivine_zone_t *zone,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table)
{
    return shard->saving && !zone->snapshot.failed
           && table->stamp == zone->snapshot.number
           && table->walked != zone->snapshot.number;
}


ngx_int_t
ngx_olivine_snapshot_walk_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_walk_t *walk,
    ngx_olivine_snapshot_visit_pt visit, void *data)
{
    ngx_int_t             rc;
    ngx_uint_t            db;
    ngx_olivine_table_t  *table;

    if (!shard->saving) {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (shard->images) {
        return ngx_olivine_snapshot_images(tx, shard, walk, visit, data);
    }

    table = ngx_olivine_snapshot_table(tx->zone, shard, &db);

    if (table == NULL) {
        ngx_olivine_tx_set32(tx, &shard->saving, 0);
        walk->table = NULL;

        /* who waits alone for more than the limit had no image to be walked */

        walk->woken = tx->zone->snapshot.waiting != 0;

        return NGX_DECLINED;
    }

    if (table != walk->table) {
        walk->table = table;
        walk->cursor = 0;
    }

    walk->db = db;

    return ngx_olivine_snapshot_bucket(tx, shard, walk, visit, data);
}


/* Images are walked first: others may wait for their memory. */

static ngx_int_t
ngx_olivine_snapshot_images(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_walk_t *walk, ngx_olivine_snapshot_visit_pt visit, void *data)
{
    uint32_t              hold;
    ngx_int_t             rc;
    ngx_uint_t            n;
    ngx_olivine_value_t   value;
    ngx_olivine_image_t  *image;

    for (n = 0; n < NGX_OLIVINE_SNAPSHOT_IMAGES; n++) {

        image = shard->images;

        if (image == NULL) {
            break;
        }

        /* what is freed keeps its bytes until the commit */

        rc = ngx_olivine_snapshot_drop(tx, shard, image, &hold);
        if (rc != NGX_OK) {
            return rc;
        }

        if (!walk->dry || hold) {
            ngx_olivine_entry_value(tx->zone, image->entry, &value);
            visit(data, image->db, image->entry, &value, hold);
        }
    }

    walk->woken = tx->zone->snapshot.waiting
                  && shard->images_size
                     <= ngx_olivine_snapshot_limit(tx->zone) / 2;

    return NGX_OK;
}


/* Takes the first image off; the pin on its run becomes the slot's. */

static ngx_int_t
ngx_olivine_snapshot_drop(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_image_t *image, uint32_t *hold)
{
    uint32_t              index;
    ngx_int_t             rc;
    ngx_olivine_value_t   value;

    *hold = 0;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (image->entry->vlen == NGX_OLIVINE_ENTRY_RUN) {
        ngx_olivine_entry_value(tx->zone, image->entry, &value);

        rc = ngx_olivine_holding_add(tx, value.page, &index);
        if (rc != NGX_OK) {
            return rc;
        }

        *hold = index + 1;
    }

    ngx_olivine_tx_set64(tx, (uint64_t *) &shard->images,
                         (uint64_t) (uintptr_t) image->next);
    ngx_olivine_tx_set64(tx, &shard->images_size,
                         shard->images_size
                         - ngx_olivine_snapshot_weight(tx->zone,
                                                       image->entry));

    rc = ngx_olivine_store_free_cell(tx, shard, image->entry);

    if (rc == NGX_OK) {
        rc = ngx_olivine_cell_free(tx, shard, image,
                                   sizeof(ngx_olivine_image_t));
    }

    return rc;
}


/* A table that is not walked yet, and the database that it was. */

static ngx_olivine_table_t *
ngx_olivine_snapshot_table(ngx_olivine_zone_t *zone,
    ngx_olivine_shard_t *shard, ngx_uint_t *db)
{
    int64_t               i;
    uint32_t              number;
    ngx_olivine_table_t  *table;

    number = zone->snapshot.number;

    for (table = shard->detached; table; table = table->next) {

        if (table->stamp == number && table->walked != number) {
            *db = table->home;
            return table;
        }
    }

    for (i = 0; i < zone->params.databases; i++) {
        table = shard->tables[i];

        if (table && table->walked != number) {
            *db = table->stamp == number ? table->home : (ngx_uint_t) i;
            return table;
        }
    }

    return NULL;
}


/* The unsaved entries of the bucket at the cursor. */

static ngx_int_t
ngx_olivine_snapshot_bucket(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_walk_t *walk, ngx_olivine_snapshot_visit_pt visit, void *data)
{
    uint32_t               holds[NGX_OLIVINE_SNAPSHOT_RUNS], hold;
    uint64_t               mask, after;
    ngx_int_t              rc;
    ngx_uint_t             i, n, left;
    ngx_olivine_zone_t    *zone;
    ngx_olivine_value_t    value;
    ngx_olivine_entry_t   *e;
    ngx_olivine_bucket_t  *head, *b;

    zone = tx->zone;
    n = 0;
    left = 0;

    if (walk->table->buckets == 0) {
        ngx_olivine_tx_set32(tx, &walk->table->walked, zone->snapshot.number);
        return NGX_OK;
    }

    head = ngx_olivine_table_leaf(zone, walk->table, walk->cursor, &mask);
    after = ngx_olivine_table_next(walk->cursor, mask);

    if (after) {
        __builtin_prefetch(ngx_olivine_table_leaf(zone, walk->table, after,
                                                  &mask));
    }

    /* first what may fail: nothing is marked before */

    for (b = head; b; b = ngx_olivine_bucket_next(zone, b)) {

        ngx_olivine_table_prefetch(zone, b);

        for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {

            if (b->fp[i] == 0) {
                continue;
            }

            e = ngx_olivine_bucket_get(zone, b, i);

            if (walk->dry || e->vlen != NGX_OLIVINE_ENTRY_RUN
                || !ngx_olivine_snapshot_unsaved(shard, e))
            {
                continue;
            }

            if (n == NGX_OLIVINE_SNAPSHOT_RUNS) {
                left = 1;                      /* the bucket comes again */
                continue;
            }

            ngx_olivine_entry_value(zone, e, &value);

            rc = ngx_olivine_pin(tx, value.page, &holds[n]);
            if (rc != NGX_OK) {
                return rc;
            }

            n++;
        }
    }

    if (after == 0 && !left) {
        rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_tx_set32(tx, &walk->table->walked, zone->snapshot.number);
    }

    n = 0;

    for (b = head; b; b = ngx_olivine_bucket_next(zone, b)) {
        for (i = 0; i < NGX_OLIVINE_BUCKET_SLOTS; i++) {

            if (b->fp[i] == 0) {
                continue;
            }

            e = ngx_olivine_bucket_get(zone, b, i);

            if (!ngx_olivine_snapshot_unsaved(shard, e)) {
                continue;
            }

            if (!walk->dry) {
                hold = 0;

                if (e->vlen == NGX_OLIVINE_ENTRY_RUN) {

                    if (n == NGX_OLIVINE_SNAPSHOT_RUNS) {
                        continue;
                    }

                    hold = holds[n++] + 1;
                }

                ngx_olivine_entry_value(zone, e, &value);
                visit(data, walk->db, e, &value, hold);
            }

            e->flags = (e->flags & ~NGX_OLIVINE_ENTRY_EPOCH) | shard->epoch;
        }
    }

    if (!left) {
        walk->cursor = after;
    }

    return NGX_OK;
}


static size_t
ngx_olivine_snapshot_weight(ngx_olivine_zone_t *zone, ngx_olivine_entry_t *e)
{
    size_t               size;
    ngx_olivine_value_t  value;

    size = ngx_olivine_cell_weight(ngx_olivine_entry_size(e))
           + ngx_olivine_cell_weight(sizeof(ngx_olivine_image_t));

    if (e->vlen == NGX_OLIVINE_ENTRY_RUN) {
        ngx_olivine_entry_value(zone, e, &value);
        size += (size_t) zone->pages[value.page].pages
                << NGX_OLIVINE_PAGE_SHIFT;
    }

    return size;
}


/* Of a shard. */

static size_t
ngx_olivine_snapshot_limit(ngx_olivine_zone_t *zone)
{
    return ngx_max(zone->limit / NGX_OLIVINE_SNAPSHOT_PART / zone->nshards,
                   NGX_OLIVINE_SNAPSHOT_LEAST);
}
