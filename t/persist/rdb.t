#!/usr/bin/perl

# RDB files of a redis-server are read; what is written of them, it loads.
# hosts: standalone
# workers: 1

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);
use POSIX qw(_exit);
use Time::HiRes qw(sleep);

my $server = found('redis-server');
my $checker = found('redis-check-rdb');

plan(skip_all => 'redis-server is not installed') if !$server || !$checker;

my $dir = "$Olivine::top/build/t/rdb-files";
File::Path::remove_tree($dir);
File::Path::make_path($dir);

my $binary = $ENV{OLIVINE_BINARY} || 'build/olivine';
$binary = "$Olivine::top/$binary" if $binary !~ m{^/};

chomp(my $copy = `$Olivine::top/t/tools/program t/persist/rdb_copy`);
die "rdb_copy was not built\n" if !-x $copy;

my %pids;


# A redis-server that begins with a file of the folder.

sub peer {
    my ($file, @options) = @_;
    my $port = Olivine::free_port();
    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', "$dir/log-$port";
        open STDERR, '>&', \*STDOUT;
        exec $server, '--port', $port, '--bind', '127.0.0.1', '--save', '',
             '--dir', $dir, '--dbfilename', $file,
             '--enable-debug-command', 'yes', @options
            or _exit(127);
    }

    $pids{$port} = $pid;

    for (1 .. 500) {
        my $r = eval { client($port, timeout => 30) };
        return ($r, $port) if $r && ($r->cmd('ping') // '') eq '+PONG';
        sleep 0.02;
    }

    die "$server did not start\n" . Olivine::read_file("$dir/log-$port");
}


sub stop {
    my ($port) = @_;

    kill KILL => $pids{$port};
    waitpid $pids{$port}, 0;
    delete $pids{$port};
}


# What a command says on both outputs, and what it ends with.

sub said {
    my (@command) = @_;

    open my $from, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', @command
        or die "$command[0]: $!\n";

    my $said = join '', <$from>;
    close $from;

    return ($? >> 8, $said);
}


sub check { return said($binary, '--check-rdb', @_) }


# All keys with an expiry, and when that is.

sub expiries {
    my ($r) = @_;
    my $all = '';

    for my $db (0 .. 15) {
        $r->cmd('select', $db);

        my @keys = sort @{ $r->value('keys', '*') };
        my @times = $r->pipe(map { [ 'pexpiretime', $_ ] } @keys);

        for my $i (0 .. $#keys) {
            $all .= "$db $keys[$i] $times[$i]\n" if $times[$i] ne ':-1';
        }
    }

    $r->cmd('select', 0);

    return $all;
}


# The file as our reader and writer have it, which redis-server then has.

sub copied {
    my ($name, $file, $r, @options) = @_;
    my $to = "copy-$file";

    my ($rc, $said) = said($copy, "$dir/$file", "$dir/$to", @options);
    is($rc, 0, "$name: copied") or diag($said);

    ($rc, $said) = said($checker, "$dir/$to");
    is($rc, 0, "$name: redis-check-rdb is content") or diag($said);

    ($rc, $said) = check("$dir/$to");
    is($rc, 0, "$name: so are we") or diag($said);

    my ($q, $port) = peer($to);

    is($q->cmd('debug', 'digest'), $r->cmd('debug', 'digest'),
        "$name: redis-server has the same keys");
    is(expiries($q), expiries($r), "$name: and expiries");

    stop($port);

    return Olivine::read_file("$dir/$to");
}


# keys and values of all encodings

