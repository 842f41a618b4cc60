/*
 * Copyright (C) The Olivine authors
 */


#include "base/ngx_olivine_base.h"
#include "base/ngx_olivine_number.h"
#include "resp/ngx_olivine_resp_reply.h"


#define NGX_OLIVINE_REPLY_ROOM                                                \
    (NGX_OLIVINE_REPLY_BLOCK - sizeof(ngx_olivine_reply_segment_t))


static ngx_olivine_reply_segment_t *ngx_olivine_reply_block(
    ngx_olivine_reply_pool_t *pool, size_t n);
static void ngx_olivine_reply_release(ngx_olivine_reply_t *r,
    ngx_olivine_reply_segment_t *segment);
static void ngx_olivine_reply_append(ngx_olivine_reply_t *r,
    ngx_olivine_reply_segment_t *segment);
static void ngx_olivine_reply_release_list(ngx_olivine_reply_t *r,
    ngx_olivine_reply_segment_t *segment);

static ngx_int_t ngx_olivine_reply_header(ngx_olivine_reply_t *r,
    u_char type, uint64_t n);
static void ngx_olivine_reply_code(ngx_olivine_reply_t *r, const u_char *data,
    size_t len);
static ngx_int_t ngx_olivine_reply_copy(ngx_olivine_reply_t *r,
    const u_char *data, size_t len);


#define ngx_olivine_reply_error_row(text)  ngx_string("-" text CRLF)


