#!/usr/bin/perl

# hiredis, RESP2, and RESP3 where it can do that
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Checks qw(checks left_out);
use Olivine::Program qw(program);

my ($header) = grep { -f } map { "$_/hiredis/hiredis.h" }
    qw(/usr/local/include /usr/include);

plan(skip_all => 'hiredis is not installed') if !$header;

my $program = program('hiredis', ['t/clients/hiredis.c'], '-lhiredis');

my $s = olivine();

checks('resp2', $program, $s->{port});

open my $in, '<', $header or die "$header: $!\n";
my ($major) = join('', <$in>) =~ /define HIREDIS_MAJOR (\d+)/;

SKIP: {
    skip(left_out("hiredis $major has no RESP3")) if $major < 1;
    checks('resp3', $program, $s->{port}, 3);
}

done_testing();
