
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_load_file.h"
#include "log/ngx_olivine_aof_switch.h"
#include "log/ngx_olivine_save.h"


static ngx_int_t ngx_olivine_load_begin(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_empty(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_list(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_next(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_start(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_wait(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_done(ngx_olivine_load_t *load);
static ngx_int_t ngx_olivine_load_failed(ngx_olivine_load_t *load);


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


ngx_int_t
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

    return NGX_AGAIN;
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
