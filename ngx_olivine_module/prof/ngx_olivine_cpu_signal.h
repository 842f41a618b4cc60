
/*
 * Copyright (C) The Olivine authors
 *
 * Samples of the calling thread: a timer on its CPU clock sends SIGPROF, and
 * the handler copies registers, the command that runs and the top of the
 * stack into a ring, which a thread reads.
 *
 * The handler makes no system call, takes no lock and allocates nothing.  The
 * signal comes to this thread alone.  The kernel looks at such timers in its
 * own clock's ticks only, so at high rates a signal stands for several
 * periods; it says for how many.
 */


#ifndef _NGX_OLIVINE_CPU_SIGNAL_H_INCLUDED_
#define _NGX_OLIVINE_CPU_SIGNAL_H_INCLUDED_


#include "mem/ngx_olivine_journal.h"
#include "prof/ngx_olivine_unwind.h"


/* of a stack so much is copied; samples that may wait to be read */
#define NGX_OLIVINE_CPU_STACK    (32 * 1024)
#define NGX_OLIVINE_CPU_RING     (4 * 1024 * 1024)


typedef struct ngx_olivine_cpu_signal_s  ngx_olivine_cpu_signal_t;

/* What stands in the ring before the bytes of the stack. */
typedef struct {
    uint32_t    len;             /* bytes of the stack */
    int16_t     command;         /* its number, or NGX_ERROR */
    uint16_t    system;          /* it came out of a system call */
    uint32_t    periods;
    uint32_t    skip;            /* 1: the ring goes on at its beginning */
    uintptr_t   from;
    uintptr_t   regs[NGX_OLIVINE_UNWIND_REGS];
} ngx_olivine_cpu_raw_t;


/*
 * Begins for the calling thread.  OK; DECLINED: this process has a profile
 * already, or SIGPROF is somebody else's; ERROR: no memory, no timer, or the
 * machine is of a kind that stacks are not walked on (NGX_OLIVINE_UNWIND).
 */
ngx_int_t ngx_olivine_cpu_signal_start(ngx_olivine_tx_t *tx, ngx_uint_t rate,
    ngx_olivine_cpu_signal_t **started);

/*
 * No more samples; in the same thread.  user, system: the thread's time since
 * the start, nanoseconds.
 */
void ngx_olivine_cpu_signal_stop(ngx_olivine_cpu_signal_t *signal,
    int64_t *user, int64_t *system);

/* After it was stopped. */
void ngx_olivine_cpu_signal_free(ngx_olivine_cpu_signal_t *signal);

/*
 * For one reader in any thread: the next sample, its stack behind it; NULL if
 * there is none now.  It is there until the call of _next.
 */
ngx_olivine_cpu_raw_t *ngx_olivine_cpu_signal_read(
    ngx_olivine_cpu_signal_t *signal);
void ngx_olivine_cpu_signal_next(ngx_olivine_cpu_signal_t *signal);

/* Bytes that wait to be read, and periods that found no room. */
size_t ngx_olivine_cpu_signal_waiting(ngx_olivine_cpu_signal_t *signal);
uint64_t ngx_olivine_cpu_signal_lost(ngx_olivine_cpu_signal_t *signal);


#endif /* _NGX_OLIVINE_CPU_SIGNAL_H_INCLUDED_ */
