
/*
 * Copyright (C) The Olivine authors
 *
 * What the status page shows, as one JSON object.  Numbers are counts, bytes,
 * or end in _ns, _us, _ms, _s; percentiles are of the time since the store
 * was made or CONFIG RESETSTAT, and "buckets" let the reader make those of
 * the time between two answers.
 */


#ifndef _NGX_OLIVINE_STATUS_H_INCLUDED_
#define _NGX_OLIVINE_STATUS_H_INCLUDED_


#include "http/ngx_olivine_figures.h"
#include "http/ngx_olivine_json.h"


/* what is shown at the most */
#define NGX_OLIVINE_STATUS_COMMANDS   16
#define NGX_OLIVINE_STATUS_ERRORS     16
#define NGX_OLIVINE_STATUS_DATABASES  64
#define NGX_OLIVINE_STATUS_SLOW       16
#define NGX_OLIVINE_STATUS_ARGS       8


/* Adds the object to b.  OK or ERROR (memory). */
ngx_int_t ngx_olivine_status(ngx_olivine_tx_t *tx, int64_t now,
    ngx_olivine_buffer_t *b);

/* Members of it. */
void ngx_olivine_status_commands(ngx_olivine_zone_t *zone,
    ngx_olivine_buffer_t *b);
void ngx_olivine_status_persistence(ngx_olivine_figures_t *f,
    ngx_olivine_buffer_t *b);


#endif /* _NGX_OLIVINE_STATUS_H_INCLUDED_ */
