
/*
 * Copyright (C) The Olivine authors
 *
 * Keys as the commands that make them: a base of the append-only file with
 * "aof-use-rdb-preamble no".
 */


#ifndef _NGX_OLIVINE_SAVE_COMMAND_H_INCLUDED_
#define _NGX_OLIVINE_SAVE_COMMAND_H_INCLUDED_


#include "log/ngx_olivine_save_chunk.h"


/* Keys of that database follow.  OK or ERROR (memory). */
ngx_int_t ngx_olivine_save_command_db(ngx_olivine_save_chunk_t *chunk,
    ngx_uint_t db);

/* expire: milliseconds, 0 is never; a text in a run of its own stays. */
ngx_int_t ngx_olivine_save_command_key(ngx_olivine_save_chunk_t *chunk,
    ngx_str_t *key, ngx_olivine_value_t *value, int64_t expire);


#endif /* _NGX_OLIVINE_SAVE_COMMAND_H_INCLUDED_ */
