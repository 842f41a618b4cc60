#!/usr/bin/perl

# CLIENT

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/client getname/), '$-1', 'no name');
is($r->cmd(qw/client setname joe/), '+OK', 'a name');
is($r->cmd(qw/client getname/), '$3 joe', 'is told');
is($r->cmd('client', 'setname', 'a b'),
    '-ERR Client names cannot contain spaces, newlines or special '
    . 'characters.',
    'no blanks');
is($r->cmd('client', 'setname', "a\nb"),
    '-ERR Client names cannot contain spaces, newlines or special '
    . 'characters.',
    'no lines');
is($r->cmd('client', 'setname', 'ab'),
    '-ERR Client names cannot contain spaces, newlines or special '
    . 'characters.',
    'nothing that is not printed');
is($r->cmd(qw/client getname/), '$3 joe', 'it stays');
is($r->cmd('client', 'setname', ''), '+OK', 'an empty one');
is($r->cmd(qw/client getname/), '$-1', 'is none');
is($r->cmd(qw/client setinfo lib-name redis-py/), '+OK', 'a library');
is($r->cmd(qw/client setinfo LIB-VER 5.0.1/), '+OK', 'its version');
is($r->cmd('client', 'setinfo', 'lib-name', 'a b'),
    '-ERR lib-name cannot contain spaces, newlines or special characters.',
    'no blanks');
is($r->cmd('client', 'setinfo', 'Lib-Ver', "a\n"),
    '-ERR Lib-Ver cannot contain spaces, newlines or special characters.',
    'no lines');
is($r->cmd(qw/client setinfo nope x/), '-ERR Unrecognized option \'nope\'',
    'what there is not');
is($r->cmd(qw/client setinfo lib-name/),
    '-ERR wrong number of arguments for \'client|setinfo\' command',
    'too few');
is($r->cmd(qw/client setname/),
    '-ERR wrong number of arguments for \'client|setname\' command',
    'too few');
is($r->cmd(qw/client id x/),
    '-ERR wrong number of arguments for \'client|id\' command',
    'too many');
is($r->cmd(qw/client info x/),
    '-ERR wrong number of arguments for \'client|info\' command',
    'too many');
is($r->cmd(qw/client getname x/),
    '-ERR wrong number of arguments for \'client|getname\' command',
    'too many');
is($r->cmd(qw/client/),
    '-ERR wrong number of arguments for \'client\' command',
    'too few');
is($r->cmd(qw/client nope/),
    '-ERR unknown subcommand \'nope\'. Try CLIENT HELP.',
    'a subcommand there is none of');
is($r->cmd(qw/CLIENT noPe a b/),
    '-ERR unknown subcommand \'noPe\'. Try CLIENT HELP.',
    'as it was written');

like($r->cmd(qw/client id/), qr/^:\d+$/, 'a number');

my ($id) = $r->cmd(qw/client id/) =~ /(\d+)/;
my ($other) = $s->client->cmd(qw/client id/) =~ /(\d+)/;
cmp_ok($other, '>', $id, 'that grows');

$r->cmd(qw/client setname joe/);
$r->cmd(qw/select 3/);

my $info = $r->value(qw/client info/);

like($info, qr/^id=$id addr=127\.0\.0\.1:\d+ laddr=127\.0\.0\.1:$s->{port} /,
    'info begins with number and addresses');
like($info, qr/ fd=\d+ name=joe age=\d+ idle=0 flags=N db=3 sub=0 psub=0 /,
    'name, age, database');
like($info, qr/ cmd=client\|info user=default redir=-1 resp=2 /,
    'the command, the protocol');
like($info, qr/ lib-name=redis-py lib-ver=5\.0\.1 io-thread=0\n$/,
    'the library');

$r->raw(qw/hello 3/);
like($r->raw(qw/client info/), qr/^=\d+\r\ntxt:id=$id .* resp=3 /s,
    'verbatim in RESP3');
is($r->raw(qw/client getname/), "\$3\r\njoe\r\n", 'a name in RESP3');
$r->cmd('client', 'setname', '');
is($r->raw(qw/client getname/), "_\r\n", 'no name in RESP3');

my $help = $r->value(qw/client help/);
is($help->[0], 'CLIENT <subcommand> [<arg> [value] [opt] ...]. '
    . 'Subcommands are:', 'help');
ok((grep { $_ eq 'SETNAME' } @$help), 'names them');

done_testing();
