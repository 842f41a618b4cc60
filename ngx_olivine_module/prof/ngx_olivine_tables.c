
/*
 * Copyright (C) The Olivine authors
 */


#include "prof/ngx_olivine_tables.h"
#include "mem/ngx_olivine_journal.h"
#include "type/ngx_olivine_type.h"

#include <time.h>


/* functions at one place: itself, and those it is inlined in */
#define NGX_OLIVINE_TABLES_INLINED  8

/* frames of a stack, and why it does not run */
#define NGX_OLIVINE_TABLES_FRAMES                                             \
    (NGX_OLIVINE_SAMPLE_SITES * NGX_OLIVINE_TABLES_INLINED + 1)

#define NGX_OLIVINE_TABLES_LABELS   3

/* places known at first; their number is a power of two */
#define NGX_OLIVINE_TABLES_PLACES   1024

/* bytes of a build's id that tell of it */
#define NGX_OLIVINE_TABLES_BYTES    4

#define NGX_OLIVINE_TABLES_TEXT     64


/* A place in the code, looked up once. */
typedef struct {
    uint64_t                     site;           /* 0: none */
    ngx_uint_t                   n;
    ngx_olivine_profile_frame_t *frames;
} ngx_olivine_tables_place_t;


/* in use, by row */
typedef struct {
    uint64_t                     count;
    uint64_t                     sum;
} ngx_olivine_tables_live_t;


typedef struct {
    ngx_olivine_zone_t          *zone;
    ngx_olivine_symbols_t       *symbols;
    ngx_olivine_profile_t       *profile;
    ngx_olivine_sample_e         kind;

    ngx_olivine_code_t           code;
    ngx_uint_t                   build;          /* our own's number, or 0 */

    ngx_olivine_tables_place_t  *places;
    ngx_uint_t                   nplaces;
    ngx_uint_t                   room;

    ngx_olivine_tables_live_t   *live[NGX_OLIVINE_MAX_SLOTS];
    uint32_t                     rows[NGX_OLIVINE_MAX_SLOTS];
} ngx_olivine_tables_t;


static ngx_int_t ngx_olivine_tables_fill(ngx_olivine_tables_t *tables);
static ngx_int_t ngx_olivine_tables_live(ngx_olivine_tables_t *tables);
static ngx_int_t ngx_olivine_tables_row(ngx_olivine_tables_t *tables,
    ngx_uint_t slot, ngx_uint_t n);
static ngx_uint_t ngx_olivine_tables_labels(ngx_olivine_tables_t *tables,
    ngx_olivine_sample_row_t *row, ngx_olivine_profile_label_t *labels);
static ngx_int_t ngx_olivine_tables_frames(ngx_olivine_tables_t *tables,
    ngx_olivine_sample_row_t *row, ngx_olivine_profile_frame_t *frames,
    ngx_uint_t *n);
static void ngx_olivine_tables_name(ngx_olivine_profile_frame_t *frame,
    ngx_str_t *name);
static ngx_olivine_tables_place_t *ngx_olivine_tables_place(
    ngx_olivine_tables_t *tables, uint64_t site);
static ngx_int_t ngx_olivine_tables_grow(ngx_olivine_tables_t *tables);
static ngx_int_t ngx_olivine_tables_look(ngx_olivine_tables_t *tables,
    ngx_olivine_tables_place_t *place, uint64_t site);
static size_t ngx_olivine_tables_text(ngx_olivine_tables_t *tables,
    uint64_t site, u_char *text);


static const ngx_olivine_profile_kind_t  ngx_olivine_tables_heap[] = {
    { "alloc_objects", "count" },
    { "alloc_space", "bytes" },
    { "inuse_objects", "count" },
    { "inuse_space", "bytes" }
};

static const ngx_olivine_profile_kind_t  ngx_olivine_tables_waits[] = {
    { "contentions", "count" },
    { "delay", "nanoseconds" }
};

