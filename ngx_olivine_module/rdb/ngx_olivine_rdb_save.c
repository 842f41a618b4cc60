
/*
 * Copyright (C) The Olivine authors
 */


#include "rdb/ngx_olivine_rdb_codec.h"

#include <liblzf/lzf.h>


typedef ngx_int_t (*ngx_olivine_rdb_save_pt)(ngx_olivine_rdb_out_t *out,
    ngx_olivine_value_t *value);


static ngx_int_t ngx_olivine_rdb_save_string(ngx_olivine_rdb_out_t *out,
    ngx_olivine_value_t *value);
static ngx_int_t ngx_olivine_rdb_save_text(ngx_olivine_rdb_out_t *out,
    ngx_str_t *text, ngx_uint_t stays);
static ngx_int_t ngx_olivine_rdb_save_integer(ngx_olivine_rdb_out_t *out,
    ngx_str_t *text);
static ngx_int_t ngx_olivine_rdb_save_lzf(ngx_olivine_rdb_out_t *out,
    ngx_str_t *text);
static u_char *ngx_olivine_rdb_length(u_char *p, uint64_t len);
static ngx_int_t ngx_olivine_rdb_put(ngx_olivine_rdb_out_t *out, u_char *data,
    size_t len, ngx_uint_t stays);


/* by type: the byte before the body, and what writes the body */

static const struct {
    u_char                     code;
    ngx_olivine_rdb_save_pt    save;
} ngx_olivine_rdb_savers[NGX_OLIVINE_TYPES] = {

    { NGX_OLIVINE_RDB_STRING, ngx_olivine_rdb_save_string }
};


ngx_int_t
ngx_olivine_rdb_save(ngx_olivine_rdb_out_t *out, ngx_olivine_value_t *value)
{
    u_char  code;

    code = ngx_olivine_rdb_savers[value->type].code;

    if (ngx_olivine_rdb_put(out, &code, 1, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_savers[value->type].save(out, value);
}


ngx_int_t
ngx_olivine_rdb_save_footer(ngx_olivine_rdb_out_t *out)
{
    u_char      buf[8];
    uint64_t    crc;
    ngx_uint_t  i;

    buf[0] = NGX_OLIVINE_RDB_VERSION & 0xff;
    buf[1] = NGX_OLIVINE_RDB_VERSION >> 8;

    if (ngx_olivine_rdb_put(out, buf, 2, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    crc = out->crc;

    for (i = 0; i < 8; i++) {
        buf[i] = (u_char) (crc >> (8 * i));
    }

    return out->put(out, buf, 8, 0);
}


static ngx_int_t
ngx_olivine_rdb_save_string(ngx_olivine_rdb_out_t *out,
    ngx_olivine_value_t *value)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_str_t  text;

    ngx_olivine_string_text(value, buf, &text);

    return ngx_olivine_rdb_save_text(out, &text, text.data != buf);
}


static ngx_int_t
ngx_olivine_rdb_save_text(ngx_olivine_rdb_out_t *out, ngx_str_t *text,
    ngx_uint_t stays)
{
    u_char     buf[9], *p;
    ngx_int_t  rc;

    rc = NGX_DECLINED;

    if (text->len <= NGX_OLIVINE_RDB_DIGITS) {
        rc = ngx_olivine_rdb_save_integer(out, text);

    } else if (text->len > NGX_OLIVINE_RDB_SHORT) {
        rc = ngx_olivine_rdb_save_lzf(out, text);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    p = ngx_olivine_rdb_length(buf, text->len);

    if (ngx_olivine_rdb_put(out, buf, p - buf, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_put(out, text->data, text->len, stays);
}


/* DECLINED: it is no number of 32 bits. */

static ngx_int_t
ngx_olivine_rdb_save_integer(ngx_olivine_rdb_out_t *out, ngx_str_t *text)
{
    u_char    buf[5];
    size_t    len;
    int64_t   n;
    uint32_t  bits;

    if (ngx_olivine_number_parse(text->data, text->data + text->len, &n)
        != NGX_OK
        || n < INT32_MIN || n > INT32_MAX)
    {
        return NGX_DECLINED;
    }

    if (n >= INT8_MIN && n <= INT8_MAX) {
        buf[0] = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_INT8;
        len = 2;

    } else if (n >= INT16_MIN && n <= INT16_MAX) {
        buf[0] = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_INT16;
        len = 3;

    } else {
        buf[0] = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_INT32;
        len = 5;
    }

    bits = (uint32_t) n;

    buf[1] = (u_char) bits;
    buf[2] = (u_char) (bits >> 8);
    buf[3] = (u_char) (bits >> 16);
    buf[4] = (u_char) (bits >> 24);

    return ngx_olivine_rdb_put(out, buf, len, 0);
}


/* DECLINED: it gets no shorter, or there is no memory to try. */

static ngx_int_t
ngx_olivine_rdb_save_lzf(ngx_olivine_rdb_out_t *out, ngx_str_t *text)
{
    u_char        buf[1 + 9 + 9], *p, *packed;
    ngx_int_t     rc;
    unsigned int  n;

    if (text->len > UINT32_MAX) {
        return NGX_DECLINED;
    }

    packed = malloc(text->len - 4);

    if (packed == NULL) {
        return NGX_DECLINED;
    }

    n = lzf_compress(text->data, text->len, packed, text->len - 4);

    rc = NGX_DECLINED;

    if (n) {
        p = buf;
        *p++ = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_LZF;
        p = ngx_olivine_rdb_length(p, n);
        p = ngx_olivine_rdb_length(p, text->len);

        rc = ngx_olivine_rdb_put(out, buf, p - buf, 0);

        if (rc == NGX_OK) {
            rc = ngx_olivine_rdb_put(out, packed, n, 0);
        }
    }

    ngx_free(packed);

    return rc;
}


static u_char *
ngx_olivine_rdb_length(u_char *p, uint64_t len)
{
    ngx_int_t  shift;

    if (len < 1 << 6) {
        *p++ = NGX_OLIVINE_RDB_LEN_6 | len;
        return p;
    }

    if (len < 1 << 14) {
        *p++ = NGX_OLIVINE_RDB_LEN_14 | len >> 8;
        *p++ = (u_char) len;
        return p;
    }

    if (len <= UINT32_MAX) {
        *p++ = NGX_OLIVINE_RDB_LEN_32;
        shift = 24;

    } else {
        *p++ = NGX_OLIVINE_RDB_LEN_64;
        shift = 56;
    }

    for ( /* void */ ; shift >= 0; shift -= 8) {
        *p++ = (u_char) (len >> shift);
    }

    return p;
}


static ngx_int_t
ngx_olivine_rdb_put(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    out->crc = ngx_olivine_rdb_crc(out->crc, data, len);

    return out->put(out, data, len, stays);
}
