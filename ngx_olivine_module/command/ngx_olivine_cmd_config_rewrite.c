
/*
 * Copyright (C) The Olivine authors
 *
 * CONFIG REWRITE: the file that the standalone was started with gets the
 * running values.  A line of a parameter is put in place of the first one
 * that is there, others of the same are dropped; what is not there and not
 * the default comes at the end.  Comments, and all that is no parameter
 * (include, rename-command), stay as they are.
 *
 * The new file is made beside the old one and renamed: whoever reads sees the
 * one or the other.  Nothing is locked meanwhile, and workers may do it at
 * the same time.
 */


#include "command/ngx_olivine_cmd.h"


/* a redis.conf with all its comments has a tenth of it */
#define NGX_OLIVINE_REWRITE_MAX   (4 * 1024 * 1024)

#define NGX_OLIVINE_REWRITE_MARK  "# The following lines were added by "      \
                                  "CONFIG REWRITE"


typedef struct {
    const ngx_olivine_params_t  *params;
    ngx_olivine_params_t         defaults;
    u_char                      *done;        /* a byte for each row */
    ngx_uint_t                   marked;      /* by an earlier rewrite */
    u_char                      *data;        /* what the file will be */
    size_t                       len;
    size_t                       alloc;
} ngx_olivine_rewrite_t;


static ngx_int_t ngx_olivine_rewrite(const ngx_olivine_params_t *params,
    const char *path);
static ngx_int_t ngx_olivine_rewrite_read(const char *path, u_char **data,
    size_t *len, struct stat *st);
static ngx_int_t ngx_olivine_rewrite_all(ngx_olivine_rewrite_t *rw,
    u_char *p, u_char *last);
static ngx_int_t ngx_olivine_rewrite_line(ngx_olivine_rewrite_t *rw,
    u_char *p, u_char *end);
static ngx_int_t ngx_olivine_rewrite_row(ngx_olivine_rewrite_t *rw,
    const ngx_olivine_param_t *row);
static ngx_int_t ngx_olivine_rewrite_put(ngx_olivine_rewrite_t *rw,
    const u_char *data, size_t len);
static ngx_int_t ngx_olivine_rewrite_write(ngx_olivine_rewrite_t *rw,
    const char *path, struct stat *st);
static void ngx_olivine_rewrite_sync_dir(const char *path);


ngx_int_t
ngx_olivine_cmd_config_rewrite(ngx_olivine_cx_t *cx)
{
    char                  *path;
    ngx_int_t              rc;
    ngx_err_t              err;
    ngx_olivine_params_t   params;

    /* an EXEC holds its locks, and files take their time */

    if (cx->nested) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NO_MULTI);
    }

    rc = ngx_olivine_cx_in_zone(cx, ngx_olivine_config_read, &params);
    if (rc != NGX_OK) {
        return rc;
    }

    if (params.config_file.len == 0) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NO_CONFIG_FILE);
    }

    /* a link stays one */

    path = realpath((char *) params.config_file.data, NULL);

    rc = ngx_olivine_rewrite(&params, path ? path
                                     : (char *) params.config_file.data);
    err = ngx_errno;

    free(path);

    if (rc != NGX_OK) {
        return ngx_olivine_cx_error(cx, "ERR Rewriting config file: %s",
                                    strerror(err));
    }

    return ngx_olivine_reply_ok(cx->reply);
}


/* OK, or ERROR with errno set. */

