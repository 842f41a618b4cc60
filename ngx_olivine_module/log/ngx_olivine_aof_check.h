
/*
 * Copyright (C) The Olivine authors
 *
 * Reads a file of the log from its begin to its end, and tells what it has
 * and what is wrong with it.  Nothing is changed.
 */


#ifndef _NGX_OLIVINE_AOF_CHECK_H_INCLUDED_
#define _NGX_OLIVINE_AOF_CHECK_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* room for a text that says what is wrong */
#define NGX_OLIVINE_AOF_CHECK_ERROR  600


typedef struct {

    /* what there is */
    off_t                 size;
    off_t                 rdb;             /* bytes of the RDB part */
    uint64_t              keys;            /* ... in it */
    uint64_t              commands;
    uint64_t              transactions;
    int64_t               timestamp;       /* the last one, 0: none */

    /*
     * Up to here all is whole.  If it was asked up to which time: there the
     * file is to be cut, if "late" is set; what is behind was not read.
     */
    off_t                 valid;
    unsigned              late:1;

    /* it is the RDB part that is wrong: there is nothing to cut */
    unsigned              rdb_wrong:1;

    /* what is wrong, and where; offset -1: not with a byte */
    off_t                 offset;
    char                  error[NGX_OLIVINE_AOF_CHECK_ERROR];
} ngx_olivine_aof_check_t;


/*
 * The file is open for reading.  upto: stops before the first annotation with
 * a later time, in seconds; or INT64_MAX.
 *
 * OK: all is whole, or "late" is set; DECLINED: torn, may be cut at valid;
 * ABORT: damaged, or something of it cannot be read by this version; ERROR:
 * no memory or the file cannot be read, the text says it.
 */
ngx_int_t ngx_olivine_aof_check(ngx_olivine_aof_check_t *check, int fd,
    int64_t upto);


#endif /* _NGX_OLIVINE_AOF_CHECK_H_INCLUDED_ */
