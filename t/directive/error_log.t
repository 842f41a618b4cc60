#!/usr/bin/perl

# What a client does wrong wakes nobody: it is at info, and nothing is above
# notice.  Debug tells a command's way.
# workers: 1

use strict;
use warnings;

use Socket qw(SOL_SOCKET SO_LINGER);
use Time::HiRes qw(sleep);

use Olivine;

my $s = olivine(main => '', level => 'info', params => {
    maxclients => 20, 'enable-debug-command' => 'yes' });
my $r = $s->client;

sub said {
    my ($what, $name) = @_;
    ok($s->until(sub { $s->log =~ /\[info\] .*$what/ }), $name);
}

# no protocol

my $c = $s->client;
$c->write("*1\r\n\$x\r\n");
like($c->rest, qr/^-ERR Protocol error: invalid bulk length/, 'no protocol');
said(qr/client \d+: closed for "Protocol error: invalid bulk length"/,
    'is at info');

$c = $s->client;
$c->write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
$c->half_close;
$c->rest;
$c = $s->client;
$c->write('x' x 70000);
$c->rest;

# half a command, then gone; reset with replies that it did not read

$c = $s->client;
$c->write("*2\r\n\$3\r\nget\r\n\$5\r\nab");
$c->close;

$r->cmd('set', 'big', 'x' x 1000000);
$r->cmd('set', 'small', 'y' x 10000);
$c = $s->client;
$c->write(join '', map { $c->frame(qw/get big/) } 1 .. 20);
setsockopt $c->socket, SOL_SOCKET, SO_LINGER, pack('ii', 1, 0);
$c->close;

# over limits

$r->cmd('config', 'set', 'client-output-buffer-limit', 'normal 100000 0 0');
$c = $s->client;
$c->write(join '', map { $c->frame(qw/get small/) } 1 .. 50);
$c->rest;
said(qr/client \d+: closed over its output limit/, 'output');
$r->cmd('config', 'set', 'client-output-buffer-limit', 'normal 0 0 0');

$r->cmd(qw/config set client-query-buffer-limit 1048576/);
$c = $s->client;
$c->write("*200000\r\n" . ("\$30\r\n" . 'z' x 30 . "\r\n") x 60000);
$c->rest;
said(qr/client \d+: closed over its input limit/, 'input');

my @many = map { $s->client } 1 .. 20;
like($many[-1]->rest, qr/^-ERR max number of clients reached/, 'one too many');
said(qr/client refused: maxclients is reached/, 'is at info');
$_->close for @many;

# timed out, killed

$c = $s->client;
$r->cmd(qw/config set timeout 1/);
ok($c->closed, 'timed out');
said(qr/client \d+ timed out/, 'is at info');
$r = $s->client;
$r->cmd(qw/config set timeout 0/);
$c = $s->client;
$r->cmd(qw/client kill id/, $c->value(qw/client id/));
ok($c->closed, 'killed');

# mistakes in commands

$r->cmd(@$_) for ['nope'], ['get'], [qw/set k v ex 0/], [qw/config set x/],
    [qw/config set maxmemory x/], [qw/debug reload x/], [qw/restore k 0 x/],
    [qw/auth x/], [qw/client kill 1:1/], [qw/shutdown x/];
is($r->cmd('ping'), '+PONG', 'all is well');

my @bad = grep { /\[(warn|error|crit|alert|emerg)\]/ } split /\n/, $s->log;
is("@bad", '', 'nothing above notice');
$s->stop;

# debug

my $d = olivine(main => '', level => 'debug',
    params => { 'enable-debug-command' => 'yes' });
$r = $d->client;
$r->cmd(qw/set k v/);
$c = $d->client;
$r->write($r->frame(qw/debug sleep 0.2/));
sleep 0.05;
$c->cmd(qw/get k/);
my $log = $d->log;

SKIP: {
    skip 'this nginx has no debug log', 5 if $log !~ /\[debug\]/;

    like($log, qr/\[debug\] .*olivine: received \d+ bytes/, 'received');
    like($log, qr/\[debug\] .*client \d+: parsed commands:1 rc:/, 'parsed');
    like($log, qr/\[debug\] .*client \d+: "set" args:3 shard:\d+ rc:0/, 'run');
    like($log, qr/\[debug\] .*client \d+: parked, why:1$/m, 'parked');
    like($log, qr/\[debug\] .*olivine: sent 5 of/, 'sent');
}

done_testing();
