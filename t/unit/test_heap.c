
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include <sys/stat.h>


#define RUNS   400
#define STEPS  30000


typedef struct {
    size_t      n;
    uint32_t    page;
} run_t;


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


static ngx_int_t
part_take(ngx_olivine_tx_t *tx, void *p)
{
    run_t *run = p;

    return ngx_olivine_heap_alloc(tx, run->n, NGX_OLIVINE_PAGE_JOURNAL, 0,
                                  &run->page);
}


static ngx_int_t
part_release(ngx_olivine_tx_t *tx, void *p)
{
    run_t *run = p;

    return ngx_olivine_heap_release(tx, run->page);
}


static ngx_int_t
part_cut(ngx_olivine_tx_t *tx, void *p)
{
    run_t *run = p;

    return ngx_olivine_heap_cut(tx, run->page, run->n);
}


static void
paint(run_t *run)
{
    memset(ngx_olivine_zone_page(m.zone, run->page), (u_char) run->page,
           run->n << NGX_OLIVINE_PAGE_SHIFT);
}


static void
check(run_t *run)
{
    size_t   i;
    u_char  *p;

    p = ngx_olivine_zone_page(m.zone, run->page);

    for (i = 0; i < run->n << NGX_OLIVINE_PAGE_SHIFT; i += 509) {
        assert_int_equal(p[i], (u_char) run->page);
    }
}


static void
release_all(run_t *runs)
{
    ngx_uint_t  i;

    for (i = 0; i < RUNS; i++) {
        if (runs[i].n) {
            assert_int_equal(unit_mem_run(&m, part_release, &runs[i]), NGX_OK);
            runs[i].n = 0;
        }
    }
}


static void
test_heap_agrees_with_a_model(void **state)
{
    run_t        runs[RUNS], *run, lost;
    size_t       used;
    unsigned     seed;
    ngx_int_t    rc;
    ngx_uint_t   i;

    seed = (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    memset(runs, 0, sizeof(runs));
    used = m.zone->heap.used;

    for (i = 0; i < STEPS; i++) {
        run = &runs[random() % RUNS];

        switch (random() % 8) {

        case 0:
        case 1:
        case 2:

            if (run->n) {
                check(run);
                used -= run->n;
                assert_int_equal(unit_mem_run(&m, part_release, run), NGX_OK);
            }

            run->n = 1 + random() % (random() % 3 ? 8 : 300);
            rc = unit_mem_run(&m, part_take, run);

            if (rc == NGX_OK) {
                used += run->n;
                paint(run);

            } else {

                /* there was no room, or no run of that length */

                assert_true(used + run->n > m.zone->heap.limit * 9 / 10);
                run->n = 0;
            }

            break;

        case 3:
        case 4:

            if (run->n) {
                check(run);
                assert_int_equal(unit_mem_run(&m, part_release, run), NGX_OK);
                used -= run->n;
                run->n = 0;
            }

            break;

        case 5:

            if (run->n > 1) {
                used -= run->n;
                run->n = 1 + random() % run->n;
                used += run->n;
                assert_int_equal(unit_mem_run(&m, part_cut, run), NGX_OK);
                check(run);
            }

            break;

        case 6:

            /* all of that, undone */

            lost = *run;

            if (lost.n) {
                assert_int_equal(part_release(m.tx, &lost), NGX_OK);
                lost.n = 1 + random() % lost.n;
                assert_int_equal(part_cut(m.tx, &lost), NGX_OK);
            }

            lost.n = 1 + random() % 20;
            (void) part_take(m.tx, &lost);
            unit_mem_undo(&m);

            if (run->n) {
                check(run);
            }

            break;

        default:
            (void) ngx_olivine_heap_trim(m.tx, random() % 300);
            break;
        }

        assert_int_equal(m.zone->heap.used, used);

        if (i % 500 == 0) {
            unit_mem_audit(&m);
        }
    }

    release_all(runs);
}


/* A run that ends with the reserve has no neighbour to be described. */

static void
test_heap_gives_the_last_page_of_the_reserve(void **state)
{
    run_t       run;
    uint32_t    last, left;
    ngx_uint_t  n;

    /* the reserve is all there is, and may be taken */

    m.zone->heap.limit = 2 * m.zone->heap.last;
    last = 0;

    for (n = 0; n < 100000; n++) {
        left = m.zone->heap.last - last;
        run.n = last ? ngx_min(left, 500) : 1;

        if (left == 0 || unit_mem_run(&m, part_take, &run) != NGX_OK) {
            break;
        }

        last = ngx_max(last, run.page + run.n);
    }

    assert_int_equal(last, m.zone->heap.last);
}


/* Where no long hole is left, a short one does for a short run. */

static void
test_heap_grows_in_short_holes(void **state)
{
    run_t        run;
    ngx_uint_t   i, n;

    static run_t  runs[100000];

    m.zone->heap.limit = 2 * m.zone->heap.last;

    for (n = 0; n < 100000; n++) {
        runs[n].n = 10;

        if (unit_mem_run(&m, part_take, &runs[n]) != NGX_OK) {
            break;
        }
    }

    for (i = 0; i < n - 40; i += 2) {
        assert_int_equal(unit_mem_run(&m, part_release, &runs[i]), NGX_OK);
    }

    while (ngx_olivine_heap_trim(m.tx, 0) == NGX_OK) { /* void */ }

    assert_int_equal(m.zone->heap.used, m.zone->heap.backed);

    /* every second place is a hole now */

    run.n = 9;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);
    run.n = 10;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);
}


