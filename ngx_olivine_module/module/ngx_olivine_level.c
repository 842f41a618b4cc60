
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_handler.h"
#include "module/ngx_olivine_level.h"


/* Redis's levels, as nginx has them */
static const ngx_uint_t  ngx_olivine_levels[] = {
    [NGX_OLIVINE_LOG_DEBUG] = NGX_LOG_DEBUG_ALL,
    [NGX_OLIVINE_LOG_VERBOSE] = NGX_LOG_INFO,
    [NGX_OLIVINE_LOG_NOTICE] = NGX_LOG_NOTICE,
    [NGX_OLIVINE_LOG_WARNING] = NGX_LOG_WARN,
    [NGX_OLIVINE_LOG_NOTHING] = NGX_LOG_EMERG
};


void
ngx_olivine_level_set(ngx_olivine_mount_t *mount)
{
    ngx_log_t  *log;

    mount->loglevel = mount->worker->params.loglevel;
    mount->log_level = ngx_olivine_levels[mount->loglevel];

    ngx_olivine_handler_levels(mount);

    if (!ngx_olivine_standalone) {
        return;
    }

    for (log = ngx_cycle->log; log; log = log->next) {
        log->log_level = mount->log_level;
    }
}
