
/*
 * Copyright (C) The Olivine authors
 *
 * A parameter is a name and its values, whether it came from redis.conf or
 * from the command line.  The host knows a few of them itself, those that
 * nginx acts on (port, bind, loglevel); all the others go into the block of
 * the zone, where the module's own table takes or refuses them.
 */


#include "ngx_olivine_options.h"


/* those of isspace(), which ends a word */
#define NGX_OLIVINE_OPTIONS_BLANKS  " \t\r\n\v\f"


static ngx_int_t ngx_olivine_options_add(ngx_olivine_options_t *o,
    char **argv, ngx_uint_t argc, ngx_uint_t line);
static ngx_olivine_option_t *ngx_olivine_options_push(
    ngx_olivine_options_t *o);
static ngx_uint_t ngx_olivine_options_adds_up(ngx_olivine_option_t *opt,
    char **argv, ngx_uint_t argc, ngx_uint_t line);
static ngx_int_t ngx_olivine_options_flag(ngx_olivine_options_t *o,
    const char *name);
static ngx_int_t ngx_olivine_options_split(ngx_olivine_options_t *o,
    char *line, char ***argv, ngx_uint_t *argc);
static char *ngx_olivine_options_word(char **line, char *out);
static char *ngx_olivine_options_quoted(char *p, char *out);
static int ngx_olivine_options_hex(int ch);


static const ngx_olivine_option_row_t  ngx_olivine_option_rows[] = {

    { "workers",             NGX_OLIVINE_OPTION_HOST,    1 },
    { "http",                NGX_OLIVINE_OPTION_HOST,    1 },
    { "port",                NGX_OLIVINE_OPTION_HOST,    1 },
    { "bind",                NGX_OLIVINE_OPTION_HOST,    0 },
    { "unixsocket",          NGX_OLIVINE_OPTION_HOST,    1 },
    { "tcp-backlog",         NGX_OLIVINE_OPTION_HOST,    1 },
    { "pidfile",             NGX_OLIVINE_OPTION_HOST,    1 },
    { "logfile",             NGX_OLIVINE_OPTION_HOST,    1 },
    { "daemonize",           NGX_OLIVINE_OPTION_HOST,    1 },

    { "loglevel",            NGX_OLIVINE_OPTION_BOTH,    1 },
    { "maxclients",          NGX_OLIVINE_OPTION_BOTH,    1 },
    { "maxmemory",           NGX_OLIVINE_OPTION_BOTH,    1 },

    { "protected-mode",      NGX_OLIVINE_OPTION_IGNORED, 1 },
    { "supervised",          NGX_OLIVINE_OPTION_IGNORED, 1 },
    { "always-show-logo",    NGX_OLIVINE_OPTION_IGNORED, 1 },
    { "set-proc-title",      NGX_OLIVINE_OPTION_IGNORED, 1 },
    { "proc-title-template", NGX_OLIVINE_OPTION_IGNORED, 1 },
    { "locale-collate",      NGX_OLIVINE_OPTION_IGNORED, 1 },

    { NULL, 0, 0 }
};


/* these may be given several times, and then add up */
static const char *const  ngx_olivine_option_lists[] = {
    "save", "client-output-buffer-limit", NULL
};


