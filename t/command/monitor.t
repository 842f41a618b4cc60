#!/usr/bin/perl

# MONITOR: what all clients do, in the lines of Redis

use strict;
use warnings;

use Time::HiRes;

use Olivine;

my $level = ($ENV{OLIVINE_HOST} || '') eq 'module' ? 'info' : 'verbose';
my $s = olivine(level => $level, params => { 'enable-debug-command' => 'yes' });
my $m = $s->client;
my $r = $s->client;

my $head = qr/^\+\d{10}\.\d{6} \[(\d+) (127\.0\.0\.1:\d+)\] /;

# The next lines that a monitor gets, without time and address.

sub lines {
    my ($client, $n) = @_;

    my @lines = map {
        my $line = $client->reply // 'none';
        $line =~ s/$head/$1: / ? $line : "not a line: $line";
    } 1 .. $n || 1;

    return wantarray ? @lines : $lines[-1];
}

is($r->cmd(qw/set k before/), '+OK', 'before anybody looks');
is($m->cmd('monitor'), '+OK', 'monitor');

is($r->cmd(qw/set k v/), '+OK', 'a command');
my $line = $m->reply_raw;
like($line, qr/$head"set" "k" "v"\r\n\z/, 'its line');
$line =~ /^\+(\d+)\.(\d+) \[0 (\S+)\]/;
cmp_ok(abs("$1.$2" - Time::HiRes::time()), '<', 3, 'its time');
like($r->cmd(qw/client info/), qr/ addr=\Q$3\E /, 'its address');
is(lines($m), '0: "client" "info"', 'a subcommand');

# the database is the one it leaves the client in

$r->cmd(qw/select 3/);
$r->cmd(qw/get k/);
$r->cmd(qw/select 0/);
is(join('|', lines($m, 3)),
    '3: "select" "3"|3: "get" "k"|0: "select" "0"', 'databases');

# as sdscatrepr() of Redis quotes

my $all = join '', map { chr } 0 .. 255;
my $quoted = join '', map {
    my $c = chr;
    $c eq '"' || $c eq '\\' ? "\\$c"
    : $c eq "\n" ? '\n' : $c eq "\r" ? '\r' : $c eq "\t" ? '\t'
    : $c eq "\a" ? '\a' : $c eq "\b" ? '\b'
    : $_ >= 0x20 && $_ < 0x7f ? $c : sprintf '\x%02x', $_;
} 0 .. 255;

$r->cmd('echo', $all);
is(lines($m), qq{0: "echo" "$quoted"}, 'all bytes');
$r->cmd('echo', '');
is(lines($m), '0: "echo" ""', 'no bytes');
$r->cmd('EcHo', '12');
is(lines($m), '0: "EcHo" "12"', 'a name as it was written');
$r->write("echo  'a b'\r\n");
is($r->reply, '$3 a b', 'a line');
is(lines($m), '0: "echo" "a b"', 'its arguments');

# what failed was run, what was refused was not, and what administers is secret

$r->cmd(qw/incrby k x/);
is(lines($m), '0: "incrby" "k" "x"', 'an error');
$r->cmd('nope');
$r->cmd('get');
$r->cmd(qw/config get maxmemory/);
$r->cmd(qw/config set maxmemory 0/);
$r->cmd(qw/slowlog len/);
$r->cmd(qw/client kill id 99999/);
$r->cmd(qw/debug sleep 0/);
$r->cmd(qw/auth secret/);
is(lines($m), '0: "auth" "(redacted)"', 'a secret');
$r->cmd(qw/hello 2 auth default secret/);
is(lines($m), '0: "hello" "2" "auth" "(redacted)" "(redacted)"', 'secrets');

# a transaction: when it is run, and nothing of one that is not

$r->cmd('multi');
is(lines($m), '0: "multi"', 'multi');
$r->cmd(@$_) for [qw/set a b/], [qw/incr a/], [qw/select 2/],
    [qw/config get maxmemory/], [qw/echo x/];
ok($m->silent(0.1), 'queued');
$r->cmd('exec');
is(join('|', lines($m, 5)), '0: "set" "a" "b"|0: "incr" "a"|'
    . '2: "select" "2"|2: "echo" "x"|2: "exec"', 'exec');
$r->cmd(qw/select 0/);
lines($m);

my $o = $s->client;
$r->cmd(qw/watch a/);
$r->cmd('multi');
$r->cmd(qw/get a/);
$o->cmd(qw/set a c/);
is($r->cmd('exec'), '*-1', 'not run');
is(join('|', lines($m, 4)),
    '0: "watch" "a"|0: "multi"|0: "set" "a" "c"|0: "exec"', 'but asked for');

is($r->cmd('multi'), '+OK', 'a transaction');
is($r->cmd('monitor'), '+QUEUED', 'with MONITOR');
is($r->cmd('exec'), "*1 -ERR MONITOR isn't allowed for DENY BLOCKING client",
    'is not allowed');
lines($m, 2);

# the monitor itself: its reply, then what it was to

is($m->cmd('ping'), '+PONG', 'a reply');
is(lines($m), '0: "ping"', 'and its line');
$m->write($m->frame('ping') . $m->frame(qw/echo a/) . $m->frame('ping'));
is($m->reply, '+PONG', 'the first reply');
is(lines($m), '0: "ping"', 'its line');
is($m->reply, '$1 a', 'the second');
is(lines($m), '0: "echo" "a"', 'its line');
is($m->reply, '+PONG', 'the third');
is(lines($m), '0: "ping"', 'its line');

