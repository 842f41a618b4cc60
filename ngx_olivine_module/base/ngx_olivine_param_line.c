
/*
 * Copyright (C) The Olivine authors
 *
 * A parameter as a line of redis.conf.
 */


#include "base/ngx_olivine_param_types.h"


static u_char *ngx_olivine_params_quote(u_char *buf, u_char *last,
    const u_char *data, size_t len);
static u_char *ngx_olivine_params_words(u_char *buf, u_char *last, u_char *p,
    u_char *end);
static u_char *ngx_olivine_params_size(u_char *buf, u_char *last, int64_t n);
static ngx_uint_t ngx_olivine_params_bare(const u_char *data, size_t len);


u_char *
ngx_olivine_params_line(const ngx_olivine_params_t *params,
    const ngx_olivine_param_t *row, ngx_uint_t n, u_char *buf, u_char *last)
{
    int64_t    number;
    u_char     text[NGX_OLIVINE_PARAM_PRINT], *p, *end, *next;
    ngx_uint_t i, words;

    end = ngx_olivine_params_print(params, row, text, text + sizeof(text));

    buf = ngx_slprintf(buf, last, "%V ", &row->name);

    if (row->type == &ngx_olivine_param_size) {
        ngx_memcpy(&number, (const u_char *) params + row->offset,
                   sizeof(int64_t));
        return n ? NULL : ngx_olivine_params_size(buf, last, number);
    }

    if (!(row->flags & NGX_OLIVINE_PARAM_LINES) || text == end) {

        if (n) {
            return NULL;
        }

        if ((row->flags & NGX_OLIVINE_PARAM_WORDS) && text != end) {
            return ngx_olivine_params_words(buf, last, text, end);
        }

        return ngx_olivine_params_quote(buf, last, text, end - text);
    }

    /* the n-th part: so many words of all of them */

    words = (row->type == &ngx_olivine_param_limits) ? 4 : 2;
    p = text;

    for (i = 0; /* void */ ; i++) {

        for (next = p; words && next < end; words--) {
            next = ngx_strlchr(next, end, ' ');
            next = next ? next + 1 : end;
        }

        if (i == n) {
            break;
        }

        if (next == end) {
            return NULL;
        }

        words = (row->type == &ngx_olivine_param_limits) ? 4 : 2;
        p = next;
    }

    if (next[-1] == ' ') {
        next--;
    }

    return ngx_slprintf(buf, last, "%*s", (size_t) (next - p), p);
}


/* Between two blanks there is a word, too: "". */

static u_char *
ngx_olivine_params_words(u_char *buf, u_char *last, u_char *p, u_char *end)
{
    u_char  *blank;

    for ( ;; ) {
        blank = ngx_strlchr(p, end, ' ');

        buf = ngx_olivine_params_quote(buf, last, p,
                                       (blank ? blank : end) - p);
        if (blank == NULL) {
            return buf;
        }

        buf = ngx_slprintf(buf, last, " ");
        p = blank + 1;
    }
}


/* As in double quotes, if it is not plain. */

static u_char *
ngx_olivine_params_quote(u_char *buf, u_char *last, const u_char *data,
    size_t len)
{
    size_t  i;

    if (ngx_olivine_params_bare(data, len)) {
        return ngx_slprintf(buf, last, "%*s", len, data);
    }

    buf = ngx_slprintf(buf, last, "\"");

    for (i = 0; i < len; i++) {

        switch (data[i]) {

        case '"':
        case '\\':
            buf = ngx_slprintf(buf, last, "\\%c", data[i]);
            break;

        default:
            if (data[i] < 0x20 || data[i] >= 0x7f) {
                buf = ngx_slprintf(buf, last, "\\x%02xd", data[i]);

            } else {
                buf = ngx_slprintf(buf, last, "%c", data[i]);
            }
        }
    }

    return ngx_slprintf(buf, last, "\"");
}


static ngx_uint_t
ngx_olivine_params_bare(const u_char *data, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        if (data[i] <= ' ' || data[i] >= 0x7f || data[i] == '"'
            || data[i] == '\'' || data[i] == '\\' || data[i] == '#')
        {
            return 0;
        }
    }

    return len != 0;
}


/* In the largest unit that has no rest. */

static u_char *
ngx_olivine_params_size(u_char *buf, u_char *last, int64_t n)
{
    ngx_uint_t  i;

    static const char *const  units[] = { "", "kb", "mb", "gb" };

    for (i = 0; i < 3 && n && n % 1024 == 0; i++) {
        n /= 1024;
    }

    return ngx_slprintf(buf, last, "%L%s", n, units[i]);
}
