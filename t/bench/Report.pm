package Report;

# Collects what was measured, prints it as tables, which are Markdown, too,
# and holds it against the targets.

use strict;
use warnings;

use POSIX qw(strftime);

my ($begin, $end) = ('<!-- bench -->', '<!-- end of bench -->');


sub new {
    my ($class, %o) = @_;
    return bless { %o, at => time, stolen => stolen(), busy => load_average() },
        $class;
}


# --- what comes in


sub load {
    my ($r, $s, $name, $m) = @_;
    push @{ $r->{load}{$name}{$s->{name}} }, $m;
}

sub size {
    my ($r, $s, $name, $bytes) = @_;
    $r->{size}{$name}{$s->{name}} = $bytes;
}

# A set of figures that are measured once a round.

sub once {
    my ($r, $s, $name, $m) = @_;
    push @{ $r->{once}{$name}{$s->{name}} }, $m;
}

sub pause {
    my ($r, $s, $name, $us) = @_;
    push @{ $r->{pause}{$name}{$s->{name}} }, $us if defined $us;
}


# --- what is made of it


# Microseconds a command.

sub per {
    my ($m, $what) = @_;
    return 1e6 * $m->{$what} / $m->{done};
}


# Median over the rounds; undef: not measured.

sub us {
    my ($r, $name, $s, $what) = @_;
    return median(map { per($_, $what) } @{ $r->{load}{$name}{$s->{name}} });
}


sub rate {
    my ($r, $name, $s) = @_;
    return median(map { $_->{done} / $_->{seconds} }
                  @{ $r->{load}{$name}{$s->{name}} });
}


sub median {
    my @sorted = sort { $a <=> $b } @_ or return undef;
    my $half = $#sorted / 2;
    return ($sorted[int $half] + $sorted[int($half + 0.5)]) / 2;
}


sub peers { grep { $_->{kind} ne 'olivine' } @{ $_[0]{servers} } }

sub olivines { grep { $_->{kind} eq 'olivine' } @{ $_[0]{servers} } }


sub best {
    my ($r, $name, $what) = @_;

    my @us = sort { $a <=> $b } grep { defined }
        map { $r->us($name, $_, $what) } $r->peers;

    return $us[0];
}


# --- tables


sub text {
    my ($r) = @_;

    return join "\n", $r->machine, $r->targets, $r->loads, $r->sizes,
        $r->files;
}


sub machine {
    my ($r) = @_;

    my ($cpu) = Server::slurp('/proc/cpuinfo') =~ /^model name\s*:\s*(.*)/m;
    my ($memory) = Server::slurp('/proc/meminfo') =~ /^MemTotal:\s+(\d+)/m;
    my $kernel = (POSIX::uname())[2];
    my $took = time - $r->{at};

    # the kernel counts in hundredths; of all cores
    my $stolen = stolen() - $r->{stolen};

    return join '', map { "$_\n" }
        sprintf('%s, %d cores, %.0f GB, Linux %s; %s.',
                $cpu // 'unknown', scalar @Server::cores, $memory / 1048576,
                $kernel, strftime('%Y-%m-%d', localtime)),
        join(', ', map { $_->{kind} eq 'olivine'
            ? "$_->{name} ($_->{version})" : $_->{name} }
            @{ $r->{servers} }) . '.',
        sprintf('Mode %s: %d rounds of %s seconds, medians; %d keys.',
                @$r{qw(mode rounds seconds keys)}),
        sprintf('%.1f%% of the CPU time was stolen by other machines;'
                . ' the load average was %s at the start.',
                $stolen / ($took || 1) / @Server::cores, $r->{busy});
}


sub loads {
    my ($r) = @_;
    my @servers = @{ $r->{servers} };
    my @rows = grep { $r->{load}{$_->[0]} } @{ $r->{loads} };

    return () if !@rows;

    my @cpu = map {
        my ($name, $says) = @$_;
        [ $says, map { cell($r, $name, $_) } @servers ];
    } @rows;

    my @rate = map {
        my ($name, $says) = @$_;
        [ $says, map { thousands($r->rate($name, $_)) } @servers ];
    } @rows;

    my @head = ('', map { $_->{name} } @servers);

    return "Server CPU per command, microseconds (user + system):\n",
        table(\@head, @cpu), "Commands a second:\n", table(\@head, @rate);
}


