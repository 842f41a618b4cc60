
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_holder.h"
#include "module/ngx_olivine_mount.h"
#include "module/ngx_olivine_ready.h"

#include <sys/file.h>


/* the gate may be up for a while; then the old parameters stay */
#define NGX_OLIVINE_MOUNT_TRIES  1000

/* attempts to lock the folder of files, 50 ms apart */
#define NGX_OLIVINE_MOUNT_LOCKS  20


static void ngx_olivine_mount_files(ngx_olivine_tx_t *tx, ngx_log_t *log);
static ngx_int_t ngx_olivine_mount_lock(ngx_olivine_conf_zone_t *oz,
    ngx_olivine_mount_t *mount, ngx_log_t *log);
static void ngx_olivine_mount_drop(ngx_cycle_t *cycle,
    ngx_olivine_main_conf_t *omcf);
static ngx_int_t ngx_olivine_mount_open(ngx_olivine_conf_zone_t *oz,
    ngx_olivine_zone_conf_t *conf, ngx_log_t *log);
static void ngx_olivine_mount_conf(ngx_olivine_conf_zone_t *oz,
    ngx_olivine_zone_conf_t *conf);
static ngx_int_t ngx_olivine_mount_fixed(ngx_olivine_conf_zone_t *oz,
    ngx_olivine_zone_t *zone, ngx_log_t *log);
static ngx_uint_t ngx_olivine_mount_differ(ngx_olivine_conf_zone_t *oz);
static void ngx_olivine_mount_params(ngx_olivine_conf_zone_t *oz,
    ngx_log_t *log);
static ngx_int_t ngx_olivine_mount_set(ngx_olivine_tx_t *tx,
    ngx_olivine_conf_zone_t *oz);


ngx_int_t
ngx_olivine_mount_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_olivine_conf_zone_t *old = data;

    ngx_log_t                *log;
    ngx_str_t                 err;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_zone_conf_t   conf;
    ngx_olivine_conf_zone_t  *oz;

    log = shm_zone->shm.log;
    oz = shm_zone->data;

    if (ngx_olivine_conf_check_dir(oz, log) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_test_config) {
        return NGX_OK;
    }

    ngx_olivine_mount_conf(oz, &conf);

    if (oz == *(ngx_olivine_conf_zone_t **)
                   ngx_olivine_conf_main(oz->owner)->zones.elts)
    {
        /* once a cycle, before nginx tries to bind */

        ngx_olivine_holder_log(oz->owner, log);
    }

    if (old == NULL) {
        return ngx_olivine_mount_open(oz, &conf, log);
    }

    zone = old->mount->zone;

    if (ngx_olivine_mount_fixed(oz, zone, log) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_olivine_zone_check(&conf, zone, &err) != NGX_OK) {
        ngx_log_error(NGX_LOG_EMERG, log, 0, "olivine_zone \"%V\": %V",
                      &oz->name, &err);
        return NGX_ERROR;
    }

    oz->mount = old->mount;
    oz->mount->refs++;

    return NGX_OK;
}


void
ngx_olivine_mount_release(void *data)
{
    ngx_olivine_conf_zone_t *oz = data;

    ngx_olivine_mount_t  *mount;

    mount = oz->mount;

    if (mount == NULL) {
        return;
    }

    oz->mount = NULL;

    if (--mount->refs) {
        return;
    }

    ngx_olivine_zone_destroy(mount->zone, mount->fd);

    if (mount->dir != -1) {
        (void) close(mount->dir);
    }

    ngx_free(mount);
}


ngx_int_t
ngx_olivine_mount_commit(ngx_cycle_t *cycle)
{
    ngx_uint_t                 i;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_conf_zone_t   *oz, **ozp;
    ngx_olivine_main_conf_t   *omcf;

    omcf = ngx_olivine_conf_main(cycle);

    if (ngx_test_config) {
        return NGX_OK;
    }

    if (ngx_inherited && ngx_is_init_cycle(cycle->old_cycle)) {
        ngx_olivine_mount_drop(cycle, omcf);
    }

    if (omcf == NULL || omcf->zones.nelts == 0) {
        return NGX_OK;
    }

    if (!ngx_inherited) {

        /* nginx takes USR2 in the foreground for a second upgrade */

        ngx_parent = 0;
    }

    ozp = omcf->zones.elts;

    for (i = 0; i < omcf->zones.nelts; i++) {
        oz = ozp[i];
        zone = oz->mount->zone;

        if (zone->limit != oz->limit) {
            ngx_olivine_zone_resize(zone, oz->limit);
        }

        if (ngx_olivine_mount_differ(oz)) {
            ngx_olivine_mount_params(oz, cycle->log);
        }

        zone->announced = ngx_olivine_now();
        oz->cycle = __atomic_add_fetch(&zone->cycle, 1, __ATOMIC_ACQ_REL);

        ngx_olivine_ready_names(oz, cycle->log);
        ngx_olivine_ready_listening(oz, cycle);
    }

    ngx_olivine_ready_notify(cycle);

    return NGX_OK;
}


