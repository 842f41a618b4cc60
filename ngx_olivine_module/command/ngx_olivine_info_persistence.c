
/*
 * Copyright (C) The Olivine authors
 *
 * INFO's section of files.  There is no fork: what Redis says of one is said
 * of the snapshot that is being written, and "cow" is what is kept for it of
 * entries that have changed since.
 */


#include "command/ngx_olivine_info.h"


static void ngx_olivine_info_loading(ngx_olivine_info_t *info);
static void ngx_olivine_info_aof(ngx_olivine_info_t *info);


void
ngx_olivine_info_persistence(ngx_olivine_info_t *info)
{
    double                     done;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_persist_t     *persist;
    ngx_olivine_save_state_t  *save;

    zone = info->cx->zone;
    persist = &zone->persist;
    save = &persist->save;

    done = save->what && save->total
           ? ngx_min((double) save->keys / save->total, 1) : 0;

    ngx_olivine_buffer_print(&info->b,
                             "loading:%d" CRLF
                             "async_loading:0" CRLF
                             "current_cow_peak:%uL" CRLF
                             "current_cow_size:%uL" CRLF
                             "current_cow_size_age:0" CRLF
                             "current_fork_perc:%.2f" CRLF
                             "current_save_keys_processed:%uL" CRLF
                             "current_save_keys_total:%uL" CRLF
                             "rdb_changes_since_last_save:%uL" CRLF
                             "rdb_bgsave_in_progress:%ui" CRLF
                             "rdb_last_save_time:%L" CRLF
                             "rdb_last_bgsave_status:%s" CRLF
                             "rdb_last_bgsave_time_sec:%L" CRLF
                             "rdb_current_bgsave_time_sec:%L" CRLF
                             "rdb_saves:%uL" CRLF
                             "rdb_last_cow_size:%uL" CRLF
                             "rdb_last_load_keys_expired:%uL" CRLF
                             "rdb_last_load_keys_loaded:%uL" CRLF,
                             (persist->refuse & NGX_OLIVINE_REFUSE_LOADING)
                             != 0,
                             save->what ? save->cow_peak : 0,
                             save->what ? save->cow : 0,
                             done * 100,
                             save->what ? save->keys : 0,
                             save->what ? save->total : 0,
                             info->sums.counters.changes - save->saved_changes,
                             ngx_olivine_info_saving(save,
                                                     NGX_OLIVINE_SAVE_RDB),
                             save->saved_at,
                             save->status ? "err" : "ok",
                             save->took - 1,
                             ngx_olivine_info_since(save, info->cx->now,
                                                    NGX_OLIVINE_SAVE_RDB),
                             save->saves,
                             save->last_cow,
                             persist->loading.expired,
                             persist->loading.keys);

    ngx_olivine_info_aof(info);
    ngx_olivine_info_loading(info);
}


static void
ngx_olivine_info_aof(ngx_olivine_info_t *info)
{
    ngx_olivine_zone_t        *zone;
    ngx_olivine_aof_state_t   *aof;
    ngx_olivine_save_state_t  *save;

    zone = info->cx->zone;
    aof = &zone->persist.aof;
    save = &zone->persist.save;

    ngx_olivine_buffer_print(&info->b,
                             "aof_enabled:%d" CRLF
                             "aof_rewrite_in_progress:%ui" CRLF
                             "aof_rewrite_scheduled:%d" CRLF
                             "aof_last_rewrite_time_sec:%L" CRLF
                             "aof_current_rewrite_time_sec:%L" CRLF
                             "aof_last_bgrewrite_status:%s" CRLF
                             "aof_rewrites:%uL" CRLF
                             "aof_rewrites_consecutive_failures:%uD" CRLF
                             "aof_last_write_status:%s" CRLF
                             "aof_last_cow_size:%uL" CRLF
                             "module_fork_in_progress:0" CRLF
                             "module_fork_last_cow_size:0" CRLF,
                             aof->state != NGX_OLIVINE_AOF_OFF,
                             ngx_olivine_info_saving(save,
                                                     NGX_OLIVINE_SAVE_AOF),
                             (save->wanted & NGX_OLIVINE_SAVE_AOF) != 0
                             && !ngx_olivine_info_saving(save,
                                                    NGX_OLIVINE_SAVE_AOF),
                             save->rewrite_took - 1,
                             ngx_olivine_info_since(save, info->cx->now,
                                                    NGX_OLIVINE_SAVE_AOF),
                             save->rewrite_status ? "err" : "ok",
                             save->rewrites,
                             save->failures,
                             aof->error ? "err" : "ok",
                             save->last_aof_cow);

    if (aof->state == NGX_OLIVINE_AOF_OFF) {
        return;
    }

    ngx_olivine_buffer_print(&info->b,
                             "aof_current_size:%uL" CRLF
                             "aof_base_size:%uL" CRLF
                             "aof_pending_rewrite:%d" CRLF
                             "aof_buffer_length:%uL" CRLF
                             "aof_pending_bio_fsync:%uD" CRLF
                             "aof_delayed_fsync:%uL" CRLF,
                             ngx_olivine_aof_size(zone),
                             aof->rewritten_size,
                             (save->wanted & NGX_OLIVINE_SAVE_AOF) != 0,
                             zone->ring.tail
                             - ngx_olivine_aof_written(zone)->offset,
                             aof->busy,
                             aof->delayed);
}


static void
ngx_olivine_info_loading(ngx_olivine_info_t *info)
{
    double                  share;
    int64_t                 passed, left;
    ngx_olivine_loading_t  *loading;

    loading = &info->cx->zone->persist.loading;

    if (!(info->cx->zone->persist.refuse & NGX_OLIVINE_REFUSE_LOADING)) {
        return;
    }

    share = loading->total ? (double) loading->done / loading->total : 0;
    passed = ngx_max(info->cx->now - loading->since, 0);
    left = share > 0 ? passed / share - passed : 0;

    ngx_olivine_buffer_print(&info->b,
                             "loading_start_time:%L" CRLF
                             "loading_total_bytes:%uL" CRLF
                             "loading_rdb_used_mem:0" CRLF
                             "loading_loaded_bytes:%uL" CRLF
                             "loading_loaded_perc:%.2f" CRLF
                             "loading_eta_seconds:%L" CRLF,
                             loading->since / 1000,
                             loading->total,
                             loading->done,
                             share * 100,
                             left / 1000);
}


ngx_uint_t
ngx_olivine_info_saving(ngx_olivine_save_state_t *save, uint32_t what)
{
    uint32_t  next;

    next = save->what ? save->what : save->wanted;

    return (next & -next) == what;
}


int64_t
ngx_olivine_info_since(ngx_olivine_save_state_t *save, int64_t now,
    uint32_t what)
{
    int64_t  at;

    if (!(save->what & what)) {
        return -1;
    }

    at = (what == NGX_OLIVINE_SAVE_RDB) ? save->tried_at : save->rewrite_at;

    return ngx_max(now - at, 0) / 1000;
}
