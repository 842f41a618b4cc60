
/*
 * Copyright (C) The Olivine authors
 *
 * Clients in MONITOR: what they are to see goes behind their replies, a part
 * at a time, so that what they do not read stays in the zone's ring until it
 * is overwritten.
 */


#ifndef _NGX_OLIVINE_CLIENT_MONITOR_H_INCLUDED_
#define _NGX_OLIVINE_CLIENT_MONITOR_H_INCLUDED_


#include "client/ngx_olivine_client.h"


/* OK; ERROR: the client has fallen behind, or there is no memory. */
ngx_int_t ngx_olivine_client_monitor(ngx_olivine_client_t *client);

/* Whether the client is one of them may have changed. */
void ngx_olivine_client_monitors(ngx_olivine_client_t *client);

/* All of the worker's are to look. */
void ngx_olivine_client_monitors_wake(ngx_olivine_worker_t *worker);


#endif /* _NGX_OLIVINE_CLIENT_MONITOR_H_INCLUDED_ */
