
/*
 * Copyright (C) The Olivine authors
 *
 * The profiles below /debug/pprof/, and their parameters.
 */


#include "http/ngx_http_olivine_pprof.h"
#include "http/ngx_http_olivine_taking.h"


/* seconds that a request may last, and those of a CPU profile unless told */
#define NGX_HTTP_OLIVINE_PROFILES_MAX   300
#define NGX_HTTP_OLIVINE_PROFILES_CPU   30

/* bytes of addresses in a request */
#define NGX_HTTP_OLIVINE_PROFILES_WORDS  65536


static ngx_int_t ngx_http_olivine_profiles_begin(
    ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind, ngx_int_t least,
    ngx_int_t seconds);
static ngx_int_t ngx_http_olivine_profiles_words(
    ngx_http_olivine_answer_t *answer, ngx_str_t *words);


static const ngx_http_olivine_taking_kind_t  ngx_http_olivine_profiles_cpu = {
    NGX_OLIVINE_TAKING_CPU, "profile", "profile", 0, 1
};

static const ngx_http_olivine_taking_kind_t  ngx_http_olivine_profiles_heap = {
    NGX_OLIVINE_TAKING_HEAP, "heap", "heap-delta",
    NGX_OLIVINE_TABLES_HEAP, 3
};

static const ngx_http_olivine_taking_kind_t
    ngx_http_olivine_profiles_allocs =
{
    NGX_OLIVINE_TAKING_ALLOCS, "allocs", "allocs-delta",
    NGX_OLIVINE_TABLES_ALLOCS, 1
};

static const ngx_http_olivine_taking_kind_t  ngx_http_olivine_profiles_mutex =
{
    NGX_OLIVINE_TAKING_MUTEX, "mutex", "mutex-delta",
    NGX_OLIVINE_TABLES_MUTEX, 1
};

static const ngx_http_olivine_taking_kind_t  ngx_http_olivine_profiles_block =
{
    NGX_OLIVINE_TAKING_BLOCK, "block", "block-delta",
    NGX_OLIVINE_TABLES_BLOCK, 1
};


ngx_int_t
ngx_http_olivine_profile(ngx_http_olivine_answer_t *answer)
{
    return ngx_http_olivine_profiles_begin(answer,
                                           &ngx_http_olivine_profiles_cpu, 1,
                                           NGX_HTTP_OLIVINE_PROFILES_CPU);
}


ngx_int_t
ngx_http_olivine_heap(ngx_http_olivine_answer_t *answer)
{
    return ngx_http_olivine_profiles_begin(answer,
                                           &ngx_http_olivine_profiles_heap, 0,
                                           0);
}


ngx_int_t
ngx_http_olivine_allocs(ngx_http_olivine_answer_t *answer)
{
    return ngx_http_olivine_profiles_begin(answer,
                                           &ngx_http_olivine_profiles_allocs,
                                           0, 0);
}


ngx_int_t
ngx_http_olivine_mutex(ngx_http_olivine_answer_t *answer)
{
    return ngx_http_olivine_profiles_begin(answer,
                                           &ngx_http_olivine_profiles_mutex,
                                           0, 0);
}


ngx_int_t
ngx_http_olivine_block(ngx_http_olivine_answer_t *answer)
{
    return ngx_http_olivine_profiles_begin(answer,
                                           &ngx_http_olivine_profiles_block,
                                           0, 0);
}


static ngx_int_t
ngx_http_olivine_profiles_begin(ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind, ngx_int_t least,
    ngx_int_t seconds)
{
    ngx_int_t                  debug, folded;
    ngx_http_olivine_taking_e  form;

    debug = 0;
    folded = 0;

    if (ngx_http_olivine_arg_number(answer, "seconds", least,
                                    NGX_HTTP_OLIVINE_PROFILES_MAX, &seconds)
        != NGX_OK
        || ngx_http_olivine_arg_number(answer, "debug", 0, 2, &debug)
           != NGX_OK
        || ngx_http_olivine_arg_number(answer, "folded", 0, 1, &folded)
           != NGX_OK)
    {
        return NGX_OK;
    }

    if (debug && folded) {
        return ngx_http_olivine_refuse(answer, NGX_HTTP_BAD_REQUEST,
            "400: \"debug\" and \"folded\" are two forms; one at a time.");
    }

    form = folded ? NGX_HTTP_OLIVINE_TAKING_FOLDED
           : debug ? NGX_HTTP_OLIVINE_TAKING_TEXT
                   : NGX_HTTP_OLIVINE_TAKING_PROTO;

    if (answer->head) {

        /* what it would be; nothing is begun for it */

        if (form == NGX_HTTP_OLIVINE_TAKING_PROTO) {
            ngx_str_set(&answer->type, "application/octet-stream");
        }

        return NGX_OK;
    }

    return ngx_http_olivine_taking_begin(answer, kind, seconds, form);
}


ngx_int_t
ngx_http_olivine_symbol(ngx_http_olivine_answer_t *answer)
{
    ngx_str_t  words;

    if (ngx_http_olivine_profiles_words(answer, &words) != NGX_OK) {
        return ngx_http_olivine_refuse(answer,
            NGX_HTTP_REQUEST_ENTITY_TOO_LARGE,
            "413: at most %d bytes of addresses.",
            NGX_HTTP_OLIVINE_PROFILES_WORDS);
    }

    if (words.len == 0 || answer->head) {
        ngx_http_olivine_text(answer, "num_symbols: 1\n");
        return NGX_OK;
    }

    return ngx_http_olivine_taking_symbols(answer, &words);
}


/* Of a GET, the query; of a POST, its body, if that is in memory. */

static ngx_int_t
ngx_http_olivine_profiles_words(ngx_http_olivine_answer_t *answer,
    ngx_str_t *words)
{
    ngx_buf_t                *b;
    ngx_chain_t              *cl;
    ngx_http_request_body_t  *body;

    if (!answer->post) {
        *words = answer->request->args;

        return words->len <= NGX_HTTP_OLIVINE_PROFILES_WORDS ? NGX_OK
                                                             : NGX_DECLINED;
    }

    ngx_str_null(words);

    body = answer->request->request_body;

    for (cl = body ? body->bufs : NULL; cl; cl = cl->next) {

        b = cl->buf;

        if (b->in_file || words->len
            || b->last - b->pos > NGX_HTTP_OLIVINE_PROFILES_WORDS)
        {
            return NGX_DECLINED;
        }

        words->data = b->pos;
        words->len = b->last - b->pos;
    }

    return NGX_OK;
}
