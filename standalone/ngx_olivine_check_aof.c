
/*
 * Copyright (C) The Olivine authors
 *
 * Looks through the log: all files of a manifest, or one file.  What is torn
 * off is cut off with --fix; where that would lose more than a crash may have
 * left unfinished, the one who asked is asked.
 */


#include "ngx_olivine_check.h"

#include <base/ngx_olivine_number.h>
#include <log/ngx_olivine_aof_check.h>
#include <log/ngx_olivine_manifest.h>


typedef struct {
    int64_t      upto;             /* INT64_MAX: to the end */
    ngx_uint_t   files;            /* that are whole */
    unsigned     fix:1;
    unsigned     wrong:1;          /* a file that is not the last one */
} ngx_olivine_check_aof_t;


static int ngx_olivine_check_aof_usage(void);
static ngx_uint_t ngx_olivine_check_aof_is_manifest(const char *path);
static int ngx_olivine_check_aof_manifest(ngx_olivine_check_aof_t *c,
    const char *path);
static int ngx_olivine_check_aof_file(ngx_olivine_check_aof_t *c,
    const char *path, const char *kind, ngx_uint_t last);
static void ngx_olivine_check_aof_say(ngx_olivine_aof_check_t *check,
    const char *path, const char *kind);
static int ngx_olivine_check_aof_late(ngx_olivine_check_aof_t *c,
    ngx_olivine_aof_check_t *check, int fd, const char *path,
    ngx_uint_t last);
static int ngx_olivine_check_aof_mend(ngx_olivine_check_aof_t *c,
    ngx_olivine_aof_check_t *check, int fd, const char *path,
    ngx_uint_t torn, ngx_uint_t last);
static int ngx_olivine_check_aof_cut(ngx_olivine_aof_check_t *check, int fd,
    const char *path);
static const char *ngx_olivine_check_aof_s(uint64_t n);


int
ngx_olivine_check_aof(int argc, char *const *argv)
{
    int                       rc;
    u_char                   *p;
    const char               *path;
    ngx_olivine_check_aof_t   c;

    memset(&c, 0, sizeof(ngx_olivine_check_aof_t));
    c.upto = INT64_MAX;

    path = argv[argc - 1];

    if (argc == 2 && strcmp(argv[0], "--fix") == 0) {
        c.fix = 1;

    } else if (argc == 3
               && strcmp(argv[0], "--truncate-to-timestamp") == 0)
    {
        p = (u_char *) argv[1];

        if (ngx_olivine_number_parse(p, p + strlen(argv[1]), &c.upto)
            != NGX_OK || c.upto < 1 || c.upto == INT64_MAX)
        {
            fprintf(stderr, "olivine: \"%s\" is no time in seconds\n",
                    argv[1]);
            return 1;
        }

    } else if (argc != 1 || path[0] == '-') {
        return ngx_olivine_check_aof_usage();
    }

    if (ngx_olivine_check_aof_is_manifest(path)) {
        rc = ngx_olivine_check_aof_manifest(&c, path);

    } else {
        rc = ngx_olivine_check_aof_file(&c, path, "file", 1);
    }

    if (rc == 0) {
        printf("OK: %lu file%s\n", (unsigned long) c.files,
               ngx_olivine_check_aof_s(c.files));
    }

    return rc;
}


static int
ngx_olivine_check_aof_usage(void)
{
    fprintf(stderr, "usage: olivine --check-aof "
            "[--fix | --truncate-to-timestamp N] FILE\n");
    return 1;
}


/* By its name, or its first line that is no comment. */

static ngx_uint_t
ngx_olivine_check_aof_is_manifest(const char *path)
{
    FILE        *in;
    char         line[NGX_OLIVINE_MANIFEST_LINE + 1];
    size_t       len;
    ngx_uint_t   is;
    const char  *suffix = ".manifest";

    len = strlen(path);

    if (len >= strlen(suffix)
        && strcmp(path + len - strlen(suffix), suffix) == 0)
    {
        return 1;
    }

    in = fopen(path, "r");
    if (in == NULL) {
        return 0;
    }

    do {
        line[0] = '\0';
    } while (fgets(line, sizeof(line), in) && line[0] == '#');

    is = (strncmp(line, "file ", 5) == 0);

    fclose(in);

    return is;
}


