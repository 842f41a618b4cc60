
/*
 * Copyright (C) The Olivine authors
 *
 * What the log gets of commands: replayed in an empty zone it makes the same
 * keys, whatever they were made by.
 */

/* layer: command */


#include "command.h"


#define EFFECT_ARGS  40000
#define EFFECT_LOG   (32 * 1024 * 1024)


static unit_command_t     *c;                     /* clients change this one, */
static unit_command_t     *d;                     /* their effects that one */
static ngx_olivine_arg_t   args[EFFECT_ARGS];
static u_char             *bytes;


static int
setup(void **state)
{
    void  *one, *two;

    (void) unit_command_setup(&one);
    (void) unit_command_setup(&two);

    c = one;
    d = two;
    bytes = malloc(EFFECT_LOG);
    assert_non_null(bytes);

    return 0;
}


static int
teardown(void **state)
{
    void  *one = c, *two = d;

    (void) unit_command_teardown(&one);
    (void) unit_command_teardown(&two);
    free(bytes);

    return 0;
}


static void
give(unit_command_t *to, ngx_olivine_arg_t *argv, ngx_uint_t argc)
{
    ngx_uint_t     n;
    struct iovec   iov[16];

    to->cx.argc = argc;
    to->cx.argv = argv;
    to->cx.command = NULL;
    to->cx.hashed = 0;
    to->cx.now = to->now;
    to->cx.now_us = to->now * 1000;
    to->cx.clock = ngx_olivine_store_clock(to->now);

    to->rc = ngx_olivine_command_run(&to->cx);
    to->text[0] = '\0';

    while ((n = ngx_olivine_reply_iovecs(&to->reply, iov, 16)) != 0) {

        if (to->text[0] == '\0') {
            memcpy(to->text, iov[0].iov_base, 1);
            to->text[1] = '\0';
        }

        while (n) {
            ngx_olivine_reply_consume(&to->reply, iov[--n].iov_len);
        }
    }
}


/* The log so far, done in the other zone. */

static size_t
replay(void)
{
    long     n, i;
    char    *p, *last;
    size_t   len;

    len = ngx_olivine_ring_read(c->z.tx, c->reader, bytes, EFFECT_LOG);
    assert_int_equal(c->z.zone->ring.tail + 1,
                     c->z.zone->ring.offsets[c->reader]);

    p = (char *) bytes;
    last = p + len;

    while (p < last) {
        assert_int_equal(*p, '*');
        n = strtol(p + 1, &p, 10);
        p += 2;
        assert_true(n > 0 && n <= EFFECT_ARGS);

        for (i = 0; i < n; i++) {
            assert_int_equal(*p, '$');
            args[i].len = strtol(p + 1, &p, 10);
            args[i].data = (u_char *) p + 2;
            args[i].run = NULL;
            p += 2 + args[i].len;
            assert_memory_equal(p, "\r\n", 2);
            p += 2;
        }

        give(d, args, n);

        if (d->text[0] == '-' || d->rc != NGX_OK) {
            fail_msg("\"%.*s\" is not replayed", (int) args[0].len,
                     args[0].data);
        }

        (void) ngx_olivine_ring_read(d->z.tx, d->reader, bytes + len,
                                     EFFECT_LOG - len);
    }

    return len;
}


static void
same(void)
{
    u_char  one[20], two[20];

    unit_digest(c->z.tx, one);
    unit_digest(d->z.tx, two);
    assert_memory_equal(one, two, 20);

    unit_audit(c->z.tx);
    unit_audit(d->z.tx);
}


/* An argument that came in by a run. */

static uint32_t
receive(ngx_olivine_arg_t *arg)
{
    uint32_t   index;
    ngx_int_t  rc;

    do {
        rc = ngx_olivine_receipt_open(c->z.tx, arg->len, &index);
    } while (rc == NGX_AGAIN && ngx_olivine_tx_fetch(c->z.tx) == NGX_OK);

    assert_int_equal(rc, NGX_OK);

    memcpy(ngx_olivine_zone_page(c->z.zone,
                                 ngx_olivine_holding_page(c->z.tx, index)),
           arg->data, arg->len);

    arg->data = ngx_olivine_zone_page(c->z.zone,
                                      ngx_olivine_holding_page(c->z.tx,
                                                               index));
    arg->run = (void *) (uintptr_t) (index + 1);

    return index;
}


