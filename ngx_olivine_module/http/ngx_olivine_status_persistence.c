
/*
 * Copyright (C) The Olivine authors
 *
 * Log, files, snapshots and loading, for the status page.
 */


#include "http/ngx_olivine_status.h"


static void ngx_olivine_status_log(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_aof(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_snapshot(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_error(ngx_olivine_buffer_t *b,
    const char *name, int error);


void
ngx_olivine_status_persistence(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b)
{
    ngx_olivine_loading_t  *loading;

    loading = &f->zone->persist.loading;

    ngx_olivine_status_log(f, b);
    ngx_olivine_status_aof(f, b);
    ngx_olivine_status_snapshot(f, b);

    ngx_olivine_json_begin(b, "loading", '{');
    ngx_olivine_json_flag(b, "running", f->loading);
    ngx_olivine_json_number(b, "bytes", loading->total);
    ngx_olivine_json_number(b, "done_bytes", loading->done);
    ngx_olivine_json_number(b, "keys", loading->keys);
    ngx_olivine_json_number(b, "expired_keys", loading->expired);
    ngx_olivine_json_end(b, '}');

    ngx_olivine_json_begin(b, "refused", '{');
    ngx_olivine_json_flag(b, "aof", f->refuse_aof);
    ngx_olivine_json_flag(b, "snapshot", f->refuse_snapshot);
    ngx_olivine_json_flag(b, "loading", f->loading);
    ngx_olivine_json_end(b, '}');
}


static void
ngx_olivine_status_log(ngx_olivine_figures_t *f, ngx_olivine_buffer_t *b)
{
    uint64_t             offset, tail, unread;
    ngx_uint_t           i, readers;
    ngx_olivine_ring_t  *ring;

    ring = &f->zone->ring;
    unread = 0;
    readers = 0;

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {

        offset = ring->offsets[i];
        tail = ring->tail;

        if (offset) {
            readers++;
            unread = ngx_max(unread, tail - ngx_min(offset - 1, tail));
        }
    }

    ngx_olivine_json_begin(b, "log", '{');
    ngx_olivine_json_number(b, "size", ring->size);
    ngx_olivine_json_number(b, "bytes", ring->tail);
    ngx_olivine_json_number(b, "readers", readers);
    ngx_olivine_json_number(b, "unread", unread);
    ngx_olivine_json_number(b, "payloads", f->payloads);
    ngx_olivine_json_end(b, '}');
}


static void
ngx_olivine_status_aof(ngx_olivine_figures_t *f, ngx_olivine_buffer_t *b)
{
    ngx_olivine_save_state_t  *save;

    save = &f->zone->persist.save;

    ngx_olivine_json_begin(b, "aof", '{');
    ngx_olivine_json_flag(b, "on", f->aof_on);
    ngx_olivine_json_number(b, "size", f->aof_size);
    ngx_olivine_json_number(b, "base_size", f->aof_base);
    ngx_olivine_json_number(b, "unwritten", f->aof_unwritten);
    ngx_olivine_json_number(b, "unsynced", f->aof_unsynced);
    ngx_olivine_json_number(b, "delayed", f->zone->persist.aof.delayed);
    ngx_olivine_json_flag(b, "rewriting", f->aof_saving);
    ngx_olivine_json_number(b, "rewrites", save->rewrites);
    ngx_olivine_json_number(b, "rewrite_failures", f->aof_failures);
    ngx_olivine_status_error(b, "write_error", f->zone->persist.aof.error);
    ngx_olivine_status_error(b, "rewrite_error", save->rewrite_status);
    ngx_olivine_json_end(b, '}');
}


static void
ngx_olivine_status_snapshot(ngx_olivine_figures_t *f, ngx_olivine_buffer_t *b)
{
    ngx_olivine_save_state_t  *save;

    save = &f->zone->persist.save;

    ngx_olivine_json_begin(b, "snapshot", '{');
    ngx_olivine_json_flag(b, "running", f->snapshot);
    ngx_olivine_json_flag(b, "for_rdb", f->rdb_saving);
    ngx_olivine_json_flag(b, "for_aof", f->aof_saving);
    ngx_olivine_json_number(b, "keys", f->snapshot_total);
    ngx_olivine_json_number(b, "done_keys", f->snapshot_keys);
    ngx_olivine_json_number(b, "images", f->snapshot_cow);
    ngx_olivine_json_number(b, "changes", f->changes);
    ngx_olivine_json_number(b, "saves", save->saves);
    ngx_olivine_json_signed(b, "saved_at_s", save->saved_at);
    ngx_olivine_json_signed(b, "took_s", f->rdb_took);
    ngx_olivine_status_error(b, "error", save->status);
    ngx_olivine_json_end(b, '}');
}


/* A text, or null. */

static void
ngx_olivine_status_error(ngx_olivine_buffer_t *b, const char *name, int error)
{
    u_char  text[NGX_MAX_ERROR_STR], *p;

    ngx_olivine_json_name(b, name);

    if (error == 0) {
        ngx_olivine_buffer_print(b, "null");
        return;
    }

    p = ngx_strerror(error, text, sizeof(text));

    ngx_olivine_json_string(b, text, p - text);
}