const ngx_str_t  ngx_olivine_reply_errors[NGX_OLIVINE_ERRORS] = {

    [NGX_OLIVINE_ERR_SYNTAX] =
        ngx_olivine_reply_error_row("ERR syntax error"),

    [NGX_OLIVINE_ERR_WRONGTYPE] =
        ngx_olivine_reply_error_row("WRONGTYPE Operation against a key "
                                    "holding the wrong kind of value"),

    [NGX_OLIVINE_ERR_NOT_INTEGER] =
        ngx_olivine_reply_error_row("ERR value is not an integer or out of "
                                    "range"),

    [NGX_OLIVINE_ERR_NOT_FLOAT] =
        ngx_olivine_reply_error_row("ERR value is not a valid float"),

    [NGX_OLIVINE_ERR_VALUE_RANGE] =
        ngx_olivine_reply_error_row("ERR value is out of range"),

    [NGX_OLIVINE_ERR_NOT_POSITIVE] =
        ngx_olivine_reply_error_row("ERR value is out of range, must be "
                                    "positive"),

    [NGX_OLIVINE_ERR_OVERFLOW] =
        ngx_olivine_reply_error_row("ERR increment or decrement would "
                                    "overflow"),

    [NGX_OLIVINE_ERR_NAN_OR_INF] =
        ngx_olivine_reply_error_row("ERR increment would produce NaN or "
                                    "Infinity"),

    [NGX_OLIVINE_ERR_NO_SUCH_KEY] =
        ngx_olivine_reply_error_row("ERR no such key"),

    [NGX_OLIVINE_ERR_SAME_OBJECT] =
        ngx_olivine_reply_error_row("ERR source and destination objects are "
                                    "the same"),

    [NGX_OLIVINE_ERR_INDEX_RANGE] =
        ngx_olivine_reply_error_row("ERR index out of range"),

    [NGX_OLIVINE_ERR_OFFSET_RANGE] =
        ngx_olivine_reply_error_row("ERR offset is out of range"),

    [NGX_OLIVINE_ERR_STRING_TOO_LONG] =
        ngx_olivine_reply_error_row("ERR string exceeds maximum allowed size "
                                    "(proto-max-bulk-len)"),

    [NGX_OLIVINE_ERR_INVALID_CURSOR] =
        ngx_olivine_reply_error_row("ERR invalid cursor"),

    [NGX_OLIVINE_ERR_DB_RANGE] =
        ngx_olivine_reply_error_row("ERR DB index is out of range"),

    [NGX_OLIVINE_ERR_OOM] =
        ngx_olivine_reply_error_row("OOM command not allowed when used "
                                    "memory > 'maxmemory'."),

    [NGX_OLIVINE_ERR_LOADING] =
        ngx_olivine_reply_error_row("LOADING Redis is loading the dataset in "
                                    "memory"),

    [NGX_OLIVINE_ERR_BUSY_SCRIPT] =
        ngx_olivine_reply_error_row("BUSY Redis is busy running a script. "
                                    "You can only call SCRIPT KILL or "
                                    "SHUTDOWN NOSAVE."),

    [NGX_OLIVINE_ERR_BUSYKEY] =
        ngx_olivine_reply_error_row("BUSYKEY Target key name already "
                                    "exists."),

    [NGX_OLIVINE_ERR_READONLY] =
        ngx_olivine_reply_error_row("READONLY You can't write against a read "
                                    "only replica."),

    [NGX_OLIVINE_ERR_MISCONF_RDB] =
        ngx_olivine_reply_error_row("MISCONF Redis is configured to save RDB "
                                    "snapshots, but it's currently unable to "
                                    "persist to disk. Commands that may "
                                    "modify the data set are disabled, "
                                    "because this instance is configured to "
                                    "report errors during writes if RDB "
                                    "snapshotting fails "
                                    "(stop-writes-on-bgsave-error option). "
                                    "Please check the Redis logs for details "
                                    "about the RDB error."),

    [NGX_OLIVINE_ERR_EXECABORT] =
        ngx_olivine_reply_error_row("EXECABORT Transaction discarded because "
                                    "of previous errors."),

    [NGX_OLIVINE_ERR_EXECABORT_OOM] =
        ngx_olivine_reply_error_row("EXECABORT Transaction discarded because "
                                    "of: OOM command not allowed when used "
                                    "memory > 'maxmemory'."),

    [NGX_OLIVINE_ERR_EXEC_ALONE] =
        ngx_olivine_reply_error_row("ERR EXEC without MULTI"),

    [NGX_OLIVINE_ERR_DISCARD_ALONE] =
        ngx_olivine_reply_error_row("ERR DISCARD without MULTI"),

    [NGX_OLIVINE_ERR_MULTI_NESTED] =
        ngx_olivine_reply_error_row("ERR MULTI calls can not be nested"),

    [NGX_OLIVINE_ERR_WATCH_IN_MULTI] =
        ngx_olivine_reply_error_row("ERR WATCH inside MULTI is not allowed"),

    [NGX_OLIVINE_ERR_NO_MULTI] =
        ngx_olivine_reply_error_row("ERR Command not allowed inside a "
                                    "transaction"),

    [NGX_OLIVINE_ERR_NOAUTH] =
        ngx_olivine_reply_error_row("NOAUTH Authentication required."),

    [NGX_OLIVINE_ERR_NOAUTH_HELLO] =
        ngx_olivine_reply_error_row("NOAUTH HELLO must be called with the "
                                    "client already authenticated, otherwise "
                                    "the HELLO <proto> AUTH <user> <pass> "
                                    "option can be used to authenticate the "
                                    "client and select the RESP protocol "
                                    "version at the same time"),

    [NGX_OLIVINE_ERR_NOPERM_KEY] =
        ngx_olivine_reply_error_row("NOPERM No permissions to access a key"),

    [NGX_OLIVINE_ERR_WRONGPASS] =
        ngx_olivine_reply_error_row("WRONGPASS invalid username-password "
                                    "pair or user is disabled."),

    [NGX_OLIVINE_ERR_NO_PASSWORD_SET] =
        ngx_olivine_reply_error_row("ERR AUTH <password> called without any "
                                    "password configured for the default "
                                    "user. Are you sure your configuration "
                                    "is correct?"),

    [NGX_OLIVINE_ERR_NOPROTO] =
        ngx_olivine_reply_error_row("NOPROTO unsupported protocol version"),

    [NGX_OLIVINE_ERR_PROTO_NOT_INTEGER] =
        ngx_olivine_reply_error_row("ERR Protocol version is not an integer "
                                    "or out of range"),

    [NGX_OLIVINE_ERR_CLIENT_NAME] =
        ngx_olivine_reply_error_row("ERR Client names cannot contain spaces, "
                                    "newlines or special characters."),

    [NGX_OLIVINE_ERR_MAXCLIENTS] =
        ngx_olivine_reply_error_row("ERR max number of clients reached"),

    [NGX_OLIVINE_ERR_INVALID_COMMAND] =
        ngx_olivine_reply_error_row("ERR Invalid command specified"),

    [NGX_OLIVINE_ERR_NO_KEY_ARGUMENTS] =
        ngx_olivine_reply_error_row("ERR The command has no key arguments"),

    [NGX_OLIVINE_ERR_INVALID_ARGUMENTS] =
        ngx_olivine_reply_error_row("ERR Invalid number of arguments "
                                    "specified for command"),

    [NGX_OLIVINE_ERR_NOT_PERMITTED] =
        ngx_olivine_reply_error_row("ERR operation not permitted"),

    [NGX_OLIVINE_ERR_NO_REPLICAS] =
        ngx_olivine_reply_error_row("NOREPLICAS Not enough good replicas to "
                                    "write."),

    [NGX_OLIVINE_ERR_EXECABORT_REPLICAS] =
        ngx_olivine_reply_error_row("EXECABORT Transaction discarded because "
                                    "of: NOREPLICAS Not enough good replicas "
                                    "to write."),

    [NGX_OLIVINE_ERR_NO_CONFIG_FILE] =
        ngx_olivine_reply_error_row("ERR The server is running without a "
                                    "config file")
};


