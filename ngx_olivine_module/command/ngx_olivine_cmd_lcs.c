
/*
 * Copyright (C) The Olivine authors
 *
 * LCS: the longest common subsequence of two strings.
 *
 * The table of lengths that everybody fills grows by 0 or 1 from a cell to its
 * right neighbour, so a row is a row of bits, and 64 cells of it follow from
 * the row above by an addition (Hyyro, "Bit-parallel LCS-length computation
 * revisited", 2004).  A bit is 0 where the length grows.  That is also all the
 * way back asks for: where two characters differ, Redis goes up if the length
 * above is the larger one, which is if it grows here; and left otherwise.
 *
 * Redis refuses strings whose table of 32-bit numbers exceeds
 * proto-max-bulk-len; ours takes a thirty-second of it, and a mask of bits for
 * each character of the first string.
 *
 * Values are copied under the locks of their shards, the rest is done outside.
 */


#include "command/ngx_olivine_cmd.h"


/* bytes of both values that are copied without being counted first */
#define NGX_OLIVINE_LCS_SMALL  4096


typedef struct {
    ngx_uint_t             len;          /* unsigned  len:1; */
    ngx_uint_t             idx;          /* unsigned  idx:1; */
    ngx_uint_t             with;         /* unsigned  with:1; */
    int64_t                min;

    ngx_str_t              a;
    ngx_str_t              b;
    u_char                *copy;
    size_t                 alloc;

    size_t                 words;        /* of a row */
    uint64_t              *masks[256];   /* of a's characters in b */
    uint64_t              *rows;         /* all, or, for a length, one */
    uint64_t              *memory;

    size_t                 length;
    size_t                 matches;
    ngx_olivine_buffer_t   text;         /* of the matches, or the result */
} ngx_olivine_lcs_t;


static ngx_int_t ngx_olivine_lcs_options(ngx_olivine_cx_t *cx,
    ngx_olivine_lcs_t *lcs);
static ngx_int_t ngx_olivine_lcs_copy(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_lcs_values(ngx_olivine_cx_t *cx,
    ngx_olivine_lcs_t *lcs);
static ngx_int_t ngx_olivine_lcs_alloc(ngx_olivine_lcs_t *lcs);
static void ngx_olivine_lcs_fill(ngx_olivine_lcs_t *lcs);
static void ngx_olivine_lcs_row(ngx_olivine_lcs_t *lcs, uint64_t *mask,
    const uint64_t *above, uint64_t *row);
static void ngx_olivine_lcs_walk(ngx_olivine_lcs_t *lcs, ngx_uint_t resp3);
static size_t ngx_olivine_lcs_left(ngx_olivine_lcs_t *lcs, size_t i, size_t j);
static void ngx_olivine_lcs_match(ngx_olivine_lcs_t *lcs, size_t i, size_t j,
    size_t n);
static ngx_int_t ngx_olivine_lcs_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_lcs_t *lcs);


