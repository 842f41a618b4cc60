
/*
 * Copyright (C) The Olivine authors
 *
 * Reads the commands of an append-only file, one after the other, out of a
 * window of its bytes.  In it are arrays of bulks, and lines that begin with
 * "#": annotations, of which "#TS:seconds" is known.  A file may begin with
 * an RDB file (ngx_olivine_rdb_read_magic() tells); what lies behind that is
 * read here.
 *
 * The window, pos to last, is the caller's.  What is read moves pos; at AGAIN
 * the caller keeps the bytes from pos on, has more of them follow, and sets
 * eof if there are no more.  Only at AGAIN may it move them elsewhere.  A
 * command is in the window as a whole: r->want says how many bytes from pos
 * on it takes, at least.  A window that is too small should at least be
 * doubled, but needs no more than what is left of the file.
 *
 *     for ( ;; ) {
 *         rc = ngx_olivine_aof_read(r);
 *
 *         if (rc == NGX_OK) {
 *             r->args.elts, r->args.nelts: slices of the window, valid until
 *             the next call
 *
 *         } else if (rc == NGX_AGAIN) {
 *             ...
 *         }
 *     }
 *
 * Nothing is copied, and memory is asked for only for a longer argv than
 * there was.
 */


#ifndef _NGX_OLIVINE_AOF_READ_H_INCLUDED_
#define _NGX_OLIVINE_AOF_READ_H_INCLUDED_


#include "resp/ngx_olivine_resp_parse.h"


/* bytes of an annotation with its end, as in Redis */
#define NGX_OLIVINE_AOF_LINE   1024

/* room for a text that says what is wrong */
#define NGX_OLIVINE_AOF_ERROR  128


typedef struct {

    /* the caller's */
    u_char               *pos;
    u_char               *last;
    size_t                max;             /* the longest argument */
    unsigned              eof:1;           /* nothing comes behind last */
    unsigned              annotations:1;   /* are told: OK, no arguments */

    /* OK: the command, which begins at that offset of the file */
    ngx_olivine_args_t    args;
    off_t                 offset;

    /* AGAIN: bytes from pos on that are needed */
    size_t                want;

    /* of the last "#TS:"; 0: there was none */
    int64_t               timestamp;

    /*
     * Up to here all is whole: behind a command outside of a transaction, or
     * an annotation there, or EXEC.  Inside of one it stays before MULTI.
     */
    off_t                 valid;
    unsigned              multi:1;         /* behind MULTI */
    uint64_t              commands;        /* with MULTI and EXEC */
    uint64_t              transactions;

    /* DECLINED, ABORT: what is wrong, and where */
    ngx_str_t             error;
    off_t                 error_offset;

    /* the reader's own */
    off_t                 next;            /* the offset of pos */
    ngx_int_t             rc;              /* of the end; OK before */
    u_char                buf[NGX_OLIVINE_AOF_ERROR];
} ngx_olivine_aof_reader_t;


/*
 * Begins at an offset of the file: 0, or behind the RDB part.  The window is
 * empty; max: the longest argument.
 */
void ngx_olivine_aof_reader_init(ngx_olivine_aof_reader_t *r, off_t offset,
    size_t max);

/* Gives back the reader's memory, however far it came. */
void ngx_olivine_aof_reader_free(ngx_olivine_aof_reader_t *r);

/*
 * The next command.
 *
 * OK        there is one
 * AGAIN     more bytes are needed, see above
 * DONE      the file is over, and whole
 * DECLINED  it is torn: it ends inside of a command or a transaction, which
 *           is what a crash leaves; it may be cut at r->valid
 * ABORT     it is damaged: there are bytes that no log can have
 * ERROR     no memory
 *
 * After the last four further calls return the same.
 */
ngx_int_t ngx_olivine_aof_read(ngx_olivine_aof_reader_t *r);


#endif /* _NGX_OLIVINE_AOF_READ_H_INCLUDED_ */
