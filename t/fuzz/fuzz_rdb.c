
/*
 * Copyright (C) The Olivine authors
 *
 * An RDB file, whose checksum is not looked at.  It has to read the same out
 * of one window and out of many, and what was read, when written, has to read
 * the same again.  With its checksum it reads the same, or that is wrong.
 */

/* layer: rdb */


#include "rdb/ngx_olivine_rdb_read.h"
#include "rdb/ngx_olivine_rdb_write.h"


#define FUZZ_MAX    (1024 * 1024)

/* of what is unpacked, so that it takes no minutes */
#define FUZZ_TOTAL  (16 * 1024 * 1024)


typedef struct {
    u_char   *data;
    size_t    len;
    size_t    size;
} fuzz_bytes_t;


typedef struct {
    ngx_olivine_rdb_reader_t   reader;
    ngx_olivine_rdb_out_t     *out;         /* NULL: is not written */
    ngx_int_t                  rc;
    fuzz_bytes_t               items;       /* what was read, as bytes */
} fuzz_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
fuzz_add(fuzz_bytes_t *b, const void *data, size_t len)
{
    if (b->len + len > b->size) {
        b->size = 2 * (b->len + len) + 1024;
        b->data = realloc(b->data, b->size);

        if (b->data == NULL) {
            abort();
        }
    }

    memcpy(b->data + b->len, data, len);
    b->len += len;
}


static void
fuzz_add_text(fuzz_bytes_t *b, ngx_str_t *text)
{
    if (text->len > FUZZ_MAX) {
        abort();
    }

    fuzz_add(b, &text->len, sizeof(size_t));
    fuzz_add(b, text->data, text->len);
}


static ngx_int_t
fuzz_put(ngx_olivine_rdb_out_t *out, u_char *data, size_t len,
    ngx_uint_t stays)
{
    fuzz_add(out->data, data, len);
    return NGX_OK;
}


static void
fuzz_key(fuzz_t *f, ngx_olivine_rdb_item_t *item)
{
    u_char     buf[NGX_OLIVINE_I64_LEN];
    ngx_str_t  text;

    ngx_olivine_string_text(&item->value, buf, &text);

    fuzz_add(&f->items, &item->db, sizeof(item->db));
    fuzz_add(&f->items, &item->expire, sizeof(item->expire));
    fuzz_add(&f->items, &item->idle, sizeof(item->idle));
    fuzz_add(&f->items, &item->freq, sizeof(item->freq));
    fuzz_add_text(&f->items, &item->key);
    fuzz_add_text(&f->items, &text);

    if (item->expire < 0 || item->idle < -1 || item->freq > 255
        || item->db >= NGX_OLIVINE_MAX_DATABASES)
    {
        abort();
    }

    if (f->out
        && (ngx_olivine_rdb_write_db(f->out, item->db, 1, 0) != NGX_OK
            || ngx_olivine_rdb_write_key(f->out, &item->key, &item->value,
                                         item->expire, item->idle, item->freq)
               != NGX_OK))
    {
        abort();
    }
}


static void
fuzz_item(fuzz_t *f, ngx_olivine_rdb_item_t *item, ngx_uint_t keys)
{
    if (item->type == NGX_OLIVINE_RDB_ITEM_KEY) {
        fuzz_key(f, item);
        return;
    }

    if (keys) {
        return;
    }

    fuzz_add(&f->items, &item->type, sizeof(item->type));

    switch (item->type) {

    case NGX_OLIVINE_RDB_ITEM_AUX:
        fuzz_add_text(&f->items, &item->name);
        fuzz_add_text(&f->items, &item->text);
        break;

    case NGX_OLIVINE_RDB_ITEM_FUNCTION:
        fuzz_add_text(&f->items, &item->text);
        break;

    case NGX_OLIVINE_RDB_ITEM_MODULE:
        fuzz_add_text(&f->items, &item->name);
        break;

    case NGX_OLIVINE_RDB_ITEM_RESIZE:
        fuzz_add(&f->items, &item->keys, sizeof(uint64_t));
        fuzz_add(&f->items, &item->expires, sizeof(uint64_t));
        break;

    default:
        break;
    }
}


/* step: bytes that come at a time, 0: all; keys: nothing else is noted. */

