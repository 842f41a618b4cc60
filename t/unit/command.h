
/*
 * Copyright (C) The Olivine authors
 *
 * Commands on a small zone, with a reader of the log attached:
 *
 *     assert_string_equal(unit_reply(c, "set k v ex 10"), "+OK\r\n");
 *     assert_string_equal(unit_effect(c), "SET k v PXAT 1000000010000");
 *
 * Arguments are divided by blanks; '' is an empty one, and 'a b' one.
 */


#ifndef _UNIT_COMMAND_H_INCLUDED_
#define _UNIT_COMMAND_H_INCLUDED_


#include "zone.h"

#include "command/ngx_olivine_command.h"


#define UNIT_COMMAND_ARGS   64
#define UNIT_COMMAND_TEXT   65536
#define UNIT_COMMAND_RING   (1024 * 1024)
#define UNIT_COMMAND_LIMIT  (16 * 1024 * 1024)


typedef struct unit_command_s  unit_command_t;

struct unit_command_s {
    unit_zone_t                z;
    int64_t                    now;
    ngx_int_t                  rc;            /* of the last command */
    ngx_uint_t                 turns;         /* that commands have ended */
    void                     (*between)(unit_command_t *c);
    ngx_olivine_cx_t           cx;
    ngx_olivine_caller_t       caller;
    ngx_olivine_reply_t        reply;
    ngx_olivine_reply_pool_t   pool;
    ngx_uint_t                 reader;
    ngx_olivine_arg_t          argv[UNIT_COMMAND_ARGS];
    char                       line[UNIT_COMMAND_TEXT];
    char                       text[UNIT_COMMAND_TEXT];
    char                       log[UNIT_COMMAND_TEXT];
    char                       effect[UNIT_COMMAND_TEXT];
};


static inline ngx_int_t
unit_command_attach(ngx_olivine_tx_t *tx, void *data)
{
    unit_command_t  *c = data;

    return ngx_olivine_ring_attach(tx, UNIT_COMMAND_RING, &c->reader);
}


static inline int
unit_command_setup(void **state)
{
    static ngx_cycle_t  cycle;

    ngx_str_t        addr = ngx_string("127.0.0.1:1234");
    unit_command_t  *c;

    c = calloc(1, sizeof(unit_command_t));
    assert_non_null(c);

    cycle.log = unit_log(NGX_LOG_ERR);
    ngx_cycle = &cycle;

    unit_zone_create(&c->z, UNIT_COMMAND_LIMIT, 4);
    unit_zone_claim(&c->z);

    assert_int_equal(ngx_olivine_commands_init(), NGX_OK);
    assert_int_equal(ngx_olivine_cx_init(&c->cx, c->z.tx), NGX_OK);

    ngx_olivine_reply_init(&c->reply, &c->pool, NULL, NULL);

    c->now = UNIT_NOW;
    assert_int_equal(ngx_olivine_bus_open(c->z.tx, &addr, &addr,
                                          &c->caller.row), NGX_OK);
    c->caller.row->id = 7;
    c->caller.row->created = UNIT_NOW;
    c->caller.row->seen = UNIT_NOW;
    c->caller.id = 7;
    c->caller.authenticated = 1;
    c->cx.caller = &c->caller;
    c->cx.reply = &c->reply;

    assert_int_equal(unit_tx(c->z.tx, unit_command_attach, c), NGX_OK);

    *state = c;

    return 0;
}


static inline int
unit_command_teardown(void **state)
{
    unit_command_t  *c = *state;

    ngx_olivine_bus_close(c->z.tx, c->caller.row);

    ngx_olivine_cx_later_free(&c->caller);
    ngx_olivine_cx_free(&c->cx);
    ngx_olivine_reply_free(&c->reply);
    ngx_olivine_reply_pool_free(&c->pool);
    ngx_olivine_slot_leave(c->z.tx);
    unit_zone_destroy(&c->z);
    free(c);

    return 0;
}


static inline ngx_uint_t
unit_command_split(unit_command_t *c, const char *line)
{
    char        *p, end;
    ngx_uint_t   n;

    assert_true(strlen(line) < sizeof(c->line));
    strcpy(c->line, line);

    n = 0;
    p = c->line;

    while (*p) {
        assert_true(n < UNIT_COMMAND_ARGS);

        end = (*p == '\'') ? *p++ : ' ';

        c->argv[n].data = (u_char *) p;
        c->argv[n].run = NULL;

        while (*p && *p != end) {
            p++;
        }

        c->argv[n].len = (u_char *) p - c->argv[n].data;
        n++;

        while (*p == end || *p == ' ') {
            p++;
        }
    }

    return n;
}


/* Runs the command; its reply as bytes, "" if it was parked. */

static inline const char *
unit_reply(unit_command_t *c, const char *line)
{
    size_t         len;
    ngx_uint_t     i, n;
    struct iovec   iov[16];

    c->cx.argc = unit_command_split(c, line);
    c->cx.argv = c->argv;
    c->cx.command = NULL;
    c->cx.hashed = 0;
    c->cx.now = c->now;
    c->cx.now_us = c->now * 1000;
    c->cx.clock = ngx_olivine_store_clock(c->now);

    for ( ;; ) {
        c->rc = ngx_olivine_command_run(&c->cx);

        if (c->rc != NGX_AGAIN || c->cx.park != NGX_OLIVINE_PARK_TURN) {
            break;
        }

        c->turns++;

        if (c->between) {
            c->between(c);
        }

        c->cx.command = NULL;
    }

    assert_int_equal(c->reply.failed, 0);

    n = ngx_olivine_reply_iovecs(&c->reply, iov, 16);
    len = 0;

    for (i = 0; i < n; i++) {
        assert_true(len + iov[i].iov_len < sizeof(c->text));
        memcpy(c->text + len, iov[i].iov_base, iov[i].iov_len);
        len += iov[i].iov_len;
    }

    c->text[len] = '\0';

    ngx_olivine_reply_consume(&c->reply, len);

    return c->text;
}


/* What the log got since: "SELECT 1; DEL a", or "". */

static inline const char *
unit_effect(unit_command_t *c)
{
    long     n, len;
    char    *p, *last, *to;

    len = ngx_olivine_ring_read(c->z.tx, c->reader, (u_char *) c->log,
                                sizeof(c->log));
    p = c->log;
    last = p + len;
    to = c->effect;
    *to = '\0';

    while (p < last) {

        if (to != c->effect) {
            to = stpcpy(to, "; ");
        }

        assert_int_equal(*p, '*');

        for (n = strtol(p + 1, &p, 10), p += 2; n; n--) {

            assert_int_equal(*p, '$');

            len = strtol(p + 1, &p, 10);
            p += 2;

            to = mempcpy(to, p, len);
            *to++ = (n == 1) ? '\0' : ' ';

            p += len + 2;
        }

        to--;
    }

    return c->effect;
}


#define unit_command_test(test)                                               \
    cmocka_unit_test_setup_teardown(test, unit_command_setup,                 \
                                    unit_command_teardown)


#endif /* _UNIT_COMMAND_H_INCLUDED_ */
