
/*
 * Copyright (C) The Olivine authors
 */


#include "command/ngx_olivine_command.h"


/* commands known by address: a power of two, twice what there may be */
#define NGX_OLIVINE_METER_KNOWN    1024

#define NGX_OLIVINE_METER_MAX      8

/* nanoseconds: a command is fast; what it is too much to take for the pace */
#define NGX_OLIVINE_METER_FAST     4000
#define NGX_OLIVINE_METER_ODD      20000

/* what slow log and latency monitor may ask for without timing each */
#define NGX_OLIVINE_METER_FINE     1000000


static void ngx_olivine_meter_note(ngx_olivine_cx_t *cx, ngx_uint_t number,
    uint64_t n, uint64_t ns);
static void ngx_olivine_meter_slow(ngx_olivine_cx_t *cx, uint64_t ns);
static void ngx_olivine_meter_large_last(ngx_olivine_cx_t *cx,
    uint64_t request, uint64_t reply);
static void ngx_olivine_meter_hot(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, ngx_olivine_arg_t *argv,
    ngx_uint_t argc, uint64_t ns, uint64_t bytes);
static uint64_t ngx_olivine_meter_bytes(ngx_olivine_arg_t *argv,
    ngx_uint_t argc);
static void ngx_olivine_meter_log(ngx_olivine_cx_t *cx,
    ngx_olivine_slowlog_e which, uint64_t value, ngx_uint_t max);
static void ngx_olivine_meter_trim(ngx_olivine_slow_t *slow, ngx_uint_t i,
    ngx_olivine_arg_t *arg, u_char *text);


ngx_int_t
ngx_olivine_meter_init(ngx_olivine_meter_t *meter)
{
    ngx_memzero(meter, sizeof(ngx_olivine_meter_t));

    ngx_olivine_clock_init();

    meter->max = 1;
    meter->dice = (uintptr_t) meter ^ ngx_olivine_clock_counts();
    meter->fine = 1;
    meter->tracks = 1;
    meter->slow = INT64_MAX;
    meter->request = INT64_MAX;
    meter->reply = INT64_MAX;

    meter->known = ngx_calloc(NGX_OLIVINE_METER_KNOWN
                              * sizeof(ngx_olivine_meter_known_t),
                              ngx_cycle->log);

    return meter->known ? NGX_OK : NGX_ERROR;
}


void
ngx_olivine_meter_free(ngx_olivine_meter_t *meter)
{
    if (meter->known) {
        ngx_free(meter->known);
        meter->known = NULL;
    }
}


void
ngx_olivine_meter_params(ngx_olivine_meter_t *meter,
    ngx_olivine_params_t *params)
{
    uint64_t  ns;

    ns = INT64_MAX;

    if (params->slowlog_log_slower_than >= 0) {
        ns = ngx_min(ns, (uint64_t) params->slowlog_log_slower_than * 1000);
    }

    meter->request = INT64_MAX;
    meter->reply = INT64_MAX;

    if (params->commandlog_request_larger_than >= 0
        && params->commandlog_large_request_max_len)
    {
        meter->request = params->commandlog_request_larger_than;
    }

    if (params->commandlog_reply_larger_than >= 0
        && params->commandlog_large_reply_max_len)
    {
        meter->reply = params->commandlog_reply_larger_than;
    }

    if (params->latency_monitor_threshold > 0) {
        ns = ngx_min(ns, (uint64_t) params->latency_monitor_threshold
                         * 1000000);
    }

    meter->slow = ns;
    meter->fine = (ns < NGX_OLIVINE_METER_FINE);
    meter->tracks = params->latency_tracking;
}


void
ngx_olivine_meter_open(ngx_olivine_cx_t *cx)
{
    cx->feed.on = cx->zone->monitored && !cx->loading;
    cx->meter.hot = ngx_olivine_hotkeys_active(&cx->zone->hotkeys, cx->now);
    cx->tell = 0;

    if (ngx_olivine_unlikely(cx->feed.on | cx->meter.hot
                             | (cx->meter.reply <= NGX_OLIVINE_REPLY_BLOCK)))
    {
        cx->tell |= cx->feed.on ? NGX_OLIVINE_TELL_MONITORS : 0;
        cx->tell |= cx->meter.hot ? NGX_OLIVINE_TELL_HOTKEYS : 0;
        cx->tell |= NGX_OLIVINE_TELL_REPLY;
    }

    cx->meter.batch = 1;
    cx->meter.max = 1;
    cx->meter.start = ngx_olivine_clock_counts();
}


