package Olivine::Checks;

# Tests in another language: a program that prints "ok - name" or
# "not ok - name" for each thing it checks, anything else as a remark, and
# "done" at its end.
#
#     checks('hiredis', @command)   a test for each line, one for its end
#     left_out($why)                says so aloud, returns why

use strict;
use warnings;

use Exporter qw(import);
use Test::More import => [qw(ok diag)];

our @EXPORT_OK = qw(checks left_out);


sub checks {
    my ($name, @command) = @_;

    open my $from, '-|', 'timeout', 60, 'sh', '-c', 'exec "$@" 2>&1', 'sh',
        @command or die "$command[0]: $!\n";

    my $done = 0;

    while (my $line = <$from>) {
        chomp $line;

        if ($line =~ /^(not )?ok - (.*)/) {
            ok(!$1, "$name: $2");

        } elsif ($line eq 'done') {
            $done = 1;

        } else {
            diag($line);
        }
    }

    close $from;
    ok($done && $? == 0, "$name: came to its end")
        or diag("exit status $?");
}


sub left_out {
    my ($why) = @_;

    diag("*** left out: $why");
    return $why;
}

1;