/* What is free and what is a hole may together be room. */

static void
test_heap_joins_what_is_free_with_holes(void **state)
{
    run_t        run;
    ngx_uint_t   i, n;

    static run_t  runs[100000];

    m.zone->heap.limit = 2 * m.zone->heap.last;

    for (n = 0; n < 100000; n++) {
        runs[n].n = 10;

        if (unit_mem_run(&m, part_take, &runs[n]) != NGX_OK) {
            break;
        }
    }

    /* the one becomes a hole, its neighbour stays backed */

    i = n / 2;

    assert_int_equal(unit_mem_run(&m, part_release, &runs[i]), NGX_OK);

    while (ngx_olivine_heap_trim(m.tx, 0) == NGX_OK) { /* void */ }

    assert_int_equal(unit_mem_run(&m, part_release, &runs[i + 1]), NGX_OK);

    run.n = 20;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);
    assert_int_equal(run.page, runs[i].page);
}


static uint64_t
kernel_pages(void)
{
    struct stat  st;

    assert_int_equal(fstat(m.fd, &st), 0);

    return (uint64_t) st.st_blocks * 512 >> NGX_OLIVINE_PAGE_SHIFT;
}


static void
test_heap_returns_pages_to_the_kernel(void **state)
{
    off_t       at;
    run_t       run, other;
    uint64_t    before;

    before = kernel_pages();

    run.n = 700;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);
    paint(&run);

    other.n = 1;
    assert_int_equal(unit_mem_run(&m, part_take, &other), NGX_OK);

    assert_true(kernel_pages() >= before + 700);

    assert_int_equal(unit_mem_run(&m, part_release, &run), NGX_OK);
    assert_true(kernel_pages() >= before + 700);

    while (ngx_olivine_heap_trim(m.tx, 50) == NGX_OK) {
        unit_mem_audit(&m);
    }

    assert_int_equal(m.zone->heap.backed - m.zone->heap.used, 50);
    assert_true(kernel_pages() <= before + 60);

    at = (off_t) run.page << NGX_OLIVINE_PAGE_SHIFT;
    assert_true(lseek(m.fd, at, SEEK_HOLE) < at + (700 << 12));

    /* and takes them again */

    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);
    assert_true(kernel_pages() >= before + 700);
    paint(&run);
    check(&run);
}


/* Nobody knows how far a run in transit came: it is a hole afterwards. */

static ngx_int_t
part_transit(ngx_olivine_tx_t *tx, void *p)
{
    run_t *run = p;

    ngx_int_t  rc;

    rc = part_take(tx, run);

    if (rc == NGX_OK) {
        ngx_olivine_tx_set32(tx, &tx->slot->transit, run->page);
        ngx_olivine_tx_set(tx, &tx->zone->pages[run->page].kind,
                           &(uint8_t) { NGX_OLIVINE_PAGE_TRANSIT }, 1);
        ngx_olivine_tx_set64(tx, &tx->zone->heap.used,
                             tx->zone->heap.used - run->n);
    }

    return rc;
}


static void
test_heap_settles_a_run_in_transit(void **state)
{
    run_t     run;
    uint64_t  before;

    run.n = 600;
    assert_int_equal(unit_mem_run(&m, part_transit, &run), NGX_OK);
    unit_mem_audit(&m);

    before = kernel_pages();
    assert_int_equal(ngx_olivine_heap_settle(m.tx, m.tx->slot), NGX_OK);
    assert_int_equal(m.tx->slot->transit, 0);
    assert_int_equal(kernel_pages(), before - 600);
    unit_mem_audit(&m);
}


