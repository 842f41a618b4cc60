
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>


#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE  0x100000
#endif

#define NGX_OLIVINE_ZONE_PREFIX   "olivine-"

/* samples in use that there is room for */
#define ngx_olivine_zone_samples(zone)                                        \
    ngx_min(ngx_max((zone)->reserve / NGX_OLIVINE_LIVE_PART,                  \
                    NGX_OLIVINE_LIVE_STEP), NGX_OLIVINE_LIVE_MAX)

/* bytes of memory that one more shard needs at the least */
#define NGX_OLIVINE_ZONE_SHARD    (1024 * 1024)


/*
 * Most changes of a layout show in the size of a struct, whether or not its
 * number was raised.
 */

#define NGX_OLIVINE_ZONE_SHAPE                                                \
    ((uint32_t) NGX_OLIVINE_ZONE_LAYOUT << 24                                 \
     | ((sizeof(ngx_olivine_zone_t) * 31 + sizeof(ngx_olivine_slot_t)) * 31   \
        + sizeof(ngx_olivine_arena_t) + sizeof(ngx_olivine_params_t))         \
       % 0x1000000)


static ngx_int_t ngx_olivine_zone_lay_out(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t *layout);
static ngx_int_t ngx_olivine_zone_link(DIR *dir, struct dirent *de,
    char *link, size_t size);
static u_char *ngx_olivine_zone_map(u_char *base, size_t reserve, int fd);
static ngx_int_t ngx_olivine_zone_fill(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t *layout, int fd);
static size_t ngx_olivine_zone_memory(void);
static void ngx_olivine_zone_close_bells(ngx_olivine_zone_t *zone);


ngx_int_t
ngx_olivine_zone_create(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t **zone, int *fd, ngx_str_t *err)
{
    char                 name[NGX_OLIVINE_ZONE_NAME + 16];
    u_char              *base;
    ngx_uint_t           i;
    ngx_olivine_zone_t   layout;

    if (ngx_olivine_zone_lay_out(conf, &layout) != NGX_OK) {
        ngx_str_set(err, "the zone is too small, it takes 8m at the least");
        return NGX_ERROR;
    }

    (void) ngx_sprintf((u_char *) name, NGX_OLIVINE_ZONE_PREFIX "%V%Z",
                       &conf->name);

    *fd = memfd_create(name, 0);

    if (*fd == -1) {
        ngx_str_set(err, "memfd_create() failed");
        return NGX_ERROR;
    }

    if (ftruncate(*fd, layout.reserve) == -1) {
        ngx_str_set(err, "ftruncate() of the zone's memory failed");
        goto failed;
    }

    for (i = 0; i < NGX_OLIVINE_ZONE_PLACES; i++) {
        base = (u_char *) NGX_OLIVINE_ZONE_BASE
               + i * NGX_OLIVINE_ZONE_STRIDE;

        if (ngx_olivine_zone_map(base, layout.reserve, *fd) == base) {
            break;
        }
    }

    if (i == NGX_OLIVINE_ZONE_PLACES) {
        ngx_str_set(err, "mmap() found no place for the zone");
        goto failed;
    }

    layout.base = base;

    if (ngx_olivine_zone_fill(conf, &layout, *fd) != NGX_OK) {
        ngx_str_set(err, "no memory for the zone");
        munmap(base, layout.reserve);
        goto failed;
    }

    *zone = (ngx_olivine_zone_t *) base;

    return NGX_OK;

failed:

    (void) close(*fd);
    *fd = -1;

    return NGX_ERROR;
}


