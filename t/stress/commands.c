
/*
 * Copyright (C) The Olivine authors
 *
 * What the clients of the stress test do, and what must come of it.
 *
 * Hot keys: all clients work on a few at a time.  After 200 operations a key
 * is left, read once more, and its history is checked; another takes its
 * place.  On a pair there are only MSET and MGET, which must never be seen
 * half done.
 *
 * Counters: all clients increment them.  No result may come twice, nor be
 * below one that was there when the INCR was sent; in the end the value lies
 * between what was acknowledged and what was sent.
 *
 * Slots: keys that only one client writes, values of all sizes.  A slot holds
 * the last write that was acknowledged, or one without a reply after it.
 */


#include "stress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


static stress_window_t *stress_window_new(stress_t *st, unsigned pair);
static void stress_choose_end(stress_t *st, stress_client_t *c);
static void stress_on_window(stress_t *st, stress_client_t *c,
    stress_window_t *w, int last);
static int stress_before(stress_client_t *c, stress_window_t *w);
static void stress_on_counter(stress_t *st, stress_client_t *c);
static void stress_on_slot(stress_t *st, stress_client_t *c, unsigned i);
static void stress_read_slot(stress_client_t *c, unsigned i);
static int stress_judge_window(stress_t *st, stress_client_t *c,
    stress_command_t *cmd, stress_reply_t *reply, char **p, char *last,
    uint64_t now);
static int stress_judge_pair(stress_op_t *op, char **p, char *last);
static int stress_window_result(stress_op_t *op, stress_reply_t *reply);
static int stress_window_done(stress_t *st, stress_window_t *w);
static int stress_judge_counter(stress_t *st, stress_command_t *cmd,
    stress_reply_t *reply);
static int stress_judge_end(stress_t *st, stress_command_t *cmd,
    stress_reply_t *reply);
static int stress_judge_slot(stress_client_t *c, stress_command_t *cmd,
    stress_reply_t *reply);
static uint64_t stress_slot_number(stress_client_t *c, unsigned i,
    stress_reply_t *reply);
static void stress_slot_may(stress_slot_t *slot, uint64_t number);
static size_t stress_value(char *p, uint64_t number);
static int64_t stress_integer(stress_reply_t *reply);
static void stress_send(stress_client_t *c, unsigned args, ...);
static char *stress_bulk(char *p, const char *data, size_t len);
static stress_command_t *stress_add(stress_client_t *c,
    stress_subject_e subject, stress_window_t *w, unsigned index);
static int stress_wrong(const char *fmt, ...);
static void stress_print(stress_window_t *w);


static const char *const  stress_kinds[] = {
    "GET", "EXISTS", "SET", "SET NX", "SET XX", "SET GET", "GETDEL", "DEL",
    "INCRBY"
};


int
stress_commands_init(stress_t *st)
{
    unsigned  i;

    for (i = 0; i < STRESS_HOT; i++) {
        st->hot[i] = stress_window_new(st, i == 0);
        if (st->hot[i] == NULL) {
            return -1;
        }
    }

    return 1;
}


static stress_window_t *
stress_window_new(stress_t *st, unsigned pair)
{
    stress_window_t  *w;

    w = calloc(1, sizeof(stress_window_t));

    if (w) {
        w->id = ++st->ids;
        w->pair = pair;
    }

    return w;
}


/* --- what is sent */


void
stress_choose(stress_t *st, stress_client_t *c)
{
    unsigned          i, n, roll;
    stress_window_t  *w;

    c->n = 0;
    c->got = 0;
    c->pos = c->out;
    c->last = c->out;

    if (st->ending) {
        stress_choose_end(st, c);
        return;
    }

    n = 1 + stress_random(st, st->depth);

    for (w = st->full; w && c->n < n; w = w->next) {
        if (w->outstanding == 0) {
            stress_on_window(st, c, w, 1);
        }
    }

    while (c->n < n) {
        roll = stress_random(st, 100);

        if (roll < 50) {
            w = st->hot[stress_random(st, STRESS_HOT)];

            if (w->n < STRESS_WINDOW && w->outstanding < STRESS_AT_ONCE) {
                stress_on_window(st, c, w, 0);
            }

        } else if (roll < 65) {
            stress_on_counter(st, c);

        } else {
            i = stress_random(st, STRESS_SLOTS);

            if (!c->slots[i].busy) {
                stress_on_slot(st, c, i);
            }
        }
    }
}


