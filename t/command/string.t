#!/usr/bin/perl

# GET, GETEX, GETDEL, MGET, MSET, APPEND, STRLEN

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/get none/), '$-1', 'a missing key');
is($r->cmd(qw/get/), '-ERR wrong number of arguments for \'get\' command',
    'too few');
is($r->cmd(qw/get a b/), '-ERR wrong number of arguments for \'get\' command',
    'too many');
is($r->cmd(qw/mset a 1 b 2 c 3/), '+OK', 'several at once');
is($r->cmd(qw/mget a b none c/), '*4 $1 1 $1 2 $-1 $1 3',
    'in order, nil where there is none');
is($r->cmd(qw/mset a 4 a 5/), '+OK', 'the last value of a key');
is($r->cmd(qw/mget a a/), '*2 $1 5 $1 5', 'counts');
is($r->cmd(qw/mset a/), '-ERR wrong number of arguments for \'mset\' command',
    'a value is missing');
is($r->cmd(qw/mset a 1 b/),
    '-ERR wrong number of arguments for \'mset\' command',
    'of the last key');
is($r->cmd(qw/get a/), '$1 5', 'nothing was set');
is($r->cmd(qw/mget/), '-ERR wrong number of arguments for \'mget\' command',
    'too few');

# getdel

is($r->cmd(qw/getdel a/), '$1 5', 'returns');
is($r->cmd(qw/getdel a/), '$-1', 'and removes');
is($r->cmd(qw/getdel/),
    '-ERR wrong number of arguments for \'getdel\' command',
    'too few');
is($r->cmd(qw/getdel a b/),
    '-ERR wrong number of arguments for \'getdel\' command',
    'too many');

# getex

is($r->cmd(qw/getex b/), '$1 2', 'only returns');
is($r->cmd(qw/getex none/), '$-1', 'a missing key');
is($r->cmd(qw/getex b ex 100/), '$1 2', 'seconds');
is($r->cmd(qw/ttl b/), ':100', 'from now');
is($r->cmd(qw/getex b px 200000/), '$1 2', 'milliseconds');
is($r->cmd(qw/ttl b/), ':200', 'from now');
is($r->cmd(qw/getex b exat 99999999999/), '$1 2', 'a time in seconds');
is($r->cmd(qw/pexpiretime b/), ':99999999999000', 'as it is');
is($r->cmd(qw/getex b pxat 99999999999123/), '$1 2', 'a time in milliseconds');
is($r->cmd(qw/pexpiretime b/), ':99999999999123', 'as it is');
is($r->cmd(qw/getex b/), '$1 2', 'without options');
is($r->cmd(qw/pexpiretime b/), ':99999999999123', 'changes nothing');
is($r->cmd(qw/getex b persist/), '$1 2', 'ends the expiry');
is($r->cmd(qw/pexpiretime b/), ':-1', 'there is none');
is($r->cmd(qw/getex b persist/), '$1 2', 'once more');
is($r->cmd(qw/getex b persist persist/), '$1 2', 'twice is no error');
is($r->cmd(qw/getex c exat 1/), '$1 3', 'a time in the past');
is($r->cmd(qw/exists c/), ':0', 'removes the key');
is($r->cmd(qw/getex b ex/), '-ERR syntax error', 'a time is missing');
is($r->cmd(qw/getex b ex 0/), '-ERR invalid expire time in \'getex\' command',
    'no time');
is($r->cmd(qw/getex b ex abc/), '-ERR value is not an integer or out of range',
    'none that is read');
is($r->cmd(qw/getex b px 9223372036854775807/),
    '-ERR invalid expire time in \'getex\' command',
    'too large');
is($r->cmd(qw/getex b persist ex 1/), '-ERR syntax error', 'only one of them');
is($r->cmd(qw/getex b ex 1 px 1/), '-ERR syntax error', 'only one of these');
is($r->cmd(qw/getex b keepttl/), '-ERR syntax error', 'an option of set');
is($r->cmd(qw/getex b nx/), '-ERR syntax error', 'another');
is($r->cmd(qw/getex none ex 0/), '$-1',
    'a missing key is nil, whatever the time');
is($r->cmd(qw/getex none ex/), '-ERR syntax error',
    'but not whatever the syntax');
is($r->cmd(qw/getex/), '-ERR wrong number of arguments for \'getex\' command',
    'too few');

# append, strlen

is($r->cmd(qw/append s Hello/), ':5', 'makes a key');
is($r->cmd('append', 's', ' World'), ':11', 'or adds to it');
is($r->cmd(qw/get s/), '$11 Hello World', 'at the end');
is($r->cmd(qw/strlen s/), ':11', 'its length');
is($r->cmd('append', 's', ''), ':11', 'nothing');
is($r->cmd(qw/strlen s/), ':11', 'adds nothing');
is($r->cmd(qw/append n 12/), ':2', 'a number');
is($r->cmd(qw/incr n/), ':13', 'is one');
is($r->cmd(qw/append n 3/), ':3', 'until it is text');
is($r->cmd(qw/get n/), '$3 133', 'again');
is($r->cmd(qw/incr n/), ':134', 'that still reads as a number');
is($r->cmd(qw/strlen n/), ':3', 'three digits');
is($r->cmd(qw/strlen none/), ':0', 'a missing key');
is($r->cmd(qw/append s/),
    '-ERR wrong number of arguments for \'append\' command',
    'too few');
is($r->cmd(qw/strlen/),
    '-ERR wrong number of arguments for \'strlen\' command',
    'too few');
is($r->cmd(qw/strlen a b/),
    '-ERR wrong number of arguments for \'strlen\' command',
    'too many');
is($r->cmd(qw/set e v ex 100/), '+OK', 'an expiry');
is($r->cmd(qw/append e w/), ':2', 'is kept');
is($r->cmd(qw/ttl e/), ':100', 'by append');

# long values, from both sides of what is copied

for my $n (1, 43, 44, 45, 255, 256, 4095, 16383, 16384, 65535, 65536,
           1000000)
{
    my $v = join '', map { chr(32 + ($_ * 7 + $n) % 90) } 1 .. $n;

    is($r->cmd('set', 'long', $v), '+OK', "set of $n bytes");
    is($r->raw('get', 'long'), "\$$n\r\n$v\r\n", "get of $n bytes");
    is($r->cmd('strlen', 'long'), ":$n", "strlen of $n bytes");
    is($r->cmd('append', 'long', 'x'), ':' . ($n + 1), "append to $n bytes");
    is($r->raw('getdel', 'long'), '$' . ($n + 1) . "\r\n${v}x\r\n",
        "getdel of what was appended to $n bytes");
}

my $big = 'a' x 300000;

is($r->cmd('config', 'set', 'proto-max-bulk-len', '1mb'), '+OK',
    'a limit of a megabyte');
is($r->cmd('append', 'big', $big), ':300000', 'append of a third');
is($r->cmd('append', 'big', $big), ':600000', 'append of another');
is($r->cmd('append', 'big', $big), ':900000', 'append of a third one');
is($r->cmd('append', 'big', $big), '-ERR string exceeds maximum allowed size '
    . '(proto-max-bulk-len)', 'append over the limit');
is($r->cmd('strlen', 'big'), ':900000', 'nothing was appended');

done_testing();
