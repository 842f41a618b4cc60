
/*
 * Copyright (C) The Olivine authors
 *
 * INFO: sections of "field:value" lines, under the names that Redis gives
 * them.  A field that would not be true is left out.  All numbers are sums
 * over the workers, read from their slots without a lock.
 */


#include "command/ngx_olivine_info.h"

#include <sys/utsname.h>


#define NGX_OLIVINE_INFO_PATH   512

/* ticks of a worker in a second, at the least */
#define NGX_OLIVINE_INFO_HZ     10

/* which words a section answers to beside its name */
#define NGX_OLIVINE_INFO_DEFAULT     0x01
#define NGX_OLIVINE_INFO_ALL         0x02
#define NGX_OLIVINE_INFO_EVERYTHING  0x04

#define NGX_OLIVINE_INFO_ALWAYS                                               \
    (NGX_OLIVINE_INFO_DEFAULT|NGX_OLIVINE_INFO_ALL                            \
     |NGX_OLIVINE_INFO_EVERYTHING)


typedef struct {
    ngx_str_t                 name;
    const char               *title;
    void                    (*print)(ngx_olivine_info_t *info);
    ngx_uint_t                words;
} ngx_olivine_info_section_t;


static ngx_uint_t ngx_olivine_info_wants(ngx_olivine_cx_t *cx,
    const ngx_olivine_info_section_t *section);

static void ngx_olivine_info_server(ngx_olivine_info_t *info);
static void ngx_olivine_info_clients(ngx_olivine_info_t *info);
static void ngx_olivine_info_memory(ngx_olivine_info_t *info);
static void ngx_olivine_info_threads(ngx_olivine_info_t *info);
static void ngx_olivine_info_stats(ngx_olivine_info_t *info);
static void ngx_olivine_info_replication(ngx_olivine_info_t *info);
static void ngx_olivine_info_cpu(ngx_olivine_info_t *info);
static void ngx_olivine_info_modules(ngx_olivine_info_t *info);
static void ngx_olivine_info_cluster(ngx_olivine_info_t *info);
static void ngx_olivine_info_keyspace(ngx_olivine_info_t *info);
static void ngx_olivine_info_memory_others(ngx_olivine_info_t *info,
    ngx_olivine_usage_memory_t *memory);
static void ngx_olivine_info_errors(ngx_olivine_info_t *info);

static void ngx_olivine_info_bytes(ngx_olivine_info_t *info,
    const char *field, uint64_t bytes);
static ngx_uint_t ngx_olivine_info_port(ngx_str_t *addr);


static const ngx_olivine_info_section_t  ngx_olivine_info_sections[] = {

    { ngx_string("server"), "Server", ngx_olivine_info_server,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("clients"), "Clients", ngx_olivine_info_clients,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("memory"), "Memory", ngx_olivine_info_memory,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("persistence"), "Persistence", ngx_olivine_info_persistence,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("threads"), "Threads", ngx_olivine_info_threads,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("stats"), "Stats", ngx_olivine_info_stats,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("replication"), "Replication", ngx_olivine_info_replication,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("cpu"), "CPU", ngx_olivine_info_cpu,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("modules"), "Modules", ngx_olivine_info_modules,
      NGX_OLIVINE_INFO_DEFAULT|NGX_OLIVINE_INFO_EVERYTHING },

    { ngx_string("commandstats"), "Commandstats", ngx_olivine_info_commandstats,
      NGX_OLIVINE_INFO_ALL|NGX_OLIVINE_INFO_EVERYTHING },

    { ngx_string("errorstats"), "Errorstats", ngx_olivine_info_errorstats,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("latencystats"), "Latencystats", ngx_olivine_info_latencystats,
      NGX_OLIVINE_INFO_ALL|NGX_OLIVINE_INFO_EVERYTHING },

    { ngx_string("cluster"), "Cluster", ngx_olivine_info_cluster,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_string("keyspace"), "Keyspace", ngx_olivine_info_keyspace,
      NGX_OLIVINE_INFO_ALWAYS },

    { ngx_null_string, NULL, NULL, 0 }
};


