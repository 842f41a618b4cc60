#!/usr/bin/perl

# loglevel: what goes to the log, and that CONFIG SET changes it

use strict;
use warnings;

use Olivine;
use Time::HiRes qw(sleep);

my $s = olivine();
my $r = $s->client;

sub lines { return scalar(() = $s->log =~ /olivine: run|olivine: open/g) }

# a new connection says so when all is told

sub tells {
    my ($level, $want) = @_;

    is($r->cmd(qw/config set loglevel/, $level), '+OK', "loglevel $level");

    for (1 .. 200) {
        my $before = lines();
        $s->client->cmd('ping');
        return pass("$level: " . ($want ? 'is told' : 'is not'))
            if (lines() > $before) == $want;
        sleep 0.02;
    }

    fail("$level: " . ($want ? 'is told' : 'is not'));
}

if (lines() == 0) {
    pass('quiet at first');
}

tells('debug', 1);
tells('notice', 0);
tells('debug', 1);
tells('verbose', 0);
tells('nothing', 0);
is($r->cmd(qw/config get loglevel/), '*2 $8 loglevel $7 nothing', 'shown');
tells('warning', 0);
is($r->cmd(qw/config set loglevel notice/), '+OK', 'as it was');

$s->stop;

# as it begins

my $level = olivine(params => { loglevel => 'debug' }, level => 'debug');
$level->client->cmd('ping');
ok($level->until(sub { $level->log =~ /\[debug\].*olivine: open/ }),
    'debug from the start');
$level->stop;

if ($level->{host} eq 'module') {

    # error_log is nginx's: the parameter says more of the zone's clients

    my $quiet = olivine(params => { loglevel => 'debug' }, level => 'error');
    $quiet->client->cmd('ping');
    ok($quiet->until(sub { $quiet->log =~ /\[debug\].*olivine: / }),
        'more than error_log');
    unlike($quiet->log, qr/\[notice\]/, 'nothing else than of clients');
}

done_testing();
