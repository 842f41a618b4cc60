
/*
 * Copyright (C) The Olivine authors
 *
 * What workers know of a CPU profile that is being taken.  It lies in the
 * zone; words are single aligned stores, and no transaction's.
 *
 * Who has the lease has started it, and alone stores state and rate; a
 * profile whose lease is a dead worker's is over.  Each worker stores its own
 * part.  The run that a part names is listed among the holdings of the slot,
 * and stays until the state is another's.
 */


#ifndef _NGX_OLIVINE_PROF_H_INCLUDED_
#define _NGX_OLIVINE_PROF_H_INCLUDED_


#include "base/ngx_olivine_base.h"


typedef enum {
    NGX_OLIVINE_PROF_NONE = 0,
    NGX_OLIVINE_PROF_RUN,            /* samples are taken */
    NGX_OLIVINE_PROF_GATHER          /* workers bring what they have */
} ngx_olivine_prof_e;


/* state: the profile's number and what is being done, in one word */
#define NGX_OLIVINE_PROF_SHIFT      2

#define ngx_olivine_prof_state(number, what)                                  \
    ((number) << NGX_OLIVINE_PROF_SHIFT | (what))

#define ngx_olivine_prof_number(state)  ((state) >> NGX_OLIVINE_PROF_SHIFT)

#define ngx_olivine_prof_what(state)                                          \
    ((state) & ((1 << NGX_OLIVINE_PROF_SHIFT) - 1))


/* A slot's part. */
typedef struct {
    uint32_t                 owner;      /* the slot and its generation */
    uint32_t                 joined;     /* number of the profile it is in */
    uint32_t                 done;       /* ... whose samples are here: */
    uint32_t                 page;       /* 0: there was no memory for them */
    uint32_t                 len;        /* bytes */
} ngx_olivine_prof_part_t;


typedef struct {
    uint32_t                 lease;
    uint32_t                 state;
    uint32_t                 rate;       /* samples a second */
    ngx_olivine_prof_part_t  parts[NGX_OLIVINE_MAX_SLOTS];
} ngx_olivine_prof_t;


#endif /* _NGX_OLIVINE_PROF_H_INCLUDED_ */
