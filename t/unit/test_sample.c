
/*
 * Copyright (C) The Olivine authors
 *
 * Samples: rows, stacks, and what is in use.
 */


#include "mem.h"

#include <sys/wait.h>


#define MB     (1024 * 1024)
#define CELLS  20000
#define FIRST  0x123456789abcdefull


typedef ngx_int_t (*part_pt)(ngx_olivine_tx_t *tx, void *data);


static unit_mem_t   m;
static ngx_int_t    running;
static void        *cells[CELLS];


static ngx_int_t
command(void *data)
{
    return *(ngx_int_t *) data;
}


static void
begin(ngx_olivine_tx_t *tx, uint64_t bytes)
{
    running = NGX_ERROR;

    tx->sampler.command = command;
    tx->sampler.data = &running;
    tx->sampler.random = FIRST;          /* the same draws each time */

    ngx_olivine_sample_rate(tx, bytes);
}


static int
setup(void **state)
{
    unit_mem_create(&m, 64 * MB, 2);
    begin(m.tx, 4096);

    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);

    return 0;
}


/* Functions that take memory, each a site of its own. */

static __attribute__((noinline)) ngx_int_t
part_small(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t  rc;

    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        return NGX_AGAIN;
    }

    rc = ngx_olivine_arena_alloc(tx, ngx_olivine_zone_arena(tx->zone, 0), 48,
                                 data);
    ngx_olivine_barrier();

    return rc;
}


static __attribute__((noinline)) ngx_int_t
part_large(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t  rc;

    if (ngx_olivine_tx_lock_shard(tx, 1) != NGX_OK) {
        return NGX_AGAIN;
    }

    rc = ngx_olivine_arena_alloc(tx, ngx_olivine_zone_arena(tx->zone, 1), 1024,
                                 data);
    ngx_olivine_barrier();

    return rc;
}


static __attribute__((noinline)) ngx_int_t
part_pages(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t  rc;

    if (ngx_olivine_tx_lock_shard(tx, 1) != NGX_OK) {
        return NGX_AGAIN;
    }

    rc = ngx_olivine_arena_pages(tx, ngx_olivine_zone_arena(tx->zone, 1), 4,
                                 NGX_OLIVINE_PAGE_VALUE, data);
    ngx_olivine_barrier();

    return rc;
}


static ngx_int_t
part_free_small(ngx_olivine_tx_t *tx, void *data)
{
    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_arena_free(tx, ngx_olivine_zone_arena(tx->zone, 0),
                                  data, 48);
}


