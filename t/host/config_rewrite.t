#!/usr/bin/perl

# CONFIG REWRITE, in both hosts

use strict;
use warnings;

use Olivine;

my $dir = "$Olivine::top/build/t/config_rewrite-files";
mkdir "$Olivine::top/build/t";
mkdir $dir;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/config rewrite/),
    '-ERR The server is running without a config file', 'without a file');
is($r->cmd(qw/config rewrite now/),
    "-ERR wrong number of arguments for 'config|rewrite' command",
    'arguments');
is($r->cmd(qw/config get config-file/), '*2 $11 config-file $0 ',
    'no file');
is($r->cmd('multi') . $r->cmd(qw/config rewrite/) . $r->cmd('exec'),
    '+OK+QUEUED*1 -ERR Command not allowed inside a transaction',
    'nor in a transaction');

$s->stop;

if ($s->{host} eq 'module') {
    done_testing();
    exit;
}

my $file = "$dir/redis.conf";

Olivine::write_file($file, <<"CONF");
# kept

timeout 0
   MaxClients   100
save 900 1
rename-command FLUSHALL ""
save 300 10
include $dir/more*.conf
always-show-logo no
slave-priority 100
timeout 7
# the end
CONF

chmod 0640, $file;

sub text {
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return <$in>;
}

$s = olivine(file => $file);
$r = $s->client;

is($r->cmd(qw/config get timeout/), '*2 $7 timeout $1 7', 'the last counts');
is($r->cmd(qw/config get config-file/),
    '*2 $11 config-file $' . length($file) . " $file", 'its file');
unlike($r->cmd(qw/config get c*/), qr/config-file/, 'is not listed');
is($r->cmd('config', 'set', 'requirepass', "a \"b'\n", 'maxmemory', '64mb',
           'replica-priority', 50, 'save', '1 2 3 4 5 6', 'timeout', 3,
           'client-output-buffer-limit', 'normal 1mb 0 5',
           'lock-timing', 'yes'),
    '+OK', 'changed');
is($r->cmd('auth', "a \"b'\n"), '+OK', 'known');
is($r->cmd(qw/config rewrite/), '+OK', 'written');

my $port = $s->{port};
my $text = text();

like($text, qr/\A\#\ kept\n\ntimeout\ 3\nmaxclients\ 1024\nsave\ 1\ 2\nsave\ 3\ 4\n
save\ 5\ 6\nrename-command\ FLUSHALL\ ""\ninclude\ \S+more\*\.conf\n
always-show-logo\ no\nreplica-priority\ 50\n\#\ the\ end\n\n/x,
    'in its place, comments and order kept');
like($text, qr/^# The following lines were added by CONFIG REWRITE\n/m,
    'a mark');
like($text, qr/^port $port\n/m, 'given by a flag');
like($text, qr/^maxmemory 64mb\n/m, 'a size');
like($text, qr/^requirepass "a \\"b'\\x0a"\n/m, 'quotes');
like($text, qr/^client-output-buffer-limit normal 1048576 0 5\n/m, 'a class');
unlike($text, qr/^(?:workers|http|lock-timing|config-file)/m,
    'nothing that Redis does not know');
unlike($text, qr/^repl-timeout/m, 'no defaults');
is((stat $file)[2] & 07777, 0640, 'its rights are kept');
is(join(' ', glob "$dir/redis.conf?*"), '', 'nothing else is left');

is($r->cmd(qw/config rewrite/), '+OK', 'once more');
is(text(), $text, 'changes nothing');

$s->stop;

# what was written starts it

$s = olivine(file => $file);
$r = $s->client;

is($r->cmd('auth', "a \"b'\n"), '+OK', 'the password');
is($r->cmd(qw/config get save/), '*2 $4 save $11 1 2 3 4 5 6', 'the points');
is($r->cmd(qw/config get replica-priority slave-priority/),
    '*4 $16 replica-priority $2 50 $14 slave-priority $2 50', 'by both names');
is($r->cmd('config', 'set', 'save', '', 'requirepass', ''), '+OK', 'none');
is($r->cmd(qw/config rewrite/), '+OK', 'written');
like(text(), qr/^save ""\n/m, 'none is said');
like(text(), qr/^requirepass ""\n/m, 'and here');
is(scalar(() = text() =~ /CONFIG REWRITE/g), 1, 'one mark');

# a file that is gone is made anew; one that cannot be is told

unlink $file;
is($r->cmd(qw/config rewrite/), '+OK', 'anew');
is((stat $file)[2] & 07777, 0600, 'for its owner');
unlink $file;
mkdir $file;
is($r->cmd(qw/config rewrite/),
    '-ERR Rewriting config file: File too large', 'no file');
rmdir $file;

done_testing();
