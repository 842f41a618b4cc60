/*
 * Copyright (C) The Olivine authors
 *
 * Requests to arguments: RESP arrays of bulks and inline commands, at any
 * split of the bytes, without copying.
 *
 * A command begins at *pos and stays there until it is whole: its arguments
 * are slices of the buffer.  While it is not, the parser remembers how far it
 * came and keeps the arguments seen so far as offsets from its first byte, so
 * the buffer may be moved or grown between two calls, and nothing but the
 * line of one header is ever looked at again.
 *
 *     while (n < NGX_OLIVINE_BATCH) {
 *         rc = ngx_olivine_resp_parse(parser, &b->pos, b->last, args, ...);
 *
 *         if (rc == NGX_OK) {
 *             argv of the command n is args->elts + parser->first,
 *             argc is parser->argc; look at neither before the batch is
 *             parsed: elts may move while it grows
 *         }
 *     }
 *
 * Between commands args holds nothing of a parser: one vector serves all
 * clients of a worker.  A client whose command is incomplete takes its part
 * along by ngx_olivine_resp_park().
 */


#ifndef _NGX_OLIVINE_RESP_PARSE_H_INCLUDED_
#define _NGX_OLIVINE_RESP_PARSE_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* what a client may send before AUTH, as in Redis */
#define NGX_OLIVINE_UNAUTH_ARGS   10
#define NGX_OLIVINE_UNAUTH_BULK   16384

/* room for the text of a protocol error */
#define NGX_OLIVINE_RESP_ERROR    64


typedef struct {
    u_char              *data;
    size_t               len;

    /* if not NULL, data lies in this run of the zone, not in the buffer */
    void                *run;
} ngx_olivine_arg_t;


typedef struct {
    ngx_olivine_arg_t   *elts;
    ngx_uint_t           nelts;
    ngx_uint_t           nalloc;
} ngx_olivine_args_t;


typedef struct {
    int64_t              max_args;
    int64_t              max_bulk;
    size_t               max_inline;

    /* a bulk of this length or more is the caller's to receive; 0: never */
    size_t               big;

    ngx_uint_t           authenticated;  /* unsigned  authenticated:1; */
} ngx_olivine_resp_limits_t;


typedef struct {
    /* of the next byte to look at, from the command's first one */
    size_t               offset;

    /*
     * length of the bulk whose header has been read, else 0; it is whole
     * with the bytes up to offset + bulk + 2
     */
    size_t               bulk;

    /* index in args of the command's first argument, and their number */
    uint32_t             first;
    uint32_t             argc;

    /* arguments still to come */
    uint32_t             left;

    /* leading arguments that are kept as offsets */
    uint32_t             kept;

    /* 0 before the first byte of a command */
    uint32_t             state;
} ngx_olivine_resp_parser_t;


#define ngx_olivine_resp_parser_init(parser)                                  \
    ngx_memzero(parser, sizeof(ngx_olivine_resp_parser_t))


/*
 * Parses the command that begins at *pos and appends its arguments to args.
 *
 * OK     a whole command, *pos is behind it
 * DONE   an empty one, skipped; *pos is behind it
 * AGAIN  needs more bytes, *pos stays
 * BUSY   a bulk of parser->bulk bytes, limits->big or more, begins at
 *        *pos + parser->offset and is not all there: the caller receives it
 *        elsewhere.  It takes what the buffer has of it, cuts the buffer at
 *        that place, and takes the rest from the socket; after the last byte
 *        it calls ngx_olivine_resp_bulk_done(), and what comes then is put
 *        into the buffer at the cut and parsed again.  (If just the CRLF is
 *        not all there, the CR may be: it comes after the cut, too.)
 * ABORT  broken protocol; err is what to answer, without "-ERR ".  Its data
 *        must have room for NGX_OLIVINE_RESP_ERROR bytes
 * ERROR  no memory
 *
 * Inline commands are unquoted in place, once they are whole.
 */
ngx_int_t ngx_olivine_resp_parse(ngx_olivine_resp_parser_t *parser,
    u_char **pos, u_char *last, ngx_olivine_args_t *args,
    const ngx_olivine_resp_limits_t *limits, ngx_str_t *err);

/* gives the big bulk asked for by BUSY; OK or ERROR */
ngx_int_t ngx_olivine_resp_bulk_done(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args, u_char *data, void *run);

/*
 * After AGAIN or BUSY: moves the incomplete command's arguments from the
 * shared vector to the client's own, which must be empty, and leaves in
 * "from" only the commands before it.  The next call to parse is given "to",
 * and appends there: the batch is run from it, then it may be freed.  OK or
 * ERROR.  Nothing is moved, nor allocated, if no argument was seen: then any
 * vector will do for the next call.
 */
ngx_int_t ngx_olivine_resp_park(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *from, ngx_olivine_args_t *to);

/*
 * Forgets an incomplete command: a dying client's, say.  Its arguments with
 * a run are the caller's to free first: those at elts + first, argc of them.
 */
void ngx_olivine_resp_reset(ngx_olivine_resp_parser_t *parser,
    ngx_olivine_args_t *args);

/* gives back the memory */
void ngx_olivine_args_free(ngx_olivine_args_t *args);


#endif /* _NGX_OLIVINE_RESP_PARSE_H_INCLUDED_ */