ngx_int_t
ngx_olivine_cmd_info(ngx_olivine_cx_t *cx)
{
    ngx_int_t                          rc;
    ngx_olivine_info_t                 info;
    const ngx_olivine_info_section_t  *section;

    ngx_memzero(&info, sizeof(ngx_olivine_info_t));

    info.cx = cx;

    ngx_olivine_usage_sums(cx->zone, cx->tx->slot->cycle, &info.sums);

    for (section = ngx_olivine_info_sections; section->name.len; section++) {

        if (!ngx_olivine_info_wants(cx, section)) {
            continue;
        }

        ngx_olivine_buffer_print(&info.b, "%s# %s" CRLF,
                                 info.b.len ? CRLF : "", section->title);
        section->print(&info);
    }

    /* none may be wanted */

    (void) ngx_olivine_buffer_room(&info.b, 1);

    rc = info.b.failed ? NGX_ERROR
                       : ngx_olivine_reply_verbatim(cx->reply, "txt",
                                                    info.b.data, info.b.len);

    ngx_olivine_buffer_free(&info.b);

    return rc;
}


static ngx_uint_t
ngx_olivine_info_wants(ngx_olivine_cx_t *cx,
    const ngx_olivine_info_section_t *section)
{
    ngx_uint_t  i;

    if (cx->argc == 1) {
        return section->words & NGX_OLIVINE_INFO_DEFAULT;
    }

    for (i = 1; i < cx->argc; i++) {

        if (ngx_olivine_cx_is(cx, i, (const char *) section->name.data)
            || (section->words & NGX_OLIVINE_INFO_DEFAULT
                && ngx_olivine_cx_is(cx, i, "default"))
            || (section->words & NGX_OLIVINE_INFO_ALL
                && ngx_olivine_cx_is(cx, i, "all"))
            || (section->words & NGX_OLIVINE_INFO_EVERYTHING
                && ngx_olivine_cx_is(cx, i, "everything")))
        {
            return 1;
        }
    }

    return 0;
}


static void
ngx_olivine_info_server(ngx_olivine_info_t *info)
{
    u_char                 id[NGX_OLIVINE_INFO_ID];
    u_char                 buf[NGX_OLIVINE_BUS_TEXT];
    char                   path[NGX_OLIVINE_INFO_PATH];
    int64_t                seconds;
    ssize_t                n;
    ngx_str_t              laddr, file;
    struct utsname         os;
    ngx_olivine_cx_t      *cx;
    ngx_olivine_buffer_t  *b;

    cx = info->cx;
    b = &info->b;

    ngx_olivine_bus_get(cx->zone, cx->caller->row, NGX_OLIVINE_BUS_LADDR,
                        &laddr, buf);

    if (uname(&os) == -1) {
        ngx_memzero(&os, sizeof(struct utsname));
    }

    ngx_olivine_info_id(info->cx->zone, "run", id);
    seconds = ngx_max((cx->now - cx->zone->started) / 1000, 0);

    ngx_olivine_buffer_print(b,
                             "redis_version:" NGX_OLIVINE_REDIS_VERSION CRLF
                             "redis_git_sha1:00000000" CRLF
                             "redis_git_dirty:0" CRLF
                             "server_name:olivine" CRLF
                             "olivine_version:" NGX_OLIVINE_VERSION CRLF
                             "redis_mode:standalone" CRLF
                             "os:%s %s %s" CRLF
                             "arch_bits:%d" CRLF
                             "monotonic_clock:%s" CRLF
                             "multiplexing_api:epoll" CRLF
                             "atomicvar_api:c11-builtin" CRLF
                             "gcc_version:%d.%d.%d" CRLF,
                             os.sysname, os.release, os.machine,
                             (int) sizeof(void *) * 8,
                             ngx_olivine_clock.counter
                             ? "the processor's counter"
                             : "POSIX clock_gettime",
                             __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);

    n = readlink("/proc/self/exe", path, sizeof(path));

    file.len = cx->zone->params.config_file.len;
    file.data = cx->zone->params.config_file.data;

    /* in a worker, the master is whom signals go to */

    ngx_olivine_buffer_print(b,
                             "process_id:%P" CRLF
                             "process_supervised:no" CRLF
                             "run_id:%*s" CRLF
                             "tcp_port:%ui" CRLF
                             "server_time_usec:%L" CRLF
                             "uptime_in_seconds:%L" CRLF
                             "uptime_in_days:%L" CRLF
                             "hz:%d" CRLF
                             "configured_hz:%L" CRLF
                             "lru_clock:%uD" CRLF
                             "executable:%*s" CRLF
                             "config_file:%V" CRLF
                             "workers:%uL" CRLF
                             "io_threads_active:0" CRLF,
                             ngx_process == NGX_PROCESS_WORKER ? ngx_parent
                                                               : ngx_pid,
                             (size_t) NGX_OLIVINE_INFO_ID, id,
                             ngx_olivine_info_port(&laddr),
                             cx->now_us, seconds, seconds / 86400,
                             NGX_OLIVINE_INFO_HZ, cx->zone->params.hz,
                             cx->clock, (size_t) ngx_max(n, 0), path, &file,
                             info->sums.workers);
}