static ngx_int_t
part_drop(ngx_olivine_tx_t *tx, void *data)
{
    if (ngx_olivine_tx_lock_shard(tx, 1) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_value_drop(tx, *(uint32_t *) data);
}


static ngx_int_t
part_lock(ngx_olivine_tx_t *tx, void *data)
{
    return ngx_olivine_tx_lock_shard(tx, 1);
}


static void
fill(part_pt part, ngx_uint_t n)
{
    ngx_uint_t  i;

    for (i = 0; i < n; i++) {
        assert_int_equal(unit_mem_run(&m, part, &cells[i]), NGX_OK);

        if (i % 100 == 0) {
            ngx_olivine_sample_tick(m.tx);
        }
    }
}


/* Where the function ends, as far as that matters here. */

static uintptr_t
end(part_pt part)
{
    uintptr_t   at;
    ngx_uint_t  i;
    part_pt     all[] = { part_small, part_large, part_pages };

    at = (uintptr_t) part + 400;

    for (i = 0; i < 3; i++) {
        if ((uintptr_t) all[i] > (uintptr_t) part) {
            at = ngx_min(at, (uintptr_t) all[i]);
        }
    }

    return at;
}


/* The sums of rows of a kind; of those whose leaf is in the function, if any. */

static ngx_olivine_sample_row_t
sum(ngx_olivine_sample_e kind, part_pt part)
{
    uint32_t                     i;
    uintptr_t                    at;
    ngx_uint_t                   slot;
    ngx_olivine_sample_row_t     all, *row;
    ngx_olivine_sample_table_t  *table;

    memset(&all, 0, sizeof(all));

    for (slot = 0; slot < m.zone->slots_high; slot++) {
        table = ngx_olivine_sample_table(m.zone, slot);

        for (i = 0; i < table->n; i++) {
            row = &table->rows[i];

            if (row->kind != kind) {
                continue;
            }

            if (part) {
                if (row->n == 0) {
                    continue;
                }

                at = m.tx->sampler.base
                     + ngx_olivine_build_offset(row->sites[0]);

                if (at <= (uintptr_t) part || at > end(part)) {
                    continue;
                }

                /* the test that called is in it as well */

                assert_true(row->n > 2);
            }

            all.count += row->count;
            all.sum += row->sum;
            all.label = row->label;
            all.command = row->command;
            all.why = row->why;
        }
    }

    return all;
}


/* what is in use, as those tell that are not freed */

static uint64_t
in_use(void)
{
    uint32_t             i;
    uint64_t             bytes, n;
    ngx_olivine_live_t  *live;

    bytes = 0;
    n = 0;

    for (i = 1; i < m.zone->sampling->high; i++) {
        live = ngx_olivine_sample_live(m.zone, i);
        bytes += live->row ? live->sum : 0;
        n += (live->row != 0);
    }

    assert_int_equal(n, m.zone->sampling->count);

    return bytes;
}


static void
near(uint64_t value, uint64_t wanted, uint64_t percent)
{
    if (value < wanted - wanted * percent / 100
        || value > wanted + wanted * percent / 100)
    {
        fail_msg("%lu is not within %lu%% of %lu", value, percent, wanted);
    }
}


static void
test_sample_tells_who_takes_how_much(void **state)
{
    ngx_olivine_sample_row_t  small, large;

    running = 7;
    fill(part_small, CELLS);

    running = 9;
    fill(part_large, 2000);

    small = sum(NGX_OLIVINE_SAMPLE_HEAP, part_small);
    large = sum(NGX_OLIVINE_SAMPLE_HEAP, part_large);

    /* of about 230 and 450 draws: a standard deviation is 7% and 5% */

    near(small.sum, CELLS * 48, 25);
    near(small.count, CELLS * NGX_OLIVINE_SAMPLE_UNIT, 25);
    near(large.sum, 2000 * 1024, 20);
    near(large.count, 2000 * NGX_OLIVINE_SAMPLE_UNIT, 20);

    near(small.sum / (small.count / NGX_OLIVINE_SAMPLE_UNIT), 48, 3);
    near(large.sum / (large.count / NGX_OLIVINE_SAMPLE_UNIT), 1024, 3);

    assert_int_equal(small.command, 8);
    assert_int_equal(large.command, 10);
}


/* The rate may change: a sample counts for what it stood for then. */

static void
test_sample_rates_do_not_lie(void **state)
{
    uint64_t    before;
    ngx_uint_t  i, bytes[4] = { 512, 0, 16384, 1 };

    for (i = 0; i < 4; i++) {
        before = sum(NGX_OLIVINE_SAMPLE_HEAP, NULL).sum;

        ngx_olivine_sample_rate(m.tx, bytes[i]);
        fill(part_large, 2000);

        if (bytes[i] == 0) {
            assert_int_equal(sum(NGX_OLIVINE_SAMPLE_HEAP, NULL).sum, before);
        }
    }

    near(sum(NGX_OLIVINE_SAMPLE_HEAP, part_large).sum, 3 * 2000 * 1024, 15);
}


static void
test_sample_finds_a_leak(void **state)
{
    uint64_t    all;
    ngx_uint_t  i;

    fill(part_small, CELLS);
    all = in_use();

    assert_int_equal(all, sum(NGX_OLIVINE_SAMPLE_HEAP, NULL).sum);

    /* all but each tenth */

    for (i = 0; i < CELLS; i++) {
        if (i % 10) {
            assert_int_equal(unit_mem_run(&m, part_free_small, cells[i]),
                             NGX_OK);
        }
    }

    assert_true(in_use() > all / 30);
    assert_true(in_use() < all / 5);
    unit_mem_audit(&m);

    for (i = 0; i < CELLS; i += 10) {
        assert_int_equal(unit_mem_run(&m, part_free_small, cells[i]), NGX_OK);
    }

    assert_int_equal(in_use(), 0);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_HEAP, NULL).sum, all);
}


