#!/usr/bin/perl

# Clients are spread over the workers.
# workers: 2

use strict;
use warnings;

use Olivine;

my $s = olivine();

for my $round (1 .. 5) {
    my @clients = map { $s->client } 1 .. 50;

    is(scalar(grep { $_->cmd('ping') eq '+PONG' } @clients), 50,
        'fifty clients');

    my %n;
    $n{ $s->worker($_) }++ for @clients;

    my ($least) = sort { $a <=> $b } map { $n{$_} // 0 } $s->workers;

    cmp_ok($least // 0, '>=', 20,
        'each worker has 40% of them: ' . join ' and ', values %n);

    if ($round == 3) {
        ok($s->reload, 'the same after a reload');
    }
}

# one after the other

my @clients = map { my $r = $s->client; $r->cmd('ping'); $r } 1 .. 50;
my %n;
$n{ $s->worker($_) }++ for @clients;

my ($least) = sort { $a <=> $b } map { $n{$_} // 0 } $s->workers;
cmp_ok($least // 0, '>=', 20, 'slowly: ' . join ' and ', values %n);

done_testing();
