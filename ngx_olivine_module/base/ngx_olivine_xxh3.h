
/*
 * Copyright (C) The Olivine authors
 *
 * XXH3, 64 bits, no seed: the digest of a string in IFDEQ and IFDNE, see
 * https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
 */


#ifndef _NGX_OLIVINE_XXH3_H_INCLUDED_
#define _NGX_OLIVINE_XXH3_H_INCLUDED_


#include "base/ngx_olivine_base.h"


uint64_t ngx_olivine_xxh3(const u_char *p, size_t len);


#endif /* _NGX_OLIVINE_XXH3_H_INCLUDED_ */
