
/*
 * Copyright (C) The Olivine authors
 *
 * Replies, pins and limits.
 */


#include "wire.h"

#include <malloc.h>


/* A big value is sent from where it lies, whatever becomes of its key. */

static void
test_client_big_reply_outlives_its_key(void **state)
{
    text_t      t = { NULL, 0, 0 };
    uint64_t    used;
    ngx_uint_t  i;

    static const char  *changes[] = {
        "DEL big", "SET big small", "APPEND big more", "EXPIRE big -1",
        "GETDEL other", "SET big v GET", "FLUSHALL"
    };

    used = 0;

    for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {

        set_big(&a, "big", 0, 300000);
        set_big(&a, "other", 9, 50000);

        a.hold = 1;
        command(&t, "GET big");
        tell(&a, &t);

        assert_int_equal(pins(), 1);
        assert_true(ngx_olivine_reply_size(&a.client->reply) > 300000);

        command(&t, "%s", changes[i]);
        tell(&b, &t);
        b.nout = 0;

        /* what comes now must not be given its pages */

        set_big(&b, "new", 77, 200000);
        unit_audit(&worker.tx);

        while (ngx_olivine_reply_size(&a.client->reply)) {
            unit_peer_take(&a, 65521);
        }

        a.hold = 0;
        unit_peer_go(&a);

        bulk(&t, noise, 300000);
        told(&a, &t);

        assert_int_equal(pins(), 0);
        assert_int_equal(z.zone->heap.orphans, 0);
        unit_audit(&worker.tx);

        ask(&b, "FLUSHALL", "+OK\r\n");
        settle(100);

        if (used == 0) {
            used = z.zone->heap.used;
        }

        /* a class of cells keeps its last run */

        assert_true(z.zone->heap.used < used + 8);
    }
}


static void
test_client_closed_in_a_big_reply(void **state)
{
    text_t  t = { NULL, 0, 0 };
    size_t  n;

    for (n = 0; n < 310000; n += 50001) {
        set_big(&a, "big", 0, 300000);

        unit_peer_free(&c);
        unit_peer_open(&c, &worker);
        c.hold = 1;

        command(&t, "GET big");
        command(&t, "GET big");
        tell(&c, &t);

        if (n & 1) {
            ask(&a, "DEL big", ":1\r\n");
            assert_true(z.zone->heap.orphans != 0);
        }

        (void) unit_peer_take(&c, n);
        unit_peer_close(&c);

        assert_int_equal(pins(), 0);
        assert_int_equal(z.zone->heap.orphans, 0);
        unit_audit(&worker.tx);
    }
}


/* One pin at a time, and the replies in their order. */

static void
test_client_many_big_replies(void **state)
{
    text_t      in = { NULL, 0, 0 }, out = { NULL, 0, 0 };
    ngx_uint_t  i;

    set_big(&a, "x", 0, 100000);
    set_big(&a, "y", 1, 16384);
    set_big(&a, "z", 2, 20000);

    for (i = 0; i < 200; i++) {
        command(&in, "GET x");
        bulk(&out, noise, 100000);
        command(&in, "MGET y nothing z x");
        say(&out, "*4\r\n");
        bulk(&out, noise + 1, 16384);
        say(&out, "$-1\r\n");
        bulk(&out, noise + 2, 20000);
        bulk(&out, noise, 100000);
        command(&in, "PING");
        say(&out, "+PONG\r\n");
        command(&in, "GETEX z PERSIST");
        bulk(&out, noise + 2, 20000);
    }

    a.take = 30011;
    a.step = 300;
    tell(&a, &in);
    told(&a, &out);

    /* a peer that does not read holds at most what one command pinned */

    a.hold = 1;
    a.step = 0;

    for (i = 0; i < 100; i++) {
        command(&in, "MGET x y z");
        add(&out, "*3\r\n", 4);
        bulk(&out, noise, 100000);
        bulk(&out, noise + 1, 16384);
        bulk(&out, noise + 2, 20000);
    }

    tell(&a, &in);
    assert_true(pins() <= 3);

    a.nag = 1;
    unit_peer_go(&a);
    assert_true(pins() <= 3);

    a.hold = 0;
    unit_peer_go(&a);
    told(&a, &out);

    assert_int_equal(pins(), 0);
}


/* The commands that waited for a big reply come before what is received. */

