
/*
 * Copyright (C) The Olivine authors
 *
 * An entry: key and small value in one allocation.
 *
 *     | header 8 | expiry 8, if any | key length 4, if long | key | value |
 *
 * A value is eight bytes (a number), bytes of the length in the header, or
 * the length and the first page of a run of its own.
 */


#ifndef _NGX_OLIVINE_ENTRY_H_INCLUDED_
#define _NGX_OLIVINE_ENTRY_H_INCLUDED_


#include "type/ngx_olivine_string.h"


#define NGX_OLIVINE_ENTRY_EXPIRES   0x01     /* has an expiry */
#define NGX_OLIVINE_ENTRY_LONGKEY   0x02     /* length does not fit a byte */
#define NGX_OLIVINE_ENTRY_WATCHED   0x04     /* somebody watches or tracks */
#define NGX_OLIVINE_ENTRY_EPOCH     0x18     /* snapshot's epoch, two bits */

#define NGX_OLIVINE_ENTRY_RUN       0xffff   /* vlen: the value is a run */
#define NGX_OLIVINE_ENTRY_KEY       0xff     /* longest short key, plus one */

#define NGX_OLIVINE_ENTRY_CLOCK     0xffffff


struct ngx_olivine_entry_s {
    uint8_t   kind;             /* type, encoding << 4 */
    uint8_t   flags;
    uint16_t  vlen;
    uint32_t  clock;            /* access clock << 8 | short key's length */
    u_char    data[];
};


/* behind the key, if vlen is NGX_OLIVINE_ENTRY_RUN; not aligned */
typedef struct {
    uint64_t  len;
    uint32_t  page;
    uint32_t  unused;
} ngx_olivine_entry_run_t;


#define ngx_olivine_entry_type(e)      ((e)->kind & 0x0f)
#define ngx_olivine_entry_encoding(e)  ((e)->kind >> 4)

#define ngx_olivine_entry_head(flags)                                         \
    (sizeof(ngx_olivine_entry_t)                                              \
     + (((flags) & NGX_OLIVINE_ENTRY_EXPIRES) ? 8 : 0)                        \
     + (((flags) & NGX_OLIVINE_ENTRY_LONGKEY) ? 4 : 0))


static ngx_inline void
ngx_olivine_entry_key(ngx_olivine_entry_t *e, ngx_str_t *key)
{
    uint32_t   len;
    u_char    *p;

    p = (u_char *) e + ngx_olivine_entry_head(e->flags);

    if (e->flags & NGX_OLIVINE_ENTRY_LONGKEY) {
        ngx_memcpy(&len, p - 4, 4);

    } else {
        len = e->clock & 0xff;
    }

    key->len = len;
    key->data = p;
}


/* Milliseconds since the epoch, 0 if the key does not expire. */

static ngx_inline int64_t
ngx_olivine_entry_expire(ngx_olivine_entry_t *e)
{
    int64_t  at;

    if (!(e->flags & NGX_OLIVINE_ENTRY_EXPIRES)) {
        return 0;
    }

    ngx_memcpy(&at, e->data, 8);

    return at;
}


/* A single aligned store, not journalled: any value of it is valid. */

static ngx_inline void
ngx_olivine_entry_touch(ngx_olivine_entry_t *e, uint32_t clock)
{
    e->clock = (e->clock & 0xff) | clock << 8;
}


/* Seconds since the last access; clock: now. */

static ngx_inline uint32_t
ngx_olivine_entry_idle(ngx_olivine_entry_t *e, uint32_t clock)
{
    return (clock - (e->clock >> 8)) & NGX_OLIVINE_ENTRY_CLOCK;
}


/* What the entry holds; valid under the shard's lock. */
void ngx_olivine_entry_value(ngx_olivine_zone_t *zone, ngx_olivine_entry_t *e,
    ngx_olivine_value_t *value);

/* The bytes that were asked of the arena, or of the heap, for it. */
size_t ngx_olivine_entry_size(ngx_olivine_entry_t *e);


#endif /* _NGX_OLIVINE_ENTRY_H_INCLUDED_ */
