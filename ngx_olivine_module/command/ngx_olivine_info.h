
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
    ngx_olivine_usage_sums_t  sums;
} ngx_olivine_info_t;


/* hexadecimal digits of a run's id */
#define NGX_OLIVINE_INFO_ID  40


void ngx_olivine_info_persistence(ngx_olivine_info_t *info);
void ngx_olivine_info_commandstats(ngx_olivine_info_t *info);
void ngx_olivine_info_errorstats(ngx_olivine_info_t *info);
void ngx_olivine_info_latencystats(ngx_olivine_info_t *info);

/* Which stays the same for the life of the zone; salt: what it is of. */
void ngx_olivine_info_id(ngx_olivine_zone_t *zone, const char *salt,
    u_char *id);

/* 1 while it is written, or is the next thing that any worker does. */
ngx_uint_t ngx_olivine_info_saving(ngx_olivine_save_state_t *save,
    uint32_t what);

/* Seconds since a snapshot was begun, -1 if it is not being written. */
int64_t ngx_olivine_info_since(ngx_olivine_save_state_t *save, int64_t now,
    uint32_t what);

/* Nanoseconds that all commands took. */
uint64_t ngx_olivine_info_spent(ngx_olivine_zone_t *zone);

/* What keys that expire have left on average, milliseconds; no lock. */
uint64_t ngx_olivine_info_ttl(ngx_olivine_zone_t *zone, ngx_uint_t db);

/* Keys of detached tables, which are still to be freed; no lock. */
uint64_t ngx_olivine_info_detached(ngx_olivine_zone_t *zone);


#endif /* _NGX_OLIVINE_INFO_H_INCLUDED_ */
