/*
 * Copyright (C) The Olivine authors
 *
 * The parameter table: one row a parameter, read by redis.conf, command-line
 * flags, CONFIG and the nginx block alike.
 *
 * The values are plain data without a pointer: they are copied, and the
 * running ones lie in the zone.  Each has one representation (unused bytes
 * are zero), so rows compare as bytes.  Nothing here locks: a CONFIG SET sets
 * rows in a copy, then copies those rows under the lock of the running ones.
 */


#ifndef _NGX_OLIVINE_PARAMS_H_INCLUDED_
#define _NGX_OLIVINE_PARAMS_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* CONFIG SET may change it */
#define NGX_OLIVINE_PARAM_LIVE       0x01
/* holds for the life of a zone: a reload that changes it is refused */
#define NGX_OLIVINE_PARAM_FIXED      0x02
/* never shown in logs or --print-config */
#define NGX_OLIVINE_PARAM_SECRET     0x04
/* CONFIG SET answers "can't set protected config" */
#define NGX_OLIVINE_PARAM_PROTECTED  0x08
/* in files it takes several words and may be repeated */
#define NGX_OLIVINE_PARAM_WORDS      0x10

/* room that ngx_olivine_params_set() needs for an error text */
#define NGX_OLIVINE_PARAM_ERROR      256
/* room that suffices for any printed value */
#define NGX_OLIVINE_PARAM_PRINT      1280

#define NGX_OLIVINE_REQUIREPASS_MAX  512
#define NGX_OLIVINE_DIR_MAX          1024
#define NGX_OLIVINE_SAVE_POINTS      16

#define NGX_OLIVINE_DEBUG_NO         0
#define NGX_OLIVINE_DEBUG_YES        1
#define NGX_OLIVINE_DEBUG_LOCAL      2

#define NGX_OLIVINE_LOG_DEBUG        0
#define NGX_OLIVINE_LOG_VERBOSE      1
#define NGX_OLIVINE_LOG_NOTICE       2
#define NGX_OLIVINE_LOG_WARNING      3
#define NGX_OLIVINE_LOG_NOTHING      4

#define NGX_OLIVINE_POLICY_NOEVICTION  0

/* classes of clients with an output limit of their own */
#define NGX_OLIVINE_CLASS_NORMAL     0
#define NGX_OLIVINE_CLASS_REPLICA    1
#define NGX_OLIVINE_CLASS_PUBSUB     2
#define NGX_OLIVINE_CLASSES          3


typedef struct {
    int64_t                      hard;
    int64_t                      soft;
    int64_t                      seconds;
} ngx_olivine_output_limit_t;


typedef struct {
    int64_t                      seconds;
    int64_t                      changes;
} ngx_olivine_save_point_t;


typedef struct {
    int64_t                      n;
    ngx_olivine_save_point_t     points[NGX_OLIVINE_SAVE_POINTS];
} ngx_olivine_save_t;


struct ngx_olivine_params_s {
    int64_t                      maxclients;
    int64_t                      maxmemory;
    int64_t                      maxmemory_policy;
    int64_t                      databases;
    int64_t                      timeout;
    int64_t                      tcp_keepalive;
    int64_t                      proto_max_bulk_len;
    int64_t                      client_query_buffer_limit;
    ngx_olivine_output_limit_t   output_limit[NGX_OLIVINE_CLASSES];
    int64_t                      enable_debug_command;
    int64_t                      loglevel;
    int64_t                      appendonly;
    int64_t                      lock_timing;
    ngx_olivine_save_t           save;

    /* strings: a length, then the bytes, zero-terminated */
    struct {
        size_t                   len;
        u_char                   data[NGX_OLIVINE_REQUIREPASS_MAX + 8];
    } requirepass;

    struct {
        size_t                   len;
        u_char                   data[NGX_OLIVINE_DIR_MAX + 8];
    } dir;
};


typedef struct ngx_olivine_param_s  ngx_olivine_param_t;


/* a type of parameter; "set" is given the field and an error buffer */
typedef struct {
    ngx_int_t    (*set)(const ngx_olivine_param_t *row, void *field,
                      ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
    u_char      *(*print)(const ngx_olivine_param_t *row, const void *field,
                      u_char *buf, u_char *last);
    const char    *name;
} ngx_olivine_param_type_t;


struct ngx_olivine_param_s {
    ngx_str_t                        name;
    const ngx_olivine_param_type_t  *type;
    const char                      *value;
    ngx_uint_t                       flags;
    size_t                           offset;
    size_t                           size;
    struct {
        int64_t                      min;
        int64_t                      max;
    } range;
    const char                      *help;

    /* of an enumeration, ended by NULL; a value is its index */
    const char *const               *words;
};


/* the rows, in order of name; a row without a name ends them */
extern const ngx_olivine_param_t  ngx_olivine_params[];


void ngx_olivine_params_defaults(ngx_olivine_params_t *params);

/* the row of that name in any case, or NULL */
const ngx_olivine_param_t *ngx_olivine_params_find(u_char *name, size_t len);

/*
 * Sets one row from the words given: one, but for rows with the flag WORDS.
 * Flags are the caller's to check.  OK, or DECLINED with Redis's reason in
 * err, whose data is room for NGX_OLIVINE_PARAM_ERROR bytes; params is then
 * as before.
 */
ngx_int_t ngx_olivine_params_set(ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, ngx_str_t *values, ngx_uint_t n,
    ngx_str_t *err);

/* prints as CONFIG GET does, never beyond last; returns the end */
u_char *ngx_olivine_params_print(const ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, u_char *buf, u_char *last);

void ngx_olivine_params_copy(ngx_olivine_params_t *to,
    const ngx_olivine_params_t *from, const ngx_olivine_param_t *row);

/* 1 if both hold the same value */
ngx_uint_t ngx_olivine_params_equal(const ngx_olivine_params_t *a,
    const ngx_olivine_params_t *b, const ngx_olivine_param_t *row);


#endif /* _NGX_OLIVINE_PARAMS_H_INCLUDED_ */