static void
test_client_receives_nothing_before_a_kept_batch_is_run(void **state)
{
    u_char  *p;
    text_t   t = { NULL, 0, 0 };
    size_t   size;

    set_big(&a, "big", 0, 50000);

    a.hold = 1;
    command(&t, "GET big");
    command(&t, "ECHO hello");
    tell(&a, &t);

    assert_int_equal(a.client->state, NGX_OLIVINE_CLIENT_SENDING);
    unit_peer_drain(&a);
    assert_int_equal(a.client->state, NGX_OLIVINE_CLIENT_READY);
    assert_int_equal(ngx_olivine_client_buffer(a.client, &p, &size),
                     NGX_AGAIN);

    a.hold = 0;
    unit_peer_send(&a, "PING\r\n", 6);

    bulk(&t, noise, 50000);
    say(&t, "$5\r\nhello\r\n+PONG\r\n");
    told(&a, &t);
}


static void
test_client_pin_of_an_undone_command_is_taken_off(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i;

    set_big(&a, "big", 0, 100000);
    (void) fill(&b, "fill", 20000);

    a.hold = 1;

    for (i = 0; i < 3; i++) {
        say(&t, "*4\r\n$3\r\nSET\r\n$3\r\nbig\r\n");
        bulk(&t, noise, 30000);
        say(&t, "$3\r\nGET\r\n");
    }

    command(&t, "GET big");
    tell(&a, &t);

    a.hold = 0;
    unit_peer_go(&a);

    for (i = 0; i < 3; i++) {
        say(&t, "-OOM command not allowed when used memory > 'maxmemory'."
            "\r\n");
    }

    bulk(&t, noise, 100000);
    told(&a, &t);

    assert_int_equal(pins(), 0);
}


static void
test_client_closed_over_its_output_limit(void **state)
{
    text_t                       t = { NULL, 0, 0 };
    ngx_uint_t                   i;
    ngx_olivine_output_limit_t  *limit;

    limit = &z.zone->params.output_limit[NGX_OLIVINE_CLASS_NORMAL];
    limit->hard = 100000;
    z.zone->params_version++;

    set_big(&a, "k", 0, 10000);
    set_big(&a, "big", 0, 200000);

    /* many small replies; one that is pinned */

    for (i = 0; i < 2; i++) {
        unit_peer_free(&c);
        unit_peer_open(&c, &worker);
        c.hold = 1;

        if (i == 0) {
            for (i = 0; i < 9; i++) {
                command(&t, "GET k");
            }

            tell(&c, &t);
            assert_int_equal(c.closed, 0);

            command(&t, "GET k");
            tell(&c, &t);
            i = 0;

        } else {
            command(&t, "GET big");
            command(&t, "PING");
            tell(&c, &t);
        }

        assert_int_equal(c.closed, 1);
    }

    assert_int_equal(pins(), 0);
    assert_int_equal(worker.tx.slot->counters.output_limit, 2);

    /* what is read in time is not too much */

    for (i = 0; i < 100; i++) {
        command(&t, "GET k");
        tell(&a, &t);
        a.nout = 0;
    }

    assert_int_equal(a.closed, 0);
}


static void
test_client_closed_over_its_soft_output_limit(void **state)
{
    text_t                       t = { NULL, 0, 0 };
    int64_t                      now;
    ngx_olivine_output_limit_t  *limit;

    limit = &z.zone->params.output_limit[NGX_OLIVINE_CLASS_NORMAL];
    limit->soft = 15000;
    limit->seconds = 2;
    z.zone->params_version++;

    set_big(&a, "k", 0, 10000);

    b.hold = 1;
    c.hold = 1;
    command(&t, "GET k");
    command(&t, "GET k");
    unit_peer_send(&b, t.data, t.len);
    tell(&c, &t);

    now = ngx_olivine_now();

    (void) ngx_olivine_worker_tick(&worker, now + 1000);
    assert_int_equal(b.kill + c.kill, 0);

    /* one of them reads, the other never does anything again */

    (void) unit_peer_take(&b, 8000);
    (void) ngx_olivine_worker_tick(&worker, now + 1500);
    (void) ngx_olivine_worker_tick(&worker, now + 2500);
    assert_int_equal(b.kill, 0);
    assert_int_equal(c.kill, 1);

    unit_peer_go(&c);
    assert_int_equal(c.closed, 1);
    assert_int_equal(worker.tx.slot->counters.output_limit, 1);
}


