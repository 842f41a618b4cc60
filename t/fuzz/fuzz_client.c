
/*
 * Copyright (C) The Olivine authors
 *
 * The first four bytes seed what happens between the pieces of the rest,
 * which a client sends: how long they are, whether it reads, what another
 * client does, ticks, a second worker.  A byte 0xfe stands for 8192 of them,
 * so that big arguments are short to write.  Whatever it was, the zone is
 * sound afterwards, and nothing of the clients is left in it.
 */

/* layer: client */


#include "peer.h"


#define FUZZ_LIMIT  (8 * 1024 * 1024)
#define FUZZ_LONG   8192


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static ngx_log_t             fuzz_log;
static ngx_cycle_t           fuzz_cycle;
static ngx_open_file_t       fuzz_file;
static ngx_olivine_worker_t  fuzz_workers[2];
static uint32_t              fuzz_seed;


/* what the other client says, a line at a time */
static const char           *fuzz_lines[] = {
    "SET k v\r\n",
    "DEL a b c k key big\r\n",
    "GET big\r\n",
    "SET big small GET\r\n",
    "DEBUG SLEEP 100\r\n",
    "FLUSHALL\r\n",
    "APPEND big more\r\n",
    "CONFIG SET requirepass \"\"\r\n",
    "DEBUG AUDIT\r\n"
};


static uint32_t
fuzz_random(uint32_t n)
{
    fuzz_seed = fuzz_seed * 1664525 + 1013904223;

    return (fuzz_seed >> 8) % n;
}


static int
fuzz_open(ngx_olivine_zone_t **zone)
{
    int                       fd;
    ngx_str_t                 err;
    ngx_uint_t                i;
    ngx_olivine_params_t      params;
    ngx_olivine_zone_conf_t   conf;

    if (ngx_pagesize == 0) {
        fuzz_file.fd = ngx_stderr;
        fuzz_log.file = &fuzz_file;
        fuzz_log.log_level = NGX_LOG_EMERG;
        fuzz_cycle.log = &fuzz_log;
        ngx_cycle = &fuzz_cycle;

        ngx_time_init();
        ngx_pagesize = getpagesize();
        ngx_cacheline_size = 64;
        ngx_pid = getpid();
    }

    ngx_olivine_params_defaults(&params);
    params.enable_debug_command = NGX_OLIVINE_DEBUG_YES;

    ngx_memzero(&conf, sizeof(conf));
    ngx_str_set(&conf.name, "fuzz");
    conf.limit = FUZZ_LIMIT;
    conf.reserve = FUZZ_LIMIT * 8 + (64 << 20);
    conf.shards = 4;
    conf.shard_size = ngx_olivine_store_shard_size(params.databases);
    conf.params = &params;

    unit_peer_must(ngx_olivine_zone_create(&conf, zone, &fd, &err) == NGX_OK);

    (*zone)->seed[0] = 1;
    (*zone)->seed[1] = 2;

    for (i = 0; i < 2; i++) {
        unit_peer_must(ngx_olivine_worker_init(&fuzz_workers[i], *zone, fd, 1,
                                               &unit_peer_host, &fuzz_log)
                       == NGX_OK);
    }

    return fd;
}


static void
fuzz_audit(ngx_olivine_zone_t *zone)
{
    u_char             err[256];
    ngx_int_t          rc;
    ngx_olivine_tx_t  *tx;

    tx = &fuzz_workers[0].tx;

    unit_peer_must(ngx_olivine_tx_lock_all(tx) == NGX_OK);
    rc = ngx_olivine_store_audit(tx, err);
    ngx_olivine_tx_unlock(tx);

    if (rc != NGX_OK) {
        fprintf(stderr, "audit: %s\n", err);
        abort();
    }

    unit_peer_must(zone->gate.word == 0 && zone->heap.receipts == 0
                   && zone->heap.orphans == 0);
}


/* A client that sleeps wakes at once. */