sub fill {
    my ($r) = @_;

    my $text = join '', map { chr(int rand 256) } 1 .. 3000;
    my $words = join ' ', map { (qw(a word or another))[rand 4] } 1 .. 20000;
    my $later = (time + 10000) * 1000;
    my @set;

    for my $n (0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769,
               2147483647, 2147483648, -2147483648, -2147483649,
               '9223372036854775807', '-9223372036854775808',
               '12345678901234567890', '007', '+1', '-0', '1.5')
    {
        push @set, [ 'set', "number:$n", $n ], [ 'set', $n, "number:$n" ];
    }

    push @set, map { [ 'set', 'x' x $_, substr $text, 0, $_ ],
                     [ 'set', "same:$_", 'y' x $_ ] }
        0 .. 70, 254 .. 258, 300;

    push @set, [ 'set', 'random:16384', substr $text x 6, 0, 16384 ],
               [ 'set', 'random:300000', join '', map { chr(rand 256) }
                                                  1 .. 300000 ],
               [ 'set', 'words', $words ],
               [ 'set', 'long', 'z' x 3000000 ],
               [ 'set', "odd \0\r\n\xff", "\0" ];

    push @set, map { [ 'set', "later:$_", $_, 'pxat', $later + $_ ] }
        1 .. 200;

    for my $db (1, 9, 15) {
        push @set, [ 'select', $db ], [ 'set', "in:$db", $db, 'ex', 5000 + $db ],
                   map { [ 'set', "many:$_", $_ * $_ ] } 1 .. 500;
    }

    push @set, [ 'select', 0 ],
               [ 'debug', 'populate', 20000, 'key', 30 ];

    my @bad = grep { !/^\+OK/ } $r->pipe(@set);
    is(scalar @bad, 0, 'filled') or diag(@bad[0 .. 3]);
}


my ($r, $port) = peer('one.rdb', '--maxmemory', '500mb');

fill($r);
is($r->cmd('save'), '+OK', 'saved');

my ($rc, $said) = check("$dir/one.rdb");

is($rc, 0, 'a file of redis-server is good') or diag($said);
like($said, qr/^RDB file of version 10 of Redis\nredis-ver: 7\./, 'version');
like($said, qr/^aof-base: 0$/m, 'fields');

my $keys = $r->value('dbsize');
like($said, qr/^database 0: $keys keys, 200 with an expiry, of which 0 expired$/m,
    'database 0');
like($said, qr/^database 15: 501 keys, 1 with an expiry, of which 0 expired$/m,
    'database 15');
my $all = $keys + 3 * 501;
like($said, qr/\nOK: $all keys, the checksum is right\n\z/, 'all');

my $one = Olivine::read_file("$dir/one.rdb");

ok(copied('one', 'one.rdb', $r) eq $one, 'written as redis-server does');
ok(copied('small windows', 'one.rdb', $r, qw(window 1)) eq $one,
    'out of any window');

# in other ways

copied('not compressed', 'one.rdb', $r, qw(compress 0));
copied('few are compressed', 'one.rdb', $r, qw(compress 1000));
like(copied('no checksum', 'one.rdb', $r, qw(checksum 0)),
    qr/\xff\0\0\0\0\0\0\0\0\z/, 'zeros stand for it');
like((check("$dir/copy-one.rdb"))[1], qr/^OK: $all keys, there is no checksum$/m,
    'which we say');

is($r->cmd(qw/config set rdbcompression no/), '+OK', 'rdbcompression no');
is($r->cmd('save'), '+OK', 'saved');
$one = Olivine::read_file("$dir/one.rdb");
ok(copied('rdbcompression', 'one.rdb', $r, qw(compress 0)) eq $one,
    'not compressed as redis-server does not');
is($r->cmd(qw/config set rdbcompression yes/), '+OK', 'rdbcompression yes');

# idle times, frequencies

for my $policy ('allkeys-lru', 'volatile-lfu') {
    is($r->cmd('config', 'set', 'maxmemory-policy', $policy), '+OK', $policy);
    sleep 1.1;
    $r->cmd('get', "later:$_") for 1 .. 100;
    is($r->cmd('save'), '+OK', 'saved');

    $one = Olivine::read_file("$dir/one.rdb");
    ok(copied($policy, 'one.rdb', $r) eq $one, "$policy as redis-server");
}

stop($port);

# what has expired

($r, $port) = peer('two.rdb', '--rdbchecksum', 'no');

$r->cmd(qw/debug set-active-expire 0/);
$r->cmd(qw/set gone 1 px 1/);
$r->cmd(qw/set stays 1/);
sleep 0.01;
is($r->cmd('save'), '+OK', 'saved');

($rc, $said) = check("$dir/two.rdb");
is($rc, 0, 'expired');
like($said, qr/^database 0: 2 keys, 1 with an expiry, of which 1 expired\n/m,
    'expired keys');
like($said, qr/^OK: 2 keys, there is no checksum$/m, 'no checksum');