static void
ngx_olivine_info_clients(ngx_olivine_info_t *info)
{
    ngx_olivine_usage_sums_t  *sums;

    sums = &info->sums;

    ngx_olivine_buffer_print(&info->b,
                             "connected_clients:%uL" CRLF
                             "cluster_connections:0" CRLF
                             "maxclients:%L" CRLF
                             "blocked_clients:%uL" CRLF
                             "tracking_clients:0" CRLF
                             "pubsub_clients:0" CRLF
                             "watching_clients:%uL" CRLF
                             "clients_in_timeout_table:0" CRLF
                             "total_watched_keys:%uL" CRLF
                             "total_blocking_keys:0" CRLF
                             "total_blocking_keys_on_nokey:0" CRLF,
                             sums->clients,
                             info->cx->zone->params.maxclients,
                             sums->blocked, sums->watching, sums->watched);
}


static void
ngx_olivine_info_memory(ngx_olivine_info_t *info)
{
    size_t                       net;
    u_char                       policy[NGX_OLIVINE_PARAM_PRINT], *p;
    ngx_olivine_zone_t          *zone;
    ngx_olivine_buffer_t        *b;
    const ngx_olivine_param_t   *row;
    ngx_olivine_usage_memory_t   memory;

    zone = info->cx->zone;
    b = &info->b;

    ngx_olivine_usage_memory(zone, &memory);
    net = memory.used - ngx_min(memory.startup, memory.used);

    ngx_olivine_info_bytes(info, "used_memory", memory.used);
    ngx_olivine_info_bytes(info, "used_memory_rss", memory.rss);
    ngx_olivine_info_bytes(info, "used_memory_peak", zone->peak);

    ngx_olivine_buffer_print(b,
                             "used_memory_peak_perc:%.2f%%" CRLF
                             "used_memory_overhead:%uz" CRLF
                             "used_memory_startup:%uz" CRLF
                             "used_memory_dataset:%uz" CRLF
                             "used_memory_dataset_perc:%.2f%%" CRLF
                             "allocator_allocated:%uz" CRLF
                             "allocator_active:%uz" CRLF
                             "allocator_resident:%uz" CRLF
                             "allocator_muzzy:0" CRLF,
                             100.0 * memory.used / ngx_max(zone->peak, 1),
                             memory.used - memory.dataset, memory.startup,
                             memory.dataset,
                             100.0 * memory.dataset / ngx_max(net, 1),
                             memory.allocated, memory.active,
                             memory.resident);

    ngx_olivine_info_bytes(info, "total_system_memory",
                           (uint64_t) sysconf(_SC_PHYS_PAGES)
                           * sysconf(_SC_PAGESIZE));
    /* there are no scripts */

    ngx_olivine_buffer_print(b, "used_memory_vm_eval:0" CRLF);
    ngx_olivine_info_bytes(info, "used_memory_lua", 0);
    ngx_olivine_buffer_print(b,
                             "used_memory_scripts_eval:0" CRLF
                             "number_of_cached_scripts:0" CRLF
                             "number_of_functions:0" CRLF
                             "number_of_libraries:0" CRLF
                             "used_memory_vm_functions:0" CRLF);
    ngx_olivine_info_bytes(info, "used_memory_vm_total", 0);
    ngx_olivine_buffer_print(b, "used_memory_functions:0" CRLF);
    ngx_olivine_info_bytes(info, "used_memory_scripts", 0);
    ngx_olivine_info_bytes(info, "maxmemory", zone->params.maxmemory);

    row = ngx_olivine_params_find((u_char *) "maxmemory-policy",
                                  sizeof("maxmemory-policy") - 1);
    p = ngx_olivine_params_print(&zone->params, row, policy,
                                 policy + sizeof(policy));

    ngx_olivine_buffer_print(b, "maxmemory_policy:%*s" CRLF,
                             (size_t) (p - policy), policy);

    ngx_olivine_info_memory_others(info, &memory);
}