static void
fuzz_serve(unit_peer_t *peers)
{
    ngx_uint_t  i;

    for (i = 0; i < 2; i++) {
        ngx_olivine_worker_rung(&fuzz_workers[i]);
    }

    for (i = 0; i < 3; i++) {
        if (peers[i].closed) {
            continue;
        }

        if (peers[i].timer) {
            peers[i].timer = 0;
            peers[i].client->caller.sleep_until =
                                   ngx_min(peers[i].client->caller.sleep_until,
                                           1);
            unit_peer_go(&peers[i]);

        } else if (peers[i].wakes || peers[i].kill) {
            unit_peer_go(&peers[i]);
        }
    }
}


static void
fuzz_between(unit_peer_t *peers)
{
    uint32_t      i;
    unit_peer_t  *other;

    other = &peers[1 + fuzz_random(2)];

    switch (fuzz_random(16)) {

    case 0:
        peers[0].hold = fuzz_random(2);
        break;

    case 1:

        if (!peers[0].closed) {
            (void) unit_peer_take(&peers[0], fuzz_random(100000));
        }

        break;

    case 2:
        peers[0].step = fuzz_random(2) ? 1 + fuzz_random(10000) : 0;
        break;

    case 3:
    case 4:
        i = fuzz_random(sizeof(fuzz_lines) / sizeof(fuzz_lines[0]));

        if (!other->closed) {
            unit_peer_send(other, fuzz_lines[i], strlen(fuzz_lines[i]));
        }

        break;

    case 5:
        other->hold = fuzz_random(2);
        break;

    case 6:
        (void) ngx_olivine_worker_tick(&fuzz_workers[fuzz_random(2)],
                                       ngx_olivine_now());
        break;

    case 7:
        unit_peer_go(&peers[fuzz_random(3)]);
        break;

    case 8:
        peers[0].nag = fuzz_random(2);
        break;

    case 9:
        unit_peer_go(&peers[0]);
        break;

    default:
        break;
    }

    fuzz_serve(peers);
}


static void
fuzz_send(unit_peer_t *peer, const uint8_t *data, size_t size)
{
    size_t  i;

    static u_char  many[FUZZ_LONG];

    if (peer->closed) {
        return;
    }

    for (i = 0; i < size && peer->nin < FUZZ_LIMIT; i++) {
        if (data[i] == 0xfe) {
            ngx_memset(many, 'a' + i % 26, FUZZ_LONG);
            unit_peer_write(peer, many, FUZZ_LONG);

        } else {
            unit_peer_write(peer, &data[i], 1);
        }
    }

    unit_peer_go_on(peer, NGX_OK);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int                  fd;
    size_t               n;
    ngx_uint_t           i, k;
    unit_peer_t          peers[3];
    ngx_olivine_zone_t  *zone;

    if (size < 4) {
        return 0;
    }

    ngx_memcpy(&fuzz_seed, data, 4);
    data += 4;
    size -= 4;

    fd = fuzz_open(&zone);

    for (i = 0; i < 3; i++) {
        unit_peer_open(&peers[i], &fuzz_workers[i & 1]);
    }

    while (size) {
        n = fuzz_random(4) ? 1 + fuzz_random(64) : size;
        n = ngx_min(n, size);

        fuzz_send(&peers[0], data, n);
        fuzz_between(peers);

        data += n;
        size -= n;
    }

    /* sometimes it is cut off as it stands */

    for (k = 0; fuzz_random(4) && k < 4; k++) {
        for (i = 0; i < 3; i++) {
            peers[i].hold = 0;
            unit_peer_go(&peers[i]);
        }

        fuzz_serve(peers);
    }

    for (i = 0; i < 3; i++) {
        unit_peer_free(&peers[i]);
    }

    (void) ngx_olivine_worker_tick(&fuzz_workers[0], ngx_olivine_now());
    (void) ngx_olivine_worker_tick(&fuzz_workers[1], ngx_olivine_now());

    fuzz_audit(zone);

    ngx_olivine_worker_done(&fuzz_workers[1]);
    ngx_olivine_worker_done(&fuzz_workers[0]);
    ngx_olivine_zone_destroy(zone, fd);

    return 0;
}
