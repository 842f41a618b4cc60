
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"
#include "blocked.h"

#include "log/ngx_olivine_aof.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>


#define RING    (64 * 1024)
#define SELECT  "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n"


static unit_mem_t          m;
static ngx_olivine_aof_t  *aof;
static char                dir[] = "/tmp/olivine-aof-XXXXXX";
static uint32_t           *count;        /* records committed, shared */


static ngx_int_t
part_attach(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_ring_attach(tx, RING, p);
}


static void
touch(uint64_t seq)
{
    int     fd;
    u_char  path[NGX_OLIVINE_AOF_PATH];

    (void) ngx_olivine_aof_path(m.zone, seq, path);

    fd = open((char *) path, O_CREAT|O_TRUNC|O_WRONLY, 0644);
    assert_true(fd != -1);
    close(fd);
}


static int
setup(void **state)
{
    ngx_uint_t                n;
    ngx_olivine_aof_state_t  *st;

    unit_mem_create(&m, 16 * 1024 * 1024, 4);
    assert_int_equal(unit_mem_run(&m, part_attach, &n), NGX_OK);

    strcpy(dir, "/tmp/olivine-aof-XXXXXX");
    assert_non_null(mkdtemp(dir));

    st = &m.zone->persist.aof;
    st->state = NGX_OLIVINE_AOF_ON;
    st->reader = n + 1;
    st->marks[0].offset = m.zone->ring.tail;
    st->marks[0].seq = 1;
    st->durable = m.zone->ring.tail;
    strcpy((char *) st->dir, dir);
    strcpy((char *) st->name, "unit.aof");

    touch(1);

    aof = ngx_olivine_aof_create(m.tx, ngx_cycle->log);
    assert_non_null(aof);

    count = mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS,
                 -1, 0);
    assert_true(count != MAP_FAILED);

    return 0;
}


static int
teardown(void **state)
{
    char            path[512];
    DIR            *d;
    struct dirent  *de;

    ngx_olivine_aof_destroy(aof);
    munmap(count, 4096);

    d = opendir(dir);

    while ((de = readdir(d)) != NULL) {
        snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
        (void) unlink(path);
    }

    closedir(d);
    rmdir(dir);

    unit_mem_destroy(&m);

    return 0;
}


/* Commits "<n>;" and padding; AGAIN: the log is full. */

static ngx_int_t
commit(ngx_olivine_tx_t *tx, size_t pad)
{
    u_char     text[8192];
    size_t     n;
    ngx_int_t  rc;

    n = sprintf((char *) text, "%u", *count);
    memset(text + n, '.', pad);
    n += pad;
    text[n++] = ';';

    for ( ;; ) {
        assert_int_equal(ngx_olivine_tx_lock_shard(tx, 1), NGX_OK);
        rc = ngx_olivine_tx_commit(tx, text, n, 0);

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);

        } else {
            (*count)++;          /* nobody dies between the two by our will */
        }

        ngx_olivine_tx_unlock(tx);

        if (rc == NGX_OK || ngx_olivine_tx_fetch(tx) != NGX_OK) {
            return rc;
        }
    }
}


static char *
content(uint64_t seq, size_t *len)
{
    int          fd;
    char        *p;
    u_char       path[NGX_OLIVINE_AOF_PATH];
    struct stat  fi;

    (void) ngx_olivine_aof_path(m.zone, seq, path);
    fd = open((char *) path, O_RDONLY);
    assert_true(fd != -1);
    assert_int_equal(fstat(fd, &fi), 0);

    p = malloc(fi.st_size + 1);
    assert_int_equal(read(fd, p, fi.st_size), fi.st_size);
    p[fi.st_size] = '\0';
    close(fd);

    *len = fi.st_size;

    return p;
}


/* The files seq..last hold records first..count-1, each once and whole. */

static void
whole(uint64_t seq, uint64_t last, unsigned n)
{
    char    *p, *text, *end;
    size_t   len;

    for ( /* void */ ; seq <= last; seq++) {
        text = content(seq, &len);
        p = text;

        while (*p) {
            if (strncmp(p, SELECT, sizeof(SELECT) - 1) == 0) {
                p += sizeof(SELECT) - 1;
                continue;
            }

            if (strncmp(p, "#TS:", 4) == 0) {
                p = strstr(p, "\r\n") + 2;
                continue;
            }

            if (strtoul(p, &end, 10) != n++) {
                fail_msg("at %zu of file %u: \"%.20s\", not %u", p - text,
                         (unsigned) seq, p, n - 1);
            }

            end += strspn(end, ".");
            assert_int_equal(*end, ';');
            p = end + 1;
        }

        assert_int_equal(p - text, len);
        free(text);
    }

    assert_true(n == *count || n == *count + 1);
    *count = n;
}


