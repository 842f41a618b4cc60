#!/usr/bin/perl

# Reloads: clients and data live on.
# workers: 1 2

use strict;
use warnings;

use Olivine;

my $s = olivine(main => '', params => [[ 'maxclients', 500 ]]);
my $old = $s->client;

is($old->cmd(qw/set k v/), '+OK', 'a key');
ok($s->reload, 'a reload');
is($old->cmd(qw/get k/), '$1 v', 'a client of before lives on');

my $new = $s->client;
is($new->cmd(qw/get k/), '$1 v', 'a new client finds the key');
is($new->cmd(qw/set k w/), '+OK', 'and changes it');
is($old->cmd(qw/get k/), '$1 w', 'as the one of before sees');

# parameters

is($old->cmd(qw/config set maxclients 600/), '+OK', 'a parameter');
is($old->cmd(qw/config set timeout 700/), '+OK', 'and another');
ok($s->reload, 'a reload of the same file');
is($new->cmd(qw/config get maxclients/), '*2 $10 maxclients $3 600',
    'it is as it was set');

$s->rewrite(params => [[ 'maxclients', 800 ]]);
ok($s->reload, 'a reload with another line');
is($new->cmd(qw/config get maxclients/), '*2 $10 maxclients $3 800',
    'it is as in the file');
is($new->cmd(qw/config get timeout/), '*2 $7 timeout $3 700',
    'the other one is as it was set');

# a pipelined client under load, twenty reloads

my ($sent, $got, $wrong) = (0, 0, 0);
my $begin = time;

for my $round (1 .. 20) {
    my %was = map { $_ => 1 } $s->workers;

    kill HUP => $s->master;

    # until there are only new workers
    for ( ;; ) {
        my @out = map { $old->frame('echo', $sent + $_) } 1 .. 100;
        $old->write(join '', @out) or last;

        for (1 .. 100) {
            my $reply = $old->reply;
            last if !defined $reply;
            my $n = $sent + $_;
            $got++;
            $wrong++ if $reply ne '$' . length($n) . " $n";
        }

        $sent += 100;
        last if $got != $sent;

        my @now = $s->workers;
        last if @now == $s->{workers} && !grep { $was{$_} } @now;
        last if time - $begin > 60;
    }

    last if $got != $sent;
}

cmp_ok($sent, '>=', 2000, "$sent commands were sent during the reloads");
is($got, $sent, 'each had its reply');
is($wrong, 0, 'in order');

undef $old;
undef $new;

ok($s->until(sub { $s->all_workers == $s->{workers} }),
    'old workers leave with their last client');

# not longer than nginx is told to wait

$s->rewrite(main => 'worker_shutdown_timeout 1s;');
ok($s->reload, 'a reload');

my $kept = $s->client;
is($kept->cmd('ping'), '+PONG', 'a client');
ok($s->reload, 'another one');
is($kept->cmd('ping'), '+PONG', 'it lives on');
ok($kept->closed, 'until worker_shutdown_timeout');
is($s->client->cmd('ping'), '+PONG', 'others may come');

done_testing();
