
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include <signal.h>
#include <sys/wait.h>


static unit_mem_t  m;


static int
setup(void **state)
{
    unit_mem_create(&m, 16 * 1024 * 1024, 2);
    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    return 0;
}


static void
test_slot_is_claimed_once(void **state)
{
    ngx_uint_t        i, n;
    ngx_olivine_tx_t  *tx;

    static ngx_olivine_tx_t  *many[NGX_OLIVINE_MAX_SLOTS];

    /* this test has one */

    for (n = 0; n < NGX_OLIVINE_MAX_SLOTS - 1; n++) {
        many[n] = calloc(1, sizeof(ngx_olivine_tx_t));
        assert_int_equal(ngx_olivine_slot_claim(many[n], m.zone, m.fd, 1),
                         NGX_OK);
        assert_int_equal(many[n]->slot->number, n + 1);
        assert_int_equal(ngx_olivine_slot_dead(m.zone, n + 1), 0);
    }

    tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_int_equal(ngx_olivine_slot_claim(tx, m.zone, m.fd, 1),
                     NGX_DECLINED);

    for (i = 0; i < n; i++) {
        assert_true(many[i]->owner != m.tx->owner);
        assert_true(i == 0 || many[i]->owner != many[i - 1]->owner);
    }

    ngx_olivine_slot_leave(many[77]);
    assert_int_equal(ngx_olivine_slot_claim(tx, m.zone, m.fd, 1), NGX_OK);
    assert_int_equal(tx->slot->number, 78);
    assert_true(tx->owner != many[77]->owner);
    ngx_olivine_slot_leave(tx);
    free(tx);

    assert_int_equal(ngx_olivine_slot_sweep_all(m.tx), 0);

    for (i = 0; i < n; i++) {
        if (i != 77) {
            ngx_olivine_slot_leave(many[i]);
        }

        free(many[i]);
    }
}


/* Slots run out: of those that quit the oldest generation has to go. */

static void
test_slot_shortage_asks_the_oldest_to_leave(void **state)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    static ngx_olivine_tx_t  *many[NGX_OLIVINE_MAX_SLOTS];

    m.zone->cycle = 7;
    m.tx->slot->cycle = 7;

    for (i = 1; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        many[i] = calloc(1, sizeof(ngx_olivine_tx_t));
        assert_int_equal(ngx_olivine_slot_claim(many[i], m.zone, m.fd,
                                                i < 5 ? 3 : i < 9 ? 6 : 7),
                         NGX_OK);
        many[i]->slot->leaving = (i < 9);
    }

    /* two generations that go on, beside each other in an upgrade */

    many[200]->slot->cycle = 2;

    many[0] = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_int_equal(ngx_olivine_slot_claim(many[0], m.zone, m.fd, 7),
                     NGX_DECLINED);

    assert_int_equal(ngx_olivine_slot_crowd(m.zone), 4);

    for (i = 1; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        slot = ngx_olivine_slot_at(m.zone, i);
        assert_int_equal(slot->hints, i < 5 ? NGX_OLIVINE_HINT_LEAVE : 0);
    }

    /* one leaves, and its slot is had, with another generation of its own */

    i = many[2]->slot->generation;
    ngx_olivine_slot_leave(many[2]);

    assert_int_equal(ngx_olivine_slot_claim(many[2], m.zone, m.fd, 7),
                     NGX_OK);
    assert_int_equal(many[2]->slot->number, 2);
    assert_int_equal(many[2]->slot->generation, i + 1);
    assert_int_equal(many[2]->slot->hints, 0);

    for (i = 1; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        ngx_olivine_slot_leave(many[i]);
        free(many[i]);
    }

    free(many[0]);

    /* those that go on are not asked, however many they are */

    assert_int_equal(ngx_olivine_slot_crowd(m.zone), 0);
}


static void
test_slot_of_one_that_leaves_is_no_heir(void **state)
{
    ngx_olivine_tx_t  *tx;

    m.tx->slot->cycle = 7;

    assert_true(ngx_olivine_slot_heirs(m.zone));
    assert_false(ngx_olivine_slot_others(m.zone, 7));
    assert_true(ngx_olivine_slot_others(m.zone, 6));

    m.tx->slot->leaving = 1;

    assert_false(ngx_olivine_slot_heirs(m.zone));
    assert_false(ngx_olivine_slot_others(m.zone, 6));

    tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_int_equal(ngx_olivine_slot_claim(tx, m.zone, m.fd, 7), NGX_OK);

    assert_true(ngx_olivine_slot_heirs(m.zone));
    assert_true(ngx_olivine_slot_others(m.zone, 8));

    /* who has the slot next is not leaving */

    tx->slot->leaving = 1;
    ngx_olivine_slot_leave(tx);
    assert_int_equal(ngx_olivine_slot_claim(tx, m.zone, m.fd, 7), NGX_OK);
    assert_true(ngx_olivine_slot_heirs(m.zone));

    ngx_olivine_slot_leave(tx);
    free(tx);

    assert_false(ngx_olivine_slot_heirs(m.zone));
    m.tx->slot->leaving = 0;
}


