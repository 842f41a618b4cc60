
/*
 * Copyright (C) The Olivine authors
 *
 * Watched keys: a row for each key that a client watches, in the key's shard
 * and under its lock.  Who changes a key marks the rows of it; the watcher
 * looks at its own.  A row outlives neither its client nor its worker: those
 * of a dead one are found by its slot and generation.
 *
 * A shard that nobody watches has no index of them, and costs a look.
 */


#ifndef _NGX_OLIVINE_WATCH_H_INCLUDED_
#define _NGX_OLIVINE_WATCH_H_INCLUDED_


#include "store/ngx_olivine_store.h"


/* state of a row */
#define NGX_OLIVINE_WATCH_DIRTY     1    /* the key was changed */
#define NGX_OLIVINE_WATCH_EXPIRED   2    /* it was past its time already */


struct ngx_olivine_watch_s {
    ngx_olivine_watch_t     *next;
    uint64_t                 hash;
    uint64_t                 client;     /* its id */
    uint32_t                 owner;      /* its worker, as in a lock's word */
    uint32_t                 db;
    uint32_t                 state;
    uint32_t                 len;
    u_char                   key[];
};


/*
 * The client watches the key that was looked up; with the shard locked.
 * OK (watch); DECLINED: it does already; AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_watch_add_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, uint64_t client, ngx_olivine_watch_t **watch);

/* No longer; the row is gone with the commit.  OK, AGAIN, ERROR. */
ngx_int_t ngx_olivine_watch_remove_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_watch_t *watch);

/* 1 if the key was changed, or ran out at now, since it is watched. */
ngx_uint_t ngx_olivine_watch_broken_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_watch_t *watch, int64_t now);

/* Removes the rows of workers that are gone.  OK, AGAIN, ERROR. */
ngx_int_t ngx_olivine_watch_prune_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard);

/*
 * The store's own, before a change: of a key, of one that is removed, of a
 * whole database that becomes empty, or (with) gets the keys of another
 * table.  OK, AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_watch_key(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_uint_t removed);
ngx_int_t ngx_olivine_watch_db(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, ngx_olivine_table_t *with);

#define ngx_olivine_watch_touch(tx, ref, removed)                             \
    (ngx_olivine_likely((ref)->shard->watches == NULL)                        \
     ? NGX_OK : ngx_olivine_watch_key(tx, ref, removed))

/* Bytes of the arena that rows and their index take. */
size_t ngx_olivine_watch_used(ngx_olivine_shard_t *shard);


#endif /* _NGX_OLIVINE_WATCH_H_INCLUDED_ */
