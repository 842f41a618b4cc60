
/*
 * Copyright (C) The Olivine authors
 *
 * Test builds die at a step of their choice.
 */


#include "mem/ngx_olivine_journal.h"

#include <signal.h>


#if (NGX_OLIVINE_TEST)

uint64_t  ngx_olivine_steps;             /* made so far */
uint64_t  ngx_olivine_step_last;         /* 0: none, or where to die */


void
ngx_olivine_step(void)
{
    if (++ngx_olivine_steps == ngx_olivine_step_last) {
        (void) kill(ngx_getpid(), SIGKILL);
    }
}

#else

/* a translation unit is not to be empty */

typedef int  ngx_olivine_step_none_t;

#endif
