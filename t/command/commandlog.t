#!/usr/bin/perl

# COMMANDLOG of Valkey: commands that took long, that came with many bytes, or
# were answered with many

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

sub entries {
    my ($type, $count) = @_;
    return $r->value('commandlog', 'get', $count // -1, $type);
}

is_deeply($r->value(qw/config get commandlog-*/), [
    'commandlog-execution-slower-than'  => 10000,
    'commandlog-large-reply-max-len'    => 128,
    'commandlog-large-request-max-len'  => 128,
    'commandlog-reply-larger-than'      => 1048576,
    'commandlog-request-larger-than'    => 1048576,
    'commandlog-slow-execution-max-len' => 128,
], 'parameters');

for my $type (qw/slow large-request large-reply LARGE-Reply/) {
    is($r->cmd('commandlog', 'len', $type), ':0', "$type: empty");
    is($r->cmd('commandlog', 'get', 10, $type), '*0', "$type: nothing");
    is($r->cmd('commandlog', 'reset', $type), '+OK', "$type: reset");
}

# mistakes

my $types = '-ERR type should be one of the following: slow, large-request, '
    . 'large-reply';
my $count = '-ERR count should be greater than or equal to -1';

is($r->cmd('commandlog'),
    "-ERR wrong number of arguments for 'commandlog' command", 'alone');
is($r->cmd(qw/commandlog get 1/),
    "-ERR wrong number of arguments for 'commandlog|get' command", 'no type');
is($r->cmd(qw/commandlog get 1 slow x/),
    "-ERR wrong number of arguments for 'commandlog|get' command", 'too many');
is($r->cmd(qw/commandlog len/),
    "-ERR wrong number of arguments for 'commandlog|len' command", 'len');
is($r->cmd(qw/commandlog reset/),
    "-ERR wrong number of arguments for 'commandlog|reset' command", 'reset');
is($r->cmd(qw/commandlog get 1 x/), $types, 'no such type');
is($r->cmd(qw/commandlog len x/), $types, 'no such type to count');
is($r->cmd(qw/commandlog reset x/), $types, 'no such type to clear');
is($r->cmd(qw/commandlog get -2 slow/), $count, 'a count that is too low');
is($r->cmd(qw/commandlog get x x/), $count, 'no count');
is($r->cmd(qw/commandlog nope/),
    "-ERR unknown subcommand 'nope'. Try COMMANDLOG HELP.", 'no such thing');
like($r->cmd(qw/commandlog help/), qr/^\*9 \+COMMANDLOG /, 'help');
is($r->cmd(qw/config set commandlog-request-larger-than -2/),
    "-ERR CONFIG SET failed (possibly related to argument "
    . "'commandlog-request-larger-than') - argument must be between -1 and "
    . '9223372036854775807 inclusive', 'a threshold that is too low');

# the slow log is one of them

$r->cmd(qw/client setname me/);
$r->cmd(qw/debug sleep 0.05/);
is_deeply(entries('slow'), $r->value(qw/slowlog get/), 'the same');
is($r->cmd(qw/commandlog len slow/), ':1', 'what took long');
is($r->cmd(qw/config set commandlog-execution-slower-than 20000/), '+OK',
    'by its other name');
is($r->value(qw/config get slowlog-log-slower-than/)->[1], 20000, 'the same');
is($r->cmd(qw/config set slowlog-max-len 5/), '+OK', 'by its first name');
is($r->value(qw/config get commandlog-slow-execution-max-len/)->[1], 5,
    'the same');
is($r->cmd(qw/commandlog reset slow/), '+OK', 'reset');
is($r->cmd(qw/slowlog len/), ':0', 'of both');

# requests: bytes as they came

$r->cmd(qw/config set commandlog-request-larger-than 100/);
$r->cmd('set', 'k', 'v' x 72);
is($r->cmd(qw/commandlog len large-request/), ':0', '99 bytes');
$r->cmd('set', 'k', 'v' x 73);
$r->cmd('set', 'k', 'v' x 80);

my $e = entries('large-request');
is(@$e, 2, 'two large ones');
is_deeply([ map { $_->[0] } @$e ], [ 1, 0 ], 'their numbers');
cmp_ok(abs($e->[0][1] - time), '<', 5, 'when it was');
is_deeply([ map { $_->[2] } @$e ], [ 107, 100 ], 'their bytes');
is_deeply($e->[0][3], [ 'set', 'k', 'v' x 80 ], 'what');
like($e->[0][4], qr/^127\.0\.0\.1:\d+$/, 'from where');
is($e->[0][5], 'me', 'whose');

$r->write('set k ' . 'v' x 91 . "\r\n");
is($r->reply, '+OK', 'a line');
$r->write('set k ' . 'v' x 92 . "\r\n");
is($r->reply, '+OK', 'a longer line');
$e = entries('large-request');
is(@$e, 3, 'a line of 99 bytes is none');
is($e->[0][2], 100, 'a line of 100 is');

# in pieces, and received where it is to stay

my $big = 'w' x 500000;
my $bytes = "*3\r\n\$3\r\nset\r\n\$1\r\nk\r\n\$500000\r\n$big\r\n";

for my $at (1, 10, 30, 1000, 400000) {
    $r->write(substr($bytes, 0, $at));
    select(undef, undef, undef, 0.02);
    $r->write(substr($bytes, $at));
    is($r->reply, '+OK', "in two pieces, $at bytes first");
    is(entries('large-request', 1)->[0][2], length $bytes, 'its bytes');
}

$e = entries('large-request', 1)->[0];
like($e->[3][2], qr/^w{0,128}\.\.\. \(\d+ more bytes\)$/, 'is trimmed');

# a command that fails has a request, one that is refused is not run

my $n = $r->value(qw/commandlog len large-request/);
$r->cmd('incrby', 'k', 'x' x 100);
$r->cmd('nope', 'x' x 100);
$r->cmd('get', 'x' x 100, 'y');
is($r->value(qw/commandlog len large-request/), $n + 1, 'errors');

# no more than wanted; none; many in a pipeline

$r->cmd(qw/config set commandlog-large-request-max-len 3/);
$r->pipe(map { [ 'echo', $_ x 100 ] } 1 .. 9);
$e = entries('large-request');
is_deeply([ map { substr $_->[3][1], 0, 1 } @$e ], [ 9, 8, 7 ],
    'the newest three');
is(@{ entries('large-request', 2) }, 2, 'two of them');
is(@{ entries('large-request', 0) }, 0, 'none of them');

$r->cmd(qw/config set commandlog-large-request-max-len 0/);
$r->cmd('echo', 'x' x 100);
$r->cmd(qw/config set commandlog-large-request-max-len 3/);
$r->cmd(qw/config set commandlog-request-larger-than -1/);
$r->cmd('echo', 'x' x 100);
is(substr(entries('large-request', 1)->[0][3][1], 0, 1), 9, 'none is noted');

# replies

is($r->cmd(qw/commandlog len large-reply/), ':0', 'none so far');
$r->cmd(qw/config set commandlog-reply-larger-than 50/);
$r->cmd('echo', 'x' x 42);
is($r->cmd(qw/commandlog len large-reply/), ':0', '49 bytes');
$r->cmd('echo', 'x' x 43);
$r->cmd('echo', 'y' x 44);
$e = entries('large-reply');
is_deeply([ map { $_->[2] } @$e ], [ 51, 50 ], 'their bytes');
is_deeply($e->[0][3], [ 'echo', 'y' x 44 ], 'what');
is($e->[0][5], 'me', 'whose');

# its own reply was large

is(entries('large-reply', 1)->[0][3][0], 'commandlog', 'of itself');

# larger than a block, sent from where it lies, an error

$r->cmd(qw/config set commandlog-reply-larger-than 10000/);
$r->cmd(qw/commandlog reset large-reply/);
$r->cmd('set', 'm', 'm' x 20000);
$r->cmd('get', 'm');
$r->cmd('get', 'k');
$r->pipe([ 'get', 'm' ], [ 'ping' ], [ 'get', 'm' ]);
is_deeply([ map { $_->[2] } @{ entries('large-reply') } ],
    [ 20010, 20010, 500011, 20010 ], 'large ones');

$r->cmd(qw/config set commandlog-reply-larger-than 60/);
$r->cmd(qw/commandlog reset large-reply/);
$r->cmd('object', 'x' x 100);
$r->cmd('incrby', 'k', '1');
$r->cmd(qw/config set commandlog-reply-larger-than 30/);
is($r->cmd(qw/commandlog len large-reply/), ':0', 'short errors');
$r->cmd('incrby', 'k', '1');
is(entries('large-reply', 1)->[0][3][0], 'incrby', 'an error');

# in a transaction each has its own

$r->cmd(qw/config set commandlog-request-larger-than 100/);
$r->cmd(qw/commandlog reset large-reply/);
$r->cmd(qw/commandlog reset large-request/);
$r->cmd('multi');
$r->cmd('set', 'a', 'z' x 100);
$r->cmd('get', 'a');
$r->cmd('echo', 'q');
is($r->cmd('discard'), '+OK', 'given up');
is($r->cmd(qw/commandlog len large-request/), ':0', 'was not run');
$r->cmd('multi');
$r->cmd('set', 'a', 'z' x 100);
$r->cmd('get', 'a');
$r->cmd('echo', 'q');
like($r->cmd('exec'), qr/^\*3/, 'exec');
is_deeply([ map { @$_[2, 3] } @{ entries('large-request') } ],
    [ 128, [ 'set', 'a', 'z' x 100 ] ], 'request');
is_deeply([ map { @$_[2, 3] } grep { $_->[3][0] ne 'commandlog' }
            @{ entries('large-reply') } ],
    [ 108, [ 'get', 'a' ] ], 'reply');

# secrets

$r->cmd(qw/config set commandlog-request-larger-than 0/);
$r->cmd(qw/config set requirepass secret/);
is_deeply(entries('large-request', 1)->[0][3],
    [ 'config', 'set', 'requirepass', '(redacted)' ], 'redacted');
$r->cmd('config', 'set', 'requirepass', '');

# of all workers; and a worker that is killed takes nothing along

$r->cmd(qw/config set commandlog-request-larger-than 1000/);
$r->cmd(qw/config set commandlog-large-request-max-len 1000/);
$r->cmd(qw/commandlog reset large-request/);
my @clients = map { $s->client } 1 .. 8;
$_->pipe(map { [ 'echo', $_ x 1000 ] } 1 .. 9) for @clients;
$e = entries('large-request');
is(@$e, 72, 'of all workers');
my %ids = map { $_->[0] => 1 } @$e;
is(keys %ids, 72, 'each with its number');

$_->close for @clients, $r;
ok($s->kill_worker, 'a worker is killed');
$r = $s->client;
is_deeply(entries('large-request'), $e, 'what was there is');

done_testing();
