/*
 * Copyright (C) The Olivine authors
 */


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_number.h"
#include "base/ngx_olivine_params.h"


/* words that "save" and "client-output-buffer-limit" can make use of */
#define NGX_OLIVINE_PARAM_MAX_WORDS  (2 * NGX_OLIVINE_SAVE_POINTS)

#define NGX_OLIVINE_MB  (1024 * 1024)


typedef struct {
    size_t  len;
    u_char  data[];
} ngx_olivine_param_text_t;


static ngx_int_t ngx_olivine_param_set_bool(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_int(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_size(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_enum(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_text(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_save(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_set_limits(const ngx_olivine_param_t *row,
    void *field, ngx_str_t *values, ngx_uint_t n, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_range(const ngx_olivine_param_t *row,
    int64_t value, ngx_str_t *err);
static ngx_int_t ngx_olivine_param_class(ngx_str_t *name);
static ngx_int_t ngx_olivine_param_limit(ngx_olivine_output_limit_t *limit,
    ngx_str_t *words);
static ngx_int_t ngx_olivine_param_refuse(ngx_str_t *err, const char *text);

static u_char *ngx_olivine_param_print_number(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last);
static u_char *ngx_olivine_param_print_enum(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last);
static u_char *ngx_olivine_param_print_text(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last);
static u_char *ngx_olivine_param_print_save(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last);
static u_char *ngx_olivine_param_print_limits(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last);

static ngx_uint_t ngx_olivine_params_split(ngx_str_t *text, ngx_str_t *words,
    ngx_uint_t max);
static ngx_uint_t ngx_olivine_params_is(ngx_str_t *value, const char *word);


static const ngx_olivine_param_type_t  ngx_olivine_param_bool = {
    ngx_olivine_param_set_bool, ngx_olivine_param_print_enum, "yes or no"
};

static const ngx_olivine_param_type_t  ngx_olivine_param_int = {
    ngx_olivine_param_set_int, ngx_olivine_param_print_number, "number"
};

static const ngx_olivine_param_type_t  ngx_olivine_param_size = {
    ngx_olivine_param_set_size, ngx_olivine_param_print_number, "size"
};

static const ngx_olivine_param_type_t  ngx_olivine_param_enum = {
    ngx_olivine_param_set_enum, ngx_olivine_param_print_enum, "word"
};

static const ngx_olivine_param_type_t  ngx_olivine_param_text = {
    ngx_olivine_param_set_text, ngx_olivine_param_print_text, "string"
};

static const ngx_olivine_param_type_t  ngx_olivine_param_save = {
    ngx_olivine_param_set_save, ngx_olivine_param_print_save,
    "pairs of seconds and changes"
};

static const ngx_olivine_param_type_t  ngx_olivine_param_limits = {
    ngx_olivine_param_set_limits, ngx_olivine_param_print_limits,
    "class, hard limit, soft limit, seconds"
};


/* a value is the index of its word */

static const char *const  ngx_olivine_param_yes_no[] = {
    "no", "yes", NULL
};

static const char *const  ngx_olivine_param_local[] = {
    "no", "yes", "local", NULL
};

static const char *const  ngx_olivine_param_levels[] = {
    "debug", "verbose", "notice", "warning", "nothing", NULL
};

static const char *const  ngx_olivine_param_policies[] = {
    "noeviction", NULL
};

static const char *const  ngx_olivine_param_classes[] = {
    "normal", "slave", "pubsub", NULL
};


#define ngx_olivine_param_field(field)                                        \
    offsetof(ngx_olivine_params_t, field),                                    \
    sizeof(((ngx_olivine_params_t *) 0)->field)


const ngx_olivine_param_t  ngx_olivine_params[] = {

    { ngx_string("appendonly"), &ngx_olivine_param_bool, "no",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(appendonly), { 0, 0 },
      "whether every change is also written to the append-only file",
      ngx_olivine_param_yes_no },

    { ngx_string("client-output-buffer-limit"), &ngx_olivine_param_limits,
      "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60",
      NGX_OLIVINE_PARAM_LIVE|NGX_OLIVINE_PARAM_WORDS,
      ngx_olivine_param_field(output_limit), { 0, 0 },
      "per class of clients: replies waiting that close a client at once, "
      "replies waiting that close it after some seconds, those seconds",
      NULL },

    { ngx_string("client-query-buffer-limit"), &ngx_olivine_param_size,
      "1gb",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(client_query_buffer_limit),
      { NGX_OLIVINE_MB, INT64_MAX },
      "most memory that one client's unfinished request may take",
      NULL },

    { ngx_string("databases"), &ngx_olivine_param_int, "16",
      NGX_OLIVINE_PARAM_FIXED,
      ngx_olivine_param_field(databases), { 1, NGX_OLIVINE_MAX_DATABASES },
      "number of databases that SELECT may choose from",
      NULL },

    { ngx_string("dir"), &ngx_olivine_param_text, ".",
      NGX_OLIVINE_PARAM_LIVE|NGX_OLIVINE_PARAM_PROTECTED,
      ngx_olivine_param_field(dir), { 1, NGX_OLIVINE_DIR_MAX },
      "directory of all files that keep the data",
      NULL },

    { ngx_string("enable-debug-command"), &ngx_olivine_param_enum, "no",
      0,
      ngx_olivine_param_field(enable_debug_command), { 0, 0 },
      "who may call DEBUG: nobody, everybody, or clients of this machine",
      ngx_olivine_param_local },

    { ngx_string("lock-timing"), &ngx_olivine_param_bool, "no",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(lock_timing), { 0, 0 },
      "whether each hold of a shard's lock is timed, which costs 0.2 us",
      ngx_olivine_param_yes_no },

    { ngx_string("loglevel"), &ngx_olivine_param_enum, "notice",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(loglevel), { 0, 0 },
      "least important messages that still go to the log",
      ngx_olivine_param_levels },

    { ngx_string("maxclients"), &ngx_olivine_param_int, "10000",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(maxclients), { 1, NGX_MAX_UINT32_VALUE },
      "most clients connected at a time",
      NULL },

    { ngx_string("maxmemory"), &ngx_olivine_param_size, "0",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(maxmemory), { 0, INT64_MAX },
      "most memory that keys and values may take; 0 is what the zone holds",
      NULL },

    { ngx_string("maxmemory-policy"), &ngx_olivine_param_enum, "noeviction",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(maxmemory_policy), { 0, 0 },
      "which keys give way when maxmemory is reached",
      ngx_olivine_param_policies },

    { ngx_string("proto-max-bulk-len"), &ngx_olivine_param_size, "512mb",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(proto_max_bulk_len),
      { NGX_OLIVINE_MB, INT64_MAX },
      "longest single argument, and longest string value",
      NULL },

    { ngx_string("requirepass"), &ngx_olivine_param_text, "",
      NGX_OLIVINE_PARAM_LIVE|NGX_OLIVINE_PARAM_SECRET,
      ngx_olivine_param_field(requirepass),
      { 0, NGX_OLIVINE_REQUIREPASS_MAX },
      "password that clients have to give; none if empty",
      NULL },

    { ngx_string("save"), &ngx_olivine_param_save,
      "3600 1 300 100 60 10000",
      NGX_OLIVINE_PARAM_LIVE|NGX_OLIVINE_PARAM_WORDS,
      ngx_olivine_param_field(save), { 0, 0 },
      "a snapshot is written after so many seconds with so many changes",
      NULL },

    { ngx_string("tcp-keepalive"), &ngx_olivine_param_int, "300",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(tcp_keepalive), { 0, NGX_MAX_INT32_VALUE },
      "seconds between probes of a silent connection; 0 sends none",
      NULL },

    { ngx_string("timeout"), &ngx_olivine_param_int, "0",
      NGX_OLIVINE_PARAM_LIVE,
      ngx_olivine_param_field(timeout), { 0, NGX_MAX_INT32_VALUE },
      "seconds after which an idle client is closed; 0 is never",
      NULL },

    { ngx_null_string, NULL, NULL, 0, 0, 0, { 0, 0 }, NULL, NULL }
};


void
ngx_olivine_params_defaults(ngx_olivine_params_t *params)
{
    u_char                      text[NGX_OLIVINE_PARAM_ERROR];
    ngx_str_t                   value, err;
    const ngx_olivine_param_t  *row;

    ngx_memzero(params, sizeof(ngx_olivine_params_t));

    for (row = ngx_olivine_params; row->name.len; row++) {
        value.data = (u_char *) row->value;
        value.len = ngx_strlen(row->value);

        err.data = text;
        err.len = 0;

        (void) ngx_olivine_params_set(params, row, &value, 1, &err);
    }
}


const ngx_olivine_param_t *
ngx_olivine_params_find(u_char *name, size_t len)
{
    const ngx_olivine_param_t  *row;

    for (row = ngx_olivine_params; row->name.len; row++) {
        if (row->name.len == len
            && ngx_strncasecmp(row->name.data, name, len) == 0)
        {
            return row;
        }
    }

    return NULL;
}


ngx_int_t
ngx_olivine_params_set(ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, ngx_str_t *values, ngx_uint_t n,
    ngx_str_t *err)
{
    ngx_str_t  words[NGX_OLIVINE_PARAM_MAX_WORDS + 1];

    if (row->flags & NGX_OLIVINE_PARAM_WORDS) {

        /* CONFIG SET gives all words in one */

        if (n == 1) {
            n = ngx_olivine_params_split(values, words,
                                         NGX_OLIVINE_PARAM_MAX_WORDS + 1);
            values = words;
        }

    } else if (n != 1) {
        return ngx_olivine_param_refuse(err, "wrong number of arguments");
    }

    return row->type->set(row, (u_char *) params + row->offset, values, n,
                          err);
}


u_char *
ngx_olivine_params_print(const ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, u_char *buf, u_char *last)
{
    return row->type->print(row, (const u_char *) params + row->offset, buf,
                            last);
}


void
ngx_olivine_params_copy(ngx_olivine_params_t *to,
    const ngx_olivine_params_t *from, const ngx_olivine_param_t *row)
{
    ngx_memcpy((u_char *) to + row->offset,
               (const u_char *) from + row->offset, row->size);
}


ngx_uint_t
ngx_olivine_params_equal(const ngx_olivine_params_t *a,
    const ngx_olivine_params_t *b, const ngx_olivine_param_t *row)
{
    return ngx_memcmp((const u_char *) a + row->offset,
                      (const u_char *) b + row->offset, row->size) == 0;
}


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

    if (ngx_olivine_param_range(row, u > INT64_MAX ? -1
                                                             : (int64_t) u,
                                err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    *value = (int64_t) u;

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


static ngx_int_t
ngx_olivine_param_refuse(ngx_str_t *err, const char *text)
{
    err->len = ngx_strlen(text);
    ngx_memcpy(err->data, text, err->len);

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
ngx_olivine_param_print_enum(const ngx_olivine_param_t *row,
    const void *field, u_char *buf, u_char *last)
{
    const int64_t  *value = field;

    return ngx_slprintf(buf, last, "%s", row->words[*value]);
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


/* two blanks have an empty word between them, as in Redis */

static ngx_uint_t
ngx_olivine_params_split(ngx_str_t *text, ngx_str_t *words, ngx_uint_t max)
{
    u_char      *p, *last, *end;
    ngx_uint_t   n;

    if (text->len == 0) {
        return 0;
    }

    p = text->data;
    last = p + text->len;

    for (n = 0; n < max; n++) {
        end = ngx_strlchr(p, last, ' ');

        words[n].data = p;
        words[n].len = (end ? end : last) - p;

        if (end == NULL) {
            return n + 1;
        }

        p = end + 1;
    }

    return n;
}


static ngx_uint_t
ngx_olivine_params_is(ngx_str_t *value, const char *word)
{
    return value->len == ngx_strlen(word)
           && ngx_strncasecmp(value->data, (u_char *) word, value->len) == 0;
}
