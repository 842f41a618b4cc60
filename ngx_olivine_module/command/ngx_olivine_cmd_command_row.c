
/*
 * Copyright (C) The Olivine authors
 *
 * A row as COMMAND INFO has it, and the words for its bits.
 */


#include "command/ngx_olivine_cmd.h"


typedef struct {
    ngx_uint_t      bit;
    ngx_str_t       name;
} ngx_olivine_command_bit_t;


static void ngx_olivine_command_bits(ngx_olivine_reply_t *r,
    const ngx_olivine_command_bit_t *names, ngx_uint_t bits);
static void ngx_olivine_command_tips(ngx_olivine_reply_t *r,
    const char *tips);
static void ngx_olivine_command_specs(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command);
static void ngx_olivine_command_spec(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command, ngx_uint_t flags, ngx_int_t first,
    ngx_int_t last);
static void ngx_olivine_command_subcommands(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command);
static void ngx_olivine_command_word(ngx_olivine_reply_t *r,
    const char *word);


/* in the order of COMMAND INFO */

static const ngx_olivine_command_bit_t  ngx_olivine_command_flags[] = {
    { NGX_OLIVINE_CMD_WRITE,        ngx_string("write") },
    { NGX_OLIVINE_CMD_READONLY,     ngx_string("readonly") },
    { NGX_OLIVINE_CMD_DENYOOM,      ngx_string("denyoom") },
    { NGX_OLIVINE_CMD_ADMIN,        ngx_string("admin") },
    { NGX_OLIVINE_CMD_PUBSUB,       ngx_string("pubsub") },
    { NGX_OLIVINE_CMD_NOSCRIPT,     ngx_string("noscript") },
    { NGX_OLIVINE_CMD_BLOCKING,     ngx_string("blocking") },
    { NGX_OLIVINE_CMD_LOADING,      ngx_string("loading") },
    { NGX_OLIVINE_CMD_STALE,        ngx_string("stale") },
    { NGX_OLIVINE_CMD_SKIP_MONITOR, ngx_string("skip_monitor") },
    { NGX_OLIVINE_CMD_SKIP_SLOWLOG, ngx_string("skip_slowlog") },
    { NGX_OLIVINE_CMD_ASKING,       ngx_string("asking") },
    { NGX_OLIVINE_CMD_FAST,         ngx_string("fast") },
    { NGX_OLIVINE_CMD_NO_AUTH,      ngx_string("no_auth") },
    { NGX_OLIVINE_CMD_NO_ASYNC,     ngx_string("no_async_loading") },
    { NGX_OLIVINE_CMD_NO_MULTI,     ngx_string("no_multi") },
    { NGX_OLIVINE_CMD_NO_KEYS,      ngx_string("no_mandatory_keys") },
    { NGX_OLIVINE_CMD_MOVABLE,      ngx_string("movablekeys") },
    { NGX_OLIVINE_CMD_ALLOW_BUSY,   ngx_string("allow_busy") },
    { 0, ngx_null_string }
};


static const ngx_olivine_command_bit_t  ngx_olivine_command_categories[] = {
    { NGX_OLIVINE_CAT_KEYSPACE,    ngx_string("@keyspace") },
    { NGX_OLIVINE_CAT_READ,        ngx_string("@read") },
    { NGX_OLIVINE_CAT_WRITE,       ngx_string("@write") },
    { NGX_OLIVINE_CAT_SET,         ngx_string("@set") },
    { NGX_OLIVINE_CAT_SORTEDSET,   ngx_string("@sortedset") },
    { NGX_OLIVINE_CAT_LIST,        ngx_string("@list") },
    { NGX_OLIVINE_CAT_HASH,        ngx_string("@hash") },
    { NGX_OLIVINE_CAT_STRING,      ngx_string("@string") },
    { NGX_OLIVINE_CAT_BITMAP,      ngx_string("@bitmap") },
    { NGX_OLIVINE_CAT_HYPERLOGLOG, ngx_string("@hyperloglog") },
    { NGX_OLIVINE_CAT_GEO,         ngx_string("@geo") },
    { NGX_OLIVINE_CAT_STREAM,      ngx_string("@stream") },
    { NGX_OLIVINE_CAT_PUBSUB,      ngx_string("@pubsub") },
    { NGX_OLIVINE_CAT_ADMIN,       ngx_string("@admin") },
    { NGX_OLIVINE_CAT_FAST,        ngx_string("@fast") },
    { NGX_OLIVINE_CAT_SLOW,        ngx_string("@slow") },
    { NGX_OLIVINE_CAT_BLOCKING,    ngx_string("@blocking") },
    { NGX_OLIVINE_CAT_DANGEROUS,   ngx_string("@dangerous") },
    { NGX_OLIVINE_CAT_CONNECTION,  ngx_string("@connection") },
    { NGX_OLIVINE_CAT_TRANSACTION, ngx_string("@transaction") },
    { NGX_OLIVINE_CAT_SCRIPTING,   ngx_string("@scripting") },
    { 0, ngx_null_string }
};


