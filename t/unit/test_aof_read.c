
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include "log/ngx_olivine_aof_read.h"


#define TEXT  16384


/* what a file is made of, and the answers that its prefixes must get */

static u_char      text[TEXT];
static size_t      len;
static size_t      whole[TEXT];         /* a piece ends there */
static ngx_uint_t  nwhole;
static size_t      safe[TEXT];          /* ... outside of a transaction */
static ngx_uint_t  nsafe;


static void
add(const char *s, ngx_uint_t inside)
{
    size_t  n;

    n = strlen(s);
    assert_true(len + n <= TEXT);
    memcpy(text + len, s, n);
    len += n;

    whole[nwhole++] = len;

    if (!inside) {
        safe[nsafe++] = len;
    }
}


static void
begin(void)
{
    len = 0;
    nwhole = 0;
    nsafe = 0;
    safe[nsafe++] = 0;
    whole[nwhole++] = 0;
}


static void
make(void)
{
    int   i;
    char  buf[2048], value[1024];

    begin();
    add("*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n", 0);

    for (i = 0; i < 5; i++) {
        snprintf(buf, sizeof(buf), "#TS:%d\r\n", 1700000000 + i);
        add(buf, 0);
        snprintf(buf, sizeof(buf), "*3\r\n$3\r\nSET\r\n$2\r\nk%d\r\n$10\r\n"
                 "*1\r\n$1\r\n#T\r\n", i);
        add(buf, 0);
        add("*1\r\n$5\r\nMULTI\r\n", 1);
        add("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$0\r\n\r\n", 1);
        add("#TS:1800000000\r\n", 1);
        memset(value, 'x', 300);
        value[300] = '\0';
        snprintf(buf, sizeof(buf), "*3\r\n$3\r\nset\r\n$1\r\nb\r\n$300\r\n"
                 "%s\r\n", value);
        add(buf, 1);
        add("*1\r\n$4\r\nExec\r\n", 0);
        add("# anything at all\n", 0);
        add("*1\r\n$8\r\nFLUSHALL\r\n", 0);
    }
}


/* the last one of the list that is not behind n */

static size_t
before(size_t *list, ngx_uint_t nlist, size_t n)
{
    while (list[nlist - 1] > n) {
        nlist--;
    }

    return list[nlist - 1];
}


/*
 * Reads the first n bytes in a window that begins with "size" bytes and grows
 * as it must; each is memory of its own, so that one byte too far is seen.
 */

static ngx_int_t
drain(ngx_olivine_aof_reader_t *r, size_t n, size_t size, size_t step)
{
    u_char     *window, *other;
    size_t      fed, keep, more;
    ngx_int_t   rc;

    ngx_olivine_aof_reader_init(r, 0, 1024 * 1024);

    window = malloc(1);
    r->pos = window;
    r->last = window;
    fed = 0;

    for ( ;; ) {
        rc = ngx_olivine_aof_read(r);

        if (rc == NGX_OK) {
            assert_true(r->args.nelts >= 1);
            assert_int_equal(before(whole, nwhole, r->next), r->next);
            continue;
        }

        if (rc != NGX_AGAIN) {
            break;
        }

        keep = r->last - r->pos;
        assert_true(r->want > keep);
        assert_false(r->eof);

        size = ngx_max(size, r->want);
        more = ngx_min(ngx_min(size - keep, step), n - fed);

        if (more == 0) {
            r->eof = 1;
            continue;
        }

        other = malloc(keep + more);
        memcpy(other, r->pos, keep);
        memcpy(other + keep, text + fed, more);
        fed += more;

        free(window);
        window = other;
        r->pos = window;
        r->last = window + keep + more;
    }

    assert_int_equal(ngx_olivine_aof_read(r), rc);

    free(window);
    ngx_olivine_aof_reader_free(r);

    return rc;
}


