
/*
 * Copyright (C) The Olivine authors
 */


#include "prof/ngx_olivine_profile_tables.h"


#define NGX_OLIVINE_PROFILE_BLOCK   (64 * 1024)
#define NGX_OLIVINE_PROFILE_ITEMS   64          /* a table's first room */


struct ngx_olivine_profile_block_s {
    ngx_olivine_profile_block_t        *next;
    size_t                              used;
    size_t                              size;
    u_char                              data[];
};


/* what a new stack is to be, in numbers */
typedef struct {
    uint32_t                            hash;
    ngx_uint_t                          nplaces;
    ngx_uint_t                          ntags;
    uint32_t                            places[NGX_OLIVINE_PROFILE_FRAMES];
    ngx_olivine_profile_tag_t           tags[NGX_OLIVINE_PROFILE_LABELS];
} ngx_olivine_profile_wanted_t;


static ngx_int_t ngx_olivine_profile_put(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_wanted_t *w, int64_t *values, ngx_int_t sign);
static ngx_int_t ngx_olivine_profile_resolve(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_frame_t *frame, uint32_t *place);
static ngx_int_t ngx_olivine_profile_tag(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_label_t *label, ngx_olivine_profile_tag_t *tag);
static ngx_int_t ngx_olivine_profile_intern(ngx_olivine_profile_t *profile,
    const u_char *data, size_t len, uint32_t *number);
static ngx_int_t ngx_olivine_profile_pair(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_table_t *table, uint32_t first, uint64_t second,
    uint32_t *number);
static void ngx_olivine_profile_frame(ngx_olivine_profile_t *profile,
    uint32_t place, ngx_olivine_profile_frame_t *frame);
static ngx_int_t ngx_olivine_profile_table_room(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_table_t *table, size_t size);
static void ngx_olivine_profile_table_enter(ngx_olivine_profile_table_t *table,
    uint32_t hash, uint32_t number);
static ngx_int_t ngx_olivine_profile_charge(ngx_olivine_profile_t *profile,
    size_t size);
static void *ngx_olivine_profile_alloc(ngx_olivine_profile_t *profile,
    size_t size);
static uint32_t ngx_olivine_profile_hash(uint32_t hash, uint64_t word);


ngx_olivine_profile_t *
ngx_olivine_profile_create(const ngx_olivine_profile_kind_t *kinds,
    ngx_uint_t nkinds)
{
    uint32_t                none;
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_olivine_profile_t  *profile;

    if (nkinds == 0 || nkinds > NGX_OLIVINE_PROFILE_KINDS) {
        return NULL;
    }

    profile = calloc(1, sizeof(ngx_olivine_profile_t));
    if (profile == NULL) {
        return NULL;
    }

    profile->nkinds = nkinds;
    profile->kind = nkinds - 1;

    rc = ngx_olivine_profile_intern(profile, (u_char *) "", 0, &none);

    for (i = 0; i < nkinds && rc == NGX_OK; i++) {
        rc = ngx_olivine_profile_intern(profile, (u_char *) kinds[i].type,
                                        ngx_strlen(kinds[i].type),
                                        &profile->types[i]);

        if (rc == NGX_OK) {
            rc = ngx_olivine_profile_intern(profile, (u_char *) kinds[i].unit,
                                            ngx_strlen(kinds[i].unit),
                                            &profile->units[i]);
        }
    }

    if (rc != NGX_OK) {
        ngx_olivine_profile_destroy(profile);
        return NULL;
    }

    return profile;
}


void
ngx_olivine_profile_destroy(ngx_olivine_profile_t *profile)
{
    ngx_uint_t                    i;
    ngx_olivine_profile_block_t  *block;
    ngx_olivine_profile_table_t  *tables[4];

    tables[0] = &profile->strings;
    tables[1] = &profile->functions;
    tables[2] = &profile->places;
    tables[3] = &profile->stacks;

    for (i = 0; i < 4; i++) {
        free(tables[i]->items);
        free(tables[i]->index.cells);
    }

    while (profile->blocks) {
        block = profile->blocks;
        profile->blocks = block->next;
        free(block);
    }

    free(profile);
}


ngx_int_t
ngx_olivine_profile_add(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_frame_t *frames, ngx_uint_t n, int64_t *values,
    ngx_olivine_profile_label_t *labels, ngx_uint_t nlabels)
{
    ngx_int_t                      rc;
    ngx_uint_t                     i;
    ngx_olivine_profile_wanted_t   w;

    if (n == 0 || n > NGX_OLIVINE_PROFILE_FRAMES
        || nlabels > NGX_OLIVINE_PROFILE_LABELS)
    {
        return NGX_ERROR;
    }

    w.nplaces = n;
    w.ntags = nlabels;

    rc = NGX_OK;

    for (i = 0; i < n && rc == NGX_OK; i++) {
        rc = ngx_olivine_profile_resolve(profile, &frames[i], &w.places[i]);
    }

    for (i = 0; i < nlabels && rc == NGX_OK; i++) {
        rc = ngx_olivine_profile_tag(profile, &labels[i], &w.tags[i]);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_profile_put(profile, &w, values, 1);
    }

    return rc;
}


