
/*
 * Copyright (C) The Olivine authors
 *
 * The standalone host: nginx linked in, its configuration made from a command
 * line like redis-server's.  The linker gives nginx's main() another name
 * (--wrap=main) and calls ours in its place.
 *
 * The configuration lies in a memfd, see ngx_olivine_reread.h; no file is left
 * behind.
 */


#include "ngx_olivine_check.h"
#include "ngx_olivine_reread.h"

#include "module/ngx_olivine_conf.h"

#include <sys/un.h>


#define NGX_OLIVINE_MAIN_ARGS  7


int __real_main(int argc, char *const *argv);
int __wrap_main(int argc, char *const *argv);

static void ngx_olivine_main_stale(ngx_olivine_options_t *o);
static int ngx_olivine_main_run(char *const *argv);
static void ngx_olivine_main_place(char *const *argv, char **args);
static void ngx_olivine_main_help(void);


int
__wrap_main(int argc, char *const *argv)
{
    int                     status;
    char                   *name;
    ngx_olivine_options_t   o;
    ngx_olivine_machine_t   m;

    name = strrchr(argv[0], '/');
    name = name ? name + 1 : argv[0];

    /* "NGINX" holds the sockets that a binary upgrade hands on */

    if (strcmp(name, "nginx") == 0) {
        return __real_main(argc, argv);
    }

    ngx_olivine_standalone = 1;

    if (getenv("NGINX")) {
        return __real_main(argc, argv);
    }

    if (ngx_olivine_check(argc, argv, &status) == NGX_OK) {
        return status;
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

    memset(&m, 0, sizeof(ngx_olivine_machine_t));
    ngx_olivine_reread_machine(&m);

    if (o.print_config) {
        if (ngx_olivine_options_write(&o, &m, stdout) != NGX_OK) {
            goto failed;
        }

        return 0;
    }

    m.busy = ngx_olivine_reread_busy;

    if (ngx_olivine_reread_keep(&o, &m, argc, argv) != NGX_OK) {
        goto failed;
    }

    if (o.note[0]) {
        fprintf(stderr, "olivine: %s\n", o.note);
    }

    ngx_olivine_main_stale(&o);

    return ngx_olivine_main_run(argv);

failed:

    fprintf(stderr, "olivine: %s\n", o.error);

    return 1;
}


/* A unix socket that a killed server left; nobody listens on it. */

static void
ngx_olivine_main_stale(ngx_olivine_options_t *o)
{
    int                 fd;
    size_t              len;
    struct stat         st;
    struct sockaddr_un  saun;

    len = o->params.unixsocket.len;

    if (len == 0 || len >= sizeof(saun.sun_path)) {
        return;
    }

    memset(&saun, 0, sizeof(struct sockaddr_un));
    saun.sun_family = AF_UNIX;
    memcpy(saun.sun_path, o->params.unixsocket.data, len);

    if (stat(saun.sun_path, &st) == -1 || !S_ISSOCK(st.st_mode)) {
        return;
    }

    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd == -1) {
        return;
    }

    if (connect(fd, (struct sockaddr *) &saun, sizeof(struct sockaddr_un))
        == -1 && errno == ECONNREFUSED)
    {
        (void) unlink(saun.sun_path);
    }

    close(fd);
}


static int
ngx_olivine_main_run(char *const *argv)
{
    char      self[PATH_MAX], prefix[PATH_MAX + 1];
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

    args[0] = self;
    args[1] = "-p";
    args[2] = prefix;
    args[3] = "-e";
    args[4] = "stderr";
    args[5] = "-c";
    args[6] = NGX_OLIVINE_REREAD_PATH;
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
        "usage: olivine [redis.conf] [--name value ...] ... [-]\n"
        "\n"
        "  --port N            port to listen on (6379; 0 for none)\n"
        "  --bind ADDR ...     addresses to listen on (* -::*)\n"
        "  --unixsocket PATH   unix socket to listen on\n"
        "  --tls-port N        port to listen on with TLS\n"
        "  --workers N|auto    worker processes (auto: one a core)\n"
        "  --http ADDR:PORT    status pages (127.0.0.1:6060; off for none)\n"
        "  --http-allow ADDR ...  who may see them, besides this machine\n"
        "  --logfile PATH      error log (stderr)\n"
        "  --pidfile PATH      where the process id is kept\n"
        "  --daemonize yes     go to the background, once it listens\n"
        "  --include PATH      a file with more of these\n"
        "  -                   the same from the standard input\n"
        "\n"
        "  --print-config      show the configuration of nginx and leave\n"
        "  --version, -v       show the version and leave\n"
        "  --help, -h          show this text and leave\n");

    ngx_olivine_check_help();

    printf(
        "\n"
        "Other names are parameters as in redis.conf; what Olivine has no\n"
        "use for is named in the log.  Clients of other machines are turned\n"
        "away until there is a password, or protected-mode is no:\n"
        "\n"
        "  olivine /etc/redis/redis.conf --port 7000\n"
        "  olivine --port 7000 --maxmemory 1gb --requirepass secret\n"
        "\n"
        "Called as \"nginx\" it takes the command line of nginx.\n");
}
