/*
 * Copyright (C) The Olivine authors
 */


#include "unit.h"

#include "resp/ngx_olivine_resp_parse.h"


/*
 * A client: bytes are fed in pieces, and what is parsed is written down as
 * "SET|k|v;" for a command, "!text" for a protocol error.  Between two pieces
 * the unparsed bytes move to fresh memory of just their size, so that a
 * pointer kept by mistake, or a byte read too far, is found by ASan.
 */

typedef struct {
    ngx_olivine_resp_parser_t  parser;
    ngx_olivine_resp_limits_t  limits;
    ngx_olivine_args_t         args;
    ngx_olivine_args_t         own;

    u_char                    *buf;
    size_t                     len;

    /* a big bulk that is being received */
    u_char                    *run;
    size_t                     want;
    size_t                     have;

    char                      *out;
    size_t                     nout;

    ngx_uint_t                 runs;
    ngx_int_t                  rc;
} test_client_t;


static void
client_init(test_client_t *c)
{
    memset(c, 0, sizeof(test_client_t));

    c->limits.max_args = 1024 * 1024;
    c->limits.max_bulk = 512 * 1024 * 1024;
    c->limits.max_inline = 64 * 1024;
    c->limits.authenticated = 1;

    c->out = calloc(1, 1);
}


static void
client_note(test_client_t *c, const void *data, size_t len)
{
    c->out = realloc(c->out, c->nout + len + 1);
    memcpy(c->out + c->nout, data, len);
    c->nout += len;
    c->out[c->nout] = '\0';
}


static void
client_free(test_client_t *c)
{
    ngx_uint_t  i;

    for (i = 0; c->parser.state && i < c->parser.argc; i++) {
        ngx_olivine_args_t  *args = c->own.nelts ? &c->own : &c->args;

        free(args->elts[c->parser.first + i].run);
    }

    ngx_olivine_args_free(&c->args);
    ngx_olivine_args_free(&c->own);
    free(c->buf);
    free(c->run);
    free(c->out);
}


static void
client_batch(test_client_t *c, ngx_olivine_args_t *args, uint32_t *argc,
    ngx_uint_t n)
{
    uint32_t            k;
    ngx_uint_t          i;
    ngx_olivine_arg_t  *arg;

    arg = args->elts;

    for (i = 0; i < n; i++) {
        for (k = 0; k < argc[i]; k++, arg++) {
            client_note(c, "|", k ? 1 : 0);
            client_note(c, arg->data, arg->len);
            c->runs += (arg->run != NULL);
            free(arg->run);
        }

        client_note(c, ";", 1);
    }
}


/* takes from the stream what belongs to a big bulk; returns the rest */

static size_t
client_receive(test_client_t *c, const u_char *data, size_t len)
{
    ngx_olivine_args_t  *args = c->own.nelts ? &c->own : &c->args;

    len = ngx_min(len, c->want - c->have);
    memcpy(c->run + c->have, data, len);
    c->have += len;

    if (c->have == c->want) {
        assert_int_equal(ngx_olivine_resp_bulk_done(&c->parser, args, c->run,
                                                    c->run),
                         NGX_OK);
        c->run = NULL;
        c->want = 0;
    }

    return len;
}