void
ngx_olivine_reply_init(ngx_olivine_reply_t *r, ngx_olivine_reply_pool_t *pool,
    ngx_olivine_reply_release_pt release, void *data)
{
    ngx_memzero(r, sizeof(ngx_olivine_reply_t));

    r->pool = pool;
    r->release = release;
    r->data = data;
}


void
ngx_olivine_reply_free(ngx_olivine_reply_t *r)
{
    ngx_olivine_reply_release_list(r, r->first);

    r->first = NULL;
    r->last = NULL;
    r->pos = NULL;
    r->end = NULL;
    r->sealed = 0;
    r->failed = 0;
    r->errors = 0;
}


void
ngx_olivine_reply_pool_free(ngx_olivine_reply_pool_t *pool)
{
    ngx_olivine_reply_segment_t  *segment;

    while (pool->free) {
        segment = pool->free;
        pool->free = segment->next;
        ngx_free(segment);
    }

    pool->nfree = 0;
}


void
ngx_olivine_reply_rewind(ngx_olivine_reply_t *r,
    ngx_olivine_reply_mark_t *mark)
{
    ngx_olivine_reply_segment_t  *segment;

    segment = mark->segment;

    if (segment == NULL) {
        ngx_olivine_reply_free(r);
        r->failed = mark->failed;
        r->errors = mark->errors;
        return;
    }

    ngx_olivine_reply_release_list(r, segment->next);

    segment->next = NULL;

    r->last = segment;
    r->pos = mark->pos;
    r->end = segment->ref ? NULL : segment->end;
    r->sealed = mark->sealed;
    r->failed = mark->failed;
    r->errors = mark->errors;
}


void
ngx_olivine_reply_join(ngx_olivine_reply_t *r, ngx_olivine_reply_t *from)
{
    r->failed |= from->failed;

    if (from->first == NULL) {
        return;
    }

    ngx_olivine_reply_append(r, from->first);

    r->last = from->last;
    r->pos = from->pos;
    r->end = from->end;
    r->sealed += from->sealed;

    from->first = NULL;
    from->last = NULL;
    from->pos = NULL;
    from->end = NULL;
    from->sealed = 0;
}


ngx_uint_t
ngx_olivine_reply_iovecs(ngx_olivine_reply_t *r, struct iovec *iov,
    ngx_uint_t n)
{
    u_char                       *last;
    ngx_uint_t                    i;
    ngx_olivine_reply_segment_t  *segment;

    i = 0;

    for (segment = r->first; segment && i < n; segment = segment->next) {
        last = (segment == r->last && r->pos) ? r->pos : segment->last;

        if (last == segment->pos) {
            continue;
        }

        iov[i].iov_base = segment->pos;
        iov[i].iov_len = last - segment->pos;
        i++;
    }

    return i;
}


size_t
ngx_olivine_reply_first(ngx_olivine_reply_t *r, ngx_uint_t *behind)
{
    ngx_olivine_reply_segment_t  *s;

    *behind = 0;

    if (r->first == NULL) {
        return 0;
    }

    for (s = r->first->next; s; s = s->next) {
        (*behind)++;
    }

    s = r->first;

    return ((s == r->last && r->pos) ? r->pos : s->last) - s->pos;
}


