
/*
 * Copyright (C) The Olivine authors
 */


#include "prof/ngx_olivine_cpu_samples.h"


#define NGX_OLIVINE_CPU_BUCKETS  4096


typedef struct ngx_olivine_cpu_stack_s  ngx_olivine_cpu_stack_t;

struct ngx_olivine_cpu_stack_s {
    ngx_olivine_cpu_stack_t       *next;
    uint64_t                       hash;
    uint64_t                       periods;
    int16_t                        command;
    uint8_t                        system;
    uint8_t                        whole;
    uint32_t                       n;
    uintptr_t                      places[];
};


struct ngx_olivine_cpu_samples_s {
    ngx_olivine_symbols_t         *symbols;
    ngx_olivine_unwind_t          *unwind;
    size_t                         size;
    uint64_t                       lost;
    uint64_t                       in_user;      /* periods */
    uint64_t                       in_system;
    ngx_olivine_cpu_stack_t       *buckets[NGX_OLIVINE_CPU_BUCKETS];
};


static void ngx_olivine_cpu_samples_take(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_cpu_raw_t *raw);
static ngx_olivine_cpu_stack_t *ngx_olivine_cpu_samples_stack(
    ngx_olivine_cpu_samples_t *samples, ngx_olivine_cpu_stack_t *like,
    uintptr_t *places);
static ngx_int_t ngx_olivine_cpu_samples_put(
    ngx_olivine_cpu_samples_t *samples, ngx_olivine_cpu_stack_t *stack,
    ngx_olivine_profile_t *profile, ngx_olivine_zone_t *zone, double each);
static ngx_int_t ngx_olivine_cpu_samples_alone(ngx_olivine_profile_t *profile,
    const char *name, int64_t count, int64_t ns);


static const ngx_olivine_profile_kind_t  ngx_olivine_cpu_kinds[] = {
    { "samples", "count" },
    { "cpu", "nanoseconds" }
};


ngx_olivine_cpu_samples_t *
ngx_olivine_cpu_samples_create(void)
{
    ngx_olivine_cpu_samples_t  *samples;

    samples = calloc(1, sizeof(ngx_olivine_cpu_samples_t));
    if (samples == NULL) {
        return NULL;
    }

    samples->symbols = ngx_olivine_symbols_create();

    if (samples->symbols) {
        samples->unwind = ngx_olivine_unwind_create(samples->symbols);
    }

    if (samples->unwind == NULL) {
        ngx_olivine_cpu_samples_destroy(samples);
        return NULL;
    }

    return samples;
}


void
ngx_olivine_cpu_samples_destroy(ngx_olivine_cpu_samples_t *samples)
{
    ngx_uint_t                i;
    ngx_olivine_cpu_stack_t  *stack;

    for (i = 0; i < NGX_OLIVINE_CPU_BUCKETS; i++) {
        while (samples->buckets[i]) {
            stack = samples->buckets[i];
            samples->buckets[i] = stack->next;
            free(stack);
        }
    }

    if (samples->unwind) {
        ngx_olivine_unwind_destroy(samples->unwind);
    }

    if (samples->symbols) {
        ngx_olivine_symbols_destroy(samples->symbols);
    }

    free(samples);
}


void
ngx_olivine_cpu_samples_read(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_cpu_signal_t *signal)
{
    ngx_olivine_cpu_raw_t  *raw;

    for ( ;; ) {
        raw = ngx_olivine_cpu_signal_read(signal);

        if (raw == NULL) {
            return;
        }

        ngx_olivine_cpu_samples_take(samples, raw);
        ngx_olivine_cpu_signal_next(signal);
    }
}


ngx_olivine_profile_t *
ngx_olivine_cpu_profile(ngx_uint_t rate)
{
    ngx_olivine_profile_t  *profile;

    profile = ngx_olivine_profile_create(ngx_olivine_cpu_kinds, 2);

    if (profile) {
        ngx_olivine_profile_period(profile, "cpu", "nanoseconds",
                                   1000000000 / rate);
    }

    return profile;
}


ngx_int_t
ngx_olivine_cpu_samples_add(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_profile_t *profile, ngx_olivine_zone_t *zone, ngx_uint_t rate,
    int64_t user, int64_t system, uint64_t lost)
{
    double                    in_user, in_system, most, rest;
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_olivine_cpu_stack_t  *stack;

    lost += samples->lost;

    /* who was lost takes time, too, but nobody knows of which kind */

    in_user = samples->in_user + lost
              ? (double) user / (samples->in_user + lost) : 0;

    most = 2e9 / rate;
    in_system = samples->in_system ? (double) system / samples->in_system : 0;
    in_system = ngx_min(in_system, most);

    rest = system - in_system * samples->in_system;

    if (samples->in_user + lost == 0) {
        rest += user;
    }

    rc = NGX_OK;

    for (i = 0; i < NGX_OLIVINE_CPU_BUCKETS && rc == NGX_OK; i++) {
        for (stack = samples->buckets[i]; stack; stack = stack->next) {
            rc = ngx_olivine_cpu_samples_put(samples, stack, profile, zone,
                                             stack->system ? in_system
                                                           : in_user);
            if (rc != NGX_OK) {
                break;
            }
        }
    }

    if (rc == NGX_OK && lost) {
        rc = ngx_olivine_cpu_samples_alone(profile, "[lost]", lost,
                                           in_user * lost);
    }

    if (rc == NGX_OK && rest >= 1000) {
        rc = ngx_olivine_cpu_samples_alone(profile, "[kernel]", 0, rest);
    }

    return rc;
}


