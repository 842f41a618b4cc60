#!/usr/bin/perl

# Signals and the standalone's redis.conf: it is read again by each reload and
# each binary upgrade.
# hosts: standalone
# workers: 1

use strict;
use warnings;

use Olivine;

my $s = olivine(conf => conf(maxclients => 500), args => [ '--http', 'off',
    '--timeout', 300 ], expect => [ qr/\[emerg\]/ ]);
my $conf = "$s->{dir}/redis.conf";
my $r = $s->client;

is($r->cmd(qw/set k v/), '+OK', 'a key');
is(get('maxclients'), '500', 'a parameter of the file');

# HUP

write_conf(conf(maxclients => 600));
ok($s->reload, 'a reload');
is(get('maxclients'), '600', 'the file was read again');
is(get('timeout'), '300', 'the command line holds as before');
is($r->cmd(qw/get k/), '$1 v', 'the key and the client of before are there');

is($r->cmd(qw/config set maxclients 650/), '+OK', 'a parameter is set');
write_conf(conf(maxclients => 600, 'tcp-keepalive' => 100));
ok($s->reload, 'a reload');
is(get('maxclients'), '650', 'its line did not change, so it stays')
    or diag($s->log);

# another limit of the zone, another address

my $port = port(1);

write_conf(conf(maxclients => 600, maxmemory => '80mb',
    unixsocket => "$s->{dir}/sock"));
ok($s->reload, 'a reload with another maxmemory and a socket');
is(get('maxmemory'), 80 * 1024 * 1024, 'it holds');
is(Olivine::Client->new(path => "$s->{dir}/sock")->cmd(qw/get k/), '$1 v',
    'the socket serves');

write_conf(conf(maxclients => 600, maxmemory => '80mb'));
ok($s->reload, 'a reload without it');
ok(!-e "$s->{dir}/sock", 'it is gone');

# what is wrong changes nothing

for ([ 'unbalanced quotes', "maxclients \"600\n",
       qr/redis.conf:1: unbalanced quotes/ ],
     [ 'an unknown parameter', "maxcleints 600\n",
       qr/unknown parameter "maxcleints"/ ],
     [ 'another number of databases', "databases 3\n",
       qr/parameter "databases" is "16" as long as the zone lives/ ])
{
    my ($name, $text, $what) = @$_;
    my @was = sort $s->workers;
    my $log = length $s->log;

    write_conf($text);
    kill HUP => $s->master;

    ok($s->until(sub { substr($s->log, $log) =~ $what }),
        "$name: the reason is in the log") or diag(substr $s->log, $log);
    is_deeply([ sort $s->workers ], \@was, "$name: the workers stay");
    is($r->cmd(qw/get k/), '$1 v', "$name: nothing else happens");
}

unlink $conf;
my $log = length $s->log;
kill HUP => $s->master;
ok($s->until(sub { substr($s->log, $log) =~ /cannot open "redis.conf": No / }),
    'no file: the reason is in the log') or diag(substr $s->log, $log);

# USR2

write_conf("maxclients \"600\n");
$log = length $s->log;
kill USR2 => $s->master;
ok($s->until(sub { substr($s->log, $log) =~ /redis.conf:1: unbalanced quotes/ }),
    'a binary upgrade reads it, too');
ok($s->until(sub { !grep { !/worker/ } map { Olivine::title($_) }
    Olivine::children($s->master) }), 'and fails when it is wrong');
ok($s->until(sub { -f "$s->{dir}/pid" && !-f "$s->{dir}/pid.oldbin" }),
    'the pid file is that of before');

write_conf(conf(maxclients => 700));
my $new;
kill USR2 => $s->master;
ok($s->until(sub {
    $new = $s->young;
    return $new && workers_of($new) == 1;
}), 'a right one is taken');
is(get('maxclients'), '700', 'its parameters hold');

kill QUIT => $s->master;
is($r->cmd(qw/get k/), '$1 v', 'the client of before lives on');
undef $r;
is($s->wait, 0, 'the old master is gone');

# and again in the new binary

$s->{pid} = $new;
write_conf(conf(maxclients => 800));
ok($s->reload, 'a reload of the new binary');
is(get('maxclients'), '800', 'it reads the file as well');
is(get('timeout'), '300', 'and has the command line of before');

kill QUIT => $new;
ok($s->until(sub { !kill 0, $new }), 'the end');
delete $s->{pid};

is_deeply([ glob "$s->{dir}/pid*" ], [], 'no pid file is left');
is_deeply([ grep { !/\[emerg\].*(?:redis\.conf|maxcleints|databases)/ }
    grep { /\[(?:alert|crit|emerg)\]/ } split /\n/, $s->log ], [],
    'nothing alarming in the log');

# USR1

my $file = "$s->{dir}/own.log";
my $t = olivine(conf => "logfile $file\n");

ok(-s $file, 'a log file');
rename $file, "$file.1";
kill USR1 => $t->master;
ok($t->until(sub { -e $file }), 'USR1 opens it again');
is($t->client->cmd('ping'), '+PONG', 'and no more');

ok($t->reload, 'a reload');
ok($t->until(sub { -s $file }), 'is told there');

done_testing();


sub conf {
    my %o = @_;
    return join '', map { "$_ $o{$_}\n" } sort keys %o;
}


sub write_conf { Olivine::write_file($conf, $_[0]) }


sub get {
    my $reply = $s->client->cmd('config', 'get', $_[0]);
    return (split ' ', $reply)[-1];
}


sub workers_of {
    return grep { Olivine::title($_) =~ /^nginx: worker process/ }
        Olivine::children($_[0]);
}