static ngx_str_t  ngx_olivine_tables_why[NGX_OLIVINE_BLOCKS] = {
    ngx_string(""),
    ngx_string("[asleep: lock]"),
    ngx_string("[parked: gate]"),
    ngx_string("[parked: log is full]"),
    ngx_string("[parked: client pause]"),
    ngx_string("[parked: sleep]"),
    ngx_string("[held: append-only file]"),
    ngx_string("[held: appendfsync always]"),
    ngx_string("[disk: write append-only file]"),
    ngx_string("[disk: sync append-only file]"),
    ngx_string("[disk: write snapshot]"),
    ngx_string("[disk: sync snapshot]")
};

static ngx_str_t  ngx_olivine_tables_other = ngx_string("[other]");
static ngx_str_t  ngx_olivine_tables_unknown = ngx_string("[unknown]");


ngx_olivine_profile_t *
ngx_olivine_tables_profile(ngx_olivine_zone_t *zone, ngx_olivine_tables_e kind,
    ngx_olivine_symbols_t *symbols)
{
    ngx_int_t              rc;
    ngx_uint_t             i, heap;
    struct timespec        ts;
    ngx_olivine_tables_t   tables;

    ngx_memzero(&tables, sizeof(ngx_olivine_tables_t));

    heap = (kind == NGX_OLIVINE_TABLES_HEAP
            || kind == NGX_OLIVINE_TABLES_ALLOCS);

    tables.zone = zone;
    tables.symbols = symbols;
    tables.kind = heap ? NGX_OLIVINE_SAMPLE_HEAP
                  : kind == NGX_OLIVINE_TABLES_MUTEX
                    ? NGX_OLIVINE_SAMPLE_MUTEX : NGX_OLIVINE_SAMPLE_BLOCK;

    tables.profile = heap
                     ? ngx_olivine_profile_create(ngx_olivine_tables_heap, 4)
                     : ngx_olivine_profile_create(ngx_olivine_tables_waits, 2);

    if (tables.profile == NULL) {
        return NULL;
    }

    if (heap) {
        ngx_olivine_profile_period(tables.profile, "space", "bytes",
                                   zone->params.heap_sample_bytes);
        ngx_olivine_profile_default(tables.profile,
                                    kind == NGX_OLIVINE_TABLES_HEAP
                                    ? "inuse_space" : "alloc_space");
    } else {
        ngx_olivine_profile_period(tables.profile, "contentions", "count", 1);
    }

    (void) clock_gettime(CLOCK_REALTIME, &ts);

    ngx_olivine_profile_time(tables.profile,
                             (int64_t) ts.tv_sec * 1000000000 + ts.tv_nsec, 0);

    rc = ngx_olivine_tables_fill(&tables);

    for (i = 0; i < tables.room; i++) {
        if (tables.places[i].site) {
            ngx_free(tables.places[i].frames);
        }
    }

    if (tables.places) {
        ngx_free(tables.places);
    }

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        if (tables.live[i]) {
            ngx_free(tables.live[i]);
        }
    }

    if (rc != NGX_OK) {
        ngx_olivine_profile_destroy(tables.profile);
        return NULL;
    }

    return tables.profile;
}


