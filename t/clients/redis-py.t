#!/usr/bin/perl

# redis-py, RESP2, and RESP3 where it can do that
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Checks qw(checks left_out);

# one of them may know a package that the other does not

my ($python, $version);

for my $try ('python3', '/usr/bin/python3') {
    my $said = qx($try -c 'import redis; print(redis.__version__)' 2>/dev/null);

    ($python, $version) = ($try, $1) if !$python && $said =~ /^(\d+)/;
}

plan(skip_all => 'redis-py is not installed') if !$python;

my $s = olivine();

checks('resp2', $python, 't/clients/redis_py.py', $s->{port});

SKIP: {
    skip(left_out("redis-py $version has no RESP3")) if $version < 5;
    checks('resp3', $python, 't/clients/redis_py.py', $s->{port}, 3);
}

done_testing();
