
/*
 * Copyright (C) The Olivine authors
 */


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_xxh3.h"


#define NGX_OLIVINE_XXH3_P32_1  0x9e3779b1ULL
#define NGX_OLIVINE_XXH3_P32_2  0x85ebca77ULL
#define NGX_OLIVINE_XXH3_P32_3  0xc2b2ae3dULL

#define NGX_OLIVINE_XXH3_P64_1  0x9e3779b185ebca87ULL
#define NGX_OLIVINE_XXH3_P64_2  0xc2b2ae3d27d4eb4fULL
#define NGX_OLIVINE_XXH3_P64_3  0x165667b19e3779f9ULL
#define NGX_OLIVINE_XXH3_P64_4  0x85ebca77c2b2ae63ULL
#define NGX_OLIVINE_XXH3_P64_5  0x27d4eb2f165667c5ULL

#define NGX_OLIVINE_XXH3_MX     0x9fb21c651e98df25ULL

#define NGX_OLIVINE_XXH3_STRIPE  64
#define NGX_OLIVINE_XXH3_BLOCK   1024
#define NGX_OLIVINE_XXH3_SECRET  192

#define ngx_olivine_xxh3_rotl(x, b)  (((x) << (b)) | ((x) >> (64 - (b))))


static uint64_t ngx_olivine_xxh3_tiny(const u_char *p, size_t len);
static uint64_t ngx_olivine_xxh3_short(const u_char *p, size_t len);
static uint64_t ngx_olivine_xxh3_medium(const u_char *p, size_t len);
static uint64_t ngx_olivine_xxh3_long(const u_char *p, size_t len);
static void ngx_olivine_xxh3_stripe(uint64_t *acc, const u_char *p,
    const u_char *secret);
static void ngx_olivine_xxh3_scramble(uint64_t *acc);
static uint64_t ngx_olivine_xxh3_mix(const u_char *p, const u_char *secret);
static uint64_t ngx_olivine_xxh3_fold(uint64_t a, uint64_t b);
static uint64_t ngx_olivine_xxh3_avalanche(uint64_t h);
static uint64_t ngx_olivine_xxh3_avalanche64(uint64_t h);
static uint32_t ngx_olivine_xxh3_read32(const u_char *p);
static uint64_t ngx_olivine_xxh3_read64(const u_char *p);


/* the algorithm's constant */

static const u_char  ngx_olivine_xxh3_secret[NGX_OLIVINE_XXH3_SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c,
    0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb,
    0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6,
    0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97,
    0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
    0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31,
    0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64, 0xea, 0xc5, 0xac, 0x83,
    0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26,
    0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc,
    0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e
};


uint64_t
ngx_olivine_xxh3(const u_char *p, size_t len)
{
    if (len <= 16) {
        return ngx_olivine_xxh3_tiny(p, len);
    }

    if (len <= 128) {
        return ngx_olivine_xxh3_short(p, len);
    }

    if (len <= 240) {
        return ngx_olivine_xxh3_medium(p, len);
    }

    return ngx_olivine_xxh3_long(p, len);
}


