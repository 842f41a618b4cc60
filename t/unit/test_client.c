
/*
 * Copyright (C) The Olivine authors
 *
 * Clients on a worker over a small zone, without sockets.
 */


#include "zone.h"
#include "peer.h"

#include <malloc.h>
#include <sys/wait.h>


#define MB    (1024 * 1024)
#define MANY  1000

/* wherever the wire's bytes are built, or what is expected of them */
typedef struct {
    u_char      *data;
    size_t       len;
    size_t       room;
} text_t;


static unit_zone_t           z;
static ngx_olivine_worker_t  worker, other;
static unit_peer_t           a, b, c;
static ngx_uint_t            others;
static int64_t               clock_ms;

/* bytes that look the same nowhere */
static u_char                noise[4 * MB];


static void
open_zone(size_t limit)
{
    unit_zone_create(&z, limit, 4);

    z.zone->params.enable_debug_command = NGX_OLIVINE_DEBUG_YES;
    clock_ms = ngx_olivine_now();
    z.zone->started = clock_ms;

    assert_int_equal(ngx_olivine_worker_init(&worker, z.zone, z.fd, 1,
                                             &unit_peer_host,
                                             unit_log(NGX_LOG_ERR)),
                     NGX_OK);
    others = 0;

    unit_peer_open(&a, &worker);
    unit_peer_open(&b, &worker);
    unit_peer_open(&c, &worker);
}


static int
setup(void **state)
{
    open_zone(16 * MB);
    return 0;
}


static int
setup_large(void **state)
{
    open_zone(96 * MB);
    return 0;
}


static void
open_other(void)
{
    assert_int_equal(ngx_olivine_worker_init(&other, z.zone, z.fd, 1,
                                             &unit_peer_host,
                                             unit_log(NGX_LOG_ERR)),
                     NGX_OK);
    others = 1;
}


/* Whatever was done: with all clients gone nothing of them is left. */

static int
teardown(void **state)
{
    unit_peer_free(&a);
    unit_peer_free(&b);
    unit_peer_free(&c);

    (void) ngx_olivine_worker_tick(&worker, ngx_olivine_now());

    unit_audit(&worker.tx);

    assert_int_equal(z.zone->gate.word, 0);
    assert_int_equal(z.zone->heap.receipts, 0);
    assert_int_equal(z.zone->heap.orphans, 0);
    assert_int_equal(worker.tx.slot->clients, 0);
    assert_int_equal(worker.replies.used, 0);
    assert_true(ngx_queue_empty(&worker.parked));

    if (others) {
        ngx_olivine_worker_done(&other);
    }

    ngx_olivine_worker_done(&worker);
    unit_zone_destroy(&z);

    return 0;
}


static void
add(text_t *t, const void *data, size_t len)
{
    if (t->room - t->len < len + 1) {
        t->room = 2 * (t->len + len + 1);
        t->data = realloc(t->data, t->room);
    }

    memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = '\0';
}


static void
say(text_t *t, const char *fmt, ...)
{
    char     s[1024];
    int      n;
    va_list  args;

    va_start(args, fmt);
    n = vsnprintf(s, sizeof(s), fmt, args);
    va_end(args);

    add(t, s, n);
}


static void
bulk(text_t *t, const void *data, size_t len)
{
    say(t, "$%zu\r\n", len);
    add(t, data, len);
    say(t, "\r\n");
}


/* A command of words separated by blanks. */

static void
command(text_t *t, const char *fmt, ...)
{
    char     s[1024], *p, *last;
    int      n;
    va_list  args;

    va_start(args, fmt);
    (void) vsnprintf(s, sizeof(s), fmt, args);
    va_end(args);

    n = 1;

    for (p = s; *p; p++) {
        n += (*p == ' ');
    }

    say(t, "*%d\r\n", n);

    for (p = s; p; p = last ? last + 1 : NULL) {
        last = strchr(p, ' ');
        bulk(t, p, last ? (size_t) (last - p) : strlen(p));
    }
}


static void
forget(text_t *t)
{
    free(t->data);
    memset(t, 0, sizeof(text_t));
}


/* The peer has said just that since it was asked last. */

static void
got(unit_peer_t *peer, const void *data, size_t len)
{
    size_t  i;

    for (i = 0; i < len && i < peer->nout; i++) {
        if (peer->out[i] != ((u_char *) data)[i]) {
            break;
        }
    }

    if (i < len || peer->nout != len) {
        fail_msg("%zu bytes for %zu, from %zu on \"%.*s\" for \"%.*s\"",
                 peer->nout, len, i, (int) ngx_min(peer->nout - i, 200),
                 peer->out + i, (int) ngx_min(len - i, 200),
                 (char *) data + i);
    }

    peer->nout = 0;
}


