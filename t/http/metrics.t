#!/usr/bin/perl

# The metrics: the format, what they say, and who names them.
# workers: 1 2

use strict;
use warnings;

use JSON::PP;
use Olivine;
use Olivine::Http;
use Olivine::Prometheus;

my $port = port(0);

my $s = olivine(main => '', http => <<HTTP, params => { appendonly => 'yes',
server {
    listen 127.0.0.1:$port;
    location / { olivine_status main; }
    location /metrics { olivine_metrics main; }
}
HTTP
    'slowlog-log-slower-than' => 1000, 'latency-monitor-threshold' => 1,
    'maxmemory' => '100mb', save => '3600 1', 'enable-debug-command' => 'yes',
    dir => '.' });

my $h = Olivine::Http->new(port => $port);
my $r = $s->client;

my $empty = metrics('of an empty store');

is($empty->value('redis_up'), 1, 'up');
is($empty->value('redis_db_keys', db => 'db0'), 0, 'no keys');
is($empty->value('redis_slowlog_last_id'), -1, 'no slow command');
is($empty->value('redis_aof_enabled'), 1, 'an append-only file');

# what clients do is in them

$r->cmd('set', "k$_", 'v' x $_) for 1 .. 100;
$r->cmd('get', "k$_") for 1 .. 120;
$r->cmd(qw(expire k1 1000));
$r->cmd(qw(select 3));
$r->cmd(qw(set a b));
$r->cmd(qw(select 0));
$r->cmd(qw(incr k2));
$r->cmd(qw(nosuchcommand));
$r->cmd(qw(get));
$r->cmd(qw(debug sleep 0.01));

my $p = metrics('of one that was used');

is($p->value('redis_db_keys', db => 'db0'), 100, 'keys of a database');
is($p->value('redis_db_keys', db => 'db3'), 1, 'of another');
is($p->value('redis_db_keys_expiring', db => 'db0'), 1, 'those that expire');
is($p->value('redis_keyspace_hits_total'), 100, 'hits');
is($p->value('redis_keyspace_misses_total'), 20, 'misses');
is($p->value('redis_commands_total', cmd => 'set'), 101, 'calls');
is($p->value('redis_commands_failed_calls_total', cmd => 'incr'), 1,
    'failed calls');
is($p->value('redis_commands_rejected_calls_total', cmd => 'get'), 1,
    'rejected calls');
cmp_ok($p->value('redis_commands_duration_seconds_total', cmd => 'set'), '>',
    0, 'their time');
is($p->value('olivine_command_duration_seconds', cmd => 'set',
             suffix => '_count'), 101, 'the histogram has them all');
is($p->value('olivine_command_duration_seconds', cmd => 'set', le => '+Inf',
             suffix => '_bucket'), 101, 'in its last bucket, too');
cmp_ok($p->value('redis_latency_percentiles_usec', cmd => 'set',
                 quantile => '99'), '>', 0, 'a percentile');
is($p->value('redis_errors_total', err => 'ERR'), 3, 'errors');
cmp_ok($p->value('redis_slowlog_length'), '>=', 1, 'slow commands');
cmp_ok($p->value('redis_last_slow_execution_duration_seconds'), '>=', 0.001,
    'what the last one took');
cmp_ok($p->value('redis_latency_spike_duration_seconds',
                 event_name => 'command'), '>=', 0.001, 'an event');
is($p->value('redis_connected_clients'), 1, 'clients');
is($p->value('redis_memory_max_bytes'), 100 * 1024 * 1024, 'maxmemory');
is($p->value('olivine_memory_limit_bytes'), 100 * 1024 * 1024, 'the limit');
is($p->value('redis_instance_info', role => 'master',
             maxmemory_policy => 'noeviction'), 1, 'what the server is');

# sums fit together

is($p->sum('olivine_shard_keys'), 101, 'shards have all keys');
is($p->sum('olivine_worker_commands_total'),
    $p->value('redis_commands_processed_total'), 'workers ran all commands');
is($p->sum('olivine_worker_clients'), 1, 'workers have all clients');
is(scalar @{ $p->{families}{olivine_worker_clients}{samples} }, $s->{workers},
    'one sample a worker');
is($p->value('olivine_workers'), $s->{workers}, 'workers');
is(scalar @{ $p->{families}{olivine_worker_cpu_seconds_total}{samples} },
    2 * $s->{workers}, 'CPU time of each');

my %use = map { $_->{labels}{use} => $_->{value} }
    @{ $p->{families}{olivine_memory_bytes}{samples} };

