#!/usr/bin/perl

# protected-mode: without a password only this machine's clients are served

use strict;
use warnings;

use IO::Socket::INET;
use Olivine;

# the address that a packet for elsewhere would leave by; none is sent

my $out = IO::Socket::INET->new(Proto => 'udp', PeerAddr => '192.0.2.1',
                                PeerPort => 9);
my $address = $out ? $out->sockhost : '127.0.0.1';

plan(skip_all => 'no address but 127.0.0.1') if $address =~ /^127\./;

my $port = port(0);
my $s = olivine(port => $port, ($ENV{OLIVINE_HOST} || 'standalone')
                    eq 'module'
    ? (stream => "server { listen $address:$port; olivine main; }")
    : (args => [ '--bind', '127.0.0.1', $address ]));
my $r = $s->client;

sub there {
    my $socket = IO::Socket::INET->new(PeerAddr => $address,
                                       PeerPort => $port, Timeout => 5)
        or die "$address:$port: $!\n";
    print $socket "PING\r\n";
    return $socket;
}

my $there = there();
my $said = <$there>;

like($said, qr/^-DENIED Redis is running in protected mode because /,
    'a client of another machine is turned away');
is(scalar <$there>, undef, 'and closed');
like($r->cmd(qw/info stats/), qr/rejected_connections:1\b/, 'and counted');

is($r->cmd(qw/config set protected-mode no/), '+OK', 'no protection');
$there = there();
is(scalar <$there>, "+PONG\r\n", 'it is served');

is($r->cmd(qw/config set protected-mode yes requirepass x/), '+OK',
    'protection, but a password');
is($r->cmd(qw/auth x/), '+OK', 'known');
$there = there();
is(scalar <$there>, "-NOAUTH Authentication required.\r\n",
    'it has to know it');

is($r->cmd('config', 'set', 'requirepass', ''), '+OK', 'none again');
$there = there();
like(scalar <$there>, qr/^-DENIED /, 'turned away again');
is($s->client->cmd('ping'), '+PONG', 'we are not');

done_testing();
