
/*
 * Copyright (C) The Olivine authors
 *
 * DEBUG's words that have a file of their own.
 */


#ifndef _NGX_OLIVINE_CMD_DEBUG_H_INCLUDED_
#define _NGX_OLIVINE_CMD_DEBUG_H_INCLUDED_


#include "command/ngx_olivine_cmd.h"


/* replies of each kind, and things said */
ngx_int_t ngx_olivine_debug_protocol(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_debug_error(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_debug_log(ngx_olivine_cx_t *cx);

ngx_int_t ngx_olivine_debug_populate(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_debug_reload(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_debug_loadaof(ngx_olivine_cx_t *cx);


#endif /* _NGX_OLIVINE_CMD_DEBUG_H_INCLUDED_ */
