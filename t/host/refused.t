#!/usr/bin/perl

# Reloads that fail leave everything as it was; so does nginx -t.
# workers: 1

use strict;
use warnings;

use Olivine;

my $s = olivine(main => '', params => [[ 'databases', 4 ]],
                expect => [ qr/\[emerg\]/ ]);
my $r = $s->client;

is($r->cmd(qw/set k v/), '+OK', 'a key');

my @zones = zones();
is(@zones, 1, 'one zone');

# nginx -t

my @files = sort glob("$s->{dir}/*");
my $said = check();

like($said, qr/test is successful/, 'nginx -t beside the server');
unlike($said, qr/\[(?:warn|emerg|alert)\]/, 'complains of nothing');
is_deeply([ sort glob("$s->{dir}/*") ], \@files, 'it leaves no file');
is($r->cmd(qw/get k/), '$1 v', 'the key is there');

# a port in use, by the first of two zones

my $port = port(1);
my $busy = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1,
    LocalPort => $port, Proto => 'tcp', ReuseAddr => 1);

refused('a busy port', qr/bind\(\) to 127.0.0.1:$port failed.*could not bind/s,
    stream =>
    "olivine_zone b 8m; server { listen 127.0.0.1:$port; olivine b; }");

# what holds for the life of a zone

refused('another number of databases',
    qr/\Qolivine_zone "main": parameter "databases" is "4" as long as the zone \E
      \Qlives, a restart makes it "8"\E/x,
    params => [[ 'databases', 8 ]]);

refused('too large a size', qr/olivine_zone "main": the living zone cannot/,
    zone => '400g');

refused('an unknown parameter', qr/unknown parameter "datebases"/,
    params => [[ 'datebases', 4 ]]);

# a good one at last

$s->rewrite(params => [[ 'databases', 4 ]], zone => '300m', stream =>
    "olivine_zone b 8m; server { listen 127.0.0.1:$port; olivine b; }");
close $busy;

ok($s->reload, 'a reload with another size and another zone');
is($r->cmd(qw/get k/), '$1 v', 'the client of before has its key');
is($s->client->cmd(qw/get k/), '$1 v', 'a new one, too');
is(client($port)->cmd(qw/get k/), '$-1', 'the other zone is another');
is(zones(), 2, 'two zones');

$s->rewrite(stream => '');
ok($s->reload, 'a reload without the other zone');
is(zones(), 1, 'it is gone');

# a start that fails

my $two = olivine(port => $s->{port}, main => '', fails => 1,
                  expect => [ qr/\[emerg\]/ ]);
is($two->wait, 1, 'a second server on the port does not start');
like($two->log, qr/bind\(\) to 127.0.0.1:$s->{port} failed \(98/,
    'and says why');
is($s->client->cmd(qw/get k/), '$1 v', 'the first one goes on');

done_testing();


sub zones { grep { (readlink($_) // '') =~ /memfd:olivine-/ }
                glob("/proc/$s->{pid}/fd/*") }


sub check {
    my $nginx = $s->nginx;
    return `$nginx -t -p $s->{dir}/ -e stderr -c $s->{dir}/nginx.conf 2>&1`;
}


sub refused {
    my ($name, $what, %o) = @_;

    my %was = map { $_ => $s->{$_} } keys %o;
    my @was = sort { $a <=> $b } $s->workers;
    my $log = length $s->log;

    $s->rewrite(%o);
    kill HUP => $s->master;

    ok($s->until(sub { substr($s->log, $log) =~ $what }), "$name: the reason")
        or diag(substr $s->log, $log);

    # the reload would take 100 ms
    select undef, undef, undef, 0.2;

    is_deeply([ sort { $a <=> $b } $s->workers ], \@was,
        "$name: the workers are those of before");
    is($s->client->cmd(qw/get k/), '$1 v', "$name: so is the key");
    is($r->cmd('ping'), '+PONG', "$name: and the client");
    is(zones(), 1, "$name: nothing is left behind");

    %$s = (%$s, %was);
}
