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

# more threads than workers, and none

my $rates = benchmark('-t', 'ping,set,get,incr,mset', '-n', 100000, '-c', 50,
    '-P', 16, '--threads', 4);

is(join(' ', sort keys %$rates), 'GET INCR MSET PING SET', 'in threads');

# the default run goes as far as commands are there, and says why it ends

my $said = qx(timeout 60 $benchmark -p $s->{port} -n 2000 -q 2>&1);

if ($r->cmd(qw/lpush list a/) =~ /unknown command/) {
    like($said, qr/ERR unknown command 'LPUSH'/, 'it ends at lists');
    like($said, qr/INCR: [\d.]+ requests per second/, 'what came before ran');

} else {
    like($said, qr/LPUSH: [\d.]+ requests per second/, 'the default run');
}

done_testing();
