#!/usr/bin/perl

# Another size of the zone at a reload: larger, below what is used, larger.
# workers: 1 2

use strict;
use warnings;

use Olivine;
use Olivine::Load;

my $OOM = qr/^-OOM /;
my $value = 'v' x 40000;

my $s = olivine(main => '', zone => '64m',
    params => [[ 'enable-debug-command', 'yes' ]]);
my $r = $s->client;

my $load = Olivine::Load->start($s->{port}, 1);
ok($s->until(sub { $r->cmd('dbsize') eq ':1' }), 'a client at work');

my $n = fill($r, 'a', 5000);
cmp_ok($n, '>', 1000, "64 MB take $n values");
cmp_ok($n, '<', 1600, 'not more');
like($r->cmd('set', 'a-more', $value), $OOM, 'then no more');
cmp_ok(backed(), '<', 68, 'nor does the memory');

# larger

ok(resize('96m'), 'a reload with 96 MB');
my $more = fill($r, 'b', 5000);
cmp_ok($more, '>', 500, "they take $more more, by a client of before");
like($s->client->cmd('set', 'b-more', $value), $OOM, 'then no more');
is(holds('a', $n) + holds('b', $more), $n + $more, 'all are there');
cmp_ok(backed(), '>', 80, 'memory is used');

# smaller than what is used

ok(resize('24m'), 'a reload with 24 MB');
is(holds('a', $n) + holds('b', $more), $n + $more,
    'all values are there, though they take more');
like($r->cmd('set', 'small', 'x' x 100), $OOM,
    'a client of before cannot write');
like($s->client->cmd('set', 'small', 'x' x 100), $OOM, 'nor can a new one');
is($r->cmd(qw/del a1/), ':1', 'but remove');
like($r->cmd('append', 'a3', $value), $OOM, 'not add');

my $pipe = join ' ', $r->pipe(map({ [ 'del', "a$_" ] } 4 .. $n / 2),
    [qw/get small/]);
unlike($pipe, qr/OOM/, 'half of them are removed');
like($r->cmd('set', 'small', 'x' x 100), $OOM, 'that is not enough');

$r->pipe(map { [ 'del', "b$_" ] } 1 .. $more);
$r->pipe(map { [ 'del', "a$_" ] } 1 .. $n - 100);
is($r->cmd('set', 'small', 'x' x 100), '+OK', 'this is');
cmp_ok(fill($r, 'c', 5000), '<', 500, 'up to 24 MB');
like($r->cmd('set', 'c-more', $value), $OOM, 'not more');

ok($s->until(sub { backed() < 26 }, 20), 'memory went back')
    or diag(backed() . ' MB');

# and larger again, the same memory once more

ok(resize('96m'), 'a reload with 96 MB');
cmp_ok(fill($r, 'd', 5000), '>', $n * 0.9, 'they can be used');
cmp_ok(backed(), '>', 80, 'memory is used again');
like($r->cmd('set', 'd-more', $value), $OOM, 'then no more');
is($r->cmd('get', 'a' . ($n - 50)), "\$40000 $value",
    'what was there all the time is there');

my $seen = $load->stop;
is($seen->{wrong} + $seen->{lost} + $seen->{closed} + $seen->{refused}, 0,
    "a client that takes no more saw nothing of it in $seen->{done} replies")
    or diag(explain($seen));

is($r->cmd(qw/flushall/), '+OK', 'all is removed');
ok($s->until(sub { backed() < 20 }, 20), 'and memory is given back')
    or diag(backed() . ' MB');
like($r->cmd(qw/debug audit/), qr/^\+/, 'an audit finds nothing');

done_testing();


# Sets values until there is no room; how many there was.

sub fill {
    my ($r, $name, $most) = @_;

    for my $i (1 .. $most) {
        return $i - 1 if $r->cmd('set', "$name$i", $value) ne '+OK';
    }

    return $most;
}


sub holds {
    my ($name, $n) = @_;
    return scalar grep { $_ eq ':40000' }
        $r->pipe(map { [ 'strlen', "$name$_" ] } 1 .. $n);
}


sub resize {
    $s->rewrite(zone => $_[0]);
    return $s->reload && $r->cmd(qw/debug audit/) =~ /^\+/;
}


# Megabytes that the memory of the zone takes of the machine.

sub backed {
    my ($fd) = grep { (readlink($_) // '') =~ /memfd:olivine-main/ }
        glob "/proc/$s->{pid}/fd/*";
    return (stat $fd)[12] * 512 / (1024 * 1024);
}
