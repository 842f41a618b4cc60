#!/usr/bin/perl

# Ten thousand idle clients.
# workers: 1 2

use strict;
use warnings;

use Olivine;

my $want = 10000;

my $limit = `sh -c 'ulimit -n'`;
chomp $limit;

# this process has one descriptor a client, and may not be able to raise that

if ($limit ne 'unlimited' && $limit < $want + 100) {

    my $raise = 'ulimit -n ' . ($want + 1000);

    if (!$ENV{OLIVINE_IDLE} && system('sh', '-c', "$raise 2>/dev/null") == 0) {
        $ENV{OLIVINE_IDLE} = 1;
        exec 'sh', '-c', "$raise; exec \"\$@\"", 'sh', $^X, '-It/lib', $0;
    }

    $want = $limit - 100;
    diag("only $want clients: no more files may be open");
}

my $s = olivine(connections => $want + 200,
                params => [[ 'maxclients', $want + 50 ]],
                main => 'worker_rlimit_nofile ' . ($want + 300) . ';');

my @before = map { memory($_) } $s->workers;
my (@clients, $fail);

for (1 .. $want) {
    my $r = eval { $s->client };
    last if !$r;
    push @clients, $r;
}

is(scalar(@clients), $want, "$want clients are connected");

is(scalar(grep { ($_->cmd('ping') // '') eq '+PONG' } @clients), $want,
    'each has its reply');

my $kb = 0;
$kb += $_ for map { memory($_) } $s->workers;
$kb -= $_ for @before;

diag(sprintf "%.2f KB a client", $kb / @clients);
cmp_ok($kb / @clients, '<', 4, 'idle they take little memory');

is(scalar(grep { ($_->cmd('ping') // '') eq '+PONG' } @clients), $want,
    'each is alive');

@clients = ();

my $r = $s->client;
is($r->cmd('ping'), '+PONG', 'all left, another is served');

done_testing();


sub memory {
    my ($pid) = @_;

    open my $in, '<', "/proc/$pid/smaps_rollup" or return 0;

    while (<$in>) {
        return $1 if /^Pss:\s+(\d+) kB/;
    }

    return 0;
}
