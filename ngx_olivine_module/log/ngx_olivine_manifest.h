
/*
 * Copyright (C) The Olivine authors
 *
 * The manifest of an append-only directory, as Redis 7 has it: which files
 * belong to the log, and in which order they are to be read.
 *
 *     file appendonly.aof.2.base.rdb seq 2 type b
 *     file appendonly.aof.4.incr.aof seq 4 type h
 *     file appendonly.aof.5.incr.aof seq 5 type i
 *
 * The base comes first, then the increments, whose numbers rise; history is
 * what a rewrite has made superfluous and nobody has deleted yet.
 *
 * The memory is private; functions with a folder do what may wait for a disk.
 * Names are zero-terminated; "dir" is the append-only directory, "name" is
 * appendfilename.
 */


#ifndef _NGX_OLIVINE_MANIFEST_H_INCLUDED_
#define _NGX_OLIVINE_MANIFEST_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* files in a manifest, bytes of a line with its end: that of Redis */
#define NGX_OLIVINE_MANIFEST_FILES  4096
#define NGX_OLIVINE_MANIFEST_LINE   1024
#define NGX_OLIVINE_MANIFEST_SIZE   (4 * 1024 * 1024)

/* with the zero behind it */
#define NGX_OLIVINE_MANIFEST_NAME   256


typedef enum {
    NGX_OLIVINE_MANIFEST_BASE = 'b',
    NGX_OLIVINE_MANIFEST_HISTORY = 'h',
    NGX_OLIVINE_MANIFEST_INCR = 'i'
} ngx_olivine_manifest_e;


typedef struct {
    ngx_olivine_manifest_e         type;
    int64_t                        seq;      /* above 0 */
    char                           name[NGX_OLIVINE_MANIFEST_NAME];
} ngx_olivine_manifest_file_t;


typedef struct {
    ngx_olivine_manifest_file_t   *files;    /* the base, history, increments */
    ngx_uint_t                     nfiles;
    ngx_uint_t                     nalloc;
} ngx_olivine_manifest_t;


typedef struct {
    int                            code;     /* errno, 0 if it is not a call */
    ngx_uint_t                     line;     /* 0 if it is not a line */
    char                           text[PATH_MAX + 256];
} ngx_olivine_manifest_error_t;


#define ngx_olivine_manifest_init(m)                                          \
    ngx_memzero(m, sizeof(ngx_olivine_manifest_t))

void ngx_olivine_manifest_free(ngx_olivine_manifest_t *m);

/*
 * Reads the bytes of one, into an empty m.  OK; ABORT: they are none, the
 * error has line and text; ERROR: no memory.
 *
 * It is as strict as Redis, and takes no names that are folders.  Fields that
 * are not known are passed over.
 */
ngx_int_t ngx_olivine_manifest_parse(ngx_olivine_manifest_t *m,
    const u_char *p, const u_char *last, ngx_olivine_manifest_error_t *e);

/*
 * Writes the bytes of one and returns their end; there is room for
 * ngx_olivine_manifest_size() bytes.
 */
u_char *ngx_olivine_manifest_print(ngx_olivine_manifest_t *m, u_char *p);
size_t ngx_olivine_manifest_size(ngx_olivine_manifest_t *m);

/* The base, or NULL. */
ngx_olivine_manifest_file_t *ngx_olivine_manifest_base(
    ngx_olivine_manifest_t *m);

/* The increment after this file (NULL: the first one), or NULL. */
ngx_olivine_manifest_file_t *ngx_olivine_manifest_incr(
    ngx_olivine_manifest_t *m, ngx_olivine_manifest_file_t *file);

/*
 * The number that the next base, or increment, has: above all that there
 * were.
 */
int64_t ngx_olivine_manifest_next(ngx_olivine_manifest_t *m,
    ngx_olivine_manifest_e type);

/*
 * Adds a file under the name that Redis would give it: NAME.SEQ.base.rdb (or
 * .aof), NAME.SEQ.incr.aof.  A base that there was becomes history.  OK;
 * DECLINED: there are too many files, or the name is too long, or the
 * increment's number does not rise; ERROR: no memory.
 */
ngx_int_t ngx_olivine_manifest_add(ngx_olivine_manifest_t *m,
    ngx_olivine_manifest_e type, int64_t seq, const char *name,
    ngx_uint_t rdb);

/* That name, in NGX_OLIVINE_MANIFEST_NAME bytes.  OK, or DECLINED. */
ngx_int_t ngx_olivine_manifest_name(char *buf, ngx_olivine_manifest_e type,
    int64_t seq, const char *name, ngx_uint_t rdb);

/* Increments with a lower number become history. */
void ngx_olivine_manifest_retire(ngx_olivine_manifest_t *m, int64_t seq);


/* files: ERROR leaves errno and a text */

/* Reads dir/NAME.manifest.  DECLINED: there is none; ABORT as in parse(). */
ngx_int_t ngx_olivine_manifest_load(ngx_olivine_manifest_t *m,
    const char *dir, const char *name, ngx_olivine_manifest_error_t *e);

/* Reads that file. */
ngx_int_t ngx_olivine_manifest_load_file(ngx_olivine_manifest_t *m,
    const char *path, ngx_olivine_manifest_error_t *e);

/*
 * Puts it in the place of the one that is there: a file beside it is written,
 * synced and renamed, then the folder is synced.  OK or ERROR; after an ERROR
 * the one before is there, or this one whole, and may not outlast a crash.
 */
ngx_int_t ngx_olivine_manifest_store(ngx_olivine_manifest_t *m,
    const char *dir, const char *name, ngx_olivine_manifest_error_t *e);

/*
 * Deletes what is history, and takes it off the list, which is to be stored
 * then.  Goes on after a failure: what could not be deleted stays in the
 * list.  OK or ERROR, of the first one.
 */
ngx_int_t ngx_olivine_manifest_clean(ngx_olivine_manifest_t *m,
    const char *dir, ngx_olivine_manifest_error_t *e);

/*
 * An append-only file from before Redis 7, folder/NAME, is moved to dir/NAME
 * and becomes the base, if dir has no manifest, or one of an upgrade that was
 * cut off; m is what manifest_load() found, and what is there at the end.
 * First the manifest is stored, then the file is moved: an upgrade that was
 * cut off is seen, and goes on.
 *
 * OK: moved; DECLINED: there is nothing to move; ABORT: there are two files,
 * and which one counts is not known; ERROR.
 */
ngx_int_t ngx_olivine_manifest_upgrade(ngx_olivine_manifest_t *m,
    const char *folder, const char *dir, const char *name,
    ngx_olivine_manifest_error_t *e);

/* Syncs a folder.  OK or ERROR. */
ngx_int_t ngx_olivine_manifest_sync_dir(const char *dir,
    ngx_olivine_manifest_error_t *e);


#endif /* _NGX_OLIVINE_MANIFEST_H_INCLUDED_ */