static uint64_t
ngx_olivine_xxh3_tiny(const u_char *p, size_t len)
{
    uint64_t       h, lo, hi;
    const u_char  *secret;

    secret = ngx_olivine_xxh3_secret;

    if (len > 8) {
        lo = ngx_olivine_xxh3_read64(p)
             ^ ngx_olivine_xxh3_read64(secret + 24)
             ^ ngx_olivine_xxh3_read64(secret + 32);
        hi = ngx_olivine_xxh3_read64(p + len - 8)
             ^ ngx_olivine_xxh3_read64(secret + 40)
             ^ ngx_olivine_xxh3_read64(secret + 48);

        h = len + __builtin_bswap64(lo) + hi + ngx_olivine_xxh3_fold(lo, hi);

        return ngx_olivine_xxh3_avalanche(h);
    }

    if (len >= 4) {
        h = ngx_olivine_xxh3_read32(p + len - 4)
            + ((uint64_t) ngx_olivine_xxh3_read32(p) << 32);
        h ^= ngx_olivine_xxh3_read64(secret + 8)
             ^ ngx_olivine_xxh3_read64(secret + 16);

        h ^= ngx_olivine_xxh3_rotl(h, 49) ^ ngx_olivine_xxh3_rotl(h, 24);
        h *= NGX_OLIVINE_XXH3_MX;
        h ^= (h >> 35) + len;
        h *= NGX_OLIVINE_XXH3_MX;

        return h ^ (h >> 28);
    }

    if (len) {
        h = (uint64_t) p[0] << 16 | (uint64_t) p[len >> 1] << 24
            | (uint64_t) p[len - 1] | (uint64_t) len << 8;
        h ^= ngx_olivine_xxh3_read32(secret)
             ^ ngx_olivine_xxh3_read32(secret + 4);

        return ngx_olivine_xxh3_avalanche64(h);
    }

    return ngx_olivine_xxh3_avalanche64(ngx_olivine_xxh3_read64(secret + 56)
                                      ^ ngx_olivine_xxh3_read64(secret + 64));
}


/* 17 to 128 bytes: pairs of 16, from both ends inwards */

static uint64_t
ngx_olivine_xxh3_short(const u_char *p, size_t len)
{
    uint64_t    h;
    ngx_uint_t  i, n;

    h = len * NGX_OLIVINE_XXH3_P64_1;
    n = (len - 1) / 32 + 1;

    for (i = 0; i < n; i++) {
        h += ngx_olivine_xxh3_mix(p + 16 * i,
                                  ngx_olivine_xxh3_secret + 32 * i);
        h += ngx_olivine_xxh3_mix(p + len - 16 * (i + 1),
                                  ngx_olivine_xxh3_secret + 32 * i + 16);
    }

    return ngx_olivine_xxh3_avalanche(h);
}


/* 129 to 240 bytes */

static uint64_t
ngx_olivine_xxh3_medium(const u_char *p, size_t len)
{
    uint64_t    h;
    ngx_uint_t  i, n;

    h = len * NGX_OLIVINE_XXH3_P64_1;
    n = len / 16;

    for (i = 0; i < 8; i++) {
        h += ngx_olivine_xxh3_mix(p + 16 * i,
                                  ngx_olivine_xxh3_secret + 16 * i);
    }

    h = ngx_olivine_xxh3_avalanche(h);

    for (i = 8; i < n; i++) {
        h += ngx_olivine_xxh3_mix(p + 16 * i,
                                  ngx_olivine_xxh3_secret + 16 * (i - 8) + 3);
    }

    h += ngx_olivine_xxh3_mix(p + len - 16,
                              ngx_olivine_xxh3_secret + 136 - 17);

    return ngx_olivine_xxh3_avalanche(h);
}


static uint64_t
ngx_olivine_xxh3_long(const u_char *p, size_t len)
{
    uint64_t       acc[8], h;
    ngx_uint_t     i;
    const u_char  *last;

    acc[0] = NGX_OLIVINE_XXH3_P32_3;
    acc[1] = NGX_OLIVINE_XXH3_P64_1;
    acc[2] = NGX_OLIVINE_XXH3_P64_2;
    acc[3] = NGX_OLIVINE_XXH3_P64_3;
    acc[4] = NGX_OLIVINE_XXH3_P64_4;
    acc[5] = NGX_OLIVINE_XXH3_P32_2;
    acc[6] = NGX_OLIVINE_XXH3_P64_5;
    acc[7] = NGX_OLIVINE_XXH3_P32_1;

    last = p + len;
    i = 0;

    /* the last stripe, whole or not, is not of these */

    while (last - p > NGX_OLIVINE_XXH3_STRIPE) {

        ngx_olivine_xxh3_stripe(acc, p, ngx_olivine_xxh3_secret + 8 * i);

        p += NGX_OLIVINE_XXH3_STRIPE;
        i++;

        if (i == NGX_OLIVINE_XXH3_BLOCK / NGX_OLIVINE_XXH3_STRIPE) {
            ngx_olivine_xxh3_scramble(acc);
            i = 0;
        }
    }

    ngx_olivine_xxh3_stripe(acc, last - NGX_OLIVINE_XXH3_STRIPE,
                            ngx_olivine_xxh3_secret + NGX_OLIVINE_XXH3_SECRET
                            - NGX_OLIVINE_XXH3_STRIPE - 7);

    h = len * NGX_OLIVINE_XXH3_P64_1;

    for (i = 0; i < 8; i += 2) {
        h += ngx_olivine_xxh3_fold(
                 acc[i] ^ ngx_olivine_xxh3_read64(ngx_olivine_xxh3_secret
                                                  + 11 + 8 * i),
                 acc[i + 1] ^ ngx_olivine_xxh3_read64(ngx_olivine_xxh3_secret
                                                      + 19 + 8 * i));
    }

    return ngx_olivine_xxh3_avalanche(h);
}