void
ngx_olivine_profile_period(ngx_olivine_profile_t *profile, const char *type,
    const char *unit, int64_t period)
{
    if (ngx_olivine_profile_intern(profile, (u_char *) type, ngx_strlen(type),
                                   &profile->period_type)
        == NGX_OK
        && ngx_olivine_profile_intern(profile, (u_char *) unit,
                                      ngx_strlen(unit), &profile->period_unit)
           == NGX_OK)
    {
        profile->period = period;
    }
}


void
ngx_olivine_profile_default(ngx_olivine_profile_t *profile, const char *type)
{
    ngx_str_t   name;
    ngx_uint_t  kind;

    name.data = (u_char *) type;
    name.len = ngx_strlen(type);

    if (ngx_olivine_profile_kind(profile, &name, &kind) == NGX_OK) {
        profile->kind = kind;
    }
}


ngx_uint_t
ngx_olivine_profile_default_kind(ngx_olivine_profile_t *profile)
{
    return profile->kind;
}


ngx_int_t
ngx_olivine_profile_kind(ngx_olivine_profile_t *profile, ngx_str_t *type,
    ngx_uint_t *kind)
{
    ngx_uint_t                     i;
    ngx_olivine_profile_string_t  *name;

    for (i = 0; i < profile->nkinds; i++) {
        name = ngx_olivine_profile_string(profile, profile->types[i]);

        if (name->len == type->len
            && ngx_memcmp(name->data, type->data, type->len) == 0)
        {
            *kind = i;
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


void
ngx_olivine_profile_time(ngx_olivine_profile_t *profile, int64_t begun,
    int64_t took)
{
    profile->begun = begun;
    profile->took = took;
}


ngx_int_t
ngx_olivine_profile_subtract(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_t *before)
{
    ngx_int_t                       rc;
    ngx_uint_t                      i, j;
    ngx_olivine_profile_tag_t      *tag;
    ngx_olivine_profile_frame_t     frame;
    ngx_olivine_profile_label_t     label;
    ngx_olivine_profile_stack_t    *stack;
    ngx_olivine_profile_wanted_t    w;
    ngx_olivine_profile_string_t   *text;

    if (profile->nkinds != before->nkinds) {
        return NGX_ERROR;
    }

    for (i = 0; i < before->stacks.n; i++) {
        stack = ngx_olivine_profile_stack(before, i);
        rc = NGX_OK;

        if (!ngx_olivine_profile_counts(before, stack)) {
            continue;
        }

        w.nplaces = stack->nplaces;
        w.ntags = stack->ntags;

        for (j = 0; j < w.nplaces && rc == NGX_OK; j++) {
            ngx_olivine_profile_frame(before, stack->places[j], &frame);
            rc = ngx_olivine_profile_resolve(profile, &frame, &w.places[j]);
        }

        for (j = 0; j < w.ntags && rc == NGX_OK; j++) {
            tag = &stack->tags[j];
            text = ngx_olivine_profile_string(before, tag->text);

            label.key = (char *) ngx_olivine_profile_string(before,
                                                            tag->key)->data;
            label.number = tag->number;
            label.text.len = text->len;
            label.text.data = tag->text ? text->data : NULL;

            rc = ngx_olivine_profile_tag(profile, &label, &w.tags[j]);
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_profile_put(profile, &w, stack->values, -1);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


int64_t
ngx_olivine_profile_sum(ngx_olivine_profile_t *profile, ngx_uint_t kind)
{
    int64_t     sum;
    ngx_uint_t  i;

    sum = 0;

    for (i = 0; i < profile->stacks.n; i++) {
        sum += ngx_olivine_profile_stack(profile, i)->values[kind];
    }

    return sum;
}


ngx_uint_t
ngx_olivine_profile_stacks(ngx_olivine_profile_t *profile)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < profile->stacks.n; i++) {
        n += ngx_olivine_profile_counts(profile,
                                        ngx_olivine_profile_stack(profile, i));
    }

    return n;
}


ngx_uint_t
ngx_olivine_profile_counts(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_stack_t *stack)
{
    ngx_uint_t  i;

    for (i = 0; i < profile->nkinds; i++) {
        if (stack->values[i]) {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_olivine_profile_put(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_wanted_t *w, int64_t *values, ngx_int_t sign)
{
    uint32_t                      i, cell;
    ngx_olivine_profile_stack_t  *stack;
    ngx_olivine_profile_table_t  *table;

    table = &profile->stacks;
    w->hash = w->ntags;

    for (i = 0; i < w->nplaces; i++) {
        w->hash = ngx_olivine_profile_hash(w->hash, w->places[i]);
    }

    for (i = 0; i < w->ntags; i++) {
        w->hash = ngx_olivine_profile_hash(w->hash, w->tags[i].key);
        w->hash = ngx_olivine_profile_hash(w->hash, w->tags[i].text);
        w->hash = ngx_olivine_profile_hash(w->hash, w->tags[i].number);
    }

    if (ngx_olivine_profile_table_room(profile, table,
                                       sizeof(ngx_olivine_profile_stack_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = w->hash; /* void */ ; i++) {
        cell = table->index.cells[i & (table->index.size - 1)];

        if (cell == 0) {
            break;
        }

        stack = ngx_olivine_profile_stack(profile, cell - 1);

        if (stack->hash == w->hash
            && stack->nplaces == w->nplaces
            && stack->ntags == w->ntags
            && ngx_memcmp(stack->places, w->places,
                          w->nplaces * sizeof(uint32_t)) == 0
            && (w->ntags == 0
                || ngx_memcmp(stack->tags, w->tags,
                              w->ntags * sizeof(ngx_olivine_profile_tag_t))
                   == 0))
        {
            goto found;
        }
    }

    stack = ngx_olivine_profile_stack(profile, table->n);
    ngx_memzero(stack, sizeof(ngx_olivine_profile_stack_t));

    stack->hash = w->hash;
    stack->nplaces = w->nplaces;
    stack->ntags = w->ntags;

    stack->tags = ngx_olivine_profile_alloc(profile,
                      w->ntags * sizeof(ngx_olivine_profile_tag_t)
                      + w->nplaces * sizeof(uint32_t));
    if (stack->tags == NULL) {
        return NGX_ERROR;
    }

    stack->places = (uint32_t *) (stack->tags + w->ntags);

    ngx_memcpy(stack->tags, w->tags,
               w->ntags * sizeof(ngx_olivine_profile_tag_t));
    ngx_memcpy(stack->places, w->places, w->nplaces * sizeof(uint32_t));

    ngx_olivine_profile_table_enter(table, w->hash, table->n);

found:

    /* a sum that wraps is wrong, but no worse than that */

    for (i = 0; i < profile->nkinds; i++) {
        stack->values[i] = (int64_t) ((uint64_t) stack->values[i]
                                      + (uint64_t) values[i]
                                        * (uint64_t) sign);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_profile_resolve(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_frame_t *frame, uint32_t *place)
{
    uint32_t  name, file, function;

    if (ngx_olivine_profile_intern(profile, frame->function.data,
                                   frame->function.len, &name)
        != NGX_OK
        || ngx_olivine_profile_intern(profile, frame->file.data,
                                      frame->file.len, &file)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_olivine_profile_pair(profile, &profile->functions, name, file,
                                 &function)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_profile_pair(profile, &profile->places, function,
                                    frame->line, place);
}


static ngx_int_t
ngx_olivine_profile_tag(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_label_t *label, ngx_olivine_profile_tag_t *tag)
{
    tag->text = 0;
    tag->number = 0;

    if (label->text.data == NULL) {
        tag->number = label->number;

    } else if (ngx_olivine_profile_intern(profile, label->text.data,
                                          label->text.len, &tag->text)
               != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_profile_intern(profile, (u_char *) label->key,
                                      ngx_strlen(label->key), &tag->key);
}


static ngx_int_t
ngx_olivine_profile_intern(ngx_olivine_profile_t *profile, const u_char *data,
    size_t len, uint32_t *number)
{
    u_char                        *p;
    uint32_t                       i, cell, hash;
    ngx_olivine_profile_table_t   *table;
    ngx_olivine_profile_string_t  *string;

    if (len == 0) {
        data = (u_char *) "";                /* it may be NULL */
    }

    table = &profile->strings;
    len = ngx_min(len, NGX_OLIVINE_PROFILE_NAME);
    hash = ngx_murmur_hash2((u_char *) data, len);

    if (ngx_olivine_profile_table_room(profile, table,
                                       sizeof(ngx_olivine_profile_string_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = hash; /* void */ ; i++) {
        cell = table->index.cells[i & (table->index.size - 1)];

        if (cell == 0) {
            break;
        }

        string = ngx_olivine_profile_string(profile, cell - 1);

        if (string->hash == hash
            && string->len == len
            && ngx_memcmp(string->data, data, len) == 0)
        {
            *number = cell - 1;
            return NGX_OK;
        }
    }

    p = ngx_olivine_profile_alloc(profile, len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, data, len);
    p[len] = '\0';

    string = ngx_olivine_profile_string(profile, table->n);
    string->hash = hash;
    string->len = len;
    string->data = p;

    *number = table->n;
    ngx_olivine_profile_table_enter(table, hash, table->n);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_profile_pair(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_table_t *table, uint32_t first, uint64_t second,
    uint32_t *number)
{
    uint32_t                     i, cell, hash;
    ngx_olivine_profile_pair_t  *pairs;

    if (ngx_olivine_profile_table_room(profile, table,
                                       sizeof(ngx_olivine_profile_pair_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    pairs = table->items;
    hash = ngx_olivine_profile_hash(first, second);

    for (i = hash; /* void */ ; i++) {
        cell = table->index.cells[i & (table->index.size - 1)];

        if (cell == 0) {
            break;
        }

        if (pairs[cell - 1].first == first
            && pairs[cell - 1].second == second)
        {
            *number = cell - 1;
            return NGX_OK;
        }
    }

    pairs[table->n].hash = hash;
    pairs[table->n].first = first;
    pairs[table->n].second = second;

    *number = table->n;
    ngx_olivine_profile_table_enter(table, hash, table->n);

    return NGX_OK;
}


static void
ngx_olivine_profile_frame(ngx_olivine_profile_t *profile, uint32_t place,
    ngx_olivine_profile_frame_t *frame)
{
    ngx_olivine_profile_pair_t    *p, *function;
    ngx_olivine_profile_string_t  *name, *file;

    p = ngx_olivine_profile_place(profile, place);
    function = ngx_olivine_profile_function(profile, p->first);
    name = ngx_olivine_profile_string(profile, function->first);
    file = ngx_olivine_profile_string(profile, function->second);

    frame->function.data = name->data;
    frame->function.len = name->len;
    frame->file.data = file->data;
    frame->file.len = file->len;
    frame->line = p->second;
}


/* Room for one more; an index is at most half full.  Items begin with hash. */

static ngx_int_t
ngx_olivine_profile_table_room(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_table_t *table, size_t size)
{
    void      *items;
    uint32_t   i, n, room, *cells;

    if (table->n < table->room) {
        return NGX_OK;
    }

    room = table->room ? table->room * 2 : NGX_OLIVINE_PROFILE_ITEMS;

    if (ngx_olivine_profile_charge(profile, (room - table->room)
                                            * (size + 2 * sizeof(uint32_t)))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    items = realloc(table->items, room * size);
    if (items == NULL) {
        return NGX_ERROR;
    }

    table->items = items;

    cells = calloc(room * 2, sizeof(uint32_t));
    if (cells == NULL) {
        return NGX_ERROR;
    }

    free(table->index.cells);

    table->index.cells = cells;
    table->index.size = room * 2;
    table->room = room;

    n = table->n;
    table->n = 0;

    for (i = 0; i < n; i++) {
        ngx_olivine_profile_table_enter(table,
                    *(uint32_t *) ((u_char *) table->items + i * size), i);
    }

    return NGX_OK;
}


static void
ngx_olivine_profile_table_enter(ngx_olivine_profile_table_t *table,
    uint32_t hash, uint32_t number)
{
    uint32_t  i;

    for (i = hash; table->index.cells[i & (table->index.size - 1)]; i++) {
        /* void */
    }

    table->index.cells[i & (table->index.size - 1)] = number + 1;
    table->n = number + 1;
}


static ngx_int_t
ngx_olivine_profile_charge(ngx_olivine_profile_t *profile, size_t size)
{
    if (size > NGX_OLIVINE_PROFILE_MAX - profile->used) {
        return NGX_ERROR;
    }

    profile->used += size;

    return NGX_OK;
}


static void *
ngx_olivine_profile_alloc(ngx_olivine_profile_t *profile, size_t size)
{
    size_t                        n;
    ngx_olivine_profile_block_t  *block;

    size = ngx_align(size, sizeof(uint64_t));
    block = profile->blocks;

    if (block == NULL || size > block->size - block->used) {
        n = ngx_max(size, NGX_OLIVINE_PROFILE_BLOCK);

        if (ngx_olivine_profile_charge(profile, n) != NGX_OK) {
            return NULL;
        }

        block = malloc(sizeof(ngx_olivine_profile_block_t) + n);
        if (block == NULL) {
            return NULL;
        }

        block->next = profile->blocks;
        block->used = 0;
        block->size = n;
        profile->blocks = block;
    }

    block->used += size;

    return block->data + block->used - size;
}


static uint32_t
ngx_olivine_profile_hash(uint32_t hash, uint64_t word)
{
    uint64_t  h;

    h = (hash ^ word) * 0x9e3779b97f4a7c15ULL;

    return (uint32_t) (h ^ h >> 32);
}
