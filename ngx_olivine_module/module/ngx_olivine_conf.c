
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_conf.h"
#include "module/ngx_olivine_conf_rules.h"
#include "module/ngx_olivine_forms.h"
#include "module/ngx_olivine_handler.h"
#include "module/ngx_olivine_mount.h"


#define NGX_OLIVINE_CONF_HOOK  (64 * 1024)      /* nginx's own memory */


static char *ngx_olivine_conf_zone_size(ngx_conf_t *cf, ngx_str_t *text,
    size_t *limit);
static char *ngx_olivine_conf_zone_name(ngx_conf_t *cf, ngx_str_t *name);
static ngx_int_t ngx_olivine_conf_hook(ngx_conf_t *cf,
    ngx_olivine_conf_zone_t *oz);
static void ngx_olivine_conf_form(ngx_olivine_main_conf_t *omcf,
    ngx_command_t *cmd);


void *
ngx_olivine_conf_create_main(ngx_conf_t *cf)
{
    ngx_olivine_main_conf_t  *omcf;

    omcf = ngx_pcalloc(cf->pool, sizeof(ngx_olivine_main_conf_t));
    if (omcf == NULL) {
        return NULL;
    }

    if (ngx_array_init(&omcf->zones, cf->pool, 1,
                       sizeof(ngx_olivine_conf_zone_t *))
        != NGX_OK
        || ngx_array_init(&omcf->forms, cf->temp_pool, 4, sizeof(u_char))
           != NGX_OK)
    {
        return NULL;
    }

    omcf->shutdown = NGX_CONF_UNSET;

    return omcf;
}


void *
ngx_olivine_conf_create_srv(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_olivine_srv_conf_t));
}


char *
ngx_olivine_conf_merge_srv(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_olivine_srv_conf_t *conf = child;
    ngx_olivine_srv_conf_t *prev = parent;

    ngx_olivine_main_conf_t  *omcf;

    if (conf->name.data == NULL) {
        return NGX_CONF_OK;
    }

    if (ngx_olivine_conf_rules_merge(cf, prev, conf) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    omcf = ngx_stream_conf_get_module_main_conf(cf, ngx_olivine_module);

    conf->zone = ngx_olivine_conf_named(omcf, &conf->name, conf->file,
                                        conf->line, cf->log);

    return conf->zone ? NGX_CONF_OK : NGX_CONF_ERROR;
}


ngx_int_t
ngx_olivine_conf_prepare(ngx_conf_t *cf, ngx_command_t *cmd)
{
    ngx_olivine_main_conf_t  *omcf;

    omcf = ngx_stream_conf_get_module_main_conf(cf, ngx_olivine_module);

    if (ngx_olivine_forms_read(cf, &cmd->name, &omcf->forms) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_olivine_conf_form(omcf, cmd);

    return NGX_OK;
}


char *
ngx_olivine_conf_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_olivine_main_conf_t *omcf = conf;

    char                      *rv;
    size_t                     limit;
    ngx_str_t                 *value;
    ngx_uint_t                 block;
    ngx_conf_t                 save;
    ngx_olivine_conf_zone_t   *oz, **ozp;

    value = cf->args->elts;
    block = cmd->type & NGX_CONF_BLOCK;

    ngx_olivine_conf_form(omcf, cmd);

    if (ngx_olivine_conf_zone_name(cf, &value[1]) != NGX_CONF_OK
        || ngx_olivine_conf_zone_size(cf, &value[2], &limit) != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    if (ngx_olivine_conf_find(omcf, &value[1])) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "duplicate olivine_zone \"%V\"", &value[1]);
        return NGX_CONF_ERROR;
    }

    oz = ngx_pcalloc(cf->pool, sizeof(ngx_olivine_conf_zone_t));
    if (oz == NULL) {
        return NGX_CONF_ERROR;
    }

    if (ngx_olivine_conf_params_init(cf, oz) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    oz->owner = cf->cycle;
    oz->name = value[1];
    oz->limit = limit;

    ozp = ngx_array_push(&omcf->zones);
    if (ozp == NULL) {
        return NGX_CONF_ERROR;
    }

    *ozp = oz;

    if (ngx_olivine_conf_hook(cf, oz) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (!block) {
        return ngx_olivine_conf_params_done(cf, oz);
    }

    save = *cf;
    cf->handler = ngx_olivine_conf_param;
    cf->handler_conf = (char *) oz;

    rv = ngx_conf_parse(cf, NULL);

    *cf = save;

    return rv == NGX_CONF_OK ? ngx_olivine_conf_params_done(cf, oz) : rv;
}


char *
ngx_olivine_conf_server(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_olivine_srv_conf_t *oscf = conf;

    ngx_str_t                   *value;
    ngx_stream_core_srv_conf_t  *cscf;

    if (oscf->name.data) {
        return "is duplicate";
    }

    value = cf->args->elts;

    oscf->name = value[1];
    oscf->file = cf->conf_file->file.name.data;
    oscf->line = cf->conf_file->line;

    cscf = ngx_stream_conf_get_module_srv_conf(cf, ngx_stream_core_module);
    cscf->handler = ngx_olivine_handler;

    return NGX_CONF_OK;
}


ngx_olivine_conf_zone_t *
ngx_olivine_conf_find(ngx_olivine_main_conf_t *omcf, ngx_str_t *name)
{
    ngx_uint_t                 i;
    ngx_olivine_conf_zone_t  **oz;

    oz = omcf->zones.elts;

    for (i = 0; i < omcf->zones.nelts; i++) {
        if (oz[i]->name.len == name->len
            && ngx_strncmp(oz[i]->name.data, name->data, name->len) == 0)
        {
            return oz[i];
        }
    }

    return NULL;
}


ngx_olivine_conf_zone_t *
ngx_olivine_conf_named(ngx_olivine_main_conf_t *omcf, ngx_str_t *name,
    u_char *file, ngx_uint_t line, ngx_log_t *log)
{
    ngx_str_t                 *best;
    ngx_uint_t                 i, distance;
    ngx_olivine_conf_zone_t   *zone, **oz;

    best = NULL;

    if (omcf) {
        zone = ngx_olivine_conf_find(omcf, name);

        if (zone) {
            return zone;
        }

        distance = NGX_OLIVINE_CONF_NEAR;
        oz = omcf->zones.elts;

        for (i = 0; i < omcf->zones.nelts; i++) {
            best = ngx_olivine_conf_nearer(name, &oz[i]->name, best,
                                           &distance);
        }
    }

    if (best) {
        ngx_log_error(NGX_LOG_EMERG, log, 0,
                      "unknown olivine_zone \"%V\", did you mean \"%V\"? "
                      "in %s:%ui", name, best, file, line);

    } else {
        ngx_log_error(NGX_LOG_EMERG, log, 0,
                      "unknown olivine_zone \"%V\", it is to be declared by "
                      "\"olivine_zone %V SIZE;\" in the stream block "
                      "in %s:%ui", name, name, file, line);
    }

    return NULL;
}


ngx_str_t *
ngx_olivine_conf_nearer(ngx_str_t *name, ngx_str_t *known, ngx_str_t *best,
    ngx_uint_t *distance)
{
    ngx_uint_t  d;

    d = ngx_olivine_params_distance(name, known);

    if (d < *distance && d < known->len) {
        *distance = d;
        return known;
    }

    return best;
}


static char *
ngx_olivine_conf_zone_size(ngx_conf_t *cf, ngx_str_t *text, size_t *limit)
{
    off_t  size;

    size = ngx_parse_offset(text);

    if (size == NGX_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid size \"%V\" of an olivine_zone, it is a "
                           "number of bytes, or one with \"k\", \"m\" or "
                           "\"g\"", text);
        return NGX_CONF_ERROR;
    }

    if (size < NGX_OLIVINE_ZONE_MIN) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "size \"%V\" of an olivine_zone is too small, "
                           "at least it is \"%dm\"", text,
                           NGX_OLIVINE_ZONE_MIN / (1024 * 1024));
        return NGX_CONF_ERROR;
    }

    if ((uint64_t) size > NGX_OLIVINE_ZONE_STRIDE / 2) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "size \"%V\" of an olivine_zone is too large, "
                           "at most it is \"%uLg\"", text,
                           (uint64_t) NGX_OLIVINE_ZONE_STRIDE / 2
                           / (1024 * 1024 * 1024));
        return NGX_CONF_ERROR;
    }

    *limit = size;

    return NGX_CONF_OK;
}


