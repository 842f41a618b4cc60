
/*
 * Copyright (C) The Olivine authors
 */


#include "type/ngx_olivine_string.h"


void
ngx_olivine_string_set(ngx_olivine_value_t *value, u_char *data, size_t len)
{
    int64_t  n;

    if (len && len <= NGX_OLIVINE_I64_LEN
        && (data[0] == '-' || (data[0] >= '0' && data[0] <= '9'))
        && ngx_olivine_number_parse(data, data + len, &n) == NGX_OK)
    {
        ngx_olivine_string_set_number(value, n);
        return;
    }

    ngx_olivine_string_set_text(value, data, len);
}


void
ngx_olivine_string_set_text(ngx_olivine_value_t *value, u_char *data,
    size_t len)
{
    ngx_olivine_string_set_raw(value, data, len);

    if (len <= NGX_OLIVINE_STRING_EMBEDDED) {
        value->encoding = NGX_OLIVINE_ENC_EMBSTR;
    }
}


void
ngx_olivine_string_set_raw(ngx_olivine_value_t *value, u_char *data,
    size_t len)
{
    value->type = NGX_OLIVINE_TYPE_STRING;
    value->encoding = NGX_OLIVINE_ENC_RAW;
    value->text.data = data;
    value->text.len = len;
    value->page = 0;
    value->receipt = 0;
    value->moved = 0;
}


void
ngx_olivine_string_set_number(ngx_olivine_value_t *value, int64_t n)
{
    value->type = NGX_OLIVINE_TYPE_STRING;
    value->encoding = NGX_OLIVINE_ENC_INT;
    value->number = n;
    value->page = 0;
    value->receipt = 0;
    value->moved = 0;
}


void
ngx_olivine_string_text(ngx_olivine_value_t *value, u_char *buf,
    ngx_str_t *text)
{
    if (value->encoding != NGX_OLIVINE_ENC_INT) {
        *text = value->text;
        return;
    }

    text->data = buf;
    text->len = ngx_olivine_number_print(buf, value->number) - buf;
}


ngx_int_t
ngx_olivine_string_number(ngx_olivine_value_t *value, int64_t *n)
{
    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        *n = value->number;
        return NGX_OK;
    }

    return ngx_olivine_number_parse(value->text.data,
                                    value->text.data + value->text.len, n);
}


ngx_int_t
ngx_olivine_string_long(ngx_olivine_value_t *value, long double *d)
{
    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        *d = value->number;
        return NGX_OK;
    }

    return ngx_olivine_number_parse_long(value->text.data,
                                         value->text.data + value->text.len,
                                         d);
}


size_t
ngx_olivine_string_len(ngx_olivine_value_t *value)
{
    u_char  buf[NGX_OLIVINE_I64_LEN];

    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        return ngx_olivine_number_print(buf, value->number) - buf;
    }

    return value->text.len;
}
