
/*
 * Copyright (C) The Olivine authors
 *
 * The block of an "olivine_zone": its parameters, and what is like them.
 */


#include "module/ngx_olivine_conf.h"

#include <sys/stat.h>


/* most commands that may have another name */
#define NGX_OLIVINE_CONF_RENAMES  256


static ngx_int_t ngx_olivine_conf_note(ngx_array_t *names, ngx_str_t *name);
static char *ngx_olivine_conf_other(ngx_conf_t *cf,
    ngx_olivine_conf_zone_t *oz,
    const ngx_olivine_param_name_row_t *other);
static char *ngx_olivine_conf_rename(ngx_conf_t *cf,
    ngx_olivine_conf_zone_t *oz);
static ngx_olivine_rename_t *ngx_olivine_conf_rename_push(ngx_conf_t *cf,
    ngx_olivine_conf_zone_t *oz, const ngx_olivine_command_t *command);
static char *ngx_olivine_conf_unknown_param(ngx_conf_t *cf, ngx_str_t *name);
static ngx_uint_t ngx_olivine_conf_writable(ngx_cycle_t *cycle,
    ngx_file_info_t *fi, u_char *path);


ngx_uint_t  ngx_olivine_standalone;


ngx_int_t
ngx_olivine_conf_params_init(ngx_conf_t *cf, ngx_olivine_conf_zone_t *oz)
{
    ngx_uint_t  n;

    for (n = 0; ngx_olivine_params[n].name.len; n++) {
        /* void */
    }

    oz->given = ngx_pcalloc(cf->pool, n + 1);

    if (oz->given == NULL
        || ngx_array_init(&oz->idle, cf->pool, 8, sizeof(ngx_str_t))
           != NGX_OK
        || ngx_array_init(&oz->hosted, cf->pool, 8, sizeof(ngx_str_t))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_olivine_params_defaults(&oz->params);

    return NGX_OK;
}


char *
ngx_olivine_conf_param(ngx_conf_t *cf, ngx_command_t *dummy, void *conf)
{
    ngx_olivine_conf_zone_t *oz = conf;

    u_char                               text[NGX_OLIVINE_PARAM_ERROR];
    u_char                              *given;
    ngx_str_t                           *value, err;
    ngx_array_t                         *names;
    const ngx_olivine_param_t           *row;
    const ngx_olivine_param_name_row_t  *other;

    value = cf->args->elts;

    if (cf->args->nelts == 2 && ngx_strcmp(value[0].data, "include") == 0) {
        return ngx_conf_include(cf, dummy, conf);
    }

    if (ngx_strcasecmp(value[0].data, (u_char *) "rename-command") == 0) {
        return ngx_olivine_conf_rename(cf, oz);
    }

    row = ngx_olivine_params_find(value[0].data, value[0].len);

    if (row == NULL) {
        other = ngx_olivine_params_other(value[0].data, value[0].len);

        return other ? ngx_olivine_conf_other(cf, oz, other)
                     : ngx_olivine_conf_unknown_param(cf, &value[0]);
    }

    if (cf->args->nelts == 1) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "parameter \"%V\" has no value, it takes: %s",
                           &row->name, row->type->name);
        return NGX_CONF_ERROR;
    }

    given = &oz->given[row - ngx_olivine_params];

    err.data = text;
    err.len = 0;

    if (ngx_olivine_params_add(&oz->params, row, &value[1],
                               cf->args->nelts - 1, *given, &err)
        != NGX_OK)
    {
        if (row->flags & NGX_OLIVINE_PARAM_SECRET) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "wrong value of parameter \"%V\": %V",
                               &row->name, &err);

        } else {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "wrong value \"%V\" of parameter \"%V\": %V",
                               &value[1], &row->name, &err);
        }

        return NGX_CONF_ERROR;
    }

    names = (row->flags & NGX_OLIVINE_PARAM_IDLE) ? &oz->idle
            : (row->flags & NGX_OLIVINE_PARAM_HOST) ? &oz->hosted
            : NULL;

    if (names && !*given
        && ngx_olivine_conf_note(names, (ngx_str_t *) &row->name) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    *given = 1;

    return NGX_CONF_OK;
}


