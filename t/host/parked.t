#!/usr/bin/perl

# Clients whose command waits: what comes meanwhile, and their end.
# workers: 1 2

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep time);

my $s = olivine(params => [[ 'enable-debug-command', 'yes' ]]);
my $r = $s->client;
my $sleeper = $s->client;

is($r->cmd(qw/set k v/), '+OK', 'a key');

# waits, is answered, in order

my @waiting = map { $s->client } 1 .. 20;
my $begin = time;

$sleeper->write($sleeper->frame(qw/debug sleep 0.6/));
sleep 0.1;

for my $c (@waiting) {
    $c->write($c->frame(qw/get k/) . $c->frame(qw/echo x/) x 100
              . $c->frame(qw/get k/));
}

ok($waiting[0]->silent(0.2), 'a command waits');
is($sleeper->reply, '+OK', 'until the gate is down');

my $good = 0;

for my $c (@waiting) {
    my @replies = map { $c->reply // '' } 1 .. 102;
    $good++ if join(',', @replies) eq join ',', '$1 v', ('$1 x') x 100, '$1 v';
}

is($good, 20, 'then each has all its replies');
cmp_ok(time - $begin, '<', 1.5, 'at once');

# replies of before are sent while a command waits

$sleeper->write($sleeper->frame(qw/debug sleep 0.5/));
sleep 0.1;
$r->write($r->frame(qw/ping/) . $r->frame(qw/get k/));
is($r->reply, '+PONG', 'the reply before');
ok($r->silent(0.1), 'a command waits');
is($r->reply, '$1 v', 'the reply after');
is($sleeper->reply, '+OK', 'the sleeper');

# half-closed while it waits: it has its reply

my $half = $s->client;
my $reset = $s->client;
my $big = $s->client;

is($_->cmd('ping'), '+PONG', 'a client') for $half, $reset, $big;

$sleeper->write($sleeper->frame(qw/debug sleep 0.6/));
sleep 0.1;

$half->write($half->frame(qw/get k/) . $half->frame(qw/ping/));
$half->half_close;

$reset->write($reset->frame(qw/get k/));
sleep 0.05;
setsockopt $reset->socket, Socket::SOL_SOCKET(), Socket::SO_LINGER(),
    pack('ii', 1, 0);
$reset->close;

# a big argument comes in while the store is closed

my $value = 'x' x 3000000;
$big->write($big->frame('set', 'big', $value));

is($half->rest, "\$1\r\nv\r\n+PONG\r\n", 'half-closed: every reply');
ok($half->{eof}, 'then the end');
is($big->reply, '+OK', 'a big argument');
is(length $r->cmd(qw/get big/), 8 + 1 + length $value, 'is whole');
is($sleeper->reply, '+OK', 'the sleeper');

# the sleeper leaves

$sleeper->write($sleeper->frame(qw/debug sleep 30/));
sleep 0.1;
$r->write($r->frame(qw/get k/));
ok($r->silent(0.2), 'a long sleep');
setsockopt $sleeper->socket, Socket::SOL_SOCKET(), Socket::SO_LINGER(),
    pack('ii', 1, 0);
$sleeper->close;
is($r->reply, '$1 v', 'ends when its client is gone');

# the server quits meanwhile

my $last = $s->client;
$last->write($last->frame(qw/debug sleep 30/));
sleep 0.1;
$r->write($r->frame(qw/get k/));
sleep 0.1;

$begin = time;
$s->stop('QUIT');
cmp_ok(time - $begin, '<', 4, 'a quit does not wait for it');

# the sleeper's end may be just in time for it
like($r->rest, qr/^(?:\$1\r\nv\r\n)?\z/, 'the client that waited');
ok($r->{eof}, 'is closed');

done_testing();