static const ngx_olivine_command_bit_t  ngx_olivine_command_keys_flags[] = {
    { NGX_OLIVINE_KEY_RO,         ngx_string("RO") },
    { NGX_OLIVINE_KEY_RW,         ngx_string("RW") },
    { NGX_OLIVINE_KEY_OW,         ngx_string("OW") },
    { NGX_OLIVINE_KEY_RM,         ngx_string("RM") },
    { NGX_OLIVINE_KEY_NOT_KEY,    ngx_string("not_key") },
    { NGX_OLIVINE_KEY_ACCESS,     ngx_string("access") },
    { NGX_OLIVINE_KEY_UPDATE,     ngx_string("update") },
    { NGX_OLIVINE_KEY_INSERT,     ngx_string("insert") },
    { NGX_OLIVINE_KEY_DELETE,     ngx_string("delete") },
    { NGX_OLIVINE_KEY_INCOMPLETE, ngx_string("incomplete") },
    { NGX_OLIVINE_KEY_VARIABLE,   ngx_string("variable_flags") },
    { 0, ngx_null_string }
};


void
ngx_olivine_cmd_command_row(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command)
{
    ngx_uint_t  counted;

    /* where they stand is then for the specification alone to say */

    counted = command->keys.flags & NGX_OLIVINE_KEY_NUMBER;

    (void) ngx_olivine_reply_array(r, 10);
    (void) ngx_olivine_reply_bulk(r, command->name.data, command->name.len);
    (void) ngx_olivine_reply_integer(r, command->arity);

    ngx_olivine_command_bits(r, ngx_olivine_command_flags, command->flags);

    (void) ngx_olivine_reply_integer(r, counted ? 0 : command->keys.first);
    (void) ngx_olivine_reply_integer(r, counted ? 0 : command->keys.last);
    (void) ngx_olivine_reply_integer(r, counted ? 0 : command->keys.step);

    ngx_olivine_command_bits(r, ngx_olivine_command_categories,
                             command->categories);
    ngx_olivine_command_tips(r, command->tips);
    ngx_olivine_command_specs(r, command);
    ngx_olivine_command_subcommands(r, command);
}


void
ngx_olivine_cmd_command_key_flags(ngx_olivine_reply_t *r, ngx_uint_t flags)
{
    ngx_olivine_command_bits(r, ngx_olivine_command_keys_flags, flags);
}


static void
ngx_olivine_command_bits(ngx_olivine_reply_t *r,
    const ngx_olivine_command_bit_t *names, ngx_uint_t bits)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; names[i].bit; i++) {
        n += ((names[i].bit & bits) != 0);
    }

    (void) ngx_olivine_reply_set(r, n);

    for (i = 0; names[i].bit; i++) {
        if (names[i].bit & bits) {
            (void) ngx_olivine_reply_simple(r, names[i].name.data,
                                            names[i].name.len);
        }
    }
}


static void
ngx_olivine_command_tips(ngx_olivine_reply_t *r, const char *tips)
{
    u_char      *p, *last, *end;
    ngx_uint_t   n;

    if (tips == NULL) {
        (void) ngx_olivine_reply_set(r, 0);
        return;
    }

    last = (u_char *) tips + ngx_strlen(tips);
    n = 1;

    for (p = (u_char *) tips; p < last; p++) {
        n += (*p == ' ');
    }

    (void) ngx_olivine_reply_set(r, n);

    for (p = (u_char *) tips; p < last; p = end + 1) {

        end = ngx_strlchr(p, last, ' ');
        if (end == NULL) {
            end = last;
        }

        (void) ngx_olivine_reply_bulk(r, p, end - p);
    }
}


/* Keys from an index on, in steps, or two of them, or as many as are said. */

