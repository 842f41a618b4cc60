
/*
 * Copyright (C) The Olivine authors
 *
 * An even spread of clients over the workers of a generation.
 *
 * Workers share their listening sockets; each is told of a new connection in
 * turn, but one that is awake takes what it finds before another has woken
 * up.  So a worker with more clients than the average goes to the end of
 * nginx's queue, and one that is well ahead does not listen for a
 * millisecond.  With 50 clients and two workers each has at least 20.
 *
 * The average is that of the slots' gauges; with "reuseport" the kernel
 * spreads connections by a hash, and with "accept_mutex on" nginx chooses.
 */


#ifndef _NGX_OLIVINE_ACCEPT_H_INCLUDED_
#define _NGX_OLIVINE_ACCEPT_H_INCLUDED_


#include "module/ngx_olivine_mount.h"


/* A client came from that socket. */
void ngx_olivine_accept_share(ngx_olivine_mount_t *mount,
    ngx_listening_t *ls);

/* Before the process ends. */
void ngx_olivine_accept_done(ngx_olivine_mount_t *mount);


#endif /* _NGX_OLIVINE_ACCEPT_H_INCLUDED_ */
