#!/usr/bin/perl

# t/tools/profile and t/tools/flamegraph, with little to do
# hosts: standalone
# workers: 2

use strict;
use warnings;

use POSIX ();

use Olivine;
use Olivine::Burn;
use Olivine::Pprof;

plan(skip_all => 'no redis-benchmark') if !Olivine::Burn::there();
plan(skip_all => 'another program than build/olivine')
    if $ENV{OLIVINE_BINARY};

my $top = $Olivine::top;
my $dir = "$top/build/t/profile";

# the flame graph

Olivine::write_file("$dir.folded", "a;b<x>;c 30\na;d 70\na 1\n");
my $svg = `$top/t/tools/flamegraph --title 'of "a" & b' --unit ms $dir.folded`;
like($svg, qr/^<\?xml .*\n<svg /, 'an SVG');
like($svg, qr{<title>of &quot;a&quot; &amp; b</title>}, 'its title');
like($svg, qr{<title>b&lt;x&gt;: 30 ms, 29\.70%</title>}, 'a frame');
like($svg, qr{<title>all: 101 ms, 100\.00%</title>}, 'the whole');
unlike($svg, qr/href|url\(|<script/, 'nothing from elsewhere');
my ($wide) = $svg =~ m{<title>d: .*?<rect [^>]*width="([\d.]+)"};
my ($small) = $svg =~ m{<title>b.*?<rect [^>]*width="([\d.]+)"};
cmp_ok(abs($wide / $small - 7 / 3), '<', 0.05, 'widths are shares');

Olivine::write_file("$dir.folded", "nonsense\n");
like(scalar `$top/t/tools/flamegraph $dir.folded 2>&1`,
    qr/^line 1: not a folded stack: "nonsense"/m, 'what is none is refused');

# a server that runs

my $port = port(0);
my $s = olivine(args => [ '--http', "127.0.0.1:$port" ]);
$s->spread;

my @load = qw(-t set -P 16 -c 20 -n 300000 -r 1000);
my ($said, $code) = profile('--port', $s->{port}, '--http',
    "127.0.0.1:$port", '--seconds', 2, '--out', "$dir-1", '--', @load);

is($code, 0, 'profiles of a server that runs') or diag($said);
like($said, qr/^CPU: [\d.]+ s in [\d.]+ s, \d+ samples, workers \d+ \d+$/m,
    'what they are of');
like($said, qr/^\s*\d+\.\d\d%\s+\d+\.\d\d%  \S*ngx_\w+/m, 'functions');
like($said, qr/^by command: .*\bset \d+\.\d%/m, 'commands');

for my $name (qw(cpu heap allocs mutex block)) {
    my $p = eval { Olivine::Pprof->decode(
        Olivine::read_file("$dir-1/$name.pb.gz")) };
    ok($p, "$name can be read") or diag($@);
    ok(-e "$dir-1/$name.folded", 'folded');
    like(Olivine::read_file("$dir-1/$name.svg"), qr/^<\?xml .*<\/svg>\n\z/s,
        'and drawn');
}

like(Olivine::read_file("$dir-1/cpu.svg"), qr/<title>\S*ngx_olivine_\w+: \d+ /,
    'our functions are in the graph');
like(Olivine::read_file("$dir-1/benchmark.txt"), qr/requests per second/,
    'what redis-benchmark said');

if (-s "$dir-1/perf.data") {
    like(Olivine::read_file("$dir-1/perf.folded"), qr/_\[k\]/,
        'perf sees the kernel');
} else {
    like($said, qr/^perf (?:does not work here|is not there)/m,
        'there is no perf, and that is said');
}

is($s->client->cmd('ping'), '+PONG', 'the server goes on');
$s->stop;

# one of its own, compared with that

($said, $code) = profile('--seconds', 1, '--no-perf', '--workers', 1,
    '--out', "$dir-2", '--base', "$dir-1", '--', @load);

is($code, 0, 'a server of its own') or diag($said);
like($said, qr{^compared with \Q$dir-1\E}m, 'is compared');
like($said, qr/^\s*[\d.]+%\s+[\d.]+%\s+[+-][\d.]+%  \S/m, 'by functions');
like($said, qr/^(?:pprof -base:|no "go tool pprof" here)/m, 'and by pprof');
is(left(), '', 'nothing is left');

# interrupted

my $pid = fork // die "fork: $!\n";

if ($pid == 0) {
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    exec "$top/t/tools/profile", '--seconds', 60, '--no-perf', '--workers',
        1, '--out', "$dir-3", '--', @load or POSIX::_exit(127);
}

$s->until(sub { -s "$dir-3/benchmark.txt" }, 20);
sleep 2;
isnt(left(), '', 'it has started something');
kill INT => $pid;
waitpid $pid, 0;
is($? >> 8, 130, 'interrupted');
is(left(), '', 'nothing is left');

# what is wrong is said

($said, $code) = profile('--base', "$dir-none");
isnt($code, 0, 'no such base');
like($said, qr/^profile: "\Q$dir-none\E" has no cpu\.pb\.gz/, 'is said');

($said, $code) = profile('--port', 1, '--http', '127.0.0.1:1');
isnt($code, 0, 'no server');
like($said, qr{nobody answers on http://127\.0\.0\.1:1/debug/pprof/}m,
    'is said');

($said, $code) = profile('--seconds', 1, '--workers', 1, '--out', "$dir-3",
    '--', '--nonsense');
isnt($code, 0, 'no such option of redis-benchmark');
like($said, qr/^profile: the load ended: --nonsense\n.+/m, 'is said');
is(left(), '', 'nothing is left');

done_testing();


sub profile {
    my @args = @_;
    my $said = '';

    open my $in, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh',
        "$top/t/tools/profile", @args or die "profile: $!\n";
    { local $/; $said = <$in> // ''; }
    close $in;

    return ($said, $? >> 8);
}


# Servers of the tool that are there; those of other tests have other folders.

sub left {
    my @pids;

    for my $pid (map { m{(\d+)$} } glob '/proc/[0-9]*') {
        my $to = readlink "/proc/$pid/fd/1" // next;
        push @pids, $pid
            if $to =~ m{/olivine-profile-\w+/log|\Q$dir\E-3/benchmark\.txt};
    }

    return "@pids";
}
