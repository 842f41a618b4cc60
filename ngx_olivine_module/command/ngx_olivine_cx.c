
/*
 * Copyright (C) The Olivine authors
 *
 * What handlers call: keys, values, errors.
 */


#include "command/ngx_olivine_command.h"

#include <time.h>


/* from this length on a value in a run is sent from where it lies */
#define NGX_OLIVINE_CX_PIN  16384

/* microseconds of a turn after which a command that can wait has to */
#define NGX_OLIVINE_CX_TURN  300

#if (NGX_OLIVINE_TEST)
uint64_t  ngx_olivine_cx_turn_us = NGX_OLIVINE_CX_TURN;
#else
#define ngx_olivine_cx_turn_us  NGX_OLIVINE_CX_TURN
#endif


static void ngx_olivine_cx_expired(ngx_olivine_cx_t *cx, ngx_uint_t db,
    ngx_str_t *key);


ngx_int_t
ngx_olivine_cx_find(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_olivine_ref_t *ref)
{
    return ngx_olivine_cx_find_in(cx, n, cx->caller->db, ref);
}


ngx_int_t
ngx_olivine_cx_find_in(ngx_olivine_cx_t *cx, ngx_uint_t n, ngx_uint_t db,
    ngx_olivine_ref_t *ref)
{
    ngx_int_t                rc;
    ngx_str_t                key;
    ngx_olivine_counters_t  *counters;

    key = ngx_olivine_cx_arg(cx, cx->keys[n].arg);
    counters = &cx->tx->slot->counters;

    ngx_olivine_store_find_locked(cx->tx, db, &key, cx->keys[n].hash, cx->now,
                                  ref);

    if (ref->entry && !(cx->command->flags & NGX_OLIVINE_CMD_NO_TOUCH)
        && ngx_olivine_likely(!cx->caller->no_touch))
    {
        ngx_olivine_entry_touch(ref->entry, cx->clock);
    }

    if (cx->command->flags & NGX_OLIVINE_CMD_READONLY) {

        if (ref->entry) {
            counters->hits++;

        } else {
            counters->misses++;
        }
    }

    if (ngx_olivine_likely(!ref->expired)) {
        return NGX_OK;
    }

    /* who reads never waits for room in the log, nor changes a paused store */

    if ((cx->command->flags & NGX_OLIVINE_CMD_READONLY)
        && (cx->logging || ngx_olivine_pause(cx->zone, cx->now)))
    {
        return NGX_OK;
    }

    rc = ngx_olivine_store_delete_locked(cx->tx, ref);

    if (rc == NGX_OK) {
        counters->expired++;
        ngx_olivine_cx_expired(cx, db, &key);
    }

    return rc;
}


static void
ngx_olivine_cx_expired(ngx_olivine_cx_t *cx, ngx_uint_t db, ngx_str_t *key)
{
    uint32_t  selected;

    /* an effect is of the database that is selected */

    selected = cx->caller->db;
    cx->caller->db = db;

    ngx_olivine_cx_effect(cx, 2, &(ngx_str_t) ngx_string("DEL"), key);

    cx->caller->db = selected;
}


ngx_int_t
ngx_olivine_cx_string(ngx_olivine_cx_t *cx, ngx_uint_t n,
    ngx_olivine_ref_t *ref, ngx_olivine_value_t *value)
{
    ngx_int_t  rc;

    rc = ngx_olivine_cx_find(cx, n, ref);

    if (rc != NGX_OK || ref->entry == NULL) {
        return rc;
    }

    if (ngx_olivine_entry_type(ref->entry) != NGX_OLIVINE_TYPE_STRING) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_WRONGTYPE);
    }

    ngx_olivine_entry_value(cx->zone, ref->entry, value);

    return NGX_OK;
}


ngx_int_t
ngx_olivine_cx_set_arg(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref,
    ngx_uint_t arg, int64_t expire)
{
    ngx_olivine_arg_t    *a;
    ngx_olivine_value_t   value;

    a = &cx->argv[arg];

    ngx_olivine_string_set(&value, a->data, a->len);

    if (ngx_olivine_unlikely(a->run != NULL)) {
        value.receipt = (uint32_t) (uintptr_t) a->run;
    }

    return ngx_olivine_cx_set(cx, ref, &value, expire);
}


