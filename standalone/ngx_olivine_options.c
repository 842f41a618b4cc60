
/*
 * Copyright (C) The Olivine authors
 *
 * A parameter is a name and its values, whether it came from redis.conf or
 * from the command line.  All are checked here by the module's own table, so
 * that an error names the line; then they go into the block of the zone as
 * they are, where the module reads them again.
 */


#include "ngx_olivine_options.h"

#include <glob.h>


/* of files that include each other */
#define NGX_OLIVINE_OPTIONS_DEPTH  16


static ngx_int_t ngx_olivine_options_flag(ngx_olivine_options_t *o,
    const char *name);
static ngx_int_t ngx_olivine_options_arguments(ngx_olivine_options_t *o,
    int argc, char *const *argv);
static ngx_int_t ngx_olivine_options_input(ngx_olivine_options_t *o);
static ngx_int_t ngx_olivine_options_open(ngx_olivine_options_t *o,
    const char *name, ngx_olivine_place_t *at);
static ngx_int_t ngx_olivine_options_include(ngx_olivine_options_t *o,
    char **argv, ngx_uint_t argc, ngx_olivine_place_t *at);
static ngx_int_t ngx_olivine_options_add(ngx_olivine_options_t *o,
    char **argv, ngx_uint_t argc, ngx_olivine_place_t *at);
static ngx_int_t ngx_olivine_options_set(ngx_olivine_options_t *o,
    const ngx_olivine_param_t *row, char **argv, ngx_uint_t argc,
    ngx_olivine_place_t *at);
static ngx_int_t ngx_olivine_options_other(ngx_olivine_options_t *o,
    char **argv, ngx_uint_t argc, ngx_olivine_place_t *at);
static ngx_int_t ngx_olivine_options_keep(ngx_olivine_options_t *o,
    char **argv, ngx_uint_t argc);
static ngx_olivine_option_t *ngx_olivine_options_push(
    ngx_olivine_options_t *o);
static ngx_uint_t ngx_olivine_options_adds_up(ngx_olivine_option_t *opt,
    char **argv);


/* these may be given several times, and then add up */
static const char *const  ngx_olivine_option_lists[] = {
    "save", "client-output-buffer-limit", NULL
};


ngx_int_t
ngx_olivine_options_read(ngx_olivine_options_t *o, int argc,
    char *const *argv)
{
    int  i;

    i = 1;

    if (argc > 1 && argv[1][0] != '-') {

        if (ngx_olivine_options_open(o, argv[1], NULL) != NGX_OK) {
            return NGX_ERROR;
        }

        o->file = realpath(argv[1], NULL);
        i = 2;
    }

    /* as in Redis options overrule what is read */

    if (i < argc && strcmp(argv[argc - 1], "-") == 0) {

        if (ngx_olivine_options_input(o) != NGX_OK) {
            return NGX_ERROR;
        }

        argc--;
    }

    return ngx_olivine_options_arguments(o, argc - i, argv + i);
}


/*
 * A name takes the argument behind it as a value whatever that looks like,
 * but for "--save", and all that follow until one begins with "--".
 */