static ngx_int_t
feed_bytes(test_client_t *c, const void *bytes, size_t len)
{
    u_char              *buf, *pos, *last, text[NGX_OLIVINE_RESP_ERROR];
    size_t               n;
    uint32_t             argc[NGX_OLIVINE_BATCH];
    ngx_str_t            err;
    ngx_int_t            rc;
    ngx_uint_t           k;
    const u_char        *p;
    ngx_olivine_args_t  *args;

    p = bytes;

    if (c->want) {
        n = client_receive(c, p, len);
        p += n;
        len -= n;

        if (c->want) {
            return NGX_BUSY;
        }
    }

    buf = malloc(c->len + len ? c->len + len : 1);

    if (c->len) {
        memcpy(buf, c->buf, c->len);
    }

    if (len) {
        memcpy(buf + c->len, p, len);
    }

    free(c->buf);
    c->buf = buf;
    c->len += len;

    pos = buf;
    last = buf + c->len;
    args = c->own.nelts ? &c->own : &c->args;

    do {
        for (k = 0; k < NGX_OLIVINE_BATCH; /* void */ ) {
            err.data = text;

            rc = ngx_olivine_resp_parse(&c->parser, &pos, last, args,
                                        &c->limits, &err);

            if (rc == NGX_OK) {
                argc[k++] = c->parser.argc;

            } else if (rc != NGX_DONE) {
                break;
            }
        }

        client_batch(c, args, argc, k);

        if (rc == NGX_OK) {
            args->nelts = 0;
        }

    } while (rc == NGX_OK);

    if (rc == NGX_ABORT) {
        client_note(c, "!", 1);
        client_note(c, err.data, err.len);

    } else if (args == &c->args) {
        assert_int_equal(ngx_olivine_resp_park(&c->parser, args, &c->own),
                         NGX_OK);

    } else if (k) {
        /* the vector was the client's own; what is parked moves down */

        ngx_olivine_args_t  fresh = { NULL, 0, 0 };

        assert_int_equal(ngx_olivine_resp_park(&c->parser, args, &fresh),
                         NGX_OK);
        ngx_olivine_args_free(args);
        *args = fresh;
    }

    c->args.nelts = 0;
    c->rc = rc;

    n = last - pos;
    memmove(buf, pos, n);
    c->len = n;

    if (rc == NGX_BUSY) {
        c->run = malloc(c->parser.bulk);
        c->want = c->parser.bulk;
        c->have = 0;

        (void) client_receive(c, buf + c->parser.offset,
                              n - c->parser.offset);

        /* a bulk is big only while it is not all there */
        c->len = c->parser.offset;

        if (c->want == 0) {
            return feed_bytes(c, buf + c->len + c->have,
                              n - c->len - c->have);
        }
    }

    return rc;
}


static ngx_int_t
feed(test_client_t *c, const char *text)
{
    return feed_bytes(c, text, strlen(text));
}


/* the same at every split: in one, bytewise, in two and three pieces */

static void
parses_as(const void *bytes, size_t len, const char *want, size_t big,
    ngx_uint_t authenticated)
{
    size_t         i, k, step;
    test_client_t  c;

    for (step = 1; step <= len; step = (step < 9) ? step + 1 : step * 2) {
        for (k = 0; k < step && k < 16; k++) {
            client_init(&c);
            c.limits.big = big;
            c.limits.authenticated = authenticated;

            (void) feed_bytes(&c, bytes, k);

            for (i = k; i < len && c.rc != NGX_ABORT; i += step) {
                (void) feed_bytes(&c, (u_char *) bytes + i,
                                  ngx_min(step, len - i));
            }

            assert_string_equal(c.out, want);
            client_free(&c);
        }
    }

    client_init(&c);
    c.limits.big = big;
    c.limits.authenticated = authenticated;

    (void) feed_bytes(&c, bytes, len);

    assert_string_equal(c.out, want);
    client_free(&c);
}


#define parses(text, want)                                                    \
    parses_as(text, sizeof(text) - 1, want, 0, 1)


static void
test_resp_parse_takes_any_split(void **state)
{
    parses("*1\r\n$4\r\nPING\r\n", "PING;");
    parses("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n*2\r\n$3\r\nGET\r\n"
           "$1\r\nk\r\n*1\r\n", "SET|k|;GET|k;");
    parses("*2\r\n$3\r\nGET\r\n$12\r\nabc\r\n\r\ndefgh\r\nPING\r\n",
           "GET|abc\r\n\r\ndefgh;PING;");
    parses("*3\r\n$1\r\n*\r\n$1\r\n$\r\n$3\r\n\r\n*\r\n", "*|$|\r\n*;");
}


static void
test_resp_parse_waits_for_a_whole_bulk(void **state)
{
    test_client_t  c;

    client_init(&c);

    assert_int_equal(feed(&c, "*1\r\n$4\r\nPI"), NGX_AGAIN);
    assert_int_equal(c.parser.bulk, 4);
    assert_int_equal(feed(&c, "NG\r"), NGX_AGAIN);
    assert_string_equal(c.out, "");
    assert_int_equal(feed(&c, "\n"), NGX_AGAIN);
    assert_string_equal(c.out, "PING;");

    client_free(&c);
}


