
/*
 * Copyright (C) The Olivine authors
 *
 * The handlers of all commands, and what several families share.
 */


#ifndef _NGX_OLIVINE_CMD_H_INCLUDED_
#define _NGX_OLIVINE_CMD_H_INCLUDED_


#include "command/ngx_olivine_command.h"
#include "command/ngx_olivine_buffer.h"


/* string */
ngx_int_t ngx_olivine_cmd_set(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_getex(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_get(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_mget(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_mset(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_getdel(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_append(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_strlen(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_incr(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_decr(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_incrby(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_decrby(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_incrbyfloat(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_increx(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_setnx(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_setex(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_psetex(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_getset(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_getrange(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_setrange(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_msetnx(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_msetex(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_delex(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_delifeq(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_digest(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_lcs(ngx_olivine_cx_t *cx);

/* key */
ngx_int_t ngx_olivine_cmd_del(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_exists(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_rename(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_renamenx(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_move(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_copy(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_swapdb(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_dump(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_restore(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_object_encoding(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_object_freq(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_object_idletime(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_object_refcount(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_type(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_randomkey(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_dbsize(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_flushdb(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_flushall(ngx_olivine_cx_t *cx);

/* expire */
ngx_int_t ngx_olivine_cmd_expire(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_pexpire(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_expireat(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_pexpireat(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_ttl(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_pttl(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_expiretime(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_pexpiretime(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_persist(ngx_olivine_cx_t *cx);

/* scan */
ngx_int_t ngx_olivine_cmd_keys(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_scan(ngx_olivine_cx_t *cx);

/* transaction */
ngx_int_t ngx_olivine_cmd_multi(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_exec(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_discard(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_watch(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_unwatch(ngx_olivine_cx_t *cx);

/* connection */
ngx_int_t ngx_olivine_cmd_ping(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_echo(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_select(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_auth(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_hello(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_quit(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_reset(ngx_olivine_cx_t *cx);

/* client */
ngx_int_t ngx_olivine_cmd_client_id(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_getname(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_setname(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_setinfo(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_info(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_list(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_kill(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_pause(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_unpause(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_reply(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_no_evict(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_no_touch(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_getredir(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_trackinginfo(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_client_unblock(ngx_olivine_cx_t *cx);

/* command */
ngx_int_t ngx_olivine_cmd_command(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_command_count(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_command_info(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_command_docs(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_command_getkeys(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_command_getkeysandflags(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_command_list(ngx_olivine_cx_t *cx);

/* The bit of an ACL category, "@read"; 0: there is none of that name. */
ngx_uint_t ngx_olivine_cmd_command_category(ngx_str_t *name);
ngx_int_t ngx_olivine_cmd_help(ngx_olivine_cx_t *cx);

/* server */
ngx_int_t ngx_olivine_cmd_config_get(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_config_set(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_config_rewrite(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_config_resetstat(ngx_olivine_cx_t *cx);

/*
 * Part of a command, for ngx_olivine_cx_in_zone(): locks the running
 * parameters, and copies them to data.
 */
ngx_int_t ngx_olivine_config_read(ngx_olivine_cx_t *cx,
    ngx_olivine_shard_t *shard, void *data);

ngx_int_t ngx_olivine_cmd_info(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_monitor(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_time(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_lolwut(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_debug(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_shutdown(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_save(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_bgsave(ngx_olivine_cx_t *cx);

/*
 * Has a snapshot written and waits for it.  OK; DECLINED: it failed; AGAIN: it
 * is under way, run again; ERROR.
 */
ngx_int_t ngx_olivine_cmd_save_wait(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_bgrewriteaof(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_lastsave(ngx_olivine_cx_t *cx);

/* statistics */
ngx_int_t ngx_olivine_cmd_slowlog_get(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_slowlog_len(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_slowlog_reset(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_commandlog_get(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_commandlog_len(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_commandlog_reset(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_hotkeys_start(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_hotkeys_stop(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_hotkeys_get(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_hotkeys_reset(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_latency_latest(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_latency_history(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_latency_reset(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_latency_graph(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_latency_doctor(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_latency_histogram(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_memory_usage(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_memory_stats(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_memory_doctor(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_memory_purge(ngx_olivine_cx_t *cx);
ngx_int_t ngx_olivine_cmd_memory_malloc_stats(ngx_olivine_cx_t *cx);


/* Writes a row as COMMAND INFO has it; the words for flags of keys. */
void ngx_olivine_cmd_command_row(ngx_olivine_reply_t *r,
    const ngx_olivine_command_t *command);
void ngx_olivine_cmd_command_key_flags(ngx_olivine_reply_t *r,
    ngx_uint_t flags);

/* The number of rows up to the empty name. */
ngx_uint_t ngx_olivine_cmd_command_rows(const ngx_olivine_command_t *row);

/* The row of "get" or "client|id", or NULL. */
const ngx_olivine_command_t *ngx_olivine_cmd_command_named(
    ngx_olivine_cx_t *cx, ngx_str_t *name);

/* rows of subcommands */
extern const ngx_olivine_command_t  ngx_olivine_client_rows[];
extern const ngx_olivine_command_t  ngx_olivine_command_rows[];
extern const ngx_olivine_command_t  ngx_olivine_config_rows[];
extern const ngx_olivine_command_t  ngx_olivine_object_rows[];
extern const ngx_olivine_command_t  ngx_olivine_slowlog_rows[];
extern const ngx_olivine_command_t  ngx_olivine_commandlog_rows[];
extern const ngx_olivine_command_t  ngx_olivine_hotkeys_rows[];
extern const ngx_olivine_command_t  ngx_olivine_latency_rows[];
extern const ngx_olivine_command_t  ngx_olivine_memory_rows[];


/*
 * Texts that a client gives itself.  OK; DECLINED: blanks, or bytes that are
 * not printable ASCII.
 */
ngx_int_t ngx_olivine_cmd_client_text_check(ngx_str_t *text);

/* The error that it is longer than NGX_OLIVINE_BUS_TEXT.  Always ERROR. */
ngx_int_t ngx_olivine_cmd_client_text_long(ngx_olivine_cx_t *cx);

/* Replaces a text of the caller.  OK, AGAIN, ERROR. */
ngx_int_t ngx_olivine_cmd_client_text_set(ngx_olivine_cx_t *cx,
    ngx_olivine_bus_text_e which, ngx_str_t *text);


/* The database that argument arg names; ERROR with the error set. */
ngx_int_t ngx_olivine_cmd_db(ngx_olivine_cx_t *cx, ngx_uint_t arg,
    ngx_uint_t *db);


/* The effects of a key's end, and of its expiry set to a time. */

static ngx_inline void
ngx_olivine_cmd_effect_del(ngx_olivine_cx_t *cx, ngx_str_t *key)
{
    ngx_str_t  word = ngx_string("DEL");

    ngx_olivine_cx_effect(cx, 2, &word, key);
}


static ngx_inline void
ngx_olivine_cmd_effect_expire(ngx_olivine_cx_t *cx, ngx_str_t *key,
    int64_t at)
{
    u_char     text[NGX_OLIVINE_I64_LEN];
    ngx_str_t  ms, word = ngx_string("PEXPIREAT");

    ms.data = text;
    ms.len = ngx_olivine_number_print(text, at) - text;

    ngx_olivine_cx_effect(cx, 3, &word, key, &ms);
}


/* 1 if the entry is past its time: to a command it is not there. */

static ngx_inline ngx_uint_t
ngx_olivine_cmd_expired(ngx_olivine_entry_t *e, int64_t now)
{
    int64_t  at;

    at = ngx_olivine_entry_expire(e);

    return at != 0 && at <= now;
}


#endif /* _NGX_OLIVINE_CMD_H_INCLUDED_ */
