
/*
 * Copyright (C) The Olivine authors
 *
 * MEMORY.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_usage.h"


/* below that many bytes of data there is nothing to be said of them */
#define NGX_OLIVINE_MEMORY_LITTLE   (5 * 1024 * 1024)

/* ratios, and bytes, from which on something is remarkable */
#define NGX_OLIVINE_MEMORY_RATIO    1.4
#define NGX_OLIVINE_MEMORY_BYTES    (10 * 1024 * 1024)

/* runs returned to the kernel by one PURGE */
#define NGX_OLIVINE_MEMORY_STEPS    65536


static void ngx_olivine_memory_field(ngx_olivine_reply_t *r, const char *name,
    int64_t n);
static void ngx_olivine_memory_ratio(ngx_olivine_reply_t *r, const char *name,
    double d);
static void ngx_olivine_memory_databases(ngx_olivine_cx_t *cx);
static void ngx_olivine_memory_totals(ngx_olivine_cx_t *cx,
    ngx_olivine_usage_memory_t *memory);
static void ngx_olivine_memory_allocator(ngx_olivine_cx_t *cx,
    ngx_olivine_usage_memory_t *memory);
static void ngx_olivine_memory_classes(ngx_olivine_zone_t *zone,
    ngx_olivine_buffer_t *b);


ngx_int_t
ngx_olivine_cmd_memory_usage(ngx_olivine_cx_t *cx)
{
    size_t               size;
    int64_t              samples;
    ngx_str_t            key;
    ngx_uint_t           i;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    for (i = 3; i < cx->argc; i += 2) {

        if (!ngx_olivine_cx_is(cx, i, "samples") || i + 1 == cx->argc) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        if (ngx_olivine_cx_integer(cx, i + 1, &samples) != NGX_OK) {
            return NGX_ERROR;
        }

        if (samples < 0) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }
    }

    /* asking for it is no access, and neither a hit nor a miss */

    key = ngx_olivine_cx_arg(cx, cx->keys[0].arg);

    ngx_olivine_store_find_locked(cx->tx, cx->caller->db, &key,
                                  cx->keys[0].hash, cx->now, &ref);

    if (ref.entry == NULL) {
        return ngx_olivine_reply_null(cx->reply);
    }

    ngx_olivine_entry_value(cx->zone, ref.entry, &value);

    /* the types weigh values whole, so nothing needs to be sampled */

    size = ngx_olivine_arena_room(ngx_olivine_entry_size(ref.entry))
           + ngx_olivine_types[value.type].weigh(cx->zone, &value)
           + sizeof(ngx_olivine_bucket_t) / NGX_OLIVINE_TABLE_GROW;

    return ngx_olivine_reply_integer(cx->reply, size);
}


