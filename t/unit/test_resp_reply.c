/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include <math.h>

#include "resp/ngx_olivine_resp_reply.h"


static ngx_olivine_reply_pool_t  pool;
static ngx_olivine_reply_t       r;
static ngx_uint_t                released;


/* one test asks for more than there is */

const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}


static void
release(void *data, void *pin)
{
    assert_ptr_equal(data, &released);
    assert_non_null(pin);
    released++;
}


static int
setup(void **state)
{
    memset(&pool, 0, sizeof(pool));
    pool.max = 4;
    released = 0;

    ngx_olivine_reply_init(&r, &pool, release, &released);

    return 0;
}


static int
teardown(void **state)
{
    ngx_olivine_reply_free(&r);
    assert_int_equal(pool.used, 0);
    assert_true(pool.nfree <= pool.max);
    ngx_olivine_reply_pool_free(&pool);

    return 0;
}


/* all that is to be sent, in one piece */

static char *
whole(size_t *len)
{
    char         *text, *p;
    ngx_uint_t    i, n;
    struct iovec  iov[256];

    n = ngx_olivine_reply_iovecs(&r, iov, 256);
    text = malloc(ngx_olivine_reply_size(&r) + 1);
    p = text;

    for (i = 0; i < n; i++) {
        assert_true(iov[i].iov_len > 0);
        memcpy(p, iov[i].iov_base, iov[i].iov_len);
        p += iov[i].iov_len;
    }

    *p = '\0';
    *len = p - text;
    assert_int_equal(*len, ngx_olivine_reply_size(&r));

    return text;
}


/* what was written since the last call */

static void
wrote(const char *want)
{
    char   *text;
    size_t  len;

    text = whole(&len);
    assert_string_equal(text, want);
    assert_int_equal(len, strlen(want));
    free(text);

    ngx_olivine_reply_consume(&r, len);
    assert_int_equal(ngx_olivine_reply_size(&r), 0);
    assert_null(r.first);
}


static void
test_resp_reply_speaks_resp2(void **state)
{
    (void) ngx_olivine_reply_ok(&r);
    wrote("+OK\r\n");

    (void) ngx_olivine_reply_simple(&r, (u_char *) "none", 4);
    wrote("+none\r\n");

    (void) ngx_olivine_reply_integer(&r, INT64_MIN);
    (void) ngx_olivine_reply_zero(&r);
    (void) ngx_olivine_reply_one(&r);
    wrote(":-9223372036854775808\r\n:0\r\n:1\r\n");

    (void) ngx_olivine_reply_bulk(&r, (u_char *) "value", 5);
    (void) ngx_olivine_reply_bulk(&r, (u_char *) "", 0);
    (void) ngx_olivine_reply_bulk_integer(&r, -12);
    wrote("$5\r\nvalue\r\n$0\r\n\r\n$3\r\n-12\r\n");

    (void) ngx_olivine_reply_null(&r);
    (void) ngx_olivine_reply_null_array(&r);
    (void) ngx_olivine_reply_empty_array(&r);
    wrote("$-1\r\n*-1\r\n*0\r\n");

    (void) ngx_olivine_reply_array(&r, 3);
    (void) ngx_olivine_reply_map(&r, 3);
    (void) ngx_olivine_reply_set(&r, 3);
    (void) ngx_olivine_reply_push(&r, 3);
    wrote("*3\r\n*6\r\n*3\r\n*3\r\n");

    (void) ngx_olivine_reply_double(&r, 0.1);
    (void) ngx_olivine_reply_double(&r, -INFINITY);
    (void) ngx_olivine_reply_bool(&r, 1);
    (void) ngx_olivine_reply_bool(&r, 0);
    (void) ngx_olivine_reply_verbatim(&r, "txt", (u_char *) "a", 1);
    wrote("$3\r\n0.1\r\n$4\r\n-inf\r\n:1\r\n:0\r\n$1\r\na\r\n");
}


static void
test_resp_reply_speaks_resp3(void **state)
{
    r.resp3 = 1;

    (void) ngx_olivine_reply_null(&r);
    (void) ngx_olivine_reply_null_array(&r);
    wrote("_\r\n_\r\n");

    (void) ngx_olivine_reply_array(&r, 3);
    (void) ngx_olivine_reply_map(&r, 3);
    (void) ngx_olivine_reply_set(&r, 3);
    (void) ngx_olivine_reply_push(&r, 3);
    wrote("*3\r\n%3\r\n~3\r\n>3\r\n");

    (void) ngx_olivine_reply_double(&r, 0.1);
    (void) ngx_olivine_reply_double(&r, INFINITY);
    (void) ngx_olivine_reply_bool(&r, 1);
    (void) ngx_olivine_reply_bool(&r, 0);
    (void) ngx_olivine_reply_verbatim(&r, "txt", (u_char *) "a", 1);
    wrote(",0.1\r\n,inf\r\n#t\r\n#f\r\n=5\r\ntxt:a\r\n");
}


