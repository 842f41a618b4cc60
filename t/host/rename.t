#!/usr/bin/perl

# Big values change their names, and with them their shards, while others send
# them from where they lie: each is whole, no pin and no page is lost.
# RENAME_SECONDS says how long (3).
# workers: 4

use strict;
use warnings;

use Time::HiRes qw(time sleep);
use POSIX ();

use Olivine;

my $seconds = $ENV{RENAME_SECONDS} || 3;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

# a value names itself in each of its parts

sub value { my ($n) = @_; return "<value $n>" x 15_000 }

my $values = 6;
my $names = 8;

$r->cmd('set', "big:$_:0", value($_)) for 1 .. $values;

my $before = used($r);
my $end = time + $seconds;
my @pids;

# two of each: rename to and fro, read, dump; one copies over others

for my $who (qw/rename rename get get dump copy/) {
    my $pid = fork // die "fork: $!\n";

    if ($pid) {
        push @pids, $pid;
        next;
    }

    srand($$);

    my $c = $s->client;
    my $bad = 0;
    my $done = 0;

    while (time < $end) {
        my $n = 1 + int(rand($values));
        my ($from, $to) = map { "big:$n:" . int(rand($names)) } 1, 2;
        my $reply;

        if ($who eq 'get') {
            $reply = $c->value('get', $from);
            $bad++ if defined $reply && $reply ne value($n);

        } elsif ($who eq 'dump') {
            $reply = $c->value('dump', $from);
            $bad++ if defined $reply && $reply !~ /^\x00[\xc3\x80]/;

        } elsif ($who eq 'copy') {
            $reply = $c->cmd('copy', $from, $to, 'replace');
            $bad++ if $reply !~ /^(?::[01]|-ERR source and dest)/;

        } else {
            $reply = $c->cmd('rename', $from, $to);
            $bad++ if $reply !~ /^(?:\+OK|-ERR no such key)$/;
        }

        $done++;
    }

    POSIX::_exit($bad ? 1 : $done > 20 ? 0 : 2);
}

my $bad = 0;

for my $pid (@pids) {
    waitpid $pid, 0;
    $bad++ if $?;
}

is($bad, 0, 'every reply was right');
is($r->cmd(qw/debug audit/), '+OK', 'nothing is amiss in the store');

my @left = @{ $r->value('keys', 'big:*') };
my %whole = map { $_ => 1 } map { /big:(\d+)/ } @left;

is(keys %whole, $values, 'no value was lost');
is(scalar(grep { my ($n) = /big:(\d+)/;
                 $r->value('get', $_) ne value($n) } @left), 0,
    'all that are left are whole');

$r->cmd('del', @left);
cmp_ok(used($r), '<', $before, 'no page is held by anybody');
is($r->cmd(qw/debug audit/), '+OK', 'nothing is amiss behind that');

done_testing();


sub used {
    return ($_[0]->value('info', 'memory') =~ /^used_memory:(\d+)/m)[0];
}