static void
ngx_olivine_info_memory_others(ngx_olivine_info_t *info,
    ngx_olivine_usage_memory_t *memory)
{
    ngx_olivine_zone_t    *zone;
    ngx_olivine_buffer_t  *b;

    zone = info->cx->zone;
    b = &info->b;

    ngx_olivine_buffer_print(b,
                             "allocator_frag_ratio:%.2f" CRLF
                             "allocator_frag_bytes:%uz" CRLF
                             "allocator_rss_ratio:%.2f" CRLF
                             "allocator_rss_bytes:%uz" CRLF
                             "rss_overhead_ratio:%.2f" CRLF
                             "rss_overhead_bytes:%uz" CRLF
                             "mem_fragmentation_ratio:%.2f" CRLF
                             "mem_fragmentation_bytes:%uz" CRLF,
                             (double) memory->active / memory->allocated,
                             memory->active - memory->allocated,
                             (double) memory->resident / memory->active,
                             memory->resident - memory->active,
                             (double) memory->rss / memory->resident,
                             memory->private,
                             (double) memory->rss / memory->used,
                             memory->rss - memory->used);

    ngx_olivine_buffer_print(b,
                             "mem_not_counted_for_evict:0" CRLF
                             "mem_replication_backlog:%uL" CRLF
                             "mem_total_replication_buffers:%uL" CRLF
                             "mem_clients_slaves:0" CRLF
                             "mem_clients_normal:%uL" CRLF
                             "mem_replica_full_sync_buffer:0" CRLF
                             "mem_cluster_links:0" CRLF
                             "mem_aof_buffer:0" CRLF
                             "mem_allocator:olivine" CRLF
                             "mem_overhead_db_hashtable_rehashing:0" CRLF
                             "active_defrag_running:0" CRLF
                             "lazyfree_pending_objects:%uL" CRLF
                             "zone_size:%uz" CRLF,
                             zone->ring.size, zone->ring.size,
                             info->sums.buffers,
                             ngx_olivine_info_detached(zone), zone->limit);
}


/* A worker is what a thread for input and output is to Redis. */

static void
ngx_olivine_info_threads(ngx_olivine_info_t *info)
{
    ngx_uint_t           i, n;
    ngx_olivine_slot_t  *slot;
    ngx_olivine_zone_t  *zone;

    zone = info->cx->zone;
    n = 0;

    for (i = 0; i < zone->slots_high; i++) {

        slot = ngx_olivine_slot_at(zone, i);

        if (slot->state == NGX_OLIVINE_SLOT_LIVE) {
            ngx_olivine_buffer_print(&info->b,
                                     "io_thread_%ui:clients=%uD,reads=%uL,"
                                     "writes=%uL" CRLF,
                                     n++, slot->clients, slot->counters.reads,
                                     slot->counters.writes);
        }
    }
}


