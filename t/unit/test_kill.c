
/*
 * Copyright (C) The Olivine authors
 *
 * A worker dies at every step of everything it does to the zone, and those
 * that recover it die at theirs: the keyspace must read as if the command had
 * never begun, or had been done whole, and the audit find nothing.
 */

/* layer: command */


#include "zone.h"

#include "bus/ngx_olivine_bus.h"
#include "store/ngx_olivine_snapshot.h"
#include "store/ngx_olivine_watch.h"

#include <sys/wait.h>


/*
 * Of a worker's steps one in so many has its death, and of those one in
 * KILL_NESTED the deaths of recoverers; with a sanitizer a fork takes long.
 * KILL_STRIDE=1 in the environment tries all (make soak).
 */
#if (NGX_OLIVINE_ASAN)
#define KILL_NESTED   19
#define KILL_STRIDE   13
#else
#define KILL_NESTED   7
#define KILL_STRIDE   4
#endif


static uint64_t  kill_stride = KILL_STRIDE;


typedef struct {
    const char     *name;
    ngx_uint_t      shards;
    ngx_uint_t      log;        /* a reader is attached */
    void          (*prepare)(unit_zone_t *z);
    void          (*act)(ngx_olivine_tx_t *tx);
    ngx_uint_t      snapshot;   /* one is there, and is to be of its instant */
    ngx_uint_t      sampled;    /* all memory is */
} kill_t;


/* What a walker of a snapshot has seen. */
typedef struct {
    ngx_olivine_zone_t  *zone;
    ngx_uint_t           shard;
    ngx_uint_t           nholds;
    uint32_t             holds[64];
    u_char               digest[4][20];
    ngx_olivine_walk_t   walk;
    ngx_int_t            rc;
} seen_t;


typedef struct {
    const char     *key;
    const char     *value;
    size_t          len;
    int64_t         expire;
    ngx_uint_t      n;
} pair_t;


static u_char  big[300000];


static ngx_int_t
part_set(ngx_olivine_tx_t *tx, void *data)
{
    pair_t               *p = data;
    ngx_int_t             rc;
    ngx_str_t             key;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    key.data = (u_char *) p->key;
    key.len = strlen(p->key);

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_string_set(&value, p->value ? (u_char *) p->value : big,
                           p->value ? strlen(p->value) : p->len);

    return ngx_olivine_store_set_locked(tx, &ref, &value, p->expire, 1);
}


static ngx_int_t
part_delete(ngx_olivine_tx_t *tx, void *data)
{
    pair_t             *p = data;
    ngx_int_t           rc;
    ngx_str_t           key;
    ngx_olivine_ref_t   ref;

    key.data = (u_char *) p->key;
    key.len = strlen(p->key);

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);

    if (rc == NGX_OK && ref.entry) {
        rc = ngx_olivine_store_delete_locked(tx, &ref);
    }

    return rc;
}


static ngx_int_t
part_append(ngx_olivine_tx_t *tx, void *data)
{
    pair_t             *p = data;
    ngx_int_t           rc;
    ngx_str_t           key, text;
    ngx_olivine_ref_t   ref;

    key.data = (u_char *) p->key;
    key.len = strlen(p->key);
    text.data = big;
    text.len = p->len;

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        rc = ngx_olivine_store_append_locked(tx, &ref, &text, 1);
    }

    return rc;
}


/* p->n: the offset */

static ngx_int_t
part_write(ngx_olivine_tx_t *tx, void *data)
{
    pair_t             *p = data;
    ngx_int_t           rc;
    ngx_str_t           key, text;
    ngx_olivine_ref_t   ref;

    key.data = (u_char *) p->key;
    key.len = strlen(p->key);
    text.data = (u_char *) "written over it";
    text.len = p->len;

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        rc = ngx_olivine_store_write_locked(tx, &ref, p->n, &text, 1);
    }

    return rc;
}


/* Several keys in one transaction, their shards in order. */

