
/*
 * Copyright (C) The Olivine authors
 */


#include "mem.h"

#include <signal.h>
#include <sys/wait.h>


#define RING  4096


typedef struct {
    u_char      *data;
    size_t       len;
    size_t       room;
} bytes_t;


static unit_mem_t  m;

/* all that was logged */
static bytes_t     all;


static int
setup(void **state)
{
    unit_mem_create(&m, 16 * 1024 * 1024, 4);
    memset(&all, 0, sizeof(all));
    return 0;
}


static int
teardown(void **state)
{
    unit_mem_audit(&m);
    unit_mem_destroy(&m);
    free(all.data);
    return 0;
}


static ngx_int_t
part_attach(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_ring_attach(tx, RING, p);
}


static ngx_int_t
part_detach(ngx_olivine_tx_t *tx, void *p)
{
    return ngx_olivine_ring_detach(tx, *(ngx_uint_t *) p);
}


static ngx_uint_t
attach(void)
{
    ngx_uint_t  n;

    assert_int_equal(unit_mem_run(&m, part_attach, &n), NGX_OK);

    return n;
}


static void
detach(ngx_uint_t n)
{
    assert_int_equal(unit_mem_run(&m, part_detach, &n), NGX_OK);
}


static void
append(bytes_t *b, const void *data, size_t len)
{
    if (b->len + len > b->room) {
        b->room = (b->len + len) * 2;
        b->data = realloc(b->data, b->room);
        assert_non_null(b->data);
    }

    memcpy(b->data + b->len, data, len);
    b->len += len;
}


/* Commits a record; AGAIN if there is no credit for it. */

static ngx_int_t
log_record(ngx_olivine_tx_t *tx, const void *record, size_t len, uint32_t db)
{
    ngx_int_t  rc;

    for ( ;; ) {
        assert_int_equal(ngx_olivine_tx_lock_shard(tx, 1), NGX_OK);
        rc = ngx_olivine_tx_commit(tx, (u_char *) record, len, db);

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(tx);
        }

        ngx_olivine_tx_unlock(tx);

        if (rc == NGX_OK) {
            return NGX_OK;
        }

        assert_int_equal(rc, NGX_AGAIN);
        assert_int_equal(tx->want_credit, len + NGX_OLIVINE_RING_SELECT);

        if (ngx_olivine_tx_fetch(tx) != NGX_OK) {
            return NGX_AGAIN;
        }
    }
}


static void
reads(ngx_uint_t n, bytes_t *b, size_t max)
{
    u_char  buf[RING];
    size_t  len;

    len = ngx_olivine_ring_read(m.tx, n, buf, max);
    append(b, buf, len);
}


