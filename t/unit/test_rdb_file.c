
/*
 * Copyright (C) The Olivine authors
 *
 * Whole RDB files, out of windows of all kinds.
 */

/* layer: rdb */


#include "unit.h"

#include "rdb/ngx_olivine_rdb_read.h"
#include "rdb/ngx_olivine_rdb_write.h"


#define FILE_MAX   (256 * 1024)
#define TEXT_MAX   (128 * 1024)
#define STRING_MAX (1024 * 1024)

/* "REDIS0010" and so on, a piece, and the end without a checksum */
#define unit_file(version, bytes)                                             \
    unit_bytes(version bytes "\xff\0\0\0\0\0\0\0\0",                          \
               sizeof(version bytes "\xff\0\0\0\0\0\0\0\0") - 1)

#define EXPIRE_MS  "\xfc\x10\x27\0\0\0\0\0\0"
#define KEY(k, v)  "\0" k v


static u_char                    file[FILE_MAX];
static size_t                    file_len;
static char                      said[TEXT_MAX];
static size_t                    said_len;
static ngx_olivine_rdb_reader_t  r;
static ngx_uint_t                pieces, staying;


static void
unit_bytes(const char *bytes, size_t len)
{
    memcpy(file, bytes, len);
    file_len = len;
}


/* the right checksum behind what is there, of which 9 bytes are the end */

static void
unit_sum(void)
{
    uint64_t    crc;
    ngx_uint_t  i;

    crc = ngx_olivine_rdb_crc(0, file, file_len - 8);

    for (i = 0; i < 8; i++) {
        file[file_len - 8 + i] = crc >> (8 * i);
    }
}


static void
unit_say(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    said_len += vsnprintf(said + said_len, TEXT_MAX - said_len, fmt, args);
    va_end(args);

    assert_true(said_len < TEXT_MAX);
}


static void
unit_say_item(ngx_olivine_rdb_item_t *item)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_str_t  text;

    switch (item->type) {

    case NGX_OLIVINE_RDB_ITEM_KEY:
        ngx_olivine_string_text(&item->value, buf, &text);
        unit_say("%lu:%.*s=%.*s", item->db, (int) item->key.len,
                 item->key.data, (int) text.len, text.data);

        if (item->expire) {
            unit_say(" at %ld", (long) item->expire);
        }

        if (item->idle >= 0) {
            unit_say(" idle %ld", (long) item->idle);
        }

        if (item->freq >= 0) {
            unit_say(" freq %ld", (long) item->freq);
        }

        break;

    case NGX_OLIVINE_RDB_ITEM_AUX:
        unit_say("aux %.*s=%.*s", (int) item->name.len, item->name.data,
                 (int) item->text.len, item->text.data);
        break;

    case NGX_OLIVINE_RDB_ITEM_FUNCTION:
        unit_say("function %.*s", (int) item->text.len, item->text.data);
        break;

    case NGX_OLIVINE_RDB_ITEM_MODULE:
        unit_say("module %.*s", (int) item->name.len, item->name.data);
        break;

    case NGX_OLIVINE_RDB_ITEM_RESIZE:
        unit_say("%lu: %lu keys, %lu expire", item->db,
                 (unsigned long) item->keys, (unsigned long) item->expires);
        break;

    case NGX_OLIVINE_RDB_ITEM_END:
        unit_say("end%s", item->sum ? " summed" : "");
        break;
    }

    unit_say(";");
}


/*
 * What is in the first len bytes of the file, at first "step" bytes of it,
 * then as many as are asked for; each window is memory of its own, and of
 * just its size.
 */