static void
test_aof_read_gives_commands(void **state)
{
    ngx_olivine_aof_reader_t  r;

    begin();
    add("#TS:12345\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$4\r\n\r\n\r\n\r\n", 0);

    ngx_olivine_aof_reader_init(&r, 100, 1024);
    r.pos = text;
    r.last = text + len;

    assert_int_equal(ngx_olivine_aof_read(&r), NGX_OK);
    assert_int_equal(r.args.nelts, 3);
    assert_memory_equal(r.args.elts[0].data, "SET", 3);
    assert_int_equal(r.args.elts[1].len, 1);
    assert_int_equal(r.args.elts[2].len, 4);
    assert_memory_equal(r.args.elts[2].data, "\r\n\r\n", 4);
    assert_int_equal(r.timestamp, 12345);
    assert_int_equal(r.offset, 111);
    assert_int_equal(r.valid, 100 + len);

    assert_int_equal(ngx_olivine_aof_read(&r), NGX_AGAIN);
    assert_int_equal(r.want, 1);
    r.eof = 1;
    assert_int_equal(ngx_olivine_aof_read(&r), NGX_DONE);

    ngx_olivine_aof_reader_free(&r);

    /* annotations are told, if asked for */

    ngx_olivine_aof_reader_init(&r, 0, 1024);
    r.annotations = 1;
    r.pos = text;
    r.last = text + len;

    assert_int_equal(ngx_olivine_aof_read(&r), NGX_OK);
    assert_int_equal(r.args.nelts, 0);
    assert_int_equal(r.offset, 0);
    assert_int_equal(r.valid, 11);
    assert_int_equal(ngx_olivine_aof_read(&r), NGX_OK);
    assert_int_equal(r.args.nelts, 3);

    ngx_olivine_aof_reader_free(&r);
}


static void
test_aof_read_finds_the_whole_prefix_of_every_cut(void **state)
{
    size_t                    n;
    ngx_int_t                 rc;
    ngx_olivine_aof_reader_t  r;

    make();

    for (n = 0; n <= len; n++) {
        rc = drain(&r, n, 1, n % 3 ? 1000000 : 1);

        assert_int_equal(rc, before(safe, nsafe, n) == n ? NGX_DONE
                                                         : NGX_DECLINED);
        assert_int_equal(r.valid, before(safe, nsafe, n));

        if (rc == NGX_DECLINED) {
            assert_true(r.error.len > 0);
            assert_int_equal(r.error_offset, before(whole, nwhole, n));
        }
    }

    assert_int_equal(r.commands, 1 + 5 * 6);
    assert_int_equal(r.transactions, 5);
}


static void
test_aof_read_takes_windows_of_any_size(void **state)
{
    size_t                    size;
    ngx_olivine_aof_reader_t  r;

    make();

    for (size = 1; size < 700; size++) {
        assert_int_equal(drain(&r, len, size, 1 + size % 97), NGX_DONE);
        assert_int_equal(r.valid, len);
        assert_int_equal(r.commands, 1 + 5 * 6);
        assert_int_equal(r.timestamp, 1800000000);
    }
}


/* One byte that is not of an argument or an annotation is changed. */

static void
test_aof_read_sees_damage(void **state)
{
    size_t                    n, i, prefix;
    u_char                    c;
    ngx_int_t                 rc;
    ngx_olivine_aof_reader_t  r;

    make();

    for (n = 0; n < len; n++) {
        c = text[n];
        prefix = before(safe, nsafe, n);

        if (c != '*' && c != '$' && c != CR && c != LF) {
            continue;
        }

        text[n] = 'Z';
        rc = drain(&r, len, 1 + n % 50, 1000000);
        text[n] = c;

        /* within arguments and annotations it is none */

        if (rc == NGX_DONE) {
            continue;
        }

        assert_int_equal(rc, NGX_ABORT);
        assert_true(r.error.len > 0);
        assert_true(r.error_offset >= (off_t) prefix);
        assert_true(r.valid >= (off_t) prefix);
    }

    /* just there, outside of any data */

    for (i = 0; i < nsafe - 1; i++) {
        c = text[safe[i]];
        text[safe[i]] = '\0';
        assert_int_equal(drain(&r, len, 1, 1000), NGX_ABORT);
        text[safe[i]] = c;

        assert_int_equal(r.valid, safe[i]);
        assert_int_equal(r.error_offset, safe[i]);
    }
}


