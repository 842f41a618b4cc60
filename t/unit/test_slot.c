
/*
 * Copyright (C) The Olivine authors
 */

/* layer: store */


#include "zone.h"


/* Slots run out: the oldest generation is asked to leave, and only it. */

static void
test_slot_shortage_asks_the_oldest_to_leave(void **state)
{
    ngx_int_t                 rc;
    ngx_uint_t                i;
    unit_zone_t               z;
    ngx_olivine_slot_t       *slot;
    static ngx_olivine_tx_t   tx[NGX_OLIVINE_MAX_SLOTS + 1];

    unit_zone_create(&z, 16 * 1024 * 1024, 1);
    z.zone->cycle = 7;

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        assert_int_equal(ngx_olivine_slot_claim(&tx[i], z.zone, z.fd,
                                                i < 5 ? 3 : i < 9 ? 6 : 7),
                         NGX_OK);
        assert_int_equal(tx[i].slot->number, i);
    }

    rc = ngx_olivine_slot_claim(&tx[i], z.zone, z.fd, 7);
    assert_int_equal(rc, NGX_DECLINED);

    assert_int_equal(ngx_olivine_slot_crowd(z.zone), 5);

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        slot = ngx_olivine_slot_at(z.zone, i);
        assert_int_equal(slot->hints, i < 5 ? NGX_OLIVINE_HINT_LEAVE : 0);
    }

    /* one leaves, and its slot is had, with another generation of its own */

    i = tx[2].slot->generation;
    ngx_olivine_slot_leave(&tx[2]);

    assert_int_equal(ngx_olivine_slot_claim(&tx[2], z.zone, z.fd, 7), NGX_OK);
    assert_int_equal(tx[2].slot->number, 2);
    assert_int_equal(tx[2].slot->generation, i + 1);
    assert_int_equal(tx[2].slot->hints, 0);

    for (i = 0; i < NGX_OLIVINE_MAX_SLOTS; i++) {
        ngx_olivine_slot_leave(&tx[i]);
    }

    /* the newest are not asked, however many they are */

    assert_int_equal(ngx_olivine_slot_claim(&tx[0], z.zone, z.fd, 7), NGX_OK);
    assert_int_equal(ngx_olivine_slot_crowd(z.zone), 0);
    ngx_olivine_slot_leave(&tx[0]);

    unit_zone_destroy(&z);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_slot_shortage_asks_the_oldest_to_leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
