
/*
 * Copyright (C) The Olivine authors
 */


#include "module/ngx_olivine_ready.h"

#include <sys/un.h>


/* of a line of the log, which has room for 2048 */
#define NGX_OLIVINE_READY_LINE  1500


static void ngx_olivine_ready_list(ngx_array_t *names, const char *what,
    ngx_str_t *zone, ngx_log_t *log);
static void ngx_olivine_ready_policy(ngx_olivine_conf_zone_t *oz,
    ngx_log_t *log);


int  ngx_olivine_ready_fd = -1;


void
ngx_olivine_ready_names(ngx_olivine_conf_zone_t *oz, ngx_log_t *log)
{
    ngx_olivine_ready_list(&oz->idle, "given, but without use in this "
                           "version", &oz->name, log);

    if (!ngx_olivine_standalone) {
        ngx_olivine_ready_list(&oz->hosted, "given, but here only shown, "
                               "nginx's own directives decide", &oz->name,
                               log);
    }

    ngx_olivine_ready_policy(oz, log);
}


void
ngx_olivine_ready_listening(ngx_olivine_conf_zone_t *oz, ngx_cycle_t *cycle)
{
    u_char              *path;
    mode_t               mode;
    ngx_uint_t           i;
    ngx_listening_t     *ls;
    struct sockaddr_un  *saun;

    mode = (mode_t) oz->params.unixsocketperm;

    if (!ngx_olivine_standalone || mode == 0) {
        return;
    }

    ls = cycle->listening.elts;

    for (i = 0; i < cycle->listening.nelts; i++) {

        if (ls[i].sockaddr->sa_family != AF_UNIX) {
            continue;
        }

        saun = (struct sockaddr_un *) ls[i].sockaddr;
        path = (u_char *) saun->sun_path;

        if (chmod((char *) path, mode) == -1) {
            ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno,
                          "chmod() \"%s\" failed", path);
        }
    }
}


/*
 * The master tells it: its sockets listen, and it is the process that systemd
 * knows.  After an upgrade it is another one.
 */

void
ngx_olivine_ready_notify(ngx_cycle_t *cycle)
{
    int                        fd;
    char                      *path;
    u_char                     text[64], *last;
    size_t                     len;
    socklen_t                  socklen;
    struct sockaddr_un         saun;
    ngx_olivine_conf_zone_t  **oz;
    ngx_olivine_main_conf_t   *omcf;

    omcf = ngx_olivine_conf_main(cycle);
    oz = omcf->zones.elts;
    path = getenv("NOTIFY_SOCKET");

    if (!ngx_olivine_standalone || path == NULL
        || (oz[0]->params.supervised != NGX_OLIVINE_SUPERVISED_SYSTEMD
            && oz[0]->params.supervised != NGX_OLIVINE_SUPERVISED_AUTO))
    {
        return;
    }

    len = ngx_strlen(path);

    if (len < 2 || len >= sizeof(saun.sun_path)) {
        return;
    }

    ngx_memzero(&saun, sizeof(struct sockaddr_un));
    saun.sun_family = AF_UNIX;
    ngx_memcpy(saun.sun_path, path, len);

    if (path[0] == '@') {
        saun.sun_path[0] = '\0';
    }

    socklen = offsetof(struct sockaddr_un, sun_path) + len;

    fd = socket(AF_UNIX, SOCK_DGRAM|SOCK_CLOEXEC, 0);

    if (fd == -1) {
        goto failed;
    }

    last = ngx_sprintf(text, "READY=1\nMAINPID=%P\n", ngx_pid);

    if (sendto(fd, text, last - text, MSG_NOSIGNAL,
               (struct sockaddr *) &saun, socklen)
        == -1)
    {
        goto failed;
    }

    (void) close(fd);

    return;

failed:

    ngx_log_error(NGX_LOG_WARN, cycle->log, ngx_errno,
                  "cannot tell systemd at \"%s\"", path);

    if (fd != -1) {
        (void) close(fd);
    }
}


void
ngx_olivine_ready_worker(void)
{
    if (ngx_olivine_ready_fd == -1) {
        return;
    }

    if (write(ngx_olivine_ready_fd, "1", 1) == -1) {
        ngx_log_error(NGX_LOG_INFO, ngx_cycle->log, ngx_errno,
                      "nobody waits for the server to listen");
    }

    (void) close(ngx_olivine_ready_fd);
    ngx_olivine_ready_fd = -1;
}


static void
ngx_olivine_ready_list(ngx_array_t *names, const char *what, ngx_str_t *zone,
    ngx_log_t *log)
{
    u_char      text[NGX_OLIVINE_READY_LINE + 64], *p;
    ngx_str_t  *name;
    ngx_uint_t  i;

    name = names->elts;
    p = text;

    for (i = 0; i < names->nelts; i++) {

        p = ngx_slprintf(p, text + sizeof(text), "%s%V",
                         p == text ? "" : ", ", &name[i]);

        if (p - text > NGX_OLIVINE_READY_LINE || i + 1 == names->nelts) {
            ngx_log_error(NGX_LOG_NOTICE, log, 0,
                          "olivine_zone \"%V\": %s: %*s", zone, what,
                          (size_t) (p - text), text);
            p = text;
        }
    }
}


static void
ngx_olivine_ready_policy(ngx_olivine_conf_zone_t *oz, ngx_log_t *log)
{
    u_char                      text[NGX_OLIVINE_PARAM_PRINT], *p;
    const ngx_olivine_param_t  *row;

    if (oz->params.maxmemory_policy == NGX_OLIVINE_POLICY_NOEVICTION) {
        return;
    }

    row = ngx_olivine_params_find((u_char *) "maxmemory-policy",
                                  sizeof("maxmemory-policy") - 1);

    p = ngx_olivine_params_print(&oz->params, row, text, text + sizeof(text));

    ngx_log_error(NGX_LOG_WARN, log, 0,
                  "olivine_zone \"%V\": this version evicts nothing, with "
                  "\"%*s\" as with \"noeviction\" commands that need more "
                  "memory are refused", &oz->name, (size_t) (p - text), text);
}
