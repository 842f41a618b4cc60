
/*
 * Copyright (C) The Olivine authors
 */


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_param_types.h"


/* no name of a parameter, nor anything that resembles one, is longer */
#define NGX_OLIVINE_PARAMS_NAME  64


static ngx_uint_t ngx_olivine_params_split(ngx_str_t *text, ngx_str_t *words,
    ngx_uint_t max);


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
    const ngx_olivine_param_t           *row;
    const ngx_olivine_param_name_row_t  *other;

    for (row = ngx_olivine_params; row->name.len; row++) {
        if (row->name.len == len
            && ngx_strncasecmp(row->name.data, name, len) == 0)
        {
            return row;
        }
    }

    other = ngx_olivine_params_other(name, len);

    if (other == NULL || other->row == NULL) {
        return NULL;
    }

    return ngx_olivine_params_find((u_char *) other->row,
                                   ngx_strlen(other->row));
}


const ngx_olivine_param_name_row_t *
ngx_olivine_params_other(u_char *name, size_t len)
{
    const ngx_olivine_param_name_row_t  *other;

    for (other = ngx_olivine_param_names; other->name.len; other++) {
        if (other->name.len == len
            && ngx_strncasecmp(other->name.data, name, len) == 0)
        {
            return other;
        }
    }

    return NULL;
}


ngx_uint_t
ngx_olivine_params_refused(const ngx_olivine_param_name_row_t *other,
    ngx_str_t *values, ngx_uint_t n)
{
    return other->refuse
           && !(n == 1 && (values->len == 0
                           || ngx_olivine_params_is(values, "no")));
}


ngx_str_t *
ngx_olivine_params_nearest(u_char *name, size_t len)
{
    ngx_str_t                           *best, text;
    ngx_uint_t                           d, distance;
    const ngx_olivine_param_t           *row;
    const ngx_olivine_param_name_row_t  *other;

    best = NULL;
    distance = NGX_OLIVINE_PARAM_NEAR;
    text.data = name;
    text.len = len;

    for (row = ngx_olivine_params; row->name.len; row++) {

        if (row->flags & NGX_OLIVINE_PARAM_HIDDEN) {
            continue;
        }

        d = ngx_olivine_params_distance(&text, (ngx_str_t *) &row->name);

        if (d < distance && d < row->name.len) {
            distance = d;
            best = (ngx_str_t *) &row->name;
        }
    }

    for (other = ngx_olivine_param_names; other->name.len; other++) {
        d = ngx_olivine_params_distance(&text, (ngx_str_t *) &other->name);

        if (d < distance && other->refuse == NULL) {
            distance = d;
            best = (ngx_str_t *) &other->name;
        }
    }

    return best;
}


ngx_uint_t
ngx_olivine_params_distance(ngx_str_t *a, ngx_str_t *b)
{
    u_char      x, y;
    ngx_uint_t  i, j, rows[3][NGX_OLIVINE_PARAMS_NAME + 1], *row, *up, *up2, d;

    if (a->len > NGX_OLIVINE_PARAMS_NAME || b->len > NGX_OLIVINE_PARAMS_NAME) {
        return NGX_OLIVINE_PARAMS_NAME;
    }

    for (j = 0; j <= b->len; j++) {
        rows[0][j] = j;
    }

    for (i = 1; i <= a->len; i++) {

        row = rows[i % 3];
        up = rows[(i - 1) % 3];
        up2 = rows[(i + 1) % 3];

        row[0] = i;

        for (j = 1; j <= b->len; j++) {

            x = ngx_tolower(a->data[i - 1]);
            y = ngx_tolower(b->data[j - 1]);

            d = up[j - 1] + (x != y);
            d = ngx_min(d, up[j] + 1);
            d = ngx_min(d, row[j - 1] + 1);

            if (i > 1 && j > 1 && x == ngx_tolower(b->data[j - 2])
                && y == ngx_tolower(a->data[i - 2]))
            {
                d = ngx_min(d, up2[j - 2] + 1);
            }

            row[j] = d;
        }
    }

    return rows[a->len % 3][b->len];
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


ngx_int_t
ngx_olivine_params_add(ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, ngx_str_t *values, ngx_uint_t n,
    ngx_uint_t given, ngx_str_t *err)
{
    u_char      text[2 * NGX_OLIVINE_PARAM_PRINT], *p, *last;
    ngx_str_t   joined;
    ngx_uint_t  i;

    if (!given || !(row->flags & NGX_OLIVINE_PARAM_ADDS)
        || n == 0 || values[0].len == 0)
    {
        return ngx_olivine_params_set(params, row, values, n, err);
    }

    last = text + sizeof(text);
    p = ngx_olivine_params_print(params, row, text, last);

    for (i = 0; i < n; i++) {
        p = ngx_slprintf(p, last, "%s%V", p == text ? "" : " ", &values[i]);
    }

    joined.data = text;
    joined.len = p - text;

    return ngx_olivine_params_set(params, row, &joined, 1, err);
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


ngx_uint_t
ngx_olivine_params_is(ngx_str_t *value, const char *word)
{
    return value->len == ngx_strlen(word)
           && ngx_strncasecmp(value->data, (u_char *) word, value->len) == 0;
}


ngx_int_t
ngx_olivine_param_refuse(ngx_str_t *err, const char *text)
{
    err->len = ngx_strlen(text);
    ngx_memcpy(err->data, text, err->len);

    return NGX_DECLINED;
}