void
ngx_olivine_reply_consume(ngx_olivine_reply_t *r, size_t n)
{
    size_t                        len;
    ngx_olivine_reply_segment_t  *segment;

    while (r->first) {
        segment = r->first;

        if (segment == r->last && r->pos) {
            len = r->pos - segment->pos;

        } else {
            len = segment->last - segment->pos;
            r->sealed -= ngx_min(n, len);
        }

        if (n < len) {
            segment->pos += n;
            return;
        }

        n -= len;

        r->first = segment->next;

        if (r->first == NULL) {
            r->last = NULL;
            r->pos = NULL;
            r->end = NULL;
        }

        ngx_olivine_reply_release(r, segment);
    }
}


u_char *
ngx_olivine_reply_grow(ngx_olivine_reply_t *r, size_t n)
{
    ngx_olivine_reply_segment_t  *segment;

    segment = ngx_olivine_reply_block(r->pool, n);

    if (segment == NULL) {
        r->failed = 1;
        return NULL;
    }

    ngx_olivine_reply_append(r, segment);

    r->pos = segment->pos;
    r->end = segment->end;

    return r->pos;
}


/* an empty block with room for n bytes */

static ngx_olivine_reply_segment_t *
ngx_olivine_reply_block(ngx_olivine_reply_pool_t *pool, size_t n)
{
    size_t                        size;
    ngx_olivine_reply_segment_t  *segment;

    size = NGX_OLIVINE_REPLY_BLOCK;

    if (n > NGX_OLIVINE_REPLY_ROOM) {

        if (n > NGX_MAX_SIZE_T_VALUE - sizeof(ngx_olivine_reply_segment_t)) {
            return NULL;
        }

        size = n + sizeof(ngx_olivine_reply_segment_t);
        segment = malloc(size);

    } else if (pool->free) {
        segment = pool->free;
        pool->free = segment->next;
        pool->nfree--;

    } else {
        segment = malloc(size);
    }

    if (segment == NULL) {
        return NULL;
    }

    pool->used += size;

    segment->next = NULL;
    segment->pos = (u_char *) (segment + 1);
    segment->last = segment->pos;
    segment->end = (u_char *) segment + size;
    segment->pin = NULL;
    segment->ref = 0;
    segment->big = (size != NGX_OLIVINE_REPLY_BLOCK);

    return segment;
}


static void
ngx_olivine_reply_release(ngx_olivine_reply_t *r,
    ngx_olivine_reply_segment_t *segment)
{
    ngx_olivine_reply_pool_t  *pool;

    pool = r->pool;

    if (segment->ref) {

        if (segment->pin) {
            r->release(r->data, segment->pin);
        }

        ngx_free(segment);
        return;
    }

    pool->used -= segment->end - (u_char *) segment;

    if (segment->big || pool->nfree >= pool->max) {
        ngx_free(segment);
        return;
    }

    segment->next = pool->free;
    pool->free = segment;
    pool->nfree++;
}


static void
ngx_olivine_reply_release_list(ngx_olivine_reply_t *r,
    ngx_olivine_reply_segment_t *segment)
{
    ngx_olivine_reply_segment_t  *next;

    while (segment) {
        next = segment->next;
        ngx_olivine_reply_release(r, segment);
        segment = next;
    }
}


/* seals the current block */

static void
ngx_olivine_reply_append(ngx_olivine_reply_t *r,
    ngx_olivine_reply_segment_t *segment)
{
    if (r->pos) {
        r->last->last = r->pos;
        r->sealed += r->pos - r->last->pos;
    }

    if (r->last) {
        r->last->next = segment;

    } else {
        r->first = segment;
    }

    r->last = segment;
    r->pos = NULL;
    r->end = NULL;
}


ngx_int_t
ngx_olivine_reply_error(ngx_olivine_reply_t *r, ngx_olivine_error_e e)
{
    const ngx_str_t  *text;

    text = &ngx_olivine_reply_errors[e];

    ngx_olivine_reply_code(r, text->data + 1, text->len - 1);

    return ngx_olivine_reply_raw(r, text->data, text->len);
}


/* a line break would end the reply: Redis makes a blank of it */

