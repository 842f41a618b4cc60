package Olivine::Client;

# One connection, RESP2 and RESP3.
#
#     cmd(...)       sends a command; its reply as sent, but with a blank for
#                    each inner line end and none at the end: '$3 one'
#     raw(...)       the reply byte for byte
#     value(...)     the reply decoded: undef for nil, arrays, hashes for
#                    maps, errors as text with their "-"
#     pipe([...], ...)  sends all at once; a list of replies as cmd has them
#     write($bytes)  sends any bytes;  frame(...) makes a command's
#     reply, reply_raw, reply_value  read one more reply
#     bytes($n)      reads n bytes;  rest: all until the peer closes
#     closed         the peer closes within the timeout, sending nothing more
#     silent($secs)  nothing comes for so long
#     half_close, close
#
# A reply that does not come in time is undef.

use strict;
use warnings;

use Errno qw(EAGAIN EINTR);
use IO::Socket::INET;
use IO::Socket::UNIX;
use Time::HiRes qw(time);


sub new {
    my ($class, %o) = @_;

    my $socket = $o{path}
        ? IO::Socket::UNIX->new(Peer => $o{path})
        : IO::Socket::INET->new(PeerAddr => $o{address} || '127.0.0.1',
                                PeerPort => $o{port}, Proto => 'tcp');

    die "cannot connect: $!\n" if !$socket;

    $socket->blocking(0);
    setsockopt $socket, 6, 1, 1 if !$o{path};

    my $r = bless {
        socket  => $socket,
        timeout => $o{timeout} || 10,
        in      => '',
    }, $class;

    $r->raw('hello', $o{proto}) if $o{proto};

    return $r;
}


sub cmd {
    my $r = shift;
    $r->write(frame(@_)) or return undef;
    return $r->reply;
}


sub raw {
    my $r = shift;
    $r->write(frame(@_)) or return undef;
    return $r->reply_raw;
}


sub value {
    my $r = shift;
    $r->write(frame(@_)) or return undef;
    return $r->reply_value;
}


sub pipe {
    my ($r, @commands) = @_;
    my @replies;

    # replies are taken while sending: a long pipeline must not lock up
    my $out = join '', map { frame(@$_) } @commands;
    $r->write($out) or return;

    for (@commands) {
        my $reply = $r->reply;
        last if !defined $reply;
        push @replies, $reply;
    }

    return @replies;
}


sub frame {
    shift if ref $_[0];

    my $out = '*' . @_ . "\r\n";

    for my $arg (@_) {
        my $bytes = $arg;
        utf8::encode($bytes) if utf8::is_utf8($bytes);
        $out .= '$' . length($bytes) . "\r\n$bytes\r\n";
    }

    return $out;
}


# Sends all, and takes in what comes meanwhile.  False: closed, or too late.

sub write {
    my ($r, $out) = @_;

    my $end = time + $r->{timeout};
    my $at = 0;

    while ($at < length $out) {
        my ($readable, $writable) = $r->poll(1, $end - time);

        return 0 if !$readable && !$writable;

        if ($readable && !$r->take) {
            $r->{eof} = 1;
            return 0;
        }

        next if !$writable;

        my $n = syswrite $r->{socket}, $out, 1 << 20, $at;

        if (!defined $n) {
            next if $! == EAGAIN || $! == EINTR;
            return 0;
        }

        $at += $n;
        $end = time + $r->{timeout};
    }

    return 1;
}


sub reply {
    my ($r) = @_;

    my $reply = $r->reply_raw;
    return undef if !defined $reply;

    $reply =~ s/\r\n\z//;
    $reply =~ s/\r\n/ /g;

    return $reply;
}


sub reply_raw {
    my ($r) = @_;
    my $end = time + $r->{timeout};

    for ( ;; ) {
        my $last = skip(\$r->{in}, 0);

        return substr $r->{in}, 0, $last, '' if defined $last;
        return undef if !$r->more($end - time);
    }
}


sub reply_value {
    my ($r) = @_;

    my $raw = $r->reply_raw;
    return undef if !defined $raw;

    return (decode(\$raw, 0))[0];
}


