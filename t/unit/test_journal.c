
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"


#define WORDS  512


static unit_mem_t   m;

/* a page of the zone to be written to */
static uint64_t    *words;


static ngx_int_t
part_words(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_heap_alloc(tx, 1, NGX_OLIVINE_PAGE_JOURNAL, 0, p);
}


static int
setup(void **state)
{
    uint32_t  page;

    unit_mem_create(&m, 8 * 1024 * 1024, 1);
    assert_int_equal(unit_mem_run(&m, part_words, &page), NGX_OK);
    words = (uint64_t *) ngx_olivine_zone_page(m.zone, page);

    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    return 0;
}


/* Stores of any length and place, in any order, undone down to any mark. */

static void
test_journal_undoes_bytes(void **state)
{
    u_char               data[512];
    size_t               at, len;
    ngx_uint_t           i, k, n;
    ngx_olivine_mark_t   marks[20];

    static u_char        saved[20][NGX_OLIVINE_PAGE];

    srandom(time(NULL));
    memset(words, 'w', NGX_OLIVINE_PAGE);

    for (i = 0; i < 2000; i++) {
        n = 0;

        for (k = 0; k < 20; k++) {
            memcpy(saved[n], words, NGX_OLIVINE_PAGE);
            ngx_olivine_tx_mark(m.tx, &marks[n]);
            n++;

            len = random() % sizeof(data);
            at = random() % (NGX_OLIVINE_PAGE - len);
            memset(data, (int) random(), len);

            switch (random() % 4) {

            case 0:
                ngx_olivine_tx_set64(m.tx, &words[random() % WORDS],
                                     random());
                break;

            case 1:
                ngx_olivine_tx_set32(m.tx, (uint32_t *) &words[at / 8],
                                     random());
                break;

            case 2:
                ngx_olivine_tx_save(m.tx, (u_char *) words + at, len);
                memset((u_char *) words + at, 0, len);
                break;

            default:
                ngx_olivine_tx_set(m.tx, (u_char *) words + at, data, len);
                break;
            }

            if (random() % 4 == 0) {
                n = random() % n;
                ngx_olivine_tx_undo_to(m.tx, &marks[n]);
                assert_memory_equal(words, saved[n], NGX_OLIVINE_PAGE);
            }
        }

        if (n && random() % 2) {
            ngx_olivine_tx_undo(m.tx);
            assert_memory_equal(words, saved[0], NGX_OLIVINE_PAGE);
        }

        assert_int_equal(ngx_olivine_tx_commit(m.tx, NULL, 0, 0), NGX_OK);
        assert_int_equal(m.tx->slot->used, 0);
    }
}


static ngx_int_t
part_many(ngx_olivine_tx_t *tx, void *p)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    for (i = 0; i < *(ngx_uint_t *) p; i++) {

        rc = ngx_olivine_tx_room(tx, 16);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_tx_set64(tx, &words[i % WORDS], i);
    }

    return NGX_OK;
}


static void
test_journal_grows_and_is_given_back(void **state)
{
    uint64_t    used;
    ngx_uint_t  n;

    used = m.zone->heap.used;

    for (n = 1000; n <= 128000; n *= 2) {
        assert_int_equal(unit_mem_run(&m, part_many, &n), NGX_OK);
        assert_int_equal(m.tx->slot->used, 0);
        unit_mem_audit(&m);
    }

    assert_true(m.tx->slot->journal_page != 0);
    assert_true(m.tx->room >= 64000 * 16);
    assert_true(m.zone->heap.used > used);

    ngx_olivine_tx_relax(m.tx);

    assert_int_equal(m.tx->slot->journal_page, 0);
    assert_int_equal(m.tx->room, NGX_OLIVINE_SLOT_JOURNAL);
    assert_int_equal(m.zone->heap.used, used);
}


/* A transaction too large for the zone fails, and nothing of it is seen. */

static void
test_journal_of_a_full_zone(void **state)
{
    ngx_uint_t  n;

    words[0] = 5;
    n = 10000000;

    assert_int_equal(unit_mem_run(&m, part_many, &n), NGX_ERROR);
    assert_int_equal(words[0], 5);
    assert_int_equal(m.tx->slot->used, 0);
    unit_mem_audit(&m);

    n = 100;
    assert_int_equal(unit_mem_run(&m, part_many, &n), NGX_OK);
    ngx_olivine_tx_relax(m.tx);
}


/* Notes of what is to be freed go with what they belong to. */

static void
test_journal_forgets_frees_that_are_undone(void **state)
{
    ngx_uint_t           i;
    ngx_olivine_mark_t   mark;

    for (i = 0; i < 1000; i++) {
        assert_int_equal(ngx_olivine_tx_free(m.tx, words, 0), NGX_OK);
    }

    assert_int_equal(m.tx->nfrees, 1000);

    ngx_olivine_tx_undo(m.tx);
    assert_int_equal(m.tx->nfrees, 0);

    ngx_olivine_tx_mark(m.tx, &mark);
    assert_int_equal(ngx_olivine_tx_free(m.tx, words, 0), NGX_OK);
    ngx_olivine_tx_undo_to(m.tx, &mark);
    assert_int_equal(ngx_olivine_tx_commit(m.tx, NULL, 0, 0), NGX_OK);
    ngx_olivine_tx_unlock(m.tx);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_journal_undoes_bytes,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_journal_grows_and_is_given_back,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_journal_of_a_full_zone,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                    test_journal_forgets_frees_that_are_undone,
                                    setup, teardown),
    };

    return unit_run(tests);
}
