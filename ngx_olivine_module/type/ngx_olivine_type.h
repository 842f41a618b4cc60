
/*
 * Copyright (C) The Olivine authors
 *
 * The table of types: what the layers above ask of a value without knowing
 * what it is.
 */


#ifndef _NGX_OLIVINE_TYPE_H_INCLUDED_
#define _NGX_OLIVINE_TYPE_H_INCLUDED_


#include "mem/ngx_olivine_journal.h"


typedef enum {
    NGX_OLIVINE_TYPE_STRING = 0,
    NGX_OLIVINE_TYPES
} ngx_olivine_type_e;


typedef enum {
    NGX_OLIVINE_ENC_RAW = 0,         /* as Redis numbers them */
    NGX_OLIVINE_ENC_INT = 1,
    NGX_OLIVINE_ENC_EMBSTR = 8
} ngx_olivine_encoding_e;


/* A value as seen under its shard's lock, or as it is to be stored. */
typedef struct {
    uint8_t              type;
    uint8_t              encoding;
    int64_t              number;     /* INT */
    ngx_str_t            text;       /* RAW, EMBSTR: its bytes */
    uint32_t             page;       /* they are this run, 0: the entry's */
    uint32_t             receipt;    /* to store: adopt this holding, + 1 */
    unsigned             moved:1;    /* to store: the run itself, which no key
                                        holds any more */
} ngx_olivine_value_t;


typedef struct {
    ngx_str_t            name;       /* as TYPE says */

    /* mixes the value into a digest as DEBUG DIGEST does (20 bytes) */
    void               (*digest)(ngx_olivine_value_t *value, u_char *digest);

    /* bytes behind the entry that belong to the value */
    size_t             (*weigh)(ngx_olivine_zone_t *zone,
                           ngx_olivine_value_t *value);
} ngx_olivine_type_t;


extern const ngx_olivine_type_t  ngx_olivine_types[NGX_OLIVINE_TYPES];

/* "raw", "int", "embstr" */
ngx_str_t *ngx_olivine_encoding_name(ngx_uint_t encoding);


/*
 * DEBUG DIGEST's two operations: digest ^= SHA1(data); and the same followed
 * by digest = SHA1(digest), which makes the order count.
 */
void ngx_olivine_digest_xor(u_char *digest, const void *p, size_t len);
void ngx_olivine_digest_mix(u_char *digest, const void *p, size_t len);


#endif /* _NGX_OLIVINE_TYPE_H_INCLUDED_ */
