#!/usr/bin/perl

# Clients that are too many, too slow, or idle.
# workers: 1 2

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep time);

# maxclients

my $s = olivine(connections => 100, params => [[ 'maxclients', 20 ]]);

my @clients = map { $s->client } 1 .. 20;
is(scalar(grep { $_->cmd('ping') eq '+PONG' } @clients), 20, 'twenty clients');

for (1 .. 3) {
    my $more = $s->client;
    is($more->rest, "-ERR max number of clients reached\r\n",
        'one more is told so');
}

is($clients[0]->cmd('ping'), '+PONG', 'those of before go on');

pop @clients;
ok($s->until(sub {
    my $reply = $s->client->cmd('ping');
    return $reply && $reply eq '+PONG';
}), 'where one leaves, another comes in');

is($clients[0]->cmd(qw/config set maxclients 100/), '+OK', 'a higher limit');

# a client that never reads

my $value = 'x' x 1000;
is($clients[0]->cmd('set', 'k', $value), '+OK', 'a value');

# all is sent before anything is read

my $eager = $s->client(timeout => 20);
my $many = 400000;
my $all = $eager->frame('get', 'nosuchkey') x $many;
my $at = 0;

$eager->socket->blocking(1);

while ($at < length $all) {
    my $n = syswrite $eager->socket, $all, 1 << 16, $at or last;
    $at += $n;
}

$eager->socket->blocking(0);
is($at, length $all, 'a client sends ten megabytes before it reads');
is($eager->bytes(5 * $many), "\$-1\r\n" x $many, 'and has its replies then');

my $slow = $s->client(timeout => 1);
my $socket = $slow->socket;
setsockopt $socket, Socket::SOL_SOCKET(), Socket::SO_SNDBUF(), 4096;

my $get = $slow->frame('get', 'k');
my $out = $get x 1000;
my ($sent, $full) = (0, 0);
my $end = time + 10;

while (time < $end) {
    my $n = syswrite $socket, $out;

    if (defined $n) {
        $sent += $n;
        $out = substr($get x 1001, $sent % length $get, 1000 * length $get);
        $full = 0;
        next;
    }

    # nothing is taken any more
    last if ++$full > 50;
    sleep 0.02;
}

cmp_ok($full, '>', 50, "it is not read from after $sent bytes");
is($clients[0]->cmd('ping'), '+PONG', 'others are served');

my $n = int $sent / length $get;
my $want = '$1000 ' . $value;
my $got = 0;

for (1 .. $n) {
    my $reply = $slow->reply;
    last if !defined $reply || $reply ne $want;
    $got++;
}

is($got, $n, 'it starts to read, and has every reply');
close $slow->socket;

# its limit

is($clients[0]->cmd('config', 'set', 'client-output-buffer-limit',
    'normal 100000 0 0'), '+OK', 'a limit of replies that wait');

my $big = $s->client;
$big->write(join '', map { $big->frame(qw/get k/) } 1 .. 2000);
sleep 0.2;
$big->rest;
ok($big->{eof}, 'a client beyond it is closed');
is($clients[0]->cmd('ping'), '+PONG', 'others are served');

# timeout

is($clients[0]->cmd(qw/config set timeout 1/), '+OK', 'a timeout');

my $begin = time;
my $idle = $s->client;
my $busy = $s->client;

is($idle->cmd('ping'), '+PONG', 'a client that is idle from now on');

while (time - $begin < 1.7) {
    $busy->cmd('ping');
    sleep 0.1;
}

ok($idle->closed, 'it is closed');
is($busy->cmd('ping'), '+PONG', 'one that was not idle is there');
ok($clients[1]->closed, 'so is one that came before the parameter');

is($busy->cmd(qw/config set timeout 0/), '+OK', 'no timeout any more');
sleep 1.5;
is($busy->cmd('ping'), '+PONG', 'an idle client stays');

done_testing();
