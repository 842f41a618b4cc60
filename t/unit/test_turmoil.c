
/*
 * Copyright (C) The Olivine authors
 *
 * Clients of two workers do whatever they like, in any order, and are cut off
 * in the middle of it: what they are told stays in step with what they asked,
 * values are whole, and nothing of theirs is left behind.
 */

/* layer: client */


#include "wire.h"

#include <sys/wait.h>


#if (NGX_OLIVINE_ASAN)
#define DEATHS  40
#else
#define DEATHS  300
#endif

#define PEERS  8
#define KEYS   24
#define STEPS  20000
#define ASKED  4096


/* what a reply has to look like */
typedef struct {
    ngx_uint_t    key;            /* its value may be in it */
    ngx_uint_t    echo;           /* the number of this command instead */
} asked_t;


typedef struct {
    unit_peer_t   peer;
    asked_t       asked[ASKED];
    ngx_uint_t    first;
    ngx_uint_t    last;
    ngx_uint_t    closing;        /* it may be closed by what it sent */
} rebel_t;


static rebel_t     rebels[PEERS];
static ngx_uint_t  commands, answers, oom, large, alone;


static size_t
value_at(ngx_uint_t key)
{
    return key * 4099;
}


static size_t
some_size(void)
{
    switch (random() % 12) {

    case 0:
        return random() % 400000;

    case 1:
        return 32760 + random() % 20;

    case 2:
        return random() % 70000;

    case 3:
        return random() % 50 ? random() % 5000 : 2500000;

    default:
        return random() % (large ? 200000 : 300);
    }
}


static void
value(text_t *t, ngx_uint_t key)
{
    size_t  size;

    size = some_size();
    bulk(t, noise + value_at(key), size);
}


static ngx_uint_t
some_command(text_t *t, rebel_t *r)
{
    ngx_uint_t  i, n, key;

    key = random() % KEYS;

    switch (random() % 36) {

    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        say(t, "*3\r\n$3\r\nSET\r\n$6\r\nkey:%02lu\r\n", key);
        value(t, key);
        break;

    case 5:
        say(t, "*4\r\n$3\r\nSET\r\n$6\r\nkey:%02lu\r\n", key);
        value(t, key);
        say(t, "$3\r\nGET\r\n");
        break;

    case 6:
        say(t, "*5\r\n$3\r\nSET\r\n$6\r\nkey:%02lu\r\n", key);
        value(t, key);
        say(t, "$2\r\nPX\r\n$2\r\n%02ld\r\n", 10 + random() % 90);
        break;

    case 7:
    case 8:
    case 9:
    case 10:
        command(t, "GET key:%02lu", key);
        break;

    case 11:
        command(t, "GETDEL key:%02lu", key);
        break;

    case 12:
        command(t, "DEL key:%02lu key:%02ld key:%02ld", key, random() % KEYS,
                random() % KEYS);
        break;

    case 13:
        n = 1 + random() % 5;
        say(t, "*%lu\r\n$4\r\nMSET\r\n", 1 + 2 * n);

        for (i = 0; i < n; i++) {
            say(t, "$6\r\nkey:%02lu\r\n", key);
            value(t, key);
            key = random() % KEYS;
        }

        break;

    case 14:
        command(t, "MGET key:%02lu key:%02lu none key:%02lu", key, key, key);
        break;

    case 15:
        command(t, "GETEX key:%02lu PX %ld", key, 1 + random() % 100);
        break;

    case 16:
        command(t, "PEXPIRE key:%02lu %ld", key, random() % 100 - 10);
        break;

    case 17:
        command(t, "APPEND more:%02lu 0123456789", key);
        break;

    case 18:
        command(t, random() % 50 ? "DBSIZE" : "FLUSHALL");
        break;

    case 19:
        command(t, "DEBUG SLEEP 0.00%ld", random() % 3);
        break;

    case 20:
        say(t, "exists key:%02lu\r\n", key);
        break;

    case 21:
        command(t, "INCR n:%lu", key);
        break;

    case 22:
        command(t, "SELECT %ld", random() % 20 ? 0 : random() % 4);
        break;

    case 23:
    case 24:
        command(t, "MULTI");
        break;

    case 25:
    case 26:
        command(t, "EXEC");
        key = KEYS;                            /* replies of several keys */
        break;

    case 27:
        command(t, random() % 3 ? "UNWATCH" : "DISCARD");
        break;

    case 28:
        command(t, "WATCH key:%02lu key:%02ld", key, random() % KEYS);
        break;

    case 29:
        command(t, random() % 2 ? "KEYS k*%lu" : "SCAN 0 COUNT 1000%lu",
                key % 10);
        key = KEYS;                            /* names */
        break;

    case 30:
        command(t, "RENAME more:%02lu more:%02ld", key, random() % KEYS);
        break;

    case 31:
        command(t, "COPY more:%02lu more:%02ld REPLACE", key,
                random() % KEYS);
        break;

    case 32:
        command(t, "COPY key:%02lu key:%02lu DB %ld REPLACE", key, key,
                random() % 4);
        break;

    case 33:
        command(t, "MOVE key:%02lu %ld", key, random() % 4);
        break;

    case 34:
        command(t, random() % 2 ? "DUMP key:%02lu" : "DUMP more:%02lu", key);
        key = KEYS;                            /* bytes that are not its own */
        break;

    default:

        if (random() % 30 == 0) {
            command(t, "SWAPDB %ld %ld", random() % 4, random() % 4);

        } else if (random() % 30 == 0) {
            r->closing = 1;
            say(t, random() % 2 ? "QUIT\r\n" : "*2\r\n$3\r\nGET\r\n$-1\r\n");

        } else {
            command(t, "NOSUCH %lu", key);
        }

        break;
    }

    return key;
}