static void
test_resp_parse_skips_commands_of_nothing(void **state)
{
    parses("*0\r\n*1\r\n$4\r\nPING\r\n", "PING;");
    parses("*-5\r\n*-1\r\nPING\r\n", "PING;");
    parses("\r\n \r\n\nPING\r\n", "PING;");
    parses("", "");
}


static void
test_resp_parse_is_as_lax_as_redis(void **state)
{
    parses("*1\rX$4\rXPINGxx*1\r\n$1\r\na\r\n", "PING;a;");
}


static void
test_resp_parse_refuses_what_redis_refuses(void **state)
{
    parses("*x\r\n", "!Protocol error: invalid multibulk length");
    parses("*\r\n", "!Protocol error: invalid multibulk length");
    parses("*01\r\n", "!Protocol error: invalid multibulk length");
    parses("* 1\r\n", "!Protocol error: invalid multibulk length");
    parses("*+1\r\n", "!Protocol error: invalid multibulk length");
    parses("*2147483648\r\n", "!Protocol error: invalid multibulk length");
    parses("*1048577\r\n", "!Protocol error: invalid multibulk length");
    parses("*99999999999999999999\r\n",
           "!Protocol error: invalid multibulk length");
    parses("PING\r\n*1\r\n+PING\r\n",
           "PING;!Protocol error: expected '$', got '+'");
    parses("*2\r\n$1\r\na\r\n\r\n",
           "!Protocol error: expected '$', got ' '");
    parses("*1\r\nPING\r\n", "!Protocol error: expected '$', got 'P'");
    parses("*1\r\n$-1\r\n", "!Protocol error: invalid bulk length");
    parses("*1\r\n$\r\n", "!Protocol error: invalid bulk length");
    parses("*1\r\n$00\r\n", "!Protocol error: invalid bulk length");
    parses("*1\r\n$4 \r\n", "!Protocol error: invalid bulk length");
    parses("*1\r\n$536870913\r\n", "!Protocol error: invalid bulk length");
    parses("*1\r\n$9223372036854775807\r\n",
           "!Protocol error: invalid bulk length");
    parses("\"abc\r\n", "!Protocol error: unbalanced quotes in request");
}


static void
test_resp_parse_makes_nothing_of_a_promise(void **state)
{
    test_client_t  c;

    client_init(&c);

    assert_int_equal(feed(&c, "*1048576\r\n$536870912\r\nx"), NGX_AGAIN);
    assert_int_equal(c.args.nalloc + c.own.nalloc, 0);

    client_free(&c);
}


static void
test_resp_parse_allows_little_before_auth(void **state)
{
    parses_as("*11\r\n", 5,
              "!Protocol error: unauthenticated multibulk length", 0, 0);
    parses_as("*1\r\n$16385\r\n", 12,
              "!Protocol error: unauthenticated bulk length", 0, 0);
    parses_as("*10\r\n$16384\r\n", 13, "", 1024, 0);
    parses_as("a b c d e f g h i j k l\r\n", 25,
              "a|b|c|d|e|f|g|h|i|j|k|l;", 0, 0);
}


/* a line of "len" bytes that begins with "type"; whole and in pieces */

static void
line_parses(const char *before, char type, size_t len, const char *want)
{
    char           *text, *p;
    size_t          i, n, step;
    test_client_t   c;

    text = malloc(strlen(before) + len + 2);

    p = text + sprintf(text, "%s", before);
    memset(p, '1', len);
    *p = type;
    p += len;
    *p++ = '\r';
    *p++ = '\n';

    n = p - text;

    for (step = 997; step < 2 * n; step *= 100) {
        client_init(&c);

        for (i = 0; i < n && c.rc != NGX_ABORT; i += step) {
            (void) feed_bytes(&c, text + i, ngx_min(step, n - i));
        }

        if (want) {
            assert_string_equal(c.out, want);

        } else {
            /* a word as long as the line */
            assert_int_equal(c.nout, len + 1);
        }

        client_free(&c);
    }

    free(text);
}


