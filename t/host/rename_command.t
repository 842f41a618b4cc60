#!/usr/bin/perl

# rename-command, in both hosts

use strict;
use warnings;

use Olivine;

my $s = olivine(params => [
    [ 'rename-command', 'FLUSHALL', '' ],
    [ 'rename-command', 'get', 'fetch' ],
    [ 'rename-command', 'SET', 'get' ],
    [ 'rename-command', 'COMMAND', 'c' ],
    [ 'rename-command', 'DEBUG', 'debug2' ],
    [ 'rename-command', 'debug2', 'debug3' ],
    [ 'rename-command', 'no-such-command', 'x' ],
]);
my $r = $s->client;

is($r->cmd(qw/flushall/),
    "-ERR unknown command 'flushall', with args beginning with: ",
    'one that was taken away');
is($r->cmd(qw/set k v/),
    "-ERR unknown command 'set', with args beginning with: 'k' 'v' ",
    'an old name');
is($r->cmd(qw/GET k v/), '+OK', 'a name that was free');
is($r->cmd(qw/fetch k/), '$1 v', 'a new name');
is($r->cmd(qw/Fetch/), "-ERR wrong number of arguments for 'get' command",
    'of the same command');
is($r->cmd(qw/fetch k/) . $r->cmd(qw/get k w/) . $r->cmd(qw/fetch k/),
    '$1 v+OK$1 w', 'one after the other');
like($r->cmd(qw/c info fetch/), qr/^\*1 \*10 \$3 get :2 /, 'COMMAND INFO');
is($r->cmd(qw/c info set/), '*1 $-1', 'has no old names');
is($r->cmd(qw/c getkeys get a b/), '*1 $1 a', 'COMMAND GETKEYS');
like($r->cmd(qw/c help/), qr/^\*\d+ \+COMMAND /, 'its help');
like($r->cmd(qw/debug2 help/), qr/^-ERR unknown command/,
    'renamed a second time');
like($r->cmd(qw/debug3 help/), qr/DEBUG/, 'to the last name');
is($r->cmd(qw/config get rename*/), '*0', 'CONFIG GET does not tell');
is($r->cmd(qw/no-such-command/),
    "-ERR unknown command 'no-such-command', with args beginning with: ",
    'there is none');
like($s->log, qr/\[warn\] .*"rename-command": there is no command "no-such-/,
    'which is told');

if ($s->{host} eq 'module') {
    my $try = Olivine::test("$s->{dir}/try");

    like($try->('olivine_zone main 8m { rename-command get set; }'),
        qr/there is a command "set" already/, 'a name that is taken');
    like($try->('olivine_zone main 8m { rename-command get; }'),
        qr/takes a command and its new name/, 'no name');
    like($try->('olivine_zone main 8m { rename-command get '
        . 'x' x 64 . '; }'), qr/longer than 63 bytes/, 'a long name');
}

done_testing();