sub cell {
    my ($r, $name, $s) = @_;
    my $total = $r->us($name, $s, 'total');

    return defined $total ? sprintf('%.2f (%.2f + %.2f)', $total,
        map { $r->us($name, $s, $_) } qw(user system)) : '-';
}


sub sizes {
    my ($r) = @_;
    my @servers = @{ $r->{servers} };

    my @rows = map {
        my ($name, $says) = @$_;
        [ $says, map { defined $r->{size}{$name}{$_->{name}}
            ? sprintf('%.0f', $r->{size}{$name}{$_->{name}}) : '-' } @servers ];
    } grep { $r->{size}{$_->[0]} } @{ $r->{sizes} }, @{ $r->{others} };

    return () if !@rows;

    return "Bytes, of all processes of a server together:\n",
        table([ '', map { $_->{name} } @servers ], @rows);
}


sub targets {
    my ($r) = @_;
    my @rows;

    for my $row (@{ $r->{loads} }) {
        my ($name, $says, undef, undef, $total, $user) = @$row;

        push @rows, $r->ratio($name, "$says: CPU", 'total', $total) if $total;
        push @rows, $r->ratio($name, "$says: user", 'user', $user) if $user;
    }

    for my $row (@{ $r->{sizes} }) {
        my ($name, $says, undef, $most) = @$row;
        push @rows, $r->against("$says: bytes a key", $most, '%.1f',
            sub { $r->{size}{$name}{$_[0]{name}} });
    }

    for my $row (@{ $r->{others} }) {
        my ($name, $says, @most) = @$row;

        if ($name eq 'idle') {
            push @rows, $r->against("$says: bytes", $most[0], '%.0f',
                sub { $r->{size}{idle}{$_[0]{name}} });

        } elsif ($name eq 'workers') {
            for my $verb (qw(set get)) {
                push @rows, $r->against("$says: \U$verb", $most[0], '%.2f',
                    sub { $r->grown($verb, $_[0]) });
            }

        } elsif ($name eq 'loading') {
            push @rows, $r->share("$says: CPU", $most[0], $name, 'total');

        } elsif ($name eq 'snapshot') {
            push @rows, $r->share("$says: memory", $most[0], $name, 'bytes');

        } else {
            push @rows, $r->against('longest lock hold, us', $most[0], '%.0f',
                sub { $r->paused('longest_lock_hold_us', $_[0]) });
            push @rows, $r->against('longest turn of the loop, us', $most[1],
                '%.0f', sub { $r->paused('longest_turn_us', $_[0]) });
            push @rows, [ 'the same of a loop that does nothing, us', '',
                map { $r->paused('noise', $_) // '-' } $r->olivines ];
        }
    }

    return () if !@rows || !$r->olivines;

    return "Targets; CPU time as a share of the best peer's:\n",
        table([ '', 'at most', map { $_->{name} } $r->olivines ], @rows);
}


sub ratio {
    my ($r, $name, $says, $what, $most) = @_;
    my $best = $r->best($name, $what);

    return $r->against($says, $most, '%.2f', sub {
        my $us = $r->us($name, $_[0], $what);
        return defined $us && $best ? $us / $best : undef;
    });
}


# Of the least that a Redis takes, since all have it.

sub share {
    my ($r, $says, $most, $name, $what) = @_;

    my ($best) = sort { $a <=> $b } grep { defined }
        map { $r->figure($name, $what, $_) } $r->peers;

    return $r->against($says, $most, '%.2f', sub {
        my $is = $r->figure($name, $what, $_[0]);
        return defined $is && $best ? $is / $best : undef;
    });
}


sub figure {
    my ($r, $name, $what, $s) = @_;

    return median(grep { defined } map { $_->{$what} }
                  @{ $r->{once}{$name}{$s->{name}} || [] });
}


sub files {
    my ($r) = @_;
    my @servers = @{ $r->{servers} };
    my @rows;

    for my $row ([ 'loading', 'total', 'loading a file: seconds of CPU', 1 ],
                 [ 'loading', 'seconds', 'the same: seconds', 1 ],
                 [ 'snapshot', 'seconds', 'a snapshot: seconds', 1 ],
                 [ 'snapshot', 'bytes', 'more memory for it, MB', 1048576 ],
                 [ 'snapshot', 'longest', 'longest batch meanwhile, ms', 1e3 ],
                 [ 'snapshot', 'before', 'longest batch without, ms', 1e3 ],
                 [ 'snapshot', 'longest_turn_us',
                   'longest turn of the loop, ms of CPU', 1e3 ],
                 [ 'snapshot', 'before_longest_turn_us',
                   'longest turn without, ms of CPU', 1e3 ],
                 [ 'snapshot', 'longest_lock_hold_us',
                   'longest hold of a lock, ms of CPU', 1e3 ],
                 [ 'snapshot', 'before_longest_lock_hold_us',
                   'longest hold without, ms of CPU', 1e3 ])
    {
        my ($name, $what, $says, $unit) = @$row;
        next if !$r->{once}{$name};

        push @rows, [ $says, map {
            my $is = $r->figure($name, $what, $_);
            defined $is ? sprintf('%.2f', $is / $unit) : '-' } @servers ];
    }

    return () if !@rows;

    return "Files; batches are of 16 SETs, on 50 connections:\n",
        table([ '', map { $_->{name} } @servers ], @rows);
}


# A row of the table of targets.

sub against {
    my ($r, $says, $most, $format, $value) = @_;

    return [ $says, sprintf($format, $most), map {
        my $is = $value->($_);
        defined $is ? sprintf("$format, %s", $is,
                              $is <= $most ? 'met' : '**missed**') : '-';
    } $r->olivines ];
}


sub grown {
    my ($r, $verb, $s) = @_;

    my ($one, $two) = map { $r->us("$verb-w$_", $s, 'total') } 1, 2;
    return defined $one && defined $two ? $two / $one : undef;
}


sub paused {
    my ($r, $name, $s) = @_;
    return median(@{ $r->{pause}{$name}{$s->{name}} || [] });
}


# Aligned, so that it can be read as it is.

sub table {
    my @rows = @_;
    my @width;

    for my $row (@rows) {
        for my $i (0 .. $#$row) {
            my $n = length $row->[$i];
            $width[$i] = $n if $n > ($width[$i] // 2);
            $width[$i] //= 2;
        }
    }

    my @lines = map {
        my $row = $_;
        '| ' . join(' | ', map { sprintf $_ ? "%$width[$_]s" : "%-$width[$_]s",
                                 $row->[$_] } 0 .. $#width) . ' |';
    } @rows;

    my $rule = '|' . join('|', map { '-' x ($width[$_] + 1)
                                     . ($_ ? ':' : '-') } 0 .. $#width) . '|';

    return join '', map { "$_\n" } $lines[0], $rule, @lines[1 .. $#lines];
}


# Between the markers of the file.

sub write {
    my ($r, $file) = @_;
    my $text = Server::slurp($file);

    if ($text !~ /\Q$begin\E.*\Q$end\E/s) {
        die "bench: $file has no markers\n";
    }

    my $own = $r->text;
    $text =~ s/\Q$begin\E.*\Q$end\E/$begin\n\n$own\n$end/s;

    Olivine::write_file($file, $text);
    print "\nwritten to $file\n";
}


# --- below: the machine


sub thousands {
    my ($n) = @_;

    return '-' if !defined $n;
    return $n < 1e6 ? sprintf('%.0fk', $n / 1e3) : sprintf('%.2fM', $n / 1e6);
}


sub stolen {
    my ($line) = Server::slurp('/proc/stat') =~ /^cpu\s+(.*)/m;
    return (split ' ', $line)[7] // 0;
}


sub load_average { (split ' ', Server::slurp('/proc/loadavg'))[0] }

1;
