
/*
 * Copyright (C) The Olivine authors
 *
 * What AddressSanitizer is told of the zone's memory: free cells, gaps and
 * free runs are poisoned.  What a transaction frees stays usable until its
 * commit, and what it takes is poisoned again if it is undone.
 *
 * Each process has a shadow of its own, so this holds for one worker at a
 * time; who claims a slot, or recovers a dead one, makes its shadow anew.
 * Without the sanitizer all of this is nothing.
 */


#ifndef _NGX_OLIVINE_POISON_H_INCLUDED_
#define _NGX_OLIVINE_POISON_H_INCLUDED_


#include "base/ngx_olivine_base.h"


#if (NGX_OLIVINE_ASAN)

#include <sanitizer/asan_interface.h>

/* notes that a transaction keeps; what is beyond is only usable for longer */
#define NGX_OLIVINE_POISON_NOTES    4096

#define ngx_olivine_poison(p, n)    ASAN_POISON_MEMORY_REGION(p, n)
#define ngx_olivine_unpoison(p, n)  ASAN_UNPOISON_MEMORY_REGION(p, n)

/* not checked: the memory that recovery writes to may be poisoned here */
#define ngx_olivine_unchecked       __attribute__((no_sanitize_address))


typedef struct {
    void          *p;
    size_t         size;
    size_t         mark;               /* of the journal, behind it */
    ngx_uint_t     freed;
} ngx_olivine_poison_note_t;


/* The transaction takes, or frees, that memory. */
void ngx_olivine_poison_taken(ngx_olivine_tx_t *tx, void *p, size_t size);
void ngx_olivine_poison_freed(ngx_olivine_tx_t *tx, void *p, size_t size);

/* It is committed, or undone down to a mark. */
void ngx_olivine_poison_commit(ngx_olivine_tx_t *tx);
void ngx_olivine_poison_undo(ngx_olivine_tx_t *tx, size_t mark);

/* Makes the process's shadow of the heap as the zone says. */
void ngx_olivine_poison_zone(ngx_olivine_zone_t *zone);

#else

#define ngx_olivine_poison(p, n)
#define ngx_olivine_unpoison(p, n)
#define ngx_olivine_unchecked
#define ngx_olivine_poison_taken(tx, p, size)
#define ngx_olivine_poison_freed(tx, p, size)
#define ngx_olivine_poison_commit(tx)
#define ngx_olivine_poison_undo(tx, mark)
#define ngx_olivine_poison_zone(zone)

#endif


#endif /* _NGX_OLIVINE_POISON_H_INCLUDED_ */