static ngx_int_t
part_many(ngx_olivine_tx_t *tx, void *data)
{
    char        name[32];
    pair_t      one, *p = data;
    ngx_int_t   rc;
    ngx_uint_t  i;

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    for (i = 0; i < p->n; i++) {
        sprintf(name, "many:%d", (int) i);
        one = *p;
        one.key = name;

        rc = part_set(tx, &one);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
part_delete_many(ngx_olivine_tx_t *tx, void *data)
{
    char        name[32];
    pair_t      one, *p = data;
    ngx_int_t   rc;
    ngx_uint_t  i;

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    for (i = 0; i < p->n; i++) {
        sprintf(name, "many:%d", (int) i);
        one.key = name;

        rc = part_delete(tx, &one);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
part_flush(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    rc = ngx_olivine_tx_lock_all(tx);

    for (i = 0; rc == NGX_OK && i < tx->zone->nshards; i++) {
        rc = ngx_olivine_store_flush_locked(tx,
                                     ngx_olivine_store_shard(tx->zone, i), 0);
    }

    return rc;
}


static ngx_int_t
part_free(ngx_olivine_tx_t *tx, void *data)
{
    ngx_uint_t  *n = data;
    ngx_int_t    rc;

    if (ngx_olivine_tx_lock_shard(tx, n[0]) != NGX_OK) {
        return NGX_AGAIN;
    }

    rc = ngx_olivine_store_free_locked(tx,
                               ngx_olivine_store_shard(tx->zone, n[0]), 4);
    n[1] = (rc == NGX_OK);

    return rc == NGX_DECLINED ? NGX_OK : rc;
}


static ngx_int_t
part_due(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t           rc;
    ngx_uint_t          n;
    ngx_olivine_ref_t   ref;

    if (ngx_olivine_tx_lock_shard(tx, 0) != NGX_OK) {
        return NGX_AGAIN;
    }

    for (n = 0; n < 100; n++) {
        rc = ngx_olivine_store_due_locked(tx,
                                          ngx_olivine_store_shard(tx->zone, 0),
                                          0, UNIT_NOW + 10000, &ref);
        if (rc == NGX_BUSY) {
            continue;
        }

        if (rc != NGX_OK) {
            return rc == NGX_DECLINED ? NGX_OK : rc;
        }

        rc = ngx_olivine_store_delete_locked(tx, &ref);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
part_pin(ngx_olivine_tx_t *tx, void *data)
{
    uint32_t             *index = data;
    ngx_int_t             rc;
    ngx_str_t             key = ngx_string("big");
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_entry_value(tx->zone, ref.entry, &value);

    return ngx_olivine_pin(tx, value.page, index);
}


static ngx_int_t
part_adopt(ngx_olivine_tx_t *tx, void *data)
{
    uint32_t             *index = data;
    ngx_int_t             rc;
    ngx_str_t             key = ngx_string("adopted");
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    ngx_olivine_string_set_raw(&value, NULL, 100000);
    value.receipt = *index + 1;

    return ngx_olivine_store_set_locked(tx, &ref, &value, 0, 1);
}


/* To another name, perhaps of another shard; n is the database. */

static ngx_int_t
part_move(ngx_olivine_tx_t *tx, void *data)
{
    pair_t             *p = data;
    ngx_str_t           from, to;
    ngx_olivine_ref_t   a, b;

    from.data = (u_char *) p->key;
    from.len = strlen(p->key);
    to.data = (u_char *) p->value;
    to.len = strlen(p->value);

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    ngx_olivine_store_find_locked(tx, 0, &from,
                                  ngx_olivine_store_hash(tx->zone, &from),
                                  UNIT_NOW, &a);
    ngx_olivine_store_find_locked(tx, p->n, &to,
                                  ngx_olivine_store_hash(tx->zone, &to),
                                  UNIT_NOW, &b);

    return a.entry ? ngx_olivine_store_move_locked(tx, &a, &b, 1) : NGX_OK;
}


static ngx_int_t
part_swap(ngx_olivine_tx_t *tx, void *data)
{
    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_store_swap_locked(tx, 0, 1);
}


/* what stands there before */

static void
prepare_few(unit_zone_t *z)
{
    char        name[32];
    pair_t      p;
    ngx_uint_t  i;

    for (i = 0; i < 8; i++) {
        sprintf(name, "few:%d", (int) i);
        p = (pair_t) { name, "some value", 0, 0, 0 };
        assert_int_equal(unit_tx(z->tx, part_set, &p), NGX_OK);
    }

    p = (pair_t) { "big", NULL, 100000, 0, 0 };
    assert_int_equal(unit_tx(z->tx, part_set, &p), NGX_OK);

    p = (pair_t) { "ttl", "x", 0, UNIT_NOW + 5000, 0 };
    assert_int_equal(unit_tx(z->tx, part_set, &p), NGX_OK);

    p = (pair_t) { "later", "x", 0, UNIT_NOW + 50000, 0 };
    assert_int_equal(unit_tx(z->tx, part_set, &p), NGX_OK);
}


/* as many keys as the buckets hold: the next one splits */

static void
prepare_full(unit_zone_t *z)
{
    char        name[32];
    pair_t      p;
    ngx_uint_t  i;

    for (i = 0; i < 64 * NGX_OLIVINE_TABLE_GROW; i++) {
        sprintf(name, "many:%d", (int) i);
        p = (pair_t) { name, "v", 0, i % 3 ? 0 : UNIT_NOW + 90000, 0 };
        assert_int_equal(unit_tx(z->tx, part_set, &p), NGX_OK);
    }
}


static void
prepare_detached(unit_zone_t *z)
{
    prepare_few(z);
    assert_int_equal(unit_tx(z->tx, part_flush, NULL), NGX_OK);
}


static ngx_uint_t
kill_rows(unit_zone_t *z)
{
    uint32_t    n;
    ngx_uint_t  used;

    for (n = 1, used = 0; n < z->zone->rows.high; n++) {
        used += (ngx_olivine_row_at(z->zone, n)->owner != 0);
    }

    return used;
}


/* clients of a worker that lives, and rows that are free again */

static void
prepare_clients(unit_zone_t *z)
{
    ngx_str_t               addr = { 300, big };
    ngx_uint_t              i;
    ngx_olivine_bus_row_t  *rows[4];

    prepare_few(z);

    for (i = 0; i < 4; i++) {
        assert_int_equal(ngx_olivine_bus_open(z->tx, &addr, &addr, &rows[i]),
                         NGX_OK);
        rows[i]->id = i + 1;
    }

    ngx_olivine_bus_close(z->tx, rows[1]);
    ngx_olivine_bus_close(z->tx, rows[3]);
}


/* what is done while dying */

static const char  *record;


static void
act_run(ngx_olivine_tx_t *tx, unit_part_pt part, void *data)
{
    (void) unit_tx_log(tx, part, data, record);
}


static void
act_set_new(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "new", "value", 0, 0, 0 };

    act_run(tx, part_set, &p);
}


static void
act_set_expiring(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "new", "value", 0, UNIT_NOW + 1000, 0 };

    act_run(tx, part_set, &p);
}


static void
act_overwrite(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "few:3", "another v.", 0, 0, 0 };

    act_run(tx, part_set, &p);
}


static void
act_replace(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "few:3", "a value that takes a cell of another class", 0,
                  UNIT_NOW + 700, 0 };

    act_run(tx, part_set, &p);
}


static void
act_delete(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "ttl", NULL, 0, 0, 0 };

    act_run(tx, part_delete, &p);
}


static void
act_big(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "big", NULL, 200000, 0, 0 };

    act_run(tx, part_set, &p);
}


