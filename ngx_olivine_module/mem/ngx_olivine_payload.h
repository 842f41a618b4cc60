
/*
 * Copyright (C) The Olivine authors
 *
 * Payloads: what a record of the log does not take into the ring.  A stub of
 * eight bytes stands in the record, and the ring's queue of payloads says
 * which bytes of a run of pages it stands for: a value that is pinned, or a
 * copy that is the log's own.
 */


#ifndef _NGX_OLIVINE_PAYLOAD_H_INCLUDED_
#define _NGX_OLIVINE_PAYLOAD_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/* an argument that is longer becomes a payload */
#define NGX_OLIVINE_PAYLOAD        16384

#define NGX_OLIVINE_PAYLOAD_STUB   8

/* of all records that are not read yet; a power of two */
#define NGX_OLIVINE_PAYLOADS       256

/*
 * Of one record: with what is between them in a run as well, they still fit.
 */
#define NGX_OLIVINE_PAYLOADS_RECORD  ((NGX_OLIVINE_PAYLOADS - 1) / 2)


typedef enum {
    NGX_OLIVINE_PAYLOAD_PIN = 0,     /* a VALUE run with a pin of the log */
    NGX_OLIVINE_PAYLOAD_RUN,         /* a LOG run, freed with it */
    NGX_OLIVINE_PAYLOAD_PART         /* of the LOG run of a later one */
} ngx_olivine_payload_e;


struct ngx_olivine_payload_s {
    uint64_t   at;                   /* its stub: in the record, in the log */
    uint64_t   len;
    uint64_t   from;                 /* in the run */
    uint32_t   page;
    uint32_t   kind;
};


/*
 * In a command's transaction: a payload of the record that is being made,
 * whose stub is at that place in it.  A VALUE run that begins with the bytes,
 * of a shard that is locked, is pinned; else they are copied.
 * OK, AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_payload_add(ngx_olivine_tx_t *tx, size_t at,
    u_char *data, size_t len);

/* All of them moved by so much to the record's beginning. */
void ngx_olivine_payload_shift(ngx_olivine_tx_t *tx, size_t n);

/*
 * The record itself goes to a run, between its payloads; what is left of it
 * are stubs.  OK (len, the record's bytes are overwritten), AGAIN, ERROR.
 */
ngx_int_t ngx_olivine_payload_spill(ngx_olivine_tx_t *tx, u_char *record,
    size_t *len);

/*
 * The commit's, with the log locked: the payloads of the record that will
 * begin at the offset.  OK, or AGAIN (want_loads, or room in the journal).
 */
ngx_int_t ngx_olivine_payload_enter(ngx_olivine_tx_t *tx, uint64_t offset);

/*
 * With no lock held: whether the log can be entered what was lacking.  OK, or
 * AGAIN: not before a reader has advanced.
 */
ngx_int_t ngx_olivine_payload_wait(ngx_olivine_tx_t *tx, uint64_t pages,
    ngx_uint_t n);

/*
 * With no lock held: gives up what stands before the offset, each payload in
 * a transaction of its own.  OK; AGAIN: the gate is up, the next to call goes
 * on; ERROR: without memory.
 */
ngx_int_t ngx_olivine_payload_release(ngx_olivine_tx_t *tx, uint64_t offset);

/*
 * For readers, without a lock: those with stubs in from..to-1, in their order
 * (list: NGX_OLIVINE_PAYLOADS of them).  The number.
 */
ngx_uint_t ngx_olivine_payload_list(ngx_olivine_ring_t *ring, uint64_t from,
    uint64_t to, ngx_olivine_payload_t *list);

/*
 * With the heap locked: adds the pins and the runs that are named.  OK, or
 * ERROR with what is wrong in err.
 */
ngx_int_t ngx_olivine_payload_audit(ngx_olivine_tx_t *tx, size_t *pins,
    size_t *runs, u_char *err);

/* Pages that are kept for it. */
#define ngx_olivine_payload_pages(load)                                       \
    ((load)->kind == NGX_OLIVINE_PAYLOAD_PART                                 \
         ? 0 : ngx_olivine_pages((load)->from + (load)->len))


#endif /* _NGX_OLIVINE_PAYLOAD_H_INCLUDED_ */
