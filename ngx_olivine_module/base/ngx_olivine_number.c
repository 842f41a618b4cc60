/*
 * Copyright (C) The Olivine authors
 */


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_number.h"

#include <float.h>
#include <math.h>


/* any number of so many digits fits */
#define NGX_OLIVINE_NUMBER_SAFE  19

/* digits that any double can be read back from */
#define NGX_OLIVINE_DOUBLE_DIGITS  17

/* up to here a double without a fraction is printed as an integer */
#define NGX_OLIVINE_DOUBLE_INTEGER  4611686018427387904.0


static ngx_uint_t ngx_olivine_number_digits(uint64_t n);
static ngx_int_t ngx_olivine_number_shortest(double d, u_char *digits,
    int *exp);
static u_char *ngx_olivine_number_exponent(u_char *p, int exp);


static const u_char  ngx_olivine_number_pairs[] =
    "00010203040506070809" "10111213141516171819"
    "20212223242526272829" "30313233343536373839"
    "40414243444546474849" "50515253545556575859"
    "60616263646566676869" "70717273747576777879"
    "80818283848586878889" "90919293949596979899";


static const uint64_t  ngx_olivine_number_powers[] = {
    1ULL,
    10ULL,
    100ULL,
    1000ULL,
    10000ULL,
    100000ULL,
    1000000ULL,
    10000000ULL,
    100000000ULL,
    1000000000ULL,
    10000000000ULL,
    100000000000ULL,
    1000000000000ULL,
    10000000000000ULL,
    100000000000000ULL,
    1000000000000000ULL,
    10000000000000000ULL,
    100000000000000000ULL,
    1000000000000000000ULL,
    10000000000000000000ULL
};


static const struct {
    ngx_str_t  name;
    uint64_t   factor;
} ngx_olivine_number_units[] = {
    { ngx_string("b"), 1 },
    { ngx_string("k"), 1000 },
    { ngx_string("kb"), 1024 },
    { ngx_string("m"), 1000 * 1000 },
    { ngx_string("mb"), 1024 * 1024 },
    { ngx_string("g"), 1000 * 1000 * 1000 },
    { ngx_string("gb"), 1024 * 1024 * 1024 },
    { ngx_null_string, 0 }
};


