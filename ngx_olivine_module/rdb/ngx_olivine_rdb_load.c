
/*
 * Copyright (C) The Olivine authors
 */


#include "rdb/ngx_olivine_rdb_codec.h"

#include <liblzf/lzf.h>


typedef ngx_int_t (*ngx_olivine_rdb_load_pt)(ngx_olivine_rdb_in_t *in,
    ngx_olivine_value_t *value);


static ngx_int_t ngx_olivine_rdb_load_string(ngx_olivine_rdb_in_t *in,
    ngx_olivine_value_t *value);
static ngx_int_t ngx_olivine_rdb_load_either(ngx_olivine_rdb_in_t *in,
    ngx_str_t *text, int64_t *n);
static ngx_int_t ngx_olivine_rdb_load_integer(ngx_olivine_rdb_in_t *in,
    ngx_uint_t how, int64_t *n);
static ngx_int_t ngx_olivine_rdb_load_lzf(ngx_olivine_rdb_in_t *in,
    ngx_str_t *text);


/* by the byte before the body; NULL: not known here */

static const ngx_olivine_rdb_load_pt  ngx_olivine_rdb_loaders[] = {
    ngx_olivine_rdb_load_string
};

#define NGX_OLIVINE_RDB_LOADERS                                               \
    (sizeof(ngx_olivine_rdb_loaders) / sizeof(ngx_olivine_rdb_load_pt))


ngx_int_t
ngx_olivine_rdb_load(ngx_olivine_rdb_in_t *in, ngx_olivine_value_t *value)
{
    ngx_int_t   rc;
    ngx_uint_t  code;

    in->memory = NULL;
    in->size = 0;

    if (in->pos == in->last) {
        return NGX_DECLINED;
    }

    code = *in->pos++;

    if (!ngx_olivine_rdb_known(code)) {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_rdb_load_body(in, code, value);

    return rc == NGX_AGAIN ? NGX_DECLINED : rc;
}


ngx_uint_t
ngx_olivine_rdb_known(ngx_uint_t code)
{
    return code < NGX_OLIVINE_RDB_LOADERS
           && ngx_olivine_rdb_loaders[code] != NULL;
}


ngx_int_t
ngx_olivine_rdb_load_body(ngx_olivine_rdb_in_t *in, ngx_uint_t code,
    ngx_olivine_value_t *value)
{
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
    int64_t    n;
    ngx_int_t  rc;
    ngx_str_t  text;

    rc = ngx_olivine_rdb_load_either(in, &text, &n);
    if (rc != NGX_OK) {
        return rc;
    }

    if (text.data == NULL) {
        ngx_olivine_string_set_number(value, n);

    } else {
        ngx_olivine_string_set(value, text.data, text.len);
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_rdb_load_text(ngx_olivine_rdb_in_t *in, u_char *buf,
    ngx_str_t *text)
{
    int64_t    n;
    ngx_int_t  rc;

    rc = ngx_olivine_rdb_load_either(in, text, &n);

    if (rc == NGX_OK && text->data == NULL) {
        text->data = buf;
        text->len = ngx_olivine_number_print(buf, n) - buf;
    }

    return rc;
}


/* A string that was saved as a number has no text. */

static ngx_int_t
ngx_olivine_rdb_load_either(ngx_olivine_rdb_in_t *in, ngx_str_t *text,
    int64_t *n)
{
    uint64_t    len;
    ngx_int_t   rc;
    ngx_uint_t  encoded;

    rc = ngx_olivine_rdb_load_length(in, &len, &encoded);
    if (rc != NGX_OK) {
        return rc;
    }

    if (!encoded) {

        if (len > in->max) {
            in->too_long = 1;
            return NGX_DECLINED;
        }

        text->len = len;

        return ngx_olivine_rdb_load_bytes(in, len, &text->data);
    }

    if (len == NGX_OLIVINE_RDB_LZF) {
        return ngx_olivine_rdb_load_lzf(in, text);
    }

    text->data = NULL;

    return ngx_olivine_rdb_load_integer(in, len, n);
}


static ngx_int_t
ngx_olivine_rdb_load_integer(ngx_olivine_rdb_in_t *in, ngx_uint_t how,
    int64_t *n)
{
    u_char    *p;
    uint32_t   bits;

    if (how > NGX_OLIVINE_RDB_INT32) {
        return NGX_DECLINED;
    }

    if (ngx_olivine_rdb_load_bytes(in, (size_t) 1 << how, &p) != NGX_OK) {
        return NGX_AGAIN;
    }

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
    u_char     *p, *data;
    uint64_t    packed, len;
    ngx_int_t   rc;

    rc = ngx_olivine_rdb_load_number(in, &packed);

    if (rc == NGX_OK) {
        rc = ngx_olivine_rdb_load_number(in, &len);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (packed > in->max || len > in->max) {
        in->too_long = 1;
        return NGX_DECLINED;
    }

    if (packed > UINT32_MAX || len > UINT32_MAX) {
        return NGX_DECLINED;
    }

    /* it cannot be that long: no memory for it */

    if (len > (packed / 3 + 1) * NGX_OLIVINE_RDB_LZF_RUN) {
        return NGX_DECLINED;
    }

    if (ngx_olivine_rdb_load_bytes(in, packed, &data) != NGX_OK) {
        return NGX_AGAIN;
    }

    p = in->memory;

    if (p == NULL || in->size < len) {

        if (p) {
            ngx_free(p);
        }

        p = malloc(len ? len : 1);

        in->memory = p;
        in->size = p ? len : 0;

        if (p == NULL) {
            return NGX_ERROR;
        }
    }

    /* nothing out of anything is nothing, as in Redis */

    if (len && lzf_decompress(data, packed, p, len) != len) {
        return NGX_DECLINED;
    }

    text->data = p;
    text->len = len;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_rdb_load_number(ngx_olivine_rdb_in_t *in, uint64_t *n)
{
    ngx_int_t   rc;
    ngx_uint_t  encoded;

    rc = ngx_olivine_rdb_load_length(in, n, &encoded);

    return rc == NGX_OK && encoded ? NGX_DECLINED : rc;
}


ngx_int_t
ngx_olivine_rdb_load_length(ngx_olivine_rdb_in_t *in, uint64_t *len,
    ngx_uint_t *encoded)
{
    size_t       n;
    u_char      *p;
    ngx_uint_t   first;

    if (ngx_olivine_rdb_load_bytes(in, 1, &p) != NGX_OK) {
        return NGX_AGAIN;
    }

    first = *p;
    *encoded = 0;

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

    if (ngx_olivine_rdb_load_bytes(in, n, &p) != NGX_OK) {
        return NGX_AGAIN;
    }

    while (n--) {
        *len = *len << 8 | *p++;
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_rdb_load_bytes(ngx_olivine_rdb_in_t *in, size_t len, u_char **p)
{
    size_t  there;

    there = in->last - in->pos;

    if (there < len) {
        in->lack = len - there;
        return NGX_AGAIN;
    }

    *p = in->pos;
    in->pos += len;

    return NGX_OK;
}
