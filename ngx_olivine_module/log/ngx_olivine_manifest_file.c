
/*
 * Copyright (C) The Olivine authors
 *
 * The manifest and its files in a folder.
 */


#include "log/ngx_olivine_manifest.h"


static ngx_int_t ngx_olivine_manifest_path(char *buf, const char *dir,
    const char *prefix, const char *name, const char *suffix,
    ngx_olivine_manifest_error_t *e);
static ngx_int_t ngx_olivine_manifest_failed(ngx_olivine_manifest_error_t *e,
    const char *what, const char *path);
static ngx_int_t ngx_olivine_manifest_read(int fd, u_char **data,
    size_t *len, const char *path, ngx_olivine_manifest_error_t *e);
static ngx_int_t ngx_olivine_manifest_write(const char *path,
    const u_char *p, const u_char *last, ngx_olivine_manifest_error_t *e);
static ngx_uint_t ngx_olivine_manifest_used(ngx_olivine_manifest_t *m,
    const char *name);
static ngx_int_t ngx_olivine_manifest_move(const char *from, const char *to,
    const char *folder, const char *dir, ngx_olivine_manifest_error_t *e);


ngx_int_t
ngx_olivine_manifest_load(ngx_olivine_manifest_t *m, const char *dir,
    const char *name, ngx_olivine_manifest_error_t *e)
{
    char  path[PATH_MAX];

    if (ngx_olivine_manifest_path(path, dir, "", name, ".manifest", e)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_manifest_load_file(m, path, e);
}


ngx_int_t
ngx_olivine_manifest_load_file(ngx_olivine_manifest_t *m, const char *path,
    ngx_olivine_manifest_error_t *e)
{
    int         fd;
    u_char     *data;
    size_t      len;
    ngx_int_t   rc;

    e->line = 0;

    fd = open(path, O_RDONLY|O_CLOEXEC);

    if (fd == -1) {
        rc = (errno == ENOENT) ? NGX_DECLINED : NGX_ERROR;
        (void) ngx_olivine_manifest_failed(e, "open", path);
        return rc;
    }

    data = NULL;
    len = 0;
    rc = ngx_olivine_manifest_read(fd, &data, &len, path, e);

    if (rc == NGX_OK) {
        rc = ngx_olivine_manifest_parse(m, data, data + len, e);
    }

    free(data);
    close(fd);

    return rc;
}


static ngx_int_t
ngx_olivine_manifest_read(int fd, u_char **data, size_t *len,
    const char *path, ngx_olivine_manifest_error_t *e)
{
    ssize_t      n;
    struct stat  st;

    if (fstat(fd, &st) == -1) {
        return ngx_olivine_manifest_failed(e, "stat", path);
    }

    if (st.st_size > NGX_OLIVINE_MANIFEST_SIZE) {
        e->code = 0;
        (void) snprintf(e->text, sizeof(e->text), "it is too long");
        return NGX_ABORT;
    }

    *data = malloc(st.st_size + 1);
    if (*data == NULL) {
        return ngx_olivine_manifest_failed(e, "read", path);
    }

    *len = 0;

    while (*len < (size_t) st.st_size) {
        n = read(fd, *data + *len, st.st_size - *len);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        if (n == -1) {
            return ngx_olivine_manifest_failed(e, "read", path);
        }

        if (n == 0) {
            break;
        }

        *len += n;
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_manifest_store(ngx_olivine_manifest_t *m, const char *dir,
    const char *name, ngx_olivine_manifest_error_t *e)
{
    char        path[PATH_MAX], temp[PATH_MAX];
    u_char     *data, *last;
    ngx_int_t   rc;

    e->line = 0;

    if (ngx_olivine_manifest_path(path, dir, "", name, ".manifest", e)
        != NGX_OK
        || ngx_olivine_manifest_path(temp, dir, "temp-", name, ".manifest", e)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    data = malloc(ngx_olivine_manifest_size(m));
    if (data == NULL) {
        return ngx_olivine_manifest_failed(e, "write", temp);
    }

    last = ngx_olivine_manifest_print(m, data);

    rc = ngx_olivine_manifest_write(temp, data, last, e);

    free(data);

    if (rc != NGX_OK) {
        (void) unlink(temp);
        return NGX_ERROR;
    }

    if (rename(temp, path) == -1) {
        (void) ngx_olivine_manifest_failed(e, "rename", temp);
        (void) unlink(temp);
        return NGX_ERROR;
    }

    return ngx_olivine_manifest_sync_dir(dir, e);
}


static ngx_int_t
ngx_olivine_manifest_write(const char *path, const u_char *p,
    const u_char *last, ngx_olivine_manifest_error_t *e)
{
    int      fd;
    ssize_t  n;

    fd = open(path, O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, 0644);
    if (fd == -1) {
        return ngx_olivine_manifest_failed(e, "create", path);
    }

    while (p < last) {
        n = write(fd, p, last - p);

        if (n == -1 && errno == EINTR) {
            continue;
        }

        if (n == -1) {
            (void) ngx_olivine_manifest_failed(e, "write", path);
            goto failed;
        }

        p += n;
    }

    if (fsync(fd) == -1) {
        (void) ngx_olivine_manifest_failed(e, "sync", path);
        goto failed;
    }

    if (close(fd) == -1) {
        return ngx_olivine_manifest_failed(e, "close", path);
    }

    return NGX_OK;

failed:

    close(fd);
    return NGX_ERROR;
}


ngx_int_t
ngx_olivine_manifest_clean(ngx_olivine_manifest_t *m, const char *dir,
    ngx_olivine_manifest_error_t *e)
{
    char                          path[PATH_MAX];
    ngx_int_t                     rc;
    ngx_uint_t                    i, n;
    ngx_olivine_manifest_file_t  *file;
    ngx_olivine_manifest_error_t  ignored, *err;

    rc = NGX_OK;
    err = e;
    n = 0;

    e->line = 0;

    for (i = 0; i < m->nfiles; i++) {
        file = &m->files[i];

        if (file->type != NGX_OLIVINE_MANIFEST_HISTORY) {
            m->files[n++] = *file;
            continue;
        }

        if (ngx_olivine_manifest_used(m, file->name)) {
            continue;
        }

        if (ngx_olivine_manifest_path(path, dir, "", file->name, "", err)
            == NGX_OK)
        {
            if (unlink(path) == 0 || errno == ENOENT) {
                continue;
            }

            (void) ngx_olivine_manifest_failed(err, "delete", path);
        }

        m->files[n++] = *file;

        rc = NGX_ERROR;
        err = &ignored;
    }

    m->nfiles = n;

    return rc;
}


/*
 * Redis may give a number away once more, if there was no increment when it
 * started: then a name is history and in use.
 */

static ngx_uint_t
ngx_olivine_manifest_used(ngx_olivine_manifest_t *m, const char *name)
{
    ngx_uint_t  i;

    for (i = 0; i < m->nfiles; i++) {
        if (m->files[i].type != NGX_OLIVINE_MANIFEST_HISTORY
            && strcmp(m->files[i].name, name) == 0)
        {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_olivine_manifest_upgrade(ngx_olivine_manifest_t *m, const char *folder,
    const char *dir, const char *name, ngx_olivine_manifest_error_t *e)
{
    char                          from[PATH_MAX], to[PATH_MAX];
    struct stat                   st;
    ngx_uint_t                    there;
    ngx_olivine_manifest_file_t  *base;

    e->line = 0;

    if (ngx_olivine_manifest_path(from, folder, "", name, "", e) != NGX_OK
        || ngx_olivine_manifest_path(to, dir, "", name, "", e) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (strlen(name) >= NGX_OLIVINE_MANIFEST_NAME) {
        errno = ENAMETOOLONG;
        return ngx_olivine_manifest_failed(e, "move", from);
    }

    if (stat(from, &st) == -1) {

        if (errno == ENOENT) {
            return NGX_DECLINED;
        }

        return ngx_olivine_manifest_failed(e, "stat", from);
    }

    if (!S_ISREG(st.st_mode)) {
        return NGX_DECLINED;
    }

    there = (lstat(to, &st) == 0);

    if (!there && errno != ENOENT && errno != ENOTDIR) {
        return ngx_olivine_manifest_failed(e, "stat", to);
    }

    if (m->nfiles) {
        base = ngx_olivine_manifest_base(m);

        if (there || m->nfiles > 1 || base == NULL
            || strcmp(base->name, name) != 0)
        {
            return NGX_DECLINED;
        }

    } else if (there) {
        e->code = 0;
        (void) snprintf(e->text, sizeof(e->text),
                        "there are \"%.*s\" and \"%.*s\", and no manifest",
                        PATH_MAX / 2, from, PATH_MAX / 2, to);
        return NGX_ABORT;

    } else {

        if (mkdir(dir, 0755) == -1 && errno != EEXIST) {
            return ngx_olivine_manifest_failed(e, "create", dir);
        }

        if (ngx_olivine_manifest_sync_dir(folder, e) != NGX_OK) {
            return NGX_ERROR;
        }

        m->files = malloc(sizeof(ngx_olivine_manifest_file_t));
        if (m->files == NULL) {
            return ngx_olivine_manifest_failed(e, "move", from);
        }

        m->nalloc = 1;
        m->nfiles = 1;

        m->files[0].type = NGX_OLIVINE_MANIFEST_BASE;
        m->files[0].seq = 1;
        (void) strcpy(m->files[0].name, name);

        if (ngx_olivine_manifest_store(m, dir, name, e) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_olivine_manifest_move(from, to, folder, dir, e);
}


static ngx_int_t
ngx_olivine_manifest_move(const char *from, const char *to,
    const char *folder, const char *dir, ngx_olivine_manifest_error_t *e)
{
    if (rename(from, to) == -1) {
        return ngx_olivine_manifest_failed(e, "move", from);
    }

    if (ngx_olivine_manifest_sync_dir(dir, e) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_manifest_sync_dir(folder, e);
}


ngx_int_t
ngx_olivine_manifest_sync_dir(const char *dir,
    ngx_olivine_manifest_error_t *e)
{
    int  fd;

    fd = open(dir, O_RDONLY|O_DIRECTORY|O_CLOEXEC);
    if (fd == -1) {
        return ngx_olivine_manifest_failed(e, "open", dir);
    }

    if (fsync(fd) == -1) {
        (void) ngx_olivine_manifest_failed(e, "sync", dir);
        close(fd);
        return NGX_ERROR;
    }

    close(fd);

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_manifest_path(char *buf, const char *dir, const char *prefix,
    const char *name, const char *suffix, ngx_olivine_manifest_error_t *e)
{
    int  n;

    n = snprintf(buf, PATH_MAX, "%s/%s%s%s", dir, prefix, name, suffix);

    if (n >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return ngx_olivine_manifest_failed(e, "open", name);
    }

    return NGX_OK;
}


/* Returns ERROR. */

static ngx_int_t
ngx_olivine_manifest_failed(ngx_olivine_manifest_error_t *e, const char *what,
    const char *path)
{
    e->code = errno;

    (void) snprintf(e->text, sizeof(e->text), "cannot %s \"%.*s\": %s", what,
                    PATH_MAX, path, strerror(e->code));

    return NGX_ERROR;
}
