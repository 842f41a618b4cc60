
/*
 * Copyright (C) The Olivine authors
 *
 * Keys and their values in a shard's tables.
 */


#include "store/ngx_olivine_snapshot.h"
#include "store/ngx_olivine_watch.h"
#include "store/ngx_olivine_cell.h"


/*
 * Up to here a value is overwritten in place: saving it first costs less than
 * the misses on the headers of two cells.
 */
#define NGX_OLIVINE_STORE_IN_PLACE  2048

/* of a grown run's length, kept free behind it: one part in so many */
#define NGX_OLIVINE_STORE_SLACK     8

/*
 * A part of a run is overwritten in place, its old bytes journalled, if it is
 * no more than this or than one part in so many of the value; else a new run
 * costs less.
 */
#define NGX_OLIVINE_STORE_PART      65536
#define NGX_OLIVINE_STORE_PARTS     16


/* the cell that an entry is to have */

typedef struct {
    size_t       size;
    size_t       head;
    uint8_t      flags;
    uint16_t     vlen;
    unsigned     run:1;
    int64_t      at;
} ngx_olivine_layout_t;


/* bytes that go over a value's, from an offset on; what lies between is 0 */

typedef struct {
    ngx_str_t    text;
    size_t       offset;
} ngx_olivine_patch_t;


static void ngx_olivine_store_lay_out(ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, size_t len, int64_t at,
    ngx_olivine_layout_t *layout);
static ngx_int_t ngx_olivine_store_overwrite(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value,
    ngx_olivine_layout_t *layout, uint32_t clock);
static ngx_int_t ngx_olivine_store_patch(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value,
    ngx_olivine_patch_t *patch, uint32_t clock);
static ngx_int_t ngx_olivine_store_patch_run(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value,
    ngx_olivine_patch_t *patch, uint32_t clock);
static ngx_int_t ngx_olivine_store_patch_cell(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value,
    ngx_olivine_patch_t *patch, uint32_t clock);
static void ngx_olivine_store_save(ngx_olivine_tx_t *tx, u_char *p, size_t n);
static void ngx_olivine_store_lay(u_char *p, size_t len,
    ngx_olivine_patch_t *patch);
static ngx_int_t ngx_olivine_store_new(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value,
    ngx_olivine_patch_t *patch, ngx_olivine_layout_t *layout, uint32_t clock);
static ngx_int_t ngx_olivine_store_run(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value,
    ngx_olivine_patch_t *patch, ngx_olivine_entry_run_t *run);
static ngx_int_t ngx_olivine_store_remove(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_uint_t keep_run);
static ngx_int_t ngx_olivine_store_discard(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_entry_t *e, ngx_uint_t keep_run);
static ngx_int_t ngx_olivine_store_put(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, ngx_olivine_entry_t *e, ngx_uint_t keep_run);
static void ngx_olivine_store_expires(ngx_olivine_tx_t *tx,
    ngx_olivine_ref_t *ref, int64_t before, int64_t after);


/*
 * Compares exactly len bytes.  A library's memcmp() may load beyond them, into
 * a cache line that was not prefetched: a miss for each other key.
 */

static ngx_inline ngx_uint_t
ngx_olivine_store_same(const u_char *a, const u_char *b, size_t len)
{
    uint32_t  s, t;
    uint64_t  v, w;

    if (ngx_olivine_likely(len >= 8)) {

        for ( /* void */ ; len > 8; len -= 8, a += 8, b += 8) {
            ngx_memcpy(&v, a, 8);
            ngx_memcpy(&w, b, 8);

            if (v != w) {
                return 0;
            }
        }

        /* the last eight may overlap what was seen */

        ngx_memcpy(&v, a + len - 8, 8);
        ngx_memcpy(&w, b + len - 8, 8);

        return v == w;
    }

    if (len >= 4) {
        ngx_memcpy(&s, a, 4);
        ngx_memcpy(&t, b, 4);

        if (s != t) {
            return 0;
        }

        ngx_memcpy(&s, a + len - 4, 4);
        ngx_memcpy(&t, b + len - 4, 4);

        return s == t;
    }

    while (len--) {
        if (*a++ != *b++) {
            return 0;
        }
    }

    return 1;
}