is($use{data} + $use{tables} + $use{log} + $use{receiving} + $use{pinned}
   + $use{serving}, $p->value('redis_memory_used_bytes'),
   'uses are what is in use');

# INFO says the same

my %info = map { /^(\w+):(.*)$/ ? ($1 => $2) : () }
    split /\r\n/, $r->value(qw(info all));

my $again = metrics('a third time');

is($again->value($_->[0]), $info{$_->[1]}, "$_->[0] is INFO's $_->[1]")
    for [qw(redis_connections_received_total total_connections_received)],
        [qw(redis_keyspace_hits_total keyspace_hits)],
        [qw(redis_expired_keys_total expired_keys)],
        [qw(redis_rdb_changes_since_last_save rdb_changes_since_last_save)],
        [qw(redis_memory_max_bytes maxmemory)];

# a command in many workers does not lose its calls with one of them

my $calls = $again->value('redis_commands_total', cmd => 'set');

ok($s->kill_worker, 'a worker is killed');
ok($s->until(sub {
    my $m = metrics();
    return $m->value('olivine_workers_recovered_total') == 1
        && $m->value('olivine_workers') == $s->{workers};
}), 'that is counted');

is(metrics()->value('redis_commands_total', cmd => 'set'), $calls,
    'what it had counted stays');

# the page comes with both hosts; more of it is looked at in a browser

like($h->get('/')->{content}, qr/<title>Olivine<.*<\/html>\n\z/s, 'the page');
is(decode_json($h->get('/?json=1')->{content})->{keyspace}[0]{keys}, 100,
    'and what it shows');

# nothing that is not there, nothing twice

is($h->get('/metrics/more')->{status}, 404, 'there is no page below');
cmp_ok($h->head('/metrics')->{headers}{'content-length'}, '>', 10000, 'HEAD');

# what is made for them

my %known = map { $_ => 1 } keys %{ $again->{families} };

for my $name (grep { $again->{families}{$_}{type} =~ /histogram|summary/ }
              keys %known)
{
    $known{"$name$_"} = 1 for qw(_bucket _sum _count);
}

for my $file (qw(docs/prometheus-rules.yml docs/grafana-dashboard.json)) {
    my $text = Olivine::read_file("$Olivine::top/$file");
    my @named;

    if ($file =~ /json$/) {
        my $board = decode_json($text);
        my @all = @{ $board->{panels} };

        is($board->{uid}, 'olivine', 'the dashboard has a uid');
        is($board->{templating}{list}[0]{type}, 'datasource',
            'and a variable of the data source');

        my %ids;
        is(scalar(grep { $ids{$_->{id}}++ } @all), 0, 'panels have ids');

        is(scalar(grep { $_->{type} ne 'row'
                         && $_->{datasource}{uid} ne '${datasource}' } @all),
            0, 'panels take that data source');

        @named = map { Olivine::Prometheus::names($_->{expr}) }
            map { @{ $_->{targets} || [] } } @all;

    } else {
        $text =~ s/^\s*#.*//mg;
        @named = Olivine::Prometheus::names($text);
    }

    my %missing = map { $_ => 1 } grep { !$known{$_} } @named;

    cmp_ok(scalar @named, '>', 10, "$file names metrics");
    is(join(' ', sort keys %missing), '', 'all of them are there');
}

my $docs = Olivine::read_file("$Olivine::top/docs/metrics.md");
is(join(' ', grep { $docs !~ /`$_`/ } sort keys %{ $again->{families} }), '',
    'all are in docs/metrics.md');

# Prometheus's own tool

SKIP: {
    my $tool = "$Olivine::top/build/promtool/promtool";

    system("$Olivine::top/t/tools/promtool", "$Olivine::top/build")
        if !-x $tool;
    skip('no promtool', 2) if !-x $tool;

    Olivine::write_file("$s->{dir}/metrics", $h->get('/metrics')->{content});

    is(scalar `$tool check metrics <$s->{dir}/metrics 2>&1`, '',
        'promtool has nothing to say of the text');
    like(scalar `$tool check rules $Olivine::top/docs/prometheus-rules.yml 2>&1`,
        qr/SUCCESS: \d+ rules found/, 'nor of the rules');
}

done_testing();


sub metrics {
    my ($what) = @_;

    my $answer = $h->get('/metrics');
    my $p = Olivine::Prometheus->new($answer->{content});

    if ($what) {
        is($answer->{headers}{'content-type'},
            'text/plain; version=0.0.4; charset=utf-8', "the type $what");
        is(join("\n", $p->faults), '', "the text $what is as it should be");
    }

    return $p;
}