static void
ngx_olivine_info_stats(ngx_olivine_info_t *info)
{
    ngx_olivine_rates_t     *rates;
    ngx_olivine_buffer_t    *b;
    ngx_olivine_counters_t  *c;

    b = &info->b;
    c = &info->sums.counters;
    rates = &info->sums.rates;

    ngx_olivine_buffer_print(b,
                             "total_connections_received:%uL" CRLF
                             "total_commands_processed:%uL" CRLF
                             "instantaneous_ops_per_sec:%uL" CRLF
                             "total_net_input_bytes:%uL" CRLF
                             "total_net_output_bytes:%uL" CRLF
                             "total_net_repl_input_bytes:0" CRLF
                             "total_net_repl_output_bytes:0" CRLF
                             "instantaneous_input_kbps:%.2f" CRLF
                             "instantaneous_output_kbps:%.2f" CRLF
                             "instantaneous_input_repl_kbps:0.00" CRLF
                             "instantaneous_output_repl_kbps:0.00" CRLF
                             "rejected_connections:%uL" CRLF
                             "sync_full:0" CRLF
                             "sync_partial_ok:0" CRLF
                             "sync_partial_err:0" CRLF,
                             c->connections, c->commands,
                             rates->commands, c->bytes_in, c->bytes_out,
                             (double) rates->bytes_in / 1024,
                             (double) rates->bytes_out / 1024,
                             c->rejected);

    ngx_olivine_buffer_print(b,
                             "expired_subkeys:0" CRLF
                             "expired_keys:%uL" CRLF
                             "expired_time_cap_reached_count:0" CRLF
                             "expire_cycle_cpu_milliseconds:%uL" CRLF
                             "evicted_keys:0" CRLF
                             "evicted_clients:0" CRLF
                             "evicted_scripts:0" CRLF
                             "total_eviction_exceeded_time:0" CRLF
                             "current_eviction_exceeded_time:0" CRLF
                             "keyspace_hits:%uL" CRLF
                             "keyspace_misses:%uL" CRLF
                             "pubsub_channels:0" CRLF
                             "pubsub_patterns:0" CRLF
                             "pubsubshard_channels:0" CRLF
                             "latest_fork_usec:0" CRLF
                             "total_forks:0" CRLF
                             "migrate_cached_sockets:0" CRLF
                             "slave_expires_tracked_keys:0" CRLF
                             "active_defrag_hits:0" CRLF
                             "active_defrag_misses:0" CRLF
                             "active_defrag_key_hits:0" CRLF
                             "active_defrag_key_misses:0" CRLF
                             "total_active_defrag_time:0" CRLF
                             "current_active_defrag_time:0" CRLF,
                             c->expired, c->expire_ns / 1000000, c->hits,
                             c->misses);

    ngx_olivine_info_errors(info);
}


static void
ngx_olivine_info_errors(ngx_olivine_info_t *info)
{
    ngx_olivine_zone_t      *zone;
    ngx_olivine_buffer_t    *b;
    ngx_olivine_counters_t  *c;

    zone = info->cx->zone;
    b = &info->b;
    c = &info->sums.counters;

    ngx_olivine_buffer_print(b,
                             "tracking_total_keys:0" CRLF
                             "tracking_total_items:0" CRLF
                             "tracking_total_prefixes:0" CRLF
                             "unexpected_error_replies:0" CRLF
                             "total_error_replies:%uL" CRLF
                             "dump_payload_sanitizations:0" CRLF
                             "total_reads_processed:%uL" CRLF
                             "total_writes_processed:%uL" CRLF
                             "io_threaded_reads_processed:0" CRLF
                             "io_threaded_writes_processed:0" CRLF
                             "client_query_buffer_limit_disconnections:%uL"
                             CRLF
                             "client_output_buffer_limit_disconnections:%uL"
                             CRLF
                             "reply_buffer_shrinks:0" CRLF
                             "reply_buffer_expands:0" CRLF,
                             c->errors, c->reads, c->writes, c->input_limit,
                             c->output_limit);

    ngx_olivine_buffer_print(b,
                             "eventloop_cycles:%uL" CRLF
                             "eventloop_duration_sum:%uL" CRLF
                             "eventloop_duration_cmd_sum:%uL" CRLF
                             "instantaneous_eventloop_cycles_per_sec:%uL" CRLF
                             "instantaneous_eventloop_duration_usec:%uL" CRLF
                             "acl_access_denied_auth:0" CRLF
                             "acl_access_denied_cmd:0" CRLF
                             "acl_access_denied_key:0" CRLF
                             "acl_access_denied_channel:0" CRLF
                             "longest_turn_us:%uL" CRLF
                             "longest_lock_hold_us:%uL" CRLF
                             "parked_commands:%uL" CRLF
                             "protocol_errors:%uL" CRLF
                             "recovered_workers:%uL" CRLF,
                             c->turns, c->turns_ns / 1000,
                             ngx_olivine_info_spent(zone) / 1000,
                             info->sums.rates.turns,
                             info->sums.rates.turns_ns / 1000
                             / ngx_max(info->sums.rates.turns, 1),
                             info->sums.longest_turn, info->sums.longest_hold,
                             c->parked, c->protocol_errors, zone->recovered);
}


