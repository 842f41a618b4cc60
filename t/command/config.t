#!/usr/bin/perl

# CONFIG

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

is($r->cmd(qw/config get timeout/), '*2 $7 timeout $1 0', 'a parameter');
is($r->cmd(qw/config get TimeOut/), '*2 $7 TimeOut $1 0',
    'is replied as it was written');
is($r->cmd(qw/config get timeout t?meout time*/), '*2 $7 timeout $1 0',
    'once');
is($r->cmd(qw/config get TIM*OUT/), '*2 $7 timeout $1 0',
    'a pattern knows no case');
is($r->cmd(qw/config get d[a]tabases/), '*2 $9 databases $2 16', 'a class');
is($r->cmd(qw/config get nope/), '*0', 'what there is not');
is($r->cmd(qw/config get nope*/), '*0', 'nor this');
is($r->cmd(qw/config get/),
    '-ERR wrong number of arguments for \'config|get\' command',
    'too few');
is($r->cmd(qw/config set timeout 17 maxclients 500/), '+OK', 'two at once');
is($r->cmd(qw/config get timeout/), '*2 $7 timeout $2 17', 'one');
is($r->cmd(qw/config get maxclients/), '*2 $10 maxclients $3 500', 'two');
is($r->cmd(qw/config set timeout 18 maxclients 0/),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'maxclients\') - argument must be between 1 and 4294967295 '
    . 'inclusive',
    'all or nothing');
is($r->cmd(qw/config get timeout/), '*2 $7 timeout $2 17', 'nothing');
is($r->cmd(qw/config set timeout 0 maxclients 10000/), '+OK', 'as it was');
is($r->cmd(qw/config set nope 1/),
    '-ERR Unknown option or number of arguments for CONFIG SET - \'nope\'',
    'what there is not');
is($r->cmd(qw/config set timeout x nope 1/),
    '-ERR Unknown option or number of arguments for CONFIG SET - \'nope\'',
    'is said before values are looked at');
is($r->cmd(qw/config set nope 1 databases 3/),
    '-ERR Unknown option or number of arguments for CONFIG SET - \'nope\'',
    'in order');
is($r->cmd(qw/config set databases 3 nope 1/),
    '-ERR CONFIG SET failed (possibly related to argument \'databases\') '
    . '- can\'t set immutable config',
    'of names');
is($r->cmd(qw/config set databases 3/),
    '-ERR CONFIG SET failed (possibly related to argument \'databases\') '
    . '- can\'t set immutable config',
    'not while it runs');
is($r->cmd(qw/config set DataBases 3/),
    '-ERR CONFIG SET failed (possibly related to argument \'DataBases\') '
    . '- can\'t set immutable config',
    'in any case');
is($r->cmd('config', 'set', 'dir', '/tmp'),
    '-ERR CONFIG SET failed (possibly related to argument \'dir\') - '
    . 'can\'t set protected config',
    'nor this');
is($r->cmd(qw/config set enable-debug-command yes/),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'enable-debug-command\') - can\'t set immutable config',
    'nor this');
is($r->cmd(qw/config set timeout 1 TIMEOUT 2/),
    '-ERR CONFIG SET failed (possibly related to argument \'TIMEOUT\') - '
    . 'duplicate parameter',
    'one name twice');
is($r->cmd(qw/config set timeout 1 timeout/), '-ERR syntax error',
    'a value is missing');
is($r->cmd(qw/config set timeout/),
    '-ERR wrong number of arguments for \'config|set\' command',
    'and here');
is($r->cmd(qw/config set/),
    '-ERR wrong number of arguments for \'config|set\' command',
    'and here');
is($r->cmd(qw/config set timeout -1/),
    '-ERR CONFIG SET failed (possibly related to argument \'timeout\') - '
    . 'argument must be between 0 and 2147483647 inclusive',
    'too small');
is($r->cmd(qw/config set timeout abc/),
    '-ERR CONFIG SET failed (possibly related to argument \'timeout\') - '
    . 'argument couldn\'t be parsed into an integer',
    'no number');
