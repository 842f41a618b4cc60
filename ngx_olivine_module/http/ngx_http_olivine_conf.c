
/*
 * Copyright (C) The Olivine authors
 */


#include "http/ngx_http_olivine_answer.h"


void *
ngx_http_olivine_conf_create_main(ngx_conf_t *cf)
{
    ngx_http_olivine_main_conf_t  *omcf;

    omcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_olivine_main_conf_t));
    if (omcf == NULL) {
        return NULL;
    }

    if (ngx_array_init(&omcf->uses, cf->pool, 4,
                       sizeof(ngx_http_olivine_use_t *))
        != NGX_OK)
    {
        return NULL;
    }

    return omcf;
}


void *
ngx_http_olivine_conf_create_loc(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_olivine_loc_conf_t));
}


/* Only what has no name ("if", "limit_except") serves what its location does. */

char *
ngx_http_olivine_conf_merge_loc(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_olivine_loc_conf_t *prev = parent;
    ngx_http_olivine_loc_conf_t *conf = child;

    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->noname && conf->use == NULL && prev->use
        && clcf->handler == NULL)
    {
        conf->use = prev->use;
        clcf->handler = ngx_http_olivine_answer_handler;
    }

    return NGX_CONF_OK;
}


char *
ngx_http_olivine_conf_page(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_olivine_loc_conf_t *olcf = conf;

    ngx_str_t                     *value;
    ngx_http_olivine_use_t        *use, **usep;
    ngx_http_core_loc_conf_t      *clcf;
    ngx_http_olivine_main_conf_t  *omcf;

    if (olcf->use) {
        return olcf->use->fill == (ngx_http_olivine_fill_pt) cmd->post
               ? "is duplicate"
               : "is not alone: a location has one directive of Olivine";
    }

    value = cf->args->elts;

    use = ngx_pcalloc(cf->pool, sizeof(ngx_http_olivine_use_t));
    if (use == NULL) {
        return NGX_CONF_ERROR;
    }

    use->fill = (ngx_http_olivine_fill_pt) cmd->post;
    use->post = cmd->offset;
    use->name = value[1];
    use->file = cf->conf_file->file.name.data;
    use->line = cf->conf_file->line;

    omcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_olivine_module);

    usep = ngx_array_push(&omcf->uses);
    if (usep == NULL) {
        return NGX_CONF_ERROR;
    }

    *usep = use;
    olcf->use = use;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    clcf->handler = ngx_http_olivine_answer_handler;

    if (clcf->name.len && clcf->name.data[clcf->name.len - 1] == '/') {
        clcf->auto_redirect = 1;
    }

    return NGX_CONF_OK;
}


char *
ngx_http_olivine_conf_zones(ngx_cycle_t *cycle, void *conf)
{
    ngx_uint_t                      i;
    ngx_http_olivine_use_t        **use;
    ngx_http_olivine_main_conf_t   *omcf;

    if (&ngx_http_module == NULL) {
        return NGX_CONF_OK;
    }

    omcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_olivine_module);

    if (omcf == NULL) {
        return NGX_CONF_OK;
    }

    use = omcf->uses.elts;

    for (i = 0; i < omcf->uses.nelts; i++) {

        use[i]->zone = ngx_olivine_conf_named(ngx_olivine_conf_main(cycle),
                                              &use[i]->name, use[i]->file,
                                              use[i]->line, cycle->log);
        if (use[i]->zone == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}
