
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_load.h"
#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_multi.h"
#include "base/ngx_olivine_clock.h"
#include "log/ngx_olivine_aof_read.h"
#include "log/ngx_olivine_aof_switch.h"
#include "log/ngx_olivine_manifest.h"
#include "log/ngx_olivine_save.h"
#include "rdb/ngx_olivine_rdb_read.h"

#include <fcntl.h>
#include <sys/stat.h>


/* bytes that are read at once, and the most that one item may take */
#define NGX_OLIVINE_LOAD_WINDOW   (1024 * 1024)
#define NGX_OLIVINE_LOAD_MOST     ((size_t) 3 * 1024 * 1024 * 1024)

/* nanoseconds of a slice, and items between looks at the clock */
#define NGX_OLIVINE_LOAD_SLICE    2000000
#define NGX_OLIVINE_LOAD_ITEMS    64

/* all keys are there at this time, milliseconds */
#define NGX_OLIVINE_LOAD_NOW      1


typedef enum {
    NGX_OLIVINE_LOAD_IDLE = 0,
    NGX_OLIVINE_LOAD_EMPTY,          /* what an earlier loader left */
    NGX_OLIVINE_LOAD_LIST,           /* the files are looked up */
    NGX_OLIVINE_LOAD_OPEN,           /* the next file */
    NGX_OLIVINE_LOAD_RDB,
    NGX_OLIVINE_LOAD_AOF,
    NGX_OLIVINE_LOAD_START,          /* the append-only file goes on */
    NGX_OLIVINE_LOAD_WAIT            /* ... once it has its first base */
} ngx_olivine_load_e;


struct ngx_olivine_load_s {
    ngx_olivine_cx_t           *cx;
    ngx_olivine_zone_t         *zone;
    ngx_log_t                  *log;
    ngx_olivine_load_e          state;

    /* the files of an append-only directory; none: the snapshot */
    u_char                      dir[NGX_OLIVINE_AOF_PATH];
    u_char                      name[NGX_OLIVINE_NAME_MAX + 8];
    ngx_olivine_manifest_t      manifest;
    ngx_uint_t                  nfile;
    ngx_olivine_manifest_file_t *file;       /* NULL: the snapshot */

    int                         fd;
    u_char                      path[NGX_OLIVINE_AOF_PATH
                                     + NGX_OLIVINE_MANIFEST_NAME];
    off_t                       size;
    off_t                       read;        /* bytes that are in the window,
                                                or were */
    uint64_t                    before;      /* bytes of earlier files */
    unsigned                    eof:1;
    unsigned                    pending:1;   /* a command is to be run again */

    u_char                     *window;
    size_t                      room;
    u_char                     *pos;
    u_char                     *last;

    ngx_olivine_rdb_reader_t    rdb;
    ngx_olivine_rdb_item_t      item;
    ngx_olivine_aof_reader_t    aof;

    /* of the append-only file, as it was found */
    uint64_t                    base_size;
    uint64_t                    older_size;
    uint64_t                    last_size;
    int64_t                     last_seq;    /* 0: there is no increment */

    ngx_olivine_caller_t        caller;
    ngx_olivine_reply_pool_t    pool;
    ngx_olivine_reply_t         reply;
    ngx_olivine_reply_mark_t    mark;

    int64_t                     now;         /* the wall clock's */
};


