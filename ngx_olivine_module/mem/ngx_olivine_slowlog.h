
/*
 * Copyright (C) The Olivine authors
 *
 * The command log: commands of all workers that took long, that were asked
 * for with many bytes, that were answered with many.
 *
 * For each of the three a ring of bytes in the zone.  An entry is written
 * behind the newest one and then published by the store of one word, which
 * holds both the place behind it and the id of the next; the oldest give way
 * by the store of such a word, too.  So a worker may die at any instruction,
 * and an entry is there whole or not at all.  Ids go on through a reset.
 */


#ifndef _NGX_OLIVINE_SLOWLOG_H_INCLUDED_
#define _NGX_OLIVINE_SLOWLOG_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* as in Redis: arguments of an entry, and bytes of one of them */
#define NGX_OLIVINE_SLOWLOG_ARGS    32
#define NGX_OLIVINE_SLOWLOG_ARG     128

/* what is remarkable about a command */
typedef enum {
    NGX_OLIVINE_SLOWLOG_SLOW = 0,
    NGX_OLIVINE_SLOWLOG_REQUEST,
    NGX_OLIVINE_SLOWLOG_REPLY,
    NGX_OLIVINE_SLOWLOGS
} ngx_olivine_slowlog_e;


/* bytes of a client's address, and of its name */
#define NGX_OLIVINE_SLOWLOG_PEER    128

/* the ring: a part of the zone, between these */
#define NGX_OLIVINE_SLOWLOG_MIN     (128 * 1024)
#define NGX_OLIVINE_SLOWLOG_MAX     (1024 * 1024)
#define NGX_OLIVINE_SLOWLOG_PART    64


/* a place in the ring (24 bits), and an id */
typedef uint64_t  ngx_olivine_slowlog_place_t;


typedef struct {
    ngx_olivine_slowlog_place_t  first;
    ngx_olivine_slowlog_place_t  end;
    uint32_t                     size;        /* of the ring, bytes */
    uint32_t                     backed;      /* of it */
} ngx_olivine_slowlog_t;


/*
 * An entry: addr, name, then argc times a length (32 bits) and bytes.  An
 * entry of no arguments only fills the ring's end.
 */
typedef struct {
    uint32_t                     size;        /* whole, a multiple of 8 */
    uint16_t                     argc;
    uint16_t                     addr;        /* lengths */
    uint16_t                     name;
    uint64_t                     id;
    int64_t                      time;        /* seconds */
    uint64_t                     value;       /* microseconds, or bytes */
    u_char                       data[];
} ngx_olivine_slowlog_entry_t;


/* What is to be noted; arguments are trimmed by the caller. */
typedef struct {
    int64_t                      time;
    uint64_t                     value;
    ngx_str_t                    addr;
    ngx_str_t                    name;
    ngx_uint_t                   argc;
    ngx_str_t                    argv[NGX_OLIVINE_SLOWLOG_ARGS];
} ngx_olivine_slow_t;


/* Adds an entry; at most max are kept.  System calls while the ring is new. */
void ngx_olivine_slowlog_add(ngx_olivine_tx_t *tx,
    ngx_olivine_slowlog_e which, ngx_olivine_slow_t *slow, ngx_uint_t max);

/* Entries there are. */
ngx_uint_t ngx_olivine_slowlog_len(ngx_olivine_tx_t *tx,
    ngx_olivine_slowlog_e which);

/*
 * Copies the newest n entries, the newest of them first, each as it lies in
 * the ring, to memory that is to be freed.  Their number in n.  OK or ERROR.
 */
ngx_int_t ngx_olivine_slowlog_get(ngx_olivine_tx_t *tx,
    ngx_olivine_slowlog_e which, ngx_uint_t *n, u_char **memory,
    u_char **entries);

void ngx_olivine_slowlog_reset(ngx_olivine_tx_t *tx,
    ngx_olivine_slowlog_e which);


#endif /* _NGX_OLIVINE_SLOWLOG_H_INCLUDED_ */
