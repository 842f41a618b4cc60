
/*
 * Copyright (C) The Olivine authors
 *
 * LATENCY: the events of the latency monitor, and the histograms of commands.
 */


#include "command/ngx_olivine_cmd.h"
#include "base/ngx_olivine_clock.h"


/* the histograms' first bound, nanoseconds; each next one is twice that */
#define NGX_OLIVINE_LATENCY_BASE    1024

/* a line of a graph, and its columns */
#define NGX_OLIVINE_LATENCY_COLUMNS 80
#define NGX_OLIVINE_LATENCY_ROWS    4
#define NGX_OLIVINE_LATENCY_LABELS  4


typedef struct {
    int64_t                      now;      /* seconds */
    uint32_t                     low;
    uint32_t                     high;
    ngx_uint_t                   n;        /* samples */
    struct {
        uint32_t                 time;
        uint32_t                 ms;
    } samples[NGX_OLIVINE_STATS_SAMPLES];
} ngx_olivine_latency_graph_t;


static ngx_olivine_stats_event_t *ngx_olivine_latency_events(
    ngx_olivine_cx_t *cx, ngx_uint_t *n);
static ngx_int_t ngx_olivine_latency_event(ngx_olivine_cx_t *cx,
    ngx_uint_t arg, ngx_olivine_stats_event_t *event);
static void ngx_olivine_latency_samples(ngx_olivine_stats_event_t *event,
    ngx_olivine_latency_graph_t *graph);
static void ngx_olivine_latency_draw(ngx_olivine_buffer_t *b,
    ngx_olivine_latency_graph_t *graph);
static void ngx_olivine_latency_label(u_char *label, int64_t seconds);
static ngx_uint_t ngx_olivine_latency_wants(ngx_olivine_cx_t *cx,
    ngx_olivine_stats_name_t *name);
static void ngx_olivine_latency_histogram(ngx_olivine_cx_t *cx,
    ngx_uint_t n, uint64_t *hist, uint64_t calls);
static void ngx_olivine_latency_advise(ngx_olivine_buffer_t *b,
    ngx_olivine_stats_event_t *events, ngx_uint_t n);


