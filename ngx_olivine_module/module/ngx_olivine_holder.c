
/*
 * Copyright (C) The Olivine authors
 *
 * Workers whose master was killed serve on, and hold their port.  nginx says
 * only that the address is in use; the kernel's tables tell the rest.
 */


#include "module/ngx_olivine_conf.h"
#include "module/ngx_olivine_holder.h"

#include <dirent.h>


#define NGX_OLIVINE_HOLDER_LISTEN   0x0a
#define NGX_OLIVINE_HOLDER_TITLE    64
#define NGX_OLIVINE_HOLDER_PIDS     16


static ngx_uint_t ngx_olivine_holder_open(ngx_cycle_t *cycle,
    ngx_listening_t *ls);
static unsigned long ngx_olivine_holder_inode(struct sockaddr *sa);
static unsigned long ngx_olivine_holder_search(const char *table,
    in_port_t port, const u_char *addr, size_t len);
static void ngx_olivine_holder_tell(ngx_str_t *addr, unsigned long inode,
    ngx_log_t *log);
static ngx_uint_t ngx_olivine_holder_has(const char *pid, const char *socket);
static void ngx_olivine_holder_title(const char *pid, char *title);
static ngx_uint_t ngx_olivine_holder_orphan(const char *pid);


void
ngx_olivine_holder_log(ngx_cycle_t *cycle, ngx_log_t *log)
{
    ngx_uint_t        i;
    unsigned long     inode;
    ngx_listening_t  *ls;

    ls = cycle->listening.elts;

    for (i = 0; i < cycle->listening.nelts; i++) {

        if (ngx_olivine_holder_open(cycle, &ls[i])) {
            continue;
        }

        inode = ngx_olivine_holder_inode(ls[i].sockaddr);

        if (inode) {
            ngx_olivine_holder_tell(&ls[i].addr_text, inode, log);

            if (ngx_olivine_standalone
                && ls[i].handler != ngx_stream_init_connection)
            {
                ngx_log_error(NGX_LOG_ERR, log, 0, "%V is to be the address "
                              "of the status pages: \"--http ADDR:PORT\" "
                              "gives them another one, \"--http off\" none",
                              &ls[i].addr_text);
            }
        }
    }
}


/* One that is ours already, inherited or from the cycle before. */

static ngx_uint_t
ngx_olivine_holder_open(ngx_cycle_t *cycle, ngx_listening_t *ls)
{
    ngx_uint_t        i;
    ngx_cycle_t      *old;
    ngx_listening_t  *ols;

#if (NGX_HAVE_REUSEPORT)

    if (ls->reuseport) {
        return 1;
    }

#endif

    old = cycle->old_cycle;
    ols = old->listening.elts;

    for (i = 0; i < old->listening.nelts; i++) {
        if (ngx_cmp_sockaddr(ols[i].sockaddr, ols[i].socklen, ls->sockaddr,
                             ls->socklen, 1)
            == NGX_OK)
        {
            return 1;
        }
    }

    return 0;
}


/* The socket that listens there, or in the way; 0: none. */

static unsigned long
ngx_olivine_holder_inode(struct sockaddr *sa)
{
    unsigned long         inode;
    struct sockaddr_in   *sin;
#if (NGX_HAVE_INET6)
    struct sockaddr_in6  *sin6;
#endif

    switch (sa->sa_family) {

    case AF_INET:
        sin = (struct sockaddr_in *) sa;

        inode = ngx_olivine_holder_search("/proc/net/tcp", sin->sin_port,
                                          (u_char *) &sin->sin_addr, 4);
        break;

#if (NGX_HAVE_INET6)

    case AF_INET6:
        sin6 = (struct sockaddr_in6 *) sa;

        inode = ngx_olivine_holder_search("/proc/net/tcp6", sin6->sin6_port,
                                          (u_char *) &sin6->sin6_addr, 16);
        break;

#endif

    default:
        inode = 0;
    }

    return inode;
}


/* Addresses are written there as words of 32 bits. */

static unsigned long
ngx_olivine_holder_search(const char *table, in_port_t port,
    const u_char *addr, size_t len)
{
    char           line[512], local[64];
    FILE          *in;
    u_char         bytes[16], any[16];
    size_t         n;
    uint32_t       word;
    unsigned int   state, at;
    unsigned long  inode, found;

    in = fopen(table, "r");
    if (in == NULL) {
        return 0;
    }

    found = 0;
    ngx_memzero(any, sizeof(any));

    while (found == 0 && fgets(line, sizeof(line), in)) {

        if (sscanf(line, " %*d: %63[0-9A-F]:%x %*s %x %*s %*s %*s %*d %*d "
                   "%lu", local, &at, &state, &inode)
            != 4)
        {
            continue;
        }

        if (state != NGX_OLIVINE_HOLDER_LISTEN || at != ntohs(port)
            || ngx_strlen(local) != 2 * len)
        {
            continue;
        }

        for (n = 0; n < len; n += 4) {
            (void) sscanf(local + 2 * n, "%8x", &word);
            ngx_memcpy(bytes + n, &word, 4);
        }

        if (ngx_memcmp(bytes, addr, len) == 0
            || ngx_memcmp(bytes, any, len) == 0
            || ngx_memcmp(addr, any, len) == 0)
        {
            found = inode;
        }
    }

    (void) fclose(in);

    return found;
}


