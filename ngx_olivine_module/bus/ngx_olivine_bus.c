
/*
 * Copyright (C) The Olivine authors
 */


#include "bus/ngx_olivine_bus.h"


/* the longest texts together */
#define NGX_OLIVINE_BUS_BYTES                                                 \
    (NGX_OLIVINE_BUS_TEXTS * NGX_OLIVINE_BUS_TEXT)

/* what a row of texts has of them, behind an id of 0: it is no client */
#define NGX_OLIVINE_BUS_PIECE    (NGX_OLIVINE_ROW_BODY - 8)

#define NGX_OLIVINE_BUS_JOURNAL  8192

/* a name that changes while it is read is read again */
#define NGX_OLIVINE_BUS_READS    100


static ngx_int_t ngx_olivine_bus_put(ngx_olivine_tx_t *tx,
    ngx_olivine_bus_row_t *row, uint16_t *len, u_char *bytes);
static void ngx_olivine_bus_chain(ngx_olivine_tx_t *tx, uint32_t n);
static size_t ngx_olivine_bus_gather(ngx_olivine_zone_t *zone,
    ngx_olivine_bus_row_t *row, u_char *to);


typedef char  ngx_olivine_bus_row_fits_t
    [sizeof(ngx_olivine_bus_row_t) == NGX_OLIVINE_ROW_SIZE ? 1 : -1];