/* What the kernel does not give is no memory, and no signal. */

static void
test_heap_on_a_full_host(void **state)
{
    int         fd;
    run_t       run;
    uint64_t    backed;

    fd = m.tx->fd;
    backed = m.zone->heap.backed;

    m.tx->fd = -1;
    run.n = 20;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_ERROR);
    assert_int_equal(m.zone->heap.backed, backed);
    assert_int_equal(m.tx->slot->transit, 0);
    unit_mem_audit(&m);

    m.tx->fd = fd;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);
}


/* The last per cent is for those that make room. */

static void
test_heap_keeps_a_reserve(void **state)
{
    run_t       run;
    uint64_t    limit;

    limit = m.zone->heap.limit;
    run.n = 1;

    while (unit_mem_run(&m, part_take, &run) == NGX_OK) { /* void */ }

    assert_true(m.zone->heap.used >= limit - limit / 100 - 1);
    assert_true(m.zone->heap.used < limit);

    m.tx->reserve = 1;

    while (unit_mem_run(&m, part_take, &run) == NGX_OK) { /* void */ }

    assert_int_equal(m.zone->heap.used, limit);
    m.tx->reserve = 0;
}


/*
 * Two runs that find room one by one, but not together: the one is not made
 * way for the other for ever.
 */

static ngx_int_t
part_take_two(ngx_olivine_tx_t *tx, void *p)
{
    run_t *run = p;

    ngx_int_t  rc;

    rc = part_take(tx, &run[0]);

    return rc == NGX_OK ? part_take(tx, &run[1]) : rc;
}


static void
test_heap_makes_way_for_a_while_only(void **state)
{
    run_t        two[2];
    uint32_t     page;
    ngx_int_t    rc;
    ngx_uint_t   i, n;

    static run_t  runs[5000];

    for (n = 0; n < 5000; n++) {
        runs[n].n = 1;

        if (unit_mem_run(&m, part_take, &runs[n]) != NGX_OK) {
            break;
        }
    }

    /* some pages here and there, none beside another */

    page = 0;

    for (i = 0; i < 80; i += 2) {
        assert_true(runs[i].page > page);
        page = runs[i].page + 1;
        assert_int_equal(unit_mem_run(&m, part_release, &runs[i]), NGX_OK);
    }

    for (i = 1; i < 25; i++) {
        two[0].n = i;
        two[1].n = 40 - i;

        (void) alarm(20);
        rc = unit_mem_run(&m, part_take_two, two);
        (void) alarm(0);

        assert_true(rc == NGX_OK || rc == NGX_ERROR);

        if (rc == NGX_OK) {
            assert_int_equal(unit_mem_run(&m, part_release, &two[0]), NGX_OK);
            assert_int_equal(unit_mem_run(&m, part_release, &two[1]), NGX_OK);
        }

        unit_mem_audit(&m);
    }

    /* the next one is not refused for it */

    two[0].n = 40;
    assert_int_equal(unit_mem_run(&m, part_take, &two[0]), NGX_OK);
}


/* A lower limit: nothing more is given until enough came back. */

static void
test_heap_above_its_limit(void **state)
{
    run_t       runs[10], run;
    ngx_uint_t  i;

    for (i = 0; i < 10; i++) {
        runs[i].n = 200;
        assert_int_equal(unit_mem_run(&m, part_take, &runs[i]), NGX_OK);
    }

    m.zone->heap.limit = 1000;
    run.n = 1;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_ERROR);

    for (i = 0; i < 5; i++) {
        assert_int_equal(unit_mem_run(&m, part_release, &runs[i]), NGX_OK);
        assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_ERROR);
    }

    assert_int_equal(unit_mem_run(&m, part_release, &runs[5]), NGX_OK);
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);

    run.n = 150;
    assert_int_equal(unit_mem_run(&m, part_take, &run), NGX_OK);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_heap_agrees_with_a_model,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                  test_heap_gives_the_last_page_of_the_reserve,
                                  setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_grows_in_short_holes,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                       test_heap_joins_what_is_free_with_holes,
                                       setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_returns_pages_to_the_kernel,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_settles_a_run_in_transit,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_on_a_full_host,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_keeps_a_reserve,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_makes_way_for_a_while_only,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_heap_above_its_limit,
                                        setup, teardown),
    };

    return unit_run(tests);
}
