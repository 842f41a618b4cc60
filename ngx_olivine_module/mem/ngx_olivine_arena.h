
/*
 * Copyright (C) The Olivine authors
 *
 * A shard's arena: cells in about a hundred size classes, cut from runs of
 * the page heap.
 *
 * A run begins with its header and a bitmap of free cells, so that neither
 * allocating nor freeing touches a cell, and a freed cell reads as it was
 * until it is used again.  A class keeps a list of the runs with free cells.
 * Runs grow with the class, a part of what it has; an empty run goes back
 * to the page heap, but for the class's last one.
 */


#ifndef _NGX_OLIVINE_ARENA_H_INCLUDED_
#define _NGX_OLIVINE_ARENA_H_INCLUDED_


#include "mem/ngx_olivine_heap.h"


/* 8..128 by 8, then 16 classes a doubling up to 16 KB */
#define NGX_OLIVINE_ARENA_CLASSES   128
#define NGX_OLIVINE_ARENA_MAX       16384
#define NGX_OLIVINE_ARENA_RUN       32       /* pages, the largest run */


typedef struct {
    uint32_t              run;      /* first page of a run with free cells */
    uint32_t              pages;    /* of all runs of the class */
} ngx_olivine_class_t;


struct ngx_olivine_arena_s {
    ngx_olivine_lock_t    lock;
    uint32_t              number;   /* of the shard */
    uint64_t              used;     /* bytes: cells, tables, values */
    uint64_t              logged;   /* where the record of its last change
                                       ends, or would have */
    ngx_olivine_class_t   classes[NGX_OLIVINE_ARENA_CLASSES];
};


/* Makes the arena empty; before any worker. */
void ngx_olivine_arena_init(ngx_olivine_arena_t *arena, ngx_uint_t number);

/*
 * A cell for size bytes (1..NGX_OLIVINE_ARENA_MAX), aligned to eight; to 64
 * where the size is a multiple of 64.  The shard is locked, the transaction
 * has room (NGX_OLIVINE_JOURNAL_SMALL is enough for several).  OK, AGAIN,
 * ERROR.
 */
ngx_int_t ngx_olivine_arena_alloc(ngx_olivine_tx_t *tx,
    ngx_olivine_arena_t *arena, size_t size, void **p);

/* Gives the cell back at the commit.  size: as allocated.  OK or ERROR. */
ngx_int_t ngx_olivine_arena_free(ngx_olivine_tx_t *tx,
    ngx_olivine_arena_t *arena, void *p, size_t size);

/* The commit's: gives the cell back.  OK, AGAIN, ERROR. */
ngx_int_t ngx_olivine_arena_free_now(ngx_olivine_tx_t *tx, void *p,
    size_t size);

/* The bytes that a cell for size bytes has. */
size_t ngx_olivine_arena_room(size_t size);

#if (NGX_OLIVINE_ASAN)
/* Poisons the free cells of a run, and what is behind the last one. */
void ngx_olivine_arena_poison(void *p, ngx_olivine_page_t *page);
#endif

/* A run of pages of the shard's own, counted in arena->used. */
ngx_int_t ngx_olivine_arena_pages(ngx_olivine_tx_t *tx,
    ngx_olivine_arena_t *arena, size_t n, ngx_olivine_page_e kind,
    uint32_t *page);
ngx_int_t ngx_olivine_arena_release(ngx_olivine_tx_t *tx,
    ngx_olivine_arena_t *arena, uint32_t page);

/* Checks every run of the shard.  OK, or ERROR with err (256 bytes). */
ngx_int_t ngx_olivine_arena_audit(ngx_olivine_tx_t *tx,
    ngx_olivine_arena_t *arena, u_char *err);


#endif /* _NGX_OLIVINE_ARENA_H_INCLUDED_ */
