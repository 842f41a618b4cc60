
/*
 * Copyright (C) The Olivine authors
 *
 * The configuration of nginx lies in a memfd, and the command line that it is
 * made of in another, with what else has to be the same again.  Both stay
 * open over exec: each reload and each binary upgrade reads redis.conf anew.
 */


#ifndef _NGX_OLIVINE_REREAD_H_INCLUDED_
#define _NGX_OLIVINE_REREAD_H_INCLUDED_


#include "ngx_olivine_options.h"


/* far from the numbers nginx takes, and below the usual limit of 1024 */
#define NGX_OLIVINE_REREAD_CONF  100
#define NGX_OLIVINE_REREAD_ARGS  101
#define NGX_OLIVINE_REREAD_STDIN 102

/* how nginx is told to read the configuration */
#define NGX_OLIVINE_REREAD_PATH  "/proc/self/fd/100"

/* how the standard input is read again */
#define NGX_OLIVINE_REREAD_INPUT "/proc/self/fd/102"


/* What this machine gives, with what was set in *m before. */
void ngx_olivine_reread_machine(ngx_olivine_machine_t *m);

/* 1 if somebody listens on "ADDR:PORT"; for a first start. */
ngx_uint_t ngx_olivine_reread_busy(const char *address);

/* Makes both memfds for a first start; ERROR leaves a text in o->error. */
ngx_int_t ngx_olivine_reread_keep(ngx_olivine_options_t *o,
    ngx_olivine_machine_t *m, int argc, char *const *argv);


#endif /* _NGX_OLIVINE_REREAD_H_INCLUDED_ */
