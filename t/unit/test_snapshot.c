
/*
 * Copyright (C) The Olivine authors
 *
 * What a walker sees must be the keyspace as it was when the snapshot began,
 * each key once, whatever is done meanwhile.
 */


#include "zone.h"

#include "store/ngx_olivine_snapshot.h"


#define DBS     4
#define KEYS    150
#define HOLDS   256
#define ALL     ((ngx_uint_t) -1)


typedef struct {
    u_char    digest[DBS][20];
    uint64_t  keys;
} seen_t;


typedef struct {
    ngx_uint_t           op;
    ngx_uint_t           db, other;
    ngx_str_t            key, to;
    ngx_str_t            text;
    size_t               offset;
    int64_t              at;
} op_t;


typedef struct {
    seen_t               seen;        /* committed */
    seen_t               now;         /* with those of the slice */
    ngx_olivine_walk_t   walk[8];     /* one a shard */
    ngx_uint_t           shard;
    uint32_t             holds[HOLDS];
    ngx_uint_t           nholds;
    ngx_int_t            rc;
} walker_t;


static unit_zone_t  z;
static u_char       big[200000];
static u_char       names[2][300];
static ngx_uint_t   waited;


static int
setup(void **state)
{
    unsigned  seed;

    unit_zone_create(&z, 128 * 1024 * 1024, 8);
    unit_zone_claim(&z);

    seed = (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    return 0;
}


static int
teardown(void **state)
{
    ngx_olivine_slot_leave(z.tx);
    unit_zone_destroy(&z);
    return 0;
}


static ngx_int_t
part_audit(ngx_olivine_tx_t *tx, void *data)
{
    u_char  err[256];

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    if (ngx_olivine_store_audit(tx, err) != NGX_OK) {
        fail_msg("%s", err);
    }

    return NGX_OK;
}


static ngx_int_t
part_digest(ngx_olivine_tx_t *tx, void *data)
{
    seen_t  *seen = data;

    uint64_t    keys, expires;
    ngx_uint_t  db, i;

    if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
        return NGX_AGAIN;
    }

    memset(seen, 0, sizeof(seen_t));

    for (db = 0; db < DBS; db++) {
        for (i = 0; i < z.zone->nshards; i++) {
            ngx_olivine_store_digest_locked(tx,
                                         ngx_olivine_store_shard(z.zone, i),
                                         db, seen->digest[db]);
        }

        ngx_olivine_store_count(z.zone, db, &keys, &expires);
        seen->keys += keys;
    }

    return NGX_OK;
}


/* The digest is that of the instant: both are under all locks. */

static ngx_int_t
part_begin(ngx_olivine_tx_t *tx, void *data)
{
    ngx_int_t  rc;

    rc = part_digest(tx, data);

    return rc == NGX_OK ? ngx_olivine_snapshot_begin_locked(tx) : rc;
}


static void
visit(void *data, ngx_uint_t db, ngx_olivine_entry_t *e,
    ngx_olivine_value_t *value, uint32_t hold)
{
    walker_t *w = data;

    u_char  one[20];

    if (hold) {
        assert_true(w->nholds < HOLDS);
        w->holds[w->nholds++] = hold - 1;
        assert_true(value->page != 0);
    }

    ngx_olivine_store_digest_entry(z.zone, e, 1, one);
    ngx_olivine_digest_xor(w->now.digest[db], one, 20);
    w->now.keys++;
}


static ngx_int_t
part_walk(ngx_olivine_tx_t *tx, void *data)
{
    walker_t *w = data;

    if (ngx_olivine_tx_lock_shard(tx, w->shard) != NGX_OK) {
        return NGX_AGAIN;
    }

    w->now = w->seen;
    w->nholds = 0;

    w->rc = ngx_olivine_snapshot_walk_locked(tx,
                                 ngx_olivine_store_shard(z.zone, w->shard),
                                 &w->walk[w->shard], visit, w);

    return w->rc == NGX_DECLINED ? NGX_OK : w->rc;
}


/* A slice of a shard; DECLINED: all shards are done. */

