
/*
 * Copyright (C) The Olivine authors
 *
 * Who may see the pages.
 */


#ifndef _NGX_HTTP_OLIVINE_ACCESS_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_ACCESS_H_INCLUDED_


#include "http/ngx_http_olivine_conf.h"


/*
 * 1 if the request comes from this machine (a loopback address, a unix
 * socket), or if "allow" and "deny" have rules for addresses of its kind:
 * those were looked at before, and let it pass.
 */
ngx_uint_t ngx_http_olivine_access(ngx_http_request_t *r);


#endif /* _NGX_HTTP_OLIVINE_ACCESS_H_INCLUDED_ */
