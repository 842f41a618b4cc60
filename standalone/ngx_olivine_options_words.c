
/*
 * Copyright (C) The Olivine authors
 *
 * The words of a line, cut as Redis cuts them.
 */


#include "ngx_olivine_options.h"


/* those of isspace(), which ends a word */
#define NGX_OLIVINE_OPTIONS_BLANKS  " \t\r\n\v\f"


static char *ngx_olivine_options_word(char **line, char *out);
static char *ngx_olivine_options_quoted(char *p, char *out);
static int ngx_olivine_options_hex(int ch);


ngx_int_t
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
