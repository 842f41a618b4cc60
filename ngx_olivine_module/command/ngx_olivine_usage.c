
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_usage.h"

#include <sys/resource.h>


#define NGX_OLIVINE_USAGE_STAT    1024

/* fields of /proc/PID/stat behind the name, which may hold anything */
#define NGX_OLIVINE_USAGE_UTIME   12


static void ngx_olivine_usage_add(ngx_olivine_usage_t *usage, int who);
static size_t ngx_olivine_usage_private(ngx_olivine_zone_t *zone);
static size_t ngx_olivine_usage_table(ngx_olivine_table_t *table);
static ssize_t ngx_olivine_usage_read(uint32_t pid, const char *name,
    u_char *text);
static uint64_t ngx_olivine_usage_field(u_char *p, u_char *last,
    ngx_uint_t n);


void
ngx_olivine_usage_workers(ngx_olivine_zone_t *zone, ngx_olivine_usage_t *usage)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    ngx_memzero(usage, sizeof(ngx_olivine_usage_t));
    ngx_olivine_usage_add(usage, RUSAGE_SELF);

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE
            && slot->pid != (uint32_t) ngx_getpid())
        {
            ngx_olivine_usage_process(slot->pid, usage);
        }
    }
}


void
ngx_olivine_usage_ticks(ngx_olivine_zone_t *zone, ngx_olivine_usage_t *usage)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    ngx_memzero(usage, sizeof(ngx_olivine_usage_t));

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE) {
            ngx_olivine_usage_process(slot->pid, usage);
        }
    }
}


void
ngx_olivine_usage_thread(ngx_olivine_usage_t *usage)
{
    ngx_memzero(usage, sizeof(ngx_olivine_usage_t));
    ngx_olivine_usage_add(usage, RUSAGE_THREAD);
}


static void
ngx_olivine_usage_add(ngx_olivine_usage_t *usage, int who)
{
    struct rusage  ru;

    if (getrusage(who, &ru) == -1) {
        return;
    }

    usage->user += (uint64_t) ru.ru_utime.tv_sec * 1000000
                   + ru.ru_utime.tv_usec;
    usage->sys += (uint64_t) ru.ru_stime.tv_sec * 1000000
                  + ru.ru_stime.tv_usec;
}


void
ngx_olivine_usage_process(uint32_t pid, ngx_olivine_usage_t *usage)
{
    u_char    stat[NGX_OLIVINE_USAGE_STAT], *p, *last;
    ssize_t   n;
    uint64_t  tick;

    n = ngx_olivine_usage_read(pid, "stat", stat);
    if (n <= 0) {
        return;
    }

    last = stat + n;

    for (p = last; p > stat && p[-1] != ')'; p--) { /* void */ }

    tick = 1000000 / sysconf(_SC_CLK_TCK);

    usage->user += tick * ngx_olivine_usage_field(p, last,
                                                  NGX_OLIVINE_USAGE_UTIME);
    usage->sys += tick * ngx_olivine_usage_field(p, last,
                                                 NGX_OLIVINE_USAGE_UTIME + 1);
}


void
ngx_olivine_usage_memory(ngx_olivine_zone_t *zone,
    ngx_olivine_usage_memory_t *memory)
{
    size_t      beside;
    uint64_t    keys, expires;
    ngx_uint_t  i;

    ngx_memzero(memory, sizeof(ngx_olivine_usage_memory_t));

    memory->used = ngx_olivine_zone_used(zone);
    memory->startup = zone->fixed;

    for (i = 0; i < zone->nshards; i++) {
        memory->dataset += ngx_olivine_zone_arena(zone, i)->used;
    }

    for (i = 0; i < (ngx_uint_t) zone->params.databases; i++) {
        ngx_olivine_store_count(zone, i, &keys, &expires);

        if (keys) {
            memory->tables += ngx_olivine_usage_tables(zone, i);
            memory->keys += keys;
        }
    }

    memory->dataset -= ngx_min(memory->tables, memory->dataset);

    /* what lies beside the page heap has no holes */

    beside = zone->fixed + zone->slots_high * NGX_OLIVINE_SLOT_SIZE
             + ngx_olivine_stats_size(zone);

    memory->allocated = memory->used;
    memory->active = ngx_max(beside
                             + (zone->heap.used << NGX_OLIVINE_PAGE_SHIFT),
                             memory->used);
    memory->resident = ngx_max(beside
                               + (zone->heap.backed << NGX_OLIVINE_PAGE_SHIFT),
                               memory->active);
    memory->private = ngx_olivine_usage_private(zone);
    memory->rss = memory->resident + memory->private;
}