ngx_int_t
ngx_olivine_zone_adopt(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t **zone, int *fd, ngx_str_t *err)
{
    char                 name[NGX_OLIVINE_ZONE_NAME + 32], link[256];
    DIR                 *dir;
    ngx_int_t            rc;
    struct dirent       *de;
    ngx_olivine_zone_t   header;

    (void) ngx_sprintf((u_char *) name, "/memfd:" NGX_OLIVINE_ZONE_PREFIX
                       "%V%Z", &conf->name);

    dir = opendir("/proc/self/fd");
    if (dir == NULL) {
        return NGX_DECLINED;
    }

    rc = NGX_DECLINED;

    while (rc == NGX_DECLINED && (de = readdir(dir)) != NULL) {

        if (ngx_olivine_zone_link(dir, de, link, sizeof(link)) != NGX_OK
            || ngx_strncmp(link, name, ngx_strlen(name)) != 0
            || (link[ngx_strlen(name)] != ' '
                && link[ngx_strlen(name)] != '\0'))
        {
            continue;
        }

        *fd = ngx_atoi((u_char *) de->d_name, ngx_strlen(de->d_name));
        rc = NGX_OK;
    }

    (void) closedir(dir);

    if (rc != NGX_OK) {
        return rc;
    }

    if (pread(*fd, &header, sizeof(header), 0) != (ssize_t) sizeof(header)
        || header.magic != NGX_OLIVINE_ZONE_MAGIC
        || header.layout != NGX_OLIVINE_ZONE_SHAPE
        || !header.ready)
    {
        ngx_set_errno(0);
        ngx_str_set(err, "the living zone has another layout, this program "
                    "cannot go on with it but by a restart");
        return NGX_ERROR;
    }

    if (ngx_olivine_zone_map(header.base, header.reserve, *fd) != header.base)
    {
        ngx_str_set(err, "mmap() of the living zone at its address failed");
        return NGX_ERROR;
    }

    *zone = (ngx_olivine_zone_t *) header.base;

    if (ngx_olivine_zone_check(conf, *zone, err) != NGX_OK) {
        (void) munmap(header.base, header.reserve);
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_olivine_zone_drop(int *list, ngx_uint_t n)
{
    int                  fd;
    char                 link[256];
    DIR                 *dir;
    ngx_uint_t           i;
    struct dirent       *de;
    ngx_olivine_zone_t   header;

    dir = opendir("/proc/self/fd");
    if (dir == NULL) {
        return;
    }

    while ((de = readdir(dir)) != NULL) {

        if (ngx_olivine_zone_link(dir, de, link, sizeof(link)) != NGX_OK
            || ngx_strncmp(link, "/memfd:" NGX_OLIVINE_ZONE_PREFIX,
                           sizeof("/memfd:" NGX_OLIVINE_ZONE_PREFIX) - 1)
               != 0)
        {
            continue;
        }

        fd = ngx_atoi((u_char *) de->d_name, ngx_strlen(de->d_name));

        for (i = 0; i < n && list[i] != fd; i++) { /* void */ }

        if (i < n) {
            continue;
        }

        /* of another layout it is not known where its doorbells are */

        if (pread(fd, &header, sizeof(header), 0) == (ssize_t) sizeof(header)
            && header.magic == NGX_OLIVINE_ZONE_MAGIC
            && header.layout == NGX_OLIVINE_ZONE_SHAPE)
        {
            ngx_olivine_zone_close_bells(&header);
        }

        (void) close(fd);
    }

    (void) closedir(dir);
}


/* What a descriptor of this process is; OK or DECLINED. */

static ngx_int_t
ngx_olivine_zone_link(DIR *dir, struct dirent *de, char *link, size_t size)
{
    ssize_t  n;

    n = readlinkat(dirfd(dir), de->d_name, link, size - 1);

    if (n <= 0) {
        return NGX_DECLINED;
    }

    link[n] = '\0';

    return NGX_OK;
}


ngx_int_t
ngx_olivine_zone_check(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t *zone, ngx_str_t *err)
{
    ngx_set_errno(0);

    if (zone->layout != NGX_OLIVINE_ZONE_SHAPE) {
        ngx_str_set(err, "the living zone has another layout, this program "
                    "cannot go on with it but by a restart");
        return NGX_ERROR;
    }

    if (zone->shard_size != ngx_align(conf->shard_size, 128)) {
        ngx_str_set(err, "the living zone has another number of databases, "
                    "a restart can change it");
        return NGX_ERROR;
    }

    if (conf->shards && conf->shards != zone->nshards) {
        ngx_str_set(err, "the living zone has another number of shards");
        return NGX_ERROR;
    }

    if (conf->limit < NGX_OLIVINE_ZONE_MIN) {
        ngx_str_set(err, "the zone is too small, it takes 8m at the least");
        return NGX_ERROR;
    }

    if (conf->limit > zone->limit && conf->limit > zone->reserve / 2) {
        ngx_str_set(err, "the living zone cannot grow to that size, "
                    "a restart can");
        return NGX_ERROR;
    }

    return NGX_OK;
}


void
ngx_olivine_zone_resize(ngx_olivine_zone_t *zone, size_t limit)
{
    zone->limit = limit;
    __atomic_store_n(&zone->heap.limit,
                     ngx_olivine_pages(limit - ngx_min(zone->fixed,
                                                       limit / 2)),
                     __ATOMIC_RELAXED);
}


void
ngx_olivine_zone_destroy(ngx_olivine_zone_t *zone, int fd)
{
    ngx_olivine_zone_close_bells(zone);

    (void) munmap(zone->base, zone->reserve);
    (void) close(fd);
}


ngx_int_t
ngx_olivine_zone_back(ngx_olivine_zone_t *zone, int fd, void *p, size_t size)
{
    int       rc;
    off_t     offset;
    sigset_t  set, old;

    offset = (u_char *) p - zone->base;

    /* a profile's signals would interrupt a long one for ever */

    (void) sigemptyset(&set);
    (void) sigaddset(&set, SIGPROF);
    (void) pthread_sigmask(SIG_BLOCK, &set, &old);

    do {
        rc = fallocate(fd, 0, offset, size);
    } while (rc == -1 && errno == EINTR);

    (void) pthread_sigmask(SIG_SETMASK, &old, NULL);

    return rc == 0 ? NGX_OK : NGX_ERROR;
}


size_t
ngx_olivine_zone_used(ngx_olivine_zone_t *zone)
{
    size_t      used, pages;
    ngx_uint_t  i;

    /*
     * What the heap has given out but no shard counts: journals, arguments
     * coming in, holdings, the ring and what it refers to.
     */

    used = zone->fixed;
    pages = zone->heap.receipts + zone->heap.orphans + zone->ring.copies;
    used += pages << NGX_OLIVINE_PAGE_SHIFT;
    used += zone->ring.size;

    for (i = 0; i < zone->nshards; i++) {
        used += ngx_olivine_zone_arena(zone, i)->used;
    }

    used += zone->slots_high * NGX_OLIVINE_SLOT_SIZE;
    used += ngx_olivine_stats_size(zone);
    used += zone->sampling->size;

    used += (size_t) zone->rows.backed * NGX_OLIVINE_ROW_SIZE;

    if (zone->peak < used) {
        zone->peak = used;
    }

    return used;
}


int64_t
ngx_olivine_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_REALTIME, &ts);

    return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}


