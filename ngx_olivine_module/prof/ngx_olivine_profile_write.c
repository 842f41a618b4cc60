
/*
 * Copyright (C) The Olivine authors
 *
 * Writes a profile.  The messages are those of pprof's profile.proto; each
 * level of a stack is a location with one line, so that equal levels are
 * written once, whatever addresses they had.
 */


#include "prof/ngx_olivine_profile_tables.h"
#include "prof/ngx_olivine_proto.h"

#include <zlib.h>


#define NGX_OLIVINE_PROFILE_LEVEL  6           /* of compression */
#define NGX_OLIVINE_PROFILE_GZIP   (16 + MAX_WBITS)


/* fields of messages, as profile.proto numbers them */

#define NGX_OLIVINE_PROFILE_SAMPLE_TYPE   1    /* Profile */
#define NGX_OLIVINE_PROFILE_SAMPLE        2
#define NGX_OLIVINE_PROFILE_MAPPING       3
#define NGX_OLIVINE_PROFILE_LOCATION      4
#define NGX_OLIVINE_PROFILE_FUNCTION      5
#define NGX_OLIVINE_PROFILE_STRING        6
#define NGX_OLIVINE_PROFILE_TIME          9
#define NGX_OLIVINE_PROFILE_DURATION      10
#define NGX_OLIVINE_PROFILE_PERIOD_TYPE   11
#define NGX_OLIVINE_PROFILE_PERIOD        12
#define NGX_OLIVINE_PROFILE_DEFAULT       14

#define NGX_OLIVINE_VALUE_TYPE            1    /* ValueType */
#define NGX_OLIVINE_VALUE_UNIT            2

#define NGX_OLIVINE_SAMPLE_LOCATION       1    /* Sample */
#define NGX_OLIVINE_SAMPLE_VALUE          2
#define NGX_OLIVINE_SAMPLE_LABEL          3

#define NGX_OLIVINE_LABEL_KEY             1    /* Label */
#define NGX_OLIVINE_LABEL_STR             2
#define NGX_OLIVINE_LABEL_NUM             3

#define NGX_OLIVINE_MAPPING_ID            1    /* Mapping */
#define NGX_OLIVINE_MAPPING_LIMIT         3
#define NGX_OLIVINE_MAPPING_FILE          5
#define NGX_OLIVINE_MAPPING_HAS           7    /* ... to 10 */

#define NGX_OLIVINE_LOCATION_ID           1    /* Location */
#define NGX_OLIVINE_LOCATION_MAPPING      2
#define NGX_OLIVINE_LOCATION_LINE         4

#define NGX_OLIVINE_LINE_FUNCTION         1    /* Line */
#define NGX_OLIVINE_LINE_LINE             2

#define NGX_OLIVINE_FUNCTION_ID           1    /* Function */
#define NGX_OLIVINE_FUNCTION_NAME         2
#define NGX_OLIVINE_FUNCTION_SYSTEM       3
#define NGX_OLIVINE_FUNCTION_FILE         4


typedef struct {
    int64_t                       value;
    ngx_olivine_profile_stack_t  *stack;
} ngx_olivine_profile_rank_t;


static void ngx_olivine_profile_head(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p);
static void ngx_olivine_profile_value_type(ngx_olivine_proto_t *p,
    ngx_uint_t field, uint32_t type, uint32_t unit);
static void ngx_olivine_profile_sample(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p, ngx_olivine_profile_stack_t *stack);
static void ngx_olivine_profile_symbols(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p);
static void ngx_olivine_profile_strings(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p);
static ngx_int_t ngx_olivine_profile_gzip(ngx_olivine_proto_t *p,
    ngx_str_t *out);
static void ngx_olivine_profile_print(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p, ngx_olivine_profile_stack_t *stack);
static void ngx_olivine_profile_labels(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p, ngx_olivine_profile_stack_t *stack);
static void ngx_olivine_profile_name(ngx_olivine_proto_t *p,
    ngx_olivine_profile_string_t *name, ngx_uint_t folded);