static ngx_int_t
ngx_olivine_options_arguments(ngx_olivine_options_t *o, int argc,
    char *const *argv)
{
    int                   i;
    char                **args, **words;
    ngx_int_t             rc;
    ngx_uint_t            n;
    ngx_olivine_place_t   at = { NULL, 0 };

    for (i = 0; i < argc; /* void */ ) {

        if (ngx_olivine_options_flag(o, argv[i]) == NGX_OK) {
            i++;
            continue;
        }

        if (strncmp(argv[i], "--", 2) != 0 || argv[i][2] == '\0') {
            return ngx_olivine_options_error(o, "\"%s\" is not an option, "
                                             "those begin with \"--\"",
                                             argv[i]);
        }

        /* name and values may be one argument */

        rc = ngx_olivine_options_split(o, argv[i] + 2, &words, &n);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED || n == 0) {
            return ngx_olivine_options_error(o, "unbalanced quotes in \"%s\"",
                                             argv[i]);
        }

        i++;

        args = malloc((n + argc - i + 1) * sizeof(char *));
        if (args == NULL) {
            return ngx_olivine_options_error(o, "no memory");
        }

        memcpy(args, words, n * sizeof(char *));

        if (n == 1 && strcasecmp(args[0], "save") == 0
            && (i == argc || strncmp(argv[i], "--", 2) == 0))
        {
            args[n++] = "";

        } else if (n == 1 && i < argc
                   && ngx_olivine_options_flag(o, argv[i]) != NGX_OK)
        {
            args[n++] = argv[i++];
        }

        while (i < argc && strncmp(argv[i], "--", 2) != 0) {
            args[n++] = argv[i++];
        }

        if (ngx_olivine_options_add(o, args, n, &at) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* It is read once, and kept for reloads. */

static ngx_int_t
ngx_olivine_options_input(ngx_olivine_options_t *o)
{
    int         ch;
    FILE       *in, *out;
    ngx_int_t   rc;

    out = open_memstream(&o->input, &o->input_len);
    if (out == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    while ((ch = getchar()) != EOF) {
        putc(ch, out);
    }

    if (ferror(stdin) || fclose(out) != 0) {
        return ngx_olivine_options_error(o, "cannot read the standard input");
    }

    if (o->input_len == 0) {
        return NGX_OK;
    }

    in = fmemopen(o->input, o->input_len, "r");
    if (in == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    rc = ngx_olivine_options_file(o, in, "stdin");

    fclose(in);

    return rc;
}


static ngx_int_t
ngx_olivine_options_open(ngx_olivine_options_t *o, const char *name,
    ngx_olivine_place_t *at)
{
    FILE       *in;
    ngx_int_t   rc;

    in = fopen(name, "r");

    if (in == NULL) {
        return ngx_olivine_options_error_at(o, at, "cannot open \"%s\": %s",
                                            name, strerror(errno));
    }

    rc = ngx_olivine_options_file(o, in, name);

    fclose(in);

    return rc;
}


ngx_int_t
ngx_olivine_options_file(ngx_olivine_options_t *o, FILE *in, const char *name)
{
    char                 *line, **argv;
    size_t                size;
    ssize_t               n;
    ngx_int_t             rc;
    ngx_uint_t            argc;
    ngx_olivine_place_t   at;

    line = NULL;
    size = 0;
    rc = NGX_OK;

    at.file = name;
    at.line = 0;

    for ( ;; ) {
        errno = 0;

        n = getline(&line, &size, in);
        if (n == -1) {
            if (errno) {
                rc = ngx_olivine_options_error(o, "cannot read \"%s\": %s",
                                               name, strerror(errno));
            }

            break;
        }

        at.line++;

        if (strlen(line) != (size_t) n) {
            rc = ngx_olivine_options_error_at(o, &at, "a zero byte");
            break;
        }

        rc = ngx_olivine_options_split(o, line, &argv, &argc);

        if (rc == NGX_DECLINED) {
            rc = ngx_olivine_options_error_at(o, &at, "unbalanced quotes");
        }

        if (rc != NGX_OK) {
            break;
        }

        if (argc == 0) {
            continue;
        }

        rc = ngx_olivine_options_add(o, argv, argc, &at);
        if (rc != NGX_OK) {
            break;
        }
    }

    free(line);

    return rc;
}


static ngx_int_t
ngx_olivine_options_flag(ngx_olivine_options_t *o, const char *name)
{
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        o->help = 1;
        return NGX_OK;
    }

    if (strcmp(name, "--version") == 0 || strcmp(name, "-v") == 0) {
        o->version = 1;
        return NGX_OK;
    }

    if (strcmp(name, "--print-config") == 0) {
        o->print_config = 1;
        return NGX_OK;
    }

    return NGX_DECLINED;
}


/* A pattern that matches nothing is none, a name is to be a file. */

static ngx_int_t
ngx_olivine_options_include(ngx_olivine_options_t *o, char **argv,
    ngx_uint_t argc, ngx_olivine_place_t *at)
{
    int         rc;
    glob_t      found;
    ngx_int_t   result;
    ngx_uint_t  i;

    if (argc != 2) {
        return ngx_olivine_options_error_at(o, at, "\"include\" takes one "
                                            "file or pattern");
    }

    if (strpbrk(argv[1], "*?[") == NULL) {
        found.gl_pathc = 0;
        rc = 0;

    } else {
        rc = glob(argv[1], 0, NULL, &found);

        if (rc == GLOB_NOMATCH) {
            return NGX_OK;
        }
    }

    if (rc != 0) {
        return ngx_olivine_options_error_at(o, at, "cannot look for \"%s\"",
                                            argv[1]);
    }

    if (++o->depth > NGX_OLIVINE_OPTIONS_DEPTH) {
        return ngx_olivine_options_error_at(o, at, "\"%s\" is included by "
                                            "itself, or too deep", argv[1]);
    }

    if (found.gl_pathc == 0) {
        result = ngx_olivine_options_open(o, argv[1], at);
        o->depth--;
        return result;
    }

    result = NGX_OK;

    for (i = 0; result == NGX_OK && i < found.gl_pathc; i++) {
        result = ngx_olivine_options_open(o, found.gl_pathv[i], at);
    }

    globfree(&found);
    o->depth--;

    return result;
}


static ngx_int_t
ngx_olivine_options_add(ngx_olivine_options_t *o, char **argv,
    ngx_uint_t argc, ngx_olivine_place_t *at)
{
    ngx_uint_t                  i;
    const ngx_olivine_param_t  *row;

    if (!o->ready) {
        ngx_olivine_params_defaults(&o->params);
        o->ready = 1;
    }

    argv[0] = strdup(argv[0]);
    if (argv[0] == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    for (i = 0; argv[0][i]; i++) {
        argv[0][i] = (char) tolower((u_char) argv[0][i]);
    }

    if (strcmp(argv[0], "include") == 0) {
        return ngx_olivine_options_include(o, argv, argc, at);
    }

    row = ngx_olivine_params_find((u_char *) argv[0], strlen(argv[0]));

    /* the file's own name is not its business */

    if (row == NULL
        || ((row->flags & NGX_OLIVINE_PARAM_HOST)
            && (row->flags & NGX_OLIVINE_PARAM_HIDDEN)))
    {
        return ngx_olivine_options_other(o, argv, argc, at);
    }

    /* as Redis has it, for those that know a row by another name */

    argv[0] = (char *) row->name.data;

    return ngx_olivine_options_set(o, row, argv, argc, at);
}


static ngx_int_t
ngx_olivine_options_set(ngx_olivine_options_t *o,
    const ngx_olivine_param_t *row, char **argv, ngx_uint_t argc,
    ngx_olivine_place_t *at)
{
    u_char       text[NGX_OLIVINE_PARAM_ERROR];
    ngx_int_t    rc;
    ngx_str_t   *values, err;
    ngx_uint_t   i;

    if (argc < 2 || (!(row->flags & NGX_OLIVINE_PARAM_WORDS) && argc != 2)) {
        return ngx_olivine_options_error_at(o, at, "wrong number of values "
                                            "for \"%s%s\", it takes: %s",
                                            at->file ? "" : "--", argv[0],
                                            row->type->name);
    }

    values = malloc(argc * sizeof(ngx_str_t));
    if (values == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    for (i = 1; i < argc; i++) {
        values[i - 1].data = (u_char *) argv[i];
        values[i - 1].len = strlen(argv[i]);
    }

    err.data = text;
    err.len = 0;

    rc = ngx_olivine_params_add(&o->params, row, values, argc - 1,
                                ngx_olivine_options_get(o, argv[0]) != NULL,
                                &err);
    free(values);

    if (rc != NGX_OK) {
        return ngx_olivine_options_error_at(o, at,
                             "wrong value%s%s%s of \"%s%s\": %.*s",
                             row->flags & NGX_OLIVINE_PARAM_SECRET ? "" : " \"",
                             row->flags & NGX_OLIVINE_PARAM_SECRET ? ""
                                                                   : argv[1],
                             row->flags & NGX_OLIVINE_PARAM_SECRET ? "" : "\"",
                             at->file ? "" : "--", argv[0], (int) err.len,
                             err.data);
    }

    return ngx_olivine_options_keep(o, argv, argc);
}


/* What is no parameter: the module tells what is not of use. */

static ngx_int_t
ngx_olivine_options_other(ngx_olivine_options_t *o, char **argv,
    ngx_uint_t argc, ngx_olivine_place_t *at)
{
    ngx_str_t                            value, *best;
    const ngx_olivine_param_name_row_t  *other;

    if (strcmp(argv[0], "rename-command") == 0) {
        if (argc != 3) {
            return ngx_olivine_options_error_at(o, at, "\"rename-command\" "
                                     "takes a command and its new name, or "
                                     "\"\" to take it away");
        }

        return ngx_olivine_options_keep(o, argv, argc);
    }

    other = ngx_olivine_params_other((u_char *) argv[0], strlen(argv[0]));

    if (other == NULL) {
        best = ngx_olivine_params_nearest((u_char *) argv[0],
                                          strlen(argv[0]));
        if (best == NULL) {
            return ngx_olivine_options_error_at(o, at, "unknown parameter "
                                                "\"%s%s\"",
                                                at->file ? "" : "--",
                                                argv[0]);
        }

        return ngx_olivine_options_error_at(o, at, "unknown parameter "
                                            "\"%s%s\", did you mean \"%s%s\"?",
                                            at->file ? "" : "--", argv[0],
                                            at->file ? "" : "--",
                                            (char *) best->data);
    }

    if (argc < 2) {
        return ngx_olivine_options_error_at(o, at, "wrong number of values "
                                            "for \"%s%s\"",
                                            at->file ? "" : "--", argv[0]);
    }

    value.data = (u_char *) argv[1];
    value.len = strlen(argv[1]);

    if (ngx_olivine_params_refused(other, &value, argc - 1)) {
        return ngx_olivine_options_error_at(o, at, "\"%s%s\": %s",
                                            at->file ? "" : "--", argv[0],
                                            other->refuse);
    }

    return ngx_olivine_options_keep(o, argv, argc);
}


/*
 * A later one replaces an earlier one of its name, but lists grow, and
 * commands are many.
 */

static ngx_int_t
ngx_olivine_options_keep(ngx_olivine_options_t *o, char **argv,
    ngx_uint_t argc)
{
    char                  **args;
    ngx_olivine_option_t   *opt;

    opt = ngx_olivine_options_get(o, argv[0]);

    if (opt && ngx_olivine_options_adds_up(opt, argv)) {
        args = malloc((opt->argc + argc) * sizeof(char *));
        if (args == NULL) {
            return ngx_olivine_options_error(o, "no memory");
        }

        memcpy(args, opt->argv, opt->argc * sizeof(char *));
        memcpy(args + opt->argc, argv + 1, (argc - 1) * sizeof(char *));

        opt->argv = args;
        opt->argc += argc - 1;

        return NGX_OK;
    }

    if (opt == NULL || strcmp(argv[0], "rename-command") == 0) {
        opt = ngx_olivine_options_push(o);
        if (opt == NULL) {
            return ngx_olivine_options_error(o, "no memory");
        }
    }

    opt->argv = argv;
    opt->argc = argc;

    return NGX_OK;
}


static ngx_olivine_option_t *
ngx_olivine_options_push(ngx_olivine_options_t *o)
{
    ngx_olivine_option_t  *elts;

    if (o->nelts == o->nalloc) {
        elts = realloc(o->elts, (o->nalloc + 32) * sizeof(*elts));
        if (elts == NULL) {
            return NULL;
        }

        o->elts = elts;
        o->nalloc += 32;
    }

    return &o->elts[o->nelts++];
}


/* An empty value takes back what a list had. */

static ngx_uint_t
ngx_olivine_options_adds_up(ngx_olivine_option_t *opt, char **argv)
{
    ngx_uint_t  i;

    if (argv[1][0] == '\0' || opt->argv[1][0] == '\0') {
        return 0;
    }

    for (i = 0; ngx_olivine_option_lists[i]; i++) {
        if (strcmp(argv[0], ngx_olivine_option_lists[i]) == 0) {
            return 1;
        }
    }

    return 0;
}


ngx_olivine_option_t *
ngx_olivine_options_get(ngx_olivine_options_t *o, const char *name)
{
    ngx_uint_t  i;

    for (i = 0; i < o->nelts; i++) {
        if (strcmp(o->elts[i].argv[0], name) == 0) {
            return &o->elts[i];
        }
    }

    return NULL;
}


ngx_int_t
ngx_olivine_options_error(ngx_olivine_options_t *o, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    vsnprintf(o->error, sizeof(o->error), fmt, args);
    va_end(args);

    return NGX_ERROR;
}


void
ngx_olivine_options_note(ngx_olivine_options_t *o, const char *fmt, ...)
{
    size_t   len;
    va_list  args;

    len = strlen(o->note);

    if (len && len + 2 < sizeof(o->note)) {
        strcpy(o->note + len, "; ");
        len += 2;
    }

    va_start(args, fmt);
    vsnprintf(o->note + len, sizeof(o->note) - len, fmt, args);
    va_end(args);
}


ngx_int_t
ngx_olivine_options_error_at(ngx_olivine_options_t *o,
    ngx_olivine_place_t *at, const char *fmt, ...)
{
    size_t   len;
    va_list  args;

    len = 0;
    o->error[0] = '\0';

    if (at && at->file) {
        snprintf(o->error, sizeof(o->error), "%s:%lu: ", at->file,
                 (unsigned long) at->line);
        len = strlen(o->error);
    }

    va_start(args, fmt);
    vsnprintf(o->error + len, sizeof(o->error) - len, fmt, args);
    va_end(args);

    return NGX_ERROR;
}
