#!/usr/bin/perl

# DEBUG

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

is($r->cmd(qw/debug digest/), '+0000000000000000000000000000000000000000',
    'nothing');
is($r->cmd(qw/set k v/), '+OK', 'a string');
is($r->cmd(qw/debug digest/), '+264ccf65edec66bccfa7cc659414ccca432057d2',
    'as in Redis');
is($r->cmd(qw/debug digest-value k/),
    '*1 +d79ee9fe5d5ad902d7f6620efc3b07b75ddd742f',
    'of the value alone');
is($r->cmd(qw/set n 12345/), '+OK', 'a number');
is($r->cmd(qw/set e v ex 10000000/), '+OK', 'an expiry');
is($r->cmd(qw/append k x/), ':2', 'bytes');
is($r->cmd('set', '', 'empty'), '+OK', 'an empty key');
is($r->cmd(qw/debug digest/), '+eee6a1059a4601650042480c12570da7c99c7bf0',
    'in any order');
is($r->cmd('debug', 'digest-value', 'k', 'n', 'e', '', 'none'),
    '*5 +3d314f5be77c2407e04ca7ce02381e58aedd6ace '
    . '+e1cf90774e995ae03de66e8109dc5cb9d9c2dc83 '
    . '+311b17018163335616e089f6b951c82c477335ac '
    . '+9bd1be3a2bc126a01b0085452a4712494fb9bcd3 '
    . '+0000000000000000000000000000000000000000',
    'each by itself');
is($r->cmd(qw/select 7/), '+OK', 'another database');
is($r->cmd(qw/set k v/), '+OK', 'its own');
is($r->cmd(qw/debug digest/), '+ca88cdfc21da0622bf8e5244ad9344841ff3cc32',
    'counts');
is($r->cmd(qw/debug digest-value k none/),
    '*2 +d79ee9fe5d5ad902d7f6620efc3b07b75ddd742f '
    . '+0000000000000000000000000000000000000000',
    'its values');
is($r->cmd(qw/debug digest-value/), '*0', 'of none');
is($r->cmd(qw/select 0/), '+OK', 'back');
is($r->cmd(qw/debug object none/), '-ERR no such key', 'no such key');
is($r->cmd(qw/debug object/),
    '-ERR unknown subcommand or wrong number of arguments for '
    . '\'object\'. Try DEBUG HELP.',
    'too few');
is($r->cmd(qw/debug object k k/),
    '-ERR unknown subcommand or wrong number of arguments for '
    . '\'object\'. Try DEBUG HELP.',
    'too many');
is($r->cmd(qw/debug digest foo/),
    '-ERR unknown subcommand or wrong number of arguments for '
    . '\'digest\'. Try DEBUG HELP.',
    'too many');
is($r->cmd(qw/debug sleep/),
    '-ERR unknown subcommand or wrong number of arguments for \'sleep\'. '
    . 'Try DEBUG HELP.',
    'too few');
is($r->cmd(qw/debug sleep 1 2/),
    '-ERR unknown subcommand or wrong number of arguments for \'sleep\'. '
    . 'Try DEBUG HELP.',
    'too many');
is($r->cmd(qw/debug sleep 0/), '+OK', 'no time');
is($r->cmd(qw/debug sleep -1/), '+OK', 'less than none');
is($r->cmd(qw/debug sleep abc/), '+OK', 'none that is read');
is($r->cmd(qw/debug set-active-expire/),
    '-ERR unknown subcommand or wrong number of arguments for '
    . '\'set-active-expire\'. Try DEBUG HELP.',
    'too few');
is($r->cmd(qw/debug nope/),
    '-ERR unknown subcommand or wrong number of arguments for \'nope\'. '
    . 'Try DEBUG HELP.',
    'a word that is none');
is($r->cmd(qw/debug nope more/),
    '-ERR unknown subcommand or wrong number of arguments for \'nope\'. '
    . 'Try DEBUG HELP.',
    'with more behind it');
is($r->cmd(qw/debug/), '-ERR wrong number of arguments for \'debug\' command',
    'too few');

is($r->cmd(qw/debug audit/), '+OK', 'nothing is wrong');
is($r->cmd(qw/debug audit x/), "-ERR unknown subcommand or wrong number of "
    . "arguments for 'audit'. Try DEBUG HELP.", 'too many');

