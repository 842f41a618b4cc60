#!/usr/bin/perl

# SCAN and KEYS while other clients, at other workers, make the tables grow
# and shrink: what is there all the time is seen, and by KEYS and by a walk
# nothing is seen twice.  SCAN_SECONDS says how long (4).
# workers: 4

use strict;
use warnings;

use Time::HiRes qw(time sleep);

use Olivine;

my $seconds = $ENV{SCAN_SECONDS} || 4;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

my @stay = map { "stay:$_" } 1 .. 3000;
is($r->cmd('mset', map { ($_, 'v') } @stay), '+OK', 'keys that stay');

my $end = time + $seconds;
my @pids;

# waves of keys: tables grow by many times, and shrink again

for my $n (1 .. 3) {
    my $pid = fork // die "fork: $!\n";
    push @pids, $pid;
    next if $pid;

    my $w = $s->client;

    while (time < $end + 1) {
        for my $word ('set', 'del') {
            for my $part (0 .. 39) {
                my @keys = map { "wave:$n:$part:$_" } 1 .. 500;
                $w->pipe(map { ['set', $_, 'v'] } @keys) if $word eq 'set';
                $w->cmd('del', @keys) if $word eq 'del';
            }
        }
    }

    require POSIX;
    POSIX::_exit(0);
}

my ($walks, $missed, $twice, $all) = (0, 0, 0, 0);

while (time < $end) {
    my %seen;

    if ($walks++ % 2) {
        $seen{$_}++ for @{ $r->value('keys', '*') };

    } else {
        my $cursor = 0;

        do {
            my $reply = $r->value('scan', $cursor, 'count', 50);
            $cursor = $reply->[0];
            $seen{$_}++ for @{ $reply->[1] };
        } while ($cursor);
    }

    $missed += grep { !$seen{$_} } @stay;
    $twice += grep { $_ > 1 } values %seen;
    $all += keys %seen;
}

is($missed, 0, "none was missed in $walks walks over $all keys");
is($twice, 0, 'none was told twice');
cmp_ok($walks, '>', 3, 'there were some');

kill 'KILL', @pids;
waitpid $_, 0 for @pids;

# a long KEYS holds nobody up, and its client may leave

is($r->cmd('flushall'), '+OK', 'empty');
$r->pipe(map { my $n = $_; ['mset', map { ("k:$n:$_", 'v') } 1 .. 200] }
         1 .. 1000);

my @leave = map { $s->client } 1 .. 4;
$_->write(Olivine::Client::frame('keys', '*')) for @leave;
$_->close for @leave;

is(scalar @{ $r->value('keys', 'k:*') }, 200_000, 'all of them');
is($r->cmd('flushall', 'sync'), '+OK', 'and none');

$s->until(sub { ($s->client->value('info') =~ /connected_clients:(\d+)/)[0]
                <= 2 });

is($r->cmd('debug', 'audit'), '+OK', 'nothing is amiss in the store');

done_testing();
