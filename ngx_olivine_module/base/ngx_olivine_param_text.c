
/*
 * Copyright (C) The Olivine authors
 *
 * Types of texts, and of values that are several words.
 */


#include "base/ngx_olivine_number.h"
#include "base/ngx_olivine_param_types.h"


/* classes of events, as in Redis; the first ten are "A" */
#define NGX_OLIVINE_PARAM_EVENTS      "g$lshzxetdnKEm"
#define NGX_OLIVINE_PARAM_EVENTS_ALL  0x3ff
#define NGX_OLIVINE_PARAM_EVENTS_OWN  11


typedef struct {
    size_t  len;
    u_char  data[];
} ngx_olivine_param_text_t;


static ngx_int_t ngx_olivine_param_set_text(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_file(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_text_words(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_save(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_percentiles(
    const ngx_olivine_param_t *row, void *field, ngx_str_t *values,
    ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_limits(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_events(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_master(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_decimal(ngx_str_t *text, double *d);
static ngx_int_t ngx_olivine_param_class(ngx_str_t *name);
static ngx_int_t ngx_olivine_param_limit(ngx_olivine_output_limit_t *limit,
    ngx_str_t *words);

static u_char *ngx_olivine_param_print_text(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_save(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_percentiles(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_limits(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_events(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);
static u_char *ngx_olivine_param_print_master(
    const ngx_olivine_param_t *row, const void *field, u_char *buf,
    u_char *last);


const ngx_olivine_param_type_t  ngx_olivine_param_text = {
    ngx_olivine_param_set_text, ngx_olivine_param_print_text, "string"
};

const ngx_olivine_param_type_t  ngx_olivine_param_file = {
    ngx_olivine_param_set_file, ngx_olivine_param_print_text, "file name"
};

const ngx_olivine_param_type_t  ngx_olivine_param_text_words = {
    ngx_olivine_param_set_text_words, ngx_olivine_param_print_text, "words"
};

const ngx_olivine_param_type_t  ngx_olivine_param_save = {
    ngx_olivine_param_set_save, ngx_olivine_param_print_save,
    "pairs of seconds and changes"
};

const ngx_olivine_param_type_t  ngx_olivine_param_percentiles = {
    ngx_olivine_param_set_percentiles, ngx_olivine_param_print_percentiles,
    "percentages"
};

const ngx_olivine_param_type_t  ngx_olivine_param_limits = {
    ngx_olivine_param_set_limits, ngx_olivine_param_print_limits,
    "class, hard limit, soft limit, seconds"
};

const ngx_olivine_param_type_t  ngx_olivine_param_events = {
    ngx_olivine_param_set_events, ngx_olivine_param_print_events, "letters"
};

const ngx_olivine_param_type_t  ngx_olivine_param_master = {
    ngx_olivine_param_set_master, ngx_olivine_param_print_master, "no one"
};


static const char *const  ngx_olivine_param_classes[] = {
    "normal", "slave", "pubsub", NULL
};


static ngx_int_t
ngx_olivine_param_set_text(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    ngx_olivine_param_text_t  *value = field;

    u_char  *p;

    if (values->len < (size_t) row->range.min) {
        return ngx_olivine_param_refuse(err, "argument must not be empty");
    }

    if (values->len > (size_t) row->range.max) {
        p = ngx_slprintf(err->data, err->data + NGX_OLIVINE_PARAM_ERROR,
                         "argument must not be longer than %L bytes",
                         row->range.max);
        err->len = p - err->data;
        return NGX_DECLINED;
    }

    if (values->len && ngx_strlchr(values->data, values->data + values->len,
                                   '\0'))
    {
        return ngx_olivine_param_refuse(err,
                                     "argument must not hold a zero byte");
    }

    ngx_memzero(value, row->size);

    value->len = values->len;
    ngx_memcpy(value->data, values->data, values->len);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_param_set_file(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    u_char  *p;

    if (ngx_strlchr(values->data, values->data + values->len, '/')) {
        p = ngx_slprintf(err->data, err->data + NGX_OLIVINE_PARAM_ERROR,
                         "%V can't be a path, just a filename", &row->name);
        err->len = p - err->data;
        return NGX_DECLINED;
    }

    return ngx_olivine_param_set_text(row, field, values, n, err);
}


static ngx_int_t
ngx_olivine_param_set_text_words(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    u_char      text[NGX_OLIVINE_PARAM_PRINT], *p;
    ngx_str_t   joined;
    ngx_uint_t  i;

    if (n > NGX_OLIVINE_PARAM_MAX_WORDS) {
        return ngx_olivine_param_refuse(err, "wrong number of arguments");
    }

    p = text;

    for (i = 0; i < n; i++) {
        p = ngx_slprintf(p, text + sizeof(text), "%s%V", i ? " " : "",
                         &values[i]);
    }

    joined.data = text;
    joined.len = p - text;

    return ngx_olivine_param_set_text(row, field, &joined, 1, err);
}


static ngx_int_t
ngx_olivine_param_set_save(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    ngx_olivine_save_t  *value = field;

    int64_t              i;
    ngx_uint_t           k;
    ngx_olivine_save_t   save;

    ngx_memzero(&save, sizeof(ngx_olivine_save_t));

    if (n > 2 * NGX_OLIVINE_SAVE_POINTS) {
        return ngx_olivine_param_refuse(err, "too many save parameters");
    }

    for (k = 0; k < n; k++) {
        if (ngx_olivine_number_parse(values[k].data,
                                     values[k].data + values[k].len, &i)
            != NGX_OK
            || i < ((k & 1) ? 0 : 1))
        {
            goto invalid;
        }

        if (k & 1) {
            save.points[k / 2].changes = i;

        } else {
            save.points[k / 2].seconds = i;
        }
    }

    if (n & 1) {
        goto invalid;
    }

    save.n = n / 2;
    *value = save;

    return NGX_OK;

invalid:

    return ngx_olivine_param_refuse(err, "Invalid save parameters");
}


/* sets the classes that are named, and leaves the others */

static ngx_int_t
ngx_olivine_param_set_percentiles(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    ngx_olivine_percentiles_t  *value = field;

    double                      d;
    ngx_uint_t                  i;
    ngx_olivine_percentiles_t   percentiles;

    ngx_memzero(&percentiles, sizeof(ngx_olivine_percentiles_t));

    if (n > NGX_OLIVINE_PERCENTILES) {
        goto invalid;
    }

    for (i = 0; i < n; i++) {

        if (ngx_olivine_param_decimal(&values[i], &d) != NGX_OK) {
            goto invalid;
        }

        if (!(d >= 0 && d <= 100)) {
            return ngx_olivine_param_refuse(err,
                       "latency-tracking-info-percentiles parameters should "
                       "sit between [0.0,100.0]");
        }

        percentiles.values[i] = d;
    }

    percentiles.n = n;
    *value = percentiles;

    return NGX_OK;

invalid:

    return ngx_olivine_param_refuse(err, "Invalid "
                               "latency-tracking-info-percentiles parameters");
}


/* sets the classes that are named, and leaves the others */

static ngx_int_t
ngx_olivine_param_decimal(ngx_str_t *text, double *d)
{
    char    buf[32], *end;
    size_t  i;

    if (text->len == 0 || text->len >= sizeof(buf)) {
        return NGX_DECLINED;
    }

    for (i = 0; i < text->len; i++) {

        if ((text->data[i] < '0' || text->data[i] > '9')
            && ngx_strchr("+-.eE", text->data[i]) == NULL)
        {
            return NGX_DECLINED;
        }

        buf[i] = text->data[i];
    }

    buf[i] = '\0';

    *d = strtod(buf, &end);

    return end == buf + i ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_olivine_param_set_limits(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    ngx_olivine_output_limit_t  *value = field;

    ngx_int_t                    class;
    ngx_uint_t                   i;
    ngx_olivine_output_limit_t   limits[NGX_OLIVINE_CLASSES];

    if (n % 4) {
        return ngx_olivine_param_refuse(err,
                    "Wrong number of arguments in buffer limit configuration.");
    }

    ngx_memcpy(limits, value, sizeof(limits));

    for (i = 0; i < n; i += 4) {
        class = ngx_olivine_param_class(&values[i]);

        if (class == NGX_DECLINED) {
            return ngx_olivine_param_refuse(err,
               "Invalid client class specified in buffer limit configuration.");
        }

        if (ngx_olivine_param_limit(&limits[class], &values[i + 1])
            != NGX_OK)
        {
            return ngx_olivine_param_refuse(err,
                               "Error in hard, soft or soft_seconds setting "
                               "in buffer limit configuration.");
        }
    }

    ngx_memcpy(value, limits, sizeof(limits));

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_param_set_events(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    int64_t  *value = field;

    int64_t      events;
    ngx_uint_t   i;
    const char  *p;

    events = 0;

    for (i = 0; i < values->len; i++) {

        if (values->data[i] == 'A') {
            events |= NGX_OLIVINE_PARAM_EVENTS_ALL;
            continue;
        }

        p = values->data[i] ? strchr(NGX_OLIVINE_PARAM_EVENTS,
                                     values->data[i])
                            : NULL;

        if (p == NULL) {
            return ngx_olivine_param_refuse(err, "Invalid event class "
                                  "character. Use 'Ag$lshzxeKEtmdn'.");
        }

        events |= (int64_t) 1 << (p - NGX_OLIVINE_PARAM_EVENTS);
    }

    *value = events;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_param_set_master(const ngx_olivine_param_t *row, void *field,
    ngx_str_t *values, ngx_uint_t n, ngx_str_t *err)
{
    if (n == 0
        || (n == 2 && ngx_olivine_params_is(&values[0], "no")
            && ngx_olivine_params_is(&values[1], "one")))
    {
        return NGX_OK;
    }

    return ngx_olivine_param_refuse(err, "this version does not replicate, "
                                    "it takes only 'no one'");
}


static ngx_int_t
ngx_olivine_param_class(ngx_str_t *name)
{
    ngx_int_t  i;

    for (i = 0; ngx_olivine_param_classes[i]; i++) {
        if (ngx_olivine_params_is(name, ngx_olivine_param_classes[i])) {
            return i;
        }
    }

    if (ngx_olivine_params_is(name, "replica")) {
        return NGX_OLIVINE_CLASS_REPLICA;
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_olivine_param_limit(ngx_olivine_output_limit_t *limit, ngx_str_t *words)
{
    int64_t   seconds;
    uint64_t  hard, soft;

    if (ngx_olivine_number_parse_size(words[0].data,
                                      words[0].data + words[0].len, &hard)
        != NGX_OK
        || ngx_olivine_number_parse_size(words[1].data,
                                         words[1].data + words[1].len, &soft)
           != NGX_OK
        || ngx_olivine_number_parse(words[2].data,
                                    words[2].data + words[2].len, &seconds)
           != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (hard > INT64_MAX || soft > INT64_MAX
        || seconds < 0)
    {
        return NGX_DECLINED;
    }

    limit->hard = (int64_t) hard;
    limit->soft = (int64_t) soft;
    limit->seconds = seconds;

    return NGX_OK;
}


static u_char *
ngx_olivine_param_print_text(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const ngx_olivine_param_text_t  *value = field;

    return ngx_slprintf(buf, last, "%*s", value->len, value->data);
}


static u_char *
ngx_olivine_param_print_save(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const ngx_olivine_save_t  *value = field;

    int64_t  i;

    for (i = 0; i < value->n; i++) {
        buf = ngx_slprintf(buf, last, "%s%L %L", i ? " " : "",
                           value->points[i].seconds,
                           value->points[i].changes);
    }

    return buf;
}


static u_char *
ngx_olivine_param_print_percentiles(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const ngx_olivine_percentiles_t  *value = field;

    int64_t  i;

    for (i = 0; i < value->n && last - buf > 64; i++) {
        if (i) {
            *buf++ = ' ';
        }

        buf = ngx_olivine_number_print_double(buf, value->values[i]);
    }

    return buf;
}


static u_char *
ngx_olivine_param_print_limits(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const ngx_olivine_output_limit_t  *value = field;

    ngx_uint_t  i;

    for (i = 0; i < NGX_OLIVINE_CLASSES; i++) {
        buf = ngx_slprintf(buf, last, "%s%s %L %L %L", i ? " " : "",
                           ngx_olivine_param_classes[i], value[i].hard,
                           value[i].soft, value[i].seconds);
    }

    return buf;
}


/* With all the others "n" goes unsaid, as in Redis. */

static u_char *
ngx_olivine_param_print_events(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const int64_t  *value = field;

    ngx_uint_t   i;
    const char  *p;

    i = 0;

    if ((*value & NGX_OLIVINE_PARAM_EVENTS_ALL)
        == NGX_OLIVINE_PARAM_EVENTS_ALL)
    {
        buf = ngx_slprintf(buf, last, "A");
        i = NGX_OLIVINE_PARAM_EVENTS_OWN;
    }

    for (p = NGX_OLIVINE_PARAM_EVENTS; p[i]; i++) {
        if (*value & ((int64_t) 1 << i)) {
            buf = ngx_slprintf(buf, last, "%c", p[i]);
        }
    }

    return buf;
}


static u_char *
ngx_olivine_param_print_master(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    return buf;
}
