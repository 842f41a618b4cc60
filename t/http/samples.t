#!/usr/bin/perl

# What heap, allocs, mutex and block tell: a leak, what was freed, a lock that
# many want, what waits; with names of code and commands, over all workers.

use strict;
use warnings;

use Olivine;
use Olivine::Http;
use Olivine::Burn;
use Olivine::Pprof;
use File::Path qw(make_path remove_tree);
use Time::HiRes qw(sleep);

plan(skip_all => 'no redis-benchmark') if !Olivine::Burn::there();

my $N = 3000;
my $dir = "$Olivine::top/build/t/samples";
remove_tree($dir);
make_path($dir);
my $port = port(0);
my $s = olivine(main => '', expect => [ qr/open socket/, qr/exited on signal 9/ ],
    params => [ [ 'heap-sample-bytes', 4096 ],
        [ 'enable-debug-command', 'yes' ], [ 'save', '' ], [ 'dir', $dir ] ],
    http => "server { listen 127.0.0.1:$port; "
    . 'location /debug/pprof/ { olivine_pprof main; } }');
my $h = Olivine::Http->new(port => $port);
my $r = $s->client;
my $text = 'x' x 200;

# some is kept, some is not

$r->pipe(map { [ 'set', "kept:$_", $text ] } 1 .. $N);
$r->pipe(map { [ 'append', "gone:$_", $text ] } 1 .. $N);

my $p = profile('heap');
my $kept = weight($p, 'inuse_space', 'set', 'string');
my $gone = weight($p, 'inuse_space', 'append', 'string');

is_deeply($p->{types}, [ 'alloc_objects/count', 'alloc_space/bytes',
    'inuse_objects/count', 'inuse_space/bytes' ], 'its values');
is($p->{default}, 'inuse_space', 'what heap shows');
is($p->{period}, 4096, 'a sample each so many bytes');
is($p->{period_type}, 'space/bytes', 'bytes');

# about 160 samples of a kind: 50 per cent are six deviations

near($kept, $N * 220, 'what is kept');
near($gone, $N * 220, 'what is to go');
near(weight($p, 'inuse_objects', 'set', 'string'), $N, 'their number');
cmp_ok(weight($p, 'alloc_space', 'set', 'string'), '>=', $kept,
    'no more than was taken');
cmp_ok($p->cum('inuse_space')->{ngx_olivine_store_set_locked} || 0, '>=',
    $kept, 'the function')
    or diag(explain($p->cum('inuse_space')));
cmp_ok($p->cum('inuse_space')->{ngx_olivine_client_run} || 0, '>=',
    $kept + $gone, 'and who called it');

$r->pipe(map { [ 'del', "gone:$_" ] } 1 .. $N);

$p = profile('allocs');
is($p->{default}, 'alloc_space', 'what allocs shows');
is(weight($p, 'inuse_space', 'append', 'string'), 0, 'it is gone');
is(weight($p, 'inuse_space', 'set', 'string'), $kept, 'the rest is there');
near(weight($p, 'alloc_space', 'append', 'string'), $N * 220,
    'it was taken, though');

# a value of pages, from one shard to another

$r->cmd('set', 'big', 'y' x 1_000_000);
near(weight(profile('heap'), 'inuse_space', 'set', 'string') - $kept,
    1_000_000, 'a big one', 2);
$r->cmd('rename', 'big', "big:$_") && $r->cmd('rename', "big:$_", 'big')
    for 1 .. 8;
$r->cmd('del', 'big');
is(weight(profile('heap'), 'inuse_space', 'set', 'string'), $kept,
    'gone, wherever it was');

# other rates, none