static void
ngx_olivine_cpu_samples_take(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_cpu_raw_t *raw)
{
    uintptr_t                    places[NGX_OLIVINE_UNWIND_DEPTH];
    ngx_uint_t                   whole;
    ngx_olivine_cpu_stack_t      like, *stack;
    ngx_olivine_unwind_state_t   st;

    ngx_memcpy(st.regs, raw->regs, sizeof(st.regs));
    st.from = raw->from;
    st.len = raw->len;
    st.copy = (u_char *) (raw + 1);

    like.n = ngx_olivine_unwind(samples->unwind, &st, places, &whole);
    like.whole = whole;
    like.system = raw->system;
    like.command = raw->command;

    stack = ngx_olivine_cpu_samples_stack(samples, &like, places);

    if (stack == NULL) {
        samples->lost += raw->periods;
        return;
    }

    stack->periods += raw->periods;

    if (raw->system) {
        samples->in_system += raw->periods;

    } else {
        samples->in_user += raw->periods;
    }
}


static ngx_olivine_cpu_stack_t *
ngx_olivine_cpu_samples_stack(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_cpu_stack_t *like, uintptr_t *places)
{
    size_t                     size;
    uint64_t                   hash;
    ngx_uint_t                 i;
    ngx_olivine_cpu_stack_t  **bucket, *stack;

    hash = (uint64_t) (uint16_t) like->command << 2 | like->system << 1
           | like->whole;

    for (i = 0; i < like->n; i++) {
        hash = (hash ^ places[i]) * 0x9e3779b97f4a7c15ULL;
        hash ^= hash >> 29;
    }

    bucket = &samples->buckets[hash % NGX_OLIVINE_CPU_BUCKETS];

    for (stack = *bucket; stack; stack = stack->next) {
        if (stack->hash == hash
            && stack->n == like->n
            && stack->command == like->command
            && stack->system == like->system
            && stack->whole == like->whole
            && ngx_memcmp(stack->places, places, like->n * sizeof(uintptr_t))
               == 0)
        {
            return stack;
        }
    }

    size = sizeof(ngx_olivine_cpu_stack_t) + like->n * sizeof(uintptr_t);

    if (size > NGX_OLIVINE_CPU_STACKS - samples->size) {
        return NULL;
    }

    stack = malloc(size);
    if (stack == NULL) {
        return NULL;
    }

    samples->size += size;

    *stack = *like;
    stack->hash = hash;
    stack->periods = 0;
    ngx_memcpy(stack->places, places, like->n * sizeof(uintptr_t));

    stack->next = *bucket;
    *bucket = stack;

    return stack;
}


static ngx_int_t
ngx_olivine_cpu_samples_put(ngx_olivine_cpu_samples_t *samples,
    ngx_olivine_cpu_stack_t *stack, ngx_olivine_profile_t *profile,
    ngx_olivine_zone_t *zone, double each)
{
    int64_t                       values[2];
    ngx_uint_t                    i, n, nlabels, max;
    ngx_olivine_profile_label_t   labels[2];
    ngx_olivine_profile_frame_t   frames[NGX_OLIVINE_PROFILE_FRAMES];

    ngx_memzero(frames, sizeof(frames[0]));
    n = 0;

    if (stack->system) {
        ngx_str_set(&frames[0].function, "[kernel]");
        n = 1;
    }

    max = NGX_OLIVINE_PROFILE_FRAMES - 1;

    for (i = 0; i < stack->n && n < max; i++) {

        /* the system call itself, not what comes behind it */

        n += ngx_olivine_symbols_find(samples->symbols,
                                      stack->places[i]
                                      - (i == 0 && stack->system),
                                      &frames[n], max - n);
    }

    if (!stack->whole || i < stack->n) {
        ngx_memzero(&frames[n], sizeof(frames[n]));
        ngx_str_set(&frames[n].function, "[truncated]");
        n++;
    }

    values[0] = stack->periods;
    values[1] = each * stack->periods;

    ngx_memzero(labels, sizeof(labels));
    labels[0].key = "pid";
    labels[0].number = getpid();
    nlabels = 1;

    if (stack->command >= 0
        && stack->command < NGX_OLIVINE_STATS_COMMANDS)
    {
        labels[1].key = "command";
        labels[1].text.data = zone->totals->commands[stack->command].name;
        labels[1].text.len = ngx_strlen(labels[1].text.data);
        nlabels += labels[1].text.len != 0;
    }

    return ngx_olivine_profile_add(profile, frames, n, values, labels,
                                   nlabels);
}


static ngx_int_t
ngx_olivine_cpu_samples_alone(ngx_olivine_profile_t *profile,
    const char *name, int64_t count, int64_t ns)
{
    int64_t                       values[2];
    ngx_olivine_profile_frame_t   frame;
    ngx_olivine_profile_label_t   label;

    ngx_memzero(&frame, sizeof(frame));
    frame.function.data = (u_char *) name;
    frame.function.len = ngx_strlen(name);

    ngx_memzero(&label, sizeof(label));
    label.key = "pid";
    label.number = getpid();

    values[0] = count;
    values[1] = ns;

    return ngx_olivine_profile_add(profile, &frame, 1, values, &label, 1);
}
