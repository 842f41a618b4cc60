
/*
 * Copyright (C) The Olivine authors
 *
 * What a profile consists of; for those who fill it and those who write it.
 * Everything has a number in its table, and is found by a hash.
 */


#ifndef _NGX_OLIVINE_PROFILE_TABLES_H_INCLUDED_
#define _NGX_OLIVINE_PROFILE_TABLES_H_INCLUDED_


#include "prof/ngx_olivine_profile.h"


/* numbers + 1 by hash, open addressing */
typedef struct {
    uint32_t                           *cells;
    uint32_t                            size;       /* a power of two */
} ngx_olivine_profile_index_t;


typedef struct {
    uint32_t                            hash;
    uint32_t                            len;
    u_char                             *data;
} ngx_olivine_profile_string_t;


/* a function is (name, file), a place in it (function, line) */
typedef struct {
    uint32_t                            hash;
    uint32_t                            first;
    uint64_t                            second;
} ngx_olivine_profile_pair_t;


typedef struct {
    uint32_t                            key;        /* strings */
    uint32_t                            text;       /* 0: a number */
    int64_t                             number;
} ngx_olivine_profile_tag_t;


typedef struct {
    uint32_t                            hash;
    uint16_t                            nplaces;
    uint16_t                            ntags;
    uint32_t                           *places;     /* leaf first */
    ngx_olivine_profile_tag_t          *tags;
    int64_t                             values[NGX_OLIVINE_PROFILE_KINDS];
} ngx_olivine_profile_stack_t;


typedef struct {
    void                               *items;
    uint32_t                            n;
    uint32_t                            room;
    ngx_olivine_profile_index_t         index;
} ngx_olivine_profile_table_t;


typedef struct ngx_olivine_profile_block_s  ngx_olivine_profile_block_t;


struct ngx_olivine_profile_s {
    ngx_uint_t                          nkinds;
    uint32_t                            types[NGX_OLIVINE_PROFILE_KINDS];
    uint32_t                            units[NGX_OLIVINE_PROFILE_KINDS];
    ngx_uint_t                          kind;       /* the default one */

    uint32_t                            period_type;
    uint32_t                            period_unit;
    int64_t                             period;
    int64_t                             begun;
    int64_t                             took;

    ngx_olivine_profile_table_t         strings;    /* number 0 is "" */
    ngx_olivine_profile_table_t         functions;
    ngx_olivine_profile_table_t         places;
    ngx_olivine_profile_table_t         stacks;

    ngx_olivine_profile_block_t        *blocks;     /* of strings, stacks */
    size_t                              used;       /* bytes in all */
};


#define ngx_olivine_profile_string(profile, n)                                \
    (&((ngx_olivine_profile_string_t *) (profile)->strings.items)[n])

#define ngx_olivine_profile_function(profile, n)                              \
    (&((ngx_olivine_profile_pair_t *) (profile)->functions.items)[n])

#define ngx_olivine_profile_place(profile, n)                                 \
    (&((ngx_olivine_profile_pair_t *) (profile)->places.items)[n])

#define ngx_olivine_profile_stack(profile, n)                                 \
    (&((ngx_olivine_profile_stack_t *) (profile)->stacks.items)[n])


/* 1 if one of its values is not 0. */
ngx_uint_t ngx_olivine_profile_counts(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_stack_t *stack);


#endif /* _NGX_OLIVINE_PROFILE_TABLES_H_INCLUDED_ */
