
/*
 * Copyright (C) The Olivine authors
 *
 * CLIENT INFO, LIST and KILL: clients of all workers, as their rows tell.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_client_filter.h"


/* a client's row, by its age */
typedef struct {
    uint64_t    id;
    uint32_t    n;
} ngx_olivine_client_place_t;


typedef struct {
    ngx_olivine_client_filter_t  *filter;
    ngx_olivine_buffer_t         *b;         /* LIST, or NULL */
    int64_t                       killed;
} ngx_olivine_client_walk_t;


static ngx_int_t ngx_olivine_client_places(ngx_olivine_cx_t *cx,
    ngx_olivine_client_place_t **places, ngx_uint_t *n);
static ngx_uint_t ngx_olivine_client_thread(ngx_olivine_zone_t *zone,
    uint32_t owner);
static int ngx_libc_cdecl ngx_olivine_client_place_compare(const void *one,
    const void *two);
static ngx_int_t ngx_olivine_client_walk(ngx_olivine_cx_t *cx,
    ngx_olivine_client_walk_t *walk);
static void ngx_olivine_client_print(ngx_olivine_cx_t *cx,
    ngx_olivine_bus_client_t *client, ngx_olivine_buffer_t *b);
static ngx_int_t ngx_olivine_client_kill_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);


ngx_int_t
ngx_olivine_cmd_client_info(ngx_olivine_cx_t *cx)
{
    uint32_t                   n;
    ngx_int_t                  rc;
    ngx_olivine_buffer_t       b;
    ngx_olivine_bus_client_t   client;

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    n = ngx_olivine_row_number(cx->zone, cx->caller->row);

    if (ngx_olivine_bus_read(cx->tx, n, &client) == NGX_OK) {
        ngx_olivine_client_print(cx, &client, &b);
    }

    rc = b.failed ? NGX_ERROR
                  : ngx_olivine_reply_verbatim(cx->reply, "txt", b.data,
                                               b.len);

    ngx_olivine_buffer_free(&b);

    return rc;
}


ngx_int_t
ngx_olivine_cmd_client_list(ngx_olivine_cx_t *cx)
{
    ngx_int_t                     rc;
    ngx_olivine_buffer_t          b;
    ngx_olivine_client_walk_t     walk;
    ngx_olivine_client_filter_t   filter;

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    walk.filter = &filter;
    walk.b = &b;

    rc = ngx_olivine_client_filter_parse(cx, &filter, 0);

    if (rc == NGX_OK) {
        rc = ngx_olivine_client_walk(cx, &walk);
    }

    if (rc == NGX_OK) {
        rc = b.failed ? NGX_ERROR
                      : ngx_olivine_reply_verbatim(cx->reply, "txt", b.data,
                                                   b.len);
    }

    ngx_olivine_client_filter_free(&filter);
    ngx_olivine_buffer_free(&b);

    return rc;
}


/*
 * CLIENT KILL addr:port, which answers OK, or with terms, which answers the
 * number of those killed.  Who kills itself gets its reply first.
 */

ngx_int_t
ngx_olivine_cmd_client_kill(ngx_olivine_cx_t *cx)
{
    ngx_int_t                     rc;
    ngx_olivine_client_walk_t     walk;
    ngx_olivine_client_term_t    *addr;
    ngx_olivine_client_filter_t   filter;

    if (cx->argc == 3) {
        ngx_memzero(&filter, sizeof(ngx_olivine_client_filter_t));

        addr = &filter.terms[0][NGX_OLIVINE_CLIENT_BY_ADDR];
        addr->given = 1;
        addr->arg = 2;

        rc = NGX_OK;

    } else {
        rc = ngx_olivine_client_filter_parse(cx, &filter, 1);
    }

    walk.filter = &filter;
    walk.b = NULL;

    if (rc == NGX_OK) {
        rc = ngx_olivine_cx_in_zone(cx, ngx_olivine_client_kill_part, &walk);
    }

    ngx_olivine_client_filter_free(&filter);

    if (rc != NGX_OK) {
        return rc;
    }

    if (cx->argc > 3) {
        return ngx_olivine_reply_integer(cx->reply, walk.killed);
    }

    if (walk.killed == 0) {
        return ngx_olivine_cx_error(cx, "ERR No such client");
    }

    return ngx_olivine_reply_ok(cx->reply);
}


static ngx_int_t
ngx_olivine_client_kill_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_int_t                   rc;
    ngx_olivine_client_walk_t  *walk = data;

    walk->killed = 0;

    rc = ngx_olivine_client_walk(cx, walk);

    if (walk->killed) {
        ngx_olivine_cx_ring(cx, NGX_OLIVINE_HINT_CLIENTS);
    }

    return rc;
}


/* Prints or kills what passes the filter, the oldest client first. */

