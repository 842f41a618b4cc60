
/*
 * Copyright (C) The Olivine authors
 *
 * KEYS and SCAN: shard by shard, a few dozen buckets under the lock.
 *
 * Under the lock keys are only copied; patterns are matched behind it, but
 * for the part before the first wildcard, which costs next to nothing.  A
 * cursor is the one of the shard's table, shifted, with the shard below.
 *
 * What takes longer than a moment goes on in a later turn, so that neither a
 * shard nor the event loop waits for KEYS.  It is therefore no snapshot: of
 * keys that come, go or get another name meanwhile some are in it and some
 * are not.  But a key that is there all the time is, and none is twice,
 * because a walk passes over what a merged bucket would show again.  Inside a
 * transaction, whose locks are held, all is walked at once.
 */


#include "command/ngx_olivine_cmd.h"
#include "base/ngx_olivine_glob.h"


/* longest text of a cursor */
#define NGX_OLIVINE_SCAN_CURSOR  128

#define NGX_OLIVINE_SCAN_BUCKETS  32
#define NGX_OLIVINE_SCAN_COUNT    10

/* buckets that SCAN looks at, at most, for each key it was asked for */
#define NGX_OLIVINE_SCAN_EMPTY    10

#define NGX_OLIVINE_SCAN_MAX      ((int64_t) 1 << 40)

/* keys past their time that SCAN removes in one slice */
#define NGX_OLIVINE_SCAN_EXPIRED  16

/* bytes of keys that are copied into the reply: less than a block of it */
#define NGX_OLIVINE_SCAN_COPY     4096


typedef struct {
    ngx_olivine_cx_t       *cx;

    /* what is asked for */
    ngx_str_t               pattern;
    size_t                  prefix;
    ngx_int_t               type;            /* -1: any; NGX_OLIVINE_TYPES:
                                                none */
    unsigned                match:1;         /* there is a pattern */
    unsigned                scan:1;          /* SCAN, not KEYS */

    /* where the walk is */
    ngx_uint_t              shard;
    uint64_t                cursor;
    uint64_t                next;
    uint64_t                left;            /* buckets */
    uint64_t                want;            /* keys still to be seen */
    uint64_t                buckets;         /* of the last slice */
    uint64_t                seen;

    /* past their time, seen in the last slice; valid under its lock */
    ngx_str_t               expired[NGX_OLIVINE_SCAN_EXPIRED];
    ngx_uint_t              nexpired;

    ngx_olivine_buffer_t    slice;           /* a length, a key, ... */
    ngx_olivine_reply_t     keys;            /* bulks */
    uint64_t                nkeys;
} ngx_olivine_scan_t;


static void ngx_olivine_scan_init(ngx_olivine_cx_t *cx,
    ngx_olivine_scan_t *scan);
static void ngx_olivine_scan_pattern(ngx_olivine_scan_t *scan,
    ngx_str_t *pattern);
static ngx_int_t ngx_olivine_scan_options(ngx_olivine_cx_t *cx,
    ngx_olivine_scan_t *scan);
static ngx_int_t ngx_olivine_scan_type(ngx_olivine_cx_t *cx, ngx_uint_t arg);
static ngx_int_t ngx_olivine_scan_cursor(ngx_olivine_cx_t *cx,
    ngx_olivine_scan_t *scan);
static ngx_int_t ngx_olivine_scan_run(ngx_olivine_cx_t *cx,
    ngx_olivine_scan_t *scan);
static ngx_int_t ngx_olivine_scan_walk(ngx_olivine_cx_t *cx,
    ngx_olivine_scan_t *scan);
static ngx_int_t ngx_olivine_scan_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_scan_expire(ngx_olivine_cx_t *cx,
    ngx_olivine_scan_t *scan);
static void ngx_olivine_scan_visit(void *data, ngx_olivine_entry_t *e);
static void ngx_olivine_scan_match(ngx_olivine_scan_t *scan);
static ngx_int_t ngx_olivine_scan_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_scan_t *scan);
static void ngx_olivine_scan_free(void *data);


