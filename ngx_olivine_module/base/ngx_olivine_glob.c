/*
 * Copyright (C) The Olivine authors
 *
 * Redis tries every end of every '*' in turn, which takes time exponential
 * in their number.  Only the last one need ever be tried again: what lies
 * before it has been matched by as little text as possible, and giving it
 * more leaves less for the rest.  Redis gives up at the 1001st '*' that has
 * something behind it; so that the answer is the same, we do, too.
 */


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_glob.h"


#define NGX_OLIVINE_GLOB_STARS  1000


static u_char *ngx_olivine_glob_step(u_char *p, u_char *last, u_char c,
    ngx_uint_t nocase);
static u_char *ngx_olivine_glob_class(u_char *p, u_char *last, u_char c,
    ngx_uint_t nocase);
static ngx_uint_t ngx_olivine_glob_range(u_char from, u_char to, u_char c,
    ngx_uint_t nocase);
static ngx_uint_t ngx_olivine_glob_same(u_char a, u_char b,
    ngx_uint_t nocase);


ngx_uint_t
ngx_olivine_glob_match(ngx_str_t *pattern, u_char *data, size_t len,
    ngx_uint_t nocase)
{
    u_char      *p, *last, *next, *star, *mark, *end;
    ngx_uint_t   stars;

    stars = 0;
    p = pattern->data;
    last = p + pattern->len;
    end = data + len;
    star = NULL;
    mark = NULL;

    while (data < end) {

        if (p < last && *p == '*') {

            while (p < last && *p == '*') {
                p++;
            }

            if (p == last) {
                return 1;
            }

            if (++stars > NGX_OLIVINE_GLOB_STARS) {
                return 0;
            }

            star = p;
            mark = data;
            continue;
        }

        next = (p < last) ? ngx_olivine_glob_step(p, last, *data, nocase)
                          : NULL;

        if (next) {
            p = next;
            data++;
            continue;
        }

        if (star == NULL) {
            return 0;
        }

        /* the last '*' takes one more byte */

        p = star;
        data = ++mark;
    }

    while (p < last && *p == '*') {
        p++;
    }

    return p == last;
}


/* behind the element at p, if it is one that c matches, else NULL */

static u_char *
ngx_olivine_glob_step(u_char *p, u_char *last, u_char c, ngx_uint_t nocase)
{
    switch (*p) {

    case '?':
        return p + 1;

    case '[':
        return ngx_olivine_glob_class(p + 1, last, c, nocase);

    case '\\':
        if (p + 1 < last) {
            p++;
        }

        break;
    }

    return ngx_olivine_glob_same(*p, c, nocase) ? p + 1 : NULL;
}


/* a class that is not closed reaches to the end of the pattern */

static u_char *
ngx_olivine_glob_class(u_char *p, u_char *last, u_char c, ngx_uint_t nocase)
{
    ngx_uint_t  not, match;

    not = (p < last && *p == '^');
    match = 0;

    if (not) {
        p++;
    }

    while (p < last) {

        if (*p == '\\' && last - p >= 2) {
            /* whatever the case, as in Redis */
            match |= (p[1] == c);
            p += 2;

        } else if (*p == ']') {
            p++;
            break;

        } else if (last - p >= 3 && p[1] == '-') {
            match |= ngx_olivine_glob_range(p[0], p[2], c, nocase);
            p += 3;

        } else {
            match |= ngx_olivine_glob_same(*p, c, nocase);
            p++;
        }
    }

    return (match != not) ? p : NULL;
}


static ngx_uint_t
ngx_olivine_glob_range(u_char from, u_char to, u_char c, ngx_uint_t nocase)
{
    u_char  swap;

    if (from > to) {
        swap = from;
        from = to;
        to = swap;
    }

    if (nocase) {
        from = ngx_tolower(from);
        to = ngx_tolower(to);
        c = ngx_tolower(c);
    }

    return from <= c && c <= to;
}


static ngx_uint_t
ngx_olivine_glob_same(u_char a, u_char b, ngx_uint_t nocase)
{
    return a == b || (nocase && ngx_tolower(a) == ngx_tolower(b));
}


size_t
ngx_olivine_glob_prefix(ngx_str_t *pattern)
{
    size_t  n;

    for (n = 0; n < pattern->len; n++) {
        switch (pattern->data[n]) {

        case '*':
        case '?':
        case '[':
        case '\\':
            return n;
        }
    }

    return n;
}


ngx_uint_t
ngx_olivine_glob_all(ngx_str_t *pattern)
{
    size_t  n;

    for (n = 0; n < pattern->len; n++) {
        if (pattern->data[n] != '*') {
            return 0;
        }
    }

    return n > 0;
}
