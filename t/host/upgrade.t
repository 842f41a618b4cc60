#!/usr/bin/perl

# USR2: a new binary on the same zone, beside the old one.
# workers: 1 2

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/set k old/), '+OK', 'a key');

my $old = $s->master;
my $log = length $s->log;

my $new = upgrade($old);
ok($new, 'a new master') or diag(substr $s->log, $log);

END { kill KILL => $new, workers_of($new) if $new }

ok($s->until(sub { workers_of($new) == $s->{workers} }), 'and its workers');

# both generations serve, on one store

my %by;
for (1 .. 200) {
    my $c = $s->client;
    is_ok($c->cmd(qw/get k/), '$3 old');
    $by{ pid_of($c) } = $c;
    last if grep({ my $p = $_; grep { $p == $_ } workers_of($new) } keys %by)
         && grep({ my $p = $_; grep { $p == $_ } workers_of($old) } keys %by);
}

my ($theirs) = grep { my $p = $_; grep { $p == $_ } workers_of($new) }
    keys %by;
ok($theirs, 'the new one serves');
is($by{$theirs}->cmd(qw/set k new/), '+OK', 'a change by the new one');
is($r->cmd(qw/get k/), '$3 new', 'is seen by the old one');
is($r->cmd(qw/set k both/), '+OK', 'a change by the old one');
is($by{$theirs}->cmd(qw/get k/), '$4 both', 'is seen by the new one');

# the old one leaves, its clients live on until they go

kill QUIT => $old;
ok($s->until(sub { !grep { /process\s*$/ } map { Olivine::title($_) }
    workers_of($old) }), 'workers of before leave');

is($s->client->cmd(qw/get k/), '$4 both', 'new clients come to the new one');
is($r->cmd(qw/get k/), '$4 both', 'a client of before lives on');
undef $r;
%by = ();

is($s->wait, 0, 'then the old master is gone');

my $c = $s->client;
is($c->cmd(qw/get k/), '$4 both', 'the key is there');

# and once more, now that the new one is the old one

my $third = upgrade($new);
ok($third, 'another upgrade');
ok($s->until(sub { workers_of($third) == $s->{workers} }), 'and its workers');

kill QUIT => $new;
is($c->cmd(qw/get k/), '$4 both', 'a client of before');
undef $c;
ok($s->until(sub { !kill 0, $new }), 'the second master is gone');
$new = $third;

is($s->client->cmd(qw/get k/), '$4 both', 'the key is there');

# an upgrade that is taken back

$c = $s->client;
is($c->cmd('ping'), '+PONG', 'a client');

my $fourth = upgrade($new);
ok($fourth, 'a third upgrade');
kill QUIT => $fourth;
ok($s->until(sub { !grep { $_ == $fourth } Olivine::children($new) }),
    'that binary leaves again');

is($c->cmd(qw/get k/), '$4 both', 'the client is there');
is($s->client->cmd(qw/get k/), '$4 both', 'others may come');

kill QUIT => $new;
ok($c->closed, 'at the end it is not kept for a generation that is gone');
ok($s->until(sub { !kill 0, $new }), 'the server ends');

# the end of the newest

$s->start;
$new = $s->master;

$c = $s->client;
is($c->cmd('ping'), '+PONG', 'a client');
kill QUIT => $new;
ok($c->closed, 'is closed when the last one quits');
is($s->wait, 0, 'which ends');
undef $new;

is_deeply([ $s->faults ], [], 'nothing alarming in the log');

Test::More::done_testing();


sub is_ok { is($_[0], $_[1], 'a client') if $_[0] ne $_[1] }

sub workers_of {
    return grep { Olivine::title($_) =~ /^nginx: worker process/ }
        Olivine::children($_[0]);
}


# Starts a new binary; its master is a child of the old one.

sub upgrade {
    my ($pid) = @_;
    my $child;

    kill USR2 => $pid;

    $s->until(sub {
        ($child) = grep { Olivine::title($_) =~ /^nginx: master/ }
            Olivine::children($pid);
        return $child;
    });

    return $child;
}


# The worker, of either generation, that a client is connected to.

sub pid_of {
    my ($c) = @_;

    for my $master ($old, $new) {
        local $s->{pid} = $master;
        my $pid = $s->worker($c);
        return $pid if $pid;
    }

    return 0;
}
