#!/usr/bin/perl

# What the append-only file has of commands by chance is the same keys to a
# redis-server, and here once more, under limits that only clients have.
# hosts: standalone
# workers: 1

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use POSIX qw(_exit WNOHANG);
use Time::HiRes qw(sleep);

my $server = found('redis-server');

plan(skip_all => 'redis-server is not installed') if !$server;

my $dir = "$Olivine::top/build/t/replay-files";
remove_tree($dir);
make_path("$dir/data", "$dir/old");

srand 20;


sub key { 'key:' . int rand 40 }

sub value {
    my $kind = int rand 8;

    return '' if $kind == 0;
    return (int rand 1000) . '.' . int rand 100 if $kind == 1;
    return chr(65 + rand 26) x (rand 4 < 1 ? 20000 + rand 80000 : rand 300)
        if $kind < 4;
    return int(rand 2000) - 1000;
}

# far enough ahead that nobody sees one pass, or past already
sub ahead { rand 10 < 1 ? -1 : 100000 + int rand 100000 }


my @kinds = (
    sub { ('set', key(), value()) },
    sub { ('set', key(), value(), 'ex', abs ahead()) },
    sub { ('set', key(), value(), rand 2 < 1 ? 'keepttl' : 'get') },
    sub { ('set', key(), value(), 'exat', time + ahead()) },
    sub { ('setex', key(), abs ahead(), value()) },
    sub { ('getset', key(), value()) },
    sub { ('getex', key(), rand 2 < 1 ? 'persist' : ('ex', abs ahead())) },
    sub { ('getdel', key()) },
    sub { ('append', key(), value()) },
    sub { ('setrange', key(), int rand 500, value()) },
    sub { ('incrby', key(), int rand 100) },
    sub { ('incrbyfloat', key(), rand 100) },
    sub { ('increx', key(), 'byint', int rand 9, 'ex', abs ahead(), 'enx') },
    sub { ('msetnx', map { (key(), value()) } 1 .. 3) },
    sub { ('mset', map { (key(), value()) } 1 .. 3) },
    sub { ('msetex', 3, (map { (key(), value()) } 1 .. 3), 'ex',
           abs ahead()) },
    sub { ('delex', key()) },
    sub { ('delifeq', key(), value()) },
    sub { ('unlink', key(), key()) },
    sub { ('rename', key(), key()) },
    sub { ('renamenx', key(), key()) },
    sub { ('copy', key(), key(), 'db', int rand 4, 'replace') },
    sub { ('move', key(), int rand 4) },
    sub { ('expire', key(), ahead()) },
    sub { ('expireat', key(), time + ahead(), 'nx') },
    sub { ('persist', key()) },
    sub { ('select', int rand 4) },
    sub { rand 20 < 1 ? ('swapdb', int rand 4, int rand 4) : ('ping') },
    sub { rand 50 < 1 ? ('flushdb') : ('ping') },
);


sub peer {
    my $port = Olivine::free_port();
    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', "$dir/log-$port";
        open STDERR, '>&', \*STDOUT;
        exec $server, '--port', $port, '--bind', '127.0.0.1', '--save', '',
             '--dir', "$dir/peer", '--appendonly', 'yes',
             '--enable-debug-command', 'yes'
            or _exit(127);
    }

    for (1 .. 500) {
        my $r = eval { client($port, timeout => 30) };
        return ($r, $pid) if $r && ($r->cmd('ping') // '') eq '+PONG';
        last if waitpid($pid, WNOHANG()) == $pid;
        sleep 0.02;
    }

    diag(Olivine::read_file("$dir/log-$port"));
    die "$server did not start\n";
}


sub loaded {
    my ($r) = @_;

    for (1 .. 500) {
        my $info = $r->cmd('info', 'persistence') // '';
        return $info if $info =~ /\bloading:0/;
        sleep 0.02;
    }

    return '';
}


my %params = ('appendonly' => 'yes', 'dir' => "$dir/data", 'save' => '',
              'enable-debug-command' => 'local',
              'auto-aof-rewrite-percentage' => 0);

my $s = olivine(params => \%params);
my $r = $s->client;
my $errors = 0;

loaded($r);

for (1 .. 3000) {
    my $multi = rand 20 < 1;

    $r->cmd('multi') if $multi;

    for (0 .. ($multi ? rand 6 : 0)) {
        my $said = $r->cmd($kinds[rand @kinds]->()) // 'closed';
        $errors++ if $said =~ /^-(?!ERR|WRONGTYPE)/ || $said eq 'closed';
    }

    $r->cmd('exec') if $multi;
}

is($errors, 0, 'nothing is refused');

# the frame of this one is longer than what a client may queue, 1 MB

$r->cmd('select', 5);
is($r->cmd('msetex', 10000, (map { ("m$_", $_) } 1 .. 10000), 'ex', 100000),
   ':1', 'one command of many effects');

my $digest = $r->cmd('debug', 'digest');
$s->stop;


# --- a redis-server

make_path("$dir/peer/appendonlydir");
copy($_, "$dir/peer/appendonlydir/") for glob "$dir/data/appendonlydir/*";

my ($peer, $pid) = peer();

loaded($peer);
is($peer->cmd('debug', 'digest'), $digest, 'the same keys to a redis-server');

kill TERM => $pid;
waitpid $pid, 0;


# --- here, under what would refuse a client's writes

$s = olivine(params => { %params, 'maxmemory' => '100kb',
                         'client-query-buffer-limit' => '1mb',
                         'min-replicas-to-write' => 1 });
$r = $s->client;

like(loaded($r), qr/loading:0/, 'loaded once more');
is($r->cmd('debug', 'digest'), $digest, 'the same keys');
$s->stop;


# --- commands that answer with big values, as older servers wrote them

sub old {
    my (@commands) = @_;

    remove_tree("$dir/old");
    make_path("$dir/old/appendonlydir");

    open my $out, '>', "$dir/old/appendonlydir/appendonly.aof.1.incr.aof"
        or die "$dir/old: $!\n";
    binmode $out;

    for (@commands) {
        print $out '*' . @$_ . "\r\n",
              map { '$' . length($_) . "\r\n$_\r\n" } @$_;
    }

    close $out;

    open $out, '>', "$dir/old/appendonlydir/appendonly.aof.manifest"
        or die "$dir/old: $!\n";
    print $out "file appendonly.aof.1.incr.aof seq 1 type i\n";
    close $out;
}


old([ 'set', 'k', 'x' x 100000 ], [ 'getset', 'k', 'y' x 100000 ],
    [ 'multi' ], [ 'getset', 'k', 'z' x 50000 ], [ 'getdel', 'k' ], [ 'exec' ],
    [ 'set', 'l', 1 ]);

$s = olivine(params => { %params, 'dir' => "$dir/old" });
$r = $s->client;

loaded($r);
is($r->cmd('dbsize'), ':1', 'replies of files are nowhere');
is($r->cmd('get', 'l'), '$1 1', 'to the end');
$s->stop;


# --- more than there is room for

old(map { [ 'set', "k$_", 'x' x 1000000 ] } 1 .. 100);

$s = olivine(params => { %params, 'dir' => "$dir/old",
                         'maxmemory' => '16mb' },
             expect => [ qr/cannot be loaded/ ], fails => 1);

$s->until(sub { $s->log =~ /there is no memory for "set"/ });
like($s->log, qr/cannot be loaded: at offset \d+: there is no memory for "set"/,
     'what does not fit is not left out');
$s->stop if $s->{pid};

done_testing();
