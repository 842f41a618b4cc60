#!/usr/bin/perl

# An upgrade that is taken back, with the steps that nginx's documentation
# gives: USR2, WINCH to the old master; then HUP to it, QUIT to the new one.
# workers: 1 2

use strict;
use warnings;

use Olivine;
use Olivine::Load;
use Time::HiRes qw(sleep time);

my $s = olivine(daemon => 1, params => [[ 'enable-debug-command', 'yes' ]]);
my $old = $s->master;
my $r = $s->client;

is($r->cmd(qw/set k v/), '+OK', 'a key');

my $load = Olivine::Load->start($s->{port}, 2);

my $new = $s->upgrade;
ok($new, 'a new master and its workers') or diag($s->log);

kill WINCH => $old;
ok($s->until(sub { !$s->workers }), 'workers of before leave, by and by');
ok(kill(0, $old), 'their master stays');

my $n = $s->client;
is($n->cmd(qw/get k/), '$1 v', 'a client of the new generation');
is($r->cmd(qw/set k w/), '+OK', 'one of the old is served as well');

my $young = Olivine::Load->start($s->{port}, 2);
sleep 1;

kill HUP => $old;
ok($s->until(sub { $s->workers == $s->{workers} }), 'the old one has workers');

my $b = $s->client;
is($b->cmd(qw/get k/), '$1 w', 'a client of either');

kill QUIT => $new;
ok($s->until(sub { !$s->workers_of($new) }), 'workers of the new one leave');

is($n->cmd(qw/get k/), '$1 w', 'the client of the new one lives on');
is($s->client->cmd(qw/get k/), '$1 w', 'others may come');

my %seen = map { $_ => 0 } qw(done wrong lost closed refused);

for ($load, $young) {
    my $part = $_->stop;
    $seen{$_} += $part->{$_} for keys %$part;
}

is($seen{wrong} + $seen{lost} + $seen{closed} + $seen{refused}, 0,
    "clients saw nothing of all that in $seen{done} replies")
    or diag(explain(\%seen));

undef $n;
undef $b;
ok($s->until(sub { Olivine::title($new) eq '' }), 'the new master is gone');
ok($s->until(sub { Olivine::read_file("$s->{dir}/pid") eq "$old\n" }),
    'the pid file is as before');

like($r->cmd(qw/debug audit/), qr/^\+/, 'an audit finds nothing');
ok($s->reload, 'a reload');
is($r->cmd(qw/get k/), '$1 w', 'the first client is there');

# the end is the end

my $begin = time;
kill QUIT => $old;
ok($r->closed, 'at the end clients are closed');
is($s->wait, 0, 'it ends');
cmp_ok(time - $begin, '<', 4, 'soon');

done_testing();
