#!/usr/bin/perl

# every parameter: what CONFIG GET tells a configuration takes

use strict;
use warnings;

use Olivine;

my $s = olivine();
my %is = @{ $s->client->value(qw/config get */) };
$s->stop;

# names of the test's own, and of the rows' other names
delete @is{qw(port workers http pidfile maxclients maxmemory dir bind)};

my %params;

for my $name (sort keys %is) {
    next if $name =~ /slave|ziplist|^lua-/;

    my $value = $is{$name};

    # another value than the default, where that is easy to say
    $value = $value eq 'yes' ? 'no' : 'yes'
        if $value =~ /^(?:yes|no)$/
           && $name !~ /^(?:daemonize|supervised|syslog-enabled|tls-.*
                        |appendonly|lock-timing)$/x;
    $value = $value + 1
        if $value =~ /^\d+$/ && $value > 1
           && $name !~ /^(?:databases|io-threads)$/;
    $value = 'some' if $name =~ /^(?:masteruser|dbfilename)$/;
    $value = 'warning' if $name eq 'loglevel';

    $params{$name} = $value;
}

my $params = [ map { [ $_, $params{$_} ] } sort keys %params ];

$s = olivine(params => $params);

my %got = @{ $s->client->value(qw/config get */) };

is($got{$_}, $params{$_}, $_) for sort keys %params;
is($got{'slave-priority'}, $params{'replica-priority'}, 'by another name');

my $log = $s->log;

if ($s->{host} eq 'module') {
    like($log, qr/but here only shown.*: .*\btcp-backlog\b/,
        'what nginx decides is named');
} else {
    unlike($log, qr/only shown/, 'the standalone acts on all of its own');
}

done_testing();
