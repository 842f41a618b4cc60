
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_save_file.h"
#include "log/ngx_olivine_save.h"
#include "log/ngx_olivine_save_command.h"
#include "log/ngx_olivine_aof.h"
#include "log/ngx_olivine_manifest.h"
#include "base/ngx_olivine_clock.h"

#include <fcntl.h>
#include <sys/stat.h>


/*
 * The longest text that is compressed: it is done under the shard's lock.
 */
#define NGX_OLIVINE_SAVE_FILE_SHORT   2048

/* bytes between syncs on the way */
#define NGX_OLIVINE_SAVE_FILE_SYNC    (32 * 1024 * 1024)


struct ngx_olivine_save_file_s {
    ngx_olivine_tx_t          *tx;
    ngx_olivine_zone_t        *zone;
    ngx_log_t                 *log;
    ngx_olivine_thread_t      *disk;      /* NULL: all is done at once */
    ngx_olivine_thread_job_t   job;
    void                     (*run)(ngx_olivine_save_file_t *file);

    unsigned                   busy:1;
    unsigned                   aborted:1;
    unsigned                   failed:1;  /* no memory for a chunk */
    unsigned                   commands:1;    /* not an RDB file */

    uint32_t                   what;
    int64_t                    now;
    int                        err;       /* the thread's */
    const char                *step;      /* what failed */

    int                        fd;
    u_char                     temp[NGX_OLIVINE_AOF_PATH];
    u_char                     left[NGX_OLIVINE_AOF_PATH];  /* by the dead */
    u_char                     path[NGX_OLIVINE_AOF_PATH];
    uint64_t                   size;      /* written */
    uint64_t                   synced;
    ngx_olivine_waited_t       wrote;     /* until it is booked */
    ngx_olivine_waited_t       waited;    /* ... for syncs */

    ngx_olivine_rdb_out_t      out;       /* into the chunk */
    ngx_olivine_rdb_out_t      sum;       /* into the file */
    ngx_olivine_save_chunk_t   chunks[2];
    ngx_uint_t                 cur;       /* that is being filled */

    ngx_uint_t                 db;
    uint64_t                   keys;

    /* of an append-only file */
    u_char                     dir[NGX_OLIVINE_AOF_PATH];
    u_char                     name[NGX_OLIVINE_NAME_MAX + 8];
    ngx_olivine_manifest_t     manifest;
    int64_t                    seq;       /* of the increment */
    int64_t                    base;
    uint64_t                   offset;    /* of the instant */
};


static ngx_int_t ngx_olivine_save_file_db(ngx_olivine_save_file_t *file,
    ngx_uint_t db);
static ngx_uint_t ngx_olivine_save_file_gone(ngx_olivine_save_file_t *file);
static void ngx_olivine_save_file_post(ngx_olivine_save_file_t *file,
    void (*run)(ngx_olivine_save_file_t *file));
static void ngx_olivine_save_file_run(void *data);
static void ngx_olivine_save_file_ran(void *data);
static void ngx_olivine_save_file_temp(ngx_olivine_save_file_t *file,
    uint32_t what, ngx_pid_t pid, u_char *path);
static void ngx_olivine_save_file_make(ngx_olivine_save_file_t *file);
static void ngx_olivine_save_file_make_aof(ngx_olivine_save_file_t *file);
static void ngx_olivine_save_file_write(ngx_olivine_save_file_t *file);
static void ngx_olivine_save_file_finish(ngx_olivine_save_file_t *file);
static void ngx_olivine_save_file_finish_aof(ngx_olivine_save_file_t *file);
static void ngx_olivine_save_file_failed(ngx_olivine_save_file_t *file,
    int err, const char *step);
static void ngx_olivine_save_file_clean(ngx_olivine_save_file_t *file);
static ngx_int_t ngx_olivine_save_file_put(ngx_olivine_rdb_out_t *out,
    u_char *data, size_t len, ngx_uint_t stays);
