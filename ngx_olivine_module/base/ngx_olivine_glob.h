/*
 * Copyright (C) The Olivine authors
 *
 * Patterns of KEYS, SCAN MATCH, CONFIG GET: '*', '?', "[a-c]", "[^a]", '\'.
 */


#ifndef _NGX_OLIVINE_GLOB_H_INCLUDED_
#define _NGX_OLIVINE_GLOB_H_INCLUDED_


#include "base/ngx_olivine_base.h"


/*
 * 1 if the whole text matches, else 0.  Takes at most a time proportional
 * to the product of both lengths, whatever the pattern.
 */
ngx_uint_t ngx_olivine_glob_match(ngx_str_t *pattern, u_char *data,
    size_t len, ngx_uint_t nocase);

/*
 * The length of the leading part that stands for itself: every match begins
 * with these bytes of the pattern.  If that is the whole pattern, it matches
 * one text only, itself.
 */
size_t ngx_olivine_glob_prefix(ngx_str_t *pattern);

/* 1 if the pattern matches everything: one or more '*' */
ngx_uint_t ngx_olivine_glob_all(ngx_str_t *pattern);


#endif /* _NGX_OLIVINE_GLOB_H_INCLUDED_ */
