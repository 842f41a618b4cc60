
/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include "prof/ngx_olivine_profile_pack.h"


static const ngx_olivine_profile_kind_t  kinds[] = {
    { "samples", "count" },
    { "cpu", "nanoseconds" }
};


static void
add(ngx_olivine_profile_t *profile, const char *leaf, int64_t count,
    const char *command)
{
    int64_t                       values[2];
    ngx_olivine_profile_frame_t   frames[2];
    ngx_olivine_profile_label_t   labels[2];

    memset(frames, 0, sizeof(frames));
    memset(labels, 0, sizeof(labels));

    frames[0].function.data = (u_char *) leaf;
    frames[0].function.len = strlen(leaf);
    frames[0].line = 1ULL << 40;
    ngx_str_set(&frames[1].function, "main");
    ngx_str_set(&frames[1].file, "main.c");

    labels[0].key = "pid";
    labels[0].number = 0;
    labels[1].key = "command";
    labels[1].text.data = (u_char *) command;
    labels[1].text.len = command ? strlen(command) : 0;

    values[0] = count;
    values[1] = -count;

    assert_int_equal(ngx_olivine_profile_add(profile, frames, 2, values,
                                             labels, command ? 2 : 1),
                     NGX_OK);
}


static char *
text_of(ngx_olivine_profile_t *profile)
{
    ngx_str_t  out;

    assert_int_equal(ngx_olivine_profile_text(profile, &out), NGX_OK);

    return (char *) out.data;
}


static void
packed(ngx_str_t *out)
{
    ngx_olivine_profile_t  *profile;

    profile = ngx_olivine_profile_create(kinds, 2);
    add(profile, "one", 3, "get");
    add(profile, "two", 1, NULL);

    assert_int_equal(ngx_olivine_profile_pack(profile, 1 << 20, out), NGX_OK);

    ngx_olivine_profile_destroy(profile);
}


static void
test_pack_is_read_as_it_was(void **state)
{
    char                   *one, *two;
    ngx_str_t               out;
    ngx_olivine_profile_t  *profile, *like;

    packed(&out);

    profile = ngx_olivine_profile_create(kinds, 2);
    like = ngx_olivine_profile_create(kinds, 2);

    assert_int_equal(ngx_olivine_profile_unpack(profile, out.data, out.len),
                     NGX_OK);
    add(like, "one", 3, "get");
    add(like, "two", 1, NULL);

    one = text_of(profile);
    two = text_of(like);
    assert_string_equal(one, two);
    free(one);
    free(two);

    /* once more: it is added up */

    assert_int_equal(ngx_olivine_profile_unpack(profile, out.data, out.len),
                     NGX_OK);
    assert_int_equal(ngx_olivine_profile_stacks(profile), 2);
    assert_int_equal(ngx_olivine_profile_sum(profile, 0), 8);

    free(out.data);
    ngx_olivine_profile_destroy(profile);
    ngx_olivine_profile_destroy(like);
}


static void
test_pack_has_a_limit(void **state)
{
    ngx_str_t               out;
    ngx_olivine_profile_t  *profile;

    profile = ngx_olivine_profile_create(kinds, 2);
    add(profile, "one", 3, "get");

    assert_int_equal(ngx_olivine_profile_pack(profile, 100, &out), NGX_ERROR);

    ngx_olivine_profile_destroy(profile);
}


/* Cut anywhere it is refused; the copy is exact, so a sanitizer would see. */

static void
test_pack_that_is_cut_is_refused(void **state)
{
    size_t                  n;
    u_char                 *copy;
    ngx_str_t               out;
    ngx_olivine_profile_t  *profile;

    packed(&out);

    for (n = 0; n < out.len; n++) {
        profile = ngx_olivine_profile_create(kinds, 2);
        copy = malloc(n ? n : 1);
        memcpy(copy, out.data, n);

        assert_int_equal(ngx_olivine_profile_unpack(profile, copy, n),
                         NGX_DECLINED);

        free(copy);
        ngx_olivine_profile_destroy(profile);
    }

    profile = ngx_olivine_profile_create(kinds, 1);
    assert_int_equal(ngx_olivine_profile_unpack(profile, out.data, out.len),
                     NGX_DECLINED);
    ngx_olivine_profile_destroy(profile);

    free(out.data);
}


/* Each byte turned into others: whatever it says, nothing is read beyond. */

static void
test_pack_that_is_torn_does_no_harm(void **state)
{
    size_t                  n;
    u_char                 *copy;
    ngx_str_t               out;
    ngx_uint_t              i;
    ngx_olivine_profile_t  *profile;

    static const u_char  values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };

    packed(&out);
    copy = malloc(out.len);

    for (n = 0; n < out.len; n++) {
        for (i = 0; i < sizeof(values); i++) {
            profile = ngx_olivine_profile_create(kinds, 2);
            memcpy(copy, out.data, out.len);
            copy[n] = values[i];

            (void) ngx_olivine_profile_unpack(profile, copy, out.len);
            free(text_of(profile));

            ngx_olivine_profile_destroy(profile);
        }
    }

    free(copy);
    free(out.data);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_pack_is_read_as_it_was),
        cmocka_unit_test(test_pack_has_a_limit),
        cmocka_unit_test(test_pack_that_is_cut_is_refused),
        cmocka_unit_test(test_pack_that_is_torn_does_no_harm),
    };

    return unit_run(tests);
}
