
/*
 * Copyright (C) The Olivine authors
 */


#include "mem/ngx_olivine_journal.h"


/* histograms that a page holds */
#define NGX_OLIVINE_STATS_PAGE   (NGX_OLIVINE_PAGE / NGX_OLIVINE_STATS_HIST)

/* pages of histograms: a part of the zone, and so many at the least */
#define NGX_OLIVINE_STATS_PART   64
#define NGX_OLIVINE_STATS_LEAST  32

/* tries for a lock while the gate is up */
#define NGX_OLIVINE_STATS_TRIES  16


static ngx_uint_t ngx_olivine_stats_number(ngx_olivine_stats_name_t *names,
    ngx_uint_t n, const u_char *text, size_t len);
static void ngx_olivine_stats_clear(ngx_olivine_stats_t *stats);
static void ngx_olivine_stats_move(uint64_t *to, uint64_t *from);
static uint64_t *ngx_olivine_stats_gone_room(ngx_olivine_tx_t *tx,
    ngx_uint_t n);
static ngx_olivine_stats_event_t *ngx_olivine_stats_find(
    ngx_olivine_totals_t *totals, const u_char *name, size_t len);


ngx_int_t
ngx_olivine_stats_command(ngx_olivine_zone_t *zone, const ngx_str_t *name)
{
    ngx_uint_t  n;

    n = ngx_olivine_stats_number(zone->totals->commands,
                                 NGX_OLIVINE_STATS_COMMANDS, name->data,
                                 name->len);

    return n == NGX_OLIVINE_STATS_COMMANDS ? NGX_ERROR : (ngx_int_t) n;
}


ngx_uint_t
ngx_olivine_stats_code(ngx_olivine_zone_t *zone, u_char *code, size_t len)
{
    ngx_uint_t  n;

    static const ngx_str_t  others = ngx_string("ERRORSTATS_OVERFLOW");

    n = ngx_olivine_stats_number(zone->totals->errors,
                                 NGX_OLIVINE_STATS_ERRORS_MAX, code, len);

    if (n < NGX_OLIVINE_STATS_ERRORS_MAX) {
        return n;
    }

    return n + ngx_olivine_stats_number(&zone->totals->errors[n], 1,
                                        others.data, others.len);
}


void
ngx_olivine_stats_error(ngx_olivine_tx_t *tx, ngx_uint_t code, ngx_uint_t n)
{
    tx->slot->counters.errors += n;
    ngx_olivine_stats_at(tx->zone, tx->slot->number)->errors[code] += n;
}


/*
 * The place of a name in a list that only grows, or n if there is no room.
 * Two that add a name at once agree on its place, as its key is the same.
 */

static ngx_uint_t
ngx_olivine_stats_number(ngx_olivine_stats_name_t *names, ngx_uint_t n,
    const u_char *text, size_t len)
{
    size_t      i;
    uint64_t    key, found;
    ngx_uint_t  k;

    key = 14695981039346656037ull;                           /* FNV-1a */

    for (i = 0; i < len; i++) {
        key = (key ^ text[i]) * 1099511628211ull;
    }

    key |= (key == 0);

    for (k = 0; k < n; k++) {

        found = __atomic_load_n(&names[k].key, __ATOMIC_RELAXED);

        if (found == 0
            && __atomic_compare_exchange_n(&names[k].key, &found, key, 0,
                                           __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED))
        {
            ngx_olivine_step();
            found = key;
        }

        if (found != key) {
            continue;
        }

        if (ngx_olivine_unlikely(names[k].name[0] == '\0')) {
            (void) ngx_cpystrn(names[k].name, (u_char *) text,
                               ngx_min(len + 1, NGX_OLIVINE_STATS_NAME));
        }

        break;
    }

    return k;
}