static char *
ngx_olivine_conf_zone_name(ngx_conf_t *cf, ngx_str_t *name)
{
    u_char      ch;
    ngx_uint_t  i;

    for (i = 0; i < name->len; i++) {
        ch = name->data[i];

        if ((ch | 0x20) >= 'a' && (ch | 0x20) <= 'z') {
            continue;
        }

        if ((ch >= '0' && ch <= '9') || ch == '_' || ch == '-' || ch == '.') {
            continue;
        }

        break;
    }

    if (i < name->len || name->len == 0
        || name->len >= NGX_OLIVINE_ZONE_NAME)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid name \"%V\" of an olivine_zone, it has "
                           "1 to %d letters, digits, and \"_\", \"-\", "
                           "\".\"", name, NGX_OLIVINE_ZONE_NAME - 1);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/*
 * A small zone of nginx, whose initialisation is the place to refuse a
 * configuration, and the way to hand a zone on to the next one.
 */

static ngx_int_t
ngx_olivine_conf_hook(ngx_conf_t *cf, ngx_olivine_conf_zone_t *oz)
{
    ngx_str_t            name;
    ngx_shm_zone_t      *shm_zone;
    ngx_pool_cleanup_t  *cln;

    name.len = sizeof("olivine_zone_") - 1 + oz->name.len;
    name.data = ngx_pnalloc(cf->pool, name.len);

    if (name.data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_sprintf(name.data, "olivine_zone_%V", &oz->name);

    shm_zone = ngx_shared_memory_add(cf, &name, NGX_OLIVINE_CONF_HOOK,
                                     &ngx_olivine_module);
    if (shm_zone == NULL) {
        return NGX_ERROR;
    }

    shm_zone->init = ngx_olivine_mount_init;
    shm_zone->data = oz;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_olivine_mount_release;
    cln->data = oz;

    return NGX_OK;
}


/* What the next directive is going to look like. */

static void
ngx_olivine_conf_form(ngx_olivine_main_conf_t *omcf, ngx_command_t *cmd)
{
    u_char  *form;

    form = omcf->forms.elts;

    cmd->type &= ~NGX_CONF_BLOCK;

    if (omcf->form < omcf->forms.nelts && form[omcf->form++]) {
        cmd->type |= NGX_CONF_BLOCK;
    }
}
