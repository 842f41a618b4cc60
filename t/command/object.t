#!/usr/bin/perl

# OBJECT ENCODING, FREQ, IDLETIME, REFCOUNT, HELP

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

for my $word (qw/encoding freq idletime refcount/) {
    is($r->cmd('object', $word, 'none'), '$-1', "$word of no key");
    is($r->cmd('object', $word), '-ERR wrong number of arguments for '
        . "'object|$word' command", "$word of nothing");
}

is($r->cmd('mset', 'n', 12, 's', 'x' x 44, 'l', 'x' x 45, 'b', 10000),
    '+OK', 'strings');
is($r->cmd(qw/object encoding n/), '$3 int', 'a number');
is($r->cmd(qw/object encoding s/), '$6 embstr', 'a short one');
is($r->cmd(qw/object encoding l/), '$3 raw', 'a long one');
is($r->cmd(qw/object refcount n/), ':2147483647', 'numbers that are shared');
is($r->cmd(qw/object refcount b/), ':1', 'and others');
is($r->cmd(qw/object refcount s/), ':1', 'bytes are not');
is($r->cmd(qw/object freq s/), '-ERR An LFU maxmemory policy is not '
    . 'selected, access frequency not tracked. Please note that when '
    . 'switching between policies at runtime LRU and LFU data will take some '
    . 'time to adjust.', 'nobody counts');

# looking is no access, touching is

is($r->cmd(qw/object idletime s/), ':0', 'just used');
sleep(2);
is($r->cmd(qw/ttl s/), ':-1', 'no access');
is($r->cmd(qw/exists s/), ':1', 'no access');
like($r->cmd(qw/object idletime s/), qr/^:[123]$/, 'for two seconds');
is($r->cmd(qw/touch s/), ':1', 'an access');
is($r->cmd(qw/object idletime s/), ':0', 'just used');

is($r->cmd(qw/object/), '-ERR wrong number of arguments for '
    . '\'object\' command', 'no word');
is($r->cmd(qw/object what/), '-ERR unknown subcommand \'what\'. Try OBJECT '
    . 'HELP.', 'no such word');
like($r->cmd(qw/object help/), qr/^\*11 \+OBJECT <subcommand> /, 'help');

done_testing();