static ngx_int_t ngx_olivine_save_file_gather(ngx_olivine_rdb_out_t *out,
    u_char *data, size_t len, ngx_uint_t stays);


ngx_olivine_save_file_t *
ngx_olivine_save_file_create(ngx_olivine_tx_t *tx, ngx_log_t *log,
    ngx_uint_t alone)
{
    ngx_olivine_save_file_t  *file;

    file = ngx_calloc(sizeof(ngx_olivine_save_file_t), log);
    if (file == NULL) {
        return NULL;
    }

    file->tx = tx;
    file->zone = tx->zone;
    file->log = log;
    file->fd = -1;

    file->job.run = ngx_olivine_save_file_run;
    file->job.done = ngx_olivine_save_file_ran;
    file->job.data = file;

    if (!alone) {
        file->disk = ngx_olivine_thread_create(tx->zone, tx->slot->number,
                                               NGX_OLIVINE_HINT_DISK,
                                               NGX_OLIVINE_THREAD_STACK, log);

        if (file->disk == NULL) {
            ngx_free(file);
            return NULL;
        }
    }

    return file;
}


void
ngx_olivine_save_file_destroy(ngx_olivine_save_file_t *file)
{
    file->aborted = 1;

    if (file->disk) {
        ngx_olivine_thread_destroy(file->disk);
    }

    ngx_olivine_save_file_clean(file);
    ngx_free(file);
}


void
ngx_olivine_save_file_reap(ngx_olivine_save_file_t *file)
{
    if (file->disk) {
        ngx_olivine_thread_reap(file->disk);
    }
}


ngx_uint_t
ngx_olivine_save_file_busy(ngx_olivine_save_file_t *file)
{
    return file->busy;
}


int
ngx_olivine_save_file_error(ngx_olivine_save_file_t *file)
{
    return file->busy ? 0 : file->failed ? ENOMEM : file->err;
}


uint64_t
ngx_olivine_save_file_keys(ngx_olivine_save_file_t *file)
{
    return file->keys;
}


void
ngx_olivine_save_file_open(ngx_olivine_save_file_t *file, uint32_t what,
    int64_t now)
{
    ngx_olivine_params_t      *params;
    ngx_olivine_aof_state_t   *st;
    ngx_olivine_save_state_t  *save;

    params = &file->zone->params;
    st = &file->zone->persist.aof;
    save = &file->zone->persist.save;

    file->what = what;
    file->now = now;
    file->aborted = 0;
    file->failed = 0;
    file->err = 0;
    file->size = 0;
    file->synced = 0;
    file->keys = 0;
    file->db = (ngx_uint_t) -1;
    file->cur = 0;

    file->commands = (what == NGX_OLIVINE_SAVE_AOF
                      && !params->aof_use_rdb_preamble);

    if (st->state != NGX_OLIVINE_AOF_OFF) {

        /* it stays where it is, whatever "dir" says since */

        ngx_sprintf(file->dir, "%s%Z", st->dir);
        ngx_sprintf(file->name, "%s%Z", st->name);

    } else {
        ngx_olivine_aof_folder(file->zone, file->dir, file->name);
    }

    if (what == NGX_OLIVINE_SAVE_RDB) {
        (void) ngx_olivine_save_path(file->zone, file->path);
    }

    file->left[0] = '\0';

    if (save->temp_pid) {
        ngx_olivine_save_file_temp(file, save->temp_what, save->temp_pid,
                                   file->left);
    }

    ngx_olivine_save_file_temp(file, what, ngx_pid, file->temp);

    save->temp_what = what;
    save->temp_pid = ngx_pid;

    ngx_olivine_rdb_out_init(&file->out, ngx_olivine_save_file_gather, file);
    file->out.checksum = 0;
    file->out.compress = params->rdbcompression ? NGX_OLIVINE_SAVE_FILE_SHORT
                                                : 0;

    ngx_olivine_rdb_out_init(&file->sum, ngx_olivine_save_file_put, file);
    file->sum.checksum = (params->rdbchecksum != 0);

    ngx_olivine_save_file_post(file, ngx_olivine_save_file_make);
}


