
/*
 * Copyright (C) The Olivine authors
 *
 * Metrics with a sample for each command, or each error's code.
 */


#include "http/ngx_olivine_metrics.h"


typedef struct {
    uint64_t     ns;
    const char  *le;
} ngx_olivine_metrics_bound_t;


/*
 * Ours have eight buckets an octave; one counts for the first bound that it
 * lies below as a whole, so up to an eighth of a bound is counted above it.
 */
static const ngx_olivine_metrics_bound_t  ngx_olivine_metrics_bounds[] = {
    {        100, "1e-07" },
    {        250, "2.5e-07" },
    {        500, "5e-07" },
    {       1000, "1e-06" },
    {       2500, "2.5e-06" },
    {       5000, "5e-06" },
    {      10000, "1e-05" },
    {      25000, "2.5e-05" },
    {      50000, "5e-05" },
    {     100000, "0.0001" },
    {     500000, "0.0005" },
    {    1000000, "0.001" },
    {    5000000, "0.005" },
    {   10000000, "0.01" },
    {   50000000, "0.05" },
    {  100000000, "0.1" },
    {  500000000, "0.5" },
    { 1000000000, "1" },
    { 5000000000, "5" },
    {          0, NULL }
};


static void ngx_olivine_metrics_histogram(ngx_olivine_metrics_t *m,
    ngx_olivine_stats_name_t *name, uint64_t *hist, uint64_t times,
    uint64_t ns);


void
ngx_olivine_metrics_commands(ngx_olivine_metrics_t *m)
{
    ngx_uint_t                 i;
    ngx_olivine_stat_t         sum;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_stats_name_t  *name;

    zone = m->tx->zone;

    for (i = 0; (name = ngx_olivine_stats_next(zone, &i)) != NULL; i++) {

        ngx_olivine_stats_sum(zone, i, &sum);

        if (sum.calls == 0 && sum.rejected == 0 && sum.failed == 0) {
            continue;
        }

        ngx_olivine_metrics_sample(m, "", "cmd", name->name,
                                   ngx_strlen(name->name));
        ngx_olivine_metrics_value(m, 1,
                                  ngx_olivine_metrics_number(m->row, &sum),
                                  m->row->scale);
    }
}


void
ngx_olivine_metrics_histograms(ngx_olivine_metrics_t *m)
{
    uint64_t                   hist[NGX_OLIVINE_STATS_BUCKETS], times;
    ngx_uint_t                 i;
    ngx_olivine_stat_t         sum;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_stats_name_t  *name;

    zone = m->tx->zone;

    for (i = 0; (name = ngx_olivine_stats_next(zone, &i)) != NULL; i++) {

        times = ngx_olivine_stats_times(zone, i, hist);

        if (times) {
            ngx_olivine_stats_sum(zone, i, &sum);
            ngx_olivine_metrics_histogram(m, name, hist, times, sum.ns);
        }
    }
}


static void
ngx_olivine_metrics_histogram(ngx_olivine_metrics_t *m,
    ngx_olivine_stats_name_t *name, uint64_t *hist, uint64_t times,
    uint64_t ns)
{
    size_t                              len;
    uint64_t                            sum;
    ngx_uint_t                          k;
    const ngx_olivine_metrics_bound_t  *bound;

    len = ngx_strlen(name->name);
    sum = 0;
    k = 0;

    for (bound = ngx_olivine_metrics_bounds; bound->le; bound++) {

        while (k < NGX_OLIVINE_STATS_BUCKETS
               && ngx_olivine_stats_highest(k) <= bound->ns)
        {
            sum += hist[k++];
        }

        ngx_olivine_metrics_sample(m, "_bucket", "cmd", name->name, len);
        ngx_olivine_metrics_label(m, "le", (u_char *) bound->le,
                                  ngx_strlen(bound->le));
        ngx_olivine_metrics_value(m, 1, sum, 1);
    }

    ngx_olivine_metrics_sample(m, "_bucket", "cmd", name->name, len);
    ngx_olivine_metrics_label(m, "le", (u_char *) "+Inf", 4);
    ngx_olivine_metrics_value(m, 1, times, 1);

    ngx_olivine_metrics_sample(m, "_sum", "cmd", name->name, len);
    ngx_olivine_metrics_value(m, 1, ns, 1000000000);

    ngx_olivine_metrics_sample(m, "_count", "cmd", name->name, len);
    ngx_olivine_metrics_value(m, 1, times, 1);
}


void
ngx_olivine_metrics_percentiles(ngx_olivine_metrics_t *m)
{
    u_char                     text[NGX_OLIVINE_DOUBLE_LEN], *p;
    size_t                     len;
    int64_t                    k;
    uint64_t                   hist[NGX_OLIVINE_STATS_BUCKETS], times, ns;
    ngx_uint_t                 i;
    ngx_olivine_stat_t         sum;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_stats_name_t  *name;
    ngx_olivine_percentiles_t  percentiles;

    zone = m->tx->zone;

    ngx_olivine_stats_percentiles(zone, &percentiles);

    for (i = 0; (name = ngx_olivine_stats_next(zone, &i)) != NULL; i++) {

        times = ngx_olivine_stats_times(zone, i, hist);

        if (times == 0) {
            continue;
        }

        len = ngx_strlen(name->name);

        for (k = 0; k < percentiles.n; k++) {

            p = ngx_olivine_number_print_double(text, percentiles.values[k]);
            ns = ngx_olivine_stats_percentile(hist, times,
                                              percentiles.values[k]);

            ngx_olivine_metrics_sample(m, "", "cmd", name->name, len);
            ngx_olivine_metrics_label(m, "quantile", text, p - text);
            ngx_olivine_metrics_value(m, 1, ns, 1000);
        }

        ngx_olivine_stats_sum(zone, i, &sum);

        ngx_olivine_metrics_sample(m, "_sum", "cmd", name->name, len);
        ngx_olivine_metrics_value(m, 1, sum.ns, 1000);

        ngx_olivine_metrics_sample(m, "_count", "cmd", name->name, len);
        ngx_olivine_metrics_value(m, 1, times, 1);
    }
}


void
ngx_olivine_metrics_errors(ngx_olivine_metrics_t *m)
{
    uint64_t                   count;
    ngx_uint_t                 i;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_stats_name_t  *name;

    zone = m->tx->zone;

    for (i = 0; i < NGX_OLIVINE_STATS_ERRORS; i++) {

        name = &zone->totals->errors[i];
        count = ngx_olivine_stats_errors(zone, i);

        if (name->name[0] && count) {
            ngx_olivine_metrics_sample(m, "", "err", name->name,
                                       ngx_strlen(name->name));
            ngx_olivine_metrics_value(m, 1, count, 1);
        }
    }
}
