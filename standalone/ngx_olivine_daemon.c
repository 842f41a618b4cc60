
/*
 * Copyright (C) The Olivine authors
 */


#include "ngx_olivine_daemon.h"

#include "module/ngx_olivine_conf.h"
#include "module/ngx_olivine_ready.h"

#include <poll.h>
#include <sys/wait.h>


/* milliseconds for the first worker to come up */
#define NGX_OLIVINE_DAEMON_WAIT  30000


static int ngx_olivine_daemon_wait(int fd, pid_t pid);


/*
 * nginx's own parent leaves at once.  A process in between waits at a pipe:
 * the first worker that serves writes a byte, and if all end before that the
 * pipe is closed.
 */

ngx_int_t
__wrap_ngx_daemon(ngx_log_t *log)
{
    int       fds[2];
    pid_t     pid;
    sigset_t  set, old;

    if (!ngx_olivine_standalone) {
        return __real_ngx_daemon(log);
    }

    if (pipe2(fds, O_CLOEXEC) == -1) {
        ngx_log_error(NGX_LOG_EMERG, log, ngx_errno, "pipe2() failed");
        return NGX_ERROR;
    }

    /* nginx's handler would take who leaves for a worker */

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    (void) sigprocmask(SIG_BLOCK, &set, &old);

    pid = fork();

    switch (pid) {

    case -1:
        ngx_log_error(NGX_LOG_EMERG, log, ngx_errno, "fork() failed");
        return NGX_ERROR;

    case 0:
        (void) sigprocmask(SIG_SETMASK, &old, NULL);
        (void) close(fds[0]);
        ngx_olivine_ready_fd = fds[1];
        return __real_ngx_daemon(log);

    default:
        (void) close(fds[1]);
        _exit(ngx_olivine_daemon_wait(fds[0], pid));
    }
}


static int
ngx_olivine_daemon_wait(int fd, pid_t pid)
{
    int            status;
    char           byte;
    ssize_t        n;
    struct pollfd  pfd;

    pfd.fd = fd;
    pfd.events = POLLIN;

    do {
        n = poll(&pfd, 1, NGX_OLIVINE_DAEMON_WAIT);
    } while (n == -1 && errno == EINTR);

    /* the one in between has written the pid file, or failed to */

    if (waitpid(pid, &status, 0) == pid && status != 0) {
        n = 0;
    }

    if (n == 1) {
        do {
            n = read(fd, &byte, 1);
        } while (n == -1 && errno == EINTR);

        if (n == 1) {
            return 0;
        }
    }

    (void) fprintf(stderr, "olivine: the server did not come up, its log "
                   "says why\n");

    return 1;
}
