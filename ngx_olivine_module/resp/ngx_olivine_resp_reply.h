/*
 * Copyright (C) The Olivine authors
 *
 * Replies in RESP2 or RESP3, whichever the client speaks.
 *
 * A reply is a list of segments: blocks that replies are copied into, and
 * pieces of memory owned elsewhere, sent from where they lie (a big value in
 * the zone), each with a pin that is released when the piece has been sent
 * or undone.  Blocks come from a pool of the worker and return to it as they
 * are sent: an idle reply owns nothing.
 *
 * All writers return OK, or ERROR if memory ran out; "failed" then stays set,
 * so a handler may test only its last call.  What a command wrote is undone
 * by going back to a mark, which also takes back a failure since then.
 */


#ifndef _NGX_OLIVINE_RESP_REPLY_H_INCLUDED_
#define _NGX_OLIVINE_RESP_REPLY_H_INCLUDED_


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_number.h"


#define NGX_OLIVINE_REPLY_BLOCK    16384

/* the longest header: a type, a number, CRLF */
#define NGX_OLIVINE_REPLY_HEADER   (1 + NGX_OLIVINE_I64_LEN + 2)

/* the longest error text made from a format; more is cut */
#define NGX_OLIVINE_REPLY_ERROR    1024

/* an error's code is shorter; without one it is ERR */
#define NGX_OLIVINE_REPLY_CODE     32


typedef struct ngx_olivine_reply_segment_s  ngx_olivine_reply_segment_t;

typedef void (*ngx_olivine_reply_release_pt)(void *data, void *pin);


struct ngx_olivine_reply_segment_s {
    ngx_olivine_reply_segment_t   *next;

    /* what is still to be sent; "last" of the current block is reply->pos */
    u_char                        *pos;
    u_char                        *last;
    u_char                        *end;

    /* of a piece of memory owned elsewhere; may be NULL */
    void                          *pin;

    unsigned                       ref:1;
    unsigned                       big:1;
};


/* one per worker; all zero but "max", the blocks to keep when idle */
typedef struct {
    ngx_olivine_reply_segment_t   *free;
    ngx_uint_t                     nfree;
    ngx_uint_t                     max;

    /* bytes of all blocks that replies own */
    size_t                         used;
} ngx_olivine_reply_pool_t;


struct ngx_olivine_reply_s {
    /* room in the current block; both NULL if there is none */
    u_char                        *pos;
    u_char                        *end;

    ngx_olivine_reply_segment_t   *first;
    ngx_olivine_reply_segment_t   *last;

    /* bytes in the segments before the current block */
    size_t                         sealed;

    ngx_olivine_reply_pool_t      *pool;
    ngx_olivine_reply_release_pt   release;
    void                          *data;

    unsigned                       resp3:1;
    unsigned                       failed:1;

    /*
     * error replies written since whoever counts them took it back to 0, and
     * the code of the last one: what stands before its first blank
     */
    ngx_uint_t                     errors;
    size_t                         code_len;
    u_char                         code[NGX_OLIVINE_REPLY_CODE];
};


typedef struct {
    ngx_olivine_reply_segment_t   *segment;
    u_char                        *pos;
    size_t                         sealed;
    ngx_uint_t                     failed;
    ngx_uint_t                     errors;
} ngx_olivine_reply_mark_t;