ngx_int_t
ngx_olivine_cx_reply_string(ngx_olivine_cx_t *cx, ngx_olivine_value_t *value)
{
    if (value->encoding == NGX_OLIVINE_ENC_INT) {
        return ngx_olivine_reply_bulk_integer(cx->reply, value->number);
    }

    return ngx_olivine_cx_reply_part(cx, value, 0, value->text.len);
}


ngx_int_t
ngx_olivine_cx_reply_part(ngx_olivine_cx_t *cx, ngx_olivine_value_t *value,
    size_t from, size_t len)
{
    uint32_t   index;
    ngx_int_t  rc;

    if (ngx_olivine_likely(value->page == 0 || len < NGX_OLIVINE_CX_PIN)) {
        return ngx_olivine_reply_bulk(cx->reply, value->text.data + from, len);
    }

    if (ngx_olivine_unlikely(cx->loading)) {
        return ngx_olivine_reply_bulk(cx->reply, (u_char *) "", 0);
    }

    rc = ngx_olivine_pin(cx->tx, value->page, &index);
    if (rc != NGX_OK) {
        return rc;
    }

    cx->pins++;

    return ngx_olivine_reply_bulk_ref(cx->reply, value->text.data + from, len,
                                      (void *) (uintptr_t) (index + 1));
}


ngx_int_t
ngx_olivine_cx_error(ngx_olivine_cx_t *cx, const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(cx->error_buf,
                      cx->error_buf + NGX_OLIVINE_REPLY_ERROR, fmt, args);
    va_end(args);

    cx->error = cx->error_buf;
    cx->error_len = p - cx->error_buf;

    return NGX_ERROR;
}


ngx_int_t
ngx_olivine_cx_fail(ngx_olivine_cx_t *cx, ngx_olivine_error_e e)
{
    const ngx_str_t  *text;

    /* the table's texts are whole: '-' before, CRLF behind */

    text = &ngx_olivine_reply_errors[e];

    cx->error = text->data + 1;
    cx->error_len = text->len - 3;

    return NGX_ERROR;
}


ngx_str_t
ngx_olivine_cx_word(ngx_olivine_cx_t *cx, ngx_uint_t i)
{
    ngx_str_t  word;

    word = ngx_olivine_cx_arg(cx, i);
    word.len = strnlen((char *) word.data, word.len);

    return word;
}


ngx_uint_t
ngx_olivine_cx_is(ngx_olivine_cx_t *cx, ngx_uint_t i, const char *word)
{
    size_t  len;

    len = ngx_strlen(word);

    return cx->argv[i].len == len
           && ngx_strncasecmp(cx->argv[i].data, (u_char *) word, len) == 0;
}


ngx_int_t
ngx_olivine_cx_integer(ngx_olivine_cx_t *cx, ngx_uint_t i, int64_t *n)
{
    u_char  *p;

    p = cx->argv[i].data;

    if (ngx_olivine_number_parse(p, p + cx->argv[i].len, n) != NGX_OK) {
        return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_NOT_INTEGER);
    }

    return NGX_OK;
}


ngx_uint_t
ngx_olivine_cx_turn(ngx_olivine_cx_t *cx, uint64_t *start)
{
    uint64_t         now;
    struct timespec  ts;

    if (cx->nested) {
        return 0;
    }

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);
    now = (uint64_t) ts.tv_sec * 1000000 + ts.tv_nsec / 1000;

    if (*start == 0) {
        *start = now;
        return 0;
    }

    return now - *start >= ngx_olivine_cx_turn_us;
}


ngx_int_t
ngx_olivine_cx_later(ngx_olivine_cx_t *cx, void *later, size_t size,
    void (*later_free)(void *later))
{
    ngx_olivine_caller_t  *caller;

    caller = cx->caller;

    if (caller->later == NULL) {
        caller->later = ngx_alloc(size, ngx_cycle->log);

        if (caller->later == NULL) {
            later_free(later);
            return NGX_ERROR;
        }
    }

    ngx_memcpy(caller->later, later, size);

    caller->later_free = later_free;

    if (cx->park == NGX_OLIVINE_PARK_NONE) {
        cx->park = NGX_OLIVINE_PARK_TURN;
    }

    return NGX_AGAIN;
}


void
ngx_olivine_cx_later_free(ngx_olivine_caller_t *caller)
{
    if (caller->later) {
        caller->later_free(caller->later);
        ngx_free(caller->later);
        caller->later = NULL;
    }
}
