#!/usr/bin/perl

# hosts: standalone

# tls-port: a port with TLS, beside or in place of the other

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);

my $openssl = found('openssl') or plan(skip_all => 'no openssl');

my $dir = "$Olivine::top/build/t/tls-files";
mkdir "$Olivine::top/build/t";
mkdir $dir;

for my $name (qw(server client)) {
    system("$openssl req -x509 -newkey rsa:2048 -nodes -days 2 "
        . "-subj /CN=$name -keyout $dir/$name.key -out $dir/$name.crt "
        . ">/dev/null 2>&1") == 0 or die "openssl req\n";
}

my $port = port(0);

sub ask {
    my (@more) = @_;

    # s_client leaves at the end of its input, so that waits for the answer
    return `(printf 'PING\\r\\n'; sleep 1) \\
        | timeout 10 $openssl s_client -quiet -connect 127.0.0.1:$port @more \\
        2>/dev/null`;
}

my $s = olivine(args => [ '--tls-port', $port, '--tls-cert-file',
    "$dir/server.crt", '--tls-key-file', "$dir/server.key",
    '--tls-auth-clients', 'no' ]);

is(ask(), "+PONG\r\n", 'with TLS');
is($s->client->cmd('ping'), '+PONG', 'without it on the other port');
is($s->client->cmd(qw/config get tls-port/), '*2 $8 tls-port $'
    . length($port) . " $port", 'CONFIG GET');

# who leaves at once makes nginx complain
$s->expect(qr/SSL_shutdown\(\) failed/);

is(ask('-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'), '', 'no old versions of it');
$s->stop;

$s = olivine(args => [ '--tls-port', $port, '--tls-cert-file',
    "$dir/server.crt", '--tls-key-file', "$dir/server.key",
    '--tls-ca-cert-file', "$dir/client.crt" ]);

$s->expect(qr/SSL_shutdown\(\) failed/);

is(ask(), '', 'a certificate is asked for');
is(ask('-cert', "$dir/client.crt", '-key', "$dir/client.key"), "+PONG\r\n",
    'and taken');
is(ask('-cert', "$dir/server.crt", '-key', "$dir/server.key"), '',
    'another is not');

done_testing();