static ngx_int_t
ngx_olivine_client_walk(ngx_olivine_cx_t *cx, ngx_olivine_client_walk_t *walk)
{
    uint64_t                     id;
    ngx_uint_t                   i, n;
    ngx_olivine_bus_client_t     client;
    ngx_olivine_client_place_t  *places;

    if (ngx_olivine_client_places(cx, &places, &n) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {

        id = places[i].id;

        if (ngx_olivine_bus_read(cx->tx, places[i].n, &client) != NGX_OK
            || client.row.id != id
            || !ngx_olivine_client_filter_match(cx, walk->filter, &client))
        {
            continue;
        }

        if (walk->b) {
            ngx_olivine_client_print(cx, &client, walk->b);
            continue;
        }

        if (id == cx->caller->id) {
            cx->caller->close = 1;
            walk->killed++;
            continue;
        }

        if (ngx_olivine_bus_order(cx->tx, places[i].n, id,
                                  NGX_OLIVINE_BUS_KILL)
            == NGX_OK)
        {
            walk->killed++;
        }
    }

    if (places) {
        ngx_free(places);
    }

    return NGX_OK;
}


/* All rows that may be clients; what they are is looked at later. */

static ngx_int_t
ngx_olivine_client_places(ngx_olivine_cx_t *cx,
    ngx_olivine_client_place_t **places, ngx_uint_t *n)
{
    uint32_t                i, high;
    ngx_olivine_zone_t     *zone;
    ngx_olivine_bus_row_t  *row;

    zone = cx->zone;
    high = zone->rows.high;

    *n = 0;
    *places = ngx_alloc(high * sizeof(ngx_olivine_client_place_t),
                        ngx_cycle->log);
    if (*places == NULL) {
        return NGX_ERROR;
    }

    for (i = 1; i < high; i++) {
        row = (ngx_olivine_bus_row_t *) ngx_olivine_row_at(zone, i);

        if (row->owner && row->id) {
            (*places)[*n].id = row->id;
            (*places)[*n].n = i;
            (*n)++;
        }
    }

    qsort(*places, *n, sizeof(ngx_olivine_client_place_t),
          ngx_olivine_client_place_compare);

    return NGX_OK;
}


static int ngx_libc_cdecl
ngx_olivine_client_place_compare(const void *one, const void *two)
{
    uint64_t  a, b;

    a = ((ngx_olivine_client_place_t *) one)->id;
    b = ((ngx_olivine_client_place_t *) two)->id;

    return (a > b) - (a < b);
}


/* The line that Redis 8 prints, and Valkey's three totals behind it. */

static void
ngx_olivine_client_print(ngx_olivine_cx_t *cx,
    ngx_olivine_bus_client_t *client, ngx_olivine_buffer_t *b)
{
    size_t                  n, block;
    u_char                  flags[NGX_OLIVINE_CLIENT_FLAGS];
    ngx_str_t              *text, command;
    ngx_olivine_bus_row_t  *row;

    row = &client->row;
    text = client->texts;

    command.len = row->command_len;
    command.data = row->command;

    if (row->id == cx->caller->id) {
        command = cx->command->name;                /* that is this one */
    }

    if (command.len == 0) {
        ngx_str_set(&command, "NULL");
    }

    n = ngx_olivine_client_flags(client, flags);
    block = row->output ? NGX_OLIVINE_REPLY_BLOCK : 0;

    ngx_olivine_buffer_print(b, "id=%uL addr=%V laddr=%V fd=%d name=", row->id,
                             &text[NGX_OLIVINE_BUS_ADDR],
                             &text[NGX_OLIVINE_BUS_LADDR], row->fd);

    ngx_olivine_buffer_add(b, text[NGX_OLIVINE_BUS_NAME].data,
                           text[NGX_OLIVINE_BUS_NAME].len);

    ngx_olivine_buffer_print(b,
                       " age=%L idle=%L flags=%*s db=%uD sub=0 psub=0 ssub=0"
                       " multi=%D watch=%uD qbuf=%uD qbuf-free=%uD"
                       " argv-mem=%uD multi-mem=%uD rbs=%uz rbp=%uD obl=%uD"
                       " oll=%uD omem=%uD tot-mem=%uL events=%s cmd=%V"
                       " user=default redir=-1 resp=%d lib-name=",
                       ngx_max((cx->now - row->created) / 1000, 0),
                       ngx_max((cx->now - row->seen) / 1000, 0), n, flags,
                       row->db, row->multi, row->watch, row->input,
                       row->input_free, row->args, row->multi_mem, block,
                       ngx_max(row->peak, row->output), row->output,
                       row->blocks, row->output_mem,
                       (uint64_t) row->memory + row->output
                       + row->output_mem,
                       row->output + row->output_mem ? "rw" : "r", &command,
                       row->flags & NGX_OLIVINE_BUS_RESP3 ? 3 : 2);

    ngx_olivine_buffer_add(b, text[NGX_OLIVINE_BUS_LIB_NAME].data,
                           text[NGX_OLIVINE_BUS_LIB_NAME].len);

    ngx_olivine_buffer_print(b, " lib-ver=");

    ngx_olivine_buffer_add(b, text[NGX_OLIVINE_BUS_LIB_VER].data,
                           text[NGX_OLIVINE_BUS_LIB_VER].len);

    ngx_olivine_buffer_print(b, " io-thread=%ui tot-net-in=%uL tot-net-out=%uL"
                             " tot-cmds=%uL\n",
                             ngx_olivine_client_thread(cx->zone, row->owner),
                             row->bytes_in, row->bytes_out, row->commands);
}


/* The number that its worker has in INFO's section of threads. */

static ngx_uint_t
ngx_olivine_client_thread(ngx_olivine_zone_t *zone, uint32_t owner)
{
    ngx_uint_t  i, n, slot;

    slot = ngx_olivine_lock_slot(owner);
    n = 0;

    for (i = 0; i < slot; i++) {
        n += ngx_olivine_slot_at(zone, i)->state == NGX_OLIVINE_SLOT_LIVE;
    }

    return n;
}
