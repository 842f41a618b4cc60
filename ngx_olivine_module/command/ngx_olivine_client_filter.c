
/*
 * Copyright (C) The Olivine authors
 *
 * The terms are those of Redis 8 and, with their opposites (NOT-...), those
 * of Valkey 9.  Of terms of one kind the last counts, but for ids.
 */


#include "command/ngx_olivine_client_filter.h"


/* letters that a client may have in Redis or Valkey, whatever they mean */
#define NGX_OLIVINE_CLIENT_LETTERS  "ABFIMNOPRSTUbcdeirtux"


typedef struct {
    ngx_str_t     name;
    ngx_uint_t    opposite;                  /* unsigned  opposite:1; */
} ngx_olivine_client_word_t;


static ngx_int_t ngx_olivine_client_term_find(ngx_olivine_cx_t *cx,
    ngx_uint_t arg, ngx_uint_t *negative);
static ngx_int_t ngx_olivine_client_term_ids(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_uint_t negative, ngx_uint_t *arg,
    ngx_uint_t kill);
static ngx_int_t ngx_olivine_client_term_value(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_int_t term, ngx_uint_t negative,
    ngx_uint_t arg);
static ngx_int_t ngx_olivine_client_term_number(ngx_olivine_cx_t *cx,
    ngx_olivine_client_term_t *t, const char *name);
static ngx_uint_t ngx_olivine_client_term_match(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_int_t term, ngx_uint_t negative,
    ngx_olivine_bus_client_t *client);
static int ngx_libc_cdecl ngx_olivine_client_id_compare(const void *one,
    const void *two);


static const ngx_olivine_client_word_t
    ngx_olivine_client_words[NGX_OLIVINE_CLIENT_TERMS] =
{
    { ngx_string("id"),        1 },
    { ngx_string("type"),      1 },
    { ngx_string("addr"),      1 },
    { ngx_string("laddr"),     1 },
    { ngx_string("user"),      1 },
    { ngx_string("name"),      1 },
    { ngx_string("ip"),        1 },
    { ngx_string("flags"),     1 },
    { ngx_string("db"),        1 },
    { ngx_string("lib-name"),  1 },
    { ngx_string("lib-ver"),   1 },
    { ngx_string("maxage"),    0 },
    { ngx_string("idle"),      0 },
    { ngx_string("skipme"),    0 }
};


