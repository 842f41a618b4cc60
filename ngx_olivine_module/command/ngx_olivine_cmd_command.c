
/*
 * Copyright (C) The Olivine authors
 *
 * COMMAND: what the table says of the commands.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_command_docs.h"
#include "base/ngx_olivine_glob.h"


/* whether a row belongs to the list */
typedef ngx_uint_t (*ngx_olivine_command_filter_pt)(
    const ngx_olivine_command_t *command, ngx_str_t *text);


static void ngx_olivine_command_line(ngx_olivine_reply_t *r,
    const char *fmt, ...);
static ngx_uint_t ngx_olivine_command_set_flags(ngx_olivine_cx_t *cx);
static const ngx_olivine_command_t *ngx_olivine_command_of(
    ngx_olivine_cx_t *cx, ngx_uint_t *n, ngx_uint_t *first,
    ngx_uint_t *step);
static ngx_uint_t ngx_olivine_command_list(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *row, ngx_olivine_command_filter_pt filter,
    ngx_str_t *text);
static ngx_uint_t ngx_olivine_command_in_module(
    const ngx_olivine_command_t *command, ngx_str_t *text);
static ngx_uint_t ngx_olivine_command_in_category(
    const ngx_olivine_command_t *command, ngx_str_t *text);
static ngx_uint_t ngx_olivine_command_in_pattern(
    const ngx_olivine_command_t *command, ngx_str_t *text);