static ngx_int_t ngx_olivine_load_begin(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_empty(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_list(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_next(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_open(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_magic(ngx_olivine_load_t *load);
static void ngx_olivine_load_aof_begin(ngx_olivine_load_t *load, off_t at);
static ngx_int_t ngx_olivine_load_aof(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_command(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_torn(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_file_done(ngx_olivine_load_t *load,
    off_t size);
static ngx_int_t ngx_olivine_load_start(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_wait(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_rdb(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_item(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_load_more(ngx_olivine_load_t *load, size_t want);
static ngx_int_t ngx_olivine_load_done(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_failed(ngx_olivine_load_t *load);
static void ngx_olivine_load_close(ngx_olivine_load_t *load);


/* There is nothing to run before it is known whether there are files. */

void
ngx_olivine_load_plan(ngx_olivine_zone_t *zone)
{
    u_char  path[NGX_OLIVINE_AOF_PATH];

    (void) ngx_olivine_save_path(zone, path);

    /* with an append-only file nothing is acknowledged before it is there */

    if (zone->params.appendonly || access((char *) path, F_OK) == 0) {
        zone->persist.loading.state = NGX_OLIVINE_LOADING_DUE;
        zone->persist.loading.since = ngx_olivine_now();
        zone->persist.refuse |= NGX_OLIVINE_REFUSE_LOADING;
    }
}


ngx_olivine_load_t *
ngx_olivine_load_create(ngx_olivine_cx_t *cx, ngx_log_t *log)
{
    ngx_olivine_load_t  *load;

    load = ngx_calloc(sizeof(ngx_olivine_load_t), log);
    if (load == NULL) {
        return NULL;
    }

    load->window = ngx_alloc(NGX_OLIVINE_LOAD_WINDOW, log);
    if (load->window == NULL) {
        ngx_free(load);
        return NULL;
    }

    load->cx = cx;
    load->zone = cx->zone;
    load->log = log;
    load->fd = -1;
    load->room = NGX_OLIVINE_LOAD_WINDOW;
    load->pos = load->window;
    load->last = load->window;

    load->caller.row = ngx_calloc(sizeof(ngx_olivine_bus_row_t), log);
    load->caller.authenticated = 1;
    load->caller.local = 1;

    if (load->caller.row == NULL) {
        ngx_free(load->window);
        ngx_free(load);
        return NULL;
    }

    ngx_olivine_bus_none(load->caller.row);
    ngx_olivine_reply_init(&load->reply, &load->pool, NULL, NULL);
    ngx_olivine_reply_mark(&load->reply, &load->mark);

    return load;
}


void
ngx_olivine_load_destroy(ngx_olivine_load_t *load)
{
    ngx_olivine_load_close(load);
    ngx_olivine_manifest_free(&load->manifest);
    ngx_olivine_lease_give(load->cx->tx, &load->zone->persist.loading.lease);

    ngx_olivine_reply_free(&load->reply);
    ngx_olivine_reply_pool_free(&load->pool);

    ngx_free(load->caller.row);
    ngx_free(load->window);
    ngx_free(load);
}


ngx_int_t
ngx_olivine_load_step(ngx_olivine_load_t *load, int64_t now)
{
    ngx_int_t                     rc;
    ngx_olivine_cx_t             *cx;
    const ngx_olivine_renames_t  *renames;

    if (load->state == NGX_OLIVINE_LOAD_IDLE) {
        rc = ngx_olivine_load_begin(load);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    load->now = now;

    cx = load->cx;
    cx->caller = &load->caller;
    cx->reply = &load->reply;
    cx->now = NGX_OLIVINE_LOAD_NOW;
    cx->clock = ngx_olivine_store_clock(now);
    cx->loading = 1;
    cx->command = NULL;
    cx->argc = 0;
    cx->error = NULL;
    cx->park = NGX_OLIVINE_PARK_NONE;

    renames = cx->renames;
    cx->renames = NULL;

    switch (load->state) {

    case NGX_OLIVINE_LOAD_EMPTY:
        rc = ngx_olivine_load_empty(load);
        break;

    case NGX_OLIVINE_LOAD_LIST:
        rc = ngx_olivine_load_list(load);
        break;

    case NGX_OLIVINE_LOAD_OPEN:
        rc = ngx_olivine_load_open(load);
        break;

    case NGX_OLIVINE_LOAD_RDB:
        rc = ngx_olivine_load_rdb(load);
        break;

    case NGX_OLIVINE_LOAD_AOF:
        rc = ngx_olivine_load_aof(load);
        break;

    case NGX_OLIVINE_LOAD_START:
        rc = ngx_olivine_load_start(load);
        break;

    default: /* NGX_OLIVINE_LOAD_WAIT */
        rc = ngx_olivine_load_wait(load);
    }

    cx->renames = renames;
    cx->loading = 0;

    if (rc == NGX_ERROR) {
        return ngx_olivine_load_failed(load);
    }

    return rc;
}


/* The first one to come takes it. */

static ngx_int_t
ngx_olivine_load_begin(ngx_olivine_load_t *load)
{
    ngx_olivine_loading_t  *loading;

    loading = &load->zone->persist.loading;

    if (loading->state == NGX_OLIVINE_LOADING_NOT
        || loading->state == NGX_OLIVINE_LOADING_FAILED
        || ngx_olivine_lease_take(load->cx->tx, &loading->lease) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    /* it may have been done while we looked */

    if (loading->state == NGX_OLIVINE_LOADING_NOT
        || loading->state == NGX_OLIVINE_LOADING_FAILED)
    {
        ngx_olivine_lease_give(load->cx->tx, &loading->lease);
        return NGX_DECLINED;
    }

    load->state = loading->state == NGX_OLIVINE_LOADING_DUE
                  ? NGX_OLIVINE_LOAD_LIST : NGX_OLIVINE_LOAD_EMPTY;

    if (load->state == NGX_OLIVINE_LOAD_EMPTY
        && loading->what == NGX_OLIVINE_LOADS_ALL)
    {
        ngx_log_error(NGX_LOG_NOTICE, load->log, 0,
                      "olivine: a worker died while it loaded, it is begun "
                      "again");
    }

    loading->keys = 0;
    loading->expired = 0;
    loading->done = 0;
    loading->total = 0;
    loading->since = ngx_olivine_now();

    ngx_olivine_barrier();

    loading->state = NGX_OLIVINE_LOADING_NOW;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_empty(ngx_olivine_load_t *load)
{
    ngx_int_t          rc;
    ngx_olivine_arg_t  argv[1];
    ngx_olivine_cx_t  *cx;

    cx = load->cx;

    argv[0].data = (u_char *) "flushall";
    argv[0].len = sizeof("flushall") - 1;
    argv[0].run = NULL;

    cx->argv = argv;
    cx->argc = 1;
    cx->hashed = 0;

    rc = ngx_olivine_command_run(cx);

    if (rc == NGX_OK) {
        ngx_olivine_reply_rewind(&load->reply, &load->mark);
        load->state = NGX_OLIVINE_LOAD_LIST;
    }

    return NGX_OK;
}


/* An append-only file, if there is one, counts more than a snapshot. */

static ngx_int_t
ngx_olivine_load_list(ngx_olivine_load_t *load)
{
    u_char                         folder[NGX_OLIVINE_DIR_MAX + 1];
    uint32_t                       what;
    ngx_int_t                      rc;
    ngx_olivine_params_t          *params;
    ngx_olivine_manifest_error_t   e;

    params = &load->zone->params;
    what = load->zone->persist.loading.what;

    load->nfile = 0;
    load->last_seq = 0;
    load->before = 0;

    ngx_sprintf(folder, "%*s%Z", params->dir.len, params->dir.data);
    ngx_olivine_aof_folder(load->zone, load->dir, load->name);

    ngx_olivine_manifest_free(&load->manifest);
    ngx_olivine_manifest_init(&load->manifest);

    if (what == NGX_OLIVINE_LOADS_RDB
        || (what == NGX_OLIVINE_LOADS_ALL && !params->appendonly))
    {
        return ngx_olivine_load_next(load);
    }

    rc = ngx_olivine_manifest_load(&load->manifest, (char *) load->dir,
                                   (char *) load->name, &e);

    if (rc == NGX_OK || rc == NGX_DECLINED) {
        rc = ngx_olivine_manifest_upgrade(&load->manifest, (char *) folder,
                                          (char *) load->dir,
                                          (char *) load->name, &e);

        if (rc == NGX_OK) {
            ngx_log_error(NGX_LOG_NOTICE, load->log, 0,
                          "olivine: the append-only file \"%s/%s\" was moved "
                          "to \"%s\", and is the base of others there",
                          folder, load->name, load->dir);
        }
    }

    if (rc != NGX_OK && rc != NGX_DECLINED) {
        ngx_log_error(NGX_LOG_EMERG, load->log, e.code,
                      "olivine: the append-only file in \"%s\" cannot be "
                      "loaded: %s", load->dir, e.text);
        return NGX_ERROR;
    }

    return ngx_olivine_load_next(load);
}


/* The file after the one that was loaded, the first one is number 0. */

static ngx_int_t
ngx_olivine_load_next(ngx_olivine_load_t *load)
{
    ngx_olivine_manifest_file_t  *file;

    if (load->manifest.nfiles == 0) {

        if (load->nfile) {
            load->state = NGX_OLIVINE_LOAD_START;
            return NGX_OK;
        }

        load->file = NULL;
        (void) ngx_olivine_save_path(load->zone, load->path);

    } else {

        if (load->nfile == 0) {
            file = ngx_olivine_manifest_base(&load->manifest);

            if (file == NULL) {
                file = ngx_olivine_manifest_incr(&load->manifest, NULL);
            }

        } else {
            file = ngx_olivine_manifest_incr(&load->manifest,
                         load->file->type == NGX_OLIVINE_MANIFEST_BASE
                         ? NULL : load->file);
        }

        if (file == NULL) {
            load->state = NGX_OLIVINE_LOAD_START;
            return NGX_OK;
        }

        load->file = file;
        ngx_sprintf(load->path, "%s/%s%Z", load->dir, file->name);
    }

    load->nfile++;
    load->state = NGX_OLIVINE_LOAD_OPEN;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_open(ngx_olivine_load_t *load)
{
    struct stat             fi;
    ngx_olivine_loading_t  *loading;

    loading = &load->zone->persist.loading;

    load->fd = open((char *) load->path, O_RDONLY|O_CLOEXEC);

    if (load->fd == -1 && errno == ENOENT && load->file == NULL) {
        load->state = NGX_OLIVINE_LOAD_START;
        return NGX_OK;
    }

    if (load->fd == -1 || fstat(load->fd, &fi) == -1) {
        ngx_log_error(NGX_LOG_EMERG, load->log, errno,
                      "olivine: \"%s\" cannot be opened", load->path);
        return NGX_ERROR;
    }

    load->size = fi.st_size;
    load->read = 0;
    load->eof = 0;
    load->pos = load->window;
    load->last = load->window;

    loading->total = load->before + load->size;

    ngx_log_error(NGX_LOG_NOTICE, load->log, 0, "olivine: loading \"%s\", "
                  "%O bytes", load->path, load->size);

    return ngx_olivine_load_magic(load);
}


/* An append-only file may begin with a snapshot, or be one. */

static ngx_int_t
ngx_olivine_load_magic(ngx_olivine_load_t *load)
{
    ngx_int_t                  rc;
    ngx_olivine_rdb_reader_t  *rdb;

    rc = NGX_OK;

    while (load->file) {
        rc = ngx_olivine_rdb_read_magic(load->pos, load->last);

        if (rc != NGX_AGAIN || load->eof) {
            break;
        }

        if (ngx_olivine_load_more(load, load->last - load->pos + 1) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (rc != NGX_OK) {
        ngx_olivine_load_aof_begin(load, 0);
        return NGX_OK;
    }

    rdb = &load->rdb;

    ngx_olivine_rdb_reader_init(rdb, load->zone->params.proto_max_bulk_len);

    rdb->no_checksum = !load->zone->params.rdbchecksum;
    rdb->pos = load->pos;
    rdb->last = load->last;

    load->state = NGX_OLIVINE_LOAD_RDB;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_rdb(ngx_olivine_load_t *load)
{
    off_t                      at;
    uint64_t                   start;
    ngx_int_t                  rc;
    ngx_uint_t                 n;
    ngx_olivine_rdb_reader_t  *rdb;

    rdb = &load->rdb;
    start = ngx_olivine_clock_counts();

    for (n = 1; /* void */ ; n++) {

        if (n % NGX_OLIVINE_LOAD_ITEMS == 0
            && ngx_olivine_clock_since(start) > NGX_OLIVINE_LOAD_SLICE)
        {
            break;
        }

        rdb->last = load->last;
        rdb->eof = load->eof;

        rc = ngx_olivine_rdb_read(rdb, &load->item);

        load->pos = rdb->pos;

        if (rc == NGX_AGAIN) {
            rc = ngx_olivine_load_more(load, rdb->want);

            rdb->pos = load->pos;

            if (rc != NGX_OK) {
                return rc;
            }

            break;
        }

        if (rc != NGX_OK) {
            ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                          "olivine: \"%s\" cannot be loaded: at offset %O: "
                          "%V", load->path, rdb->offset, &rdb->error);
            return NGX_ERROR;
        }

        if (load->item.type == NGX_OLIVINE_RDB_ITEM_END) {
            at = ngx_olivine_rdb_read_offset(rdb);
            ngx_olivine_rdb_reader_free(rdb);

            if (load->file == NULL || at == load->size) {
                return ngx_olivine_load_file_done(load, load->size);
            }

            ngx_olivine_load_aof_begin(load, at);
            break;
        }

        rc = ngx_olivine_load_item(load);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    load->zone->persist.loading.done = load->before + load->read;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_item(ngx_olivine_load_t *load)
{
    uint64_t                 hash;
    ngx_int_t                rc;
    ngx_olivine_loading_t   *loading;
    ngx_olivine_rdb_item_t  *item;

    item = &load->item;
    loading = &load->zone->persist.loading;

    if (item->type == NGX_OLIVINE_RDB_ITEM_FUNCTION) {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: \"%s\" cannot be loaded: it has functions, "
                      "which this version does not know", load->path);
        return NGX_ERROR;
    }

    if (item->type != NGX_OLIVINE_RDB_ITEM_KEY) {
        return NGX_OK;
    }

    if (item->db >= (ngx_uint_t) load->zone->params.databases) {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: \"%s\" cannot be loaded: it has a database "
                      "number %ui, \"databases\" says there are %L",
                      load->path, item->db, load->zone->params.databases);
        return NGX_ERROR;
    }

    if (item->expire && item->expire <= load->now && load->file == NULL) {
        loading->expired++;
        return NGX_OK;
    }

    hash = ngx_olivine_store_hash(load->zone, &item->key);

    do {
        load->cx->park = NGX_OLIVINE_PARK_NONE;

        rc = ngx_olivine_cx_in_shard(load->cx,
                                     ngx_olivine_store_number(load->zone,
                                                              hash),
                                     ngx_olivine_load_part, load);
    } while (rc == NGX_AGAIN);

    if (rc != NGX_OK) {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: \"%s\" cannot be loaded: there is not enough "
                      "memory for all keys, %uL are there", load->path,
                      loading->keys);
        return NGX_ERROR;
    }

    loading->keys++;

    return NGX_OK;
}


static void
ngx_olivine_load_aof_begin(ngx_olivine_load_t *load, off_t at)
{
    ngx_olivine_aof_reader_init(&load->aof, at,
                                load->zone->params.proto_max_bulk_len);

    load->aof.pos = load->pos;
    load->aof.last = load->last;
    load->pending = 0;
    load->caller.db = 0;

    load->state = NGX_OLIVINE_LOAD_AOF;
}


static ngx_int_t
ngx_olivine_load_aof(ngx_olivine_load_t *load)
{
    uint64_t                   start;
    ngx_int_t                  rc;
    ngx_uint_t                 n;
    ngx_olivine_aof_reader_t  *aof;

    aof = &load->aof;
    start = ngx_olivine_clock_counts();

    for (n = 1; /* void */ ; n++) {

        if (n % NGX_OLIVINE_LOAD_ITEMS == 0
            && ngx_olivine_clock_since(start) > NGX_OLIVINE_LOAD_SLICE)
        {
            break;
        }

        rc = NGX_OK;

        if (!load->pending) {
            aof->last = load->last;
            aof->eof = load->eof;

            rc = ngx_olivine_aof_read(aof);

            load->pos = aof->pos;
        }

        switch (rc) {

        case NGX_OK:
            rc = ngx_olivine_load_command(load);

            if (rc != NGX_OK) {
                return rc == NGX_AGAIN ? NGX_OK : rc;
            }

            continue;

        case NGX_AGAIN:
            rc = ngx_olivine_load_more(load, aof->want);

            if (rc != NGX_OK) {
                return rc;
            }

            aof->pos = load->pos;
            break;

        case NGX_DONE:
            return ngx_olivine_load_file_done(load, load->size);

        case NGX_DECLINED:
            return ngx_olivine_load_torn(load);

        default:
            ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                          "olivine: \"%s\" cannot be loaded: at offset %O: "
                          "%V; \"olivine --check-aof --fix\" can cut it there",
                          load->path, aof->error_offset, &aof->error);
            return NGX_ERROR;
        }

        break;
    }

    load->zone->persist.loading.done = load->before + load->read;

    return NGX_OK;
}


/* OK; AGAIN: the same is to be run again; ERROR. */

static ngx_int_t
ngx_olivine_load_command(ngx_olivine_load_t *load)
{
    ngx_int_t                  rc;
    ngx_str_t                  name;
    ngx_olivine_cx_t          *cx;
    ngx_olivine_aof_reader_t  *aof;

    cx = load->cx;
    aof = &load->aof;

    if (aof->args.nelts == 0) {
        return NGX_OK;
    }

    cx->argv = aof->args.elts;
    cx->argc = aof->args.nelts;
    cx->hashed = 0;
    cx->pins = 0;

    name.data = cx->argv[0].data;
    name.len = ngx_min(cx->argv[0].len, 64);

    cx->command = ngx_olivine_command_find(cx->argv[0].data,
                                           cx->argv[0].len);

    if (cx->command == NULL) {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: \"%s\" cannot be loaded: at offset %O: there "
                      "is no command \"%V\" in this version", load->path,
                      aof->offset, &name);
        return NGX_ERROR;
    }

    cx->starved = 0;

    rc = ngx_olivine_command_run(cx);

    load->pending = (rc == NGX_AGAIN);

    ngx_olivine_reply_rewind(&load->reply, &load->mark);

    if (rc == NGX_OK && cx->starved) {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: \"%s\" cannot be loaded: at offset %O: there "
                      "is no memory for \"%V\"", load->path, aof->offset,
                      &name);
        return NGX_ERROR;
    }

    if (rc == NGX_OK) {
        load->zone->persist.loading.keys++;
    }

    return rc;
}


/* The end of the last file may have been under way when the server ended. */

static ngx_int_t
ngx_olivine_load_torn(ngx_olivine_load_t *load)
{
    ngx_olivine_aof_reader_t  *aof;

    aof = &load->aof;

    if (ngx_olivine_manifest_incr(&load->manifest,
                                  load->file->type
                                  == NGX_OLIVINE_MANIFEST_BASE
                                  ? NULL : load->file)
        || !load->zone->params.aof_load_truncated)
    {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: \"%s\" cannot be loaded: at offset %O: %V; "
                      "\"olivine --check-aof --fix\" can cut it at offset %O"
                      "%s", load->path, aof->error_offset, &aof->error,
                      aof->valid,
                      load->zone->params.aof_load_truncated
                      ? "" : ", or \"aof-load-truncated yes\"");
        return NGX_ERROR;
    }

    if (load->caller.multi) {
        ngx_olivine_multi_end(load->cx, &load->caller);
    }

    if (truncate((char *) load->path, aof->valid) == -1) {
        ngx_log_error(NGX_LOG_EMERG, load->log, errno,
                      "olivine: \"%s\" cannot be cut at offset %O",
                      load->path, aof->valid);
        return NGX_ERROR;
    }

    ngx_log_error(NGX_LOG_WARN, load->log, 0,
                  "olivine: \"%s\" is torn: at offset %O: %V; it was cut at "
                  "offset %O, %O bytes are lost", load->path,
                  aof->error_offset, &aof->error, aof->valid,
                  load->size - aof->valid);

    return ngx_olivine_load_file_done(load, aof->valid);
}


static ngx_int_t
ngx_olivine_load_file_done(ngx_olivine_load_t *load, off_t size)
{
    if (load->state == NGX_OLIVINE_LOAD_AOF) {
        ngx_olivine_aof_reader_free(&load->aof);
    }

    ngx_olivine_load_close(load);

    load->before += load->size;

    if (load->file == NULL) {
        load->state = NGX_OLIVINE_LOAD_START;
        return NGX_OK;
    }

    if (load->file->type == NGX_OLIVINE_MANIFEST_BASE) {
        load->base_size = size;

    } else {
        load->older_size += load->last_size;
        load->last_size = size;
        load->last_seq = load->file->seq;
    }

    return ngx_olivine_load_next(load);
}


/* All is there: the append-only file goes on where it ended, or is begun. */

static ngx_int_t
ngx_olivine_load_start(ngx_olivine_load_t *load)
{
    ngx_int_t                  rc;
    ngx_olivine_aof_found_t    found;
    ngx_olivine_save_state_t  *save;

    /* that it goes on already: it was loaded again while the server runs */

    if (!load->zone->params.appendonly
        || load->zone->persist.aof.state == NGX_OLIVINE_AOF_ON)
    {
        return ngx_olivine_load_done(load);
    }

    if (load->last_seq == 0) {

        save = &load->zone->persist.save;
        save->rewrite_status = 0;
        (void) __atomic_fetch_or(&save->wanted, NGX_OLIVINE_SAVE_AOF,
                                 __ATOMIC_ACQ_REL);

        load->state = NGX_OLIVINE_LOAD_WAIT;
        return NGX_OK;
    }

    found.dir = load->dir;
    found.name = load->name;
    found.seq = load->last_seq;
    found.pos = load->last_size;
    found.base_size = load->base_size;
    found.older_size = load->older_size;

    rc = ngx_olivine_aof_resume(load->cx->tx, &found);

    if (rc == NGX_AGAIN) {
        return NGX_OK;
    }

    if (rc != NGX_OK) {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: there is no memory for the log");
        return NGX_ERROR;
    }

    return ngx_olivine_load_done(load);
}


static ngx_int_t
ngx_olivine_load_wait(ngx_olivine_load_t *load)
{
    ngx_olivine_persist_t  *persist;

    persist = &load->zone->persist;

    if (persist->aof.state == NGX_OLIVINE_AOF_ON) {
        return ngx_olivine_load_done(load);
    }

    if (persist->save.rewrite_status) {
        ngx_log_error(NGX_LOG_EMERG, load->log, persist->save.rewrite_status,
                      "olivine: the append-only file cannot be begun in "
                      "\"%s\"", load->dir);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_load_t *load = data;

    uint32_t                 clock;
    ngx_olivine_ref_t        ref;
    ngx_olivine_rdb_item_t  *item;

    item = &load->item;
    clock = cx->clock;

    if (item->idle > 0) {
        clock = (clock - item->idle) & NGX_OLIVINE_ENTRY_CLOCK;
    }

    ngx_olivine_store_find_locked(cx->tx, item->db, &item->key,
                                  ngx_olivine_store_hash(cx->zone, &item->key),
                                  NGX_OLIVINE_LOAD_NOW, &ref);

    return ngx_olivine_store_set_locked(cx->tx, &ref, &item->value,
                                        item->expire, clock);
}


/* Reads on, so that at least so many bytes are there from load->pos on. */

static ngx_int_t
ngx_olivine_load_more(ngx_olivine_load_t *load, size_t want)
{
    u_char   *p;
    size_t    have, room;
    ssize_t   n;

    have = load->last - load->pos;

    if (load->pos != load->window) {
        ngx_memmove(load->window, load->pos, have);
    }

    room = load->room;

    if (want > NGX_OLIVINE_LOAD_MOST) {
        ngx_log_error(NGX_LOG_EMERG, load->log, 0,
                      "olivine: \"%s\" cannot be loaded: something in it "
                      "has %uz bytes", load->path, want);
        return NGX_ERROR;
    }

    while (room < want || room == have) {
        room *= 2;
    }

    if (room != load->room) {
        p = realloc(load->window, room);

        if (p == NULL) {
            ngx_log_error(NGX_LOG_EMERG, load->log, errno,
                          "olivine: \"%s\" cannot be loaded: no memory for "
                          "%uz bytes", load->path, room);
            return NGX_ERROR;
        }

        load->window = p;
        load->room = room;
    }

    load->pos = load->window;
    load->last = load->pos + have;

    do {
        n = read(load->fd, load->last, load->room - have);
    } while (n == -1 && errno == EINTR);

    if (n == -1) {
        ngx_log_error(NGX_LOG_EMERG, load->log, errno,
                      "olivine: \"%s\" cannot be read", load->path);
        return NGX_ERROR;
    }

    load->last += n;
    load->read += n;
    load->eof = (n == 0);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_done(ngx_olivine_load_t *load)
{
    ngx_olivine_persist_t  *persist;

    persist = &load->zone->persist;

    ngx_olivine_load_close(load);

    ngx_log_error(NGX_LOG_NOTICE, load->log, 0,
                  "olivine: loaded %uL keys in %L ms, %uL were past their "
                  "time", persist->loading.keys,
                  ngx_olivine_now() - persist->loading.since,
                  persist->loading.expired);

    persist->loading.what = NGX_OLIVINE_LOADS_ALL;
    persist->loading.state = NGX_OLIVINE_LOADING_NOT;

    ngx_olivine_persist_allow(persist, NGX_OLIVINE_REFUSE_LOADING);

    load->state = NGX_OLIVINE_LOAD_IDLE;

    ngx_olivine_slot_ring_all(load->zone, NGX_OLIVINE_HINT_LOOK);

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_load_failed(ngx_olivine_load_t *load)
{
    ngx_olivine_load_close(load);
    ngx_olivine_rdb_reader_free(&load->rdb);

    load->zone->persist.loading.state = NGX_OLIVINE_LOADING_FAILED;
    load->state = NGX_OLIVINE_LOAD_IDLE;

    return NGX_ERROR;
}


static void
ngx_olivine_load_close(ngx_olivine_load_t *load)
{
    if (load->fd != -1) {
        (void) close(load->fd);
        load->fd = -1;
    }
}
