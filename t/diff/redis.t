#!/usr/bin/perl

# Random commands get the same bytes from a redis-server.
#
# DIFF_COMMANDS  how many (20000)
# DIFF_SEED      the seed to begin with; printed, and another one each time
# DIFF_PEER      the redis-server, or a command line (redis-server)
# DIFF_PORTS     of servers that run already, ours and the peer's: 7000:7001
# DIFF_ONLY      names of commands, divided by blanks: only these
# DIFF_SLOW      1: one command at a time

# hosts: standalone
# workers: 1 2

use strict;
use warnings;

use FindBin qw($Bin);
use lib $Bin;

use Olivine;
use Commands;
use Pair;
use Time::HiRes qw(time sleep);


my $count = $ENV{DIFF_COMMANDS} || 20000;
my $seed = $ENV{DIFF_SEED} // int(rand 1e9);
my $peer = $ENV{DIFF_PEER} || 'redis-server';
my ($s, $pid, @ports);

if ($ENV{DIFF_PORTS}) {
    @ports = split /:/, $ENV{DIFF_PORTS};

} else {
    my ($program) = split ' ', $peer;

    plan(skip_all => "there is no $program")
        if !grep { -x "$_/$program" } '', split /:/, $ENV{PATH};

    $s = olivine(zone => '1g', params => { 'proto-max-bulk-len' => '512mb' });
    @ports = ($s->{port}, Olivine::free_port());
    start_peer();
}

# What releases before another one, but for one, answer in their own way is
# not asked of them; arguments stand between commas.

my @older = (

    # takes negative cursors, and none; takes no blank before
    [ 8.0, qr/^scan(?:,-|,?\z|, |,,)/ ],

    # has no command without arguments; looks at zero bytes in names
    [ 8.0, qr/^command,getkeys,[^,]*\z/i ],
    [ 8.0, qr/^client,set.*\0/is ],

    # has not our version of an RDB file
    [ 9999, qr/^dump,/i, 7.0 ],

    # flags, categories and tips are of 8.0
    [ 8.0, qr/^command,info/i ],
);

# What is in our own words.

my @own = qr/^\w+,help/i;
my @not;

# names that are subcommands' only where both have them
my %containers = map { $_ => 1 } qw(client command config object);

my @pairs = map { Pair->new(\@ports, $_) } 2, 3, 2, 3;
my %known = known();
my %only = map { $_ => 1 } split ' ', $ENV{DIFF_ONLY} || '';
my @names = Commands::use_only(grep { $known{$_} == 2 && (!%only || $only{$_}) }
                               keys %known);
my (@history, $different);

my ($release) = version() =~ /redis_version:(\d+\.\d+)/;

