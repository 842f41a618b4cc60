#!/usr/bin/perl

# HOTKEYS of Redis 8.6

use strict;
use warnings;

use Time::HiRes qw(sleep time);

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;
my $r3 = $s->client(proto => 3);

sub session { return $r3->value(qw/hotkeys get/)->[0] }

sub pairs {
    my ($list) = @_;
    my @pairs;

    for (my $i = 0; $i < @$list; $i += 2) {
        push @pairs, [ @$list[$i, $i + 1] ];
    }

    return @pairs;
}

# mistakes, and no session

is($r->cmd(qw/hotkeys get/), '$-1', 'none');
is($r3->cmd(qw/hotkeys get/), '_', 'none in RESP3');
is($r->cmd(qw/hotkeys stop/), '$-1', 'none to stop');
is($r->cmd(qw/hotkeys reset/), '+OK', 'none to forget');

for (
    [ 'METRICS parameter is required', qw/CPU NET x/ ],
    [ 'METRICS parameter is required', qw/METRICS/ ],
    [ 'METRICS parameter is required' ],
    [ 'METRICS count must be > 0 and <= 2', qw/METRICS 0 CPU/ ],
    [ 'METRICS count must be > 0 and <= 2', qw/METRICS 3 CPU NET CPU/ ],
    [ 'METRICS count must be > 0 and <= 2', qw/METRICS x CPU/ ],
    [ 'METRICS count does not match number of metric types provided',
      qw/METRICS 2 CPU/ ],
    [ 'METRICS CPU defined more than once!', qw/METRICS 2 CPU cpu/ ],
    [ 'METRICS NET defined more than once!', qw/METRICS 2 net NET/ ],
    [ 'METRICS no valid metrics passed. Supported: CPU|NET',
      qw/METRICS 1 x/ ],
    [ 'syntax error', qw/METRICS 1 CPU NET/ ],
    [ 'syntax error', qw/METRICS 1 CPU COUNT/ ],
    [ 'syntax error', qw/METRICS 1 CPU NOPE 1/ ],
    [ 'COUNT must be between 1 and 64', qw/METRICS 1 CPU COUNT 0/ ],
    [ 'COUNT must be between 1 and 64', qw/METRICS 1 CPU COUNT 65/ ],
    [ 'DURATION must be between 1 and 1000000',
      qw/METRICS 1 CPU DURATION 1000001/ ],
    [ 'DURATION must be between 1 and 1000000',
      qw/METRICS 1 CPU DURATION -1/ ],
    [ 'SAMPLE ratio must be positive', qw/METRICS 1 CPU SAMPLE 0/ ],
    [ 'SLOTS parameter cannot be used in non-cluster mode',
      qw/METRICS 1 CPU SLOTS 1 0/ ],
) {
    my ($err, @args) = @$_;
    is($r->cmd(qw/hotkeys start/, @args), "-ERR $err", "start @args");
}

is($r->cmd(qw/hotkeys stop x/),
    "-ERR wrong number of arguments for 'hotkeys|stop' command", 'stop x');
is($r->cmd(qw/hotkeys get x/),
    "-ERR wrong number of arguments for 'hotkeys|get' command", 'get x');
is($r->cmd(qw/hotkeys get/), '$-1', 'still none');

# bytes: as they came, and those of the replies

my $begun = time;
is($r->cmd(qw/hotkeys start metrics 2 cpu net/), '+OK', 'start');
is($r->cmd(qw/hotkeys start metrics 2 cpu net/),
    '-ERR hotkey tracking session already in progress', 'a second one');
is($r->cmd(qw/hotkeys reset/), '-ERR hotkey tracking session in progress, '
    . 'stop tracking first', 'reset');

