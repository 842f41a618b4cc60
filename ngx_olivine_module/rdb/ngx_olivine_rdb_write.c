
/*
 * Copyright (C) The Olivine authors
 */


#include "rdb/ngx_olivine_rdb_codec.h"
#include "rdb/ngx_olivine_rdb_write.h"


static ngx_int_t ngx_olivine_rdb_write_field(ngx_olivine_rdb_out_t *out,
    const char *name, ngx_str_t *value);
static ngx_int_t ngx_olivine_rdb_write_number(ngx_olivine_rdb_out_t *out,
    const char *name, uint64_t n);


ngx_int_t
ngx_olivine_rdb_write_begin(ngx_olivine_rdb_out_t *out,
    ngx_olivine_rdb_about_t *about)
{
    if (ngx_olivine_rdb_room(out, 16) != NGX_OK) {
        return NGX_ERROR;
    }

    out->pos = ngx_sprintf(out->pos, "REDIS%04d", NGX_OLIVINE_RDB_VERSION);

    if (ngx_olivine_rdb_write_field(out, "redis-ver", &about->version)
        != NGX_OK
        || ngx_olivine_rdb_write_number(out, "redis-bits",
                                        8 * sizeof(void *)) != NGX_OK
        || ngx_olivine_rdb_write_number(out, "ctime", about->time) != NGX_OK
        || ngx_olivine_rdb_write_number(out, "used-mem", about->memory)
           != NGX_OK
        || ngx_olivine_rdb_write_number(out, "aof-base", about->aof_base)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_flush(out);
}


ngx_int_t
ngx_olivine_rdb_write_aux(ngx_olivine_rdb_out_t *out, ngx_str_t *name,
    ngx_str_t *value)
{
    if (ngx_olivine_rdb_room(out, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    *out->pos++ = NGX_OLIVINE_RDB_AUX;

    if (ngx_olivine_rdb_save_text(out, name, 0) != NGX_OK
        || ngx_olivine_rdb_save_text(out, value, 0) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_flush(out);
}


static ngx_int_t
ngx_olivine_rdb_write_field(ngx_olivine_rdb_out_t *out, const char *name,
    ngx_str_t *value)
{
    ngx_str_t  s;

    s.data = (u_char *) name;
    s.len = ngx_strlen(name);

    if (ngx_olivine_rdb_room(out, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    *out->pos++ = NGX_OLIVINE_RDB_AUX;

    if (ngx_olivine_rdb_save_text(out, &s, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_save_text(out, value, 0);
}


static ngx_int_t
ngx_olivine_rdb_write_number(ngx_olivine_rdb_out_t *out, const char *name,
    uint64_t n)
{
    u_char     buf[NGX_OLIVINE_U64_LEN];
    ngx_str_t  value;

    value.data = buf;
    value.len = ngx_olivine_number_print_u64(buf, n) - buf;

    return ngx_olivine_rdb_write_field(out, name, &value);
}


ngx_int_t
ngx_olivine_rdb_write_db(ngx_olivine_rdb_out_t *out, ngx_uint_t db,
    uint64_t keys, uint64_t expires)
{
    u_char  *p;

    if (ngx_olivine_rdb_room(out, 2 + 3 * NGX_OLIVINE_RDB_LEN_MAX) != NGX_OK) {
        return NGX_ERROR;
    }

    p = out->pos;

    *p++ = NGX_OLIVINE_RDB_SELECTDB;
    p = ngx_olivine_rdb_print_length(p, db);

    *p++ = NGX_OLIVINE_RDB_RESIZEDB;
    p = ngx_olivine_rdb_print_length(p, keys);
    p = ngx_olivine_rdb_print_length(p, expires);

    out->pos = p;

    return ngx_olivine_rdb_flush(out);
}


ngx_int_t
ngx_olivine_rdb_write_key(ngx_olivine_rdb_out_t *out, ngx_str_t *key,
    ngx_olivine_value_t *value, int64_t expire, int64_t idle, ngx_int_t freq)
{
    u_char  *p;

    if (ngx_olivine_rdb_room(out, 9 + 1 + NGX_OLIVINE_RDB_LEN_MAX + 2)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = out->pos;

    if (expire) {
        *p++ = NGX_OLIVINE_RDB_EXPIRETIME_MS;
        p = ngx_olivine_rdb_print_u64(p, expire);
    }

    if (idle >= 0) {
        *p++ = NGX_OLIVINE_RDB_IDLE;
        p = ngx_olivine_rdb_print_length(p, idle);
    }

    if (freq >= 0) {
        *p++ = NGX_OLIVINE_RDB_FREQ;
        *p++ = (u_char) freq;
    }

    out->pos = p;

    if (ngx_olivine_rdb_save_entry(out, key, value) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_flush(out);
}


ngx_int_t
ngx_olivine_rdb_write_items(ngx_olivine_rdb_out_t *out, u_char *data,
    size_t len, ngx_uint_t stays)
{
    return ngx_olivine_rdb_put(out, data, len, stays);
}


ngx_int_t
ngx_olivine_rdb_write_end(ngx_olivine_rdb_out_t *out)
{
    u_char  code, buf[8];

    code = NGX_OLIVINE_RDB_EOF;

    if (ngx_olivine_rdb_put(out, &code, 1, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    (void) ngx_olivine_rdb_print_u64(buf, out->checksum ? out->crc : 0);

    return out->put(out, buf, 8, 0);
}
