#!/usr/bin/perl

# --check-aof says of the log of a redis-server what redis-check-aof says, and
# cuts it at the same place.
# hosts: standalone
# workers: 1

use strict;
use warnings;

use Olivine;
use Olivine::Program qw(found);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use POSIX qw(_exit WNOHANG);
use Time::HiRes qw(sleep time);

my $server = found('redis-server');
my $checker = found('redis-check-aof');

plan(skip_all => 'redis-server is not installed') if !$server || !$checker;

my $dir = "$Olivine::top/build/t/aof-files";
remove_tree($dir);
make_path($dir);

my $binary = $ENV{OLIVINE_BINARY} || 'build/olivine';
$binary = "$Olivine::top/$binary" if $binary !~ m{^/};

my $pid;


# What a command says on both outputs, and what it ends with; "yes" is what
# it reads.

sub said {
    my ($yes, @command) = @_;

    write_file("$dir/answer", "$yes\n");

    open my $from, '-|', 'sh', '-c', "\"\$@\" 2>&1 <$dir/answer", 'sh',
            @command
        or die "$command[0]: $!\n";

    my $said = join '', <$from>;
    close $from;

    return ($? >> 8, $said);
}


sub check { return said('n', $binary, '--check-aof', @_) }
sub redis { return said('y', $checker, @_) }


sub start {
    my ($folder, @options) = @_;
    my $port = Olivine::free_port();

    $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', "$dir/log-$port";
        open STDERR, '>&', \*STDOUT;
        exec $server, '--port', $port, '--bind', '127.0.0.1', '--save', '',
             '--dir', $folder, '--appendonly', 'yes',
             '--appendfsync', 'no', '--aof-timestamp-enabled', 'yes',
             '--auto-aof-rewrite-percentage', 0, @options
            or _exit(127);
    }

    for (1 .. 500) {
        my $r = eval { client($port, timeout => 30) };
        return $r if $r && ($r->cmd('ping') // '') eq '+PONG';
        last if waitpid($pid, WNOHANG()) == $pid;
        sleep 0.02;
    }

    undef $pid;
    diag(Olivine::read_file("$dir/log-$port"));
    return;
}


sub stop {
    return if !$pid;
    kill TERM => $pid;
    waitpid $pid, 0;
    undef $pid;
}


sub write_file {
    my ($file, $bytes) = @_;
    open my $out, '>', $file or die "$file: $!\n";
    print $out $bytes;
    close $out or die "$file: $!\n";
}


# A copy of the directory, its last increment changed.

sub copied {
    my ($last, $bytes) = @_;

    remove_tree("$dir/copy");
    make_path("$dir/copy");
    copy($_, "$dir/copy/") for glob "$dir/one/appendonlydir/*";
    write_file("$dir/copy/$last", $bytes);

    return "$dir/copy/appendonly.aof.manifest";
}


# --- a log with all there is

make_path("$dir/one");

my $r = start("$dir/one") or die "$server did not start\n";

$r->cmd('set', "key:$_", 'x' x $_) for 1 .. 100;
$r->cmd('bgrewriteaof');

for (1 .. 500) {
    last if $r->cmd('info', 'persistence')
        =~ /aof_rewrite_in_progress:0.*aof_rewrite_scheduled:0/s;
    sleep 0.02;
}

my $between;

for my $round (1 .. 3) {
    $r->cmd('select', $round);
    $r->cmd('set', "a$round", "*1\r\n\$1\r\n");
    $r->cmd('multi');
    $r->cmd('set', "b$round", 'y' x 50);
    $r->cmd('incr', 'n');
    $r->cmd('exec');
    $r->cmd('rpush', 'list', 1, 2, 3);

    $between = int time if $round == 2;
    sleep 1.1 if $round < 3;
}

stop();

my $manifest = "$dir/one/appendonlydir/appendonly.aof.manifest";
my ($last) = Olivine::read_file($manifest) =~ /(\S+) seq \d+ type i\s*\z/;
my ($base) = Olivine::read_file($manifest) =~ /(\S+) seq \d+ type b/;
my $whole = Olivine::read_file("$dir/one/appendonlydir/$last");

