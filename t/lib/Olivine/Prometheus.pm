package Olivine::Prometheus;

# Reads Prometheus's text format, version 0.0.4, and is strict about it.
#
#     my $p = Olivine::Prometheus->new($text);
#     $p->faults                        what is wrong, one text each
#     $p->{families}{NAME}              { type, help, samples => [ ... ] }
#     $p->value('NAME', cmd => 'get')   of the sample with those labels
#     $p->sum('NAME')                   of all its samples
#     Olivine::Prometheus::names($expression)    metrics that PromQL names

use strict;
use warnings;


my $name = qr/[a-zA-Z_:][a-zA-Z0-9_:]*/;
my $label = qr/[a-zA-Z_][a-zA-Z0-9_]*/;
my $quoted = qr/"(?:[^"\\\n]|\\["\\n])*"/;
my $number = qr/[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN/;

my %types = map { $_ => 1 } qw(counter gauge histogram summary untyped);

# suffixes of the samples of a type
my %suffixes = (histogram => [qw(_bucket _sum _count)],
                summary => ['', '_sum', '_count']);

# no base units, and short forms, as promtool has them
my @units = qw(s ms us ns sec b kb mb gb tb pb m h d minutes hours days
               milliseconds microseconds nanoseconds bits kilobytes megabytes
               percent);


sub new {
    my ($class, $text) = @_;
    my $p = bless { families => {}, faults => [] }, $class;

    $p->fault('the last line has no end') if $text !~ /\n\z/;

    my $number = 0;

    for my $line (split /\n/, $text, -1) {
        $number++;
        $p->{line} = $number;
        $p->line($line) if $line ne '';
    }

    $p->{line} = 0;
    $p->look($_) for sort keys %{ $p->{families} };

    return $p;
}


sub faults { return @{ $_[0]{faults} } }


sub fault {
    my ($p, $text) = @_;
    push @{ $p->{faults} }, ($p->{line} ? "line $p->{line}: " : '') . $text;
}


sub line {
    my ($p, $line) = @_;

    if ($line =~ /^# HELP ($name) (.+)$/) {
        return $p->fault("$1 is described twice") if $p->{families}{$1};

        $p->fault("$1: an escape that is none")
            if $2 =~ /\\(?![\\n])/ && $2 !~ /\\\\/;

        $p->{families}{$1} = { name => $1, help => $2, samples => [] };
        $p->{now} = $1;
        return;
    }

    if ($line =~ /^# TYPE ($name) (\w+)$/) {
        my $f = $p->{families}{$1};

        $p->fault("$1: TYPE without HELP before it")
            if !$f || $p->{now} ne $1;
        $p->fault("$1 has two types") if $f && $f->{type};
        $p->fault("$1: TYPE behind samples") if $f && @{ $f->{samples} };
        $p->fault("$2 is no type") if !$types{$2};

        $f->{type} = $2 if $f;
        return;
    }

    return $p->fault("no HELP and no TYPE: $line") if $line =~ /^#/;

    if ($line !~ /^($name)(?:\{((?:$label=$quoted)(?:,$label=$quoted)*)\})? ($number)$/) {
        return $p->fault("no sample: $line");
    }

    $p->sample($1, $2 // '', $3);
}


sub sample {
    my ($p, $sample, $labels, $value) = @_;
    my $f = $p->{families}{ $p->{now} // '' };

    return $p->fault("$sample: a sample without HELP and TYPE")
        if !$f || !$f->{type};

    my ($suffix) = grep { $sample eq $f->{name} . $_ }
        @{ $suffixes{ $f->{type} } || [''] };

    return $p->fault("$sample stands among those of $f->{name}")
        if !defined $suffix;

    my %labels;

    while ($labels =~ /($label)=($quoted)/g) {
        my ($key, $text) = ($1, substr $2, 1, -1);
        $p->fault("$sample has two labels $key") if exists $labels{$key};
        $p->fault("$sample: $key begins with __") if $key =~ /^__/;
        $text =~ s/\\(.)/$1 eq 'n' ? "\n" : $1/ge;
        $labels{$key} = $text;
    }

    my $id = join ',', $sample, map { "$_=$labels{$_}" } sort keys %labels;

    $p->fault("$id is there twice") if $f->{seen}{$id}++;

    push @{ $f->{samples} }, { suffix => $suffix, labels => \%labels,
                               value => $value };
}


# A family as a whole: names as promtool wants them, histograms that grow.

sub look {
    my ($p, $name) = @_;
    my $f = $p->{families}{$name};
    my $type = $f->{type} // return $p->fault("$name has no TYPE");

    $p->fault("$name: a counter ends in _total")
        if $type eq 'counter' xor $name =~ /_total$/;
    $p->fault("$name: capital letters, or a colon") if $name =~ /[A-Z:]/;
    $p->fault("$name has its type in its name")
        if $name =~ /_(?:gauge|counter|histogram|summary)(?:_|$)/;
    $p->fault("$name: a suffix of histograms")
        if $name =~ /_(?:bucket|count|sum)$/;

    for my $unit (@units) {
        $p->fault("$name: \"$unit\" is no base unit")
            if $name =~ /_$unit(?:_|$)/;
    }

    for my $s (@{ $f->{samples} }) {
        $p->fault("$name is negative: $s->{value}")
            if $type ne 'gauge' && $s->{value} =~ /^-/;
        $p->fault("$name: a label le, or quantile")
            if $type !~ /histogram|summary/
                && grep { /^(?:le|quantile)$/ } keys %{ $s->{labels} };
    }

    $p->histogram($f) if $type eq 'histogram';
}


sub histogram {
    my ($p, $f) = @_;
    my (%sets, %at);

    for my $s (@{ $f->{samples} }) {
        my %labels = %{ $s->{labels} };
        my $le = delete $labels{le};
        my $id = join ',', map { "$_=$labels{$_}" } sort keys %labels;
        my $set = $sets{$id} ||= { buckets => [] };

        if ($s->{suffix} eq '_bucket') {
            return $p->fault("$f->{name}: a bucket without le")
                if !defined $le;
            push @{ $set->{buckets} }, [ $le, $s->{value} ];

        } else {
            $set->{ $s->{suffix} } = $s->{value};
        }
    }

    for my $id (sort keys %sets) {
        my ($set, $bound, $count) = ($sets{$id}, '-Inf', 0);

        for my $b (@{ $set->{buckets} }) {
            $p->fault("$f->{name}\{$id}: bounds do not grow")
                if $bound ne '-Inf'
                    && ($bound eq '+Inf' || $b->[0] ne '+Inf'
                                            && $b->[0] <= $bound);
            $p->fault("$f->{name}\{$id}: counts fall") if $b->[1] < $count;
            ($bound, $count) = @$b;
        }

        $p->fault("$f->{name}\{$id}: the last bound is not +Inf")
            if $bound ne '+Inf';
        $p->fault("$f->{name}\{$id}: no sum") if !defined $set->{_sum};
        $p->fault("$f->{name}\{$id}: _count is not what +Inf has")
            if ($set->{_count} // -1) != $count;
    }
}


sub value {
    my ($p, $name, %labels) = @_;
    my $suffix = delete $labels{suffix} // '';
    my $f = $p->{families}{$name} or return;

    for my $s (@{ $f->{samples} }) {
        next if $s->{suffix} ne $suffix
            || grep { ($s->{labels}{$_} // '') ne $labels{$_} } keys %labels;
        return $s->{value};
    }

    return;
}


sub sum {
    my ($p, $name) = @_;
    my $sum = 0;

    $sum += $_->{value} for @{ $p->{families}{$name}{samples} };

    return $sum;
}


# Words of an expression that are metrics of ours; the text has no strings of
# another kind that look like one.

sub names {
    my ($expression) = @_;

    $expression =~ s/$quoted//g;

    return $expression =~ /\b((?:redis|olivine)_\w+)/g;
}

1;