like($r->cmd(qw/debug object k/), qr/^\+Value[ ]at:0x[0-9a-f]+ [ ]refcount:1
    [ ]encoding:raw [ ]serializedlength:3 [ ]lru:\d+
    [ ]lru_seconds_idle:\d+$/x, 'object');

for ([ '1', 'int' ], [ '-9223372036854775808', 'int' ],
     [ '9223372036854775808', 'embstr' ], [ '01', 'embstr' ],
     [ '', 'embstr' ], [ 'x' x 44, 'embstr' ], [ 'x' x 45, 'raw' ])
{
    my ($value, $encoding) = @$_;

    $r->cmd('set', 'v', $value);
    like($r->cmd(qw/debug object v/), qr/ encoding:$encoding /,
        "\"$value\" is $encoding");
}

# sleep: commands that touch keys wait, on all workers

my @clients = map { $s->client } 1 .. 16;
my $start = time;

$r->write($r->frame(qw/debug sleep 1.2/));
select undef, undef, undef, 0.3;

is((grep { $_->cmd('ping') ne '+PONG' } @clients), 0, 'ping passes');

$_->write($_->frame(qw/set k w/) . $_->frame(qw/get k/)) for @clients;
ok($clients[0]->silent(0.3), 'set waits');

is((grep { $_->reply ne '+OK' } @clients), 0, 'until the sleep is over');
is((grep { $_->reply ne '$1 w' } @clients), 0, 'and then all goes on');
is($r->reply, '+OK', 'the sleeper as well');
cmp_ok(time - $start, '>=', 1, 'it took its time');

# a sleeper that goes away

my $gone = $s->client;
$gone->write($gone->frame(qw/debug sleep 100/));
select undef, undef, undef, 0.2;
$gone->close;
is($r->cmd(qw/get k/), '$1 w', 'takes its sleep along');

# keys past their time stay when nobody asks

is($r->cmd(qw/flushall/), '+OK', 'an empty store');
is($r->cmd(qw/debug set-active-expire 0/), '+OK', 'no active expiry');
$r->pipe(map { [ 'set', "k$_", 'v', 'px', 1 ] } 1 .. 100);
select undef, undef, undef, 0.5;
is($r->cmd('dbsize'), ':100', 'they are counted');
is($r->cmd('keys', '*'), '*0', 'but not seen');
is($r->cmd('get', 'k1'), '$-1', 'by anybody');
is($r->cmd('randomkey'), '$-1', 'nor by chance');
is($r->cmd(qw/debug set-active-expire 1/), '+OK', 'active expiry');
ok($s->until(sub { $r->cmd('dbsize') eq ':0' }, 10), 'removes them');
is($r->cmd(qw/debug audit/), '+OK', 'nothing is wrong');

# many keys

is($r->cmd(qw/debug populate 5000/), '+OK', 'five thousand keys');
is($r->cmd('dbsize'), ':5000', 'are there');
is($r->cmd(qw/get key:0/), '$7 value:0', 'the first');
is($r->cmd(qw/get key:4999/), '$10 value:4999', 'and the last');
is($r->cmd(qw/debug populate 3 few 10/), '+OK', 'another name and a size');
is($r->cmd(qw/get few:2/), "\$10 value:2\0\0\0", 'filled with zeros');
is($r->cmd(qw/debug populate 3 few 4/), '+OK', 'again');
is($r->cmd(qw/strlen few:2/), ':10', 'what is there stays');
is($r->cmd(qw/debug populate 3 less 4/), '+OK', 'a size that cuts');
is($r->cmd(qw/get less:2/), '$4 valu', 'the text');
is($r->cmd(qw/debug populate 2 big 300000/), '+OK', 'big ones');
is($r->cmd(qw/strlen big:1/), ':300000', 'are as big');
is($r->cmd(qw/debug populate 0/), '+OK', 'none');

for my $bad ([ 'x' ], [ -1 ], [ 1, 'a', 'x' ], [ 1, 'a', -1 ]) {
    is($r->cmd(qw/debug populate/, @$bad),
        '-ERR value is out of range, must be positive', "@$bad");
}

