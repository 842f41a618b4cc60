
/*
 * Copyright (C) The Olivine authors
 *
 * The file of a snapshot: chunks that are filled under shards' locks, and a
 * thread that writes them; dump.rdb, or a base of the append-only file with
 * the increment that goes on from it.
 */


#ifndef _NGX_OLIVINE_SAVE_FILE_H_INCLUDED_
#define _NGX_OLIVINE_SAVE_FILE_H_INCLUDED_


#include "store/ngx_olivine_snapshot.h"
#include "mem/ngx_olivine_thread.h"
#include "log/ngx_olivine_save_chunk.h"


typedef struct ngx_olivine_save_file_s  ngx_olivine_save_file_t;


/* Where a file is, to take back what came behind it. */
typedef struct {
    ngx_olivine_save_at_t   chunk;
    ngx_uint_t              db;
    uint64_t                keys;
} ngx_olivine_save_mark_t;


ngx_olivine_save_file_t *ngx_olivine_save_file_create(ngx_olivine_tx_t *tx,
    ngx_log_t *log, ngx_uint_t alone);
void ngx_olivine_save_file_destroy(ngx_olivine_save_file_t *file);
void ngx_olivine_save_file_reap(ngx_olivine_save_file_t *file);

/* 1 while the thread is at it; then the errno of what failed, or 0. */
ngx_uint_t ngx_olivine_save_file_busy(ngx_olivine_save_file_t *file);
int ngx_olivine_save_file_error(ngx_olivine_save_file_t *file);

/* Begins to make the file; what: NGX_OLIVINE_SAVE_RDB or _AOF. */
void ngx_olivine_save_file_open(ngx_olivine_save_file_t *file, uint32_t what,
    int64_t now);

/*
 * At the instant, in its transaction, and behind its commit while all shards
 * are still locked: from here on the log goes into the next increment.
 * OK, AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_save_file_instant(ngx_olivine_save_file_t *file);
void ngx_olivine_save_file_turn(ngx_olivine_save_file_t *file);

/* Whether there is room for a slice.  OK; AGAIN: the thread is to be first. */
ngx_int_t ngx_olivine_save_file_room(ngx_olivine_save_file_t *file);

void ngx_olivine_save_file_mark(ngx_olivine_save_file_t *file,
    ngx_olivine_save_mark_t *mark);
void ngx_olivine_save_file_rewind(ngx_olivine_save_file_t *file,
    ngx_olivine_save_mark_t *mark);

/*
 * Under the shard's lock: a key.  The value's run, if it has one, is not
 * copied, and the hold given up when it is written.
 */
void ngx_olivine_save_file_key(ngx_olivine_save_file_t *file, ngx_uint_t db,
    ngx_str_t *key, ngx_olivine_value_t *value, int64_t expire,
    uint32_t hold);

/* A hold to be given up; all that are not given up yet, no lock held. */
void ngx_olivine_save_file_hold(ngx_olivine_save_file_t *file, uint32_t hold);
void ngx_olivine_save_file_unpin(ngx_olivine_save_file_t *file);

uint64_t ngx_olivine_save_file_keys(ngx_olivine_save_file_t *file);

/*
 * All keys are there.  OK: the thread has begun to finish the file; AGAIN: not
 * yet, call again.
 */
ngx_int_t ngx_olivine_save_file_close(ngx_olivine_save_file_t *file);

/* The file is in its place: what the zone knows of it. */
void ngx_olivine_save_file_done(ngx_olivine_save_file_t *file);

/* Gives it up. */
void ngx_olivine_save_file_abort(ngx_olivine_save_file_t *file);


#endif /* _NGX_OLIVINE_SAVE_FILE_H_INCLUDED_ */
