
/*
 * Copyright (C) The Olivine authors
 *
 * Arguments that are received into the zone, and buffers.
 */


#include "wire.h"


static const size_t  sizes[] = { 33000, 400000, 3000000 };


/* MSET of small, big and bigger values in the order of a permutation. */

static void
mset(text_t *t, ngx_uint_t order)
{
    ngx_uint_t  i, k, n, used;

    say(t, "*9\r\n$4\r\nMSET\r\n");
    used = 0;

    for (n = 3; n > 0; n--) {
        k = order % n;
        order /= n;

        for (i = 0; (used >> i & 1) || k-- > 0; i++) { /* void */ }

        used |= 1 << i;

        say(t, "$4\r\nbig%lu\r\n", i);
        bulk(t, noise + i, sizes[i]);
    }

    say(t, "$5\r\nsmall\r\n$5\r\nvalue\r\n");
}


static void
test_input_big_arguments_in_any_order(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i, k, order;

    static size_t  steps[] = { 0, 1000, 4099, 32767, 32768, 32769, 100003 };

    for (order = 0; order < 6; order++) {
        for (k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {

            a.step = steps[k];
            a.nag = k & 1;

            command(&t, "PING");
            mset(&t, order);
            command(&t, "PING");
            tell(&a, &t);
            replies(&a, "+PONG\r\n+OK\r\n+PONG\r\n");

            for (i = 0; i < 3; i++) {
                command(&t, "STRLEN big%lu", i);
                tell(&a, &t);
                say(&t, ":%zu\r\n", sizes[i]);
                told(&a, &t);
            }

            ask(&a, "GET small", "$5\r\nvalue\r\n");
            get_big(&b, "big0", 0, sizes[0]);
            get_big(&b, "big1", 1, sizes[1]);
            get_big(&b, "big2", 2, sizes[2]);

            unit_audit(&worker.tx);
            ask(&a, "DEL big0 big1 big2 small", ":4\r\n");
            assert_int_equal(z.zone->heap.receipts, 0);
        }
    }
}


/* Every place around the header, the body's ends and what follows. */

static void
test_input_big_argument_split_at_odd_places(void **state)
{
    text_t      t = { NULL, 0, 0 };
    size_t      at, body;
    ngx_uint_t  i;

    command(&t, "PING");
    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$40000\r\n");
    body = t.len;
    add(&t, noise, 40000);
    say(&t, "\r\n");
    command(&t, "STRLEN k");

    for (i = 0; i < 200; i++) {
        at = (i < 100) ? body - 50 + i : body + 40000 - 150 + i;
        at = ngx_min(at, t.len);

        unit_peer_send(&a, t.data, at);
        unit_peer_send(&a, t.data + at, t.len - at);
        replies(&a, "+PONG\r\n+OK\r\n:40000\r\n");

        /* and the next byte alone */

        at = ngx_min(at, t.len - 1);

        unit_peer_send(&a, t.data, at);
        unit_peer_send(&a, t.data + at, 1);
        unit_peer_send(&a, t.data + at + 1, t.len - at - 1);
        replies(&a, "+PONG\r\n+OK\r\n:40000\r\n");
    }

    forget(&t);
    get_big(&a, "k", 0, 40000);
}


/* Wherever it leaves, no run of it stays. */

static void
test_input_big_argument_of_who_leaves(void **state)
{
    text_t    t = { NULL, 0, 0 };
    size_t    at;
    uint64_t  used;

    unit_peer_close(&c);

    mset(&t, 3);
    used = 0;

    for (at = 0; at < t.len; at += (at < 200) ? 7 : 150001) {
        unit_peer_free(&c);
        unit_peer_open(&c, &worker);
        c.step = at % 3 ? 5000 : 0;

        unit_peer_send(&c, t.data, at);
        replies(&c, "");
        unit_peer_close(&c);

        assert_int_equal(z.zone->heap.receipts, 0);

        if (used == 0 && at > 500000) {
            used = z.zone->heap.used;
        }

        assert_true(used == 0 || z.zone->heap.used == used);
    }

    forget(&t);
    unit_audit(&worker.tx);
}


/* An argument that finds no room costs its own command, nothing else. */

static void
test_input_argument_over_an_eighth_of_the_zone(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i;

    static size_t  steps[] = { 0, 999, 32768, 40000 };

    for (i = 0; i < 4; i++) {
        a.step = steps[i];

        command(&t, "SET before 1");

        say(&t, "*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n");
        bulk(&t, noise, 3000000);

        say(&t, "*7\r\n$4\r\nMSET\r\n$1\r\na\r\n");
        bulk(&t, noise, 50000);
        say(&t, "$1\r\nb\r\n");
        bulk(&t, noise, 3000000);
        say(&t, "$1\r\nc\r\n");
        bulk(&t, noise, 60000);

        /* as a command's name, and as a key */

        say(&t, "*1\r\n");
        bulk(&t, noise, 3000000);

        say(&t, "*2\r\n$3\r\nGET\r\n");
        bulk(&t, noise, 3000000);

        say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
        bulk(&t, noise + 5, 100000);

        command(&t, "EXISTS before big a b c k");
        tell(&a, &t);

        replies(&a, "+OK\r\n"
                "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
                "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
                "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
                "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
                "+OK\r\n:2\r\n");

        get_big(&a, "k", 5, 100000);
        ask(&a, "DEL k before", ":2\r\n");
        assert_int_equal(z.zone->heap.receipts, 0);
    }
}


/* Big arguments of all connections share that eighth. */

static void
test_input_announcements_take_no_memory(void **state)
{
    text_t        t = { NULL, 0, 0 };
    uint64_t      used;
    ngx_uint_t    i;

    static unit_peer_t  many[200];

    used = z.zone->heap.used;

    for (i = 0; i < 200; i++) {
        unit_peer_open(&many[i], &worker);
        say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$536870912\r\n");
        add(&t, "x", 1);
        tell(&many[i], &t);
    }

    assert_true(z.zone->heap.used - used < z.zone->heap.limit / 8 + 16);
    ask(&a, "SET k v", "+OK\r\n");

    for (i = 0; i < 200; i++) {
        unit_peer_free(&many[i]);
    }

    assert_int_equal(z.zone->heap.receipts, 0);
}


static void
require(const char *password)
{
    z.zone->params.requirepass.len = strlen(password);
    strcpy((char *) z.zone->params.requirepass.data, password);
    z.zone->params_version++;
}


static void
test_input_is_small_before_auth(void **state)
{
    text_t  t = { NULL, 0, 0 };

    require("secret");

    unit_peer_free(&c);
    unit_peer_open(&c, &worker);

    ask(&c, "GET k", "-NOAUTH Authentication required.\r\n");
    command(&t, "SET k v");
    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    bulk(&t, noise, 40000);
    tell(&c, &t);
    replies(&c, "-NOAUTH Authentication required.\r\n-ERR Protocol error: "
            "unauthenticated bulk length\r\n");
    assert_int_equal(c.closed, 1);

    unit_peer_free(&c);
    unit_peer_open(&c, &worker);
    say(&t, "*11\r\n");
    tell(&c, &t);
    replies(&c, "-ERR Protocol error: unauthenticated multibulk length\r\n");
    assert_int_equal(c.closed, 1);

    /* what comes behind AUTH in one pipeline is judged by its outcome */

    unit_peer_free(&c);
    unit_peer_open(&c, &worker);
    command(&t, "AUTH secret");
    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    bulk(&t, noise, 40000);
    command(&t, "STRLEN k");
    tell(&c, &t);
    replies(&c, "+OK\r\n+OK\r\n:40000\r\n");

    /* who came when there was no password, or one no longer, needs none */

    ask(&a, "STRLEN k", ":40000\r\n");

    unit_peer_free(&c);
    unit_peer_open(&c, &worker);
    require("");
    set_big(&c, "k", 0, 50000);
}


static void
test_input_big_argument_behind_a_parked_batch(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i;

    static size_t  sent[] = { 0, 1, 20000, 39999, 40000, 40001, 40002 };

    for (i = 0; i < sizeof(sent) / sizeof(sent[0]); i++) {
        command(&t, "DEBUG SLEEP 1000");
        tell(&a, &t);

        command(&t, "SET k v");
        say(&t, "*3\r\n$3\r\nSET\r\n$3\r\nbig\r\n$40000\r\n");
        add(&t, noise, ngx_min(sent[i], 40000));

        if (sent[i] > 40000) {
            add(&t, "\r\n", sent[i] - 40000);
        }

        tell(&b, &t);
        replies(&b, "");

        unit_peer_free(&a);
        unit_peer_open(&a, &worker);
        serve();

        if (sent[i] < 40000) {
            add(&t, noise + sent[i], 40000 - sent[i]);
        }

        if (sent[i] < 40002) {
            add(&t, "\r\n" + (sent[i] > 40000), 2 - (sent[i] > 40000));
        }

        command(&t, "PING");
        tell(&b, &t);
        replies(&b, "+OK\r\n+OK\r\n+PONG\r\n");
        get_big(&b, "big", 0, 40000);
    }
}


/* A big argument waits for the gate in the middle of its bytes. */

static void
test_input_big_argument_and_the_gate(void **state)
{
    text_t  t = { NULL, 0, 0 };

    command(&t, "DEBUG SLEEP 1000");
    tell(&a, &t);

    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    bulk(&t, noise, 400000);
    command(&t, "STRLEN k");
    b.step = 20000;
    tell(&b, &t);
    replies(&b, "");

    unit_peer_go(&b);
    unit_peer_close(&a);
    serve();
    replies(&b, "+OK\r\n:400000\r\n");
    get_big(&b, "k", 0, 400000);
}


static void
test_input_over_its_limit_closes(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i;

    z.zone->params.client_query_buffer_limit = 1024 * 1024;
    z.zone->params_version++;

    say(&t, "*100000\r\n$4\r\nMGET\r\n");

    for (i = 0; i < 99000; i++) {
        bulk(&t, noise, 100);

        if (i == 9000) {
            tell(&c, &t);
            assert_int_equal(c.closed, 0);
        }
    }

    tell(&c, &t);
    replies(&c, "");
    assert_int_equal(c.closed, 1);
    assert_int_equal(worker.tx.slot->counters.input_limit, 1);
}


/* An unfinished command keeps what it has sent, and hardly more. */

static void
test_input_waiting_takes_little(void **state)
{
    ask(&a, "SET k v", "+OK\r\n");

    unit_peer_send(&a, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$10\r\nabc", 28);

    assert_non_null(a.client->start);
    assert_true(a.client->end - a.client->start <= 64);

    unit_peer_send(&a, "defghij\r\n", 9);
    replies(&a, "+OK\r\n");

    assert_null(a.client->start);
    ask(&a, "GET k", "$10\r\nabcdefghij\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        WIRE_TEST_LARGE(test_input_big_arguments_in_any_order),
        WIRE_TEST(test_input_big_argument_split_at_odd_places),
        WIRE_TEST_LARGE(test_input_big_argument_of_who_leaves),
        WIRE_TEST(test_input_argument_over_an_eighth_of_the_zone),
        WIRE_TEST(test_input_announcements_take_no_memory),
        WIRE_TEST(test_input_is_small_before_auth),
        WIRE_TEST(test_input_big_argument_behind_a_parked_batch),
        WIRE_TEST(test_input_big_argument_and_the_gate),
        WIRE_TEST(test_input_over_its_limit_closes),
        WIRE_TEST(test_input_waiting_takes_little),
    };

    return wire_run(tests);
}