static void
fuzz_read(fuzz_t *f, const u_char *data, size_t size, size_t step,
    ngx_uint_t keys)
{
    u_char                    *window, *next;
    size_t                     from, keep, more;
    ngx_olivine_rdb_item_t     item;
    ngx_olivine_rdb_reader_t  *r;

    r = &f->reader;

    from = 0;
    window = malloc(1);
    r->pos = window;
    r->last = window;

    for ( ;; ) {
        f->rc = ngx_olivine_rdb_read(r, &item);

        if (r->pos > r->last) {
            abort();
        }

        if (f->rc == NGX_OK) {
            fuzz_item(f, &item, keys);

            if (item.type == NGX_OLIVINE_RDB_ITEM_END
                || f->items.len > FUZZ_TOTAL)
            {
                break;
            }

            continue;
        }

        if (f->rc != NGX_AGAIN) {
            fuzz_add(&f->items, r->error.data, r->error.len);
            fuzz_add(&f->items, &r->offset, sizeof(off_t));

            if (r->offset < 0 || (size_t) r->offset > size) {
                abort();
            }

            break;
        }

        keep = r->last - r->pos;

        if (r->eof || r->want <= keep || r->want > 3 * FUZZ_MAX) {
            abort();
        }

        /* memory of just its size, for the sanitizer */

        more = step ? step : size;
        more = ngx_min(more, size - from);

        next = malloc(keep + more ? keep + more : 1);
        memcpy(next, r->pos, keep);
        memcpy(next + keep, data + from, more);
        free(window);

        window = next;
        from += more;

        r->pos = window;
        r->last = window + keep + more;
        r->eof = (from == size);
    }

    free(window);
}


static void
fuzz_same(fuzz_t *a, fuzz_t *b)
{
    if (a->rc != b->rc || a->items.len != b->items.len
        || memcmp(a->items.data, b->items.data, a->items.len) != 0)
    {
        abort();
    }
}


static void
fuzz_begin(fuzz_t *f, ngx_uint_t no_checksum)
{
    memset(f, 0, sizeof(fuzz_t));

    ngx_olivine_rdb_reader_init(&f->reader, FUZZ_MAX);
    f->reader.no_checksum = no_checksum;

    /* never NULL */
    fuzz_add(&f->items, "", 1);
}


static void
fuzz_free(fuzz_t *f)
{
    ngx_olivine_rdb_reader_free(&f->reader);
    free(f->items.data);
}


static void
fuzz_write(const uint8_t *data, size_t size)
{
    fuzz_t                   once, again;
    fuzz_bytes_t             file;
    ngx_olivine_rdb_out_t    out;
    ngx_olivine_rdb_about_t  about = { ngx_string("7.0.15"), 1, 2, 0 };

    memset(&file, 0, sizeof(fuzz_bytes_t));
    ngx_olivine_rdb_out_init(&out, fuzz_put, &file);
    out.compress = size & 1 ? NGX_OLIVINE_RDB_COMPRESS : 0;

    fuzz_begin(&once, 1);
    fuzz_begin(&again, 0);

    (void) ngx_olivine_rdb_write_begin(&out, &about);

    once.out = &out;
    fuzz_read(&once, data, size, 0, 1);

    if (once.rc == NGX_OK && once.items.len <= FUZZ_TOTAL) {
        (void) ngx_olivine_rdb_write_end(&out);

        fuzz_read(&again, file.data, file.len, 0, 1);
        fuzz_same(&once, &again);
    }

    fuzz_free(&once);
    fuzz_free(&again);
    free(file.data);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_t  whole, parts, summed;

    fuzz_begin(&whole, 1);
    fuzz_begin(&parts, 1);
    fuzz_begin(&summed, 0);

    fuzz_read(&whole, data, size, 0, 0);
    fuzz_read(&parts, data, size, 1 + size % 13, 0);
    fuzz_read(&summed, data, size, 1 + size % 17, 0);

    fuzz_same(&whole, &parts);

    if (summed.rc != whole.rc && (whole.rc != NGX_OK || summed.rc != NGX_ABORT))
    {
        abort();
    }

    if (whole.rc == NGX_OK) {
        fuzz_write(data, size);
    }

    fuzz_free(&whole);
    fuzz_free(&parts);
    fuzz_free(&summed);

    return 0;
}
