
/*
 * Copyright (C) The Olivine authors
 *
 * The pages, one function a directive; see ngx_http_olivine_answer.h.
 */


#ifndef _NGX_HTTP_OLIVINE_PAGES_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_PAGES_H_INCLUDED_


#include "http/ngx_http_olivine_answer.h"


ngx_int_t ngx_http_olivine_metrics(ngx_http_olivine_answer_t *answer);
ngx_int_t ngx_http_olivine_pprof(ngx_http_olivine_answer_t *answer);
ngx_int_t ngx_http_olivine_status(ngx_http_olivine_answer_t *answer);


#endif /* _NGX_HTTP_OLIVINE_PAGES_H_INCLUDED_ */
