
/*
 * Copyright (C) The Olivine authors
 *
 * A profile that is being taken for a request.
 *
 * It has the lease of its kind, waits as long as it was asked to, has the
 * thread write the profile, and sends that.  A request whose client leaves
 * gives it up: what is in the thread then comes to its end for nobody.  A
 * worker that is to quit does not wait any longer, and sends what there is.
 */


#ifndef _NGX_HTTP_OLIVINE_TAKING_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_TAKING_H_INCLUDED_


#include "mem/ngx_olivine_thread.h"
#include "prof/ngx_olivine_cpu.h"
#include "prof/ngx_olivine_profile.h"
#include "prof/ngx_olivine_symbol.h"
#include "prof/ngx_olivine_tables.h"

#include "http/ngx_http_olivine_answer.h"


/* how a profile is written */
typedef enum {
    NGX_HTTP_OLIVINE_TAKING_PROTO = 0,
    NGX_HTTP_OLIVINE_TAKING_TEXT,
    NGX_HTTP_OLIVINE_TAKING_FOLDED
} ngx_http_olivine_taking_e;


typedef struct ngx_http_olivine_taking_s  ngx_http_olivine_taking_t;


/* What a kind is, told by who begins one. */
typedef struct {
    ngx_olivine_taking_e             kind;
    const char                      *name;      /* of the file, too */
    const char                      *delta;     /* ... of a difference */
    ngx_olivine_tables_e             table;     /* unless it is CPU */
    ngx_uint_t                       folded;    /* the value, by its number */
} ngx_http_olivine_taking_kind_t;


struct ngx_http_olivine_taking_s {
    ngx_http_olivine_answer_t             *answer;   /* NULL: nobody waits */
    ngx_olivine_mount_t                   *mount;
    void                                  *none;
    ngx_socket_t                           fd;       /* -1: nginx's debug log
                                                        takes this, the data of
                                                        a timer, for a
                                                        connection */
    const ngx_http_olivine_taking_kind_t  *kind;
    ngx_event_t                            timer;
    ngx_msec_t                             end;      /* of the waiting */
    int64_t                                begun;    /* nanoseconds */
    ngx_int_t                              seconds;
    ngx_http_olivine_taking_e              form;

    ngx_olivine_thread_t                  *thread;
    ngx_olivine_thread_job_t               job;
    ngx_int_t                              rc;       /* of the job */
    ngx_olivine_symbols_t                 *symbols;
    ngx_olivine_profile_t                 *before;
    ngx_olivine_profile_t                 *profile;
    ngx_str_t                              out;      /* malloc'ed */

    ngx_str_t                              words;    /* addresses, malloc'ed */

    unsigned                               busy:1;   /* the thread has it */
    unsigned                               written:1;
    unsigned                               cpu:1;    /* workers sample */
    unsigned                               stopped:1;    /* ... no more */
};


/*
 * Begins one for the answer, which is not to be touched until it is sent: the
 * page returns what this does.  DONE, or OK: refused (409, 503).
 */
ngx_int_t ngx_http_olivine_taking_begin(ngx_http_olivine_answer_t *answer,
    const ngx_http_olivine_taking_kind_t *kind, ngx_int_t seconds,
    ngx_http_olivine_taking_e form);

/* The same for the names of addresses: words as "0x1234", "+" between. */
ngx_int_t ngx_http_olivine_taking_symbols(ngx_http_olivine_answer_t *answer,
    ngx_str_t *words);


#endif /* _NGX_HTTP_OLIVINE_TAKING_H_INCLUDED_ */
