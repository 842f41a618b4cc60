
/*
 * Copyright (C) The Olivine authors
 *
 * COMMAND: what the table says of the commands.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_command_docs.h"
#include "base/ngx_olivine_glob.h"


typedef struct {
    ngx_uint_t      bit;
    ngx_str_t       name;
} ngx_olivine_command_bit_t;


/* whether a row belongs to the list */
typedef ngx_uint_t (*ngx_olivine_command_filter_pt)(
    const ngx_olivine_command_t *command, ngx_str_t *text);


static void ngx_olivine_command_info(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command);
static void ngx_olivine_command_bits(ngx_olivine_reply_t *r,
    const ngx_olivine_command_bit_t *names, ngx_uint_t bits);
static void ngx_olivine_command_tips(ngx_olivine_reply_t *r,
    const char *tips);
static void ngx_olivine_command_specs(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command);
static void ngx_olivine_command_spec(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command, ngx_uint_t flags, ngx_int_t first,
    ngx_int_t last);
static void ngx_olivine_command_subcommands(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command);
static void ngx_olivine_command_word(ngx_olivine_reply_t *r,
    const char *word);
static void ngx_olivine_command_line(ngx_olivine_reply_t *r,
    const char *fmt, ...);
static ngx_uint_t ngx_olivine_command_set_flags(ngx_olivine_cx_t *cx);
static const ngx_olivine_command_t *ngx_olivine_command_of(
    ngx_olivine_cx_t *cx, ngx_uint_t *n, ngx_uint_t *first,
    ngx_uint_t *step);
static ngx_uint_t ngx_olivine_command_rows(const ngx_olivine_command_t *row);
static ngx_uint_t ngx_olivine_command_list(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *row, ngx_olivine_command_filter_pt filter,
    ngx_str_t *text);
static ngx_uint_t ngx_olivine_command_in_module(
    const ngx_olivine_command_t *command, ngx_str_t *text);
static ngx_uint_t ngx_olivine_command_in_category(
    const ngx_olivine_command_t *command, ngx_str_t *text);
static ngx_uint_t ngx_olivine_command_in_pattern(
    const ngx_olivine_command_t *command, ngx_str_t *text);


/* in the order of COMMAND INFO */

static const ngx_olivine_command_bit_t  ngx_olivine_command_flags[] = {
    { NGX_OLIVINE_CMD_WRITE,        ngx_string("write") },
    { NGX_OLIVINE_CMD_READONLY,     ngx_string("readonly") },
    { NGX_OLIVINE_CMD_DENYOOM,      ngx_string("denyoom") },
    { NGX_OLIVINE_CMD_ADMIN,        ngx_string("admin") },
    { NGX_OLIVINE_CMD_PUBSUB,       ngx_string("pubsub") },
    { NGX_OLIVINE_CMD_NOSCRIPT,     ngx_string("noscript") },
    { NGX_OLIVINE_CMD_BLOCKING,     ngx_string("blocking") },
    { NGX_OLIVINE_CMD_LOADING,      ngx_string("loading") },
    { NGX_OLIVINE_CMD_STALE,        ngx_string("stale") },
    { NGX_OLIVINE_CMD_SKIP_MONITOR, ngx_string("skip_monitor") },
    { NGX_OLIVINE_CMD_SKIP_SLOWLOG, ngx_string("skip_slowlog") },
    { NGX_OLIVINE_CMD_ASKING,       ngx_string("asking") },
    { NGX_OLIVINE_CMD_FAST,         ngx_string("fast") },
    { NGX_OLIVINE_CMD_NO_AUTH,      ngx_string("no_auth") },
    { NGX_OLIVINE_CMD_NO_ASYNC,     ngx_string("no_async_loading") },
    { NGX_OLIVINE_CMD_NO_MULTI,     ngx_string("no_multi") },
    { NGX_OLIVINE_CMD_NO_KEYS,      ngx_string("no_mandatory_keys") },
    { NGX_OLIVINE_CMD_MOVABLE,      ngx_string("movablekeys") },
    { NGX_OLIVINE_CMD_ALLOW_BUSY,   ngx_string("allow_busy") },
    { 0, ngx_null_string }
};


