
/*
 * Copyright (C) The Olivine authors
 *
 * Going to the background: whoever started the server gets its prompt back
 * when clients are served, and the exit code tells whether they are.
 */


#ifndef _NGX_OLIVINE_DAEMON_H_INCLUDED_
#define _NGX_OLIVINE_DAEMON_H_INCLUDED_


#include <base/ngx_olivine_base.h>


/* The linker has nginx call the second in place of the first. */
ngx_int_t __real_ngx_daemon(ngx_log_t *log);
ngx_int_t __wrap_ngx_daemon(ngx_log_t *log);


#endif /* _NGX_OLIVINE_DAEMON_H_INCLUDED_ */