static void
ngx_olivine_save_file_temp(ngx_olivine_save_file_t *file, uint32_t what,
    ngx_pid_t pid, u_char *path)
{
    ngx_olivine_params_t  *params;

    params = &file->zone->params;

    if (what == NGX_OLIVINE_SAVE_RDB) {
        ngx_sprintf(path, "%*s/temp-%P.rdb%Z", params->dir.len,
                    params->dir.data, pid);

    } else {
        ngx_sprintf(path, "%s/temp-rewriteaof-bg-%P.aof%Z", file->dir, pid);
    }
}


ngx_int_t
ngx_olivine_save_file_instant(ngx_olivine_save_file_t *file)
{
    ngx_int_t                 rc;
    ngx_uint_t                n;
    ngx_olivine_ring_t       *ring;
    ngx_olivine_aof_state_t  *st;

    if (file->what != NGX_OLIVINE_SAVE_AOF) {
        return NGX_OK;
    }

    ring = &file->zone->ring;
    st = &file->zone->persist.aof;

    if (st->reader == 0 || ring->readers == 0) {

        rc = ngx_olivine_ring_attach(file->tx,
                                     ngx_olivine_ring_size(file->zone->limit),
                                     &n);
        if (rc != NGX_OK) {
            return rc;
        }

        /* a death behind the commit must not leave a reader that nobody is */

        st->reader = n + 1;
        return NGX_OK;
    }

    rc = ngx_olivine_tx_room(file->tx, NGX_OLIVINE_JOURNAL_SMALL);

    if (rc == NGX_OK) {
        ngx_olivine_tx_set32(file->tx, &ring->db, NGX_OLIVINE_RING_NO_DB);
    }

    return rc;
}


void
ngx_olivine_save_file_turn(ngx_olivine_save_file_t *file)
{
    ngx_olivine_aof_mark_t   *mark;
    ngx_olivine_aof_state_t  *st;

    if (file->what != NGX_OLIVINE_SAVE_AOF) {
        return;
    }

    st = &file->zone->persist.aof;
    file->offset = file->zone->ring.tail;

    if (st->state == NGX_OLIVINE_AOF_OFF) {

        mark = &st->marks[st->mark & 1];
        mark->offset = file->offset;
        mark->pos = 0;
        mark->seq = file->seq;

        st->begun++;
        st->durable = file->offset;
        st->turn = 0;
        st->ts = 0;
        st->ts_at = 0;
        st->error = 0;
        st->distrust = 0;
        st->older_size = 0;
        st->base_size = 0;

        ngx_memcpy(st->dir, file->dir, sizeof(st->dir));
        ngx_memcpy(st->name, file->name, sizeof(st->name));

        ngx_olivine_barrier();
        st->state = NGX_OLIVINE_AOF_FIRST;

        return;
    }

    st->turn_seq = file->seq;
    __atomic_store_n(&st->turn, file->offset + 1, __ATOMIC_RELEASE);
}


ngx_int_t
ngx_olivine_save_file_room(ngx_olivine_save_file_t *file)
{
    if (ngx_olivine_save_chunk_full(&file->chunks[file->cur])) {

        if (file->busy) {
            return NGX_AGAIN;
        }

        file->cur ^= 1;
        ngx_olivine_save_file_post(file, ngx_olivine_save_file_write);
    }

    if (ngx_olivine_save_chunk_room(&file->chunks[file->cur]) != NGX_OK) {
        file->failed = 1;
    }

    return NGX_OK;
}


