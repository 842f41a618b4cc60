#!/usr/bin/perl

# EXPIRE and its family, TTL and its family, PERSIST

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/set k v/), '+OK', 'a key');
is($r->cmd(qw/ttl k/), ':-1', 'that does not expire');
is($r->cmd(qw/pttl k/), ':-1', 'in milliseconds');
is($r->cmd(qw/expiretime k/), ':-1', 'nor has a time');
is($r->cmd(qw/pexpiretime k/), ':-1', 'in milliseconds');
is($r->cmd(qw/ttl none/), ':-2', 'a missing key');
is($r->cmd(qw/pttl none/), ':-2', 'in milliseconds');
is($r->cmd(qw/expiretime none/), ':-2', 'has no time');
is($r->cmd(qw/pexpiretime none/), ':-2', 'in milliseconds');
is($r->cmd(qw/expire none 10/), ':0', 'does not expire');
is($r->cmd(qw/expire k 100/), ':1', 'seconds');
is($r->cmd(qw/ttl k/), ':100', 'that are left');
is($r->cmd(qw/pexpire k 200000/), ':1', 'milliseconds');
is($r->cmd(qw/ttl k/), ':200', 'that are left');
is($r->cmd(qw/expireat k 99999999999/), ':1', 'a time in seconds');
is($r->cmd(qw/expiretime k/), ':99999999999', 'as it was given');
is($r->cmd(qw/pexpiretime k/), ':99999999999000', 'in milliseconds');
is($r->cmd(qw/pexpireat k 99999999999500/), ':1', 'a time in milliseconds');
is($r->cmd(qw/pexpiretime k/), ':99999999999500', 'as it was given');
is($r->cmd(qw/expiretime k/), ':100000000000', 'rounded to seconds');
is($r->cmd(qw/persist k/), ':1', 'no longer');
is($r->cmd(qw/ttl k/), ':-1', 'it stays');
is($r->cmd(qw/persist k/), ':0', 'once is enough');
is($r->cmd(qw/persist none/), ':0', 'a missing key');

# conditions

is($r->cmd(qw/expire k 100 xx/), ':0', 'xx wants an expiry');
is($r->cmd(qw/expire k 100 gt/), ':0', 'so does gt: none is the longest');
is($r->cmd(qw/expire k 100 lt/), ':1', 'lt does not');
is($r->cmd(qw/expire k 200 nx/), ':0', 'nx wants none');
is($r->cmd(qw/expire k 50 gt/), ':0', 'shorter');
is($r->cmd(qw/expire k 200 lt/), ':0', 'longer');
is($r->cmd(qw/expire k 200 gt/), ':1', 'longer, as wanted');
is($r->cmd(qw/ttl k/), ':200', 'it was set');
is($r->cmd(qw/expire k 100 LT/), ':1', 'shorter, as wanted');
is($r->cmd(qw/ttl k/), ':100', 'it was set');
is($r->cmd(qw/expire k 300 XX GT/), ':1', 'both');
is($r->cmd(qw/ttl k/), ':300', 'it was set');
is($r->cmd(qw/expire k 200 xx lt/), ':1', 'both again');
is($r->cmd(qw/ttl k/), ':200', 'it was set');
is($r->cmd(qw/expire k 10 nx xx/),
    '-ERR NX and XX, GT or LT options at the same time are not compatible',
    'exclude each other');
is($r->cmd(qw/expire k 10 nx gt/),
    '-ERR NX and XX, GT or LT options at the same time are not compatible',
    'these, too');
is($r->cmd(qw/expire k 10 lt nx/),
    '-ERR NX and XX, GT or LT options at the same time are not compatible',
    'and these');
is($r->cmd(qw/expire k 10 gt lt/),
    '-ERR GT and LT options at the same time are not compatible',
    'and these');
is($r->cmd(qw/expire k 10 foo/), '-ERR Unsupported option foo',
    'an unknown option');
is($r->cmd(qw/expire k 10 nx foo/), '-ERR Unsupported option foo',
    'after a known one');
is($r->cmd(qw/expire k abc foo/), '-ERR Unsupported option foo',
    'before the time is read');

# the past

