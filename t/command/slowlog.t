#!/usr/bin/perl

# SLOWLOG

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

is($r->cmd(qw/slowlog len/), ':0', 'empty');
is($r->cmd(qw/slowlog get/), '*0', 'nothing');
is($r->value(qw/config get slowlog-log-slower-than/)->[1], 10000,
    'ten milliseconds');
is($r->value(qw/config get slowlog-max-len/)->[1], 128, 'entries');

$r->cmd(qw/client setname me/);
$r->cmd(qw/debug sleep 0.05/);

my $e = $r->value(qw/slowlog get/);
is(@$e, 1, 'what took long');
is($e->[0][0], 0, 'its number');
cmp_ok(abs($e->[0][1] - time), '<', 5, 'when it was');
cmp_ok($e->[0][2], '>=', 50000, 'how long');
is_deeply($e->[0][3], [qw/debug sleep 0.05/], 'what');
like($e->[0][4], qr/^127\.0\.0\.1:\d+$/, 'from where');
is($e->[0][5], 'me', 'whose');

is($r->cmd(qw/slowlog reset/), '+OK', 'reset');
is($r->cmd(qw/slowlog len/), ':0', 'empty again');

# all are logged

$r->cmd(qw/config set slowlog-log-slower-than 0/);
$r->cmd(qw/config set slowlog-max-len 10/);
$r->pipe(map { ['ping', $_] } 1 .. 100);
is($r->cmd(qw/slowlog len/), ':10', 'no more than wanted');
is(scalar @{ $r->value(qw/slowlog get 5/) }, 5, 'some of them');
is(scalar @{ $r->value(qw/slowlog get -1/) }, 10, 'all');
is(scalar @{ $r->value(qw/slowlog get 99/) }, 10, 'no more than there are');
is($r->cmd(qw/slowlog get 0/), '*0', 'none');

$r->pipe(map { ['echo', $_] } 1 .. 5);
$e = $r->value(qw/slowlog get/);
is_deeply([ map { $_->[3][1] } @$e[0 .. 4] ], [ 5, 4, 3, 2, 1 ],
    'newest first');
is($e->[0][0] - $e->[4][0], 4, 'numbers without gaps');

is($r->cmd(qw/slowlog get -2/),
    '-ERR count should be greater than or equal to -1', 'count');
is($r->cmd(qw/slowlog get a/),
    '-ERR count should be greater than or equal to -1', 'no count');
is($r->cmd(qw/slowlog get 1 2/), "-ERR unknown subcommand or wrong number of "
    . "arguments for 'get'. Try SLOWLOG HELP.", 'too many');
like($r->cmd(qw/slowlog nope/), qr/^-ERR unknown subcommand 'nope'/,
    'no such thing');

# trimmed as Redis does

$r->cmd('del', 1 .. 40);
$e = $r->value(qw/slowlog get 1/)->[0];
is(@{ $e->[3] }, 32, 'arguments');
is($e->[3][31], '... (10 more arguments)', 'others');

$r->cmd('get', 'x' x 129);
$e = $r->value(qw/slowlog get 1/)->[0];
is($e->[3][1], 'x' x 128 . '... (1 more bytes)', 'a long one');

$r->cmd('set', 'big', 'y' x 1000000);
$e = $r->value(qw/slowlog get 1/)->[0];
like($e->[3][2], qr/^y{0,128}\.\.\. \(\d+ more bytes\)$/, 'a very long one');

# secrets

$r->cmd(qw/config set requirepass secret/);
$e = $r->value(qw/slowlog get 1/)->[0];
is_deeply($e->[3], ['config', 'set', 'requirepass', '(redacted)'], 'redacted');
$r->cmd('config', 'set', 'requirepass', '');

# of all workers

$r->cmd(qw/slowlog reset/);
$r->cmd(qw/config set slowlog-max-len 1000/);
my @clients = map { $s->client } 1 .. 8;
$_->pipe(map { ['echo', $_] } 1 .. 20) for @clients;
$e = [ grep { $_->[3][0] eq 'echo' } @{ $r->value(qw/slowlog get -1/) } ];
is(@$e, 160, 'of all workers');
my %ids = map { $_->[0] => 1 } @$e;
is(keys %ids, 160, 'each with its number');

# more than there is memory for

$_->pipe(map { ['del', map { $_ x 200 } 1 .. 31] } 1 .. 200) for @clients;
my $n = $r->value(qw/slowlog len/);
cmp_ok($n, '>', 20, 'some are kept');
cmp_ok($n, '<=', 1000, 'no more than wanted');
is(scalar grep({ !@{ $_->[3] } } @{ $r->value(qw/slowlog get -1/) }), 0,
    'whole ones');

# a worker that is killed takes nothing along

my $last = $r->value(qw/slowlog get 1/)->[0][0];
$r->cmd(qw/config set slowlog-log-slower-than -1/);
$_->close for @clients;
$r->close;
ok($s->kill_worker, 'a worker is killed');
$r = $s->client;
cmp_ok($r->value(qw/slowlog get 1/)->[0][0], '>=', $last, 'what it logged');

is($r->cmd(qw/slowlog reset/), '+OK', 'reset');
$r->cmd(qw/debug sleep 0.02/);
is($r->cmd(qw/slowlog len/), ':0', 'nothing is logged');

done_testing();