static void
test_client_over_maxclients_is_refused(void **state)
{
    ngx_uint_t          i;

    static unit_peer_t  many[10];

    z.zone->params.maxclients = 8;
    z.zone->params_version++;

    for (i = 0; i < 5; i++) {
        assert_int_equal(unit_peer_open(&many[i], &worker), NGX_OK);
        ask(&many[i], "PING", "+PONG\r\n");
    }

    open_other();

    for (i = 5; i < 10; i++) {
        assert_int_equal(unit_peer_open(&many[i], i & 1 ? &worker : &other),
                         NGX_DECLINED);
        unit_peer_send(&many[i], "PING\r\n", 6);
        replies(&many[i], "-ERR max number of clients reached\r\n");
        assert_int_equal(many[i].closed, 1);
    }

    unit_peer_free(&many[0]);
    assert_int_equal(unit_peer_open(&many[0], &other), NGX_OK);
    ask(&many[0], "PING", "+PONG\r\n");

    for (i = 0; i < 10; i++) {
        unit_peer_free(&many[i]);
    }
}


#if !(NGX_OLIVINE_ASAN)

extern void *__libc_malloc(size_t n);

static ngx_uint_t  exhausted;


void *
malloc(size_t n)
{
    return exhausted ? NULL : __libc_malloc(n);
}


/* A command that cannot be answered is not done, and its client closed. */

static void
test_client_without_memory_for_a_reply(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i;

    static const char  *commands[] = {
        "INCR n", "SET k new GET", "GET big", "GETDEL big", "MGET k big k",
        "NOSUCH", "GET", "DEL k", "GETEX big EX 1", "PING", "QUIT"
    };

    set_big(&a, "big", 0, 100000);
    ask(&a, "SET k old", "+OK\r\n");

    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        unit_peer_free(&c);
        unit_peer_open(&c, &worker);

        command(&t, "%s", commands[i]);
        command(&t, "INCR n");
        unit_peer_write(&c, t.data, t.len);

        ngx_olivine_reply_pool_free(&worker.replies);
        exhausted = 1;
        unit_peer_go(&c);
        exhausted = 0;

        replies(&c, "");
        assert_int_equal(c.closed, 1);
        assert_int_equal(pins(), 0);
        forget(&t);
    }

    ask(&a, "EXISTS n", ":0\r\n");
    ask(&a, "GET k", "$3\r\nold\r\n");
    ask(&a, "TTL big", ":-1\r\n");
    get_big(&a, "big", 0, 100000);
}

#endif


/* Nothing but itself. */

static void
test_client_idle_owns_nothing(void **state)
{
    ngx_uint_t           i;
    struct mallinfo2     before, after;

    static unit_peer_t   many[MANY];

    before = mallinfo2();

    for (i = 0; i < MANY; i++) {
        unit_peer_open(&many[i], &worker);
        ask(&many[i], "SET k v", "+OK\r\n");
        ask(&many[i], "GET k", "$1\r\nv\r\n");

        free(many[i].out);
        free(many[i].in);
        many[i].out = NULL;
        many[i].in = NULL;
        many[i].rout = 0;
    }

    after = mallinfo2();

    for (i = 0; i < MANY; i++) {
        assert_null(many[i].client->start);
        assert_null(many[i].client->args.elts);
        assert_null(many[i].client->batch);
        assert_null(many[i].client->reply.first);
        unit_peer_free(&many[i]);
    }

#if !(NGX_OLIVINE_ASAN)
    assert_true((after.uordblks - before.uordblks) / MANY < 1024);
#else
    (void) before;
    (void) after;
#endif
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        WIRE_TEST(test_client_big_reply_outlives_its_key),
        WIRE_TEST(test_client_closed_in_a_big_reply),
        WIRE_TEST(test_client_many_big_replies),
        WIRE_TEST(test_client_receives_nothing_before_a_kept_batch_is_run),
        WIRE_TEST(test_client_pin_of_an_undone_command_is_taken_off),
        WIRE_TEST(test_client_closed_over_its_output_limit),
        WIRE_TEST(test_client_closed_over_its_soft_output_limit),
        WIRE_TEST(test_client_over_maxclients_is_refused),
#if !(NGX_OLIVINE_ASAN)
        WIRE_TEST(test_client_without_memory_for_a_reply),
#endif
        WIRE_TEST(test_client_idle_owns_nothing),
    };

    return wire_run(tests);
}