static void
stress_choose_end(stress_t *st, stress_client_t *c)
{
    unsigned           i;
    char               key[32];
    stress_window_t   *w;
    stress_counter_t  *counter;

    for (i = 0; i < STRESS_HOT; i++) {
        w = st->hot[i];

        if (w) {
            w->full = 1;
            w->next = st->full;
            st->full = w;
            st->hot[i] = NULL;
        }
    }

    for (w = st->full; w && c->n < st->depth; w = w->next) {
        if (w->outstanding == 0) {
            stress_on_window(st, c, w, 1);
        }
    }

    for (i = 0; i < STRESS_COUNTERS && c->n < st->depth; i++) {
        counter = &st->counters[i];

        if (!counter->verified && counter->outstanding == 0) {
            counter->outstanding++;
            (void) stress_add(c, STRESS_READ_COUNTER, NULL, i);
            sprintf(key, "counter:%u", i);
            stress_send(c, 2, "GET", key);
        }
    }

    for (i = 0; i < STRESS_SLOTS && c->n < st->depth; i++) {
        if (!c->slots[i].verified && !c->slots[i].busy) {
            stress_read_slot(c, i);
        }
    }
}


static void
stress_on_window(stress_t *st, stress_client_t *c, stress_window_t *w,
    int last)
{
    char          key[40], other[40], arg[24];
    stress_op_t  *op;

    op = &w->ops[w->n];
    memset(op, 0, sizeof(stress_op_t));

    op->call = c->call;
    op->after = stress_before(c, w);
    op->kind = last ? STRESS_GET : stress_random(st, STRESS_INCRBY + 1);
    op->arg = op->kind == STRESS_INCRBY ? 1 + (int64_t) stress_random(st, 3)
                                        : (int64_t) ++st->writes * 1000;

    if (w->pair && op->kind != STRESS_GET) {
        op->kind = op->kind < STRESS_SET_GET ? STRESS_SET : STRESS_GET;
    }

    (void) stress_add(c, STRESS_ON_WINDOW, w, w->n);
    w->n++;
    w->outstanding++;
    w->read = last;

    sprintf(arg, "%lld", (long long) op->arg);

    if (w->pair) {
        sprintf(key, "pair:%llu:a", (unsigned long long) w->id);
        sprintf(other, "pair:%llu:b", (unsigned long long) w->id);

        if (op->kind == STRESS_SET) {
            stress_send(c, 5, "MSET", key, arg, other, arg);

        } else {
            stress_send(c, 3, "MGET", key, other);
        }

        return;
    }

    sprintf(key, "hot:%llu", (unsigned long long) w->id);

    switch (op->kind) {
    case STRESS_SET:      stress_send(c, 3, "SET", key, arg); break;
    case STRESS_SET_NX:   stress_send(c, 4, "SET", key, arg, "NX"); break;
    case STRESS_SET_XX:   stress_send(c, 4, "SET", key, arg, "XX"); break;
    case STRESS_SET_GET:  stress_send(c, 4, "SET", key, arg, "GET"); break;
    case STRESS_INCRBY:   stress_send(c, 3, "INCRBY", key, arg); break;
    default:              stress_send(c, 2, stress_kinds[op->kind], key);
    }
}


/* The last operation on the window in the batch so far, or -1. */

static int
stress_before(stress_client_t *c, stress_window_t *w)
{
    unsigned  i;

    for (i = c->n; i > 0; i--) {
        if (c->commands[i - 1].window == w) {
            return c->commands[i - 1].index;
        }
    }

    return -1;
}