size_t
ngx_olivine_usage_tables(ngx_olivine_zone_t *zone, ngx_uint_t db)
{
    size_t                size;
    ngx_uint_t            i;
    ngx_olivine_table_t  *table;

    size = 0;

    for (i = 0; i < zone->nshards; i++) {
        table = ngx_olivine_store_shard(zone, i)->tables[db];

        if (table) {
            size += ngx_olivine_usage_table(table);
        }
    }

    return size;
}


static size_t
ngx_olivine_usage_table(ngx_olivine_table_t *table)
{
    return sizeof(ngx_olivine_table_t)
           + table->room * sizeof(ngx_olivine_segment_t)
           + table->buckets * sizeof(ngx_olivine_bucket_t);
}


void
ngx_olivine_usage_shard(ngx_olivine_zone_t *zone, ngx_uint_t n,
    ngx_olivine_usage_shard_t *sum)
{
    int64_t               db;
    ngx_uint_t            i;
    ngx_olivine_shard_t  *shard;
    ngx_olivine_table_t  *table;

    ngx_memzero(sum, sizeof(ngx_olivine_usage_shard_t));

    shard = ngx_olivine_store_shard(zone, n);

    for (db = 0; db < zone->params.databases; db++) {

        table = shard->tables[db];

        if (table) {
            sum->keys += table->keys;
            sum->expires += table->expires;
            sum->tables += ngx_olivine_usage_table(table);
        }
    }

    for (i = 0; i < NGX_OLIVINE_ARENA_CLASSES; i++) {
        sum->arena += (size_t) shard->arena.classes[i].pages
                      << NGX_OLIVINE_PAGE_SHIFT;
    }

    sum->used = shard->arena.used;
    sum->images = shard->images_size;
}


void
ngx_olivine_usage_sums(ngx_olivine_zone_t *zone, uint32_t cycle,
    ngx_olivine_usage_sums_t *sums)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    ngx_memzero(sums, sizeof(ngx_olivine_usage_sums_t));

    ngx_olivine_slot_counters(zone, &sums->counters);

    sums->longest_turn = zone->longest_turn;
    sums->longest_hold = zone->longest_hold;

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state != NGX_OLIVINE_SLOT_LIVE) {
            continue;
        }

        if (slot->cycle == cycle) {
            sums->workers++;
        }

        sums->clients += slot->clients;
        sums->blocked += slot->blocked;
        sums->watching += slot->watching;
        sums->watched += slot->watched;
        sums->buffers += slot->buffers;

        if (!ngx_olivine_slot_counts(zone, i)) {
            continue;
        }

        sums->rates.commands += slot->rates.commands;
        sums->rates.bytes_in += slot->rates.bytes_in;
        sums->rates.bytes_out += slot->rates.bytes_out;
        sums->rates.turns += slot->rates.turns;
        sums->rates.turns_ns += slot->rates.turns_ns;
        sums->longest_turn = ngx_max(sums->longest_turn, slot->longest_turn);
        sums->longest_hold = ngx_max(sums->longest_hold, slot->longest_hold);
    }
}


/* Pages of the workers that live which are not shared. */

static size_t
ngx_olivine_usage_private(ngx_olivine_zone_t *zone)
{
    u_char               text[NGX_OLIVINE_USAGE_STAT];
    size_t               pages, resident, shared;
    ssize_t              n;
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    pages = 0;

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state != NGX_OLIVINE_SLOT_LIVE) {
            continue;
        }

        n = ngx_olivine_usage_read(slot->pid, "statm", text);
        if (n <= 0) {
            continue;
        }

        resident = ngx_olivine_usage_field(text, text + n, 1);
        shared = ngx_olivine_usage_field(text, text + n, 2);

        pages += resident - ngx_min(shared, resident);
    }

    return pages * sysconf(_SC_PAGESIZE);
}


static ssize_t
ngx_olivine_usage_read(uint32_t pid, const char *name, u_char *text)
{
    int      fd;
    u_char   path[64];
    ssize_t  n;

    (void) ngx_sprintf(path, "/proc/%uD/%s%Z", pid, name);

    fd = open((char *) path, O_RDONLY|O_CLOEXEC);

    if (fd == -1) {
        return -1;
    }

    n = read(fd, text, NGX_OLIVINE_USAGE_STAT);

    (void) close(fd);

    return n;
}


/* the number behind the n-th blank */

static uint64_t
ngx_olivine_usage_field(u_char *p, u_char *last, ngx_uint_t n)
{
    uint64_t  value;

    for ( /* void */ ; p < last && n; p++) {
        n -= (*p == ' ');
    }

    value = 0;

    for ( /* void */ ; p < last && *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (*p - '0');
    }

    return value;
}
