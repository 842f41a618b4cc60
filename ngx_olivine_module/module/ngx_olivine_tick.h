
/*
 * Copyright (C) The Olivine authors
 *
 * The clock of a worker: background work of the zone, and of the host.
 */


#ifndef _NGX_OLIVINE_TICK_H_INCLUDED_
#define _NGX_OLIVINE_TICK_H_INCLUDED_


#include "module/ngx_olivine_mount.h"


void ngx_olivine_tick_start(ngx_olivine_mount_t *mount);
void ngx_olivine_tick_stop(ngx_olivine_mount_t *mount);

/*
 * Clients came or went: with a client this timer keeps an exiting worker
 * alive, without one it does not.
 */
#define ngx_olivine_tick_hold(mount)                                          \
    (mount)->tick.cancelable = ((mount)->worker->nclients == 0)


#endif /* _NGX_OLIVINE_TICK_H_INCLUDED_ */
