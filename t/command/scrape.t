#!/usr/bin/perl

# What monitors read, as they read it: INFO ALL, CONFIG GET, SLOWLOG, LATENCY
# in one visit, every value a number where they take it for one.

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

$r->cmd('set', "key$_", $_) for 1 .. 10;
$r->cmd('expire', "key$_", 1000) for 1 .. 5;
$r->cmd(qw/get key1/);
$r->cmd(qw/get none/);
$r->cmd(qw/incr key1 x/);
$r->cmd(qw/append/);

my (%field, %class, $class, %section);

for my $line (split /\r\n/, $r->value(qw/info all/)) {
    if ($line =~ /^# (.*)/) {
        ok(!$section{$1}++, "$1 is there once");
        $class = $1;

    } elsif ($line =~ /^([^:]+):(.*)$/) {
        ok(!exists $field{$1}, "$1 is there once");
        $field{$1} = $2;
        $class{$1} = $class;

    } else {
        is($line, '', 'a line is empty, a title or a field');
    }
}

my @numbers = qw(
    uptime_in_seconds process_id tcp_port
    connected_clients blocked_clients maxclients tracking_clients
    clients_in_timeout_table pubsub_clients watching_clients
    total_watched_keys total_blocking_keys total_blocking_keys_on_nokey
    allocator_active allocator_allocated allocator_resident
    allocator_frag_ratio allocator_frag_bytes allocator_rss_ratio
    allocator_rss_bytes used_memory used_memory_rss used_memory_peak
    used_memory_lua used_memory_overhead used_memory_startup
    used_memory_dataset used_memory_scripts maxmemory total_system_memory
    mem_fragmentation_ratio mem_fragmentation_bytes mem_clients_slaves
    mem_clients_normal mem_aof_buffer mem_cluster_links
    mem_not_counted_for_evict mem_replication_backlog rss_overhead_ratio
    active_defrag_running lazyfree_pending_objects
    loading async_loading rdb_bgsave_in_progress rdb_last_save_time
    rdb_last_bgsave_time_sec rdb_current_bgsave_time_sec rdb_last_cow_size
    aof_enabled aof_rewrite_in_progress aof_rewrite_scheduled
    aof_last_rewrite_time_sec aof_current_rewrite_time_sec aof_last_cow_size
    module_fork_in_progress module_fork_last_cow_size
    total_connections_received total_commands_processed
    instantaneous_ops_per_sec total_net_input_bytes total_net_output_bytes
    instantaneous_input_kbps instantaneous_output_kbps rejected_connections
    total_reads_processed total_writes_processed expired_keys
    expired_time_cap_reached_count expire_cycle_cpu_milliseconds evicted_keys
    keyspace_hits keyspace_misses pubsub_channels pubsub_patterns
    latest_fork_usec total_error_replies tracking_total_keys
    tracking_total_items tracking_total_prefixes unexpected_error_replies
    active_defrag_hits active_defrag_misses active_defrag_key_hits
    active_defrag_key_misses migrate_cached_sockets dump_payload_sanitizations
    client_query_buffer_limit_disconnections
    client_output_buffer_limit_disconnections eventloop_cycles
    eventloop_duration_sum eventloop_duration_cmd_sum
    acl_access_denied_auth acl_access_denied_cmd acl_access_denied_key
    acl_access_denied_channel slave_expires_tracked_keys sync_full
    sync_partial_ok sync_partial_err
    connected_slaves master_repl_offset second_repl_offset
    repl_backlog_active repl_backlog_size repl_backlog_first_byte_offset
    repl_backlog_histlen
    used_cpu_sys used_cpu_user used_cpu_sys_children used_cpu_user_children
    used_cpu_sys_main_thread used_cpu_user_main_thread
    cluster_enabled
);

like($field{$_} // 'absent', qr/^-?\d+(\.\d+)?$/, "$_ is a number")
    for @numbers;

my %texts = (
    redis_version          => qr/^\d+\.\d+\.\d+$/,
    redis_mode             => qr/^standalone$/,
    os                     => qr/^Linux /,
    run_id                 => qr/^[0-9a-f]{40}$/,
    role                   => qr/^master$/,
    master_replid          => qr/^[0-9a-f]{40}$/,
    maxmemory_policy       => qr/^noeviction$/,
    rdb_last_bgsave_status => qr/^ok$/,
    aof_last_write_status  => qr/^ok$/,
    used_memory_human      => qr/^[\d.]+[BKMG]$/,
    used_memory_peak_perc  => qr/^[\d.]+%$/,
);

like($field{$_} // 'absent', $texts{$_}, "$_ is as it should be")
    for sort keys %texts;

is($class{total_error_replies}, 'Stats', 'under its title');
is($class{repl_backlog_size}, 'Replication', 'and so is this');

# what is of commands

for my $name (grep { /^cmdstat_/ } sort keys %field) {
    like($field{$name},
        qr/^calls=\d+,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=\d+,failed_calls=\d+$/,
        $name);
}

like($field{cmdstat_set}, qr/^calls=10,/, 'calls');
like($field{cmdstat_append}, qr/^calls=0,usec=0,.*,rejected_calls=1,/, 'refused');
like($field{$_}, qr/^p50=[\d.]+,p99=[\d.]+,p99\.9=[\d.]+$/, $_)
    for grep { /^latency_percentiles_usec_/ } sort keys %field;
ok(exists $field{"latency_percentiles_usec_$_"}, "how long $_ took")
    for qw/set get expire/;
like($field{errorstat_ERR}, qr/^count=\d+$/, 'errors');

# the percentiles cannot be more than all calls took

my ($usec) = $field{cmdstat_set} =~ /usec=(\d+)/;
my ($p50) = $field{latency_percentiles_usec_set} =~ /p50=([\d.]+)/;
cmp_ok($p50, '<=', $usec * 1.2 + 2, 'in microseconds');

# keys, and how long they have left

like($field{db0}, qr/^keys=10,expires=5,avg_ttl=\d+,subexpiry=0$/, 'keys');
ok($s->until(sub {
    my ($ttl) = $r->value(qw/info keyspace/) =~ /avg_ttl=(\d+)/;
    return $ttl > 980000 && $ttl <= 1000000;
}, 5), 'a thousand seconds');

# the rest of the visit

my %config = @{ $r->value(qw/config get */) };
like($config{$_}, qr/^\d+$/, "$_") for qw/maxmemory maxclients databases/;
is($r->cmd(qw/slowlog len/), ':0', 'slow log');
is($r->cmd(qw/slowlog get 1/), '*0', 'its last entry');
is($r->cmd(qw/latency latest/), '*0', 'latency');
cmp_ok(@{ $r->value(qw/latency histogram/) }, '>', 8, 'histograms');
is($r->cmd(qw/client setname scrape/), '+OK', 'its name');
cmp_ok($r->value(qw/memory usage key1/), '>', 0, 'the memory of a key');

done_testing();