static void
ngx_olivine_info_replication(ngx_olivine_info_t *info)
{
    u_char  id[NGX_OLIVINE_INFO_ID];

    ngx_olivine_info_id(info->cx->zone, "repl", id);

    ngx_olivine_buffer_print(&info->b,
                             "role:master" CRLF
                             "connected_slaves:0" CRLF
                             "master_failover_state:no-failover" CRLF
                             "master_replid:%*s" CRLF
                             "master_replid2:"
                             "0000000000000000000000000000000000000000" CRLF
                             "master_repl_offset:%uL" CRLF
                             "second_repl_offset:-1" CRLF
                             "repl_backlog_active:0" CRLF
                             "repl_backlog_size:%uL" CRLF
                             "repl_backlog_first_byte_offset:0" CRLF
                             "repl_backlog_histlen:0" CRLF,
                             (size_t) NGX_OLIVINE_INFO_ID, id,
                             info->cx->zone->ring.tail,
                             info->cx->zone->ring.size);
}


static void
ngx_olivine_info_cpu(ngx_olivine_info_t *info)
{
    ngx_olivine_usage_t  usage;

    ngx_olivine_usage_workers(info->cx->zone, &usage);

    ngx_olivine_buffer_print(&info->b,
                             "used_cpu_sys:%.6f" CRLF
                             "used_cpu_user:%.6f" CRLF
                             "used_cpu_sys_children:0.000000" CRLF
                             "used_cpu_user_children:0.000000" CRLF,
                             (double) usage.sys / 1000000,
                             (double) usage.user / 1000000);

    ngx_olivine_usage_thread(&usage);

    ngx_olivine_buffer_print(&info->b,
                             "used_cpu_sys_main_thread:%.6f" CRLF
                             "used_cpu_user_main_thread:%.6f" CRLF,
                             (double) usage.sys / 1000000,
                             (double) usage.user / 1000000);
}


/* none is to be loaded */

static void
ngx_olivine_info_modules(ngx_olivine_info_t *info)
{
}


static void
ngx_olivine_info_cluster(ngx_olivine_info_t *info)
{
    ngx_olivine_buffer_print(&info->b, "cluster_enabled:0" CRLF);
}


static void
ngx_olivine_info_keyspace(ngx_olivine_info_t *info)
{
    int64_t              db;
    uint64_t             keys, expires;
    ngx_olivine_zone_t  *zone;

    zone = info->cx->zone;

    for (db = 0; db < zone->params.databases; db++) {

        ngx_olivine_store_count(zone, db, &keys, &expires);

        if (keys) {
            ngx_olivine_buffer_print(&info->b,
                                     "db%L:keys=%uL,expires=%uL,avg_ttl=%uL,"
                                     "subexpiry=0" CRLF,
                                     db, keys, expires,
                                     ngx_olivine_info_ttl(zone, db));
        }
    }
}


/* the field twice: a number, and what a human reads */

static void
ngx_olivine_info_bytes(ngx_olivine_info_t *info, const char *field,
    uint64_t bytes)
{
    double       size;
    const char  *unit;

    static const char  units[] = "KMGTP";

    ngx_olivine_buffer_print(&info->b, "%s:%uL" CRLF "%s_human:", field,
                             bytes, field);

    if (bytes < 1024) {
        ngx_olivine_buffer_print(&info->b, "%uLB" CRLF, bytes);
        return;
    }

    size = (double) bytes / 1024;

    for (unit = units; size >= 1024 && unit[1]; unit++) {
        size /= 1024;
    }

    ngx_olivine_buffer_print(&info->b, "%.2f%c" CRLF, size, *unit);
}


void
ngx_olivine_info_id(ngx_olivine_zone_t *zone, const char *salt, u_char *id)
{
    u_char  digest[20], text[128], *p;

    p = ngx_slprintf(text, text + sizeof(text), "%s %p %L %s", salt,
                     zone->base, zone->started, zone->name);

    ngx_memzero(digest, sizeof(digest));
    ngx_olivine_digest_xor(digest, text, p - text);
    (void) ngx_hex_dump(id, digest, sizeof(digest));
}


/* "127.0.0.1:6379"; a path has no port */

static ngx_uint_t
ngx_olivine_info_port(ngx_str_t *addr)
{
    u_char     *p, *last;
    ngx_int_t   port;

    if (addr->len == 0) {
        return 0;
    }

    last = addr->data + addr->len;

    for (p = last; p > addr->data && p[-1] != ':'; p--) { /* void */ }

    port = (p > addr->data) ? ngx_atoi(p, last - p) : NGX_ERROR;

    return port == NGX_ERROR ? 0 : (ngx_uint_t) port;
}
