
/*
 * Copyright (C) The Olivine authors
 *
 * Turning the append-only file on and off.  On: a snapshot is wanted, which
 * becomes its first base, and from whose instant on the log is written; or, at
 * a start, the file goes on where it ended.
 */


#ifndef _NGX_OLIVINE_AOF_SWITCH_H_INCLUDED_
#define _NGX_OLIVINE_AOF_SWITCH_H_INCLUDED_


#include "log/ngx_olivine_aof.h"


/* The files that a start has loaded. */
typedef struct {
    u_char      *dir;
    u_char      *name;
    uint64_t     seq;            /* the last increment, and its bytes */
    uint64_t     pos;
    uint64_t     base_size;
    uint64_t     older_size;     /* of the increments before */
} ngx_olivine_aof_found_t;


/* The log is written behind the last increment.  OK, AGAIN, ERROR. */
ngx_int_t ngx_olivine_aof_resume(ngx_olivine_tx_t *tx,
    ngx_olivine_aof_found_t *found);

/*
 * Once a second or so, no lock held: does as the parameters say, wants a
 * rewrite when the files have grown, or are to be mended.
 */
void ngx_olivine_aof_look(ngx_olivine_aof_t *aof, int64_t now);


#endif /* _NGX_OLIVINE_AOF_SWITCH_H_INCLUDED_ */