static void
test_ring_is_read_as_it_was_written(void **state)
{
    u_char       text[RING];
    size_t       len, most;
    bytes_t      seen[3];
    ngx_uint_t   i, k, n[3], refused;
    unsigned     seed;

    seed = (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    memset(seen, 0, sizeof(seen));
    append(&all, "*2\r\n$6\r\nSELECT\r\n$1\r\n7\r\n", 23);

    for (k = 0; k < 3; k++) {
        n[k] = attach();
    }

    refused = 0;

    for (i = 0; i < 20000; i++) {
        len = 1 + random() % (random() % 10 ? 100 : RING / 2);
        memset(text, 'a' + random() % 26, len);

        if (log_record(m.tx, text, len, 7) == NGX_OK) {
            append(&all, text, len);

        } else {
            refused++;

            /* never without a reason */

            most = 0;

            for (k = 0; k < 3; k++) {
                most = ngx_max(most, all.len - seen[k].len);
            }

            assert_true(most + m.tx->slot->credit + len
                        + NGX_OLIVINE_RING_SELECT > RING);
        }

        for (k = 0; k < 3; k++) {
            if (random() % (3 + k) == 0) {
                reads(n[k], &seen[k], 1 + random() % RING);
            }

            assert_true(all.len - seen[k].len <= RING);
        }
    }

    assert_true(refused != 0);
    assert_int_equal(m.zone->ring.tail, all.len);

    for (k = 0; k < 3; k++) {
        reads(n[k], &seen[k], RING);
        assert_int_equal(seen[k].len, all.len);
        assert_memory_equal(seen[k].data, all.data, all.len);

        detach(n[k]);
        free(seen[k].data);
    }

    assert_int_equal(m.zone->ring.size, 0);
}


static void
test_ring_states_the_database(void **state)
{
    u_char      buf[RING];
    size_t      len;
    ngx_uint_t  one, two;

    one = attach();

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_int_equal(log_record(m.tx, "b", 1, 0), NGX_OK);
    assert_int_equal(log_record(m.tx, "c", 1, 16383), NGX_OK);

    len = ngx_olivine_ring_read(m.tx, one, buf, RING);
    assert_int_equal(len, 53);
    assert_memory_equal(buf, "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\nab"
                             "*2\r\n$6\r\nSELECT\r\n$5\r\n16383\r\nc", len);

    /* for who comes later it is said again */

    two = attach();
    assert_int_equal(log_record(m.tx, "d", 1, 16383), NGX_OK);

    len = ngx_olivine_ring_read(m.tx, two, buf, RING);
    assert_int_equal(len, 28);
    assert_memory_equal(buf, "*2\r\n$6\r\nSELECT\r\n$5\r\n16383\r\nd", len);

    detach(one);
    detach(two);
}


/* Without a reader nothing is written, nor with no record. */

static void
test_ring_is_left_alone_without_readers(void **state)
{
    uint64_t    tail;
    ngx_uint_t  n;

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_int_equal(m.zone->ring.tail, 0);

    n = attach();
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    tail = m.zone->ring.tail;
    assert_true(tail != 0);

    assert_int_equal(log_record(m.tx, NULL, 0, 0), NGX_OK);
    assert_int_equal(m.zone->ring.tail, tail);

    detach(n);
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_int_equal(m.zone->ring.tail, tail);

    /* offsets only grow */

    n = attach();
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);
    assert_true(m.zone->ring.tail > tail);
    detach(n);
}


static void
test_ring_has_places_for_its_readers(void **state)
{
    ngx_uint_t  i, n, more;

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {
        n = attach();
    }

    assert_int_equal(unit_mem_run(&m, part_attach, &more), NGX_ERROR);
    detach(n);
    assert_int_equal(attach(), n);

    for (i = 0; i < NGX_OLIVINE_RING_READERS; i++) {
        detach(i);
    }
}


/* Leave to write that a worker takes into its grave is returned. */

static void
test_ring_credit_of_a_dead_worker_returns(void **state)
{
    int               status;
    pid_t             pid;
    bytes_t           seen = { NULL, 0, 0 };
    ngx_uint_t        n;
    ngx_olivine_tx_t  *own;

    n = attach();
    own = calloc(1, sizeof(ngx_olivine_tx_t));

    pid = fork();

    if (pid == 0) {
        ngx_pid = getpid();

        if (ngx_olivine_slot_claim(own, m.zone, m.fd, 1) == NGX_OK
            && ngx_olivine_ring_credit(own, RING) == NGX_OK)
        {
            (void) kill(getpid(), SIGKILL);
        }

        _exit(1);
    }

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    free(own);

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_AGAIN);
    assert_int_equal(ngx_olivine_slot_sweep_all(m.tx), 1);
    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);

    reads(n, &seen, RING);
    assert_int_equal(seen.len, 24);
    free(seen.data);
    detach(n);
}


/* Records with payloads, as one says them to log_loads(). */

typedef struct {
    const char  *text;                         /* a % is a payload */
    u_char      *data[4];
    size_t       len[4];
} record_t;


typedef struct {
    uint32_t     page[64];
    size_t       len[64];
    ngx_uint_t   n;
} values_t;


static u_char    long_text[RING * 1024];
static values_t  values;


