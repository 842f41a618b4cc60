
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include <sys/mman.h>
#include <sys/wait.h>


#define MB  (1024 * 1024)


static unit_mem_t  m;


static int
setup(void **state)
{
    unit_mem_create(&m, 16 * MB, 4);
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
    return ngx_olivine_heap_alloc(tx, 1, NGX_OLIVINE_PAGE_JOURNAL, 0, p);
}


static void
says(ngx_str_t *err, const char *text)
{
    if (strstr((char *) err->data, text) == NULL) {
        fail_msg("\"%.*s\" does not say \"%s\"", (int) err->len, err->data,
                 text);
    }
}


static void
test_zone_is_not_made_too_small(void **state)
{
    int                       fd;
    ngx_str_t                 err;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_zone_conf_t   conf;

    unit_mem_conf(&conf, 8 * MB - 1, 0);
    assert_int_equal(ngx_olivine_zone_create(&conf, &zone, &fd, &err),
                     NGX_ERROR);
    says(&err, "too small");

    unit_mem_conf(&conf, 8 * MB, 0);
    assert_int_equal(ngx_olivine_zone_create(&conf, &zone, &fd, &err), NGX_OK);
    assert_true(zone->nshards >= 4 && zone->nshards <= 8);
    ngx_olivine_zone_destroy(zone, fd);
}


/* Two of them lie side by side, each with what is its own. */

static void
test_zone_beside_another(void **state)
{
    uint32_t    page;
    unit_mem_t  other;

    unit_mem_create(&other, 8 * MB, 1);

    assert_ptr_not_equal(other.zone, m.zone);
    assert_true(memcmp(other.zone->seed, m.zone->seed, 16) != 0);

    assert_int_equal(unit_mem_run(&other, part_take, &page), NGX_OK);
    assert_true(ngx_olivine_zone_holds(other.zone,
                                  ngx_olivine_zone_page(other.zone, page)));
    assert_false(ngx_olivine_zone_holds(m.zone,
                                  ngx_olivine_zone_page(other.zone, page)));

    unit_mem_audit(&other);
    unit_mem_destroy(&other);
}


/* Another program has its descriptor, and finds it by its name. */

