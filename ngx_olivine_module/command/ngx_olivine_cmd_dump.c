
/*
 * Copyright (C) The Olivine authors
 *
 * DUMP and RESTORE.
 *
 * Both lock the key's shard themselves, and only for a moment: DUMP to copy
 * a small value, or to pin a big one, which is then compressed, or sent, from
 * where it lies; RESTORE to store what it has decoded before.
 */


#include "command/ngx_olivine_cmd.h"
#include "rdb/ngx_olivine_rdb.h"


/* a value in a run that is not copied; a piece that is sent from there */
#define NGX_OLIVINE_DUMP_PIN    16384
#define NGX_OLIVINE_DUMP_PIECE  16384


typedef struct {
    ngx_uint_t                     found;    /* unsigned  found:1; */
    ngx_olivine_value_t            value;
    ngx_olivine_buffer_t           copy;     /* of a small value */
    ngx_olivine_reply_segment_t   *hold;     /* has a big one's pin */

    /* the payload: bytes, a piece of the value itself, bytes */
    ngx_olivine_buffer_t           front;
    ngx_str_t                      piece;
    ngx_olivine_buffer_t           back;
} ngx_olivine_dump_t;


typedef struct {
    int64_t                        ttl;
    int64_t                        idle;     /* seconds; -1: not said */
    int64_t                        freq;     /* -1: not said */
    unsigned                       replace:1;
    unsigned                       absolute:1;

    ngx_int_t                      rc;       /* of decoding */
    const char                    *error;
    ngx_olivine_value_t            value;
    ngx_olivine_rdb_in_t           in;
} ngx_olivine_restore_t;


static ngx_int_t ngx_olivine_dump_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_dump_put(ngx_olivine_rdb_out_t *out,
    u_char *data, size_t len, ngx_uint_t stays);
static void ngx_olivine_dump_reply(ngx_olivine_cx_t *cx,
    ngx_olivine_dump_t *dump);
static ngx_int_t ngx_olivine_restore_options(ngx_olivine_cx_t *cx,
    ngx_olivine_restore_t *restore);
static void ngx_olivine_restore_decode(ngx_olivine_cx_t *cx,
    ngx_olivine_restore_t *restore);
static ngx_int_t ngx_olivine_restore_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_restore_store(ngx_olivine_cx_t *cx,
    ngx_olivine_restore_t *restore, ngx_olivine_ref_t *ref, int64_t at);
static void ngx_olivine_restore_effect(ngx_olivine_cx_t *cx, ngx_str_t *key,
    ngx_olivine_value_t *value, int64_t at);


ngx_int_t
ngx_olivine_cmd_dump(ngx_olivine_cx_t *cx)
{
    ngx_int_t              rc;
    ngx_olivine_dump_t     dump;
    ngx_olivine_rdb_out_t  out;

    ngx_memzero(&dump, sizeof(ngx_olivine_dump_t));

    rc = ngx_olivine_cx_in_shard(cx,
                       ngx_olivine_store_number(cx->zone, cx->keys[0].hash),
                       ngx_olivine_dump_part, &dump);

    if (rc != NGX_OK || !dump.found) {
        ngx_olivine_buffer_free(&dump.copy);

        return rc == NGX_OK ? ngx_olivine_reply_null(cx->reply) : rc;
    }

    ngx_olivine_rdb_out_init(&out, ngx_olivine_dump_put, &dump);

    if (ngx_olivine_rdb_save(&out, &dump.value) == NGX_OK
        && ngx_olivine_rdb_save_footer(&out) == NGX_OK)
    {
        ngx_olivine_dump_reply(cx, &dump);

    } else {
        (void) ngx_olivine_reply_error(cx->reply, NGX_OLIVINE_ERR_OOM);
    }

    ngx_olivine_buffer_free(&dump.copy);
    ngx_olivine_buffer_free(&dump.front);
    ngx_olivine_buffer_free(&dump.back);

    /* the pin is the reply's: what failed since closes the client with it */

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_dump_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_dump_t *dump = data;

    uint32_t              index;
    ngx_int_t             rc;
    ngx_olivine_ref_t     ref;
    ngx_olivine_value_t  *value;

    dump->copy.len = 0;
    dump->hold = NULL;
    dump->found = 0;

    rc = ngx_olivine_cx_find(cx, 0, &ref);

    if (rc != NGX_OK || ref.entry == NULL) {
        return rc;
    }

    dump->found = 1;
    value = &dump->value;

    ngx_olivine_entry_value(cx->zone, ref.entry, value);

    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        return NGX_OK;
    }

    if (value->page == 0 || value->text.len < NGX_OLIVINE_DUMP_PIN) {
        ngx_olivine_buffer_add(&dump->copy, value->text.data,
                               value->text.len);
        value->text.data = dump->copy.data;

        return dump->copy.failed ? NGX_ERROR : NGX_OK;
    }

    rc = ngx_olivine_pin(cx->tx, value->page, &index);
    if (rc != NGX_OK) {
        return rc;
    }

    cx->pins++;

    rc = ngx_olivine_reply_ref(cx->reply, value->text.data, 0,
                               (void *) (uintptr_t) (index + 1));
    if (rc == NGX_OK) {
        dump->hold = cx->reply->last;
    }

    return rc;
}


