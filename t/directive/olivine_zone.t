#!/usr/bin/perl

# olivine_zone, olivine: what is taken, and what is said to what is not.
# workers: 1

use strict;
use warnings;

use Olivine;

my $top = $Olivine::top;
my $dir = "$top/build/t/olivine_zone-" . ($ENV{OLIVINE_HOST} || 'standalone');
mkdir $dir;

my $s = Olivine::test($dir);

# forms

taken('olivine_zone main 8m;', 'without a block');
taken('olivine_zone main 8m { }', 'with an empty one');
taken("olivine_zone main 8m {\n maxclients 100; # one\n }", 'with parameters');
taken('olivine_zone main 8388608;', 'a size in bytes');
taken('olivine_zone main 1g;', 'a size in gigabytes');
taken('olivine_zone "main" "8m" { maxclients "100"; }', 'in quotes');
taken('olivine_zone main 8m; olivine_zone b 8m { } olivine_zone c 8m;',
    'several, of both forms');
taken('olivine_zone main 8m { MaxClients 100; }', 'names in any case');
taken('olivine_zone main 8m { save 900 1; save 300 10 60 10000; }',
    'several words, and again');
taken('olivine_zone main 8m { save ""; }', 'an empty word');
taken('olivine_zone main 8m { requirepass "with { ; } in it"; }',
    'any letters in quotes');

write_file("$dir/params.inc", "maxclients 10;\n");
write_file("$dir/zone.inc", "olivine_zone main 8m {\n}\n");
write_file("$dir/zone2.inc", "olivine_zone b 8m;\n");

taken("olivine_zone main 8m { include $dir/params.inc; }",
    'an include in the block');
taken("include $dir/zone.inc; olivine_zone c 8m; include $dir/zone2.*;",
    'zones in included files');

# the server may come first

is($s->("server { listen 127.0.0.1:1; olivine main; }\n"
        . 'olivine_zone main 8m;', ''), '', 'a zone declared behind a server');

# sizes

refused('olivine_zone main 1m;',
    'size "1m" of an olivine_zone is too small, at least it is "8m"', 2);
refused("\nolivine_zone main 64x;", 'invalid size "64x" of an olivine_zone, '
    . 'it is a number of bytes, or one with "k", "m" or "g"', 3);
refused('olivine_zone main -1;', 'invalid size "-1"', 2);
refused('olivine_zone main 99999999g;', 'size', 2);

# names

refused('olivine_zone main 8m; olivine_zone main 8m;',
    'duplicate olivine_zone "main"', 2);
refused('olivine_zone "a b" 8m;', 'invalid name "a b" of an olivine_zone, it '
    . 'has 1 to 63 letters, digits, and "_", "-", "."', 2);
refused('olivine_zone ' . 'n' x 64 . ' 8m;', 'invalid name', 2);

# parameters

refused("olivine_zone main 8m {\n maxmemry 1mb;\n}", 'unknown parameter '
    . '"maxmemry" of an olivine_zone, did you mean "maxmemory"?', 3);
refused("olivine_zone main 8m {\n\n tiemout 1;\n}",
    'did you mean "timeout"?', 4);
refused("olivine_zone main 8m {\n colour blue;\n}", 'unknown parameter '
    . '"colour" of an olivine_zone, those of redis.conf are known', 3);
refused("olivine_zone main 8m {\n maxclients 0;\n}", 'wrong value "0" of '
    . 'parameter "maxclients": argument must be between 1 and 4294967295 '
    . 'inclusive', 3);
refused("olivine_zone main 8m {\n loglevel loud;\n}", 'wrong value "loud" of '
    . 'parameter "loglevel": argument(s) must be one of the following: '
    . 'debug, verbose, notice, warning, nothing', 3);
refused("olivine_zone main 8m {\n timeout;\n}",
    'parameter "timeout" has no value, it takes: number', 3);
refused("olivine_zone main 8m {\n timeout 1 2;\n}",
    'parameter "timeout": wrong number of arguments', 3);
refused("olivine_zone main 8m {\n maxmemory much;\n}",
    'argument must be a memory value', 3);
refused("olivine_zone main 8m {\n requirepass " . 's' x 600 . ";\n}",
    'wrong value of parameter "requirepass"', 3);
refused("olivine_zone main 8m {\n server { }\n}", 'unexpected "{"', 3);

unlike($s->('olivine_zone main 8m { requirepass ' . 's' x 600 . '; }'),
    qr/sss/, 'a password is not shown');

# folders

refused("olivine_zone main 8m { dir $dir/none; }", 'parameter "dir": '
    . "\"$dir/none\" is to be a directory");
refused("olivine_zone main 8m { dir $dir/zone.inc; }",
    "\"$dir/zone.inc\" is not a directory");
taken("olivine_zone main 8m { dir $dir; }", 'a folder that is there');

SKIP: {
    skip 'only root has workers of another user', 1 if $> != 0;

    like($s->("olivine_zone main 8m { dir $dir; }", undef, "user daemon;\n"),
        qr/the workers may not write to "\Q$dir\E", it is to belong to their/,
        'a folder that the workers may not write');
}

# olivine

like($s->('olivine_zone main 8m; olivine_zone other 8m;',
    "server {\nlisten 127.0.0.1:1;\nolivine mian;\n}"),
    qr/unknown olivine_zone "mian", did you mean "main"\? in \S+:5/,
    'an unknown zone, and one like it');
like($s->('', "server {\nlisten 127.0.0.1:1;\nolivine main;\n}"),
    qr/unknown olivine_zone "main", it is to be declared by "olivine_zone main/,
    'an unknown zone');
like($s->('olivine_zone main 8m;', 'server { listen 127.0.0.1:1;'
    . ' olivine main; olivine main; }'),
    qr/"olivine" directive is duplicate/, 'twice in a server');
like($s->('olivine_zone main 8m;', 'server { listen 127.0.0.1:1; olivine; }'),
    qr/invalid number of arguments in "olivine" directive/, 'without a name');
like($s->('olivine_zone main;'),
    qr/invalid number of arguments in "olivine_zone" directive/,
    'without a size');

done_testing();


sub taken {
    my ($text, $name) = @_;
    is($s->($text), '', $name);
}


sub refused {
    my ($text, $what, $line) = @_;

    my $said = $s->($text);
    my $where = $line ? qr/ in \S+:$line\b/ : qr//;

    like($said, qr/\[emerg\] .*\Q$what\E.*$where/, "refused: $what");
}


sub write_file { Olivine::write_file(@_) }
