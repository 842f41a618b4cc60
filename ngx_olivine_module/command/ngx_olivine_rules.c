
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_rules.h"
#include "command/ngx_olivine_cmd.h"


static ngx_int_t ngx_olivine_rules_add(uint64_t *set, ngx_uint_t whole,
    ngx_olivine_rules_match_pt match, void *data);
static ngx_uint_t ngx_olivine_rules_named(
    const ngx_olivine_command_t *command, void *data);
static ngx_uint_t ngx_olivine_rules_in_category(
    const ngx_olivine_command_t *command, void *data);
static ngx_uint_t ngx_olivine_rules_any(const ngx_olivine_command_t *command,
    void *data);


ngx_uint_t
ngx_olivine_rules_size(void)
{
    ngx_uint_t  n;

    for (n = 0; ngx_olivine_commands[n].name.len; n++) {
        /* void */
    }

    return n;
}


ngx_int_t
ngx_olivine_rules_add_name(uint64_t *set, ngx_str_t *name)
{
    return ngx_olivine_rules_add(set, 1, ngx_olivine_rules_named, name);
}


ngx_int_t
ngx_olivine_rules_add_category(uint64_t *set, ngx_str_t *name)
{
    ngx_uint_t  bit;

    if (name->len == 4 && ngx_strncasecmp(name->data, (u_char *) "@all", 4)
                          == 0)
    {
        return ngx_olivine_rules_add(set, 1, ngx_olivine_rules_any, NULL);
    }

    bit = ngx_olivine_cmd_command_category(name);

    if (bit == 0) {
        return NGX_DECLINED;
    }

    /* one that nothing is in so far is not a mistake */

    (void) ngx_olivine_rules_add(set, 0, ngx_olivine_rules_in_category, &bit);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_rules_add_matching(uint64_t *set,
    ngx_olivine_rules_match_pt match, void *data)
{
    return ngx_olivine_rules_add(set, 1, match, data);
}


void
ngx_olivine_rules_refuse(uint64_t *refused, uint64_t *allowed,
    uint64_t *denied)
{
    ngx_uint_t                    i, n;
    const ngx_olivine_command_t  *command;

    for (n = 0; ngx_olivine_commands[n].name.len; n++) {

        refused[n] = allowed ? ~allowed[n] : 0;
        command = &ngx_olivine_commands[n];

        if (command->flags & NGX_OLIVINE_CMD_NO_AUTH) {
            refused[n] &= ~(uint64_t) 1;
        }

        for (i = 0; command->subcommands && command->subcommands[i].name.len;
             i++)
        {
            if (command->subcommands[i].flags & NGX_OLIVINE_CMD_NO_AUTH) {
                refused[n] &= ~((uint64_t) 2 << i);
            }
        }

        if (denied) {
            refused[n] |= denied[n];
        }
    }
}


ngx_int_t
ngx_olivine_rules_check(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, const ngx_olivine_command_t *sub)
{
    ngx_uint_t                  bit, n, first, step;
    const ngx_olivine_rules_t  *rules;

    rules = cx->caller->rules;
    bit = sub ? 1 + (sub - command->subcommands) : 0;

    if (rules->refused
        && (rules->refused[command - ngx_olivine_commands] >> bit & 1))
    {
        ngx_olivine_rules_error(cx->reply, sub ? sub : command);
        return NGX_DECLINED;
    }

    if (rules->key == NULL) {
        return NGX_OK;
    }

    n = ngx_olivine_command_keys(sub ? sub : command, cx->argv, cx->argc,
                                 &first, &step);

    for ( /* void */ ; n; n--, first += step) {

        if (!rules->key(rules->data, cx->argv[first].data,
                        cx->argv[first].len))
        {
            (void) ngx_olivine_reply_error(cx->reply,
                                           NGX_OLIVINE_ERR_NOPERM_KEY);
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


ngx_uint_t
ngx_olivine_rules_refuses(const ngx_olivine_rules_t *rules,
    const ngx_olivine_command_t *command)
{
    return rules->refused && command->subcommands == NULL
           && (rules->refused[command - ngx_olivine_commands] & 1);
}


void
ngx_olivine_rules_error(ngx_olivine_reply_t *reply,
    const ngx_olivine_command_t *command)
{
    (void) ngx_olivine_reply_error_format(reply,
               "NOPERM User default has no permissions to run the '%V' "
               "command", &command->name);
}


static ngx_int_t
ngx_olivine_rules_add(uint64_t *set, ngx_uint_t whole,
    ngx_olivine_rules_match_pt match, void *data)
{
    ngx_int_t                     rc;
    ngx_uint_t                    i, n, all;
    const ngx_olivine_command_t  *command, *subs;

    rc = NGX_DECLINED;

    for (n = 0; ngx_olivine_commands[n].name.len; n++) {

        command = &ngx_olivine_commands[n];
        subs = command->subcommands;
        all = 0;

        if (match(command, data)) {
            set[n] |= 1;
            all = whole;
            rc = NGX_OK;
        }

        for (i = 0; subs && subs[i].name.len; i++) {
            if (all || match(&subs[i], data)) {
                set[n] |= (uint64_t) 2 << i;
                rc = NGX_OK;
            }
        }
    }

    return rc;
}


static ngx_uint_t
ngx_olivine_rules_named(const ngx_olivine_command_t *command, void *data)
{
    ngx_str_t *name = data;

    return command->name.len == name->len
           && ngx_strncasecmp(command->name.data, name->data, name->len) == 0;
}


static ngx_uint_t
ngx_olivine_rules_in_category(const ngx_olivine_command_t *command,
    void *data)
{
    ngx_uint_t *bit = data;

    return (command->categories & *bit) != 0;
}


static ngx_uint_t
ngx_olivine_rules_any(const ngx_olivine_command_t *command, void *data)
{
    return 1;
}
