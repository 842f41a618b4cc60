#!/usr/bin/perl

# Who may see the pages, and how they may be asked for.
# workers: 1

use strict;
use warnings;

use IO::Socket::INET;
use IO::Socket::UNIX;
use Olivine;
use Olivine::Http;

# the address that a packet for elsewhere would leave by; none is sent

my $out = IO::Socket::INET->new(Proto => 'udp', PeerAddr => '192.0.2.1',
                                PeerPort => 9);
my $address = $out ? $out->sockhost : '127.0.0.1';
my $other = $address !~ /^127\./;

my $port = port(0);
my $listen = $other ? "listen $address:$port;" : '';
my $host = $ENV{OLIVINE_HOST} || 'standalone';
my $unix = "/tmp/olivine-http-$$.sock";

my $s = olivine(main => '', http => <<HTTP);
server {
    listen 127.0.0.1:$port;
    listen unix:$unix;
    $listen
    location /status { olivine_status main; }
    location /metrics { olivine_metrics main; }
    location /debug/pprof/ { olivine_pprof main; }
    location /open/ { olivine_metrics main; allow all; }
    location /net/ { olivine_metrics main; allow $address; deny all; }
    location /closed/ { olivine_metrics main; deny all; }
    location /six/ { olivine_metrics main; allow ::1; }
    location /nested/ { olivine_metrics main; allow 127.0.0.1;
        allow $address; deny all;
        location /nested/inner/ { olivine_metrics main; }
        location /nested/if/ { olivine_metrics main; if (\$arg_x) { set \$y 1; } } }
    location ~ ^/any/.*metrics\$ { olivine_pprof main; }
    location ~ ^/any/ { olivine_pprof main; }
}
HTTP

my $h = Olivine::Http->new(port => $port);
my $there = Olivine::Http->new(port => $port, address => $address);

is($h->get($_)->{status}, 200, "$_ from here")
    for qw(/status /metrics /debug/pprof/ /open/ /six/ /nested/inner/
           /nested/if/?x=1);
is($h->get($_)->{status}, 403, "$_ from here is closed")
    for qw(/closed/ /net/);

my $socket = IO::Socket::UNIX->new(Peer => $unix);
syswrite $socket, "GET /metrics HTTP/1.0\r\n\r\n";
is(Olivine::Http::finish($socket)->{status}, 200, 'a unix socket');

SKIP: {
    skip('no address but 127.0.0.1', 9) if !$other;

    for (qw(/status /metrics /debug/pprof/ /debug/pprof/cmdline /six/)) {
        my $r = $there->get($_);
        is($r->{status}, 403, "$_ from elsewhere");
        like($r->{content}, qr/^403: only clients of this machine are served.*allow/s,
            'says what to do') if $_ eq '/metrics';
    }

    is($there->get($_)->{status}, 200, "$_ from elsewhere is opened")
        for qw(/open/ /net/ /nested/inner/);
}

# methods

my $r = $h->head('/metrics');
is($r->{status}, 200, 'HEAD');
is($r->{content} // '', '', 'has no body');
cmp_ok($r->{headers}{'content-length'}, '>', 0, 'but a length');

for (qw(POST PUT DELETE OPTIONS)) {
    is($h->request($_, '/metrics')->{status}, 405, $_);
    is($h->request($_, '/debug/pprof/')->{status}, 405, "$_ of a profile");
}

# headers

$r = $h->get('/metrics');
is($r->{headers}{'cache-control'}, 'no-store', 'nothing is kept');
is($r->{headers}{'x-content-type-options'}, 'nosniff', 'or guessed');
like($r->{headers}{'content-type'}, qr{^text/plain; version=0\.0\.4}, 'type');
like($r->{content}, qr/^redis_\w+ \d+$/m, 'a figure');
$r = $h->get('/status');
like($r->{headers}{'content-type'}, qr{^text/html}, 'of a page');

# paths

is($h->get('/debug/pprof')->{status}, 301, 'a missing slash');
is($h->get('/metrics/more')->{status}, 404, 'nothing below');
is($h->get('/debug/pprof/nothing')->{status}, 404, 'no such profile');
is($h->get('/debug/pprof/../pprof/cmdline')->{status}, 200, 'a way round');
is($h->get('/any/where/cmdline')->{status}, 200, 'an expression');

$r = $h->get('/debug/pprof/cmdline');
is((split /\0/, $r->{content})[1], '-p', 'the command line');
unlike($r->{content}, qr/\0\z/, 'has no zero byte at its end');

$r = $h->get('/debug/pprof/');
like($r->{content}, qr/<h1>Profiles of the zone "main"/, 'the list');

my @links = $r->{content} =~ /href="([^"]+)"/g;
ok(@links > 0, 'has links');
is($h->head("/debug/pprof/$_")->{status}, 200, $_) for @links;

# a worker without a slot says so; tests of crowds have that elsewhere

my $keep = $h->begin('/metrics');
is(Olivine::Http::finish($keep)->{status}, 200, 'HTTP/1.0');

done_testing();

unlink $unix;