void
ngx_olivine_save_file_mark(ngx_olivine_save_file_t *file,
    ngx_olivine_save_mark_t *mark)
{
    mark->chunk = file->chunks[file->cur].at;
    mark->db = file->db;
    mark->keys = file->keys;
}


void
ngx_olivine_save_file_rewind(ngx_olivine_save_file_t *file,
    ngx_olivine_save_mark_t *mark)
{
    file->chunks[file->cur].at = mark->chunk;
    file->db = mark->db;
    file->keys = mark->keys;
}


void
ngx_olivine_save_file_key(ngx_olivine_save_file_t *file, ngx_uint_t db,
    ngx_str_t *key, ngx_olivine_value_t *value, int64_t expire,
    uint32_t hold)
{
    ngx_int_t                  rc;
    ngx_olivine_save_chunk_t  *chunk;

    chunk = &file->chunks[file->cur];

    if (hold) {
        ngx_olivine_save_file_hold(file, hold);
    }

    if (file->db != db && ngx_olivine_save_file_db(file, db) != NGX_OK) {
        file->failed = 1;
    }

    rc = file->commands
         ? ngx_olivine_save_command_key(chunk, key, value, expire)
         : ngx_olivine_rdb_write_key(&file->out, key, value, expire, -1, -1);

    if (rc != NGX_OK) {
        file->failed = 1;
    }

    file->keys++;
}


static ngx_int_t
ngx_olivine_save_file_db(ngx_olivine_save_file_t *file, ngx_uint_t db)
{
    uint64_t  keys, expires;

    file->db = db;

    if (file->commands) {
        return ngx_olivine_save_command_db(&file->chunks[file->cur], db);
    }

    ngx_olivine_store_count(file->zone, db, &keys, &expires);

    return ngx_olivine_rdb_write_db(&file->out, db, keys, expires);
}


void
ngx_olivine_save_file_hold(ngx_olivine_save_file_t *file, uint32_t hold)
{
    if (ngx_olivine_save_chunk_hold(&file->chunks[file->cur], hold - 1)
        != NGX_OK)
    {
        file->failed = 1;        /* the slot's sweep will find it */
    }
}


void
ngx_olivine_save_file_unpin(ngx_olivine_save_file_t *file)
{
    if (!file->busy) {
        ngx_olivine_save_chunk_release(&file->chunks[file->cur], file->tx);
    }
}


ngx_int_t
ngx_olivine_save_file_close(ngx_olivine_save_file_t *file)
{
    if (file->busy) {
        return NGX_AGAIN;
    }

    /* nothing of what is before the base may still be on its way */

    if (file->what == NGX_OLIVINE_SAVE_AOF
        && (file->zone->persist.aof.turn
            || ngx_olivine_aof_written(file->zone)->offset < file->offset))
    {
        if (!ngx_olivine_save_file_gone(file)) {
            return NGX_AGAIN;
        }

        ngx_olivine_save_file_failed(file, ENOENT, "writing the increment of");
        return NGX_OK;
    }

    file->cur ^= 1;
    ngx_olivine_save_file_post(file, ngx_olivine_save_file_finish);

    return NGX_OK;
}


/* 1: the directory was removed meanwhile, nobody can write the increment. */

static ngx_uint_t
ngx_olivine_save_file_gone(ngx_olivine_save_file_t *file)
{
    u_char  path[NGX_OLIVINE_AOF_PATH];

    if (file->zone->persist.aof.error != ENOENT) {
        return 0;
    }

    (void) ngx_olivine_aof_path(file->zone, file->seq, path);

    return access((char *) path, F_OK) == -1 && errno == ENOENT;
}


