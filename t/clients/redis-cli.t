#!/usr/bin/perl

# redis-cli, RESP2 and RESP3
# workers: 2

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);

my $redis_cli = found('redis-cli');

plan(skip_all => 'redis-cli is not installed') if !$redis_cli;

my $s = olivine();


sub cli {
    my @command = ($redis_cli, '-p', $s->{port}, @_);

    open my $from, '-|', 'timeout', 20, @command or die "redis-cli: $!\n";
    my $said = join '', <$from>;
    close $from;

    $said =~ s/\n\z//;
    return $said;
}


# What is typed, one command a line.

sub typed {
    my ($text, @options) = @_;

    my $file = "$s->{dir}/typed";
    Olivine::write_file($file, $text);

    my $said = qx(timeout 20 $redis_cli -p $s->{port} @options <$file);
    $said =~ s/\n\z//;
    return $said;
}


for my $options ([], ['-3']) {
    my $name = @$options ? 'resp3' : 'resp2';

    is(cli(@$options, qw(flushall)), 'OK', "$name: flushall");
    is(cli(@$options, qw(ping)), 'PONG', "$name: ping");
    is(cli(@$options, 'set', 'greeting', 'hello world'), 'OK', "$name: set");
    is(cli(@$options, qw(get greeting)), 'hello world', "$name: get");
    is(cli(@$options, '--no-raw', qw(get nothing)), '(nil)', "$name: nil");
    is(cli(@$options, '--no-raw', qw(incr visits)), '(integer) 1',
        "$name: incr");
    is(cli(@$options, qw(mset one 1 two 2)), 'OK', "$name: mset");
    is(cli(@$options, '--no-raw', qw(mget one nothing two)),
        qq(1) . qq{) "1"\n2) (nil)\n3) "2"}, "$name: mget");
    is(cli(@$options, '--csv', qw(mget one two)), '"1","2"', "$name: csv");
    like(cli(@$options, qw(incr greeting)), qr/^ERR value is not an integer/,
        "$name: an error");
    like(cli(@$options, qw(info server)), qr/redis_version:\d/, "$name: info");
    is(cli(@$options, '-n', 1, qw(dbsize)), '0', "$name: another database");
    is(cli(@$options, '-r', 5, qw(incr again)), join("\n", 1 .. 5),
        "$name: repeated");
    is(join(' ', sort split /\n/, cli(@$options, '--scan', '--pattern', 't*')),
        'two', "$name: scan");
}

is(typed("set a 1\nget a\n"), "OK\n1", 'commands typed');
is(typed("one\ntwo\n", '-x', 'set', 'b'), 'OK', 'a value from standard input');
is(cli(qw(get b)), "one\ntwo\n", 'it arrived');

# modes that go on until they are stopped say what they have by then

sub watched {
    my ($seconds, @options) = @_;

    my $command = "timeout -s INT $seconds stdbuf -o0 $redis_cli"
        . " -p $s->{port} @options 2>&1";

    return scalar qx($command);
}

is(cli('--json', qw(mget one nothing)), '["1",null]', 'json');
is(cli('--json', '-3', qw(config get databases)), '{"databases":"16"}',
    'json of a map');
is(cli('--json', qw(incr visits)), '2', 'json of a number');
is(cli('-3', '--no-raw', qw(config get databases)),
    qq(1) . qq{# "databases" => "16"}, 'a map');
like(qx($redis_cli -p $s->{port} -e incr greeting 2>&1), qr/not an integer/,
    'an error, by -e');

like(watched(2.4, '--stat', '-i', 0.5),
    qr/^keys +mem +clients.*\n(?:\d+ +[\d.]+[KMG]? +\d+ .*\n){2}/m, 'stat');
like(watched(1.2, '--latency', '--raw'), qr/^\d+ \d+ \d+\.\d+ \d+/m,
    'latency');
like(watched(2.5, '--latency-history', '-i', 1, '--raw'),
    qr/^\d+ \d+ \d+\.\d+ \d+/m, 'latency over time');
like(watched(2.5, '--latency-dist', '-i', 1), qr/---/,
    'latency as a spectrum');
like(cli('--intrinsic-latency', 1), qr/Worst run took/, 'intrinsic latency');

# hints come from COMMAND DOCS

SKIP: {
    my %hints = (
        'mset '           => 'key value [key value ...]',
        'getex k '        => '[EX seconds|PX milliseconds|EXAT '
            . 'unix-time-seconds|PXAT unix-time-milliseconds|PERSIST]',
        'command list '   => '[FILTERBY MODULE module-name|ACLCAT category|'
            . 'PATTERN pattern]',
        'scan 0 match x ' => '[COUNT count] [TYPE type]',
    );

    for my $typed (sort keys %hints) {
        my $hint = cli('--test_hint', $typed);

        skip 'this redis-cli does not tell its hints', scalar keys %hints
            if $hint =~ /^Unrecognized/ || $hint eq '';

        is($hint =~ s/ \z//r, $hints{$typed}, "hints of $typed");
    }
}

# what looks at all keys

is(cli(qw(flushall)), 'OK', 'flushall');
is(typed(join('', map { "set key:$_ " . 'x' x $_ . "\n" } 1 .. 300))
    =~ tr/K//, 300, 'keys of all lengths');

my $big = cli('--bigkeys');

like($big, qr/Sampled 300 keys in the keyspace!/, 'bigkeys');
like($big, qr/Biggest string found '?"key:300"'? has 300 bytes/,
    'the biggest');
like($big, qr/300 strings with 45150 bytes/, 'all of them');

SKIP: {
    skip 'there is no MEMORY', 2 if cli(qw(memory usage key:1)) !~ /^\d+$/;

    # several are in a cell as large as that of the biggest

    like(cli('--memkeys'),
        qr/Biggest string found '?"key:(?:2[5-9]\d|300)"'? has [3-9]\d\d bytes/,
        'memkeys');

    my $keys = qx(timeout 20 $redis_cli -p $s->{port} --keystats 2>&1);
    skip 'this redis-cli has no --keystats', 1 if $keys =~ /^Unrecognized/;
    like($keys, qr/string +key:300 has 300B/, 'keystats');
}

is(scalar split(/\n/, cli('--scan', '--pattern', 'key:1*')), 111, 'scan');

# MONITOR, until it is killed

{
    my $pid = open my $from, '-|', 'timeout', 20, $redis_cli, '-p', $s->{port},
        'monitor' or die "redis-cli: $!\n";

    is(scalar <$from>, "OK\n", 'monitor');
    is(cli('echo', "a\nb"), "a\nb", 'another client');

    my $line;

    while (defined($line = <$from>)) {
        last if $line !~ /"(COMMAND|HELLO)"/i;
    }

    like($line, qr/^\d{10}\.\d{6} \[0 127\.0\.0\.1:\d+\] "echo" "a\\nb"$/,
        'what it did');

    kill 'TERM', $pid;
    close $from;
}

# mass insertion

my $mass = join '', map { Olivine::Client::frame('set', "mass:$_", $_) }
    1 .. 1000000;

like(typed($mass, '--pipe'), qr/errors: 0, replies: 1000000$/,
    'mass insertion');
is(cli(qw(get mass:1000000)), '1000000', 'the last of them');
is(cli(qw(dbsize)), '1000300', 'and all others');

like(typed("set a 1\r\nnonsense\r\nget a\r\n", '--pipe', '2>&1'),
    qr/errors: 1, replies: 3$/, 'errors are counted');

done_testing();