ngx_int_t
ngx_olivine_cmd_keys(ngx_olivine_cx_t *cx)
{
    ngx_str_t           pattern;
    ngx_olivine_scan_t  scan;

    ngx_olivine_scan_init(cx, &scan);

    pattern = ngx_olivine_cx_arg(cx, 1);
    ngx_olivine_scan_pattern(&scan, &pattern);

    return ngx_olivine_scan_run(cx, &scan);
}


ngx_int_t
ngx_olivine_cmd_scan(ngx_olivine_cx_t *cx)
{
    ngx_olivine_scan_t  scan;

    ngx_olivine_scan_init(cx, &scan);

    scan.scan = 1;
    scan.want = NGX_OLIVINE_SCAN_COUNT;

    if (ngx_olivine_scan_cursor(cx, &scan) != NGX_OK
        || ngx_olivine_scan_options(cx, &scan) != NGX_OK)
    {
        return NGX_ERROR;
    }

    scan.left = scan.want * NGX_OLIVINE_SCAN_EMPTY;

    return ngx_olivine_scan_run(cx, &scan);
}


static void
ngx_olivine_scan_init(ngx_olivine_cx_t *cx, ngx_olivine_scan_t *scan)
{
    ngx_memzero(scan, sizeof(ngx_olivine_scan_t));

    scan->cx = cx;
    scan->type = -1;
    scan->left = UINT64_MAX;
    scan->want = UINT64_MAX;

    ngx_olivine_reply_init(&scan->keys, cx->reply->pool, NULL, NULL);
}


/* Walks on from where the last turn ended, and replies or ends this one. */

static ngx_int_t
ngx_olivine_scan_run(ngx_olivine_cx_t *cx, ngx_olivine_scan_t *scan)
{
    ngx_int_t            rc;
    ngx_olivine_scan_t  *before;

    before = cx->caller->later;

    if (before) {
        scan->shard = before->shard;
        scan->cursor = before->cursor;
        scan->left = before->left;
        scan->want = before->want;
        scan->slice = before->slice;
        scan->keys = before->keys;
        scan->nkeys = before->nkeys;

        /* what was gathered is this one's now */

        ngx_memzero(&before->slice, sizeof(ngx_olivine_buffer_t));
        ngx_olivine_reply_init(&before->keys, cx->reply->pool, NULL, NULL);
    }

    rc = ngx_olivine_scan_walk(cx, scan);

    if (rc == NGX_AGAIN && !cx->nested) {
        return ngx_olivine_cx_later(cx, scan, sizeof(ngx_olivine_scan_t),
                                    ngx_olivine_scan_free);
    }

    if (rc == NGX_OK) {
        rc = ngx_olivine_scan_reply(cx, scan);
    }

    ngx_olivine_scan_free(scan);
    ngx_olivine_cx_later_free(cx->caller);

    return rc;
}


static void
ngx_olivine_scan_pattern(ngx_olivine_scan_t *scan, ngx_str_t *pattern)
{
    scan->match = !ngx_olivine_glob_all(pattern);
    scan->pattern = *pattern;
    scan->prefix = scan->match ? ngx_olivine_glob_prefix(pattern) : 0;
}


static ngx_int_t
ngx_olivine_scan_options(ngx_olivine_cx_t *cx, ngx_olivine_scan_t *scan)
{
    int64_t     n;
    ngx_str_t   pattern;
    ngx_uint_t  i;

    for (i = 2; i < cx->argc; i += 2) {

        if (i + 1 == cx->argc) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        if (ngx_olivine_cx_is(cx, i, "count")) {

            if (ngx_olivine_cx_integer(cx, i + 1, &n) != NGX_OK) {
                return NGX_ERROR;
            }

            if (n < 1) {
                return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
            }

            scan->want = ngx_min(n, NGX_OLIVINE_SCAN_MAX);

        } else if (ngx_olivine_cx_is(cx, i, "match")) {
            pattern = ngx_olivine_cx_arg(cx, i + 1);
            ngx_olivine_scan_pattern(scan, &pattern);

        } else if (ngx_olivine_cx_is(cx, i, "type")) {
            scan->type = ngx_olivine_scan_type(cx, i + 1);

        } else {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }
    }

    return NGX_OK;
}


/* no key is of a type that does not exist */

