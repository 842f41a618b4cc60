#!/usr/bin/perl

# Clients of all workers are seen, and reached, from each.
# workers: 1 4

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep time);

my $s = olivine();

$s->spread;

my @c;

for (1 .. 24) {
    push @c, $s->client;
    $c[-1]->cmd('ping');                 # so that each worker has its part
}

my %id = map { ($_->cmd(qw/client id/) =~ /(\d+)/)[0] => $_ } @c;
my @ids = sort { $a <=> $b } keys %id;
my %of;

for my $id (@ids) {
    $of{$id} = $s->worker($id{$id});
}

is(scalar(keys %{{ map { $_ => 1 } values %of }}), $s->{workers},
    'all workers have clients');

my @lists = map { join ' ', ids($_->value(qw/client list/)) } @c;
is(scalar(grep { $_ eq "@ids" } @lists), 24, 'each sees all, in order');

$id{$ids[0]}->cmd(qw/client setname first/);
is(scalar(grep { $_->value(qw/client list id/, $ids[0]) =~ / name=first / }
    @c), 24, 'and a new name');

# killed from anywhere, at once

my @gone = splice @ids, 0, 12;
my $r = $id{$ids[0]};

is($r->cmd(qw/client kill/, (map { ('id', $_) } @gone)), ':12', 'twelve go');
is(join(' ', ids($r->value(qw/client list/))), "@ids", 'none is listed');
is(scalar(grep { $id{$_}->closed } @gone), 12, 'all are closed');
ok($s->until(sub { $r->value(qw/info clients/)
    =~ /^connected_clients:12\r$/m }), 'INFO counts the others');

# a busy one does nothing more

my $busy = $s->client;
my ($its) = $busy->cmd(qw/client id/) =~ /(\d+)/;
$busy->write(join '', map { $busy->frame(qw/incr busy/) } 1 .. 50000);
$r->cmd(qw/client kill id/, $its);
$busy->rest;
my $n = $r->cmd(qw/get busy/);
sleep 0.1;
is($r->cmd(qw/get busy/), $n, 'a busy one does nothing more');

# a worker dies

if ($s->{workers} > 1) {
    my $other = $s->worker($r);
    my ($dead) = grep { $_ != $other } map { $of{$_} } @ids;
    my @rest = grep { $of{$_} != $dead } @ids;

    isnt("@rest", "@ids", 'a worker with clients');
    kill KILL => $dead;
    push @{ $s->{expect} }, qr/worker process $dead exited on signal 9/;
    ok((grep { $of{$_} == $dead && $id{$_}->closed } @ids), 'dies');
    is(join(' ', ids($r->value(qw/client list/))), "@rest",
        'its clients are not listed any more');
    ok($s->until(sub { scalar($s->workers) == $s->{workers} }), 'one anew');
    ok($s->until(sub { $r->value(qw/info clients/)
        =~ /^connected_clients:@{[ scalar @rest ]}\r$/m }),
        'nor counted');
    @ids = @rest;
}

# a reload: clients of both generations

ok($s->reload, 'a reload');
my $new = $s->client;
my ($last) = $new->cmd(qw/client id/) =~ /(\d+)/;

is(join(' ', ids($new->value(qw/client list/))), "@ids $last",
    'the new one sees the old ones');
is(join(' ', ids($r->value(qw/client list/))), "@ids $last",
    'and they see it');

my $two = $ids[1];
is($new->cmd(qw/client kill id/, $two), ':1', 'it kills one');
ok($id{$two}->closed, 'that is closed');
is($r->cmd(qw/client kill id/, $last), ':1', 'and is killed');
ok($new->closed, 'closed');

$new = $s->client;
is($new->cmd(qw/client pause 100000 write/), '+OK', 'a pause');
$r->write($r->frame(qw/set k v/));
ok($r->silent(0.1), 'is one for all');
is($new->cmd(qw/client unpause/), '+OK', 'until it ends');
is($r->reply, '+OK', 'for all');

# idle ones

my @idle = map { $s->client } 1 .. 30;
is(scalar(grep { $_->cmd('ping') eq '+PONG' } @idle), 30, 'some clients');
is($new->cmd(qw/config set timeout 1/), '+OK', 'may be idle for a second');

my $begin = time;

while (time - $begin < 2.5) {
    last if $new->cmd('ping') ne '+PONG';
    sleep 0.2;
}

is($new->cmd(qw/client list type normal/) =~ /id=(\d+)/g, 1,
    'those that say nothing go');
is(scalar(grep { $_->closed } @idle), 30, 'they are closed');
is($new->cmd(qw/config set timeout 0/), '+OK', 'for ever');
sleep 1.5;
is($new->cmd('ping'), '+PONG', 'who may be idle stays');

done_testing();


sub ids { return $_[0] =~ /^id=(\d+) /mg }
