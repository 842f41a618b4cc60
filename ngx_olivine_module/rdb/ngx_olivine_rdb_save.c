
/*
 * Copyright (C) The Olivine authors
 */


#include "rdb/ngx_olivine_rdb_codec.h"

#include <liblzf/lzf.h>


/* texts up to here are compressed on the stack */
#define NGX_OLIVINE_RDB_PACKED  4096


typedef ngx_int_t (*ngx_olivine_rdb_save_pt)(ngx_olivine_rdb_out_t *out,
    ngx_olivine_value_t *value);


static ngx_int_t ngx_olivine_rdb_save_string(ngx_olivine_rdb_out_t *out,
    ngx_olivine_value_t *value);
static ngx_int_t ngx_olivine_rdb_save_integer(ngx_olivine_rdb_out_t *out,
    int64_t n);
static ngx_int_t ngx_olivine_rdb_save_lzf(ngx_olivine_rdb_out_t *out,
    ngx_str_t *text);


/* by type: the byte before the body, and what writes the body */

static const struct {
    u_char                     code;
    ngx_olivine_rdb_save_pt    save;
} ngx_olivine_rdb_savers[NGX_OLIVINE_TYPES] = {

    { NGX_OLIVINE_RDB_STRING, ngx_olivine_rdb_save_string }
};


void
ngx_olivine_rdb_out_init(ngx_olivine_rdb_out_t *out,
    ngx_olivine_rdb_put_pt put, void *data)
{
    out->put = put;
    out->data = data;
    out->crc = 0;
    out->compress = NGX_MAX_SIZE_T_VALUE;
    out->checksum = 1;
    out->pos = out->buf;
}