static void
replies(unit_peer_t *peer, const char *text)
{
    got(peer, text, strlen(text));
}


static void
told(unit_peer_t *peer, text_t *t)
{
    got(peer, t->data, t->len);
    forget(t);
}


static void
tell(unit_peer_t *peer, text_t *t)
{
    unit_peer_send(peer, t->data, t->len);
    forget(t);
}


/* One command without blanks in its words, and what it is to say. */

static void
ask(unit_peer_t *peer, const char *words, const char *reply)
{
    text_t  t = { NULL, 0, 0 };

    command(&t, "%s", words);
    tell(peer, &t);
    replies(peer, reply);
}


static void
set_big(unit_peer_t *peer, const char *key, size_t at, size_t len)
{
    text_t  t = { NULL, 0, 0 };

    say(&t, "*3\r\n$3\r\nSET\r\n$%zu\r\n%s\r\n", strlen(key), key);
    bulk(&t, noise + at, len);
    tell(peer, &t);
    replies(peer, "+OK\r\n");
}


static void
get_big(unit_peer_t *peer, const char *key, size_t at, size_t len)
{
    text_t  t = { NULL, 0, 0 };

    command(&t, "GET %s", key);
    tell(peer, &t);

    bulk(&t, noise + at, len);
    told(peer, &t);
}


/* Those whose command may go on are run, until none is. */

static void
serve(void)
{
    ngx_uint_t    i, any;
    unit_peer_t  *peers[] = { &a, &b, &c };

    do {
        any = 0;

        ngx_olivine_worker_rung(&worker);

        if (others) {
            ngx_olivine_worker_rung(&other);
        }

        for (i = 0; i < 3; i++) {
            if (peers[i]->wakes) {
                any = 1;
                unit_peer_go(peers[i]);
            }
        }

    } while (any);
}


/* So much later, ticks until there is nothing left to do. */

static void
settle(int64_t ms)
{
    ngx_uint_t  i, idle;

    clock_ms += ms;
    idle = 0;

    for (i = 0; idle < 3; i++) {
        assert_true(i < 100000);

        if (ngx_olivine_worker_tick(&worker, clock_ms) > 1) {
            clock_ms += 100;
            idle++;

        } else {
            idle = 0;
        }
    }
}


/* Pins in a reply that is kept back. */

static uint64_t
pins(void)
{
    uint32_t              page;
    uint64_t              n;
    ngx_olivine_page_t   *p;
    ngx_olivine_heap_t   *heap;

    n = 0;
    heap = &z.zone->heap;

    for (page = heap->first; page < heap->last; page += p->pages) {
        p = &z.zone->pages[page];

        if (p->kind == NGX_OLIVINE_PAGE_VALUE) {
            n += p->prev;
        }
    }

    return n;
}


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
test_client_pipelines_do_not_depend_on_the_split(void **state)
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
test_client_replies_do_not_depend_on_how_they_are_taken(void **state)
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
test_client_big_arguments_in_any_order(void **state)
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
test_client_big_argument_split_at_odd_places(void **state)
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
test_client_closed_in_a_big_argument(void **state)
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
test_client_argument_over_an_eighth_of_the_zone(void **state)
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
test_client_announcements_take_no_memory(void **state)
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
test_client_sends_little_before_auth(void **state)
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


/* So many small keys that there is no room for another. */

static ngx_uint_t
fill(unit_peer_t *peer, const char *name, size_t len)
{
    text_t      t = { NULL, 0, 0 };
    ngx_uint_t  n;

    for (n = 0; n < 1000000; n++) {
        say(&t, "*3\r\n$3\r\nSET\r\n$%d\r\n%s:%lu\r\n",
            snprintf(NULL, 0, "%s:%lu", name, n), name, n);
        bulk(&t, noise, len);
        tell(peer, &t);

        if (peer->out[0] == '-') {
            break;
        }

        peer->nout = 0;
    }

    replies(peer, "-OOM command not allowed when used memory > 'maxmemory'."
            "\r\n");

    return n;
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


/* While one sleeps, who needs the store waits, and all keep their order. */

static void
test_client_parks_behind_the_gate(void **state)
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


/* Its sleeper gone, the gate is down. */

static void
test_client_sleeper_closed(void **state)
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
test_client_closed_while_parked(void **state)
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
test_client_goes_on_behind_a_parked_batch(void **state)
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


static void
test_client_big_argument_behind_a_parked_batch(void **state)
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


/* A protocol error is told behind the replies before it. */

static void
test_client_protocol_error_closes(void **state)
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
test_client_quit_closes_behind_its_reply(void **state)
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
test_client_closed_over_its_input_limit(void **state)
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


/* Nothing but itself. */

static void
test_client_idle_owns_nothing(void **state)
{
    text_t               t = { NULL, 0, 0 };
    ngx_uint_t           i;
    struct mallinfo2     before, after;

    static unit_peer_t   many[MANY];

    mset(&t, 0);
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

    forget(&t);

#if !(NGX_OLIVINE_ASAN)
    assert_true((after.uordblks - before.uordblks) / MANY < 1024);
#else
    (void) before;
    (void) after;
#endif
}


/* An unfinished command keeps what it has sent, and hardly more. */

static void
test_client_waiting_keeps_little(void **state)
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


/* Each worker's clients wait for the other's gate, and hear of its fall. */

static void
test_client_woken_by_another_worker(void **state)
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


/* A big argument waits for the gate in the middle of its bytes. */

static void
test_client_big_argument_and_the_gate(void **state)
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
test_client_full_zone_reads_and_removes(void **state)
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

    ask(&b, "INCR fresh", ":1\r\n");

    for (i = 0; i < n; i++) {
        command(&t, "DEL fill:%lu", i);
        tell(&a, &t);
        replies(&a, ":1\r\n");
    }

    ask(&a, "SET again v", "+OK\r\n");
    ask(&a, "DBSIZE", ":2\r\n");
    set_big(&a, "big", 0, 1000000);

    n = fill(&a, "fill", 3000);
    ask(&b, "FLUSHALL", "+OK\r\n");
    settle(100);

    set_big(&a, "big", 0, 1000000);
    ask(&a, "DBSIZE", ":1\r\n");
}


