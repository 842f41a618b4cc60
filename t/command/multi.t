#!/usr/bin/perl

# MULTI, EXEC, DISCARD, WATCH, UNWATCH
# workers: 1 2

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;
my $o = $s->client;

my $aborted = '-EXECABORT Transaction discarded because of previous errors.';

is($r->cmd('exec'), '-ERR EXEC without MULTI', 'no transaction to run');
is($r->cmd(qw/exec now/), '-EXECABORT Transaction discarded because of: '
    . 'wrong number of arguments for \'exec\' command', 'nor this way');
is($r->cmd('discard'), '-ERR DISCARD without MULTI', 'none to forget');

is($r->cmd('multi'), '+OK', 'a transaction');
is($r->cmd('multi'), '-ERR MULTI calls can not be nested', 'one in it');
is($r->cmd(qw/watch k/), '-ERR WATCH inside MULTI is not allowed',
    'too late to watch');
is($r->cmd('exec'), '*0', 'both left it as it was: nothing in it');

is($r->cmd('multi'), '+OK', 'another');
is($r->cmd(qw/set a 1/), '+QUEUED', 'queued');
is($r->cmd(qw/mset b 2 c 3 d 4/), '+QUEUED', 'queued');
is($r->cmd(qw/get b/), '+QUEUED', 'queued');
is($r->cmd('ping'), '+QUEUED', 'queued');
is($o->cmd(qw/exists a b c d/), ':0', 'nothing is done yet');
is($r->cmd('exec'), '*4 +OK +OK $1 2 +PONG', 'all is done');
is($o->cmd(qw/exists a b c d/), ':4', 'others see it');

is($r->cmd('multi'), '+OK', 'one to be forgotten');
is($r->cmd(qw/set a 2/), '+QUEUED', 'queued');
is($r->cmd('discard'), '+OK', 'forgotten');
is($r->cmd(qw/get a/), '$1 1', 'nothing was done');

# errors while queueing

for my $wrong ([qw/nosuch/], [qw/set a/], [qw/config nosuch/],
    [qw/discard x/])
{
    is($r->cmd('multi'), '+OK', "one with \"@$wrong\"");
    is($r->cmd(qw/set a 2/), '+QUEUED', 'queued');
    like($r->cmd(@$wrong), qr/^-ERR /, 'refused');
    is($r->cmd('exec'), $aborted, 'nothing is run');
    is($r->cmd(qw/get a/), '$1 1', 'and nothing was done');
}

is($r->cmd('multi'), '+OK', 'one that ends badly');
is($r->cmd(qw/exec now/), '-EXECABORT Transaction discarded because of: '
    . 'wrong number of arguments for \'exec\' command', 'it is over');
is($r->cmd(qw/get a/), '$1 1', 'back to normal');

# errors while running

is($r->cmd(qw/set text abc/), '+OK', 'no number');
$r->cmd('multi');
$r->cmd(qw/set a 5/);
$r->cmd(qw/incr text/);
$r->cmd(qw/incr a/);
is($r->cmd('exec'), '*3 +OK -ERR value is not an integer or out of range '
    . ':6', 'what fails leaves the others alone');

# memory

is($r->cmd(qw/config set maxmemory 1/), '+OK', 'no room');
$r->cmd('multi');
is($r->cmd(qw/set a 7/), '-OOM command not allowed when used memory > '
    . '\'maxmemory\'.', 'refused');
is($r->cmd('exec'), $aborted, 'nothing is run');
is($r->cmd(qw/config set maxmemory 0/), '+OK', 'room again');
$r->cmd('multi');
is($r->cmd(qw/set a 7/), '+QUEUED', 'queued');
is($o->cmd(qw/config set maxmemory 1/), '+OK', 'no room meanwhile');
is($r->cmd('exec'), '-EXECABORT Transaction discarded because of: OOM command '
    . 'not allowed when used memory > \'maxmemory\'.', 'too late');
$r->cmd('multi');
$r->cmd(qw/get a/);
$r->cmd(qw/config set maxmemory 0/);
is($r->cmd('exec'), '*2 $1 6 +OK', 'what takes no memory is run');

# databases, and commands that walk

$r->cmd('flushall');
$r->cmd('multi');
$r->cmd(qw/set k 0/);
$r->cmd(qw/select 1/);
$r->cmd(qw/set k 1/);
$r->cmd('dbsize');
$r->cmd(qw/keys */);
$r->cmd('randomkey');
$r->cmd(qw/scan 0/);
$r->cmd(qw/select 0/);
$r->cmd(qw/get k/);
is($r->cmd('exec'), '*9 +OK +OK +OK :1 *1 $1 k $1 k *2 $1 0 *1 $1 k +OK '
    . '$1 0', 'another database, and back');
$r->cmd('multi');
$r->cmd('flushall');
$r->cmd('dbsize');
is($r->cmd('exec'), '*2 +OK :0', 'flushed within');

# watched keys

$r->cmd(qw/watch k l/);
$r->cmd('multi');
$r->cmd('ping');
is($r->cmd('exec'), '*1 +PONG', 'nobody changed them');

$r->cmd(qw/watch k l/);
$o->cmd(qw/set l 1/);
$r->cmd('multi');
$r->cmd('ping');
is($r->cmd('exec'), '*-1', 'somebody did');
$r->cmd('multi');
$r->cmd('ping');
is($r->cmd('exec'), '*1 +PONG', 'they are watched once');

$r->cmd(qw/watch k/);
$o->cmd(qw/set k 1/);
is($r->cmd('unwatch'), '+OK', 'watched no more');
$r->cmd('multi');
$r->cmd('ping');
is($r->cmd('exec'), '*1 +PONG', 'a change is nothing to it');

$r->cmd(qw/watch k/);
$r->cmd(qw/set k 2/);
$r->cmd('multi');
is($r->cmd('exec'), '*-1', 'its own change counts as well');

$r->cmd(qw/watch k/);
$o->cmd(qw/select 1/);
$o->cmd(qw/set k 2/);
$r->cmd('multi');
is($r->cmd('exec'), '*0', 'a key of that name elsewhere does not');
$o->cmd(qw/select 0/);

$r->cmd(qw/watch k/);
$o->cmd('flushdb');
$r->cmd('multi');
is($r->cmd('exec'), '*-1', 'flushed');

$r->cmd(qw/watch k/);
$o->cmd('flushdb');
$r->cmd('multi');
is($r->cmd('exec'), '*0', 'not there, and still not there');

# RESP3

like($r->cmd(qw/hello 3/), qr/^%7/, 'RESP3');
$r->cmd(qw/watch k/);
$o->cmd(qw/set k 2/);
$r->cmd('multi');
is($r->cmd('exec'), '_', 'a null of its own');

# one pipeline

$r = $s->client;
my @got = $r->pipe(
    map { ([qw/multi/], ['incr', 'n'], ['incr', "n:$_"], [qw/exec/]) }
    1 .. 500);
is(scalar(grep { $_ eq '+QUEUED' } @got), 1000, 'five hundred in a pipeline');
is($got[-1], '*2 :500 :1', 'the last of them');

# a very wide one

$r->cmd('multi');
$r->cmd('set', "wide:$_", $_) for 1 .. 600;
like($r->cmd('exec'), qr/^\*600( \+OK){600}$/, 'six hundred keys');

is($r->cmd('reset'), '+RESET', 'as at the beginning');

done_testing();
