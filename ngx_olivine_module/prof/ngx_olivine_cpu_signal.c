
/*
 * Copyright (C) The Olivine authors
 */


#include "prof/ngx_olivine_cpu_signal.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>


#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id  _sigev_un._tid
#endif

/* below the stack's pointer functions that call none may keep something */
#define NGX_OLIVINE_CPU_RED      128

#define NGX_OLIVINE_CPU_ALIGN    16


struct ngx_olivine_cpu_signal_s {
    timer_t                    timer;
    pid_t                      pid;       /* a fork has it without a timer */
    ngx_olivine_sampler_t     *sampler;
    uintptr_t                  low;       /* the thread's stack */
    uintptr_t                  high;
    struct rusage              begun;

    /* bytes ever written and read: head is the handler's, tail the reader's */
    uint64_t                   head;
    uint64_t                   tail;
    uint64_t                   lost;
    u_char                    *ring;
};


static ngx_int_t ngx_olivine_cpu_signal_install(void);
static ngx_int_t ngx_olivine_cpu_signal_timer(
    ngx_olivine_cpu_signal_t *signal, ngx_uint_t rate);
static void ngx_olivine_cpu_signal_handler(int signo, siginfo_t *info,
    void *ucontext);
static void ngx_olivine_cpu_signal_take(ngx_olivine_cpu_signal_t *signal,
    ucontext_t *uc, uint32_t periods);
#if (NGX_OLIVINE_UNWIND)
static ngx_uint_t ngx_olivine_cpu_signal_system(u_char *pc);
static u_char *ngx_olivine_cpu_signal_room(ngx_olivine_cpu_signal_t *signal,
    size_t size);
#endif
static int64_t ngx_olivine_cpu_signal_ns(struct timeval *from,
    struct timeval *to);


/* Whose samples SIGPROF takes; there is one handler in a process. */

static ngx_olivine_cpu_signal_t  *ngx_olivine_cpu_active;


ngx_int_t
ngx_olivine_cpu_signal_start(ngx_olivine_tx_t *tx, ngx_uint_t rate,
    ngx_olivine_cpu_signal_t **started)
{
    void                      *low;
    size_t                     size;
    ngx_int_t                  rc;
    pthread_attr_t             attr;
    ngx_olivine_cpu_signal_t  *signal;

    if (!NGX_OLIVINE_UNWIND) {
        return NGX_ERROR;
    }

    if (ngx_olivine_cpu_active && ngx_olivine_cpu_active->pid == getpid()) {
        return NGX_DECLINED;
    }

    rc = ngx_olivine_cpu_signal_install();
    if (rc != NGX_OK) {
        return rc;
    }

    signal = calloc(1, sizeof(ngx_olivine_cpu_signal_t));
    if (signal == NULL) {
        return NGX_ERROR;
    }

    signal->pid = getpid();
    signal->sampler = &tx->sampler;
    signal->ring = malloc(NGX_OLIVINE_CPU_RING);

    if (signal->ring == NULL || pthread_getattr_np(pthread_self(), &attr) != 0)
    {
        goto failed;
    }

    if (pthread_attr_getstack(&attr, &low, &size) == 0) {
        signal->low = (uintptr_t) low;
        signal->high = (uintptr_t) low + size;
    }

    (void) pthread_attr_destroy(&attr);
    (void) getrusage(RUSAGE_THREAD, &signal->begun);

    ngx_olivine_cpu_active = signal;
    ngx_olivine_barrier();

    if (ngx_olivine_cpu_signal_timer(signal, rate) == NGX_OK) {
        *started = signal;
        return NGX_OK;
    }

    ngx_olivine_cpu_active = NULL;

failed:

    ngx_olivine_cpu_signal_free(signal);

    return NGX_ERROR;
}


void
ngx_olivine_cpu_signal_stop(ngx_olivine_cpu_signal_t *signal, int64_t *user,
    int64_t *system)
{
    struct rusage  now;

    (void) timer_delete(signal->timer);

    ngx_olivine_cpu_active = NULL;
    ngx_olivine_barrier();

    (void) getrusage(RUSAGE_THREAD, &now);

    *user = ngx_olivine_cpu_signal_ns(&signal->begun.ru_utime, &now.ru_utime);
    *system = ngx_olivine_cpu_signal_ns(&signal->begun.ru_stime,
                                        &now.ru_stime);
}


void
ngx_olivine_cpu_signal_free(ngx_olivine_cpu_signal_t *signal)
{
    free(signal->ring);
    free(signal);
}