sub bytes {
    my ($r, $n) = @_;
    my $end = time + $r->{timeout};

    while (length $r->{in} < $n) {
        last if !$r->more($end - time);
    }

    return substr $r->{in}, 0, $n, '';
}


sub rest {
    my ($r) = @_;
    my $end = time + $r->{timeout};

    1 while $r->more($end - time);

    my $in = $r->{in};
    $r->{in} = '';
    return $in;
}


sub closed {
    my ($r) = @_;
    my $rest = $r->rest;
    return $r->{eof} && $rest eq '';
}


sub silent {
    my ($r, $seconds) = @_;
    return 0 if length $r->{in};
    return !$r->more($seconds || 0.1) && !$r->{eof};
}


sub half_close { shutdown $_[0]{socket}, 1 }

sub close { CORE::close($_[0]{socket}) }

sub socket { $_[0]{socket} }


# --- below: bytes and framing


sub more {
    my ($r, $seconds) = @_;

    return 0 if $r->{eof};
    $seconds = 0 if $seconds < 0;

    my ($readable) = $r->poll(0, $seconds);
    return 0 if !$readable;

    if (!$r->take) {
        $r->{eof} = 1;
        return 0;
    }

    return 1;
}


sub poll {
    my ($r, $write, $seconds) = @_;

    $seconds = 0 if $seconds < 0;

    my $bits = '';
    vec($bits, fileno($r->{socket}), 1) = 1;

    my $in = $bits;
    my $out = $write ? $bits : undef;

    select $in, $out, undef, $seconds;

    return (vec($in, fileno($r->{socket}), 1),
            $write && vec($out, fileno($r->{socket}), 1));
}


# False when the peer has closed.

sub take {
    my ($r) = @_;

    my $n = sysread $r->{socket}, $r->{in}, 1 << 18, length $r->{in};

    return 1 if !defined $n && ($! == EAGAIN || $! == EINTR);
    return $n;
}


# Where the reply that begins at $at ends; undef: not all of it is here.

sub skip {
    my ($in, $at) = @_;

    my $todo = 1;

    while ($todo > 0) {
        my $end = index $$in, "\r\n", $at;
        return undef if $end < 0;

        my $type = substr $$in, $at, 1;
        my $n = substr $$in, $at + 1, $end - $at - 1;

        $at = $end + 2;
        $todo--;

        if ($type =~ /[\$=!]/) {
            next if $n < 0;
            $at += $n + 2;
            return undef if $at > length $$in;

        } elsif ($type =~ /[*~>]/) {
            $todo += $n if $n > 0;

        } elsif ($type eq '%') {
            $todo += 2 * $n;

        } elsif ($type eq '|') {
            $todo += 2 * $n + 1;

        } elsif ($type !~ /[-+:,#_(]/) {
            die "not a reply: \"" . substr($$in, $end - 40 < 0 ? 0 : $end - 40,
                                           80) . "\"\n";
        }
    }

    return $at;
}


# The value at $at and where it ends; the bytes are known to be there.

sub decode {
    my ($in, $at) = @_;

    my $end = index $$in, "\r\n", $at;
    my $type = substr $$in, $at, 1;
    my $n = substr $$in, $at + 1, $end - $at - 1;

    $at = $end + 2;

    return ($n, $at) if $type =~ /[+:,(]/;
    return ("-$n", $at) if $type eq '-';
    return ($n eq 't' ? 1 : 0, $at) if $type eq '#';
    return (undef, $at) if $type eq '_' || $n < 0;

    if ($type =~ /[\$=!]/) {
        my $bytes = substr $$in, $at, $n;
        substr $bytes, 0, 4, '' if $type eq '=';
        return ($type eq '!' ? "-$bytes" : $bytes, $at + $n + 2);
    }

    my $count = $type =~ /[%|]/ ? 2 * $n : $n;
    my @values;

    for (1 .. $count) {
        (my $value, $at) = decode($in, $at);
        push @values, $value;
    }

    return decode($in, $at) if $type eq '|';
    return ({ @values }, $at) if $type eq '%';
    return (\@values, $at);
}

1;
