
/*
 * Copyright (C) The Olivine authors
 *
 * What a profile writes is read back here: gunzipped and decoded by a reader
 * of its own.
 */


#include "unit.h"

#include "prof/ngx_olivine_profile.h"

#include <zlib.h>


typedef struct {
    uint64_t     number;
    u_char      *data;
    size_t       len;
} field_t;


static const ngx_olivine_profile_kind_t  kinds[] = {
    { "samples", "count" },
    { "cpu", "nanoseconds" }
};


static u_char  raw[4 * 1024 * 1024];


static ngx_olivine_profile_frame_t
frame(const char *function, const char *file, ngx_uint_t line)
{
    ngx_olivine_profile_frame_t  f;

    f.function.data = (u_char *) function;
    f.function.len = strlen(function);
    f.file.data = (u_char *) file;
    f.file.len = strlen(file);
    f.line = line;

    return f;
}


static ngx_olivine_profile_label_t
label(const char *key, const char *text, int64_t number)
{
    ngx_olivine_profile_label_t  l;

    l.key = key;
    l.text.data = (u_char *) text;
    l.text.len = text ? strlen(text) : 0;
    l.number = number;

    return l;
}


static void
add(ngx_olivine_profile_t *profile, const char *leaf, const char *root,
    int64_t count, const char *command)
{
    int64_t                      values[2];
    ngx_olivine_profile_frame_t  frames[2];
    ngx_olivine_profile_label_t  labels[2];

    frames[0] = frame(leaf, "leaf.c", 10);
    frames[1] = frame(root, "root.c", 20);
    values[0] = count;
    values[1] = count * 10000000;
    labels[0] = label("pid", NULL, 42);
    labels[1] = label("command", command, 0);

    assert_int_equal(ngx_olivine_profile_add(profile, frames, 2, values,
                                             labels, command ? 2 : 1),
                     NGX_OK);
}


static uint64_t
varint(u_char **p, u_char *last)
{
    uint64_t    n;
    ngx_uint_t  shift;

    n = 0;

    for (shift = 0; shift < 70; shift += 7) {
        assert_true(*p < last);
        n |= (uint64_t) (**p & 0x7f) << shift;

        if (*(*p)++ < 0x80) {
            return n;
        }
    }

    fail_msg("a number without an end");

    return 0;
}


/* The next field of a message: its number, 0 at the end. */

static ngx_uint_t
next(u_char **p, u_char *last, field_t *f)
{
    uint64_t  tag;

    if (*p == last) {
        return 0;
    }

    tag = varint(p, last);
    f->data = NULL;
    f->number = varint(p, last);

    if ((tag & 7) == 2) {
        assert_true(f->number <= (uint64_t) (last - *p));
        f->data = *p;
        f->len = f->number;
        *p += f->len;

    } else {
        assert_int_equal(tag & 7, 0);
    }

    return tag >> 3;
}


/* The i-th field of that number in a message. */

static ngx_uint_t
get(u_char *p, size_t len, ngx_uint_t number, ngx_uint_t i, field_t *f)
{
    u_char      *last;
    ngx_uint_t   n;

    last = p + len;

    while ((n = next(&p, last, f)) != 0) {
        if (n == number && i-- == 0) {
            return 1;
        }
    }

    f->number = 0;
    f->data = NULL;
    f->len = 0;

    return 0;
}


static uint64_t
number(field_t *message, ngx_uint_t field)
{
    field_t  f;

    (void) get(message->data, message->len, field, 0, &f);

    return f.number;
}


static field_t
part(field_t *message, ngx_uint_t field, ngx_uint_t i)
{
    field_t  f;

    assert_true(get(message->data, message->len, field, i, &f));
    assert_non_null(f.data);

    return f;
}


static void
is(field_t *profile, uint64_t string, const char *text)
{
    field_t  f;

    f = part(profile, 6, string);
    assert_int_equal(f.len, strlen(text));
    assert_memory_equal(f.data, text, f.len);
}


static field_t
decode(ngx_olivine_profile_t *profile)
{
    field_t    f;
    z_stream   z;
    ngx_str_t  out;

    assert_int_equal(ngx_olivine_profile_encode(profile, &out), NGX_OK);

    memset(&z, 0, sizeof(z));
    assert_int_equal(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);

    z.next_in = out.data;
    z.avail_in = out.len;
    z.next_out = raw;
    z.avail_out = sizeof(raw);

    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);

    f.data = raw;
    f.len = sizeof(raw) - z.avail_out;

    inflateEnd(&z);
    free(out.data);

    return f;
}


