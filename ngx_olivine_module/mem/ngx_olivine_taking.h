
/*
 * Copyright (C) The Olivine authors
 *
 * Profiles that are being taken: of each kind one in all workers.  Who holds
 * the lease writes the other words, single aligned stores, to be told to who
 * comes second.
 */


#ifndef _NGX_OLIVINE_TAKING_H_INCLUDED_
#define _NGX_OLIVINE_TAKING_H_INCLUDED_


#include "base/ngx_olivine_base.h"


typedef enum {
    NGX_OLIVINE_TAKING_CPU = 0,
    NGX_OLIVINE_TAKING_HEAP,
    NGX_OLIVINE_TAKING_ALLOCS,
    NGX_OLIVINE_TAKING_MUTEX,
    NGX_OLIVINE_TAKING_BLOCK,
    NGX_OLIVINE_TAKING_SYMBOL,       /* no profile, but takes as long */
    NGX_OLIVINE_TAKINGS
} ngx_olivine_taking_e;


typedef struct {
    uint32_t   lease;                /* see ngx_olivine_lease_take() */
    int64_t    since;                /* milliseconds */
} ngx_olivine_taking_t;


#endif /* _NGX_OLIVINE_TAKING_H_INCLUDED_ */