/* Behind one reply, or NULL if it is not whole; bulks are those of the key. */

static u_char *
skip_reply(u_char *p, u_char *last, ngx_uint_t key)
{
    long     n;
    u_char  *lf;

    lf = memchr(p, LF, last - p);

    if (lf == NULL) {
        return NULL;
    }

    assert_int_equal(lf[-1], CR);

    switch (*p) {

    case '+':
    case ':':
        return lf + 1;

    case '-':
        oom += (p[1] == 'O');
        assert_true(p[1] == 'O' || strncmp((char *) p + 1, "ERR ", 4) == 0
                    || strncmp((char *) p + 1, "EXECABORT ", 10) == 0);
        return lf + 1;

    case '*':
        n = atol((char *) p + 1);
        p = lf + 1;

        while (p && n-- > 0) {
            p = skip_reply(p, last, key);
        }

        return p;

    case '$':
        n = atol((char *) p + 1);

        if (n < 0) {
            return lf + 1;
        }

        if (last - lf - 1 < n + 2) {
            return NULL;
        }

        if (key < KEYS && memcmp(lf + 1, noise + value_at(key), n) != 0) {
            fail_msg("a value of key %lu is not its own", key);
        }

        assert_memory_equal(lf + 1 + n, "\r\n", 2);

        return lf + 1 + n + 2;

    default:
        fail_msg("a reply begins with \"%.20s\"", p);
        return NULL;
    }
}


static void
check(rebel_t *r)
{
    char      text[32];
    size_t    len;
    u_char   *p, *next, *last;
    asked_t  *asked;

    if (r->peer.nout == 0) {
        return;
    }

    p = r->peer.out;
    last = p + r->peer.nout;

    while (p < last && r->first != r->last) {
        asked = &r->asked[r->first % ASKED];

        next = skip_reply(p, last, asked->echo ? KEYS : asked->key);

        if (next == NULL) {
            break;
        }

        if (asked->echo) {
            len = sprintf(text, "$8\r\n%08lu\r\n", asked->echo);

            if (((size_t) (next - p) != len || memcmp(p, text, len) != 0)
                && (next - p != 9 || memcmp(p, "+QUEUED\r\n", 9) != 0))
            {
                fail_msg("out of step: \"%.*s\" for \"%s\"",
                         (int) ngx_min(next - p, 60), p, text);
            }
        }

        r->first++;
        answers++;
        p = next;
    }

    r->peer.nout = last - p;

    if (r->peer.nout) {
        memmove(r->peer.out, p, r->peer.nout);
    }
}


