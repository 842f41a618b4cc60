
/*
 * Copyright (C) The Olivine authors
 *
 * A connection: moves bytes between the socket and the client behind it.
 */


#ifndef _NGX_OLIVINE_HANDLER_H_INCLUDED_
#define _NGX_OLIVINE_HANDLER_H_INCLUDED_


#include "module/ngx_olivine_mount.h"


/* What the core asks for: wake, timer, close, shutdown. */
extern const ngx_olivine_host_t  ngx_olivine_handler_host;


/* A new connection, in the content phase. */
void ngx_olivine_handler(ngx_stream_session_t *s);

/* All clients get what they are owed, then they are closed. */
void ngx_olivine_handler_quit(ngx_olivine_mount_t *mount);

/* All clients are closed, soon. */
void ngx_olivine_handler_abort(ngx_olivine_mount_t *mount);

/* The process ends: all clients are closed at once. */
void ngx_olivine_handler_close_all(ngx_olivine_mount_t *mount);

/* The clients' logs are at mount->log_level from now on. */
void ngx_olivine_handler_levels(ngx_olivine_mount_t *mount);


#endif /* _NGX_OLIVINE_HANDLER_H_INCLUDED_ */
