#!/usr/bin/perl

# node-redis, RESP2 and RESP3
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Checks qw(checks);

my $modules = "$Olivine::top/build/clients/node_modules";

plan(skip_all => 'node-redis is not installed') if !-d "$modules/redis";

$ENV{NODE_PATH} = $modules;

my $s = olivine();

checks('resp2', 'node', 't/clients/node-redis.js', $s->{port});
checks('resp3', 'node', 't/clients/node-redis.js', $s->{port}, 3);

done_testing();
