
/*
 * Copyright (C) The Olivine authors
 */

/* layer: rdb */


#include "unit.h"

#include "rdb/ngx_olivine_rdb.h"


#define RDB_TEXT  100000


typedef struct {
    u_char      data[RDB_TEXT];
    size_t      len;
    ngx_uint_t  stays;
} bytes_t;


static bytes_t  saved;


static ngx_int_t
put(ngx_olivine_rdb_out_t *out, u_char *data, size_t len, ngx_uint_t stays)
{
    bytes_t  *b = out->data;

    assert_true(b->len + len <= RDB_TEXT);

    memcpy(b->data + b->len, data, len);
    b->len += len;
    b->stays |= stays;

    return NGX_OK;
}


static ngx_int_t
put_nothing(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    ngx_uint_t  *n = out->data;

    return (*n)-- ? NGX_OK : NGX_ERROR;
}


static void
save(const char *text, size_t len)
{
    ngx_olivine_value_t    value;
    ngx_olivine_rdb_out_t  out;

    memset(&saved, 0, sizeof(saved));

    ngx_olivine_rdb_out_init(&out, put, &saved);

    ngx_olivine_string_set(&value, (u_char *) text, len);

    assert_int_equal(ngx_olivine_rdb_save(&out, &value), NGX_OK);
    assert_int_equal(ngx_olivine_rdb_save_footer(&out), NGX_OK);
}


#define assert_saved(text, bytes)                                             \
    do {                                                                      \
        save(text, sizeof(text) - 1);                                         \
        assert_int_equal(saved.len, sizeof(bytes) - 1);                       \
        assert_memory_equal(saved.data, bytes, sizeof(bytes) - 1);            \
        assert_int_equal(ngx_olivine_rdb_check(saved.data, saved.len, 0),     \
                         NGX_OK);                                             \
    } while (0)


/* "" if it is no value */

static const char *
load(const char *data, size_t len, size_t max)
{
    static char  text[RDB_TEXT];

    u_char                buf[NGX_OLIVINE_I64_LEN];
    ngx_int_t             rc;
    ngx_str_t             s;
    ngx_olivine_value_t   value;
    ngx_olivine_rdb_in_t  in;

    in.pos = (u_char *) data;
    in.last = in.pos + len;
    in.max = max;

    rc = ngx_olivine_rdb_load(&in, &value);

    text[0] = '\0';

    if (rc == NGX_OK) {
        ngx_olivine_string_text(&value, buf, &s);
        assert_true(s.len < RDB_TEXT);
        memcpy(text, s.data, s.len);
        text[s.len] = '\0';

    } else {
        assert_int_equal(rc, NGX_DECLINED);
    }

    free(in.memory);

    return text;
}


#define assert_loaded(bytes, text)                                            \
    assert_string_equal(load(bytes, sizeof(bytes) - 1, 1000), text)


/* payloads as Redis 7.0 makes them */

static void
test_rdb_saves_as_redis_does(void **state)
{
    assert_saved("5", "\x00\xc0\x05\n\x00" "c/_f\x83/\xb3Q");
    assert_saved("-129", "\x00\xc1\x7f\xff\n\x00\x17`\x82(T\x80\x84\x80");
    assert_saved("70000",
                 "\x00\xc2p\x11\x01\x00\n\x00\x01\xa4\x08\xfe\x95" "0\x95\xa5");
    assert_saved("12345678901",
                 "\x00\x0b" "12345678901\n\x00" "0NR\xd7'\x17" "e\x10");
    assert_saved("hello world this",
                 "\x00\x10hello world this\n\x00\xa1GB\xa8\xe7_\xea!");
    assert_saved("xxxxxxxxxxxxxxxxxxxx",
                 "\x00\x14xxxxxxxxxxxxxxxxxxxx\n\x00[<\x81\xec\xa5\x8c\xc5k");
    assert_saved("xxxxxxxxxxxxxxxxxxxxx",
                 "\x00\xc3\x06\x15\x01xx\xe0\n\x00\n\x00\x94\x1a\x83g`\x17"
                 "\x19/");
}


static void
test_rdb_gives_bytes_that_stay_where_they_do(void **state)
{
    u_char      text[1000];
    ngx_uint_t  i, n;

    /* does not get shorter */

    n = 1;

    for (i = 0; i < sizeof(text); i++) {
        n = n * 1103515245 + 12345;
        text[i] = n >> 16;
    }

    save((char *) text, sizeof(text));
    assert_int_equal(saved.stays, 1);

    save("77777777777777", 14);
    assert_int_equal(saved.stays, 0);

    memset(text, 'x', sizeof(text));
    save((char *) text, sizeof(text));
    assert_int_equal(saved.stays, 0);
}


