package Olivine::Pprof;

# Reads a gzipped profile.proto.
#
#     my $p = Olivine::Pprof->decode($bytes);       dies where it is none
#     $p->{types}        [ 'samples/count', 'cpu/nanoseconds' ]
#     $p->{samples}      [ { values => [...], stack => ['leaf', ...],
#                            labels => { command => 'set' } } ]
#     $p->{period}, {period_type}, {time}, {duration}, {default}
#     $p->total('cpu')       the sum of a type's values
#     $p->flat('cpu')        { function => sum over samples it is the leaf of }
#     $p->cum('cpu')         { function => sum over samples it is in }
#     $p->labels('pid')      { value => number of samples }
#     $p->files              { function => file }

use strict;
use warnings;

use IO::Uncompress::Gunzip qw(gunzip $GunzipError);


sub decode {
    my ($class, $bytes) = @_;

    my $plain;
    gunzip(\$bytes => \$plain) or die "not gzipped: $GunzipError\n";

    my $p = bless { samples => [] }, $class;
    my (@strings, %function, %line, @samples, @types, $period_type);

    for my $f (fields($plain)) {
        my ($n, $v) = @$f;

        if ($n == 1) {
            push @types, [ numbers($v) ];

        } elsif ($n == 2) {
            push @samples, $v;

        } elsif ($n == 4) {
            my %l = (lines => []);

            for my $g (fields($v)) {
                $l{id} = $g->[1] if $g->[0] == 1;
                push @{ $l{lines} }, { map { @$_[0, 1] } fields($g->[1]) }
                    if $g->[0] == 4;
            }

            die "a location without a number\n" if !$l{id};
            $line{$l{id}} = $l{lines};

        } elsif ($n == 5) {
            my %g = map { @$_[0, 1] } fields($v);
            die "a function without a number\n" if !$g{1};
            $function{$g{1}} = \%g;

        } elsif ($n == 6) {
            push @strings, $v;

        } elsif ($n == 9) {
            $p->{time} = $v;

        } elsif ($n == 10) {
            $p->{duration} = $v;

        } elsif ($n == 11) {
            $period_type = [ numbers($v) ];

        } elsif ($n == 12) {
            $p->{period} = $v;

        } elsif ($n == 14) {
            $p->{default} = $v;
        }
    }

    die "the first string is not empty\n" if !@strings || $strings[0] ne '';

    my $string = sub {
        my $text = $strings[$_[0] || 0];
        die "there is no string $_[0]\n" if !defined $text;
        return $text;
    };

    $p->{types} = [ map { $string->($_->[0]) . '/' . $string->($_->[1]) }
        @types ];
    $p->{default} = $string->($p->{default}) if $p->{default};
    $p->{period_type} = join '/', map { $string->($_) } @$period_type
        if $period_type;

    for my $sample (@samples) {
        my %s = (values => [], stack => [], labels => {}, lines => []);

        for my $f (fields($sample)) {
            my ($n, $v, $wire) = @$f;

            if ($n == 1) {
                for my $id ($wire == 2 ? packed($v) : $v) {
                    die "there is no location $id\n" if !$line{$id};

                    # inlined functions first
                    for my $l (@{ $line{$id} }) {
                        my $g = $function{$l->{1}}
                            or die "there is no function\n";
                        my $name = $string->($g->{2});
                        push @{ $s{stack} }, $name;
                        push @{ $s{lines} }, $l->{2} || 0;
                        $p->{files}{$name} = $string->($g->{4});
                    }
                }

            } elsif ($n == 2) {
                push @{ $s{values} }, map { signed($_) }
                    $wire == 2 ? packed($v) : $v;

            } elsif ($n == 3) {
                my %l = map { @$_[0, 1] } fields($v);
                $s{labels}{$string->($l{1})} = $l{2} ? $string->($l{2})
                    : signed($l{3} || 0);
            }
        }

        die "another number of values\n" if @{ $s{values} } != @types;
        push @{ $p->{samples} }, \%s;
    }

    return $p;
}


sub total {
    my ($p, $type) = @_;
    my $n = $p->number($type);
    my $sum = 0;
    $sum += $_->{values}[$n] for @{ $p->{samples} };
    return $sum;
}


sub flat {
    my ($p, $type) = @_;
    my $n = $p->number($type);
    my %sum;
    $sum{$_->{stack}[0] // '?'} += $_->{values}[$n] for @{ $p->{samples} };
    return \%sum;
}


sub cum {
    my ($p, $type) = @_;
    my $n = $p->number($type);
    my %sum;

    for my $s (@{ $p->{samples} }) {
        my %seen;
        $sum{$_} += $s->{values}[$n] for grep { !$seen{$_}++ } @{ $s->{stack} };
    }

    return \%sum;
}


sub labels {
    my ($p, $key) = @_;
    my %count;
    $count{$_}++ for grep { defined } map { $_->{labels}{$key} }
        @{ $p->{samples} };
    return \%count;
}


sub files { return $_[0]{files} || {} }


sub number {
    my ($p, $type) = @_;

    for my $n (0 .. $#{ $p->{types} }) {
        return $n if $p->{types}[$n] =~ m{^\Q$type\E(?:/|\z)};
    }

    die "no \"$type\" in @{ $p->{types} }\n";
}


# --- below: the encoding


# A message: [ number, value, wire type ] for each field.

sub fields {
    my ($bytes) = @_;
    my ($at, @fields) = (0);

    while ($at < length $bytes) {
        my $key = varint(\$bytes, \$at);
        my ($n, $wire) = ($key >> 3, $key & 7);

        if ($wire == 0) {
            push @fields, [ $n, varint(\$bytes, \$at), 0 ];

        } elsif ($wire == 2) {
            my $len = varint(\$bytes, \$at);
            die "a field beyond the end\n" if $at + $len > length $bytes;
            push @fields, [ $n, substr($bytes, $at, $len), 2 ];
            $at += $len;

        } else {
            die "a field of wire type $wire\n";
        }
    }

    return @fields;
}


sub numbers {
    my ($bytes) = @_;
    my %f = map { @$_[0, 1] } fields($bytes);
    return ($f{1} || 0, $f{2} || 0);
}


sub packed {
    my ($bytes) = @_;
    my ($at, @values) = (0);
    push @values, varint(\$bytes, \$at) while $at < length $bytes;
    return @values;
}


sub varint {
    my ($bytes, $at) = @_;
    my ($value, $shift) = (0, 0);

    for ( ;; ) {
        die "a number beyond the end\n" if $$at >= length $$bytes;
        my $b = ord substr $$bytes, $$at++, 1;
        $value |= ($b & 0x7f) << $shift;
        return $value if $b < 0x80;
        $shift += 7;
        die "a number that is too long\n" if $shift > 63;
    }
}


sub signed {
    return unpack 'q', pack 'Q', $_[0];
}

1;