static void
ngx_olivine_command_specs(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command)
{
    ngx_int_t   last;
    ngx_uint_t  flags, second;

    if (command->keys.first == 0) {
        (void) ngx_olivine_reply_set(r, 0);
        return;
    }

    flags = command->keys.flags & NGX_OLIVINE_KEY_FIRST;
    second = command->keys.flags >> 16;
    last = command->keys.last;

    if (last >= 0) {
        last -= command->keys.first;
    }

    if (second == 0) {
        (void) ngx_olivine_reply_set(r, 1);
        ngx_olivine_command_spec(r, command, flags, command->keys.first, last);
        return;
    }

    (void) ngx_olivine_reply_set(r, 2);
    ngx_olivine_command_spec(r, command, flags, command->keys.first, 0);
    ngx_olivine_command_spec(r, command, second, command->keys.last, 0);
}


static void
ngx_olivine_command_spec(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command, ngx_uint_t flags, ngx_int_t first,
    ngx_int_t last)
{
    (void) ngx_olivine_reply_map(r, command->keys.notes ? 4 : 3);

    if (command->keys.notes) {
        ngx_olivine_command_word(r, "notes");
        ngx_olivine_command_word(r, command->keys.notes);
    }

    ngx_olivine_command_word(r, "flags");
    ngx_olivine_command_bits(r, ngx_olivine_command_keys_flags, flags);

    ngx_olivine_command_word(r, "begin_search");
    (void) ngx_olivine_reply_map(r, 2);
    ngx_olivine_command_word(r, "type");
    ngx_olivine_command_word(r, "index");
    ngx_olivine_command_word(r, "spec");
    (void) ngx_olivine_reply_map(r, 1);
    ngx_olivine_command_word(r, "index");
    (void) ngx_olivine_reply_integer(r, first);

    ngx_olivine_command_word(r, "find_keys");
    (void) ngx_olivine_reply_map(r, 2);
    ngx_olivine_command_word(r, "type");

    if (flags & NGX_OLIVINE_KEY_NUMBER) {
        ngx_olivine_command_word(r, "keynum");
        ngx_olivine_command_word(r, "spec");
        (void) ngx_olivine_reply_map(r, 3);
        ngx_olivine_command_word(r, "keynumidx");
        (void) ngx_olivine_reply_integer(r, 0);
        ngx_olivine_command_word(r, "firstkey");
        (void) ngx_olivine_reply_integer(r, 1);
        ngx_olivine_command_word(r, "keystep");
        (void) ngx_olivine_reply_integer(r, command->keys.step);
        return;
    }

    ngx_olivine_command_word(r, "range");
    ngx_olivine_command_word(r, "spec");
    (void) ngx_olivine_reply_map(r, 3);
    ngx_olivine_command_word(r, "lastkey");
    (void) ngx_olivine_reply_integer(r, last);
    ngx_olivine_command_word(r, "keystep");
    (void) ngx_olivine_reply_integer(r, command->keys.step);
    ngx_olivine_command_word(r, "limit");
    (void) ngx_olivine_reply_integer(r, 0);
}


static void
ngx_olivine_command_subcommands(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command)
{
    const ngx_olivine_command_t  *sub;

    /* in RESP3 Redis has an array of some, and a set of none */

    if (command->subcommands == NULL) {
        (void) ngx_olivine_reply_set(r, 0);
        return;
    }

    (void) ngx_olivine_reply_array(r,
                          ngx_olivine_cmd_command_rows(command->subcommands));

    for (sub = command->subcommands; sub->name.len; sub++) {
        ngx_olivine_cmd_command_row(r, sub);
    }
}


static void
ngx_olivine_command_word(ngx_olivine_reply_t *r, const char *word)
{
    (void) ngx_olivine_reply_bulk(r, (u_char *) word, ngx_strlen(word));
}


ngx_uint_t
ngx_olivine_cmd_command_rows(const ngx_olivine_command_t *row)
{
    ngx_uint_t  n;

    for (n = 0; row[n].name.len; n++) { /* void */ }

    return n;
}


ngx_uint_t
ngx_olivine_cmd_command_category(ngx_str_t *name)
{
    ngx_uint_t                        i;
    const ngx_olivine_command_bit_t  *category;

    for (i = 0; ngx_olivine_command_categories[i].bit; i++) {

        category = &ngx_olivine_command_categories[i];

        if (category->name.len == name->len
            && ngx_strncasecmp((u_char *) category->name.data, name->data,
                               name->len) == 0)
        {
            return category->bit;
        }
    }

    return 0;
}
