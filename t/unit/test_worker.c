
/*
 * Copyright (C) The Olivine authors
 *
 * Several workers, and what ticks do.
 */


#include "wire.h"

#include <sys/wait.h>


/* Each worker's clients wait for the other's gate, and hear of its fall. */

static void
test_worker_wakes_clients_of_another(void **state)
{
    text_t  t = { NULL, 0, 0 };

    open_other();
    unit_peer_free(&c);
    unit_peer_open(&c, &other);

    ask(&c, "SET k v", "+OK\r\n");
    ask(&a, "GET k", "$1\r\nv\r\n");

    command(&t, "DEBUG SLEEP 1000");
    tell(&a, &t);

    command(&t, "GET k");
    command(&t, "INCR n");
    tell(&c, &t);
    replies(&c, "");
    ask(&b, "PING", "+PONG\r\n");

    (void) ngx_olivine_worker_tick(&other, ngx_olivine_now());
    ngx_olivine_worker_rung(&other);
    assert_int_equal(c.wakes, 0);

    unit_peer_close(&a);

    ngx_olivine_worker_rung(&other);
    assert_int_equal(c.wakes, 1);
    unit_peer_go(&c);
    replies(&c, "$1\r\nv\r\n:1\r\n");

    unit_peer_free(&c);
}


static void
test_worker_in_a_full_zone_reads_and_removes(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i, n;

    n = fill(&a, "fill", 1000);
    assert_true(n > 5000);
    unit_audit(&worker.tx);

    for (i = 0; i < n; i += 37) {
        command(&t, "GET fill:%lu", i);
        tell(&a, &t);
        bulk(&t, noise, 1000);
        told(&a, &t);
    }

    for (i = 0; i < n; i++) {
        command(&t, "DEL fill:%lu", i);
        tell(&a, &t);
        replies(&a, ":1\r\n");
    }

    ask(&b, "INCR fresh", ":1\r\n");
    ask(&a, "SET again v", "+OK\r\n");
    ask(&a, "DBSIZE", ":2\r\n");
    set_big(&a, "big", 0, 1000000);

    n = fill(&a, "fill", 3000);
    command(&t, "FLUSHALL");
    tell(&b, &t);
    serve();
    replies(&b, "+OK\r\n");
    settle(100);

    set_big(&a, "big", 0, 1000000);
    ask(&a, "DBSIZE", ":1\r\n");
}


static void
test_worker_ticks_remove_expired_keys(void **state)
{
    text_t      t = { NULL, 0, 0 };
    size_t      used;
    ngx_uint_t  i;

    ask(&a, "SET stays v", "+OK\r\n");
    used = ngx_olivine_zone_used(z.zone);

    for (i = 0; i < 5000; i++) {
        command(&t, "SET key:%lu v PX %lu", i, 10000 + i % 7);
        command(&t, "SELECT %lu", i % 3);
        tell(&a, &t);
        replies(&a, "+OK\r\n+OK\r\n");
    }

    say(&t, "*5\r\n$3\r\nSET\r\n$3\r\nbig\r\n");
    bulk(&t, noise, 500000);
    say(&t, "$2\r\nPX\r\n$5\r\n10000\r\n");
    tell(&a, &t);
    replies(&a, "+OK\r\n");

    settle(0);

    assert_true(ngx_olivine_zone_used(z.zone) > used + 500000);
    assert_int_equal(worker.tx.slot->counters.expired, 0);

    settle(11000);

    assert_int_equal(worker.tx.slot->counters.expired, 5001);
    assert_true(ngx_olivine_zone_used(z.zone) < used + 100000);
    assert_true(z.zone->heap.backed - z.zone->heap.used < 1200);

    unit_audit(&worker.tx);
    ask(&b, "GET stays", "$1\r\nv\r\n");
    ask(&b, "DBSIZE", ":1\r\n");
}


