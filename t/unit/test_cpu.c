
/*
 * Copyright (C) The Olivine authors
 *
 * The CPU profile over several workers, each a process with a loop of its own:
 * it works, looks whether there is something to do, and sleeps.
 */


#include "mem.h"

#include "prof/ngx_olivine_cpu.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>


#define RATE     500
#define WORKERS  3


typedef struct {
    ngx_uint_t               called;
    ngx_olivine_profile_t   *profile;
} result_t;


static volatile uint64_t  sink;


static void __attribute__((noinline))
burn_parent(void)
{
    ngx_uint_t  i;

    for (i = 0; i < 2000000; i++) {
        sink += i * i;
    }
}


static void __attribute__((noinline))
burn_child(void)
{
    ngx_uint_t  i;

    for (i = 0; i < 2000000; i++) {
        sink += i * i * i;
    }
}


static void
nap(void)
{
    struct timespec  ts = { 0, 1000000 };

    (void) nanosleep(&ts, NULL);
}


static void
done(void *data, ngx_olivine_profile_t *profile)
{
    result_t *result = data;

    result->called++;
    result->profile = profile;
}


/* A worker; it ends when the flag is raised, or when it is killed. */

static pid_t
worker(unit_mem_t *m, volatile uint32_t *flag, ngx_uint_t looks)
{
    pid_t               pid;
    ngx_uint_t          i;
    ngx_olivine_tx_t   *tx;
    ngx_olivine_cpu_t  *cpu;

    pid = fork();

    if (pid != 0) {
        return pid;
    }

    (void) prctl(PR_SET_PDEATHSIG, SIGKILL);    /* a failed test */
    (void) alarm(120);

    tx = calloc(1, sizeof(ngx_olivine_tx_t));

    if (ngx_olivine_slot_claim(tx, m->zone, m->fd, 1) != NGX_OK) {
        _exit(1);
    }

    cpu = ngx_olivine_cpu_create(tx, unit_log(NGX_LOG_ERR));

    for (i = 0; *flag == 0; i++) {
        burn_child();

        if (looks == 0 || i < looks) {
            ngx_olivine_cpu_look(cpu, ngx_olivine_now());
        }

        nap();
    }

    ngx_olivine_cpu_destroy(cpu);
    ngx_olivine_slot_leave(tx);

    _exit(0);
}


/* Runs the parent's loop for so long, or until the callback came. */

static void
loop(ngx_olivine_cpu_t *cpu, ngx_uint_t ms, result_t *result)
{
    int64_t  end;

    end = ngx_olivine_now() + ms;

    while (ngx_olivine_now() < end && (result == NULL || !result->called)) {
        burn_parent();
        ngx_olivine_cpu_look(cpu, ngx_olivine_now());
        nap();
    }
}


static char *
text_of(ngx_olivine_profile_t *profile)
{
    ngx_str_t  out;

    assert_non_null(profile);
    assert_int_equal(ngx_olivine_profile_text(profile, &out), NGX_OK);

    return (char *) out.data;
}


static ngx_uint_t
has_pid(const char *text, pid_t pid)
{
    char  label[32];

    snprintf(label, sizeof(label), " pid=%d\n", (int) pid);

    return strstr(text, label) != NULL;
}


static uint64_t
receipts(unit_mem_t *m)
{
    return m->zone->heap.receipts;
}


/* Waits until workers have claimed slots. */

static void
claimed(unit_mem_t *m, ngx_uint_t n)
{
    int64_t     end;
    ngx_uint_t  i, live;

    end = ngx_olivine_now() + 10000;

    do {
        nap();
        live = 0;

        for (i = 0; i < m->zone->slots_high; i++) {
            live += ngx_olivine_slot_at(m->zone, i)->state
                    == NGX_OLIVINE_SLOT_LIVE;
        }

    } while (live < n && ngx_olivine_now() < end);

    assert_int_equal(live, n);
}


static void
begin(unit_mem_t *m, volatile uint32_t **flag, ngx_olivine_cpu_t **cpu)
{
    unit_mem_create(m, 64 * 1024 * 1024, 2);

    *flag = mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS,
                 -1, 0);
    assert_true(*flag != MAP_FAILED);

    *cpu = ngx_olivine_cpu_create(m->tx, unit_log(NGX_LOG_ERR));
    assert_non_null(*cpu);
}


static void
end(unit_mem_t *m, volatile uint32_t *flag, ngx_olivine_cpu_t *cpu,
    pid_t *pids, ngx_uint_t n)
{
    int         status;
    ngx_uint_t  i;

    *flag = 1;

    for (i = 0; i < n; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    }

    (void) ngx_olivine_slot_sweep_all(m->tx);
    assert_int_equal(receipts(m), 0);

    ngx_olivine_cpu_destroy(cpu);
    assert_int_equal(m->zone->prof.lease, 0);

    munmap((void *) flag, 4096);
    unit_mem_destroy(m);
}


