
/*
 * Copyright (C) The Olivine authors
 *
 * What the directives leave behind: in a location's configuration, which
 * pages of which zone it serves.
 *
 * A zone is declared in the stream block, which may stand behind the http
 * block.  So names are looked up when the whole configuration is read.
 */


#ifndef _NGX_HTTP_OLIVINE_CONF_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_CONF_H_INCLUDED_


#include "module/ngx_olivine_mount.h"

#include <ngx_http.h>

#include "http/ngx_http_olivine_weak.h"


typedef struct ngx_http_olivine_answer_s  ngx_http_olivine_answer_t;

/* see ngx_http_olivine_answer.h */
typedef ngx_int_t (*ngx_http_olivine_fill_pt)(
    ngx_http_olivine_answer_t *answer);


/* One use of a directive. */
typedef struct {
    ngx_http_olivine_fill_pt    fill;
    ngx_str_t                   name;
    u_char                     *file;
    ngx_uint_t                  line;
    ngx_olivine_conf_zone_t    *zone;
    ngx_uint_t                  post;    /* POST is taken, too */
} ngx_http_olivine_use_t;


typedef struct {
    ngx_array_t                 uses;    /* ngx_http_olivine_use_t * */
} ngx_http_olivine_main_conf_t;


typedef struct {
    ngx_http_olivine_use_t     *use;     /* NULL: none */
} ngx_http_olivine_loc_conf_t;


void *ngx_http_olivine_conf_create_main(ngx_conf_t *cf);
void *ngx_http_olivine_conf_create_loc(ngx_conf_t *cf);
char *ngx_http_olivine_conf_merge_loc(ngx_conf_t *cf, void *parent,
    void *child);

/*
 * A directive; cmd->post is its ngx_http_olivine_fill_pt, cmd->offset whether
 * POST is taken.
 */
char *ngx_http_olivine_conf_page(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/* When all is read: finds the zones. */
char *ngx_http_olivine_conf_zones(ngx_cycle_t *cycle, void *conf);


extern ngx_module_t  ngx_http_olivine_module;


#endif /* _NGX_HTTP_OLIVINE_CONF_H_INCLUDED_ */
