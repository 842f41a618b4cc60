#!/usr/bin/perl

# PING

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd('ping'), '+PONG', 'ping');
is($r->raw('PING'), "+PONG\r\n", 'the name in capitals');
is_deeply([ $r->pipe(['ping'], ['ping'], ['ping']) ], [ ('+PONG') x 3 ],
    'three in one write');

done_testing();
