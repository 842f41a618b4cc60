
/*
 * Copyright (C) The Olivine authors
 *
 * Walks a stack that was copied, with the registers as they were then, by the
 * call frame information of whatever is loaded: libc and a stock nginx keep no
 * frame pointers.  Where there is none, or it is of a kind that is not known
 * here, it goes on by the frame pointer, which our own code keeps.
 */


#ifndef _NGX_OLIVINE_UNWIND_H_INCLUDED_
#define _NGX_OLIVINE_UNWIND_H_INCLUDED_


#include "prof/ngx_olivine_symbol.h"


/* registers as DWARF numbers them, and where it puts the return address */
#if (defined(__x86_64__))

#define NGX_OLIVINE_UNWIND          1
#define NGX_OLIVINE_UNWIND_REGS     17
#define NGX_OLIVINE_UNWIND_FP       6
#define NGX_OLIVINE_UNWIND_SP       7
#define NGX_OLIVINE_UNWIND_PC       16

#else

#define NGX_OLIVINE_UNWIND          0
#define NGX_OLIVINE_UNWIND_REGS     1
#define NGX_OLIVINE_UNWIND_FP       0
#define NGX_OLIVINE_UNWIND_SP       0
#define NGX_OLIVINE_UNWIND_PC       0

#endif

#define NGX_OLIVINE_UNWIND_DEPTH    192


typedef struct ngx_olivine_unwind_s  ngx_olivine_unwind_t;

typedef struct {
    uintptr_t    regs[NGX_OLIVINE_UNWIND_REGS];
    uintptr_t    from;           /* where the stack's copy was */
    size_t       len;
    u_char      *copy;
} ngx_olivine_unwind_state_t;


/* Uses symbols' session, so it goes before they do.  NULL without memory. */
ngx_olivine_unwind_t *ngx_olivine_unwind_create(
    ngx_olivine_symbols_t *symbols);
void ngx_olivine_unwind_destroy(ngx_olivine_unwind_t *unwind);

/*
 * The places that are run, the innermost first: where it stood, and of the
 * calls the bytes before their return addresses; at least one, at most
 * NGX_OLIVINE_UNWIND_DEPTH.  whole: 1 if the last one is the thread's
 * beginning, 0 if more would follow.  The state is changed.
 */
ngx_uint_t ngx_olivine_unwind(ngx_olivine_unwind_t *unwind,
    ngx_olivine_unwind_state_t *st, uintptr_t *places, ngx_uint_t *whole);


#endif /* _NGX_OLIVINE_UNWIND_H_INCLUDED_ */
