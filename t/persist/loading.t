#!/usr/bin/perl

# -LOADING while a big file is loaded, and the death of who loads it.
# workers: 2

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep time);

my $host = $ENV{OLIVINE_HOST} || 'standalone';
my $dir = "$Olivine::top/build/t/loading-$host";

File::Path::remove_tree($dir);
File::Path::make_path($dir);
chmod 0777, $dir;

my $loading = '-LOADING Redis is loading the dataset in memory';


sub server {
    return olivine(zone => '640m', loading => 1,
                   params => { dir => $dir, save => '', maxmemory => '500mb',
                               'enable-debug-command' => 'yes' });
}


sub field {
    my ($r, $name) = @_;
    my ($value) = $r->value('info', 'persistence') =~ /^$name:(.*)\r$/m;
    return $value;
}


sub loaded {
    my ($s, $r) = @_;
    return $s->until(sub { $r->cmd('ping') eq '+PONG' }, 60);
}


my $s = server();
my $r = $s->client(timeout => 60);

ok(loaded($s, $r), 'started');
is($r->cmd(qw/debug populate 2000000 key 20/), '+OK', 'populate');
$r->pipe([qw(select 5)], [qw(set last 5)], [qw(select 0)]);
my $digest = $r->cmd(qw/debug digest/);
is($r->cmd('save'), '+OK', 'save');
$s->stop;

$s = server();
$r = $s->client(timeout => 60);

is($r->cmd('ping'), $loading, 'PING');
is($r->cmd(qw/get key:1/), $loading, 'GET');
is($r->cmd(qw/set key:1 1/), $loading, 'SET');
is($r->cmd(qw/bgsave/), $loading, 'BGSAVE');
is($r->cmd('multi'), '+OK', 'MULTI');
is($r->cmd(qw/get key:1/), $loading, 'GET in it');
is($r->cmd('exec'),
    '-EXECABORT Transaction discarded because of previous errors.', 'EXEC');

my $info = $r->value('info', 'persistence');

like($info, qr/^loading:1\r$/m, 'loading:1');
like($info, qr/^loading_total_bytes:\d{7,}\r$/m, 'loading_total_bytes');
like($info, qr/^loading_start_time:\d{10}\r$/m, 'loading_start_time');
like($info, qr/^loading_loaded_perc:\d+\.\d\d\r$/m, 'loading_loaded_perc');

my $before = field($r, 'loading_loaded_bytes');
ok($s->until(sub { field($r, 'loading_loaded_bytes') > $before }, 5),
    'it goes on');

ok(loaded($s, $r), 'all is loaded');
is(field($r, 'loading'), 0, 'loading:0');
is(field($r, 'rdb_last_load_keys_loaded'), 2000001, 'all keys');
is($r->cmd(qw/debug digest/), $digest, 'the digest is the same');
$s->stop;

# who loads dies

$s = server();
$r = $s->client(timeout => 60);

ok($s->until(sub { field($r, 'rdb_last_load_keys_loaded') > 100000 }, 10),
    'loading');

my ($pid) = $s->log =~ /\[notice\] (\d+)#\d+: olivine: loading /;
my $pids = join ' ', $s->workers;
like($pids, qr/\b$pid\b/, 'by a worker');
ok($s->kill_worker($pid), 'it is killed');

$r = $s->client(timeout => 60);
ok(loaded($s, $r), 'another one loads all');
like($s->log, qr/a worker died while it loaded, it is begun again/,
    'from the start');
is(field($r, 'rdb_last_load_keys_loaded'), 2000001, 'counted once');
is($r->cmd(qw/debug digest/), $digest, 'the digest is the same');
is($r->cmd(qw/bgsave/), '+Background saving started', 'and goes on');
ok($s->until(sub { !field($r, 'rdb_bgsave_in_progress') }, 20), 'written');
is(field($r, 'rdb_last_bgsave_status'), 'ok', 'well');
$s->stop;

done_testing();