static ngx_olivine_profile_string_t *ngx_olivine_profile_name_of(
    ngx_olivine_profile_t *profile, uint32_t place);
static ngx_int_t ngx_olivine_profile_done(ngx_olivine_proto_t *p,
    ngx_str_t *out);
static int ngx_olivine_profile_rank(const void *one, const void *two);


ngx_int_t
ngx_olivine_profile_encode(ngx_olivine_profile_t *profile, ngx_str_t *out)
{
    ngx_int_t                     rc;
    ngx_uint_t                    i;
    ngx_olivine_proto_t           p;
    ngx_olivine_profile_stack_t  *stack;

    ngx_memzero(&p, sizeof(ngx_olivine_proto_t));
    p.max = NGX_OLIVINE_PROFILE_MAX;

    ngx_olivine_profile_head(profile, &p);

    for (i = 0; i < profile->stacks.n; i++) {
        stack = ngx_olivine_profile_stack(profile, i);

        if (ngx_olivine_profile_counts(profile, stack)) {
            ngx_olivine_profile_sample(profile, &p, stack);
        }
    }

    ngx_olivine_profile_symbols(profile, &p);
    ngx_olivine_profile_strings(profile, &p);

    rc = p.failed ? NGX_ERROR : ngx_olivine_profile_gzip(&p, out);

    free(p.data);

    return rc;
}


ngx_int_t
ngx_olivine_profile_text(ngx_olivine_profile_t *profile, ngx_str_t *out)
{
    ngx_uint_t                   i, n;
    ngx_olivine_proto_t          p;
    ngx_olivine_profile_rank_t  *ranks;

    ngx_memzero(&p, sizeof(ngx_olivine_proto_t));
    p.max = NGX_OLIVINE_PROFILE_MAX;

    ranks = malloc((profile->stacks.n + 1)
                   * sizeof(ngx_olivine_profile_rank_t));
    if (ranks == NULL) {
        return NGX_ERROR;
    }

    n = 0;

    for (i = 0; i < profile->stacks.n; i++) {
        ranks[n].stack = ngx_olivine_profile_stack(profile, i);

        if (ngx_olivine_profile_counts(profile, ranks[n].stack)) {
            ranks[n].value = ranks[n].stack->values[profile->kind];
            n++;
        }
    }

    ngx_qsort(ranks, n, sizeof(ngx_olivine_profile_rank_t),
              ngx_olivine_profile_rank);

    ngx_olivine_proto_print(&p, "stacks: %ui\n", n);

    for (i = 0; i < profile->nkinds; i++) {
        ngx_olivine_proto_print(&p, "%s/%s: %L\n",
                        ngx_olivine_profile_string(profile,
                                                   profile->types[i])->data,
                        ngx_olivine_profile_string(profile,
                                                   profile->units[i])->data,
                        ngx_olivine_profile_sum(profile, i));
    }

    if (profile->took) {
        ngx_olivine_proto_print(&p, "seconds: %L.%03L\n",
                                profile->took / 1000000000,
                                profile->took / 1000000 % 1000);
    }

    for (i = 0; i < n && !p.failed; i++) {
        ngx_olivine_profile_print(profile, &p, ranks[i].stack);
    }

    free(ranks);

    return ngx_olivine_profile_done(&p, out);
}


ngx_int_t
ngx_olivine_profile_folded(ngx_olivine_profile_t *profile, ngx_uint_t kind,
    ngx_str_t *out)
{
    ngx_uint_t                    i, j;
    ngx_olivine_proto_t           p;
    ngx_olivine_profile_stack_t  *stack;

    if (kind >= profile->nkinds) {
        return NGX_ERROR;
    }

    ngx_memzero(&p, sizeof(ngx_olivine_proto_t));
    p.max = NGX_OLIVINE_PROFILE_MAX;

    for (i = 0; i < profile->stacks.n; i++) {
        stack = ngx_olivine_profile_stack(profile, i);

        if (stack->values[kind] == 0) {
            continue;
        }

        for (j = stack->nplaces; j > 0; j--) {
            ngx_olivine_profile_name(&p,
                            ngx_olivine_profile_name_of(profile,
                                                        stack->places[j - 1]),
                            1);

            if (j > 1) {
                ngx_olivine_proto_bytes(&p, ";", 1);
            }
        }

        ngx_olivine_proto_print(&p, " %L\n", stack->values[kind]);
    }

    return ngx_olivine_profile_done(&p, out);
}


