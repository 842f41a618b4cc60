#!/usr/bin/perl

# SCAN and KEYS

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

is($r->cmd(qw/keys */), '*0', 'nothing');
is($r->cmd(qw/scan 0/), '*2 $1 0 *0', 'nothing');
is($r->cmd(qw/keys/), '-ERR wrong number of arguments for \'keys\' command',
    'too few');
is($r->cmd(qw/keys a b/),
    '-ERR wrong number of arguments for \'keys\' command',
    'too many');
is($r->cmd(qw/mset one 1 two 2 three 3/), '+OK', 'three keys');
is($r->cmd(qw/keys one/), '*1 $3 one', 'a name');
is($r->cmd(qw/keys o?e/), '*1 $3 one', 'a letter');
is($r->cmd(qw/keys t[h]*/), '*1 $5 three', 'a class');
is($r->cmd(qw/keys th[^a-q]ee/), '*1 $5 three', 'a class\'s opposite');
is($r->cmd('keys', 't\\wo'), '*1 $3 two', 'an escaped letter');
is($r->cmd('keys', '\\*'), '*0', 'an escaped star');
is($r->cmd(qw/keys none*/), '*0', 'nothing');
is($r->cmd('keys', ''), '*0', 'nothing either');
is($r->cmd(qw/scan 0 count 100 match o*/), '*2 $1 0 *1 $3 one',
    'one in a scan');
is($r->cmd(qw/scan 0 count 100 type list/), '*2 $1 0 *0', 'none of a type');
is($r->cmd(qw/scan 0 count 100 type nope/), '*2 $1 0 *0',
    'nor of a type that is none');
is($r->cmd(qw/scan 0 count 100 TYPE STRING match o* COUNT 50/),
    '*2 $1 0 *1 $3 one',
    'in any case, the last counts');
is($r->cmd(qw/scan abc/), '-ERR invalid cursor', 'no cursor');
is($r->cmd('scan', ''), '-ERR invalid cursor', 'nor is this');
is($r->cmd(qw/scan -1/), '-ERR invalid cursor', 'nor this');
is($r->cmd(qw/scan 18446744073709551616/), '-ERR invalid cursor', 'nor this');
is($r->cmd(qw/scan 1.0/), '-ERR invalid cursor', 'nor this');
is($r->cmd(qw/scan 0 count 0/), '-ERR syntax error', 'at least one');
is($r->cmd(qw/scan 0 count -1/), '-ERR syntax error', 'not less');
is($r->cmd(qw/scan 0 count abc/),
    '-ERR value is not an integer or out of range',
    'no number');
is($r->cmd(qw/scan 0 count/), '-ERR syntax error', 'its value is missing');
is($r->cmd(qw/scan 0 match/), '-ERR syntax error', 'its value is missing');
is($r->cmd(qw/scan 0 type/), '-ERR syntax error', 'its value is missing');
is($r->cmd(qw/scan 0 foo bar/), '-ERR syntax error', 'an unknown option');
is($r->cmd(qw/scan/), '-ERR wrong number of arguments for \'scan\' command',
    'too few');
is($r->cmd(qw/flushall/), '+OK', 'and all over');

my %all = map { ("key:$_" => 1) } 1 .. 5000;

$r->pipe(map { [ 'set', $_, 'v' ] } keys %all);

sub scan {
    my (@options) = @_;
    my ($cursor, %seen, $calls) = (0);

    do {
        my $reply = $r->value('scan', $cursor, @options);
        $cursor = $reply->[0];
        $seen{$_}++ for @{ $reply->[1] };
        $calls++;
        die "cursor $cursor\n" if $cursor >= 2 ** 53;
    } while ($cursor);

    return (\%seen, $calls);
}

my ($seen, $calls) = scan();
is_deeply([ sort keys %$seen ], [ sort keys %all ], 'scan finds all keys');
is((grep { $_ > 1 } values %$seen), 0, 'each once');
cmp_ok($calls, '>', 100, 'a few at a time');

($seen, $calls) = scan(qw/count 100000/);
is(keys %$seen, 5000, 'all at once');
is($calls, 1, 'if asked for');

($seen) = scan(qw/match key:*99 count 1000/);
is_deeply([ sort keys %$seen ], [ sort grep { /99$/ } keys %all ],
    'those that match');

is_deeply([ sort @{ $r->value('keys', '*') } ], [ sort keys %all ],
    'keys finds all');
is_deeply([ sort @{ $r->value('keys', 'key:1*0') } ],
    [ sort grep { /^key:1.*0$/ } keys %all ], 'keys finds those that match');

# keys that stay are found, whatever comes and goes meanwhile

my ($cursor, $i, %found) = (0, 0);

do {
    my $reply = $r->value('scan', $cursor, 'count', 50);
    $cursor = $reply->[0];
    $found{$_}++ for @{ $reply->[1] };
    $r->pipe(map { [ 'set', 'more:' . $i++, 'v' ] } 1 .. 500) if $i < 50000;
} while ($cursor);

is((grep { !$found{$_} } keys %all), 0, 'while the store grew');

($cursor, $i, %found) = (0, 0);

do {
    my $reply = $r->value('scan', $cursor, 'count', 50);
    $cursor = $reply->[0];
    $found{$_}++ for @{ $reply->[1] };
    $r->pipe(map { [ 'del', 'more:' . $i++ ] } 1 .. 500) if $i < 50000;
} while ($cursor);

is((grep { !$found{$_} } keys %all), 0, 'while it shrank');

# SCAN clears away what it finds past its time, some at a time; KEYS does not

is($r->cmd('flushall'), '+OK', 'empty');
is($r->cmd(qw/debug set-active-expire 0/), '+OK', 'ticks do not');
$r->pipe(map { [ 'set', "gone:$_", 'v', 'px', 1 ] } 1 .. 100);
is($r->cmd(qw/set here v/), '+OK', 'one that stays');
select(undef, undef, undef, 0.01);
is($r->cmd(qw/keys */), '*1 $4 here', 'is the only one');
is($r->cmd('dbsize'), ':101', 'but all are there');
is($r->cmd(qw/scan 0 count 1000/), '*2 $1 0 *1 $4 here', 'again the one')
    for 1 .. 10;
is($r->cmd('dbsize'), ':1', 'now it is alone');
is($r->cmd(qw/debug audit/), '+OK', 'and nothing is amiss');
is($r->cmd(qw/debug set-active-expire 1/), '+OK', 'ticks do again');

done_testing();