static ngx_int_t
part_value(ngx_olivine_tx_t *tx, void *p)
{
    size_t               *len = p;
    uint32_t              page;
    ngx_int_t             rc;
    ngx_olivine_arena_t  *arena;

    arena = ngx_olivine_zone_arena(tx->zone, 1);

    if (ngx_olivine_tx_lock_shard(tx, 1) != NGX_OK) {
        return NGX_AGAIN;
    }

    rc = ngx_olivine_heap_alloc(tx, ngx_olivine_pages(*len),
                                NGX_OLIVINE_PAGE_VALUE, 1, &page);
    if (rc == NGX_OK) {
        memset(ngx_olivine_zone_page(tx->zone, page), 'A' + values.n % 26,
               *len);

        ngx_olivine_tx_set64(tx, &arena->used, arena->used
                                        + ngx_olivine_pages(*len)
                                          * NGX_OLIVINE_PAGE);
        values.page[values.n] = page;
        values.len[values.n] = *len;
    }

    return rc;
}


/* A value of shard 1, in values. */

static u_char *
value(size_t len)
{
    assert_true(values.n < 64);
    assert_int_equal(unit_mem_run(&m, part_value, &len), NGX_OK);

    return ngx_olivine_zone_page(m.zone, values.page[values.n++]);
}


static ngx_int_t
part_drop(ngx_olivine_tx_t *tx, void *p)
{
    if (ngx_olivine_tx_lock_shard(tx, 1) != NGX_OK) {
        return NGX_AGAIN;
    }

    return ngx_olivine_value_drop(tx, *(uint32_t *) p);
}


/* As if keys let go of them. */

static void
drop_values(void)
{
    while (values.n) {
        assert_int_equal(unit_mem_run(&m, part_drop, &values.page[--values.n]),
                         NGX_OK);
    }
}


/* OK; AGAIN: no room in the log; ERROR. */

static ngx_int_t
log_loads(const record_t *r, ngx_uint_t spill)
{
    u_char      buf[RING];
    size_t      len;
    ngx_int_t   rc;
    ngx_uint_t  n;
    const char *p;

    for ( ;; ) {
        assert_int_equal(ngx_olivine_tx_lock_shard(m.tx, 1), NGX_OK);

        rc = NGX_OK;
        len = 0;
        n = 0;

        for (p = r->text; *p && rc == NGX_OK; p++) {

            if (*p == '%') {
                rc = ngx_olivine_payload_add(m.tx, len, r->data[n],
                                             r->len[n]);
                memset(buf + len, 0, NGX_OLIVINE_PAYLOAD_STUB);
                len += NGX_OLIVINE_PAYLOAD_STUB;
                n++;

            } else {
                buf[len++] = *p;
            }
        }

        if (rc == NGX_OK && spill) {
            rc = ngx_olivine_payload_spill(m.tx, buf, &len);
        }

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(m.tx, buf, len, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(m.tx);
            assert_int_equal(m.tx->nloads, 0);
        }

        ngx_olivine_tx_unlock(m.tx);

        if (rc != NGX_AGAIN) {
            break;
        }

        rc = ngx_olivine_tx_fetch(m.tx);

        if (rc == NGX_DECLINED) {
            return NGX_AGAIN;
        }
    }

    if (rc == NGX_OK) {
        for (p = r->text, n = 0; *p; p++) {
            if (*p == '%') {
                append(&all, r->data[n], r->len[n]);
                n++;

            } else {
                append(&all, p, 1);
            }
        }
    }

    return rc;
}


/* The queue, runs and pins are of one mind. */

static void
audit_loads(void)
{
    u_char               err[256];
    size_t               pins, runs;
    uint32_t             page;
    ngx_olivine_page_t  *p;

    pins = 0;
    runs = 0;

    if (ngx_olivine_payload_audit(m.tx, &pins, &runs, err) != NGX_OK) {
        fail_msg("audit: %s", err);
    }

    for (page = m.zone->heap.first; page < m.zone->heap.last;
         page += p->pages)
    {
        p = &m.zone->pages[page];

        if (p->kind == NGX_OLIVINE_PAGE_VALUE) {
            pins -= p->prev;
        }

        if (p->kind == NGX_OLIVINE_PAGE_LOG) {
            runs--;
        }
    }

    assert_int_equal(pins, 0);
    assert_int_equal(runs, 0);
}


