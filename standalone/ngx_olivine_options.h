
/*
 * Copyright (C) The Olivine authors
 *
 * The standalone's command line and redis.conf, turned into a configuration
 * of nginx.  Runs before nginx has set itself up: libc only, no pools; what
 * is allocated lives as long as the process.
 */


#ifndef _NGX_OLIVINE_OPTIONS_H_INCLUDED_
#define _NGX_OLIVINE_OPTIONS_H_INCLUDED_


#include <base/ngx_olivine_params.h>
#include <stdio.h>


#define NGX_OLIVINE_OPTIONS_ERROR  2048


/* where a line comes from; file is NULL for the command line */
typedef struct {
    const char                 *file;
    ngx_uint_t                  line;
} ngx_olivine_place_t;


/* one parameter: its name and values, in the order they came */
typedef struct {
    char                      **argv;
    ngx_uint_t                  argc;
} ngx_olivine_option_t;


typedef struct {
    ngx_olivine_option_t       *elts;
    ngx_uint_t                  nelts;
    ngx_uint_t                  nalloc;

    ngx_olivine_params_t        params;    /* what they come to */

    char                       *file;      /* redis.conf, whole; or NULL */
    char                       *input;     /* standard input, or NULL */
    size_t                      input_len;
    ngx_uint_t                  depth;     /* of includes */

    unsigned                    ready:1;   /* params are filled */
    unsigned                    help:1;
    unsigned                    version:1;
    unsigned                    print_config:1;

    char                        error[NGX_OLIVINE_OPTIONS_ERROR];
    char                        note[NGX_OLIVINE_OPTIONS_ERROR];
} ngx_olivine_options_t;


/* what the machine gives; passed in so that tests can choose it */
typedef struct {
    off_t                       memory;    /* bytes of RAM */
    rlim_t                      files;     /* most descriptors, hard limit */
    const char                 *user;      /* NULL: not started by root */
    const char                 *run;       /* folder for the pid file */
    ngx_pid_t                   pid;       /* of the first start */
    const char                 *notify;    /* systemd's socket, or NULL */

    /* 1 if there is such an address; NULL: all are taken for there */
    ngx_uint_t                (*has)(const char *address);

    /* 1 if somebody listens on "ADDR:PORT"; NULL: nobody does */
    ngx_uint_t                (*busy)(const char *address);

    ngx_uint_t                  no_http;   /* its default address was busy */
} ngx_olivine_machine_t;


/*
 * Reads "[redis.conf] [--name value ...] [-]", where "-" is a redis.conf from
 * the standard input; ERROR leaves a text in o->error.
 */
ngx_int_t ngx_olivine_options_read(ngx_olivine_options_t *o, int argc,
    char *const *argv);

/* Reads the lines of a redis.conf; ERROR as above. */
ngx_int_t ngx_olivine_options_file(ngx_olivine_options_t *o, FILE *in,
    const char *name);

/* Writes the configuration of nginx; ERROR as above. */
ngx_int_t ngx_olivine_options_write(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);

/* The option of that name, or NULL if it was not given. */
ngx_olivine_option_t *ngx_olivine_options_get(ngx_olivine_options_t *o,
    const char *name);

/*
 * Cuts a line into words, quotes undone.  DECLINED: quotes are unbalanced;
 * ERROR as above.
 */
ngx_int_t ngx_olivine_options_split(ngx_olivine_options_t *o, char *line,
    char ***argv, ngx_uint_t *argc);

/* Writes the http block, if there is to be one; ERROR as above. */
ngx_int_t ngx_olivine_options_http(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, FILE *out);

/* Writes a word: bare where nginx takes it bare, else in double quotes. */
void ngx_olivine_options_quote(const char *s, FILE *out);

/* Adds to what is said at the start, though it is no error. */
void ngx_olivine_options_note(ngx_olivine_options_t *o, const char *fmt, ...);

/* Leaves a text in o->error, and returns ERROR. */
ngx_int_t ngx_olivine_options_error(ngx_olivine_options_t *o,
    const char *fmt, ...);

/* The same, with the place before it. */
ngx_int_t ngx_olivine_options_error_at(ngx_olivine_options_t *o,
    ngx_olivine_place_t *at, const char *fmt, ...);


#endif /* _NGX_OLIVINE_OPTIONS_H_INCLUDED_ */
