
/*
 * Copyright (C) The Olivine authors
 *
 * Reads an RDB file through a window and writes what is in it:
 *
 *     rdb_copy IN OUT [window N] [compress N] [checksum 0|1]
 */

/* layer: rdb */


#include "rdb/ngx_olivine_rdb_read.h"
#include "rdb/ngx_olivine_rdb_write.h"

#include <err.h>
#include <stdio.h>


static FILE                     *in, *out;
static u_char                   *window;
static size_t                    size = 65536;
static ngx_uint_t                begun;
static ngx_str_t                 version;
static ngx_olivine_rdb_about_t   about;
static ngx_olivine_rdb_out_t     writer;
static ngx_olivine_rdb_reader_t  reader;


static ngx_int_t
put(ngx_olivine_rdb_out_t *o, u_char *data, size_t len, ngx_uint_t stays)
{
    return fwrite(data, 1, len, out) == len ? NGX_OK : NGX_ERROR;
}


static void
more(void)
{
    size_t   keep, n;
    u_char  *next;

    keep = reader.last - reader.pos;

    if (reader.want > size) {
        size = reader.want;
    }

    /* memory of its own each time */

    next = malloc(size);
    if (next == NULL) {
        err(1, "malloc");
    }

    memcpy(next, reader.pos, keep);
    n = fread(next + keep, 1, size - keep, in);
    free(window);

    window = next;
    reader.pos = window;
    reader.last = window + keep + n;
    reader.eof = (n < size - keep);
}


static uint64_t
number(ngx_str_t *text)
{
    return strtoull(strndup((char *) text->data, text->len), NULL, 10);
}


/* What Redis says of itself goes where it came from; nothing else may be. */

static void
field(ngx_olivine_rdb_item_t *item)
{
#define is(s)  (item->name.len == sizeof(s) - 1                               \
                && memcmp(item->name.data, s, sizeof(s) - 1) == 0)

    if (is("redis-ver")) {
        version.data = (u_char *) strndup((char *) item->text.data,
                                          item->text.len);
        version.len = item->text.len;
        about.version = version;

    } else if (is("ctime")) {
        about.time = number(&item->text);

    } else if (is("used-mem")) {
        about.memory = number(&item->text);

    } else if (is("aof-base")) {
        about.aof_base = number(&item->text);

    } else if (!is("redis-bits") && !is("valkey-ver")) {
        errx(1, "an unknown field: %.*s", (int) item->name.len,
             item->name.data);
    }
}


static ngx_int_t
write_item(ngx_olivine_rdb_item_t *item)
{
    if (item->type == NGX_OLIVINE_RDB_ITEM_AUX) {
        field(item);
        return NGX_OK;
    }

    if (!begun) {
        begun = 1;

        if (ngx_olivine_rdb_write_begin(&writer, &about) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    switch (item->type) {

    case NGX_OLIVINE_RDB_ITEM_KEY:
        return ngx_olivine_rdb_write_key(&writer, &item->key, &item->value,
                                         item->expire, item->idle, item->freq);

    case NGX_OLIVINE_RDB_ITEM_RESIZE:
        return ngx_olivine_rdb_write_db(&writer, item->db, item->keys,
                                        item->expires);

    case NGX_OLIVINE_RDB_ITEM_END:
        return ngx_olivine_rdb_write_end(&writer);

    default:
        errx(1, "an item that is not written");
    }
}


int
main(int argc, char *const *argv)
{
    int                     i;
    ngx_int_t               rc;
    ngx_olivine_rdb_item_t  item;

    if (argc < 3) {
        errx(1, "usage: rdb_copy IN OUT [window N] [compress N] [checksum N]");
    }

    in = fopen(argv[1], "rb");
    out = fopen(argv[2], "wb");

    if (in == NULL || out == NULL) {
        err(1, "%s, %s", argv[1], argv[2]);
    }

    ngx_olivine_rdb_out_init(&writer, put, NULL);
    ngx_olivine_rdb_reader_init(&reader, NGX_OLIVINE_MAX_STRING);

    for (i = 3; i + 1 < argc; i += 2) {

        if (strcmp(argv[i], "window") == 0) {
            size = atol(argv[i + 1]);

        } else if (strcmp(argv[i], "compress") == 0) {
            writer.compress = atol(argv[i + 1]);

        } else if (strcmp(argv[i], "checksum") == 0) {
            writer.checksum = atol(argv[i + 1]);
        }
    }

    do {
        rc = ngx_olivine_rdb_read(&reader, &item);

        if (rc == NGX_AGAIN) {
            more();
            continue;
        }

        if (rc != NGX_OK) {
            errx(1, "offset %lld: %.*s", (long long) reader.offset,
                 (int) reader.error.len, reader.error.data);
        }

        if (write_item(&item) != NGX_OK) {
            err(1, "%s", argv[2]);
        }

    } while (rc == NGX_AGAIN || item.type != NGX_OLIVINE_RDB_ITEM_END);

    if (fclose(out) != 0) {
        err(1, "%s", argv[2]);
    }

    return 0;
}