static const ngx_olivine_command_bit_t  ngx_olivine_command_categories[] = {
    { NGX_OLIVINE_CAT_KEYSPACE,    ngx_string("@keyspace") },
    { NGX_OLIVINE_CAT_READ,        ngx_string("@read") },
    { NGX_OLIVINE_CAT_WRITE,       ngx_string("@write") },
    { NGX_OLIVINE_CAT_SET,         ngx_string("@set") },
    { NGX_OLIVINE_CAT_SORTEDSET,   ngx_string("@sortedset") },
    { NGX_OLIVINE_CAT_LIST,        ngx_string("@list") },
    { NGX_OLIVINE_CAT_HASH,        ngx_string("@hash") },
    { NGX_OLIVINE_CAT_STRING,      ngx_string("@string") },
    { NGX_OLIVINE_CAT_BITMAP,      ngx_string("@bitmap") },
    { NGX_OLIVINE_CAT_HYPERLOGLOG, ngx_string("@hyperloglog") },
    { NGX_OLIVINE_CAT_GEO,         ngx_string("@geo") },
    { NGX_OLIVINE_CAT_STREAM,      ngx_string("@stream") },
    { NGX_OLIVINE_CAT_PUBSUB,      ngx_string("@pubsub") },
    { NGX_OLIVINE_CAT_ADMIN,       ngx_string("@admin") },
    { NGX_OLIVINE_CAT_FAST,        ngx_string("@fast") },
    { NGX_OLIVINE_CAT_SLOW,        ngx_string("@slow") },
    { NGX_OLIVINE_CAT_BLOCKING,    ngx_string("@blocking") },
    { NGX_OLIVINE_CAT_DANGEROUS,   ngx_string("@dangerous") },
    { NGX_OLIVINE_CAT_CONNECTION,  ngx_string("@connection") },
    { NGX_OLIVINE_CAT_TRANSACTION, ngx_string("@transaction") },
    { NGX_OLIVINE_CAT_SCRIPTING,   ngx_string("@scripting") },
    { 0, ngx_null_string }
};


static const ngx_olivine_command_bit_t  ngx_olivine_command_keys_flags[] = {
    { NGX_OLIVINE_KEY_RO,         ngx_string("RO") },
    { NGX_OLIVINE_KEY_RW,         ngx_string("RW") },
    { NGX_OLIVINE_KEY_OW,         ngx_string("OW") },
    { NGX_OLIVINE_KEY_RM,         ngx_string("RM") },
    { NGX_OLIVINE_KEY_NOT_KEY,    ngx_string("not_key") },
    { NGX_OLIVINE_KEY_ACCESS,     ngx_string("access") },
    { NGX_OLIVINE_KEY_UPDATE,     ngx_string("update") },
    { NGX_OLIVINE_KEY_INSERT,     ngx_string("insert") },
    { NGX_OLIVINE_KEY_DELETE,     ngx_string("delete") },
    { NGX_OLIVINE_KEY_INCOMPLETE, ngx_string("incomplete") },
    { NGX_OLIVINE_KEY_VARIABLE,   ngx_string("variable_flags") },
    { 0, ngx_null_string }
};