static void
test_cpu_profile_of_one_worker(void **state)
{
    char                *text;
    result_t             result = { 0, NULL };
    unit_mem_t           m;
    ngx_olivine_cpu_t   *cpu;
    volatile uint32_t   *flag;

    begin(&m, &flag, &cpu);

    assert_int_equal(ngx_olivine_cpu_start(cpu, 0, done, &result), NGX_ERROR);
    assert_int_equal(ngx_olivine_cpu_start(cpu, 1001, done, &result),
                     NGX_ERROR);
    assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result), NGX_OK);
    assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result),
                     NGX_DECLINED);

    loop(cpu, 600, NULL);
    assert_int_equal(result.called, 0);

    ngx_olivine_cpu_stop(cpu);
    loop(cpu, 10000, &result);
    assert_int_equal(result.called, 1);

    text = text_of(result.profile);
    assert_true(has_pid(text, getpid()));
    assert_non_null(strstr(text, "burn_parent"));
    assert_null(strstr(text, "burn_child"));
    free(text);
    ngx_olivine_profile_destroy(result.profile);

    /* and another one */

    result.called = 0;
    assert_int_equal(ngx_olivine_cpu_start(cpu, 1, done, &result), NGX_OK);
    ngx_olivine_cpu_stop(cpu);
    loop(cpu, 10000, &result);
    assert_int_equal(result.called, 1);
    assert_int_equal(ngx_olivine_profile_sum(result.profile, 0), 0);
    ngx_olivine_profile_destroy(result.profile);

    end(&m, flag, cpu, NULL, 0);
}


static void
test_cpu_profile_has_all_workers(void **state)
{
    char                *text;
    pid_t                pids[WORKERS];
    result_t             result = { 0, NULL };
    unit_mem_t           m;
    ngx_uint_t           i;
    ngx_olivine_cpu_t   *cpu;
    volatile uint32_t   *flag;

    begin(&m, &flag, &cpu);

    for (i = 0; i < WORKERS - 1; i++) {
        pids[i] = worker(&m, flag, 0);
    }

    claimed(&m, WORKERS);

    assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result), NGX_OK);
    loop(cpu, 300, NULL);

    /* one that comes later takes part */

    pids[i] = worker(&m, flag, 0);
    loop(cpu, 900, NULL);

    ngx_olivine_cpu_stop(cpu);
    loop(cpu, 10000, &result);
    assert_int_equal(result.called, 1);

    text = text_of(result.profile);
    assert_true(has_pid(text, getpid()));

    for (i = 0; i < WORKERS; i++) {
        assert_true(has_pid(text, pids[i]));
    }

    assert_non_null(strstr(text, "burn_parent"));
    assert_non_null(strstr(text, "burn_child"));
    free(text);
    ngx_olivine_profile_destroy(result.profile);

    /* parts are given back */

    for (i = 0; i < 1000 && receipts(&m); i++) {
        nap();
    }

    assert_int_equal(receipts(&m), 0);

    end(&m, flag, cpu, pids, WORKERS);
}


/* It is missing, and nobody waits for it. */

static void
test_cpu_profile_outlives_a_worker(void **state)
{
    char                *text;
    pid_t                pids[2];
    int64_t              since;
    result_t             result = { 0, NULL };
    unit_mem_t           m;
    ngx_uint_t           round;
    ngx_olivine_cpu_t   *cpu;
    volatile uint32_t   *flag;

    for (round = 0; round < 2; round++) {
        begin(&m, &flag, &cpu);
        result.called = 0;

        pids[0] = worker(&m, flag, 0);
        pids[1] = worker(&m, flag, 0);
        claimed(&m, 3);

        assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result),
                         NGX_OK);
        loop(cpu, 500, NULL);

        if (round == 0) {
            assert_int_equal(kill(pids[0], SIGKILL), 0);
            loop(cpu, 100, NULL);
        }

        ngx_olivine_cpu_stop(cpu);

        if (round == 1) {
            assert_int_equal(kill(pids[0], SIGKILL), 0);
        }

        since = ngx_olivine_now();
        loop(cpu, 10000, &result);
        assert_int_equal(result.called, 1);
        assert_true(ngx_olivine_now() - since < 8000);

        text = text_of(result.profile);
        assert_true(has_pid(text, getpid()));
        assert_false(has_pid(text, pids[0]));
        assert_true(has_pid(text, pids[1]));
        free(text);
        ngx_olivine_profile_destroy(result.profile);

        end(&m, flag, cpu, pids, 2);
    }
}


/* It has joined and is stuck: it is waited for, but not for ever. */

static void
test_cpu_profile_does_not_wait_for_ever(void **state)
{
    pid_t                pids[1];
    result_t             result = { 0, NULL };
    unit_mem_t           m;
    ngx_olivine_cpu_t   *cpu;
    volatile uint32_t   *flag;

    begin(&m, &flag, &cpu);
    pids[0] = worker(&m, flag, 0);
    claimed(&m, 2);

    assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result), NGX_OK);
    loop(cpu, 400, NULL);
    assert_int_equal(kill(pids[0], SIGSTOP), 0);

    ngx_olivine_cpu_stop(cpu);
    loop(cpu, 8000, &result);
    assert_int_equal(result.called, 0);
    loop(cpu, 4000, &result);
    assert_int_equal(result.called, 1);
    assert_non_null(result.profile);
    ngx_olivine_profile_destroy(result.profile);

    assert_int_equal(kill(pids[0], SIGCONT), 0);
    end(&m, flag, cpu, pids, 1);
}