static void
stress_on_counter(stress_t *st, stress_client_t *c)
{
    char               key[32];
    unsigned           i;
    stress_command_t  *cmd;
    stress_counter_t  *counter;

    i = stress_random(st, STRESS_COUNTERS);
    counter = &st->counters[i];

    cmd = stress_add(c, STRESS_ON_COUNTER, NULL, i);
    cmd->number = counter->highest;
    counter->sent++;
    counter->outstanding++;

    sprintf(key, "counter:%u", i);
    stress_send(c, 2, "INCR", key);
}


static void
stress_on_slot(stress_t *st, stress_client_t *c, unsigned i)
{
    char               key[32];
    size_t             len;
    unsigned           roll;
    stress_slot_t     *slot;
    stress_command_t  *cmd;

    static char  value[STRESS_VALUE + 32];

    slot = &c->slots[i];
    roll = stress_random(st, 10);

    if (roll < 3 || slot->n == STRESS_STATES) {
        stress_read_slot(c, i);
        return;
    }

    sprintf(key, "slot:%u:%u", c->number, i);
    slot->busy = 1;

    if (roll < 4) {
        (void) stress_add(c, STRESS_DELETE_SLOT, NULL, i);
        stress_send(c, 2, "DEL", key);
        return;
    }

    cmd = stress_add(c, STRESS_WRITE_SLOT, NULL, i);
    cmd->number = ++st->writes;

    len = stress_value(value, cmd->number);
    value[len] = '\0';

    if (roll < 9) {
        stress_send(c, 3, "SET", key, value);

    } else {
        stress_send(c, 5, "SET", key, value, "PX", "100000000");
    }
}


static void
stress_read_slot(stress_client_t *c, unsigned i)
{
    char  key[32];

    sprintf(key, "slot:%u:%u", c->number, i);
    c->slots[i].busy = 1;
    (void) stress_add(c, STRESS_READ_SLOT, NULL, i);
    stress_send(c, 2, "GET", key);
}


static stress_command_t *
stress_add(stress_client_t *c, stress_subject_e subject, stress_window_t *w,
    unsigned index)
{
    stress_command_t  *cmd;

    cmd = &c->commands[c->n++];
    cmd->subject = subject;
    cmd->window = w;
    cmd->index = index;
    cmd->number = 0;

    return cmd;
}


static void
stress_send(stress_client_t *c, unsigned args, ...)
{
    va_list      list;
    const char  *arg;

    c->last += sprintf(c->last, "*%u\r\n", args);

    va_start(list, args);

    while (args--) {
        arg = va_arg(list, const char *);
        c->last = stress_bulk(c->last, arg, strlen(arg));
    }

    va_end(list);
}


static char *
stress_bulk(char *p, const char *data, size_t len)
{
    p += sprintf(p, "$%zu\r\n", len);
    memcpy(p, data, len);
    memcpy(p + len, "\r\n", 2);

    return p + len + 2;
}


/* --- what comes back */


int
stress_judge(stress_t *st, stress_client_t *c, char **p, char *last,
    uint64_t now)
{
    int                rc;
    stress_reply_t     reply;
    stress_command_t  *cmd;

    cmd = &c->commands[c->got];

    rc = stress_parse(p, last, &reply);

    if (rc == 0) {
        return 0;
    }

    if (rc == -1) {
        return stress_wrong("not a reply: \"%.40s\"", *p);
    }

    if (reply.type == '-') {
        return stress_wrong("an error: \"%.*s\"", (int) reply.len, reply.data);
    }

    switch (cmd->subject) {

    case STRESS_ON_WINDOW:
        return stress_judge_window(st, c, cmd, &reply, p, last, now);

    case STRESS_ON_COUNTER:
        return stress_judge_counter(st, cmd, &reply);

    case STRESS_READ_COUNTER:
        return stress_judge_end(st, cmd, &reply);

    default:
        return stress_judge_slot(c, cmd, &reply);
    }
}


