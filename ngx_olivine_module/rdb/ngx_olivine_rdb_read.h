
/*
 * Copyright (C) The Olivine authors
 *
 * Reads a whole RDB file, item by item, out of a window of its bytes.
 *
 *     "REDIS" version | item ... | 255 | CRC64 of all before 8
 *
 * The window, pos to last, is the caller's.  What is read moves pos; at AGAIN
 * the caller keeps the bytes from pos on, has more of them follow, and sets
 * eof if there are no more.  Only at AGAIN, and at END, may it move them
 * elsewhere; at any time it may let last grow.
 *
 * What an item points to lies in the window, or in memory of the reader, and
 * is valid until the next call.  So an item is in the window as a whole, and
 * r->want says how many bytes that takes: at least, for there may be lengths
 * that have not come yet.  A window that is too small should at least be
 * doubled.
 *
 * No byte is trusted.  No string is longer than r->max; memory is asked for
 * when all that it is for is there.
 */


#ifndef _NGX_OLIVINE_RDB_READ_H_INCLUDED_
#define _NGX_OLIVINE_RDB_READ_H_INCLUDED_


#include "rdb/ngx_olivine_rdb.h"


/* room for a text that says what is wrong */
#define NGX_OLIVINE_RDB_ERROR  512


typedef enum {
    NGX_OLIVINE_RDB_ITEM_KEY = 0,
    NGX_OLIVINE_RDB_ITEM_AUX,        /* name, text: what the writer says; also
                                        between keys; any name */
    NGX_OLIVINE_RDB_ITEM_FUNCTION,   /* text: the code of a library */
    NGX_OLIVINE_RDB_ITEM_MODULE,     /* name: of a module whose own data, not
                                        of any key, is passed over */
    NGX_OLIVINE_RDB_ITEM_RESIZE,     /* keys, expires: about so many follow */
    NGX_OLIVINE_RDB_ITEM_END         /* sum: there was one, and it is right */
} ngx_olivine_rdb_item_e;


typedef struct {
    ngx_olivine_rdb_item_e     type;
    ngx_uint_t                 db;           /* KEY, RESIZE */

    /* KEY */
    ngx_str_t                  key;
    ngx_olivine_value_t        value;
    int64_t                    expire;       /* milliseconds; 0: never */
    int64_t                    idle;         /* seconds; -1: not said */
    ngx_int_t                  freq;         /* 0 to 255; -1: not said */

    ngx_str_t                  name;
    ngx_str_t                  text;

    uint64_t                   keys;
    uint64_t                   expires;

    unsigned                   sum:1;
} ngx_olivine_rdb_item_t;


/* A buffer that is used again, and the digits of a number. */
typedef struct {
    u_char                    *memory;
    size_t                     size;
    u_char                     digits[NGX_OLIVINE_I64_LEN];
} ngx_olivine_rdb_scratch_t;


typedef struct {

    /* the caller's */
    u_char                    *pos;
    u_char                    *last;
    size_t                     max;          /* the longest string */
    unsigned                   eof:1;        /* nothing comes behind last */
    unsigned                   no_checksum:1;

    /* AGAIN: bytes from pos on that are needed */
    size_t                     want;

    /* once the first item is there */
    ngx_uint_t                 version;
    unsigned                   valkey:1;     /* of Valkey's count */

    /* DECLINED, ABORT: what is wrong with the item that begins there */
    ngx_str_t                  error;
    off_t                      offset;
    unsigned                   truncated:1;  /* the file is too short */

    /* the reader's own */
    unsigned                   begun:1;      /* behind the version */
    unsigned                   module:1;     /* in a module's data */
    unsigned                   over:1;
    ngx_int_t                  rc;           /* if over: of the end */
    u_char                    *start;        /* bytes up to here are summed */
    off_t                      base;         /* its offset in the file */
    uint64_t                   crc;
    uint64_t                   skip;         /* bytes to pass over */
    ngx_uint_t                 db;
    int64_t                    expire;       /* of the key to come */
    int64_t                    idle;
    ngx_int_t                  freq;
    ngx_olivine_rdb_scratch_t  first;        /* key, name */
    ngx_olivine_rdb_scratch_t  second;       /* value, text */
    u_char                     module_name[NGX_OLIVINE_RDB_MODULE_NAME];
    u_char                     buf[NGX_OLIVINE_RDB_ERROR];
} ngx_olivine_rdb_reader_t;


/* Begins a file; the window is empty.  max: the longest string. */
void ngx_olivine_rdb_reader_init(ngx_olivine_rdb_reader_t *r, size_t max);

/* Gives back the reader's memory, however far it came. */
void ngx_olivine_rdb_reader_free(ngx_olivine_rdb_reader_t *r);

/*
 * The next item.  OK; AGAIN: see above; ABORT: the bytes are damaged;
 * DECLINED: they may be right, but say what this version does not know;
 * ERROR: no memory.  After all but OK and AGAIN, and after END, the file is
 * over: further calls return the same, ABORT after END.
 *
 * After END, pos is at what lies behind the file.
 */
ngx_int_t ngx_olivine_rdb_read(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_item_t *item);

/* The offset of pos in the file, until the window moves after END. */
off_t ngx_olivine_rdb_read_offset(ngx_olivine_rdb_reader_t *r);

/* Is that how such a file begins?  DECLINED: it is not; AGAIN: too few. */
ngx_int_t ngx_olivine_rdb_read_magic(u_char *p, u_char *last);


#endif /* _NGX_OLIVINE_RDB_READ_H_INCLUDED_ */