/* Zones of the old binary that this configuration does not have. */

static void
ngx_olivine_mount_drop(ngx_cycle_t *cycle, ngx_olivine_main_conf_t *omcf)
{
    int                       *list;
    ngx_uint_t                 i, n;
    ngx_olivine_conf_zone_t  **oz;

    n = omcf ? omcf->zones.nelts : 0;

    list = ngx_palloc(cycle->pool, (n + 1) * sizeof(int));
    if (list == NULL) {
        return;
    }

    for (i = 0; i < n; i++) {
        oz = omcf->zones.elts;
        list[i] = oz[i]->mount->fd;
    }

    ngx_olivine_zone_drop(list, n);
}


void
ngx_olivine_mount_end(ngx_cycle_t *cycle)
{
    ngx_uint_t                 i, failed;
    ngx_olivine_tx_t           tx;
    ngx_olivine_mount_t       *mount;
    ngx_olivine_conf_zone_t  **oz;
    ngx_olivine_main_conf_t   *omcf;

    omcf = ngx_olivine_conf_main(cycle);

    if (omcf == NULL) {
        return;
    }

    oz = omcf->zones.elts;
    failed = 0;

    for (i = 0; i < omcf->zones.nelts; i++) {
        mount = oz[i]->mount;

        if (ngx_olivine_slot_claim(&tx, mount->zone, mount->fd, oz[i]->cycle)
            != NGX_OK)
        {
            continue;
        }

        failed |= (mount->zone->persist.loading.state
                   == NGX_OLIVINE_LOADING_FAILED);

        (void) ngx_olivine_slot_sweep_all(&tx);

        tx.slot->leaving = 1;

        if (!ngx_olivine_slot_heirs(mount->zone)) {
            ngx_olivine_mount_files(&tx, cycle->log);
        }

        ngx_olivine_slot_leave(&tx);
    }

    if (failed && ngx_olivine_standalone) {

        /* nginx's own end is always a good one */

        ngx_close_listening_sockets(cycle);
        exit(1);
    }
}


/* The last process of a zone: what is not in a file goes there. */

static void
ngx_olivine_mount_files(ngx_olivine_tx_t *tx, ngx_log_t *log)
{
    ngx_olivine_aof_t      *aof;
    ngx_olivine_persist_t  *persist;

    persist = &tx->zone->persist;

    if (persist->loading.state != NGX_OLIVINE_LOADING_NOT) {
        return;
    }

    if (persist->aof.state != NGX_OLIVINE_AOF_OFF) {

        aof = ngx_olivine_aof_create(tx, log);

        if (aof == NULL || ngx_olivine_aof_finish(aof, ngx_olivine_now())
                           != NGX_OK)
        {
            ngx_log_error(NGX_LOG_ALERT, log, 0,
                          "olivine: the append-only file lacks the end of the "
                          "log");
        }

        if (aof) {
            ngx_olivine_aof_destroy(aof);
        }
    }

    if (persist->final == NGX_OLIVINE_FINAL_NOSAVE
        || (persist->final != NGX_OLIVINE_FINAL_SAVE
            && tx->zone->params.save.n == 0))
    {
        return;
    }

    if (ngx_olivine_save_alone(tx, log) != NGX_OK) {
        ngx_log_error(NGX_LOG_ALERT, log, 0,
                      "olivine: the last snapshot could not be written");
    }
}


/*
 * One server a folder: the lock is inherited by workers, and by the master of
 * an upgrade, and ends with the last of them.
 */

