
/*
 * Copyright (C) The Olivine authors
 *
 * Types of parameters, and the words of enumerations; for the rows only.
 */


#ifndef _NGX_OLIVINE_PARAM_TYPES_H_INCLUDED_
#define _NGX_OLIVINE_PARAM_TYPES_H_INCLUDED_


#include "base/ngx_olivine_params.h"


/* words that "save" and "client-output-buffer-limit" can make use of */
#define NGX_OLIVINE_PARAM_MAX_WORDS  (2 * NGX_OLIVINE_SAVE_POINTS)


extern const ngx_olivine_param_type_t  ngx_olivine_param_bool;
extern const ngx_olivine_param_type_t  ngx_olivine_param_int;
extern const ngx_olivine_param_type_t  ngx_olivine_param_auto;
extern const ngx_olivine_param_type_t  ngx_olivine_param_hz;
extern const ngx_olivine_param_type_t  ngx_olivine_param_octal;
extern const ngx_olivine_param_type_t  ngx_olivine_param_size;
extern const ngx_olivine_param_type_t  ngx_olivine_param_percent;
extern const ngx_olivine_param_type_t  ngx_olivine_param_enum;
extern const ngx_olivine_param_type_t  ngx_olivine_param_text;
extern const ngx_olivine_param_type_t  ngx_olivine_param_file;
extern const ngx_olivine_param_type_t  ngx_olivine_param_text_words;
extern const ngx_olivine_param_type_t  ngx_olivine_param_save;
extern const ngx_olivine_param_type_t  ngx_olivine_param_percentiles;
extern const ngx_olivine_param_type_t  ngx_olivine_param_limits;
extern const ngx_olivine_param_type_t  ngx_olivine_param_events;
extern const ngx_olivine_param_type_t  ngx_olivine_param_master;

extern const char *const  ngx_olivine_param_yes_no[];
extern const char *const  ngx_olivine_param_local[];
extern const char *const  ngx_olivine_param_levels[];
extern const char *const  ngx_olivine_param_policies[];
extern const char *const  ngx_olivine_param_fsync[];
extern const char *const  ngx_olivine_param_channels[];
extern const char *const  ngx_olivine_param_failures[];
extern const char *const  ngx_olivine_param_diskless[];
extern const char *const  ngx_olivine_param_sanitize[];
extern const char *const  ngx_olivine_param_auth[];
extern const char *const  ngx_olivine_param_supervisors[];
extern const char *const  ngx_olivine_param_facilities[];


/* 1 if the value is that word, in any case */
ngx_uint_t ngx_olivine_params_is(ngx_str_t *value, const char *word);

/* always DECLINED */
ngx_int_t ngx_olivine_param_refuse(ngx_str_t *err, const char *text);


#endif /* _NGX_OLIVINE_PARAM_TYPES_H_INCLUDED_ */
