
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include <signal.h>
#include <sys/wait.h>


#define RING  4096


typedef struct {
    u_char      *data;
    size_t       len;
} bytes_t;


static unit_mem_t  m;

/* all that was logged */
static bytes_t     all;


static int
setup(void **state)
{
    unit_mem_create(&m, 16 * 1024 * 1024, 4);
    memset(&all, 0, sizeof(all));
    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    free(all.data);
    return 0;
}


static ngx_int_t
part_attach(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_ring_attach(tx, RING, p);
}


static ngx_int_t
part_detach(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_ring_detach(tx, *(ngx_uint_t *) p);
}


static ngx_uint_t
attach(void)
{
    ngx_uint_t  n;

    assert_int_equal(unit_mem_run(&m, part_attach, &n), NGX_OK);

    return n;
}


static void
detach(ngx_uint_t n)
{
    assert_int_equal(unit_mem_run(&m, part_detach, &n), NGX_OK);
}


static void
append(bytes_t *b, const void *data, size_t len)
{
    b->data = realloc(b->data, b->len + len + 1);
    memcpy(b->data + b->len, data, len);
    b->len += len;
}


/* Commits a record; AGAIN if there is no credit for it. */

static ngx_int_t
log_record(ngx_olivine_tx_t *tx, const void *record, size_t len, uint32_t db)
{
    ngx_int_t  rc;

    for ( ;; ) {
        assert_int_equal(ngx_olivine_tx_lock_shard(tx, 1), NGX_OK);
        rc = ngx_olivine_tx_commit(tx, (u_char *) record, len, db);

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);

        if (rc == NGX_OK) {
            return NGX_OK;
        }

        assert_int_equal(rc, NGX_AGAIN);
        assert_int_equal(tx->want_credit, len + NGX_OLIVINE_RING_SELECT);

        if (ngx_olivine_tx_fetch(tx) != NGX_OK) {
            return NGX_AGAIN;
        }
    }
}


static void
reads(ngx_uint_t n, bytes_t *b, size_t max)
{
    u_char  buf[RING];
    size_t  len;

    len = ngx_olivine_ring_read(m.tx, n, buf, max);
    append(b, buf, len);
}


static void
test_ring_is_read_as_it_was_written(void **state)
{
    u_char       text[RING];
    size_t       len, most;
    bytes_t      seen[3];
    ngx_uint_t   i, k, n[3], refused;
    unsigned     seed;

    seed = (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    memset(seen, 0, sizeof(seen));
    append(&all, "*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n", 23);

    for (k = 0; k < 3; k++) {
        n[k] = attach();
    }

    refused = 0;

    for (i = 0; i < 20000; i++) {
        len = 1 + random() % (random() % 10 ? 100 : RING / 2);
        memset(text, 'a' + random() % 26, len);

        if (log_record(m.tx, text, len, 7) == NGX_OK) {
            append(&all, text, len);

        } else {
            refused++;

            /* never without a reason */

            most = 0;

            for (k = 0; k < 3; k++) {
                most = ngx_max(most, all.len - seen[k].len);
            }

            assert_true(most + m.tx->slot->credit + len
                        + NGX_OLIVINE_RING_SELECT > RING);
        }

        for (k = 0; k < 3; k++) {
            if (random() % (3 + k) == 0) {
                reads(n[k], &seen[k], 1 + random() % RING);
            }

            assert_true(all.len - seen[k].len <= RING);
        }
    }

    assert_true(refused != 0);
    assert_int_equal(m.zone->ring.tail, all.len);

    for (k = 0; k < 3; k++) {
        reads(n[k], &seen[k], RING);
        assert_int_equal(seen[k].len, all.len);
        assert_memory_equal(seen[k].data, all.data, all.len);

        detach(n[k]);
        free(seen[k].data);
    }

    assert_int_equal(m.zone->ring.size, 0);
}


static void
test_ring_states_the_database(void **state)
{
    u_char      buf[RING];
    size_t      len;
    ngx_uint_t  one, two;

    one = attach();

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_int_equal(log_record(m.tx, "b", 1, 0), NGX_OK);
    assert_int_equal(log_record(m.tx, "c", 1, 16383), NGX_OK);

    len = ngx_olivine_ring_read(m.tx, one, buf, RING);
    assert_int_equal(len, 53);
    assert_memory_equal(buf, "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\nab"
                             "*2\r\n$6\r\nSELECT\r\n$5\r\n16383\r\nc", len);

    /* for who comes later it is said again */

    two = attach();
    assert_int_equal(log_record(m.tx, "d", 1, 16383), NGX_OK);

    len = ngx_olivine_ring_read(m.tx, two, buf, RING);
    assert_int_equal(len, 28);
    assert_memory_equal(buf, "*2\r\n$6\r\nSELECT\r\n$5\r\n16383\r\nd", len);

    detach(one);
    detach(two);
}


/* Without a reader nothing is written, nor with no record. */

static void
test_ring_is_left_alone_without_readers(void **state)
{
    uint64_t    tail;
    ngx_uint_t  n;

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_int_equal(m.zone->ring.tail, 0);

    n = attach();
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    tail = m.zone->ring.tail;
    assert_true(tail != 0);

    assert_int_equal(log_record(m.tx, NULL, 0, 0), NGX_OK);
    assert_int_equal(m.zone->ring.tail, tail);

    detach(n);
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_int_equal(m.zone->ring.tail, tail);

    /* offsets only grow */

    n = attach();
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_true(m.zone->ring.tail > tail);
    detach(n);
}


static void
test_ring_has_places_for_its_readers(void **state)
{
    ngx_uint_t  i, n, more;

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {
        n = attach();
    }

    assert_int_equal(unit_mem_run(&m, part_attach, &more), NGX_ERROR);
    detach(n);
    assert_int_equal(attach(), n);

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {
        detach(i);
    }
}


/* Leave to write that a worker takes into its grave is returned. */

static void
test_ring_credit_of_a_dead_worker_returns(void **state)
{
    int               status;
    pid_t             pid;
    bytes_t           seen = { NULL, 0 };
    ngx_uint_t        n;
    ngx_olivine_tx_t  *own;

    n = attach();
    own = calloc(1, sizeof(ngx_olivine_tx_t));

    pid = fork();

    if (pid == 0) {
        ngx_pid = getpid();

        if (ngx_olivine_slot_claim(own, m.zone, m.fd, 1) == NGX_OK
            && ngx_olivine_ring_credit(own, RING) == NGX_OK)
        {
            (void) kill(getpid(), SIGKILL);
        }

        _exit(1);
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    free(own);

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_AGAIN);
    assert_int_equal(ngx_olivine_slot_sweep_all(m.tx), 1);
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);

    reads(n, &seen, RING);
    assert_int_equal(seen.len, 24);
    free(seen.data);
    detach(n);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_ring_is_read_as_it_was_written,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_states_the_database,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                       test_ring_is_left_alone_without_readers,
                                       setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_has_places_for_its_readers,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                     test_ring_credit_of_a_dead_worker_returns,
                                     setup, teardown),
    };

    return unit_run(tests);
}
