
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


#if (NGX_OLIVINE_ASAN)


static void ngx_olivine_poison_note(ngx_olivine_tx_t *tx, void *p,
    size_t size, ngx_uint_t freed);


void
ngx_olivine_poison_taken(ngx_olivine_tx_t *tx, void *p, size_t size)
{
    ngx_olivine_unpoison(p, size);
    ngx_olivine_poison_note(tx, p, size, 0);
}


void
ngx_olivine_poison_freed(ngx_olivine_tx_t *tx, void *p, size_t size)
{
    ngx_olivine_poison_note(tx, p, size, 1);
}


static void
ngx_olivine_poison_note(ngx_olivine_tx_t *tx, void *p, size_t size,
    ngx_uint_t freed)
{
    ngx_olivine_poison_note_t  *note;

    if (tx->nnotes == NGX_OLIVINE_POISON_NOTES) {
        return;
    }

    note = &tx->notes[tx->nnotes++];

    note->p = p;
    note->size = size;
    note->mark = tx->slot->used;
    note->freed = freed;
}


void
ngx_olivine_poison_commit(ngx_olivine_tx_t *tx)
{
    ngx_uint_t                  i, freed;
    ngx_olivine_poison_note_t  *note;

    freed = 0;

    for (i = 0; i < tx->nnotes; i++) {
        note = &tx->notes[i];

        if (note->freed) {
            ngx_olivine_poison(note->p, note->size);
            freed = 1;

        } else if (freed) {

            /* it may be what was cut off a run before */

            ngx_olivine_unpoison(note->p, note->size);
        }
    }

    tx->nnotes = 0;
}


void
ngx_olivine_poison_undo(ngx_olivine_tx_t *tx, size_t mark)
{
    ngx_olivine_poison_note_t  *note;

    while (tx->nnotes) {
        note = &tx->notes[tx->nnotes - 1];

        if (note->mark <= mark) {
            return;
        }

        if (note->freed) {
            ngx_olivine_unpoison(note->p, note->size);

        } else {
            ngx_olivine_poison(note->p, note->size);
        }

        tx->nnotes--;
    }
}


void
ngx_olivine_poison_zone(ngx_olivine_zone_t *zone)
{
    u_char              *p;
    size_t               size;
    uint32_t             n;
    ngx_olivine_page_t  *page;

    for (n = zone->heap.first; n < zone->heap.last; n += page->pages) {
        page = &zone->pages[n];
        p = ngx_olivine_zone_page(zone, n);
        size = (size_t) page->pages << NGX_OLIVINE_PAGE_SHIFT;

        switch (page->kind) {

        case NGX_OLIVINE_PAGE_VOID:
            break;

        case NGX_OLIVINE_PAGE_FREE:
            ngx_olivine_poison(p, size);
            break;

        case NGX_OLIVINE_PAGE_ARENA:
            ngx_olivine_unpoison(p, size);
            ngx_olivine_arena_poison(p, page);
            break;

        default:
            ngx_olivine_unpoison(p, size);
            break;
        }
    }
}


#else

/* a translation unit is not to be empty */

typedef int  ngx_olivine_poison_none_t;

#endif
