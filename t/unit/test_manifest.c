
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include "log/ngx_olivine_manifest.h"

#include <fcntl.h>
#include <sys/stat.h>


#define test(f)  cmocka_unit_test_setup_teardown(f, setup, teardown)


static char                          dir[64], log_dir[96];
static ngx_olivine_manifest_t        m;
static ngx_olivine_manifest_error_t  e;


static int
setup(void **state)
{
    ngx_olivine_manifest_init(&m);
    memset(&e, 0, sizeof(e));

    strcpy(dir, "/tmp/olivine-manifest-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(log_dir, sizeof(log_dir), "%s/log", dir);

    return 0;
}


static int
teardown(void **state)
{
    char  command[128];

    ngx_olivine_manifest_free(&m);

    snprintf(command, sizeof(command), "rm -rf %s", dir);
    return system(command);
}


static ngx_int_t
parse(const char *text)
{
    ngx_olivine_manifest_free(&m);
    memset(&e, 0, sizeof(e));

    return ngx_olivine_manifest_parse(&m, (u_char *) text,
                                      (u_char *) text + strlen(text), &e);
}


static const char *
print(void)
{
    static u_char  buf[65536];

    assert_true(ngx_olivine_manifest_size(&m) <= sizeof(buf));

    *ngx_olivine_manifest_print(&m, buf) = '\0';
    assert_true(strlen((char *) buf) < ngx_olivine_manifest_size(&m));

    return (char *) buf;
}


static void
touch(const char *folder, const char *name)
{
    int   fd;
    char  path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_CREAT|O_WRONLY, 0644);
    assert_true(fd != -1);
    close(fd);
}


static ngx_uint_t
there(const char *folder, const char *name)
{
    char  path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}


static void
wrong(const char *text, ngx_uint_t line, const char *fault)
{
    assert_int_equal(parse(text), NGX_ABORT);
    assert_int_equal(e.line, line);

    if (strstr(e.text, fault) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", e.text, fault);
    }
}


#define BASE  "file a.aof.2.base.rdb seq 2 type b\n"
#define OLD   "file a.aof.4.incr.aof seq 4 type h\n"
#define INCR  "file a.aof.5.incr.aof seq 5 type i\n"


static void
test_manifest_reads_and_prints(void **state)
{
    ngx_olivine_manifest_file_t  *file;

    assert_int_equal(parse(BASE OLD INCR "# a comment\n"
                           "file a.aof.6.incr.aof seq 6 type i\n"), NGX_OK);
    assert_int_equal(m.nfiles, 4);
    assert_string_equal(print(), BASE OLD INCR
                        "file a.aof.6.incr.aof seq 6 type i\n");

    file = ngx_olivine_manifest_base(&m);
    assert_string_equal(file->name, "a.aof.2.base.rdb");
    assert_int_equal(file->seq, 2);

    file = ngx_olivine_manifest_incr(&m, NULL);
    assert_int_equal(file->seq, 5);
    file = ngx_olivine_manifest_incr(&m, file);
    assert_int_equal(file->seq, 6);
    assert_null(ngx_olivine_manifest_incr(&m, file));

    /* in any order */
    assert_int_equal(parse(INCR OLD BASE), NGX_OK);
    assert_string_equal(print(), BASE OLD INCR);

    /* fields too, in any case, and ones that are not known */
    assert_int_equal(parse("\t TYPE base SEQ 7 startoffset 12 File x \r\n"),
                     NGX_OK);
    assert_string_equal(print(), "file x seq 7 type b\n");

    assert_int_equal(parse("# nothing\n"), NGX_OK);
    assert_int_equal(m.nfiles, 0);
}