static ngx_int_t
unit_read(size_t len, size_t step)
{
    u_char                  *window, *next;
    size_t                   keep, more, from;
    ngx_int_t                rc;
    ngx_olivine_rdb_item_t   item;

    window = malloc(1);
    from = 0;

    r.pos = window;
    r.last = window;
    r.want = 1;

    said_len = 0;
    said[0] = '\0';

    for ( ;; ) {
        rc = ngx_olivine_rdb_read(&r, &item);

        assert_true(r.pos <= r.last);

        if (rc == NGX_OK) {
            unit_say_item(&item);

            if (item.type == NGX_OLIVINE_RDB_ITEM_END) {
                break;
            }

            continue;
        }

        if (rc != NGX_AGAIN) {
            unit_say("%s%.*s at %ld", r.truncated ? "short: " : "",
                     (int) r.error.len, r.error.data, (long) r.offset);
            break;
        }

        keep = r.last - r.pos;

        assert_false(r.eof);
        assert_true(r.want > keep);
        assert_true(r.want < STRING_MAX + 100);

        more = step ? step : r.want - keep;
        more = ngx_min(more, len - from);

        next = malloc(keep + more + 1);
        memcpy(next, r.pos, keep);
        memcpy(next + keep, file + from, more);
        memset(window, 0xaa, r.last - window);
        free(window);

        window = next;
        from += more;

        r.pos = window;
        r.last = window + keep + more;
        r.eof = (from == len);
    }

    free(window);

    return rc;
}


static ngx_int_t
unit_read_by(size_t len, size_t step)
{
    ngx_int_t  rc;

    ngx_olivine_rdb_reader_init(&r, STRING_MAX);
    rc = unit_read(len, step);
    ngx_olivine_rdb_reader_free(&r);

    return rc;
}


/* the same out of any window */

#define assert_reads(result, text)                                            \
    do {                                                                      \
        size_t  steps[] = { FILE_MAX, 0, 1, 2, 3, 7, 64, 1000 };              \
                                                                              \
        for (size_t  i = 0; i < sizeof(steps) / sizeof(size_t); i++) {        \
            ngx_int_t  rc = unit_read_by(file_len, steps[i]);                 \
            assert_string_equal(said, text);                                  \
            assert_int_equal(rc, result);                                     \
        }                                                                     \
    } while (0)


static ngx_int_t
unit_put(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    assert_true(file_len + len <= FILE_MAX);

    memcpy(file + file_len, data, len);
    file_len += len;

    pieces++;
    staying += stays;

    return NGX_OK;
}


/* fails when *out->data calls have been good */

