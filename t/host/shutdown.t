#!/usr/bin/perl

# SHUTDOWN, where it may and where it may not.
# workers: 1 4

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/shutdown foo/), '-ERR syntax error', 'a word');
is($r->cmd(qw/shutdown save nosave/), '-ERR syntax error', 'both');
is($r->cmd(qw/shutdown abort now/), '-ERR syntax error', 'abort and more');
is($r->cmd(qw/shutdown abort/), '-ERR No shutdown in progress.', 'none');
is($r->cmd('multi'), '+OK', 'a transaction');
is($r->cmd('shutdown'), '-ERR Command not allowed inside a transaction',
    'is no place for it');
is($r->cmd('discard'), '+OK', 'it is over');

if ($s->{host} eq 'module') {
    is($r->cmd(qw/shutdown nosave/), '-ERR SHUTDOWN is not allowed here: this '
        . 'server is a part of nginx. Use "nginx -s quit", or set '
        . '"olivine_shutdown on".', 'not in nginx');
    is($r->cmd('ping'), '+PONG', 'it goes on');

    $s->stop;

    $s = olivine(stream => 'olivine_shutdown on;');
    $r = $s->client;
}

# a folder where the file is to be

$s->expect(qr/a snapshot is given up/);
mkdir "$s->{dir}/dump.rdb" or die "$s->{dir}/dump.rdb: $!\n";

is($r->cmd(qw/shutdown save/), '-ERR Errors trying to SHUTDOWN. Check logs.',
    'there is no file to save to');
is($r->cmd('ping'), '+PONG', 'it goes on');

rmdir "$s->{dir}/dump.rdb";
is($r->cmd('save'), '+OK', 'a snapshot is possible again');

for my $words ([], [qw(nosave)], [qw(save force)], [qw(NOW)]) {
    my @c = map { $s->client } 1 .. 12;

    $_->write($_->frame(qw/echo hi/)) for @c;
    my $last = pop @c;
    $last->write($last->frame(qw/set k v/)
        . $last->frame('shutdown', @$words) . $last->frame('ping'));

    is($s->wait(5), 0, "shutdown @$words: ends well");
    is($last->rest, "\$2\r\nhi\r\n+OK\r\n", 'what was before it is answered');
    is(scalar(grep { $_->rest eq "\$2\r\nhi\r\n" } @c), 11, 'so are others');

    $s->start;
}

# clients of a generation before do not keep it, nor does a pause

$r = $s->client;

if ($s->{host} eq 'module') {
    ok($s->reload, 'a reload');
    is($r->cmd('ping'), '+PONG', 'an old client');
}

my $p = $s->client;
is($p->cmd(qw/client pause 100000 write/), '+OK', 'a pause');
my $w = $s->client;
$w->write($w->frame(qw/set k v/));
ok($w->silent(0.1), 'a write waits');
$p->write($p->frame(qw/shutdown nosave/));
is($s->wait(3), 0, 'ends well');
ok($_->closed, 'is closed') for $r, $p, $w;
ok(!$s->faults, 'nothing alarming in the log');

done_testing();
