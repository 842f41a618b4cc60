
/*
 * Copyright (C) The Olivine authors
 *
 * What may stand in an RDB file.
 */


#include "rdb/ngx_olivine_rdb_opcodes.h"


/* files of lower versions have no checksum */
#define NGX_OLIVINE_RDB_SUMMED  5

/* a buffer larger than this is not kept for the next item */
#define NGX_OLIVINE_RDB_KEPT    (4 * 1024 * 1024)

/* bytes of a key that a message shows */
#define NGX_OLIVINE_RDB_SHOWN   64


/* answers as ngx_olivine_rdb_read_next() does */
typedef ngx_int_t (*ngx_olivine_rdb_read_pt)(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);


static ngx_int_t ngx_olivine_rdb_read_key(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item, ngx_uint_t code);
static ngx_int_t ngx_olivine_rdb_read_unknown(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_str_t *key, ngx_uint_t code);
static ngx_int_t ngx_olivine_rdb_read_slot_import(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_slot_info(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_function(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_function_old(
    ngx_olivine_rdb_reader_t *r, ngx_olivine_rdb_in_t *in,
    ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_module(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_module_part(
    ngx_olivine_rdb_reader_t *r, ngx_olivine_rdb_in_t *in);
static ngx_int_t ngx_olivine_rdb_read_idle(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_freq(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_aux(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_resize(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_expire_ms(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_expire(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_db(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_end(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item);
static ngx_int_t ngx_olivine_rdb_read_text(ngx_olivine_rdb_scratch_t *s,
    ngx_olivine_rdb_in_t *in, ngx_str_t *text);
static void ngx_olivine_rdb_read_scratch(ngx_olivine_rdb_scratch_t *s,
    ngx_olivine_rdb_in_t *in);


/* from NGX_OLIVINE_RDB_SLOT_IMPORT on */

static const struct {
    ngx_olivine_rdb_read_pt    read;
    const char                *what;
} ngx_olivine_rdb_opcodes[] = {

    { ngx_olivine_rdb_read_slot_import, "the import of a slot" },
    { ngx_olivine_rdb_read_slot_info, "the sizes of a slot" },
    { ngx_olivine_rdb_read_function, "a library of functions" },
    { ngx_olivine_rdb_read_function_old, "a function" },
    { ngx_olivine_rdb_read_module, "the data of a module" },
    { ngx_olivine_rdb_read_idle, "the idle time of a key" },
    { ngx_olivine_rdb_read_freq, "the frequency of a key" },
    { ngx_olivine_rdb_read_aux, "an auxiliary field" },
    { ngx_olivine_rdb_read_resize, "the sizes of a database" },
    { ngx_olivine_rdb_read_expire_ms, "the expiry of a key" },
    { ngx_olivine_rdb_read_expire, "the expiry of a key" },
    { ngx_olivine_rdb_read_db, "the number of a database" },
    { ngx_olivine_rdb_read_end, "the end" }
};


ngx_int_t
ngx_olivine_rdb_read_next(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item, const char **what)
{
    u_char      *p;
    ngx_uint_t   code;

    if (r->module) {
        *what = "the data of a module";
        return ngx_olivine_rdb_read_module_part(r, in);
    }

    *what = "a key";

    if (ngx_olivine_rdb_load_bytes(in, 1, &p) != NGX_OK) {
        *what = "its list of keys";
        return NGX_AGAIN;
    }

    code = *p;

    if (code >= NGX_OLIVINE_RDB_SLOT_IMPORT) {
        code -= NGX_OLIVINE_RDB_SLOT_IMPORT;
        *what = ngx_olivine_rdb_opcodes[code].what;

        return ngx_olivine_rdb_opcodes[code].read(r, in, item);
    }

    return ngx_olivine_rdb_read_key(r, in, item, code);
}


static ngx_int_t
ngx_olivine_rdb_read_key(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item, ngx_uint_t code)
{
    ngx_int_t                   rc;
    ngx_olivine_rdb_scratch_t  *s;

    if (!ngx_olivine_rdb_known(code) && ngx_olivine_rdb_name(code) == NULL) {
        return ngx_olivine_rdb_read_refuse(r, "a value of an unknown type, "
                                           "%ui", code);
    }

    rc = ngx_olivine_rdb_read_text(&r->first, in, &item->key);
    if (rc != NGX_OK) {
        return rc;
    }

    if (!ngx_olivine_rdb_known(code)) {
        return ngx_olivine_rdb_read_unknown(r, in, &item->key, code);
    }

    s = &r->second;

    ngx_olivine_rdb_read_scratch(s, in);

    rc = ngx_olivine_rdb_load_body(in, code, &item->value);

    s->memory = in->memory;
    s->size = in->size;

    if (rc != NGX_OK) {
        return rc;
    }

    item->type = NGX_OLIVINE_RDB_ITEM_KEY;
    item->db = r->db;
    item->expire = r->expire;
    item->idle = r->idle;
    item->freq = r->freq;

    r->expire = 0;
    r->idle = -1;
    r->freq = -1;

    return NGX_OK;
}


/* Says what it is that is refused, and of which key. */

static ngx_int_t
ngx_olivine_rdb_read_unknown(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_str_t *key, ngx_uint_t code)
{
    u_char       shown[NGX_OLIVINE_RDB_SHOWN * 4];
    u_char       name[NGX_OLIVINE_RDB_MODULE_NAME], *p;
    uint64_t     id;
    ngx_int_t    rc;
    ngx_uint_t   i;
    const char  *more;

    p = shown;

    for (i = 0; i < ngx_min(key->len, NGX_OLIVINE_RDB_SHOWN); i++) {

        if (key->data[i] < ' ' || key->data[i] > '~') {
            p = ngx_sprintf(p, "\\x%02xi", (ngx_uint_t) key->data[i]);

        } else {
            *p++ = key->data[i];
        }
    }

    more = key->len > NGX_OLIVINE_RDB_SHOWN ? "..." : "";

    if (code == NGX_OLIVINE_RDB_MODULE) {

        rc = ngx_olivine_rdb_load_number(in, &id);
        if (rc != NGX_OK) {
            return rc;
        }

        ngx_olivine_rdb_module_name(id, name);

        return ngx_olivine_rdb_read_refuse(r, "the key \"%*s%s\" is a value "
                                 "of the module \"%*s\", which is not known",
                                 (size_t) (p - shown), shown, more,
                                 sizeof(name), name);
    }

    return ngx_olivine_rdb_read_refuse(r, "the key \"%*s%s\" is a %s, which "
                                       "is not known yet",
                                       (size_t) (p - shown), shown, more,
                                       ngx_olivine_rdb_name(code));
}


/* Keys of a slot that is only half here belong to another server. */

static ngx_int_t
ngx_olivine_rdb_read_slot_import(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    return ngx_olivine_rdb_read_refuse(r, "a cluster was importing a slot");
}


/* How many keys the slot has, and how many that expire: hints. */

static ngx_int_t
ngx_olivine_rdb_read_slot_info(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    uint64_t    n;
    ngx_int_t   rc;
    ngx_uint_t  i;

    for (i = 0; i < 3; i++) {
        rc = ngx_olivine_rdb_load_number(in, &n);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_rdb_read_function(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    item->type = NGX_OLIVINE_RDB_ITEM_FUNCTION;

    return ngx_olivine_rdb_read_text(&r->second, in, &item->text);
}


static ngx_int_t
ngx_olivine_rdb_read_function_old(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    return ngx_olivine_rdb_read_refuse(r, "a function as a preview of Redis "
                                       "7.0 has written it");
}


static ngx_int_t
ngx_olivine_rdb_read_module(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    ngx_int_t  rc;

    rc = ngx_olivine_rdb_load_module(in, r->module_name);
    if (rc != NGX_OK) {
        return rc;
    }

    item->type = NGX_OLIVINE_RDB_ITEM_MODULE;
    item->name.data = r->module_name;
    item->name.len = NGX_OLIVINE_RDB_MODULE_NAME;

    r->module = 1;

    return NGX_OK;
}


/* Strings are passed over as they come: they may be of any length. */

static ngx_int_t
ngx_olivine_rdb_read_module_part(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in)
{
    size_t     n;
    ngx_int_t  rc;

    if (r->skip == 0) {

        rc = ngx_olivine_rdb_load_module_part(in, &r->skip);

        if (rc == NGX_DONE) {
            r->module = 0;
        }

        return rc == NGX_OK ? NGX_DONE : rc;
    }

    n = ngx_min(r->skip, (uint64_t) (in->last - in->pos));

    if (n == 0) {
        in->lack = 1;
        return NGX_AGAIN;
    }

    in->pos += n;
    r->skip -= n;

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_rdb_read_idle(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    uint64_t   n;
    ngx_int_t  rc;

    rc = ngx_olivine_rdb_load_number(in, &n);
    if (rc != NGX_OK) {
        return rc;
    }

    r->idle = ngx_min(n, INT64_MAX);

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_rdb_read_freq(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    u_char  *p;

    if (ngx_olivine_rdb_load_bytes(in, 1, &p) != NGX_OK) {
        return NGX_AGAIN;
    }

    r->freq = *p;

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_rdb_read_aux(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    ngx_int_t  rc;

    rc = ngx_olivine_rdb_read_text(&r->first, in, &item->name);
    if (rc != NGX_OK) {
        return rc;
    }

    item->type = NGX_OLIVINE_RDB_ITEM_AUX;

    return ngx_olivine_rdb_read_text(&r->second, in, &item->text);
}


static ngx_int_t
ngx_olivine_rdb_read_resize(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    ngx_int_t  rc;

    rc = ngx_olivine_rdb_load_number(in, &item->keys);
    if (rc != NGX_OK) {
        return rc;
    }

    item->type = NGX_OLIVINE_RDB_ITEM_RESIZE;
    item->db = r->db;

    return ngx_olivine_rdb_load_number(in, &item->expires);
}


/* As in Redis -1 is no expiry; what is before 1970 is as good as then. */

static ngx_int_t
ngx_olivine_rdb_read_expire_ms(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    u_char      *p;
    uint64_t     n;
    ngx_uint_t   i;

    if (ngx_olivine_rdb_load_bytes(in, 8, &p) != NGX_OK) {
        return NGX_AGAIN;
    }

    n = 0;

    for (i = 0; i < 8; i++) {
        n |= (uint64_t) p[i] << (8 * i);
    }

    r->expire = (int64_t) n;

    if (r->expire == -1) {
        r->expire = 0;

    } else if (r->expire <= 0) {
        r->expire = 1;
    }

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_rdb_read_expire(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    u_char    *p;
    int32_t    n;
    uint32_t   bits;

    if (ngx_olivine_rdb_load_bytes(in, 4, &p) != NGX_OK) {
        return NGX_AGAIN;
    }

    bits = p[0] | p[1] << 8 | p[2] << 16 | (uint32_t) p[3] << 24;
    n = (int32_t) bits;

    r->expire = n > 0 ? (int64_t) n * 1000 : 1;

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_rdb_read_db(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    uint64_t   n;
    ngx_int_t  rc;

    rc = ngx_olivine_rdb_load_number(in, &n);
    if (rc != NGX_OK) {
        return rc;
    }

    if (n >= NGX_OLIVINE_MAX_DATABASES) {
        return ngx_olivine_rdb_read_refuse(r, "database %uL is beyond the "
                                           "last one, %d", n,
                                           NGX_OLIVINE_MAX_DATABASES - 1);
    }

    r->db = n;

    return NGX_DONE;
}


static ngx_int_t
ngx_olivine_rdb_read_end(ngx_olivine_rdb_reader_t *r,
    ngx_olivine_rdb_in_t *in, ngx_olivine_rdb_item_t *item)
{
    u_char      *p;
    uint64_t     sum;
    ngx_uint_t   i;

    item->type = NGX_OLIVINE_RDB_ITEM_END;
    item->sum = 0;

    sum = 0;

    if (r->version >= NGX_OLIVINE_RDB_SUMMED) {

        if (ngx_olivine_rdb_load_bytes(in, 8, &p) != NGX_OK) {
            return NGX_AGAIN;
        }

        for (i = 0; i < 8; i++) {
            sum |= (uint64_t) p[i] << (8 * i);
        }
    }

    if (sum && !r->no_checksum) {
        r->offset = ngx_olivine_rdb_read_offset(r);

        r->pos++;
        ngx_olivine_rdb_read_sum(r);
        r->start = r->pos;

        if (r->crc != sum) {
            (void) ngx_olivine_rdb_read_refuse(r, "the checksum is wrong");
            return NGX_ABORT;
        }

        item->sum = 1;
    }

    r->over = 1;
    r->rc = NGX_ABORT;

    return NGX_OK;
}


static ngx_int_t
ngx_olivine_rdb_read_text(ngx_olivine_rdb_scratch_t *s,
    ngx_olivine_rdb_in_t *in, ngx_str_t *text)
{
    ngx_int_t  rc;

    ngx_olivine_rdb_read_scratch(s, in);

    rc = ngx_olivine_rdb_load_text(in, s->digits, text);

    s->memory = in->memory;
    s->size = in->size;

    return rc;
}


/* A buffer that has become large is not kept. */

static void
ngx_olivine_rdb_read_scratch(ngx_olivine_rdb_scratch_t *s,
    ngx_olivine_rdb_in_t *in)
{
    if (ngx_olivine_unlikely(s->size > NGX_OLIVINE_RDB_KEPT)) {
        ngx_free(s->memory);
        s->memory = NULL;
        s->size = 0;
    }

    in->memory = s->memory;
    in->size = s->size;
}
