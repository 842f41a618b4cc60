
/*
 * Copyright (C) The Olivine authors
 *
 * The standalone's command line and redis.conf, turned into a configuration
 * of nginx.  Runs before nginx has set itself up: libc only, no pools; what
 * is allocated lives as long as the process.
 */


#ifndef _NGX_OLIVINE_OPTIONS_H_INCLUDED_
#define _NGX_OLIVINE_OPTIONS_H_INCLUDED_


#include <base/ngx_olivine_base.h>
#include <stdio.h>


#define NGX_OLIVINE_OPTIONS_ERROR  512


typedef enum {
    NGX_OLIVINE_OPTION_HOST = 0,           /* acted on here */
    NGX_OLIVINE_OPTION_BOTH,               /* here and by the module */
    NGX_OLIVINE_OPTION_IGNORED             /* known to Redis, idle here */
} ngx_olivine_option_kind_e;


typedef struct {
    const char                 *name;
    ngx_olivine_option_kind_e   kind;
    ngx_uint_t                  most;      /* values; 0: any number */
} ngx_olivine_option_row_t;


/* one parameter: its name and values, in the order they came */
typedef struct {
    char                      **argv;
    ngx_uint_t                  argc;
    ngx_uint_t                  line;      /* 0: from the command line */
} ngx_olivine_option_t;


typedef struct {
    ngx_olivine_option_t       *elts;
    ngx_uint_t                  nelts;
    ngx_uint_t                  nalloc;

    const char                 *file;      /* redis.conf, or NULL */

    unsigned                    help:1;
    unsigned                    version:1;
    unsigned                    print_config:1;

    char                        error[NGX_OLIVINE_OPTIONS_ERROR];
} ngx_olivine_options_t;


/* what the machine gives; passed in so that tests can choose it */
typedef struct {
    off_t                       memory;    /* bytes of RAM */
    rlim_t                      files;     /* most descriptors, hard limit */
    const char                 *user;      /* NULL: not started by root */
    const char                 *run;       /* folder for the pid file */
    ngx_pid_t                   pid;       /* of the first start */
    unsigned                    ipv6:1;
} ngx_olivine_machine_t;


/* Reads "[redis.conf] [--name value ...]"; ERROR leaves a text in o->error. */
ngx_int_t ngx_olivine_options_read(ngx_olivine_options_t *o, int argc,
    char *const *argv);

/* Reads the lines of a redis.conf; ERROR as above. */
ngx_int_t ngx_olivine_options_file(ngx_olivine_options_t *o, FILE *in,
    const char *name);

/* Writes the configuration of nginx; ERROR as above. */
ngx_int_t ngx_olivine_options_write(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);

/* The last value given for a name, or NULL. */
ngx_olivine_option_t *ngx_olivine_options_get(ngx_olivine_options_t *o,
    const char *name);

/* Bytes as Redis writes them: 100, 1k, 1kb, 1mb, 2gb.  OK or ERROR. */
ngx_int_t ngx_olivine_options_memory(const char *s, off_t *bytes);


/* What the host knows of a name, or NULL: the module's business. */
const ngx_olivine_option_row_t *ngx_olivine_options_row(const char *name);

/* Leaves a text in o->error, and returns ERROR. */
ngx_int_t ngx_olivine_options_error(ngx_olivine_options_t *o,
    const char *fmt, ...);


#endif /* _NGX_OLIVINE_OPTIONS_H_INCLUDED_ */