static void
test_effect_of_big_arguments(void **state)
{
    static u_char      big[100000];
    uint32_t           index[2];
    ngx_uint_t         i;
    ngx_olivine_arg_t  argv[8];

    memset(big, 'b', sizeof(big));
    memset(argv, 0, sizeof(argv));

    /* it has become the value, which is pinned */

    argv[0].data = (u_char *) "set";
    argv[0].len = 3;
    argv[1].data = (u_char *) "k";
    argv[1].len = 1;
    argv[2].data = big;
    argv[2].len = sizeof(big);

    index[0] = receive(&argv[2]);
    give(c, argv, 3);
    assert_string_equal(c->text, "+");
    assert_int_equal(ngx_olivine_receipt_close(c->z.tx, index[0]), NGX_OK);
    assert_int_equal(c->z.zone->ring.held, 25);
    assert_int_equal(c->z.zone->ring.copies, 0);

    /* a pinned value is not written */

    argv[0].data = (u_char *) "append";
    argv[0].len = 6;
    argv[2].data = big;
    argv[2].len = 50000;

    index[0] = receive(&argv[2]);
    give(c, argv, 3);
    assert_string_equal(c->text, ":");
    assert_int_equal(ngx_olivine_receipt_close(c->z.tx, index[0]), NGX_OK);
    assert_int_equal(c->z.zone->ring.held, 25 + 13);
    assert_int_equal(c->z.zone->ring.copies, 13);
    assert_int_equal(c->z.zone->heap.orphans, 25);

    unit_audit(c->z.tx);
    (void) replay();
    same();
    assert_int_equal(c->z.zone->ring.held, 0);
    assert_int_equal(c->z.zone->heap.orphans, 0);

    /* the second takes the place of the first; a long key; a short value */

    argv[0].data = (u_char *) "mset";
    argv[0].len = 4;
    argv[2].data = big;
    argv[2].len = 40000;
    argv[3] = argv[1];
    argv[4].data = big;
    argv[4].len = 60000;
    argv[5].data = big;
    argv[5].len = 30000;
    argv[6] = argv[0];

    index[0] = receive(&argv[2]);
    index[1] = receive(&argv[4]);
    give(c, argv, 7);
    assert_string_equal(c->text, "+");

    for (i = 0; i < 2; i++) {
        assert_int_equal(ngx_olivine_receipt_close(c->z.tx, index[i]), NGX_OK);
    }

    assert_int_equal(c->z.zone->ring.held, 10 + 15 + 8);
    assert_int_equal(c->z.zone->ring.copies, 10 + 8);

    unit_audit(c->z.tx);
    (void) replay();
    same();
}


/* More payloads than a record may have, and more bytes than the ring. */

static void
test_effect_of_many_arguments(void **state)
{
    static u_char      text[20000 * 8], big[20000];
    ngx_uint_t         i;
    ngx_olivine_arg_t *argv;

    argv = calloc(EFFECT_ARGS, sizeof(ngx_olivine_arg_t));
    assert_non_null(argv);

    memset(big, 'b', sizeof(big));
    argv[0].data = (u_char *) "mset";
    argv[0].len = 4;

    for (i = 0; i < 19999; i++) {
        argv[1 + 2 * i].data = text + i * 8;
        argv[1 + 2 * i].len = sprintf((char *) text + i * 8, "%u",
                                      (unsigned) i % 200);
        argv[2 + 2 * i] = argv[1 + 2 * i];
    }

    give(c, argv, 2 * i + 1);
    assert_string_equal(c->text, "+");
    assert_true(c->z.zone->ring.tail < 100);
    assert_true(c->z.zone->ring.copies != 0);
    assert_true(replay() > UNIT_COMMAND_RING / 4);
    same();

    for (i = 0; i < 200; i++) {
        argv[2 + 2 * i].data = big;
        argv[2 + 2 * i].len = sizeof(big) - i;
    }

    give(c, argv, 2 * i + 1);
    assert_string_equal(c->text, "+");
    unit_audit(c->z.tx);
    assert_true(replay() > 199 * 19800);
    same();

    free(argv);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_effect_of_big_arguments, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_effect_of_many_arguments, setup,
                                        teardown),
    };

    return unit_run(tests);
}
