
/*
 * Copyright (C) The Olivine authors
 *
 * A profile: stacks with values and labels, in private memory; written as
 * gzipped profile.proto, as text, or as folded stacks.  Usable in any thread,
 * by one at a time.
 */


#ifndef _NGX_OLIVINE_PROFILE_H_INCLUDED_
#define _NGX_OLIVINE_PROFILE_H_INCLUDED_


#include "base/ngx_olivine_base.h"


#define NGX_OLIVINE_PROFILE_KINDS    4
#define NGX_OLIVINE_PROFILE_LABELS   8
#define NGX_OLIVINE_PROFILE_FRAMES   512

/* longer names are cut */
#define NGX_OLIVINE_PROFILE_NAME     1024

/* bytes that a profile, or what is written of it, may take */
#define NGX_OLIVINE_PROFILE_MAX      (64 * 1024 * 1024)


typedef struct ngx_olivine_profile_s  ngx_olivine_profile_t;


/* one level of a stack */
typedef struct {
    ngx_str_t    function;       /* never empty */
    ngx_str_t    file;           /* may be */
    ngx_uint_t   line;
} ngx_olivine_profile_frame_t;


/* "cpu"/"nanoseconds", "samples"/"count" */
typedef struct {
    const char  *type;
    const char  *unit;
} ngx_olivine_profile_kind_t;


/* a text, or a number if text.data is NULL */
typedef struct {
    const char  *key;
    ngx_str_t    text;
    int64_t      number;
} ngx_olivine_profile_label_t;


/* At most NGX_OLIVINE_PROFILE_KINDS of them; NULL without memory. */
ngx_olivine_profile_t *ngx_olivine_profile_create(
    const ngx_olivine_profile_kind_t *kinds, ngx_uint_t nkinds);
void ngx_olivine_profile_destroy(ngx_olivine_profile_t *profile);

/*
 * Adds a stack; frames[0] is the leaf.  Texts are copied.  The values of equal
 * stacks with equal labels are added up.  OK, or ERROR: no memory, or a limit
 * (the profile stays what it was).
 */
ngx_int_t ngx_olivine_profile_add(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_frame_t *frames, ngx_uint_t n, int64_t *values,
    ngx_olivine_profile_label_t *labels, ngx_uint_t nlabels);

/* What there is a sample for, as "cpu", "nanoseconds", 10000000. */
void ngx_olivine_profile_period(ngx_olivine_profile_t *profile,
    const char *type, const char *unit, int64_t period);

/* The kind that is shown first: by tools, and as text; else it is the last. */
void ngx_olivine_profile_default(ngx_olivine_profile_t *profile,
    const char *type);

/* When it was taken and for how long, nanoseconds. */
void ngx_olivine_profile_time(ngx_olivine_profile_t *profile, int64_t begun,
    int64_t took);

/*
 * Takes off the values of another one of the same kinds; what only that one
 * has becomes negative, and what becomes 0 is left out from then on.  OK or
 * ERROR.
 */
ngx_int_t ngx_olivine_profile_subtract(ngx_olivine_profile_t *profile,
    ngx_olivine_profile_t *before);

/*
 * Sums of a kind over all stacks, and the number of stacks with a value that
 * is not 0.
 */
int64_t ngx_olivine_profile_sum(ngx_olivine_profile_t *profile,
    ngx_uint_t kind);
ngx_uint_t ngx_olivine_profile_stacks(ngx_olivine_profile_t *profile);

/* The number of a kind by its type: OK, or DECLINED if there is none. */
ngx_int_t ngx_olivine_profile_kind(ngx_olivine_profile_t *profile,
    ngx_str_t *type, ngx_uint_t *kind);
ngx_uint_t ngx_olivine_profile_default_kind(ngx_olivine_profile_t *profile);

/*
 * What is written is out->data, for the caller to free().  OK or ERROR.
 * encode: profile.proto, gzipped.
 * text: a header, then stacks, the greatest of the default kind first: their
 * values and labels, and a line "#  function  file:line" for each level.
 * folded: "root;...;leaf value" lines.
 */
ngx_int_t ngx_olivine_profile_encode(ngx_olivine_profile_t *profile,
    ngx_str_t *out);
ngx_int_t ngx_olivine_profile_text(ngx_olivine_profile_t *profile,
    ngx_str_t *out);
ngx_int_t ngx_olivine_profile_folded(ngx_olivine_profile_t *profile,
    ngx_uint_t kind, ngx_str_t *out);


#endif /* _NGX_OLIVINE_PROFILE_H_INCLUDED_ */
