
/*
 * Copyright (C) The Olivine authors
 *
 * What this half takes from nginx's http.  An nginx without http may load
 * the module as well: the names stay empty then, and nobody calls us.
 */


#ifndef _NGX_HTTP_OLIVINE_WEAK_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_WEAK_H_INCLUDED_


#pragma weak ngx_http_arg
#pragma weak ngx_http_cleanup_add
#pragma weak ngx_http_core_module
#pragma weak ngx_http_discard_request_body
#pragma weak ngx_http_finalize_request
#pragma weak ngx_http_module
#pragma weak ngx_http_output_filter
#pragma weak ngx_http_read_client_request_body
#pragma weak ngx_http_run_posted_requests
#pragma weak ngx_http_send_header
#pragma weak ngx_http_test_reading


#endif /* _NGX_HTTP_OLIVINE_WEAK_H_INCLUDED_ */
