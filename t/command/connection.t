#!/usr/bin/perl

# PING, ECHO, QUIT, RESET, and commands there are none of

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/ping/), '+PONG', 'a ping');
is($r->cmd(qw/ping hello/), '$5 hello', 'with a message');
is($r->cmd('ping', ''), '$0 ', 'an empty one');
is($r->cmd(qw/ping a b/),
    '-ERR wrong number of arguments for \'ping\' command',
    'too many');
is($r->cmd(qw/echo hello/), '$5 hello', 'an echo');
is($r->cmd('echo', "a\r\nb"), '$4 a b', 'of any bytes');
is($r->cmd(qw/echo/), '-ERR wrong number of arguments for \'echo\' command',
    'too few');
is($r->cmd(qw/echo a b/),
    '-ERR wrong number of arguments for \'echo\' command',
    'too many');
is($r->cmd(qw/nope/),
    '-ERR unknown command \'nope\', with args beginning with: ',
    'an unknown command');
is($r->cmd('nope', 'a', 'b c'),
    '-ERR unknown command \'nope\', with args beginning with: \'a\' \'b c\' ',
    'with its arguments');
is($r->cmd('NoPe', "a\r\nb"),
    '-ERR unknown command \'NoPe\', with args beginning with: \'a  b\' ',
    'line ends are no part of a line');
is($r->cmd('nope',
           '1234567890' x 7,
           '1234567890' x 7,
           'x'),
    '-ERR unknown command \'nope\', with args beginning with: '
    . '\'12345678901234567890123456789012345678901234567890123456789012345'
    . '67890\' \'1234567890123456789012345678901234567890123456789012345\' ',
    'as far as they go');
is($r->cmd(qw/reset x/),
    '-ERR wrong number of arguments for \'reset\' command',
    'too many');
like($r->raw(qw/hello 3/), qr/^%7\r\n/, 'the other protocol');
is($r->cmd(qw/get none/), '_', 'nil in it');
is($r->cmd(qw/reset/), '+RESET', 'and back');
is($r->cmd(qw/get none/), '$-1', 'nil again');
is($r->cmd(qw/select 5/), '+OK', 'another database');
is($r->cmd(qw/client setname joe/), '+OK', 'a name');
is($r->cmd(qw/reset/), '+RESET', 'all');
is($r->cmd(qw/client getname/), '$-1', 'is');
is($r->cmd(qw/set k v/), '+OK', 'gone');
is($r->cmd(qw/dbsize/), ':1', 'and the first');

is($r->cmd('quit'), '+OK', 'quit');
ok($r->closed, 'closes');

$r = $s->client;
is($r->cmd('quit', 'now'), '+OK', 'whatever is behind it');
ok($r->closed, 'closes');

$r = $s->client;
$r->write($r->frame('ping') . $r->frame('quit') . $r->frame('ping'));
is($r->rest, "+PONG\r\n+OK\r\n", 'nothing runs behind it');

done_testing();
