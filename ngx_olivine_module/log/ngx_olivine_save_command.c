
/*
 * Copyright (C) The Olivine authors
 */


#include "log/ngx_olivine_save_command.h"
#include "base/ngx_olivine_number.h"
#include "type/ngx_olivine_string.h"


static ngx_int_t ngx_olivine_save_command_word(
    ngx_olivine_save_chunk_t *chunk, ngx_str_t *word, ngx_uint_t stays);
static ngx_int_t ngx_olivine_save_command_begin(
    ngx_olivine_save_chunk_t *chunk, ngx_uint_t words, const char *name);
static ngx_int_t ngx_olivine_save_command_string(
    ngx_olivine_save_chunk_t *chunk, ngx_str_t *key,
    ngx_olivine_value_t *value, int64_t expire);


/* a row for each type */

static ngx_int_t  (*const ngx_olivine_save_commands[])(
    ngx_olivine_save_chunk_t *chunk, ngx_str_t *key,
    ngx_olivine_value_t *value, int64_t expire) =
{
    ngx_olivine_save_command_string          /* NGX_OLIVINE_TYPE_STRING */
};


ngx_int_t
ngx_olivine_save_command_db(ngx_olivine_save_chunk_t *chunk, ngx_uint_t db)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_str_t  word;

    word.data = buf;
    word.len = ngx_sprintf(buf, "%ui", db) - buf;

    if (ngx_olivine_save_command_begin(chunk, 2, "SELECT") != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_olivine_save_command_word(chunk, &word, 0);
}


ngx_int_t
ngx_olivine_save_command_key(ngx_olivine_save_chunk_t *chunk, ngx_str_t *key,
    ngx_olivine_value_t *value, int64_t expire)
{
    return ngx_olivine_save_commands[value->type](chunk, key, value, expire);
}


static ngx_int_t
ngx_olivine_save_command_string(ngx_olivine_save_chunk_t *chunk,
    ngx_str_t *key, ngx_olivine_value_t *value, int64_t expire)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_str_t  word;

    if (ngx_olivine_save_command_begin(chunk, expire ? 5 : 3, "SET") != NGX_OK
        || ngx_olivine_save_command_word(chunk, key, 0) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_olivine_string_text(value, buf, &word);

    if (ngx_olivine_save_command_word(chunk, &word, value->page != 0)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (expire == 0) {
        return NGX_OK;
    }

    ngx_str_set(&word, "PXAT");

    if (ngx_olivine_save_command_word(chunk, &word, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    word.data = buf;
    word.len = ngx_sprintf(buf, "%L", expire) - buf;

    return ngx_olivine_save_command_word(chunk, &word, 0);
}


static ngx_int_t
ngx_olivine_save_command_begin(ngx_olivine_save_chunk_t *chunk,
    ngx_uint_t words, const char *name)
{
    u_char     buf[sizeof("*\r\n") + NGX_OLIVINE_I64_LEN];
    ngx_str_t  word;

    if (ngx_olivine_save_chunk_add(chunk, buf,
                                   ngx_sprintf(buf, "*%ui\r\n", words) - buf,
                                   0)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    word.data = (u_char *) name;
    word.len = ngx_strlen(name);

    return ngx_olivine_save_command_word(chunk, &word, 0);
}


static ngx_int_t
ngx_olivine_save_command_word(ngx_olivine_save_chunk_t *chunk,
    ngx_str_t *word, ngx_uint_t stays)
{
    u_char  buf[sizeof("$\r\n") + NGX_OLIVINE_I64_LEN];

    if (ngx_olivine_save_chunk_add(chunk, buf,
                                   ngx_sprintf(buf, "$%uz\r\n", word->len)
                                   - buf, 0)
        != NGX_OK
        || ngx_olivine_save_chunk_add(chunk, word->data, word->len, stays)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_olivine_save_chunk_add(chunk, (u_char *) CRLF,
                                      sizeof(CRLF) - 1, 0);
}
