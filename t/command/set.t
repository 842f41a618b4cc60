#!/usr/bin/perl

# SET, with every option and error

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/set k one/), '+OK', 'sets');
is($r->cmd(qw/get k/), '$3 one', 'what was set');
is($r->cmd(qw/set k two/), '+OK', 'sets again');
is($r->cmd(qw/get k/), '$3 two', 'the new one');
is($r->cmd('set', 'k', ''), '+OK', 'an empty value');
is($r->cmd(qw/get k/), '$0 ', 'is one');
is($r->cmd('set', '', 'v'), '+OK', 'an empty key');
is($r->cmd('get', ''), '$1 v', 'is one as well');
is($r->cmd('set', 'bin', "a\x00b\r\nc"), '+OK', 'any bytes');
is($r->cmd(qw/get bin/), "\$6 a\x00b c", 'come back');

# conditions

is($r->cmd(qw/set k one nx/), '$-1', 'nx leaves a present key');
is($r->cmd(qw/set new one NX/), '+OK', 'nx sets a missing key, in any case');
is($r->cmd(qw/set new two xx/), '+OK', 'xx sets a present key');
is($r->cmd(qw/set none two xx/), '$-1', 'xx leaves a missing key');
is($r->cmd(qw/set k v nx nx/), '$-1', 'an option twice is no error');
is($r->cmd(qw/set k v nx xx/), '-ERR syntax error',
    'nx and xx exclude each other');
is($r->cmd(qw/set k v xx nx/), '-ERR syntax error', 'in any order');

# get

is($r->cmd(qw/set g one get/), '$-1', 'get of a missing key');
is($r->cmd(qw/set g two get/), '$3 one', 'returns the old value');
is($r->cmd(qw/set g three nx get/), '$3 two', 'also where nx does not set');
is($r->cmd(qw/get g/), '$3 two', 'it did not');
is($r->cmd(qw/set g three xx get/), '$3 two', 'and where xx does');
is($r->cmd(qw/set none v xx get/), '$-1', 'a missing key is nil with xx');
is($r->cmd(qw/get none/), '$-1', 'and not set');

# expiry

is($r->cmd(qw/set e v ex 100/), '+OK', 'seconds');
is($r->cmd(qw/ttl e/), ':100', 'from now');
is($r->cmd(qw/set e v px 100000/), '+OK', 'milliseconds');
is($r->cmd(qw/ttl e/), ':100', 'from now');
is($r->cmd(qw/set e v exat 99999999999/), '+OK', 'a time in seconds');
is($r->cmd(qw/pexpiretime e/), ':99999999999000', 'is kept in milliseconds');
is($r->cmd(qw/set e v pxat 99999999999123/), '+OK', 'a time in milliseconds');
is($r->cmd(qw/pexpiretime e/), ':99999999999123', 'to the millisecond');
is($r->cmd(qw/set e w keepttl/), '+OK', 'the expiry is kept');
is($r->cmd(qw/pexpiretime e/), ':99999999999123', 'where asked for');
is($r->cmd(qw/set e w/), '+OK', 'and ends otherwise');
is($r->cmd(qw/pexpiretime e/), ':-1', 'it has none');
is($r->cmd(qw/set e v ex 5 ex 600/), '+OK', 'the last time counts');
is($r->cmd(qw/ttl e/), ':600', 'of those of one kind');
is($r->cmd(qw/set e v keepttl get/), '$1 v', 'with get');
is($r->cmd(qw/ttl e/), ':600', 'kept');
is($r->cmd(qw/set past v pxat 1/), '+OK', 'a time in the past');
is($r->cmd(qw/exists past/), ':0', 'leaves no key');
is($r->cmd(qw/set past v/), '+OK', 'once more');
is($r->cmd(qw/set past v exat 1 get/), '$1 v', 'over a key that is there');
is($r->cmd(qw/exists past/), ':0', 'removes it');

# errors

is($r->cmd(qw/set k/), '-ERR wrong number of arguments for \'set\' command',
    'too few');
is($r->cmd(qw/set/), '-ERR wrong number of arguments for \'set\' command',
    'far too few');
is($r->cmd(qw/set k v foo/), '-ERR syntax error', 'an unknown option');
is($r->cmd(qw/set k v persist/), '-ERR syntax error', 'one of getex');
is($r->cmd(qw/set k v ex/), '-ERR syntax error', 'a time is missing');
is($r->cmd(qw/set k v ex abc/), '-ERR value is not an integer or out of range',
    'a time that is none');
is($r->cmd(qw/set k v ex 1.5/), '-ERR value is not an integer or out of range',
    'seconds are whole');
