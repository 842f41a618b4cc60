
/*
 * Copyright (C) The Olivine authors
 *
 * What the thread does for a profile; the loop leaves the taking alone until
 * it is done.  taking->rc tells how it went.
 */


#ifndef _NGX_HTTP_OLIVINE_TAKEN_H_INCLUDED_
#define _NGX_HTTP_OLIVINE_TAKEN_H_INCLUDED_


#include "http/ngx_http_olivine_taking.h"


/* What is to be subtracted. */
void ngx_http_olivine_taken_before(void *data);

/* The profile, written to taking->out. */
void ngx_http_olivine_taken_profile(void *data);

/* The names of the addresses in taking->words, to taking->out. */
void ngx_http_olivine_taken_symbols(void *data);


#endif /* _NGX_HTTP_OLIVINE_TAKEN_H_INCLUDED_ */
