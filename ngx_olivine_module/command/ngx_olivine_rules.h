
/*
 * Copyright (C) The Olivine authors
 *
 * What the clients of a server may do: which commands, and which keys.  Rules
 * are made once, lie in private memory, and are hung to the callers they hold
 * for (caller->rules); NULL there means that all is allowed.
 *
 * A set of commands has a word a row of the table: bit 0 is the command, bit
 * n its n-th subcommand.
 */


#ifndef _NGX_OLIVINE_RULES_H_INCLUDED_
#define _NGX_OLIVINE_RULES_H_INCLUDED_


#include "command/ngx_olivine_command.h"


#define NGX_OLIVINE_RULES_SUBCOMMANDS  63


/* 1 if clients may touch the key; called without any lock. */
typedef ngx_uint_t (*ngx_olivine_rules_key_pt)(void *data, u_char *key,
    size_t len);

/* 1 if the row, "get" or "config|get", is meant. */
typedef ngx_uint_t (*ngx_olivine_rules_match_pt)(
    const ngx_olivine_command_t *command, void *data);


struct ngx_olivine_rules_s {
    uint64_t                  *refused;    /* a set; NULL: none */
    ngx_olivine_rules_key_pt   key;        /* NULL: any */
    void                      *data;
};


/* The words of a set. */
ngx_uint_t ngx_olivine_rules_size(void);

/*
 * Add commands to a set.  A command by its name, and the rows that match,
 * come with all their subcommands; a category ("@read", "@all") has the rows
 * that are in it.  OK; DECLINED: there is nothing of that kind.
 */
ngx_int_t ngx_olivine_rules_add_name(uint64_t *set, ngx_str_t *name);
ngx_int_t ngx_olivine_rules_add_category(uint64_t *set, ngx_str_t *name);
ngx_int_t ngx_olivine_rules_add_matching(uint64_t *set,
    ngx_olivine_rules_match_pt match, void *data);

/*
 * Refuses what is denied, and, if there is a set of allowed commands, what
 * is not in it, except those that a client begins and ends with (no_auth:
 * AUTH, HELLO, QUIT, RESET).  Either set may be NULL.
 */
void ngx_olivine_rules_refuse(uint64_t *refused, uint64_t *allowed,
    uint64_t *denied);

/*
 * Looks at the rules of cx->caller, which has some.  command is the row, sub
 * that of its subcommand or NULL; arity is known to fit.  OK; DECLINED:
 * refused, the error is written.
 */
ngx_int_t ngx_olivine_rules_check(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, const ngx_olivine_command_t *sub);

/*
 * 1 if the command is refused whatever its arguments are, so that they need
 * not be received; never for one with subcommands.
 */
ngx_uint_t ngx_olivine_rules_refuses(const ngx_olivine_rules_t *rules,
    const ngx_olivine_command_t *command);

/* Writes the error of a refused command or subcommand. */
void ngx_olivine_rules_error(ngx_olivine_reply_t *reply,
    const ngx_olivine_command_t *command);


#endif /* _NGX_OLIVINE_RULES_H_INCLUDED_ */
