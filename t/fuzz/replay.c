
/*
 * Copyright (C) The Olivine authors
 *
 * main() for a fuzz target without a fuzzer: runs it on each file named, and
 * on each file of each folder named; the empty input comes first.
 */


#include <base/ngx_olivine_base.h>


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ngx_uint_t replay(const char *name);
static void replay_file(FILE *in, off_t size);


int
main(int argc, char *const *argv)
{
    int         i;
    ngx_uint_t  n;

    (void) LLVMFuzzerTestOneInput((const uint8_t *) "", 0);

    n = 1;

    for (i = 1; i < argc; i++) {
        n += replay(argv[i]);
    }

    printf("%lu inputs\n", (unsigned long) n);

    return 0;
}


static ngx_uint_t
replay(const char *name)
{
    DIR            *dir;
    FILE           *in;
    char            path[PATH_MAX];
    ngx_uint_t      n;
    struct stat     st;
    struct dirent  *entry;

    if (stat(name, &st) == -1) {
        return 0;
    }

    if (!S_ISDIR(st.st_mode)) {
        in = fopen(name, "rb");
        if (in == NULL) {
            perror(name);
            exit(1);
        }

        replay_file(in, st.st_size);
        fclose(in);

        return 1;
    }

    dir = opendir(name);
    if (dir == NULL) {
        perror(name);
        exit(1);
    }

    n = 0;

    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.') {
            continue;
        }

        snprintf(path, sizeof(path), "%s/%s", name, entry->d_name);
        n += replay(path);
    }

    closedir(dir);

    return n;
}


/* A block of just that size, so that one byte too far is seen. */

static void
replay_file(FILE *in, off_t size)
{
    uint8_t  *data;

    data = malloc(size ? size : 1);
    if (data == NULL) {
        exit(1);
    }

    size = fread(data, 1, size, in);

    (void) LLVMFuzzerTestOneInput(data, size);

    free(data);
}
