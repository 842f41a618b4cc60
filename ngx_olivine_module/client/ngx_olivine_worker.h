
/*
 * Copyright (C) The Olivine authors
 *
 * A worker: what a process has of a zone, and its background work.  Only its
 * main thread uses it.
 */


#ifndef _NGX_OLIVINE_WORKER_H_INCLUDED_
#define _NGX_OLIVINE_WORKER_H_INCLUDED_


#include "log/ngx_olivine_aof_switch.h"
#include "log/ngx_olivine_save.h"
#include "command/ngx_olivine_load.h"
#include "command/ngx_olivine_command.h"


/* the size of an input buffer; it grows with commands that are larger */
#define NGX_OLIVINE_INPUT   32768

/* an argument of this length is received into its final place */
#define NGX_OLIVINE_BIG     32768


typedef struct ngx_olivine_worker_s  ngx_olivine_worker_t;


/* What the core asks of its host. */
typedef struct {
    /*
     * A parked client may go on: call ngx_olivine_client_run() from the
     * event loop, not from inside this call.
     */
    void  (*wake)(ngx_olivine_client_t *client);

    /* The same when all others that are ready had their turn. */
    void  (*later)(ngx_olivine_client_t *client);

    /* The same after so many milliseconds; one timer a client. */
    void  (*timer)(ngx_olivine_client_t *client, ngx_msec_t ms);

    /*
     * Close the client soon, not from inside this call: its pin is old, or it
     * was over its soft output limit for too long.  May be called again.
     */
    void  (*close)(ngx_olivine_client_t *client);

    /*
     * SHUTDOWN was called, here or in another worker: the process that workers
     * belong to is to end in order.
     */
    void  (*shutdown)(ngx_olivine_worker_t *worker);

    /*
     * Call ngx_olivine_worker_flush() when all events of this pass of the
     * loop have been looked after; or later: those of the next one.
     */
    void  (*flush)(ngx_olivine_worker_t *worker, ngx_uint_t later);

    /* Call ngx_olivine_worker_tick() in the next pass of the loop. */
    void  (*tick)(ngx_olivine_worker_t *worker);

    /* Replies that ngx_olivine_client_holds() kept back may be sent. */
    void  (*release)(ngx_olivine_client_t *client);
} ngx_olivine_host_t;


/* hashes of a batch's keys: as many as have room in the nearer caches */
#define NGX_OLIVINE_HASHES      256


/* A command that was parsed: its arguments are args[first..first+argc-1]. */
typedef struct {
    const ngx_olivine_command_t  *command;   /* NULL: unknown */
    uint32_t                      first;
    uint32_t                      argc;
    uint64_t                      hash;      /* of its first key */
    uint32_t                      hashes;    /* of all: in the worker's, as
                                                long as the batch is */
    uint16_t                      hashed;    /* their number */
    uint8_t                       dropped;   /* an argument found no room */
    uint8_t                       tell;      /* of its request */
} ngx_olivine_item_t;


/* A pipeline's next commands. */
typedef struct {
    ngx_uint_t                    n;
    ngx_uint_t                    next;      /* to be run */
    ngx_int_t                     parsed;    /* what comes behind: OK, AGAIN,
                                                BUSY, ABORT (err) */
    ngx_str_t                     err;
    u_char                        text[NGX_OLIVINE_RESP_ERROR];
    ngx_olivine_args_t            args;
    ngx_olivine_item_t            items[NGX_OLIVINE_BATCH];
} ngx_olivine_batch_t;


struct ngx_olivine_worker_s {
    ngx_olivine_zone_t           *zone;
    ngx_olivine_tx_t              tx;
    ngx_olivine_cx_t              cx;
    const ngx_olivine_host_t     *host;
    void                         *data;      /* the host's own */
    ngx_log_t                    *log;

    ngx_queue_t                   clients;
    ngx_queue_t                   parked;
    ngx_queue_t                   held;      /* their replies wait for the
                                                append-only file */
    ngx_queue_t                   monitors;  /* those in MONITOR */
    ngx_uint_t                    nclients;
    ngx_uint_t                    nsoft;     /* over their soft output limit */
    ngx_queue_t                  *look;      /* client to be looked at next
                                                for its idleness, or NULL */

    ngx_olivine_aof_t            *aof;
    ngx_olivine_load_t           *load;      /* NULL: nothing is loaded here */
    ngx_olivine_saver_t          *saver;     /* NULL: none was written here */
    int64_t                       looked;    /* whether files are as they are
                                                to be, milliseconds */

    ngx_olivine_reply_pool_t      replies;
    ngx_olivine_batch_t          *batch;     /* the one being run */
    uint64_t                      hashes[NGX_OLIVINE_HASHES];
                                             /* of its keys */
    u_char                       *spare;     /* an input buffer, or NULL */
    size_t                        inputs;    /* bytes of clients' buffers */

    uint32_t                      params_version;
    ngx_olivine_params_t          params;    /* copy of the running ones */

    ngx_olivine_caller_t          self;      /* of internal commands */
    ngx_olivine_bus_row_t         none;      /* of those without one */
    ngx_olivine_reply_t           sink;      /* theirs, always empty */
    uint32_t                      shard;     /* the tick's next */
    uint32_t                      sweep;

    /* holdings + 1 whose release met the gate */
    uint32_t                     *unpins;
    ngx_uint_t                    nunpins;
    ngx_uint_t                    aunpins;

    int64_t                       wall;      /* last wall clock, to notice
                                                when it goes back */

    /* the name that was looked up last: pipelines repeat themselves */
    uint64_t                      name[2];
    const ngx_olivine_command_t  *command;

    unsigned                      running:1; /* inside a command */
    unsigned                      leave:1;   /* its slot is asked for */
    unsigned                      ending:1;  /* SHUTDOWN was called */
};


/*
 * Claims a slot.  cycle: the generation of the configuration.  OK; DECLINED:
 * no slot is free; ERROR.
 */
ngx_int_t ngx_olivine_worker_init(ngx_olivine_worker_t *worker,
    ngx_olivine_zone_t *zone, int fd, uint32_t cycle,
    const ngx_olivine_host_t *host, ngx_log_t *log);

/* All clients were closed: leaves the slot and frees the worker's memory. */
void ngx_olivine_worker_done(ngx_olivine_worker_t *worker);

/*
 * Background work, a slice of it: expiry, freeing, dead slots, returning
 * pages.  now: wall clock, milliseconds.  Returns the milliseconds after
 * which to call it again.
 */
ngx_msec_t ngx_olivine_worker_tick(ngx_olivine_worker_t *worker,
    int64_t now);

/* The doorbell rang: looks at the hints, wakes parked clients. */
void ngx_olivine_worker_rung(ngx_olivine_worker_t *worker);

/* Writes the append-only file, and lets replies go that waited for it. */
void ngx_olivine_worker_flush(ngx_olivine_worker_t *worker);

/* Tells the zone how much memory the clients take. */
#define ngx_olivine_worker_gauge(worker)                                      \
    (worker)->tx.slot->buffers = (worker)->inputs + (worker)->replies.used    \
                                 + (worker)->nclients                         \
                                   * sizeof(ngx_olivine_client_t)

/* Takes over parameters that changed. */
void ngx_olivine_worker_refresh(ngx_olivine_worker_t *worker);

/* Gives up a holding, now or, if the gate is up, at a later tick. */
void ngx_olivine_worker_unpin(ngx_olivine_worker_t *worker, uint32_t index);


#endif /* _NGX_OLIVINE_WORKER_H_INCLUDED_ */
