
/*
 * Copyright (C) The Olivine authors
 *
 * CRC64, reflected, eight bytes at a time (the "slicing" of M. Kounavis and
 * F. Berry): table n tells what a byte does that n others follow.
 */


#include "rdb/ngx_olivine_rdb.h"


#define NGX_OLIVINE_RDB_POLYNOMIAL  0x95ac9329ac4bc9b5ULL


static void ngx_olivine_rdb_crc_init(void);


static uint64_t    ngx_olivine_rdb_crc_table[8][256];
static ngx_uint_t  ngx_olivine_rdb_crc_ready;


uint64_t
ngx_olivine_rdb_crc(uint64_t crc, const u_char *p, size_t len)
{
    uint64_t  v;

    /* threads may be the first, and make the same table twice */

    if (ngx_olivine_unlikely(!__atomic_load_n(&ngx_olivine_rdb_crc_ready,
                                              __ATOMIC_ACQUIRE)))
    {
        ngx_olivine_rdb_crc_init();
    }

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

    __atomic_store_n(&ngx_olivine_rdb_crc_ready, 1, __ATOMIC_RELEASE);
}