static void
test_zone_is_adopted_by_its_name(void **state)
{
    int                       status, fd;
    pid_t                     pid;
    u_char                   *p;
    uint32_t                  page;
    ngx_str_t                 err;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_zone_conf_t   conf;

    assert_int_equal(unit_mem_run(&m, part_take, &page), NGX_OK);
    p = ngx_olivine_zone_page(m.zone, page);
    strcpy((char *) p, "kept");

    pid = fork();

    if (pid == 0) {
        munmap(m.zone->base, m.zone->reserve);

        unit_mem_conf(&conf, 16 * MB, 4);

        if (ngx_olivine_zone_adopt(&conf, &zone, &fd, &err) != NGX_OK) {
            _exit(1);
        }

        if (zone != m.zone || fd != m.fd || strcmp((char *) p, "kept") != 0) {
            _exit(2);
        }

        strcpy((char *) p, "changed");

        /* one that is not there; and parts of its name */

        ngx_str_set(&conf.name, "uni");

        if (ngx_olivine_zone_adopt(&conf, &zone, &fd, &err) != NGX_DECLINED) {
            _exit(3);
        }

        ngx_str_set(&conf.name, "unit2");

        if (ngx_olivine_zone_adopt(&conf, &zone, &fd, &err) != NGX_DECLINED) {
            _exit(4);
        }

        _exit(0);
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_string_equal(p, "changed");
}


/* One that cannot be served as it is stays where it is, unmapped. */

static void
test_zone_of_another_kind_is_not_adopted(void **state)
{
    int                       status, fd;
    pid_t                     pid;
    ngx_str_t                 err;
    ngx_uint_t                i;
    ngx_olivine_zone_t       *zone;
    ngx_olivine_zone_conf_t   conf;

    for (i = 0; i < 4; i++) {

        if (i == 3) {
            m.zone->layout++;
        }

        pid = fork();

        if (pid == 0) {
            munmap(m.zone->base, m.zone->reserve);

            unit_mem_conf(&conf, 16 * MB, 4);

            switch (i) {

            case 0:
                conf.shards = 8;
                break;

            case 1:
                conf.shard_size += 1024;
                break;

            case 2:
                conf.limit = 65 * MB + UNIT_STATS / 2;
                break;
            }

            if (ngx_olivine_zone_adopt(&conf, &zone, &fd, &err) != NGX_ERROR) {
                _exit(1);
            }

            /* its place is free again */

            _exit(mmap((void *) NGX_OLIVINE_ZONE_BASE, 4096, PROT_READ,
                       MAP_PRIVATE|MAP_ANONYMOUS|MAP_FIXED_NOREPLACE, -1, 0)
                  == (void *) NGX_OLIVINE_ZONE_BASE ? 0 : 2);
        }

        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }

    m.zone->layout--;
}


static void
test_zone_is_checked_against_a_configuration(void **state)
{
    ngx_str_t                 err;
    ngx_olivine_zone_conf_t   conf;

    unit_mem_conf(&conf, 16 * MB, 4);
    assert_int_equal(ngx_olivine_zone_check(&conf, m.zone, &err), NGX_OK);

    conf.shards = 0;
    assert_int_equal(ngx_olivine_zone_check(&conf, m.zone, &err), NGX_OK);

    conf.shards = 2;
    assert_int_equal(ngx_olivine_zone_check(&conf, m.zone, &err), NGX_ERROR);
    says(&err, "number of shards");

    unit_mem_conf(&conf, 4 * MB, 4);
    assert_int_equal(ngx_olivine_zone_check(&conf, m.zone, &err), NGX_ERROR);
    says(&err, "too small");

    unit_mem_conf(&conf, 64 * MB + UNIT_STATS / 2, 4);
    assert_int_equal(ngx_olivine_zone_check(&conf, m.zone, &err), NGX_OK);

    unit_mem_conf(&conf, 65 * MB + UNIT_STATS / 2, 4);
    assert_int_equal(ngx_olivine_zone_check(&conf, m.zone, &err), NGX_ERROR);
    says(&err, "cannot grow");
}


static ngx_uint_t
take_all(uint32_t *last)
{
    uint32_t    page;
    ngx_uint_t  n;

    for (n = 0; unit_mem_run(&m, part_take, &page) == NGX_OK; n++) {
        *last = page;
    }

    return n;
}


static ngx_int_t
part_release(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_heap_release(tx, *(uint32_t *) p);
}


static void
test_zone_takes_another_limit(void **state)
{
    uint32_t    last;
    ngx_uint_t  n, more;

    last = 0;
    n = take_all(&last);
    assert_true(n > 3000 && n < 16 * MB / NGX_OLIVINE_PAGE);
    assert_true(ngx_olivine_zone_used(m.zone) < 16 * MB);

    ngx_olivine_zone_resize(m.zone, 32 * MB);
    more = take_all(&last);
    assert_true(more >= 4000);
    unit_mem_audit(&m);

    /* what is above a smaller one stays until it is given up */

    ngx_olivine_zone_resize(m.zone, 16 * MB);
    assert_int_equal(take_all(&last), 0);
    assert_int_equal(unit_mem_run(&m, part_release, &last), NGX_OK);
    assert_int_equal(take_all(&last), 0);
    unit_mem_audit(&m);

    while (ngx_olivine_heap_trim(m.tx, 0) == NGX_OK) { /* void */ }

    assert_int_equal(m.zone->heap.backed, m.zone->heap.used);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_zone_is_not_made_too_small,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_zone_beside_another,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_zone_is_adopted_by_its_name,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                      test_zone_of_another_kind_is_not_adopted,
                                      setup, teardown),
        cmocka_unit_test_setup_teardown(
                                  test_zone_is_checked_against_a_configuration,
                                  setup, teardown),
        cmocka_unit_test_setup_teardown(test_zone_takes_another_limit,
                                        setup, teardown),
    };

    return unit_run(tests);
}