static ngx_int_t
ngx_olivine_rewrite(const ngx_olivine_params_t *params, const char *path)
{
    size_t                  len;
    u_char                 *data;
    ngx_int_t               rc;
    ngx_uint_t              n;
    struct stat             st;
    ngx_olivine_rewrite_t   rw;

    if (ngx_olivine_rewrite_read(path, &data, &len, &st) != NGX_OK) {
        return NGX_ERROR;
    }

    for (n = 0; ngx_olivine_params[n].name.len; n++) {
        /* void */
    }

    ngx_memzero(&rw, sizeof(ngx_olivine_rewrite_t));

    rw.params = params;
    ngx_olivine_params_defaults(&rw.defaults);

    rc = NGX_ERROR;
    rw.done = ngx_calloc(n, ngx_cycle->log);

    if (rw.done && ngx_olivine_rewrite_all(&rw, data, data + len) == NGX_OK) {
        rc = ngx_olivine_rewrite_write(&rw, path, &st);

    } else {
        ngx_set_errno(NGX_ENOMEM);
    }

    n = ngx_errno;

    free(data);
    free(rw.data);

    if (rw.done) {
        ngx_free(rw.done);
    }

    ngx_set_errno(n);

    return rc;
}


/* A file that is gone is an empty one. */

static ngx_int_t
ngx_olivine_rewrite_read(const char *path, u_char **data, size_t *len,
    struct stat *st)
{
    int        fd;
    ssize_t    n;
    ngx_err_t  err;

    *data = NULL;
    *len = 0;

    fd = open(path, O_RDONLY|O_CLOEXEC);

    if (fd == -1) {
        ngx_memzero(st, sizeof(struct stat));
        return ngx_errno == NGX_ENOENT ? NGX_OK : NGX_ERROR;
    }

    if (fstat(fd, st) == -1) {
        goto failed;
    }

    if (!S_ISREG(st->st_mode) || st->st_size > NGX_OLIVINE_REWRITE_MAX) {
        ngx_set_errno(EFBIG);
        goto failed;
    }

    *data = malloc(st->st_size + 1);
    if (*data == NULL) {
        goto failed;
    }

    while (*len < (size_t) st->st_size) {

        n = read(fd, *data + *len, st->st_size - *len);

        if (n == -1) {
            goto failed;
        }

        if (n == 0) {
            break;
        }

        *len += n;
    }

    (void) close(fd);

    return NGX_OK;

failed:

    err = ngx_errno;

    free(*data);
    (void) close(fd);

    ngx_set_errno(err);

    return NGX_ERROR;
}


