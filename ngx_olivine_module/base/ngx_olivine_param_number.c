
/*
 * Copyright (C) The Olivine authors
 *
 * Types of one number: switches, counts, sizes, words.
 */


#include "base/ngx_olivine_number.h"
#include "base/ngx_olivine_param_types.h"


/* Redis has its clock tick from 1 to 500 times a second */
#define NGX_OLIVINE_PARAM_HZ  500


static ngx_int_t ngx_olivine_param_set_bool(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_int(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_auto(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_hz(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_octal(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_size(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_percent(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_enum(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_range(const ngx_olivine_param_t *row,
    int64_t value, ngx_str_t *err);

static u_char *ngx_olivine_param_print_number(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_auto(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_octal(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_percent(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_enum(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);


const ngx_olivine_param_type_t  ngx_olivine_param_bool = {
    ngx_olivine_param_set_bool, ngx_olivine_param_print_enum, "yes or no"
};

const ngx_olivine_param_type_t  ngx_olivine_param_int = {
    ngx_olivine_param_set_int, ngx_olivine_param_print_number, "number"
};

const ngx_olivine_param_type_t  ngx_olivine_param_auto = {
    ngx_olivine_param_set_auto, ngx_olivine_param_print_auto, "number or auto"
};

const ngx_olivine_param_type_t  ngx_olivine_param_hz = {
    ngx_olivine_param_set_hz, ngx_olivine_param_print_number, "number"
};

const ngx_olivine_param_type_t  ngx_olivine_param_octal = {
    ngx_olivine_param_set_octal, ngx_olivine_param_print_octal, "octal number"
};

const ngx_olivine_param_type_t  ngx_olivine_param_size = {
    ngx_olivine_param_set_size, ngx_olivine_param_print_number, "size"
};

const ngx_olivine_param_type_t  ngx_olivine_param_percent = {
    ngx_olivine_param_set_percent, ngx_olivine_param_print_percent,
    "size, or a number and %"
};

const ngx_olivine_param_type_t  ngx_olivine_param_enum = {
    ngx_olivine_param_set_enum, ngx_olivine_param_print_enum, "word"
};


/* a value is the index of its word */

const char *const  ngx_olivine_param_yes_no[] = {
    "no", "yes", NULL
};

const char *const  ngx_olivine_param_local[] = {
    "no", "yes", "local", NULL
};

const char *const  ngx_olivine_param_levels[] = {
    "debug", "verbose", "notice", "warning", "nothing", NULL
};

const char *const  ngx_olivine_param_policies[] = {
    "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl",
    "allkeys-lru", "allkeys-lfu", "allkeys-random", "noeviction", NULL
};

const char *const  ngx_olivine_param_fsync[] = {
    "everysec", "always", "no", NULL
};

const char *const  ngx_olivine_param_channels[] = {
    "allchannels", "resetchannels", NULL
};

const char *const  ngx_olivine_param_failures[] = {
    "ignore", "panic", "panic-on-replicas", NULL
};

const char *const  ngx_olivine_param_diskless[] = {
    "disabled", "on-empty-db", "swapdb", NULL
};

const char *const  ngx_olivine_param_sanitize[] = {
    "no", "yes", "clients", NULL
};

const char *const  ngx_olivine_param_auth[] = {
    "no", "yes", "optional", NULL
};

const char *const  ngx_olivine_param_supervisors[] = {
    "upstart", "systemd", "auto", "no", NULL
};

const char *const  ngx_olivine_param_facilities[] = {
    "user", "local0", "local1", "local2", "local3", "local4", "local5",
    "local6", "local7", NULL
};


static ngx_int_t
ngx_olivine_param_set_bool(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    if (ngx_olivine_params_is(values, "yes")) {
        *value = 1;
        return NGX_OK;
    }

    if (ngx_olivine_params_is(values, "no")) {
        *value = 0;
        return NGX_OK;
    }

    return ngx_olivine_param_refuse(err, "argument must be 'yes' or 'no'");
}


static ngx_int_t
ngx_olivine_param_set_int(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    int64_t  i;

    if (ngx_olivine_number_parse(values->data, values->data + values->len, &i)
        != NGX_OK)
    {
        return ngx_olivine_param_refuse(err,
                               "argument couldn't be parsed into an integer");
    }

    if (ngx_olivine_param_range(row, i, err) != NGX_OK) {
        return NGX_DECLINED;
    }

    *value = i;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_param_set_auto(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    if (ngx_olivine_params_is(values, "auto")) {
        *value = 0;
        return NGX_OK;
    }

    return ngx_olivine_param_set_int(row, field, values, n, err);
}


static ngx_int_t
ngx_olivine_param_set_hz(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    if (ngx_olivine_param_set_int(row, field, values, n, err) != NGX_OK) {
        return NGX_DECLINED;
    }

    *value = ngx_max(*value, 1);
    *value = ngx_min(*value, NGX_OLIVINE_PARAM_HZ);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_param_set_octal(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    int64_t     i;
    ngx_uint_t  k;

    i = 0;

    for (k = 0; k < values->len; k++) {
        if (values->data[k] < '0' || values->data[k] > '7' || k == 20) {
            break;
        }

        i = i * 8 + (values->data[k] - '0');
    }

    if (k == 0 || k < values->len) {
        return ngx_olivine_param_refuse(err,
                              "argument couldn't be parsed as an octal number");
    }

    if (i > row->range.max) {
        return ngx_olivine_param_refuse(err,
                               "argument must be between 0 and 777 inclusive");
    }

    *value = i;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_param_set_size(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    uint64_t  u;

    if (ngx_olivine_number_parse_size(values->data,
                                      values->data + values->len, &u)
        != NGX_OK)
    {
        return ngx_olivine_param_refuse(err,
                                        "argument must be a memory value");
    }

    /* beyond the type is below the range */

    if (ngx_olivine_param_range(row, u > INT64_MAX ? -1 : (int64_t) u, err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    *value = (int64_t) u;

    return NGX_OK;
}


/* A part of maxmemory is kept below zero. */

static ngx_int_t
ngx_olivine_param_set_percent(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    int64_t   percent;
    u_char   *last;

    last = values->data + values->len;

    if (values->len == 0 || last[-1] != '%') {
        if (ngx_olivine_param_set_size(row, field, values, n, err)
            == NGX_OK)
        {
            return NGX_OK;
        }

        return ngx_olivine_param_refuse(err,
                                 "argument must be a memory or percent value");
    }

    if (ngx_olivine_number_parse(values->data, last - 1, &percent) != NGX_OK
        || percent < 0)
    {
        return ngx_olivine_param_refuse(err,
                                 "argument must be a memory or percent value");
    }

    if (percent > 100) {
        return ngx_olivine_param_refuse(err,
                        "percentage argument must be less or equal to 100");
    }

    *value = -percent;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_param_set_enum(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    u_char      *p, *last;
    ngx_uint_t   i;

    for (i = 0; row->words[i]; i++) {
        if (ngx_olivine_params_is(values, row->words[i])) {
            *value = i;
            return NGX_OK;
        }
    }

    last = err->data + NGX_OLIVINE_PARAM_ERROR;
    p = ngx_slprintf(err->data, last,
                     "argument(s) must be one of the following: ");

    for (i = 0; row->words[i]; i++) {
        p = ngx_slprintf(p, last, "%s%s", i ? ", " : "", row->words[i]);
    }

    err->len = p - err->data;

    return NGX_DECLINED;
}


static ngx_int_t
ngx_olivine_param_range(const ngx_olivine_param_t *row, int64_t value,
    ngx_str_t *err)
{
    u_char  *p;

    if (value >= row->range.min && value <= row->range.max) {
        return NGX_OK;
    }

    p = ngx_slprintf(err->data, err->data + NGX_OLIVINE_PARAM_ERROR,
                     "argument must be between %L and %L inclusive",
                     row->range.min, row->range.max);
    err->len = p - err->data;

    return NGX_DECLINED;
}


static u_char *
ngx_olivine_param_print_number(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const int64_t  *value = field;

    return ngx_slprintf(buf, last, "%L", *value);
}


static u_char *
ngx_olivine_param_print_auto(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const int64_t  *value = field;

    if (*value == 0) {
        return ngx_slprintf(buf, last, "auto");
    }

    return ngx_slprintf(buf, last, "%L", *value);
}


static u_char *
ngx_olivine_param_print_octal(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const int64_t  *value = field;

    int64_t  shift;

    for (shift = 6; shift > 0 && (*value >> shift) == 0; shift -= 3) {
        /* void */
    }

    for ( /* void */ ; shift >= 0; shift -= 3) {
        buf = ngx_slprintf(buf, last, "%d", (int) (*value >> shift) & 7);
    }

    return buf;
}


static u_char *
ngx_olivine_param_print_percent(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const int64_t  *value = field;

    if (*value < 0) {
        return ngx_slprintf(buf, last, "%L%%", -*value);
    }

    return ngx_slprintf(buf, last, "%L", *value);
}


static u_char *
ngx_olivine_param_print_enum(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const int64_t  *value = field;

    return ngx_slprintf(buf, last, "%s", row->words[*value]);
}
