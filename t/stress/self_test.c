
/*
 * Copyright (C) The Olivine authors
 *
 * The checker is held against made-up histories of either kind, then, over
 * many small random ones, against trying all orders.
 */


#include "check.h"

#include <stdio.h>
#include <stdlib.h>


#define STRESS_SMALL   6             /* operations of a random history */
#define STRESS_ROUNDS  20000


/* A row: kind, argument, result, call, end, after, maybe. */

typedef struct {
    const char   *says;
    int           right;
    unsigned      n;
    stress_op_t   ops[5];
} stress_case_t;


static const stress_case_t  stress_cases[] = {

    { "a value is read after it was set", 1, 2, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_GET, 0, 1, 3, 4, -1, 0 } } },

    { "a read beside a set sees the value before", 1, 3, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_SET, 2, 0, 3, 6, -1, 0 },
        { STRESS_GET, 0, 1, 4, 5, -1, 0 } } },

    { "a stale read", 0, 3, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_SET, 2, 0, 3, 4, -1, 0 },
        { STRESS_GET, 0, 1, 5, 6, -1, 0 } } },

    { "a read goes back behind another one", 0, 4, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_SET, 2, 0, 3, 10, -1, 0 },
        { STRESS_GET, 0, 2, 4, 5, -1, 0 },
        { STRESS_GET, 0, 1, 6, 7, -1, 0 } } },

    { "a value that nobody set", 0, 2, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_GET, 0, 7, 3, 4, -1, 0 } } },

    { "a write was lost", 0, 2, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_GET, 0, STRESS_NIL, 3, 4, -1, 0 } } },

    { "two increments give one result", 0, 2, {
        { STRESS_INCRBY, 1, 1, 1, 4, -1, 0 },
        { STRESS_INCRBY, 1, 1, 2, 3, -1, 0 } } },

    { "two clients take one value", 0, 3, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_GETDEL, 0, 1, 3, 6, -1, 0 },
        { STRESS_GETDEL, 0, 1, 4, 5, -1, 0 } } },

    { "two clients find it free", 0, 2, {
        { STRESS_SET_NX, 1, 1, 1, 4, -1, 0 },
        { STRESS_SET_NX, 2, 1, 2, 3, -1, 0 } } },

    { "a deleted value comes back", 0, 4, {
        { STRESS_SET, 1, 0, 1, 2, -1, 0 },
        { STRESS_DEL, 0, 1, 3, 4, -1, 0 },
        { STRESS_EXISTS, 0, 0, 5, 6, -1, 0 },
        { STRESS_GET, 0, 1, 7, 8, -1, 0 } } },

    { "old values form a chain", 1, 4, {
        { STRESS_SET_GET, 1, STRESS_NIL, 1, 8, -1, 0 },
        { STRESS_SET_GET, 2, 3, 1, 8, -1, 0 },
        { STRESS_SET_GET, 3, 1, 1, 8, -1, 0 },
        { STRESS_GET, 0, 2, 9, 10, -1, 0 } } },

    { "old values form a ring", 0, 2, {
        { STRESS_SET_GET, 1, 2, 1, 8, -1, 0 },
        { STRESS_SET_GET, 2, 1, 1, 8, -1, 0 } } },

    { "what had no reply may have been done", 1, 2, {
        { STRESS_SET, 1, 0, 1, 2, -1, 1 },
        { STRESS_GET, 0, 1, 3, 4, -1, 0 } } },

    { "what had no reply may never have been done", 1, 2, {
        { STRESS_SET, 1, 0, 1, 2, -1, 1 },
        { STRESS_GET, 0, STRESS_NIL, 3, 4, -1, 0 } } },

    { "what had no reply is done after its server died", 0, 3, {
        { STRESS_SET, 1, 0, 1, 2, -1, 1 },
        { STRESS_GET, 0, STRESS_NIL, 3, 4, -1, 0 },
        { STRESS_GET, 0, 1, 5, 6, -1, 0 } } },

    { "what had no reply is done and undone", 0, 3, {
        { STRESS_SET, 1, 0, 1, 8, -1, 1 },
        { STRESS_GET, 0, 1, 2, 3, -1, 0 },
        { STRESS_GET, 0, STRESS_NIL, 4, 5, -1, 0 } } },

    { "a batch is done in its order", 1, 3, {
        { STRESS_SET, 1, 0, 1, 5, -1, 0 },
        { STRESS_SET, 2, 0, 1, 5, 0, 0 },
        { STRESS_GET, 0, 2, 6, 7, -1, 0 } } },

    { "a batch is done in another order", 0, 3, {
        { STRESS_SET, 1, 0, 1, 5, -1, 0 },
        { STRESS_SET, 2, 0, 1, 5, 0, 0 },
        { STRESS_GET, 0, 1, 6, 7, -1, 0 } } },

    { "the end of a batch is done without its beginning", 0, 3, {
        { STRESS_INCRBY, 10, 0, 1, 5, -1, 1 },
        { STRESS_INCRBY, 1, 0, 1, 5, 0, 1 },
        { STRESS_GET, 0, 1, 6, 7, -1, 0 } } },

    { "a read must not cut off what has to be done before it", 1, 3, {
        { STRESS_SET, 1, 0, 1, 3, -1, 1 },
        { STRESS_DEL, 0, 1, 1, 9, -1, 0 },
        { STRESS_GET, 0, STRESS_NIL, 4, 8, -1, 0 } } },
};