static void
sends(rebel_t *r)
{
    text_t       t = { NULL, 0, 0 };
    ngx_uint_t   i, n;
    asked_t     *asked;

    n = 1 + random() % (random() % 20 ? 3 : 100);

    if (r->last - r->first + 2 * n > ASKED) {
        return;
    }

    for (i = 0; i < n && !r->closing; i++) {
        asked = &r->asked[r->last++ % ASKED];
        asked->key = some_command(&t, r);
        asked->echo = 0;

        /* what other keys' values an MSET has does not matter here */

        asked = &r->asked[r->last++ % ASKED];
        asked->echo = ++commands;
        say(&t, "*2\r\n$4\r\nECHO\r\n$8\r\n%08lu\r\n", asked->echo);
    }

    unit_peer_write(&r->peer, t.data, t.len);
    forget(&t);
}


static void
opens(rebel_t *r)
{
    unit_peer_free(&r->peer);
    memset(r, 0, sizeof(rebel_t));
    unit_peer_open(&r->peer, (r - rebels) & 1 || alone ? &other : &worker);
}


/* Receives, and runs, as far as it goes. */

static void
goes(rebel_t *r)
{
    ngx_int_t  rc;

    if (r->peer.closed) {
        return;
    }

    if (random() % 4 == 0) {
        unit_peer_go(&r->peer);
        return;
    }

    rc = NGX_OK;

    if (!r->peer.done && r->peer.nin) {
        rc = unit_peer_receive(&r->peer);

        if (rc == NGX_ERROR) {
            unit_peer_close(&r->peer);
            return;
        }

        if (random() % 4) {
            return;
        }
    }

    unit_peer_go(&r->peer);
}


static void
acts(rebel_t *r)
{
    if (r->peer.closed) {

        if (!r->closing && !r->peer.kill) {
            fail_msg("closed for nothing");
        }

        opens(r);
        return;
    }

    switch (random() % 16) {

    case 0:
    case 1:
    case 2:
        sends(r);
        break;

    case 3:
        r->peer.step = random() % 3 ? 0 : 1 + random() % 50000;
        break;

    case 4:
        r->peer.take = random() % 3 ? 0 : 1 + random() % 100000;
        break;

    case 5:
        r->peer.hold = random() % 2;
        break;

    case 6:

        if (!r->peer.closed) {
            (void) unit_peer_take(&r->peer, random() % 300000);
        }

        break;

    case 7:

        if (random() % 20 == 0) {
            opens(r);
        }

        break;

    case 8:
        r->peer.nag = random() % 2;
        break;

    case 9:
        sends(r);
        /* fall through */

    default:
        goes(r);
        break;
    }

    check(r);
}


static void
ends(rebel_t *r)
{
    ngx_uint_t  i;

    r->peer.hold = 0;
    r->peer.step = 0;
    r->peer.take = 0;

    for (i = 0; i < 3; i++) {
        unit_peer_go(&r->peer);
        check(r);
    }
}


static ngx_uint_t
waiting(void)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < PEERS; i++) {
        n += !rebels[i].peer.closed && rebels[i].first != rebels[i].last;
    }

    return n;
}


static void
everyone(void (*act)(rebel_t *r))
{
    ngx_uint_t  i;

    for (i = 0; i < PEERS; i++) {
        act(&rebels[i]);
    }
}


static void
wakes(rebel_t *r)
{
    if (r->peer.wakes || r->peer.timer || r->peer.kill) {
        r->peer.timer = 0;
        unit_peer_go(&r->peer);
        check(r);
    }
}


static void
background(int64_t now)
{
    if (!alone) {
        (void) ngx_olivine_worker_tick(&worker, now);
        ngx_olivine_worker_rung(&worker);
    }

    (void) ngx_olivine_worker_tick(&other, now);
    ngx_olivine_worker_rung(&other);

    everyone(wakes);
}