static void
test_rdb_loads_what_it_saves(void **state)
{
    char        *text;
    ngx_uint_t   i;

    static const size_t  lens[] = { 0, 1, 11, 20, 21, 63, 64, 16383, 16384,
                                    50000 };

    text = malloc(RDB_TEXT);

    for (i = 0; i < sizeof(lens) / sizeof(size_t); i++) {

        memset(text, 'a' + i, lens[i]);
        text[lens[i]] = '\0';

        save(text, lens[i]);
        assert_string_equal(load((char *) saved.data,
                                 saved.len - NGX_OLIVINE_RDB_FOOTER, RDB_TEXT),
                            text);
    }

    free(text);
}


static void
test_rdb_loads_what_others_may_write(void **state)
{
    assert_loaded("\x00\x05hellos", "hello");
    assert_loaded("\x00\x40\x05hello", "hello");
    assert_loaded("\x00\x80\x00\x00\x00\x05hello", "hello");
    assert_loaded("\x00\x81\x00\x00\x00\x00\x00\x00\x00\x05hello", "hello");
    assert_loaded("\x00\xc2\x05\x00\x00\x00", "5");
    assert_loaded("\x00\xc2\x00\x00\x00\x80", "-2147483648");
    assert_loaded("\x00\xc3\x06\x15\x01xx\xe0\n\x00", "xxxxxxxxxxxxxxxxxxxxx");
}


static void
test_rdb_loads_no_nonsense(void **state)
{
    assert_loaded("", "");
    assert_loaded("\x00", "");
    assert_loaded("\x00\x05hell", "");
    assert_loaded("\x15\x05hello", "");
    assert_loaded("\xfe\x05hello", "");
    assert_loaded("\x00\x40", "");
    assert_loaded("\x00\x80\x00\x00", "");
    assert_loaded("\x00\x82\x00\x00\x00\x05hello", "");
    assert_loaded("\x00\x81\xff\xff\xff\xff\xff\xff\xff\xffhello", "");
    assert_loaded("\x00\xc0", "");
    assert_loaded("\x00\xc1\x05", "");
    assert_loaded("\x00\xc4\x05", "");
    assert_loaded("\x00\xc3", "");
    assert_loaded("\x00\xc3\xc0\x15\x01xx\xe0\n\x00", "");
    assert_loaded("\x00\xc3\x06\xc0\x01xx\xe0\n\x00", "");
    assert_loaded("\x00\xc3\x07\x15\x01xx\xe0\n\x00", "");
    assert_loaded("\x00\xc3\x06\x16\x01xx\xe0\n\x00", "");
    assert_loaded("\x00\xc3\x06\x14\x01xx\xe0\n\x00", "");
    assert_loaded("\x00\xc3\x06\x80\x7f\xff\xff\xff\x01xx\xe0\n\x00", "");
    assert_string_equal(load("\x00\xc3\x06\x15\x01xx\xe0\n\x00", 10, 20), "");
    assert_string_equal(load("\x00\x05hello", 7, 4), "");
}


static void
test_rdb_check_looks_at_version_and_sum(void **state)
{
    u_char      p[17];
    uint64_t    crc;
    ngx_uint_t  version, i, good;

    memcpy(p, "\x00\x05hello", 7);

    for (version = 0; version < 300; version++) {

        p[7] = version & 0xff;
        p[8] = version >> 8;
        crc = ngx_olivine_rdb_crc(0, p, 9);

        for (i = 0; i < 8; i++) {
            p[9 + i] = crc >> (8 * i);
        }

        good = (version <= 12 || version == 80);

        assert_int_equal(ngx_olivine_rdb_check(p, 17, 0),
                         good ? NGX_OK : NGX_DECLINED);

        /* the sum may be of no interest, the version is not */

        p[16] ^= 1;
        assert_int_equal(ngx_olivine_rdb_check(p, 17, 0), NGX_DECLINED);
        assert_int_equal(ngx_olivine_rdb_check(p, 17, 1),
                         good ? NGX_OK : NGX_DECLINED);
        p[16] ^= 1;

        p[version % 17] ^= 0x10;
        assert_int_equal(ngx_olivine_rdb_check(p, 17, 0), NGX_DECLINED);
        p[version % 17] ^= 0x10;
    }

    assert_int_equal(ngx_olivine_rdb_check(p, 9, 0), NGX_DECLINED);
    assert_int_equal(ngx_olivine_rdb_check(p, 0, 0), NGX_DECLINED);
}