static void
ngx_olivine_holder_tell(ngx_str_t *addr, unsigned long inode, ngx_log_t *log)
{
    DIR            *dir;
    char            socket[64], title[NGX_OLIVINE_HOLDER_TITLE];
    u_char          text[NGX_OLIVINE_HOLDER_PIDS * 16], *p;
    ngx_uint_t      n, orphan;
    struct dirent  *de;

    dir = opendir("/proc");
    if (dir == NULL) {
        return;
    }

    (void) ngx_sprintf((u_char *) socket, "socket:[%uL]%Z", (uint64_t) inode);

    n = 0;
    orphan = 0;
    p = text;

    while (n < NGX_OLIVINE_HOLDER_PIDS && (de = readdir(dir)) != NULL) {

        if (de->d_name[0] < '1' || de->d_name[0] > '9'
            || !ngx_olivine_holder_has(de->d_name, socket))
        {
            continue;
        }

        if (n++ == 0) {
            ngx_olivine_holder_title(de->d_name, title);
            orphan = ngx_olivine_holder_orphan(de->d_name);
        }

        p = ngx_slprintf(p, text + sizeof(text), " %s", de->d_name);
    }

    (void) closedir(dir);

    if (n == 0) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "%V is held by a process that cannot be seen here",
                      addr);
        return;
    }

    ngx_log_error(NGX_LOG_ERR, log, 0, "%V is held by process%s%*s (%s)%s",
                  addr, n == 1 ? "" : "es", (size_t) (p - text), text, title,
                  orphan ? ", whose master is gone: it serves on until QUIT "
                           "or TERM is sent to it" : "");
}


static ngx_uint_t
ngx_olivine_holder_has(const char *pid, const char *socket)
{
    DIR            *dir;
    char            path[64], link[64];
    ssize_t         n;
    ngx_uint_t      has;
    struct dirent  *de;

    (void) ngx_snprintf((u_char *) path, sizeof(path), "/proc/%s/fd%Z", pid);

    dir = opendir(path);
    if (dir == NULL) {
        return 0;
    }

    has = 0;

    while (!has && (de = readdir(dir)) != NULL) {

        n = readlinkat(dirfd(dir), de->d_name, link, sizeof(link) - 1);

        if (n > 0) {
            link[n] = '\0';
            has = (ngx_strcmp(link, socket) == 0);
        }
    }

    (void) closedir(dir);

    return has;
}


/* Its command line up to the first argument. */

static void
ngx_olivine_holder_title(const char *pid, char *title)
{
    char     path[64];
    FILE    *in;
    size_t   n;

    (void) ngx_snprintf((u_char *) path, sizeof(path), "/proc/%s/cmdline%Z",
                        pid);

    n = 0;
    in = fopen(path, "r");

    if (in) {
        n = fread(title, 1, NGX_OLIVINE_HOLDER_TITLE - 1, in);
        (void) fclose(in);
    }

    title[n] = '\0';
    n = ngx_strlen(title);

    while (n && title[n - 1] == ' ') {
        title[--n] = '\0';
    }
}


/* A worker of nginx that is no master's child. */

static ngx_uint_t
ngx_olivine_holder_orphan(const char *pid)
{
    int     parent;
    char    path[64], title[NGX_OLIVINE_HOLDER_TITLE];
    FILE   *in;

    ngx_olivine_holder_title(pid, title);

    if (ngx_strncmp(title, "nginx: worker process",
                    sizeof("nginx: worker process") - 1) != 0)
    {
        return 0;
    }

    (void) ngx_snprintf((u_char *) path, sizeof(path), "/proc/%s/stat%Z",
                        pid);

    in = fopen(path, "r");
    if (in == NULL) {
        return 0;
    }

    parent = 0;

    if (fscanf(in, "%*d (%*[^)]) %*c %d", &parent) != 1) {
        parent = 0;
    }

    (void) fclose(in);

    if (parent == 0) {
        return 0;
    }

    (void) ngx_snprintf((u_char *) path, sizeof(path), "%d%Z", parent);
    ngx_olivine_holder_title(path, title);

    return ngx_strncmp(title, "nginx: master",
                       sizeof("nginx: master") - 1) != 0;
}
