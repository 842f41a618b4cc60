
/*
 * Copyright (C) The Olivine authors
 *
 * The first four bytes seed a source of lengths, the rest is a file.  Read as
 * a whole and in pieces of those lengths it must come to the same; what is
 * said to be whole is, when it is read alone.
 */

/* layer: log */


#include "log/ngx_olivine_aof_read.h"


#define FUZZ_MAX  (1024 * 1024)


typedef struct {
    ngx_int_t             rc;
    off_t                 valid;
    off_t                 error_offset;
    uint64_t              commands;
    uint64_t              transactions;
    int64_t               timestamp;
    uint64_t              sum;            /* of arguments */
} fuzz_result_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
fuzz_args(ngx_olivine_aof_reader_t *r, fuzz_result_t *result)
{
    size_t      i;
    ngx_uint_t  n;

    if (r->args.nelts == 0) {
        abort();
    }

    for (n = 0; n < r->args.nelts; n++) {
        result->sum = result->sum * 31 + r->args.elts[n].len;

        for (i = 0; i < r->args.elts[n].len; i++) {
            result->sum = result->sum * 31 + r->args.elts[n].data[i];
        }
    }
}


/* seed 0: as a whole */

static void
fuzz_run(fuzz_result_t *result, const u_char *data, size_t size,
    uint32_t seed)
{
    u_char                    *window, *other;
    size_t                     keep, more;
    ngx_olivine_aof_reader_t   r;

    ngx_memzero(result, sizeof(fuzz_result_t));
    ngx_olivine_aof_reader_init(&r, 0, FUZZ_MAX);

    window = malloc(1);
    r.pos = window;
    r.last = window;

    for ( ;; ) {
        result->rc = ngx_olivine_aof_read(&r);

        if (result->rc == NGX_OK) {
            fuzz_args(&r, result);

            if (r.valid > r.next || r.offset >= r.next) {
                abort();
            }

            continue;
        }

        if (result->rc != NGX_AGAIN) {
            break;
        }

        keep = r.last - r.pos;

        if (r.eof || r.want <= keep) {
            abort();
        }

        if (size == 0) {
            r.eof = 1;
            continue;
        }

        seed = seed * 1664525 + (seed ? 1013904223 : 0);
        more = seed ? 1 + (seed >> 24) % ((seed >> 16 & 31) + 1) : size;
        more = ngx_min(more, size);

        other = malloc(keep + more);
        ngx_memcpy(other, r.pos, keep);
        ngx_memcpy(other + keep, data, more);

        free(window);
        window = other;

        r.pos = window;
        r.last = window + keep + more;
        data += more;
        size -= more;
    }

    result->valid = r.valid;
    result->error_offset = r.error_offset;
    result->commands = r.commands;
    result->transactions = r.transactions;
    result->timestamp = r.timestamp;

    if (result->rc == NGX_ERROR
        || (result->rc != NGX_DONE && r.error.len == 0))
    {
        abort();
    }

    free(window);
    ngx_olivine_aof_reader_free(&r);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t       seed;
    fuzz_result_t  whole, split, prefix;

    if (size < 4) {
        return 0;
    }

    ngx_memcpy(&seed, data, 4);
    data += 4;
    size -= 4;

    fuzz_run(&whole, data, size, 0);
    fuzz_run(&split, data, size, seed | 1);

    if (ngx_memcmp(&whole, &split, sizeof(fuzz_result_t)) != 0) {
        abort();
    }

    if (whole.valid > (off_t) size
        || (whole.rc == NGX_DONE) != (whole.valid == (off_t) size))
    {
        abort();
    }

    fuzz_run(&prefix, data, whole.valid, 0);

    if (prefix.rc != NGX_DONE || prefix.transactions != whole.transactions) {
        abort();
    }

    return 0;
}
