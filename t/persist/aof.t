#!/usr/bin/perl

# The append-only file: begun, rewritten, switched, loaded, and exchanged with
# a redis-server.
# workers: 2

use strict;
use warnings;

use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use POSIX qw(_exit);
use Time::HiRes qw(sleep);

use Olivine;
use Olivine::Program qw(found);
use Olivine::Writers;

my $host = $ENV{OLIVINE_HOST} || 'standalone';
my $top = "$Olivine::top/build/t/aof-$host";
my ($s, $pid);

remove_tree($top);


sub begin {
    my ($dir, %params) = @_;

    make_path($dir);
    $s = olivine(main => '', params => {
        dir => $dir, appendonly => 'yes', 'enable-debug-command' => 'yes',
        %params });

    return ready();
}


sub ready {
    $s->until(sub { ($s->client->cmd('ping') // '') eq '+PONG' }, 20)
        or die "it is still loading\n";
    return $s->client;
}


sub again {
    my ($name, $r) = @_;
    my $digest = $r->cmd('debug', 'digest');

    undef $r;
    kill TERM => $s->{pid};
    is($s->wait(20), 0, "$name: it ends");
    $s->start;
    $r = ready();
    is($r->cmd('debug', 'digest'), $digest, "$name: a restart has the same");

    return $r;
}


sub info { return $_[0]->value('info', 'persistence') }

sub rewritten {
    my ($r) = @_;
    return $s->until(sub { info($r) =~ /aof_rewrite_in_progress:0.*
        aof_rewrite_scheduled:0.*aof_last_bgrewrite_status:ok/sx }, 20);
}

sub manifest {
    return Olivine::read_file("$_[0]/appendonlydir/appendonly.aof.manifest");
}


sub expired {
    return $_[0]->value('info', 'stats') =~ /^expired_keys:(\d+)/m ? $1 : 0;
}


sub fill {
    my ($r) = @_;
    my $before = expired($r);

    for my $db (0, 3, 15) {
        $r->pipe([ 'select', $db ], [ 'set', 'a', "in $db" ],
                 [ 'set', 'ttl', 1, 'ex', 5000 ], [ 'set', 'gone', 1, 'px', 1 ],
                 [ 'multi' ], [ 'set', 'b', 1 ], [ 'incr', 'b' ], [ 'exec' ],
                 [ 'incrbyfloat', 'f', '1.1' ], [ 'incrbyfloat', 'f', '2.2' ],
                 [ 'append', 'text', 'x' x 100 ], [ 'setrange', 'text', 5, 'y' ],
                 [ 'del', 'a' ], [ 'set', 'big', 'z' x 4000000 ],
                 [ 'rename', 'b', 'c' ], [ 'persist', 'ttl' ],
                 [ 'expire', 'text', 7000 ]);
    }

    $r->cmd('select', 0);

    # a digest has keys past their time, until they are removed
    for (1 .. 500) {
        last if expired($r) >= $before + 3;
        sleep 0.02;
    }
}


sub peer {
    my ($dir, @options) = @_;
    my $port = Olivine::free_port();

    $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', "$top/log-$port";
        open STDERR, '>&', \*STDOUT;
        exec found('redis-server'), '--port', $port, '--bind', '127.0.0.1',
             '--save', '', '--dir', $dir, '--appendonly', 'yes',
             '--enable-debug-command', 'yes', @options
            or _exit(127);
    }

    for (1 .. 500) {
        my $r = eval { client($port, timeout => 30) };
        return $r if $r && ($r->cmd('ping') // '') eq '+PONG';
        sleep 0.02;
    }

    die Olivine::read_file("$top/log-$port");
}


sub end_peer {
    return if !$pid;
    kill TERM => $pid;
    waitpid $pid, 0;
    undef $pid;
}


sub copied {
    my ($from, $to) = @_;
    make_path("$to/appendonlydir");
    copy($_, "$to/appendonlydir/") or die "$_: $!\n"
        for glob "$from/appendonlydir/*";
}


# from nothing

my $r = begin("$top/one", 'aof-timestamp-enabled' => 'yes',
              'auto-aof-rewrite-percentage' => 0);

is(manifest("$top/one"), "file appendonly.aof.1.base.rdb seq 1 type b\n"
    . "file appendonly.aof.1.incr.aof seq 1 type i\n", 'files as Redis has');
fill($r);
$r = again('from nothing', $r);
like(Olivine::read_file("$top/one/appendonlydir/appendonly.aof.1.incr.aof"),
    qr/^#TS:\d+\r\n\*2\r\n\$6\r\nSELECT\r\n/, 'with the time');

# rewritten, twice, while others write

my $writers = Olivine::Writers->start($s->{port}, 3, 'w');

for my $n (2, 3) {
    like($r->cmd('bgrewriteaof'), qr/^\+Background append only file rewriting/,
        "rewrite $n");
    ok(rewritten($r), "rewrite $n is done");
    ok($s->until(sub { manifest("$top/one")
        eq "file appendonly.aof.$n.base.rdb seq $n type b\n"
           . "file appendonly.aof.$n.incr.aof seq $n type i\n" }),
        "rewrite $n: the manifest") or diag(manifest("$top/one"));
}

# how it is synced

for my $how (qw(always no everysec always everysec)) {
    is($r->cmd('config', 'set', 'appendfsync', $how), '+OK', $how);
    sleep 0.15;
}

# off, and on, as others write

is($r->cmd(qw/config set appendonly no/), '+OK', 'off');
ok($s->until(sub { info($r) =~ /^aof_enabled:0\r$/m }), 'is off');
sleep 0.2;
is($r->cmd(qw/config set appendonly yes/), '+OK', 'on');
ok($s->until(sub { info($r) =~ /^aof_enabled:1\r$/m }), 'is on');
ok(rewritten($r), 'with a base');
sleep 0.2;

# reloaded

ok($s->reload, 'a reload');
sleep 0.2;

my $known = $writers->stop;
cmp_ok(Olivine::Writers::done($known), '>', 100, 'much was written');
is_deeply([ Olivine::Writers::wrong($known, $r) ], [], 'all is there');
$r = again('after all that', $s->client);
is_deeply([ Olivine::Writers::wrong($known, $r) ], [], 'all is there');

# by itself

is($r->cmd(qw/config set auto-aof-rewrite-min-size 100kb/), '+OK', 'min-size');
is($r->cmd(qw/config set auto-aof-rewrite-percentage 10/), '+OK', 'percentage');

my ($rewrites) = info($r) =~ /^aof_rewrites:(\d+)/m;
my $text = 'q' x 900000;

ok($s->until(sub {
    $r->cmd('set', 'grows', $text);
    return info($r) =~ /^aof_rewrites:(\d+)/m && $1 > $rewrites;
}, 20), 'it is rewritten when it has grown');
is($r->cmd(qw/config set auto-aof-rewrite-percentage 0/), '+OK', 'no more');
ok(rewritten($r), 'done');
fill($r);

like(info($r), qr/^aof_current_size:[1-9]\d+\r\naof_base_size:[1-9]\d+\r$/m,
    'sizes');

# redis-server has what we have, and the other way round

SKIP: {
    skip('redis-server is not installed', 5) if !found('redis-server');

    my $digest = $r->cmd('debug', 'digest');

    kill TERM => $s->{pid};
    is($s->wait(20), 0, 'it ends');

    my $manifest = "$top/one/appendonlydir/appendonly.aof.manifest";
    my $said = `redis-check-aof $manifest 2>&1`;
    is($? >> 8, 0, 'redis-check-aof is content') or diag($said);

    copied("$top/one", "$top/redis");

    my $q = peer("$top/redis", '--aof-timestamp-enabled', 'yes',
                 '--auto-aof-rewrite-percentage', 0);
    is($q->cmd('debug', 'digest'), $digest, 'redis-server has the same');

    fill($q);
    $digest = $q->cmd('debug', 'digest');
    end_peer();

    $r = begin("$top/redis");
    is($r->cmd('debug', 'digest'), $digest, 'so have we of its');
    $r = again('of redis-server', $r);
}

# a base of commands; a value of a run and numbers are in it

$r = begin("$top/words", 'aof-use-rdb-preamble' => 'no',
           'auto-aof-rewrite-percentage' => 0);
fill($r);
like($r->cmd('bgrewriteaof'), qr/^\+Background append only file rewriting/,
    'rewritten as commands');
ok(rewritten($r), 'done');
ok($s->until(sub { manifest("$top/words")
    eq "file appendonly.aof.2.base.aof seq 2 type b\n"
       . "file appendonly.aof.2.incr.aof seq 2 type i\n" }), 'its name')
    or diag(manifest("$top/words"));

my $words = Olivine::read_file(
    "$top/words/appendonlydir/appendonly.aof.2.base.aof");
like($words, qr/^\*2\r\n\$6\r\nSELECT\r\n\$\d+\r\n\d+\r\n\*/, 'commands');
like($words, qr/\*5\r\n\$3\r\nSET\r\n\$4\r\ntext\r\n\$100\r\n
    [xy]{100}\r\n\$4\r\nPXAT\r\n\$13\r\n\d{13}\r\n/x, 'with expiry');
like($words, qr/\r\n\$4000000\r\nz{1000}/, 'and long values');
is($r->cmd(qw/set behind it/), '+OK', 'more');

SKIP: {
    skip('redis-server is not installed', 1) if !found('redis-server');

    my $digest = $r->cmd('debug', 'digest');
    copied("$top/words", "$top/words-redis");
    is(peer("$top/words-redis")->cmd('debug', 'digest'), $digest,
        'redis-server reads it');
    end_peer();
}

$r = again('of commands', $r);

# nothing but a snapshot

$r = begin("$top/rdb", appendonly => 'no', dbfilename => 'dump.rdb');
fill($r);
is($r->cmd('save'), '+OK', 'a snapshot');
my $digest = $r->cmd('debug', 'digest');
kill TERM => $s->{pid};
is($s->wait(20), 0, 'it ends');

make_path("$top/rdb2");
copy("$top/rdb/dump.rdb", "$top/rdb2/dump.rdb") or die "copy: $!\n";
$r = begin("$top/rdb2");
is($r->cmd('debug', 'digest'), $digest, 'of a snapshot nothing is lost');
is($r->cmd(qw/set more 1/), '+OK', 'more');
$r = again('of a snapshot', $r);

# a file of before Redis 7

make_path("$top/old");
Olivine::write_file("$top/old/appendonly.aof", join '',
    map { Olivine::Client::frame(@$_) } [ 'SELECT', 2 ], [ 'SET', 'k', 'v' ],
    [ 'MULTI' ], [ 'INCR', 'n' ], [ 'EXEC' ]);
$r = begin("$top/old");
$r->cmd('select', 2);
is($r->cmd(qw/get k/), '$1 v', 'a file of before');
is($r->cmd(qw/get n/), '$1 1', 'all of it');
ok(!-e "$top/old/appendonly.aof", 'was moved');
is($r->cmd(qw/incr n/), ':2', 'more');
$r = again('of before', $r);

# another program takes over

my ($old, $new) = ($s->master, $s->upgrade);
ok($new, 'an upgrade');
$r = $s->client;
is($r->cmd(qw/set by both/), '+OK', 'a write');
my $files = manifest("$top/old");

undef $r;
kill QUIT => $old;
is($s->wait(20), 0, 'the old one ends');

$s->{pid} = $new;
$r = ready();
is($r->cmd(qw/set by new/), '+OK', 'the new one writes');
is(manifest("$top/old"), $files, 'in the same files');
$digest = $r->cmd('debug', 'digest');
undef $r;
kill TERM => $new;
ok($s->until(sub { Olivine::title($new) eq '' }, 20), 'it ends');
delete $s->{pid};
delete $s->{others};
$s->start;
is(ready()->cmd('debug', 'digest'), $digest, 'a restart has all');

done_testing();


END {
    my $status = $?;
    end_peer();
    $? = $status;
}
