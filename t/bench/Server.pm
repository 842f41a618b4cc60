package Server;

# What is measured: Olivine in both hosts, and every peer that is found.
#
#     Server::find()       all of them, as objects with name, kind, version
#     start(%o), stop      o: workers, clients, params; rdb: a file to load,
#                          wait: until so many keys are there
#     file(NAME)           a file in the server's folder
#     pids                 of all its processes
#     memory               bytes of all of them together
#     info, new_client
#
#     Server::cpu(pid)     what a process has spent so far, all its threads
#     Server::spent(...)   between two of these: seconds, in all, user, system
#
# A server is started on the cores that Server::pin() said last, as it comes:
# nothing is set but what turns persistence off and limits up.

use strict;
use warnings;

use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use POSIX qw(WNOHANG _exit);
use Time::HiRes qw(sleep time);

use Olivine;

my $top = $Olivine::top;

# core number of a first worker, of a second, ..., then those of the load
our @cores = cores();

my @running;


# --- what is there


sub find {
    my @found;

    for my $host (qw(standalone module)) {
        my $file = $host eq 'module' ? 'ngx_olivine_module.so' : 'olivine';
        next if !-e "$top/build/$file";

        push @found, bless {
            kind    => 'olivine',
            host    => $host,
            name    => $host eq 'module' ? 'olivine in nginx' : 'olivine',
            version => version($host),
        };
    }

    my (%seen, @peers);

    for my $root ('', split /:/, $ENV{PEERS} || '') {
        for my $kind (qw(redis valkey pogocache)) {
            my $binary = $kind eq 'pogocache' ? $kind : "$kind-server";
            my @dirs = $root eq '' ? split(/:/, $ENV{PATH})
                : qw(/usr/local/bin /usr/bin /bin);

            my ($path) = grep { -x "$root$_" } map { "$_/$binary" } @dirs;
            next if !defined $path;

            my @command = ($root eq '' ? () : ('chroot', $root), $path);

            my $said = qx(@command --version 2>&1);
            my ($version) = $said =~ /\bv?=?(\d+\.\d+(?:\.\d+)?)/;

            if (!defined $version) {
                print "*** $root$path does not say its version: left out\n";
                next;
            }

            next if $seen{"$kind $version"}++;

            push @peers, bless {
                kind    => $kind,
                name    => "$kind $version",
                version => $version,
                command => \@command,
                root    => $root,
            };
        }
    }

    return @found, sort { $a->{name} cmp $b->{name} } @peers;
}


sub version {
    my ($host) = @_;

    my $own = qx($top/build/olivine --version 2>&1);
    my ($olivine) = $own =~ /(\d[\w.]*)/;
    my $about = $host eq 'module' ? qx(${\ Olivine::stock_nginx()} -v 2>&1)
        : $own;
    my ($nginx) = $about =~ m{nginx[/ ](\d[\d.]*)};

    return join ', ', $olivine // 'unknown', 'nginx ' . ($nginx // 'unknown');
}


# --- cores


sub cores {
    open my $in, '<', '/proc/self/status' or die "/proc/self/status: $!\n";

    my ($list) = map { /^Cpus_allowed_list:\s*(\S+)/ } <$in>;

    return map { /(\d+)-(\d+)/ ? $1 .. $2 : $_ } split /,/, $list;
}


# Cores of so many workers, and those that are left for the load.

sub worker_cores {
    my ($workers) = @_;
    my $last = $workers < @cores ? $workers : @cores;
    return @cores[0 .. $last - 1];
}

sub load_cores {
    my ($workers) = @_;
    return @cores > $workers ? @cores[$workers .. $#cores] : $cores[-1];
}


sub pin {
    my ($pid, @on) = @_;
    my $list = join ',', @on;
    system("taskset -a -cp $list $pid >/dev/null 2>&1") == 0
        or die "taskset: cannot place $pid on $list\n";
}


# --- life


sub start {
    my ($s, %o) = @_;

    my $workers = $o{workers} || 1;
    my $clients = $o{clients} || 1000;

    # what is started inherits the place
    pin($$, worker_cores($workers));

    my $ok = eval {
        $s->{kind} eq 'olivine' ? $s->start_olivine($workers, $clients, %o)
            : $s->start_peer($clients, $o{rdb}, %{ $o{params} || {} });
        1;
    };

    my $why = $@;
    pin($$, @cores);

    if (!$ok) {
        $s->stop;
        die "$s->{name}: $why";
    }

    push @running, $s;
    $s->loaded($o{wait}) if $o{wait};

    # a worker a core, or the kernel may put both on one
    if ($s->{kind} eq 'olivine' && $workers > 1) {
        my @on = worker_cores($workers);
        pin($_, $on[$s->{turn}++ % @on]) for $s->{olivine}->workers;
    }
}


sub start_olivine {
    my ($s, $workers, $clients, %o) = @_;

    # room for any load; what is not used is not committed
    my %params = (%{ $o{params} || {} });
    $params{maxmemory} ||= '4gb';
    $params{save} //= '';

    $s->{files} = "$top/build/bench/files";
    remove_tree($s->{files});
    make_path($s->{files});
    copy($o{rdb}, $s->file('dump.rdb')) if $o{rdb};
    $params{dir} = $s->{files};

    $s->{olivine} = olivine(
        loading     => $o{wait} ? 1 : 0,
        host        => $s->{host},
        workers     => $workers,
        connections => $clients,
        zone        => '5g',
        params      => \%params,
        user        => scalar getpwuid($>),
    );

    $s->{port} = $s->{olivine}{port};
}


sub start_peer {
    my ($s, $clients, $rdb, %params) = @_;

    delete $params{'lock-timing'};
    $s->{port} = Olivine::free_port();

    my $root = $s->{root} // '';
    $s->{files} = "$root/tmp/olivine-bench-$s->{port}";
    mkdir $s->{files};
    copy($rdb, $s->file('dump.rdb')) if $rdb;

    my @command = (@{ $s->{command} }, $s->{kind} eq 'pogocache'
        ? ('-h', '127.0.0.1', '-p', $s->{port}, '--threads', 1,
           '--maxconns', $clients)
        : ('--port', $s->{port}, '--bind', '127.0.0.1', '--save', '',
           '--dir', "/tmp/olivine-bench-$s->{port}",
           '--maxclients', $clients,
           map { ("--$_", $params{$_}) } sort keys %params));

    (my $file = $s->{name}) =~ s/\W+/-/g;
    mkdir "$top/build/bench";
    $s->{log} = "$top/build/bench/$file.log";

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP PIPE);
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', $s->{log};
        open STDERR, '>&', \*STDOUT;
        exec { $command[0] } @command or _exit(127);
    }

    $s->{pid} = $pid;

    my $end = time + 20;

    while (time < $end) {
        if (waitpid($pid, WNOHANG) == $pid) {
            delete $s->{pid};
            last;
        }

        my $r = eval { client($s->{port}) };
        return if $r && defined $r->cmd('ping');

        sleep 0.02;
    }

    die "did not start, see $s->{log}\n";
}


