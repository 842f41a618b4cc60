#!/usr/bin/perl

# Variables of a session in nginx's access log

use strict;
use warnings;

use IO::Socket::INET;
use Time::HiRes qw(sleep);

use Olivine;

my $dir = "$Olivine::top/build/t/variables-" . ($ENV{OLIVINE_HOST} // '')
    . '-' . ($ENV{OLIVINE_WORKERS} // '');
system('rm', '-rf', $dir);
system('mkdir', '-p', $dir);
chmod 0777, $dir;

my ($port, $other) = (port(8081), port(8082));

my $s = olivine(main => '', stream => <<"STREAM");
log_format session '\$olivine_commands;\$olivine_errors;\$olivine_db;'
    '\$olivine_last_command;\$olivine_user;\$bytes_received;\$bytes_sent;'
    '\$status';
server {
    access_log $dir/log session;
    listen 127.0.0.1:$port;
    olivine main;
}
server {
    access_log $dir/log session;
    listen 127.0.0.1:$other;
    return "\$olivine_commands.";
}
STREAM

# The next line of the log.

my $seen = 0;

sub logged {
    my @lines;

    $s->until(sub {
        return 0 if !-f "$dir/log";
        @lines = split /\n/, Olivine::read_file("$dir/log");
        return @lines > $seen;
    });

    return $lines[$seen++] // 'none';
}

# Bytes in, bytes out, and the line.

sub session {
    my ($bytes, $replies) = @_;

    my $c = client($port);
    $c->write($bytes);
    $c->half_close;
    my $said = $c->rest;
    is($said, $replies, 'the replies') if defined $replies;
    $c->close;

    my $line = logged();
    like($line, qr/;@{[ length $bytes ]};@{[ length $said ]};200$/,
        "bytes of the session: $line");

    return $line =~ s/;\d+;\d+;200$//r;
}

is(session("set k v\r\nget k\r\n", "+OK\r\n\$1\r\nv\r\n"),
    '2;0;0;get;default', 'two commands');
is(session('', ''), '0;0;0;-;default', 'none');
is(session("select 3\r\nnope\r\nincr\r\nclient id\r\n"),
    '4;2;3;client|id;default', 'errors, a database, a subcommand');
is(session("multi\r\nincr k\r\nexec\r\n"), '3;1;0;exec;default',
    'an error in a transaction');
is(session("ping\r\nquit\r\nping\r\n"), '2;0;0;quit;default',
    'what comes after QUIT is not run');
is(session("ping\r\nshort"), '1;0;0;ping;default', 'half a command');
is(session("*1\r\n\$x\r\n"), '0;1;0;-;default', 'no protocol');

# large ones

my $big = "set big " . 'x' x 50000 . "\r\n";
is(session(Olivine::Client::frame('set', 'big', 'x' x 1000000) .
    Olivine::Client::frame('get', 'big')), '2;0;0;get;default', 'large ones');

# a client that is killed, one that is in the middle of a pipeline

my $c = client($port);
my $k = client($port);
$c->cmd('ping');
my $id = $c->value(qw/client id/);
is($k->cmd(qw/client kill id/, $id), ':1', 'a client is killed');
ok($c->closed, 'is closed');
like(logged(), qr/^2;0;0;client\|id;default;/, 'what it did');

# passwords

$k->cmd(qw/config set requirepass secret/);
is(session("get k\r\n"), '1;1;0;get;-', 'nobody is known');
is(session("auth secret\r\nget k\r\n"), '2;0;0;get;default', 'somebody is');
$k->cmd('config', 'set', 'requirepass', '');
$k->close;
logged();

# of a server that is not ours

is(client($other)->rest, '.', 'has none');
like(logged(), qr/^-;-;-;-;-;/, 'nor in its log');

done_testing();