static void
test_sample_is_undone_with_its_transaction(void **state)
{
    void      *p;
    uint64_t   n;

    ngx_olivine_sample_rate(m.tx, 1);

    fill(part_small, 1);
    assert_int_equal(m.zone->sampling->count, 1);
    assert_int_equal(in_use(), 48);

    /* taken, and given back */

    assert_int_equal(part_small(m.tx, &p), NGX_OK);
    assert_int_equal(m.zone->sampling->count, 2);
    unit_mem_undo(&m);
    assert_int_equal(m.zone->sampling->count, 1);
    unit_mem_audit(&m);

    /* freed, and there again */

    assert_int_equal(part_free_small(m.tx, cells[0]), NGX_OK);
    assert_int_equal(ngx_olivine_arena_free_now(m.tx, cells[0], 48), NGX_OK);
    assert_int_equal(m.zone->sampling->count, 0);
    unit_mem_undo(&m);
    assert_int_equal(in_use(), 48);
    unit_mem_audit(&m);

    /* one is used again, whose link undoing must restore */

    fill(part_small, 3);
    n = m.zone->sampling->high;
    assert_int_equal(unit_mem_run(&m, part_free_small, cells[1]), NGX_OK);
    assert_int_equal(part_small(m.tx, &p), NGX_OK);
    unit_mem_undo(&m);
    unit_mem_audit(&m);

    assert_int_equal(unit_mem_run(&m, part_small, &p), NGX_OK);
    assert_int_equal(m.zone->sampling->high, n);
    assert_int_equal(in_use(), 4 * 48);
}


static void
test_sample_freed_by_another_worker(void **state)
{
    int         status;
    pid_t       pid;
    unit_mem_t  other;

    ngx_olivine_sample_rate(m.tx, 1);
    fill(part_small, 100);
    assert_int_equal(m.zone->sampling->count, 100);

    pid = fork();

    if (pid == 0) {
        ngx_uint_t  i;

        other = m;
        unit_mem_claim(&other);

        for (i = 0; i < 60; i++) {
            if (unit_mem_run(&other, part_free_small, cells[i]) != NGX_OK) {
                _exit(1);
            }
        }

        _exit(0);                              /* dies, and holds its slot */
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);

    ngx_olivine_poison_zone(m.zone);

    assert_int_equal(in_use(), 40 * 48);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_HEAP, NULL).sum, 100 * 48);

    (void) ngx_olivine_slot_sweep_all(m.tx);
}


/* Runs: of a shard, pinned when they are dropped, received. */

