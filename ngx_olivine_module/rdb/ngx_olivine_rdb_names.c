
/*
 * Copyright (C) The Olivine authors
 *
 * Types of values that Redis and Valkey write, by the byte that says so, for
 * messages.
 */


#include "rdb/ngx_olivine_rdb_codec.h"


static const char *const  ngx_olivine_rdb_names[] = {
    "string",
    "list",
    "set",
    "sorted set",
    "hash",
    "sorted set",
    "value of a module (before 4.0)",
    "value of a module",
    NULL,
    "hash (zipmap)",
    "list (ziplist)",
    "set (intset)",
    "sorted set (ziplist)",
    "hash (ziplist)",
    "list (quicklist of ziplists)",
    "stream",
    "hash (listpack)",
    "sorted set (listpack)",
    "list (quicklist)",
    "stream",
    "set (listpack)",
    "stream",
    "hash with fields that expire",      /* Redis 7.4 before its release, and
                                            Valkey 9 in another form */
    "hash with fields that expire (listpack)",
    "hash with fields that expire",
    "hash with fields that expire (listpack)"
};

#define NGX_OLIVINE_RDB_NAMES                                                 \
    (sizeof(ngx_olivine_rdb_names) / sizeof(char *))


const char *
ngx_olivine_rdb_name(ngx_uint_t code)
{
    return code < NGX_OLIVINE_RDB_NAMES ? ngx_olivine_rdb_names[code] : NULL;
}
