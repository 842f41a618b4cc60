
/*
 * Copyright (C) The Olivine authors
 *
 * HOTKEYS of Redis 8.6.
 */


#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_usage.h"


#define NGX_OLIVINE_HOTKEYS_DEFAULT   10
#define NGX_OLIVINE_HOTKEYS_DURATION  1000000

/* fields that there always are */
#define NGX_OLIVINE_HOTKEYS_FIELDS    7


static ngx_int_t ngx_olivine_hotkeys_metrics(ngx_olivine_cx_t *cx,
    ngx_olivine_hotkeys_session_t *session, ngx_uint_t *next);
static ngx_int_t ngx_olivine_hotkeys_options(ngx_olivine_cx_t *cx,
    ngx_olivine_hotkeys_session_t *session, ngx_uint_t i);
static ngx_int_t ngx_olivine_hotkeys_number(ngx_olivine_cx_t *cx,
    ngx_uint_t i, int64_t max, const char *err, int64_t *n);
static void ngx_olivine_hotkeys_field(ngx_olivine_cx_t *cx, const char *name,
    uint64_t n);
static void ngx_olivine_hotkeys_list(ngx_olivine_cx_t *cx, const char *name,
    ngx_olivine_hotkeys_e which, uint64_t unit, ngx_olivine_hotkey_t *keys);

#define ngx_olivine_hotkeys_has(session, metric)                              \
    ((session)->metrics & ((uint32_t) 1 << (metric)))


