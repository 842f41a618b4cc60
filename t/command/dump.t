#!/usr/bin/perl

# DUMP, RESTORE

use strict;
use warnings;

use Olivine;

my $s = olivine(params => { 'enable-debug-command' => 'yes' });
my $r = $s->client;

# payloads of Redis 7.0, Redis 8.0 and Valkey 9.1

my $hello = "\x00\x05hello\n\x00cr\xdfve4 \n";
my $five = "\x00\xc0\x05\x0c\x00\xa8Yk\xa6y\x05-\x18";
my $packed = "\x00\xc3\t\@d\x01aa\xe0W\x00\x01aaP\x00'\x89|\x96.?\x95\x85";

is($r->cmd(qw/dump none/), '$-1', 'no key');
is($r->cmd('restore', 'h', 0, $hello), '+OK', 'of Redis 7');
is($r->cmd(qw/get h/), '$5 hello', 'text');
is($r->cmd('restore', 'f', 0, $five), '+OK', 'of Redis 8');
is($r->cmd(qw/get f/), '$1 5', 'a number');
is($r->cmd(qw/object encoding f/), '$3 int', 'is one');
is($r->cmd('restore', 'p', 0, $packed), '+OK', 'of Valkey 9');
is($r->cmd(qw/get p/), '$100 ' . 'a' x 100, 'compressed text');
is($r->value(qw/dump h/), $hello, 'as Redis 7 does it');

# errors, in the order of Redis

my $bad = "-ERR DUMP payload version or checksum are wrong";

is($r->cmd('restore', 'h', 'x', 'what', 'option'), '-ERR syntax error',
    'options first');
is($r->cmd('restore', 'h', 0, $hello, qw/idletime x/),
    '-ERR value is not an integer or out of range', 'no number');
is($r->cmd('restore', 'h', 0, $hello, qw/idletime -1/),
    '-ERR Invalid IDLETIME value, must be >= 0', 'no time');
is($r->cmd('restore', 'h', 0, $hello, qw/freq 256/),
    '-ERR Invalid FREQ value, must be >= 0 and <= 255', 'no frequency');
is($r->cmd('restore', 'h', 0, $hello, qw/idletime 1 freq 1/),
    '-ERR syntax error', 'not both');
is($r->cmd('restore', 'h', 0, $hello, qw/replace freq/),
    '-ERR syntax error', 'no value');
is($r->cmd('restore', 'h', 'x', 'what'),
    '-BUSYKEY Target key name already exists.', 'then the key');
is($r->cmd('restore', 'n', 'x', 'what'),
    '-ERR value is not an integer or out of range', 'then the time');
is($r->cmd('restore', 'n', '-1', 'what'),
    '-ERR Invalid TTL value, must be >= 0', 'which may not be less than 0');
is($r->cmd('restore', 'n', 0, 'what'), $bad, 'then the checksum');
is($r->cmd('restore', 'n', 0, ''), $bad, 'of nothing');
is($r->cmd('restore', 'n', 0, $hello . 'x'), $bad, 'of more');
is($r->cmd('restore', 'n', 0,
    "\xfe\x05hello\n\x00\xbeg\xcc\\,\x15\xb0\xee"), '-ERR Bad data format',
    'then the data');
is($r->cmd('restore', 'n', 0,
    "\x00\xc3\x09\x80\x7f\xff\xff\xff\x01aa\xe0W\x00\x01aa\n\x00\xe0\xce# 7"
    . "\tw\x98"), '-ERR Bad data format', 'that promises too much');
is($r->cmd(qw/exists n/), ':0', 'nothing came of it');
is($r->cmd(qw/debug set-skip-checksum-validation 1/), '+OK', 'no checksums');
is($r->cmd('restore', 'n', 0, "\x15\x00" . 'x' x 20), $bad, 'a version');
is($r->cmd('restore', 'n', 0, "\x15\x00\n\x00........"),
    '-ERR Bad data format', 'no such type');
