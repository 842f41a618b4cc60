
/*
 * Copyright (C) The Olivine authors
 *
 * Where an entry and a big value stand: the store's own.
 */


#ifndef _NGX_OLIVINE_CELL_H_INCLUDED_
#define _NGX_OLIVINE_CELL_H_INCLUDED_


#include "store/ngx_olivine_store.h"


/*
 * Memory of a shard for an entry, a table's directory, a watch row: a cell of
 * its arena, or pages where that is too small.  OK (p), AGAIN, ERROR.
 */

static ngx_inline ngx_int_t
ngx_olivine_cell_alloc(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    size_t size, void **p)
{
    uint32_t   page;
    ngx_int_t  rc;

    if (ngx_olivine_likely(size <= NGX_OLIVINE_ARENA_MAX)) {
        return ngx_olivine_arena_alloc(tx, &shard->arena, size, p);
    }

    rc = ngx_olivine_arena_pages(tx, &shard->arena, ngx_olivine_pages(size),
                                 NGX_OLIVINE_PAGE_TABLE, &page);

    if (rc == NGX_OK) {
        *p = ngx_olivine_zone_page(tx->zone, page);
    }

    return rc;
}


/* Gives it back at the commit.  size: as allocated.  OK, AGAIN, ERROR. */

static ngx_inline ngx_int_t
ngx_olivine_cell_free(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    void *p, size_t size)
{
    if (ngx_olivine_likely(size <= NGX_OLIVINE_ARENA_MAX)) {
        return ngx_olivine_arena_free(tx, &shard->arena, p, size);
    }

    return ngx_olivine_arena_release(tx, &shard->arena,
                                     ngx_olivine_zone_number(tx->zone, p));
}


/* The bytes of the arena that it takes. */

static ngx_inline size_t
ngx_olivine_cell_weight(size_t size)
{
    return size <= NGX_OLIVINE_ARENA_MAX
           ? ngx_olivine_arena_room(size)
           : ngx_olivine_pages(size) << NGX_OLIVINE_PAGE_SHIFT;
}


static ngx_inline ngx_int_t
ngx_olivine_store_cell(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    size_t size, ngx_olivine_entry_t **e)
{
    void       *p;
    ngx_int_t   rc;

    rc = ngx_olivine_cell_alloc(tx, shard, size, &p);

    *e = rc == NGX_OK ? p : NULL;

    return rc;
}


/* What an entry has, once no table names it: its cell, and its run. */

static ngx_inline ngx_int_t
ngx_olivine_store_free_cell(ngx_olivine_tx_t *tx, ngx_olivine_shard_t *shard,
    ngx_olivine_entry_t *e)
{
    return ngx_olivine_cell_free(tx, shard, e, ngx_olivine_entry_size(e));
}


static ngx_inline ngx_int_t
ngx_olivine_store_free_run(ngx_olivine_tx_t *tx, ngx_olivine_entry_t *e)
{
    ngx_olivine_value_t  value;

    if (ngx_olivine_likely(e->vlen != NGX_OLIVINE_ENTRY_RUN)) {
        return NGX_OK;
    }

    ngx_olivine_entry_value(tx->zone, e, &value);

    return ngx_olivine_value_drop(tx, value.page);
}


/* A run that another key held, perhaps of another shard. */

static ngx_inline ngx_int_t
ngx_olivine_store_relink(ngx_olivine_tx_t *tx, ngx_olivine_arena_t *arena,
    uint32_t page)
{
    size_t                n;
    uint16_t              owner;
    ngx_int_t             rc;
    ngx_olivine_page_t   *p;
    ngx_olivine_arena_t  *from;

    p = &tx->zone->pages[page];

    if (p->shard == arena->number) {
        return NGX_OK;
    }

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    n = (size_t) p->pages << NGX_OLIVINE_PAGE_SHIFT;
    from = ngx_olivine_zone_arena(tx->zone, p->shard);
    owner = arena->number;

    ngx_olivine_tx_set64(tx, &from->used, from->used - n);
    ngx_olivine_tx_set64(tx, &arena->used, arena->used + n);
    ngx_olivine_tx_set(tx, &p->shard, &owner, 2);

    return NGX_OK;
}


#endif /* _NGX_OLIVINE_CELL_H_INCLUDED_ */
