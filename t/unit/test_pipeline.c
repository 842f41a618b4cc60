
/*
 * Copyright (C) The Olivine authors
 *
 * What a client sends in one go: any split, parking, errors.
 */


#include "wire.h"
#include "blocked.h"


/* n commands of all sorts, and what they answer. */

static void
pipeline(text_t *in, text_t *out, ngx_uint_t n)
{
    ngx_uint_t  i;

    for (i = 0; i < n; i++) {

        switch (i % 12) {

        case 0:
            command(in, "SET key:%lu value:%lu", i, i);
            say(out, "+OK\r\n");
            break;

        case 1:
            command(in, "GET key:%lu", i - 1);
            say(out, "$%d\r\nvalue:%lu\r\n", snprintf(NULL, 0, "%lu", i - 1)
                                              + 6, i - 1);
            break;

        case 2:
            say(in, "ping\r\n");
            say(out, "+PONG\r\n");
            break;

        case 3:
            command(in, "MSET a 1 b 2 c 3");
            say(out, "+OK\r\n");
            break;

        case 4:
            command(in, "MGET a nothing c");
            say(out, "*3\r\n$1\r\n1\r\n$-1\r\n$1\r\n3\r\n");
            break;

        case 5:
            say(in, "*0\r\n*-1\r\n\r\n");
            say(in, "*2\r\n$4\r\nECHO\r\n$0\r\n\r\n");
            say(out, "$0\r\n\r\n");
            break;

        case 6:
            command(in, "SET n:%lu 1", i);
            command(in, "INCRBY n:%lu 41", i);
            say(out, "+OK\r\n:42\r\n");
            break;

        case 7:
            command(in, "NOSUCH");
            say(out, "-ERR unknown command 'NOSUCH', with args beginning "
                "with: \r\n");
            break;

        case 8:
            say(in, "  SET  'key:%lu'  \"\\x41\\n\"  \r\n", i);
            say(out, "+OK\r\n");
            break;

        case 9:
            command(in, "GET key:%lu", i - 1);
            say(out, "$2\r\nA\n\r\n");
            break;

        case 10:
            command(in, "DEL key:%lu n:%lu", i - 2, i - 4);
            say(out, ":2\r\n");
            break;

        default:
            command(in, "GET");
            say(out, "-ERR wrong number of arguments for 'get' command\r\n");
            break;
        }
    }
}


static void
test_pipeline_replies_alike_at_any_split(void **state)
{
    text_t       in = { NULL, 0, 0 }, out = { NULL, 0, 0 };
    size_t       at;
    ngx_uint_t   i, k;

    static size_t  sizes[] = { 1, 2, 3, 5, 12, 63, 64, 65, 128, MANY };
    static size_t  steps[] = { 0, 1, 2, 7, 100, 4096, 32768 };

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        pipeline(&in, &out, sizes[i]);

        for (k = 0; k < sizeof(steps) / sizeof(steps[0]); k++) {
            a.step = steps[k];
            a.nag = 0;
            unit_peer_send(&a, in.data, in.len);
            got(&a, out.data, out.len);

            a.nag = 1;
            unit_peer_send(&a, in.data, in.len);
            got(&a, out.data, out.len);
        }

        a.step = 0;

        for (at = 1; at < ngx_min(in.len, 8000); at++) {
            unit_peer_send(&a, in.data, at);
            unit_peer_send(&a, in.data + at, in.len - at);
            got(&a, out.data, out.len);
        }

        forget(&in);
        forget(&out);
    }
}


/* Replies are sent in pieces, and the client is run at any time between. */

static void
test_pipeline_replies_alike_however_they_are_taken(void **state)
{
    text_t  in = { NULL, 0, 0 }, out = { NULL, 0, 0 };
    text_t  twice = { NULL, 0, 0 };
    size_t  n;

    pipeline(&in, &out, MANY);

    for (n = 1; n < 70000; n = n * 3 + 1) {
        a.take = n;
        unit_peer_send(&a, in.data, in.len);
        got(&a, out.data, out.len);
    }

    a.hold = 1;
    unit_peer_send(&a, in.data, in.len);
    unit_peer_send(&a, in.data, in.len);

    while (a.nin || ngx_olivine_reply_size(&a.client->reply)) {
        (void) unit_peer_take(&a, 777);
        unit_peer_go(&a);
    }

    add(&twice, out.data, out.len);
    add(&twice, out.data, out.len);
    told(&a, &twice);

    forget(&in);
    forget(&out);
}


