
/*
 * Copyright (C) The Olivine authors
 *
 * A placeholder with the real module's name and directives, so that both
 * hosts can be built and tested: it answers every PING it sees.
 */


#include <base/ngx_olivine_base.h>
#include <ngx_event.h>
#include <ngx_stream.h>


static void ngx_olivine_handler(ngx_stream_session_t *s);
static void ngx_olivine_read_handler(ngx_event_t *rev);
static void ngx_olivine_write_handler(ngx_event_t *wev);
static char *ngx_olivine_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_olivine_param(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_olivine(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


static ngx_command_t  ngx_olivine_commands[] = {

    { ngx_string("olivine_zone"),
      NGX_STREAM_MAIN_CONF|NGX_CONF_TAKE2|NGX_CONF_BLOCK,
      ngx_olivine_zone,
      0,
      0,
      NULL },

    { ngx_string("olivine"),
      NGX_STREAM_SRV_CONF|NGX_CONF_TAKE1,
      ngx_olivine,
      NGX_STREAM_SRV_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};


static ngx_stream_module_t  ngx_olivine_module_ctx = {
    NULL,                                  /* preconfiguration */
    NULL,                                  /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL                                   /* merge server configuration */
};


ngx_module_t  ngx_olivine_module = {
    NGX_MODULE_V1,
    &ngx_olivine_module_ctx,               /* module context */
    ngx_olivine_commands,                  /* module directives */
    NGX_STREAM_MODULE,                     /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static void
ngx_olivine_handler(ngx_stream_session_t *s)
{
    ngx_connection_t  *c = s->connection;

    c->idle = 1;
    c->read->handler = ngx_olivine_read_handler;
    c->write->handler = ngx_olivine_write_handler;

    ngx_olivine_read_handler(c->read);
}


static void
ngx_olivine_read_handler(ngx_event_t *rev)
{
    u_char                 buf[4096], *p;
    ssize_t                n;
    ngx_connection_t      *c = rev->data;
    ngx_stream_session_t  *s = c->data;

    for ( ;; ) {
        if (c->close) {
            break;
        }

        n = c->recv(c, buf, sizeof(buf));

        if (n == NGX_AGAIN) {
            if (ngx_handle_read_event(rev, 0) == NGX_OK) {
                return;
            }

            break;
        }

        if (n <= 0) {
            break;
        }

        for (p = buf; p + 4 <= buf + n; p++) {
            if (ngx_strncasecmp(p, (u_char *) "PING", 4) == 0) {
                (void) c->send(c, (u_char *) "+PONG\r\n", 7);
            }
        }
    }

    ngx_stream_finalize_session(s, NGX_STREAM_OK);
}


static void
ngx_olivine_write_handler(ngx_event_t *wev)
{
}


static char *
ngx_olivine_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char        *rv;
    ngx_conf_t   save = *cf;

    cf->handler = ngx_olivine_param;
    cf->handler_conf = NULL;

    rv = ngx_conf_parse(cf, NULL);

    *cf = save;

    return rv;
}


static char *
ngx_olivine_param(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    return NGX_CONF_OK;
}


static char *
ngx_olivine(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_stream_core_srv_conf_t  *cscf;

    cscf = ngx_stream_conf_get_module_srv_conf(cf, ngx_stream_core_module);
    cscf->handler = ngx_olivine_handler;

    return NGX_CONF_OK;
}