static void
test_slot_counters_outlive_their_owner(void **state)
{
    ngx_olivine_tx_t        *tx;
    ngx_olivine_counters_t   sum;

    tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_int_equal(ngx_olivine_slot_claim(tx, m.zone, m.fd, 1), NGX_OK);

    tx->slot->counters.commands = 5;
    tx->slot->longest_turn = 9;
    m.tx->slot->counters.commands = 2;

    ngx_olivine_slot_counters(m.zone, &sum);
    assert_int_equal(sum.commands, 7);

    ngx_olivine_slot_leave(tx);
    ngx_olivine_slot_counters(m.zone, &sum);
    assert_int_equal(sum.commands, 7);
    assert_int_equal(m.zone->longest_turn, 9);

    assert_int_equal(ngx_olivine_slot_claim(tx, m.zone, m.fd, 1), NGX_OK);
    assert_int_equal(tx->slot->counters.commands, 0);
    ngx_olivine_slot_leave(tx);
    free(tx);
}


/* All that an owner can hold: nothing is left of it when it leaves. */

static ngx_int_t
part_room(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_tx_room(tx, 500000);
}


static ngx_int_t
part_hold(ngx_olivine_tx_t *tx, void *p)
{
    uint32_t   page, index;
    ngx_int_t  rc;

    rc = ngx_olivine_arena_pages(tx, ngx_olivine_zone_arena(tx->zone, 1), 3,
                                 NGX_OLIVINE_PAGE_VALUE, &page);

    if (rc == NGX_OK) {
        rc = ngx_olivine_pin(tx, page, &index);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_value_drop(tx, page);
    }

    return rc;
}


static ngx_int_t
part_hold_locked(ngx_olivine_tx_t *tx, void *p)
{
    if (ngx_olivine_tx_lock_shard(tx, 1) != NGX_OK) {
        return NGX_AGAIN;
    }

    return part_hold(tx, p);
}


static void
hold(ngx_olivine_tx_t *tx)
{
    uint32_t    index;
    ngx_int_t   rc;
    unit_mem_t  own;
    ngx_uint_t  i;

    own = m;
    own.tx = tx;

    (void) unit_mem_run(&own, part_room, NULL);

    for (i = 0; i < 3; i++) {
        do {
            rc = ngx_olivine_receipt_open(tx, 50000, &index);
        } while (rc == NGX_AGAIN && ngx_olivine_tx_fetch(tx) == NGX_OK);

        (void) unit_mem_run(&own, part_hold_locked, NULL);
    }
}


static void
test_slot_leaves_nothing_behind(void **state)
{
    uint64_t          used;
    ngx_olivine_tx_t  *tx;

    used = m.zone->heap.used;

    tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_int_equal(ngx_olivine_slot_claim(tx, m.zone, m.fd, 1), NGX_OK);

    hold(tx);
    assert_true(m.zone->heap.used > used + 100);
    assert_int_equal(m.zone->heap.orphans, 9);
    assert_int_equal(m.zone->heap.receipts, 39);

    ngx_olivine_slot_leave(tx);

    assert_int_equal(ngx_olivine_slot_at(m.zone, 1)->state,
                     NGX_OLIVINE_SLOT_FREE);
    assert_int_equal(m.zone->heap.used, used);
    assert_int_equal(m.zone->heap.orphans, 0);
    assert_int_equal(m.zone->heap.receipts, 0);
    free(tx);
}


static void
test_slot_of_the_dead_is_swept(void **state)
{
    int                status;
    pid_t              pid;
    uint64_t           used;
    ngx_olivine_tx_t  *tx;

    used = m.zone->heap.used;
    pid = fork();

    if (pid == 0) {
        ngx_pid = getpid();
        tx = calloc(1, sizeof(ngx_olivine_tx_t));

        if (ngx_olivine_slot_claim(tx, m.zone, m.fd, 1) == NGX_OK) {
            tx->slot->counters.commands = 3;
            hold(tx);
        }

        (void) kill(getpid(), SIGKILL);
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);

    assert_int_equal(ngx_olivine_slot_sweep(m.tx, 0), NGX_DECLINED);
    assert_int_equal(ngx_olivine_slot_sweep(m.tx, 200), NGX_DECLINED);
    assert_int_equal(ngx_olivine_slot_sweep(m.tx, 1), NGX_OK);
    assert_int_equal(ngx_olivine_slot_sweep(m.tx, 1), NGX_DECLINED);

    assert_int_equal(m.zone->heap.used, used);
    assert_int_equal(m.zone->heap.orphans, 0);
    assert_int_equal(m.zone->heap.receipts, 0);
    assert_int_equal(m.zone->counters.commands, 3);
    assert_int_equal(m.zone->recovered, 1);

    /* those who wait are told to look */

    assert_true(m.tx->slot->hints & NGX_OLIVINE_HINT_LOOK);
}


static void
test_slot_rings_its_bell(void **state)
{
    uint64_t  n;

    m.tx->slot->hints = 0;

    ngx_olivine_slot_ring(m.zone, 0, NGX_OLIVINE_HINT_PARAMS);
    ngx_olivine_slot_ring_all(m.zone, NGX_OLIVINE_HINT_CREDIT);

    assert_int_equal(m.tx->slot->hints,
                     NGX_OLIVINE_HINT_PARAMS|NGX_OLIVINE_HINT_CREDIT);
    assert_int_equal(read(m.zone->bells[0], &n, 8), 8);
    assert_int_equal(n, 2);

    /* others' slots are left alone */

    assert_int_equal(ngx_olivine_slot_at(m.zone, 1)->hints, 0);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_slot_is_claimed_once,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                   test_slot_shortage_asks_the_oldest_to_leave,
                                   setup, teardown),
        cmocka_unit_test_setup_teardown(
                                        test_slot_of_one_that_leaves_is_no_heir,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_slot_counters_outlive_their_owner,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_slot_leaves_nothing_behind,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_slot_of_the_dead_is_swept,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_slot_rings_its_bell,
                                        setup, teardown),
    };

    return unit_run(tests);
}
