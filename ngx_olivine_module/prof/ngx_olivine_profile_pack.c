
/*
 * Copyright (C) The Olivine authors
 *
 * head | strings: length, bytes, a zero | places: function, file (strings),
 * line | stacks: places, tags (numbers of them), values, places, tags: key,
 * text (strings, 0: a number), number
 *
 * Numbers are the machine's; writer and reader are processes of one machine,
 * if not of one build, so the head has a version.
 */


#include "prof/ngx_olivine_profile_pack.h"
#include "prof/ngx_olivine_profile_tables.h"
#include "prof/ngx_olivine_proto.h"


#define NGX_OLIVINE_PACK_MAGIC  0x31507650               /* "PvP1" */


typedef struct {
    uint32_t      magic;
    uint32_t      nkinds;
    uint32_t      nstrings;
    uint32_t      nplaces;
    uint32_t      nstacks;
    uint32_t      reserved;
} ngx_olivine_pack_head_t;

typedef struct {
    uint32_t      function;
    uint32_t      file;
    uint64_t      line;
} ngx_olivine_pack_place_t;

typedef struct {
    uint32_t      nplaces;
    uint32_t      ntags;
} ngx_olivine_pack_stack_t;

typedef struct {
    uint32_t      key;
    uint32_t      text;
    int64_t       number;
} ngx_olivine_pack_tag_t;

typedef struct {
    u_char                       *pos;
    u_char                       *last;
    ngx_olivine_pack_head_t       head;
    ngx_str_t                    *strings;
    ngx_olivine_profile_frame_t  *places;
} ngx_olivine_pack_in_t;


static void ngx_olivine_pack_stack(ngx_olivine_profile_t *profile,
    ngx_olivine_proto_t *p, ngx_olivine_profile_stack_t *stack);
static ngx_int_t ngx_olivine_unpack_strings(ngx_olivine_pack_in_t *in);
static ngx_int_t ngx_olivine_unpack_places(ngx_olivine_pack_in_t *in);
static ngx_int_t ngx_olivine_unpack_stack(ngx_olivine_profile_t *profile,
    ngx_olivine_pack_in_t *in);
static ngx_int_t ngx_olivine_unpack_take(ngx_olivine_pack_in_t *in, void *to,
    size_t size);


ngx_int_t
ngx_olivine_profile_pack(ngx_olivine_profile_t *profile, size_t max,
    ngx_str_t *out)
{
    uint32_t                       len;
    ngx_uint_t                     i;
    ngx_olivine_proto_t            p;
    ngx_olivine_pack_head_t        head;
    ngx_olivine_pack_place_t       to;
    ngx_olivine_profile_pair_t    *place, *function;
    ngx_olivine_profile_stack_t   *stack;
    ngx_olivine_profile_string_t  *string;

    ngx_memzero(&p, sizeof(ngx_olivine_proto_t));
    p.max = max;

    ngx_memzero(&head, sizeof(ngx_olivine_pack_head_t));
    head.magic = NGX_OLIVINE_PACK_MAGIC;
    head.nkinds = profile->nkinds;
    head.nstrings = profile->strings.n;
    head.nplaces = profile->places.n;
    head.nstacks = ngx_olivine_profile_stacks(profile);

    ngx_olivine_proto_bytes(&p, &head, sizeof(head));

    for (i = 0; i < profile->strings.n; i++) {
        string = ngx_olivine_profile_string(profile, i);
        len = string->len;

        ngx_olivine_proto_bytes(&p, &len, sizeof(len));
        ngx_olivine_proto_bytes(&p, string->data, len + 1);
    }

    for (i = 0; i < profile->places.n; i++) {
        place = ngx_olivine_profile_place(profile, i);
        function = ngx_olivine_profile_function(profile, place->first);

        to.function = function->first;
        to.file = function->second;
        to.line = place->second;

        ngx_olivine_proto_bytes(&p, &to, sizeof(to));
    }

    for (i = 0; i < profile->stacks.n; i++) {
        stack = ngx_olivine_profile_stack(profile, i);

        if (ngx_olivine_profile_counts(profile, stack)) {
            ngx_olivine_pack_stack(profile, &p, stack);
        }
    }

    if (p.failed) {
        free(p.data);
        return NGX_ERROR;
    }

    out->data = p.data;
    out->len = p.len;

    return NGX_OK;
}


static void
ngx_olivine_pack_stack(ngx_olivine_profile_t *profile, ngx_olivine_proto_t *p,
    ngx_olivine_profile_stack_t *stack)
{
    ngx_uint_t                i;
    ngx_olivine_pack_tag_t    tag;
    ngx_olivine_pack_stack_t  head;

    head.nplaces = stack->nplaces;
    head.ntags = stack->ntags;

    ngx_olivine_proto_bytes(p, &head, sizeof(head));
    ngx_olivine_proto_bytes(p, stack->values,
                            profile->nkinds * sizeof(int64_t));
    ngx_olivine_proto_bytes(p, stack->places,
                            stack->nplaces * sizeof(uint32_t));

    for (i = 0; i < stack->ntags; i++) {
        tag.key = stack->tags[i].key;
        tag.text = stack->tags[i].text;
        tag.number = stack->tags[i].number;

        ngx_olivine_proto_bytes(p, &tag, sizeof(tag));
    }
}