static void
ngx_olivine_profile_head(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p)
{
    size_t      start;
    ngx_uint_t  i;

    for (i = 0; i < profile->nkinds; i++) {
        ngx_olivine_profile_value_type(p, NGX_OLIVINE_PROFILE_SAMPLE_TYPE,
                                       profile->types[i], profile->units[i]);
    }

    /* one mapping that has all names, or tools go and look for files */

    start = ngx_olivine_proto_open(p);

    ngx_olivine_proto_number(p, NGX_OLIVINE_MAPPING_ID, 1);
    ngx_olivine_proto_number(p, NGX_OLIVINE_MAPPING_LIMIT, (uint64_t) -1);
    ngx_olivine_proto_number(p, NGX_OLIVINE_MAPPING_FILE,
                             profile->strings.n);

    for (i = 0; i < 4; i++) {
        ngx_olivine_proto_number(p, NGX_OLIVINE_MAPPING_HAS + i, 1);
    }

    ngx_olivine_proto_close(p, NGX_OLIVINE_PROFILE_MAPPING, start);

    ngx_olivine_proto_number(p, NGX_OLIVINE_PROFILE_TIME, profile->begun);
    ngx_olivine_proto_number(p, NGX_OLIVINE_PROFILE_DURATION, profile->took);

    if (profile->period) {
        ngx_olivine_profile_value_type(p, NGX_OLIVINE_PROFILE_PERIOD_TYPE,
                                       profile->period_type,
                                       profile->period_unit);
        ngx_olivine_proto_number(p, NGX_OLIVINE_PROFILE_PERIOD,
                                 profile->period);
    }

    ngx_olivine_proto_number(p, NGX_OLIVINE_PROFILE_DEFAULT,
                             profile->types[profile->kind]);
}


static void
ngx_olivine_profile_value_type(ngx_olivine_proto_t *p, ngx_uint_t field,
    uint32_t type, uint32_t unit)
{
    size_t  start;

    start = ngx_olivine_proto_open(p);

    ngx_olivine_proto_number(p, NGX_OLIVINE_VALUE_TYPE, type);
    ngx_olivine_proto_number(p, NGX_OLIVINE_VALUE_UNIT, unit);

    ngx_olivine_proto_close(p, field, start);
}


static void
ngx_olivine_profile_sample(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p, ngx_olivine_profile_stack_t *stack)
{
    size_t                      start, inner;
    ngx_uint_t                  i;
    ngx_olivine_profile_tag_t  *tag;

    start = ngx_olivine_proto_open(p);
    inner = ngx_olivine_proto_open(p);

    for (i = 0; i < stack->nplaces; i++) {
        ngx_olivine_proto_varint(p, stack->places[i] + 1);
    }

    ngx_olivine_proto_close(p, NGX_OLIVINE_SAMPLE_LOCATION, inner);

    inner = ngx_olivine_proto_open(p);

    for (i = 0; i < profile->nkinds; i++) {
        ngx_olivine_proto_varint(p, (uint64_t) stack->values[i]);
    }

    ngx_olivine_proto_close(p, NGX_OLIVINE_SAMPLE_VALUE, inner);

    for (i = 0; i < stack->ntags; i++) {
        tag = &stack->tags[i];
        inner = ngx_olivine_proto_open(p);

        ngx_olivine_proto_number(p, NGX_OLIVINE_LABEL_KEY, tag->key);
        ngx_olivine_proto_number(p, NGX_OLIVINE_LABEL_STR, tag->text);
        ngx_olivine_proto_number(p, NGX_OLIVINE_LABEL_NUM,
                                 (uint64_t) tag->number);

        ngx_olivine_proto_close(p, NGX_OLIVINE_SAMPLE_LABEL, inner);
    }

    ngx_olivine_proto_close(p, NGX_OLIVINE_PROFILE_SAMPLE, start);
}


