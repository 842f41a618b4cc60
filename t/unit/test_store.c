
/*
 * Copyright (C) The Olivine authors
 */


#include "zone.h"


#define KEYS  4096


typedef struct {
    ngx_str_t     key;
    ngx_str_t     value;
    int64_t       expire;
    ngx_uint_t    number;
    int64_t       n;
    size_t        offset;
} set_t;


static unit_zone_t  z;


static int
setup(void **state)
{
    unit_zone_create(&z, 64 * 1024 * 1024, 4);
    unit_zone_claim(&z);
    return 0;
}


static int
teardown(void **state)
{
    unit_audit(z.tx);
    ngx_olivine_slot_leave(z.tx);
    unit_zone_destroy(&z);
    return 0;
}


static ngx_int_t
part_set(ngx_olivine_tx_t *tx, void *data)
{
    set_t                *s = data;
    ngx_int_t             rc;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    rc = unit_find(tx, 0, &s->key, UNIT_NOW, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (s->number) {
        ngx_olivine_string_set_number(&value, s->n);

    } else {
        ngx_olivine_string_set(&value, s->value.data, s->value.len);
    }

    return ngx_olivine_store_set_locked(tx, &ref, &value, s->expire, 1);
}


static ngx_int_t
part_delete(ngx_olivine_tx_t *tx, void *data)
{
    set_t              *s = data;
    ngx_int_t           rc;
    ngx_olivine_ref_t   ref;

    rc = unit_find(tx, 0, &s->key, UNIT_NOW, &ref);

    if (rc == NGX_OK && ref.entry) {
        rc = ngx_olivine_store_delete_locked(tx, &ref);
    }

    return rc;
}


static ngx_int_t
part_append(ngx_olivine_tx_t *tx, void *data)
{
    set_t              *s = data;
    ngx_int_t           rc;
    ngx_olivine_ref_t   ref;

    rc = unit_find(tx, 0, &s->key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        rc = ngx_olivine_store_append_locked(tx, &ref, &s->value, 1);
    }

    return rc;
}


static ngx_int_t
part_write(ngx_olivine_tx_t *tx, void *data)
{
    set_t              *s = data;
    ngx_int_t           rc;
    ngx_olivine_ref_t   ref;

    rc = unit_find(tx, 0, &s->key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        rc = ngx_olivine_store_write_locked(tx, &ref, s->offset, &s->value,
                                            1);
    }

    return rc;
}


static ngx_int_t
part_expire(ngx_olivine_tx_t *tx, void *data)
{
    set_t              *s = data;
    ngx_int_t           rc;
    ngx_olivine_ref_t   ref;

    rc = unit_find(tx, 0, &s->key, UNIT_NOW, &ref);

    if (rc == NGX_OK) {
        rc = ngx_olivine_store_expire_locked(tx, &ref, s->expire);
    }

    return rc;
}


static void
check(ngx_str_t *key, u_char *data, size_t len, int64_t expire)
{
    u_char               buf[32];
    ngx_str_t            text;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    assert_int_equal(unit_find(z.tx, 0, key, UNIT_NOW, &ref), NGX_OK);

    if (data == NULL) {
        assert_null(ref.entry);

    } else {
        assert_non_null(ref.entry);
        ngx_olivine_entry_value(z.zone, ref.entry, &value);
        ngx_olivine_string_text(&value, buf, &text);
        assert_int_equal(text.len, len);
        assert_memory_equal(text.data, data, len);
        assert_int_equal(ngx_olivine_entry_expire(ref.entry), expire);
    }

    ngx_olivine_tx_unlock(z.tx);
}


static void
test_store_agrees_with_a_model(void **state)
{
    static u_char   buf[600000];
    static struct {
        u_char     *data;
        size_t      len;
        int64_t     expire;
    } model[KEYS];

    char         name[KEYS][300];
    set_t        s;
    size_t       len, end;
    unsigned     seed;
    ngx_uint_t   i, k, op;

    seed = (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    memset(model, 0, sizeof(model));
    memset(&s, 0, sizeof(s));

    for (k = 0; k < KEYS; k++) {
        memset(name[k], 'k', sizeof(name[k]));
        len = sprintf(name[k], "key:%lu", (unsigned long) k);
        name[k][len] = 'k';
    }

    for (i = 0; i < 200000; i++) {

        /* phases of growing and of shrinking */

        k = random() % KEYS;
        op = random() % 18;

        if ((i / 25000) % 2 && op < 6) {
            op = 10;
        }

        s.key.data = (u_char *) name[k];
        s.key.len = (k % 7 == 0) ? 250 + k % 40 : 8 + k % 20;
        s.expire = 0;
        s.number = 0;

        if (op < 7) {
            len = random() % 100;

            if (random() % 50 == 0) {
                len = random() % 20000;
            }

            if (random() % 500 == 0) {
                len = random() % 500000;
            }

            memset(buf, 'a' + random() % 26, len);

            s.value.data = buf;
            s.value.len = len;

            if (op == 1) {
                s.value.len = sprintf((char *) buf, "%ld", random());
            }

            if (op == 2) {
                s.expire = UNIT_NOW + 1 + random() % 100000;
            }

            if (op == 3) {
                s.expire = NGX_OLIVINE_EXPIRE_KEEP;
            }

            assert_int_equal(unit_tx(z.tx, part_set, &s), NGX_OK);

            if (op != 3) {
                model[k].expire = s.expire;

            } else if (model[k].data == NULL) {
                model[k].expire = 0;
            }

            free(model[k].data);
            model[k].len = s.value.len;
            model[k].data = malloc(s.value.len + 1);
            memcpy(model[k].data, buf, s.value.len);

        } else if (op < 9) {

            if (model[k].data == NULL) {
                continue;
            }

            len = random() % (op == 7 ? 30 : 3000);
            memset(buf, 'A' + random() % 26, len);
            s.value.data = buf;
            s.value.len = len;

            assert_int_equal(unit_tx(z.tx, part_append, &s), NGX_OK);

            model[k].data = realloc(model[k].data, model[k].len + len + 1);
            memcpy(model[k].data + model[k].len, buf, len);
            model[k].len += len;

        } else if (op > 15) {

            s.offset = random() % (op == 16 ? 100 : 20000);
            len = 1 + random() % (op == 16 ? 100 : 3000);
            memset(buf, '0' + random() % 10, len);
            s.value.data = buf;
            s.value.len = len;

            assert_int_equal(unit_tx(z.tx, part_write, &s), NGX_OK);

            if (model[k].data == NULL) {
                model[k].len = 0;
                model[k].expire = 0;
            }

            end = ngx_max(model[k].len, s.offset + len);

            model[k].data = realloc(model[k].data, end + 1);
            memset(model[k].data + model[k].len, 0, end - model[k].len);
            memcpy(model[k].data + s.offset, buf, len);
            model[k].len = end;

        } else if (op < 12) {
            assert_int_equal(unit_tx(z.tx, part_delete, &s), NGX_OK);

            free(model[k].data);
            model[k].data = NULL;
            model[k].expire = 0;

        } else if (op < 14) {

            if (model[k].data == NULL) {
                continue;
            }

            s.expire = op == 12 ? 0 : UNIT_NOW + 1 + random() % 100000;
            assert_int_equal(unit_tx(z.tx, part_expire, &s), NGX_OK);
            model[k].expire = s.expire;

        } else {
            check(&s.key, model[k].data, model[k].len, model[k].expire);
        }

        if (i % 20000 == 0) {
            unit_audit(z.tx);
        }
    }

    for (k = 0; k < KEYS; k++) {
        s.key.data = (u_char *) name[k];
        s.key.len = (k % 7 == 0) ? 250 + k % 40 : 8 + k % 20;
        check(&s.key, model[k].data, model[k].len, model[k].expire);
        free(model[k].data);
    }
}


/* A key that fills a cell leaves its value, be it empty, to a run. */

static void
test_store_keeps_any_value_of_a_long_key(void **state)
{
    set_t         s;
    size_t        k, v;

    static u_char  long_key[70000], text[70000];

    static size_t  keys[] = { 254, 255, 256, 16000, 16370, 16384, 70000 };
    static size_t  values[] = { 0, 1, 20, 300, 16384, 65534, 65535, 70000 };

    memset(&s, 0, sizeof(s));
    memset(long_key, 'k', sizeof(long_key));
    memset(text, 't', sizeof(text));

    s.key.data = long_key;
    s.value.data = text;

    for (k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        for (v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            s.key.len = keys[k];
            s.value.len = values[v];
            s.expire = v % 2 ? UNIT_NOW + 1000 : 0;

            /* over another one, and as the first */

            assert_int_equal(unit_tx(z.tx, part_set, &s), NGX_OK);
            check(&s.key, text, s.value.len, s.expire);
            assert_int_equal(unit_tx(z.tx, part_delete, &s), NGX_OK);
            assert_int_equal(unit_tx(z.tx, part_set, &s), NGX_OK);
            check(&s.key, text, s.value.len, s.expire);

            s.expire = s.expire ? 0 : UNIT_NOW + 2000;
            assert_int_equal(unit_tx(z.tx, part_expire, &s), NGX_OK);

            s.value.len = 0;
            assert_int_equal(unit_tx(z.tx, part_append, &s), NGX_OK);
            check(&s.key, text, values[v], s.expire);
        }

        unit_audit(z.tx);
    }
}


static void
visit(void *data, ngx_olivine_entry_t *e)
{
    u_char     *seen = data;
    ngx_str_t   key;

    ngx_olivine_entry_key(e, &key);
    seen[ngx_atoi(key.data + 4, key.len - 4)]++;
}


/* While keys are added and removed, those that stay are all seen, none twice. */

static void
test_store_scan_sees_what_stays(void **state)
{
    char         name[64];
    set_t        s;
    u_char       seen[20000];
    uint64_t     cursor;
    ngx_uint_t   k, n, shard, grow, steps;

    for (grow = 0; grow < 2; grow++) {

        memset(&s, 0, sizeof(s));
        s.key.data = (u_char *) name;
        ngx_str_set(&s.value, "x");

        for (k = 0; k < (grow ? 1000 : 20000); k++) {
            s.key.len = sprintf(name, "key:%lu", (unsigned long) k);
            assert_int_equal(unit_tx(z.tx, part_set, &s), NGX_OK);
        }

        memset(seen, 0, sizeof(seen));
        n = 1000;
        steps = 0;

        for (shard = 0; shard < z.zone->nshards; shard++) {
            cursor = 0;

            do {
                assert_int_equal(ngx_olivine_tx_lock_shard(z.tx, shard),
                                 NGX_OK);
                cursor = ngx_olivine_store_scan_locked(z.tx,
                                      ngx_olivine_store_shard(z.zone, shard),
                                      0, cursor, visit, seen);
                ngx_olivine_tx_unlock(z.tx);

                assert_true(cursor < (uint64_t) 1 << 32);
                assert_true(steps++ < 100000);

                for (k = 0; k < 15 && n < 20000; k++, n++) {
                    s.key.len = sprintf(name, "key:%lu", (unsigned long) n);
                    assert_int_equal(unit_tx(z.tx, grow ? part_set
                                                         : part_delete, &s),
                                     NGX_OK);
                }

            } while (cursor);
        }

        for (k = 0; k < 20000; k++) {
            assert_true(seen[k] == 1 || (k >= 1000 && seen[k] == 0));
        }
    }
}


static ngx_int_t
part_due(ngx_olivine_tx_t *tx, void *data)
{
    int64_t              *now = data;
    ngx_int_t             rc, n;
    ngx_olivine_ref_t     ref;
    ngx_olivine_shard_t  *shard;

    if (ngx_olivine_tx_lock_shard(tx, now[1]) != NGX_OK) {
        return NGX_AGAIN;
    }

    shard = ngx_olivine_store_shard(tx->zone, now[1]);
    now[2] = 0;

    for (n = 0; n < 10; n++) {
        rc = ngx_olivine_store_due_locked(tx, shard, 0, now[0], &ref);

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

        now[2]++;
    }

    now[3] = 1;

    return NGX_OK;
}


static void
test_store_finds_all_that_is_due(void **state)
{
    char         name[64];
    set_t        s;
    int64_t      now[4];
    uint64_t     keys, expires, due;
    ngx_uint_t   k, gone;

    memset(&s, 0, sizeof(s));
    s.key.data = (u_char *) name;
    ngx_str_set(&s.value, "x");

    for (k = 0; k < 10000; k++) {
        s.key.len = sprintf(name, "key:%lu", (unsigned long) k);
        s.expire = k % 2 ? UNIT_NOW + (int64_t) k * 10 : 0;

        if (s.expire == UNIT_NOW) {
            s.expire++;
        }

        assert_int_equal(unit_tx(z.tx, part_set, &s), NGX_OK);
    }

    gone = 0;

    for (now[0] = UNIT_NOW; now[0] < UNIT_NOW + 103000; now[0] += 1000) {

        for (now[1] = 0; now[1] < z.zone->nshards; now[1]++) {
            do {
                now[3] = 0;
                assert_int_equal(unit_tx(z.tx, part_due, now), NGX_OK);
                gone += now[2];
            } while (now[3]);
        }

        ngx_olivine_store_count(z.zone, 0, &keys, &expires);

        /* none too early, none later than a unit */

        due = (now[0] - UNIT_NOW) / 10 / 2;
        assert_true(gone <= due + 1);
        assert_true(gone + 15 >= ngx_min(due, 5000));
        assert_int_equal(keys, 10000 - gone);
        assert_int_equal(expires, 5000 - gone);
    }

    assert_int_equal(gone, 5000);
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


static void
flush_all(void)
{
    ngx_uint_t  n[2];

    assert_int_equal(unit_tx(z.tx, part_flush, NULL), NGX_OK);

    for (n[0] = 0; n[0] < z.zone->nshards; n[0]++) {
        do {
            assert_int_equal(unit_tx(z.tx, part_free, n), NGX_OK);
        } while (n[1]);
    }
}


static void
test_store_flush_frees_everything(void **state)
{
    char         name[64];
    set_t        s;
    size_t       used;
    ngx_uint_t   k;

    flush_all();
    used = ngx_olivine_zone_used(z.zone);

    memset(&s, 0, sizeof(s));
    s.key.data = (u_char *) name;
    s.value.data = (u_char *) z.zone;
    s.value.len = 20000;

    for (k = 0; k < 500; k++) {
        s.key.len = sprintf(name, "key:%lu", (unsigned long) k);
        assert_int_equal(unit_tx(z.tx, part_set, &s), NGX_OK);
    }

    assert_true(ngx_olivine_zone_used(z.zone) > used + 500 * 20000);

    flush_all();

    assert_int_equal(ngx_olivine_zone_used(z.zone), used);

    while (ngx_olivine_heap_trim(z.tx, 100) == NGX_OK) { /* void */ }

    assert_true(z.zone->heap.backed - z.zone->heap.used <= 100);
}


/* A full zone refuses writes, and can be emptied by removing keys. */

static void
test_store_full_zone_can_be_emptied(void **state)
{
    char         name[64];
    set_t        s;
    ngx_int_t    rc;
    ngx_uint_t   k, n;

    memset(&s, 0, sizeof(s));
    s.key.data = (u_char *) name;
    s.value.data = (u_char *) z.zone;

    rc = NGX_OK;

    for (n = 0; n < 10000000; n++) {
        s.value.len = (n * 7919) % 3000;
        s.key.len = sprintf(name, "key:%lu", (unsigned long) n);

        rc = unit_tx(z.tx, part_set, &s);

        if (rc != NGX_OK) {
            break;
        }
    }

    assert_int_equal(rc, NGX_ERROR);
    assert_true(n > 20000);
    unit_audit(z.tx);

    z.tx->reserve = 1;

    for (k = 0; k < n; k++) {
        s.key.len = sprintf(name, "key:%lu", (unsigned long) k);
        assert_int_equal(unit_tx(z.tx, part_delete, &s), NGX_OK);
    }

    z.tx->reserve = 0;

    unit_audit(z.tx);

    s.key.len = sprintf(name, "again");
    assert_int_equal(unit_tx(z.tx, part_set, &s), NGX_OK);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_store_agrees_with_a_model,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                      test_store_keeps_any_value_of_a_long_key,
                                      setup, teardown),
        cmocka_unit_test_setup_teardown(test_store_scan_sees_what_stays,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_store_finds_all_that_is_due,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_store_flush_frees_everything,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_store_full_zone_can_be_emptied,
                                        setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
