#!/usr/bin/perl

# Reloads that follow one another without a rest, and workers that are killed
# while they and upgrades go on: nothing is left over.
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Load;
use Time::HiRes qw(sleep);

my $s = olivine(main => '', params => [[ 'enable-debug-command', 'yes' ]],
    expect => [ qr/worker process \d+ exited on signal 9/ ]);
my $r = $s->client;

is($r->cmd(qw/set k v/), '+OK', 'a key');
ok($s->reload, 'a reload');
settled('before');

my $open = Olivine::descriptors($s->master);
my $memory = backed();

# twenty reloads

my $load = Olivine::Load->start($s->{port}, 3);

for (1 .. 20) {
    kill HUP => $s->master;
    sleep 0.02 * ($_ % 3);
}

sleep 1;
is($r->cmd(qw/get k/), '$1 v', 'the first client lives on');
is($s->client->cmd(qw/get k/), '$1 v', 'others may come');

my $seen = $load->stop;
is($seen->{wrong} + $seen->{lost} + $seen->{closed} + $seen->{refused}, 0,
    "clients saw nothing of them in $seen->{done} replies")
    or diag(explain($seen));

settled('after twenty reloads');

# with workers killed meanwhile

$load = Olivine::Load->start($s->{port}, 3);
my $killed = 0;

for my $round (1 .. 10) {
    kill HUP => $s->master;
    sleep 0.01 * $round;

    # of an old generation, and of a new one
    my @all = sort { $a <=> $b } $s->all_workers;
    $killed += kill KILL => $all[$round % 2 ? 0 : -1] if @all;
    sleep 0.05;
}

$seen = $load->stop;
is($seen->{wrong} + $seen->{lost}, 0, "$killed workers were killed, nothing "
    . "is lost in $seen->{done} replies") or diag(explain($seen));
cmp_ok($seen->{done}, '>', 0, 'there was a load');

$r = $s->client;
is($r->cmd(qw/get k/), '$1 v', 'the key is there');
settled('after killed workers');

# an upgrade, and workers killed meanwhile

$load = Olivine::Load->start($s->{port}, 3);

kill USR2 => $s->master;
$killed = 0;

my $new;
my $end = time + 10;

while (!$new || $s->workers_of($new) < 2 || $killed < 4) {
    last if time > $end;

    $new ||= $s->young;

    my ($victim) = $s->workers_of($killed % 2 && $new ? $new : $s->master);
    $killed += kill KILL => $victim if $victim;
    sleep 0.03;
}

ok($new, "an upgrade with $killed workers killed");
$s->{others}{$new} = 1;

ok($s->until(sub { $s->workers == 2 && $s->workers_of($new) == 2 }),
    'both generations are whole');
$r = $s->client;
kill QUIT => $s->master;
my $old = $s->master;

ok($s->until(sub { !$s->workers }), 'the old one leaves');

$seen = $load->stop;
is($seen->{wrong} + $seen->{lost}, 0, "nothing is lost in $seen->{done} "
    . 'replies') or diag(explain($seen));

is($s->client->cmd(qw/get k/), '$1 v', 'the key is there');
undef $r;
is($s->wait, 0, 'the old master ended');

$s->{pid} = $new;
$r = $s->client;
ok($s->reload, 'a reload');
settled('after an upgrade');

kill QUIT => $new;
ok($r->closed, 'the end');
ok($s->until(sub { Olivine::title($new) eq '' }), 'it ends');
delete $s->{pid};
is_deeply([ $s->faults ], [], 'nothing alarming in the log');

done_testing();


# There are no more workers than there should be, each has its slot, and all
# else is as it was.

sub settled {
    my ($name) = @_;

    undef $r;
    ok($s->until(sub { $s->all_workers == 2 && $s->workers == 2 }),
        "$name: only new workers are left");
    $r = $s->client;

    ok($s->until(sub { $r->cmd(qw/info clients/)
        =~ /connected_clients:1 / }), "$name: one client is counted")
        or diag($r->cmd(qw/info clients/));
    my @list = $r->cmd(qw/client list/) =~ /\bid=\d+/g;
    is(@list, 1, "$name: and listed");
    like($r->cmd(qw/debug audit/), qr/^\+/, "$name: an audit finds nothing");

    return if !$open;

    ok($s->until(sub { Olivine::descriptors($s->master) <= $open }),
        "$name: no descriptor is left in the master");

    # the slots that were in use at one time stay backed, with all they have
    cmp_ok(backed(), '<=', $memory + 1024, "$name: no pages are left over");

    my @most = sort { $b <=> $a } map { Olivine::descriptors($_) } $s->workers;
    cmp_ok($most[0], '<', $open + 20, "$name: nor are descriptors in workers");
}


# Kilobytes of the zone that are backed by memory.

sub backed {
    my ($fd) = grep { (readlink($_) // '') =~ /memfd:olivine-main/ }
        glob "/proc/$s->{pid}/fd/*";
    return (stat $fd)[12] / 2;
}