static void
ngx_olivine_profile_symbols(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p)
{
    size_t                       start, inner;
    ngx_uint_t                   i;
    ngx_olivine_profile_pair_t  *pair;

    for (i = 0; i < profile->places.n && !p->failed; i++) {
        pair = ngx_olivine_profile_place(profile, i);
        start = ngx_olivine_proto_open(p);

        ngx_olivine_proto_number(p, NGX_OLIVINE_LOCATION_ID, i + 1);
        ngx_olivine_proto_number(p, NGX_OLIVINE_LOCATION_MAPPING, 1);

        inner = ngx_olivine_proto_open(p);

        ngx_olivine_proto_number(p, NGX_OLIVINE_LINE_FUNCTION,
                                 pair->first + 1);
        ngx_olivine_proto_number(p, NGX_OLIVINE_LINE_LINE, pair->second);

        ngx_olivine_proto_close(p, NGX_OLIVINE_LOCATION_LINE, inner);
        ngx_olivine_proto_close(p, NGX_OLIVINE_PROFILE_LOCATION, start);
    }

    for (i = 0; i < profile->functions.n && !p->failed; i++) {
        pair = ngx_olivine_profile_function(profile, i);
        start = ngx_olivine_proto_open(p);

        ngx_olivine_proto_number(p, NGX_OLIVINE_FUNCTION_ID, i + 1);
        ngx_olivine_proto_number(p, NGX_OLIVINE_FUNCTION_NAME, pair->first);
        ngx_olivine_proto_number(p, NGX_OLIVINE_FUNCTION_SYSTEM, pair->first);
        ngx_olivine_proto_number(p, NGX_OLIVINE_FUNCTION_FILE, pair->second);

        ngx_olivine_proto_close(p, NGX_OLIVINE_PROFILE_FUNCTION, start);
    }
}


/* The mapping's name goes behind those of the table. */

static void
ngx_olivine_profile_strings(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p)
{
    ngx_str_t                      text;
    ngx_uint_t                     i;
    ngx_olivine_profile_string_t  *string;

    for (i = 0; i < profile->strings.n && !p->failed; i++) {
        string = ngx_olivine_profile_string(profile, i);
        text.len = string->len;
        text.data = string->data;

        ngx_olivine_proto_text(p, NGX_OLIVINE_PROFILE_STRING, &text);
    }

    ngx_str_set(&text, "olivine");
    ngx_olivine_proto_text(p, NGX_OLIVINE_PROFILE_STRING, &text);
}


