
/*
 * Copyright (C) The Olivine authors
 *
 * Locks and the gate between processes that die at any time.
 */


#include "mem.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>


#define SHARDS   4
#define WORKERS  3


/* what the processes of a test tell each other */
typedef struct {
    volatile uint64_t   acked[WORKERS];
    volatile uint64_t   refused;
    volatile uint32_t   state;
} board_t;


static unit_mem_t   m;
static board_t     *board;

/* a counter for each shard, in the zone */
static uint64_t    *counts;


static ngx_int_t
part_counters(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_heap_alloc(tx, 1, NGX_OLIVINE_PAGE_JOURNAL, 0, p);
}


static int
setup(void **state)
{
    uint32_t  page;

    unit_mem_create(&m, 16 * 1024 * 1024, SHARDS);

    assert_int_equal(unit_mem_run(&m, part_counters, &page), NGX_OK);
    counts = (uint64_t *) ngx_olivine_zone_page(m.zone, page);
    memset(counts, 0, NGX_OLIVINE_PAGE);

    board = mmap(NULL, sizeof(board_t), PROT_READ|PROT_WRITE,
                 MAP_SHARED|MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(board, MAP_FAILED);

    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    munmap(board, sizeof(board_t));
    return 0;
}


static pid_t
worker(void (*run)(ngx_olivine_tx_t *tx, ngx_uint_t n), ngx_uint_t n)
{
    pid_t              pid;
    ngx_olivine_tx_t  *tx;

    pid = fork();

    if (pid == 0) {
        ngx_pid = getpid();
        srandom(ngx_pid);

        tx = calloc(1, sizeof(ngx_olivine_tx_t));

        if (ngx_olivine_slot_claim(tx, m.zone, m.fd, 1) != NGX_OK) {
            _exit(1);
        }

        run(tx, n);
        ngx_olivine_slot_leave(tx);
        _exit(0);
    }

    assert_true(pid > 0);

    return pid;
}


static void
ended(pid_t pid, int by)
{
    int  status;

    assert_int_equal(waitpid(pid, &status, 0), pid);

    if (by) {
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), by);

    } else {
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}


static void
until(uint32_t state)
{
    ngx_uint_t  i;

    for (i = 0; board->state != state; i++) {
        if (i == 100000) {
            fail_msg("state %d does not come", (int) state);
        }

        usleep(100);
    }
}


/* Moves something from one counter to another, over and over. */

static void
moves(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    ngx_uint_t  from, to;

    while (board->state == 0) {
        from = random() % SHARDS;
        to = random() % SHARDS;

        if (ngx_olivine_tx_lock_shard(tx, ngx_min(from, to)) != NGX_OK
            || ngx_olivine_tx_lock_shard(tx, ngx_max(from, to)) != NGX_OK)
        {
            ngx_olivine_tx_undo(tx);
            ngx_olivine_tx_unlock(tx);
            continue;
        }

        ngx_olivine_tx_set64(tx, &counts[from], counts[from] - 7);
        ngx_olivine_tx_set64(tx, &counts[to], counts[to] + 8);

        (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
        ngx_olivine_tx_unlock(tx);

        board->acked[n]++;
    }
}


static void
test_lock_is_held_by_one_at_a_time(void **state)
{
    pid_t       pid[WORKERS];
    uint64_t    sum, acked;
    ngx_uint_t  i, k, kills;

    srandom(time(NULL));
    kills = 0;

    for (i = 0; i < WORKERS; i++) {
        pid[i] = worker(moves, i);
    }

    for (k = 0; k < 150; k++) {
        usleep(random() % 15000);

        i = random() % WORKERS;
        kill(pid[i], SIGKILL);
        ended(pid[i], SIGKILL);
        kills++;

        pid[i] = worker(moves, i);
        (void) ngx_olivine_slot_sweep_all(m.tx);
    }

    usleep(20000);
    board->state = 1;

    for (i = 0; i < WORKERS; i++) {
        ended(pid[i], 0);
    }

    (void) ngx_olivine_slot_sweep_all(m.tx);

    sum = 0;
    acked = 0;

    for (i = 0; i < SHARDS; i++) {
        assert_int_equal(ngx_olivine_zone_arena(m.zone, i)->lock.word, 0);
        sum += counts[i];
    }

    for (i = 0; i < WORKERS; i++) {
        acked += board->acked[i];
    }

    print_message("%lu moves, %lu kills\n", (unsigned long) acked,
                  (unsigned long) kills);

    /* none is lost, none is half; who died may not have told of its last */

    assert_true(acked > 1000);
    assert_true(sum >= acked);
    assert_true(sum <= acked + kills);
    assert_true(m.zone->recovered <= kills);
}


static void
holds(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    if (ngx_olivine_tx_lock_shard(tx, 0) == NGX_OK) {
        ngx_olivine_tx_set64(tx, &counts[0], 77);
        board->state = 1;
    }

    for ( ;; ) {
        pause();
    }
}


/* Who waits for a dead holder brings back what was there, and goes on. */

static void
test_lock_of_a_dead_holder_is_taken(void **state)
{
    pid_t  pid;

    pid = worker(holds, 0);
    until(1);
    assert_int_equal(counts[0], 77);

    kill(pid, SIGKILL);
    ended(pid, SIGKILL);

    assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 0), NGX_OK);
    assert_int_equal(counts[0], 0);
    ngx_olivine_tx_unlock(m.tx);

    assert_int_equal(ngx_olivine_slot_sweep_all(m.tx), 1);
}