/* While one sleeps, who needs the store waits, and all keep their order. */

static void
test_pipeline_parks_behind_the_gate(void **state)
{
    text_t  t = { NULL, 0, 0 };

    ask(&b, "SET k v", "+OK\r\n");

    command(&t, "PING");
    command(&t, "DEBUG SLEEP 0.05");
    command(&t, "PING");
    command(&t, "GET k");
    tell(&a, &t);

    assert_true(z.zone->gate.word != 0);
    assert_int_equal(a.timer, 1);
    assert_true(a.ms > 0 && a.ms <= 50);
    replies(&a, "+PONG\r\n");

    command(&t, "PING");
    command(&t, "GET k");
    command(&t, "PING");
    command(&t, "INCR n");
    tell(&b, &t);
    replies(&b, "+PONG\r\n");
    assert_int_equal(b.client->state, NGX_OLIVINE_CLIENT_PARKED);

    ask(&c, "PING", "+PONG\r\n");
    ask(&c, "ECHO hi", "$2\r\nhi\r\n");

    /* what is called for no reason does no harm */

    unit_peer_go(&a);
    unit_peer_go(&b);
    unit_peer_go(&b);
    unit_peer_go(&c);
    (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());
    serve();
    replies(&b, "");
    replies(&a, "");

    /* nor what is sent meanwhile */

    command(&t, "PING");
    tell(&b, &t);
    replies(&b, "");

    usleep(60000);
    unit_peer_go(&a);
    replies(&a, "+OK\r\n+PONG\r\n$1\r\nv\r\n");
    assert_int_equal(z.zone->gate.word, 0);

    serve();
    replies(&b, "$1\r\nv\r\n+PONG\r\n:1\r\n+PONG\r\n");
    assert_true(ngx_queue_empty(&worker.parked));
}


/* Who waited, for what, and how long is told by the block profile. */

static void
test_pipeline_tells_what_it_waited_for(void **state)
{
    text_t    t = { NULL, 0, 0 };
    uint64_t  ns;

    ask(&b, "SET k v", "+OK\r\n");
    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_GATE, NULL, &ns),
                     0);

    command(&t, "DEBUG SLEEP 0.03");
    tell(&a, &t);

    command(&t, "GET k");
    tell(&b, &t);
    usleep(30000);
    unit_peer_go(&a);
    serve();
    replies(&a, "+OK\r\n");
    replies(&b, "$1\r\nv\r\n");

    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_TIMER,
                                  "debug", &ns), 1);
    assert_true(ns >= 29 * 1000000);

    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_GATE, "get", &ns),
                     1);
    assert_true(ns >= 29 * 1000000);
    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_GATE, NULL, &ns),
                     1);

    ask(&c, "CLIENT PAUSE 100000 WRITE", "+OK\r\n");

    command(&t, "INCR n");
    tell(&b, &t);
    usleep(5000);
    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_PAUSE, NULL, &ns),
                     0);

    ask(&c, "CLIENT UNPAUSE", "+OK\r\n");
    serve();
    replies(&b, ":1\r\n");

    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_PAUSE, "incr",
                                  &ns), 1);
    assert_true(ns >= 5 * 1000000);

    /* replies that are held back */

    z.zone->persist.aof.state = NGX_OLIVINE_AOF_ON;
    z.zone->params.appendfsync = NGX_OLIVINE_FSYNC_ALWAYS;
    z.zone->params_version++;
    ngx_olivine_worker_refresh(&worker);

    b.hold = 1;
    command(&t, "INCR n");
    tell(&b, &t);
    b.client->hold = 1000000;
    assert_int_equal(ngx_olivine_client_holds(b.client), 1);
    assert_int_equal(ngx_olivine_client_holds(b.client), 1);

    usleep(5000);
    z.zone->persist.aof.state = NGX_OLIVINE_AOF_OFF;
    ngx_olivine_worker_flush(&worker);
    b.hold = 0;
    unit_peer_go(&b);
    replies(&b, ":2\r\n");

    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_HELD_SYNC, "incr",
                                  &ns), 1);
    assert_true(ns >= 5 * 1000000);
    assert_int_equal(unit_blocked(z.zone, NGX_OLIVINE_BLOCK_HELD, NULL, &ns),
                     0);
}