static ngx_int_t
ngx_olivine_dump_put(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    ngx_olivine_dump_t *dump = out->data;

    ngx_olivine_buffer_t  *b;

    if (stays && dump->hold && dump->piece.len == 0
        && len >= NGX_OLIVINE_DUMP_PIECE)
    {
        dump->piece.data = data;
        dump->piece.len = len;
        return NGX_OK;
    }

    b = dump->piece.len ? &dump->back : &dump->front;

    ngx_olivine_buffer_add(b, data, len);

    return b->failed ? NGX_ERROR : NGX_OK;
}


static void
ngx_olivine_dump_reply(ngx_olivine_cx_t *cx, ngx_olivine_dump_t *dump)
{
    u_char                buf[NGX_OLIVINE_REPLY_HEADER], *p;
    ngx_olivine_reply_t  *r;

    r = cx->reply;

    if (dump->piece.len == 0) {
        (void) ngx_olivine_reply_bulk(r, dump->front.data, dump->front.len);
        return;
    }

    p = buf;
    *p++ = '$';
    p = ngx_olivine_number_print_u64(p, dump->front.len + dump->piece.len
                                        + dump->back.len);
    *p++ = CR;
    *p++ = LF;

    (void) ngx_olivine_reply_raw(r, buf, p - buf);
    (void) ngx_olivine_reply_raw(r, dump->front.data, dump->front.len);

    /* the pin goes to where it is needed longest */

    if (ngx_olivine_reply_ref(r, dump->piece.data, dump->piece.len, NULL)
        == NGX_OK)
    {
        r->last->pin = dump->hold->pin;
        dump->hold->pin = NULL;
    }

    (void) ngx_olivine_reply_raw(r, dump->back.data, dump->back.len);
    (void) ngx_olivine_reply_literal(r, CRLF);
}