static void
holds_a_while(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        _exit(1);
    }

    board->state = 1;
    usleep(50000);

    counts[0]++;
    ngx_olivine_tx_unlock(tx);
}


static void
test_lock_is_waited_for(void **state)
{
    pid_t  pid;

    pid = worker(holds_a_while, 0);
    until(1);

    assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 0), NGX_OK);
    assert_int_equal(counts[0], 1);
    ngx_olivine_tx_unlock(m.tx);

    ended(pid, 0);
}


/* Raises the gate though somebody waits for its lock. */

static void
holds_and_raises(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        _exit(1);
    }

    board->state = 1;
    usleep(30000);

    if (ngx_olivine_gate_raise(tx, NGX_OLIVINE_GATE_WALK, 1) != NGX_OK) {
        _exit(1);
    }

    while (board->state != 2) {
        usleep(100);
    }

    ngx_olivine_gate_lower(tx);
    ngx_olivine_tx_unlock(tx);
}


static void
test_lock_is_given_up_for_the_gate(void **state)
{
    pid_t  pid;

    pid = worker(holds_and_raises, 0);
    until(1);

    assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 0), NGX_AGAIN);
    assert_int_equal(ngx_olivine_gate_raise(m.tx, NGX_OLIVINE_GATE_WALK, 1),
                     NGX_AGAIN);
    assert_int_equal(ngx_olivine_tx_fetch(m.tx), NGX_AGAIN);

    /* one that is free is still had */

    assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 1), NGX_OK);
    ngx_olivine_tx_unlock(m.tx);

    board->state = 2;
    ended(pid, 0);

    assert_true(ngx_olivine_slot_at(m.zone, 0)->hints
                & NGX_OLIVINE_HINT_GATE);
    assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 0), NGX_OK);
    ngx_olivine_tx_unlock(m.tx);
}


static void
raises(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    if (ngx_olivine_gate_raise(tx, NGX_OLIVINE_GATE_SLEEP, 1) == NGX_OK) {
        board->state = 1;
    }

    for ( ;; ) {
        pause();
    }
}


static void
test_gate_of_a_dead_raiser_falls(void **state)
{
    pid_t  pid;

    pid = worker(raises, 0);
    until(1);

    assert_true(ngx_olivine_gate_up(m.tx));

    kill(pid, SIGKILL);
    ended(pid, SIGKILL);

    assert_true(m.zone->gate.word != 0);
    assert_false(ngx_olivine_gate_up(m.tx));
    assert_int_equal(m.zone->gate.word, 0);

    assert_int_equal(ngx_olivine_gate_raise(m.tx, NGX_OLIVINE_GATE_WALK, 1),
                     NGX_OK);

    /* it is not up for who raised it */

    assert_false(ngx_olivine_gate_up(m.tx));
    ngx_olivine_gate_lower(m.tx);
    assert_int_equal(ngx_olivine_slot_sweep_all(m.tx), 1);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_lock_is_held_by_one_at_a_time,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_of_a_dead_holder_is_taken,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_is_waited_for,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_lock_is_given_up_for_the_gate,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_gate_of_a_dead_raiser_falls,
                                        setup, teardown),
    };

    return unit_run(tests);
}
