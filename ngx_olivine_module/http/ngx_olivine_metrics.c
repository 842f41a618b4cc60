
/*
 * Copyright (C) The Olivine authors
 *
 * The text of the metrics, and those that are single numbers.  Families that
 * have a sample for each of something are in ngx_olivine_metrics_families.c
 * and ngx_olivine_metrics_commands.c.
 */


#include "http/ngx_olivine_metrics.h"

#include <sys/utsname.h>


static void ngx_olivine_metrics_escape(ngx_olivine_buffer_t *b,
    const u_char *p, size_t len);


ngx_int_t
ngx_olivine_metrics(ngx_olivine_tx_t *tx, int64_t now, ngx_olivine_buffer_t *b)
{
    ngx_olivine_metrics_t  m;

    m.tx = tx;
    m.b = b;

    if (ngx_olivine_figures(tx, now, &m.figures) != NGX_OK) {
        return NGX_ERROR;
    }

    for (m.row = ngx_olivine_metrics_table; m.row->name; m.row++) {

        ngx_olivine_buffer_print(b, "# HELP %s %s.\n# TYPE %s %s\n",
                                 m.row->name, m.row->help, m.row->name,
                                 m.row->type);
        m.row->print(&m);
    }

    return b->failed ? NGX_ERROR : NGX_OK;
}


void
ngx_olivine_metrics_sample(ngx_olivine_metrics_t *m, const char *suffix,
    const char *name, const u_char *value, size_t len)
{
    ngx_olivine_buffer_print(m->b, "%s%s", m->row->name, suffix);

    if (name) {
        ngx_olivine_buffer_print(m->b, "{%s=\"", name);
        ngx_olivine_metrics_escape(m->b, value, len);
        ngx_olivine_buffer_add(m->b, (u_char *) "\"", 1);
    }
}


void
ngx_olivine_metrics_label(ngx_olivine_metrics_t *m, const char *name,
    const u_char *value, size_t len)
{
    ngx_olivine_buffer_print(m->b, ",%s=\"", name);
    ngx_olivine_metrics_escape(m->b, value, len);
    ngx_olivine_buffer_add(m->b, (u_char *) "\"", 1);
}


void
ngx_olivine_metrics_value(ngx_olivine_metrics_t *m, ngx_uint_t labels,
    uint64_t value, uint32_t scale)
{
    const char  *end;

    end = labels ? "}" : "";

    switch (scale) {

    case 1:
        ngx_olivine_buffer_print(m->b, "%s %uL\n", end, value);
        break;

    case 1000:
        ngx_olivine_buffer_print(m->b, "%s %uL.%03uL\n", end, value / scale,
                                 value % scale);
        break;

    case 1000000:
        ngx_olivine_buffer_print(m->b, "%s %uL.%06uL\n", end, value / scale,
                                 value % scale);
        break;

    default:
        ngx_olivine_buffer_print(m->b, "%s %uL.%09uL\n", end, value / scale,
                                 value % scale);
        break;
    }
}


/*
 * The format lets all bytes be in a label that are UTF-8, and escapes three.
 * What is no printable ASCII becomes a question mark.
 */

static void
ngx_olivine_metrics_escape(ngx_olivine_buffer_t *b, const u_char *p,
    size_t len)
{
    u_char  *to;

    to = ngx_olivine_buffer_room(b, len * 2);
    if (to == NULL) {
        return;
    }

    for ( /* void */ ; len; len--, p++) {

        if (*p == '"' || *p == '\\') {
            *to++ = '\\';
            *to++ = *p;

        } else if (*p == LF) {
            *to++ = '\\';
            *to++ = 'n';

        } else {
            *to++ = (*p < 0x20 || *p > 0x7e) ? '?' : *p;
        }
    }

    b->len = to - b->data;
}


