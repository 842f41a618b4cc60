
/*
 * Copyright (C) The Olivine authors
 *
 * With AddressSanitizer: what is free is not to be touched.
 */


#include "unit.h"

#include "mem/ngx_olivine_journal.h"

#include <sys/wait.h>


#if (NGX_OLIVINE_ASAN)


static ngx_olivine_zone_t  *zone;
static ngx_olivine_tx_t     tx;
static int                  fd;


static int
setup(void **state)
{
    ngx_str_t                err;
    ngx_olivine_zone_conf_t  conf;

    (void) unit_log(NGX_LOG_ERR);

    ngx_memzero(&conf, sizeof(conf));
    ngx_str_set(&conf.name, "poison");
    conf.limit = 16 * 1024 * 1024;
    conf.reserve = 4 * conf.limit + UNIT_STATS;
    conf.shards = 1;
    conf.shard_size = sizeof(ngx_olivine_arena_t);

    assert_int_equal(ngx_olivine_zone_create(&conf, &zone, &fd, &err), NGX_OK);
    assert_int_equal(ngx_olivine_slot_claim(&tx, zone, fd, 1), NGX_OK);

    return 0;
}


static int
teardown(void **state)
{
    ngx_olivine_slot_leave(&tx);
    ngx_olivine_zone_destroy(zone, fd);

    return 0;
}


/* 1: the sanitizer ends a process that reads there. */

static ngx_uint_t
caught(void *p)
{
    int    status;
    pid_t  pid;

    pid = fork();

    if (pid == 0) {
        (void) close(2);
        _exit(*(volatile u_char *) p == 0 ? 0 : 0);
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);

    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}


static void *
alloc(size_t size)
{
    void                 *p;
    ngx_int_t             rc;
    ngx_olivine_arena_t  *arena;

    arena = ngx_olivine_zone_arena(zone, 0);

    do {
        assert_int_equal(ngx_olivine_tx_lock_shard(&tx, 0), NGX_OK);
        rc = ngx_olivine_arena_alloc(&tx, arena, size, &p);

        if (rc == NGX_AGAIN) {
            ngx_olivine_tx_undo(&tx);
            ngx_olivine_tx_unlock(&tx);
            assert_int_equal(ngx_olivine_tx_fetch(&tx), NGX_OK);
        }

    } while (rc == NGX_AGAIN);

    assert_int_equal(rc, NGX_OK);

    return p;
}


static void
commit(void)
{
    assert_int_equal(ngx_olivine_tx_commit(&tx, NULL, 0, 0), NGX_OK);
    ngx_olivine_tx_unlock(&tx);
}


static void
undo(void)
{
    ngx_olivine_tx_undo(&tx);
    ngx_olivine_tx_unlock(&tx);
}


static void
release(void *p, size_t size)
{
    assert_int_equal(ngx_olivine_tx_lock_shard(&tx, 0), NGX_OK);
    assert_int_equal(ngx_olivine_tx_free(&tx, p, size), NGX_OK);
}


static void
test_poison_catches_a_freed_cell(void **state)
{
    u_char  *p, *q;

    p = alloc(40);
    q = alloc(40);
    commit();

    assert_int_equal(caught(p), 0);

    release(p, 40);
    assert_int_equal(caught(p), 0);
    commit();

    assert_int_equal(caught(p), 1);
    assert_int_equal(caught(p + 39), 1);
    assert_int_equal(caught(q), 0);
    assert_int_equal(caught(q + 39), 0);

    assert_ptr_equal(alloc(40), p);
    assert_int_equal(caught(p), 0);
    commit();
}


static void
test_poison_catches_what_was_never_given_out(void **state)
{
    u_char  *p;

    p = alloc(40);
    commit();

    assert_int_equal(caught(p + 40), 1);
    assert_int_equal(caught(p + 4000), 1);
}


static void
test_poison_ends_with_the_undoing_of_a_free(void **state)
{
    u_char              *p, *q;
    ngx_olivine_mark_t   mark;

    p = alloc(40);
    commit();

    release(p, 40);
    undo();
    assert_int_equal(caught(p), 0);

    /* what came to the frees of a commit, and then was undone */

    assert_int_equal(ngx_olivine_tx_lock_shard(&tx, 0), NGX_OK);
    assert_int_equal(ngx_olivine_arena_free_now(&tx, p, 40), NGX_OK);
    undo();
    assert_int_equal(caught(p), 0);

    q = alloc(40);
    assert_int_equal(caught(q), 0);
    undo();
    assert_int_equal(caught(q), 1);

    /* half of it */

    q = alloc(40);
    ngx_olivine_tx_mark(&tx, &mark);
    p = alloc(40);
    ngx_olivine_tx_undo_to(&tx, &mark);
    commit();

    assert_int_equal(caught(q), 0);
    assert_int_equal(caught(p), 1);
}


static ngx_int_t
take_run(uint32_t *page)
{
    ngx_int_t  rc;

    rc = ngx_olivine_heap_alloc(&tx, 3, NGX_OLIVINE_PAGE_TABLE, 0, page);

    if (rc == NGX_AGAIN) {
        undo();
        assert_int_equal(ngx_olivine_tx_fetch(&tx), NGX_OK);
        rc = ngx_olivine_heap_alloc(&tx, 3, NGX_OLIVINE_PAGE_TABLE, 0, page);
    }

    return rc;
}


static void
test_poison_catches_a_freed_run(void **state)
{
    u_char    *p;
    uint32_t   page;

    assert_int_equal(take_run(&page), NGX_OK);
    commit();

    p = ngx_olivine_zone_page(zone, page);
    assert_int_equal(caught(p), 0);
    assert_int_equal(caught(p + 3 * NGX_OLIVINE_PAGE - 1), 0);

    assert_int_equal(ngx_olivine_heap_release(&tx, page), NGX_OK);
    commit();
    assert_int_equal(caught(p), 1);
    assert_int_equal(caught(p + 3 * NGX_OLIVINE_PAGE - 1), 1);
}


/* Who comes later sees what is there. */

static void
test_poison_is_known_to_a_new_worker(void **state)
{
    int                status;
    pid_t              pid;
    u_char            *p, *q;
    ngx_olivine_tx_t  *own;

    own = malloc(sizeof(ngx_olivine_tx_t));

    p = alloc(40);
    q = alloc(40);
    commit();
    release(p, 40);
    commit();

    ngx_olivine_unpoison(p, 40);
    ngx_olivine_poison(q, 40);

    pid = fork();

    if (pid == 0) {
        assert_int_equal(ngx_olivine_slot_claim(own, zone, fd, 1), NGX_OK);
        _exit(caught(p) * 2 + caught(q));
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WEXITSTATUS(status), 2);

    ngx_olivine_poison_zone(zone);
    assert_int_equal(ngx_olivine_slot_sweep_all(&tx), 1);
    free(own);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_poison_catches_a_freed_cell,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                  test_poison_catches_what_was_never_given_out,
                                  setup, teardown),
        cmocka_unit_test_setup_teardown(
                                  test_poison_ends_with_the_undoing_of_a_free,
                                  setup, teardown),
        cmocka_unit_test_setup_teardown(test_poison_catches_a_freed_run,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_poison_is_known_to_a_new_worker,
                                        setup, teardown),
    };

    return unit_run(tests);
}


#else


static void
test_poison_is_nothing_without_a_sanitizer(void **state)
{
    ngx_olivine_poison(NULL, 1);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_poison_is_nothing_without_a_sanitizer),
    };

    return unit_run(tests);
}


#endif