ngx_int_t
ngx_olivine_cmd_command(ngx_olivine_cx_t *cx)
{
    const ngx_olivine_command_t  *row;

    (void) ngx_olivine_reply_array(cx->reply,
                              ngx_olivine_command_rows(ngx_olivine_commands));

    for (row = ngx_olivine_commands; row->name.len; row++) {
        ngx_olivine_command_info(cx->reply, row);
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_command_count(ngx_olivine_cx_t *cx)
{
    return ngx_olivine_reply_integer(cx->reply,
                              ngx_olivine_command_rows(ngx_olivine_commands));
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
            ngx_olivine_command_info(cx->reply, command);

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

        ngx_olivine_command_bits(cx->reply, ngx_olivine_command_keys_flags,
                                 flags);
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
                                   1 + 2 * ngx_olivine_command_rows(sub));

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
ngx_olivine_command_info(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command)
{
    ngx_uint_t  counted;

    /* where they stand is then for the specification alone to say */

    counted = command->keys.flags & NGX_OLIVINE_KEY_NUMBER;

    (void) ngx_olivine_reply_array(r, 10);
    (void) ngx_olivine_reply_bulk(r, command->name.data, command->name.len);
    (void) ngx_olivine_reply_integer(r, command->arity);

    ngx_olivine_command_bits(r, ngx_olivine_command_flags, command->flags);

    (void) ngx_olivine_reply_integer(r, counted ? 0 : command->keys.first);
    (void) ngx_olivine_reply_integer(r, counted ? 0 : command->keys.last);
    (void) ngx_olivine_reply_integer(r, counted ? 0 : command->keys.step);

    ngx_olivine_command_bits(r, ngx_olivine_command_categories,
                             command->categories);
    ngx_olivine_command_tips(r, command->tips);
    ngx_olivine_command_specs(r, command);
    ngx_olivine_command_subcommands(r, command);
}


static void
ngx_olivine_command_bits(ngx_olivine_reply_t *r,
    const ngx_olivine_command_bit_t *names, ngx_uint_t bits)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; names[i].bit; i++) {
        n += ((names[i].bit & bits) != 0);
    }

    (void) ngx_olivine_reply_set(r, n);

    for (i = 0; names[i].bit; i++) {
        if (names[i].bit & bits) {
            (void) ngx_olivine_reply_simple(r, names[i].name.data,
                                            names[i].name.len);
        }
    }
}


static void
ngx_olivine_command_tips(ngx_olivine_reply_t *r, const char *tips)
{
    u_char      *p, *last, *end;
    ngx_uint_t   n;

    if (tips == NULL) {
        (void) ngx_olivine_reply_set(r, 0);
        return;
    }

    last = (u_char *) tips + ngx_strlen(tips);
    n = 1;

    for (p = (u_char *) tips; p < last; p++) {
        n += (*p == ' ');
    }

    (void) ngx_olivine_reply_set(r, n);

    for (p = (u_char *) tips; p < last; p = end + 1) {

        end = ngx_strlchr(p, last, ' ');
        if (end == NULL) {
            end = last;
        }

        (void) ngx_olivine_reply_bulk(r, p, end - p);
    }
}


/* Keys from an index on, in steps, or two of them, or as many as are said. */

static void
ngx_olivine_command_specs(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command)
{
    ngx_int_t   last;
    ngx_uint_t  flags, second;

    if (command->keys.first == 0) {
        (void) ngx_olivine_reply_set(r, 0);
        return;
    }

    flags = command->keys.flags & NGX_OLIVINE_KEY_FIRST;
    second = command->keys.flags >> 16;
    last = command->keys.last;

    if (last >= 0) {
        last -= command->keys.first;
    }

    if (second == 0) {
        (void) ngx_olivine_reply_set(r, 1);
        ngx_olivine_command_spec(r, command, flags, command->keys.first, last);
        return;
    }

    (void) ngx_olivine_reply_set(r, 2);
    ngx_olivine_command_spec(r, command, flags, command->keys.first, 0);
    ngx_olivine_command_spec(r, command, second, command->keys.last, 0);
}