void
ngx_olivine_meter_close(ngx_olivine_cx_t *cx)
{
    if (cx->meter.n) {
        ngx_olivine_meter_flush(cx);
    }

    cx->meter.batch = 0;
    cx->meter.max = 1;
    cx->meter.hot = 0;
    cx->tell = 0;

    if (ngx_olivine_unlikely(cx->feed.on)) {
        ngx_olivine_feed_publish(cx);
        cx->feed.on = 0;
    }

    cx->command = NULL;                    /* what comes now is nobody's */
}


void
ngx_olivine_meter_flush(ngx_olivine_cx_t *cx)
{
    int64_t               counts;
    uint64_t              now, ns, n, odd;
    ngx_int_t             number;
    ngx_olivine_meter_t  *meter;

    meter = &cx->meter;

    now = ngx_olivine_clock_counts();
    counts = now - meter->start;           /* may differ between processors */
    ns = counts > 0 ? ngx_olivine_clock_ns(counts) : 0;

    meter->start = now;

    n = meter->n;
    meter->n = 0;

    cx->tx->slot->counters.commands += n;

    number = ngx_olivine_meter_number(cx, meter->command);

    odd = 0;

    if (n > 1 && ns > n * meter->pace + NGX_OLIVINE_METER_ODD) {
        odd = ns - (n - 1) * meter->pace;
    }

    if (ngx_olivine_unlikely(meter->spent)) {
        ns += meter->spent;
        meter->spent = 0;
    }

    if (number != NGX_ERROR) {
        if (ngx_olivine_unlikely(odd)) {
            ngx_olivine_meter_note(cx, number, n - 1, ns - odd);
            ngx_olivine_meter_note(cx, number, 1, odd);

        } else {
            ngx_olivine_meter_note(cx, number, n, ns);
        }
    }

    if (ngx_olivine_unlikely(ns >= meter->slow)) {
        odd = odd ? odd : ns;

        if (odd >= meter->slow) {
            ngx_olivine_meter_slow(cx, odd);
        }
    }

    if (ngx_olivine_unlikely(meter->hot)) {
        ngx_olivine_meter_hot(cx, meter->command, meter->argv, meter->argc,
                              ns, meter->bytes);
    }

    meter->redacted = 0;

    if (odd == 0) {
        meter->pace = n == 1 ? ns : ns / n;
    }

    meter->max = (meter->pace < NGX_OLIVINE_METER_FAST && !meter->fine
                  && !meter->hot)
                 ? NGX_OLIVINE_METER_MAX : 1;
}


/* n calls that took ns in all */

static void
ngx_olivine_meter_note(ngx_olivine_cx_t *cx, ngx_uint_t number, uint64_t n,
    uint64_t ns)
{
    uint32_t             *hist;
    ngx_uint_t            bucket;
    ngx_olivine_tx_t     *tx;
    ngx_olivine_stat_t   *stat;
    ngx_olivine_stats_t  *stats;

    tx = cx->tx;
    stats = ngx_olivine_stats_at(tx->zone, tx->slot->number);
    stat = &stats->commands[number];

    stat->calls += n;
    stat->ns += ns;

    if (!cx->meter.tracks) {
        return;
    }

    hist = stats->hists[number]
           ? ngx_olivine_stats_hist(stats, stats->hists[number] - 1)
           : ngx_olivine_stats_histogram(tx, number);

    if (hist == NULL) {
        return;
    }

    bucket = ngx_olivine_stats_bucket(n == 1 ? ns : ns / n);

    if (ngx_olivine_unlikely(hist[bucket] > NGX_MAX_UINT32_VALUE - n)) {
        ngx_olivine_stats_spill(tx, number, bucket, hist);
    }

    hist[bucket] += n;
}


ngx_int_t
ngx_olivine_meter_number(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command)
{
    ngx_int_t                   number;
    ngx_uint_t                  i;
    ngx_olivine_meter_known_t  *known;

    i = ((uintptr_t) command * 0x9e3779b97f4a7c15ull) >> 32;

    for ( ;; ) {
        known = &cx->meter.known[i % NGX_OLIVINE_METER_KNOWN];

        if (ngx_olivine_likely(known->command == command)) {
            return known->number;
        }

        if (known->command == NULL) {
            break;
        }

        i++;
    }

    /* there are fewer numbers than half of those that may be known */

    number = ngx_olivine_stats_command(cx->zone, &command->name);

    if (number != NGX_ERROR) {
        /* a signal may come in between, and ask for it */

        known->number = number;
        ngx_olivine_barrier();
        known->command = command;
    }

    return number;
}