ngx_int_t
ngx_olivine_cmd_latency_latest(ngx_olivine_cx_t *cx)
{
    ngx_uint_t                   i, n, last;
    ngx_olivine_reply_t         *r;
    ngx_olivine_stats_event_t   *events, *event;

    r = cx->reply;

    events = ngx_olivine_latency_events(cx, &n);
    if (events == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_olivine_reply_array(r, n);

    for (i = 0; i < n; i++) {
        event = &events[i];
        last = (event->next + NGX_OLIVINE_STATS_SAMPLES - 1)
               % NGX_OLIVINE_STATS_SAMPLES;

        (void) ngx_olivine_reply_array(r, 4);
        (void) ngx_olivine_reply_bulk(r, event->name,
                                      ngx_strlen(event->name));
        (void) ngx_olivine_reply_integer(r, event->samples[last].time);
        (void) ngx_olivine_reply_integer(r, event->samples[last].ms);
        (void) ngx_olivine_reply_integer(r, event->max);
    }

    ngx_free(events);

    return r->failed ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_latency_history(ngx_olivine_cx_t *cx)
{
    ngx_uint_t                    i;
    ngx_olivine_reply_t          *r;
    ngx_olivine_stats_event_t     event;
    ngx_olivine_latency_graph_t   graph;

    r = cx->reply;

    if (ngx_olivine_latency_event(cx, 2, &event) != NGX_OK) {
        return ngx_olivine_reply_empty_array(r);
    }

    ngx_olivine_latency_samples(&event, &graph);

    (void) ngx_olivine_reply_array(r, graph.n);

    for (i = 0; i < graph.n; i++) {
        (void) ngx_olivine_reply_array(r, 2);
        (void) ngx_olivine_reply_integer(r, graph.samples[i].time);
        (void) ngx_olivine_reply_integer(r, graph.samples[i].ms);
    }

    return r->failed ? NGX_ERROR : NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_latency_reset(ngx_olivine_cx_t *cx)
{
    ngx_str_t   name;
    ngx_uint_t  i, n;

    if (cx->argc == 2) {
        n = ngx_olivine_stats_forget(cx->tx, NULL);

    } else {
        n = 0;

        for (i = 2; i < cx->argc; i++) {
            name = ngx_olivine_cx_arg(cx, i);
            n += ngx_olivine_stats_forget(cx->tx, &name);
        }
    }

    return ngx_olivine_reply_integer(cx->reply, n);
}


ngx_int_t
ngx_olivine_cmd_latency_graph(ngx_olivine_cx_t *cx)
{
    ngx_int_t                     rc;
    ngx_str_t                     name;
    ngx_uint_t                    i;
    ngx_olivine_buffer_t          b;
    ngx_olivine_stats_event_t     event;
    ngx_olivine_latency_graph_t   graph;

    if (ngx_olivine_latency_event(cx, 2, &event) != NGX_OK) {
        name = ngx_olivine_cx_arg(cx, 2);

        return ngx_olivine_cx_error(cx, "ERR No samples available for event "
                                    "'%V'", &name);
    }

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    ngx_olivine_latency_samples(&event, &graph);
    graph.now = cx->now / 1000;

    ngx_olivine_buffer_print(&b, "%s - high %uD ms, low %uD ms (all time high "
                             "%uD ms)" CRLF, event.name, graph.high, graph.low,
                             event.max);

    for (i = 0; i < NGX_OLIVINE_LATENCY_COLUMNS; i++) {
        ngx_olivine_buffer_add(&b, (u_char *) "-", 1);
    }

    ngx_olivine_buffer_print(&b, CRLF);

    ngx_olivine_latency_draw(&b, &graph);

    rc = b.failed ? NGX_ERROR
                  : ngx_olivine_reply_verbatim(cx->reply, "txt", b.data,
                                               b.len);
    ngx_olivine_buffer_free(&b);

    return rc;
}


/* The events in use; to be freed. */

static ngx_olivine_stats_event_t *
ngx_olivine_latency_events(ngx_olivine_cx_t *cx, ngx_uint_t *n)
{
    ngx_olivine_stats_event_t  *events;

    events = ngx_alloc(NGX_OLIVINE_STATS_EVENTS
                       * sizeof(ngx_olivine_stats_event_t), ngx_cycle->log);

    if (events) {
        *n = ngx_olivine_stats_events(cx->tx, events);
    }

    return events;
}


static ngx_int_t
ngx_olivine_latency_event(ngx_olivine_cx_t *cx, ngx_uint_t arg,
    ngx_olivine_stats_event_t *event)
{
    size_t                      len;
    ngx_int_t                   rc;
    ngx_uint_t                  i, n;
    ngx_olivine_stats_event_t  *events;

    events = ngx_olivine_latency_events(cx, &n);
    if (events == NULL) {
        return NGX_ERROR;
    }

    rc = NGX_DECLINED;

    for (i = 0; i < n; i++) {
        len = ngx_strlen(events[i].name);

        if (cx->argv[arg].len == len
            && ngx_memcmp(cx->argv[arg].data, events[i].name, len) == 0)
        {
            *event = events[i];
            rc = NGX_OK;
            break;
        }
    }

    ngx_free(events);

    return rc;
}


/* In the order of time. */

static void
ngx_olivine_latency_samples(ngx_olivine_stats_event_t *event,
    ngx_olivine_latency_graph_t *graph)
{
    uint32_t    ms;
    ngx_uint_t  i, k;

    graph->n = 0;
    graph->low = NGX_MAX_UINT32_VALUE;
    graph->high = 0;

    for (i = 0; i < NGX_OLIVINE_STATS_SAMPLES; i++) {
        k = (event->next + i) % NGX_OLIVINE_STATS_SAMPLES;

        if (event->samples[k].time == 0) {
            continue;
        }

        ms = event->samples[k].ms;

        graph->samples[graph->n].time = event->samples[k].time;
        graph->samples[graph->n].ms = ms;
        graph->low = ngx_min(graph->low, ms);
        graph->high = ngx_max(graph->high, ms);
        graph->n++;
    }
}


/*
 * A column a sample, as high as its part of what lies between the lowest and
 * the highest; below it, read downwards, how long ago it was.
 */

static void
ngx_olivine_latency_draw(ngx_olivine_buffer_t *b,
    ngx_olivine_latency_graph_t *graph)
{
    u_char      *p, label[NGX_OLIVINE_STATS_SAMPLES]
                         [NGX_OLIVINE_LATENCY_LABELS + 8];
    double       part;
    ngx_uint_t   i, from, row, level;

    static const char  marks[] = "_o#";

    from = graph->n > NGX_OLIVINE_LATENCY_COLUMNS
           ? graph->n - NGX_OLIVINE_LATENCY_COLUMNS : 0;

    for (row = NGX_OLIVINE_LATENCY_ROWS; row-- > 0; /* void */ ) {

        p = ngx_olivine_buffer_room(b, graph->n + 2);
        if (p == NULL) {
            return;
        }

        for (i = from; i < graph->n; i++) {

            part = graph->high == graph->low
                   ? 0 : (double) (graph->samples[i].ms - graph->low)
                         / (graph->high - graph->low);

            level = part * (NGX_OLIVINE_LATENCY_ROWS * 3 - 1);

            if (level / 3 == row) {
                *p++ = marks[level % 3];

            } else {
                *p++ = level / 3 > row ? '|' : ' ';
            }
        }

        b->len = p - b->data;
        ngx_olivine_buffer_print(b, CRLF);
    }

    ngx_olivine_buffer_print(b, CRLF);

    for (i = from; i < graph->n; i++) {
        ngx_olivine_latency_label(label[i],
                                  graph->now - graph->samples[i].time);
    }

    for (row = 0; row < NGX_OLIVINE_LATENCY_LABELS; row++) {

        p = ngx_olivine_buffer_room(b, graph->n + 2);
        if (p == NULL) {
            return;
        }

        for (i = from; i < graph->n; i++) {
            *p++ = row < ngx_strlen(label[i]) ? label[i][row] : ' ';
        }

        b->len = p - b->data;
        ngx_olivine_buffer_print(b, CRLF);
    }
}


static void
ngx_olivine_latency_label(u_char *label, int64_t seconds)
{
    seconds = ngx_max(seconds, 0);

    if (seconds < 60) {
        (void) ngx_sprintf(label, "%Ls%Z", seconds);

    } else if (seconds < 3600) {
        (void) ngx_sprintf(label, "%Lm%Z", seconds / 60);

    } else if (seconds < 86400) {
        (void) ngx_sprintf(label, "%Lh%Z", seconds / 3600);

    } else {
        (void) ngx_sprintf(label, "%Ld%Z", ngx_min(seconds / 86400, 999));
    }
}


ngx_int_t
ngx_olivine_cmd_latency_histogram(ngx_olivine_cx_t *cx)
{
    uint64_t               hist[NGX_OLIVINE_STATS_BUCKETS], times;
    ngx_uint_t             i, n;
    ngx_olivine_totals_t  *totals;

    totals = cx->zone->totals;
    n = 0;

    for (i = 0; i < NGX_OLIVINE_STATS_COMMANDS; i++) {
        n += ngx_olivine_latency_wants(cx, &totals->commands[i])
             && ngx_olivine_stats_times(cx->zone, i, hist) != 0;
    }

    (void) ngx_olivine_reply_map(cx->reply, n);

    for (i = 0; i < NGX_OLIVINE_STATS_COMMANDS && n; i++) {

        if (!ngx_olivine_latency_wants(cx, &totals->commands[i])) {
            continue;
        }

        times = ngx_olivine_stats_times(cx->zone, i, hist);

        if (times) {
            ngx_olivine_latency_histogram(cx, i, hist, times);
            n--;
        }
    }

    return cx->reply->failed ? NGX_ERROR : NGX_OK;
}


/* Named, or its container is; or nothing is. */

static ngx_uint_t
ngx_olivine_latency_wants(ngx_olivine_cx_t *cx, ngx_olivine_stats_name_t *name)
{
    size_t      len;
    ngx_uint_t  i;

    len = ngx_strlen(name->name);

    if (len == 0 || cx->argc == 2) {
        return len != 0;
    }

    for (i = 2; i < cx->argc; i++) {
        if (cx->argv[i].len <= len
            && ngx_strncasecmp(cx->argv[i].data, name->name, cx->argv[i].len)
               == 0
            && (cx->argv[i].len == len || name->name[cx->argv[i].len] == '|'))
        {
            return 1;
        }
    }

    return 0;
}


static void
ngx_olivine_latency_histogram(ngx_olivine_cx_t *cx, ngx_uint_t n,
    uint64_t *hist, uint64_t calls)
{
    uint64_t              bound, bounds[64], sums[64], sum, us;
    ngx_uint_t            i, k, last;
    ngx_olivine_reply_t  *r;

    r = cx->reply;

    sum = 0;
    k = 0;
    last = 0;
    bound = NGX_OLIVINE_LATENCY_BASE;

    for (i = 0; i < NGX_OLIVINE_STATS_BUCKETS && k < 64; i++) {

        while (ngx_olivine_stats_highest(i) > bound) {

            if (sum != last) {
                bounds[k] = bound;
                sums[k++] = sum;
                last = sum;
            }

            bound *= 2;
        }

        sum += hist[i];
    }

    if (sum != last && k < 64) {
        bounds[k] = bound;
        sums[k++] = sum;
    }

    (void) ngx_olivine_reply_bulk(r, cx->zone->totals->commands[n].name,
                            ngx_strlen(cx->zone->totals->commands[n].name));
    (void) ngx_olivine_reply_map(r, 2);
    (void) ngx_olivine_reply_bulk(r, (u_char *) "calls", 5);
    (void) ngx_olivine_reply_integer(r, calls);
    (void) ngx_olivine_reply_bulk(r, (u_char *) "histogram_usec", 14);
    (void) ngx_olivine_reply_map(r, k);

    for (i = 0; i < k; i++) {

        /* Redis prints the bound as its histogram can tell it apart */

        us = (bounds[i] + bounds[i] / 128 - 1) / 1000;

        (void) ngx_olivine_reply_integer(r, us);
        (void) ngx_olivine_reply_integer(r, sums[i]);
    }
}


ngx_int_t
ngx_olivine_cmd_latency_doctor(ngx_olivine_cx_t *cx)
{
    ngx_int_t                   rc;
    ngx_uint_t                  n;
    ngx_olivine_buffer_t        b;
    ngx_olivine_stats_event_t  *events;

    events = ngx_olivine_latency_events(cx, &n);
    if (events == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&b, sizeof(ngx_olivine_buffer_t));

    if (cx->zone->params.latency_monitor_threshold == 0 && n == 0) {
        ngx_olivine_buffer_print(&b, "The latency monitor is off: \"CONFIG SET"
                                 " latency-monitor-threshold MILLISECONDS\" "
                                 "has it note what takes that long." CRLF);

    } else if (n == 0) {
        ngx_olivine_buffer_print(&b, "Nothing took %L milliseconds or more "
                                 "since the monitor was switched on or "
                                 "reset." CRLF,
                                 cx->zone->params.latency_monitor_threshold);

    } else {
        ngx_olivine_latency_advise(&b, events, n);
    }

    rc = b.failed ? NGX_ERROR
                  : ngx_olivine_reply_verbatim(cx->reply, "txt", b.data,
                                               b.len);

    ngx_olivine_buffer_free(&b);
    ngx_free(events);

    return rc;
}


static void
ngx_olivine_latency_advise(ngx_olivine_buffer_t *b,
    ngx_olivine_stats_event_t *events, ngx_uint_t n)
{
    ngx_uint_t                   i, commands, stalls, expiry, files;
    ngx_olivine_stats_event_t   *event;

    commands = 0;
    stalls = 0;
    expiry = 0;
    files = 0;

    ngx_olivine_buffer_print(b, "%ui kind%s of events took too long:" CRLF
                             CRLF, n, n == 1 ? "" : "s");

    for (i = 0; i < n; i++) {
        event = &events[i];

        ngx_olivine_buffer_print(b, "%ui. %s: %uL times, %.1f ms on average, "
                                 "%uD ms at worst." CRLF, i + 1, event->name,
                                 event->count,
                                 (double) event->sum / event->count,
                                 event->max);

        commands |= ngx_strcmp(event->name, "command") == 0;
        stalls |= ngx_strcmp(event->name, "fast-command") == 0;
        expiry |= ngx_strcmp(event->name, "expire-cycle") == 0;
        files |= ngx_strncmp(event->name, "aof-", 4) == 0;
    }

    ngx_olivine_buffer_print(b, CRLF);

    if (commands) {
        ngx_olivine_buffer_print(b, "- SLOWLOG GET names the commands, if "
                                 "slowlog-log-slower-than is as low as the "
                                 "monitor's threshold.  What walks all keys "
                                 "or all of a large value takes its time: "
                                 "SCAN and its kin do it in slices." CRLF);
    }

    if (stalls) {
        ngx_olivine_buffer_print(b, "- A command that is fast by itself was "
                                 "not: its worker did not get the processor, "
                                 "or memory was paged in.  Look whether the "
                                 "machine swaps, or has more work than "
                                 "processors." CRLF);
    }

    if (expiry) {
        ngx_olivine_buffer_print(b, "- Many keys expire at once, or large "
                                 "ones do.  Spread their times." CRLF);
    }

    if (files) {
        ngx_olivine_buffer_print(b, "- The disk of the append-only file is "
                                 "slow.  Look who else writes to it; "
                                 "appendfsync everysec waits for it less often "
                                 "than always, no-appendfsync-on-rewrite does "
                                 "not sync while a snapshot is written." CRLF);
    }
}
