
/*
 * Copyright (C) The Olivine authors
 *
 * One file that is being loaded, and all that is known of the others: the
 * loader's own header, for its two sources.
 */


#ifndef _NGX_OLIVINE_LOAD_FILE_H_INCLUDED_
#define _NGX_OLIVINE_LOAD_FILE_H_INCLUDED_


#include "command/ngx_olivine_load.h"
#include "log/ngx_olivine_aof.h"
#include "log/ngx_olivine_aof_read.h"
#include "log/ngx_olivine_manifest.h"
#include "rdb/ngx_olivine_rdb_read.h"


/* bytes of the window, as long as no item is longer */
#define NGX_OLIVINE_LOAD_WINDOW   (1024 * 1024)

/* all keys are there at this time, milliseconds */
#define NGX_OLIVINE_LOAD_NOW      1


typedef enum {
    NGX_OLIVINE_LOAD_IDLE = 0,
    NGX_OLIVINE_LOAD_EMPTY,          /* what an earlier loader left */
    NGX_OLIVINE_LOAD_LIST,           /* the files are looked up */
    NGX_OLIVINE_LOAD_OPEN,           /* the next file */
    NGX_OLIVINE_LOAD_RDB,
    NGX_OLIVINE_LOAD_AOF,
    NGX_OLIVINE_LOAD_START,          /* the append-only file goes on */
    NGX_OLIVINE_LOAD_WAIT            /* ... once it has its first base */
} ngx_olivine_load_e;


struct ngx_olivine_load_s {
    ngx_olivine_cx_t           *cx;
    ngx_olivine_zone_t         *zone;
    ngx_log_t                  *log;
    ngx_olivine_load_e          state;

    /* the files of an append-only directory; none: the snapshot */
    u_char                      dir[NGX_OLIVINE_AOF_PATH];
    u_char                      name[NGX_OLIVINE_NAME_MAX + 8];
    ngx_olivine_manifest_t      manifest;
    ngx_uint_t                  nfile;
    ngx_olivine_manifest_file_t *file;       /* NULL: the snapshot */

    int                         fd;
    u_char                      path[NGX_OLIVINE_AOF_PATH
                                     + NGX_OLIVINE_MANIFEST_NAME];
    off_t                       size;
    off_t                       read;        /* bytes that are in the window,
                                                or were */
    uint64_t                    before;      /* bytes of earlier files */
    unsigned                    eof:1;
    unsigned                    pending:1;   /* a command is to be run again */

    u_char                     *window;
    size_t                      room;
    u_char                     *pos;
    u_char                     *last;

    ngx_olivine_rdb_reader_t    rdb;
    ngx_olivine_rdb_item_t      item;
    ngx_olivine_aof_reader_t    aof;

    /* of the append-only file, as it was found */
    uint64_t                    base_size;
    uint64_t                    older_size;
    uint64_t                    last_size;
    int64_t                     last_seq;    /* 0: there is no increment */

    ngx_olivine_caller_t        caller;
    ngx_olivine_reply_pool_t    pool;
    ngx_olivine_reply_t         reply;
    ngx_olivine_reply_mark_t    mark;

    int64_t                     now;         /* the wall clock's */
};


/*
 * Opens load->path, and looks what it is.  Then a slice of it, as load->state
 * says.  All answer OK, or ERROR, and why was logged.
 */
ngx_int_t ngx_olivine_load_open(ngx_olivine_load_t *load);
ngx_int_t ngx_olivine_load_rdb(ngx_olivine_load_t *load);
ngx_int_t ngx_olivine_load_aof(ngx_olivine_load_t *load);
void ngx_olivine_load_close(ngx_olivine_load_t *load);

/* It is loaded, size bytes of it. */
ngx_int_t ngx_olivine_load_file_done(ngx_olivine_load_t *load, off_t size);


#endif /* _NGX_OLIVINE_LOAD_FILE_H_INCLUDED_ */
