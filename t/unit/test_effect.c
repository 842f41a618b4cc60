
/*
 * Copyright (C) The Olivine authors
 *
 * What the log gets of commands: replayed in an empty zone it makes the same
 * keys, whatever they were made by.
 */

/* layer: command */


#include "effect.h"


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
    assert_string_equal(c->text, "+OK\r\n");
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
    assert_int_equal(c->text[0], ':');
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
    assert_string_equal(c->text, "+OK\r\n");

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
    assert_string_equal(c->text, "+OK\r\n");
    assert_true(c->z.zone->ring.tail < 100);
    assert_true(c->z.zone->ring.copies != 0);
    assert_true(replay() > UNIT_COMMAND_RING / 4);
    same();

    for (i = 0; i < 200; i++) {
        argv[2 + 2 * i].data = big;
        argv[2 + 2 * i].len = sizeof(big) - i;
    }

    give(c, argv, 2 * i + 1);
    assert_string_equal(c->text, "+OK\r\n");
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
