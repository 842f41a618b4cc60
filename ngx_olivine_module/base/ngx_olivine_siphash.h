/*
 * Copyright (C) The Olivine authors
 *
 * SipHash of J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input
 * PRF" (Indocrypt 2012), https://cr.yp.to/siphash/siphash-20120918.pdf
 *
 * The keyspace is hashed by SipHash-1-2: one round a word, two at the end.
 * It stays keyed, so a client who does not know the seed cannot aim keys at
 * one bucket, at half the rounds of the published SipHash-2-4, which the
 * same core gives for the unit test to compare with the paper's vectors.
 */


#ifndef _NGX_OLIVINE_SIPHASH_H_INCLUDED_
#define _NGX_OLIVINE_SIPHASH_H_INCLUDED_


#include "base/ngx_olivine_base.h"


typedef struct {
    uint64_t  k0;
    uint64_t  k1;
} ngx_olivine_seed_t;


#define ngx_olivine_siphash_rotl(x, b)                                        \
    (uint64_t) (((x) << (b)) | ((x) >> (64 - (b))))


#define ngx_olivine_siphash_round(v)                                          \
    v[0] += v[1];                                                             \
    v[1] = ngx_olivine_siphash_rotl(v[1], 13) ^ v[0];                         \
    v[0] = ngx_olivine_siphash_rotl(v[0], 32);                                \
    v[2] += v[3];                                                             \
    v[3] = ngx_olivine_siphash_rotl(v[3], 16) ^ v[2];                         \
    v[0] += v[3];                                                             \
    v[3] = ngx_olivine_siphash_rotl(v[3], 21) ^ v[0];                         \
    v[2] += v[1];                                                             \
    v[1] = ngx_olivine_siphash_rotl(v[1], 17) ^ v[2];                         \
    v[2] = ngx_olivine_siphash_rotl(v[2], 32)


static ngx_inline uint64_t
ngx_olivine_siphash_word(const u_char *p)
{
    uint64_t  w;

    ngx_memcpy(&w, p, 8);

#if !(NGX_HAVE_LITTLE_ENDIAN)
    w = __builtin_bswap64(w);
#endif

    return w;
}


/* the last 0 to 7 bytes, below the low byte of the length */

static ngx_inline uint64_t
ngx_olivine_siphash_tail(const u_char *p, size_t len)
{
    size_t    n;
    uint64_t  w;

    w = (uint64_t) len << 56;
    n = len & 7;

    if (n >= 4) {
        w |= (uint64_t) p[0] | (uint64_t) p[1] << 8 | (uint64_t) p[2] << 16
             | (uint64_t) p[3] << 24;

        switch (n) {
        case 7:
            w |= (uint64_t) p[6] << 48;
            /* fall through */
        case 6:
            w |= (uint64_t) p[5] << 40;
            /* fall through */
        case 5:
            w |= (uint64_t) p[4] << 32;
        }

        return w;
    }

    switch (n) {
    case 3:
        w |= (uint64_t) p[2] << 16;
        /* fall through */
    case 2:
        w |= (uint64_t) p[1] << 8;
        /* fall through */
    case 1:
        w |= (uint64_t) p[0];
    }

    return w;
}


/* with constant c and d the loops of rounds vanish */

static ngx_inline uint64_t
ngx_olivine_siphash_core(const ngx_olivine_seed_t *seed, const u_char *p,
    size_t len, ngx_uint_t c, ngx_uint_t d)
{
    uint64_t       v[4], w;
    ngx_uint_t     i;
    const u_char  *last;

    v[0] = seed->k0 ^ 0x736f6d6570736575ULL;
    v[1] = seed->k1 ^ 0x646f72616e646f6dULL;
    v[2] = seed->k0 ^ 0x6c7967656e657261ULL;
    v[3] = seed->k1 ^ 0x7465646279746573ULL;

    last = p + (len & ~(size_t) 7);

    while (p != last) {
        w = ngx_olivine_siphash_word(p);
        v[3] ^= w;

        for (i = 0; i < c; i++) {
            ngx_olivine_siphash_round(v);
        }

        v[0] ^= w;
        p += 8;
    }

    w = ngx_olivine_siphash_tail(p, len);
    v[3] ^= w;

    for (i = 0; i < c; i++) {
        ngx_olivine_siphash_round(v);
    }

    v[0] ^= w;
    v[2] ^= 0xff;

    for (i = 0; i < d; i++) {
        ngx_olivine_siphash_round(v);
    }

    return v[0] ^ v[1] ^ v[2] ^ v[3];
}


/* the hash of a key */

static ngx_inline uint64_t
ngx_olivine_siphash(const ngx_olivine_seed_t *seed, const u_char *p,
    size_t len)
{
    return ngx_olivine_siphash_core(seed, p, len, 1, 2);
}


#endif /* _NGX_OLIVINE_SIPHASH_H_INCLUDED_ */