$r->cmd(qw/set a 1/);                               # 27 + 5
$r->pipe(map { [qw/get a/] } 1 .. 100);             # 100 * (20 + 7)
$r->cmd(qw/get b/);                                 # 20 + 5
$r->cmd(qw/mget a c/);                              # 28 + 16, each a half
$r->cmd(qw/ping/);
$r->cmd('multi');
$r->cmd(qw/strlen b/);                              # 23 + 4
$r->cmd('exec');

my $h = session();
is_deeply([ sort keys %$h ], [ sort qw/tracking-active sample-ratio
    selected-slots all-commands-all-slots-us net-bytes-all-commands-all-slots
    collection-start-time-unix-ms collection-duration-ms
    total-cpu-time-user-ms total-cpu-time-sys-ms total-net-bytes
    by-cpu-time-us by-net-bytes/ ], 'fields');
is($h->{'tracking-active'}, 1, 'active');
is($h->{'sample-ratio'}, 1, 'all are looked at');
is_deeply($h->{'selected-slots'}, [ [ 0, 16383 ] ], 'of all slots');
is_deeply($h->{'by-net-bytes'}, [ a => 32 + 2700 + 22, b => 25 + 27, c => 22 ],
    'bytes of keys') or diag explain $h->{'by-net-bytes'};
is($h->{'net-bytes-all-commands-all-slots'}, 32 + 2700 + 25 + 44 + 27,
    'all bytes');
is($h->{'total-net-bytes'}, 32 + 2700 + 25 + 44 + 27, 'bytes looked at');
is($h->{'by-cpu-time-us'}[0], 'a', 'most time');
cmp_ok($h->{'all-commands-all-slots-us'}, '>=', $h->{'by-cpu-time-us'}[1],
    'of all time');
cmp_ok(abs($h->{'collection-start-time-unix-ms'} - $begun * 1000), '<', 2000,
    'begin');
cmp_ok($h->{'collection-duration-ms'}, '<=', (time - $begun) * 1000 + 1,
    'how long');

# the order of fields

my $flat = $r->value(qw/hotkeys get/);
is(@$flat, 1, 'an array of one');
is_deeply([ @{ $flat->[0] }[ map { 2 * $_ } 0 .. 11 ] ],
    [ qw/tracking-active sample-ratio selected-slots all-commands-all-slots-us
    net-bytes-all-commands-all-slots collection-start-time-unix-ms
    collection-duration-ms total-cpu-time-user-ms total-cpu-time-sys-ms
    total-net-bytes by-cpu-time-us by-net-bytes/ ], 'in order');

# stopped: what was noted stays

is($r->cmd(qw/hotkeys stop/), '+OK', 'stop');
is($r->cmd(qw/hotkeys stop/), '$-1', 'is stopped');
$r->cmd(qw/get a/);
my $after = session();
is($after->{'tracking-active'}, 0, 'not active');
is_deeply($after->{'by-net-bytes'}, $h->{'by-net-bytes'}, 'as it was');
my $took = $after->{'collection-duration-ms'};
sleep 0.02;
is(session()->{'collection-duration-ms'}, $took, 'time stands still');
is($r->cmd(qw/hotkeys reset/), '+OK', 'reset');
is($r->cmd(qw/hotkeys get/), '$-1', 'nothing left');

# one of them

is($r->cmd(qw/hotkeys start metrics 1 net count 3/), '+OK', 'bytes alone');
$r->pipe(map { [ 'get', "k$_" ] } map { ($_) x $_ } 1 .. 20);
$h = session();
is_deeply([ map { $_->[0] } pairs($h->{'by-net-bytes'}) ],
    [ qw/k20 k19 k18/ ], 'the three hottest');
ok(!exists $h->{'by-cpu-time-us'}, 'no time');
ok(!exists $h->{'total-cpu-time-user-ms'}, 'none of the workers either');
$r->cmd(qw/hotkeys stop/);

