
/*
 * Copyright (C) The Olivine authors
 *
 * The metrics.  docs/metrics.md is made from this table.
 */


#include "http/ngx_olivine_metrics.h"


#define metrics_of(type, field)                                               \
    offsetof(type, field), sizeof(((type *) 0)->field)

#define metrics_figure(field)  metrics_of(ngx_olivine_figures_t, field)
#define metrics_sum(field)     metrics_of(ngx_olivine_figures_t, sums.field)
#define metrics_count(field)                                                  \
    metrics_of(ngx_olivine_figures_t, sums.counters.field)
#define metrics_zone(field)    metrics_of(ngx_olivine_zone_t, field)
#define metrics_stat(field)    metrics_of(ngx_olivine_stat_t, field)
#define metrics_slot(field)    metrics_of(ngx_olivine_slot_t, field)
#define metrics_shard(field)   metrics_of(ngx_olivine_usage_shard_t, field)
#define metrics_nothing        0, 0

#define METRICS_MS  1000
#define METRICS_US  1000000
#define METRICS_NS  1000000000


const ngx_olivine_metric_t  ngx_olivine_metrics_table[] = {

    /* the server */

    { "redis_up", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(one), 1, "",
      "1: this answer came from a worker that serves the store" },

    { "redis_instance_info", "gauge",
      "role, redis_version, olivine_version, redis_mode, os, "
      "maxmemory_policy, run_id, process_id", ngx_olivine_metrics_info,
      metrics_nothing, 1, "server",
      "1, with what the server is in its labels" },

    { "redis_start_time_seconds", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(started), 1, "server",
      "When the store was made, seconds since 1970" },

    { "redis_uptime_in_seconds", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(uptime), 1, "uptime_in_seconds",
      "Seconds since the store was made" },

    { "olivine_workers", "gauge", "", ngx_olivine_metrics_figure,
      metrics_sum(workers), 1, "workers",
      "Workers of the newest configuration that live" },

    { "olivine_workers_recovered_total", "counter", "",
      ngx_olivine_metrics_zone, metrics_zone(recovered), 1,
      "recovered_workers",
      "Workers that died and whose work was put right" },

    { "redis_cpu_sys_seconds_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_figure(cpu.sys), METRICS_US,
      "used_cpu_sys",
      "CPU time of the living workers in the kernel, to the hundredth" },

    { "redis_cpu_user_seconds_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_figure(cpu.user), METRICS_US,
      "used_cpu_user",
      "CPU time of the living workers in user code, to the hundredth" },

    /* clients */

    { "redis_connected_clients", "gauge", "", ngx_olivine_metrics_figure,
      metrics_sum(clients), 1, "connected_clients",
      "Clients that are connected" },

    { "redis_blocked_clients", "gauge", "", ngx_olivine_metrics_figure,
      metrics_sum(blocked), 1, "blocked_clients",
      "Clients that wait in a blocking command" },

    { "redis_config_maxclients", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(params.maxclients), 1, "maxclients",
      "Clients that may be connected" },

    { "redis_connections_received_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(connections), 1,
      "total_connections_received",
      "Connections accepted" },

    { "redis_rejected_connections_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(rejected), 1,
      "rejected_connections",
      "Connections refused, as maxclients were there" },

    { "olivine_watching_clients", "gauge", "", ngx_olivine_metrics_figure,
      metrics_sum(watching), 1, "watching_clients",
      "Clients that watch keys" },

    { "olivine_watched_keys", "gauge", "", ngx_olivine_metrics_figure,
      metrics_sum(watched), 1, "total_watched_keys",
      "Keys watched, counted once for each client" },

    { "olivine_output_limit_disconnections_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(output_limit), 1,
      "client_output_buffer_limit_disconnections",
      "Clients closed because they did not read their replies" },

    { "olivine_input_limit_disconnections_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(input_limit), 1,
      "client_query_buffer_limit_disconnections",
      "Clients closed because a command was too long" },

    { "olivine_protocol_errors_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(protocol_errors), 1,
      "protocol_errors",
      "Clients closed because they broke the protocol" },

    /* memory */

    { "redis_memory_used_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(memory.used), 1, "used_memory",
      "Memory in use: keys, values, tables, and what serving them takes" },

    { "redis_memory_used_rss_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(memory.rss), 1, "used_memory_rss",
      "Memory that the kernel has given, to the zone and to the workers" },

    { "redis_memory_used_peak_bytes", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(peak), 1, "used_memory_peak",
      "The most memory in use that was ever seen" },

    { "redis_memory_used_overhead_bytes", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(overhead), 1,
      "used_memory_overhead",
      "Memory in use that is not keys and values" },

    { "redis_memory_used_startup_bytes", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(memory.startup), 1,
      "used_memory_startup",
      "Memory that an empty store takes" },

    { "redis_memory_used_dataset_bytes", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(memory.dataset), 1,
      "used_memory_dataset",
      "Memory of keys and values" },

    { "redis_memory_max_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(max), 1, "maxmemory",
      "The parameter maxmemory, 0: none" },

    { "redis_config_maxmemory", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(max), 1, "maxmemory",
      "The parameter maxmemory, 0: none" },

    { "redis_total_system_memory_bytes", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(system_memory), 1,
      "total_system_memory",
      "Memory of the machine" },

    { "redis_allocator_allocated_bytes", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(memory.allocated), 1,
      "allocator_allocated",
      "Bytes that arenas and page heap were asked for" },

    { "redis_allocator_active_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(memory.active), 1, "allocator_active",
      "Bytes of the pages that hold them" },

    { "redis_allocator_resident_bytes", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(memory.resident), 1,
      "allocator_resident",
      "Bytes of the pages that the kernel has given" },

    { "redis_mem_fragmentation_ratio", "gauge", "", ngx_olivine_metrics_ratio,
      metrics_nothing, 1, "mem_fragmentation_ratio",
      "Memory that the kernel has given, for each byte in use" },

    { "redis_mem_fragmentation_bytes", "gauge", "",
      ngx_olivine_metrics_fragments, metrics_nothing, 1,
      "mem_fragmentation_bytes",
      "Memory that the kernel has given, less that in use" },

    { "redis_mem_clients_normal", "gauge", "", ngx_olivine_metrics_figure,
      metrics_sum(buffers), 1, "mem_clients_normal",
      "Bytes of the buffers of clients" },

    { "redis_lazyfree_pending_objects", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(detached), 1,
      "lazyfree_pending_objects",
      "Keys of flushed databases that are still to be freed" },

    { "olivine_memory_limit_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(limit), 1, "",
      "What memory in use may not exceed: maxmemory, or the size of the "
      "zone" },

    { "olivine_zone_size_bytes", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(limit), 1, "zone_size",
      "The size of the zone" },

    { "olivine_memory_bytes", "gauge", "use", ngx_olivine_metrics_uses,
      metrics_nothing, 1, "",
      "Memory by what it is used for" },

    { "olivine_heap_used_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(heap_used), 1, "",
      "Pages of the page heap that are in use" },

    { "olivine_heap_free_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(heap_free), 1, "",
      "Pages of the page heap that are free and backed by memory" },

    { "olivine_heap_void_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(heap_void), 1, "",
      "Pages of the page heap that may still be asked of the kernel" },

    /* commands */

    { "redis_commands_processed_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(commands), 1,
      "total_commands_processed",
      "Commands run" },

    { "redis_commands_total", "counter", "cmd", ngx_olivine_metrics_commands,
      metrics_stat(calls), 1, "commandstats",
      "Calls of a command" },

    { "redis_commands_duration_seconds_total", "counter", "cmd",
      ngx_olivine_metrics_commands, metrics_stat(ns), METRICS_NS,
      "commandstats",
      "Time that a command took" },

    { "redis_commands_rejected_calls_total", "counter", "cmd",
      ngx_olivine_metrics_commands, metrics_stat(rejected), 1, "commandstats",
      "Calls refused before the command ran" },

    { "redis_commands_failed_calls_total", "counter", "cmd",
      ngx_olivine_metrics_commands, metrics_stat(failed), 1, "commandstats",
      "Calls that failed while the command ran" },

    { "redis_latency_percentiles_usec", "summary", "cmd, quantile",
      ngx_olivine_metrics_percentiles, metrics_nothing, 1, "latencystats",
      "Microseconds a call takes; a quantile is in per cent, those of the "
      "parameter latency-tracking-info-percentiles" },

    { "olivine_command_duration_seconds", "histogram", "cmd, le",
      ngx_olivine_metrics_histograms, metrics_nothing, 1, "latencystats",
      "Time that calls of a command took" },

    { "redis_errors_total", "counter", "err", ngx_olivine_metrics_errors,
      metrics_nothing, 1, "errorstats",
      "Error replies by their first word" },

    { "olivine_parked_commands_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(parked), 1, "parked_commands",
      "Commands that waited for the gate or for room" },

    { "redis_slowlog_length", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(slow), 1, "",
      "Entries of the slow log" },

    { "redis_slowlog_last_id", "gauge", "", ngx_olivine_metrics_signed,
      metrics_figure(slow_id), 1, "",
      "Number of the newest entry of the slow log, -1: none" },

    { "redis_last_slow_execution_duration_seconds", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(slow_us), METRICS_US, "",
      "Time of the newest entry of the slow log" },

    { "redis_latency_spike_last", "gauge", "event_name",
      ngx_olivine_metrics_spikes, metrics_of(ngx_olivine_stats_event_t, next),
      1, "",
      "When an event of the latency monitor was last seen, seconds since "
      "1970" },

    { "redis_latency_spike_duration_seconds", "gauge", "event_name",
      ngx_olivine_metrics_spikes, metrics_of(ngx_olivine_stats_event_t, max),
      METRICS_MS, "",
      "How long it took then" },

    /* traffic */

    { "redis_net_input_bytes_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(bytes_in), 1,
      "total_net_input_bytes",
      "Bytes received from clients" },

    { "redis_net_output_bytes_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(bytes_out), 1,
      "total_net_output_bytes",
      "Bytes sent to clients" },

    { "olivine_socket_reads_total", "counter", "", ngx_olivine_metrics_figure,
      metrics_count(reads), 1, "total_reads_processed",
      "Reads from clients" },

    { "olivine_socket_writes_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(writes), 1,
      "total_writes_processed",
      "Writes to clients" },

    /* keys */

    { "redis_db_keys", "gauge", "db", ngx_olivine_metrics_databases,
      metrics_of(ngx_olivine_usage_shard_t, keys), 1, "keyspace",
      "Keys of a database" },

    { "redis_db_keys_expiring", "gauge", "db", ngx_olivine_metrics_databases,
      metrics_of(ngx_olivine_usage_shard_t, expires), 1, "keyspace",
      "Keys of a database that expire" },

    { "redis_db_avg_ttl_seconds", "gauge", "db", ngx_olivine_metrics_ttls,
      metrics_nothing, 1, "keyspace",
      "What keys that expire have left on average" },

    { "redis_keyspace_hits_total", "counter", "", ngx_olivine_metrics_figure,
      metrics_count(hits), 1, "keyspace_hits",
      "Keys that commands looked up and found" },

    { "redis_keyspace_misses_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(misses), 1, "keyspace_misses",
      "Keys that commands looked up and did not find" },

    { "redis_expired_keys_total", "counter", "", ngx_olivine_metrics_figure,
      metrics_count(expired), 1, "expired_keys",
      "Keys removed because their time had come" },

    { "olivine_expire_seconds_total", "counter", "",
      ngx_olivine_metrics_figure, metrics_count(expire_ns), METRICS_NS,
      "expire_cycle_cpu_milliseconds",
      "Time that workers spent looking for keys to expire" },

    { "olivine_changes_total", "counter", "", ngx_olivine_metrics_figure,
      metrics_count(changes), 1, "",
      "Keys that commands changed" },

    /* event loops */

    { "olivine_loop_turns_total", "counter", "", ngx_olivine_metrics_figure,
      metrics_count(turns), 1, "eventloop_cycles",
      "Turns of the event loops" },

    { "olivine_loop_seconds_total", "counter", "", ngx_olivine_metrics_figure,
      metrics_count(turns_ns), METRICS_NS, "eventloop_duration_sum",
      "Time that those turns took" },

    { "olivine_longest_turn_seconds", "gauge", "", ngx_olivine_metrics_figure,
      metrics_sum(longest_turn), METRICS_US, "longest_turn_us",
      "The longest turn of an event loop, CPU time" },

    { "olivine_longest_lock_hold_seconds", "gauge", "",
      ngx_olivine_metrics_figure, metrics_sum(longest_hold), METRICS_US,
      "longest_lock_hold_us",
      "The longest time that a lock was held, CPU time; 0 unless "
      "lock-timing is on" },

    { "olivine_worker_clients", "gauge", "slot, pid",
      ngx_olivine_metrics_workers, metrics_slot(clients), 1, "",
      "Clients of a worker" },

    { "olivine_worker_buffer_bytes", "gauge", "slot, pid",
      ngx_olivine_metrics_workers, metrics_slot(buffers), 1, "",
      "Bytes of the buffers of a worker's clients" },

    { "olivine_worker_commands_total", "counter", "slot, pid",
      ngx_olivine_metrics_counted, metrics_slot(counters.commands), 1, "",
      "Commands that a worker ran" },

    { "olivine_worker_turns_total", "counter", "slot, pid",
      ngx_olivine_metrics_counted, metrics_slot(counters.turns), 1, "",
      "Turns of a worker's event loop" },

    { "olivine_worker_loop_seconds_total", "counter", "slot, pid",
      ngx_olivine_metrics_counted, metrics_slot(counters.turns_ns),
      METRICS_NS, "",
      "Time that those turns took" },

    { "olivine_worker_cpu_seconds_total", "counter", "slot, pid, mode",
      ngx_olivine_metrics_cpu, metrics_nothing, METRICS_US, "",
      "CPU time of a worker in user code and in the kernel" },

    { "olivine_worker_longest_turn_seconds", "gauge", "slot, pid",
      ngx_olivine_metrics_counted, metrics_slot(longest_turn), METRICS_US, "",
      "The longest of them, CPU time" },

    { "olivine_worker_leaving", "gauge", "slot, pid",
      ngx_olivine_metrics_workers, metrics_slot(leaving), 1, "",
      "1: the worker was told to quit and stays for its clients" },

    /* shards */

    { "olivine_shard_keys", "gauge", "shard", ngx_olivine_metrics_shards,
      metrics_shard(keys), 1, "",
      "Keys of a shard" },

    { "olivine_shard_used_bytes", "gauge", "shard",
      ngx_olivine_metrics_shards, metrics_shard(used), 1, "",
      "Keys, values and tables of a shard" },

    { "olivine_shard_table_bytes", "gauge", "shard",
      ngx_olivine_metrics_shards, metrics_shard(tables), 1, "",
      "Of that, tables" },

    { "olivine_shard_arena_bytes", "gauge", "shard",
      ngx_olivine_metrics_shards, metrics_shard(arena), 1, "",
      "Pages that a shard has cut into cells" },

    { "olivine_shard_image_bytes", "gauge", "shard",
      ngx_olivine_metrics_shards, metrics_shard(images), 1, "",
      "Entries of a shard kept as they were, for a snapshot" },

    { "olivine_lock_waits_total", "counter", "lock",
      ngx_olivine_metrics_locks,
      metrics_of(ngx_olivine_sample_row_t, count), 1, "",
      "Times that a worker had to wait for a lock" },

    { "olivine_lock_wait_seconds_total", "counter", "lock",
      ngx_olivine_metrics_locks,
      metrics_of(ngx_olivine_sample_row_t, sum), METRICS_NS, "",
      "Time that workers waited for locks" },

    /* the log */

    { "olivine_log_size_bytes", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(ring.size), 1, "repl_backlog_size",
      "The ring of the log, 0: nobody reads it" },

    { "olivine_log_bytes_total", "counter", "", ngx_olivine_metrics_zone,
      metrics_zone(ring.tail), 1, "master_repl_offset",
      "Bytes of changes that were logged" },

    { "olivine_log_payloads", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(payloads), 1, "",
      "Big arguments that the log refers to" },

    { "olivine_log_unread_bytes", "gauge", "reader",
      ngx_olivine_metrics_readers, metrics_nothing, 1, "",
      "Bytes of the log that a reader is behind" },

    { "olivine_writes_refused", "gauge", "why", ngx_olivine_metrics_refused,
      metrics_nothing, 1, "",
      "1: commands that write are refused for that reason" },

    /* the append-only file */

    { "redis_aof_enabled", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_on), 1, "aof_enabled",
      "1: changes go to the append-only file" },

    { "redis_aof_rewrite_in_progress", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(aof_saving), 1,
      "aof_rewrite_in_progress",
      "1: it is being rewritten" },

    { "redis_aof_rewrite_scheduled", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_scheduled), 1, "aof_rewrite_scheduled",
      "1: it will be rewritten when a snapshot is done" },

    { "redis_aof_pending_rewrite", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_pending), 1, "aof_pending_rewrite",
      "1: a rewrite was asked for and has not begun" },

    { "redis_aof_last_rewrite_duration_seconds", "gauge", "",
      ngx_olivine_metrics_signed, metrics_figure(aof_took), 1,
      "aof_last_rewrite_time_sec",
      "What the last rewrite took, -1: there was none" },

    { "redis_aof_current_rewrite_duration_seconds", "gauge", "",
      ngx_olivine_metrics_signed, metrics_figure(aof_since), 1,
      "aof_current_rewrite_time_sec",
      "How long it is being rewritten, -1: it is not" },

    { "redis_aof_last_bgrewrite_status", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(aof_rewrite_ok), 1,
      "aof_last_bgrewrite_status",
      "1: the last rewrite went well, 0: it failed" },

    { "redis_aof_last_write_status", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_write_ok), 1, "aof_last_write_status",
      "1: the last write went well, 0: it failed" },

    { "redis_aof_last_cow_size_bytes", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.save.last_aof_cow), 1, "aof_last_cow_size",
      "Entries kept as they were, for the last rewrite" },

    { "redis_aof_current_size_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_size), 1, "aof_current_size",
      "Bytes of its files" },

    { "redis_aof_base_size_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_base), 1, "aof_base_size",
      "Bytes of its files after the last rewrite" },

    { "redis_aof_buffer_length", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_unwritten), 1, "aof_buffer_length",
      "Bytes of the log that are not written" },

    { "redis_aof_pending_bio_fsync", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_busy), 1, "aof_pending_bio_fsync",
      "1: a thread is writing or syncing" },

    { "redis_aof_delayed_fsync", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.aof.delayed), 1, "aof_delayed_fsync",
      "Syncs so far that made writing wait" },

    { "olivine_aof_rewrites_total", "counter", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.save.rewrites), 1, "aof_rewrites",
      "Rewrites that were begun" },

    { "olivine_aof_rewrite_failures", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_failures), 1, "aof_rewrites_consecutive_failures",
      "Rewrites that failed, one after the other" },

    { "olivine_aof_unsynced_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_unsynced), 1, "",
      "Bytes that are written and not on the disk" },

    { "olivine_aof_waiting_clients", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(aof_held), 1, "",
      "Clients whose replies wait for a write or a sync" },

    /* snapshots and loading */

    { "redis_rdb_changes_since_last_save", "gauge", "",
      ngx_olivine_metrics_figure, metrics_figure(changes), 1,
      "rdb_changes_since_last_save",
      "Keys changed since the last snapshot" },

    { "redis_rdb_bgsave_in_progress", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(rdb_saving), 1, "rdb_bgsave_in_progress",
      "1: dump.rdb is being written" },

    { "redis_rdb_last_save_timestamp_seconds", "gauge", "",
      ngx_olivine_metrics_zone, metrics_zone(persist.save.saved_at), 1,
      "rdb_last_save_time",
      "When the last snapshot was done, seconds since 1970" },

    { "redis_rdb_last_bgsave_status", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(rdb_ok), 1, "rdb_last_bgsave_status",
      "1: the last snapshot went well, 0: it failed" },

    { "redis_rdb_last_bgsave_duration_seconds", "gauge", "",
      ngx_olivine_metrics_signed, metrics_figure(rdb_took), 1,
      "rdb_last_bgsave_time_sec",
      "What the last snapshot took, -1: there was none" },

    { "redis_rdb_current_bgsave_duration_seconds", "gauge", "",
      ngx_olivine_metrics_signed, metrics_figure(rdb_since), 1,
      "rdb_current_bgsave_time_sec",
      "How long a snapshot is being written, -1: none is" },

    { "redis_rdb_last_cow_size_bytes", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.save.last_cow), 1, "rdb_last_cow_size",
      "Entries kept as they were, for the last snapshot" },

    { "olivine_rdb_saves_total", "counter", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.save.saves), 1, "rdb_saves",
      "Snapshots that went well" },

    { "olivine_snapshot_running", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(snapshot), 1, "",
      "1: a snapshot is written, for dump.rdb or for the append-only file" },

    { "olivine_snapshot_keys", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(snapshot_total), 1, "current_save_keys_total",
      "Keys there were at its instant" },

    { "olivine_snapshot_done_keys", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(snapshot_keys), 1, "current_save_keys_processed",
      "Keys it has written" },

    { "olivine_snapshot_image_bytes", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(snapshot_cow), 1, "current_cow_size",
      "Entries kept for it as they were" },

    { "redis_loading_dump_file", "gauge", "", ngx_olivine_metrics_figure,
      metrics_figure(loading), 1, "loading",
      "1: keys are being loaded" },

    { "olivine_loading_bytes", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.loading.total), 1, "loading_total_bytes",
      "Bytes that are, or were, to be loaded" },

    { "olivine_loading_done_bytes", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.loading.done), 1, "loading_loaded_bytes",
      "Bytes of them that are loaded" },

    { "olivine_loading_keys", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.loading.keys), 1, "rdb_last_load_keys_loaded",
      "Keys that were loaded" },

    { "olivine_loading_expired_keys", "gauge", "", ngx_olivine_metrics_zone,
      metrics_zone(persist.loading.expired), 1, "rdb_last_load_keys_expired",
      "Keys left out as their time had come" },

    { NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL }
};
