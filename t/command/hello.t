#!/usr/bin/perl

# HELLO, and both protocols

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

my $hello = qr/^\*14 [ ]\$6 [ ]server [ ]\$5 [ ]redis
    [ ]\$7 [ ]version [ ]\$5 [ ]8\.0\.\d [ ]\$5 [ ]proto [ ]:2
    [ ]\$2 [ ]id [ ]:\d+ [ ]\$4 [ ]mode [ ]\$10 [ ]standalone
    [ ]\$4 [ ]role [ ]\$6 [ ]master [ ]\$7 [ ]modules [ ]\*0$/x;

like($r->cmd('hello'), $hello, 'hello');
like($r->cmd(qw/hello 2/), $hello, 'hello in RESP2');
like($r->raw(qw/hello 3/), qr/^%7\r\n.*\$5\r\nproto\r\n:3\r\n.*\*0\r\n$/s,
    'hello in RESP3');
like($r->raw('hello'), qr/^%7\r\n.*\$5\r\nproto\r\n:3\r\n/s,
    'hello leaves the protocol as it is');

# errors

is($r->cmd(qw/hello 4/), '-NOPROTO unsupported protocol version',
    'a protocol there is none of');
is($r->cmd(qw/hello 1/), '-NOPROTO unsupported protocol version', 'another');
is($r->cmd(qw/hello abc/),
    '-ERR Protocol version is not an integer or out of range',
    'no number');
is($r->cmd('hello', ''),
    '-ERR Protocol version is not an integer or out of range',
    'nothing');
is($r->cmd(qw/hello 2 auth/), '-ERR Syntax error in HELLO option \'auth\'',
    'a user is missing');
is($r->cmd(qw/hello 2 auth default/),
    '-ERR Syntax error in HELLO option \'auth\'',
    'a password is missing');
is($r->cmd(qw/hello 2 auth foo bar/),
    '-WRONGPASS invalid username-password pair or user is disabled.',
    'there is one user');
is($r->cmd(qw/hello 2 AuTh/), '-ERR Syntax error in HELLO option \'AuTh\'',
    'in any case');
is($r->cmd(qw/hello 2 setname/),
    '-ERR Syntax error in HELLO option \'setname\'',
    'a name is missing');
is($r->cmd('hello', '2', 'setname', 'a b'),
    '-ERR Client names cannot contain spaces, newlines or special '
    . 'characters.',
    'no blanks in it');
is($r->cmd(qw/hello 2 foo/), '-ERR Syntax error in HELLO option \'foo\'',
    'an option there is none of');
is($r->cmd(qw/hello 2 setname joe foo/),
    '-ERR Syntax error in HELLO option \'foo\'',
    'behind one there is');
is($r->cmd(qw/client getname/), '_', 'nothing was named');

# null, maps, sets, verbatim texts

is($r->cmd(qw/get none/), '_', 'null');
is($r->cmd(qw/mget none none/), '*2 _ _', 'twice');
is($r->cmd(qw/set none v xx get/), '_', 'by set');
is($r->cmd(qw/getex none/), '_', 'by getex');
is($r->cmd(qw/getdel none/), '_', 'by getdel');
is($r->cmd(qw/randomkey/), '_', 'or by chance');
is($r->cmd(qw/keys */), '*0', 'an array');
is($r->cmd(qw/scan 0/), '*2 $1 0 *0', 'two');
is($r->cmd(qw/config get nope/), '%0', 'a map of nothing');
is($r->cmd(qw/config get timeout/), '%1 $7 timeout $1 0', 'a map');
is($r->cmd(qw/command info get/),
    '*1 *10 $3 get :2 ~2 +readonly +fast :1 :1 :1 ~3 +@read +@string '
    . '+@fast ~0 ~1 %3 $5 flags ~2 +RO +access $12 begin_search %2 $4 '
    . 'type $5 index $4 spec %1 $5 index :1 $9 find_keys %2 $4 type $5 '
    . 'range $4 spec %3 $7 lastkey :0 $7 keystep :1 $5 limit :0 ~0',
    'sets and maps');
is($r->cmd(qw/command info nope/), '*1 _', 'null');
is($r->cmd(qw/command info client|id/),
    '*1 *10 $9 client|id :2 ~3 +noscript +loading +stale :0 :0 :0 ~2 '
    . '+@slow +@connection ~0 ~0 ~0',
    'empty sets');
is($r->cmd(qw/command list filterby pattern get/), '*1 $3 get', 'an array');
is($r->cmd(qw/command getkeys get a/), '*1 $1 a', 'an array');
is($r->cmd(qw/debug digest-value a/),
    '*1 +0000000000000000000000000000000000000000',
    'an array');
is($r->cmd(qw/client getname/), '_', 'null');
is($r->cmd(qw/info cluster/), '=34 txt:# Cluster cluster_enabled:0 ',
    'verbatim');

done_testing();
