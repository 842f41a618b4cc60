
/*
 * Copyright (C) The Olivine authors
 *
 * Figures as Prometheus reads them.
 */


#include "http/ngx_http_olivine_pages.h"


static void ngx_http_olivine_metrics_one(ngx_http_olivine_answer_t *answer,
    const char *name, const char *type, const char *help, uint64_t value);


ngx_int_t
ngx_http_olivine_metrics(ngx_http_olivine_answer_t *answer)
{
    ngx_olivine_zone_t      *zone;
    ngx_olivine_counters_t   sum;

    if (answer->path.len) {
        return NGX_DECLINED;
    }

    zone = answer->worker->zone;
    ngx_olivine_slot_counters(zone, &sum);

    ngx_str_set(&answer->type, "text/plain; version=0.0.4; charset=utf-8");

    ngx_http_olivine_metrics_one(answer, "redis_uptime_in_seconds", "gauge",
        "Seconds since the zone was made.",
        ngx_max(ngx_olivine_now() - zone->started, 0) / 1000);

    ngx_http_olivine_metrics_one(answer, "redis_commands_processed_total",
        "counter", "Commands that were run.", sum.commands);

    ngx_http_olivine_metrics_one(answer, "redis_memory_used_bytes", "gauge",
        "Memory in use.", ngx_olivine_zone_used(zone));

    return NGX_OK;
}


static void
ngx_http_olivine_metrics_one(ngx_http_olivine_answer_t *answer,
    const char *name, const char *type, const char *help, uint64_t value)
{
    ngx_http_olivine_print(answer, "# HELP %s %s\n# TYPE %s %s\n%s %uL\n",
                           name, help, name, type, name, value);
}
