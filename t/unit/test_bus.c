
/*
 * Copyright (C) The Olivine authors
 *
 * Rows, their texts, orders, and the pause.
 */

/* layer: bus */


#include "mem.h"

#include "bus/ngx_olivine_bus.h"


static unit_mem_t  m;


static int
setup(void **state)
{
    unit_mem_create(&m, 16 * 1024 * 1024, 2);
    return 0;
}


static int
teardown(void **state)
{
    unit_mem_destroy(&m);
    return 0;
}


static ngx_olivine_bus_row_t *
client(uint64_t id)
{
    ngx_str_t               addr = ngx_string("10.0.0.1:40000");
    ngx_str_t               laddr = ngx_string("10.0.0.2:6379");
    ngx_olivine_bus_row_t  *row;

    assert_int_equal(ngx_olivine_bus_open(m.tx, &addr, &laddr, &row), NGX_OK);
    row->id = id;

    return row;
}


static void
set(ngx_olivine_bus_row_t *row, ngx_olivine_bus_text_e which, u_char *text,
    size_t len)
{
    ngx_int_t  rc;
    ngx_str_t  s = { len, text };

    do {
        rc = ngx_olivine_bus_set(m.tx, row, which, &s);

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(m.tx, NULL, 0, 0);

        } else {
            ngx_olivine_tx_undo(m.tx);
        }

        ngx_olivine_tx_unlock(m.tx);

        if (rc == NGX_AGAIN) {
            assert_int_equal(ngx_olivine_tx_fetch(m.tx), NGX_OK);
        }

    } while (rc == NGX_AGAIN);

    assert_int_equal(rc, NGX_OK);
}


static ngx_uint_t
rows(void)
{
    uint32_t    n;
    ngx_uint_t  used;

    for (n = 1, used = 0; n < m.zone->rows.high; n++) {
        used += (ngx_olivine_row_at(m.zone, n)->owner != 0);
    }

    return used;
}


static void
audit(void)
{
    u_char     err[256];
    ngx_int_t  rc;

    rc = ngx_olivine_row_audit(m.tx, err);
    ngx_olivine_tx_unlock(m.tx);

    if (rc != NGX_OK) {
        fail_msg("%s", err);
    }
}


static void
test_bus_row_is_made_read_and_given_back(void **state)
{
    uint32_t                   n;
    ngx_olivine_bus_row_t     *row;
    ngx_olivine_bus_client_t   copy;

    row = client(5);
    n = ngx_olivine_row_number(m.zone, row);

    assert_int_equal(row->multi, -1);
    assert_int_equal(rows(), 1);
    assert_int_equal(ngx_olivine_bus_read(m.tx, n, &copy), NGX_OK);
    assert_int_equal(copy.row.id, 5);
    assert_int_equal(copy.texts[NGX_OLIVINE_BUS_ADDR].len, 14);
    assert_memory_equal(copy.texts[NGX_OLIVINE_BUS_ADDR].data,
                        "10.0.0.1:40000", 14);
    assert_memory_equal(copy.texts[NGX_OLIVINE_BUS_LADDR].data,
                        "10.0.0.2:6379", 13);
    assert_int_equal(copy.texts[NGX_OLIVINE_BUS_NAME].len, 0);

    ngx_olivine_bus_close(m.tx, row);

    assert_int_equal(rows(), 0);
    assert_int_equal(ngx_olivine_bus_read(m.tx, n, &copy), NGX_DECLINED);
    assert_int_equal(ngx_olivine_bus_read(m.tx, 999999, &copy), NGX_DECLINED);
    audit();
}