/* A folder is kept whole: who reads it may not know where nginx started. */

char *
ngx_olivine_conf_params_done(ngx_conf_t *cf, ngx_olivine_conf_zone_t *oz)
{
    u_char                      text[NGX_OLIVINE_PARAM_ERROR];
    u_char                      dir[NGX_OLIVINE_DIR_MAX + 1];
    ngx_str_t                   path, err;
    const ngx_olivine_param_t  *row;

    /* another nginx writes no files that nobody asked for */

    if (!ngx_olivine_standalone && !ngx_olivine_conf_given(oz, "save")) {
        oz->params.save.n = 0;
    }

    row = ngx_olivine_params_find((u_char *) "dir", 3);

    path.len = oz->params.dir.len;
    path.data = dir;

    ngx_memcpy(dir, oz->params.dir.data, path.len + 1);

    if (path.len == 1 && path.data[0] == '.') {
        dir[0] = '\0';
        path.len = 0;
    }

    if (path.len == 0 || path.data[0] != '/') {
        if (ngx_conf_full_name(cf->cycle, &path, 0) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    while (path.len > 1 && path.data[path.len - 1] == '/') {
        path.len--;
    }

    err.data = text;
    err.len = 0;

    if (ngx_olivine_params_set(&oz->params, row, &path, 1, &err) != NGX_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "wrong value \"%V\" of parameter \"dir\": %V",
                           &path, &err);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


ngx_uint_t
ngx_olivine_conf_given(ngx_olivine_conf_zone_t *oz, const char *name)
{
    const ngx_olivine_param_t  *row;

    row = ngx_olivine_params_find((u_char *) name, ngx_strlen(name));

    return row && oz->given[row - ngx_olivine_params];
}


static ngx_int_t
ngx_olivine_conf_note(ngx_array_t *names, ngx_str_t *name)
{
    ngx_str_t   *p;
    ngx_uint_t   i;

    p = names->elts;

    for (i = 0; i < names->nelts; i++) {
        if (p[i].data == name->data) {
            return NGX_OK;
        }
    }

    p = ngx_array_push(names);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *p = *name;

    return NGX_OK;
}


/* Known to Redis, and either of no use here, or not there at all. */

static char *
ngx_olivine_conf_other(ngx_conf_t *cf, ngx_olivine_conf_zone_t *oz,
    const ngx_olivine_param_name_row_t *other)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_olivine_params_refused(other, &value[1], cf->args->nelts - 1)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "parameter \"%V\": %s",
                           &other->name, other->refuse);
        return NGX_CONF_ERROR;
    }

    if (ngx_olivine_conf_note(&oz->idle, (ngx_str_t *) &other->name)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/* A command that is not there needs no other name, nor to be taken away. */

static char *
ngx_olivine_conf_rename(ngx_conf_t *cf, ngx_olivine_conf_zone_t *oz)
{
    ngx_str_t                    *value;
    ngx_olivine_rename_t         *rename;
    const ngx_olivine_command_t  *command;

    value = cf->args->elts;

    if (cf->args->nelts != 3) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rename-command\" takes a command and its new "
                           "name, or \"\" to take it away");
        return NGX_CONF_ERROR;
    }

    if (ngx_olivine_commands_init() != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    command = ngx_olivine_renamed_find(oz->renames, value[1].data,
                                       value[1].len);
    if (command == NULL) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "\"rename-command\": there is no command \"%V\"",
                           &value[1]);
        return NGX_CONF_OK;
    }

    if (value[2].len >= NGX_OLIVINE_COMMAND_NAME) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rename-command\": the new name of \"%V\" is "
                           "longer than %d bytes", &value[1],
                           NGX_OLIVINE_COMMAND_NAME - 1);
        return NGX_CONF_ERROR;
    }

    if (value[2].len
        && ngx_olivine_renamed_find(oz->renames, value[2].data, value[2].len))
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rename-command\": there is a command \"%V\" "
                           "already", &value[2]);
        return NGX_CONF_ERROR;
    }

    rename = ngx_olivine_conf_rename_push(cf, oz, command);
    if (rename == NULL) {
        return NGX_CONF_ERROR;
    }

    rename->command = command;
    rename->name = value[2];

    return NGX_CONF_OK;
}


