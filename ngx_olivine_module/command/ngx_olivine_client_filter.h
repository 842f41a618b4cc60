
/*
 * Copyright (C) The Olivine authors
 *
 * Which clients CLIENT LIST and CLIENT KILL are about.
 */


#ifndef _NGX_OLIVINE_CLIENT_FILTER_H_INCLUDED_
#define _NGX_OLIVINE_CLIENT_FILTER_H_INCLUDED_


#include "command/ngx_olivine_command.h"


/* the flags of a client as CLIENT LIST prints them; room for all */
#define NGX_OLIVINE_CLIENT_FLAGS  16


typedef struct {
    unsigned        given:1;
    ngx_uint_t      arg;             /* the value's index */
    int64_t         number;
} ngx_olivine_client_term_t;


typedef enum {
    NGX_OLIVINE_CLIENT_BY_ID = 0,    /* a list: first argument and number */
    NGX_OLIVINE_CLIENT_BY_TYPE,
    NGX_OLIVINE_CLIENT_BY_ADDR,
    NGX_OLIVINE_CLIENT_BY_LADDR,
    NGX_OLIVINE_CLIENT_BY_USER,
    NGX_OLIVINE_CLIENT_BY_NAME,
    NGX_OLIVINE_CLIENT_BY_IP,
    NGX_OLIVINE_CLIENT_BY_FLAGS,
    NGX_OLIVINE_CLIENT_BY_DB,
    NGX_OLIVINE_CLIENT_BY_LIB_NAME,
    NGX_OLIVINE_CLIENT_BY_LIB_VER,
    NGX_OLIVINE_CLIENT_BY_MAXAGE,
    NGX_OLIVINE_CLIENT_BY_IDLE,
    NGX_OLIVINE_CLIENT_BY_SKIPME,
    NGX_OLIVINE_CLIENT_TERMS
} ngx_olivine_client_term_e;


typedef struct {
    ngx_olivine_client_term_t   terms[2][NGX_OLIVINE_CLIENT_TERMS];
                                             /* to be, and not to be */
    int64_t                    *ids[2];      /* sorted; allocated */
    ngx_uint_t                  nids[2];
    ngx_uint_t                  skipme;
} ngx_olivine_client_filter_t;


/*
 * Parses the arguments from the third on; kill: in the words of CLIENT KILL.
 * OK, or ERROR with Redis's error set.  To be freed either way.
 */
ngx_int_t ngx_olivine_client_filter_parse(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_uint_t kill);

void ngx_olivine_client_filter_free(ngx_olivine_client_filter_t *filter);

/* 1 if the client is one of them. */
ngx_uint_t ngx_olivine_client_filter_match(ngx_olivine_cx_t *cx,
    ngx_olivine_client_filter_t *filter, ngx_olivine_bus_client_t *client);

/* The flags of a client, "N" if it has none. */
size_t ngx_olivine_client_flags(ngx_olivine_bus_client_t *client, u_char *p);


#endif /* _NGX_OLIVINE_CLIENT_FILTER_H_INCLUDED_ */