static ngx_int_t
ngx_olivine_rewrite_all(ngx_olivine_rewrite_t *rw, u_char *p, u_char *last)
{
    u_char                     *end;
    const ngx_olivine_param_t  *row;

    while (p < last) {
        end = ngx_strlchr(p, last, LF);
        end = end ? end : last;

        if (ngx_olivine_rewrite_line(rw, p, end) != NGX_OK) {
            return NGX_ERROR;
        }

        p = end + 1;
    }

    for (row = ngx_olivine_params; row->name.len; row++) {

        if (rw->done[row - ngx_olivine_params]
            || (row->flags & (NGX_OLIVINE_PARAM_HIDDEN|NGX_OLIVINE_PARAM_OWN))
            || ngx_olivine_params_equal(rw->params, &rw->defaults, row))
        {
            continue;
        }

        if (!rw->marked) {
            rw->marked = 1;

            if (ngx_olivine_rewrite_put(rw, (u_char *) "", 0) != NGX_OK
                || ngx_olivine_rewrite_put(rw,
                               (u_char *) NGX_OLIVINE_REWRITE_MARK,
                               sizeof(NGX_OLIVINE_REWRITE_MARK) - 1)
                   != NGX_OK)
            {
                return NGX_ERROR;
            }
        }

        if (ngx_olivine_rewrite_row(rw, row) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_rewrite_line(ngx_olivine_rewrite_t *rw, u_char *p, u_char *end)
{
    u_char                     *name, *last, *done;
    const ngx_olivine_param_t  *row;

    for (name = p; name < end && isspace(*name); name++) { /* void */ }
    for (last = name; last < end && !isspace(*last); last++) { /* void */ }

    if (end - p == sizeof(NGX_OLIVINE_REWRITE_MARK) - 1
        && ngx_memcmp(p, NGX_OLIVINE_REWRITE_MARK, end - p) == 0)
    {
        rw->marked = 1;
    }

    row = ngx_olivine_params_find(name, last - name);

    if (row == NULL || (row->flags & NGX_OLIVINE_PARAM_HIDDEN)) {
        return ngx_olivine_rewrite_put(rw, p, end - p);
    }

    done = &rw->done[row - ngx_olivine_params];

    if (*done) {
        return NGX_OK;
    }

    *done = 1;

    return ngx_olivine_rewrite_row(rw, row);
}


static ngx_int_t
ngx_olivine_rewrite_row(ngx_olivine_rewrite_t *rw,
    const ngx_olivine_param_t *row)
{
    u_char      text[NGX_OLIVINE_PARAM_LINE], *p;
    ngx_uint_t  n;

    for (n = 0; /* void */ ; n++) {
        p = ngx_olivine_params_line(rw->params, row, n, text,
                                    text + sizeof(text));
        if (p == NULL) {
            return NGX_OK;
        }

        if (ngx_olivine_rewrite_put(rw, text, p - text) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


static ngx_int_t
ngx_olivine_rewrite_put(ngx_olivine_rewrite_t *rw, const u_char *data,
    size_t len)
{
    size_t   alloc;
    u_char  *p;

    if (rw->len + len + 1 > rw->alloc) {
        alloc = 2 * (rw->len + len + NGX_OLIVINE_PARAM_LINE);

        p = realloc(rw->data, alloc);
        if (p == NULL) {
            return NGX_ERROR;
        }

        rw->data = p;
        rw->alloc = alloc;
    }

    ngx_memcpy(rw->data + rw->len, data, len);
    rw->len += len;
    rw->data[rw->len++] = LF;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_rewrite_write(ngx_olivine_rewrite_t *rw, const char *path,
    struct stat *st)
{
    int        fd;
    char       temp[NGX_OLIVINE_PATH_MAX + 32];
    size_t     done;
    ssize_t    n;
    ngx_err_t  err;

    if (ngx_strlen(path) > NGX_OLIVINE_PATH_MAX) {
        ngx_set_errno(ENAMETOOLONG);
        return NGX_ERROR;
    }

    (void) ngx_sprintf((u_char *) temp, "%s.XXXXXX%Z", path);

    fd = mkostemp(temp, O_CLOEXEC);
    if (fd == -1) {
        return NGX_ERROR;
    }

    for (done = 0; done < rw->len; done += n) {
        n = write(fd, rw->data + done, rw->len - done);

        if (n == -1) {
            goto failed;
        }
    }

    /* it may hold a password: the rights of the old file, or our own only */

    if (st->st_mode) {
        if (fchown(fd, st->st_uid, st->st_gid) == -1 && ngx_errno != NGX_EPERM)
        {
            goto failed;
        }

        if (fchmod(fd, st->st_mode & 07777) == -1) {
            goto failed;
        }
    }

    if (fsync(fd) == -1 || rename(temp, path) == -1) {
        goto failed;
    }

    (void) close(fd);

    ngx_olivine_rewrite_sync_dir(path);

    return NGX_OK;

failed:

    err = ngx_errno;

    (void) close(fd);
    (void) unlink(temp);

    ngx_set_errno(err);

    return NGX_ERROR;
}


/* Where that is not to be had the old file may come back after a crash. */

static void
ngx_olivine_rewrite_sync_dir(const char *path)
{
    int    fd;
    char   dir[NGX_OLIVINE_PATH_MAX + 1], *slash;

    ngx_memcpy(dir, path, ngx_strlen(path) + 1);

    slash = strrchr(dir, '/');

    if (slash == NULL) {
        return;
    }

    slash[slash == dir] = '\0';

    fd = open(dir, O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    if (fd != -1) {
        (void) fsync(fd);
        (void) close(fd);
    }
}