@not = (@own, map { $_->[1] }
              grep { $release && $release < $_->[0]
                     && $release != ($_->[2] // 0) } @older);

diag("seed $seed, ", scalar @names, " commands, against ", version());

cmp_ok(@names, '>=', %only ? 1 : 40, 'commands that both servers know');

Commands::payloads(map { dumped($_) } Commands::dumped());
Commands::start($seed);

my $done = 0;

$_->run([ 'FLUSHALL' ]) for $pairs[0];

while ($done < $count && !$different) {
    my $n = int rand @pairs;
    my @batch = grep { !left_out(@$_) }
        map { [ Commands::random_command() ] }
        1 .. ($ENV{DIFF_SLOW} ? 1 : 1 + int rand 48);

    next if !@batch;

    my ($i, @replies) = $pairs[$n]->run(@batch);

    push @history, map { [ $n, $_ ] }
        defined $i ? @batch[0 .. $i] : @batch;

    $different = [ @replies ] if defined $i;
    $done += @batch;

    # so that what led to a difference is not too long
    if (@history > 20000) {
        $_->run([ 'DISCARD' ], [ 'UNWATCH' ], [ 'SELECT', 0 ]) for @pairs;
        $pairs[0]->run([ 'FLUSHALL' ]);
        @history = ();
    }
}

ok(!$different, "$done commands, the same replies (seed $seed)")
    or explain_it();

$pairs[0]->ask(0, [ 'FLUSHALL' ]) if !$different;

kill TERM => $pid if $pid;
waitpid $pid, 0 if $pid;

done_testing();


# How many of the two know a name: "get" 2, "digest" perhaps 1.

sub known {
    my %known;

    for my $n (0, 1) {
        $known{lc $_}++
            for $pairs[0]->ask($n, [ 'COMMAND', 'LIST' ])
                =~ /\$\d+\r\n(\S+)/g;
    }

    return %known;
}


sub version {
    my ($info) = $pairs[0]->ask(1, [ 'INFO', 'server' ])
        =~ /((?:redis|valkey)_version:\S+)/;

    return $info // '?';
}


# The peer's DUMP of a value.

sub dumped {
    my ($value) = @_;

    return $pairs[0]->ask(1, [ 'SET', 'k', $value ], [ 'DUMP', 'k' ])
        =~ /\$\d+\r\n(.*)\r\n\z/s;
}


sub left_out {
    my (@command) = @_;

    return 1 if !@command;

    my $name = lc $command[0];

    return 1 if $containers{$name} && @command > 1
        && ($known{ "$name|" . lc $command[1] } // 2) != 2;

    my $line = join ',', lc $command[0], @command[1 .. $#command];

    return grep { $line =~ $_ } @not;
}


# The fewest commands that still differ: those with the same keys, then each
# that can be spared.

sub explain_it {
    my ($ours, $theirs) = @$different;
    my $last = $history[-1][1];

    diag('the command: ', show(@$last));
    diag('ours:   ', show($ours));
    diag('theirs: ', show($theirs));

    my @few = related($last);

    if (!differs(@few)) {
        diag('not so with the commands of these keys only; the last ones:');
        @few = @history > 40 ? @history[-40 .. -1] : @history;

    } else {
        my $end = time + 10;

        for (my $size = int(@few / 2); $size >= 1; $size = int($size / 2)) {
            for (my $i = 0; $i + $size < @few && time < $end; ) {
                my @less = @few;
                splice @less, $i, $size;

                if (differs(@less)) {
                    @few = @less;
                } else {
                    $i += $size;
                }
            }
        }
    }

    diag("  RESP$pairs[$_->[0]]{proto} ", show(@{ $_->[1] })) for @few;
}


sub related {
    my ($last) = @_;
    my %keys = map { $_ => 1 } @$last[1 .. $#$last];

    return grep {
        my @words = @{ $_->[1] };
        $words[0] =~ /^(?:multi|exec|discard|unwatch|select|flush|swapdb)/i
            || grep { $keys{$_} } @words[1 .. $#words];
    } @history;
}


# Whether the last of these gets different replies, on empty servers.

sub differs {
    my (@commands) = @_;
    my @fresh = map { Pair->new(\@ports, $_) } 2, 3, 2, 3;
    my $last;

    $fresh[0]->run([ 'FLUSHALL' ]);

    while (@commands) {
        my $n = $commands[0][0];
        my @batch;

        push @batch, (shift @commands)->[1]
            while @commands && $commands[0][0] == $n && @batch < 40;

        ($last) = $fresh[$n]->run(@batch);

        return !@commands && $last == $#batch if defined $last;
    }

    return 0;
}


sub show {
    return join ' ', map {
        my $word = length > 300 ? substr($_, 0, 300) . '...' : $_;
        $word =~ s/([\\"])/\\$1/g;
        $word =~ s/\r\n/\\r\\n/g;
        $word =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
        $word =~ /^[^\s"\\]+$/ ? $word : qq("$word");
    } @_;
}


sub start_peer {
    my $dir = "$Olivine::top/build/t/diff-$ports[1]";

    File::Path::make_path($dir);

    $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', "$dir/log";
        open STDERR, '>&', \*STDOUT;
        exec split(' ', $peer), '--port', $ports[1], '--bind', '127.0.0.1',
             '--save', '', '--appendonly', 'no'
            or POSIX::_exit(127);
    }

    for (1 .. 500) {
        return if IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                        PeerPort => $ports[1]);
        sleep 0.02;
    }

    die "$peer did not start\n";
}