/* Who started it dies: others stop, and the next one can begin. */

static void
test_cpu_profile_of_a_dead_worker_ends(void **state)
{
    int                  status;
    pid_t                pid, pids[1];
    char                *text;
    result_t             result = { 0, NULL };
    unit_mem_t           m;
    ngx_uint_t           round;
    ngx_olivine_tx_t    *tx;
    ngx_olivine_cpu_t   *cpu, *other;
    volatile uint32_t   *flag;

    for (round = 0; round < 2; round++) {
        begin(&m, &flag, &cpu);
        result.called = 0;

        pids[0] = worker(&m, flag, 0);
        claimed(&m, 2);

        pid = fork();

        if (pid == 0) {
            tx = calloc(1, sizeof(ngx_olivine_tx_t));
            (void) ngx_olivine_slot_claim(tx, m.zone, m.fd, 1);
            other = ngx_olivine_cpu_create(tx, unit_log(NGX_LOG_ERR));

            if (ngx_olivine_cpu_start(other, RATE, done, &result) != NGX_OK) {
                _exit(1);
            }

            loop(other, 400, NULL);

            if (round) {
                ngx_olivine_cpu_stop(other);
                loop(other, 5, NULL);
            }

            (void) kill(getpid(), SIGKILL);
        }

        loop(cpu, 200, NULL);
        assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result),
                         NGX_DECLINED);

        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));

        loop(cpu, 300, NULL);
        assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result),
                         NGX_OK);
        loop(cpu, 500, NULL);
        ngx_olivine_cpu_stop(cpu);
        loop(cpu, 10000, &result);
        assert_int_equal(result.called, 1);

        text = text_of(result.profile);
        assert_true(has_pid(text, getpid()));
        assert_true(has_pid(text, pids[0]));
        assert_false(has_pid(text, pid));
        free(text);
        ngx_olivine_profile_destroy(result.profile);

        end(&m, flag, cpu, pids, 1);
    }
}


static void
test_cpu_profile_is_cancelled(void **state)
{
    pid_t                pids[1];
    result_t             result = { 0, NULL };
    unit_mem_t           m;
    ngx_uint_t           i;
    ngx_olivine_cpu_t   *cpu;
    volatile uint32_t   *flag;

    begin(&m, &flag, &cpu);
    pids[0] = worker(&m, flag, 0);
    claimed(&m, 2);

    /* at once, while it runs, after the stop */

    for (i = 0; i < 3; i++) {
        assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result),
                         NGX_OK);

        if (i) {
            loop(cpu, 400, NULL);
        }

        if (i == 2) {
            ngx_olivine_cpu_stop(cpu);
            ngx_olivine_cpu_look(cpu, ngx_olivine_now());
        }

        ngx_olivine_cpu_cancel(cpu);
        assert_int_equal(m.zone->prof.lease, 0);
        loop(cpu, 300, NULL);
    }

    assert_int_equal(result.called, 0);
    ngx_olivine_cpu_stop(cpu);                   /* nothing to stop */
    ngx_olivine_cpu_cancel(cpu);

    end(&m, flag, cpu, pids, 1);
}


/* A full zone: the part is missing, and that is all. */

static void
test_cpu_profile_in_a_full_zone(void **state)
{
    char                *text;
    pid_t                pids[1];
    result_t             result = { 0, NULL };
    unit_mem_t           m;
    ngx_olivine_cpu_t   *cpu;
    volatile uint32_t   *flag;

    begin(&m, &flag, &cpu);
    pids[0] = worker(&m, flag, 0);
    claimed(&m, 2);

    assert_int_equal(ngx_olivine_cpu_start(cpu, RATE, done, &result), NGX_OK);
    loop(cpu, 400, NULL);
    m.zone->heap.limit = 1;
    ngx_olivine_cpu_stop(cpu);
    loop(cpu, 9000, &result);
    assert_int_equal(result.called, 1);

    text = text_of(result.profile);
    assert_true(has_pid(text, getpid()));
    assert_false(has_pid(text, pids[0]));
    free(text);
    ngx_olivine_profile_destroy(result.profile);

    end(&m, flag, cpu, pids, 1);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_cpu_profile_of_one_worker),
        cmocka_unit_test(test_cpu_profile_has_all_workers),
        cmocka_unit_test(test_cpu_profile_outlives_a_worker),
        cmocka_unit_test(test_cpu_profile_does_not_wait_for_ever),
        cmocka_unit_test(test_cpu_profile_of_a_dead_worker_ends),
        cmocka_unit_test(test_cpu_profile_is_cancelled),
        cmocka_unit_test(test_cpu_profile_in_a_full_zone),
    };

    return unit_run(tests);
}