static ngx_int_t
ngx_olivine_tables_fill(ngx_olivine_tables_t *tables)
{
    uint32_t             i, n;
    ngx_uint_t           slot, slots;
    ngx_olivine_zone_t  *zone;

    zone = tables->zone;

    if (ngx_olivine_build_self(&tables->code) == NGX_OK) {
        tables->build = ngx_olivine_build_number(zone->sampling->builds,
                                                 &tables->code, 0);
    }

    slots = __atomic_load_n(&zone->slots_high, __ATOMIC_ACQUIRE);

    for (slot = 0; slot < slots; slot++) {
        n = __atomic_load_n(&ngx_olivine_sample_table(zone, slot)->n,
                            __ATOMIC_ACQUIRE);

        tables->rows[slot] = ngx_min(n, NGX_OLIVINE_SAMPLE_ROWS);
    }

    if (ngx_olivine_tables_grow(tables) != NGX_OK
        || (tables->kind == NGX_OLIVINE_SAMPLE_HEAP
            && ngx_olivine_tables_live(tables) != NGX_OK))
    {
        return NGX_ERROR;
    }

    for (slot = 0; slot < slots; slot++) {
        for (i = 0; i < tables->rows[slot]; i++) {
            if (ngx_olivine_tables_row(tables, slot, i) != NGX_OK) {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


/*
 * A sample that is freed and taken anew meanwhile may be seen with a half of
 * each; that is as rare as it is harmless, and nothing in it is trusted.
 */

static ngx_int_t
ngx_olivine_tables_live(ngx_olivine_tables_t *tables)
{
    uint32_t                    i, high, row;
    ngx_uint_t                  slot;
    ngx_olivine_live_t          sample;
    ngx_olivine_zone_t         *zone;
    ngx_olivine_tables_live_t  *live;

    zone = tables->zone;

    for (slot = 0; slot < NGX_OLIVINE_MAX_SLOTS; slot++) {

        if (tables->rows[slot] == 0) {
            continue;
        }

        tables->live[slot] = ngx_calloc(tables->rows[slot]
                                        * sizeof(ngx_olivine_tables_live_t),
                                        ngx_cycle->log);

        if (tables->live[slot] == NULL) {
            return NGX_ERROR;
        }
    }

    high = __atomic_load_n(&zone->sampling->high, __ATOMIC_ACQUIRE);
    high = ngx_min(high, zone->sampling->backed);

    for (i = 1; i < high; i++) {
        sample = *(volatile ngx_olivine_live_t *)
                     ngx_olivine_sample_live(zone, i);

        row = sample.row - 1;
        slot = sample.slot;

        if (sample.row == 0 || slot >= NGX_OLIVINE_MAX_SLOTS
            || row >= tables->rows[slot])
        {
            continue;
        }

        live = &tables->live[slot][row];
        live->count += sample.count;
        live->sum += sample.sum;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_tables_row(ngx_olivine_tables_t *tables, ngx_uint_t slot,
    ngx_uint_t n)
{
    int64_t                       values[4];
    ngx_uint_t                    nframes, nlabels;
    ngx_olivine_tables_live_t    *live;
    ngx_olivine_sample_row_t      row;
    ngx_olivine_profile_label_t   labels[NGX_OLIVINE_TABLES_LABELS];
    ngx_olivine_profile_frame_t   frames[NGX_OLIVINE_TABLES_FRAMES];

    row = ngx_olivine_sample_table(tables->zone, slot)->rows[n];

    if (row.kind != tables->kind || row.count == 0
        || row.n > NGX_OLIVINE_SAMPLE_SITES)
    {
        return NGX_OK;
    }

    if (tables->kind == NGX_OLIVINE_SAMPLE_HEAP) {
        live = &tables->live[slot][n];

        values[0] = (row.count + NGX_OLIVINE_SAMPLE_UNIT / 2)
                    / NGX_OLIVINE_SAMPLE_UNIT;
        values[1] = row.sum;
        values[2] = (live->count + NGX_OLIVINE_SAMPLE_UNIT / 2)
                    / NGX_OLIVINE_SAMPLE_UNIT;
        values[3] = live->sum;

    } else {
        values[0] = row.count;
        values[1] = row.sum;
    }

    if (n < NGX_OLIVINE_SAMPLE_KINDS) {
        ngx_olivine_tables_name(&frames[0], &ngx_olivine_tables_other);
        nframes = 1;
        nlabels = 0;

    } else {
        if (ngx_olivine_tables_frames(tables, &row, frames, &nframes)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        nlabels = ngx_olivine_tables_labels(tables, &row, labels);
    }

    return ngx_olivine_profile_add(tables->profile, frames, nframes, values,
                                   labels, nlabels);
}


static ngx_uint_t
ngx_olivine_tables_labels(ngx_olivine_tables_t *tables,
    ngx_olivine_sample_row_t *row, ngx_olivine_profile_label_t *labels)
{
    ngx_str_t   text;
    ngx_uint_t  n, kind;

    static ngx_str_t  pages[NGX_OLIVINE_PAGE_KINDS] = {
        [NGX_OLIVINE_PAGE_TABLE] = ngx_string("[table]"),
        [NGX_OLIVINE_PAGE_VALUE] = ngx_string("[value]"),
        [NGX_OLIVINE_PAGE_JOURNAL] = ngx_string("[journal]"),
        [NGX_OLIVINE_PAGE_HOLDINGS] = ngx_string("[holdings]"),
        [NGX_OLIVINE_PAGE_RING] = ngx_string("[log]"),
        [NGX_OLIVINE_PAGE_LOG] = ngx_string("[log]")
    };

    n = 0;
    ngx_memzero(labels, NGX_OLIVINE_TABLES_LABELS
                        * sizeof(ngx_olivine_profile_label_t));

    if (row->command && row->command <= NGX_OLIVINE_STATS_COMMANDS) {
        text.data = tables->zone->totals->commands[row->command - 1].name;
        text.len = ngx_strlen(text.data);

        labels[n].key = "command";
        labels[n++].text = text;
    }

    ngx_str_null(&text);

    if (row->kind != NGX_OLIVINE_SAMPLE_HEAP) {
        if (row->label && row->label < NGX_OLIVINE_SAMPLE_LOCKS) {
            labels[n].key = "lock";
            labels[n++].text = ngx_olivine_sample_locks[row->label];
        }

        return n;
    }

    if (row->label & NGX_OLIVINE_SAMPLE_PAGE) {
        kind = row->label & ~NGX_OLIVINE_SAMPLE_PAGE;

        if (kind < NGX_OLIVINE_PAGE_KINDS) {
            text = pages[kind];
        }

    } else if (row->label && row->label <= NGX_OLIVINE_TYPES) {
        text = ngx_olivine_types[row->label - 1].name;
    }

    if (text.len) {
        labels[n].key = "type";
        labels[n++].text = text;
    }

    return n;
}


/* The innermost function first; before it, why nothing runs. */

static ngx_int_t
ngx_olivine_tables_frames(ngx_olivine_tables_t *tables,
    ngx_olivine_sample_row_t *row, ngx_olivine_profile_frame_t *frames,
    ngx_uint_t *n)
{
    ngx_uint_t                   i, k;
    ngx_olivine_tables_place_t  *place;

    k = 0;

    if (row->why && row->why < NGX_OLIVINE_BLOCKS) {
        ngx_olivine_tables_name(&frames[k++],
                                &ngx_olivine_tables_why[row->why]);
    }

    for (i = 0; i < row->n; i++) {

        place = ngx_olivine_tables_place(tables, row->sites[i]);
        if (place == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(&frames[k], place->frames,
                   place->n * sizeof(ngx_olivine_profile_frame_t));
        k += place->n;
    }

    if (k == 0) {
        ngx_olivine_tables_name(&frames[k++], &ngx_olivine_tables_unknown);
    }

    *n = k;

    return NGX_OK;
}


/* What is no code. */

static void
ngx_olivine_tables_name(ngx_olivine_profile_frame_t *frame, ngx_str_t *name)
{
    frame->function = *name;
    frame->line = 0;

    ngx_str_set(&frame->file, "");
}


static ngx_olivine_tables_place_t *
ngx_olivine_tables_place(ngx_olivine_tables_t *tables, uint64_t site)
{
    ngx_uint_t                   at;
    ngx_olivine_tables_place_t  *place;

    if (tables->nplaces * 2 > tables->room
        && ngx_olivine_tables_grow(tables) != NGX_OK)
    {
        return NULL;
    }

    at = site * 0x9e3779b97f4a7c15ull >> 32;

    for ( ;; ) {
        place = &tables->places[at & (tables->room - 1)];

        if (place->site == site) {
            return place;
        }

        if (place->site == 0) {
            break;
        }

        at++;
    }

    if (ngx_olivine_tables_look(tables, place, site) != NGX_OK) {
        return NULL;
    }

    tables->nplaces++;

    return place;
}


static ngx_int_t
ngx_olivine_tables_grow(ngx_olivine_tables_t *tables)
{
    ngx_uint_t                   i, at, room;
    ngx_olivine_tables_place_t  *places;

    room = tables->room ? tables->room * 2 : NGX_OLIVINE_TABLES_PLACES;

    places = ngx_calloc(room * sizeof(ngx_olivine_tables_place_t),
                        ngx_cycle->log);
    if (places == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < tables->room; i++) {

        if (tables->places[i].site == 0) {
            continue;
        }

        at = tables->places[i].site * 0x9e3779b97f4a7c15ull >> 32;

        while (places[at & (room - 1)].site) {
            at++;
        }

        places[at & (room - 1)] = tables->places[i];
    }

    if (tables->places) {
        ngx_free(tables->places);
    }

    tables->places = places;
    tables->room = room;

    return NGX_OK;
}


/*
 * A place is behind the call, so what comes before it is looked up.  Of other
 * builds the code is not here.
 */

static ngx_int_t
ngx_olivine_tables_look(ngx_olivine_tables_t *tables,
    ngx_olivine_tables_place_t *place, uint64_t site)
{
    u_char                        text[NGX_OLIVINE_TABLES_TEXT], *p;
    size_t                        len;
    ngx_uint_t                    n;
    ngx_olivine_profile_frame_t   frames[NGX_OLIVINE_TABLES_INLINED];

    n = 0;
    len = 0;

    if (tables->symbols && tables->build
        && ngx_olivine_build_of(site) == tables->build)
    {
        n = ngx_olivine_symbols_find(tables->symbols, tables->code.base
                                     + ngx_olivine_build_offset(site) - 1,
                                     frames, NGX_OLIVINE_TABLES_INLINED);
    }

    if (n == 0) {
        len = ngx_olivine_tables_text(tables, site, text);
        ngx_olivine_tables_name(frames, &ngx_olivine_tables_unknown);
        n = 1;
    }

    p = ngx_alloc(n * sizeof(ngx_olivine_profile_frame_t) + len,
                  ngx_cycle->log);
    if (p == NULL) {
        return NGX_ERROR;
    }

    place->frames = (ngx_olivine_profile_frame_t *) p;
    place->n = n;
    place->site = site;

    p = ngx_cpymem(p, frames, n * sizeof(ngx_olivine_profile_frame_t));

    if (len) {
        ngx_memcpy(p, text, len);
        place->frames[0].function.data = p;
        place->frames[0].function.len = len;
    }

    return NGX_OK;
}


static size_t
ngx_olivine_tables_text(ngx_olivine_tables_t *tables, uint64_t site,
    u_char *text)
{
    u_char               *p;
    ngx_uint_t            n, i;
    ngx_olivine_build_t  *build;

    n = ngx_olivine_build_of(site);
    p = ngx_cpymem(text, "[build ", sizeof("[build ") - 1);

    if (n == 0 || n > NGX_OLIVINE_BUILDS) {
        *p++ = '?';

    } else {
        build = &tables->zone->sampling->builds[n - 1];

        for (i = 0; i < NGX_OLIVINE_TABLES_BYTES && i < build->len; i++) {
            p = ngx_hex_dump(p, &build->id[i], 1);
        }
    }

    p = ngx_sprintf(p, "]+0x%xL", (int64_t) ngx_olivine_build_offset(site));

    return p - text;
}