static void
test_profile_is_read_back_as_it_was_written(void **state)
{
    u_char                 *p;
    field_t                 all, f, location, function, line;
    ngx_olivine_profile_t  *profile;

    profile = ngx_olivine_profile_create(kinds, 2);
    assert_non_null(profile);

    add(profile, "burn", "main", 3, "get");
    add(profile, "idle", "main", 1, NULL);
    add(profile, "burn", "main", 2, "get");
    ngx_olivine_profile_period(profile, "cpu", "nanoseconds", 10000000);
    ngx_olivine_profile_time(profile, 1700000000000000000LL, 5000000000LL);

    all = decode(profile);
    is(&all, 0, "");

    f = part(&all, 1, 0);
    is(&all, number(&f, 1), "samples");
    is(&all, number(&f, 2), "count");
    f = part(&all, 1, 1);
    is(&all, number(&f, 1), "cpu");
    is(&all, number(&f, 2), "nanoseconds");
    assert_false(get(all.data, all.len, 1, 2, &f));

    assert_int_equal(number(&all, 9), 1700000000000000000LL);
    assert_int_equal(number(&all, 10), 5000000000LL);
    assert_int_equal(number(&all, 12), 10000000);
    f = part(&all, 11, 0);
    is(&all, number(&f, 1), "cpu");
    is(&all, number(&f, 2), "nanoseconds");
    is(&all, number(&all, 14), "cpu");

    /* the first sample: 3 and 2 were added up */

    f = part(&all, 2, 0);
    assert_false(get(all.data, all.len, 2, 2, &line));

    line = part(&f, 2, 0);
    p = line.data;
    assert_int_equal(varint(&p, line.data + line.len), 5);
    assert_int_equal(varint(&p, line.data + line.len), 50000000);
    assert_ptr_equal(p, line.data + line.len);

    line = part(&f, 3, 0);
    is(&all, number(&line, 1), "pid");
    assert_int_equal(number(&line, 2), 0);
    assert_int_equal(number(&line, 3), 42);
    line = part(&f, 3, 1);
    is(&all, number(&line, 1), "command");
    is(&all, number(&line, 2), "get");

    /* its leaf */

    line = part(&f, 1, 0);
    p = line.data;
    location = part(&all, 4, varint(&p, line.data + line.len) - 1);
    assert_int_equal(number(&location, 1), 1);
    assert_int_equal(number(&location, 2), 1);

    line = part(&location, 4, 0);
    assert_int_equal(number(&line, 2), 10);
    function = part(&all, 5, number(&line, 1) - 1);
    assert_int_equal(number(&function, 1), number(&line, 1));
    is(&all, number(&function, 2), "burn");
    is(&all, number(&function, 4), "leaf.c");

    /* its root is the other sample's, too */

    line = part(&f, 1, 0);
    assert_int_equal(line.len, 2);
    f = part(&all, 2, 1);
    f = part(&f, 1, 0);
    assert_int_equal(f.data[1], line.data[1]);
    assert_int_not_equal(f.data[0], line.data[0]);

    /* tools need not look for names */

    f = part(&all, 3, 0);
    is(&all, number(&f, 5), "olivine");
    assert_int_equal(number(&f, 7), 1);

    ngx_olivine_profile_destroy(profile);
}


static void
test_profile_text_begins_with_the_greatest(void **state)
{
    ngx_str_t               out;
    ngx_olivine_profile_t  *profile;

    profile = ngx_olivine_profile_create(kinds, 2);
    add(profile, "small", "main", 1, NULL);
    add(profile, "great", "main", 7, "set");
    ngx_olivine_profile_time(profile, 0, 2500000000LL);

    assert_int_equal(ngx_olivine_profile_text(profile, &out), NGX_OK);
    assert_string_equal(out.data,
                        "stacks: 2\n"
                        "samples/count: 8\n"
                        "cpu/nanoseconds: 80000000\n"
                        "seconds: 2.500\n"
                        "\n"
                        "7 70000000 pid=42 command=set\n"
                        "#  great  leaf.c:10\n"
                        "#  main  root.c:20\n"
                        "\n"
                        "1 10000000 pid=42\n"
                        "#  small  leaf.c:10\n"
                        "#  main  root.c:20\n");
    assert_int_equal(out.len, strlen((char *) out.data));

    free(out.data);
    ngx_olivine_profile_destroy(profile);
}


