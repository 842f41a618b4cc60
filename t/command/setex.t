#!/usr/bin/perl

# SETNX, SETEX, PSETEX, GETSET, MSETNX, MSETEX, DELEX, DELIFEQ, DIGEST

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

sub count_is {
    my ($name) = @_;
    return "-ERR wrong number of arguments for '$name' command";
}

is($r->cmd(qw/setnx a 1/), ':1', 'a missing key');
is($r->cmd(qw/setnx a 2/), ':0', 'is there now');
is($r->cmd(qw/get a/), '$1 1', 'with its first value');
is($r->cmd(qw/setnx a/), count_is('setnx'), 'too few');

is($r->cmd(qw/setex a 100 x/), '+OK', 'for some seconds');
is($r->cmd(qw/ttl a/), ':100', 'that many');
is($r->cmd(qw/psetex a 200000 y/), '+OK', 'for milliseconds');
is($r->cmd(qw/ttl a/), ':200', 'that many');
is($r->cmd(qw/get a/), '$1 y', 'the value comes last');
is($r->cmd(qw/setex a 0 x/), '-ERR invalid expire time in \'setex\' command',
    'for no time');
is($r->cmd(qw/psetex a -1 x/),
    '-ERR invalid expire time in \'psetex\' command', 'for less');
is($r->cmd(qw/setex a 9223372036854775807 x/),
    '-ERR invalid expire time in \'setex\' command', 'for too long');
is($r->cmd(qw/psetex a 9223372036854775807 x/),
    '-ERR invalid expire time in \'psetex\' command', 'for too long, too');
is($r->cmd(qw/setex a b x/), '-ERR value is not an integer or out of range',
    'for what is no time');
is($r->cmd(qw/setex a 1/), count_is('setex'), 'too few');

is($r->cmd(qw/getset a z/), '$1 y', 'the one before');
is($r->cmd(qw/ttl a/), ':-1', 'and no expiry');
is($r->cmd(qw/getset new z/), '$-1', 'none before');
is($r->cmd(qw/get new/), '$1 z', 'but now');
is($r->cmd(qw/getset a/), count_is('getset'), 'too few');

# several at once

is($r->cmd(qw/msetnx b 1 c 2 a 3/), ':0', 'one is there');
is($r->cmd(qw/exists b c/), ':0', 'so none is set');
is($r->cmd(qw/msetnx b 1 c 2 b 3/), ':1', 'none is there');
is($r->cmd(qw/mget b c/), '*2 $1 3 $1 2', 'so all are');
is($r->cmd(qw/msetnx d 1 e/), count_is('msetnx'), 'a value is missing');

is($r->cmd(qw/msetex 2 b 4 f 5/), ':1', 'any');
is($r->cmd(qw/mget b f/), '*2 $1 4 $1 5', 'are set');
is($r->cmd(qw/msetex 2 b 6 g 7 xx/), ':0', 'one is not there');
is($r->cmd(qw/msetex 2 b 6 g 7 nx/), ':0', 'one is');
is($r->cmd(qw/mget b g/), '*2 $1 4 $-1', 'none was set');
is($r->cmd(qw/msetex 2 b 6 f 7 xx ex 100/), ':1', 'all are there');
is($r->cmd(qw/msetex 2 g 6 h 7 px 200000 nx/), ':1', 'all are not');
is($r->cmd(qw/ttl f/), ':100', 'a time for all');
is($r->cmd(qw/ttl h/), ':200', 'of others');
is($r->cmd(qw/msetex 2 f 8 a 9 keepttl/), ':1', 'keeps times');
is($r->cmd(qw/ttl f/), ':100', 'that there were');
is($r->cmd(qw/ttl a/), ':-1', 'but makes none');
is($r->cmd(qw/msetex 1 f 8/), ':1', 'without options');
is($r->cmd(qw/ttl f/), ':-1', 'ends them');
is($r->cmd(qw/msetex 1 f 8 exat 99999999999/), ':1', 'a time in seconds');
is($r->cmd(qw/msetex 1 g 8 pxat 99999999999123/), ':1', 'in milliseconds');
is($r->cmd(qw/pexpiretime f/), ':99999999999000', 'as it is');
is($r->cmd(qw/pexpiretime g/), ':99999999999123', 'as it is');
is($r->cmd(qw/msetex 2 f 8 g 8 exat 1/), ':1', 'a time that is past');
is($r->cmd(qw/exists f g/), ':0', 'removes');
is($r->cmd(qw/msetex 1 keys 8/), ':1', 'a key of any name');
is($r->cmd(qw/msetex 0 a 1/), '-ERR invalid numkeys value or out of range',
    'no keys');
