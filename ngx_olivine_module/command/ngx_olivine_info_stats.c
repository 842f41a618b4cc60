
/*
 * Copyright (C) The Olivine authors
 *
 * INFO's sections of commands and errors.
 */


#include "command/ngx_olivine_info.h"


void
ngx_olivine_info_commandstats(ngx_olivine_info_t *info)
{
    uint64_t                   us;
    ngx_uint_t                 i;
    ngx_olivine_stat_t         sum;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_stats_name_t  *name;

    zone = info->cx->zone;

    for (i = 0; (name = ngx_olivine_stats_next(zone, &i)) != NULL; i++) {

        ngx_olivine_stats_sum(zone, i, &sum);

        if (sum.calls == 0 && sum.rejected == 0 && sum.failed == 0) {
            continue;
        }

        us = sum.ns / 1000;

        ngx_olivine_buffer_print(&info->b,
                                 "cmdstat_%s:calls=%uL,usec=%uL,"
                                 "usec_per_call=%.2f,rejected_calls=%uL,"
                                 "failed_calls=%uL" CRLF,
                                 name->name, sum.calls, us,
                                 sum.calls ? (double) sum.ns / 1000 / sum.calls
                                           : 0,
                                 sum.rejected, sum.failed);
    }
}


/* In order of the codes. */

void
ngx_olivine_info_errorstats(ngx_olivine_info_t *info)
{
    uint64_t                   counts[NGX_OLIVINE_STATS_ERRORS];
    ngx_uint_t                 i, k, n;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_stats_name_t  *names[NGX_OLIVINE_STATS_ERRORS], *name;

    zone = info->cx->zone;
    n = 0;

    for (i = 0; i < NGX_OLIVINE_STATS_ERRORS; i++) {

        name = &zone->totals->errors[i];

        if (name->name[0] == '\0') {
            continue;
        }

        for (k = n; k > 0; k--) {
            if (ngx_strcmp(names[k - 1]->name, name->name) < 0) {
                break;
            }

            names[k] = names[k - 1];
            counts[k] = counts[k - 1];
        }

        names[k] = name;
        counts[k] = ngx_olivine_stats_errors(zone, i);
        n++;
    }

    for (i = 0; i < n; i++) {
        if (counts[i]) {
            ngx_olivine_buffer_print(&info->b,
                                     "errorstat_%s:count=%uL" CRLF,
                                     names[i]->name, counts[i]);
        }
    }
}


void
ngx_olivine_info_latencystats(ngx_olivine_info_t *info)
{
    u_char                     text[NGX_OLIVINE_DOUBLE_LEN], *p;
    int64_t                    k;
    uint64_t                   hist[NGX_OLIVINE_STATS_BUCKETS], times;
    ngx_uint_t                 i;
    ngx_olivine_zone_t        *zone;
    ngx_olivine_stats_name_t  *name;
    ngx_olivine_percentiles_t  percentiles;

    zone = info->cx->zone;

    ngx_olivine_stats_percentiles(zone, &percentiles);

    for (i = 0; (name = ngx_olivine_stats_next(zone, &i)) != NULL; i++) {

        times = ngx_olivine_stats_times(zone, i, hist);

        if (times == 0) {
            continue;
        }

        ngx_olivine_buffer_print(&info->b, "latency_percentiles_usec_%s:",
                                 name->name);

        for (k = 0; k < percentiles.n; k++) {

            p = ngx_olivine_number_print_double(text, percentiles.values[k]);

            ngx_olivine_buffer_print(&info->b, "%sp%*s=%.3f", k ? "," : "",
                                     (size_t) (p - text), text,
                                     (double) ngx_olivine_stats_percentile(
                                                   hist, times,
                                                   percentiles.values[k])
                                     / 1000);
        }

        ngx_olivine_buffer_print(&info->b, CRLF);
    }
}


uint64_t
ngx_olivine_info_spent(ngx_olivine_zone_t *zone)
{
    uint64_t            ns;
    ngx_uint_t          i;
    ngx_olivine_stat_t  sum;

    ns = 0;

    for (i = 0; i < NGX_OLIVINE_STATS_COMMANDS; i++) {
        if (zone->totals->commands[i].key) {
            ngx_olivine_stats_sum(zone, i, &sum);
            ns += sum.ns;
        }
    }

    return ns;
}


uint64_t
ngx_olivine_info_detached(ngx_olivine_zone_t *zone)
{
    uint64_t              keys;
    ngx_uint_t            i;
    ngx_olivine_table_t  *table;

    keys = 0;

    for (i = 0; i < zone->nshards; i++) {
        table = ngx_olivine_store_shard(zone, i)->detached;

        /* the list may change meanwhile: its first table says enough */

        if (table && ngx_olivine_zone_holds(zone, table)) {
            keys += table->keys;
        }
    }

    return keys;
}


uint64_t
ngx_olivine_info_ttl(ngx_olivine_zone_t *zone, ngx_uint_t db)
{
    double                sum;
    uint64_t              n;
    ngx_uint_t            i;
    ngx_olivine_table_t  *table;

    sum = 0;
    n = 0;

    for (i = 0; i < zone->nshards; i++) {
        table = ngx_olivine_store_shard(zone, i)->tables[db];

        /* where the tick has not drawn one yet nothing is known */

        if (table && table->ttl) {
            sum += (double) table->ttl * table->expires;
            n += table->expires;
        }
    }

    return n ? sum / n * 256 : 0;
}
