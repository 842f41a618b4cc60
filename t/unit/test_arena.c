
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"


#define CELLS  5000
#define STEPS  200000


typedef struct {
    u_char      *p;
    size_t       size;
    u_char       fill;
    ngx_uint_t   shard;
} cell_t;


static unit_mem_t  m;


static int
setup(void **state)
{
    unit_mem_create(&m, 64 * 1024 * 1024, 2);
    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    return 0;
}


static ngx_int_t
part_alloc(ngx_olivine_tx_t *tx, void *data)
{
    cell_t *cell = data;

    if (ngx_olivine_tx_lock_shard(tx, cell->shard) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_arena_alloc(tx,
                              ngx_olivine_zone_arena(tx->zone, cell->shard),
                              cell->size, (void **) &cell->p);
}


static ngx_int_t
part_free(ngx_olivine_tx_t *tx, void *data)
{
    cell_t *cell = data;

    if (ngx_olivine_tx_lock_shard(tx, cell->shard) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_arena_free(tx,
                              ngx_olivine_zone_arena(tx->zone, cell->shard),
                              cell->p, cell->size);
}


static void
check(cell_t *cell)
{
    assert_int_equal(cell->p[0], cell->fill);
    assert_int_equal(cell->p[cell->size / 2], cell->fill);
    assert_int_equal(cell->p[cell->size - 1], cell->fill);
}


static uint64_t
used(void)
{
    return ngx_olivine_zone_arena(m.zone, 0)->used
           + ngx_olivine_zone_arena(m.zone, 1)->used;
}


static void
test_arena_agrees_with_a_model(void **state)
{
    cell_t      *cell, lost;
    unsigned     seed;
    uint64_t     sum;
    ngx_uint_t   i;

    static cell_t  cells[CELLS];

    seed = (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    sum = 0;

    for (i = 0; i < STEPS; i++) {
        cell = &cells[random() % CELLS];

        if (cell->p == NULL) {

            /* rather few in one half of the steps than in the other */

            if ((i / 20000) % 2 && random() % 4) {
                continue;
            }

            cell->shard = random() % 2;
            cell->size = 1 + random() % (random() % 20 ? 200 : 16384);
            cell->fill = (u_char) random();

            assert_int_equal(unit_mem_run(&m, part_alloc, cell), NGX_OK);
            assert_int_equal((uintptr_t) cell->p % 8, 0);

            if (cell->size % 64 == 0 && cell->size <= 4096) {
                assert_int_equal((uintptr_t) cell->p % 64, 0);
            }

            memset(cell->p, cell->fill, cell->size);
            sum += ngx_olivine_arena_room(cell->size);

        } else if (random() % 8 == 0) {

            lost = *cell;
            assert_int_equal(part_free(m.tx, &lost), NGX_OK);
            (void) part_alloc(m.tx, &lost);
            unit_mem_undo(&m);
            check(cell);

        } else {
            check(cell);
            sum -= ngx_olivine_arena_room(cell->size);
            assert_int_equal(unit_mem_run(&m, part_free, cell), NGX_OK);
            cell->p = NULL;
        }

        if (i % 5000 == 0) {
            assert_int_equal(used(), sum);
            unit_mem_audit(&m);
        }
    }

    for (i = 0; i < CELLS; i++) {
        if (cells[i].p) {
            check(&cells[i]);
            assert_int_equal(unit_mem_run(&m, part_free, &cells[i]), NGX_OK);
        }
    }

    /* a class keeps one run, of 33 pages at the most */

    assert_int_equal(used(), 0);
    assert_true(m.zone->heap.used < 2 * 128 * 17);
}


/* Classes lie closely, and whatever is asked for fits. */

static void
test_arena_wastes_little(void **state)
{
    size_t  size, room;

    for (size = 1; size <= NGX_OLIVINE_ARENA_MAX; size++) {
        room = ngx_olivine_arena_room(size);

        assert_true(room >= size);
        assert_true(room - size < 8 || room - size <= size / 16);
        assert_int_equal(ngx_olivine_arena_room(room), room);
    }

    assert_int_equal(ngx_olivine_arena_room(NGX_OLIVINE_ARENA_MAX),
                     NGX_OLIVINE_ARENA_MAX);
}


/* What one shard freed another may have. */

static void
test_arena_returns_empty_runs(void **state)
{
    uint64_t    before;
    ngx_uint_t  i, shard;

    static cell_t  cells[CELLS];

    before = 0;

    for (shard = 0; shard < 2; shard++) {
        for (i = 0; i < CELLS; i++) {
            cells[i].shard = shard;
            cells[i].size = 512;
            assert_int_equal(unit_mem_run(&m, part_alloc, &cells[i]), NGX_OK);
        }

        for (i = 0; i < CELLS; i++) {
            assert_int_equal(unit_mem_run(&m, part_free,
                                          &cells[(i * 7) % CELLS]), NGX_OK);
        }

        if (shard == 0) {
            before = m.zone->heap.backed;
        }
    }

    assert_true(m.zone->heap.backed <= before + 128);
    assert_true(m.zone->heap.used < 2 * 33);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_arena_agrees_with_a_model,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_arena_wastes_little,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_arena_returns_empty_runs,
                                        setup, teardown),
    };

    return unit_run(tests);
}