static void
test_resp_reply_errors_stay_on_one_line(void **state)
{
    ngx_str_t  name = ngx_string("f\r\noo");

    (void) ngx_olivine_reply_error(&r, NGX_OLIVINE_ERR_SYNTAX);
    wrote("-ERR syntax error\r\n");

    (void) ngx_olivine_reply_error_text(&r, (u_char *) "ERR a\nb\r\n", 9);
    wrote("-ERR a b\r\n");

    (void) ngx_olivine_reply_error_format(&r, "ERR no '%V' of %ui", &name,
                                          (ngx_uint_t) 5);
    wrote("-ERR no 'f  oo' of 5\r\n");
}


static void
test_resp_reply_every_error_has_a_text(void **state)
{
    u_char            *p;
    ngx_str_t          s;
    ngx_uint_t         i;

    for (i = 0; i < NGX_OLIVINE_ERRORS; i++) {
        s = ngx_olivine_reply_errors[i];

        assert_true(s.len > 3);
        assert_int_equal(s.data[0], '-');
        assert_true(s.data[1] >= 'A' && s.data[1] <= 'Z');

        p = memchr(s.data, '\r', s.len);
        assert_ptr_equal(p, s.data + s.len - 2);
        assert_int_equal(p[1], '\n');
    }
}


static void
test_resp_reply_long_formats_are_cut(void **state)
{
    char    *text;
    u_char   long_name[3000];
    size_t   len;
    ngx_str_t  name;

    memset(long_name, 'x', sizeof(long_name));
    name.data = long_name;
    name.len = sizeof(long_name);

    (void) ngx_olivine_reply_error_format(&r, "ERR '%V'", &name);

    text = whole(&len);
    assert_int_equal(len, 1 + NGX_OLIVINE_REPLY_ERROR + 2);
    assert_memory_equal(text, "-ERR 'xxx", 9);
    assert_memory_equal(text + len - 3, "x\r\n", 3);
    free(text);
}


/* replies of many lengths over many blocks, sent in pieces of any size */

static void
test_resp_reply_is_the_same_in_any_pieces(void **state)
{
    char          *want, *got;
    u_char         value[50000];
    size_t         i, len, n, step, left;
    ngx_uint_t     k, m;
    struct iovec   iov[3];

    memset(value, 'v', sizeof(value));

    for (step = 1; step < 40000; step = step * 5 + 1) {

        for (i = 0; i < sizeof(value); i = i * 3 + 1) {
            value[i / 2] = (u_char) i;
            (void) ngx_olivine_reply_bulk(&r, value, i);
            (void) ngx_olivine_reply_bulk_ref(&r, value, i, value);
            (void) ngx_olivine_reply_integer(&r, i);
        }

        want = whole(&len);
        got = malloc(len);
        n = 0;

        while (n < len) {
            m = ngx_olivine_reply_iovecs(&r, iov, 3);
            assert_true(m >= 1 && m <= 3);

            left = step;

            for (k = 0; k < m && left; k++) {
                i = ngx_min(left, iov[k].iov_len);
                memcpy(got + n, iov[k].iov_base, i);
                n += i;
                left -= i;
            }

            ngx_olivine_reply_consume(&r, step - left);
            assert_int_equal(ngx_olivine_reply_size(&r), len - n);
        }

        assert_memory_equal(want, got, len);
        assert_null(r.first);
        assert_int_equal(pool.used, 0);

        free(want);
        free(got);
    }
}


static void
test_resp_reply_fills_blocks(void **state)
{
    u_char        value[6000];
    ngx_uint_t    i;
    struct iovec  iov[64];

    memset(value, 'v', sizeof(value));

    for (i = 0; i < 100; i++) {
        assert_int_equal(ngx_olivine_reply_bulk(&r, value, 100), NGX_OK);
    }

    assert_int_equal(ngx_olivine_reply_iovecs(&r, iov, 64), 1);
    assert_int_equal(pool.used, NGX_OLIVINE_REPLY_BLOCK);

    for (i = 0; i < 20; i++) {
        assert_int_equal(ngx_olivine_reply_bulk(&r, value, 6000), NGX_OK);
    }

    assert_true(pool.used <= 11 * NGX_OLIVINE_REPLY_BLOCK);
}


static void
test_resp_reply_pins_are_released_once_sent(void **state)
{
    u_char        value[5000];
    struct iovec  iov[8];

    memset(value, 'v', sizeof(value));

    (void) ngx_olivine_reply_ok(&r);
    (void) ngx_olivine_reply_bulk_ref(&r, value, 5000, &pool);
    (void) ngx_olivine_reply_ok(&r);

    assert_int_equal(ngx_olivine_reply_iovecs(&r, iov, 8), 3);
    assert_ptr_equal(iov[1].iov_base, value);
    assert_int_equal(iov[1].iov_len, 5000);

    ngx_olivine_reply_consume(&r, 5 + 7 + 4999);
    assert_int_equal(released, 0);

    ngx_olivine_reply_consume(&r, 1);
    assert_int_equal(released, 1);

    wrote("\r\n+OK\r\n");
    assert_int_equal(released, 1);

    /* freed unsent, and undone */

    (void) ngx_olivine_reply_bulk_ref(&r, value, 5000, &pool);
    ngx_olivine_reply_free(&r);
    assert_int_equal(released, 2);

    /* memory that nobody pins */

    (void) ngx_olivine_reply_bulk_ref(&r, value, 2, NULL);
    wrote("$2\r\nvv\r\n");
    assert_int_equal(released, 2);
}


