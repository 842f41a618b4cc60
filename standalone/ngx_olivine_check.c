
/*
 * Copyright (C) The Olivine authors
 */


#include "ngx_olivine_check.h"


/* the longest text that is shown whole */
#define NGX_OLIVINE_CHECK_SHOWN  200


static const struct {
    const char  *name;
    const char  *args;
    const char  *help;
    int          min;
    int          max;          /* arguments */
    int        (*run)(int argc, char *const *argv);
} ngx_olivine_checks[] = {

    { "--check-rdb", "FILE", "look through an RDB file (dump.rdb) and leave",
      1, 1, ngx_olivine_check_rdb },

    { "--check-aof", "[--fix | --truncate-to-timestamp N] FILE",
      "look through an AOF or all of a manifest,\n"
      "                      and cut off what is torn, or later; leave",
      1, 3, ngx_olivine_check_aof },

    { NULL, NULL, NULL, 0, 0, NULL }
};


ngx_int_t
ngx_olivine_check(int argc, char *const *argv, int *status)
{
    ngx_uint_t  i;

    if (argc < 2) {
        return NGX_DECLINED;
    }

    for (i = 0; ngx_olivine_checks[i].name; i++) {

        if (strcmp(argv[1], ngx_olivine_checks[i].name) != 0) {
            continue;
        }

        if (argc - 2 < ngx_olivine_checks[i].min
            || argc - 2 > ngx_olivine_checks[i].max)
        {
            fprintf(stderr, "usage: olivine %s %s\n",
                    ngx_olivine_checks[i].name, ngx_olivine_checks[i].args);
            *status = 1;
            return NGX_OK;
        }

        *status = ngx_olivine_checks[i].run(argc - 2, argv + 2);

        if (fflush(stdout) != 0 && *status == 0) {
            fprintf(stderr, "olivine: cannot write: %s\n", strerror(errno));
            *status = 1;
        }

        return NGX_OK;
    }

    return NGX_DECLINED;
}


void
ngx_olivine_check_help(void)
{
    char        option[80];
    ngx_uint_t  i;

    for (i = 0; ngx_olivine_checks[i].name; i++) {
        snprintf(option, sizeof(option), "%s %s", ngx_olivine_checks[i].name,
                 ngx_olivine_checks[i].args);
        printf("  %-18s%s%s\n", option,
               strlen(option) > 18 ? "\n                      " : "  ",
               ngx_olivine_checks[i].help);
    }
}


void
ngx_olivine_check_print(FILE *out, const u_char *data, size_t len)
{
    size_t      i;
    ngx_uint_t  quoted;

    quoted = (len == 0 || len > NGX_OLIVINE_CHECK_SHOWN);

    for (i = 0; i < len && !quoted; i++) {
        quoted = (data[i] <= ' ' || data[i] > '~' || data[i] == '"'
                  || data[i] == '\\');
    }

    if (!quoted) {
        fprintf(out, "%.*s", (int) len, data);
        return;
    }

    putc('"', out);

    for (i = 0; i < len && i < NGX_OLIVINE_CHECK_SHOWN; i++) {

        if (data[i] == '"' || data[i] == '\\') {
            fprintf(out, "\\%c", data[i]);

        } else if (data[i] >= ' ' && data[i] <= '~') {
            putc(data[i], out);

        } else {
            fprintf(out, "\\x%02x", data[i]);
        }
    }

    fprintf(out, "%s\"", i < len ? "..." : "");
}
