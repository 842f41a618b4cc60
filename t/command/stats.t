#!/usr/bin/perl

# INFO commandstats, errorstats, latencystats; CONFIG RESETSTAT

use strict;
use warnings;

use Olivine;

my $s = olivine();
my $r = $s->client;

sub info {
    return { map { /^([^#:]+):(.*)/ ? ($1 => $2) : () }
        split /\r\n/, $r->value('info', @_) };
}

sub stat_of {
    my ($name) = @_;
    my $line = info('commandstats')->{"cmdstat_$name"} or return {};
    return { map { split /=/ } split /,/, $line };
}

sub latency_of { info('latencystats')->{"latency_percentiles_usec_$_[0]"} }
sub errors_of { (info('errorstats')->{"errorstat_$_[0]"} // '') =~ s/count=//r }

$r->cmd(qw/config resetstat/);

$r->cmd(qw/set k v/) for 1 .. 3;
$r->cmd(qw/set k/);
$r->cmd(qw/set k v nope/);
$r->cmd(qw/incr k/);
$r->cmd(qw/nope/);

like($r->value(qw/info commandstats/),
    qr/^cmdstat_set:calls=4,usec=\d+,usec_per_call=\d+\.\d\d,rejected_calls=1,failed_calls=1\r$/m,
    'a line as Redis prints it');
is(stat_of('incr')->{failed_calls}, 1, 'a call that failed');
is(stat_of('config|resetstat')->{calls}, 1, 'a subcommand');
is(stat_of('get')->{calls}, undef, 'nothing of what was not called');
is(errors_of('ERR'), 4, 'errors by their code');
is(info('stats')->{total_error_replies}, 4, 'and in all');

like(latency_of('set'), qr/^p50=\d+\.\d{3},p99=\d+\.\d{3},p99\.9=\d+\.\d{3}$/,
    'percentiles');
is($r->cmd(qw/config set latency-tracking-info-percentiles/, '0 50.0 100'),
    '+OK', 'others are asked for');
is($r->value(qw/config get latency-tracking-info-percentiles/)->[1],
    '0 50 100', 'as they are told');
like(latency_of('set'), qr/^p0=[\d.]+,p50=[\d.]+,p100=[\d.]+$/, 'printed');
is($r->cmd(qw/config set latency-tracking-info-percentiles/, ''), '+OK',
    'none');
is(latency_of('set'), '', 'are printed');
is($r->cmd(qw/config set latency-tracking-info-percentiles/, '50 a'),
    "-ERR CONFIG SET failed (possibly related to argument "
    . "'latency-tracking-info-percentiles') - Invalid "
    . "latency-tracking-info-percentiles parameters", 'not a number');
is($r->cmd(qw/config set latency-tracking-info-percentiles/, '50 101'),
    "-ERR CONFIG SET failed (possibly related to argument "
    . "'latency-tracking-info-percentiles') - "
    . "latency-tracking-info-percentiles parameters should sit between "
    . "[0.0,100.0]", 'too many per cent');
$r->cmd(qw/config set latency-tracking-info-percentiles/, '50 99 99.9');

# what is no command counts, too

my $other = $s->client;
$other->write("*1\r\n\$x\r\n");
$other->closed;
is(errors_of('ERR'), 7, 'an error of the protocol');

# pipelines count each

$r->cmd(qw/config resetstat/);
$r->pipe(map { ['get', "k$_"] } 1 .. 1000);
is(stat_of('get')->{calls}, 1000, 'a thousand');
cmp_ok(stat_of('get')->{usec}, '>', 0, 'took time');
is(info('stats')->{keyspace_misses}, 1000, 'misses');
is(info('stats')->{total_commands_processed}, 1004, 'commands in all');

# what all workers counted

my @clients = map { $s->client } 1 .. 12;
$_->pipe(map { ['getset', 'a', $_] } 1 .. 10) for @clients;
$_->cmd(qw/append a b/) for @clients;
is(stat_of('append')->{calls}, 12, 'calls on all workers');
$r->cmd(qw/config resetstat/);
is(stat_of('append')->{calls}, undef, 'none after a reset');
is(info('stats')->{total_error_replies}, 0, 'no errors');
$_->cmd(qw/append a b/) for @clients;
is(stat_of('append')->{calls}, 12, 'and again');

# a worker that is killed leaves what it counted, and so do those of before a
# reload

$r->cmd(qw/config resetstat/);
$_->cmd(qw/append a b/) for @clients;
$_->close for @clients;
$r->close;

ok($s->kill_worker, 'a worker is killed');
$r = $s->client;
ok($s->until(sub { (stat_of('append')->{calls} // 0) == 12 }, 5),
    'what it counted is still there');
ok($s->until(sub { (latency_of('append') // '') =~ /p50=/ }, 5),
    'and how long it took');

$r->close;
ok($s->reload, 'reload');
$r = $s->client;
is(stat_of('append')->{calls}, 12, 'what those before it counted');

# DEBUG SLEEP, which stands for work, is the only wait that counts

$r->cmd(qw/config resetstat/);
my $m = $s->client;
$m->cmd(qw/multi/);
$m->cmd(qw/set a b/);
$m->cmd(qw/incr a/);
$m->cmd(qw/exec/);
is(stat_of('set')->{calls}, 1, 'a command of a transaction');
is(stat_of('incr')->{failed_calls}, 1, 'one that failed in it');
is(stat_of('exec')->{failed_calls}, 0, 'is not a failure of all');

$r->cmd(qw/config set latency-tracking no/);
$r->cmd(qw/config resetstat/);
$r->cmd(qw/set a b/);
is(latency_of('set'), undef, 'no percentiles');
is(stat_of('set')->{calls}, 1, 'but calls');

done_testing();