static void
test_resp_parse_limits_each_line(void **state)
{
    size_t  max;

    max = NGX_OLIVINE_MAX_INLINE;

    line_parses("*1\r\n", '$', max, "!Protocol error: invalid bulk length");
    line_parses("*1\r\n", '$', max + 1,
                "!Protocol error: too big bulk count string");

    line_parses("", '*', max, "!Protocol error: invalid multibulk length");
    line_parses("", '*', max + 1,
                "!Protocol error: too big mbulk count string");

    /* the CR counts, as it does while the LF has not come */

    line_parses("", '1', max - 1, NULL);
    line_parses("", '1', max, "!Protocol error: too big inline request");
}


static void
test_resp_parse_splits_lines_into_words(void **state)
{
    parses("PING\r\n", "PING;");
    parses("PING\n", "PING;");
    parses("  SET\tk   v  \r\nGET k\n", "SET|k|v;GET|k;");
    parses("\v\fSET a\vb\r\n", "SET|a\vb;");
    parses("P\"I\\x4eG\"\r\n", "PING;");
    parses("a \"\" ''\n", "a||;");
    parses("\"\\n\\r\\t\\b\\a\\q\\\"\\\\\" x\n", "\n\r\t\b\aq\"\\|x;");
    parses("\"\\x4\" \"\\xzz\" \"\\x41\"\n", "x4|xzz|A;");
    parses("'\\n\\''\n", "\\n';");
    parses("'a\"b' \"a'b\"\n", "a\"b|a'b;");
    parses("'a'\t\"b\"\n", "a|b;");

    parses("'a'b\n", "!Protocol error: unbalanced quotes in request");
    parses("\"a\"b\n", "!Protocol error: unbalanced quotes in request");
    parses("x 'a\n", "!Protocol error: unbalanced quotes in request");
    parses("\"a\\\"\n", "!Protocol error: unbalanced quotes in request");
    parses("\"a\\\n", "!Protocol error: unbalanced quotes in request");
    parses("'a\\'\n", "!Protocol error: unbalanced quotes in request");
}


static void
test_resp_parse_leaves_big_bulks_to_the_caller(void **state)
{
    char           *text, *want;
    size_t          len, big;
    test_client_t   c;

    big = 40;

    text = "*4\r\n$3\r\nSET\r\n$1\r\nk\r\n"
           "$40\r\n0123456789012345678901234567890123456789\r\n"
           "$2\r\nNX\r\n"
           "*2\r\n"
           "$41\r\n01234567890123456789012345678901234567890\r\n"
           "$41\r\nx1234567890123456789012345678901234567890\r\n"
           "PING\r\n";

    want = "SET|k|0123456789012345678901234567890123456789|NX;"
           "01234567890123456789012345678901234567890"
           "|x1234567890123456789012345678901234567890;PING;";

    len = strlen(text);

    parses_as(text, len, want, big, 1);

    /* it is asked for only if it is not there, and only after AUTH */

    client_init(&c);
    c.limits.big = big;
    (void) feed_bytes(&c, text, 30);
    assert_int_equal(c.want, 40);
    (void) feed_bytes(&c, text + 30, len - 30);
    assert_string_equal(c.out, want);
    assert_int_equal(c.runs, 1);
    client_free(&c);

    client_init(&c);
    c.limits.big = big;
    (void) feed_bytes(&c, text, len);
    assert_int_equal(c.runs, 0);
    client_free(&c);

    client_init(&c);
    c.limits.big = big;
    c.limits.authenticated = 0;
    assert_int_equal(feed_bytes(&c, text, 30), NGX_AGAIN);
    client_free(&c);
}


static void
test_resp_parse_big_bulk_may_come_first(void **state)
{
    char  text[] = "*2\r\n$12\r\nabcdefghijkl\r\n$1\r\nx\r\n";

    parses_as(text, strlen(text), "abcdefghijkl|x;", 8, 1);
}


