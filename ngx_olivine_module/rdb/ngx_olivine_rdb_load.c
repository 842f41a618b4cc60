
/*
 * Copyright (C) The Olivine authors
 */


#include "rdb/ngx_olivine_rdb_codec.h"

#include <liblzf/lzf.h>


typedef ngx_int_t (*ngx_olivine_rdb_load_pt)(ngx_olivine_rdb_in_t *in,
    ngx_olivine_value_t *value);


static ngx_int_t ngx_olivine_rdb_load_string(ngx_olivine_rdb_in_t *in,
    ngx_olivine_value_t *value);
static ngx_int_t ngx_olivine_rdb_load_integer(ngx_olivine_rdb_in_t *in,
    ngx_uint_t how, int64_t *n);
static ngx_int_t ngx_olivine_rdb_load_lzf(ngx_olivine_rdb_in_t *in,
    ngx_str_t *text);
static ngx_int_t ngx_olivine_rdb_load_length(ngx_olivine_rdb_in_t *in,
    uint64_t *len, ngx_uint_t *encoded);


/* by the byte before the body; NULL: not known here */

static const ngx_olivine_rdb_load_pt  ngx_olivine_rdb_loaders[] = {
    ngx_olivine_rdb_load_string
};

#define NGX_OLIVINE_RDB_LOADERS                                               \
    (sizeof(ngx_olivine_rdb_loaders) / sizeof(ngx_olivine_rdb_load_pt))


ngx_int_t
ngx_olivine_rdb_load(ngx_olivine_rdb_in_t *in, ngx_olivine_value_t *value)
{
    ngx_uint_t  code;

    in->memory = NULL;

    if (in->pos == in->last) {
        return NGX_DECLINED;
    }

    code = *in->pos++;

    if (code >= NGX_OLIVINE_RDB_LOADERS
        || ngx_olivine_rdb_loaders[code] == NULL)
    {
        return NGX_DECLINED;
    }

    return ngx_olivine_rdb_loaders[code](in, value);
}


ngx_int_t
ngx_olivine_rdb_check(const u_char *p, size_t len, ngx_uint_t skip_crc)
{
    uint64_t       crc;
    ngx_uint_t     i, version;
    const u_char  *footer;

    if (len < NGX_OLIVINE_RDB_FOOTER) {
        return NGX_DECLINED;
    }

    footer = p + len - NGX_OLIVINE_RDB_FOOTER;
    version = footer[0] | footer[1] << 8;

    if (version > NGX_OLIVINE_RDB_NEWEST && version != NGX_OLIVINE_RDB_VALKEY)
    {
        return NGX_DECLINED;
    }

    if (skip_crc) {
        return NGX_OK;
    }

    crc = 0;

    for (i = 0; i < 8; i++) {
        crc |= (uint64_t) footer[2 + i] << (8 * i);
    }

    return ngx_olivine_rdb_crc(0, p, len - 8) == crc ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_olivine_rdb_load_string(ngx_olivine_rdb_in_t *in,
    ngx_olivine_value_t *value)
{
    int64_t     n;
    uint64_t    len;
    ngx_int_t   rc;
    ngx_str_t   text;
    ngx_uint_t  encoded;

    if (ngx_olivine_rdb_load_length(in, &len, &encoded) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (encoded && len != NGX_OLIVINE_RDB_LZF) {

        rc = ngx_olivine_rdb_load_integer(in, len, &n);

        if (rc == NGX_OK) {
            ngx_olivine_string_set_number(value, n);
        }

        return rc;
    }

    if (encoded) {
        rc = ngx_olivine_rdb_load_lzf(in, &text);
        if (rc != NGX_OK) {
            return rc;
        }

    } else {

        if (len > (uint64_t) (in->last - in->pos) || len > in->max) {
            return NGX_DECLINED;
        }

        text.data = in->pos;
        text.len = len;
        in->pos += len;
    }

    ngx_olivine_string_set(value, text.data, text.len);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_rdb_load_integer(ngx_olivine_rdb_in_t *in, ngx_uint_t how,
    int64_t *n)
{
    size_t     len;
    u_char    *p;
    uint32_t   bits;

    if (how > NGX_OLIVINE_RDB_INT32) {
        return NGX_DECLINED;
    }

    len = (size_t) 1 << how;
    p = in->pos;

    if ((size_t) (in->last - p) < len) {
        return NGX_DECLINED;
    }

    in->pos += len;

    switch (how) {

    case NGX_OLIVINE_RDB_INT8:
        *n = (int8_t) p[0];
        break;

    case NGX_OLIVINE_RDB_INT16:
        *n = (int16_t) (p[0] | p[1] << 8);
        break;

    default:
        bits = p[0] | p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
        *n = (int32_t) bits;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_rdb_load_lzf(ngx_olivine_rdb_in_t *in, ngx_str_t *text)
{
    u_char      *p;
    uint64_t     packed, len;
    ngx_uint_t   encoded;

    if (ngx_olivine_rdb_load_length(in, &packed, &encoded) != NGX_OK
        || encoded
        || ngx_olivine_rdb_load_length(in, &len, &encoded) != NGX_OK
        || encoded)
    {
        return NGX_DECLINED;
    }

    if (packed > (uint64_t) (in->last - in->pos) || len > in->max
        || packed > UINT32_MAX || len > UINT32_MAX)
    {
        return NGX_DECLINED;
    }

    /* it cannot be that long: no memory for it */

    if (len > (packed / 3 + 1) * NGX_OLIVINE_RDB_LZF_RUN) {
        return NGX_DECLINED;
    }

    p = malloc(len ? len : 1);

    if (p == NULL) {
        return NGX_ERROR;
    }

    in->memory = p;

    /* nothing out of anything is nothing, as in Redis */

    if (len && lzf_decompress(in->pos, packed, p, len) != len) {
        return NGX_DECLINED;
    }

    in->pos += packed;

    text->data = p;
    text->len = len;

    return NGX_OK;
}


/* encoded: no length, but a way of encoding. */

static ngx_int_t
ngx_olivine_rdb_load_length(ngx_olivine_rdb_in_t *in, uint64_t *len,
    ngx_uint_t *encoded)
{
    size_t       n;
    u_char      *p;
    ngx_uint_t   first;

    if (in->pos == in->last) {
        return NGX_DECLINED;
    }

    first = *in->pos++;
    *encoded = 0;
    n = 0;

    switch (first & 0xc0) {

    case NGX_OLIVINE_RDB_LEN_6:
        *len = first & 0x3f;
        return NGX_OK;

    case NGX_OLIVINE_RDB_LEN_14:
        *len = first & 0x3f;
        n = 1;
        break;

    case NGX_OLIVINE_RDB_LEN_ENC:
        *len = first & 0x3f;
        *encoded = 1;
        return NGX_OK;

    default:
        *len = 0;

        if (first == NGX_OLIVINE_RDB_LEN_32) {
            n = 4;

        } else if (first == NGX_OLIVINE_RDB_LEN_64) {
            n = 8;

        } else {
            return NGX_DECLINED;
        }
    }

    p = in->pos;

    if ((size_t) (in->last - p) < n) {
        return NGX_DECLINED;
    }

    in->pos += n;

    while (n--) {
        *len = *len << 8 | *p++;
    }

    return NGX_OK;
}