ngx_int_t
ngx_olivine_options_read(ngx_olivine_options_t *o, int argc,
    char *const *argv)
{
    int          i;
    FILE        *in;
    char       **args;
    ngx_int_t    rc;
    ngx_uint_t   n;

    i = 1;

    if (argc > 1 && argv[1][0] != '-') {
        in = fopen(argv[1], "r");
        if (in == NULL) {
            return ngx_olivine_options_error(o, "cannot open \"%s\": %s",
                                             argv[1], strerror(errno));
        }

        rc = ngx_olivine_options_file(o, in, argv[1]);

        fclose(in);

        if (rc != NGX_OK) {
            return rc;
        }

        o->file = argv[1];
        i = 2;
    }

    while (i < argc) {

        if (ngx_olivine_options_flag(o, argv[i]) == NGX_OK) {
            i++;
            continue;
        }

        if (strncmp(argv[i], "--", 2) != 0 || argv[i][2] == '\0') {
            return ngx_olivine_options_error(o, "\"%s\" is not an option, "
                                             "those begin with \"--\"",
                                             argv[i]);
        }

        args = malloc((argc - i) * sizeof(char *));
        if (args == NULL) {
            return ngx_olivine_options_error(o, "no memory");
        }

        args[0] = argv[i++] + 2;
        n = 1;

        while (i < argc && strncmp(argv[i], "--", 2) != 0) {
            args[n++] = argv[i++];
        }

        if (ngx_olivine_options_add(o, args, n, 0) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_options_file(ngx_olivine_options_t *o, FILE *in, const char *name)
{
    char        *line, **argv;
    size_t       size;
    ssize_t      n;
    ngx_int_t    rc;
    ngx_uint_t   argc, number;

    line = NULL;
    size = 0;
    number = 0;
    rc = NGX_OK;

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

        number++;

        if (strlen(line) != (size_t) n) {
            rc = ngx_olivine_options_error(o, "a zero byte in %s:%lu",
                                           name, (unsigned long) number);
            break;
        }

        rc = ngx_olivine_options_split(o, line, &argv, &argc);

        if (rc == NGX_DECLINED) {
            rc = ngx_olivine_options_error(o, "unbalanced quotes in %s:%lu",
                                           name, (unsigned long) number);
        }

        if (rc != NGX_OK) {
            break;
        }

        if (argc == 0) {
            continue;
        }

        rc = ngx_olivine_options_add(o, argv, argc, number);
        if (rc != NGX_OK) {
            break;
        }
    }

    free(line);

    return rc;
}


/* Cuts a line into words, quotes undone.  DECLINED: quotes are unbalanced. */

static ngx_int_t
ngx_olivine_options_split(ngx_olivine_options_t *o, char *line, char ***argv,
    ngx_uint_t *argc)
{
    char     *out, **words;
    size_t    len;

    *argv = NULL;
    *argc = 0;

    line += strspn(line, NGX_OLIVINE_OPTIONS_BLANKS);

    if (*line == '\0' || *line == '#') {
        return NGX_OK;
    }

    /* a word takes two bytes at least, its blank included */

    len = strlen(line) + 1;

    words = malloc((len / 2 + 1) * sizeof(char *));
    out = malloc(len);

    if (words == NULL || out == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    *argv = words;

    while (*line) {
        words[(*argc)++] = out;

        out = ngx_olivine_options_word(&line, out);
        if (out == NULL) {
            return NGX_DECLINED;
        }

        line += strspn(line, NGX_OLIVINE_OPTIONS_BLANKS);
    }

    return NGX_OK;
}


/* Copies one word; returns what follows its end, NULL on open quotes. */

static char *
ngx_olivine_options_word(char **line, char *out)
{
    char  *p;

    for (p = *line; *p && !isspace((u_char) *p); /* void */ ) {

        if (*p == '"') {
            for (p++; *p != '"'; /* void */ ) {
                if (*p == '\0') {
                    return NULL;
                }

                p = ngx_olivine_options_quoted(p, out++);
            }

        } else if (*p == '\'') {
            for (p++; *p != '\''; /* void */ ) {
                if (*p == '\0') {
                    return NULL;
                }

                if (p[0] == '\\' && p[1] == '\'') {
                    p++;
                }

                *out++ = *p++;
            }

        } else {
            *out++ = *p++;
            continue;
        }

        p++;

        /* a closing quote ends the word */

        if (*p && !isspace((u_char) *p)) {
            return NULL;
        }
    }

    *out++ = '\0';
    *line = p;

    return out;
}


/* One character between double quotes; returns the next one's place. */

static char *
ngx_olivine_options_quoted(char *p, char *out)
{
    if (*p != '\\' || p[1] == '\0') {
        *out = *p;
        return p + 1;
    }

    p++;

    switch (*p) {

    case 'n':
        *out = '\n';
        break;

    case 'r':
        *out = '\r';
        break;

    case 't':
        *out = '\t';
        break;

    case 'b':
        *out = '\b';
        break;

    case 'a':
        *out = '\a';
        break;

    case 'x':
        if (isxdigit((u_char) p[1]) && isxdigit((u_char) p[2])) {
            *out = (char) (ngx_olivine_options_hex(p[1]) * 16
                           + ngx_olivine_options_hex(p[2]));
            return p + 3;
        }

        *out = 'x';
        break;

    default:
        *out = *p;
    }

    return p + 1;
}


static int
ngx_olivine_options_hex(int ch)
{
    return ch <= '9' ? ch - '0' : (ch | 0x20) - 'a' + 10;
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


/*
 * Notes one parameter.  A later one replaces an earlier one of its name, but
 * the lists grow line by line; the command line replaces them, too.
 */

static ngx_int_t
ngx_olivine_options_add(ngx_olivine_options_t *o, char **argv,
    ngx_uint_t argc, ngx_uint_t line)
{
    char                           **args;
    ngx_uint_t                       i;
    ngx_olivine_option_t            *opt;
    const ngx_olivine_option_row_t  *row;

    argv[0] = strdup(argv[0]);
    if (argv[0] == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    for (i = 0; argv[0][i]; i++) {
        argv[0][i] = (char) tolower((u_char) argv[0][i]);
    }

    row = ngx_olivine_options_row(argv[0]);

    if (argc < 2 || (row && row->most && argc - 1 > row->most)) {
        if (line) {
            return ngx_olivine_options_error(o, "wrong number of values for "
                                             "\"%s\" in line %lu", argv[0],
                                             (unsigned long) line);
        }

        return ngx_olivine_options_error(o, "wrong number of values for "
                                         "\"--%s\"", argv[0]);
    }

    opt = ngx_olivine_options_get(o, argv[0]);

    if (opt && ngx_olivine_options_adds_up(opt, argv, argc, line)) {
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

    if (opt == NULL) {
        opt = ngx_olivine_options_push(o);
        if (opt == NULL) {
            return ngx_olivine_options_error(o, "no memory");
        }
    }

    opt->argv = argv;
    opt->argc = argc;
    opt->line = line;

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
ngx_olivine_options_adds_up(ngx_olivine_option_t *opt, char **argv,
    ngx_uint_t argc, ngx_uint_t line)
{
    ngx_uint_t  i;

    if ((opt->line != 0) != (line != 0)
        || argv[1][0] == '\0' || opt->argv[1][0] == '\0')
    {
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


const ngx_olivine_option_row_t *
ngx_olivine_options_row(const char *name)
{
    const ngx_olivine_option_row_t  *row;

    for (row = ngx_olivine_option_rows; row->name; row++) {
        if (strcmp(row->name, name) == 0) {
            return row;
        }
    }

    return NULL;
}


ngx_int_t
ngx_olivine_options_memory(const char *s, off_t *bytes)
{
    ngx_uint_t  i;
    long long   n, unit;
    char       *end;

    static const struct {
        const char  *name;
        long long    unit;
    } units[] = {
        { "", 1 },        { "b", 1 },
        { "k", 1000 },    { "kb", 1024 },
        { "m", 1000000 }, { "mb", 1024 * 1024 },
        { "g", 1000000000LL }, { "gb", 1024 * 1024 * 1024LL }
    };

    if (!isdigit((u_char) *s)) {
        return NGX_ERROR;
    }

    errno = 0;
    n = strtoll(s, &end, 10);

    if (errno) {
        return NGX_ERROR;
    }

    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcasecmp(end, units[i].name) != 0) {
            continue;
        }

        unit = units[i].unit;

        if (n > NGX_MAX_OFF_T_VALUE / unit) {
            return NGX_ERROR;
        }

        *bytes = n * unit;

        return NGX_OK;
    }

    return NGX_ERROR;
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
