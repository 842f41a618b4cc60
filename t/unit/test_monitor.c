
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


/* A message tells by its first bytes what has to be in the others. */

static size_t
message(u_char *p, uint32_t id, uint32_t len)
{
    uint32_t  i;

    memcpy(p, &len, 4);

    for (i = 0; i < len; i++) {
        p[4 + i] = 'a' + (id + i) % 23;
    }

    memcpy(p + 4, &id, 4);

    return 4 + len;
}


static uint32_t
length(uint32_t id)
{
    return 4 + id * 7919 % 3000;
}


static void
add(ngx_olivine_tx_t *tx, uint32_t id)
{
    u_char  buf[8192];

    ngx_olivine_monitor_add(tx, buf, message(buf, id, length(id)));
}


/* Reads one: its id, or -1 (none), -2 (fell behind). */

static int64_t
next(uint64_t *at)
{
    u_char     buf[8192], want[8192];
    uint32_t   len, id;
    ngx_int_t  rc;

    rc = ngx_olivine_monitor_look(m.zone, *at, &len);

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? -1 : -2;
    }

    assert_true(len >= 4 && len <= sizeof(buf));

    if (ngx_olivine_monitor_read(m.zone, at, buf, len) != NGX_OK) {
        return -2;
    }

    memcpy(&id, buf, 4);
    assert_int_equal(len, length(id));
    (void) message(want, id, len);
    assert_memory_equal(buf, want + 4, len);

    return id;
}


static void
test_monitor_costs_nothing_while_nobody_looks(void **state)
{
    add(m.tx, 1);
    assert_int_equal(m.zone->monitored, 0);
    assert_int_equal(m.zone->monitor.backed, 0);
    assert_int_equal(m.zone->monitor.tail, 0);
}


static void
test_monitor_sees_all_from_when_it_joined(void **state)
{
    uint32_t  id;
    uint64_t  at, late;

    assert_int_equal(ngx_olivine_monitor_join(m.tx, &at), NGX_OK);
    assert_int_equal(m.zone->monitored, 1);
    assert_int_equal(next(&at), -1);

    for (id = 0; id < 2000; id++) {
        add(m.tx, id);
        assert_int_equal(next(&at), id);
        assert_int_equal(next(&at), -1);
    }

    for (id = 2000; id < 2050; id++) {
        add(m.tx, id);
    }

    assert_int_equal(ngx_olivine_monitor_join(m.tx, &late), NGX_OK);
    add(m.tx, id);

    assert_int_equal(next(&late), id);
    assert_int_equal(next(&late), -1);

    for (id = 2000; id <= 2050; id++) {
        assert_int_equal(next(&at), id);
    }

    assert_int_equal(next(&at), -1);
    assert_true(m.zone->monitor.backed == m.zone->monitor.size);

    /* one leaves, the other still looks */

    ngx_olivine_monitor_leave(m.tx);
    ngx_olivine_monitor_trim(m.tx);
    assert_int_equal(m.zone->monitored, 1);
    add(m.tx, 7);
    assert_int_equal(next(&at), 7);

    ngx_olivine_monitor_leave(m.tx);
    ngx_olivine_monitor_trim(m.tx);
    assert_int_equal(m.zone->monitored, 0);
    assert_int_equal(m.zone->monitor.backed, 0);

    assert_int_equal(ngx_olivine_monitor_join(m.tx, &at), NGX_OK);
    add(m.tx, 8);
    assert_int_equal(next(&at), 8);
    assert_true(m.zone->monitor.backed <= 8192);
}


static void
test_monitor_that_falls_behind_is_told(void **state)
{
    u_char    *buf;
    size_t     n;
    uint32_t   id, size;
    uint64_t   at, after;

    size = m.zone->monitor.size;

    assert_int_equal(ngx_olivine_monitor_join(m.tx, &at), NGX_OK);

    for (id = 0, n = 0; n + 4 + length(id) <= size; id++) {
        n += 4 + length(id);
        add(m.tx, id);
    }

    after = at;
    assert_int_equal(next(&after), 0);

    add(m.tx, id);
    assert_int_equal(next(&at), -2);

    /* what is larger than the ring */

    at = m.zone->monitor.tail;
    buf = malloc(size + 1);
    assert_non_null(buf);

    ngx_olivine_monitor_add(m.tx, buf, size + 1);
    assert_int_equal(next(&at), -2);
    assert_int_equal(next(&after), -2);

    at = m.zone->monitor.tail;
    add(m.tx, 5);
    assert_int_equal(next(&at), 5);

    /* as large as the ring */

    (void) message(buf, 3, size - 4);
    ngx_olivine_monitor_add(m.tx, buf, size);
    assert_int_equal(ngx_olivine_monitor_look(m.zone, at, &id), NGX_OK);
    assert_int_equal(id, size - 4);

    ngx_olivine_monitor_add(m.tx, NULL, 0);
    assert_int_equal(next(&at), -2);

    free(buf);
}