is($r->cmd('restore', 'n', 0, "\x00\x02hi\n\x00........"), '+OK', 'data');
is($r->cmd(qw/getdel n/), '$2 hi', 'is taken');
is($r->cmd(qw/debug set-skip-checksum-validation 0/), '+OK', 'checksums');
is($r->cmd('restore', 'n', 0, "\x00\x02hi\n\x00........"), $bad, 'matter');
is($r->cmd(qw/restore n 0/),
    '-ERR wrong number of arguments for \'restore\' command', 'too few');

# times

is($r->cmd('restore', 'n', 5000, $hello), '+OK', 'with a time');
like($r->cmd(qw/pttl n/), qr/^:(?:4\d\d\d|5000)$/, 'to live');
is($r->cmd('restore', 'n', 0, $five, 'replace'), '+OK', 'replaced');
is($r->cmd(qw/ttl n/), ':-1', 'for ever');
is($r->cmd('restore', 'n', 4102444800000, $hello, qw/replace absttl/), '+OK',
    'until a time');
is($r->cmd(qw/pexpiretime n/), ':4102444800000', 'as said');
is($r->cmd('restore', 'n', 1000, $hello, qw/replace absttl/), '+OK',
    'of the past');
is($r->cmd(qw/exists n/), ':0', 'takes the key away');
is($r->cmd('restore', 'n', '9223372036854775807', $hello), '+OK',
    'beyond all time');
is($r->cmd(qw/exists n/), ':0', 'is none');
is($r->cmd('restore', 'n', 0, $hello, qw/idletime 1000/), '+OK', 'unused');
like($r->cmd(qw/object idletime n/), qr/^:100[01]$/, 'for so long');
is($r->cmd('restore', 'n', 0, $hello, qw/REPLACE FREQ 100/), '+OK',
    'a frequency is taken');

# lengths around all borders, compressible and not

my ($good, $all, $bytes) = (0, 0, '');
my $x = 1;

for (1 .. 70_000) {
    $x = ($x * 1103515245 + 12345) & 0x7fffffff;
    $bytes .= chr($x >> 16 & 0xff);
}

for my $len (0, 1, 10, 11, 12, 20, 21, 44, 45, 63, 64, 255, 256, 16383, 16384,
             16385, 32768, 65535, 65536, 70_000)
{
    for my $v (substr($bytes, 0, $len), 'ab' x ($len / 2), '7' x $len) {
        $r->cmd('set', 'v', $v);

        my $dump = $r->value('dump', 'v');

        $good++ if $r->cmd('restore', 'w', 0, $dump, 'replace') eq '+OK'
                   && $r->value('get', 'w') eq $v
                   && $r->value('dump', 'w') eq $dump;
        $all++;
    }
}

is($good, $all, 'each comes back as it was');

# a big one is sent from where it lies, and may go meanwhile

$r->cmd('set', 'big', $bytes x 30);
my $dump = $r->value('dump', 'big');
my @replies = $r->pipe(['dump', 'big'], ['del', 'big'],
                       ['restore', 'big', 0, $dump], ['strlen', 'big']);
is($replies[0], '$' . length($dump) . ' ' . join(' ', split(/\r\n/, $dump, -1)),
    'dumped while it was deleted');
is("@replies[1 .. 3]", ':1 +OK :2100000', 'and restored');
# the same in a transaction

@replies = $r->pipe(['multi'], ['dump', 'big'], ['del', 'big'],
                    ['restore', 'big', 0, $dump], ['strlen', 'big'],
                    ['restore', 'big', 0, $dump], ['dump', 'none'], ['exec']);
is($replies[7], '*6 $' . length($dump) . ' '
    . join(' ', split(/\r\n/, $dump, -1)) . ' :1 +OK :2100000 '
    . '-BUSYKEY Target key name already exists. $-1', 'in a transaction');

is($r->cmd(qw/debug audit/), '+OK', 'nothing is lost');

done_testing();
