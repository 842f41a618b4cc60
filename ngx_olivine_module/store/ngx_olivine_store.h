
/*
 * Copyright (C) The Olivine authors
 *
 * The store: shards, each a small store of its own behind one lock, and what
 * commands do with keys.
 *
 * Functions that end in _locked want the key's shard locked by the
 * transaction, and leave committing or undoing to the caller.  They return OK,
 * AGAIN (undo, ngx_olivine_tx_fetch(), run again), or ERROR (no memory); what
 * they return is never to be mended by the caller but by undoing all.
 */


#ifndef _NGX_OLIVINE_STORE_H_INCLUDED_
#define _NGX_OLIVINE_STORE_H_INCLUDED_


#include "store/ngx_olivine_entry.h"
#include "store/ngx_olivine_table.h"
#include "base/ngx_olivine_siphash.h"


struct ngx_olivine_shard_s {
    ngx_olivine_arena_t      arena;     /* first: it holds the lock */

    int64_t                  now;       /* the latest that a command saw */
    ngx_olivine_watches_t   *watches;   /* NULL: nobody watches a key */
    uint32_t                 epoch;     /* of entries, as in their flags */
    uint32_t                 saving;    /* some are of another one */
    ngx_olivine_image_t     *images;    /* the snapshot's, of what changed */
    uint64_t                 images_size;
    int64_t                  due;       /* the tick's: not to look before */
    uint64_t                 pruned;    /* zone->departed when watches were
                                           looked through last */
    ngx_olivine_table_t     *detached;  /* tables whose keys are being freed */
    ngx_olivine_table_t     *tables[];  /* one a database, NULL: empty */
};


/* Where a key stands in its table, or that it does not. */
typedef struct {
    ngx_olivine_shard_t     *shard;
    ngx_uint_t               db;
    ngx_str_t                key;
    uint64_t                 hash;
    ngx_olivine_entry_t     *entry;     /* NULL: absent */
    ngx_olivine_bucket_t    *bucket;    /* the entry's, and its index there */
    ngx_uint_t               index;
    unsigned                 expired:1; /* entry is there, past its time */
} ngx_olivine_ref_t;


#define ngx_olivine_store_shard(zone, n)                                      \
    ((ngx_olivine_shard_t *) ngx_olivine_zone_arena(zone, n))

#define ngx_olivine_store_number(zone, hash)                                  \
    ((zone)->shard_bits ? (ngx_uint_t) ((hash) >> (64 - (zone)->shard_bits))  \
                        : 0)

/* the size of a shard in a zone of that many databases */
#define ngx_olivine_store_shard_size(databases)                               \
    (sizeof(ngx_olivine_shard_t)                                              \
     + (databases) * sizeof(ngx_olivine_table_t *))

/* the access clock: seconds, 24 bits */
#define ngx_olivine_store_clock(now)                                          \
    ((uint32_t) ((now) / 1000) & NGX_OLIVINE_ENTRY_CLOCK)

#define ngx_olivine_store_hash(zone, key)                                     \
    ngx_olivine_siphash((ngx_olivine_seed_t *) (zone)->seed,                  \
                        (key)->data, (key)->len)


/* expiries to store: a time in milliseconds, or one of these */
#define NGX_OLIVINE_EXPIRE_NONE   0
#define NGX_OLIVINE_EXPIRE_KEEP  -1


/*
 * Looks the key up.  ref->entry is NULL if it is absent or past its time at
 * `now`; then ref->expired says which.
 */
void ngx_olivine_store_find_locked(ngx_olivine_tx_t *tx, ngx_uint_t db,
    ngx_str_t *key, uint64_t hash, int64_t now, ngx_olivine_ref_t *ref);

/* The same in a table of the key's shard, or (NULL) in none. */
void ngx_olivine_store_find_in_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_table_t *table, ngx_str_t *key, uint64_t hash, int64_t now,
    ngx_olivine_ref_t *ref);

/*
 * Stores a value under the key that was looked up, new or not; the ref then
 * names the entry.  The value's bytes are copied, or its receipt adopted.
 */
ngx_int_t ngx_olivine_store_set_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value, int64_t expire,
    uint32_t clock);

