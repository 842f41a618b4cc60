
/*
 * Copyright (C) The Olivine authors
 *
 * The http half as nginx sees it: the directives, and a module of the core
 * type for one hook, which is called when the whole configuration is read.
 */


#include "http/ngx_http_olivine_pages.h"


static ngx_command_t  ngx_http_olivine_directives[] = {

    { ngx_string("olivine_metrics"),
      NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_olivine_conf_page,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) ngx_http_olivine_metrics },

    { ngx_string("olivine_pprof"),
      NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_olivine_conf_page,
      NGX_HTTP_LOC_CONF_OFFSET,
      1,
      (void *) ngx_http_olivine_pprof },

    { ngx_string("olivine_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_olivine_conf_page,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) ngx_http_olivine_status },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_olivine_module_ctx = {
    NULL,                                  /* preconfiguration */
    NULL,                                  /* postconfiguration */

    ngx_http_olivine_conf_create_main,     /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    ngx_http_olivine_conf_create_loc,      /* create location configuration */
    ngx_http_olivine_conf_merge_loc        /* merge location configuration */
};


ngx_module_t  ngx_http_olivine_module = {
    NGX_MODULE_V1,
    &ngx_http_olivine_module_ctx,          /* module context */
    ngx_http_olivine_directives,           /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_core_module_t  ngx_http_olivine_zones_module_ctx = {
    ngx_string("olivine_zones"),
    NULL,
    ngx_http_olivine_conf_zones
};


ngx_module_t  ngx_http_olivine_zones_module = {
    NGX_MODULE_V1,
    &ngx_http_olivine_zones_module_ctx,    /* module context */
    NULL,                                  /* module directives */
    NGX_CORE_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};
