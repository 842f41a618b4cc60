#!/usr/bin/perl

# LOLWUT

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

my $version = qr/Olivine ver\. [\d.]+, Redis ver\. [\d.]+\n/;

for my $how ([], [ qw/version 5/ ], [ qw/version 6 100/ ], [ qw/version/ ],
             [ qw/version 7 1000000 1 1/ ], [ qw/other words/ ])
{
    my $said = $r->value('lolwut', @$how);

    like($said, qr/[-=]{4}.*\n\nAn olive branch\. $version\z/s,
        "a drawing: @$how");
    is((grep { length > 160 } split /\n/, $said), 0, 'not too wide');
    is((grep { / \z/ } split /\n/, $said), 0, 'no blanks at the end');
}

like($r->value(qw/lolwut version 1/), qr/\A$version\z/, 'nothing to be seen');

is($r->cmd(qw/lolwut version x/),
    '-ERR value is not an integer or out of range', 'no version');
is($r->cmd(qw/lolwut version 5 x/),
    '-ERR value is not an integer or out of range', 'no width');

like($s->client(proto => 3)->raw('lolwut'), qr/\A=\d+\r\ntxt:/,
    'verbatim in RESP3');

done_testing();
