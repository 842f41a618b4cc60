
/*
 * Copyright (C) The Olivine authors
 *
 * CPU time of processes, as the kernel counts it.
 */


#ifndef _NGX_OLIVINE_USAGE_H_INCLUDED_
#define _NGX_OLIVINE_USAGE_H_INCLUDED_


#include "mem/ngx_olivine_zone.h"


/* microseconds */
typedef struct {
    uint64_t  user;
    uint64_t  sys;
} ngx_olivine_usage_t;


/*
 * Of all workers that live; this one exactly, the others to the hundredth of
 * a second.
 */
void ngx_olivine_usage_workers(ngx_olivine_zone_t *zone,
    ngx_olivine_usage_t *usage);

/* Of the calling thread. */
void ngx_olivine_usage_thread(ngx_olivine_usage_t *usage);


#endif /* _NGX_OLIVINE_USAGE_H_INCLUDED_ */