/* errors without arguments; their texts are Redis 8's */
typedef enum {
    NGX_OLIVINE_ERR_SYNTAX = 0,
    NGX_OLIVINE_ERR_WRONGTYPE,
    NGX_OLIVINE_ERR_NOT_INTEGER,
    NGX_OLIVINE_ERR_NOT_FLOAT,
    NGX_OLIVINE_ERR_VALUE_RANGE,
    NGX_OLIVINE_ERR_NOT_POSITIVE,
    NGX_OLIVINE_ERR_OVERFLOW,
    NGX_OLIVINE_ERR_NAN_OR_INF,
    NGX_OLIVINE_ERR_NO_SUCH_KEY,
    NGX_OLIVINE_ERR_SAME_OBJECT,
    NGX_OLIVINE_ERR_INDEX_RANGE,
    NGX_OLIVINE_ERR_OFFSET_RANGE,
    NGX_OLIVINE_ERR_STRING_TOO_LONG,
    NGX_OLIVINE_ERR_INVALID_CURSOR,
    NGX_OLIVINE_ERR_DB_RANGE,
    NGX_OLIVINE_ERR_OOM,
    NGX_OLIVINE_ERR_LOADING,
    NGX_OLIVINE_ERR_BUSY_SCRIPT,
    NGX_OLIVINE_ERR_BUSYKEY,
    NGX_OLIVINE_ERR_READONLY,
    NGX_OLIVINE_ERR_MISCONF_RDB,
    NGX_OLIVINE_ERR_EXECABORT,
    NGX_OLIVINE_ERR_EXECABORT_OOM,
    NGX_OLIVINE_ERR_EXEC_ALONE,
    NGX_OLIVINE_ERR_DISCARD_ALONE,
    NGX_OLIVINE_ERR_MULTI_NESTED,
    NGX_OLIVINE_ERR_WATCH_IN_MULTI,
    NGX_OLIVINE_ERR_NO_MULTI,
    NGX_OLIVINE_ERR_NOAUTH,
    NGX_OLIVINE_ERR_NOAUTH_HELLO,
    NGX_OLIVINE_ERR_NOPERM_KEY,
    NGX_OLIVINE_ERR_WRONGPASS,
    NGX_OLIVINE_ERR_NO_PASSWORD_SET,
    NGX_OLIVINE_ERR_NOPROTO,
    NGX_OLIVINE_ERR_PROTO_NOT_INTEGER,
    NGX_OLIVINE_ERR_CLIENT_NAME,
    NGX_OLIVINE_ERR_MAXCLIENTS,
    NGX_OLIVINE_ERR_INVALID_COMMAND,
    NGX_OLIVINE_ERR_NO_KEY_ARGUMENTS,
    NGX_OLIVINE_ERR_INVALID_ARGUMENTS,
    NGX_OLIVINE_ERR_NOT_PERMITTED,
    NGX_OLIVINE_ERR_NO_CONFIG_FILE,
    NGX_OLIVINE_ERR_NO_REPLICAS,
    NGX_OLIVINE_ERR_EXECABORT_REPLICAS,
    NGX_OLIVINE_ERRORS
} ngx_olivine_error_e;


/* an error of the table, whole: "-ERR syntax error" CRLF */
extern const ngx_str_t  ngx_olivine_reply_errors[NGX_OLIVINE_ERRORS];


/* "release" is called with "data" and each pin; may be NULL without pins */
void ngx_olivine_reply_init(ngx_olivine_reply_t *r,
    ngx_olivine_reply_pool_t *pool, ngx_olivine_reply_release_pt release,
    void *data);

/* gives back everything; the reply is empty and may be used again */
void ngx_olivine_reply_free(ngx_olivine_reply_t *r);

/* gives the pool's idle blocks back to the system */
void ngx_olivine_reply_pool_free(ngx_olivine_reply_pool_t *pool);

/* undoes what was written since ngx_olivine_reply_mark() */
void ngx_olivine_reply_rewind(ngx_olivine_reply_t *r,
    ngx_olivine_reply_mark_t *mark);

/* moves all that "from" holds, of the same pool, behind what r holds */
void ngx_olivine_reply_join(ngx_olivine_reply_t *r,
    ngx_olivine_reply_t *from);

/* up to n pieces still to be sent; returns their number */
ngx_uint_t ngx_olivine_reply_iovecs(ngx_olivine_reply_t *r,
    struct iovec *iov, ngx_uint_t n);

/* bytes in the first piece still to be sent, and the pieces behind it */
size_t ngx_olivine_reply_first(ngx_olivine_reply_t *r, ngx_uint_t *behind);

/* the first n bytes were sent; releases pins and blocks */
void ngx_olivine_reply_consume(ngx_olivine_reply_t *r, size_t n);


/* the table's error; error_text is given "ERR ..." without '-' and CRLF */
ngx_int_t ngx_olivine_reply_error(ngx_olivine_reply_t *r,
    ngx_olivine_error_e e);
ngx_int_t ngx_olivine_reply_error_text(ngx_olivine_reply_t *r,
    u_char *data, size_t len);

/* the same by nginx's formats: "ERR no \"%V\"" */
ngx_int_t ngx_olivine_reply_error_format(ngx_olivine_reply_t *r,
    const char *fmt, ...);

/* "+text" */
ngx_int_t ngx_olivine_reply_simple(ngx_olivine_reply_t *r, u_char *data,
    size_t len);

ngx_int_t ngx_olivine_reply_integer(ngx_olivine_reply_t *r, int64_t n);
ngx_int_t ngx_olivine_reply_bulk(ngx_olivine_reply_t *r, const u_char *data,
    size_t len);

/* a number as a bulk */
ngx_int_t ngx_olivine_reply_bulk_integer(ngx_olivine_reply_t *r, int64_t n);