void
ngx_olivine_save_file_done(ngx_olivine_save_file_t *file)
{
    ngx_olivine_persist_t    *persist;
    ngx_olivine_aof_state_t  *st;

    persist = &file->zone->persist;
    st = &persist->aof;

    if (file->what == NGX_OLIVINE_SAVE_AOF) {

        st->base_size = file->size;
        st->older_size = 0;
        st->rewritten_size = ngx_olivine_aof_size(file->zone);

        if (st->distrust) {
            st->durable = file->offset;
            st->distrust = 0;
            st->error = 0;

            ngx_olivine_persist_allow(persist, NGX_OLIVINE_REFUSE_AOF);
        }

        __atomic_store_n(&st->state, NGX_OLIVINE_AOF_ON, __ATOMIC_RELEASE);
    }

    ngx_olivine_save_file_clean(file);
}


void
ngx_olivine_save_file_abort(ngx_olivine_save_file_t *file)
{
    file->aborted = 1;

    if (!file->busy) {
        ngx_olivine_save_file_clean(file);
    }
}


static void
ngx_olivine_save_file_post(ngx_olivine_save_file_t *file,
    void (*run)(ngx_olivine_save_file_t *file))
{
    file->busy = 1;
    file->run = run;

    if (file->disk) {
        ngx_olivine_thread_post(file->disk, &file->job);
        return;
    }

    ngx_olivine_save_file_run(file);
    ngx_olivine_save_file_ran(file);
}


static void
ngx_olivine_save_file_run(void *data)
{
    ngx_olivine_save_file_t *file = data;

    if (file->err == 0) {
        file->run(file);
    }
}


static void
ngx_olivine_save_file_ran(void *data)
{
    ngx_olivine_save_file_t *file = data;

    file->busy = 0;

    ngx_olivine_sample_waited(file->tx, NGX_OLIVINE_BLOCK_SAVE_WRITE,
                              &file->wrote);
    ngx_olivine_sample_waited(file->tx, NGX_OLIVINE_BLOCK_SAVE_SYNC,
                              &file->waited);

    ngx_olivine_save_chunk_release(&file->chunks[file->cur ^ 1], file->tx);

    if (file->err) {
        ngx_log_error(NGX_LOG_ERR, file->log, file->err,
                      "olivine: a snapshot is given up: %s \"%s\" failed",
                      file->step, file->temp);
    }

    if (file->aborted) {
        ngx_olivine_save_file_clean(file);
    }
}


/* The thread's functions. */

static void
ngx_olivine_save_file_make(ngx_olivine_save_file_t *file)
{
    ngx_olivine_rdb_about_t  about;

    if (file->left[0]) {
        (void) unlink((char *) file->left);
    }

    if (file->what == NGX_OLIVINE_SAVE_AOF) {
        ngx_olivine_save_file_make_aof(file);

        if (file->err) {
            return;
        }
    }

    file->fd = open((char *) file->temp, O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC,
                    0644);

    if (file->fd == -1) {
        ngx_olivine_save_file_failed(file, errno, "open()");
        return;
    }

    if (file->commands) {
        return;
    }

    ngx_memzero(&about, sizeof(ngx_olivine_rdb_about_t));
    ngx_str_set(&about.version, NGX_OLIVINE_REDIS_VERSION);
    about.time = file->now / 1000;
    about.memory = ngx_olivine_zone_used(file->zone);
    about.aof_base = (file->what == NGX_OLIVINE_SAVE_AOF);

    (void) ngx_olivine_rdb_write_begin(&file->sum, &about);
}


/* The increment that goes on from the base is there before its instant. */