static ngx_int_t
ngx_olivine_mount_lock(ngx_olivine_conf_zone_t *oz,
    ngx_olivine_mount_t *mount, ngx_log_t *log)
{
    u_char      dir[NGX_OLIVINE_DIR_MAX + 1];
    ngx_uint_t  i;

    mount->dir = -1;

    if (!oz->params.appendonly && oz->params.save.n == 0) {
        return NGX_OK;
    }

    ngx_sprintf(dir, "%*s%Z", oz->params.dir.len, oz->params.dir.data);

    mount->dir = open((char *) dir, O_RDONLY|O_DIRECTORY);

    if (mount->dir == -1) {
        ngx_log_error(NGX_LOG_EMERG, log, ngx_errno, "olivine_zone \"%V\": "
                      "parameter \"dir\": \"%s\" cannot be opened",
                      &oz->name, dir);
        return NGX_ERROR;
    }

    /* who was killed may take a moment to go */

    for (i = 0; i < NGX_OLIVINE_MOUNT_LOCKS; i++) {

        if (flock(mount->dir, LOCK_EX|LOCK_NB) == 0) {
            return NGX_OK;
        }

        if (ngx_errno != EWOULDBLOCK) {
            break;
        }

        ngx_msleep(50);
    }

    if (ngx_errno == EWOULDBLOCK) {
        ngx_log_error(NGX_LOG_EMERG, log, 0, "olivine_zone \"%V\": another "
                      "server keeps its files in \"%s\"", &oz->name, dir);
        goto failed;
    }

    /* a file system without locks */

    ngx_log_error(NGX_LOG_WARN, log, ngx_errno, "olivine_zone \"%V\": "
                  "\"%s\" cannot be locked", &oz->name, dir);

    (void) close(mount->dir);
    mount->dir = -1;

    return NGX_OK;

failed:

    (void) close(mount->dir);
    mount->dir = -1;

    return NGX_ERROR;
}


/* A zone that this process does not have yet. */

static ngx_int_t
ngx_olivine_mount_open(ngx_olivine_conf_zone_t *oz,
    ngx_olivine_zone_conf_t *conf, ngx_log_t *log)
{
    ngx_int_t             rc;
    ngx_str_t             err;
    ngx_olivine_mount_t  *mount;

    mount = ngx_calloc(sizeof(ngx_olivine_mount_t), log);
    if (mount == NULL) {
        return NGX_ERROR;
    }

    rc = NGX_DECLINED;
    ngx_set_errno(0);

    if (ngx_inherited && ngx_is_init_cycle(ngx_cycle)) {
        rc = ngx_olivine_zone_adopt(conf, &mount->zone, &mount->fd, &err);
    }

    if (rc == NGX_OK
        && ngx_olivine_mount_fixed(oz, mount->zone, log) != NGX_OK)
    {
        goto failed;
    }

    mount->dir = -1;

    if (rc == NGX_DECLINED) {

        if (ngx_olivine_mount_lock(oz, mount, log) != NGX_OK) {
            goto failed;
        }

        rc = ngx_olivine_zone_create(conf, &mount->zone, &mount->fd, &err);

        if (rc == NGX_OK) {
            ngx_olivine_load_plan(mount->zone);

        } else if (mount->dir != -1) {
            (void) close(mount->dir);
        }
    }

    if (rc != NGX_OK) {
        ngx_log_error(NGX_LOG_EMERG, log, ngx_errno, "olivine_zone \"%V\": "
                      "%V", &oz->name, &err);
        goto failed;
    }

    mount->refs = 1;
    oz->mount = mount;

    return NGX_OK;

failed:

    ngx_free(mount);

    return NGX_ERROR;
}


static void
ngx_olivine_mount_conf(ngx_olivine_conf_zone_t *oz,
    ngx_olivine_zone_conf_t *conf)
{
    ngx_memzero(conf, sizeof(ngx_olivine_zone_conf_t));

    conf->name = oz->name;
    conf->limit = oz->limit;
    conf->shard_size = ngx_olivine_store_shard_size(oz->params.databases);
    conf->params = &oz->params;
}


