
/*
 * Copyright (C) The Olivine authors
 *
 * What the commands of strings share: the options of SET, most of which
 * others have, too.
 */


#ifndef _NGX_OLIVINE_CMD_STRING_H_INCLUDED_
#define _NGX_OLIVINE_CMD_STRING_H_INCLUDED_


#include "command/ngx_olivine_cmd.h"


#define NGX_OLIVINE_SET_NX        0x0001
#define NGX_OLIVINE_SET_XX        0x0002
#define NGX_OLIVINE_SET_IFEQ      0x0004
#define NGX_OLIVINE_SET_IFNE      0x0008
#define NGX_OLIVINE_SET_IFDEQ     0x0010
#define NGX_OLIVINE_SET_IFDNE     0x0020
#define NGX_OLIVINE_SET_GET       0x0040
#define NGX_OLIVINE_SET_KEEPTTL   0x0080
#define NGX_OLIVINE_SET_PERSIST   0x0100
#define NGX_OLIVINE_SET_EX        0x0200
#define NGX_OLIVINE_SET_PX        0x0400
#define NGX_OLIVINE_SET_EXAT      0x0800
#define NGX_OLIVINE_SET_PXAT      0x1000

/* those that look at the value; all conditions; all that sets the expiry */
#define NGX_OLIVINE_SET_IF                                                    \
    (NGX_OLIVINE_SET_IFEQ|NGX_OLIVINE_SET_IFNE                                \
     |NGX_OLIVINE_SET_IFDEQ|NGX_OLIVINE_SET_IFDNE)

#define NGX_OLIVINE_SET_WHEN                                                  \
    (NGX_OLIVINE_SET_NX|NGX_OLIVINE_SET_XX|NGX_OLIVINE_SET_IF)

#define NGX_OLIVINE_SET_TTL                                                   \
    (NGX_OLIVINE_SET_KEEPTTL|NGX_OLIVINE_SET_PERSIST                          \
     |NGX_OLIVINE_SET_EX|NGX_OLIVINE_SET_PX                                   \
     |NGX_OLIVINE_SET_EXAT|NGX_OLIVINE_SET_PXAT)

#define NGX_OLIVINE_SET_RELATIVE  (NGX_OLIVINE_SET_EX|NGX_OLIVINE_SET_PX)
#define NGX_OLIVINE_SET_SECONDS   (NGX_OLIVINE_SET_EX|NGX_OLIVINE_SET_EXAT)

/* characters of a digest */
#define NGX_OLIVINE_SET_DIGEST    16


typedef struct {
    ngx_uint_t   flags;
    ngx_uint_t   expire;             /* the argument, 0: none */
    ngx_uint_t   match;
} ngx_olivine_set_options_t;


/* Reads the arguments from i on; known: the options there are.  OK, ERROR. */
ngx_int_t ngx_olivine_set_options(ngx_olivine_cx_t *cx, ngx_uint_t i,
    ngx_uint_t known, ngx_olivine_set_options_t *opts);

/* The flag of argument i if it is one of the known options, else 0. */
ngx_uint_t ngx_olivine_set_word(ngx_olivine_cx_t *cx, ngx_uint_t i,
    ngx_uint_t known);

/*
 * The time to store, in milliseconds, or one of NGX_OLIVINE_EXPIRE.  OK, or
 * ERROR, which is said.
 */
ngx_int_t ngx_olivine_set_expiry(ngx_olivine_cx_t *cx,
    ngx_olivine_set_options_t *opts, int64_t *at);

/*
 * Whether one of the conditions that look at the value holds.  OK; DECLINED:
 * it does not; ERROR: it is none.
 */
ngx_int_t ngx_olivine_set_compare(ngx_olivine_cx_t *cx,
    ngx_olivine_set_options_t *opts, ngx_olivine_value_t *value);

/*
 * Stores argument arg until a time, or one of NGX_OLIVINE_EXPIRE, and notes
 * that; a time that is past removes the key.
 */
ngx_int_t ngx_olivine_set_store(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref,
    ngx_uint_t arg, int64_t at);

/* The effect of a value that was stored under the ref. */
void ngx_olivine_set_effect(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref,
    ngx_str_t *value);

/* The digest of a value: that many hexadecimal digits. */
void ngx_olivine_set_digest(ngx_olivine_value_t *value, u_char *digest);


#endif /* _NGX_OLIVINE_CMD_STRING_H_INCLUDED_ */