/* Looks at all from the reader's offset on, max pieces at a time. */

static void
looks(ngx_uint_t n, bytes_t *b, ngx_uint_t max, ngx_uint_t times)
{
    size_t         bytes, sum;
    uint64_t       offset, end;
    ngx_uint_t     i, count;
    struct iovec   iov[32];

    assert_true(max <= 32);
    offset = m.zone->ring.offsets[n] - 1;

    while (times-- && offset < m.zone->ring.tail) {
        count = ngx_olivine_ring_peek(m.zone, offset, m.zone->ring.tail, iov,
                                      max, &end, &bytes);
        assert_true(count != 0 && count <= max);
        assert_true(end > offset && end <= m.zone->ring.tail);

        for (i = 0, sum = 0; i < count; i++) {
            append(b, iov[i].iov_base, iov[i].iov_len);
            sum += iov[i].iov_len;
        }

        assert_int_equal(sum, bytes);
        offset = end;
    }

    ngx_olivine_ring_advance(m.tx, n, offset);
}


#define SELECT_0  "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n"


static void
test_ring_refers_to_payloads(void **state)
{
    u_char      *v;
    bytes_t      seen[2];
    record_t     r = { "set<%>and<%>.", { NULL }, { 20000, 30000 } };
    ngx_uint_t   one, two;

    memset(seen, 0, sizeof(seen));
    memset(long_text, 'x', sizeof(long_text));
    append(&all, SELECT_0, sizeof(SELECT_0) - 1);

    one = attach();
    two = attach();

    v = value(20000);
    r.data[0] = v;
    r.data[1] = long_text;

    assert_int_equal(log_loads(&r, 0), NGX_OK);

    assert_int_equal(m.zone->ring.tail, 23 + 4 + 8 + 5 + 8 + 2);
    assert_int_equal(m.zone->pages[values.page[0]].prev, 1);
    assert_int_equal(m.zone->ring.held, 5 + 8);
    assert_int_equal(m.zone->ring.copies, 8);
    audit_loads();

    /* the copy is the log's own, the value stays as it was */

    memset(long_text, 'y', sizeof(long_text));
    drop_values();
    assert_int_equal(m.zone->heap.orphans, 5);

    looks(one, &seen[0], 32, 1);
    assert_int_equal(seen[0].len, all.len);
    assert_memory_equal(seen[0].data, all.data, all.len);
    assert_int_equal(m.zone->ring.held, 13);

    looks(two, &seen[1], 1, 1);
    assert_int_equal(m.zone->ring.held, 13);

    looks(two, &seen[1], 1, 1);
    assert_int_equal(m.zone->ring.held, 8);
    assert_int_equal(m.zone->heap.orphans, 0);
    audit_loads();

    looks(two, &seen[1], 1, 100);
    assert_int_equal(seen[1].len, all.len);
    assert_memory_equal(seen[1].data, all.data, all.len);
    assert_int_equal(m.zone->ring.held, 0);
    assert_int_equal(m.zone->ring.copies, 0);
    audit_loads();

    detach(one);
    detach(two);
    free(seen[0].data);
    free(seen[1].data);
}


/* What nobody will read goes, too. */

static void
test_ring_payloads_go_with_the_last_reader(void **state)
{
    record_t     r = { "%", { NULL }, { 20000 } };
    ngx_uint_t   one, two;

    one = attach();
    r.data[0] = value(20000);
    assert_int_equal(log_loads(&r, 0), NGX_OK);
    r.data[0] = long_text;
    assert_int_equal(log_loads(&r, 0), NGX_OK);
    drop_values();

    two = attach();
    assert_int_equal(log_loads(&r, 0), NGX_OK);

    detach(one);
    ngx_olivine_ring_release(m.tx);
    assert_int_equal(m.zone->ring.held, 5);
    assert_int_equal(m.zone->heap.orphans, 0);
    audit_loads();

    detach(two);
    ngx_olivine_ring_release(m.tx);
    assert_int_equal(m.zone->ring.held, 0);
    audit_loads();
}


