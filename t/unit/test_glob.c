/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include <time.h>

#include "base/ngx_olivine_glob.h"


static ngx_uint_t
match(const char *pattern, const char *text, ngx_uint_t nocase)
{
    ngx_str_t  s;

    s.data = (u_char *) pattern;
    s.len = strlen(pattern);

    return ngx_olivine_glob_match(&s, (u_char *) text, strlen(text), nocase);
}


static void
test_glob_matches_what_redis_matches(void **state)
{
    unsigned  i;

    struct {
        const char  *pattern;
        const char  *text;
        ngx_uint_t   match;
    } rows[] = {
        { "", "", 1 }, { "", "a", 0 }, { "a", "", 0 }, { "*", "", 1 },
        { "*", "abc", 1 }, { "**", "abc", 1 }, { "a*", "abc", 1 },
        { "*c", "abc", 1 }, { "*b", "abc", 0 }, { "a*c", "abc", 1 },
        { "a*c*", "abc", 1 }, { "?", "a", 1 }, { "?", "", 0 },
        { "?b?", "abc", 1 }, { "??", "abc", 0 }, { "abc", "abc", 1 },
        { "abc", "abd", 0 }, { "ab", "abc", 0 }, { "abc*", "abc", 1 },
        { "h[ae]llo", "hello", 1 }, { "h[ae]llo", "hillo", 0 },
        { "h[^e]llo", "hallo", 1 }, { "h[^e]llo", "hello", 0 },
        { "h[a-c]llo", "hbllo", 1 }, { "h[c-a]llo", "hbllo", 1 },
        { "h[a-c]llo", "hdllo", 0 }, { "[a-]", "a", 1 },
        { "[]", "a", 0 }, { "[^]", "a", 1 }, { "[", "a", 0 },
        { "[^", "a", 1 }, { "[abc", "b", 1 }, { "[abc", "d", 0 },
        { "[\\]]", "]", 1 }, { "[\\^a]", "^", 1 }, { "[a\\", "\\", 1 },
        { "\\*", "*", 1 }, { "\\*", "a", 0 }, { "\\", "\\", 1 },
        { "a\\?c", "a?c", 1 }, { "a\\?c", "abc", 0 },
        { "*[ab]*[cd]", "xxbxxc", 1 }, { "*a*b*", "xbxa", 0 },
        { "a*a*b", "aaaab", 1 }, { "*ab", "aab", 1 },
        { "*.?", "x.y.z", 1 }, { "A", "a", 0 }, { "[A-C]", "b", 0 },
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (match(rows[i].pattern, rows[i].text, 0) != rows[i].match) {
            fail_msg("\"%s\" and \"%s\"", rows[i].pattern, rows[i].text);
        }
    }
}


static void
test_glob_can_ignore_case(void **state)
{
    assert_true(match("MAX*", "maxclients", 1));
    assert_true(match("[A-C]x", "bX", 1));
    assert_true(match("[^A-C]", "d", 1));
    assert_false(match("[^A-C]", "b", 1));
    assert_true(match("a[B]", "Ab", 1));
    assert_false(match("a[\\B]", "Ab", 1));
}


static void
test_glob_sees_every_byte(void **state)
{
    ngx_str_t  zero = ngx_string("a\0?\xff");
    ngx_str_t  range = ngx_string("[\x80-\xff]");

    assert_true(ngx_olivine_glob_match(&zero, (u_char *) "a\0b\xff", 4, 0));
    assert_false(ngx_olivine_glob_match(&zero, (u_char *) "a\0b\xfe", 4, 0));
    assert_true(ngx_olivine_glob_match(&range, (u_char *) "\x90", 1, 0));
    assert_false(ngx_olivine_glob_match(&range, (u_char *) "a", 1, 0));
}


static void
test_glob_many_stars_cost_no_more_than_one(void **state)
{
    u_char      pattern[201], text[10000];
    clock_t     start;
    unsigned    i;
    ngx_str_t   s;

    for (i = 0; i < 200; i += 2) {
        pattern[i] = 'a';
        pattern[i + 1] = '*';
    }

    pattern[200] = 'b';
    memset(text, 'a', sizeof(text));

    s.data = pattern;
    s.len = sizeof(pattern);

    start = clock();

    assert_false(ngx_olivine_glob_match(&s, text, sizeof(text), 0));
    assert_true(clock() - start < CLOCKS_PER_SEC / 10);

    text[sizeof(text) - 1] = 'b';
    assert_true(ngx_olivine_glob_match(&s, text, sizeof(text), 0));
}


static void
test_glob_gives_up_where_redis_does(void **state)
{
    u_char     pattern[2004], text[2000];
    ngx_str_t  s;
    unsigned   i;

    memset(text, 'a', sizeof(text));

    for (i = 0; i < 2002; i += 2) {
        pattern[i] = '*';
        pattern[i + 1] = '?';
    }

    pattern[2002] = '*';
    pattern[2003] = '*';
    s.data = pattern;

    for (i = 1998; i <= 2002; i += 2) {
        s.len = i;
        assert_int_equal(ngx_olivine_glob_match(&s, text, sizeof(text), 0),
                         i <= 2000);
    }

    /* a last one that has nothing behind it does not count */

    s.data = pattern + 2;
    s.len = 2002;
    assert_true(ngx_olivine_glob_match(&s, text, sizeof(text), 0));
}


static void
test_glob_tells_a_prefix(void **state)
{
    ngx_str_t  literal = ngx_string("user:1");
    ngx_str_t  prefix = ngx_string("user:*");
    ngx_str_t  quoted = ngx_string("u\\*");
    ngx_str_t  class = ngx_string("[u]");
    ngx_str_t  stars = ngx_string("**");
    ngx_str_t  none = ngx_string("");

    assert_int_equal(ngx_olivine_glob_prefix(&literal), literal.len);
    assert_int_equal(ngx_olivine_glob_prefix(&prefix), 5);
    assert_int_equal(ngx_olivine_glob_prefix(&quoted), 1);
    assert_int_equal(ngx_olivine_glob_prefix(&class), 0);
    assert_int_equal(ngx_olivine_glob_prefix(&stars), 0);

    assert_true(ngx_olivine_glob_all(&stars));
    assert_false(ngx_olivine_glob_all(&prefix));
    assert_false(ngx_olivine_glob_all(&none));
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_glob_matches_what_redis_matches),
        cmocka_unit_test(test_glob_can_ignore_case),
        cmocka_unit_test(test_glob_sees_every_byte),
        cmocka_unit_test(test_glob_many_stars_cost_no_more_than_one),
        cmocka_unit_test(test_glob_gives_up_where_redis_does),
        cmocka_unit_test(test_glob_tells_a_prefix),
    };

    return unit_run(tests);
}
