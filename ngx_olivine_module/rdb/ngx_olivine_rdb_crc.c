
/*
 * Copyright (C) The Olivine authors
 *
 * CRC64, reflected, eight bytes at a time (the "slicing" of M. Kounavis and
 * F. Berry): table n tells what a byte does that n others follow.
 *
 * Where the processor multiplies without carries, long texts are folded
 * before, as V. Gopal and others describe it.  16 bytes are a polynomial a *
 * x^64 + b.  Bytes that follow make it count as that times a power of x, and
 * so does what is left of it when that power is taken modulo the CRC's own
 * polynomial.  So four times 16 bytes are added onto the 64 that follow, and
 * so on, until 16 are left, whose CRC is that of all.
 */


#include "rdb/ngx_olivine_rdb.h"


#if (__x86_64__)
#define NGX_OLIVINE_RDB_FOLD  1
#include <wmmintrin.h>
#endif


#define NGX_OLIVINE_RDB_POLYNOMIAL  0x95ac9329ac4bc9b5ULL

/* texts from here on are folded */
#define NGX_OLIVINE_RDB_FOLDED      128


static uint64_t ngx_olivine_rdb_crc_sliced(uint64_t crc, const u_char *p,
    size_t len);
static void ngx_olivine_rdb_crc_init(void);
#if (NGX_OLIVINE_RDB_FOLD)
static uint64_t ngx_olivine_rdb_crc_folded(uint64_t crc, const u_char *p,
    size_t len);
static uint64_t ngx_olivine_rdb_crc_power(ngx_uint_t n);
#endif


static uint64_t    ngx_olivine_rdb_crc_table[8][256];
static ngx_uint_t  ngx_olivine_rdb_crc_ready;

#if (NGX_OLIVINE_RDB_FOLD)

static ngx_uint_t  ngx_olivine_rdb_crc_folds;

/* for 64 bytes that follow, and for 16: of a, of b */
static uint64_t    ngx_olivine_rdb_crc_powers[2][2];

#endif


uint64_t
ngx_olivine_rdb_crc(uint64_t crc, const u_char *p, size_t len)
{
    /* threads may be the first, and make the same table twice */

    if (ngx_olivine_unlikely(!__atomic_load_n(&ngx_olivine_rdb_crc_ready,
                                              __ATOMIC_ACQUIRE)))
    {
        ngx_olivine_rdb_crc_init();
    }

#if (NGX_OLIVINE_RDB_FOLD)

    if (len >= NGX_OLIVINE_RDB_FOLDED && ngx_olivine_rdb_crc_folds) {
        return ngx_olivine_rdb_crc_folded(crc, p, len);
    }

#endif

    return ngx_olivine_rdb_crc_sliced(crc, p, len);
}


static uint64_t
ngx_olivine_rdb_crc_sliced(uint64_t crc, const u_char *p, size_t len)
{
    uint64_t  v;

    for ( /* void */ ; len >= 8; len -= 8, p += 8) {

        ngx_memcpy(&v, p, 8);
        v ^= crc;

        crc = ngx_olivine_rdb_crc_table[7][v & 0xff]
              ^ ngx_olivine_rdb_crc_table[6][v >> 8 & 0xff]
              ^ ngx_olivine_rdb_crc_table[5][v >> 16 & 0xff]
              ^ ngx_olivine_rdb_crc_table[4][v >> 24 & 0xff]
              ^ ngx_olivine_rdb_crc_table[3][v >> 32 & 0xff]
              ^ ngx_olivine_rdb_crc_table[2][v >> 40 & 0xff]
              ^ ngx_olivine_rdb_crc_table[1][v >> 48 & 0xff]
              ^ ngx_olivine_rdb_crc_table[0][v >> 56];
    }

    while (len--) {
        crc = ngx_olivine_rdb_crc_table[0][(crc ^ *p++) & 0xff] ^ crc >> 8;
    }

    return crc;
}


