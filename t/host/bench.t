#!/usr/bin/perl

# What make bench calls still runs: a short measure of this host alone.
# workers: 1

use strict;
use warnings;

use Olivine;

my $host = $ENV{OLIVINE_HOST} || 'standalone';
my $name = $host eq 'module' ? 'olivine in nginx' : 'olivine';

my @options = (qw(rounds=1 seconds=0.05 keys=50000), "only='^$name\$'",
    qw(set-p16 get-p1 bytes-ttl));

my $said = qx($^X $Olivine::top/t/bench/bench @options 2>&1);

like($said, qr/^\| SET, pipeline 16 +\| +\d+\.\d\d \(/m, 'a load');
like($said, qr/^\| 3-byte value with a TTL +\| +\d+ \|/m, 'a size');
unlike($said, qr/^\*\*\*/m, 'nothing went wrong') or diag($said);

done_testing();