static int
ngx_olivine_check_aof_manifest(ngx_olivine_check_aof_t *c, const char *path)
{
    int                            rc, status;
    char                          *file, *name;
    size_t                         len;
    ngx_uint_t                     last, history;
    ngx_olivine_manifest_t         m;
    ngx_olivine_manifest_file_t   *next, *row;
    ngx_olivine_manifest_error_t   e;

    ngx_olivine_manifest_init(&m);

    rc = ngx_olivine_manifest_load_file(&m, path, &e);

    if (rc != NGX_OK) {
        ngx_olivine_manifest_free(&m);

        if (rc == NGX_ABORT) {
            fprintf(stderr, "olivine: \"%s\": %s\n", path, e.text);

        } else {
            fprintf(stderr, "olivine: %s\n", e.text);
        }

        return 1;
    }

    name = strrchr(path, '/');
    len = name ? (size_t) (name + 1 - path) : 0;

    file = malloc(len + NGX_OLIVINE_MANIFEST_NAME);
    if (file == NULL) {
        fprintf(stderr, "olivine: no memory\n");
        ngx_olivine_manifest_free(&m);
        return 1;
    }

    memcpy(file, path, len);

    row = ngx_olivine_manifest_base(&m);
    next = row ? row : ngx_olivine_manifest_incr(&m, NULL);
    status = 0;

    while ((row = next) != NULL) {
        next = ngx_olivine_manifest_incr(&m, row);
        last = (next == NULL);

        strcpy(file + len, row->name);

        rc = ngx_olivine_check_aof_file(c, file,
                 row->type == NGX_OLIVINE_MANIFEST_BASE ? "base"
                                                        : "increment",
                 last);

        if (rc != 0) {
            status = 1;
            c->wrong = 1;
        }
    }

    history = 0;

    for (row = m.files; row < m.files + m.nfiles; row++) {
        history += (row->type == NGX_OLIVINE_MANIFEST_HISTORY);
    }

    if (history) {
        printf("history, not looked at: %lu file%s\n",
               (unsigned long) history, ngx_olivine_check_aof_s(history));
    }

    free(file);
    ngx_olivine_manifest_free(&m);

    return status;
}


/* Returns 0 if it is whole, or was cut. */

static int
ngx_olivine_check_aof_file(ngx_olivine_check_aof_t *c, const char *path,
    const char *kind, ngx_uint_t last)
{
    int                       fd, status;
    ngx_int_t                 rc;
    ngx_uint_t                write;
    ngx_olivine_aof_check_t   check;

    write = (last && (c->fix || c->upto != INT64_MAX));

    fd = open(path, write ? O_RDWR : O_RDONLY);
    if (fd == -1) {
        fprintf(stderr, "olivine: cannot open \"%s\": %s\n", path,
                strerror(errno));
        return 1;
    }

    rc = ngx_olivine_aof_check(&check, fd, c->upto);

    ngx_olivine_check_aof_say(&check, path, kind);

    if (rc == NGX_OK) {
        status = check.late
                 ? ngx_olivine_check_aof_late(c, &check, fd, path, last) : 0;

    } else {
        fflush(stdout);

        if (check.offset == -1) {
            fprintf(stderr, "olivine: \"%s\": %s\n", path, check.error);

        } else {
            fprintf(stderr, "olivine: \"%s\", offset %lld: %s\n", path,
                    (long long) check.offset, check.error);
        }

        status = 1;

        if (rc != NGX_ERROR) {
            status = ngx_olivine_check_aof_mend(c, &check, fd, path,
                                                rc == NGX_DECLINED, last);
        }
    }

    if (status == 0) {
        c->files++;
    }

    close(fd);

    return status;
}