static int
stress_judge_window(stress_t *st, stress_client_t *c, stress_command_t *cmd,
    stress_reply_t *reply, char **p, char *last, uint64_t now)
{
    int               rc;
    stress_op_t      *op;
    stress_window_t  *w;

    w = cmd->window;
    op = &w->ops[cmd->index];

    if (w->pair && op->kind == STRESS_GET) {

        if (reply->type != '*' || reply->number != 2) {
            return stress_wrong("MGET is answered with \"%c\"", reply->type);
        }

        rc = stress_judge_pair(op, p, last);

    } else {
        rc = stress_window_result(op, reply);
    }

    if (rc != 1) {
        return rc;
    }

    op->call = c->call;
    op->end = now;
    w->outstanding--;

    return stress_window_done(st, w);
}


static int
stress_judge_pair(stress_op_t *op, char **p, char *last)
{
    int             i, rc;
    int64_t         values[2];
    stress_reply_t  reply;

    for (i = 0; i < 2; i++) {
        rc = stress_parse(p, last, &reply);

        if (rc != 1) {
            return rc;
        }

        values[i] = stress_integer(&reply);
    }

    if (values[0] != values[1]) {
        return stress_wrong("an MSET is seen half done: %lld and %lld",
                            (long long) values[0], (long long) values[1]);
    }

    op->result = values[0];

    return 1;
}


static int
stress_window_result(stress_op_t *op, stress_reply_t *reply)
{
    switch (op->kind) {

    case STRESS_GET:
    case STRESS_SET_GET:
    case STRESS_GETDEL:
        if (reply->type != '$') {
            break;
        }

        op->result = stress_integer(reply);
        return 1;

    case STRESS_SET:
        if (reply->type != '+') {
            break;
        }

        return 1;

    case STRESS_SET_NX:
    case STRESS_SET_XX:
        if (reply->type != '+' && !reply->nil) {
            break;
        }

        op->result = !reply->nil;
        return 1;

    default:
        if (reply->type != ':') {
            break;
        }

        op->result = reply->number;
        return 1;
    }

    return stress_wrong("%s is answered with \"%c\"", stress_kinds[op->kind],
                        reply->type);
}


/* After a reply, or the lack of one: takes another key, or checks this one. */

static int
stress_window_done(stress_t *st, stress_window_t *w)
{
    int                i;
    uint64_t           begin;
    stress_window_t  **link;
    stress_verdict_e   verdict;

    if (!w->full) {

        if (w->n < STRESS_WINDOW) {
            return 1;
        }

        for (i = 0; i < STRESS_HOT; i++) {
            if (st->hot[i] == w) {
                st->hot[i] = stress_window_new(st, w->pair);
                if (st->hot[i] == NULL) {
                    return stress_wrong("no memory");
                }
            }
        }

        w->full = 1;
        w->next = st->full;
        st->full = w;

        return 1;
    }

    if (w->outstanding || !w->read || w->ops[w->n - 1].maybe) {
        return 1;
    }

    begin = stress_now();
    verdict = stress_check(w->ops, w->n);
    st->judged += stress_now() - begin;

    if (verdict == STRESS_WRONG) {
        stress_print(w);
        return stress_wrong("what was seen of %s:%llu fits no order",
                            w->pair ? "pair" : "hot",
                            (unsigned long long) w->id);
    }

    st->windows++;
    st->unknown += verdict == STRESS_UNKNOWN;

    for (link = &st->full; *link != w; link = &(*link)->next) { /* void */ }

    *link = w->next;
    free(w);

    return 1;
}


static int
stress_judge_counter(stress_t *st, stress_command_t *cmd,
    stress_reply_t *reply)
{
    size_t             size;
    uint64_t           n;
    unsigned char     *seen;
    stress_counter_t  *counter;

    counter = &st->counters[cmd->index];
    n = reply->number;

    if (reply->type != ':') {
        return stress_wrong("INCR is answered with \"%c\"", reply->type);
    }

    if (n <= cmd->number) {
        return stress_wrong("counter %u gave %llu after %llu", cmd->index,
                            (unsigned long long) n,
                            (unsigned long long) cmd->number);
    }

    if (n > counter->sent) {
        return stress_wrong("counter %u gave %llu, but only %llu were sent",
                            cmd->index, (unsigned long long) n,
                            (unsigned long long) counter->sent);
    }

    if (n / 8 >= counter->size) {
        size = (n / 8 + 1) * 2 + 4096;

        seen = realloc(counter->seen, size);
        if (seen == NULL) {
            return stress_wrong("no memory");
        }

        memset(seen + counter->size, 0, size - counter->size);
        counter->seen = seen;
        counter->size = size;
    }

    if (counter->seen[n / 8] >> n % 8 & 1) {
        return stress_wrong("counter %u gave %llu twice", cmd->index,
                            (unsigned long long) n);
    }

    counter->seen[n / 8] |= 1 << n % 8;
    counter->acknowledged++;
    counter->outstanding--;

    if (n > counter->highest) {
        counter->highest = n;
    }

    return 1;
}