static ngx_int_t
ngx_olivine_scan_type(ngx_olivine_cx_t *cx, ngx_uint_t arg)
{
    ngx_int_t  type;

    for (type = 0; type < NGX_OLIVINE_TYPES; type++) {
        if (ngx_olivine_cx_is(cx, arg,
                           (const char *) ngx_olivine_types[type].name.data))
        {
            break;
        }
    }

    return type;
}


/* A number; or what strtoull() takes, to which "-0" is one, and " 1". */

static ngx_int_t
ngx_olivine_scan_cursor(ngx_olivine_cx_t *cx, ngx_olivine_scan_t *scan)
{
    char                text[NGX_OLIVINE_SCAN_CURSOR], *end;
    int64_t             n;
    uint64_t            cursor;
    ngx_olivine_arg_t  *arg;

    arg = &cx->argv[1];

    if (ngx_olivine_number_parse(arg->data, arg->data + arg->len, &n)
        == NGX_OK)
    {
        if (n < 0) {
            goto invalid;
        }

        cursor = n;

    } else {

        if (arg->len == 0 || arg->len >= sizeof(text)) {
            goto invalid;
        }

        ngx_memcpy(text, arg->data, arg->len);
        text[arg->len] = '\0';

        errno = 0;
        cursor = strtoull(text, &end, 10);

        if (errno || end == text || *end != '\0') {
            goto invalid;
        }
    }

    scan->cursor = cursor >> cx->zone->shard_bits;
    scan->shard = cursor & (cx->zone->nshards - 1);

    return NGX_OK;

invalid:

    return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_INVALID_CURSOR);
}


/*
 * Goes on until enough was seen, or all; keys are gathered.  AGAIN: another
 * turn, or as cx->park says.
 */

static ngx_int_t
ngx_olivine_scan_walk(ngx_olivine_cx_t *cx, ngx_olivine_scan_t *scan)
{
    int64_t    limit;
    uint64_t   start;
    ngx_int_t  rc;

    start = 0;
    limit = cx->zone->params.output_limit[NGX_OLIVINE_CLASS_NORMAL].hard;

    while (scan->shard < cx->zone->nshards && scan->want && scan->left) {

        if (ngx_olivine_cx_turn(cx, &start)) {
            return NGX_AGAIN;
        }

        rc = ngx_olivine_cx_in_shard(cx, scan->shard, ngx_olivine_scan_part,
                                     scan);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_scan_match(scan);

        if (scan->keys.failed) {
            return NGX_ERROR;
        }

        scan->want -= ngx_min(scan->want, scan->seen);
        scan->left -= scan->buckets;
        scan->cursor = scan->next;

        if (scan->cursor == 0) {
            scan->shard++;
        }

        if (limit && (int64_t) ngx_olivine_reply_size(&scan->keys) > limit) {
            break;                   /* for so much the client is closed */
        }
    }

    return NGX_OK;
}


/* may be run again for the same slice */

static ngx_int_t
ngx_olivine_scan_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_scan_t *scan = data;

    ngx_uint_t  max;

    scan->slice.len = 0;
    scan->seen = 0;
    scan->buckets = 0;
    scan->nexpired = 0;
    scan->next = scan->cursor;

    max = ngx_min(scan->left, NGX_OLIVINE_SCAN_BUCKETS);

    do {
        scan->next = ngx_olivine_store_scan_locked(cx->tx, shard,
                                                   cx->caller->db, scan->next,
                                                   ngx_olivine_scan_visit,
                                                   scan);
        scan->buckets++;

    } while (scan->next && scan->buckets < max && scan->seen < scan->want);

    if (scan->slice.failed) {
        return NGX_ERROR;
    }

    return ngx_olivine_scan_expire(cx, scan);
}


/*
 * As in Redis, SCAN clears away some of what it finds past its time, KEYS
 * does not.  Like all that reads it leaves that to ticks if there is a log.
 */