static ngx_olivine_rename_t *
ngx_olivine_conf_rename_push(ngx_conf_t *cf, ngx_olivine_conf_zone_t *oz,
    const ngx_olivine_command_t *command)
{
    ngx_uint_t              i;
    ngx_olivine_renames_t  *renames;

    renames = oz->renames;

    if (renames == NULL) {
        renames = ngx_pcalloc(cf->pool, sizeof(ngx_olivine_renames_t)
                              + NGX_OLIVINE_CONF_RENAMES
                                * sizeof(ngx_olivine_rename_t));
        if (renames == NULL) {
            return NULL;
        }

        oz->renames = renames;
    }

    for (i = 0; i < renames->n; i++) {
        if (renames->elts[i].command == command) {
            return &renames->elts[i];
        }
    }

    if (i == NGX_OLIVINE_CONF_RENAMES) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"rename-command\": more than %d names",
                           NGX_OLIVINE_CONF_RENAMES);
        return NULL;
    }

    renames->n++;

    return &renames->elts[i];
}


static char *
ngx_olivine_conf_unknown_param(ngx_conf_t *cf, ngx_str_t *name)
{
    ngx_str_t  *best;

    best = ngx_olivine_params_nearest(name->data, name->len);

    if (best) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "unknown parameter \"%V\" of an olivine_zone, "
                           "did you mean \"%V\"?", name, best);

    } else {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "unknown parameter \"%V\" of an olivine_zone, "
                           "those of redis.conf are known", name);
    }

    return NGX_CONF_ERROR;
}


ngx_int_t
ngx_olivine_conf_check_dir(ngx_olivine_conf_zone_t *oz, ngx_log_t *log)
{
    ngx_str_t                   path;
    ngx_file_info_t             fi;

    if (!ngx_olivine_conf_given(oz, "dir")) {
        return NGX_OK;
    }

    path.len = oz->params.dir.len;
    path.data = oz->params.dir.data;

    if (ngx_conf_full_name(oz->owner, &path, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_file_info(path.data, &fi) == NGX_FILE_ERROR) {
        ngx_log_error(NGX_LOG_EMERG, log, ngx_errno,
                      "olivine_zone \"%V\": parameter \"dir\": \"%V\" is to "
                      "be a directory", &oz->name, &path);
        return NGX_ERROR;
    }

    if (!ngx_is_dir(&fi)) {
        ngx_log_error(NGX_LOG_EMERG, log, 0,
                      "olivine_zone \"%V\": parameter \"dir\": \"%V\" is not "
                      "a directory", &oz->name, &path);
        return NGX_ERROR;
    }

    if (!ngx_olivine_conf_writable(oz->owner, &fi, path.data)) {
        ngx_log_error(NGX_LOG_EMERG, log, 0,
                      "olivine_zone \"%V\": parameter \"dir\": the workers "
                      "may not write to \"%V\", it is to belong to their "
                      "user", &oz->name, &path);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* May the workers write there?  The master may be root, they are not. */

static ngx_uint_t
ngx_olivine_conf_writable(ngx_cycle_t *cycle, ngx_file_info_t *fi,
    u_char *path)
{
    mode_t            mode;
    ngx_core_conf_t  *ccf;

    if (geteuid() != 0) {
        return access((char *) path, W_OK|X_OK) == 0;
    }

    ccf = (ngx_core_conf_t *) ngx_get_conf(cycle->conf_ctx, ngx_core_module);

    if (ccf->user == 0) {
        return 1;
    }

    if (fi->st_uid == ccf->user) {
        mode = S_IWUSR|S_IXUSR;

    } else if (fi->st_gid == ccf->group) {
        mode = S_IWGRP|S_IXGRP;

    } else {
        mode = S_IWOTH|S_IXOTH;
    }

    return (fi->st_mode & mode) == mode;
}