static void
test_profile_default_kind_ranks(void **state)
{
    int64_t                      values[2];
    ngx_str_t                    out, type;
    ngx_uint_t                   kind;
    ngx_olivine_profile_t       *profile;
    ngx_olivine_profile_frame_t  f;

    profile = ngx_olivine_profile_create(kinds, 2);

    f = frame("often", "", 0);
    values[0] = 9;
    values[1] = 1;
    assert_int_equal(ngx_olivine_profile_add(profile, &f, 1, values, NULL, 0),
                     NGX_OK);
    f = frame("long", "", 0);
    values[0] = 1;
    values[1] = 9;
    assert_int_equal(ngx_olivine_profile_add(profile, &f, 1, values, NULL, 0),
                     NGX_OK);

    assert_int_equal(ngx_olivine_profile_default_kind(profile), 1);
    ngx_olivine_profile_default(profile, "samples");
    assert_int_equal(ngx_olivine_profile_default_kind(profile), 0);

    assert_int_equal(ngx_olivine_profile_text(profile, &out), NGX_OK);
    assert_true(strstr((char *) out.data, "often")
                < strstr((char *) out.data, "long"));
    free(out.data);

    ngx_str_set(&type, "cpu");
    assert_int_equal(ngx_olivine_profile_kind(profile, &type, &kind), NGX_OK);
    assert_int_equal(kind, 1);
    ngx_str_set(&type, "cp");
    assert_int_equal(ngx_olivine_profile_kind(profile, &type, &kind),
                     NGX_DECLINED);

    ngx_olivine_profile_destroy(profile);
}


static void
test_profile_folds_from_the_root(void **state)
{
    ngx_str_t               out;
    ngx_olivine_profile_t  *profile;

    profile = ngx_olivine_profile_create(kinds, 2);
    add(profile, "burn", "main", 3, NULL);
    add(profile, "odd;na\nme", "main", 1, NULL);

    assert_int_equal(ngx_olivine_profile_folded(profile, 0, &out), NGX_OK);
    assert_string_equal(out.data, "main;burn 3\nmain;odd_na_me 1\n");
    free(out.data);

    assert_int_equal(ngx_olivine_profile_folded(profile, 1, &out), NGX_OK);
    assert_string_equal(out.data,
                        "main;burn 30000000\nmain;odd_na_me 10000000\n");
    free(out.data);

    assert_int_equal(ngx_olivine_profile_folded(profile, 2, &out), NGX_ERROR);

    ngx_olivine_profile_destroy(profile);
}


static void
test_profile_subtracts_what_was_before(void **state)
{
    ngx_str_t               out;
    ngx_olivine_profile_t  *profile, *before;

    profile = ngx_olivine_profile_create(kinds, 2);
    before = ngx_olivine_profile_create(kinds, 2);

    add(before, "gone", "main", 2, "get");
    add(before, "same", "main", 4, NULL);
    add(before, "more", "main", 5, "get");

    add(profile, "more", "main", 8, "get");
    add(profile, "same", "main", 4, NULL);
    add(profile, "more", "main", 1, "set");

    assert_int_equal(ngx_olivine_profile_subtract(profile, before), NGX_OK);
    assert_int_equal(ngx_olivine_profile_stacks(profile), 3);
    assert_int_equal(ngx_olivine_profile_sum(profile, 0), 2);

    assert_int_equal(ngx_olivine_profile_folded(profile, 0, &out), NGX_OK);
    assert_string_equal(out.data,
                        "main;more 3\nmain;more 1\nmain;gone -2\n");
    free(out.data);

    ngx_olivine_profile_destroy(before);
    ngx_olivine_profile_destroy(profile);
}


