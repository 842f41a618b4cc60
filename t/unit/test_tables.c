
/*
 * Copyright (C) The Olivine authors
 *
 * The zone's samples as profiles.
 */


#include "mem.h"

#include "prof/ngx_olivine_tables.h"
#include "type/ngx_olivine_type.h"

#include <sys/wait.h>


#define MB  (1024 * 1024)


static unit_mem_t              m;
static ngx_olivine_symbols_t  *symbols;
static ngx_int_t               running;
static void                   *cells[1000];


static ngx_int_t
command(void *data)
{
    return *(ngx_int_t *) data;
}


static int
setup(void **state)
{
    ngx_str_t  name = ngx_string("example");

    unit_mem_create(&m, 16 * MB, 2);

    running = ngx_olivine_stats_command(m.zone, &name);
    assert_true(running >= 0);

    m.tx->sampler.command = command;
    m.tx->sampler.data = &running;
    ngx_olivine_sample_rate(m.tx, 1);

    return 0;
}


static int
teardown(void **state)
{
    unit_mem_destroy(&m);
    return 0;
}


static int
setup_all(void **state)
{
    symbols = ngx_olivine_symbols_create();
    return symbols ? 0 : -1;
}


static int
teardown_all(void **state)
{
    ngx_olivine_symbols_destroy(symbols);
    return 0;
}


/* n is where the cell goes to */

static __attribute__((noinline)) ngx_int_t
part_that_leaks(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t  rc;

    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        return NGX_AGAIN;
    }

    tx->sampler.type = NGX_OLIVINE_TYPE_STRING + 1;
    rc = ngx_olivine_arena_alloc(tx, ngx_olivine_zone_arena(tx->zone, 0), 64,
                                 data);
    tx->sampler.type = 0;

    return rc;
}


static __attribute__((noinline)) ngx_int_t
part_that_does_not(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t  rc;

    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        return NGX_AGAIN;
    }

    rc = ngx_olivine_arena_alloc(tx, ngx_olivine_zone_arena(tx->zone, 0), 128,
                                 data);
    ngx_olivine_barrier();

    return rc;
}


static ngx_int_t
part_free(ngx_olivine_tx_t *tx, void *data)
{
    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_arena_free(tx, ngx_olivine_zone_arena(tx->zone, 0),
                                  data, 128);
}


static __attribute__((noinline)) ngx_int_t
part_that_waits(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t  rc;

    rc = ngx_olivine_tx_lock_shard(tx, 1);
    ngx_olivine_barrier();

    return rc;
}


static ngx_olivine_profile_t *
profile(ngx_olivine_tables_e kind, ngx_olivine_symbols_t *names)
{
    ngx_olivine_profile_t  *p;

    p = ngx_olivine_tables_profile(m.zone, kind, names);
    assert_non_null(p);

    return p;
}


/* The sum of a kind over all stacks that have the text in them. */

static long
folded(ngx_olivine_profile_t *p, ngx_uint_t kind, const char *text)
{
    char       *line, *last, *value;
    long        sum;
    ngx_str_t   out;

    assert_int_equal(ngx_olivine_profile_folded(p, kind, &out), NGX_OK);

    sum = 0;

    for (line = (char *) out.data;
         line < (char *) out.data + out.len;
         line = last + 1)
    {
        last = memchr(line, '\n', (char *) out.data + out.len - line);
        assert_non_null(last);
        *last = '\0';

        value = strrchr(line, ' ');
        assert_non_null(value);

        if (strstr(line, text)) {
            sum += atol(value);
        }
    }

    free(out.data);

    return sum;
}


static ngx_uint_t
says(ngx_olivine_profile_t *p, const char *text)
{
    ngx_str_t   out;
    ngx_uint_t  found;

    assert_int_equal(ngx_olivine_profile_text(p, &out), NGX_OK);

    found = (memmem(out.data, out.len, text, strlen(text)) != NULL);
    free(out.data);

    return found;
}


static void
test_tables_heap(void **state)
{
    ngx_str_t               inuse = ngx_string("inuse_space");
    ngx_str_t               space = ngx_string("alloc_space");
    ngx_uint_t              i, kind;
    ngx_olivine_profile_t  *p, *after;

    for (i = 0; i < 1000; i++) {
        assert_int_equal(unit_mem_run(&m, i % 2 ? part_that_leaks
                                                : part_that_does_not,
                                      &cells[i]), NGX_OK);
    }

    p = profile(NGX_OLIVINE_TABLES_HEAP, symbols);

    assert_int_equal(ngx_olivine_profile_kind(p, &inuse, &kind), NGX_OK);
    assert_int_equal(kind, 3);
    assert_int_equal(ngx_olivine_profile_default_kind(p), kind);

    assert_int_equal(folded(p, 2, "part_that_leaks"), 500);
    assert_int_equal(folded(p, 3, "part_that_leaks"), 500 * 64);
    assert_int_equal(folded(p, 3, "part_that_does_not"), 500 * 128);
    assert_int_equal(folded(p, 3, "test_tables_heap"), 500 * (64 + 128));
    assert_int_equal(ngx_olivine_profile_sum(p, 3), 500 * (64 + 128));

    assert_true(says(p, "example"));
    assert_true(says(p, "string"));
    assert_true(says(p, "test_tables.c"));

    /* what is freed is no longer in use, and was taken all the same */

    for (i = 0; i < 1000; i += 2) {
        assert_int_equal(unit_mem_run(&m, part_free, cells[i]), NGX_OK);
    }

    after = profile(NGX_OLIVINE_TABLES_ALLOCS, symbols);

    assert_int_equal(ngx_olivine_profile_kind(after, &space, &kind), NGX_OK);
    assert_int_equal(kind, 1);
    assert_int_equal(ngx_olivine_profile_default_kind(after), kind);

    assert_int_equal(folded(after, 3, "part_that_leaks"), 500 * 64);
    assert_int_equal(folded(after, 3, "part_that_does_not"), 0);
    assert_int_equal(folded(after, 2, "part_that_does_not"), 0);
    assert_int_equal(folded(after, 1, "part_that_does_not"), 500 * 128);
    assert_int_equal(folded(after, 0, "part_that_does_not"), 500);

    /* the difference is what went meanwhile */

    assert_int_equal(ngx_olivine_profile_subtract(after, p), NGX_OK);
    assert_int_equal(ngx_olivine_profile_sum(after, 3), -500 * 128);
    assert_int_equal(ngx_olivine_profile_sum(after, 1), 0);

    ngx_olivine_profile_destroy(p);
    ngx_olivine_profile_destroy(after);
}