ngx_olivine_cpu_raw_t *
ngx_olivine_cpu_signal_read(ngx_olivine_cpu_signal_t *signal)
{
    size_t                  at, rest;
    ngx_olivine_cpu_raw_t  *raw;

    for ( ;; ) {
        if (__atomic_load_n(&signal->head, __ATOMIC_ACQUIRE)
            == signal->tail)
        {
            return NULL;
        }

        at = signal->tail % NGX_OLIVINE_CPU_RING;
        rest = NGX_OLIVINE_CPU_RING - at;
        raw = (ngx_olivine_cpu_raw_t *) (signal->ring + at);

        if (rest >= sizeof(ngx_olivine_cpu_raw_t) && !raw->skip) {
            return raw;
        }

        __atomic_store_n(&signal->tail, signal->tail + rest,
                         __ATOMIC_RELEASE);
    }
}


void
ngx_olivine_cpu_signal_next(ngx_olivine_cpu_signal_t *signal)
{
    size_t                  size;
    ngx_olivine_cpu_raw_t  *raw;

    raw = (ngx_olivine_cpu_raw_t *)
              (signal->ring + signal->tail % NGX_OLIVINE_CPU_RING);

    size = ngx_align(sizeof(ngx_olivine_cpu_raw_t) + raw->len,
                     NGX_OLIVINE_CPU_ALIGN);

    __atomic_store_n(&signal->tail, signal->tail + size, __ATOMIC_RELEASE);
}


size_t
ngx_olivine_cpu_signal_waiting(ngx_olivine_cpu_signal_t *signal)
{
    return __atomic_load_n(&signal->head, __ATOMIC_ACQUIRE)
           - __atomic_load_n(&signal->tail, __ATOMIC_ACQUIRE);
}


uint64_t
ngx_olivine_cpu_signal_lost(ngx_olivine_cpu_signal_t *signal)
{
    return __atomic_load_n(&signal->lost, __ATOMIC_RELAXED);
}


/*
 * The handler stays for good: a signal may still be on its way when a timer
 * is deleted, and would end the process.  One of somebody else's is left.
 */