my ($rc, $said) = check($manifest);
is($rc, 0, 'a whole log') or diag($said);
like($said, qr/^base ".*\Q$base\E": \d+ bytes, an RDB part of \d+ with 100 /m,
     'the base');

my $size = length $whole;
like($said, qr/^increment ".*\Q$last\E": $size bytes, \d+ commands, 3 trans/m,
     'the increment');
like($said, qr/3 transactions, last time \d{10} \(\d{4}-/m, 'its time');
like($said, qr/^OK: 2 files$/m, 'all is well');


# --- every cut

my ($agreed, $cuts) = (0, 0);

for (my $n = length($whole) - 1; $n > 0; $n -= 5) {
    my $bytes = substr $whole, 0, $n;
    my $file = "$dir/one/$last";

    # redis-check-aof takes an annotation for whole that is cut off, to which
    # the next command would then be added
    next if $bytes =~ /(?:^|\n)#[^\n]*\z/;

    write_file($file, $bytes);

    my ($ours, $our_text) = check($file);
    my ($theirs, $their_text) = redis($file);
    my ($valid) = $our_text =~ /all before offset (\d+) is whole/;
    my ($ok) = $their_text =~ /ok_up_to=(\d+)/;

    $valid = $n if $ours == 0;
    $cuts++;

    if ($ours == $theirs && $valid == $ok) {
        $agreed++;

    } else {
        diag("cut at $n: $our_text$their_text");
    }
}

ok($cuts > 100, 'many cuts');
is($agreed, $cuts, 'torn where redis-check-aof says');


# --- a torn end is cut

my $path = copied($last, substr $whole, 0, -5);

($rc, $said) = check($path);
is($rc, 1, 'torn');
like($said, qr/offset \d+: the file ends inside of the command/, 'where');
like($said, qr/--fix would cut off what is torn/, 'what to do');
unlike($said, qr/^OK/m, 'not well');
is(-s "$dir/copy/$last", length($whole) - 5, 'nothing was changed');

($rc, $said) = check('--fix', $path);
is($rc, 0, 'cut');
like($said, qr/^cut ".*\Q$last\E" to \d+ bytes$/m, 'says so');
my $cut = -s "$dir/copy/$last";

$path = copied($last, substr $whole, 0, -5);
redis('--fix', $path);
is(-s "$dir/copy/$last", $cut, 'redis-check-aof cuts there');

($rc, $said) = check($path);
is($rc, 0, 'is whole then');

# within a transaction

my $multi = rindex $whole, "*1\r\n\$5\r\nMULTI";
$path = copied($last, substr $whole, 0, index($whole, 'incr', $multi) + 4);
($rc, $said) = check('--fix', $path);
is($rc, 0, 'cut in a transaction');
is(-s "$dir/copy/$last", $multi, 'before MULTI');
($rc, $said) = redis($path);
like($said, qr/All AOF files and manifest are valid/, 'redis-check-aof agrees');

make_path("$dir/two/appendonlydir");
copy($_, "$dir/two/appendonlydir/") for glob "$dir/copy/*";
$r = start("$dir/two", '--aof-load-truncated', 'no');
ok($r, 'redis-server starts with it');

if ($r) {
    $r->cmd('select', 3);
    is($r->cmd('get', 'b3'), '$-1', 'without the transaction');
    $r->cmd('select', 2);
    is($r->cmd('get', 'n'), '$1 1', 'with the one before');
}

stop();


# --- damage is cut only by who says yes

my $bytes = $whole;
substr($bytes, index($bytes, "\$2\r\nb2"), 1) = ':';
$path = copied($last, $bytes);

($rc, $said) = check($path);
is($rc, 1, 'damaged');
my $at = index $whole, "\$2\r\nb2";
like($said, qr/offset $at: expected "\$", found the byte 0x3a/, 'where');

($rc, $said) = check('--fix', $path);
is($rc, 1, 'damaged still');
like($said, qr/^\d+ bytes will be lost/m, 'how much');
like($said, qr/nothing was changed/, 'who says no');
is(-s "$dir/copy/$last", length $whole, 'is not cut');

($rc, $said) = said('y', $binary, '--check-aof', '--fix', $path);
is($rc, 0, 'who says yes');
$cut = -s "$dir/copy/$last";
is(substr($whole, $cut, 14), "*1\r\n\$5\r\nMULTI\r", 'is cut before MULTI');

$path = copied($last, $bytes);
redis('--fix', $path);
is(-s "$dir/copy/$last", $cut, 'as redis-check-aof does');


# --- only the last file

$path = copied('appendonly.aof.9.incr.aof', $whole);
write_file($path, Olivine::read_file($manifest)
           . "file appendonly.aof.9.incr.aof seq 9 type i\n");
write_file("$dir/copy/$last", substr $whole, 0, -5);

($rc, $said) = check('--fix', $path);
is($rc, 1, 'torn in the middle');
like($said, qr/only the last file can be cut/, 'is not cut');
is(-s "$dir/copy/$last", length($whole) - 5, 'indeed');

write_file("$dir/copy/appendonly.aof.9.incr.aof", substr $whole, 0, -5);
($rc, $said) = check('--fix', $path);
like($said, qr/not cut, as a file before it is wrong/, 'nor is the last one');
is(-s "$dir/copy/appendonly.aof.9.incr.aof", length($whole) - 5, 'indeed');

unlink "$dir/copy/$last";
($rc, $said) = check($path);
is($rc, 1, 'a file is missing');
like($said, qr/cannot open ".*\Q$last\E": No such file/, 'which one');

write_file($path, "file a seq 1 type x\n");
($rc, $said) = check($path);
is($rc, 1, 'a wrong manifest');
like($said, qr/line 1: the type of the file is not b, h or i/, 'why');


# --- up to a time

$path = copied($last, $whole);
($rc, $said) = check('--truncate-to-timestamp', $between, $path);
is($rc, 0, 'cut at a time');
$cut = -s "$dir/copy/$last";
ok($cut < length $whole, 'is shorter');

$path = copied($last, $whole);
redis('--truncate-to-timestamp', $between, $path);
is(-s "$dir/copy/$last", $cut, 'as redis-check-aof does');

($rc, $said) = check('--truncate-to-timestamp', int(time) + 100, $path);
is($rc, 0, 'nothing is later');
is(-s "$dir/copy/$last", $cut, 'nothing was changed');

my $timed = "#TS:1700000000\r\n*1\r\n\$4\r\nPING\r\n";
write_file("$dir/copy/$last", $timed);
($rc, $said) = check('--truncate-to-timestamp', 5, $path);
is($rc, 1, 'all is later');
like($said, qr/nothing in it is from before 5/, 'says so');
is(-s "$dir/copy/$last", length $timed, 'nothing was changed');

($rc, $said) = check('--truncate-to-timestamp', 'x', $path);
is($rc, 1, 'no time');


# --- one file alone

my $old = "$dir/one/old.aof";
my $rdb = Olivine::read_file("$dir/one/appendonlydir/$base");

write_file($old, $rdb . $whole);
($rc, $said) = check($old);
is($rc, 0, 'commands behind an RDB file') or diag($said);
like($said, qr/an RDB part of @{[ length $rdb ]} with 100 keys/, 'both');

write_file($old, $rdb . substr $whole, 0, -5);
($rc, $said) = check('--fix', $old);
is($rc, 0, 'cut');
$cut = -s $old;
write_file($old, $rdb . substr $whole, 0, -5);
redis('--fix', $old);
is(-s $old, $cut, 'as redis-check-aof does');

$bytes = $rdb;
substr($bytes, 200, 1) ^= "\x01";
write_file($old, $bytes . $whole);
($rc, $said) = check('--fix', $old);
is($rc, 1, 'a damaged RDB part');
like($said, qr/the RDB part cannot be mended/, 'is left alone');
is(-s $old, length($rdb . $whole), 'indeed');

write_file($old, '');
($rc, $said) = check($old);
is($rc, 0, 'an empty file');
like($said, qr/0 bytes, it is empty/, 'says so');

($rc, $said) = check("$dir/one");
is($rc, 1, 'a folder');

($rc, $said) = check('--fix');
is($rc, 1, 'no file');
like($said, qr/^usage: /, 'says how');

END {
    my $status = $?;
    stop();
    $? = $status;
}

done_testing();
