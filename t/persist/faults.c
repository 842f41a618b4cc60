
/*
 * Copyright (C) The Olivine authors
 */


/*
 * For LD_PRELOAD: calls of the system fail while the file FAULTS_FILE has
 * lines "CALL ERRNO WORD", if the path of the file has the word in it.  One that
 * is negative is milliseconds that the call takes before it goes well.
 */


#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>


static void faults_init(void) __attribute__((constructor));
static int faults_err(const char *call, int fd, const char *path);


static char  faults_file[4096];


/* nginx clears the environment */

static void
faults_init(void)
{
    const char  *file;

    file = getenv("FAULTS_FILE");

    if (file) {
        (void) snprintf(faults_file, sizeof(faults_file), "%s", file);
    }
}


ssize_t
write(int fd, const void *data, size_t len)
{
    int  err;

    ssize_t (*next)(int, const void *, size_t);

    err = faults_err("write", fd, NULL);

    if (err) {
        errno = err;
        return -1;
    }

    next = dlsym(RTLD_NEXT, "write");

    return next(fd, data, len);
}


/* The first half of what is to be written is, then nothing more. */

ssize_t
pwritev(int fd, const struct iovec *iov, int n, off_t pos)
{
    int  err;

    ssize_t (*next)(int, const struct iovec *, int, off_t);

    err = faults_err("pwritev", fd, NULL);

    if (err) {
        if (iov->iov_len > 1 && pos % 2 == 0) {
            return pwrite(fd, iov->iov_base, iov->iov_len / 2, pos);
        }

        errno = err;
        return -1;
    }

    next = dlsym(RTLD_NEXT, "pwritev");

    return next(fd, iov, n, pos);
}


ssize_t
pwritev64(int fd, const struct iovec *iov, int n, off64_t pos)
{
    return pwritev(fd, iov, n, pos);
}


int
fdatasync(int fd)
{
    int  err;

    int (*next)(int);

    err = faults_err("fdatasync", fd, NULL);

    if (err) {
        errno = err;
        return -1;
    }

    next = dlsym(RTLD_NEXT, "fdatasync");

    return next(fd);
}


int
fsync(int fd)
{
    int  err;

    int (*next)(int);

    err = faults_err("fsync", fd, NULL);

    if (err) {
        errno = err;
        return -1;
    }

    next = dlsym(RTLD_NEXT, "fsync");

    return next(fd);
}


int
rename(const char *from, const char *to)
{
    int  err;

    int (*next)(const char *, const char *);

    err = faults_err("rename", -1, to);

    if (err) {
        errno = err;
        return -1;
    }

    next = dlsym(RTLD_NEXT, "rename");

    return next(from, to);
}


/* 0: it is not to fail. */

static int
faults_err(const char *call, int fd, const char *path)
{
    int    err, n, saved;
    char   name[32], word[128], link[64], buf[4096];
    FILE  *in;

    static __thread int  inside;

    saved = errno;
    err = 0;

    /* the paths of all but files are of no interest, nor are the log's */

    if (inside || fd == 1 || fd == 2 || faults_file[0] == '\0') {
        return 0;
    }

    inside = 1;
    in = fopen(faults_file, "re");

    if (in) {

        if (path == NULL) {
            (void) snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);

            n = readlink(link, buf, sizeof(buf) - 1);
            buf[n < 0 ? 0 : n] = '\0';
            path = buf;
        }

        while (fscanf(in, "%31s %d %127s", name, &n, word) == 3) {

            if (strcmp(name, call) == 0 && strstr(path, word)) {
                err = n;
                break;
            }
        }

        (void) fclose(in);
    }

    if (err < 0) {
        (void) usleep(-err * 1000);
        err = 0;
    }

    inside = 0;
    errno = saved;

    return err;
}