# commands of an AOF behind it

$one = Olivine::read_file("$dir/two.rdb");
my $len = length $one;

Olivine::write_file("$dir/behind", "$one*1\r\n\$4\r\nPING\r\n");
like((check("$dir/behind"))[1],
    qr/^behind its end: 14 bytes, from offset $len on$/m, 'an AOF behind it');

# functions, and what is not known yet

is($r->cmd('del', 'gone'), ':0', 'one key is left');
is($r->cmd('function', 'load', "#!lua name=l\nredis.register_function('f', "
    . "function() return 1 end)"), '$1 l', 'a function');
is($r->cmd('save'), '+OK', 'saved');
like((check("$dir/two.rdb"))[1], qr/^libraries of functions: 1
database 0: 1 key, 0 with an expiry, of which 0 expired
OK: 1 key, /m, 'functions');

for my $t ([ 'list', qw(rpush l a b) ], [ 'set', qw(sadd s a b) ],
           [ 'hash', qw(hset h a b) ], [ 'sorted set', qw(zadd z 1 a) ],
           [ 'stream', qw(xadd x * a b) ])
{
    my ($type, @command) = @$t;

    $r->cmd('flushall');
    $r->cmd(@command);
    is($r->cmd('save'), '+OK', 'saved');

    ($rc, $said) = check("$dir/two.rdb");
    is($rc, 1, "a $type is refused");
    like($said, qr/^olivine: ".*\/two\.rdb", offset \d+: the key "$command[1]" is a $type(?: \([\w ]+\))?, which is not known yet$/m,
        'by its name');
}

stop($port);

# damage

sub damaged {
    my ($name, $bytes, $what) = @_;

    Olivine::write_file("$dir/damaged", $bytes);
    my ($rc, $said) = check("$dir/damaged");

    is($rc, 1, $name);
    like($said, qr/^olivine: "\Q$dir\E\/damaged", offset $what$/m,
        "$name: said");
    unlike($said, qr/^OK/m, "$name: not OK");
}

$one = Olivine::read_file("$dir/copy-one.rdb");

damaged('nothing', '', '0: the file is too short, it ends within its header');
damaged('something else', 'x' x 100, '0: it is no RDB file');
damaged('cut off', substr($one, 0, length($one) / 2),
    '\d+: the file is too short, it ends within \w.*');
damaged('no checksum', substr($one, 0, length($one) - 8),
    (length($one) - 9) . ': the file is too short, it ends within the end');

my $wrong = $one;
my $at = index $wrong, 'many:';
substr($wrong, $at, 1) = 'n';
damaged('another letter', $wrong,
    (length($one) - 9) . ': the checksum is wrong');

substr($wrong, 5, 4) = '0099';
damaged('another version', $wrong, '0: it is of version 99 of Redis, only 1 '
    . 'to 12 of Redis and 80 of Valkey can be read');

# what is odd, but right

Olivine::write_file("$dir/odd", "REDIS0012\xfa\x03a b\x07c\"\\\n\xffde"
    . "\xf7\x81" . module('ReJSON-RL', 3) . "\x02\x01\x05\x03str\x00"
    . "\xfe\x01\xfa\x04hint\x00\xff" . "\0" x 8);

is((check("$dir/odd"))[1], qq(RDB file of version 12 of Redis
"a b": "c\\"\\\\\\x0a\\xffde"
module ReJSON-RL: its data is passed over
hint: ""
OK: 0 keys, there is no checksum
), 'odd names');

# files that are none

is((check("$dir/none"))[1], "olivine: cannot open \"$dir/none\": No such file "
    . "or directory\n", 'no file');
is((check($dir))[1], "olivine: cannot read \"$dir\": Is a directory\n",
    'a folder');
is((check())[1], "usage: olivine --check-rdb FILE\n", 'no name');

# How a module says who it is.

sub module {
    my ($name, $version) = @_;
    my $id = 0;

    $id = $id << 6 | index(join('', 'A' .. 'Z', 'a' .. 'z', 0 .. 9, '-_'), $_)
        for split //, $name;

    return pack 'Q>', $id << 10 | $version;
}

END {
    my $status = $?;
    kill KILL => values %pids;
    waitpid $_, 0 for values %pids;
    $? = $status;
}

done_testing();
