
/*
 * Copyright (C) The Olivine authors
 *
 * What is said and done once a configuration is taken and its sockets listen.
 */


#ifndef _NGX_OLIVINE_READY_H_INCLUDED_
#define _NGX_OLIVINE_READY_H_INCLUDED_


#include "module/ngx_olivine_conf.h"


/* Logs, in one line, the parameters that were given and have no use. */
void ngx_olivine_ready_names(ngx_olivine_conf_zone_t *oz, ngx_log_t *log);

/* The access rights of the standalone's unix socket. */
void ngx_olivine_ready_listening(ngx_olivine_conf_zone_t *oz,
    ngx_cycle_t *cycle);

/* Tells systemd, if the standalone is to. */
void ngx_olivine_ready_notify(ngx_cycle_t *cycle);

/* In a worker: tells the process that waits for the server to listen. */
void ngx_olivine_ready_worker(void);


/* where that process waits; -1: there is none */
extern int  ngx_olivine_ready_fd;


#endif /* _NGX_OLIVINE_READY_H_INCLUDED_ */
