#!/usr/bin/perl

# INCR, DECR, INCRBY, DECRBY

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/incr n/), ':1', 'a missing key is zero');
is($r->cmd(qw/incr n/), ':2', 'and then a number');
is($r->cmd(qw/incrby n 40/), ':42', 'by more');
is($r->cmd(qw/incrby n -2/), ':40', 'by less than nothing');
is($r->cmd(qw/decr n/), ':39', 'down');
is($r->cmd(qw/decrby n 39/), ':0', 'by more');
is($r->cmd(qw/decr n/), ':-1', 'below zero');
is($r->cmd(qw/decrby n -10/), ':9', 'by less than nothing');
is($r->cmd(qw/get n/), '$1 9', 'it reads as text');
is($r->cmd(qw/set n 007/), '+OK', 'leading zeros');
is($r->cmd(qw/incr n/), '-ERR value is not an integer or out of range',
    'are no number');
is($r->cmd('set', 'n', ' 7'), '+OK', 'blanks');
is($r->cmd(qw/incr n/), '-ERR value is not an integer or out of range',
    'are none');
is($r->cmd('set', 'n', '7 '), '+OK', 'at the end');
is($r->cmd(qw/incr n/), '-ERR value is not an integer or out of range',
    'neither');
is($r->cmd(qw/set n +7/), '+OK', 'nor is a plus');
is($r->cmd(qw/incr n/), '-ERR value is not an integer or out of range',
    'sign');
is($r->cmd(qw/set n 1.5/), '+OK', 'nor a fraction');
is($r->cmd(qw/incr n/), '-ERR value is not an integer or out of range',
    'of one');
is($r->cmd('set', 'n', ''), '+OK', 'nor is nothing');
is($r->cmd(qw/incr n/), '-ERR value is not an integer or out of range',
    'at all');
is($r->cmd(qw/set n -0/), '+OK', 'there is one zero');
is($r->cmd(qw/incr n/), '-ERR value is not an integer or out of range',
    'and it has no sign');
is($r->cmd(qw/set n 9223372036854775807/), '+OK', 'the largest');
is($r->cmd(qw/incr n/), '-ERR increment or decrement would overflow',
    'has no successor');
is($r->cmd(qw/incrby n 1/), '-ERR increment or decrement would overflow',
    'by neither name');
is($r->cmd(qw/decrby n -1/), '-ERR increment or decrement would overflow',
    'nor this one');
is($r->cmd(qw/get n/), '$19 9223372036854775807', 'it stays');
is($r->cmd(qw/decr n/), ':9223372036854775806', 'but a predecessor');
is($r->cmd(qw/set n -9223372036854775808/), '+OK', 'the least');
is($r->cmd(qw/decr n/), '-ERR increment or decrement would overflow',
    'has none');
is($r->cmd(qw/decrby n 1/), '-ERR increment or decrement would overflow',
    'by neither name');
is($r->cmd(qw/incrby n -1/), '-ERR increment or decrement would overflow',
    'nor this one');
is($r->cmd(qw/incrby n 9223372036854775807/), ':-1', 'they are far apart');
is($r->cmd(qw/incrby n 9223372036854775808/),
    '-ERR value is not an integer or out of range',
    'an argument that does not fit');
is($r->cmd(qw/decrby n -9223372036854775808/), '-ERR decrement would overflow',
    'nor does this one\'s opposite');
is($r->cmd(qw/incrby n abc/), '-ERR value is not an integer or out of range',
    'no number');
is($r->cmd(qw/decrby n 1.0/), '-ERR value is not an integer or out of range',
    'nor is this');
is($r->cmd('incrby', 'n', ''), '-ERR value is not an integer or out of range',
    'nor nothing');
is($r->cmd(qw/incr/), '-ERR wrong number of arguments for \'incr\' command',
    'too few');
is($r->cmd(qw/incrby n/),
    '-ERR wrong number of arguments for \'incrby\' command',
    'too few');
is($r->cmd(qw/decrby n 1 2/),
    '-ERR wrong number of arguments for \'decrby\' command',
    'too many');
is($r->cmd(qw/set n 10 ex 100/), '+OK', 'an expiry');
is($r->cmd(qw/incr n/), ':11', 'is kept');
is($r->cmd(qw/ttl n/), ':100', 'by incr');

done_testing();
