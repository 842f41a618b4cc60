
/*
 * Copyright (C) The Olivine authors
 *
 * All commands, by family.  Arity, flags, categories, keys and tips are those
 * of Redis 8.0, or of the release that has the command: COMMAND INFO prints
 * them.
 *
 *     name, handler, arity
 *     flags
 *     ACL categories
 *     keys: first, last, step, what is done with them, a note of Redis
 *     tips to clients
 *     since which Redis, what it does, subcommands
 */


#include "command/ngx_olivine_cmd.h"


const ngx_olivine_command_t  ngx_olivine_commands[] = {

    /* strings */

    { ngx_string("set"), ngx_olivine_cmd_set, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE
        |NGX_OLIVINE_KEY_VARIABLE,
        "RW and ACCESS due to the optional `GET` argument" },
      NULL,
      "1.0.0", "stores a string under a key, if conditions hold, for a time",
      NULL },

    { ngx_string("get"), ngx_olivine_cmd_get, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      NULL,
      "1.0.0", "returns the string that a key holds", NULL },

    { ngx_string("mget"), ngx_olivine_cmd_mget, -2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, -1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      "request_policy:multi_shard",
      "1.0.0", "returns the strings that several keys hold", NULL },

    { ngx_string("mset"), ngx_olivine_cmd_mset, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, -1, 2, NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE, NULL },
      "request_policy:multi_shard response_policy:all_succeeded",
      "1.0.1", "stores strings under several keys at once", NULL },

    { ngx_string("getdel"), ngx_olivine_cmd_getdel, 2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_DELETE,
        NULL },
      NULL,
      "6.2.0", "returns the string that a key holds, and removes the key",
      NULL },

    { ngx_string("getex"), ngx_olivine_cmd_getex, -2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        "RW and UPDATE because it changes the TTL" },
      NULL,
      "6.2.0", "returns the string that a key holds, and sets its expiry",
      NULL },

    { ngx_string("incr"), ngx_olivine_cmd_incr, 2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "1.0.0", "adds one to the number that a key holds", NULL },

    { ngx_string("decr"), ngx_olivine_cmd_decr, 2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "1.0.0", "takes one from the number that a key holds", NULL },

    { ngx_string("incrby"), ngx_olivine_cmd_incrby, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "1.0.0", "adds to the number that a key holds", NULL },

    { ngx_string("decrby"), ngx_olivine_cmd_decrby, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "1.0.0", "takes from the number that a key holds", NULL },

    { ngx_string("append"), ngx_olivine_cmd_append, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_INSERT, NULL },
      NULL,
      "2.0.0", "adds bytes to the end of a string", NULL },

    { ngx_string("strlen"), ngx_olivine_cmd_strlen, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO, NULL },
      NULL,
      "2.2.0", "returns the length of a string", NULL },

    { ngx_string("incrbyfloat"), ngx_olivine_cmd_incrbyfloat, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "2.6.0", "adds to the number that a key holds, which may have a fraction",
      NULL },

    { ngx_string("increx"), ngx_olivine_cmd_increx, -2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "8.8.0", "adds to a number within bounds, and sets its expiry", NULL },

    { ngx_string("setnx"), ngx_olivine_cmd_setnx, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_INSERT, NULL },
      NULL,
      "1.0.0", "stores a string under a key that is not there yet", NULL },

    { ngx_string("setex"), ngx_olivine_cmd_setex, 4,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 1, 1, NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "2.0.0", "stores a string under a key for some seconds", NULL },

    { ngx_string("psetex"), ngx_olivine_cmd_psetex, 4,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 1, 1, NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "2.6.0", "stores a string under a key for some milliseconds", NULL },

    { ngx_string("getset"), ngx_olivine_cmd_getset, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "1.0.0", "stores a string under a key, and returns the one before",
      NULL },

    { ngx_string("getrange"), ngx_olivine_cmd_getrange, 4,
      NGX_OLIVINE_CMD_READONLY,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      NULL,
      "2.4.0", "returns a part of a string", NULL },

    { ngx_string("substr"), ngx_olivine_cmd_getrange, 4,
      NGX_OLIVINE_CMD_READONLY,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      NULL,
      "1.0.0", "returns a part of a string: the older name of getrange",
      NULL },

    { ngx_string("setrange"), ngx_olivine_cmd_setrange, 4,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 1, 1, NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "2.2.0", "writes over a part of a string", NULL },

    { ngx_string("msetnx"), ngx_olivine_cmd_msetnx, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, -1, 2, NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_INSERT, NULL },
      NULL,
      "1.0.1", "stores strings under several keys, if none is there yet",
      NULL },

    { ngx_string("msetex"), ngx_olivine_cmd_msetex, -4,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_MOVABLE,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 0, 2,
        NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE|NGX_OLIVINE_KEY_NUMBER,
        NULL },
      "request_policy:multi_shard response_policy:all_succeeded",
      "8.4.0", "stores strings under keys, if conditions hold, for a time",
      NULL },

    { ngx_string("lcs"), ngx_olivine_cmd_lcs, -3,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_UNLOCKED,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_SLOW,
      { 1, 2, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      NULL,
      "7.0.0", "returns the longest common subsequence of two strings", NULL },

    { ngx_string("digest"), ngx_olivine_cmd_digest, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      NULL,
      "8.4.0", "returns a hash of a string, as sixteen hexadecimal digits",
      NULL },

    { ngx_string("delex"), ngx_olivine_cmd_delex, -2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_DELETE|NGX_OLIVINE_KEY_VARIABLE,
        NULL },
      NULL,
      "8.4.0", "removes a key if its string, or the digest, is the one given",
      NULL },

    { ngx_string("delifeq"), ngx_olivine_cmd_delifeq, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_STRING|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RM|NGX_OLIVINE_KEY_DELETE, NULL },
      NULL,
      "9.0.0", "removes a key if it holds the string given; since Valkey 9.0",
      NULL },

    /* keys */

    { ngx_string("del"), ngx_olivine_cmd_del, -2,
      NGX_OLIVINE_CMD_WRITE,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_SLOW,
      { 1, -1, 1, NGX_OLIVINE_KEY_RM|NGX_OLIVINE_KEY_DELETE, NULL },
      "request_policy:multi_shard response_policy:agg_sum",
      "1.0.0", "removes keys", NULL },

    { ngx_string("unlink"), ngx_olivine_cmd_del, -2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, -1, 1, NGX_OLIVINE_KEY_RM|NGX_OLIVINE_KEY_DELETE, NULL },
      "request_policy:multi_shard response_policy:agg_sum",
      "4.0.0", "removes keys; their memory is freed later", NULL },

    { ngx_string("exists"), ngx_olivine_cmd_exists, -2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 1, -1, 1, NGX_OLIVINE_KEY_RO, NULL },
      "request_policy:multi_shard response_policy:agg_sum",
      "1.0.0", "returns how many of the keys there are", NULL },

    { ngx_string("touch"), ngx_olivine_cmd_exists, -2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 1, -1, 1, NGX_OLIVINE_KEY_RO, NULL },
      "request_policy:multi_shard response_policy:agg_sum",
      "3.2.1", "counts as a use of the keys; returns how many there are",
      NULL },

    { ngx_string("rename"), ngx_olivine_cmd_rename, 3,
      NGX_OLIVINE_CMD_WRITE,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_SLOW,
      { 1, 2, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_DELETE
        |NGX_OLIVINE_KEY_SECOND(NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE),
        NULL },
      NULL,
      "1.0.0", "gives a key another name, also that of a key that is there",
      NULL },

    { ngx_string("renamenx"), ngx_olivine_cmd_renamenx, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, 2, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_DELETE
        |NGX_OLIVINE_KEY_SECOND(NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_INSERT),
        NULL },
      NULL,
      "1.0.0", "gives a key another name that no key has", NULL },

    { ngx_string("move"), ngx_olivine_cmd_move, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1,
        NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_ACCESS|NGX_OLIVINE_KEY_UPDATE,
        NULL },
      NULL,
      "1.0.0", "takes a key to another database", NULL },

    { ngx_string("copy"), ngx_olivine_cmd_copy, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_SLOW,
      { 1, 2, 1,
        NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS
        |NGX_OLIVINE_KEY_SECOND(NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE),
        NULL },
      NULL,
      "6.2.0", "copies what a key holds to another key or database", NULL },

    { ngx_string("dump"), ngx_olivine_cmd_dump, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_UNLOCKED,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      "nondeterministic_output",
      "2.6.0", "returns what a key holds, to be restored elsewhere", NULL },

    { ngx_string("restore"), ngx_olivine_cmd_restore, -4,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_DENYOOM|NGX_OLIVINE_CMD_UNLOCKED,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_SLOW
      |NGX_OLIVINE_CAT_DANGEROUS,
      { 1, 1, 1, NGX_OLIVINE_KEY_OW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "2.6.0", "makes a key of what another was dumped to", NULL },

    { ngx_string("object"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.2.3", "commands about how values are kept",
      ngx_olivine_object_rows },

    { ngx_string("type"), ngx_olivine_cmd_type, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO, NULL },
      NULL,
      "1.0.0", "returns the type of what a key holds", NULL },

    { ngx_string("randomkey"), ngx_olivine_cmd_randomkey, 1,
      NGX_OLIVINE_CMD_READONLY,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_shards "
      "response_policy:special nondeterministic_output",
      "1.0.0", "returns a key by chance", NULL },

    { ngx_string("keys"), ngx_olivine_cmd_keys, 2,
      NGX_OLIVINE_CMD_READONLY,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW
      |NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_shards nondeterministic_output_order",
      "1.0.0", "returns all keys that match a pattern", NULL },

    { ngx_string("scan"), ngx_olivine_cmd_scan, -2,
      NGX_OLIVINE_CMD_READONLY,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output request_policy:special response_policy:special",
      "2.8.0", "returns some keys, and where to go on", NULL },

    /* expiry */

    { ngx_string("expire"), ngx_olivine_cmd_expire, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "1.0.0", "lets a key expire after seconds", NULL },

    { ngx_string("pexpire"), ngx_olivine_cmd_pexpire, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "2.6.0", "lets a key expire after milliseconds", NULL },

    { ngx_string("expireat"), ngx_olivine_cmd_expireat, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "1.2.0", "lets a key expire at a time in seconds", NULL },

    { ngx_string("pexpireat"), ngx_olivine_cmd_pexpireat, -3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "2.6.0", "lets a key expire at a time in milliseconds", NULL },

    { ngx_string("ttl"), ngx_olivine_cmd_ttl, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      "nondeterministic_output",
      "1.0.0", "returns the seconds that a key has left", NULL },

    { ngx_string("pttl"), ngx_olivine_cmd_pttl, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      "nondeterministic_output",
      "2.6.0", "returns the milliseconds that a key has left", NULL },

    { ngx_string("expiretime"), ngx_olivine_cmd_expiretime, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      NULL,
      "7.0.0", "returns when a key expires, in seconds", NULL },

    { ngx_string("pexpiretime"), ngx_olivine_cmd_pexpiretime, 2,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_TOUCH,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RO|NGX_OLIVINE_KEY_ACCESS, NULL },
      NULL,
      "7.0.0", "returns when a key expires, in milliseconds", NULL },

    { ngx_string("persist"), ngx_olivine_cmd_persist, 2,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST,
      { 1, 1, 1, NGX_OLIVINE_KEY_RW|NGX_OLIVINE_KEY_UPDATE, NULL },
      NULL,
      "2.2.0", "lets a key no longer expire", NULL },

    /* connection */

    { ngx_string("ping"), ngx_olivine_cmd_ping, -1,
      NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_shards response_policy:all_succeeded",
      "1.0.0", "answers, to show that the server lives", NULL },

    { ngx_string("echo"), ngx_olivine_cmd_echo, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "answers with its argument", NULL },

    { ngx_string("select"), ngx_olivine_cmd_select, 2,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "chooses a database", NULL },

    { ngx_string("hello"), ngx_olivine_cmd_hello, -1,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_AUTH|NGX_OLIVINE_CMD_ALLOW_BUSY,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "6.0.0", "chooses the protocol, and may authenticate", NULL },

    { ngx_string("auth"), ngx_olivine_cmd_auth, -2,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_AUTH|NGX_OLIVINE_CMD_ALLOW_BUSY,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "authenticates the connection", NULL },

    { ngx_string("quit"), ngx_olivine_cmd_quit, -1,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_AUTH|NGX_OLIVINE_CMD_ALLOW_BUSY
      |NGX_OLIVINE_CMD_AT_ONCE,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "closes the connection", NULL },

    { ngx_string("reset"), ngx_olivine_cmd_reset, 1,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_NO_AUTH|NGX_OLIVINE_CMD_ALLOW_BUSY
      |NGX_OLIVINE_CMD_AT_ONCE,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "6.2.0", "makes the connection as it was when it began", NULL },

    { ngx_string("client"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.4.0", "commands about client connections", ngx_olivine_client_rows },

    /* transaction */

    { ngx_string("multi"), ngx_olivine_cmd_multi, 1,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_ALLOW_BUSY
      |NGX_OLIVINE_CMD_AT_ONCE,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_TRANSACTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.2.0", "begins a transaction: commands are queued", NULL },

    { ngx_string("exec"), ngx_olivine_cmd_exec, 1,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_SKIP_SLOWLOG|NGX_OLIVINE_CMD_AT_ONCE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_TRANSACTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.2.0", "runs the queued commands, all at one moment", NULL },

    { ngx_string("discard"), ngx_olivine_cmd_discard, 1,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_ALLOW_BUSY
      |NGX_OLIVINE_CMD_AT_ONCE,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_TRANSACTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.0.0", "forgets the queued commands", NULL },

    { ngx_string("watch"), ngx_olivine_cmd_watch, -2,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_ALLOW_BUSY
      |NGX_OLIVINE_CMD_AT_ONCE,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_TRANSACTION,
      { 1, -1, 1, NGX_OLIVINE_KEY_RO, NULL },
      NULL,
      "2.2.0", "has the next EXEC fail if one of the keys changes", NULL },

    { ngx_string("unwatch"), ngx_olivine_cmd_unwatch, 1,
      NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_FAST|NGX_OLIVINE_CMD_ALLOW_BUSY,
      NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_TRANSACTION,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.2.0", "watches no key any more", NULL },

    /* server */

    { ngx_string("dbsize"), ngx_olivine_cmd_dbsize, 1,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_shards response_policy:agg_sum",
      "1.0.0", "returns the number of keys of the database", NULL },

    { ngx_string("flushdb"), ngx_olivine_cmd_flushdb, -1,
      NGX_OLIVINE_CMD_WRITE,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_SLOW
      |NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_shards response_policy:all_succeeded",
      "1.0.0", "removes all keys of the database", NULL },

    { ngx_string("flushall"), ngx_olivine_cmd_flushall, -1,
      NGX_OLIVINE_CMD_WRITE,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_SLOW
      |NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "request_policy:all_shards response_policy:all_succeeded",
      "1.0.0", "removes all keys of all databases", NULL },

    { ngx_string("swapdb"), ngx_olivine_cmd_swapdb, 3,
      NGX_OLIVINE_CMD_WRITE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_KEYSPACE|NGX_OLIVINE_CAT_WRITE|NGX_OLIVINE_CAT_FAST
      |NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "4.0.0", "exchanges two databases", NULL },

    { ngx_string("shutdown"), ngx_olivine_cmd_shutdown, -1,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE
      |NGX_OLIVINE_CMD_NO_MULTI|NGX_OLIVINE_CMD_ALLOW_BUSY,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "ends the server", NULL },

    { ngx_string("save"), ngx_olivine_cmd_save, 1,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_NO_ASYNC|NGX_OLIVINE_CMD_NO_MULTI,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "writes a snapshot, and answers when it is there", NULL },

    { ngx_string("bgsave"), ngx_olivine_cmd_bgsave, -1,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_NO_ASYNC,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "begins to write a snapshot", NULL },

    { ngx_string("bgrewriteaof"), ngx_olivine_cmd_bgrewriteaof, 1,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT
      |NGX_OLIVINE_CMD_NO_ASYNC,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "begins to write the append-only file anew", NULL },

    { ngx_string("lastsave"), ngx_olivine_cmd_lastsave, 1,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_FAST|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output",
      "1.0.0", "returns the time of the last snapshot", NULL },

    { ngx_string("time"), ngx_olivine_cmd_time, 1,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_FAST,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output",
      "2.6.0", "returns the time of the server", NULL },

    { ngx_string("info"), ngx_olivine_cmd_info, -1,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output "
      "request_policy:all_shards response_policy:special",
      "1.0.0", "returns what the server knows of itself", NULL },

    { ngx_string("lolwut"), ngx_olivine_cmd_lolwut, -1,
      NGX_OLIVINE_CMD_READONLY|NGX_OLIVINE_CMD_FAST,
      NGX_OLIVINE_CAT_READ|NGX_OLIVINE_CAT_FAST,
      { 0, 0, 0, 0, NULL },
      NULL,
      "5.0.0", "draws something, and tells the version", NULL },

    { ngx_string("command"), ngx_olivine_cmd_command, -1,
      NGX_OLIVINE_CMD_LOADING|NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_CONNECTION,
      { 0, 0, 0, 0, NULL },
      "nondeterministic_output_order",
      "2.8.13", "returns what is known of commands",
      ngx_olivine_command_rows },

    { ngx_string("config"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.0.0", "commands about the running parameters",
      ngx_olivine_config_rows },

    { ngx_string("memory"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "4.0.0", "commands about memory", ngx_olivine_memory_rows },

    { ngx_string("slowlog"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.2.12", "commands about the slow log", ngx_olivine_slowlog_rows },

    { ngx_string("commandlog"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.1.0", "commands about the logs of commands; since Valkey 8.1",
      ngx_olivine_commandlog_rows },

    { ngx_string("monitor"), ngx_olivine_cmd_monitor, 1,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "shows the client what all clients do", NULL },

    { ngx_string("hotkeys"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "8.6.0", "commands about keys that are hot", ngx_olivine_hotkeys_rows },

    { ngx_string("latency"), NULL, -2,
      0,
      NGX_OLIVINE_CAT_SLOW,
      { 0, 0, 0, 0, NULL },
      NULL,
      "2.8.13", "commands about the latency monitor",
      ngx_olivine_latency_rows },

    { ngx_string("debug"), ngx_olivine_cmd_debug, -2,
      NGX_OLIVINE_CMD_ADMIN|NGX_OLIVINE_CMD_NOSCRIPT|NGX_OLIVINE_CMD_LOADING
      |NGX_OLIVINE_CMD_STALE,
      NGX_OLIVINE_CAT_ADMIN|NGX_OLIVINE_CAT_SLOW|NGX_OLIVINE_CAT_DANGEROUS,
      { 0, 0, 0, 0, NULL },
      NULL,
      "1.0.0", "what tests and developers ask", NULL },

    { ngx_null_string, NULL, 0, 0, 0, { 0, 0, 0, 0, NULL }, NULL, NULL, NULL,
      NULL }
};