static void
test_sample_of_runs(void **state)
{
    uint32_t                  page, pin, index;
    ngx_int_t                 rc;
    ngx_olivine_sample_row_t  row;

    ngx_olivine_sample_rate(m.tx, 1);

    assert_int_equal(unit_mem_run(&m, part_pages, &page), NGX_OK);

    row = sum(NGX_OLIVINE_SAMPLE_HEAP, NULL);
    assert_int_equal(row.sum, 4 * 4096);
    assert_int_equal(row.label,
                     NGX_OLIVINE_SAMPLE_PAGE | NGX_OLIVINE_PAGE_VALUE);

    do {
        assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 1), NGX_OK);
        rc = ngx_olivine_pin(m.tx, page, &pin);

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(m.tx, NULL, 0, 0);

        } else {
            ngx_olivine_tx_undo(m.tx);
        }

        ngx_olivine_tx_unlock(m.tx);
    } while (rc == NGX_AGAIN && ngx_olivine_tx_fetch(m.tx) == NGX_OK);

    assert_int_equal(rc, NGX_OK);
    assert_int_equal(in_use(), 4 * 4096 + 4096);       /* and the holdings */

    assert_int_equal(unit_mem_run(&m, part_drop, &page), NGX_OK);
    assert_int_equal(in_use(), 4 * 4096 + 4096);

    assert_int_equal(ngx_olivine_unpin(m.tx, pin), NGX_OK);
    assert_int_equal(in_use(), 4096);

    /* what comes in is nothing, until it is a value */

    assert_int_equal(ngx_olivine_receipt_open(m.tx, 40000, &index), NGX_OK);
    assert_int_equal(in_use(), 4096);

    assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 1), NGX_OK);
    page = ngx_olivine_holding_page(m.tx, index);
    assert_int_equal(ngx_olivine_receipt_adopt(m.tx, index, 1, 20000), NGX_OK);
    assert_int_equal(ngx_olivine_tx_commit(m.tx, NULL, 0, 0), NGX_OK);
    ngx_olivine_tx_unlock(m.tx);

    assert_int_equal(in_use(), 4096 + 5 * 4096);
    unit_mem_audit(&m);

    assert_int_equal(unit_mem_run(&m, part_drop, &page), NGX_OK);
    assert_int_equal(in_use(), 4096);
}


static void
test_sample_without_room_for_those_in_use(void **state)
{
    uint32_t  backed;

    ngx_olivine_sample_rate(m.tx, 1);

    backed = m.zone->sampling->backed;
    m.zone->sampling->backed = m.zone->sampling->high + 2;

    assert_int_equal(unit_mem_run(&m, part_small, &cells[0]), NGX_OK);
    assert_int_equal(unit_mem_run(&m, part_small, &cells[1]), NGX_OK);
    assert_int_equal(unit_mem_run(&m, part_small, &cells[2]), NGX_OK);

    assert_int_equal(in_use(), 2 * 48);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_HEAP, NULL).sum, 3 * 48);
    assert_int_equal(m.zone->sampling->lost, 1);

    assert_int_equal(unit_mem_run(&m, part_free_small, cells[2]), NGX_OK);
    assert_int_equal(in_use(), 2 * 48);

    m.zone->sampling->backed = backed;
}


static void
test_sample_table_that_is_full(void **state)
{
    ngx_uint_t                   i, n;
    ngx_olivine_sample_table_t  *table;

    table = ngx_olivine_sample_table(m.zone, m.tx->slot->number);

    for (n = 0, i = 0; i < 4000; i++) {
        ngx_olivine_sample_blocked(m.tx, i % NGX_OLIVINE_BLOCKS, i / 8, 2, 10);
        ngx_olivine_sample_blocked(m.tx, i % NGX_OLIVINE_BLOCKS, i / 8, 1, 5);
        n += 3;

        if (i % 50 == 0) {
            ngx_olivine_sample_tick(m.tx);
        }
    }

    assert_int_equal(table->n, NGX_OLIVINE_SAMPLE_ROWS);
    assert_int_equal(table->backed, NGX_OLIVINE_SAMPLE_ROWS);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).count, n);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).sum, n * 5);
    assert_true(table->rows[NGX_OLIVINE_SAMPLE_BLOCK].count > 0);

    /* memory that finds no row is told as well, and followed */

    ngx_olivine_sample_rate(m.tx, 1);
    fill(part_small, 1);
    assert_int_equal(table->rows[NGX_OLIVINE_SAMPLE_HEAP].sum, 48);
    assert_int_equal(in_use(), 48);
}


/* Rows outlive their worker, who comes next goes on with them. */

