#!/usr/bin/perl

# /debug/pprof/: its profiles, and who may take them when.

use strict;
use warnings;

use Olivine;
use Olivine::Burn;
use Olivine::Http;
use Olivine::Pprof;
use Time::HiRes qw(sleep time);

plan(skip_all => 'no redis-benchmark') if !Olivine::Burn::there();

my $port = port(0);
my $s = olivine(main => '', expect => [ qr/open socket/ ],
    params => { 'heap-sample-bytes' => 65536 },
    http => "server { listen 127.0.0.1:$port; "
    . 'location /debug/pprof/ { olivine_pprof main; } '
    . 'location /p { olivine_pprof main; } }');
my $h = Olivine::Http->new(port => $port);
my $path = '/debug/pprof';
my $many = $s->{workers} > 1;

my $r = $s->client;
is($r->cmd(qw/set key value/), '+OK', 'a key');
$s->spread;

# parameters

for (qw(profile?seconds=0 profile?seconds=301 profile?seconds=x
        profile?seconds=-1 profile?seconds= heap?seconds=301 heap?debug=3
        heap?folded=2 heap?seconds=1.5 allocs?seconds=99999999999999999999))
{
    my $said = $h->get("$path/$_");
    is($said->{status}, 400, $_);
    like($said->{content}, qr/^400: "\w+" is a number from \d+ to \d+\.$/,
        'says what is right');
}

is($h->get("$path/heap?debug=1&folded=1")->{status}, 400, 'two forms');

my $said = $h->head("$path/profile");
is($said->{status}, 200, 'HEAD');
is($said->{headers}{'content-type'}, 'application/octet-stream', 'its type');

# a CPU profile while there is work

my @load = qw(-t set -P 16 -c 20 -r 10000 -d 100);
my $burn = Olivine::Burn->start($s->{port}, @load);
sleep 0.5;

# on a busy machine there may be few samples at first

my ($begun, $took);

for (1 .. 5) {
    $begun = time;
    $said = $h->get("$path/profile?seconds=2");
    $took = time - $begun;

    my $first = eval { profile($said) } or last;
    last if $first->total('samples') > 20 && $first->labels('command')->{set};
}

is($said->{status}, 200, 'a profile');
is($said->{headers}{'content-type'}, 'application/octet-stream', 'its type');
is($said->{headers}{'content-disposition'}, 'attachment; filename="profile"',
    'its name');
is($said->{headers}{'cache-control'}, 'no-store', 'it is not kept');
cmp_ok($took, '>', 1.9, 'it took the time');
cmp_ok($took, '<', 15, 'and not much more');

my $p = profile($said);
is_deeply($p->{types}, [ 'samples/count', 'cpu/nanoseconds' ], 'its values');
is($p->{period_type}, 'cpu/nanoseconds', 'its period');
is($p->{period}, 10_000_000, 'a hundred a second');
cmp_ok(abs($p->{time} / 1e9 - $begun), '<', 5, 'when it was');
cmp_ok(abs($p->{duration} / 1e9 - 2), '<', 1, 'how long');
cmp_ok($p->total('samples'), '>', 20, 'samples')
    or diag($p->total('samples'));
cmp_ok($p->total('cpu'), '>', 200_000_000, 'their time');

my %pids = map { $_ => 1 } $s->workers;
is_deeply([ sort keys %{ $p->labels('pid') } ], [ sort keys %pids ],
    'of all workers');
cmp_ok($p->labels('command')->{set} || 0, '>', 0, 'the command is named')
    or diag(explain($p->labels('command')));

# Debian's nginx has no names, and so have the stubs by which we call it; a few
# samples are no measure
cmp_ok(named($p), '>=', $s->{host} eq 'module' ? 0.75 : 0.9,
    'functions have names')
    or diag(explain($p->flat('samples')));

