#!/usr/bin/perl

# DEBUG SEGFAULT: a worker dies of its own fault; data and the clients of
# other workers live on.
# workers: 2

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });

$s->spread;                              # both workers are at work

my @clients = map { $s->client } 1 .. 8;
$_->cmd('ping') for @clients;

is($clients[0]->cmd(qw/set k v/), '+OK', 'a key');

my @before = $s->workers;

$s->expect(qr/worker process \d+ exited on signal \d+/);

my $dying = shift @clients;
$dying->write($dying->frame(qw/debug segfault/));
ok($dying->closed, 'no reply');

ok($s->until(sub { my @now = $s->workers; @now == 2 && "@now" ne "@before" }),
    'another takes its place');

my @live = grep { ($_->cmd(qw/get k/) || '') eq '$1 v' } @clients;

cmp_ok(scalar @live, '>', 0, 'clients of the other one go on');
is($s->client->cmd(qw/get k/), '$1 v', 'and new ones come');
is($s->client->cmd(qw/debug audit/), '+OK', 'nothing is wrong');

done_testing();