ngx_int_t
ngx_olivine_cmd_command(ngx_olivine_cx_t *cx)
{
    const ngx_olivine_command_t  *row;

    (void) ngx_olivine_reply_array(cx->reply,
                          ngx_olivine_cmd_command_rows(ngx_olivine_commands));

    for (row = ngx_olivine_commands; row->name.len; row++) {
        ngx_olivine_cmd_command_row(cx->reply, row);
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_command_count(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_integer(cx->reply,
                          ngx_olivine_cmd_command_rows(ngx_olivine_commands));
}


ngx_int_t
ngx_olivine_cmd_command_info(ngx_olivine_cx_t *cx)
{
    ngx_str_t                     name;
    ngx_uint_t                    i;
    const ngx_olivine_command_t  *command;

    if (cx->argc == 2) {
        return ngx_olivine_cmd_command(cx);
    }

    (void) ngx_olivine_reply_array(cx->reply, cx->argc - 2);

    for (i = 2; i < cx->argc; i++) {

        name = ngx_olivine_cx_arg(cx, i);
        command = ngx_olivine_cmd_command_named(cx, &name);

        if (command) {
            ngx_olivine_cmd_command_row(cx->reply, command);

        } else {
            (void) ngx_olivine_reply_null(cx->reply);
        }
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_command_getkeys(ngx_olivine_cx_t *cx)
{
    ngx_uint_t                    n, first, step;
    ngx_olivine_arg_t            *argv;
    const ngx_olivine_command_t  *command;

    argv = cx->argv + 2;
    command = ngx_olivine_command_of(cx, &n, &first, &step);

    if (command == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_olivine_reply_array(cx->reply, n);

    for ( /* void */ ; n; n--, first += step) {
        (void) ngx_olivine_reply_bulk(cx->reply, argv[first].data,
                                      argv[first].len);
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_command_getkeysandflags(ngx_olivine_cx_t *cx)
{
    ngx_uint_t                    n, first, step, flags;
    ngx_olivine_arg_t            *argv;
    const ngx_olivine_command_t  *command;

    argv = cx->argv + 2;
    command = ngx_olivine_command_of(cx, &n, &first, &step);

    if (command == NULL) {
        return NGX_ERROR;
    }

    flags = command->keys.flags & NGX_OLIVINE_KEY_FIRST;

    if (flags & NGX_OLIVINE_KEY_VARIABLE) {
        flags = ngx_olivine_command_set_flags(cx);
    }

    (void) ngx_olivine_reply_array(cx->reply, n);

    for ( /* void */ ; n; n--, first += step) {

        if (n == 1 && command->keys.flags >> 16) {
            flags = command->keys.flags >> 16;
        }

        (void) ngx_olivine_reply_array(cx->reply, 2);
        (void) ngx_olivine_reply_bulk(cx->reply, argv[first].data,
                                      argv[first].len);

        ngx_olivine_cmd_command_key_flags(cx->reply, flags);
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


/* SET reads its key if it has GET among its options. */

static ngx_uint_t
ngx_olivine_command_set_flags(ngx_olivine_cx_t *cx)
{
    ngx_uint_t  i;

    for (i = 5; i < cx->argc; i++) {
        if (ngx_olivine_cx_is(cx, i, "get")) {
            return NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS
                   |NGX_OLIVINE_KEY_UPDATE;
        }
    }

    return NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE;
}


/* The row of the command that is an argument, and its keys; or an error. */

static const ngx_olivine_command_t *
ngx_olivine_command_of(ngx_olivine_cx_t *cx, ngx_uint_t *n,
    ngx_uint_t *first, ngx_uint_t *step)
{
    ngx_uint_t                    argc;
    ngx_olivine_arg_t            *argv;
    const ngx_olivine_command_t  *command;

    argv = cx->argv + 2;
    argc = cx->argc - 2;

    command = ngx_olivine_cx_named(cx, argv[0].data, argv[0].len);

    if (command && command->subcommands && argc > 1) {
        command = ngx_olivine_subcommand_find(command, argv[1].data,
                                              argv[1].len);
    }

    if (command == NULL) {
        (void) ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_INVALID_COMMAND);
        return NULL;
    }

    if (command->keys.first == 0) {
        (void) ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NO_KEY_ARGUMENTS);
        return NULL;
    }

    if (command->arity > 0 ? (ngx_int_t) argc != command->arity
                           : (ngx_int_t) argc < -command->arity)
    {
        (void) ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_INVALID_ARGUMENTS);
        return NULL;
    }

    *n = ngx_olivine_command_keys(command, argv, argc, first, step);

    if (*n == 0) {
        (void) ngx_olivine_cx_error(cx, "ERR Invalid arguments specified for "
                                    "command");
        return NULL;
    }

    return command;
}


ngx_int_t
ngx_olivine_cmd_command_list(ngx_olivine_cx_t *cx)
{
    ngx_str_t                      text = ngx_null_string;
    ngx_olivine_command_filter_pt  filter;

    filter = NULL;

    if (cx->argc == 5 && ngx_olivine_cx_is(cx, 2, "filterby")) {

        text = ngx_olivine_cx_arg(cx, 4);

        if (ngx_olivine_cx_is(cx, 3, "module")) {
            filter = ngx_olivine_command_in_module;

        } else if (ngx_olivine_cx_is(cx, 3, "aclcat")) {
            filter = ngx_olivine_command_in_category;

        } else if (ngx_olivine_cx_is(cx, 3, "pattern")) {
            filter = ngx_olivine_command_in_pattern;
        }
    }

    if (cx->argc != 2 && filter == NULL) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
    }

    /* counted first, then written */

    (void) ngx_olivine_reply_array(cx->reply,
                                 ngx_olivine_command_list(NULL,
                                       ngx_olivine_commands, filter, &text));

    (void) ngx_olivine_command_list(cx->reply, ngx_olivine_commands, filter,
                                    &text);

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


/* the help of a command with subcommands, read from their rows */

ngx_int_t
ngx_olivine_cmd_help(ngx_olivine_cx_t *cx)
{
    u_char                        name[NGX_OLIVINE_COMMAND_NAME];
    u_char                        usage[NGX_OLIVINE_REPLY_ERROR], *p;
    size_t                        skip;
    ngx_str_t                     args;
    ngx_uint_t                    i;
    const ngx_olivine_docs_t     *docs;
    const ngx_olivine_command_t  *command, *sub;

    command = ngx_olivine_cx_named(cx, cx->argv[0].data, cx->argv[0].len);

    if (command == NULL || command->subcommands == NULL) {
        return NGX_ERROR;
    }

    sub = command->subcommands;
    skip = command->name.len + 1;

    (void) ngx_olivine_reply_array(cx->reply,
                                   1 + 2 * ngx_olivine_cmd_command_rows(sub));

    for (i = 0; i < command->name.len; i++) {
        name[i] = ngx_toupper(command->name.data[i]);
    }

    ngx_olivine_command_line(cx->reply, "%*s <subcommand> [<arg> [value] "
                             "[opt] ...]. Subcommands are:", i, name);

    for ( /* void */ ; sub->name.len; sub++) {

        for (i = 0; i < sub->name.len - skip; i++) {
            usage[i] = ngx_toupper(sub->name.data[skip + i]);
        }

        p = usage + i;
        docs = ngx_olivine_docs_find(&sub->name);

        if (docs && docs->args) {
            args.data = (u_char *) docs->args;
            args.len = ngx_strlen(docs->args);
            *p++ = ' ';
            p = ngx_olivine_docs_syntax(p, usage + sizeof(usage), &args);
        }

        (void) ngx_olivine_reply_simple(cx->reply, usage, p - usage);
        ngx_olivine_command_line(cx->reply, "    %s", sub->summary);
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


static void
ngx_olivine_command_line(ngx_olivine_reply_t *r, const char *fmt, ...)
{
    u_char   text[NGX_OLIVINE_REPLY_ERROR], *p;
    va_list  args;

    va_start(args, fmt);
    p = ngx_vslprintf(text, text + sizeof(text), fmt, args);
    va_end(args);

    (void) ngx_olivine_reply_simple(r, text, p - text);
}


/* "get", "client|id" */

const ngx_olivine_command_t *
ngx_olivine_cmd_command_named(ngx_olivine_cx_t *cx, ngx_str_t *name)
{
    u_char                       *bar, *last;
    const ngx_olivine_command_t  *command;

    last = name->data + name->len;
    bar = ngx_strlchr(name->data, last, '|');

    if (bar == NULL) {
        return ngx_olivine_cx_named(cx, name->data, name->len);
    }

    command = ngx_olivine_cx_named(cx, name->data, bar - name->data);

    if (command == NULL) {
        return NULL;
    }

    return ngx_olivine_subcommand_find(command, bar + 1, last - bar - 1);
}


/* Writes the names that the filter lets pass, if there is r; their number. */

static ngx_uint_t
ngx_olivine_command_list(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *row, ngx_olivine_command_filter_pt filter,
    ngx_str_t *text)
{
    ngx_uint_t  n;

    n = 0;

    for ( /* void */ ; row->name.len; row++) {

        if (filter == NULL || filter(row, text)) {

            if (r) {
                (void) ngx_olivine_reply_bulk(r, row->name.data,
                                              row->name.len);
            }

            n++;
        }

        if (row->subcommands) {
            n += ngx_olivine_command_list(r, row->subcommands, filter, text);
        }
    }

    return n;
}


/* there are no modules */

static ngx_uint_t
ngx_olivine_command_in_module(const ngx_olivine_command_t *command,
    ngx_str_t *text)
{
    return 0;
}


static ngx_uint_t
ngx_olivine_command_in_category(const ngx_olivine_command_t *command,
    ngx_str_t *text)
{
    u_char     data[NGX_OLIVINE_COMMAND_NAME];
    ngx_str_t  name;

    /* named without its '@' */

    if (text->len >= sizeof(data)) {
        return 0;
    }

    data[0] = '@';
    ngx_memcpy(data + 1, text->data, text->len);

    name.data = data;
    name.len = text->len + 1;

    return (command->categories & ngx_olivine_cmd_command_category(&name))
           != 0;
}


static ngx_uint_t
ngx_olivine_command_in_pattern(const ngx_olivine_command_t *command,
    ngx_str_t *text)
{
    return ngx_olivine_glob_match(text, command->name.data, command->name.len,
                                  1);
}