static void
act_append(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "few:1", NULL, 40000, 0, 0 };

    act_run(tx, part_append, &p);
}


static void
act_append_run(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "big", NULL, 40000, 0, 0 };

    act_run(tx, part_append, &p);
}


static void
act_write(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "few:1", NULL, 5, 0, 3 };

    act_run(tx, part_write, &p);
}


static void
act_write_behind(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "few:1", NULL, 15, 0, 400 };

    act_run(tx, part_write, &p);
}


static void
act_write_run(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "big", NULL, 15, 0, 50000 };

    act_run(tx, part_write, &p);
}


static void
act_write_run_behind(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "big", NULL, 15, 0, 150000 };

    act_run(tx, part_write, &p);
}


static void
act_many(ngx_olivine_tx_t *tx)
{
    pair_t  p = { NULL, "v", 0, 0, 24 };

    act_run(tx, part_many, &p);
}


/* more than the slot's own journal has room for */

static void
act_grow_journal(ngx_olivine_tx_t *tx)
{
    pair_t  p = { NULL, "v", 0, 0, 600 };

    act_run(tx, part_many, &p);
    ngx_olivine_tx_relax(tx);
}


static void
act_split(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "split", "v", 0, 0, 0 };

    act_run(tx, part_set, &p);
}


static void
act_merge(ngx_olivine_tx_t *tx)
{
    pair_t  p = { NULL, NULL, 0, 0, 300 };

    act_run(tx, part_delete_many, &p);
}


static void
act_free(ngx_olivine_tx_t *tx)
{
    ngx_uint_t  n[2];

    for (n[0] = 0; n[0] < tx->zone->nshards; n[0]++) {
        do {
            act_run(tx, part_free, n);
        } while (n[1]);
    }
}


static void
act_expire(ngx_olivine_tx_t *tx)
{
    act_run(tx, part_due, NULL);
}


static void
act_heap(ngx_olivine_tx_t *tx)
{
    (void) ngx_olivine_heap_grow(tx, 300);

    while (ngx_olivine_heap_trim(tx, 16) == NGX_OK) { /* void */ }
}


static void
act_pin(ngx_olivine_tx_t *tx)
{
    pair_t    p = { "big", "small", 0, 0, 0 };
    uint32_t  index;

    act_run(tx, part_pin, &index);
    act_run(tx, part_set, &p);

    (void) ngx_olivine_unpin(tx, index);
}


static void
act_receive(ngx_olivine_tx_t *tx)
{
    uint32_t   index;
    ngx_int_t  rc;

    do {
        rc = ngx_olivine_receipt_open(tx, 40000, &index);
    } while (rc == NGX_AGAIN && ngx_olivine_tx_fetch(tx) == NGX_OK);

    do {
        rc = ngx_olivine_receipt_extend(tx, index, 40000, 120000);
    } while (rc == NGX_AGAIN && ngx_olivine_tx_fetch(tx) == NGX_OK);

    act_run(tx, part_adopt, &index);

    (void) ngx_olivine_receipt_close(tx, index);
}


static void
act_rename(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "big", "large", 0, 0, 0 };

    act_run(tx, part_move, &p);
}


static void
act_rename_over(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "ttl", "big", 0, 0, 0 };

    act_run(tx, part_move, &p);
}


static void
act_move(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "later", "later", 0, 0, 1 };

    act_run(tx, part_move, &p);
}


static void
act_swap(ngx_olivine_tx_t *tx)
{
    act_run(tx, part_swap, NULL);
}


static void
act_gate(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "new", "value", 0, 0, 0 };

    (void) ngx_olivine_gate_raise(tx, NGX_OLIVINE_GATE_WALK, UNIT_NOW);
    act_run(tx, part_set, &p);
    ngx_olivine_gate_lower(tx);
}


/* A watched key that is changed, or not; rows come, are marked, and go. */