uint32_t *
ngx_olivine_stats_histogram(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    uint32_t              i, max;
    ngx_olivine_zone_t   *zone;
    ngx_olivine_stats_t  *stats;

    zone = tx->zone;
    stats = ngx_olivine_stats_at(zone, tx->slot->number);

    if (stats->hists[n]) {
        return ngx_olivine_stats_hist(stats, stats->hists[n] - 1);
    }

    i = stats->nhists;

    if (i == NGX_OLIVINE_STATS_POOL) {
        return NULL;
    }

    if (i == stats->backed) {

        max = ngx_max(zone->limit / NGX_OLIVINE_PAGE / NGX_OLIVINE_STATS_PART,
                      NGX_OLIVINE_STATS_LEAST);

        if (tx->shards || zone->totals->hists >= max
            || ngx_olivine_zone_back(zone, tx->fd,
                                     ngx_olivine_stats_hist(stats, i),
                                     NGX_OLIVINE_PAGE) != NGX_OK)
        {
            return NULL;
        }

        stats->backed = i + NGX_OLIVINE_STATS_PAGE;
        (void) __atomic_fetch_add(&zone->totals->hists, 1, __ATOMIC_RELAXED);
    }

    stats->nhists = i + 1;
    stats->hists[n] = i + 1;

    return ngx_olivine_stats_hist(stats, i);
}


void
ngx_olivine_stats_spill(ngx_olivine_tx_t *tx, ngx_uint_t n, ngx_uint_t bucket,
    uint32_t *hist)
{
    uint32_t   count;
    uint64_t  *gone;

    gone = ngx_olivine_stats_gone_room(tx, n);

    count = hist[bucket];
    hist[bucket] = 0;

    if (gone) {
        (void) __atomic_fetch_add(&gone[bucket], count, __ATOMIC_RELAXED);
    }
}


static uint64_t *
ngx_olivine_stats_gone_room(ngx_olivine_tx_t *tx, ngx_uint_t n)
{
    uint64_t            *gone;
    ngx_olivine_zone_t  *zone;

    zone = tx->zone;
    gone = ngx_olivine_stats_gone(zone, n);

    if (!zone->totals->gone_hists[n]) {

        if (ngx_olivine_zone_back(zone, tx->fd, gone,
                                  NGX_OLIVINE_STATS_BUCKETS
                                  * sizeof(uint64_t)) != NGX_OK)
        {
            return NULL;
        }

        /* two lie in a page */

        if (!zone->totals->gone_hists[n ^ 1]) {
            (void) __atomic_fetch_add(&zone->totals->gones, 1,
                                      __ATOMIC_RELAXED);
        }

        zone->totals->gone_hists[n] = 1;
    }

    return gone;
}


void
ngx_olivine_stats_renew(ngx_olivine_tx_t *tx)
{
    uint32_t              epoch;
    ngx_olivine_slot_t   *slot;
    ngx_olivine_stats_t  *stats;

    slot = tx->slot;
    stats = ngx_olivine_stats_at(tx->zone, slot->number);
    epoch = tx->zone->stats_epoch;

    if (ngx_olivine_likely(stats->epoch == epoch)) {
        return;
    }

    ngx_olivine_stats_clear(stats);

    ngx_memzero(&slot->counters, sizeof(ngx_olivine_counters_t));
    ngx_memzero(&slot->rates, sizeof(ngx_olivine_rates_t));
    ngx_memzero(&slot->sample, sizeof(ngx_olivine_rates_t));
    slot->longest_turn = 0;
    slot->longest_hold = 0;

    ngx_olivine_barrier();

    stats->epoch = epoch;
}


static void
ngx_olivine_stats_clear(ngx_olivine_stats_t *stats)
{
    ngx_memzero(stats->commands, sizeof(stats->commands));
    ngx_memzero(stats->errors, sizeof(stats->errors));
    ngx_memzero(ngx_olivine_stats_hist(stats, 0),
                stats->nhists * NGX_OLIVINE_STATS_HIST);
    ngx_memzero(stats->hists, sizeof(stats->hists));

    stats->nhists = 0;
}


