#!/usr/bin/perl

# GETRANGE, SUBSTR, SETRANGE

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

$r->cmd('set', 's', 'Hello World');
$r->cmd(qw/set n 1234/);

for ([ 0, 3, 'Hell' ], [ 0, -1, 'Hello World' ], [ -4, -1, 'orld' ],
     [ 5, 3, '' ], [ 5, 5000, ' World' ], [ -5000, 10000, 'Hello World' ],
     [ -1, -5, '' ], [ -5, -100, '' ], [ 0, -100, 'H' ], [ 11, 20, '' ],
     [ 3, '-9223372036854775808', '' ],
     [ '-9223372036854775808', '9223372036854775807', 'Hello World' ])
{
    my ($from, $to, $part) = @$_;

    for my $name (qw/getrange substr/) {
        is($r->raw($name, 's', $from, $to),
            '$' . length($part) . "\r\n$part\r\n", "$name $from to $to");
    }
}

is($r->cmd(qw/getrange n 1 2/), '$2 23', 'of a number');
is($r->cmd(qw/getrange n -3 -1/), '$3 234', 'from its end');
is($r->raw(qw/getrange none 0 -1/), "\$0\r\n\r\n", 'of a missing key');
is($r->cmd(qw/getrange s a 1/),
    '-ERR value is not an integer or out of range', 'from nowhere');
is($r->cmd(qw/getrange s 1 b/),
    '-ERR value is not an integer or out of range', 'to nowhere');
is($r->cmd(qw/getrange s 1/),
    '-ERR wrong number of arguments for \'getrange\' command', 'too few');
is($r->cmd(qw/substr s 1 2 3/),
    '-ERR wrong number of arguments for \'substr\' command', 'too many');

# setrange

is($r->cmd('setrange', 'k', 0, ''), ':0', 'nothing to nothing');
is($r->cmd(qw/exists k/), ':0', 'makes no key');
is($r->cmd(qw/setrange k 1 foo/), ':4', 'a missing key');
is($r->raw(qw/get k/), "\$4\r\n\0foo\r\n", 'is zeros before');
is($r->cmd(qw/setrange s 6 Redis/), ':11', 'over a part');
is($r->cmd(qw/get s/), '$11 Hello Redis', 'of a string');
is($r->cmd(qw/setrange s 9 ister/), ':14', 'over its end');
is($r->cmd(qw/get s/), '$14 Hello Redister', 'and more');
is($r->cmd(qw/setrange s 16 !/), ':17', 'behind its end');
is($r->raw(qw/get s/), "\$17\r\nHello Redister\0\0!\r\n", 'zeros between');
is($r->cmd('setrange', 's', 1, ''), ':17', 'nothing');
is($r->cmd(qw/setrange n 1 0/), ':4', 'over a number');
is($r->cmd(qw/incr n/), ':1035', 'that stays one');
is($r->cmd(qw/set e v ex 100/), '+OK', 'an expiry');
is($r->cmd(qw/setrange e 3 w/), ':4', 'is kept');
is($r->cmd(qw/ttl e/), ':100', 'by setrange');
is($r->cmd(qw/setrange k -1 x/), '-ERR offset is out of range',
    'before the beginning');
is($r->cmd(qw/setrange k x x/),
    '-ERR value is not an integer or out of range', 'nowhere');
is($r->cmd('setrange', 'k', -1, ''), '-ERR offset is out of range',
    'even nothing');
is($r->cmd(qw/setrange k 536870911 xx/),
    '-ERR string exceeds maximum allowed size (proto-max-bulk-len)',
    'too far');
is($r->cmd(qw/setrange k 9223372036854775807 xx/),
    '-ERR string exceeds maximum allowed size (proto-max-bulk-len)',
    'even farther');
is($r->raw(qw/get k/), "\$4\r\n\0foo\r\n", 'nothing was done');
is($r->cmd(qw/setrange k 1/),
    '-ERR wrong number of arguments for \'setrange\' command', 'too few');

# values from both sides of what is kept in a cell, at places from both sides
# of their ends

for my $n (10, 200, 5000, 16300, 17000, 70000, 1000000) {
    my $value = join '', map { chr(97 + $_ % 26) } 1 .. $n;

    is($r->cmd('set', 'long', $value), '+OK', "a value of $n bytes");

    for my $at (0, int($n / 2), $n - 3, length($value) + 100) {
        for my $more ('x', 'y' x 100, 'z' x 40000, 'w' x 200000) {
            $value .= "\0" x ($at - length $value) if $at > length $value;
            substr $value, $at, length $more, $more;

            next if $r->cmd('setrange', 'long', $at, $more)
                eq ':' . length $value;

            fail("$n bytes: " . length($more) . " at $at: the length");
        }
    }

    ok($r->value('get', 'long') eq $value, "$n bytes: all as it should be");
    is($r->cmd('getrange', 'long', 0, $n), '$' . ($n + 1) . ' '
        . substr($value, 0, $n + 1), "$n bytes: a part");

    # a part of what is being sent, then written

    my @replies = $r->pipe([ 'getrange', 'long', 1, $n + 20000 ],
                           [ 'setrange', 'long', 1, '!!' ],
                           [ 'getrange', 'long', 0, 3 ]);

    is($replies[0], '$' . length(substr $value, 1, $n + 20000) . ' '
        . substr($value, 1, $n + 20000), "$n bytes: a large part");
    is($replies[2], '$4 ' . substr($value, 0, 1) . '!!'
        . substr($value, 3, 1), "$n bytes: written meanwhile");
}

done_testing();