/* Computes sizes and offsets; addresses are still relative to 0. */

static ngx_int_t
ngx_olivine_zone_lay_out(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t *layout)
{
    size_t      at, memory, places;
    ngx_uint_t  n;

    ngx_memzero(layout, sizeof(ngx_olivine_zone_t));

    if (conf->limit < NGX_OLIVINE_ZONE_MIN) {
        return NGX_ERROR;
    }

    n = conf->shards;

    if (n == 0) {
        for (n = 1; n < NGX_OLIVINE_MAX_SHARDS; n *= 2) {
            if (n * 2 * NGX_OLIVINE_ZONE_SHARD > conf->limit) {
                break;
            }
        }
    }

    layout->nshards = n;
    layout->shard_bits = __builtin_ctz(n);
    layout->shard_size = ngx_align(conf->shard_size, 128);
    layout->limit = conf->limit;

    layout->reserve = conf->reserve;

    if (layout->reserve == 0) {
        memory = ngx_olivine_zone_memory();
        layout->reserve = ngx_max(conf->limit, memory) * 4;
        layout->reserve = ngx_min(layout->reserve,
                                  NGX_OLIVINE_ZONE_STRIDE);
    }

    layout->reserve = ngx_align(layout->reserve, (1 << 21));

    if (layout->reserve < conf->limit
        || layout->reserve > NGX_OLIVINE_ZONE_STRIDE)
    {
        return NGX_ERROR;
    }

    at = ngx_align(sizeof(ngx_olivine_zone_t), NGX_OLIVINE_PAGE);

    layout->shards = (u_char *) at;
    at = ngx_align(at + n * layout->shard_size, NGX_OLIVINE_PAGE);

    layout->totals = (ngx_olivine_totals_t *) at;
    at = ngx_align(at + sizeof(ngx_olivine_totals_t), NGX_OLIVINE_PAGE);

    layout->sampling = (ngx_olivine_sampling_t *) at;
    at = ngx_align(at + sizeof(ngx_olivine_sampling_t), NGX_OLIVINE_PAGE);

    layout->slots = (u_char *) at;
    layout->fixed = at;
    at += NGX_OLIVINE_MAX_SLOTS * NGX_OLIVINE_SLOT_SIZE;

    places = layout->reserve / NGX_OLIVINE_ROW_PART / NGX_OLIVINE_ROW_SIZE;
    places = ngx_min(places, NGX_OLIVINE_ROW_MAX);

    layout->row_table = (u_char *) at;
    at = ngx_align(at + places * NGX_OLIVINE_ROW_SIZE, NGX_OLIVINE_PAGE);

    ngx_olivine_row_init(layout, places);

    layout->stats = (u_char *) at;
    at += NGX_OLIVINE_MAX_SLOTS * NGX_OLIVINE_STATS_SIZE;

    layout->gone = (u_char *) at;
    at += NGX_OLIVINE_STATS_GONE;

    layout->slowlog = (u_char *) at;
    at += NGX_OLIVINE_SLOWLOGS * NGX_OLIVINE_SLOWLOG_MAX;

    layout->samples = (u_char *) at;
    at += NGX_OLIVINE_MAX_SLOTS * NGX_OLIVINE_SAMPLE_SIZE;

    layout->live = (u_char *) at;
    at = ngx_align(at + ngx_olivine_zone_samples(layout)
                        * sizeof(ngx_olivine_live_t), NGX_OLIVINE_PAGE);

    layout->monitor_ring = (u_char *) at;
    at += ngx_olivine_monitor_size(conf->limit);

    layout->hotkeys_tables = (u_char *) at;
    at = ngx_align(at + NGX_OLIVINE_HOTKEYS_METRICS
                        * sizeof(ngx_olivine_hotkeys_table_t),
                   NGX_OLIVINE_PAGE);

    layout->pages = (ngx_olivine_page_t *) at;

    return NGX_OK;
}


