package Olivine::Program;

# Small C programs of the tests: program(name, sources, options) compiles
# build/tools/name when it is older than what it is made of, and returns its
# path.  Dies with the compiler's words.  found(name): where a program is on
# the PATH, or undef.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter qw(import);
use Fcntl qw(:flock);
use File::Basename qw(dirname);
use File::Path qw(make_path);

our @EXPORT_OK = qw(program found);

my $top = abs_path(dirname(__FILE__) . '/../../..');


sub program {
    my ($name, $sources, @options) = @_;

    my $dir = "$top/build/tools";
    my $out = "$dir/$name";
    my @files = map { "$top/$_" } @$sources;

    make_path($dir);

    # tests that run beside each other may want the same one
    open my $lock, '>', "$out.lock" or die "$out.lock: $!\n";
    flock $lock, LOCK_EX;

    my $age = -M $out;

    return $out if defined $age && !grep { -M $_ < $age } @files;

    my @command = ('gcc', qw(-O2 -g -W -Wall -Wextra -Werror), '-o', "$out.new",
                   (grep { /\.c$/ } @files), @options);

    open my $gcc, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @command
        or die "gcc: $!\n";

    my $said = join '', <$gcc>;
    close $gcc or die "@command\n$said";

    rename "$out.new", $out or die "$out: $!\n";

    return $out;
}


sub found {
    my ($name) = @_;
    return (grep { -x } map { "$_/$name" } split /:/, $ENV{PATH})[0];
}

1;
