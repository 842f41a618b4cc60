/*
 * Copyright (C) The Olivine authors
 */

/* layer: base */


#include "unit.h"

#include "base/ngx_olivine_siphash.h"


/*
 * SipHash-2-4 of the bytes 00, 00 01, 00 01 02 ... under the key 00 to 0f,
 * as its authors publish them (vectors.h of the reference code; the one of
 * 15 bytes is in appendix A of the paper).
 */

static const uint64_t  test_siphash_vectors[] = {
    0x726fdb47dd0e0e31ULL, 0x74f839c593dc67fdULL, 0x0d6c8009d9a94f5aULL,
    0x85676696d7fb7e2dULL, 0xcf2794e0277187b7ULL, 0x18765564cd99a68dULL,
    0xcbc9466e58fee3ceULL, 0xab0200f58b01d137ULL, 0x93f5f5799a932462ULL,
    0x9e0082df0ba9e4b0ULL, 0x7a5dbbc594ddb9f3ULL, 0xf4b32f46226bada7ULL,
    0x751e8fbc860ee5fbULL, 0x14ea5627c0843d90ULL, 0xf723ca908e7af2eeULL,
    0xa129ca6149be45e5ULL
};


static void
test_siphash_seed(ngx_olivine_seed_t *seed)
{
    seed->k0 = 0x0706050403020100ULL;
    seed->k1 = 0x0f0e0d0c0b0a0908ULL;
}


static void
test_siphash_core_gives_the_published_vectors(void **state)
{
    u_char              data[16];
    ngx_uint_t          i;
    ngx_olivine_seed_t  seed;

    test_siphash_seed(&seed);

    for (i = 0; i < 16; i++) {
        assert_true(ngx_olivine_siphash_core(&seed, data, i, 2, 4)
                    == test_siphash_vectors[i]);
        data[i] = (u_char) i;
    }
}


static void
test_siphash_depends_on_seed_and_every_byte(void **state)
{
    u_char              data[24];
    uint64_t            h;
    ngx_uint_t          len, i;
    ngx_olivine_seed_t  seed;

    test_siphash_seed(&seed);
    ngx_memzero(data, sizeof(data));

    for (len = 1; len <= sizeof(data); len++) {
        h = ngx_olivine_siphash(&seed, data, len);

        assert_true(h != ngx_olivine_siphash(&seed, data, len - 1));

        for (i = 0; i < len; i++) {
            data[i] ^= 0x80;
            assert_true(h != ngx_olivine_siphash(&seed, data, len));
            data[i] ^= 0x80;
        }

        seed.k1 ^= 1;
        assert_true(h != ngx_olivine_siphash(&seed, data, len));
        seed.k1 ^= 1;
    }
}


static void
test_siphash_does_not_read_beyond_the_key(void **state)
{
    u_char              *data;
    uint64_t             a, b;
    ngx_uint_t           len;
    ngx_olivine_seed_t   seed;

    test_siphash_seed(&seed);

    /* at both ends of exact allocations: ASan sees the rest */

    for (len = 0; len < 40; len++) {
        data = malloc(len ? len : 1);
        memset(data, 'x', len);
        a = ngx_olivine_siphash(&seed, data, len);
        free(data);

        data = malloc(len + 1);
        memset(data, 'x', len + 1);
        b = ngx_olivine_siphash(&seed, data + 1, len);
        free(data);

        assert_true(a == b);
    }
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_siphash_core_gives_the_published_vectors),
        cmocka_unit_test(test_siphash_depends_on_seed_and_every_byte),
        cmocka_unit_test(test_siphash_does_not_read_beyond_the_key),
    };

    return unit_run(tests);
}
