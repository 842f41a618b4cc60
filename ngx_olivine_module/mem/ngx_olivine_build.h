
/*
 * Copyright (C) The Olivine authors
 *
 * Builds: a zone outlives the code that serves it, and code lies elsewhere in
 * each process, so nothing in the zone points at it.  A place in the code is a
 * number instead: which build of Olivine (the binary, or the module's .so) it
 * is of, and how far from that object's beginning.  The zone lists the builds
 * that workers ran.
 */


#ifndef _NGX_OLIVINE_BUILD_H_INCLUDED_
#define _NGX_OLIVINE_BUILD_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* builds that a zone can tell apart; the bytes of an ELF file's build id */
#define NGX_OLIVINE_BUILDS          64
#define NGX_OLIVINE_BUILD_ID        20
#define NGX_OLIVINE_BUILD_PATH      224

/* a place: the build's number and the distance in one word */
#define NGX_OLIVINE_BUILD_SHIFT     40

#define ngx_olivine_build_of(place)                                           \
    ((ngx_uint_t) ((place) >> NGX_OLIVINE_BUILD_SHIFT))

#define ngx_olivine_build_offset(place)                                       \
    ((uintptr_t) ((place) & (((uint64_t) 1 << NGX_OLIVINE_BUILD_SHIFT) - 1)))


/* Of the zone; the path is cut, and ends with a zero. */
typedef struct {
    uint64_t     key;           /* a digest of the id, 0: none is here */
    uint32_t     len;           /* bytes of the id */
    u_char       id[NGX_OLIVINE_BUILD_ID];
    u_char       path[NGX_OLIVINE_BUILD_PATH];
} ngx_olivine_build_t;


/* Our own code in this process. */
typedef struct {
    uintptr_t    base;          /* what distances are measured from */
    uintptr_t    text;          /* its instructions: text..end-1 */
    uintptr_t    end;
    size_t       len;
    u_char       id[NGX_OLIVINE_BUILD_ID];
    u_char       path[NGX_OLIVINE_BUILD_PATH];
} ngx_olivine_code_t;


/*
 * Finds it.  An object that was linked without a build id gets a digest of its
 * instructions for one.  OK or ERROR.
 */
ngx_int_t ngx_olivine_build_self(ngx_olivine_code_t *code);

/*
 * The build's number in the list, 1..NGX_OLIVINE_BUILDS; 0 if it is not there
 * (enter is 0), or the list is full.  Builds are never taken out.
 */
ngx_uint_t ngx_olivine_build_number(ngx_olivine_build_t *builds,
    ngx_olivine_code_t *code, ngx_uint_t enter);


#endif /* _NGX_OLIVINE_BUILD_H_INCLUDED_ */