static void
test_worker_ticks_free_what_was_flushed(void **state)
{
    text_t      t = { NULL, 0, 0 };
    size_t      used;
    ngx_uint_t  i;

    used = ngx_olivine_zone_used(z.zone) - ngx_olivine_stats_size(z.zone);

    for (i = 0; i < 8000; i++) {
        command(&t, "SELECT %lu", i % 4);
        command(&t, "SET key:%lu value:%lu%0*d", i, i, (int) (i % 300), 0);
        tell(&a, &t);
        replies(&a, "+OK\r\n+OK\r\n");
    }

    set_big(&a, "big", 0, 1000000);

    ask(&a, "FLUSHALL ASYNC", "+OK\r\n");
    ask(&a, "GET big", "$-1\r\n");
    ask(&a, "DBSIZE", ":0\r\n");
    assert_true(ngx_olivine_zone_used(z.zone) > used + 1000000);

    settle(100);

    assert_int_equal(ngx_olivine_zone_used(z.zone)
                     - ngx_olivine_stats_size(z.zone), used);
    unit_audit(&worker.tx);
}


/* What a killed worker's clients held is given back by another's ticks. */

static void
test_worker_gives_back_what_a_killed_one_held(void **state)
{
    int                  status;
    pid_t                pid;
    text_t               t = { NULL, 0, 0 };
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    set_big(&a, "big", 0, 300000);

    pid = fork();

    if (pid == 0) {
        ngx_pid = getpid();
        open_other();

        for (i = 0; i < 2; i++) {
            unit_peer_t  *peer = i ? &b : &c;

            unit_peer_open(peer, &other);
            peer->hold = 1;
            command(&t, "GET big");
            command(&t, "DEL big");
            tell(peer, &t);
        }

        unit_peer_open(&a, &other);
        say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$500000\r\n");
        add(&t, noise, 100000);
        tell(&a, &t);

        unit_peer_open(&a, &other);
        command(&t, "SET k v");
        command(&t, "DEBUG SLEEP 1000");
        tell(&a, &t);

        (void) kill(getpid(), SIGKILL);
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(WTERMSIG(status), SIGKILL);

    slot = ngx_olivine_slot_at(z.zone, 1);
    assert_int_equal(slot->state, NGX_OLIVINE_SLOT_LIVE);
    assert_int_equal(slot->clients, 4);
    assert_true(z.zone->gate.word != 0);
    assert_true(pins() != 0);
    assert_true(z.zone->heap.receipts != 0);

    for (i = 0; i < 10 && slot->state != NGX_OLIVINE_SLOT_FREE; i++) {
        (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());
    }

    assert_int_equal(slot->state, NGX_OLIVINE_SLOT_FREE);
    assert_int_equal(slot->clients, 0);
    assert_int_equal(pins(), 0);
    unit_audit(&worker.tx);

    ask(&a, "GET k", "$1\r\nv\r\n");
    get_big(&a, "big", 0, 300000);
}


/* Values that only slow readers hold may not take the zone. */

static void
test_worker_closes_who_holds_too_long(void **state)
{
    text_t              t = { NULL, 0, 0 };
    ngx_uint_t          i, kills;

    static unit_peer_t  many[10];

    for (i = 0; i < 10; i++) {
        unit_peer_open(&many[i], &worker);
        many[i].hold = 1;

        set_big(&a, "big", i, 400000);
        command(&t, "GET big");
        tell(&many[i], &t);
    }

    ask(&a, "DEL big", ":1\r\n");
    assert_true(z.zone->heap.orphans > z.zone->heap.limit / 8);

    for (i = 0, kills = 0; i < 20; i++) {
        (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());

        if (many[kills].kill) {
            unit_peer_go(&many[kills++]);
        }
    }

    assert_true(z.zone->heap.orphans <= z.zone->heap.limit / 8);
    assert_true(kills > 0 && kills < 10);

    /* the oldest first; what the others hold is whole */

    for (i = 0; i < 10; i++) {
        assert_int_equal(many[i].closed, i < kills);

        if (!many[i].closed) {
            many[i].hold = 0;
            unit_peer_go(&many[i]);
            bulk(&t, noise + i, 400000);
            told(&many[i], &t);
        }

        unit_peer_free(&many[i]);
    }

    assert_int_equal(z.zone->heap.orphans, 0);
}


static ngx_int_t
part_attach(ngx_olivine_tx_t *tx, void *data)
{
    return ngx_olivine_ring_attach(tx, 1 << 16, data);
}


static ngx_int_t
part_detach(ngx_olivine_tx_t *tx, void *data)
{
    return ngx_olivine_ring_detach(tx, *(ngx_uint_t *) data);
}


static void
read_log(ngx_uint_t reader, text_t *log)
{
    u_char  buf[1 << 16];
    size_t  len;

    do {
        len = ngx_olivine_ring_read(&worker.tx, reader, buf, sizeof(buf));
        add(log, buf, len);
    } while (len);
}


/*
 * With the log full, writes wait for its reader; what it has read makes the
 * same keyspace again.
 */

static void
test_worker_logs_what_replays_to_the_same(void **state)
{
    u_char     *p, digest[20], again[20];
    text_t      t = { NULL, 0, 0 }, log = { NULL, 0, 0 };
    ngx_uint_t  i, k, reader, parked;

    static const char  *commands[] = {
        "SET key:%lu value", "SET key:%lu value PX 100000", "INCR n:%lu",
        "SET key:%lu x NX", "APPEND key:%lu more", "EXPIRE key:%lu 1000",
        "PEXPIRE key:%lu -1", "PERSIST key:%lu", "GETDEL key:%lu",
        "SET key:%lu 12 EX 900", "DEL key:%lu key:1", "GETEX key:%lu EX 50",
        "SET key:%lu value KEEPTTL GET", "MSET key:%lu 1 key:2 2",
        "SET key:%lu value EXAT 1", "SET key:%lu v IFEQ value",
        "DECRBY n:%lu 7"
    };

    assert_int_equal(unit_tx(&worker.tx, part_attach, &reader), NGX_OK);

    srandom(1);
    parked = 0;

    for (i = 0; i < 20000; i++) {
        k = random() % (sizeof(commands) / sizeof(commands[0]));

        if (random() % 50 == 0) {
            command(&t, "SELECT %ld", random() % 3);
        }

        if (random() % 3000 == 0) {
            command(&t, random() % 4 ? "FLUSHDB" : "FLUSHALL");
        }

        command(&t, commands[k], random() % 200);
        tell(&a, &t);

        if (a.client->state == NGX_OLIVINE_CLIENT_PARKED) {
            parked++;

            /* reads go on */

            ask(&b, "EXISTS none", ":0\r\n");
            unit_peer_go(&a);
            assert_int_equal(a.client->state, NGX_OLIVINE_CLIENT_PARKED);

            read_log(reader, &log);
            (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());
            serve();
            assert_int_equal(a.client->state, NGX_OLIVINE_CLIENT_READY);
        }

        if (random() % 500 == 0) {
            (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());
        }
    }

    assert_true(parked > 3);

    read_log(reader, &log);
    assert_int_equal(unit_tx(&worker.tx, part_detach, &reader), NGX_OK);
    unit_digest(&worker.tx, digest);

    ask(&b, "FLUSHALL ASYNC", "+OK\r\n");
    tell(&c, &log);

    assert_int_equal(c.closed, 0);

    for (p = c.out; (p = memmem(p, c.out + c.nout - p, "\n-", 2)); p++) {

        /* these come with transactions */

        assert_true(strncmp((char *) p + 2, "ERR unknown command 'MULTI'", 27)
                    == 0
                    || strncmp((char *) p + 2, "ERR unknown command 'EXEC'",
                               26)
                       == 0);
    }

    unit_digest(&worker.tx, again);
    assert_memory_equal(digest, again, 20);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        WIRE_TEST(test_worker_wakes_clients_of_another),
        WIRE_TEST(test_worker_in_a_full_zone_reads_and_removes),
        WIRE_TEST(test_worker_ticks_remove_expired_keys),
        WIRE_TEST(test_worker_ticks_free_what_was_flushed),
        WIRE_TEST(test_worker_closes_who_holds_too_long),
        WIRE_TEST(test_worker_logs_what_replays_to_the_same),
        WIRE_TEST(test_worker_gives_back_what_a_killed_one_held),
    };

    return wire_run(tests);
}
