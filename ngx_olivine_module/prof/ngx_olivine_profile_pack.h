
/*
 * Copyright (C) The Olivine authors
 *
 * A profile as bytes that another process reads: the samples with all their
 * names, nothing else.  The reader takes nothing for granted.
 */


#ifndef _NGX_OLIVINE_PROFILE_PACK_H_INCLUDED_
#define _NGX_OLIVINE_PROFILE_PACK_H_INCLUDED_


#include "prof/ngx_olivine_profile.h"


/*
 * out->data is for the caller to free().  OK; ERROR: no memory, or it would
 * be more than max bytes.
 */
ngx_int_t ngx_olivine_profile_pack(ngx_olivine_profile_t *profile, size_t max,
    ngx_str_t *out);

/*
 * Adds what was packed to a profile of the same number of kinds.  OK;
 * DECLINED: these are not the bytes of one (what was read by then is added);
 * ERROR: no memory, or the profile's limit.
 */
ngx_int_t ngx_olivine_profile_unpack(ngx_olivine_profile_t *profile,
    u_char *data, size_t len);


#endif /* _NGX_OLIVINE_PROFILE_PACK_H_INCLUDED_ */
