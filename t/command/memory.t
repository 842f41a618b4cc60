#!/usr/bin/perl

# MEMORY

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

sub info {
    return { map { /^([^#:]+):(.*)/ ? ($1 => $2) : () }
        split /\r\n/, $r->value(qw/info memory/) };
}

is($r->cmd(qw/memory usage k/), '$-1', 'no key');

$r->cmd(qw/set k v/);
my $small = $r->value(qw/memory usage k/);
cmp_ok($small, '>', 8, 'a small one');
cmp_ok($small, '<', 64, 'takes little');

$r->cmd('set', 'k', 'x' x 10000);
cmp_ok($r->value(qw/memory usage k/), '>=', 10000, 'ten thousand bytes');
cmp_ok($r->value(qw/memory usage k/), '<', 12000, 'and few more');

my $before = info()->{used_memory};
$r->cmd('set', 'big', 'x' x 5000000);
my $big = $r->value(qw/memory usage big/);
cmp_ok($big, '>=', 5000000, 'five million bytes');
cmp_ok(abs(info()->{used_memory} - $before - $big), '<', 50000,
    'are what the memory grew by');

is($r->cmd(qw/memory usage k samples 0/), ":" . $r->value(qw/memory usage k/),
    'samples');
is($r->cmd(qw/memory usage k samples/), '-ERR syntax error', 'no number');
is($r->cmd(qw/memory usage k samples -1/), '-ERR syntax error', 'too few');
is($r->cmd(qw/memory usage k samples x/),
    '-ERR value is not an integer or out of range', 'none at all');
is($r->cmd(qw/memory usage k nope 1/), '-ERR syntax error', 'syntax');
is($r->cmd(qw/memory usage/),
    "-ERR wrong number of arguments for 'memory|usage' command", 'arity');
is_deeply($r->value(qw/command getkeys memory usage k/), ['k'], 'its key');

my $stats = { @{ $r->value(qw/memory stats/) } };
ok(exists $stats->{$_}, $_) for qw(
    peak.allocated total.allocated startup.allocated replication.backlog
    clients.slaves clients.normal cluster.links aof.buffer db.0
    overhead.db.hashtable.lut overhead.db.hashtable.rehashing overhead.total
    db.dict.rehashing.count keys.count keys.bytes-per-key dataset.bytes
    dataset.percentage peak.percentage allocator.allocated allocator.active
    allocator.resident allocator-fragmentation.ratio
    allocator-fragmentation.bytes allocator-rss.ratio allocator-rss.bytes
    rss-overhead.ratio rss-overhead.bytes fragmentation fragmentation.bytes);
is($stats->{'keys.count'}, 2, 'keys');
cmp_ok($stats->{'dataset.bytes'}, '>', 5010000, 'their bytes');
cmp_ok($stats->{'dataset.bytes'}, '<', $stats->{'total.allocated'}, 'of all');
cmp_ok({ @{ $stats->{'db.0'} } }->{'overhead.hashtable.main'}, '>', 0,
    'tables');

my $r3 = $s->client(proto => 3);
like($r3->raw(qw/memory stats/), qr/^%\d+\r\n\$14\r\npeak\.allocated\r\n:\d+/,
    'a map');
like($r3->raw(qw/memory doctor/), qr/^=\d+\r\ntxt:/, 'a text');

like($r->value(qw/memory malloc-stats/), qr/page heap, pages of 4096 bytes/,
    'the page heap');
like($r->value(qw/memory doctor/), qr/Nothing is remarkable|too little data|more than the data's/, 'advice');

# free pages go back at once

$r->cmd('set', "fill$_", 'x' x 1000000) for 1 .. 20;
$r->cmd('del', map { "fill$_" } 1 .. 20);
is($r->cmd(qw/memory purge/), '+OK', 'purge');
cmp_ok(info()->{allocator_rss_bytes}, '<', 3000000, 'nothing is kept');

# what clients take

my @clients = map { $s->client } 1 .. 5;
$_->write("*2\r\n\$3\r\nget\r\n\$20000\r\n" . 'x' x 10000) for @clients;
ok($s->until(sub { info()->{mem_clients_normal} > 50000 }, 5),
    'requests that are not whole');
$_->close for @clients;
ok($s->until(sub { info()->{mem_clients_normal} < 50000 }, 5), 'are gone');

# all fields of Redis 8.0.6, in its order

my @names = $r->raw(qw/memory stats/)
    =~ /^\$\d+\r\n([a-zA-Z][\w.-]*[a-zA-Z0-9])\r$/mg;
is("@names", join(' ', qw(peak.allocated total.allocated startup.allocated
    replication.backlog replica.fullsync.buffer clients.slaves clients.normal
    cluster.links aof.buffer lua.caches functions.caches script.VMs db.0
    overhead.hashtable.main overhead.hashtable.expires
    overhead.db.hashtable.lut overhead.db.hashtable.rehashing overhead.total
    db.dict.rehashing.count keys.count keys.bytes-per-key dataset.bytes
    dataset.percentage peak.percentage allocator.allocated allocator.active
    allocator.resident allocator.muzzy allocator-fragmentation.ratio
    allocator-fragmentation.bytes allocator-rss.ratio allocator-rss.bytes
    rss-overhead.ratio rss-overhead.bytes fragmentation fragmentation.bytes)),
    'fields');

done_testing();