static void
test_resp_reply_goes_back_to_a_mark(void **state)
{
    u_char                    value[40000];
    ngx_uint_t                i, k;
    ngx_olivine_reply_mark_t  mark;

    memset(value, 'v', sizeof(value));

    /* an empty reply */

    ngx_olivine_reply_mark(&r, &mark);
    (void) ngx_olivine_reply_bulk(&r, value, 40000);
    ngx_olivine_reply_rewind(&r, &mark);
    assert_int_equal(ngx_olivine_reply_size(&r), 0);
    assert_int_equal(pool.used, 0);

    /* over the borders of blocks, at every way they may fall */

    for (i = 0; i < 17000; i += 61) {
        (void) ngx_olivine_reply_bulk(&r, value, i);
        k = ngx_olivine_reply_size(&r);
        ngx_olivine_reply_mark(&r, &mark);

        (void) ngx_olivine_reply_integer(&r, 5);
        (void) ngx_olivine_reply_bulk_ref(&r, value, 700, value);
        (void) ngx_olivine_reply_bulk(&r, value, 9000);
        (void) ngx_olivine_reply_bulk(&r, value, 40000);

        released = 0;
        ngx_olivine_reply_rewind(&r, &mark);
        assert_int_equal(released, 1);
        assert_int_equal(ngx_olivine_reply_size(&r), k);

        (void) ngx_olivine_reply_ok(&r);
        assert_int_equal(ngx_olivine_reply_size(&r), k + 5);
        ngx_olivine_reply_consume(&r, k);
        wrote("+OK\r\n");
    }

    /* a mark behind a piece owned elsewhere, and after a part was sent */

    (void) ngx_olivine_reply_bulk_ref(&r, value, 3, value);
    ngx_olivine_reply_consume(&r, 5);
    ngx_olivine_reply_mark(&r, &mark);
    (void) ngx_olivine_reply_bulk(&r, value, 9000);
    (void) ngx_olivine_reply_bulk(&r, value, 9000);
    ngx_olivine_reply_rewind(&r, &mark);
    (void) ngx_olivine_reply_ok(&r);
    wrote("vv\r\n+OK\r\n");
}


static void
test_resp_reply_failure_sticks_until_undone(void **state)
{
    u_char                    value[8] = "value";
    ngx_olivine_reply_mark_t  mark;

    (void) ngx_olivine_reply_ok(&r);
    ngx_olivine_reply_mark(&r, &mark);

    /* no machine has this much */

    assert_null(ngx_olivine_reply_room(&r, NGX_MAX_SIZE_T_VALUE - 8));
    assert_null(ngx_olivine_reply_room(&r, NGX_MAX_SIZE_T_VALUE / 4));
    assert_int_equal(r.failed, 1);

    assert_int_equal(ngx_olivine_reply_bulk(&r, value, 5), NGX_OK);
    assert_int_equal(r.failed, 1);

    ngx_olivine_reply_rewind(&r, &mark);
    assert_int_equal(r.failed, 0);
    wrote("+OK\r\n");
}


static void
test_resp_reply_writes_nothing_to_an_empty_reply(void **state)
{
    assert_int_equal(ngx_olivine_reply_raw(&r, "", 0), NGX_OK);
    wrote("");
}


static void
test_resp_reply_pool_keeps_only_so_many_blocks(void **state)
{
    u_char      value[100];
    ngx_uint_t  i;

    memset(value, 'v', sizeof(value));

    for (i = 0; i < 2000; i++) {
        (void) ngx_olivine_reply_bulk(&r, value, 100);
    }

    ngx_olivine_reply_consume(&r, ngx_olivine_reply_size(&r));

    assert_int_equal(pool.used, 0);
    assert_int_equal(pool.nfree, 4);
}


int
main(void)
{
#define reply_test(f)  cmocka_unit_test_setup_teardown(f, setup, teardown)

    const struct CMUnitTest  tests[] = {
        reply_test(test_resp_reply_speaks_resp2),
        reply_test(test_resp_reply_speaks_resp3),
        reply_test(test_resp_reply_errors_stay_on_one_line),
        reply_test(test_resp_reply_every_error_has_a_text),
        reply_test(test_resp_reply_long_formats_are_cut),
        reply_test(test_resp_reply_is_the_same_in_any_pieces),
        reply_test(test_resp_reply_fills_blocks),
        reply_test(test_resp_reply_pins_are_released_once_sent),
        reply_test(test_resp_reply_goes_back_to_a_mark),
        reply_test(test_resp_reply_failure_sticks_until_undone),
        reply_test(test_resp_reply_writes_nothing_to_an_empty_reply),
        reply_test(test_resp_reply_pool_keeps_only_so_many_blocks),
    };

    return unit_run(tests);
}
