
/*
 * Copyright (C) The Olivine authors
 *
 * INCREX of Redis 8.8: adds an integer or a float within bounds, and sets the
 * expiry.  A sum beyond the bounds is not stored, or, with SATURATE, the bound
 * is.  Replied are the value that is there then, and what was really added.
 *
 * Bounds are those of the type where none is given.  Unlike SET, no option
 * may be given twice.
 */


#include "command/ngx_olivine_cmd_string.h"

#include <float.h>
#include <math.h>


#define NGX_OLIVINE_INCREX_INT        0x010000
#define NGX_OLIVINE_INCREX_FLOAT      0x020000
#define NGX_OLIVINE_INCREX_LBOUND     0x040000
#define NGX_OLIVINE_INCREX_UBOUND     0x080000
#define NGX_OLIVINE_INCREX_SATURATE   0x100000
#define NGX_OLIVINE_INCREX_ENX        0x200000

#define NGX_OLIVINE_INCREX_BY                                                 \
    (NGX_OLIVINE_INCREX_INT|NGX_OLIVINE_INCREX_FLOAT)

#define NGX_OLIVINE_INCREX_TTL                                                \
    (NGX_OLIVINE_SET_TTL & ~NGX_OLIVINE_SET_KEEPTTL)


/* either half is used, by the kind of the increment */

typedef struct {
    int64_t                    n;
    long double                d;
} ngx_olivine_increx_number_t;


typedef struct {
    ngx_uint_t                   by;           /* arguments, 0: none */
    ngx_uint_t                   lbound;
    ngx_uint_t                   ubound;
    ngx_uint_t                   is_float;     /* unsigned  is_float:1; */
    ngx_olivine_set_options_t    set;

    int64_t                      at;
    ngx_olivine_increx_number_t  add;          /* asked for, then added */
    ngx_olivine_increx_number_t  min;
    ngx_olivine_increx_number_t  max;
    ngx_olivine_increx_number_t  value;
} ngx_olivine_increx_t;


static ngx_int_t ngx_olivine_increx_options(ngx_olivine_cx_t *cx,
    ngx_olivine_increx_t *x);
static ngx_uint_t ngx_olivine_increx_option(ngx_olivine_cx_t *cx,
    ngx_uint_t i, ngx_olivine_increx_t *x, ngx_uint_t **arg);
static ngx_int_t ngx_olivine_increx_numbers(ngx_olivine_cx_t *cx,
    ngx_olivine_increx_t *x);
static ngx_int_t ngx_olivine_increx_number(ngx_olivine_cx_t *cx,
    ngx_olivine_increx_t *x, ngx_uint_t arg, const char *name,
    ngx_olivine_increx_number_t *number);
static ngx_int_t ngx_olivine_increx_integer(ngx_olivine_cx_t *cx,
    ngx_olivine_increx_t *x, ngx_olivine_value_t *value);
static ngx_int_t ngx_olivine_increx_float(ngx_olivine_cx_t *cx,
    ngx_olivine_increx_t *x, ngx_olivine_value_t *value);
static ngx_int_t ngx_olivine_increx_store(ngx_olivine_cx_t *cx,
    ngx_olivine_increx_t *x, ngx_olivine_ref_t *ref);
static void ngx_olivine_increx_effect(ngx_olivine_cx_t *cx,
    ngx_olivine_ref_t *ref, ngx_str_t *text, int64_t at);
static ngx_int_t ngx_olivine_increx_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_increx_t *x, ngx_olivine_increx_number_t *number);


ngx_int_t
ngx_olivine_cmd_increx(ngx_olivine_cx_t *cx)
{
    ngx_int_t             rc;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;
    ngx_olivine_increx_t  x;

    if (ngx_olivine_increx_options(cx, &x) != NGX_OK
        || ngx_olivine_increx_numbers(cx, &x) != NGX_OK
        || ngx_olivine_set_expiry(cx, &x.set, &x.at) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cx_string(cx, 0, &ref, &value);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry == NULL) {
        ngx_olivine_string_set_number(&value, 0);
    }

    rc = x.is_float ? ngx_olivine_increx_float(cx, &x, &value)
                    : ngx_olivine_increx_integer(cx, &x, &value);

    if (rc == NGX_OK) {
        rc = ngx_olivine_increx_store(cx, &x, &ref);
    }

    if (rc == NGX_DECLINED) {
        x.add.n = 0;
        x.add.d = 0;
        rc = NGX_OK;
    }

    if (rc != NGX_OK) {
        return rc;
    }

    (void) ngx_olivine_reply_array(cx->reply, 2);
    (void) ngx_olivine_increx_reply(cx, &x, &x.value);

    return ngx_olivine_increx_reply(cx, &x, &x.add);
}


