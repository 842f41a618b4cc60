
/*
 * Copyright (C) The Olivine authors
 *
 * The only door to nginx's headers, and the few words every layer uses.
 */


#ifndef _NGX_OLIVINE_BASE_H_INCLUDED_
#define _NGX_OLIVINE_BASE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_sha1.h>

#include <ngx_olivine.h>


#if (defined(__SANITIZE_ADDRESS__))
#define NGX_OLIVINE_ASAN  1
#elif (defined(__has_feature))
#if __has_feature(address_sanitizer)
#define NGX_OLIVINE_ASAN  1
#endif
#endif

#define ngx_olivine_likely(x)    __builtin_expect(!!(x), 1)
#define ngx_olivine_unlikely(x)  __builtin_expect(!!(x), 0)

/*
 * A process dies between instructions, so for what a dead worker leaves
 * behind the compiler's order of stores is all that must be kept.
 */
#define ngx_olivine_barrier()    __asm__ volatile ("" : : : "memory")

#define ngx_olivine_aligned(n)   __attribute__((aligned(n)))


#endif /* _NGX_OLIVINE_BASE_H_INCLUDED_ */