static void
test_sample_rows_of_one_that_left(void **state)
{
    ngx_uint_t                   number;
    ngx_olivine_sample_table_t  *table;

    ngx_olivine_sample_blocked(m.tx, NGX_OLIVINE_BLOCK_GATE, 3, 1, 100);

    number = m.tx->slot->number;
    table = ngx_olivine_sample_table(m.zone, number);

    ngx_olivine_slot_leave(m.tx);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).sum, 100);

    free(m.tx);
    unit_mem_claim(&m);
    begin(m.tx, 4096);

    assert_int_equal(m.tx->slot->number, number);

    ngx_olivine_sample_blocked(m.tx, NGX_OLIVINE_BLOCK_GATE, 3, 1, 11);
    assert_int_equal(table->n, NGX_OLIVINE_SAMPLE_KINDS + 1);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).sum, 111);
}


static void
test_sample_waits_for_a_lock(void **state)
{
    ngx_olivine_sample_row_t   row;

    running = 5;

    /* nobody waits: nothing is told */

    assert_int_equal(unit_mem_run(&m, part_lock, NULL), NGX_OK);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_MUTEX, NULL).count, 0);

    unit_mem_contend(&m, part_lock, 40);

    row = sum(NGX_OLIVINE_SAMPLE_MUTEX, NULL);

    assert_int_equal(row.count, 1);
    assert_int_equal(row.command, 6);
    assert_int_equal(row.label, NGX_OLIVINE_SAMPLE_SHARD);
    assert_true(row.sum > 5 * 1000000);

    row = sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL);

    assert_true(row.count > 0);
    assert_int_equal(row.why, NGX_OLIVINE_BLOCK_LOCK);
    assert_int_equal(row.label, NGX_OLIVINE_SAMPLE_SHARD);
    assert_true(row.sum > 5 * 1000000);
    assert_true(row.sum <= sum(NGX_OLIVINE_SAMPLE_MUTEX, NULL).sum);
}


/* Of short waits few are told, for all of them. */

static void
test_sample_short_waits(void **state)
{
    ngx_uint_t                i;
    ngx_olivine_lock_t       *lock;
    ngx_olivine_sample_row_t  row;

    lock = &m.zone->rows.lock;

    for (i = 0; i < 64; i++) {
        assert_int_equal(ngx_olivine_lock_wait(m.tx, lock), NGX_OK);
        (void) ngx_olivine_lock_free(lock);
    }

    row = sum(NGX_OLIVINE_SAMPLE_MUTEX, NULL);
    assert_int_equal(row.count, 64);
    assert_int_equal(row.label, NGX_OLIVINE_SAMPLE_ROW_TABLE);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).count, 0);
}


static void
test_sample_waited_is_booked_once(void **state)
{
    ngx_olivine_waited_t  waited = { 3, 700 };

    ngx_olivine_sample_waited(m.tx, NGX_OLIVINE_BLOCK_AOF_SYNC, &waited);
    ngx_olivine_sample_waited(m.tx, NGX_OLIVINE_BLOCK_AOF_SYNC, &waited);

    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).count, 3);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).sum, 700);
    assert_int_equal(sum(NGX_OLIVINE_SAMPLE_BLOCK, NULL).why,
                     NGX_OLIVINE_BLOCK_AOF_SYNC);
}


/* Whatever a frame pointer is, nothing outside of the stack is looked at. */

static void
test_sample_stack_has_bounds(void **state)
{
    void                  *frame[2];
    uint64_t               sites[4];
    ngx_olivine_sampler_t  sampler;

    sampler = m.tx->sampler;
    assert_true(sampler.build != 0);
    assert_true((uintptr_t) frame < sampler.stack);

    assert_int_equal(ngx_olivine_sample_stack(&sampler,
                                              (void *) sampler.stack, sites,
                                              4), 0);
    assert_int_equal(ngx_olivine_sample_stack(&sampler,
                                              (void *) (sampler.stack - 8),
                                              sites, 4), 0);
    assert_int_equal(ngx_olivine_sample_stack(&sampler,
                                              (void *) ((uintptr_t) frame + 1),
                                              sites, 4), 0);

    /* one of ours, called by nobody we know; one that goes round */

    frame[0] = NULL;
    frame[1] = (void *) ((uintptr_t) &test_sample_stack_has_bounds + 1);
    assert_int_equal(ngx_olivine_sample_stack(&sampler, frame, sites, 4), 1);
    assert_int_equal(ngx_olivine_build_offset(sites[0]),
                     (uintptr_t) frame[1] - sampler.base);

    frame[0] = frame;
    assert_int_equal(ngx_olivine_sample_stack(&sampler, frame, sites, 4), 1);

    frame[1] = (void *) &memcpy;                       /* another object's */
    assert_int_equal(ngx_olivine_sample_stack(&sampler, frame, sites, 4), 0);

    /* the library calls this function */

    assert_int_equal(ngx_olivine_sample_stack(&sampler,
                                              __builtin_frame_address(0),
                                              sites, 4), 0);
}


