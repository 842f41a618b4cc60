
/*
 * Copyright (C) The Olivine authors
 *
 * olivine_allow_commands, olivine_deny_commands, olivine_allow_keys: what a
 * server offers of its zone.
 */


#ifndef _NGX_OLIVINE_CONF_RULES_H_INCLUDED_
#define _NGX_OLIVINE_CONF_RULES_H_INCLUDED_


#include "module/ngx_olivine_conf.h"


/* Both directives of commands; cmd->offset tells which. */
char *ngx_olivine_conf_commands(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

char *ngx_olivine_conf_keys(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * What a server does not say itself it has from the stream block; then its
 * rules are made.  OK or ERROR.
 */
ngx_int_t ngx_olivine_conf_rules_merge(ngx_conf_t *cf,
    ngx_olivine_srv_conf_t *prev, ngx_olivine_srv_conf_t *conf);


#endif /* _NGX_OLIVINE_CONF_RULES_H_INCLUDED_ */
