#!/usr/bin/perl

# More workers of old generations, kept by their clients, than there are
# slots: the oldest generation leaves.
# workers: 1

use strict;
use warnings;

use Olivine;

my $workers = 32;
my $slots = 256;

my $s = olivine(workers => $workers, connections => 64,
    main => 'worker_shutdown_timeout 120s;',
    params => [[ 'enable-debug-command', 'yes' ]]);

is($s->client->cmd(qw/set k v/), '+OK', 'a key');

# clients in every worker of every generation, until all slots are taken

my @clients;
my $generations = $slots / $workers;

for my $n (1 .. $generations) {
    $s->until(sub { $s->workers == $workers });

    for (1 .. 10) {
        push @{ $clients[$n] }, map { $s->client } 1 .. $workers;
        $_->cmd('ping') for @{ $clients[$n] };
        last if served($n) == $workers;
    }

    $s->reload or diag("generation $n was not left in time");
}

my $kept = $s->all_workers - $s->workers;
# on a busy machine some get no client in time
cmp_ok($kept, '>=', $slots - 2 * $workers, "$kept workers keep clients");
like($s->log, qr/clients are refused here: all slots are taken/,
    'so there are more workers than slots');

# each refused client makes the oldest workers leave

my $last;
ok($s->until(sub {
    $last = $s->client;
    return ($last->cmd(qw/get k/) // '') eq '$1 v';
}, 20), 'a new client is served before long');

ok($s->until(sub { gone(1) == @{ $clients[1] } }, 20),
    'clients of the oldest generation are closed')
    or diag(gone(1) . ' of ' . @{ $clients[1] });
is(gone(3), 0, 'those of a newer one live on');
is(gone($generations), 0, 'as do those of the last but one');

my @new = map { $s->client } 1 .. 2 * $workers;
is(scalar(grep { ($_->cmd(qw/get k/) // '') eq '$1 v' } @new), @new,
    'new clients are served by all workers');
like($last->cmd(qw/debug audit/), qr/^\+/, 'an audit finds nothing');

@clients = ();
ok($s->until(sub { $s->all_workers == $workers }, 20),
    'the others leave with their clients');

done_testing();


# Workers that have a client of the generation.

sub served {
    my ($n) = @_;
    my %inode;

    my %port = map { $_->socket->sockport => 1 } @{ $clients[$n] };

    open my $in, '<', '/proc/net/tcp' or die "/proc/net/tcp: $!\n";

    while (<$in>) {
        my @f = split;
        my ($peer) = ($f[2] // '') =~ /:([0-9A-F]{4})$/ or next;
        my ($at) = $f[1] =~ /:([0-9A-F]{4})$/;
        $inode{$f[9]} = 1 if hex $at == $s->{port} && $port{hex $peer};
    }

    my $workers = 0;

    for my $pid ($s->workers) {
        $workers++ if grep { (readlink($_) // '') =~ /^socket:\[(\d+)\]/
                             && $inode{$1} } glob "/proc/$pid/fd/*";
    }

    return $workers;
}


sub gone {
    my ($n) = @_;
    return scalar grep { ($_->cmd('ping') // '') ne '+PONG' }
        @{ $clients[$n] };
}
