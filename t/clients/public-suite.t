#!/usr/bin/perl

# A few files of the public suite that make compat runs whole: what fails
# there does so for a reason that is known.
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);

plan(skip_all => 'tclsh is not installed') if !found('tclsh');

plan(skip_all => 'the public suite could not be fetched')
    if system('t/tools/source', 'build', 'redis', '7.0.') != 0;

for my $file (qw(unit/quit unit/type/incr unit/protocol)) {
    my $said = qx(t/compat/run $file 2>&1);
    my $status = $?;

    is($status, 0, "$file: nothing fails without a reason") or diag($said);
    like($said, qr/^\Q$file\E +[1-9]\d* passed/m, "$file: tests pass");
}

done_testing();
