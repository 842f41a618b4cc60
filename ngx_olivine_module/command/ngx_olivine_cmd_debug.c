
/*
 * Copyright (C) The Olivine authors
 *
 * DEBUG: what tests and developers ask.  Its words are arguments and no
 * subcommands of the table, as in Redis.
 */


#include "command/ngx_olivine_cmd_debug.h"


#define NGX_OLIVINE_DEBUG_DIGEST  20

/* the longest DEBUG SLEEP, seconds */
#define NGX_OLIVINE_DEBUG_SLEEP   (366 * 86400)


typedef struct {
    const char                *word;
    ngx_olivine_handler_pt     handler;
    ngx_uint_t                 args;         /* behind the word, at least */
    ngx_uint_t                 more;         /* that may follow */
    const char                *usage;
    const char                *summary;
} ngx_olivine_debug_t;


/* a key that is looked up, and what for */
typedef struct {
    ngx_str_t                  key;
    uint64_t                   hash;
    u_char                     digest[NGX_OLIVINE_DEBUG_DIGEST];
} ngx_olivine_debug_key_t;


static ngx_uint_t ngx_olivine_debug_allowed(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_help(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_sleep(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_sleep_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static int64_t ngx_olivine_debug_ms(u_char *p, u_char *last);
static ngx_int_t ngx_olivine_debug_active_expire(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_skip_checksum(ngx_olivine_cx_t *cx);
static ngx_uint_t ngx_olivine_debug_yes(ngx_olivine_cx_t *cx, ngx_uint_t arg);
static ngx_int_t ngx_olivine_debug_digest(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_digest_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_debug_digest_value(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_value_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_debug_object(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_object_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static size_t ngx_olivine_debug_serialized(ngx_olivine_value_t *value);
#if !(NGX_OLIVINE_TEST)
static ngx_int_t ngx_olivine_debug_segfault(ngx_olivine_cx_t *cx);
#endif
static ngx_int_t ngx_olivine_debug_audit(ngx_olivine_cx_t *cx);
static ngx_int_t ngx_olivine_debug_audit_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);
static ngx_int_t ngx_olivine_debug_with_key(ngx_olivine_cx_t *cx,
    ngx_uint_t arg, ngx_olivine_cx_part_pt part,
    ngx_olivine_debug_key_t *key);
static ngx_int_t ngx_olivine_debug_reply_digest(ngx_olivine_cx_t *cx,
    u_char *digest);


static const ngx_olivine_debug_t  ngx_olivine_debug_words[] = {

    { "audit", ngx_olivine_debug_audit, 0, 0,
      "AUDIT",
      "Walk shards, arenas and the page heap; OK, or the first discrepancy." },

    { "digest", ngx_olivine_debug_digest, 0, 0,
      "DIGEST",
      "A signature in hex of all that the databases hold." },

    { "digest-value", ngx_olivine_debug_digest_value, 0, NGX_MAX_INT32_VALUE,
      "DIGEST-VALUE <key> [<key> ...]",
      "Signatures in hex of what the keys hold." },

    { "error", ngx_olivine_debug_error, 1, 0,
      "ERROR <text>",
      "Answer with this error." },

    { "loadaof", ngx_olivine_debug_loadaof, 0, 0,
      "LOADAOF",
      "Load the append-only file again, in the place of what is there." },

    { "log", ngx_olivine_debug_log, 1, 0,
      "LOG <text>",
      "Write a line to the log." },

    { "object", ngx_olivine_debug_object, 1, 0,
      "OBJECT <key>",
      "How the key's value is kept." },

    { "populate", ngx_olivine_debug_populate, 1, 2,
      "POPULATE <count> [<prefix>] [<size>]",
      "Make strings <prefix>:<number>, \"key\" if not given, of this size." },

    { "protocol", ngx_olivine_debug_protocol, 1, 0,
      "PROTOCOL <kind>",
      "Answer with a reply of this kind: string, integer, double, bignum, "
      "null, array, set, map, attrib, push, verbatim, true, false." },

    { "reload", ngx_olivine_debug_reload, 0, 3,
      "RELOAD [NOSAVE] [NOFLUSH] [MERGE]",
      "Write a snapshot and load it, in the place of what is there." },

#if !(NGX_OLIVINE_TEST)
    /* not for a fuzzer */
    { "segfault", ngx_olivine_debug_segfault, 0, 0,
      "SEGFAULT",
      "Let this worker die of a signal; the data lives on." },
#endif

    { "set-active-expire", ngx_olivine_debug_active_expire, 1, 0,
      "SET-ACTIVE-EXPIRE <0|1>",
      "Whether keys that expired are removed though nobody asks for them." },

    { "set-skip-checksum-validation", ngx_olivine_debug_skip_checksum, 1, 0,
      "SET-SKIP-CHECKSUM-VALIDATION <0|1>",
      "Whether RESTORE takes payloads with a wrong checksum." },

    { "sleep", ngx_olivine_debug_sleep, 1, 0,
      "SLEEP <seconds>",
      "Stop all commands that touch keys.  Decimals allowed." },

    { "help", ngx_olivine_debug_help, 0, 0,
      "HELP",
      "Print this help." },

    { NULL, NULL, 0, 0, NULL, NULL }
};


ngx_int_t
ngx_olivine_cmd_debug(ngx_olivine_cx_t *cx)
{
    ngx_str_t                   word;
    ngx_uint_t                  args;
    const ngx_olivine_debug_t  *row;

    if (!ngx_olivine_debug_allowed(cx)) {
        return ngx_olivine_cx_error(cx, "ERR DEBUG command not allowed. If "
                   "the enable-debug-command option is set to \"local\", you "
                   "can run it from a local connection, otherwise you need "
                   "to set this option in the configuration file, and then "
                   "restart the server.");
    }

    args = cx->argc - 2;

    for (row = ngx_olivine_debug_words; row->word; row++) {
        if (ngx_olivine_cx_is(cx, 1, row->word)
            && args >= row->args && args - row->args <= row->more)
        {
            return row->handler(cx);
        }
    }

    word = ngx_olivine_cx_arg(cx, 1);

    return ngx_olivine_cx_error(cx, "ERR unknown subcommand or wrong number "
                                "of arguments for '%*s'. Try DEBUG HELP.",
                                ngx_min(word.len, 128), word.data);
}


static ngx_uint_t
ngx_olivine_debug_allowed(ngx_olivine_cx_t *cx)
{
    switch (cx->zone->params.enable_debug_command) {

    case NGX_OLIVINE_DEBUG_YES:
        return 1;

    case NGX_OLIVINE_DEBUG_LOCAL:
        return cx->caller->local;

    default:
        return 0;
    }
}


static ngx_int_t
ngx_olivine_debug_help(ngx_olivine_cx_t *cx)
{
    u_char                      text[256], *p, *last;
    ngx_uint_t                  n;
    const ngx_olivine_debug_t  *row;

    static const char  title[] =
        "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:";

    last = text + sizeof(text);

    for (n = 0; ngx_olivine_debug_words[n].word; n++) { /* void */ }

    (void) ngx_olivine_reply_array(cx->reply, 1 + 2 * n);
    (void) ngx_olivine_reply_simple(cx->reply, (u_char *) title,
                                    sizeof(title) - 1);

    for (row = ngx_olivine_debug_words; row->word; row++) {

        p = ngx_slprintf(text, last, "%s", row->usage);
        (void) ngx_olivine_reply_simple(cx->reply, text, p - text);

        p = ngx_slprintf(text, last, "    %s", row->summary);
        (void) ngx_olivine_reply_simple(cx->reply, text, p - text);
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


/*
 * The gate goes up, and the command waits; it is run again when the time has
 * come, and finds by the caller that the gate is its own.
 */

static ngx_int_t
ngx_olivine_debug_sleep(ngx_olivine_cx_t *cx)
{
    u_char   *p;
    int64_t   ms;

    if (cx->caller->sleep_until == 0) {

        p = cx->argv[2].data;
        ms = ngx_olivine_debug_ms(p, p + cx->argv[2].len);

        if (ms == 0) {
            return ngx_olivine_reply_ok(cx->reply);
        }

        if (cx->nested) {
            return ngx_olivine_cx_in_all(cx, NGX_OLIVINE_GATE_SLEEP,
                                         ngx_olivine_debug_sleep_part, &ms);
        }

        if (ngx_olivine_gate_raise(cx->tx, NGX_OLIVINE_GATE_SLEEP, cx->now)
            != NGX_OK)
        {
            cx->park = NGX_OLIVINE_PARK_GATE;
            return NGX_AGAIN;
        }

        cx->caller->sleep_until = cx->now + ms;
    }

    if (cx->now < cx->caller->sleep_until) {
        cx->park = NGX_OLIVINE_PARK_TIMER;
        cx->until = cx->caller->sleep_until;
        return NGX_AGAIN;
    }

    cx->caller->sleep_until = 0;
    ngx_olivine_gate_lower(cx->tx);

    /* it stands for work that keeps everybody waiting, and is timed as such */

    ngx_olivine_cx_spent(cx, ngx_olivine_debug_ms(cx->argv[2].data,
                                                  cx->argv[2].data
                                                  + cx->argv[2].len));

    return ngx_olivine_reply_ok(cx->reply);
}


/* Inside an EXEC nothing can be put off: the worker sleeps. */

static ngx_int_t
ngx_olivine_debug_sleep_part(ngx_olivine_cx_t *cx, ngx_olivine_shard_t *shard,
    void *data)
{
    int64_t *ms = data;

    ngx_msleep(*ms);

    return ngx_olivine_reply_ok(cx->reply);
}


/* Seconds, with decimals; what is no number is 0, as in Redis. */

static int64_t
ngx_olivine_debug_ms(u_char *p, u_char *last)
{
    int64_t     ms;
    ngx_uint_t  unit;

    ms = 0;

    for ( /* void */ ; p < last && *p >= '0' && *p <= '9'; p++) {

        ms = ms * 10 + (*p - '0');

        if (ms > NGX_OLIVINE_DEBUG_SLEEP) {
            ms = NGX_OLIVINE_DEBUG_SLEEP;
        }
    }

    ms *= 1000;

    if (p == last || *p++ != '.') {
        return ms;
    }

    for (unit = 100; unit && p < last && *p >= '0' && *p <= '9'; p++) {
        ms += (*p - '0') * unit;
        unit /= 10;
    }

    return ms;
}


static ngx_int_t
ngx_olivine_debug_active_expire(ngx_olivine_cx_t *cx)
{
    cx->zone->no_expire = !ngx_olivine_debug_yes(cx, 2);

    return ngx_olivine_reply_ok(cx->reply);
}


static ngx_int_t
ngx_olivine_debug_skip_checksum(ngx_olivine_cx_t *cx)
{
    cx->zone->no_checksum = ngx_olivine_debug_yes(cx, 2);

    return ngx_olivine_reply_ok(cx->reply);
}


/* all that reads as a number but 0 is a yes, as with atoi() */

static ngx_uint_t
ngx_olivine_debug_yes(ngx_olivine_cx_t *cx, ngx_uint_t arg)
{
    return cx->argv[arg].len && cx->argv[arg].data[0] >= '1'
           && cx->argv[arg].data[0] <= '9';
}


static ngx_int_t
ngx_olivine_debug_digest(ngx_olivine_cx_t *cx)
{
    u_char     digest[NGX_OLIVINE_DEBUG_DIGEST];
    ngx_int_t  rc;

    rc = ngx_olivine_cx_in_all(cx, NGX_OLIVINE_GATE_WALK,
                               ngx_olivine_debug_digest_part, digest);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_olivine_debug_reply_digest(cx, digest);
}


/* databases in order, each begun by its number; keys in any order */

static ngx_int_t
ngx_olivine_debug_digest_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data)
{
    u_char *digest = data;

    int64_t     db;
    uint32_t    number;
    uint64_t    keys, expires;
    ngx_uint_t  n;

    ngx_memzero(digest, NGX_OLIVINE_DEBUG_DIGEST);

    for (db = 0; db < cx->zone->params.databases; db++) {

        ngx_olivine_store_count(cx->zone, db, &keys, &expires);

        if (keys == 0) {
            continue;
        }

        number = htonl(db);
        ngx_olivine_digest_mix(digest, &number, sizeof(uint32_t));

        for (n = 0; n < cx->zone->nshards; n++) {
            ngx_olivine_store_digest_locked(cx->tx,
                                       ngx_olivine_store_shard(cx->zone, n),
                                       db, digest);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_debug_digest_value(ngx_olivine_cx_t *cx)
{
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_olivine_debug_key_t  key;

    (void) ngx_olivine_reply_array(cx->reply, cx->argc - 2);

    for (i = 2; i < cx->argc; i++) {

        rc = ngx_olivine_debug_with_key(cx, i, ngx_olivine_debug_value_part,
                                        &key);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_olivine_debug_reply_digest(cx, key.digest);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_olivine_debug_value_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data)
{
    ngx_olivine_debug_key_t *key = data;

    ngx_olivine_ref_t  ref;

    ngx_memzero(key->digest, NGX_OLIVINE_DEBUG_DIGEST);

    ngx_olivine_store_find_locked(cx->tx, cx->caller->db, &key->key,
                                  key->hash, cx->now, &ref);

    if (ref.entry) {
        ngx_olivine_store_digest_entry(cx->zone, ref.entry, 0, key->digest);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_debug_object(ngx_olivine_cx_t *cx)
{
    ngx_olivine_debug_key_t  key;

    return ngx_olivine_debug_with_key(cx, 2, ngx_olivine_debug_object_part,
                                      &key);
}


static ngx_int_t
ngx_olivine_debug_object_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data)
{
    ngx_olivine_debug_key_t *key = data;

    u_char               text[256], *p;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    ngx_olivine_store_find_locked(cx->tx, cx->caller->db, &key->key,
                                  key->hash, cx->now, &ref);

    if (ref.entry == NULL) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NO_SUCH_KEY);
    }

    ngx_olivine_entry_value(cx->zone, ref.entry, &value);

    p = ngx_slprintf(text, text + sizeof(text),
                     "Value at:0x%xL refcount:1 encoding:%V "
                     "serializedlength:%uz lru:%uD lru_seconds_idle:%uD",
                     (uint64_t) (uintptr_t) ref.entry,
                     ngx_olivine_encoding_name(value.encoding),
                     ngx_olivine_debug_serialized(&value),
                     ref.entry->clock >> 8,
                     ngx_olivine_entry_idle(ref.entry, cx->clock));

    return ngx_olivine_reply_simple(cx->reply, text, p - text);
}


/* Bytes in a file of Redis, if it does not compress. */

static size_t
ngx_olivine_debug_serialized(ngx_olivine_value_t *value)
{
    int64_t  n;

    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        n = value->number;

        if (n == (int8_t) n) {
            return 2;
        }

        if (n == (int16_t) n) {
            return 3;
        }

        if (n == (int32_t) n) {
            return 5;
        }

        return 1 + ngx_olivine_string_len(value);
    }

    if (value->text.len < 64) {
        return 1 + value->text.len;
    }

    return value->text.len + (value->text.len < 16384 ? 2 : 5);
}


#if !(NGX_OLIVINE_TEST)

/* as from a fault in anybody's code: nothing is done before */

static ngx_int_t
ngx_olivine_debug_segfault(ngx_olivine_cx_t *cx)
{
    (void) signal(SIGSEGV, SIG_DFL);
    (void) raise(SIGSEGV);

    return NGX_ERROR;
}

#endif


static ngx_int_t
ngx_olivine_debug_audit(ngx_olivine_cx_t *cx)
{
    u_char     err[256];
    ngx_int_t  rc;

    rc = ngx_olivine_cx_in_all(cx, NGX_OLIVINE_GATE_WALK,
                               ngx_olivine_debug_audit_part, err);
    if (rc != NGX_OK) {
        return rc;
    }

    if (err[0]) {
        return ngx_olivine_cx_error(cx, "ERR %s", err);
    }

    return ngx_olivine_reply_ok(cx->reply);
}


static ngx_int_t
ngx_olivine_debug_audit_part(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data)
{
    u_char *err = data;

    ngx_memzero(err, 256);

    if (ngx_olivine_store_audit(cx->tx, err) == NGX_OK) {
        err[0] = '\0';

    } else {
        err[255] = '\0';
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_debug_with_key(ngx_olivine_cx_t *cx, ngx_uint_t arg,
    ngx_olivine_cx_part_pt part, ngx_olivine_debug_key_t *key)
{
    key->key = ngx_olivine_cx_arg(cx, arg);
    key->hash = ngx_olivine_store_hash(cx->zone, &key->key);

    return ngx_olivine_cx_in_shard(cx,
                                   ngx_olivine_store_number(cx->zone,
                                                            key->hash),
                                   part, key);
}


static ngx_int_t
ngx_olivine_debug_reply_digest(ngx_olivine_cx_t *cx, u_char *digest)
{
    u_char  text[2 * NGX_OLIVINE_DEBUG_DIGEST];

    (void) ngx_hex_dump(text, digest, NGX_OLIVINE_DEBUG_DIGEST);

    return ngx_olivine_reply_simple(cx->reply, text, sizeof(text));
}