is($r->cmd(qw/config set timeout 99999999999/),
    '-ERR CONFIG SET failed (possibly related to argument \'timeout\') - '
    . 'argument must be between 0 and 2147483647 inclusive',
    'too large');
is($r->cmd(qw/config set tcp-keepalive abc/),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'tcp-keepalive\') - argument couldn\'t be parsed into an integer',
    'no number');
is($r->cmd(qw/config set maxclients 0/),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'maxclients\') - argument must be between 1 and 4294967295 '
    . 'inclusive',
    'too few');
is($r->cmd(qw/config set maxmemory abc/),
    '-ERR CONFIG SET failed (possibly related to argument \'maxmemory\') '
    . '- argument must be a memory value',
    'no size');
is($r->cmd(qw/config set maxmemory -1/),
    '-ERR CONFIG SET failed (possibly related to argument \'maxmemory\') '
    . '- argument must be a memory value',
    'nor is this');
is($r->cmd(qw/config set maxmemory 100mb/), '+OK', 'a size');
is($r->cmd(qw/config get maxmemory/), '*2 $9 maxmemory $9 104857600',
    'is told in bytes');
is($r->cmd(qw/config set maxmemory 64KB/), '+OK', 'in any case');
is($r->cmd(qw/config get maxmemory/), '*2 $9 maxmemory $5 65536',
    'of its unit');
is($r->cmd(qw/config set maxmemory 1k/), '+OK', 'a thousand');
is($r->cmd(qw/config get maxmemory/), '*2 $9 maxmemory $4 1000', 'is one');
is($r->cmd(qw/config set maxmemory 0/), '+OK', 'no limit');
is($r->cmd(qw/config set proto-max-bulk-len 1/),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'proto-max-bulk-len\') - argument must be between 1048576 and '
    . '9223372036854775807 inclusive',
    'too small');
is($r->cmd(qw/config set appendonly maybe/),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'appendonly\') - argument must be \'yes\' or \'no\'',
    'yes or no');
is($r->cmd(qw/config set loglevel nope/),
    '-ERR CONFIG SET failed (possibly related to argument \'loglevel\') '
    . '- argument(s) must be one of the following: debug, verbose, '
    . 'notice, warning, nothing',
    'a word there is none of');
is($r->cmd(qw/config set loglevel warning/), '+OK', 'a word there is');
is($r->cmd(qw/config get loglevel/), '*2 $8 loglevel $7 warning', 'is told');
is($r->cmd(qw/config set loglevel notice/), '+OK', 'as it was');
is($r->cmd(qw/config set save abc/),
    '-ERR CONFIG SET failed (possibly related to argument \'save\') - '
    . 'Invalid save parameters',
    'pairs');
is($r->cmd('config', 'set', 'save', '3600 1 300'),
    '-ERR CONFIG SET failed (possibly related to argument \'save\') - '
    . 'Invalid save parameters',
    'of numbers');
is($r->cmd('config', 'set', 'save', '3600 1 300 100'), '+OK', 'two of them');
is($r->cmd(qw/config get save/), '*2 $4 save $14 3600 1 300 100', 'are told');
is($r->cmd('config', 'set', 'save', ''), '+OK', 'none');
is($r->cmd(qw/config get save/), '*2 $4 save $0 ', 'is told as well');
is($r->cmd('config', 'set', 'client-output-buffer-limit', 'nope 0 0 0'),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'client-output-buffer-limit\') - Invalid client class specified in '
    . 'buffer limit configuration.',
    'a class there is none of');
is($r->cmd('config', 'set', 'client-output-buffer-limit', 'normal 0 0'),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'client-output-buffer-limit\') - Wrong number of arguments in '
    . 'buffer limit configuration.',
    'three numbers');
is($r->cmd('config', 'set', 'client-output-buffer-limit', 'normal 0 0 x'),
    '-ERR CONFIG SET failed (possibly related to argument '
    . '\'client-output-buffer-limit\') - Error in hard, soft or '
    . 'soft_seconds setting in buffer limit configuration.',
    'that are numbers');
