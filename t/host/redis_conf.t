#!/usr/bin/perl

# hosts: standalone
# workers: 2

# a redis.conf: one of every directive, one of a distribution, wrong ones

use strict;
use warnings;

use Olivine;

my $dir = "$Olivine::top/build/t/redis_conf-files";
mkdir "$Olivine::top/build/t";
mkdir $dir;
mkdir "$dir/included";

sub conf {
    my ($name, $text) = @_;
    Olivine::write_file("$dir/$name", $text);
    return "$dir/$name";
}

conf('included/one.conf', "maxclients 333\n");
conf('included/two.conf', "databases 4\n");

my $all = conf('all.conf', <<"CONF");
# every directive that a redis.conf may have

include $dir/included/*.conf
include $dir/none/*.conf

bind 127.0.0.1 -::1 -192.0.2.77
protected-mode yes
port 1
tcp-backlog 100
unixsocket $dir/sock
unixsocketperm 700
timeout 0
tcp-keepalive 300
daemonize no
supervised auto
pidfile $dir/pid
loglevel notice
logfile ""
syslog-enabled no
syslog-ident olivine
syslog-facility local0
always-show-logo no
crash-log-enabled no
crash-memcheck-enabled no
set-proc-title yes
proc-title-template "{title} {listen-addr} {server-mode}"
locale-collate ""
dir "$dir"
save 3600 1 300 100
save 60 10000
stop-writes-on-bgsave-error yes
rdbcompression yes
rdbchecksum yes
sanitize-dump-payload no
dbfilename dump.rdb
rdb-del-sync-files no
masterauth "a secret"
masteruser default
replica-serve-stale-data yes
replica-read-only yes
repl-diskless-sync yes
repl-diskless-sync-delay 5
repl-diskless-sync-max-replicas 0
repl-diskless-load disabled
repl-ping-replica-period 10
repl-timeout 60
repl-disable-tcp-nodelay no
repl-backlog-size 1mb
repl-backlog-ttl 3600
replica-priority 100
propagation-error-behavior ignore
replica-ignore-disk-write-errors no
replica-announced yes
replica-announce-ip 5.5.5.5
replica-announce-port 1234
min-replicas-to-write 0
min-slaves-max-lag 10
tracking-table-max-keys 1000000
acllog-max-len 128
acl-pubsub-default resetchannels
aclfile ""
requirepass "s'e c\\x72et"
rename-command CONFIG ""
rename-command DEBUG hidden-debug
rename-command SLAVEOF ""
maxmemory 100mb
maxmemory-policy noeviction
maxmemory-samples 5
maxmemory-eviction-tenacity 10
maxmemory-clients 5%
active-expire-effort 1
lazyfree-lazy-eviction no
lazyfree-lazy-expire no
lazyfree-lazy-server-del no
replica-lazy-flush no
lazyfree-lazy-user-del no
lazyfree-lazy-user-flush no
io-threads 2
io-threads-do-reads no
oom-score-adj no
oom-score-adj-values 0 200 800
disable-thp yes
appendonly no
appendfilename "appendonly.aof"
appenddirname "appendonlydir"
appendfsync everysec
no-appendfsync-on-rewrite no
auto-aof-rewrite-percentage 100
auto-aof-rewrite-min-size 64mb
aof-load-truncated yes
aof-use-rdb-preamble yes
aof-timestamp-enabled no
shutdown-timeout 10
shutdown-on-sigint default
shutdown-on-sigterm nosave force
lua-time-limit 5000
cluster-enabled no
cluster-config-file nodes-6379.conf
cluster-node-timeout 15000
cluster-replica-validity-factor 10
slowlog-log-slower-than 10000
slowlog-max-len 128
latency-monitor-threshold 0
latency-tracking yes
latency-tracking-info-percentiles 50 99 99.9
notify-keyspace-events "KEA"
hash-max-ziplist-entries 512
hash-max-listpack-value 64
list-max-listpack-size -2
list-compress-depth 0
set-max-intset-entries 512
set-max-listpack-entries 128
set-max-listpack-value 64
zset-max-listpack-entries 128
zset-max-listpack-value 64
hll-sparse-max-bytes 3000
stream-node-max-bytes 4096
stream-node-max-entries 100
activerehashing yes
client-output-buffer-limit normal 0 0 0
client-output-buffer-limit replica 256mb 64mb 60
client-output-buffer-limit pubsub 32mb 8mb 60
client-query-buffer-limit 1gb
proto-max-bulk-len 512mb
hz 10
dynamic-hz yes
aof-rewrite-incremental-fsync yes
rdb-save-incremental-fsync yes
activedefrag no
active-defrag-ignore-bytes 100mb
jemalloc-bg-thread yes
server-cpulist 0-7:2
bio-cpulist 1,3
ignore-warnings ARM64-COW-BUG
tls-port 0
tls-replication no
enable-protected-configs no
enable-debug-command local
enable-module-command no
CONF

my $s = olivine(file => $all);
my $r = $s->client;

is($r->cmd(qw/get k/), '-NOAUTH Authentication required.',
    'it starts, and asks for the password');
is($r->cmd('auth', "s'e cret"), '+OK', 'with its quotes undone');
is($r->cmd(qw/config get dir/),
    "-ERR unknown command 'config', with args beginning with: 'get' 'dir' ",
    'a command was taken away');
like($r->cmd(qw/debug sleep 0/), qr/^-ERR unknown command/, 'another');
is($r->cmd(qw/hidden-debug sleep 0/), '+OK', 'has a new name');
is($r->cmd(qw/HIDDEN-DEBUG sleep 0/), '+OK', 'in any case');
is($r->cmd(qw/select 4/), '-ERR DB index is out of range', 'databases');

# a line of the log is not as long as all these names

my @idle = map { split /, / }
    $s->log =~ /without use in this version: (.*)/g;
my %idle;

$idle{$_}++ for @idle;

is(join(' ', grep { $idle{$_} > 1 } @idle), '',
    'what is of no use is named once');
ok($idle{$_}, "$_ is")
    for qw(always-show-logo oom-score-adj jemalloc-bg-thread
           hash-max-listpack-entries cluster-node-timeout);
ok(!$idle{$_}, "$_ is of use")
    for qw(bind timeout requirepass maxmemory dir unixsocket protected-mode
           appendfsync save);

my @stat = stat "$dir/sock";
is(sprintf('%o', $stat[2] & 07777), '700', 'rights of the unix socket');
like($s->log, qr/there is no command "SLAVEOF"/,
    'a command there is not needs no taking away');

$s->stop;

ok(!-e "$dir/sock", 'the unix socket is gone with the server');

# a socket that was left behind is no obstacle

use IO::Socket::UNIX;

my $left = IO::Socket::UNIX->new(Local => "$dir/sock", Listen => 1);
close $left;
ok(-e "$dir/sock", 'a unix socket was left');

$s = olivine(args => [ '--unixsocket', "$dir/sock" ]);

my $unix = IO::Socket::UNIX->new(Peer => "$dir/sock");
ok($unix, 'and is there again');
print $unix "PING\r\n";
is(scalar <$unix>, "+PONG\r\n", 'with a server behind it');
close $unix;
$s->stop;

# the one of the distribution

SKIP: {
    my $debian = '/etc/redis/redis.conf';

    skip("no $debian", 3) unless -r $debian;

    open my $in, '<', $debian or die "$debian: $!\n";
    my $text = do { local $/; <$in> };

    # its folders belong to another server
    mkdir "$dir/lib";
    $text =~ s{/var/lib/redis}{$dir/lib}g;
    $text =~ s{/run/redis}{$dir}g;
    $text =~ s{^daemonize yes}{daemonize no}m;
    $text =~ s{^logfile .*}{}m;

    $s = olivine(file => conf('debian.conf', $text));
    $r = $s->client;

    is($r->cmd(qw/set k v/), '+OK', 'the redis.conf of Debian starts it');
    is($r->cmd(qw/config get dir/), '*2 $3 dir $' . length("$dir/lib")
        . " $dir/lib", 'and is taken over');
    like($s->log, qr/without use in this version: always-show-logo, /,
        'what is of no use is named');
    $s->stop;
}

# what is wrong is refused, with its place

my $binary = $ENV{OLIVINE_BINARY} || 'build/olivine';
$binary = "$Olivine::top/$binary" if $binary !~ m{^/};

sub refused {
    my ($text, $says) = @_;
    my $file = conf('wrong.conf', $text);
    my $said = `$binary $file --print-config 2>&1`;

    is($? >> 8, 1, "refused: $says");
    like($said, qr/^olivine: \Q$says\E/, $says);
}

my $file = "$dir/wrong.conf";

refused("port 1\n\nmaxmemori 1mb\n",
    "$file:3: unknown parameter \"maxmemori\", did you mean \"maxmemory\"?");
refused("port 1\nport x\n", "$file:2: wrong value \"x\" of \"port\": "
    . "argument couldn't be parsed into an integer");
refused("port\n", "$file:1: wrong number of values for \"port\"");
refused("cluster-enabled yes\n",
    "$file:1: \"cluster-enabled\": this version is no cluster");
refused("requirepass \"x\n", "$file:1: unbalanced quotes");
refused("include $dir/none.conf\n", "$file:1: cannot open");
refused("include $file\n", "$file:1: \"$file\" is included by itself");

# the standard input, which a reload finds again

Olivine::write_file("$dir/input", "timeout 9\ntcp-keepalive 11\n");

$s = olivine(file => $all, args => [ qw(--timeout 8 -) ],
             input => "$dir/input");
$r = $s->client;
$r->cmd('auth', "s'e cret");
is($r->cmd(qw/ping/), '+PONG', 'a file and the standard input');
ok($s->reload, 'reload');
ok(!grep({ /\[emerg\]/ } split /\n/, $s->log), 'and again');
$s->stop;

$s = olivine(args => [ qw(--timeout 8 -) ], input => "$dir/input");
$r = $s->client;

for ('started', 'reloaded', 'reloaded again') {
    is($r->cmd(qw/config get timeout tcp-keepalive/),
        '*4 $13 tcp-keepalive $2 11 $7 timeout $1 8', "standard input: $_");
    ok($s->reload, 'reload');
    $r = $s->client;
}

$s->stop;

my $said = `printf 'port 7\\ntimeout 9\\n' | $binary --timeout 8 --print-config -`;
like($said, qr/listen  \*:7 /, 'from the standard input');
like($said, qr/timeout  8;/, 'options overrule it');

done_testing();