ngx_int_t
ngx_olivine_cmd_memory_stats(ngx_olivine_cx_t *cx)
{
    uint64_t                     keys, expires;
    ngx_int_t                    db;
    ngx_uint_t                   n;
    ngx_olivine_usage_memory_t   memory;

    ngx_olivine_usage_memory(cx->zone, &memory);

    n = 0;

    for (db = 0; db < cx->zone->params.databases; db++) {
        ngx_olivine_store_count(cx->zone, db, &keys, &expires);
        n += (keys != 0);
    }

    (void) ngx_olivine_reply_map(cx->reply, 33 + n);

    ngx_olivine_memory_totals(cx, &memory);
    ngx_olivine_memory_databases(cx);
    ngx_olivine_memory_allocator(cx, &memory);

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


/* twelve fields; there are no scripts */

static void
ngx_olivine_memory_totals(ngx_olivine_cx_t *cx,
    ngx_olivine_usage_memory_t *memory)
{
    ngx_olivine_reply_t  *r;

    r = cx->reply;

    ngx_olivine_memory_field(r, "peak.allocated", cx->zone->peak);
    ngx_olivine_memory_field(r, "total.allocated", memory->used);
    ngx_olivine_memory_field(r, "startup.allocated", memory->startup);
    ngx_olivine_memory_field(r, "replication.backlog", cx->zone->ring.size);
    ngx_olivine_memory_field(r, "replica.fullsync.buffer", 0);
    ngx_olivine_memory_field(r, "clients.slaves", 0);
    ngx_olivine_memory_field(r, "clients.normal",
                             ngx_olivine_slot_buffers(cx->zone));
    ngx_olivine_memory_field(r, "cluster.links", 0);
    ngx_olivine_memory_field(r, "aof.buffer", 0);
    ngx_olivine_memory_field(r, "lua.caches", 0);
    ngx_olivine_memory_field(r, "functions.caches", 0);
    ngx_olivine_memory_field(r, "script.VMs", 0);
}


static void
ngx_olivine_memory_databases(ngx_olivine_cx_t *cx)
{
    u_char                name[sizeof("db.") + NGX_OLIVINE_I64_LEN];
    uint64_t              keys, expires;
    ngx_int_t             db;
    ngx_olivine_reply_t  *r;

    r = cx->reply;

    for (db = 0; db < cx->zone->params.databases; db++) {

        ngx_olivine_store_count(cx->zone, db, &keys, &expires);

        if (keys == 0) {
            continue;
        }

        (void) ngx_sprintf(name, "db.%i%Z", db);

        (void) ngx_olivine_reply_bulk(r, name, ngx_strlen(name));
        (void) ngx_olivine_reply_map(r, 2);
        ngx_olivine_memory_field(r, "overhead.hashtable.main",
                                 ngx_olivine_usage_tables(cx->zone, db));

        /* expiries are in the entries and in the buckets */

        ngx_olivine_memory_field(r, "overhead.hashtable.expires", 0);
    }
}


/* 21 fields */

static void
ngx_olivine_memory_allocator(ngx_olivine_cx_t *cx,
    ngx_olivine_usage_memory_t *memory)
{
    size_t                peak, net;
    ngx_olivine_reply_t  *r;

    r = cx->reply;
    peak = ngx_max(cx->zone->peak, 1);
    net = memory->used - ngx_min(memory->startup, memory->used);

    ngx_olivine_memory_field(r, "overhead.db.hashtable.lut", memory->tables);
    ngx_olivine_memory_field(r, "overhead.db.hashtable.rehashing", 0);
    ngx_olivine_memory_field(r, "overhead.total",
                             memory->used - memory->dataset);
    ngx_olivine_memory_field(r, "db.dict.rehashing.count", 0);
    ngx_olivine_memory_field(r, "keys.count", memory->keys);
    ngx_olivine_memory_field(r, "keys.bytes-per-key",
                             memory->keys ? net / memory->keys : 0);
    ngx_olivine_memory_field(r, "dataset.bytes", memory->dataset);
    ngx_olivine_memory_ratio(r, "dataset.percentage",
                             100.0 * memory->dataset / ngx_max(net, 1));
    ngx_olivine_memory_ratio(r, "peak.percentage",
                             100.0 * memory->used / peak);

    ngx_olivine_memory_field(r, "allocator.allocated", memory->allocated);
    ngx_olivine_memory_field(r, "allocator.active", memory->active);
    ngx_olivine_memory_field(r, "allocator.resident", memory->resident);
    ngx_olivine_memory_field(r, "allocator.muzzy", 0);

    ngx_olivine_memory_ratio(r, "allocator-fragmentation.ratio",
                             (double) memory->active / memory->allocated);
    ngx_olivine_memory_field(r, "allocator-fragmentation.bytes",
                             memory->active - memory->allocated);
    ngx_olivine_memory_ratio(r, "allocator-rss.ratio",
                             (double) memory->resident / memory->active);
    ngx_olivine_memory_field(r, "allocator-rss.bytes",
                             memory->resident - memory->active);
    ngx_olivine_memory_ratio(r, "rss-overhead.ratio",
                             (double) memory->rss / memory->resident);
    ngx_olivine_memory_field(r, "rss-overhead.bytes", memory->private);

    ngx_olivine_memory_ratio(r, "fragmentation",
                             (double) memory->rss / memory->used);
    ngx_olivine_memory_field(r, "fragmentation.bytes",
                             memory->rss - memory->used);
}


static void
ngx_olivine_memory_field(ngx_olivine_reply_t *r, const char *name, int64_t n)
{
    (void) ngx_olivine_reply_bulk(r, (u_char *) name, ngx_strlen(name));
    (void) ngx_olivine_reply_integer(r, n);
}


static void
ngx_olivine_memory_ratio(ngx_olivine_reply_t *r, const char *name, double d)
{
    (void) ngx_olivine_reply_bulk(r, (u_char *) name, ngx_strlen(name));
    (void) ngx_olivine_reply_double(r, d);
}


/*
 * Runs that are free go back to the kernel.  Inside of a transaction that
 * holds locks it is left to the tick, which keeps some.
 */

ngx_int_t
ngx_olivine_cmd_memory_purge(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_OLIVINE_MEMORY_STEPS && !cx->tx->shards; i++) {
        if (ngx_olivine_heap_trim(cx->tx, 0) != NGX_OK) {
            break;
        }
    }

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_memory_malloc_stats(ngx_olivine_cx_t *cx)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_heap_t   *heap;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_buffer_t  b;

    zone = cx->zone;
    heap = &zone->heap;

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    ngx_olivine_buffer_print(&b,
                             "zone: %uz bytes, %uz before the page heap\n"
                             "slots: %uD, %uz bytes each\n"
                             "statistics: %uz bytes\n"
                             "log: %uL bytes\n",
                             zone->limit, zone->fixed, zone->slots_high,
                             (size_t) NGX_OLIVINE_SLOT_SIZE,
                             ngx_olivine_stats_size(zone), zone->ring.size);

    ngx_olivine_buffer_print(&b,
                             "page heap, pages of %d bytes: limit %uL, "
                             "backed %uL, used %uL, free %uL, "
                             "coming in %uL, pinned only %uL\n\n",
                             NGX_OLIVINE_PAGE, heap->limit, heap->backed,
                             heap->used, heap->backed - heap->used,
                             heap->receipts, heap->orphans);

    ngx_olivine_memory_classes(zone, &b);

    ngx_olivine_buffer_print(&b, "\nshard       used bytes\n");

    for (i = 0; i < zone->nshards; i++) {
        ngx_olivine_buffer_print(&b, "%5ui %16uL\n", i,
                                 ngx_olivine_zone_arena(zone, i)->used);
    }

    rc = b.failed ? NGX_ERROR
                  : ngx_olivine_reply_verbatim(cx->reply, "txt", b.data,
                                               b.len);

    ngx_olivine_buffer_free(&b);

    return rc;
}