static u_char *
ngx_olivine_zone_map(u_char *base, size_t reserve, int fd)
{
    u_char  *p;

    p = mmap(base, reserve, PROT_READ|PROT_WRITE,
             MAP_SHARED|MAP_FIXED_NOREPLACE|MAP_NORESERVE, fd, 0);

    if (p == MAP_FAILED) {
        return NULL;
    }

    if (p != base) {
        (void) munmap(p, reserve);      /* an old kernel: only a hint */
        return NULL;
    }

    (void) madvise(p, reserve, MADV_DONTDUMP);

    return p;
}


static ngx_int_t
ngx_olivine_zone_fill(ngx_olivine_zone_conf_t *conf,
    ngx_olivine_zone_t *layout, int fd)
{
    size_t               total, at, described;
    uint32_t             first, last;
    ngx_uint_t           i;
    ngx_olivine_zone_t  *zone;

    zone = (ngx_olivine_zone_t *) layout->base;

    total = layout->reserve >> NGX_OLIVINE_PAGE_SHIFT;
    at = (size_t) layout->pages + total * sizeof(ngx_olivine_page_t);
    first = ngx_olivine_pages(at);
    last = total;

    /* a step of descriptors, and the one that ends the heap's only run */

    described = ngx_min(first + 4096, last);

    layout->shards = layout->base + (size_t) layout->shards;
    layout->totals = (ngx_olivine_totals_t *)
                         (layout->base + (size_t) layout->totals);
    layout->slots = layout->base + (size_t) layout->slots;
    layout->row_table = layout->base + (size_t) layout->row_table;
    layout->stats = layout->base + (size_t) layout->stats;
    layout->gone = layout->base + (size_t) layout->gone;
    layout->slowlog = layout->base + (size_t) layout->slowlog;
    layout->sampling = (ngx_olivine_sampling_t *)
                           (layout->base + (size_t) layout->sampling);
    layout->samples = layout->base + (size_t) layout->samples;
    layout->live = layout->base + (size_t) layout->live;
    layout->monitor_ring = layout->base + (size_t) layout->monitor_ring;
    layout->hotkeys_tables = layout->base + (size_t) layout->hotkeys_tables;
    layout->pages = (ngx_olivine_page_t *)
                        (layout->base + (size_t) layout->pages);

    /* another zone may have been there */

    ngx_olivine_unpoison(layout->base,
                         (size_t) first << NGX_OLIVINE_PAGE_SHIFT);

    if (ngx_olivine_zone_back(layout, fd, layout->base, layout->fixed)
            != NGX_OK
        || ngx_olivine_zone_back(layout, fd, &layout->pages[first],
                                 (described - first)
                                 * sizeof(ngx_olivine_page_t)) != NGX_OK
        || ngx_olivine_zone_back(layout, fd, &layout->pages[last - 1],
                                 sizeof(ngx_olivine_page_t)) != NGX_OK
        || ngx_olivine_zone_back(layout, fd, layout->live,
                                 NGX_OLIVINE_LIVE_STEP
                                 * sizeof(ngx_olivine_live_t)) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *zone = *layout;

    if (getrandom(zone->seed, sizeof(zone->seed), 0)
        != (ssize_t) sizeof(zone->seed))
    {
        return NGX_ERROR;
    }

    (void) ngx_cpystrn(zone->name, conf->name.data,
                       ngx_min(conf->name.len + 1, NGX_OLIVINE_ZONE_NAME));

    for (i = 0; i < NGX_OLIVINE_ZONE_BELLS; i++) {
        zone->bells[i] = -1;
    }

    for (i = 0; i < NGX_OLIVINE_ZONE_BELLS; i++) {
        zone->bells[i] = eventfd(0, EFD_NONBLOCK);

        if (zone->bells[i] == -1) {
            ngx_olivine_zone_close_bells(zone);
            return NGX_ERROR;
        }
    }

    if (ngx_olivine_slot_init(zone) != NGX_OK) {
        ngx_olivine_zone_close_bells(zone);
        return NGX_ERROR;
    }

    for (i = 0; i < zone->nshards; i++) {
        ngx_olivine_arena_init(ngx_olivine_zone_arena(zone, i), i);
    }

    ngx_olivine_heap_init(zone, first, last, described, 0);
    ngx_olivine_zone_resize(zone, conf->limit);

    if (conf->params) {
        zone->params = *conf->params;
        zone->file = *conf->params;
    }

    at = ngx_max(zone->limit / NGX_OLIVINE_SLOWLOG_PART,
                 NGX_OLIVINE_SLOWLOG_MIN);
    at = ngx_align(ngx_min(at, NGX_OLIVINE_SLOWLOG_MAX), NGX_OLIVINE_PAGE);

    for (i = 0; i < NGX_OLIVINE_SLOWLOGS; i++) {
        zone->totals->slowlogs[i].size = at;
    }

    zone->sampling->high = 1;
    zone->sampling->backed = NGX_OLIVINE_LIVE_STEP;
    zone->sampling->places = ngx_olivine_zone_samples(zone);
    zone->sampling->size = NGX_OLIVINE_LIVE_STEP * sizeof(ngx_olivine_live_t);

    zone->monitor.size = ngx_olivine_monitor_size(zone->limit);

    zone->started = ngx_olivine_now();
    zone->persist.save.saved_at = zone->started / 1000;
    zone->magic = NGX_OLIVINE_ZONE_MAGIC;
    zone->layout = NGX_OLIVINE_ZONE_SHAPE;

    ngx_olivine_barrier();

    zone->ready = 1;

    return NGX_OK;
}


static size_t
ngx_olivine_zone_memory(void)
{
    long  pages, size;

    pages = sysconf(_SC_PHYS_PAGES);
    size = sysconf(_SC_PAGESIZE);

    if (pages <= 0 || size <= 0) {
        return 0;
    }

    return (size_t) pages * size;
}


static void
ngx_olivine_zone_close_bells(ngx_olivine_zone_t *zone)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_OLIVINE_ZONE_BELLS; i++) {
        if (zone->bells[i] != -1) {
            (void) close(zone->bells[i]);
        }
    }
}
