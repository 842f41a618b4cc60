package Olivine::Burn;

# redis-benchmark in the background, until it is stopped or forgotten:
#
#     my $burn = Olivine::Burn->start($port, qw(-t set -P 16 -r 1000));

use strict;
use warnings;

use POSIX qw(_exit);


sub there { return grep { -x "$_/redis-benchmark" } split /:/, $ENV{PATH} }


sub start {
    my ($class, $port, @args) = @_;

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        exec 'nice', 'redis-benchmark', '-p', $port, '-n', 2_000_000_000,
            '-q', @args or _exit(127);
    }

    return bless { pid => $pid }, $class;
}


sub stop {
    my ($burn) = @_;

    my $pid = delete $burn->{pid} or return;

    kill KILL => $pid;
    waitpid $pid, 0;
}


sub DESTROY { local ($?, $!); $_[0]->stop }

1;
