
/*
 * Copyright (C) The Olivine authors
 *
 * Its words are split as those of an inline command are: both have the rules
 * of sdssplitargs().
 */


#include "base/ngx_olivine_number.h"
#include "log/ngx_olivine_manifest.h"
#include "resp/ngx_olivine_resp_parse.h"


static ngx_int_t ngx_olivine_manifest_line(ngx_olivine_manifest_t *m,
    u_char *p, u_char *last, ngx_olivine_args_t *args, const char **fault);
static ngx_int_t ngx_olivine_manifest_fields(
    ngx_olivine_manifest_file_t *file, ngx_olivine_args_t *args,
    const char **fault);
static ngx_int_t ngx_olivine_manifest_field(
    ngx_olivine_manifest_file_t *file, ngx_olivine_arg_t *key,
    ngx_olivine_arg_t *value, const char **fault);
static ngx_int_t ngx_olivine_manifest_insert(ngx_olivine_manifest_t *m,
    ngx_olivine_manifest_file_t *file, const char **fault);
static ngx_uint_t ngx_olivine_manifest_group(ngx_olivine_manifest_e type);
static u_char *ngx_olivine_manifest_repr(u_char *p, const char *name);


void
ngx_olivine_manifest_free(ngx_olivine_manifest_t *m)
{
    free(m->files);
    ngx_olivine_manifest_init(m);
}


ngx_int_t
ngx_olivine_manifest_parse(ngx_olivine_manifest_t *m, const u_char *p,
    const u_char *last, ngx_olivine_manifest_error_t *e)
{
    u_char              line[NGX_OLIVINE_MANIFEST_LINE];
    size_t              len;
    ngx_int_t           rc;
    const char         *fault;
    const u_char       *lf;
    ngx_olivine_args_t  args;

    ngx_memzero(&args, sizeof(ngx_olivine_args_t));

    e->code = 0;
    e->line = 0;
    rc = NGX_ABORT;

    if (p == last) {
        fault = "the manifest is empty";
        goto failed;
    }

    while (p < last) {
        e->line++;

        lf = memchr(p, LF, ngx_min(last - p, NGX_OLIVINE_MANIFEST_LINE));

        if (lf == NULL) {
            fault = (last - p < NGX_OLIVINE_MANIFEST_LINE)
                    ? "the last line has no end" : "the line is too long";
            goto failed;
        }

        len = lf + 1 - p;

        if (*p != '#') {
            ngx_memcpy(line, p, len);

            rc = ngx_olivine_manifest_line(m, line, line + len, &args,
                                           &fault);
            if (rc != NGX_OK) {
                goto failed;
            }

            rc = NGX_ABORT;
        }

        p += len;
    }

    ngx_olivine_args_free(&args);
    return NGX_OK;

failed:

    ngx_olivine_args_free(&args);

    if (rc == NGX_ERROR) {
        fault = "no memory";
        e->code = ENOMEM;
    }

    if (e->line && rc == NGX_ABORT) {
        (void) snprintf(e->text, sizeof(e->text), "line %lu: %s",
                        (unsigned long) e->line, fault);
    } else {
        (void) snprintf(e->text, sizeof(e->text), "%s", fault);
    }

    return rc;
}


/* The line is unquoted in place. */

static ngx_int_t
ngx_olivine_manifest_line(ngx_olivine_manifest_t *m, u_char *p, u_char *last,
    ngx_olivine_args_t *args, const char **fault)
{
    u_char                       buf[NGX_OLIVINE_RESP_ERROR];
    ngx_int_t                    rc;
    ngx_str_t                    err;
    ngx_olivine_resp_limits_t    limits;
    ngx_olivine_resp_parser_t    parser;
    ngx_olivine_manifest_file_t  file;

    *fault = "it is not \"file NAME seq N type b|h|i\"";

    /* that would be no inline command */

    if (*p == '*') {
        return NGX_ABORT;
    }

    ngx_memzero(&limits, sizeof(ngx_olivine_resp_limits_t));
    limits.max_inline = NGX_OLIVINE_MANIFEST_LINE;

    ngx_olivine_resp_parser_init(&parser);
    args->nelts = 0;
    err.data = buf;

    rc = ngx_olivine_resp_parse(&parser, &p, last, args, &limits, &err);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_ABORT) {
        *fault = "quotes are not balanced";
        return NGX_ABORT;
    }

    if (rc != NGX_OK || args->nelts < 6 || args->nelts % 2) {
        return NGX_ABORT;
    }

    ngx_memzero(&file, sizeof(ngx_olivine_manifest_file_t));

    rc = ngx_olivine_manifest_fields(&file, args, fault);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_manifest_insert(m, &file, fault);
}