/* Over all shards, those that have pages. */

static void
ngx_olivine_memory_classes(ngx_olivine_zone_t *zone, ngx_olivine_buffer_t *b)
{
    size_t                size;
    uint64_t              pages;
    ngx_uint_t            i, class;

    ngx_olivine_buffer_print(b, " cell            pages\n");

    size = 1;

    for (class = 0; class < NGX_OLIVINE_ARENA_CLASSES; class++) {

        pages = 0;

        for (i = 0; i < zone->nshards; i++) {
            pages += ngx_olivine_zone_arena(zone, i)->classes[class].pages;
        }

        size = ngx_olivine_arena_room(size);

        if (pages) {
            ngx_olivine_buffer_print(b, "%5uz %16uL\n", size, pages);
        }

        size++;

        if (size > NGX_OLIVINE_ARENA_MAX) {
            break;
        }
    }
}


ngx_int_t
ngx_olivine_cmd_memory_doctor(ngx_olivine_cx_t *cx)
{
    size_t                       limit;
    ngx_int_t                    rc;
    ngx_uint_t                   n;
    ngx_olivine_buffer_t         b;
    ngx_olivine_usage_memory_t   memory;

    ngx_olivine_usage_memory(cx->zone, &memory);
    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    n = 0;
    limit = cx->zone->params.maxmemory ? (size_t) cx->zone->params.maxmemory
                                       : cx->zone->limit;

    if (memory.used > limit / 10 * 9) {
        n++;
        ngx_olivine_buffer_print(&b, "- Nine tenths of the memory allowed, "
                                 "%uz bytes, are used: commands that need "
                                 "more will soon be refused." CRLF, limit);
    }

    if (memory.dataset > NGX_OLIVINE_MEMORY_LITTLE
        && memory.active > memory.allocated * NGX_OLIVINE_MEMORY_RATIO
        && memory.active - memory.allocated > NGX_OLIVINE_MEMORY_BYTES)
    {
        n++;
        ngx_olivine_buffer_print(&b, "- Pages are used badly: %uz bytes of "
                                 "them hold %uz.  Keys of another size fill "
                                 "the gaps only in part." CRLF,
                                 memory.active, memory.allocated);
    }

    if (memory.resident > memory.active * NGX_OLIVINE_MEMORY_RATIO
        && memory.resident - memory.active > NGX_OLIVINE_MEMORY_BYTES)
    {
        n++;
        ngx_olivine_buffer_print(&b, "- %uz bytes are free and not yet "
                                 "returned to the system; MEMORY PURGE "
                                 "returns them now." CRLF,
                                 memory.resident - memory.active);
    }

    if (memory.private > memory.resident
        && memory.private > NGX_OLIVINE_MEMORY_BYTES)
    {
        n++;
        ngx_olivine_buffer_print(&b, "- The workers' own memory, %uz bytes, "
                                 "is more than the data's: clients send long "
                                 "requests, or are slow to read." CRLF,
                                 memory.private);
    }

    if (n == 0) {
        ngx_olivine_buffer_print(&b, "%s" CRLF,
                                 memory.dataset < NGX_OLIVINE_MEMORY_LITTLE
                                 ? "There is too little data to say anything "
                                   "of its memory."
                                 : "Nothing is remarkable about the memory.");
    }

    rc = b.failed ? NGX_ERROR
                  : ngx_olivine_reply_verbatim(cx->reply, "txt", b.data,
                                               b.len);

    ngx_olivine_buffer_free(&b);

    return rc;
}