void
ngx_olivine_stats_reset(ngx_olivine_tx_t *tx)
{
    ngx_uint_t             n;
    ngx_olivine_zone_t    *zone;
    ngx_olivine_totals_t  *totals;

    zone = tx->zone;
    totals = zone->totals;

    (void) __atomic_fetch_add(&zone->stats_epoch, 1, __ATOMIC_RELAXED);

    ngx_memzero(&zone->counters, sizeof(ngx_olivine_counters_t));
    zone->longest_turn = 0;
    zone->longest_hold = 0;

    ngx_memzero(totals->gone, sizeof(totals->gone));
    ngx_memzero(totals->gone_errors, sizeof(totals->gone_errors));

    /* others find room for their codes again */

    ngx_memzero(totals->errors, sizeof(totals->errors));

    for (n = 0; n < NGX_OLIVINE_STATS_COMMANDS; n++) {
        if (totals->gone_hists[n]) {
            ngx_memzero(ngx_olivine_stats_gone(zone, n),
                        NGX_OLIVINE_STATS_BUCKETS * sizeof(uint64_t));
        }
    }

    ngx_olivine_stats_renew(tx);
}


void
ngx_olivine_stats_retire(ngx_olivine_tx_t *tx, ngx_olivine_slot_t *slot)
{
    uint32_t              *hist;
    uint64_t              *gone, n;
    ngx_uint_t             i, k;
    ngx_olivine_zone_t    *zone;
    ngx_olivine_stats_t   *stats;
    ngx_olivine_totals_t  *totals;

    zone = tx->zone;
    totals = zone->totals;
    stats = ngx_olivine_stats_at(zone, slot->number);

    if (stats->epoch != zone->stats_epoch) {
        goto done;
    }

    for (i = 0; i < NGX_OLIVINE_STATS_ERRORS; i++) {
        ngx_olivine_stats_move(&totals->gone_errors[i], &stats->errors[i]);
    }

    for (i = 0; i < NGX_OLIVINE_STATS_COMMANDS; i++) {

        ngx_olivine_stats_move(&totals->gone[i].calls,
                               &stats->commands[i].calls);
        ngx_olivine_stats_move(&totals->gone[i].ns, &stats->commands[i].ns);
        ngx_olivine_stats_move(&totals->gone[i].rejected,
                               &stats->commands[i].rejected);
        ngx_olivine_stats_move(&totals->gone[i].failed,
                               &stats->commands[i].failed);

        if (stats->hists[i] == 0
            || (gone = ngx_olivine_stats_gone_room(tx, i)) == NULL)
        {
            continue;
        }

        hist = ngx_olivine_stats_hist(stats, stats->hists[i] - 1);

        for (k = 0; k < NGX_OLIVINE_STATS_BUCKETS; k++) {
            n = hist[k];
            hist[k] = 0;
            (void) __atomic_fetch_add(&gone[k], n, __ATOMIC_RELAXED);
        }
    }

done:

    ngx_olivine_stats_clear(stats);
    stats->epoch = zone->stats_epoch;
}


static void
ngx_olivine_stats_move(uint64_t *to, uint64_t *from)
{
    uint64_t  n;

    n = *from;

    if (n) {
        *from = 0;
        (void) __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
    }
}


ngx_olivine_stats_name_t *
ngx_olivine_stats_next(ngx_olivine_zone_t *zone, ngx_uint_t *n)
{
    for ( /* void */ ; *n < NGX_OLIVINE_STATS_COMMANDS; (*n)++) {
        if (zone->totals->commands[*n].name[0]) {
            return &zone->totals->commands[*n];
        }
    }

    return NULL;
}


void
ngx_olivine_stats_percentiles(ngx_olivine_zone_t *zone,
    ngx_olivine_percentiles_t *list)
{
    *list = zone->params.percentiles;
    list->n = ngx_min(list->n, NGX_OLIVINE_PERCENTILES);
}