is($r->cmd('config', 'set', 'client-output-buffer-limit',
           'normal 1mb 512kb 60'),
    '+OK',
    'one class');
is($r->cmd(qw/config get client-output-buffer-limit/),
    '*2 $26 client-output-buffer-limit $79 normal 1048576 524288 60 '
    . 'slave 268435456 67108864 60 pubsub 33554432 8388608 60',
    'leaves the others');
is($r->cmd('config', 'set', 'client-output-buffer-limit', 'normal 0 0 0'),
    '+OK',
    'as it was');
is($r->cmd(qw/config nope/),
    '-ERR unknown subcommand \'nope\'. Try CONFIG HELP.',
    'a subcommand there is none of');
is($r->cmd(qw/config/),
    '-ERR wrong number of arguments for \'config\' command',
    'too few');

# all workers see it

my @clients = map { $s->client } 1 .. 16;

is($r->cmd(qw/config set timeout 12345/), '+OK', 'set by one');
is((grep { $_->cmd(qw/config get timeout/) ne '*2 $7 timeout $5 12345' }
    @clients), 0, 'seen by all');

my $all = $r->value(qw/config get */);
my %all = @$all;
ok(exists $all{$_}, "$_ is there")
    for qw(requirepass maxclients maxmemory databases timeout tcp-keepalive
           proto-max-bulk-len client-query-buffer-limit
           client-output-buffer-limit enable-debug-command loglevel dir save
           appendonly);

# out of memory, by order

is($r->cmd(qw/config set maxmemory 1/), '+OK', 'a byte is not much');
is($r->cmd(qw/set k v/), "-OOM command not allowed when used memory > "
    . "'maxmemory'.", 'writing is refused');
is($r->cmd(qw/get k/), '$-1', 'reading is not');
is($r->cmd(qw/del k/), ':0', 'nor is removing');
is($r->cmd(qw/config set maxmemory 0/), '+OK', 'no limit');
is($r->cmd(qw/set k v/), '+OK', 'writing goes on');

# replicas, of which there are none

is($r->cmd('multi') . $r->cmd(qw/set k w/), '+OK+QUEUED', 'a transaction');
is($s->client->cmd(qw/config set min-replicas-to-write 1/), '+OK', 'one');
is($r->cmd('exec'), '-EXECABORT Transaction discarded because of: NOREPLICAS '
    . 'Not enough good replicas to write.', 'is discarded');
is($r->cmd(qw/set k w/), '-NOREPLICAS Not enough good replicas to write.',
    'writing is refused');
is($r->cmd(qw/get k/), '$1 v', 'reading is not');
is($r->cmd(qw/config set min-slaves-max-lag 0/), '+OK', 'none that counts');
is($r->cmd(qw/set k v/), '+OK', 'writing goes on');
is($r->cmd(qw/config set min-slaves-max-lag 10 min-slaves-to-write 0/), '+OK',
    'as it was');

# the values that the server was started with

my ($port) = $r->cmd(qw/config get port/) =~ /(\d+)$/;
is($r->cmd(qw/config set port/, $port), '+OK', 'the port it has');
is($r->cmd(qw/config set timeout 3 port/, $port == 9 ? 10 : 9),
    '-ERR CONFIG SET failed (possibly related to argument \'port\') - '
    . 'Unable to listen on this port while running', 'another');
like($r->cmd(qw/config set bind 192.0.2.1/), qr/can't set immutable config$/,
    'another address');
is($r->cmd(qw/config get timeout/), '*2 $7 timeout $5 12345', 'all or none');

# in order, with names that Redis has for tests left out

my @names = @{ $r->value(qw/config get */) };
@names = @names[map { 2 * $_ } 0 .. $#names / 2];
is("@names", join(' ', sort @names), 'in order');
ok(!grep({ /delay$/ && /key/ } @names), 'hidden ones are not told');
is($r->cmd(qw/config get key-load-delay/), '*2 $14 key-load-delay $1 0',
    'but when asked for');

done_testing();
