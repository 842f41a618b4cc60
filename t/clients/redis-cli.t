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

my $mass = join '', map { Olivine::Client::frame('set', "mass:$_", $_) }
    1 .. 10000;

like(typed($mass, '--pipe'), qr/errors: 0, replies: 10000$/, 'mass insertion');
is(cli(qw(get mass:10000)), '10000', 'the last of them');

done_testing();