static ngx_int_t
ngx_olivine_manifest_fields(ngx_olivine_manifest_file_t *file,
    ngx_olivine_args_t *args, const char **fault)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    for (i = 0; i < args->nelts; i += 2) {
        rc = ngx_olivine_manifest_field(file, &args->elts[i],
                                        &args->elts[i + 1], fault);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (file->name[0] == '\0' || file->seq == 0 || file->type == 0) {
        *fault = "file, seq or type is missing";
        return NGX_ABORT;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_manifest_field(ngx_olivine_manifest_file_t *file,
    ngx_olivine_arg_t *key, ngx_olivine_arg_t *value, const char **fault)
{
    u_char   *p;
    int64_t   n;

    p = value->data;

    if (key->len == 4 && ngx_strncasecmp(key->data, (u_char *) "file", 4) == 0)
    {
        if (memchr(p, '/', value->len) || memchr(p, '\\', value->len)) {
            *fault = "the name of the file is a path";
            return NGX_ABORT;
        }

        if (value->len == 0 || value->len >= NGX_OLIVINE_MANIFEST_NAME
            || memchr(p, '\0', value->len)
            || (p[0] == '.' && (value->len == 1
                                || (value->len == 2 && p[1] == '.'))))
        {
            *fault = "no file can have that name";
            return NGX_ABORT;
        }

        ngx_memcpy(file->name, p, value->len);
        file->name[value->len] = '\0';

    } else if (key->len == 3
               && ngx_strncasecmp(key->data, (u_char *) "seq", 3) == 0)
    {
        if (ngx_olivine_number_parse(p, p + value->len, &n) != NGX_OK
            || n < 1 || n == INT64_MAX)
        {
            *fault = "seq is not a number above 0";
            return NGX_ABORT;
        }

        file->seq = n;

    } else if (key->len == 4
               && ngx_strncasecmp(key->data, (u_char *) "type", 4) == 0)
    {
        /* of longer words the first letter counts, as in Redis */

        if (value->len == 0
            || (p[0] != NGX_OLIVINE_MANIFEST_BASE
                && p[0] != NGX_OLIVINE_MANIFEST_HISTORY
                && p[0] != NGX_OLIVINE_MANIFEST_INCR))
        {
            *fault = "the type of the file is not b, h or i";
            return NGX_ABORT;
        }

        file->type = p[0];
    }

    return NGX_OK;
}


/* Behind those of its group.  OK, ABORT or ERROR. */

static ngx_int_t
ngx_olivine_manifest_insert(ngx_olivine_manifest_t *m,
    ngx_olivine_manifest_file_t *file, const char **fault)
{
    ngx_uint_t                    i, n;
    ngx_olivine_manifest_file_t  *files, *prev;

    i = m->nfiles;

    while (i > 0 && ngx_olivine_manifest_group(m->files[i - 1].type)
                    > ngx_olivine_manifest_group(file->type))
    {
        i--;
    }

    prev = i ? &m->files[i - 1] : NULL;

    if (prev && prev->type == file->type) {

        if (file->type == NGX_OLIVINE_MANIFEST_BASE) {
            *fault = "there is another base";
            return NGX_ABORT;
        }

        if (file->type == NGX_OLIVINE_MANIFEST_INCR && file->seq <= prev->seq)
        {
            *fault = "the numbers of the increments do not rise";
            return NGX_ABORT;
        }
    }

    if (m->nfiles == NGX_OLIVINE_MANIFEST_FILES) {
        *fault = "there are too many files";
        return NGX_ABORT;
    }

    if (m->nfiles == m->nalloc) {
        n = m->nalloc ? 2 * m->nalloc : 8;

        files = realloc(m->files, n * sizeof(ngx_olivine_manifest_file_t));
        if (files == NULL) {
            return NGX_ERROR;
        }

        m->files = files;
        m->nalloc = n;
    }

    ngx_memmove(&m->files[i + 1], &m->files[i],
                (m->nfiles - i) * sizeof(ngx_olivine_manifest_file_t));

    m->files[i] = *file;
    m->nfiles++;

    return NGX_OK;
}


static ngx_uint_t
ngx_olivine_manifest_group(ngx_olivine_manifest_e type)
{
    switch (type) {

    case NGX_OLIVINE_MANIFEST_BASE:
        return 0;

    case NGX_OLIVINE_MANIFEST_HISTORY:
        return 1;

    default:
        return 2;
    }
}


u_char *
ngx_olivine_manifest_print(ngx_olivine_manifest_t *m, u_char *p)
{
    ngx_uint_t                    i;
    ngx_olivine_manifest_file_t  *file;

    for (i = 0; i < m->nfiles; i++) {
        file = &m->files[i];

        p = ngx_cpymem(p, "file ", 5);
        p = ngx_olivine_manifest_repr(p, file->name);
        p = ngx_cpymem(p, " seq ", 5);
        p = ngx_olivine_number_print(p, file->seq);
        p = ngx_cpymem(p, " type ", 6);
        *p++ = (u_char) file->type;
        *p++ = LF;
    }

    return p;
}


/* what is said of a name in the worst case is four times as long */

size_t
ngx_olivine_manifest_size(ngx_olivine_manifest_t *m)
{
    size_t      size;
    ngx_uint_t  i;

    size = 1;

    for (i = 0; i < m->nfiles; i++) {
        size += 4 * strlen(m->files[i].name)
                + sizeof("file \"\" seq  type b\n") + NGX_OLIVINE_I64_LEN;
    }

    return size;
}


/*
 * Quoted only if need be, as by sdscatrepr().  Redis does not
 * for a single quote, and cannot read then what it has written.
 */

static u_char *
ngx_olivine_manifest_repr(u_char *p, const char *name)
{
    u_char             c;
    ngx_uint_t         quoted;
    const char        *s, *found;
    static const char  plain[] = "\\\"\n\r\t\a\b";
    static const char  letters[] = "\\\"nrtab";
    static const char  hex[] = "0123456789abcdef";

    quoted = 0;

    for (s = name; *s; s++) {
        c = (u_char) *s;

        if (c <= ' ' || c > '~' || c == '\\' || c == '"' || c == '\'') {
            quoted = 1;
            break;
        }
    }

    if (!quoted) {
        return ngx_cpymem(p, name, strlen(name));
    }

    *p++ = '"';

    for (s = name; *s; s++) {
        c = (u_char) *s;
        found = strchr(plain, c);

        if (found) {
            *p++ = '\\';
            *p++ = (u_char) letters[found - plain];

        } else if (c >= ' ' && c <= '~') {
            *p++ = c;

        } else {
            *p++ = '\\';
            *p++ = 'x';
            *p++ = (u_char) hex[c >> 4];
            *p++ = (u_char) hex[c & 15];
        }
    }

    *p++ = '"';

    return p;
}


ngx_olivine_manifest_file_t *
ngx_olivine_manifest_base(ngx_olivine_manifest_t *m)
{
    if (m->nfiles && m->files[0].type == NGX_OLIVINE_MANIFEST_BASE) {
        return &m->files[0];
    }

    return NULL;
}


ngx_olivine_manifest_file_t *
ngx_olivine_manifest_incr(ngx_olivine_manifest_t *m,
    ngx_olivine_manifest_file_t *file)
{
    ngx_uint_t  i;

    i = file ? file + 1 - m->files : 0;

    for ( /* void */ ; i < m->nfiles; i++) {
        if (m->files[i].type == NGX_OLIVINE_MANIFEST_INCR) {
            return &m->files[i];
        }
    }

    return NULL;
}


/* History is of either kind: a number too high does no harm. */

int64_t
ngx_olivine_manifest_next(ngx_olivine_manifest_t *m,
    ngx_olivine_manifest_e type)
{
    int64_t                       seq;
    ngx_uint_t                    i;
    const char                   *other;
    ngx_olivine_manifest_file_t  *file;

    seq = 0;
    other = (type == NGX_OLIVINE_MANIFEST_BASE) ? ".incr." : ".base.";

    for (i = 0; i < m->nfiles; i++) {
        file = &m->files[i];

        if (file->type != type
            && (file->type != NGX_OLIVINE_MANIFEST_HISTORY
                || strstr(file->name, other)))
        {
            continue;
        }

        seq = ngx_max(seq, file->seq);
    }

    return seq + 1;
}


ngx_int_t
ngx_olivine_manifest_name(char *buf, ngx_olivine_manifest_e type, int64_t seq,
    const char *name, ngx_uint_t rdb)
{
    int          n;
    const char  *kind;

    if (type == NGX_OLIVINE_MANIFEST_BASE) {
        kind = rdb ? "base.rdb" : "base.aof";

    } else {
        kind = "incr.aof";
    }

    n = snprintf(buf, NGX_OLIVINE_MANIFEST_NAME, "%s.%lld.%s", name,
                 (long long) seq, kind);

    return (n < NGX_OLIVINE_MANIFEST_NAME) ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_olivine_manifest_add(ngx_olivine_manifest_t *m,
    ngx_olivine_manifest_e type, int64_t seq, const char *name,
    ngx_uint_t rdb)
{
    ngx_int_t                     rc;
    const char                   *fault;
    ngx_olivine_manifest_file_t   file, *base;

    ngx_memzero(&file, sizeof(ngx_olivine_manifest_file_t));

    file.type = type;
    file.seq = seq;

    if (seq < 1 || seq == INT64_MAX
        || ngx_olivine_manifest_name(file.name, type, seq, name, rdb)
           != NGX_OK)
    {
        return NGX_DECLINED;
    }

    base = NULL;

    if (type == NGX_OLIVINE_MANIFEST_BASE) {
        base = ngx_olivine_manifest_base(m);

        if (base) {
            base->type = NGX_OLIVINE_MANIFEST_HISTORY;
        }
    }

    rc = ngx_olivine_manifest_insert(m, &file, &fault);

    if (rc != NGX_OK && base) {
        base->type = NGX_OLIVINE_MANIFEST_BASE;
    }

    return (rc == NGX_ABORT) ? NGX_DECLINED : rc;
}


void
ngx_olivine_manifest_retire(ngx_olivine_manifest_t *m, int64_t seq)
{
    ngx_uint_t  i;

    /* increments are last and rise: those before stay beside history */

    for (i = 0; i < m->nfiles; i++) {
        if (m->files[i].type == NGX_OLIVINE_MANIFEST_INCR
            && m->files[i].seq < seq)
        {
            m->files[i].type = NGX_OLIVINE_MANIFEST_HISTORY;
        }
    }
}
