#!/usr/bin/perl

# Snapshots that cannot be written, files that cannot be loaded, and "save".
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);
use POSIX qw(_exit);
use Time::HiRes qw(sleep time);

my $host = $ENV{OLIVINE_HOST} || 'standalone';
my $dir = "$Olivine::top/build/t/refused-$host";
my $file = "$dir/dump.rdb";
my ($peer, $misconf);

File::Path::remove_tree($dir, "$dir-away");
File::Path::make_path($dir);
chmod 0777, $dir;

$misconf = '-MISCONF Redis is configured to save RDB snapshots, but it\'s '
    . 'currently unable to persist to disk. Commands that may modify the '
    . 'data set are disabled, because this instance is configured to report '
    . 'errors during writes if RDB snapshotting fails '
    . '(stop-writes-on-bgsave-error option). Please check the Redis logs for '
    . 'details about the RDB error.';


sub server {
    my ($params, @rest) = @_;

    return olivine(params => { dir => $dir, save => '',
                               'enable-debug-command' => 'yes',
                               %{ $params || {} } }, @rest);
}


sub field {
    my ($r, $name) = @_;
    my ($value) = $r->value('info', 'persistence') =~ /^$name:(.*)\r$/m;
    return $value;
}


sub written {
    my ($s, $r) = @_;
    return $s->until(sub { !field($r, 'rdb_bgsave_in_progress') }, 20);
}


# save points

my $s = server({ save => [ 1, 5 ] });
my $r = $s->client;

$s->until(sub { $r->cmd('ping') eq '+PONG' });
$r->pipe(map { [ 'set', $_, 1 ] } 1 .. 4);
sleep 2.5;
ok(!-f $file, 'four changes are not enough');
is(field($r, 'rdb_changes_since_last_save'), 4, 'four changes');
is($r->cmd(qw/set 5 1/), '+OK', 'the fifth');
ok($s->until(sub { -f $file }, 5), 'is enough');
ok($s->until(sub { field($r, 'rdb_saves') == 1 }, 5), 'one was written');
is(field($r, 'rdb_changes_since_last_save'), 0, 'no changes are left');
is($r->cmd('config', 'set', 'save', ''), '+OK', 'no save points');
$r->pipe(map { [ 'set', $_, 1 ] } 1 .. 9);
sleep 2.2;
is(field($r, 'rdb_saves'), 1, 'none is written without');

# there is no folder

rename $dir, "$dir-away" or die "$dir: $!\n";

is($r->cmd('bgsave'), '+Background saving started', 'bgsave');
ok(written($s, $r), 'ended');
is(field($r, 'rdb_last_bgsave_status'), 'err', 'badly');
is(field($r, 'rdb_saves'), 1, 'not counted as written');
is($r->cmd(qw/set k v/), $misconf, 'writes are refused');
is($r->cmd(qw/get 1/), '$1 1', 'reads are not');
is($r->cmd('multi'), '+OK', 'multi');
is($r->cmd(qw/set k v/), $misconf, 'set');
is($r->cmd('exec'),
    '-EXECABORT Transaction discarded because of previous errors.', 'exec');
is($r->cmd('save'), '-ERR', 'SAVE fails, too');
like($s->log, qr/olivine: .*temp-\d+\.rdb.*No such file or directory/,
    'the log says why');

is($r->cmd(qw/config set stop-writes-on-bgsave-error no/), '+OK', 'no');
is($r->cmd(qw/set k v/), '+OK', 'then writes go on');
is($r->cmd(qw/config set stop-writes-on-bgsave-error yes/), '+OK', 'yes');
is($r->cmd(qw/set k v/), $misconf, 'and are refused');

rename "$dir-away", $dir or die "$dir: $!\n";

is($r->cmd('bgsave'), '+Background saving started', 'bgsave');
ok(written($s, $r), 'ended');
is(field($r, 'rdb_last_bgsave_status'), 'ok', 'well');
is($r->cmd(qw/set k v/), '+OK', 'writes are taken again');

# a folder in the place of the file

