
/*
 * Copyright (C) The Olivine authors
 *
 * What the parts of the stress test share: stress.c moves bytes, commands.c
 * chooses commands and judges replies, check.c judges histories.
 */


#ifndef _STRESS_STRESS_H_INCLUDED_
#define _STRESS_STRESS_H_INCLUDED_


#include "check.h"

#include <stddef.h>


#define STRESS_WINDOW    200         /* operations on one hot key */
#define STRESS_AT_ONCE   12          /* of them under way: orders explode */
#define STRESS_HOT       4           /* hot keys at a time */
#define STRESS_COUNTERS  4
#define STRESS_SLOTS     400         /* keys that only one client writes */
#define STRESS_STATES    8           /* in which such a key may be */
#define STRESS_BATCH     16          /* commands, at most */
#define STRESS_VALUE     100000      /* bytes, at most */


/* A hot key: its operations so far.  A pair is two keys written together. */

typedef struct stress_window_s  stress_window_t;

struct stress_window_s {
    stress_window_t    *next;
    uint64_t            id;
    unsigned            n;
    unsigned            outstanding;
    unsigned            pair:1;
    unsigned            full:1;      /* to be read once more, then checked */
    unsigned            read:1;      /* that is under way */
    stress_op_t         ops[STRESS_OPS];
};


typedef struct {
    uint64_t            sent;
    uint64_t            acknowledged;
    uint64_t            lost;        /* without a reply */
    uint64_t            highest;
    unsigned            outstanding;
    unsigned            verified:1;
    unsigned char      *seen;        /* a bit for each value */
    size_t              size;
} stress_counter_t;


/* The numbers of the writes that it may hold; 0: it is not there. */

typedef struct {
    unsigned            n;
    unsigned            busy:1;
    unsigned            verified:1;
    uint64_t            states[STRESS_STATES];
} stress_slot_t;


typedef enum {
    STRESS_ON_WINDOW = 0,
    STRESS_ON_COUNTER,
    STRESS_READ_COUNTER,
    STRESS_WRITE_SLOT,
    STRESS_DELETE_SLOT,
    STRESS_READ_SLOT
} stress_subject_e;


typedef struct {
    stress_subject_e    subject;
    stress_window_t    *window;
    unsigned            index;       /* operation, counter or slot */
    uint64_t            number;      /* of a write; least result of an INCR */
} stress_command_t;


typedef struct {
    int                 fd;          /* -1: not connected */
    unsigned            number;
    uint64_t            call;        /* when the batch was sent */
    uint64_t            judged;      /* by then */
    unsigned            n;           /* commands in it */
    unsigned            got;         /* replies to it */
    unsigned            writing:1;

    stress_command_t    commands[STRESS_BATCH];
    stress_slot_t       slots[STRESS_SLOTS];

    char               *out;
    char               *pos;
    char               *last;

    char               *in;
    size_t              in_len;
} stress_client_t;


typedef struct {
    /* options */
    int                 port;
    unsigned            seconds;
    unsigned            clients;
    unsigned            depth;
    uint64_t            seed;

    uint64_t            random;
    uint64_t            ids;         /* of windows */
    uint64_t            writes;
    unsigned            ending:1;    /* only what verifies is sent */

    stress_window_t    *hot[STRESS_HOT];
    stress_window_t    *full;        /* a list */
    stress_counter_t    counters[STRESS_COUNTERS];

    /* told at the end */
    uint64_t            replies;
    uint64_t            lost;
    uint64_t            windows;
    uint64_t            unknown;
    uint64_t            reconnects;
    uint64_t            longest;
    uint64_t            judged;      /* time that histories took, ns */
} stress_t;


/* A reply as it lies in the buffer. */

typedef struct {
    char                type;
    int64_t             number;      /* of ":", elements of "*" */
    char               *data;        /* of "+", "-", "$" */
    size_t              len;
    unsigned            nil:1;
} stress_reply_t;


/* Parts of one run, in stress.c */

uint64_t stress_random(stress_t *st, unsigned n);
uint64_t stress_now(void);

/* The first reply of a buffer: 1 it is there, 0 not yet, -1 it is none. */
int stress_parse(char **p, char *last, stress_reply_t *reply);


/* Commands, in commands.c */

int stress_commands_init(stress_t *st);

/* Fills the client's next batch; nothing to be done: c->n is 0. */
void stress_choose(stress_t *st, stress_client_t *c);

/* The reply to c->commands[c->got] is at *p: 1 good, 0 not all here, -1. */
int stress_judge(stress_t *st, stress_client_t *c, char **p, char *last,
    uint64_t now);

/* Its server died: what had no reply may have been done, or not.  1, -1. */
int stress_died(stress_t *st, stress_client_t *c, uint64_t now);

/* 1: all that was written has been read again. */
int stress_verified(stress_t *st, stress_client_t *clients);


#endif /* _STRESS_STRESS_H_INCLUDED_ */
