
/*
 * Copyright (C) The Olivine authors
 *
 * Parts of the RDB format that saving and loading share.
 */


#ifndef _NGX_OLIVINE_RDB_CODEC_H_INCLUDED_
#define _NGX_OLIVINE_RDB_CODEC_H_INCLUDED_


#include "rdb/ngx_olivine_rdb.h"


/* the two high bits of a length's first byte, and what follows */
#define NGX_OLIVINE_RDB_LEN_6     0x00
#define NGX_OLIVINE_RDB_LEN_14    0x40
#define NGX_OLIVINE_RDB_LEN_BIG   0x80
#define NGX_OLIVINE_RDB_LEN_ENC   0xc0

#define NGX_OLIVINE_RDB_LEN_32    0x80
#define NGX_OLIVINE_RDB_LEN_64    0x81

/* with NGX_OLIVINE_RDB_LEN_ENC: no length, but */
#define NGX_OLIVINE_RDB_INT8      0
#define NGX_OLIVINE_RDB_INT16     1
#define NGX_OLIVINE_RDB_INT32     2
#define NGX_OLIVINE_RDB_LZF       3

/* value types */
#define NGX_OLIVINE_RDB_STRING    0

/* texts up to here may be a number of 32 bits; longer than that, compressed */
#define NGX_OLIVINE_RDB_DIGITS    11
#define NGX_OLIVINE_RDB_SHORT     20

/* three bytes of LZF name at most so many */
#define NGX_OLIVINE_RDB_LZF_RUN   264


#endif /* _NGX_OLIVINE_RDB_CODEC_H_INCLUDED_ */
