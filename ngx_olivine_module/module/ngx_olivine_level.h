
/*
 * Copyright (C) The Olivine authors
 *
 * The parameter "loglevel" in a worker.
 */


#ifndef _NGX_OLIVINE_LEVEL_H_INCLUDED_
#define _NGX_OLIVINE_LEVEL_H_INCLUDED_


#include "module/ngx_olivine_mount.h"


/*
 * Has the messages about clients, and in the standalone all of the worker's,
 * filtered by the parameter as it is now.
 */
void ngx_olivine_level_set(ngx_olivine_mount_t *mount);


#endif /* _NGX_OLIVINE_LEVEL_H_INCLUDED_ */
