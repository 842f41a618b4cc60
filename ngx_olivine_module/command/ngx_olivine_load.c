
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_load.h"
#include "command/ngx_olivine_cmd.h"
#include "base/ngx_olivine_clock.h"
#include "log/ngx_olivine_aof.h"
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
    NGX_OLIVINE_LOAD_OPEN,           /* the next file */
    NGX_OLIVINE_LOAD_RDB
} ngx_olivine_load_e;


struct ngx_olivine_load_s {
    ngx_olivine_cx_t           *cx;
    ngx_olivine_zone_t         *zone;
    ngx_log_t                  *log;
    ngx_olivine_load_e          state;

    int                         fd;
    u_char                      path[NGX_OLIVINE_AOF_PATH];
    off_t                       size;
    off_t                       read;        /* bytes that are in the window,
                                                or were */
    uint64_t                    before;      /* bytes of earlier files */
    unsigned                    eof:1;

    u_char                     *window;
    size_t                      room;
    u_char                     *pos;
    u_char                     *last;

    ngx_olivine_rdb_reader_t    rdb;
    ngx_olivine_rdb_item_t      item;

    ngx_olivine_caller_t        caller;
    ngx_olivine_reply_pool_t    pool;
    ngx_olivine_reply_t         reply;

    int64_t                     now;         /* the wall clock's */
};


static ngx_int_t ngx_olivine_load_begin(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_empty(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_open(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_rdb(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_item(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_load_more(ngx_olivine_load_t *load, size_t want);
static ngx_int_t ngx_olivine_load_done(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_failed(ngx_olivine_load_t *load);
static void ngx_olivine_load_close(ngx_olivine_load_t *load);
static size_t ngx_olivine_load_dump(ngx_olivine_zone_t *zone, u_char *path);


/* There is nothing to run before it is known whether there are files. */

void
ngx_olivine_load_plan(ngx_olivine_zone_t *zone)
{
    u_char  path[NGX_OLIVINE_AOF_PATH];

    (void) ngx_olivine_load_dump(zone, path);

    if (access((char *) path, F_OK) == 0) {
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

    return load;
}


void
ngx_olivine_load_destroy(ngx_olivine_load_t *load)
{
    ngx_olivine_load_close(load);
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
    ngx_int_t          rc;
    ngx_olivine_cx_t  *cx;

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

    switch (load->state) {

    case NGX_OLIVINE_LOAD_EMPTY:
        rc = ngx_olivine_load_empty(load);
        break;

    case NGX_OLIVINE_LOAD_OPEN:
        rc = ngx_olivine_load_open(load);
        break;

    default: /* NGX_OLIVINE_LOAD_RDB */
        rc = ngx_olivine_load_rdb(load);
    }

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
                  ? NGX_OLIVINE_LOAD_OPEN : NGX_OLIVINE_LOAD_EMPTY;

    if (load->state == NGX_OLIVINE_LOAD_EMPTY) {
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
        ngx_olivine_reply_free(&load->reply);
        load->state = NGX_OLIVINE_LOAD_OPEN;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_open(ngx_olivine_load_t *load)
{
    struct stat             fi;
    ngx_olivine_loading_t  *loading;

    loading = &load->zone->persist.loading;

    (void) ngx_olivine_load_dump(load->zone, load->path);

    load->fd = open((char *) load->path, O_RDONLY|O_CLOEXEC);

    if (load->fd == -1 && errno == ENOENT) {
        return ngx_olivine_load_done(load);
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

    loading->total = load->size;

    ngx_olivine_rdb_reader_init(&load->rdb,
                                load->zone->params.proto_max_bulk_len);

    load->rdb.no_checksum = !load->zone->params.rdbchecksum;
    load->rdb.pos = load->pos;
    load->rdb.last = load->last;

    load->state = NGX_OLIVINE_LOAD_RDB;

    ngx_log_error(NGX_LOG_NOTICE, load->log, 0, "olivine: loading \"%s\", "
                  "%O bytes", load->path, load->size);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_load_rdb(ngx_olivine_load_t *load)
{
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
            ngx_olivine_rdb_reader_free(rdb);
            return ngx_olivine_load_done(load);
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

    if (item->expire && item->expire <= load->now) {
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

    persist->save.saved_changes = 0;
    persist->loading.state = NGX_OLIVINE_LOADING_NOT;

    (void) __atomic_fetch_and(&persist->refuse,
                              ~(uint32_t) NGX_OLIVINE_REFUSE_LOADING,
                              __ATOMIC_ACQ_REL);

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


/* The snapshot's path; its length. */

static size_t
ngx_olivine_load_dump(ngx_olivine_zone_t *zone, u_char *path)
{
    u_char  *p;

    p = ngx_sprintf(path, "%*s/%*s%Z", zone->params.dir.len,
                    zone->params.dir.data, zone->params.dbfilename.len,
                    zone->params.dbfilename.data);

    return p - path - 1;
}
