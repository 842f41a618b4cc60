#!/usr/bin/perl

# QUIT and TERM: the server leaves at once, whoever is connected.

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(time);

for my $signal (qw(QUIT TERM INT)) {
    my $s = olivine();

    my $idle = $s->client;
    my $half = $s->client;

    is($idle->cmd('ping'), '+PONG', "$signal: a client");
    $half->write("*2\r\n\$4\r\necho\r\n\$5\r\nhal");

    my $begin = time;
    $s->stop($signal);

    cmp_ok(time - $begin, '<', 3, "$signal: the end comes soon");
    ok($idle->closed, "$signal: an idle client was closed");
    ok($half->closed, "$signal: one in the middle of a command as well");
}

# what was received has its answer

my $s = olivine();
my $r = $s->client;

$r->write(join '', map { $r->frame('echo', $_) } 1 .. 1000);
kill QUIT => $s->master;

my $n = 0;
while (defined(my $reply = $r->reply)) {
    $n++;
    last if $reply ne '$' . length($n) . " $n";
}

cmp_ok($n, '>', 0, "quit: $n of the commands on the way were answered");
ok($r->closed, 'quit: then closed');

$s->stop;

done_testing();
