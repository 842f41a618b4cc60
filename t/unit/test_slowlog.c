
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include <signal.h>
#include <sys/wait.h>


#define ADDED   3000


static unit_mem_t             m;
static u_char                 text[NGX_OLIVINE_SLOWLOG_ARGS * 256];
static ngx_olivine_slowlog_e  which;


static int
setup(void **state)
{
    unit_mem_create(&m, 16 * 1024 * 1024, 2);
    which = NGX_OLIVINE_SLOWLOG_SLOW;
    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    return 0;
}


/* An entry that tells by its id what has to be in it. */

static void
fill(ngx_olivine_slow_t *slow, uint64_t id)
{
    ngx_uint_t  i;

    slow->time = id * 10;
    slow->value = id * 1000;
    slow->addr.data = text + id % 100;
    slow->addr.len = id % 30;
    slow->name.data = text + id % 77;
    slow->name.len = id % 7;
    slow->argc = 1 + id % NGX_OLIVINE_SLOWLOG_ARGS;

    for (i = 0; i < slow->argc; i++) {
        slow->argv[i].data = text + (id + i) % 1000;
        slow->argv[i].len = (id * 31 + i * 17) % 160;
    }
}


static void
add(ngx_olivine_tx_t *tx, uint64_t id, ngx_uint_t max)
{
    ngx_olivine_slow_t  slow;

    fill(&slow, id);
    ngx_olivine_slowlog_add(tx, which, &slow, max);
}


static void
look(ngx_olivine_slowlog_entry_t *e)
{
    u_char              *p;
    uint32_t             len;
    ngx_uint_t           i;
    ngx_olivine_slow_t   slow;

    fill(&slow, e->id);

    assert_int_equal(e->time, slow.time);
    assert_int_equal(e->value, slow.value);
    assert_int_equal(e->argc, slow.argc);
    assert_int_equal(e->addr, slow.addr.len);
    assert_int_equal(e->name, slow.name.len);

    p = e->data;
    assert_memory_equal(p, slow.addr.data, slow.addr.len);
    p += slow.addr.len;
    assert_memory_equal(p, slow.name.data, slow.name.len);
    p += slow.name.len;

    for (i = 0; i < slow.argc; i++) {
        memcpy(&len, p, 4);
        p += 4;
        assert_int_equal(len, slow.argv[i].len);
        assert_memory_equal(p, slow.argv[i].data, len);
        p += len;
    }

    assert_true(p <= (u_char *) e + e->size);
}


/* All there are: their number; the newest's id. */

static ngx_uint_t
look_all(uint64_t newest)
{
    u_char                       *memory, *p;
    ngx_uint_t                    i, n;
    ngx_olivine_slowlog_entry_t  *e;

    n = NGX_MAX_INT_T_VALUE;
    assert_int_equal(ngx_olivine_slowlog_get(m.tx, which, &n, &memory, &p),
                     NGX_OK);
    assert_int_equal(ngx_olivine_slowlog_len(m.tx, which), n);

    for (i = 0; i < n; i++) {
        e = (ngx_olivine_slowlog_entry_t *) p;
        assert_int_equal(e->id, newest - i);
        look(e);
        p += e->size;
    }

    free(memory);

    return n;
}


static void
test_slowlog_keeps_the_newest(void **state)
{
    uint64_t    id;
    ngx_uint_t  n;

    assert_int_equal(look_all(0), 0);

    for (id = 0; id < 300; id++) {
        add(m.tx, id, 128);
        assert_int_equal(look_all(id), ngx_min(id + 1, 128));
    }

    /* fewer are wanted */

    add(m.tx, 300, 7);
    assert_int_equal(look_all(300), 7);

    /* more than there is room for */

    for (id = 301; id < ADDED; id++) {
        add(m.tx, id, 1000000);
    }

    n = look_all(ADDED - 1);
    assert_true(n > 40 && n < 200);
    assert_true(m.zone->totals->slowlogs[which].backed
                <= NGX_OLIVINE_SLOWLOG_MAX);

    ngx_olivine_slowlog_reset(m.tx, which);
    assert_int_equal(look_all(0), 0);

    add(m.tx, ADDED, 128);
    assert_int_equal(look_all(ADDED), 1);

    /* none is wanted, but it counts */

    add(m.tx, ADDED + 1, 0);
    assert_int_equal(look_all(0), 0);
    add(m.tx, ADDED + 2, 1);
    assert_int_equal(look_all(ADDED + 2), 1);
}