static void
ngx_olivine_check_aof_say(ngx_olivine_aof_check_t *check, const char *path,
    const char *kind)
{
    time_t     t;
    char       text[64];
    struct tm  tm;

    printf("%s \"%s\": %lld byte%s", kind, path, (long long) check->size,
           ngx_olivine_check_aof_s(check->size));

    if (check->size == 0) {
        printf(", it is empty\n");
        return;
    }

    if (check->rdb || check->rdb_wrong) {
        printf(", an RDB part of %lld with %llu key%s",
               (long long) check->rdb, (unsigned long long) check->keys,
               ngx_olivine_check_aof_s(check->keys));
    }

    printf(", %llu command%s, %llu transaction%s",
           (unsigned long long) check->commands,
           ngx_olivine_check_aof_s(check->commands),
           (unsigned long long) check->transactions,
           ngx_olivine_check_aof_s(check->transactions));

    t = (time_t) check->timestamp;

    if (t && gmtime_r(&t, &tm)
        && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
    {
        printf(", last time %lld (%s UTC)", (long long) t, text);
    }

    printf("\n");
}


/* Annotations with a later time than was asked for. */

static int
ngx_olivine_check_aof_late(ngx_olivine_check_aof_t *c,
    ngx_olivine_aof_check_t *check, int fd, const char *path, ngx_uint_t last)
{
    fflush(stdout);

    if (check->valid == 0) {
        fprintf(stderr, "olivine: \"%s\": nothing in it is from before %lld\n",
                path, (long long) c->upto);
        return 1;
    }

    if (!last) {
        fprintf(stderr, "olivine: \"%s\" is later than %lld from offset %lld "
                "on, but only the last file can be cut: take those behind it "
                "out of the manifest\n", path, (long long) c->upto,
                (long long) check->valid);
        return 1;
    }

    if (c->wrong) {
        fprintf(stderr, "olivine: \"%s\" is not cut, as a file before it is "
                "wrong\n", path);
        return 1;
    }

    return ngx_olivine_check_aof_cut(check, fd, path);
}


static int
ngx_olivine_check_aof_mend(ngx_olivine_check_aof_t *c,
    ngx_olivine_aof_check_t *check, int fd, const char *path, ngx_uint_t torn,
    ngx_uint_t last)
{
    int        ch, answer;
    long long  lost;

    if (check->rdb_wrong) {
        printf("the RDB part cannot be mended\n");
        return 1;
    }

    lost = (long long) (check->size - check->valid);

    printf("all before offset %lld is whole, %lld byte%s follow%s\n",
           (long long) check->valid, lost, ngx_olivine_check_aof_s(lost),
           lost == 1 ? "s" : "");

    if (!last) {
        printf("only the last file can be cut\n");
        return 1;
    }

    if (!c->fix) {

        if (c->upto == INT64_MAX) {
            printf("--fix would cut off %s\n",
                   torn ? "what is torn" : "all of that, if you say yes");
        }

        return 1;
    }

    if (c->wrong) {
        printf("it is not cut, as a file before it is wrong\n");
        return 1;
    }

    if (!torn) {
        printf("%lld byte%s will be lost, and there may be good commands "
               "among them. Cut them off? [y/N] ", lost,
               ngx_olivine_check_aof_s(lost));
        fflush(stdout);

        answer = getchar();

        for (ch = answer; ch != EOF && ch != '\n'; ch = getchar()) {
            /* void */
        }

        if (answer != 'y' && answer != 'Y') {
            printf("\nnothing was changed\n");
            return 1;
        }

        printf("\n");
    }

    return ngx_olivine_check_aof_cut(check, fd, path);
}


static int
ngx_olivine_check_aof_cut(ngx_olivine_aof_check_t *check, int fd,
    const char *path)
{
    struct stat  st;

    if (fstat(fd, &st) == -1 || st.st_size != check->size) {
        fprintf(stderr, "olivine: \"%s\" is being written, nothing was "
                "changed\n", path);
        return 1;
    }

    if (ftruncate(fd, check->valid) == -1) {
        fprintf(stderr, "olivine: cannot cut \"%s\": %s\n", path,
                strerror(errno));
        return 1;
    }

    if (fsync(fd) == -1) {
        fprintf(stderr, "olivine: cannot sync \"%s\": %s\n", path,
                strerror(errno));
        return 1;
    }

    printf("cut \"%s\" to %lld byte%s\n", path, (long long) check->valid,
           ngx_olivine_check_aof_s(check->valid));

    return 0;
}


static const char *
ngx_olivine_check_aof_s(uint64_t n)
{
    return (n == 1) ? "" : "s";
}