static void
test_manifest_quotes_names(void **state)
{
    char    text[2048];
    u_char  c;
    size_t  i;

    assert_int_equal(parse("file \"a b\\x01\\\"\\n.aof\" seq 1 type b\n"),
                     NGX_OK);
    assert_string_equal(m.files[0].name, "a b\001\"\n.aof");
    assert_string_equal(print(),
                        "file \"a b\\x01\\\"\\n.aof\" seq 1 type b\n");

    assert_int_equal(parse("file 'it\\'s' seq 1 type b\n"), NGX_OK);
    assert_string_equal(m.files[0].name, "it's");
    assert_string_equal(print(), "file \"it's\" seq 1 type b\n");

    /* any name is what it was */

    for (c = 1; c != 0; c++) {
        if (c == '/' || c == '\\') {
            continue;
        }

        ngx_olivine_manifest_free(&m);
        m.files = calloc(1, sizeof(ngx_olivine_manifest_file_t));
        m.nfiles = 1;
        m.nalloc = 1;
        m.files[0].type = NGX_OLIVINE_MANIFEST_BASE;
        m.files[0].seq = 1;

        for (i = 0; i < 200; i++) {
            m.files[0].name[i] = (i % 2) ? 'x' : (char) c;
        }

        snprintf(text, sizeof(text), "%s", print());
        assert_int_equal(parse(text), NGX_OK);

        for (i = 0; i < 200; i++) {
            assert_int_equal(m.files[0].name[i], (i % 2) ? 'x' : (char) c);
        }

        assert_int_equal(strlen(m.files[0].name), 200);
    }
}


static void
test_manifest_tells_what_is_wrong(void **state)
{
    size_t   len;
    char    *text;

    wrong("", 0, "empty");
    wrong("\n", 1, "it is not");
    wrong(BASE "\n", 2, "it is not");
    wrong(BASE "*1\n", 2, "it is not");
    wrong("file a seq 1\n", 1, "it is not");
    wrong("file a seq 1 type b more\n", 1, "it is not");
    wrong(BASE "file a seq 1 type i", 2, "no end");
    wrong(BASE BASE, 2, "another base");
    wrong(INCR INCR, 2, "do not rise");
    wrong("file a seq 0 type b\n", 1, "seq");
    wrong("file a seq -1 type b\n", 1, "seq");
    wrong("file a seq x type b\n", 1, "seq");
    wrong("file a seq 9223372036854775808 type b\n", 1, "seq");
    wrong("file a seq 1 type x\n", 1, "type");
    wrong("file a seq 1 type \"\"\n", 1, "type");
    wrong("file a/b seq 1 type b\n", 1, "path");
    wrong("file \"a\\\\b\" seq 1 type b\n", 1, "path");
    wrong("file .. seq 1 type b\n", 1, "name");
    wrong("file \"\" seq 1 type b\n", 1, "name");
    wrong("file \"a\\x00b\" seq 1 type b\n", 1, "name");
    wrong("file \"a seq 1 type b\n", 1, "quotes");
    wrong("seq 1 type b other x\n", 1, "missing");

    /* the longest line, and one byte more */

    text = malloc(2048);
    len = sprintf(text, "file a seq 1 type b other ");
    memset(text + len, 'x', 2000);
    strcpy(text + 1023, "\n");
    assert_int_equal(parse(text), NGX_OK);

    text[1023] = 'x';
    strcpy(text + 1024, "\n");
    wrong(text, 1, "too long");

    len = sprintf(text, "file ");
    memset(text + len, 'x', 255);
    strcpy(text + len + 255, " seq 1 type b\n");
    assert_int_equal(parse(text), NGX_OK);

    memset(text + len, 'x', 256);
    strcpy(text + len + 256, " seq 1 type b\n");
    wrong(text, 1, "name");

    free(text);
}


static void
test_manifest_has_so_many_files(void **state)
{
    ngx_uint_t  i;

    for (i = 1; i <= NGX_OLIVINE_MANIFEST_FILES; i++) {
        assert_int_equal(ngx_olivine_manifest_add(&m,
                             NGX_OLIVINE_MANIFEST_INCR, i, "a", 0), NGX_OK);
    }

    assert_int_equal(ngx_olivine_manifest_add(&m, NGX_OLIVINE_MANIFEST_INCR,
                                              i, "a", 0), NGX_DECLINED);
    assert_int_equal(ngx_olivine_manifest_add(&m, NGX_OLIVINE_MANIFEST_BASE,
                                              1, "a", 0), NGX_DECLINED);
    assert_int_equal(m.nfiles, NGX_OLIVINE_MANIFEST_FILES);
}


