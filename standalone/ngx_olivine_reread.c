
/*
 * Copyright (C) The Olivine authors
 *
 * A module of nginx's core type for one hook: create_conf is called for each
 * new cycle just before nginx opens the configuration.  A process of its own
 * makes that, so that what reading redis.conf takes is given back, and what
 * is there stays whole if it fails.
 */


#include "ngx_olivine_reread.h"

#include <netdb.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/wait.h>


/* strings before the arguments: the run folder, the pid of the first start */
#define NGX_OLIVINE_REREAD_FACTS  2

#define NGX_OLIVINE_REREAD_NAME   "olivine.args"

/* behind that pid */
#define NGX_OLIVINE_REREAD_NO_HTTP  " no http"


static ngx_uint_t ngx_olivine_reread_has(const char *address);
static int ngx_olivine_reread_memfd(const char *name, int number);
static ngx_int_t ngx_olivine_reread_write(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m);
static ngx_int_t ngx_olivine_reread_replace(int fd, const char *p,
    size_t size);
static void *ngx_olivine_reread_create_conf(ngx_cycle_t *cycle);
static ngx_uint_t ngx_olivine_reread_ours(ngx_cycle_t *cycle);
static ngx_int_t ngx_olivine_reread_run(ngx_cycle_t *cycle);
static ngx_int_t ngx_olivine_reread_child(ngx_olivine_options_t *o);
static char **ngx_olivine_reread_args(int *argc);


static ngx_core_module_t  ngx_olivine_reread_module_ctx = {
    ngx_string("olivine_reread"),
    ngx_olivine_reread_create_conf,
    NULL
};


ngx_module_t  ngx_olivine_reread_module = {
    NGX_MODULE_V1,
    &ngx_olivine_reread_module_ctx,        /* module context */
    NULL,                                  /* module directives */
    NGX_CORE_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


/* the first cycle of a process that has just made the configuration */
static ngx_uint_t  ngx_olivine_reread_fresh;


void
ngx_olivine_reread_machine(ngx_olivine_machine_t *m)
{
    struct rlimit   limit;
    struct passwd  *pw;

    m->memory = (off_t) sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    m->files = RLIM_INFINITY;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        m->files = limit.rlim_max;
    }

    if (geteuid() == 0) {
        pw = getpwuid(0);
        m->user = pw ? pw->pw_name : "root";
    }

    if (m->run == NULL) {
        m->run = m->user ? "/run" : getenv("XDG_RUNTIME_DIR");

        if (m->run == NULL || access(m->run, W_OK) != 0) {
            m->run = "/tmp";
        }
    }

    if (m->pid == 0) {
        m->pid = getpid();
    }

    m->notify = getenv("NOTIFY_SOCKET");
    m->has = ngx_olivine_reread_has;
}


/* Whether that address can be listened on; one that is unknown is tried. */

static ngx_uint_t
ngx_olivine_reread_has(const char *address)
{
    int               fd, rc;
    struct addrinfo   hints, *info;

    memset(&hints, 0, sizeof(struct addrinfo));
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE|AI_NUMERICHOST;

    if (getaddrinfo(strcmp(address, "*") ? address : "0.0.0.0", NULL, &hints,
                    &info)
        != 0)
    {
        return 1;
    }

    rc = -1;
    fd = socket(info->ai_family, SOCK_STREAM, 0);

    if (fd != -1) {
        rc = bind(fd, info->ai_addr, info->ai_addrlen);
        close(fd);
    }

    freeaddrinfo(info);

    return rc == 0;
}


/* Of a name, or of what is no address, nginx has to say what it thinks. */

ngx_uint_t
ngx_olivine_reread_busy(const char *address)
{
    int               fd, rc, on;
    char              host[NGX_OLIVINE_NAME_MAX + 1], *port;
    struct addrinfo   hints, *info;

    if (strlen(address) >= sizeof(host)) {
        return 0;
    }

    strcpy(host, address);
    port = strrchr(host, ':');

    if (port == NULL) {
        return 0;
    }

    *port++ = '\0';

    memset(&hints, 0, sizeof(struct addrinfo));
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE|AI_NUMERICHOST|AI_NUMERICSERV;

    if (getaddrinfo(host, port, &hints, &info) != 0) {
        return 0;
    }

    rc = 0;
    on = 1;
    fd = socket(info->ai_family, SOCK_STREAM, 0);

    if (fd != -1) {
        (void) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(int));

        if (bind(fd, info->ai_addr, info->ai_addrlen) == -1
            && errno == EADDRINUSE)
        {
            rc = 1;
        }

        close(fd);
    }

    freeaddrinfo(info);

    return rc;
}


