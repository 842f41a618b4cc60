
/*
 * Copyright (C) The Olivine authors
 *
 * The values are those of libxxhash 0.8.1.
 */


#include "unit.h"

#include "base/ngx_olivine_xxh3.h"


static void
test_xxh3_has_the_digest_that_redis_documents(void **state)
{
    /* https://redis.io/docs/latest/commands/digest/ */

    assert_true(ngx_olivine_xxh3((u_char *) "Hello world", 11)
                == 0xb6acb9d84a38ff74ULL);
}


static void
test_xxh3_agrees_at_each_change_of_method(void **state)
{
    u_char      p[8192];
    ngx_uint_t  i;

    static const struct {
        size_t    len;
        uint64_t  hash;
    } row[] = {
        { 0, 0x2d06800538d394c2ULL },
        { 1, 0x13e608bc156defedULL },
        { 3, 0xa9088dda485b481cULL },
        { 4, 0x6d9253b16c8b1ed3ULL },
        { 8, 0x60539db630471163ULL },
        { 9, 0xfeff668361d723a8ULL },
        { 16, 0xb8c859b0f030b585ULL },
        { 17, 0x714a04408e79b80fULL },
        { 128, 0x67425a03650261bfULL },
        { 129, 0xc664bf3311c6abc4ULL },
        { 240, 0x64556dc6b462a6cfULL },
        { 241, 0x8beadd3a8874fe17ULL },
        { 1024, 0x9b81661c641c72b1ULL },
        { 1025, 0x806c2072ed713576ULL },
        { 5000, 0x799aaddd7339581dULL }
    };

    for (i = 0; i < sizeof(p); i++) {
        p[i] = (u_char) (i * 7 + 3);
    }

    for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_true(ngx_olivine_xxh3(p, row[i].len) == row[i].hash);
    }
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_xxh3_has_the_digest_that_redis_documents),
        cmocka_unit_test(test_xxh3_agrees_at_each_change_of_method),
    };

    return unit_run(tests);
}