is($r->cmd(qw/hotkeys start metrics 1 cpu/), '+OK', 'time alone');
$r->cmd(qw/debug sleep 0.05/);
$r->cmd('set', 'large', 'x' x 1000000);
$r->cmd('get', 'nothing');
$h = session();
is($h->{'by-cpu-time-us'}[0], 'large', 'a long one');
ok(!exists $h->{'by-net-bytes'}, 'no bytes');
ok(exists $h->{'total-cpu-time-sys-ms'}, 'time of the workers');
ok(!exists $h->{'total-net-bytes'}, 'no sum of bytes');
$r->cmd(qw/hotkeys stop/);

# more keys than places: the hot ones are found, and not told too much

is($r->cmd(qw/hotkeys start metrics 1 net count 5/), '+OK', 'many keys');
my @clients = map { $s->client } 1 .. 4;
my $n = 0;

for my $i (1 .. 50) {
    for my $c (@clients) {
        $c->pipe((map { [ 'get', 'hot' . $_ % 5 ] } 1 .. 30),
            (map { [ 'get', 'cold' . $n++ ] } 1 .. 30));
    }
}

$h = session();
my %net = @{ $h->{'by-net-bytes'} };
is_deeply([ sort keys %net ], [ map { "hot$_" } 0 .. 4 ], 'the hot ones');
my $each = 50 * 4 * 6 * (23 + 5);
is(scalar grep({ $_ > $each || $_ < $each * 0.9 } values %net), 0, 'how hot')
    or diag explain \%net;
is($h->{'total-net-bytes'}, $h->{'net-bytes-all-commands-all-slots'}, 'all');
$r->cmd(qw/hotkeys stop/);

# samples

is($r->cmd(qw/hotkeys start metrics 1 net sample 10/), '+OK', 'one of ten');
$clients[$_ % 4]->pipe(map { [qw/get hot/] } 1 .. 100) for 1 .. 100;
$h = session();
is($h->{'sample-ratio'}, 10, 'the ratio');
is($h->{'net-bytes-all-commands-all-slots'}, 10000 * 27, 'all bytes');
my $part = $h->{'by-net-bytes'}[1] / (10000 * 27);
ok($part > 0.07 && $part < 0.13, "a tenth: $part");
is($h->{'total-net-bytes'}, $h->{'by-net-bytes'}[1], 'is the sum');
$r->cmd(qw/hotkeys stop/);

# keys of any bytes; long ones count in the sums only

is($r->cmd(qw/hotkeys start metrics 1 net/), '+OK', 'odd keys');
$r->cmd('get', "\0\r\n");
$r->cmd('get', '');
$r->cmd('get', 'l' x 512);
$r->cmd('get', 'l' x 513);
$r->cmd('get', 'l' x 100000);
%net = @{ session()->{'by-net-bytes'} };
is_deeply([ sort keys %net ], [ '', "\0\r\n", 'l' x 512 ], 'odd keys');
$r->cmd(qw/hotkeys stop/);

# until its time is over

is($r->cmd(qw/hotkeys start metrics 1 net duration 1/), '+OK', 'a second');
$r->cmd(qw/get in-time/);
is(session()->{'tracking-active'}, 1, 'goes on');
sleep 1.1;
$r->cmd(qw/get late/);
$h = session();
is($h->{'tracking-active'}, 0, 'is over');
is($h->{'collection-duration-ms'}, 1000, 'took as long as it should');
is($h->{'by-net-bytes'}[0], 'in-time', 'what was in time');
is(@{ $h->{'by-net-bytes'} }, 2, 'and no other');
is($r->cmd(qw/hotkeys stop/), '$-1', 'is over');
is($r->cmd(qw/hotkeys start metrics 1 net duration 100/), '+OK', 'another');

# a worker that dies takes nothing along

$r->pipe(map { [qw/get k/] } 1 .. 10);
$_->close for @clients, $r, $r3;
ok($s->kill_worker, 'a worker is killed');
$r3 = $s->client(proto => 3);
is_deeply(session()->{'by-net-bytes'}, [ k => 250 ], 'what it has noted');

done_testing();
