
/*
 * Copyright (C) The Olivine authors
 *
 * Two zones: clients change one, and what its log gets is done in the other,
 * as it is when a file is loaded: nothing is past its time there.
 */


#ifndef _UNIT_EFFECT_H_INCLUDED_
#define _UNIT_EFFECT_H_INCLUDED_


#include "command.h"


#define EFFECT_ARGS  40000
#define EFFECT_LOG   (32 * 1024 * 1024)


/* what a log may have, in the words of Redis 7.0 */
typedef struct {
    const char        *name;
    long               min;
    long               max;
} effect_word_t;


static const effect_word_t  effect_words[] = {
    { "select",    2, 2 },
    { "multi",     1, 1 },
    { "exec",      1, 1 },
    { "set",       3, 5 },
    { "append",    3, 3 },
    { "setrange",  4, 4 },
    { "incr",      2, 2 },
    { "decr",      2, 2 },
    { "incrby",    3, 3 },
    { "decrby",    3, 3 },
    { "mset",      3, EFFECT_ARGS },
    { "del",       2, EFFECT_ARGS },
    { "unlink",    2, EFFECT_ARGS },
    { "rename",    3, 3 },
    { "renamenx",  3, 3 },
    { "move",      3, 3 },
    { "copy",      3, 6 },
    { "pexpireat", 3, 3 },
    { "persist",   2, 2 },
    { "swapdb",    3, 3 },
    { "flushdb",   1, 1 },
    { "flushall",  1, 1 },
    { NULL, 0, 0 }
};


static unit_command_t     *c;                     /* clients change this one, */
static unit_command_t     *d;                     /* their effects that one */
static ngx_olivine_arg_t   args[EFFECT_ARGS];
static u_char             *bytes;
static ngx_uint_t          effects;               /* commands replayed */
static ngx_uint_t          running;


/* A reply's pin, unless the command that took it is undone. */

static inline void
unpin(void *data, void *pin)
{
    unit_command_t *to = data;

    if (running) {
        return;
    }

    while (ngx_olivine_unpin(to->z.tx, (uint32_t) (uintptr_t) pin - 1)
           == NGX_AGAIN)
    {
        (void) ngx_olivine_tx_fetch(to->z.tx);
    }
}


static inline int
setup(void **state)
{
    void  *one, *two;

    (void) unit_command_setup(&one);
    (void) unit_command_setup(&two);

    c = one;
    d = two;
    ngx_olivine_reply_init(&c->reply, &c->pool, unpin, c);
    ngx_olivine_reply_init(&d->reply, &d->pool, unpin, d);
    d->cx.loading = 1;
    d->now = 1;
    bytes = malloc(EFFECT_LOG);
    assert_non_null(bytes);
    effects = 0;

    return 0;
}


static inline int
teardown(void **state)
{
    void  *one = c, *two = d;

    (void) unit_command_teardown(&one);
    (void) unit_command_teardown(&two);
    free(bytes);

    return 0;
}


/* Runs a command; to->text gets the reply, or its beginning. */

static inline void
give(unit_command_t *to, ngx_olivine_arg_t *argv, ngx_uint_t argc)
{
    size_t         len, n;
    struct iovec   iov[1];

    to->cx.argc = argc;
    to->cx.argv = argv;
    to->cx.command = NULL;
    to->cx.hashed = 0;
    to->cx.pins = 0;
    to->cx.now = to->now;
    to->cx.now_us = to->now * 1000;
    to->cx.clock = ngx_olivine_store_clock(to->now);

    running = 1;

    /* what takes long goes on in the next turn */

    do {
        to->cx.park = NGX_OLIVINE_PARK_NONE;
        to->rc = ngx_olivine_command_run(&to->cx);
    } while (to->rc == NGX_AGAIN && to->cx.park == NGX_OLIVINE_PARK_TURN);

    running = 0;
    len = 0;

    while (ngx_olivine_reply_iovecs(&to->reply, iov, 1) != 0) {
        n = ngx_min(iov[0].iov_len, sizeof(to->text) - 1 - len);
        memcpy(to->text + len, iov[0].iov_base, n);
        len += n;

        ngx_olivine_reply_consume(&to->reply, iov[0].iov_len);
    }

    to->text[len] = '\0';
}


