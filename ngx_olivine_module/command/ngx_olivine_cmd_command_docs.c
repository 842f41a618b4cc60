
/*
 * Copyright (C) The Olivine authors
 *
 * COMMAND DOCS.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_command_docs.h"


static void ngx_olivine_command_docs(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command);
static ngx_uint_t ngx_olivine_command_docs_marks(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command, const ngx_olivine_docs_t *docs);
static void ngx_olivine_command_docs_summary(ngx_olivine_reply_t *r,
    const char *summary);
static void ngx_olivine_command_docs_history(ngx_olivine_reply_t *r,
    const char *text);
static void ngx_olivine_command_docs_args(ngx_olivine_reply_t *r,
    const ngx_str_t *notation);
static void ngx_olivine_command_docs_arg(ngx_olivine_reply_t *r,
    ngx_olivine_docs_arg_t *arg);
static void ngx_olivine_command_docs_flags(ngx_olivine_reply_t *r,
    ngx_uint_t flags);
static void ngx_olivine_command_docs_lower(ngx_olivine_reply_t *r,
    ngx_str_t *text);
static ngx_str_t ngx_olivine_command_docs_text(const char *text);
static void ngx_olivine_command_docs_name(ngx_olivine_reply_t *r,
    const char *name);
static void ngx_olivine_command_docs_pair(ngx_olivine_reply_t *r,
    const char *name, ngx_str_t *value);


ngx_int_t
ngx_olivine_cmd_command_docs(ngx_olivine_cx_t *cx)
{
    ngx_str_t                     name;
    ngx_uint_t                    i, n;
    const ngx_olivine_command_t  *row;

    if (cx->argc == 2) {

        for (n = 0; ngx_olivine_commands[n].name.len; n++) { /* void */ }

        (void) ngx_olivine_reply_map(cx->reply, n);

        for (row = ngx_olivine_commands; row->name.len; row++) {
            ngx_olivine_command_docs(cx->reply, row);
        }

        return cx->reply->failed ? NGX_ERROR : NGX_OK;
    }

    n = 0;

    for (i = 2; i < cx->argc; i++) {
        name = ngx_olivine_cx_arg(cx, i);
        n += (ngx_olivine_cmd_command_named(cx, &name) != NULL);
    }

    (void) ngx_olivine_reply_map(cx->reply, n);

    for (i = 2; i < cx->argc; i++) {

        name = ngx_olivine_cx_arg(cx, i);
        row = ngx_olivine_cmd_command_named(cx, &name);

        if (row) {
            ngx_olivine_command_docs(cx->reply, row);
        }
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


static void
ngx_olivine_command_docs(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command)
{
    ngx_str_t                     text;
    ngx_uint_t                    n;
    const ngx_olivine_docs_t     *docs;
    const ngx_olivine_command_t  *sub;

    static const ngx_olivine_docs_t  nothing = {
        ngx_null_string, "server", NULL, NULL, NULL, NULL
    };

    docs = ngx_olivine_docs_find(&command->name);

    if (docs == NULL) {
        docs = &nothing;
    }

    n = 3 + (docs->complexity != NULL) + (docs->history != NULL)
        + (docs->args != NULL) + (command->subcommands != NULL)
        + ngx_olivine_command_docs_marks(NULL, command, docs);

    (void) ngx_olivine_reply_bulk(r, command->name.data, command->name.len);
    (void) ngx_olivine_reply_map(r, n);

    ngx_olivine_command_docs_summary(r, command->summary);

    text = ngx_olivine_command_docs_text(command->since);
    ngx_olivine_command_docs_pair(r, "since", &text);

    text = ngx_olivine_command_docs_text(docs->group);
    ngx_olivine_command_docs_pair(r, "group", &text);

    if (docs->complexity) {
        text = ngx_olivine_command_docs_text(docs->complexity);
        ngx_olivine_command_docs_pair(r, "complexity", &text);
    }

    (void) ngx_olivine_command_docs_marks(r, command, docs);

    if (docs->history) {
        ngx_olivine_command_docs_history(r, docs->history);
    }

    if (docs->args) {
        text = ngx_olivine_command_docs_text(docs->args);
        ngx_olivine_command_docs_name(r, "arguments");
        ngx_olivine_command_docs_args(r, &text);
    }

    if (command->subcommands) {

        for (n = 0; command->subcommands[n].name.len; n++) { /* void */ }

        ngx_olivine_command_docs_name(r, "subcommands");
        (void) ngx_olivine_reply_map(r, n);

        for (sub = command->subcommands; sub->name.len; sub++) {
            ngx_olivine_command_docs(r, sub);
        }
    }
}


/* doc_flags and what belongs to them, if there is r; their number */

static ngx_uint_t
ngx_olivine_command_docs_marks(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command, const ngx_olivine_docs_t *docs)
{
    ngx_str_t  history, since, text;

    if (docs->instead) {

        if (r == NULL) {
            return 3;
        }

        ngx_olivine_command_docs_name(r, "doc_flags");
        (void) ngx_olivine_reply_set(r, 1);
        (void) ngx_olivine_reply_literal(r, "+deprecated\r\n");

        history = ngx_olivine_command_docs_text(docs->instead);
        (void) ngx_olivine_docs_history(&history, &since, &text);

        ngx_olivine_command_docs_pair(r, "deprecated_since", &since);
        ngx_olivine_command_docs_pair(r, "replaced_by", &text);

        return 3;
    }

    /* the only one of them */

    if (command->handler == ngx_olivine_cmd_debug) {

        if (r) {
            ngx_olivine_command_docs_name(r, "doc_flags");
            (void) ngx_olivine_reply_set(r, 1);
            (void) ngx_olivine_reply_literal(r, "+syscmd\r\n");
        }

        return 1;
    }

    return 0;
}


/* the row's words, as a sentence */

static void
ngx_olivine_command_docs_summary(ngx_olivine_reply_t *r, const char *summary)
{
    u_char  text[256], *p;

    p = ngx_slprintf(text, text + sizeof(text), "%s.", summary);
    text[0] = ngx_toupper(text[0]);

    ngx_olivine_command_docs_name(r, "summary");
    (void) ngx_olivine_reply_bulk(r, text, p - text);
}


static void
ngx_olivine_command_docs_history(ngx_olivine_reply_t *r, const char *text)
{
    ngx_str_t   history, since, what;
    ngx_uint_t  n;

    history = ngx_olivine_command_docs_text(text);

    for (n = 0;
         ngx_olivine_docs_history(&history, &since, &what) == NGX_OK;
         n++)
    { /* void */ }

    ngx_olivine_command_docs_name(r, "history");
    (void) ngx_olivine_reply_set(r, n);

    history = ngx_olivine_command_docs_text(text);

    while (ngx_olivine_docs_history(&history, &since, &what) == NGX_OK) {
        (void) ngx_olivine_reply_array(r, 2);
        (void) ngx_olivine_reply_bulk(r, since.data, since.len);
        (void) ngx_olivine_reply_bulk(r, what.data, what.len);
    }
}


static void
ngx_olivine_command_docs_args(ngx_olivine_reply_t *r,
    const ngx_str_t *notation)
{
    ngx_str_t               rest;
    ngx_uint_t              n;
    ngx_olivine_docs_arg_t  arg;

    rest = *notation;

    for (n = 0; ngx_olivine_docs_next(&rest, &arg) == NGX_OK; n++) {
        /* void */
    }

    (void) ngx_olivine_reply_array(r, n);

    rest = *notation;

    while (ngx_olivine_docs_next(&rest, &arg) == NGX_OK) {
        ngx_olivine_command_docs_arg(r, &arg);
    }
}


static void
ngx_olivine_command_docs_arg(ngx_olivine_reply_t *r,
    ngx_olivine_docs_arg_t *arg)
{
    ngx_str_t   type;
    ngx_uint_t  nested, key;

    type = ngx_olivine_docs_type(arg);
    nested = ngx_olivine_docs_nested(arg) != 0;
    key = type.len == 3;

    (void) ngx_olivine_reply_map(r, 3 + key + (arg->token.len != 0)
                                    + (arg->since.len != 0)
                                    + (arg->deprecated.len != 0)
                                    + ((arg->flags & 7) != 0));

    ngx_olivine_command_docs_name(r, "name");
    ngx_olivine_command_docs_lower(r, &arg->name);
    ngx_olivine_command_docs_pair(r, "type", &type);

    if (!nested) {
        ngx_olivine_command_docs_name(r, "display_text");

        if (arg->display.len) {
            (void) ngx_olivine_reply_bulk(r, arg->display.data,
                                          arg->display.len);
        } else {
            ngx_olivine_command_docs_lower(r, &arg->name);
        }
    }

    if (key) {
        ngx_olivine_command_docs_name(r, "key_spec_index");
        (void) ngx_olivine_reply_integer(r, arg->spec);
    }

    if (arg->token.len) {
        ngx_olivine_command_docs_pair(r, "token", &arg->token);
    }

    if (arg->since.len) {
        ngx_olivine_command_docs_pair(r, "since", &arg->since);
    }

    if (arg->deprecated.len) {
        ngx_olivine_command_docs_pair(r, "deprecated_since",
                                      &arg->deprecated);
    }

    ngx_olivine_command_docs_flags(r, arg->flags);

    if (nested) {
        ngx_olivine_command_docs_name(r, "arguments");
        ngx_olivine_command_docs_args(r, &arg->args);
    }
}


static void
ngx_olivine_command_docs_flags(ngx_olivine_reply_t *r, ngx_uint_t flags)
{
    ngx_uint_t  n;

    n = ((flags & NGX_OLIVINE_DOCS_OPTIONAL) != 0)
        + ((flags & NGX_OLIVINE_DOCS_MULTIPLE) != 0)
        + ((flags & NGX_OLIVINE_DOCS_MULTIPLE_TOKEN) != 0);

    if (n == 0) {
        return;
    }

    ngx_olivine_command_docs_name(r, "flags");
    (void) ngx_olivine_reply_set(r, n);

    if (flags & NGX_OLIVINE_DOCS_OPTIONAL) {
        (void) ngx_olivine_reply_literal(r, "+optional\r\n");
    }

    if (flags & NGX_OLIVINE_DOCS_MULTIPLE) {
        (void) ngx_olivine_reply_literal(r, "+multiple\r\n");
    }

    if (flags & NGX_OLIVINE_DOCS_MULTIPLE_TOKEN) {
        (void) ngx_olivine_reply_literal(r, "+multiple_token\r\n");
    }
}


static void
ngx_olivine_command_docs_lower(ngx_olivine_reply_t *r, ngx_str_t *text)
{
    u_char  lower[64];
    size_t  len;

    len = ngx_min(text->len, sizeof(lower));

    ngx_strlow(lower, text->data, len);

    (void) ngx_olivine_reply_bulk(r, lower, len);
}


static ngx_str_t
ngx_olivine_command_docs_text(const char *text)
{
    ngx_str_t  s;

    s.data = (u_char *) text;
    s.len = ngx_strlen(text);

    return s;
}


static void
ngx_olivine_command_docs_name(ngx_olivine_reply_t *r, const char *name)
{
    (void) ngx_olivine_reply_bulk(r, (u_char *) name, ngx_strlen(name));
}


static void
ngx_olivine_command_docs_pair(ngx_olivine_reply_t *r, const char *name,
    ngx_str_t *value)
{
    ngx_olivine_command_docs_name(r, name);
    (void) ngx_olivine_reply_bulk(r, value->data, value->len);
}
