
/*
 * Copyright (C) The Olivine authors
 *
 * The standalone host: nginx linked in, its configuration made from a command
 * line like redis-server's.  The linker gives nginx's main() another name
 * (--wrap=main) and calls ours in its place.
 *
 * The configuration lies in a memfd that stays open over exec, so a reload
 * finds it again and a binary upgrade hands it on; no file is left behind.
 */


#include "ngx_olivine_options.h"

#include <pwd.h>
#include <sys/mman.h>


/* far from the numbers nginx takes, and below the usual limit of 1024 */
#define NGX_OLIVINE_MAIN_FD  100

#define NGX_OLIVINE_MAIN_ARGS  7


int __real_main(int argc, char *const *argv);
int __wrap_main(int argc, char *const *argv);

static void ngx_olivine_main_machine(ngx_olivine_machine_t *m);
static ngx_uint_t ngx_olivine_main_ipv6(void);
static int ngx_olivine_main_config(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m);
static int ngx_olivine_main_run(char *const *argv, int fd);
static void ngx_olivine_main_place(char *const *argv, char **args);
static void ngx_olivine_main_help(void);


int
__wrap_main(int argc, char *const *argv)
{
    int                     fd;
    char                   *name;
    ngx_olivine_options_t   o;
    ngx_olivine_machine_t   m;

    name = strrchr(argv[0], '/');
    name = name ? name + 1 : argv[0];

    /* "NGINX" holds the sockets that a binary upgrade hands on */

    if (strcmp(name, "nginx") == 0 || getenv("NGINX")) {
        return __real_main(argc, argv);
    }

    memset(&o, 0, sizeof(ngx_olivine_options_t));

    if (ngx_olivine_options_read(&o, argc, argv) != NGX_OK) {
        goto failed;
    }

    if (o.help) {
        ngx_olivine_main_help();
        return 0;
    }

    if (o.version) {
        printf("olivine " NGX_OLIVINE_VERSION " (nginx " NGINX_VERSION ")\n");
        return 0;
    }

    ngx_olivine_main_machine(&m);

    if (o.print_config) {
        if (ngx_olivine_options_write(&o, &m, stdout) != NGX_OK) {
            goto failed;
        }

        return 0;
    }

    fd = ngx_olivine_main_config(&o, &m);
    if (fd == -1) {
        goto failed;
    }

    return ngx_olivine_main_run(argv, fd);

failed:

    fprintf(stderr, "olivine: %s\n", o.error);

    return 1;
}


static void
ngx_olivine_main_machine(ngx_olivine_machine_t *m)
{
    struct rlimit   limit;
    struct passwd  *pw;

    memset(m, 0, sizeof(ngx_olivine_machine_t));

    m->memory = (off_t) sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    m->files = RLIM_INFINITY;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        m->files = limit.rlim_max;
    }

    m->run = getenv("XDG_RUNTIME_DIR");

    if (geteuid() == 0) {
        pw = getpwuid(0);
        m->user = pw ? pw->pw_name : "root";
        m->run = "/run";
    }

    if (m->run == NULL || access(m->run, W_OK) != 0) {
        m->run = "/tmp";
    }

    m->ipv6 = ngx_olivine_main_ipv6();
}


static ngx_uint_t
ngx_olivine_main_ipv6(void)
{
    int                  fd, rc;
    struct sockaddr_in6  sin6;

    fd = socket(AF_INET6, SOCK_STREAM, 0);
    if (fd == -1) {
        return 0;
    }

    memset(&sin6, 0, sizeof(struct sockaddr_in6));
    sin6.sin6_family = AF_INET6;
    sin6.sin6_addr = in6addr_loopback;

    rc = bind(fd, (struct sockaddr *) &sin6, sizeof(struct sockaddr_in6));

    close(fd);

    return rc == 0;
}


/* Returns a descriptor of the configuration, or -1. */

