#!/usr/bin/perl

# The master is killed: its workers go on, and hold the port, until they are
# told to end; what starts then is another server.
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Load;

my $s = olivine(daemon => 1, expect => [ qr/\[emerg\].*(?:bind|holds)/ ],
    params => [[ 'enable-debug-command', 'yes' ]]);
my ($one, $two) = workers();
my $r = client_of($one);
my $t = client_of($two);

is($r->cmd(qw/set k v/), '+OK', 'a key');

my $load = Olivine::Load->start($s->{port}, 2);

kill KILL => $s->master;
ok($s->until(sub { Olivine::title($s->master) eq '' }), 'the master is dead');

is($r->cmd(qw/get k/), '$1 v', 'clients are served');
is($t->cmd(qw/set k w/), '+OK', 'by all workers');
is($s->client->cmd(qw/get k/), '$1 w', 'others may come');
is($r->cmd(qw/set e x px 150/), '+OK', 'a key that expires');
ok($s->until(sub { $r->cmd('info', 'stats') =~ /expired_keys:1 / }),
    'goes by itself');

# the port is held

my $second = olivine(port => $s->{port}, fails => 1,
    expect => [ qr/\[emerg\]/ ]);

is($second->wait(20), 1, 'another server does not start');
like($second->log, qr/bind\(\) to 127.0.0.1:$s->{port} failed \(98/,
    'it says why');
my $holders = qr/(?:$one $two|$two $one) \(nginx: worker process\)/;
like($second->log, qr/127.0.0.1:$s->{port} is held by processes $holders, whose/,
    'and by whom');
is($r->cmd(qw/get k/), '$1 w', 'clients of the first saw nothing of it');

# one of them is killed in the middle of its work

my $seen = $load->stop;
is($seen->{wrong} + $seen->{lost} + $seen->{closed} + $seen->{refused}, 0,
    "clients saw nothing of all that in $seen->{done} replies")
    or diag(explain($seen));

$load = Olivine::Load->start($s->{port}, 3);
sleep 1;
kill KILL => $two;
ok($t->closed, 'one worker is killed: its clients are closed');
sleep 1;

is($r->cmd(qw/get k/), '$1 w', 'those of the other are not');
like($r->cmd(qw/debug audit/), qr/^\+/, 'an audit finds nothing');

$seen = $load->stop;
is($seen->{wrong} + $seen->{lost}, 0,
    "nothing is lost or out of order in $seen->{done} replies")
    or diag(explain($seen));
cmp_ok($seen->{done}, '>', 0, 'there was a load');

# the other one is told to go

$r->write(join '', map { $r->frame('echo', $_) } 1 .. 1000);
is($r->reply, '$1 1', 'a pipeline under way');
kill QUIT => $one;

my $n = 1;
while (defined(my $reply = $r->reply)) {
    $n++;
    last if $reply ne '$' . length($n) . " $n";
}

cmp_ok($n, '>', 1, "$n of its commands were answered, in order");
ok($r->closed, 'then it was closed');
ok($s->until(sub { Olivine::title($one) eq '' }), 'the worker ends');
ok(!eval { $s->client; 1 }, 'nobody serves the port');

# a start is a cold one

$s->{status} = 0;
$s->start;
is($s->client->cmd(qw/get k/), '$-1', 'a new start is empty');
is(workers() + 0, 2, 'and whole');

# a signal that does not ask

($one, $two) = workers();
$r = client_of($one);
kill KILL => $s->master;
ok($s->until(sub { Olivine::title($s->master) eq '' }), 'killed again');
kill TERM => $one, $two;
ok($r->closed, 'TERM ends orphans, too');
ok($s->until(sub { !grep { Olivine::title($_) ne '' } $one, $two }),
    'at once');

delete $s->{pid};
is_deeply([ $s->faults ], [], 'nothing alarming in the log');

done_testing();


sub workers {
    $s->until(sub { $s->workers == 2 });
    return $s->workers;
}


sub client_of {
    my ($pid) = @_;

    for (1 .. 100) {
        my $c = $s->client;
        $c->cmd('ping');
        return $c if $s->worker($c) == $pid;
    }

    die "no client came to $pid\n";
}
