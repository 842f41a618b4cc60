package Olivine::Load;

# Clients that work while something happens to the server:
#
#     my $load = Olivine::Load->start($port, 2);
#     ...
#     my $seen = $load->stop;
#
# Each is a process with a connection and a counter of its own; it sends
# pipelines of INCR and ECHO, and looks that each reply is the next.  When its
# connection is closed it connects again, and looks that the counter has all
# that was acknowledged, and nothing that was not sent.  What they saw:
#
#     done     replies that were right
#     wrong    wrong ones, or out of order
#     lost     counters that did not hold what was acknowledged
#     closed   connections that were closed by the server
#     refused  attempts to connect that failed

use strict;
use warnings;

use POSIX qw(_exit);
use Time::HiRes qw(sleep time);

use Olivine::Client;

my $PIPE = 50;
my @kinds = qw(done wrong lost closed refused);


sub start {
    my ($class, $port, $clients) = @_;
    my @running;

    for my $number (1 .. $clients || 1) {
        pipe my $in, my $out or die "pipe: $!\n";

        my $pid = fork // die "fork: $!\n";

        if ($pid == 0) {
            close $in;
            my $seen = work($port, "load:$$");
            print $out join(' ', map { $seen->{$_} } @kinds), "\n";
            close $out;
            _exit(0);
        }

        close $out;
        push @running, [ $pid, $in ];
    }

    return bless { running => \@running }, $class;
}


sub stop {
    my ($load) = @_;
    my %sum = map { $_ => 0 } @kinds;

    kill TERM => $_->[0] for @{ $load->{running} };

    for (@{ delete $load->{running} }) {
        my ($pid, $in) = @$_;
        my $line = <$in> // '';
        waitpid $pid, 0;

        my @n = split ' ', $line;
        die "a client under load came to no end\n" if @n != @kinds;
        $sum{ $kinds[$_] } += $n[$_] for 0 .. $#kinds;
    }

    return \%sum;
}


sub DESTROY {
    my ($load) = @_;
    kill KILL => $_->[0] for @{ $load->{running} || [] };
}


sub work {
    my ($port, $key) = @_;
    my %seen = map { $_ => 0 } @kinds;
    my ($sent, $acked) = (0, 0);
    my $stop = 0;
    my $r;

    local $SIG{TERM} = sub { $stop = 1 };
    local $SIG{ALRM} = sub { _exit(1) };
    alarm 120;

    while (!$stop) {

        if (!$r) {
            $r = eval { Olivine::Client->new(port => $port, timeout => 10) };
            my $at = $r && $r->cmd('get', $key);

            if (!defined $at) {
                $seen{refused}++;
                undef $r;
                sleep 0.01;
                next;
            }

            $at = $at eq '$-1' ? 0 : (split ' ', $at)[1];
            $seen{lost}++ if $at !~ /^\d+$/ || $at < $acked || $at > $sent;
            $sent = $acked = $at;
        }

        my $out = join '', map { $r->frame('incr', $key)
                                 . $r->frame('echo', $_) } 1 .. $PIPE;

        $sent += $PIPE;
        my $whole = $r->write($out);

        for my $i (1 .. 2 * $PIPE) {
            my $reply = $r->reply;

            if (!defined $reply) {
                $whole = 0;
                last;
            }

            my $want = $i % 2 ? ':' . ++$acked
                              : '$' . length($i / 2) . ' ' . $i / 2;

            $reply eq $want ? $seen{done}++ : $seen{wrong}++;
        }

        if (!$whole) {
            $seen{closed}++;
            undef $r;
        }
    }

    return \%seen;
}

1;
