
/*
 * Copyright (C) The Olivine authors
 *
 * What is written of commands beside their rows: a group, what they cost,
 * their arguments, their history.  COMMAND DOCS and docs/commands.md are made
 * of it.
 *
 * Arguments are one text.  Blanks divide them:
 *
 *     key                  a key; any other word is a string
 *     count:integer        a word of another type
 *     destination:key#1    a key of the second key specification
 *     old<ip:port>         shown as what the brackets say
 *     NX                   a word that is to be given as it is
 *     CH=change:token      the same, named otherwise
 *     EX=seconds:integer   a word, and an argument behind it
 *     pair(key value)      several
 *     when(NX | XX)        one of them
 *     GET@6.2.0  !7.2.0    known, deprecated, since a version of Redis
 *     key...               one or more; "...." repeats the word, too
 *     [count:integer]      optional
 */


#ifndef _NGX_OLIVINE_COMMAND_DOCS_H_INCLUDED_
#define _NGX_OLIVINE_COMMAND_DOCS_H_INCLUDED_


#include "command/ngx_olivine_command.h"


#define NGX_OLIVINE_DOCS_OPTIONAL        0x01
#define NGX_OLIVINE_DOCS_MULTIPLE        0x02
#define NGX_OLIVINE_DOCS_MULTIPLE_TOKEN  0x04
#define NGX_OLIVINE_DOCS_ONEOF           0x08
#define NGX_OLIVINE_DOCS_BLOCK           0x10
#define NGX_OLIVINE_DOCS_PURE            0x20   /* a token alone */


typedef struct {
    ngx_str_t      name;        /* as in the row */
    const char    *group;
    const char    *complexity;  /* NULL: not said */
    const char    *args;        /* NULL: none */
    const char    *history;     /* "6.0.0 text; 6.2.0 text", or NULL */
    const char    *instead;     /* deprecated: "6.2.0 text", or NULL */
} ngx_olivine_docs_t;


/* one argument; texts are parts of the notation, empty if there are none */
typedef struct {
    ngx_uint_t     flags;
    ngx_str_t      token;
    ngx_str_t      name;        /* of a token alone in upper case */
    ngx_str_t      type;        /* empty: as the flags say, or as usual */
    ngx_str_t      display;
    ngx_str_t      since;
    ngx_str_t      deprecated;
    ngx_uint_t     spec;
    ngx_str_t      args;        /* of a block or a choice */
} ngx_olivine_docs_arg_t;


/* ended by an empty name; in groups as the rows are */
extern const ngx_olivine_docs_t  ngx_olivine_docs[];

/* NULL: nothing is written of it */
const ngx_olivine_docs_t *ngx_olivine_docs_find(const ngx_str_t *name);

/*
 * The next argument of the notation, which begins there.  OK; DECLINED: no
 * more; ERROR: it is none.
 */
ngx_int_t ngx_olivine_docs_next(ngx_str_t *notation,
    ngx_olivine_docs_arg_t *arg);

/*
 * The next of "6.0.0 text; 6.2.0 text".  OK or DECLINED, and text goes on
 * behind it.
 */
ngx_int_t ngx_olivine_docs_history(ngx_str_t *history, ngx_str_t *version,
    ngx_str_t *text);

/*
 * Prints the arguments as people write them, "key [EX seconds | PERSIST]",
 * never beyond last.  Returns the end.
 */
u_char *ngx_olivine_docs_syntax(u_char *p, u_char *last,
    const ngx_str_t *notation);

/* "key", "integer", ... */
ngx_str_t ngx_olivine_docs_type(ngx_olivine_docs_arg_t *arg);

/* a choice or a block: it has arguments of its own */
#define ngx_olivine_docs_nested(arg)                                          \
    ((arg)->flags & (NGX_OLIVINE_DOCS_ONEOF|NGX_OLIVINE_DOCS_BLOCK))


#endif /* _NGX_OLIVINE_COMMAND_DOCS_H_INCLUDED_ */
