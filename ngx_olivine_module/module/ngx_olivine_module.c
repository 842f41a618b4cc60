
/*
 * Copyright (C) The Olivine authors
 *
 * The module as nginx sees it.
 */


#include "module/ngx_olivine_conf.h"
#include "module/ngx_olivine_conf_rules.h"
#include "module/ngx_olivine_mount.h"
#include "module/ngx_olivine_process.h"
#include "module/ngx_olivine_variables.h"


static ngx_int_t ngx_olivine_module_prepare(ngx_conf_t *cf);


static ngx_command_t  ngx_olivine_directives[] = {

    /* its type gets NGX_CONF_BLOCK before each that has a block */

    { ngx_string("olivine_zone"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE2,
      ngx_olivine_conf_zone,
      NGX_STREAM_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("olivine"),
      NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_olivine_conf_server,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("olivine_allow_commands"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_1MORE,
      ngx_olivine_conf_commands,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_olivine_srv_conf_t, allowed),
      NULL },

    { ngx_string("olivine_deny_commands"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_1MORE,
      ngx_olivine_conf_commands,
      NGX_STREAM_SRV_CONF_OFFSET,
      offsetof(ngx_olivine_srv_conf_t, denied),
      NULL },

    { ngx_string("olivine_allow_keys"),
      NGX_STREAM_MAIN_CONF|NGX_STREAM_SRV_CONF|NGX_CONF_1MORE,
      ngx_olivine_conf_keys,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("olivine_shutdown"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_STREAM_MAIN_CONF_OFFSET,
      offsetof(ngx_olivine_main_conf_t, shutdown),
      NULL },

      ngx_null_command
};


static ngx_stream_module_t  ngx_olivine_module_ctx = {
    ngx_olivine_module_prepare,            /* preconfiguration */
    NULL,                                  /* postconfiguration */

    ngx_olivine_conf_create_main,          /* create main configuration */
    NULL,                                  /* init main configuration */

    ngx_olivine_conf_create_srv,           /* create server configuration */
    ngx_olivine_conf_merge_srv             /* merge server configuration */
};


ngx_module_t  ngx_olivine_module = {
    NGX_MODULE_V1,
    &ngx_olivine_module_ctx,               /* module context */
    ngx_olivine_directives,                /* module directives */
    NGX_STREAM_MODULE,                     /* module type */
    NULL,                                  /* init master */
    ngx_olivine_mount_commit,              /* init module */
    ngx_olivine_process_start,              /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    ngx_olivine_process_stop,               /* exit process */
    ngx_olivine_mount_end,                 /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_int_t
ngx_olivine_module_prepare(ngx_conf_t *cf)
{
    if (ngx_olivine_variables_add(cf) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_conf_prepare(cf, &ngx_olivine_directives[0]);
}