is($r->cmd(qw/debug populate 1 a 1 1/),
    '-ERR unknown subcommand or wrong number of arguments for '
    . '\'populate\'. Try DEBUG HELP.', 'too many');

is(join(' ', $r->pipe(['multi'], [qw/debug populate 1000 exec/], ['dbsize'],
    ['exec'])), '+OK +QUEUED +QUEUED *2 +OK :6008', 'in a transaction');

$gone = $s->client;
$gone->write($gone->frame(qw/debug populate 1000000 gone/));
select undef, undef, undef, 0.05;
$gone->close;
is($r->cmd(qw/debug populate 600 here/), '+OK', 'beside one that goes away');
is($r->cmd(qw/exists here:599/), ':1', 'as far as it was told');
is($r->cmd(qw/flushall/), '+OK', 'an empty store');
is($r->cmd(qw/debug audit/), '+OK', 'nothing is wrong');

# replies of each kind

my $r3 = $s->client(proto => 3);

my @kinds = (
    [ 'string',   '$11 Hello World' ],
    [ 'integer',  ':12345' ],
    [ 'double',   '$5 3.141', ',3.141' ],
    [ 'bignum',   '$37 1234567999999999999999999999999999999',
                  '(1234567999999999999999999999999999999' ],
    [ 'null',     '$-1', '_' ],
    [ 'array',    '*3 :0 :1 :2' ],
    [ 'set',      '*3 :0 :1 :2', '~3 :0 :1 :2' ],
    [ 'map',      '*6 :0 :0 :1 :1 :2 :0', '%3 :0 #f :1 #t :2 #f' ],
    [ 'verbatim', "\$25 This is a verbatim\nstring",
                  "=29 txt:This is a verbatim\nstring" ],
    [ 'true',     ':1', '#t' ],
    [ 'false',    ':0', '#f' ],
);

for my $kind (@kinds) {
    my ($word, $resp2, $resp3) = @$kind;
    is($r->cmd(qw/debug protocol/, $word), $resp2, "$word in RESP2");
    is($r3->cmd(qw/debug protocol/, $word), $resp3 || $resp2,
        "$word in RESP3");
}

my $real = '$39 Some real reply following the attribute';

is($r->cmd(qw/debug protocol attrib/), $real, 'no attribute in RESP2');
$r3->write($r3->frame(qw/debug protocol attrib/));
my $attribute = "|1\r\n\$14\r\nkey-popularity\r\n*2\r\n"
    . "\$7\r\nkey:123\r\n:90\r\n";
is($r3->bytes(length $attribute), $attribute, 'an attribute');
is($r3->reply, $real, 'and the reply behind it');
is($r->cmd(qw/debug protocol push/),
    '-ERR RESP2 is not supported by this command', 'no push in RESP2');
is($r3->cmd(qw/debug protocol PUSH/),
    '$40 Some real reply following the push reply', 'a reply');
is($r3->reply, '>2 $16 server-cpu-usage :42', 'and a push');
is($r->cmd(qw/debug protocol nope/),
    '-ERR Wrong protocol type name. Please use one of the following: '
    . 'string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|'
    . 'true|false', 'no kind');

# things said

is($r->cmd('debug', 'error', 'LOADING as told'), '-LOADING as told',
    'an error');
is($r->cmd('debug', 'error', "A\r\nB"), '-A  B', 'in one line');
is($r->cmd('debug', 'log', "hello\n\a[emerg] out there"), '+OK', 'a message');
like($s->log, qr/DEBUG LOG: hello\.\.\[emerg\] out there/, 'in one line');
$s->expect(qr/DEBUG LOG: hello/);

my $help = $r->value(qw/debug help/);
ok((grep { $_ eq 'SLEEP <seconds>' } @$help), 'help');

# who may

my $no = '-ERR DEBUG command not allowed. If the enable-debug-command option '
    . 'is set to "local", you can run it from a local connection, otherwise '
    . 'you need to set this option in the configuration file, and then '
    . 'restart the server.';

is(olivine()->client->cmd(qw/debug digest/), $no, 'nobody, unless told');
is(olivine(params => { 'enable-debug-command' => 'local' })->client
    ->cmd(qw/debug digest/), '+' . '0' x 40, 'local clients, if told');

done_testing();
