#!/usr/bin/perl

# DBSIZE, FLUSHDB, FLUSHALL, TIME, SELECT

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/dbsize/), ':0', 'nothing');
is($r->cmd(qw/mset a 1 b 2/), '+OK', 'two keys');
is($r->cmd(qw/dbsize/), ':2', 'two');
is($r->cmd(qw/select 1/), '+OK', 'another database');
is($r->cmd(qw/dbsize/), ':0', 'has none of them');
is($r->cmd(qw/get a/), '$-1', 'nor their values');
is($r->cmd(qw/set c 3/), '+OK', 'its own');
is($r->cmd(qw/dbsize/), ':1', 'one');
is($r->cmd(qw/flushdb/), '+OK', 'empties it');
is($r->cmd(qw/dbsize/), ':0', 'it is empty');
is($r->cmd(qw/select 0/), '+OK', 'the first');
is($r->cmd(qw/dbsize/), ':2', 'is not');
is($r->cmd(qw/select 1/), '+OK', 'both');
is($r->cmd(qw/set c 3/), '+OK', 'have keys');
is($r->cmd(qw/flushall/), '+OK', 'all are emptied');
is($r->cmd(qw/dbsize/), ':0', 'this');
is($r->cmd(qw/select 0/), '+OK', 'and');
is($r->cmd(qw/dbsize/), ':0', 'that');
is($r->cmd(qw/flushdb sync/), '+OK', 'sync');
is($r->cmd(qw/flushdb async/), '+OK', 'async');
is($r->cmd(qw/flushall SYNC/), '+OK', 'in any case');
is($r->cmd(qw/flushall async/), '+OK', 'of letters');
is($r->cmd(qw/flushdb foo/), '-ERR syntax error', 'a word that is none');
is($r->cmd(qw/flushall async sync/), '-ERR syntax error', 'one at the most');
is($r->cmd(qw/flushall foo/), '-ERR syntax error', 'a word that is none');
is($r->cmd(qw/dbsize x/),
    '-ERR wrong number of arguments for \'dbsize\' command',
    'too many');
is($r->cmd(qw/time x/), '-ERR wrong number of arguments for \'time\' command',
    'too many');
is($r->cmd(qw/select 15/), '+OK', 'the last database');
is($r->cmd(qw/select 16/), '-ERR DB index is out of range', 'none');
is($r->cmd(qw/select -1/), '-ERR DB index is out of range', 'none before');
is($r->cmd(qw/select abc/), '-ERR value is not an integer or out of range',
    'no number');
is($r->cmd('select', ''), '-ERR value is not an integer or out of range',
    'nothing');
is($r->cmd(qw/select 99999999999/),
    '-ERR value is out of range, value must between -2147483648 and '
    . '2147483647',
    'out of range');
is($r->cmd(qw/select 9223372036854775808/),
    '-ERR value is not an integer or out of range',
    'out of any');
is($r->cmd(qw/select/),
    '-ERR wrong number of arguments for \'select\' command',
    'too few');

like($r->cmd('time'), qr/^\*2 \$10 \d{10} \$\d \d{1,6}$/, 'time');

my ($sec) = $r->cmd('time') =~ /^\*2 \$10 (\d+)/;
cmp_ok(abs($sec - time), '<=', 2, 'is that of this machine');

# what was flushed is freed, by and by

is($r->cmd(qw/select 0/), '+OK', 'the first database');
$r->pipe(map { [ 'set', "k$_", 'v' x 100 ] } 1 .. 20000);
my ($used) = $r->cmd('info', 'memory') =~ /used_memory:(\d+)/;
is($r->cmd('flushall'), '+OK', 'twenty thousand keys go');
is($r->cmd('dbsize'), ':0', 'at once');
ok($s->until(sub {
    my ($now) = $r->cmd('info', 'memory') =~ /used_memory:(\d+)/;
    return $now < $used - 2000000;
}, 20), 'their memory is given back');

done_testing();
