
/*
 * Copyright (C) The Olivine authors
 *
 * A part of a snapshot's file, gathered under shards' locks in private memory
 * and written later by a thread: bytes, long values by reference, and the holds
 * that keep those until they are written.
 */


#ifndef _NGX_OLIVINE_SAVE_CHUNK_H_INCLUDED_
#define _NGX_OLIVINE_SAVE_CHUNK_H_INCLUDED_


#include "mem/ngx_olivine_holding.h"
#include "rdb/ngx_olivine_rdb_write.h"


/* pieces, and holds, that make a chunk full; and those a slice may add */
#define NGX_OLIVINE_SAVE_CHUNK_PIECES  64
#define NGX_OLIVINE_SAVE_CHUNK_SLICE   256


typedef struct {
    u_char                   *data;      /* NULL: the next bytes of buf */
    size_t                    len;
} ngx_olivine_save_piece_t;


/* How much of a chunk is in use. */
typedef struct {
    size_t                    len;       /* of buf */
    size_t                    cut;       /* ... that are in pieces already */
    ngx_uint_t                npieces;
    ngx_uint_t                nholds;
} ngx_olivine_save_at_t;


typedef struct {
    u_char                   *buf;       /* malloc()ed */
    size_t                    size;
    ngx_olivine_save_at_t     at;
    ngx_olivine_save_piece_t  pieces[NGX_OLIVINE_SAVE_CHUNK_PIECES
                                     + NGX_OLIVINE_SAVE_CHUNK_SLICE * 2];
    uint32_t                  holds[NGX_OLIVINE_SAVE_CHUNK_PIECES
                                    + NGX_OLIVINE_SAVE_CHUNK_SLICE];
} ngx_olivine_save_chunk_t;


/* 1: it is to be written; room for a slice: OK, or ERROR without memory. */
ngx_uint_t ngx_olivine_save_chunk_full(ngx_olivine_save_chunk_t *chunk);
ngx_int_t ngx_olivine_save_chunk_room(ngx_olivine_save_chunk_t *chunk);

/* Bytes; if they stay where they are, and are many, they are not copied. */
ngx_int_t ngx_olivine_save_chunk_add(ngx_olivine_save_chunk_t *chunk,
    u_char *data, size_t len, ngx_uint_t stays);

/* A hold to be given up by release.  ERROR: there are too many. */
ngx_int_t ngx_olivine_save_chunk_hold(ngx_olivine_save_chunk_t *chunk,
    uint32_t hold);

/* Puts all of it.  OK, or ERROR if putting said so. */
ngx_int_t ngx_olivine_save_chunk_put(ngx_olivine_save_chunk_t *chunk,
    ngx_olivine_rdb_out_t *out);

/* Empties it; no lock is held. */
void ngx_olivine_save_chunk_release(ngx_olivine_save_chunk_t *chunk,
    ngx_olivine_tx_t *tx);
void ngx_olivine_save_chunk_free(ngx_olivine_save_chunk_t *chunk);


#endif /* _NGX_OLIVINE_SAVE_CHUNK_H_INCLUDED_ */