static void
test_client_keys_expire_by_ticks(void **state)
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
test_client_flush_frees_by_ticks(void **state)
{
    text_t      t = { NULL, 0, 0 };
    size_t      used;
    ngx_uint_t  i;

    used = ngx_olivine_zone_used(z.zone);

    for (i = 0; i < 8000; i++) {
        command(&t, "SELECT %lu", i % 4);
        command(&t, "SET key:%lu value:%lu%0*d", i, i, (int) (i % 300), 0);
        tell(&a, &t);
        replies(&a, "+OK\r\n+OK\r\n");
    }

    set_big(&a, "big", 0, 1000000);

    ask(&a, "FLUSHALL", "+OK\r\n");
    ask(&a, "GET big", "$-1\r\n");
    ask(&a, "DBSIZE", ":0\r\n");
    assert_true(ngx_olivine_zone_used(z.zone) > used + 1000000);

    settle(100);

    assert_int_equal(ngx_olivine_zone_used(z.zone), used);
    unit_audit(&worker.tx);
}


/* What a killed worker's clients held is given back by another's ticks. */

static void
test_client_of_a_killed_worker(void **state)
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


#define CLIENT(name)                                                          \
    cmocka_unit_test_setup_teardown(test_client_##name, setup, teardown)

#define CLIENT_LARGE(name)                                                    \
    cmocka_unit_test_setup_teardown(test_client_##name, setup_large, teardown)


int
main(void)
{
    size_t    i;
    uint64_t  n;

    const struct CMUnitTest  tests[] = {
        CLIENT(pipelines_do_not_depend_on_the_split),
        CLIENT(replies_do_not_depend_on_how_they_are_taken),
        CLIENT_LARGE(big_arguments_in_any_order),
        CLIENT(big_argument_split_at_odd_places),
        CLIENT_LARGE(closed_in_a_big_argument),
        CLIENT(argument_over_an_eighth_of_the_zone),
        CLIENT(announcements_take_no_memory),
        CLIENT(sends_little_before_auth),
        CLIENT(big_reply_outlives_its_key),
        CLIENT(closed_in_a_big_reply),
        CLIENT(many_big_replies),
        CLIENT(pin_of_an_undone_command_is_taken_off),
        CLIENT(parks_behind_the_gate),
        CLIENT(sleeper_closed),
        CLIENT(closed_while_parked),
        CLIENT(goes_on_behind_a_parked_batch),
        CLIENT(big_argument_behind_a_parked_batch),
        CLIENT(protocol_error_closes),
        CLIENT(quit_closes_behind_its_reply),
        CLIENT(closed_over_its_output_limit),
        CLIENT(closed_over_its_soft_output_limit),
        CLIENT(closed_over_its_input_limit),
        CLIENT(over_maxclients_is_refused),
        CLIENT(idle_owns_nothing),
        CLIENT(waiting_keeps_little),
        CLIENT(woken_by_another_worker),
        CLIENT(big_argument_and_the_gate),
        CLIENT(full_zone_reads_and_removes),
        CLIENT(keys_expire_by_ticks),
        CLIENT(flush_frees_by_ticks),
        CLIENT(of_a_killed_worker),
    };

    n = 88172645463325252ULL;

    for (i = 0; i < sizeof(noise); i++) {
        n ^= n << 13;
        n ^= n >> 7;
        n ^= n << 17;
        noise[i] = (u_char) n;
    }

    return unit_run(tests);
}