ngx_int_t
ngx_olivine_cmd_hotkeys_start(ngx_olivine_cx_t *cx)
{
    ngx_int_t                       rc;
    ngx_uint_t                      i;
    ngx_olivine_usage_t             usage;
    ngx_olivine_hotkeys_session_t   session;

    if (ngx_olivine_hotkeys_active(&cx->zone->hotkeys, cx->now)) {
        return ngx_olivine_cx_error(cx, "ERR hotkey tracking session already "
                                    "in progress");
    }

    ngx_memzero(&session, sizeof(ngx_olivine_hotkeys_session_t));

    session.count = NGX_OLIVINE_HOTKEYS_DEFAULT;
    session.ratio = 1;
    session.started = cx->now;
    i = 0;

    if (ngx_olivine_hotkeys_metrics(cx, &session, &i) != NGX_OK
        || ngx_olivine_hotkeys_options(cx, &session, i) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_olivine_usage_workers(cx->zone, &usage);

    session.user = usage.user;
    session.sys = usage.sys;

    rc = ngx_olivine_hotkeys_start(cx->tx, &session);

    if (rc == NGX_DECLINED) {
        return ngx_olivine_cx_error(cx, "ERR hotkey tracking session already "
                                    "in progress");
    }

    return rc == NGX_OK ? ngx_olivine_reply_ok(cx->reply) : NGX_ERROR;
}


/* A word that is none of them counts, and means nothing, as in Redis. */

static ngx_int_t
ngx_olivine_hotkeys_metrics(ngx_olivine_cx_t *cx,
    ngx_olivine_hotkeys_session_t *session, ngx_uint_t *next)
{
    int64_t     n;
    uint32_t    bit;
    ngx_uint_t  i, k;

    static const char  *names[] = { "cpu", "net" };
    static const char  *twice[] = { "ERR METRICS CPU defined more than once!",
                                    "ERR METRICS NET defined more than once!" };

    if (cx->argc < 4 || !ngx_olivine_cx_is(cx, 2, "metrics")) {
        return ngx_olivine_cx_error(cx, "ERR METRICS parameter is required");
    }

    if (ngx_olivine_hotkeys_number(cx, 3, NGX_OLIVINE_HOTKEYS_METRICS,
                                   "ERR METRICS count must be > 0 and <= 2",
                                   &n)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 4; i < cx->argc && i < 4 + (ngx_uint_t) n; i++) {

        for (k = 0; k < NGX_OLIVINE_HOTKEYS_METRICS; k++) {

            bit = (uint32_t) 1 << k;

            if (!ngx_olivine_cx_is(cx, i, names[k])) {
                continue;
            }

            if (session->metrics & bit) {
                return ngx_olivine_cx_error(cx, twice[k]);
            }

            session->metrics |= bit;
        }
    }

    if (i != 4 + (ngx_uint_t) n) {
        return ngx_olivine_cx_error(cx, "ERR METRICS count does not match "
                                    "number of metric types provided");
    }

    if (session->metrics == 0) {
        return ngx_olivine_cx_error(cx, "ERR METRICS no valid metrics passed. "
                                    "Supported: CPU|NET");
    }

    *next = i;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_hotkeys_options(ngx_olivine_cx_t *cx,
    ngx_olivine_hotkeys_session_t *session, ngx_uint_t i)
{
    int64_t  n;

    for ( /* void */ ; i < cx->argc; i += 2) {

        if (i + 1 == cx->argc) {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }

        if (ngx_olivine_cx_is(cx, i, "count")) {

            if (ngx_olivine_hotkeys_number(cx, i + 1,
                                         NGX_OLIVINE_HOTKEYS_COUNT,
                                         "ERR COUNT must be between 1 and 64",
                                         &n)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            session->count = n;

        } else if (ngx_olivine_cx_is(cx, i, "duration")) {

            if (ngx_olivine_hotkeys_number(cx, i + 1,
                                 NGX_OLIVINE_HOTKEYS_DURATION,
                                 "ERR DURATION must be between 1 and 1000000",
                                 &n)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            session->duration = n * 1000;

        } else if (ngx_olivine_cx_is(cx, i, "sample")) {

            if (ngx_olivine_hotkeys_number(cx, i + 1, NGX_MAX_INT32_VALUE,
                                           "ERR SAMPLE ratio must be positive",
                                           &n)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            session->ratio = n;

        } else if (ngx_olivine_cx_is(cx, i, "slots")) {
            return ngx_olivine_cx_error(cx, "ERR SLOTS parameter cannot be "
                                        "used in non-cluster mode");

        } else {
            return ngx_olivine_cx_fail(cx, NGX_OLIVINE_ERR_SYNTAX);
        }
    }

    return NGX_OK;
}


/* From 1 to max. */

static ngx_int_t
ngx_olivine_hotkeys_number(ngx_olivine_cx_t *cx, ngx_uint_t i, int64_t max,
    const char *err, int64_t *n)
{
    if (ngx_olivine_number_parse(cx->argv[i].data,
                                 cx->argv[i].data + cx->argv[i].len, n)
            != NGX_OK
        || *n < 1 || *n > max)
    {
        return ngx_olivine_cx_error(cx, err);
    }

    return NGX_OK;
}


ngx_int_t
ngx_olivine_cmd_hotkeys_stop(ngx_olivine_cx_t *cx)
{
    if (ngx_olivine_hotkeys_stop(cx->tx, cx->now) != NGX_OK) {
        return ngx_olivine_reply_null(cx->reply);
    }

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_hotkeys_reset(ngx_olivine_cx_t *cx)
{
    if (ngx_olivine_hotkeys_reset(cx->tx, cx->now) != NGX_OK) {
        return ngx_olivine_cx_error(cx, "ERR hotkey tracking session in "
                                    "progress, stop tracking first");
    }

    return ngx_olivine_reply_ok(cx->reply);
}


ngx_int_t
ngx_olivine_cmd_hotkeys_get(ngx_olivine_cx_t *cx)
{
    ngx_uint_t                      cpu, net;
    ngx_olivine_reply_t            *r;
    ngx_olivine_usage_t             usage;
    ngx_olivine_hotkey_t           *keys;
    ngx_olivine_hotkeys_t           hotkeys;
    ngx_olivine_hotkeys_session_t  *session;

    r = cx->reply;
    session = &hotkeys.session;

    if (ngx_olivine_hotkeys_look(cx->tx, cx->now, &hotkeys) != NGX_OK) {
        return ngx_olivine_reply_null(r);
    }

    keys = ngx_alloc(NGX_OLIVINE_HOTKEYS_COUNT * sizeof(ngx_olivine_hotkey_t),
                     ngx_cycle->log);
    if (keys == NULL) {
        return NGX_ERROR;
    }

    cpu = (ngx_olivine_hotkeys_has(session, NGX_OLIVINE_HOTKEYS_CPU) != 0);
    net = (ngx_olivine_hotkeys_has(session, NGX_OLIVINE_HOTKEYS_NET) != 0);

    (void) ngx_olivine_reply_array(r, 1);
    (void) ngx_olivine_reply_map(r, NGX_OLIVINE_HOTKEYS_FIELDS + 3 * cpu
                                    + 2 * net);

    ngx_olivine_hotkeys_field(cx, "tracking-active", hotkeys.active);
    ngx_olivine_hotkeys_field(cx, "sample-ratio", session->ratio);

    /* all of them: there is no cluster */

    (void) ngx_olivine_reply_literal(r, "$14" CRLF "selected-slots" CRLF
                                     "*1" CRLF "*2" CRLF ":0" CRLF ":16383"
                                     CRLF);

    ngx_olivine_hotkeys_field(cx, "all-commands-all-slots-us",
                              hotkeys.ns / 1000);
    ngx_olivine_hotkeys_field(cx, "net-bytes-all-commands-all-slots",
                              hotkeys.bytes);
    ngx_olivine_hotkeys_field(cx, "collection-start-time-unix-ms",
                              session->started);
    ngx_olivine_hotkeys_field(cx, "collection-duration-ms", hotkeys.took);

    if (cpu) {

        /* a worker that left takes its time along */

        ngx_olivine_usage_workers(cx->zone, &usage);

        ngx_olivine_hotkeys_field(cx, "total-cpu-time-user-ms",
                                  (ngx_max(usage.user, session->user)
                                   - session->user) / 1000);
        ngx_olivine_hotkeys_field(cx, "total-cpu-time-sys-ms",
                                  (ngx_max(usage.sys, session->sys)
                                   - session->sys) / 1000);
    }

    if (net) {
        ngx_olivine_hotkeys_field(cx, "total-net-bytes", hotkeys.sampled);
    }

    if (cpu) {
        ngx_olivine_hotkeys_list(cx, "by-cpu-time-us", NGX_OLIVINE_HOTKEYS_CPU,
                                 1000, keys);
    }

    if (net) {
        ngx_olivine_hotkeys_list(cx, "by-net-bytes", NGX_OLIVINE_HOTKEYS_NET,
                                 1, keys);
    }

    ngx_free(keys);

    return r->failed ? NGX_ERROR : NGX_OK;
}


static void
ngx_olivine_hotkeys_field(ngx_olivine_cx_t *cx, const char *name, uint64_t n)
{
    (void) ngx_olivine_reply_bulk(cx->reply, (u_char *) name,
                                  ngx_strlen(name));
    (void) ngx_olivine_reply_integer(cx->reply, n);
}


static void
ngx_olivine_hotkeys_list(ngx_olivine_cx_t *cx, const char *name,
    ngx_olivine_hotkeys_e which, uint64_t unit, ngx_olivine_hotkey_t *keys)
{
    ngx_uint_t           i, n;
    ngx_olivine_reply_t  *r;

    r = cx->reply;
    n = ngx_olivine_hotkeys_top(cx->tx, which, keys);

    /* what is less than a unit is not told */

    while (n && keys[n - 1].count < unit) {
        n--;
    }

    (void) ngx_olivine_reply_bulk(r, (u_char *) name, ngx_strlen(name));
    (void) ngx_olivine_reply_array(r, 2 * n);

    for (i = 0; i < n; i++) {
        (void) ngx_olivine_reply_bulk(r, keys[i].key, keys[i].len);
        (void) ngx_olivine_reply_integer(r, keys[i].count / unit);
    }
}