static void
test_resp_parse_grows_to_many_arguments_in_linear_time(void **state)
{
    char           *text, *p;
    size_t          i, len, n;
    test_client_t   c;

    n = 200000;
    text = malloc(n * 7 + 64);
    p = text + sprintf(text, "PING\r\n*%d\r\n", (int) n);

    for (i = 0; i < n; i++) {
        p += sprintf(p, "$1\r\nx\r\n");
    }

    len = p - text;

    /* the pieces end within arguments; the buffer need not move each time */

    {
        u_char     *pos, *last, buf[NGX_OLIVINE_RESP_ERROR];
        ngx_int_t   rc;
        ngx_str_t   err = { 0, buf };

        client_init(&c);
        pos = (u_char *) text;
        rc = NGX_AGAIN;

        for (last = pos + 5; last < (u_char *) text + len; last += 5) {
            rc = ngx_olivine_resp_parse(&c.parser, &pos, last, &c.args,
                                        &c.limits, &err);
            if (rc == NGX_OK) {
                assert_int_equal(c.parser.argc, 1);
            }
        }

        rc = ngx_olivine_resp_parse(&c.parser, &pos, (u_char *) text + len,
                                    &c.args, &c.limits, &err);
        assert_int_equal(rc, NGX_OK);
        assert_int_equal(c.parser.argc, n);
        assert_int_equal(c.args.nelts, n + 1);

        for (i = 0; i < n; i++) {
            assert_int_equal(*c.args.elts[i + 1].data, 'x');
        }

        c.parser.state = 0;
        client_free(&c);
    }

    free(text);
}


static void
test_resp_parse_forgets_on_reset(void **state)
{
    u_char                    *pos, text[NGX_OLIVINE_RESP_ERROR];
    ngx_str_t                  err = { 0, text };
    test_client_t              c;
    char                       bytes[] = "PING\r\n*2\r\n$1\r\na\r\n$4\r\nbc";

    client_init(&c);
    pos = (u_char *) bytes;

    assert_int_equal(ngx_olivine_resp_parse(&c.parser, &pos,
                                            (u_char *) bytes + strlen(bytes),
                                            &c.args, &c.limits, &err),
                     NGX_OK);
    assert_int_equal(ngx_olivine_resp_parse(&c.parser, &pos,
                                            (u_char *) bytes + strlen(bytes),
                                            &c.args, &c.limits, &err),
                     NGX_AGAIN);
    assert_int_equal(c.args.nelts, 2);

    ngx_olivine_resp_reset(&c.parser, &c.args);

    assert_int_equal(c.args.nelts, 1);
    assert_int_equal(c.parser.offset, 0);

    /* a second look at the same bytes begins anew */

    assert_int_equal(ngx_olivine_resp_parse(&c.parser, &pos,
                                            (u_char *) bytes + strlen(bytes),
                                            &c.args, &c.limits, &err),
                     NGX_AGAIN);
    assert_int_equal(c.args.nelts, 2);

    client_free(&c);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_resp_parse_takes_any_split),
        cmocka_unit_test(test_resp_parse_waits_for_a_whole_bulk),
        cmocka_unit_test(test_resp_parse_skips_commands_of_nothing),
        cmocka_unit_test(test_resp_parse_is_as_lax_as_redis),
        cmocka_unit_test(test_resp_parse_refuses_what_redis_refuses),
        cmocka_unit_test(test_resp_parse_makes_nothing_of_a_promise),
        cmocka_unit_test(test_resp_parse_allows_little_before_auth),
        cmocka_unit_test(test_resp_parse_limits_each_line),
        cmocka_unit_test(test_resp_parse_splits_lines_into_words),
        cmocka_unit_test(test_resp_parse_leaves_big_bulks_to_the_caller),
        cmocka_unit_test(test_resp_parse_big_bulk_may_come_first),
        cmocka_unit_test(
                       test_resp_parse_grows_to_many_arguments_in_linear_time),
        cmocka_unit_test(test_resp_parse_forgets_on_reset),
    };

    return unit_run(tests);
}