static ngx_int_t
unit_put_some(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    ngx_uint_t  *n = out->data;

    return (*n)-- ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
unit_key(ngx_olivine_rdb_out_t *out, const char *key, const char *text,
    int64_t expire, int64_t idle, ngx_int_t freq)
{
    ngx_str_t            name;
    ngx_olivine_value_t  value;

    name.data = (u_char *) key;
    name.len = strlen(key);

    ngx_olivine_string_set(&value, (u_char *) text, strlen(text));

    return ngx_olivine_rdb_write_key(out, &name, &value, expire, idle, freq);
}


/* one of everything; ERROR if a put failed */

static ngx_int_t
unit_write_all(ngx_olivine_rdb_out_t *out)
{
    static char              text[3000];

    ngx_str_t                name = ngx_string("olivine"), hi;
    ngx_olivine_rdb_about_t  about = { ngx_string("7.0.15"), 1796087577,
                                       1065640, 1 };

    ngx_str_set(&hi, "0.1");
    memset(text, 'x', sizeof(text) - 1);

    if (ngx_olivine_rdb_write_begin(out, &about) != NGX_OK
        || ngx_olivine_rdb_write_aux(out, &name, &hi) != NGX_OK
        || ngx_olivine_rdb_write_db(out, 0, 4, 1) != NGX_OK
        || unit_key(out, "a", "1", 0, -1, -1) != NGX_OK
        || unit_key(out, "b", "hello", 1796187577000, -1, -1) != NGX_OK
        || unit_key(out, "-70000", "12345678901234", 0, 100, -1) != NGX_OK
        || unit_key(out, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", text, 1, -1, 255)
           != NGX_OK
        || ngx_olivine_rdb_write_db(out, 300, 1, 0) != NGX_OK
        || unit_key(out, "", "", 0, -1, -1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_rdb_write_end(out);
}


static void
unit_write(void)
{
    ngx_olivine_rdb_out_t  out;

    file_len = 0;
    pieces = 0;
    staying = 0;

    ngx_olivine_rdb_out_init(&out, unit_put, NULL);
    assert_int_equal(unit_write_all(&out), NGX_OK);
}


/* what Redis 7.0.15 has saved, with maxmemory-policy allkeys-lru */

static void
test_rdb_file_of_redis_is_read(void **state)
{
    static const char  bytes[] =
        "REDIS0010\xfa\tredis-ver\x06" "7.0.15\xfa\nredis-bits\xc0@"
        "\xfa\x05" "ctime\xc2\x19\x1f\x0ek\xfa\x08used-mem\xc2\xa8" "B\x10\0"
        "\xfa\x08" "aof-base\xc0\0"
        "\xf5@B#!lua name=l\nredis.register_function('f', function() "
        "return 1 end)"
        "\xfe\0\xfb\x03\x01\xfc\xf1]\x1f" "5\xa2\x01\0\0\xf8\0\0\x01" "b\x05"
        "hello\xf8\x01\0\x01" "a\xc0\x01\xf8\0\0\x03" "big\xc3\x1eG\xd1\x01"
        "\0\0\xe0\xff\0\xe0\xff\0\xe0\xff\0\xe0\xff\0\xe0\xff\0\xe0\xff\0\xe0"
        "\xff\0\xe0\x8c\0\x01\0x\xfe\x03\xfb\x01\0\xf8\0\0\xc3\t2\x01kk\xe0%\0"
        "\x01kk\xc2Na\xbc\0\xfft8\xaf)\xfbO\x82\xeb";

    unit_bytes(bytes, sizeof(bytes) - 1);

    assert_reads(NGX_OK,
        "aux redis-ver=7.0.15;aux redis-bits=64;aux ctime=1796087577;"
        "aux used-mem=1065640;aux aof-base=0;"
        "function #!lua name=l\nredis.register_function('f', function() "
        "return 1 end);"
        "0: 3 keys, 1 expire;0:b=hello at 1796187577841 idle 0;"
        "0:a=1 idle 1;0:big= idle 0;3: 1 keys, 0 expire;"
        "3:kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk=12345678 idle 0;"
        "end summed;");
}


static void
test_rdb_file_of_valkey_is_read(void **state)
{
    unit_file("VALKEY080", "\xfa\x0avalkey-ver\x05" "9.1.2"
              KEY("\x01" "a", "\xc0\x01"));

    assert_reads(NGX_OK, "aux valkey-ver=9.1.2;0:a=1;end;");

    assert_int_equal(r.version, 80);
    assert_int_equal(r.valkey, 1);
}


static void
test_rdb_file_takes_what_versions_there_are(void **state)
{
    char        text[200];
    ngx_uint_t  n;

    for (n = 0; n < 100; n++) {
        unit_file("REDIS0000", KEY("\x01" "a", "\xc0\x01"));

        file[7] = '0' + n / 10;
        file[8] = '0' + n % 10;

        if (n >= 1 && n <= 12) {
            assert_reads(NGX_OK, "0:a=1;end;");
            assert_int_equal(r.version, n);
            assert_int_equal(r.valkey, 0);

            /* those before 5 end with the opcode */

            if (n < 5) {
                file_len -= 8;
                assert_reads(NGX_OK, "0:a=1;end;");
            }

        } else {
            snprintf(text, sizeof(text), "it is of version %d of Redis, only "
                     "1 to 12 of Redis and 80 of Valkey can be read at 0",
                     (int) n);
            assert_reads(NGX_DECLINED, text);
        }
    }

    unit_file("VALKEY011", "");
    assert_reads(NGX_DECLINED, "it is of version 11 of Valkey, only "
                 "1 to 12 of Redis and 80 of Valkey can be read at 0");

    unit_file("REDIS001x", "");
    assert_reads(NGX_ABORT, "it is no RDB file at 0");

    unit_file("REDIX0010", "");
    assert_reads(NGX_ABORT, "it is no RDB file at 0");

    unit_bytes("*2\r\n", 4);
    assert_reads(NGX_ABORT, "it is no RDB file at 0");

    file_len = 0;
    assert_reads(NGX_ABORT, "short: the file is too short, it ends within its "
                 "header at 0");
}


static void
test_rdb_file_magic_tells_what_a_file_is(void **state)
{
    ngx_uint_t  n;

    static u_char  redis[] = "REDIS0010", valkey[] = "VALKEY080";

    for (n = 0; n <= 9; n++) {
        assert_int_equal(ngx_olivine_rdb_read_magic(redis, redis + n),
                         n < 9 ? NGX_AGAIN : NGX_OK);
        assert_int_equal(ngx_olivine_rdb_read_magic(valkey, valkey + n),
                         n < 9 ? NGX_AGAIN : NGX_OK);
    }
}


static void
test_rdb_file_knows_all_opcodes(void **state)
{
    /* SELECTDB, RESIZEDB */

    unit_file("REDIS0012", "\xfe\x0f\xfb\x40\x41\x01" KEY("\x01k", "\x01v")
              "\xfe\x00" KEY("\x01k", "\x01w"));
    assert_reads(NGX_OK, "15: 65 keys, 1 expire;15:k=v;0:k=w;end;");

    unit_file("REDIS0012", "\xfe\x7f\xff" KEY("\x01k", "\x01v"));
    assert_reads(NGX_OK, "16383:k=v;end;");

    unit_file("REDIS0012", "\xfe\x80\0\0\x40\0" KEY("\x01k", "\x01v"));
    assert_reads(NGX_DECLINED,
                 "database 16384 is beyond the last one, 16383 at 9");

    unit_file("REDIS0012", "\xfe\xc0\x01" KEY("\x01k", "\x01v"));
    assert_reads(NGX_ABORT, "wrong bytes in the number of a database at 9");

    /* EXPIRETIME_MS, EXPIRETIME, IDLE, FREQ: of one key */

    unit_file("REDIS0012", EXPIRE_MS "\xf8\x81\0\0\0\x01\0\0\0\0" "\xf9\xff"
              KEY("\x01k", "\x01v") KEY("\x01l", "\x01v")
              "\xfd\x0a\0\0\0" KEY("\x01k", "\x01v"));
    assert_reads(NGX_OK, "0:k=v at 10000 idle 4294967296 freq 255;0:l=v;"
                 "0:k=v at 10000;end;");

    unit_file("REDIS0012", "\xfc\xff\xff\xff\xff\xff\xff\xff\xff"
              KEY("\x01k", "\x01v") "\xfc\xfe\xff\xff\xff\xff\xff\xff\xff"
              KEY("\x01l", "\x01v") "\xfc\0\0\0\0\0\0\0\0"
              KEY("\x01m", "\x01v") "\xfd\xff\xff\xff\xff"
              KEY("\x01n", "\x01v"));
    assert_reads(NGX_OK, "0:k=v;0:l=v at 1;0:m=v at 1;0:n=v at 1;end;");

    /* AUX, FUNCTION2, FUNCTION_PRE_GA, SLOT_INFO, SLOT_IMPORT */

    unit_file("REDIS0012", "\xfa\x01" "a\x01" "b\xfa\xc0\x07\xc1\x00\x80"
              "\xf5\x04" "code\xf4\x7f\xff\x01\x80\0\0\0\0"
              KEY("\x01k", "\x01v"));
    assert_reads(NGX_OK, "aux a=b;aux 7=-32768;function code;0:k=v;end;");

    unit_file("REDIS0012", "\xf6\x04" "name");
    assert_reads(NGX_DECLINED, "a function as a preview of Redis 7.0 has "
                 "written it at 9");

    unit_file("VALKEY080", KEY("\x01k", "\x01v") "\xf3\x04" "name");
    assert_reads(NGX_DECLINED, "0:k=v;a cluster was importing a slot at 14");
}


static void
test_rdb_file_passes_over_what_modules_keep(void **state)
{
    u_char      id[9];
    uint64_t    n;
    ngx_uint_t  i;

    static const char  letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "abcdefghijklmnopqrstuvwxyz0123456789-_";

    n = 0;

    for (i = 0; i < 9; i++) {
        n = n << 6 | (strchr(letters, "ReJSON-RL"[i]) - letters);
    }

    n = n << 10 | 3;

    id[0] = 0x81;

    for (i = 0; i < 8; i++) {
        id[1 + i] = n >> (56 - 8 * i);
    }

    unit_file("REDIS0012", "\xf7" "IIIIIIIII" "\x02\x01"
              "\x01\x05" "\x02\x40\x05" "\x03" "1234" "\x04" "12345678"
              "\x05\x03" "str" "\x05\xc0\x01" "\x05\xc2" "1234"
              "\x05\xc3\x02\x05" "zz" "\x05\x00" "\x00"
              KEY("\x01k", "\x01v"));
    memcpy(file + 10, id, 9);
    assert_reads(NGX_OK, "module ReJSON-RL;0:k=v;end;");

    /* a string of 4 GB, which nobody waits for */

    unit_file("REDIS0012", "\xf7" "IIIIIIIII" "\x02\x01"
              "\x05\x81\0\0\0\x01\0\0\0\0" "123");
    memcpy(file + 10, id, 9);
    assert_reads(NGX_ABORT, "module ReJSON-RL;short: the file is too short, "
                 "it ends within the data of a module at 43");

    unit_file("REDIS0012", "\xf7" "IIIIIIIII" "\x02\x01\x06");
    memcpy(file + 10, id, 9);
    assert_reads(NGX_ABORT, "module ReJSON-RL;"
                 "wrong bytes in the data of a module at 21");

    unit_file("REDIS0012", "\xf7" "IIIIIIIII" "\x01\x01\x00");
    memcpy(file + 10, id, 9);
    assert_reads(NGX_ABORT, "wrong bytes in the data of a module at 9");

    /* a value of it is nothing that could be passed over */

    unit_file("REDIS0012", "\x07\x03key" "IIIIIIIII" "\x05\x03str\x00");
    memcpy(file + 14, id, 9);
    assert_reads(NGX_DECLINED, "the key \"key\" is a value of the module "
                 "\"ReJSON-RL\", which is not known at 9");
}


static void
test_rdb_file_names_a_type_that_is_not_known(void **state)
{
    char        text[200];
    ngx_uint_t  n;

    static const char *const  names[] = {
        NULL, "list", "set", "sorted set", "hash", "sorted set",
        "value of a module (before 4.0)", NULL, NULL, "hash (zipmap)",
        "list (ziplist)", "set (intset)", "sorted set (ziplist)",
        "hash (ziplist)", "list (quicklist of ziplists)", "stream",
        "hash (listpack)", "sorted set (listpack)", "list (quicklist)",
        "stream", "set (listpack)", "stream", "hash with fields that expire",
        "hash with fields that expire (listpack)",
        "hash with fields that expire",
        "hash with fields that expire (listpack)"
    };

    for (n = 1; n < 243; n++) {

        unit_file("REDIS0012", KEY("\x01k", "\x01v") EXPIRE_MS
                  "\x01\x06l\"i\n\xfft\x01\x01");
        file[23] = n;

        if (n < sizeof(names) / sizeof(char *) && names[n]) {
            snprintf(text, sizeof(text), "0:k=v;the key \"l\"i\\x0a\\xfft\" "
                     "is a %s, which is not known yet at 23", names[n]);
            assert_reads(NGX_DECLINED, text);

        } else if (n != 7) {
            snprintf(text, sizeof(text),
                     "0:k=v;a value of an unknown type, %d at 23", (int) n);
            assert_reads(NGX_DECLINED, text);
        }
    }

    /* a long name is cut */

    unit_file("REDIS0012", "\x04\x40\x41"
              "0123456789012345678901234567890123456789"
              "0123456789012345678901234" "\x00");
    assert_reads(NGX_DECLINED, "the key \"0123456789012345678901234567890123"
                 "456789012345678901234567890123...\" is a hash, which is not "
                 "known yet at 9");
}


static void
test_rdb_file_strings_have_all_encodings(void **state)
{
    unit_file("REDIS0010",
              KEY("\x01" "a", "\x02hi") KEY("\x40\x01" "b", "\x40\x02hi")
              KEY("\x80\0\0\0\x01" "c", "\x80\0\0\0\x02hi")
              KEY("\x81\0\0\0\0\0\0\0\x01" "d", "\x81\0\0\0\0\0\0\0\x02hi")
              KEY("\xc0\x80", "\xc0\x7f") KEY("\xc1\x00\x80", "\xc1\xff\x7f")
              KEY("\xc2\x00\x00\x00\x80", "\xc2\xff\xff\xff\x7f")
              KEY("\xc3\x06\x15\x01xx\xe0\n\x00",
                  "\xc3\x06\x15\x01yy\xe0\n\x00")
              KEY("\x00", "\x00") KEY("\x01n", "\x03" "123")
              KEY("\x01n", "\x04+123"));

    assert_reads(NGX_OK, "0:a=hi;0:b=hi;0:c=hi;0:d=hi;0:-128=127;"
                 "0:-32768=32767;0:-2147483648=2147483647;"
                 "0:xxxxxxxxxxxxxxxxxxxxx=yyyyyyyyyyyyyyyyyyyyy;0:=;0:n=123;"
                 "0:n=+123;end;");
}


static void
test_rdb_file_lengths_are_checked_first(void **state)
{
#define assert_refused(bytes)                                                 \
    do {                                                                      \
        unit_file("REDIS0010", bytes);                                        \
        assert_reads(NGX_ABORT, "wrong bytes in a key at 9");                 \
    } while (0)

#define assert_too_long(bytes)                                                \
    do {                                                                      \
        unit_file("REDIS0010", bytes);                                        \
        assert_reads(NGX_DECLINED,                                            \
                     "a string of a key is longer than 1048576 bytes at 9");  \
    } while (0)

    /* longer than may be: no wait for it */

    assert_too_long("\0\x80\x00\x10\x00\x01k");
    assert_too_long("\0\x81\xff\xff\xff\xff\xff\xff\xff\xffk");
    assert_too_long("\0\x01k\x81\x00\x00\x00\x01\x00\x00\x00\x00k");
    assert_too_long("\0\x01k\xc3\x80\x00\x10\x00\x01\x40\x00k");
    assert_too_long("\0\x01k\xc3\x40\x40\x80\x00\x10\x00\x01k");

    /* much out of nothing */

    assert_refused("\0\x01k\xc3\x06\x80\x00\x0f\xff\xff\x01xx\xe0\n\x00");

    /* no such encoding; no length where one should be */

    assert_refused("\0\x82k\x01v");
    assert_refused("\0\xc4k\x01v");
    assert_refused("\0\x01k\xff\x01v");
    assert_refused("\0\x01k\xc3\xc0\x15\x01xx\xe0\n\x00");

    /* what does not unpack, or to another length */

    assert_refused("\0\x01k\xc3\x06\x16\x01xx\xe0\n\x00");
    assert_refused("\0\x01k\xc3\x06\x14\x01xx\xe0\n\x00");
    assert_refused("\0\x01k\xc3\x03\x15\xe0\x0a\xff");
}


static void
test_rdb_file_that_is_cut_off_anywhere_is_short(void **state)
{
    size_t      n, whole;
    char       *last;
    ngx_uint_t  step;

    unit_write();
    whole = file_len;

    for (n = 0; n < whole; n++) {
        for (step = 0; step < 4; step++) {
            assert_int_equal(unit_read_by(n, step), NGX_ABORT);
            assert_int_equal(r.truncated, 1);
            assert_true((size_t) r.offset <= n);

            last = strrchr(said, ';');
            assert_int_equal(strncmp(last ? last + 1 : said, "short: ", 7), 0);
            assert_null(strstr(said, "end"
                               ";"));
        }
    }

    assert_int_equal(unit_read_by(whole, 0), NGX_OK);
}


static void
test_rdb_file_that_is_not_over_asks_for_more(void **state)
{
    size_t                   n;
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_olivine_rdb_item_t   item;

    unit_write();

    for (n = 0; n <= file_len; n++) {
        ngx_olivine_rdb_reader_init(&r, STRING_MAX);

        r.pos = file;
        r.last = file + n;

        do {
            rc = ngx_olivine_rdb_read(&r, &item);
        } while (rc == NGX_OK && item.type != NGX_OLIVINE_RDB_ITEM_END);

        assert_int_equal(rc, n < file_len ? NGX_AGAIN : NGX_OK);

        if (rc == NGX_AGAIN) {

            /* more that is no more */

            for (i = 0; i < 3; i++) {
                assert_int_equal(ngx_olivine_rdb_read(&r, &item), NGX_AGAIN);
            }

            /* what it wants is never more than it needs */

            assert_true(r.pos + r.want > r.last);
            assert_true(r.pos + r.want <= file + file_len);
        }

        ngx_olivine_rdb_reader_free(&r);
    }
}


static void
test_rdb_file_of_which_a_bit_fell_is_refused(void **state)
{
    size_t      n;
    ngx_uint_t  bit;

    unit_write();

    for (n = 0; n < file_len; n++) {
        for (bit = 0; bit < 8; bit++) {
            file[n] ^= 1 << bit;

            assert_int_not_equal(unit_read_by(file_len, FILE_MAX), NGX_OK);

            if (n >= file_len - 8) {
                assert_non_null(strstr(said, ";the checksum is wrong at "));
                assert_int_equal(r.offset, file_len - 9);
                assert_int_equal(r.truncated, 0);
            }

            file[n] ^= 1 << bit;
        }
    }

    /* unless nobody cares */

    file[file_len - 1] ^= 1;

    ngx_olivine_rdb_reader_init(&r, STRING_MAX);
    r.no_checksum = 1;
    assert_int_equal(unit_read(file_len, 5), NGX_OK);
    ngx_olivine_rdb_reader_free(&r);

    assert_non_null(strstr(said, "end;"));
}


static void
test_rdb_file_over_is_over(void **state)
{
    ngx_olivine_rdb_item_t  item;

    /* commands of an AOF may follow */

    unit_file("REDIS0010", KEY("\x01k", "\x01v"));
    unit_sum();
    memcpy(file + file_len, "*1\r\n", 4);

    ngx_olivine_rdb_reader_init(&r, STRING_MAX);
    r.pos = file;
    r.last = file + file_len + 4;

    assert_int_equal(ngx_olivine_rdb_read(&r, &item), NGX_OK);
    assert_int_equal(ngx_olivine_rdb_read(&r, &item), NGX_OK);
    assert_int_equal(item.type, NGX_OLIVINE_RDB_ITEM_END);
    assert_int_equal(item.sum, 1);
    assert_ptr_equal(r.pos, file + file_len);
    assert_int_equal(ngx_olivine_rdb_read_offset(&r), file_len);

    assert_int_equal(ngx_olivine_rdb_read(&r, &item), NGX_ABORT);
    assert_ptr_equal(r.pos, file + file_len);

    ngx_olivine_rdb_reader_free(&r);

    /* and what is damaged stays that */

    file[9] = 99;
    ngx_olivine_rdb_reader_init(&r, STRING_MAX);
    r.pos = file;
    r.last = file + file_len;

    assert_int_equal(ngx_olivine_rdb_read(&r, &item), NGX_DECLINED);
    assert_int_equal(ngx_olivine_rdb_read(&r, &item), NGX_DECLINED);
    assert_int_equal(r.offset, 9);

    ngx_olivine_rdb_reader_free(&r);
}


static void
test_rdb_file_written_is_what_redis_writes(void **state)
{
    static const char  bytes[] =
        "REDIS0010\xfa\tredis-ver\x06" "7.0.15\xfa\nredis-bits\xc0@"
        "\xfa\x05" "ctime\xc2\x19\x1f\x0ek\xfa\x08used-mem\xc2\xa8" "B\x10\0"
        "\xfa\x08" "aof-base\xc0\x01"
        "\xfa\x07olivine\x03" "0.1"
        "\xfe\0\xfb\x04\x01" "\0\x01" "a\xc0\x01"
        "\xfc\xa8\x5a\x1f\x35\xa2\x01\x00\x00\0\x01" "b\x05hello"
        "\xf8\x40\x64\0\xc2\x90\xee\xfe\xff\x0e" "12345678901234";

    unit_write();

    assert_true(file_len > sizeof(bytes));
    assert_memory_equal(file, bytes, sizeof(bytes) - 1);

    /* one put for each call but the end */

    assert_int_equal(pieces, 9 + 2);
    assert_int_equal(staying, 0);

    assert_int_equal(unit_read_by(file_len, 0), NGX_OK);

    assert_non_null(strstr(said, "0:-70000=12345678901234 idle 100;"));
    assert_non_null(strstr(said, "xx at 1 freq 255;"));
    assert_non_null(strstr(said, ";300: 1 keys, 0 expire;300:=;end summed;"));
}


static void
test_rdb_file_is_compressed_and_summed_as_wished(void **state)
{
    size_t                  packed;
    ngx_olivine_rdb_out_t   out;

    unit_write();
    packed = file_len;

    assert_true(packed < 500);

    file_len = 0;
    pieces = 0;
    staying = 0;

    ngx_olivine_rdb_out_init(&out, unit_put, NULL);
    out.compress = 2998;
    out.checksum = 0;

    assert_int_equal(unit_write_all(&out), NGX_OK);
    assert_true(file_len > packed + 2800);
    assert_int_equal(staying, 1);

    /* the key still is */

    assert_int_equal(unit_read_by(file_len, 0), NGX_OK);
    assert_non_null(strstr(said, "end;"));
    assert_memory_equal(file + file_len - 9, "\xff\0\0\0\0\0\0\0\0", 9);

    file_len = 0;
    out.compress = 2999;
    assert_int_equal(unit_write_all(&out), NGX_OK);
    assert_int_equal(file_len, packed);

    file_len = 0;
    out.compress = 0;
    assert_int_equal(unit_write_all(&out), NGX_OK);
    assert_true(file_len > packed + 2800 + 20);
}


static void
test_rdb_file_takes_items_written_elsewhere(void **state)
{
    u_char                   part[200];
    size_t                   len;
    ngx_olivine_rdb_out_t    out;
    ngx_olivine_rdb_about_t  about = { ngx_string("7.0.15"), 1, 2, 0 };

    file_len = 0;
    ngx_olivine_rdb_out_init(&out, unit_put, NULL);
    out.checksum = 0;

    assert_int_equal(ngx_olivine_rdb_write_db(&out, 5, 1, 0), NGX_OK);
    assert_int_equal(unit_key(&out, "k", "v", 77, -1, -1), NGX_OK);

    len = file_len;
    memcpy(part, file, len);

    file_len = 0;
    ngx_olivine_rdb_out_init(&out, unit_put, NULL);

    assert_int_equal(ngx_olivine_rdb_write_begin(&out, &about), NGX_OK);
    assert_int_equal(ngx_olivine_rdb_write_items(&out, part, len, 0), NGX_OK);
    assert_int_equal(ngx_olivine_rdb_write_end(&out), NGX_OK);

    assert_int_equal(unit_read_by(file_len, 1), NGX_OK);
    assert_non_null(strstr(said,
                           ";5: 1 keys, 0 expire;5:k=v at 77;end summed;"));
}


static void
test_rdb_file_that_finds_no_room_is_an_error(void **state)
{
    ngx_uint_t             n, left;
    ngx_olivine_rdb_out_t  out;

    for (n = 0; n < 11; n++) {
        left = n;
        ngx_olivine_rdb_out_init(&out, unit_put_some, &left);
        assert_int_equal(unit_write_all(&out), NGX_ERROR);
    }

    left = n;
    ngx_olivine_rdb_out_init(&out, unit_put_some, &left);
    assert_int_equal(unit_write_all(&out), NGX_OK);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_rdb_file_of_redis_is_read),
        cmocka_unit_test(test_rdb_file_of_valkey_is_read),
        cmocka_unit_test(test_rdb_file_takes_what_versions_there_are),
        cmocka_unit_test(test_rdb_file_magic_tells_what_a_file_is),
        cmocka_unit_test(test_rdb_file_knows_all_opcodes),
        cmocka_unit_test(test_rdb_file_passes_over_what_modules_keep),
        cmocka_unit_test(test_rdb_file_names_a_type_that_is_not_known),
        cmocka_unit_test(test_rdb_file_strings_have_all_encodings),
        cmocka_unit_test(test_rdb_file_lengths_are_checked_first),
        cmocka_unit_test(test_rdb_file_that_is_cut_off_anywhere_is_short),
        cmocka_unit_test(test_rdb_file_that_is_not_over_asks_for_more),
        cmocka_unit_test(test_rdb_file_of_which_a_bit_fell_is_refused),
        cmocka_unit_test(test_rdb_file_over_is_over),
        cmocka_unit_test(test_rdb_file_written_is_what_redis_writes),
        cmocka_unit_test(test_rdb_file_is_compressed_and_summed_as_wished),
        cmocka_unit_test(test_rdb_file_takes_items_written_elsewhere),
        cmocka_unit_test(test_rdb_file_that_finds_no_room_is_an_error),
    };

    return unit_run(tests);
}
