#!/usr/bin/perl

# DEL, UNLINK, EXISTS, TYPE, RANDOMKEY

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/del none/), ':0', 'a missing key');
is($r->cmd(qw/mset a 1 b 2 c 3 d 4/), '+OK', 'four keys');
is($r->cmd(qw/exists a b none/), ':2', 'how many are there');
is($r->cmd(qw/exists a a/), ':2', 'each time it is named');
is($r->cmd(qw/del a none a b/), ':2', 'each key once');
is($r->cmd(qw/exists a b/), ':0', 'they are gone');
is($r->cmd(qw/unlink c d c/), ':2', 'unlink does the same');
is($r->cmd(qw/exists c d/), ':0', 'they are gone');
is($r->cmd(qw/type none/), '+none', 'no type');
is($r->cmd(qw/set k v/), '+OK', 'a string');
is($r->cmd(qw/type k/), '+string', 'its name');
is($r->cmd(qw/set n 12/), '+OK', 'a number');
is($r->cmd(qw/type n/), '+string', 'is one, too');
is($r->cmd(qw/del/), '-ERR wrong number of arguments for \'del\' command',
    'too few');
is($r->cmd(qw/unlink/),
    '-ERR wrong number of arguments for \'unlink\' command',
    'too few');
is($r->cmd(qw/exists/),
    '-ERR wrong number of arguments for \'exists\' command',
    'too few');
is($r->cmd(qw/type/), '-ERR wrong number of arguments for \'type\' command',
    'too few');
is($r->cmd(qw/type a b/),
    '-ERR wrong number of arguments for \'type\' command',
    'too many');
is($r->cmd(qw/randomkey x/),
    '-ERR wrong number of arguments for \'randomkey\' command',
    'too many');

# more keys than one lock is held for

my @many = map { "many:$_" } 1 .. 1000;

is($r->cmd('mset', map { ($_, 'v') } @many), '+OK', 'a thousand keys');
is($r->cmd('exists', @many), ':1000', 'are there');
is($r->cmd('del', @many[0 .. 499]), ':500', 'half of them go');
is($r->cmd('unlink', @many), ':500', 'and the others');

is($r->cmd('flushall'), '+OK', 'an empty store');
is($r->cmd('randomkey'), '$-1', 'has no key by chance');
is($r->cmd(qw/set only v/), '+OK', 'one key');
is($r->cmd('randomkey'), '$4 only', 'is the one');

is($r->cmd(qw/mset 1 v 2 v 3 v 4 v 5 v 6 v 7 v/), '+OK', 'seven more');
my %seen = map { $_ => 1 } $r->pipe(map { ['randomkey'] } 1 .. 500);
is(keys %seen, 8, 'each is drawn');

done_testing();
