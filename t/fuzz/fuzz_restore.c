
/*
 * Copyright (C) The Olivine authors
 *
 * A DUMP payload without its footer, which is put behind it here.  What loads
 * must save, and load again to the same; where the checksum is not the right
 * one nothing is looked at.
 */

/* layer: rdb */


#include "rdb/ngx_olivine_rdb.h"


#define FUZZ_MAX  (1024 * 1024)


typedef struct {
    u_char   *data;
    size_t    len;
} fuzz_bytes_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static ngx_int_t
fuzz_put(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    fuzz_bytes_t  *b = out->data;

    b->data = realloc(b->data, b->len + len + 1);
    ngx_memcpy(b->data + b->len, data, len);
    b->len += len;

    return NGX_OK;
}


static void
fuzz_text(ngx_olivine_value_t *value, fuzz_bytes_t *text)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_str_t  s;

    ngx_olivine_string_text(value, buf, &s);

    text->data = malloc(s.len + 1);
    text->len = s.len;
    ngx_memcpy(text->data, s.data, s.len);
}


/* 1: it was a value, whose text is given; the bytes are no longer there. */

static ngx_uint_t
fuzz_load(const u_char *data, size_t size, fuzz_bytes_t *text,
    fuzz_bytes_t *saved)
{
    u_char                 *copy;
    ngx_int_t               rc;
    ngx_olivine_value_t     value;
    ngx_olivine_rdb_in_t    in;
    ngx_olivine_rdb_out_t   out;

    /* of just their size, for the sanitizer */

    copy = malloc(size ? size : 1);
    ngx_memcpy(copy, data, size);

    in.pos = copy;
    in.last = copy + size;
    in.max = FUZZ_MAX;

    rc = ngx_olivine_rdb_load(&in, &value);

    if (in.pos > in.last) {
        abort();
    }

    if (rc == NGX_OK) {
        fuzz_text(&value, text);

        if (text->len > FUZZ_MAX) {
            abort();
        }

        ngx_memzero(saved, sizeof(fuzz_bytes_t));

        ngx_olivine_rdb_out_init(&out, fuzz_put, saved);

        if (ngx_olivine_rdb_save(&out, &value) != NGX_OK
            || ngx_olivine_rdb_save_footer(&out) != NGX_OK)
        {
            abort();
        }
    }

    free(in.memory);
    free(copy);

    return rc == NGX_OK;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes_t  text, again, saved, twice;

    (void) ngx_olivine_rdb_check(data, size, 0);

    if (!fuzz_load(data, size, &text, &saved)) {
        return 0;
    }

    if (ngx_olivine_rdb_check(saved.data, saved.len, 0) != NGX_OK) {
        abort();
    }

    saved.data[saved.len - 1] ^= 1;

    if (ngx_olivine_rdb_check(saved.data, saved.len, 0) == NGX_OK) {
        abort();
    }

    saved.data[saved.len - 1] ^= 1;

    if (!fuzz_load(saved.data, saved.len - NGX_OLIVINE_RDB_FOOTER, &again,
                   &twice)
        || again.len != text.len
        || ngx_memcmp(again.data, text.data, text.len) != 0
        || twice.len != saved.len
        || ngx_memcmp(twice.data, saved.data, saved.len) != 0)
    {
        abort();
    }

    free(text.data);
    free(again.data);
    free(saved.data);
    free(twice.data);

    return 0;
}
