
/*
 * Copyright (C) The Olivine authors
 *
 * OBJECT: how a key's value is kept.  Looking is no access.
 */


#include "command/ngx_olivine_cmd.h"


/* what Redis says of a number that all keys share, and the first of others */
#define NGX_OLIVINE_OBJECT_SHARED    2147483647
#define NGX_OLIVINE_OBJECT_INTEGERS  10000


static ngx_int_t ngx_olivine_object_find(ngx_olivine_cx_t *cx,
    ngx_olivine_ref_t *ref);


ngx_int_t
ngx_olivine_cmd_object_encoding(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_str_t         *name;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_object_find(cx, &ref);

    if (rc != NGX_OK || ref.entry == NULL) {
        return rc;
    }

    name = ngx_olivine_encoding_name(ngx_olivine_entry_encoding(ref.entry));

    return ngx_olivine_reply_bulk(cx->reply, name->data, name->len);
}


/* no policy that there is counts accesses */

ngx_int_t
ngx_olivine_cmd_object_freq(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_object_find(cx, &ref);

    if (rc != NGX_OK || ref.entry == NULL) {
        return rc;
    }

    return ngx_olivine_cx_error(cx, "ERR An LFU maxmemory policy is not "
               "selected, access frequency not tracked. Please note that when "
               "switching between policies at runtime LRU and LFU data will "
               "take some time to adjust.");
}


ngx_int_t
ngx_olivine_cmd_object_idletime(ngx_olivine_cx_t *cx)
{
    ngx_int_t          rc;
    ngx_olivine_ref_t  ref;

    rc = ngx_olivine_object_find(cx, &ref);

    if (rc != NGX_OK || ref.entry == NULL) {
        return rc;
    }

    return ngx_olivine_reply_integer(cx->reply,
                                     ngx_olivine_entry_idle(ref.entry,
                                                            cx->clock));
}


ngx_int_t
ngx_olivine_cmd_object_refcount(ngx_olivine_cx_t *cx)
{
    ngx_int_t            rc;
    ngx_olivine_ref_t    ref;
    ngx_olivine_value_t  value;

    rc = ngx_olivine_object_find(cx, &ref);

    if (rc != NGX_OK || ref.entry == NULL) {
        return rc;
    }

    ngx_olivine_entry_value(cx->zone, ref.entry, &value);

    if (value.encoding == NGX_OLIVINE_ENC_INT
        && value.number >= 0 && value.number < NGX_OLIVINE_OBJECT_INTEGERS)
    {
        return ngx_olivine_reply_integer(cx->reply, NGX_OLIVINE_OBJECT_SHARED);
    }

    return ngx_olivine_reply_one(cx->reply);
}


/* OK: the entry, or none and the reply is written. */

static ngx_int_t
ngx_olivine_object_find(ngx_olivine_cx_t *cx, ngx_olivine_ref_t *ref)
{
    ngx_int_t  rc;

    rc = ngx_olivine_cx_find(cx, 0, ref);

    if (rc == NGX_OK && ref->entry == NULL) {
        return ngx_olivine_reply_null(cx->reply);
    }

    return rc;
}