ngx_int_t
ngx_olivine_rdb_save(ngx_olivine_rdb_out_t *out, ngx_olivine_value_t *value)
{
    if (ngx_olivine_rdb_save_entry(out, NULL, value) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_flush(out);
}


ngx_int_t
ngx_olivine_rdb_save_footer(ngx_olivine_rdb_out_t *out)
{
    u_char  buf[8];

    buf[0] = NGX_OLIVINE_RDB_VERSION & 0xff;
    buf[1] = NGX_OLIVINE_RDB_VERSION >> 8;

    if (ngx_olivine_rdb_put(out, buf, 2, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    (void) ngx_olivine_rdb_print_u64(buf, out->crc);

    return out->put(out, buf, 8, 0);
}


ngx_int_t
ngx_olivine_rdb_save_entry(ngx_olivine_rdb_out_t *out, ngx_str_t *key,
    ngx_olivine_value_t *value)
{
    if (ngx_olivine_rdb_room(out, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    *out->pos++ = ngx_olivine_rdb_savers[value->type].code;

    if (key && ngx_olivine_rdb_save_text(out, key, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_savers[value->type].save(out, value);
}


static ngx_int_t
ngx_olivine_rdb_save_string(ngx_olivine_rdb_out_t *out,
    ngx_olivine_value_t *value)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_int_t  rc;
    ngx_str_t  text;

    if (value->encoding != NGX_OLIVINE_ENC_INT) {
        return ngx_olivine_rdb_save_text(out, &value->text, 1);
    }

    rc = ngx_olivine_rdb_save_integer(out, value->number);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    ngx_olivine_string_text(value, buf, &text);

    return ngx_olivine_rdb_save_text(out, &text, 0);
}


ngx_int_t
ngx_olivine_rdb_save_text(ngx_olivine_rdb_out_t *out, ngx_str_t *text,
    ngx_uint_t stays)
{
    int64_t    n;
    ngx_int_t  rc;

    rc = NGX_DECLINED;

    if (text->len <= NGX_OLIVINE_RDB_DIGITS) {

        if (text->len
            && text->data[0] <= '9'
            && ngx_olivine_number_parse(text->data, text->data + text->len, &n)
               == NGX_OK)
        {
            rc = ngx_olivine_rdb_save_integer(out, n);
        }

    } else if (text->len > NGX_OLIVINE_RDB_SHORT
               && text->len <= out->compress)
    {
        rc = ngx_olivine_rdb_save_lzf(out, text);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    if (ngx_olivine_rdb_room(out, NGX_OLIVINE_RDB_LEN_MAX) != NGX_OK) {
        return NGX_ERROR;
    }

    out->pos = ngx_olivine_rdb_print_length(out->pos, text->len);

    return ngx_olivine_rdb_save_bytes(out, text->data, text->len, stays);
}


/* DECLINED: it is no number of 32 bits. */

static ngx_int_t
ngx_olivine_rdb_save_integer(ngx_olivine_rdb_out_t *out, int64_t n)
{
    u_char    *p;
    size_t     len;
    uint32_t   bits;

    if (n < INT32_MIN || n > INT32_MAX) {
        return NGX_DECLINED;
    }

    if (ngx_olivine_rdb_room(out, 5) != NGX_OK) {
        return NGX_ERROR;
    }

    p = out->pos;

    if (n >= INT8_MIN && n <= INT8_MAX) {
        p[0] = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_INT8;
        len = 2;

    } else if (n >= INT16_MIN && n <= INT16_MAX) {
        p[0] = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_INT16;
        len = 3;

    } else {
        p[0] = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_INT32;
        len = 5;
    }

    bits = (uint32_t) n;

    p[1] = (u_char) bits;
    p[2] = (u_char) (bits >> 8);
    p[3] = (u_char) (bits >> 16);
    p[4] = (u_char) (bits >> 24);

    out->pos += len;

    return NGX_OK;
}


/* DECLINED: it gets no shorter, or there is no memory to try. */

static ngx_int_t
ngx_olivine_rdb_save_lzf(ngx_olivine_rdb_out_t *out, ngx_str_t *text)
{
    u_char         buf[NGX_OLIVINE_RDB_PACKED], *packed;
    ngx_int_t      rc;
    unsigned int   n;

    if (text->len > UINT32_MAX) {
        return NGX_DECLINED;
    }

    packed = buf;

    if (text->len > NGX_OLIVINE_RDB_PACKED) {
        packed = malloc(text->len - 4);

        if (packed == NULL) {
            return NGX_DECLINED;
        }
    }

    n = lzf_compress(text->data, text->len, packed, text->len - 4);

    rc = NGX_DECLINED;

    if (n) {
        rc = ngx_olivine_rdb_room(out, 1 + 2 * NGX_OLIVINE_RDB_LEN_MAX);

        if (rc == NGX_OK) {
            *out->pos++ = NGX_OLIVINE_RDB_LEN_ENC | NGX_OLIVINE_RDB_LZF;
            out->pos = ngx_olivine_rdb_print_length(out->pos, n);
            out->pos = ngx_olivine_rdb_print_length(out->pos, text->len);

            rc = ngx_olivine_rdb_save_bytes(out, packed, n, 0);
        }
    }

    if (packed != buf) {
        ngx_free(packed);
    }

    return rc;
}


ngx_int_t
ngx_olivine_rdb_save_bytes(ngx_olivine_rdb_out_t *out, u_char *data,
    size_t len, ngx_uint_t stays)
{
    if (len == 0) {
        return NGX_OK;                 /* there may be no address, too */
    }

    if (len > NGX_OLIVINE_RDB_GATHERED) {

        if (ngx_olivine_rdb_flush(out) != NGX_OK) {
            return NGX_ERROR;
        }

        return ngx_olivine_rdb_put(out, data, len, stays);
    }

    if (ngx_olivine_rdb_room(out, len) != NGX_OK) {
        return NGX_ERROR;
    }

    out->pos = ngx_cpymem(out->pos, data, len);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_rdb_room(ngx_olivine_rdb_out_t *out, size_t len)
{
    if (ngx_olivine_likely((size_t) (out->buf + NGX_OLIVINE_RDB_GATHER
                                     - out->pos) >= len))
    {
        return NGX_OK;
    }

    return ngx_olivine_rdb_flush(out);
}


ngx_int_t
ngx_olivine_rdb_flush(ngx_olivine_rdb_out_t *out)
{
    size_t  len;

    len = out->pos - out->buf;
    out->pos = out->buf;

    return len ? ngx_olivine_rdb_put(out, out->buf, len, 0) : NGX_OK;
}


u_char *
ngx_olivine_rdb_print_length(u_char *p, uint64_t len)
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


u_char *
ngx_olivine_rdb_print_u64(u_char *p, uint64_t n)
{
    ngx_uint_t  i;

    for (i = 0; i < 8; i++) {
        *p++ = (u_char) (n >> (8 * i));
    }

    return p;
}


ngx_int_t
ngx_olivine_rdb_put(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    if (out->checksum) {
        out->crc = ngx_olivine_rdb_crc(out->crc, data, len);
    }

    return out->put(out, data, len, stays);
}