is($r->cmd(qw/msetex x a 1/), '-ERR invalid numkeys value or out of range',
    'no number');
is($r->cmd(qw/msetex 2147483648 a 1/),
    '-ERR invalid numkeys value or out of range', 'too many');
is($r->cmd(qw/msetex 2147483647 a 1/), '-ERR syntax error', 'not that many');
is($r->cmd(qw/msetex 2 a 1 b/), '-ERR syntax error', 'a value is missing');
is($r->cmd(qw/msetex 1 a 1 b 2/), '-ERR syntax error', 'one too much');
is($r->cmd(qw/msetex 1 a 1 nx xx/), '-ERR syntax error', 'only one of them');
is($r->cmd(qw/msetex 1 a 1 ex 1 px 1/), '-ERR syntax error', 'or of these');
is($r->cmd(qw/msetex 1 a 1 ex/), '-ERR syntax error', 'a time is missing');
is($r->cmd(qw/msetex 1 a 1 get/), '-ERR syntax error', 'an option of set');
is($r->cmd(qw/msetex 1 a 1 ex 0/),
    '-ERR invalid expire time in \'msetex\' command', 'no time');
is($r->cmd(qw/msetex 1 a/), count_is('msetex'), 'too few');

# more than go without the gate

my @many = map { ("many:$_", $_) } 1 .. 500;

is($r->cmd('msetex', 500, @many, 'nx', 'ex', 100), ':1', 'five hundred');
is($r->cmd('msetex', 500, @many, 'nx'), ':0', 'once');
is($r->cmd(qw/ttl many:500/), ':100', 'to the last');
is($r->cmd('msetnx', @many), ':0', 'and no more');

# digests, conditions

is($r->cmd('set', 'k', 'Hello world'), '+OK', 'a value');
is($r->cmd(qw/digest k/), '$16 b6acb9d84a38ff74', 'its digest');
is($r->cmd(qw/digest none/), '$-1', 'of a missing key');
is($r->cmd(qw/set n 12345/), '+OK', 'a number');
is($r->cmd(qw/digest n/), $r->cmd(qw/append m 12345/) && $r->cmd(qw/digest m/),
    'has the digest of its text');
is($r->cmd(qw/digest/), count_is('digest'), 'too few');

is($r->cmd(qw/delex k ifeq x/), ':0', 'another value');
is($r->cmd('delex', 'k', 'ifne', 'Hello world'), ':0', 'not another');
is($r->cmd(qw/delex k ifdeq 0123456789abcdef/), ':0', 'another digest');
is($r->cmd(qw/delex k IFDNE B6ACB9D84A38FF74/), ':0', 'not another');
is($r->cmd('delex', 'k', 'IFEQ', 'Hello world'), ':1', 'the value');
is($r->cmd(qw/exists k/), ':0', 'is gone');
is($r->cmd('set', 'k', 'Hello world'), '+OK', 'again');
is($r->cmd(qw/delex k ifdeq b6acb9d84a38ff74/), ':1', 'the digest');
is($r->cmd(qw/delex n ifne 1/), ':1', 'any other value');
is($r->cmd(qw/delex m/), ':1', 'any value');
is($r->cmd(qw/delex m/), ':0', 'a missing key');
is($r->cmd(qw/delex m ifne x/), ':0', 'a missing key, whatever it is not');
is($r->cmd(qw/delex m foo x/), ':0', 'whatever the condition');
is($r->cmd(qw/set k v/), '+OK', 'with a key there is');
is($r->cmd(qw/delex k foo x/),
    '-ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE',
    'it is looked at');
is($r->cmd(qw/delex k ifdeq 12/),
    '-ERR must be exactly 16 hexadecimal characters', 'and so is the digest');
is($r->cmd(qw/delex k ifeq/), count_is('delex'), 'a value is missing');
is($r->cmd(qw/delex k ifeq v ifne w/), count_is('delex'), 'too many');

is($r->cmd(qw/delifeq k x/), ':0', 'another value');
is($r->cmd(qw/delifeq k v/), ':1', 'the value');
is($r->cmd(qw/delifeq k v/), ':0', 'a missing key');
is($r->cmd(qw/delifeq k/), count_is('delifeq'), 'too few');

done_testing();
