#!/usr/bin/perl

# LCS

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;
my $r3 = $s->client(proto => 3);

$r->cmd(qw/mset a ohmytext b mynewtext n 12345 m 1345/);

is($r->cmd(qw/lcs a b/), '$6 mytext', 'the text');
is($r->cmd(qw/lcs a b len/), ':6', 'its length');
is($r->cmd(qw/lcs a b idx/),
    '*4 $7 matches *2 *2 *2 :4 :7 *2 :5 :8 *2 *2 :2 :3 *2 :0 :1 $3 len :6',
    'where');
is($r->cmd(qw/lcs a b idx minmatchlen 4/),
    '*4 $7 matches *1 *2 *2 :4 :7 *2 :5 :8 $3 len :6', 'only long ones');
is($r->cmd(qw/lcs a b idx minmatchlen 4 withmatchlen/),
    '*4 $7 matches *1 *3 *2 :4 :7 *2 :5 :8 :4 $3 len :6', 'and how long');
is($r->cmd(qw/lcs a b idx minmatchlen -1/), $r->cmd(qw/lcs a b idx/),
    'less than none is any');
is($r3->cmd(qw/lcs a b idx minmatchlen 4/),
    '%2 $7 matches *1 *2 *2 :4 :7 *2 :5 :8 $3 len :6', 'a map in RESP3');
is($r->cmd(qw/lcs a b withmatchlen minmatchlen 4/), '$6 mytext',
    'said of what is not asked');
is($r->cmd(qw/lcs n m/), '$4 1345', 'of numbers');
is($r->raw(qw/lcs a none/), "\$0\r\n\r\n", 'with a missing key');
is($r->cmd(qw/lcs none none len/), ':0', 'with two');
is($r->cmd(qw/lcs none a idx/), '*4 $7 matches *0 $3 len :0', 'nowhere');
is($r->cmd(qw/lcs a a idx/),
    '*4 $7 matches *1 *2 *2 :0 :7 *2 :0 :7 $3 len :8', 'of one');
is($r->cmd(qw/lcs a b len idx/), '-ERR If you want both the length and '
    . 'indexes, please just use IDX.', 'both');
is($r->cmd(qw/lcs a b foo/), '-ERR syntax error', 'an unknown option');
is($r->cmd(qw/lcs a b minmatchlen/), '-ERR syntax error',
    'a number is missing');
is($r->cmd(qw/lcs a b minmatchlen x/),
    '-ERR value is not an integer or out of range', 'or is none');
is($r->cmd(qw/lcs a/), '-ERR wrong number of arguments for \'lcs\' command',
    'too few');

# against the way everybody writes it, with lengths around 64

srand 1;

for my $n (1, 3, 63, 64, 65, 127, 128, 129, 300) {
    my ($a, $b) = map { my $m = $_; join '', map { chr(97 + rand 4) } 1 .. $m }
                  $n, 1 + int rand 2 * $n;

    $r->cmd('mset', 'a', $a, 'b', $b);

    my ($text, @matches) = lcs($a, $b);

    is($r->cmd(qw/lcs a b/), '$' . length($text) . " $text", "text, $n");
    is($r->cmd(qw/lcs a b len/), ':' . length $text, "length, $n");
    is($r->cmd(qw/lcs a b idx withmatchlen/), '*4 $7 matches *' . @matches
        . join('', map { " *3 *2 :$_->[0] :$_->[1] *2 :$_->[2] :$_->[3] "
                         . ":$_->[4]" } @matches)
        . ' $3 len :' . length $text, "places, $n");
}

# what Redis refuses

my $long = 'x' x 20000;

$r->cmd('mset', 'a', $long, 'b', $long);
is($r->cmd(qw/lcs a b/), '-ERR Insufficient memory, transient memory for LCS '
    . 'exceeds proto-max-bulk-len', 'too long');

$r->cmd('mset', 'a', 'x' x 11000, 'b', 'yx' x 5500);
is($r->cmd(qw/lcs a b len/), ':5500', 'just not too long');
is($r->cmd(qw/lcs a b/), '$5500 ' . 'x' x 5500, 'the text');

done_testing();


sub lcs {
    my @a = split //, $_[0];
    my @b = split //, $_[1];
    my @l = map { [ (0) x (@b + 1) ] } 0 .. @a;

    for my $i (1 .. @a) {
        for my $j (1 .. @b) {
            $l[$i][$j] = $a[$i - 1] eq $b[$j - 1]
                ? $l[$i - 1][$j - 1] + 1
                : $l[$i - 1][$j] > $l[$i][$j - 1] ? $l[$i - 1][$j]
                                                  : $l[$i][$j - 1];
        }
    }

    my ($i, $j, $n, $text, @matches) = (scalar @a, scalar @b, 0, '');

    while ($i && $j) {
        if ($a[$i - 1] eq $b[$j - 1]) {
            $i--;
            $j--;
            $n++;
            $text = $a[$i] . $text;
            next if $i && $j;
        }

        push @matches, [ $i, $i + $n - 1, $j, $j + $n - 1, $n ] if $n;
        $n = 0;

        last if !$i || !$j;

        if ($l[$i - 1][$j] > $l[$i][$j - 1]) {
            $i--;
        } else {
            $j--;
        }
    }

    return ($text, @matches);
}
