#!/usr/bin/perl

# Money is moved between accounts by transactions, some with MULTI alone,
# some with WATCH, while workers are killed: every look at all accounts in
# one command or transaction finds the same sum.  STRESS_SECONDS: how long (5).
# workers: 2

use strict;
use warnings;

use POSIX qw(_exit);
use Time::HiRes qw(sleep time);

use Olivine;

my $accounts = 24;
my $each = 1000;
my $seconds = $ENV{STRESS_SECONDS} || 5;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

is($r->cmd('mset', map { ("account:$_", $each) } 1 .. $accounts), '+OK',
    'accounts are opened');

my $end = time + $seconds;
my @movers;

for my $n (1 .. 4) {
    my $pid = open my $from, '-|';
    die "fork: $!\n" if !defined $pid;

    if ($pid == 0) {
        $| = 1;
        srand $$;
        print $n % 2 ? move() : watch(), "\n";
        _exit(0);
    }

    push @movers, $from;
}

my ($kills, $looks, @wrong) = (0, 0);

while (time < $end) {
    my @workers = $s->workers;

    $kills++ if @workers && $s->kill_worker($workers[rand @workers]);

    for (1 .. 20) {
        my $sum = sum() // next;
        $looks++;
        push @wrong, $sum if $sum != $accounts * $each;
    }
}

my $moved = 0;
my $lost = 0;

for my $from (@movers) {
    my ($done, $raced) = split ' ', <$from> // '';
    $moved += $done || 0;
    $lost += $raced || 0;
    close $from;
}

is("@wrong", '', "$looks looks at the sum, $kills workers killed");
cmp_ok($kills, '>', $seconds, 'workers were killed');
cmp_ok($moved, '>', 100, "$moved transfers, $lost lost a race");

$s->until(sub { $s->workers == $s->{workers} });
$r = $s->client;

is(sum(), $accounts * $each, 'the sum at the end');
is($r->cmd('debug', 'audit'), '+OK', 'nothing is amiss in the store');

done_testing();


# Of all accounts, at one moment; undef if the worker died over it.

sub sum {
    my $c = eval { $s->client } or return undef;
    my @all = map { "account:$_" } 1 .. $accounts;
    my $values;

    if (rand() < 0.5) {
        $values = $c->value('mget', @all);

    } else {
        my @got = $c->pipe(['multi'], (map { ['get', $_] } @all), ['exec']);

        return undef if @got != $accounts + 2;
        $values = [ $got[-1] =~ /\$\d+ (-?\d+)/g ];
    }

    return undef if ref $values ne 'ARRAY' || @$values != $accounts;

    my $sum = 0;
    $sum += $_ for @$values;

    return $sum;
}


# Transfers by MULTI alone, several in one pipeline.

sub move {
    my ($c, $done) = (undef, 0);

    while (time < $end) {
        $c ||= eval { $s->client } or next;

        my @commands;

        for (1 .. 1 + rand 4) {
            my ($from, $to) = map { 'account:' . (1 + int rand $accounts) }
                1 .. 2;
            my $sum = 1 + int rand 50;

            push @commands, ['multi'], ['decrby', $from, $sum],
                ['incrby', $to, $sum], ['exec'];
        }

        my @got = $c->pipe(@commands);

        $done += grep { /^\*2 / } @got;
        undef $c if @got != @commands;
    }

    return "$done 0";
}


# Transfers of what was read before, if nobody else came between.

sub watch {
    my ($c, $done, $lost) = (undef, 0, 0);

    while (time < $end) {
        $c ||= eval { $s->client } or next;

        my ($from, $to) = map { 'account:' . (1 + int rand $accounts) } 1 .. 2;
        my $sum = 1 + int rand 50;

        next if $from eq $to;

        my @got = $c->pipe(['watch', $from, $to], ['get', $from],
            ['get', $to]);

        my ($a, $b) = map { /^\$\d+ (-?\d+)$/ } grep { defined } @got[1, 2];

        if (!defined $b) {
            undef $c;
            next;
        }

        @got = $c->pipe(['multi'], ['set', $from, $a - $sum],
            ['set', $to, $b + $sum], ['exec']);

        if (@got != 4) {
            undef $c;

        } elsif ($got[3] eq '*-1') {
            $lost++;

        } else {
            $done++;
        }
    }

    return "$done $lost";
}
