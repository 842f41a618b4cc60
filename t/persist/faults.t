#!/usr/bin/perl

# What the disk refuses: writes are answered with why, reads go on, and all
# is well again when the fault is gone.
# hosts: standalone
# workers: 2

use strict;
use warnings;

use Errno qw(EIO ENOSPC EACCES);
use File::Path qw(make_path remove_tree);
use Time::HiRes qw(sleep);

use Olivine;
use Olivine::Program qw(program);

my $faults = program('faults.so', [ 't/persist/faults.c' ],
                     qw(-shared -fPIC -ldl));

my $dir = "$Olivine::top/build/t/aof-faults";
remove_tree($dir);
make_path($dir);

my $build = $ENV{OLIVINE_BINARY} || 'build/olivine';

plan(skip_all => 'a sanitizer wants to be the first library')
    if `nm -D $build 2>/dev/null` =~ /__asan_init/;

$ENV{FAULTS_FILE} = "$dir/faults";

my $docs = Olivine::read_file("$Olivine::top/docs/persistence.md");
my $s;


# Any failure is an alert.

sub start {
    my (%params) = @_;

    local $ENV{LD_PRELOAD} = $faults;

    if (!$s) {
        $s = olivine(params => {
            dir => $dir, appendonly => 'yes', %params,
            'auto-aof-rewrite-percentage' => 0,
            'enable-debug-command' => 'yes' },
            expect => [ qr/of the append-only file/ ]);

    } else {
        $s->start;
    }

    $s->until(sub { $s->client->cmd('ping') eq '+PONG' }, 20);

    return $s->client;
}


sub fault {
    my (@lines) = @_;

    return unlink "$dir/faults" if !@lines;

    Olivine::write_file("$dir/new", join '', map { "$_\n" } @lines);
    rename "$dir/new", "$dir/faults" or die "rename: $!\n";
}


sub strerror { local $! = $_[0]; return "$!" }

sub told { ok(index($docs, $_[0]) >= 0, "docs have: $_[0]") }


# Kills all of it, and waits until the files are free.

sub end {
    my @all = Olivine::children($s->{pid});

    $s->destroy;
    $s->until(sub { !grep { Olivine::read_file("/proc/$_/stat")
                           =~ /\) [^ZX] / } @all });
}


# Who has written is answered when all is well, and so is who reads of the same
# shard.

sub refused {
    my ($name, $r, $err) = @_;
    my $says = '-MISCONF Errors writing to the AOF file: ' . strerror($err);
    my $first = $s->client;

    $first->write($first->frame('set', 'first', $name));

    ok($s->until(sub { $r->value('info', 'persistence')
        =~ /^aof_last_write_status:err\r$/m }), "$name: INFO");
    is($r->cmd('set', 'k', 2), $says, "$name: writes are refused");
    ok($first->silent, "$name: who has written waits");

    my @readers = map { $s->client(timeout => 0.2) } 1 .. 20;
    my @read = map { $readers[$_ - 1]->cmd('get', "there:$_") // '' } 1 .. 20;

    cmp_ok(scalar(grep { $_ eq '$3 one' } @read), '>=', 15,
        "$name: reads go on");

    return $first;
}


sub mended {
    my ($name, $r, $first) = @_;

    ok($s->until(sub { ($r->cmd('set', "after:$name", 1) // '') eq '+OK' }),
        "$name: it mends itself") or diag($r->cmd('set', 'k', 1));
    is($first->reply, '+OK', "$name: who waited is answered");
    is($r->cmd('get', 'first'), '$' . length($name) . " $name",
        "$name: and is there");
    like($r->value('info', 'persistence'), qr/^aof_last_write_status:ok\r$/m,
        "$name: INFO is well");

    my $digest = $r->cmd('debug', 'digest');

    end();
    my $q = start();
    is($q->cmd('debug', 'digest'), $digest, "$name: a restart has all");

    return $q;
}


sub manifest {
    return Olivine::read_file("$dir/appendonlydir/appendonly.aof.manifest");
}


my $r = start(appendfsync => 'always');

is($r->cmd('set', "there:$_", 'one'), '+OK', 'a key') for 1 .. 20;

# the disk is full, with half of what is written

fault('pwritev ' . ENOSPC . ' incr.aof');
my $first = refused('full', $r, ENOSPC);
told('-MISCONF Errors writing to the AOF file: No space left on device');
told('writes are refused until it is mended');
my $before = manifest();
fault();
$r = mended('full', $r, $first);
is(manifest(), $before, 'in the same file');

# a sync fails: what it was to sync is never trusted again

fault('fdatasync ' . EIO . ' incr.aof', 'fsync ' . EIO . ' appendonlydir');
$first = refused('sync', $r, EIO);
fault();
$r = mended('sync', $r, $first);
isnt(manifest(), $before, 'a new base was made');

# the folder is taken away

rename "$dir/appendonlydir", "$dir/away" or die "rename: $!\n";
remove_tree("$dir/away");
is($r->cmd(qw/set removed 1/), '+OK', 'removed: a write');
ok($s->until(sub { -s "$dir/appendonlydir/appendonly.aof.manifest" }),
    'removed: it is made again');
ok($s->until(sub { ($r->cmd(qw/set removed 2/) // '') eq '+OK' }),
    'removed: writes go on');
my $digest = $r->cmd('debug', 'digest');
end();
$r = start();
is($r->cmd('debug', 'digest'), $digest, 'removed: a restart has all');

# a rewrite that cannot rename: all goes on in the files that are there

fault('rename ' . EACCES . ' appendonlydir');
like($r->cmd('bgrewriteaof'), qr/^\+Background append only/, 'a rewrite');
ok($s->until(sub { $r->value('info', 'persistence')
    =~ /^aof_last_bgrewrite_status:err\r$/m }), 'fails');
is($r->cmd(qw/set rename 1/), '+OK', 'writes go on');
like($s->log, qr/a snapshot is given up: .* failed/, 'it is said');
told('a snapshot is given up:');
fault();
$digest = $r->cmd('debug', 'digest');
end();
$r = start();
is($r->cmd('debug', 'digest'), $digest, 'a restart has all');
like($r->cmd('bgrewriteaof'), qr/^\+Background append only/, 'a rewrite');
ok($s->until(sub { $r->value('info', 'persistence')
    =~ /aof_rewrites:[1-9].*aof_last_bgrewrite_status:ok\r$/ms
    || $r->value('info', 'persistence') =~ /aof_last_bgrewrite_status:ok/
       && manifest() !~ /type h/ }), 'is well');

# damage in the middle

for (1 .. 50) { $r->cmd('set', "many:$_", $_) }

end();

my ($last) = manifest() =~ /^file (\S+) seq \d+ type i\n\z/m;
my $file = "$dir/appendonlydir/$last";
my $bytes = Olivine::read_file($file);
my $at = index $bytes, '*', length($bytes) / 2;
substr($bytes, $at, 1) = 'x';
Olivine::write_file($file, $bytes);

$s->expect(qr/cannot be loaded/, qr/exited with/);
$s->{fails} = 1;
$s->start;
isnt($s->wait(20), undef, 'damage: it does not start');
like($s->log, qr/"\Q$file\E" cannot be loaded: at offset $at: .*; "olivine --check-aof --fix" can cut it there/,
    'damage: file, offset and remedy');
told('"olivine --check-aof --fix" can cut it there');
is(Olivine::read_file($file), $bytes, 'damage: the file is as it was');

delete $s->{pid};
is_deeply([ $s->faults ], [], 'nothing else is alarming');

Test::More::done_testing();
