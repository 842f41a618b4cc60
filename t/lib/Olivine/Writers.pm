package Olivine::Writers;

# Clients that write, and remember what was acknowledged:
#
#     my $writers = Olivine::Writers->start($port, $count, $prefix);
#     ...
#     my $known = $writers->stop;
#     my @wrong = Olivine::Writers::wrong($known, $client);
#
# Each is a process with keys of its own: texts, short ones and some of 20 KB,
# that are set and deleted, a pair that only transactions change, and a
# counter.  When its connection is closed it connects again.  A key may hold
# the last value that was acknowledged, or one that was sent after that and
# never answered; a counter what lies between.  No other key may begin with the
# prefix.

use strict;
use warnings;

use POSIX qw(_exit);
use Storable qw(store_fd fd_retrieve);
use Time::HiRes qw(sleep);

use Olivine::Client;


sub start {
    my ($class, $port, $count, $prefix) = @_;
    my @running;

    for my $number (1 .. $count) {
        pipe my $in, my $out or die "pipe: $!\n";

        my $pid = fork // die "fork: $!\n";

        if ($pid == 0) {
            close $in;
            store_fd(work($port, "$prefix:$number"), $out);
            close $out;
            _exit(0);
        }

        close $out;
        push @running, [ $pid, $in ];
    }

    return bless { running => \@running }, $class;
}


sub stop {
    my ($writers) = @_;
    my @known;

    kill TERM => $_->[0] for @{ $writers->{running} };

    for (@{ delete $writers->{running} }) {
        my ($pid, $in) = @$_;
        push @known, fd_retrieve($in);
        waitpid $pid, 0;
    }

    return \@known;
}


sub DESTROY {
    my ($writers) = @_;
    kill KILL => $_->[0] for @{ $writers->{running} || [] };
}


# replies that were acknowledged

sub done {
    my ($known) = @_;
    my $sum = 0;
    $sum += $_->{done} for @$known;
    return $sum;
}


# What a client sees that nobody has left behind: a line each.

sub wrong {
    my ($known, $r) = @_;
    my @wrong;

    for my $k (@$known) {
        push @wrong, @{ $k->{wrong} };

        my @keys = sort keys %{ $k->{may} };
        my @values = map { $r->value('get', $_) } @keys;
        my %there = map { $_ => 1 }
            @{ $r->value('keys', "$k->{prefix}:*") || [] };

        for my $i (0 .. $#keys) {
            delete $there{ $keys[$i] };
            my $value = $values[$i] // '';
            my $may = [ map { $_->[0] } @{ $k->{may}{ $keys[$i] } } ];

            next if grep { $_ eq $value } @$may;

            push @wrong, "$keys[$i] is \"" . substr($value, 0, 30)
                . '", not one of "' . join('" "', map { substr $_, 0, 30 }
                                                 @$may) . '"';
        }

        my $n = $r->value('get', "$k->{prefix}:n") // 0;
        delete $there{"$k->{prefix}:n"};

        push @wrong, "$k->{prefix}:n is $n, not $k->{acked} to $k->{sent}"
            if $n < $k->{acked} || $n > $k->{sent};

        my ($one, $two) = map { $r->value('get', "$k->{prefix}:$_") // '' }
            qw(one two);

        push @wrong, "$k->{prefix}: a transaction is half there, $one, $two"
            if $one ne $two;

        push @wrong, map { "$_ was never set" } keys %there;
    }

    return @wrong;
}


sub work {
    my ($port, $prefix) = @_;
    my %k = (prefix => $prefix, may => {}, acked => 0, sent => 0, done => 0,
             wrong => []);
    my ($stop, $value, $r) = (0, 0);

    local $SIG{TERM} = sub { $stop = 1 };
    local $SIG{ALRM} = sub { _exit(1) };
    alarm 120;
    srand $$;

    while (!$stop) {

        if (!$r) {
            $r = eval { Olivine::Client->new(port => $port, timeout => 5) };
            undef $r if $r && ($r->cmd('ping') // '') ne '+PONG';

            if (!$r) {
                sleep 0.01;
                next;
            }
        }

        my ($out, @expect) = ('');

        for (1 .. 1 + int rand 12) {
            my $kind = int rand 10;
            my @sets;
            my $reply;

            $value++;

            if ($kind == 0) {
                $out .= $r->frame('incr', "$prefix:n");
                $reply = qr/^:\d+$/;
                $k{sent}++;

            } elsif ($kind == 1) {
                $out .= $r->frame('multi') . $r->frame('set', "$prefix:one",
                    $value) . $r->frame('set', "$prefix:two", $value)
                    . $r->frame('exec');
                push @expect, [ qr/^\+OK$/ ], [ qr/^\+QUEUED$/ ],
                              [ qr/^\+QUEUED$/ ];
                @sets = map { [ "$prefix:$_", $value ] } qw(one two);
                $reply = qr/^\*2 \+OK \+OK$/;

            } elsif ($kind < 4) {
                my $key = "$prefix:k" . int rand 50;
                $out .= $r->frame('del', $key);
                @sets = [ $key, '' ];
                $reply = qr/^:[01]$/;

            } else {
                my $key = "$prefix:k" . int rand 50;
                my $text = $kind == 9 && rand() < 0.3 ? "$value " x 5000
                                                      : $value;
                $out .= $r->frame('set', $key, $text);
                @sets = [ $key, $text ];
                $reply = qr/^\+OK$/;
            }

            for (@sets) {
                push @$_, $value;
                push @{ $k{may}{ $_->[0] } ||= [ [ '', 0 ] ] },
                     [ $_->[1], $value ];
            }

            push @expect, [ $reply, $kind, @sets ];
        }

        $r->write($out);

        for (@expect) {
            my ($want, $kind, @sets) = @$_;
            my $reply = $r->reply;

            if (!defined $reply) {
                undef $r;
                last;
            }

            if ($reply =~ /^-/ || $reply !~ $want) {
                push @{ $k{wrong} }, "$prefix: the reply is \"$reply\"";
            }

            $k{done}++;
            $k{acked}++ if defined $kind && $kind == 0;

            # what was sent before the one that is acknowledged is gone

            for (@sets) {
                my ($key, undef, $number) = @$_;
                my $may = $k{may}{$key};
                shift @$may while $may->[0][1] != $number;
            }
        }
    }

    return \%k;
}

1;