static int
stress_judge_end(stress_t *st, stress_command_t *cmd, stress_reply_t *reply)
{
    int64_t            n;
    stress_counter_t  *counter;

    counter = &st->counters[cmd->index];
    n = stress_integer(reply);

    if (n == STRESS_NIL) {
        n = 0;
    }

    if (n < (int64_t) counter->acknowledged || n < (int64_t) counter->highest
        || n > (int64_t) (counter->acknowledged + counter->lost))
    {
        return stress_wrong("counter %u holds %lld: %llu acknowledged, "
                            "%llu without a reply, the highest %llu",
                            cmd->index, (long long) n,
                            (unsigned long long) counter->acknowledged,
                            (unsigned long long) counter->lost,
                            (unsigned long long) counter->highest);
    }

    counter->outstanding--;
    counter->verified = 1;

    return 1;
}


static int
stress_judge_slot(stress_client_t *c, stress_command_t *cmd,
    stress_reply_t *reply)
{
    unsigned        i, seen;
    uint64_t        number;
    stress_slot_t  *slot;

    slot = &c->slots[cmd->index];
    slot->busy = 0;

    if (cmd->subject == STRESS_WRITE_SLOT) {
        slot->n = 1;
        slot->states[0] = cmd->number;

        return reply->type == '+'
               ? 1 : stress_wrong("SET is answered with \"%c\"", reply->type);
    }

    /* a slot that was never written has no states yet: it is not there */

    if (cmd->subject == STRESS_DELETE_SLOT) {

        if (reply->type != ':') {
            return stress_wrong("DEL is answered with \"%c\"", reply->type);
        }

        for (i = 0, seen = slot->n == 0 && reply->number == 0; i < slot->n;
             i++)
        {
            seen |= (slot->states[i] != 0) == (reply->number == 1);
        }

        slot->n = 0;

        return seen ? 1 : stress_wrong("DEL of slot:%u:%u is answered with "
                                       "%lld", c->number, cmd->index,
                                       (long long) reply->number);
    }

    if (reply->type != '$') {
        return stress_wrong("GET is answered with \"%c\"", reply->type);
    }

    number = stress_slot_number(c, cmd->index, reply);

    if (number == UINT64_MAX) {
        return -1;
    }

    for (i = 0, seen = slot->n == 0 && number == 0; i < slot->n; i++) {
        seen |= slot->states[i] == number;
    }

    if (!seen) {
        return stress_wrong("slot:%u:%u holds write %llu, not one of %u, "
                            "the first %llu", c->number, cmd->index,
                            (unsigned long long) number, slot->n,
                            (unsigned long long) (slot->n ? slot->states[0]
                                                          : 0));
    }

    slot->n = 1;
    slot->states[0] = number;
    slot->verified = 1;

    return 1;
}


/* Which write the value is from, each of its bytes compared. */

static uint64_t
stress_slot_number(stress_client_t *c, unsigned i, stress_reply_t *reply)
{
    size_t    len;
    uint64_t  number;

    static char  value[STRESS_VALUE + 32];

    if (reply->nil) {
        return 0;
    }

    number = strtoull(reply->data, NULL, 10);
    len = stress_value(value, number);

    if (len != reply->len || memcmp(value, reply->data, len) != 0) {
        stress_wrong("slot:%u:%u holds %zu bytes that nobody wrote: "
                     "\"%.40s\"", c->number, i, reply->len, reply->data);
        return UINT64_MAX;
    }

    return number;
}


