
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
    ngx_int_t                   kind;    /* of samples in the zone, or -1 */
    ngx_uint_t                  forms;   /* it is a profile */
    const char                 *about;
} ngx_http_olivine_pprof_path_t;


ngx_int_t ngx_http_olivine_profile(ngx_http_olivine_answer_t *answer);
ngx_int_t ngx_http_olivine_heap(ngx_http_olivine_answer_t *answer);
ngx_int_t ngx_http_olivine_allocs(ngx_http_olivine_answer_t *answer);
ngx_int_t ngx_http_olivine_mutex(ngx_http_olivine_answer_t *answer);
ngx_int_t ngx_http_olivine_block(ngx_http_olivine_answer_t *answer);
ngx_int_t ngx_http_olivine_symbol(ngx_http_olivine_answer_t *answer);


#endif /* _NGX_HTTP_OLIVINE_PPROF_H_INCLUDED_ */
