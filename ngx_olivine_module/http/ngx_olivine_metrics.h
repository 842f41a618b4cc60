
/*
 * Copyright (C) The Olivine authors
 *
 * Metrics in Prometheus's text format, version 0.0.4: a table of rows, one a
 * family.  Names are those of redis_exporter where what they mean is there;
 * ours begin with olivine_.
 */


#ifndef _NGX_OLIVINE_METRICS_H_INCLUDED_
#define _NGX_OLIVINE_METRICS_H_INCLUDED_


#include "http/ngx_olivine_figures.h"


/* "text/plain" alone would be an older version */
#define NGX_OLIVINE_METRICS_TYPE                                              \
    "text/plain; version=0.0.4; charset=utf-8"


typedef struct ngx_olivine_metric_s  ngx_olivine_metric_t;


typedef struct {
    ngx_olivine_tx_t            *tx;
    ngx_olivine_buffer_t        *b;
    const ngx_olivine_metric_t  *row;    /* that is being printed */
    ngx_olivine_figures_t        figures;
} ngx_olivine_metrics_t;


struct ngx_olivine_metric_s {
    const char                  *name;
    const char                  *type;   /* counter, gauge ... */
    const char                  *labels; /* of its samples, for the docs */
    void                       (*print)(ngx_olivine_metrics_t *m);
    size_t                       offset; /* of a number in what print knows */
    size_t                       size;   /* of it: 4, 8 */
    uint32_t                     scale;  /* it is divided by that */
    const char                  *where;  /* INFO's field, or what it is of */
    const char                  *help;
};


/* All metrics, HELP and TYPE before each family.  OK or ERROR (memory). */
ngx_int_t ngx_olivine_metrics(ngx_olivine_tx_t *tx, int64_t now,
    ngx_olivine_buffer_t *b);

/*
 * The begin of a sample of the row: its name with a suffix, "{", the label
 * and its value, escaped; name NULL: no labels.  More labels, then the value.
 */
void ngx_olivine_metrics_sample(ngx_olivine_metrics_t *m, const char *suffix,
    const char *name, const u_char *value, size_t len);
void ngx_olivine_metrics_label(ngx_olivine_metrics_t *m, const char *name,
    const u_char *value, size_t len);

/* The end of a sample: "} " if it has labels, and a number. */
void ngx_olivine_metrics_value(ngx_olivine_metrics_t *m, ngx_uint_t labels,
    uint64_t value, uint32_t scale);

/* The number at the row's offset in data. */
uint64_t ngx_olivine_metrics_number(const ngx_olivine_metric_t *row,
    void *data);


/* What rows name as print. */
void ngx_olivine_metrics_figure(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_signed(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_zone(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_ratio(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_fragments(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_info(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_spikes(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_uses(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_databases(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_ttls(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_commands(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_histograms(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_percentiles(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_errors(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_workers(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_counted(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_cpu(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_shards(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_readers(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_refused(ngx_olivine_metrics_t *m);
void ngx_olivine_metrics_locks(ngx_olivine_metrics_t *m);


/* one a family, in the order of the text; a name NULL ends it */
extern const ngx_olivine_metric_t  ngx_olivine_metrics_table[];


#endif /* _NGX_OLIVINE_METRICS_H_INCLUDED_ */