static void
ngx_olivine_command_spec(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command, ngx_uint_t flags, ngx_int_t first,
    ngx_int_t last)
{
    (void) ngx_olivine_reply_map(r, command->keys.notes ? 4 : 3);

    if (command->keys.notes) {
        ngx_olivine_command_word(r, "notes");
        ngx_olivine_command_word(r, command->keys.notes);
    }

    ngx_olivine_command_word(r, "flags");
    ngx_olivine_command_bits(r, ngx_olivine_command_keys_flags, flags);

    ngx_olivine_command_word(r, "begin_search");
    (void) ngx_olivine_reply_map(r, 2);
    ngx_olivine_command_word(r, "type");
    ngx_olivine_command_word(r, "index");
    ngx_olivine_command_word(r, "spec");
    (void) ngx_olivine_reply_map(r, 1);
    ngx_olivine_command_word(r, "index");
    (void) ngx_olivine_reply_integer(r, first);

    ngx_olivine_command_word(r, "find_keys");
    (void) ngx_olivine_reply_map(r, 2);
    ngx_olivine_command_word(r, "type");

    if (flags & NGX_OLIVINE_KEY_NUMBER) {
        ngx_olivine_command_word(r, "keynum");
        ngx_olivine_command_word(r, "spec");
        (void) ngx_olivine_reply_map(r, 3);
        ngx_olivine_command_word(r, "keynumidx");
        (void) ngx_olivine_reply_integer(r, 0);
        ngx_olivine_command_word(r, "firstkey");
        (void) ngx_olivine_reply_integer(r, 1);
        ngx_olivine_command_word(r, "keystep");
        (void) ngx_olivine_reply_integer(r, command->keys.step);
        return;
    }

    ngx_olivine_command_word(r, "range");
    ngx_olivine_command_word(r, "spec");
    (void) ngx_olivine_reply_map(r, 3);
    ngx_olivine_command_word(r, "lastkey");
    (void) ngx_olivine_reply_integer(r, last);
    ngx_olivine_command_word(r, "keystep");
    (void) ngx_olivine_reply_integer(r, command->keys.step);
    ngx_olivine_command_word(r, "limit");
    (void) ngx_olivine_reply_integer(r, 0);
}


static void
ngx_olivine_command_subcommands(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command)
{
    const ngx_olivine_command_t  *sub;

    /* in RESP3 Redis has an array of some, and a set of none */

    if (command->subcommands == NULL) {
        (void) ngx_olivine_reply_set(r, 0);
        return;
    }

    (void) ngx_olivine_reply_array(r,
                              ngx_olivine_command_rows(command->subcommands));

    for (sub = command->subcommands; sub->name.len; sub++) {
        ngx_olivine_command_info(r, sub);
    }
}


static void
ngx_olivine_command_word(ngx_olivine_reply_t *r, const char *word)
{
    (void) ngx_olivine_reply_bulk(r, (u_char *) word, ngx_strlen(word));
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


static ngx_uint_t
ngx_olivine_command_rows(const ngx_olivine_command_t *row)
{
    ngx_uint_t  n;

    for (n = 0; row[n].name.len; n++) { /* void */ }

    return n;
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


ngx_uint_t
ngx_olivine_cmd_command_category(ngx_str_t *name)
{
    ngx_uint_t                        i;
    const ngx_olivine_command_bit_t  *category;

    for (i = 0; ngx_olivine_command_categories[i].bit; i++) {

        category = &ngx_olivine_command_categories[i];

        if (category->name.len == name->len
            && ngx_strncasecmp((u_char *) category->name.data, name->data,
                               name->len) == 0)
        {
            return category->bit;
        }
    }

    return 0;
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
    ngx_uint_t                        i;
    const ngx_olivine_command_bit_t  *category;

    for (i = 0; ngx_olivine_command_categories[i].bit; i++) {

        category = &ngx_olivine_command_categories[i];

        /* named without its '@' */

        if (category->name.len - 1 == text->len
            && ngx_strncasecmp(category->name.data + 1, text->data, text->len)
               == 0)
        {
            return (command->categories & category->bit) != 0;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_olivine_command_in_pattern(const ngx_olivine_command_t *command,
    ngx_str_t *text)
{
    return ngx_olivine_glob_match(text, command->name.data, command->name.len,
                                  1);
}
