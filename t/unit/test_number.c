/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include <float.h>
#include <math.h>

#include "base/ngx_olivine_number.h"


static ngx_int_t
parse(const char *text, int64_t *n)
{
    u_char  *p = (u_char *) text;

    return ngx_olivine_number_parse(p, p + strlen(text), n);
}


static ngx_int_t
size(const char *text, uint64_t *n)
{
    u_char  *p = (u_char *) text;

    return ngx_olivine_number_parse_size(p, p + strlen(text), n);
}


static void
print_is(int64_t n, const char *want)
{
    u_char  text[NGX_OLIVINE_I64_LEN + 1];

    *ngx_olivine_number_print(text, n) = '\0';
    assert_string_equal((char *) text, want);
}


static void
double_is(double d, const char *want)
{
    u_char  text[NGX_OLIVINE_DOUBLE_LEN + 1];

    *ngx_olivine_number_print_double(text, d) = '\0';
    assert_string_equal((char *) text, want);
}


static void
test_number_parse_takes_what_printing_gives(void **state)
{
    u_char    text[NGX_OLIVINE_I64_LEN], *last;
    int64_t   n, back;
    unsigned  i, neg;

    for (neg = 0; neg < 2; neg++) {
        for (i = 0; i < 63; i++) {
            for (n = ((int64_t) 1 << i) - 2; n < ((int64_t) 1 << i) + 3; n++) {
                last = ngx_olivine_number_print(text, neg ? -n : n);

                assert_int_equal(ngx_olivine_number_parse(text, last, &back),
                                 NGX_OK);
                assert_true(back == (neg ? -n : n));
            }
        }
    }
}


static void
test_number_print_knows_each_power_of_ten(void **state)
{
    char      want[32];
    u_char    text[NGX_OLIVINE_U64_LEN + 1];
    uint64_t  n;

    for (n = 1; /* void */; n *= 10) {
        snprintf(want, sizeof(want), "%llu", (unsigned long long) n);
        *ngx_olivine_number_print_u64(text, n) = '\0';
        assert_string_equal((char *) text, want);

        snprintf(want, sizeof(want), "%llu", (unsigned long long) n - 1);
        *ngx_olivine_number_print_u64(text, n - 1) = '\0';
        assert_string_equal((char *) text, want);

        if (n > UINT64_MAX / 10) {
            break;
        }
    }

    *ngx_olivine_number_print_u64(text, UINT64_MAX) = '\0';
    assert_string_equal((char *) text, "18446744073709551615");
}


static void
test_number_print_reaches_both_ends(void **state)
{
    print_is(0, "0");
    print_is(-1, "-1");
    print_is(INT64_MAX, "9223372036854775807");
    print_is(INT64_MIN, "-9223372036854775808");
}


static void
test_number_parse_reaches_both_ends_and_no_further(void **state)
{
    int64_t   n;
    uint64_t  u;
    u_char   *p;

    assert_int_equal(parse("9223372036854775807", &n), NGX_OK);
    assert_true(n == INT64_MAX);
    assert_int_equal(parse("-9223372036854775808", &n), NGX_OK);
    assert_true(n == INT64_MIN);

    n = 7;
    assert_int_equal(parse("9223372036854775808", &n), NGX_DECLINED);
    assert_int_equal(parse("-9223372036854775809", &n), NGX_DECLINED);
    assert_int_equal(parse("99999999999999999999", &n), NGX_DECLINED);
    assert_int_equal(parse("100000000000000000000", &n), NGX_DECLINED);
    assert_int_equal(n, 7);

    p = (u_char *) "18446744073709551615";
    assert_int_equal(ngx_olivine_number_parse_u64(p, p + 20, &u), NGX_OK);
    assert_true(u == UINT64_MAX);

    p = (u_char *) "18446744073709551616";
    assert_int_equal(ngx_olivine_number_parse_u64(p, p + 20, &u),
                     NGX_DECLINED);
}


static void
test_number_parse_is_strict(void **state)
{
    int64_t      n;
    unsigned     i;
    const char  *bad[] = { "", "-", "+1", " 1", "1 ", "01", "-0", "-01", "00",
                           "1.0", "0x1", "1a", "--1", "a", "1\n" };

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse(bad[i], &n), NGX_DECLINED);
    }

    assert_int_equal(parse("0", &n), NGX_OK);
    assert_int_equal(n, 0);
}


