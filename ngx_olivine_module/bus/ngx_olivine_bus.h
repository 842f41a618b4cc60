
/*
 * Copyright (C) The Olivine authors
 *
 * The bus: what workers know of each other's clients, and ask of them.
 *
 * A client is a row of the zone.  Its owner stores numbers there as it goes,
 * each a single store that is not journalled; texts change in transactions.
 * Others read it under the rows' lock, and leave orders: bits that the owner
 * looks for when its doorbell rings with HINT_CLIENTS, and at the beginning
 * of the client's turns.  The bits are the truth and the ring only a hint, so
 * a ring that is lost or comes twice does no harm.
 */


#ifndef _NGX_OLIVINE_BUS_H_INCLUDED_
#define _NGX_OLIVINE_BUS_H_INCLUDED_


#include "mem/ngx_olivine_journal.h"


/* the longest name, library's name or version that a client may give */
#define NGX_OLIVINE_BUS_TEXT       1024

/* bytes of texts in the row itself; more go to rows of their own */
#define NGX_OLIVINE_BUS_INLINE     96

#define NGX_OLIVINE_BUS_COMMAND    30

/* flags of a row, its owner's */
#define NGX_OLIVINE_BUS_RESP3      0x0001
#define NGX_OLIVINE_BUS_UNIX       0x0002
#define NGX_OLIVINE_BUS_NO_EVICT   0x0004
#define NGX_OLIVINE_BUS_NO_TOUCH   0x0008
#define NGX_OLIVINE_BUS_BLOCKED    0x0010
#define NGX_OLIVINE_BUS_CLOSING    0x0020    /* after the reply */
#define NGX_OLIVINE_BUS_DIRTY      0x0040    /* a watched key was changed */
#define NGX_OLIVINE_BUS_MONITOR    0x0080

/* orders, bits set by others */
#define NGX_OLIVINE_BUS_KILL       0x0001


typedef enum {
    NGX_OLIVINE_BUS_ADDR = 0,
    NGX_OLIVINE_BUS_LADDR,
    NGX_OLIVINE_BUS_NAME,
    NGX_OLIVINE_BUS_LIB_NAME,
    NGX_OLIVINE_BUS_LIB_VER,
    NGX_OLIVINE_BUS_TEXTS
} ngx_olivine_bus_text_e;


typedef struct {
    uint32_t         owner;
    uint32_t         more;           /* the row its texts go on in */

    uint64_t         id;
    int64_t          created;        /* milliseconds */
    int64_t          seen;           /* begin of the last turn */
    uint64_t         commands;
    uint64_t         bytes_in;
    uint64_t         bytes_out;

    uint32_t         orders;
    uint32_t         flags;
    uint32_t         db;
    int32_t          fd;
    int32_t          multi;          /* commands queued; -1: no MULTI */
    uint32_t         watch;          /* keys */

    /* bytes, as of the last turn; more than fits is cut to what does */
    uint32_t         input;
    uint32_t         input_free;
    uint32_t         args;
    uint32_t         multi_mem;
    uint32_t         output;         /* in the first block */
    uint32_t         blocks;         /* behind it, and their bytes */
    uint32_t         output_mem;
    uint32_t         memory;

    /* the last command's name; seq is odd while it is written */
    uint8_t          seq;
    uint8_t          command_len;
    u_char           command[NGX_OLIVINE_BUS_COMMAND];

    uint16_t         len[NGX_OLIVINE_BUS_TEXTS];
    uint16_t         spare;
    uint32_t         peak;           /* most bytes of replies at the end of a
                                        turn, since it paused for a second */
    u_char           text[NGX_OLIVINE_BUS_INLINE];
} ngx_olivine_bus_row_t;


/* A copy of a row with its texts. */
typedef struct {
    ngx_olivine_bus_row_t  row;
    ngx_str_t              texts[NGX_OLIVINE_BUS_TEXTS];
    u_char                 bytes[NGX_OLIVINE_BUS_TEXTS * NGX_OLIVINE_BUS_TEXT];
} ngx_olivine_bus_client_t;


/*
 * A transaction of its own: a row for a new client.  OK; DECLINED: there is
 * no room for more clients; ERROR: no memory.
 */
ngx_int_t ngx_olivine_bus_open(ngx_olivine_tx_t *tx, ngx_str_t *addr,
    ngx_str_t *laddr, ngx_olivine_bus_row_t **row);

/* A transaction of its own: gives the row back. */
void ngx_olivine_bus_close(ngx_olivine_tx_t *tx, ngx_olivine_bus_row_t *row);

/* A row in private memory, for those who are no clients. */
void ngx_olivine_bus_none(ngx_olivine_bus_row_t *row);

/*
 * In a transaction: gives the caller's row a text of at most
 * NGX_OLIVINE_BUS_TEXT bytes.  OK, AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_bus_set(ngx_olivine_tx_t *tx, ngx_olivine_bus_row_t *row,
    ngx_olivine_bus_text_e which, ngx_str_t *text);

/* The owner's: one of its row's texts; buf holds NGX_OLIVINE_BUS_TEXT. */
void ngx_olivine_bus_get(ngx_olivine_zone_t *zone, ngx_olivine_bus_row_t *row,
    ngx_olivine_bus_text_e which, ngx_str_t *text, u_char *buf);

/* The owner's: the name of the last command. */
void ngx_olivine_bus_command(ngx_olivine_bus_row_t *row,
    const ngx_str_t *name);

/*
 * Copies row n, for a moment under the rows' lock.  OK, or DECLINED if there
 * is no client, or one that is being closed or whose worker is dead.
 */
ngx_int_t ngx_olivine_bus_read(ngx_olivine_tx_t *tx, uint32_t n,
    ngx_olivine_bus_client_t *client);

/*
 * Leaves orders for the client id in row n; the caller rings all workers with
 * HINT_CLIENTS afterwards.  OK, or DECLINED if it is no longer there.
 */
ngx_int_t ngx_olivine_bus_order(ngx_olivine_tx_t *tx, uint32_t n, uint64_t id,
    uint32_t orders);

/* What is larger than the row's number is cut. */
#define ngx_olivine_bus_size(n)                                               \
    ((uint32_t) ngx_min((uint64_t) (n), NGX_MAX_UINT32_VALUE))


/*
 * CLIENT PAUSE: one word of the zone, 0 or until when (milliseconds) and
 * what.  Commands look at it before anything else they wait for.
 */
typedef enum {
    NGX_OLIVINE_PAUSE_NONE = 0,
    NGX_OLIVINE_PAUSE_WRITE,
    NGX_OLIVINE_PAUSE_ALL
} ngx_olivine_pause_e;

#define NGX_OLIVINE_PAUSE_MAX   (INT64_MAX / 8)

/* As Redis: what was paused and is not over is neither eased nor shortened. */
void ngx_olivine_pause_begin(ngx_olivine_zone_t *zone,
    ngx_olivine_pause_e what, int64_t until, int64_t now);
void ngx_olivine_pause_end(ngx_olivine_zone_t *zone);

/* What is paused now, and until when (may be NULL). */
ngx_olivine_pause_e ngx_olivine_pause_look(ngx_olivine_zone_t *zone,
    int64_t now, int64_t *until);

#define ngx_olivine_pause(zone, now)                                          \
    (ngx_olivine_likely((zone)->pause == 0)                                   \
     ? NGX_OLIVINE_PAUSE_NONE                                                 \
     : ngx_olivine_pause_look(zone, now, NULL))


#endif /* _NGX_OLIVINE_BUS_H_INCLUDED_ */