static ngx_inline ngx_uint_t
ngx_olivine_store_is(ngx_olivine_entry_t *e, ngx_str_t *key)
{
    ngx_str_t  name;

    if (ngx_olivine_likely(!(e->flags & NGX_OLIVINE_ENTRY_LONGKEY))) {
        return (e->clock & 0xff) == key->len
               && ngx_olivine_store_same((u_char *) e
                                         + ngx_olivine_entry_head(e->flags),
                                         key->data, key->len);
    }

    ngx_olivine_entry_key(e, &name);

    return name.len == key->len
           && ngx_memcmp(name.data, key->data, name.len) == 0;
}


static ngx_inline void
ngx_olivine_store_seek(ngx_olivine_zone_t *zone, ngx_olivine_table_t *table,
    ngx_str_t *key, uint64_t hash, int64_t now, ngx_olivine_ref_t *ref)
{
    int64_t                at;
    ngx_uint_t             mask, i;
    ngx_olivine_entry_t   *e;
    ngx_olivine_bucket_t  *b;

    ref->entry = NULL;
    ref->bucket = NULL;
    ref->expired = 0;

    if (table == NULL) {
        return;
    }

    b = ngx_olivine_table_bucket(zone, table,
                                 ngx_olivine_table_index(table, hash));

    for ( /* void */ ; b; b = ngx_olivine_bucket_next(zone, b)) {

        mask = ngx_olivine_bucket_match(b, ngx_olivine_bucket_fp(hash));

        for ( /* void */ ; mask; mask &= mask - 1) {

            i = __builtin_ctz(mask);
            e = ngx_olivine_bucket_get(zone, b, i);

            if (!ngx_olivine_store_is(e, key)) {
                continue;
            }

            ref->bucket = b;
            ref->index = i;

            at = ngx_olivine_entry_expire(e);

            if (at && at <= now) {
                ref->expired = 1;

            } else {
                ref->entry = e;
            }

            return;
        }
    }
}


void
ngx_olivine_store_find_locked(ngx_olivine_tx_t *tx, ngx_uint_t db,
    ngx_str_t *key, uint64_t hash, int64_t now, ngx_olivine_ref_t *ref)
{
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;

    ref->shard = ngx_olivine_store_shard(zone,
                                         ngx_olivine_store_number(zone, hash));
    ref->db = db;
    ref->key = *key;
    ref->hash = hash;

    ngx_olivine_store_seek(zone, ref->shard->tables[db], key, hash, now, ref);
}


void
ngx_olivine_store_find_in_locked(ngx_olivine_tx_t *tx,
    ngx_olivine_table_t *table, ngx_str_t *key, uint64_t hash, int64_t now,
    ngx_olivine_ref_t *ref)
{
    ngx_olivine_store_seek(tx->zone, table, key, hash, now, ref);
}