static void
test_bus_texts_of_any_length_are_kept_apart(void **state)
{
    u_char                     buf[NGX_OLIVINE_BUS_TEXT];
    u_char                     text[3][NGX_OLIVINE_BUS_TEXT];
    size_t                     i, len[3] = { 0, 0, 0 };
    uint32_t                   n;
    ngx_str_t                  s;
    ngx_uint_t                 k, round;
    ngx_olivine_bus_row_t     *row, *other;
    ngx_olivine_bus_client_t   copy;

    row = client(1);
    other = client(2);
    n = ngx_olivine_row_number(m.zone, row);

    srand(7);

    for (round = 0; round < 400; round++) {
        k = rand() % 3;
        len[k] = rand() % (round % 4 ? 60 : NGX_OLIVINE_BUS_TEXT + 1);

        for (i = 0; i < len[k]; i++) {
            text[k][i] = 'a' + rand() % 26;
        }

        set(row, NGX_OLIVINE_BUS_NAME + k, text[k], len[k]);
        audit();

        assert_int_equal(ngx_olivine_bus_read(m.tx, n, &copy), NGX_OK);

        for (k = 0; k < 3; k++) {
            s = copy.texts[NGX_OLIVINE_BUS_NAME + k];
            assert_int_equal(s.len, len[k]);
            assert_memory_equal(s.data, text[k], len[k]);

            ngx_olivine_bus_get(m.zone, row, NGX_OLIVINE_BUS_NAME + k, &s,
                                buf);
            assert_int_equal(s.len, len[k]);
            assert_memory_equal(s.data, text[k], len[k]);
        }

        ngx_olivine_bus_get(m.zone, row, NGX_OLIVINE_BUS_ADDR, &s, buf);
        assert_memory_equal(s.data, "10.0.0.1:40000", 14);
    }

    /* rows of texts are no clients */

    for (n = 1, k = 0; n < m.zone->rows.high; n++) {
        k += (ngx_olivine_bus_read(m.tx, n, &copy) == NGX_OK);
    }

    assert_int_equal(k, 2);

    ngx_olivine_bus_close(m.tx, row);
    ngx_olivine_bus_close(m.tx, other);
    assert_int_equal(rows(), 0);
    audit();
}


static void
test_bus_long_addresses_take_more_rows(void **state)
{
    u_char                     text[300];
    uint32_t                   n;
    ngx_str_t                  addr = { sizeof(text), text };
    ngx_olivine_bus_row_t     *row;
    ngx_olivine_bus_client_t   copy;

    memset(text, 'p', sizeof(text));

    assert_int_equal(ngx_olivine_bus_open(m.tx, &addr, &addr, &row), NGX_OK);
    row->id = 3;
    n = ngx_olivine_row_number(m.zone, row);

    assert_int_equal(rows(), 4);
    assert_int_equal(ngx_olivine_bus_read(m.tx, n, &copy), NGX_OK);
    assert_int_equal(copy.texts[NGX_OLIVINE_BUS_LADDR].len, 300);
    assert_memory_equal(copy.texts[NGX_OLIVINE_BUS_LADDR].data, text, 300);

    ngx_olivine_bus_close(m.tx, row);
    assert_int_equal(rows(), 0);
}


static void
test_bus_is_full_some_time(void **state)
{
    ngx_str_t               addr = ngx_string("x");
    ngx_int_t               rc;
    ngx_uint_t              n;
    ngx_olivine_bus_row_t  *row, *last;

    last = NULL;

    for (n = 0; /* void */ ; n++) {
        rc = ngx_olivine_bus_open(m.tx, &addr, &addr, &row);

        if (rc != NGX_OK) {
            break;
        }

        last = row;
    }

    assert_int_equal(rc, NGX_DECLINED);
    assert_int_equal(n, m.zone->rows.places - 1);

    ngx_olivine_bus_close(m.tx, last);
    assert_int_equal(ngx_olivine_bus_open(m.tx, &addr, &addr, &row), NGX_OK);
    audit();
}


static void
test_bus_orders_reach_the_client_that_was_meant(void **state)
{
    uint32_t                   n;
    ngx_olivine_bus_row_t     *row;
    ngx_olivine_bus_client_t   copy;

    row = client(8);
    n = ngx_olivine_row_number(m.zone, row);

    assert_int_equal(ngx_olivine_bus_order(m.tx, n, 7, NGX_OLIVINE_BUS_KILL),
                     NGX_DECLINED);
    assert_int_equal(row->orders, 0);
    assert_int_equal(m.tx->slot->ordered, 0);

    assert_int_equal(ngx_olivine_bus_order(m.tx, n, 8, NGX_OLIVINE_BUS_KILL),
                     NGX_OK);
    assert_int_equal(row->orders, NGX_OLIVINE_BUS_KILL);
    assert_int_equal(m.tx->slot->ordered, 1);

    /* who is being closed is no longer seen */

    assert_int_equal(ngx_olivine_bus_read(m.tx, n, &copy), NGX_DECLINED);

    ngx_olivine_bus_close(m.tx, row);
    assert_int_equal(ngx_olivine_bus_order(m.tx, n, 8, NGX_OLIVINE_BUS_KILL),
                     NGX_DECLINED);

    row = client(9);
    assert_int_equal(ngx_olivine_row_number(m.zone, row), n);
    assert_int_equal(row->orders, 0);
    ngx_olivine_bus_close(m.tx, row);
}