static void
test_tables_waits(void **state)
{
    ngx_olivine_profile_t  *p;

    p = profile(NGX_OLIVINE_TABLES_MUTEX, symbols);
    assert_int_equal(ngx_olivine_profile_stacks(p), 0);
    ngx_olivine_profile_destroy(p);

    unit_mem_contend(&m, part_that_waits, 30);

    p = profile(NGX_OLIVINE_TABLES_MUTEX, symbols);
    assert_int_equal(folded(p, 0, "part_that_waits"), 1);
    assert_true(folded(p, 1, "part_that_waits") > 3 * 1000000);
    assert_true(says(p, "shard"));
    assert_true(says(p, "example"));
    ngx_olivine_profile_destroy(p);

    ngx_olivine_sample_blocked(m.tx, NGX_OLIVINE_BLOCK_HELD_SYNC, running, 2,
                               100);

    p = profile(NGX_OLIVINE_TABLES_BLOCK, symbols);
    assert_true(folded(p, 0, "part_that_waits") > 0);
    assert_int_equal(folded(p, 0, "part_that_waits"),
                     folded(p, 0, "[asleep: lock]"));
    assert_int_equal(folded(p, 1, "[held: appendfsync always]"), 100);
    ngx_olivine_profile_destroy(p);
}


/* Code that is not here is told by its build and its place. */

static void
test_tables_of_another_build(void **state)
{
    ngx_uint_t                 i;
    ngx_olivine_code_t         code;
    ngx_olivine_profile_t     *p;
    ngx_olivine_sample_row_t  *row;

    row = ngx_olivine_sample_row(m.tx, NGX_OLIVINE_SAMPLE_BLOCK, 0, 0,
                                 NGX_ERROR, NULL);
    assert_int_equal(ngx_olivine_build_self(&code), NGX_OK);

    for (i = 0; i < 4; i++) {
        code.id[i] = 0xa0 + i;
    }

    row->sites[0] = (uint64_t) ngx_olivine_build_number(
                                  m.zone->sampling->builds, &code, 1)
                    << NGX_OLIVINE_BUILD_SHIFT | 0x1234;
    row->sites[1] = (uint64_t) 60 << NGX_OLIVINE_BUILD_SHIFT | 0x99;
    row->sites[2] = 0x77;
    row->n = 3;
    row->count = 1;
    row->sum = 41;

    p = profile(NGX_OLIVINE_TABLES_BLOCK, symbols);
    assert_int_equal(folded(p, 1, "[build ?]+0x77;[build ?]+0x99;"
                                  "[build a0a1a2a3]+0x1234 "), 0);
    assert_int_equal(folded(p, 1, "[build a0a1a2a3]+0x1234"), 41);
    assert_int_equal(folded(p, 1, "[build "), 41);
    ngx_olivine_profile_destroy(p);

    /* nor without names */

    assert_int_equal(unit_mem_run(&m, part_that_leaks, &cells[0]), NGX_OK);

    p = profile(NGX_OLIVINE_TABLES_HEAP, NULL);
    assert_int_equal(folded(p, 3, "]+0x"), 64);
    ngx_olivine_profile_destroy(p);
}


/* What a reader may see of a sample that is changed meanwhile. */

static void
test_tables_trust_nothing(void **state)
{
    ngx_uint_t                   i;
    ngx_olivine_live_t           saved, *live;
    ngx_olivine_profile_t       *p;
    ngx_olivine_sample_table_t  *table;

    assert_int_equal(unit_mem_run(&m, part_that_leaks, &cells[0]), NGX_OK);
    assert_int_equal(unit_mem_run(&m, part_that_leaks, &cells[1]), NGX_OK);

    live = ngx_olivine_sample_live(m.zone, 1);
    saved = *live;

    for (i = 0; i < 3; i++) {
        *live = saved;

        switch (i) {

        case 0:
            live->slot = 300;
            break;

        case 1:
            live->slot = 200;
            break;

        default:
            live->row = 100000;
            break;
        }

        p = profile(NGX_OLIVINE_TABLES_HEAP, symbols);
        assert_int_equal(ngx_olivine_profile_sum(p, 3), 64);
        ngx_olivine_profile_destroy(p);
    }

    *live = saved;

    /* rows without room for them are told as a whole */

    table = ngx_olivine_sample_table(m.zone, m.tx->slot->number);
    i = table->backed;
    table->backed = table->n;

    assert_int_equal(unit_mem_run(&m, part_that_does_not, &cells[2]), NGX_OK);

    p = profile(NGX_OLIVINE_TABLES_HEAP, symbols);
    assert_int_equal(folded(p, 3, "[other]"), 128);
    assert_int_equal(ngx_olivine_profile_sum(p, 3), 128 + 128);
    ngx_olivine_profile_destroy(p);

    table->backed = i;
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_tables_heap, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tables_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tables_of_another_build,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_tables_trust_nothing,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