sub stop {
    my ($s) = @_;

    if (my $olivine = delete $s->{olivine}) {
        if (!$olivine->ended) {
            kill TERM => $olivine->master;
            $olivine->wait(30);
        }

        $olivine->destroy;
    }

    if (my $pid = delete $s->{pid}) {
        # nothing is to be saved
        kill KILL => $pid;
        waitpid $pid, 0;
    }

    if (my $files = delete $s->{files}) {
        remove_tree($files);
    }

    delete $s->{turn};
    @running = grep { $_ != $s } @running;
}


sub file { "$_[0]{files}/$_[1]" }


sub loaded {
    my ($s, $keys) = @_;
    my $end = time + 120;

    while (time < $end) {
        my $r = eval { client($s->{port}) };
        my $said = $r && eval { $r->cmd('dbsize') } // '';

        return if $said eq ":$keys";
        sleep 0.005;
    }

    die "does not load its file\n";
}


sub log {
    my ($s) = @_;
    return $s->{olivine} ? $s->{olivine}->log : '';
}


sub new_client { client($_[0]{port}) }


# Fields of INFO.

sub info {
    my ($s) = @_;
    my $text = $s->new_client->value('info') // '';
    return { $text =~ /^([^#:\r\n]+):([^\r\n]*)/mg };
}


# --- measures


sub pids {
    my ($s) = @_;

    my $first = $s->{olivine} ? $s->{olivine}->master : $s->{pid};
    return ($first, Olivine::children($first));
}


# The scheduler knows the sum to the nanosecond; the clock tick only samples
# how it splits into user and system.

sub cpu {
    my ($pid) = @_;
    my ($ns, $user, $system) = (0, 0, 0);

    for my $task (glob "/proc/$pid/task/*") {
        $ns += (split ' ', slurp("$task/schedstat"))[0] // 0;

        my $stat = slurp("$task/stat");
        $stat =~ s/.*\)//s;
        my @fields = split ' ', $stat;

        $user += $fields[11] // 0;
        $system += $fields[12] // 0;
    }

    return { total => $ns, user => $user, system => $system };
}


# Between two measures: seconds in all, in user and in system mode.

sub spent {
    my ($before, $after) = @_;

    my %d = map { $_ => $after->{$_} - $before->{$_} } keys %$after;
    my $ticks = $d{user} + $d{system};
    my $share = $ticks ? $d{user} / $ticks : 0;

    return { total => $d{total} / 1e9, user => $d{total} / 1e9 * $share,
             system => $d{total} / 1e9 * (1 - $share) };
}


# Pss of all processes, but shared memory in a file of its own is counted
# whole: its pages are taken whether or not a process has touched them yet.

sub memory {
    my ($s) = @_;
    my ($bytes, %files) = (0);      # by inode: Pss, and what the file takes

    for my $pid ($s->pids) {
        my ($pss) = slurp("/proc/$pid/smaps_rollup") =~ /^Pss:\s+(\d+)/m;
        $bytes += 1024 * ($pss // 0);

        my $inode;

        for my $line (split /\n/, slurp("/proc/$pid/smaps")) {
            if ($line =~ m{^[0-9a-f]+-[0-9a-f]+ \S+ \S+ \S+ (\d+)\s*(.*)}) {
                $inode = $2 =~ m{^/memfd:} ? $1 : undef;

            } elsif ($inode && $line =~ /^Pss:\s+(\d+)/) {
                $files{$inode}[0] += 1024 * $1;
                $files{$inode}[1] //= file_bytes($pid, $inode);
            }
        }
    }

    for my $file (values %files) {
        my ($pss, $taken) = @$file;
        $bytes += $taken - $pss if $taken > $pss;
    }

    return $bytes;
}


sub file_bytes {
    my ($pid, $inode) = @_;

    for my $fd (glob "/proc/$pid/fd/*") {
        my @stat = stat $fd or next;
        return $stat[12] * 512 if $stat[1] == $inode;
    }

    return 0;
}


sub slurp {
    my ($file) = @_;

    # a process may have ended
    open my $in, '<', $file or return '';
    local $/;
    return scalar(<$in>) // '';
}


END {
    my $status = $?;
    $_->stop for @running;
    $? = $status;
}

1;
