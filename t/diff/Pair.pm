package Pair;

# The same commands to two servers, their replies side by side.
#
#     my $pair = Pair->new([ 7000, 7001 ], 3);
#     my $different = $pair->run([ 'SET', 'k', 'v' ], [ 'GET', 'k' ]);
#
# run() returns undef, or the index of the first command whose replies differ,
# and then both replies.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use Time::HiRes qw(time);

my $timeout = 30;


sub new {
    my ($class, $ports, $proto) = @_;

    my @sockets = map {
        my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                      PeerPort => $_, Proto => 'tcp')
            || die "cannot connect to $_: $!\n";
        setsockopt $s, 6, 1, 1;
        $s->blocking(0);
        $s;
    } @$ports;

    my $pair = bless { sockets => \@sockets, proto => $proto }, $class;

    $pair->ask($_, [ 'HELLO', $proto ]) for 0, 1;

    return $pair;
}


# One reply of one server.

sub ask {
    my ($pair, $n, @commands) = @_;

    return $pair->exchange($n, frames(@commands), scalar @commands);
}


sub run {
    my ($pair, @commands) = @_;

    my $bytes = frames(@commands);
    my @replies = map { $pair->exchange($_, $bytes, scalar @commands) } 0, 1;

    # within a transaction, what is queued is remembered

    return if $replies[0] eq $replies[1] && !$pair->{queue}
        && !grep { lc $_->[0] eq 'multi' } @commands;

    my ($p, $q) = (0, 0);

    for my $i (0 .. $#commands) {
        my $p_end = after($replies[0], $p);
        my $q_end = after($replies[1], $q);

        my $ours = substr $replies[0], $p, ($p_end // length $replies[0]) - $p;
        my $theirs = substr $replies[1], $q,
                            ($q_end // length $replies[1]) - $q;

        my $name = lc $commands[$i][0];

        return ($i, $ours, $theirs)
            if $ours ne $theirs
                && !($name eq 'exec' && $pair->alike_exec($ours, $theirs))
                && !alike($name, $ours, $theirs);

        return ($i, $ours, $theirs) if !defined $p_end || !defined $q_end;

        $pair->{queue} = [] if $name eq 'multi' && $theirs =~ /^\+OK/;
        push @{ $pair->{queue} }, $name if $theirs eq "+QUEUED\r\n";
        delete $pair->{queue} if $name eq 'exec' || $name eq 'discard';

        ($p, $q) = ($p_end, $q_end);
    }

    return;
}


# What may differ: the order of keys, by a moment what is left of a time.

sub alike {
    my ($name, $ours, $theirs) = @_;

    if ($name eq 'keys') {
        return join("\n", sort split /\r\n/, $ours, -1)
            eq join("\n", sort split /\r\n/, $theirs, -1);
    }

    # cursors are each one's own, and so are lists of commands

    return "$ours\n$theirs" =~ /^\*2\r.*\n\*2\r/s if $name eq 'scan';
    return "$ours\n$theirs" =~ /^([*~:])\d\d.*\n\1\d\d/s if $name eq 'command';
    return "$ours\n$theirs" =~ /^\$\d.*\n\$\d/s if $name eq 'randomkey';

    # SET with a time that is past leaves a key behind, until it is looked at

    if ($name eq 'dbsize') {
        my ($a, $b) = map { /^:(\d+)\r\n$/ ? $1 : return 0 } $ours, $theirs;
        return $a <= $b && $b - $a <= 3;
    }

    if ($name =~ /^p?(?:ttl|expiretime)$/) {
        my ($a, $b) = map { /^:(\d+)\r\n$/ ? $1 : return 0 } $ours, $theirs;
        return abs($a - $b) <= ($name =~ /^p/ ? 5000 : 5);
    }

    return 0;
}


# The replies in an EXEC's, one by one.

sub alike_exec {
    my ($pair, $ours, $theirs) = @_;
    my @queue = @{ $pair->{queue} || [] };

    my $head = '*' . @queue . "\r\n";
    my ($p, $q) = (length $head) x 2;

    return 0 if grep { index($_, $head) != 0 } $ours, $theirs;

    for my $name (@queue) {
        my ($p_end, $q_end) = (after($ours, $p), after($theirs, $q));

        return 0 if !defined $p_end || !defined $q_end;

        my ($one, $other) = (substr($ours, $p, $p_end - $p),
                             substr($theirs, $q, $q_end - $q));

        return 0 if $one ne $other && !alike($name, $one, $other);

        ($p, $q) = ($p_end, $q_end);
    }

    return 1;
}


# Sends while it receives, until there are n replies.

sub exchange {
    my ($pair, $n, $out, $want) = @_;

    my $socket = $pair->{sockets}[$n];
    my ($in, $pos, $end) = ('', 0, time + $timeout);
    my $bits = '';

    vec($bits, fileno $socket, 1) = 1;

    while ($want) {

        if (length $out) {
            my $sent = syswrite $socket, $out;
            substr $out, 0, $sent, '' if $sent;
        }

        select my $r = $bits, my $w = length $out ? $bits : undef, undef, 1;

        my $got = sysread $socket, $in, 65536, length $in;

        return "$in(closed)" if defined $got && $got == 0;
        return "$in(silence)" if time > $end;

        while ($want) {
            my $next = after($in, $pos);
            last if !defined $next;
            $pos = $next;
            $want--;
        }
    }

    return $in;
}


# Where the reply that begins at a place ends; undef: it is not whole.

sub after {
    my ($pos) = $_[1];
    my $left = 1;

    pos($_[0]) = $pos;

    while ($left) {
        $_[0] =~ /\G([^\r\n])([^\r\n]*)\r\n/gc or return undef;
        $left--;

        if ($1 eq '$' || $1 eq '=' || $1 eq '!') {
            next if $2 < 0;
            my $end = pos($_[0]) + $2 + 2;
            return undef if $end > length $_[0];
            pos($_[0]) = $end;

        } elsif ($1 eq '*' || $1 eq '~' || $1 eq '>') {
            $left += $2 if $2 > 0;

        } elsif ($1 eq '%') {
            $left += 2 * $2;
        }
    }

    return pos $_[0];
}


sub frames {
    return join '', map {
        join '', '*', scalar @$_, "\r\n",
            map { ('$', length, "\r\n", $_, "\r\n") } @$_
    } @_;
}


1;
