
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_command.h"

#include <time.h>


/* bytes of lines that are not kept until the end of the batch */
#define NGX_OLIVINE_FEED_LINES   (64 * 1024)

/* a time, a database, what stands around them and an address */
#define NGX_OLIVINE_FEED_PREFIX  (3 * NGX_OLIVINE_I64_LEN + 16)


static size_t ngx_olivine_feed_prefix(ngx_olivine_cx_t *cx, u_char *p,
    uint32_t db);
static ngx_str_t ngx_olivine_feed_arg(ngx_olivine_feed_t *feed,
    ngx_olivine_arg_t *argv, ngx_uint_t i, uint64_t redacted);
static size_t ngx_olivine_feed_len(ngx_str_t *arg);
static u_char *ngx_olivine_feed_quote(u_char *p, ngx_str_t *arg);
static u_char ngx_olivine_feed_letter(u_char c);


void
ngx_olivine_feed_before(ngx_olivine_cx_t *cx, ngx_olivine_arg_t *argv,
    ngx_uint_t argc)
{
    ngx_uint_t           i;
    ngx_olivine_feed_t  *feed;

    feed = &cx->feed;

    for (i = 0; i < argc; i++) {

        if (argv[i].run == NULL || feed->large) {
            continue;
        }

        if (argv[i].len > cx->zone->monitor.size - feed->runs.len) {
            feed->large = 1;
            continue;
        }

        ngx_olivine_buffer_add(&feed->runs, argv[i].data, argv[i].len);
    }
}


void
ngx_olivine_feed_note(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, ngx_olivine_arg_t *argv,
    ngx_uint_t argc, uint64_t redacted, uint32_t db)
{
    u_char               prefix[NGX_OLIVINE_FEED_PREFIX
                                + NGX_OLIVINE_BUS_TEXT], *p;
    size_t               taken, len, size;
    uint32_t             head;
    ngx_str_t            arg;
    ngx_uint_t           i;
    ngx_olivine_feed_t  *feed;

    feed = &cx->feed;
    taken = feed->taken;

    len = ngx_olivine_feed_prefix(cx, prefix, db);
    size = len + 1;

    for (i = 0; i < argc; i++) {
        arg = ngx_olivine_feed_arg(feed, argv, i, redacted);

        if (arg.data == NULL) {
            break;
        }

        size = ngx_min(size + ngx_olivine_feed_len(&arg),
                       2 * NGX_OLIVINE_MONITOR_MAX);
    }

    if (command->flags & (NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_SKIP_MONITOR)) {
        return;
    }

    if (i < argc || NGX_OLIVINE_MONITOR_HEAD + size > cx->zone->monitor.size) {
        feed->over = 1;
        return;
    }

    if (feed->lines.len
        && feed->lines.len + size > NGX_OLIVINE_FEED_LINES)
    {
        ngx_olivine_feed_publish(cx);
    }

    p = ngx_olivine_buffer_room(&feed->lines, NGX_OLIVINE_MONITOR_HEAD + size);

    if (p == NULL) {
        return;                        /* lines.failed is set */
    }

    feed->lines.len += NGX_OLIVINE_MONITOR_HEAD + size;
    feed->taken = taken;

    head = size;

    p = ngx_cpymem(p, &head, NGX_OLIVINE_MONITOR_HEAD);
    p = ngx_cpymem(p, prefix, len);

    for (i = 0; i < argc; i++) {
        arg = ngx_olivine_feed_arg(feed, argv, i, redacted);
        p = ngx_olivine_feed_quote(p, &arg);
    }

    /* instead of the last blank */

    *(p - 1) = CR;
    *p = LF;
}


void
ngx_olivine_feed_drop(ngx_olivine_feed_t *feed)
{
    if (ngx_olivine_unlikely(feed->runs.data != NULL || feed->large)) {
        ngx_olivine_buffer_free(&feed->runs);
        feed->taken = 0;
        feed->large = 0;
    }
}


void
ngx_olivine_feed_publish(ngx_olivine_cx_t *cx)
{
    ngx_olivine_feed_t  *feed;

    feed = &cx->feed;

    if (feed->lines.len) {
        ngx_olivine_monitor_add(cx->tx, feed->lines.data, feed->lines.len);
    }

    if (ngx_olivine_unlikely(feed->over || feed->lines.failed)) {
        ngx_olivine_monitor_add(cx->tx, NULL, 0);
        feed->over = 0;
        ngx_olivine_buffer_free(&feed->lines);
    }

    feed->lines.len = 0;

    if (feed->lines.alloc > 2 * NGX_OLIVINE_FEED_LINES) {
        ngx_olivine_buffer_free(&feed->lines);
    }
}


