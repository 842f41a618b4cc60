
/*
 * Copyright (C) The Olivine authors
 *
 * The notation of arguments, read one argument at a time.
 */


#include "command/ngx_olivine_command_docs.h"


static ngx_int_t ngx_olivine_docs_parse(ngx_str_t *s,
    ngx_olivine_docs_arg_t *arg);
static ngx_int_t ngx_olivine_docs_group(ngx_str_t *s,
    ngx_olivine_docs_arg_t *arg);
static ngx_int_t ngx_olivine_docs_suffixes(ngx_str_t *s,
    ngx_olivine_docs_arg_t *arg);
static void ngx_olivine_docs_word(ngx_str_t *s, ngx_str_t *word);
static void ngx_olivine_docs_version(ngx_str_t *s, ngx_str_t *version);
static ngx_int_t ngx_olivine_docs_enclosed(ngx_str_t *s, u_char open,
    u_char close, ngx_str_t *inside);
static void ngx_olivine_docs_skip(ngx_str_t *s, size_t n);
static u_char *ngx_olivine_docs_list(u_char *p, u_char *last,
    const ngx_str_t *notation, const char *between);
static u_char *ngx_olivine_docs_argument(u_char *p, u_char *last,
    ngx_olivine_docs_arg_t *arg);
static u_char *ngx_olivine_docs_body(u_char *p, u_char *last,
    ngx_olivine_docs_arg_t *arg);


const ngx_olivine_docs_t *
ngx_olivine_docs_find(const ngx_str_t *name)
{
    const ngx_olivine_docs_t  *docs;

    for (docs = ngx_olivine_docs; docs->name.len; docs++) {
        if (docs->name.len == name->len
            && ngx_memcmp(docs->name.data, name->data, name->len) == 0)
        {
            return docs;
        }
    }

    return NULL;
}


ngx_int_t
ngx_olivine_docs_next(ngx_str_t *notation, ngx_olivine_docs_arg_t *arg)
{
    ngx_str_t  inside;

    while (notation->len
           && (notation->data[0] == ' ' || notation->data[0] == '|'))
    {
        ngx_olivine_docs_skip(notation, 1);
    }

    if (notation->len == 0) {
        return NGX_DECLINED;
    }

    ngx_memzero(arg, sizeof(ngx_olivine_docs_arg_t));

    if (notation->data[0] == '[') {

        if (ngx_olivine_docs_enclosed(notation, '[', ']', &inside) != NGX_OK
            || ngx_olivine_docs_parse(&inside, arg) != NGX_OK
            || inside.len)
        {
            return NGX_ERROR;
        }

        arg->flags |= NGX_OLIVINE_DOCS_OPTIONAL;

    } else if (ngx_olivine_docs_parse(notation, arg) != NGX_OK) {
        return NGX_ERROR;
    }

    return (notation->len == 0 || notation->data[0] == ' ') ? NGX_OK
                                                            : NGX_ERROR;
}


