#!/usr/bin/perl

# redis-benchmark, with the options that people use
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);

my $benchmark = found('redis-benchmark');

plan(skip_all => 'redis-benchmark is not installed') if !$benchmark;

my $s = olivine();
my $r = $s->client;


# What it said of each test: requests a second.

sub benchmark {
    my (@options) = @_;
    my @command = ($benchmark, '-p', $s->{port}, '--csv', @options);

    open my $from, '-|', 'timeout', 60, 'sh', '-c', 'exec "$@" 2>&1', 'sh',
        @command or die "redis-benchmark: $!\n";

    my @said = <$from>;
    my %rates = map { /^"([A-Z]+)[^"]*","([\d.]+)"/ ? ($1 => $2) : () } @said;
    my @errors = grep { /error|failed|could not/i } @said;

    ok(close $from, "@options: ended well");
    ok(!@errors, "@options: no error") or diag(@errors);

    return \%rates;
}


for my $options ([qw(-n 10000)], [qw(-n 100000 -P 16 -r 10000)],
                 [qw(-n 10000 -P 16 -3)], [qw(-n 10000 -d 10000 -c 10)])
{
    my $rates = benchmark('-t', 'set,get,incr,mset', @$options);

    is(join(' ', sort keys %$rates), 'GET INCR MSET SET',
        "@$options: all four ran");
    ok(!(grep { $_ <= 0 } values %$rates), "@$options: each did something");
}

cmp_ok($r->value('dbsize'), '>', 9000, 'random keys were written');
like($r->cmd('incr', 'counter:__rand_int__'), qr/^:\d+$/, 'counters count');

done_testing();