static ngx_int_t
part_watch(ngx_olivine_tx_t *tx, void *data)
{
    ngx_olivine_watch_t **watch = data;

    ngx_int_t           rc;
    ngx_str_t           key = ngx_string("few:5");
    ngx_olivine_ref_t   ref;

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        rc = ngx_olivine_watch_add_locked(tx, &ref, 1 + (watch[1] != NULL),
                                          watch);
    }

    return rc;
}


static ngx_int_t
part_unwatch(ngx_olivine_tx_t *tx, void *data)
{
    ngx_olivine_watch_t **watch = data;

    ngx_uint_t  n;

    n = ngx_olivine_store_number(tx->zone, (*watch)->hash);

    if (ngx_olivine_tx_lock_shard(tx, n) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_watch_remove_locked(tx, *watch);
}


static void
act_watch(ngx_olivine_tx_t *tx)
{
    pair_t                p = { "few:5", "changed", 0, 0, 0 };
    ngx_olivine_watch_t  *one[2] = { NULL, NULL };
    ngx_olivine_watch_t  *two[2] = { NULL, (void *) 1 };

    (void) unit_tx(tx, part_watch, one);
    (void) unit_tx(tx, part_watch, two);

    act_run(tx, part_set, &p);

    (void) unit_tx(tx, part_unwatch, one);
    (void) unit_tx(tx, part_unwatch, two);
}


static ngx_int_t
part_prune(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_shard_t  *shard;

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    for (i = 0; i < tx->zone->nshards; i++) {
        shard = ngx_olivine_store_shard(tx->zone, i);

        rc = ngx_olivine_watch_prune_locked(tx, shard);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
part_name(ngx_olivine_tx_t *tx, void *data)
{
    ngx_str_t               name;
    ngx_olivine_bus_row_t  *row = data;

    name.data = big;
    name.len = row->len[NGX_OLIVINE_BUS_NAME] ? 3 : 700;

    return ngx_olivine_bus_set(tx, row, NGX_OLIVINE_BUS_NAME, &name);
}


static void
act_client(ngx_olivine_tx_t *tx)
{
    ngx_str_t               addr = { 100, big };
    ngx_uint_t              i;
    ngx_olivine_bus_row_t  *row[3];

    for (i = 0; i < 3; i++) {
        if (ngx_olivine_bus_open(tx, &addr, &addr, &row[i]) != NGX_OK) {
            _exit(1);
        }

        row[i]->id = 100 + i;
    }

    act_run(tx, part_name, row[0]);
    act_run(tx, part_name, row[0]);
    act_run(tx, part_name, row[2]);

    ngx_olivine_bus_close(tx, row[1]);
    ngx_olivine_bus_close(tx, row[0]);

    /* the last one is swept */
}


/* The log keeps a value by a pin and has a copy of other bytes. */

#define KILL_RECORD  "*2\r\n$4\r\n________\r\n$4\r\n________\r\n"


static ngx_int_t
part_payloads(ngx_olivine_tx_t *tx, void *data)
{
    pair_t *p = data;

    ngx_int_t             rc;
    ngx_str_t             key;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    rc = part_set(tx, p);

    if (rc != NGX_OK || record == NULL) {
        return rc;
    }

    key.data = (u_char *) p->key;
    key.len = strlen(p->key);

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        ngx_olivine_entry_value(tx->zone, ref.entry, &value);
        rc = ngx_olivine_payload_add(tx, 8, value.text.data, value.text.len);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_payload_add(tx, 22, big, 20000);
    }

    return rc;
}


static void
act_payloads(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "big", NULL, 200000, 0, 0 };

    if (record) {
        record = KILL_RECORD;
    }

    act_run(tx, part_payloads, &p);
}


/* The same value again, so only the log changes; then it is let go of. */

static void
act_advance(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "big", NULL, 100000, 0, 0 };

    if (record) {
        record = KILL_RECORD;
    }

    act_run(tx, part_payloads, &p);
    act_run(tx, part_payloads, &p);

    if (record) {
        ngx_olivine_ring_advance(tx, 0, tx->zone->ring.tail);
    }
}


static ngx_int_t
part_snapshot(ngx_olivine_tx_t *tx, void *data)
{
    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_snapshot_begin_locked(tx);
}


static void
kill_visit(void *data, ngx_uint_t db, ngx_olivine_entry_t *e,
    ngx_olivine_value_t *value, uint32_t hold)
{
    seen_t *seen = data;

    u_char  one[20];

    if (hold) {
        assert_true(seen->nholds < 64);
        seen->holds[seen->nholds++] = hold - 1;
    }

    if (!seen->walk.dry) {
        ngx_olivine_store_digest_entry(seen->zone, e, 1, one);
        ngx_olivine_digest_xor(seen->digest[db], one, 20);
    }
}


static ngx_int_t
part_walk(ngx_olivine_tx_t *tx, void *data)
{
    seen_t *seen = data;

    if (ngx_olivine_tx_lock_shard(tx, seen->shard) != NGX_OK) {
        return NGX_AGAIN;
    }

    seen->rc = ngx_olivine_snapshot_walk_locked(tx,
                           ngx_olivine_store_shard(tx->zone, seen->shard),
                           &seen->walk, kill_visit, seen);

    return seen->rc == NGX_DECLINED ? NGX_OK : seen->rc;
}