ngx_int_t
ngx_olivine_client_filter_parse(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_uint_t kill)
{
    ngx_int_t   term;
    ngx_uint_t  i, negative;

    ngx_memzero(filter, sizeof(ngx_olivine_client_filter_t));

    filter->skipme = kill;

    for (i = 2; i < cx->argc; /* void */ ) {

        term = ngx_olivine_client_term_find(cx, i, &negative);

        if (term == NGX_DECLINED || i + 1 == cx->argc) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        i++;

        if (term == NGX_OLIVINE_CLIENT_BY_ID) {
            if (ngx_olivine_client_term_ids(cx, filter, negative, &i, kill)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            continue;
        }

        if (ngx_olivine_client_term_value(cx, filter, term, negative, i)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        i++;
    }

    for (i = 0; i < 2; i++) {
        if (filter->ids[i]) {
            qsort(filter->ids[i], filter->nids[i], sizeof(int64_t),
                  ngx_olivine_client_id_compare);
        }
    }

    return NGX_OK;
}


void
ngx_olivine_client_filter_free(ngx_olivine_client_filter_t *filter)
{
    ngx_uint_t  i;

    for (i = 0; i < 2; i++) {
        if (filter->ids[i]) {
            ngx_free(filter->ids[i]);
        }
    }
}


ngx_uint_t
ngx_olivine_client_filter_match(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_olivine_bus_client_t *client)
{
    ngx_int_t   term;
    ngx_uint_t  negative;

    if (filter->skipme && client->row.id == cx->caller->id) {
        return 0;
    }

    for (negative = 0; negative < 2; negative++) {
        for (term = 0; term < NGX_OLIVINE_CLIENT_TERMS; term++) {

            if (filter->terms[negative][term].given
                && ngx_olivine_client_term_match(cx, filter, term, negative,
                                                 client)
                   == negative)
            {
                return 0;
            }
        }
    }

    return 1;
}


size_t
ngx_olivine_client_flags(ngx_olivine_bus_client_t *client, u_char *p)
{
    u_char    *start;
    uint32_t   flags;

    start = p;
    flags = client->row.flags;

    if (flags & NGX_OLIVINE_BUS_MONITOR) {
        *p++ = 'O';
    }

    if (client->row.multi >= 0) {
        *p++ = 'x';
    }

    if (flags & NGX_OLIVINE_BUS_BLOCKED) {
        *p++ = 'b';
    }

    if (flags & NGX_OLIVINE_BUS_DIRTY) {
        *p++ = 'd';
    }

    if (flags & NGX_OLIVINE_BUS_CLOSING) {
        *p++ = 'c';
    }

    if (flags & NGX_OLIVINE_BUS_UNIX) {
        *p++ = 'U';
    }

    if (flags & NGX_OLIVINE_BUS_NO_EVICT) {
        *p++ = 'e';
    }

    if (flags & NGX_OLIVINE_BUS_NO_TOUCH) {
        *p++ = 'T';
    }

    if (p == start) {
        *p++ = 'N';
    }

    return p - start;
}


/* The word's number, or DECLINED. */

static ngx_int_t
ngx_olivine_client_term_find(ngx_olivine_cx_t *cx, ngx_uint_t arg,
    ngx_uint_t *negative)
{
    size_t             len;
    u_char            *p;
    ngx_int_t          i;
    const ngx_str_t   *name;

    p = cx->argv[arg].data;
    len = cx->argv[arg].len;

    *negative = (len > 4 && ngx_strncasecmp(p, (u_char *) "not-", 4) == 0);

    if (*negative) {
        p += 4;
        len -= 4;
    }

    for (i = 0; i < NGX_OLIVINE_CLIENT_TERMS; i++) {
        name = &ngx_olivine_client_words[i].name;

        if (name->len == len && ngx_strncasecmp(name->data, p, len) == 0) {
            break;
        }
    }

    if (i == NGX_OLIVINE_CLIENT_TERMS
        || (*negative && !ngx_olivine_client_words[i].opposite))
    {
        return NGX_DECLINED;
    }

    return i;
}


/* One number or more; they end where another term begins. */

static ngx_int_t
ngx_olivine_client_term_ids(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_uint_t negative, ngx_uint_t *arg,
    ngx_uint_t kill)
{
    u_char      *p;
    int64_t      id;
    ngx_uint_t   i, first, other;

    if (filter->ids[negative] == NULL) {
        filter->ids[negative] = ngx_alloc(cx->argc * sizeof(int64_t),
                                          ngx_cycle->log);
        if (filter->ids[negative] == NULL) {
            return NGX_ERROR;
        }
    }

    first = *arg;

    for (i = first; i < cx->argc; i++) {

        p = cx->argv[i].data;

        if (ngx_olivine_number_parse(p, p + cx->argv[i].len, &id) != NGX_OK) {

            if (i > first
                && ngx_olivine_client_term_find(cx, i, &other)
                   != NGX_DECLINED)
            {
                break;
            }

            id = 0;
        }

        if (id < 1) {
            return ngx_olivine_cx_error(cx, kill
                                   ? "ERR client-id should be greater than 0"
                                   : "ERR Invalid client ID");
        }

        filter->ids[negative][filter->nids[negative]++] = id;
    }

    filter->terms[negative][NGX_OLIVINE_CLIENT_BY_ID].given = 1;
    *arg = i;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_client_term_value(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_int_t term, ngx_uint_t negative,
    ngx_uint_t arg)
{
    size_t                      i;
    ngx_str_t                   value;
    ngx_olivine_client_term_t  *t;

    t = &filter->terms[negative][term];
    t->given = 1;
    t->arg = arg;

    value = ngx_olivine_cx_arg(cx, arg);

    switch (term) {

    case NGX_OLIVINE_CLIENT_BY_TYPE:

        if (ngx_olivine_cx_is(cx, arg, "normal")) {
            t->number = 1;

        } else if (!ngx_olivine_cx_is(cx, arg, "master")
                   && !ngx_olivine_cx_is(cx, arg, "replica")
                   && !ngx_olivine_cx_is(cx, arg, "slave")
                   && !ngx_olivine_cx_is(cx, arg, "pubsub"))
        {
            return ngx_olivine_cx_error(cx, "ERR Unknown client type '%V'",
                                        &value);
        }

        break;

    case NGX_OLIVINE_CLIENT_BY_USER:

        if (value.len != 7 || ngx_memcmp(value.data, "default", 7) != 0) {
            return ngx_olivine_cx_error(cx, "ERR No such user '%V'", &value);
        }

        break;

    case NGX_OLIVINE_CLIENT_BY_FLAGS:

        for (i = 0; i < value.len; i++) {
            if (ngx_strlchr((u_char *) NGX_OLIVINE_CLIENT_LETTERS,
                            (u_char *) NGX_OLIVINE_CLIENT_LETTERS
                            + sizeof(NGX_OLIVINE_CLIENT_LETTERS) - 1,
                            value.data[i])
                == NULL)
            {
                return ngx_olivine_cx_error(cx, "ERR Unknown flags found in "
                                            "the provided filter: %V", &value);
            }
        }

        break;

    case NGX_OLIVINE_CLIENT_BY_DB:

        if (ngx_olivine_client_term_number(cx, t, "DB") != NGX_OK) {
            return NGX_ERROR;
        }

        if (t->number < 0 || t->number >= cx->zone->params.databases) {
            return ngx_olivine_cx_error(cx, "ERR DB number should be between "
                                        "0 and %L",
                                        cx->zone->params.databases - 1);
        }

        break;

    case NGX_OLIVINE_CLIENT_BY_MAXAGE:
    case NGX_OLIVINE_CLIENT_BY_IDLE:

        value = ngx_olivine_client_words[term].name;

        if (ngx_olivine_client_term_number(cx, t, (char *) value.data)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (t->number < 1) {
            return ngx_olivine_cx_error(cx, "ERR %V should be greater than 0",
                                        &value);
        }

        break;

    case NGX_OLIVINE_CLIENT_BY_SKIPME:

        t->given = 0;
        filter->skipme = ngx_olivine_cx_is(cx, arg, "yes");

        if (!filter->skipme && !ngx_olivine_cx_is(cx, arg, "no")) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        break;

    default:
        break;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_client_term_number(ngx_olivine_cx_t *cx,
    ngx_olivine_client_term_t *t, const char *name)
{
    ngx_olivine_arg_t  *arg;

    arg = &cx->argv[t->arg];

    if (ngx_olivine_number_parse(arg->data, arg->data + arg->len, &t->number)
        != NGX_OK)
    {
        return ngx_olivine_cx_error(cx, "ERR %s is not an integer or out of "
                                    "range", name);
    }

    return NGX_OK;
}


/* 1 if the client is what the term says. */

static ngx_uint_t
ngx_olivine_client_term_match(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_int_t term, ngx_uint_t negative,
    ngx_olivine_bus_client_t *client)
{
    u_char                      flags[NGX_OLIVINE_CLIENT_FLAGS], *p;
    size_t                      i, n;
    int64_t                     id;
    ngx_str_t                   value, text;
    ngx_olivine_client_term_t  *t;

    t = &filter->terms[negative][term];
    value = ngx_olivine_cx_arg(cx, t->arg);

    switch (term) {

    case NGX_OLIVINE_CLIENT_BY_ID:
        id = client->row.id;
        return bsearch(&id, filter->ids[negative], filter->nids[negative],
                       sizeof(int64_t), ngx_olivine_client_id_compare)
               != NULL;

    case NGX_OLIVINE_CLIENT_BY_TYPE:
        return t->number != 0;                      /* all are normal ones */

    case NGX_OLIVINE_CLIENT_BY_USER:
        return 1;                                   /* there is one */

    case NGX_OLIVINE_CLIENT_BY_DB:
        return client->row.db == t->number;

    case NGX_OLIVINE_CLIENT_BY_MAXAGE:
        return (cx->now - client->row.created) / 1000 >= t->number;

    case NGX_OLIVINE_CLIENT_BY_IDLE:
        return (cx->now - client->row.seen) / 1000 >= t->number;

    case NGX_OLIVINE_CLIENT_BY_FLAGS:
        n = ngx_olivine_client_flags(client, flags);

        for (i = 0; i < value.len; i++) {
            if (ngx_strlchr(flags, flags + n, value.data[i]) == NULL) {
                return 0;
            }
        }

        return 1;

    case NGX_OLIVINE_CLIENT_BY_IP:
        text = client->texts[NGX_OLIVINE_BUS_ADDR];

        for (p = text.data + text.len; p > text.data; p--) {
            if (p[-1] == ':') {
                text.len = p - 1 - text.data;
                break;
            }
        }

        if (text.len > 1 && text.data[0] == '[') {
            text.data++;
            text.len -= 2;
        }

        break;

    case NGX_OLIVINE_CLIENT_BY_ADDR:
        text = client->texts[NGX_OLIVINE_BUS_ADDR];
        break;

    case NGX_OLIVINE_CLIENT_BY_LADDR:
        text = client->texts[NGX_OLIVINE_BUS_LADDR];
        break;

    case NGX_OLIVINE_CLIENT_BY_NAME:
        text = client->texts[NGX_OLIVINE_BUS_NAME];
        break;

    case NGX_OLIVINE_CLIENT_BY_LIB_NAME:
        text = client->texts[NGX_OLIVINE_BUS_LIB_NAME];
        break;

    default: /* NGX_OLIVINE_CLIENT_BY_LIB_VER */
        text = client->texts[NGX_OLIVINE_BUS_LIB_VER];
        break;
    }

    return text.len == value.len
           && ngx_memcmp(text.data, value.data, value.len) == 0;
}


static int ngx_libc_cdecl
ngx_olivine_client_id_compare(const void *one, const void *two)
{
    int64_t  a, b;

    a = *(int64_t *) one;
    b = *(int64_t *) two;

    return (a > b) - (a < b);
}
