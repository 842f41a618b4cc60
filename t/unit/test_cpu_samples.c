
/*
 * Copyright (C) The Olivine authors
 *
 * The process takes samples of itself: the signal, the ring, the walk over
 * stacks, and what becomes of it.
 */


#include "mem.h"

#include "prof/ngx_olivine_cpu_samples.h"

#include <pthread.h>
#include <sys/resource.h>


static volatile uint64_t  sink;
static u_char             source[1 << 20];
static u_char             target[1 << 20];


static void __attribute__((noinline))
burn(ngx_uint_t ms)
{
    uint64_t         i;
    struct timespec  now, end;

    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    end.tv_sec += (end.tv_nsec + ms * 1000000) / 1000000000;
    end.tv_nsec = (end.tv_nsec + ms * 1000000) % 1000000000;

    do {
        for (i = 0; i < 100000; i++) {
            sink += i * i;
        }

        (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);

    } while (now.tv_sec < end.tv_sec
             || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}


static void __attribute__((noinline))
deep(ngx_uint_t n)
{
    if (n == 0) {
        burn(200);
        return;
    }

    deep(n - 1);
    sink++;
}


static int __attribute__((noinline))
compare(const void *one, const void *two)
{
    ngx_uint_t  i;

    for (i = 0; i < 2000; i++) {
        sink += i;
    }

    return *(u_char *) one - *(u_char *) two;
}


static void __attribute__((noinline))
sorts(void)
{
    ngx_uint_t  i;

    for (i = 0; i < 20000; i++) {
        source[i] = i * 7919;
    }

    qsort(source, 20000, 1, compare);
}


static void __attribute__((noinline))
copies(void)
{
    ngx_uint_t  i;

    for (i = 0; i < 6000; i++) {
        memcpy(target, source, sizeof(target));
        sink += target[i];
    }
}


static void __attribute__((noinline))
calls(void)
{
    int            fd;
    struct rusage  now, begun;

    fd = open("/dev/zero", O_RDONLY);
    assert_true(fd >= 0);
    (void) getrusage(RUSAGE_THREAD, &begun);

    do {
        assert_int_equal(read(fd, target, sizeof(target)), sizeof(target));
        (void) getrusage(RUSAGE_THREAD, &now);

    } while (now.ru_stime.tv_sec * 1000000 + now.ru_stime.tv_usec
             - begun.ru_stime.tv_sec * 1000000 - begun.ru_stime.tv_usec
             < 300000);

    close(fd);
}


/* The share of a profile, in percent of its time, whose line has a text. */

static double
share(ngx_olivine_profile_t *profile, const char *text)
{
    char       *line, *next;
    double      all, some, ns;
    ngx_str_t   out;

    assert_int_equal(ngx_olivine_profile_folded(profile, 1, &out), NGX_OK);

    all = 1;
    some = 0;

    for (line = (char *) out.data; *line; line = next) {
        next = strchr(line, '\n');
        *next++ = '\0';

        ns = atof(strrchr(line, ' '));
        all += ns;

        if (strstr(line, text)) {
            some += ns;
        }
    }

    if (getenv("VERBOSE")) {
        free(out.data);
        assert_int_equal(ngx_olivine_profile_text(profile, &out), NGX_OK);
        puts((char *) out.data);
    }

    free(out.data);

    return some * 100 / all;
}


static ngx_olivine_profile_t *
profile_of(void (*work)(ngx_uint_t), ngx_uint_t n, void (*plain)(void),
    int64_t *user, int64_t *system)
{
    int64_t                      u, s;
    uint64_t                     lost;
    ngx_olivine_tx_t            *tx;
    ngx_olivine_profile_t       *profile;
    ngx_olivine_cpu_signal_t    *signal;
    ngx_olivine_cpu_samples_t   *samples;

    tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_int_equal(ngx_olivine_cpu_signal_start(tx, 250, &signal), NGX_OK);

    if (work) {
        work(n);

    } else {
        plain();
    }

    ngx_olivine_cpu_signal_stop(signal, &u, &s);

    samples = ngx_olivine_cpu_samples_create();
    assert_non_null(samples);
    ngx_olivine_cpu_samples_read(samples, signal);
    lost = ngx_olivine_cpu_signal_lost(signal);
    ngx_olivine_cpu_signal_free(signal);
    assert_int_equal(lost, 0);

    profile = ngx_olivine_cpu_profile(250);
    assert_non_null(profile);
    assert_int_equal(ngx_olivine_cpu_samples_add(samples, profile, NULL, 250,
                                                 u, s, 0), NGX_OK);
    ngx_olivine_cpu_samples_destroy(samples);
    free(tx);

    if (user) {
        *user = u;
        *system = s;
    }

    return profile;
}


static void
test_cpu_finds_what_burns(void **state)
{
    int64_t                 user, system, sum;
    ngx_olivine_profile_t  *profile;

    profile = profile_of(burn, 300, NULL, &user, &system);

    assert_true(share(profile, ";burn") > 50);
    assert_true(share(profile, ";main;") > 70);
    assert_true(share(profile, "[truncated]") < 30);

    /* 300 ms are there, and about as many samples as they are worth */

    sum = ngx_olivine_profile_sum(profile, 1);
    assert_true(sum > 280 * 1000000LL);
    assert_true(sum <= user + system);
    assert_true(sum + 10000 >= user + system);

    sum = ngx_olivine_profile_sum(profile, 0);
    assert_true(sum >= 20 && sum <= 200);

    ngx_olivine_profile_destroy(profile);
}


static void
test_cpu_walks_deep_stacks(void **state)
{
    ngx_olivine_profile_t  *profile;

    profile = profile_of(deep, 20, NULL, NULL, NULL);
    assert_true(share(profile, "main;") > 70);
    assert_true(share(profile, ";deep;deep;deep;deep;deep;deep;deep;deep;deep"
                      ";deep;deep;deep;deep;deep;deep;deep;deep;deep;deep"
                      ";deep;deep;burn") > 50);
    ngx_olivine_profile_destroy(profile);

    /* one that is deeper than what is walked says so */

    profile = profile_of(deep, 2000, NULL, NULL, NULL);
    assert_true(share(profile, "[truncated];deep;") > 60);
    ngx_olivine_profile_destroy(profile);
}


static void
test_cpu_walks_through_libc(void **state)
{
    ngx_olivine_profile_t  *profile;

    profile = profile_of(NULL, 0, sorts, NULL, NULL);
    assert_true(share(profile, ";compare") > 50);
    assert_true(share(profile, ";sorts;") > 70);
    assert_true(share(profile, "sort") > 70);
    assert_true(share(profile, ";main;") > 70);
    ngx_olivine_profile_destroy(profile);

    profile = profile_of(NULL, 0, copies, NULL, NULL);
    assert_true(share(profile, ";copies;") > 50);
    assert_true(share(profile, ";main;") > 70);
    ngx_olivine_profile_destroy(profile);
}


static void
test_cpu_books_the_kernels_time_on_its_call(void **state)
{
    int64_t                 user, system;
    ngx_olivine_profile_t  *profile;

    profile = profile_of(NULL, 0, calls, &user, &system);

    assert_true(system >= 290 * 1000000LL);
    assert_true(share(profile, "[kernel] ") > 20);
    assert_true(share(profile, "read;[kernel] ") > 10);
    assert_true(share(profile, ";calls;") > 30);

    ngx_olivine_profile_destroy(profile);
}


static void
test_cpu_has_one_profile_in_a_process(void **state)
{
    int64_t                    user, system;
    ngx_olivine_tx_t          *tx;
    ngx_olivine_cpu_signal_t  *one, *two;

    tx = calloc(1, sizeof(ngx_olivine_tx_t));

    assert_int_equal(ngx_olivine_cpu_signal_start(tx, 1, &one), NGX_OK);
    assert_int_equal(ngx_olivine_cpu_signal_start(tx, 100, &two),
                     NGX_DECLINED);
    ngx_olivine_cpu_signal_stop(one, &user, &system);
    ngx_olivine_cpu_signal_free(one);

    assert_int_equal(ngx_olivine_cpu_signal_start(tx, 1000, &two), NGX_OK);
    ngx_olivine_cpu_signal_stop(two, &user, &system);
    ngx_olivine_cpu_signal_free(two);

    /* a signal that comes late does nothing */

    assert_int_equal(raise(SIGPROF), 0);

    free(tx);
}


/* Nobody reads: samples are lost, and none of those that are there is torn. */

static void
test_cpu_ring_keeps_what_it_has(void **state)
{
    int64_t                      user, system;
    uint64_t                     lost;
    ngx_uint_t                   i, n, round;
    ngx_olivine_tx_t            *tx;
    ngx_olivine_cpu_raw_t       *raw;
    ngx_olivine_cpu_signal_t    *signal;
    struct timespec              ts = { 0, 20000 };

    tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_int_equal(ngx_olivine_cpu_signal_start(tx, 1000, &signal), NGX_OK);

    /* stacks of many sizes, and a reader that comes now and then */

    for (round = 0; round < 40; round++) {

        for (i = 0; i < 3; i++) {
            burn(10);
        }

        for (n = round % 3; n; n--) {
            raw = ngx_olivine_cpu_signal_read(signal);

            if (raw) {
                assert_int_equal(raw->skip, 0);
                assert_true(raw->len <= NGX_OLIVINE_CPU_STACK);
                assert_true(raw->periods >= 1);
                ngx_olivine_cpu_signal_next(signal);
            }
        }
    }

    (void) nanosleep(&ts, NULL);
    ngx_olivine_cpu_signal_stop(signal, &user, &system);

    assert_true(ngx_olivine_cpu_signal_waiting(signal)
                <= NGX_OLIVINE_CPU_RING);
    lost = ngx_olivine_cpu_signal_lost(signal);

    for (n = 0; (raw = ngx_olivine_cpu_signal_read(signal)) != NULL; n++) {
        assert_int_equal(raw->skip, 0);
        ngx_olivine_cpu_signal_next(signal);
    }

    assert_true(n + lost > 20);
    assert_int_equal(ngx_olivine_cpu_signal_waiting(signal), 0);

    ngx_olivine_cpu_signal_free(signal);
    free(tx);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_cpu_finds_what_burns),
        cmocka_unit_test(test_cpu_walks_deep_stacks),
        cmocka_unit_test(test_cpu_walks_through_libc),
        cmocka_unit_test(test_cpu_books_the_kernels_time_on_its_call),
        cmocka_unit_test(test_cpu_has_one_profile_in_a_process),
        cmocka_unit_test(test_cpu_ring_keeps_what_it_has),
    };

    return unit_run(tests);
}