static ngx_int_t
ngx_olivine_mount_fixed(ngx_olivine_conf_zone_t *oz, ngx_olivine_zone_t *zone,
    ngx_log_t *log)
{
    u_char                      is[NGX_OLIVINE_PARAM_PRINT];
    u_char                      will[NGX_OLIVINE_PARAM_PRINT], *p, *q;
    const ngx_olivine_param_t  *row;

    for (row = ngx_olivine_params; row->name.len; row++) {

        if (!(row->flags & NGX_OLIVINE_PARAM_FIXED)
            || ngx_olivine_params_equal(&oz->params, &zone->params, row))
        {
            continue;
        }

        p = ngx_olivine_params_print(&zone->params, row, is,
                                     is + NGX_OLIVINE_PARAM_PRINT);
        q = ngx_olivine_params_print(&oz->params, row, will,
                                     will + NGX_OLIVINE_PARAM_PRINT);

        ngx_log_error(NGX_LOG_EMERG, log, 0, "olivine_zone \"%V\": parameter "
                      "\"%V\" is \"%*s\" as long as the zone lives, "
                      "a restart makes it \"%*s\"", &oz->name, &row->name,
                      (size_t) (p - is), is, (size_t) (q - will), will);

        return NGX_ERROR;
    }

    return NGX_OK;
}


/* Only masters write zone->file, so they may read it without the lock. */

static ngx_uint_t
ngx_olivine_mount_differ(ngx_olivine_conf_zone_t *oz)
{
    const ngx_olivine_param_t  *row;

    for (row = ngx_olivine_params; row->name.len; row++) {
        if (!ngx_olivine_params_equal(&oz->params, &oz->mount->zone->file,
                                      row))
        {
            return 1;
        }
    }

    return 0;
}


/* Takes over what changed in the file, and leaves what CONFIG SET changed. */

static void
ngx_olivine_mount_params(ngx_olivine_conf_zone_t *oz, ngx_log_t *log)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_tx_t      tx;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_mount_t  *mount;

    mount = oz->mount;
    zone = mount->zone;

    rc = ngx_olivine_slot_claim(&tx, zone, mount->fd, zone->cycle);

    if (rc != NGX_OK) {
        goto failed;
    }

    for (i = 0; i < NGX_OLIVINE_MOUNT_TRIES; i++) {

        rc = ngx_olivine_tx_lock_params(&tx);

        if (rc == NGX_OK) {
            rc = ngx_olivine_mount_set(&tx, oz);
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(&tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(&tx);
        }

        ngx_olivine_tx_unlock(&tx);

        if (rc != NGX_AGAIN || ngx_olivine_tx_fetch(&tx) == NGX_ERROR) {
            break;
        }

        ngx_msleep(1);
    }

    ngx_olivine_slot_leave(&tx);

    if (rc == NGX_OK) {
        ngx_olivine_slot_ring_all(zone, NGX_OLIVINE_HINT_PARAMS);
        return;
    }

failed:

    ngx_log_error(NGX_LOG_ERR, log, 0, "olivine_zone \"%V\": its parameters "
                  "stay as they were: %s", &oz->name,
                  rc == NGX_DECLINED ? "all slots are taken"
                  : rc == NGX_AGAIN ? "the store is busy" : "no memory");
}


static ngx_int_t
ngx_olivine_mount_set(ngx_olivine_tx_t *tx, ngx_olivine_conf_zone_t *oz)
{
    size_t                      room;
    u_char                     *params, *file, *now;
    ngx_int_t                   rc;
    ngx_olivine_zone_t         *zone;
    const ngx_olivine_param_t  *row;

    zone = tx->zone;
    room = 0;

    for (row = ngx_olivine_params; row->name.len; row++) {
        if (!ngx_olivine_params_equal(&oz->params, &zone->file, row)) {
            room += 2 * (row->size + NGX_OLIVINE_JOURNAL_SMALL);
        }
    }

    rc = ngx_olivine_tx_room(tx, room + NGX_OLIVINE_JOURNAL_SMALL);

    if (rc != NGX_OK) {
        return rc;
    }

    params = (u_char *) &zone->params;
    file = (u_char *) &zone->file;
    now = (u_char *) &oz->params;

    for (row = ngx_olivine_params; row->name.len; row++) {

        if (ngx_olivine_params_equal(&oz->params, &zone->file, row)) {
            continue;
        }

        ngx_olivine_tx_set(tx, params + row->offset, now + row->offset,
                           row->size);
        ngx_olivine_tx_set(tx, file + row->offset, now + row->offset,
                           row->size);
    }

    ngx_olivine_tx_set32(tx, &zone->params_version,
                         zone->params_version + 1);

    return NGX_OK;
}