ngx_int_t
ngx_olivine_meter_command(void *data)
{
    ngx_olivine_cx_t *cx = data;

    const ngx_olivine_command_t  *command;

    command = cx->command;

    return command ? ngx_olivine_meter_number(cx, command) : NGX_ERROR;
}


void
ngx_olivine_meter_rejected(ngx_olivine_cx_t *cx)
{
    ngx_int_t             number;
    ngx_olivine_tx_t     *tx;
    ngx_olivine_stats_t  *stats;

    tx = cx->tx;
    tx->slot->counters.commands++;

    ngx_olivine_meter_errors(tx, cx->reply);

    /* its time is nobody's */

    if (cx->meter.n) {
        ngx_olivine_meter_flush(cx);
    }

    cx->meter.start = ngx_olivine_clock_counts();
    cx->meter.spent = 0;
    cx->meter.redacted = 0;

    if (cx->command == NULL) {
        return;
    }

    number = ngx_olivine_meter_number(cx, cx->command);

    if (number != NGX_ERROR) {
        stats = ngx_olivine_stats_at(tx->zone, tx->slot->number);
        stats->commands[number].rejected++;
    }
}


void
ngx_olivine_meter_failed(ngx_olivine_cx_t *cx)
{
    ngx_int_t             number;
    ngx_olivine_tx_t     *tx;
    ngx_olivine_stats_t  *stats;

    tx = cx->tx;

    ngx_olivine_meter_errors(tx, cx->reply);

    number = ngx_olivine_meter_number(cx, cx->command);

    if (number != NGX_ERROR) {
        stats = ngx_olivine_stats_at(tx->zone, tx->slot->number);
        stats->commands[number].failed++;
    }
}


void
ngx_olivine_meter_errors(ngx_olivine_tx_t *tx, ngx_olivine_reply_t *reply)
{
    if (reply->errors) {
        ngx_olivine_stats_error(tx, ngx_olivine_stats_code(tx->zone,
                                                           reply->code,
                                                           reply->code_len),
                                reply->errors);
        reply->errors = 0;
    }
}


void
ngx_olivine_meter_nested(ngx_olivine_cx_t *cx,
    ngx_olivine_meter_nested_t *nested, uint64_t start, uint64_t bytes)
{
    ngx_olivine_reply_t  *reply;

    reply = cx->reply;

    nested->reply = bytes;
    nested->db = cx->caller->db;
    nested->ns = ngx_olivine_clock_since(start) + cx->meter.spent;
    nested->redacted = cx->meter.redacted;
    nested->errors = reply->errors;

    if (reply->errors) {
        nested->error = ngx_olivine_stats_code(cx->zone, reply->code,
                                               reply->code_len);
        reply->errors = 0;
    }
}


void
ngx_olivine_meter_note_nested(ngx_olivine_cx_t *cx,
    ngx_olivine_meter_nested_t *nested, const ngx_olivine_command_t *command,
    ngx_olivine_arg_t *argv, ngx_uint_t argc)
{
    uint64_t              request;
    ngx_int_t             number;
    ngx_olivine_tx_t     *tx;
    ngx_olivine_meter_t   outer;
    ngx_olivine_stats_t  *stats;

    tx = cx->tx;
    tx->slot->counters.commands++;

    stats = ngx_olivine_stats_at(tx->zone, tx->slot->number);
    number = ngx_olivine_meter_number(cx, command);

    if (nested->errors) {
        ngx_olivine_stats_error(tx, nested->error, nested->errors);
    }

    if (number != NGX_ERROR) {
        ngx_olivine_meter_note(cx, number, 1, nested->ns);
        stats->commands[number].failed += (nested->errors != 0);
    }

    if (ngx_olivine_unlikely(cx->feed.on)) {
        ngx_olivine_feed_note(cx, command, argv, argc, nested->redacted,
                              nested->db);
    }

    if (ngx_olivine_unlikely(cx->meter.hot)) {
        ngx_olivine_meter_hot(cx, command, argv, argc, nested->ns,
                              nested->reply);
    }

    request = (cx->meter.request < INT64_MAX)
              ? ngx_olivine_meter_bytes(argv, argc) : 0;

    if (nested->ns >= cx->meter.slow
        || request >= cx->meter.request
        || nested->reply >= cx->meter.reply)
    {
        outer = cx->meter;

        cx->meter.command = command;
        cx->meter.argv = argv;
        cx->meter.argc = argc;
        cx->meter.redacted = nested->redacted;

        if (nested->ns >= cx->meter.slow) {
            ngx_olivine_meter_slow(cx, nested->ns);
        }

        ngx_olivine_meter_large_last(cx, request, nested->reply);

        cx->meter = outer;
    }
}


