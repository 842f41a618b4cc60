
/*
 * Copyright (C) The Olivine authors
 *
 * Variables of a session, for access_log and all else that nginx's stream
 * module takes variables for.
 */


#ifndef _NGX_OLIVINE_VARIABLES_H_INCLUDED_
#define _NGX_OLIVINE_VARIABLES_H_INCLUDED_


#include "client/ngx_olivine_client.h"

#include <ngx_stream.h>


/*
 * What the module's context of a session begins with.  While the client lives
 * it is asked; when it is gone it has left what it was.
 */
typedef struct {
    ngx_olivine_client_t   *client;      /* NULL: it is gone */
    uint64_t                commands;
    uint64_t                errors;
    ngx_str_t               last;        /* command; empty: none */
    uint32_t                db;
    unsigned                known:1;     /* as a user */
} ngx_olivine_told_t;


/* Before a configuration is read.  OK or ERROR. */
ngx_int_t ngx_olivine_variables_add(ngx_conf_t *cf);

/* The client is about to be closed: what remains of it for the session. */
ngx_olivine_told_t *ngx_olivine_variables_keep(ngx_pool_t *pool,
    ngx_olivine_client_t *client);


#endif /* _NGX_OLIVINE_VARIABLES_H_INCLUDED_ */