$m->write($m->frame('monitor') . $m->frame('ping'));
is($m->reply, '+PONG', 'a second MONITOR has no reply');
lines($m);

for (['get', 'k'], ['set', 'k', 'v'], ['dbsize']) {
    is($m->cmd(@$_), "-ERR Replica can't interact with the keyspace",
        "no $_->[0]");
}

my @list = grep { / flags=O / } split /\n/, $r->value(qw/client list/);
is(@list, 1, 'one with the flag of monitors');
like($list[0], qr/ cmd=dbsize /, 'that one');
lines($m);

# large arguments, in RESP3

my $m3 = $s->client(proto => 3);
is($m3->cmd('monitor'), '+OK', 'another one');
lines($m);

my $big = 'x' x 300000;
is($r->cmd('set', 'big', $big), '+OK', 'a large value');
is(lines($_), qq{0: "set" "big" "$big"}, 'a large line') for $m, $m3;
$r->cmd('multi');
$r->cmd('set', 'big', "y$big");
$r->cmd('set', 'big2', "z$big");
like($r->cmd('exec'), qr/^\*2/, 'in a transaction');
is(join('|', lines($_, 4)), qq{0: "multi"|0: "set" "big" "y$big"|}
    . qq{0: "set" "big2" "z$big"|0: "exec"}, 'large lines') for $m, $m3;

# RESET ends it

is($m3->cmd('reset'), '+RESET', 'reset');
ok($m3->silent(0.1), 'no line of that');
is(lines($m), '0: "reset"', 'but for others');
is($m3->cmd(qw/get k/), '$1 v', 'it may ask again');
lines($m);
$m3->close;

# all clients of all workers, each in order

my @clients = map { $s->client } 1 .. 8;

for my $i (1 .. 500) {
    $_->write($_->frame('echo', $i) . $_->frame('ping')) for @clients;
}

my (%next, $wrong);

for (1 .. @clients * 1000) {
    my $line = $m->reply;
    my ($db, $who) = $line =~ /$head/ or die "no line: $line";
    my $i = $next{$who}++;
    my $want = $i % 2 ? '"ping"' : sprintf '"echo" "%d"', $i / 2 + 1;
    $wrong //= "$line: not $want" if $line !~ /\] \Q$want\E\z/;
}

is($wrong, undef, 'each in order');
is(keys %next, 8, 'of each client');
is(scalar grep({ $_ != 1000 } values %next), 0, 'all of them');
$_->rest for map { $_->half_close; $_ } @clients;
$_->close for @clients;

# what is done after a reply has its line behind those of what was before

my @others = map { $s->client } 1 .. 4;

for my $i (1 .. 100) {
    $others[$i % 4]->cmd('set', 'n', $i);
}

is(join(' ', map { /"(\d+)"$/ } lines($m, 100)), join(' ', 1 .. 100),
    'one after the other');

# who does not read is closed, and the others are not held up

my $slow = $s->client;
is($slow->cmd('monitor'), '+OK', 'one that will not read');
my $value = 'w' x 100000;

for (1 .. 800) {
    $r->cmd('set', 'w', $value);
    lines($m);
}

my $id = ($r->value(qw/client list/) =~ /id=(\d+).* flags=O .*cmd=monitor/)[0];
lines($m);
like($s->log, qr/client \d+ in MONITOR fell behind/, 'it was closed');
is($id, undef, 'and is not listed');
is($r->cmd('ping'), '+PONG', 'the others live');
is(lines($m), '0: "ping"', 'and see');

# what is larger than the ring is not kept

my $huge = 'h' x 12000000;
is($r->cmd('set', 'huge', $huge), '+OK', 'a huge value');
ok($m->closed, 'nobody can see it');
is($r->cmd('strlen', 'huge'), ':12000000', 'it is there');

# a worker that dies

my $before = $r->value(qw/info memory/) =~ /used_memory:(\d+)/ ? $1 : 0;
my $m1 = $s->client;
is($m1->cmd('monitor'), '+OK', 'a monitor');
my @m = map { $s->client } 1 .. 6;
is($_->cmd('monitor'), '+OK', 'and another') for @m;

my $worker = $s->worker($m1);
$r->close;
ok($s->kill_worker($worker), 'a worker is killed');
$r = $s->client;
is($r->cmd('echo', 'alive'), '$5 alive', 'somebody lives');

my $seen = 0;

for ($m1, @m) {
    my @tail = grep { /alive/ } map { $_ // '' } split /\r\n/, do {
        my $c = $_;
        my $in = '';
        while ($c->more(0.3)) { }
        $c->{in};
    };
    $seen++ if @tail;
}

my $left = () = $r->value(qw/client list/) =~ / flags=O /g;
is($seen, $left, 'who is left has seen it');
cmp_ok($left, '<', 7, 'not all are');

# nobody looks: its memory is given back

$_->close for $m1, @m;

ok($s->until(sub { $r->value(qw/client list/) !~ / flags=O / }), 'none left');
ok($s->until(sub {
    $r->value(qw/info memory/) =~ /used_memory:(\d+)/;
    return $1 < $before + 200000;              # a ring has more
}), 'memory');

done_testing();