static void
settle(void)
{
    ngx_uint_t                i;
    ngx_olivine_aof_state_t  *st;

    st = &m.zone->persist.aof;

    for (i = 0; i < 5000; i++) {
        ngx_olivine_aof_reap(aof);
        ngx_olivine_aof_flush(aof, ngx_olivine_now());

        if (ngx_olivine_aof_safe(m.zone, ngx_olivine_now())
            >= m.zone->ring.tail
            && !st->busy && st->lease == 0 && st->turn == 0
            && ngx_olivine_aof_written(m.zone)->offset == m.zone->ring.tail)
        {
            return;
        }

        usleep(1000);
    }

    fail_msg("the log is not written in time");
}


static void
test_aof_writes_what_is_committed(void **state)
{
    ngx_uint_t  i, policy;

    srandom(1);

    for (policy = 0; policy < 3; policy++) {
        m.zone->params.appendfsync = policy;

        for (i = 0; i < 3000; i++) {
            if (commit(m.tx, random() % 500) != NGX_OK) {
                settle();
                continue;
            }

            if (random() % 3 == 0) {
                ngx_olivine_aof_reap(aof);
                ngx_olivine_aof_flush(aof, ngx_olivine_now());
            }
        }

        settle();
        whole(1, 1, 0);
    }
}


/* A sync is begun when a pass of the loop has brought nothing more. */

static void
test_aof_gathers_what_one_sync_serves(void **state)
{
    int64_t   now;
    uint64_t  ns;

    now = ngx_olivine_now();
    m.zone->params.appendfsync = NGX_OLIVINE_FSYNC_ALWAYS;

    assert_int_equal(ngx_olivine_aof_flush(aof, now), NGX_OK);

    assert_int_equal(commit(m.tx, 10), NGX_OK);
    assert_int_equal(ngx_olivine_aof_flush(aof, now), NGX_AGAIN);
    assert_int_equal(m.zone->persist.aof.busy, 0);
    assert_int_equal(ngx_olivine_aof_flush(aof, now), NGX_OK);
    assert_true(m.zone->persist.aof.lease != 0);

    settle();
    assert_int_equal(m.zone->persist.aof.durable, m.zone->ring.tail);

    /* it does not wait for ever */

    assert_int_equal(commit(m.tx, 10), NGX_OK);
    assert_int_equal(ngx_olivine_aof_flush(aof, now), NGX_AGAIN);
    usleep(20000);
    assert_int_equal(commit(m.tx, 10), NGX_OK);
    assert_int_equal(ngx_olivine_aof_flush(aof, now), NGX_OK);

    settle();
    assert_int_equal(m.zone->persist.aof.durable, m.zone->ring.tail);

    /* what the thread waited for is booked when the loop hears of it */

    ngx_olivine_aof_reap(aof);

    assert_int_equal(unit_blocked(m.zone, NGX_OLIVINE_BLOCK_AOF_SYNC, NULL,
                                  &ns), 2);
    assert_true(ns > 0);
    assert_true(unit_blocked(m.zone, NGX_OLIVINE_BLOCK_AOF_WRITE, NULL, &ns)
                >= 2);
}


/* Replies wait for the disk only if they are asked to. */

static void
test_aof_says_what_may_be_told(void **state)
{
    int64_t                   now;
    ngx_olivine_aof_state_t  *st;

    st = &m.zone->persist.aof;
    now = ngx_olivine_now();
    st->synced_at = now;

    m.zone->params.appendfsync = NGX_OLIVINE_FSYNC_EVERYSEC;
    assert_int_equal(commit(m.tx, 10), NGX_OK);
    assert_int_equal(m.tx->logged, m.zone->ring.tail);
    assert_true(ngx_olivine_aof_safe(m.zone, now) < m.tx->logged);
    ngx_olivine_aof_flush(aof, now);
    assert_int_equal(ngx_olivine_aof_safe(m.zone, now), m.tx->logged);
    assert_true(st->durable < m.tx->logged);

    /* a second later it is synced, by the thread */

    ngx_olivine_aof_flush(aof, now + 1000);
    settle();
    assert_int_equal(st->durable, m.tx->logged);

    /* while that goes on replies leave at once, but not for ever */

    assert_int_equal(commit(m.tx, 10), NGX_OK);
    st->busy = 1;
    st->busy_since = now;
    assert_true(ngx_olivine_aof_safe(m.zone, now) >= m.tx->logged);
    assert_true(ngx_olivine_aof_safe(m.zone, now + 2000) < m.tx->logged);
    st->busy = 0;

    m.zone->params.appendfsync = NGX_OLIVINE_FSYNC_ALWAYS;
    assert_true(ngx_olivine_aof_safe(m.zone, now) < m.tx->logged);
    settle();
    assert_int_equal(ngx_olivine_aof_safe(m.zone, now), m.tx->logged);
    assert_int_equal(st->durable, m.tx->logged);

    st->state = NGX_OLIVINE_AOF_OFF;
    assert_true(ngx_olivine_aof_safe(m.zone, now) == UINT64_MAX);
    st->state = NGX_OLIVINE_AOF_ON;
}


