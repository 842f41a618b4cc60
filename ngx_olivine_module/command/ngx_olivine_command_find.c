
/*
 * Copyright (C) The Olivine authors
 *
 * Rows by their names, and where a command's keys stand.
 */


#include "command/ngx_olivine_command.h"


/* rows and their look-up by name */
#define NGX_OLIVINE_COMMAND_TABLE  1024


static ngx_uint_t ngx_olivine_command_hash(u_char *name, size_t len);
static ngx_uint_t ngx_olivine_command_keys_number(
    const ngx_olivine_command_t *command, ngx_olivine_arg_t *argv,
    ngx_uint_t argc, ngx_uint_t *first, ngx_uint_t *step);


static const ngx_olivine_command_t
                *ngx_olivine_command_index[NGX_OLIVINE_COMMAND_TABLE];


ngx_int_t
ngx_olivine_commands_init(void)
{
    ngx_uint_t                    i, n;
    const ngx_olivine_command_t  *command;

    ngx_memzero(ngx_olivine_command_index, sizeof(ngx_olivine_command_index));

    for (n = 0; ngx_olivine_commands[n].name.len; n++) {

        if (n == NGX_OLIVINE_COMMAND_TABLE / 2) {
            return NGX_ERROR;
        }

        command = &ngx_olivine_commands[n];
        i = ngx_olivine_command_hash(command->name.data, command->name.len);

        while (ngx_olivine_command_index[i]) {
            i = (i + 1) % NGX_OLIVINE_COMMAND_TABLE;
        }

        ngx_olivine_command_index[i] = command;
    }

    return NGX_OK;
}


const ngx_olivine_command_t *
ngx_olivine_command_find(u_char *name, size_t len)
{
    ngx_uint_t                    i;
    const ngx_olivine_command_t  *command;

    /* a client may name one that is as long as an argument can be */

    if (len >= NGX_OLIVINE_COMMAND_NAME) {
        return NULL;
    }

    i = ngx_olivine_command_hash(name, len);

    while ((command = ngx_olivine_command_index[i]) != NULL) {

        if (command->name.len == len
            && ngx_strncasecmp(command->name.data, name, len) == 0)
        {
            return command;
        }

        i = (i + 1) % NGX_OLIVINE_COMMAND_TABLE;
    }

    return NULL;
}


const ngx_olivine_command_t *
ngx_olivine_renamed_find(const ngx_olivine_renames_t *renames, u_char *name,
    size_t len)
{
    ngx_uint_t                    i;
    const ngx_olivine_rename_t   *rename;
    const ngx_olivine_command_t  *command;

    command = ngx_olivine_command_find(name, len);

    if (renames == NULL) {
        return command;
    }

    for (i = 0; i < renames->n; i++) {

        rename = &renames->elts[i];

        if (rename->name.len == len && len
            && ngx_strncasecmp(rename->name.data, name, len) == 0)
        {
            return rename->command;
        }

        if (rename->command == command) {
            command = NULL;
        }
    }

    return command;
}


const ngx_olivine_command_t *
ngx_olivine_subcommand_find(const ngx_olivine_command_t *command,
    u_char *name, size_t len)
{
    size_t                        skip;
    const ngx_olivine_command_t  *sub;

    if (command->subcommands == NULL) {
        return NULL;
    }

    /* a subcommand's name is whole: "client|id" */

    skip = command->name.len + 1;

    for (sub = command->subcommands; sub->name.len; sub++) {
        if (sub->name.len == skip + len
            && ngx_strncasecmp(sub->name.data + skip, name, len) == 0)
        {
            return sub;
        }
    }

    return NULL;
}


ngx_uint_t
ngx_olivine_command_keys(const ngx_olivine_command_t *command,
    ngx_olivine_arg_t *argv, ngx_uint_t argc, ngx_uint_t *first,
    ngx_uint_t *step)
{
    ngx_int_t  last;

    if (command->keys.first == 0) {
        return 0;
    }

    if (command->arity > 0 ? (ngx_int_t) argc != command->arity
                           : (ngx_int_t) argc < -command->arity)
    {
        return 0;
    }

    if (ngx_olivine_unlikely(command->keys.flags & NGX_OLIVINE_KEY_NUMBER)) {
        return ngx_olivine_command_keys_number(command, argv, argc, first,
                                               step);
    }

    last = command->keys.last;

    if (last < 0) {
        last += argc;
    }

    if (last < command->keys.first || last >= (ngx_int_t) argc) {
        return 0;
    }

    *first = command->keys.first;
    *step = command->keys.step;

    return (last - command->keys.first) / command->keys.step + 1;
}


/* All that is of a key, its value, say, must be there, too. */

static ngx_uint_t
ngx_olivine_command_keys_number(const ngx_olivine_command_t *command,
    ngx_olivine_arg_t *argv, ngx_uint_t argc, ngx_uint_t *first,
    ngx_uint_t *step)
{
    int64_t             n;
    ngx_olivine_arg_t  *arg;

    arg = &argv[command->keys.first];

    *first = command->keys.first + 1;
    *step = command->keys.step;

    if (ngx_olivine_number_parse(arg->data, arg->data + arg->len, &n) != NGX_OK
        || n < 1 || n > (int64_t) ((argc - *first) / *step))
    {
        return 0;
    }

    return n;
}


static ngx_uint_t
ngx_olivine_command_hash(u_char *name, size_t len)
{
    size_t    i;
    uint32_t  hash;

    hash = 2166136261u;                                      /* FNV-1a */

    for (i = 0; i < len; i++) {
        hash = (hash ^ ngx_tolower(name[i])) * 16777619u;
    }

    return (hash ^ hash >> 15) % NGX_OLIVINE_COMMAND_TABLE;
}
