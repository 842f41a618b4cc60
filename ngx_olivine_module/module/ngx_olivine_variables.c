
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_handler.h"
#include "module/ngx_olivine_variables.h"


typedef enum {
    NGX_OLIVINE_VARIABLE_COMMANDS = 0,
    NGX_OLIVINE_VARIABLE_ERRORS,
    NGX_OLIVINE_VARIABLE_DB,
    NGX_OLIVINE_VARIABLE_LAST,
    NGX_OLIVINE_VARIABLE_USER
} ngx_olivine_variable_e;


static ngx_int_t ngx_olivine_variables_get(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_olivine_variables_number(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uint64_t n);
static void ngx_olivine_variables_look(ngx_olivine_told_t *told,
    ngx_olivine_client_t *client);


static ngx_stream_variable_t  ngx_olivine_variables[] = {

    { ngx_string("olivine_commands"), NULL, ngx_olivine_variables_get,
      NGX_OLIVINE_VARIABLE_COMMANDS, NGX_STREAM_VAR_NOCACHEABLE, 0 },

    { ngx_string("olivine_errors"), NULL, ngx_olivine_variables_get,
      NGX_OLIVINE_VARIABLE_ERRORS, NGX_STREAM_VAR_NOCACHEABLE, 0 },

    { ngx_string("olivine_db"), NULL, ngx_olivine_variables_get,
      NGX_OLIVINE_VARIABLE_DB, NGX_STREAM_VAR_NOCACHEABLE, 0 },

    { ngx_string("olivine_last_command"), NULL, ngx_olivine_variables_get,
      NGX_OLIVINE_VARIABLE_LAST, NGX_STREAM_VAR_NOCACHEABLE, 0 },

    { ngx_string("olivine_user"), NULL, ngx_olivine_variables_get,
      NGX_OLIVINE_VARIABLE_USER, NGX_STREAM_VAR_NOCACHEABLE, 0 },

      ngx_stream_null_variable
};


ngx_int_t
ngx_olivine_variables_add(ngx_conf_t *cf)
{
    ngx_stream_variable_t  *v, *own;

    for (own = ngx_olivine_variables; own->name.len; own++) {

        v = ngx_stream_add_variable(cf, &own->name, own->flags);
        if (v == NULL) {
            return NGX_ERROR;
        }

        v->get_handler = own->get_handler;
        v->data = own->data;
    }

    return NGX_OK;
}


ngx_olivine_told_t *
ngx_olivine_variables_keep(ngx_pool_t *pool, ngx_olivine_client_t *client)
{
    ngx_olivine_told_t  *told;

    told = ngx_palloc(pool, sizeof(ngx_olivine_told_t));

    if (told) {
        ngx_olivine_variables_look(told, client);
        told->client = NULL;
    }

    return told;
}


static void
ngx_olivine_variables_look(ngx_olivine_told_t *told,
    ngx_olivine_client_t *client)
{
    ngx_olivine_caller_t  *caller;

    caller = &client->caller;

    /* who was refused has no row of its own */

    told->commands = caller->id ? caller->row->commands : 0;
    told->errors = client->errors;
    told->db = caller->db;
    told->known = caller->authenticated;

    ngx_str_null(&told->last);

    if (caller->last) {
        told->last = caller->last->name;
    }
}


/* Of a session that is not a client of ours none is there. */

static ngx_int_t
ngx_olivine_variables_get(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uintptr_t data)
{
    ngx_olivine_told_t  *told, now;

    told = ngx_stream_get_module_ctx(s, ngx_olivine_module);

    if (told == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    if (told->client) {
        ngx_olivine_variables_look(&now, told->client);
        told = &now;
    }

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;

    switch (data) {

    case NGX_OLIVINE_VARIABLE_COMMANDS:
        return ngx_olivine_variables_number(s, v, told->commands);

    case NGX_OLIVINE_VARIABLE_ERRORS:
        return ngx_olivine_variables_number(s, v, told->errors);

    case NGX_OLIVINE_VARIABLE_DB:
        return ngx_olivine_variables_number(s, v, told->db);

    case NGX_OLIVINE_VARIABLE_LAST:

        /* a name of the table, which is there as long as the process */

        v->data = told->last.data;
        v->len = told->last.len;
        v->not_found = (v->len == 0);

        return NGX_OK;

    default: /* NGX_OLIVINE_VARIABLE_USER */
        v->data = (u_char *) "default";
        v->len = sizeof("default") - 1;
        v->not_found = !told->known;

        return NGX_OK;
    }
}


static ngx_int_t
ngx_olivine_variables_number(ngx_stream_session_t *s,
    ngx_stream_variable_value_t *v, uint64_t n)
{
    v->data = ngx_pnalloc(s->connection->pool, NGX_INT64_LEN);
    if (v->data == NULL) {
        return NGX_ERROR;
    }

    v->len = ngx_sprintf(v->data, "%uL", n) - v->data;

    return NGX_OK;
}