/* Each shard to its end; digest as unit_digest() has it. */

static void
kill_walk(ngx_olivine_tx_t *tx, ngx_uint_t dry, u_char *digest)
{
    seen_t      seen;
    ngx_uint_t  i;

    memset(&seen, 0, sizeof(seen_t));
    seen.zone = tx->zone;

    for (i = 0; i < tx->zone->nshards; i++) {
        memset(&seen.walk, 0, sizeof(ngx_olivine_walk_t));
        seen.walk.dry = dry;
        seen.shard = i;

        do {
            seen.nholds = 0;

            if (unit_tx(tx, part_walk, &seen) != NGX_OK) {
                _exit(1);
            }

            while (seen.nholds) {
                (void) ngx_olivine_unpin(tx, seen.holds[--seen.nholds]);
            }
        } while (seen.rc != NGX_DECLINED);
    }

    memset(digest, 0, 20);

    for (i = 0; i < 4; i++) {
        ngx_olivine_digest_mix(digest, seen.digest[i], 20);
    }
}


/* A worker died: what was kept is of the instant, and can be let go of. */

static void
kill_snapshot(unit_zone_t *z, const kill_t *k, u_char *instant,
    uint64_t step, uint64_t nested)
{
    u_char      digest[20];
    ngx_uint_t  whole;

    if (k->snapshot == 0) {
        return;
    }

    whole = (k->snapshot == 1 && ngx_olivine_snapshot_active(z->zone));

    kill_walk(z->tx, !whole, digest);

    if (whole && memcmp(digest, instant, 20) != 0) {
        fail_msg("%s: the snapshot is not of its instant, death at %d, %d",
                 k->name, (int) step, (int) nested);
    }

    assert_int_equal(ngx_olivine_snapshot_active(z->zone), 0);
    assert_int_equal(ngx_olivine_snapshot_failed(z->zone), 0);
    assert_int_equal(ngx_olivine_snapshot_size(z->zone), 0);

    unit_audit(z->tx);
}


static void
prepare_snapshot(unit_zone_t *z)
{
    prepare_few(z);
    assert_int_equal(unit_tx(z->tx, part_snapshot, NULL), NGX_OK);
}


/* images, one of them a run, and what nobody has changed */

static void
prepare_images(unit_zone_t *z)
{
    pair_t  p;

    prepare_snapshot(z);

    p = (pair_t) { "big", "small", 0, 0, 0 };
    assert_int_equal(unit_tx(z->tx, part_set, &p), NGX_OK);

    p = (pair_t) { "few:2", "another", 0, 0, 0 };
    assert_int_equal(unit_tx(z->tx, part_set, &p), NGX_OK);
}


static void
act_snapshot(ngx_olivine_tx_t *tx)
{
    act_run(tx, part_snapshot, NULL);
}


static void
act_walk(ngx_olivine_tx_t *tx)
{
    u_char  digest[20];

    kill_walk(tx, 0, digest);
}


static void
act_walk_dry(ngx_olivine_tx_t *tx)
{
    u_char  digest[20];

    kill_walk(tx, 1, digest);
}


static ngx_int_t
part_expiry(ngx_olivine_tx_t *tx, void *data)
{
    pair_t             *p = data;
    ngx_int_t           rc;
    ngx_str_t           key;
    ngx_olivine_ref_t   ref;

    key.data = (u_char *) p->key;
    key.len = strlen(p->key);

    rc = unit_find(tx, 0, &key, UNIT_NOW, &ref);

    return rc == NGX_OK ? ngx_olivine_store_expire_locked(tx, &ref, p->expire)
                        : rc;
}


static void
act_expire_at(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "ttl", NULL, 0, UNIT_NOW + 7000, 0 };

    act_run(tx, part_expiry, &p);
}


static void
act_persist(ngx_olivine_tx_t *tx)
{
    pair_t  p = { "ttl", NULL, 0, 0, 0 };

    act_run(tx, part_expiry, &p);
}


static void
act_flush(ngx_olivine_tx_t *tx)
{
    act_run(tx, part_flush, NULL);
}


/* The digests that a keyspace may have: before, and after each command. */

static ngx_uint_t
kill_digests(const kill_t *k, u_char digests[][20], size_t *tails)
{
    unit_zone_t  z;
    ngx_uint_t   n;

    unit_zone_create(&z, 16 * 1024 * 1024, k->shards);
    unit_zone_claim(&z);
    k->prepare(&z);

    unit_digest(z.tx, digests[0]);
    k->act(z.tx);
    unit_digest(z.tx, digests[1]);

    unit_audit(z.tx);

    n = 2;

    ngx_olivine_slot_leave(z.tx);
    unit_zone_destroy(&z);

    return n;
}


static pid_t
kill_fork(unit_zone_t *z, const kill_t *k, uint64_t step)
{
    int               rc;
    pid_t             pid;
    ngx_olivine_tx_t  tx;

    pid = fork();

    if (pid != 0) {
        return pid;
    }

    ngx_pid = getpid();
    ngx_olivine_steps = 0;
    ngx_olivine_step_last = step;

    rc = ngx_olivine_slot_claim(&tx, z->zone, z->fd, 1);

    if (rc == NGX_OK) {

        if (k) {
            k->act(&tx);

        } else {
            (void) ngx_olivine_slot_sweep_all(&tx);
        }

        ngx_olivine_slot_leave(&tx);
    }

    _exit(rc == NGX_OK ? 0 : 1);
}


