#!/usr/bin/perl

# hosts: standalone
# workers: 2

# going to the background, and who is told when the server is ready

use strict;
use warnings;

use IO::Socket::UNIX;
use Socket;
use Olivine;
use Time::HiRes qw(sleep);

my $dir = "$Olivine::top/build/t/daemonize-files";
mkdir "$Olivine::top/build/t";
mkdir $dir;
unlink glob "$dir/*";

my $binary = $ENV{OLIVINE_BINARY} || 'build/olivine';
$binary = "$Olivine::top/$binary" if $binary !~ m{^/};

my $port = port(0);
my @command = ($binary, '--port', $port, '--bind', '127.0.0.1', '--http',
               'off', '--workers', 2, '--maxmemory', '64mb', '--dir', $dir,
               '--pidfile', "$dir/pid");
my $pid;

END {
    # whatever went wrong above
    kill KILL => $pid, Olivine::children($pid) if $pid;
}

sub slurp {
    open my $in, '<', $_[0] or return '';
    local $/;
    return scalar(<$in>) // '';
}

sub run {
    my (@more) = @_;

    my $child = fork // die "fork: $!\n";

    if ($child == 0) {
        open STDOUT, '>', "$dir/out";
        open STDERR, '>&', \*STDOUT;
        exec @command, @more;
        exit 127;
    }

    waitpid $child, 0;
    return $? >> 8;
}

sub gone {
    my ($pid) = @_;

    for (1 .. 500) {
        return 1 if !kill 0 => $pid;
        sleep 0.02;
    }

    return 0;
}

# it listens when the command returns

is(run('--daemonize', 'yes', '--logfile', "$dir/log"), 0, 'started');
is(client($port)->cmd('ping'), '+PONG', 'it serves at once');

chomp($pid = slurp("$dir/pid"));
like($pid, qr/^\d+$/, 'a pid file');
is(slurp("$dir/out"), '', 'nothing said');
like(slurp("$dir/log"), qr/start worker process/, 'a log');
is(readlink "/proc/$pid/fd/2", "$dir/log", 'the terminal is let go');
unlike(slurp("$dir/log"), qr/unknown process/, 'nothing odd in it');

ok(kill(0 => $pid), 'the master runs');

my $title = Olivine::title($pid);
like($title, qr/^nginx: master process/, 'and is one of nginx');

# a second one does not come up, and says so

is(run('--daemonize', 'yes', '--logfile', "$dir/log2", '--pidfile',
       "$dir/pid2"), 1, 'its folder is taken');
like(slurp("$dir/out") . slurp("$dir/log2"), qr/another server keeps its files in/,
    'which is told');
is(client($port)->cmd('ping'), '+PONG', 'the first one is well');

kill TERM => $pid;
ok(gone($pid), 'it ends');
ok(!-e "$dir/pid", 'with its pid file');
undef $pid;

# a pid file that cannot be is told, and no obstacle

is(run('--daemonize', 'yes', '--logfile', "$dir/log", '--pidfile',
       "$dir/none/pid"), 0, 'a pid file in no folder');
like(slurp("$dir/out"), qr/^olivine: no pidfile /, 'is told');

my ($main) = slurp("$dir/log") =~ /.* (\d+)#\d+: start worker processes/s;
$pid = $main;
like(client($port)->cmd('ping'), qr/^(?:\+PONG|-LOADING)/, 'it serves');
kill TERM => $pid;
ok(gone($pid), 'it ends');
undef $pid;

# systemd: at a path, at an abstract address, and as our own unit says

my $unit = slurp("$Olivine::top/packaging/olivine.service");
$unit =~ s/\\\n//g;

my ($start) = $unit =~ /^ExecStart=(.*)/m;
$start =~ s{\@PREFIX\@/bin/olivine}{$binary};
$start =~ s{/etc/olivine/redis.conf}{$dir/redis.conf};
$start =~ s{/run/olivine/}{$dir/};
$start = [ split ' ', $start ];

Olivine::write_file("$dir/redis.conf", "port $port\nbind 127.0.0.1\n"
    . "http off\nmaxmemory 64mb\ndaemonize yes\ndir $dir\n");

my $ours = [ @command, qw(--supervised auto --daemonize yes) ];

for ([ "$dir/notify", $ours ], [ "\@olivine-test-$$", $ours ],
     [ "$dir/notify", $start ])
{
    my ($path, $run) = @$_;
    my $name = $path;
    $name =~ s/^\@/\0/;
    unlink $name if $path !~ m{^\@};

    socket my $notify, AF_UNIX, SOCK_DGRAM, 0 or die "socket: $!\n";
    bind $notify, pack_sockaddr_un($name) or die "bind: $!\n";

    local $ENV{NOTIFY_SOCKET} = $path;

    my $child = fork // die "fork: $!\n";

    if ($child == 0) {
        open STDOUT, '>', "$dir/out";
        open STDERR, '>&', \*STDOUT;
        exec @$run;
        exit 127;
    }

    $pid = $child;

    local $SIG{ALRM} = sub { die "systemd was not told\n" };
    alarm 20;
    recv $notify, my $said, 256, 0;
    alarm 0;

    is($said, "READY=1\nMAINPID=$child\n", "told at $path");
    like(client($port)->cmd('ping'), qr/^(?:\+PONG|-LOADING)/,
        'it listens by then');

    kill TERM => $child;
    waitpid $child, 0;
    is($?, 0, 'it stayed in the foreground, and ended well');
    undef $pid;
}

done_testing();
