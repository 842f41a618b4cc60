
/*
 * Copyright (C) The Olivine authors
 */


#ifndef _NGX_OLIVINE_CLIENT_MULTI_H_INCLUDED_
#define _NGX_OLIVINE_CLIENT_MULTI_H_INCLUDED_


#include "client/ngx_olivine_client.h"
#include "command/ngx_olivine_multi.h"


/* Gives up the runs of queues that are done with, and frees them. */
void ngx_olivine_client_spent(ngx_olivine_client_t *client);

/* The client goes: its queue and the keys it watches do, too. */
void ngx_olivine_client_forget(ngx_olivine_client_t *client);


#endif /* _NGX_OLIVINE_CLIENT_MULTI_H_INCLUDED_ */
