
/*
 * Copyright (C) The Olivine authors
 *
 * What every unit test begins with.
 */


#ifndef _UNIT_H_INCLUDED_
#define _UNIT_H_INCLUDED_


#include <base/ngx_olivine_base.h>

#include <setjmp.h>
#include <cmocka.h>


#define unit_run(tests)  cmocka_run_group_tests(tests, NULL, NULL)

/* addresses that a zone has for what is not its heap */
#define UNIT_STATS       (128 * 1024 * 1024)


/*
 * nginx's log, time and page size, enough for pools, slabs and shared memory;
 * the log goes to stderr from "level" on.
 */

static inline ngx_log_t *
unit_log(ngx_uint_t level)
{
    static ngx_log_t        log;
    static ngx_cycle_t      cycle;
    static ngx_open_file_t  file;

    file.fd = ngx_stderr;
    log.file = &file;
    log.log_level = level;

    cycle.log = &log;
    ngx_cycle = &cycle;

    if (ngx_pagesize == 0) {
        ngx_time_init();

        ngx_pagesize = getpagesize();
        ngx_cacheline_size = 64;
        ngx_ncpu = 1;

        for (ngx_pagesize_shift = 0;
             (1UL << ngx_pagesize_shift) < ngx_pagesize;
             ngx_pagesize_shift++)
        {
            /* void */
        }
    }

    return &log;
}


#endif /* _UNIT_H_INCLUDED_ */
