#!/usr/bin/perl

# Workers are killed at random while many clients read and write: nothing
# that was acknowledged is lost, nothing is seen that no order explains, no
# lock stays held.  STRESS_SECONDS says how long (8), STRESS_SEED repeats
# what the clients choose.
# workers: 2

use strict;
use warnings;

use Time::HiRes qw(sleep time);

use Olivine;
use Olivine::Program qw(program);

my $seconds = $ENV{STRESS_SECONDS} || 8;

my $stress = program('stress', [map { "t/stress/$_" }
    qw(stress.c commands.c check.c self_test.c stress.h check.h)]);

my @seed = $ENV{STRESS_SEED} ? ('-s', $ENV{STRESS_SEED}) : ();

is(system($stress, '-T', @seed), 0,
    'the checker knows good histories from bad ones');

my $s = olivine(params => { 'enable-debug-command' => 'yes' });

open my $from, '-|', $stress, '-p', $s->{port}, '-t', $seconds, @seed
    or die "$stress: $!\n";

my $end = time + $seconds;
my $kills = 0;

# it ends early when something is wrong
while (time < $end - 0.5 && !ended($from)) {
    sleep 0.02 + rand 0.25;

    my @workers = $s->workers or next;
    $kills++ if $s->kill_worker($workers[rand @workers]);
}

my @said = <$from>;
close $from;

my $last = pop @said // 'it said nothing';
chomp $last;

like($last, qr/^right: /, "$kills workers killed; $last") or diag(@said);
cmp_ok($kills, '>', $seconds, 'workers were killed');

my ($unknown) = $last =~ /(\d+) of them unknown/;
is($unknown, 0, 'every history could be judged');

my $r = $s->client;
is($r->cmd('debug', 'audit'), '+OK', 'nothing is amiss in the store');

$s->until(sub { $s->workers == $s->{workers} });

done_testing();


# All that the pipe holds has been said: its writer is gone.

sub ended {
    my ($from) = @_;

    my $bits = '';
    vec($bits, fileno($from), 1) = 1;

    return select($bits, undef, undef, 0) > 0;
}