static void
ngx_olivine_save_file_make_aof(ngx_olivine_save_file_t *file)
{
    int                            fd;
    char                           name[NGX_OLIVINE_MANIFEST_NAME];
    u_char                         path[NGX_OLIVINE_AOF_PATH
                                        + NGX_OLIVINE_MANIFEST_NAME];
    ngx_int_t                      rc;
    ngx_olivine_aof_state_t       *st;
    ngx_olivine_manifest_error_t   e;

    st = &file->zone->persist.aof;

    if (mkdir((char *) file->dir, 0755) == -1 && errno != EEXIST) {
        ngx_olivine_save_file_failed(file, errno, "mkdir()");
        return;
    }

    ngx_olivine_manifest_free(&file->manifest);
    ngx_olivine_manifest_init(&file->manifest);

    rc = ngx_olivine_manifest_load(&file->manifest, (char *) file->dir,
                                   (char *) file->name, &e);

    if (rc != NGX_OK && rc != NGX_DECLINED) {
        ngx_olivine_save_file_failed(file, e.code ? e.code : EINVAL,
                                     "reading the manifest beside");
        return;
    }

    file->base = ngx_olivine_manifest_next(&file->manifest,
                                           NGX_OLIVINE_MANIFEST_BASE);
    file->seq = ngx_olivine_manifest_next(&file->manifest,
                                          NGX_OLIVINE_MANIFEST_INCR);

    if (st->state != NGX_OLIVINE_AOF_OFF) {
        file->seq = ngx_max(file->seq,
                            (int64_t) ngx_olivine_aof_written(file->zone)->seq
                            + 1);
    }

    if (ngx_olivine_manifest_name(name, NGX_OLIVINE_MANIFEST_INCR, file->seq,
                                  (char *) file->name, 0)
        != NGX_OK
        || ngx_olivine_manifest_add(&file->manifest, NGX_OLIVINE_MANIFEST_INCR,
                                    file->seq, (char *) file->name, 0)
           != NGX_OK)
    {
        ngx_olivine_save_file_failed(file, EINVAL, "naming files beside");
        return;
    }

    ngx_sprintf(path, "%s/%s%Z", file->dir, name);

    fd = open((char *) path, O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0644);

    if (fd == -1 || fsync(fd) == -1) {
        ngx_olivine_save_file_failed(file, errno, "making the increment of");

        if (fd != -1) {
            (void) close(fd);
        }

        return;
    }

    (void) close(fd);

    /*
     * Without a base there is nothing that it could go on from: it has none
     * yet, or the one that it had may be gone.
     */

    if (st->state == NGX_OLIVINE_AOF_ON && !st->distrust
        && ngx_olivine_manifest_store(&file->manifest, (char *) file->dir,
                                      (char *) file->name, &e)
           != NGX_OK)
    {
        ngx_olivine_save_file_failed(file, e.code ? e.code : EIO,
                                     "storing the manifest beside");
    }
}


static void
ngx_olivine_save_file_write(ngx_olivine_save_file_t *file)
{
    uint64_t  start;

    if (ngx_olivine_save_chunk_put(&file->chunks[file->cur ^ 1], &file->sum)
        != NGX_OK)
    {
        return;
    }

    if (file->size - file->synced > NGX_OLIVINE_SAVE_FILE_SYNC
        && file->zone->params.rdb_save_incremental_fsync)
    {
        file->synced = file->size;
        start = ngx_olivine_clock_counts();

        if (fdatasync(file->fd) == -1) {
            ngx_olivine_save_file_failed(file, errno, "fdatasync()");
        }

        ngx_olivine_waited_since(&file->waited, start);
    }
}


static void
ngx_olivine_save_file_finish(ngx_olivine_save_file_t *file)
{
    uint64_t                      start;
    ngx_olivine_manifest_error_t  e;

    ngx_olivine_save_file_write(file);

    if (file->err
        || (!file->commands
            && ngx_olivine_rdb_write_end(&file->sum) != NGX_OK))
    {
        return;
    }

    start = ngx_olivine_clock_counts();

    if (fsync(file->fd) == -1) {
        ngx_olivine_save_file_failed(file, errno, "fsync()");
        return;
    }

    ngx_olivine_waited_since(&file->waited, start);

    if (file->what == NGX_OLIVINE_SAVE_AOF) {
        ngx_olivine_save_file_finish_aof(file);
        return;
    }

    if (rename((char *) file->temp, (char *) file->path) == -1) {
        ngx_olivine_save_file_failed(file, errno, "rename()");
        return;
    }

    *strrchr((char *) file->path, '/') = '\0';

    if (ngx_olivine_manifest_sync_dir((char *) file->path, &e) != NGX_OK) {
        ngx_olivine_save_file_failed(file, e.code, "syncing the folder of");
    }
}