ngx_int_t
ngx_olivine_profile_unpack(ngx_olivine_profile_t *profile, u_char *data,
    size_t len)
{
    size_t                 left;
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_olivine_pack_in_t  in;

    ngx_memzero(&in, sizeof(ngx_olivine_pack_in_t));
    in.pos = data;
    in.last = data + len;

    if (ngx_olivine_unpack_take(&in, &in.head, sizeof(in.head)) != NGX_OK
        || in.head.magic != NGX_OLIVINE_PACK_MAGIC
        || in.head.nkinds != profile->nkinds)
    {
        return NGX_DECLINED;
    }

    /* none of them takes less than this, so the numbers are bounded */

    left = in.last - in.pos;

    if (in.head.nstrings > left / (sizeof(uint32_t) + 1)
        || in.head.nplaces > left / sizeof(ngx_olivine_pack_place_t)
        || in.head.nstacks > left / sizeof(ngx_olivine_pack_stack_t))
    {
        return NGX_DECLINED;
    }

    in.strings = malloc((in.head.nstrings + 1) * sizeof(ngx_str_t));
    in.places = malloc((in.head.nplaces + 1)
                       * sizeof(ngx_olivine_profile_frame_t));

    rc = NGX_ERROR;

    if (in.strings && in.places) {
        rc = ngx_olivine_unpack_strings(&in);

        if (rc == NGX_OK) {
            rc = ngx_olivine_unpack_places(&in);
        }

        for (i = 0; i < in.head.nstacks && rc == NGX_OK; i++) {
            rc = ngx_olivine_unpack_stack(profile, &in);
        }
    }

    free(in.strings);
    free(in.places);

    return rc;
}


static ngx_int_t
ngx_olivine_unpack_strings(ngx_olivine_pack_in_t *in)
{
    uint32_t    len;
    ngx_uint_t  i;

    for (i = 0; i < in->head.nstrings; i++) {

        if (ngx_olivine_unpack_take(in, &len, sizeof(len)) != NGX_OK
            || len >= (size_t) (in->last - in->pos)
            || in->pos[len] != '\0')
        {
            return NGX_DECLINED;
        }

        in->strings[i].len = len;
        in->strings[i].data = in->pos;
        in->pos += len + 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_unpack_places(ngx_olivine_pack_in_t *in)
{
    ngx_uint_t                i;
    ngx_olivine_pack_place_t  place;

    for (i = 0; i < in->head.nplaces; i++) {

        if (ngx_olivine_unpack_take(in, &place, sizeof(place)) != NGX_OK
            || place.function >= in->head.nstrings
            || place.file >= in->head.nstrings)
        {
            return NGX_DECLINED;
        }

        in->places[i].function = in->strings[place.function];
        in->places[i].file = in->strings[place.file];
        in->places[i].line = place.line;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_unpack_stack(ngx_olivine_profile_t *profile,
    ngx_olivine_pack_in_t *in)
{
    int64_t                       values[NGX_OLIVINE_PROFILE_KINDS];
    uint32_t                      number;
    ngx_uint_t                    i;
    ngx_olivine_pack_tag_t        tag;
    ngx_olivine_pack_stack_t      stack;
    ngx_olivine_profile_label_t   labels[NGX_OLIVINE_PROFILE_LABELS];
    ngx_olivine_profile_frame_t   frames[NGX_OLIVINE_PROFILE_FRAMES];

    if (ngx_olivine_unpack_take(in, &stack, sizeof(stack)) != NGX_OK
        || ngx_olivine_unpack_take(in, values,
                                   profile->nkinds * sizeof(int64_t))
           != NGX_OK
        || stack.nplaces == 0
        || stack.nplaces > NGX_OLIVINE_PROFILE_FRAMES
        || stack.ntags > NGX_OLIVINE_PROFILE_LABELS)
    {
        return NGX_DECLINED;
    }

    for (i = 0; i < stack.nplaces; i++) {

        if (ngx_olivine_unpack_take(in, &number, sizeof(number)) != NGX_OK
            || number >= in->head.nplaces)
        {
            return NGX_DECLINED;
        }

        frames[i] = in->places[number];
    }

    for (i = 0; i < stack.ntags; i++) {

        if (ngx_olivine_unpack_take(in, &tag, sizeof(tag)) != NGX_OK
            || tag.key >= in->head.nstrings
            || tag.text >= in->head.nstrings)
        {
            return NGX_DECLINED;
        }

        labels[i].key = (char *) in->strings[tag.key].data;
        labels[i].number = tag.number;
        labels[i].text = in->strings[tag.text];

        if (tag.text == 0) {
            labels[i].text.data = NULL;
        }
    }

    return ngx_olivine_profile_add(profile, frames, stack.nplaces, values,
                                   labels, stack.ntags);
}


static ngx_int_t
ngx_olivine_unpack_take(ngx_olivine_pack_in_t *in, void *to, size_t size)
{
    if ((size_t) (in->last - in->pos) < size) {
        return NGX_DECLINED;
    }

    ngx_memcpy(to, in->pos, size);
    in->pos += size;

    return NGX_OK;
}