/* Appends to a string that is there; it gets the encoding "raw". */
ngx_int_t ngx_olivine_store_append_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_str_t *text, uint32_t clock);

/*
 * Writes text into a string from an offset on; what is missing before it is
 * zeros, a key that is absent is an empty string.  The same encoding.
 */
ngx_int_t ngx_olivine_store_write_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, size_t offset, ngx_str_t *text, uint32_t clock);

/* Sets or (0) takes away the expiry of an entry that is there. */
ngx_int_t ngx_olivine_store_expire_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, int64_t at);

/* Removes an entry that is there, also one past its time. */
ngx_int_t ngx_olivine_store_delete_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref);

/*
 * Gives what an entry holds, with its expiry, to another key, in the same
 * database or another; both shards are locked.  A run is handed over and not
 * copied.  `from` is then absent, `to` names the entry.
 */
ngx_int_t ngx_olivine_store_move_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *from, ngx_olivine_ref_t *to, uint32_t clock);

/* With all shards locked: exchanges two databases. */
ngx_int_t ngx_olivine_store_swap_locked(ngx_olivine_tx_t *tx, ngx_uint_t a,
    ngx_uint_t b);

/*
 * Makes a database of one shard empty: the table is detached and freed later
 * by ngx_olivine_store_free_locked().
 */
ngx_int_t ngx_olivine_store_flush_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db);

/*
 * Frees up to n buckets of detached tables.  OK: some, perhaps more are left;
 * DECLINED: there are none.
 */
ngx_int_t ngx_olivine_store_free_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t n);

/*
 * The next key of the database that is past its time.  OK (ref); DECLINED:
 * none is due; BUSY: a slice of buckets was looked at without finding one,
 * call again (what was seen is kept in the bounds); AGAIN; ERROR.
 */
ngx_int_t ngx_olivine_store_due_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, int64_t now,
    ngx_olivine_ref_t *ref);

/* Keys and keys with an expiry of a database, over all shards; no lock. */
void ngx_olivine_store_count(ngx_olivine_zone_t *zone, ngx_uint_t db,
    uint64_t *keys, uint64_t *expires);

/* Called with each entry of a bucket; may write nothing. */
typedef void (*ngx_olivine_visit_pt)(void *data, ngx_olivine_entry_t *e);

/*
 * Visits the bucket at the cursor of one shard.  Returns the next cursor, 0
 * when the shard is done.  Redis's guarantee holds for a whole walk from 0,
 * whatever is added, removed, grown or shrunk between the calls; and no key
 * is visited twice.
 */
uint64_t ngx_olivine_store_scan_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, uint64_t cursor,
    ngx_olivine_visit_pt visit, void *data);

/* An entry by chance, of those that are there; NULL if none.  n: random. */
ngx_olivine_entry_t *ngx_olivine_store_random_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, uint64_t n);

/*
 * Hints to the cache, taken without a lock: first the key's bucket, which is
 * returned, then, when it has come, the entry in it.  Where the entry is not
 * in that bucket, the next one of the chain is asked for and returned, to be
 * looked into later; else NULL.
 */
void *ngx_olivine_store_prefetch_bucket(ngx_olivine_zone_t *zone,
    ngx_uint_t db, uint64_t hash);
void *ngx_olivine_store_prefetch_entry(ngx_olivine_zone_t *zone, void *bucket,
    uint64_t hash);

/*
 * XORs the digest of each key of the database in the shard into digest (20
 * bytes), as DEBUG DIGEST does within a database; counts keys.
 */
void ngx_olivine_store_digest_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_shard_t *shard, ngx_uint_t db, u_char *digest);

/* Digest of one entry as DEBUG DIGEST-VALUE gives it, or with key inside. */
void ngx_olivine_store_digest_entry(ngx_olivine_zone_t *zone,
    ngx_olivine_entry_t *e, ngx_uint_t key, u_char *digest);

/*
 * With all shards locked: walks shards, tables, arenas and the page heap.
 * OK, or ERROR with the first discrepancy in err (256 bytes).
 */
ngx_int_t ngx_olivine_store_audit(ngx_olivine_tx_t *tx, u_char *err);


#endif /* _NGX_OLIVINE_STORE_H_INCLUDED_ */