static void
test_slowlog_returns_as_many_as_are_asked_for(void **state)
{
    u_char                       *memory, *p;
    uint64_t                      id;
    ngx_uint_t                    n;

    for (id = 0; id < 10; id++) {
        add(m.tx, id, 128);
    }

    n = 3;
    assert_int_equal(ngx_olivine_slowlog_get(m.tx, which, &n, &memory, &p),
                     NGX_OK);
    assert_int_equal(n, 3);
    assert_int_equal(((ngx_olivine_slowlog_entry_t *) p)->id, 9);
    free(memory);

    n = 0;
    assert_int_equal(ngx_olivine_slowlog_get(m.tx, which, &n, &memory, &p),
                     NGX_OK);
    assert_int_equal(n, 0);
    free(memory);
}


/*
 * A worker that dies at any step leaves entries that are whole, with no gap
 * between their ids, and a lock that the next one gets.
 */

static void
test_slowlog_survives_a_worker_that_dies(void **state)
{
    int               status;
    pid_t             pid;
    uint64_t          step, id;
    ngx_uint_t        died;
    ngx_olivine_tx_t  tx;

    for (id = 0; id < 200; id++) {
        add(m.tx, id, 1000);
    }

    for (step = 1, died = 1; died; step++) {

        pid = fork();

        if (pid == 0) {
            if (ngx_olivine_slot_claim(&tx, m.zone, m.fd, 1) != NGX_OK) {
                _exit(1);
            }

            ngx_olivine_steps = 0;
            ngx_olivine_step_last = step;

            add(&tx, id, 30);
            add(&tx, id + 1, 1000);

            ngx_olivine_step_last = 0;
            _exit(0);
        }

        assert_int_equal(waitpid(pid, &status, 0), pid);
        died = WIFSIGNALED(status);
        assert_true(died || WEXITSTATUS(status) == 0);

        (void) ngx_olivine_slot_sweep_all(m.tx);

        id = m.zone->totals->slowlogs[which].end >> 24;
        assert_true(look_all(id - 1) > 0);

        add(m.tx, id, 1000);
        assert_true(look_all(id++) > 1);
    }

    assert_true(step > 6);
}


/* Each of the logs is full, and none has an entry of another. */

static void
test_slowlog_of_one_kind_leaves_the_others_alone(void **state)
{
    uint64_t    id;
    ngx_uint_t  n[NGX_OLIVINE_SLOWLOGS];

    for (id = 0; id < ADDED; id++) {
        for (which = 0; which < NGX_OLIVINE_SLOWLOGS; which++) {
            add(m.tx, id, 1000000);
        }
    }

    for (which = 0; which < NGX_OLIVINE_SLOWLOGS; which++) {
        n[which] = look_all(ADDED - 1);
        assert_true(n[which] > 40);
    }

    which = NGX_OLIVINE_SLOWLOG_REQUEST;
    ngx_olivine_slowlog_reset(m.tx, which);
    assert_int_equal(look_all(0), 0);

    for (id = ADDED; id < 2 * ADDED; id++) {
        add(m.tx, id, 1000000);
    }

    assert_true(look_all(2 * ADDED - 1) > 40);

    which = NGX_OLIVINE_SLOWLOG_SLOW;
    assert_int_equal(look_all(ADDED - 1), n[which]);
    which = NGX_OLIVINE_SLOWLOG_REPLY;
    assert_int_equal(look_all(ADDED - 1), n[which]);
}


#define slowlog_test(name)                                                    \
    cmocka_unit_test_setup_teardown(name, setup, teardown)


int
main(void)
{
    size_t  i;

    const struct CMUnitTest  tests[] = {
        slowlog_test(test_slowlog_keeps_the_newest),
        slowlog_test(test_slowlog_returns_as_many_as_are_asked_for),
        slowlog_test(test_slowlog_of_one_kind_leaves_the_others_alone),
        slowlog_test(test_slowlog_survives_a_worker_that_dies),
    };

    for (i = 0; i < sizeof(text); i++) {
        text[i] = 'a' + i % 23;
    }

    return unit_run(tests);
}
