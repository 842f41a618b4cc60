
/*
 * Copyright (C) The Olivine authors
 *
 * CONFIG: the running parameters, which lie in the zone behind a lock of
 * their own.  A CONFIG SET of several is one transaction.
 */


#include "command/ngx_olivine_cmd.h"
#include "base/ngx_olivine_glob.h"


/* of a row in the journal: an address, padding */
#define NGX_OLIVINE_CONFIG_ROOM  64


typedef void (*ngx_olivine_config_each_pt)(ngx_olivine_cx_t *cx,
    const ngx_olivine_param_t *row, const ngx_str_t *name, void *data);


static ngx_uint_t ngx_olivine_config_each(ngx_olivine_cx_t *cx,
    ngx_olivine_config_each_pt each, void *data);
static ngx_uint_t ngx_olivine_config_match(ngx_olivine_cx_t *cx,
    const ngx_olivine_param_t *row, const ngx_str_t *name,
    ngx_str_t *written);
static ngx_uint_t ngx_olivine_config_glob(ngx_olivine_arg_t *arg);
static void ngx_olivine_config_print(ngx_olivine_cx_t *cx,
    const ngx_olivine_param_t *row, const ngx_str_t *name, void *data);
static ngx_uint_t ngx_olivine_config_protected(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_config_check_dir(ngx_olivine_cx_t *cx,
    ngx_uint_t arg);
static ngx_int_t ngx_olivine_config_check(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_config_refuse(ngx_olivine_cx_t *cx,
    ngx_str_t *name, ngx_str_t *why);
static ngx_int_t ngx_olivine_config_apply(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_config_parse(ngx_olivine_cx_t *cx,
    ngx_olivine_params_t *params);
static ngx_int_t ngx_olivine_config_store(ngx_olivine_cx_t *cx,
    ngx_olivine_params_t *params);
static const ngx_olivine_param_t *ngx_olivine_config_row(
    ngx_olivine_cx_t *cx, ngx_uint_t arg);


ngx_int_t
ngx_olivine_cmd_config_get(ngx_olivine_cx_t *cx)
{
    ngx_int_t              rc;
    ngx_uint_t             n;
    ngx_olivine_params_t   params;

    rc = ngx_olivine_cx_in_zone(cx, ngx_olivine_config_read, &params);
    if (rc != NGX_OK) {
        return rc;
    }

    n = ngx_olivine_config_each(cx, NULL, NULL);

    (void) ngx_olivine_reply_map(cx->reply, n);

    (void) ngx_olivine_config_each(cx, ngx_olivine_config_print, &params);

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


/* Names of rows, in order, that the arguments match; their number. */

static ngx_uint_t
ngx_olivine_config_each(ngx_olivine_cx_t *cx, ngx_olivine_config_each_pt each,
    void *data)
{
    ngx_str_t                            written;
    ngx_uint_t                           n;
    const ngx_str_t                     *name;
    const ngx_olivine_param_t           *row, *next;
    const ngx_olivine_param_name_row_t  *other;

    n = 0;
    next = ngx_olivine_params;
    other = ngx_olivine_param_names;

    while (next->name.len || other->row) {

        if (other->row == NULL
            || (next->name.len
                && ngx_strcmp(next->name.data, other->name.data) < 0))
        {
            name = &next->name;
            row = next++;

        } else {
            name = &other->name;
            row = ngx_olivine_params_find((u_char *) other->row,
                                          ngx_strlen(other->row));
            other++;
        }

        if (ngx_olivine_config_match(cx, row, name, &written)) {
            n++;

            if (each) {
                each(cx, row, &written, data);
            }
        }
    }

    return n;
}


ngx_int_t
ngx_olivine_config_read(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_params_t *params = data;

    ngx_int_t  rc;

    rc = ngx_olivine_tx_lock_params(cx->tx);

    if (rc == NGX_OK) {
        *params = cx->zone->params;
    }

    return rc;
}


/* As in Redis, a name without wildcards is replied as it was written. */

static ngx_uint_t
ngx_olivine_config_match(ngx_olivine_cx_t *cx, const ngx_olivine_param_t *row,
    const ngx_str_t *name, ngx_str_t *written)
{
    ngx_str_t   pattern;
    ngx_uint_t  i;

    for (i = 2; i < cx->argc; i++) {

        pattern = ngx_olivine_cx_arg(cx, i);

        if (ngx_olivine_config_glob(&cx->argv[i])) {

            if (!(row->flags & NGX_OLIVINE_PARAM_HIDDEN)
                && ngx_olivine_glob_match(&pattern, name->data, name->len, 1))
            {
                *written = *name;
                return 1;
            }

        } else if (pattern.len == name->len
                   && ngx_strncasecmp(pattern.data, name->data, name->len)
                      == 0)
        {
            *written = pattern;
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_olivine_config_glob(ngx_olivine_arg_t *arg)
{
    size_t  i;

    for (i = 0; i < arg->len; i++) {
        if (arg->data[i] == '*' || arg->data[i] == '?' || arg->data[i] == '[')
        {
            return 1;
        }
    }

    return 0;
}


static void
ngx_olivine_config_print(ngx_olivine_cx_t *cx,
    const ngx_olivine_param_t *row, const ngx_str_t *name, void *data)
{
    ngx_olivine_params_t *params = data;

    u_char  text[NGX_OLIVINE_PARAM_PRINT], *p;

    p = ngx_olivine_params_print(params, row, text, text + sizeof(text));

    (void) ngx_olivine_reply_bulk(cx->reply, name->data, name->len);
    (void) ngx_olivine_reply_bulk(cx->reply, text, p - text);
}


ngx_int_t
ngx_olivine_cmd_config_set(ngx_olivine_cx_t *cx)
{
    ngx_int_t  rc;

    if (ngx_olivine_config_check(cx) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_olivine_cx_in_zone(cx, ngx_olivine_config_apply, NULL);
    if (rc != NGX_OK) {
        return rc;
    }

    /* what it says of the slow log holds for itself */

    ngx_olivine_meter_params(&cx->meter, &cx->zone->params);

    return ngx_olivine_reply_ok(cx->reply);
}


/* What was counted so far, by all workers, counts no more. */

ngx_int_t
ngx_olivine_cmd_config_resetstat(ngx_olivine_cx_t *cx)
{
    ngx_olivine_stats_reset(cx->tx);

    return ngx_olivine_reply_ok(cx->reply);
}


/* Looks at the names, before anything is locked. */

static ngx_int_t
ngx_olivine_config_check(ngx_olivine_cx_t *cx)
{
    ngx_str_t                   name;
    ngx_uint_t                  i, k;
    const ngx_olivine_param_t  *row;

    static ngx_str_t  immutable = ngx_string("can't set immutable config");
    static ngx_str_t  protected = ngx_string("can't set protected config");
    static ngx_str_t  duplicate = ngx_string("duplicate parameter");

    if (cx->argc & 1) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    for (i = 2; i < cx->argc; i += 2) {

        name = ngx_olivine_cx_arg(cx, i);
        row = ngx_olivine_config_row(cx, i);

        if (row == NULL) {
            return ngx_olivine_cx_error(cx, "ERR Unknown option or number of "
                                        "arguments for CONFIG SET - '%V'",
                                        &name);
        }

        if (row->flags & NGX_OLIVINE_PARAM_SECRET) {
            ngx_olivine_cx_redact(cx, i + 1);
        }

        if (!(row->flags & (NGX_OLIVINE_PARAM_LIVE|NGX_OLIVINE_PARAM_SAME)))
        {
            return ngx_olivine_config_refuse(cx, &name, &immutable);
        }

        if ((row->flags & NGX_OLIVINE_PARAM_PROTECTED)
            && ngx_olivine_config_protected(cx))
        {
            return ngx_olivine_config_refuse(cx, &name, &protected);
        }

        for (k = 2; k < i; k += 2) {
            if (ngx_olivine_config_row(cx, k) == row) {
                return ngx_olivine_config_refuse(cx, &name, &duplicate);
            }
        }

        if (row->offset == offsetof(ngx_olivine_params_t, dir) && !cx->nested
            && ngx_olivine_config_check_dir(cx, i) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_olivine_config_protected(ngx_olivine_cx_t *cx)
{
    switch (cx->zone->params.enable_protected_configs) {

    case NGX_OLIVINE_DEBUG_YES:
        return 0;

    case NGX_OLIVINE_DEBUG_LOCAL:
        return !cx->caller->local;

    default:
        return 1;
    }
}


/* The folder is to be there; nothing is locked but in a transaction. */

static ngx_int_t
ngx_olivine_config_check_dir(ngx_olivine_cx_t *cx, ngx_uint_t arg)
{
    u_char           path[NGX_OLIVINE_DIR_MAX + 1], *last;
    ngx_err_t        err;
    ngx_str_t        name, value, why;
    ngx_file_info_t  fi;

    static ngx_str_t  relative = ngx_string("the path is to begin with '/'");

    name = ngx_olivine_cx_arg(cx, arg);
    value = ngx_olivine_cx_arg(cx, arg + 1);

    if (value.len > NGX_OLIVINE_DIR_MAX) {
        return NGX_OK;                 /* the type says so */
    }

    last = ngx_cpymem(path, value.data, value.len);
    *last = '\0';

    err = 0;

    if (value.len && path[0] != '/') {
        return ngx_olivine_config_refuse(cx, &name, &relative);
    }

    if (ngx_file_info(path, &fi) == NGX_FILE_ERROR) {
        err = ngx_errno;

    } else if (!ngx_is_dir(&fi)) {
        err = NGX_ENOTDIR;
    }

    if (err == 0) {
        return NGX_OK;
    }

    why.data = (u_char *) strerror(err);
    why.len = ngx_strlen(why.data);

    return ngx_olivine_config_refuse(cx, &name, &why);
}


static ngx_int_t
ngx_olivine_config_refuse(ngx_olivine_cx_t *cx, ngx_str_t *name,
    ngx_str_t *why)
{
    return ngx_olivine_cx_error(cx, "ERR CONFIG SET failed (possibly related "
                                "to argument '%V') - %V", name, why);
}


static ngx_int_t
ngx_olivine_config_apply(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_int_t             rc;
    ngx_olivine_params_t  params;

    rc = ngx_olivine_config_read(cx, shard, &params);

    if (rc == NGX_OK) {
        rc = ngx_olivine_config_parse(cx, &params);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_config_store(cx, &params);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_config_parse(ngx_olivine_cx_t *cx, ngx_olivine_params_t *params)
{
    u_char                      text[NGX_OLIVINE_PARAM_ERROR];
    ngx_str_t                   value, err, name;
    ngx_uint_t                  i;
    const ngx_olivine_param_t  *row;

    static ngx_str_t  port = ngx_string("Unable to listen on this port while "
                                        "running");
    static ngx_str_t  same = ngx_string("can't set immutable config");

    for (i = 2; i < cx->argc; i += 2) {

        row = ngx_olivine_config_row(cx, i);
        value = ngx_olivine_cx_arg(cx, i + 1);

        err.data = text;
        err.len = 0;

        if (ngx_olivine_params_set(params, row, &value, 1, &err) != NGX_OK) {
            name = row->name;
            return ngx_olivine_config_refuse(cx, &name, &err);
        }

        /* as the server was started it goes on */

        if ((row->flags & NGX_OLIVINE_PARAM_SAME)
            && !ngx_olivine_params_equal(params, &cx->zone->params, row))
        {
            name = row->name;
            return ngx_olivine_config_refuse(cx, &name,
                       row->offset == offsetof(ngx_olivine_params_t, port)
                           ? &port : &same);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_config_store(ngx_olivine_cx_t *cx, ngx_olivine_params_t *params)
{
    size_t                      room;
    u_char                     *to;
    ngx_int_t                   rc;
    ngx_uint_t                  i;
    ngx_olivine_zone_t         *zone;
    const ngx_olivine_param_t  *row;

    zone = cx->zone;
    room = NGX_OLIVINE_JOURNAL_SMALL;

    for (i = 2; i < cx->argc; i += 2) {
        room += ngx_olivine_config_row(cx, i)->size + NGX_OLIVINE_CONFIG_ROOM;
    }

    rc = ngx_olivine_tx_room(cx->tx, room);
    if (rc != NGX_OK) {
        return rc;
    }

    for (i = 2; i < cx->argc; i += 2) {

        row = ngx_olivine_config_row(cx, i);
        to = (u_char *) &zone->params + row->offset;

        ngx_olivine_tx_save(cx->tx, to, row->size);
        ngx_olivine_params_copy(&zone->params, params, row);
    }

    ngx_olivine_tx_set32(cx->tx, &zone->params_version,
                         zone->params_version + 1);

    ngx_olivine_cx_ring(cx, NGX_OLIVINE_HINT_PARAMS);

    return NGX_OK;
}


static const ngx_olivine_param_t *
ngx_olivine_config_row(ngx_olivine_cx_t *cx, ngx_uint_t arg)
{
    return ngx_olivine_params_find(cx->argv[arg].data, cx->argv[arg].len);
}
