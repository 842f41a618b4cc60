#!/usr/bin/perl

# The standalone's pages: --http, --http-allow, and a port that is taken.
# hosts: standalone
# workers: 1

use strict;
use warnings;

use IO::Socket::INET;
use Olivine;
use Olivine::Http;

my $port = port(0);
my $s = olivine(args => [ '--http', "127.0.0.1:$port" ]);
my $h = Olivine::Http->new(port => $port);

is($h->get($_)->{status}, 200, $_) for qw(/ /metrics /debug/pprof/ /status);
like($h->get('/status')->{content}, qr/^Active connections: \d+/,
    'nginx has its own figures');
like($h->get('/')->{headers}{'content-type'}, qr{^text/html}, 'the page');
is($h->get('/nothing')->{status}, 404, 'there is no other');
is($h->post('/status', 'x')->{status}, 405, 'nothing is taken');

ok($s->reload, 'a reload');
is($h->get('/metrics')->{status}, 200, 'keeps them');

# a second server with the same address

my $second = olivine(args => [ '--http', "127.0.0.1:$port" ], fails => 1,
    expect => [ qr/\[emerg\].*(?:bind|bound|holds)/ ]);

is($second->wait(20), 1, 'another server does not get the port');
like($second->log, qr/127\.0\.0\.1:$port is to be the address of the status pages: "--http ADDR:PORT" gives them another one, "--http off" none/,
    'is told what to do');
is($s->client->cmd('ping'), '+PONG', 'the first goes on');

# the address that nobody asked for is no reason not to start

my $taken = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
    LocalPort => 6060, Proto => 'tcp', Listen => 1, ReuseAddr => 1);

my $third = olivine(conf => "maxmemory 64mb\nbind 127.0.0.1\n", args => []);

is($third->client->cmd('ping'), '+PONG', 'the default address is taken');
like($third->log, qr/olivine: no status pages: 127\.0\.0\.1:6060 is taken, "--http ADDR:PORT" gives them another address/,
    'that is said');

close $taken if $taken;
ok($third->reload, 'it may be free at a reload');
is($third->client->cmd('ping'), '+PONG', 'that changes nothing');
ok(!IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => 6060,
    Proto => 'tcp'), 'for as long as this server lives') if $taken;

# others

my $try = "$Olivine::top/build/olivine";
$try = $ENV{OLIVINE_BINARY} if $ENV{OLIVINE_BINARY};

like(scalar `$try --http-allow 10.0.0.0/8 --print-config`,
    qr/allow  10\.0\.0\.0\/8;\n        deny   all;/, '--http-allow');
like(scalar `$try --http-allow nobody --print-config 2>&1`,
    qr/^olivine: "http-allow" is addresses, networks .*not "nobody"$/m,
    'a wrong one');

done_testing();
