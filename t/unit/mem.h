
/*
 * Copyright (C) The Olivine authors
 *
 * A zone without a store: pages, cells, locks, log.
 */


#ifndef _UNIT_MEM_H_INCLUDED_
#define _UNIT_MEM_H_INCLUDED_


#include "unit.h"

#include "mem/ngx_olivine_journal.h"


typedef struct {
    ngx_olivine_zone_t  *zone;
    int                  fd;
    ngx_olivine_tx_t    *tx;
} unit_mem_t;


static inline void
unit_mem_conf(ngx_olivine_zone_conf_t *conf, size_t limit, ngx_uint_t shards)
{
    (void) unit_log(NGX_LOG_ERR);

    ngx_memzero(conf, sizeof(ngx_olivine_zone_conf_t));
    ngx_str_set(&conf->name, "unit");
    conf->limit = limit;
    conf->reserve = limit * 8 + UNIT_STATS;
    conf->shards = shards;
    conf->shard_size = sizeof(ngx_olivine_arena_t);
}


static inline void
unit_mem_claim(unit_mem_t *m)
{
    m->tx = calloc(1, sizeof(ngx_olivine_tx_t));
    assert_non_null(m->tx);

    assert_int_equal(ngx_olivine_slot_claim(m->tx, m->zone, m->fd, 1),
                     NGX_OK);
}


static inline void
unit_mem_create(unit_mem_t *m, size_t limit, ngx_uint_t shards)
{
    ngx_str_t                err;
    ngx_olivine_zone_conf_t  conf;

    unit_mem_conf(&conf, limit, shards);

    assert_int_equal(ngx_olivine_zone_create(&conf, &m->zone, &m->fd, &err),
                     NGX_OK);
    unit_mem_claim(m);
}


static inline void
unit_mem_destroy(unit_mem_t *m)
{
    ngx_olivine_slot_leave(m->tx);
    free(m->tx);
    ngx_olivine_zone_destroy(m->zone, m->fd);
}


static inline void
unit_mem_undo(unit_mem_t *m)
{
    ngx_olivine_tx_undo(m->tx);
    ngx_olivine_tx_unlock(m->tx);
}


/* With nothing under way: pages and cells are where they should be. */

static inline void
unit_mem_audit(unit_mem_t *m)
{
    u_char      err[256];
    ngx_uint_t  i;

    err[0] = '\0';

    assert_int_equal(ngx_olivine_tx_lock_all(m->tx), NGX_OK);
    assert_int_equal(ngx_olivine_tx_lock_heap(m->tx), NGX_OK);

    if (ngx_olivine_heap_audit(m->tx, err) == NGX_OK) {
        for (i = 0; i < m->zone->nshards; i++) {
            if (ngx_olivine_arena_audit(m->tx,
                                        ngx_olivine_zone_arena(m->zone, i),
                                        err)
                != NGX_OK)
            {
                break;
            }
        }
    }

    ngx_olivine_tx_unlock(m->tx);

    if (err[0]) {
        fail_msg("audit: %s", err);
    }
}


/* A part of a test in a transaction: OK and committed, or ERROR. */

static inline ngx_int_t
unit_mem_run(unit_mem_t *m, ngx_int_t (*part)(ngx_olivine_tx_t *tx, void *p),
    void *p)
{
    ngx_int_t  rc;

    for ( ;; ) {
        rc = part(m->tx, p);

        if (rc == NGX_OK) {
            rc = ngx_olivine_tx_commit(m->tx, NULL, 0, 0);
        }

        if (rc != NGX_OK) {
            ngx_olivine_tx_undo(m->tx);
        }

        ngx_olivine_tx_unlock(m->tx);

        if (rc != NGX_AGAIN) {
            break;
        }

        (void) ngx_olivine_tx_fetch(m->tx);
    }

    ngx_olivine_tx_fetched(m->tx);

    return rc;
}


/* Runs part while another worker has the lock of shard 1, for so long. */

static inline void
unit_mem_contend(unit_mem_t *m, ngx_int_t (*part)(ngx_olivine_tx_t *tx,
    void *data), ngx_msec_t ms)
{
    int         status, fds[2];
    char        c;
    pid_t       pid;
    unit_mem_t  other;

    assert_int_equal(pipe(fds), 0);

    pid = fork();

    if (pid == 0) {
        other = *m;
        unit_mem_claim(&other);

        if (ngx_olivine_tx_lock_shard(other.tx, 1) != NGX_OK
            || write(fds[1], "x", 1) != 1)
        {
            _exit(1);
        }

        ngx_msleep(ms);
        ngx_olivine_tx_unlock(other.tx);
        ngx_olivine_slot_leave(other.tx);

        _exit(0);
    }

    assert_int_equal(read(fds[0], &c, 1), 1);
    assert_int_equal(unit_mem_run(m, part, NULL), NGX_OK);

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    (void) close(fds[0]);
    (void) close(fds[1]);
}


#endif /* _UNIT_MEM_H_INCLUDED_ */