my ($ours) = grep { /^ngx_olivine_/ } keys %{ $p->cum('cpu') };
ok($ours, 'some are ours');
like($p->files->{$ours // ''} // '', qr/\.[ch]$/, 'with a file')
    if $ours;

# as text

$said = $h->get("$path/profile?seconds=1&folded=1");
like($said->{headers}{'content-type'}, qr{^text/plain}, 'folded: text');
ok(!$said->{headers}{'content-disposition'}, 'to be shown');
my @lines = split /\n/, $said->{content};
cmp_ok(scalar @lines, '>', 0, 'lines');
is(scalar(grep { !/^[^;]+(?:;[^;]+)* \d+$/ } @lines), 0, 'of that form')
    or diag($said->{content});

$said = $h->get("$path/profile?seconds=1&debug=1");
like($said->{headers}{'content-type'}, qr{^text/plain}, 'debug: text');
like($said->{content}, qr/^#\s+\S*ngx_\w+/m, 'with functions')
    or diag(substr $said->{content}, 0, 1000);

# one at a time

my $first = $h->begin("$path/profile?seconds=30");
ok($s->until(sub {
    $said = $h->get("$path/profile?seconds=1");
    return $said->{status} == 409;
}), 'a second one is refused');

my $workers = join '|', $s->workers;
like($said->{content}, qr/^409: .*"profile".* process (?:$workers) has been at it since 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/,
    'it is said who has the first');
is($h->get("$path/heap")->{status}, 200, 'another kind is not');
is($h->head("$path/profile")->{status}, 200, 'HEAD begins none');

# whoever leaves stops it

close $first;
$begun = time;
ok($s->until(sub {
    $said = $h->get("$path/profile?seconds=1");
    return $said->{status} == 200;
}), 'its client left');
cmp_ok(time - $begun, '<', 8, 'the next one may');
cmp_ok(profile($said)->total('samples'), '>', 0, 'and sees something');

# twenty clients that come and leave at once

for (1 .. 20) {
    my $socket = $h->begin("$path/" . (qw(profile heap allocs mutex))[$_ % 4]
        . '?seconds=20');
    close $socket;
}

ok($s->until(sub { $h->get("$path/profile?seconds=1")->{status} == 200 }),
    'clients that do not wait')
    or diag($h->get("$path/profile?seconds=1")->{content});
ok($s->until(sub { $h->get("$path/heap?seconds=1")->{status} == 200 }),
    'nor for others');
is($r->cmd('ping'), '+PONG', 'clients are served');

# a worker dies

if ($many) {
    $first = $h->begin("$path/profile?seconds=3");
    sleep 1;
    my ($at) = taker();
    my ($other) = grep { $_ != $at } $s->workers;
    ok($at && $other, 'who has it');
    ok($s->kill_worker($other), 'another worker dies');
    $said = Olivine::Http::finish($first);
    is($said->{status}, 200, 'the profile is there');
    cmp_ok(profile($said)->total('samples'), '>', 0, 'with samples');
    $burn->stop;
    $burn = Olivine::Burn->start($s->{port}, @load);
}

$first = $h->begin("$path/profile?seconds=30");
sleep 0.5;
my ($at) = taker();
ok($at, 'who has it');
ok($s->kill_worker($at), 'that worker dies');
is(Olivine::Http::finish($first)->{status}, 0, 'no profile');
$burn->stop;
$burn = Olivine::Burn->start($s->{port}, @load);
ok($s->until(sub {
    $said = $h->get("$path/profile?seconds=1");
    return $said->{status} == 200;
}), 'the next one is taken') or diag($said->{content});
profile($said);

# a reload does not wait for it

$first = $h->begin("$path/profile?seconds=120");
sleep 1.5;
my %old = map { $_ => 1 } $s->workers;
$begun = time;
ok($s->reload, 'a reload');
$said = Olivine::Http::finish($first);
is($said->{status}, 200, 'what there is is sent');
cmp_ok(time - $begun, '<', 8, 'at once');
cmp_ok(profile($said)->total('samples'), '>', 0, 'it has samples');
$burn->stop;
undef $r;
ok($s->until(sub { !grep { $old{$_} } $s->all_workers }),
    'old workers are gone');
is($h->get("$path/profile?seconds=1")->{status}, 200, 'new ones take one');

# names of addresses

my ($address, $name) = function();

is($h->get("$path/symbol")->{content}, "num_symbols: 1\n", 'there are names');
is($h->get("$path/symbol?$address")->{content},
    "num_symbols: 1\n$address $name\n", 'of an address');
is($h->post("$path/symbol", "$address+0x1+$address")->{content},
    "num_symbols: 1\n$address $name\n$address $name\n", 'of two by POST');
is($h->post("$path/symbol", '')->{content}, "num_symbols: 1\n", 'of none');
is($h->get("$path/symbol?hello+-+0x+++zz")->{content}, "num_symbols: 1\n",
    'of nonsense');
is($h->post("$path/symbol", '0x1+' x 20000)->{status}, 413, 'of too many');

# the list

$said = $h->get("$path/");
like($said->{content}, qr{<a href="$_">$_</a>}, "the list has $_")
    for qw(profile heap allocs mutex block cmdline symbol);
is($h->get('/p')->{status}, 200, 'a location without a slash');
like($h->get('/p')->{content}, qr{<a href="p/heap">}, 'has links as well');
is($h->get('/p/heap')->{status}, 200, 'that work');

# Go's tool

SKIP: {
    my $pprof = "$Olivine::top/build/pprof/pprof";

    system("$Olivine::top/t/tools/pprof", "$Olivine::top/build")
        if !-x $pprof;
    skip('no pprof of Go', 4) if !-x $pprof;

    $burn = Olivine::Burn->start($s->{port}, @load);
    sleep 0.3;
    $ENV{PPROF_TMPDIR} = $s->{dir};

    my $url = "http://127.0.0.1:$port$path";
    my $top = `$pprof -top -seconds 2 $url/profile 2>$s->{dir}/pprof.log`;
    like($top, qr/^Type: cpu$/m, 'pprof takes a profile');
    like($top, qr/^\s*\S+\s+\S+%\s+\S+%\s+\S+\s+\S+%\s+\S*ngx_\w+/m,
        'and knows the functions')
        or diag($top, Olivine::read_file("$s->{dir}/pprof.log"));

    like(scalar `$pprof -top $url/heap 2>&1`, qr/^Type: inuse_space$/m,
        'the heap');
    like(scalar `$pprof -top -sample_index=alloc_space $url/allocs 2>&1`,
        qr/^Type: alloc_space$/m, 'what was taken');
    $burn->stop;
}

done_testing();


sub profile {
    my ($said) = @_;

    my $p = eval { Olivine::Pprof->decode($said->{content}) };

    ok($p, 'it can be read')
        or diag("$said->{status}: $@", substr $said->{content}, 0, 200);

    return $p || bless { types => [ 'samples/count', 'cpu/nanoseconds' ],
                         samples => [] }, 'Olivine::Pprof';
}


# The part of the samples whose function has a name: where the kernel is, the
# one that called it.  A stock nginx has no names for its inner functions, so
# callers count only where all is ours.

sub named {
    my ($p) = @_;
    my ($all, $good) = (0, 0);

    for my $sample (@{ $p->{samples} }) {
        my @stack = grep { $_ ne '[kernel]' } @{ $sample->{stack} };
        splice @stack, 1 if $s->{host} eq 'module';

        my $n = $sample->{values}[0];
        $all += $n;
        $good += $n if @stack && !grep { /\+0x|\[unknown\]/ } @stack;
    }

    return $all ? $good / $all : 0;
}


# The worker that takes a CPU profile.

sub taker {
    my $said = $h->get("$path/profile?seconds=1");
    return $said->{content} =~ /process (\d+)/;
}


# The address of a function in a worker.

sub function {
    no warnings 'portable';
    my ($worker) = $s->workers;
    my $name = 'ngx_olivine_command_run';
    my $file = $s->{host} eq 'module'
        ? "$Olivine::top/build/ngx_olivine_module.so"
        : readlink "/proc/$worker/exe";

    my ($at) = `nm $file` =~ /^([0-9a-f]+) [Tt] $name$/m;
    my ($base) = Olivine::read_file("/proc/$worker/maps")
        =~ /^([0-9a-f]+)-\S+ \S+ 00000000 .*\Q$file\E$/m;

    $at = hex $at;
    $at += hex $base if $at < hex $base;

    return (sprintf('0x%x', $at), $name);
}