/* A command that any Redis since 7.0 knows, and that does not ask the time. */

static inline void
known(ngx_olivine_arg_t *argv, long n, ngx_uint_t *multi)
{
    const effect_word_t  *word;

    for (word = effect_words; word->name; word++) {

        if (strlen(word->name) == argv[0].len
            && ngx_strncasecmp(argv[0].data, (u_char *) word->name,
                               argv[0].len) == 0)
        {
            break;
        }
    }

    if (word->name == NULL || n < word->min || n > word->max) {
        fail_msg("\"%.*s\" with %ld arguments is in the log",
                 (int) argv[0].len, argv[0].data, n);
    }

    if (strcmp(word->name, "set") == 0 && n > 3) {
        assert_memory_equal(argv[3].data, n == 4 ? "KEEPTTL" : "PXAT",
                            n == 4 ? 7 : 4);
    }

    if (strcmp(word->name, "multi") == 0) {
        assert_int_equal(*multi, 0);
        *multi = 1;

    } else if (strcmp(word->name, "exec") == 0) {
        assert_true(*multi > 2);
        *multi = 0;

    } else if (*multi) {
        (*multi)++;
    }
}


/* The log so far, done in the other zone. */

static inline size_t
replay(void)
{
    long         n, i;
    char        *p, *last;
    size_t       len;
    ngx_uint_t   multi;

    len = ngx_olivine_ring_read(c->z.tx, c->reader, bytes, EFFECT_LOG);
    assert_int_equal(c->z.zone->ring.tail + 1,
                     c->z.zone->ring.offsets[c->reader]);

    p = (char *) bytes;
    last = p + len;
    multi = 0;

    while (p < last) {
        assert_int_equal(*p, '*');
        n = strtol(p + 1, &p, 10);
        p += 2;
        assert_true(n > 0 && n <= EFFECT_ARGS);

        for (i = 0; i < n; i++) {
            assert_int_equal(*p, '$');
            args[i].len = strtol(p + 1, &p, 10);
            args[i].data = (u_char *) p + 2;
            args[i].run = NULL;
            p += 2 + args[i].len;
            assert_true(p < last);
            assert_memory_equal(p, "\r\n", 2);
            p += 2;
        }

        known(args, n, &multi);
        give(d, args, n);
        effects++;

        if (d->text[0] == '-' || strstr(d->text, "\r\n-")
            || d->rc != NGX_OK)
        {
            fail_msg("\"%.*s\" is not replayed: %s", (int) args[0].len,
                     args[0].data, d->text);
        }

        (void) ngx_olivine_ring_read(d->z.tx, d->reader, bytes + len,
                                     EFFECT_LOG - len);
    }

    assert_int_equal(multi, 0);
    assert_ptr_equal(p, last);

    return len;
}


static inline void
same(void)
{
    u_char  one[20], two[20];

    unit_digest(c->z.tx, one);
    unit_digest(d->z.tx, two);
    assert_memory_equal(one, two, 20);

    unit_audit(c->z.tx);
    unit_audit(d->z.tx);
}


/* An argument that came in by a run. */

static inline uint32_t
receive(ngx_olivine_arg_t *arg)
{
    uint32_t   index;
    ngx_int_t  rc;

    do {
        rc = ngx_olivine_receipt_open(c->z.tx, arg->len, &index);
    } while (rc == NGX_AGAIN && ngx_olivine_tx_fetch(c->z.tx) == NGX_OK);

    assert_int_equal(rc, NGX_OK);

    memcpy(ngx_olivine_zone_page(c->z.zone,
                                 ngx_olivine_holding_page(c->z.tx, index)),
           arg->data, arg->len);

    arg->data = ngx_olivine_zone_page(c->z.zone,
                                      ngx_olivine_holding_page(c->z.tx,
                                                               index));
    arg->run = (void *) (uintptr_t) (index + 1);

    return index;
}


#endif /* _UNIT_EFFECT_H_INCLUDED_ */