int
stress_died(stress_t *st, stress_client_t *c, uint64_t now)
{
    stress_op_t       *op;
    stress_slot_t     *slot;
    stress_command_t  *cmd;

    for ( /* void */ ; c->got < c->n; c->got++) {
        cmd = &c->commands[c->got];
        slot = &c->slots[cmd->index];
        st->lost++;

        switch (cmd->subject) {

        case STRESS_ON_WINDOW:
            op = &cmd->window->ops[cmd->index];
            op->call = c->call;
            op->end = now;
            op->maybe = 1;
            cmd->window->outstanding--;

            if (cmd->window->n == STRESS_OPS && cmd->window->full) {
                return stress_wrong("a hot key could not be read any more");
            }

            if (stress_window_done(st, cmd->window) != 1) {
                return -1;
            }

            break;

        case STRESS_ON_COUNTER:
            st->counters[cmd->index].lost++;
            st->counters[cmd->index].outstanding--;
            break;

        case STRESS_READ_COUNTER:
            st->counters[cmd->index].outstanding--;
            break;

        case STRESS_WRITE_SLOT:
            stress_slot_may(slot, cmd->number);
            break;

        case STRESS_DELETE_SLOT:
            stress_slot_may(slot, 0);
            break;

        case STRESS_READ_SLOT:
            slot->busy = 0;
            break;
        }
    }

    return 1;
}


static void
stress_slot_may(stress_slot_t *slot, uint64_t number)
{
    if (slot->n == 0) {
        slot->n = 1;
        slot->states[0] = 0;
    }

    slot->busy = 0;
    slot->states[slot->n++] = number;
}


int
stress_verified(stress_t *st, stress_client_t *clients)
{
    unsigned  i, k;

    if (st->full) {
        return 0;
    }

    for (i = 0; i < STRESS_COUNTERS; i++) {
        if (!st->counters[i].verified) {
            return 0;
        }
    }

    for (i = 0; i < st->clients; i++) {
        if (clients[i].got < clients[i].n) {
            return 0;
        }

        for (k = 0; k < STRESS_SLOTS; k++) {
            if (!clients[i].slots[k].verified) {
                return 0;
            }
        }
    }

    return 1;
}


/* --- below: values and words */


/* A value follows from the number of its write: mostly short, a few long. */

static size_t
stress_value(char *p, uint64_t number)
{
    size_t    len, size;
    uint64_t  mix;

    mix = (number + 1) * 0x9e3779b97f4a7c15ull >> 20;

    len = sprintf(p, "%llu:", (unsigned long long) number);
    size = mix % 200 == 0 ? STRESS_VALUE : mix % 20 == 0 ? 3000 : 60;
    size = len + (mix >> 10) % (size - len);

    while (len < size) {
        p[len] = 'a' + (len + number) % 26;
        len++;
    }

    return len;
}


static int64_t
stress_integer(stress_reply_t *reply)
{
    return reply->nil ? STRESS_NIL : strtoll(reply->data, NULL, 10);
}


static int
stress_wrong(const char *fmt, ...)
{
    va_list  list;

    printf("stress: ");

    va_start(list, fmt);
    vprintf(fmt, list);
    va_end(list);

    printf("\n");

    return -1;
}


static void
stress_print(stress_window_t *w)
{
    char          arg[24], result[24];
    unsigned      i;
    stress_op_t  *op;

    for (i = 0; i < w->n; i++) {
        op = &w->ops[i];

        snprintf(arg, sizeof(arg), " %lld", (long long) op->arg);
        snprintf(result, sizeof(result), "%lld", (long long) op->result);

        printf("%3u: %llu to %llu, after %d: %s%s = %s\n", i,
               (unsigned long long) (op->call - w->ops[0].call) / 1000,
               (unsigned long long) (op->end - w->ops[0].call) / 1000,
               op->after, stress_kinds[op->kind],
               op->kind == STRESS_INCRBY || (op->kind >= STRESS_SET
                                             && op->kind <= STRESS_SET_GET)
               ? arg : "",
               op->maybe ? "unknown"
               : op->result == STRESS_NIL ? "nil" : result);
    }
}
