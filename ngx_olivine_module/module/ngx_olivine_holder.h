
/*
 * Copyright (C) The Olivine authors
 *
 * Who has the port that nginx is about to fail to bind.
 */


#ifndef _NGX_OLIVINE_HOLDER_H_INCLUDED_
#define _NGX_OLIVINE_HOLDER_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/*
 * Logs which processes listen on the addresses that the cycle is to open: a
 * look at /proc, and nothing more if nobody does.
 */
void ngx_olivine_holder_log(ngx_cycle_t *cycle, ngx_log_t *log);


#endif /* _NGX_OLIVINE_HOLDER_H_INCLUDED_ */