/* The last command took long. */

static void
ngx_olivine_meter_slow(ngx_olivine_cx_t *cx, uint64_t ns)
{
    ngx_olivine_meter_t   *meter;
    ngx_olivine_params_t  *params;

    meter = &cx->meter;
    params = &cx->zone->params;

    if (params->latency_monitor_threshold > 0
        && ns / 1000000 >= (uint64_t) params->latency_monitor_threshold)
    {
        ngx_olivine_stats_event(cx->tx,
                                (meter->command->flags
                                 & NGX_OLIVINE_CMD_FAST) ? "fast-command"
                                                         : "command",
                                cx->now, ns / 1000000);
    }

    if (params->slowlog_log_slower_than >= 0
        && ns / 1000 >= (uint64_t) params->slowlog_log_slower_than
        && !(meter->command->flags & NGX_OLIVINE_CMD_SKIP_SLOWLOG))
    {
        ngx_olivine_meter_log(cx, NGX_OLIVINE_SLOWLOG_SLOW, ns / 1000,
                              params->slowlog_max_len);
    }
}


void
ngx_olivine_meter_large(ngx_olivine_cx_t *cx, uint64_t reply)
{
    uint64_t              request;
    ngx_uint_t            i;
    ngx_olivine_meter_t  *meter;

    meter = &cx->meter;
    request = 0;

    if (cx->tell & NGX_OLIVINE_TELL_REQUEST) {
        request = ngx_olivine_meter_bytes(cx->argv, cx->argc);

    } else if (cx->tell & NGX_OLIVINE_TELL_LINE) {
        request = cx->argc - 1 + sizeof(CRLF) - 1;

        for (i = 0; i < cx->argc; i++) {
            request += cx->argv[i].len;
        }
    }

    /* those before it are of the same name, and are noted with it */

    meter->command = cx->command;
    meter->argv = cx->argv;
    meter->argc = cx->argc;

    ngx_olivine_meter_large_last(cx, request, reply);
}


static void
ngx_olivine_meter_large_last(ngx_olivine_cx_t *cx, uint64_t request,
    uint64_t reply)
{
    ngx_olivine_meter_t   *meter;
    ngx_olivine_params_t  *params;

    meter = &cx->meter;
    params = &cx->zone->params;

    if (meter->command->flags & NGX_OLIVINE_CMD_SKIP_SLOWLOG) {
        return;
    }

    if (request >= meter->request) {
        ngx_olivine_meter_log(cx, NGX_OLIVINE_SLOWLOG_REQUEST, request,
                              params->commandlog_large_request_max_len);
    }

    if (reply >= meter->reply) {
        ngx_olivine_meter_log(cx, NGX_OLIVINE_SLOWLOG_REPLY, reply,
                              params->commandlog_large_reply_max_len);
    }
}


/* Some of the commands that have keys are looked at, each has its part. */

static void
ngx_olivine_meter_hot(ngx_olivine_cx_t *cx,
    const ngx_olivine_command_t *command, ngx_olivine_arg_t *argv,
    ngx_uint_t argc, uint64_t ns, uint64_t bytes)
{
    uint32_t                ratio;
    ngx_str_t               key;
    ngx_uint_t              i, n, first, step;
    ngx_olivine_hotkeys_t  *hotkeys;

    n = ngx_olivine_command_keys(command, argv, argc, &first, &step);

    if (n == 0) {
        return;
    }

    bytes += ngx_olivine_meter_bytes(argv, argc);
    hotkeys = &cx->zone->hotkeys;

    (void) __atomic_fetch_add(&hotkeys->ns, ns, __ATOMIC_RELAXED);
    (void) __atomic_fetch_add(&hotkeys->bytes, bytes, __ATOMIC_RELAXED);

    ratio = ngx_max(hotkeys->session.ratio, 1);

    if (ratio > 1) {

        /* xorshift */

        cx->meter.dice |= (cx->meter.dice == 0);
        cx->meter.dice ^= cx->meter.dice << 13;
        cx->meter.dice ^= cx->meter.dice >> 7;
        cx->meter.dice ^= cx->meter.dice << 17;

        if ((cx->meter.dice >> 32) % ratio) {
            return;
        }
    }

    for (i = 0; i < n; i++) {

        key.len = argv[first].len;
        key.data = argv[first].data;
        first += step;

        if (key.len > NGX_OLIVINE_HOTKEYS_KEY) {

            /* it may lie in a run that is somebody else's by now */

            ngx_str_set(&key, "");
            key.len = NGX_OLIVINE_HOTKEYS_KEY + 1;
        }

        ngx_olivine_hotkeys_add(cx->tx, &key,
                                key.len > NGX_OLIVINE_HOTKEYS_KEY ? 0
                                : ngx_olivine_store_hash(cx->zone, &key),
                                ns / n, bytes / n);
    }
}


