
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


/* rows that are given memory at a time, and given back in a transaction */
#define NGX_OLIVINE_ROW_STEP    512
#define NGX_OLIVINE_ROW_SLICE   32


void
ngx_olivine_row_init(ngx_olivine_zone_t *zone, uint32_t places)
{
    zone->rows.high = 1;
    zone->rows.places = places;
}


ngx_int_t
ngx_olivine_row_back(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    uint32_t             from, to;
    ngx_olivine_rows_t  *rows;

    rows = &tx->zone->rows;

    from = rows->backed;

    if (rows->high + n <= from) {
        return NGX_OK;
    }

    if (rows->high + n > rows->places) {
        return rows->free ? NGX_OK : NGX_DECLINED;
    }

    to = ngx_min(rows->high + n + NGX_OLIVINE_ROW_STEP, rows->places);

    if (ngx_olivine_zone_back(tx->zone, tx->fd,
                              ngx_olivine_row_at(tx->zone, from),
                              (size_t) (to - from) * NGX_OLIVINE_ROW_SIZE)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* others may have gone further meanwhile */

    while (from < to
           && !__atomic_compare_exchange_n(&rows->backed, &from, to, 0,
                                           __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    {
        /* void */
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_row_take(ngx_olivine_tx_t *tx, uint32_t *n)
{
    ngx_int_t            rc;
    ngx_olivine_row_t   *row;
    ngx_olivine_rows_t  *rows;

    rows = &tx->zone->rows;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_JOURNAL_SMALL);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_tx_lock_rows(tx);

    *n = rows->free;

    if (*n) {
        row = ngx_olivine_row_at(tx->zone, *n);

        ngx_olivine_tx_set32(tx, &rows->free, row->next);
        ngx_olivine_tx_save(tx, row, 8);

        row->next = 0;
        row->owner = tx->owner;

        ngx_olivine_step();

        return NGX_OK;
    }

    *n = rows->high;

    if (*n >= rows->backed) {

        if (tx->full) {
            return NGX_ERROR;
        }

        tx->want_rows = 1;
        return NGX_AGAIN;
    }

    /* what is above the highest row means nothing */

    row = ngx_olivine_row_at(tx->zone, *n);

    row->next = 0;
    row->owner = tx->owner;

    ngx_olivine_tx_set32(tx, &rows->high, *n + 1);

    return NGX_OK;
}


void
ngx_olivine_row_give(ngx_olivine_tx_t *tx, uint32_t n)
{
    ngx_olivine_row_t   *row;
    ngx_olivine_rows_t  *rows;

    rows = &tx->zone->rows;
    row = ngx_olivine_row_at(tx->zone, n);

    ngx_olivine_tx_save(tx, row, 8);

    row->owner = 0;
    row->next = rows->free;

    ngx_olivine_step();

    ngx_olivine_tx_set32(tx, &rows->free, n);
}


void
ngx_olivine_row_clear(ngx_olivine_tx_t *tx, uint32_t owner)
{
    uint32_t             n;
    ngx_uint_t           left;
    ngx_olivine_rows_t  *rows;

    rows = &tx->zone->rows;
    left = NGX_OLIVINE_ROW_SLICE;

    for (n = 1; n < rows->high; n++) {

        if (ngx_olivine_row_at(tx->zone, n)->owner != owner) {
            continue;
        }

        if (left == 0) {
            (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
            ngx_olivine_tx_unlock(tx);

            left = NGX_OLIVINE_ROW_SLICE;
        }

        ngx_olivine_tx_lock_rows(tx);
        ngx_olivine_row_give(tx, n);
        left--;
    }

    (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
    ngx_olivine_tx_unlock(tx);
}


ngx_int_t
ngx_olivine_row_audit(ngx_olivine_tx_t *tx, u_char *err)
{
    uint32_t             n, free, listed;
    ngx_olivine_rows_t  *rows;

    rows = &tx->zone->rows;

    ngx_olivine_tx_lock_rows(tx);

    for (n = 1, free = 0; n < rows->high; n++) {
        free += (ngx_olivine_row_at(tx->zone, n)->owner == 0);
    }

    for (n = rows->free, listed = 0;
         n && listed <= free;
         n = ngx_olivine_row_at(tx->zone, n)->next)
    {
        if (n >= rows->high || ngx_olivine_row_at(tx->zone, n)->owner) {
            (void) ngx_sprintf(err, "row %uD is in the free list%Z", n);
            return NGX_ERROR;
        }

        listed++;
    }

    if (listed != free) {
        (void) ngx_sprintf(err, "%uD rows are free, %uD in the list%Z", free,
                           listed);
        return NGX_ERROR;
    }

    return NGX_OK;
}