void
ngx_olivine_stats_sum(ngx_olivine_zone_t *zone, ngx_uint_t n,
    ngx_olivine_stat_t *sum)
{
    ngx_uint_t            i;
    ngx_olivine_stat_t   *stat;
    ngx_olivine_stats_t  *stats;

    *sum = zone->totals->gone[n];

    for (i = 0; i < zone->slots_high; i++) {
        stats = ngx_olivine_stats_at(zone, i);

        if (stats->epoch != zone->stats_epoch) {
            continue;
        }

        stat = &stats->commands[n];

        sum->calls += stat->calls;
        sum->ns += stat->ns;
        sum->rejected += stat->rejected;
        sum->failed += stat->failed;
    }
}


uint64_t
ngx_olivine_stats_errors(ngx_olivine_zone_t *zone, ngx_uint_t n)
{
    uint64_t              sum;
    ngx_uint_t            i;
    ngx_olivine_stats_t  *stats;

    sum = zone->totals->gone_errors[n];

    for (i = 0; i < zone->slots_high; i++) {
        stats = ngx_olivine_stats_at(zone, i);

        if (stats->epoch == zone->stats_epoch) {
            sum += stats->errors[n];
        }
    }

    return sum;
}


uint64_t
ngx_olivine_stats_times(ngx_olivine_zone_t *zone, ngx_uint_t n, uint64_t *hist)
{
    uint32_t             *own;
    uint64_t              total;
    ngx_uint_t            i, k;
    ngx_olivine_stats_t  *stats;

    if (zone->totals->gone_hists[n]) {
        ngx_memcpy(hist, ngx_olivine_stats_gone(zone, n),
                   NGX_OLIVINE_STATS_BUCKETS * sizeof(uint64_t));

    } else {
        ngx_memzero(hist, NGX_OLIVINE_STATS_BUCKETS * sizeof(uint64_t));
    }

    for (i = 0; i < zone->slots_high; i++) {
        stats = ngx_olivine_stats_at(zone, i);

        if (stats->epoch != zone->stats_epoch || stats->hists[n] == 0) {
            continue;
        }

        own = ngx_olivine_stats_hist(stats, stats->hists[n] - 1);

        for (k = 0; k < NGX_OLIVINE_STATS_BUCKETS; k++) {
            hist[k] += own[k];
        }
    }

    total = 0;

    for (k = 0; k < NGX_OLIVINE_STATS_BUCKETS; k++) {
        total += hist[k];
    }

    return total;
}


uint64_t
ngx_olivine_stats_percentile(uint64_t *hist, uint64_t total, double p)
{
    double      wanted;
    uint64_t    sum;
    ngx_uint_t  k, last;

    wanted = p / 100 * total;
    sum = 0;
    last = 0;

    for (k = 0; k < NGX_OLIVINE_STATS_BUCKETS; k++) {

        if (hist[k] == 0) {
            continue;
        }

        sum += hist[k];
        last = k;

        if (sum >= wanted) {
            break;
        }
    }

    return ngx_olivine_stats_highest(last);
}


size_t
ngx_olivine_stats_size(ngx_olivine_zone_t *zone)
{
    size_t                 logs;
    ngx_uint_t             i;
    ngx_olivine_totals_t  *totals;

    totals = zone->totals;
    logs = 0;

    for (i = 0; i < NGX_OLIVINE_SLOWLOGS; i++) {
        logs += totals->slowlogs[i].backed;
    }

    return zone->slots_high * NGX_OLIVINE_STATS_HEAD
           + ((size_t) totals->hists + totals->gones) * NGX_OLIVINE_PAGE
           + logs + zone->monitor.backed
           + (zone->hotkeys.backed
              ? NGX_OLIVINE_HOTKEYS_METRICS
                * sizeof(ngx_olivine_hotkeys_table_t) : 0);
}


