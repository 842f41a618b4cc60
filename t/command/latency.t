#!/usr/bin/perl

# LATENCY

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

is($r->cmd(qw/latency latest/), '*0', 'nothing yet');
is($r->cmd(qw/latency history command/), '*0', 'nothing of commands');
is($r->cmd(qw/latency graph command/),
    "-ERR No samples available for event 'command'", 'nothing to draw');
like($r->value(qw/latency doctor/), qr/monitor is off/, 'off');
is($r->cmd(qw/latency reset/), ':0', 'nothing to forget');

$r->cmd(qw/debug sleep 0.02/);
is($r->cmd(qw/latency latest/), '*0', 'nothing is noted');

$r->cmd(qw/config set latency-monitor-threshold 10/);
like($r->value(qw/latency doctor/), qr/Nothing took 10 milliseconds/, 'on');

$r->cmd(qw/debug sleep 0.02/);
$r->cmd(qw/debug sleep 0.05/);

my $e = $r->value(qw/latency latest/);
my ($event) = grep { $_->[0] eq 'command' } @$e;
is(@$event, 4, 'an event');
cmp_ok(abs($event->[1] - time), '<', 5, 'when');
is($event->[3], 50, 'the longest');

my $h = $r->value(qw/latency history command/);
cmp_ok(@$h, '>=', 1, 'samples');
cmp_ok($h->[-1][1], '>=', 50, 'the last one');

# every worker sees it

my @clients = map { $s->client } 1 .. 4;
is_deeply($_->value(qw/latency history command/), $h, 'seen by all')
    for @clients;

my $graph = $r->value(qw/latency graph command/);
like($graph, qr/^command - high 50 ms, low \d+ ms \(all time high 50 ms\)\r\n-{80}\r\n/,
    'drawn');
like($r->value(qw/latency doctor/), qr/command: 2 times.*SLOWLOG/s, 'advice');

is($r->cmd(qw/latency reset nope/), ':0', 'forgets nothing');
is($r->cmd(qw/latency reset command nope/), ':1', 'forgets it');
is($r->cmd(qw/latency history command/), '*0', 'it is gone');

like($r->cmd(qw/latency nope/), qr/^-ERR unknown subcommand 'nope'/,
    'no such thing');
is($r->cmd(qw/latency history/),
    "-ERR wrong number of arguments for 'latency|history' command", 'arity');

# histograms

$r->cmd(qw/config set latency-monitor-threshold 0/);
$r->cmd(qw/config resetstat/);
is($r->cmd(qw/latency histogram set/), '*0', 'none');

$r->cmd('set', "k$_", $_) for 1 .. 20;
$r->cmd(qw/get k1/);
$r->cmd(qw/client id/);
$r->cmd(qw/client getname/);

my %h = @{ $r->value(qw/latency histogram set get nope/) };
is_deeply([ sort keys %h ], [qw/get set/], 'those that are there');

my %set = @{ $h{set} };
is($set{calls}, 20, 'calls');
my @map = @{ $set{histogram_usec} };
is($map[-1], 20, 'all are below the last bound');

my @bounds = @map[grep { $_ % 2 == 0 } 0 .. $#map];
my %known = map { $_ => 1 } 1, 2, 4, 8, 16, 33, 66, 132, 264, 528, 1056, 2113,
    4227, 8454, 16908, 33816, 67633, 135266, 270532, 541065, 1082130;
is(scalar grep({ !$known{$_} } @bounds), 0, "bounds of Redis: @bounds");

my $last = 0;
my $fine = 1;
for my $i (grep { $_ % 2 } 0 .. $#map) {
    $fine &&= $map[$i] > $last;
    $last = $map[$i];
}
ok($fine, 'sums that grow');

%h = @{ $r->value(qw/latency histogram client/) };
is_deeply([ sort keys %h ], [ 'client|getname', 'client|id' ],
    'subcommands of it');
%h = @{ $r->value(qw/latency histogram client|id/) };
is_deeply([ sort keys %h ], [ 'client|id' ], 'one of them');
%h = @{ $r->value(qw/latency histogram/) };
cmp_ok(keys %h, '>=', 5, 'all');

my $r3 = $s->client(proto => 3);
like($r3->raw(qw/latency histogram get/),
    qr/^%1\r\n\$3\r\nget\r\n%2\r\n\$5\r\ncalls\r\n:1\r\n\$14\r\nhistogram_usec\r\n%1\r\n/,
    'as maps');

# the graph of samples in several seconds

$r->cmd(qw/config set latency-monitor-threshold 5/);
for (1 .. 3) {
    $r->cmd(qw/debug sleep/, $_ * 0.02);
    select undef, undef, undef, 1.05;
}
$graph = $r->value(qw/latency graph command/);
my @rows = split /\r\n/, $graph;
is($rows[5], '_||', 'low to high') or diag $graph;
like($rows[2], qr/^  #/, 'the highest');

done_testing();
