
/*
 * Copyright (C) The Olivine authors
 *
 * Commands, how long they take, and errors, for the status page.
 */


#include "http/ngx_olivine_status.h"


typedef struct {
    ngx_uint_t          n;
    ngx_olivine_stat_t  sum;
} ngx_olivine_status_command_t;


static void ngx_olivine_status_command(ngx_olivine_zone_t *zone,
    ngx_olivine_status_command_t *command, ngx_olivine_buffer_t *b);
static void ngx_olivine_status_percentiles(uint64_t *hist, uint64_t times,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_latency(uint64_t *hist,
    ngx_olivine_buffer_t *b);
static void ngx_olivine_status_errors(ngx_olivine_zone_t *zone,
    ngx_olivine_buffer_t *b);


/* Those that took most time in all, the first first. */

void
ngx_olivine_status_commands(ngx_olivine_zone_t *zone, ngx_olivine_buffer_t *b)
{
    uint64_t                      hist[NGX_OLIVINE_STATS_BUCKETS];
    uint64_t                      all[NGX_OLIVINE_STATS_BUCKETS];
    ngx_uint_t                    i, k, n;
    ngx_olivine_status_command_t  top[NGX_OLIVINE_STATUS_COMMANDS + 1], one;

    ngx_memzero(all, sizeof(all));

    n = 0;

    for (i = 0; ngx_olivine_stats_next(zone, &i) != NULL; i++) {

        one.n = i;
        ngx_olivine_stats_sum(zone, i, &one.sum);

        if (one.sum.calls == 0 && one.sum.rejected == 0) {
            continue;
        }

        (void) ngx_olivine_stats_times(zone, i, hist);

        for (k = 0; k < NGX_OLIVINE_STATS_BUCKETS; k++) {
            all[k] += hist[k];
        }

        for (k = n; k > 0 && top[k - 1].sum.ns < one.sum.ns; k--) {
            top[k] = top[k - 1];
        }

        top[k] = one;
        n = ngx_min(n + 1, NGX_OLIVINE_STATUS_COMMANDS);
    }

    ngx_olivine_status_latency(all, b);

    ngx_olivine_json_begin(b, "commands", '[');

    for (i = 0; i < n; i++) {
        ngx_olivine_status_command(zone, &top[i], b);
    }

    ngx_olivine_json_end(b, ']');

    ngx_olivine_status_errors(zone, b);
}


static void
ngx_olivine_status_command(ngx_olivine_zone_t *zone,
    ngx_olivine_status_command_t *command, ngx_olivine_buffer_t *b)
{
    uint64_t  hist[NGX_OLIVINE_STATS_BUCKETS], times;

    times = ngx_olivine_stats_times(zone, command->n, hist);

    ngx_olivine_json_begin(b, NULL, '{');
    ngx_olivine_json_text(b, "name",
                          (char *) zone->totals->commands[command->n].name);
    ngx_olivine_json_number(b, "calls", command->sum.calls);
    ngx_olivine_json_number(b, "total_ns", command->sum.ns);
    ngx_olivine_json_number(b, "failed", command->sum.failed);
    ngx_olivine_json_number(b, "rejected", command->sum.rejected);
    ngx_olivine_status_percentiles(hist, times, b);
    ngx_olivine_json_end(b, '}');
}


static void
ngx_olivine_status_percentiles(uint64_t *hist, uint64_t times,
    ngx_olivine_buffer_t *b)
{
    ngx_olivine_json_number(b, "p50_ns",
                            ngx_olivine_stats_percentile(hist, times, 50));
    ngx_olivine_json_number(b, "p99_ns",
                            ngx_olivine_stats_percentile(hist, times, 99));
    ngx_olivine_json_number(b, "p999_ns",
                            ngx_olivine_stats_percentile(hist, times, 99.9));
}


/* Of buckets that are not empty [ the most that it holds, its count ]. */

static void
ngx_olivine_status_latency(uint64_t *hist, ngx_olivine_buffer_t *b)
{
    uint64_t    times;
    ngx_uint_t  k;

    times = 0;

    for (k = 0; k < NGX_OLIVINE_STATS_BUCKETS; k++) {
        times += hist[k];
    }

    ngx_olivine_json_begin(b, "latency", '{');
    ngx_olivine_json_number(b, "count", times);
    ngx_olivine_status_percentiles(hist, times, b);
    ngx_olivine_json_begin(b, "buckets", '[');

    for (k = 0; k < NGX_OLIVINE_STATS_BUCKETS; k++) {
        if (hist[k]) {
            ngx_olivine_json_next(b);
            ngx_olivine_buffer_print(b, "[%uL,%uL]",
                                     ngx_olivine_stats_highest(k), hist[k]);
        }
    }

    ngx_olivine_json_end(b, ']');
    ngx_olivine_json_end(b, '}');
}


/* The most frequent ones. */

static void
ngx_olivine_status_errors(ngx_olivine_zone_t *zone, ngx_olivine_buffer_t *b)
{
    uint64_t    count, counts[NGX_OLIVINE_STATUS_ERRORS + 1];
    ngx_uint_t  i, k, n, numbers[NGX_OLIVINE_STATUS_ERRORS + 1];

    n = 0;

    for (i = 0; i < NGX_OLIVINE_STATS_ERRORS; i++) {

        count = ngx_olivine_stats_errors(zone, i);

        if (count == 0 || zone->totals->errors[i].name[0] == '\0') {
            continue;
        }

        for (k = n; k > 0 && counts[k - 1] < count; k--) {
            counts[k] = counts[k - 1];
            numbers[k] = numbers[k - 1];
        }

        counts[k] = count;
        numbers[k] = i;
        n = ngx_min(n + 1, NGX_OLIVINE_STATUS_ERRORS);
    }

    ngx_olivine_json_begin(b, "errors", '[');

    for (i = 0; i < n; i++) {
        ngx_olivine_json_begin(b, NULL, '{');
        ngx_olivine_json_text(b, "code",
                              (char *) zone->totals->errors[numbers[i]].name);
        ngx_olivine_json_number(b, "count", counts[i]);
        ngx_olivine_json_end(b, '}');
    }

    ngx_olivine_json_end(b, ']');
}