uint64_t
ngx_olivine_metrics_number(const ngx_olivine_metric_t *row, void *data)
{
    u_char    *p;
    uint32_t   n;

    p = (u_char *) data + row->offset;

    if (row->size == sizeof(uint32_t)) {
        ngx_memcpy(&n, p, sizeof(uint32_t));
        return n;
    }

    return *(uint64_t *) p;
}


void
ngx_olivine_metrics_figure(ngx_olivine_metrics_t *m)
{
    ngx_olivine_metrics_sample(m, "", NULL, NULL, 0);
    ngx_olivine_metrics_value(m, 0,
                              ngx_olivine_metrics_number(m->row, &m->figures),
                              m->row->scale);
}


void
ngx_olivine_metrics_signed(ngx_olivine_metrics_t *m)
{
    ngx_olivine_buffer_print(m->b, "%s %L\n", m->row->name,
                             (int64_t) ngx_olivine_metrics_number(m->row,
                                                              &m->figures));
}


void
ngx_olivine_metrics_zone(ngx_olivine_metrics_t *m)
{
    ngx_olivine_metrics_sample(m, "", NULL, NULL, 0);
    ngx_olivine_metrics_value(m, 0,
                              ngx_olivine_metrics_number(m->row, m->tx->zone),
                              m->row->scale);
}


void
ngx_olivine_metrics_ratio(ngx_olivine_metrics_t *m)
{
    ngx_olivine_usage_memory_t  *memory;

    memory = &m->figures.memory;

    ngx_olivine_buffer_print(m->b, "%s %.3f\n", m->row->name,
                             (double) memory->rss / memory->used);
}


void
ngx_olivine_metrics_fragments(ngx_olivine_metrics_t *m)
{
    ngx_olivine_usage_memory_t  *memory;

    memory = &m->figures.memory;

    ngx_olivine_buffer_print(m->b, "%s %uz\n", m->row->name,
                             memory->rss - ngx_min(memory->used,
                                                   memory->rss));
}


void
ngx_olivine_metrics_info(ngx_olivine_metrics_t *m)
{
    u_char                      id[NGX_OLIVINE_INFO_ID], os[256], pid[32], *p;
    u_char                      policy[NGX_OLIVINE_PARAM_PRINT];
    ngx_olivine_zone_t         *zone;
    struct utsname              name;
    const ngx_olivine_param_t  *row;

    zone = m->tx->zone;

    if (uname(&name) == -1) {
        ngx_memzero(&name, sizeof(struct utsname));
    }

    ngx_olivine_metrics_sample(m, "", "role", (u_char *) "master", 6);
    ngx_olivine_metrics_label(m, "redis_version",
                              (u_char *) NGX_OLIVINE_REDIS_VERSION,
                              sizeof(NGX_OLIVINE_REDIS_VERSION) - 1);
    ngx_olivine_metrics_label(m, "olivine_version",
                              (u_char *) NGX_OLIVINE_VERSION,
                              sizeof(NGX_OLIVINE_VERSION) - 1);
    ngx_olivine_metrics_label(m, "redis_mode", (u_char *) "standalone", 10);

    p = ngx_slprintf(os, os + sizeof(os), "%s %s %s", name.sysname,
                     name.release, name.machine);
    ngx_olivine_metrics_label(m, "os", os, p - os);

    row = ngx_olivine_params_find((u_char *) "maxmemory-policy",
                                  sizeof("maxmemory-policy") - 1);
    p = ngx_olivine_params_print(&zone->params, row, policy,
                                 policy + sizeof(policy));
    ngx_olivine_metrics_label(m, "maxmemory_policy", policy, p - policy);

    ngx_olivine_info_id(zone, "run", id);
    ngx_olivine_metrics_label(m, "run_id", id, sizeof(id));

    p = ngx_sprintf(pid, "%P", ngx_process == NGX_PROCESS_WORKER ? ngx_parent
                                                                 : ngx_pid);
    ngx_olivine_metrics_label(m, "process_id", pid, p - pid);
    ngx_olivine_metrics_value(m, 1, 1, 1);
}