ngx_int_t
ngx_olivine_cmd_lcs(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_olivine_lcs_t  lcs;

    ngx_memzero(&lcs, sizeof(ngx_olivine_lcs_t));

    rc = ngx_olivine_lcs_values(cx, &lcs);

    if (rc == NGX_OK) {
        rc = ngx_olivine_lcs_alloc(&lcs);
    }

    if (rc == NGX_OK) {
        ngx_olivine_lcs_fill(&lcs);

        if (lcs.idx || !lcs.len) {
            ngx_olivine_lcs_walk(&lcs, cx->reply->resp3);
        }

        rc = lcs.text.failed ? NGX_ERROR : ngx_olivine_lcs_reply(cx, &lcs);
    }

    ngx_olivine_buffer_free(&lcs.text);

    if (lcs.memory) {
        ngx_free(lcs.memory);
    }

    if (lcs.copy) {
        ngx_free(lcs.copy);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_lcs_options(ngx_olivine_cx_t *cx, ngx_olivine_lcs_t *lcs)
{
    ngx_uint_t  i;

    lcs->len = 0;
    lcs->idx = 0;

    for (i = 3; i < cx->argc; i++) {

        if (ngx_olivine_cx_is(cx, i, "len")) {
            lcs->len = 1;

        } else if (ngx_olivine_cx_is(cx, i, "idx")) {
            lcs->idx = 1;

        } else if (ngx_olivine_cx_is(cx, i, "withmatchlen")) {
            lcs->with = 1;

        } else if (ngx_olivine_cx_is(cx, i, "minmatchlen")
                   && i + 1 < cx->argc)
        {
            if (ngx_olivine_cx_integer(cx, ++i, &lcs->min) != NGX_OK) {
                return NGX_ERROR;
            }

        } else {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }
    }

    if (lcs->len && lcs->idx) {
        return ngx_olivine_cx_error(cx, "ERR If you want both the length and "
                                    "indexes, please just use IDX.");
    }

    return NGX_OK;
}


/*
 * Under the locks: looks at both, and copies them if there is room; else says
 * by lcs->a and lcs->b how much is needed.
 */

static ngx_int_t
ngx_olivine_lcs_copy(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_lcs_t  *lcs = data;

    u_char                number[2][NGX_OLIVINE_I64_LEN];
    ngx_int_t             rc;
    ngx_str_t            *to[2];
    ngx_uint_t            i;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t   value;

    to[0] = &lcs->a;
    to[1] = &lcs->b;

    for (i = 0; i < 2; i++) {

        rc = ngx_olivine_cx_find(cx, i, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        if (ref.entry == NULL) {
            to[i]->data = (u_char *) "";
            to[i]->len = 0;
            continue;
        }

        if (ngx_olivine_entry_type(ref.entry) != NGX_OLIVINE_TYPE_STRING) {
            return ngx_olivine_cx_error(cx, "ERR The specified keys must "
                                        "contain string values");
        }

        ngx_olivine_entry_value(cx->zone, ref.entry, &value);
        ngx_olivine_string_text(&value, number[i], to[i]);
    }

    if (ngx_olivine_lcs_options(cx, lcs) != NGX_OK) {
        return NGX_ERROR;
    }

    if ((uint64_t) (lcs->a.len + 1) * (lcs->b.len + 1) * sizeof(uint32_t)
        > (uint64_t) cx->zone->params.proto_max_bulk_len)
    {
        return ngx_olivine_cx_error(cx, "ERR Insufficient memory, transient "
                                    "memory for LCS exceeds "
                                    "proto-max-bulk-len");
    }

    if (lcs->a.len + lcs->b.len <= lcs->alloc) {
        ngx_memcpy(lcs->copy, lcs->a.data, lcs->a.len);
        ngx_memcpy(lcs->copy + lcs->a.len, lcs->b.data, lcs->b.len);
        lcs->a.data = lcs->copy;
        lcs->b.data = lcs->copy + lcs->a.len;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_lcs_values(ngx_olivine_cx_t *cx, ngx_olivine_lcs_t *lcs)
{
    size_t     n;
    ngx_int_t  rc;

    for (n = NGX_OLIVINE_LCS_SMALL; /* void */ ; /* void */ ) {

        lcs->copy = ngx_alloc(n, ngx_cycle->log);

        if (lcs->copy == NULL) {
            return NGX_ERROR;
        }

        lcs->alloc = n;

        rc = ngx_olivine_cx_in_keys(cx, ngx_olivine_lcs_copy, lcs);

        n = lcs->a.len + lcs->b.len;

        if (rc != NGX_OK || n <= lcs->alloc) {
            return rc;
        }

        ngx_free(lcs->copy);
    }
}


static ngx_int_t
ngx_olivine_lcs_alloc(ngx_olivine_lcs_t *lcs)
{
    size_t      i, chars, rows;
    ngx_uint_t  seen[256];
    uint64_t   *p;

    ngx_memzero(seen, sizeof(seen));

    for (i = 0, chars = 0; i < lcs->a.len; i++) {
        chars += !seen[lcs->a.data[i]];
        seen[lcs->a.data[i]] = 1;
    }

    lcs->words = (lcs->b.len + 63) / 64;
    rows = lcs->len ? 1 : lcs->a.len + 1;

    lcs->memory = ngx_calloc(ngx_max((chars + rows) * lcs->words, 1)
                             * sizeof(uint64_t), ngx_cycle->log);
    if (lcs->memory == NULL) {
        return NGX_ERROR;
    }

    p = lcs->memory;

    for (i = 0; i < 256; i++) {
        if (seen[i]) {
            lcs->masks[i] = p;
            p += lcs->words;
        }
    }

    lcs->rows = p;

    for (i = 0; i < lcs->b.len; i++) {
        p = lcs->masks[lcs->b.data[i]];

        if (p) {
            p[i / 64] |= (uint64_t) 1 << i % 64;
        }
    }

    return NGX_OK;
}


/* The first row, of no character of a, grows nowhere. */

static void
ngx_olivine_lcs_fill(ngx_olivine_lcs_t *lcs)
{
    size_t     i, rest;
    uint64_t  *row, *above, grows;

    row = lcs->rows;

    for (i = 0; i < lcs->words; i++) {
        row[i] = ~(uint64_t) 0;
    }

    for (i = 0; i < lcs->a.len; i++) {
        above = row;
        row += lcs->len ? 0 : lcs->words;
        ngx_olivine_lcs_row(lcs, lcs->masks[lcs->a.data[i]], above, row);
    }

    for (i = 0; i < lcs->words; i++) {
        grows = ~row[i];
        rest = lcs->b.len - i * 64;

        if (rest < 64) {
            grows &= ((uint64_t) 1 << rest) - 1;
        }

        lcs->length += __builtin_popcountll(grows);
    }
}


static void
ngx_olivine_lcs_row(ngx_olivine_lcs_t *lcs, uint64_t *mask,
    const uint64_t *above, uint64_t *row)
{
    size_t    i;
    uint64_t  v, u, sum, carry;

    carry = 0;

    for (i = 0; i < lcs->words; i++) {
        v = above[i];
        u = v & mask[i];

        sum = v + u;
        row[i] = (sum + carry) | (v & ~u);
        carry = (sum < v) | (sum + carry < sum);
    }
}


/* The way back from the table's end, as Redis goes. */

static void
ngx_olivine_lcs_walk(ngx_olivine_lcs_t *lcs, ngx_uint_t resp3)
{
    size_t   i, j, n, left;
    u_char  *text;

    i = lcs->a.len;
    j = lcs->b.len;
    n = 0;
    left = lcs->length;

    text = NULL;

    if (!lcs->idx && left) {
        text = ngx_olivine_buffer_room(&lcs->text, left);
    }

    while (i && j) {

        if (lcs->a.data[i - 1] == lcs->b.data[j - 1]) {
            i--;
            j--;
            n++;
            left--;

            if (text) {
                text[left] = lcs->a.data[i];
            }

            if (i && j) {
                continue;
            }
        }

        /* a match ends */

        if (n && lcs->idx && (lcs->min <= 0 || n >= (uint64_t) lcs->min)) {
            ngx_olivine_lcs_match(lcs, i, j, n);
        }

        n = 0;

        if (i && j) {
            j = ngx_olivine_lcs_left(lcs, i, j);

            if (j && lcs->a.data[i - 1] != lcs->b.data[j - 1]) {
                i--;
            }
        }
    }

    if (text) {
        lcs->text.len = lcs->length;
    }
}


/*
 * From a cell of differing characters leftwards: to the next one where they
 * are the same, or where the length grows.
 */

static size_t
ngx_olivine_lcs_left(ngx_olivine_lcs_t *lcs, size_t i, size_t j)
{
    size_t     w;
    uint64_t   bits, *row, *mask;

    row = lcs->rows + i * lcs->words;
    mask = lcs->masks[lcs->a.data[i - 1]];

    w = (j - 1) / 64;
    bits = (~row[w] | mask[w]) << (63 - (j - 1) % 64) >> (63 - (j - 1) % 64);

    while (bits == 0) {

        if (w == 0) {
            return 0;
        }

        w--;
        bits = ~row[w] | mask[w];
    }

    return w * 64 + 64 - __builtin_clzll(bits);
}


static void
ngx_olivine_lcs_match(ngx_olivine_lcs_t *lcs, size_t i, size_t j, size_t n)
{
    ngx_olivine_buffer_print(&lcs->text, "*%d" CRLF "*2" CRLF ":%uz" CRLF
                             ":%uz" CRLF "*2" CRLF ":%uz" CRLF ":%uz" CRLF,
                             lcs->with ? 3 : 2, i, i + n - 1, j, j + n - 1);

    if (lcs->with) {
        ngx_olivine_buffer_print(&lcs->text, ":%uz" CRLF, n);
    }

    lcs->matches++;
}


static ngx_int_t
ngx_olivine_lcs_reply(ngx_olivine_cx_t *cx, ngx_olivine_lcs_t *lcs)
{
    if (lcs->len) {
        return ngx_olivine_reply_integer(cx->reply, lcs->length);
    }

    if (!lcs->idx) {
        return ngx_olivine_reply_bulk(cx->reply,
                                      lcs->text.len ? lcs->text.data
                                                    : (u_char *) "",
                                      lcs->text.len);
    }

    (void) ngx_olivine_reply_map(cx->reply, 2);
    (void) ngx_olivine_reply_bulk(cx->reply, (u_char *) "matches", 7);
    (void) ngx_olivine_reply_array(cx->reply, lcs->matches);

    if (lcs->text.len) {
        (void) ngx_olivine_reply_raw(cx->reply, lcs->text.data,
                                     lcs->text.len);
    }

    (void) ngx_olivine_reply_bulk(cx->reply, (u_char *) "len", 3);

    return ngx_olivine_reply_integer(cx->reply, lcs->length);
}
