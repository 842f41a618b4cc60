#!/usr/bin/perl

# RENAME, RENAMENX, MOVE, COPY, SWAPDB, TOUCH

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

is($r->cmd(qw/rename none k/), '-ERR no such key', 'nothing to rename');
is($r->cmd(qw/renamenx none none/), '-ERR no such key', 'nor so');
is($r->cmd(qw/set a 1 ex 100/), '+OK', 'a key');
is($r->cmd(qw/set b old/), '+OK', 'another');
is($r->cmd(qw/rename a b/), '+OK', 'takes its place');
is($r->cmd(qw/get b/), '$1 1', 'with the value');
like($r->cmd(qw/ttl b/), qr/^:(?:99|100)$/, 'and the expiry');
is($r->cmd(qw/exists a/), ':0', 'the old name is gone');
is($r->cmd(qw/rename b b/), '+OK', 'to the same name');
is($r->cmd(qw/renamenx b b/), ':0', 'which is taken');
is($r->cmd(qw/renamenx b a/), ':1', 'to one that is not');
is($r->cmd(qw/set b 2/), '+OK', 'taken again');
is($r->cmd(qw/renamenx a b/), ':0', 'so it stays');
is($r->cmd(qw/mget a b/), '*2 $1 1 $1 2', 'both do');
is($r->cmd(qw/rename a/),
    '-ERR wrong number of arguments for \'rename\' command', 'too few');

# what goes along is the encoding, too

is($r->cmd(qw/append raw 1/), ':1', 'a number');
is($r->cmd(qw/append raw 2/), ':2', 'bytes that read as a number');
is($r->cmd(qw/rename raw r2/), '+OK', 'renamed');
is($r->cmd(qw/object encoding r2/), '$3 raw', 'stay bytes');
is($r->cmd(qw/copy r2 r3/), ':1', 'copied');
is($r->cmd(qw/object encoding r3/), '$3 raw', 'as well');

# across shards, with values that have a run of their own

my $big = 'x' x 300_000;

is($r->cmd('set', 'big:0', $big), '+OK', 'a big one');

for my $i (1 .. 40) {
    $r->cmd('rename', 'big:' . ($i - 1), "big:$i");
    $r->cmd('copy', "big:$i", 'copy:' . $i % 5, 'replace');
}

is($r->cmd(qw/get big:40/), '$300000 ' . $big, 'is whole after forty names');
is($r->cmd(qw/append copy:3 y/), ':300001', 'a copy grows');
is($r->cmd(qw/strlen big:40/), ':300000', 'and is its own');
is($r->cmd(qw/exists big:39/), ':0', 'no trace of the old name');
is($r->cmd(qw/debug audit/), '+OK', 'nothing is lost');

# databases

is($r->cmd('flushall'), '+OK', 'empty');
is($r->cmd(qw/set k v px 100000/), '+OK', 'a key');
is($r->cmd(qw/move k 0/),
    '-ERR source and destination objects are the same', 'where it is');
is($r->cmd(qw/move none 0/),
    '-ERR source and destination objects are the same', 'though not there');
is($r->cmd(qw/move k x/), '-ERR value is not an integer or out of range',
    'no database');
is($r->cmd(qw/move k 99/), '-ERR DB index is out of range', 'none such');
is($r->cmd(qw/move k -1/), '-ERR DB index is out of range', 'nor such');
is($r->cmd(qw/move k 99999999999/), '-ERR value is out of range, value '
    . 'must between -2147483648 and 2147483647', 'nor at all');
is($r->cmd(qw/move none 9/), ':0', 'nothing to move');
is($r->cmd(qw/move k 9/), ':1', 'moved');
is($r->cmd(qw/move k 9/), ':0', 'gone');
is($r->cmd(qw/set k w/), '+OK', 'a new one');
is($r->cmd(qw/move k 9/), ':0', 'finds its place taken');
is($r->cmd(qw/select 9/), '+OK', 'there');
is($r->cmd(qw/get k/), '$1 v', 'is the first');
like($r->cmd(qw/pttl k/), qr/^:9\d{4}$/, 'with its expiry');
is($r->cmd(qw/select 0/), '+OK', 'back');

is($r->cmd(qw/copy k k/),
    '-ERR source and destination objects are the same', 'onto itself');
is($r->cmd(qw/copy k c db/), '-ERR syntax error', 'no number');
is($r->cmd(qw/copy k c what/), '-ERR syntax error', 'no option');
is($r->cmd(qw/copy k c db x/), '-ERR value is not an integer or out of range',
    'no database');
is($r->cmd(qw/copy k c db 99/), '-ERR DB index is out of range', 'none such');
is($r->cmd(qw/copy none c/), ':0', 'nothing to copy');
is($r->cmd(qw/copy k c/), ':1', 'copied');
is($r->cmd(qw/copy k c/), ':0', 'taken');
is($r->cmd(qw/copy k k db 9/), ':0', 'taken there');
is($r->cmd(qw/copy k k db 9 replace/), ':1', 'replaced there');
is($r->cmd(qw/select 9/), '+OK', 'there');
is($r->cmd(qw/get k/), '$1 w', 'is the copy');
is($r->cmd(qw/ttl k/), ':-1', 'which does not expire');
is($r->cmd(qw/select 0/), '+OK', 'back');

is($r->cmd(qw/swapdb x y/), '-ERR invalid first DB index', 'no number');
is($r->cmd(qw/swapdb 0 y/), '-ERR invalid second DB index', 'neither');
is($r->cmd(qw/swapdb 0 99/), '-ERR DB index is out of range', 'none such');
is($r->cmd(qw/swapdb 0 0/), '+OK', 'with itself');
is($r->cmd(qw/swapdb 0 9/), '+OK', 'with another');
is($r->cmd(qw/dbsize/), ':1', 'which had one key');
is($r->cmd(qw/select 9/), '+OK', 'there');
is($r->cmd(qw/mget k c/), '*2 $1 w $1 w', 'are the others');
is($r->cmd(qw/select 0/), '+OK', 'back');

# in a transaction, and seen by one who watches

is($r->cmd('flushall'), '+OK', 'empty');
is($r->cmd(qw/mset a 1 b 2/), '+OK', 'two keys');

my $w = $s->client;

for my $do ([qw/rename a c/], [qw/rename b c/], [qw/copy c a/],
            [qw/move c 9/], [qw/swapdb 0 9/])
{
    is($w->cmd(qw/watch a b c/), '+OK', 'watched');
    like($r->cmd(@$do), qr/^(?:\+OK|:1)$/, "@$do");
    is($w->cmd('multi'), '+OK', 'begun');
    is($w->cmd(qw/set seen 1/), '+QUEUED', 'queued');
    is($w->cmd('exec'), '*-1', 'broken off');
}

is($r->cmd(qw/mset a 1 b 2/), '+OK', 'two keys');
is(join(' ', $w->pipe(['multi'], [qw/rename a x/], [qw/rename none y/],
                      [qw/copy x a/], [qw/renamenx x b/], [qw/swapdb 0 9/],
                      [qw/keys x/], [qw/swapdb 9 0/], [qw/keys x/],
                      [qw/flushdb/], [qw/dbsize/], ['exec'])),
    '+OK' . ' +QUEUED' x 10 . ' *10 +OK -ERR no such key :1 :0 +OK *0 +OK '
    . '*1 $1 x +OK :0', 'all at once');

is($r->cmd(qw/set k v/), '+OK', 'a key');
is($r->cmd(qw/touch k none k/), ':2', 'how many there are');
is($r->cmd(qw/touch/), '-ERR wrong number of arguments for \'touch\' command',
    'too few');

done_testing();