static ngx_int_t
ngx_olivine_scan_expire(ngx_olivine_cx_t *cx, ngx_olivine_scan_t *scan)
{
    ngx_int_t           rc;
    ngx_str_t          *key;
    ngx_uint_t          i;
    ngx_olivine_ref_t   ref;

    if (cx->logging || ngx_olivine_pause(cx->zone, cx->now)) {
        return NGX_OK;
    }

    for (i = 0; i < scan->nexpired; i++) {

        /* the bytes of an entry stay until the commit */

        key = &scan->expired[i];

        ngx_olivine_store_find_locked(cx->tx, cx->caller->db, key,
                                      ngx_olivine_store_hash(cx->zone, key),
                                      cx->now, &ref);

        if (!ref.expired) {
            continue;
        }

        rc = ngx_olivine_cx_delete(cx, &ref);
        if (rc != NGX_OK) {
            return rc;
        }

        cx->tx->slot->counters.expired++;
    }

    return NGX_OK;
}


static void
ngx_olivine_scan_visit(void *data, ngx_olivine_entry_t *e)
{
    ngx_olivine_scan_t *scan = data;

    u_char     *p;
    ngx_str_t   key;

    scan->seen++;

    if (ngx_olivine_unlikely(ngx_olivine_cmd_expired(e, scan->cx->now))) {

        if (scan->scan && scan->nexpired < NGX_OLIVINE_SCAN_EXPIRED) {
            ngx_olivine_entry_key(e, &scan->expired[scan->nexpired++]);
        }

        return;
    }

    if (scan->type >= 0
        && (ngx_int_t) ngx_olivine_entry_type(e) != scan->type)
    {
        return;
    }

    ngx_olivine_entry_key(e, &key);

    if (scan->prefix
        && (key.len < scan->prefix
            || ngx_memcmp(key.data, scan->pattern.data, scan->prefix) != 0))
    {
        return;
    }

    p = ngx_olivine_buffer_room(&scan->slice, sizeof(size_t) + key.len);

    if (p) {
        p = ngx_cpymem(p, &key.len, sizeof(size_t));
        p = ngx_cpymem(p, key.data, key.len);
        scan->slice.len = p - scan->slice.data;
    }
}


static void
ngx_olivine_scan_match(ngx_olivine_scan_t *scan)
{
    u_char  *p, *last;
    size_t   len;

    if (scan->slice.len == 0) {
        return;
    }

    p = scan->slice.data;
    last = p + scan->slice.len;

    while (p < last) {

        ngx_memcpy(&len, p, sizeof(size_t));
        p += sizeof(size_t);

        if (!scan->match
            || ngx_olivine_glob_match(&scan->pattern, p, len, 0))
        {
            (void) ngx_olivine_reply_bulk(&scan->keys, p, len);
            scan->nkeys++;
        }

        p += len;
    }
}


static ngx_int_t
ngx_olivine_scan_reply(ngx_olivine_cx_t *cx, ngx_olivine_scan_t *scan)
{
    u_char         text[NGX_OLIVINE_U64_LEN], *p;
    uint64_t       cursor;
    struct iovec   iov;

    if (scan->scan) {
        cursor = 0;

        if (scan->shard < cx->zone->nshards) {
            cursor = scan->cursor << cx->zone->shard_bits | scan->shard;
        }

        p = ngx_olivine_number_print_u64(text, cursor);

        (void) ngx_olivine_reply_array(cx->reply, 2);
        (void) ngx_olivine_reply_bulk(cx->reply, text, p - text);
    }

    if (ngx_olivine_reply_array(cx->reply, scan->nkeys) != NGX_OK) {
        return NGX_ERROR;
    }

    /* a few are copied, more are handed over */

    if (ngx_olivine_reply_size(&scan->keys) > NGX_OLIVINE_SCAN_COPY) {
        ngx_olivine_reply_join(cx->reply, &scan->keys);
        return NGX_OK;
    }

    if (ngx_olivine_reply_iovecs(&scan->keys, &iov, 1) == 0) {
        return NGX_OK;
    }

    return ngx_olivine_reply_raw(cx->reply, iov.iov_base, iov.iov_len);
}


static void
ngx_olivine_scan_free(void *data)
{
    ngx_olivine_scan_t *scan = data;

    ngx_olivine_buffer_free(&scan->slice);
    ngx_olivine_reply_free(&scan->keys);
}
