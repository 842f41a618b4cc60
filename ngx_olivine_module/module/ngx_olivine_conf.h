
/*
 * Copyright (C) The Olivine authors
 *
 * What the directives leave behind: zones in the main configuration, one of
 * them in a server's.
 */


#ifndef _NGX_OLIVINE_CONF_H_INCLUDED_
#define _NGX_OLIVINE_CONF_H_INCLUDED_


#include "base/ngx_olivine_params.h"
#include "command/ngx_olivine_rules.h"

#include <ngx_stream.h>


/* a name that differs by more is no slip of the pen */
#define NGX_OLIVINE_CONF_NEAR  3


typedef struct ngx_olivine_mount_s  ngx_olivine_mount_t;


/* An "olivine_zone" of one configuration. */
typedef struct {
    ngx_str_t                   name;
    size_t                      limit;
    ngx_olivine_params_t        params;     /* defaults, and what is given */
    u_char                     *given;      /* one byte a row of the table */
    ngx_array_t                 idle;       /* names given, without use */
    ngx_array_t                 hosted;     /* those the standalone acts on */
    ngx_olivine_renames_t      *renames;    /* or NULL */

    ngx_cycle_t                *owner;
    ngx_olivine_mount_t        *mount;      /* once the zone is there */
    uint32_t                    cycle;      /* announced in the zone */
} ngx_olivine_conf_zone_t;


typedef struct {
    ngx_array_t                 zones;      /* ngx_olivine_conf_zone_t * */
    ngx_array_t                 forms;      /* see ngx_olivine_forms.h */
    ngx_uint_t                  form;       /* of the next directive */
    ngx_flag_t                  shutdown;   /* SHUTDOWN may end nginx */
} ngx_olivine_main_conf_t;


typedef struct {
    ngx_str_t                   name;
    u_char                     *file;
    ngx_uint_t                  line;
    ngx_olivine_conf_zone_t    *zone;

    /* see ngx_olivine_conf_rules.h; NULL: not given */
    uint64_t                   *allowed;    /* sets of commands */
    uint64_t                   *denied;
    ngx_array_t                *keys;
    ngx_olivine_rules_t        *rules;
} ngx_olivine_srv_conf_t;


void *ngx_olivine_conf_create_main(ngx_conf_t *cf);
void *ngx_olivine_conf_create_srv(ngx_conf_t *cf);

/* Finds the zone that a server names. */
char *ngx_olivine_conf_merge_srv(ngx_conf_t *cf, void *parent, void *child);

/* Looks ahead for the forms of all directives cmd, sets cmd for the first. */
ngx_int_t ngx_olivine_conf_prepare(ngx_conf_t *cf, ngx_command_t *cmd);

char *ngx_olivine_conf_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_olivine_conf_server(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* The block of a zone: before it, each of its lines, behind it. */
ngx_int_t ngx_olivine_conf_params_init(ngx_conf_t *cf,
    ngx_olivine_conf_zone_t *oz);
char *ngx_olivine_conf_param(ngx_conf_t *cf, ngx_command_t *dummy,
    void *conf);
char *ngx_olivine_conf_params_done(ngx_conf_t *cf,
    ngx_olivine_conf_zone_t *oz);

/* 1 if the block has that parameter. */
ngx_uint_t ngx_olivine_conf_given(ngx_olivine_conf_zone_t *oz,
    const char *name);

/* The zone of that name in a configuration, or NULL. */
ngx_olivine_conf_zone_t *ngx_olivine_conf_find(ngx_olivine_main_conf_t *omcf,
    ngx_str_t *name);

/* The same for a directive in that line; one that is not there is logged. */
ngx_olivine_conf_zone_t *ngx_olivine_conf_named(ngx_olivine_main_conf_t *omcf,
    ngx_str_t *name, u_char *file, ngx_uint_t line, ngx_log_t *log);

/*
 * The known name, if it is nearer to the given one than distance, which is
 * then brought down; else the best so far.
 */
ngx_str_t *ngx_olivine_conf_nearer(ngx_str_t *name, ngx_str_t *known,
    ngx_str_t *best, ngx_uint_t *distance);

/*
 * The parameter "dir", if it is given: a folder that the workers may write.
 * OK or ERROR, which is logged.
 */
ngx_int_t ngx_olivine_conf_check_dir(ngx_olivine_conf_zone_t *oz,
    ngx_log_t *log);


extern ngx_module_t  ngx_olivine_module;

/* 1 if the configuration was written by the standalone for itself */
extern ngx_uint_t  ngx_olivine_standalone;


/* NULL if there is no stream block */
#define ngx_olivine_conf_main(cycle)                                          \
    ((ngx_olivine_main_conf_t *)                                              \
         ngx_stream_cycle_get_module_main_conf(cycle, ngx_olivine_module))


#endif /* _NGX_OLIVINE_CONF_H_INCLUDED_ */
