
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_forms.h"


#define NGX_OLIVINE_FORMS_DEPTH  16
#define NGX_OLIVINE_FORMS_STEP   16384


typedef struct {
    ngx_conf_t   *cf;
    ngx_str_t    *name;
    ngx_array_t  *forms;
    ngx_uint_t    depth;
} ngx_olivine_forms_t;


static ngx_int_t ngx_olivine_forms_file(ngx_olivine_forms_t *f,
    ngx_str_t *file);
static ngx_int_t ngx_olivine_forms_text(ngx_olivine_forms_t *f, u_char *p,
    u_char *last);
static ngx_int_t ngx_olivine_forms_statement(ngx_olivine_forms_t *f,
    ngx_str_t *words, u_char end);
static ngx_int_t ngx_olivine_forms_include(ngx_olivine_forms_t *f,
    ngx_str_t *word);
static u_char *ngx_olivine_forms_word(u_char *p, u_char *last,
    ngx_str_t *word);
static ngx_int_t ngx_olivine_forms_load(ngx_olivine_forms_t *f,
    ngx_str_t *file, ngx_str_t *text);


ngx_int_t
ngx_olivine_forms_read(ngx_conf_t *cf, ngx_str_t *name, ngx_array_t *forms)
{
    ngx_olivine_forms_t  f;

    f.cf = cf;
    f.name = name;
    f.forms = forms;
    f.depth = 0;

    return ngx_olivine_forms_file(&f, &cf->cycle->conf_file);
}


static ngx_int_t
ngx_olivine_forms_file(ngx_olivine_forms_t *f, ngx_str_t *file)
{
    ngx_int_t  rc;
    ngx_str_t  text;

    if (f->depth == NGX_OLIVINE_FORMS_DEPTH) {
        return NGX_OK;
    }

    rc = ngx_olivine_forms_load(f, file, &text);

    if (rc == NGX_DECLINED) {
        return NGX_OK;
    }

    if (rc == NGX_OK) {
        f->depth++;
        rc = ngx_olivine_forms_text(f, text.data, text.data + text.len);
        f->depth--;

        ngx_free(text.data);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_forms_text(ngx_olivine_forms_t *f, u_char *p, u_char *last)
{
    ngx_str_t   words[2], word;
    ngx_uint_t  n;

    n = 0;

    while (p < last) {

        switch (*p) {

        case ' ':
        case '\t':
        case CR:
        case LF:
            p++;
            break;

        case '#':
            while (p < last && *p != LF) {
                p++;
            }

            break;

        case ';':
        case '{':
            if (n > 1
                && ngx_olivine_forms_statement(f, words, *p) != NGX_OK)
            {
                return NGX_ERROR;
            }

            n = 0;
            p++;
            break;

        case '}':
            n = 0;
            p++;
            break;

        default:
            p = ngx_olivine_forms_word(p, last, &word);

            if (n < 2) {
                words[n++] = word;
            }
        }
    }

    return NGX_OK;
}


/* The first two words of a statement, and what ended it. */

static ngx_int_t
ngx_olivine_forms_statement(ngx_olivine_forms_t *f, ngx_str_t *words,
    u_char end)
{
    u_char  *form;

    if (end == ';' && words[0].len == sizeof("include") - 1
        && ngx_strncmp(words[0].data, "include", words[0].len) == 0)
    {
        return ngx_olivine_forms_include(f, &words[1]);
    }

    if (words[0].len != f->name->len
        || ngx_strncmp(words[0].data, f->name->data, f->name->len) != 0)
    {
        return NGX_OK;
    }

    form = ngx_array_push(f->forms);
    if (form == NULL) {
        return NGX_ERROR;
    }

    *form = (end == '{');

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_forms_include(ngx_olivine_forms_t *f, ngx_str_t *word)
{
    ngx_int_t   rc;
    ngx_str_t   file, name;
    ngx_glob_t  gl;

    file.len = word->len;
    file.data = ngx_pnalloc(f->cf->temp_pool, word->len + 1);

    if (file.data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_cpystrn(file.data, word->data, word->len + 1);

    if (ngx_conf_full_name(f->cf->cycle, &file, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    if (strpbrk((char *) file.data, "*?[") == NULL) {
        return ngx_olivine_forms_file(f, &file);
    }

    ngx_memzero(&gl, sizeof(ngx_glob_t));

    gl.pattern = file.data;
    gl.log = f->cf->log;
    gl.test = 1;

    if (ngx_open_glob(&gl) != NGX_OK) {
        return NGX_OK;
    }

    rc = NGX_OK;

    while (rc == NGX_OK && ngx_read_glob(&gl, &name) == NGX_OK) {
        rc = ngx_olivine_forms_file(f, &name);
    }

    ngx_close_glob(&gl);

    return rc;
}


/* Where the word at p ends; quotes and escapes stay in it. */

static u_char *
ngx_olivine_forms_word(u_char *p, u_char *last, ngx_str_t *word)
{
    u_char  quote, *start;

    quote = 0;
    start = p;

    if (*p == '"' || *p == '\'') {
        quote = *p++;
        start = p;
    }

    for ( /* void */ ; p < last; p++) {

        if (*p == '\\' && p + 1 < last) {
            p++;
            continue;
        }

        if (quote) {
            if (*p == quote) {
                break;
            }

            continue;
        }

        if (*p == '$' && p + 1 < last && p[1] == '{') {
            p++;
            continue;
        }

        if (*p == ' ' || *p == '\t' || *p == CR || *p == LF || *p == ';'
            || *p == '{')
        {
            break;
        }
    }

    word->data = start;
    word->len = p - start;

    return (quote && p < last) ? p + 1 : p;
}


/* DECLINED: nginx itself will say why. */

static ngx_int_t
ngx_olivine_forms_load(ngx_olivine_forms_t *f, ngx_str_t *file,
    ngx_str_t *text)
{
    u_char     *p;
    size_t      size;
    ssize_t     n;
    ngx_fd_t    fd;
    ngx_int_t   rc;

    fd = ngx_open_file(file->data, NGX_FILE_RDONLY|NGX_FILE_NONBLOCK,
                       NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    rc = NGX_ERROR;
    size = 0;
    text->len = 0;
    text->data = NULL;

    for ( ;; ) {

        if (text->len == size) {
            p = ngx_alloc(size + NGX_OLIVINE_FORMS_STEP, f->cf->log);
            if (p == NULL) {
                goto failed;
            }

            if (size) {
                ngx_memcpy(p, text->data, size);
                ngx_free(text->data);
            }

            text->data = p;
            size += NGX_OLIVINE_FORMS_STEP;
        }

        n = ngx_read_fd(fd, text->data + text->len, size - text->len);

        if (n == -1) {
            rc = NGX_DECLINED;
            goto failed;
        }

        if (n == 0) {
            break;
        }

        text->len += n;
    }

    (void) ngx_close_file(fd);

    return NGX_OK;

failed:

    if (text->data) {
        ngx_free(text->data);
    }

    (void) ngx_close_file(fd);

    return rc;
}
