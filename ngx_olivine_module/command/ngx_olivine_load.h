
/*
 * Copyright (C) The Olivine authors
 *
 * Loading what a server has kept in files, at a cold start.
 *
 * A zone that was made anew refuses all commands but those that are allowed
 * while loading.  One worker takes the lease, and loads slice by slice
 * between the events of its loop.  If it dies another one begins again.
 *
 * What an append-only file has is run as a client would run it, at a time in
 * which nothing is past its time: a key that has gone in the meantime was
 * there when the commands behind it were given.
 */


#ifndef _NGX_OLIVINE_LOAD_H_INCLUDED_
#define _NGX_OLIVINE_LOAD_H_INCLUDED_


#include "command/ngx_olivine_command.h"


typedef struct ngx_olivine_load_s  ngx_olivine_load_t;


/* In the master, for a zone that was just made: is there anything to load? */
void ngx_olivine_load_plan(ngx_olivine_zone_t *zone);

/* For a worker, whose cx is used while it steps.  NULL without memory. */
ngx_olivine_load_t *ngx_olivine_load_create(ngx_olivine_cx_t *cx,
    ngx_log_t *log);
void ngx_olivine_load_destroy(ngx_olivine_load_t *load);

/*
 * A slice.  OK: go on at once; AGAIN: in a moment; DECLINED: another worker is
 * at it, or all is loaded; DONE: all is loaded now; ERROR: it cannot be, and
 * why was logged.
 * now: wall clock, milliseconds.
 */
ngx_int_t ngx_olivine_load_step(ngx_olivine_load_t *load, int64_t now);


#endif /* _NGX_OLIVINE_LOAD_H_INCLUDED_ */
