
/*
 * Copyright (C) The Olivine authors
 *
 * One instant of the whole keyspace, read out while it goes on changing.
 *
 * Each entry has an epoch of two bits.  A snapshot begins by raising the epoch
 * of all shards while all their locks are held; from then on an entry of
 * another epoch is one that is still to be saved.  New entries have the new
 * epoch.  Before an unsaved entry is replaced or removed its cell is hung into
 * a list of the shard instead of being freed, an "image"; nothing unsaved is
 * changed in place.  So tables may grow and shrink, keys move and databases
 * change places, and the walker needs no more than to meet each entry once.
 *
 * The walker visits images and unsaved entries a few at a time, under the
 * shard's lock, and gives entries the new epoch.  That mark is not journalled:
 * the worker that dies takes its snapshot along.  The next one walks on
 * without a visitor, until no entry of another epoch is left, and begins anew.
 *
 * Images are bounded: who would add one to a full list has to wait.  A zone
 * that has no memory for them fails the snapshot, not the command.
 */


#ifndef _NGX_OLIVINE_SNAPSHOT_H_INCLUDED_
#define _NGX_OLIVINE_SNAPSHOT_H_INCLUDED_


#include "store/ngx_olivine_store.h"


/* An entry as it was at the instant, in a cell of its own. */
struct ngx_olivine_image_s {
    ngx_olivine_image_t     *next;
    ngx_olivine_entry_t     *entry;
    uint32_t                 db;
    uint32_t                 unused;
};


/*
 * Where a walker is; its own memory, all zeros at the beginning.  One that is
 * dry visits nothing but images with a pin, for it to be given up.
 */
typedef struct {
    ngx_uint_t               dry;
    ngx_olivine_table_t     *table;
    ngx_uint_t               db;
    uint64_t                 cursor;
    ngx_uint_t               woken;      /* room was made for who waits */
} ngx_olivine_walk_t;


/*
 * Called under the shard's lock, with what stays valid until the end of the
 * slice; not to fail, lock or allocate.  A value that is a run of its own is
 * pinned for the visitor: hold is the holding plus one, to be given up by
 * ngx_olivine_unpin() when no lock is held.  hold is 0 otherwise.
 */
typedef void (*ngx_olivine_snapshot_visit_pt)(void *data, ngx_uint_t db,
    ngx_olivine_entry_t *e, ngx_olivine_value_t *value, uint32_t hold);


/*
 * In a transaction that holds all shards: begins.  OK, AGAIN, ERROR; DECLINED
 * if one has not been walked to its end.
 */
ngx_int_t ngx_olivine_snapshot_begin_locked(ngx_olivine_tx_t *tx);

/* Whether any shard is still to be walked; no lock. */
ngx_uint_t ngx_olivine_snapshot_active(ngx_olivine_zone_t *zone);

/* 1 if images had to be given up: what is walked is not all any more. */
#define ngx_olivine_snapshot_failed(zone)  ((zone)->snapshot.failed)

/* Bytes of images; no lock. */
uint64_t ngx_olivine_snapshot_size(ngx_olivine_zone_t *zone);

/*
 * A slice, in a transaction of the shard that the caller commits.  OK: more; DECLINED: the shard is done; AGAIN, ERROR:
 * undone, and what the visitor was given does not count.
 */
ngx_int_t ngx_olivine_snapshot_walk_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_walk_t *walk,
    ngx_olivine_snapshot_visit_pt visit, void *data);


/* the store's */

#define ngx_olivine_snapshot_unsaved(shard, e)                                \
    (ngx_olivine_unlikely((shard)->saving)                                    \
     && ((e)->flags & NGX_OLIVINE_ENTRY_EPOCH) != (shard)->epoch)

/*
 * Instead of freeing it: hangs an unsaved entry, which no table names any
 * more, into the list.  keep_run: its run is another key's now.  OK; DECLINED:
 * free it, the snapshot has failed; AGAIN (want_walk, or as ever); ERROR.
 */
ngx_int_t ngx_olivine_snapshot_keep(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, ngx_olivine_entry_t *e,
    ngx_uint_t keep_run);

/* A table leaves the place of a database: what it is at the instant stays. */
void ngx_olivine_snapshot_moved(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table, ngx_uint_t db);

/* 1 if a detached table still has what is to be saved. */
ngx_uint_t ngx_olivine_snapshot_wants(ngx_olivine_zone_t *zone,
    ngx_olivine_shard_t *shard, ngx_olivine_table_t *table);


#endif /* _NGX_OLIVINE_SNAPSHOT_H_INCLUDED_ */
