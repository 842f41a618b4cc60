
/*
 * Copyright (C) The Olivine authors
 *
 * A zone as one process has it, over all its configurations.
 *
 * A configuration that names the zone holds a reference from the moment
 * nginx initialises its shared memory until its pool is destroyed.  The last
 * reference unmaps the zone: so a configuration that nginx drops at the last
 * moment undoes what it made, and a zone that a reload no longer has goes
 * with the configuration before.
 */


#ifndef _NGX_OLIVINE_MOUNT_H_INCLUDED_
#define _NGX_OLIVINE_MOUNT_H_INCLUDED_


#include "client/ngx_olivine_client.h"
#include "module/ngx_olivine_conf.h"
#include "module/ngx_olivine_turn.h"
#include "prof/ngx_olivine_cpu.h"


struct ngx_olivine_mount_s {
    ngx_olivine_zone_t     *zone;
    int                     fd;
    ngx_uint_t              refs;
    int                     dir;         /* its lock, or -1 */

    /* of a worker process; the rest is zero elsewhere */

    ngx_olivine_worker_t   *worker;      /* NULL: no slot was free */
    ngx_olivine_cpu_t      *cpu;         /* NULL: there was no memory */
    uint32_t                cycle;       /* this process's generation */
    ngx_connection_t       *bell;
    ngx_event_t             tick;
    ngx_event_t             flush;       /* at the end of a pass of the loop */
    ngx_olivine_turn_t      turn;
    ngx_event_t             accept;
    ngx_connection_t       *listening;   /* that pauses, or is going to */
    int64_t                 loglevel;    /* that logs are at; -1: nginx's */
    ngx_uint_t              log_level;   /* the same as nginx says; 0 */
    ngx_msec_t              deadline;    /* for clients, or for heirs */
    unsigned                quitting:1;
    unsigned                refused:1;   /* and that was logged */
};


/* The hook in nginx's own shared memory. */
ngx_int_t ngx_olivine_mount_init(ngx_shm_zone_t *shm_zone, void *data);

/* A pool's cleanup: gives the reference back. */
void ngx_olivine_mount_release(void *data);

/* init_module: what a new configuration changes in zones that live. */
ngx_int_t ngx_olivine_mount_commit(ngx_cycle_t *cycle);

/* exit_master: no worker lives, so dead slots are swept. */
void ngx_olivine_mount_end(ngx_cycle_t *cycle);


#endif /* _NGX_OLIVINE_MOUNT_H_INCLUDED_ */
