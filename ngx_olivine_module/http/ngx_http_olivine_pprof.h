
/*
 * Copyright (C) The Olivine authors
 *
 * A path below /debug/pprof/.
 */


#ifndef _NGX_HTTP_OLIVINE_PPROF_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_PPROF_H_INCLUDED_


#include "http/ngx_http_olivine_pages.h"


typedef struct {
    const char                 *name;
    ngx_http_olivine_fill_pt    fill;
    ngx_uint_t                  post;    /* POST is taken, too */
    const char                 *args;    /* of the link in the list, or NULL */
    const char                 *about;
} ngx_http_olivine_pprof_path_t;


#endif /* _NGX_HTTP_OLIVINE_PPROF_H_INCLUDED_ */