/* The manifest is what makes the base count. */

static void
ngx_olivine_save_file_finish_aof(ngx_olivine_save_file_t *file)
{
    char                          *dir, *name;
    char                           base[NGX_OLIVINE_MANIFEST_NAME];
    ngx_olivine_manifest_t        *m;
    ngx_olivine_manifest_error_t   e;

    m = &file->manifest;
    dir = (char *) file->dir;
    name = (char *) file->name;

    if (ngx_olivine_manifest_name(base, NGX_OLIVINE_MANIFEST_BASE, file->base,
                                  name, !file->commands)
        != NGX_OK
        || ngx_olivine_manifest_add(m, NGX_OLIVINE_MANIFEST_BASE, file->base,
                                    name, !file->commands)
           != NGX_OK)
    {
        ngx_olivine_save_file_failed(file, EINVAL, "naming files beside");
        return;
    }

    ngx_sprintf(file->path, "%s/%s%Z", dir, base);

    if (rename((char *) file->temp, (char *) file->path) == -1) {
        ngx_olivine_save_file_failed(file, errno, "rename()");
        return;
    }

    ngx_olivine_manifest_retire(m, file->seq);

    if (ngx_olivine_manifest_store(m, dir, name, &e) != NGX_OK) {
        ngx_olivine_save_file_failed(file, e.code ? e.code : EIO,
                                     "storing the manifest beside");
        return;
    }

    /* what cannot be deleted stays in the list for the next time */

    if (ngx_olivine_manifest_clean(m, dir, &e) != NGX_OK) {
        ngx_log_error(NGX_LOG_WARN, file->log, e.code, "olivine: %s", e.text);
    }

    (void) ngx_olivine_manifest_store(m, dir, name, &e);
}


static void
ngx_olivine_save_file_failed(ngx_olivine_save_file_t *file, int err,
    const char *step)
{
    if (file->err == 0) {
        file->err = err ? err : EIO;
        file->step = step;
    }
}


static void
ngx_olivine_save_file_clean(ngx_olivine_save_file_t *file)
{
    ngx_uint_t  i;

    if (file->fd != -1) {
        (void) close(file->fd);
        file->fd = -1;

        if (file->aborted) {
            (void) unlink((char *) file->temp);
        }
    }

    for (i = 0; i < 2; i++) {
        ngx_olivine_save_chunk_release(&file->chunks[i], file->tx);
        ngx_olivine_save_chunk_free(&file->chunks[i]);
    }

    ngx_olivine_manifest_free(&file->manifest);
    ngx_olivine_manifest_init(&file->manifest);
}


static ngx_int_t
ngx_olivine_save_file_put(ngx_olivine_rdb_out_t *out, u_char *data,
    size_t len, ngx_uint_t stays)
{
    ssize_t                   n;
    uint64_t                  start;
    ngx_olivine_save_file_t  *file;

    file = out->data;
    start = ngx_olivine_clock_counts();

    while (len) {
        n = write(file->fd, data, len);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        if (n <= 0) {
            ngx_olivine_save_file_failed(file, n == 0 ? ENOSPC : errno,
                                         "write()");
            return NGX_ERROR;
        }

        data += n;
        len -= n;
        file->size += n;
    }

    ngx_olivine_waited_since(&file->wrote, start);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_save_file_gather(ngx_olivine_rdb_out_t *out, u_char *data,
    size_t len, ngx_uint_t stays)
{
    ngx_olivine_save_file_t  *file;

    file = out->data;

    return ngx_olivine_save_chunk_add(&file->chunks[file->cur], data, len,
                                      stays);
}