static void
test_manifest_follows_a_rewrite(void **state)
{
    char  name[300];

    assert_int_equal(ngx_olivine_manifest_next(&m, NGX_OLIVINE_MANIFEST_BASE),
                     1);

    assert_int_equal(parse(BASE OLD INCR), NGX_OK);

    assert_int_equal(ngx_olivine_manifest_next(&m, NGX_OLIVINE_MANIFEST_BASE),
                     3);
    assert_int_equal(ngx_olivine_manifest_next(&m, NGX_OLIVINE_MANIFEST_INCR),
                     6);

    assert_int_equal(ngx_olivine_manifest_add(&m, NGX_OLIVINE_MANIFEST_INCR,
                                              5, "a.aof", 0), NGX_DECLINED);
    assert_int_equal(ngx_olivine_manifest_add(&m, NGX_OLIVINE_MANIFEST_INCR,
                                              6, "a.aof", 0), NGX_OK);
    assert_int_equal(ngx_olivine_manifest_add(&m, NGX_OLIVINE_MANIFEST_BASE,
                                              3, "a.aof", 1), NGX_OK);
    ngx_olivine_manifest_retire(&m, 6);

    assert_string_equal(print(),
                        "file a.aof.3.base.rdb seq 3 type b\n"
                        "file a.aof.2.base.rdb seq 2 type h\n"
                        OLD
                        "file a.aof.5.incr.aof seq 5 type h\n"
                        "file a.aof.6.incr.aof seq 6 type i\n");

    /* what is history counts, too */
    ngx_olivine_manifest_retire(&m, 7);
    assert_int_equal(ngx_olivine_manifest_next(&m, NGX_OLIVINE_MANIFEST_INCR),
                     7);
    assert_int_equal(ngx_olivine_manifest_next(&m, NGX_OLIVINE_MANIFEST_BASE),
                     4);

    memset(name, 'x', 299);
    name[299] = '\0';
    assert_int_equal(ngx_olivine_manifest_add(&m, NGX_OLIVINE_MANIFEST_BASE,
                                              9, name, 0), NGX_DECLINED);
    assert_int_equal(ngx_olivine_manifest_base(&m)->seq, 3);
}


static void
test_manifest_is_stored_and_loaded(void **state)
{
    char  text[4096];

    assert_int_equal(ngx_olivine_manifest_load(&m, log_dir, "a.aof", &e),
                     NGX_DECLINED);
    assert_int_equal(e.code, ENOENT);

    assert_int_equal(parse(BASE OLD INCR), NGX_OK);

    assert_int_equal(ngx_olivine_manifest_store(&m, log_dir, "a.aof", &e),
                     NGX_ERROR);
    assert_int_equal(e.code, ENOENT);
    assert_non_null(strstr(e.text, "cannot create"));
    assert_non_null(strstr(e.text, "/log/temp-a.aof.manifest"));

    assert_int_equal(mkdir(log_dir, 0755), 0);
    assert_int_equal(ngx_olivine_manifest_store(&m, log_dir, "a.aof", &e),
                     NGX_OK);
    assert_false(there(log_dir, "temp-a.aof.manifest"));

    ngx_olivine_manifest_free(&m);
    assert_int_equal(ngx_olivine_manifest_load(&m, log_dir, "a.aof", &e),
                     NGX_OK);
    assert_string_equal(print(), BASE OLD INCR);

    /* a folder stands in its place */

    snprintf(text, sizeof(text), "%s/b.aof.manifest", log_dir);
    assert_int_equal(mkdir(text, 0755), 0);
    assert_int_equal(ngx_olivine_manifest_store(&m, log_dir, "b.aof", &e),
                     NGX_ERROR);
    assert_non_null(strstr(e.text, "cannot rename"));
    assert_false(there(log_dir, "temp-b.aof.manifest"));
    assert_int_equal(ngx_olivine_manifest_load(&m, log_dir, "b.aof", &e),
                     NGX_ERROR);
    assert_int_equal(e.code, EISDIR);
}