is($r->cmd(qw/config set heap-sample-bytes 0/), '+OK', 'no samples');
sleep 0.3;
my $before = profile('heap')->total('alloc_space');
$r->pipe(map { [ 'set', "not:$_", $text ] } 1 .. $N);
is(profile('heap')->total('alloc_space'), $before, 'none');
is($r->cmd(qw/config set heap-sample-bytes 512kb/), '+OK', 'as before');
is($r->cmd(qw/config resetstat/), '+OK', 'statistics are reset');
is(profile('heap')->total('alloc_space'), $before, 'profiles are not');

# what waits

$r->write($r->frame(qw/debug sleep 0.3/));
sleep 0.05;
my $waits = $s->client;
is($waits->cmd(qw/get kept:1/), "\$200 $text", 'waited for the gate');
is($r->reply, '+OK', 'slept');

$p = profile('block');
is_deeply($p->{types}, [ 'contentions/count', 'delay/nanoseconds' ],
    'its values');
cmp_ok(delay($p, 'get', '[parked: gate]'), '>', 100_000_000, 'it was parked')
    or diag(explain($p->{samples}));
cmp_ok(delay($p, 'debug', '[parked: sleep]'), '>', 250_000_000,
    'as was who slept');

# files

is($r->cmd(qw/config set appendfsync always/), '+OK', 'always');
is($r->cmd(qw/config set appendonly yes/), '+OK', 'a log');
ok($s->until(sub {
    $r->cmd('set', 'logged', $text);             # until there is a base
    $p = profile('block');
    return delay($p, 'set', '[held: appendfsync always]')
           && delay($p, '', '[disk: sync append-only file]')
           && delay($p, '', '[disk: write append-only file]')
           && delay($p, '', '[disk: write snapshot]')
           && delay($p, '', '[disk: sync snapshot]');
}), 'what waits for a disk')
    or diag(explain($p->flat('delay')));
is($r->cmd(qw/config set appendonly no/), '+OK', 'no log');

SKIP: {
    skip('one worker waits for nobody', 2) if $s->{workers} < 2;

    my $burn = Olivine::Burn->start($s->{port}, qw(-c 32 -P 32), 'incr',
        'wanted');

    my $found;
    ok($s->until(sub {
        $found = profile('mutex');
        return weight($found, 'contentions', 'incr') > 32;
    }), 'a lock that many want');
    $burn->stop;

    my ($row) = grep { ($_->{labels}{command} // '') eq 'incr' }
        @{ $found->{samples} };
    is($row->{labels}{lock}, 'shard', 'which one')
        or diag(explain($found->{samples}));
}

# a worker that dies takes nothing along

$before = profile('allocs')->total('alloc_space');
$s->kill_worker(($s->workers)[0]);
cmp_ok(eval { profile('allocs')->total('alloc_space') } // 0, '>=', $before,
    'a death changes nothing');

done_testing();
remove_tree($dir);


sub profile {
    my ($kind) = @_;

    my $said;
    $s->until(sub {
        $said = eval { $h->get("/debug/pprof/$kind") };
        return $said && $said->{status} == 200;
    });

    return Olivine::Pprof->decode($said->{content});
}


# A sum over the samples of a command, and a type.

sub weight {
    my ($p, $what, $command, $type) = @_;
    my ($n, $sum) = ($p->number($what), 0);

    for my $sample (@{ $p->{samples} }) {
        my $l = $sample->{labels};

        $sum += $sample->{values}[$n]
            if ($l->{command} // '') eq $command
               && (!defined $type || ($l->{type} // '') eq $type);
    }

    return $sum;
}


sub delay {
    my ($p, $command, $leaf) = @_;
    my $sum = 0;

    for my $sample (@{ $p->{samples} }) {
        $sum += $sample->{values}[1]
            if ($sample->{labels}{command} // '') eq $command
               && $sample->{stack}[0] eq $leaf;
    }

    return $sum;
}


sub near {
    my ($value, $wanted, $name, $percent) = @_;

    $percent //= 50;
    cmp_ok(abs($value - $wanted), '<', $wanted * $percent / 100, $name)
        or diag("$value, not $wanted");
}