/* 1: it died, 0: it came to its end. */

static ngx_uint_t
kill_wait(pid_t pid)
{
    int  status;

    assert_int_equal(waitpid(pid, &status, 0), pid);

    if (WIFSIGNALED(status)) {
        assert_int_equal(WTERMSIG(status), SIGKILL);
        return 1;
    }

    assert_int_equal(WEXITSTATUS(status), 0);
    return 0;
}


static ngx_int_t
part_attach(ngx_olivine_tx_t *tx, void *data)
{
    return ngx_olivine_ring_attach(tx, 1 << 16, data);
}


/* Each cell, and each run but arenas and what comes in, is a sample. */

static void
kill_samples(unit_zone_t *z, const kill_t *k, uint64_t step, uint64_t nested)
{
    uint32_t             page;
    uint64_t             n;
    ngx_olivine_page_t  *p;

    if (!k->sampled) {
        return;
    }

    n = 0;

    for (page = z->zone->heap.first; page < z->zone->heap.last;
         page += p->pages)
    {
        p = &z->zone->pages[page];

        switch (p->kind) {

        case NGX_OLIVINE_PAGE_ARENA:

            /* a run begins with the number of cells in use */

            n += *(uint16_t *) ngx_olivine_zone_page(z->zone, page);
            break;

        case NGX_OLIVINE_PAGE_TABLE:
        case NGX_OLIVINE_PAGE_VALUE:
        case NGX_OLIVINE_PAGE_JOURNAL:
        case NGX_OLIVINE_PAGE_HOLDINGS:
        case NGX_OLIVINE_PAGE_RING:
        case NGX_OLIVINE_PAGE_LOG:
            n++;
            break;
        }
    }

    if (z->zone->sampling->count != n || z->zone->sampling->lost) {
        fail_msg("%s: %d samples of %d cells and runs, death at %d, %d",
                 k->name, (int) z->zone->sampling->count, (int) n,
                 (int) step, (int) nested);
    }
}


static void
kill_look(unit_zone_t *z, const kill_t *k, u_char digests[][20],
    ngx_uint_t reader, ngx_uint_t rows, uint64_t step, uint64_t nested)
{
    u_char      digest[20];
    size_t      len;
    ngx_uint_t  i, after;

    for (i = 0; i < 8; i++) {
        (void) ngx_olivine_slot_sweep_all(z->tx);
    }

    /* what others have changed */

    ngx_olivine_poison_zone(z->zone);

    for (i = 0; i < z->zone->slots_high; i++) {
        if (i != z->tx->slot->number
            && ngx_olivine_slot_at(z->zone, i)->state
               != NGX_OLIVINE_SLOT_FREE)
        {
            fail_msg("%s: slot %d is not free after a death at %d, %d",
                     k->name, (int) i, (int) step, (int) nested);
        }
    }

    if (z->zone->gate.word != 0) {
        fail_msg("%s: the gate stays up after a death at %d", k->name,
                 (int) step);
    }

    if (kill_rows(z) != rows) {
        fail_msg("%s: %d rows, not %d, after a death at %d, %d", k->name,
                 (int) kill_rows(z), (int) rows, (int) step, (int) nested);
    }

    unit_audit(z->tx);
    kill_samples(z, k, step, nested);
    unit_digest(z->tx, digest);
    kill_snapshot(z, k, digests[0], step, nested);

    assert_int_equal(unit_tx(z->tx, part_prune, NULL), NGX_OK);

    for (i = 0; i < z->zone->nshards; i++) {
        assert_null(ngx_olivine_store_shard(z->zone, i)->watches);
    }

    unit_audit(z->tx);

    after = (memcmp(digest, digests[1], 20) == 0);

    if (!after && memcmp(digest, digests[0], 20) != 0) {
        fail_msg("%s: neither before nor after, death at %d, %d", k->name,
                 (int) step, (int) nested);
    }

    if (k->log) {
        len = z->zone->ring.tail + 1 - z->zone->ring.offsets[reader];
        ngx_olivine_ring_advance(z->tx, reader, z->zone->ring.tail);

        if (z->zone->ring.held) {
            fail_msg("%s: the log keeps payloads, death at %d, %d", k->name,
                     (int) step, (int) nested);
        }

        unit_audit(z->tx);

        if (memcmp(digests[0], digests[1], 20) != 0
            && after != (len != 0))
        {
            fail_msg("%s: data and log differ, death at %d, %d", k->name,
                     (int) step, (int) nested);
        }
    }
}