ngx_int_t
ngx_olivine_reread_keep(ngx_olivine_options_t *o, ngx_olivine_machine_t *m,
    int argc, char *const *argv)
{
    int        i;
    char      *text;
    FILE      *out;
    size_t     size;
    ngx_int_t  rc;

    if (ngx_olivine_reread_memfd("olivine.conf", NGX_OLIVINE_REREAD_CONF)
        == -1
        || ngx_olivine_reread_memfd(NGX_OLIVINE_REREAD_NAME,
                                    NGX_OLIVINE_REREAD_ARGS) == -1)
    {
        return ngx_olivine_options_error(o, "cannot keep the configuration: "
                                         "%s", strerror(errno));
    }

    if (o->input
        && (ngx_olivine_reread_memfd("olivine.stdin", NGX_OLIVINE_REREAD_STDIN)
            == -1
            || ngx_olivine_reread_replace(NGX_OLIVINE_REREAD_STDIN, o->input,
                                          o->input_len) != NGX_OK))
    {
        return ngx_olivine_options_error(o, "cannot keep the standard input: "
                                         "%s", strerror(errno));
    }

    if (ngx_olivine_reread_write(o, m) != NGX_OK) {
        return NGX_ERROR;
    }

    out = open_memstream(&text, &size);
    if (out == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    fprintf(out, "%s%c%ld%s%c", m->run, 0, (long) m->pid,
            m->no_http ? NGX_OLIVINE_REREAD_NO_HTTP : "", 0);

    for (i = 0; i < argc; i++) {

        if (o->input && i == (argc > 2 && argv[1][0] != '-' ? 2 : 1)) {
            fprintf(out, "--include%c" NGX_OLIVINE_REREAD_INPUT "%c", 0, 0);
        }

        if (o->input == NULL || i + 1 < argc) {
            fprintf(out, "%s%c", argv[i], 0);
        }
    }

    if (fclose(out) != 0) {
        return ngx_olivine_options_error(o, "no memory");
    }

    rc = ngx_olivine_reread_replace(NGX_OLIVINE_REREAD_ARGS, text, size);

    free(text);

    if (rc != NGX_OK) {
        return ngx_olivine_options_error(o, "cannot keep the command line: "
                                         "%s", strerror(errno));
    }

    ngx_olivine_reread_fresh = 1;

    return NGX_OK;
}


static int
ngx_olivine_reread_memfd(const char *name, int number)
{
    int  fd, rc;

    fd = memfd_create(name, 0);
    if (fd == -1) {
        return -1;
    }

    rc = dup2(fd, number);

    if (fd != number) {
        close(fd);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_reread_write(ngx_olivine_options_t *o, ngx_olivine_machine_t *m)
{
    char       *text;
    FILE       *out;
    size_t      size;
    ngx_int_t   rc;

    out = open_memstream(&text, &size);
    if (out == NULL) {
        return ngx_olivine_options_error(o, "no memory");
    }

    rc = ngx_olivine_options_write(o, m, out);

    if (fclose(out) != 0) {
        return ngx_olivine_options_error(o, "no memory");
    }

    if (rc == NGX_OK
        && ngx_olivine_reread_replace(NGX_OLIVINE_REREAD_CONF, text, size)
           != NGX_OK)
    {
        rc = ngx_olivine_options_error(o, "cannot keep the configuration: %s",
                                       strerror(errno));
    }

    free(text);

    return rc;
}


static ngx_int_t
ngx_olivine_reread_replace(int fd, const char *p, size_t size)
{
    size_t   done;
    ssize_t  n;

    if (ftruncate(fd, 0) == -1) {
        return NGX_ERROR;
    }

    for (done = 0; done < size; done += n) {
        n = pwrite(fd, p + done, size - done, done);
        if (n == -1) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static void *
ngx_olivine_reread_create_conf(ngx_cycle_t *cycle)
{
    if (ngx_olivine_reread_fresh) {
        ngx_olivine_reread_fresh = 0;

    } else if (ngx_olivine_reread_ours(cycle)
               && ngx_olivine_reread_run(cycle) != NGX_OK)
    {
        return NULL;
    }

    /* there is nothing to configure */

    return ngx_pcalloc(cycle->pool, sizeof(ngx_uint_t));
}


/* Called as "nginx", or by a binary that did not keep its command line? */

static ngx_uint_t
ngx_olivine_reread_ours(ngx_cycle_t *cycle)
{
    char     path[64], link[64];
    ssize_t  n;

    if (ngx_strcmp(cycle->conf_file.data, NGX_OLIVINE_REREAD_PATH) != 0) {
        return 0;
    }

    snprintf(path, sizeof(path), "/proc/self/fd/%d", NGX_OLIVINE_REREAD_ARGS);

    n = readlink(path, link, sizeof(link) - 1);
    if (n == -1) {
        return 0;
    }

    link[n] = '\0';

    return strstr(link, "memfd:" NGX_OLIVINE_REREAD_NAME) != NULL;
}


static ngx_int_t
ngx_olivine_reread_run(ngx_cycle_t *cycle)
{
    int                     status;
    pid_t                   pid;
    ngx_olivine_options_t   o;

    pid = fork();

    if (pid == -1) {
        ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno,
                      "fork() failed, the configuration is not read");
        return NGX_ERROR;
    }

    if (pid == 0) {
        memset(&o, 0, sizeof(ngx_olivine_options_t));

        if (ngx_olivine_reread_child(&o) != NGX_OK) {
            ngx_log_error(NGX_LOG_EMERG, cycle->log, 0, "%s", o.error);
            _exit(1);
        }

        if (o.note[0]) {
            ngx_log_error(NGX_LOG_WARN, cycle->log, 0, "%s", o.note);
        }

        _exit(0);
    }

    while (waitpid(pid, &status, 0) == -1) {
        if (ngx_errno != NGX_EINTR) {
            ngx_log_error(NGX_LOG_EMERG, cycle->log, ngx_errno,
                          "waitpid() failed, the configuration is not read");
            return NGX_ERROR;
        }
    }

    return status == 0 ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_olivine_reread_child(ngx_olivine_options_t *o)
{
    int                     argc;
    char                  **argv;
    ngx_olivine_machine_t   m;

    argv = ngx_olivine_reread_args(&argc);

    if (argv == NULL || argc <= NGX_OLIVINE_REREAD_FACTS) {
        return ngx_olivine_options_error(o, "cannot read the command line "
                                         "that was kept");
    }

    memset(&m, 0, sizeof(ngx_olivine_machine_t));
    m.run = argv[0];
    m.pid = atol(argv[1]);
    m.no_http = (strstr(argv[1], NGX_OLIVINE_REREAD_NO_HTTP) != NULL);

    if (ngx_olivine_options_read(o, argc - NGX_OLIVINE_REREAD_FACTS,
                                 argv + NGX_OLIVINE_REREAD_FACTS) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_olivine_reread_machine(&m);

    return ngx_olivine_reread_write(o, &m);
}


static char **
ngx_olivine_reread_args(int *argc)
{
    char         *text, *p, **argv;
    size_t        n;
    struct stat   st;

    if (fstat(NGX_OLIVINE_REREAD_ARGS, &st) == -1) {
        return NULL;
    }

    text = malloc(st.st_size + 1);
    argv = malloc((st.st_size + 1) * sizeof(char *));

    if (text == NULL || argv == NULL
        || pread(NGX_OLIVINE_REREAD_ARGS, text, st.st_size, 0) != st.st_size)
    {
        return NULL;
    }

    n = 0;

    for (p = text; p < text + st.st_size; p += strlen(p) + 1) {
        argv[n++] = p;
    }

    argv[n] = NULL;
    *argc = (int) n;

    return argv;
}
