
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_save_chunk.h"


/* bytes of a chunk that are to be written; room that a slice finds */
#define NGX_OLIVINE_SAVE_CHUNK_BYTES  (1024 * 1024)
#define NGX_OLIVINE_SAVE_CHUNK_ROOM   (512 * 1024)

/* a value's bytes that are written from where they lie */
#define NGX_OLIVINE_SAVE_CHUNK_BIG    32768


static void ngx_olivine_save_chunk_cut(ngx_olivine_save_chunk_t *chunk);


ngx_uint_t
ngx_olivine_save_chunk_full(ngx_olivine_save_chunk_t *chunk)
{
    return chunk->at.len >= NGX_OLIVINE_SAVE_CHUNK_BYTES
           || chunk->at.npieces >= NGX_OLIVINE_SAVE_CHUNK_PIECES
           || chunk->at.nholds >= NGX_OLIVINE_SAVE_CHUNK_PIECES;
}


ngx_int_t
ngx_olivine_save_chunk_room(ngx_olivine_save_chunk_t *chunk)
{
    u_char  *p;

    if (chunk->size - chunk->at.len >= NGX_OLIVINE_SAVE_CHUNK_ROOM) {
        return NGX_OK;
    }

    p = realloc(chunk->buf, NGX_OLIVINE_SAVE_CHUNK_BYTES
                            + NGX_OLIVINE_SAVE_CHUNK_ROOM);

    if (p == NULL) {
        return NGX_ERROR;
    }

    chunk->buf = p;
    chunk->size = NGX_OLIVINE_SAVE_CHUNK_BYTES + NGX_OLIVINE_SAVE_CHUNK_ROOM;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_save_chunk_add(ngx_olivine_save_chunk_t *chunk, u_char *data,
    size_t len, ngx_uint_t stays)
{
    u_char  *p;
    size_t   size;

    if (stays && len >= NGX_OLIVINE_SAVE_CHUNK_BIG
        && chunk->at.npieces + 2
           <= sizeof(chunk->pieces) / sizeof(ngx_olivine_save_piece_t))
    {
        ngx_olivine_save_chunk_cut(chunk);

        chunk->pieces[chunk->at.npieces].data = data;
        chunk->pieces[chunk->at.npieces].len = len;
        chunk->at.npieces++;

        return NGX_OK;
    }

    if (chunk->size - chunk->at.len < len) {

        /* a chain longer than there is room for; pieces are offsets still */

        size = (chunk->at.len + len) * 2;
        p = realloc(chunk->buf, size);

        if (p == NULL) {
            return NGX_ERROR;
        }

        chunk->buf = p;
        chunk->size = size;
    }

    ngx_memcpy(chunk->buf + chunk->at.len, data, len);
    chunk->at.len += len;

    return NGX_OK;
}


/* What was gathered since the last cut is a piece. */

static void
ngx_olivine_save_chunk_cut(ngx_olivine_save_chunk_t *chunk)
{
    ngx_olivine_save_at_t  *at;

    at = &chunk->at;

    if (at->len == at->cut) {
        return;
    }

    chunk->pieces[at->npieces].data = NULL;
    chunk->pieces[at->npieces].len = at->len - at->cut;
    at->npieces++;
    at->cut = at->len;
}


ngx_int_t
ngx_olivine_save_chunk_hold(ngx_olivine_save_chunk_t *chunk, uint32_t hold)
{
    if (chunk->at.nholds == sizeof(chunk->holds) / sizeof(uint32_t)) {
        return NGX_ERROR;
    }

    chunk->holds[chunk->at.nholds++] = hold;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_save_chunk_put(ngx_olivine_save_chunk_t *chunk,
    ngx_olivine_rdb_out_t *out)
{
    size_t                     done;
    u_char                    *data;
    ngx_uint_t                 i;
    ngx_olivine_save_piece_t  *piece;

    ngx_olivine_save_chunk_cut(chunk);

    done = 0;

    for (i = 0; i < chunk->at.npieces; i++) {

        piece = &chunk->pieces[i];
        data = piece->data;

        if (data == NULL) {
            data = chunk->buf + done;
            done += piece->len;
        }

        if (ngx_olivine_rdb_write_items(out, data, piece->len, 1) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


void
ngx_olivine_save_chunk_release(ngx_olivine_save_chunk_t *chunk,
    ngx_olivine_tx_t *tx)
{
    ngx_olivine_save_at_t  *at;

    at = &chunk->at;

    while (at->nholds) {
        if (ngx_olivine_unpin(tx, chunk->holds[at->nholds - 1]) != NGX_OK) {
            ngx_sched_yield();           /* the gate is up for a moment */
            continue;
        }

        at->nholds--;
    }

    ngx_memzero(at, sizeof(ngx_olivine_save_at_t));
}


void
ngx_olivine_save_chunk_free(ngx_olivine_save_chunk_t *chunk)
{
    free(chunk->buf);
    chunk->buf = NULL;
    chunk->size = 0;
}