static ngx_int_t
ngx_olivine_docs_parse(ngx_str_t *s, ngx_olivine_docs_arg_t *arg)
{
    size_t  i;

    ngx_olivine_docs_word(s, &arg->name);

    if (arg->name.len && s->len && s->data[0] == '=') {
        ngx_olivine_docs_skip(s, 1);
        arg->token = arg->name;
        ngx_olivine_docs_word(s, &arg->name);
    }

    if (arg->name.len == 0) {
        return NGX_ERROR;
    }

    if (s->len && s->data[0] == '(') {

        if (ngx_olivine_docs_group(s, arg) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (arg->token.len == 0) {

        for (i = 0; i < arg->name.len; i++) {
            if (arg->name.data[i] >= 'a' && arg->name.data[i] <= 'z') {
                break;
            }
        }

        if (i == arg->name.len) {
            arg->token = arg->name;
            arg->flags |= NGX_OLIVINE_DOCS_PURE;
        }
    }

    return ngx_olivine_docs_suffixes(s, arg);
}


static ngx_int_t
ngx_olivine_docs_group(ngx_str_t *s, ngx_olivine_docs_arg_t *arg)
{
    size_t      i;
    ngx_uint_t  depth;

    if (ngx_olivine_docs_enclosed(s, '(', ')', &arg->args) != NGX_OK) {
        return NGX_ERROR;
    }

    depth = 0;

    for (i = 0; i < arg->args.len; i++) {

        switch (arg->args.data[i]) {

        case '(':
            depth++;
            break;

        case ')':
            depth--;
            break;

        case '|':
            if (depth == 0) {
                arg->flags |= NGX_OLIVINE_DOCS_ONEOF;
                return NGX_OK;
            }

            break;
        }
    }

    arg->flags |= NGX_OLIVINE_DOCS_BLOCK;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_docs_suffixes(ngx_str_t *s, ngx_olivine_docs_arg_t *arg)
{
    size_t  n;

    while (s->len && s->data[0] != ' ') {

        switch (s->data[0]) {

        case ':':
            ngx_olivine_docs_skip(s, 1);
            ngx_olivine_docs_word(s, &arg->type);

            if (arg->type.len == 5
                && ngx_strncmp(arg->type.data, "token", 5) == 0)
            {
                arg->type.len = 0;
                arg->flags |= NGX_OLIVINE_DOCS_PURE;
            }

            break;

        case '<':
            for (n = 1; n < s->len && s->data[n] != '>'; n++) { /* void */ }

            if (n == s->len) {
                return NGX_ERROR;
            }

            arg->display.data = s->data + 1;
            arg->display.len = n - 1;
            ngx_olivine_docs_skip(s, n + 1);
            break;

        case '#':
            if (s->len < 2 || s->data[1] < '0' || s->data[1] > '9') {
                return NGX_ERROR;
            }

            arg->spec = s->data[1] - '0';
            ngx_olivine_docs_skip(s, 2);
            break;

        case '@':
            ngx_olivine_docs_version(s, &arg->since);
            break;

        case '!':
            ngx_olivine_docs_version(s, &arg->deprecated);
            break;

        case '.':
            for (n = 1; n < s->len && s->data[n] == '.'; n++) { /* void */ }

            if (n != 3 && n != 4) {
                return NGX_ERROR;
            }

            arg->flags |= NGX_OLIVINE_DOCS_MULTIPLE
                          |(n == 4 ? NGX_OLIVINE_DOCS_MULTIPLE_TOKEN : 0);
            ngx_olivine_docs_skip(s, n);
            break;

        default:
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static void
ngx_olivine_docs_word(ngx_str_t *s, ngx_str_t *word)
{
    u_char  ch;
    size_t  n;

    for (n = 0; n < s->len; n++) {

        ch = s->data[n];

        if ((ch < 'a' || ch > 'z') && (ch < 'A' || ch > 'Z')
            && (ch < '0' || ch > '9') && ch != '-' && ch != '_')
        {
            break;
        }
    }

    word->data = s->data;
    word->len = n;
    ngx_olivine_docs_skip(s, n);
}


/* "@6.2.0", which may be followed by "..." */

static void
ngx_olivine_docs_version(ngx_str_t *s, ngx_str_t *version)
{
    size_t  n;

    for (n = 1; n < s->len; n++) {

        if (s->data[n] == '.' && n + 1 < s->len && s->data[n + 1] != '.') {
            continue;
        }

        if (s->data[n] < '0' || s->data[n] > '9') {
            break;
        }
    }

    version->data = s->data + 1;
    version->len = n - 1;
    ngx_olivine_docs_skip(s, n);
}


static ngx_int_t
ngx_olivine_docs_enclosed(ngx_str_t *s, u_char open, u_char close,
    ngx_str_t *inside)
{
    size_t      n;
    ngx_uint_t  depth;

    depth = 0;

    for (n = 0; n < s->len; n++) {

        if (s->data[n] == open) {
            depth++;

        } else if (s->data[n] == close && --depth == 0) {
            inside->data = s->data + 1;
            inside->len = n - 1;
            ngx_olivine_docs_skip(s, n + 1);
            return NGX_OK;
        }
    }

    return NGX_ERROR;
}


ngx_int_t
ngx_olivine_docs_history(ngx_str_t *history, ngx_str_t *version,
    ngx_str_t *text)
{
    u_char  *last, *p;

    while (history->len
           && (history->data[0] == ' ' || history->data[0] == ';'))
    {
        ngx_olivine_docs_skip(history, 1);
    }

    if (history->len == 0) {
        return NGX_DECLINED;
    }

    last = history->data + history->len;

    p = ngx_strlchr(history->data, last, ' ');

    if (p == NULL) {
        return NGX_DECLINED;
    }

    version->data = history->data;
    version->len = p - history->data;
    ngx_olivine_docs_skip(history, version->len + 1);

    p = ngx_strlchr(history->data, last, ';');

    text->data = history->data;
    text->len = (p ? p : last) - text->data;
    ngx_olivine_docs_skip(history, text->len);

    return NGX_OK;
}


ngx_str_t
ngx_olivine_docs_type(ngx_olivine_docs_arg_t *arg)
{
    static const ngx_str_t  pure = ngx_string("pure-token");
    static const ngx_str_t  oneof = ngx_string("oneof");
    static const ngx_str_t  block = ngx_string("block");
    static const ngx_str_t  key = ngx_string("key");
    static const ngx_str_t  string = ngx_string("string");

    if (arg->flags & NGX_OLIVINE_DOCS_PURE) {
        return pure;
    }

    if (arg->flags & NGX_OLIVINE_DOCS_ONEOF) {
        return oneof;
    }

    if (arg->flags & NGX_OLIVINE_DOCS_BLOCK) {
        return block;
    }

    if (arg->type.len) {
        return arg->type;
    }

    if (arg->name.len == 3 && ngx_strncmp(arg->name.data, "key", 3) == 0) {
        return key;
    }

    return string;
}


static void
ngx_olivine_docs_skip(ngx_str_t *s, size_t n)
{
    s->data += n;
    s->len -= n;
}


u_char *
ngx_olivine_docs_syntax(u_char *p, u_char *last, const ngx_str_t *notation)
{
    return ngx_olivine_docs_list(p, last, notation, " ");
}


static u_char *
ngx_olivine_docs_list(u_char *p, u_char *last, const ngx_str_t *notation,
    const char *between)
{
    u_char                  *first;
    ngx_str_t                rest;
    ngx_olivine_docs_arg_t   arg;

    first = p;
    rest = *notation;

    while (ngx_olivine_docs_next(&rest, &arg) == NGX_OK) {

        if (p != first) {
            p = ngx_slprintf(p, last, "%s", between);
        }

        p = ngx_olivine_docs_argument(p, last, &arg);
    }

    return p;
}


static u_char *
ngx_olivine_docs_argument(u_char *p, u_char *last,
    ngx_olivine_docs_arg_t *arg)
{
    if (arg->flags & NGX_OLIVINE_DOCS_OPTIONAL) {
        p = ngx_slprintf(p, last, "[");
    }

    if (arg->token.len) {
        p = ngx_slprintf(p, last, "%V%s", &arg->token,
                         arg->flags & NGX_OLIVINE_DOCS_PURE ? "" : " ");
    }

    p = ngx_olivine_docs_body(p, last, arg);

    if (arg->flags & NGX_OLIVINE_DOCS_MULTIPLE) {

        p = ngx_slprintf(p, last, " [");

        if (arg->flags & NGX_OLIVINE_DOCS_MULTIPLE_TOKEN) {
            p = ngx_slprintf(p, last, "%V ", &arg->token);
        }

        p = ngx_olivine_docs_body(p, last, arg);
        p = ngx_slprintf(p, last, " ...]");
    }

    if (arg->flags & NGX_OLIVINE_DOCS_OPTIONAL) {
        p = ngx_slprintf(p, last, "]");
    }

    return p;
}


/* a choice needs brackets, unless those of an optional one enclose it */

static u_char *
ngx_olivine_docs_body(u_char *p, u_char *last, ngx_olivine_docs_arg_t *arg)
{
    if (arg->flags & NGX_OLIVINE_DOCS_PURE) {
        return p;
    }

    if (arg->flags & NGX_OLIVINE_DOCS_BLOCK) {
        return ngx_olivine_docs_list(p, last, &arg->args, " ");
    }

    if (!(arg->flags & NGX_OLIVINE_DOCS_ONEOF)) {
        return ngx_slprintf(p, last, "%V",
                            arg->display.len ? &arg->display : &arg->name);
    }

    if (arg->token.len == 0
        && (arg->flags & (NGX_OLIVINE_DOCS_OPTIONAL
                          |NGX_OLIVINE_DOCS_MULTIPLE))
           == NGX_OLIVINE_DOCS_OPTIONAL)
    {
        return ngx_olivine_docs_list(p, last, &arg->args, " | ");
    }

    p = ngx_slprintf(p, last, "<");
    p = ngx_olivine_docs_list(p, last, &arg->args, " | ");

    return ngx_slprintf(p, last, ">");
}