static void
test_ring_payloads_have_bounds(void **state)
{
    bytes_t      seen = { NULL, 0, 0 };
    record_t     r = { "%", { long_text }, { NGX_OLIVINE_PAYLOAD + 1 } };
    ngx_uint_t   n, i;

    append(&all, SELECT_0, sizeof(SELECT_0) - 1);
    n = attach();

    /* a fifth of the zone is too much, if it is not alone */

    r.len[0] = sizeof(long_text) - 100;
    assert_int_equal(log_loads(&r, 0), NGX_OK);
    r.len[0] = 20000;
    assert_int_equal(log_loads(&r, 0), NGX_AGAIN);
    assert_int_equal(m.zone->ring.waiting, 1);

    looks(n, &seen, 32, 10);
    assert_int_equal(m.zone->ring.waiting, 0);
    assert_true(m.tx->slot->hints & NGX_OLIVINE_HINT_CREDIT);
    assert_int_equal(log_loads(&r, 0), NGX_OK);

    m.tx->slot->hints = 0;
    looks(n, &seen, 32, 10);
    assert_false(m.tx->slot->hints & NGX_OLIVINE_HINT_CREDIT);

    /* so is another one when there are as many as can be */

    r.len[0] = 4000;

    for (i = 0; i < NGX_OLIVINE_PAYLOADS; i++) {
        assert_int_equal(log_loads(&r, 0), NGX_OK);
    }

    assert_int_equal(log_loads(&r, 0), NGX_AGAIN);
    audit_loads();
    looks(n, &seen, 1, 2);
    assert_int_equal(log_loads(&r, 0), NGX_OK);
    assert_int_equal(log_loads(&r, 0), NGX_OK);
    assert_int_equal(log_loads(&r, 0), NGX_AGAIN);
    audit_loads();

    looks(n, &seen, 32, 1000);
    assert_int_equal(seen.len, all.len);
    assert_memory_equal(seen.data, all.data, all.len);
    assert_int_equal(m.zone->ring.held, 0);

    detach(n);
    free(seen.data);
}


/* A record that is too long itself. */

static void
test_ring_record_goes_to_a_run(void **state)
{
    bytes_t      seen = { NULL, 0, 0 };
    record_t     r = { "%one<%>two<%>end", { NULL },
                       { 20000, 30000, 17000 } };
    uint64_t     tail;
    ngx_uint_t   n;

    append(&all, SELECT_0, sizeof(SELECT_0) - 1);
    n = attach();

    r.data[0] = value(20000);
    r.data[1] = long_text;
    r.data[2] = value(17000);

    assert_int_equal(log_record(m.tx, "-", 1, 0), NGX_OK);
    append(&all, "-", 1);
    tail = m.zone->ring.tail;

    assert_int_equal(log_loads(&r, 1), NGX_OK);
    assert_int_equal(m.zone->ring.tail, tail + 6 * 8);
    assert_int_equal(m.zone->ring.held, 5 + 8 + 5 + 1);
    assert_int_equal(m.zone->ring.copies, 8 + 1);
    audit_loads();

    r.text = "just text";
    assert_int_equal(log_loads(&r, 1), NGX_OK);
    assert_int_equal(m.zone->ring.tail, tail + 7 * 8);

    looks(n, &seen, 3, 100);
    assert_int_equal(seen.len, all.len);
    assert_memory_equal(seen.data, all.data, all.len);
    assert_int_equal(m.zone->ring.held, 0);
    audit_loads();

    drop_values();
    detach(n);
    free(seen.data);
}