static void
kill_all(const kill_t *k)
{
    pid_t         pid;
    u_char        digests[8][20];
    uint64_t      step, nested;
    ngx_uint_t    reader, rows, died, again;
    unit_zone_t   z;

    record = k->log ? "*1\r\n$4\r\nEXAM\r\n" : NULL;
    reader = 0;

    /* the values do not depend on the zone's seed */

    record = NULL;
    (void) kill_digests(k, digests, NULL);
    record = k->log ? "*1\r\n$4\r\nEXAM\r\n" : NULL;

    for (step = 1; /* void */ ; step += kill_stride) {

        /* the recoverers die one step further each time, then none does */

        for (nested = step % KILL_NESTED ? 0 : 1;
             /* void */ ;
             nested += kill_stride)
        {

            unit_zone_create(&z, 16 * 1024 * 1024, k->shards);
            z.zone->params.heap_sample_bytes = k->sampled;
            unit_zone_claim(&z);
            k->prepare(&z);
            rows = kill_rows(&z);

            if (k->log) {
                assert_int_equal(unit_tx(z.tx, part_attach, &reader), NGX_OK);
            }

            pid = kill_fork(&z, k, step);
            died = kill_wait(pid);

            again = 0;

            if (nested) {
                pid = kill_fork(&z, NULL, nested);
                again = kill_wait(pid);
            }

            kill_look(&z, k, digests, reader, rows, step, nested);

            ngx_olivine_slot_leave(z.tx);
            unit_zone_destroy(&z);

            if (!again) {
                break;
            }

            nested += step / 100;              /* far in, not each of them */
        }

        if (!died) {
            break;
        }

        if (step > 600) {
            step += step / 50;
        }
    }

    print_message("%s: %d steps\n", k->name, (int) step - 1);
}


