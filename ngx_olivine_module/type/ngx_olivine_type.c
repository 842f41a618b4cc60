
/*
 * Copyright (C) The Olivine authors
 */


#include "type/ngx_olivine_string.h"


#define NGX_OLIVINE_DIGEST_LEN  20


static void ngx_olivine_type_string_digest(ngx_olivine_value_t *value,
    u_char *digest);
static size_t ngx_olivine_type_string_weigh(ngx_olivine_zone_t *zone,
    ngx_olivine_value_t *value);


const ngx_olivine_type_t  ngx_olivine_types[NGX_OLIVINE_TYPES] = {

    { ngx_string("string"),
      ngx_olivine_type_string_digest,
      ngx_olivine_type_string_weigh }
};


static ngx_str_t  ngx_olivine_encoding_raw = ngx_string("raw");
static ngx_str_t  ngx_olivine_encoding_int = ngx_string("int");
static ngx_str_t  ngx_olivine_encoding_embstr = ngx_string("embstr");


ngx_str_t *
ngx_olivine_encoding_name(ngx_uint_t encoding)
{
    switch (encoding) {

    case NGX_OLIVINE_ENC_INT:
        return &ngx_olivine_encoding_int;

    case NGX_OLIVINE_ENC_EMBSTR:
        return &ngx_olivine_encoding_embstr;

    default:
        return &ngx_olivine_encoding_raw;
    }
}


void
ngx_olivine_digest_xor(u_char *digest, const void *p, size_t len)
{
    u_char      hash[NGX_OLIVINE_DIGEST_LEN];
    ngx_sha1_t  sha1;
    ngx_uint_t  i;

    ngx_sha1_init(&sha1);
    ngx_sha1_update(&sha1, p, len);
    ngx_sha1_final(hash, &sha1);

    for (i = 0; i < NGX_OLIVINE_DIGEST_LEN; i++) {
        digest[i] ^= hash[i];
    }
}


void
ngx_olivine_digest_mix(u_char *digest, const void *p, size_t len)
{
    ngx_sha1_t  sha1;

    ngx_olivine_digest_xor(digest, p, len);

    ngx_sha1_init(&sha1);
    ngx_sha1_update(&sha1, digest, NGX_OLIVINE_DIGEST_LEN);
    ngx_sha1_final(digest, &sha1);
}


static void
ngx_olivine_type_string_digest(ngx_olivine_value_t *value, u_char *digest)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_str_t  text;

    ngx_olivine_string_text(value, buf, &text);
    ngx_olivine_digest_mix(digest, text.data, text.len);
}


static size_t
ngx_olivine_type_string_weigh(ngx_olivine_zone_t *zone,
    ngx_olivine_value_t *value)
{
    if (value->page == 0) {
        return 0;
    }

    return (size_t) zone->pages[value->page].pages << NGX_OLIVINE_PAGE_SHIFT;
}
