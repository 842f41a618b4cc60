
/*
 * Copyright (C) The Olivine authors
 *
 * What modules of Redis write of their own, outside of keys.  It consists of
 * parts that say what they are, so it can be passed over by who knows nothing
 * of the module.
 */


#include "rdb/ngx_olivine_rdb_codec.h"


#define NGX_OLIVINE_RDB_PART_END     0
#define NGX_OLIVINE_RDB_PART_SIGNED  1
#define NGX_OLIVINE_RDB_PART_NUMBER  2
#define NGX_OLIVINE_RDB_PART_FLOAT   3
#define NGX_OLIVINE_RDB_PART_DOUBLE  4
#define NGX_OLIVINE_RDB_PART_STRING  5


static ngx_int_t ngx_olivine_rdb_load_module_string(ngx_olivine_rdb_in_t *in,
    uint64_t *skip);


/* Nine letters of six bits; the rest is the version of the module's format. */

void
ngx_olivine_rdb_module_name(uint64_t id, u_char *name)
{
    ngx_uint_t  i;

    static const u_char  letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "abcdefghijklmnopqrstuvwxyz0123456789-_";

    for (i = 0; i < NGX_OLIVINE_RDB_MODULE_NAME; i++) {
        name[i] = letters[id >> (58 - 6 * i) & 0x3f];
    }
}


/* Who it is of, and whether it was saved before or after the keys. */

ngx_int_t
ngx_olivine_rdb_load_module(ngx_olivine_rdb_in_t *in, u_char *name)
{
    uint64_t   id, part, when;
    ngx_int_t  rc;

    rc = ngx_olivine_rdb_load_number(in, &id);

    if (rc == NGX_OK) {
        rc = ngx_olivine_rdb_load_number(in, &part);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_rdb_load_number(in, &when);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (part != NGX_OLIVINE_RDB_PART_NUMBER) {
        return NGX_DECLINED;
    }

    ngx_olivine_rdb_module_name(id, name);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_rdb_load_module_part(ngx_olivine_rdb_in_t *in, uint64_t *skip)
{
    u_char     *p;
    uint64_t    part, n;
    ngx_int_t   rc;

    *skip = 0;

    rc = ngx_olivine_rdb_load_number(in, &part);
    if (rc != NGX_OK) {
        return rc;
    }

    switch (part) {

    case NGX_OLIVINE_RDB_PART_END:
        return NGX_DONE;

    case NGX_OLIVINE_RDB_PART_SIGNED:
    case NGX_OLIVINE_RDB_PART_NUMBER:
        return ngx_olivine_rdb_load_number(in, &n);

    case NGX_OLIVINE_RDB_PART_FLOAT:
        return ngx_olivine_rdb_load_bytes(in, 4, &p);

    case NGX_OLIVINE_RDB_PART_DOUBLE:
        return ngx_olivine_rdb_load_bytes(in, 8, &p);

    case NGX_OLIVINE_RDB_PART_STRING:
        return ngx_olivine_rdb_load_module_string(in, skip);

    default:
        return NGX_DECLINED;
    }
}


static ngx_int_t
ngx_olivine_rdb_load_module_string(ngx_olivine_rdb_in_t *in, uint64_t *skip)
{
    uint64_t    n, len;
    ngx_int_t   rc;
    ngx_uint_t  encoded;

    rc = ngx_olivine_rdb_load_length(in, &len, &encoded);

    if (rc != NGX_OK) {
        return rc;
    }

    if (!encoded) {
        *skip = len;
        return NGX_OK;
    }

    if (len <= NGX_OLIVINE_RDB_INT32) {
        *skip = (uint64_t) 1 << len;
        return NGX_OK;
    }

    if (len != NGX_OLIVINE_RDB_LZF) {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_rdb_load_number(in, &len);

    if (rc == NGX_OK) {
        rc = ngx_olivine_rdb_load_number(in, &n);
    }

    if (rc == NGX_OK) {
        *skip = len;
    }

    return rc;
}