/* Memory is sampled with command and type; its stack begins in the turn. */

static void
test_pipeline_tells_who_took_memory(void **state)
{
    uint32_t                     i;
    uintptr_t                    at;
    ngx_uint_t                   set, incr;
    ngx_olivine_sample_row_t    *row;
    ngx_olivine_sample_table_t  *table;

    ask(&b, "CONFIG SET heap-sample-bytes 1", "+OK\r\n");
    ask(&b, "SET key value", "+OK\r\n");
    ask(&b, "INCR number", ":1\r\n");
    ask(&b, "CONFIG SET heap-sample-bytes 0", "+OK\r\n");
    ask(&b, "SET another value", "+OK\r\n");

    table = ngx_olivine_sample_table(z.zone, worker.tx.slot->number);
    set = 0;
    incr = 0;

    for (i = NGX_OLIVINE_SAMPLE_KINDS; i < table->n; i++) {
        row = &table->rows[i];

        if (row->kind != NGX_OLIVINE_SAMPLE_HEAP) {
            continue;
        }

        assert_true(row->command != 0 && row->n != 0);

        at = worker.tx.sampler.base
             + ngx_olivine_build_offset(row->sites[row->n - 1]);
        assert_true(at > (uintptr_t) ngx_olivine_client_run
                    && at < (uintptr_t) ngx_olivine_client_run + 32768);

        if (row->label != NGX_OLIVINE_TYPE_STRING + 1) {
            continue;                            /* a table */
        }

        set += (strcmp((char *) z.zone->totals
                           ->commands[row->command - 1].name, "set") == 0);
        incr += (strcmp((char *) z.zone->totals
                            ->commands[row->command - 1].name, "incr") == 0);
        assert_int_equal(row->count, NGX_OLIVINE_SAMPLE_UNIT);
    }

    assert_int_equal(set, 1);
    assert_int_equal(incr, 1);
}


/* Its sleeper gone, the gate is down. */

static void
test_pipeline_sleeper_closed(void **state)
{
    text_t  t = { NULL, 0, 0 };

    command(&t, "DEBUG SLEEP 1000");
    tell(&a, &t);

    command(&t, "SET k v");
    tell(&b, &t);

    /* who would sleep as well waits for its turn */

    command(&t, "DEBUG SLEEP 1000");
    tell(&c, &t);

    unit_peer_close(&a);
    serve();

    assert_int_equal(c.timer + b.nout, 1 + (b.nout ? 5 : 0));
    unit_peer_close(&c);
    serve();
    replies(&b, "+OK\r\n");

    assert_int_equal(z.zone->gate.word, 0);
}


static void
test_pipeline_closed_while_parked(void **state)
{
    text_t  t = { NULL, 0, 0 };

    command(&t, "DEBUG SLEEP 1000");
    tell(&a, &t);

    /* with a big argument in a parked batch, and one in the next command */

    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    bulk(&t, noise, 40000);
    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nl\r\n");
    add(&t, "$40000\r\nx", 9);
    tell(&b, &t);

    assert_true(z.zone->heap.receipts != 0);

    unit_peer_close(&b);
    assert_int_equal(z.zone->heap.receipts, 0);
    unit_peer_close(&a);
}


/* What came behind a parked batch is taken up where it was left. */

