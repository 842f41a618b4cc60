#!/usr/bin/perl

# What was acknowledged outlives killed workers and the killed server, with
# any end of the last file.  OLIVINE_ROUNDS says how often (5).
# workers: 2

use strict;
use warnings;

use File::Path qw(make_path remove_tree);
use Time::HiRes qw(sleep);

use Olivine;
use Olivine::Writers;

my $rounds = $ENV{OLIVINE_ROUNDS} || 5;
my $host = $ENV{OLIVINE_HOST} || 'standalone';
my $dir = "$Olivine::top/build/t/aof-crash-$host";

remove_tree($dir);
make_path($dir);

my $s = olivine(params => {
    dir                          => $dir,
    appendonly                   => 'yes',
    appendfsync                  => 'always',
    'auto-aof-rewrite-min-size'  => '300kb',
    'enable-debug-command'       => 'yes',
});

my @all;


sub audit {
    my ($name) = @_;
    my $r = $s->client;
    my @wrong = map { Olivine::Writers::wrong($_, $r) } @all;

    is(scalar @wrong, 0, "$name: all is there, and nothing else")
        or diag(map { "$_\n" } @wrong[0 .. ($#wrong < 9 ? $#wrong : 9)]);
    is($r->cmd('debug', 'audit'), '+OK', "$name: the store is sound");
}


sub kill_workers {
    my ($count) = @_;

    for (1 .. $count) {
        sleep 0.1 + rand 0.2;
        my @workers = $s->workers or next;
        $s->kill_worker($workers[rand @workers]);
    }

    sleep 0.1 + rand 0.2;
}


for my $round (1 .. $rounds) {
    my $writers = Olivine::Writers->start($s->{port}, 4, "r$round");

    kill_workers(3);
    end();

    push @all, $writers->stop;
    cmp_ok(Olivine::Writers::done($all[-1]), '>', 100,
        'round ' . $round . ': ' . Olivine::Writers::done($all[-1])
        . ' acknowledged');

    start();
    audit("round $round");
    shift @all if @all > 5;
}

# only workers die: with everysec nothing is lost either

is($s->client->cmd(qw/config set appendfsync everysec/), '+OK', 'everysec');

my $writers = Olivine::Writers->start($s->{port}, 4, 'second');
kill_workers(3);
push @all, $writers->stop;

audit('everysec');

my $digest = $s->client->cmd('debug', 'digest');
kill TERM => $s->{pid};
is($s->wait(20), 0, 'it ends');
start();
audit('everysec, later');
is($s->client->cmd('debug', 'digest'), $digest, 'the same keys');

# the last file is cut anywhere

my $r = $s->client;
is($r->cmd('flushall'), '+OK', 'from nothing');
is($r->cmd(qw/config set auto-aof-rewrite-percentage 0/), '+OK',
    'no rewrite');
is($r->cmd('bgrewriteaof'), '+Background append only file rewriting started',
    'but one');
ok($s->until(sub {
    $r->value('info', 'persistence') =~ /aof_rewrite_in_progress:0.*
                                         aof_rewrite_scheduled:0/sx;
}), 'which is done');

@{ $s->{params} } = grep { $_->[0] !~ /rewrite|appendfsync/ } @{ $s->{params} };
push @{ $s->{params} }, [ 'auto-aof-rewrite-percentage', 0 ],
                        [ 'appendfsync', 'always' ];

for my $cut (1 .. 20) {
    $r = $s->client;
    my $before = size();

    # each key is in a command of its own, every third in a transaction
    for my $i (1 .. 30) {
        $r->cmd('multi') if $i % 3 == 0;
        $r->cmd('set', "cut:$cut:$i", 'x' x rand 300);
        $r->cmd('set', "cut:$cut:$i:too", $i) if $i % 3 == 0;
        $r->cmd('exec') if $i % 3 == 0;
    }

    end();

    my $size = size();
    my $at = $before + int rand($size - $before);
    truncate last_file(), $at or die "truncate: $!\n";

    start();
    $r = $s->client;

    # keys up to one are there, none behind it
    my @there = map { defined $r->value('get', "cut:$cut:$_") ? 1 : 0 }
                1 .. 30;
    my @too = grep { $_ % 3 == 0
                     && !$there[$_ - 1] != !defined
                        $r->value('get', "cut:$cut:$_:too") } 1 .. 30;

    my $n = grep { $_ } @there;
    like(join('', @there), qr/^1*0*$/, "cut at $at of $size: $n of 30");
    is(scalar @too, 0, "cut at $at: no half transaction");
    cmp_ok(size(), '<=', $at, "cut at $at: what is torn is gone");

    is($r->cmd('set', "kept:$cut", $at), '+OK', "cut at $at: it goes on");
    my $keys = $r->cmd('debug', 'digest');

    end();
    start();
    $r = $s->client;

    is($r->cmd('debug', 'digest'), $keys, "cut at $at: and is kept");
}

is(scalar(grep { ($r->value('get', "kept:$_") // '') ne '' } 1 .. 20), 20,
    'so are all others');

done_testing();


# Kills all of it, and waits until the files are free.

sub end {
    my @all = Olivine::children($s->{pid});

    $s->destroy;
    $s->until(sub { !grep { Olivine::read_file("/proc/$_/stat")
                           =~ /\) [^ZX] / } @all });
}


# Until all is loaded.

sub start {
    $s->start;
    $s->until(sub { $s->client->cmd('ping') eq '+PONG' }, 20)
        or die "it is still loading\n";
}


sub last_file {
    my ($name) = Olivine::read_file(
        "$dir/appendonlydir/appendonly.aof.manifest")
        =~ /^file (\S+) seq \d+ type i\n\z/m;
    return "$dir/appendonlydir/$name";
}


sub size { return -s last_file() }