static void
ngx_olivine_xxh3_stripe(uint64_t *acc, const u_char *p, const u_char *secret)
{
    uint64_t    lane, key;
    ngx_uint_t  i;

    for (i = 0; i < 8; i++) {
        lane = ngx_olivine_xxh3_read64(p + 8 * i);
        key = lane ^ ngx_olivine_xxh3_read64(secret + 8 * i);

        acc[i ^ 1] += lane;
        acc[i] += (key & 0xffffffff) * (key >> 32);
    }
}


static void
ngx_olivine_xxh3_scramble(uint64_t *acc)
{
    ngx_uint_t     i;
    const u_char  *secret;

    secret = ngx_olivine_xxh3_secret + NGX_OLIVINE_XXH3_SECRET
             - NGX_OLIVINE_XXH3_STRIPE;

    for (i = 0; i < 8; i++) {
        acc[i] ^= acc[i] >> 47;
        acc[i] ^= ngx_olivine_xxh3_read64(secret + 8 * i);
        acc[i] *= NGX_OLIVINE_XXH3_P32_1;
    }
}


static uint64_t
ngx_olivine_xxh3_mix(const u_char *p, const u_char *secret)
{
    return ngx_olivine_xxh3_fold(
               ngx_olivine_xxh3_read64(p) ^ ngx_olivine_xxh3_read64(secret),
               ngx_olivine_xxh3_read64(p + 8)
               ^ ngx_olivine_xxh3_read64(secret + 8));
}


/* both halves of the product */

static uint64_t
ngx_olivine_xxh3_fold(uint64_t a, uint64_t b)
{
    unsigned __int128  product;

    product = (unsigned __int128) a * b;

    return (uint64_t) product ^ (uint64_t) (product >> 64);
}


static uint64_t
ngx_olivine_xxh3_avalanche(uint64_t h)
{
    h ^= h >> 37;
    h *= 0x165667919e3779f9ULL;

    return h ^ (h >> 32);
}


/* that of XXH64 */

static uint64_t
ngx_olivine_xxh3_avalanche64(uint64_t h)
{
    h ^= h >> 33;
    h *= NGX_OLIVINE_XXH3_P64_2;
    h ^= h >> 29;
    h *= NGX_OLIVINE_XXH3_P64_3;

    return h ^ (h >> 32);
}


static uint32_t
ngx_olivine_xxh3_read32(const u_char *p)
{
    uint32_t  w;

    ngx_memcpy(&w, p, 4);

#if !(NGX_HAVE_LITTLE_ENDIAN)
    w = __builtin_bswap32(w);
#endif

    return w;
}


static uint64_t
ngx_olivine_xxh3_read64(const u_char *p)
{
    uint64_t  w;

    ngx_memcpy(&w, p, 8);

#if !(NGX_HAVE_LITTLE_ENDIAN)
    w = __builtin_bswap64(w);
#endif

    return w;
}