static void
wrong(const char *s, ngx_int_t rc, off_t valid, off_t offset,
    const char *fault)
{
    size_t                    step;
    ngx_olivine_aof_reader_t  r;

    for (step = 1; step < 40; step++) {
        begin();
        add(s, 0);
        whole[0] = 0;

        for (nwhole = 0; nwhole <= len; nwhole++) {
            whole[nwhole] = nwhole;
        }

        assert_int_equal(drain(&r, len, 1, step), rc);
        assert_int_equal(r.valid, valid);
        assert_int_equal(r.error_offset, offset);

        r.error.data = r.buf;

        if (strstr((char *) r.buf, fault) == NULL) {
            fail_msg("\"%s\" has no \"%s\"", r.buf, fault);
        }
    }
}


#define PING   "*1\r\n$4\r\nPING\r\n"
#define MULTI  "*1\r\n$5\r\nMULTI\r\n"
#define EXEC   "*1\r\n$4\r\nEXEC\r\n"


static void
test_aof_read_says_what_is_wrong(void **state)
{
    char  line[1200];

    wrong(PING "PING\r\n", NGX_ABORT, 14, 14, "byte 0x50");
    wrong(PING "\r\n", NGX_ABORT, 14, 14, "byte 0x0d");
    wrong("*0\r\n", NGX_ABORT, 0, 0, "no command has 0");
    wrong("*1048577\r\n", NGX_ABORT, 0, 0, "no command has 1048577");
    wrong("*-1\r\n", NGX_ABORT, 0, 1, "expected a number");
    wrong("*\r\n", NGX_ABORT, 0, 1, "expected a number");
    wrong("*12345678901\r\n", NGX_ABORT, 0, 11, "end of a number");
    wrong("*1\n$4\r\nPING\r\n", NGX_ABORT, 0, 2, "end of a number");
    wrong("*1\rx$4\r\nPING\r\n", NGX_ABORT, 0, 3, "line feed");
    wrong("*1\r\n:4\r\nPING\r\n", NGX_ABORT, 0, 4, "expected \"$\"");
    wrong("*1\r\n$x\r\nPING\r\n", NGX_ABORT, 0, 5, "expected a number");
    wrong("*1\r\n$1048577\r\n", NGX_ABORT, 0, 4, "1048577 bytes");
    wrong("*1\r\n$3\r\nPING\r\n", NGX_ABORT, 0, 11, "does not end");
    wrong("*1\r\n$4\r\nPING\rx", NGX_ABORT, 0, 12, "does not end");

    wrong(PING MULTI MULTI, NGX_ABORT, 14, 29, "MULTI inside");
    wrong(PING EXEC, NGX_ABORT, 14, 14, "EXEC outside");
    wrong(PING MULTI PING "x", NGX_ABORT, 14, 43, "byte 0x78");
    wrong(PING MULTI PING, NGX_DECLINED, 14, 43, "before EXEC");
    wrong(PING MULTI PING "*1", NGX_DECLINED, 14, 43, "inside of");
    wrong(PING "#TS:1", NGX_DECLINED, 14, 14, "annotation");

    memset(line, 'x', sizeof(line));
    line[0] = '#';
    line[1023] = LF;
    line[1024] = '?';
    line[1025] = '\0';
    wrong(line, NGX_ABORT, 1024, 1024, "byte 0x3f");

    line[1023] = 'x';
    line[1024] = LF;
    wrong(line, NGX_ABORT, 0, 0, "too long");
}


static void
test_aof_read_says_how_much_it_wants(void **state)
{
    ngx_olivine_aof_reader_t  r;

    begin();
    add("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\nx", 0);

    ngx_olivine_aof_reader_init(&r, 0, NGX_OLIVINE_MAX_STRING);
    r.pos = text;
    r.last = text + len;

    assert_int_equal(ngx_olivine_aof_read(&r), NGX_AGAIN);
    assert_int_equal(r.want, len - 1 + 536870912 + 2);
    assert_ptr_equal(r.pos, text);

    ngx_olivine_aof_reader_free(&r);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aof_read_gives_commands),
        cmocka_unit_test(test_aof_read_finds_the_whole_prefix_of_every_cut),
        cmocka_unit_test(test_aof_read_takes_windows_of_any_size),
        cmocka_unit_test(test_aof_read_sees_damage),
        cmocka_unit_test(test_aof_read_says_what_is_wrong),
        cmocka_unit_test(test_aof_read_says_how_much_it_wants),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