static int stress_cases_test(void);
static int stress_random_test(uint64_t seed);
static unsigned stress_random_history(stress_op_t *ops, uint64_t *random);
static int stress_any_order(const stress_op_t *ops, unsigned n, unsigned done,
    int64_t value, uint64_t begun);
static uint64_t stress_next(uint64_t *random, unsigned n);


int
stress_self_test(uint64_t seed)
{
    return stress_cases_test() && stress_random_test(seed);
}


static int
stress_cases_test(void)
{
    unsigned              i;
    const stress_case_t  *c;

    for (i = 0; i < sizeof(stress_cases) / sizeof(stress_case_t); i++) {
        c = &stress_cases[i];

        if (stress_check(c->ops, c->n) != (c->right ? STRESS_RIGHT
                                                    : STRESS_WRONG))
        {
            printf("self-test: taken for %s: %s\n",
                   c->right ? "wrong" : "right", c->says);
            return 0;
        }

    }

    return 1;
}


static int
stress_random_test(uint64_t seed)
{
    unsigned          i, n, right, wrong;
    uint64_t          random;
    stress_op_t       ops[STRESS_SMALL];
    stress_verdict_e  verdict;

    random = seed * 2 + 1;
    right = 0;
    wrong = 0;

    for (i = 0; i < STRESS_ROUNDS; i++) {
        n = stress_random_history(ops, &random);
        verdict = stress_check(ops, n);

        if (verdict != (stress_any_order(ops, n, 0, STRESS_NIL, 0)
                        ? STRESS_RIGHT : STRESS_WRONG))
        {
            printf("self-test: history %u of seed %llu is taken for %s\n", i,
                   (unsigned long long) seed,
                   verdict == STRESS_RIGHT ? "right" : "wrong");
            return 0;
        }

        if (verdict == STRESS_RIGHT) {
            right++;

        } else {
            wrong++;
        }
    }

    /* a test of one kind only would be none */

    if (right < STRESS_ROUNDS / 20 || wrong < STRESS_ROUNDS / 20) {
        printf("self-test: %u right, %u wrong\n", right, wrong);
        return 0;
    }

    return 1;
}


static unsigned
stress_random_history(stress_op_t *ops, uint64_t *random)
{
    unsigned      i, n;
    stress_op_t  *op;

    n = 2 + stress_next(random, STRESS_SMALL - 1);

    for (i = 0; i < n; i++) {
        op = &ops[i];
        op->kind = stress_next(random, STRESS_INCRBY + 1);
        op->arg = 1 + stress_next(random, 2);
        op->call = stress_next(random, 12);
        op->end = op->call + stress_next(random, 8);
        op->maybe = stress_next(random, 4) == 0;
        op->after = -1;

        if (i > 0 && stress_next(random, 4) == 0) {
            op->after = i - 1;
            op->call = ops[i - 1].call;
            op->maybe |= ops[i - 1].maybe;

            if (op->end < ops[i - 1].end) {
                op->end = ops[i - 1].end;
            }
        }

        switch (op->kind) {

        case STRESS_EXISTS:
        case STRESS_SET_NX:
        case STRESS_SET_XX:
        case STRESS_DEL:
            op->result = stress_next(random, 2);
            break;

        default:
            op->result = 1 + stress_next(random, 3);
            op->result = op->result == 3 ? STRESS_NIL : op->result;
        }
    }

    return n;
}


/* The definition, word for word. */

static int
stress_any_order(const stress_op_t *ops, unsigned n, unsigned done,
    int64_t value, uint64_t begun)
{
    int64_t   next;
    unsigned  i, k, left;

    left = 0;

    for (i = 0; i < n; i++) {
        left += !(done >> i & 1) && !ops[i].maybe;
    }

    if (left == 0) {
        return 1;
    }

    for (i = 0; i < n; i++) {

        if (done >> i & 1 || ops[i].end < begun
            || (ops[i].after >= 0 && !(done >> ops[i].after & 1))
            || !stress_apply(&ops[i], value, &next))
        {
            continue;
        }

        /* nobody that was over before it began is still to come */

        for (k = 0; k < n; k++) {
            if (!(done >> k & 1) && !ops[k].maybe && k != i
                && ops[k].end < ops[i].call)
            {
                break;
            }
        }

        if (k == n
            && stress_any_order(ops, n, done | 1u << i, next,
                                ops[i].call > begun ? ops[i].call : begun))
        {
            return 1;
        }
    }

    return 0;
}


static uint64_t
stress_next(uint64_t *random, unsigned n)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;

    return (*random * 0x2545f4914f6cdd1dull >> 32) * n >> 32;
}
