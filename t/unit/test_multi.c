
/*
 * Copyright (C) The Olivine authors
 *
 * Transactions on the wire: two workers, big arguments, a full zone, a gate
 * that is up.
 */

/* layer: client */

#include "wire.h"


static ngx_uint_t
watches(void)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < z.zone->nshards; i++) {
        n += ngx_olivine_store_shard(z.zone, i)->watches != NULL;
    }

    return n;
}


static void
test_multi_queues_until_exec(void **state)
{
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SET k 1", "+QUEUED\r\n");
    ask(&a, "INCR k", "+QUEUED\r\n");
    ask(&b, "EXISTS k", ":0\r\n");
    ask(&a, "PING", "+QUEUED\r\n");
    ask(&a, "EXEC", "*3\r\n+OK\r\n:2\r\n+PONG\r\n");
    ask(&a, "EXEC", "-ERR EXEC without MULTI\r\n");
    ask(&b, "GET k", "$1\r\n2\r\n");
}


static void
test_multi_is_refused_as_a_whole(void **state)
{
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SET k 1", "+QUEUED\r\n");
    ask(&a, "SET k", "-ERR wrong number of arguments for 'set' command\r\n");
    ask(&a, "EXEC", "-EXECABORT Transaction discarded because of previous "
        "errors.\r\n");
    ask(&a, "EXISTS k", ":0\r\n");
    ask(&a, "EXEC", "-ERR EXEC without MULTI\r\n");
}


static void
test_multi_undoes_only_what_fails(void **state)
{
    ask(&a, "SET text abc", "+OK\r\n");
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SET k 1", "+QUEUED\r\n");
    ask(&a, "INCR text", "+QUEUED\r\n");
    ask(&a, "SELECT 99999", "+QUEUED\r\n");
    ask(&a, "INCR k", "+QUEUED\r\n");
    ask(&a, "EXEC", "*4\r\n+OK\r\n"
        "-ERR value is not an integer or out of range\r\n"
        "-ERR DB index is out of range\r\n"
        ":2\r\n");
}


static void
test_multi_keeps_big_arguments(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i;

    ask(&a, "MULTI", "+OK\r\n");

    for (i = 0; i < 4; i++) {
        say(&t, "*3\r\n$3\r\nSET\r\n$5\r\nbig:%lu\r\n", i);
        bulk(&t, noise + i * 1000, 300000 + i);
        tell(&a, &t);
        replies(&a, "+QUEUED\r\n");
    }

    say(&t, "*3\r\n$6\r\nAPPEND\r\n$5\r\nbig:1\r\n");
    bulk(&t, noise + 301000 + 1, 100000);
    tell(&a, &t);
    replies(&a, "+QUEUED\r\n");

    assert_int_not_equal(z.zone->heap.receipts, 0);

    ask(&a, "EXEC", "*5\r\n+OK\r\n+OK\r\n+OK\r\n+OK\r\n:400001\r\n");

    assert_int_equal(z.zone->heap.receipts, 0);

    get_big(&b, "big:0", 0, 300000);
    get_big(&b, "big:1", 1000, 400001);
    get_big(&b, "big:3", 3000, 300003);
}


static void
test_multi_gives_big_arguments_back(void **state)
{
    text_t  t = { NULL, 0, 0 };

    ask(&a, "MULTI", "+OK\r\n");
    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    bulk(&t, noise, 300000);
    tell(&a, &t);
    replies(&a, "+QUEUED\r\n");
    ask(&a, "DISCARD", "+OK\r\n");
    assert_int_equal(z.zone->heap.receipts, 0);

    /* and when the client just goes */

    ask(&a, "MULTI", "+OK\r\n");
    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    bulk(&t, noise, 300000);
    tell(&a, &t);
    replies(&a, "+QUEUED\r\n");
    unit_peer_free(&a);
    assert_int_equal(z.zone->heap.receipts, 0);

    unit_peer_open(&a, &worker);
}


static void
test_multi_in_a_full_zone(void **state)
{
    text_t  t = { NULL, 0, 0 };

    ask(&a, "SET n 1", "+OK\r\n");
    (void) fill(&a, "f", 20000);
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "INCR n", "+QUEUED\r\n");

    say(&t, "*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n");
    bulk(&t, noise, 30000);
    tell(&a, &t);
    replies(&a, "+QUEUED\r\n");

    ask(&a, "INCR n", "+QUEUED\r\n");
    ask(&a, "DEL f:0", "+QUEUED\r\n");
    ask(&a, "EXEC", "*4\r\n:2\r\n-OOM command not allowed when used memory > "
        "'maxmemory'.\r\n:3\r\n:1\r\n");
}