static ngx_int_t
ngx_olivine_profile_gzip(ngx_olivine_proto_t *p, ngx_str_t *out)
{
    int        rc;
    uLong      size;
    z_stream   z;

    ngx_memzero(&z, sizeof(z_stream));

    if (deflateInit2(&z, NGX_OLIVINE_PROFILE_LEVEL, Z_DEFLATED,
                     NGX_OLIVINE_PROFILE_GZIP, 8, Z_DEFAULT_STRATEGY)
        != Z_OK)
    {
        return NGX_ERROR;
    }

    size = deflateBound(&z, p->len);

    out->data = malloc(size);
    if (out->data == NULL) {
        (void) deflateEnd(&z);
        return NGX_ERROR;
    }

    z.next_in = p->data;
    z.avail_in = p->len;
    z.next_out = out->data;
    z.avail_out = size;

    rc = deflate(&z, Z_FINISH);

    out->len = size - z.avail_out;
    (void) deflateEnd(&z);

    if (rc != Z_STREAM_END) {
        free(out->data);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static void
ngx_olivine_profile_print(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p, ngx_olivine_profile_stack_t *stack)
{
    ngx_uint_t                     i;
    ngx_olivine_profile_pair_t    *place, *function;
    ngx_olivine_profile_string_t  *file;

    ngx_olivine_proto_bytes(p, "\n", 1);

    for (i = 0; i < profile->nkinds; i++) {
        ngx_olivine_proto_print(p, i ? " %L" : "%L", stack->values[i]);
    }

    ngx_olivine_profile_labels(profile, p, stack);
    ngx_olivine_proto_bytes(p, "\n", 1);

    for (i = 0; i < stack->nplaces; i++) {
        place = ngx_olivine_profile_place(profile, stack->places[i]);
        function = ngx_olivine_profile_function(profile, place->first);
        file = ngx_olivine_profile_string(profile, function->second);

        ngx_olivine_proto_bytes(p, "#  ", 3);
        ngx_olivine_profile_name(p,
                        ngx_olivine_profile_name_of(profile,
                                                    stack->places[i]), 0);

        if (file->len) {
            ngx_olivine_proto_bytes(p, "  ", 2);
            ngx_olivine_profile_name(p, file, 0);

            if (place->second) {
                ngx_olivine_proto_print(p, ":%uL", place->second);
            }
        }

        ngx_olivine_proto_bytes(p, "\n", 1);
    }
}


static void
ngx_olivine_profile_labels(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p, ngx_olivine_profile_stack_t *stack)
{
    ngx_uint_t                  i;
    ngx_olivine_profile_tag_t  *tag;

    for (i = 0; i < stack->ntags; i++) {
        tag = &stack->tags[i];

        ngx_olivine_proto_bytes(p, " ", 1);
        ngx_olivine_profile_name(p,
                        ngx_olivine_profile_string(profile, tag->key), 0);

        if (tag->text) {
            ngx_olivine_proto_bytes(p, "=", 1);
            ngx_olivine_profile_name(p,
                        ngx_olivine_profile_string(profile, tag->text), 0);

        } else {
            ngx_olivine_proto_print(p, "=%L", tag->number);
        }
    }
}


/* A line is a line, and in folded stacks a semicolon parts levels. */

static void
ngx_olivine_profile_name(ngx_olivine_proto_t *p,
    ngx_olivine_profile_string_t *name, ngx_uint_t folded)
{
    u_char      text[NGX_OLIVINE_PROFILE_NAME];
    ngx_uint_t  i;

    for (i = 0; i < name->len; i++) {
        text[i] = name->data[i];

        if (text[i] < ' ' || text[i] == 0x7f || (folded && text[i] == ';')) {
            text[i] = '_';
        }
    }

    ngx_olivine_proto_bytes(p, text, name->len);
}


static ngx_olivine_profile_string_t *
ngx_olivine_profile_name_of(ngx_olivine_profile_t *profile, uint32_t place)
{
    ngx_olivine_profile_pair_t  *pair;

    pair = ngx_olivine_profile_place(profile, place);
    pair = ngx_olivine_profile_function(profile, pair->first);

    return ngx_olivine_profile_string(profile, pair->first);
}


static ngx_int_t
ngx_olivine_profile_done(ngx_olivine_proto_t *p, ngx_str_t *out)
{
    ngx_olivine_proto_bytes(p, "", 1);            /* ends with a zero */

    if (p->failed) {
        free(p->data);
        return NGX_ERROR;
    }

    out->len = p->len - 1;
    out->data = p->data;

    return NGX_OK;
}


static int
ngx_olivine_profile_rank(const void *one, const void *two)
{
    const ngx_olivine_profile_rank_t *a = one;
    const ngx_olivine_profile_rank_t *b = two;

    if (a->value != b->value) {
        return a->value < b->value ? 1 : -1;
    }

    /* equal ones in their order, so that what is written is determined */

    return a->stack < b->stack ? -1 : a->stack > b->stack;
}