is($r->cmd(qw/expire k 0 gt/), ':0', 'a condition holds here as well');
is($r->cmd(qw/exists k/), ':1', 'it is there');
is($r->cmd(qw/expire k 0/), ':1', 'now');
is($r->cmd(qw/exists k/), ':0', 'it is gone');
is($r->cmd(qw/set k v/), '+OK', 'again');
is($r->cmd(qw/pexpire k -1/), ':1', 'before now');
is($r->cmd(qw/exists k/), ':0', 'it is gone');
is($r->cmd(qw/set k v/), '+OK', 'again');
is($r->cmd(qw/expireat k 1/), ':1', 'long ago');
is($r->cmd(qw/exists k/), ':0', 'it is gone');
is($r->cmd(qw/set k v/), '+OK', 'again');
is($r->cmd(qw/pexpireat k -5/), ':1', 'before time began');
is($r->cmd(qw/exists k/), ':0', 'it is gone');
is($r->cmd(qw/set k v/), '+OK', 'again');
is($r->cmd(qw/pexpire k -9223372036854775808/), ':1',
    'the first time there is');
is($r->cmd(qw/exists k/), ':0', 'it is gone');

# errors

is($r->cmd(qw/set k v/), '+OK', 'a key');
is($r->cmd(qw/expire k abc/), '-ERR value is not an integer or out of range',
    'no number');
is($r->cmd(qw/expire k 1.5/), '-ERR value is not an integer or out of range',
    'not whole');
is($r->cmd(qw/expire none abc/),
    '-ERR value is not an integer or out of range',
    'even of a missing key');
is($r->cmd(qw/expire k 9223372036854775807/),
    '-ERR invalid expire time in \'expire\' command',
    'does not fit in milliseconds');
is($r->cmd(qw/expire none 9223372036854775807/),
    '-ERR invalid expire time in \'expire\' command',
    'even of a missing key');
is($r->cmd(qw/expire k 9223372036854775/),
    '-ERR invalid expire time in \'expire\' command',
    'nor from now on');
is($r->cmd(qw/pexpire k 9223372036854775807/),
    '-ERR invalid expire time in \'pexpire\' command',
    'nor this');
is($r->cmd(qw/expireat k 9223372036854775807/),
    '-ERR invalid expire time in \'expireat\' command',
    'nor this');
is($r->cmd(qw/expire k -9223372036854775807/),
    '-ERR invalid expire time in \'expire\' command',
    'nor this');
is($r->cmd(qw/pexpireat k 9223372036854775807/), ':1',
    'the last time there is');
is($r->cmd(qw/expiretime k/), ':9223372036854776', 'in seconds');
is($r->cmd(qw/expire k/),
    '-ERR wrong number of arguments for \'expire\' command',
    'too few');
is($r->cmd(qw/pexpire k/),
    '-ERR wrong number of arguments for \'pexpire\' command',
    'too few');
is($r->cmd(qw/expireat k/),
    '-ERR wrong number of arguments for \'expireat\' command',
    'too few');
is($r->cmd(qw/pexpireat k/),
    '-ERR wrong number of arguments for \'pexpireat\' command',
    'too few');
is($r->cmd(qw/ttl/), '-ERR wrong number of arguments for \'ttl\' command',
    'too few');
is($r->cmd(qw/ttl a b/), '-ERR wrong number of arguments for \'ttl\' command',
    'too many');
is($r->cmd(qw/persist/),
    '-ERR wrong number of arguments for \'persist\' command',
    'too few');

# time goes by

is($r->cmd(qw/set soon v px 60/), '+OK', 'a key of 60 ms');
is($r->cmd(qw/get soon/), '$1 v', 'is there');
ok($s->until(sub { $r->cmd(qw/get soon/) eq '$-1' }, 5), 'and then is not');
is($r->cmd(qw/ttl soon/), ':-2', 'nor has a time');
is($r->cmd(qw/set soon w nx/), '+OK', 'nx sets it');

# nobody asks

is($r->cmd(qw/flushall/), '+OK', 'an empty store');
$r->pipe(map { [ 'set', "k$_", 'v', 'px', 30 ] } 1 .. 1000);
ok($s->until(sub { $r->cmd('dbsize') eq ':0' }, 10),
    'keys past their time go by themselves');

# a key past its time is gone as soon as anybody looks

$s = olivine(params => { 'enable-debug-command' => 'yes' });
$r = $s->client;

is($r->cmd(qw/debug set-active-expire 0/), '+OK', 'ticks remove nothing');
is($r->cmd(qw/set k v px 1/), '+OK', 'a key');
$s->until(sub { $r->cmd(qw/exists k/) eq ':0' });
is($r->cmd('dbsize'), ':0', 'not there, and not counted');

done_testing();
