
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_usage.h"

#include <sys/resource.h>


#define NGX_OLIVINE_USAGE_STAT    1024

/* fields of /proc/PID/stat behind the name, which may hold anything */
#define NGX_OLIVINE_USAGE_UTIME   12


static void ngx_olivine_usage_add(ngx_olivine_usage_t *usage, int who);
static void ngx_olivine_usage_process(ngx_olivine_usage_t *usage,
    uint32_t pid);
static uint64_t ngx_olivine_usage_field(u_char *p, u_char *last,
    ngx_uint_t n);


void
ngx_olivine_usage_workers(ngx_olivine_zone_t *zone, ngx_olivine_usage_t *usage)
{
    ngx_uint_t           i;
    ngx_olivine_slot_t  *slot;

    ngx_memzero(usage, sizeof(ngx_olivine_usage_t));
    ngx_olivine_usage_add(usage, RUSAGE_SELF);

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE
            && slot->pid != (uint32_t) ngx_getpid())
        {
            ngx_olivine_usage_process(usage, slot->pid);
        }
    }
}


void
ngx_olivine_usage_thread(ngx_olivine_usage_t *usage)
{
    ngx_memzero(usage, sizeof(ngx_olivine_usage_t));
    ngx_olivine_usage_add(usage, RUSAGE_THREAD);
}


static void
ngx_olivine_usage_add(ngx_olivine_usage_t *usage, int who)
{
    struct rusage  ru;

    if (getrusage(who, &ru) == -1) {
        return;
    }

    usage->user += (uint64_t) ru.ru_utime.tv_sec * 1000000
                   + ru.ru_utime.tv_usec;
    usage->sys += (uint64_t) ru.ru_stime.tv_sec * 1000000
                  + ru.ru_stime.tv_usec;
}


static void
ngx_olivine_usage_process(ngx_olivine_usage_t *usage, uint32_t pid)
{
    int       fd;
    u_char    stat[NGX_OLIVINE_USAGE_STAT], path[sizeof("/proc//stat") + 10];
    u_char   *p, *last;
    ssize_t   n;
    uint64_t  tick;

    (void) ngx_sprintf(path, "/proc/%uD/stat%Z", pid);

    fd = open((char *) path, O_RDONLY|O_CLOEXEC);

    if (fd == -1) {
        return;
    }

    n = read(fd, stat, sizeof(stat));

    (void) close(fd);

    if (n <= 0) {
        return;
    }

    last = stat + n;

    for (p = last; p > stat && p[-1] != ')'; p--) { /* void */ }

    tick = 1000000 / sysconf(_SC_CLK_TCK);

    usage->user += tick * ngx_olivine_usage_field(p, last,
                                                  NGX_OLIVINE_USAGE_UTIME);
    usage->sys += tick * ngx_olivine_usage_field(p, last,
                                                 NGX_OLIVINE_USAGE_UTIME + 1);
}


/* the number behind the n-th blank */

static uint64_t
ngx_olivine_usage_field(u_char *p, u_char *last, ngx_uint_t n)
{
    uint64_t  value;

    for ( /* void */ ; p < last && n; p++) {
        n -= (*p == ' ');
    }

    value = 0;

    for ( /* void */ ; p < last && *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (*p - '0');
    }

    return value;
}