static void
test_number_sizes_have_units(void **state)
{
    uint64_t  n;
    unsigned  i;

    struct {
        const char  *text;
        uint64_t     n;
    } good[] = {
        { "0", 0 }, { "007", 7 }, { "12b", 12 }, { "1k", 1000 },
        { "1KB", 1024 }, { "2m", 2000000 }, { "2Mb", 2097152 },
        { "3g", 3000000000ULL }, { "3gB", 3221225472ULL },
        { "18446744073709551615", UINT64_MAX },
        { "99999999999999999999", UINT64_MAX },
        { "17179869184gb", UINT64_MAX },
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(size(good[i].text, &n), NGX_OK);
        assert_true(n == good[i].n);
    }

    assert_int_equal(size("", &n), NGX_DECLINED);
    assert_int_equal(size("kb", &n), NGX_DECLINED);
    assert_int_equal(size("-1", &n), NGX_DECLINED);
    assert_int_equal(size("1tb", &n), NGX_DECLINED);
    assert_int_equal(size("1 k", &n), NGX_DECLINED);
    assert_int_equal(size("1kbb", &n), NGX_DECLINED);
}


/* pairs taken from Redis 8.0.6: ZADD and ZSCORE */

static void
test_number_doubles_look_as_in_redis(void **state)
{
    double_is(0.0, "0");
    double_is(-0.0, "-0");
    double_is(1.0, "1");
    double_is(-3.0, "-3");
    double_is(0.1, "0.1");
    double_is(3.14, "3.14");
    double_is(-1.5, "-1.5");
    double_is(1.0 / 3, "0.3333333333333333");
    double_is(0.001, "0.001");
    double_is(0.0001234, "1.234e-4");
    double_is(0.000001, "0.000001");
    double_is(0.0000001, "1e-7");
    double_is(1.5e-7, "1.5e-7");
    double_is(1e15, "1000000000000000");
    double_is(1e17, "100000000000000000");
    double_is(1e20, "1e+20");
    double_is(12345678901234567890.0, "12345678901234567000");
    double_is(4611686018427387904.0, "4611686018427387904");
    double_is(1.2345e20, "1.2345e+20");
    double_is(12e-5, "0.00012");
    double_is(1.2345678e-6, "1.2345678e-6");
    double_is(1e21, "1e+21");
    double_is(1.5e300, "1.5e+300");
    double_is(1e100, "1e+100");
    double_is(123456789.123, "123456789.123");
    double_is(DBL_MAX, "1.7976931348623157e+308");
    double_is(5e-324, "5e-324");
    double_is(4503599627370497.0, "4503599627370497");
    double_is(9007199254740993.0, "9007199254740992");
    double_is(INFINITY, "inf");
    double_is(-INFINITY, "-inf");
    double_is(NAN, "nan");
}


static void
test_number_doubles_read_back(void **state)
{
    double    d;
    u_char    text[NGX_OLIVINE_DOUBLE_LEN + 1], *last;
    uint64_t  u, i;

    u = 88172645463325252ULL;

    for (i = 0; i < 100000; i++) {
        u ^= u << 13;
        u ^= u >> 7;
        u ^= u << 17;

        memcpy(&d, &u, sizeof(d));

        if (isnan(d)) {
            continue;
        }

        last = ngx_olivine_number_print_double(text, d);
        assert_true(last <= text + NGX_OLIVINE_DOUBLE_LEN);

        *last = '\0';
        assert_true(strtod((char *) text, NULL) == d);
    }
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_number_parse_takes_what_printing_gives),
        cmocka_unit_test(test_number_print_knows_each_power_of_ten),
        cmocka_unit_test(test_number_print_reaches_both_ends),
        cmocka_unit_test(test_number_parse_reaches_both_ends_and_no_further),
        cmocka_unit_test(test_number_parse_is_strict),
        cmocka_unit_test(test_number_sizes_have_units),
        cmocka_unit_test(test_number_doubles_look_as_in_redis),
        cmocka_unit_test(test_number_doubles_read_back),
    };

    return unit_run(tests);
}