my $one = Olivine::read_file($file);
unlink $file;
mkdir $file;
Olivine::write_file("$file/in", '');
is($r->cmd('save'), '-ERR', 'SAVE cannot replace a folder');
is(field($r, 'rdb_last_bgsave_status'), 'err', 'and says so');
is(join(' ', glob "$dir/temp-*"), '', 'no file is left behind');
unlink "$file/in";
rmdir $file;
is($r->cmd('save'), '+OK', 'the next one can');
is($r->cmd(qw/set k v/), '+OK', 'and that is over');

# many keys, so that damage is in the midst

is($r->cmd(qw/debug populate 3000 key 100/), '+OK', 'populate');
is($r->cmd('save'), '+OK', 'save');
$s->stop;

my $good = Olivine::read_file($file);
my $len = length $good;


# A start with that file is refused, and leaves it alone.

sub refused {
    my ($name, $bytes, $what, %params) = @_;

    Olivine::write_file($file, $bytes);

    my $s = server(\%params, fails => 1,
                   expect => [ qr/olivine: ".*dump\.rdb"/,
                               qr/exited with fatal code/ ]);

    if ($host eq 'standalone') {
        my $status = $s->wait(15);
        ok($status, "$name: it ends, not well") or diag($status // 'it runs');

    } else {
        my $r;
        $s->until(sub { $r = eval { $s->client } });
        ok($s->until(sub { $r->cmd('get', 'k') !~ /^-LOADING/ }),
            "$name: answers");
        is($r->cmd('get', 'k'), '-MISCONF The files could not be loaded, the '
            . 'error log says why', "$name: by an error");
        is($r->cmd('set', 'k', 1), '-MISCONF The files could not be loaded, '
            . 'the error log says why', "$name: to writes, too");
        like($r->cmd('save'), qr/^-MISCONF /, "$name: no SAVE");
        $s->kill_worker;
        $r = $s->client;
        $s->until(sub { $r->cmd('get', 'k') !~ /^-LOADING/ });
        like($r->cmd('get', 'k'), qr/^-MISCONF /, "$name: still, later");
        $s->stop;
    }

    like($s->log, qr/\[emerg\].*olivine: "\Q$file\E" cannot be loaded: $what/,
        "$name: the log says where");
    ok(Olivine::read_file($file) eq $bytes, "$name: the file stays");
}


refused('cut', substr($good, 0, $len / 2),
    'at offset \d+: the file is too short, it ends within \w+');
refused('no end', substr($good, 0, $len - 9),
    'at offset \d+: the file is too short');

my $wrong = $good;
substr($wrong, $len / 2, 1) ^= "\x01";
refused('one bit', $wrong, 'at offset \d+: ', save => [ 1, 1 ]);
refused('nothing', '', 'at offset 0: the file is too short');
refused('something else', 'x' x 1000, 'at offset 0: it is no RDB file');

Olivine::write_file($file, $good);
$s = server();
$r = $s->client;
ok($s->until(sub { $r->cmd('ping') eq '+PONG' }), 'the good one');
is($r->cmd('dbsize'), ':3010', 'has all keys');
$s->stop;

# a list

SKIP: {
    my $redis = found('redis-server');
    skip 'redis-server is not installed', 3 if !$redis;

    my $port = Olivine::free_port();
    my $from = "$dir/redis";
    mkdir $from;
    $peer = fork // die "fork: $!\n";

    if ($peer == 0) {
        open STDOUT, '>', "$from/log";
        exec $redis, '--port', $port, '--bind', '127.0.0.1', '--save', '',
             '--dir', $from or _exit(127);
    }

    my $q;
    $s->until(sub { $q = eval { client($port) }; $q && $q->cmd('ping') });
    $q->cmd(qw/rpush l a b/);
    is($q->cmd('save'), '+OK', 'redis-server has a list');
    kill KILL => $peer;
    waitpid $peer, 0;
    undef $peer;

    refused('a list', Olivine::read_file("$from/dump.rdb"),
        'at offset \d+: the key "l" is a list.*, which is not known yet');
}

END {
    my $status = $?;
    kill KILL => $peer if $peer;
    $? = $status;
}

done_testing();