static __attribute__((noinline)) void
rooted(void)
{
    ngx_olivine_sample_begin(m.tx);
    fill(part_small, 1);
    ngx_olivine_sample_end(m.tx);
}


/* Who called the root of a stack makes no difference. */

static void
test_sample_stack_has_a_root(void **state)
{
    uintptr_t                    at;
    ngx_olivine_sample_row_t    *row;
    ngx_olivine_sample_table_t  *table;

    table = ngx_olivine_sample_table(m.zone, m.tx->slot->number);
    ngx_olivine_sample_rate(m.tx, 1);

    rooted();
    assert_int_equal(table->n, NGX_OLIVINE_SAMPLE_KINDS + 1);

    row = &table->rows[table->n - 1];
    assert_int_equal(row->kind, NGX_OLIVINE_SAMPLE_HEAP);
    assert_true(row->n > 1);

    at = m.tx->sampler.base
         + ngx_olivine_build_offset(row->sites[row->n - 1]);
    assert_true(at > (uintptr_t) rooted && at < (uintptr_t) rooted + 200);

    rooted();
    assert_int_equal(table->n, NGX_OLIVINE_SAMPLE_KINDS + 1);
    assert_int_equal(row->sum, 2 * 48);

    /* outside of it the stack goes on to where the code ends */

    fill(part_small, 1);
    assert_int_equal(table->n, NGX_OLIVINE_SAMPLE_KINDS + 2);
}


static void
test_sample_builds(void **state)
{
    ngx_uint_t             i;
    ngx_olivine_code_t     code;
    ngx_olivine_build_t   *builds;

    builds = m.zone->sampling->builds;

    assert_int_equal(ngx_olivine_build_self(&code), NGX_OK);
    assert_true(code.len > 0);
    assert_true(code.path[0] == '/');
    assert_true((uintptr_t) &test_sample_builds > code.text
                && (uintptr_t) &test_sample_builds < code.end);

    assert_int_equal(ngx_olivine_build_number(builds, &code, 0), 1);
    assert_int_equal(ngx_olivine_build_number(builds, &code, 1), 1);
    assert_int_equal(ngx_olivine_build_of(m.tx->sampler.build), 1);
    assert_memory_equal(builds[0].id, code.id, code.len);
    assert_string_equal(builds[0].path, code.path);

    for (i = 2; i <= NGX_OLIVINE_BUILDS; i++) {
        code.id[0]++;
        assert_int_equal(ngx_olivine_build_number(builds, &code, 0), 0);
        assert_int_equal(ngx_olivine_build_number(builds, &code, 1), i);
        assert_int_equal(ngx_olivine_build_number(builds, &code, 0), i);
    }

    code.id[0]++;
    assert_int_equal(ngx_olivine_build_number(builds, &code, 1), 0);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_sample_tells_who_takes_how_much,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_rates_do_not_lie,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_finds_a_leak,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                    test_sample_is_undone_with_its_transaction,
                                    setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_freed_by_another_worker,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_of_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(
                                     test_sample_without_room_for_those_in_use,
                                     setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_table_that_is_full,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_rows_of_one_that_left,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_waits_for_a_lock,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_short_waits,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_waited_is_booked_once,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_stack_has_bounds,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_stack_has_a_root,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample_builds, setup, teardown),
    };

    return unit_run(tests);
}
