
/*
 * Copyright (C) The Olivine authors
 *
 * The meter: counts a worker's commands and times them.
 *
 * The clock is read between commands, the end of one being the start of the
 * next.  Even that would be a tenth of a GET in a long pipeline.  So a command
 * that was fast is timed together with the next ones of its name in the batch,
 * eight at most, and each is given its part; where the eight take much longer
 * than they should, the one that did is given what is too much.  A command
 * that is not fast, and any while the slow log or the latency monitor ask for
 * less than a millisecond, is timed by itself.
 *
 * The time that a command waits, parked, is not its own.
 *
 * What is logged of commands with large requests and replies: a command's
 * bytes as they came, and those of its own reply, also in a transaction.
 */


#ifndef _NGX_OLIVINE_METER_H_INCLUDED_
#define _NGX_OLIVINE_METER_H_INCLUDED_


#include "base/ngx_olivine_clock.h"
#include "mem/ngx_olivine_journal.h"
#include "resp/ngx_olivine_resp_parse.h"


typedef struct {
    const ngx_olivine_command_t   *command;
    ngx_uint_t                     number;
} ngx_olivine_meter_known_t;


typedef struct {
    uint64_t                       start;     /* counts of the clock */
    const ngx_olivine_command_t   *command;   /* of those not yet noted */
    ngx_uint_t                     n;
    ngx_uint_t                     max;       /* to be timed together */
    ngx_olivine_arg_t             *argv;      /* the last one's */
    ngx_uint_t                     argc;
    uint64_t                       redacted;  /* arguments not to be logged */

    unsigned                       batch:1;   /* more commands follow */
    unsigned                       fine:1;    /* each is timed by itself */
    unsigned                       tracks:1;  /* histograms are kept */
    unsigned                       hot:1;     /* HOTKEYS wants to know */

    uint64_t                       pace;      /* ns, of those noted last */
    uint64_t                       slow;      /* ns that are too much */
    uint64_t                       request;   /* bytes that are too many */
    uint64_t                       reply;
    uint64_t                       spent;     /* ns to add: DEBUG SLEEP's */
    uint64_t                       bytes;     /* of the reply, if hot */
    uint64_t                       dice;      /* of HOTKEYS's samples */

    ngx_olivine_meter_known_t     *known;     /* commands by their address */
} ngx_olivine_meter_t;


/* A command of a transaction, from its run until that is committed. */
typedef struct {
    uint64_t                       ns;
    uint64_t                       reply;     /* its bytes */
    uint32_t                       db;        /* when it was done */
    uint32_t                       redacted;
    uint16_t                       errors;
    uint16_t                       error;     /* number of its code */
} ngx_olivine_meter_nested_t;


ngx_int_t ngx_olivine_meter_init(ngx_olivine_meter_t *meter);
void ngx_olivine_meter_free(ngx_olivine_meter_t *meter);

/* Takes over parameters that changed. */
void ngx_olivine_meter_params(ngx_olivine_meter_t *meter,
    ngx_olivine_params_t *params);

/* Several commands are to be run, one after the other; they were. */
void ngx_olivine_meter_open(ngx_olivine_cx_t *cx);
void ngx_olivine_meter_close(ngx_olivine_cx_t *cx);

/* Notes what is not noted yet. */
void ngx_olivine_meter_flush(ngx_olivine_cx_t *cx);

/* A command was refused, or failed; its errors are in the reply. */
void ngx_olivine_meter_rejected(ngx_olivine_cx_t *cx);
void ngx_olivine_meter_failed(ngx_olivine_cx_t *cx);

/* The number of the command that runs (data is the cx), or ERROR. */
ngx_int_t ngx_olivine_meter_command(void *data);

/* ... of that command; ERROR if there are too many. */
ngx_int_t ngx_olivine_meter_number(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command);

/*
 * A command was called whose request (cx->tell) or reply may be too large;
 * before its end is metered.
 */
void ngx_olivine_meter_large(ngx_olivine_cx_t *cx, uint64_t reply);

/* Counts errors that the reply has got, outside of a command. */
void ngx_olivine_meter_errors(ngx_olivine_tx_t *tx,
    ngx_olivine_reply_t *reply);


/*
 * A command of a transaction was run, beginning at the count; and the
 * transaction is committed.  Nothing is counted before, as it may be undone
 * and run again.
 */
void ngx_olivine_meter_nested(ngx_olivine_cx_t *cx,
    ngx_olivine_meter_nested_t *nested, uint64_t start, uint64_t reply);
void ngx_olivine_meter_note_nested(ngx_olivine_cx_t *cx,
    ngx_olivine_meter_nested_t *nested, const ngx_olivine_command_t *command,
    ngx_olivine_arg_t *argv, ngx_uint_t argc);


/* Before a command. */
#define ngx_olivine_meter_begin(cx)                                           \
    if (ngx_olivine_unlikely((cx)->meter.n                                    \
                             && (cx)->command != (cx)->meter.command))        \
    {                                                                         \
        ngx_olivine_meter_flush(cx);                                          \
        (cx)->meter.max = 1;                                                  \
    }                                                                         \
                                                                              \
    if (ngx_olivine_unlikely(!(cx)->meter.batch)) {                           \
        (cx)->meter.start = ngx_olivine_clock_counts();                       \
    }

/* After one that was called; cx->command is known. */
#define ngx_olivine_meter_end(cx)                                             \
    (cx)->meter.command = (cx)->command;                                      \
    (cx)->meter.argv = (cx)->argv;                                            \
    (cx)->meter.argc = (cx)->argc;                                            \
                                                                              \
    if (++(cx)->meter.n >= (cx)->meter.max) {                                 \
        ngx_olivine_meter_flush(cx);                                          \
    }


#endif /* _NGX_OLIVINE_METER_H_INCLUDED_ */