static void
test_rdb_crc_is_the_known_one(void **state)
{
    u_char      p[64];
    uint64_t    whole, parts;
    ngx_uint_t  i;

    assert_true(ngx_olivine_rdb_crc(0, (u_char *) "123456789", 9)
                == 0xe9c6d914c4b8d9caULL);

    for (i = 0; i < sizeof(p); i++) {
        p[i] = i * 7;
    }

    whole = ngx_olivine_rdb_crc(0, p, sizeof(p));

    for (i = 0; i <= sizeof(p); i++) {
        parts = ngx_olivine_rdb_crc(0, p, i);
        parts = ngx_olivine_rdb_crc(parts, p + i, sizeof(p) - i);
        assert_true(parts == whole);
    }
}


/* by the definition, bit by bit */

static uint64_t
crc_of_bits(uint64_t crc, const u_char *p, size_t len)
{
    ngx_uint_t  n;

    while (len--) {
        crc ^= *p++;

        for (n = 0; n < 8; n++) {
            crc = (crc & 1) ? crc >> 1 ^ 0x95ac9329ac4bc9b5ULL : crc >> 1;
        }
    }

    return crc;
}


static void
test_rdb_crc_of_any_length_and_place_is_right(void **state)
{
    size_t     len, from;
    u_char    *text, *p;
    uint64_t   seed, crc;

    text = malloc(RDB_TEXT);
    seed = 1;

    for (len = 0; len < RDB_TEXT; len++) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        text[len] = seed >> 56;
    }

    for (len = 0; len < 700; len++) {
        for (from = 0; from < 17; from += 8 - len % 8) {
            crc = seed * len;

            assert_true(ngx_olivine_rdb_crc(crc, text + from, len)
                        == crc_of_bits(crc, text + from, len));
        }

        /* memory of just that size */

        p = malloc(len ? len : 1);
        memcpy(p, text, len);
        assert_true(ngx_olivine_rdb_crc(0, p, len)
                    == crc_of_bits(0, text, len));
        free(p);
    }

    assert_true(ngx_olivine_rdb_crc(0, text, RDB_TEXT)
                == crc_of_bits(0, text, RDB_TEXT));

    free(text);
}


static void
test_rdb_saving_ends_where_bytes_find_no_room(void **state)
{
    u_char                 text[1000];
    ngx_uint_t             n, i, big, left, puts;
    ngx_olivine_value_t    value;
    ngx_olivine_rdb_out_t  out;

    for (i = 0; i < sizeof(text); i++) {
        text[i] = i;
    }

    for (n = 0; n < 10; n++) {
        big = n & 1;
        left = n >> 1;

        /* its head, and itself, are put one by one */

        puts = 1 + big;

        ngx_olivine_string_set(&value, text, big ? sizeof(text) : 25);
        ngx_olivine_rdb_out_init(&out, put_nothing, &left);
        out.compress = 0;

        if (n >> 1 < puts) {
            assert_int_equal(ngx_olivine_rdb_save(&out, &value), NGX_ERROR);
            continue;
        }

        assert_int_equal(ngx_olivine_rdb_save(&out, &value), NGX_OK);
        assert_int_equal(ngx_olivine_rdb_save_footer(&out),
                         n >> 1 < puts + 2 ? NGX_ERROR : NGX_OK);
    }
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_rdb_saves_as_redis_does),
        cmocka_unit_test(test_rdb_gives_bytes_that_stay_where_they_do),
        cmocka_unit_test(test_rdb_loads_what_it_saves),
        cmocka_unit_test(test_rdb_loads_what_others_may_write),
        cmocka_unit_test(test_rdb_loads_no_nonsense),
        cmocka_unit_test(test_rdb_check_looks_at_version_and_sum),
        cmocka_unit_test(test_rdb_crc_is_the_known_one),
        cmocka_unit_test(test_rdb_crc_of_any_length_and_place_is_right),
        cmocka_unit_test(test_rdb_saving_ends_where_bytes_find_no_room),
    };

    return unit_run(tests);
}
