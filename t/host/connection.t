#!/usr/bin/perl

# The way of the bytes: ends, splits, TLS, unix sockets, nginx's options.
# workers: 1 2

use strict;
use warnings;

use IPC::Open2;
use Olivine;

my $dir = "$Olivine::top/build/t/connection-"
    . join '-', map { $_ // '' } @ENV{qw(OLIVINE_HOST OLIVINE_WORKERS)};

mkdir $dir;
my $tls = system("openssl req -x509 -newkey rsa:2048 -nodes -days 2"
    . " -subj /CN=localhost -keyout $dir/key -out $dir/crt"
    . " >/dev/null 2>&1") == 0;

my $port = port(1);
my $path = "$dir/socket";
unlink $path;

my $s = olivine(stream => "server { listen unix:$path; olivine main; }"
    . ($tls ? "server { listen 127.0.0.1:$port ssl; ssl_certificate $dir/crt;"
              . " ssl_certificate_key $dir/key; olivine main; }" : ''));

# splits

my $r = $s->client;
my $frame = $r->frame('echo', 'some text');

for my $at (1 .. length($frame) - 1) {
    $r->write(substr $frame, 0, $at);
    select undef, undef, undef, 0.002;
    $r->write(substr $frame, $at);
    my $reply = $r->reply;
    next if defined $reply && $reply eq '$9 some text';
    is($reply, '$9 some text', "a command split at $at");
}

pass('a command split at any byte');

# a long pipeline, more than any buffer

my @all = $r->pipe(map { [ 'echo', $_ ] } 1 .. 20000);
is(scalar(@all), 20000, 'twenty thousand commands at once');
is($all[-1], '$5 20000', 'in order');

# half-close: what was sent is answered, then the connection is closed

my $half = $s->client;
$half->write(join '', map { $half->frame('echo', $_) } 1 .. 500);
$half->half_close;
is(scalar(() = $half->rest =~ /\$/g), 500, 'half-close: every reply');
ok($half->{eof}, 'half-close: then the end');

$half = $s->client;
$half->write("*1\r\n\$4\r\nPI");
$half->half_close;
ok($half->closed, 'half-close in a command');

# quit

my $q = $s->client;
$q->write($q->frame('ping') . $q->frame('quit') . $q->frame('ping') x 5000);
is($q->rest, "+PONG\r\n+OK\r\n", 'quit: nothing after it, and no reset');

# broken protocol

my $broken = $s->client;
$broken->write("*x\r\n" . 'y' x 100000);
like($broken->rest, qr/^-ERR Protocol error: invalid multibulk length\r\n\z/,
    'a broken protocol: the reason comes through');

# a connection reset by the client

my $reset = $s->client;
is($reset->cmd('ping'), '+PONG', 'a client');
setsockopt $reset->socket, Socket::SOL_SOCKET(), Socket::SO_LINGER(),
    pack('ii', 1, 0);
$reset->close;
is($r->cmd('ping'), '+PONG', 'is gone by a reset, others stay');

# unix socket

my $u = client(0, path => $path);
is($u->cmd('ping'), '+PONG', 'a unix socket');
like($u->value('client', 'info'), qr{ addr=\Q$path\E:0 laddr=\Q$path\E:0 },
    'its addresses');
like($r->value('client', 'info'), qr{ addr=127\.0\.0\.1:\d+
    \ laddr=127\.0\.0\.1:$s->{port}\ }x, 'those of a TCP connection');

# TLS

SKIP: {
    skip 'there is no openssl', 3 if !$tls;

    my $pid = open2(my $from, my $to, "openssl s_client -quiet -connect"
                    . " 127.0.0.1:$port 2>/dev/null");

    print $to $r->frame('echo', 'over TLS') . $r->frame('set', 'big',
        'x' x 200000);
    $to->flush;

    is(join('', map { scalar <$from> } 1 .. 3), "\$8\r\nover TLS\r\n+OK\r\n",
        'TLS');

    print $to $r->frame('get', 'big') x 20 . $r->frame('quit');
    $to->flush;

    local $/;
    my $all = <$from>;

    is(length $all, 20 * (9 + 200002) + 5, 'big replies over TLS');
    is(substr($all, -5), "+OK\r\n", 'and quit');

    waitpid $pid, 0;
}

$s->stop;

# nginx's ways to accept

for my $events ('accept_mutex on;', 'multi_accept on;') {
    my $s = olivine(events => $events);
    my @clients = map { $s->client } 1 .. 50;

    is(scalar(grep { $_->cmd('ping') eq '+PONG' } @clients), 50, $events);
    $s->stop;
}

# one process

my $one = olivine(main => 'master_process off;');
my $c = $one->client;
is($c->cmd('ping'), '+PONG', 'without a master');
$one->stop('QUIT');

done_testing();