/* A command as RESP. */

static uint64_t
ngx_olivine_meter_bytes(ngx_olivine_arg_t *argv, ngx_uint_t argc)
{
    u_char      text[NGX_OLIVINE_I64_LEN];
    uint64_t    bytes;
    ngx_uint_t  i;

    bytes = 3 + (ngx_olivine_number_print(text, argc) - text);

    for (i = 0; i < argc; i++) {
        bytes += 5 + argv[i].len
                 + (ngx_olivine_number_print(text, argv[i].len) - text);
    }

    return bytes;
}


static void
ngx_olivine_meter_log(ngx_olivine_cx_t *cx, ngx_olivine_slowlog_e which,
    uint64_t value, ngx_uint_t max)
{
    u_char                texts[NGX_OLIVINE_SLOWLOG_ARGS]
                               [NGX_OLIVINE_SLOWLOG_ARG + 64];
    u_char                addr[NGX_OLIVINE_BUS_TEXT];
    u_char                name[NGX_OLIVINE_BUS_TEXT];
    ngx_uint_t            i, n;
    ngx_olivine_slow_t    slow;
    ngx_olivine_meter_t  *meter;

    static ngx_str_t  redacted = ngx_string("(redacted)");

    meter = &cx->meter;

    slow.time = cx->now / 1000;
    slow.value = value;

    ngx_olivine_bus_get(cx->zone, cx->caller->row, NGX_OLIVINE_BUS_ADDR,
                        &slow.addr, addr);
    ngx_olivine_bus_get(cx->zone, cx->caller->row, NGX_OLIVINE_BUS_NAME,
                        &slow.name, name);

    slow.addr.len = ngx_min(slow.addr.len, NGX_OLIVINE_SLOWLOG_PEER);
    slow.name.len = ngx_min(slow.name.len, NGX_OLIVINE_SLOWLOG_PEER);
    slow.argc = ngx_min(meter->argc, NGX_OLIVINE_SLOWLOG_ARGS);

    n = slow.argc;

    if (meter->argc > n) {
        n--;
        slow.argv[n].data = texts[n];
        slow.argv[n].len = ngx_sprintf(texts[n], "... (%ui more arguments)",
                                       meter->argc - n) - texts[n];
    }

    for (i = 0; i < n; i++) {

        if (meter->redacted >> i & 1) {
            slow.argv[i] = redacted;
            continue;
        }

        ngx_olivine_meter_trim(&slow, i, &meter->argv[i], texts[i]);
    }

    ngx_olivine_slowlog_add(cx->tx, which, &slow, max);
}


static void
ngx_olivine_meter_trim(ngx_olivine_slow_t *slow, ngx_uint_t i,
    ngx_olivine_arg_t *arg, u_char *text)
{
    u_char  *p;

    /* an argument in a run of the zone may be a value by now, or be gone */

    if (arg->run) {
        slow->argv[i].data = text;
        slow->argv[i].len = ngx_sprintf(text, "... (%uz more bytes)",
                                        arg->len) - text;
        return;
    }

    slow->argv[i].data = arg->data;
    slow->argv[i].len = arg->len;

    if (arg->len <= NGX_OLIVINE_SLOWLOG_ARG) {
        return;
    }

    p = ngx_cpymem(text, arg->data, NGX_OLIVINE_SLOWLOG_ARG);
    p = ngx_sprintf(p, "... (%uz more bytes)",
                    arg->len - NGX_OLIVINE_SLOWLOG_ARG);

    slow->argv[i].data = text;
    slow->argv[i].len = p - text;
}