static void
test_manifest_deletes_history(void **state)
{
    char  path[128];

    assert_int_equal(mkdir(log_dir, 0755), 0);
    assert_int_equal(parse(BASE OLD
                           "file a.aof.5.incr.aof seq 5 type h\n"
                           "file folder seq 6 type h\n"
                           "file gone seq 7 type h\n"
                           INCR), NGX_OK);

    touch(log_dir, "a.aof.2.base.rdb");
    touch(log_dir, "a.aof.4.incr.aof");
    touch(log_dir, "a.aof.5.incr.aof");

    snprintf(path, sizeof(path), "%s/folder", log_dir);
    assert_int_equal(mkdir(path, 0755), 0);

    assert_int_equal(ngx_olivine_manifest_clean(&m, log_dir, &e), NGX_ERROR);
    assert_non_null(strstr(e.text, "cannot delete"));
    assert_string_equal(print(), BASE "file folder seq 6 type h\n" INCR);

    assert_true(there(log_dir, "a.aof.2.base.rdb"));
    assert_false(there(log_dir, "a.aof.4.incr.aof"));

    /* it is in use, too */
    assert_true(there(log_dir, "a.aof.5.incr.aof"));

    assert_int_equal(rmdir(path), 0);
    assert_int_equal(ngx_olivine_manifest_clean(&m, log_dir, &e), NGX_OK);
    assert_string_equal(print(), BASE INCR);
}


static void
test_manifest_takes_an_old_file_in(void **state)
{
    char  from[128], to[128];

    assert_int_equal(ngx_olivine_manifest_upgrade(&m, dir, log_dir, "a.aof",
                                                  &e), NGX_DECLINED);
    assert_false(there(dir, "log"));

    touch(dir, "a.aof");
    assert_int_equal(ngx_olivine_manifest_upgrade(&m, dir, log_dir, "a.aof",
                                                  &e), NGX_OK);
    assert_string_equal(print(), "file a.aof seq 1 type b\n");
    assert_false(there(dir, "a.aof"));
    assert_true(there(log_dir, "a.aof"));
    assert_true(there(log_dir, "a.aof.manifest"));

    /* another one that lies there later is left alone */

    touch(dir, "a.aof");
    assert_int_equal(ngx_olivine_manifest_upgrade(&m, dir, log_dir, "a.aof",
                                                  &e), NGX_DECLINED);
    assert_true(there(dir, "a.aof"));
    assert_int_equal(unlink(strcat(strcpy(from, dir), "/a.aof")), 0);

    /* one that was cut off between the two steps goes on */

    snprintf(to, sizeof(to), "%s/a.aof", log_dir);
    assert_int_equal(rename(to, from), 0);
    ngx_olivine_manifest_free(&m);
    assert_int_equal(ngx_olivine_manifest_load(&m, log_dir, "a.aof", &e),
                     NGX_OK);
    assert_int_equal(ngx_olivine_manifest_upgrade(&m, dir, log_dir, "a.aof",
                                                  &e), NGX_OK);
    assert_false(there(dir, "a.aof"));
    assert_true(there(log_dir, "a.aof"));

    /* no manifest, but two files */

    assert_int_equal(unlink(strcat(strcpy(to, log_dir), "/a.aof.manifest")),
                     0);
    touch(dir, "a.aof");
    ngx_olivine_manifest_free(&m);
    assert_int_equal(ngx_olivine_manifest_upgrade(&m, dir, log_dir, "a.aof",
                                                  &e), NGX_ABORT);
    assert_non_null(strstr(e.text, "no manifest"));

    /* a manifest of something else */

    assert_int_equal(parse(BASE INCR), NGX_OK);
    assert_int_equal(ngx_olivine_manifest_upgrade(&m, dir, log_dir, "a.aof",
                                                  &e), NGX_DECLINED);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        test(test_manifest_reads_and_prints),
        test(test_manifest_quotes_names),
        test(test_manifest_tells_what_is_wrong),
        test(test_manifest_has_so_many_files),
        test(test_manifest_follows_a_rewrite),
        test(test_manifest_is_stored_and_loaded),
        test(test_manifest_deletes_history),
        test(test_manifest_takes_an_old_file_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
