#!/usr/bin/perl

# INFO

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

my %about = (
    server      => [ qw(redis_version server_name olivine_version redis_mode
                        os arch_bits process_id run_id tcp_port
                        uptime_in_seconds uptime_in_days workers) ],
    clients     => [ qw(connected_clients maxclients blocked_clients) ],
    memory      => [ qw(used_memory used_memory_human used_memory_rss
                        used_memory_peak total_system_memory maxmemory
                        maxmemory_policy mem_fragmentation_ratio
                        mem_allocator) ],
    persistence => [ qw(loading rdb_bgsave_in_progress rdb_last_save_time
                        rdb_last_bgsave_status aof_enabled
                        aof_last_write_status) ],
    stats       => [ qw(total_connections_received total_commands_processed
                        total_net_input_bytes total_net_output_bytes
                        rejected_connections expired_keys evicted_keys
                        keyspace_hits keyspace_misses total_error_replies
                        longest_turn_us longest_lock_hold_us) ],
    replication => [ qw(role connected_slaves master_replid
                        master_repl_offset) ],
    cpu         => [ qw(used_cpu_sys used_cpu_user) ],
    cluster     => [ qw(cluster_enabled) ],
);

sub info {
    return { map { /^([^#:]+):(.*)/ ? ($1 => $2) : () }
        split /\r\n/, $r->value('info', @_) };
}

for my $section (sort keys %about) {
    my $info = info($section);
    ok(exists $info->{$_}, "$section has $_") for @{ $about{$section} };
}

# what Redis 8.0.6 tells in each section, with an append-only file

my %fields = (
    server => [ qw(
        redis_version redis_git_sha1 redis_git_dirty redis_mode os
        arch_bits monotonic_clock multiplexing_api
        atomicvar_api gcc_version process_id
        process_supervised run_id tcp_port server_time_usec
        uptime_in_seconds uptime_in_days hz configured_hz
        lru_clock executable config_file io_threads_active) ],
    clients => [ qw(
        connected_clients cluster_connections maxclients
        blocked_clients tracking_clients pubsub_clients
        watching_clients clients_in_timeout_table
        total_watched_keys total_blocking_keys
        total_blocking_keys_on_nokey) ],
    memory => [ qw(
        used_memory used_memory_human used_memory_rss
        used_memory_rss_human used_memory_peak
        used_memory_peak_human used_memory_peak_perc
        used_memory_overhead used_memory_startup
        used_memory_dataset used_memory_dataset_perc
        allocator_allocated allocator_active
        allocator_resident allocator_muzzy
        total_system_memory total_system_memory_human
        used_memory_lua used_memory_vm_eval
        used_memory_lua_human used_memory_scripts_eval
        number_of_cached_scripts number_of_functions
        number_of_libraries used_memory_vm_functions
        used_memory_vm_total used_memory_vm_total_human
        used_memory_functions used_memory_scripts
        used_memory_scripts_human maxmemory maxmemory_human
        maxmemory_policy allocator_frag_ratio
        allocator_frag_bytes allocator_rss_ratio
        allocator_rss_bytes rss_overhead_ratio
        rss_overhead_bytes mem_fragmentation_ratio
        mem_fragmentation_bytes mem_not_counted_for_evict
        mem_replication_backlog
        mem_total_replication_buffers
        mem_replica_full_sync_buffer mem_clients_slaves
        mem_clients_normal mem_cluster_links mem_aof_buffer
        mem_allocator mem_overhead_db_hashtable_rehashing
        active_defrag_running lazyfree_pending_objects) ],
    persistence => [ qw(
        loading async_loading current_cow_peak current_cow_size
        current_cow_size_age current_fork_perc
        current_save_keys_processed current_save_keys_total
        rdb_changes_since_last_save rdb_bgsave_in_progress
        rdb_last_save_time rdb_last_bgsave_status
        rdb_last_bgsave_time_sec rdb_current_bgsave_time_sec
        rdb_saves rdb_last_cow_size
        rdb_last_load_keys_expired rdb_last_load_keys_loaded
        aof_enabled aof_rewrite_in_progress
        aof_rewrite_scheduled aof_last_rewrite_time_sec
        aof_current_rewrite_time_sec
        aof_last_bgrewrite_status aof_rewrites
        aof_rewrites_consecutive_failures
        aof_last_write_status aof_last_cow_size
        module_fork_in_progress module_fork_last_cow_size
        aof_current_size aof_base_size aof_pending_rewrite
        aof_buffer_length aof_pending_bio_fsync
        aof_delayed_fsync) ],
    threads => [ qw(
        io_thread_0) ],
    stats => [ qw(
        total_connections_received total_commands_processed
        instantaneous_ops_per_sec total_net_input_bytes
        total_net_output_bytes total_net_repl_input_bytes
        total_net_repl_output_bytes instantaneous_input_kbps
        instantaneous_output_kbps
        instantaneous_input_repl_kbps
        instantaneous_output_repl_kbps rejected_connections
        sync_full sync_partial_ok sync_partial_err
        expired_subkeys expired_keys
        expired_time_cap_reached_count
        expire_cycle_cpu_milliseconds evicted_keys
        evicted_clients evicted_scripts
        total_eviction_exceeded_time
        current_eviction_exceeded_time keyspace_hits
        keyspace_misses pubsub_channels pubsub_patterns
        pubsubshard_channels latest_fork_usec total_forks
        migrate_cached_sockets slave_expires_tracked_keys
        active_defrag_hits active_defrag_misses
        active_defrag_key_hits active_defrag_key_misses
        total_active_defrag_time current_active_defrag_time
        tracking_total_keys tracking_total_items
        tracking_total_prefixes unexpected_error_replies
        total_error_replies dump_payload_sanitizations
        total_reads_processed total_writes_processed
        io_threaded_reads_processed
        io_threaded_writes_processed
        client_query_buffer_limit_disconnections
        client_output_buffer_limit_disconnections
        reply_buffer_shrinks reply_buffer_expands
        eventloop_cycles eventloop_duration_sum
        eventloop_duration_cmd_sum
        instantaneous_eventloop_cycles_per_sec
        instantaneous_eventloop_duration_usec
        acl_access_denied_auth acl_access_denied_cmd
        acl_access_denied_key acl_access_denied_channel) ],
    replication => [ qw(
        role connected_slaves master_failover_state master_replid
        master_replid2 master_repl_offset second_repl_offset
        repl_backlog_active repl_backlog_size
        repl_backlog_first_byte_offset repl_backlog_histlen) ],
    cpu => [ qw(
        used_cpu_sys used_cpu_user used_cpu_sys_children
        used_cpu_user_children used_cpu_sys_main_thread
        used_cpu_user_main_thread) ],
    cluster => [ qw(
        cluster_enabled) ],
);

# what is not known here; docs/info.md says why

my @absent = qw(client_recent_max_input_buffer client_recent_max_output_buffer
    expired_stale_perc lazyfreed_objects listener0 redis_build_id);

{
    my $a = olivine(params => { appendonly => 'yes' });
    my $ra = $a->client;
    $a->until(sub { $ra->value('info', 'persistence') =~ /^loading:0/m });

    for my $section (sort keys %fields) {
        my $text = $ra->value('info', $section);
        my @lacks = grep { $text !~ /^\Q$_\E:/m } @{ $fields{$section} };
        is("@lacks", '', "$section has all fields of Redis");
    }

    my $all = $ra->value('info', 'everything');
    is(join(' ', grep { $all =~ /^\Q$_\E:/m } @absent), '', 'what is absent');
    my $docs = Olivine::read_file("$Olivine::top/docs/info.md");
    is(join(' ', grep { index($docs, "`$_`") < 0 } @absent), '', 'is told');

    # a worker is what a thread is to Redis

    my (@threads, $clients);

    $a->until(sub {
        @threads = $ra->value('info', 'threads')
            =~ /^io_thread_\d+:clients=(\d+),reads=\d+,writes=\d+\r$/mg;
        $clients = 0;
        $clients += $_ for @threads;
        return $clients == 1;          # whoever looked before has gone
    });

    is(scalar @threads, $a->{workers}, 'a line for each worker');
    is($clients, 1, 'and their clients');
    $a->stop;
}

my @titles = $r->value('info') =~ /^# (.*)\r$/mg;
is("@titles", 'Server Clients Memory Persistence Threads Stats Replication CPU '
    . 'Modules Errorstats Cluster Keyspace', 'the sections');
@titles = $r->value(qw/info all/) =~ /^# (.*)\r$/mg;
is("@titles", 'Server Clients Memory Persistence Threads Stats Replication CPU '
    . 'Commandstats Errorstats Latencystats Cluster Keyspace', 'all of them');
@titles = $r->value(qw/info everything/) =~ /^# (.*)\r$/mg;
is("@titles", 'Server Clients Memory Persistence Threads Stats Replication CPU '
    . 'Modules Commandstats Errorstats Latencystats Cluster Keyspace',
    'or everything');
is($r->value(qw/info default/) =~ tr/#//, 12, 'or the default');
is($r->value(qw/info cpu default stats/) =~ tr/#//, 12, 'each once');
is($r->value(qw/info default commandstats/) =~ tr/#//, 13, 'and one more');
is($r->cmd(qw/info nope/), '$0 ', 'none of what there is not');

@titles = $r->value(qw/info keyspace SERVER nope/) =~ /^# (.*)\r$/mg;
is("@titles", 'Server Keyspace', 'those asked for, in their order');
is($r->raw(qw/info cluster/), "\$30\r\n# Cluster\r\ncluster_enabled:0\r\n\r\n",
    'byte for byte');

my $info = info();

like($info->{redis_version}, qr/^8\.0\.\d+$/, 'a version of Redis');
is($info->{server_name}, 'olivine', 'our name');
is($info->{workers}, $s->{workers}, 'workers');
is($info->{process_id}, $s->master, 'the master');
is($info->{tcp_port}, $s->{port}, 'the port');
like($info->{run_id}, qr/^[0-9a-f]{40}$/, 'an id of the run');
is(info('server')->{run_id}, $info->{run_id}, 'that stays');

# true numbers

my @clients = map { $s->client } 1 .. 10;
$_->cmd('ping') for @clients;
is(info()->{connected_clients}, 11, 'eleven clients');
$_->close for @clients;
ok($s->until(sub { info()->{connected_clients} == 1 }, 5), 'and then one');

my $before = info();

$r->cmd(qw/set k v/);
$r->cmd(qw/get k/) for 1 .. 5;
$r->cmd(qw/get none/) for 1 .. 3;
$r->cmd(qw/nope/) for 1 .. 2;

my $after = info();
my $more = sub { $after->{$_[0]} - $before->{$_[0]} };

is($more->('keyspace_hits'), 5, 'hits');
is($more->('keyspace_misses'), 3, 'misses');
is($more->('total_error_replies'), 2, 'errors');
is($more->('total_commands_processed'), 12, 'commands');
cmp_ok($more->('total_net_input_bytes'), '>', 200, 'bytes in');
cmp_ok($more->('total_net_output_bytes'), '>', 2000, 'bytes out');

ok($s->until(sub {
    $r->pipe(map { ['ping'] } 1 .. 100);
    return info('stats')->{instantaneous_ops_per_sec} >= 100;
}, 10), 'commands a second');
cmp_ok(info('stats')->{instantaneous_output_kbps}, '>', 0, 'bytes a second');

is(info('keyspace')->{db0}, 'keys=1,expires=0,avg_ttl=0,subexpiry=0',
    'keys of a database');
$r->cmd(qw/expire k 100/);
$r->cmd(qw/select 3/);
$r->cmd(qw/mset a 1 b 2/);
$info = info('keyspace');
is($info->{db0}, 'keys=1,expires=1,avg_ttl=0,subexpiry=0', 'that expire');
is($info->{db3}, 'keys=2,expires=0,avg_ttl=0,subexpiry=0', 'of another');

$before = info('memory')->{used_memory};
$r->cmd('set', 'big', 'x' x 10000000);
cmp_ok(info('memory')->{used_memory} - $before, '>=', 10000000,
    'ten million bytes');
cmp_ok(info('memory')->{used_memory_peak}, '>=', $before + 10000000,
    'are the peak');
$r->cmd(qw/del big/);
cmp_ok(info('memory')->{used_memory}, '<', $before + 100000,
    'and gone again');

done_testing();
