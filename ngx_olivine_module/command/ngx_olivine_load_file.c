
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_load_file.h"
#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_multi.h"
#include "base/ngx_olivine_clock.h"

#include <fcntl.h>
#include <sys/stat.h>


/* the most bytes that one item may take */
#define NGX_OLIVINE_LOAD_MOST     ((size_t) 3 * 1024 * 1024 * 1024)

/* nanoseconds of a slice, and items between looks at the clock */
#define NGX_OLIVINE_LOAD_SLICE    2000000
#define NGX_OLIVINE_LOAD_ITEMS    64


static ngx_int_t ngx_olivine_load_magic(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_item(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static void ngx_olivine_load_aof_begin(ngx_olivine_load_t *load, off_t at);
static ngx_int_t ngx_olivine_load_command(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_torn(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_more(ngx_olivine_load_t *load, size_t want);


ngx_int_t
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


ngx_int_t
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


ngx_int_t
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


void
ngx_olivine_load_close(ngx_olivine_load_t *load)
{
    if (load->fd != -1) {
        (void) close(load->fd);
        load->fd = -1;
    }
}