void
ngx_olivine_feed_free(ngx_olivine_feed_t *feed)
{
    ngx_olivine_buffer_free(&feed->lines);
    ngx_olivine_feed_drop(feed);
}


/* What stands before the arguments: "+1700000000.123456 [0 1.2.3.4:5] " */

static size_t
ngx_olivine_feed_prefix(ngx_olivine_cx_t *cx, u_char *p, uint32_t db)
{
    u_char                  text[NGX_OLIVINE_BUS_TEXT], *start;
    ngx_str_t               addr;
    struct timespec         ts;
    ngx_olivine_bus_row_t  *row;

    start = p;
    row = cx->caller->row;

    (void) clock_gettime(CLOCK_REALTIME, &ts);

    ngx_olivine_bus_get(cx->zone, row, NGX_OLIVINE_BUS_ADDR, &addr, text);

    p = ngx_sprintf(p, "+%T.%06L [%uD ", ts.tv_sec,
                    (int64_t) ts.tv_nsec / 1000, db);

    if (row->flags & NGX_OLIVINE_BUS_UNIX) {
        p = ngx_cpymem(p, "unix:", sizeof("unix:") - 1);

        /* a path has no port */

        addr.len -= ngx_min(addr.len, sizeof(":0") - 1);
    }

    p = ngx_cpymem(p, addr.data, addr.len);
    p = ngx_cpymem(p, "] ", sizeof("] ") - 1);

    return p - start;
}


/* An argument as it is shown; no data: it is not there any more. */

static ngx_str_t
ngx_olivine_feed_arg(ngx_olivine_feed_t *feed, ngx_olivine_arg_t *argv,
    ngx_uint_t i, uint64_t redacted)
{
    u_char     *copy;
    ngx_str_t   arg;

    static ngx_str_t  secret = ngx_string("(redacted)");

    arg.len = argv[i].len;
    arg.data = arg.len ? argv[i].data : (u_char *) "";

    if (ngx_olivine_unlikely(argv[i].run != NULL)) {

        if (feed->large || feed->runs.failed
            || arg.len > feed->runs.len - feed->taken)
        {
            ngx_str_null(&arg);
            return arg;
        }

        copy = feed->runs.data + feed->taken;
        feed->taken += arg.len;
        arg.data = copy;
    }

    return (i < 32 && redacted >> i & 1) ? secret : arg;
}


/* Bytes that it takes with quotes and a blank. */

static size_t
ngx_olivine_feed_len(ngx_str_t *arg)
{
    size_t  i, len;

    len = arg->len + 3;

    for (i = 0; i < arg->len; i++) {
        switch (ngx_olivine_feed_letter(arg->data[i])) {

        case 0:
            break;

        case 'x':
            len += 3;
            break;

        default:
            len++;
            break;
        }
    }

    return len;
}


static u_char *
ngx_olivine_feed_quote(u_char *p, ngx_str_t *arg)
{
    u_char  c, letter;
    size_t  i;

    static u_char  hex[] = "0123456789abcdef";

    *p++ = '"';

    for (i = 0; i < arg->len; i++) {

        c = arg->data[i];
        letter = ngx_olivine_feed_letter(c);

        if (letter == 0) {
            *p++ = c;
            continue;
        }

        *p++ = '\\';
        *p++ = letter;

        if (letter == 'x') {
            *p++ = hex[c >> 4];
            *p++ = hex[c & 0xf];
        }
    }

    *p++ = '"';
    *p++ = ' ';

    return p;
}


/* What follows a backslash; 0: the byte is shown as it is. */

static u_char
ngx_olivine_feed_letter(u_char c)
{
    if (ngx_olivine_likely(c >= ' ' && c < 0x7f)) {
        return (c == '"' || c == '\\') ? c : 0;
    }

    switch (c) {

    case '\n':
        return 'n';

    case '\r':
        return 'r';

    case '\t':
        return 't';

    case '\a':
        return 'a';

    case '\b':
        return 'b';

    default:
        return 'x';
    }
}
