
/*
 * Copyright (C) The Olivine authors
 *
 * Three clients on a worker over a small zone: what they send, and what they
 * are to be told, in a line each.
 */


#ifndef _UNIT_WIRE_H_INCLUDED_
#define _UNIT_WIRE_H_INCLUDED_


#include "zone.h"
#include "peer.h"


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


static inline void
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


static inline int
setup(void **state)
{
    open_zone(16 * MB);
    return 0;
}


static inline int
setup_large(void **state)
{
    open_zone(96 * MB);
    return 0;
}


static inline void
open_other(void)
{
    assert_int_equal(ngx_olivine_worker_init(&other, z.zone, z.fd, 1,
                                             &unit_peer_host,
                                             unit_log(NGX_LOG_ERR)),
                     NGX_OK);
    others = 1;
}


/* Whatever was done: with all clients gone nothing of them is left. */

static inline int
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


static inline void
add(text_t *t, const void *data, size_t len)
{
    if (len >= t->room - t->len) {
        t->room = 2 * (t->len + len + 1);
        t->data = realloc(t->data, t->room);
    }

    memcpy(t->data + t->len, data, len);
    t->len += len;
    t->data[t->len] = '\0';
}


static inline void
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


static inline void
bulk(text_t *t, const void *data, size_t len)
{
    say(t, "$%zu\r\n", len);
    add(t, data, len);
    say(t, "\r\n");
}


/* A command of words separated by blanks. */

static inline void
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


static inline void
forget(text_t *t)
{
    free(t->data);
    memset(t, 0, sizeof(text_t));
}


/* The peer has said just that since it was asked last. */

static inline void
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


static inline void
replies(unit_peer_t *peer, const char *text)
{
    got(peer, text, strlen(text));
}


static inline void
told(unit_peer_t *peer, text_t *t)
{
    got(peer, t->data, t->len);
    forget(t);
}


static inline void
tell(unit_peer_t *peer, text_t *t)
{
    unit_peer_send(peer, t->data, t->len);
    forget(t);
}


/* One command without blanks in its words, and what it is to say. */

static inline void
ask(unit_peer_t *peer, const char *words, const char *reply)
{
    text_t  t = { NULL, 0, 0 };

    command(&t, "%s", words);
    tell(peer, &t);
    replies(peer, reply);
}


static inline void
set_big(unit_peer_t *peer, const char *key, size_t at, size_t len)
{
    text_t  t = { NULL, 0, 0 };

    say(&t, "*3\r\n$3\r\nSET\r\n$%zu\r\n%s\r\n", strlen(key), key);
    bulk(&t, noise + at, len);
    tell(peer, &t);
    replies(peer, "+OK\r\n");
}


static inline void
get_big(unit_peer_t *peer, const char *key, size_t at, size_t len)
{
    text_t  t = { NULL, 0, 0 };

    command(&t, "GET %s", key);
    tell(peer, &t);

    bulk(&t, noise + at, len);
    told(peer, &t);
}


/* Those whose command may go on are run, until none is. */

static inline void
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

static inline void
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

static inline uint64_t
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


/* So many small keys that there is no room for another. */

static inline ngx_uint_t
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


static inline void
wire_noise(void)
{
    size_t    i;
    uint64_t  n;

    n = 88172645463325252ULL;

    for (i = 0; i < sizeof(noise); i++) {
        n ^= n << 13;
        n ^= n >> 7;
        n ^= n << 17;
        noise[i] = (u_char) n;
    }
}


#define WIRE_TEST(name)                                                       \
    cmocka_unit_test_setup_teardown(name, setup, teardown)

#define WIRE_TEST_LARGE(name)                                                 \
    cmocka_unit_test_setup_teardown(name, setup_large, teardown)

#define wire_run(tests)  (wire_noise(), unit_run(tests))


#endif /* _UNIT_WIRE_H_INCLUDED_ */
