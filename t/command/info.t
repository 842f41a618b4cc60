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

my @titles = $r->value('info') =~ /^# (.*)\r$/mg;
is("@titles", 'Server Clients Memory Persistence Stats Replication CPU '
    . 'Modules Errorstats Cluster Keyspace', 'the sections');
@titles = $r->value(qw/info all/) =~ /^# (.*)\r$/mg;
is("@titles", 'Server Clients Memory Persistence Stats Replication CPU '
    . 'Commandstats Errorstats Latencystats Cluster Keyspace', 'all of them');
@titles = $r->value(qw/info everything/) =~ /^# (.*)\r$/mg;
is("@titles", 'Server Clients Memory Persistence Stats Replication CPU '
    . 'Modules Commandstats Errorstats Latencystats Cluster Keyspace',
    'or everything');
is($r->value(qw/info default/) =~ tr/#//, 11, 'or the default');
is($r->value(qw/info cpu default stats/) =~ tr/#//, 11, 'each once');
is($r->value(qw/info default commandstats/) =~ tr/#//, 12, 'and one more');
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
