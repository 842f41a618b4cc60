
/*
 * Copyright (C) The Olivine authors
 *
 * Whether what several clients saw of one register can be explained by one
 * order of their operations that fits their times (linearizability).
 */


#ifndef _STRESS_CHECK_H_INCLUDED_
#define _STRESS_CHECK_H_INCLUDED_


#include <stdint.h>


#define STRESS_OPS  256              /* of a history, at most */
#define STRESS_NIL  INT64_MIN        /* the register is not there */


typedef enum {
    STRESS_GET = 0,                  /* result: the value */
    STRESS_EXISTS,                   /* 0, 1 */
    STRESS_SET,                      /* any */
    STRESS_SET_NX,                   /* 1: was set */
    STRESS_SET_XX,                   /* 1: was set */
    STRESS_SET_GET,                  /* the value before */
    STRESS_GETDEL,                   /* the value before */
    STRESS_DEL,                      /* 0, 1 */
    STRESS_INCRBY                    /* the value after; nil counts as 0 */
} stress_kind_e;


typedef struct {
    stress_kind_e  kind;
    int64_t        arg;              /* of a SET, an INCRBY */
    int64_t        result;
    uint64_t       call;             /* it began not before, */
    uint64_t       end;              /* and was over by then */
    int            after;            /* the operation that the same client
                                        sent before it in one batch, or -1 */
    unsigned       maybe:1;          /* no reply came: it happened before its
                                        end, or never */
} stress_op_t;


typedef enum {
    STRESS_WRONG = 0,                /* no order explains it */
    STRESS_RIGHT,
    STRESS_UNKNOWN                   /* too many orders to try */
} stress_verdict_e;


/* The register is STRESS_NIL before the first; the order of ops is free. */
stress_verdict_e stress_check(const stress_op_t *ops, unsigned n);

/* What op does to the register; 0: its result does not fit the value. */
int stress_apply(const stress_op_t *op, int64_t value, int64_t *next);

/* 0: the checker takes good for bad or bad for good; says which. */
int stress_self_test(uint64_t seed);


#endif /* _STRESS_CHECK_H_INCLUDED_ */