ngx_int_t
ngx_olivine_number_parse(u_char *p, u_char *last, int64_t *n)
{
    uint64_t  u, max;

    if (p < last && *p == '-') {
        max = (uint64_t) INT64_MAX + 1;

        if (ngx_olivine_number_parse_u64(p + 1, last, &u) != NGX_OK
            || u == 0 || u > max)
        {
            return NGX_DECLINED;
        }

        *n = (int64_t) (0 - u);

        return NGX_OK;
    }

    if (ngx_olivine_number_parse_u64(p, last, &u) != NGX_OK
        || u > INT64_MAX)
    {
        return NGX_DECLINED;
    }

    *n = (int64_t) u;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_number_parse_u64(u_char *p, u_char *last, uint64_t *n)
{
    size_t    len;
    uint64_t  u;
    unsigned  c;

    len = last - p;

    if (len == 0 || len > NGX_OLIVINE_U64_LEN) {
        return NGX_DECLINED;
    }

    u = (unsigned) *p++ - '0';

    if (u > 9 || (u == 0 && len > 1)) {
        return NGX_DECLINED;
    }

    while (p < last) {
        c = (unsigned) *p++ - '0';

        if (c > 9) {
            return NGX_DECLINED;
        }

        if (ngx_olivine_unlikely(p == last && len > NGX_OLIVINE_NUMBER_SAFE
                                 && u > (UINT64_MAX - c) / 10))
        {
            return NGX_DECLINED;
        }

        u = u * 10 + c;
    }

    *n = u;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_number_parse_size(u_char *p, u_char *last, uint64_t *n)
{
    size_t      len;
    uint64_t    u, factor;
    unsigned    c;
    ngx_uint_t  i;

    if (p == last || *p < '0' || *p > '9') {
        return NGX_DECLINED;
    }

    u = 0;

    while (p < last && *p >= '0' && *p <= '9') {
        c = *p++ - '0';
        u = (u > (UINT64_MAX - c) / 10) ? UINT64_MAX : u * 10 + c;
    }

    len = last - p;
    factor = (len == 0) ? 1 : 0;

    for (i = 0; len && ngx_olivine_number_units[i].name.len; i++) {
        if (ngx_olivine_number_units[i].name.len == len
            && ngx_strncasecmp(ngx_olivine_number_units[i].name.data, p, len)
               == 0)
        {
            factor = ngx_olivine_number_units[i].factor;
            break;
        }
    }

    if (factor == 0) {
        return NGX_DECLINED;
    }

    *n = (u > UINT64_MAX / factor) ? UINT64_MAX : u * factor;

    return NGX_OK;
}


u_char *
ngx_olivine_number_print(u_char *p, int64_t n)
{
    if (n < 0) {
        *p++ = '-';
        return ngx_olivine_number_print_u64(p, 0 - (uint64_t) n);
    }

    return ngx_olivine_number_print_u64(p, (uint64_t) n);
}


u_char *
ngx_olivine_number_print_u64(u_char *p, uint64_t n)
{
    u_char      *end;
    ngx_uint_t   i;

    if (n < 10) {
        *p = (u_char) (n + '0');
        return p + 1;
    }

    end = p + ngx_olivine_number_digits(n);
    p = end;

    while (n >= 100) {
        i = (n % 100) * 2;
        n /= 100;
        *--p = ngx_olivine_number_pairs[i + 1];
        *--p = ngx_olivine_number_pairs[i];
    }

    if (n >= 10) {
        *--p = ngx_olivine_number_pairs[n * 2 + 1];
        *--p = ngx_olivine_number_pairs[n * 2];

    } else {
        *--p = (u_char) (n + '0');
    }

    return end;
}


/* 1233/4096 is log10(2): the guess is right or one too low */

static ngx_uint_t
ngx_olivine_number_digits(uint64_t n)
{
    ngx_uint_t  guess;

    guess = ((64 - __builtin_clzll(n | 1)) * 1233) >> 12;

    return guess + (n >= ngx_olivine_number_powers[guess]);
}


/*
 * Laid out as Redis does it: plain while it stays short, otherwise with an
 * exponent of a sign and as few digits as it takes.
 */

u_char *
ngx_olivine_number_print_double(u_char *p, double d)
{
    int        exp, point;
    u_char     digits[NGX_OLIVINE_DOUBLE_DIGITS + 1];
    ngx_int_t  n;

    if (isnan(d)) {
        return ngx_cpymem(p, "nan", sizeof("nan") - 1);
    }

    if (signbit(d)) {
        *p++ = '-';
        d = -d;
    }

    if (isinf(d)) {
        return ngx_cpymem(p, "inf", sizeof("inf") - 1);
    }

    if (d <= NGX_OLIVINE_DOUBLE_INTEGER && d == (double) (uint64_t) d) {
        return ngx_olivine_number_print_u64(p, (uint64_t) d);
    }

    n = ngx_olivine_number_shortest(d, digits, &exp);

    /* digits before the decimal point */
    point = exp + 1;

    if (point >= n && exp < n + 7) {
        p = ngx_cpymem(p, digits, n);
        ngx_memset(p, '0', point - n);
        return p + (point - n);
    }

    if (point < n && (point - n > -7 || abs(exp) < 4)) {

        if (point > 0) {
            p = ngx_cpymem(p, digits, point);
            *p++ = '.';
            return ngx_cpymem(p, digits + point, n - point);
        }

        *p++ = '0';
        *p++ = '.';
        ngx_memset(p, '0', -point);
        return ngx_cpymem(p - point, digits, n);
    }

    *p++ = digits[0];

    if (n > 1) {
        *p++ = '.';
        p = ngx_cpymem(p, digits + 1, n - 1);
    }

    return ngx_olivine_number_exponent(p, exp);
}


/* the fewest digits that d can be read back from; returns their number */

static ngx_int_t
ngx_olivine_number_shortest(double d, u_char *digits, int *exp)
{
    char  text[NGX_OLIVINE_DOUBLE_LEN], *e;
    int   n, i;

    /* 15 digits of a normal double say the same as fewer and zeros */

    n = (d < DBL_MIN) ? 1 : DBL_DIG;

    for ( /* void */ ; n < NGX_OLIVINE_DOUBLE_DIGITS; n++) {
        (void) snprintf(text, sizeof(text), "%.*e", n - 1, d);

        if (strtod(text, NULL) == d) {
            break;
        }
    }

    if (n == NGX_OLIVINE_DOUBLE_DIGITS) {
        (void) snprintf(text, sizeof(text), "%.*e", n - 1, d);
    }

    e = strchr(text, 'e');
    *exp = atoi(e + 1);

    digits[0] = text[0];

    for (i = 1; i < n; i++) {
        digits[i] = text[i + 1];
    }

    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }

    return n;
}


static u_char *
ngx_olivine_number_exponent(u_char *p, int exp)
{
    *p++ = 'e';
    *p++ = (exp < 0) ? '-' : '+';

    return ngx_olivine_number_print_u64(p, abs(exp));
}


ngx_int_t
ngx_olivine_number_parse_long(u_char *p, u_char *last, long double *d)
{
    char         text[NGX_OLIVINE_LONG_LEN], *end;
    size_t       len;
    long double  value;

    len = last - p;

    if (len == 0 || len >= sizeof(text)
        || *p == ' ' || (*p >= '\t' && *p <= '\r'))
    {
        return NGX_DECLINED;
    }

    ngx_memcpy(text, p, len);
    text[len] = '\0';

    errno = 0;
    value = strtold(text, &end);

    if ((size_t) (end - text) != len || isnan(value)
        || (errno == ERANGE && (isinf(value) || value == 0)))
    {
        return NGX_DECLINED;
    }

    *d = value;

    return NGX_OK;
}


u_char *
ngx_olivine_number_print_long(u_char *p, long double d)
{
    u_char  *last;

    if (isinf(d)) {
        return ngx_cpymem(p, d > 0 ? "inf" : "-inf", d > 0 ? 3 : 4);
    }

    last = p + snprintf((char *) p, NGX_OLIVINE_LONG_LEN, "%.17Lf", d);

    while (last[-1] == '0') {
        last--;
    }

    if (last[-1] == '.') {
        last--;
    }

    if (last - p == 2 && p[0] == '-' && p[1] == '0') {
        *p = '0';
        last--;
    }

    return last;
}