static void
test_pipeline_goes_on_behind_a_parked_batch(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i, nag;

    static const struct {
        const char  *rest;
        const char  *reply;
        unsigned     close;
    } rests[] = {
        { "", "", 0 },
        { "*2\r\n$3\r\nGET\r\n$", "", 0 },
        { "PIN", "", 0 },
        { "*2\r\n$3\r\nGET\r\n$-5\r\n", "-ERR Protocol error: invalid bulk "
          "length\r\n", 1 },
        { "*4\r\n$4\r\nMGET\r\n$1\r\na\r\n$1\r\nb\r\n:1\r\n", "-ERR Protocol "
          "error: expected '$', got ':'\r\n", 1 },
        { "*x\r\n", "-ERR Protocol error: invalid multibulk length\r\n", 1 },
        { "set \"a", "", 0 },
        { "set \"a\r\n", "-ERR Protocol error: unbalanced quotes in request"
          "\r\n", 1 },

        /* unquoted in place it reads otherwise */

        { "\"\\x61\" \"\r\n", "-ERR Protocol error: unbalanced quotes in "
          "request\r\n", 1 },
        { "PING\r\n", "+PONG\r\n", 0 }
    };

    for (nag = 0; nag < 2; nag++) {
        for (i = 0; i < sizeof(rests) / sizeof(rests[0]); i++) {
            unit_peer_free(&b);
            unit_peer_open(&b, &worker);
            b.nag = nag;

            command(&t, "DEBUG SLEEP 1000");
            tell(&a, &t);

            command(&t, "PING");
            command(&t, "SET k v");
            command(&t, "GET k");
            add(&t, rests[i].rest, strlen(rests[i].rest));
            tell(&b, &t);
            replies(&b, "+PONG\r\n");
            unit_peer_go(&b);

            unit_peer_free(&a);
            unit_peer_open(&a, &worker);
            serve();

            say(&t, "+OK\r\n$1\r\nv\r\n%s", rests[i].reply);
            told(&b, &t);
            assert_int_equal(b.closed, rests[i].close);
        }
    }
}


/* A protocol error is told behind the replies before it. */

static void
test_pipeline_protocol_error_closes(void **state)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  i;

    static const char  *errors[][2] = {
        { "*1048577\r\n", "invalid multibulk length" },
        { "*2147483648\r\n", "invalid multibulk length" },
        { "*1\r\n$536870913\r\n", "invalid bulk length" },
        { "*1\r\n$-1\r\n", "invalid bulk length" },
        { "*1\r\n$x\r\n", "invalid bulk length" },
        { "*1\r\n:1\r\n", "expected '$', got ':'" },
        { "*2\r\n$3\r\nGET\r\nPING\r\n", "expected '$', got 'P'" },
        { "GET 'k\r\n", "unbalanced quotes in request" }
    };

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        unit_peer_free(&c);
        unit_peer_open(&c, &worker);

        c.step = i % 3;

        command(&t, "SET k v");
        command(&t, "GET k");
        say(&t, "%s", errors[i][0]);
        command(&t, "DEL k");
        tell(&c, &t);

        say(&t, "+OK\r\n$1\r\nv\r\n-ERR Protocol error: %s\r\n",
            errors[i][1]);
        told(&c, &t);
        assert_int_equal(c.closed, 1);

        ask(&a, "GET k", "$1\r\nv\r\n");
    }

    /* a line without end */

    unit_peer_free(&c);
    unit_peer_open(&c, &worker);
    c.step = 5000;

    for (i = 0; i < 70000; i++) {
        add(&t, "x", 1);
    }

    tell(&c, &t);
    replies(&c, "-ERR Protocol error: too big inline request\r\n");
    assert_int_equal(c.closed, 1);
}


static void
test_pipeline_quit_closes_behind_its_reply(void **state)
{
    text_t  t = { NULL, 0, 0 };

    set_big(&a, "big", 0, 40000);

    a.hold = 1;
    command(&t, "SET k 1");
    command(&t, "GET big");
    command(&t, "QUIT");
    command(&t, "SET k 2");
    say(&t, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n");
    bulk(&t, noise, 40000);
    tell(&a, &t);

    unit_peer_go(&a);
    unit_peer_go(&a);
    assert_int_equal(a.closed, 0);

    a.hold = 0;
    unit_peer_go(&a);
    assert_int_equal(a.closed, 1);

    say(&t, "+OK\r\n");
    bulk(&t, noise, 40000);
    say(&t, "+OK\r\n");
    told(&a, &t);

    ask(&b, "GET k", "$1\r\n1\r\n");
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        WIRE_TEST(test_pipeline_replies_alike_at_any_split),
        WIRE_TEST(test_pipeline_replies_alike_however_they_are_taken),
        WIRE_TEST(test_pipeline_parks_behind_the_gate),
        WIRE_TEST(test_pipeline_tells_what_it_waited_for),
        WIRE_TEST(test_pipeline_tells_who_took_memory),
        WIRE_TEST(test_pipeline_sleeper_closed),
        WIRE_TEST(test_pipeline_closed_while_parked),
        WIRE_TEST(test_pipeline_goes_on_behind_a_parked_batch),
        WIRE_TEST(test_pipeline_protocol_error_closes),
        WIRE_TEST(test_pipeline_quit_closes_behind_its_reply),
    };

    return wire_run(tests);
}