/* Two write at once, one reads meanwhile and never sees a torn one. */

static void
test_monitor_reads_while_others_write(void **state)
{
    int               status;
    pid_t             pids[2];
    int64_t           id, last[2];
    uint64_t          at;
    ngx_uint_t        i, k, seen, behind;
    ngx_olivine_tx_t  tx;

    assert_int_equal(ngx_olivine_monitor_join(m.tx, &at), NGX_OK);

    for (i = 0; i < 2; i++) {

        pids[i] = fork();

        if (pids[i] == 0) {
            if (ngx_olivine_slot_claim(&tx, m.zone, m.fd, 1) != NGX_OK) {
                _exit(1);
            }

            for (k = 0; k < 20000; k++) {
                add(&tx, k * 2 + i);

                if (k % 20 == 0) {
                    usleep(200);
                }
            }

            _exit(0);
        }
    }

    last[0] = last[1] = -1;
    seen = 0;
    behind = 0;

    for ( ;; ) {
        id = next(&at);

        if (id == -2) {
            behind++;
            at = m.zone->monitor.tail;
            continue;
        }

        if (id == -1) {
            if (waitpid(-1, &status, WNOHANG) == -1) {
                break;
            }

            continue;
        }

        seen++;
        assert_true(id > last[id & 1]);
        last[id & 1] = id;
    }

    assert_true(seen > 0);
    assert_true(seen == 40000 || behind > 0);

    (void) ngx_olivine_slot_sweep_all(m.tx);
    assert_int_equal(m.zone->monitored, 1);
}


/*
 * A worker that dies at any step leaves messages that are whole, the number of
 * readers true, and a lock and a lease that the next one gets.
 */

static void
test_monitor_survives_a_worker_that_dies(void **state)
{
    int               status;
    pid_t             pid;
    int64_t           got;
    uint32_t          id;
    uint64_t          step, at, theirs;
    ngx_uint_t        died, kind;
    ngx_olivine_tx_t  tx;

    id = 0;

    for (kind = 0; kind < 2; kind++) {

        at = 0;

        if (kind == 1) {
            assert_int_equal(ngx_olivine_monitor_join(m.tx, &at), NGX_OK);
        }

        for (step = 1, died = 1; died; step++) {

            pid = fork();

            if (pid == 0) {
                if (ngx_olivine_slot_claim(&tx, m.zone, m.fd, 1) != NGX_OK) {
                    _exit(1);
                }

                ngx_olivine_steps = 0;
                ngx_olivine_step_last = step;

                if (ngx_olivine_monitor_join(&tx, &theirs) != NGX_OK) {
                    _exit(2);
                }

                add(&tx, id);
                add(&tx, id + 1);
                ngx_olivine_monitor_add(&tx, NULL, 0);
                add(&tx, id + 2);
                ngx_olivine_monitor_leave(&tx);
                ngx_olivine_monitor_trim(&tx);

                ngx_olivine_step_last = 0;
                _exit(0);
            }

            assert_int_equal(waitpid(pid, &status, 0), pid);
            died = WIFSIGNALED(status);
            assert_true(died || WEXITSTATUS(status) == 0);

            (void) ngx_olivine_slot_sweep_all(m.tx);
            assert_int_equal(m.zone->monitored, kind);

            if (kind == 0) {
                ngx_olivine_monitor_trim(m.tx);
                assert_int_equal(m.zone->monitor.backed, 0);

                assert_int_equal(ngx_olivine_monitor_join(m.tx, &at), NGX_OK);
                add(m.tx, id + 100);
                assert_int_equal(next(&at), id + 100);
                ngx_olivine_monitor_leave(m.tx);

            } else {
                while ((got = next(&at)) >= 0) {
                    assert_true(got >= id && got <= id + 2);
                }

                if (got == -2) {
                    at = m.zone->monitor.tail;
                }

                add(m.tx, id + 100);

                got = next(&at);

                if (got == -2) {

                    /* it died when others were to lose theirs */

                    at = m.zone->monitor.tail;
                    add(m.tx, id + 100);
                    got = next(&at);
                }

                assert_int_equal(got, id + 100);
            }

            id += 3;
        }

        assert_true(step > 20);
    }
}


#define monitor_test(name)                                                    \
    cmocka_unit_test_setup_teardown(name, setup, teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        monitor_test(test_monitor_costs_nothing_while_nobody_looks),
        monitor_test(test_monitor_sees_all_from_when_it_joined),
        monitor_test(test_monitor_that_falls_behind_is_told),
        monitor_test(test_monitor_reads_while_others_write),
        monitor_test(test_monitor_survives_a_worker_that_dies),
    };

    return unit_run(tests);
}