void
ngx_olivine_stats_event(ngx_olivine_tx_t *tx, const char *name, int64_t now,
    uint64_t ms)
{
    uint32_t                    at, last;
    ngx_olivine_totals_t       *totals;
    ngx_olivine_stats_event_t  *event;

    totals = tx->zone->totals;

    if (ngx_olivine_stats_lock(tx) != NGX_OK) {
        return;
    }

    event = ngx_olivine_stats_find(totals, (u_char *) name, ngx_strlen(name));

    if (event == NULL) {
        goto done;
    }

    ms = ngx_min(ms, NGX_MAX_UINT32_VALUE);

    event->max = ngx_max(event->max, ms);
    event->sum += ms;
    event->count++;

    /* a second has one sample, the worst */

    at = event->next;
    last = (at + NGX_OLIVINE_STATS_SAMPLES - 1) % NGX_OLIVINE_STATS_SAMPLES;

    if (event->samples[last].time == (uint32_t) (now / 1000)) {
        event->samples[last].ms = ngx_max(event->samples[last].ms, ms);
        goto done;
    }

    event->samples[at].time = 0;
    event->samples[at].ms = ms;
    event->samples[at].time = now / 1000;
    event->next = (at + 1) % NGX_OLIVINE_STATS_SAMPLES;

done:

    ngx_olivine_stats_unlock(tx);
}


static ngx_olivine_stats_event_t *
ngx_olivine_stats_find(ngx_olivine_totals_t *totals, const u_char *name,
    size_t len)
{
    ngx_uint_t                  i;
    ngx_olivine_stats_event_t  *event;

    if (len >= NGX_OLIVINE_STATS_NAME) {
        return NULL;
    }

    for (i = 0; i < NGX_OLIVINE_STATS_EVENTS; i++) {

        event = &totals->events[i];

        if (event->name[0] == '\0') {
            (void) ngx_cpystrn(event->name, (u_char *) name, len + 1);
            return event;
        }

        if (ngx_strncmp(event->name, name, len) == 0
            && event->name[len] == '\0')
        {
            return event;
        }
    }

    return NULL;
}


ngx_uint_t
ngx_olivine_stats_events(ngx_olivine_tx_t *tx,
    ngx_olivine_stats_event_t *events)
{
    ngx_uint_t             i, n;
    ngx_olivine_totals_t  *totals;

    totals = tx->zone->totals;
    n = 0;

    if (ngx_olivine_stats_lock(tx) != NGX_OK) {
        return 0;
    }

    for (i = 0; i < NGX_OLIVINE_STATS_EVENTS; i++) {
        if (totals->events[i].count) {
            events[n++] = totals->events[i];
        }
    }

    ngx_olivine_stats_unlock(tx);

    return n;
}


ngx_uint_t
ngx_olivine_stats_forget(ngx_olivine_tx_t *tx, ngx_str_t *name)
{
    size_t                      len;
    ngx_uint_t                  i, n;
    ngx_olivine_totals_t       *totals;
    ngx_olivine_stats_event_t  *event;

    totals = tx->zone->totals;
    n = 0;

    if (ngx_olivine_stats_lock(tx) != NGX_OK) {
        return 0;
    }

    for (i = 0; i < NGX_OLIVINE_STATS_EVENTS; i++) {

        event = &totals->events[i];
        len = ngx_strlen(event->name);

        if (event->count == 0
            || (name && (name->len != len
                         || ngx_strncmp(name->data, event->name, len) != 0)))
        {
            continue;
        }

        event->count = 0;
        event->sum = 0;
        event->max = 0;
        event->next = 0;
        ngx_memzero(event->samples, sizeof(event->samples));

        n++;
    }

    ngx_olivine_stats_unlock(tx);

    return n;
}


ngx_int_t
ngx_olivine_stats_lock(ngx_olivine_tx_t *tx)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_OLIVINE_STATS_TRIES; i++) {
        if (ngx_olivine_lock_take(tx, &tx->zone->totals->lock) == NGX_OK) {
            return NGX_OK;
        }
    }

    return NGX_ERROR;
}


void
ngx_olivine_stats_unlock(ngx_olivine_tx_t *tx)
{
    if (ngx_olivine_lock_free(&tx->zone->totals->lock)) {
        ngx_olivine_lock_wake(&tx->zone->totals->lock);
    }
}