static ngx_int_t
ngx_olivine_increx_options(ngx_olivine_cx_t *cx, ngx_olivine_increx_t *x)
{
    ngx_uint_t  i, flag, not, *arg;

    ngx_memzero(x, sizeof(ngx_olivine_increx_t));

    for (i = 2; i < cx->argc; i++) {

        arg = NULL;
        flag = ngx_olivine_increx_option(cx, i, x, &arg);
        not = flag;

        if (flag & NGX_OLIVINE_INCREX_BY) {
            not = NGX_OLIVINE_INCREX_BY;

        } else if (flag & NGX_OLIVINE_INCREX_TTL) {
            not = NGX_OLIVINE_INCREX_TTL;
        }

        if (flag == NGX_OLIVINE_SET_PERSIST) {
            not |= NGX_OLIVINE_INCREX_ENX;

        } else if (flag == NGX_OLIVINE_INCREX_ENX) {
            not |= NGX_OLIVINE_SET_PERSIST;
        }

        if (flag == 0 || (x->set.flags & not)
            || (arg && i + 1 == cx->argc))
        {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        x->set.flags |= flag;

        if (arg) {
            *arg = ++i;
        }
    }

    if ((x->set.flags & NGX_OLIVINE_INCREX_ENX) && x->set.expire == 0) {
        return ngx_olivine_cx_error(cx, "ERR ENX flag requires an expiration");
    }

    if (x->set.expire == 0 && !(x->set.flags & NGX_OLIVINE_SET_PERSIST)) {
        x->set.flags |= NGX_OLIVINE_SET_KEEPTTL;
    }

    x->is_float = (x->set.flags & NGX_OLIVINE_INCREX_FLOAT) != 0;

    return NGX_OK;
}


/* The flag of argument i, 0 if it is no option; arg: where its value goes. */

static ngx_uint_t
ngx_olivine_increx_option(ngx_olivine_cx_t *cx, ngx_uint_t i,
    ngx_olivine_increx_t *x, ngx_uint_t **arg)
{
    ngx_uint_t  flag;

    if (ngx_olivine_cx_is(cx, i, "byint")) {
        *arg = &x->by;
        return NGX_OLIVINE_INCREX_INT;
    }

    if (ngx_olivine_cx_is(cx, i, "byfloat")) {
        *arg = &x->by;
        return NGX_OLIVINE_INCREX_FLOAT;
    }

    if (ngx_olivine_cx_is(cx, i, "lbound")) {
        *arg = &x->lbound;
        return NGX_OLIVINE_INCREX_LBOUND;
    }

    if (ngx_olivine_cx_is(cx, i, "ubound")) {
        *arg = &x->ubound;
        return NGX_OLIVINE_INCREX_UBOUND;
    }

    if (ngx_olivine_cx_is(cx, i, "saturate")) {
        return NGX_OLIVINE_INCREX_SATURATE;
    }

    if (ngx_olivine_cx_is(cx, i, "enx")) {
        return NGX_OLIVINE_INCREX_ENX;
    }

    flag = ngx_olivine_set_word(cx, i, NGX_OLIVINE_INCREX_TTL);

    if (flag & ~NGX_OLIVINE_SET_PERSIST) {
        *arg = &x->set.expire;
    }

    return flag;
}


static ngx_int_t
ngx_olivine_increx_numbers(ngx_olivine_cx_t *cx, ngx_olivine_increx_t *x)
{
    x->add = (ngx_olivine_increx_number_t) { 1, 1 };
    x->min = (ngx_olivine_increx_number_t) { INT64_MIN, -LDBL_MAX };
    x->max = (ngx_olivine_increx_number_t) { INT64_MAX, LDBL_MAX };

    if (ngx_olivine_increx_number(cx, x, x->by, "Increment", &x->add)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (x->is_float && isinf(x->add.d)) {
        return ngx_olivine_cx_error(cx, "ERR BYFLOAT increment cannot be "
                                    "Infinity");
    }

    if (ngx_olivine_increx_number(cx, x, x->lbound, "LBOUND", &x->min)
        != NGX_OK
        || ngx_olivine_increx_number(cx, x, x->ubound, "UBOUND", &x->max)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (x->is_float ? x->min.d > x->max.d : x->min.n > x->max.n) {
        return ngx_olivine_cx_error(cx, "ERR LBOUND can't be greater than "
                                    "UBOUND");
    }

    return NGX_OK;
}


/* Argument arg, if there is one. */

static ngx_int_t
ngx_olivine_increx_number(ngx_olivine_cx_t *cx, ngx_olivine_increx_t *x,
    ngx_uint_t arg, const char *name, ngx_olivine_increx_number_t *number)
{
    u_char  *p, *last;

    if (arg == 0) {
        return NGX_OK;
    }

    p = cx->argv[arg].data;
    last = p + cx->argv[arg].len;

    if (x->is_float) {

        if (ngx_olivine_number_parse_long(p, last, &number->d) == NGX_OK) {
            return NGX_OK;
        }

        return ngx_olivine_cx_error(cx, "ERR %s is not a valid float", name);
    }

    if (ngx_olivine_number_parse(p, last, &number->n) == NGX_OK) {
        return NGX_OK;
    }

    return ngx_olivine_cx_error(cx, "ERR %s is not an integer or out of range",
                                name);
}


/* OK: x->value is to be stored; DECLINED: it is what is there; ERROR. */

static ngx_int_t
ngx_olivine_increx_integer(ngx_olivine_cx_t *cx, ngx_olivine_increx_t *x,
    ngx_olivine_value_t *value)
{
    int64_t    old, sum;
    ngx_int_t  side;

    if (ngx_olivine_string_number(value, &old) != NGX_OK) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOT_INTEGER);
    }

    side = 0;

    if (__builtin_add_overflow(old, x->add.n, &sum)) {
        side = x->add.n > 0 ? 1 : -1;

    } else if (sum > x->max.n) {
        side = 1;

    } else if (sum < x->min.n) {
        side = -1;
    }

    if (side && !(x->set.flags & NGX_OLIVINE_INCREX_SATURATE)) {
        x->value.n = old;
        return NGX_DECLINED;
    }

    if (side) {
        sum = side > 0 ? x->max.n : x->min.n;

        if (__builtin_sub_overflow(sum, old, &x->add.n)) {
            return ngx_olivine_cx_error(cx, "ERR applied increment would "
                                        "overflow");
        }
    }

    x->value.n = sum;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_increx_float(ngx_olivine_cx_t *cx, ngx_olivine_increx_t *x,
    ngx_olivine_value_t *value)
{
    long double  old, sum;

    if (ngx_olivine_string_long(value, &old) != NGX_OK) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOT_FLOAT);
    }

    if (isinf(old)) {
        return ngx_olivine_cx_error(cx, "ERR value cannot be Infinity");
    }

    sum = old + x->add.d;

    if (sum < x->min.d || sum > x->max.d || isinf(sum)) {

        if (!(x->set.flags & NGX_OLIVINE_INCREX_SATURATE)) {
            x->value.d = old;
            return NGX_DECLINED;
        }

        sum = sum < x->min.d || sum < -LDBL_MAX ? x->min.d : x->max.d;
        x->add.d = sum - old;

        if (isinf(sum) || isinf(x->add.d)) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NAN_OR_INF);
        }
    }

    x->value.d = sum;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_increx_store(ngx_olivine_cx_t *cx, ngx_olivine_increx_t *x,
    ngx_olivine_ref_t *ref)
{
    u_char               number[NGX_OLIVINE_LONG_LEN], *last;
    int64_t              at;
    ngx_int_t            rc;
    ngx_str_t            text;
    ngx_olivine_value_t  value;

    at = x->at;

    if ((x->set.flags & NGX_OLIVINE_INCREX_ENX)
        && ref->entry && ngx_olivine_entry_expire(ref->entry))
    {
        at = NGX_OLIVINE_EXPIRE_KEEP;
    }

    if (at > 0 && at <= cx->now) {

        if (ref->entry == NULL) {
            return NGX_OK;
        }

        ngx_olivine_cmd_effect_del(cx, &ref->key);

        return ngx_olivine_cx_delete(cx, ref);
    }

    if (x->is_float) {
        last = ngx_olivine_number_print_long(number, x->value.d);
        ngx_olivine_string_set_text(&value, number, last - number);

    } else {
        last = ngx_olivine_number_print(number, x->value.n);
        ngx_olivine_string_set_number(&value, x->value.n);
    }

    text.data = number;
    text.len = last - number;

    rc = ngx_olivine_cx_set(cx, ref, &value, at);

    if (rc == NGX_OK) {
        ngx_olivine_increx_effect(cx, ref, &text, at);
    }

    return rc;
}


static void
ngx_olivine_increx_effect(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref,
    ngx_str_t *text, int64_t at)
{
    ngx_str_t  set = ngx_string("SET"), keepttl = ngx_string("KEEPTTL");

    if (at == NGX_OLIVINE_EXPIRE_KEEP) {
        ngx_olivine_cx_effect(cx, 4, &set, &ref->key, text, &keepttl);
        return;
    }

    ngx_olivine_set_effect(cx, ref, text);
}


/* In RESP3 a float is a double, in RESP2 a bulk. */

static ngx_int_t
ngx_olivine_increx_reply(ngx_olivine_cx_t *cx, ngx_olivine_increx_t *x,
    ngx_olivine_increx_number_t *number)
{
    u_char  text[1 + NGX_OLIVINE_LONG_LEN + 2], *last;

    if (!x->is_float) {
        return ngx_olivine_reply_integer(cx->reply, number->n);
    }

    text[0] = ',';
    last = ngx_olivine_number_print_long(text + 1, number->d);

    if (!cx->reply->resp3) {
        return ngx_olivine_reply_bulk(cx->reply, text + 1, last - (text + 1));
    }

    *last++ = CR;
    *last++ = LF;

    return ngx_olivine_reply_raw(cx->reply, text, last - text);
}
