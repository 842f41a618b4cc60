
/*
 * Copyright (C) The Olivine authors
 *
 * INFO's sections, and what they share.
 */


#ifndef _NGX_OLIVINE_INFO_H_INCLUDED_
#define _NGX_OLIVINE_INFO_H_INCLUDED_


#include "log/ngx_olivine_aof.h"
#include "command/ngx_olivine_cmd.h"
#include "command/ngx_olivine_usage.h"


typedef struct {
    ngx_olivine_cx_t         *cx;
    ngx_olivine_buffer_t      b;
    ngx_olivine_counters_t    counters;
    ngx_olivine_rates_t       rates;

    /* of the slots in use */
    ngx_uint_t                workers;
    uint64_t                  clients;
    uint64_t                  blocked;
    uint64_t                  watching;
    uint64_t                  watched;
    uint64_t                  longest_turn;
    uint64_t                  longest_hold;
} ngx_olivine_info_t;


void ngx_olivine_info_persistence(ngx_olivine_info_t *info);
void ngx_olivine_info_commandstats(ngx_olivine_info_t *info);
void ngx_olivine_info_errorstats(ngx_olivine_info_t *info);
void ngx_olivine_info_latencystats(ngx_olivine_info_t *info);

/* Nanoseconds that all commands took. */
uint64_t ngx_olivine_info_spent(ngx_olivine_zone_t *zone);

/* What keys that expire have left on average, milliseconds; no lock. */
uint64_t ngx_olivine_info_ttl(ngx_olivine_zone_t *zone, ngx_uint_t db);

/* Keys of detached tables, which are still to be freed; no lock. */
uint64_t ngx_olivine_info_detached(ngx_olivine_zone_t *zone);


#endif /* _NGX_OLIVINE_INFO_H_INCLUDED_ */
