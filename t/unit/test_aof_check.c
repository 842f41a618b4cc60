
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include "log/ngx_olivine_aof_check.h"


#define PING   "*1\r\n$4\r\nPING\r\n"
#define MULTI  "*1\r\n$5\r\nMULTI\r\n"
#define EXEC   "*1\r\n$4\r\nEXEC\r\n"
#define RDB    "REDIS0004\376\0\0\1k\1v\377"


static ngx_olivine_aof_check_t  c;


static FILE *
begin(void)
{
    FILE  *file;

    file = tmpfile();
    assert_non_null(file);

    return file;
}


static ngx_int_t
end(FILE *file, int64_t upto)
{
    ngx_int_t  rc;

    assert_int_equal(fflush(file), 0);
    rc = ngx_olivine_aof_check(&c, fileno(file), upto);
    fclose(file);

    return rc;
}


static ngx_int_t
check(const char *s, size_t len, int64_t upto)
{
    FILE  *file;

    file = begin();
    fwrite(s, 1, len, file);

    return end(file, upto);
}


#define checked(s)  check(s, sizeof(s) - 1, INT64_MAX)


static void
test_aof_check_counts(void **state)
{
    assert_int_equal(checked(""), NGX_OK);
    assert_int_equal(c.size, 0);

    assert_int_equal(checked(PING MULTI PING EXEC "#TS:77\r\n"), NGX_OK);
    assert_int_equal(c.commands, 4);
    assert_int_equal(c.transactions, 1);
    assert_int_equal(c.timestamp, 77);
    assert_int_equal(c.valid, c.size);
    assert_int_equal(c.rdb, 0);

    assert_int_equal(checked(RDB PING), NGX_OK);
    assert_int_equal(c.keys, 1);
    assert_int_equal(c.commands, 1);
    assert_int_equal(c.rdb, sizeof(RDB) - 1);
}


static void
test_aof_check_says_what_is_wrong(void **state)
{
    assert_int_equal(checked(RDB PING MULTI PING), NGX_DECLINED);
    assert_int_equal(c.valid, sizeof(RDB PING) - 1);
    assert_int_equal(c.offset, sizeof(RDB PING MULTI PING) - 1);
    assert_non_null(strstr(c.error, "before EXEC"));

    assert_int_equal(checked(RDB PING "x"), NGX_ABORT);
    assert_int_equal(c.valid, sizeof(RDB PING) - 1);
    assert_false(c.rdb_wrong);

    assert_int_equal(checked("REDIS0004\376\0\0\1k"), NGX_ABORT);
    assert_true(c.rdb_wrong);
    assert_int_equal(c.valid, 0);
    assert_non_null(strstr(c.error, "too short"));

    assert_int_equal(ngx_olivine_aof_check(&c, -1, INT64_MAX), NGX_ERROR);
    assert_non_null(strstr(c.error, "cannot stat"));
}


static void
test_aof_check_stops_at_a_time(void **state)
{
    static const char  text[] = "#TS:5\r\n" PING "#TS:7\r\n" MULTI PING
                                "#TS:9\r\n" PING EXEC PING "x";

    assert_int_equal(check(text, sizeof(text) - 1, 6), NGX_OK);
    assert_true(c.late);
    assert_int_equal(c.valid, sizeof("#TS:5\r\n" PING) - 1);
    assert_int_equal(c.timestamp, 5);

    /* within a transaction: before it */

    assert_int_equal(check(text, sizeof(text) - 1, 8), NGX_OK);
    assert_true(c.late);
    assert_int_equal(c.valid, sizeof("#TS:5\r\n" PING "#TS:7\r\n") - 1);

    assert_int_equal(check(text, sizeof(text) - 1, 9), NGX_ABORT);
    assert_false(c.late);
    assert_int_equal(c.valid, sizeof(text) - 2);

    assert_int_equal(check(text, sizeof(text) - 1, 4), NGX_OK);
    assert_true(c.late);
    assert_int_equal(c.valid, 0);

    assert_int_equal(check("#TS:x\r\n", 7, 4), NGX_ABORT);
    assert_non_null(strstr(c.error, "no number"));
    assert_int_equal(checked("#TS:x\r\n"), NGX_OK);
}


static void
test_aof_check_reads_what_is_big(void **state)
{
    int    i, j;
    FILE  *file;
    char   block[1000];

    memset(block, '*', sizeof(block));

    /* arguments from under the window's size to five times as much */

    file = begin();

    for (i = 1; i <= 6; i++) {
        fprintf(file, PING "*2\r\n$%d\r\n", i * 900000);

        for (j = 0; j < i * 900; j++) {
            fwrite(block, 1, sizeof(block), file);
        }

        fprintf(file, "\r\n$0\r\n\r\n");
    }

    assert_int_equal(end(file, INT64_MAX), NGX_OK);
    assert_int_equal(c.commands, 12);
    assert_int_equal(c.valid, c.size);

    /* so many are announced, and are not there */

    assert_int_equal(checked(PING "*1\r\n$536870912\r\nx"), NGX_DECLINED);
    assert_int_equal(c.valid, sizeof(PING) - 1);
}


int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aof_check_counts),
        cmocka_unit_test(test_aof_check_says_what_is_wrong),
        cmocka_unit_test(test_aof_check_stops_at_a_time),
        cmocka_unit_test(test_aof_check_reads_what_is_big),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