static void
test_bus_command_is_cut(void **state)
{
    uint32_t                   n;
    ngx_str_t                  name = ngx_string("get");
    ngx_str_t                  longer = ngx_string("some|subcommand-with-a-very"
                                                   "-long-name");
    ngx_olivine_bus_row_t     *row;
    ngx_olivine_bus_client_t   copy;

    row = client(1);
    n = ngx_olivine_row_number(m.zone, row);

    ngx_olivine_bus_command(row, &longer);
    assert_int_equal(ngx_olivine_bus_read(m.tx, n, &copy), NGX_OK);
    assert_int_equal(copy.row.command_len, NGX_OLIVINE_BUS_COMMAND);

    ngx_olivine_bus_command(row, &name);
    assert_int_equal(ngx_olivine_bus_read(m.tx, n, &copy), NGX_OK);
    assert_int_equal(copy.row.command_len, 3);
    assert_memory_equal(copy.row.command, "get", 3);
    assert_int_equal(copy.row.seq & 1, 0);

    ngx_olivine_bus_close(m.tx, row);
}


static void
test_bus_pause_is_neither_eased_nor_shortened(void **state)
{
    int64_t              until;
    ngx_olivine_zone_t  *z = m.zone;

    assert_int_equal(ngx_olivine_pause(z, 1000), NGX_OLIVINE_PAUSE_NONE);

    ngx_olivine_pause_begin(z, NGX_OLIVINE_PAUSE_WRITE, 2000, 1000);
    assert_int_equal(ngx_olivine_pause(z, 1999), NGX_OLIVINE_PAUSE_WRITE);

    ngx_olivine_pause_begin(z, NGX_OLIVINE_PAUSE_ALL, 1500, 1000);
    assert_int_equal(ngx_olivine_pause_look(z, 1999, &until),
                     NGX_OLIVINE_PAUSE_ALL);
    assert_int_equal(until, 2000);

    ngx_olivine_pause_begin(z, NGX_OLIVINE_PAUSE_WRITE, 3000, 1000);
    assert_int_equal(ngx_olivine_pause_look(z, 1999, &until),
                     NGX_OLIVINE_PAUSE_ALL);
    assert_int_equal(until, 3000);

    /* it is over, and the next begins anew */

    assert_int_equal(ngx_olivine_pause(z, 3000), NGX_OLIVINE_PAUSE_NONE);
    assert_int_equal(z->pause, 0);

    ngx_olivine_pause_begin(z, NGX_OLIVINE_PAUSE_ALL, 4000, 3000);
    ngx_olivine_pause_begin(z, NGX_OLIVINE_PAUSE_WRITE, 5000, 4500);
    assert_int_equal(ngx_olivine_pause(z, 4500), NGX_OLIVINE_PAUSE_WRITE);

    ngx_olivine_pause_end(z);
    assert_int_equal(ngx_olivine_pause(z, 4500), NGX_OLIVINE_PAUSE_NONE);

    ngx_olivine_pause_begin(z, NGX_OLIVINE_PAUSE_ALL, NGX_OLIVINE_PAUSE_MAX,
                            4500);
    assert_int_equal(ngx_olivine_pause_look(z, INT64_MAX / 16, &until),
                     NGX_OLIVINE_PAUSE_ALL);
    assert_true(until == NGX_OLIVINE_PAUSE_MAX);
}


#define bus_test(test)  cmocka_unit_test_setup_teardown(test, setup, teardown)


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        bus_test(test_bus_row_is_made_read_and_given_back),
        bus_test(test_bus_texts_of_any_length_are_kept_apart),
        bus_test(test_bus_long_addresses_take_more_rows),
        bus_test(test_bus_is_full_some_time),
        bus_test(test_bus_orders_reach_the_client_that_was_meant),
        bus_test(test_bus_command_is_cut),
        bus_test(test_bus_pause_is_neither_eased_nor_shortened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
