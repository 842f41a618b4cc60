#!/usr/bin/perl

# SAVE, BGSAVE, "save" points, and what a start makes of their file.
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);
use POSIX qw(_exit);
use Time::HiRes qw(sleep time);

my $host = $ENV{OLIVINE_HOST} || 'standalone';
my $dir = "$Olivine::top/build/t/snapshot-$host";
my $file = "$dir/dump.rdb";

File::Path::remove_tree($dir);
File::Path::make_path($dir);
chmod 0777, $dir;

my $peer;


sub server {
    my ($params, @rest) = @_;

    return olivine(params => { dir => $dir, save => '',
                               'enable-debug-command' => 'yes',
                               %{ $params || {} } }, @rest);
}


# A client that waits until all is loaded.

sub loaded {
    my ($s) = @_;
    my $r = $s->client(timeout => 30);

    $s->until(sub { ($r->cmd('ping') // '') eq '+PONG' }, 20)
        or die "it was not loaded\n" . $s->log;

    return $r;
}


sub persistence {
    my ($r) = @_;
    return { map { /^(\w+):(.*)$/ ? ($1, $2) : () }
             split /\r\n/, $r->value('info', 'persistence') };
}


sub field { return persistence($_[0])->{$_[1]} }


# Waits for the end of a snapshot.

sub written {
    my ($s, $r) = @_;

    return $s->until(sub {
        return !field($r, 'rdb_bgsave_in_progress');
    }, 20);
}


sub left_behind { return join ' ', glob "$dir/temp-*" }


sub fill {
    my ($r) = @_;
    my $later = (time + 10000) * 1000;
    my @set;

    for my $n (0, -1, 127, 128, 32768, 2147483648, '9223372036854775807',
               '-9223372036854775808', '007', '1.5')
    {
        push @set, [ 'set', "number:$n", $n ], [ 'set', $n, "number:$n" ];
    }

    push @set, map { [ 'set', 'k' x $_, join '', map { chr rand 256 } 1 .. $_ ],
                     [ 'set', "same:$_", 'y' x $_ ] }
        1 .. 70, 254 .. 258, 2047 .. 2049, 16383 .. 16385, 70000;

    push @set, [ 'set', "odd \0\r\n\xff", "\0" ], [ 'set', '', '' ],
               [ 'set', 'some MB', join '', map { pack 'N', rand 2 ** 32 }
                                            1 .. 1200000 ];

    push @set, map { [ 'set', "later:$_", $_, 'pxat', int($later) + $_ ] }
        1 .. 200;

    for my $db (1, 9, 15) {
        push @set, [ 'select', $db ],
                   [ 'set', "in:$db", $db, 'ex', 5000 + $db ],
                   map { [ 'set', "many:$_", $_ * $_ ] } 1 .. 500;
    }

    push @set, [ 'select', 0 ], [ 'debug', 'populate', 5000, 'key', 30 ];

    my @bad = grep { !/^\+OK/ } $r->pipe(@set);
    is(scalar @bad, 0, 'filled') or diag(@bad[0 .. 3]);
}


sub expiries {
    my ($r) = @_;
    my @keys = map { "later:$_" } 1 .. 200;

    return join ' ', $r->pipe(map { [ 'pexpiretime', $_ ] } @keys);
}


sub redis {
    my $port = Olivine::free_port();
    my $server = found('redis-server');

    $peer = fork // die "fork: $!\n";

    if ($peer == 0) {
        open STDOUT, '>', "$dir/redis.log";
        open STDERR, '>&', \*STDOUT;
        exec $server, '--port', $port, '--bind', '127.0.0.1', '--save', '',
             '--dir', $dir, '--enable-debug-command', 'yes' or _exit(127);
    }

    for (1 .. 500) {
        my $r = eval { client($port, timeout => 30) };
        return $r if $r && ($r->cmd('ping') // '') eq '+PONG';
        sleep 0.02;
    }

    die "$server did not start\n" . Olivine::read_file("$dir/redis.log");
}


sub redis_stop {
    kill KILL => $peer if $peer;
    waitpid $peer, 0 if $peer;
    undef $peer;
}


# what a restarted server has

my $s = server();
my $r = loaded($s);
my $began = time;

is($r->cmd('dbsize'), ':0', 'no file, no keys');

my $i = persistence($r);

is($i->{rdb_saves}, 0, 'rdb_saves');
is($i->{rdb_last_bgsave_status}, 'ok', 'status');
is($i->{rdb_last_bgsave_time_sec}, -1, 'no time');
is($i->{rdb_current_bgsave_time_sec}, -1, 'none now');
is($i->{loading}, 0, 'not loading');
ok(abs($i->{rdb_last_save_time} - $began) < 5, 'the start counts');

fill($r);

my $changes = field($r, 'rdb_changes_since_last_save');
cmp_ok($changes, '>', 6700, 'changes');

my $digest = $r->cmd(qw/debug digest/);
my $expiries = expiries($r);

sleep 1.1;
is($r->cmd('save'), '+OK', 'save');

$i = persistence($r);
is($i->{rdb_changes_since_last_save}, 0, 'no changes since');
is($i->{rdb_saves}, 1, 'one was written');
is($i->{rdb_last_bgsave_status}, 'ok', 'status');
cmp_ok($i->{rdb_last_save_time}, '>=', int $began + 1, 'time');
is($r->cmd('lastsave'), ":$i->{rdb_last_save_time}", 'LASTSAVE');
is($r->cmd(qw/debug digest/), $digest, 'nothing has changed by it');
is(left_behind(), '', 'no file is left behind');

$r->cmd(qw/set after 1/);
is(field($r, 'rdb_changes_since_last_save'), 1, 'one change');

$s->stop;

$s = server();
$r = loaded($s);
is($r->cmd(qw/debug digest/), $digest, 'the digest after a restart');
is(expiries($r), $expiries, 'expiries');
is($r->cmd(qw/get after/), '$-1', 'not what came after it');
is(field($r, 'rdb_changes_since_last_save'), 0, 'loading is no change');

$i = persistence($r);
is($i->{rdb_last_load_keys_expired}, 0, 'none has expired');
cmp_ok($i->{rdb_last_load_keys_loaded}, '>', 6700, 'loaded');

# a redis-server

SKIP: {
    skip 'redis-server is not installed', 3 if !found('redis-server');

    my $q = redis();
    is($q->cmd(qw/debug digest/), $digest, 'redis-server loads it');
    is(expiries($q), $expiries, 'and has the same expiries');
    $q->cmd(qw/set from redis/);
    $q->cmd(qw/set soon gone px 700/);
    my $theirs = $q->cmd(qw/debug digest/);
    is($q->cmd('save'), '+OK', 'it saves');
    redis_stop();
    $s->stop;

    sleep 0.8;
    $s = server();
    $r = loaded($s);
    is($r->cmd(qw/get from/), '$5 redis', 'we load its file');
    is($r->cmd(qw/exists soon/), ':0', 'but for what has expired');
    is(field($r, 'rdb_last_load_keys_expired'), 1, 'which is counted');
    $r->cmd(qw/del from/);
    is($r->cmd(qw/debug digest/), $digest, 'the digest');
}

# replies

my @replies = (
    [ '-ERR wrong number of arguments for \'save\' command', qw(save x) ],
    [ '-ERR syntax error', qw(bgsave x) ],
    [ '-ERR syntax error', qw(bgsave schedule x) ],
    [ '-ERR wrong number of arguments for \'lastsave\' command',
      qw(lastsave x) ],
    [ '-ERR wrong number of arguments for \'bgrewriteaof\' command',
      qw(bgrewriteaof x) ],
    [ '+OK', 'multi' ],
    [ '-ERR Command not allowed inside a transaction', 'save' ],
    [ '-EXECABORT Transaction discarded because of previous errors.',
      'exec' ],
    [ '+OK', 'multi' ],
    [ '+QUEUED', 'bgsave' ],
    [ '+QUEUED', 'bgsave', 'x' ],
    [ '+QUEUED', 'bgsave' ],
    [ '+QUEUED', 'bgsave', 'schedule' ],
    [ '*4 +Background saving scheduled -ERR syntax error '
      . '+Background saving scheduled +Background saving scheduled', 'exec' ],
);

is($r->cmd(@$_[1 .. $#$_]), $_->[0], "@$_[1 .. $#$_]") for @replies;

ok(written($s, $r), 'what EXEC scheduled is done');
is(field($r, 'rdb_last_bgsave_status'), 'ok', 'well');

is(join(' ', $r->pipe(['bgsave'], ['bgsave'], [qw(bgsave schedule)])),
    '+Background saving started -ERR Background save already in progress '
    . '-ERR Background save already in progress', 'one is enough');
ok(written($s, $r), 'written');

# the instant, while others write

is($r->cmd('flushall'), '+OK', 'flushall');
is($r->cmd(qw/debug populate 300000 key 20/), '+OK', 'populate');
$r->pipe(map { [ 'set', "account:$_", 1000 ] } 0 .. 999);
$r->pipe([qw(select 3)], [qw(set gone 1)], (map { [ 'set', "old:$_", 'x' x 3000 ] }
    1 .. 300), [qw(select 4)], [qw(set in 4)], [qw(select 0)],
    [ 'set', 'big', 'b' x 2000000 ]);
my $all = $r->value('dbsize');

my $writer = fork // die "fork: $!\n";

if ($writer == 0) {
    my $w = $s->client;
    my $end = time + 6;

    while (time < $end) {
        my ($from, $to, $n) = (int rand 1000, int rand 1000, 1 + int rand 50);
        $w->pipe(['multi'], [ 'decrby', "account:$from", $n ],
                 [ 'incrby', "account:$to", $n ], ['exec'],
                 [ 'append', 'key:' . int rand 300000, 'more' ],
                 [ 'expire', 'key:' . int rand 300000, 1000 ]);
    }

    _exit(0);
}

sleep 0.3;
my @at = $r->pipe(['bgsave'], [qw(info persistence)]);
is($at[0], '+Background saving started', 'bgsave');
$s->until(sub { field($r, 'current_save_keys_total') > 0
                || field($r, 'rdb_saves') > 4 });
is($r->cmd(qw/swapdb 3 4/), '+OK', 'swapdb');
is($r->cmd(qw/rename big small/), '+OK', 'rename');
is($r->cmd(qw/set big anew/), '+OK', 'set');
ok(written($s, $r), 'written while others write');
is(field($r, 'rdb_last_bgsave_status'), 'ok', 'well');
is(left_behind(), '', 'no file is left behind');
kill KILL => $writer;
waitpid $writer, 0;

$s->stop;
$s = server();
$r = loaded($s);

my $sum = 0;
$sum += $_ for @{ $r->value('mget', map { "account:$_" } 0 .. 999) };
is($sum, 1000000, 'no transfer is half in it');
is($r->value('dbsize'), $all, 'all keys are');
is($r->cmd(qw/strlen big/), ':2000000', 'before it was renamed');
is($r->cmd(qw/exists small/), ':0', 'and only there');
$r->cmd(qw/select 3/);
is($r->cmd('dbsize'), ':301', 'before it was swapped');
$r->cmd(qw/select 0/);

# FLUSHALL while it is written: what was is in the file

$digest = $r->cmd(qw/debug digest/);
is($r->cmd('bgsave'), '+Background saving started', 'bgsave');
ok($s->until(sub { field($r, 'current_save_keys_total') > 0
                   || field($r, 'rdb_saves') }), 'begun');
is($r->cmd('flushall'), '+OK', 'flushall');
ok(written($s, $r), 'written');
is($r->cmd('dbsize'), ':0', 'all is gone');
$s->stop;
$s = server();
$r = loaded($s);
is($r->cmd(qw/debug digest/), $digest, 'all is in the file');

# the worker that writes dies

my ($killed, $tries) = (0, 0);

while (!$killed && $tries++ < 10) {
    unlink $file;
    $r = $s->client(timeout => 30);
    $r->cmd('bgsave');

    my ($temp, $pid);
    $s->until(sub { ($temp) = glob "$dir/temp-*.rdb"; $temp || -f $file }, 5);
    ($pid) = ($temp // '') =~ /temp-(\d+)\.rdb/ or next;

    kill STOP => $pid;
    $killed = !-f $file;
    kill CONT => $pid if !$killed;
    next if !$killed;

    $s->kill_worker($pid);
}

ok($killed, 'killed the worker that writes') or diag("tries: $tries");
$r = $s->client(timeout => 30);
ok($s->until(sub { -f $file }, 20), 'another one wrote the file');
ok(written($s, $r), 'that is all');
is($r->cmd(qw/debug digest/), $digest, 'the keys are as they were');
is(left_behind(), '', 'no file is left behind');
is(field($r, 'rdb_last_bgsave_status'), 'ok', 'status');

$s->stop;
$s = server();
$r = loaded($s);
is($r->cmd(qw/debug digest/), $digest, 'the file is whole');
$s->stop;

END {
    my $status = $?;
    redis_stop() if $peer;
    $? = $status;
}

done_testing();