/* sends len bytes from where they lie; the pin is ours, also on ERROR */
ngx_int_t ngx_olivine_reply_bulk_ref(ngx_olivine_reply_t *r, u_char *data,
    size_t len, void *pin);

/* the same with no header and no CRLF: a piece of a bulk; may be empty */
ngx_int_t ngx_olivine_reply_ref(ngx_olivine_reply_t *r, u_char *data,
    size_t len, void *pin);

/* RESP2 has two of them: "$-1" and "*-1" */
ngx_int_t ngx_olivine_reply_null(ngx_olivine_reply_t *r);
ngx_int_t ngx_olivine_reply_null_array(ngx_olivine_reply_t *r);

/* headers; RESP2 has but the array: 2n elements for a map of n pairs */
ngx_int_t ngx_olivine_reply_array(ngx_olivine_reply_t *r, size_t n);
ngx_int_t ngx_olivine_reply_map(ngx_olivine_reply_t *r, size_t n);
ngx_int_t ngx_olivine_reply_set(ngx_olivine_reply_t *r, size_t n);
ngx_int_t ngx_olivine_reply_push(ngx_olivine_reply_t *r, size_t n);

/* in RESP2 a bulk, 0 or 1, a bulk */
ngx_int_t ngx_olivine_reply_double(ngx_olivine_reply_t *r, double d);
ngx_int_t ngx_olivine_reply_bool(ngx_olivine_reply_t *r, ngx_uint_t b);
ngx_int_t ngx_olivine_reply_verbatim(ngx_olivine_reply_t *r,
    const char *ext, const u_char *data, size_t len);

/* a new block with room for n bytes, or NULL; see ngx_olivine_reply_room() */
u_char *ngx_olivine_reply_grow(ngx_olivine_reply_t *r, size_t n);


/* a mark holds until the next consume */

static ngx_inline void
ngx_olivine_reply_mark(ngx_olivine_reply_t *r, ngx_olivine_reply_mark_t *mark)
{
    mark->segment = r->last;
    mark->pos = r->pos;
    mark->sealed = r->sealed;
    mark->failed = r->failed;
    mark->errors = r->errors;
}


/*
 * Room for n bytes to be written in place, or NULL; what was written counts
 * once r->pos is set behind it.
 */

static ngx_inline u_char *
ngx_olivine_reply_room(ngx_olivine_reply_t *r, size_t n)
{
    if (ngx_olivine_likely((size_t) (r->end - r->pos) > n)) {
        return r->pos;
    }

    return ngx_olivine_reply_grow(r, n);
}


/* bytes of RESP that are ready */

static ngx_inline ngx_int_t
ngx_olivine_reply_raw(ngx_olivine_reply_t *r, const void *data, size_t len)
{
    u_char  *p;

    p = ngx_olivine_reply_room(r, len);

    if (ngx_olivine_unlikely(p == NULL)) {
        return NGX_ERROR;
    }

    r->pos = ngx_cpymem(p, data, len);

    return NGX_OK;
}


#define ngx_olivine_reply_literal(r, s)                                       \
    ngx_olivine_reply_raw(r, s, sizeof(s) - 1)

#define ngx_olivine_reply_ok(r)                                               \
    ngx_olivine_reply_literal(r, "+OK\r\n")

#define ngx_olivine_reply_zero(r)                                             \
    ngx_olivine_reply_literal(r, ":0\r\n")

#define ngx_olivine_reply_one(r)                                              \
    ngx_olivine_reply_literal(r, ":1\r\n")

#define ngx_olivine_reply_queued(r)                                           \
    ngx_olivine_reply_literal(r, "+QUEUED\r\n")

#define ngx_olivine_reply_pong(r)                                             \
    ngx_olivine_reply_literal(r, "+PONG\r\n")

#define ngx_olivine_reply_empty_array(r)                                      \
    ngx_olivine_reply_literal(r, "*0\r\n")


/* bytes still to be sent */

static ngx_inline size_t
ngx_olivine_reply_size(ngx_olivine_reply_t *r)
{
    return r->sealed + (r->pos ? (size_t) (r->pos - r->last->pos) : 0);
}


/* bytes written since the mark */

static ngx_inline size_t
ngx_olivine_reply_since(ngx_olivine_reply_t *r, ngx_olivine_reply_mark_t *mark)
{
    size_t  before;

    if (ngx_olivine_likely(r->last == mark->segment)) {
        return r->pos - mark->pos;
    }

    before = mark->sealed
             + (mark->pos ? (size_t) (mark->pos - mark->segment->pos) : 0);

    return ngx_olivine_reply_size(r) - before;
}


#endif /* _NGX_OLIVINE_RESP_REPLY_H_INCLUDED_ */