ngx_int_t
ngx_olivine_bus_open(ngx_olivine_tx_t *tx, ngx_str_t *addr, ngx_str_t *laddr,
    ngx_olivine_bus_row_t **row)
{
    u_char     bytes[2 * NGX_OLIVINE_BUS_TEXT], *p;
    uint16_t   len[NGX_OLIVINE_BUS_TEXTS];
    uint32_t   n;
    ngx_int_t  rc;

    ngx_memzero(len, sizeof(len));

    len[NGX_OLIVINE_BUS_ADDR] = ngx_min(addr->len, NGX_OLIVINE_BUS_TEXT);
    len[NGX_OLIVINE_BUS_LADDR] = ngx_min(laddr->len, NGX_OLIVINE_BUS_TEXT);

    p = ngx_cpymem(bytes, addr->data, len[NGX_OLIVINE_BUS_ADDR]);
    ngx_memcpy(p, laddr->data, len[NGX_OLIVINE_BUS_LADDR]);

    rc = ngx_olivine_row_back(tx, 1);

    if (rc != NGX_OK) {
        return rc;
    }

    for ( ;; ) {
        rc = ngx_olivine_row_take(tx, &n);

        if (rc == NGX_OK) {
            *row = (ngx_olivine_bus_row_t *) ngx_olivine_row_at(tx->zone, n);
            ngx_olivine_bus_none(*row);

            rc = ngx_olivine_bus_put(tx, *row, len, bytes);
        }

        if (rc == NGX_OK) {
            (*row)->owner = tx->owner;
            rc = ngx_olivine_tx_commit(tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);

        if (rc != NGX_AGAIN) {
            break;
        }

        (void) ngx_olivine_tx_fetch(tx);
    }

    ngx_olivine_tx_fetched(tx);

    return rc;
}


void
ngx_olivine_bus_close(ngx_olivine_tx_t *tx, ngx_olivine_bus_row_t *row)
{
    ngx_olivine_tx_lock_rows(tx);

    /* the chain is private to the row, and its end is part of it */

    ngx_olivine_bus_chain(tx, row->more);
    ngx_olivine_row_give(tx, ngx_olivine_row_number(tx->zone, row));

    (void) ngx_olivine_tx_commit(tx, NULL, 0, 0);
    ngx_olivine_tx_unlock(tx);
}


void
ngx_olivine_bus_none(ngx_olivine_bus_row_t *row)
{
    uint32_t  owner;

    owner = row->owner;

    ngx_memzero(row, sizeof(ngx_olivine_bus_row_t));

    row->owner = owner;
    row->fd = -1;
    row->multi = -1;
}


ngx_int_t
ngx_olivine_bus_set(ngx_olivine_tx_t *tx, ngx_olivine_bus_row_t *row,
    ngx_olivine_bus_text_e which, ngx_str_t *text)
{
    u_char      old[NGX_OLIVINE_BUS_BYTES], new[NGX_OLIVINE_BUS_BYTES];
    u_char     *from, *to;
    uint16_t    len[NGX_OLIVINE_BUS_TEXTS];
    ngx_uint_t  i;

    /* in this order, should the transaction have more to do afterwards */

    if (ngx_olivine_tx_lock_heap(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    (void) ngx_olivine_bus_gather(tx->zone, row, old);

    from = old;
    to = new;

    for (i = 0; i < NGX_OLIVINE_BUS_TEXTS; i++) {
        len[i] = row->len[i];

        if (i == which) {
            len[i] = ngx_min(text->len, NGX_OLIVINE_BUS_TEXT);
            to = ngx_cpymem(to, text->data, len[i]);

        } else {
            to = ngx_cpymem(to, from, len[i]);
        }

        from += row->len[i];
    }

    return ngx_olivine_bus_put(tx, row, len, new);
}


void
ngx_olivine_bus_get(ngx_olivine_zone_t *zone, ngx_olivine_bus_row_t *row,
    ngx_olivine_bus_text_e which, ngx_str_t *text, u_char *buf)
{
    size_t      at;
    u_char      bytes[NGX_OLIVINE_BUS_BYTES];
    ngx_uint_t  i;

    at = 0;

    for (i = 0; i < (ngx_uint_t) which; i++) {
        at += row->len[i];
    }

    text->len = row->len[which];
    text->data = buf;

    if (at + text->len <= NGX_OLIVINE_BUS_INLINE) {
        ngx_memcpy(buf, row->text + at, text->len);
        return;
    }

    (void) ngx_olivine_bus_gather(zone, row, bytes);
    ngx_memcpy(buf, bytes + at, text->len);
}


void
ngx_olivine_bus_command(ngx_olivine_bus_row_t *row, const ngx_str_t *name)
{
    row->seq++;
    ngx_olivine_barrier();

    row->command_len = ngx_min(name->len, NGX_OLIVINE_BUS_COMMAND);
    ngx_memcpy(row->command, name->data, row->command_len);

    ngx_olivine_barrier();
    row->seq++;
}


ngx_int_t
ngx_olivine_bus_read(ngx_olivine_tx_t *tx, uint32_t n,
    ngx_olivine_bus_client_t *client)
{
    u_char                 *p;
    ngx_uint_t              i, slot, held;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_bus_row_t  *row;

    zone = tx->zone;

    if (n >= zone->rows.high) {
        return NGX_DECLINED;
    }

    row = (ngx_olivine_bus_row_t *) ngx_olivine_row_at(zone, n);

    if (row->owner == 0) {
        return NGX_DECLINED;
    }

    held = tx->rows;
    ngx_olivine_tx_lock_rows(tx);

    for (i = 0; i < NGX_OLIVINE_BUS_READS; i++) {
        client->row = *row;
        ngx_olivine_barrier();

        /* its owner needs no lock for the command's name */

        if (!(client->row.seq & 1)
            && client->row.seq == row->seq)
        {
            break;
        }
    }

    if (client->row.owner && client->row.id) {
        (void) ngx_olivine_bus_gather(zone, &client->row, client->bytes);
    }

    if (!held) {
        ngx_olivine_tx_unlock_rows(tx);
    }

    if (client->row.owner == 0 || client->row.id == 0
        || client->row.orders & NGX_OLIVINE_BUS_KILL)
    {
        return NGX_DECLINED;
    }

    slot = ngx_olivine_lock_slot(client->row.owner);

    if (client->row.owner != tx->owner
        && (ngx_olivine_slot_dead(zone, slot)
            || client->row.owner
               != ngx_olivine_lock_owner(slot, ngx_olivine_slot_at(zone, slot)
                                                   ->generation)))
    {
        return NGX_DECLINED;
    }

    p = client->bytes;

    for (i = 0; i < NGX_OLIVINE_BUS_TEXTS; i++) {
        client->texts[i].len = client->row.len[i];
        client->texts[i].data = p;
        p += client->row.len[i];
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_bus_order(ngx_olivine_tx_t *tx, uint32_t n, uint64_t id,
    uint32_t orders)
{
    ngx_int_t               rc;
    ngx_uint_t              held;
    ngx_olivine_slot_t     *slot;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_bus_row_t  *row;

    zone = tx->zone;
    row = (ngx_olivine_bus_row_t *) ngx_olivine_row_at(zone, n);
    rc = NGX_DECLINED;

    held = tx->rows;
    ngx_olivine_tx_lock_rows(tx);

    if (row->owner && row->id == id) {
        slot = ngx_olivine_slot_at(zone, ngx_olivine_lock_slot(row->owner));

        (void) __atomic_fetch_or(&row->orders, orders, __ATOMIC_ACQ_REL);
        (void) __atomic_fetch_add(&slot->ordered, 1, __ATOMIC_ACQ_REL);
        rc = NGX_OK;
    }

    if (!held) {
        ngx_olivine_tx_unlock_rows(tx);
    }

    return rc;
}


/* Stores all texts anew; the rows of the old ones are given back. */

static ngx_int_t
ngx_olivine_bus_put(ngx_olivine_tx_t *tx, ngx_olivine_bus_row_t *row,
    uint16_t *len, u_char *bytes)
{
    size_t              total, n, at;
    uint32_t            first, next, number;
    ngx_int_t           rc;
    ngx_uint_t          i;
    ngx_olivine_row_t  *more;

    rc = ngx_olivine_tx_room(tx, NGX_OLIVINE_BUS_JOURNAL);
    if (rc != NGX_OK) {
        return rc;
    }

    total = 0;

    for (i = 0; i < NGX_OLIVINE_BUS_TEXTS; i++) {
        total += len[i];
    }

    /* from the last to the first, each naming the next */

    next = 0;
    first = ngx_min(total, NGX_OLIVINE_BUS_INLINE);

    for (at = total; at > first; at -= n) {
        n = (at - first) % NGX_OLIVINE_BUS_PIECE;

        if (n == 0) {
            n = NGX_OLIVINE_BUS_PIECE;
        }

        rc = ngx_olivine_row_take(tx, &number);
        if (rc != NGX_OK) {
            return rc;
        }

        more = ngx_olivine_row_at(tx->zone, number);
        ngx_memzero(more->body, 8);
        ngx_memcpy(more->body + 8, bytes + at - n, n);
        more->next = next;
        next = number;
    }

    ngx_olivine_tx_lock_rows(tx);

    number = row->more;

    ngx_olivine_tx_set32(tx, &row->more, next);
    ngx_olivine_tx_set(tx, row->len, len, sizeof(row->len));
    ngx_olivine_tx_set(tx, row->text, bytes, NGX_OLIVINE_BUS_INLINE);

    ngx_olivine_bus_chain(tx, number);

    return NGX_OK;
}


/* In a transaction that holds the lock: gives back a chain of rows. */

static void
ngx_olivine_bus_chain(ngx_olivine_tx_t *tx, uint32_t n)
{
    uint32_t  next;

    for ( /* void */ ; n; n = next) {
        next = ngx_olivine_row_at(tx->zone, n)->next;
        ngx_olivine_row_give(tx, n);
    }
}


/* Copies all texts of a row; their length. */

static size_t
ngx_olivine_bus_gather(ngx_olivine_zone_t *zone, ngx_olivine_bus_row_t *row,
    u_char *to)
{
    size_t              left, n, total;
    uint32_t            more;
    ngx_uint_t          i;
    ngx_olivine_row_t  *r;

    total = 0;

    for (i = 0; i < NGX_OLIVINE_BUS_TEXTS; i++) {
        total += row->len[i];
    }

    n = ngx_min(total, NGX_OLIVINE_BUS_INLINE);
    to = ngx_cpymem(to, row->text, n);

    for (left = total - n, more = row->more; left && more; left -= n) {
        r = ngx_olivine_row_at(zone, more);
        n = ngx_min(left, NGX_OLIVINE_BUS_PIECE);
        to = ngx_cpymem(to, r->body + 8, n);
        more = r->next;
    }

    return total;
}