static int
ngx_olivine_main_config(ngx_olivine_options_t *o, ngx_olivine_machine_t *m)
{
    int    fd, high;
    FILE  *out;

    fd = memfd_create("olivine.conf", 0);
    if (fd == -1) {
        goto failed;
    }

    high = fcntl(fd, F_DUPFD, NGX_OLIVINE_MAIN_FD);
    if (high == -1) {
        goto failed;
    }

    out = fdopen(fd, "w");
    if (out == NULL) {
        goto failed;
    }

    if (ngx_olivine_options_write(o, m, out) != NGX_OK) {
        return -1;
    }

    fclose(out);

    return high;

failed:

    snprintf(o->error, sizeof(o->error), "cannot keep the configuration: %s",
             strerror(errno));

    return -1;
}


static int
ngx_olivine_main_run(char *const *argv, int fd)
{
    char      self[PATH_MAX], prefix[PATH_MAX + 1], conf[64];
    char     *args[NGX_OLIVINE_MAIN_ARGS + 1];
    ssize_t   n;

    /* a binary upgrade starts argv[0], wherever it is then */

    n = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (n == -1 || getcwd(prefix, PATH_MAX) == NULL) {
        fprintf(stderr, "olivine: cannot find my own place: %s\n",
                strerror(errno));
        return 1;
    }

    self[n] = '\0';
    strcat(prefix, "/");
    snprintf(conf, sizeof(conf), "/proc/self/fd/%d", fd);

    args[0] = self;
    args[1] = "-p";
    args[2] = prefix;
    args[3] = "-e";
    args[4] = "stderr";
    args[5] = "-c";
    args[6] = conf;
    args[7] = NULL;

    ngx_olivine_main_place(argv, args);

    return __real_main(NGX_OLIVINE_MAIN_ARGS, args);
}


/*
 * nginx writes its title ("nginx: worker process") over its arguments, and
 * ps looks for it where the kernel has put ours.  So ours are overwritten by
 * those for nginx, if these fit in; the environment behind gives way.
 */

static void
ngx_olivine_main_place(char *const *argv, char **args)
{
    char        *p, *last;
    size_t       size;
    ngx_uint_t   i;

    last = argv[0];

    for (i = 0; argv[i]; i++) {
        if (argv[i] == last) {
            last += strlen(last) + 1;
        }
    }

    for (i = 0; environ[i]; i++) {
        if (environ[i] == last) {
            last += strlen(last) + 1;
        }
    }

    size = 0;

    for (i = 0; args[i]; i++) {
        args[i] = strdup(args[i]);
        if (args[i] == NULL) {
            exit(1);
        }

        size += strlen(args[i]) + 1;
    }

    if (size > (size_t) (last - argv[0])) {
        return;
    }

    for (i = 0; environ[i]; i++) {
        environ[i] = strdup(environ[i]);
        if (environ[i] == NULL) {
            exit(1);
        }
    }

    p = argv[0];
    memset(p, 0, last - p);

    for (i = 0; args[i]; i++) {
        strcpy(p, args[i]);
        free(args[i]);
        args[i] = p;
        p += strlen(p) + 1;
    }
}


static void
ngx_olivine_main_help(void)
{
    printf(
        "usage: olivine [redis.conf] [--name value ...] ...\n"
        "\n"
        "  --port N            port to listen on (6379; 0 for none)\n"
        "  --bind ADDR ...     addresses to listen on (127.0.0.1 -::1)\n"
        "  --unixsocket PATH   unix socket to listen on\n"
        "  --workers N|auto    worker processes (auto: one a core)\n"
        "  --http ADDR:PORT    status pages (127.0.0.1:6060; off for none)\n"
        "  --logfile PATH      error log (stderr)\n"
        "  --pidfile PATH      where the process id is kept\n"
        "  --daemonize yes     go to the background\n"
        "\n"
        "  --print-config      show the configuration of nginx and leave\n"
        "  --version, -v       show the version and leave\n"
        "  --help, -h          show this text and leave\n"
        "\n"
        "All other names are parameters of the store, as in redis.conf:\n"
        "\n"
        "  olivine --port 7000 --maxmemory 1gb --requirepass secret\n"
        "\n"
        "Called as \"nginx\" it takes the command line of nginx.\n");
}