is($r->cmd(qw/set k v ex 0/), '-ERR invalid expire time in \'set\' command',
    'no time');
is($r->cmd(qw/set k v px -1/), '-ERR invalid expire time in \'set\' command',
    'a negative time');
is($r->cmd(qw/set k v exat 0/), '-ERR invalid expire time in \'set\' command',
    'no time since 1970');
is($r->cmd(qw/set k v pxat -5/), '-ERR invalid expire time in \'set\' command',
    'before');
is($r->cmd(qw/set k v ex 9223372036854775807/),
    '-ERR invalid expire time in \'set\' command',
    'too large for milliseconds');
is($r->cmd(qw/set k v ex 9223372036854775/),
    '-ERR invalid expire time in \'set\' command',
    'too large from now on');
is($r->cmd(qw/set k v px 9223372036854775807/),
    '-ERR invalid expire time in \'set\' command',
    'the same in milliseconds');
is($r->cmd(qw/set k v exat 9223372036854775807/),
    '-ERR invalid expire time in \'set\' command',
    'and as a time');
is($r->cmd(qw/set k v pxat 9223372036854775807/), '+OK',
    'the last time there is');
is($r->cmd(qw/pexpiretime k/), ':9223372036854775807', 'is kept');
is($r->cmd(qw/set k v ex 1 px 1/), '-ERR syntax error', 'two kinds of time');
is($r->cmd(qw/set k v exat 1 pxat 1/), '-ERR syntax error', 'two others');
is($r->cmd(qw/set k v keepttl ex 1/), '-ERR syntax error',
    'keepttl and a time');
is($r->cmd(qw/set k v ex 1 keepttl/), '-ERR syntax error', 'in any order');
is($r->cmd(qw/set k v ex abc foo/), '-ERR syntax error',
    'options are read before times');

# compare and set, as Redis 8.4 documents it

is($r->cmd(qw/set c v ifeq v/), '$-1', 'ifeq leaves a missing key');
is($r->cmd(qw/set c v ifne v/), '+OK', 'ifne sets a missing key');
is($r->cmd(qw/set c w ifne v/), '$-1', 'ifne leaves an equal value');
is($r->cmd(qw/set c w ifeq v/), '+OK', 'ifeq sets over an equal value');
is($r->cmd(qw/set c x ifeq v get/), '$1 w', 'get returns what is there');
is($r->cmd(qw/set c x ifeq w get/), '$1 w', 'whether it was set or not');
is($r->cmd(qw/get c/), '$1 x', 'now it was');
is($r->cmd(qw/set n 12 ifne 11/), '+OK', 'a number');
is($r->cmd(qw/set n 13 ifeq 12/), '+OK', 'compares as text');
is($r->cmd(qw/set n 14 ifeq 013/), '$-1', 'byte for byte');
is($r->cmd(qw/set c v ifeq/), '-ERR syntax error', 'a value is missing');
is($r->cmd(qw/set c v ifeq a nx/), '-ERR syntax error',
    'no other condition beside it');
is($r->cmd(qw/set c v xx ifne a/), '-ERR syntax error', 'not before it');
is($r->cmd(qw/set c v ifeq a ifne b/), '-ERR syntax error', 'not of its kind');
is($r->cmd(qw/set t v ifne x ex 100/), '+OK', 'with a time');
is($r->cmd(qw/ttl t/), ':100', 'it is set');
is($r->cmd(qw/set t w ifeq v keepttl/), '+OK', 'with keepttl');
is($r->cmd(qw/ttl t/), ':100', 'it is kept');

# compare digests

is($r->cmd('set', 'd', 'Hello world'), '+OK', 'the example of Redis');
is($r->cmd(qw/set d x ifdeq b6acb9d84a38ff75/), '$-1', 'another digest');
is($r->cmd(qw/set d x ifdne b6acb9d84a38ff74/), '$-1',
    'the same, that must differ');
is($r->cmd(qw/set d x ifdeq B6ACB9D84A38FF74 get/), '$11 Hello world',
    'the same, in any case');
is($r->cmd(qw/get d/), '$1 x', 'was set');
is($r->cmd(qw/set d y ifdeq 123/),
    '-ERR must be exactly 16 hexadecimal characters',
    'sixteen digits');
is($r->cmd(qw/set d y ifdne 12345678901234567/),
    '-ERR must be exactly 16 hexadecimal characters',
    'neither more nor less');
is($r->cmd(qw/set none y ifdeq 123/), '$-1',
    'are looked at only in a key that is there');
is($r->cmd(qw/set fresh y ifdne 123/), '+OK', 'so this sets');

done_testing();