#define KILL_TEST(what, shards, log, prepare)                                 \
    static void                                                               \
    test_kill_##what(void **state)                                            \
    {                                                                         \
        const kill_t  k = { #what, shards, log, prepare, act_##what, 0, 0 };  \
                                                                              \
        kill_all(&k);                                                         \
    }                                                                         \
                                                                              \
    static void                                                               \
    test_kill_##what##_logged(void **state)                                   \
    {                                                                         \
        const kill_t  k = { #what, shards, 1, prepare, act_##what, 0, 0 };    \
                                                                              \
        kill_all(&k);                                                         \
    }


KILL_TEST(set_new, 1, 0, prepare_few)
KILL_TEST(set_expiring, 1, 0, prepare_few)
KILL_TEST(overwrite, 1, 0, prepare_few)
KILL_TEST(replace, 1, 0, prepare_few)
KILL_TEST(delete, 1, 0, prepare_few)
KILL_TEST(big, 1, 0, prepare_few)
KILL_TEST(append, 1, 0, prepare_few)
KILL_TEST(append_run, 1, 0, prepare_few)
KILL_TEST(write, 1, 0, prepare_few)
KILL_TEST(write_behind, 1, 0, prepare_few)
KILL_TEST(write_run, 1, 0, prepare_few)
KILL_TEST(write_run_behind, 1, 0, prepare_few)
KILL_TEST(many, 4, 0, prepare_few)
KILL_TEST(split, 1, 0, prepare_full)
KILL_TEST(watch, 1, 0, prepare_few)
KILL_TEST(rename, 4, 0, prepare_few)
KILL_TEST(rename_over, 4, 0, prepare_few)
KILL_TEST(move, 1, 0, prepare_few)
KILL_TEST(swap, 4, 0, prepare_few)
KILL_TEST(payloads, 4, 0, prepare_few)
KILL_TEST(advance, 4, 0, prepare_few)


#define KILL_PLAIN(what, shards, prepare)                                     \
    static void                                                               \
    test_kill_##what(void **state)                                            \
    {                                                                         \
        const kill_t  k = { #what, shards, 0, prepare, act_##what, 0, 0 };    \
                                                                              \
        kill_all(&k);                                                         \
    }

KILL_PLAIN(grow_journal, 4, prepare_few)
KILL_PLAIN(merge, 1, prepare_full)
KILL_PLAIN(free, 4, prepare_detached)
KILL_PLAIN(expire, 1, prepare_few)
KILL_PLAIN(heap, 1, prepare_few)
KILL_PLAIN(pin, 1, prepare_few)
KILL_PLAIN(receive, 1, prepare_few)
KILL_PLAIN(gate, 1, prepare_few)
KILL_PLAIN(client, 1, prepare_clients)


/* The same while a snapshot keeps what they change; see kill_t for which. */

#define KILL_KEPT(what, shards, prepare, which)                               \
    static void                                                               \
    test_kill_kept_##what(void **state)                                       \
    {                                                                         \
        const kill_t  k = { "kept " #what, shards, 0, prepare, act_##what,    \
                            which, 0 };                                       \
                                                                              \
        kill_all(&k);                                                         \
    }

KILL_KEPT(snapshot, 4, prepare_few, 1)
KILL_KEPT(overwrite, 1, prepare_snapshot, 1)
KILL_KEPT(replace, 1, prepare_snapshot, 1)
KILL_KEPT(expire_at, 1, prepare_snapshot, 1)
KILL_KEPT(persist, 1, prepare_snapshot, 1)
KILL_KEPT(delete, 1, prepare_snapshot, 1)
KILL_KEPT(big, 1, prepare_snapshot, 1)
KILL_KEPT(append_run, 1, prepare_snapshot, 1)
KILL_KEPT(write_run, 1, prepare_snapshot, 1)
KILL_KEPT(rename, 4, prepare_snapshot, 1)
KILL_KEPT(rename_over, 4, prepare_snapshot, 1)
KILL_KEPT(move, 1, prepare_snapshot, 1)
KILL_KEPT(swap, 4, prepare_snapshot, 1)
KILL_KEPT(flush, 4, prepare_snapshot, 1)
KILL_KEPT(walk, 1, prepare_images, 2)
KILL_KEPT(walk_dry, 1, prepare_images, 2)


/* The same while each cell and run is a sample of the heap profile. */

#define KILL_SAMPLED(what, shards, log, prepare, snapshot)                    \
    static void                                                               \
    test_kill_sampled_##what(void **state)                                    \
    {                                                                         \
        const kill_t  k = { "sampled " #what, shards, log, prepare,           \
                            act_##what, snapshot, 1 };                        \
                                                                              \
        kill_all(&k);                                                         \
    }

KILL_SAMPLED(set_new, 1, 0, prepare_few, 0)
KILL_SAMPLED(replace, 1, 1, prepare_few, 0)
KILL_SAMPLED(delete, 1, 0, prepare_few, 0)
KILL_SAMPLED(big, 1, 0, prepare_few, 0)
KILL_SAMPLED(split, 1, 0, prepare_full, 0)
KILL_SAMPLED(rename, 4, 1, prepare_few, 0)
KILL_SAMPLED(payloads, 4, 1, prepare_few, 0)
KILL_SAMPLED(free, 4, 0, prepare_detached, 0)
KILL_SAMPLED(pin, 1, 0, prepare_few, 0)
KILL_SAMPLED(receive, 1, 0, prepare_few, 0)
KILL_SAMPLED(walk, 1, 0, prepare_images, 2)


#define KILL_BOTH(what)                                                       \
    cmocka_unit_test(test_kill_##what),                                       \
    cmocka_unit_test(test_kill_##what##_logged)


int
main(int argc, char **argv)
{
    const struct CMUnitTest  tests[] = {
        KILL_BOTH(set_new),
        KILL_BOTH(set_expiring),
        KILL_BOTH(overwrite),
        KILL_BOTH(replace),
        KILL_BOTH(delete),
        KILL_BOTH(big),
        KILL_BOTH(append),
        KILL_BOTH(append_run),
        KILL_BOTH(write),
        KILL_BOTH(write_behind),
        KILL_BOTH(write_run),
        KILL_BOTH(write_run_behind),
        KILL_BOTH(many),
        KILL_BOTH(split),
        KILL_BOTH(watch),
        KILL_BOTH(rename),
        KILL_BOTH(rename_over),
        KILL_BOTH(move),
        KILL_BOTH(swap),
        KILL_BOTH(payloads),
        KILL_BOTH(advance),
        cmocka_unit_test(test_kill_grow_journal),
        cmocka_unit_test(test_kill_merge),
        cmocka_unit_test(test_kill_free),
        cmocka_unit_test(test_kill_expire),
        cmocka_unit_test(test_kill_heap),
        cmocka_unit_test(test_kill_pin),
        cmocka_unit_test(test_kill_receive),
        cmocka_unit_test(test_kill_gate),
        cmocka_unit_test(test_kill_client),
        cmocka_unit_test(test_kill_kept_snapshot),
        cmocka_unit_test(test_kill_kept_overwrite),
        cmocka_unit_test(test_kill_kept_replace),
        cmocka_unit_test(test_kill_kept_expire_at),
        cmocka_unit_test(test_kill_kept_persist),
        cmocka_unit_test(test_kill_kept_delete),
        cmocka_unit_test(test_kill_kept_big),
        cmocka_unit_test(test_kill_kept_append_run),
        cmocka_unit_test(test_kill_kept_write_run),
        cmocka_unit_test(test_kill_kept_rename),
        cmocka_unit_test(test_kill_kept_rename_over),
        cmocka_unit_test(test_kill_kept_move),
        cmocka_unit_test(test_kill_kept_swap),
        cmocka_unit_test(test_kill_kept_flush),
        cmocka_unit_test(test_kill_kept_walk),
        cmocka_unit_test(test_kill_kept_walk_dry),
        cmocka_unit_test(test_kill_sampled_set_new),
        cmocka_unit_test(test_kill_sampled_replace),
        cmocka_unit_test(test_kill_sampled_delete),
        cmocka_unit_test(test_kill_sampled_big),
        cmocka_unit_test(test_kill_sampled_split),
        cmocka_unit_test(test_kill_sampled_rename),
        cmocka_unit_test(test_kill_sampled_payloads),
        cmocka_unit_test(test_kill_sampled_free),
        cmocka_unit_test(test_kill_sampled_pin),
        cmocka_unit_test(test_kill_sampled_receive),
        cmocka_unit_test(test_kill_sampled_walk),
    };

    if (getenv("KILL_STRIDE")) {
        kill_stride = ngx_max(atoi(getenv("KILL_STRIDE")), 1);
    }

    memset(big, 'b', sizeof(big));

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);       /* "test_kill_sampled_*", say */
    }

    return cmocka_run_group_tests(tests, NULL, NULL);
}