static void
test_multi_walks_under_its_locks(void **state)
{
    ask(&a, "SET k v", "+OK\r\n");
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SET l v", "+QUEUED\r\n");
    ask(&a, "DBSIZE", "+QUEUED\r\n");
    ask(&a, "KEYS l*", "+QUEUED\r\n");
    ask(&a, "FLUSHALL", "+QUEUED\r\n");
    ask(&a, "RANDOMKEY", "+QUEUED\r\n");
    ask(&a, "DEBUG AUDIT", "+QUEUED\r\n");
    ask(&a, "SET m v", "+QUEUED\r\n");
    ask(&a, "EXEC", "*7\r\n+OK\r\n:2\r\n*1\r\n$1\r\nl\r\n+OK\r\n$-1\r\n+OK\r\n"
        "+OK\r\n");
    ask(&b, "DBSIZE", ":1\r\n");
    assert_int_equal(z.zone->gate.word, 0);
}


static void
test_watch_sees_other_workers(void **state)
{
    unit_peer_t  d;

    open_other();
    unit_peer_open(&d, &other);

    ask(&a, "WATCH k l k", "+OK\r\n");
    assert_int_equal(a.client->caller.nwatched, 2);
    ask(&d, "SET l 1", "+OK\r\n");
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SET k 1", "+QUEUED\r\n");
    ask(&a, "EXEC", "*-1\r\n");
    ask(&a, "EXISTS k", ":0\r\n");
    assert_int_equal(watches(), 0);

    /* what is its own does not count */

    ask(&a, "WATCH k", "+OK\r\n");
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SET k 1", "+QUEUED\r\n");
    ask(&a, "UNWATCH", "+QUEUED\r\n");
    ask(&a, "EXEC", "*2\r\n+OK\r\n+OK\r\n");

    /* a client that goes is not remembered */

    ask(&d, "WATCH x y z", "+OK\r\n");
    ask(&d, "MULTI", "+OK\r\n");
    ask(&d, "SET x 1", "+QUEUED\r\n");
    assert_int_not_equal(watches(), 0);
    unit_peer_free(&d);
    assert_int_equal(watches(), 0);
}


static void
test_watch_ends_behind_the_gate(void **state)
{
    ask(&a, "WATCH k l m", "+OK\r\n");
    ask(&b, "WATCH k", "+OK\r\n");

    open_other();
    assert_int_equal(ngx_olivine_gate_raise(&other.tx, NGX_OLIVINE_GATE_WALK,
                                            clock_ms),
                     NGX_OK);

    /* a lock is held by the one who raised the gate */

    assert_int_equal(ngx_olivine_tx_lock_all(&other.tx), NGX_OK);

    unit_peer_free(&a);
    ask(&b, "UNWATCH", "+OK\r\n");
    ask(&b, "PING", "+PONG\r\n");
    assert_int_not_equal(watches(), 0);

    ngx_olivine_tx_unlock(&other.tx);
    ngx_olivine_gate_lower(&other.tx);

    (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());
    assert_int_equal(watches(), 0);

    unit_peer_open(&a, &worker);
}


static void
test_exec_waits_for_the_gate(void **state)
{
    ask(&a, "WATCH k", "+OK\r\n");
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SELECT 1", "+QUEUED\r\n");
    ask(&a, "SET k 1", "+QUEUED\r\n");

    open_other();
    assert_int_equal(ngx_olivine_gate_raise(&other.tx, NGX_OLIVINE_GATE_WALK,
                                            clock_ms),
                     NGX_OK);

    ask(&a, "EXEC", "");
    assert_int_equal(a.client->caller.db, 0);

    ngx_olivine_gate_lower(&other.tx);
    serve();

    replies(&a, "*2\r\n+OK\r\n+OK\r\n");
    ask(&a, "GET k", "$1\r\n1\r\n");
}


static void
test_reset_forgets_all(void **state)
{
    ask(&a, "WATCH k", "+OK\r\n");
    ask(&a, "MULTI", "+OK\r\n");
    ask(&a, "SET k 1", "+QUEUED\r\n");
    ask(&a, "RESET", "+RESET\r\n");
    ask(&a, "EXEC", "-ERR EXEC without MULTI\r\n");
    assert_int_equal(watches(), 0);
}


static void
test_a_queue_has_a_limit(void **state)
{
    ngx_uint_t  i;

    z.zone->params.client_query_buffer_limit = 100000;

    ask(&a, "MULTI", "+OK\r\n");

    for (i = 0; i < 100000 && !a.closed; i++) {
        text_t  t = { NULL, 0, 0 };

        command(&t, "SET key:%lu value", i);
        tell(&a, &t);
        a.nout = 0;
    }

    assert_true(a.closed);
    assert_true(i > 500 && i < 2000);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        WIRE_TEST(test_multi_queues_until_exec),
        WIRE_TEST(test_multi_is_refused_as_a_whole),
        WIRE_TEST(test_multi_undoes_only_what_fails),
        WIRE_TEST(test_multi_keeps_big_arguments),
        WIRE_TEST(test_multi_gives_big_arguments_back),
        WIRE_TEST(test_multi_in_a_full_zone),
        WIRE_TEST(test_multi_walks_under_its_locks),
        WIRE_TEST(test_watch_sees_other_workers),
        WIRE_TEST(test_watch_ends_behind_the_gate),
        WIRE_TEST(test_exec_waits_for_the_gate),
        WIRE_TEST(test_reset_forgets_all),
        WIRE_TEST(test_a_queue_has_a_limit),
    };

    return wire_run(tests);
}
