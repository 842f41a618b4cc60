#!/usr/bin/perl

# USR2 that fails: the old generation goes on, nothing is left over.
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Load;

my $s = olivine(main => '', own => 1, expect => [ qr/\[(?:emerg|alert)\]/ ],
    params => [[ 'enable-debug-command', 'yes' ]]);
my $r = $s->client;

is($r->cmd(qw/set k v/), '+OK', 'a key');

my $program = "$s->{dir}/nginx";
my %config = %$s;
my $load = Olivine::Load->start($s->{port}, 2);

# the program

rename $program, "$program.away";
fails('a missing program', qr/execve\(\) failed.*No such file/);

Olivine::write_file($program, "no program\n");
fails('one that may not run', qr/execve\(\) failed.*Permission denied/);

Olivine::write_file($program, "#!/bin/sh\nexit 1\n");
chmod 0755, $program;
fails('one that fails', qr/exited with code 1/);

unlink $program;
rename "$program.away", $program;

# its configuration

$s->rewrite(main => 'no_such_directive on;');
fails('a wrong configuration', qr/unknown directive "no_such_directive"/);

$s->rewrite(main => '', params => [[ 'databases', 3 ]]);
fails('another number of databases',
    qr/olivine_zone "main": the living zone has another number of databases/);

$s->rewrite(%config, zone => '400g');
fails('too large a zone', qr/olivine_zone "main": the living zone cannot/);

my $port = port(1);
my $busy = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1,
    LocalPort => $port, Proto => 'tcp', ReuseAddr => 1);

$s->rewrite(%config, stream =>
    "olivine_zone b 8m; server { listen 127.0.0.1:$port; olivine b; }");
fails('a busy port', qr/could not bind/);
close $busy;

# a zone of another layout, as if this program were another one

$s->rewrite(%config);

my ($fd) = grep { (readlink($_) // '') =~ /memfd:olivine-main/ }
    glob "/proc/$s->{pid}/fd/*";
my $layout = layout($fd);
cmp_ok($layout, '>', 0, "the zone has layout $layout");

layout($fd, $layout + 1);
fails('another layout', qr/olivine_zone "main": the living zone has another /);

my $log = length $s->log;
my @was = sort $s->workers;
kill HUP => $s->master;
ok($s->until(sub { substr($s->log, $log) =~ /has another layout/ }),
    'a reload is refused as well');
is_deeply([ sort $s->workers ], \@was, 'workers go on');
is($r->cmd(qw/get k/), '$1 v', 'so do clients');
layout($fd, $layout);

# a new master that is killed when all is done

my $new = $s->upgrade;
ok($new, 'an upgrade');
my @orphans = $s->workers_of($new);
my @clients = map { $s->client } 1 .. 20;

kill KILL => $new;
ok($s->until(sub { children_of() == @was && !-e "$s->{dir}/pid.oldbin" }),
    'its master is killed');
is(scalar(grep { $_->cmd(qw/get k/) eq '$1 v' } @clients), @clients,
    'clients of its workers are served');
kill QUIT => @orphans;
sleep 1;
is(scalar(grep { $_->cmd(qw/get k/) eq '$1 v' } @clients), @clients,
    'as long as they like');
@clients = ();
ok($s->until(sub { !grep { Olivine::title($_) ne '' } @orphans }),
    'then its workers leave');

# nothing is wrong any more

ok($s->reload, 'a reload');
$new = $s->upgrade;
ok($new, 'a right one') or diag(substr $s->log, $log);
is($r->cmd(qw/get k/), '$1 v', 'the client of before goes on');

my $seen = $load->stop;
is($seen->{wrong} + $seen->{lost} + $seen->{closed} + $seen->{refused}, 0,
    "clients saw nothing of all that in $seen->{done} replies")
    or diag(explain($seen));

kill QUIT => $s->master;
undef $r;
is($s->wait, 0, 'the old one ends');
is($s->client->cmd(qw/get k/), '$1 v', 'the key is there');

kill QUIT => $new;
ok($s->until(sub { !kill 0, $new }), 'the end');

Test::More::done_testing();


sub fails {
    my ($name, $what) = @_;

    my $log = length $s->log;
    my $open = Olivine::descriptors($s->master);
    my @was = sort $s->workers;

    kill USR2 => $s->master;

    ok($s->until(sub { substr($s->log, $log) =~ $what }), "$name: the reason")
        or diag(substr $s->log, $log);
    ok($s->until(sub { children_of() == @was && !-e "$s->{dir}/pid.oldbin" }),
        "$name: the new master is gone");

    ok($s->until(sub { slurp("$s->{dir}/pid") eq "$s->{pid}\n" }),
        "$name: the pid file is ours");
    is_deeply([ sort $s->workers ], \@was, "$name: workers go on");
    is($r->cmd(qw/get k/), '$1 v', "$name: so do clients");
    is($s->client->cmd(qw/get k/), '$1 v', "$name: others may come");
    is(Olivine::descriptors($s->master), $open, "$name: nothing is left open");
    like($r->cmd(qw/debug audit/), qr/^\+/, "$name: nor is anything wrong");
}


sub children_of { my @all = Olivine::children($s->master); scalar @all }


sub slurp {
    open my $in, '<', $_[0] or return '';
    local $/;
    return scalar <$in>;
}


# The number in the zone's header, behind the magic one.

sub layout {
    my ($fd, $number) = @_;

    open my $zone, '+<', $fd or die "$fd: $!\n";
    binmode $zone;
    sysseek $zone, 8, 0;

    if (defined $number) {
        syswrite $zone, pack 'L', $number;
        return;
    }

    sysread $zone, my $bytes, 4;
    return unpack 'L', $bytes;
}
