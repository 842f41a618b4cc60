#!/usr/bin/perl

# A worker dies: the others' clients notice nothing.
# workers: 2

use strict;
use warnings;

use Olivine;

my $s = olivine();

# clients of both workers

my %mine;

for (1 .. 40) {
    my $r = $s->client;
    push @{ $mine{ $s->worker($r) } }, $r if $r->cmd('ping') eq '+PONG';
}

is(keys %mine, 2, 'two workers have clients');

my ($dead, $alive) = sort { $a <=> $b } keys %mine;

is($mine{$alive}[0]->cmd(qw/set k v/), '+OK', 'a key');
is($mine{$dead}[0]->cmd(qw/get k/), '$1 v', 'seen by the other worker');

ok($s->kill_worker($dead), 'one is killed, another takes its place');

is(scalar(grep { $_->closed } @{ $mine{$dead} }), @{ $mine{$dead} },
    'its clients are closed');
is(scalar(grep { $_->cmd(qw/get k/) eq '$1 v' } @{ $mine{$alive} }),
    @{ $mine{$alive} }, 'those of the other go on');
is($s->client->cmd(qw/get k/), '$1 v', 'a new one is served');

# many times, with a client at work

my $r = $mine{$alive}[0];
my $n = 0;

for (1 .. 10) {
    my ($pid) = grep { $_ != $alive } $s->workers;
    $s->kill_worker($pid) or last;

    $n += grep { $_ eq '+OK' } $r->pipe(map { [ 'set', "k$_", $_ ] } 1 .. 100);
}

is($n, 1000, 'ten deaths, and each command of another client done');

done_testing();