ngx_int_t
ngx_olivine_store_set_locked(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, int64_t expire, uint32_t clock)
{
    ngx_int_t             rc;
    ngx_olivine_entry_t  *old;
    ngx_olivine_layout_t  layout;

    rc = ngx_olivine_watch_touch(tx, ref, 0);
    if (rc != NGX_OK) {
        return rc;
    }

    old = ref->entry;

    if (expire == NGX_OLIVINE_EXPIRE_KEEP) {
        expire = old ? ngx_olivine_entry_expire(old) : 0;
    }

    ngx_olivine_store_lay_out(ref, value, value->text.len, expire, &layout);

    if (old) {
        rc = ngx_olivine_store_overwrite(tx, ref, value, &layout, clock);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    return ngx_olivine_store_new(tx, ref, value, NULL, &layout, clock);
}


ngx_int_t
ngx_olivine_store_append_locked(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_str_t *text, uint32_t clock)
{
    u_char               buf[NGX_OLIVINE_I64_LEN];
    ngx_int_t            rc;
    ngx_str_t            old;
    ngx_olivine_patch_t  patch;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_watch_touch(tx, ref, 0);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_entry_value(tx->zone, ref->entry, &value);
    ngx_olivine_string_text(&value, buf, &old);

    patch.text = *text;
    patch.offset = old.len;

    return ngx_olivine_store_patch(tx, ref, &value, &patch, clock);
}


ngx_int_t
ngx_olivine_store_write_locked(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    size_t offset, ngx_str_t *text, uint32_t clock)
{
    ngx_int_t             rc;
    ngx_olivine_patch_t   patch;
    ngx_olivine_value_t   value;
    ngx_olivine_layout_t  layout;

    rc = ngx_olivine_watch_touch(tx, ref, 0);
    if (rc != NGX_OK) {
        return rc;
    }

    patch.text = *text;
    patch.offset = offset;

    if (ref->entry) {
        ngx_olivine_entry_value(tx->zone, ref->entry, &value);

        return ngx_olivine_store_patch(tx, ref, &value, &patch, clock);
    }

    ngx_olivine_string_set_raw(&value, (u_char *) "", 0);
    ngx_olivine_store_lay_out(ref, &value, offset + text->len,
                              NGX_OLIVINE_EXPIRE_NONE, &layout);

    return ngx_olivine_store_new(tx, ref, &value, &patch, &layout, clock);
}


/* In place if it can be, else built anew; the value gets the encoding "raw". */

static ngx_int_t
ngx_olivine_store_patch(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, ngx_olivine_patch_t *patch, uint32_t clock)
{
    u_char                buf[NGX_OLIVINE_I64_LEN];
    size_t                len;
    ngx_int_t             rc;
    ngx_str_t             old;
    ngx_olivine_layout_t  layout;

    if (ngx_olivine_snapshot_unsaved(ref->shard, ref->entry)) {
        rc = NGX_DECLINED;

    } else if (value->page) {
        rc = ngx_olivine_store_patch_run(tx, ref, value, patch, clock);

    } else if (value->encoding != NGX_OLIVINE_ENC_INT) {
        rc = ngx_olivine_store_patch_cell(tx, ref, value, patch, clock);

    } else {
        rc = NGX_DECLINED;
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    ngx_olivine_string_text(value, buf, &old);
    len = ngx_max(old.len, patch->offset + patch->text.len);

    ngx_olivine_string_set_raw(value, old.data, old.len);
    ngx_olivine_store_lay_out(ref, value, len,
                              ngx_olivine_entry_expire(ref->entry), &layout);

    return ngx_olivine_store_new(tx, ref, value, patch, &layout, clock);
}


/*
 * Of what lies behind a value nothing is to be kept: only the bytes that are
 * overwritten, and lengths, are noted.  DECLINED: not to be done in place.
 */

static ngx_int_t
ngx_olivine_store_patch_run(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, ngx_olivine_patch_t *patch, uint32_t clock)
{
    u_char                   *p;
    size_t                    end, over;
    ngx_int_t                 rc;
    ngx_olivine_page_t       *page;
    ngx_olivine_entry_t      *e;
    ngx_olivine_entry_run_t   run;

    e = ref->entry;
    page = &tx->zone->pages[value->page];
    end = patch->offset + patch->text.len;

    over = (patch->offset < value->text.len)
           ? ngx_min(end, value->text.len) - patch->offset : 0;

    if (page->prev || end > (size_t) page->pages << NGX_OLIVINE_PAGE_SHIFT
        || over > ngx_max(NGX_OLIVINE_STORE_PART,
                          value->text.len / NGX_OLIVINE_STORE_PARTS))
    {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL + over
                                 + over / NGX_OLIVINE_JOURNAL_RECORD * 16);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_store_save(tx, value->text.data + patch->offset, over);
    ngx_olivine_store_lay(value->text.data, value->text.len, patch);
    ngx_olivine_step();

    p = (u_char *) e + ngx_olivine_entry_size(e)
        - sizeof(ngx_olivine_entry_run_t);

    run.len = ngx_max(end, value->text.len);
    run.page = value->page;
    run.unused = 0;

    ngx_olivine_tx_set(tx, p, &run, sizeof(ngx_olivine_entry_run_t));
    ngx_olivine_entry_touch(e, clock);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_store_patch_cell(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, ngx_olivine_patch_t *patch, uint32_t clock)
{
    size_t                size, end, over;
    ngx_int_t             rc;
    ngx_olivine_entry_t  *e;

    e = ref->entry;
    end = ngx_max(patch->offset + patch->text.len, value->text.len);
    size = ngx_olivine_entry_size(e);

    if (end >= NGX_OLIVINE_ENTRY_RUN || size > NGX_OLIVINE_ARENA_MAX
        || size + end - value->text.len > ngx_olivine_arena_room(size))
    {
        return NGX_DECLINED;
    }

    over = (patch->offset < value->text.len)
           ? ngx_min(patch->offset + patch->text.len, value->text.len)
             - patch->offset
           : 0;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL + over);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_store_save(tx, value->text.data + patch->offset, over);
    ngx_olivine_store_lay(value->text.data, value->text.len, patch);
    ngx_olivine_step();

    ngx_olivine_tx_save64(tx, e);
    e->kind = NGX_OLIVINE_TYPE_STRING | NGX_OLIVINE_ENC_RAW << 4;
    e->vlen = end;
    ngx_olivine_step();

    ngx_olivine_entry_touch(e, clock);

    return NGX_OK;
}


static void
ngx_olivine_store_save(ngx_olivine_tx_t *tx, u_char *p, size_t n)
{
    size_t  part;

    for ( /* void */ ; n; n -= part, p += part) {
        part = ngx_min(n, NGX_OLIVINE_JOURNAL_RECORD);
        ngx_olivine_tx_save(tx, p, part);
    }
}


/* Writes the patch over a value of len bytes. */

static void
ngx_olivine_store_lay(u_char *p, size_t len, ngx_olivine_patch_t *patch)
{
    if (patch->offset > len) {
        ngx_memzero(p + len, patch->offset - len);
    }

    ngx_memcpy(p + patch->offset, patch->text.data, patch->text.len);
}


ngx_int_t
ngx_olivine_store_expire_locked(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    int64_t at)
{
    u_char               *from, *to;
    size_t                size, rest;
    int64_t               old;
    uint8_t               flags;
    ngx_int_t             rc;
    ngx_olivine_entry_t  *e, *fresh;

    e = ref->entry;
    old = ngx_olivine_entry_expire(e);

    rc = ngx_olivine_watch_touch(tx, ref, 0);

    if (rc != NGX_OK || at == old) {
        return rc;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    if (at && old && !ngx_olivine_snapshot_unsaved(ref->shard, e)) {
        ngx_olivine_tx_set64(tx, (uint64_t *) e->data, at);
        ngx_olivine_store_expires(tx, ref, old, at);
        return NGX_OK;
    }

    /* the time comes or goes: a cell of another size, the value moves along */

    flags = (e->flags & ~(NGX_OLIVINE_ENTRY_EXPIRES|NGX_OLIVINE_ENTRY_EPOCH))
            | ref->shard->epoch;

    if (at) {
        flags |= NGX_OLIVINE_ENTRY_EXPIRES;
    }

    size = ngx_olivine_entry_size(e);
    rest = size - ngx_olivine_entry_head(e->flags & NGX_OLIVINE_ENTRY_EXPIRES);
    size = rest + ngx_olivine_entry_head(flags & NGX_OLIVINE_ENTRY_EXPIRES);

    tx->sampler.type = ngx_olivine_entry_type(e) + 1;
    rc = ngx_olivine_store_cell(tx, ref->shard, size, &fresh);
    tx->sampler.type = 0;

    if (rc != NGX_OK) {
        return rc;
    }

    *fresh = *e;
    fresh->flags = flags;

    from = e->data;
    to = fresh->data;

    if (at) {
        ngx_memcpy(to, &at, 8);
        to += 8;
    }

    if (old) {
        from += 8;
    }

    ngx_memcpy(to, from, rest);

    rc = ngx_olivine_store_put(tx, ref, fresh, 1);

    if (rc == NGX_OK) {
        ngx_olivine_store_expires(tx, ref, old, at);
    }

    return rc;
}


ngx_int_t
ngx_olivine_store_delete_locked(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref)
{
    return ngx_olivine_store_remove(tx, ref, 0);
}


ngx_int_t
ngx_olivine_store_move_locked(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *from,
    ngx_olivine_ref_t *to, uint32_t clock)
{
    int64_t              at;
    ngx_int_t            rc;
    ngx_olivine_value_t  value;

    /* the old cell keeps its bytes until the commit */

    ngx_olivine_entry_value(tx->zone, from->entry, &value);
    at = ngx_olivine_entry_expire(from->entry);

    value.moved = (value.page != 0);

    rc = ngx_olivine_store_remove(tx, from, value.moved);
    if (rc != NGX_OK) {
        return rc;
    }

    /* removing may have merged the bucket where the other key stands */

    ngx_olivine_store_find_locked(tx, to->db, &to->key, to->hash, 0, to);

    return ngx_olivine_store_set_locked(tx, to, &value, at, clock);
}


/* What the entry's cell will look like; len: bytes of the value's text. */

static void
ngx_olivine_store_lay_out(ngx_olivine_ref_t *ref, ngx_olivine_value_t *value,
    size_t len, int64_t at, ngx_olivine_layout_t *layout)
{
    size_t  size;

    layout->at = at;
    layout->run = 0;
    layout->flags = ref->entry ? ref->entry->flags & NGX_OLIVINE_ENTRY_WATCHED
                               : 0;

    layout->flags |= ref->shard->epoch;

    if (at) {
        layout->flags |= NGX_OLIVINE_ENTRY_EXPIRES;
    }

    if (ref->key.len >= NGX_OLIVINE_ENTRY_KEY) {
        layout->flags |= NGX_OLIVINE_ENTRY_LONGKEY;
    }

    layout->head = ngx_olivine_entry_head(layout->flags);
    size = layout->head + ref->key.len;

    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        layout->vlen = 8;
        layout->size = size + 8;
        return;
    }

    if (value->receipt || value->moved || len >= NGX_OLIVINE_ENTRY_RUN
        || size + len > NGX_OLIVINE_ARENA_MAX)
    {
        layout->run = 1;
        layout->vlen = NGX_OLIVINE_ENTRY_RUN;
        layout->size = size + sizeof(ngx_olivine_entry_run_t);
        return;
    }

    layout->vlen = len;
    layout->size = size + len;
}


/* DECLINED: not to be done in place. */

static ngx_int_t
ngx_olivine_store_overwrite(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, ngx_olivine_layout_t *layout, uint32_t clock)
{
    u_char               *p;
    size_t                size, len;
    uint8_t               kind;
    int64_t               old;
    ngx_int_t             rc;
    ngx_olivine_entry_t  *e;

    e = ref->entry;

    if (e->flags != layout->flags || layout->run
        || e->vlen == NGX_OLIVINE_ENTRY_RUN
        || layout->vlen > NGX_OLIVINE_STORE_IN_PLACE)
    {
        return NGX_DECLINED;
    }

    size = layout->size - layout->vlen + e->vlen;

    if (size != layout->size
        && (size > NGX_OLIVINE_ARENA_MAX
            || ngx_olivine_arena_room(size)
               != ngx_olivine_arena_room(layout->size)))
    {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL
                                 + NGX_OLIVINE_STORE_IN_PLACE);
    if (rc != NGX_OK) {
        return rc;
    }

    kind = value->type | value->encoding << 4;

    if (e->kind != kind || e->vlen != layout->vlen) {
        ngx_olivine_tx_save64(tx, e);
        e->kind = kind;
        e->vlen = layout->vlen;
        ngx_olivine_step();
    }

    if (layout->at) {
        old = ngx_olivine_entry_expire(e);

        if (old != layout->at) {
            ngx_olivine_tx_set64(tx, (uint64_t *) e->data, layout->at);
            ngx_olivine_store_expires(tx, ref, old, layout->at);
        }
    }

    p = (u_char *) e + layout->size - layout->vlen;
    len = layout->vlen;

    if (len) {
        ngx_olivine_tx_set(tx, p, value->encoding == NGX_OLIVINE_ENC_INT
                                  ? (void *) &value->number
                                  : value->text.data, len);
    }

    ngx_olivine_entry_touch(e, clock);

    return NGX_OK;
}


/* A fresh cell, and the value in it, with a patch over its text. */

static ngx_int_t
ngx_olivine_store_new(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, ngx_olivine_patch_t *patch,
    ngx_olivine_layout_t *layout, uint32_t clock)
{
    u_char                   *p;
    int64_t                   before;
    uint32_t                  klen;
    ngx_int_t                 rc;
    ngx_olivine_entry_t      *e;
    ngx_olivine_entry_run_t   run;

    tx->sampler.type = value->type + 1;

    rc = ngx_olivine_store_cell(tx, ref->shard, layout->size, &e);

    if (rc == NGX_OK && layout->run) {
        rc = ngx_olivine_store_run(tx, ref, value, patch, &run);
    }

    tx->sampler.type = 0;

    if (rc != NGX_OK) {
        return rc;
    }

    klen = ref->key.len;

    e->kind = value->type | value->encoding << 4;
    e->flags = layout->flags;
    e->vlen = layout->vlen;
    e->clock = clock << 8 | ngx_min(klen, NGX_OLIVINE_ENTRY_KEY);

    if (layout->at) {
        ngx_memcpy(e->data, &layout->at, 8);
    }

    p = (u_char *) e + layout->head;

    if (layout->flags & NGX_OLIVINE_ENTRY_LONGKEY) {
        ngx_memcpy(p - 4, &klen, 4);
    }

    p = ngx_cpymem(p, ref->key.data, klen);

    if (layout->run) {
        ngx_memcpy(p, &run, sizeof(ngx_olivine_entry_run_t));

    } else if (value->encoding == NGX_OLIVINE_ENC_INT) {
        ngx_memcpy(p, &value->number, 8);

    } else {
        ngx_memcpy(p, value->text.data, value->text.len);

        if (patch) {
            ngx_olivine_store_lay(p, value->text.len, patch);
        }
    }

    before = ref->entry ? ngx_olivine_entry_expire(ref->entry) : 0;

    rc = ngx_olivine_store_put(tx, ref, e, 0);

    if (rc == NGX_OK) {
        ngx_olivine_store_expires(tx, ref, before, layout->at);
    }

    return rc;
}


/* The run of a big value: received into one, another key's, or a copy. */

static ngx_int_t
ngx_olivine_store_run(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_value_t *value, ngx_olivine_patch_t *patch,
    ngx_olivine_entry_run_t *run)
{
    u_char     *p;
    size_t      len, size;
    ngx_int_t   rc;

    run->unused = 0;

    if (value->receipt) {
        run->len = value->text.len;
        run->page = ngx_olivine_holding_page(tx, value->receipt - 1);

        return ngx_olivine_receipt_adopt(tx, value->receipt - 1,
                                         ref->shard->arena.number, run->len);
    }

    if (value->moved) {
        run->len = value->text.len;
        run->page = value->page;

        return ngx_olivine_store_relink(tx, &ref->shard->arena, value->page);
    }

    len = value->text.len;
    size = len;

    if (patch) {
        size = ngx_max(len, patch->offset + patch->text.len);
    }

    run->len = size;

    if (len && size > len) {
        size += size / NGX_OLIVINE_STORE_SLACK;
    }

    /* behind a key that fills its cell even nothing takes a page */

    rc = ngx_olivine_arena_pages(tx, &ref->shard->arena,
                                 ngx_max(ngx_olivine_pages(size), 1),
                                 NGX_OLIVINE_PAGE_VALUE, &run->page);
    if (rc != NGX_OK) {
        return rc;
    }

    p = ngx_olivine_zone_page(tx->zone, run->page);
    ngx_memcpy(p, value->text.data, len);

    if (patch) {
        ngx_olivine_store_lay(p, len, patch);
    }

    return NGX_OK;
}


/* Takes an entry out; its run goes, too, unless it is to be kept. */

static ngx_int_t
ngx_olivine_store_remove(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_uint_t keep_run)
{
    ngx_int_t              rc;
    ngx_olivine_table_t   *table;
    ngx_olivine_entry_t   *e;
    ngx_olivine_bucket_t  *head;

    rc = ngx_olivine_watch_touch(tx, ref, 1);

    if (rc == NGX_OK) {
        rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    table = ref->shard->tables[ref->db];
    e = ngx_olivine_bucket_get(tx->zone, ref->bucket, ref->index);
    head = ngx_olivine_table_bucket(tx->zone, table,
                                    ngx_olivine_table_index(table, ref->hash));

    if (e->flags & NGX_OLIVINE_ENTRY_EXPIRES) {
        ngx_olivine_tx_set64(tx, &table->expires, table->expires - 1);
    }

    rc = ngx_olivine_table_remove(tx, ref->shard, table, head, ref->bucket,
                                  ref->index);

    if (rc == NGX_OK) {
        rc = ngx_olivine_store_discard(tx, ref, e, keep_run);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_table_shrink(tx, ref->shard, table);
    }

    ref->entry = NULL;
    ref->bucket = NULL;
    ref->expired = 0;

    return rc;
}


/* An entry that no table names any more: freed, unless a snapshot wants it. */

static ngx_int_t
ngx_olivine_store_discard(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_entry_t *e, ngx_uint_t keep_run)
{
    ngx_int_t  rc;

    if (ngx_olivine_snapshot_unsaved(ref->shard, e)) {
        rc = ngx_olivine_snapshot_keep(tx, ref->shard, ref->db, e, keep_run);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    if (!keep_run) {
        rc = ngx_olivine_store_free_run(tx, e);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return ngx_olivine_store_free_cell(tx, ref->shard, e);
}


/* Puts a fresh entry in the place of the old one, or into the table. */

static ngx_int_t
ngx_olivine_store_put(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    ngx_olivine_entry_t *e, ngx_uint_t keep_run)
{
    ngx_int_t             rc;
    ngx_olivine_table_t  *table;
    ngx_olivine_entry_t  *old;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    old = ref->entry;
    ref->entry = e;

    if (old) {
        ngx_olivine_tx_save(tx, ref->bucket->slot[ref->index], 5);
        ngx_olivine_bucket_put(tx->zone, ref->bucket, ref->index,
                               ref->bucket->fp[ref->index], e);
        ngx_olivine_step();

        return ngx_olivine_store_discard(tx, ref, old, keep_run);
    }

    if (ref->shard->tables[ref->db] == NULL) {
        rc = ngx_olivine_table_create(tx, ref->shard, ref->db);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    table = ref->shard->tables[ref->db];

    rc = ngx_olivine_table_insert(tx, ref->shard, table, ref->hash, e,
                                  &ref->bucket, &ref->index);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_olivine_unlikely(table->keys > (uint64_t) table->buckets
                                           * NGX_OLIVINE_TABLE_GROW))
    {
        rc = ngx_olivine_table_grow(tx, ref->shard, table);

        /* the split may have moved it */

        if (rc == NGX_OK) {
            ngx_olivine_store_find_locked(tx, ref->db, &ref->key, ref->hash,
                                          0, ref);
        }
    }

    return rc;
}


/* Keeps the table's count and bounds when an entry's expiry changed. */

static void
ngx_olivine_store_expires(ngx_olivine_tx_t *tx, ngx_olivine_ref_t *ref,
    int64_t before, int64_t after)
{
    ngx_olivine_table_t  *table;

    if (ngx_olivine_likely(before == after)) {
        return;
    }

    table = ref->shard->tables[ref->db];

    if (before == 0) {
        ngx_olivine_tx_set64(tx, &table->expires, table->expires + 1);

    } else if (after == 0) {
        ngx_olivine_tx_set64(tx, &table->expires, table->expires - 1);
    }

    if (after) {
        ngx_olivine_table_bound(tx, table,
                                ngx_olivine_table_index(table, ref->hash),
                                ngx_olivine_table_unit(tx->zone, after));
    }
}
