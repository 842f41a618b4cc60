#!/usr/bin/perl

# olivine_shutdown; what it does is in t/host/shutdown.t
# workers: 1

use strict;
use warnings;

use Olivine;

my $try = Olivine::test("$Olivine::top/build/t/olivine_shutdown-"
    . ($ENV{OLIVINE_HOST} // ''));

is($try->('olivine_zone main 8m; olivine_shutdown on;'), '', 'on');
is($try->('olivine_zone main 8m; olivine_shutdown off;'), '', 'off');
like($try->('olivine_zone main 8m; olivine_shutdown maybe;'),
    qr/invalid value "maybe" in "olivine_shutdown" directive, it must be "on" or "off"/,
    'neither');
like($try->('olivine_zone main 8m; olivine_shutdown on; olivine_shutdown on;'),
    qr/"olivine_shutdown" directive is duplicate/, 'twice');
like($try->('olivine_zone main 8m;', 'server { listen 127.0.0.1:1; '
    . 'olivine main; olivine_shutdown on; }'),
    qr/"olivine_shutdown" directive is not allowed here/, 'of a server');

done_testing();