static void
ngx_olivine_rdb_crc_init(void)
{
    uint64_t    crc;
    ngx_uint_t  i, n;

    for (i = 0; i < 256; i++) {
        crc = i;

        for (n = 0; n < 8; n++) {
            crc = (crc & 1) ? crc >> 1 ^ NGX_OLIVINE_RDB_POLYNOMIAL : crc >> 1;
        }

        ngx_olivine_rdb_crc_table[0][i] = crc;
    }

    for (n = 1; n < 8; n++) {
        for (i = 0; i < 256; i++) {
            crc = ngx_olivine_rdb_crc_table[n - 1][i];
            ngx_olivine_rdb_crc_table[n][i] =
                        ngx_olivine_rdb_crc_table[0][crc & 0xff] ^ crc >> 8;
        }
    }

#if (NGX_OLIVINE_RDB_FOLD)

    /* bits are reflected, so each product has been multiplied by x already */

    ngx_olivine_rdb_crc_powers[0][0] = ngx_olivine_rdb_crc_power(512 + 64 - 1);
    ngx_olivine_rdb_crc_powers[0][1] = ngx_olivine_rdb_crc_power(512 - 1);
    ngx_olivine_rdb_crc_powers[1][0] = ngx_olivine_rdb_crc_power(128 + 64 - 1);
    ngx_olivine_rdb_crc_powers[1][1] = ngx_olivine_rdb_crc_power(128 - 1);

    ngx_olivine_rdb_crc_folds = __builtin_cpu_supports("pclmul") != 0;

#endif

    __atomic_store_n(&ngx_olivine_rdb_crc_ready, 1, __ATOMIC_RELEASE);
}


#if (NGX_OLIVINE_RDB_FOLD)

/* x, 16 bytes, counts as if those that "powers" is for followed; and adds y. */

#define ngx_olivine_rdb_crc_fold(x, powers, y)                                \
    _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(x, powers, 0x00),        \
                                _mm_clmulepi64_si128(x, powers, 0x11)), y)

#define ngx_olivine_rdb_crc_load(p)                                           \
    _mm_loadu_si128((const __m128i *) (p))


__attribute__((target("pclmul")))
static uint64_t
ngx_olivine_rdb_crc_folded(uint64_t crc, const u_char *p, size_t len)
{
    u_char      buf[16];
    __m128i     x[4], powers;
    ngx_uint_t  i;

    for (i = 0; i < 4; i++) {
        x[i] = ngx_olivine_rdb_crc_load(p + 16 * i);
    }

    x[0] = _mm_xor_si128(x[0], _mm_cvtsi64_si128((int64_t) crc));

    p += 64;
    len -= 64;

    powers = ngx_olivine_rdb_crc_load(ngx_olivine_rdb_crc_powers[0]);

    for ( /* void */ ; len >= 64; len -= 64, p += 64) {

        x[0] = ngx_olivine_rdb_crc_fold(x[0], powers,
                                        ngx_olivine_rdb_crc_load(p));
        x[1] = ngx_olivine_rdb_crc_fold(x[1], powers,
                                        ngx_olivine_rdb_crc_load(p + 16));
        x[2] = ngx_olivine_rdb_crc_fold(x[2], powers,
                                        ngx_olivine_rdb_crc_load(p + 32));
        x[3] = ngx_olivine_rdb_crc_fold(x[3], powers,
                                        ngx_olivine_rdb_crc_load(p + 48));
    }

    powers = ngx_olivine_rdb_crc_load(ngx_olivine_rdb_crc_powers[1]);

    for (i = 1; i < 4; i++) {
        x[0] = ngx_olivine_rdb_crc_fold(x[0], powers, x[i]);
    }

    for ( /* void */ ; len >= 16; len -= 16, p += 16) {
        x[0] = ngx_olivine_rdb_crc_fold(x[0], powers,
                                        ngx_olivine_rdb_crc_load(p));
    }

    _mm_storeu_si128((__m128i *) buf, x[0]);

    crc = ngx_olivine_rdb_crc_sliced(0, buf, 16);

    return ngx_olivine_rdb_crc_sliced(crc, p, len);
}


/* x to the n-th, modulo the polynomial; bits are reflected. */

static uint64_t
ngx_olivine_rdb_crc_power(ngx_uint_t n)
{
    uint64_t  v;

    v = (uint64_t) 1 << 63;

    while (n--) {
        v = (v & 1) ? v >> 1 ^ NGX_OLIVINE_RDB_POLYNOMIAL : v >> 1;
    }

    return v;
}

#endif
