#!/usr/bin/perl

# What is under way when a reload, an upgrade or the end comes: a command half
# received, replies half sent, a transaction, a command that waits.
# workers: 1 2

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep time);

my $big = join '', map { sprintf '%08d', $_ } 1 .. 500_000;
my $s = olivine(daemon => 1, params => [[ 'enable-debug-command', 'yes' ],
    [ 'client-output-buffer-limit', 'normal 0 0 0' ]]);
my $was = $s->client;

is($was->cmd('set', 'big', $big), '+OK', 'a big value');

for my $event (qw(reload upgrade)) {

    my %c = map { $_ => $s->client } qw(reader writer small multi watch wait
                                        gate);

    # replies that are not read: big ones lie in the zone, pinned
    $c{reader}->write(join '', map { $c{reader}->frame(@$_) }
        [qw/echo 1/], [qw/get big/], [qw/echo 2/], [qw/get big/],
        [qw/echo 3/]);

    # a big argument, half of it, and a small one
    my $set = $c{writer}->frame('set', "$event:big", $big);
    my $half = int length($set) / 2;
    $c{writer}->write($c{writer}->frame('echo', 'first')
        . substr $set, 0, $half);
    $c{small}->write("*3\r\n\$3\r\nset\r\n\$" . length("$event:k")
        . "\r\n$event:k\r\n\$5\r\nhal");

    # transactions
    is($c{multi}->cmd('multi'), '+OK', "$event: a transaction");
    is($c{multi}->cmd('set', "$event:m", 1), '+QUEUED', "$event: half of it");
    is($c{watch}->cmd('watch', "$event:w"), '+OK', "$event: a watched key");
    is($c{watch}->cmd('multi'), '+OK', "$event: and a transaction");

    # the store is closed for a while, and a command waits for it
    $c{gate}->write($c{gate}->frame(qw/debug sleep 1/));
    sleep 0.1;
    $c{wait}->write(join '', map { $c{wait}->frame(@$_) }
        [qw/echo a/], [qw/set wait/, $event], [qw/echo b/], [qw/get wait/]);

    my $old = $s->master;

    if ($event eq 'reload') {
        ok($s->reload, 'the reload');

    } else {
        my $new = $s->upgrade;
        ok($new, 'the upgrade') or diag($s->log);
        kill QUIT => $old;
        ok($s->until(sub { !$s->workers }), 'the old one leaves');
        $s->{pid} = $new;
    }

    # and on

    is($c{gate}->reply, '+OK', "$event: the sleeper wakes up");
    is(join(' ', map { $c{wait}->reply // '' } 1 .. 4),
        '$1 a +OK $1 b $' . length($event) . " $event",
        "$event: what waited was done, in order");

    $c{writer}->write(substr($set, $half) . $c{writer}->frame('echo', 'last'));
    is(join(' ', map { $c{writer}->reply // '' } 1 .. 3),
        '$5 first +OK $4 last', "$event: the big argument is taken");
    $c{small}->write("f!\r\n");
    is($c{small}->reply, '+OK', "$event: so is the small one");

    my $n = $s->client;
    is($n->cmd('get', "$event:k"), '$5 half!', "$event: as was sent");
    is($n->cmd('get', "$event:big"), '$' . length($big) . " $big",
        "$event: to the byte");

    is($c{multi}->cmd('get', "$event:m"), '+QUEUED', "$event: the other half");
    is($c{multi}->cmd('exec'), '*2 +OK $1 1', "$event: is done with the first");
    is($n->cmd('set', "$event:w", 'x'), '+OK',
        "$event: a new client changes what one of before watches");
    is($c{watch}->cmd('get', "$event:w"), '+QUEUED', "$event: that one");
    is($c{watch}->cmd('exec'), '*-1', "$event: is told so");

    my @replies = map { $c{reader}->reply // '' } 1 .. 5;
    is(join(' ', @replies[0, 2, 4]), '$1 1 $1 2 $1 3',
        "$event: replies that were not read are there, in order");
    is($replies[1], '$' . length($big) . " $big", "$event: whole");
    is($replies[3], $replies[1], "$event: both");

    like($n->cmd(qw/debug audit/), qr/^\+/, "$event: an audit finds nothing");
}

is($was->cmd('strlen', 'big'), ':' . length $big,
    'the first client is there through all');

# the end: what is owed is paid, if it is taken

my $r = $s->client;
my $half = $s->client;
my $slow = $s->client;

$r->write(join '', map { $r->frame('echo', $_) . $r->frame('get', 'big') }
    1 .. 3);
is($r->reply, '$1 1', 'a client that reads');
$half->write("*2\r\n\$4\r\necho\r\n\$5\r\nhal");
$slow->write(join '', map { $slow->frame('get', 'big') } 1 .. 10);
is($slow->bytes(10), substr('$' . length($big) . "\r\n$big", 0, 10),
    'one that does not');

my $begin = time;
kill QUIT => $s->master;

my $right = 0;
my @owed = ('$' . length($big) . " $big", '$1 2', '$' . length($big) . " $big",
            '$1 3', '$' . length($big) . " $big");

while (defined(my $reply = $r->reply)) {
    $right++ if @owed && $reply eq shift @owed;
}

is($right, 5, 'gets all of it at the end');
ok($r->closed, 'then it is closed');
ok($half->closed, 'one in the middle of a command as well');
is($s->wait, 0, 'the server ends');
cmp_ok(time - $begin, '<', 5, 'it does not wait for one that reads nothing');

done_testing();
