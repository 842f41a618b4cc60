
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
    unit_mem_create(&m, 8 * 1024 * 1024, 2);
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
start(ngx_olivine_tx_t *tx, uint32_t count, int64_t duration)
{
    ngx_olivine_hotkeys_session_t  session;

    ngx_memzero(&session, sizeof(session));
    session.metrics = 3;
    session.count = count;
    session.ratio = 1;
    session.started = 1000;
    session.duration = duration;

    return ngx_olivine_hotkeys_start(tx, &session);
}


static void
add(ngx_olivine_tx_t *tx, uint64_t id, uint64_t ns, uint64_t bytes)
{
    u_char     text[32];
    ngx_str_t  key;

    key.data = text;
    key.len = ngx_sprintf(text, "key:%uL", id) - text;

    ngx_olivine_hotkeys_add(tx, &key, id * 0x9e3779b97f4a7c15ull + 1, ns,
                            bytes);
}


/* They are whole: a key stands for its number. */

static ngx_uint_t
top(ngx_olivine_hotkeys_e which, uint64_t *ids, uint64_t *counts)
{
    ngx_int_t              id;
    ngx_uint_t             i, n;
    ngx_olivine_hotkey_t  *keys;

    keys = malloc(NGX_OLIVINE_HOTKEYS_COUNT * sizeof(ngx_olivine_hotkey_t));
    assert_non_null(keys);

    n = ngx_olivine_hotkeys_top(m.tx, which, keys);

    for (i = 0; i < n; i++) {
        assert_true(keys[i].len > 4);
        assert_memory_equal(keys[i].key, "key:", 4);

        id = ngx_atoi(keys[i].key + 4, keys[i].len - 4);
        assert_true(id >= 0);

        ids[i] = id;
        counts[i] = keys[i].count;
        assert_true(i == 0 || counts[i] <= counts[i - 1]);
    }

    free(keys);

    return n;
}


static void
test_hotkeys_of_two_kinds_are_told_apart(void **state)
{
    uint64_t    ids[NGX_OLIVINE_HOTKEYS_COUNT];
    uint64_t    counts[NGX_OLIVINE_HOTKEYS_COUNT];
    ngx_uint_t  i;

    add(m.tx, 1, 1, 1);
    assert_int_equal(m.zone->hotkeys.backed, 0);
    assert_int_equal(top(NGX_OLIVINE_HOTKEYS_CPU, ids, counts), 0);

    assert_int_equal(start(m.tx, 3, 0), NGX_OK);
    assert_int_equal(start(m.tx, 3, 0), NGX_DECLINED);

    for (i = 1; i <= 9; i++) {
        add(m.tx, i, i * 10, 100 - i);
        add(m.tx, i, i * 10, 100 - i);
    }

    assert_int_equal(top(NGX_OLIVINE_HOTKEYS_CPU, ids, counts), 3);
    assert_int_equal(ids[0], 9);
    assert_int_equal(counts[0], 180);
    assert_int_equal(ids[2], 7);

    assert_int_equal(top(NGX_OLIVINE_HOTKEYS_NET, ids, counts), 3);
    assert_int_equal(ids[0], 1);
    assert_int_equal(counts[0], 198);

    assert_int_equal(ngx_olivine_hotkeys_reset(m.tx, 1000), NGX_DECLINED);
    assert_int_equal(ngx_olivine_hotkeys_stop(m.tx, 3000), NGX_OK);
    assert_int_equal(m.zone->hotkeys.took, 2000);
    add(m.tx, 9, 1000, 1000);
    assert_int_equal(top(NGX_OLIVINE_HOTKEYS_CPU, ids, counts), 3);
    assert_int_equal(counts[0], 180);

    assert_int_equal(ngx_olivine_hotkeys_reset(m.tx, 3000), NGX_OK);
    assert_int_equal(top(NGX_OLIVINE_HOTKEYS_CPU, ids, counts), 0);
}


/* Of a hot key never too much is told, and never much too little. */