static void
turmoil(void)
{
    unsigned    seed;
    ngx_uint_t  i, k;

    seed = getenv("SEED") ? (unsigned) atoi(getenv("SEED"))
                          : (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    open_other();
    memset(rebels, 0, sizeof(rebels));

    for (i = 0; i < PEERS; i++) {
        rebels[i].peer.closed = 1;
        opens(&rebels[i]);
    }

    for (i = 0; i < STEPS; i++) {
        acts(&rebels[random() % PEERS]);

        if (random() % 8 == 0) {
            background(ngx_olivine_now());
        }

        if (i % 1000 == 999) {
            unit_audit(&worker.tx);
        }
    }

    /* who is not closed gets all that it is owed */

    for (k = 0; k < 5000 && waiting(); k++) {
        everyone(ends);
        background(ngx_olivine_now());
        usleep(100);
    }

    for (i = 0; i < PEERS; i++) {

        if (!rebels[i].peer.closed && !rebels[i].closing) {

            if (rebels[i].first != rebels[i].last) {
                fail_msg("client %lu, state %d, waits for %lu replies",
                         (unsigned long) i, rebels[i].peer.client->state,
                         (unsigned long) (rebels[i].last - rebels[i].first));
            }

            assert_int_equal(rebels[i].peer.nin, 0);
            assert_int_equal(rebels[i].peer.nout, 0);
        }

        unit_peer_free(&rebels[i].peer);
    }

    print_message("%lu commands, %lu replies, %lu found no room\n", commands,
                  answers, oom);

    assert_int_equal(other.replies.used, 0);
    assert_int_equal(other.tx.slot->clients, 0);
    assert_int_equal(pins(), 0);
}


static void
test_turmoil_leaves_nothing_behind(void **state)
{
    large = 0;
    turmoil();
}


static int
setup_small(void **state)
{
    open_zone(8 * MB);
    return 0;
}


static void
test_turmoil_in_a_full_zone(void **state)
{
    large = 1;
    turmoil();
}


/* A worker with its clients, until it dies at a step of its own. */

static void
live(unsigned seed)
{
    ngx_uint_t  i;

    ngx_pid = getpid();
    srandom(seed);
    alone = 1;

    open_other();
    memset(rebels, 0, sizeof(rebels));

    for (i = 0; i < PEERS; i++) {
        rebels[i].peer.closed = 1;
        opens(&rebels[i]);
    }

    ngx_olivine_steps = 0;
    ngx_olivine_step_last = 1 + random() % (random() % 4 ? 3000 : 100000);

    for (i = 0; i < STEPS; i++) {
        acts(&rebels[random() % PEERS]);

        if (random() % 8 == 0) {
            background(ngx_olivine_now());
        }
    }

    (void) kill(getpid(), SIGKILL);
}


static void
test_turmoil_of_workers_that_die(void **state)
{
    int          status;
    pid_t        pid;
    text_t       t = { NULL, 0, 0 };
    unsigned     seed;
    ngx_uint_t   i, k;

    large = 0;
    seed = getenv("SEED") ? (unsigned) atoi(getenv("SEED"))
                          : (unsigned) time(NULL);
    print_message("seed %u\n", seed);

    for (i = 0; i < DEATHS; i++) {
        pid = fork();

        if (pid == 0) {
            live(seed + i);
            _exit(0);
        }

        assert_int_equal(waitpid(pid, &status, 0), pid);

        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
            fail_msg("a worker ended by itself, seed %u",
                     (unsigned) (seed + i));
        }

        ngx_olivine_poison_zone(z.zone);

        for (k = 0; k < 8; k++) {
            (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());
        }

        for (k = 0; k < z.zone->nshards; k++) {
            ngx_olivine_store_shard(z.zone, k)->due = 0;
        }

        (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());

        ngx_olivine_poison_zone(z.zone);

        assert_int_equal(ngx_olivine_slot_at(z.zone, 1)->state,
                         NGX_OLIVINE_SLOT_FREE);
        assert_int_equal(z.zone->gate.word, 0);
        assert_int_equal(z.zone->heap.receipts, 0);
        assert_int_equal(z.zone->heap.orphans, 0);
        assert_int_equal(pins(), 0);
        unit_audit(&worker.tx);

        for (k = 0; k < z.zone->nshards; k++) {
            assert_null(ngx_olivine_store_shard(z.zone, k)->watches);
        }

        /* what is there is whole */

        for (k = 0; k < KEYS; k++) {
            command(&t, "GET key:%02lu", k);
            tell(&a, &t);
            assert_ptr_equal(skip_reply(a.out, a.out + a.nout, k),
                             a.out + a.nout);
            a.nout = 0;
        }
    }
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        WIRE_TEST(test_turmoil_leaves_nothing_behind),
        cmocka_unit_test_setup_teardown(test_turmoil_in_a_full_zone,
                                        setup_small, teardown),
        WIRE_TEST(test_turmoil_of_workers_that_die),
    };

    ngx_olivine_cx_turn_us = 0;        /* what takes long goes on in turns */

    return wire_run(tests);
}
