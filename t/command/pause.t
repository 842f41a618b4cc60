#!/usr/bin/perl

# CLIENT PAUSE and UNPAUSE
# workers: 1 2

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep time);

my $s = olivine(params => [[ 'enable-debug-command', 'yes' ]]);
my $r = $s->client;
my @c = map { $s->client } 1 .. 8;

is($r->cmd(qw/client pause/),
    '-ERR wrong number of arguments for \'client|pause\' command', 'too few');
is($r->cmd(qw/client pause x/),
    '-ERR timeout is not an integer or out of range', 'no number');
is($r->cmd(qw/client pause -1/), '-ERR timeout is negative', 'negative');
is($r->cmd(qw/client pause 9223372036854775807/),
    '-ERR timeout is out of range', 'too large');
is($r->cmd(qw/client pause 10 foo/),
    '-ERR CLIENT PAUSE mode must be WRITE or ALL', 'no mode');
is($r->cmd(qw/client pause 10 write x/), '-ERR syntax error', 'too many');
is($r->cmd(qw/client unpause/), '+OK', 'nothing to end');

# writes

is($r->cmd(qw/set k v/), '+OK', 'a key');
is($r->cmd(qw/client pause 100000 write/), '+OK', 'writes are paused');

$_->write($_->frame(qw/incr n/) . $_->frame(qw/incr n/)) for @c;
is($r->cmd(qw/get k/), '$1 v', 'reads go on');
is(scalar(grep { $_->silent(0.02) } @c), 8, 'writes wait');
is($r->cmd(qw/dbsize/), ':1', 'and did nothing');
is($r->cmd(qw/set/), '-ERR wrong number of arguments for \'set\' command',
    'mistakes are answered');
ok($s->until(sub { $r->value(qw/info clients/) =~ /^blocked_clients:8\r$/m }),
    'INFO counts them');
is(scalar(() = $r->value(qw/client list/) =~ / flags=b /g), 8,
    'CLIENT LIST shows them');

my ($waits) = $c[0]->socket->sockport;
is($r->cmd('client', 'unblock', ($r->value('client', 'list', 'addr',
    "127.0.0.1:$waits") =~ /^id=(\d+)/)[0]), ':0', 'they are not unblocked');

is($r->cmd(qw/client kill addr/, "127.0.0.1:$waits"), ':1', 'but killed');
ok((shift @c)->closed, 'one is closed');

(shift @c)->close;
ok($s->until(sub { $r->value(qw/info clients/) =~ /^blocked_clients:6\r$/m }),
    'one that leaves is noticed');

is($r->cmd(qw/client unpause/), '+OK', 'it ends');
my @n = map { substr $_, 1 } map { my $x = $_; ($x->reply, $x->reply) } @c;
is(join(' ', sort { $a <=> $b } @n), join(' ', 1 .. 12), 'they go on');
like($r->value(qw/info clients/), qr/^blocked_clients:0\r$/m, 'nobody waits');

# by time

my $begin = time;
is($r->cmd(qw/client pause 300 write/), '+OK', 'for a time');
is($c[0]->cmd(qw/set k w/), '+OK', 'a write is done');
my $took = time - $begin;
ok($took > 0.29 && $took < 0.6, 'when it is over') or diag $took;

# it is neither shortened nor eased

is($r->cmd(qw/client pause 400 write/), '+OK', 'long');
is($r->cmd(qw/client pause 10 write/), '+OK', 'then short');
$begin = time;
is($c[0]->cmd(qw/set k x/), '+OK', 'a write');
ok(time - $begin > 0.3, 'waits for the longer');

# all

is($r->cmd(qw/client pause 400/), '+OK', 'all');
$begin = time;
$_->write($_->frame('ping')) for @c;
is(scalar(grep { $_->silent(0.01) } @c), 6, 'nothing goes on');
is($r->cmd('ping'), '+PONG', 'not even for who paused');
ok(time - $begin > 0.3, 'until it is over');
is(join(' ', map { $_->reply } @c), join(' ', ('+PONG') x 6), 'all go on');

is($r->cmd(qw/client pause 300 all/), '+OK', 'all');
$c[0]->write($c[0]->frame('nope'));
is($c[0]->reply, '-ERR unknown command \'nope\', with args beginning with: ',
    'mistakes are answered');
is($r->cmd(qw/client unpause/), '+OK', 'over');

# transactions

my @in = map { $_->cmd('multi') } @c[0, 1];
is($c[0]->cmd(qw/set t 1/), '+QUEUED', 'one that writes');
is($c[1]->cmd(qw/get t/), '+QUEUED', 'one that does not');
is($r->cmd(qw/client pause 100000 write/), '+OK', 'paused');
$c[0]->write($c[0]->frame('exec'));
is($c[1]->cmd('exec'), '*1 $-1', 'the other is done');
ok($c[0]->silent(0.05), 'the one waits');
is($r->cmd(qw/client unpause/), '+OK', 'over');
is($c[0]->reply, '*1 +OK', 'it is done');

# expiry

is($r->cmd(qw/flushall/), '+OK', 'no keys');
is($r->cmd(qw/set e v px 20/), '+OK', 'one that expires');
is($r->cmd(qw/client pause 100000 write/), '+OK', 'paused');
sleep 0.4;
is($r->cmd(qw/get e/), '$-1', 'it is not there');
is($r->cmd(qw/dbsize/), ':1', 'but not removed');
is($r->cmd(qw/randomkey/), '$1 e', 'as RANDOMKEY shows');
is($r->cmd(qw/client unpause/), '+OK', 'over');
is($r->cmd(qw/randomkey/), '$-1', 'but not any more');
ok($s->until(sub { $r->cmd(qw/dbsize/) eq ':0' }), 'now it is');

# it outlives who called for it, and his worker

my $p = $s->client;
is($p->cmd(qw/client pause 100000 write/), '+OK', 'paused');
my $worker = $s->worker($p);
$p->close;
$s->kill_worker($worker);
$p = $s->client;
$p->write($p->frame(qw/set k v/));
ok($p->silent(0.2), 'a write waits');
my $u = $s->client;
is($u->cmd(qw/client unpause/), '+OK', 'over');
is($p->reply, '+OK', 'it is done');

# a server that ends does not wait for those that wait

is($u->cmd(qw/client pause 100000 write/), '+OK', 'paused');
$p->write($p->frame(qw/set k v/));
ok($p->silent(0.1), 'a write waits');
$begin = time;
$s->stop('QUIT');
cmp_ok(time - $begin, '<', 1, 'the server ends');
ok($p->closed, 'it is closed');

done_testing();
