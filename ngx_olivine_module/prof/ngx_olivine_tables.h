
/*
 * Copyright (C) The Olivine authors
 *
 * Profiles out of the zone's samples (mem/ngx_olivine_sample.h): which code
 * and which commands take its memory, wait for its locks, or for something
 * else.  They tell of all workers since the zone was made; what happens within
 * some time is the difference of two.
 */


#ifndef _NGX_OLIVINE_TABLES_H_INCLUDED_
#define _NGX_OLIVINE_TABLES_H_INCLUDED_


#include "prof/ngx_olivine_profile.h"
#include "prof/ngx_olivine_symbol.h"
#include "mem/ngx_olivine_zone.h"


typedef enum {
    NGX_OLIVINE_TABLES_HEAP = 0,     /* what is in use comes first, */
    NGX_OLIVINE_TABLES_ALLOCS,       /* ... what was ever taken; both have both */
    NGX_OLIVINE_TABLES_MUTEX,
    NGX_OLIVINE_TABLES_BLOCK
} ngx_olivine_tables_e;


/*
 * Takes no lock, and may be called in any thread; workers go on counting
 * meanwhile.  symbols may be NULL: then code is told by its place.  NULL
 * without memory.
 */
ngx_olivine_profile_t *ngx_olivine_tables_profile(ngx_olivine_zone_t *zone,
    ngx_olivine_tables_e kind, ngx_olivine_symbols_t *symbols);


#endif /* _NGX_OLIVINE_TABLES_H_INCLUDED_ */
