
/*
 * Copyright (C) The Olivine authors
 *
 * A thread of the worker's own, for what would hold up the event loop and
 * needs none of the store's locks: making huge pages.
 */


#ifndef _NGX_OLIVINE_HELPER_H_INCLUDED_
#define _NGX_OLIVINE_HELPER_H_INCLUDED_


#include "module/ngx_olivine_mount.h"


/* Starts it; without it nothing is amiss.  It ends with the process. */
void ngx_olivine_helper_start(ngx_olivine_mount_t *mount);


#endif /* _NGX_OLIVINE_HELPER_H_INCLUDED_ */