static ngx_int_t
slice(walker_t *w)
{
    ngx_uint_t  i;

    w->shard = random() % z.zone->nshards;

    assert_int_equal(unit_tx(z.tx, part_walk, w), NGX_OK);

    w->seen = w->now;

    for (i = 0; i < w->nholds; i++) {
        assert_int_equal(ngx_olivine_unpin(z.tx, w->holds[i]), NGX_OK);
    }

    if (w->rc == NGX_DECLINED && !ngx_olivine_snapshot_active(z.zone)) {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static void
name(ngx_str_t *key, u_char *buf)
{
    ngx_uint_t  n;

    n = random() % KEYS;

    key->data = buf;
    key->len = sprintf((char *) buf, "key:%lu", (unsigned long) n);

    if (n % 50 == 0) {
        memset(buf + key->len, 'x', 280 - key->len);
        key->len = 280;
    }
}


static void
choose(op_t *op)
{
    memset(op, 0, sizeof(op_t));

    op->op = random() % 100;

    if (op->op == 99 && random() % 10) {
        op->op = 97;
    }

    op->db = random() % DBS;
    op->other = random() % DBS;

    name(&op->key, names[0]);
    name(&op->to, names[1]);

    op->text.data = big + random() % 1000;

    switch (random() % 12) {
    case 0:
        op->text.len = 17000 + random() % 100000;
        break;
    case 1:
        op->text.len = random() % 9000;
        break;
    case 2:
        op->text.len = sprintf((char *) big + 1000, "%ld", random());
        op->text.data = big + 1000;
        break;
    default:
        op->text.len = random() % 60;
    }

    op->offset = random() % (random() % 4 ? 50 : 30000);
    op->at = UNIT_NOW + 1 + random() % 100000;
}


static ngx_int_t
part_op(ngx_olivine_tx_t *tx, void *data)
{
    op_t *op = data;

    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_olivine_ref_t     ref, to;
    ngx_olivine_value_t   value;

    if (op->op >= 96 || (op->op >= 70 && op->op < 80)) {
        if (ngx_olivine_tx_lock_all(tx) != NGX_OK) {
            return NGX_AGAIN;
        }
    }

    if (op->op == 99) {
        for (i = 0; i < z.zone->nshards; i++) {
            rc = ngx_olivine_store_flush_locked(tx,
                                          ngx_olivine_store_shard(z.zone, i),
                                          op->db);
            if (rc != NGX_OK) {
                return rc;
            }
        }

        return NGX_OK;
    }

    if (op->op == 98) {
        return ngx_olivine_store_swap_locked(tx, op->db, op->other);
    }

    if (op->op == 97 || op->op == 96) {
        for (i = 0; i < z.zone->nshards; i++) {
            rc = ngx_olivine_store_free_locked(tx,
                                          ngx_olivine_store_shard(z.zone, i),
                                          4);
            if (rc != NGX_OK && rc != NGX_DECLINED) {
                return rc;
            }
        }

        return NGX_OK;
    }

    rc = unit_find(tx, op->db, &op->key, UNIT_NOW, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (op->op < 40) {
        ngx_olivine_string_set(&value, op->text.data, op->text.len);

        return ngx_olivine_store_set_locked(tx, &ref, &value,
                             op->op < 10 ? op->at
                             : op->op < 20 ? NGX_OLIVINE_EXPIRE_KEEP : 0, 1);
    }

    if (op->op < 50) {
        return ngx_olivine_store_write_locked(tx, &ref, op->offset, &op->text,
                                              1);
    }

    if (ref.entry == NULL) {
        return NGX_OK;
    }

    if (op->op < 60) {
        op->text.len %= 2000;
        return ngx_olivine_store_append_locked(tx, &ref, &op->text, 1);
    }

    if (op->op < 65) {
        return ngx_olivine_store_expire_locked(tx, &ref, op->at);
    }

    if (op->op < 70) {
        return ngx_olivine_store_expire_locked(tx, &ref, 0);
    }

    if (op->op < 80) {
        rc = unit_find(tx, op->other, &op->to, UNIT_NOW, &to);

        if (rc != NGX_OK || (to.hash == ref.hash && op->db == op->other)) {
            return rc;
        }

        return ngx_olivine_store_move_locked(tx, &ref, &to, 1);
    }

    return ngx_olivine_store_delete_locked(tx, &ref);
}


/* As the dispatcher does it; what waits for the walker lets it work. */

static void
run(walker_t *w, unit_part_pt part, void *data)
{
    ngx_int_t   rc;
    ngx_uint_t  walk;

    for ( ;; ) {
        rc = part(z.tx, data);

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(z.tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(z.tx);
        }

        ngx_olivine_tx_unlock(z.tx);

        if (rc == NGX_OK) {
            break;
        }

        assert_int_equal(rc, NGX_AGAIN);
        walk = z.tx->want_walk;
        rc = ngx_olivine_tx_fetch(z.tx);

        if (walk) {
            assert_int_equal(rc, NGX_DECLINED);
            assert_int_equal(z.zone->snapshot.waiting, 1);
            (void) slice(w);
            waited++;

        } else {
            assert_int_equal(rc, NGX_OK);
        }
    }

    ngx_olivine_tx_fetched(z.tx);
}


static void
work(walker_t *w, ngx_uint_t n)
{
    op_t  op;

    while (n--) {
        choose(&op);
        run(w, part_op, &op);
    }
}


static void
finish(walker_t *w, ngx_uint_t busy)
{
    ngx_uint_t  i;

    for (i = 0; slice(w) == NGX_OK; i++) {
        work(w, random() % (busy + 1));

        if (i % 64 == 0) {
            assert_int_equal(unit_tx(z.tx, part_audit, NULL), NGX_OK);
        }
    }

    assert_int_equal(ngx_olivine_snapshot_size(z.zone), 0);
    assert_int_equal(unit_tx(z.tx, part_audit, NULL), NGX_OK);
}


static void
test_snapshot_is_of_one_instant(void **state)
{
    seen_t      want;
    walker_t   *w;
    ngx_uint_t  i, round;

    for (i = 0; i < sizeof(big); i++) {
        big[i] = random();
    }

    w = malloc(sizeof(walker_t));

    for (round = 0; round < 60; round++) {
        work(w, 300);

        memset(w, 0, sizeof(walker_t));
        assert_int_equal(unit_tx(z.tx, part_begin, &want), NGX_OK);
        assert_int_equal(ngx_olivine_snapshot_active(z.zone), 1);

        finish(w, round % 20);

        assert_int_equal(ngx_olivine_snapshot_failed(z.zone), 0);
        assert_int_equal(w->seen.keys, want.keys);
        assert_memory_equal(w->seen.digest, want.digest, sizeof(want.digest));
    }

    free(w);
}


/* One that is given up is walked to its end, before another may begin. */

static void
test_snapshot_given_up_leaves_nothing(void **state)
{
    seen_t      want;
    walker_t   *w;
    ngx_uint_t  i, round;

    w = malloc(sizeof(walker_t));

    for (round = 0; round < 20; round++) {
        work(w, 200);

        memset(w, 0, sizeof(walker_t));
        assert_int_equal(unit_tx(z.tx, part_begin, &want), NGX_OK);

        for (i = 0; i < round * 3 && slice(w) == NGX_OK; i++) {
            work(w, random() % 10);
        }

        if (!ngx_olivine_snapshot_active(z.zone)) {
            continue;
        }

        memset(w, 0, sizeof(walker_t));

        for (i = 0; i < 8; i++) {
            w->walk[i].dry = 1;
        }

        finish(w, 10);

        memset(w, 0, sizeof(walker_t));
        assert_int_equal(unit_tx(z.tx, part_begin, &want), NGX_OK);
        finish(w, 5);
        assert_int_equal(w->seen.keys, want.keys);
        assert_memory_equal(w->seen.digest, want.digest, sizeof(want.digest));
    }

    free(w);
}


static ngx_int_t
part_set_once(ngx_olivine_tx_t *tx, void *data)
{
    op_t *op = data;

    ngx_int_t             rc;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    rc = unit_find(tx, 0, &op->key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        ngx_olivine_string_set(&value, op->text.data, op->text.len);
        rc = ngx_olivine_store_set_locked(tx, &ref, &value, 0, 1);
    }

    return rc;
}


/* Images are bounded: whoever would add one waits for the walker. */

static void
test_snapshot_bounds_what_it_keeps(void **state)
{
    op_t        op;
    seen_t      want;
    walker_t   *w;
    ngx_uint_t  i;

    w = calloc(1, sizeof(walker_t));
    waited = 0;

    op.key.data = names[0];
    op.text.data = big;
    op.text.len = 900;

    for (i = 0; i < 20000; i++) {
        op.key.len = sprintf((char *) names[0], "%lu", (unsigned long) i);
        assert_int_equal(unit_tx(z.tx, part_set_once, &op), NGX_OK);
    }

    assert_int_equal(unit_tx(z.tx, part_begin, &want), NGX_OK);

    for (i = 0; i < 20000; i++) {
        op.key.len = sprintf((char *) names[0], "%lu", (unsigned long) i);

        run(w, part_set_once, &op);

        assert_true(ngx_olivine_snapshot_size(z.zone)
                    <= z.zone->limit / 64 + 8 * 2048);
    }

    assert_true(waited > 100);
    finish(w, 0);
    assert_int_equal(w->seen.keys, want.keys);
    assert_memory_equal(w->seen.digest, want.digest, sizeof(want.digest));
    free(w);
}


/* One who waits is woken at the end, though no image was walked. */

static void
test_snapshot_wakes_at_its_end(void **state)
{
    seen_t     want;
    walker_t  *w;

    w = calloc(1, sizeof(walker_t));

    assert_int_equal(unit_tx(z.tx, part_begin, &want), NGX_OK);
    z.zone->snapshot.waiting = 1;

    assert_int_equal(unit_tx(z.tx, part_walk, w), NGX_OK);
    assert_int_equal(w->rc, NGX_DECLINED);
    assert_int_equal(w->walk[0].woken, 1);

    finish(w, 0);
    free(w);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_snapshot_is_of_one_instant,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_snapshot_given_up_leaves_nothing,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_snapshot_bounds_what_it_keeps,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_snapshot_wakes_at_its_end,
                                        setup, teardown),
    };

    return unit_run(tests);
}