static void
test_hotkeys_are_found_among_many(void **state)
{
    uint64_t    ids[NGX_OLIVINE_HOTKEYS_COUNT];
    uint64_t    counts[NGX_OLIVINE_HOTKEYS_COUNT];
    ngx_uint_t  i, n;

    assert_int_equal(start(m.tx, NGX_OLIVINE_HOTKEYS_COUNT, 0), NGX_OK);

    for (i = 0; i < 100000; i++) {
        add(m.tx, i % 4 == 0 ? i / 4 % 5 : 1000 + i, 10, 1);
    }

    n = top(NGX_OLIVINE_HOTKEYS_CPU, ids, counts);
    assert_int_equal(n, NGX_OLIVINE_HOTKEYS_COUNT);

    for (i = 0; i < 5; i++) {
        assert_true(ids[i] < 5);
        assert_true(counts[i] <= 50000);
        assert_true(counts[i] > 45000);
    }

    assert_true(counts[5] <= 10);
}


static void
test_hotkeys_end_with_their_time(void **state)
{
    ngx_olivine_hotkeys_t  copy;

    assert_int_equal(ngx_olivine_hotkeys_look(m.tx, 1000, &copy),
                     NGX_DECLINED);
    assert_int_equal(start(m.tx, 3, 500), NGX_OK);

    assert_true(ngx_olivine_hotkeys_active(&m.zone->hotkeys, 1499));
    assert_int_equal(ngx_olivine_hotkeys_look(m.tx, 1499, &copy), NGX_OK);
    assert_int_equal(copy.active, 1);
    assert_int_equal(copy.took, 499);

    assert_false(ngx_olivine_hotkeys_active(&m.zone->hotkeys, 1500));
    assert_int_equal(ngx_olivine_hotkeys_look(m.tx, 9999, &copy), NGX_OK);
    assert_int_equal(copy.active, 0);
    assert_int_equal(copy.took, 500);
    assert_int_equal(ngx_olivine_hotkeys_stop(m.tx, 9999), NGX_DECLINED);
}


static void
test_hotkeys_survive_a_worker_that_dies(void **state)
{
    int                     status;
    pid_t                   pid;
    uint64_t                step, ids[NGX_OLIVINE_HOTKEYS_COUNT];
    uint64_t                counts[NGX_OLIVINE_HOTKEYS_COUNT];
    ngx_uint_t              i, n, died;
    ngx_olivine_tx_t        tx;
    ngx_olivine_hotkeys_t   copy;

    for (step = 1, died = 1; died; step++) {

        (void) ngx_olivine_hotkeys_stop(m.tx, 1000);
        assert_int_equal(ngx_olivine_hotkeys_reset(m.tx, 1000), NGX_OK);

        pid = fork();

        if (pid == 0) {
            if (ngx_olivine_slot_claim(&tx, m.zone, m.fd, 1) != NGX_OK) {
                _exit(1);
            }

            ngx_olivine_steps = 0;
            ngx_olivine_step_last = step;

            if (start(&tx, 1, 0) != NGX_OK) {
                _exit(2);
            }

            /* more than there are places */

            for (i = 0; i < 13; i++) {
                add(&tx, i, 10, 10);
            }

            add(&tx, 12, 10, 10);

            (void) ngx_olivine_hotkeys_stop(&tx, 2000);

            ngx_olivine_step_last = 0;
            _exit(0);
        }

        assert_int_equal(waitpid(pid, &status, 0), pid);
        died = WIFSIGNALED(status);
        assert_true(died || WEXITSTATUS(status) == 0);

        (void) ngx_olivine_slot_sweep_all(m.tx);

        n = top(NGX_OLIVINE_HOTKEYS_CPU, ids, counts);
        assert_true(n == 0 || (ids[0] < 13 && counts[0] <= 20));

        (void) ngx_olivine_hotkeys_look(m.tx, 2000, &copy);
        (void) ngx_olivine_hotkeys_stop(m.tx, 2000);

        assert_int_equal(start(m.tx, 1, 0), NGX_OK);

        for (i = 0; i < 30; i++) {
            add(m.tx, 77, 10, 10);
        }

        assert_int_equal(top(NGX_OLIVINE_HOTKEYS_NET, ids, counts), 1);
        assert_int_equal(ids[0], 77);
        assert_int_equal(counts[0], 300);
    }

    assert_true(step > 60);
}


#define hotkeys_test(name)                                                    \
    cmocka_unit_test_setup_teardown(name, setup, teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        hotkeys_test(test_hotkeys_of_two_kinds_are_told_apart),
        hotkeys_test(test_hotkeys_are_found_among_many),
        hotkeys_test(test_hotkeys_end_with_their_time),
        hotkeys_test(test_hotkeys_survive_a_worker_that_dies),
    };

    return unit_run(tests);
}
