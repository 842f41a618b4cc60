
/*
 * Copyright (C) The Olivine authors
 *
 * A worker process: its slot in each zone, its doorbells, its end.
 */


#ifndef _NGX_OLIVINE_PROCESS_H_INCLUDED_
#define _NGX_OLIVINE_PROCESS_H_INCLUDED_


#include "module/ngx_olivine_mount.h"


/* init_process */
ngx_int_t ngx_olivine_process_start(ngx_cycle_t *cycle);

/* exit_process: the zones are not to be touched after it */
void ngx_olivine_process_stop(ngx_cycle_t *cycle);

/*
 * Claims a slot, if the worker has none yet, and watches its doorbell.  OK,
 * or DECLINED, which is logged once.
 */
ngx_int_t ngx_olivine_process_claim(ngx_olivine_conf_zone_t *oz);

/*
 * From the ticks of an exiting worker that kept its clients because another
 * generation goes on: when none does any more, it quits after all.
 */
void ngx_olivine_process_heirs(ngx_olivine_mount_t *mount);


#endif /* _NGX_OLIVINE_PROCESS_H_INCLUDED_ */