ngx_int_t
ngx_olivine_cmd_restore(ngx_olivine_cx_t *cx)
{
    ngx_int_t              rc;
    ngx_olivine_restore_t  restore;

    if (ngx_olivine_restore_options(cx, &restore) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_olivine_restore_decode(cx, &restore);

    rc = ngx_olivine_cx_in_shard(cx,
                       ngx_olivine_store_number(cx->zone, cx->keys[0].hash),
                       ngx_olivine_restore_part, &restore);

    if (restore.in.memory) {
        ngx_free(restore.in.memory);
    }

    return rc;
}


static ngx_int_t
ngx_olivine_restore_options(ngx_olivine_cx_t *cx,
    ngx_olivine_restore_t *restore)
{
    ngx_uint_t  i, more;

    ngx_memzero(restore, sizeof(ngx_olivine_restore_t));

    restore->idle = -1;
    restore->freq = -1;

    for (i = 4; i < cx->argc; i++) {

        more = (i + 1 < cx->argc);

        if (ngx_olivine_cx_is(cx, i, "replace")) {
            restore->replace = 1;

        } else if (ngx_olivine_cx_is(cx, i, "absttl")) {
            restore->absolute = 1;

        } else if (ngx_olivine_cx_is(cx, i, "idletime") && more
                   && restore->freq == -1)
        {
            if (ngx_olivine_cx_integer(cx, ++i, &restore->idle) != NGX_OK) {
                return NGX_ERROR;
            }

            if (restore->idle < 0) {
                return ngx_olivine_cx_error(cx, "ERR Invalid IDLETIME value, "
                                            "must be >= 0");
            }

        } else if (ngx_olivine_cx_is(cx, i, "freq") && more
                   && restore->idle == -1)
        {
            if (ngx_olivine_cx_integer(cx, ++i, &restore->freq) != NGX_OK) {
                return NGX_ERROR;
            }

            if (restore->freq < 0 || restore->freq > 255) {
                return ngx_olivine_cx_error(cx, "ERR Invalid FREQ value, must "
                                            "be >= 0 and <= 255");
            }

        } else {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }
    }

    return NGX_OK;
}


/* What is wrong is told later: a key that is in the way comes first. */

static void
ngx_olivine_restore_decode(ngx_olivine_cx_t *cx,
    ngx_olivine_restore_t *restore)
{
    u_char     *p;
    size_t      len;
    ngx_int_t   rc;

    p = cx->argv[2].data;
    restore->rc = NGX_ERROR;

    if (ngx_olivine_number_parse(p, p + cx->argv[2].len, &restore->ttl)
        != NGX_OK)
    {
        restore->error = "ERR value is not an integer or out of range";
        return;
    }

    if (restore->ttl < 0) {
        restore->error = "ERR Invalid TTL value, must be >= 0";
        return;
    }

    p = cx->argv[3].data;
    len = cx->argv[3].len;

    if (ngx_olivine_rdb_check(p, len, cx->zone->no_checksum) != NGX_OK) {
        restore->error = "ERR DUMP payload version or checksum are wrong";
        return;
    }

    restore->in.pos = p;
    restore->in.last = p + len - NGX_OLIVINE_RDB_FOOTER;
    restore->in.max = cx->zone->params.proto_max_bulk_len;

    rc = ngx_olivine_rdb_load(&restore->in, &restore->value);

    if (rc == NGX_DECLINED) {
        restore->error = "ERR Bad data format";
        return;
    }

    /* with no text an error is want of memory */

    restore->rc = rc;
}


static ngx_int_t
ngx_olivine_restore_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    ngx_olivine_restore_t *restore = data;

    int64_t            at;
    ngx_int_t          rc;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_cx_find(cx, 0, &ref);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ref.entry && !restore->replace) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_BUSYKEY);
    }

    if (restore->rc != NGX_OK) {
        return restore->error ? ngx_olivine_cx_error(cx, restore->error)
                              : NGX_ERROR;
    }

    at = restore->ttl;

    if (at && !restore->absolute) {
        at = (at > INT64_MAX - cx->now) ? -1 : at + cx->now;
    }

    rc = ngx_olivine_restore_store(cx, restore, &ref, at);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_reply_ok(cx->reply);
}


static ngx_int_t
ngx_olivine_restore_store(ngx_olivine_cx_t *cx,
    ngx_olivine_restore_t *restore, ngx_olivine_ref_t *ref, int64_t at)
{
    uint32_t   clock;
    ngx_int_t  rc;
    ngx_str_t  key;

    key = ngx_olivine_cx_arg(cx, 1);

    if (at && at <= cx->now) {

        /* past its time already: it would not live to be seen */

        if (ref->entry == NULL) {
            return NGX_OK;
        }

        rc = ngx_olivine_cx_delete(cx, ref);

        if (rc == NGX_OK) {
            ngx_olivine_cmd_effect_del(cx, &key);
        }

        return rc;
    }

    clock = cx->clock;

    if (restore->idle > 0) {
        clock -= (uint32_t) ngx_min(restore->idle, NGX_OLIVINE_ENTRY_CLOCK);
        clock &= NGX_OLIVINE_ENTRY_CLOCK;
    }

    rc = ngx_olivine_store_set_locked(cx->tx, ref, &restore->value, at, clock);

    if (rc == NGX_OK) {
        ngx_olivine_restore_effect(cx, &key, &restore->value, at);
    }

    return rc;
}


/* A string's is a SET, which every version of Redis can replay. */

static void
ngx_olivine_restore_effect(ngx_olivine_cx_t *cx, ngx_str_t *key,
    ngx_olivine_value_t *value, int64_t at)
{
    u_char     buf[NGX_OLIVINE_I64_LEN], ms[NGX_OLIVINE_I64_LEN];
    ngx_str_t  text, time;
    ngx_str_t  set = ngx_string("SET"), pxat = ngx_string("PXAT");

    ngx_olivine_string_text(value, buf, &text);

    if (at == 0) {
        ngx_olivine_cx_effect(cx, 3, &set, key, &text);
        return;
    }

    time.data = ms;
    time.len = ngx_olivine_number_print(ms, at) - ms;

    ngx_olivine_cx_effect(cx, 5, &set, key, &text, &pxat, &time);
}