static void
test_profile_without_samples_can_be_written(void **state)
{
    field_t                 all, f;
    ngx_str_t               out;
    ngx_olivine_profile_t  *profile;

    profile = ngx_olivine_profile_create(kinds, 2);

    all = decode(profile);
    assert_false(get(all.data, all.len, 2, 0, &f));

    assert_int_equal(ngx_olivine_profile_folded(profile, 0, &out), NGX_OK);
    assert_int_equal(out.len, 0);
    free(out.data);

    ngx_olivine_profile_destroy(profile);
}


static void
test_profile_refuses_what_is_over_its_limits(void **state)
{
    char                         name[64];
    int64_t                      values[2];
    ngx_int_t                    rc;
    ngx_uint_t                   i, n;
    ngx_olivine_profile_t       *profile;
    ngx_olivine_profile_frame_t  *frames;

    assert_null(ngx_olivine_profile_create(kinds, 0));
    assert_null(ngx_olivine_profile_create(kinds, 5));

    profile = ngx_olivine_profile_create(kinds, 2);
    frames = calloc(NGX_OLIVINE_PROFILE_FRAMES + 1, sizeof(*frames));
    values[0] = values[1] = 1;

    for (i = 0; i <= NGX_OLIVINE_PROFILE_FRAMES; i++) {
        frames[i] = frame("deep", "deep.c", i);
    }

    assert_int_equal(ngx_olivine_profile_add(profile, frames, 0, values, NULL,
                                             0), NGX_ERROR);
    assert_int_equal(ngx_olivine_profile_add(profile, frames,
                                             NGX_OLIVINE_PROFILE_FRAMES + 1,
                                             values, NULL, 0), NGX_ERROR);
    assert_int_equal(ngx_olivine_profile_add(profile, frames,
                                             NGX_OLIVINE_PROFILE_FRAMES,
                                             values, NULL,
                                             NGX_OLIVINE_PROFILE_LABELS + 1),
                     NGX_ERROR);
    assert_int_equal(ngx_olivine_profile_stacks(profile), 0);

    /* stacks of full depth, until it is full; it then still has them all */

    rc = NGX_OK;

    for (n = 0; rc == NGX_OK; n++) {
        snprintf(name, sizeof(name), "function_%u", (unsigned) n);
        frames[0] = frame(name, "", 0);
        rc = ngx_olivine_profile_add(profile, frames,
                                     NGX_OLIVINE_PROFILE_FRAMES, values, NULL,
                                     0);
        assert_true(n < NGX_OLIVINE_PROFILE_MAX
                        / (NGX_OLIVINE_PROFILE_FRAMES * 4));
    }

    assert_int_equal(rc, NGX_ERROR);
    assert_int_equal(ngx_olivine_profile_stacks(profile), n - 1);

    frames[0] = frame("function_0", "", 0);
    assert_int_equal(ngx_olivine_profile_add(profile, frames,
                                             NGX_OLIVINE_PROFILE_FRAMES,
                                             values, NULL, 0), NGX_OK);
    assert_int_equal(ngx_olivine_profile_sum(profile, 0), n);

    free(frames);
    ngx_olivine_profile_destroy(profile);
}


static void
test_profile_cuts_long_names(void **state)
{
    char                         name[2000];
    int64_t                      values[2];
    ngx_str_t                    out;
    ngx_olivine_profile_t       *profile;
    ngx_olivine_profile_frame_t  f;

    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';

    profile = ngx_olivine_profile_create(kinds, 2);
    f = frame(name, name, 1);
    values[0] = values[1] = 1;

    assert_int_equal(ngx_olivine_profile_add(profile, &f, 1, values, NULL, 0),
                     NGX_OK);
    assert_int_equal(ngx_olivine_profile_folded(profile, 0, &out), NGX_OK);
    assert_int_equal(out.len, NGX_OLIVINE_PROFILE_NAME + 3);

    free(out.data);
    ngx_olivine_profile_destroy(profile);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_profile_is_read_back_as_it_was_written),
        cmocka_unit_test(test_profile_text_begins_with_the_greatest),
        cmocka_unit_test(test_profile_default_kind_ranks),
        cmocka_unit_test(test_profile_folds_from_the_root),
        cmocka_unit_test(test_profile_subtracts_what_was_before),
        cmocka_unit_test(test_profile_without_samples_can_be_written),
        cmocka_unit_test(test_profile_refuses_what_is_over_its_limits),
        cmocka_unit_test(test_profile_cuts_long_names),
    };

    return unit_run(tests);
}
