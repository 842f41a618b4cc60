#!/usr/bin/perl

# An upgrade with other zones: new ones are made, what is not wanted any more
# is let go; and a unix socket that lives through upgrades.
# workers: 1

use strict;
use warnings;

use Olivine;

my %port = map { $_ => port($_) } 1 .. 3;

my $s = olivine(main => '', stream => zone(1) . zone(2));
my $old = $s->master;
my $one = client($port{1});

is($s->client->cmd(qw/set k main/), '+OK', 'a zone');
is($one->cmd(qw/set k one/), '+OK', 'a second');
is(client($port{2})->cmd(qw/set k two/), '+OK', 'a third');

my $open = Olivine::descriptors($old);

$s->rewrite(stream => zone(2) . zone(3));
my $new = $s->upgrade;
ok($new, 'an upgrade without the second, with a fourth');

is_deeply([ zones($new) ], [qw/main z2 z3/], 'the new master has its zones');
is(Olivine::descriptors($new), $open, 'and nothing of the one that is not');
is_deeply([ zones($old) ], [qw/main z1 z2/], 'the old one has all of before');
is($one->cmd(qw/get k/), '$3 one', 'and serves them');

undef $one;
kill QUIT => $old;
is($s->wait, 0, 'the old one ends');

is($s->client->cmd(qw/get k/), '$4 main', 'the first is there');
is(client($port{2})->cmd(qw/get k/), '$3 two', 'so is the third');
is(client($port{3})->cmd(qw/get k/), '$-1', 'the fourth is empty');
ok(!eval { client($port{1}) }, 'nobody serves the second');

# a unix socket

my $path = "$s->{dir}/sock";
$s->{pid} = $new;
$s->rewrite(stream => zone(2) . "server { listen unix:$path; olivine main; }");
ok($s->reload, 'a reload with a unix socket');
is(unix(), '$4 main', 'it serves');

my $third = $s->upgrade;
ok($third, 'an upgrade');
is(unix(), '$4 main', 'it serves');
kill QUIT => $third;
ok($s->until(sub { Olivine::title($third) eq '' }), 'which is taken back');
is(unix(), '$4 main', 'it serves');

my $fourth = $s->upgrade;
ok($fourth, 'another one');
kill QUIT => $new;
ok($s->until(sub { Olivine::title($new) eq '' }), 'the one of before ends');
is(unix(), '$4 main', 'it serves');

kill QUIT => $fourth;
ok($s->until(sub { Olivine::title($fourth) eq '' }), 'the end');
ok(!-e $path, 'it is gone');
delete $s->{pid};
is_deeply([ $s->faults ], [], 'nothing alarming in the log');

Test::More::done_testing();


sub zone {
    my ($n) = @_;
    return "olivine_zone z$n 8m; "
        . "server { listen 127.0.0.1:$port{$n}; olivine z$n; }\n";
}


sub unix {
    my $c = eval { Olivine::Client->new(path => $path, timeout => 10) };
    return $c && $c->cmd(qw/get k/);
}


sub zones {
    my ($pid) = @_;
    return sort map { /memfd:olivine-(\w+)/ ? $1 : () }
        map { readlink($_) // '' } glob "/proc/$pid/fd/*";
}