ngx_int_t
ngx_olivine_reply_error_text(ngx_olivine_reply_t *r, u_char *data, size_t len)
{
    u_char  *p;
    size_t   i;

    while (len && (data[len - 1] == CR || data[len - 1] == LF)) {
        len--;
    }

    ngx_olivine_reply_code(r, data, len);

    p = ngx_olivine_reply_room(r, 1 + len + 2);

    if (p == NULL) {
        return NGX_ERROR;
    }

    *p++ = '-';

    for (i = 0; i < len; i++) {
        *p++ = (data[i] == CR || data[i] == LF) ? ' ' : data[i];
    }

    *p++ = CR;
    *p++ = LF;

    r->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_reply_error_format(ngx_olivine_reply_t *r, const char *fmt, ...)
{
    u_char   *p, text[NGX_OLIVINE_REPLY_ERROR];
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(text, text + NGX_OLIVINE_REPLY_ERROR, fmt, args);
    va_end(args);

    return ngx_olivine_reply_error_text(r, text, p - text);
}


/* As Redis finds it: a word that is too long is none. */

static void
ngx_olivine_reply_code(ngx_olivine_reply_t *r, const u_char *data, size_t len)
{
    size_t  i;

    r->errors++;

    for (i = 0; i < len && i < NGX_OLIVINE_REPLY_CODE - 1; i++) {
        if (data[i] == ' ') {
            ngx_memcpy(r->code, data, i);
            r->code_len = i;
            return;
        }
    }

    ngx_memcpy(r->code, "ERR", 3);
    r->code_len = 3;
}


ngx_int_t
ngx_olivine_reply_simple(ngx_olivine_reply_t *r, u_char *data, size_t len)
{
    u_char  *p;

    p = ngx_olivine_reply_room(r, 1 + len + 2);

    if (p == NULL) {
        return NGX_ERROR;
    }

    *p++ = '+';
    p = ngx_cpymem(p, data, len);
    *p++ = CR;
    *p++ = LF;

    r->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_reply_integer(ngx_olivine_reply_t *r, int64_t n)
{
    u_char  *p;

    p = ngx_olivine_reply_room(r, NGX_OLIVINE_REPLY_HEADER);

    if (p == NULL) {
        return NGX_ERROR;
    }

    *p++ = ':';
    p = ngx_olivine_number_print(p, n);
    *p++ = CR;
    *p++ = LF;

    r->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_reply_bulk(ngx_olivine_reply_t *r, const u_char *data, size_t len)
{
    u_char  *p;

    if (ngx_olivine_unlikely(len > NGX_OLIVINE_REPLY_ROOM / 2)) {

        /* fills what room there is before it takes more */

        if (ngx_olivine_reply_header(r, '$', len) != NGX_OK
            || ngx_olivine_reply_copy(r, data, len) != NGX_OK)
        {
            return NGX_ERROR;
        }

        return ngx_olivine_reply_literal(r, CRLF);
    }

    p = ngx_olivine_reply_room(r, NGX_OLIVINE_REPLY_HEADER + len + 2);

    if (ngx_olivine_unlikely(p == NULL)) {
        return NGX_ERROR;
    }

    *p++ = '$';
    p = ngx_olivine_number_print_u64(p, len);
    *p++ = CR;
    *p++ = LF;
    p = ngx_cpymem(p, data, len);
    *p++ = CR;
    *p++ = LF;

    r->pos = p;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_reply_bulk_integer(ngx_olivine_reply_t *r, int64_t n)
{
    u_char  *p, text[NGX_OLIVINE_I64_LEN];

    p = ngx_olivine_number_print(text, n);

    return ngx_olivine_reply_bulk(r, text, p - text);
}


ngx_int_t
ngx_olivine_reply_bulk_ref(ngx_olivine_reply_t *r, u_char *data, size_t len,
    void *pin)
{
    if (ngx_olivine_reply_header(r, '$', len) != NGX_OK) {

        if (pin) {
            r->release(r->data, pin);
        }

        return NGX_ERROR;
    }

    if (ngx_olivine_reply_ref(r, data, len, pin) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_reply_literal(r, CRLF);
}


ngx_int_t
ngx_olivine_reply_ref(ngx_olivine_reply_t *r, u_char *data, size_t len,
    void *pin)
{
    ngx_olivine_reply_segment_t  *segment;

    segment = malloc(sizeof(ngx_olivine_reply_segment_t));

    if (segment == NULL) {
        r->failed = 1;

        if (pin) {
            r->release(r->data, pin);
        }

        return NGX_ERROR;
    }

    segment->next = NULL;
    segment->pos = data;
    segment->last = data + len;
    segment->end = segment->last;
    segment->pin = pin;
    segment->ref = 1;
    segment->big = 0;

    ngx_olivine_reply_append(r, segment);

    r->sealed += len;

    return NGX_OK;
}


ngx_int_t
ngx_olivine_reply_null(ngx_olivine_reply_t *r)
{
    return r->resp3 ? ngx_olivine_reply_literal(r, "_" CRLF)
                    : ngx_olivine_reply_literal(r, "$-1" CRLF);
}


ngx_int_t
ngx_olivine_reply_null_array(ngx_olivine_reply_t *r)
{
    return r->resp3 ? ngx_olivine_reply_literal(r, "_" CRLF)
                    : ngx_olivine_reply_literal(r, "*-1" CRLF);
}


ngx_int_t
ngx_olivine_reply_array(ngx_olivine_reply_t *r, size_t n)
{
    return ngx_olivine_reply_header(r, '*', n);
}


ngx_int_t
ngx_olivine_reply_map(ngx_olivine_reply_t *r, size_t n)
{
    return r->resp3 ? ngx_olivine_reply_header(r, '%', n)
                    : ngx_olivine_reply_header(r, '*', 2 * n);
}


ngx_int_t
ngx_olivine_reply_set(ngx_olivine_reply_t *r, size_t n)
{
    return ngx_olivine_reply_header(r, r->resp3 ? '~' : '*', n);
}


ngx_int_t
ngx_olivine_reply_push(ngx_olivine_reply_t *r, size_t n)
{
    return ngx_olivine_reply_header(r, r->resp3 ? '>' : '*', n);
}


ngx_int_t
ngx_olivine_reply_double(ngx_olivine_reply_t *r, double d)
{
    u_char  *p, text[1 + NGX_OLIVINE_DOUBLE_LEN + 2];

    text[0] = ',';
    p = ngx_olivine_number_print_double(text + 1, d);

    if (!r->resp3) {
        return ngx_olivine_reply_bulk(r, text + 1, p - text - 1);
    }

    *p++ = CR;
    *p++ = LF;

    return ngx_olivine_reply_raw(r, text, p - text);
}


ngx_int_t
ngx_olivine_reply_bool(ngx_olivine_reply_t *r, ngx_uint_t b)
{
    if (!r->resp3) {
        return b ? ngx_olivine_reply_one(r) : ngx_olivine_reply_zero(r);
    }

    return b ? ngx_olivine_reply_literal(r, "#t" CRLF)
             : ngx_olivine_reply_literal(r, "#f" CRLF);
}


ngx_int_t
ngx_olivine_reply_verbatim(ngx_olivine_reply_t *r, const char *ext,
    const u_char *data, size_t len)
{
    if (!r->resp3) {
        return ngx_olivine_reply_bulk(r, data, len);
    }

    if (ngx_olivine_reply_header(r, '=', len + 4) != NGX_OK
        || ngx_olivine_reply_raw(r, ext, 3) != NGX_OK
        || ngx_olivine_reply_literal(r, ":") != NGX_OK
        || ngx_olivine_reply_copy(r, data, len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_reply_literal(r, CRLF);
}


static ngx_int_t
ngx_olivine_reply_header(ngx_olivine_reply_t *r, u_char type, uint64_t n)
{
    u_char  *p;

    p = ngx_olivine_reply_room(r, NGX_OLIVINE_REPLY_HEADER);

    if (p == NULL) {
        return NGX_ERROR;
    }

    *p++ = type;
    p = ngx_olivine_number_print_u64(p, n);
    *p++ = CR;
    *p++ = LF;

    r->pos = p;

    return NGX_OK;
}


/* spread over the current block and one more */

static ngx_int_t
ngx_olivine_reply_copy(ngx_olivine_reply_t *r, const u_char *data, size_t len)
{
    size_t  room;

    room = ngx_min((size_t) (r->end - r->pos), len);

    if (room) {
        r->pos = ngx_cpymem(r->pos, data, room);
        data += room;
        len -= room;
    }

    return len ? ngx_olivine_reply_raw(r, data, len) : NGX_OK;
}
