#!/usr/bin/perl

# ioredis, which speaks RESP2
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Checks qw(checks);

my $modules = "$Olivine::top/build/clients/node_modules";

plan(skip_all => 'ioredis is not installed') if !-d "$modules/ioredis";

$ENV{NODE_PATH} = $modules;

my $s = olivine();

checks('resp2', 'node', 't/clients/ioredis.js', $s->{port});

done_testing();
