
/*
 * Copyright (C) The Olivine authors
 *
 * Names of addresses of the own process: function, file, line, and the
 * functions that were inlined there.  Reads debug information where there is
 * some (in the file, or by its build id below /usr/lib/debug) and ELF symbols
 * where not.  The first look-ups are slow, so they are for a thread, or a
 * test.  An object is usable in any thread, by one at a time.
 */


#ifndef _NGX_OLIVINE_SYMBOL_H_INCLUDED_
#define _NGX_OLIVINE_SYMBOL_H_INCLUDED_


#include "prof/ngx_olivine_profile.h"


/* functions inlined into each other that are told apart */
#define NGX_OLIVINE_SYMBOL_INLINED  32


typedef struct ngx_olivine_symbols_s  ngx_olivine_symbols_t;


/* What is loaded now is known; NULL without memory. */
ngx_olivine_symbols_t *ngx_olivine_symbols_create(void);
void ngx_olivine_symbols_destroy(ngx_olivine_symbols_t *symbols);

/*
 * What stands at an address, innermost function first; at least one frame and
 * at most max.  Of a return address it is to be asked for the byte before.
 * Where nothing is known the name is like "libc.so.6+0x1234", or "[unknown]".
 * The texts are good until symbols are destroyed.
 */
ngx_uint_t ngx_olivine_symbols_find(ngx_olivine_symbols_t *symbols,
    uintptr_t address, ngx_olivine_profile_frame_t *frames, ngx_uint_t max);

/* libdwfl's session. */
struct Dwfl *ngx_olivine_symbols_dwfl(ngx_olivine_symbols_t *symbols);


#endif /* _NGX_OLIVINE_SYMBOL_H_INCLUDED_ */