static void
test_ring_payloads_by_chance(void **state)
{
    char         text[200];
    size_t       len;
    bytes_t      seen[3];
    record_t     r;
    ngx_uint_t   i, k, n[3], loads, refused;
    unsigned     seed;

    seed = (unsigned) time(NULL);
    print_message("seed %u\n", seed);
    srandom(seed);

    memset(seen, 0, sizeof(seen));
    append(&all, SELECT_0, sizeof(SELECT_0) - 1);
    r.text = text;

    for (k = 0; k < 3; k++) {
        n[k] = attach();
    }

    for (i = 0, refused = 0; i < 1000; i++) {
        loads = 0;

        for (len = 0; len < 1 + (size_t) random() % 150; len++) {
            text[len] = 'a' + random() % 26;

            if (loads < 4 && random() % 40 == 0) {
                text[len] = '%';
                r.len[loads] = 1 + random() % 40000;
                r.data[loads] = values.n < 64 && random() % 2
                                ? value(r.len[loads])
                                : long_text + random() % 1000;
                loads++;
            }
        }

        text[len] = '\0';

        refused += (log_loads(&r, random() % 5 == 0) == NGX_AGAIN);

        if (random() % 10 == 0) {
            drop_values();
        }

        for (k = 0; k < 3; k++) {
            if (random() % (25 + k * 40) == 0) {
                looks(n[k], &seen[k], 1 + random() % 32,
                      1 + random() % 20);
            }
        }

        if (i % 10 == 0) {
            audit_loads();
        }
    }

    print_message("%lu refused\n", (unsigned long) refused);
    drop_values();

    for (k = 0; k < 3; k++) {
        looks(n[k], &seen[k], 32, 1000);
        assert_int_equal(seen[k].len, all.len);
        assert_memory_equal(seen[k].data, all.data, all.len);
        detach(n[k]);
        free(seen[k].data);
    }

    audit_loads();
    assert_int_equal(m.zone->ring.held, 0);
    assert_int_equal(m.zone->heap.orphans, 0);
}


static void
test_ring_has_a_size_for_each_zone(void **state)
{
    assert_int_equal(ngx_olivine_ring_size(8 << 20), 512 << 10);
    assert_int_equal(ngx_olivine_ring_size(31 << 20), 1 << 20);
    assert_int_equal(ngx_olivine_ring_size(32 << 20), 2 << 20);
    assert_int_equal(ngx_olivine_ring_size((size_t) 1 << 30), 64 << 20);
    assert_int_equal(ngx_olivine_ring_size((size_t) 1 << 40), 64 << 20);
}


/* An idle worker's leave to write is for who needs it. */

static void
test_ring_credit_is_yielded(void **state)
{
    ngx_uint_t          n;
    ngx_olivine_tx_t   *other;

    other = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_non_null(other);

    n = attach();
    assert_int_equal(ngx_olivine_slot_claim(other, m.zone, m.fd, 1), NGX_OK);
    assert_int_equal(ngx_olivine_ring_credit(other, RING), NGX_OK);

    /* who has enough is given no more */

    assert_int_equal(ngx_olivine_ring_credit(other, RING), NGX_OK);
    assert_int_equal(other->slot->credit, RING);

    ngx_olivine_ring_portion(m.tx);
    assert_int_equal(m.tx->slot->credit, 0);
    assert_int_equal(m.zone->ring.waiting, 0);

    ngx_olivine_ring_yield(other);
    assert_int_equal(other->slot->credit, RING);

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_AGAIN);
    assert_int_equal(m.zone->ring.waiting, 1);

    m.tx->slot->hints = 0;
    ngx_olivine_ring_yield(other);
    assert_int_equal(other->slot->credit, 0);
    assert_true(m.tx->slot->hints & NGX_OLIVINE_HINT_CREDIT);

    assert_int_equal(log_record(m.tx, "a", 1, 0), NGX_OK);

    m.tx->slot->credit = 0;
    ngx_olivine_ring_portion(m.tx);
    assert_int_equal(m.tx->slot->credit, RING / 64);

    ngx_olivine_slot_leave(other);
    free(other);
    detach(n);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test_setup_teardown(test_ring_is_read_as_it_was_written,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_states_the_database,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                       test_ring_is_left_alone_without_readers,
                                       setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_has_places_for_its_readers,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                     test_ring_credit_of_a_dead_worker_returns,
                                     setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_refers_to_payloads,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(
                                    test_ring_payloads_go_with_the_last_reader,
                                    setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_payloads_have_bounds,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_record_goes_to_a_run,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_payloads_by_chance,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_has_a_size_for_each_zone,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_ring_credit_is_yielded,
                                        setup, teardown),
    };

    return unit_run(tests);
}