static void
test_aof_turns_to_the_next_increment(void **state)
{
    ngx_uint_t                i, seq;
    ngx_olivine_aof_state_t  *st;

    st = &m.zone->persist.aof;
    m.zone->params.aof_timestamp_enabled = 1;

    for (seq = 2; seq < 6; seq++) {
        for (i = 0; i < 50; i++) {
            assert_int_equal(commit(m.tx, 100), NGX_OK);
        }

        touch(seq);
        st->turn_seq = seq;
        st->turn = m.zone->ring.tail + 1;

        for (i = 0; i < 50; i++) {
            assert_int_equal(commit(m.tx, 100), NGX_OK);
        }

        settle();
        assert_int_equal(ngx_olivine_aof_written(m.zone)->seq, seq);
    }

    whole(1, 5, 0);
}


/* A writer dies anywhere; the next one leaves no torn middle. */

static void
test_aof_is_taken_over(void **state)
{
    int                 status;
    pid_t               pid;
    ngx_uint_t          round;
    ngx_olivine_tx_t   *tx;
    ngx_olivine_aof_t  *own;

    srandom(ngx_olivine_now());
    m.zone->params.aof_timestamp_enabled = 1;

    for (round = 0; round < 60; round++) {

        m.zone->params.appendfsync = round % 3;
        pid = fork();

        if (pid == 0) {
            ngx_pid = getpid();
            tx = calloc(1, sizeof(ngx_olivine_tx_t));

            if (ngx_olivine_slot_claim(tx, m.zone, m.fd, 1) != NGX_OK) {
                _exit(1);
            }

            own = ngx_olivine_aof_create(tx, ngx_cycle->log);

            for ( ;; ) {
                (void) commit(tx, random() % 2000);
                ngx_olivine_aof_reap(own);
                ngx_olivine_aof_flush(own, ngx_olivine_now());
            }
        }

        usleep(500 + random() % 5000);
        (void) kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));

        /* the count is raised after the commit: it may lack the last one */

        (void) ngx_olivine_slot_sweep_all(m.tx);
        settle();

        whole(1, 1, 0);
    }
}


static void
test_aof_is_mended(void **state)
{
    struct rlimit             limit, old;
    ngx_olivine_persist_t    *persist;

    persist = &m.zone->persist;
    m.zone->params.appendfsync = NGX_OLIVINE_FSYNC_NO;

    (void) signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);

    assert_int_equal(commit(m.tx, 60), NGX_OK);
    assert_int_equal(commit(m.tx, 60), NGX_OK);

    ngx_olivine_aof_flush(aof, 1000);
    assert_int_equal(persist->aof.error, EFBIG);
    assert_int_equal(persist->refuse, NGX_OLIVINE_REFUSE_AOF);
    assert_int_equal(persist->aof.lease, 0);
    assert_int_equal(ngx_olivine_aof_written(m.zone)->pos, 0);

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);

    settle();
    assert_int_equal(persist->aof.error, 0);
    assert_int_equal(persist->refuse, 0);
    whole(1, 1, 0);
}


/* A file that is gone is not written to for ever. */

static void
test_aof_notices_that_its_file_is_gone(void **state)
{
    u_char                  path[NGX_OLIVINE_AOF_PATH];
    ngx_uint_t              i;
    ngx_olivine_persist_t  *persist;

    persist = &m.zone->persist;
    m.zone->params.appendfsync = NGX_OLIVINE_FSYNC_ALWAYS;

    assert_int_equal(commit(m.tx, 60), NGX_OK);
    settle();

    (void) ngx_olivine_aof_path(m.zone, 1, path);
    assert_int_equal(unlink((char *) path), 0);

    assert_int_equal(commit(m.tx, 60), NGX_OK);

    for (i = 0; i < 5000 && !persist->aof.distrust; i++) {
        ngx_olivine_aof_flush(aof, ngx_olivine_now());
        usleep(1000);
    }

    ngx_olivine_aof_reap(aof);
    assert_int_equal(persist->aof.distrust, 1);
    assert_int_equal(persist->refuse, NGX_OLIVINE_REFUSE_AOF);
    assert_true(persist->aof.durable < m.zone->ring.tail);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_aof_writes_what_is_committed,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_aof_gathers_what_one_sync_serves,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_aof_says_what_may_be_told,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_aof_turns_to_the_next_increment,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_aof_is_taken_over,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_aof_is_mended, setup, teardown),
        cmocka_unit_test_setup_teardown(
                                       test_aof_notices_that_its_file_is_gone,
                                       setup, teardown),
    };

    return unit_run(tests);
}