static ngx_int_t
ngx_olivine_cpu_signal_install(void)
{
    struct sigaction  sa, old;

    if (sigaction(SIGPROF, NULL, &old) != 0) {
        return NGX_ERROR;
    }

    if (old.sa_flags & SA_SIGINFO) {
        return old.sa_sigaction == ngx_olivine_cpu_signal_handler
               ? NGX_OK : NGX_DECLINED;
    }

    if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
        return NGX_DECLINED;
    }

    ngx_memzero(&sa, sizeof(struct sigaction));
    sa.sa_sigaction = ngx_olivine_cpu_signal_handler;
    sa.sa_flags = SA_SIGINFO|SA_RESTART;
    (void) sigfillset(&sa.sa_mask);

    return sigaction(SIGPROF, &sa, NULL) == 0 ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_olivine_cpu_signal_timer(ngx_olivine_cpu_signal_t *signal, ngx_uint_t rate)
{
    sigset_t           set;
    struct sigevent    ev;
    struct itimerspec  its;

    ngx_memzero(&ev, sizeof(struct sigevent));
    ev.sigev_notify = SIGEV_THREAD_ID;
    ev.sigev_signo = SIGPROF;
    ev.sigev_notify_thread_id = syscall(SYS_gettid);

    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &signal->timer) != 0) {
        return NGX_ERROR;
    }

    ngx_memzero(&its, sizeof(struct itimerspec));
    its.it_interval.tv_nsec = 1000000000 / rate;

    if (rate == 1) {
        its.it_interval.tv_sec = 1;
        its.it_interval.tv_nsec = 0;
    }

    its.it_value = its.it_interval;

    (void) sigemptyset(&set);
    (void) sigaddset(&set, SIGPROF);
    (void) pthread_sigmask(SIG_UNBLOCK, &set, NULL);

    if (timer_settime(signal->timer, 0, &its, NULL) != 0) {
        (void) timer_delete(signal->timer);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static void
ngx_olivine_cpu_signal_handler(int signo, siginfo_t *info, void *ucontext)
{
    int                        err;
    ngx_olivine_cpu_signal_t  *signal;

    err = errno;
    signal = ngx_olivine_cpu_active;

    if (signal && info->si_code == SI_TIMER) {
        ngx_olivine_cpu_signal_take(signal, ucontext, 1 + info->si_overrun);
    }

    errno = err;
}


#if (NGX_OLIVINE_UNWIND)

#if (NGX_OLIVINE_ASAN)
__attribute__((no_sanitize("address")))
#endif
static void
ngx_olivine_cpu_signal_take(ngx_olivine_cpu_signal_t *signal, ucontext_t *uc,
    uint32_t periods)
{
    size_t                  len, size;
    greg_t                 *g;
    u_char                 *to, *from;
    uintptr_t               sp, pc;
    ngx_uint_t              i;
    ngx_olivine_cpu_raw_t  *raw;

    /* as DWARF numbers them */

    static const uint8_t  order[NGX_OLIVINE_UNWIND_REGS] = {
        REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP,
        REG_RSP, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14,
        REG_R15, REG_RIP
    };

    g = uc->uc_mcontext.gregs;
    sp = (uintptr_t) g[REG_RSP];
    pc = (uintptr_t) g[REG_RIP];
    from = NULL;
    len = 0;

    if (sp >= signal->low + NGX_OLIVINE_CPU_RED && sp < signal->high) {
        from = (u_char *) (sp - NGX_OLIVINE_CPU_RED);
        len = ngx_min(signal->high - (uintptr_t) from, NGX_OLIVINE_CPU_STACK);
    }

    size = ngx_align(sizeof(ngx_olivine_cpu_raw_t) + len,
                     NGX_OLIVINE_CPU_ALIGN);

    to = ngx_olivine_cpu_signal_room(signal, size);

    if (to == NULL) {
        signal->lost += periods;
        return;
    }

    raw = (ngx_olivine_cpu_raw_t *) to;
    raw->len = len;
    raw->periods = periods;
    raw->skip = 0;
    raw->from = (uintptr_t) from;
    raw->command = signal->sampler->command
                   ? signal->sampler->command(signal->sampler->data)
                   : NGX_ERROR;

    raw->system = ngx_olivine_cpu_signal_system((u_char *) pc);

    for (i = 0; i < NGX_OLIVINE_UNWIND_REGS; i++) {
        raw->regs[i] = (uintptr_t) g[order[i]];
    }

    /* memcpy() is the sanitizer's in its builds, and would complain */

    to += sizeof(ngx_olivine_cpu_raw_t);

    __asm__ volatile ("rep movsb" : "+D" (to), "+S" (from), "+c" (len)
                      : : "memory");

    __atomic_store_n(&signal->head, signal->head + size, __ATOMIC_RELEASE);
}


/*
 * A signal that was due in the kernel comes right behind the instruction of
 * the system call, or at it where the call is to be made again.  Bytes on
 * another page are not looked at: it may not be there.
 */

static ngx_uint_t
ngx_olivine_cpu_signal_system(u_char *pc)
{
    uintptr_t  at;

    at = (uintptr_t) pc % 4096;

    return (at >= 2 && pc[-2] == 0x0f && pc[-1] == 0x05)
           || (at < 4095 && pc[0] == 0x0f && pc[1] == 0x05);
}


/* A sample is never cut in two: the ring's rest is skipped for one. */

static u_char *
ngx_olivine_cpu_signal_room(ngx_olivine_cpu_signal_t *signal, size_t size)
{
    size_t                  at, rest;
    uint64_t                used;
    ngx_olivine_cpu_raw_t  *raw;

    at = signal->head % NGX_OLIVINE_CPU_RING;
    rest = NGX_OLIVINE_CPU_RING - at;
    used = signal->head - __atomic_load_n(&signal->tail, __ATOMIC_ACQUIRE);

    if (rest >= size) {
        return size <= NGX_OLIVINE_CPU_RING - used ? signal->ring + at : NULL;
    }

    if (rest + size > NGX_OLIVINE_CPU_RING - used) {
        return NULL;
    }

    if (rest >= sizeof(ngx_olivine_cpu_raw_t)) {
        raw = (ngx_olivine_cpu_raw_t *) (signal->ring + at);
        raw->skip = 1;
    }

    __atomic_store_n(&signal->head, signal->head + rest, __ATOMIC_RELEASE);

    return signal->ring;
}

#else

static void
ngx_olivine_cpu_signal_take(ngx_olivine_cpu_signal_t *signal, ucontext_t *uc,
    uint32_t periods)
{
    signal->lost += periods;
}

#endif


static int64_t
ngx_olivine_cpu_signal_ns(struct timeval *from, struct timeval *to)
{
    return (int64_t) (to->tv_sec - from->tv_sec) * 1000000000
           + (int64_t) (to->tv_usec - from->tv_usec) * 1000;
}
