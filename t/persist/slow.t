#!/usr/bin/perl

# A slow disk: what INFO and the latency monitor tell of it
# workers: 2
# hosts: standalone

use strict;
use warnings;

use File::Path qw(make_path remove_tree);
use Time::HiRes qw(sleep);

use Olivine;
use Olivine::Program qw(program);

my $faults = program('faults.so', [ 't/persist/faults.c' ],
    qw(-shared -fPIC -ldl));

my $dir = "$Olivine::top/build/t/aof-slow";
remove_tree($dir);
make_path($dir);

my $build = $ENV{OLIVINE_BINARY} || 'build/olivine';

plan(skip_all => 'a sanitizer wants to be the first library')
    if `nm -D $build 2>/dev/null` =~ /__asan_init/;

$ENV{FAULTS_FILE} = "$dir/faults";

my $s;

{
    local $ENV{LD_PRELOAD} = $faults;

    $s = olivine(params => {
        dir => $dir, appendonly => 'yes', 'latency-monitor-threshold' => 50 });
}

$s->until(sub { $s->client->cmd('ping') eq '+PONG' }, 20);

my $r = $s->client;


sub slow {
    Olivine::write_file("$dir/new", join '', map { "$_\n" } @_);
    rename "$dir/new", "$dir/faults" or die "rename: $!\n";
}

sub delayed {
    $r->value('info', 'persistence') =~ /^aof_delayed_fsync:(\d+)\r$/m;
    return $1;
}

# The longest of each event.

sub worst { return { map { @$_[0, 3] } @{ $r->value(qw/latency latest/) } } }

is(delayed(), 0, 'nothing is delayed');
is_deeply(worst(), {}, 'nothing took long');

# a write

slow('pwritev -80 appendonlydir');
is($r->cmd(qw/set a 1/), '+OK', 'a write that takes long');
slow();
my $worst = worst();
cmp_ok($worst->{'aof-write'} // 0, '>=', 80, 'aof-write');
cmp_ok($worst->{'aof-write-alone'} // 0, '>=', 80, 'aof-write-alone');
ok(!exists $worst->{'aof-write-active-child'}, 'with nothing beside it');
$r->cmd(qw/latency reset/);

# a sync that writing waits for, but not for too long

slow('fdatasync -300 appendonlydir');
$r->cmd('set', 'b', $_), sleep 0.05 for 1 .. 30;
slow();
sleep 0.5;
cmp_ok(worst()->{'aof-write-pending-fsync'} // 0, '>=', 300,
    'aof-write-pending-fsync');
is(delayed(), 0, 'that is not called delayed');
$r->cmd(qw/latency reset/);

# one that takes longer than two seconds

slow('fdatasync -2300 appendonlydir');
ok($s->until(sub { $r->cmd('set', 'c', 1); delayed() }, 15), 'delayed');
slow();
is($r->cmd(qw/set d 1/), '+OK', 'and goes on');
cmp_ok(worst()->{'aof-write-pending-fsync'} // 0, '>=', 2300, 'so long');
$r->cmd(qw/latency reset/);

# each of them

$r->cmd(qw/config set appendfsync always/);
slow('fdatasync -70 appendonlydir');
is($r->cmd(qw/set e 1/), '+OK', 'one that is synced');
slow();
cmp_ok(worst()->{'aof-fsync-always'} // 0, '>=', 70, 'aof-fsync-always');
like($r->value(qw/latency doctor/), qr/The disk of the append-only file/,
    'the doctor says it');
is($r->cmd(qw/config resetstat/), '+OK', 'resetstat');

done_testing();
