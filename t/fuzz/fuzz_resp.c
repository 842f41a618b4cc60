/*
 * Copyright (C) The Olivine authors
 *
 * The first four bytes seed a source of lengths, the rest is what a client
 * sends.  Fed as a whole, in pieces of those lengths, and in such pieces with
 * big bulks received aside, it must parse to the same.  Between two pieces
 * the bytes move to memory of just their size.
 */

/* layer: resp */


#include "resp/ngx_olivine_resp_parse.h"


#define FUZZ_BIG  24


typedef struct {
    ngx_olivine_resp_parser_t  parser;
    ngx_olivine_args_t         args;
    ngx_olivine_args_t         own;

    u_char                    *buf;
    size_t                     len;

    u_char                    *run;
    size_t                     want;
    size_t                     have;

    u_char                    *out;
    size_t                     nout;
    size_t                     room;
} fuzz_client_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
fuzz_note(fuzz_client_t *c, const void *data, size_t len)
{
    if (c->room - c->nout < len) {
        c->room = 2 * (c->nout + len);
        c->out = realloc(c->out, c->room);
    }

    ngx_memcpy(c->out + c->nout, data, len);
    c->nout += len;
}


static ngx_olivine_args_t *
fuzz_args(fuzz_client_t *c)
{
    return c->own.nelts ? &c->own : &c->args;
}


static void
fuzz_command(fuzz_client_t *c, ngx_olivine_args_t *args)
{
    uint32_t            i;
    ngx_olivine_arg_t  *arg;

    for (i = 0; i < c->parser.argc; i++) {
        arg = &args->elts[c->parser.first + i];

        fuzz_note(c, &arg->len, sizeof(size_t));
        fuzz_note(c, arg->data, arg->len);
        free(arg->run);
    }

    fuzz_note(c, ";", 1);
}


/* the part of these bytes that belongs to a big bulk */

static size_t
fuzz_receive(fuzz_client_t *c, const u_char *p, size_t len)
{
    len = ngx_min(len, c->want - c->have);
    ngx_memcpy(c->run + c->have, p, len);
    c->have += len;

    if (c->have == c->want) {
        if (ngx_olivine_resp_bulk_done(&c->parser, fuzz_args(c), c->run,
                                       c->run)
            != NGX_OK)
        {
            abort();
        }

        c->run = NULL;
        c->want = 0;
    }

    return len;
}


static ngx_int_t
fuzz_parse(fuzz_client_t *c, u_char **pos, size_t big)
{
    u_char                     text[NGX_OLIVINE_RESP_ERROR];
    ngx_int_t                  rc;
    ngx_str_t                  err;
    ngx_olivine_args_t        *args;
    ngx_olivine_resp_limits_t  limits;

    limits.max_args = 1024 * 1024;
    limits.max_bulk = 1024 * 1024;
    limits.max_inline = 200;
    limits.big = big;
    limits.authenticated = 1;

    args = fuzz_args(c);

    do {
        err.data = text;
        err.len = 0;

        rc = ngx_olivine_resp_parse(&c->parser, pos, c->buf + c->len, args,
                                    &limits, &err);

        if (rc == NGX_OK) {
            fuzz_command(c, args);
        }

    } while (rc == NGX_OK || rc == NGX_DONE);

    if (rc == NGX_ABORT) {
        fuzz_note(c, err.data, err.len);
        return rc;
    }

    if (rc == NGX_ERROR) {
        abort();
    }

    if (args == &c->args || c->parser.first) {
        ngx_olivine_args_t  fresh = { NULL, 0, 0 };

        if (ngx_olivine_resp_park(&c->parser, args, &fresh) != NGX_OK) {
            abort();
        }

        ngx_olivine_args_free(&c->own);
        c->own = fresh;
    }

    if (c->parser.argc == 0 || c->parser.state == 0) {
        c->own.nelts = 0;
    }

    c->args.nelts = 0;

    return rc;
}


static ngx_int_t
fuzz_feed(fuzz_client_t *c, const u_char *p, size_t len, size_t big)
{
    u_char     *buf, *pos;
    size_t      n;
    ngx_int_t   rc;

    for ( ;; ) {

        if (c->want) {
            n = fuzz_receive(c, p, len);
            p += n;
            len -= n;

            if (c->want) {
                return NGX_BUSY;
            }
        }

        buf = malloc(c->len + len + 1);

        if (c->len) {
            ngx_memcpy(buf, c->buf, c->len);
        }

        if (len) {
            ngx_memcpy(buf + c->len, p, len);
        }

        /* nothing may follow what was fed */
        buf = realloc(buf, c->len + len ? c->len + len : 1);

        free(c->buf);
        c->buf = buf;
        c->len += len;

        pos = buf;
        rc = fuzz_parse(c, &pos, big);

        n = buf + c->len - pos;
        ngx_memmove(buf, pos, n);
        c->len = n;

        if (rc != NGX_BUSY) {
            return rc;
        }

        c->want = c->parser.bulk;
        c->have = 0;
        c->run = malloc(c->want);

        n = fuzz_receive(c, buf + c->parser.offset, n - c->parser.offset);

        len = c->len - c->parser.offset - n;
        c->len = c->parser.offset;

        if (c->want) {
            return NGX_BUSY;
        }

        /* at most a CR of what ends the bulk */

        if (len > 1) {
            abort();
        }

        p = (u_char *) "\r";

        if (len == 0) {
            return NGX_AGAIN;
        }
    }
}


static void
fuzz_run(fuzz_client_t *c, const u_char *data, size_t size, uint32_t seed,
    size_t big)
{
    size_t     n;
    uint32_t   i;
    ngx_int_t  rc;

    ngx_memzero(c, sizeof(fuzz_client_t));

    do {
        seed = seed * 1664525 + 1013904223;
        n = seed ? (seed >> 24) % ((seed >> 16 & 31) + 1) : size;
        n = ngx_min(n, size);

        if (big == 0) {
            n = size;
        }

        rc = fuzz_feed(c, data, n, big == 1 ? 0 : big);

        data += n;
        size -= n;

    } while (size && rc != NGX_ABORT);

    if (c->parser.state) {
        for (i = 0; i < c->parser.argc; i++) {
            free(fuzz_args(c)->elts[c->parser.first + i].run);
        }
    }

    free(c->run);
    free(c->buf);
    ngx_olivine_args_free(&c->args);
    ngx_olivine_args_free(&c->own);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t       seed;
    ngx_uint_t     i;
    fuzz_client_t  whole, split[2];

    if (size < 4) {
        return 0;
    }

    ngx_memcpy(&seed, data, 4);
    data += 4;
    size -= 4;

    fuzz_run(&whole, data, size, seed, 0);
    fuzz_run(&split[0], data, size, seed, 1);
    fuzz_run(&split[1], data, size, seed, FUZZ_BIG);

    for (i = 0; i < 2; i++) {
        if (whole.nout != split[i].nout
            || (whole.nout
                && ngx_memcmp(whole.out, split[i].out, whole.nout) != 0))
        {
            abort();
        }

        free(split[i].out);
    }

    free(whole.out);

    return 0;
}
